//! Checks the laws that every game must obey.
//!
//! [`check`] walks a game from its start and compares everything the game says about itself with everything else it
//! says: moves with outcomes, numbers with positions, symmetric positions with each other, moves with the tier graph.
//! Each game's tests call [`check`] on small variants.

mod backward;
mod bounds;
mod samples;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use crate::{Face, Flow, Game, Outcome, Packed, Tier, Tiers, Turn};

pub use backward::{check_outlook, check_unmoves};
pub use bounds::Bounds;
use bounds::{COPIES, FACES, NUMBERS, Random, WALK, Waiting};

/// The number of indexes that a walk keeps ready.
const INDEXES: usize = 1024;
/// The number of places looked at in a tier that has too many numbers; at each place [`RUN`] numbers are looked at.
const PLACES: u64 = 64;
const RUN: u64 = 4;

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

/// The counts of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    /// Positions, those that differ in the turn counted apart.
    pub positions: u64,
    /// Positions up to symmetry, colour-swapped ones counted apart.
    pub canonical: u64,
    /// The number of tiers that hold these positions.
    pub tiers: u64,
    /// Numbers of tiers that were looked at one by one.
    pub numbers: u64,
    /// Whether positions were numbered. False where the tables of the numbering take more memory than there is.
    pub numbered: bool,
    /// Whether the limit cut the walk short.
    pub cut: bool,
}

type Law<P, T = ()> = Result<T, Broken<P>>;

fn hold<P>(ok: bool, law: &'static str, position: P, found: impl FnOnce() -> String) -> Law<P> {
    if ok { Ok(()) } else { Err(Broken { law, position, found: found() }) }
}

/// The moves of a position, each with the position it leads to.
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
    check_within(game, &Bounds::depth_first(limit))
}

