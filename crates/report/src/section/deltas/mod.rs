//! What lies between two successive reads of a clock.

mod charts;
mod page;

use super::columns::{Rows, Spec, columns};
use super::{Detail, SECTION as PLAIN, Section, heading_of};
use crate::block::{Block, Cell, Fact, Text, Tone, Value};
use crate::number::{count, percent, plural, short, signed};
use crate::under_load::{conditions, name, times};
use chronoscope_model::deltas::{Changes, Deltas, Pairs, Row};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::run::Gaps;
use chronoscope_model::{Report, units};

pub const SECTION: Section = Section {
    id: "deltas",
    records: &[("deltas", "deltas")],
    measured: true,
    terms: include_str!("terms.md"),
    view,
    page: Some(page::page),
    table: Some(|report| {
        let all = report.deltas.iter();
        let rows = all.flat_map(|deltas| deltas.rows.iter().map(move |row| (deltas, row, 0.0)));
        Rows::data(columns()).of_all(&rows.collect::<Vec<_>>())
    }),
    ..PLAIN
};

/// Rows shown at the beginning and at the end of a long table.
const HEAD: usize = 16;
const TAIL: usize = 8;

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return Vec::new();
    }
    if report.deltas.is_empty() {
        return vec![Block::paragraph("No differences were measured.")];
    }
    let mut blocks = Vec::new();
    let (undisturbed, disturbed): (Vec<&Deltas>, Vec<&Deltas>) =
        report.deltas.iter().partition(|deltas| deltas.load.is_none());
    for deltas in undisturbed {
        blocks.push(match &deltas.call {
            Some(call) => Block::noted(&deltas.id, call),
            None => heading_of(report, &deltas.id),
        });
        blocks.push(described(report, deltas));
        let under: Vec<Pair> =
            disturbed.iter().filter(|it| it.id == deltas.id).map(|it| (deltas, *it)).collect();
        blocks.extend((!under.is_empty()).then(|| Block::legend("Without a load:")));
        blocks.extend(rows(deltas, detail, "-v shows them"));
        blocks.extend(loaded(deltas, &under, detail));
        if detail == Detail::Everything {
            for (_, deltas) in under {
                blocks.push(Block::legend(format!("Under load {}:", name(deltas.load))));
                blocks.extend(rows(deltas, detail, ""));
            }
        }
    }
    blocks.extend(conditions(report));
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
    let mut table = Rows::shown(under_loads(), detail);
    table.row(&(deltas, deltas));
    under.iter().for_each(|pair| table.row(pair));
    (!under.is_empty()).then(|| Block::Table(table.table()))
}

/// The differences without a load, and those without or with one.
type Pair<'a> = (&'a Deltas, &'a Deltas);

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
        "" "load" [full also_name] Cell::text(name(pair.1.load));
        "" "reads" [full right optional] Cell::count(pair.1.reads);
        "" "zeros" [full right optional] Cell::new(Value::Share(pair.1.zero_share));
        "" "backwards" [full right]
            Cell::count(pair.1.negative).toned_if(pair.1.negative > 0, Tone::Bad);
        "" "p50" [full right] percentile(pair, Percentile::P50);
        "" "p99" [full right] percentile(pair, Percentile::P99);
        "" "p99.9" [full right] percentile(pair, Percentile::P999);
        "" "largest" [full right] Cell::ns(largest(pair.1));
        "" "× none" [full decimal close] times(largest(pair.1), largest(pair.0));
        "" "empty\ninterval" [full right] Cell::ns(empty(pair.1));
        "" "× none" [full decimal close] times(empty(pair.1), empty(pair.0));
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
        gaps("kernel", taken.kernel),
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
    let largest = short(deltas.max_ticks as f64 * deltas.ns_per_tick);
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
        let texts = texts.map(|(name, ns)| format!("{name} {}", short(ns as f64)).into());
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
                Some(true) => ", by the kernel".to_owned(),
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
        "load" "ticks" [] Cell::text(name(deltas.load));
    }
}

fn change(deltas: &Deltas, figure: fn(&Changes) -> f64) -> Cell {
    Cell::new(deltas.changes.as_ref().map_or(Value::Absent, |it| Value::Number(figure(it))))
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
