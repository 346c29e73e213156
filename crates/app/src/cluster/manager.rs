//! The manager, on rank 0: hands out tasks, takes note of what is done, and ends the run when something is wrong.
//! It solves nothing; the worker of rank 0 does, like any other.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use zermelo_core::{AnyGame, Tier};
use zermelo_store::{Park, Spot};

use super::message::{Done, Fault, Order as Message, ToManager, ToWorker};
use super::office::{Office, Rank, lost};
use super::sizes::Sizes;
use super::splitter;
use crate::Progress;
use crate::schedule::{
    Counting, Earlier, Graph, Keeping, Kind, Order, Plan, Settings, SolveError, Task, bytes, forget_unwanted,
    marks_of,
};

/// Tasks that are looked at for the best one.
const LOOK: usize = 256;
/// The same for each thread where few tiers are to be alive, of those that a rank may take: with more of them tiers are
/// begun that are far from done.
const NEAR: usize = 4;

/// A task at work.
struct Running {
    /// The rank, or none for all of them together.
    rank: Option<usize>,
    need: u64,
    /// Ranks whose answer is awaited.
    awaited: usize,
    /// Whether the tier is told of, and only to be stored.
    storing: bool,
}

/// What a task takes, in bytes.
struct Needs {
    /// At least, and at most usefully, for the engine.
    least: u64,
    useful: u64,
    /// For all that it reads.
    loading: u64,
}

/// What an earlier run has left to do, and what all tiers take; ranks have so many bytes each.
pub(super) fn plan<'a>(
    game: &dyn AnyGame,
    graph: &'a Graph,
    keeping: &Keeping,
    memory: &[u64],
) -> (Plan<'a>, Sizes<'a>) {
    let (park, log) = (keeping.park.as_ref(), keeping.log.as_ref());
    let found = RefCell::new(HashMap::new());
    let is_parked = |tier: Tier| {
        let bytes = park.and_then(|park| park.check(tier).ok());
        bytes.inspect(|bytes| _ = found.borrow_mut().insert(tier, *bytes)).is_some()
    };
    let earlier = Earlier {
        stored: &|tier| keeping.writer.contains(tier),
        counted: &|tier| log.is_none_or(|log| log.has(tier)),
        parked: &is_parked,
        counts: log.is_some(),
    };
    let mut sizes = Sizes::new(game, graph);
    // In the end every rank waits for the longest chain. But tiers that wait take memory, and have to be compressed when
    // there are many, unless their tables will do.
    let room = memory.iter().map(|bytes| (bytes / 4).min(Park::LOOSE)).fold(0, u64::saturating_add);
    let roomy = game.filing().by_tier || sizes.all() <= room;
    let order = if roomy { Order::LongestChain } else { Order::FewAlive };
    let plan = Plan::new(game, graph, &earlier, order);
    park.inspect(|park| forget_unwanted(park, graph, &plan));
    // In memory a tier takes no less than when it is parked, and what its table has.
    let reader = keeping.writer.reader(0);
    for at in plan.still_read() {
        let tier = graph.nodes[at].tier;
        let bytes = match game.filing().by_tier {
            false => found.borrow().get(&tier).copied(),
            true => reader.info(tier).ok().map(|table| table.entries * table.width.bytes() as u64),
        };
        sizes.learn_solved(at, sizes.alone(at).solved.max(bytes.unwrap_or(0)));
    }
    (plan, sizes)
}

/// A run that is being managed.
pub(super) struct Manager<'a, 'o, 'p> {
    /// The game with every engine.
    ways: &'a [Box<dyn AnyGame>],
    graph: &'a Graph,
    keeping: &'a Keeping,
    progress: &'a Progress,
    office: &'o mut Office<'p>,
    plan: Plan<'a>,
    sizes: Sizes<'a>,
    running: HashMap<Task, Running>,
    /// Tiers that turned out to need more memory than their engine says at first.
    wider: HashMap<usize, u64>,
    /// Tasks that a rank has given back, and what it said.
    given_back: HashMap<Task, (usize, String)>,
    /// Which ranks have had the marks of a tier in memory, and which its values.
    had: [Vec<Vec<u32>>; 2],
    /// Tiers that were stored before all below them were.
    early: Vec<(usize, Task, Done)>,
    /// Where tiers and marks are parked, and by which rank of this run.
    parked: HashMap<Tier, (Spot, Option<usize>)>,
    /// As many threads as the largest rank has, once an engine had to be asked what it needs with them.
    asking: Option<rayon::ThreadPool>,
}

