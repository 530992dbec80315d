//! Whether clocks can be trusted.

mod facts;
pub mod stability;
pub mod traceability;

use super::{
    Detail, FURTHEST, Rows, SECTION as PLAIN, Section, Spec, absent, columns, each, is_drawn, shown,
};
use crate::block::chart::{
    Axis, Between, Cells, Chart, Drawn, Hue, Place, Series as Drawing, Shape,
};
use crate::block::{Block, Cell, Item, Part, Table, Text, Tone};
use crate::number::{count, plural, short, stepped, three};
use crate::page::Input;
use crate::scale::{Scale, Unit};
use chronoscope_model::Report;
use chronoscope_model::clock::Grade;
use chronoscope_model::packed::packed;
use chronoscope_model::trust::{
    Contention, Course, Matrix, Offset, Online, Pair, RateAgainst, Series, Trust, Watch,
};
use facts::signed_ppm;

pub const SECTION: Section = Section {
    id: "trust",
    records: &[("trust", "trust")],
    measured: true,
    terms: packed!("terms.md"),
    view,
    page: Some(page),
    table: Some(|report| {
        let rows = report.trust.iter().flat_map(watched_clocks);
        let mut table = Rows::data(clock_columns()).of_all(rows);
        report.trust.iter().for_each(|trust| add_series(&mut table, trust));
        table
    }),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let Some(trust) = &report.trust else {
        return absent(detail, "No clock was watched.");
    };
    let mut blocks = vec![Block::noted("Trust", watched(trust))];
    blocks.push(Block::Paragraph(facts::verdict(trust)));
    blocks.push(Block::Facts(facts::facts(report, trust)));
    if detail == Detail::Brief {
        return blocks;
    }
    blocks.extend(details(report, trust, detail));
    blocks
}

/// Everything below the summary.
fn details(report: &Report, trust: &Trust, detail: Detail) -> Vec<Block> {
    let mut blocks = clock_blocks(trust, detail);
    blocks.extend(rate_blocks(trust, detail));
    blocks.extend(pair_blocks(trust, detail));
    blocks.extend(events(trust));
    for left in &trust.left_out {
        let text = format!("Not tested: {} ({}).", left.what, left.why.trim_end_matches('.'));
        blocks.push(Block::toned(Tone::Dim, text));
    }
    if !report.run.complete {
        let text = "The run was stopped before the time was over.";
        blocks.push(Block::toned(Tone::Warn, text));
    }
    let legend = "No step back in so many tries is a bound, not a proof. An \
                  offset is a fault only beyond its uncertainty.";
    blocks.push(Block::legend(legend));
    blocks
}

/// How long the clocks were watched.
fn watched(trust: &Trust) -> String {
    let gaps = &trust.watched.gaps;
    let mut text = format!("watched for {}", short(trust.seconds * 1e9));
    if !gaps.is_empty() {
        let over = trust.seconds + gaps.iter().map(|gap| gap.seconds).sum::<f64>();
        text += &format!(" in {} parts over {}", gaps.len() + 1, short(over * 1e9));
    }
    text
}

/// What happened while the clocks were watched, one line each.
fn events(trust: &Trust) -> Option<Block> {
    let mut lines = Vec::new();
    let at = |at_s: f64| format!("after {}", short(at_s * 1e9));
    for step in trust.wall.iter().flat_map(|wall| &wall.steps) {
        lines.push(match step.by_ns {
            0.0 => format!("{}: the kernel reported that the wall clock was set", at(step.at_s)),
            by => format!("{}: the wall clock stepped {}", at(step.at_s), stepped(by)),
        });
    }
    for jump in &trust.watched.jumps {
        let (id, against) = (&jump.id, &jump.against);
        let at = at(jump.at_s);
        lines.push(format!("{at}: {id} jumped {} against {against}", stepped(jump.ns)));
    }
    for gap in &trust.watched.gaps {
        let long = short(gap.seconds * 1e9);
        lines.push(format!("{}: the run was resumed, {long} after its stop", at(gap.at_s)));
    }
    for gap in &trust.watched.suspensions {
        let long = short(gap.seconds * 1e9);
        lines.push(format!("{}: the machine had been suspended for {long}", at(gap.at_s)));
    }
    for Online { at_s, before, after } in &trust.watched.cpus {
        lines.push(format!("{}: the online CPUs changed from {before} to {after}", at(*at_s)));
    }
    let details: Vec<Text> = lines.into_iter().map(Text::from).collect();
    let head = Text::toned(Tone::Warn, "Events");
    (!details.is_empty()).then_some(Block::Item { head, details })
}

