//! Whether the clocks of this machine can be trusted: do they go backwards, agree between CPUs,
//! keep their rate, and survive what happens to the machine meanwhile?
//!
//! The processor's counter on every CPU.

use crate::clock::{Backwards, Facts, Kind, Orders, Standing, Verdict};
use crate::ordering::Handed;

/// What a run that watched the clocks for a while found.
#[record]
pub struct Trust {
    /// How long the clocks were to be watched, in seconds.
    pub asked_s: f64,
    /// How long they have been watched, in seconds, without the gaps before a run was resumed.
    pub seconds: f64,
    /// What each clock did on one thread, between threads and under migration.
    pub clocks: Vec<Watch>,
    /// Whether the processor's counter agrees on all CPUs, read with fences on both sides.
    #[serde(default)]
    pub matrix: Matrix,
    /// The rate of each clock against each reference.
    pub rates: Vec<RateAgainst>,
    /// What outside the machine, or with another oscillator, could show a wrong rate.
    pub outside: Vec<Outside>,
    /// What happened to the wall clock.
    pub wall: Option<Wall>,
    /// Reads through the vDSO between two system calls for the same clock.
    pub sandwiches: Vec<Sandwich>,
    /// What a read costs while several threads read.
    pub contention: Vec<Contention>,
    /// Whether something intercepts the reads of the counter or of the vDSO.
    pub traps: Vec<Trap>,
    /// Pauses of the machine and jumps of its counter.
    #[serde(default)]
    pub watched: Watched,
    /// What was not tested, and why.
    pub left_out: Vec<LeftOut>,
    /// How the clocks ran over the whole watch.
    pub series: Option<Series>,
    /// Where the watch ended, for `--resume`.
    pub anchor: Option<Anchor>,
}

impl Trust {
    /// Whether any rate was compared with something that has another oscillator; otherwise all
    /// clocks of the machine may be wrong alike.
    pub fn rate_is_verified(&self) -> bool {
        let independent = |rate: &RateAgainst| rate.standing == Standing::Independent;
        self.rates.iter().any(independent)
    }

    /// The watch on this clock.
    pub fn of(&self, id: &str) -> Option<&Watch> {
        self.clocks.iter().find(|watch| watch.id == id)
    }
}

/// What was not tested, and why.
#[record(Eq)]
pub struct LeftOut {
    /// What, in a few words.
    pub what: String,
    /// Why.
    pub why: String,
}

/// What one clock did while it was watched.
#[record]
pub struct Watch {
    /// The clock.
    pub id: String,
    /// What it counts.
    pub kind: Kind,
    /// What is known of it before it is measured.
    pub facts: Option<Facts>,
    /// Why it cannot be read here; then nothing else is known.
    pub unavailable_reason: Option<String>,
    /// Successive reads on one thread.
    pub one_thread: Option<Backwards>,
    /// Successive reads of a thread that was moved to another CPU between them.
    pub migrating: Option<Migrating>,
    /// Why no thread was moved, or no value handed over.
    pub one_cpu: Option<String>,
    /// Values that threads on two CPUs handed to each other, over all pairs of CPUs.
    pub handed: Option<HandedAll>,
    /// Whether its value never changed while it was watched, or during a part of a resumed run.
    pub frozen: bool,
    /// The verdict.
    pub verdict: Option<Verdict>,
}

impl Watch {
    /// What each test found, hand-overs last: reads that were compared with an earlier one, how
    /// many of them were smaller, and the furthest step back in nanoseconds.
    fn tests(&self) -> impl Iterator<Item = (u64, u64, f64)> {
        let one = self.one_thread.as_ref().map(|it| (it.tries, it.violations, it.worst_ns));
        let moved = self.migrating.as_ref().map(|it| (it.moves, it.backwards, it.worst_ns));
        let handed = self.handed.as_ref().map(|it| (it.turns, it.backwards, it.worst_ns));
        [one, moved, handed].into_iter().flatten()
    }

    /// How many reads were compared with an earlier one, in all tests.
    pub fn tries(&self) -> u64 {
        self.tests().fold(0, |sum, test| sum.saturating_add(test.0))
    }

