//! The workers of a run on a cluster, as rank 0 sees them: who takes which task, what each must know for it, and what
//! becomes of a task that a rank could not do.

use std::cmp::Reverse;
use std::collections::HashMap;

use zermelo_core::{Opened, Tier};
use zermelo_store::ScratchPlace;

use super::message::{Assignment, Fault, ToCoordinator, ToWorker};
use super::roster::{Rank, Roster};
use super::{lost, splitter};
use crate::Progress;
use crate::coordinator::cache::Key;
use crate::coordinator::plan::{Kind, Task, TaskOrder};
use crate::coordinator::records::marks_of;
use crate::coordinator::run::{Failed, News, Run, Running, Workers};
use crate::coordinator::session::Session;
use crate::coordinator::task::{Done, Grant};
use crate::coordinator::{Counting, Graph, Result, Settings, SolveError, bytes};

/// Tasks that are looked at for the best one.
const LOOK: usize = 256;
/// Tasks that are looked at for each thread where few tiers are to be alive, of those that a rank may take: with more of
/// them tiers are begun that are far from done.
const NEAR: usize = 4;

/// All ranks of a run.
pub(super) struct Ranks<'a, 'o, 'p> {
    /// The game with every engine.
    ways: &'a [Opened],
    graph: &'a Graph,
    session: &'a Session,
    progress: &'a Progress,
    roster: &'o mut Roster<'p>,
    /// The rank whose message is being answered.
    answered: Option<usize>,
    /// Tasks that a rank has given back, and what it said.
    given_back: HashMap<Task, (usize, String)>,
    /// Which ranks have had the marks of a tier in memory, and which its values.
    had: [Vec<Vec<u32>>; 2],
    /// Where tiers and marks are spilled, and by which rank of this run.
    spilled: HashMap<Tier, (ScratchPlace, Option<usize>)>,
    /// As many threads as the largest rank has, once an engine had to be asked what it needs with them.
    asking: Option<rayon::ThreadPool>,
}

