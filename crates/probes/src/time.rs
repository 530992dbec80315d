//! The tool's own time: for limits, patience and pauses. What is measured here may be what is
//! wrong, for example a preloaded library whose clock stands still, or a sandbox that refuses to
//! sleep. So on Linux the kernel is asked directly, and no sleep has to work.
//!
//! Here is also whether this thread may read the processor's counter, and clocks that read it
//! internally. This must be asked before the first read: a forbidden read raises SIGSEGV.

use crate::Unavailable;
use chronoscope_model::clock_source::{FOLDER, by_name};
use chronoscope_model::timekeeping::LibraryClock;
use std::ops::{Add, Sub};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

/// A moment by the kernel's monotonic clock: the time since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    pub fn now() -> Self {
        Self(os::now())
    }

    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0 + span)
    }
}

#[cfg(target_os = "linux")]
pub(crate) use os::ask;

/// Whether this process may read the time-stamp counter; `None` if the system has no such
/// permission, and anyone may read it. A process can forbid itself to read it (prctl(2),
/// PR_SET_TSC). Its first `rdtsc` then raises SIGSEGV, which kills it, so ask before the first one.
pub use os::tsc_permitted;

fn forbidden() -> bool {
    tsc_permitted() == Some(false)
}

/// Returns an error if the counter may not be read.
pub(crate) fn may_read_counter() -> Result<(), Unavailable> {
    if forbidden() {
        return Err(Unavailable(
            "this process may not read the TSC (PR_TSC_SIGSEGV): start it without \
             prctl(PR_SET_TSC), or allow reads again with PR_TSC_ENABLE"
                .into(),
        ));
    }
    Ok(())
}

/// Returns an error if the vDSO's functions may not be called. If the kernel's clock source is the
/// TSC, they read it in user mode, to which the process's own ban applies.
pub(crate) fn may_call_vdso() -> Result<(), Unavailable> {
    if !forbidden() {
        return Ok(());
    }
    match std::fs::read_to_string(format!("{FOLDER}/current_clocksource")) {
        Ok(source) if !by_name(&source).is_some_and(|source| source.vdso) => Ok(()),
        _ => Err(Unavailable(
            "the vDSO reads the TSC, which this process may not read (PR_TSC_SIGSEGV): use the \
             system call, or allow reads again with PR_TSC_ENABLE"
                .into(),
        )),
    }
}

/// Sleeps for this long, or, if every call that sleeps is refused, lets others run meanwhile.
pub fn sleep(span: Duration) {
    let start = Instant::now();
    let mut rest = span;
    while !rest.is_zero() {
        if !os::sleep(rest) {
            std::thread::yield_now();
        }
        rest = span.saturating_sub(start.elapsed());
    }
}

/// Whether threads may sleep. The standard library's sleep panics if the call is refused.
///
/// # Errors
/// The error of `clock_nanosleep`, which a sandbox, an old kernel or an emulator gives.
pub fn may_sleep() -> Result<(), Unavailable> {
    match os::sleep_error() {
        None => Ok(()),
        Some(error) => Err(Unavailable(format!(
            "clock_nanosleep is refused here ({error}): a sandbox must allow it and \
             clock_nanosleep_time64"
        ))),
    }
}

/// The variable in which [`ensure_clocks`] leaves word of what the tool was started again without.
#[cfg(target_os = "linux")]
const REFUSED: &str = "CHRONOSCOPE_CLOCKS_REFUSED";

/// Makes sure that the standard library's clocks can be read: it panics if the C library's fail. If
/// a preloaded library is the reason, the tool starts again without it, and knows why.
///
/// # Errors
/// They fail for another reason.
pub fn ensure_clocks() -> Result<(), Unavailable> {
    let Some(error) = os::clock_error() else { return Ok(()) };
    let loaded = std::env::var("LD_PRELOAD").unwrap_or_default();
    if !loaded.is_empty() {
        let name = loaded.rsplit('/').next().unwrap_or_default();
        os::restart(&format!("clock_gettime of the preloaded library {name}: {error}"));
    }
    Err(Unavailable(format!("clock_gettime of the C library fails ({error})")))
}

