//! Exchanges through simulated networks with clocks whose truth is known, as the tool makes them.

use chronoscope_measure::against::region::Exchange;
use chronoscope_measure::against::sources::Source;
use chronoscope_probes::machine::arrival::{Moment, arrived};

pub const SECOND: i64 = 1_000_000_000;
pub const MINUTE: i64 = 60 * SECOND;
/// 2023, in nanoseconds since 1970.
pub const UTC: i64 = 1_700_000_000 * SECOND;

/// A clock that runs by so many parts per billion fast against the counter.
#[derive(Clone, Copy)]
pub struct Truth {
    pub ahead: i64,
    pub ppb: i64,
}

impl Truth {
    pub fn ahead_at(self, counter: i64) -> i64 {
        self.ahead + (i128::from(counter) * i128::from(self.ppb)).div_euclid(1_000_000_000) as i64
    }

    pub fn at(self, counter: i64) -> i64 {
        counter + self.ahead_at(counter)
    }
}

/// A delay with a floor and an exponential tail.
pub fn delay(rng: &mut fastrand::Rng, least: i64, mean: f64) -> i64 {
    least + (-(1.0 - rng.f64()).ln() * mean) as i64
}

/// An exchange at this time through a network that is slower one way than the other.
pub fn exchange(truth: Truth, sent: i64, rng: &mut fastrand::Rng, error: i64) -> Exchange {
    let arrives = sent + delay(rng, 100_000, 300_000.0);
    let answers = arrives + delay(rng, 5_000, 20_000.0);
    let received = answers + delay(rng, 2_000_000, 1_200_000.0);
    Exchange {
        sent,
        received,
        latest: truth.at(arrives) + error,
        earliest: truth.at(answers) - error,
    }
}

/// When the program believes that an answer arrived which it read late, by the kernel's stamp, and
/// when it had read it. The wall clock is slewed by up to a tenth, and in one of four exchanges it
/// is set meanwhile, sometimes by less than a read shows.
pub fn read_late(one: &Exchange, rng: &mut fastrand::Rng) -> [i64; 2] {
    let read = one.received + delay(rng, 5_000, 500_000.0);
    let (slew, set) = (rng.i64(-100_000..100_000), rng.i64(one.sent - 20_000..read + 20_000));
    let by = [rng.i64(-300..300), rng.i64(-SECOND..SECOND), rng.i64(-50_000..50_000), 0];
    let by = *by.get(rng.usize(0..12)).unwrap_or(&0);
    let timers = |at: i64| at + at / 1_000_000 * slew + at % 1_000_000 * slew / 1_000_000;
    let wall = |at: i64| UTC + timers(at) + if at >= set { by } else { 0 };
    let mut moment = |at: i64| {
        let end = at + delay(rng, 60, 200.0);
        let timers = [timers(at), timers(end)];
        Moment { timers, wall: wall(rng.i64(at..=end)), raw: end + rng.i64(0..100) }
    };
    let (before, after) = (moment(one.sent - 10_000), moment(read + 300));
    let stamp = wall(one.received + delay(rng, 0, 2_000.0));
    let arrival = arrived(stamp, &before, &after).map(|it| it.raw);
    [arrival.filter(|it| (one.sent..read).contains(it)).unwrap_or(read), read]
}

pub fn holds(interval: [i64; 2], value: i64) -> bool {
    (interval[0]..=interval[1]).contains(&value)
}

/// The exchanges of a server that is asked as the tool asks, for so many seconds.
pub fn of_the_tool(truth: Truth, seconds: i64, rng: &mut fastrand::Rng) -> Vec<Exchange> {
    let (source, mut sent, mut all) = (Source::Ntp("a".into(), 123), SECOND, Vec::new());
    while sent < seconds * SECOND {
        all.push(exchange(truth, sent, rng, 50_000));
        sent += source.pause(all.len() as u64, true).as_nanos() as i64;
    }
    all
}
