//! Processes made by fork(2), which end with the thread that made them.

use super::{Order, work};
use crate::group::has_ended;
use crate::scheduler;
use crate::waits::Unavailable;
use crate::waits::os::cpu_of;
use chronoscope_model::waits::Load;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;

/// One process of a load; dropping it ends the process.
#[derive(Debug)]
pub struct Child {
    pid: libc::pid_t,
}

/// What the child reports about its start: which step failed, and the system's error number. Two
/// bytes cannot be written in part (pipe(7), PIPE_BUF).
const STARTED: [u8; 2] = [0, 0];

/// The steps of a child's start, by what they are called when they fail.
const STEPS: [&str; 6] = [
    "",
    "prctl(PR_SET_PDEATHSIG)",
    "sched_setaffinity",
    "its priority",
    "its memory or timers",
    "its pseudo-terminal (/dev/ptmx)",
];

pub fn scheduling(order: &Order) -> String {
    match (order.load, order.fifo) {
        (Load::Low, _) => "SCHED_IDLE".into(),
        (Load::LowNice, _) => format!("nice {LOWEST_NICE}"),
        (Load::High, Some(priority)) => format!("SCHED_FIFO {priority}"),
        (Load::High, None) => "nice -20".into(),
        _ => "as the tool itself".into(),
    }
}

pub use work::about;

/// The lowest priority that still has a share of the CPU: 15 for the 1,024 of nice 0
/// (kernel/sched/core.c, `sched_prio_to_weight`).
const LOWEST_NICE: libc::c_int = 19;

/// A real-time process that computes lets nobody else run; the highest nice value shares.
pub fn leaves_one_free(load: Load, fifo: bool) -> bool {
    load == Load::High && fifo
}

/// Always `None`: a load forks, and does not start the program again.
pub fn requested() -> Option<i32> {
    None
}

/// The file that the processes write to, if they do.
pub fn prepare(order: &Order, notes: &mut Vec<String>) -> Result<Option<File>, Unavailable> {
    (order.load == Load::Io).then(|| work::file(notes)).transpose()
}

/// Forks one of the processes, and waits until it runs as requested.
pub fn launch(
    order: &Order,
    cpu: usize,
    nth: usize,
    file: &Option<File>,
) -> Result<Child, Unavailable> {
    let pipe = io::pipe().map_err(|error| Unavailable(format!("pipe2: {error}")));
    let (mut reader, writer) = pipe?;
    let file = file.as_ref().map(AsRawFd::as_raw_fd);
    let work = work::Work { load: order.load, nth, file };
    let fifo = order.fifo.and_then(|p| libc::c_int::try_from(p).ok());
    // SAFETY: getpid cannot fail.
    let parent = unsafe { libc::getpid() };
    // SAFETY: other threads may exist, so the child calls nothing but what is safe in a signal
    // handler (signal-safety(7)): system calls without allocation, and `_exit`.
    let pid = unsafe { libc::fork() };
    match pid {
        0 => {
            let told = writer.as_raw_fd();
            let step = settle_in(parent, cpu, order.load, fifo).map(|()| work::prepare(&work));
            match step {
                Ok(Ok(ready)) => {
                    tell(told, STARTED);
                    work::run(&work, ready, parent)
                }
                Ok(Err(errno)) => {
                    tell(told, [if order.load == Load::Print { 5 } else { 4 }, errno as u8]);
                }
                Err((step, errno)) => tell(told, [step, errno as u8]),
            }
            // SAFETY: ends the child without running what belongs to the parent.
            unsafe { libc::_exit(1) }
        }
        pid if pid > 0 => {
            let child = Child { pid };
            drop(writer);
            let mut told = [u8::MAX; 2];
            let read = reader.read_exact(&mut told);
            match (read, told) {
                // A low priority comes last and from here: on a machine without idle time, a
                // process that had it would take a long time to report its start.
                (Ok(()), STARTED) if order.load == Load::Low => child
                    .schedule(libc::SCHED_IDLE)
                    .map(|()| child)
                    .map_err(|errno| refused(order, 3, errno as u8)),
                (Ok(()), STARTED) => Ok(child),
                (Ok(()), [step, errno]) => Err(refused(order, step, errno)),
                (Err(_), _) => Err(Unavailable("a load process ended before it began".into())),
            }
        }
        _ => Err(Unavailable(format!("fork: {}", io::Error::last_os_error()))),
    }
}

