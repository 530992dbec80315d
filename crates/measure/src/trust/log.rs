//! What repeated looks at all clocks show: steps, slews, jumps, pauses and rates. Pure computation:
//! the looks come from this machine or from a simulation. `Moments` holds the clocks against each
//! other over a whole run, in bounded memory.
//!
//! `waits`, `watch` and `--against` date suspensions and steps with `os::Clocks`, which knows two
//! clocks and milliseconds; this log knows the uncertainty of each read of every clock, and sees
//! microseconds.

mod course;

use crate::engine::ruler::Bracket;
use crate::engine::{keep, keep_cpus};
use crate::stats::tick::theil_sen;
use crate::{add_up_to, every_other, grown};
use chronoscope_model::trust::{Gap, Jump, Pause, Paused, Slew, Step, StepSeen, Wall, Watched};
use course::Points;

/// The time between two looks, in nanoseconds.
pub const PERIOD_NS: f64 = 10e6;
/// A longer time between two looks is a pause, in nanoseconds: ten looks.
const PAUSE_NS: f64 = 10.0 * PERIOD_NS;
/// The most steps, jumps and pauses that are kept.
const MOST: usize = 20;
/// How far apart the rates of two clocks of one machine may be: what NTP may slew (MAXFREQ in
/// include/linux/timex.h), and a counter whose stated rate has 100 ppm of error.
const RATES: f64 = 600e-6;
/// The smallest step or jump, in nanoseconds, apart from what the reads explain: caches, and the
/// time that a vDSO needs to take over an update.
const FLOOR_NS: f64 = 1000.0;
/// The time over which the fastest slew is taken, in seconds.
const SLEW_S: f64 = 1.0;

/// What the log knows a clock as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Universal time, which may be set.
    Wall,
    /// Time that cannot be set.
    Steady,
    /// The same from a value that moves at the kernel's ticks: it has a rate, and its steps are no
    /// jumps.
    Coarse,
    /// Time that also passes while the machine is suspended.
    Boot,
    /// A device, whose reads are slow.
    Device,
    /// The battery-backed clock, also a device: it continues when a hypervisor stops the machine.
    Battery,
}

impl Role {
    /// Whether the clock has an oscillator of its own.
    pub fn is_device(self) -> bool {
        matches!(self, Self::Device | Self::Battery)
    }
}

#[derive(Clone, Debug)]
pub struct Subject {
    pub id: String,
    pub role: Role,
    /// Nanoseconds per unit of the clock's values.
    pub ns_per_unit: f64,
    /// The tick that the clock's interface claims, in nanoseconds.
    pub tick_ns: f64,
    /// Whether the clock's rate is that of the kernel's clock source, without corrections.
    pub raw: bool,
}

/// One look at all clocks.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// One for each subject; `None` if the subject was not read this time.
    pub brackets: Vec<Option<Bracket>>,
    /// Whether the kernel reported that the wall clock was set.
    pub was_set: bool,
    /// The time that the hypervisor has taken from all CPUs, in nanoseconds.
    pub steal_ns: Option<u64>,
    /// The time for which the looking thread has waited for a CPU, in nanoseconds.
    pub run_queue_ns: Option<u64>,
    /// Whether the process was stopped or its control group frozen since the last look.
    pub halted: bool,
    /// The CPUs that are online, as the kernel lists them.
    pub cpus: Option<String>,
}

/// What happened to a clock since its last read.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    /// How far the clock got ahead of the counter, in nanoseconds.
    by_ns: f64,
    /// How much of that the reads and the ticks explain, in nanoseconds.
    reads_ns: f64,
    /// The time since the last read, by the counter, in nanoseconds.
    span_ns: f64,
}

impl Moved {
    /// What the reads, the ticks and the rates explain, in nanoseconds.
    fn tolerance_ns(&self) -> f64 {
        self.reads_ns + self.span_ns.abs() * RATES + FLOOR_NS
    }

