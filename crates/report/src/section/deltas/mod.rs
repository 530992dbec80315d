//! What lies between two successive reads of a clock.

use super::{
    Detail, FURTHEST, Rows, SECTION as PLAIN, Section, Spec, absent, columns, each, heading_of,
    is_drawn, load_conditions, load_name, shown, times_undisturbed,
};
use crate::block::chart::{Axis, Bar, Chart, Hue, Note, Series, Shape};
use crate::block::{Block, Cell, Fact, Text, Tone, Value};
use crate::number::{count, percent, plural, short, signed, two_digits};
use crate::page::Input;
use crate::scale::{Scale, Unit};
use chronoscope_model::deltas::{Changes, Deltas, Pairs, Row};
use chronoscope_model::histogram::Decoded;
use chronoscope_model::packed::packed;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::run::Gaps;
use chronoscope_model::{Report, units};
use std::collections::BTreeMap;

pub const SECTION: Section = Section {
    id: "deltas",
    records: &[("deltas", "deltas")],
    measured: true,
    terms: packed!("terms.md"),
    view,
    page: Some(page),
    table: Some(|report| {
        let all = report.deltas.iter();
        let rows = all.flat_map(|deltas| deltas.rows.iter().map(move |row| (deltas, row, 0.0)));
        Rows::data(columns()).of_all(rows)
    }),
    ..PLAIN
};

/// Rows shown at the beginning and at the end of a long table.
const HEAD: usize = 16;
const TAIL: usize = 8;

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief || report.deltas.is_empty() {
        return absent(detail, "No differences were measured.");
    }
    let mut blocks = Vec::new();
    for deltas in report.deltas.iter().filter(|deltas| deltas.load.is_none()) {
        blocks.push(heading_of(&deltas.id, deltas.call.as_ref()));
        blocks.push(described(report, deltas));
        let under = under(report, deltas);
        blocks.extend((!under.is_empty()).then(|| Block::legend("Without a load:")));
        blocks.extend(rows(deltas, detail, "-v shows them"));
        blocks.extend(loaded(deltas, &under, detail));
        if detail == Detail::Everything {
            for (_, deltas) in under {
                blocks.push(Block::legend(format!("Under load {}:", load_name(deltas.load))));
                blocks.extend(rows(deltas, detail, ""));
            }
        }
    }
    blocks.extend(load_conditions(report));
    blocks
}

/// What is known of the differences apart from their values.
fn described(report: &Report, deltas: &Deltas) -> Block {
    let mut facts = facts(deltas, report.run.complete, report.environment.below_kernel());
    if let Some(share) = deltas.shared.filter(|share| *share > 0.0) {
        let text = format!("in {} of the checks next to the reads", percent(share));
        facts.push(Fact::new("core shared", text));
    }
    facts.extend(taken(report));
    Block::Facts(facts)
}

