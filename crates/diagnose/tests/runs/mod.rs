//! Reports of invented runs, whose true costs are known.

// Each test crate that includes this module uses its own part of it.
#![allow(dead_code)]

use chronoscope_model::clock::{BuiltOn, Clock, Cost, Facts, Reads};
use chronoscope_model::run::{Core, Noise};
use chronoscope_model::{Estimate, Report, Ruler};

/// The usual frequency of the core.
pub const HZ: f64 = 4e9;

/// A cost whose interval extends by this share to either side.
pub fn cost(ns: f64, half: f64) -> Estimate {
    Estimate {
        value_ns: ns,
        low_ns: ns * (1.0 - half),
        high_ns: ns * (1.0 + half),
        core_cycles: Some(ns * HZ / 1e9),
        processes: Some(8),
        ..Estimate::default()
    }
}

/// A clock that reads through the vDSO, or what else `reads` says.
pub fn clock(id: &str, reads: Reads, read: Estimate) -> Clock {
    let built_on = match reads {
        Reads::Counter => BuiltOn::Counter,
        _ => BuiltOn::ClockSource,
    };
    Clock {
        id: id.into(),
        available: true,
        facts: Some(Facts { reads, built_on, ..Facts::default() }),
        cost: Cost { throughput: Some(read), ..Cost::default() },
        ..Clock::default()
    }
}

/// A report of these clocks, from a calm core.
pub fn report(clocks: Vec<Clock>) -> Report {
    let core = Core { hz: HZ, low_hz: HZ, high_hz: HZ, elsewhere: 0.0 };
    let noise = Noise { core: Some(core), ..Noise::default() };
    let ruler = Some(Ruler { noise, ..Ruler::default() });
    Report { clocks, ruler, ..Report::default() }
}

/// A machine of which runs are made: what they measure, and by how much they are off.
#[derive(Clone, Copy)]
pub struct Machine {
    /// The clocks of the vDSO. Their costs go from 20 to 60 ns.
    pub rows: usize,
    /// The counter's reads, which cost 10 ns.
    pub counters: usize,
    /// The standard error of each cost in a run, as a share. Its interval says so.
    pub error: f64,
    /// The standard deviation of the core's frequency between runs, as a share. Intervals of
    /// nanoseconds say so.
    pub drift: f64,
    /// The standard deviation of the gauge of the frequency, as a share. Nothing says so.
    pub gauge: f64,
    /// By how much all costs are higher in half of the runs, as a share. Nothing says so.
    pub states: f64,
}

pub const STEADY: Machine =
    Machine { rows: 100, counters: 0, error: 0.02, drift: 0.0, gauge: 0.0, states: 0.0 };

impl Machine {
    /// A run in which the first clocks cost more by their share of `change`.
    pub fn run(&self, rng: &mut fastrand::Rng, change: &[f64]) -> Report {
        let drift = self.drift * normal(rng);
        let gauge = self.gauge * normal(rng);
        let state = if rng.bool() { self.states } else { 0.0 };
        let half = 1.96 * self.error.hypot(self.drift);
        let mut of = |true_ns: f64, change: f64| {
            let own = (1.0 + change) * (1.0 + state) * (1.0 + self.error * normal(rng));
            let cycles = true_ns * own * (1.0 + gauge) * HZ / 1e9;
            let ns = true_ns * own * (1.0 + drift);
            Estimate { core_cycles: Some(cycles), ..cost(ns, half) }
        };
        let counters = (0..self.counters)
            .map(|at| clock(&format!("x86/{at}"), Reads::Counter, of(10.0, 0.0)))
            .collect::<Vec<_>>();
        let rows = (0..self.rows).map(|at| {
            let true_ns = 20.0 + 40.0 * at as f64 / self.rows as f64;
            let read = of(true_ns, change.get(at).copied().unwrap_or(0.0));
            clock(&format!("posix/{at}"), Reads::Vdso, read)
        });
        let rows: Vec<_> = rows.collect();
        report(counters.into_iter().chain(rows).collect())
    }
}

/// A standard normal value (Box and Muller 1958).
fn normal(rng: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.f64()).cos()
}
