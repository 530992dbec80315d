//! Linux.

#[cfg(test)]
mod denied_tests;
mod record;
mod ring;
mod tasks;

use super::{IdleState, Missing, Seen, Task, folders};
use crate::machine::quota::Quota as Groups;
use crate::machine::{self, Root, noise};
use crate::waits::os as system;
use ring::{Of, Smi, Switches};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;

pub use record::Record;
pub use tasks::{
    Scan, hidden, is_first_namespace, read as read_task, tasks_of, this_thread, times,
};

#[derive(Debug)]
pub(super) struct Sources {
    switches: Option<Switches>,
    queue: Option<Queue>,
    quota: Option<Quota>,
    idle: Option<Idle>,
    smi: Option<Smi>,
    /// The sources are about a thread of another process.
    other: bool,
}

/// The source, or what is missing without it.
fn have<T>(
    opened: Result<T, String>,
    id: &'static str,
    loses: &'static str,
    missing: &mut Vec<Missing>,
) -> Option<T> {
    opened.map_err(|reason| missing.push(Missing { id, loses, reason })).ok()
}

impl Sources {
    pub(super) fn open() -> (Self, Vec<Missing>) {
        let mut missing = Vec::new();
        let all = &mut missing;
        let sources = Self {
            switches: have(
                Switches::open(Of::ThisThread),
                "switches",
                "idle exit, preemption and return",
                all,
            ),
            queue: have(Queue::open(SCHEDSTAT), "schedstat", "idle exit and run queue", all),
            quota: have(Quota::open(), "cpu-stat", "run queue and CPU quota", all),
            idle: have(Idle::open(), "cpuidle", "idle exit and interrupts", all),
            smi: have(Smi::open(), "smi", "host and firmware", all),
            other: false,
        };
        all.push(no_timerlat());
        (sources, missing)
    }

    pub(super) fn of(task: Task) -> Result<Self, String> {
        let Task { pid, tid } = task;
        let queue = Queue::open(&format!("/proc/{pid}/task/{tid}/schedstat"))?;
        Ok(Self {
            switches: Switches::open(Of::Thread(tid)).ok(),
            queue: Some(queue),
            quota: Quota::open().ok(),
            idle: Idle::open().ok(),
            smi: None,
            other: true,
        })
    }

    pub(super) fn look(&mut self, closely: bool) -> Seen<'_> {
        let (switches, lost) = self.switches.as_mut().map_or((None, 0), Switches::look);
        let queued_ns = self.queue.as_mut().and_then(Queue::look);
        let throttled_ns = self.quota.as_mut().and_then(|quota| quota.look(closely));
        let cpu = match switches.and_then(<[_]>::last) {
            Some(last) if self.other => Some(last.cpu as usize),
            _ => noise::current_cpu(),
        };
        let cpu = cpu.filter(|_| closely);
        let idle = self.idle.as_mut().and_then(|idle| idle.look(cpu));
        let smis = self.smi.as_mut().filter(|_| closely).and_then(Smi::look);
        Seen { switches, lost, queued_ns, throttled_ns, idle, smis, ..Seen::default() }
    }

    pub(super) fn ran(&self) -> Option<u64> {
        if self.other {
            return self.queue.as_ref()?.ran();
        }
        system::thread_cpu()
    }
}

pub fn has_slack() -> bool {
    // SAFETY: 0 is the calling thread; the call stores nothing.
    let policy = unsafe { libc::sched_getscheduler(0) } & !libc::SCHED_RESET_ON_FORK;
    const SCHED_DEADLINE: libc::c_int = 6;
    !matches!(policy, libc::SCHED_FIFO | libc::SCHED_RR | SCHED_DEADLINE)
}

/// Reads a small file from its beginning.
fn read<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
    let length = file.read_at(buffer, 0).ok()?;
    std::str::from_utf8(buffer.get(..length)?).ok()
}

/// A counter of the kernel, with its value when it was last read.
#[derive(Clone, Copy, Debug, Default)]
struct Counter(Option<u64>);

impl Counter {
    /// Returns the increase since the last read, and stores the new value.
    fn look(&mut self, now: Option<u64>) -> Option<u64> {
        std::mem::replace(&mut self.0, now).zip(now).map(|(from, to)| to.saturating_sub(from))
    }
}

/// `/proc/self` is the leader's, whichever thread asks.
const SCHEDSTAT: &str = "/proc/thread-self/schedstat";

#[derive(Debug)]
pub(super) struct Queue {
    file: File,
    waited: Counter,
}

impl Queue {
    /// Opens the `schedstat` of a thread.
    pub(super) fn open(path: &str) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
        let mut queue = Self { file, waited: Counter::default() };
        queue.look();
        let built = "the kernel was built without CONFIG_SCHED_INFO";
        queue.waited.0.ok_or_else(|| format!("{path} holds no figures: {built}"))?;
        Ok(queue)
    }

    pub(super) fn look(&mut self) -> Option<u64> {
        let mut text = [0; 128];
        self.waited.look(read(&self.file, &mut text).and_then(machine::run_delay))
    }

    /// How long the thread ran, in nanoseconds, up to when it last left its CPU
    /// (Documentation/scheduler/sched-stats.rst).
    fn ran(&self) -> Option<u64> {
        let mut text = [0; 128];
        read(&self.file, &mut text)?.split_whitespace().next()?.parse().ok()
    }
}