/// The differences without a load next to those under each.
fn loaded(deltas: &Deltas, under: &[Pair<'_>], detail: Detail) -> Option<Block> {
    let rows = [(deltas, deltas)].into_iter().chain(under.iter().copied());
    (!under.is_empty()).then(|| shown(under_loads(), detail, rows))
}

/// The differences without a load, and those without or with one.
type Pair<'a> = (&'a Deltas, &'a Deltas);

/// The differences of the same clock under each load.
fn under<'a>(report: &'a Report, deltas: &'a Deltas) -> Vec<Pair<'a>> {
    let under = report.deltas.iter().filter(|it| it.id == deltas.id && it.load.is_some());
    under.map(|it| (deltas, it)).collect()
}

/// What each load changes.
fn under_loads<'a>() -> Vec<Spec<Pair<'a>>> {
    fn percentile((_, deltas): &Pair, percentile: Percentile) -> Cell {
        Cell::ns(deltas.histogram.percentile(percentile).map(|ns| ns as f64))
    }
    fn largest(deltas: &Deltas) -> Option<f64> {
        Some(deltas.max_ticks as f64 * deltas.ns_per_tick)
    }
    fn empty(deltas: &Deltas) -> Option<f64> {
        deltas.nothing_measured.as_ref().map(|nothing| nothing.max_ns)
    }
    columns! { pair in Pair;
        "" "load" [full also_name] Cell::text(load_name(pair.1.load));
        "" "reads" [full right optional] Cell::count(pair.1.reads);
        "" "zeros" [full right optional] Cell::new(Value::Share(pair.1.zero_share));
        "" "backwards" [full right]
            Cell::count(pair.1.negative).toned_if(pair.1.negative > 0, Tone::Bad);
        "" "p50" [full right] percentile(pair, Percentile::P50);
        "" "p99" [full right] percentile(pair, Percentile::P99);
        "" "p99.9" [full right] percentile(pair, Percentile::P999);
        "" "largest" [full right] Cell::ns(largest(pair.1));
        "" "× none" [full decimal close] times_undisturbed(largest(pair.1), largest(pair.0));
        "" "empty\ninterval" [full right] Cell::ns(empty(pair.1));
        "" "× none" [full decimal close] times_undisturbed(empty(pair.1), empty(pair.0));
    }
}

/// Who takes time from a thread that spins on this CPU.
fn taken(report: &Report) -> Option<Fact> {
    let taken = report.ruler.as_ref()?.noise.taken?;
    let gaps = |by: &str, gaps: Gaps| {
        let longest = match gaps.count {
            0 => String::new(),
            _ => format!(", longest {}", short(gaps.longest_ns)),
        };
        format!("{} by the {by}{longest}", percent(taken.share(gaps)))
    };
    let text = format!(
        "{}; {}; in {} of spinning",
        gaps("kernel or another thread", taken.kernel),
        gaps(report.environment.below_kernel(), taken.below),
        short(taken.watched_ns)
    );
    Some(Fact::new("time taken", text))
}

/// `below` is what takes time without entering the kernel.
fn facts(deltas: &Deltas, complete: bool, below: &str) -> Vec<Fact> {
    let reads = match deltas.wanted {
        Some(wanted) => {
            let until =
                if complete { "before the time was up" } else { "before the run was interrupted" };
            let of = format!("{} of {} {until}", count(deltas.reads), count(wanted));
            Text::toned(Tone::Warn, of)
        }
        None => count(deltas.reads).into(),
    };
    let mut unit = short(deltas.ns_per_tick);
    if let Some(ppm) = deltas.ns_per_tick_ppm {
        unit = format!("{unit} (measured, ±{:.0} ppm)", ppm.ceil());
    }
    let largest_ns = deltas.max_ticks as f64 * deltas.ns_per_tick;
    let largest = short(largest_ns);
    let runtime = deltas.runtime.as_ref().map(|name| Fact::new("runtime", name.as_str()));
    let mut facts: Vec<Fact> = runtime.into_iter().collect();
    facts.extend([
        Fact::new("reads", reads.and(format!(", in ticks of {unit} below"))),
        Fact::new("zeros", percent(deltas.zero_share)),
        Fact::new(
            "backwards",
            match deltas.negative {
                0 => format!("none in {}", plural(deltas.reads, "read", "reads")).into(),
                n => Text::toned(Tone::Bad, plural(n, "time", "times")),
            },
        ),
        Fact::new("largest", format!("{} ({largest})", ticks(deltas.max_ticks))),
    ]);
    if let Some(changes) = &deltas.changes {
        let all =
            [("min", changes.min_ns), ("mean", changes.mean_ns), ("median", changes.median_ns)];
        let texts = all.map(|(name, ns)| format!("{name} {}", short(ns)).into());
        facts.push(Fact::new("not zero", Text::dotted(texts)));
    }
    let h = &deltas.histogram;
    if h.count > 0 {
        let percentiles = Percentile::ALL.iter().filter_map(|percentile| {
            let ns = h.percentile(*percentile)?;
            Some((percentile.name(), ns))
        });
        let texts = percentiles.chain([("max", h.max_ns)]);
        // The end of a bucket may be beyond the largest difference that it holds.
        let texts = texts.map(|(name, ns)| (name, (ns as f64).min(largest_ns)));
        let texts = texts.map(|(name, ns)| format!("{name} {}", short(ns)).into());
        facts.push(Fact::new("percentiles", Text::dotted(texts)));
    }
    facts.extend(deltas.periods.iter().map(|period| {
        let every = short(period.period_ns);
        let times = plural(period.count, "time", "times");
        let of = period.periods.map(|all| format!(" in {}", plural(all, "period", "periods")));
        let of = of.unwrap_or_default();
        Fact::new("period", format!("{} every {every}, {times}{of}", period.name))
    }));
    if let Some(nothing) = &deltas.nothing_measured {
        let text = format!(
            "up to {} ({}{}) in {}",
            ticks(nothing.max_ticks),
            short(nothing.max_ns),
            match nothing.interrupted {
                Some(true) => ", by the kernel or another thread".to_owned(),
                Some(false) => format!(", by the {below}"),
                None => String::new(),
            },
            plural(nothing.tries, "try", "tries")
        );
        facts.push(Fact::new("empty interval", text));
        if nothing.min_ns < 0.0 {
            let text = format!("an empty interval lasted {}", short(nothing.min_ns));
            facts.push(Fact::new("below zero", Text::toned(Tone::Bad, text)));
        }
    }
    facts.extend(deltas.pairs.as_ref().map(pairs));
    facts
}

/// What an object that times intervals shows if it is stopped at once.
fn pairs(pairs: &Pairs) -> Fact {
    let text = format!(
        "{}: mean {}, {} zero, up to {} ({}) in {}",
        pairs.call,
        short(pairs.mean_ns),
        percent(pairs.zero_share),
        ticks(pairs.max_ticks),
        short(pairs.max_ns),
        plural(pairs.count, "pair", "pairs")
    );
    Fact::new("start and stop", text)
}

fn ticks(ticks: i64) -> String {
    match ticks {
        1 | -1 => format!("{} tick", signed(ticks)),
        _ => format!("{} ticks", signed(ticks)),
    }
}

/// The differences; `shown` says where those are that a long table leaves out.
fn rows(deltas: &Deltas, detail: Detail, shown: &str) -> Vec<Block> {
    let mut sorted: Vec<&Row> = deltas.rows.iter().collect();
    sorted.sort_by_key(|row| row.ticks);
    let most = sorted.iter().map(|row| row.count).max().unwrap_or(0);
    let long = detail != Detail::Everything && sorted.len() > HEAD + TAIL + 1;
    let (head, rest) = sorted.split_at(if long { HEAD } else { sorted.len() });
    let (cut, tail) = rest.split_at(rest.len().saturating_sub(TAIL));
    let mut table = Rows::shown(columns(), detail);
    for &row in head {
        table.row(&(deltas, row, height(row.count, most)));
    }
    if !cut.is_empty() {
        let reads = cut.iter().map(|row| row.count).fold(0, u64::saturating_add);
        let remark = format!(
            "{}, {}: {shown}",
            plural(cut.len() as u64, "row", "rows"),
            plural(reads, "difference", "differences")
        );
        table.group("…", remark);
    }
    for &row in tail {
        table.row(&(deltas, row, height(row.count, most)));
    }
    let table = table.table();
    if table.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(table)];
    if deltas.rows_left_out > 0 {
        let n = deltas.rows_left_out;
        let more = plural(n, "more distinct difference", "more distinct differences");
        let text = format!("The report leaves out {more}.");
        blocks.push(Block::toned(Tone::Dim, text));
    }
    blocks
}

