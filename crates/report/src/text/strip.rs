//! Strips in characters: marks on the axis that all rows of a column share, five columns to a
//! decade.

use super::style::Style;
use crate::block::chart::{Mark, What};
use crate::block::{Table, Value};
use crate::scale::{Division, Scale, Unit, decades};

/// Columns of a decade, if there is room.
const DECADE: usize = 5;
/// The narrowest and the widest strip, and one whose axis is not logarithmic, in columns.
pub(super) const NARROWEST: usize = 16;
const WIDEST: usize = 41;
const PLAIN: usize = 26;

/// What marks are drawn with and called: the sign of the figure itself, or of the line that ends
/// there. What comes later is drawn over what comes before.
const SIGNS: [(What, Sign, &str); 9] = [
    (What::P99, Sign::Line('─'), "to p99"),
    (What::P90, Sign::Line('━'), "to p90"),
    (What::Worst, Sign::Point('·'), "the worst"),
    (What::Reference, Sign::Point('│'), "in C"),
    (What::Cold, Sign::Point('×'), "cold"),
    (What::Ordered, Sign::Point('○'), "ordered"),
    (What::Read, Sign::Point('●'), "read"),
    (What::Median, Sign::Point('●'), "median"),
    (What::Change, Sign::Point('●'), "change"),
];

/// The order of the legend.
const KEYS: [What; 9] = [
    What::Read,
    What::Ordered,
    What::Cold,
    What::Median,
    What::P90,
    What::P99,
    What::Worst,
    What::Change,
    What::Reference,
];

#[derive(Clone, Copy)]
enum Sign {
    Point(char),
    /// From the median to the figure.
    Line(char),
}

impl Sign {
    fn shown(self) -> char {
        match self {
            Self::Point(sign) | Self::Line(sign) => sign,
        }
    }
}

/// The strips of a column; none if it holds no strip.
pub(super) fn of_column(table: &Table, at: usize) -> impl Iterator<Item = &[Mark]> {
    table.rows().filter_map(move |row| match &row.cells.get(at)?.value {
        Value::Strip(marks) => Some(&marks[..]),
        _ => None,
    })
}

/// The axis of a column of strips: its own, or the whole decades that hold all values; absent if
/// the column holds no strip.
pub(super) fn axis(table: &Table, at: usize) -> Option<Scale> {
    of_column(table, at).next()?;
    let values = || of_column(table, at).flatten().map(|mark| mark.value);
    let own = table.columns.get(at).and_then(|column| column.axis);
    Some(own.unwrap_or_else(|| Scale::log(Unit::Ns, decades(values()))))
}

/// The columns that strips on this axis take on a screen with this many columns left for them.
pub(super) fn width(axis: &Scale, room: usize) -> usize {
    let own = match axis.division() {
        Division::Log => {
            let decades = axis.high().log10() - axis.low().log10();
            (decades * DECADE as f64).round().clamp(0.0, WIDEST as f64) as usize + 1
        }
        Division::Linear | Division::Nines => PLAIN,
    };
    own.clamp(NARROWEST, WIDEST).min(room.max(NARROWEST))
}

/// The column of a value; the ends of the axis hold what is beyond it. None if it is not a number.
fn place(axis: &Scale, value: f64, width: usize) -> Option<usize> {
    let at = axis.at(value);
    let last = width.saturating_sub(1);
    (!value.is_nan() && !at.is_nan()).then(|| (at.clamp(0.0, 1.0) * last as f64).round() as usize)
}

/// The labels of the axis, each beginning at its tick: `100n 1u   10u  100u 1m   10m`.
pub(super) fn head(axis: &Scale, width: usize) -> String {
    let mut ticks = axis.ticks();
    ticks.retain(|tick| tick.at.is_finite() && tick.level < 2);
    // The most important labels take their places first.
    ticks.sort_by(|a, b| a.level.cmp(&b.level).then(a.at.total_cmp(&b.at)));
    let mut line: Vec<char> = Vec::new();
    for tick in ticks {
        let start = (tick.at.clamp(0.0, 1.0) * width.saturating_sub(1) as f64).round() as usize;
        let label: Vec<char> = short(&tick.label).chars().collect();
        let end = start + label.len();
        let free = |at: usize| line.get(at).is_none_or(|c| *c == ' ');
        // A label at the end may be longer than the strip by three columns.
        if end > width + 3 || !(start.saturating_sub(1)..=end).all(free) {
            continue;
        }
        line.resize(line.len().max(end), ' ');
        line[start..end].copy_from_slice(&label);
    }
    line.into_iter().collect()
}

