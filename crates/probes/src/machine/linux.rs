//! Linux: facts from system calls, the auxiliary vector and `/dev/kmsg`.

use super::kernel::own_facts;
use super::noise::CpuTimes;
use super::power;
use super::root::{Missing, Process, Root};
use crate::time::ask;
use chronoscope_model::Environment;
use chronoscope_model::timekeeping::{Adjtimex, Distances, Timekeeping};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::OnceLock;

pub use super::lacking::*;

/// The folder under which files hold facts.
pub const FILES: Option<&str> = Some("/");

pub fn power_source() -> Option<String> {
    power::source(&Root::host())
}

/// Asks the kernel about this process and about itself.
pub fn process() -> Process {
    let names = rustix::system::uname();
    let text = |name: &CStr| Some(name.to_string_lossy().into_owned());
    let clock = adjtimex_answer();
    Process {
        facts: Environment {
            allowed_cpus: allowed(),
            timer_slack_ns: crate::waits::os::slack(),
            emulated: emulator(),
            keeping: Some(Timekeeping {
                timer_resolution_ns: timer_resolution_ns(),
                time64: time64(),
                library_clock: crate::time::library_clock(),
                sleep_refused: crate::time::refused(),
                distances: distances(),
                adjtimex: clock.as_ref().ok().copied(),
                adjtimex_refused: clock.err(),
                ..Timekeeping::default()
            }),
            ..own_facts()
        },
        sysname: text(names.sysname()),
        release: text(names.release()),
        machine: text(names.machine()),
        tsc_permitted: crate::time::tsc_permitted(),
        vdso: Some(vdso_base().is_some()),
        cntfrq: cntfrq(),
        ..Process::default()
    }
}

/// The kernel's account of its clock, in one line with its own names and units; `None` if it is
/// refused.
pub fn adjtimex() -> Option<String> {
    adjtimex_answer().ok().map(|answer| answer.line())
}

/// The kernel's random id of this boot (random(4)).
pub fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// The address of the vDSO's ELF header, AT_SYSINFO_EHDR (vdso(7), getauxval(3)).
pub fn vdso_base() -> Option<*const u8> {
    // SAFETY: getauxval takes any number and only reads the process's own vector.
    let base = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
    (base != 0).then(|| std::ptr::with_exposed_provenance(base as usize))
}

/// Valgrind, which interprets the process and is mapped into it. It knows neither the vDSO nor
/// some instructions.
pub fn emulator() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        let paths = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
        let path = paths.into_iter().find(|path| path.contains("/valgrind/"))?;
        let name = path.rsplit('/').next().unwrap_or(path);
        Some(format!("Valgrind ({name} is mapped into the process)"))
    });
    found.clone()
}

const BITS: usize = libc::c_ulong::BITS as usize;

/// The number of words in the largest mask that is tried: 65,536 CPUs, more than any kernel's
/// NR_CPUS.
const MOST: usize = (1 << 16) / BITS;

/// A set of CPUs, one bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask(Vec<libc::c_ulong>);

