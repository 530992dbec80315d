//! The tests that are repeated, in random order in each round, until the time is over, and what
//! each clock has shown so far.

use super::handover::{AllHanded, PairOrder, Pairs, possible};
use super::{Host, Played};
use chronoscope_model::clock::Backwards;
use chronoscope_model::trust::{Contended, Contention, LeftOut, Migrating, Sandwich, Trust, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Clock {
    /// The clock's row in the report before it is tested.
    pub watch: Watch,
    /// Nanoseconds per unit of the clock's values.
    pub unit_ns: f64,
    /// The tick that the clock's interface claims, in nanoseconds.
    pub tick_ns: f64,
    /// Significant bits of the clock's values.
    pub bits: u32,
    /// Whether two threads can compare the clock's values, and threads can read it at the same
    /// time.
    pub shared: bool,
}

#[derive(Clone, Debug, Default)]
pub struct TestPlan {
    pub clocks: Vec<Clock>,
    /// The name of the counter with which CPUs are compared.
    pub counter: String,
    /// Nanoseconds per tick of that counter.
    pub tick_ns: f64,
    /// The clock of each sandwich, and the name of the system call.
    pub sandwiches: Vec<(usize, String)>,
    /// The CPUs of this process, with the memory node of each.
    pub cpus: Vec<(usize, Option<usize>)>,
    pub time: Duration,
    pub seed: u64,
}

/// The approximate time of one test.
const SLICE: Duration = Duration::from_millis(5);
/// Values read in a row.
const READS: usize = 8192;
/// The most times that the values are read in one test.
const MOST_FILLS: usize = 64;
/// The moves of a thread in one call.
const MOVES: usize = 16;
/// The sandwiches in one call.
const SANDWICHES: usize = 1024;
/// The turns of each player in the first game, and in the longest.
const TURNS: [u64; 2] = [1000, 50_000];
/// The most tests per second of the run. A test takes at least some hundred microseconds, so this
/// ends a run whose clock stands still.
const MOST_PER_SECOND: f64 = 2000.0;

/// A kind of test, which gets the number of its subject.
type Test<H> = fn(&mut Tests, &mut H, usize);

/// What was found so far.
pub struct Tests {
    plan: TestPlan,
    tallies: Vec<Tally>,
    pairs: Pairs,
    sandwiches: Vec<Sandwich>,
    costs: Vec<Costs>,
    contended: Vec<(usize, usize)>,
    not_contended: Option<String>,
    order: PairOrder,
    /// For each clock, the pairs of CPUs between which values are handed over and threads move.
    orders: Vec<[PairOrder; 2]>,
    rng: fastrand::Rng,
    /// The turns per second of the last game.
    pace: f64,
    done: u64,
}

impl Tests {
    /// Starts without results.
    pub fn new(plan: TestPlan) -> Self {
        let mut rng = fastrand::Rng::with_seed(plan.seed);
        let cpus: Vec<usize> = plan.cpus.iter().map(|cpu| cpu.0).collect();
        let order = PairOrder::new(&cpus, &mut rng);
        let sandwiches = plan.sandwiches.iter().map(|(clock, call)| Sandwich {
            id: plan.clocks[*clock].watch.id.clone(),
            system_call: call.clone(),
            ..Sandwich::default()
        });
        let counts = thread_counts(cpus.len());
        let shared = (0..plan.clocks.len()).filter(|at| plan.clocks[*at].shared);
        let contended = shared.flat_map(|at| counts.iter().map(move |count| (at, *count)));
        Self {
            tallies: vec![Tally::default(); plan.clocks.len()],
            pairs: Pairs::default(),
            sandwiches: sandwiches.collect(),
            costs: vec![Costs::default(); plan.clocks.len()],
            contended: contended.collect(),
            not_contended: None,
            orders: vec![[order.clone(), order.clone()]; plan.clocks.len()],
            order,
            rng,
            pace: 1e6,
            done: 0,
            plan,
        }
    }

    /// Continues with what an earlier run found.
    pub fn resume(plan: TestPlan, earlier: &Trust) -> Self {
        let mut tests = Self::new(plan);
        for (at, clock) in tests.plan.clocks.iter().enumerate() {
            let id = &clock.watch.id;
            if let Some(watch) = earlier.of(id) {
                tests.tallies[at] = Tally::of(watch);
            }
            if let Some(known) = earlier.contention.iter().find(|one| one.id == *id) {
                tests.costs[at] = Costs::of(known);
            }
        }
        for sandwich in &mut tests.sandwiches {
            let same =
                |one: &&Sandwich| one.id == sandwich.id && one.system_call == sandwich.system_call;
            if let Some(known) = earlier.sandwiches.iter().find(same) {
                *sandwich = known.clone();
            }
        }
        tests.pairs = Pairs::of(&earlier.matrix);
        tests
    }

    /// Runs tests until the time is over, and calls `after` after each, with itself and the share
    /// of the time that is over.
    pub fn run<H: Host>(&mut self, host: &mut H, mut after: impl FnMut(&Self, f64)) {
        let began = host.elapsed();
        let time = self.plan.time;
        let most = (time.as_secs_f64() * MOST_PER_SECOND).max(100.0) as u64;
        let mut contended = 0;
        'rounds: loop {
            let mut jobs: Vec<(Test<H>, usize)> = self.round(&mut contended);
            // The first round is in the order of importance, in case there is no second.
            if self.done > 0 {
                self.rng.shuffle(&mut jobs);
            }
            if jobs.is_empty() {
                break;
            }
            for (test, at) in jobs {
                let elapsed = host.elapsed().saturating_sub(began);
                if elapsed >= time || host.interrupted() || self.done >= most {
                    break 'rounds;
                }
                test(self, host, at);
                self.done += 1;
                let share = elapsed.as_secs_f64() / time.as_secs_f64().max(1e-9);
                after(self, share.min(1.0));
            }
        }
    }

    /// Returns the tests of one round: each clock alone, moved and handed over, as many pairs of
    /// CPUs as clocks, or more if there are many, each sandwich, and one clock with several
    /// threads.
    fn round<H: Host>(&self, contended: &mut usize) -> Vec<(Test<H>, usize)> {
        let pairs = self.order.len();
        let clocks = self.plan.clocks.len();
        let mut jobs = Vec::new();
        let mut add = |test: Test<H>, subjects: &mut dyn Iterator<Item = usize>| {
            jobs.extend(subjects.map(|at| (test, at)));
        };
        add(Self::one_thread, &mut (0..clocks));
        if pairs > 0 {
            add(Self::pair, &mut (0..clocks.max(2).max((pairs / 8).min(64))));
            let shared = || (0..clocks).filter(|at| self.plan.clocks[*at].shared);
            add(Self::handed, &mut shared());
            add(Self::moved, &mut shared());
        }
        add(Self::sandwich, &mut (0..self.sandwiches.len()));
        let all = self.contended.len();
        add(Self::contended, &mut (*contended..*contended + all.min(2)).map(|nth| nth % all));
        *contended += all.min(2);
        jobs
    }

    fn one_thread<H: Host>(&mut self, host: &mut H, at: usize) {
        let (bits, unit_ns) = self.unit(at);
        let began = host.elapsed();
        let mut values = [0; READS];
        // A slow clock gets fewer reads.
        let mut length = 64;
        for _ in 0..MOST_FILLS {
            host.fill(at, &mut values[..length]);
            self.tallies[at].values(&values[..length], bits, unit_ns);
            let now = host.elapsed();
            self.tallies[at].seen_at(now);
            let spent = now.saturating_sub(began);
            if spent >= SLICE || host.interrupted() {
                break;
            }
            if spent < SLICE / 8 {
                length = (length * 2).min(READS);
            }
        }
    }

    fn moved<H: Host>(&mut self, host: &mut H, at: usize) {
        let (bits, unit_ns) = self.unit(at);
        let Some(cpus) = self.orders[at][1].next() else {
            return;
        };
        let began = host.elapsed();
        for _ in 0..MOST_FILLS {
            let mut moves = [[0; 2]; MOVES];
            if let Err(why) = host.moved(at, cpus, &mut moves) {
                self.tallies[at].refused = Some(why);
                return;
            }
            self.tallies[at].moves(cpus, &moves, bits, unit_ns);
            if host.elapsed().saturating_sub(began) >= SLICE || host.interrupted() {
                break;
            }
        }
    }

    fn handed<H: Host>(&mut self, host: &mut H, at: usize) {
        let (_, unit_ns) = self.unit(at);
        let Some(cpus) = self.orders[at][0].next() else {
            return;
        };
        match host.hand(at, cpus, self.turns()) {
            Ok(played) => {
                self.keep_pace(&played);
                self.tallies[at].handed.add(cpus, &played, unit_ns);
            }
            Err(why) => self.tallies[at].refused = Some(why),
        }
    }

    fn pair<H: Host>(&mut self, host: &mut H, _: usize) {
        let Some(cpus) = self.order.next() else {
            return;
        };
        let known = |cpu: usize| self.plan.cpus.iter().find(|(other, _)| *other == cpu);
        let nodes = cpus.map(|cpu| known(cpu).and_then(|(_, node)| *node));
        let homes = if nodes[0] == nodes[1] { 1 } else { 2 };
        for (home, node) in nodes.into_iter().enumerate().take(homes) {
            let seen = host.compare(cpus, home, self.turns());
            if let Ok(seen) = &seen {
                self.keep_pace(&seen.played);
            }
            self.pairs.add(cpus, node, seen, self.plan.tick_ns);
        }
    }

    fn sandwich<H: Host>(&mut self, host: &mut H, at: usize) {
        let (bits, unit_ns) = self.unit(self.plan.sandwiches[at].0);
        let began = host.elapsed();
        let mut values = [[0; 3]; SANDWICHES];
        for _ in 0..MOST_FILLS {
            host.sandwich(at, &mut values);
            sandwich(&mut self.sandwiches[at], &values, bits, unit_ns);
            if host.elapsed().saturating_sub(began) >= SLICE || host.interrupted() {
                break;
            }
        }
    }

    fn contended<H: Host>(&mut self, host: &mut H, at: usize) {
        /// How often a cost is measured again if it seems to come from contention.
        const REPEATED: usize = 3;
        let (at, threads) = self.contended[at];
        let cpus: Vec<usize> = self.plan.cpus.iter().map(|cpu| cpu.0).collect();
        for _ in 0..REPEATED {
            match host.contend(at, &cpus[..threads.min(cpus.len())], 2 * SLICE) {
                Ok(found) => self.costs[at].add(found),
                Err(why) => self.not_contended = Some(why),
            }
            if !self.costs[at].seems_contended(threads) || host.interrupted() {
                break;
            }
        }
    }

    fn unit(&self, at: usize) -> (u32, f64) {
        (self.plan.clocks[at].bits, self.plan.clocks[at].unit_ns)
    }

    /// Returns the turns of each player that fill half a slice at the pace of the last game.
    fn turns(&self) -> u64 {
        let fit = self.pace / 2.0 * SLICE.as_secs_f64() / 2.0;
        (fit as u64).clamp(TURNS[0], TURNS[1])
    }

    fn keep_pace(&mut self, played: &Played) {
        let turns = played.turns();
        let seconds = played.time.as_secs_f64();
        if turns > 0 && seconds > 0.0 {
            self.pace = turns as f64 / seconds;
        }
    }

    /// Adds the results to the report, before the clocks that are already in it.
    pub fn report(&self, trust: &mut Trust) {
        let cpus = self.plan.cpus.len();
        let watched = self.plan.clocks.iter().zip(&self.tallies).map(|(clock, tally)| Watch {
            one_thread: (tally.one_thread.tries > 0).then(|| tally.one_thread.clone()),
            migrating: (tally.migrating.moves > 0).then(|| tally.migrating.clone()),
            handed: tally.handed.report(),
            one_cpu: match (cpus, clock.shared) {
                (0 | 1, _) => Some("this process may run on one CPU only".into()),
                (_, false) => Some("each CPU has its own count".into()),
                _ => tally.refused.clone(),
            },
            frozen: tally.is_frozen(clock.tick_ns),
            ..clock.watch.clone()
        });
        trust.clocks.splice(..0, watched);
        trust.matrix = self.pairs.matrix(&self.plan.counter, cpus, self.order.len());
        trust.sandwiches = self.sandwiches.clone();
        trust.sandwiches.retain(|sandwich| sandwich.tries > 0);
        let costs = trust.clocks.iter().zip(&self.costs);
        trust.contention = costs.filter_map(|(watch, costs)| costs.report(&watch.id)).collect();
        let mut left_out = |what: &str, why: String| {
            trust.left_out.push(LeftOut { what: what.into(), why });
        };
        if let Some(why) = &self.not_contended {
            left_out("contention", why.clone());
        }
        if cpus > 1 && possible(cpus) > 0 && self.done < self.plan.clocks.len() as u64 {
            left_out("some tests", "the time was too short: raise --duration".into());
        }
    }
}

