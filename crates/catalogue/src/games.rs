//! Every game by name. To add one, write its module in `games` and its line here. Other names that people know a game
//! by stand here too: the command line, the page and programs take them from here.

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
    ])
    .also(&["all queens chess"]),
    Entry::new::<Connect4>(&[
        way::<Lattice<Connect4>>(),
        way::<Blobs<Connect4, Remoteness>>(),
        way::<Sweep<Connect4>>(),
        way::<Retrograde<Connect4>>(),
    ])
    .also(&["connect four", "four in a row", "four up", "vier gewinnt", "captain's mistress"]),
    Entry::new::<Dawson>(&[way::<Sweep<Dawson>>(), way::<Sweep<Dawson, Nimber>>()])
        .also(&["dawson's chess", "dawson's kayles"]),
    Entry::new::<Dobutsu>(&[
        way::<Unmoves<Dobutsu>>(),
        way::<Compact<Dobutsu>>(),
        way::<Retrograde<Dobutsu>>(),
    ])
    .also(&["dobutsu shogi", "animal shogi", "let's catch the lion"]),
    Entry::new::<Domineering>(&[way::<Sweep<Domineering>>(), way::<Retrograde<Domineering>>()])
        .also(&["crosscram", "stop-gate"]),
    Entry::new::<FairShares>(&[way::<Retrograde<FairShares>>(), way::<Iterate<FairShares>>()])
        .also(&["varied pairs", "fair shares and varied pairs"]),
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
    ])
    .also(&["con-tac-tix"]),
    Entry::new::<Kalah>(&[way::<Sweep<Kalah>>(), way::<Sweep<Kalah, Margin>>()]).also(&["mancala", "kalaha"]),
    Entry::new::<Kaooa>(&[way::<Retrograde<Kaooa>>(), way::<Unmoves<Kaooa>>(), way::<Compact<Kaooa>>()])
        .also(&["crows and vulture", "vultures and crows"]),
    Entry::new::<Kayles>(&[
        way::<Sweep<Kayles>>(),
        way::<Retrograde<Kayles>>(),
        way::<Sweep<Kayles, Nimber>>(),
    ])
    .also(&["rip van winkle"]),
    Entry::new::<Mnk>(&[
        way::<Sweep<Mnk>>(),
        way::<Lattice<Mnk>>(),
        way::<Blobs<Mnk, Remoteness>>(),
        way::<Retrograde<Mnk>>(),
        way::<Iterate<Mnk>>(),
    ])
    .also(&["tic-tac-toe", "noughts and crosses", "m,n,k", "m,n,k game", "xs and os", "three in a row"]),
    Entry::new::<Morris>(&[way::<Unmoves<Morris>>(), way::<Compact<Morris>>(), way::<Retrograde<Morris>>()])
        .also(&["nine men's morris", "mill", "mills", "merels", "mühle"]),
    Entry::new::<Nim>(&[way::<Sweep<Nim>>(), way::<Retrograde<Nim>>(), way::<Sweep<Nim, Nimber>>()])
        .also(&["marienbad"]),
    Entry::new::<Othello>(&[
        way::<Blobs<Othello, Remoteness>>(),
        way::<Blobs<Othello, Margin>>(),
        way::<Sweep<Othello>>(),
        way::<Sweep<Othello, Margin>>(),
    ])
    .also(&["reversi"]),
    Entry::new::<Pegs>(&[way::<Sweep<Pegs>>(), way::<Retrograde<Pegs>>()]).also(&[
        "peg solitaire",
        "solitaire",
        "brainvita",
        "hi-q",
    ]),
    Entry::new::<Pentago>(&[way::<Rotations<Pentago>>(), way::<Distances<Pentago>>()]),
    Entry::new::<Qbf>(&[way::<Sweep<Qbf>>()]).also(&["quantified boolean formulas"]),
    Entry::new::<Quarto>(&[way::<Sweep<Quarto>>(), way::<Retrograde<Quarto>>()]),
    Entry::new::<Quixo>(&[
        #[cfg(feature = "gpu")]
        way::<Gpu<Quixo>>(),
        way::<Retrograde<Quixo>>(),
        way::<Unmoves<Quixo>>(),
        way::<Compact<Quixo>>(),
        way::<Iterate<Quixo>>(),
    ]),
    Entry::new::<Slide>(&[way::<Unmoves<Slide>>(), way::<Compact<Slide>>(), way::<Retrograde<Slide>>()])
        .also(&["sliding puzzle", "8-puzzle", "eight puzzle"]),
    Entry::new::<Teeko>(&[
        #[cfg(feature = "gpu")]
        way::<Gpu<Teeko>>(),
        way::<Unmoves<Teeko>>(),
        way::<Compact<Teeko>>(),
        way::<Retrograde<Teeko>>(),
    ]),
    Entry::new::<Tento0>(&[way::<Sweep<Tento0>>(), way::<Sweep<Tento0, Nimber>>()])
        .also(&["10 to 0", "ten to zero"]),
    Entry::new::<Toot>(&[way::<Sweep<Toot>>(), way::<Retrograde<Toot>>()]).also(&["toot and otto", "otto"]),
    Entry::new::<Xiangqi>(&[
        #[cfg(feature = "gpu")]
        way::<Gpu<Xiangqi>>(),
        way::<Unmoves<Xiangqi>>(),
        way::<Compact<Xiangqi>>(),
        way::<Retrograde<Xiangqi>>(),
        way::<Iterate<Xiangqi>>(),
    ])
    .also(&["chinese chess", "elephant chess"]),
    Entry::new::<Meaningless>(&[
        way::<Sweep<Meaningless>>(),
        way::<Retrograde<Meaningless>>(),
        way::<Unmoves<Meaningless>>(),
        way::<Compact<Meaningless>>(),
        way::<Iterate<Meaningless>>(),
    ]),
];
