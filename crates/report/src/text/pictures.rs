//! Pictures in characters: strips, whose marks are on the axis that all rows of a column share,
//! five columns to a decade, and a small plot of points on two logarithmic axes.

use super::style::{INDENT, Style, columns};
use crate::block::chart::{Chart, Drawn, Mark, Place, Shape, What};
use crate::block::{Table, Tone, Value};
use crate::clean::clean;
use crate::number::short;
use crate::scale::{self, Division, Scale, Unit, decades};
use std::collections::BTreeSet;

/// Columns of a decade, if there is room.
const DECADE: usize = 5;
/// The narrowest and the widest strip, and one whose axis is not logarithmic, in columns.
pub(super) const NARROWEST: usize = 16;
const WIDEST: usize = 41;
const PLAIN: usize = 26;

/// What marks are drawn with and called: the sign, and whether it is that of a line that ends
/// there. What comes later is drawn over what comes before.
const SIGNS: [(What, char, bool, &str); 9] = [
    (What::P99, '─', true, "to p99"),
    (What::P90, '━', true, "to p90"),
    (What::Worst, '·', false, "the worst"),
    (What::Reference, '│', false, "in C"),
    (What::Cold, '×', false, "cold"),
    (What::Ordered, '○', false, "ordered"),
    (What::Read, '●', false, "read"),
    (What::Median, '●', false, "median"),
    (What::Change, '●', false, "change"),
];

/// The strips of a column; none if it holds no strip.
pub(super) fn strips_of_column(table: &Table, at: usize) -> impl Iterator<Item = &[Mark]> {
    let strips = table.column(at).filter(|cell| matches!(cell.value, Value::Strip(_)));
    strips.map(|cell| cell.value.marks())
}

/// The axis of a column of strips: its own, or the whole decades that hold all values; absent if
/// the column holds no strip.
pub(super) fn strip_axis(table: &Table, at: usize) -> Option<Scale> {
    strips_of_column(table, at).next()?;
    let values = || strips_of_column(table, at).flatten().map(|mark| mark.value);
    let own = table.columns.get(at).and_then(|column| column.axis);
    Some(own.unwrap_or_else(|| Scale::log(Unit::Ns, decades(values()))))
}

