//! Reads boards as text, for a game that complaints take their sample from.

use zermelo_core::grid::{Grid, read_set, show_set};
use zermelo_core::{Pair, Turn};

use crate::toy::{Fault, Toy};

#[test]
fn text_round_trips_and_complains() {
    let (grid, game) = (Grid::new(2, 3), Toy(Fault::None));
    let (turn, p) = grid.read(&game, "2_x-O/--x").expect("good");
    assert_eq!((turn, p), (Turn::Second, Pair { own: 0b100, other: 0b100001 }));
    assert_eq!(grid.pieces(turn, p), "x-o--x");
    for bad in ["", "1", "3_------", "1_-----", "1_-------", "1_----z-", "é_------", "1_xé"] {
        assert!(grid.read(&game, bad).is_err(), "{bad}");
    }
}

#[test]
fn one_kind_of_pieces_has_one_letter() {
    let game = Toy(Fault::None);
    assert_eq!(read_set(&game, "2_xX-/--x", 6), Ok((Turn::Second, 0b100011)));
    assert_eq!(show_set(0b100011, 6), "xx---x");
    for (bad, why) in [("1_o-----", "not one of x and -"), ("1_-----", "5 cells"), ("x", "begin with 1_")] {
        let told = read_set(&game, bad, 6).expect_err(bad).to_string();
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn complaints_offer_a_position_of_the_game() {
    for bad in ["", "nonsense", "1_-----"] {
        let told = Grid::new(2, 3).read(&Toy(Fault::None), bad).expect_err(bad).to_string();
        assert!(told.ends_with("as in 1_0"), "{told}");
    }
}
