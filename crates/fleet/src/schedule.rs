//! Which round of measurements is next, the CPU time that measuring may take, and when this machine
//! begins, so that the guests of one host do not measure in the same second. Nothing here measures
//! or reads a clock, and nothing of the identity is shown or sent.

use chronoscope_probes::machine;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};

/// A round of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// What reads of the clocks cost, and whether the CPUs agree.
    Clocks,
    /// How late waits end.
    Waits,
    /// The facts about the machine, and its faults by all figures so far.
    Machine,
}

impl Round {
    pub const ALL: [Self; 3] = [Self::Clocks, Self::Waits, Self::Machine];

    /// The name of the measurement, as the metrics have it.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Its name, and in seconds: the time from one round to the next; how long after the first
    /// round of clocks the first round begins, because they are not made in the same second, and
    /// the faults are judged when there are figures; and the CPU time that a round takes until one
    /// has shown it.
    fn row(self) -> (&'static str, f64, f64, f64) {
        match self {
            Self::Clocks => ("clocks", 300.0, 0.0, 0.3),
            Self::Waits => ("waits", 60.0, 3.0, 0.1),
            Self::Machine => ("machine", 300.0, 6.0, 0.05),
        }
    }

    /// The time from one round to the next, in seconds.
    fn period_s(self) -> f64 {
        self.row().1
    }
}

/// When each round is due.
#[derive(Clone, Debug)]
pub struct Schedule([Plan; 3]);

#[derive(Clone, Debug)]
struct Plan {
    round: Round,
    /// When the round is due, in seconds.
    due_s: f64,
    /// The same of the oldest one that was skipped since the last round: whoever has waited for the
    /// longest is next.
    since_s: f64,
    /// What the last round took, in CPU seconds.
    cpu_s: f64,
    /// Whether there was one.
    made: bool,
}

impl Schedule {
    /// A schedule that begins after this fraction, 0 to 1, of the period of clocks.
    pub fn new(fraction: f64) -> Self {
        let first_s = fraction * Round::Clocks.period_s();
        Self(Round::ALL.map(|round| {
            let (_, period_s, after_clocks_s, cpu_s) = round.row();
            // Waits need not wait for the first round of clocks, but the judgement must.
            let due_s = match round {
                Round::Machine => first_s + after_clocks_s,
                _ => (first_s + after_clocks_s) % period_s,
            };
            Plan { round, due_s, since_s: due_s, cpu_s, made: false }
        }))
    }

    /// Skips the rounds whose successor is due too, and returns how many these are, if this is
    /// asked each second. A process that was stopped for an hour has not skipped an hour of rounds.
    pub fn skip(&mut self, now_s: f64) -> u32 {
        let mut skipped = 0;
        for plan in &mut self.0 {
            let period = plan.round.period_s();
            let missed = ((now_s - plan.due_s) / period).floor();
            if missed >= 1.0 {
                plan.due_s += missed * period;
                skipped += 1;
            }
        }
        skipped
    }

    /// The round to make now: of those that are due, the one that has waited for the longest. While
    /// the budget does not allow that one, no other takes what is left. The first round of each
    /// kind is made when it is due, and paid for later: a slow machine, too, has all metrics soon
    /// after the start.
    pub fn next(&self, now_s: f64, budget: &Budget) -> Option<Round> {
        let due = self.0.iter().filter(|plan| plan.due_s <= now_s);
        let first = due.min_by(|a, b| a.since_s.total_cmp(&b.since_s))?;
        (!first.made || budget.allows(first.cpu_s)).then_some(first.round)
    }

    /// Notes that a round was made, and the CPU time that it took, in seconds.
    pub fn done(&mut self, round: Round, cpu_s: f64) {
        for plan in self.0.iter_mut().filter(|plan| plan.round == round) {
            plan.due_s += round.period_s();
            plan.since_s = plan.due_s;
            plan.cpu_s = cpu_s;
            plan.made = true;
        }
    }
}

/// The time whose share can be saved, in seconds. What was not used before that is lost, so that an
/// idle hour is not followed by a busy minute.
const SAVED_S: f64 = 120.0;

/// An account of CPU time.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The share of one CPU, 0 to 1.
    share: f64,
    /// What may be spent now, in CPU seconds; negative if more was spent.
    left_s: f64,
    /// When the share was last credited, in seconds.
    at_s: f64,
}

impl Budget {
    /// An account of this share of one CPU that begins at this time, in seconds, with all that can
    /// be saved.
    pub fn new(share: f64, at_s: f64) -> Self {
        Self { share, left_s: share * SAVED_S, at_s }
    }

