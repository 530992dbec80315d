//! The rate of the processor's counter, by every source that gives one.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use super::brief::worth;
use super::figures::{bound, ppm};
use super::known::{Data, Known};
use crate::block::{Block, Cell, Fact, Tone};
use crate::number::{place, rounded};
use chronoscope_model::comparison::Standing;
use chronoscope_model::environment::{Rate, RateKind};
use chronoscope_model::units;

/// A rate, and its difference from the one to compare with in words.
type Compared<'a> = (&'a Rate, String);

/// Each source's rate, and its difference from the measured one, or from the first that is known if
/// none was measured.
pub(super) fn view(rates: &[Rate]) -> Vec<Block> {
    if rates.is_empty() {
        let fact = Fact::new("rate", "unknown (no source gives one)");
        return vec![Block::Facts(vec![fact])];
    }
    let known = || rates.iter().filter(|rate| hz(rate).is_some());
    let measured = known().find(|rate| rate.kind == RateKind::Measured);
    let reference = measured.or_else(|| known().next());
    let compared: Vec<Compared> =
        rates.iter().map(|rate| (rate, difference(rate, reference))).collect();
    let mut table = Rows::shown(columns(), Detail::Full).of_all(&compared);
    let head = match (measured, reference) {
        (Some(_), _) => "against\nmeasured".to_owned(),
        (None, Some(rate)) => {
            // Each part of a name on a line of its own: "kernel log, detected".
            format!("against\n{}", rate.source.replace(", ", ",\n"))
        }
        (None, None) => "difference".to_owned(),
    };
    if let Some(column) = table.columns.get_mut(2) {
        column.head = head.into();
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(measured.and_then(reason).map(Block::paragraph));
    blocks
}

/// What the comparison behind a measured rate shows and why, in a sentence.
fn reason(measured: &Rate) -> Option<String> {
    let found = measured.compared.as_ref()?;
    let what = match found.standing {
        Standing::Independent => "The measured rate was compared with an independent clock",
        Standing::SameOscillator | Standing::Unverified => "The measured rate is unverified",
    };
    Some(format!("{what}: {}.", found.why))
}

fn hz(rate: &Rate) -> Option<f64> {
    rate.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}

fn difference(rate: &Rate, reference: Option<&Rate>) -> String {
    let error = rate.error_ppm.map(|error| format!("±{}", bound(error)));
    match reference {
        Some(reference) if std::ptr::eq(reference, rate) => error.unwrap_or("-".into()),
        Some(reference) => match (rate.hz, hz(reference)) {
            (Some(hz), Some(base)) => ppm((hz / base - 1.0) * 1e6),
            _ => "-".into(),
        },
        None => "-".into(),
    }
}

/// How the rate is known, and what a measured one is worth.
fn how(rate: &Rate) -> String {
    match &rate.compared {
        Some(found) => format!("{}: {}", rate.note, worth(found)),
        None => rate.note.clone(),
    }
}

fn columns<'a>() -> Vec<Spec<Compared<'a>>> {
    columns! { (rate, difference) in Compared;
        "" "rate by" [full name(12)] Cell::text(&rate.source);
        "" "Hz" [full right] match rate.hz.filter(|hz| hz.is_finite()) {
            Some(hz) => Cell::number(hz).shown(supported(hz, rate.error_ppm)),
            None => Cell::default().shown("unknown").toned(Tone::Dim),
        };
        "" "Hz" [full right] Cell::text(difference);
        "" "how" [full gives_way(16)] Cell::text(how(rate)).toned(Tone::Dim);
    }
}

pub(super) fn data(rates: &[Rate]) -> Vec<Data> {
    let all = rates.iter().fold(Known::new("", ""), |known, rate| {
        let source = &rate.source;
        let compared = rate.compared.as_ref().map_or("", |found| found.standing.name());
        known
            .number(format!("rate by {source}"), rate.hz, "Hz")
            .number(format!("its error by {source}"), rate.error_ppm, "ppm")
            .text(format!("note of {source}"), &rate.note)
            .text(format!("comparison of {source}"), compared)
    });
    all.data
}

/// A rate in hertz with no digit beyond the first of the bound on its error, if that is known.
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
