//! What the moves of a position tell of the position itself.

use zermelo_core::{Nimbers, Report, Unit, Value};

/// What a position is worth to the player to move, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The value.
    pub value: Value,
    /// Whether the number of the value is certain. Otherwise the position is a win in that many moves or fewer, or by
    /// that much or more.
    pub exact: bool,
}

impl Bound {
    /// What a report tells of its position: the value of the position where that is known, or else what follows from
    /// the values of all moves, or from a move that wins. `None` where nothing follows.
    pub fn of(report: &Report, unit: Unit) -> Option<Bound> {
        let exact = |value| Bound { value, exact: true };
        if report.value.is_some() {
            return report.value.map(exact);
        }
        let worths = || report.moves.iter().map(|m| m.worth);
        let (all, best) = (worths().all(|worth| worth.is_some()), worths().flatten());
        let best = best.min_by_key(|worth| unit.preference(*worth))?;
        match unit {
            Unit::Nimber if all => least_missing(report).map(exact),
            // Who wins does not tell the nimber.
            Unit::Nimber => None,
            _ if all => Some(exact(goes_on(best, unit))),
            // Where nothing is counted a win is a win.
            _ if matches!(best, Value::Win(_)) => {
                Some(Bound { value: goes_on(best, unit), exact: unit == Unit::Winner })
            }
            _ => None,
        }
    }
}

/// Finds the value of a position that nobody knows from those of its moves, and puts the best moves first.
pub(crate) fn settle(report: &mut Report, unit: Unit) {
    report.moves.sort_by_key(|m| m.worth.map_or((u8::MAX, 0), |worth| unit.preference(worth)));
    report.value = Bound::of(report, unit).filter(|bound| bound.exact).map(|bound| bound.value);
}

/// The nimber of a position from those that its moves lead to.
fn least_missing(report: &Report) -> Option<Value> {
    let after = report.moves.iter().filter_map(|m| Unit::Nimber.nimber(m.value?));
    match after.fold(Nimbers::NONE, Nimbers::with).mex()? {
        0 => Some(Value::Lose(0)),
        n => Some(Value::Win(n)),
    }
}

/// A value of a game that is not over, where the number says no more than that.
fn goes_on(value: Value, unit: Unit) -> Value {
    match (unit, value) {
        (Unit::Winner, Value::Win(_)) => Value::Win(1),
        (Unit::Winner, Value::Tie(_)) => Value::Tie(1),
        (Unit::Winner, Value::Lose(_)) => Value::Lose(1),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, values: impl Fn(usize) -> Option<Value>) -> (Report, Unit) {
        report_of(name, None, values)
    }

    fn report_of(
        name: &str,
        objective: Option<&str>,
        values: impl Fn(usize) -> Option<Value>,
    ) -> (Report, Unit) {
        let game = crate::open(name, None, objective).expect("a game");
        let mut report = game.oracle().report(game.oracle().start(), &()).expect("a position");
        for (n, m) in report.moves.iter_mut().enumerate() {
            m.found(values(n), game.unit);
        }
        settle(&mut report, game.unit);
        (report, game.unit)
    }

    #[test]
    fn the_best_of_all_moves_is_the_value() {
        let (tied, _) = report("mnk", |n| Some(if n == 4 { Value::Tie(8) } else { Value::Win(3) }));
        assert_eq!((tied.value, tied.moves[0].worth), (Some(Value::Tie(9)), Some(Value::Tie(9))));
        let (open, _) = report("mnk", |n| (n == 4).then_some(Value::Lose(2)));
        assert_eq!((open.value, open.moves[0].name.as_str()), (None, "b2"), "another may win sooner");
    }

    #[test]
    fn nimbers_are_the_least_that_no_move_leads_to() {
        let nimbers = [Value::Win(1), Value::Lose(0)];
        let (known, _) = report_of("tento0", Some("nimber"), |n| Some(nimbers[n]));
        assert_eq!((known.value, known.moves[0].worth), (Some(Value::Win(2)), Some(Value::Win(0))));
        let (lost, _) = report_of("tento0", Some("nimber"), |_| Some(Value::Win(1)));
        assert_eq!(lost.value, Some(Value::Lose(0)));
        let (open, _) = report_of("tento0", Some("nimber"), |n| (n == 0).then_some(Value::Lose(0)));
        assert_eq!(open.value, None, "another may lead to 1");
    }

    #[test]
    fn one_winning_move_wins_where_nothing_else_counts() {
        let (won, _) = report("pentago", |n| (n == 7).then_some(Value::Lose(0)));
        assert_eq!(won.value, Some(Value::Win(1)));
        let (open, _) = report("pentago", |n| (n == 7).then_some(Value::Tie(1)));
        assert_eq!(open.value, None);
    }
}
