//! All ranks at one tier: how they exchange what they have found, and how the shares become one table.

use std::sync::Mutex;

use zermelo_core::{Filing, Peers, Reason, Solved, Tier, Unpoisoned, Width};
use zermelo_store::{Annex, BlockLine, PackedBlock, TableExtent};

use super::mailbox::Mailbox;
use crate::Progress;
use crate::database::pack_all;
use crate::trace::Doing;

/// Bytes of a table that travel at once.
const PIECE: usize = 4 << 20;

/// The ranks as peers of one tier.
pub(super) struct Team<'a> {
    mailbox: &'a Mailbox<'a>,
    progress: &'a Progress,
    /// Exchanges come one after the other.
    turn: Mutex<()>,
}

impl<'a> Team<'a> {
    pub(super) fn new(mailbox: &'a Mailbox<'a>, progress: &'a Progress) -> Team<'a> {
        Team { mailbox, progress, turn: Mutex::default() }
    }

    /// Packs this rank's share of a tier and passes it to one rank, which alone writes; that one gets the place
    /// of the table and the number of its positions.
    pub(super) fn store(
        &self,
        annex: &Annex,
        tier: Tier,
        entries: u64,
        share: &dyn Solved,
        filing: Filing,
    ) -> Result<Option<(TableExtent, u64)>, Reason> {
        let width = share.width();
        let packed = pack_all(tier, share, filing, self.progress, None);
        let lines: Vec<BlockLine> = packed.iter().map(PackedBlock::line).collect();
        let writer = (tier.0 % self.count() as u64) as usize;
        let told = serde_json::to_vec(&(share.positions(), lines))?;
        self.mailbox.to_peer(writer, told);
        if writer != self.here() {
            self.hand_over(writer, packed);
            return Ok(None);
        }
        let _writes = self.progress.span(Doing::Write, Some(tier));
        self.write(annex, tier, entries, width, packed).map(Some)
    }

    /// Gives this rank's blocks to the writer, a piece whenever it asks, and nothing at the end.
    fn hand_over(&self, writer: usize, packed: Vec<PackedBlock>) {
        let mut blocks = packed.into_iter();
        loop {
            self.mailbox.next_of_peer(writer);
            let piece = piece(&mut blocks);
            let last = piece.is_empty();
            self.mailbox.to_peer(writer, piece);
            if last {
                return;
            }
        }
    }

    fn write(
        &self,
        annex: &Annex,
        tier: Tier,
        entries: u64,
        width: Width,
        packed: Vec<PackedBlock>,
    ) -> Result<(TableExtent, u64), Reason> {
        let (mut positions, mut lines) = (0, vec![]);
        for peer in 0..self.count() {
            let (more, theirs): (u64, Vec<BlockLine>) =
                serde_json::from_slice(&self.mailbox.next_of_peer(peer))?;
            positions += more;
            lines.extend(theirs);
        }
        let (mut peer, mut own) = (0, packed.into_iter());
        let mut next = || {
            while peer < self.count() {
                let piece = if peer == self.here() {
                    piece(&mut own)
                } else {
                    self.mailbox.to_peer(peer, vec![]);
                    self.mailbox.next_of_peer(peer)
                };
                if !piece.is_empty() {
                    return Ok(Some(piece));
                }
                peer += 1;
            }
            Ok(None)
        };
        let extent = annex.append_streamed(tier, width, entries, positions, &lines, &mut next)?;
        Ok((extent, positions))
    }
}

/// The bytes of the next blocks, about a piece of them; empty at the end.
fn piece(blocks: &mut impl Iterator<Item = PackedBlock>) -> Vec<u8> {
    let mut bytes = vec![];
    for block in blocks {
        bytes.extend_from_slice(&block.into_bytes());
        if bytes.len() >= PIECE {
            break;
        }
    }
    bytes
}

impl Peers for Team<'_> {
    fn here(&self) -> usize {
        self.mailbox.net.rank()
    }

    fn count(&self) -> usize {
        self.mailbox.net.size()
    }

    fn exchange(&self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Reason> {
        let _turn = self.turn.lock().unpoisoned();
        let _exchanges = self.progress.span(Doing::Exchange, None);
        // Each begins with the one behind it, so that not all send to the same one at once.
        let (here, count) = (self.here(), self.count());
        let mut out: Vec<_> = out.into_iter().map(Some).collect();
        for step in 0..count {
            let peer = (here + step) % count;
            let bytes = out.get_mut(peer).and_then(Option::take).unwrap_or_default();
            self.mailbox.to_peer(peer, bytes);
        }
        Ok((0..count).map(|peer| self.mailbox.next_of_peer(peer)).collect())
    }
}