    fn jumped(&self) -> bool {
        self.by_ns.abs() > self.tolerance_ns()
    }
}

/// What a clock has shown since the start.
#[derive(Clone, Debug, Default)]
struct Track {
    last: Option<Bracket>,
    /// Nanoseconds since the start, less those of the counter, without jumps and steps.
    ahead_ns: f64,
    /// Nanoseconds since the start, less those of the counter, with jumps and steps.
    ahead_with_jumps_ns: f64,
    /// The sum of the widths of the clock's brackets, in nanoseconds, and their number.
    widths: (f64, u64),
}

#[derive(Clone, Debug, Default)]
pub struct Log {
    pub(super) subjects: Vec<Subject>,
    tracks: Vec<Track>,
    counter: String,
    ns_per_tick: f64,
    origin: Option<u64>,
    last: u64,
    at_s: f64,
    before: Look,
    moments: Moments,
    points: Points,
    /// Whether the next look is the first after an earlier run.
    resumed: bool,
    pub(super) watched: Watched,
    wall: Wall,
    slew_from: Option<(f64, f64)>,
    most_slew: Option<f64>,
}

impl Log {
    /// Begins with these clocks, and with the name of the counter that brackets their reads.
    pub fn new(subjects: Vec<Subject>, counter: &str, ns_per_tick: f64) -> Self {
        Self {
            tracks: vec![Track::default(); subjects.len()],
            subjects,
            counter: counter.into(),
            ns_per_tick,
            ..Self::default()
        }
    }

    pub fn add(&mut self, look: Look) {
        let Some(first) = look.brackets.iter().flatten().next() else {
            return;
        };
        let now = first.middle();
        let gap_ns = self.origin.map_or(0.0, |_| self.signed_ns(now, self.last));
        let origin = *self.origin.get_or_insert(now);
        self.last = now;
        self.at_s = self.signed_ns(now, origin) / 1e9;
        self.watched.looks += 1;
        let mut moved = self.moves(&look.brackets);
        let resumed = std::mem::take(&mut self.resumed);
        let behind_ns = if resumed {
            self.bridge(&mut moved, gap_ns);
            0.0
        } else {
            let slept_ns = self.slept_ns(&moved);
            let behind_ns = self.find_jumps(&mut moved);
            self.find_suspension(&mut moved, slept_ns);
            self.find_standstill(&mut moved);
            behind_ns
        };
        self.find_step(&mut moved, look.was_set);
        for (track, moved) in self.tracks.iter_mut().zip(&moved) {
            track.ahead_ns += moved.map_or(0.0, |moved| moved.by_ns);
        }
        if !resumed {
            self.find_pause(gap_ns, &look, behind_ns);
        }
        self.find_slew();
        self.keep_point();
        let ahead = self.tracks.iter().zip(&look.brackets);
        let ahead = ahead.map(|(track, seen)| seen.map_or(f64::NAN, |_| track.ahead_ns));
        let ahead = ahead.collect();
        self.moments.push(self.at_s, ahead);
        // Not every look reads these.
        self.before.steal_ns = look.steal_ns.or(self.before.steal_ns);
        self.before.run_queue_ns = look.run_queue_ns.or(self.before.run_queue_ns);
        keep_cpus(&mut self.watched.cpus, &mut self.before.cpus, look.cpus, self.at_s);
    }

    /// The first clock of a role, which is the principal one.
    pub(super) fn principal(&self, role: Role) -> Option<usize> {
        self.subjects.iter().position(|one| one.role == role)
    }

    /// The first clock that cannot be set, among those that the kernel steers or among the others.
    fn steady(&self, raw: bool) -> Option<usize> {
        self.subjects.iter().position(|one| one.role == Role::Steady && one.raw == raw)
    }

    /// A jump of a clock against the counter.
    fn jump(&self, at: usize, moved: &Moved) -> Jump {
        Jump {
            at_s: self.at_s,
            id: self.subjects[at].id.clone(),
            against: self.counter.clone(),
            ns: moved.by_ns,
            tolerance_ns: moved.tolerance_ns(),
        }
    }

