//! Shared parts of the tests of long runs: a tool that is running, and what is visible from
//! outside.

// Each test crate that includes this module uses its own part of it.
#![allow(dead_code)]

use chronoscope_model::Report;
use chronoscope_report::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything here takes on a loaded machine; ends a test that would hang.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn waits(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.arg("waits").args(args).stdin(Stdio::null());
    command
}

pub fn start(args: &[&str]) -> Child {
    waits(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool")
}

pub fn json(args: &[&str]) -> (Report, Output) {
    let output = waits(args).arg("--json").output().expect("the tool");
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (report, output)
}

pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn samples(path: &Path) -> Option<u64> {
    Some(read(path).ok()?.waits.first()?.samples)
}

pub fn read(path: &Path) -> Result<Report, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    json::read(&bytes).map_err(|error| error.to_string())
}

pub fn path_text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// The children of a process, as the kernel lists them for each of its threads.
pub fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

pub fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// A control group of the second version for one process, which can be frozen.
pub struct Group(PathBuf);

impl Group {
    /// Only root may make one, where that version is mounted.
    pub fn new() -> Option<Self> {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let mounted = mounts.lines().find(|line| line.contains(" - cgroup2 "));
        let point = mounted.and_then(|line| line.split(' ').nth(4)).unwrap_or("/nonexistent");
        let name = format!("chronoscope-{}-{}", std::process::id(), fastrand::u32(..));
        let folder = Path::new(point).join(name);
        let made = std::fs::create_dir(&folder);
        if let Err(why) = &made {
            let all = |name| std::env::var_os(name).is_some_and(|value| value == "true");
            assert!(!all("CI") && !all("CHRONOSCOPE_SKIP_NOTHING"), "{}: {why}", folder.display());
            println!("skipped: {}: {why}", folder.display());
        }
        made.ok().map(|()| Self(folder))
    }

    /// Starts the tool in it.
    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", r#"echo $$ >"$0" && exec "$@""#]).arg(self.0.join("cgroup.procs"));
        command.arg(env!("CARGO_BIN_EXE_chronoscope")).args(args).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell")
    }

    pub fn freeze(&self, frozen: bool) {
        let number = if frozen { "1" } else { "0" };
        std::fs::write(self.0.join("cgroup.freeze"), number).expect("its freezer");
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::write(self.0.join("cgroup.freeze"), "0");
        let _ = std::fs::remove_dir(&self.0);
    }
}
