//! Changes a report at random, as a careless or hostile writer would.

use fastrand::Rng;
use serde_json::{Value, json};

/// Changes up to four values of the report: usually to others of their type, so that what follows
/// the reading is reached, too.
pub fn value(report: &mut Value, rng: &mut Rng) {
    for _ in 0..rng.u32(1..=4) {
        let taken = pick(report, rng).clone();
        let place = pick(report, rng);
        if rng.u32(0..40) == 0 {
            *place = odd(rng);
            continue;
        }
        match &mut *place {
            Value::Null => {}
            Value::Bool(it) => *it = !*it,
            Value::Number(number) if number.is_f64() => {
                let factors = [-1.0, 0.0, 1e-300, 1e-9, 0.5, 1.001, 2.0, 1e9, 1e300];
                let factor = factors[rng.usize(..factors.len())];
                *place = number.as_f64().map_or(Value::Null, |it| json!(it * factor));
            }
            Value::Number(number) => {
                let it = number.as_u64().unwrap_or(0);
                let near = [0, 1, it / 2, it.wrapping_add(1), it.wrapping_mul(1000)];
                let far = [u64::from(u32::MAX), i64::MAX as u64, u64::MAX];
                *place = match rng.usize(..12) {
                    at @ 0..8 => json!([&near[..], &far].concat()[at]),
                    _ => json!(it.wrapping_mul(2)),
                };
            }
            Value::String(text) => match taken {
                Value::String(other) => *text = other,
                _ => *text = ["", "\u{1b}[2J\r\n\u{0}\u{202e}", "1"][rng.usize(..3)].into(),
            },
            Value::Array(list) => match rng.u32(0..3) {
                0 => list.truncate(rng.usize(..=list.len())),
                1 => rng.shuffle(list),
                _ => {
                    let again = rng.choice(&*list).cloned();
                    list.extend(again);
                }
            },
            Value::Object(map) => {
                let key = rng.choice(map.keys()).cloned();
                key.and_then(|key| map.remove(&key));
            }
        }
    }
}

/// Any value of the report: from the top, a child at random, and again, or not.
fn pick<'a>(place: &'a mut Value, rng: &mut Rng) -> &'a mut Value {
    let children = match place {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    };
    if children == 0 || rng.u32(0..8) == 0 {
        return place;
    }
    let at = rng.usize(..children);
    match place {
        Value::Array(list) => pick(&mut list[at], rng),
        Value::Object(map) => pick(map.values_mut().nth(at).expect("a child"), rng),
        leaf => leaf,
    }
}

/// A value that fits in few places.
pub fn odd(rng: &mut Rng) -> Value {
    match rng.u32(0..18) {
        0 => json!(1e308),
        1 => json!(-1e308),
        2 => json!(5e-324),
        3 => json!(-1),
        4 => json!(0),
        5 => json!(u64::MAX),
        6 => json!(i64::MIN),
        7 => json!(0.1),
        8 => json!(true),
        9 => json!([]),
        10 => json!({}),
        11 => json!(""),
        12 => json!("\u{1b}[2J\r\n\u{0}\u{202e}"),
        13 => json!("x".repeat(1 << rng.u32(0..=16))),
        14 => json!(["unknown-thing", { "id": "unknown-thing" }]),
        15 => json!("unknown-thing"),
        16 => (0..rng.u32(1..200)).fold(json!(1), |inner, _| json!([inner])),
        _ => Value::Null,
    }
}

/// Cuts, flips, repeats or doubles parts of the text.
pub fn text(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.u32(1..=4) {
        let (from, to) = (rng.usize(..=bytes.len()), rng.usize(..=bytes.len()));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 500));
        match rng.u32(0..5) {
            0 => bytes.truncate(to),
            1 => {
                let part = bytes[from..to].to_vec();
                bytes.splice(to..to, part);
            }
            2 => drop(bytes.drain(from..to)),
            3 => bytes[from..to].iter_mut().for_each(|byte| *byte ^= rng.u8(..) & rng.u8(..)),
            _ => {
                let digits = bytes[from..to].iter_mut().filter(|byte| byte.is_ascii_digit());
                digits.for_each(|byte| *byte = rng.u8(b'0'..=b'9'));
            }
        }
    }
}
