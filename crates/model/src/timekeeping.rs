//! How the system keeps time, beyond its clock source: facts that faults are found by.

use crate::clock::Discipline;
use std::sync::LazyLock;

/// The rows of `programs.txt`: programs that can correct the clock, and whether they are tools of a
/// hypervisor, which correct it only if that is switched on.
pub static PROGRAMS: LazyLock<Vec<(&str, bool)>> = LazyLock::new(|| {
    let rows = include_str!("programs.txt").lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| row.split_once(" | ").map_or((row, false), |(name, _)| (name, true))).collect()
});

/// How the system keeps time. Each fact stands alone, and is absent if it could not be determined.
#[record(Eq)]
pub struct Timekeeping {
    /// What the kernel says of its clock (Linux).
    pub adjtimex: Option<Adjtimex>,
    /// The error of adjtimex(2), if the kernel or a sandbox refuses to say it.
    pub adjtimex_refused: Option<String>,
    /// The resolution that the kernel's timers claim, `clock_getres(CLOCK_MONOTONIC)`, in
    /// nanoseconds: 1 with high-resolution timers, a tick without.
    pub timer_resolution_ns: Option<u64>,
    /// Whether high-resolution timers are active (`.hres_active` in /proc/timer_list, for root).
    pub high_resolution: Option<bool>,
    /// The offsets of this process's time namespace that are not zero, one line each as in
    /// /proc/self/timens_offsets.
    pub time_namespace: Option<Vec<String>>,
    /// How long real-time threads may run in each period, in microseconds; -1: without a limit
    /// (`sched_rt_runtime_us`).
    pub rt_runtime_us: Option<i64>,
    /// That period, in microseconds (`sched_rt_period_us`).
    pub rt_period_us: Option<i64>,
    /// The running programs that can correct the clock, by the names that the kernel shows.
    pub programs: Option<Vec<String>>,
    /// The error of clock_gettime64 in a 32-bit program; empty if it works.
    pub time64: Option<String>,
    /// How the C library's clock differs from the kernel's, if it does (Linux).
    pub library_clock: Option<LibraryClock>,
    /// The error of clock_nanosleep, if it is refused.
    pub sleep_refused: Option<String>,
    /// The distances between the system's clocks.
    pub distances: Option<Distances>,
}

/// A clock of the C library that differs from the kernel's.
#[record(Eq)]
pub struct LibraryClock {
    /// By how much its wall time is ahead of the kernel's, in nanoseconds.
    pub ahead_ns: i64,
    /// Whether it stood still while the kernel's clock went on.
    #[always]
    pub stands_still: bool,
    /// How fast it runs, in percent of the kernel's, if only that differs.
    pub pace_percent: Option<i64>,
    /// The file names of the libraries that are preloaded into the process.
    #[always]
    pub preloaded: Vec<String>,
}

/// The answer of adjtimex(2), in the kernel's own units.
#[record(Copy, Eq)]
pub struct Adjtimex {
    /// What the call returned: 0 to 4 are the states of a leap second, 5 is TIME_ERROR.
    pub state: i32,
    /// The status bits, `STA_*`.
    pub status: u32,
    /// The kernel's bound on the clock's error, in microseconds.
    pub maxerror_us: i64,
    /// The estimate of that error, in microseconds.
    pub esterror_us: i64,
    /// The correction of the rate, in parts per million with 16 bits of fraction.
    pub freq: i64,
    /// The length of a tick of 10 ms, in microseconds.
    pub tick_us: i64,
    /// TAI less UTC, in seconds; 0 if nobody set it.
    pub tai_s: i32,
}

impl Adjtimex {
    /// A second is inserted at the end of the day (include/uapi/linux/timex.h, `STA_INS`).
    pub const STA_INS: u32 = 0x10;
    /// A second is deleted at the end of the day (`STA_DEL`).
    pub const STA_DEL: u32 = 0x20;
    /// No program says that it keeps the clock synchronised (`STA_UNSYNC`).
    pub const STA_UNSYNC: u32 = 0x40;
    /// A bound on the error at which the kernel itself takes its clock for unsynchronised: 16 s, in
    /// microseconds (`NTP_PHASE_LIMIT`, include/linux/timex.h; kernel/time/ntp.c).
    pub const LOST_US: i64 = 16_000_000;

