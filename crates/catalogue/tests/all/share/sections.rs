//! Pentago's sections by lines of blocks that are dealt out: the table of one process, byte for byte,
//! in messages that are as short as memory asks for; and an error of one is an error of all.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

use zermelo_core::{EngineError, Need, Opened, Peers, Reason, Tier, Watch};

use super::table::{Answer, Table, Tables, differs, share, tables};
use super::wire::{Wire, spread, spread_all};
use super::{right, solved};
use crate::games::open;
use crate::run::{Done, PLENTY};

/// Entries of a block of Pentago's tables.
const BLOCK: u64 = 1 << 16;

#[test]
fn late_sections_are_as_of_one_process() {
    // Full boards; one quadrant open; two.
    for section in ["36363690", "18266390", "09367171"] {
        right(&format!("pentago:section={section}"), "rotations", None, &[1, 2, 3, 5], BLOCK, PLENTY);
    }
    // Borders in the middle of a board, little memory, and more processes than blocks of the table.
    right("pentago:section=09366181", "rotations", None, &[3], 64, 0);
    right("pentago:section=36363690", "rotations", None, &[50], BLOCK, 0);
}

#[test]
fn sections_with_all_quadrants_open_and_with_long_lines_are_as_of_one_process() {
    right("pentago:section=17187071", "rotations", None, &[2, 5], BLOCK, 0);
    right("pentago:section=09335490", "rotations", None, &[3], BLOCK, PLENTY);
}

#[test]
fn distances_are_shared_as_a_sweep() {
    right("pentago:section=09366181", "rotations", Some("remoteness"), &[2], BLOCK, PLENTY);
}

/// A section with three open quadrants, and what is below it.
struct Example {
    game: Opened,
    tier: Tier,
    done: Done,
    tables: Tables,
}

static EXAMPLE: LazyLock<Example> = LazyLock::new(|| {
    let game = open("pentago:section=09266180", None, None).expect("a section");
    let (order, done) = solved(&game);
    let (tables, tier) = (tables(&done), *order.last().expect("a section"));
    Example { game, tier, done, tables }
});

impl Example {
    /// Solves the section with others; one may read the tables below otherwise, and watch.
    fn share(
        &self,
        wire: &dyn Peers,
        memory: u64,
        read: impl Fn(&Table, Range<u64>, &mut Vec<u8>) -> Result<(), Reason> + Sync,
        watch: &dyn Watch,
    ) -> Answer {
        let below = self.game.tiers().children(self.tier);
        let part = (wire, BLOCK, memory);
        share(self.game.engine(), self.tier, (&self.tables, &below), part, read, watch)
    }
}

/// Exchanges, the longest message, and bytes sent for each number.
fn traffic(memory: u64) -> (u64, u64, f64) {
    let said = spread_all(3, |wire| {
        let share = EXAMPLE.share(wire, memory, Table::read, &()).expect("a good game");
        (share, [&wire.exchanges, &wire.longest, &wire.sent].map(|count| count.load(Relaxed)))
    });
    let shares: Vec<_> = said.iter().map(|(share, _)| share.clone()).collect();
    let whole = &EXAMPLE.done[&EXAMPLE.tier];
    assert_eq!(differs(&shares, BLOCK, whole), None);
    assert!(said.iter().all(|(_, counts)| counts[0] == said[0].1[0]), "all exchange equally often");
    let sent: u64 = said.iter().map(|(_, counts)| counts[2]).sum();
    let longest = said.iter().map(|(_, counts)| counts[1]).max();
    (said[0].1[0], longest.unwrap_or(0), sent as f64 / whole.entries() as f64)
}

#[test]
fn with_little_memory_there_are_more_and_shorter_messages_of_as_many_bytes() {
    let (plenty, little) = (traffic(PLENTY), traffic(0));
    assert!(plenty.0 + 20 < little.0, "{plenty:?} {little:?}");
    assert!(plenty.1 > 5 * little.1, "{plenty:?} {little:?}");
    // 256 numbers are a board, whose tables have 64 bytes; unpacked, its parts would take half a byte.
    assert!(plenty.2 < 0.2 && (plenty.2 - little.2).abs() < 0.01, "{plenty:?} {little:?}");
}

/// One process hears of progress that sums up to all numbers.
#[test]
fn every_number_is_told_of_once() {
    struct Sum(std::sync::atomic::AtomicU64);
    impl Watch for Sum {
        fn advance(&self, entries: u64) {
            self.0.fetch_add(entries, Relaxed);
        }
    }
    let sum = Sum(0.into());
    spread_all(3, |wire| EXAMPLE.share(wire, PLENTY, Table::read, &sum).expect("a good game"));
    assert_eq!(sum.0.into_inner(), EXAMPLE.game.tiers().size(EXAMPLE.tier));
}