/// Returns by how many units a value is above an earlier one, for a clock with this many bits.
pub(super) fn difference(earlier: u64, later: u64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (later.wrapping_sub(earlier) << unused).cast_signed() >> unused
}

/// Returns by how many nanoseconds a later value is below an earlier one, if it is.
fn back_ns(earlier: u64, later: u64, bits: u32, unit_ns: f64) -> Option<f64> {
    let step = difference(earlier, later, bits);
    (step < 0).then(|| step.unsigned_abs() as f64 * unit_ns)
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) one_thread: Backwards,
    pub(super) migrating: Migrating,
    pub(super) handed: AllHanded,
    /// Why no thread was moved, or no value was handed over.
    pub(super) refused: Option<String>,
    visited: BTreeSet<usize>,
    /// Whether the clock stood still in an earlier run.
    stood_still: bool,
    first: Option<u64>,
    changed: bool,
    /// When the clock's values were first and last read.
    seen: Option<[Duration; 2]>,
}

/// A clock whose value stays the same is frozen if it was read for at least this many of the ticks
/// that it claims, and for this long, …
const STILL_TICKS: f64 = 2.0;
const STILL: Duration = Duration::from_millis(50);
/// … or this often, if it claims a tick of at most a millisecond: the clock that measures this time
/// may itself stand still.
const STILL_READS: u64 = 1_000_000;

