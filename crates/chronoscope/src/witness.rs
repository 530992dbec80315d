//! Whether a measured piece ran undisturbed.
//!
//! A benchmark's slow samples are slow because the code is, or because something else had the CPU.
//! A [`Witness`] tells which, for each sample, without privilege and almost without cost: it sets
//! marks in the thread before the piece and looks afterwards whether they still stand.
//!
//! ```
//! use chronoscope::{Instant, witness::{Level, Witness}};
//! # fn work() -> u64 { std::hint::black_box((0..1000).sum()) }
//! let mut witness = Witness::new(Level::Marks);
//! let mut undisturbed = Vec::new();
//! for _ in 0..100 {
//!     witness.begin();
//!     let start = Instant::start();
//!     work();
//!     let took = Instant::stop().ns_since(start);
//!     let verdict = witness.end();
//!     // Where no mark exists, the verdict is unknown, and the sample counts.
//!     if verdict.is_clean() != Some(false) {
//!         undisturbed.push(took);
//!     }
//! }
//! println!("{} of 100 samples count", undisturbed.len());
//! ```
//!
//! | level | sees | cost of begin and end |
//! | --- | --- | --- |
//! | [`Level::Marks`] | the thread lost its CPU, was moved, or handled a signal | nanoseconds |
//! | [`Level::Entries`] | also interrupts and faults | a load of a segment register |
//! | [`Level::Gauges`] | also a shared core, another frequency, time taken | a microsecond |
//!
//! The first mark is the pointer to a restartable sequence, which the kernel removes when it
//! preempts, moves or signals a thread (rseq(2), Linux 4.18; glibc 2.35 or later has the place for
//! it in each thread). The second is a null selector in the segment register ES, which a return
//! from an interrupt clears; it exists on x86-64 under Linux unless the processor returns by
//! Intel's FRED. The gauges are additions whose number of cycles is known, on x86-64 and AArch64
//! under Linux if [`Instant`] reads the counter.
//!
//! What cannot be seen is unknown, and never clean: see [`Verdict::is_clean`]. None of the marks
//! takes a system call; the gauges read the CPU time of the thread by `clock_gettime`, except at
//! the end of a piece of at most a microsecond that the marks call clean.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use crate::clock::Clock;
use crate::counter;
use crate::instant::Instant;
use crate::sys::{os, thread, witness as sys};

/// What a [`Witness`] looks for, and so what it costs. Each level includes those before it.
///
/// ```
/// use chronoscope::witness::Level;
/// assert!(Level::Marks < Level::Entries && Level::Entries < Level::Gauges);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// The thread lost its CPU.
    Marks,
    /// An interrupt or a fault entered the kernel.
    Entries,
    /// The core was shared or changed its frequency, and how long the thread did not run.
    Gauges,
}

/// What can disturb a measured piece.
///
/// ```
/// use chronoscope::witness::{Disturbance, Level, Witness};
/// let mut witness = Witness::new(Level::Marks);
/// witness.begin();
/// std::thread::sleep(std::time::Duration::from_millis(1));
/// // `None` where no mark exists.
/// assert_ne!(witness.end().saw(Disturbance::Preempted), Some(false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Disturbance {
    /// The thread lost its CPU, because it waited, another one ran or it was moved, or it handled a
    /// signal.
    Preempted,
    /// The thread ended on another CPU than it began on.
    Moved,
    /// An interrupt or a fault entered the kernel.
    Interrupted,
    /// Something else used the core's execution units, just before or just after.
    CoreShared,
    /// The core's frequency was another one before than after, or than it was when the witness was
    /// made.
    FrequencyChanged,
    /// Time passed that neither the kernel nor another thread took: the hypervisor did, and said so
    /// (steal), or the machine was stopped, so that the tick came only after a piece of 20 ms or
    /// longer. Unknown if no tick comes in the 10 ms after such a piece either.
    GapBelowKernel,
}

