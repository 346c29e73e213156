//! The manager, on rank 0: hands out tasks, takes note of what is done, and ends the run when something is wrong.
//! It solves nothing; the worker of rank 0 does, like any other.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use zermelo_core::{AnyGame, Need, Tier};
use zermelo_store::Spot;

use super::message::{Done, Fault, Hello, Order as Message, Stats, ToManager, ToWorker, Welcome};
use super::net::Post;
use super::{PATIENCE, probe_name, splitter};
use crate::machine::cores;
use crate::schedule::{
    Counting, Earlier, Graph, Keeping, Kind, Node, Order, Plan, Settings, SolveError, Task, bytes, marks_of,
};
use crate::{Progress, counts};

/// Tasks that are looked at for the best one.
const LOOK: usize = 256;

/// Opening a database usually takes less.
const BRIEFLY: Duration = Duration::from_millis(200);

/// A worker as the manager sees it.
pub(super) struct Rank {
    pub(super) hello: Hello,
    heard: Instant,
    /// Tasks at work, and what they may use.
    tasks: usize,
    need: u64,
    /// What it has parked and nobody wants any more.
    forget: Vec<u64>,
    pub(super) stats: Option<Stats>,
}

impl Rank {
    fn new(hello: Hello) -> Rank {
        Rank { hello, heard: Instant::now(), tasks: 0, need: 0, forget: vec![], stats: None }
    }

    fn free(&self) -> u64 {
        self.hello.memory.saturating_sub(self.need)
    }

    /// Whether it can take up another task. It has one more than threads, so that there is always a next one; but
    /// that one it gets in answer to what it has done, because while it works it does not listen, and whoever sends
    /// it something then may have to wait.
    fn has_time(&self, answered: bool) -> bool {
        self.tasks < self.hello.threads.max(1) + usize::from(answered)
    }

    /// How busy it is; one without threads of its own comes last.
    fn load(&self) -> (bool, usize, Reverse<u64>) {
        let threads = self.hello.threads;
        (threads == 0, self.tasks * 1024 / threads.max(1), Reverse(self.free()))
    }
}

/// A task at work.
struct Running {
    /// The rank, or none for all of them together.
    rank: Option<usize>,
    need: u64,
    /// Ranks whose answer is awaited.
    awaited: usize,
}

/// What a task takes, in bytes.
struct Needs {
    /// At least, and at most usefully, for the engine.
    least: u64,
    useful: u64,
    /// For all that it reads.
    loading: u64,
}

/// What the forms of a tier and of its neighbours take; asked for over and over, so it is found out once.
struct Sizes {
    solved: Need,
    marks: u64,
    /// The marks of the tiers above, and the solved tiers below, with the numberings.
    above: u64,
    below: u64,
}

impl Sizes {
    fn all(game: &dyn AnyGame, graph: &Graph) -> Vec<Sizes> {
        let of = |node: &Node| (game.need(node.tier), game.reach_bytes(node.tier));
        let alone: Vec<(Need, u64)> = graph.nodes.iter().map(of).collect();
        let index = game.index_bytes();
        let with = |node: &Node, (solved, marks): (Need, u64)| Sizes {
            solved,
            marks,
            above: node.parents.iter().map(|p| alone[*p].1).fold(index, u64::saturating_add),
            below: node.children.iter().map(|c| alone[*c].0.result).fold(index, u64::saturating_add),
        };
        graph.nodes.iter().zip(&alone).map(|(node, sizes)| with(node, *sizes)).collect()
    }
}

/// Everybody's messages, and who is silent.
pub(super) struct Office<'a> {
    pub(super) post: &'a Post<'a>,
    inbox: &'a Receiver<(usize, ToManager)>,
    pub(super) ranks: Vec<Rank>,
    progress: &'a Progress,
    /// When the manager last listened: while it does not, nobody's silence counts.
    left: Instant,
}

fn lost(told: String) -> SolveError {
    SolveError::Cluster(told)
}

