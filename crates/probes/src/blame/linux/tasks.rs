//! Tasks as `/proc` shows them (proc_pid_stat(5), proc_pid_status(5);
//! Linux Documentation/scheduler/sched-stats.rst for schedstat).

use super::super::{Named, Ran, Scanned, Task, Times};
use crate::machine;
use crate::waits::os::thread_cpu;
use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// The inode of the first namespace of processes (Linux include/linux/proc_ns.h,
/// PROC_PID_INIT_INO).
const FIRST: &str = "pid:[4026531836]";
/// In the flags of a task: it is a thread of the kernel (Linux include/linux/sched.h, PF_KTHREAD).
const KERNEL_THREAD: u32 = 0x0020_0000;

/// What `/proc` shows of a task; `None` if it has ended, or is hidden.
pub fn read(task: Task) -> Option<Named> {
    let folder = format!("/proc/{}/task/{}", task.pid, task.tid);
    let stat = Stat::parse(&fs::read(format!("{folder}/stat")).ok()?)?;
    let status = fs::read(format!("{folder}/status")).unwrap_or_default();
    // SAFETY: has no preconditions and cannot fail.
    let own = unsafe { libc::getuid() };
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
        && found.len() < MOST
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
const MOST: usize = 4_000;

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
        let over = |seen: usize| seen >= MOST || ran().saturating_sub(began) >= TIME;
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
            match read(task).filter(|_| here) {
                Some(named) => scanned.grown.push((Ran { task, ns }, named)),
                None => scanned.elsewhere_ns += ns,
            }
        }
        self.times.insert(task, (time, here));
    }
}

/// The task of the calling thread.
pub fn this_thread() -> Task {
    // SAFETY: has no preconditions and cannot fail.
    let tid = unsafe { libc::syscall(libc::SYS_gettid) };
    Task { pid: std::process::id(), tid: tid as u32 }
}

#[cfg(test)]
mod tests {
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
        let Some(own) = read(this_thread()) else {
            return;
        };
        assert!(!own.other_user && own.name.is_some() && own.policy.is_some(), "{own:?}");
        assert_eq!(read(Task { pid: u32::MAX, tid: u32::MAX }), None);
    }
}