    /// By how much the clock is made to run faster than its source, in parts per million.
    pub fn correction_ppm(&self) -> f64 {
        let tick = self.tick_us as f64 / 10_000.0;
        self.freq as f64 / 65_536.0 + (tick - 1.0) * 1e6
    }

    /// The same in this project's units.
    pub fn discipline(&self) -> Discipline {
        const US: f64 = 1e3;
        Discipline {
            synchronised: self.status & Self::STA_UNSYNC == 0,
            max_error_ns: self.maxerror_us.max(0) as f64 * US,
            estimated_error_ns: self.esterror_us.max(0) as f64 * US,
            correction_ppm: self.correction_ppm(),
        }
    }

    /// In one line, with the kernel's own names and units, and with what the call returned.
    pub fn line(&self) -> String {
        let Self { state, status, maxerror_us, esterror_us, freq, tick_us, tai_s } = self;
        format!(
            "returned {state}, status 0x{status:04x}, maxerror {maxerror_us} us, esterror \
             {esterror_us} us, freq {freq}, tick {tick_us} us, tai {tai_s} s"
        )
    }
}

/// The distances between the system's clocks at one moment.
#[record(Copy, Eq)]
pub struct Distances {
    /// The wall clock less the monotonic clock, in nanoseconds. A slew moves both, so only a step
    /// changes this.
    pub wall_ns: i64,
    /// The clock since boot less the monotonic clock, in nanoseconds: the time in suspension.
    pub boot_ns: Option<i64>,
    /// The uncertainty of both, in nanoseconds.
    pub error_ns: i64,
}

/// By how much clocks moved against each other during a run.
#[record(Copy, Eq)]
pub struct Moved {
    /// By how much the wall clock was stepped, in nanoseconds; below 0: backwards.
    pub wall_ns: i64,
    /// By how much the machine was suspended, in nanoseconds.
    pub suspended_ns: Option<i64>,
    /// The uncertainty of both, in nanoseconds.
    pub error_ns: i64,
}

impl Distances {
    /// What changed between two moments.
    pub fn moved(&self, later: &Self) -> Moved {
        let both = self.boot_ns.zip(later.boot_ns);
        Moved {
            wall_ns: later.wall_ns.saturating_sub(self.wall_ns),
            suspended_ns: both.map(|(before, after)| after.saturating_sub(before)),
            error_ns: self.error_ns.saturating_add(later.error_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_units_are_converted() {
        let mut found = Adjtimex {
            maxerror_us: 1500,
            esterror_us: 20,
            freq: -65_536 * 12 - 32_768,
            tick_us: 10_000,
            ..Adjtimex::default()
        };
        let seen = found.discipline();
        assert!(seen.synchronised);
        assert_eq!((seen.max_error_ns, seen.estimated_error_ns), (1.5e6, 2e4));
        assert_eq!(seen.correction_ppm, -12.5);
        (found.status, found.tick_us) = (Adjtimex::STA_UNSYNC, 10_001);
        let seen = found.discipline();
        assert!(!seen.synchronised && (seen.correction_ppm - 87.5).abs() < 1e-6);
    }

    #[test]
    fn a_slew_moves_nothing_and_a_step_moves_the_wall_clock_only() {
        let at = |wall_ns, boot_ns| Distances { wall_ns, boot_ns, error_ns: 100 };
        let moved = at(1000, Some(5)).moved(&at(-4000, Some(5)));
        assert_eq!((moved.wall_ns, moved.suspended_ns), (-5000, Some(0)));
        assert_eq!(moved.error_ns, 200);
        assert_eq!(at(0, None).moved(&at(0, Some(1))).suspended_ns, None);
        let far = at(i64::MIN, Some(0)).moved(&at(i64::MAX, Some(0)));
        assert_eq!(far.wall_ns, i64::MAX);
    }
}
