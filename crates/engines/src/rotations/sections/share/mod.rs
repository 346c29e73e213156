//! One section solved by several processes together.
//!
//! ```text
//! owner of a line     reads the line below it from the stored table, and what it adds to each block
//!      |                 part: quadrant, block, packed tables
//! owner of a block    merges the parts of all quadrants with empty cells, then finishes the block
//!      |                 finished block, packed
//! writer              has a range of the table's numbers, as in every tier that is shared
//! ```
//!
//! The owners of lines and of blocks are drawn by [`Partition`]; the writers' ranges are those of
//! [`Shares`]. A line of a section needs one line of one section below, which no other line needs
//! (but where two quadrants lead to images of one section). So every block below is read once, by the process that
//! needs it, and is not sent. Blocks of ascending numbers have ascending places in the table, so a
//! range is a run of blocks; a block that lies across a border goes to all writers who have a part of it.
//!
//! **Rounds.** In each round a process works on its lines until it has so many parts to send. Meanwhile
//! the parts of the last round are exchanged, and those that have come are merged. No message is longer than its
//! share of a round, and what does not fit waits. So no process is sent more than it has room for, however
//! uneven a round is. The work is over when no process has lines left, nothing was sent and nothing is left
//! to be taken in.
//!
//! **Memory.** A process has the tables of the blocks that it owns, unpacked: 1/n of the section's, as
//! even as a hash is. It has its range of the finished blocks, packed. It has for each thread the line that is
//! gathered, and 1 to 32 MiB for what is under way.
//!
//! **Bytes sent.** The owner of a block also owns one of its (up to four) lines. So up to three parts of a block are
//! sent, packed, or fewer where it owns more of the lines by chance; and the finished block is sent. Measured, all
//! sections below one of 31 or 32 stones together, in bytes sent for a board with its 256 numbers: 4 to 8 with two
//! processes, 8 to 16 with eight.

mod send_queue;
mod strip;
mod worker;

use zermelo_core::sections::{SIDE, Section, TURNS};
use zermelo_core::{EngineError, Made, Need, Reason, SharedJob, Shares, Tier};

use super::lines::Way;
use super::partition::Partition;
use super::stored::OnDisk;
use super::{PACKED, TABLES, longest_row, section_of};
use crate::isa::Isa;
use crate::share::group::{Group, HEAD, Status, together};
use crate::share::outbox::Limits;
use worker::Worker;

/// What a process has of everything under way: items that wait, and messages being sent, received
/// and taken in, each of which may be twice as much as the items of a round.
const COPIES: u64 = 8;
/// Bytes that packing and unpacking take beside their blocks.
const PACKERS: u64 = 1 << 20;
/// Bytes that a block takes beside its tables.
const BESIDE: u64 = 128;

/// Bytes for each process.
pub(crate) fn need(section: Section, peers: usize, block: u64) -> Need {
    let fixed = fixed(section, peers, block);
    Need {
        working: fixed.saturating_add(Limits::least()),
        useful: fixed.saturating_add(Limits::most()),
        result: written(section, peers, block),
    }
}

/// Bytes of the most that one has of the finished section.
fn written(section: Section, peers: usize, block: u64) -> u64 {
    let largest = numbers(section, peers, block).largest().div_ceil(TURNS);
    // The first and the last block of a range may also belong to the ranges of other processes.
    let whole = largest + 2 * section.grid().entries_of(0) as u64;
    whole.min(section.entries()).saturating_mul(PACKED)
}

/// The numbers that each process writes.
fn numbers(section: Section, peers: usize, block: u64) -> Shares {
    Shares::new(section.entries().saturating_mul(TURNS), peers, block)
}

/// Bytes without what is under way.
fn fixed(section: Section, peers: usize, block: u64) -> u64 {
    let (grid, dealt) = (section.grid(), Partition::new(peers as u32, section));
    // Where blocks are few, a hash does not share them evenly: they are counted.
    let mut kept = vec![0u64; peers.max(1)];
    for number in 0..grid.len() {
        let owner = dealt.block(grid.block(number));
        kept[owner as usize] += TABLES * grid.entries_of(number) as u64 + BESIDE;
    }
    let most = kept.into_iter().max().unwrap_or(0);
    let block_entries = grid.entries_of(0) as u64;
    let line = |q: usize| block_entries / grid.shape[q].min(SIDE) as u64 * grid.shape[q] as u64;
    let parts = section.children().map(|(q, _)| PACKED * line(q)).max().unwrap_or(0);
    let reading = block_entries * (TURNS + 4 * TABLES) + PACKERS;
    let threads = rayon::current_num_threads() as u64;
    let rooms = threads * (TABLES * longest_row(section) + reading + parts);
    most.saturating_add(rooms).saturating_add(written(section, peers, block))
}

/// A section below, by a stone in a quadrant.
struct Below<'a> {
    quadrant: usize,
    next: Section,
    tier: Tier,
    blocks: OnDisk<'a>,
}

/// The sections below, as they are stored.
fn below<'a>(
    section: Section,
    job: &SharedJob<'a>,
    children: &[Tier],
) -> Result<Vec<Below<'a>>, EngineError> {
    let mut all = vec![];
    for (quadrant, next) in section.children() {
        let tier = Tier(next.standard().0.sig());
        let failed = |reason: Reason| EngineError::Load { tier, reason };
        let found = children.iter().zip(job.children).find(|(child, _)| **child == tier);
        let (_, (width, read)) =
            found.ok_or_else(|| failed(format!("section {next} is not there").into()))?;
        let blocks = OnDisk::new(tier, *width, *read).map_err(failed)?;
        all.push(Below { quadrant, next, tier, blocks });
    }
    Ok(all)
}

/// Solves a section together with others; `children` are its child tiers, whose tables the job has.
pub(crate) fn solve(job: &SharedJob<'_>, children: &[Tier], isa: Isa) -> Made {
    together(job.peers, job.tier, |group| {
        let failed = |reason: Reason| EngineError::Load { tier: job.tier, reason };
        let section = section_of(job.tier).map_err(failed)?;
        let below = below(section, job, children)?;
        let way = |b| {
            let Below { quadrant, next, tier, blocks }: &Below<'_> = b;
            (*tier, Way::new(section, *quadrant, *next, blocks))
        };
        let ways: Vec<_> = below.iter().map(way).collect();
        let free = job.memory.saturating_sub(fixed(section, group.count(), job.block));
        let load = (free.min(Limits::most()) / COPIES).max(1);
        let shares = numbers(section, group.count(), job.block);
        let worker = Worker::new(job, section, &ways, isa, shares, load);
        rounds(group, &worker, (2 * load).div_ceil(group.count() as u64))?;
        worker.into_strip()
    })
}

/// Works until nobody has anything to do; `each` is what one process is sent at a time.
fn rounds(group: &Group<'_>, worker: &Worker<'_>, each: u64) -> Result<(), EngineError> {
    let says = |messages: &[Vec<u8>]| messages.iter().any(|message| message.len() > HEAD);
    let mut came = group.blank();
    loop {
        let out = worker.queue.take(each);
        let status = Status { more: worker.has_tasks() || says(&out) || says(&came), ..Status::default() };
        let (heard, worked) = group.meanwhile(status, out, || {
            worker.take_in(&std::mem::take(&mut came))?;
            worker.work()
        });
        let (all, messages) = heard?;
        worked?;
        if !all.more {
            return Ok(());
        }
        came = messages;
    }
}
