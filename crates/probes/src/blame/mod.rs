//! What the system reports to the calling thread about the time in which it did not run: the
//! sources from which a late wake-up is explained.
//!
//! Each source may be missing, with a reason, and the others go on. All of them are read after a
//! wait, so none of them makes it longer; only the records of context switches cost the kernel some
//! time in each switch.
//!
//! A mark in the kernel's trace at the moment of a late wake-up, as cyclictest sets one: whoever
//! traces sees what happened before it (Linux Documentation/trace/ftrace.rst, `trace_marker` and
//! `tracing_on`).

// The platform is chosen here only. Each has the same functions, and `unseen` compiles anywhere.
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "unseen.rs")]
mod os;

mod ran;
#[cfg(windows)]
#[allow(dead_code, reason = "Windows has sources of its own")]
mod unseen;

use crate::waits::os as system;
use chronoscope::witness::Entries;
use chronoscope_model::why::Interrupts;
pub use os::{Record, Scan, hidden, read_task, tasks_of, this_thread, times};
pub use ran::{Change, Heard, Named, Names, Ran, Span, Task, ran};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a thread did at a context switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The thread began to run.
    In,
    /// The thread gave up its CPU.
    Out,
    /// The thread was taken off its CPU.
    Preempted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The time of the switch, in nanoseconds by the clock that timers run on.
    pub at: u64,
    pub cpu: u32,
    pub turn: Turn,
}

/// The deepest idle state that a CPU entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleState {
    /// The state's name, as the kernel gives it.
    pub name: String,
    /// How long the CPU takes to leave the state, in nanoseconds, as the idle driver states.
    pub exit_ns: u64,
}

/// A source that does not exist here, or may not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The source's stable name.
    pub id: &'static str,
    /// The parts of lateness that cannot be separated without this source.
    pub loses: &'static str,
    /// The reason, in words that a user can act on.
    pub reason: String,
}

/// What was seen between two observations. Whatever is `None` is not known.
#[derive(Clone, Debug, Default)]
pub struct Seen<'a> {
    /// The time of the first observation, by the clock that timers run on, in nanoseconds.
    pub since: u64,
    /// The time of the second observation, by the same clock.
    pub until: u64,
    /// The thread's context switches, oldest first; `None` if some may be missing.
    pub switches: Option<&'a [Switch]>,
    /// How many records of switches were lost.
    pub lost: u64,
    /// How long the thread was ready to run but did not run, in nanoseconds.
    pub queued_ns: Option<u64>,
    /// How long the thread ran, in nanoseconds.
    pub ran_ns: Option<u64>,
    /// How long a quota kept the thread's group from running, in nanoseconds. It is read only if
    /// asked for, and then for the time since it was last read.
    pub throttled_ns: Option<u64>,
    /// The deepest idle state that the thread's CPU entered, `Some(None)` if none; read only if
    /// asked for.
    pub idle: Option<Option<&'a IdleState>>,
    /// System management interrupts of the CPUs that the thread ran on; read only if asked for.
    pub smis: Option<u64>,
    /// Whether an interrupt or a fault entered the kernel from the thread's own code since the
    /// mark was set.
    pub entered: Option<bool>,
}

/// What a CPU did in some spans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The tasks that had it, the one with the most time first.
    pub ran: Vec<Ran>,
    /// The interrupts that it handled, the longest first; empty if they are not recorded.
    pub interrupts: Vec<Interrupts>,
}

/// Which tasks have had a CPU since they were last looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// The tasks, with what is known of them, the one with the most time first.
    pub grown: Vec<(Ran, Named)>,
    /// How long others ran, which were last on another CPU or have ended, in nanoseconds.
    pub elsewhere_ns: u64,
    /// How many processes there was no time to look at.
    pub left_out: u64,
}

/// How long a task has run and waited since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// On a CPU, in nanoseconds.
    pub ran_ns: u64,
    /// Ready to run while something else had its CPU, in nanoseconds.
    pub queued_ns: u64,
    /// The CPU that it last ran on.
    pub cpu: Option<usize>,
}

/// The sources, opened by the thread that they are about.
#[derive(Debug)]
pub struct Sources {
    os: os::Sources,
    entered: Option<Entries>,
    since: u64,
    ran: Option<u64>,
    /// Whether they are about a thread of another process.
    other: bool,
}

