//! One tier solved by several processes together (see [`zermelo_core::Shares`]).
//!
//! ```text
//! group     exchanges in which everybody hears of everybody's errors
//! outbox     items that wait to be sent, and how much may be under way
//! children   the own shares of the tiers below: questions and answers
//! ask        batches of positions, on the way from questions to answers
//! sweep      tiers that every move leaves
//! unmoves    all others, where the game can play backwards
//! ```
//!
//! Pentago's sections are shared by lines of blocks and not by numbers; they have a folder of their
//! own (`rotations/sections/share`), and only `group` and the limits of `outbox` from here.
//!
//! **Bytes sent, forwards.** A question is as many bytes as the place of a child and a number in a share
//! take, 3 to 6. An answer is 1 byte, or 2 where a child has wide codes. Nothing is sent for what a
//! process owns itself: with n processes the part (n - 1) / n of the children belongs to others. So
//! a position of 10 moves sends some 40 bytes of questions and 10 of answers.
//!
//! **Bytes sent, backwards.** Each move inside the tier that leads to a won, lost or tied position is one item
//! of 3 to 5 bytes, sent from the owner of that position to the owner of the position before the move.
//!
//! **Measured** with two processes, all tiers together, in bytes sent for a number: Quixo on 4x4 43, Chinese
//! chess with four men 13, both backwards; m,n,k on 4x4 9.
//!
//! **Exchanges.** A sweep takes five exchanges more than it has batches, and backwards there is at least one
//! more for every distance: small tiers are better solved by one process.
//!
//! **Memory.** A process has the largest share of the tier (2 bytes a number for a sweep; 3
//! backwards, or 6 where distances run long, and 1/32 more for the notes), its shares of the
//! tiers below, and 1 to 32 MiB a thread for what is under way. The transport may have buffers of
//! its own beside that.

pub(crate) mod ask;
pub(crate) mod children;
pub(crate) mod group;
pub(crate) mod outbox;
pub(crate) mod sweep;
pub(crate) mod unmoves;

use crate::ranked::ShareJob;
use zermelo_core::{Need, Shares, Tier, Tiers, Width};

use outbox::Limits;

/// What a process needs whose own share takes `bytes`, the least and the most.
pub(crate) fn need<G: Tiers>(
    game: &G,
    tier: Tier,
    peers: usize,
    block: u64,
    bytes: impl Fn(u64) -> (u64, u64),
) -> Need {
    let largest = |tier| Shares::new(game.size(tier), peers, block).largest();
    let (least, most) = bytes(largest(tier));
    // What wide tables take beside that is not known before they are solved.
    let below = game.children(tier).into_iter().map(largest).fold(0, u64::saturating_add);
    Need {
        working: least.saturating_add(below).saturating_add(Limits::least()),
        useful: most.saturating_add(below).saturating_add(Limits::most()),
        result: largest(tier),
    }
}

/// Bytes of the shares that a job has of the tiers below.
pub(crate) fn below_bytes<G: Tiers>(job: &ShareJob<'_, G>) -> u64 {
    let share = |tier| Shares::new(job.game.size(tier), job.peers.count(), job.block).largest();
    let bytes = job.children.iter().map(|(_, child)| share(child.tier) * child.width.bytes() as u64);
    bytes.fold(0, u64::saturating_add)
}

/// Whether some table below has wide codes.
pub(crate) fn wide_below<G: Tiers>(job: &ShareJob<'_, G>) -> bool {
    job.children.iter().any(|(_, child)| child.width == Width::Two)
}
