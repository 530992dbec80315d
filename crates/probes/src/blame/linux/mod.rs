//! Linux: its sources, and tasks as `/proc` shows them (proc_pid_stat(5), proc_pid_status(5); Linux
//! Documentation/scheduler/sched-stats.rst for schedstat).

#[cfg(test)]
mod denied_tests;
mod record;
mod ring;

use super::{IdleState, Missing, Named, Ran, Scanned, Seen, Task, Times, folders};
use crate::machine::quota::Quota as Groups;
use crate::machine::{self, Root, noise};
use crate::waits::os::thread_cpu;
use ring::{Of, Smi, Switches};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::time::Duration;

pub use record::Record;

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
        thread_cpu()
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
const MOST_IDLE_STATES: usize = 10;

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
    (0..MOST_IDLE_STATES).map_while(state).collect()
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

/// The inode of the first namespace of processes (Linux include/linux/proc_ns.h,
/// PROC_PID_INIT_INO).
const FIRST: &str = "pid:[4026531836]";
/// In the flags of a task: it is a thread of the kernel (Linux include/linux/sched.h, PF_KTHREAD).
const KERNEL_THREAD: u32 = 0x0020_0000;

/// What `/proc` shows of a task; `None` if it has ended, or is hidden.
pub fn read_task(task: Task) -> Option<Named> {
    let folder = format!("/proc/{}/task/{}", task.pid, task.tid);
    let stat = Stat::parse(&fs::read(format!("{folder}/stat")).ok()?)?;
    let status = fs::read(format!("{folder}/status")).unwrap_or_default();
    let own = rustix::process::getuid().as_raw();
    let kernel = stat.flags & KERNEL_THREAD != 0;
    Some(Named {
        name: Some(stat.name),
        policy: policy(stat.policy),
        priority: (stat.priority > 0).then_some(stat.priority),
        other_user: !kernel && user(&status) != Some(own),
    })
}

/// How long a task has run and waited; `None` if it has ended, is hidden, or nothing is counted.
/// One that has ended still has its times until somebody has waited for it.
pub fn times(task: Task) -> Option<Times> {
    let folder = format!("/proc/{}/task/{}", task.pid, task.tid);
    let counts = fs::read_to_string(format!("{folder}/schedstat")).ok()?;
    let queued_ns = machine::run_delay(&counts)?;
    let ran_ns = counts.split_ascii_whitespace().next()?.parse().ok()?;
    let stat = fs::read(format!("{folder}/stat")).ok().and_then(|text| Stat::parse(&text));
    Some(Times { ran_ns, queued_ns, cpu: stat.map(|stat| stat.cpu) })
}

/// The threads of a process and of all processes that it has started, as far as they have not been
/// left by the one that started them (proc_pid_task_children in proc(5); CONFIG_PROC_CHILDREN).
pub fn tasks_of(process: u32) -> Vec<Task> {
    let (mut found, mut open) = (Vec::new(), vec![process]);
    while let Some(pid) = open.pop()
        && found.len() < MOST_TASKS
    {
        for tid in numbers(&format!("/proc/{pid}/task")) {
            found.push(Task { pid, tid });
            let children = fs::read_to_string(format!("/proc/{pid}/task/{tid}/children"));
            let children = children.unwrap_or_default();
            open.extend(children.split_ascii_whitespace().filter_map(|it| it.parse::<u32>().ok()));
        }
    }
    found
}

/// The names of a folder that are numbers, in their order.
fn numbers(folder: &str) -> Vec<u32> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<u32> =
        all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    all.sort_unstable();
    all
}

/// Why not every task is visible here, if so.
pub fn hidden() -> Option<&'static str> {
    if !is_first_namespace() {
        return Some(
            "this process is in a namespace of processes (a container): what runs outside of it \
             has no name here",
        );
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    hides(&mounts).then_some(
        "/proc is mounted with hidepid: processes of other users have no name here, except for \
         root and the group of its option gid=",
    )
}

pub fn is_first_namespace() -> bool {
    fs::read_link("/proc/self/ns/pid").is_ok_and(|link| link.as_os_str() == FIRST)
}