#[test]
fn the_more_processes_the_less_each_needs() {
    let game = open("pentago", None, None).expect("there is pentago");
    let tier = Tier(u64::from_le_bytes([3, 3, 3, 3, 3, 3, 3, 3]));
    let sharing = game.engine().sharing().expect("it can");
    let need = |peers: usize| sharing.need(tier, peers, BLOCK).expect("it can");
    let alone = game.engine().need(tier).working;
    for peers in [10, 100] {
        let Need { working, useful, result } = need(peers);
        let share = alone / peers as u64;
        // Unpacked tables, as even as a hash is, and packed ones, a quarter of them.
        assert!(working > share && working < share + share / 2, "{peers}: {working} of {alone}");
        assert!(useful > working && result < share / 3, "{peers}: {useful} {result}");
    }
}

/// What processes say when process 1 cannot go on: it has an error of its own, the others are told.
fn told(said: Vec<Answer>, own: impl Fn(&EngineError) -> bool, why: &str) {
    for (peer, answer) in said.into_iter().enumerate() {
        let error = answer.err().expect("an error");
        let expected = if peer == 1 { own(&error) } else { matches!(error, EngineError::Peer(1, _)) };
        assert!(expected && error.to_string().contains(why), "process {peer}: {error}");
    }
}

#[test]
fn a_table_that_one_process_cannot_read_ends_all() {
    let below = EXAMPLE.game.tiers().children(EXAMPLE.tier);
    let load = |error: &EngineError| matches!(error, EngineError::Load { tier, .. } if below.contains(tier));
    // Not readable, too short, and with a value that there is not.
    type Read = fn(&Table, Range<u64>, &mut Vec<u8>) -> Result<(), Reason>;
    let faults: [(&str, Read); 3] = [
        ("block 3 is damaged", |_, _, _| Err("block 3 is damaged".into())),
        ("another length", |_, _, out| {
            out.extend([0; 100]);
            Ok(())
        }),
        ("no value", |_, range, out| {
            out.extend(range.map(|_| 7));
            Ok(())
        }),
    ];
    for (why, fault) in faults {
        let said = spread_all(3, |wire| {
            let read: Read = if wire.here() == 1 { fault } else { |t, range, out| t.read(range, out) };
            EXAMPLE.share(wire, 0, read, &())
        });
        told(said, load, why);
    }
}

/// Panics when it hears of progress at one process.
struct Fright(usize);

impl Watch for Fright {
    fn advance(&self, _: u64) {
        assert_ne!(self.0, 1, "this one panics");
    }
}

#[test]
fn a_panic_of_one_process_ends_all() {
    let said = spread(3, u64::MAX, |wire: &Wire| {
        EXAMPLE.share(wire, PLENTY, Table::read, &Fright(wire.here())).map(|_| ())
    });
    assert!(said[1].is_err());
    for peer in [0, 2] {
        assert!(matches!(&said[peer], Ok(Err(EngineError::Peer(1, why))) if why.contains("panic")));
    }
}

#[test]
fn a_line_that_is_cut_is_an_error_of_all() {
    for breaks in [0, 1, 4, 9] {
        let said = spread(3, breaks, |wire: &Wire| {
            (EXAMPLE.share(wire, 0, Table::read, &()).err(), wire.exchanges.load(Relaxed))
        });
        for one in said {
            let (error, exchanges) = one.expect("no panic");
            assert!(matches!(error, Some(EngineError::Exchange { .. })), "{error:?}");
            assert_eq!(exchanges, breaks + 1, "nobody tries again");
        }
    }
}

/// Turns one byte of what it receives over.
struct Liar<'a> {
    wire: &'a Wire,
    at: usize,
}

impl Peers for Liar<'_> {
    fn here(&self) -> usize {
        self.wire.here()
    }

    fn count(&self) -> usize {
        self.wire.count()
    }

    fn exchange(&self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Reason> {
        let mut came = self.wire.exchange(out)?;
        let longest = came.iter_mut().max_by_key(|message| message.len());
        if let Some(byte) = longest.and_then(|message| message.get_mut(self.at)) {
            *byte ^= 0xff;
        }
        Ok(came)
    }
}

/// Where the block is, which part it is, how long it is, and how it is packed.
#[test]
fn letters_that_are_false_end_all() {
    for at in [3, 4, 9, 12, 16] {
        let said = spread_all(2, |wire| match wire.here() {
            1 => EXAMPLE.share(&Liar { wire, at }, 0, Table::read, &()),
            _ => EXAMPLE.share(wire, 0, Table::read, &()),
        });
        assert!(said.iter().all(|answer| answer.is_err()), "byte {at}");
    }
}