impl Tally {
    /// Continues with what an earlier run found.
    pub(super) fn of(watch: &Watch) -> Self {
        Self {
            one_thread: watch.one_thread.clone().unwrap_or_default(),
            migrating: watch.migrating.clone().unwrap_or_default(),
            handed: watch.handed.as_ref().map(AllHanded::of).unwrap_or_default(),
            stood_still: watch.frozen,
            ..Self::default()
        }
    }

    /// Adds successive values on one thread. Counts steps back that are longer than `slack` units.
    pub(super) fn values(&mut self, values: &[u64], bits: u32, unit_ns: f64) {
        self.see(values.iter().copied());
        let found = &mut self.one_thread;
        found.tries += values.len().saturating_sub(1) as u64;
        for back in values.windows(2).filter_map(|two| back_ns(two[0], two[1], bits, unit_ns)) {
            found.violations += 1;
            found.worst_ns = found.worst_ns.max(back);
        }
    }

    /// Adds values before and after moves between two CPUs.
    pub(super) fn moves(&mut self, cpus: [usize; 2], moves: &[[u64; 2]], bits: u32, unit_ns: f64) {
        self.see(moves.iter().flatten().copied());
        self.visited.extend(cpus);
        let found = &mut self.migrating;
        found.cpus = found.cpus.max(self.visited.len());
        found.moves += moves.len() as u64;
        for back in moves.iter().filter_map(|[from, to]| back_ns(*from, *to, bits, unit_ns)) {
            found.backwards += 1;
            found.worst_ns = found.worst_ns.max(back);
        }
    }