// What each clock did.

/// A clock with what its reads cost by threads.
type Watched<'a> = (&'a Watch, Option<&'a Contention>);

fn watched_clocks(trust: &Trust) -> impl Iterator<Item = Watched<'_>> {
    trust.clocks.iter().map(|watch| {
        let mut all = trust.contention.iter();
        (watch, all.find(|one| one.id == watch.id))
    })
}

fn clock_blocks(trust: &Trust, detail: Detail) -> Vec<Block> {
    let rows = watched_clocks(trust).filter(|(watch, _)| watch.unavailable_reason.is_none());
    let table = Rows::shown(clock_columns(), detail).parts(PARTS).of_all(rows);
    let lacking = trust.clocks.iter().filter_map(|watch| {
        let why = watch.unavailable_reason.as_ref()?;
        Some(Block::paragraph(format!("{} is not available: {why}", watch.id)))
    });
    std::iter::once(Block::Table(table)).chain(lacking).collect()
}

const PARTS: &[Part] = &[
    Part { title: "Steps back", remark: "" },
    Part { title: "Cost of a read by threads", remark: "" },
];

fn clock_columns<'a>() -> Vec<Spec<Watched<'a>>> {
    columns! { (watch, costs) in Watched;
        "id" "watched clock" [full name(12)] Cell::code(&watch.id);
        "available" "watched clock" []
            Cell::flag(watch.unavailable_reason.is_none());
        "one_thread_tries" "one thread" []
            Cell::count(watch.one_thread.as_ref().map(|one| one.tries));
        "one_thread_backwards" "one thread" [full right]
            bad_of(watch.one_thread.as_ref().map(|one| (one.violations, one.tries)));
        "moves" "moved" [] Cell::count(watch.migrating.as_ref().map(|moved| moved.moves));
        "moved_backwards" "moved" [full right]
            bad_of(watch.migrating.as_ref().map(|moved| (moved.backwards, moved.moves)));
        "hand_overs" "handed over" [] Cell::count(watch.handed.as_ref().map(|handed| handed.turns));
        "handed_backwards" "handed over" [full narrow("handed\nover") right]
            {
            let handed = watch.handed.as_ref();
            let cell = bad_of(handed.map(|handed| (handed.backwards, handed.turns)));
            // An unordered read may be early.
            let early = watch.unordered().is_some_and(|handed| handed.backwards > 0);
            if early { cell.toned(Tone::Warn) } else { cell }
        };
        "worst_ns" "worst" [full unit("ns") right]
            Cell::number((watch.backwards() > 0).then(|| watch.worst_ns()));
        "verdict" "trust" [full gives_way(14)] {
            let Some(verdict) = &watch.verdict else {
                return Cell::default();
            };
            let tone = match verdict.grade {
                Grade::Good => Tone::Good,
                Grade::Limited | Grade::Unknown => Tone::Warn,
                Grade::Avoid => Tone::Bad,
            };
            Cell::text(&verdict.text).toned(tone)
        };
        "one_thread_ns" "1 thread" [full part(1) unit("ns") decimal more] {
            let one = costs.and_then(|costs| costs.points.first());
            Cell::number(one.filter(|one| one.threads == 1).map(|one| one.ns))
        };
        "threads" "threads" [full part(1) right more]
            Cell::count(costs.and_then(|costs| Some(costs.points.last()?.threads as u64)));
        "all_threads_ns" "all threads" [full part(1) unit("ns") decimal more] {
            let most = costs.and_then(|costs| costs.points.last());
            Cell::number(most.filter(|most| most.threads > 1).map(|most| most.ns))
        };
        "contention_factor" "factor" [full part(1) right more]
            Cell::number(costs.and_then(Contention::factor));
    }
}

/// How many tries ran backwards, of how many: programs get the count, people both.
fn bad_of(found: Option<(u64, u64)>) -> Cell {
    let Some((bad, tries)) = found else {
        return Cell::default();
    };
    let words = format!("{} of {}", count(bad), many_tries(tries));
    Cell::count(bad).shown(words).toned_if(bad > 0, Tone::Bad)
}

