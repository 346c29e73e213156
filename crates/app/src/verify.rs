//! Checks a database: every stored value again from its children's, or a sample of them,
//! and every block on the way.
//!
//! A database whose values all follow from their children's is right: wins and losses
//! by induction over their distance, ties likewise, and a draw because neither side has
//! a way out of the draws.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use zermelo_core::{AnyGame, AskError, Checked, EngineError, Solved};

use crate::database::{Form, load};
use crate::{Database, Graph, Progress, Settings, SolveError};

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Positions looked at, and which were wrong.
    pub values: Checked,
    /// What could not be read, each with the reason.
    pub damage: Vec<String>,
    /// Blocks that could not be read.
    pub damaged_blocks: u64,
}

impl Verified {
    /// Whether nothing was found.
    pub fn clean(&self) -> bool {
        self.values.wrong == 0 && self.damaged_blocks == 0
    }

    fn damaged(&mut self, database: &Database, tier: zermelo_core::Tier, error: String) {
        let damage = database.reader().check_table(tier);
        self.damaged_blocks += (damage.len() as u64).max(1);
        let told = damage.iter().map(|d| d.to_string());
        self.damage.extend(if damage.is_empty() { vec![error] } else { told.take(5).collect() });
    }
}

/// Re-derives every value of every table.
pub fn verify(
    game: &dyn AnyGame,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
) -> Result<Verified, SolveError> {
    let graph = Graph::of(game)?;
    progress.expect(graph.nodes.len() as u64, graph.entries());
    settings.pool()?.install(|| {
        let mut verified = Verified::default();
        let mut alive: HashMap<usize, Arc<dyn Solved>> = HashMap::new();
        let mut wanted: Vec<usize> = graph.nodes.iter().map(|n| n.parents.len()).collect();
        for (at, node) in graph.nodes.iter().enumerate() {
            let need: u64 = node.size + node.children.iter().map(|c| graph.nodes[*c].size).sum::<u64>();
            let held =
                |alive: &HashMap<usize, Arc<dyn Solved>>| alive.values().map(|s| s.bytes()).sum::<u64>();
            if need > settings.memory {
                let fix = "give more with --memory, or check a part with --sample";
                return Err(SolveError::Memory { tier: node.tier, need, limit: settings.memory, fix });
            }
            if held(&alive) + need > settings.memory {
                alive.retain(|k, _| node.children.contains(k));
            }
            match check_tier(game, database, &graph, at, &mut alive) {
                Ok(checked) => verified.values = std::mem::take(&mut verified.values).merge(checked),
                Err(EngineError::Load { tier, reason }) => {
                    verified.damaged(database, tier, reason.to_string())
                }
                Err(error) => return Err(error.into()),
            }
            for child in &node.children {
                wanted[*child] -= 1;
                if wanted[*child] == 0 {
                    alive.remove(child);
                }
            }
            zermelo_core::Watch::advance(progress, node.size);
            progress.tier_done();
        }
        Ok(verified)
    })
}

fn check_tier(
    game: &dyn AnyGame,
    database: &Database,
    graph: &Graph,
    at: usize,
    alive: &mut HashMap<usize, Arc<dyn Solved>>,
) -> Result<Checked, EngineError> {
    let mut get = |at: usize| match alive.get(&at) {
        Some(solved) => Ok(solved.clone()),
        None => {
            let solved = load(game, database.reader(), graph.nodes[at].tier, Form::Plain)?;
            alive.insert(at, solved.clone());
            Ok(solved)
        }
    };
    let this = get(at)?;
    let below = graph.nodes[at].children.iter().map(|c| get(*c)).collect::<Result<Vec<_>, EngineError>>()?;
    game.verify(graph.nodes[at].tier, &*this, &below)
}

/// Re-derives the values of `sample` numbers taken at random, one look-up at a time.
pub fn verify_sample(
    game: &dyn AnyGame,
    database: &Database,
    sample: u64,
    settings: &Settings,
    progress: &Progress,
) -> Result<Verified, SolveError> {
    const BATCH: u64 = 1024;
    let graph = Graph::of(game)?;
    let total = graph.entries().max(1);
    progress.expect(graph.nodes.len() as u64, sample);
    let ends: Vec<u64> = graph
        .nodes
        .iter()
        .scan(0u64, |sum, n| {
            *sum += n.size;
            Some(*sum)
        })
        .collect();
    let batch = |n: u64| {
        let mut verified = Verified::default();
        for i in n * BATCH..sample.min((n + 1) * BATCH) {
            // A fixed sequence: a second run looks at the same positions.
            let at = ((u128::from(scramble(i)) * u128::from(total)) >> 64) as u64;
            let node = ends.partition_point(|end| *end <= at);
            let tier = graph.nodes[node].tier;
            let rank = at - (ends[node] - graph.nodes[node].size);
            match game.verify_one(tier, rank, database) {
                Ok(checked) => verified.values = std::mem::take(&mut verified.values).merge(checked),
                Err(AskError::Tables(reason)) => {
                    verified.damaged_blocks += 1;
                    verified.damage = vec![reason.to_string()];
                }
                Err(AskError::Input(complaint)) => verified.values.blame(complaint.to_string()),
            }
        }
        zermelo_core::Watch::advance(progress, BATCH);
        verified
    };
    let merge = |a: Verified, b: Verified| Verified {
        values: a.values.merge(b.values),
        damaged_blocks: a.damaged_blocks + b.damaged_blocks,
        damage: a.damage.into_iter().chain(b.damage).take(5).collect(),
    };
    let batches = sample.div_ceil(BATCH);
    Ok(settings.pool()?.install(|| (0..batches).into_par_iter().map(batch).reduce(Verified::default, merge)))
}

/// A good mix of the bits of a number (splitmix64).
fn scramble(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
