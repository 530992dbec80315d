//! The tests of trust on a simulated machine whose faults are known.

use chronoscope_measure::engine::schedule::Time;
use chronoscope_measure::trust::jobs::{Clock, TestPlan, Tests};
use chronoscope_measure::trust::{Bracket, Compared, Host, Played};
use chronoscope_model::trust::{Contended, Trust, Watch};
use chronoscope_probes::order::Handed;
use std::time::Duration;

/// A machine whose CPUs' counters are ahead of true time by these ticks of 1 ns.
#[derive(Default)]
struct Machine {
    now: u64,
    ahead: Vec<i64>,
    /// An amount and a number of reads: the first clock goes back by that amount once in that many
    /// reads.
    back: Option<(u64, u64)>,
    /// One in this many hand-overs of the first clock is out of order by 80 ticks.
    unordered: u64,
    /// CPUs that are offline.
    offline: Vec<usize>,
    /// Whether the clocks, and the clock for time limits, stand still.
    frozen: bool,
    /// By how much the vDSO is behind the system call.
    vdso_behind: u64,
    /// How much more a read costs for each further thread.
    contention: f64,
    reads: u64,
    calls: u64,
    interrupt_after: Option<u64>,
}

/// A machine with four CPUs, and without faults.
fn sound() -> Machine {
    Machine { now: 1_000_000_000, ahead: vec![0; 4], ..Machine::default() }
}

impl Machine {
    fn value(&mut self, cpu: usize) -> u64 {
        self.reads += 1;
        if self.frozen {
            return 7;
        }
        self.now += 20;
        let back = match self.back {
            Some((every, by)) if self.reads.is_multiple_of(every) => by,
            _ => 0,
        };
        self.now.wrapping_add_signed(self.ahead[cpu]) - back
    }

    fn check(&self, cpus: &[usize]) -> Result<(), String> {
        let missing = cpus.iter().find(|cpu| self.offline.contains(cpu));
        missing.map_or(Ok(()), |cpu| Err(format!("CPU {cpu} is offline")))
    }

    fn play(&mut self, cpus: [usize; 2], turns: u64, unordered: u64) -> Played {
        // One turn takes 100 ns. The receiver sees a smaller value if it is behind by more.
        let apart = (self.ahead[cpus[0]] - self.ahead[cpus[1]]).unsigned_abs();
        let out_of_step = apart > 100;
        let backwards = match (out_of_step, unordered) {
            (true, _) => turns,
            (false, 0) => 0,
            (false, every) => turns / every,
        };
        let worst = match (out_of_step, backwards) {
            (true, _) => apart - 100,
            (false, 0) => 0,
            (false, _) => 80,
        };
        if !self.frozen {
            self.now += 200 * turns;
        }
        let player = |backwards, worst| Handed { turns, backwards, worst };
        Played {
            players: [player(0, 0), player(backwards, worst)],
            time: Duration::from_nanos(200 * turns),
        }
    }
}

impl Time for Machine {
    fn elapsed(&self) -> Duration {
        match self.frozen {
            true => Duration::ZERO,
            false => Duration::from_nanos(self.now),
        }
    }

    fn sleep(&mut self, duration: Duration) {
        self.now += duration.as_nanos() as u64;
    }

    fn interrupted(&self) -> bool {
        self.interrupt_after.is_some_and(|after| self.calls >= after)
    }
}

impl Host for Machine {
    fn fill(&mut self, _: usize, out: &mut [u64]) {
        self.calls += 1;
        for value in out {
            *value = self.value(0);
        }
    }

    fn moved(&mut self, _: usize, cpus: [usize; 2], out: &mut [[u64; 2]]) -> Result<(), String> {
        self.calls += 1;
        self.check(&cpus)?;
        for one in out {
            let before = self.value(cpus[0]);
            self.now += if self.frozen { 0 } else { 2000 };
            *one = [before, self.value(cpus[1])];
        }
        Ok(())
    }

    fn hand(&mut self, clock: usize, cpus: [usize; 2], turns: u64) -> Result<Played, String> {
        self.calls += 1;
        self.check(&cpus)?;
        let unordered = if clock == 0 { self.unordered } else { 0 };
        Ok(self.play(cpus, turns, unordered))
    }