/// A number of tries in few characters: `12.3M`.
pub(super) fn many_tries(tries: u64) -> String {
    let scaled = tries as f64;
    match tries {
        0..10_000 => count(tries),
        10_000..1_000_000 => format!("{:.0}k", (scaled / 1e3).floor()),
        1_000_000..1_000_000_000 => format!("{}M", three((scaled / 1e4).floor() / 100.0)),
        _ => format!("{}G", three((scaled / 1e7).floor() / 100.0)),
    }
}

// The offsets of the CPUs' counters.

/// The pairs that a screen shows: usually, and if everything is asked for.
const PAIRS_SHOWN: [usize; 2] = [12, 200];

type PairOffset<'a> = (&'a Pair, &'a Offset);

fn pair_blocks(trust: &Trust, detail: Detail) -> Vec<Block> {
    let all = trust.matrix.pairs.iter();
    let mut rows: Vec<PairOffset> =
        all.flat_map(|pair| pair.offsets.iter().map(move |offset| (pair, offset))).collect();
    let mut blocks = Vec::new();
    let most = PAIRS_SHOWN[usize::from(detail == Detail::Everything)];
    let left = rows.len().saturating_sub(most);
    if left > 0 {
        // The pairs that are furthest out of step come first, then those known least well.
        let beyond = |row: &PairOffset| row.1.offset_ns.abs() - row.1.uncertainty_ns;
        rows.sort_by(|a, b| {
            let bad = b.0.handed.backwards.cmp(&a.0.handed.backwards);
            bad.then(beyond(b).total_cmp(&beyond(a)))
        });
        rows.truncate(most);
    }
    if !rows.is_empty() {
        let remark = format!("by {}", trust.matrix.id);
        blocks.push(Block::noted("Offsets between CPUs", remark));
        blocks.push(shown(pair_columns(), detail, rows));
    }
    if left > 0 {
        let text = format!(
            "{} are in step at least as well as the last of these.",
            plural(left as u64, "other", "others")
        );
        blocks.push(Block::paragraph(text));
    }
    if let Some(why) = &trust.matrix.left_out
        && trust.matrix.in_step().is_some()
    {
        blocks.push(Block::toned(Tone::Dim, format!("{why}.")));
    }
    blocks
}

fn pair_columns<'a>() -> Vec<Spec<PairOffset<'a>>> {
    columns! { (pair, offset) in PairOffset;
        "" "pair of CPUs" [full also_name] {
            let [a, b] = pair.handed.cpus;
            Cell::text(format!("{a} and {b}"))
        };
        "" "page on\nnode" [full right] Cell::count(offset.node.map(|node| node as u64));
        "" "offset" [full unit("ns") right]
            Cell::number(offset.offset_ns)
                .shown(signed_offset(offset.offset_ns))
                .toned_if(offset.differs(), Tone::Bad);
        "" "±" [full unit("ns") right]
            Cell::number(offset.uncertainty_ns);
        "" "hand-overs\nper second" [full right] {
            let pace = pair.per_second().map(|pace| pace.round() as u64);
            Cell::count(pace).said(pace.map(many_tries))
        };
        "" "backwards" [full right]
            Cell::count(pair.handed.backwards).toned_if(pair.handed.backwards > 0, Tone::Bad);
    }
}

/// An offset with its sign, in whole nanoseconds: no uncertainty is smaller.
fn signed_offset(ns: f64) -> String {
    match ns.round() {
        0.0 => "0".into(),
        some if some < 0.0 => format!("-{}", three(-some)),
        some => format!("+{}", three(some)),
    }
}

// The rates of clocks against references.

/// The rows that a screen shows unless everything is asked for.
const RATES_SHOWN: usize = 16;

fn rate_blocks(trust: &Trust, detail: Detail) -> Vec<Block> {
    if trust.rates.is_empty() {
        return Vec::new();
    }
    let all = trust.rates.len();
    let most = if detail == Detail::Everything { all } else { all.min(RATES_SHOWN) };
    let table = shown(rate_columns(), detail, &trust.rates[..most]);
    let mut blocks = vec![Block::heading("Rates"), table];
    if most < all {
        let rest = count((all - most) as u64);
        blocks.push(Block::paragraph(format!("{rest} more with -v.")));
    }
    blocks
}