/// The height of a bar on a logarithmic scale: one row is often a million times another, and both
/// matter.
fn height(count: u64, most: u64) -> f64 {
    match (count, most) {
        (0, _) | (_, 0) => 0.0,
        _ => (count as f64).ln_1p() / (most as f64).ln_1p(),
    }
}

/// A clock's differences, one of them, and the height of its bar.
type Height<'a> = (&'a Deltas, &'a Row, f64);

fn columns<'a>() -> Vec<Spec<Height<'a>>> {
    columns! { (deltas, row, height) in Height;
        "id" "ticks" [] Cell::code(&deltas.id);
        "ticks" "Ticks" [full right]
            Cell::new(Value::Whole(row.ticks)).toned_if(row.ticks < 0, Tone::Bad);
        "zero_share" "zeros" [] Cell::number(deltas.zero_share);
        "change_min_ns" "not zero" [] change(deltas, |it| it.min_ns);
        "change_mean_ns" "not zero" [] change(deltas, |it| it.mean_ns);
        "change_median_ns" "not zero" [] change(deltas, |it| it.median_ns);
        "ns" "Time (ns)" [full decimal]
            Cell::number(row.ns).shown(exact(row.ns)).toned_if(row.ticks < 0, Tone::Bad);
        "count" "Count" [full right] Cell::count(row.count);
        "" "log scale" [full] match row.ticks {
            ..0 => Cell::text("below zero"),
            0.. => Cell::new(Value::Bar(*height)).toned(Tone::Name),
        };
        "load" "ticks" [] Cell::text(load_name(deltas.load));
    }
}

