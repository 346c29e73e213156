//! Values every position from the definition, and shares no idea with any engine: a reference to compare engines
//! with.

use std::collections::HashMap;

use zermelo_core::laws::{Broken, list_moves};
use zermelo_core::{Code, Game, Objective, Remoteness, Value};

/// Returns the value of every position that the roots reach, from the definition: the value of the game cut off as a
/// draw after 0, 1, 2, ... moves, until no value changes.
pub fn oracle<G: Game>(game: &G, roots: &[G::Position]) -> HashMap<G::Position, Value> {
    // Positions are numbered in the order they are met; children are stored by number.
    let mut places: HashMap<G::Position, usize> = HashMap::new();
    let mut met: Vec<G::Position> = vec![];
    let mut meet = |p: G::Position, met: &mut Vec<G::Position>| {
        *places.entry(p).or_insert_with(|| {
            met.push(p);
            met.len() - 1
        })
    };
    roots.iter().for_each(|p| _ = meet(*p, &mut met));
    let (mut values, mut children) = (vec![], vec![]);
    while let Some(p) = met.get(values.len()).copied() {
        values.push(game.outcome(p).map_or(Value::Draw, |o| o.value()));
        let again = |m: G::Move, c: G::Position| G::AGAIN && game.again(m, c);
        let list = list_moves(game, p).into_iter();
        children.push(list.map(|(m, c)| (meet(c, &mut met), again(m, c))).collect::<Vec<_>>());
    }
    // In a loop a tie may be put off for ever by waiting for a win that never comes. A true tie is at most as many
    // moves away as there are positions.
    let settled = |v: Value| match v {
        Value::Tie(r) if usize::from(r) > met.len() => Value::Draw,
        v => v,
    };
    loop {
        let of = |(c, again): &(usize, bool)| {
            let value = if *again { values[*c].other() } else { values[*c] };
            settled(value.for_mover())
        };
        let best = |(p, list): (usize, &Vec<(usize, bool)>)| {
            list.iter().map(of).min_by_key(|v| v.preference()).unwrap_or(values[p])
        };
        let next: Vec<Value> = children.iter().enumerate().map(best).collect();
        if next == values {
            return met.into_iter().zip(values).collect();
        }
        values = next;
    }
}

/// Checks on all positions given that a look at the rules finds exactly the codes that the remoteness objective calls
/// derivable.
pub fn check_look<G: Game>(
    game: &G,
    values: &HashMap<G::Position, Value>,
) -> Result<(), Broken<G::Position>> {
    for (p, value) in values {
        let code = Code::of(*value);
        let want = code.filter(|c| <Remoteness as Objective<G>>::derivable(*c));
        let look = <Remoteness as Objective<G>>::look(game, *p);
        if look != want {
            let found = format!("{look:?} where the value is {value}");
            return Err(Broken {
                law: "a look finds what is derivable and nothing else",
                position: *p,
                found,
            });
        }
    }
    Ok(())
}
