//! Which pairs of CPUs are compared, and what is known about each pair.
//!
//! Whether the processor's counter agrees on several CPUs. One test brackets a value of one CPU
//! between two values of another; the other hands values back and forth. All reads are fenced on
//! both sides, so only the counters themselves can be out of step.

use super::{Bracket, Compared, Played};
use crate::engine::ordering::{add_seen, order_between};
use chronoscope::counter;
use chronoscope_model::environment::Environment;
use chronoscope_model::ordering::{self, AcrossCpus, Handed};
use chronoscope_model::trust::{HandedAll, Matrix, Offset, Pair};
use chronoscope_probes::order::Turns;
use chronoscope_probes::time::Instant;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most pairs that are compared. A machine of 90 CPUs has that many; on a larger one, each CPU
/// is compared with the first and with its neighbour, and the rest of the pairs are drawn at
/// random.
const MOST_PAIRS: usize = 4096;

/// Returns how many pairs this many CPUs form.
pub(super) fn possible(cpus: usize) -> u64 {
    let cpus = cpus as u64;
    cpus * cpus.saturating_sub(1) / 2
}

/// The pairs in the order in which they are compared, without end.
#[derive(Clone, Debug, Default)]
pub(super) struct PairOrder {
    pairs: Vec<[usize; 2]>,
    next: usize,
}

impl PairOrder {
    pub(super) fn new(cpus: &[usize], rng: &mut fastrand::Rng) -> Self {
        let mut pairs = Vec::new();
        if possible(cpus.len()) <= MOST_PAIRS as u64 {
            for (at, &first) in cpus.iter().enumerate() {
                pairs.extend(cpus[at + 1..].iter().map(|&second| [first, second]));
            }
            rng.shuffle(&mut pairs);
        } else {
            let mut known = HashSet::new();
            let mut add = |one: usize, other: usize| {
                let pair = [one.min(other), one.max(other)];
                if one != other && pairs.len() < MOST_PAIRS && known.insert(pair) {
                    pairs.push(pair);
                }
            };
            cpus[1..].iter().for_each(|&cpu| add(cpus[0], cpu));
            cpus.windows(2).for_each(|two| add(two[0], two[1]));
            for _ in 0..2 * MOST_PAIRS {
                add(cpus[rng.usize(..cpus.len())], cpus[rng.usize(..cpus.len())]);
            }
        }
        Self { pairs, next: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }
}

impl Iterator for PairOrder {
    type Item = [usize; 2];

    fn next(&mut self) -> Option<[usize; 2]> {
        let pair = *self.pairs.get(self.next % self.pairs.len().max(1))?;
        self.next += 1;
        Some(pair)
    }
}

/// The results of all pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(BTreeMap<[usize; 2], Pair>);

impl Pairs {
    /// Continues with what an earlier run found.
    pub(super) fn of(known: &Matrix) -> Self {
        Self(known.pairs.iter().map(|pair| (pair.handed.cpus, pair.clone())).collect())
    }

    /// Adds the result of a pair, with the page at the home of this memory node.
    pub(super) fn add(
        &mut self,
        cpus: [usize; 2],
        node: Option<usize>,
        seen: Result<Compared, String>,
        tick_ns: f64,
    ) {
        let pair = self.0.entry(cpus).or_default();
        pair.handed.cpus = cpus;
        let busy = |seen: &Compared| seen.brackets.is_empty() && seen.played.turns() == 0;
        let seen = match seen {
            Ok(seen) if busy(&seen) => Err("it was busy".into()),
            seen => seen,
        };
        pair.left_out = seen.as_ref().err().cloned();
        let Ok(seen) = seen else { return };
        for player in seen.played.players {
            add_seen(&mut pair.handed, player, tick_ns);
        }
        pair.handed_s += seen.played.time.as_secs_f64();
        let Some(found) = offset(&seen.brackets, node, tick_ns) else {
            return;
        };
        let Some(known) = pair.offsets.iter_mut().find(|one| one.node == node) else {
            pair.offsets.push(found);
            return;
        };
        let exchanges = known.exchanges + found.exchanges;
        if found.round_trip_ns < known.round_trip_ns {
            *known = found;
        }
        known.exchanges = exchanges;
    }