    fn signed_ns(&self, after: u64, before: u64) -> f64 {
        after.wrapping_sub(before).cast_signed() as f64 * self.ns_per_tick
    }

    /// How each clock moved against the counter. A coarse clock counts only at its ticks: between
    /// them, its value shows nothing.
    fn moves(&mut self, brackets: &[Option<Bracket>]) -> Vec<Option<Moved>> {
        let ns_per_tick = self.ns_per_tick;
        let subjects = self.subjects.iter().zip(&mut self.tracks);
        let found = subjects.zip(brackets).map(|((subject, track), bracket)| {
            let now = (*bracket)?;
            let width = now.width() as f64 * ns_per_tick;
            track.widths.0 += width;
            track.widths.1 += 1;
            let last = track.last.replace(now)?;
            let span = now.middle().wrapping_sub(last.middle()).cast_signed() as f64 * ns_per_tick;
            let value = now.value.wrapping_sub(last.value).cast_signed() as f64;
            let by_ns = value * subject.ns_per_unit - span;
            track.ahead_with_jumps_ns += by_ns;
            let last_width = last.width() as f64 * ns_per_tick;
            Some(Moved {
                by_ns,
                reads_ns: (width + last_width) / 2.0 + 2.0 * subject.tick_ns,
                span_ns: span,
            })
        });
        found.collect()
    }

    /// Finds jumps of clocks that cannot be set. If most of them moved the same way, the counter
    /// jumped. Removes each jump from `moved`. Returns how far a clock fell behind the counter, in
    /// nanoseconds.
    fn find_jumps(&mut self, moved: &mut [Option<Moved>]) -> f64 {
        let steady = |at: &usize| matches!(self.subjects[*at].role, Role::Steady);
        let seen: Vec<usize> =
            (0..moved.len()).filter(|at| steady(at) && moved[*at].is_some()).collect();
        let of = |at: usize| moved[at].unwrap_or_default();
        let jumped: Vec<usize> = seen.iter().copied().filter(|at| of(*at).jumped()).collect();
        let Some(&first) = jumped.first() else {
            return 0.0;
        };
        let behind_ns = jumped.iter().map(|at| -of(*at).by_ns).fold(0.0, f64::max);
        let same = jumped.iter().all(|at| of(*at).by_ns.signum() == of(first).by_ns.signum());
        let by_counter = same && jumped.len() > 1 && jumped.len() * 2 > seen.len();
        let mut found: Vec<Jump> = jumped.iter().map(|&at| self.jump(at, &of(at))).collect();
        if by_counter {
            found.truncate(1);
            let jump = &mut found[0];
            std::mem::swap(&mut jump.id, &mut jump.against);
            jump.ns = -jump.ns;
        }
        let counter_jump = by_counter.then(|| of(first).by_ns);
        for (at, one) in moved.iter_mut().enumerate() {
            let Some(one) = one else { continue };
            match counter_jump {
                // All clocks moved alike, and only the rest of each movement is the clock's own.
                Some(by) => one.by_ns -= by,
                None if jumped.contains(&at) => one.by_ns = 0.0,
                None => {}
            }
        }
        for jump in found {
            if !add_up_to(&mut self.watched.jumps, MOST, jump) {
                *self.watched.more_jumps.get_or_insert(0) += 1;
            }
        }
        behind_ns
    }

    /// How far the time since boot got ahead of the monotonic clock, in nanoseconds.
    fn slept_ns(&self, moved: &[Option<Moved>]) -> f64 {
        let of = |at: Option<usize>| moved[at?].map(|one| one.by_ns);
        let both = of(self.principal(Role::Boot)).zip(of(self.steady(false)));
        both.map_or(0.0, |(boot, steered)| boot - steered)
    }