/// What is refused to this process: the error of the calls that sleep, or that of the clocks of a
/// library without which the tool was started again.
#[cfg(target_os = "linux")]
pub(crate) fn refused() -> Option<String> {
    may_sleep().err().map(|why| why.0).or_else(|| std::env::var(REFUSED).ok())
}

/// Waits until another thread unparks this one, for at most this long.
///
/// The standard library's waits with a limit compute the end by the C library's clock, and the
/// kernel waits for it by its own. If the two differ, a wait could last for years.
pub fn park(patience: Duration) {
    if os::library_agrees() {
        std::thread::park_timeout(patience);
    } else {
        sleep(patience);
    }
}

/// Waits for a message for at most this long.
///
/// # Errors
/// None came, or none can come any more.
pub fn receive<T>(from: &Receiver<T>, patience: Duration) -> Result<T, RecvTimeoutError> {
    if os::library_agrees() {
        return from.recv_timeout(patience);
    }
    const SHORTEST: Duration = Duration::from_micros(20);
    const LONGEST: Duration = Duration::from_millis(1);
    let (start, mut pause) = (Instant::now(), SHORTEST);
    loop {
        match from.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) if start.elapsed() >= patience => {
                return Err(RecvTimeoutError::Timeout);
            }
            Err(TryRecvError::Empty) => {
                sleep(pause);
                pause = (pause * 2).min(LONGEST);
            }
        }
    }
}

/// How the C library's clock differs from the kernel's, if it does: a preloaded library replaces
/// the functions of the C library, but not the system calls.
pub fn library_clock() -> Option<LibraryClock> {
    let loaded = std::env::var("LD_PRELOAD").unwrap_or_default()
        + "\n"
        + &std::fs::read_to_string("/etc/ld.so.preload").unwrap_or_default();
    let paths = loaded.split([' ', ':', '\n']).filter(|path| !path.is_empty());
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).chars().take(60).collect();
    let preloaded: Vec<String> = paths.take(8).map(name).collect();
    let pace = || (!preloaded.is_empty()).then(os::library_pace).flatten();
    let (ahead_ns, stands_still, pace_percent) = match os::library_clock() {
        Some((ahead_ns, stands_still)) => (ahead_ns, stands_still, None),
        None => (0, false, Some(pace()?)),
    };
    Some(LibraryClock { ahead_ns, stands_still, pace_percent, preloaded })
}

#[cfg(target_os = "linux")]
mod os {
    use std::ffi::{c_int, c_long};
    use std::time::Duration;

    /// The kernel's own form of a time in calls whose name has no 64.
    #[repr(C)]
    #[derive(Default)]
    struct Timespec {
        seconds: c_long,
        nanoseconds: c_long,
    }

    /// A clock, without the C library's function and without the vDSO.
    fn read(clock: c_int) -> Option<Duration> {
        ask(libc::SYS_clock_gettime, clock)
    }

    /// What the kernel answers to clock_gettime or clock_getres.
    pub(crate) fn ask(call: c_long, clock: c_int) -> Option<Duration> {
        let mut time = Timespec::default();
        // SAFETY: the kernel fills the place, which has the form that these calls take.
        let answer = unsafe { libc::syscall(call, clock, &raw mut time) };
        let seconds = u64::try_from(time.seconds).ok()?;
        let rest = u32::try_from(time.nanoseconds).ok()?;
        (answer == 0).then(|| Duration::new(seconds, rest))
    }

    pub(super) fn now() -> Duration {
        // A kernel or a sandbox without the call: then there is only the library.
        read(libc::CLOCK_MONOTONIC).unwrap_or_else(|| by_library(libc::CLOCK_MONOTONIC))
    }

    /// What the C library returns; zero if it returns an error.
    fn by_library(clock: c_int) -> Duration {
        library(clock).unwrap_or_default()
    }

