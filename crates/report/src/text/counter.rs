//! The counter that time is kept by, and its rate by every source.

use super::facts::{bound, fact, known, ppm, unknown, yes};
use super::number::{place, rounded};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use chronoscope_model::environment::{Environment, Rate, TscKind};
use chronoscope_model::units;

/// What is known of it.
pub(super) fn render(screen: &mut Screen<'_>, env: &Environment, style: &Style) {
    if let Some(tsc) = &env.tsc {
        screen.heading("Time-stamp counter", "");
        let (tone, kind) = match tsc.kind {
            TscKind::None => (Tone::Warn, "none"),
            TscKind::Variant => (Tone::Warn, "variant: its rate follows the core's frequency"),
            TscKind::Constant => (
                Tone::Warn,
                "constant: one rate, but it may stop in deep idle",
            ),
            TscKind::Invariant => (Tone::Good, "invariant: one rate in every state of power"),
        };
        screen.facts(&[
            fact("kind", style.paint(tone, kind)),
            fact(
                "evidence",
                known(Some(tsc.evidence.as_str()), env, &["tsc"]),
            ),
            fact("RDTSCP", yes(tsc.rdtscp)),
            fact("TSC_ADJUST", yes(tsc.tsc_adjust)),
            fact("TSC deadline", yes(tsc.deadline)),
            fact(
                "may be read",
                match tsc.permitted {
                    Some(permitted) => yes(permitted),
                    None => unknown(env, &["permission", "tsc"]),
                },
            ),
        ]);
        rates(screen, &tsc.rates, style);
    }
    if let Some(counter) = &env.counter {
        screen.heading("Generic timer's counter", "");
        let errata = match counter.errata.is_empty() {
            true => "none known for this processor".into(),
            false => counter
                .errata
                .iter()
                .map(|e| clean(e))
                .collect::<Vec<_>>()
                .join("; "),
        };
        screen.facts(&[fact("errata", errata)]);
        rates(screen, &counter.rates, style);
    }
    if env.tsc.is_none() && env.counter.is_none() {
        screen.heading("Counter", "");
        screen.facts(&[fact("counter", unknown(env, &["tsc", "counter"]))]);
    }
}

/// Every source's rate, with its difference from the one that was measured; where none was
/// measured, from the first that is known.
fn rates(screen: &mut Screen<'_>, rates: &[Rate], style: &Style) {
    if rates.is_empty() {
        screen.facts(&[fact("rate", "unknown (no source tells it)")]);
        return;
    }
    let finite = |r: &&Rate| r.hz.is_some_and(|hz| hz.is_finite() && hz > 0.0);
    let measured = rates
        .iter()
        .filter(finite)
        .find(|r| r.source.contains("measured"));
    let reference = measured.or_else(|| rates.iter().find(finite));
    let base = reference.and_then(|r| r.hz);
    screen.gap();
    let head = match (measured, reference) {
        (Some(_), _) => "against\nmeasured".to_owned(),
        (None, Some(r)) => format!("against\n{}", style.cut(&clean(&r.source), 16)),
        (None, None) => "\ndifference".to_owned(),
    };
    let mut table = Table::new(vec![
        Column::new("\nrate by", Align::Left).giving_way(12),
        Column::new("\nHz", Align::Right),
        Column::new(&head, Align::Right),
        Column::new("\nhow", Align::Left).giving_way(16),
    ]);
    for rate in rates {
        let difference = match (rate.hz, base, reference) {
            (_, _, Some(r)) if std::ptr::eq(r, rate) => match rate.error_ppm {
                Some(e) => format!("{}{}", style.plus_minus(), bound(e)),
                None => "-".into(),
            },
            (Some(hz), Some(base), _) => ppm((hz / base - 1.0) * 1e6),
            _ => "-".into(),
        };
        let hz = match rate.hz {
            Some(hz) if hz.is_finite() => supported(hz, rate.error_ppm).into(),
            _ => Cell::toned(Tone::Dim, "not told"),
        };
        table.row(vec![
            clean(&rate.source).into(),
            hz,
            difference.into(),
            Cell::toned(Tone::Dim, clean(&rate.note)),
        ]);
    }
    screen.table(&table);
}

/// A rate in hertz with no digit beyond the first of its error's bound, where that is known.
fn supported(hz: f64, error_ppm: Option<f64>) -> String {
    match error_ppm.map(|ppm| hz * ppm * 1e-6) {
        Some(error) if error.is_finite() && error >= 1.0 => rounded(hz, place(error)),
        _ => units::grouped(hz),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_shows_the_digits_that_its_error_supports() {
        assert_eq!(supported(2_599_998_137.0, Some(0.0062)), "2,599,998,140");
        assert_eq!(supported(2_599_998_137.0, Some(30.0)), "2,600,000,000");
        assert_eq!(supported(2_599_998_137.0, None), "2,599,998,137");
        assert_eq!(supported(24e6, Some(f64::NAN)), "24,000,000");
    }
}