    /// The results as the report shows them.
    pub(super) fn matrix(&self, id: &str, cpus: usize, planned: usize) -> Matrix {
        let pairs: Vec<Pair> = self.0.values().cloned().collect();
        let compared = pairs.iter().filter(|pair| pair.in_step().is_some()).count();
        let possible = possible(cpus);
        let refused = pairs.iter().find_map(|pair| {
            let [first, second] = pair.handed.cpus;
            let why = pair.left_out.as_ref()?;
            (pair.in_step().is_none()).then(|| format!("CPUs {first} and {second}: {why}"))
        });
        let left_out = match (cpus, compared as u64) {
            (0 | 1, _) => Some("this process may run on one CPU only".into()),
            (_, all) if all == possible => None,
            (_, some) => Some(match refused {
                Some(refused) => format!("{some} of {possible} pairs were compared; {refused}"),
                None if planned < possible as usize && compared == planned => format!(
                    "{some} of {possible} pairs were compared, each CPU with the first, with its \
                     neighbour and with some others"
                ),
                None => format!(
                    "{some} of {possible} pairs were compared in the time given: raise --duration"
                ),
            }),
        };
        Matrix { id: id.into(), pairs, possible, left_out }
    }
}

/// The offset by the exchange with the shortest round trip: half the difference of the two one-way
/// delays, plus or minus half the round trip (as in RFC 5905, section 8, on one machine).
fn offset(exchanges: &[Bracket], node: Option<usize>, tick_ns: f64) -> Option<Offset> {
    // A round trip below 0 comes from a counter that went back.
    let trip = |one: &Bracket| one.after.wrapping_sub(one.before).cast_signed();
    let best = exchanges.iter().filter(|one| trip(one) >= 0).min_by_key(|one| trip(one))?;
    let there = best.value.wrapping_sub(best.before).cast_signed() as f64;
    let back = best.after.wrapping_sub(best.value).cast_signed() as f64;
    let round_trip_ns = trip(best) as f64 * tick_ns;
    Some(Offset {
        node,
        offset_ns: (there - back) / 2.0 * tick_ns,
        uncertainty_ns: round_trip_ns / 2.0,
        round_trip_ns,
        exchanges: exchanges.len() as u64,
    })
}

/// What one clock showed in all pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct AllHanded {
    all: HandedAll,
    pairs: BTreeMap<[usize; 2], (u64, f64)>,
}

impl AllHanded {
    /// Continues with what an earlier run found.
    pub(super) fn of(known: &HandedAll) -> Self {
        Self { all: known.clone(), ..Self::default() }
    }

    pub(super) fn add(&mut self, cpus: [usize; 2], played: &Played, unit_ns: f64) {
        if played.turns() == 0 {
            return;
        }
        for player in played.players {
            self.all.turns += player.turns;
            self.all.backwards += player.backwards;
            let worst = player.worst as f64 * unit_ns;
            if worst > self.all.worst_ns {
                self.all.worst_ns = worst;
                self.all.worst_cpus = Some(cpus);
            }
        }
        let seconds = played.time.as_secs_f64();
        self.all.seconds += seconds;
        let pair = self.pairs.entry(cpus).or_default();
        pair.0 += played.turns();
        pair.1 += seconds;
    }

    pub(super) fn report(&self) -> Option<HandedAll> {
        let paces = self.pairs.values().filter(|pair| pair.1 > 0.0);
        let slowest = paces.map(|pair| pair.0 as f64 / pair.1);
        let earlier = (self.all.pairs > 0).then_some(self.all.slowest_per_second);
        let slowest = slowest.chain(earlier);
        (self.all.turns > 0).then(|| HandedAll {
            pairs: self.all.pairs.max(self.pairs.len()),
            slowest_per_second: slowest.min_by(f64::total_cmp).unwrap_or(0.0),
            ..self.all.clone()
        })
    }
}

/// The turns of one game of hand-overs, and the exchanges of one round.
const TURNS: u64 = 2000;
/// The turns of the first round: on a busy machine each turn can take as long as a time slice.
const FIRST_TURNS: u64 = 120;
/// The most CPUs that one CPU is compared with: those furthest from it by number.
const MOST_TURNS: usize = 16;
/// The checks for an answer after which an exchange is given up, some 0.1 s.
const PATIENCE: u32 = 1 << 22;

/// Why nothing can be handed from thread to thread, if there is a reason: each turn would take a
/// slice of Valgrind's scheduler.
pub(crate) fn serialised(env: &Environment) -> Option<String> {
    let valgrind = env.emulated.as_ref().filter(|what| what.starts_with("Valgrind"));
    valgrind.map(|_| "Valgrind runs one thread at a time".into())
}