    fn see(&mut self, values: impl Iterator<Item = u64>) {
        for value in values {
            self.changed |= *self.first.get_or_insert(value) != value;
        }
    }

    /// Records that the clock's values were read now, by the clock for time limits.
    pub(super) fn seen_at(&mut self, now: Duration) {
        self.seen.get_or_insert([now; 2])[1] = now;
    }

    /// Whether the clock's value, which claims such ticks, stayed the same for longer than it may.
    pub(super) fn is_frozen(&self, tick_ns: f64) -> bool {
        let span = self.seen.map_or(Duration::ZERO, |[first, last]| last.saturating_sub(first));
        let ticks = span.as_nanos() as f64 / tick_ns.max(1.0);
        let long = span >= STILL && ticks >= STILL_TICKS;
        let often = self.one_thread.tries >= STILL_READS && tick_ns <= 1e6;
        self.stood_still || self.first.is_some() && !self.changed && (long || often)
    }
}

/// Adds sandwiches of values in nanoseconds each.
pub(super) fn sandwich(found: &mut Sandwich, values: &[[u64; 3]], bits: u32, unit_ns: f64) {
    for [before, vdso, after] in values {
        let span = difference(*before, *after, bits);
        found.tries += 1;
        if span < 0 {
            // The clock itself was set back, so the vDSO is not at fault.
            found.calls_backwards += 1;
            continue;
        }
        let (low, high) = (difference(*before, *vdso, bits), difference(*vdso, *after, bits));
        found.below += u64::from(low < 0);
        found.above += u64::from(high < 0);
        let worst = low.min(high).min(0).unsigned_abs() as f64 * unit_ns;
        found.worst_ns = found.worst_ns.max(worst);
    }
}

/// The costs of one clock by the number of threads. The quickest measurement of each counts,
/// because threads that wait for each other slow down every measurement, and other activity slows
/// down only some.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs(BTreeMap<usize, Contended>);

impl Costs {
    /// Continues with what an earlier run found.
    pub(super) fn of(known: &Contention) -> Self {
        Self(known.points.iter().map(|point| (point.threads, *point)).collect())
    }

    pub(super) fn add(&mut self, found: Contended) {
        if !(found.ns.is_finite() && found.ns > 0.0) {
            return;
        }
        let quickest = self.0.entry(found.threads).or_insert(found);
        if found.ns < quickest.ns {
            *quickest = found;
        }
    }