    /// How many of them were smaller, in all tests.
    pub fn backwards(&self) -> u64 {
        self.tests().fold(0, |sum, test| sum.saturating_add(test.1))
    }

    /// The hand-overs, if the clock's reads are not ordered by design: the processor may take such
    /// a value early, so a step back says nothing about the clock.
    pub fn unordered(&self) -> Option<&HandedAll> {
        let orders = self.facts.map_or(Orders::Unknown, |facts| facts.orders);
        let unordered = matches!(orders, Orders::Nothing | Orders::Unknown);
        self.handed.as_ref().filter(|_| unordered)
    }

    /// What the tests found in which each read had to come after the one that it was compared with.
    pub fn ordered(&self) -> Backwards {
        let handed = usize::from(self.unordered().is_some());
        let all: Vec<_> = self.tests().collect();
        let ordered = &all[..all.len() - handed];
        Backwards {
            tries: ordered.iter().fold(0, |sum, test| sum.saturating_add(test.0)),
            violations: ordered.iter().fold(0, |sum, test| sum.saturating_add(test.1)),
            worst_ns: ordered.iter().fold(0.0, |worst, test| test.2.max(worst)),
        }
    }

    /// The furthest step back in all tests, in nanoseconds.
    pub fn worst_ns(&self) -> f64 {
        self.tests().fold(0.0, |worst, test| test.2.max(worst))
    }
}

/// Reads before and after a thread was moved to another CPU.
#[record]
pub struct Migrating {
    /// The CPUs that the thread visited.
    pub cpus: usize,
    /// How often it was moved, with a read right before and one right after.
    pub moves: u64,
    /// How often the value after the move was smaller.
    pub backwards: u64,
    /// The furthest step back, in nanoseconds.
    pub worst_ns: f64,
}

/// Values of one clock that two threads handed to each other, over all pairs of CPUs.
#[record]
pub struct HandedAll {
    /// How many pairs of CPUs played.
    pub pairs: usize,
    /// How many values were handed over.
    pub turns: u64,
    /// The time that this took, in seconds.
    pub seconds: f64,
    /// How often the receiver then read a smaller value.
    pub backwards: u64,
    /// The furthest step back, in nanoseconds.
    pub worst_ns: f64,
    /// Between which CPUs the furthest step back was seen.
    pub worst_cpus: Option<[usize; 2]>,
    /// The slowest pair's hand-overs per second.
    pub slowest_per_second: f64,
}

/// Reads of a clock through the vDSO, each between two system calls for the same clock.
#[record]
pub struct Sandwich {
    /// The clock that is read through the vDSO.
    pub id: String,
    /// The system call for the same clock.
    pub system_call: String,
    /// How many sandwiches were made.
    pub tries: u64,
    /// How often the vDSO returned less than the system call before it.
    pub below: u64,
    /// How often the vDSO returned more than the system call after it.
    pub above: u64,
    /// How often the second system call returned less than the first.
    pub calls_backwards: u64,
    /// The furthest of the first two, in nanoseconds.
    pub worst_ns: f64,
}

impl Sandwich {
    /// Whether the vDSO returned a time that the system call contradicts.
    pub fn disagrees(&self) -> bool {
        self.below > 0 || self.above > 0
    }
}

/// What a read of one clock costs while several threads read it.
#[record]
pub struct Contention {
    /// The clock.
    pub id: String,
    /// The cost with each number of threads, ascending, from 1; each thread has a CPU of its own.
    #[always]
    pub points: Vec<Contended>,
}

impl Contention {
    /// By what factor a read is more expensive with the most threads than with one.
    pub fn factor(&self) -> Option<f64> {
        let (one, most) = (self.points.first()?, self.points.last()?);
        (one.threads == 1 && most.threads > 1 && one.ns > 0.0).then(|| most.ns / one.ns)
    }
}