fn change(deltas: &Deltas, figure: fn(&Changes) -> f64) -> Cell {
    Cell::number(deltas.changes.as_ref().map(figure))
}

/// A difference is an exact number of ticks: rounded to three digits, two rows could look alike.
fn exact(ns: f64) -> String {
    if !ns.is_finite() {
        "-".into()
    } else if ns.abs() < 999.95 {
        format!("{ns:.1}")
    } else {
        units::grouped(ns)
    }
}

// The differences on a page: the usual ones, all of them, and further facts.

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    let all = inputs.iter().flat_map(|input| &input.report.deltas);
    let mut undisturbed = all.filter(|deltas| deltas.load.is_none());
    let sentence = undisturbed.next().map(page_sentence).unwrap_or_default();
    let mut blocks = vec![Block::noted("What lies between two reads", sentence)];
    let mut clocks = each(inputs, page_of_report);
    // The page's heading has said it of the first clock.
    if let Some(Block::Heading { remark, .. }) = clocks.first_mut() {
        *remark = "".into();
    }
    blocks.append(&mut clocks);
    blocks
}

/// The clocks of one report, each under a heading of its own.
fn page_of_report(input: &Input<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for deltas in input.report.deltas.iter().filter(|deltas| deltas.load.is_none()) {
        let under = under(input.report, deltas);
        blocks.push(Block::remarked(&deltas.id, page_sentence(deltas)));
        blocks.extend(both_charts(deltas, ""));
        for (_, under) in &under {
            blocks.extend(both_charts(under, &format!(", load {}", load_name(under.load))));
        }
        blocks.push(described(input.report, deltas));
        blocks.extend(rows(deltas, Detail::Full, "the report holds them"));
        blocks.extend(loaded(deltas, &under, Detail::Full));
    }
    blocks.extend(load_conditions(input.report));
    blocks
}

fn both_charts(deltas: &Deltas, about: &str) -> impl Iterator<Item = Block> {
    let both = [usual_chart(deltas, about), whole_chart(deltas, about)];
    both.into_iter().flatten().map(Block::Chart)
}

