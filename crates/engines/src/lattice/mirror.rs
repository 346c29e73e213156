//! The mirror image of a tier's lists: what the tiers beside it look at that would see the tier it was folded with.

use zermelo_core::Tier;

use super::board::Board;
use super::slab::{At, Half};
use crate::isa::{Bits, Kernel};

/// Makes the mirror image of the lists of a tier for one player to move.
pub(crate) struct Image<'a> {
    pub(crate) board: &'a Board,
    pub(crate) tier: Tier,
    pub(crate) turn: usize,
    pub(crate) half: &'a Half,
    pub(crate) planes: usize,
}

impl Kernel for Image<'_> {
    type Output = Half;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> Half {
        let (board, planes) = (self.board, self.planes);
        let mut image = board.half();
        let Some(contents) = board.prefix_of(self.tier) else { return image };
        let balance = |f: usize, content: usize| board.files[f].all[content].balance;
        let before: i32 = (0..board.prefix).map(|f| balance(f, contents[f].into())).sum();
        for shard in 0..board.shards {
            let at = self.half.at(shard);
            if at == At::None {
                continue;
            }
            let (mut rest, mut to, mut sum) = (shard, 0, before);
            for f in board.prefix..board.outer {
                let content = rest / board.strides[f];
                rest %= board.strides[f];
                to += content * board.strides[board.twins[f]];
                sum += balance(f, content);
            }
            match (at, board.inner.list(self.turn as i32 - sum)) {
                (At::Words(at), Some(list)) => {
                    let from = self.half.list(at);
                    let out = image.add(to, planes * list.words);
                    let out = image.list_mut(Some(out));
                    out[..planes * list.words].fill(0);
                    for plane in (0..planes).map(|plane| plane * list.words) {
                        for step in &list.image {
                            let moved = bits.pext(from[plane + step.here as usize], step.put);
                            out[plane + step.there as usize] |= bits.pdep(moved, step.take);
                        }
                    }
                }
                _ => image.all_win(to),
            }
        }
        image
    }
}
