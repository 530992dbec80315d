//! What the tests of a clock's order mean, in a few words, next to what the manuals promise.

use crate::reading::{promised, short};
use chronoscope_model::clock::Clock;
use chronoscope_model::environment::Environment;
use chronoscope_model::ordering::Ordering;

/// Adds the promise and the result to the clock's tests; does nothing if there were no tests.
pub(crate) fn describe(clock: &mut Clock, env: &Environment) {
    let promised = promised(clock, env);
    if let Some(ordering) = &mut clock.ordering {
        ordering.promised = promised;
        ordering.text = text(ordering, promised);
    }
}

fn text(ordering: &Ordering, promised: Option<bool>) -> String {
    let mut seen = Vec::new();
    if let Some(ns) = ordering.early() {
        seen.push(format!("{} early", short(rounded(ns))));
    }
    if let Some(handed) = ordering.backwards() {
        seen.push(format!(
            "1 in {} hand-overs backwards, up to {}",
            handed.one_in(),
            short(rounded(handed.worst_ns))
        ));
    }
    let broken = promised == Some(true) && !seen.is_empty();
    if let Some(ns) = ordering.overtaken() {
        seen.push(format!("later work {} ahead of it", short(rounded(ns))));
    }
    let result = match (seen.is_empty(), promised) {
        (true, _) if !ordering.was_tested() => "not tested".into(),
        (true, Some(true)) => "ordered, as promised".into(),
        (true, Some(false)) => "ordered in every test, not promised".into(),
        (true, None) => "ordered in every test".into(),
        (false, _) => seen.join("; "),
    };
    if broken { result + "; against the promise" } else { result }
}

/// By how much a read of the clock can be early, in nanoseconds with two digits: the worst of all
/// tests of its order. `None` if no test showed that.
pub(crate) fn early(clock: &Clock) -> Option<f64> {
    let ordering = clock.ordering.as_ref()?;
    let backwards = ordering.backwards().map(|handed| handed.worst_ns);
    ordering.early().into_iter().chain(backwards).max_by(f64::total_cmp).map(rounded)
}

/// Two digits: such a figure is as long as the work before the read happened to take.
fn rounded(ns: f64) -> f64 {
    let unit = 10f64.powf(ns.abs().log10().floor() - 1.0);
    if unit.is_finite() && unit > 0.0 { (ns / unit).round() * unit } else { ns }
}
