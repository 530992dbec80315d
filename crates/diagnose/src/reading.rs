//! Questions that verdicts, faults and advice all ask of a report.

use chronoscope_model::clock::{Clock, Grade};
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::{Report, units};

/// What a read costs when many follow each other, in nanoseconds; where that was not measured,
/// what one costs that is ordered after the one before.
pub(crate) fn cost(clock: &Clock) -> Option<f64> {
    let cost = &clock.cost;
    let estimate = cost.throughput.as_ref().or(cost.latency.as_ref())?;
    let value = if estimate.below_resolution {
        estimate.high_ns
    } else {
        estimate.value_ns
    };
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// What a read costs that is ordered after the one before, in nanoseconds; where that was not
/// measured, its throughput.
pub(crate) fn latency(clock: &Clock) -> Option<f64> {
    let estimate = clock.cost.latency.as_ref();
    estimate
        .map(|e| e.value_ns)
        .filter(|ns| ns.is_finite() && *ns >= 0.0)
        .or_else(|| cost(clock))
}

/// The step in nanoseconds by which the clock moves, as it was seen; where none was seen, as the
/// interface says.
///
/// A coarse clock moves by the timer's tick, and while NTP slews it no two of its steps are
/// alike: their greatest common divisor is then a nanosecond, which it never shows. So where the
/// smallest difference seen is many times what a read costs, that is the step.
pub(crate) fn tick(clock: &Clock) -> Option<f64> {
    clock.resolution.as_ref()?.known_step_ns()
}

/// The clock of this name, where it could be read.
pub(crate) fn available<'a>(report: &'a Report, id: &str) -> Option<&'a Clock> {
    report.clocks.iter().find(|c| c.available && c.id == id)
}

/// Whether nothing was seen that forbids the clock.
pub(crate) fn usable(clock: &Clock) -> bool {
    clock.available
        && cost(clock).is_some()
        && clock
            .verdict
            .as_ref()
            .is_none_or(|v| v.grade != Grade::Avoid)
}

/// The kernel's clock source, where it is known.
pub(crate) fn source(env: &Environment) -> Option<&str> {
    env.clocksource.as_ref().map(|c| c.current.trim())
}

/// Whether the kernel would count by the TSC, or hands it on to guests: `tsc` is among its
/// sources, or it runs a paravirtual clock that is computed from it.
pub(crate) fn kernel_trusts_tsc(env: &Environment) -> bool {
    match &env.clocksource {
        None => true,
        Some(cs) => cs
            .available
            .iter()
            .chain(std::iter::once(&cs.current))
            .any(|s| {
                matches!(
                    s.trim(),
                    "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"
                )
            }),
    }
}

/// Why the time-stamp counter must not be read as a clock, or nothing.
pub(crate) fn tsc_objection(env: &Environment) -> Option<String> {
    if let Some(what) = &env.emulated {
        return Some(format!("the processor is emulated ({what})"));
    }
    let tsc = env.tsc.as_ref()?;
    match tsc.kind {
        TscKind::None => Some("there is no TSC".into()),
        TscKind::Variant => Some("the TSC follows the core's frequency".into()),
        TscKind::Constant => Some("the TSC may stop in deep idle".into()),
        TscKind::Invariant if tsc.permitted == Some(false) => {
            Some("this process may not read the TSC".into())
        }
        TscKind::Invariant if !kernel_trusts_tsc(env) => Some(format!(
            "the kernel has no tsc among its clock sources and uses {}",
            source(env).unwrap_or("another")
        )),
        TscKind::Invariant => None,
    }
}

/// `18.0 ns`
pub(crate) fn ns(value: f64) -> String {
    units::human_ns(value)
}

/// `4 ms`: a duration without zeros that say nothing.
pub(crate) fn short(value: f64) -> String {
    let text = if value.abs() < 1.0 {
        // Three significant digits below a nanosecond.
        let places = (2.0 - value.abs().max(1e-6).log10().floor()) as usize;
        format!("{value:.places$} ns")
    } else {
        units::human_ns(value)
    };
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number} {unit}")
        }
        _ => text,
    }
}
