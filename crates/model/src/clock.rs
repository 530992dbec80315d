//! A clock, as it was found on this machine.
//!
//! What a measured rate was compared with, and what that shows.

use crate::estimate::Estimate;
pub use crate::estimate::{Cost, Displaced};
use crate::load::Load;
use crate::ordering::Ordering;

/// What a clock counts.
#[record(Names, Hash)]
pub enum Kind {
    /// Raw ticks without an epoch.
    Counter,
    /// Local time that never steps.
    #[default]
    Monotonic,
    /// Universal time, which may step.
    Wall,
    /// CPU time of the process or the thread.
    Cpu,
}

/// What a clock's time refers to.
#[record]
pub enum Scope {
    /// This machine, since an arbitrary start.
    #[default]
    Local,
    /// The world.
    Universal,
    /// The process or the thread.
    Cpu,
}

impl From<Kind> for Scope {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Counter | Kind::Monotonic => Self::Local,
            Kind::Wall => Self::Universal,
            Kind::Cpu => Self::Cpu,
        }
    }
}

/// What a read accesses.
#[record(Hash)]
pub enum Reads {
    /// The processor's own counter, through one of its instructions.
    Counter,
    /// The kernel's clock, in user space if the system can read its clock source there: through
    /// the vDSO on Linux, the shared user page on Windows, the commpage on macOS.
    #[default]
    Vdso,
    /// The kernel's clock, through a system call each time.
    SystemCall,
    /// A device, through a system call on its file.
    File,
    /// A value in memory that another thread of the program updates.
    Memory,
}

/// What a read waits for. If it waits for nothing, the processor may take the value while earlier
/// instructions are still running.
#[record(Hash)]
pub enum Orders {
    /// Neither documented nor measured.
    #[default]
    Unknown,
    /// Nothing: the value may be taken early.
    Nothing,
    /// Earlier loads and stores. Whether it also waits for other instructions depends on the
    /// vendor: MFENCE does on AMD (APM volume 3, MFENCE) and is not documented to on Intel
    /// (SDM volume 2B, RDTSC).
    Memory,
    /// All earlier instructions.
    Earlier,
    /// All earlier instructions, and later ones wait for the read.
    Both,
}

/// What the value of a clock counts.
#[record(Hash)]
pub enum Counts {
    /// Time, at a constant rate.
    #[default]
    Time,
    /// Core cycles, whose rate changes.
    Cycles,
}

/// Where the length of a clock's unit comes from.
#[record(Hash)]
pub enum RateFrom {
    /// The interface defines it, as nanoseconds for example.
    #[default]
    Interface,
    /// The system reports it, as QueryPerformanceFrequency does.
    System,
    /// Calibration against another clock.
    Calibration,
    /// It has no fixed length.
    Nothing,
}

/// What a clock's value is derived from. A clock cannot be finer, steadier or more trustworthy than
/// what it is built on.
#[record(Hash)]
pub enum BuiltOn {
    /// Not documented, or not known to the version that wrote the report.
    #[default]
    Unknown,
    /// The processor's counter of time, which the read itself takes: the TSC of x86, the generic
    /// timer of Arm.
    Counter,
    /// The processor's counter of core cycles.
    Cycles,
    /// Whatever the system keeps time with: the kernel's clock source on Linux, the hardware
    /// behind QueryPerformanceCounter on Windows, behind mach_absolute_time on macOS.
    ClockSource,
    /// A time of the system that something stores at intervals: the kernel at its timer tick, or a
    /// thread of the program.
    Tick,
    /// The scheduler's account of CPU time.
    CpuTime,
    /// A device with an oscillator of its own.
    Device,
}

impl BuiltOn {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Unknown => "not documented",
            Self::Counter => "the processor's counter of time",
            Self::Cycles => "the processor's counter of core cycles",
            Self::ClockSource => "whatever the system keeps time with",
            Self::Tick => "a time that is stored at intervals",
            Self::CpuTime => "the scheduler's account of CPU time",
            Self::Device => "a device with an oscillator of its own",
        }
    }
}