    /// Whether this many threads seem to slow each other down.
    pub(super) fn seems_contended(&self, threads: usize) -> bool {
        /// Threads that share a core or a cache slow each other down by this factor.
        const SHARED: f64 = 2.0;
        let both = self.0.get(&1).zip(self.0.get(&threads));
        both.is_some_and(|(alone, found)| found.ns > SHARED * alone.ns)
    }

    /// Returns the costs as the report contains them; `None` if nothing was measured.
    pub(super) fn report(&self, id: &str) -> Option<Contention> {
        let points: Vec<Contended> = self.0.values().copied().collect();
        (!points.is_empty()).then(|| Contention { id: id.into(), points })
    }
}

/// Returns how many threads read at the same time: 1, 2, 4, …, and all.
pub(super) fn thread_counts(cpus: usize) -> Vec<usize> {
    /// With more threads, starting them takes longer than the measurement.
    const MOST: usize = 256;
    let most = cpus.min(MOST);
    let mut counts: Vec<usize> = (0..).map(|n| 1 << n).take_while(|n| *n < most).collect();
    counts.push(most);
    counts.retain(|count| *count > 0);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrap_is_no_step_back() {
        assert_eq!(difference(u64::MAX, 3, 64), 4);
        assert_eq!(difference(0xffff_fff0, 0x10, 32), 0x20);
        assert_eq!(difference(0x10, 0xffff_fff0, 32), -0x20);
        assert_eq!(difference(5, 3, 64), -2);
    }

    #[test]
    fn steps_back_are_counted_with_the_furthest() {
        let mut tally = Tally::default();
        tally.values(&[10, 11, 9, 20, 13, 13], 64, 2.0);
        assert_eq!((tally.one_thread.tries, tally.one_thread.violations), (5, 2));
        assert_eq!(tally.one_thread.worst_ns, 14.0);
        tally.moves([3, 1], &[[5, 6], [6, 4]], 64, 2.0);
        tally.moves([3, 7], &[[5, 6]], 64, 2.0);
        assert_eq!((tally.migrating.moves, tally.migrating.backwards), (3, 1));
        assert_eq!((tally.migrating.cpus, tally.migrating.worst_ns), (3, 4.0));
        tally.seen_at(Duration::ZERO);
        tally.seen_at(Duration::from_secs(60));
        assert!(!tally.is_frozen(1.0));
        let mut frozen = Tally::default();
        frozen.values(&[7; 100], 64, 1.0);
        frozen.seen_at(Duration::from_secs(1));
        assert!(!frozen.is_frozen(1.0));
        frozen.seen_at(Duration::from_secs(2));
        // The value of time() changes once a second.
        assert!(frozen.is_frozen(1e6) && !frozen.is_frozen(1e9));
        for _ in 0..200 {
            frozen.values(&[7; 8192], 64, 1.0);
        }
        assert!(frozen.is_frozen(1.0) && !frozen.is_frozen(1e9));
    }

    #[test]
    fn a_vdso_outside_of_its_sandwich_disagrees_unless_the_clock_was_set() {
        let mut found = Sandwich::default();
        sandwich(&mut found, &[[10, 11, 12], [10, 10, 10]], 64, 1.0);
        assert!(!found.disagrees() && found.tries == 2);
        sandwich(&mut found, &[[100, 90, 10]], 64, 1.0);
        assert!(!found.disagrees() && found.calls_backwards == 1);
        sandwich(&mut found, &[[10, 4, 12], [10, 20, 12]], 64, 1.0);
        assert_eq!((found.below, found.above, found.worst_ns), (1, 1, 8.0));
    }

    #[test]
    fn thread_counts_double_up_to_all() {
        assert_eq!(thread_counts(0), Vec::<usize>::new());
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(2), [1, 2]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
        assert_eq!(thread_counts(5000).last(), Some(&256));
    }

    fn cost(threads: usize, ns: f64) -> Contended {
        Contended { threads, ns, low_ns: ns - 0.1, high_ns: ns + 0.1 }
    }

    #[test]
    fn the_cost_is_that_of_the_quickest_measurement() {
        let mut costs = Costs::default();
        for middle in [9.0, 1.0, 5.0, f64::NAN] {
            costs.add(cost(2, middle));
        }
        let found = costs.report("x").expect("costs");
        assert_eq!(found.points[0].ns, 1.0);
        assert!(!costs.seems_contended(2), "nothing to compare with");
        costs.add(cost(1, 0.4));
        assert!(costs.seems_contended(2) && !costs.seems_contended(1));
        assert!(Costs::default().report("x").is_none());
    }
}