fn refused(order: &Order, step: u8, errno: u8) -> Unavailable {
    let step = STEPS.get(usize::from(step)).unwrap_or(&"its start");
    let error = io::Error::from_raw_os_error(errno.into());
    let help = if order.load == Load::High {
        "; a higher priority needs CAP_SYS_NICE or root, or a limit that allows it (ulimit -e 40, \
         ulimit -r 49)"
    } else {
        ""
    };
    Unavailable(format!("load {}: {step}: {error}{help}", order.load.name()))
}

/// Runs in the child. Writes two bytes; there is nobody to report a failure to.
fn tell(fd: libc::c_int, what: [u8; 2]) {
    // SAFETY: two bytes of a live array.
    unsafe { libc::write(fd, what.as_ptr().cast(), what.len()) };
}

pub(super) fn errno() -> i32 {
    // SAFETY: the address of this thread's errno is always valid.
    unsafe { *libc::__errno_location() }
}

/// In the child: everything but the work. Gives the step that failed.
fn settle_in(
    parent: libc::pid_t,
    cpu: usize,
    load: Load,
    fifo: Option<libc::c_int>,
) -> Result<(), (u8, i32)> {
    let step = |step: u8, result: libc::c_int| {
        if result == 0 { Ok(()) } else { Err((step, errno())) }
    };
    // SAFETY: system calls with numbers and with locals that outlive them.
    unsafe {
        step(1, libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        // The parent may have ended before the call above.
        if libc::getppid() != parent {
            return Err((1, libc::ESRCH));
        }
        // Who looks for what made a wait late must not take it for the tool. A kernel that keeps
        // the old name does no harm.
        libc::prctl(libc::PR_SET_NAME, c"chrono-load".as_ptr());
        // Ctrl-C, timeout(1) and a lost connection signal the whole group; the tool hears them and
        // ends its load in order. Its own handlers must not run here, in a copy of its state.
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::signal(signal, libc::SIG_IGN);
        }

        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if cpu >= 8 * size_of::<libc::cpu_set_t>() {
            return Err((2, libc::EINVAL));
        }
        libc::CPU_SET(cpu, &mut set);
        step(2, libc::sched_setaffinity(0, size_of_val(&set), &raw const set))?;
        match (load, fifo) {
            (Load::High, Some(sched_priority)) => {
                // A process that spins for longer than this without the pauses of its work is a
                // runaway, and the kernel ends it.
                let limit = libc::rlimit { rlim_cur: 1_000_000, rlim_max: 1_000_000 };
                step(3, libc::setrlimit(libc::RLIMIT_RTTIME, &raw const limit))?;
                scheduler::set(0, libc::SCHED_FIFO, sched_priority).map_err(|errno| (3, errno))
            }
            (Load::High, None) => step(3, libc::setpriority(libc::PRIO_PROCESS, 0, -20)),
            (Load::LowNice, _) => step(3, libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST_NICE)),
            _ => Ok(()),
        }
    }
}

impl Child {
    /// Gives the child another scheduling class, with priority 0.
    fn schedule(&self, policy: libc::c_int) -> Result<(), i32> {
        // The child is not reaped before the drop, so its number is its own.
        scheduler::set(self.pid, policy, 0)
    }

    /// The CPU time that the child has used, in nanoseconds; `None` if the system does not report
    /// it.
    pub fn cpu_ns(&self) -> Option<u64> {
        // The child is not reaped before the drop, so its number is still its own.
        cpu_of(self.pid.cast_unsigned())
    }

    pub fn alive(&self) -> bool {
        !has_ended(self.pid.cast_unsigned())
    }