/// Compares the counter of `cpu`, on which the caller runs, with the counter of each of the others,
/// within this time.
pub fn measure_across(cpu: usize, others: &[usize], budget: Duration, hz: f64) -> AcrossCpus {
    let mut chosen: Vec<usize> = others.iter().copied().filter(|other| *other != cpu).collect();
    chosen.sort_by_key(|other| std::cmp::Reverse(other.abs_diff(cpu)));
    let all = chosen.len();
    chosen.truncate(MOST_TURNS);
    let mut found = AcrossCpus::default();
    let began = Instant::now();
    for (done, other) in chosen.iter().enumerate() {
        let rest = budget.saturating_sub(began.elapsed());
        if rest.is_zero() {
            break;
        }
        let share = rest / (chosen.len() - done) as u32;
        match pair([cpu, *other], share, 1e9 / hz) {
            Ok(pair) => found.pairs.push(pair),
            Err(why) => found.left_out = Some(format!("CPU {other}: {why}")),
        }
    }
    if all == 0 {
        found.left_out = Some("this process may run on one CPU only".into());
    } else if found.pairs.len() < all && found.left_out.is_none() {
        let compared = found.pairs.len();
        found.left_out = Some(format!("{compared} of {all} other CPUs were compared"));
    }
    found
}

/// Returns a result without any comparison, with the reason.
pub fn without(why: String) -> AcrossCpus {
    AcrossCpus { left_out: Some(why), ..AcrossCpus::default() }
}

fn pair(cpus: [usize; 2], share: Duration, tick_ns: f64) -> Result<ordering::Pair, String> {
    let mut found = ordering::Pair {
        handed: Handed { cpus, ..Handed::default() },
        low_ns: f64::NEG_INFINITY,
        high_ns: f64::INFINITY,
        ..ordering::Pair::default()
    };
    let began = Instant::now();
    let mut turns = FIRST_TURNS;
    loop {
        let player = |me| move |table: &Turns| table.play(me, turns, counter::start);
        for seen in order_between(cpus[1], 0, player(0), player(1))? {
            add_seen(&mut found.handed, seen, tick_ns);
        }
        let [brackets, _] = order_between(
            cpus[1],
            0,
            |desk: &Desk| ask(desk, turns, counter::start),
            |desk: &Desk| answer(desk, turns, counter::start),
        )?;
        found.exchanges += brackets.len() as u64;
        let (low, high) = bounds(&brackets);
        found.low_ns = found.low_ns.max(low * tick_ns);
        found.high_ns = found.high_ns.min(high * tick_ns);
        if began.elapsed() >= share {
            break;
        }
        turns = (turns * 4).min(TURNS);
    }
    if found.exchanges > 0 && found.handed.turns > 0 {
        Ok(found)
    } else {
        Err("it was busy".into())
    }
}

/// Returns by how many ticks the other CPU is ahead, at least and at most. If it is ahead by `d`,
/// each of its values less `d` lies between the two values of this CPU (as in RFC 5905, section 8,
/// on one machine).
fn bounds(brackets: &[Bracket]) -> (f64, f64) {
    let behind = |a: u64, b: u64| a.wrapping_sub(b).cast_signed() as f64;
    let low = brackets.iter().map(|b| behind(b.value, b.after));
    let high = brackets.iter().map(|b| behind(b.value, b.before));
    (low.fold(f64::NEG_INFINITY, f64::max), high.fold(f64::INFINITY, f64::min))
}

/// The number of the requested exchange, the number of the answered one, and the answer.
#[derive(Default)]
pub(crate) struct Desk {
    asked: AtomicU64,
    answered: AtomicU64,
    value: AtomicU64,
}

/// Waits until the number is at least `wanted`; returns false if that takes too long.
fn await_number(number: &AtomicU64, wanted: u64) -> bool {
    (0..PATIENCE).any(|_| {
        let there = number.load(Ordering::Acquire) >= wanted;
        if !there {
            std::hint::spin_loop();
        }
        there
    })
}

/// Asks for this many values, which the other thread must [`answer`], and reads the counter before
/// and after each.
pub(crate) fn ask(desk: &Desk, turns: u64, read: impl Fn() -> u64) -> Vec<Bracket> {
    let mut brackets = Vec::with_capacity(turns as usize);
    for number in 1..=turns {
        let before = read();
        desk.asked.store(number, Ordering::Release);
        if !await_number(&desk.answered, number) {
            break;
        }
        let after = read();
        let value = desk.value.load(Ordering::Relaxed);
        brackets.push(Bracket { before, value, after });
    }
    brackets
}

/// Answers this many requests with a value of the counter.
pub(crate) fn answer(desk: &Desk, turns: u64, read: impl Fn() -> u64) -> Vec<Bracket> {
    for number in 1..=turns {
        if !await_number(&desk.asked, number) {
            break;
        }
        desk.value.store(read(), Ordering::Relaxed);
        desk.answered.store(number, Ordering::Release);
    }
    Vec::new()
}