/// What is known of a clock before it is measured, as its entry in the catalogue states.
#[record(Copy, Eq)]
pub struct Facts {
    /// What a read accesses.
    pub reads: Reads,
    /// What a read waits for, according to the manuals.
    pub orders: Orders,
    /// What its value counts.
    pub counts: Counts,
    /// Where the length of its unit comes from.
    pub rate_from: RateFrom,
    /// What its value is derived from.
    #[absent]
    pub built_on: BuiltOn,
    /// Whether LFENCE is what makes it wait. AMD's processors dispatch nothing past an LFENCE only
    /// if CPUID or a bit that the kernel sets says so (APM volume 3, LFENCE).
    pub by_lfence: bool,
    /// Whether a hypervisor always intercepts one of its instructions.
    pub exits_guest: bool,
}

/// The language of the code that reads a clock, or waits.
#[record(Names, Verbatim, Hash)]
pub enum Language {
    /// C
    #[default]
    C,
    /// C++
    #[serde(rename = "C++")]
    Cxx,
    /// Rust
    Rust,
    /// C#
    #[serde(rename = "C#")]
    CSharp,
    /// Erlang
    Erlang,
    /// Go
    Go,
    /// Java
    Java,
    /// JavaScript
    JavaScript,
    /// Lua
    Lua,
    /// Perl
    Perl,
    /// PHP
    #[serde(rename = "PHP")]
    Php,
    /// Python
    Python,
    /// Ruby
    Ruby,
    /// WebAssembly
    WebAssembly,
}

/// The unit of a clock of C++, `std::chrono::X::period`: seconds, as the compiler that built the
/// tool declares it. The standard leaves it to the library.
#[record(Copy, Eq)]
pub struct Period {
    /// Numerator.
    pub num: u64,
    /// Denominator.
    pub den: u64,
}

impl Period {
    /// In nanoseconds.
    pub fn ns(self) -> f64 {
        self.num as f64 / self.den as f64 * 1e9
    }
}

/// One clock.
#[record]
pub struct Clock {
    /// Its name in the catalogue, `family/variant`.
    pub id: String,
    /// What ran alongside; absent if nothing did.
    pub load: Option<Load>,
    /// The call as a user writes it.
    pub call: String,
    /// The language in which the reading code was compiled.
    pub language: Language,
    /// What it counts.
    pub kind: Kind,
    /// What is known of it before it is measured; absent in reports of earlier versions.
    pub facts: Option<Facts>,
    /// The id of the clock that this one is another path to, if any.
    pub alternative_to: Option<String>,
    /// Whether programs commonly read it, rightly or wrongly, so that a summary shows it.
    pub common: bool,
    /// The systems or processors that have it, in words.
    #[absent]
    pub home: String,
    /// The period of a clock of C++; a value that is not cast counts in it.
    pub period: Option<Period>,
    /// Whether it can be read here.
    #[always]
    pub available: bool,
    /// Why it cannot be read.
    pub unavailable_reason: Option<String>,
    /// Whether it exists only on other systems or processors.
    pub elsewhere: bool,
    /// The cost of a read.
    #[serde(default)]
    pub cost: Cost,
    /// Its resolution.
    pub resolution: Option<Resolution>,
    /// How long it takes until its value changes.
    pub until_change: Option<UntilChange>,
    /// What it measures for an interval of 100 ms.
    pub difference_100ms: Option<Difference>,
    /// Whether it was seen to go backwards on one thread.
    pub backwards: Option<Backwards>,
    /// Whether its reads stay in their place; absent if that was not tested.
    pub ordering: Option<Ordering>,
    /// When the value wraps to zero, in seconds from zero, by its type and rate.
    pub wraps_after_s: Option<f64>,
    /// Significant bits of the value.
    pub bits: Option<u32>,
    /// What its time refers to.
    pub scope: Scope,
    /// A value read in this run, in the clock's own unit.
    pub example: Option<String>,
    /// The same value in milliseconds; absent if its unit has no fixed length.
    pub example_ms: Option<f64>,
    /// `--calls N`: the duration of N calls that were really made.
    pub bulk: Option<Bulk>,
    /// The verdict on it.
    pub verdict: Option<Verdict>,
    /// Whether it is the one to use of its kind here: the one that is advised or, if none is, the
    /// cheapest with no known problem.
    pub best: bool,
}

