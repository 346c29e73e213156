//! Steps that run beside each other, so that one that waits leaves its core to another. Those of one lane are shown as
//! they go. The output of the others goes to files, and is printed where a step fails. The first failure stops all.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A step: its name, and the command that does it.
pub(crate) struct Step {
    name: &'static str,
    command: Command,
}

impl Step {
    pub(crate) fn new(name: &'static str, command: Command) -> Step {
        Step { name, command }
    }
}

/// Steps that run one after another.
struct Lane<'a> {
    left: Box<dyn Iterator<Item = Step>>,
    now: Option<Running>,
    /// Where the output goes; none for the screen.
    logs: Option<&'a Path>,
}

/// A step at work.
struct Running {
    name: &'static str,
    child: Child,
    begun: Instant,
    log: Option<PathBuf>,
}

/// How often the steps are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long a step may take to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Runs the shown steps one after another, and beside them the quiet ones one after another, whose output goes to files
/// in the folder `logs`.
pub(crate) fn run(shown: Vec<Step>, quiet: Vec<Step>, logs: &Path) -> Result<()> {
    std::fs::create_dir_all(logs).with_context(|| format!("cannot make {}", logs.display()))?;
    let lane = |steps: Vec<Step>, logs| Lane { left: Box::new(steps.into_iter()), now: None, logs };
    let mut lanes = [lane(shown, None), lane(quiet, Some(logs))];
    loop {
        for at in 0..lanes.len() {
            if let Err(error) = lanes[at].go_on() {
                lanes.iter_mut().for_each(Lane::stop);
                if let Some(Running { log: Some(log), .. }) = &lanes[at].now {
                    eprintln!("\n{}", String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()));
                }
                return Err(error);
            }
        }
        if lanes.iter().all(|lane| lane.now.is_none()) {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}

impl Lane<'_> {
    /// Begins the next step where none is at work; an error where one has failed.
    fn go_on(&mut self) -> Result<()> {
        if let Some(running) = &mut self.now {
            let status =
                running.child.try_wait().with_context(|| format!("cannot wait for {}", running.name))?;
            let Some(status) = status else { return Ok(()) };
            running.ended(status)?;
            self.now = None;
        }
        let Some(step) = self.left.next() else { return Ok(()) };
        self.now = Some(self.begin(step)?);
        Ok(())
    }

    fn begin(&self, Step { name, mut command }: Step) -> Result<Running> {
        let log = self.logs.map(|logs| logs.join(format!("{name}.log")));
        match &log {
            None => eprintln!("\n> {name}"),
            Some(log) => {
                eprintln!("\n> {name}, beside it");
                let cannot = || format!("cannot write {}", log.display());
                let file = File::create(log).with_context(cannot)?;
                let other = file.try_clone().with_context(cannot)?;
                command.stdin(Stdio::null()).stdout(file).stderr(other);
            }
        }
        let child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        Ok(Running { name, child, begun: Instant::now(), log })
    }

    /// Stops the step at work, with all that it has started.
    fn stop(&mut self) {
        let Some(running) = &mut self.now else { return };
        // A step that has ended has no processes, and its number may be another's.
        if !matches!(running.child.try_wait(), Ok(None)) {
            return;
        }
        let all = frozen(running.child.id());
        signal("-TERM", &all);
        signal("-CONT", &all);
        let asked = Instant::now();
        while asked.elapsed() < GRACE && matches!(running.child.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK);
        }
        if matches!(running.child.try_wait(), Ok(None)) {
            signal("-KILL", &frozen(running.child.id()));
        }
        // What is killed ends.
        let _ = running.child.wait();
        eprintln!("{} is stopped", running.name);
    }
}

impl Running {
    fn ended(&self, status: ExitStatus) -> Result<()> {
        let (name, seconds) = (self.name, self.begun.elapsed().as_secs());
        match (status.success(), &self.log) {
            (true, None) => eprintln!("{name}: good, {seconds} s"),
            (true, Some(log)) => eprintln!("{name}: good, {seconds} s; its output is in {}", log.display()),
            (false, _) => bail!("{name} failed after {seconds} s"),
        }
        Ok(())
    }
}

/// A process, those that it has started, and those that these have started, all of them frozen so that none starts
/// another. Where the system does not tell, the process alone.
fn frozen(pid: u32) -> Vec<u32> {
    signal("-STOP", &[pid]);
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<String> = children.collect();
    let children = children.iter().flat_map(|list| list.split(' ')).filter_map(|child| child.parse().ok());
    std::iter::once(pid).chain(children.flat_map(frozen)).collect()
}

fn signal(which: &str, pids: &[u32]) {
    // A process may be over by now.
    let pids = pids.iter().map(u32::to_string);
    let _ = Command::new("kill").arg(which).args(pids).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, script: &str) -> Step {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::null());
        Step::new(name, command)
    }

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("zermelo-beside-{name}-{}", std::process::id()))
    }

    #[test]
    fn steps_run_in_order_and_keep_their_output_apart() {
        let logs = folder("order");
        let mark = logs.join("mark");
        let first = format!("echo first; touch {}", mark.display());
        let second = format!("echo second >&2; test -e {}", mark.display());
        let quiet = vec![step("first", &first), step("second", &second)];
        run(vec![step("shown", "exit 0")], quiet, &logs).expect("all are good");
        let said = |name: &str| std::fs::read_to_string(logs.join(name)).expect("a file");
        assert_eq!((said("first.log").as_str(), said("second.log").as_str()), ("first\n", "second\n"));
        std::fs::remove_dir_all(logs).expect("removed");
    }

    #[test]
    fn the_first_failure_stops_all_that_was_started() {
        let logs = folder("stop");
        let mark = logs.join("mark");
        // A process of a process, which would make a mark.
        let slow = format!("sh -c 'sleep 2; touch {}'; exit 0", mark.display());
        let begun = Instant::now();
        let failed = run(vec![step("slow", &slow)], vec![step("bad", "exit 3")], &logs);
        assert!(failed.is_err_and(|error| error.to_string().contains("bad failed")));
        let failed = run(vec![step("bad", "exit 3")], vec![step("slow", &slow), step("never", "")], &logs);
        assert!(failed.is_err_and(|error| error.to_string().contains("bad failed")));
        // Longer than the mark would take.
        std::thread::sleep(Duration::from_millis(2500).saturating_sub(begun.elapsed()));
        assert!(!mark.exists() && !logs.join("never.log").exists());
        std::fs::remove_dir_all(logs).expect("removed");
    }
}
