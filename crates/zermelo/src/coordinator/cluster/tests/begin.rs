//! How a run begins and ends: what earlier ones have left, how long it may take, and that no message is left over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use zermelo_core::{
    Board, Card, Complaint, Drawing, Face, Game, Opened, Options, Outcome, Tier, Tiers, Turn,
};
use zermelo_engines::Sweep;
use zermelo_store::{Annex, Disk};

use super::super::mailbox::Mailbox;
use super::super::message::{Hello, ToCoordinator, ToWorker, in_bytes};
use super::super::net::{Channel, Net, Received};
use super::super::roster::Roster;
use super::super::withdraw;
use super::{ROOM, Scratch, Threads, failed, on_nets, on_ranks};
use crate::coordinator::Graph;
use crate::coordinator::run::Run;
use crate::coordinator::session::{Session, once_free};
use crate::{Progress, SolveError, data_folder, database};

/// The last answer to a heartbeat may come behind the order to stop.
#[test]
fn no_heartbeat_is_left_over() {
    let nets = Threads::all(2);
    let end = |error: &SolveError| panic!("{error}");
    let (mailbox, _, inbox) = Mailbox::new(&nets[1], &end);
    mailbox.heartbeat(0);
    mailbox.heartbeat(0);
    for message in [ToWorker::Heartbeat, ToWorker::Stop, ToWorker::Heartbeat] {
        nets[0].send(1, Channel::Worker, &in_bytes(&message));
    }
    while !matches!(mailbox.for_worker(&inbox), Some(ToWorker::Stop)) {}
    mailbox.fall_silent();
    assert!(nets[1].inbox.lock().unwrap().try_recv().is_err(), "all was received");
    mailbox.heartbeat(0);
    assert_eq!(nets[0].inbox.lock().unwrap().try_iter().count(), 2, "nothing is sent any more");
}

/// Probes of runs that were killed have other names, and go.
#[test]
fn old_probes_do_not_matter() {
    let game = "mnk:rows=3,cols=3,line=3";
    let (opened, scratch) = (crate::open(game, None, None).unwrap(), Scratch::new("probes"));
    let folder = data_folder(&scratch.0, &opened);
    // The names that probes once had cannot even be written to.
    for name in ["probe", "probe-0", "probe-1"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("probe-17-1"), "17-1").unwrap();
    on_ranks(game, 2, &scratch.0, |_| ROOM);
    let files = std::fs::read_dir(&folder).unwrap().flatten().filter(|file| file.path().is_file());
    let mut names: Vec<_> = files.map(|file| file.file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    assert!(names.iter().all(|name| name == "manifest.json" || name.starts_with("tables")), "{names:?}");
}

/// Records of an earlier run are removed where this run does not want them; of two records for a tier the later one counts.
#[test]
fn what_is_spilled_and_not_wanted_is_forgotten() {
    for game in ["connect4:rows=4,cols=4", "othello:rows=4,cols=4"] {
        let (opened, folder) = (crate::open(game, None, None).unwrap(), Scratch::new("forget"));
        let graph = Graph::of(&opened).unwrap();
        let session = Session::begin(&opened, &folder.0, false, &Progress::new("test")).unwrap();
        let scratch = session.scratch.as_ref().unwrap();
        for node in &graph.nodes {
            scratch.put(node.tier, b"a tier whose table was lost").unwrap();
            scratch.put(Tier(node.tier.0 | 1 << 63), b"marks").unwrap();
        }
        drop(session);
        let session = Session::begin(&opened, &folder.0, false, &Progress::new("test")).unwrap();
        let scratch = session.scratch.as_ref().unwrap();
        assert_eq!((scratch.tiers().len(), scratch.next_segment()), (2 * graph.nodes.len(), 1));
        assert_eq!(scratch.next_sequence(), 2 * graph.nodes.len() as u64);
        Run::new(&opened, &graph, Some(&session.records()), session.counting(), &[ROOM]);
        assert_eq!((scratch.tiers(), scratch.bytes()), (vec![], 0), "{game}");
        drop(session);
        on_ranks(game, 2, &folder.0, |_| ROOM);
    }
}

/// A process of an earlier run that still writes is waited for.
#[test]
fn a_process_that_has_outlived_its_run_is_waited_for() {
    let (game, scratch) = (crate::open("mnk", None, None).unwrap(), Scratch::new("outlived"));
    let open = || {
        let disk = Disk::new(data_folder(&scratch.0, &game));
        Annex::open(disk, &database::identity(&game), 7, 0)
    };
    let (annex, over) = (open().unwrap(), AtomicBool::new(false));
    let told = once_free(Duration::ZERO, &Progress::new("test"), open).err().unwrap().to_string();
    assert!(told.contains("tables-7.zmo") && told.contains("still writes to it"), "{told}");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            over.store(true, SeqCst);
            drop(annex);
        });
        Session::begin(&game, &scratch.0, false, &Progress::new("test")).unwrap();
        assert!(over.load(SeqCst), "it began too soon");
    });
}