impl Clock {
    /// Whether a read takes its value from there.
    pub fn reads(&self, from: Reads) -> bool {
        self.facts.is_some_and(|facts| facts.reads == from)
    }

    /// Whether it is another path to the clock.
    pub fn is_alternative_to(&self, clock: &Clock) -> bool {
        self.alternative_to.as_ref() == Some(&clock.id)
    }

    /// The cost of a read back to back, in nanoseconds, or ordered after the one before if only
    /// that was measured. A read that is too cheap to be resolved counts as its upper bound.
    pub fn read_ns(&self) -> Option<f64> {
        self.read()?.known_ns()
    }

    /// The same with its interval.
    pub fn read(&self) -> Option<&Estimate> {
        let estimate = self.cost.throughput.as_ref();
        estimate.or(self.cost.latency.as_ref())
    }

    /// The cost of a read that is ordered after the one before, in nanoseconds, or back to back if
    /// only that was measured.
    pub fn ordered_ns(&self) -> Option<f64> {
        self.ordered()?.known_ns()
    }

    /// The same with its interval.
    pub fn ordered(&self) -> Option<&Estimate> {
        let estimate = self.cost.latency.as_ref();
        let known = estimate.filter(|estimate| estimate.known_ns().is_some());
        known.or_else(|| self.read())
    }

    /// The smallest difference that it can show, as measured, in nanoseconds: the distance between
    /// two values, or the cost of a read if that is longer. `None` if it did not change.
    pub fn measured_ns(&self) -> Option<f64> {
        let resolution = self.resolution.as_ref()?;
        match resolution.verdict {
            Limit::Tick => resolution.step_ns(),
            Limit::Latency => self.read_ns(),
            Limit::NotSeen => None,
        }
    }

    /// How much its value changes at a time, in nanoseconds: as observed, or as the interface
    /// claims if no change was seen.
    pub fn step_ns(&self) -> Option<f64> {
        self.resolution.as_ref()?.known_step_ns()
    }
}

/// What limits the smallest difference a clock can show.
#[record]
pub enum Limit {
    /// The tick is longer than a read, so the tick is the resolution.
    Tick,
    /// A read takes longer than the tick, so the resolution is about the cost of a read.
    Latency,
    /// The clock did not change while it was watched, or only while another thread had the CPU, so
    /// that a change may be several ticks.
    #[default]
    NotSeen,
}

/// How the tick of a clock is known.
#[record]
pub enum TickFrom {
    /// It was seen: the differences between the clock's values are its multiples.
    Seen,
    /// It is the tick of the counter that the clock is built on; its own values show none.
    BuiltOn,
    /// None was found: the values differ by any number of units, and the tick given is only that
    /// unit. The real one is finer than a read can show.
    Unit,
}

/// The resolution of a clock.
#[record]
pub struct Resolution {
    /// The resolution that the API claims, in nanoseconds.
    pub nominal_ns: Option<f64>,
    /// What the differences seen are multiples of, in nanoseconds.
    pub tick_ns: Option<f64>,
    /// How that is known; absent in reports of earlier versions, which did not look for ticks
    /// that are shorter than a read.
    pub tick_from: Option<TickFrom>,
    /// The smallest non-zero difference seen between two reads in a row, in nanoseconds.
    pub observed_min_ns: Option<f64>,
    /// The median non-zero difference, in nanoseconds.
    pub observed_median_ns: Option<f64>,
    /// How many non-zero differences were seen.
    pub changes: u64,
    /// How long the clock was watched, in nanoseconds.
    pub watched_ns: Option<f64>,
    /// What limits the resolution.
    pub verdict: Limit,
}