impl Mask {
    /// The mask of the calling thread. The kernel rejects a mask smaller than its own with EINVAL,
    /// so the mask grows until it fits.
    fn of_thread() -> io::Result<Mask> {
        let mut words = vec![0; 1024 / BITS];
        loop {
            // SAFETY: `words` is valid for the number of bytes passed.
            let done = unsafe {
                libc::sched_getaffinity(0, size_of_val(&words[..]), words.as_mut_ptr().cast())
            };
            if done == 0 {
                return Ok(Mask(words));
            }
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::EINVAL) || words.len() >= MOST {
                return Err(error);
            }
            words = vec![0; words.len() * 2];
        }
    }

    fn of_cpu(cpu: usize) -> io::Result<Mask> {
        if cpu >= MOST * BITS {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        let mut words = vec![0; (cpu / BITS + 1).max(1024 / BITS)];
        words[cpu / BITS] = 1 << (cpu % BITS);
        Ok(Mask(words))
    }

    fn apply(&self) -> io::Result<()> {
        // SAFETY: the words are valid for the number of bytes passed, and only read.
        let done =
            unsafe { libc::sched_setaffinity(0, size_of_val(&self.0[..]), self.0.as_ptr().cast()) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn cpus(&self) -> Vec<usize> {
        (0..self.0.len() * BITS).filter(|cpu| self.0[cpu / BITS] >> (cpu % BITS) & 1 == 1).collect()
    }
}

/// The CPUs on which the calling thread may run; empty if the kernel does not report them.
pub fn allowed() -> Vec<usize> {
    Mask::of_thread().map(|mask| mask.cpus()).unwrap_or_default()
}

/// Pins the calling thread to one CPU and returns its previous mask.
pub fn pin(cpu: usize) -> io::Result<Mask> {
    let before = Mask::of_thread()?;
    Mask::of_cpu(cpu)?.apply()?;
    Ok(before)
}

pub fn restore(mask: &Mask) -> io::Result<()> {
    mask.apply()
}

/// The answer of adjtimex(2), or its error: a sandbox may refuse the call.
#[allow(clippy::useless_conversion, reason = "the fields have 32 bits on some targets")]
pub fn adjtimex_answer() -> Result<Adjtimex, String> {
    // SAFETY: timex is made of numbers, for which zero is valid. Its field `modes` is then zero,
    // which asks for everything and sets nothing.
    let mut found: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the call fills the structure, which outlives it.
    let state = unsafe { libc::adjtimex(&raw mut found) };
    match state {
        0.. => Ok(Adjtimex {
            state,
            status: found.status.cast_unsigned(),
            maxerror_us: i64::from(found.maxerror),
            esterror_us: i64::from(found.esterror),
            freq: i64::from(found.freq),
            tick_us: i64::from(found.tick),
            tai_s: found.tai,
        }),
        _ => Err(error()),
    }
}

/// The name of the last error, as errno(3) has it, or its text.
fn error() -> String {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EPERM) => "EPERM".to_owned(),
        Some(libc::EACCES) => "EACCES".to_owned(),
        Some(libc::ENOSYS) => "ENOSYS".to_owned(),
        _ => error.to_string(),
    }
}

/// What the kernel's timers claim as their resolution, in nanoseconds (clock_getres(2): 1 with
/// high-resolution timers, otherwise a tick; kernel/time/hrtimer.c, `hrtimer_resolution`).
pub fn timer_resolution_ns() -> Option<u64> {
    u64::try_from(ask(libc::SYS_clock_getres, libc::CLOCK_MONOTONIC)?.as_nanos()).ok()
}

/// How often the clocks are read together: the narrowest of these reads counts.
const TRIES: usize = 8;

/// The distances between the system's clocks, by reads in a row; `None` if one cannot be read.
pub fn distances() -> Option<Distances> {
    let read = |clock| i64::try_from(ask(libc::SYS_clock_gettime, clock)?.as_nanos()).ok();
    let once = || {
        let before = read(libc::CLOCK_MONOTONIC)?;
        let wall = read(libc::CLOCK_REALTIME)?;
        let boot = read(libc::CLOCK_BOOTTIME);
        let after = read(libc::CLOCK_MONOTONIC)?;
        // Both were read at some time between the two.
        let half = after.checked_sub(before)? / 2;
        let middle = before.checked_add(half)?;
        Some(Distances {
            wall_ns: wall.checked_sub(middle)?,
            boot_ns: boot.and_then(|boot| boot.checked_sub(middle)),
            error_ns: half + 1,
        })
    };
    (0..TRIES).filter_map(|_| once()).min_by_key(|found| found.error_ns)
}

/// The error of clock_gettime64 in a 32-bit program, which old filters of system calls refuse
/// (moby#40734); empty if it works. A 64-bit program has no such call.
pub fn time64() -> Option<String> {
    if cfg!(target_pointer_width = "64") {
        return None;
    }
    /// Number of clock_gettime64 on every 32-bit architecture (kernel,
    /// `scripts/syscall.tbl`).
    const CLOCK_GETTIME64: libc::c_long = 403;
    let mut found = [0_i64; 2];
    // SAFETY: clock_gettime64 stores two 64-bit numbers at the address given, that of a local.
    let done = unsafe { libc::syscall(CLOCK_GETTIME64, libc::CLOCK_REALTIME, found.as_mut_ptr()) };
    Some(match done {
        0 => String::new(),
        _ => error(),
    })
}