#[cfg(test)]
mod pairs_tests {
    use super::*;

    #[test]
    fn every_pair_is_compared_where_that_is_possible_and_every_cpu_where_it_is_not() {
        let mut rng = fastrand::Rng::with_seed(2);
        for cpus in [0, 1, 2, 3, 16, 90, 200, 2000, 8192] {
            let all: Vec<usize> = (0..cpus).map(|cpu| cpu * 3).collect();
            let order = PairOrder::new(&all, &mut rng);
            let planned = order.len();
            let distinct: HashSet<[usize; 2]> = order.take(planned).collect();
            assert_eq!(distinct.len(), planned);
            assert!(distinct.iter().all(|[a, b]| a < b));
            assert_eq!(planned as u64, possible(cpus).min(MOST_PAIRS as u64), "{cpus}");
            let visited: HashSet<usize> = distinct.iter().flatten().copied().collect();
            if (2..4000).contains(&cpus) {
                assert_eq!(visited.len(), cpus);
            }
        }
    }

    /// One way takes 50 to 90 ticks, the other 60 to 80. The other CPU is ahead by `ahead`.
    pub(super) fn exchanges(ahead: i64) -> Vec<Bracket> {
        let exchange = |n: u64| {
            let before = 1_000_000 + n * 1000;
            let middle = before + 50 + n * 7 % 41;
            Bracket {
                before,
                value: middle.wrapping_add_signed(ahead),
                after: middle + 60 + n * 3 % 21,
            }
        };
        (0..500).map(exchange).collect()
    }

    #[test]
    fn the_offset_and_its_uncertainty_contain_the_truth() {
        for ahead in [-5000, -100, 0, 30, 4000, -2_000_000] {
            let found = offset(&exchanges(ahead), Some(1), 0.5).expect("an offset");
            let truth = ahead as f64 * 0.5;
            assert!((found.offset_ns - truth).abs() <= found.uncertainty_ns);
            assert!(found.uncertainty_ns <= 30.0 && found.exchanges == 500);
            assert!((found.uncertainty_ns - found.round_trip_ns / 2.0).abs() < 1e-9);
            assert_eq!(found.differs(), ahead.abs() > 60, "{ahead}: {found:?}");
        }
        assert!(offset(&[], None, 1.0).is_none());
        let back = Bracket { before: 10, value: 12, after: 9 };
        assert!(offset(&[back], None, 1.0).is_none());
    }

    #[test]
    fn a_pair_keeps_its_tightest_offset_for_each_home_and_a_reason_if_it_never_played() {
        let mut pairs = Pairs::default();
        let seen = |ahead| Ok(Compared { brackets: exchanges(ahead), ..Compared::default() });
        pairs.add([0, 1], Some(0), seen(4), 1.0);
        pairs.add([0, 1], Some(1), seen(4), 1.0);
        pairs.add([0, 1], Some(0), seen(4), 1.0);
        pairs.add([0, 2], None, Err("it is offline".into()), 1.0);
        let matrix = pairs.matrix("counter", 3, 3);
        assert_eq!(matrix.pairs[0].offsets.len(), 2);
        assert_eq!(matrix.pairs[0].offsets[0].exchanges, 1000);
        let why = matrix.left_out.expect("a reason");
        assert!(why.contains("1 of 3") && why.contains("offline"), "{why}");
        assert!(Pairs::default().matrix("c", 1, 0).left_out.is_some());
    }
}

#[cfg(test)]
mod across_tests {
    use super::pairs_tests::exchanges;
    use super::*;

    #[test]
    fn the_bounds_contain_the_true_difference_and_exclude_zero_if_it_is_large() {
        for ahead in [-5000, -100, 0, 30, 4000, -2_000_000] {
            let (low, high) = bounds(&exchanges(ahead));
            let true_value = ahead as f64;
            assert!(low <= true_value && true_value <= high, "{ahead}: {low} to {high}");
            assert!(high - low <= 112.0, "{low} to {high}");
            assert_eq!(low <= 0.0 && high >= 0.0, ahead.abs() < 60, "{ahead}: {low} to {high}");
        }
    }

    #[test]
    fn without_a_second_cpu_there_is_a_reason() {
        let found = measure_across(3, &[3], Duration::from_millis(1), 1e9);
        assert!(found.in_step().is_none() && found.left_out.is_some());
        // A CPU that does not exist.
        let found = measure_across(0, &[0, 60_000], Duration::from_millis(1), 1e9);
        assert!(found.in_step().is_none(), "{found:?}");
        assert!(found.left_out.is_some_and(|why| why.contains("CPU 60000")));
    }
}
