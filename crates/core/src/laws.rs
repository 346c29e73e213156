//! What every game must obey, and an oracle to hold engines to.
//!
//! [`check`] walks a game from its start and compares everything the game says about
//! itself with everything else it says: moves with outcomes, numbers with positions,
//! symmetric positions with each other, moves with the tier graph. Each game's tests
//! call it on small variants. [`oracle`] values every position from the definition and
//! shares no idea with any engine.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::Hash;

use crate::{
    Code, Face, Flow, Game, Objective, Outcome, Remoteness, Sight, Tier, Tiers, Turn, Unmove, Value,
};

/// A law that a game breaks, and where.
#[derive(Debug)]
pub struct Broken<P> {
    /// The law, as a sentence.
    pub law: &'static str,
    /// The offending position.
    pub position: P,
    /// What was found.
    pub found: String,
}

impl<P: fmt::Debug> fmt::Display for Broken<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "broken law: {}\n  at {:?}\n  {}", self.law, self.position, self.found)
    }
}

impl<P: fmt::Debug> std::error::Error for Broken<P> {}

/// What a walk saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    /// Positions with the turn.
    pub positions: u64,
    /// The same up to symmetry (colour-swapped ones apart).
    pub canonical: u64,
    /// Tiers that hold them.
    pub tiers: u64,
    /// Whether the limit cut the walk short.
    pub cut: bool,
}

type Law<P> = Result<(), Broken<P>>;

fn hold<P>(ok: bool, law: &'static str, position: P, found: impl FnOnce() -> String) -> Law<P> {
    if ok { Ok(()) } else { Err(Broken { law, position, found: found() }) }
}

/// The moves of a position as a list.
pub fn list_moves<G: Game>(game: &G, p: G::Position) -> Vec<(G::Move, G::Position)> {
    let mut list = vec![];
    if game.outcome(p).is_none() {
        game.moves(p, |m| list.push((m, game.play(p, m))));
    }
    list
}