/// What is usual, what is not, and whether the clock went back.
fn page_sentence(deltas: &Deltas) -> String {
    let reads =
        format!("{} of {}", plural(deltas.reads, "successive read", "successive reads"), deltas.id);
    let back = match deltas.negative {
        0 => "None went backwards".to_owned(),
        n => format!("{} went backwards", count(n)),
    };
    let Some(longest) = longest_difference(deltas) else {
        return format!("{reads} showed no time between them. {back}.");
    };
    let longest_words = short(longest);
    match end_of_usual(deltas).zip(share_of_usual(deltas)) {
        Some((usual, share)) if usual < longest => format!(
            "Of {reads}, {} came within {} of the one before; the longest gap was \
             {longest_words}. {back}.",
            percent(share),
            short(usual)
        ),
        _ => format!(
            "Of {reads}, none came later than {longest_words} after the one before. {back}."
        ),
    }
}

// The differences between successive reads as two charts: the usual ones, each value exactly as
// counted, and all of them on logarithmic axes.

/// The usual differences end at this many times the typical one.
const USUAL: f64 = 4.0;
/// Bars above this share are labelled, unless another label is closer than this part of the width
/// and of the height.
const LABELLED: f64 = 0.03;
const APART: [f64; 2] = [0.2, 0.1];
/// Shares of differences with the words for the rest.
const RARE: [(f64, &str); 2] = [(0.999, "1 in 1,000"), (0.99999, "1 in 100,000")];

/// How many differences there are.
fn total_differences(deltas: &Deltas) -> u64 {
    let rows = deltas.rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.count));
    rows.max(deltas.histogram.count.saturating_add(deltas.negative))
}

/// The longest difference, in nanoseconds; absent if it is not a time that can be drawn.
fn longest_difference(deltas: &Deltas) -> Option<f64> {
    let ns = deltas.max_ticks as f64 * deltas.ns_per_tick;
    (ns > 0.0 && is_drawn(ns)).then_some(ns)
}

/// Where the usual differences end, in nanoseconds: four times the median, or four times the median
/// change of a clock that mostly does not change between two reads. Never far above the longest.
fn end_of_usual(deltas: &Deltas) -> Option<f64> {
    let median = deltas.histogram.p50_ns.map(|ns| ns as f64);
    let change = deltas.changes.map(|changes| changes.median_ns);
    let typical = [median, change].into_iter().flatten().find(|ns| *ns > 0.0 && is_drawn(*ns));
    let longest = longest_difference(deltas)?;
    let end = USUAL * typical.unwrap_or(longest);
    // A sentence about it has no more digits.
    Some(two_digits(end).min(longest * 1.25))
}

/// The rows with a finite time from `0` on.
fn forwards(deltas: &Deltas) -> impl Iterator<Item = &Row> + Clone {
    deltas.rows.iter().filter(|row| (0.0..=FURTHEST).contains(&row.ns) && row.count > 0)
}

/// The share of all differences that are usual; absent if the report leaves some of them out.
fn share_of_usual(deltas: &Deltas) -> Option<f64> {
    let end = end_of_usual(deltas).filter(|_| deltas.rows_left_out == 0)?;
    let counts = forwards(deltas).filter(|row| row.ns <= end).map(|row| row.count);
    Some(counts.fold(0, u64::saturating_add) as f64 / total_differences(deltas).max(1) as f64)
}

fn number_of(number: u64, total: u64) -> String {
    let share = percent(number as f64 / total.max(1) as f64);
    format!("{} of {}, {share}", count(number), count(total))
}

fn bars_series(bars: Vec<Bar>) -> Vec<Series> {
    vec![Series { name: String::new(), hue: Hue::Accent, shape: Shape::Bars(bars) }]
}

