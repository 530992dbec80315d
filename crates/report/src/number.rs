//! Numbers as people read them, with no more digits than their uncertainty supports.

use crate::block::{Cell, Value};
use chronoscope_model::Estimate;
use chronoscope_model::units::last_place;
pub use chronoscope_model::units::{count, percent, plural, short_ns as short};
pub(crate) use chronoscope_model::units::{place, rounded, two_digits};

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

/// The heights of a strip in characters, from the lowest value to the highest.
pub(crate) const HEIGHTS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

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

/// A number to three significant digits.
pub(crate) fn three(value: f64) -> String {
    if value == 0.0 { "0".into() } else { rounded(value, last_place(value, f64::NAN)) }
}

/// An estimate in nanoseconds, with the digits that [`Estimate::human`] gives it in a sentence. The
/// uncertainty is rounded up, so that it is never understated.
pub(crate) fn estimate(estimate: &Estimate) -> Figure {
    if estimate.below_resolution {
        let bound = estimate.high_ns;
        let known = bound.is_finite() && bound > 0.0;
        return if known { format!("<{}", three(bound)) } else { "-".into() }.into();
    }
    let (value, half) = (estimate.value_ns, estimate.half_ns());
    if !value.is_finite() || !half.is_finite() || half < 0.0 {
        return three(value).into();
    }
    let last = last_place(value, half);
    let unit = 10f64.powi(last);
    // A millionth is ignored, so that 0.02 does not count as a little more than 0.02.
    let spread = ((half / unit - 1e-6).ceil().max(1.0)) * unit;
    let mark = if estimate.only_shared || estimate.second.is_some() { "*" } else { "" };
    Figure { value: rounded(value, last), spread: format!("{}{mark}", rounded(spread, last)) }
}

/// A step of a clock, in nanoseconds: `back by 3 us`.
pub(crate) fn stepped(ns: f64) -> String {
    let way = if ns < 0.0 { "back" } else { "forwards" };
    format!("{way} by {}", short(ns.abs()))
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