fn rate_columns() -> Vec<Spec<RateAgainst>> {
    columns! { rate in RateAgainst;
        "" "watched clock" [full name(12)] Cell::code(&rate.id);
        "" "against" [full gives_way(12)] Cell::code(&rate.against);
        "" "rate" [full unit("ppm") right] Cell::number(rate.ppm).shown(signed_ppm(rate.ppm));
        "" "±" [full unit("ppm") right] Cell::number(rate.half_width_ppm());
        "" "oscillator" [full gives_way(12)] Cell::text(rate.standing.name());
    }
}

// How the clocks ran over the watch: for programs, one row for each clock and point.

/// A clock at one point.
struct Point<'a> {
    series: &'a Series,
    course: &'a Course,
    nth: usize,
}

/// Adds the points to the table of clocks, whose columns are empty for them.
fn add_series(table: &mut Table, trust: &Trust) {
    let Some(series) = &trust.series else { return };
    let points = series.clocks.iter().flat_map(|course| {
        (course.first..series.at_s.len()).map(move |nth| Point { series, course, nth })
    });
    let mut points = Rows::data(series_columns()).of_all(points);
    // Both tables begin with the name of the clock.
    let (before, after) = (table.columns.len(), points.columns.len() - 1);
    for item in &mut table.items {
        if let Item::Row(row) = item {
            row.cells.resize_with(before + after, Cell::default);
        }
    }
    for item in &mut points.items {
        if let Item::Row(row) = item {
            let absent = std::iter::repeat_with(Cell::default).take(before - 1);
            row.cells.splice(1..1, absent);
        }
    }
    table.columns.extend(points.columns.drain(1..));
    table.items.append(&mut points.items);
}

fn series_columns<'a>() -> Vec<Spec<Point<'a>>> {
    columns! { point in Point;
        "id" "watched clock" [] Cell::code(&point.course.id);
        "started" "watched clock" [] Cell::text(&point.series.started);
        "at_s" "watched clock" [] Cell::number(point.series.at_s.get(point.nth).copied());
        "against" "against" [] Cell::code(&point.series.against);
        "offset_ns" "offset" [] Cell::number(point.course.at(point.nth).map(|it| it[0]));
        "stepped_ns" "offset" [] Cell::number(point.course.at(point.nth).map(|it| it[1]));
        "rate_ppm" "rate" [] Cell::number(point.course.rate_at(point.nth));
    }
}

// Trust on a page: the offsets of CPUs as cells, and how clocks ran within their bounds.

/// The most CPUs whose pairs are drawn: the table of more is too large to read.
const MOST_CPUS: usize = 1024;

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    each(inputs, |input| {
        let Some(trust) = &input.report.trust else {
            return Vec::new();
        };
        let mut sentences = facts::sentences(trust).into_iter();
        let first = sentences.next().unwrap_or_else(|| Text::toned(Tone::Dim, watched(trust)));
        let mut blocks = vec![Block::remarked("Whether clocks can be trusted", first)];
        let rest = sentences.reduce(|all, next| all.and(" ").and(next));
        blocks.extend(rest.map(Block::Paragraph));
        blocks.push(Block::paragraph(Text::from(format!("Clocks were {}.", watched(trust)))));
        blocks.extend(offsets(&trust.matrix).map(Block::Chart));
        blocks.extend(drift(trust).map(Block::Chart));
        blocks.push(Block::Facts(facts::facts(input.report, trust)));
        blocks.extend(details(input.report, trust, Detail::Everything));
        blocks
    })
}

/// How far the counter of each CPU is ahead of that of each other one.
fn offsets(matrix: &Matrix) -> Option<Chart> {
    let cpus = matrix.cpus();
    let known = matrix.pairs.iter().filter_map(|pair| Some((pair.handed.cpus, pair.best()?)));
    let known = known.filter(|(_, it)| is_drawn(it.offset_ns) && is_drawn(it.uncertainty_ns));
    let (mut furthest, mut bound, mut any) = (1f64, 0f64, false);
    if cpus.len() > MOST_CPUS {
        return None;
    }
    let mut values = vec![vec![None; cpus.len()]; cpus.len()];
    for ([a, b], offset) in known {
        let (Ok(a), Ok(b)) = (cpus.binary_search(&a), cpus.binary_search(&b)) else {
            continue;
        };
        values[a][b] = Some(offset.offset_ns);
        values[b][a] = Some(-offset.offset_ns);
        furthest = furthest.max(offset.offset_ns.abs()).max(offset.uncertainty_ns);
        bound = bound.max(offset.uncertainty_ns);
        any = true;
    }
    let names: Vec<String> = cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
    let within = short(bound.ceil());
    any.then(|| Chart {
        title: format!("How far each column's CPU is ahead of the row's, known within ±{within}"),
        alt: format!(
            "The offsets between {} CPUs, each known within ±{within} or better. A colour beyond \
             that is a fault.",
            names.len()
        ),
        drawn: Drawn::Cells(Cells {
            columns: names.clone(),
            rows: names,
            values,
            scale: Scale::linear(Unit::Ns, -furthest, furthest),
            words: |ns| format!("{} ahead", short(ns.round())),
        }),
    })
}