/// The cost of a read with this many threads.
#[record(Copy)]
pub struct Contended {
    /// Threads that read at the same time.
    pub threads: usize,
    /// The cost of a read, in nanoseconds: the median batch of the slowest thread, in the
    /// quickest of the measurements.
    pub ns: f64,
    /// A quarter of that thread's batches took less than this, in nanoseconds per read.
    pub low_ns: f64,
    /// A quarter of that thread's batches took more than this, in nanoseconds per read.
    pub high_ns: f64,
}

/// Whether something intercepts a read.
#[record(Eq)]
pub struct Trap {
    /// What was tested: `counter-permitted`, `counter-trapped`, `rdtscp-trapped`, `vdso-mapped`,
    /// `vdso-falls-back`.
    pub id: String,
    /// Whether there is a trap; absent if that could not be determined.
    pub trapped: Option<bool>,
    /// The evidence, with figures.
    pub evidence: String,
}

/// Pauses of the machine and jumps of its counter.
#[record]
pub struct Watched {
    /// How often the clocks were read together.
    pub looks: u64,
    /// Times at which the run was kept from looking for long, the longest first.
    pub pauses: Vec<Pause>,
    /// Further pauses that `pauses` does not list, because they were shorter.
    pub more_pauses: Option<u64>,
    /// The longest time between two looks, in nanoseconds.
    pub longest_ns: f64,
    /// Times at which the run was stopped, until it was resumed. They are no pauses.
    pub gaps: Vec<Gap>,
    /// Times at which the machine was suspended, by the time since boot.
    pub suspensions: Vec<Gap>,
    /// Times at which CPUs went offline, or came back.
    pub cpus: Vec<Online>,
    /// Times at which one clock jumped against the others.
    pub jumps: Vec<Jump>,
    /// Further jumps that `jumps` does not list.
    pub more_jumps: Option<u64>,
    /// Times at which every other clock of the machine stood still while the battery-backed clock
    /// went on: how far that one got ahead, and of what.
    pub standstills: Vec<Jump>,
    /// What `/dev/vmclock0` reported.
    pub vmclock: Option<VmClock>,
    /// Why it reported nothing.
    pub no_vmclock: Option<String>,
}

/// A time at which nothing of this process ran.
#[record(Copy)]
pub struct Pause {
    /// When it ended, in seconds from the start of the run.
    pub at_s: f64,
    /// How long it took, in nanoseconds, by the counter.
    pub ns: f64,
    /// The time that the hypervisor took from all CPUs meanwhile, in nanoseconds, if it says so.
    pub steal_ns: Option<f64>,
    /// The time that this thread waited for a CPU meanwhile, in nanoseconds, if the kernel says so.
    pub run_queue_ns: Option<f64>,
    /// What was probably paused.
    pub paused: Paused,
}

/// A time for which a run was stopped, the machine slept, or no checkpoint could be written.
#[record(Copy)]
pub struct Gap {
    /// When it ended, in seconds from the start of the run.
    pub at_s: f64,
    /// How long it was, in seconds, by the counter, or by the time since boot.
    pub seconds: f64,
}

/// A time at which CPUs went offline, or came back.
#[record]
pub struct Online {
    /// When it was seen, in seconds from the start of the run.
    pub at_s: f64,
    /// The CPUs that were online before, as the kernel lists them: `0-3`.
    pub before: String,
    /// Those that were from then on.
    pub after: String,
}

/// What was paused.
#[record]
pub enum Paused {
    /// This is not known.
    #[default]
    Unknown,
    /// Only this thread: it waited for a CPU.
    Thread,
    /// The whole machine: the kernel did not see the time pass, or accounts for it as stolen.
    Machine,
    /// The whole process: a signal stopped it, or its control group was frozen.
    Process,
}

/// A jump of one clock against the others.
#[record]
pub struct Jump {
    /// When it was seen, in seconds from the start of the run.
    pub at_s: f64,
    /// The clock.
    pub id: String,
    /// The clock that it jumped against.
    pub against: String,
    /// By how much, in nanoseconds; below 0 if it fell behind.
    pub ns: f64,
    /// By how much the reads and the rates can explain, in nanoseconds.
    pub tolerance_ns: f64,
}

