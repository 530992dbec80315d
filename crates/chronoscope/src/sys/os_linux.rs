//! Linux: the kernel's clocks, its view of the counter, and an absolute sleep.

use core::ffi::{c_int, c_long};
use core::sync::atomic::{AtomicBool, Ordering};

use libc::{CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME, clockid_t, timespec};

use crate::machine::{Hint, Kernel};

/// Set if the counter is forbidden; the vDSO reads the counter, so it is then forbidden too.
static BY_SYSTEM_CALL: AtomicBool = AtomicBool::new(false);

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// Seconds as the C library counts them.
#[cfg_attr(
    target_env = "musl",
    allow(deprecated, reason = "libc means its 32-bit targets")
)]
type Seconds = libc::time_t;

fn read(clock: clockid_t) -> u64 {
    let mut time = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // Neither can fail for these clocks and a valid place. If one did, the time would stay zero,
    // which a calibration rejects.
    if BY_SYSTEM_CALL.load(Ordering::Relaxed) {
        raw_read(clock, &mut time);
    } else {
        // SAFETY: `time` is a valid place for the answer.
        unsafe { libc::clock_gettime(clock, &mut time) };
    }
    nanoseconds(time)
}

/// Reads through a system call instead of the vDSO.
fn raw_read(clock: clockid_t, time: &mut timespec) {
    // SAFETY: `time` is a valid place of the type this number takes.
    unsafe {
        libc::syscall(
            libc::SYS_clock_gettime,
            clock as c_long,
            time as *mut timespec,
        )
    };
}

fn nanoseconds(time: timespec) -> u64 {
    (time.tv_sec as u64)
        .wrapping_mul(NANOS_PER_SEC)
        .wrapping_add(time.tv_nsec as u64)
}

/// Whether reading the counter raises a signal (`prctl(2)`, PR_GET_TSC). x86 only; elsewhere the
/// call fails, which counts as "no". If so, the system's clocks are read by system call from then
/// on.
pub fn counter_forbidden() -> bool {
    let mut state: c_int = libc::PR_TSC_ENABLE;
    // SAFETY: the kernel writes an int to the place given.
    let failed = unsafe { libc::prctl(libc::PR_GET_TSC, &mut state as *mut c_int) } != 0;
    let forbidden = !failed && state == libc::PR_TSC_SIGSEGV;
    BY_SYSTEM_CALL.store(forbidden, Ordering::Relaxed);
    forbidden
}

/// The name of the clock that [`reference`] reads.
pub const REFERENCE: &str = "CLOCK_MONOTONIC_RAW";

/// CLOCK_MONOTONIC_RAW: the hardware's rate, which no discipline of the clock changes.
pub fn reference() -> u64 {
    read(CLOCK_MONOTONIC_RAW)
}

/// The kernel's clocks count nanoseconds; coarser hardware shows in the brackets.
pub fn reference_step() -> u64 {
    1
}

/// CLOCK_MONOTONIC, which std's `Instant` reads too.
pub fn monotonic() -> u64 {
    read(CLOCK_MONOTONIC)
}

/// `CLOCK_REALTIME` is in nanoseconds.
pub const WALL_STEP: u64 = 1;

/// CLOCK_REALTIME.
///
/// If `time_t` has 32 bits, the C library's call fails from 2038 on; std uses a 64-bit call there.
pub fn wall() -> u64 {
    const WIDE: bool = size_of::<Seconds>() >= 8;
    if WIDE || BY_SYSTEM_CALL.load(Ordering::Relaxed) {
        return read(CLOCK_REALTIME);
    }
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    })
}

/// `maxerror` of `adjtimex(2)`; `None` if a sandbox denies the call.
pub fn wall_error() -> Option<u64> {
    // SAFETY: all-zero is a valid timex; modes = 0 reads without setting anything.
    let mut answer: libc::timex = unsafe { core::mem::zeroed() };
    // SAFETY: `answer` is a valid place, and the call only writes to it.
    let state = unsafe { libc::adjtimex(&mut answer) };
    (state >= 0).then(|| (answer.maxerror.max(0) as u64).saturating_mul(1000))
}

const SOURCES: &str = "/sys/devices/system/clocksource/clocksource0/";

/// What the kernel does with a counter that it knows under one of `names`.
pub fn kernel_view(names: &[&str]) -> Kernel {
    let read = |file| std::fs::read_to_string(format!("{SOURCES}{file}_clocksource"));
    match (read("current"), read("available")) {
        (Ok(current), Ok(available)) => view(current.trim(), &available, names),
        _ => Kernel::Silent,
    }
}

fn view(current: &str, available: &str, names: &[&str]) -> Kernel {
    if current.is_empty() {
        Kernel::Silent
    } else if names.contains(&current) {
        Kernel::Uses(current.into())
    } else if available
        .split_whitespace()
        .any(|source| names.contains(&source))
    {
        Kernel::Offers(current.into())
    } else {
        Kernel::Dropped(current.into())
    }
}