    /// Credits the share of the time until `at_s`.
    pub fn credit(&mut self, at_s: f64) {
        let passed = (at_s - self.at_s).max(0.0);
        self.left_s = (self.left_s + passed * self.share).min(self.most());
        self.at_s = at_s;
    }

    /// Charges CPU time that was taken, in seconds.
    pub fn charge(&mut self, cpu_s: f64) {
        self.left_s -= cpu_s;
    }

    /// Whether something that is expected to take this CPU time may begin. What takes more than can
    /// be saved may begin when everything is saved; the excess is then a debt.
    pub fn allows(&self, cpu_s: f64) -> bool {
        self.left_s >= cpu_s.min(self.most())
    }

    fn most(&self) -> f64 {
        self.share * SAVED_S
    }
}

/// Where Linux keeps the id of its installation (machine-id(5)).
const MACHINE_ID: &str = "/etc/machine-id";

/// A number from 0 to 1 that differs from machine to machine: the same for all programs of one
/// boot of a machine, or drawn at random where the machine has no identity.
pub fn fraction_of_machine() -> f64 {
    // All containers of an image, and all clones of a disk, can have the same machine id.
    let id = std::fs::read_to_string(MACHINE_ID).ok();
    fraction_of([id, machine::boot_id()])
}

fn fraction_of(ids: [Option<String>; 2]) -> f64 {
    let ids: Vec<String> = ids.into_iter().flatten().filter(|id| !id.trim().is_empty()).collect();
    let hash = if ids.is_empty() {
        RandomState::new().hash_one(())
    } else {
        let mut hasher = DefaultHasher::new();
        ids.hash(&mut hasher);
        hasher.finish()
    };
    hash as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The CPU time of one look and of encoding the metrics, in seconds.
    const LOOK_S: f64 = 100e-6;
    const DAY_S: u32 = 86_400;

    /// A day of looks and rounds with this budget. `cost` tells what a round takes.
    struct Day {
        cpu_s: f64,
        /// The most that was taken in an hour.
        hour_s: f64,
        made: [u32; 3],
        skipped: u32,
    }

    fn day(share: f64, mut cost: impl FnMut(Round) -> f64) -> Day {
        let mut budget = Budget::new(share, 0.0);
        let mut schedule = Schedule::new(0.3);
        let mut day = Day { cpu_s: 0.0, hour_s: 0.0, made: [0; 3], skipped: 0 };
        let mut hour_s = 0.0;
        for second in 0..DAY_S {
            let now_s = f64::from(second);
            budget.credit(now_s);
            let mut cpu_s = LOOK_S;
            day.skipped += schedule.skip(now_s);
            if let Some(round) = schedule.next(now_s, &budget) {
                let took = cost(round);
                schedule.done(round, took);
                day.made[round as usize] += 1;
                cpu_s += took;
            }
            budget.charge(cpu_s);
            day.cpu_s += cpu_s;
            hour_s += cpu_s;
            if second % 3600 == 3599 {
                day.hour_s = day.hour_s.max(std::mem::take(&mut hour_s));
            }
        }
        day
    }

    /// What rounds take on an ordinary machine, in CPU seconds.
    fn usual(round: Round) -> f64 {
        match round {
            Round::Clocks => 0.3,
            Round::Waits => 0.08,
            Round::Machine => 0.02,
        }
    }

    #[test]
    fn a_day_within_the_usual_budget_skips_nothing() {
        let day = day(0.005, usual);
        assert_eq!((day.made, day.skipped), ([288, 1440, 288], 0));
        assert!(day.cpu_s < 0.005 * f64::from(DAY_S));
    }

    #[test]
    fn the_first_round_of_each_kind_waits_for_no_budget() {
        let mut budget = Budget::new(0.005, 0.0);
        let mut schedule = Schedule::new(0.0);
        let mut made = vec![];
        for second in 0..10 {
            budget.credit(f64::from(second));
            if let Some(round) = schedule.next(f64::from(second), &budget) {
                schedule.done(round, 30.0);
                budget.charge(30.0);
                made.push(round);
            }
        }
        assert_eq!(made, Round::ALL);
    }

    #[test]
    fn a_budget_that_is_too_small_is_kept_and_everything_is_still_measured() {
        for share in [0.0005, 0.001, 0.002] {
            let day = day(share, usual);
            let all = share * f64::from(DAY_S);
            assert!(day.cpu_s <= all * 1.1, "{share}: {} of {all}", day.cpu_s);
            assert!(day.cpu_s >= all * 0.7, "{share}: {} of {all}", day.cpu_s);
            assert!(day.hour_s <= share * 3600.0 * 1.1 + 0.3, "{share}: {}", day.hour_s);
            assert!(day.made.iter().all(|made| *made > 10), "{share}: {:?}", day.made);
            let made: u32 = day.made.iter().sum();
            assert!((2004..=2016).contains(&(made + day.skipped)), "{made} + {}", day.skipped);
        }
    }

    #[test]
    fn rounds_of_random_cost_keep_the_budget() {
        let mut rng = 1u64;
        let day = day(0.003, |round| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // From nothing to four times the usual.
            usual(round) * 4.0 * (rng >> 33) as f64 / f64::from(1u32 << 31)
        });
        assert!(day.cpu_s <= 0.003 * f64::from(DAY_S) * 1.1, "{}", day.cpu_s);
        assert!(day.skipped > 0 && day.made.iter().all(|made| *made > 10), "{:?}", day.made);
    }

    #[test]
    fn rounds_that_cost_more_than_can_be_saved_are_rare_but_made() {
        let day = day(0.005, |round| 20.0 * usual(round));
        assert!(day.cpu_s <= 0.005 * f64::from(DAY_S) * 1.1, "{}", day.cpu_s);
        assert!(day.made.iter().all(|made| *made > 10), "{:?}", day.made);
    }

    #[test]
    fn whoever_was_stopped_for_a_week_makes_each_round_once() {
        let mut schedule = Schedule::new(0.0);
        let week_s = 7.0 * f64::from(DAY_S);
        assert_eq!(schedule.skip(week_s), 3);
        let budget = Budget::new(0.005, week_s);
        let mut made = Vec::new();
        while let Some(round) = schedule.next(week_s, &budget) {
            schedule.done(round, 0.1);
            made.push(round);
        }
        assert_eq!(made, [Round::Clocks, Round::Waits, Round::Machine]);
        assert_eq!(schedule.skip(week_s), 0);
    }

    #[test]
    fn a_schedule_begins_within_the_first_period_of_clocks_and_at_once_if_asked() {
        for hundredths in 0..=100 {
            let schedule = Schedule::new(f64::from(hundredths) / 100.0);
            let [clocks, waits, machine] = &schedule.0;
            assert!(clocks.due_s < 300.0 && waits.due_s < 60.0 && machine.due_s > clocks.due_s);
        }
        let budget = Budget::new(0.005, 0.0);
        assert_eq!(Schedule::new(0.0).next(0.0, &budget), Some(Round::Clocks));
    }

    #[test]
    fn what_is_saved_has_a_limit_and_a_debt_is_paid_off() {
        let mut budget = Budget::new(0.01, 0.0);
        budget.credit(1e6);
        assert!(budget.allows(1.2));
        budget.charge(1.3);
        assert!(!budget.allows(0.0));
        budget.credit(1e6 + 5.0);
        assert!(!budget.allows(0.0));
        budget.credit(1e6 + 30.0);
        assert!(budget.allows(0.1) && !budget.allows(0.3));
        // A clock that goes back credits nothing.
        budget.credit(0.0);
        assert!(!budget.allows(0.3));
    }

    #[test]
    fn what_costs_more_than_can_be_saved_waits_for_all_of_it() {
        let mut budget = Budget::new(0.01, 0.0);
        assert!(budget.allows(100.0));
        budget.charge(0.1);
        assert!(!budget.allows(100.0));
        budget.credit(11.0);
        assert!(budget.allows(100.0));
    }

    #[test]
    fn a_thousand_machines_are_spread_evenly() {
        const PARTS: usize = 10;
        let mut parts = [0; PARTS];
        for guest in 0..1000 {
            let id = Some(format!("{:032x}\n", 0x5eed + guest));
            let fraction = fraction_of([id.clone(), None]);
            assert!((0.0..=1.0).contains(&fraction) && fraction == fraction_of([id, None]));
            parts[((fraction * PARTS as f64) as usize).min(PARTS - 1)] += 1;
        }
        // Five standard deviations of a binomial distribution around 100.
        assert!(parts.iter().all(|count| (53..=147).contains(count)), "{parts:?}");
    }

    #[test]
    fn clones_of_a_disk_differ_by_their_boots_and_a_machine_without_ids_by_chance() {
        let clone = |boot: &str| fraction_of([Some("same".into()), Some(boot.into())]);
        assert_ne!(clone("one"), clone("two"));
        assert_ne!(fraction_of([None, None]), fraction_of([Some(" \n".into()), None]));
        assert!((0.0..=1.0).contains(&fraction_of_machine()));
    }
}