/// What the hypervisor's page about time reported (Linux, `include/uapi/linux/vmclock-abi.h`).
#[record(Eq)]
pub struct VmClock {
    /// The marker that changes when the machine is disrupted, such as by migration: at the start of
    /// the run, and at its end.
    pub disruption_marker: [u64; 2],
    /// The marker that changes when the machine is restored from a snapshot, if there is one.
    pub generation: Option<[u64; 2]>,
    /// How reliable the hypervisor says that the clock is.
    pub status: String,
}

impl VmClock {
    /// Whether the machine was moved or restored during the run.
    pub fn disrupted(&self) -> bool {
        let [before, after] = self.disruption_marker;
        before != after || self.restored()
    }

    /// Whether the machine was restored from a snapshot during the run.
    pub fn restored(&self) -> bool {
        self.generation.is_some_and(|[before, after]| before != after)
    }
}

/// How much faster one clock runs than another.
#[record]
pub struct RateAgainst {
    /// The clock.
    pub id: String,
    /// The reference.
    pub against: String,
    /// By how much the clock runs faster than the reference, in parts per million. The nominal
    /// length of its unit is that of its interface; for the counter, it follows from the rate that
    /// the processor, the hypervisor or the kernel states, or else from the ruler's.
    pub ppm: f64,
    /// Lower end of the 95 % interval.
    pub low_ppm: f64,
    /// Upper end of the 95 % interval.
    pub high_ppm: f64,
    /// How many pairs of values the rate is based on.
    pub pairs: u64,
    /// Over which time, in seconds.
    pub seconds: f64,
    /// Whether the reference can show a wrong rate.
    pub standing: Standing,
    /// Why, in a clause.
    pub why: String,
}

impl RateAgainst {
    /// Half the width of the interval, in parts per million.
    pub fn half_width_ppm(&self) -> f64 {
        (self.high_ppm - self.low_ppm) / 2.0
    }

    /// Whether the interval excludes a rate of 0.
    pub fn differs(&self) -> bool {
        self.low_ppm > 0.0 || self.high_ppm < 0.0
    }
}

/// Something outside the machine, or with an oscillator of its own, that can show a wrong rate.
#[record(Eq)]
pub struct Outside {
    /// What it is, such as `chrony` or `linux/ptp`.
    pub id: String,
    /// Whether a rate was compared with it.
    #[always]
    pub used: bool,
    /// What it shows, or why it is not there, in a clause.
    pub text: String,
}

/// What happened to the wall clock.
#[record]
pub struct Wall {
    /// How often it was compared with the monotonic clock.
    pub looks: u64,
    /// Its steps, in the order in which they were seen.
    pub steps: Vec<Step>,
    /// Further steps that `steps` does not list.
    #[absent]
    pub more_steps: u64,
    /// How often the kernel reported that it was set (`TFD_TIMER_CANCEL_ON_SET`).
    pub reported: Option<u64>,
    /// How it was slewed.
    pub slew: Option<Slew>,
    /// By how much the time since boot advanced more than the monotonic clock, in nanoseconds: the
    /// machine was suspended.
    pub suspended_ns: Option<f64>,
    /// What the kernel said of the clock when the run began, and when it ended (adjtimex(2)), in
    /// one line each; absent if that is not permitted.
    pub adjtimex: Option<[String; 2]>,
    /// What could not be watched, and why.
    pub left_out: Vec<String>,
}

/// A sudden change of the wall clock.
#[record(Copy)]
pub struct Step {
    /// When it was seen, in seconds from the start of the run.
    pub at_s: f64,
    /// By how much the wall clock moved against the monotonic clock, in nanoseconds.
    pub by_ns: f64,
    /// How it was seen.
    pub seen: StepSeen,
}

/// How a step was seen.
#[record]
pub enum StepSeen {
    /// The distance from the monotonic clock changed by more than a slew explains.
    #[default]
    Offset,
    /// The kernel reported that the clock was set, and the distance changed.
    Both,
    /// The kernel reported that the clock was set; the distance changed by no more than a slew
    /// explains.
    Reported,
}

