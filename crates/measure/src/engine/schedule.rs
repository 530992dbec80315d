//! The default duration of each measurement, and the phases that share it. Budgets, the progress
//! line and the table in `docs/METHOD.md` follow from this schedule.
//!
//! [`RunClock`] is the time of a run: how long it has lasted, how long it may last, and whether the
//! user asked to stop it. Clocks and waits share it, on this machine and on a simulated one.

use chronoscope_probes::time::Instant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

#[derive(Debug)]
pub struct Phase {
    /// The phase's name on the progress line.
    pub name: &'static str,
    /// The phase's share of the time.
    pub share: f64,
    /// The least and the most time, for each clock if `each` is set.
    pub limits: [Duration; 2],
    pub each: bool,
    /// If less time is available in all, the phase is left out.
    pub from: Duration,
    /// The phase's name in METHOD.
    pub about: &'static str,
}

#[derive(Debug)]
pub struct Schedule {
    /// The command lines that make the measurement, as METHOD shows them.
    pub command: &'static str,
    /// The time if no budget is given; zero for as long as the measurement takes.
    pub time: Duration,
    /// What the time is for, if it is not for the whole command.
    pub per: &'static str,
    pub phases: &'static [&'static Phase],
}

const ZERO: Duration = Duration::ZERO;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const fn phase(name: &'static str, share: f64, about: &'static str) -> Phase {
    Phase { name, share, limits: [ZERO, Duration::MAX], each: false, from: ZERO, about }
}

impl Phase {
    const fn limits(self, least: Duration, most: Duration) -> Self {
        Self { limits: [least, most], ..self }
    }

    const fn each(self) -> Self {
        Self { each: true, ..self }
    }

    const fn from(self, from: Duration) -> Self {
        Self { from, ..self }
    }
}

pub static QUIET: Phase = phase("quiet", 0.02, "the quiet start").limits(ZERO, ms(150));
pub static ROUNDS: Phase = phase("cost", 0.45, "the rounds, at least ten");
pub static QUICK: Phase =
    phase("resolution", 0.05, "the quick look at resolution; half as long again for reads apart")
        .limits(Duration::from_micros(50), ms(3))
        .each();
pub static PATIENT: Phase = phase("resolution", 0.15, "the patient watch").limits(ZERO, ms(2300));
pub static CHANGES: Phase = phase("changes", 0.03, "until it changes").limits(ZERO, ms(100)).each();
pub static DIFFERENCE: Phase =
    phase("100 ms", 0.0, "the 100 ms").limits(ms(100), ms(100)).from(ms(800));
pub static COLD: Phase = phase("cold reads", 0.12, "cold reads");
pub static FIRST: Phase =
    phase("first reads", 0.1, "first reads, if five processes for each clock fit into it")
        .from(ms(2000));
pub static ORDER: Phase = phase("order", 0.06, "the order of reads, half of it for hand-overs")
    .limits(ZERO, ms(600))
    .from(ms(1500));
pub static ACROSS: Phase =
    phase("order", 0.03, "the comparison of CPUs").limits(ZERO, ms(300)).from(ms(1500));
/// The comparison of CPUs of a measurement that must not disturb others: for some milliseconds, it
/// keeps two CPUs busy.
pub const BRIEF_ACROSS: Duration = ms(9);
pub static SUMMARY_WAITS: Phase = phase("waits", 0.2, "waits; the rest as for `clocks`");
pub static BRIEF_WAITS: Phase =
    phase("waits", 0.3, "sleeps of 1 ms; the rest for the counter and the system's clock");
pub static DOCTOR_WATCH: Phase =
    phase("trust", 0.4, "the watch for steps, jumps and pauses; the rest as for `clocks`");
pub static DOCTOR_WAITS: Phase = phase("waits", 0.08, "sleeps of 500 us");
pub static BUILDING: Phase = phase("building", 0.1, "building the probes");
pub static WARM_UP: Phase = phase("warm-up", 0.2, "starting and warming up");
pub static RUNTIME_ROUNDS: Phase = phase("cost", 0.4, "the rounds");
pub static RUNTIME_CLOCKS: Phase = phase("clocks", 0.3, "the rest about each clock");
pub static SWEEP_CLOCKS: Phase =
    phase("clocks", 0.6, "costs and resolutions; the rest for the differences between reads");