impl Disturbance {
    /// All of them.
    ///
    /// ```
    /// use chronoscope::witness::Disturbance;
    /// assert_eq!(Disturbance::ALL[0], Disturbance::Preempted);
    /// ```
    pub const ALL: [Self; 6] = [
        Self::Preempted,
        Self::Moved,
        Self::Interrupted,
        Self::CoreShared,
        Self::FrequencyChanged,
        Self::GapBelowKernel,
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The word for it in a report.
    ///
    /// ```
    /// use chronoscope::witness::Disturbance;
    /// assert_eq!(Disturbance::CoreShared.name(), "core shared");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preempted => "preempted",
            Self::Moved => "moved",
            Self::Interrupted => "interrupted",
            Self::CoreShared => "core shared",
            Self::FrequencyChanged => "frequency changed",
            Self::GapBelowKernel => "gap below the kernel",
        }
    }
}

/// What a witness saw.
///
/// ```
/// use chronoscope::witness::{Level, Witness};
/// let mut witness = Witness::new(Level::Gauges);
/// witness.begin();
/// let verdict = witness.end();
/// println!("{verdict}, and {:?} ns were taken", verdict.taken_ns());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// One byte each for what was looked for, what could be seen and what happened, from the lowest
    /// on. Two numbers are returned in registers. As fields of their own, the three were stored one
    /// by one and read back together, which cost 3 ns on AMD family 26 and 13 on family 23.
    bits: u32,
    taken_ns: u64,
}

impl Verdict {
    /// The time taken that is not known.
    const UNKNOWN: u64 = u64::MAX;

    const fn asked(bits: u8) -> Self {
        Self { bits: bits as u32, taken_ns: Self::UNKNOWN }
    }

    /// Adds what was seen of one kind that was looked for; `None` if it could not be seen.
    #[inline]
    const fn note(&mut self, what: Disturbance, seen: Option<bool>) {
        let bit = what.bit() as u32;
        self.bits |= match seen {
            None => bit,
            Some(false) => bit | bit << 8,
            Some(true) => bit | bit << 8 | bit << 16,
        };
    }

    #[inline]
    const fn seen_bits(&self) -> u8 {
        (self.bits >> 8) as u8
    }

    /// For how long the thread did not run, in nanoseconds: elapsed time less its CPU time. Others
    /// had its CPU, it waited, or a hypervisor ran something else, if the kernel is told of that.
    /// Only with [`Level::Gauges`]; good to about a microsecond.
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// let mut witness = Witness::new(Level::Marks);
    /// witness.begin();
    /// assert_eq!(witness.end().taken_ns(), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn taken_ns(&self) -> Option<u64> {
        if self.taken_ns == Self::UNKNOWN { None } else { Some(self.taken_ns) }
    }

    /// Whether this happened; `None` if it could not be seen or was not looked for.
    ///
    /// ```
    /// use chronoscope::witness::{Disturbance, Level, Witness};
    /// let mut witness = Witness::new(Level::Entries);
    /// witness.begin();
    /// let verdict = witness.end();
    /// println!("moved: {:?}", verdict.saw(Disturbance::Moved));
    /// ```
    #[must_use]
    pub const fn saw(&self, what: Disturbance) -> Option<bool> {
        if self.seen_bits() & what.bit() == 0 {
            None
        } else {
            Some(self.found_bits() & what.bit() != 0)
        }
    }

    /// Whether nothing happened of all that the level looks for: `Some(false)` if anything did, and
    /// `None` if nothing did but something could not be seen here.
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// // Nothing has begun, so nothing is known.
    /// assert_eq!(Witness::new(Level::Marks).end().is_clean(), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_clean(&self) -> Option<bool> {
        if self.found_bits() != 0 {
            return Some(false);
        }
        if self.unknown_bits() == 0 { Some(true) } else { None }
    }

    /// What happened, as bits: 1 for the first of [`Disturbance::ALL`], 2 for the second, and so
    /// on.
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// let mut witness = Witness::new(Level::Entries);
    /// witness.begin();
    /// let verdict = witness.end();
    /// println!("{:#b}", verdict.found_bits());
    /// ```
    #[inline]
    #[must_use]
    pub const fn found_bits(&self) -> u8 {
        (self.bits >> 16) as u8
    }

    /// What was looked for and could not be seen, as [`found_bits`](Self::found_bits).
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// let mut witness = Witness::new(Level::Entries);
    /// witness.begin();
    /// let verdict = witness.end();
    /// assert_eq!(verdict.found_bits() & verdict.unknown_bits(), 0);
    /// ```
    #[inline]
    #[must_use]
    pub const fn unknown_bits(&self) -> u8 {
        self.bits as u8 & !self.seen_bits()
    }
}

