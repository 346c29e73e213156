//! Games whose occupied cells only grow (Othello): positions by *blobs*, the sets of occupied
//! cells up to symmetry, and within a blob by colours.
//!
//! Only reached positions are kept, in Othello one or two in a hundred of all colourings, and all those
//! with as many occupied cells form a tier. Both passes go pair by pair: a blob, and an empty
//! cell that a move may fill. All positions of the blob try the same move, one after another
//! in memory, and all that can make it land in one blob of the next tier.
//!
//! - Forward ([`forward`]): for each blob of the next tier, its parents' positions mark where
//!   they lead in one small bit set, which gives the reached positions sorted and once each.
//!   No position is hashed, and none is turned round by itself.
//! - Backward ([`backward`]): each position takes the best of its children's codes, which are
//!   found in the sorted lists of the tier below through a directory by their leading bits.
//!
//! The database ([`shelf`]) leaves out positions with few empty cells: a look at all lines of
//! play to the end takes no longer there than opening a block does.

mod any;
mod backward;
mod cells;
mod forward;
mod level;
mod search;
mod shelf;

pub use any::Blobs;

#[cfg(test)]
mod tests {
    use super::any::Blobs;
    use super::backward::Values;
    use std::sync::Arc;
    use zermelo_core::{AnyGame, Margin, Objective, Reached, Remoteness, Solved};
    use zermelo_games::Othello;

    /// The words of the values of all positions, tier by tier from the end.
    fn words<O: Objective<Othello, Fold: Send>>(options: &str) -> Vec<Vec<&'static str>> {
        let game = Blobs::<Othello, O>::open(options, None).expect("opens");
        let mut marks: Vec<(_, Arc<dyn Reached>)> = vec![];
        let mut tier = Some(game.root());
        while let Some(at) = tier {
            let here = game.unreached(at, at == game.root());
            let above: Vec<_> = marks.last().cloned().into_iter().collect();
            game.discover(at, &*here, &above, &[], &());
            marks.push((at, here));
            tier = game.children(at).first().copied();
        }
        let (mut below, mut all): (Vec<Arc<dyn Solved>>, _) = (vec![], vec![]);
        for (tier, reached) in marks.iter().rev() {
            let solved = game.solve(*tier, Some(&**reached), &below, u64::MAX, &()).expect("a good game");
            let values = solved.as_any().downcast_ref::<Values>().expect("of this engine");
            let word = |byte: &u8| O::value(O::widen(*byte)).map_or("none", |value| value.word());
            all.push(values.codes.iter().map(word).collect());
            below = vec![solved];
        }
        all
    }

    #[test]
    fn margins_and_distances_agree_on_who_wins() {
        for (options, positions) in [("rows=4,cols=4", 9_830), ("rows=4,cols=5", 2_195_886)] {
            let (distances, margins) = (words::<Remoteness>(options), words::<Margin>(options));
            assert_eq!(distances.iter().map(Vec::len).sum::<usize>(), positions);
            assert!(distances == margins, "{options}: every position, in the same order");
        }
    }
}