pub static SWEEP_WITH_RUNTIMES: Phase =
    phase("clocks", 0.3, "the clocks, with `--runtimes` and a budget; the rest for runtimes");
pub static CALLS_QUIET: Phase = phase("calls", 0.25, "the quiet start").limits(ZERO, ms(1000));
pub static CALLS_MEAN: Phase =
    phase("calls", 1.0 / 6.0, "each mean of a million calls; the share of what is left then")
        .limits(ZERO, ms(4000));
pub static DELTAS_NOTHING: Phase =
    phase("deltas", 0.25, "the empty intervals").limits(ZERO, ms(4000));

/// Every schedule, in the order of METHOD's table: the command, its time in milliseconds, what that
/// time is for, and its phases.
macro_rules! schedules {
    ($($(#[$doc:meta])* $name:ident = $command:literal, $ms:literal, $per:literal,
       [$($phase:ident),*];)*) => {
        $($(#[$doc])* pub static $name: Schedule = Schedule {
            command: $command,
            time: ms($ms),
            per: $per,
            phases: &[$(&$phase),*],
        };)*
        pub static ALL: &[&Schedule] = &[$(&$name),*];
    };
}

schedules! {
    CLOCKS = "`clocks`", 9_000, "",
        [QUIET, ROUNDS, QUICK, PATIENT, CHANGES, DIFFERENCE, COLD, FIRST, ORDER, ACROSS];
    LOADED = "`clocks --load`", 4_000, "each load; a budget is for all", [];
    /// With start-up and the end of the run, the command takes less than 5 s.
    SUMMARY = "no command", 4_600, "", [SUMMARY_WAITS];
    WHOLE_SUMMARY = "`--all`", 12_000, "", [SUMMARY_WAITS];
    BRIEF = "`--brief`", 1_900, "", [BRIEF_WAITS];
    DOCTOR = "`doctor`", 9_500, "", [DOCTOR_WATCH, DOCTOR_WAITS];
    /// With the facts, the command takes less than 0.2 s.
    GLANCE = "`doctor --quick`", 3, "a few clocks; the rest are facts", [];
    ADVICE = "`advise`", 4_000, "", [];
    /// With calibration and the start and end of the load, the command takes less than 20 s.
    OVERVIEW = "`waits`, `advise --for wait`", 18_600, "both loads, half for each", [];
    /// The least that a wait of 10 ms needs to be judged; for a longer one there is more.
    ONE_WAIT = "`advise --wait` up to 10 ms", 8_000, "both loads, half for each", [];
    WAITS = "`waits` with options", 60_000, "each load; a budget is for all", [];
    TRUST = "`trust`", 10_000, "", [];
    RUNTIMES = "`runtimes`", 1_500,
        "the rounds of each build, 3 to 30 s in all; a budget is for all",
        [BUILDING, WARM_UP, RUNTIME_ROUNDS, RUNTIME_CLOCKS];
    SWEEP = "`sweep`", 4_000, "each clock source; a budget is for all",
        [SWEEP_CLOCKS, SWEEP_WITH_RUNTIMES];
    CALLS = "`calls`", 0, "", [CALLS_QUIET, CALLS_MEAN];
    DELTAS = "`deltas`", 0, "", [DELTAS_NOTHING];
    /// This suffices for the usual shape on a slow machine.
    OVERHEAD = "`overhead`", 60_000, "", [];
    HARDWARE = "`hardware`", 20, "", [];
}

impl Phase {
    /// Returns the time of the phase within this time.
    pub fn of(&self, time: Duration) -> Duration {
        self.of_each(time, 1)
    }

    /// Returns the time of the phase for each of this many clocks.
    pub fn of_each(&self, time: Duration, clocks: usize) -> Duration {
        if time < self.from {
            return ZERO;
        }
        let [least, most] = self.limits;
        time.mul_f64(self.share / clocks.max(1) as f64).clamp(least, most)
    }

    /// Returns the time of the phase within a budget if there is one, and otherwise the most.
    pub fn within(&self, budget: Option<Duration>) -> Duration {
        budget.map_or(self.limits[1], |budget| self.of(budget))
    }
}

impl Schedule {
    /// Returns how much of the whole is done, 0 to 1, if this much of a phase is.
    pub fn done(&self, phase: &Phase, done: f64) -> f64 {
        let share = |phases: &[&Phase]| phases.iter().map(|phase| phase.share).sum::<f64>();
        let at = self.phases.iter().position(|one| std::ptr::eq(*one, phase));
        let before = share(&self.phases[..at.unwrap_or(0)]);
        (before + done * phase.share) / share(self.phases)
    }
}

/// The user's request to stop, shared between the run and what receives it (a signal handler).
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the run to stop. May be called from a signal handler.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The clock for time limits. On this machine it is the system's monotonic clock rather than the
/// ruler, so that a counter that stands still cannot hang a run.
#[derive(Clone, Debug)]
pub enum RunClock {
    /// The system's clock, from this moment on.
    System(Instant),
    /// A simulated clock, in nanoseconds.
    Simulated(Arc<AtomicU64>),
}

impl RunClock {
    pub fn start() -> Self {
        Self::System(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        match self {
            Self::System(start) => start.elapsed(),
            Self::Simulated(ns) => Duration::from_nanos(ns.load(Ordering::Relaxed)),
        }
    }
}

pub trait Time {
    /// The time since the run began.
    fn elapsed(&self) -> Duration;

    /// Sleeps on this machine; a simulated one only moves its time.
    fn sleep(&mut self, duration: Duration) {
        chronoscope_probes::time::sleep(duration);
    }

    fn interrupted(&self) -> bool;
}

/// A time limit with a limit on iterations, so that a clock that stands still cannot hang the tool.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    end: Duration,
    turns: u64,
}

impl Limit {
    pub fn new(time: &impl Time, span: Duration, turns: u64) -> Self {
        Self { end: time.elapsed().saturating_add(span), turns }
    }

    /// Counts one iteration. Returns whether the limit is reached or the user asked to stop.
    pub fn reached(&mut self, time: &impl Time) -> bool {
        if self.turns == 0 {
            return true;
        }
        self.turns -= 1;
        self.spent(time)
    }

    /// Whether the time is over or the user asked to stop. Counts no iteration, so the loop around
    /// it must have a bound of its own.
    pub fn spent(&self, time: &impl Time) -> bool {
        time.interrupted() || time.elapsed() >= self.end
    }

    pub fn left(&self, time: &impl Time) -> Duration {
        self.end.saturating_sub(time.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_phase_takes_more_than_there_is_and_the_shares_of_a_whole_fit() {
        for schedule in ALL {
            for phase in schedule.phases {
                assert!((0.0..1.0).contains(&phase.share), "{phase:?}");
                assert!(phase.limits[0] <= phase.limits[1], "{phase:?}");
                assert!(phase.limits[0] <= phase.from || phase.each, "{phase:?}");
            }
        }
        // The order of reads and the comparison of CPUs get their time before the other phases.
        let rest = &CLOCKS.phases[..8];
        assert!(rest.iter().map(|phase| phase.share).sum::<f64>() < 1.0);
    }

    #[test]
    fn a_phase_has_its_share_within_its_limits() {
        assert_eq!(QUIET.of(ms(1000)), ms(20));
        assert_eq!(QUIET.of(ms(100_000)), ms(150));
        assert_eq!(QUICK.of_each(ms(9000), 90), ms(3));
        assert_eq!((DIFFERENCE.of(ms(799)), DIFFERENCE.of(ms(800))), (ZERO, ms(100)));
        assert_eq!(CALLS_QUIET.within(None), ms(1000));
        assert_eq!(CALLS_QUIET.within(Some(ms(400))), ms(100));
    }

    #[test]
    fn progress_never_goes_back() {
        let mut last = 0.0;
        for phase in CLOCKS.phases {
            let now = CLOCKS.done(phase, 0.0);
            assert!(now >= last && now <= CLOCKS.done(phase, 1.0), "{phase:?}");
            last = now;
        }
        assert!((CLOCKS.done(&ACROSS, 1.0) - 1.0).abs() < 1e-9);
        assert!((RUNTIMES.done(&RUNTIME_ROUNDS, 0.5) - 0.5).abs() < 1e-9);
    }
}
