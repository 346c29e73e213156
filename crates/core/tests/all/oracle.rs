//! Tests the oracle on small games solved by hand, each with a trap. Engines are compared with the oracle, so a wrong
//! oracle would make right engines look wrong, or worse.

use zermelo_core::Value::{self, Draw, Lose, Tie, Win};
use zermelo_core::{Game, Outcome};
use zermelo_testing::oracle;

/// What a position is: over, or its moves.
enum At {
    Over(Outcome),
    To(&'static [u8]),
}
use At::{Over, To};

struct List(&'static [At]);

impl Game for List {
    type Position = u8;
    type Move = u8;

    fn start(&self) -> u8 {
        0
    }
    fn outcome(&self, p: u8) -> Option<Outcome> {
        if let Over(outcome) = self.0[p as usize] { Some(outcome) } else { None }
    }
    fn moves(&self, p: u8, visit: impl FnMut(u8)) {
        if let To(moves) = self.0[p as usize] {
            moves.iter().copied().for_each(visit);
        }
    }
    fn play(&self, _: u8, m: u8) -> u8 {
        m
    }
}

fn is(game: &'static [At], want: &[Value]) {
    let roots: Vec<u8> = (0..game.len() as u8).collect();
    let found = oracle(&List(game), &roots);
    assert_eq!(roots.iter().map(|p| found[p]).collect::<Vec<_>>(), want);
}

#[test]
fn wins_come_fast_and_losses_slowly() {
    is(
        &[Over(Outcome::Lose), To(&[0]), To(&[1]), To(&[2, 0]), To(&[1, 2]), To(&[1, 3]), To(&[5, 2])],
        &[Lose(0), Win(1), Lose(2), Win(1), Win(3), Lose(2), Win(3)],
    );
    is(
        &[Over(Outcome::Win), To(&[0]), To(&[1]), To(&[0, 2]), To(&[3])],
        &[Win(0), Lose(1), Win(2), Lose(3), Win(4)],
    );
}

#[test]
fn a_tie_is_better_than_a_draw_and_comes_fast() {
    is(
        &[Over(Outcome::Tie), To(&[1, 0]), To(&[1, 3]), To(&[2]), To(&[4])],
        &[Tie(0), Tie(1), Tie(2), Tie(3), Draw],
    );
}

#[test]
fn who_would_lose_goes_round_in_circles() {
    is(&[Over(Outcome::Lose), To(&[0]), To(&[1, 3]), To(&[2])], &[Lose(0), Win(1), Draw, Draw]);
}

/// Position 5 may enter 4 or wait. Cut off soon, 4 is a tie; in truth 4 is won in 3, so 5 waits for ever. A game cut
/// off after `n` moves is a tie for 5 for every `n`, an ever longer one: 5 waits until 4 has too few moves left to
/// win. So the values of cut games never settle.
#[test]
fn a_tie_that_turns_out_a_win_is_no_tie() {
    is(
        &[Over(Outcome::Lose), Over(Outcome::Tie), To(&[0]), To(&[2]), To(&[1, 3]), To(&[4, 5])],
        &[Lose(0), Tie(0), Win(1), Lose(2), Win(3), Draw],
    );
}