/// Walks at most `limit` positions from the start, then the numbering of every tier
/// seen that has at most `limit` numbers.
pub fn check<G: Tiers>(game: &G, limit: usize) -> Result<Walked, Broken<G::Position>> {
    let mut walk = Walk { game, indexes: HashMap::new() };
    let mut seen = HashSet::from([(Turn::First, game.start())]);
    let mut todo = vec![(Turn::First, game.start())];
    let mut shared: HashMap<(Turn, Tier, u64), (G::Position, u64)> = HashMap::new();
    let mut cut = false;
    while let Some((turn, p)) = todo.pop() {
        let (tier, rank) = walk.number(p)?;
        shared.entry((turn, tier, rank)).or_insert((p, 0)).1 += 1;
        walk.one(p, tier, rank)?;
        for (m, child) in list_moves(game, p) {
            let next = if G::SIDES { turn.after(game, m, child) } else { turn };
            let next = (next, child);
            if seen.len() >= limit {
                cut |= !seen.contains(&next);
            } else if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    let start = walk.number(game.start())?;
    let whole = !cut && game.copies(&walk.indexes[&start.0], game.start()) == 1;
    for ((_, tier, _), (p, count)) in &shared {
        let copies = game.copies(&walk.indexes[tier], *p);
        hold(
            copies == *count || (!whole && copies > *count),
            "copies is how many positions share a number",
            *p,
            || format!("copies says {copies}, the walk found {count}"),
        )?;
        let alike = game.alike(*p);
        hold(alike == copies, "copies are the same number without an index", *p, || {
            format!("{alike} alike, {copies} copies")
        })?;
    }
    acyclic(game, walk.indexes.keys().copied().collect())?;
    let tiers: BTreeSet<Tier> = walk.indexes.keys().copied().collect();
    for tier in &tiers {
        if game.size(*tier) <= limit as u64 {
            for (i, p) in numbering(game, *tier, &walk.indexes[tier])? {
                // Engines solve every numbered position, reached or not.
                walk.one(p, *tier, i)?;
            }
        }
    }
    let tiers = tiers.len() as u64;
    Ok(Walked { positions: seen.len() as u64, canonical: shared.len() as u64, tiers, cut })
}

struct Walk<'a, G: Tiers> {
    game: &'a G,
    indexes: HashMap<Tier, G::Index>,
}

impl<G: Tiers> Walk<'_, G> {
    fn number(&mut self, p: G::Position) -> Result<(Tier, u64), Broken<G::Position>> {
        let tier = self.game.tier(p);
        let index = self.indexes.entry(tier).or_insert_with(|| self.game.index(tier));
        let rank = self.game.rank(index, p);
        let size = self.game.size(tier);
        hold(rank < size, "a position's number is less than its tier's size", p, || {
            format!("tier {tier} has {size} numbers and this one is {rank}")
        })?;
        Ok((tier, rank))
    }

    /// Everything about one position.
    fn one(&mut self, p: G::Position, tier: Tier, rank: u64) -> Law<G::Position> {
        let game = self.game;
        let canonical = game.unrank(&self.indexes[&tier], rank);
        let Some(canonical) = canonical else {
            return hold(false, "the number of a position is not a hole", p, || {
                format!("tier {tier}, number {rank}")
            });
        };
        let again = self.number(canonical)?;
        hold(again == (tier, rank), "unrank undoes rank", p, || {
            format!(
                "number {rank} of tier {tier} gives {canonical:?}, which has number {} of tier {}",
                again.1, again.0
            )
        })?;
        let twin = [p, canonical].map(|p| game.canonical(p));
        hold(twin[0] == twin[1], "symmetric positions have one canonical position", p, || {
            format!("{:?}, but {:?} for {canonical:?}", twin[0], twin[1])
        })?;
        let twin = self.number(twin[0])?;
        hold(twin == (tier, rank), "the canonical position has the same number", p, || {
            format!("number {rank} of tier {tier} becomes {} of tier {}", twin.1, twin.0)
        })?;
        let over = game.outcome(p);
        let fair = !G::LAST_WINS || matches!(over, None | Some(Outcome::Lose));
        hold(fair, "where the last move wins, the player to move has lost", p, || format!("{over:?}"))?;
        hold(over == game.outcome(canonical), "symmetric positions have one outcome", p, || {
            format!("{over:?} here, {:?} in {canonical:?}", game.outcome(canonical))
        })?;
        let mine = self.below(p, tier, rank)?;
        hold(over.is_some() || !mine.is_empty(), "a position that is not over has a move", p, String::new)?;
        let theirs = self.below(canonical, tier, rank)?;
        hold(mine == theirs, "symmetric positions have symmetric moves", p, || {
            format!("to {mine:?} (tier, number) here, to {theirs:?} from {canonical:?}")
        })
    }

    /// Where the moves of a position lead, sorted.
    fn below(
        &mut self,
        p: G::Position,
        tier: Tier,
        rank: u64,
    ) -> Result<Vec<(Tier, u64)>, Broken<G::Position>> {
        let children: BTreeSet<_> = self.game.children(tier).into_iter().collect();
        let mut out = vec![];
        for (m, child) in list_moves(self.game, p) {
            let (to, at) = self.number(child)?;
            let ok = match self.game.flow(tier) {
                _ if to != tier => children.contains(&to),
                Flow::Leaves => false,
                Flow::Rises => at > rank,
                Flow::Loops => true,
            };
            hold(ok, "a move leads into a child tier, or stays as flow says", p, || {
                format!("{m:?} leads from {rank} of tier {tier} to {at} of tier {to}")
            })?;
            out.push((to, at));
        }
        out.sort();
        Ok(out)
    }
}

fn acyclic<G: Tiers>(game: &G, tiers: BTreeSet<Tier>) -> Law<G::Position> {
    let mut graph: BTreeMap<Tier, Vec<Tier>> = tiers.into_iter().map(|t| (t, game.children(t))).collect();
    let known: BTreeSet<Tier> = graph.keys().copied().collect();
    loop {
        let ends: Vec<Tier> =
            graph.iter().filter(|(_, c)| c.iter().all(|c| !graph.contains_key(c))).map(|(t, _)| *t).collect();
        if ends.is_empty() {
            let stuck = graph.keys().next().copied();
            return hold(stuck.is_none(), "the tier graph has no cycle", game.start(), || {
                format!("one goes through tier {stuck:?} of {} tiers", known.len())
            });
        }
        graph.retain(|t, _| !ends.contains(t));
    }
}

/// Positions with their numbers, or a broken law.
type Numbered<P> = Result<Vec<(u64, P)>, Broken<P>>;