impl<'a, 'o, 'p> Manager<'a, 'o, 'p> {
    pub(super) fn new(
        ways: &'a [Box<dyn AnyGame>],
        graph: &'a Graph,
        keeping: &'a Keeping,
        plan: Plan<'a>,
        sizes: Sizes<'a>,
        progress: &'a Progress,
        office: &'o mut Office<'p>,
    ) -> Manager<'a, 'o, 'p> {
        let park = keeping.park.as_ref();
        progress.expect_all(&plan.left(true));
        let old = park.into_iter().flat_map(|p| p.tiers().into_iter().filter_map(|t| Some((t, p.spot(t)?))));
        let parked = old.map(|(tier, spot)| (tier, (spot, None))).collect();
        let had = [vec![vec![]; graph.nodes.len()], vec![vec![]; graph.nodes.len()]];
        let (running, wider, given_back, early) = Default::default();
        Manager {
            ways,
            graph,
            keeping,
            progress,
            office,
            plan,
            sizes,
            running,
            wider,
            given_back,
            had,
            early,
            parked,
            asking: None,
        }
    }

    /// Runs to the end; gives the number of tiers that an earlier run had done.
    pub(super) fn run(mut self) -> Result<u64, SolveError> {
        let resumed = self.plan.resumed();
        self.office.probe(self.keeping)?;
        self.hand_out(None)?;
        while !self.running.is_empty() {
            match self.office.next()? {
                (rank, ToManager::Done(task, result)) => {
                    self.done(rank, task, result)?;
                    self.hand_out(Some(rank))?;
                }
                (rank, ToManager::Formed(task, done)) => {
                    self.formed(rank, task, done)?;
                    self.hand_out(None)?;
                }
                (rank, _) => return Err(lost(format!("rank {rank} is out of step"))),
            }
        }
        Ok(resumed)
    }

    /// Hands out tasks as long as somebody has time and room; one rank is being answered.
    fn hand_out(&mut self, answered: Option<usize>) -> Result<(), SolveError> {
        if self.running.values().any(|running| running.rank.is_none()) {
            return Ok(());
        }
        while let Some((task, rank)) = self.fitting(answered) {
            let needs = self.needs(task);
            let free = self.office.ranks[rank].free().saturating_sub(needs.loading);
            let grant = needs.useful.clamp(needs.least, free.max(needs.least));
            let need = grant + needs.loading;
            let order = self.order(task, grant, need, (rank, false));
            let worker = &mut self.office.ranks[rank];
            worker.tasks += 1;
            worker.need += need;
            self.plan.ready.remove(&task);
            self.had_by(rank, task);
            self.running.insert(task, Running { rank: Some(rank), need, awaited: 1, storing: false });
            self.office.post.to_worker(rank, ToWorker::Task(order));
        }
        match self.plan.ready.first().copied() {
            // Nobody has room for it, though nobody is at work.
            Some(task) if self.running.is_empty() => self.together(task),
            _ => Ok(()),
        }
    }

    /// The rank with the most time, and of the next tasks that it has room for the one whose tiers it has made or read
    /// before: they are still in its memory, as a rule.
    fn fitting(&self, answered: Option<usize>) -> Option<(Task, usize)> {
        let (ranks, answered) = (&self.office.ranks, answered.filter(|_| !self.is_scarce()));
        let mut by_load: Vec<usize> =
            (0..ranks.len()).filter(|n| ranks[*n].has_time(answered == Some(*n))).collect();
        by_load.sort_by_key(|n| ranks[*n].load());
        let look = match self.plan.order {
            Order::LongestChain => LOOK,
            Order::FewAlive => NEAR * self.threads().max(1),
        };
        by_load.into_iter().find_map(|rank| {
            let tasks = self.plan.ready.iter().take(LOOK).filter(|task| self.may_take(rank, **task));
            Some((*tasks.take(look).min_by_key(|task| Reverse(self.at_hand(rank, **task)))?, rank))
        })
    }

    /// Whether there are too few tasks to give a rank its next one while it still works: another may be done sooner.
    fn is_scarce(&self) -> bool {
        self.plan.ready.len() <= self.threads()
    }

    /// Threads of all ranks.
    fn threads(&self) -> usize {
        self.office.ranks.iter().map(|rank| rank.hello.threads).sum()
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

    /// Whether a rank has room for a task, and has not given it back.
    fn may_take(&self, rank: usize, task: Task) -> bool {
        let needs = self.needs(task);
        let need = needs.least.saturating_add(needs.loading);
        let ranks = &self.office.ranks;
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
            // The core of a rank without threads is the manager's, unless nobody else can do it.
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

    fn needs(&self, Task { kind, at, .. }: Task) -> Needs {
        let size = self.sizes.alone(at);
        match kind {
            Kind::Discover => Needs { least: size.marks, useful: 0, loading: self.sizes.above(at) },
            Kind::Solve => {
                let least = size.working.max(self.wider.get(&at).copied().unwrap_or(0));
                let own = if self.plan.marks(at) { size.marks } else { 0 };
                let loading = self.sizes.below(at).saturating_add(own);
                Needs { least, useful: size.useful.max(least), loading }
            }
        }
    }

    /// All that a rank must know for a task that it has alone, or with all others.
    fn order(&mut self, task: Task, grant: u64, need: u64, (rank, shared): (usize, bool)) -> Message {
        let node = &self.graph.nodes[task.at];
        let tier = |at: &usize| self.graph.nodes[*at].tier;
        let (marks, urgent) = (self.plan.marks(task.at), self.is_scarce());
        let writer = &self.keeping.writer;
        let (mut tables, mut parked) = (vec![], vec![]);
        let spot = |tier: Tier| self.parked.get(&tier).map(|(spot, _)| (tier.0, *spot));
        match task.kind {
            Kind::Discover => parked.extend(node.parents.iter().filter_map(|p| spot(marks_of(tier(p))))),
            Kind::Solve => {
                for below in node.children.iter().map(tier) {
                    // A share of a tier is solved from tables, of which each rank reads parts.
                    parked.extend(spot(below).filter(|_| !shared));
                    tables.extend(writer.extent(below).map(|extent| (below.0, extent)));
                }
                parked.extend(marks.then(|| spot(marks_of(node.tier))).flatten());
                // A table that is there already is not written again.
                tables.extend(writer.extent(node.tier).map(|extent| (node.tier.0, extent)));
            }
        }
        let rank = &mut self.office.ranks[rank];
        let (forget, unwanted) = (std::mem::take(&mut rank.forget), std::mem::take(&mut rank.unwanted));
        Message { task, urgent, grant, need, marks, tables, parked, forget, unwanted }
    }

    /// Has all ranks solve a tier that fits no single one.
    fn together(&mut self, task: Task) -> Result<(), SolveError> {
        let (node, count) = (&self.graph.nodes[task.at], self.office.ranks.len());
        let needs = self.needs(task);
        let alone = needs.least.saturating_add(needs.loading);
        let memory = |ranks: &[Rank]| ranks.iter().map(|r| r.hello.memory).min().unwrap_or(0);
        let least = memory(&self.office.ranks);
        // Buffers go by the threads of the pool that it is asked in.
        let threads = self.office.ranks.iter().map(|rank| rank.hello.threads.max(1)).max().unwrap_or(1);
        let pool = match self.asking.take() {
            Some(pool) => pool,
            None => Settings { threads, ..Settings::default() }.pool()?,
        };
        let split = pool.install(|| splitter(self.ways, node.tier, count));
        self.asking = Some(pool);
        let split = split.filter(|_| task.kind == Kind::Solve && count > 1);
        let Some((_, share)) = split else {
            let most = self.office.ranks.iter().map(|r| r.hello.memory).max().unwrap_or(0);
            let fix = "no rank has as much, and this engine cannot split such a tier; give more with --memory, \
                       with fewer ranks on a machine";
            return Err(SolveError::Memory { tier: node.tier, need: alone, limit: most, fix });
        };
        let index = self.sizes.index;
        if share.working.saturating_add(index) > least {
            let need = share.working.saturating_add(index);
            let fix = "that is each rank's share of it; use more ranks, or give more with --memory";
            return Err(SolveError::Memory { tier: node.tier, need, limit: least, fix });
        }
        // Nothing else is at work, and tables below may be wider than the engine can know.
        let grant = least - index;
        let need = grant + index;
        self.plan.ready.remove(&task);
        self.running.insert(task, Running { rank: None, need, awaited: count, storing: false });
        for rank in 0..count {
            let order = self.order(task, grant, need, (rank, true));
            self.office.ranks[rank].tasks += 1;
            self.office.ranks[rank].need += need;
            self.office.post.to_worker(rank, ToWorker::Together(order));
        }
        Ok(())
    }

    fn done(&mut self, rank: usize, task: Task, result: Result<Done, Fault>) -> Result<(), SolveError> {
        let Some(running) = self.running.get_mut(&task) else {
            return Err(lost(format!("rank {rank} has done what it was not asked for")));
        };
        let worker = &mut self.office.ranks[rank];
        worker.tasks -= 1;
        worker.need -= running.need;
        worker.storing -= usize::from(running.storing);
        running.awaited -= 1;
        let (last, shared) = (running.awaited == 0, running.rank.is_none());
        if last {
            self.running.remove(&task);
        }
        match result {
            Ok(done) => self.in_order(rank, task, done, last),
            Err(fault) => self.give_back(rank, task, fault, shared),
        }
    }

    /// Takes in what was done; where tables cannot be loaded tier by tier, a tier after those below it, so that a kill
    /// costs no more than what is at work.
    fn in_order(&mut self, rank: usize, task: Task, done: Done, last: bool) -> Result<(), SolveError> {
        if task.kind == Kind::Discover || !last || self.plan.is_due(task.at) {
            self.take_in(rank, task, done, last)?;
        } else {
            self.early.push((rank, task, done));
        }
        while let Some(next) = self.early.iter().position(|(_, task, _)| self.plan.is_due(task.at)) {
            let (rank, task, done) = self.early.swap_remove(next);
            self.take_in(rank, task, done, true)?;
        }
        Ok(())
    }

    /// A tier can be read by those above.
    fn formed(&mut self, rank: usize, task: Task, done: Done) -> Result<(), SolveError> {
        let running = self.running.get_mut(&task);
        let Some(running) = running.filter(|at| at.rank == Some(rank) && !at.storing) else {
            return Err(lost(format!("rank {rank} has done what it was not asked for")));
        };
        running.storing = true;
        self.office.ranks[rank].storing += 1;
        self.note(rank, done)?;
        self.plan.formed(task.at);
        Ok(())
    }

    /// Takes note of all but the table.
    fn note(&mut self, rank: usize, done: Done) -> Result<(), SolveError> {
        for (tier, spot) in done.parked {
            self.parked.insert(Tier(tier), (spot, Some(rank)));
        }
        // Of a tier that is done its own bytes are known.
        for (at, size) in done.sizes.into_iter().filter(|(at, _)| !self.plan.done[*at]) {
            self.sizes.learn(at, size);
        }
        done.solved.into_iter().for_each(|(at, bytes)| self.sizes.learn_solved(at, bytes));
        // Counts come before the table, so that a table that counts is counted.
        if let (Some(log), Some(line)) = (&self.keeping.log, done.counts) {
            let (tier, counts) = line.read().ok_or_else(|| lost(format!("rank {rank} is out of step")))?;
            log.take(tier, counts)?;
        }
        Ok(())
    }

    fn take_in(&mut self, rank: usize, task: Task, mut done: Done, last: bool) -> Result<(), SolveError> {
        let (tier, table) = (self.graph.nodes[task.at].tier, done.table.take());
        self.note(rank, done)?;
        if let Some((extent, positions)) = table {
            self.keeping.writer.adopt(tier, extent, positions)?;
        }
        if !last {
            return Ok(());
        }
        match task.kind {
            Kind::Discover => self.plan.discovered(task.at),
            Kind::Solve => {
                self.progress.tier_done();
                for at in self.plan.solved(task.at) {
                    self.forget(self.graph.nodes[at].tier);
                    self.let_go(Kind::Solve, at);
                }
                self.forget(marks_of(tier));
                self.let_go(Kind::Discover, task.at);
            }
        }
        Ok(())
    }

    /// Has ranks let go of what they hold in memory and nobody wants any more.
    fn let_go(&mut self, kind: Kind, at: usize) {
        for rank in std::mem::take(&mut self.had[kind as usize][at]) {
            self.office.ranks[rank as usize].unwanted.push((kind, at));
        }
    }

    /// Lets go of something parked: whoever wrote it removes it.
    fn forget(&mut self, tier: Tier) {
        match self.parked.remove(&tier) {
            Some((_, Some(rank))) => self.office.ranks[rank].forget.push(tier.0),
            Some((_, None)) => _ = self.keeping.park.as_ref().inspect(|park| park.forget(tier)),
            None => {}
        }
    }

    /// A rank could not do a task: it goes to another one, once.
    fn give_back(&mut self, rank: usize, task: Task, fault: Fault, shared: bool) -> Result<(), SolveError> {
        let host = &self.office.ranks[rank].hello.host;
        match fault {
            Fault::Wider(need) if !shared && self.wider.insert(task.at, need).is_none() => {
                self.plan.ready.insert(task);
                Ok(())
            }
            Fault::Here(why) if !shared && !self.given_back.contains_key(&task) => {
                eprintln!("zermelo: rank {rank} on {host} gives a tier back: {why}");
                self.given_back.insert(task, (rank, why));
                self.plan.ready.insert(task);
                Ok(())
            }
            Fault::Wider(need) => Err(lost(format!(
                "rank {rank} on {host}: tier {} takes {} for each rank; give more with --memory",
                self.graph.nodes[task.at].tier,
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