/// Shows the bits as a number, and the time taken as [`taken_ns`](Verdict::taken_ns) gives it.
impl fmt::Debug for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken_ns = self.taken_ns();
        f.debug_struct("Verdict").field("bits", &self.bits).field("taken_ns", &taken_ns).finish()
    }
}

/// "clean", "preempted, interrupted" or "unknown: interrupted".
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, bits) = match self.is_clean() {
            Some(true) => return f.write_str("clean"),
            Some(false) => ("", self.found_bits()),
            None => ("unknown: ", self.unknown_bits()),
        };
        f.write_str(words)?;
        let named = Disturbance::ALL.into_iter().filter(|what| bits & what.bit() != 0);
        for (nth, what) in named.enumerate() {
            f.write_str(if nth == 0 { "" } else { ", " })?;
            f.write_str(what.name())?;
        }
        Ok(())
    }
}

/// What [`Witness::time`] measured.
///
/// ```
/// use chronoscope::witness::{Level, Witness};
/// let timed = Witness::new(Level::Marks).time(100, || ());
/// println!("{} ns each", timed.took.as_nanos() / 100);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timed {
    /// The time of all runs that count, which are as many as were wanted.
    pub took: Duration,
    /// Runs that were disturbed and made again.
    pub left_out: u64,
    /// Runs that count although they were disturbed, because too many were.
    pub disturbed: u64,
}

/// See [`Witness::time`].
const PART: Duration = Duration::from_micros(100);

/// Shows whether an interrupt or a fault entered the kernel since a moment, as a program sees it
/// from inside and without privilege. System calls do not count. It stays in its thread, and there
/// is one in a thread: a [`Witness`] that looks for [`Level::Entries`] uses the same register.
///
/// The segment register ES means nothing in 64-bit mode and may hold any of four null selectors. A
/// return from an interrupt to user code replaces one that is not 0 by 0 (Intel SDM volume 2A,
/// IRET, "return to outer privilege level"; AMD APM volume 3, IRET; Zhang and others 2024,
/// *SegScope*, HPCA, section III). An exit to the hypervisor and a system management interrupt
/// restore the register, and so does the kernel when it switches threads in a system call (Linux
/// `arch/x86/kernel/process_64.c`, `__switch_to`). So if time passed and the selector still stands,
/// something below the kernel took it.
///
/// ```
/// use chronoscope::{counter, witness::Entries};
/// if let Some(entries) = Entries::shown() {
///     entries.set();
///     let start = counter::now();
///     let ticks = counter::now().wrapping_sub(start);
///     println!("{ticks} ticks, interrupted: {}", !entries.stood());
/// }
/// ```
#[derive(Debug)]
pub struct Entries(sys::Entries, PhantomData<*const ()>);

impl Entries {
    /// `None` if nothing shows entries to a program: on other systems and processors than x86-64
    /// under Linux, where the processor returns by Intel's FRED, which keeps the selector, and
    /// under Valgrind. The first call of a process tests it with page faults.
    ///
    /// ```
    /// use chronoscope::witness::Entries;
    /// println!("{:?}", Entries::shown());
    /// ```
    #[must_use]
    pub fn shown() -> Option<Self> {
        Some(Self(sys::Entries::shown()?, PhantomData))
    }

    /// Begins to look.
    ///
    /// ```
    /// use chronoscope::witness::Entries;
    /// Entries::shown().inspect(|entries| entries.set());
    /// ```
    #[inline(always)]
    pub fn set(&self) {
        self.0.set();
    }