impl<'a, 'o, 'p> Ranks<'a, 'o, 'p> {
    pub(super) fn new(
        ways: &'a [Opened],
        graph: &'a Graph,
        session: &'a Session,
        progress: &'a Progress,
        roster: &'o mut Roster<'p>,
    ) -> Ranks<'a, 'o, 'p> {
        let scratch = session.scratch.as_ref();
        let old =
            scratch.into_iter().flat_map(|p| p.tiers().into_iter().filter_map(|t| Some((t, p.spot(t)?))));
        let spilled = old.map(|(tier, spot)| (tier, (spot, None))).collect();
        let had = [vec![vec![]; graph.nodes.len()], vec![vec![]; graph.nodes.len()]];
        let (answered, given_back, asking) = Default::default();
        Ranks { ways, graph, session, progress, roster, answered, given_back, had, spilled, asking }
    }

    /// Threads of all ranks.
    fn threads(&self) -> usize {
        self.roster.ranks.iter().map(|rank| rank.hello.threads).sum()
    }

    /// Whether there are too few tasks to give a rank its next one while it still works: another may be done sooner.
    fn is_scarce(&self, run: &Run<'_>) -> bool {
        run.plan.ready.len() <= self.threads()
    }

    /// Numbers of the tiers that a task reads and a rank has had in memory.
    fn at_hand(&self, rank: usize, Task { kind, at, .. }: Task) -> u64 {
        let node = &self.graph.nodes[at];
        let had = |kind: Kind, at: usize| match self.had[kind as usize][at].contains(&(rank as u32)) {
            true => self.graph.nodes[at].size,
            false => 0,
        };
        match kind {
            Kind::Discover => node.parents.iter().map(|p| had(Kind::Discover, *p)).sum(),
            Kind::Solve => {
                node.children.iter().map(|c| had(Kind::Solve, *c)).sum::<u64>() + had(Kind::Discover, at)
            }
        }
    }

    /// Takes note of what a rank will have in memory once it has done a task: what comes of it, and the values it was
    /// made from.
    fn had_by(&mut self, rank: usize, task: Task) {
        let children = self.graph.nodes[task.at].children.iter().filter(|_| task.kind == Kind::Solve);
        for at in children.chain([&task.at]) {
            let had = &mut self.had[task.kind as usize][*at];
            if !had.contains(&(rank as u32)) {
                had.push(rank as u32);
            }
        }
    }

    /// What a rank needs for a task at least, with all that it reads: it may have none of that in memory.
    fn least(run: &Run<'_>, task: Task) -> u64 {
        run.needs(task).0.saturating_add(run.loading(task))
    }

    /// Whether a rank has room for a task, and has not given it back.
    fn may_take(&self, run: &Run<'_>, rank: usize, task: Task) -> bool {
        let need = Self::least(run, task);
        let ranks = &self.roster.ranks;
        if ranks[rank].free() < need {
            return false;
        }
        let back = if self.given_back.is_empty() { None } else { self.given_back.get(&task) };
        let refused = back.map(|(rank, _)| *rank);
        if refused.is_none() && ranks[rank].hello.threads > 0 {
            return true;
        }
        // Others who could do it; of those, ones with threads of their own, if there are any.
        let fits = |(n, r): &(usize, &Rank)| Some(*n) != refused && r.hello.memory >= need;
        let others = || ranks.iter().enumerate().filter(fits);
        let threaded = others().any(|(_, r)| r.hello.threads > 0);
        let most =
            others().filter(|(_, r)| !threaded || r.hello.threads > 0).map(|(_, r)| r.hello.memory).max();
        match (refused, most) {
            // The core of a rank without threads is the coordinator's, unless nobody else can do it.
            (None, _) => !threaded,
            // To one with the most room; back to the same one only where no other has enough, and it is alone there.
            (Some(refused), Some(most)) => {
                rank != refused
                    && ranks[rank].hello.memory == most
                    && (!threaded || ranks[rank].hello.threads > 0)
            }
            (Some(refused), None) => rank == refused && ranks[rank].tasks == 0,
        }
    }

    /// All that a rank must know for a task that it has alone, or with all others.
    fn assignment(&mut self, run: &Run<'_>, order: Grant, rank: usize, shared: bool) -> Assignment {
        let node = &self.graph.nodes[order.task.at];
        let tier = |at: &usize| self.graph.nodes[*at].tier;
        let writer = &self.session.writer;
        let (mut tables, mut spilled) = (vec![], vec![]);
        let spot = |tier: Tier| self.spilled.get(&tier).map(|(spot, _)| (tier.0, *spot));
        match order.task.kind {
            Kind::Discover => spilled.extend(node.parents.iter().filter_map(|p| spot(marks_of(tier(p))))),
            Kind::Solve => {
                for below in node.children.iter().map(tier) {
                    // A share of a tier is solved from tables, of which each rank reads parts.
                    spilled.extend(spot(below).filter(|_| !shared));
                    tables.extend(writer.extent(below).map(|extent| (below.0, extent)));
                }
                spilled.extend(order.marks.then(|| spot(marks_of(node.tier))).flatten());
                // A table that is there already is not written again.
                tables.extend(writer.extent(node.tier).map(|extent| (node.tier.0, extent)));
            }
        }
        let urgent = self.is_scarce(run);
        let rank = &mut self.roster.ranks[rank];
        let (forget, unwanted) = (std::mem::take(&mut rank.forget), std::mem::take(&mut rank.unwanted));
        Assignment { order, urgent, tables, spilled, forget, unwanted }
    }

    /// What each rank needs for its share of a tier that all solve together; `None` where no engine can.
    fn share(&mut self, task: Task) -> Result<Option<u64>> {
        let (tier, count) = (self.graph.nodes[task.at].tier, self.roster.ranks.len());
        // Buffers go by the threads of the pool that it is asked in.
        let threads = self.roster.ranks.iter().map(|rank| rank.hello.threads.max(1)).max().unwrap_or(1);
        let pool = match self.asking.take() {
            Some(pool) => pool,
            None => Settings { threads, ..Settings::default() }.pool()?,
        };
        let split = pool.install(|| splitter(self.ways, tier, count).map(|(_, need)| need.working));
        self.asking = Some(pool);
        Ok(split.filter(|_| task.kind == Kind::Solve && count > 1))
    }
}

