//! Checks the laws of games that can play backwards.

use std::collections::{HashMap, HashSet};

use super::{Broken, Law, hold, list_moves};
use crate::{Game, Outcome, Sight, Tier, Unmove};

/// Checks on every position of a tier that moves and unmoves are the same edges.
pub fn check_unmoves<G: Unmove>(game: &G, tier: Tier) -> Law<G::Position> {
    let index = game.index(tier);
    let mut edges = HashSet::new();
    let mut back = HashSet::new();
    let mut positions = vec![];
    game.scan(&index, 0..game.size(tier), |i, p| positions.push((i, p)));
    for (i, p) in &positions {
        for (_, child) in list_moves(game, *p) {
            if game.tier(child) == tier {
                edges.insert((*i, game.rank(&index, child)));
            }
        }
        let mut strays = vec![];
        game.unmoves(*p, |q| {
            if game.tier(q) != tier {
                strays.push(q);
            } else if game.outcome(q).is_none() {
                back.insert((game.rank(&index, q), *i));
            }
        });
        hold(strays.is_empty(), "unmoves stay inside the tier", *p, || format!("to {strays:?}"))?;
    }
    let place: HashMap<u64, G::Position> = positions.into_iter().collect();
    for (law, mut odd) in [
        ("every move has its unmove", edges.difference(&back)),
        ("every unmove has its move", back.difference(&edges)),
    ] {
        if let Some((from, to)) = odd.next() {
            let found = format!("the edge leads to {:?}", place.get(to));
            return Err(Broken { law, position: *place.get(from).unwrap_or(&game.start()), found });
        }
    }
    Ok(())
}

/// What an outlook said of one position: its number, its outcome if it is over, how many moves stay, and where the
/// moves that leave lead.
type Noted<P> = (u64, Option<Outcome>, usize, Vec<P>);

/// Collects what an outlook says of one position after the other.
struct Notes<G: Game> {
    leaves: Vec<G::Position>,
    seen: Vec<Noted<G::Position>>,
}

impl<G: Game> Sight<G> for Notes<G> {
    fn leaves(&mut self, child: G::Position) {
        self.leaves.push(child);
    }

    fn seen(&mut self, i: u64, over: Option<Outcome>, inside: usize) {
        self.seen.push((i, over, inside, std::mem::take(&mut self.leaves)));
    }
}

/// Checks on every position of a tier that [`Unmove::outlook`], which looks at all moves at once, agrees with the moves
/// one by one, and that [`Unmove::sources`] counts the moves inside the tier as it does.
pub fn check_outlook<G: Unmove>(game: &G, tier: Tier) -> Law<G::Position> {
    let index = game.index(tier);
    let mut notes = Notes { leaves: vec![], seen: vec![] };
    game.outlook(tier, &index, 0..game.size(tier), &mut notes);
    let mut positions = vec![];
    game.scan(&index, 0..game.size(tier), |i, p| positions.push((i, p)));
    let numbers = positions.iter().map(|(i, _)| *i).eq(notes.seen.iter().map(|seen| seen.0));
    hold(numbers, "an outlook sees what scan visits, in order", game.start(), || format!("in tier {tier}"))?;
    let mut visits: HashMap<u64, usize> = HashMap::new();
    positions.iter().for_each(|(i, _)| game.sources(&index, *i, |q| *visits.entry(q).or_default() += 1));
    for ((i, p), (_, over, inside, leaves)) in positions.iter().zip(notes.seen) {
        hold(over == game.outcome(*p), "an outlook sees how games end", *p, || format!("{over:?}"))?;
        let count = |list: &mut dyn Iterator<Item = G::Position>| {
            let mut counts: HashMap<G::Position, usize> = HashMap::new();
            list.for_each(|p| *counts.entry(game.canonical(p)).or_default() += 1);
            counts
        };
        let children = list_moves(game, *p).into_iter().map(|(_, child)| child);
        let away = count(&mut children.filter(|child| game.tier(*child) != tier));
        let seen = count(&mut leaves.into_iter());
        hold(away == seen, "an outlook sees the moves that leave", *p, || format!("{seen:?}, not {away:?}"))?;
        let visited = visits.get(i).copied().unwrap_or(0);
        hold(
            over.is_some() || inside == visited,
            "sources count the moves that stay as outlook does",
            *p,
            || format!("{inside} moves stay, sources come back {visited} times"),
        )?;
    }
    Ok(())
}