/// A duration as the label of an axis: `100n`, `1u`, `10m`, `1s`; other labels as they are.
fn short(label: &str) -> String {
    match label.rsplit_once(' ') {
        Some((number, "s")) => format!("{number}s"),
        Some((number, unit @ ("ns" | "us" | "ms"))) => {
            format!("{number}{}", unit.trim_end_matches('s'))
        }
        _ => label.replace(' ', ""),
    }
}

/// The marks of one row, without spaces at the end.
pub(super) fn drawn(marks: &[Mark], axis: &Scale, width: usize) -> String {
    let mut line = vec![' '; width];
    let find = |what: What| marks.iter().filter(move |mark| mark.what == what);
    let median = find(What::Median).find_map(|mark| place(axis, mark.value, width));
    for (what, sign, _) in SIGNS {
        for at in find(what).filter_map(|mark| place(axis, mark.value, width)) {
            match sign {
                Sign::Point(sign) => line[at] = sign,
                Sign::Line(sign) => {
                    let from = median.unwrap_or(at).min(at);
                    line[from..=at].fill(sign);
                }
            }
        }
    }
    line.into_iter().collect::<String>().trim_end().to_owned()
}

/// What the signs in a table mean; absent if it holds no strip.
pub(super) fn keys(strips: &[Vec<Mark>], style: &Style) -> Option<String> {
    let held = |what: What| strips.iter().flatten().any(|mark| mark.what == what);
    let keys = KEYS.iter().filter(|what| held(**what)).filter_map(|what| {
        let (_, sign, name) = SIGNS.iter().find(|(of, ..)| of == what)?;
        Some(format!("{} {name}", style.signs(&sign.shown().to_string())))
    });
    let keys: Vec<String> = keys.collect();
    (!keys.is_empty()).then(|| keys.join(&style.signs(" · ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mark(what: What, value: f64) -> Mark {
        Mark { what, value, low: value, high: value, of: 0, words: String::new() }
    }

    fn row(median: f64, p90: f64, p99: f64, worst: f64) -> Vec<Mark> {
        let all =
            [(What::Median, median), (What::P90, p90), (What::P99, p99), (What::Worst, worst)];
        all.map(|(what, value)| mark(what, value)).into()
    }

    #[test]
    fn labels_begin_at_their_ticks_and_marks_are_where_their_values_are() {
        let axis = Scale::log(Unit::Ns, [100.0, 1e7]);
        let width = width(&axis, 80);
        assert_eq!(width, 26);
        assert_eq!(head(&axis, width), "100n 1u   10u  100u 1m   10m");
        assert_eq!(drawn(&row(34e3, 41e3, 160e3, 7e6), &axis, width), "             ●───       ·");
        let clock = [(What::Read, 200.0), (What::Ordered, 210.0), (What::Cold, 4e3)];
        let clock = clock.map(|(what, value)| mark(what, value));
        // What is cheapest to reach stands above what hides behind it.
        assert_eq!(drawn(&clock, &axis, width), "  ●     ×");
    }

    #[test]
    fn signs_of_one_strip_differ_also_in_ascii() {
        let style = Style { unicode: false, ..Style::default() };
        for kinds in [&KEYS[..3], &KEYS[3..7]] {
            let strips = vec![kinds.iter().map(|what| mark(*what, 1.0)).collect::<Vec<_>>()];
            let keys = keys(&strips, &style).expect("keys");
            assert!(keys.is_ascii(), "{keys}");
            let signs: std::collections::BTreeSet<_> =
                keys.split(", ").map(|key| key.chars().next()).collect();
            assert_eq!(signs.len(), kinds.len(), "{keys}");
        }
        assert_eq!(keys(&[Vec::new()], &style), None);
    }

    fn any() -> impl Strategy<Value = f64> {
        let odd = [f64::NAN, 0.0, -1.0, 1e308, 1e-308, f64::INFINITY, f64::NEG_INFINITY];
        prop_oneof![proptest::sample::select(odd.to_vec()), -1e3..1e12]
    }

    proptest! {
        #[test]
        fn a_strip_never_exceeds_its_width(
            values in proptest::collection::vec(any(), 0..8),
            room in 0usize..200,
            own in any(),
        ) {
            let scales = [
                Scale::log(Unit::Ns, decades(values.iter().copied())),
                Scale::log(Unit::Ns, values.iter().copied()),
                Scale::linear(Unit::Change, -0.1, own),
            ];
            let whats = SIGNS.iter().cycle();
            let marks: Vec<Mark> = values.iter().zip(whats).map(|(v, it)| mark(it.0, *v)).collect();
            for scale in scales {
                let width = width(&scale, room);
                prop_assert!((NARROWEST..=WIDEST).contains(&width));
                prop_assert!(drawn(&marks, &scale, width).chars().count() <= width);
                prop_assert!(head(&scale, width).chars().count() <= width + 3);
            }
        }
    }
}