/// Whether `/proc` hides processes of others (proc(5), hidepid: 0 and `off` hide nothing).
fn hides(mounts: &str) -> bool {
    let of_proc = mounts.lines().filter(|line| line.split(' ').nth(4) == Some("/proc"));
    let mut options = of_proc.flat_map(|line| line.split([' ', ',']));
    options.any(|it| it.strip_prefix("hidepid=").is_some_and(|how| how != "0" && how != "off"))
}

/// The fields of a task's `stat` that matter here.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    flags: u32,
    cpu: usize,
    priority: u32,
    policy: u32,
}

impl Stat {
    /// Parses `1234 (name) S 1 …`. The name may hold anything, parentheses too.
    fn parse(text: &[u8]) -> Option<Self> {
        let from = text.iter().position(|byte| *byte == b'(')? + 1;
        let to = text.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(text.get(to + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // The first of them is the third field, the state.
        let field = |nth: usize| fields.get(nth - 3).copied();
        Some(Self {
            name: String::from_utf8_lossy(text.get(from..to)?).into_owned(),
            flags: field(9)?.parse().ok()?,
            cpu: field(39)?.parse().ok()?,
            priority: field(40)?.parse().ok()?,
            policy: field(41)?.parse().ok()?,
        })
    }
}

/// The real user of a task: the first of the four numbers of `Uid:`.
fn user(status: &[u8]) -> Option<u32> {
    let mut lines = status.split(|byte| *byte == b'\n');
    let line = lines.find_map(|line| line.strip_prefix(b"Uid:"))?;
    std::str::from_utf8(line).ok()?.split_ascii_whitespace().next()?.parse().ok()
}

/// The name of a policy (Linux include/uapi/linux/sched.h).
fn policy(number: u32) -> Option<&'static str> {
    const NAMES: [&str; 8] = [
        "SCHED_OTHER",
        "SCHED_FIFO",
        "SCHED_RR",
        "SCHED_BATCH",
        "",
        "SCHED_IDLE",
        "SCHED_DEADLINE",
        "SCHED_EXT",
    ];
    NAMES.get(number as usize).copied().filter(|name| !name.is_empty())
}

/// The longest CPU time of a scan, and the most tasks that it looks at.
const TIME: Duration = Duration::from_millis(2);
const MOST_TASKS: usize = 4_000;

/// The CPU time of every task, as it was when it was last read.
#[derive(Debug)]
pub struct Scan {
    cpu: usize,
    own: u32,
    /// Nanoseconds, and whether the task was last seen on this CPU.
    times: HashMap<Task, (u64, bool)>,
    /// Whether the last scan saw all tasks, so that one that is not known is new.
    complete: bool,
    /// The process after which the next scan goes on.
    last: u32,
}

impl Scan {
    /// A scan of the tasks that run on this CPU. It leaves out those of this process.
    pub fn new(cpu: usize) -> Self {
        let own = std::process::id();
        Self { cpu, own, times: HashMap::new(), complete: false, last: 0 }
    }

    /// Which tasks' time has grown on this CPU since they were last read. Those that were last
    /// seen on it come first; the others take turns if there is no time for all.
    pub fn look(&mut self) -> Scanned {
        // On a busy machine, this thread waits for its CPU as well.
        let ran = || Duration::from_nanos(thread_cpu().unwrap_or_default());
        let began = ran();
        let over = |seen: usize| seen >= MOST_TASKS || ran().saturating_sub(began) >= TIME;
        let (mut scanned, mut seen) = (Scanned::default(), 0);
        let here = self.times.iter().filter(|(_, (_, here))| *here).map(|(task, _)| *task);
        for task in here.collect::<Vec<_>>() {
            if over(seen) {
                break;
            }
            seen += 1;
            self.task(task, &mut scanned);
        }
        let processes = numbers("/proc");
        let start = processes.partition_point(|pid| *pid <= self.last);
        let (done, next) = processes.split_at(start);
        let mut left = next.iter().chain(done);
        while !over(seen)
            && let Some(&pid) = left.next()
        {
            self.last = pid;
            if pid == self.own {
                continue;
            }
            for tid in numbers(&format!("/proc/{pid}/task")) {
                let task = Task { pid, tid };
                if over(seen) || self.times.get(&task).is_some_and(|(_, here)| *here) {
                    continue;
                }
                seen += 1;
                self.task(task, &mut scanned);
            }
        }
        scanned.left_out = left.count() as u64;
        self.complete = !over(seen);
        if scanned.left_out == 0 {
            // Those that have ended are not kept for ever.
            let alive = |task: &Task| processes.binary_search(&task.pid).is_ok();
            self.times.retain(|task, _| alive(task));
        }
        scanned.grown.sort_by_key(|(ran, _)| std::cmp::Reverse(ran.ns));
        scanned
    }