    /// Whether nothing entered the kernel since [`set`](Self::set).
    ///
    /// ```
    /// use chronoscope::witness::Entries;
    /// Entries::shown().inspect(|entries| {
    ///     entries.set();
    ///     println!("{}", entries.stood());
    /// });
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn stood(&self) -> bool {
        self.0.stood()
    }
}

/// Watches over the pieces that one thread measures. It stays in its thread.
///
/// There is one mark in a thread. A piece within a piece removes that of the outer one, which then
/// counts as preempted.
///
/// ```
/// use chronoscope::witness::{Level, Witness};
/// let mut witness = Witness::new(Level::Entries);
/// witness.begin();
/// let verdict = witness.end();
/// println!("{verdict}");
/// ```
#[derive(Debug)]
pub struct Witness {
    level: Level,
    mark: Option<sys::Mark>,
    entries: Option<Entries>,
    gauges: Option<Gauges>,
    /// Whether a piece has begun.
    begun: bool,
    cpu: u32,
    of_this_thread: PhantomData<*const ()>,
}

impl Witness {
    /// Makes a witness for pieces of this thread. The first one of a process that looks for entries
    /// tests whether they show; one with gauges determines the frequency of the core, in some 50
    /// microseconds.
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// let witness = Witness::new(Level::Marks);
    /// println!("{witness:?}");
    /// ```
    #[must_use]
    pub fn new(level: Level) -> Self {
        Self {
            level,
            mark: sys::Mark::of_this_thread(),
            entries: (level >= Level::Entries).then(Entries::shown).flatten(),
            gauges: (level >= Level::Gauges).then(Gauges::here).flatten(),
            begun: false,
            cpu: 0,
            of_this_thread: PhantomData,
        }
    }

    /// A piece begins. One that has begun already begins anew.
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// let mut witness = Witness::new(Level::Entries);
    /// witness.begin();
    /// let verdict = witness.end();
    /// println!("{verdict}");
    /// ```
    #[inline]
    pub fn begin(&mut self) {
        if let Some(gauges) = &mut self.gauges {
            gauges.begin();
        }
        self.begun = true;
        if let Some(entries) = &self.entries {
            entries.set();
        }
        if let Some(mark) = &self.mark {
            self.cpu = mark.set();
        }
    }

    /// The piece ends. Everything is unknown if none has begun.
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// let mut witness = Witness::new(Level::Entries);
    /// witness.begin();
    /// let verdict = witness.end();
    /// println!("{verdict}");
    /// ```
    #[inline]
    pub fn end(&mut self) -> Verdict {
        let mut verdict = Verdict::asked(Disturbance::Preempted.bit() | Disturbance::Moved.bit());
        let begun = std::mem::replace(&mut self.begun, false);
        if let Some(mark) = self.mark.as_ref().filter(|_| begun) {
            let (stood, cpu) = mark.take();
            verdict.note(Disturbance::Preempted, stood.map(|stood| !stood));
            verdict.note(Disturbance::Moved, Some(cpu != self.cpu));
        }
        if self.level == Level::Marks { verdict } else { self.end_above_marks(verdict, begun) }
    }

    /// A function of its own, so that the end of a piece with marks only is inlined, which saves
    /// 0.9 ns (AMD family 26).
    #[inline(never)]
    fn end_above_marks(&mut self, mut verdict: Verdict, begun: bool) -> Verdict {
        let entries = self.entries.as_ref().filter(|_| begun);
        verdict.note(Disturbance::Interrupted, entries.map(|entries| !entries.stood()));
        if self.level < Level::Gauges {
            return verdict;
        }
        let stood = verdict.is_clean() == Some(true);
        if let Some(ended) = self.gauges.as_mut().filter(|_| begun).map(|it| it.end(stood)) {
            verdict.taken_ns = ended.taken_ns;
            let gap = match (verdict.is_clean(), ended.taken_ns >= STOLEN_NS) {
                (Some(true), true) => Some(true),
                (Some(true), false) if ended.elapsed_ns >= TICKLESS_NS => self.has_tick(),
                (known, _) => known.map(|_| false),
            };
            verdict.note(Disturbance::GapBelowKernel, gap);
            verdict.note(Disturbance::CoreShared, Some(ended.shared));
            verdict.note(Disturbance::FrequencyChanged, Some(ended.frequency_changed));
        }
        verdict.bits |= (1 << Disturbance::ALL.len()) - 1;
        verdict
    }

