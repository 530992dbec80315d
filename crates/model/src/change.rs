//! What changed on the machine while a run measured it.

use crate::environment::Environment;
use crate::units::ranges;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact that was different at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The fact, in a few words.
    pub fact: String,
    /// What it was when the run began.
    pub before: String,
    /// What it was when the run ended.
    pub after: String,
}

/// The name of that fact in a [`Change`].
pub const CLOCK_SOURCE: &str = "clock source";

/// The facts that judgements rest on and that can change at any time, if they differ between two
/// states of a machine. A fact that is missing from either state proves nothing.
pub fn between(before: &Environment, after: &Environment) -> Vec<Change> {
    type Fact = fn(&Environment) -> Option<String>;
    let facts: [(&str, Fact); 8] = [
        (CLOCK_SOURCE, |env| {
            let source = &env.clocksource.as_ref()?.current;
            (!source.is_empty()).then(|| source.clone())
        }),
        ("available clock sources", |env| {
            let all = &env.clocksource.as_ref()?.available;
            (!all.is_empty()).then(|| all.join(" "))
        }),
        ("CPUs online", |env| (env.cpu.logical > 0).then(|| env.cpu.logical.to_string())),
        ("CPUs that the process may use", |env| {
            (!env.allowed_cpus.is_empty()).then(|| ranges(&env.allowed_cpus))
        }),
        ("hardware threads share cores", |env| env.cpu.smt.map(yes)),
        ("frequency governor", |env| env.power.governor.clone()),
        ("power source", |env| env.power.source.clone()),
        ("clock kept synchronised", |env| env.discipline.as_ref().map(|it| yes(it.synchronised))),
    ];
    let changed = facts.iter().filter_map(|(fact, value)| {
        let (before, after) = (value(before)?, value(after)?);
        (before != after).then(|| Change { fact: (*fact).into(), before, after })
    });
    changed.collect()
}

fn yes(it: bool) -> String {
    if it { "yes" } else { "no" }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::ClockSource;

    fn state(source: &str, governor: &str) -> Environment {
        let mut env = Environment {
            clocksource: Some(ClockSource {
                current: source.into(),
                available: vec!["tsc".into(), "hpet".into()],
            }),
            ..Environment::default()
        };
        env.power.governor = Some(governor.into());
        env
    }

    #[test]
    fn what_differs_is_a_change_with_both_values() {
        let before = state("tsc", "performance");
        let mut after = state("hpet", "powersave");
        after.load = Some([9.0, 9.0, 9.0]);
        let changes = between(&before, &after);
        let texts: Vec<[&str; 3]> =
            changes.iter().map(|it| [&*it.fact, &*it.before, &*it.after]).collect();
        assert_eq!(
            texts,
            [[CLOCK_SOURCE, "tsc", "hpet"], ["frequency governor", "performance", "powersave"],]
        );
        assert_eq!(between(&before, &before), []);
    }

    #[test]
    fn what_cannot_be_read_any_more_is_no_change() {
        let before = state("tsc", "performance");
        assert_eq!(between(&before, &Environment::default()), []);
        assert_eq!(between(&Environment::default(), &before), []);
    }
}
