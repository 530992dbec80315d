//! The tests of order, on simulated clocks whose order is known.

use chronoscope_measure::engine::fake::{Disturbance, Fake};
use chronoscope_measure::engine::ordering::{Order, Setting, applies, measure};
use chronoscope_measure::engine::schedule::Time;
use chronoscope_measure::engine::{Spec, Timed};
use chronoscope_model::Clock;
use chronoscope_model::clock::{BuiltOn, Facts, Orders, Reads};
use chronoscope_probes::clocks::Unit;
use chronoscope_probes::order::{Handed, Lapse, Work};
use std::time::Duration;

/// How a simulated read behaves.
#[derive(Clone, Copy)]
struct Truth {
    /// The share of each kind of work that the read overtakes.
    overtakes: [f64; 3],
    /// The share of the work that later instructions overtake although the read waited.
    later: f64,
    /// One in this many hand-overs goes back by 80 ticks; 0: none.
    back: u64,
    /// How long the call runs before it reads the clock, in ticks: during the work, unless a fence
    /// separates the two.
    begins: f64,
    /// The share of blocks in which all takes half as long again, as next to a busy neighbour.
    slowed: f64,
}

const SOUND: Truth = Truth { overtakes: [0.0; 3], later: 0.0, back: 0, begins: 0.0, slowed: 0.0 };

/// The time of each kind of work, in ticks of 0.4 ns.
const TAKES: [f64; 3] = [330.0, 350.0, 160.0];
/// The counter's step, in ticks.
const STEP: f64 = 26.0;

struct Host {
    truths: Vec<Truth>,
    elapsed: Duration,
    rng: fastrand::Rng,
}

impl Host {
    /// The value of a counter that advances in steps, at a random moment.
    fn counted(&mut self, from: f64, ticks: f64) -> u64 {
        let at = |t: f64| (t / STEP).floor() * STEP;
        (at(from + ticks) - at(from)) as u64
    }
}

impl Time for Host {
    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn sleep(&mut self, duration: Duration) {
        self.elapsed += duration;
    }

    fn interrupted(&self) -> bool {
        false
    }
}

impl Order for Host {
    fn after(&mut self, subject: usize, work: Work, fenced: bool, out: &mut [Lapse]) -> bool {
        let truth = self.truths[subject];
        let kind = (work as usize).checked_sub(1);
        let takes = kind.map_or(0.0, |kind| TAKES[kind]);
        let overtakes = kind.map_or(0.0, |kind| truth.overtakes[kind]);
        let slow = if self.rng.f64() < truth.slowed { 1.5 } else { 1.0 };
        for place in out {
            self.elapsed += Duration::from_nanos(300);
            // Noise of a tenth, and an interrupt now and then.
            let takes = takes * (1.0 + 0.1 * self.rng.f64());
            let hit = if self.rng.u32(..200) == 0 { 9000.0 } else { 0.0 };
            let waits = match fenced {
                true => 9.0 + takes + truth.begins,
                false => (takes * (1.0 - overtakes)).max(truth.begins),
            };
            let follows = if fenced { 9.0 + takes } else { takes * (1.0 - truth.later) };
            let from = self.rng.f64() * 1e6;
            *place = Lapse {
                own: self.counted(from, (48.0 + waits) * slow + hit),
                later: self.counted(from, (110.0 + waits.min(follows)) * slow + hit),
            };
        }
        true
    }

    fn hand(&mut self, subject: usize, other: usize, turns: u64) -> Result<[Handed; 2], String> {
        assert_eq!(other, 1);
        self.elapsed += Duration::from_nanos(300) * turns as u32;
        let back = self.truths[subject].back;
        let backwards = turns.checked_div(back).unwrap_or(0);
        let seen = Handed { turns, backwards, worst: if backwards > 0 { 80 } else { 0 } };
        Ok([seen, Handed { backwards: 0, worst: 0, ..seen }])
    }
}

fn counter(reads: Reads, built_on: BuiltOn) -> Clock {
    Clock {
        available: true,
        facts: Some(Facts { reads, built_on, orders: Orders::Nothing, ..Facts::default() }),
        ..Clock::default()
    }
}

fn tested(truths: &[Truth], cpus: Result<[usize; 2], String>) -> Vec<Clock> {
    tested_for(Duration::from_millis(20), truths, cpus, 7)
}

