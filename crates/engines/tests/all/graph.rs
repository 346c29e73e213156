//! Games that are nothing but a graph: every position, its tier, its number and its moves are written down.
//!
//! Real games have regular graphs, so a fault that needs an odd shape (a slow loss beside a fast one, a tie
//! that only looks like one for a while) may never show in them. Here the shapes are random. [`by_rounds`]
//! values such a game straight from the definition, with sets and rounds, and shares nothing with engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use proptest::prelude::*;
use zermelo_core::{Flow, Game, Outcome, Tier, Tiers, Unmove, Value};

/// Tiers are named from here, so that nothing takes a tier's name for its place.
const FIRST_TIER: u64 = 10;

/// What stands at a number of a tier.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Hole,
    Over(Outcome),
    /// Moves to (layer, number).
    To(Vec<(usize, usize)>),
}

/// One tier: where moves inside it lead, and its numbers, each with how many positions share it.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) flow: Flow,
    pub(crate) slots: Vec<(Slot, usize)>,
}

impl Layer {
    /// A tier without symmetric positions.
    pub(crate) fn plain(flow: Flow, slots: Vec<Slot>) -> Layer {
        Layer { flow, slots: slots.into_iter().map(|s| (s, 1)).collect() }
    }
}

/// The game; lower layers are lower tiers. Copies are one graph, so that every engine can have its own.
#[derive(Clone)]
pub(crate) struct Graph {
    nodes: Arc<Vec<Node>>,
    rows: Arc<Vec<Rows>>,
    /// How often moves were asked for, of all copies.
    pub(crate) asked: Arc<AtomicU64>,
}

struct Node {
    layer: usize,
    rank: usize,
    outcome: Option<Outcome>,
    moves: Vec<u32>,
}

#[derive(Clone)]
struct Rows {
    flow: Flow,
    children: Vec<Tier>,
    /// The positions of each number; none for a hole.
    slots: Vec<Vec<u32>>,
    /// For each number, positions of this tier that move there, and some noise that does no harm.
    before: Vec<Vec<u32>>,
}

impl Graph {
    pub(crate) fn new(layers: &[Layer]) -> Graph {
        let (mut nodes, mut rows) = (vec![], vec![]);
        for (layer, Layer { flow, slots }) in layers.iter().enumerate() {
            let mut numbered: Vec<Vec<u32>> = vec![];
            for (rank, (slot, copies)) in slots.iter().enumerate() {
                let outcome = if let Slot::Over(outcome) = slot { Some(*outcome) } else { None };
                let copies = if let Slot::Hole = slot { 0 } else { *copies };
                let first = nodes.len() as u32;
                numbered.push((first..first + copies as u32).collect());
                nodes.extend((0..copies).map(|_| Node { layer, rank, outcome, moves: vec![] }));
            }
            let before = vec![vec![]; slots.len()];
            rows.push(Rows { flow: *flow, children: vec![], slots: numbered, before });
        }
        for (layer, rank, slot) in layers.iter().enumerate().flat_map(|(l, layer)| {
            layer.slots.iter().enumerate().map(move |(rank, (slot, _))| (l, rank, slot))
        }) {
            if let Slot::To(links) = slot {
                link(&mut nodes, &mut rows, (layer, rank), links);
            }
        }
        add_noise(&nodes, &mut rows);
        Graph { nodes: Arc::new(nodes), rows: Arc::new(rows), asked: Arc::default() }
    }

    /// Takes a child tier out of those declared.
    pub(crate) fn hide(&mut self, layer: usize, child: usize) {
        Arc::make_mut(&mut self.rows)[layer].children.retain(|t| *t != tier_of(child));
    }

    pub(crate) fn layers(&self) -> usize {
        self.rows.len()
    }

    /// Every position, those that share a number included.
    pub(crate) fn positions(&self) -> Vec<u32> {
        (0..self.nodes.len() as u32).collect()
    }

    /// Where a position is numbered.
    pub(crate) fn place(&self, p: u32) -> (Tier, u64) {
        let node = &self.nodes[p as usize];
        (tier_of(node.layer), node.rank as u64)
    }

    fn rows(&self, t: Tier) -> &Rows {
        &self.rows[(t.0 - FIRST_TIER) as usize]
    }
}

/// Symmetric positions move to symmetric ones, not all to the same.
fn link(nodes: &mut [Node], rows: &mut [Rows], (layer, rank): (usize, usize), links: &[(usize, usize)]) {
    let from = rows[layer].slots[rank].clone();
    for (at, node) in from.iter().enumerate() {
        for (n, (to, place)) in links.iter().enumerate() {
            let targets = &rows[*to].slots[*place];
            nodes[*node as usize].moves.push(targets[(at + n) % targets.len()]);
        }
    }
    for (to, place) in links {
        if *to == layer {
            // Any one of the symmetric positions will do.
            rows[layer].before[*place].push(from[place % from.len()]);
        } else if !rows[layer].children.contains(&tier_of(*to)) {
            rows[layer].children.push(tier_of(*to));
        }
    }
}