/// Longer than any record (kernel, CONSOLE_EXT_LOG_MAX is 8192).
const RECORD: usize = 8192;

/// All facts of the machine must appear at once, so a huge log is cut. A log of the usual size, 256
/// KiB, has some 2500 records and takes 5 ms. The limit is not a time, because a fault at the end
/// of the log would then be overlooked on a busy machine.
const RECORDS: usize = 16 << 10;

/// The present records, one per line; does not wait for more.
pub fn kernel_log() -> Result<String, Missing> {
    let mut file =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open("/dev/kmsg")?;
    let mut log = String::new();
    let mut record = [0; RECORD];
    for _ in 0..RECORDS {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(length) => log.push_str(&String::from_utf8_lossy(&record[..length])),
            // EPIPE: the oldest record was overwritten during the read; the next one is available.
            Err(e) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted) => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock => break,
            // If the first read fails, its error is returned; after that, what was read counts.
            Err(e) if log.is_empty() => return Err(e.into()),
            Err(_) => break,
        }
    }
    if log.is_empty() { Err(Missing::Empty) } else { Ok(log) }
}

/// CNTFRQ; `None` if the kernel does not let user code read it, and on other processors.
#[cfg(all(native_c, any(target_arch = "aarch64", target_arch = "arm")))]
pub fn cntfrq() -> Option<u64> {
    unsafe extern "C" {
        /// From native/arm.c: 0 if the register cannot be read.
        safe fn cs_arm_cntfrq() -> u64;
    }
    Some(cs_arm_cntfrq()).filter(|hz| *hz > 0)
}

/// `None`: the processor has no such register, or the build had no compiler for the code that reads
/// it.
#[cfg(not(all(native_c, any(target_arch = "aarch64", target_arch = "arm"))))]
pub fn cntfrq() -> Option<u64> {
    None
}

/// The involuntary context switches of this thread (getrusage(2), RUSAGE_THREAD).
pub fn thread_switches() -> Option<u64> {
    crate::waits::os::switches().map(|(_, involuntary)| involuntary)
}

/// The longest line of a CPU: its name and ten numbers of 64 bits (Linux fs/proc/stat.c,
/// show_stat).
const LINE: usize = 256;

/// The largest number of lines that is read; no Linux has more CPUs (Kconfig, NR_CPUS).
const LINES: usize = 8192;

/// The time stolen since boot from that CPU, or from all CPUs (proc(5), `/proc/stat`, field
/// `steal`), in nanoseconds. It advances in ticks of USER_HZ, mostly of 10 ms.
pub fn steal_ns(cpu: Option<usize>) -> Option<u64> {
    static STAT: OnceLock<Option<File>> = OnceLock::new();
    let file = STAT.get_or_init(|| File::open("/proc/stat").ok()).as_ref()?;
    // The line of all CPUs comes first, then one line per CPU in order.
    let lines = cpu.map_or(1, |cpu| cpu.saturating_add(2).min(LINES));
    let mut text = vec![0; lines * LINE];
    let length = file.read_at(&mut text, 0).ok()?;
    // SAFETY: sysconf takes any number and stores nothing.
    let hz = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
    let name = cpu.map_or_else(|| "cpu".to_owned(), |cpu| format!("cpu{cpu}"));
    steal(&String::from_utf8_lossy(&text[..length]), &name, hz)
}

/// The time that this thread was ready to run and waited for a CPU, in nanoseconds
/// (`/proc/thread-self/schedstat`: Linux Documentation/scheduler/sched-stats.rst). Any user may
/// read it. `None` if the kernel keeps no such statistics.
pub fn run_queue_ns() -> Option<u64> {
    let mut text = [0; 128];
    let file = File::open("/proc/thread-self/schedstat").ok()?;
    let length = file.read_at(&mut text, 0).ok()?;
    run_delay(&String::from_utf8_lossy(&text[..length]))
}

