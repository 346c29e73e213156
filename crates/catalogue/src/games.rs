//! Every game by name. To add one, write its module in `games` and its line here.

use zermelo_core::{Margin, Nimber, Remoteness};
use zermelo_engines::{Blobs, Compact, Distances, Iterate, Lattice, Retrograde, Rotations, Sweep, Unmoves};
use zermelo_games::{
    AllQueens, Connect4, Dawson, Dobutsu, Domineering, FairShares, GraphGame, Hex, Kalah, Kaooa, Kayles,
    Meaningless, Mnk, Morris, Nim, Othello, Pegs, Pentago, Qbf, Quarto, Quixo, Slide, Teeko, Tento0, Toot,
    Xiangqi,
};
#[cfg(feature = "gpu")]
use zermelo_gpu::Gpu;

use crate::{Entry, way};

/// Every game of the project.
pub(crate) static GAMES: &[Entry] = &[
    Entry::new::<AllQueens>(&[
        #[cfg(feature = "gpu")]
        way::<Gpu<AllQueens>>(),
        way::<Unmoves<AllQueens>>(),
        way::<Compact<AllQueens>>(),
        way::<Retrograde<AllQueens>>(),
    ]),
    Entry::new::<Connect4>(&[
        way::<Lattice<Connect4>>(),
        way::<Blobs<Connect4, Remoteness>>(),
        way::<Sweep<Connect4>>(),
        way::<Retrograde<Connect4>>(),
    ]),
    Entry::new::<Dawson>(&[way::<Sweep<Dawson>>(), way::<Sweep<Dawson, Nimber>>()]),
    Entry::new::<Dobutsu>(&[
        way::<Unmoves<Dobutsu>>(),
        way::<Compact<Dobutsu>>(),
        way::<Retrograde<Dobutsu>>(),
    ]),
    Entry::new::<Domineering>(&[way::<Sweep<Domineering>>(), way::<Retrograde<Domineering>>()]),
    Entry::new::<FairShares>(&[way::<Retrograde<FairShares>>(), way::<Iterate<FairShares>>()]),
    // Moves after which the same player moves again are for the engines that take them.
    Entry::new::<GraphGame<true>>(&[
        way::<Sweep<GraphGame<true>>>(),
        way::<Retrograde<GraphGame<false>>>(),
        way::<Sweep<GraphGame<true>, Margin>>(),
        way::<Sweep<GraphGame<false>, Nimber>>(),
    ]),
    Entry::new::<Hex>(&[
        way::<Sweep<Hex>>(),
        way::<Lattice<Hex>>(),
        way::<Blobs<Hex, Remoteness>>(),
        way::<Retrograde<Hex>>(),
    ]),
    Entry::new::<Kalah>(&[way::<Sweep<Kalah>>(), way::<Sweep<Kalah, Margin>>()]),
    Entry::new::<Kaooa>(&[way::<Retrograde<Kaooa>>(), way::<Unmoves<Kaooa>>(), way::<Compact<Kaooa>>()]),
    Entry::new::<Kayles>(&[
        way::<Sweep<Kayles>>(),
        way::<Retrograde<Kayles>>(),
        way::<Sweep<Kayles, Nimber>>(),
    ]),
    Entry::new::<Mnk>(&[
        way::<Sweep<Mnk>>(),
        way::<Lattice<Mnk>>(),
        way::<Blobs<Mnk, Remoteness>>(),
        way::<Retrograde<Mnk>>(),
        way::<Iterate<Mnk>>(),
    ]),
    Entry::new::<Morris>(&[way::<Unmoves<Morris>>(), way::<Compact<Morris>>(), way::<Retrograde<Morris>>()]),
    Entry::new::<Nim>(&[way::<Sweep<Nim>>(), way::<Retrograde<Nim>>(), way::<Sweep<Nim, Nimber>>()]),
    Entry::new::<Othello>(&[
        way::<Blobs<Othello, Remoteness>>(),
        way::<Blobs<Othello, Margin>>(),
        way::<Sweep<Othello>>(),
        way::<Sweep<Othello, Margin>>(),
    ]),
    Entry::new::<Pegs>(&[way::<Sweep<Pegs>>(), way::<Retrograde<Pegs>>()]),
    Entry::new::<Pentago>(&[way::<Rotations<Pentago>>(), way::<Distances<Pentago>>()]),
    Entry::new::<Qbf>(&[way::<Sweep<Qbf>>()]),
    Entry::new::<Quarto>(&[way::<Sweep<Quarto>>(), way::<Retrograde<Quarto>>()]),
    Entry::new::<Quixo>(&[
        #[cfg(feature = "gpu")]
        way::<Gpu<Quixo>>(),
        way::<Retrograde<Quixo>>(),
        way::<Unmoves<Quixo>>(),
        way::<Compact<Quixo>>(),
        way::<Iterate<Quixo>>(),
    ]),
    Entry::new::<Slide>(&[way::<Unmoves<Slide>>(), way::<Compact<Slide>>(), way::<Retrograde<Slide>>()]),
    Entry::new::<Teeko>(&[
        #[cfg(feature = "gpu")]
        way::<Gpu<Teeko>>(),
        way::<Unmoves<Teeko>>(),
        way::<Compact<Teeko>>(),
        way::<Retrograde<Teeko>>(),
    ]),
    Entry::new::<Tento0>(&[way::<Sweep<Tento0>>(), way::<Sweep<Tento0, Nimber>>()]),
    Entry::new::<Toot>(&[way::<Sweep<Toot>>(), way::<Retrograde<Toot>>()]),
    Entry::new::<Xiangqi>(&[
        #[cfg(feature = "gpu")]
        way::<Gpu<Xiangqi>>(),
        way::<Unmoves<Xiangqi>>(),
        way::<Compact<Xiangqi>>(),
        way::<Retrograde<Xiangqi>>(),
        way::<Iterate<Xiangqi>>(),
    ]),
    Entry::new::<Meaningless>(&[
        way::<Sweep<Meaningless>>(),
        way::<Retrograde<Meaningless>>(),
        way::<Unmoves<Meaningless>>(),
        way::<Compact<Meaningless>>(),
        way::<Iterate<Meaningless>>(),
    ]),
];