/// The usual differences; `about` is what the title names besides. Absent if there are none.
fn usual_chart(deltas: &Deltas, about: &str) -> Option<Chart> {
    let end = end_of_usual(deltas)?;
    let all = total_differences(deltas);
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
        words: format!("{}: {}", short(row.ns), number_of(row.count, all)),
    });
    let x = Axis::new("difference between two reads", Scale::linear(Unit::Ns, -half, end + half));
    let y = Axis::new("share of reads", Scale::linear(Unit::Share, 0.0, highest * 1.12));
    let series = bars_series(bars.collect());
    let (axes, mut notes) = ([x, y], Vec::new());
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    for row in rows.iter().filter(|row| share(row) > LABELLED) {
        let [x, y] = [row.ns, share(row)];
        let hits = |note: &Note| {
            (note.x - x).abs() < APART[0] * end && (note.y - y).abs() < APART[1] * highest
        };
        if !notes.iter().any(hits) {
            let words = format!("{} {}", short(x), percent(y));
            notes.push(Note { x, y, words, line: false });
        }
    }
    let most = rows.iter().take(4);
    let most: Vec<String> =
        most.map(|row| format!("{} in {}", short(row.ns), percent(share(row)))).collect();
    let alt =
        format!("How often each difference up to {} was seen: {}.", short(end), most.join(", "));
    Some(Chart::plane(format!("The usual differences{about}"), alt, axes, series, notes))
}

/// The non-negative differences in nanoseconds with their numbers, from the histogram, which holds
/// all of them; from the rows if it cannot be read.
fn counted_ns(deltas: &Deltas, hdr: Option<&Decoded>) -> Vec<(f64, u64)> {
    match hdr {
        Some(hdr) => {
            let recorded = hdr.iter_recorded();
            recorded.map(|it| (it.value_iterated_to() as f64, it.count_at_value())).collect()
        }
        None => forwards(deltas).map(|row| (row.ns, row.count)).collect(),
    }
}

/// All differences above zero in tenths of a decade. Absent if there are none.
fn whole_chart(deltas: &Deltas, about: &str) -> Option<Chart> {
    let hdr = deltas.histogram.decode().ok();
    let all = total_differences(deltas);
    let mut tenths: BTreeMap<i32, u64> = BTreeMap::new();
    let mut zeros = 0u64;
    for (ns, times) in counted_ns(deltas, hdr.as_ref()) {
        if ns <= 0.0 {
            zeros = zeros.saturating_add(times);
            continue;
        }
        // A millionth keeps 100 ns, whose logarithm may be rounded down, in its own tenth.
        let tenth = (ns.log10() * 10.0 + 1e-6).floor() as i32;
        let sum = tenths.entry(tenth).or_default();
        *sum = sum.saturating_add(times);
    }
    let edge = |tenth: i32| 10f64.powf(f64::from(tenth) / 10.0);
    let ends = [edge(*tenths.first_key_value()?.0), edge(tenths.last_key_value()?.0 + 1)];
    let most = *tenths.values().max()? as f64;
    let bars = tenths.iter().map(|(tenth, times)| {
        let [from, to] = [edge(*tenth), edge(tenth + 1)];
        let words = format!("{} to {}: {}", short(from), short(to), number_of(*times, all));
        Bar { from: from * 1.03, to: to / 1.03, height: *times as f64, words }
    });
    let x = Axis::new("difference between two reads", Scale::log(Unit::Ns, ends));
    // The axis begins below 1, so that a bar of one has a height.
    let y = Axis::new("reads, in tenths of a decade", Scale::log(Unit::Count, [0.6, most]));
    let series = bars_series(bars.collect());
    let (axes, mut notes) = ([x, y], Vec::new());
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
            notes.push(Note { x: ns, y, words, line: true });
        }
    }
    if let Some(ns) = longest_difference(deltas) {
        let words = format!("longest {}", short(ns));
        told.push(words.clone());
        notes.push(Note { x: ns, y: most.powf(0.5), words, line: false });
    }
    if zeros > 0 {
        told.push(format!("{} are zero and have no place on the axis", number_of(zeros, all)));
    }
    let alt = format!("How many differences are in each tenth of a decade; {}.", told.join(", "));
    Some(Chart::plane(format!("All of them{about}"), alt, axes, series, notes))
}