/// Checks the laws within bounds. Of a game that is too large for the bounds, random parts are checked.
pub fn check_within<G: Tiers>(game: &G, bounds: &Bounds<'_>) -> Result<Walked, Broken<G::Position>> {
    let numbered = game.index_bytes() <= bounds.memory;
    let mut walk = Walk { game, numbered, tiers: BTreeSet::new(), indexes: HashMap::new() };
    let (first, roots) = (game.tier(game.start()), game.roots());
    hold(
        game.endgames() || roots.is_empty() || roots.contains(&first),
        "roots hold the tier of the start",
        game.start(),
        || format!("{roots:?} without tier {first}"),
    )?;
    let mut seen = HashSet::from([(game.start_turn(), game.start())]);
    let mut todo = Waiting::new(bounds.seed, (game.start_turn(), game.start()));
    let mut shared: BTreeMap<(Tier, u64, Turn), (G::Position, u64)> = BTreeMap::new();
    let mut cut = false;
    while let Some((turn, p)) = todo.pop() {
        // The start is checked even where no time is left.
        if !shared.is_empty() && (bounds.stop)(WALK) {
            cut = true;
            break;
        }
        let (tier, rank) = walk.number(p)?;
        shared.entry((tier, rank, turn)).or_insert((p, 0)).1 += 1;
        walk.one(p, tier, rank)?;
        turned(game, turn, p)?;
        for (m, child) in list_moves(game, p) {
            let (before, after) = (game.ply(p), game.ply(child));
            hold(
                after == before.map(|n| n + 1),
                "ply is one more after every move, or never told",
                p,
                || format!("{before:?} here, {after:?} after {m:?}"),
            )?;
            let next = if G::SIDES { turn.after(game, m, child) } else { turn };
            let next = (next, child);
            if seen.len() >= bounds.positions {
                cut |= !seen.contains(&next);
            } else if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    let (positions, canonical) = (shared.values().map(|(_, count)| count).sum(), shared.len() as u64);
    cut |= walk.copies(shared, cut, bounds)?;
    let stuck = cycle(&walk.tiers, &|tier| game.children(tier));
    hold(stuck.is_none(), "the tier graph has no cycle", game.start(), || {
        format!("one goes through tier {stuck:?} of {} tiers", walk.tiers.len())
    })?;
    names(game, &walk.tiers)?;
    let tiers = walk.tiers.len() as u64;
    let numbers = if numbered { walk.numbers(bounds)? } else { 0 };
    Ok(Walked { positions, canonical, tiers, numbers, numbered, cut })
}

/// Checks the names of some tiers and of those that they lead to.
fn names<G: Tiers>(game: &G, tiers: &BTreeSet<Tier>) -> Law<G::Position> {
    let below = tiers.iter().flat_map(|tier| game.children(*tier));
    let all: BTreeSet<Tier> = tiers.iter().copied().chain(below).collect();
    let mut named: HashMap<String, Tier> = HashMap::new();
    for tier in all {
        let name = game.name(tier);
        let line = !name.trim().is_empty() && !name.chars().any(char::is_control);
        hold(line, "the name of a tier is one line of text", game.start(), || {
            format!("tier {tier} has the name {name:?}")
        })?;
        let other = named.insert(name.clone(), tier);
        hold(other.is_none(), "tiers have different names", game.start(), || {
            let other = other.map(|tier| tier.to_string()).unwrap_or_default();
            format!("tiers {other} and {tier} both have the name {name:?}")
        })?;
    }
    Ok(())
}

/// Checks that [`Tiers::canonical_turn`] agrees with [`Tiers::canonical`], and maps its own result to itself.
fn turned<G: Tiers>(game: &G, turn: Turn, p: G::Position) -> Law<G::Position> {
    let (to, canonical) = game.canonical_turn(turn, p);
    let fair = canonical == game.canonical(p) && game.canonical_turn(to, canonical) == (to, canonical);
    hold(fair, "canonical_turn gives the canonical position, and gives it again", p, || {
        format!("{to:?}, {canonical:?}, and then {:?}", game.canonical_turn(to, canonical))
    })
}

struct Walk<'a, G: Tiers> {
    game: &'a G,
    /// Whether there is memory for indexes.
    numbered: bool,
    /// The tiers of all positions seen.
    tiers: BTreeSet<Tier>,
    indexes: HashMap<Tier, Arc<G::Index>>,
}

impl<G: Tiers> Walk<'_, G> {
    fn index(&mut self, tier: Tier) -> Arc<G::Index> {
        if self.indexes.len() >= INDEXES && !self.indexes.contains_key(&tier) {
            self.indexes.clear();
        }
        self.indexes.entry(tier).or_insert_with(|| Arc::new(self.game.index(tier))).clone()
    }

    /// The tier and number of a position. Without indexes the number is a hash of the canonical position, which
    /// symmetric positions share.
    fn number(&mut self, p: G::Position) -> Law<G::Position, (Tier, u64)> {
        let tier = self.game.tier(p);
        hold(tier.0 < Tier::LIMIT, "the name of a tier is a number below 2^63", p, || {
            format!("tier {tier}")
        })?;
        self.tiers.insert(tier);
        if !self.numbered {
            let mut hash = DefaultHasher::new();
            self.game.canonical(p).hash(&mut hash);
            return Ok((tier, hash.finish()));
        }
        let rank = self.game.rank(&self.index(tier), p);
        let size = self.game.size(tier);
        hold(rank < size, "a position's number is less than its tier's size", p, || {
            format!("tier {tier} has {size} numbers and this one is {rank}")
        })?;
        Ok((tier, rank))
    }

    /// Checks how many positions share each number. Returns whether time ran out first.
    fn copies(
        &mut self,
        shared: BTreeMap<(Tier, u64, Turn), (G::Position, u64)>,
        cut: bool,
        bounds: &Bounds<'_>,
    ) -> Law<G::Position, bool> {
        let (game, start) = (self.game, self.game.start());
        let whole = !cut && self.count_copies(game.tier(start), start) == 1;
        for ((tier, _, _), (p, count)) in shared {
            if (bounds.stop)(COPIES) {
                return Ok(true);
            }
            let copies = self.count_copies(tier, p);
            hold(
                copies == count || (!whole && copies > count),
                "copies is how many positions share a number",
                p,
                || format!("copies says {copies}, the walk found {count}"),
            )?;
            let alike = game.alike(p);
            hold(alike == copies, "copies are the same number without an index", p, || {
                format!("{alike} alike, {copies} copies")
            })?;
        }
        Ok(false)
    }

    fn count_copies(&mut self, tier: Tier, p: G::Position) -> u64 {
        if self.numbered { self.game.copies(&self.index(tier), p) } else { self.game.alike(p) }
    }

    /// Checks the numberings of the tiers seen; with a seed also of other tiers, where the game has no start. Returns
    /// how many numbers were looked at.
    fn numbers(&mut self, bounds: &Bounds<'_>) -> Law<G::Position, u64> {
        let (game, mut random, mut looked) = (self.game, Random(bounds.seed), 0);
        let mut tiers = self.tiers.clone();
        if game.endgames() && bounds.seed != 0 {
            tiers.extend(game.roots());
        }
        for tier in tiers {
            let (size, left) = (game.size(tier), bounds.numbers.saturating_sub(looked));
            if left == 0 || (bounds.stop)(NUMBERS) {
                break;
            }
            let index = self.index(tier);
            if size <= left.min(bounds.positions as u64) {
                for (i, p) in numbering(game, tier, &index)? {
                    // Engines solve every numbered position, reached or not.
                    self.one(p, tier, i)?;
                }
                looked += size;
            } else if bounds.seed != 0 {
                for _ in 0..PLACES.min(left.div_ceil(RUN)) {
                    let at = random.below(size);
                    let end = size.min(at.saturating_add(RUN));
                    for (i, p) in part(game, tier, &index, at..end)? {
                        self.one(p, tier, i)?;
                    }
                    looked += end - at;
                }
            }
        }
        Ok(looked)
    }

    /// The position that [`Tiers::unrank`] gives for a position's number.
    fn unranked(&mut self, p: G::Position, tier: Tier, rank: u64) -> Law<G::Position, G::Position> {
        let Some(canonical) = self.game.unrank(&self.index(tier), rank) else {
            let found = format!("tier {tier}, number {rank}");
            return Err(Broken { law: "the number of a position is not a hole", position: p, found });
        };
        let again = self.number(canonical)?;
        hold(again == (tier, rank), "unrank undoes rank", p, || {
            format!(
                "number {rank} of tier {tier} gives {canonical:?}, which has number {} of tier {}",
                again.1, again.0
            )
        })?;
        Ok(canonical)
    }

    /// Checks everything about one position.
    fn one(&mut self, p: G::Position, tier: Tier, rank: u64) -> Law<G::Position> {
        let game = self.game;
        let canonical = if self.numbered { self.unranked(p, tier, rank)? } else { game.canonical(p) };
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
        let counted = if over.is_none() { game.mobility(p) } else { 0 };
        hold(counted == mine.len() as u64, "mobility is how many moves there are", p, || {
            format!("mobility says {counted}, moves visits {}", mine.len())
        })?;
        hold(over.is_some() || !mine.is_empty(), "a position that is not over has a move", p, String::new)?;
        let theirs = self.below(canonical, tier, rank)?;
        hold(mine == theirs, "symmetric positions have symmetric moves", p, || {
            format!("to {mine:?} (tier, number) here, to {theirs:?} from {canonical:?}")
        })
    }

    /// The tiers and numbers that the moves of a position lead to, sorted.
    fn below(&mut self, p: G::Position, tier: Tier, rank: u64) -> Law<G::Position, Vec<(Tier, u64)>> {
        let children: BTreeSet<_> = self.game.children(tier).into_iter().collect();
        let mut out = vec![];
        for (m, child) in list_moves(self.game, p) {
            let (to, at) = self.number(child)?;
            let ok = match self.game.flow(tier) {
                _ if to != tier => children.contains(&to),
                Flow::Leaves => false,
                Flow::Rises => at > rank || !self.numbered,
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

/// A tier on a cycle of the tier graph, or above one; `None` where there is none. Not generic, so that this is compiled
/// once for all games.
fn cycle(tiers: &BTreeSet<Tier>, children: &dyn Fn(Tier) -> Vec<Tier>) -> Option<Tier> {
    let mut graph: BTreeMap<Tier, Vec<Tier>> = tiers.iter().map(|t| (*t, children(*t))).collect();
    loop {
        let ends = graph.iter().filter(|(_, c)| c.iter().all(|c| !graph.contains_key(c)));
        let ends: BTreeSet<Tier> = ends.map(|(t, _)| *t).collect();
        if ends.is_empty() {
            return graph.keys().next().copied();
        }
        graph.retain(|t, _| !ends.contains(t));
    }
}

/// Positions with their numbers, or a broken law.
type Numbered<P> = Law<P, Vec<(u64, P)>>;

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
    come_back(game, tier, index, &unranked)?;
    Ok(unranked)
}

/// The numbered positions in a range of numbers of a tier that has many, if scan, unrank and rank agree on them.
fn part<G: Tiers>(game: &G, tier: Tier, index: &G::Index, range: Range<u64>) -> Numbered<G::Position> {
    let unranked: Vec<_> = range.clone().filter_map(|i| Some((i, game.unrank(index, i)?))).collect();
    let mut scanned = vec![];
    game.scan(index, range.clone(), |i, p| scanned.push((i, p)));
    if let Some((_, p)) = unranked.iter().chain(&scanned).next() {
        hold(scanned == unranked, "scan visits what unrank gives, in order", *p, || {
            format!("numbers {range:?} of tier {tier}: {scanned:?} and {unranked:?}")
        })?;
    }
    come_back(game, tier, index, &unranked)?;
    Ok(unranked)
}

fn come_back<G: Tiers>(
    game: &G,
    tier: Tier,
    index: &G::Index,
    unranked: &[(u64, G::Position)],
) -> Law<G::Position> {
    unranked.iter().try_for_each(|(i, p)| {
        let back = (game.tier(*p), game.rank(index, *p));
        hold(back == (tier, *i), "rank undoes unrank", *p, || {
            format!("number {i} of tier {tier} comes back as {} of tier {}", back.1, back.0)
        })
    })
}

/// Walks at most `limit` positions and checks their text and picture.
pub fn check_face<G: Face>(game: &G, limit: usize) -> Law<G::Position> {
    check_face_within(game, &Bounds::depth_first(limit))
}

/// Checks text and picture within bounds.
pub fn check_face_within<G: Face>(game: &G, bounds: &Bounds<'_>) -> Law<G::Position> {
    let board = game.board();
    let mut seen = HashSet::from([(game.start_turn(), game.start())]);
    let mut todo = Waiting::new(bounds.seed, (game.start_turn(), game.start()));
    samples::check(game)?;
    while let Some((turn, p)) = todo.pop().filter(|_| !(bounds.stop)(FACES)) {
        let text = game.show(turn, p);
        let back = game.read(&text);
        hold(back.as_ref() == Ok(&(turn, p)), "read undoes show", p, || {
            format!("{text:?} reads as {back:?}")
        })?;
        hold(G::Position::unpack(p.pack()) == p, "unpack undoes pack", p, || format!("{:?}", p.pack()))?;
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
            if seen.len() < bounds.positions && seen.insert(next) {
                todo.push(next);
            }
        }
    }
    Ok(())
}
