//! The differences between successive reads as two charts: the usual ones, each value exactly as
//! counted, and all of them on logarithmic axes.

use super::super::page::{FURTHEST, is_drawn};
use crate::block::chart::{Axis, Bar, Chart, Drawn, Hue, Note, Plane, Series, Shape};
use crate::number::{count, percent, short};
use crate::scale::{Scale, Unit};
use chronoscope_model::deltas::{Deltas, Row};
use chronoscope_model::histogram::Decoded;

/// The usual differences end at this many times the typical one.
const USUAL: f64 = 4.0;
/// Bars above this share are labelled, unless another label is closer than this part of the width
/// and of the height.
const LABELLED: f64 = 0.03;
const APART: [f64; 2] = [0.2, 0.1];
/// Shares of differences with the words for the rest.
const RARE: [(f64, &str); 2] = [(0.999, "1 in 1,000"), (0.99999, "1 in 100,000")];

/// How many differences there are.
pub(super) fn total(deltas: &Deltas) -> u64 {
    let rows = deltas.rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.count));
    rows.max(deltas.histogram.count.saturating_add(deltas.negative))
}

/// The longest difference, in nanoseconds; absent if it is not a time that can be drawn.
pub(super) fn longest(deltas: &Deltas) -> Option<f64> {
    let ns = deltas.max_ticks as f64 * deltas.ns_per_tick;
    (ns > 0.0 && is_drawn(ns)).then_some(ns)
}

/// Where the usual differences end, in nanoseconds: four times the median, or four times the median
/// change of a clock that mostly does not change between two reads. Never far above the longest.
pub(super) fn usual(deltas: &Deltas) -> Option<f64> {
    let median = deltas.histogram.p50_ns.map(|ns| ns as f64);
    let change = deltas.changes.map(|changes| changes.median_ns);
    let typical = [median, change].into_iter().flatten().find(|ns| *ns > 0.0 && is_drawn(*ns));
    let longest = longest(deltas)?;
    let end = USUAL * typical.unwrap_or(longest);
    Some(rounded(end).min(longest * 1.25))
}

/// A length to two digits, so that a sentence about it has no more.
fn rounded(ns: f64) -> f64 {
    let unit = 10f64.powf(ns.log10().floor() - 1.0);
    (ns / unit).round() * unit
}

/// The rows with a finite time from `0` on.
fn forwards(deltas: &Deltas) -> impl Iterator<Item = &Row> + Clone {
    deltas.rows.iter().filter(|row| (0.0..=FURTHEST).contains(&row.ns) && row.count > 0)
}

/// The share of all differences that are usual; absent if the report leaves some of them out.
pub(super) fn share_of_usual(deltas: &Deltas) -> Option<f64> {
    let end = usual(deltas).filter(|_| deltas.rows_left_out == 0)?;
    let counts = forwards(deltas).filter(|row| row.ns <= end).map(|row| row.count);
    Some(counts.fold(0, u64::saturating_add) as f64 / total(deltas).max(1) as f64)
}

fn of(number: u64, total: u64) -> String {
    let share = percent(number as f64 / total.max(1) as f64);
    format!("{} of {}, {share}", count(number), count(total))
}