    fn compare(&mut self, cpus: [usize; 2], _: usize, turns: u64) -> Result<Compared, String> {
        self.calls += 1;
        self.check(&cpus)?;
        let exchange = |n: u64| {
            let before = 5_000_000 + n * 500;
            let middle = before + 40 + n % 17;
            Bracket {
                before: before.wrapping_add_signed(self.ahead[cpus[0]]),
                value: middle.wrapping_add_signed(self.ahead[cpus[1]]),
                after: (middle + 50 + n % 13).wrapping_add_signed(self.ahead[cpus[0]]),
            }
        };
        let brackets = (0..200).map(exchange).collect();
        Ok(Compared { played: self.play(cpus, turns, 0), brackets })
    }

    fn sandwich(&mut self, _: usize, out: &mut [[u64; 3]]) {
        self.calls += 1;
        let behind = self.vdso_behind;
        for one in out {
            *one = [self.value(0), self.value(0) - behind, self.value(0)];
        }
    }

    fn contend(&mut self, _: usize, cpus: &[usize], time: Duration) -> Result<Contended, String> {
        self.calls += 1;
        self.check(cpus)?;
        if !self.frozen {
            self.now += time.as_nanos() as u64;
        }
        let middle = 20.0 * (1.0 + self.contention * (cpus.len() - 1) as f64);
        Ok(Contended {
            threads: cpus.len(),
            ns: middle,
            low_ns: middle * 0.99,
            high_ns: middle * 1.01,
        })
    }
}

fn plan(cpus: usize) -> TestPlan {
    let clock = |id: &str| Clock {
        watch: Watch { id: id.into(), ..Watch::default() },
        unit_ns: 1.0,
        tick_ns: 1.0,
        bits: 64,
        shared: true,
    };
    TestPlan {
        clocks: vec![clock("fake/counter"), clock("fake/clock")],
        counter: "counter".into(),
        tick_ns: 1.0,
        sandwiches: vec![(1, "fake/call".into())],
        cpus: (0..cpus).map(|cpu| (cpu, Some(cpu / 2))).collect(),
        time: Duration::from_secs(2),
        seed: 5,
    }
}

fn run(mut machine: Machine, plan: TestPlan) -> (Trust, Machine) {
    let mut tests = Tests::new(plan);
    let mut last = 0.0;
    tests.run(&mut machine, |_, share| {
        assert!((last..=1.0).contains(&share));
        last = share;
    });
    let mut trust = Trust::default();
    tests.report(&mut trust);
    (trust, machine)
}

#[test]
fn a_sound_machine_passes_every_test() {
    let (trust, _) = run(sound(), plan(4));
    assert_eq!(trust.clocks.len(), 2);
    for watch in &trust.clocks {
        assert_eq!(watch.backwards(), 0);
        let (one, moved, handed) = (&watch.one_thread, &watch.migrating, &watch.handed);
        assert!(one.as_ref().is_some_and(|one| one.tries > 10_000));
        assert!(moved.as_ref().is_some_and(|moved| moved.moves > 0 && moved.cpus == 4));
        assert_eq!(handed.as_ref().map(|handed| handed.pairs), Some(6));
        assert!(!watch.frozen && watch.one_cpu.is_none());
    }
    assert_eq!(trust.matrix.in_step(), Some(true));
    assert_eq!((trust.matrix.pairs.len(), trust.matrix.possible), (6, 6));
    for pair in &trust.matrix.pairs {
        // CPUs of two memory nodes are compared through a page on each.
        let [a, b] = pair.handed.cpus;
        assert_eq!(pair.offsets.len(), if a / 2 == b / 2 { 1 } else { 2 });
        assert!(pair.best().is_some_and(|best| best.uncertainty_ns <= best.round_trip_ns / 2.0));
        assert!(pair.per_second().is_some_and(|pace| pace > 1e6));
    }
    assert!(trust.sandwiches[0].tries > 0 && !trust.sandwiches[0].disagrees());
    let points = &trust.contention[0].points;
    let threads: Vec<usize> = points.iter().map(|point| point.threads).collect();
    assert_eq!(threads, [1, 2, 4]);
    assert_eq!(trust.contention[0].factor(), Some(1.0));
    assert!(trust.left_out.is_empty(), "{:?}", trust.left_out);
}

