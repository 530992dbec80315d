//! What do the rows that changed have in common?

use chronoscope_model::clock::Clock;
use chronoscope_model::compare::{Row, Section, Shared, Verdict};
use serde_json::Value;
use std::collections::BTreeMap;

/// So many rows have to have changed, and to be the same, before it says something that a fact
/// separates them.
const LEAST: usize = 3;

/// The facts about clocks that all rows which changed have, and none that is the same. Rows of
/// which it cannot be told count on neither side.
pub fn shared(rows: &[Row], clocks: &[Clock]) -> Vec<Shared> {
    let clocks: BTreeMap<&str, &Clock> = clocks.iter().map(|it| (it.id.as_str(), it)).collect();
    let of = |wanted: fn(Verdict) -> bool| -> Vec<[(&str, String); 4]> {
        let rows = rows.iter().filter(|row| row.key.section == Section::Clocks);
        let found = rows.filter(|row| wanted(row.verdict));
        found.filter_map(|row| facts(clocks.get(row.key.id.as_str())?)).collect()
    };
    let changed = of(Verdict::changed);
    let same = of(|verdict| verdict == Verdict::Same);
    let Some(first) = changed.first().filter(|_| changed.len().min(same.len()) >= LEAST) else {
        return Vec::new();
    };
    let with =
        |rows: &[[(&str, String); 4]], fact| rows.iter().filter(|it| it.contains(fact)).count();
    let counted = first.iter().map(|fact| Shared {
        fact: fact.0.into(),
        value: fact.1.clone(),
        changed: with(&changed, fact),
        of: changed.len(),
        same: with(&same, fact),
    });
    counted.filter(|it| it.changed == it.of && it.same == 0).collect()
}

/// The facts as the report spells them; `None` in reports of earlier versions.
fn facts(clock: &Clock) -> Option<[(&'static str, String); 4]> {
    let word = |value| match value {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    };
    let known = clock.facts?;
    Some([
        ("reads", word(serde_json::to_value(known.reads))),
        ("built_on", word(serde_json::to_value(known.built_on))),
        ("language", word(serde_json::to_value(clock.language))),
        ("kind", word(serde_json::to_value(clock.kind))),
    ])
}