fn plane(x: (&'static str, Scale), y: (&'static str, Scale), bars: Vec<Bar>) -> Plane {
    let axis = |(name, scale): (&'static str, Scale)| Axis { name: name.into(), scale };
    let bars = Series { name: String::new(), hue: Hue::Accent, shape: Shape::Bars(bars) };
    Plane { x: axis(x), y: axis(y), series: vec![bars], notes: Vec::new() }
}

/// The usual differences; `about` is what the title names besides. Absent if there are none.
pub(super) fn near(deltas: &Deltas, about: &str) -> Option<Chart> {
    let end = usual(deltas)?;
    let all = total(deltas);
    let mut rows: Vec<&Row> = forwards(deltas).filter(|row| row.ns <= end).collect();
    rows.sort_by(|a, b| a.ns.total_cmp(&b.ns));
    let share = |row: &Row| row.count as f64 / all.max(1) as f64;
    let highest = rows.iter().map(|row| share(row)).fold(0.0, f64::max);
    if highest <= 0.0 {
        return None;
    }
    // Bars must not touch, because values between them were not seen.
    let closest = rows.windows(2).map(|two| two[1].ns - two[0].ns).filter(|gap| *gap > 0.0);
    let half = 0.4 * closest.fold(end / 40.0, f64::min);
    let bars = rows.iter().map(|row| Bar {
        from: row.ns - half,
        to: row.ns + half,
        height: share(row),
        words: format!("{}: {}", short(row.ns), of(row.count, all)),
    });
    let x = ("difference between two reads", Scale::linear(Unit::Ns, -half, end + half));
    let y = ("share of reads", Scale::linear(Unit::Share, 0.0, highest * 1.12));
    let mut plane = plane(x, y, bars.collect());
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    for row in rows.iter().filter(|row| share(row) > LABELLED) {
        let [x, y] = [row.ns, share(row)];
        let hits = |note: &Note| {
            (note.x - x).abs() < APART[0] * end && (note.y - y).abs() < APART[1] * highest
        };
        if !plane.notes.iter().any(hits) {
            let words = format!("{} {}", short(x), percent(y));
            plane.notes.push(Note { x, y, words, line: false });
        }
    }
    let most = rows.iter().take(4);
    let most: Vec<String> =
        most.map(|row| format!("{} in {}", short(row.ns), percent(share(row)))).collect();
    let alt =
        format!("How often each difference up to {} was seen: {}.", short(end), most.join(", "));
    Some(Chart { title: format!("The usual differences{about}"), alt, drawn: Drawn::Plane(plane) })
}

/// The non-negative differences in nanoseconds with their numbers, from the histogram, which holds
/// all of them; from the rows if it cannot be read.
fn counts(deltas: &Deltas, hdr: Option<&Decoded>) -> Vec<(f64, u64)> {
    match hdr {
        Some(hdr) => {
            let recorded = hdr.iter_recorded();
            recorded.map(|it| (it.value_iterated_to() as f64, it.count_at_value())).collect()
        }
        None => forwards(deltas).map(|row| (row.ns, row.count)).collect(),
    }
}

/// All differences above zero in tenths of a decade. Absent if there are none.
pub(super) fn far(deltas: &Deltas, about: &str) -> Option<Chart> {
    let hdr = deltas.histogram.decode().ok();
    let all = total(deltas);
    let mut tenths: Vec<(i32, u64)> = Vec::new();
    let mut zeros = 0u64;
    for (ns, times) in counts(deltas, hdr.as_ref()) {
        if ns <= 0.0 {
            zeros = zeros.saturating_add(times);
            continue;
        }
        // A millionth keeps 100 ns, whose logarithm may be rounded down, in its own tenth.
        let tenth = (ns.log10() * 10.0 + 1e-6).floor() as i32;
        match tenths.iter_mut().find(|(known, _)| *known == tenth) {
            Some((_, sum)) => *sum = sum.saturating_add(times),
            None => tenths.push((tenth, times)),
        }
    }
    tenths.sort_unstable();
    let edge = |tenth: i32| 10f64.powf(f64::from(tenth) / 10.0);
    let ends = [edge(tenths.first()?.0), edge(tenths.last()?.0 + 1)];
    let most = tenths.iter().map(|(_, times)| *times).max()? as f64;
    let bars = tenths.iter().map(|(tenth, times)| {
        let [from, to] = [edge(*tenth), edge(tenth + 1)];
        let words = format!("{} to {}: {}", short(from), short(to), of(*times, all));
        Bar { from: from * 1.03, to: to / 1.03, height: *times as f64, words }
    });
    let x = ("difference between two reads", Scale::log(Unit::Ns, ends));
    // The axis begins below 1, so that a bar of one has a height.
    let y = ("reads, in tenths of a decade", Scale::log(Unit::Count, [0.6, most]));
    let mut plane = plane(x, y, bars.collect());
    let mut told = Vec::new();
    let recorded = hdr.as_ref().map_or(0, Decoded::len);
    for (nth, (share, rest)) in RARE.into_iter().enumerate() {
        // The sample encloses the quantile with 95 %.
        if hdr.is_none() || (recorded as f64) < 0.05f64.ln() / share.ln() {
            continue;
        }
        let ns = hdr.as_ref().map_or(0, |hdr| hdr.value_at_quantile(share)) as f64;
        if ns > 0.0 {
            let words = format!("{rest} above {}", short(ns));
            told.push(words.clone());
            let y = most.powf(0.94 - 0.22 * nth as f64);
            plane.notes.push(Note { x: ns, y, words, line: true });
        }
    }
    if let Some(ns) = longest(deltas) {
        let words = format!("longest {}", short(ns));
        told.push(words.clone());
        plane.notes.push(Note { x: ns, y: most.powf(0.5), words, line: false });
    }
    if zeros > 0 {
        told.push(format!("{} are zero and have no place on the axis", of(zeros, all)));
    }
    let alt = format!("How many differences are in each tenth of a decade; {}.", told.join(", "));
    Some(Chart { title: format!("All of them{about}"), alt, drawn: Drawn::Plane(plane) })
}