#[test]
fn a_cpu_out_of_step_is_found_by_its_offset_and_by_hand_overs() {
    let machine = Machine { ahead: vec![0, 0, 5000, 0], ..sound() };
    let (trust, _) = run(machine, plan(4));
    assert_eq!(trust.matrix.in_step(), Some(false));
    let out: Vec<[usize; 2]> = trust.matrix.out_of_step().map(|pair| pair.handed.cpus).collect();
    assert_eq!(out, [[0, 2], [1, 2], [2, 3]]);
    let pair = &trust.matrix.pairs[1];
    let best = pair.best().expect("an offset");
    assert!((best.offset_ns - 5000.0).abs() <= best.uncertainty_ns);
    let watch = &trust.clocks[0];
    assert!(watch.migrating.as_ref().is_some_and(|moved| moved.backwards > 0));
    assert!(watch.handed.as_ref().is_some_and(|handed| {
        handed.backwards > 0 && handed.worst_cpus.is_some_and(|cpus| cpus.contains(&2))
    }));
}

#[test]
fn steps_back_unordered_reads_and_a_wrong_vdso_are_counted() {
    let machine = Machine {
        back: Some((1000, 500)),
        unordered: 100,
        vdso_behind: 900,
        contention: 1.5,
        ..sound()
    };
    let (trust, _) = run(machine, plan(2));
    let one = trust.clocks[0].one_thread.as_ref().expect("reads");
    assert!(one.violations > 0 && one.worst_ns <= 500.0, "{one:?}");
    let [unordered, ordered] = [0, 1].map(|at| trust.clocks[at].handed.clone().expect("turns"));
    assert!(unordered.backwards > 0 && unordered.worst_ns == 80.0);
    assert_eq!(ordered.backwards, 0);
    assert_eq!(trust.matrix.in_step(), Some(true));
    assert!(trust.sandwiches[0].below > 0 && trust.sandwiches[0].disagrees());
    assert_eq!(trust.contention[0].factor(), Some(2.5));
}

#[test]
fn clocks_that_stand_still_do_not_hang_the_run() {
    let machine = Machine { frozen: true, ..sound() };
    let short = TestPlan { time: Duration::from_millis(100), ..plan(4) };
    let (trust, machine) = run(machine, short);
    assert!(trust.clocks.iter().all(|watch| watch.frozen));
    assert!(machine.calls < 1_000_000);
}

#[test]
fn one_cpu_is_told_and_needs_no_second() {
    let (trust, _) = run(sound(), plan(1));
    assert!(trust.matrix.pairs.is_empty() && trust.matrix.in_step().is_none());
    for why in [&trust.matrix.left_out, &trust.clocks[0].one_cpu] {
        assert!(why.as_ref().is_some_and(|why| why.contains("one CPU")), "{why:?}");
    }
    assert!(trust.clocks[0].one_thread.is_some() && trust.clocks[0].handed.is_none());
    assert_eq!(trust.contention[0].points.len(), 1);
}

#[test]
fn a_cpu_that_goes_away_leaves_a_reason_and_the_rest_goes_on() {
    let machine = Machine { offline: vec![3], ..sound() };
    let (trust, _) = run(machine, plan(4));
    let why = trust.matrix.left_out.as_deref().unwrap_or_default();
    assert!(why.contains("3 of 6") && why.contains("offline"), "{why}");
    assert_eq!(trust.matrix.in_step(), Some(true));
    assert!(trust.left_out.iter().any(|left| left.what == "contention"));
}

#[test]
fn a_large_machine_takes_no_longer_and_an_interrupt_ends_it() {
    let large = || Machine { ahead: vec![0; 2000], ..sound() };
    let (trust, machine) = run(large(), plan(2000));
    assert!(machine.now < 4_000_000_000, "{}", machine.now);
    assert!(trust.matrix.pairs.len() > 10 && trust.matrix.pairs.len() <= 4096);
    assert!(trust.matrix.left_out.is_some());
    let stopped = Machine { interrupt_after: Some(10), ..large() };
    let (trust, machine) = run(stopped, plan(2000));
    assert!(machine.calls <= 11 && trust.clocks.len() == 2);
}
