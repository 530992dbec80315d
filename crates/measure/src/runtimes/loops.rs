//! `calls` and `overhead` of a clock of a runtime. Its probe makes the calls and runs the loops; to
//! the engine, it is a host like any other.

use super::host::Joined;
use super::probe::Probe;
use super::series::clock_of;
use super::{Wanted, reference};
use crate::clocks::disturbance::Conditions;
use crate::engine::{RulerKind, schedule};
use crate::loops::{measure_calls, measure_overhead, negative};
use crate::run::{Error, Measurement, Progress, Setting};
use chronoscope_model::Report;
use chronoscope_model::loops::{Calls, Overhead};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_probes::clocks::Unit;
use chronoscope_probes::time::Instant;
use std::time::Duration;

/// Loops of one clock of a runtime.
pub struct Loops {
    /// The runtime, and its build if it has several.
    pub wanted: Wanted,
    /// The clock's id within the runtime.
    pub clock: String,
    pub of: Loop,
    /// The loads to repeat them under. The probe has no priority: it is a process of its own.
    pub disturbance: Disturbance,
}

#[derive(Clone, Copy)]
pub enum Loop {
    /// A million calls, ten, and one.
    Calls,
    /// Sums, with and without timing: samples, iterations per sample, integers per sum.
    Around([u64; 3]),
}

/// Why there are no figures.
const OUT_OF_TIME: &str = "the --budget was used up before the process was ready";
/// The most of a budget that the first process may take to become ready.
const WARM: f64 = 0.4;

impl Measurement for Loops {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let interrupt = setting.interrupt.clone();
        let stop = || interrupt.is_set();
        let Some((candidate, ready)) = self.wanted.ready(&stop)? else { return Ok(()) };
        let id = candidate.id;
        let failed = |why: String| Error::Nothing(format!("{id}: {why}"));
        let probe = Probe::start(&mut ready.command(), RulerKind::System, &stop);
        let mut probe = probe.map_err(failed)?;
        probe.end();
        let clock = clock_of(&id, &self.clock, &probe.hello)?;
        let mut hello = probe.hello.clone();
        // The others need not be warm.
        hello.clocks = vec![clock.clone()];
        let conditions = Conditions::new(&self.disturbance, setting)?;
        let mut session = setting.session(&report.environment, &reference())?;
        let all = 1 + conditions.loads();
        let longest = setting.left().map(|left| left / all);
        setting.budget.into_iter().for_each(|time| (setting.progress)(Progress::Time(time)));
        let (mut calls, mut overhead, mut reason) = (Vec::new(), Vec::new(), None);
        let mut done = 0.0;
        conditions.each(&mut session, report, |session, load| {
            let (began, seed) = (Instant::now(), setting.seed);
            let mut host = Joined::new(&mut session.machine, seed);
            host.add(id.clone(), ready.clone(), hello.clone(), candidate.runtime.compiled);
            host.first_start(longest.map_or(Duration::MAX, |time| time.mul_f64(WARM)), |_| ());
            let longest = longest.map(|longest| longest.saturating_sub(began.elapsed()));
            let (mut specs, subject) = (host.specs(), host.subject(0, 0));
            specs[subject].nominal_ns = clock.claimed_ns;
            // Of spans, see `Joined`.
            specs[subject].unit = Unit::Hz(1e12);
            let mut progress = |phase, part| {
                (setting.progress)(Progress::Phase(phase, (done + part) / f64::from(all)));
            };
            match self.of {
                Loop::Calls => {
                    let phase = |part| progress("calls", part);
                    let made = measure_calls(&mut host, &specs, subject, longest, phase);
                    calls.extend(made.map(|made| Calls { load, ..made }));
                }
                Loop::Around(shape) => {
                    host.warm_up_around(subject, shape[2]);
                    let longest = longest.unwrap_or(schedule::OVERHEAD.time);
                    let phase = |part| progress("overhead", part);
                    let made =
                        measure_overhead(&mut host, &specs, subject, shape, longest, seed, phase);
                    overhead.extend(made.map(|made| Overhead { load, ..made }));
                }
            }
            done += 1.0;
            reason = reason.take().or(host.slots.swap_remove(0).reason);
        })?;
        let nothing = calls.is_empty() && overhead.is_empty();
        let reason = reason.or(nothing.then(|| OUT_OF_TIME.into()));
        if let Some(why) = reason.filter(|_| !stop()) {
            return Err(failed(why));
        }
        report.notes.extend(overhead.first().and_then(negative));
        report.calls.append(&mut calls);
        report.overhead.append(&mut overhead);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::batch::Values;
    use crate::engine::{Interrupt, Machine, Ruler};
    use crate::runtimes::for_each_installed;

    #[test]
    fn every_probe_calls_each_clock_and_times_sums_with_it() {
        for_each_installed(|runtime, ready, probe| {
            let ruler = Ruler::new(None, Duration::from_millis(5));
            let mut machine = Machine::new(ruler, Vec::new(), Interrupt::default());
            let mut host = Joined::new(&mut machine, 1);
            host.add(runtime.id.into(), ready, probe.hello.clone(), true);
            host.first_start(Duration::from_millis(1), |_| ());
            let clocks = probe.hello.clocks.len();
            let spans: Vec<u64> =
                (0..clocks).map(|at| host.span(host.subject(0, at), 25_000)).collect();
            let baseline = host.specs()[host.subject(0, 0)].baseline;
            let sums = vec![0; 200];
            for at in 0..clocks {
                let timed = host.around(host.subject(0, at), 500, &sums);
                let plain = host.around(baseline, 500, &sums);
                let why = host.slots[0].reason.as_ref();
                assert!(timed > 0 && plain > 0 && why.is_none(), "{} {at}: {why:?}", runtime.id);
            }
            // No read takes 20 ns less than nothing, and none a millisecond.
            assert!(
                spans.iter().all(|ps| *ps < 25_000 * 1_000_000_000),
                "{}: {spans:?}",
                runtime.id
            );
            assert!(spans.iter().any(|ps| *ps > 0), "{}: {spans:?}", runtime.id);
        });
    }
}
