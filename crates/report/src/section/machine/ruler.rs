//! What is known of the ruler.

use super::brief::worth;
use super::figures::{bound, exact_hz, round_hz};
use super::known::{Data, Known};
use super::terms;
use crate::block::Value;
use crate::number::{percent, short, three};
use chronoscope_model::{Ruler, units};

/// The system's clock was calibrated against itself, which shows nothing.
const UNCHECKED: &str = "unknown: there is no independent check of the system's clock";

pub(super) fn known(ruler: &Ruler) -> Vec<Known> {
    let text = |name: &'static str, text: &str| {
        Known::new(name, &terms::RULER, text, vec![Data::text(name, text)])
    };
    let figure = |name: &'static str, term, value: f64, unit, words: String| {
        Known::new(name, term, words, vec![Data::number(name, Some(value), unit)])
    };
    let about = &terms::RULER;
    let (hz, error) = (ruler.hz, ruler.hz_error_ppm);
    let cost = format!("{} ns", three(ruler.cost_ns));
    let mut all = vec![
        text("reads", &ruler.id),
        figure("its rate", about, hz, "Hz", exact_hz(hz, Some(error))),
        match ruler.is_counter {
            true => figure("error of its rate", about, error, "ppm", bound(error)),
            false => Known::new("error of its rate", about, UNCHECKED, Vec::new()),
        },
        text("calibrated against", &ruler.reference),
        compared(ruler),
        figure("cost", about, ruler.cost_ns, "ns", cost),
        figure("its tick", about, ruler.tick_ns, "ns", short(ruler.tick_ns)),
    ];
    if let Some(cpu) = ruler.cpu {
        let data = vec![Data::new("pinned to", Value::Count(cpu as u64), "")];
        all.push(Known::new("pinned to", about, format!("CPU {cpu}"), data));
    }
    if let Some(ms) = ruler.noise.run_queue_ms {
        let name = "waited for its CPU";
        all.push(figure(name, &terms::NOISE, ms, "ms", units::human_ns(ms * 1e6)));
    }
    if let Some(share) = ruler.noise.shared {
        let shown = percent(share);
        all.push(figure("core, shared", &terms::CORE, share, "", shown));
    }
    if let Some(core) = ruler.noise.core {
        let figures = [("core", core.hz), ("core, low", core.low_hz), ("core, high", core.high_hz)];
        all.extend(figures.map(|(name, hz)| figure(name, &terms::CORE, hz, "Hz", round_hz(hz))));
    }
    all
}

/// Whether the reference could have shown a wrong rate.
fn compared(ruler: &Ruler) -> Known {
    let (words, data) = match &ruler.compared {
        Some(found) => {
            let words = format!("{}: {}", worth(found), found.why);
            let data = vec![
                Data::text("comparison", found.standing.name()),
                Data::text("comparison: with", &found.with),
                Data::number("comparison: difference", found.difference_ppm, "ppm"),
                Data::text("comparison: why", &found.why),
            ];
            (words, data)
        }
        None => ("unknown (this report was not judged)".into(), Vec::new()),
    };
    Known::new("comparison", &terms::COMPARISON, words, data)
}
