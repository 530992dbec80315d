//! A fact in two forms: one line for people, and rows for programs.

use crate::block::{Fact, Text, Value};
use crate::term::Term;
use chronoscope_model::Environment;

/// How a fact is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// It was measured in this run.
    Measured,
    /// It was read from the system, the processor or the firmware.
    Read,
    /// It was read in a virtual machine, and is what the hypervisor claims.
    Claimed,
}

impl Basis {
    /// Its name on screens and in tables.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Read => "read",
            Self::Claimed => "claimed",
        }
    }
}

/// Facts that belong together.
pub(super) struct Group {
    /// What programs call it.
    pub(super) id: &'static str,
    /// What people call it.
    pub(super) title: &'static str,
    /// Whether it is about the processor's counter, whose rates follow.
    pub(super) counter: bool,
    /// Whether people see it only if they ask for everything.
    pub(super) verbose: bool,
    /// The facts.
    pub(super) known: Vec<Known>,
}

impl Group {
    pub(super) fn new(id: &'static str, title: &'static str, known: Vec<Known>) -> Self {
        Self { id, title, counter: false, verbose: false, known }
    }
}

/// A row for programs.
#[derive(Clone)]
pub(super) struct Data {
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) unit: &'static str,
}

impl Data {
    pub(super) fn new(key: impl Into<String>, value: Value, unit: &'static str) -> Self {
        Self { key: key.into(), value, unit }
    }

    /// A text; absent if it is empty.
    pub(super) fn text(key: &str, text: &str) -> Self {
        let value = match text {
            "" => Value::Absent,
            text => Value::Text(text.into()),
        };
        Self::new(key, value, "")
    }

    /// A figure; absent if it is not finite.
    pub(super) fn number(key: impl Into<String>, number: Option<f64>, unit: &'static str) -> Self {
        let number = number.filter(|number| number.is_finite());
        Self::new(key, number.map_or(Value::Absent, Value::Number), unit)
    }
}

/// A fact.
pub(super) struct Known {
    pub(super) fact: Fact,
    pub(super) data: Vec<Data>,
    pub(super) basis: Basis,
}

impl Known {
    /// A fact of these words, and the rows for programs.
    pub(super) fn new(
        name: &'static str,
        term: &'static Term,
        words: impl Into<Text>,
        data: Vec<Data>,
    ) -> Self {
        Self { fact: Fact::named(name, term, words), data, basis: Basis::Read }
    }

    /// Whether anything is known.
    pub(super) fn is_known(&self) -> bool {
        !self.fact.value.plain().starts_with("unknown")
    }

    /// A text, or that it is unknown and why.
    pub(super) fn text(
        name: &'static str,
        term: &'static Term,
        text: Option<&str>,
        env: &Environment,
        subjects: &[&str],
    ) -> Self {
        let text = text.unwrap_or_default();
        Self::new(name, term, known(Some(text), env, subjects), vec![Data::text(name, text)])
    }

    /// A count, or that it is unknown and why.
    pub(super) fn count(
        name: &'static str,
        term: &'static Term,
        count: Option<usize>,
        env: &Environment,
        subjects: &[&str],
    ) -> Self {
        let words = count.map_or_else(|| unknown(env, subjects), |n| n.to_string());
        let value = count.map_or(Value::Absent, |n| Value::Count(n as u64));
        Self::new(name, term, words, vec![Data::new(name, value, "")])
    }

    /// Yes or no.
    pub(super) fn flag(name: &'static str, term: &'static Term, flag: bool) -> Self {
        let words = if flag { "yes" } else { "no" };
        Self::new(name, term, words, vec![Data::new(name, Value::Flag(flag), "")])
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
