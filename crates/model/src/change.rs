//! What changed on the machine while a run measured it.

use crate::environment::Environment;
use crate::units::ranges;

/// A fact that was different at the end of a run.
#[record(Eq)]
pub struct Change {
    /// The fact, in a few words.
    pub fact: String,
    /// What it was when the run began.
    pub before: String,
    /// What it was when the run ended.
    pub after: String,
}

/// The names of facts in a [`Change`] that others refer to.
pub const CLOCK_SOURCE: &str = "clock source";
/// Whether hardware threads share cores.
pub const SMT: &str = "hardware threads share cores";
/// What sets the frequency.
pub const GOVERNOR: &str = "frequency governor";
/// Mains or battery.
pub const POWER: &str = "power source";

/// The facts that judgements rest on and that can change at any time, with their names; a value is
/// absent if it is not known.
pub fn facts(env: &Environment) -> [(&'static str, Option<String>); 8] {
    let source = env.clocksource.as_ref();
    let words = |known: bool, words: String| known.then_some(words);
    let current = source.map(|it| it.current.clone()).filter(|it| !it.is_empty());
    let available = source.map(|it| it.available.join(" ")).filter(|it| !it.is_empty());
    let allowed = &env.allowed_cpus;
    [
        (CLOCK_SOURCE, current),
        ("available clock sources", available),
        ("CPUs online", words(env.cpu.logical > 0, env.cpu.logical.to_string())),
        ("CPUs that the process may use", words(!allowed.is_empty(), ranges(allowed))),
        (SMT, env.cpu.smt.map(yes)),
        (GOVERNOR, env.power.governor.clone()),
        (POWER, env.power.source.clone()),
        ("clock kept synchronised", env.discipline.as_ref().map(|it| yes(it.synchronised))),
    ]
}

/// Those facts that differ between two states of a machine. A fact that is missing from either
/// state proves nothing.
pub fn between(before: &Environment, after: &Environment) -> Vec<Change> {
    let both = facts(before).into_iter().zip(facts(after));
    let changed = both.filter_map(|((fact, before), (_, after))| {
        let (before, after) = (before?, after?);
        (before != after).then(|| Change { fact: fact.into(), before, after })
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