    /// Whether a tick comes now that did not come for as long as two take; `None` if none does.
    #[cold]
    fn has_tick(&self) -> Option<bool> {
        let entries = self.entries.as_ref()?;
        let until = os::monotonic() + TICKLESS_NS / 2;
        entries.set();
        while entries.stood() {
            if os::monotonic() > until {
                return None;
            }
        }
        Some(true)
    }

    /// Times `piece`, `times` in a row, in parts of some 50 microseconds each. A part that was
    /// disturbed is run again, up to as many runs as were wanted; from then on all count. For
    /// harnesses that leave it to a program how it times, such as criterion's `iter_custom`.
    ///
    /// What the piece does itself counts as a disturbance, too: if it waits, look for nothing, and
    /// if it touches new memory, look for [`Level::Marks`] only.
    ///
    /// ```
    /// use chronoscope::witness::{Level, Witness};
    /// let mut sum = 0_u64;
    /// let timed = Witness::new(Level::Marks).time(10_000, || {
    ///     sum = std::hint::black_box(sum + 1);
    /// });
    /// println!("{:?} each, {} runs left out", timed.took / 10_000, timed.left_out);
    /// assert_eq!(sum, 10_000 + timed.left_out);
    /// ```
    pub fn time(&mut self, times: u64, mut piece: impl FnMut()) -> Timed {
        let mut timed = Timed::default();
        let (mut counted, mut part) = (0, 1);
        while counted < times {
            let runs = part.min(times - counted);
            self.begin();
            let start = Instant::start();
            for _ in 0..runs {
                piece();
            }
            let took = Instant::stop().duration_since(start);
            let disturbed = self.end().is_clean() == Some(false);
            // Parts are no longer than this, so few of them see the tick of the scheduler.
            if took < PART / 2 {
                part *= 2;
            }
            if disturbed && timed.left_out + runs <= times {
                timed.left_out += runs;
                continue;
            }
            timed.took += took;
            timed.disturbed += if disturbed { runs } else { 0 };
            counted += runs;
        }
        timed
    }
}

/// A piece that was begun and never ended leaves no mark behind: the kernel would follow it into
/// memory that may be gone.
impl Drop for Witness {
    fn drop(&mut self) {
        if let Some(mark) = self.mark.as_ref().filter(|_| self.begun) {
            mark.take();
        }
    }
}

/// Ticks of the counter for a chain of additions, and for independent ones.
#[derive(Clone, Copy, Debug)]
struct Look {
    chain: u64,
    independent: u64,
}

impl Look {
    fn now() -> Self {
        Self { chain: ticks(sys::chain), independent: ticks(sys::independent) }
    }

    /// The faster of two, because an interrupt only adds.
    fn or(self, other: Self) -> Self {
        Self {
            chain: self.chain.min(other.chain),
            independent: self.independent.min(other.independent),
        }
    }

    fn ratio(self) -> f64 {
        self.independent as f64 / self.chain as f64
    }
}

/// What these additions take, in ticks of the counter; more if an interrupt comes between.
fn ticks(additions: impl Fn()) -> u64 {
    let start = counter::start();
    additions();
    counter::start().wrapping_sub(start).max(1)
}

/// A neighbour on the core adds 20 to 70 % to the ratio (measured on Zen 3 and on Ice Lake); the
/// gauges scatter by some per cent, because a tick of the counter can be 10 ns.
const SHARED: f64 = 1.15;
/// Another frequency adds this to the time of a chain, or takes it away.
const FREQUENCY: f64 = 1.08;
/// The looks that determine what is usual.
const LOOKS: usize = 32;
/// A piece that begins so soon after another ended takes over what was seen then.
const FRESH_NS: u64 = 5_000;
/// What the time that was taken is good to.
const GOOD_TO_NS: u64 = 1_000;
/// A thread that did not run for so long was not merely measured.
const STOLEN_NS: u64 = 20_000;
/// The tick of every kernel comes twice in this time, if it comes.
const TICKLESS_NS: u64 = 20_000_000;

