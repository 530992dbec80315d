//! What the catalogue knows about a clock, and what is needed to read one.

use crate::catalogue::page;
use crate::order::{FENCED, Handed, LATER, Lapse, Line, Turns, Work};
use chronoscope_model::clock::{BuiltOn, Counts, Orders, RateFrom, Reads};

pub use crate::catalogue::Unavailable;
pub(crate) use crate::time::{may_call_vdso, may_read_counter};
pub use chronoscope_model::clock::{Facts, Kind, Language, Period};

pub struct Entry {
    /// `family/variant` in lower case: a fixed name that other programs rely on.
    pub id: &'static str,
    /// The call as a user writes it.
    pub call: &'static str,
    /// The language the reader is compiled in.
    pub language: Language,
    pub kind: Kind,
    /// What the clock reads, orders and counts, and where its rate comes from.
    pub facts: Facts,
    /// The id of the clock that this one reads in another way. The difference between the two costs
    /// is the cost of that way.
    pub alternative_to: Option<&'static str>,
    /// Whether programs commonly read the clock, rightly or wrongly, so that a summary measures and
    /// shows it.
    pub common: bool,
    /// The systems or processors that have the clock, in words.
    pub home: &'static str,
    /// [`Entry::about`], if it is made from others' texts; most stand in `clocks.md`.
    pub(crate) about: &'static str,
    /// [`Entry::references`], if that of the family; others stand in `clocks.md`.
    pub(crate) references: &'static [&'static str],
    /// What the timed loop must contain: mnemonics, the names of functions that it calls, or `(*)`
    /// for a call through a pointer. `cargo xtask disasm` checks this against the machine code.
    pub expect: &'static [&'static str],
    /// Returns the period of a clock of C++, as its compiler declares it; absent for others.
    pub period: Option<fn() -> Option<Period>>,
    /// The values that the clock can return before it wraps.
    pub(crate) range: Range,
    /// What the system was asked for, as the reason for an unavailable clock names it; if absent,
    /// the call.
    pub(crate) asked_for: Option<&'static str>,
    /// Opens the clock; absent on systems that do not have it.
    pub(crate) opener: Option<Opener>,
}

/// Prepares a clock for reading, or returns the reason why it cannot be read.
pub(crate) type Opener = fn(&Entry, Opening) -> Result<Opened, Unavailable>;

/// The defaults of an entry.
pub(crate) const PLAIN: Entry = Entry {
    id: "",
    call: "",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: VDSO,
    alternative_to: None,
    common: false,
    home: "",
    about: "",
    references: &[],
    expect: &[],
    period: None,
    range: Range::bits(64),
    asked_for: None,
    opener: None,
};

/// The defaults of a clock that is read in Rust.
pub(crate) const RUST: Entry = Entry { language: Language::Rust, home: "every system", ..PLAIN };

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opening {
    /// Read the clock once to see whether that works, and ask for its resolution.
    #[default]
    Checked,
    /// Do not read the clock, so that the next read is the first in the process. The caller knows
    /// that it can be read. Its unit and nominal resolution are left unknown.
    Untouched,
}

impl Entry {
    /// What a user should know about it, in a few sentences.
    pub fn about(&self) -> &'static str {
        if self.about.is_empty() { page(self.id).about } else { self.about }
    }

    /// The sources of that: manual and section, paper, kernel file.
    pub fn references(&self) -> &'static [&'static str] {
        match page(self.id).references {
            [] => self.references,
            own => own,
        }
    }

    /// Whether the clock exists only on systems or processors other than those of this build.
    pub fn is_on_other_system(&self) -> bool {
        self.opener.is_none()
    }

    /// Prepares the clock for reading.
    ///
    /// # Errors
    /// The reason why it cannot be read on this machine.
    pub fn open(&self, how: Opening) -> Result<Reader, Unavailable> {
        let opener = self.opener.ok_or_else(|| Unavailable::only_on(self.home))?;
        let opened = opener(self, how)?;
        let (kind, facts) = opened.instead.unwrap_or((self.kind, self.facts));
        Ok(Reader {
            kind,
            facts,
            unit: opened.unit,
            nominal_ns: opened.nominal_ns,
            range: self.range,
            loops: opened.loops,
        })
    }
}