/// Whether the tiers of [`Slow`] may be found.
static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Five stones of which one is taken at a time; its tiers are found when the gate opens.
struct Slow;

impl Game for Slow {
    type Position = u8;
    type Move = ();

    fn start(&self) -> u8 {
        5
    }

    fn outcome(&self, p: u8) -> Option<Outcome> {
        (p == 0).then_some(Outcome::Lose)
    }

    fn moves(&self, _: u8, mut visit: impl FnMut(())) {
        visit(());
    }

    fn play(&self, p: u8, (): ()) -> u8 {
        p - 1
    }
}

impl Tiers for Slow {
    type Index = u8;

    fn tier(&self, p: u8) -> Tier {
        Tier(p.into())
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let (gate, opened) = &GATE;
        let waited = opened.wait_timeout_while(gate.lock().unwrap(), Duration::from_secs(20), |open| !*open);
        assert!(!waited.unwrap().1.timed_out(), "nobody is answered while tiers are found");
        t.0.checked_sub(1).map(Tier).into_iter().collect()
    }

    fn size(&self, _: Tier) -> u64 {
        1
    }

    fn index(&self, t: Tier) -> u8 {
        t.0 as u8
    }

    fn rank(&self, _: &u8, _: u8) -> u64 {
        0
    }

    fn unrank(&self, t: &u8, _: u64) -> Option<u8> {
        Some(*t)
    }
}

impl Face for Slow {
    const CARD: Card = Card {
        name: "slow",
        revision: 1,
        title: "Slow",
        summary: "",
        rules: "",
        notation: "",
        options: &[],
        examples: &[],
    };

    fn new(_: &Options) -> Result<Slow, Complaint> {
        Ok(Slow)
    }

    fn show(&self, _: Turn, p: u8) -> String {
        p.to_string()
    }

    fn read(&self, text: &str) -> Result<(Turn, u8), Complaint> {
        Ok((Turn::First, text.parse().unwrap()))
    }

    fn show_move(&self, _: Turn, _: u8, (): ()) -> String {
        "1".into()
    }

    fn board(&self) -> Board {
        Board::default()
    }

    fn pieces(&self, _: Turn, _: u8) -> String {
        String::new()
    }

    fn draw(&self, _: Turn, _: u8, (): ()) -> Drawing {
        Drawing::Cell(0)
    }
}

/// Ranks of which one opens the gate when it hears from the coordinator.
struct Opening(Threads);

impl Net for Opening {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn host(&self) -> String {
        self.0.host()
    }

    fn send(&self, to: usize, channel: Channel, bytes: &[u8]) {
        self.0.send(to, channel, bytes);
    }

