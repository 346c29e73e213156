//! What a run needs at least, found before anything is written.

use zermelo_core::{EngineError, Opened, Tier};

use super::{Graph, Node, Result, SolveError};
use crate::Memory;

/// The least memory, in bytes, that a solve can do with, and the tier that needs it: what the neediest task must have,
/// with all that it reads. `counts` says whether positions are counted while they are solved.
pub fn least_memory(game: &Opened, graph: &Graph, counts: bool) -> (Tier, u64) {
    let need = |node: &Node| {
        let tiers = |list: &[usize]| list.iter().map(|at| graph.nodes[*at].tier).collect::<Vec<_>>();
        let below = tiers(&node.children).into_iter().map(|t| game.engine().need(t).result);
        let solve = below.fold(game.engine().need(node.tier).working, u64::saturating_add);
        let marks = if counts { game.reach().bytes(node.tier) } else { 0 };
        let above = tiers(&node.parents).into_iter().map(|t| if counts { game.reach().bytes(t) } else { 0 });
        let discover = above.fold(marks, u64::saturating_add);
        solve.saturating_add(marks).max(discover).saturating_add(game.tiers().index_bytes())
    };
    let needs = graph.nodes.iter().map(|node| (node.tier, need(node)));
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