/// A counter of the processor, read without waiting for anything; its rate must be determined.
pub(crate) const COUNTER: Facts = Facts {
    reads: Reads::Counter,
    orders: Orders::Nothing,
    counts: Counts::Time,
    rate_from: RateFrom::Calibration,
    built_on: BuiltOn::Counter,
    by_lfence: false,
    exits_guest: false,
};

/// A counter of the processor, read after all earlier instructions have completed.
pub(crate) const ORDERED_COUNTER: Facts = Facts { orders: Orders::Earlier, ..COUNTER };

/// The counter of x86, read after an LFENCE, which waits for all earlier instructions.
pub(crate) const FENCED_COUNTER: Facts = Facts { by_lfence: true, ..ORDERED_COUNTER };

pub(crate) const CYCLES: Facts = Facts {
    counts: Counts::Cycles,
    rate_from: RateFrom::Nothing,
    built_on: BuiltOn::Cycles,
    ..COUNTER
};

/// A clock of the kernel that is read in user space if possible. The vDSO reads its counter in
/// order (Linux arch/x86/include/asm/vdso/gettimeofday.h, `rdtsc_ordered()`).
pub(crate) const VDSO: Facts = Facts {
    reads: Reads::Vdso,
    orders: Orders::Earlier,
    counts: Counts::Time,
    rate_from: RateFrom::Interface,
    built_on: BuiltOn::ClockSource,
    by_lfence: false,
    exits_guest: false,
};

/// A time that the kernel stores at its timer tick: a load from memory, which is not ordered.
pub(crate) const STORED: Facts = Facts { orders: Orders::Nothing, built_on: BuiltOn::Tick, ..VDSO };

/// A clock of a system whose documentation does not say what a read waits for.
pub(crate) const UNDOCUMENTED: Facts = Facts { orders: Orders::Unknown, ..VDSO };

/// A clock of the kernel, read through a system call.
pub(crate) const SYSTEM_CALL: Facts = Facts { reads: Reads::SystemCall, ..VDSO };

/// The CPU time of the process or the thread, read through a system call.
pub(crate) const CPU_TIME: Facts = Facts { built_on: BuiltOn::CpuTime, ..SYSTEM_CALL };

/// A time that the kernel stores at its timer tick, read through a system call.
pub(crate) const STORED_SYSTEM_CALL: Facts = Facts { built_on: BuiltOn::Tick, ..SYSTEM_CALL };

pub(crate) const DEVICE: Facts = Facts { reads: Reads::File, built_on: BuiltOn::Device, ..VDSO };

/// The system's own monotonic clock on this target, which languages wrap.
pub(crate) const MONOTONIC: Option<&str> = if cfg!(windows) {
    Some("windows/qpc")
} else if cfg!(target_vendor = "apple") {
    Some("darwin/clock_gettime_nsec_np-uptime-raw")
} else {
    Some("posix/monotonic")
};

/// The system's own wall clock on this target, which languages wrap.
pub(crate) const WALL: Option<&str> = if cfg!(windows) {
    Some("windows/getsystemtimepreciseasfiletime")
} else {
    Some("posix/realtime")
};

/// How a raw value becomes time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// This many units per second, by definition or because the system reports it.
    Hz(f64),
    /// Ticks of this machine's counter, whose rate is determined by calibration.
    Counter,
    /// Something with a changing rate, such as core cycles.
    Variable,
}

/// The range of a value before it returns to zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Significant bits of the most significant part.
    pub bits: u32,
    /// How many units of the counted part make a second; if absent, the unit is that of the value.
    pub per_second: Option<f64>,
    /// Whether the counted part is the processor's counter, of which the value is a fraction.
    pub of_counter: bool,
}

impl Range {
    /// The value itself has this many bits.
    pub const fn bits(bits: u32) -> Self {
        Self { bits, per_second: None, of_counter: false }
    }

    /// The value is a fraction of a counter of this many bits.
    pub const fn counter(bits: u32) -> Self {
        Self { of_counter: true, ..Self::bits(bits) }
    }

