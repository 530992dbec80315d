//! What is known about the ruler.

use super::brief::worth;
use super::figures::{bound, exact_hz, round_hz};
use super::known::Known;
use crate::block::Value;
use crate::number::{percent, short, three};
use chronoscope_model::between::Between;
use chronoscope_model::{Ruler, units};

/// The system's clock was calibrated against itself, which shows nothing.
const UNCHECKED: &str = "unknown: there is no independent check of the system's clock";

pub(super) fn known(ruler: &Ruler, between: Option<&Between>) -> Vec<Known> {
    let text = |name: &'static str, text: &str| Known::new(name, text).text(name, text);
    let figure = |name: &'static str, value: f64, unit, words: String| {
        Known::new(name, words).number(name, value, unit)
    };
    let (hz, error) = (ruler.hz, ruler.hz_error_ppm);
    let mut all = vec![
        text("reads", &ruler.id),
        figure("its rate", hz, "Hz", exact_hz(hz, Some(error))),
        match ruler.is_counter {
            true => figure("error of its rate", error, "ppm", bound(error)),
            false => Known::new("error of its rate", UNCHECKED),
        },
        text("calibrated against", &ruler.reference),
        compared(ruler),
        figure("cost", ruler.cost_ns, "ns", format!("{} ns", three(ruler.cost_ns))),
        figure("its tick", ruler.tick_ns, "ns", short(ruler.tick_ns)),
    ];
    let noise = &ruler.noise;
    all.extend(ruler.cpu.map(|cpu| {
        let value = Some(Value::Count(cpu as u64));
        Known::new("pinned to", format!("CPU {cpu}")).value("pinned to", value, "")
    }));
    let waited = |ms: f64| figure("waited for its CPU", ms, "ms", units::human_ns(ms * 1e6));
    all.extend(noise.run_queue_ms.map(waited));
    all.extend(noise.shared.map(|share| figure("core, shared", share, "", percent(share))));
    if let Some(core) = noise.core {
        let figures = [("core", core.hz), ("core, low", core.low_hz), ("core, high", core.high_hz)];
        all.extend(figures.map(|(name, hz)| figure(name, hz, "Hz", round_hz(hz))));
    }
    all.extend(between.map(|it| text("runs differ", &it.text())));
    all
}

/// Whether the reference could have shown a wrong rate.
fn compared(ruler: &Ruler) -> Known {
    let Some(found) = &ruler.compared else {
        return Known::new("comparison", "unknown (this report was not judged)");
    };
    Known::new("comparison", format!("{}: {}", worth(found), found.why))
        .text("comparison", found.standing.name())
        .text("comparison: with", &found.with)
        .number("comparison: difference", found.difference_ppm, "ppm")
        .text("comparison: why", &found.why)
}
