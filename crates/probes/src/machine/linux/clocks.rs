//! What the kernel reports about its own clocks. Nothing is set, and nothing here goes through the
//! vDSO: a process that may not read the time-stamp counter survives it.

use std::io;

use chronoscope_model::timekeeping::{Adjtimex, Distances};

/// The answer of adjtimex(2), or its error: a sandbox may refuse the call.
#[allow(clippy::useless_conversion, reason = "the fields have 32 bits on some targets")]
pub fn adjtimex() -> Result<Adjtimex, String> {
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

/// Seconds and nanoseconds as a system call of this architecture returns them: two longs, however
/// the C library defines its own.
type Pair = [libc::c_long; 2];

fn ns([seconds, nanoseconds]: Pair) -> Option<i64> {
    #[allow(clippy::useless_conversion, reason = "the fields have 32 bits on some targets")]
    let [seconds, nanoseconds] = [i64::from(seconds), i64::from(nanoseconds)];
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

fn call(number: libc::c_long, clock: libc::clockid_t) -> Option<i64> {
    let mut found: Pair = [0; 2];
    // SAFETY: clock_gettime and clock_getres store two longs at the address given, which is that of
    // a local.
    let done = unsafe { libc::syscall(number, clock, found.as_mut_ptr()) };
    (done == 0).then(|| ns(found)).flatten()
}

/// What the kernel's timers claim as their resolution, in nanoseconds (clock_getres(2): 1 with
/// high-resolution timers, otherwise a tick; kernel/time/hrtimer.c, `hrtimer_resolution`).
pub fn timer_resolution_ns() -> Option<u64> {
    u64::try_from(call(libc::SYS_clock_getres, libc::CLOCK_MONOTONIC)?).ok()
}

/// How often the clocks are read together: the narrowest of these reads counts.
const TRIES: usize = 8;

/// The distances between the system's clocks, by reads in a row; `None` if one cannot be read.
pub fn distances() -> Option<Distances> {
    let read = |clock| call(libc::SYS_clock_gettime, clock);
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
/// (moby#40734); empty if it works.
#[cfg(target_pointer_width = "32")]
pub fn time64() -> Option<String> {
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

/// `None`: a 64-bit program has no such call.
#[cfg(not(target_pointer_width = "32"))]
pub fn time64() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_sets_nothing() {
        let (first, second) = (adjtimex(), adjtimex());
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
}