    /// Seconds are counted separately, in this many bits.
    pub const fn seconds(bits: u32) -> Self {
        Self { per_second: Some(1.0), ..Self::bits(bits) }
    }
}

/// The timed loops of one opened clock, compiled in its language. What is timed is the whole loop,
/// so that no call comes between two reads: calls of these methods are dynamic, reads are not. They
/// may own what the clock needs, such as an open file.
pub trait Loops: Send {
    /// `n` independent reads, back to back, in this copy of the loop, below [`COPIES`]. The copies
    /// differ in where they lie in memory.
    fn throughput(&mut self, copy: usize, n: u64);

    /// `n` reads, each of which begins when the one before has completed.
    fn latency(&mut self, copy: usize, n: u64);

    /// Fills `out` with successive raw values.
    fn fill(&mut self, out: &mut [u64]);

    /// Makes `n` calls after a first one, and returns the last value less the first. Stores
    /// nothing.
    fn span(&mut self, n: u64) -> u64;

    /// Sums `v` `n` times in this copy of the loop, each time between two reads whose difference is
    /// taken; returns the sum. For the empty loop this is the loop without timing, and calls the
    /// function that sums with timing too.
    fn around(&mut self, copy: usize, n: u64, v: &[u64]) -> u64;

    /// Fills `out` with reads after `work`; `how` is a sum of `FENCED` and `LATER`.
    fn after_work(&mut self, work: Work, how: u32, line: &Line, out: &mut [Lapse]);

    /// Takes `n` turns at reading with another thread, which has its own reader: player 0 or 1.
    /// Each hands its value to the other, which checks that its own is not smaller. Fewer turns are
    /// taken if the other does not come.
    fn hand(&mut self, turns: &Turns, me: u32, n: u64) -> Handed;

    /// The address of the machine code of the first copy of the throughput loop.
    fn loop_address(&self) -> usize;

    /// The address of the machine code of the first copy of [`Loops::around`].
    fn around_address(&self) -> usize;
}

/// Copies of each timed loop, CS_COPIES in `native/reader.h`.
pub const COPIES: usize = 4;

pub(crate) struct Opened {
    pub(crate) loops: Box<dyn Loops>,
    pub(crate) unit: Unit,
    pub(crate) nominal_ns: Option<f64>,
    /// The kind and facts of the clock on this machine, if they differ from those of its entry.
    pub(crate) instead: Option<(Kind, Facts)>,
}

pub struct Reader {
    pub kind: Kind,
    /// What is known about the clock on this machine.
    pub facts: Facts,
    pub unit: Unit,
    /// The resolution that the API claims, in nanoseconds.
    pub nominal_ns: Option<f64>,
    pub range: Range,
    loops: Box<dyn Loops>,
}

/// Gives access to the reader's loops.
impl std::ops::Deref for Reader {
    type Target = dyn Loops;

    fn deref(&self) -> &Self::Target {
        &*self.loops
    }
}

impl std::ops::DerefMut for Reader {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.loops
    }
}

impl Reader {
    /// Fills `out` with reads after some work, each since a fenced read before the work. If
    /// `fenced`, a fence separates the read from the work as well.
    pub fn after(&mut self, work: Work, fenced: bool, line: &Line, out: &mut [Lapse]) {
        let how = if fenced { FENCED } else { 0 } + if self.shows_later() { LATER } else { 0 };
        self.loops.after_work(work, how, line, out);
    }

    /// Whether [`Lapse::later`] is measured. It takes a bare read of the processor's counter, which
    /// only a clock that reads that counter itself is known to permit.
    pub fn shows_later(&self) -> bool {
        let bare = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        bare && self.facts.reads == Reads::Counter && self.facts.built_on == BuiltOn::Counter
    }

    pub fn value(&mut self) -> u64 {
        let mut out = [0];
        self.fill(&mut out);
        out[0]
    }

    /// A clock that is not an entry of the catalogue.
    pub(crate) fn without_entry(opened: Opened) -> Self {
        Self {
            kind: Kind::Counter,
            facts: Facts::default(),
            unit: opened.unit,
            nominal_ns: opened.nominal_ns,
            range: PLAIN.range,
            loops: opened.loops,
        }
    }
}