/// How clocks ran against the reference over the watch, and where the 95 % intervals of their rates
/// allow them to be.
fn drift(trust: &Trust) -> Option<Chart> {
    let series = trust.series.as_ref()?;
    let (mut lines, mut ends) = (Vec::new(), [0f64; 2]);
    let mut hold = |ns: f64| ends = [ends[0].min(ns), ends[1].max(ns)];
    let last = series.at_s.iter().copied().filter(|s| is_drawn(*s)).fold(0.0, f64::max);
    for (nth, course) in series.clocks.iter().enumerate() {
        let places = series.at_s.iter().enumerate().filter_map(|(point, s)| {
            let [ns, _] = course.at(point)?;
            let words = format!("{} after {}: {:+.1} ns", course.id, short(s * 1e9), ns);
            (is_drawn(*s) && is_drawn(ns)).then_some(Place { x: *s, y: ns, hollow: false, words })
        });
        let through: Vec<Place> = places.collect();
        through.iter().for_each(|place| hold(place.y));
        let shape = Shape::Curve { through, sure: last };
        lines.push(Drawing { name: course.id.clone(), hue: Hue::Part(nth), shape });
    }
    if last <= 0.0 || lines.is_empty() {
        return None;
    }
    let mut all = bounds(trust, last);
    for band in &all {
        if let Shape::Band(between) = &band.shape {
            between.iter().for_each(|it| [it.low, it.high].into_iter().for_each(&mut hold));
        }
    }
    all.append(&mut lines);
    let margin = ((ends[1] - ends[0]) * 0.05).max(1.0);
    let against = &series.against;
    let title =
        format!("How far clocks got ahead of {against}, and the 95 % bounds of their rates");
    let alt = format!(
        "The offsets of {} clocks from {against} over {}, between {} and {}.",
        series.clocks.len(),
        short(last * 1e9),
        short(ends[0]),
        short(ends[1])
    );
    let x = Axis::new("time", Scale::linear(Unit::Seconds, 0.0, last));
    let y = Axis::new("ahead", Scale::linear(Unit::Ns, ends[0] - margin, ends[1] + margin));
    Some(Chart::plane(title, alt, [x, y], all, Vec::new()))
}

/// The bounds after this many seconds: one band for clocks whose intervals overlap, because bands
/// on top of each other hide what they show.
fn bounds(trust: &Trust, last: f64) -> Vec<Drawing> {
    let Some(series) = &trust.series else {
        return Vec::new();
    };
    let mut bands: Vec<(usize, [f64; 2])> = Vec::new();
    // The counter's rate is against the frequency that is stated, its course by the one measured.
    let counter = trust.anchor.as_ref().map(|it| &it.counter);
    for (nth, course) in series.clocks.iter().enumerate() {
        if Some(&course.id) == counter {
            continue;
        }
        let mut rates = trust.rates.iter();
        let Some(rate) = rates.find(|it| it.id == course.id && it.against == series.against) else {
            continue;
        };
        // A part per million is 1000 ns a second.
        let [low, high] = [rate.low_ppm, rate.high_ppm].map(|ppm| ppm * 1e3 * last);
        if !(-FURTHEST <= low && low <= high && high <= FURTHEST) {
            continue;
        }
        match bands.iter_mut().find(|(_, held)| low <= held[1] && held[0] <= high) {
            Some((_, held)) => *held = [held[0].min(low), held[1].max(high)],
            None => bands.push((nth, [low, high])),
        }
    }
    let band = |(nth, [low, high]): (usize, [f64; 2])| Drawing {
        name: String::new(),
        hue: Hue::Part(nth),
        shape: Shape::Band(vec![
            Between { x: 0.0, low: 0.0, high: 0.0 },
            Between { x: last, low, high },
        ]),
    };
    bands.into_iter().map(band).collect()
}
