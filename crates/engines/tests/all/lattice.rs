//! The lattice engine on boards made by hand, against the oracle: values of all positions, and counts against a walk.

use proptest::prelude::*;
use zermelo_core::{File, Game, Opened, Value};
use zermelo_engines::{Isa, Lattice, LatticeTiers, opened};

use crate::placed::Placed;
use crate::tables::{Bytes, counted, value_at, walked};

/// The engine for a board; `None` for one that is beyond it.
fn lattice(game: &Placed) -> Option<Opened> {
    let tiers = LatticeTiers::of(game.clone(), game.layout.clone(), Isa::best())?;
    opened::<Lattice<Placed>>(tiers, String::new())
}

/// A game against the oracle: values of all positions that the start reaches, and their counts.
fn right(game: &Placed) {
    let lattice = lattice(game).expect("small");
    let bytes = Bytes::of(&lattice);
    for (p, want) in zermelo_testing::oracle(game, &[game.start()]) {
        let found = value_at(&lattice, p, &bytes);
        assert_eq!(found, Some(want), "{p:?} of {game:?}");
    }
    assert_eq!(counted(&lattice), walked(game), "{game:?}");
}

#[test]
fn hex_needs_only_a_description() {
    for (rows, cols) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
        let hex = Placed::hex(rows, cols);
        right(&hex);
        let start = zermelo_testing::oracle(&hex, &[hex.start()])[&hex.start()];
        assert!(rows != cols || matches!(start, Value::Win(_)), "the first player wins on a square: {start}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Any board, any lines.
    #[test]
    fn boards_at_random_are_right(
        files in 1u32..5,
        cells in 1u32..4,
        stacked: bool,
        lines in proptest::array::uniform2(proptest::collection::vec(any::<u64>(), 0..6)),
    ) {
        let files = if stacked { files } else { files.min(9 / cells) };
        let all = (1u64 << (files * cells)) - 1;
        // Lines of a few cells each.
        let few = |seed: u64| (0..3).fold(0, |set, i| set | 1 << ((seed >> (8 * i)) % u64::from(files * cells)));
        let lines = lines.map(|l| l.into_iter().map(few).filter(|line| line & !all == 0).collect());
        right(&Placed::new(files, cells, stacked, lines));
    }
}

#[test]
fn boards_beyond_the_engine_are_refused() {
    let mut game = Placed::new(2, 3, false, [vec![], vec![]]);
    game.layout.files = (0..20).map(|f| File { shift: f, cells: 1 }).collect();
    assert!(lattice(&game).is_none(), "too many files");
    let game = Placed::new(2, 9, false, [vec![], vec![]]);
    assert!(lattice(&game).is_none(), "too many contents of a file");
    let game = Placed::new(2, 3, true, [vec![3; 200], vec![]]);
    assert!(lattice(&game).is_none(), "too many lines");
}
