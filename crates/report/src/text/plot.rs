//! A small plot of points on two logarithmic axes, in characters.

use super::style::{INDENT, Style, columns};
use crate::block::Tone;
use crate::block::chart::{Chart, Drawn, Place, Shape};
use crate::clean::clean;
use crate::number::short;

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

/// A point: its name, its share, and its nanoseconds.
struct Point<'a> {
    name: &'a str,
    share: f64,
    ns: f64,
}

/// The points of a chart, by series.
fn points(chart: &Chart) -> Vec<Point<'_>> {
    let Drawn::Plane(plane) = &chart.drawn else {
        return Vec::new();
    };
    let of = |name, at: &Place| Point { name, share: at.x, ns: at.y };
    let points = plane.series.iter().flat_map(|series| match &series.shape {
        Shape::Points { at, .. } => at.iter().map(|at| of(&*series.name, at)).collect(),
        _ => Vec::new(),
    });
    points.collect()
}

/// The lines of a plot, indented, with the names of its points next to it, or below it if there is
/// no room.
pub(crate) fn lines(chart: &Chart, style: &Style) -> Vec<String> {
    let points = points(chart);
    if points.is_empty() {
        return Vec::new();
    }
    let letters = (b'a'..=b'z').map(char::from);
    let points: Vec<(char, &Point)> = letters.zip(&points).collect();
    let name = |(letter, point): &(char, &Point)| {
        let letter = style.paint(Tone::Strong, &letter.to_string());
        format!("{letter} {}", style.signs(&clean(point.name)))
    };
    let caption = style.paint(Tone::Dim, &style.signs(&clean(&chart.title)));
    let names: Vec<String> = std::iter::once(caption).chain(points.iter().map(name)).collect();
    let widest = names.iter().map(|name| columns(name)).max().unwrap_or(0);
    let frame = INDENT + LABEL + 2;
    let beside = style.width.saturating_sub(frame + BETWEEN + widest);
    let is_beside = beside >= COLUMNS.0;
    let room = if is_beside { beside } else { style.width.saturating_sub(frame + OVERHANG) };
    let across =
        Axis::of(points.iter().map(|(_, point)| point.share), room.clamp(COLUMNS.0, COLUMNS.1));
    let up = Axis::of(points.iter().map(|(_, point)| point.ns), ROWS).filled(ROWS);
    let mut area = vec![vec![' '; across.len()]; up.len()];
    for (letter, point) in &points {
        let row = &mut area[up.at(point.ns)];
        if let Some(at) = nearest_free(row, across.at(point.share)) {
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
    let below = format!("{}{}", " ".repeat(INDENT + LABEL + 1), axis(&across, style));
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
fn axis(across: &Axis, style: &Style) -> String {
    let (corner, dash) = if style.unicode { ('└', '─') } else { ('+', '-') };
    // The last label begins left of its tick and ends right of it.
    let mut line = vec![dash; across.len() + OVERHANG];
    for (at, share) in (0..across.len()).filter_map(|at| Some((at, across.label(at)?))) {
        let label = match share {
            0.01.. => format!("{:.0} %", share * 100.0),
            _ => format!("{} %", short_share(share * 100.0)),
        };
        let label: Vec<char> = label.chars().collect();
        let start = at.min(line.len().saturating_sub(label.len()));
        for (cell, c) in line.iter_mut().skip(start).zip(label) {
            *cell = c;
        }
    }
    std::iter::once(corner).chain(line).collect()
}

/// A power of ten below one, in per cent, without zeros at its end: `0.1`.
fn short_share(percent: f64) -> String {
    let text = format!("{percent:.6}");
    text.trim_end_matches('0').to_owned()
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
        lines(plot, &style)
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
