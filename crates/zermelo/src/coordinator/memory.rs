//! What a run needs at least, found before anything is written.

use std::collections::BTreeSet;

use zermelo_core::{EngineError, Opened, Tier};

use super::{Graph, Node, Result, Settings, SolveError, bytes};
use crate::Memory;

/// The least memory, in bytes, that a solve can do with, and the tier that needs it: what the neediest task must have,
/// with all that it reads. `counts` says whether positions are counted while they are solved.
pub fn least_memory(game: &Opened, graph: &Graph, counts: bool) -> (Tier, u64) {
    let needs = graph.nodes.iter().map(|node| (node.tier, least(game, graph, node, counts)));
    needs.max_by_key(|(_, need)| *need).unwrap_or((game.tiers().root(), 0))
}

/// The memory to solve one tier, with the tiers below it and with numberings of `index` bytes. Counts are not included.
pub(crate) fn memory_for(game: &Opened, tier: Tier, children: &[Tier], index: u64) -> Memory {
    let need = game.engine().need(tier);
    let below =
        children.iter().map(|child| game.engine().need(*child).result).fold(index, u64::saturating_add);
    let least = need.working.saturating_add(below);
    Memory { least, useful: need.useful.saturating_add(below).max(least) }
}

/// The least memory that one tier can do with, with all that its tasks read.
fn least(game: &Opened, graph: &Graph, node: &Node, counts: bool) -> u64 {
    let tiers = |list: &[usize]| list.iter().map(|at| graph.nodes[*at].tier).collect::<Vec<_>>();
    let below = tiers(&node.children).into_iter().map(|t| game.engine().need(t).result);
    let solve = below.fold(game.engine().need(node.tier).working, u64::saturating_add);
    let marks = if counts { game.reach().bytes(node.tier) } else { 0 };
    let above = tiers(&node.parents).into_iter().map(|t| if counts { game.reach().bytes(t) } else { 0 });
    let discover = above.fold(marks, u64::saturating_add);
    solve.saturating_add(marks).max(discover).saturating_add(game.tiers().index_bytes())
}

/// Tiers that cannot be solved within a limit.
pub(super) struct LeftOut {
    /// Their places in the graph, and those of all tiers above them, in order.
    pub(super) places: Vec<usize>,
    /// Those that need more than the limit themselves, with the bytes that they need.
    large: Vec<(Tier, u64)>,
}

/// The tiers that cannot be solved within `limit` bytes of memory, with all that lie above them; `None` where all can.
pub(super) fn left_out(game: &Opened, graph: &Graph, limit: u64, counts: bool) -> Option<LeftOut> {
    let mut left = LeftOut { places: vec![], large: vec![] };
    let mut out = vec![false; graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        let need = least(game, graph, node, counts);
        let is_large = need > limit || node.size > game.takes.most;
        if is_large {
            left.large.push((node.tier, need));
        }
        // Children come first.
        out[at] = is_large || node.children.iter().any(|child| out[*child]);
        if out[at] {
            left.places.push(at);
        }
    }
    Some(left).filter(|left| !left.places.is_empty())
}

impl LeftOut {
    /// Which tiers these are.
    pub(super) fn told(&self, game: &Opened, graph: &Graph) -> String {
        let shown = |tier: Tier| game.tiers().shown(tier);
        let large = |(tier, need): &(Tier, u64)| format!("{}, which needs {}", shown(*tier), bytes(*need));
        let own: BTreeSet<Tier> = self.large.iter().map(|(tier, _)| *tier).collect();
        let above = self.places.iter().map(|at| graph.nodes[*at].tier).filter(|tier| !own.contains(tier));
        let large: Vec<_> = self.large.iter().map(large).collect();
        let above: Vec<_> = above.map(shown).collect();
        match above.is_empty() {
            true => large.join(", "),
            false => format!("{}; and above them {}", large.join(", "), above.join(", ")),
        }
    }
}

/// The first of several ways to solve a variant, at least one, that can do with the memory of a solve, of those whose
/// tables are numbered alike; where none can, the one that needs the least.
pub fn fitting(mut games: Vec<Opened>, settings: &Settings) -> Result<Opened> {
    let filing = games[0].tiers().filing();
    let (mut best, mut least) = (0, u64::MAX);
    for (n, game) in games.iter().enumerate() {
        if games.len() == 1 || game.tiers().filing() != filing {
            continue;
        }
        let graph = Graph::of(game)?;
        match fits(game, &graph, settings.memory, settings.data.is_none() || !filing.by_tier) {
            Ok(()) => return Ok(games.swap_remove(n)),
            Err(SolveError::Memory { need, .. }) if need < least => (best, least) = (n, need),
            Err(_) => {}
        }
    }
    Ok(games.swap_remove(best))
}

/// Checks, before anything is written, that every tier can be solved within `limit` bytes of memory.
pub fn check_memory(game: &Opened, graph: &Graph, limit: u64, counts: bool) -> Result<()> {
    fits(game, graph, limit, counts).map_err(|error| error.named(game))
}

fn fits(game: &Opened, graph: &Graph, limit: u64, counts: bool) -> Result<()> {
    if let Some(node) = graph.nodes.iter().max_by_key(|node| node.size)
        && node.size > game.takes.most
    {
        return Err(EngineError::TooLarge(node.tier, node.size, game.takes.name).into());
    }
    let (tier, mut need) = least_memory(game, graph, counts && !game.tiers().filing().by_tier);
    if counts && game.tiers().filing().by_tier {
        // All marks are made before the first tier is solved.
        need = need.saturating_add(crate::analyze::marks_bytes(game, graph));
    }
    let fix = "give more with --memory, solve a smaller variant, or use a machine with more";
    SolveError::if_more(need, limit, tier, fix)
}