/// The columns that strips on this axis take on a screen with this many columns left for them.
fn strip_width(axis: &Scale, room: usize) -> usize {
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
fn strip_column(axis: &Scale, value: f64, width: usize) -> Option<usize> {
    let at = axis.at(value).clamp(0.0, 1.0) * width.saturating_sub(1) as f64;
    (!value.is_nan()).then(|| at.round() as usize)
}

/// The labels of the axis, each beginning at its tick: `100n 1u   10u  100u 1m   10m`.
pub(super) fn strip_labels(axis: &Scale, room: usize) -> String {
    let width = strip_width(axis, room);
    let mut ticks = axis.ticks();
    ticks.retain(|tick| tick.at.is_finite() && tick.level < 2);
    // The most important labels take their places first.
    ticks.sort_by(|a, b| a.level.cmp(&b.level).then(a.at.total_cmp(&b.at)));
    let mut line: Vec<char> = Vec::new();
    for tick in ticks {
        let start = (tick.at.clamp(0.0, 1.0) * width.saturating_sub(1) as f64).round() as usize;
        let label: Vec<char> = short_label(&tick.label).chars().collect();
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
fn short_label(label: &str) -> String {
    match label.rsplit_once(' ') {
        Some((number, "s")) => format!("{number}s"),
        Some((number, unit @ ("ns" | "us" | "ms"))) => {
            format!("{number}{}", unit.trim_end_matches('s'))
        }
        _ => label.replace(' ', ""),
    }
}

/// The marks of one row, without spaces at the end.
pub(super) fn strip_line(marks: &[Mark], axis: &Scale, room: usize) -> String {
    let width = strip_width(axis, room);
    let mut line = vec![' '; width];
    let find = |what: What| marks.iter().filter(move |mark| mark.what == what);
    let median = find(What::Median).find_map(|mark| strip_column(axis, mark.value, width));
    for (what, sign, is_line, _) in SIGNS {
        for at in find(what).filter_map(|mark| strip_column(axis, mark.value, width)) {
            // From the median to the figure.
            let from = median.filter(|_| is_line).unwrap_or(at).min(at);
            line[from..=at].fill(sign);
        }
    }
    line.into_iter().collect::<String>().trim_end().to_owned()
}

/// What the signs of these marks mean; absent if there are none.
pub(super) fn strip_keys(marks: &BTreeSet<What>, style: &Style) -> Option<String> {
    let keys = marks.iter().filter_map(|what| {
        let (_, sign, _, name) = SIGNS.iter().find(|(of, ..)| of == what)?;
        Some(format!("{} {name}", style.signs(&sign.to_string())))
    });
    let keys: Vec<String> = keys.collect();
    (!keys.is_empty()).then(|| keys.join(&style.signs(" · ")))
}

// A small plot of points on two logarithmic axes, in characters.

/// The most rows and columns of the area, and the fewest columns.
const ROWS: usize = 6;
const COLUMNS: (usize, usize) = (24, 60);
/// The width of a label of the vertical axis, such as `100 us`.
const LABEL: usize = 6;
/// Spaces between the area and the names next to it.
const BETWEEN: usize = 3;
/// By how many columns the horizontal axis is longer than the area.
const OVERHANG: usize = 2;

/// A logarithmic axis from one power of ten to another.
struct Axis {
    low: i32,
    decades: usize,
    cells: usize,
}

impl Axis {
    /// The axis that holds these values in at most this many cells; decades at its lower end are
    /// left out if there are too many, and values there count as the lowest.
    fn of(values: impl Iterator<Item = f64> + Clone, cells: usize) -> Self {
        let logs = values.filter(|v| v.is_finite() && *v > 0.0).map(f64::log10);
        let low = logs.clone().fold(f64::INFINITY, f64::min);
        let high = logs.fold(f64::NEG_INFINITY, f64::max);
        let (low, high) =
            if low.is_finite() { (low.floor() as i32, high.ceil() as i32) } else { (0, 1) };
        let most = cells.saturating_sub(1).max(1);
        let decades = ((high - low).max(1) as usize).min(most);
        Self { low: high.max(low + 1) - decades as i32, decades, cells: most / decades }
    }

    /// The axis with decades added at its upper end, until no more fit.
    fn filled(mut self, cells: usize) -> Self {
        while (self.decades + 1) * self.cells < cells {
            self.decades += 1;
        }
        self
    }

    fn len(&self) -> usize {
        self.decades * self.cells + 1
    }

    fn at(&self, value: f64) -> usize {
        let log = value.max(f64::MIN_POSITIVE).log10() - f64::from(self.low);
        let at = (log * self.cells as f64).round().max(0.0) as usize;
        at.min(self.len() - 1)
    }

    /// The value of a cell at which a decade begins.
    fn label(&self, cell: usize) -> Option<f64> {
        let decade = (cell / self.cells) as i32;
        (cell.is_multiple_of(self.cells)).then(|| 10f64.powi(self.low + decade))
    }
}

/// The points of a chart, each with the name of its series.
fn points_of(chart: &Chart) -> Vec<(&str, &Place)> {
    let Drawn::Plane(plane) = &chart.drawn else {
        return Vec::new();
    };
    let points = plane.series.iter().flat_map(|series| match &series.shape {
        Shape::Points { at, .. } => at.iter().map(|at| (&*series.name, at)).collect(),
        _ => Vec::new(),
    });
    points.collect()
}

/// The lines of a plot, indented, with the names of its points next to it, or below it if there is
/// no room.
pub(crate) fn plot_lines(chart: &Chart, style: &Style) -> Vec<String> {
    let points = points_of(chart);
    if points.is_empty() {
        return Vec::new();
    }
    let letters = (b'a'..=b'z').map(char::from);
    let points: Vec<(char, (&str, &Place))> = letters.zip(points).collect();
    let name = |(letter, (name, _)): &(char, (&str, &Place))| {
        let letter = style.paint(Tone::Strong, &letter.to_string());
        format!("{letter} {}", style.signs(&clean(name)))
    };
    let caption = style.paint(Tone::Dim, &style.signs(&clean(&chart.title)));
    let names: Vec<String> = std::iter::once(caption).chain(points.iter().map(name)).collect();
    let widest = names.iter().map(|name| columns(name)).max().unwrap_or(0);
    let frame = INDENT + LABEL + 2;
    let beside = style.width.saturating_sub(frame + BETWEEN + widest);
    let is_beside = beside >= COLUMNS.0;
    let room = if is_beside { beside } else { style.width.saturating_sub(frame + OVERHANG) };
    let across = Axis::of(points.iter().map(|(_, (_, at))| at.x), room.clamp(COLUMNS.0, COLUMNS.1));
    let up = Axis::of(points.iter().map(|(_, (_, at))| at.y), ROWS).filled(ROWS);
    let mut area = vec![vec![' '; across.len()]; up.len()];
    for (letter, (_, place)) in &points {
        let row = &mut area[up.at(place.y)];
        if let Some(at) = nearest_free(row, across.at(place.x)) {
            row[at] = *letter;
        }
    }
    let [tick, wall] = if style.unicode { ['┤', '│'] } else { ['+', '|'] };
    let mut out = Vec::new();
    for (nth, row) in area.iter().enumerate().rev() {
        let label = up.label(nth).map(short);
        let wall = if label.is_some() { tick } else { wall };
        let label = format!("{:>LABEL$} {wall}", label.unwrap_or_default());
        let cells: String = row.iter().collect();
        let letters = style.paint(Tone::Name, &cells);
        let line = format!("{}{}{letters}", " ".repeat(INDENT), style.paint(Tone::Dim, &label));
        out.push(line);
    }
    let below = format!("{}{}", " ".repeat(INDENT + LABEL + 1), axis_below(&across, style));
    out.push(style.paint(Tone::Dim, &below));
    if !is_beside {
        let names = names.into_iter().map(|name| format!("{}{name}", " ".repeat(INDENT)));
        let mut below: Vec<String> = names.collect();
        let caption = below.remove(0);
        return std::iter::once(caption).chain(out).chain(below).collect();
    }
    let width = frame + across.len() + BETWEEN;
    out.resize(out.len().max(names.len()), String::new());
    for (line, name) in out.iter_mut().zip(names) {
        let pad = width.saturating_sub(columns(line));
        line.push_str(&format!("{}{name}", " ".repeat(pad)));
    }
    out
}

/// The line below the area, with the labels of the decades in it.
fn axis_below(across: &Axis, style: &Style) -> String {
    let (corner, dash) = if style.unicode { ('└', '─') } else { ('+', '-') };
    // The last label begins left of its tick and ends right of it.
    let mut line = vec![dash; across.len() + OVERHANG];
    for (at, share) in (0..across.len()).filter_map(|at| Some((at, across.label(at)?))) {
        let label = scale::words(Unit::Share, share);
        let label: Vec<char> = label.chars().collect();
        let start = at.min(line.len().saturating_sub(label.len()));
        for (cell, c) in line.iter_mut().skip(start).zip(label) {
            *cell = c;
        }
    }
    std::iter::once(corner).chain(line).collect()
}

/// The free cell that is nearest to a place, so that no point hides another.
fn nearest_free(row: &[char], at: usize) -> Option<usize> {
    let free = (0..row.len()).filter(|cell| row[*cell] == ' ');
    free.min_by_key(|cell| cell.abs_diff(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::chart::{Axis, Hue, Plane, Series};
    use crate::scale::{Scale, Unit};
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
        let width = strip_width(&axis, 80);
        assert_eq!(width, 26);
        assert_eq!(strip_labels(&axis, width), "100n 1u   10u  100u 1m   10m");
        assert_eq!(
            strip_line(&row(34e3, 41e3, 160e3, 7e6), &axis, width),
            "             ●───       ·"
        );
        let clock = [(What::Read, 200.0), (What::Ordered, 210.0), (What::Cold, 4e3)];
        let clock = clock.map(|(what, value)| mark(what, value));
        // What is cheapest to reach stands above what hides behind it.
        assert_eq!(strip_line(&clock, &axis, width), "  ●     ×");
    }

    #[test]
    fn signs_of_one_strip_differ_also_in_ascii() {
        let style = Style { unicode: false, ..Style::default() };
        let clock = [What::Read, What::Ordered, What::Cold];
        let wait = [What::Median, What::P90, What::P99, What::Worst];
        for kinds in [&clock[..], &wait] {
            let keys = strip_keys(&kinds.iter().copied().collect(), &style).expect("keys");
            assert!(keys.is_ascii(), "{keys}");
            let signs: BTreeSet<_> = keys.split(", ").map(|key| key.chars().next()).collect();
            assert_eq!(signs.len(), kinds.len(), "{keys}");
        }
        assert_eq!(strip_keys(&BTreeSet::new(), &style), None);
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
                let width = strip_width(&scale, room);
                prop_assert!((NARROWEST..=WIDEST).contains(&width));
                prop_assert!(strip_line(&marks, &scale, width).chars().count() <= width);
                prop_assert!(strip_labels(&scale, width).chars().count() <= width + 3);
            }
        }
    }

    fn plot(points: &[(&str, f64, f64)]) -> Chart {
        let series = points.iter().map(|(name, share, ns)| Series {
            name: (*name).into(),
            hue: Hue::Accent,
            shape: Shape::Points {
                at: vec![Place { x: *share, y: *ns, hollow: false, words: String::new() }],
                joined: false,
            },
        });
        let axis = |unit| Axis { name: "".into(), scale: Scale::log(unit, []) };
        let plane = Plane {
            x: axis(Unit::Share),
            y: axis(Unit::Ns),
            series: series.collect(),
            notes: Vec::new(),
        };
        Chart { title: "overshoot".into(), alt: String::new(), drawn: Drawn::Plane(plane) }
    }

    fn drawn(plot: &Chart, width: usize, unicode: bool) -> Vec<String> {
        let style = Style { width, unicode, ..Style::default() };
        plot_lines(plot, &style)
    }

    /// A name that has no room next to the area, so that lines with a wall show only the area.
    const LONG: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

    /// The row, counted from above, and the column of each letter.
    fn places(lines: &[String], letter: char) -> Vec<(usize, usize)> {
        let area = lines.iter().enumerate().filter_map(|(nth, line)| {
            let wall = line.find(['┤', '│', '+', '|'])?;
            let cells = line[wall..].chars().position(|c| c == letter);
            Some((nth, cells?))
        });
        area.collect()
    }

    #[test]
    fn points_are_where_their_values_are() {
        let plot = plot(&[(LONG, 1.0, 80.0), (LONG, 0.02, 55e3), (LONG, 0.05, 3e3)]);
        for unicode in [true, false] {
            let lines = drawn(&plot, 60, unicode);
            let [a, b, c] = ['a', 'b', 'c'].map(|letter| places(&lines, letter)[0]);
            // The slowest is on top, the most expensive on the right.
            assert!(b.0 < c.0 && c.0 < a.0, "{lines:#?}");
            assert!(b.1 < c.1 && c.1 < a.1, "{lines:#?}");
            let axis = lines.iter().find(|line| line.contains("100 %")).expect("an axis");
            assert!(axis.contains(" %") && axis.contains("10 %"), "{lines:#?}");
            assert!(lines[0].ends_with("overshoot") && lines.iter().any(|l| l.contains("100 us")));
            assert!(unicode || lines.iter().all(|line| line.is_ascii()), "{lines:#?}");
        }
    }

    #[test]
    fn no_point_hides_another_and_none_is_lost() {
        let plot = plot(&[(LONG, 0.5, 100.0), (LONG, 0.5, 100.0), (LONG, 0.0, 0.0)]);
        let lines = drawn(&plot, 60, true);
        for letter in ['a', 'b', 'c'] {
            assert_eq!(places(&lines, letter).len(), 1, "{letter} in {lines:#?}");
        }
        for width in [20, 60, 80, 132] {
            let lines = drawn(&plot, width, true);
            assert!(lines.iter().all(|line| columns(line) <= width.max(40)), "{lines:#?}");
        }
    }

    #[test]
    fn names_that_have_no_room_next_to_the_area_are_below_it() {
        let long = "windows/waitable-timer-high-resolution, period 1 ms";
        let plot = plot(&[(long, 0.5, 100.0)]);
        let lines = drawn(&plot, 60, true);
        assert_eq!(lines.last(), Some(&format!("  a {long}")));
    }

    #[test]
    fn values_of_any_size_are_drawn() {
        let plot = plot(&[("a", 1e-9, 1.0), ("b", 7.5, 3.6e12), ("c", f64::NAN, f64::INFINITY)]);
        for width in [20, 60, 160] {
            assert!(drawn(&plot, width, true).len() <= ROWS + 2 + 3);
        }
    }
}