#[derive(Debug)]
struct Gauges {
    /// The median chain and the lowest ratio when the witness was made.
    usual_chain: u64,
    alone: f64,
    /// The last look, and a moment close to it with the CPU time then, in nanoseconds.
    last: Look,
    at: Instant,
    ran_ns: u64,
}

struct Ended {
    elapsed_ns: u64,
    taken_ns: u64,
    shared: bool,
    frequency_changed: bool,
}

impl Gauges {
    fn here() -> Option<Self> {
        // The first read decides whether the counter may be read.
        let _ = Instant::now();
        if sys::CHAIN == 0 || !Clock::global().is_counted() {
            return None;
        }
        let mut looks: [Look; LOOKS] = std::array::from_fn(|_| Look::now().or(Look::now()));
        looks.sort_unstable_by_key(|look| look.chain);
        let last = looks[LOOKS / 2];
        let mut ratios = looks.map(Look::ratio);
        ratios.sort_unstable_by(f64::total_cmp);
        let alone = ratios[LOOKS / 8];
        let (usual_chain, at) = (last.chain, Instant::from_ticks(0));
        Some(Self { usual_chain, alone, last, at, ran_ns: 0 })
    }

    /// Whether a look is apart from what is usual, by this part of the limits.
    fn judged(&self, look: Look, part: f64) -> [bool; 2] {
        let limit = |of: f64| 1.0 + (of - 1.0) * part;
        [
            look.ratio() > self.alone * limit(SHARED),
            apart(look.chain as f64, self.usual_chain as f64) > limit(FREQUENCY),
        ]
    }

    /// The independent additions take longer on a shared core and on a slower one, and less time on
    /// a faster one. So what they take as usual needs no chain, which would be as usual, too.
    fn look(&self) -> Look {
        let usual = |look| self.judged(look, 0.5) == [false; 2];
        let first = Look { chain: self.usual_chain, independent: ticks(sys::independent) };
        let faster = first.ratio() * (1.0 + FREQUENCY) / 2.0 < self.alone;
        if usual(first) && !faster {
            return first;
        }
        let first = Look { chain: ticks(sys::chain), ..first };
        if usual(first) { first } else { first.or(Look::now()) }
    }

    fn begin(&mut self) {
        if self.at.elapsed_ns() > FRESH_NS {
            self.last = self.look();
            (self.at, self.ran_ns) = (Instant::now(), ran_ns());
        }
    }

    /// What was seen of a piece in which, as the marks say, nothing entered the kernel, or in which
    /// something may have.
    #[inline(never)]
    fn end(&mut self, stood: bool) -> Ended {
        let at = Instant::now();
        let (elapsed_ns, mut taken_ns) = (at.ns_since(self.at), 0);
        // The CPU time costs more than all else, and says nothing of so short a time.
        if !stood || elapsed_ns > GOOD_TO_NS {
            let ran_ns = ran_ns();
            taken_ns = elapsed_ns.saturating_sub(ran_ns.saturating_sub(self.ran_ns));
            (self.at, self.ran_ns) = (at, ran_ns);
        }
        let (before, after) = (self.last, self.look());
        self.last = after;
        let judged = [before, after].map(|look| self.judged(look, 1.0));
        let any = |kind: usize| judged.iter().any(|of| of[kind]);
        let changed = apart(before.chain as f64, after.chain as f64) > FREQUENCY;
        Ended { elapsed_ns, taken_ns, shared: any(0), frequency_changed: any(1) || changed }
    }
}

/// The CPU time of this thread, in nanoseconds.
fn ran_ns() -> u64 {
    thread::cpu_time().unwrap_or(0)
}

/// How many times as large the larger is.
fn apart(a: f64, b: f64) -> f64 {
    a.max(b) / a.min(b)
}
