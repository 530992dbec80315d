//! Windows.

use crate::machine::library;
use crate::waits::Unavailable;
use crate::waits::windows::qpc;
use chronoscope_model::waits::Class;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::Media::{TIMERR_NOERROR, timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::System::Threading::{
    ABOVE_NORMAL_PRIORITY_CLASS, GetCurrentProcess, GetCurrentThread, GetCurrentThreadId,
    GetPriorityClass, GetThreadTimes, HIGH_PRIORITY_CLASS, NORMAL_PRIORITY_CLASS,
    REALTIME_PRIORITY_CLASS, SetPriorityClass, SetThreadPriority, Sleep,
    THREAD_PRIORITY_TIME_CRITICAL,
};

pub use super::lacking::*;

pub const CLOCK: &str = "QueryPerformanceCounter";
pub const REFERENCE: &str = CLOCK;

#[inline]
pub fn monotonic() -> u64 {
    let (ticks, hz) = (qpc::now(), qpc::hz());
    // Whole seconds are converted separately, so that nothing overflows and no wide division is
    // needed.
    ticks / hz * 1_000_000_000 + ticks % hz * 1_000_000_000 / hz
}

/// 100 ns since Windows 10 1809, and up to 0.5 us if the counter is the TSC divided by 1024.
pub fn step() -> u64 {
    1_000_000_000_u64.div_ceil(qpc::hz())
}

#[inline]
pub fn reference() -> u64 {
    monotonic()
}

/// Interrupt time counts sleep and unbiased interrupt time does not (Microsoft Learn, "Interrupt
/// Time"). The same clock interrupt updates both, so their difference is exact unless one comes
/// between the two reads. Then it is too small, so the larger of two tries is returned.
pub fn suspended() -> Option<u64> {
    let read = || {
        let (with, without) = library::interrupt_times()?;
        Some(with.saturating_sub(without).saturating_mul(100))
    };
    Some(read()?.max(read()?))
}

/// Windows adds to the CPU time at clock interrupts, a whole period at a time. The mean over many
/// waits is right; the value of a single wait means nothing.
pub fn thread_cpu() -> Option<u64> {
    let mut times = [FILETIME::default(); 4];
    let [created, ended, kernel, user] = &mut times;
    // SAFETY: the pseudo handle of this thread is always valid, and all four places are.
    let done = unsafe { GetThreadTimes(GetCurrentThread(), created, ended, kernel, user) };
    (done != 0).then(|| (library::units(times[2]) + library::units(times[3])) * 100)
}

pub fn process_cpu() -> Option<u64> {
    // SAFETY: it has no arguments and cannot fail.
    library::cpu_ns(unsafe { GetCurrentProcess() })
}

pub fn thread_id() -> Option<u64> {
    // SAFETY: GetCurrentThreadId has no arguments and cannot fail.
    Some(u64::from(unsafe { GetCurrentThreadId() }))
}

pub fn slack() -> Option<u64> {
    library::timer_resolution().map(|resolution| u64::from(resolution.current) * 100)
}

/// The ticks at which waits may end, in nanoseconds. Since Windows 10 2004 a process that asked for
/// no period has the longest one, even if the current one is shorter (Microsoft Learn,
/// timeBeginPeriod).
pub fn ticks() -> Vec<u64> {
    let resolution = library::timer_resolution();
    let ns = resolution.map(|it| [it.current, it.coarsest].map(|units| u64::from(units) * 100));
    ns.into_iter().flatten().collect()
}

/// Without the privilege for the real-time class, Windows gives the high class and reports no error
/// (Microsoft Learn, SetPriorityClass); so the class is read back.
pub fn set_class(class: Class) -> Result<u32, Unavailable> {
    let wanted = match class {
        Class::Normal => NORMAL_PRIORITY_CLASS,
        Class::Above => ABOVE_NORMAL_PRIORITY_CLASS,
        Class::High => HIGH_PRIORITY_CLASS,
        Class::Realtime => REALTIME_PRIORITY_CLASS,
    };
    // SAFETY: the pseudo handle of this process is always valid, for all three calls.
    let (before, set, now) = unsafe {
        let process = GetCurrentProcess();
        let before = GetPriorityClass(process);
        (before, SetPriorityClass(process, wanted), GetPriorityClass(process))
    };
    if set != 0 && now == wanted {
        return Ok(before);
    }
    restore_class(before);
    let needs = match class {
        Class::Realtime => {
            "; it needs the privilege to increase scheduling priority: run the \
                            tool as administrator"
        }
        _ => "",
    };
    Err(Unavailable(format!("Windows refused this priority class{needs}")))
}

pub fn restore_class(before: u32) {
    // SAFETY: the pseudo handle of this process is always valid. If the class is not accepted, it
    // stays as it is.
    unsafe { SetPriorityClass(GetCurrentProcess(), before) };
}

/// Lets the calling thread run next to processes of the high class: its priority is 15, theirs 13
/// (Microsoft Learn, "Scheduling Priorities").
pub fn outrank_high() {
    // SAFETY: the pseudo handle of this thread is always valid. If the priority is refused, it
    // stays as it is.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL) };
}

/// The shortest and the longest period that `timeBeginPeriod` is asked for, in milliseconds: every
/// Windows accepts them (Microsoft Learn, timeGetDevCaps).
const PERIODS_MS: (u64, u64) = (1, 15);

/// The slacks below that which `NtSetTimerResolution` is asked for, in nanoseconds: the finest is
/// 0.5 ms on every Windows. A shorter slack stands for the shortest documented period.
const RESOLUTIONS_NS: Range<u64> = 500_000..1_000_000;

pub fn period_ms(slack_ns: u64) -> Option<u32> {
    let ms = slack_ns.div_ceil(1_000_000);
    let ms = u32::try_from(ms.clamp(PERIODS_MS.0, PERIODS_MS.1)).ok();
    ms.filter(|_| !RESOLUTIONS_NS.contains(&slack_ns))
}

pub fn resolution_ns(slack_ns: u64) -> Option<u64> {
    RESOLUTIONS_NS.contains(&slack_ns).then(|| slack_ns.div_ceil(100) * 100)
}

/// What this process asks for: a period in milliseconds, or a resolution in units of 100 ns.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Request {
    Period(u32),
    Resolution(u32),
}