/// Repeats, and positions that are over, are allowed among unmoves.
fn add_noise(nodes: &[Node], rows: &mut [Rows]) {
    for rows in rows {
        let over = rows.slots.iter().flatten().find(|p| nodes[**p as usize].outcome.is_some()).copied();
        for (rank, before) in rows.before.iter_mut().enumerate() {
            before.extend(if rank % 2 == 0 { over } else { before.first().copied() });
        }
    }
}

pub(crate) fn tier_of(layer: usize) -> Tier {
    Tier(FIRST_TIER + layer as u64)
}

impl Game for Graph {
    type Position = u32;
    type Move = u32;

    fn start(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    fn outcome(&self, p: u32) -> Option<Outcome> {
        self.nodes[p as usize].outcome
    }

    fn moves(&self, p: u32, visit: impl FnMut(u32)) {
        self.asked.fetch_add(1, Relaxed);
        (0..self.nodes[p as usize].moves.len() as u32).for_each(visit);
    }

    fn play(&self, p: u32, m: u32) -> u32 {
        self.nodes[p as usize].moves[m as usize]
    }
}

impl Tiers for Graph {
    type Index = Tier;

    fn tier(&self, p: u32) -> Tier {
        self.place(p).0
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        self.rows(t).children.clone()
    }

    fn flow(&self, t: Tier) -> Flow {
        self.rows(t).flow
    }

    fn size(&self, t: Tier) -> u64 {
        self.rows(t).slots.len() as u64
    }

    fn index(&self, t: Tier) -> Tier {
        t
    }

    fn rank(&self, index: &Tier, p: u32) -> u64 {
        let (tier, rank) = self.place(p);
        assert_eq!(tier, *index, "ranked with the numbering of another tier");
        rank
    }

    fn unrank(&self, index: &Tier, i: u64) -> Option<u32> {
        self.rows(*index).slots[i as usize].first().copied()
    }