    /// Finds a suspension, which is not part of the rate of the time since boot.
    fn find_suspension(&mut self, moved: &mut [Option<Moved>], slept_ns: f64) {
        if slept_ns <= PERIOD_NS {
            return;
        }
        keep(&mut self.watched.suspensions, Gap { at_s: self.at_s, seconds: slept_ns / 1e9 });
        let boots = self.subjects.iter().zip(moved).filter(|(one, _)| one.role == Role::Boot);
        boots.filter_map(|(_, one)| one.as_mut()).for_each(|one| one.by_ns = 0.0);
    }

    /// Finds a standstill: all clocks of the machine stood still, including the counter, while the
    /// battery-backed clock continued. This happens if a hypervisor stops the machine. A
    /// suspension, which the time since boot shows, does not count, nor does a program that sets
    /// the battery-backed clock to the wall clock.
    fn find_standstill(&mut self, moved: &mut [Option<Moved>]) {
        let of = |role| {
            let at = self.principal(role)?;
            Some((at, moved[at]?))
        };
        let Some((at, battery)) = of(Role::Battery).filter(|(_, one)| one.jumped()) else {
            return;
        };
        let boot_ns = of(Role::Boot).map_or(0.0, |(_, boot)| boot.by_ns);
        let wall = of(Role::Wall);
        // The standstill is not part of the clock's rate.
        moved[at] = Some(Moved { by_ns: 0.0, ..battery });
        let set = wall.is_some_and(|(wall_at, wall)| {
            let now_ns = self.apart_ns(at, wall_at);
            let before_ns = now_ns - (battery.by_ns - wall.by_ns);
            let near = |ns: f64| ns.abs() < 2.0 * self.subjects[at].tick_ns;
            near(now_ns) && !near(before_ns)
        });
        let standstill = battery.by_ns > 0.0 && boot_ns < battery.by_ns / 2.0 && !set;
        if standstill {
            let jump = self.jump(at, &battery);
            add_up_to(&mut self.watched.standstills, MOST, jump);
        }
    }

    /// How far one clock is ahead of the other by their values, in nanoseconds.
    fn apart_ns(&self, one: usize, other: usize) -> f64 {
        let ns = |at: usize| {
            let value = self.tracks[at].last.map_or(0, |last| last.value);
            value as f64 * self.subjects[at].ns_per_unit
        };
        ns(one) - ns(other)
    }

    /// Finds a step of the wall clock. The kernel slews the wall clock together with the monotonic
    /// clock, so only a step moves it against that one.
    fn find_step(&mut self, moved: &mut [Option<Moved>], was_set: bool) {
        let base = self.steady(false).and_then(|at| moved[at]);
        if was_set {
            *self.wall.reported.get_or_insert(0) += 1;
        }
        let principal = self.principal(Role::Wall);
        for (at, moved) in moved.iter_mut().enumerate() {
            if self.subjects[at].role != Role::Wall {
                continue;
            }
            let Some(one) = moved else { continue };
            let by_ns = one.by_ns - base.map_or(0.0, |base| base.by_ns);
            let together = base.map(|base| one.reads_ns + base.reads_ns + FLOOR_NS);
            let stepped = by_ns.abs() > together.unwrap_or_else(|| one.tolerance_ns());
            if stepped {
                one.by_ns -= by_ns;
            }
            if Some(at) != principal {
                continue;
            }
            self.wall.looks += 1;
            let seen = match (stepped, was_set) {
                (true, true) => StepSeen::Both,
                (true, false) => StepSeen::Offset,
                (false, true) => StepSeen::Reported,
                (false, false) => continue,
            };
            let by_ns = if stepped { by_ns } else { 0.0 };
            let step = Step { at_s: self.at_s, by_ns, seen };
            if !add_up_to(&mut self.wall.steps, MOST, step) {
                self.wall.more_steps += 1;
            }
        }
    }