/// The rate from the page of a perf event, if the kernel offers it.
pub fn rate_hint() -> Option<Hint> {
    super::perf_page::rate()
}

/// Moves this thread to each allowed CPU in turn by its affinity, and restores the affinity.
pub fn on_each_cpu(visit: &mut dyn FnMut(usize) -> bool) -> bool {
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: all-zero is the empty set.
    let mut allowed: libc::cpu_set_t = unsafe { core::mem::zeroed() };
    // SAFETY: a valid place of the size given; 0 is this thread.
    if unsafe { libc::sched_getaffinity(0, size, &mut allowed) } != 0 {
        return false;
    }
    let mut went = true;
    for cpu in 0..libc::CPU_SETSIZE as usize {
        // SAFETY: `cpu` is below CPU_SETSIZE.
        if !unsafe { libc::CPU_ISSET(cpu, &allowed) } {
            continue;
        }
        // SAFETY: as above.
        let mut only: libc::cpu_set_t = unsafe { core::mem::zeroed() };
        // SAFETY: `cpu` is below CPU_SETSIZE.
        unsafe { libc::CPU_SET(cpu, &mut only) };
        // SAFETY: a valid set of the size given. When the call returns the thread runs there.
        if unsafe { libc::sched_setaffinity(0, size, &only) } != 0 {
            went = false;
            break;
        }
        if !visit(cpu) {
            break;
        }
    }
    // SAFETY: as above. It can fail only if the set was changed from outside in the meantime.
    went & (unsafe { libc::sched_setaffinity(0, size, &allowed) } == 0)
}

/// Reduces this thread's timer slack to a nanosecond as long as this exists.
///
/// A sleep may be longer by the slack, 50 us by default (`prctl(2)`, PR_SET_TIMERSLACK).
struct TightTimers(Option<c_int>);

impl TightTimers {
    fn new() -> Self {
        // SAFETY: only returns a number.
        let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
        if slack <= 1 {
            return Self(None);
        }
        // SAFETY: affects only the timers of this thread.
        let set = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as c_long) } == 0;
        Self(set.then_some(slack))
    }
}

impl Drop for TightTimers {
    fn drop(&mut self) {
        if let Some(slack) = self.0 {
            // SAFETY: restores the previous value.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, c_long::from(slack)) };
        }
    }
}

/// Sleeps until [`monotonic`] is at `deadline`, by its own reading, or until a signal arrives.
///
/// `_remaining` is for systems that can only sleep for a duration.
pub fn sleep_until(deadline: u64, _remaining: u64) {
    // What 32 bits of seconds cannot represent is 68 years after the machine has started.
    let tv_sec = Seconds::try_from(deadline / NANOS_PER_SEC).unwrap_or(Seconds::MAX);
    let time = timespec {
        tv_sec,
        tv_nsec: (deadline % NANOS_PER_SEC) as _,
    };
    let _tight = TightTimers::new();
    // SAFETY: a valid timespec, and no place for a remainder, which absolute sleeps do not have.
    unsafe {
        libc::clock_nanosleep(
            CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &time,
            core::ptr::null_mut(),
        )
    };
}

/// The longest time before a deadline at which waking is worthwhile, in nanoseconds; a longer delay
/// was not caused by the timer.
pub const MARGIN_CAP: u64 = 150_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_sources_are_whole_words() {
        let see = |current, available| view(current, available, &["tsc"]);
        assert_eq!(see("tsc", "tsc hpet\n"), Kernel::Uses("tsc".into()));
        assert_eq!(
            see("kvm-clock", "tsc kvm-clock"),
            Kernel::Offers("kvm-clock".into())
        );
        assert_eq!(see("hpet", "hpet acpi_pm"), Kernel::Dropped("hpet".into()));
        assert_eq!(
            see("hyperv_clocksource_tsc_page", "hyperv_clocksource_tsc_page"),
            Kernel::Dropped("hyperv_clocksource_tsc_page".into())
        );
        assert_eq!(
            see("tsc-early", "tsc-early"),
            Kernel::Dropped("tsc-early".into())
        );
        assert_eq!(see("", "tsc"), Kernel::Silent);
    }

    #[test]
    fn slack_is_put_back() {
        // SAFETY: only returns a number.
        let slack = || unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
        let before = slack();
        {
            let _tight = TightTimers::new();
            assert_eq!(slack(), 1);
        }
        assert_eq!(slack(), before);
    }

    #[test]
    fn every_allowed_cpu_is_visited_and_left() {
        let mut seen = Vec::new();
        let went = on_each_cpu(&mut |cpu| {
            seen.push(cpu);
            true
        });
        assert!(!went || !seen.is_empty());
        let mut again = Vec::new();
        on_each_cpu(&mut |cpu| {
            again.push(cpu);
            true
        });
        assert_eq!(seen, again);
    }
}