impl Sources {
    /// Opens the sources that exist for the calling thread, and names those that do not.
    pub fn open() -> (Self, Vec<Missing>) {
        let (os, mut missing) = os::Sources::open();
        let entered = Entries::shown();
        if entered.is_none() {
            missing.push(Missing {
                id: "null-selector",
                loses: "interrupts and what is below the kernel",
                reason: "this processor, system or emulator does not show them to a program".into(),
            });
        }
        let mut sources = Self { os, entered, since: 0, ran: None, other: false };
        sources.forget();
        (sources, missing)
    }

    /// Opens the sources that exist for a thread of a child process. They are exact while that
    /// thread is not running, as it is when it has answered and the caller shares its CPU.
    ///
    /// # Errors
    /// The reason why nothing is reported about the thread.
    pub fn of(task: Task) -> Result<Self, String> {
        let os = os::Sources::of(task)?;
        let mut sources = Self { os, entered: None, since: 0, ran: None, other: true };
        sources.forget();
        Ok(sources)
    }

    /// Begins again: what has happened until now belongs to no wait.
    pub fn forget(&mut self) {
        self.os.look(true);
        (self.ran, self.since) = self.now();
    }

    /// The CPU time of the thread and the time. If something came between the two reads, they are
    /// read again.
    fn now(&self) -> (Option<u64>, u64) {
        const CLOSE: u64 = 1_500;
        let read = || {
            let before = system::monotonic();
            let ran = self.os.ran();
            let after = system::monotonic();
            (after.saturating_sub(before), (ran, after))
        };
        let mut best = read();
        for _ in 0..3 {
            if best.0 <= CLOSE {
                break;
            }
            let again = read();
            if again.0 <= best.0 {
                best = again;
            }
        }
        best.1
    }

    /// Sets the mark that an interrupt removes. To be called right before a wait.
    #[inline]
    pub fn mark(&self) {
        if let Some(entered) = &self.entered {
            entered.set();
        }
    }

    /// Whether an interrupt removed the mark. To be called right after a wait.
    #[inline]
    pub fn marked(&self) -> Option<bool> {
        self.entered.as_ref().map(Entries::stood)
    }

    /// What was seen since the last call. `closely`: also what changes only if a wait was late, and
    /// takes longer to read.
    pub fn look(&mut self, closely: bool, stood: Option<bool>) -> Seen<'_> {
        // The time is read first, so that no later switch is ascribed to this wait.
        let (ran, until) = self.now();
        let ran_ns = self.ran.zip(ran).map(|(from, to)| to.saturating_sub(from));
        let since = std::mem::replace(&mut self.since, until);
        self.ran = ran;
        let entered = stood.map(|stood| !stood);
        let mut seen = Seen { since, until, ran_ns, entered, ..self.os.look(closely) };
        if self.other
            && let Some(last) = seen.switches.and_then(<[_]>::last)
        {
            // The CPU time of a thread that runs elsewhere at this moment is not complete.
            match last.turn {
                Turn::In => seen.ran_ns = None,
                Turn::Out | Turn::Preempted => seen.until = last.at,
            }
        }
        seen
    }
}

/// Whether timers of the calling thread have slack: those of a real-time thread have none, whatever
/// is set (Linux kernel/time/hrtimer.c, `hrtimer_nanosleep`).
pub use os::has_slack;

/// Where tracefs is, and where it was before Linux 4.1.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Where tracefs is mounted, or may be.
fn folders() -> Vec<PathBuf> {
    mounted(&fs::read_to_string("/proc/self/mounts").unwrap_or_default())
}

fn mounted(mounts: &str) -> Vec<PathBuf> {
    let mounted = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (folder, kind) = (words.next()?, words.next()?);
        (kind == "tracefs").then(|| folder.replace("\\040", " ").into())
    });
    mounted.chain(FOLDERS.map(PathBuf::from)).collect()
}

/// The kernel's trace.
#[derive(Debug)]
pub struct Trace {
    marker: File,
    on: File,
}

