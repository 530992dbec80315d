//! The counter's tick is longer than a read.

use super::{Fault, Need};
use crate::reading::ns;
use chronoscope_model::{Certainty, Level};

/// A tick of 10 ns, which is about what a read costs.
const COARSE_HZ: f64 = 100e6;

pub(super) const FAULT: Fault = Fault {
    id: "coarse-counter",
    title: "The processor's counter has a long tick",
    about: "Arm's counter runs at 24 to 54 MHz on many machines (from Armv8.6 on at 1 GHz), so two \
            reads in a row often return the same value, and nothing shorter than a tick of 18 to \
            42 ns can be measured with a single pair.",
    fix: "Measure repetitions and divide, and give no more digits than the tick supports. Nothing \
          can be changed about it.",
    reference: "Arm ARM, The system counter: CNTFRQ_EL0",
    certainty: Certainty::Evidence,
    looks_at: "CNTFRQ, the device tree, the kernel log",
    needs: &[Need::Arm, Need::CounterRate],
    minor: true,
    look: |report, fault| {
        let rates = &report.environment.counter.as_ref()?.rates;
        let known = rates.iter().filter_map(|rate| Some((rate, rate.hz?)));
        let (rate, hz) = known.into_iter().find(|(_, hz)| hz.is_finite() && *hz > 0.0)?;
        if hz >= COARSE_HZ {
            return None;
        }
        let tick = ns(1e9 / hz);
        let evidence = vec![format!("{}: {hz:.0} Hz, a tick of {tick}", rate.source)];
        fault.found(Level::Info, Certainty::Evidence, evidence)
    },
};
