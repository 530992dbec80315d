//! Whether the processor's counter agrees on several CPUs.

use crate::block::{Text, Tone, Value};
use crate::number::{count, plural, short};
use chronoscope_model::ordering::AcrossCpus;

use super::known::Known;

/// How far apart the counters of the CPUs are, in one line; `None` if there is nothing to report.
pub(super) fn words(across: &AcrossCpus) -> Option<Text> {
    let Some(apart) = apart(across) else {
        let why = across.left_out.as_deref()?;
        return Some(format!("not compared ({why})").into());
    };
    let handed: u64 = across.pairs.iter().map(|pair| pair.handed.turns).sum();
    let backwards: u64 = across.pairs.iter().map(|pair| pair.handed.backwards).sum();
    let backwards = match backwards {
        0 => "none".into(),
        n => count(n),
    };
    let handed = plural(handed, "hand-over", "hand-overs");
    let handed = format!("{backwards} of {handed} backwards");
    Some(Text::dotted([apart, handed.into()]))
}

/// How far apart the counters of the CPUs that differ most are; `None` if none were compared.
pub(super) fn apart(across: &AcrossCpus) -> Option<Text> {
    let worst = across.worst()?;
    let [a, b] = worst.handed.cpus;
    let which = match across.pairs.len() {
        1 => format!("CPUs {a} and {b}"),
        n => format!("CPU {a} and {}", plural(n as u64, "other", "others")),
    };
    let bound = short(worst.bound_ns().round());
    Some(if worst.in_step() {
        format!("{which} within {bound}").into()
    } else {
        Text::toned(Tone::Bad, format!("CPUs {a} and {b} up to {bound} apart"))
    })
}

/// The comparison as a fact, with a row for each figure.
pub(super) fn known(across: &AcrossCpus) -> Option<Known> {
    let mut known = Known::new("across CPUs", words(across)?);
    for pair in &across.pairs {
        let [a, b] = pair.handed.cpus;
        let key = |what: &str| format!("CPUs {a} and {b}: {what}");
        known = known
            .number(key("ahead by at least"), pair.low_ns, "ns")
            .number(key("ahead by at most"), pair.high_ns, "ns")
            .value(key("exchanges"), Some(Value::Count(pair.exchanges)), "")
            .value(key("hand-overs"), Some(Value::Count(pair.handed.turns)), "")
            .value(key("backwards"), Some(Value::Count(pair.handed.backwards)), "");
    }
    Some(known.text("CPUs not compared", across.left_out.as_deref().unwrap_or_default()))
}