    fn receive(&self) -> Received {
        let message = self.0.receive();
        if self.rank() == 1 && message.0 == 0 && message.2 == in_bytes(&ToWorker::Heartbeat) {
            *GATE.0.lock().unwrap() = true;
            GATE.1.notify_all();
        }
        message
    }

    fn try_receive(&self) -> Option<Received> {
        self.0.try_receive()
    }

    fn abort(&self, status: i32) -> ! {
        self.0.abort(status)
    }
}

/// A rank whose end a test survives: it panics.
struct Ending(Threads, AtomicBool);

impl Net for Ending {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn host(&self) -> String {
        self.0.host()
    }

    fn send(&self, to: usize, channel: Channel, bytes: &[u8]) {
        self.0.send(to, channel, bytes);
    }

    fn receive(&self) -> Received {
        self.0.receive()
    }

    fn try_receive(&self) -> Option<Received> {
        self.0.try_receive()
    }

    fn abort(&self, status: i32) -> ! {
        self.1.store(true, SeqCst);
        panic!("ended with {status}")
    }
}

/// A rank that cannot take part ends the run at once, not when all tiers are found.
#[test]
fn a_rank_that_cannot_take_part_is_heard_meanwhile() {
    let mut nets = Threads::all(2);
    let (other, net) = (nets.pop().unwrap(), Ending(nets.pop().unwrap(), AtomicBool::new(false)));
    let end = |error: &SolveError| failed(&net, error);
    let (mailbox, inbox, _) = Mailbox::new(&net, &end);
    for rank in [&net as &dyn Net, &other] {
        let hello = Hello {
            host: rank.host(),
            program: "the same".into(),
            options: "the same".into(),
            threads: 2,
            memory: ROOM,
        };
        rank.send(0, Channel::Coordinator, &in_bytes(&ToCoordinator::Hello(hello)));
    }
    let progress = Progress::new("test");
    let mut roster = Roster::open(&mailbox, &inbox, &progress).unwrap();
    other.send(0, Channel::Coordinator, &in_bytes(&ToCoordinator::Unable("its disk is full".into())));
    let heard = AtomicBool::new(false);
    let work = || {
        let begun = Instant::now();
        while !net.1.load(SeqCst) && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        heard.store(net.1.load(SeqCst), SeqCst);
    };
    let ended = catch_unwind(AssertUnwindSafe(|| roster.meanwhile(work)));
    assert!(ended.is_err() && heard.load(SeqCst), "it was told only after the work");
}

/// A rank that cannot take part tells rank 0 why and waits; rank 0 returns, says it and chooses the exit status.
#[test]
fn rank_0_ends_what_another_cannot_begin() {
    let mut nets = Threads::all(2);
    let (other, net) = (nets.pop().unwrap(), nets.pop().unwrap());
    withdraw(&net, "mnk has no option");
    let waits = std::thread::spawn(move || withdraw(&other, "its disk is full"));
    let (from, channel, bytes) = net.receive();
    assert_eq!((from, channel), (1, Some(Channel::Coordinator)));
    let told: ToCoordinator = serde_json::from_slice(&bytes).unwrap();
    assert!(matches!(told, ToCoordinator::Unable(why) if why == "its disk is full"));
    std::thread::sleep(Duration::from_millis(50));
    assert!(!waits.is_finished(), "it waits for the end");
}

/// To find all tiers may take longer than anybody is waited for: all ranks join and are answered meanwhile.
#[test]
fn ranks_are_answered_while_tiers_are_found() {
    let scratch = Scratch::new("slow");
    let ways =
        || -> Vec<Opened> { vec![zermelo_engines::open::<Sweep<Slow>>("", None, true).unwrap().unwrap()] };
    let nets = Threads::all(2).into_iter().map(Opening).collect();
    let (solved, _) = on_nets(nets, ways, &scratch.0, |_| ROOM);
    assert_eq!((solved.solution.tiers, solved.solution.value.to_string()), (6, "win in 5".into()));
}