    #[cfg(test)]
    pub fn pid(&self) -> i32 {
        self.pid
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A process must run in order to end, and at a low priority it may have to wait a long
        // time. If the user may not raise the priority again, it does wait.
        let _ = self.schedule(libc::SCHED_OTHER);
        let mut status = 0;
        // SAFETY: the child is ours and not reaped, so the number cannot be another's.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            while libc::waitpid(self.pid, &raw mut status, 0) < 0 && errno() == libc::EINTR {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Order, Running, start};
    use crate::machine::affinity;
    use chronoscope_model::waits::Load;
    use std::time::{Duration, Instant};

    fn order(load: Load) -> Order {
        let cpus = affinity::allowed();
        Order { load, processes: cpus.len(), cpus, fifo: None, whole: false }
    }

    /// A load that was started, or refused for lack of privilege, which a test must allow for.
    fn started(order: &Order) -> Option<Running> {
        match start(order) {
            Ok(running) => Some(running),
            Err(reason) => {
                assert!(
                    reason.0.contains("priority") && reason.0.contains("CAP_SYS_NICE"),
                    "{reason}"
                );
                None
            }
        }
    }

    fn exists(pid: i32) -> bool {
        // A process that has ended and is not reaped is still there, as a zombie.
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .ok()
            .and_then(|stat| Some(stat.rsplit_once(") ")?.1.chars().next()? != 'Z'))
            .unwrap_or(false)
    }

    #[test]
    fn every_load_runs_gets_time_and_leaves_nothing_behind() {
        // SAFETY: asks for this process's own nice value and policy.
        let priority = || unsafe {
            (
                libc::getpriority(libc::PRIO_PROCESS, 0),
                // Not the C library's function, which only fails in musl.
                libc::syscall(libc::SYS_sched_getscheduler, 0),
            )
        };
        let (before, inherited) = (affinity::allowed(), priority());
        for load in Load::ALL.into_iter().filter(|load| *load != Load::None) {
            let Some(mut running) = started(&order(load)) else {
                continue;
            };
            let pids: Vec<i32> = running.children.iter().map(|w| w.child.pid()).collect();
            assert_eq!(pids.len(), before.len());
            assert!(pids.iter().all(|&pid| exists(pid)), "{}", load.name());
            // A process gets CPU time when the machine has some; an idle-class process may have to
            // wait.
            let patience = Instant::now();
            while running.so_far().cpus() <= 0.0 && patience.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(20));
            }
            let got = running.stop();
            assert!(got.cpus() > 0.0, "{} got no time", load.name());
            assert!(got.about.len() > 20, "{} does not describe itself", load.name());
            assert_eq!(got.lost(), 0, "{got:?}");
            assert!(!pids.iter().any(|&pid| exists(pid)), "{} left a process behind", load.name());
        }
        // The caller's CPUs and priority are unchanged.
        assert_eq!(affinity::allowed(), before);
        assert_eq!(priority(), inherited);
    }

    #[test]
    fn a_nice_load_has_the_lowest_nice_value() {
        let running = start(&order(Load::LowNice)).expect("no privilege is needed");
        for watched in &running.children {
            // SAFETY: asks for the nice value of a child that is not reaped.
            let nice =
                unsafe { libc::getpriority(libc::PRIO_PROCESS, watched.child.pid() as libc::id_t) };
            assert_eq!(nice, 19);
        }
        assert_eq!(running.stop().scheduling, "nice 19");
    }

    #[test]
    fn a_load_describes_what_it_does() {
        let about = crate::load::about;
        assert!(about(Load::Low).contains("sleeps for 100 us"), "{}", about(Load::Low));
        assert_eq!(about(Load::Low), about(Load::LowNice));
        assert!(about(Load::Io).contains("64 MiB") && about(Load::Io).contains("fdatasync"));
        assert!(about(Load::Timers).contains("200 us to 319 us"), "{}", about(Load::Timers));
        assert_eq!(about(Load::None), "");
    }

    #[test]
    fn a_real_time_load_outlives_what_one_may_run_without_a_pause() {
        let mut order = order(Load::High);
        // It runs on one of several CPUs: nothing of the test itself would run alongside it.
        if order.cpus.len() < 2 {
            eprintln!("left out: a real-time load on the only CPU");
            return;
        }
        order.cpus.truncate(1);
        order.processes = 1;
        order.fifo = Some(1);
        let Some(mut running) = started(&order) else {
            eprintln!("left out: no privilege for SCHED_FIFO");
            return;
        };
        // The kernel's limit is one second of CPU time.
        let patience = Instant::now();
        while running.so_far().processes[0].cpu_s < 1.5
            && running.children[0].child.alive()
            && patience.elapsed() < Duration::from_secs(20)
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        let so_far = running.so_far();
        assert!(running.children[0].child.alive(), "it ended: {so_far:?}");
        assert!(so_far.processes[0].cpu_s > 1.2, "{so_far:?}");
        assert_eq!(running.stop().lost(), 0);
    }

    #[test]
    fn a_load_ends_with_the_thread_that_started_it() {
        let pids = std::thread::spawn(|| {
            let running = start(&order(Load::Normal)).expect("no privilege is needed");
            let pids: Vec<i32> = running.children.iter().map(|w| w.child.pid()).collect();
            // As if the tool had been killed: nothing is dropped.
            std::mem::forget(running);
            pids
        })
        .join()
        .expect("no panic");
        let patience = Instant::now();
        while pids.iter().any(|&pid| exists(pid)) {
            assert!(patience.elapsed() < Duration::from_secs(20), "they live on");
            std::thread::sleep(Duration::from_millis(5));
        }
        for pid in pids {
            let mut status = 0;
            // SAFETY: the children are ours; this reaps them.
            unsafe { libc::waitpid(pid, &raw mut status, 0) };
        }
    }

    #[test]
    fn a_load_ends_with_a_panic_of_the_thread_that_holds_it() {
        let (say, hear) = std::sync::mpsc::channel();
        let panicked = std::thread::spawn(move || {
            let running = start(&order(Load::Normal)).expect("no privilege is needed");
            let pids: Vec<i32> = running.children.iter().map(|w| w.child.pid()).collect();
            say.send(pids).expect("somebody listens");
            std::panic::resume_unwind(Box::new("as if something had gone wrong"));
        })
        .join();
        assert!(panicked.is_err());
        // What is dropped in unwinding is ended and reaped, at once.
        let pids = hear.recv().expect("it was said");
        assert!(!pids.is_empty() && !pids.iter().any(|&pid| exists(pid)));
    }

    #[test]
    fn a_process_that_is_killed_from_outside_is_told() {
        let mut running = start(&order(Load::Normal)).expect("no privilege is needed");
        assert_eq!(running.so_far().lost(), 0);
        let pid = running.children[0].child.pid();
        // SAFETY: the child is ours and not reaped, so the number is its own.
        assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0);
        let patience = Instant::now();
        while running.so_far().lost() == 0 {
            assert!(patience.elapsed() < Duration::from_secs(20), "not seen");
            std::thread::sleep(Duration::from_millis(5));
        }
        let got = running.stop();
        assert!(got.processes[0].ended_s.is_some_and(|s| s > 0.0));
        assert_eq!(got.lost(), 1);
    }

    #[test]
    fn more_processes_than_processors_share_them_and_say_so() {
        let mut order = order(Load::Low);
        order.processes = order.cpus.len() + 1;
        let running = start(&order).expect("no privilege is needed");
        let got = running.stop();
        assert_eq!(got.processes.len(), order.processes);
        assert!(got.notes.iter().any(|note| note.contains("share")));
    }

    #[test]
    fn a_processor_that_is_not_there_is_named_as_the_reason() {
        for cpu in [1000, 100_000] {
            let mut order = order(Load::Normal);
            order.cpus = vec![cpu];
            let reason = start(&order).expect_err("no such processor").0;
            assert!(reason.contains("sched_setaffinity"), "{reason}");
        }
    }
}