impl Request {
    /// Asks for it, or takes that back.
    fn apply(self, on: bool) -> Result<(), Unavailable> {
        match self {
            // SAFETY: both functions take a number; each period that ends was begun.
            Self::Period(ms) => {
                match unsafe { if on { timeBeginPeriod(ms) } else { timeEndPeriod(ms) } } {
                    TIMERR_NOERROR => Ok(()),
                    _ => Err(Unavailable(format!(
                        "timeBeginPeriod({ms}): Windows refuses this period"
                    ))),
                }
            }
            Self::Resolution(units) => library::set_timer_resolution(units, on),
        }
    }
}

static REQUEST: Mutex<Option<Request>> = Mutex::new(None);

pub fn set_slack(ns: u64) -> Result<(), Unavailable> {
    let period = period_ms(ns).map(Request::Period);
    let resolution = || resolution_ns(ns).map(|ns| Request::Resolution((ns / 100) as u32));
    let wanted = (ns > 0).then(|| period.or_else(resolution)).flatten();
    let mut request = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
    if *request == wanted {
        return Ok(());
    }
    if let Some(before) = request.take() {
        before.apply(false)?;
    }
    if let Some(wanted) = wanted {
        wanted.apply(true)?;
        *request = Some(wanted);
    }
    // The next clock interrupt still comes after the previous period.
    // SAFETY: Sleep takes a number.
    unsafe { Sleep(1) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_requested_and_released() {
        assert_eq!(period_ms(1), Some(1));
        assert_eq!((period_ms(600_001), resolution_ns(600_001)), (None, Some(600_100)));
        assert_eq!(resolution_ns(1_000_000), None);
        assert_eq!(period_ms(1_000_001), Some(2));
        assert_eq!(period_ms(u64::MAX), Some(15));
        for ns in [1, 1, 500_000, 600_000, 5_000_000, 0, 0] {
            set_slack(ns).expect("Windows accepts every whole period up to its own");
        }
        assert_eq!(*REQUEST.lock().expect("no panic"), None);
    }

    #[test]
    fn a_class_is_set_and_restored() {
        // SAFETY: the pseudo handle of this process is always valid.
        let now = || unsafe { GetPriorityClass(GetCurrentProcess()) };
        let own = now();
        let before = set_class(Class::Above).expect("it needs no privilege");
        assert_eq!((before, now()), (own, ABOVE_NORMAL_PRIORITY_CLASS));
        restore_class(before);
        assert_eq!(now(), own);
    }

    #[test]
    fn clocks_advance() {
        let (a, b) = (monotonic(), thread_cpu());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let passed = monotonic() - a;
        assert!((19_000_000..60_000_000_000).contains(&passed), "{passed}");
        assert!(thread_cpu() >= b && b.is_some() && thread_id().is_some());
        assert!(suspended().is_none_or(|ns| ns < 365 * 86_400 * 1_000_000_000));
    }
}
