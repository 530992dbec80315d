//! The tests that are repeated, in random order in each round, until the time is over.

use super::host::{Host, Played};
use super::pairs::{PairOrder, Pairs, possible};
use super::tally::{self, Costs, Tally, thread_counts};
use chronoscope_model::trust::{LeftOut, Sandwich, Trust, Watch};
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
            tally::sandwich(&mut self.sandwiches[at], &values, bits, unit_ns);
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