/// The numbered positions of a tier, if scan, unrank and rank agree on them.
fn numbering<G: Tiers>(game: &G, tier: Tier, index: &G::Index) -> Numbered<G::Position> {
    let size = game.size(tier);
    let unranked: Vec<_> = (0..size).filter_map(|i| Some((i, game.unrank(index, i)?))).collect();
    // Engines scan in parts, so the parts must fit together.
    for parts in [vec![0, size], vec![0, size / 3, size / 3, size / 2, size]] {
        let mut scanned = vec![];
        parts.windows(2).for_each(|part| game.scan(index, part[0]..part[1], |i, p| scanned.push((i, p))));
        let odd =
            scanned.iter().zip(&unranked).find(|(a, b)| a != b).map(|(a, b)| if a.0 < b.0 { a } else { b });
        let (longer, shorter) =
            if scanned.len() > unranked.len() { (&scanned, &unranked) } else { (&unranked, &scanned) };
        if let Some((i, position)) = odd.or_else(|| longer.get(shorter.len())) {
            let found = format!("number {i} of tier {tier}, scanned in {} parts", parts.len() - 1);
            return Err(Broken {
                law: "scan visits what unrank gives, in order",
                position: *position,
                found,
            });
        }
    }
    for (i, p) in &unranked {
        let back = (game.tier(*p), game.rank(index, *p));
        hold(back == (tier, *i), "rank undoes unrank", *p, || {
            format!("number {i} of tier {tier} comes back as {} of tier {}", back.1, back.0)
        })?;
    }
    Ok(unranked)
}

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

/// What an outlook said of one position: its number, how it ended, moves that stay, and where
/// those lead that leave.
type Noted<P> = (u64, Option<Outcome>, usize, Vec<P>);

/// What an outlook said of one position after the other.
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

/// Checks on every position of a tier that outlook sees what the moves say, and that sources count
/// the moves inside the tier as it does.
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

/// Walks at most `limit` positions and checks text and picture.
pub fn check_face<G: Face>(game: &G, limit: usize) -> Law<G::Position> {
    let board = game.board();
    let mut seen = HashSet::from([(Turn::First, game.start())]);
    let mut todo = vec![(Turn::First, game.start())];
    while let Some((turn, p)) = todo.pop() {
        let text = game.show(turn, p);
        let back = game.read(&text);
        hold(back.as_ref() == Ok(&(turn, p)), "read undoes show", p, || {
            format!("{text:?} reads as {back:?}")
        })?;
        hold(game.unpack(game.pack(p)) == p, "unpack undoes pack", p, || format!("{:?}", game.pack(p)))?;
        let pieces = game.pieces(turn, p);
        hold(pieces.chars().count() == board.places(), "one character a cell", p, || pieces.clone())?;
        let (mut names, mut drawings) = (HashSet::new(), vec![]);
        for (m, child) in list_moves(game, p) {
            let name = game.show_move(turn, p, m);
            let plain = !name.is_empty() && !name.contains([' ', ',', '\t', '\n']);
            hold(plain, "a move's name has no blank or comma", p, || format!("{name:?}"))?;
            let new = names.insert(name.to_lowercase());
            hold(new, "moves have different names, in either case", p, || name.clone())?;
            let drawing = game.draw(turn, p, m);
            let fits = drawing.cells().iter().all(|c| *c < board.cells.len());
            hold(
                fits && !drawings.contains(&drawing),
                "moves have different drawings on the board",
                p,
                || format!("{name} is {drawing:?}"),
            )?;
            drawings.push(drawing);
            let next = (turn.after(game, m, child), child);
            if seen.len() < limit && seen.insert(next) {
                todo.push(next);
            }
        }
    }
    Ok(())
}

/// The value of every position that the start reaches, from the definition: the value of
/// the game cut off as a draw after 0, 1, 2, ... moves, until it settles.
pub fn oracle<G: Game>(game: &G, roots: &[G::Position]) -> HashMap<G::Position, Value>
where
    G::Position: Hash,
{
    // Positions get places in the order they are met; children are kept as places.
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
    // In a loop a tie may be put off for ever by waiting for a win that never comes; a
    // true one is at most as far as there are positions.
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

/// Checks on every position walked that a look at the rules finds exactly what the
/// remoteness objective calls derivable.
pub fn check_look<G: Game>(game: &G, values: &HashMap<G::Position, Value>) -> Law<G::Position> {
    for (p, value) in values {
        let code = Code::of(*value);
        let want = code.filter(|c| <Remoteness as Objective<G>>::derivable(*c));
        let look = <Remoteness as Objective<G>>::look(game, *p);
        hold(look == want, "a look finds what is derivable and nothing else", *p, || {
            format!("{look:?} where the value is {value}")
        })?;
    }
    Ok(())
}