impl Workers for Ranks<'_, '_, '_> {
    type Error = Fault;

    /// The rank with the most time, and of the next tasks that it has room for the one whose tiers it has made or read
    /// before: they are still in its memory, as a rule.
    fn choose(&mut self, run: &Run<'_>) -> Result<Option<(Grant, usize)>> {
        let (ranks, answered) = (&self.roster.ranks, self.answered.filter(|_| !self.is_scarce(run)));
        let mut by_load: Vec<usize> =
            (0..ranks.len()).filter(|n| ranks[*n].has_time(answered == Some(*n))).collect();
        by_load.sort_by_key(|n| ranks[*n].load());
        let look = match run.plan.order {
            TaskOrder::LongestChain => LOOK,
            TaskOrder::FewAlive => NEAR * self.threads().max(1),
        };
        let best = by_load.into_iter().find_map(|rank| {
            let tasks = run.plan.ready.iter().take(LOOK).filter(|task| self.may_take(run, rank, **task));
            Some((*tasks.take(look).min_by_key(|task| Reverse(self.at_hand(rank, **task)))?, rank))
        });
        let order = |(task, rank): (Task, usize)| {
            Some((run.order(task, run.loading(task), self.roster.ranks[rank].free())?, rank))
        };
        Ok(best.and_then(order))
    }

    /// All ranks solve a tier that fits no single one.
    fn last_resort(&mut self, run: &Run<'_>, task: Task) -> Result<(Grant, Option<usize>)> {
        let (tier, index) = (self.graph.nodes[task.at].tier, run.sizes.index);
        let memory = self.roster.ranks.iter().map(|rank| rank.hello.memory);
        let (least, most) = (memory.clone().min().unwrap_or(0), memory.max().unwrap_or(0));
        let Some(share) = self.share(task)? else {
            let fix = "no rank has as much, and this engine cannot split such a tier; give more with --memory, \
                       with fewer ranks on a machine";
            return Err(SolveError::Memory { tier, need: Self::least(run, task), limit: most, fix });
        };
        let need = share.saturating_add(index);
        let fix = "that is each rank's share of it; use more ranks, or give more with --memory";
        SolveError::if_more(need, least, tier, fix)?;
        // Nothing else is at work, and tables below may be wider than the engine can know.
        Ok((Grant { task, grant: least - index, need: least, marks: run.plan.marks(task.at) }, None))
    }

    fn begin(&mut self, run: &Run<'_>, order: Grant, worker: Option<usize>) -> usize {
        let ranks = worker.map_or(0..self.roster.ranks.len(), |rank| rank..rank + 1);
        for rank in ranks.clone() {
            let assignment = self.assignment(run, order, rank, worker.is_none());
            let message = match worker {
                Some(_) => ToWorker::Task(assignment),
                None => ToWorker::Together(assignment),
            };
            self.roster.ranks[rank].tasks += 1;
            self.roster.ranks[rank].need += order.need;
            self.roster.mailbox.to_worker(rank, message);
        }
        worker.iter().for_each(|rank| self.had_by(*rank, order.task));
        ranks.len()
    }

    fn next(&mut self) -> Result<(usize, News<Fault>)> {
        let (rank, message) = self.roster.next()?;
        self.answered = None;
        match message {
            ToCoordinator::Done(task, result) => {
                self.answered = Some(rank);
                Ok((rank, News::Done(task, result)))
            }
            ToCoordinator::Formed(task, done) => {
                self.roster.ranks[rank].storing += 1;
                Ok((rank, News::Formed(task, done)))
            }
            _ => Err(lost(format!("rank {rank} is out of step"))),
        }
    }

    fn ended(&mut self, rank: usize, running: &Running) {
        let worker = &mut self.roster.ranks[rank];
        worker.tasks -= 1;
        worker.need -= running.need;
        worker.storing -= usize::from(running.storing);
    }

    fn note(&mut self, rank: usize, tier: Tier, done: Done) -> Result<()> {
        for (tier, spot) in done.spilled {
            self.spilled.insert(Tier(tier), (spot, Some(rank)));
        }
        // Counts come before the table, so that a table that counts is counted.
        if let (Some(log), Some(line)) = (&self.session.log, done.counts) {
            let (tier, counts) = line.read().ok_or_else(|| lost(format!("rank {rank} is out of step")))?;
            log.take(tier, counts)?;
        }
        if let Some((extent, positions)) = done.table {
            self.session.writer.adopt(tier, extent, positions)?;
        }
        Ok(())
    }

    /// Has ranks let go of what they have in memory.
    fn let_go(&mut self, (kind, at): Key) {
        for rank in std::mem::take(&mut self.had[kind as usize][at]) {
            self.roster.ranks[rank as usize].unwanted.push((kind, at));
        }
    }

    /// Whoever spilled it removes it.
    fn forget(&mut self, tier: Tier) {
        match self.spilled.remove(&tier) {
            Some((_, Some(rank))) => self.roster.ranks[rank].forget.push(tier.0),
            Some((_, None)) => _ = self.session.scratch.as_ref().inspect(|scratch| scratch.forget(tier)),
            None => {}
        }
    }

    /// The task goes to another rank, once.
    fn failed(&mut self, rank: usize, fault: Fault, failed: Failed) -> Result<Option<u64>> {
        let Failed { task, tier, may_grow, shared } = failed;
        let host = &self.roster.ranks[rank].hello.host;
        match fault {
            Fault::Wider(need) if !shared && may_grow => Ok(Some(need)),
            Fault::Here(why) if !shared && !self.given_back.contains_key(&task) => {
                self.progress.tell(&format!("rank {rank} on {host} gives a tier back: {why}"));
                self.given_back.insert(task, (rank, why));
                Ok(None)
            }
            Fault::Wider(need) => Err(lost(format!(
                "rank {rank} on {host}: tier {} takes {} for each rank; give more with --memory",
                self.ways.first().map_or_else(|| tier.to_string(), |game| game.tiers().shown(tier)),
                bytes(need)
            ))),
            Fault::Here(why) | Fault::Anywhere(why) => Err(lost(match self.given_back.get(&task) {
                Some((first, said)) => {
                    format!("rank {rank} on {host}: {why} (before it, rank {first}: {said})")
                }
                None => format!("rank {rank} on {host}: {why}"),
            })),
        }
    }
}