    fn find_pause(&mut self, gap_ns: f64, look: &Look, behind_ns: f64) {
        self.watched.longest_ns = self.watched.longest_ns.max(gap_ns);
        if gap_ns <= PAUSE_NS {
            return;
        }
        let steal_ns = grown(self.before.steal_ns, look.steal_ns).map(|ns| ns as f64);
        let run_queue_ns = grown(self.before.run_queue_ns, look.run_queue_ns).map(|ns| ns as f64);
        let half = |ns: Option<f64>| ns.is_some_and(|ns| ns > gap_ns / 2.0);
        // The kernel's clocks stood still while the counter went on.
        let unseen = behind_ns > gap_ns / 2.0;
        let paused = if half(steal_ns) || unseen {
            Paused::Machine
        } else if look.halted {
            Paused::Process
        } else if half(run_queue_ns) {
            Paused::Thread
        } else {
            Paused::Unknown
        };
        let pauses = &mut self.watched.pauses;
        pauses.push(Pause { at_s: self.at_s, ns: gap_ns, steal_ns, run_queue_ns, paused });
        pauses.sort_by(|a, b| b.ns.total_cmp(&a.ns));
        if let Some(more) = pauses.len().checked_sub(MOST).filter(|more| *more > 0) {
            pauses.truncate(MOST);
            *self.watched.more_pauses.get_or_insert(0) += more as u64;
        }
    }

    fn find_slew(&mut self) {
        let Some((steered, raw)) = self.steady(false).zip(self.steady(true)) else {
            return;
        };
        let ahead = self.tracks[steered].ahead_ns - self.tracks[raw].ahead_ns;
        let (from_s, from) = *self.slew_from.get_or_insert((self.at_s, ahead));
        let span = self.at_s - from_s;
        if span >= SLEW_S {
            let ppm = (ahead - from) / span / 1e3;
            let most = self.most_slew.unwrap_or(0.0);
            if ppm.abs() >= most.abs() {
                self.most_slew = Some(ppm);
            }
            self.slew_from = Some((self.at_s, ahead));
        }
    }

    /// Returns how much faster one clock ran than the other, from at most this many moments. The
    /// interval contains the uncertainty of the reads themselves.
    pub(super) fn rate(
        &self,
        clock: Option<usize>,
        against: Option<usize>,
        most: usize,
    ) -> Option<Ppm> {
        let found = self.moments.rate(clock, against, most)?;
        let open = |at: Option<usize>| {
            let Some(at) = at else { return 0.0 };
            let (sum, count) = self.tracks[at].widths;
            let tick = self.subjects[at].tick_ns;
            // The middle of a bracket can be off by half its width, on either side, and the value
            // by a tick.
            sum / count.max(1) as f64 + tick
        };
        let ppm = (open(clock) + open(against)) / (found.seconds.max(1e-9) * 1e3);
        Some(Ppm { low: found.low - ppm, high: found.high + ppm, ..found })
    }

    /// Returns what happened to the wall clock; `None` if none was watched.
    pub fn wall(&self, most: usize) -> Option<Wall> {
        self.principal(Role::Wall)?;
        let mut wall = self.wall.clone();
        let (steered, raw) = (self.steady(false), self.steady(true));
        if let (Some(_), Some(_)) = (steered, raw) {
            wall.slew = self.rate(steered, raw, most).map(|found| Slew {
                ppm: found.value,
                error_ppm: (found.high - found.low) / 2.0,
                most_ppm: self.most_slew.unwrap_or(found.value),
            });
        }
        if let (Some(boot), Some(steered)) = (self.principal(Role::Boot), steered) {
            let ahead = |at: usize| self.tracks[at].ahead_with_jumps_ns;
            let grew = ahead(boot) - ahead(steered);
            wall.suspended_ns = Some(if grew > PERIOD_NS { grew } else { 0.0 });
        }
        Some(wall)
    }
}

/// The most moments that are kept. When there are more, every second one is dropped, and from then
/// on only every second one is added.
const MOST_MOMENTS: usize = 1024;