    /// Reads the time of one task.
    fn task(&mut self, task: Task, scanned: &mut Scanned) {
        let path = format!("/proc/{}/task/{}/schedstat", task.pid, task.tid);
        let time = fs::read_to_string(path)
            .ok()
            .and_then(|text| text.split_ascii_whitespace().next()?.parse::<u64>().ok());
        let Some(time) = time else {
            self.times.remove(&task);
            return;
        };
        let new = (if self.complete { 0 } else { time }, false);
        let (before, was_here) = self.times.get(&task).copied().unwrap_or(new);
        let ns = time.saturating_sub(before);
        let mut here = was_here;
        if ns > 0 {
            let stat = fs::read(format!("/proc/{}/task/{}/stat", task.pid, task.tid));
            let on = stat.ok().and_then(|text| Stat::parse(&text)).map(|stat| stat.cpu);
            here = on == Some(self.cpu);
            match read_task(task).filter(|_| here) {
                Some(named) => scanned.grown.push((Ran { task, ns }, named)),
                None => scanned.elsewhere_ns += ns,
            }
        }
        self.times.insert(task, (time, here));
    }
}

/// The task of the calling thread.
pub fn this_thread() -> Task {
    let tid = rustix::thread::gettid().as_raw_pid().cast_unsigned();
    Task { pid: std::process::id(), tid }
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

#[cfg(test)]
mod tasks_tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let rest = "S 1 2 3 4 5 2097152 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 \
                    26 27 28 29 30 31 32 33 34 1 50 1 36 37";
        let of = |name: &[u8]| {
            Stat::parse(&[b"12 (", name, b") ", rest.as_bytes()].concat()).expect("a line of stat")
        };
        assert_eq!(of(b"sh").name, "sh");
        assert_eq!(of(b"a) S (b\n\x1b[0m").name, "a) S (b\n\u{1b}[0m");
        assert_eq!(of(b"\xff\x80").name, "\u{fffd}\u{fffd}");
        let stat = of(b"");
        assert_eq!((stat.flags, stat.cpu, stat.priority), (KERNEL_THREAD, 1, 50));
        assert_eq!(policy(stat.policy), Some("SCHED_FIFO"));
        assert_eq!((policy(4), policy(99)), (None, None));
        for nothing in [&b""[..], b"1 (a", b"1 (a) S", b")(", b"1 (a) S 1 2 3 \xff"] {
            assert_eq!(Stat::parse(nothing), None);
        }
        assert_eq!(user(b"Name:\tUid: 5\nUid:\t1000\t0\t0\t0\n"), Some(1000));
        assert_eq!(user(b"Uid:\tx"), None);
    }

    #[test]
    fn a_mount_that_hides_processes_is_recognised() {
        let of = |how: &str| {
            hides(&format!("21 1 0:20 / /proc rw,relatime - proc proc rw{how}\n30 1 0:1 / /tmp rw"))
        };
        assert!(of(",hidepid=2") && of(",gid=4,hidepid=invisible"));
        assert!(!of("") && !of(",hidepid=0") && !of(",hidepid=off"));
        assert!(!hides("") && !hides("21 1 0:20 / /srv rw - proc proc rw,hidepid=2"));
    }

    #[test]
    fn this_thread_is_a_task_of_this_user() {
        let Some(own) = read_task(this_thread()) else {
            return;
        };
        assert!(!own.other_user && own.name.is_some() && own.policy.is_some(), "{own:?}");
        assert_eq!(read_task(Task { pid: u32::MAX, tid: u32::MAX }), None);
    }
}