impl Trace {
    /// Opens the kernel's trace, so that nothing has to be opened at the moment of the mark.
    ///
    /// # Errors
    /// The reason why no mark can be set, in words that a user can act on.
    pub fn open() -> Result<Self, String> {
        let mut refused = None;
        for folder in folders() {
            match Self::of(&folder) {
                Ok(trace) => return Ok(trace),
                Err(error) => drop(refused.get_or_insert((folder, error))),
            }
        }
        let (folder, error) =
            refused.unwrap_or_else(|| ("".into(), io::ErrorKind::NotFound.into()));
        Err(match error.kind() {
            io::ErrorKind::PermissionDenied => {
                format!("only root may write to tracefs ({})", folder.display())
            }
            io::ErrorKind::NotFound => {
                "tracefs is not mounted, or this system has none: mount -t tracefs tracefs \
                 /sys/kernel/tracing"
                    .into()
            }
            _ => format!("{}: {error}", folder.display()),
        })
    }

    fn of(folder: &Path) -> io::Result<Self> {
        let open = |name| OpenOptions::new().write(true).open(folder.join(name));
        Ok(Self { marker: open("trace_marker")?, on: open("tracing_on")? })
    }

    /// Sets a mark with this text, and stops tracing, so that the trace ends with it.
    ///
    /// # Errors
    /// The kernel refused it.
    pub fn stop(&self, text: &str) -> io::Result<()> {
        // Each write is one mark.
        (&self.marker).write_all(format!("{text}\n").as_bytes())?;
        (&self.on).write_all(b"0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Under load anything else may happen as well, so only what must be there is asserted.
    #[test]
    fn a_sleep_is_seen_by_every_source_that_there_is() {
        let (mut sources, missing) = Sources::open();
        for one in &missing {
            assert!(!one.reason.is_empty() && !one.loses.is_empty(), "{one:?}");
        }
        for _ in 0..20 {
            let start = system::monotonic();
            sources.forget();
            sources.mark();
            let before = system::monotonic();
            std::thread::sleep(Duration::from_millis(2));
            let stood = sources.marked();
            let after = system::monotonic();
            let seen = sources.look(true, stood);
            assert!(seen.since <= before && after <= seen.until, "{seen:?}");
            // The thread may lose its CPU between two of the sources.
            let whole = system::monotonic() - start;
            for part in [seen.queued_ns, seen.ran_ns] {
                assert!(part.is_none_or(|ns| ns <= whole + 1_000_000), "{seen:?}");
            }
            let Some(switches) = seen.switches else {
                continue;
            };
            let outs = switches.iter().filter(|it| it.turn != Turn::In).count();
            let ins = switches.len() - outs;
            assert!(ins >= 1 && ins.abs_diff(outs) <= 1, "{switches:?}");
            assert!(switches.is_sorted_by_key(|it| it.at), "{switches:?}");
            let within = switches.iter().filter(|it| before <= it.at && it.at <= after);
            assert!(within.count() >= 2, "{switches:?}");
        }
    }

    #[test]
    fn nothing_is_asked_twice() {
        let (mut sources, _) = Sources::open();
        std::thread::sleep(Duration::from_millis(1));
        let until = sources.look(true, None).until;
        let again = sources.look(true, None);
        assert_eq!(again.since, until);
        let early = |it: &&Switch| it.at < until.saturating_sub(10_000);
        assert_eq!(again.switches.unwrap_or_default().iter().find(early), None);
    }
}

#[cfg(test)]
mod trace_tests {
    use super::*;

    #[test]
    fn a_mark_is_written_and_tracing_stops() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        assert_eq!(Trace::of(folder.path()).expect_err("empty").kind(), io::ErrorKind::NotFound);
        fs::write(at("trace_marker"), "").expect("room");
        fs::write(at("tracing_on"), "1").expect("room");
        let trace = Trace::of(folder.path()).expect("both are there");
        trace.stop("late by 1.2 ms").expect("files");
        assert_eq!(fs::read_to_string(at("trace_marker")).expect("text"), "late by 1.2 ms\n");
        assert_eq!(fs::read_to_string(at("tracing_on")).expect("text"), "0");
        if let Err(why) = Trace::open() {
            assert!(!why.is_empty() && !why.contains('\n'), "{why}");
        }
    }

    #[test]
    fn tracefs_is_found_where_it_is_mounted() {
        let mounts = "none /tmp/tr tracefs rw 0 0\n/tracefs /a ext4 rw\nx\n\n";
        assert_eq!(mounted(mounts)[0], Path::new("/tmp/tr"));
        assert_eq!(mounted("\u{fffd} tracefs"), FOLDERS.map(PathBuf::from));
    }
}
