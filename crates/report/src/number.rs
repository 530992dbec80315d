//! Numbers as people read them, with no more digits than their uncertainty supports.

use crate::block::{Cell, Value};
pub use chronoscope_model::units::{count, percent, plural, short_ns as short};
use chronoscope_model::{Estimate, units};

/// What people see of a cell, and the uncertainty of its figure. The text may come from outside; a
/// format makes it safe.
pub(crate) fn of_cell(cell: &Cell) -> Figure {
    let value = match (&cell.words, &cell.value) {
        (Some(words), _) => words.clone(),
        (None, Value::Estimate(e)) => return estimate(e),
        (None, Value::Absent) => "-".into(),
        (None, Value::Text(text) | Value::Code(text) | Value::Drawing(text)) => text.clone(),
        (None, Value::Flag(flag)) => if *flag { "yes" } else { "no" }.into(),
        (None, Value::Count(n)) => count(*n),
        (None, Value::Whole(n)) => signed(*n),
        (None, Value::Number(number)) => three(*number),
        (None, Value::Ns(ns)) => short(*ns),
        (None, Value::Share(share)) => percent(*share),
        (None, Value::Bar(_) | Value::Strip(_) | Value::Stack(_)) => String::new(),
    };
    value.into()
}

/// A figure in words, and its uncertainty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figure {
    pub(crate) value: String,
    /// Half the 95 % interval; empty if it is not known.
    pub(crate) spread: String,
}

impl From<String> for Figure {
    fn from(value: String) -> Self {
        Self { value, spread: String::new() }
    }
}

/// The decimal place (as a power of ten) of a number's first digit.
pub(crate) fn place(value: f64) -> i32 {
    if value > 0.0 && value.is_finite() {
        value.log10().floor().clamp(-12.0, 18.0) as i32
    } else {
        -12
    }
}

/// A number rounded to a decimal place and written with no digit beyond it.
pub(crate) fn rounded(value: f64, place: i32) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    if place >= 0 {
        let unit = 10f64.powi(place);
        units::grouped((value / unit).round() * unit)
    } else {
        let text = format!("{value:.*}", place.unsigned_abs() as usize);
        match text.split_once('.') {
            Some((whole, fraction)) if whole.trim_start_matches('-').len() > 3 => {
                format!("{}.{fraction}", units::grouped(value.trunc()))
            }
            _ => text,
        }
    }
}

/// A figure rounded to two significant digits.
pub(crate) fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.abs().log10().floor() - 1.0);
    if unit.is_finite() && unit > 0.0 { (value / unit).round() * unit } else { value }
}

/// A number to three significant digits.
pub(crate) fn three(value: f64) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs();
    let mut at = place(magnitude) - 2;
    // Rounding moves the third digit of 9.996 up one place.
    if (magnitude / 10f64.powi(at)).round() >= 1000.0 {
        at += 1;
    }
    rounded(value, at.max(-6))
}

/// An estimate in nanoseconds: three significant digits at most, and none that its interval does
/// not support.
///
/// The last digit shown is the first digit of half the interval (GUM, JCGM 100:2008, 7.2.6: one
/// or at most two digits of the uncertainty), never beyond the third of the value, and never before
/// its first. The uncertainty is rounded up, so that it is never understated.
pub(crate) fn estimate(estimate: &Estimate) -> Figure {
    if estimate.below_resolution {
        let bound = estimate.high_ns;
        let known = bound.is_finite() && bound > 0.0;
        return if known { format!("<{}", three(bound)) } else { "-".into() }.into();
    }
    let value = estimate.value_ns;
    let half = (value - estimate.low_ns).max(estimate.high_ns - value);
    if !value.is_finite() || !half.is_finite() || half < 0.0 {
        return three(value).into();
    }
    let mut last = place(value.abs()) - 2;
    if (value.abs() / 10f64.powi(last)).round() >= 1000.0 {
        last += 1;
    }
    // A value smaller than its uncertainty keeps its first digit: 0 would suggest that it costs
    // nothing.
    let last = last.max(place(half).min(place(value.abs()))).max(-3);
    let unit = 10f64.powi(last);
    // A millionth is ignored, so that 0.02 does not count as a little more than 0.02.
    let spread = ((half / unit - 1e-6).ceil().max(1.0)) * unit;
    let mark = if estimate.only_shared || estimate.second.is_some() { "*" } else { "" };
    Figure { value: rounded(value, last), spread: format!("{}{mark}", rounded(spread, last)) }
}

/// A whole number with its sign and commas.
pub(crate) fn signed(n: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    format!("{sign}{}", count(n.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: f64, low: f64, high: f64) -> (String, String) {
        let e = Estimate { value_ns: value, low_ns: low, high_ns: high, ..Estimate::default() };
        let f = estimate(&e);
        (f.value, f.spread)
    }

    #[test]
    fn no_digit_beyond_the_interval() {
        assert_eq!(shown(8.0749, 8.06, 8.09), ("8.07".into(), "0.02".into()));
        assert_eq!(shown(8.0749, 8.0748, 8.075), ("8.07".into(), "0.01".into()));
        assert_eq!(shown(18.04, 17.9, 18.1), ("18.0".into(), "0.2".into()));
        assert_eq!(shown(151.3, 150.6, 152.0), ("151".into(), "1".into()));
        assert_eq!(shown(1238.0, 1211.0, 1265.0), ("1,240".into(), "30".into()));
        assert_eq!(shown(9.999, 9.99, 10.01), ("10.0".into(), "0.1".into()));
        assert_eq!(shown(3.0, -2.0, 8.0), ("3".into(), "5".into()));
        assert_eq!(shown(412.0, -2000.0, 2800.0), ("400".into(), "2,500".into()));
        assert_eq!(shown(f64::NAN, 0.0, 0.0).0, "-");
        assert_eq!(shown(5.0, f64::NEG_INFINITY, 0.0), ("5.00".into(), "".into()));
    }

    #[test]
    fn below_what_can_be_resolved_is_a_bound() {
        let e = Estimate { high_ns: 0.0421, below_resolution: true, ..Estimate::default() };
        assert_eq!(estimate(&e).value, "<0.0421");
    }

    #[test]
    fn numbers_have_three_digits_and_their_sign() {
        assert_eq!(three(1239.6), "1,240");
        assert_eq!(three(9.996), "10.0");
        assert_eq!(three(0.0421), "0.0421");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(signed(i64::MIN), "-9,223,372,036,854,775,808");
    }
}