/// How far each clock was ahead of the counter at one moment.
#[derive(Clone, Debug)]
struct Moment {
    /// In seconds since the start, by the counter.
    at_s: f64,
    /// In nanoseconds since the start, less those of the counter; not a number if the clock was not
    /// read.
    ahead_ns: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    moments: Vec<Moment>,
    stride: u64,
    seen: u64,
}

/// A rate with its 95 % interval, in parts per million.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ppm {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) moments: u64,
    pub(super) seconds: f64,
}

impl Moments {
    pub(super) fn push(&mut self, at_s: f64, ahead_ns: Vec<f64>) {
        self.stride = self.stride.max(1);
        if self.seen.is_multiple_of(self.stride) {
            if self.moments.len() >= MOST_MOMENTS {
                every_other(&mut self.moments, 0);
                self.stride *= 2;
            }
            self.moments.push(Moment { at_s, ahead_ns });
        }
        self.seen += 1;
    }

    /// Forgets this clock, whose rate begins again.
    pub(super) fn forget(&mut self, clock: usize) {
        let all = self.moments.iter_mut().filter_map(|moment| moment.ahead_ns.get_mut(clock));
        all.for_each(|ahead| *ahead = f64::NAN);
    }

    /// Returns how much faster one clock ran than the other, from at most this many moments; `None`
    /// stands for the counter. `None` if there are too few moments.
    pub(super) fn rate(
        &self,
        clock: Option<usize>,
        against: Option<usize>,
        most: usize,
    ) -> Option<Ppm> {
        let of = |moment: &Moment, clock: Option<usize>| {
            clock.map_or(Some(0.0), |clock| moment.ahead_ns.get(clock).copied())
        };
        let all = self.moments.iter().filter_map(|moment| {
            let ahead = of(moment, clock)? - of(moment, against)?;
            ahead.is_finite().then_some((moment.at_s, ahead))
        });
        let all: Vec<(f64, f64)> = all.collect();
        let step = all.len().div_ceil(most.max(3)).max(1);
        let points: Vec<(f64, f64)> = all.into_iter().step_by(step).collect();
        let found = theil_sen(&points)?;
        let (first, last) = (points.first()?.0, points.last()?.0);
        // Nanoseconds per second are thousandths of a part per million.
        Some(Ppm {
            value: found.slope / 1e3,
            low: found.low / 1e3,
            high: found.high / 1e3,
            moments: points.len() as u64,
            seconds: last - first,
        })
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;

#[cfg(test)]
mod moments_tests {
    use super::*;

    #[test]
    fn a_rate_is_found_with_its_interval_however_long_the_run() {
        for seconds in [10u32, 36_000] {
            let mut moments = Moments::default();
            let mut rng = fastrand::Rng::with_seed(3);
            for n in 0..seconds * 20 {
                let at = f64::from(n) / 20.0;
                let noise = 20.0 * rng.f64();
                moments.push(at, vec![at * 7_500.0 + noise, at * 7_000.0, f64::NAN]);
            }
            assert!(moments.moments.len() <= MOST_MOMENTS);
            let found = moments.rate(Some(0), Some(1), 500).expect("a rate");
            assert!(
                found.low <= 0.5 && 0.5 <= found.high && found.high - found.low < 0.02,
                "{found:?}"
            );
            assert!(found.seconds > f64::from(seconds) * 0.9);
            let counter = moments.rate(None, Some(1), 120).expect("a rate");
            assert!((counter.value + 7.0).abs() < 1e-3, "{counter:?}");
            assert!(moments.rate(Some(2), None, 500).is_none());
        }
    }

    #[test]
    fn too_few_moments_give_no_rate() {
        let mut moments = Moments::default();
        moments.push(0.0, vec![0.0]);
        moments.push(1.0, vec![0.0]);
        assert!(moments.rate(Some(0), None, 500).is_none());
    }
}