/// How fast the wall clock was made to run.
#[record(Copy)]
pub struct Slew {
    /// By how much it ran faster than the kernel's unslewed clock over the whole run, in parts per
    /// million.
    pub ppm: f64,
    /// The uncertainty of that, in parts per million.
    pub error_ppm: f64,
    /// The fastest in any second, in parts per million.
    pub most_ppm: f64,
}

/// How the clocks ran against one of them over the whole watch.
#[record]
pub struct Series {
    /// When the watch began, in UTC as RFC 3339, by the system's clock at that time.
    pub started: String,
    /// The clock that the others are compared with: one that is never slewed if there is one, or
    /// else the counter.
    pub against: String,
    /// The least time between two points, in seconds: 1, doubled each time that there would be more
    /// than 512 points, of which every second one is then dropped.
    pub spacing_s: f64,
    /// The times of the points, in seconds since the start by the counter.
    #[always]
    pub at_s: Vec<f64>,
    /// The clocks, with one figure for each point.
    pub clocks: Vec<Course>,
}

/// How one clock ran.
#[record]
pub struct Course {
    /// The clock, or the counter as it is read.
    pub id: String,
    /// The first of the points at which it had been read, from 0.
    #[absent]
    pub first: usize,
    /// How far it got ahead of the reference since the start of the watch, in nanoseconds, steps
    /// and jumps included, at the first point and at each one after it. Each value was read between
    /// two reads of the counter, and the tightest of three such brackets counts.
    #[always]
    pub offset_ns: Vec<f64>,
    /// How much of each of these came from steps and jumps, in nanoseconds; empty if nothing did.
    pub stepped_ns: Vec<f64>,
    /// How much faster than the reference it ran from each of these points to the next, in parts
    /// per million, without steps and jumps.
    pub rate_ppm: Vec<f64>,
}

impl Course {
    /// The offset at a point of the series, and how much of it came from steps and jumps, in
    /// nanoseconds.
    pub fn at(&self, point: usize) -> Option<[f64; 2]> {
        let nth = point.checked_sub(self.first)?;
        Some([*self.offset_ns.get(nth)?, self.stepped_ns.get(nth).copied().unwrap_or(0.0)])
    }

    /// The rate from the point before to this one, in parts per million.
    pub fn rate_at(&self, point: usize) -> Option<f64> {
        self.rate_ppm.get(point.checked_sub(self.first)?.checked_sub(1)?).copied()
    }
}

/// How steady a clock ran over one averaging time, computed from its course.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// The averaging time, in seconds.
    pub tau_s: f64,
    /// The overlapping Allan deviation of its frequency, relative.
    pub adev: f64,
    /// Its 95 % interval with whichever noise makes it widest; none if that has no end.
    pub adev_95: Option<[f64; 2]>,
    /// The time deviation, in nanoseconds.
    pub tdev_ns: f64,
    /// Its 95 % interval, in the same way.
    pub tdev_95_ns: Option<[f64; 2]>,
    /// The maximum time interval error: by how much its offset changed at most within that time, in
    /// nanoseconds.
    pub mtie_ns: f64,
}

/// Where a watch ended, from which a later run on the same machine and boot continues it.
#[record]
pub struct Anchor {
    /// What distinguishes this boot of the machine from all others; empty if the system does not
    /// say.
    #[absent]
    pub boot: String,
    /// The counter that brackets all reads.
    pub counter: String,
    /// The length of its tick, in nanoseconds.
    pub tick_ns: f64,
    /// Its value at the first look, and at the last.
    pub looks: [u64; 2],
    /// The clocks at the last look.
    #[always]
    pub clocks: Vec<Anchored>,
}

/// A clock at the last look.
#[record]
pub struct Anchored {
    /// The clock.
    pub id: String,
    /// The counter before, the clock, and the counter after its last read.
    pub read: [u64; 3],
    /// How far it got ahead of the counter since the start, in nanoseconds, steps and jumps
    /// included.
    pub ahead_ns: f64,
    /// How much of that came from steps and jumps, in nanoseconds.
    pub stepped_ns: f64,
}