    fn copies(&self, _: &Tier, p: u32) -> u64 {
        let (tier, rank) = self.place(p);
        self.rows(tier).slots[rank as usize].len() as u64
    }
}

impl Unmove for Graph {
    fn unmoves(&self, p: u32, mut visit: impl FnMut(u32)) {
        let (tier, rank) = self.place(p);
        self.rows(tier).before[rank as usize].iter().for_each(|q| visit(*q));
    }
}

/// The value of every position, by the definition. Round d finds all that is won or lost in exactly d: won
/// with a move to one lost in d - 1, lost when all moves lead to won ones. Of the rest, round d of ties finds
/// all with a move to one tied in d - 1. What is then left is a draw.
pub(crate) fn by_rounds(game: &Graph) -> Vec<Value> {
    let mut values: Vec<Option<Value>> = game.nodes.iter().map(|n| n.outcome.map(Outcome::value)).collect();
    let rounds = |values: &mut Vec<Option<Value>>, rule: fn(&[Option<Value>], u16) -> Option<Value>| {
        for d in 1.. {
            let open = (0..values.len()).filter(|p| values[*p].is_none());
            let below =
                |p: usize| game.nodes[p].moves.iter().map(|c| values[*c as usize]).collect::<Vec<_>>();
            let found: Vec<_> = open.filter_map(|p| Some((p, rule(&below(p), d)?))).collect();
            if found.is_empty() {
                return;
            }
            found.into_iter().for_each(|(p, value)| values[p] = Some(value));
        }
    };
    rounds(&mut values, |below, d| {
        if below.contains(&Some(Value::Lose(d - 1))) {
            return Some(Value::Win(d));
        }
        below.iter().all(|v| matches!(v, Some(Value::Win(_)))).then_some(Value::Lose(d))
    });
    rounds(&mut values, |below, d| below.contains(&Some(Value::Tie(d - 1))).then_some(Value::Tie(d)));
    values.into_iter().map(|v| v.unwrap_or(Value::Draw)).collect()
}

/// A chain of positions with one move each, the end last: number i is `length - i` moves from the end.
pub(crate) fn chain(layer: usize, length: usize, end: Outcome) -> Vec<Slot> {
    let mut slots: Vec<_> = (0..length).map(|i| Slot::To(vec![(layer, i + 1)])).collect();
    slots.push(Slot::Over(end));
    slots
}

/// A slot before it is known what there is to move to.
#[derive(Clone, Debug)]
pub(crate) enum Draft {
    Hole,
    Over(Outcome),
    /// For each move: whether it would stay in the tier, and which of the choices it takes.
    Open(Vec<(bool, u16)>),
}

/// Adds a layer: each move takes one of the positions that the flow lets it lead to.
pub(crate) fn pile(layers: &mut Vec<Layer>, flow: Flow, drafts: &[(Draft, usize)]) {
    let layer = layers.len();
    let solid: Vec<_> = (0..drafts.len()).filter(|i| !matches!(drafts[*i].0, Draft::Hole)).collect();
    let outside: Vec<(usize, usize)> = layers
        .iter()
        .enumerate()
        .flat_map(|(l, layer)| layer.slots.iter().enumerate().map(move |(rank, slot)| (l, rank, &slot.0)))
        .filter(|(_, _, slot)| !matches!(slot, Slot::Hole))
        .map(|(l, rank, _)| (l, rank))
        .collect();
    let slot = |rank: usize, draft: &Draft| match draft {
        Draft::Hole => Slot::Hole,
        Draft::Over(outcome) => Slot::Over(*outcome),
        Draft::Open(picks) => {
            let inside = match flow {
                Flow::Leaves => &[],
                Flow::Rises => &solid[solid.partition_point(|i| *i <= rank)..],
                Flow::Loops => &solid[..],
            };
            let to = |(stay, at): &(bool, u16)| match (inside.len(), outside.len()) {
                (0, 0) => None,
                (n, m) if n > 0 && (*stay || m == 0) => Some((layer, inside[*at as usize % n])),
                (_, m) => Some(outside[*at as usize % m]),
            };
            match picks.iter().map(to).collect::<Option<Vec<_>>>() {
                Some(links) => Slot::To(links),
                None => Slot::Over([Outcome::Lose, Outcome::Tie, Outcome::Win][rank % 3]),
            }
        }
    };
    let slots =
        drafts.iter().enumerate().map(|(rank, (draft, copies))| (slot(rank, draft), *copies)).collect();
    layers.push(Layer { flow, slots });
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop::sample::select(vec![Outcome::Lose, Outcome::Tie, Outcome::Win])
}

fn drafts(most: usize) -> impl Strategy<Value = Vec<(Draft, usize)>> {
    let picks = prop::collection::vec((prop::bool::weighted(0.6), any::<u16>()), 1..=3);
    let draft = prop_oneof![
        1 => Just(Draft::Hole),
        2 => outcomes().prop_map(Draft::Over),
        8 => picks.prop_map(Draft::Open),
    ];
    prop::collection::vec((draft, prop_oneof![4 => Just(1usize), 1 => 2..=3usize]), 0..=most)
}

/// Random games of a few small tiers, each of one of these flows.
pub(crate) fn graphs(flows: &'static [Flow]) -> impl Strategy<Value = Vec<Layer>> {
    prop::collection::vec((prop::sample::select(flows), drafts(24)), 1..=4).prop_map(|tiers| {
        let mut layers = vec![];
        tiers.iter().for_each(|(flow, drafts)| pile(&mut layers, *flow, drafts));
        layers
    })
}

/// Random games of a few small tiers over one of two chains, so that values of very different distance meet.
pub(crate) fn tall_graphs(flows: &'static [Flow]) -> impl Strategy<Value = Vec<Layer>> {
    let tiers = prop::collection::vec((prop::sample::select(flows), drafts(12)), 1..=3);
    (0..130usize, 0..90usize, tiers).prop_map(|(long, tied, tiers)| {
        let mut slots = chain(0, long, Outcome::Lose);
        slots.extend(chain(0, tied, Outcome::Tie).into_iter().map(|slot| match slot {
            Slot::To(links) => Slot::To(links.into_iter().map(|(l, i)| (l, i + long + 1)).collect()),
            slot => slot,
        }));
        let mut layers = vec![Layer::plain(Flow::Rises, slots)];
        tiers.iter().for_each(|(flow, drafts)| pile(&mut layers, *flow, drafts));
        layers
    })
}

/// A game too large for one task of an engine, from a seed.
pub(crate) fn large(flow: Flow, seed: u64) -> Vec<Layer> {
    let mut state = seed | 1;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) % n
    };
    let mut layers = vec![];
    for size in [5_000, 1, 13_000, 9_000] {
        let mut draft = |_| {
            let draft = match random(20) {
                0 => Draft::Hole,
                1 => Draft::Over([Outcome::Lose, Outcome::Tie, Outcome::Win][random(3) as usize]),
                _ => {
                    Draft::Open((0..1 + random(3)).map(|_| (random(4) > 0, random(1 << 16) as u16)).collect())
                }
            };
            (draft, 1 + random(5) as usize / 4)
        };
        let drafts: Vec<_> = (0..size).map(&mut draft).collect();
        pile(&mut layers, flow, &drafts);
    }
    layers
}