/// The clocks after tests with this time for each; the minimum is always made.
fn tested_for(
    each: Duration,
    truths: &[Truth],
    cpus: Result<[usize; 2], String>,
    seed: u64,
) -> Vec<Clock> {
    let spec = Spec {
        unit: Unit::Hz(2.5e9),
        ..Fake::new(Vec::new(), Disturbance::default(), 1).specs()[0].clone()
    };
    let mut host = Host {
        truths: truths.to_vec(),
        elapsed: Duration::ZERO,
        rng: fastrand::Rng::with_seed(seed),
    };
    let specs = vec![spec; truths.len()];
    let subjects: Vec<usize> = (0..truths.len()).collect();
    let mut clocks = vec![counter(Reads::Counter, BuiltOn::Counter); truths.len()];
    let setting =
        Setting { cpus, counter_ns: Some(0.4), cycle_ns: None, budget: each * truths.len() as u32 };
    measure(&mut host, &specs, &subjects, &mut clocks, &setting, 2.5e9);
    // The tests keep to their time, except for the minimum.
    let least = Duration::from_millis(2) * truths.len() as u32;
    assert!(host.elapsed < (setting.budget * 2).max(least), "{:?}", host.elapsed);
    clocks
}

#[test]
fn the_order_of_reads_that_is_known_is_found() {
    let early = Truth { overtakes: [1.0; 3], back: 100, ..SOUND };
    // This is MFENCE on a processor where it waits for loads and not for arithmetic.
    let memory_only = Truth { overtakes: [0.0, 0.0, 1.0], ..SOUND };
    // This is RDTSCP on a processor where later instructions do not wait for it.
    let overtaken = Truth { later: 1.0, ..SOUND };
    let clocks = tested(&[SOUND, early, memory_only, overtaken], Ok([0, 1]));
    let found: Vec<_> = clocks.iter().map(|clock| clock.ordering.as_ref().unwrap()).collect();
    for ordering in &found {
        assert!(ordering.tries >= 1000 && ordering.was_tested(), "{ordering:?}");
        for (after, takes) in ordering.after.iter().zip(TAKES) {
            let takes_ns = takes * 1.05 * 0.4;
            assert!((after.takes_ns / takes_ns - 1.0).abs() < 0.1, "{after:?}");
        }
    }
    let [sound, early, memory_only, overtaken] = found[..] else {
        panic!("four clocks");
    };
    assert_eq!((sound.early(), sound.overtaken()), (None, None), "{sound:?}");
    assert!(sound.backwards().is_none());
    assert_eq!(sound.handed.unwrap().cpus, [0, 1]);

    // The worst result counts: the longest work, 350 ticks of 0.4 ns, and noise.
    let ns = early.early().expect("it is early");
    assert!((ns - 147.0).abs() < 8.0, "{early:?}");
    let handed = early.backwards().expect("it runs backwards");
    assert!((handed.one_in() as f64 / 200.0 - 1.0).abs() < 0.05, "{handed:?}");
    assert!((handed.worst_ns - 32.0).abs() < 1e-9, "{handed:?}");

    let ns = memory_only.early().expect("it overtakes arithmetic");
    assert!((ns - 67.2).abs() < 5.0, "{memory_only:?}");
    assert!(memory_only.after[..2].iter().all(|after| after.early().is_none()));

    assert_eq!(overtaken.early(), None, "{overtaken:?}");
    assert!((overtaken.overtaken().expect("later ones are ahead") - 147.0).abs() < 8.0);
}

#[test]
fn what_a_call_does_before_it_reads_is_not_early_however_busy_the_machine_is() {
    let call = Truth { begins: 50.0, slowed: 0.3, ..SOUND };
    let early = Truth { overtakes: [1.0; 3], slowed: 0.3, ..SOUND };
    // Time for the least number of reads only.
    let each = Duration::from_millis(1);
    let runs = (0..200).map(|seed| tested_for(each, &[call, early], Ok([0, 1]), seed));
    let (mut wrong, mut missed) = (0, 0);
    for clocks in runs {
        let early = |n: usize| clocks[n].ordering.as_ref().and_then(|found| found.early());
        wrong += usize::from(early(0).is_some());
        missed += usize::from(early(1).is_none());
    }
    assert_eq!((wrong, missed), (0, 0));
}

#[test]
fn without_a_second_cpu_the_reason_is_kept() {
    let clocks = tested(&[SOUND], Err("one CPU only".into()));
    let ordering = clocks[0].ordering.as_ref().unwrap();
    assert_eq!(ordering.not_handed.as_deref(), Some("one CPU only"));
    assert!(ordering.handed.is_none() && ordering.was_tested());
}

#[test]
fn only_clocks_that_are_read_in_user_space_and_count_are_tested() {
    assert!(applies(&counter(Reads::Counter, BuiltOn::Counter)));
    assert!(applies(&counter(Reads::Vdso, BuiltOn::ClockSource)));
    assert!(!applies(&counter(Reads::SystemCall, BuiltOn::ClockSource)));
    assert!(!applies(&counter(Reads::Vdso, BuiltOn::Tick)));
    assert!(!applies(&counter(Reads::Memory, BuiltOn::Tick)));
    assert!(!applies(&Clock::default()));
}