    /// What the C library returns.
    fn library(clock: c_int) -> std::io::Result<Duration> {
        // SAFETY: zero is a valid content of every field.
        let mut time: libc::timespec = unsafe { std::mem::zeroed() };
        // SAFETY: the place is valid for a timespec.
        if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        Ok(Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0)))
    }

    /// Sleeps once, for at most this long, by the first call that is not refused.
    pub(super) fn sleep(span: Duration) -> bool {
        let span = span.min(Duration::from_secs(3600));
        let time = Timespec {
            seconds: c_long::try_from(span.as_secs()).unwrap_or(3600),
            nanoseconds: c_long::from(span.subsec_nanos().cast_signed()),
        };
        let none = std::ptr::null_mut::<u8>();
        let slept = |answer: c_long| {
            let error = std::io::Error::last_os_error().raw_os_error();
            answer == 0 || error == Some(libc::EINTR)
        };
        // SAFETY: the kernel only reads the time, and no call has a place for a result.
        unsafe {
            slept(libc::syscall(
                libc::SYS_clock_nanosleep,
                libc::CLOCK_MONOTONIC,
                0,
                &raw const time,
                none,
            )) || slept(libc::syscall(libc::SYS_nanosleep, &raw const time, none))
                || slept(libc::syscall(libc::SYS_ppoll, none, 0, &raw const time, none, 8))
        }
    }

    /// Whether this process may read the time-stamp counter (prctl(2), PR_GET_TSC). `None` if the
    /// kernel does not know this request, as on every architecture but x86.
    pub fn tsc_permitted() -> Option<bool> {
        const PR_TSC_ENABLE: c_int = 1;
        let mut mode: c_int = 0;
        // SAFETY: PR_GET_TSC stores one int at the address given, which is that of a local.
        let done = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut mode, 0, 0, 0) };
        (done == 0).then_some(mode == PR_TSC_ENABLE)
    }

    /// Whether the C library may be asked: its clock reads the counter, which kills a process that
    /// has forbidden itself to do so.
    fn may_ask_library() -> bool {
        super::may_call_vdso().is_ok()
    }

    /// Whether the C library's clock may be asked, and is the kernel's.
    pub(super) fn library_agrees() -> bool {
        const APART: Duration = Duration::from_secs(1);
        may_ask_library() && by_library(libc::CLOCK_MONOTONIC).abs_diff(now()) < APART
    }

    /// The error of the C library's clocks, if they give one.
    pub(super) fn clock_error() -> Option<std::io::Error> {
        // Where the counter is forbidden, asking would end the process; the kernel's answer counts.
        if !may_ask_library() {
            return None;
        }
        library(libc::CLOCK_MONOTONIC).and_then(|_| library(libc::CLOCK_REALTIME)).err()
    }

    /// Starts the tool again, without the libraries that are preloaded. It returns if that fails.
    pub(super) fn restart(why: &str) {
        use std::os::unix::process::CommandExt;
        let Ok(tool) = std::env::current_exe() else { return };
        let mut arguments = std::env::args_os();
        let mut command = std::process::Command::new(tool);
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        let _ = command.args(arguments).env_remove("LD_PRELOAD").env(super::REFUSED, why).exec();
    }

    /// The error of a sleep of no time, as the C library would make it.
    pub(super) fn sleep_error() -> Option<std::io::Error> {
        let time = Timespec::default();
        let none = std::ptr::null_mut::<u8>();
        // SAFETY: the kernel only reads the time, and there is no place for a result.
        let answer = unsafe {
            let call = libc::SYS_clock_nanosleep;
            libc::syscall(call, libc::CLOCK_MONOTONIC, 0, &raw const time, none)
        };
        let error = (answer != 0).then(std::io::Error::last_os_error);
        // A 32-bit kernel without the calls of 32 bits has those of 64, which the library makes.
        let newer = cfg!(target_pointer_width = "32");
        error.filter(|error| !(newer && error.raw_os_error() == Some(libc::ENOSYS)))
    }

    /// How fast the library's clock runs, in percent of the kernel's; `None` if it runs as fast.
    pub(super) fn library_pace() -> Option<i64> {
        const SPAN: Duration = Duration::from_millis(3);
        const TRIES: usize = 3;
        let both = || {
            let library = by_library(libc::CLOCK_MONOTONIC);
            Some((read(libc::CLOCK_MONOTONIC)?, library))
        };
        let pace = || {
            let first = may_ask_library().then(both)??;
            let mut last = first;
            for _ in 0..1_000_000 {
                last = both()?;
                if last.0.saturating_sub(first.0) >= SPAN {
                    break;
                }
            }
            let [kernel, library] = [last.0.checked_sub(first.0)?, last.1.checked_sub(first.1)?];
            Some((library.as_nanos() * 100 / kernel.as_nanos().max(1)).cast_signed())
        };
        // A thread can lose its CPU between two reads, but hardly each time.
        let mut usual = 100;
        for _ in 0..TRIES {
            usual = i64::try_from(pace()?).ok()?;
            if (98..=102).contains(&usual) {
                return None;
            }
        }
        Some(usual)
    }

    /// By how much the library's wall clock is ahead, in nanoseconds, and whether it stands still;
    /// `None` if it is the kernel's.
    pub(super) fn library_clock() -> Option<(i64, bool)> {
        /// More than passes between two reads, and less than anybody shifts a clock by.
        const APART: i128 = 50_000_000;
        const TRIES: usize = 3;
        let both = || {
            let [kernel, library] = [read(libc::CLOCK_REALTIME)?, by_library(libc::CLOCK_REALTIME)];
            Some((kernel.as_nanos().cast_signed(), library.as_nanos().cast_signed()))
        };
        let (kernel, library) = may_ask_library().then(both)??;
        // A thread can lose its CPU between two reads, but hardly each time.
        let mut apart = Some(library - kernel);
        for _ in 0..TRIES {
            let (kernel, library) = both()?;
            apart = apart.filter(|_| (library - kernel).abs() > APART);
        }
        let apart = apart.filter(|ns| ns.abs() > APART)?;
        let mut later = (kernel, library);
        for _ in 0..100_000 {
            later = both()?;
            if later.0 - kernel > 20_000_000 {
                break;
            }
        }
        let stands_still = later.1 == library && later.0 > kernel;
        Some((i64::try_from(apart).unwrap_or(i64::MAX), stands_still))
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    pub(super) fn now() -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }

    lacking! {
        /// Only Linux lets a process forbid itself to read the counter.
        pub fn tsc_permitted() -> Option<bool> = None;
        pub(super) fn library_agrees() -> bool = true;
        pub(super) fn sleep_error() -> Option<std::io::Error> = None;
        pub(super) fn clock_error() -> Option<std::io::Error> = None;
        pub(super) fn library_clock() -> Option<(i64, bool)> = None;
        pub(super) fn library_pace() -> Option<i64> = None;
    }

    pub(super) fn sleep(span: Duration) -> bool {
        std::thread::sleep(span);
        true
    }

    pub(super) fn restart(_: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_lasts_at_least_as_long_as_it_should() {
        let start = Instant::now();
        sleep(Duration::from_millis(2));
        assert!(start.elapsed() >= Duration::from_millis(2));
    }

    #[test]
    fn a_message_is_received_and_a_lack_of_one_noticed() {
        let (send, from) = std::sync::mpsc::channel();
        let waited = receive(&from, Duration::from_millis(1));
        assert_eq!(waited, Err(RecvTimeoutError::Timeout));
        send.send(7).expect("a receiver");
        assert_eq!(receive(&from, Duration::ZERO), Ok(7));
        drop(send);
        assert_eq!(receive(&from, Duration::from_secs(9)), Err(RecvTimeoutError::Disconnected));
    }
}
