//! Whether the processor's counter agrees on several CPUs. One test brackets a value of one CPU
//! between two values of another; the other hands values back and forth. All reads are fenced on
//! both sides, so only the counters themselves can be out of step.

use crate::engine::order::between;
use chronoscope::counter;
use chronoscope_model::environment::Environment;
use chronoscope_model::ordering::{AcrossCpus, Handed, Pair};
use chronoscope_probes::order::Turns;
use chronoscope_probes::time::Instant;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The turns of one game of hand-overs, and the exchanges of one round.
const TURNS: u64 = 2000;
/// The turns of the first round: on a busy machine each turn can take as long as a time slice.
const FIRST_TURNS: u64 = 120;
/// The most CPUs that one CPU is compared with: those furthest from it by number.
const MOST: usize = 16;
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
pub fn measure(cpu: usize, others: &[usize], budget: Duration, hz: f64) -> AcrossCpus {
    let mut chosen: Vec<usize> = others.iter().copied().filter(|other| *other != cpu).collect();
    chosen.sort_by_key(|other| std::cmp::Reverse(other.abs_diff(cpu)));
    let all = chosen.len();
    chosen.truncate(MOST);
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

fn pair(cpus: [usize; 2], share: Duration, tick_ns: f64) -> Result<Pair, String> {
    let mut found = Pair {
        handed: Handed { cpus, ..Handed::default() },
        low_ns: f64::NEG_INFINITY,
        high_ns: f64::INFINITY,
        ..Pair::default()
    };
    let began = Instant::now();
    let mut turns = FIRST_TURNS;
    loop {
        let player = |me| move |table: &Turns| table.play(me, turns, counter::start);
        for seen in between(cpus[1], player(0), player(1))? {
            found.handed.turns += seen.turns;
            found.handed.backwards += seen.backwards;
            found.handed.worst_ns = found.handed.worst_ns.max(seen.worst as f64 * tick_ns);
        }
        let [brackets, _] = between(
            cpus[1],
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

/// A value of the other CPU between two values of this one, in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bracket {
    pub before: u64,
    pub there: u64,
    pub after: u64,
}

/// Returns by how many ticks the other CPU is ahead, at least and at most. If it is ahead by `d`,
/// each of its values less `d` lies between the two values of this CPU (as in RFC 5905, section 8,
/// on one machine).
fn bounds(brackets: &[Bracket]) -> (f64, f64) {
    let behind = |a: u64, b: u64| a.wrapping_sub(b).cast_signed() as f64;
    let low = brackets.iter().map(|b| behind(b.there, b.after));
    let high = brackets.iter().map(|b| behind(b.there, b.before));
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
        let there = desk.value.load(Ordering::Relaxed);
        brackets.push(Bracket { before, there, after });
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
mod tests {
    use super::*;

    #[test]
    fn the_bounds_contain_the_true_difference_and_exclude_zero_if_it_is_large() {
        // One way takes 50 to 90 ticks, the other 60 to 80. The other CPU is ahead by `ahead`.
        let brackets = |ahead: i64| -> Vec<Bracket> {
            let bracket = |n: u64| {
                let before = 1_000_000 + n * 1000;
                let middle = before + 50 + n * 7 % 41;
                Bracket {
                    before,
                    there: middle.wrapping_add_signed(ahead),
                    after: middle + 60 + n * 3 % 21,
                }
            };
            (0..500).map(bracket).collect()
        };
        for ahead in [-5000, -100, 0, 30, 4000, -2_000_000] {
            let (low, high) = bounds(&brackets(ahead));
            let true_value = ahead as f64;
            assert!(low <= true_value && true_value <= high, "{ahead}: {low} to {high}");
            assert!(high - low <= 112.0, "{low} to {high}");
            assert_eq!(low <= 0.0 && high >= 0.0, ahead.abs() < 60, "{ahead}: {low} to {high}");
        }
    }

    #[test]
    fn without_a_second_cpu_there_is_a_reason() {
        let found = measure(3, &[3], Duration::from_millis(1), 1e9);
        assert!(found.in_step().is_none() && found.left_out.is_some());
        // A CPU that does not exist.
        let found = measure(0, &[0, 60_000], Duration::from_millis(1), 1e9);
        assert!(found.in_step().is_none(), "{found:?}");
        assert!(found.left_out.is_some_and(|why| why.contains("CPU 60000")));
    }
}
