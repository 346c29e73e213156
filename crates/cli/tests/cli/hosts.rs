//! Four hosts on one machine: network namespaces that reach each other through a bridge, and a run over TCP.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::resume::tables;
use crate::scratch::{Scratch, text};

const PROGRAM: &str = env!("CARGO_BIN_EXE_zermelo");
const HOSTS: usize = 4;

/// Namespaces with a name of this test's own, which are removed when the test is over.
struct Hosts(String);

fn ip(args: &[&str]) -> bool {
    let status = Command::new("ip").args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

impl Hosts {
    /// Returns `None` where the system allows no namespaces.
    fn new(name: &str, net: u8) -> Option<Hosts> {
        let bridge = format!("zb{name}");
        let hosts = Hosts(name.into());
        let mut made = ip(&["link", "add", &bridge, "type", "bridge"]) && ip(&["link", "set", &bridge, "up"]);
        for n in 1..=HOSTS {
            let (space, link) = (hosts.space(n), format!("zv{name}{n}"));
            let address = format!("10.{net}.0.{n}/24");
            made = made
                && ip(&["netns", "add", &space])
                && ip(&["link", "add", &link, "type", "veth", "peer", "name", "eth0", "netns", &space])
                && ip(&["link", "set", &link, "master", &bridge, "up"])
                && ip(&["-n", &space, "addr", "add", &address, "dev", "eth0"])
                && ip(&["-n", &space, "link", "set", "eth0", "up"])
                && ip(&["-n", &space, "link", "set", "lo", "up"]);
        }
        if !made {
            eprintln!("SKIPPED: this system gives no network namespaces (they take root and the command ip)");
        }
        made.then_some(hosts)
    }

    fn space(&self, n: usize) -> String {
        format!("zh{}{n}", self.0)
    }

    /// Cuts a host off.
    fn cut(&self, n: usize) {
        assert!(ip(&["link", "set", &format!("zv{}{n}", self.0), "down"]));
    }

    /// Returns the command `mpirun` on the first host with a rank on each host. A stand-in for ssh reaches the hosts.
    fn mpirun(&self, net: u8, folder: &Path, args: &str) -> Command {
        let agent = folder.join("agent");
        let body = format!(
            "#!/bin/bash\nn=${{1##*.}}; shift\nexec ip netns exec zh{}$n unshare -u bash -c \"hostname host$n; $*\"\n",
            self.0
        );
        std::fs::write(&agent, body).unwrap();
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
        let list: Vec<_> = (1..=HOSTS).map(|n| format!("10.{net}.0.{n}:1")).collect();
        let mca = format!(
            "--mca plm_rsh_agent {} --mca oob_tcp_if_include 10.{net}.0.0/24 --mca btl self,tcp \
             --mca btl_tcp_if_include 10.{net}.0.0/24 --mca oob_tcp_keepalive_time 2 \
             --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3",
            agent.display()
        );
        let line = format!(
            "hostname host1; exec mpirun --allow-run-as-root {mca} --host {} -n {HOSTS} {PROGRAM} {args}",
            list.join(",")
        );
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.space(1), "unshare", "-u", "bash", "-c", &line]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for n in 1..=HOSTS {
            let pids = Command::new("ip").args(["netns", "pids", &self.space(n)]).output();
            for pid in pids.map(|out| text(&out.stdout)).unwrap_or_default().split_whitespace() {
                let _ = Command::new("kill").args(["-9", pid]).status();
            }
            ip(&["netns", "del", &self.space(n)]);
        }
        ip(&["link", "del", &format!("zb{}", self.0)]);
    }
}

#[test]
fn four_hosts_solve_over_tcp() {
    let Some(hosts) = Hosts::new("s", 81) else { return };
    let game = "quixo:rows=3,cols=4,line=3";
    let scratch = Scratch::new("hosts");
    let args = format!("solve {game} --threads 1 --json --data {}", scratch.path().display());
    let output = hosts.mpirun(81, scratch.path(), &args).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let solved: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<_> = solved["ranks"].as_array().unwrap().iter().map(|rank| rank["host"].clone()).collect();
    assert_eq!(names, ["host1", "host2", "host3", "host4"]);
    let whole = Scratch::new("hosts-whole");
    whole.json(&["solve", game, "--json"]);
    assert!(tables(&scratch, game) == tables(&whole, game));
}

#[test]
fn a_host_that_is_cut_off_ends_the_run() {
    let Some(hosts) = Hosts::new("c", 82) else { return };
    let game = "meaningless:depth=200,width=20,size=60000,loops=1";
    let scratch = Scratch::new("hosts-cut");
    let args = format!("solve {game} --threads 1 --json --data {}", scratch.path().display());
    let mut child = hosts.mpirun(82, scratch.path(), &args).spawn().unwrap();
    let folder = scratch.path().join("meaningless");
    let begun = Instant::now();
    let written = || {
        let variants = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        variants
            .filter_map(|v| std::fs::metadata(v.path().join("tables-3.zmo")).ok())
            .map(|m| m.len())
            .sum::<u64>()
    };
    while written() < 10_000 {
        assert!(begun.elapsed() < Duration::from_secs(60), "host 3 writes nothing");
        assert!(child.try_wait().unwrap().is_none(), "the run ended too soon");
        std::thread::sleep(Duration::from_millis(50));
    }
    hosts.cut(3);
    let cut = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(cut.elapsed() < Duration::from_secs(60), "the run goes on without host 3");
        std::thread::sleep(Duration::from_millis(100));
    }
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert!(!output.status.success(), "{told}");
    // The first part to notice reports the failure: mpirun, or the ranks.
    assert!(
        told.contains("lost communication with a remote daemon") || told.contains("has not been heard of"),
        "{told}"
    );
    eprintln!(
        "ended after {:.1} s: {}",
        cut.elapsed().as_secs_f64(),
        told.lines().take(6).collect::<Vec<_>>().join(" / ")
    );
}