impl<'a> Office<'a> {
    /// Waits for all ranks and refuses those that run another program or were asked for something else.
    pub(super) fn open(
        post: &'a Post<'a>,
        inbox: &'a Receiver<(usize, ToManager)>,
        progress: &'a Progress,
    ) -> Result<Office<'a>, SolveError> {
        let begun = Instant::now();
        let mut hellos: Vec<Option<Hello>> = (0..post.net.size()).map(|_| None).collect();
        while let Some(missing) = hellos.iter().position(Option::is_none) {
            match post.for_manager(inbox) {
                (rank, ToManager::Hello(hello)) => hellos[rank] = Some(hello),
                (rank, ToManager::Unable(why)) => return Err(lost(format!("rank {rank}: {why}"))),
                // Rank 0's own signs of life tell the time.
                (rank, _) if begun.elapsed() > PATIENCE => {
                    post.to_worker(rank, ToWorker::Pulse);
                    return Err(lost(format!("rank {missing} did not join within {} s", PATIENCE.as_secs())));
                }
                (rank, _) => post.to_worker(rank, ToWorker::Pulse),
            }
        }
        let ranks: Vec<Rank> = hellos.into_iter().flatten().map(Rank::new).collect();
        let first = &ranks[0].hello;
        for (n, Rank { hello, .. }) in ranks.iter().enumerate() {
            let who = format!("rank {n} on {}", hello.host);
            if hello.program != first.program {
                let (theirs, ours) = (&hello.program, &first.program);
                let told =
                    format!("{who} runs {theirs}, rank 0 runs {ours}: install the same program everywhere");
                return Err(lost(told));
            }
            if hello.options != first.options {
                let (theirs, ours) = (&hello.options, &first.options);
                return Err(lost(format!(
                    "{who} was asked for {theirs}, rank 0 for {ours}: give all ranks the same options"
                )));
            }
        }
        let mut office = Office { post, inbox, ranks, progress, left: Instant::now() };
        office.keep_a_core();
        Ok(office)
    }

    /// The manager must answer at once, and waiting for messages takes a core: where rank 0's machine has none to
    /// spare, its worker has a thread less.
    fn keep_a_core(&mut self) {
        let (all, allowed) = cores();
        let here = self.ranks.iter().filter(|rank| rank.hello.host == self.ranks[0].hello.host);
        let threads: usize = here.map(|rank| rank.hello.threads).sum();
        let own = &mut self.ranks[0].hello.threads;
        if self.post.net.size() > 1 && (threads >= all || *own >= allowed) {
            *own -= 1;
        }
    }

    /// The next message that is not just a sign of life; an error when a rank is silent for too long. Rank 0's own
    /// signs of life see to it that the others' are missed in time.
    fn next(&mut self) -> Result<(usize, ToManager), SolveError> {
        loop {
            if let (rank, Some(message)) = self.listen()? {
                return Ok((rank, message));
            }
        }
    }

    /// Takes one message, and answers it if it is a sign of life.
    fn listen(&mut self) -> Result<(usize, Option<ToManager>), SolveError> {
        let away = self.left.elapsed();
        self.ranks.iter_mut().for_each(|rank| rank.heard += away);
        let (rank, message) = self.post.for_manager(self.inbox);
        self.left = Instant::now();
        self.ranks[rank].heard = self.left;
        self.all_heard()?;
        match message {
            ToManager::Pulse(entries) => {
                zermelo_core::Watch::advance(self.progress, entries);
                self.post.to_worker(rank, ToWorker::Pulse);
                Ok((rank, None))
            }
            ToManager::Unable(why) => Err(lost(format!("rank {rank}: {why}"))),
            message => Ok((rank, Some(message))),
        }
    }

    /// Answers signs of life while something is done that may take long, such as opening a large database. Rank 0's
    /// own signs of life see to it that the end is noticed.
    pub(super) fn meanwhile<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, SolveError> {
        std::thread::scope(|scope| {
            let (send, done) = mpsc::channel();
            let job = scope.spawn(move || {
                let result = work();
                let _ = send.send(());
                result
            });
            // Most databases are open at once.
            if done.recv_timeout(BRIEFLY).is_err() {
                while !job.is_finished() {
                    if let (rank, Some(_)) = self.listen()? {
                        return Err(lost(format!("rank {rank} is out of step")));
                    }
                }
            }
            job.join().map_err(|_| lost("opening the database failed with a panic; please report it".into()))
        })
    }

    fn all_heard(&self) -> Result<(), SolveError> {
        let silent = |rank: &Rank| rank.stats.is_none() && rank.heard.elapsed() > PATIENCE;
        let Some(n) = self.ranks.iter().position(silent) else { return Ok(()) };
        let (host, seconds) = (&self.ranks[n].hello.host, PATIENCE.as_secs());
        Err(lost(format!(
            "rank {n} on {host} has not been heard of for {seconds} s: its machine or the network is gone; \
             start the same command again to go on from the tiers that are done"
        )))
    }

    /// Has every rank read and write the shared folder once.
    fn probe(&mut self, keeping: &Keeping) -> Result<(), SolveError> {
        let folder = &keeping.folder;
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let probe = format!("{} {}", std::process::id(), wall.as_nanos());
        let unusable = |reason: String| SolveError::Data {
            path: folder.display().to_string(),
            reason,
            fix: "give a directory that all machines share with --data",
        };
        let own = folder.join(probe_name(None));
        std::fs::write(&own, &probe).map_err(|e| unusable(format!("cannot write: {e}")))?;
        let first = keeping.park.as_ref().map_or(0, |park| park.next_segment());
        let count = self.ranks.len();
        let one_machine = self.ranks.iter().all(|rank| rank.hello.host == self.ranks[0].hello.host);
        for rank in 0..count {
            let annex =
                u16::try_from(rank + 1).map_err(|_| lost("there are more than 65,534 ranks".into()))?;
            let welcome = Welcome {
                probe: probe.clone(),
                annex: (annex, keeping.writer.annex_end(annex)),
                threads: self.ranks[rank].hello.threads,
                segments: (first + rank as u64, count as u64),
                one_machine,
                begun: wall.as_micros() as u64,
            };
            self.post.to_worker(rank, ToWorker::Welcome(welcome));
        }
        for _ in 0..count {
            let (rank, message) = self.next()?;
            if !matches!(message, ToManager::Ready) {
                return Err(lost(format!("rank {rank} is out of step")));
            }
            let theirs = folder.join(probe_name(Some(rank)));
            let back = std::fs::read_to_string(&theirs);
            let _ = std::fs::remove_file(&theirs);
            if back.as_ref().ok() != Some(&probe) {
                let host = &self.ranks[rank].hello.host;
                return Err(unusable(format!("what rank {rank} on {host} wrote cannot be read back")));
            }
        }
        let _ = std::fs::remove_file(&own);
        Ok(())
    }

    /// Sends everybody home.
    pub(super) fn close(&mut self) -> Result<(), SolveError> {
        (0..self.ranks.len()).for_each(|rank| self.post.to_worker(rank, ToWorker::Stop));
        while self.ranks.iter().any(|rank| rank.stats.is_none()) {
            if let (rank, ToManager::Bye(stats)) = self.next()? {
                self.ranks[rank].stats = Some(stats);
            }
        }
        self.post.be_silent();
        Ok(())
    }
}