/// If the median difference of a clock is this many times its unit or the cost of a read, its value
/// is updated from time to time rather than counted. Two successive reads of any other clock differ
/// by one unit, or by the cost of one read.
pub const RENEWED: f64 = 10.0;

/// A clock that claims no tick is watched for at least this long, in nanoseconds, before it is
/// judged to stand still: three times the longest tick of a system timer, 15.625 ms on Windows.
const STILL_NS: f64 = 50e6;
/// A clock is watched for at least this many of the ticks that it claims before it is judged to
/// stand still: it must change within little more than one.
const STILL_TICKS: f64 = 1.2;

impl Resolution {
    /// Whether the clock stood still: it did not change, and was watched for longer than a clock of
    /// its kind takes to change. A clock that was watched too briefly has no verdict yet.
    pub fn stood_still(&self) -> bool {
        let least = self.nominal_ns.unwrap_or(0.0) * STILL_TICKS;
        self.verdict == Limit::NotSeen
            && self.changes == 0
            && self.watched_ns.is_some_and(|watched| watched >= least.max(STILL_NS))
    }

    /// The distance between two successive values that differ, in nanoseconds. This is the tick,
    /// unless a finer tick is only the unit of a value that the system updates from time to time
    /// (Windows' system time is given in units of 100 ns and updated every 15.6 ms); then it is the
    /// median difference.
    pub fn step_ns(&self) -> Option<f64> {
        match (self.tick_ns, self.observed_median_ns, self.verdict) {
            (Some(tick), Some(median), Limit::Tick) if median > RENEWED * tick => Some(median),
            (tick, ..) => tick,
        }
    }

    /// The distance between two successive values that differ, as observed; if no change was seen,
    /// as the interface claims. In nanoseconds, above 0.
    pub fn known_step_ns(&self) -> Option<f64> {
        let seen = match self.verdict {
            Limit::NotSeen => None,
            Limit::Tick | Limit::Latency => self.step_ns(),
        };
        seen.or(self.nominal_ns).filter(|ns| ns.is_finite() && *ns > 0.0)
    }
}

/// How long it takes until a clock changes, with reads back to back, in nanoseconds.
#[record]
pub struct UntilChange {
    /// The median of the samples.
    pub median_ns: f64,
    /// Their mean.
    pub mean_ns: f64,
    /// Their standard deviation.
    pub sd_ns: f64,
    /// How many samples.
    pub samples: u64,
    /// The changes in each sample, which is their mean.
    pub changes_per_sample: u64,
}

/// What a clock measures for an independent interval of about 100 ms.
#[record]
pub struct Difference {
    /// The interval by the reference, in milliseconds.
    pub reference_ms: f64,
    /// The interval by the clock, in milliseconds.
    pub clock_ms: f64,
    /// How far the two may differ, in milliseconds: two ticks of the clock plus the duration of the
    /// reads.
    pub tolerance_ms: f64,
    /// Whether they agree within the tolerance.
    #[always]
    pub agrees: bool,
    /// Whether the clock is the counter that the interval was measured with, converted to time at
    /// the rate of the ruler. Then that they agree shows nothing about its rate.
    pub of_ruler: bool,
}

/// Whether a clock went backwards.
#[record]
pub struct Backwards {
    /// Pairs of successive reads.
    pub tries: u64,
    /// Pairs whose second value was smaller than the first.
    pub violations: u64,
    /// The largest step back, in nanoseconds.
    pub worst_ns: f64,
}

/// What a call of a clock takes.
#[record]
pub enum Speed {
    /// Less than 100 ns, as a read in user space does.
    Fast,
    /// Less than 1 us, as most system calls do.
    #[default]
    Ok,
    /// 1 us or more.
    Slow,
}