/// The second of `time on the CPU`, `time in the run queue` and `time slices`, in nanoseconds. A
/// kernel that does not count reports zeros, among them no time slice; a new thread has run, though
/// no tick may have counted its time yet.
pub fn run_delay(schedstat: &str) -> Option<u64> {
    let mut numbers = schedstat.split_ascii_whitespace().map(str::parse::<u64>);
    let _ran = numbers.next()?.ok()?;
    let waited = numbers.next()?.ok()?;
    let slices = numbers.next()?.ok()?;
    (slices > 0).then_some(waited)
}

/// Whether the kernel has changed what this file shows since it was last read, if it says so of
/// such files (kernel, fs/kernfs/file.c, `kernfs_generic_poll`).
pub fn has_changed(file: &File) -> bool {
    let mut asked = [PollFd::new(file, PollFlags::PRI)];
    let found = poll(&mut asked, Some(&Timespec::default()));
    found == Ok(1) && asked[0].revents().contains(PollFlags::PRI)
}

/// The CPU that this thread currently runs on (sched_getcpu(3)).
pub fn current_cpu() -> Option<usize> {
    // Not by rustix, which reads the vDSO's header even where an emulator maps none.
    // SAFETY: sched_getcpu takes no argument and stores nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// The steal in the line `name` of `/proc/stat`:
/// `cpu user nice system idle iowait irq softirq steal …` in ticks of `hz` per second (proc(5)).
fn steal(stat: &str, name: &str, hz: u64) -> Option<u64> {
    let mut lines = stat.lines().map(str::split_ascii_whitespace);
    let mut words = lines.find_map(|mut words| (words.next() == Some(name)).then_some(words))?;
    in_ns(words.nth(7)?, hz)
}

/// Ticks as nanoseconds.
fn in_ns(ticks: &str, hz: u64) -> Option<u64> {
    ticks.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_div(hz)
}

/// What each CPU has done since boot, in nanoseconds, in ticks as [`steal_ns`].
pub fn cpu_times() -> Vec<CpuTimes> {
    // SAFETY: sysconf takes any number and stores nothing.
    let hz = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or_default();
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    stat.lines().filter_map(|line| times_of_cpu(line, hz)).collect()
}

fn times_of_cpu(line: &str, hz: u64) -> Option<CpuTimes> {
    let (name, rest) = line.split_once(' ')?;
    let cpu = name.strip_prefix("cpu")?.parse().ok()?;
    let ns: Vec<u64> = rest.split_ascii_whitespace().map_while(|it| in_ns(it, hz)).collect();
    // User, nice, system, interrupts and their deferred work.
    let busy = [0, 1, 2, 5, 6].iter().map(|at| ns.get(*at)).sum::<Option<u64>>()?;
    Some(CpuTimes { cpu, busy_ns: busy, steal_ns: *ns.get(7)? })
}

/// The CPU time of the children of this process that have ended and were waited for, and of theirs,
/// in nanoseconds (getrusage(2), RUSAGE_CHILDREN).
pub fn children_cpu_ns() -> Option<u64> {
    let usage = crate::waits::os::rusage(libc::RUSAGE_CHILDREN)?;
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    let ns = |time: libc::timeval| {
        let us = (time.tv_sec as i64).checked_mul(1_000_000)?.checked_add(time.tv_usec as i64)?;
        u64::try_from(us).ok()?.checked_mul(1_000)
    };
    ns(usage.ru_utime)?.checked_add(ns(usage.ru_stime)?)
}

/// Watches for changes of the wall clock since it was opened: the kernel cancels a timer when the
/// clock is set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET). Nothing else is done with the timer,
/// which would expire in years. The kernel also reports the end of a suspension.
#[derive(Debug)]
pub struct ClockSet(File);

/// A moment that no run reaches, in seconds since 1970. The kernel reduces what is beyond its own
/// range to the end of that range (include/linux/ktime.h, ktime_set). A 32-bit kernel before 5.1
/// takes 32 bits.
const NEVER: i64 = isize::MAX as i64;

impl ClockSet {
    /// Begins to watch.
    ///
    /// # Errors
    /// The kernel or a sandbox refuses such a timer.
    pub fn open() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let watch = Self(timerfd_create(TimerfdClockId::Realtime, flags)?.into());
        watch.arm()?;
        Ok(watch)
    }

    /// Whether the clock was set since the last call.
    pub fn was_set(&mut self) -> bool {
        let read = self.0.read(&mut [0; 8]);
        let is_cancel = |error: io::Error| error.raw_os_error() == Some(libc::ECANCELED);
        let cancelled = read.is_err_and(is_cancel);
        if cancelled {
            // The timer stays armed, but the next change is reported only to a timer that is set
            // again.
            let _ = self.arm();
        }
        cancelled
    }

    fn arm(&self) -> io::Result<()> {
        let it_value = Timespec { tv_sec: NEVER, tv_nsec: 0 };
        let when = Itimerspec { it_interval: Timespec::default(), it_value };
        let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
        timerfd_settime(&self.0, flags, &when)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn asking_sets_nothing() {
        let (first, second) = (adjtimex_answer(), adjtimex_answer());
        assert_eq!(first.map(|it| (it.tick_us, it.tai_s)), second.map(|it| (it.tick_us, it.tai_s)));
    }

    #[test]
    fn clocks_that_nothing_steps_keep_their_distance() {
        let [Some(first), Some(second)] = [distances(), distances()] else {
            panic!("every Linux has these clocks");
        };
        let moved = first.moved(&second);
        assert!(moved.wall_ns.abs() <= moved.error_ns, "{moved:?}");
        assert!(timer_resolution_ns().is_some_and(|ns| ns > 0));
    }

    #[test]
    fn steal_is_the_eighth_figure() {
        let of_all = |stat, hz| steal(stat, "cpu", hz);
        assert_eq!(of_all("cpu  27232 0 4324 480830 1262 0 98 43 0 0\n", 100), Some(430_000_000));
        assert_eq!(of_all("cpu  1 2 3 4\n", 100), None);
        assert_eq!(of_all("cpu0 1 2 3 4 5 6 7 8\n", 100), None);
        assert_eq!(of_all("cpu 1 2 3 4 5 6 7 18446744073709551615\n", 100), None);
        assert_eq!(of_all("cpu 1 2 3 4 5 6 7 8\n", 0), None);
    }

    #[test]
    fn each_cpu_has_its_own_line() {
        let stat = "cpu 9 9 9 9 9 9 9 30 0 0\ncpu0 1 2 3 4 5 6 7 10 0 0\n\
                    cpu10 1 2 3 4 5 6 7 20 0 0\nintr 5\n";
        assert_eq!(steal(stat, "cpu0", 100), Some(100_000_000));
        assert_eq!(steal(stat, "cpu10", 100), Some(200_000_000));
        assert_eq!(steal(stat, "cpu1", 100), None);
    }

    #[test]
    fn the_time_in_the_run_queue_is_the_second_figure_of_a_kernel_that_counts() {
        assert_eq!(run_delay("1500000 320000 7\n"), Some(320_000));
        assert_eq!(run_delay("1500000 0 7\n"), Some(0));
        assert_eq!(run_delay("0 2270981 1\n"), Some(2_270_981));
        for nothing in ["0 0 0\n", "", "12", "1 x 3", "1 2", "-1 2 3", "1 99999999999999999999 1"] {
            assert_eq!(run_delay(nothing), None, "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "(cpu)?.*", hz: u64) {
            let _ = steal(&text, "cpu", hz);
        }
    }

    #[test]
    fn counts_never_fall() {
        let before = (thread_switches(), steal_ns(None));
        std::thread::yield_now();
        assert!(thread_switches() >= before.0 && before.0.is_some());
        assert!(steal_ns(None) >= before.1);
        // A kernel without scheduler statistics has none.
        let waited = run_queue_ns();
        assert!(run_queue_ns() >= waited);
        let own = current_cpu();
        // A container may number the CPUs differently from the kernel.
        assert!(own.is_some() && steal_ns(own) <= steal_ns(None));
        assert_eq!(steal_ns(Some(usize::MAX)), None);
    }

    #[test]
    fn a_clock_that_nobody_sets_was_not_set() {
        let mut watch = ClockSet::open().expect("a timer");
        assert!((0..100).all(|_| !watch.was_set()));
    }
}
