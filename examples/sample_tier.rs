//! Solves one tier for some minutes from made-up tables below, and says how much of it was done in how much CPU time and
//! memory: for tiers of games that nobody has the tables of yet.
//!
//! ```text
//! cargo run --release -p zermelo --example sample_tier -- quixo compact 908 600
//! ```
//!
//! The tier is in hexadecimal digits, as messages name it. A made-up table has wins in one for half of its numbers and
//! short wins, losses and draws for the others, so that its tier is as open as a real one.

#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use zermelo::{available_memory, cpu_seconds, open, peak_memory};
use zermelo_core::{Code, Job, Solved, Spill, Tier, TierCheckpoint, Value, Watch, mix};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, engine, tier, seconds] = &args[..] else {
        eprintln!("want a game, an engine, a tier and seconds, as in: quixo compact 908 600");
        return ExitCode::from(2);
    };
    match sample(name, engine, tier, seconds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn sample(name: &str, engine: &str, tier: &str, seconds: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (tier, limit) = (Tier(u64::from_str_radix(tier, 16)?), Duration::from_secs(seconds.parse()?));
    let game = open(name, Some(engine), None)?;
    let made = |child: Tier| -> Result<Arc<dyn Solved>, Box<dyn std::error::Error>> {
        let entries = game.tiers().size(child);
        println!("tier {child}: {entries} made-up codes");
        Ok(game.engine().restore(child, &mut MadeUp { at: 0, entries })?)
    };
    let children = game.tiers().children(tier).into_iter().map(made).collect::<Result<Vec<_>, _>>()?;
    let size = game.tiers().size(tier);
    println!("tier {tier}: {size} numbers");
    let (done, told) = Default::default();
    let clock = Clock { begun: Instant::now(), cpu: cpu_seconds(), limit, size, done, told };
    let memory = available_memory().unwrap_or(1 << 40);
    let job =
        Job { tier, reached: None, children: &children, memory, watch: &clock, checkpoint: Some(&clock) };
    game.engine().solve(&job)?;
    clock.tell();
    Ok(())
}

/// The spilled bytes of a tier with codes of one byte each: their width, the number of positions, and the codes.
struct MadeUp {
    at: u64,
    entries: u64,
}

impl MadeUp {
    fn byte(&self) -> u8 {
        match self.at {
            0 => 1,
            at @ 1..9 => self.entries.to_le_bytes()[at as usize - 1],
            at => {
                let draw = mix(at) >> 32;
                let r = 2 * ((draw >> 8) % 12) as u16 + 2;
                let value = match draw % 256 {
                    0..140 => Value::Win(1),
                    140..180 => Value::Lose(r),
                    180..210 => Value::Win(r + 1),
                    _ => Value::Draw,
                };
                Code::of(value).and_then(Code::narrow).unwrap_or(u8::MAX)
            }
        }
    }
}

impl Read for MadeUp {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let many = (buffer.len() as u64).min(9 + self.entries - self.at);
        for byte in &mut buffer[..many as usize] {
            *byte = self.byte();
            self.at += 1;
        }
        Ok(many as usize)
    }
}

/// Tells how far the engine is, and ends the program in time.
struct Clock {
    begun: Instant,
    cpu: f64,
    limit: Duration,
    size: u64,
    /// Numbers that the engine told of. It tells of half of them in its first pass, and of the others in the end.
    done: AtomicU64,
    /// When it was told last, in seconds.
    told: AtomicU64,
}

impl Clock {
    fn tell(&self) {
        let (done, cpu) = (self.done.load(Relaxed), cpu_seconds() - self.cpu);
        println!(
            "{:.0} s, {cpu:.0} CPU s, {:.2}% of the first pass, {:.0} ns a number there, peak memory {:.2} GB",
            self.begun.elapsed().as_secs_f64(),
            200.0 * done as f64 / self.size as f64,
            cpu * 1e9 / (2 * done).max(1) as f64,
            peak_memory().unwrap_or(0) as f64 / 1e9
        );
    }

    fn end_in_time(&self) {
        if self.begun.elapsed() >= self.limit {
            self.tell();
            std::process::exit(0);
        }
    }
}

impl Watch for Clock {
    fn advance(&self, entries: u64) {
        self.done.fetch_add(entries, Relaxed);
        let seconds = self.begun.elapsed().as_secs();
        if seconds >= self.told.load(Relaxed) + 30 {
            self.told.store(seconds, Relaxed);
            self.tell();
        }
        self.end_in_time();
    }
}

impl TierCheckpoint for Clock {
    fn due(&self) -> bool {
        self.end_in_time();
        false
    }

    fn save(&self, _: Spill<'_>) {}

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        None
    }
}
