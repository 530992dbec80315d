//! Numbers that JSON cannot represent.
//!
//! JSON has neither NaN nor infinity (RFC 8259, section 6). serde_json writes `null` in their
//! place, which the schema does not allow. Such a figure carries no information, so it is left out
//! here, together with the smallest part of the report that requires it.

use chronoscope_model::{Report, schema};
use serde_json::Value;
use std::io;

/// Converts the report to a JSON value without the figures that are not finite.
///
/// # Errors
/// The figure is in a part that every report requires.
pub(crate) fn value(report: &Report) -> io::Result<Value> {
    let mut value = serde_json::to_value(report).map_err(io::Error::other)?;
    if !holds_null(&value) {
        return Ok(value);
    }
    let root = serde_json::from_str(schema::REPORT)?;
    if prune(&mut value, &root, &root) {
        Ok(value)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a figure that every report needs is not a finite number",
        ))
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(fields) => fields.values().any(holds_null),
        _ => false,
    }
}

/// Removes what is null, and every part that requires what was removed. Returns `false` if this
/// value itself must be removed.
fn prune(value: &mut Value, schema: &Value, root: &Value) -> bool {
    let schema = resolve(schema, root);
    match value {
        Value::Null => false,
        Value::Array(items) => {
            let item = schema.get("items").unwrap_or(&Value::Null);
            let before = items.len();
            items.retain_mut(|v| prune(v, item, root));
            // If a position in the list has a meaning, a list with a gap is not valid.
            schema.get("maxItems").is_none() || items.len() == before
        }
        Value::Object(fields) => {
            let required = schema.get("required").and_then(Value::as_array);
            let required = |key: &str| {
                required.is_some_and(|names| names.iter().any(|n| n.as_str() == Some(key)))
            };
            let mut whole = true;
            let properties = schema.get("properties");
            fields.retain(|key, field| {
                let of = properties.and_then(|p| p.get(key)).unwrap_or(&Value::Null);
                let keep = prune(field, of, root);
                whole &= keep || !required(key);
                keep
            });
            whole
        }
        _ => true,
    }
}

/// Returns the schema behind a reference, or behind `T or null`.
fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = target.trim_start_matches('#');
        return root.pointer(pointer).unwrap_or(&Value::Null);
    }
    let options = schema.get("anyOf").and_then(Value::as_array);
    match options.and_then(|o| o.iter().find(|s| s.get("type") != Some(&"null".into()))) {
        Some(option) => resolve(option, root),
        None => schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::{Clock, Cost};
    use chronoscope_model::environment::Cpu;
    use chronoscope_model::{Environment, Estimate};

    #[test]
    fn a_figure_that_is_not_finite_is_removed_with_whatever_requires_it() {
        let mut report = Report {
            clocks: vec![Clock {
                id: "a/b".into(),
                cost: Cost {
                    throughput: Some(Estimate { p99_ns: f64::INFINITY, ..Estimate::default() }),
                    latency: Some(Estimate { cycles: Some(f64::NAN), ..Estimate::default() }),
                    ..Cost::default()
                },
                wraps_after_s: Some(f64::NAN),
                ..Clock::default()
            }],
            environment: Environment {
                load: Some([1.0, f64::NAN, 1.0]),
                cpu: Cpu::default(),
                ..Environment::default()
            },
            ..Report::default()
        };
        let value = value(&report).expect("all of it can be left out");
        assert!(!holds_null(&value));
        let clock = &value["clocks"][0];
        assert_eq!(clock["cost"].get("throughput"), None);
        assert_eq!(clock["cost"]["latency"].get("cycles"), None);
        assert!(clock["cost"]["latency"].get("value_ns").is_some());
        assert_eq!(clock.get("wraps_after_s"), None);
        assert_eq!(value["environment"].get("load"), None);
        assert!(serde_json::from_value::<Report>(value).is_ok());

        report.run.seconds = f64::NAN;
        assert!(super::value(&report).is_err());
    }
}
