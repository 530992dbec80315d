//! What a read of a few clocks costs, at a glance: a few milliseconds on whichever CPU the thread
//! is on, without a calibration of its own. The ruler's rate is that of these milliseconds.

use crate::engine::rounds::{self, Plan};
use crate::engine::schedule::GLANCE;
use crate::engine::{Machine, Mode, Offer, Ruler, Timed};
use crate::run::measurement::{Error, Measurement, Setting};
use crate::run::session;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Cost};
use chronoscope_probes::clocks::Entry;
use std::time::Duration;

pub struct Request {
    pub entries: Vec<&'static Entry>,
}

impl Measurement for Request {
    /// A clock that cannot be read is left out.
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        report.run.quick = true;
        let offers: Vec<Offer> =
            self.entries.iter().filter_map(|entry| Offer::clock(entry).ok()).collect();
        let subjects: Vec<usize> = (0..offers.len()).collect();
        let mut ruler = Ruler::new(session::distrust(&report.environment), Duration::ZERO);
        report.notes.append(&mut ruler.notes);
        let mut machine = Machine::new(ruler, offers, setting.interrupt.clone());
        let specs = machine.specs();
        // The time is for rounds; there is none for more of them, however precise they are.
        let plan = Plan { min_rounds: u32::MAX, ..Plan::within(GLANCE.time) };
        let modes = [Mode::Throughput];
        let seed = setting.seed;
        let outcome = rounds::run(&mut machine, &specs, &subjects, &modes, plan, seed, |_| ());
        let rate = machine.rate();
        report.clocks.extend(subjects.iter().map(|&subject| {
            let throughput = outcome.estimate(&specs, subject, Mode::Throughput, rate);
            Clock { cost: Cost { throughput, ..Cost::default() }, ..specs[subject].row.clone() }
        }));
        let cost_ns = outcome.ruler_ticks * 1e9 / rate.hz;
        report.ruler = Some(machine.ruler().report(cost_ns, None, outcome.noise(rate)));
        Ok(())
    }
}