#[derive(Debug)]
pub(super) struct Quota {
    groups: Groups,
    /// The groups' counts, in the same order.
    counters: Vec<Counter>,
}

impl Quota {
    pub(super) fn open() -> Result<Self, String> {
        let groups = Groups::of(&Root::host())
            .ok_or("no control group with a CPU controller is visible (cpu.stat)")?;
        Ok(Self { counters: vec![Counter::default(); groups.each().count()], groups })
    }

    /// How long a group was throttled since the last call, if asked to look closely: the one that
    /// was throttled longest, because an outer group's time includes an inner one's. A group that
    /// was throttled made a thread late, so what is read later still belongs to the same wait.
    pub(super) fn look(&mut self, closely: bool) -> Option<u64> {
        let each = closely.then(|| self.groups.each()).into_iter().flatten();
        let all = self.counters.iter_mut().zip(each);
        all.filter_map(|(counter, now)| counter.look(now.map(|it| it.ns))).max()
    }
}

/// No driver has more states (Linux include/linux/cpuidle.h, CPUIDLE_STATE_MAX).
const MOST: usize = 10;

#[derive(Debug)]
struct State {
    about: IdleState,
    file: File,
    usage: Counter,
}

/// The states of one CPU, shallowest first.
#[derive(Debug)]
pub(super) struct Idle {
    cpu: usize,
    states: Vec<State>,
}

impl Idle {
    pub(super) fn open() -> Result<Self, String> {
        let cpu = noise::current_cpu().ok_or("the system does not name the CPU")?;
        let states = states(cpu);
        if states.is_empty() {
            return Err(
                "the kernel has no idle states (/sys/devices/system/cpu/cpu*/cpuidle): it halts \
                 the CPU without a driver, and in a virtual machine the host chooses"
                    .into(),
            );
        }
        Ok(Self { cpu, states })
    }

    /// The deepest state that the thread's CPU entered since the last call, if asked to look
    /// closely; `None` if that is not known.
    pub(super) fn look(&mut self, cpu: Option<usize>) -> Option<Option<&IdleState>> {
        let cpu = cpu?;
        if cpu != self.cpu {
            // What the other CPU did before is not known.
            (self.cpu, self.states) = (cpu, states(cpu));
        }
        let (mut known, mut deepest) = (!self.states.is_empty(), None);
        for state in &mut self.states {
            let mut text = [0; 32];
            let usage = read(&state.file, &mut text).and_then(|text| text.trim().parse().ok());
            let grown = state.usage.look(usage);
            known &= grown.is_some();
            if grown > Some(0) {
                deepest = Some(&state.about);
            }
        }
        known.then_some(deepest)
    }
}

/// The states of a CPU; empty if there are none.
fn states(cpu: usize) -> Vec<State> {
    let state = |nth: usize| {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{nth}");
        let text = |name: &str| {
            let text = fs::read_to_string(format!("{folder}/{name}")).ok()?;
            Some(text.trim().to_owned())
        };
        let us: u64 = text("latency")?.parse().ok()?;
        Some(State {
            about: IdleState {
                name: text("name")?.chars().filter(|c| !c.is_control()).take(32).collect(),
                exit_ns: us.saturating_mul(1000),
            },
            file: File::open(format!("{folder}/usage")).ok()?,
            usage: Counter::default(),
        })
    };
    (0..MOST).map_while(state).collect()
}

/// Why an idle exit stays together with the interrupt and the switch after it.
pub(super) fn no_timerlat() -> Missing {
    let folders = folders().into_iter();
    let tracers = folders.map(|folder| fs::read_to_string(folder.join("available_tracers")));
    let tracers: Vec<_> = tracers.map(|it| it.map_err(|error| error.kind())).collect();
    Missing {
        id: "timerlat",
        loses: "the timer's interrupt and the start of the thread",
        reason: reason(&tracers).to_owned(),
    }
}

fn reason(tracers: &[Result<String, ErrorKind>]) -> &'static str {
    let named = |list: &String| list.split_whitespace().any(|name| name == "timerlat");
    if tracers.iter().flatten().any(named) {
        return "only the kernel's timerlat tracer times both, in threads of its own; as root, \
                compare with `rtla timerlat top`";
    }
    if tracers.iter().any(Result::is_ok) {
        return "this kernel has no timerlat tracer (CONFIG_TIMERLAT_TRACER, Linux 5.14)";
    }
    if tracers.contains(&Err(ErrorKind::PermissionDenied)) {
        "that needs the kernel's timerlat tracer, which only root may use"
    } else {
        "that needs the kernel's timerlat tracer, and no tracefs is mounted"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kernel_has_its_reason() {
        let list = |text: &str| Ok(text.to_owned());
        let none = || Err(ErrorKind::NotFound);
        for (tracers, says) in [
            ([list("timerlat osnoise nop\n"), none()], "rtla"),
            ([none(), list("timerlat nop\n")], "rtla"),
            ([list("function nop\n"), none()], "CONFIG_TIMERLAT_TRACER"),
            ([list(""), none()], "CONFIG_TIMERLAT_TRACER"),
            ([Err(ErrorKind::PermissionDenied), none()], "only root"),
            ([none(), none()], "no tracefs"),
        ] {
            assert!(reason(&tracers).contains(says), "{tracers:?}");
        }
        assert!(!no_timerlat().reason.is_empty());
    }
}
