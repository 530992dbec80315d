//! A fact in two forms: one line for people, and rows for programs.

use crate::block::{Fact, Text, Value};
use chronoscope_model::Environment;
use std::borrow::Cow;

/// How a fact is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// The fact was measured in this run.
    Measured,
    /// The fact was read from the system, the processor or the firmware.
    Read,
    /// The fact was read in a virtual machine, so it is the hypervisor's claim.
    Claimed,
}

impl Basis {
    /// The word for this basis on screens and in tables.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Read => "read",
            Self::Claimed => "claimed",
        }
    }
}

pub(super) struct Group {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// Whether the group is about the processor's counter, whose rates follow.
    pub(super) counter: bool,
    /// Whether screens show the group only if everything is asked for.
    pub(super) verbose: bool,
    pub(super) known: Vec<Known>,
}

impl Group {
    pub(super) fn new(id: &'static str, title: &'static str, known: Vec<Known>) -> Self {
        Self { id, title, counter: false, verbose: false, known }
    }
}

pub(super) struct Data {
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) unit: &'static str,
}

/// A fact in words, and its rows for programs.
pub(super) struct Known {
    pub(super) fact: Fact,
    pub(super) data: Vec<Data>,
    pub(super) basis: Basis,
}

impl Known {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, words: impl Into<Text>) -> Self {
        Self { fact: Fact::new(name, words), data: Vec::new(), basis: Basis::Read }
    }

    /// A text for people and programs; if it is unknown, the reason.
    pub(super) fn of_text(
        name: &'static str,
        text: Option<&str>,
        env: &Environment,
        subjects: &[&str],
    ) -> Self {
        Self::new(name, known(text, env, subjects)).text(name, text.unwrap_or_default())
    }

    /// A count for people and programs; if it is unknown, the reason.
    pub(super) fn of_count(
        name: &'static str,
        count: Option<usize>,
        env: &Environment,
        subjects: &[&str],
    ) -> Self {
        let words = count.map_or_else(|| unknown(env, subjects), |n| n.to_string());
        let value = count.map(|n| Value::Count(n as u64));
        Self::new(name, words).value(name, value, "")
    }

    /// Yes or no for people and programs.
    pub(super) fn of_flag(name: &'static str, flag: bool) -> Self {
        Self::new(name, if flag { "yes" } else { "no" }).flag(name, Some(flag))
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

    pub(super) fn is_known(&self) -> bool {
        !self.fact.value.plain().starts_with("unknown")
    }
}

/// `unknown (reason)`, with the environment's reason for one of these subjects.
pub(super) fn unknown(env: &Environment, subjects: &[&str]) -> String {
    let mut unknown = env.unknown.iter();
    let found = unknown.find(|unknown| subjects.contains(&unknown.subject.as_str()));
    match found.map(|unknown| unknown.reason.as_str()) {
        Some(reason) if !reason.is_empty() => format!("unknown ({reason})"),
        _ => "unknown (the system does not report it)".to_owned(),
    }
}

/// The text, or that it is unknown.
pub(super) fn known(value: Option<&str>, env: &Environment, subjects: &[&str]) -> String {
    match value.map(str::trim) {
        Some(value) if !value.is_empty() => value.to_owned(),
        _ => unknown(env, subjects),
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
        assert_eq!(unknown(&env, &["power"]), "unknown (no cpufreq)");
        assert_eq!(known(None, &env, &["vdso"]), "unknown (the system does not report it)");
        assert_eq!(known(Some("tsc"), &env, &[]), "tsc");
    }
}
