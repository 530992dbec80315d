//! A fact in two forms: one line for people, and rows for programs; and rates and their errors in
//! words.

use crate::block::{Text, Value};
use crate::number::three;
use chronoscope_model::Environment;
use std::borrow::Cow;

/// How a fact is known that was read from the system, the processor or the firmware.
pub(super) const READ: &str = "read";

pub(super) struct Group {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) known: Vec<Known>,
}

pub(super) struct Data {
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) unit: &'static str,
}

/// A fact in words, and its rows for programs.
pub(super) struct Known {
    pub(super) name: Cow<'static, str>,
    /// Absent if it is unknown; the environment may have the reason.
    pub(super) words: Option<Text>,
    pub(super) data: Vec<Data>,
    /// How it is known: measured in this run, read, or claimed by a hypervisor.
    pub(super) basis: &'static str,
}

impl Known {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, words: impl Into<Text>) -> Self {
        Self::maybe(name, Some(words))
    }

    /// A fact in these words, if it is known.
    pub(super) fn maybe(
        name: impl Into<Cow<'static, str>>,
        words: Option<impl Into<Text>>,
    ) -> Self {
        let words = words.map(Into::into);
        Self { name: name.into(), words, data: Vec::new(), basis: READ }
    }

    /// A text for people and programs; unknown if it is empty.
    pub(super) fn of_text(name: &'static str, text: Option<&str>) -> Self {
        let shown = text.map(str::trim).filter(|text| !text.is_empty());
        Self::maybe(name, shown).text(name, text.unwrap_or_default())
    }

    /// A count for people and programs.
    pub(super) fn of_count(name: &'static str, count: Option<usize>) -> Self {
        let value = count.map(|n| Value::Count(n as u64));
        Self::maybe(name, count.map(|n| n.to_string())).value(name, value, "")
    }

    /// Yes or no for people and programs.
    pub(super) fn of_flag(name: &'static str, flag: Option<bool>) -> Self {
        Self::maybe(name, flag.map(|flag| if flag { "yes" } else { "no" })).flag(name, flag)
    }

    /// Adds a row, unless its value is absent.
    pub(super) fn value(
        mut self,
        key: impl Into<String>,
        value: Option<Value>,
        unit: &'static str,
    ) -> Self {
        self.data.extend(value.map(|value| Data { key: key.into(), value, unit }));
        self
    }

    /// Adds a row for a text, unless the text is empty.
    pub(super) fn text(self, key: impl Into<String>, text: &str) -> Self {
        let text = (!text.is_empty()).then(|| Value::Text(text.into()));
        self.value(key, text, "")
    }

    /// Adds a row for a figure, if the figure is finite.
    pub(super) fn number(
        self,
        key: impl Into<String>,
        number: impl Into<Option<f64>>,
        unit: &'static str,
    ) -> Self {
        let number = number.into().filter(|number| number.is_finite());
        self.value(key, number.map(Value::Number), unit)
    }

    /// Adds a row for yes or no.
    pub(super) fn flag(self, key: impl Into<String>, flag: Option<bool>) -> Self {
        self.value(key, flag.map(Value::Flag), "")
    }
}

/// `unknown (reason)`, with the environment's reason for this subject.
pub(super) fn unknown_why(env: &Environment, subject: &str) -> String {
    let mut unknown = env.unknown.iter();
    let found = unknown.find(|unknown| unknown.subject == subject);
    match found.map(|unknown| unknown.reason.as_str()) {
        Some(reason) if !reason.is_empty() => format!("unknown ({reason})"),
        _ => "unknown (the system does not report it)".to_owned(),
    }
}

// Rates and their errors in words.

/// A frequency to three digits, for orientation: `2.60 GHz`.
pub(super) fn round_hz(hz: f64) -> String {
    let Some((value, unit)) = in_unit(hz, 0.9995) else { return "-".into() };
    format!("{} {unit}", three(value))
}
/// A frequency in the largest unit of which it is at least so much; none if it is no frequency.
fn in_unit(hz: f64, least: f64) -> Option<(f64, &'static str)> {
    let units = [(1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz")];
    let (one, unit) = units.into_iter().find(|(one, _)| hz >= one * least || *one == 1.0)?;
    (hz.is_finite() && hz >= 0.0).then_some((hz / one, unit))
}

/// A rate with the digits that the bound on its error allows: `2.599998 GHz`.
pub(super) fn exact_hz(hz: f64, error_ppm: Option<f64>) -> String {
    let Some((value, unit)) = in_unit(hz, 1.0) else { return "-".into() };
    let places = match error_ppm {
        _ if unit == "Hz" => 0,
        Some(ppm) if ppm > 0.0 && ppm.is_finite() => {
            (-(value * ppm * 1e-6).log10().floor()).clamp(1.0, 9.0) as usize
        }
        _ => 6,
    };
    format!("{value:.places$} {unit}")
}

/// A bound in parts per million, to two digits: `0.42 ppm`.
pub(super) fn bound(ppm: f64) -> String {
    if !ppm.is_finite() || ppm < 0.0 {
        return "-".into();
    }
    let places = match ppm {
        p if p >= 9.95 || p == 0.0 => 0,
        p => (1.0 - p.log10().floor()).clamp(1.0, 6.0) as usize,
    };
    format!("{ppm:.places$} ppm")
}

/// A difference in parts per million: `+0.4 ppm`.
pub(super) fn ppm(ppm: f64) -> String {
    if !ppm.is_finite() {
        "-".into()
    } else if ppm.abs() < 0.05 {
        "0.0 ppm".into()
    } else if ppm.abs() < 999.5 {
        format!("{ppm:+.1} ppm")
    } else {
        format!("{}{} ppm", if ppm > 0.0 { "+" } else { "" }, three(ppm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::environment::Unknown;

    #[test]
    fn what_is_unknown_has_its_reason() {
        let env = Environment {
            unknown: vec![Unknown { subject: "power".into(), reason: "no cpufreq".into() }],
            ..Environment::default()
        };
        assert_eq!(unknown_why(&env, "power"), "unknown (no cpufreq)");
        assert_eq!(unknown_why(&env, "vdso"), "unknown (the system does not report it)");
    }

    #[test]
    fn a_rate_has_the_digits_that_its_bound_allows() {
        assert_eq!(exact_hz(2_599_998_140.0, Some(0.42)), "2.599998 GHz");
        assert_eq!(exact_hz(2_599_998_140.0, Some(40.0)), "2.6000 GHz");
        assert_eq!(exact_hz(3_579_545.0, None), "3.579545 MHz");
        assert_eq!(round_hz(2.599_998e9), "2.60 GHz");
        assert_eq!(bound(0.42), "0.42 ppm");
        assert_eq!(bound(17.3), "17 ppm");
        assert_eq!(ppm(-0.7), "-0.7 ppm");
        assert_eq!(ppm(1e5), "+100,000 ppm");
    }
}
