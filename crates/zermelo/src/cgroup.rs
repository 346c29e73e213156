//! How much memory a container or a batch system leaves to this process, which the machine as a whole knows nothing of.
//!
//! A process is in a control group, and that in others; each may have a limit. Version 2 of them has one tree in
//! `/sys/fs/cgroup`, version 1 a tree for memory alone in `/sys/fs/cgroup/memory`.

use std::path::Path;

/// The names of one version's files.
struct Names {
    limit: &'static str,
    used: &'static str,
    /// In `memory.stat`: what the system takes back as soon as somebody wants it.
    idle: &'static str,
}

const FIRST: Names =
    Names { limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", idle: "total_inactive_file" };
const SECOND: Names = Names { limit: "memory.max", used: "memory.current", idle: "inactive_file" };

/// Bytes that the groups of this process leave; `None` where none has a limit.
pub(crate) fn free() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    least(&groups, Path::new("/sys/fs/cgroup"))
}

/// Bytes that the groups in `groups`, the text of `/proc/self/cgroup`, leave, with the trees of groups in a folder;
/// `None` where no group has a limit.
fn least(groups: &str, trees: &Path) -> Option<u64> {
    let of_line = |line: &str| {
        let (tree, group, names) = tree_of(line)?;
        let folder = trees.join(tree);
        let group = folder.join(group);
        // Inside a container the name may be one that only the outside knows; then the tree's own limit counts.
        let all = group.ancestors().take_while(|path| path.starts_with(&folder));
        all.filter_map(|group| left(group, &names)).min()
    };
    groups.lines().filter_map(of_line).min()
}

/// The tree and the group that a line tells of, such as `0::/user.slice` or `9:memory:/slurm/job_7`.
fn tree_of(line: &str) -> Option<(&'static str, &str, Names)> {
    let mut parts = line.splitn(3, ':');
    let (_, kinds, group) = (parts.next()?, parts.next()?, parts.next()?);
    let group = group.trim_start_matches('/');
    match kinds {
        "" => Some(("", group, SECOND)),
        kinds if kinds.split(',').any(|kind| kind == "memory") => Some(("memory", group, FIRST)),
        _ => None,
    }
}

/// What one group leaves; `None` where it has no limit.
fn left(group: &Path, names: &Names) -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(group.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    // Without a limit the first version says a number that no machine has, the second a word.
    let limit = number(names.limit).filter(|limit| *limit < 1 << 60)?;
    let stat = read("memory.stat").unwrap_or_default();
    let idle = stat.lines().find_map(|line| line.strip_prefix(names.idle)?.trim().parse::<u64>().ok());
    let used = number(names.used).unwrap_or(0).saturating_sub(idle.unwrap_or(0));
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Files in a folder of the test's own, which goes with it.
    struct Files(PathBuf);

    impl Files {
        fn new(name: &str, files: &[(&str, &str)]) -> Files {
            let root = std::env::temp_dir().join(format!("zermelo-cgroup-{name}-{}", std::process::id()));
            for (file, text) in files {
                let path = root.join(file);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                std::fs::write(path, text).expect("written");
            }
            Files(root)
        }
    }

    impl Drop for Files {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_least_of_all_groups_counts() {
        let files = Files::new(
            "second",
            &[
                ("slice/memory.max", "1000\n"),
                ("slice/memory.current", "700\n"),
                ("slice/memory.stat", "anon 500\ninactive_file 150\nactive_file 50\n"),
                ("slice/job/memory.max", "900\n"),
                ("slice/job/memory.current", "300\n"),
                ("slice/job/step/memory.max", "max\n"),
                ("slice/job/step/memory.current", "300\n"),
                ("other/memory.max", "1\n"),
            ],
        );
        assert_eq!(least("0::/slice/job/step\n", &files.0), Some(450));
        assert_eq!(least("0::/slice\n", &files.0), Some(450));
        assert_eq!(least("0::/\n", &files.0), None);
        assert_eq!(least("0::/other\n", &files.0), Some(1));
    }

    #[test]
    fn the_first_version_has_a_tree_for_memory() {
        let files = Files::new(
            "first",
            &[
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/slurm/job/memory.limit_in_bytes", "5000\n"),
                ("memory/slurm/job/memory.usage_in_bytes", "2000\n"),
                ("memory/slurm/job/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n"),
            ],
        );
        let groups = "11:cpuset:/slurm/job\n9:memory:/slurm/job\n1:name=systemd:/\n0::/slurm/job\n";
        assert_eq!(least(groups, &files.0), Some(3500));
        assert_eq!(least("9:cpu,memory:/slurm/job\n", &files.0), Some(3500));
        assert_eq!(least("9:memory:/\n", &files.0), None);
    }

    #[test]
    fn a_group_by_a_name_that_only_the_outside_knows() {
        let files = Files::new("inside", &[("memory.max", "4096\n"), ("memory.current", "5000\n")]);
        // More is used than allowed, as after a limit was lowered.
        assert_eq!(least("0::/docker/0123abcd\n", &files.0), Some(0));
        assert_eq!(least("nonsense\n", &files.0), None);
    }
}