/// The pairs of CPUs whose counters were compared.
#[record]
pub struct Matrix {
    /// What was read: the counter, or the clock that takes its place if it cannot be trusted.
    #[absent]
    pub id: String,
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// How many pairs the CPUs of this process form.
    pub possible: u64,
    /// Why no pair, or not every pair, was compared.
    pub left_out: Option<String>,
}

/// Two CPUs.
#[record]
pub struct Pair {
    /// What the two handed to each other.
    pub handed: Handed,
    /// The time that the hand-overs took, in seconds.
    pub handed_s: f64,
    /// By how much the counter of the second CPU is ahead of that of the first, one entry for each
    /// home of the page of memory through which they exchanged values.
    pub offsets: Vec<Offset>,
    /// Why the pair was not compared.
    pub left_out: Option<String>,
}

/// By how much the counter of the second CPU is ahead of that of the first.
#[record(Copy)]
pub struct Offset {
    /// The NUMA node that the page of memory belongs to, if it is known.
    pub node: Option<usize>,
    /// The offset, in nanoseconds: half the difference of the two one-way delays at the smallest
    /// round trip.
    pub offset_ns: f64,
    /// Its uncertainty, plus or minus, in nanoseconds: half that round trip.
    pub uncertainty_ns: f64,
    /// The smallest round trip, in nanoseconds.
    pub round_trip_ns: f64,
    /// How many exchanges were made.
    pub exchanges: u64,
}

impl Offset {
    /// Whether the two counters differ by more than the uncertainty explains.
    pub fn differs(&self) -> bool {
        self.offset_ns.abs() > self.uncertainty_ns
    }
}

impl Pair {
    /// The offset with the least uncertainty.
    pub fn best(&self) -> Option<&Offset> {
        let by = |a: &&Offset, b: &&Offset| a.uncertainty_ns.total_cmp(&b.uncertainty_ns);
        self.offsets.iter().min_by(by)
    }

    /// Whether anything shows that the two differ; `None` if they were not compared.
    pub fn in_step(&self) -> Option<bool> {
        let tested = !self.offsets.is_empty() || self.handed.turns > 0;
        tested.then(|| self.handed.backwards == 0 && !self.offsets.iter().any(Offset::differs))
    }

    /// Hand-overs per second.
    pub fn per_second(&self) -> Option<f64> {
        (self.handed_s > 0.0).then(|| self.handed.turns as f64 / self.handed_s)
    }
}

impl Matrix {
    /// The pairs that differ.
    pub fn out_of_step(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.in_step() == Some(false))
    }

    /// Whether all that were compared are in step; `None` if none were.
    pub fn in_step(&self) -> Option<bool> {
        let mut seen = self.pairs.iter().filter_map(Pair::in_step).peekable();
        seen.peek()?;
        Some(seen.all(|in_step| in_step))
    }

    /// The CPUs in the matrix, ascending.
    pub fn cpus(&self) -> Vec<usize> {
        let mut cpus: Vec<usize> = self.pairs.iter().flat_map(|p| p.handed.cpus).collect();
        cpus.sort_unstable();
        cpus.dedup();
        cpus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(offset_ns: f64, backwards: u64) -> Pair {
        Pair {
            handed: Handed { cpus: [0, 1], turns: 1000, backwards, ..Handed::default() },
            offsets: vec![Offset {
                offset_ns,
                uncertainty_ns: 50.0,
                round_trip_ns: 100.0,
                exchanges: 9,
                ..Offset::default()
            }],
            ..Pair::default()
        }
    }

    #[test]
    fn a_pair_is_out_of_step_only_beyond_its_uncertainty_or_by_a_step_back() {
        assert_eq!(pair(-49.0, 0).in_step(), Some(true));
        assert_eq!(pair(-51.0, 0).in_step(), Some(false));
        assert_eq!(pair(0.0, 1).in_step(), Some(false));
        assert_eq!(Pair::default().in_step(), None);
        assert_eq!(Matrix::default().in_step(), None);
        let matrix = Matrix {
            pairs: vec![pair(1.0, 0), Pair::default(), pair(900.0, 0)],
            ..Matrix::default()
        };
        assert_eq!(matrix.in_step(), Some(false));
        assert_eq!(matrix.out_of_step().count(), 1);
    }
}