/// Many calls that were really made.
#[record]
pub struct Bulk {
    /// How many calls.
    pub calls: u64,
    /// How long they took, in milliseconds.
    pub ms: f64,
    /// Whether that is fast.
    pub speed: Option<Speed>,
}

impl Bulk {
    /// Nanoseconds per call.
    pub fn ns_per_call(&self) -> f64 {
        self.ms * 1e6 / self.calls.max(1) as f64
    }
}

/// How good a clock is for measuring here.
#[record(Names, PartialOrd, Ord)]
pub enum Grade {
    /// No known problem.
    #[default]
    Good,
    /// Good within a limit that the text names.
    Limited,
    /// No known problem, but also no evidence: what its judgement depends on is missing.
    Unknown,
    /// Better not used.
    Avoid,
}

/// The judgement on a clock.
#[record(Eq)]
pub struct Verdict {
    /// In one word.
    pub grade: Grade,
    /// In a few words, as the table shows it.
    pub text: String,
}

/// The comparison behind a measured rate.
#[record]
pub struct Comparison {
    /// What the rate was compared with: a clock's id, or the kernel's discipline.
    pub with: String,
    /// Whether that could have shown a wrong rate.
    pub standing: Standing,
    /// How far the measured rate is above the one by that comparison, in parts per million; only
    /// if that is independent.
    pub difference_ppm: Option<f64>,
    /// Why, in a clause.
    pub why: String,
}

/// Whether a comparison can show a wrong rate.
#[record]
pub enum Standing {
    /// The other clock may have another oscillator, but its own error is not known.
    #[default]
    Unverified,
    /// The other clock counts the same oscillator: the two agree whatever its rate is.
    SameOscillator,
    /// The other clock has another oscillator, or is disciplined by one outside the machine.
    Independent,
}

impl Standing {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::SameOscillator => "unverified: same oscillator",
            Self::Independent => "independent",
        }
    }
}

/// What the kernel's clock is disciplined by, as adjtimex(2) returns it.
#[record(Copy)]
pub struct Discipline {
    /// Whether a program (NTP, PTP) keeps the clock synchronised.
    #[always]
    pub synchronised: bool,
    /// The kernel's bound on the clock's error (`maxerror`), in nanoseconds.
    pub max_error_ns: f64,
    /// The program's estimate of that error (`esterror`), in nanoseconds.
    pub estimated_error_ns: f64,
    /// By how much the clock is made to run faster than its clock source, in parts per million
    /// (`freq` and `tick`).
    pub correction_ppm: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_of_a_clock_that_is_updated_periodically_is_the_update_interval() {
        let of = |verdict, tick, median| Resolution {
            tick_ns: Some(tick),
            observed_median_ns: Some(median),
            verdict,
            ..Resolution::default()
        };
        // GetSystemTimeAsFileTime: in units of 100 ns, updated every 15.6 ms.
        assert_eq!(of(Limit::Tick, 100.0, 15.6e6).step_ns(), Some(15.6e6));
        assert_eq!(of(Limit::Tick, 4e6, 4e6).step_ns(), Some(4e6));
        assert_eq!(of(Limit::Tick, 100.0, 200.0).step_ns(), Some(100.0));
        // In nanoseconds, but a read takes half a microsecond.
        assert_eq!(of(Limit::Latency, 1.0, 500.0).step_ns(), Some(1.0));
        assert_eq!(Resolution::default().step_ns(), None);
    }

    #[test]
    fn a_clock_stands_still_only_if_watched_for_longer_than_its_tick() {
        let still = |nominal_ns, watched_ns| {
            Resolution { nominal_ns, watched_ns, ..Resolution::default() }.stood_still()
        };
        // time() changes once a second.
        assert!(!still(Some(1e9), Some(0.9e9)));
        assert!(still(Some(1e9), Some(1.3e9)));
        assert!(!still(Some(100.0), Some(10e6)));
        assert!(still(Some(100.0), Some(60e6)) && still(None, Some(60e6)));
        assert!(!still(None, None));
    }
}