/// What an earlier run has left to do.
pub(super) fn plan<'a>(game: &dyn AnyGame, graph: &'a Graph, keeping: &Keeping) -> Plan<'a> {
    let (park, log) = (keeping.park.as_ref(), keeping.log.as_ref());
    let earlier = Earlier {
        stored: &|tier| keeping.writer.contains(tier),
        counted: &|tier| log.is_none_or(|log| log.has(tier)),
        parked: &|tier| park.is_some_and(|p| p.contains(tier) && p.get(tier).is_ok()),
        counts: log.is_some(),
    };
    Plan::new(game, graph, &earlier, Order::LongestChain)
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
    /// By place.
    sizes: Vec<Sizes>,
    /// What numberings take in every process.
    index: u64,
    running: HashMap<Task, Running>,
    /// Tiers that turned out to need more memory than their engine says at first.
    wider: HashMap<usize, u64>,
    /// Tasks that a rank has given back, and what it said.
    given_back: HashMap<Task, (usize, String)>,
    /// Which rank has discovered a tier, and which has solved it.
    made: [Vec<Option<u32>>; 2],
    /// Where tiers and marks are parked, and by which rank of this run.
    parked: HashMap<Tier, (Spot, Option<usize>)>,
}

impl<'a, 'o, 'p> Manager<'a, 'o, 'p> {
    pub(super) fn new(
        game: &'a dyn AnyGame,
        ways: &'a [Box<dyn AnyGame>],
        graph: &'a Graph,
        keeping: &'a Keeping,
        plan: Plan<'a>,
        progress: &'a Progress,
        office: &'o mut Office<'p>,
    ) -> Manager<'a, 'o, 'p> {
        let park = keeping.park.as_ref();
        let (tiers, entries) = plan.left();
        progress.expect(tiers, entries);
        let old = park.into_iter().flat_map(|p| p.tiers().into_iter().filter_map(|t| Some((t, p.spot(t)?))));
        let parked = old.map(|(tier, spot)| (tier, (spot, None))).collect();
        let (sizes, index) = (Sizes::all(game, graph), game.index_bytes());
        let made = [vec![None; graph.nodes.len()], vec![None; graph.nodes.len()]];
        let (running, wider, given_back) = Default::default();
        Manager {
            ways,
            graph,
            keeping,
            progress,
            office,
            plan,
            sizes,
            index,
            running,
            wider,
            given_back,
            made,
            parked,
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
                    self.office.post.to_worker(rank, ToWorker::Heard);
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
            let order = self.order(task, grant, need, Some(rank));
            let worker = &mut self.office.ranks[rank];
            worker.tasks += 1;
            worker.need += need;
            self.plan.ready.remove(&task);
            self.running.insert(task, Running { rank: Some(rank), need, awaited: 1 });
            self.office.post.to_worker(rank, ToWorker::Task(order));
        }
        match self.plan.ready.first().copied() {
            // Nobody has room for it, though nobody is at work.
            Some(task) if self.running.is_empty() => self.together(task),
            _ => Ok(()),
        }
    }

    /// The rank with the most time, and of the next tasks that it has room for the one whose tiers it has made
    /// itself: they are still in its memory, as a rule.
    fn fitting(&self, answered: Option<usize>) -> Option<(Task, usize)> {
        let ranks = &self.office.ranks;
        let mut by_load: Vec<usize> =
            (0..ranks.len()).filter(|n| ranks[*n].has_time(answered == Some(*n))).collect();
        by_load.sort_by_key(|n| ranks[*n].load());
        by_load.into_iter().find_map(|rank| {
            let tasks = self.plan.ready.iter().take(LOOK).filter(|task| self.may_take(rank, **task));
            Some((*tasks.min_by_key(|task| Reverse(self.at_hand(rank, **task)))?, rank))
        })
    }

    /// Numbers of the tiers that a task reads and a rank has made.
    fn at_hand(&self, rank: usize, Task { kind, at, .. }: Task) -> u64 {
        let node = &self.graph.nodes[at];
        let made = |kind: Kind, at: usize| match self.made[kind as usize][at] {
            Some(maker) if maker as usize == rank => self.graph.nodes[at].size,
            _ => 0,
        };
        match kind {
            Kind::Discover => node.parents.iter().map(|p| made(Kind::Discover, *p)).sum(),
            Kind::Solve => {
                node.children.iter().map(|c| made(Kind::Solve, *c)).sum::<u64>() + made(Kind::Discover, at)
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
        let sizes = &self.sizes[at];
        match kind {
            Kind::Discover => Needs { least: sizes.marks, useful: 0, loading: sizes.above },
            Kind::Solve => {
                let least = sizes.solved.working.max(self.wider.get(&at).copied().unwrap_or(0));
                let own = if self.plan.marks(at) { sizes.marks } else { 0 };
                let loading = sizes.below.saturating_add(own);
                Needs { least, useful: sizes.solved.useful.max(least), loading }
            }
        }
    }

    /// All that a worker must know for a task.
    fn order(&mut self, task: Task, grant: u64, need: u64, rank: Option<usize>) -> Message {
        let node = &self.graph.nodes[task.at];
        let tier = |at: &usize| self.graph.nodes[*at].tier;
        let marks = self.plan.marks(task.at);
        let writer = &self.keeping.writer;
        let (mut tables, mut parked) = (vec![], vec![]);
        let spot = |tier: Tier| self.parked.get(&tier).map(|(spot, _)| (tier.0, *spot));
        match task.kind {
            Kind::Discover => parked.extend(node.parents.iter().filter_map(|p| spot(marks_of(tier(p))))),
            Kind::Solve => {
                let below = node.children.iter().map(tier);
                match self.keeping.park {
                    Some(_) => parked.extend(below.filter_map(spot)),
                    None => tables.extend(below.filter_map(|t| Some((t.0, writer.extent(t)?)))),
                }
                parked.extend(marks.then(|| spot(marks_of(node.tier))).flatten());
                // A table that is there already is not written again.
                tables.extend(writer.extent(node.tier).map(|extent| (node.tier.0, extent)));
            }
        }
        let forget = rank.map(|rank| std::mem::take(&mut self.office.ranks[rank].forget)).unwrap_or_default();
        Message { task, grant, need, marks, tables, parked, forget }
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
        let pool = Settings { threads, ..Settings::default() }.pool()?;
        let split = pool.install(|| splitter(self.ways, node.tier, count));
        let split = split.filter(|_| task.kind == Kind::Solve && count > 1);
        let Some((_, share)) = split else {
            let most = self.office.ranks.iter().map(|r| r.hello.memory).max().unwrap_or(0);
            let fix = "no rank has as much, and this engine cannot split such a tier; give more with --memory, \
                       with fewer ranks on a machine";
            return Err(SolveError::Memory { tier: node.tier, need: alone, limit: most, fix });
        };
        let index = self.index;
        if share.working.saturating_add(index) > least {
            let need = share.working.saturating_add(index);
            let fix = "that is each rank's share of it; use more ranks, or give more with --memory";
            return Err(SolveError::Memory { tier: node.tier, need, limit: least, fix });
        }
        // Nothing else is at work, and tables below may be wider than the engine can know.
        let grant = least - index;
        let need = grant + index;
        self.plan.ready.remove(&task);
        self.running.insert(task, Running { rank: None, need, awaited: count });
        for rank in 0..count {
            let order = self.order(task, grant, need, Some(rank));
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
        self.office.ranks[rank].tasks -= 1;
        self.office.ranks[rank].need -= running.need;
        running.awaited -= 1;
        let (last, shared) = (running.awaited == 0, running.rank.is_none());
        if last {
            self.running.remove(&task);
        }
        match result {
            Ok(done) => self.take_in(rank, task, done, last),
            Err(fault) => self.give_back(rank, task, fault, shared),
        }
    }

    fn take_in(&mut self, rank: usize, task: Task, done: Done, last: bool) -> Result<(), SolveError> {
        let tier = self.graph.nodes[task.at].tier;
        for (tier, spot) in done.parked {
            self.parked.insert(Tier(tier), (spot, Some(rank)));
        }
        // Counts come before the table, so that a table that counts is counted.
        if let (Some(log), Some(json)) = (&self.keeping.log, done.counts) {
            let (tier, counts) =
                counts::of_json(&json).ok_or_else(|| lost(format!("rank {rank} is out of step")))?;
            log.take(tier, counts)?;
        }
        if let Some((extent, positions)) = done.table {
            self.keeping.writer.adopt(tier, extent, positions)?;
        }
        if !last {
            return Ok(());
        }
        self.made[task.kind as usize][task.at] = Some(rank as u32);
        match task.kind {
            Kind::Discover => self.plan.discovered(task.at),
            Kind::Solve => {
                self.progress.tier_done();
                let unwanted = self.plan.solved(task.at);
                let unwanted = unwanted.into_iter().map(|at| self.graph.nodes[at].tier);
                unwanted.chain([marks_of(tier)]).for_each(|tier| self.forget(tier));
            }
        }
        Ok(())
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
