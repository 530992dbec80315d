//! How far the clocks of this machine are from others.

use super::{
    Detail, FURTHEST, Rows, SECTION as PLAIN, Section, Spec, absent, columns, each, is_drawn, shown,
};
use crate::block::chart::{Axis, Between, Chart, Hue, Place, Series as Drawing, Shape};
use crate::block::{Block, Cell, Text, Tone, Value};
use crate::number::{count, short, stepped, three};
use crate::page::Input;
use crate::scale::{Scale, Unit};
use chronoscope_model::Report;
use chronoscope_model::against::{Against, Apart, Event, Happened, Interval, Source};
use chronoscope_model::packed::packed;
use chronoscope_model::units::bounded_ns;

pub const SECTION: Section = Section {
    id: "against",
    records: &[("against", "against")],
    measured: true,
    terms: packed!("against.md"),
    view,
    page: Some(page),
    table: Some(|report| {
        let sources = report.against.iter().flat_map(|against| &against.sources);
        Rows::data(columns()).of_all(sources)
    }),
    ..PLAIN
};

/// The most jumps and events that are listed: the last ones.
const SHOWN: usize = 10;

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let Some(against) = &report.against else {
        return absent(detail, "No other clock was asked.");
    };
    let mut blocks = vec![Block::Paragraph(verdict(against))];
    if detail == Detail::Brief {
        return blocks;
    }
    blocks.extend(details(against, detail));
    blocks
}

/// Everything below the verdict.
fn details(against: &Against, detail: Detail) -> Vec<Block> {
    let mut blocks =
        vec![shown(columns(), detail, against.answered()), shown(pairs(), detail, &against.apart)];
    let mut line = |tone, text: String| blocks.push(Block::toned(tone, text));
    for source in &against.sources {
        if let (None, Some(why)) = (&source.wall_ns, &source.unavailable_reason) {
            line(Tone::Dim, format!("{} gave no time: {why}.", source.id));
        }
        if let Some(says) = &source.says {
            line(Tone::Dim, format!("{} says: {says}.", source.id));
        }
        let earlier = source.contradictions.len().saturating_sub(SHOWN);
        if earlier > 0 {
            line(Tone::Dim, format!("{}: {earlier} earlier jumps are not listed.", source.id));
        }
        for it in &source.contradictions[earlier..] {
            let [middle, half] = Interval { low: it.low_ns, best: 0.0, high: it.high_ns }.middle();
            let way = if middle < 0.0 { "gained" } else { "lost" };
            line(
                Tone::Warn,
                format!(
                    "After {}, the counter had {way} {} against {} at once: this machine stood \
                     still, or one of the clocks jumped. The figures are from then on.",
                    short(it.at_s * 1e9),
                    bounded_ns(middle.abs(), half),
                    source.id
                ),
            );
        }
    }
    for set in &against.set {
        let (after, went) = (short(set.at_s * 1e9), stepped(set.by_ns));
        // What times the exchanges stands still while a machine sleeps.
        let slept = if set.by_ns < 0.0 { "" } else { ", or this machine was asleep" };
        let text = format!("After {after}, the wall clock went {went}: something set it{slept}.");
        line(Tone::Warn, text);
    }
    let earlier = against.events.len().saturating_sub(SHOWN);
    for event in &against.events[earlier..] {
        line(Tone::Warn, told(event));
    }
    let legend = "± is proved by the exchanges, whatever delayed them, if the source's own \
                  statement of its error holds. Nothing was set.";
    blocks.push(Block::legend(legend));
    blocks
}

/// What happened, in a sentence.
fn told(event: &Event) -> String {
    let after = short(event.at_s * 1e9);
    let took = event.ns.map_or("a while".into(), short);
    let source = event.source.as_deref().unwrap_or("a source");
    let why = event.why.as_deref().map_or(String::new(), |why| format!(": {why}"));
    let what = match event.what {
        Happened::Paused => format!("nothing of this run had run for {took}{why}"),
        Happened::Suspended => {
            format!("this machine had been suspended for {took}: bounds are from then on")
        }
        Happened::Disrupted => {
            "the hypervisor had moved or restored this machine: bounds are from then on".into()
        }
        Happened::Resumed => format!("the run was resumed; it had been stopped for {took}"),
        Happened::Lost => format!("{source} gave no time any more{why}"),
        Happened::Back => format!("{source} gave the time again"),
    };
    format!("After {after}, {what}.")
}

/// The answer in a sentence or two.
fn verdict(against: &Against) -> Text {
    let sources: Vec<&Source> =
        against.answered().filter(|source| source.agrees != Some(false)).collect();
    let names: Vec<&str> = sources.iter().map(|source| &*source.id).collect();
    let Some(wall) = &against.wall_ns else {
        let why = if against.answered().next().is_some() {
            "The sources disagree, and none of them has a majority: they prove nothing."
        } else {
            "No source gave the time."
        };
        return Text::toned(Tone::Bad, why);
    };
    let names = names.join(", ");
    let [middle, half] = wall.middle();
    let sentence = if wall.at_least() > 0.0 {
        let way = if middle > 0.0 { "ahead of" } else { "behind" };
        format!("The wall clock is {} {way} {names}", bounded_ns(middle.abs(), half))
    } else {
        let most = wall.low.abs().max(wall.high.abs());
        format!("The wall clock is within {} of {names}", short(most))
    };
    let rate = against.counter_ppm.as_ref().map_or(String::new(), |ppm| {
        let [middle, half] = ppm.middle();
        let over = sources.iter().map(|source| source.seconds).fold(0.0, f64::max);
        let over = short(over * 1e9);
        match ppm.at_least() > 0.0 {
            true => {
                let way = if middle > 0.0 { "fast" } else { "slow" };
                format!("; the counter is {} ppm {way}, over {over}", rate(middle.abs(), half))
            }
            false => format!(
                "; the counter's rate is right to within {} ppm, over {over}",
                three(ppm.low.abs().max(ppm.high.abs()))
            ),
        }
    });
    let mut text = Text::toned(Tone::Strong, format!("{sentence}{rate}."));
    let wrong: Vec<&str> = against.wrong().map(|source| &*source.id).collect();
    if !wrong.is_empty() {
        let wrong = format!(" Most sources contradict {}.", wrong.join(", "));
        text = text.and(Text::toned(Tone::Bad, wrong));
    }
    text
}

fn rate(ppm: f64, half: f64) -> String {
    let digits = (-half.abs().max(1e-6).log10().floor()).clamp(0.0, 6.0) as usize + 1;
    format!("{ppm:.digits$} ±{half:.digits$}")
}

fn signed(ns: &Interval) -> String {
    let [ns, half] = ns.middle();
    format!("{}{}", if ns < 0.0 { "" } else { "+" }, bounded_ns(ns, half))
}

/// The columns of servers that are compared with each other.
fn pairs() -> Vec<Spec<Apart>> {
    columns! { it in Apart;
        "" "server" [full name(12)] Cell::code(&it.id);
        "" "by ±" [full right] Cell::text(signed(&it.ahead_ns));
        "" "ahead of" [full name(12)] Cell::code(&it.of);
    }
}

fn columns() -> Vec<Spec<Source>> {
    columns! { source in Source;
        "id" "source" [full name(12)] Cell::code(&source.id);
        "available" "source" [] Cell::flag(source.wall_ns.is_some());
        "" "wall clock ±" [full right]
            Cell::words(source.wall_ns.as_ref().map(signed))
                .toned_if(source.agrees == Some(false), Tone::Bad);
        "wall_low_ns" "wall clock" [] Cell::number(source.wall_ns.map(|it| it.low));
        "wall_best_ns" "wall clock" [] Cell::number(source.wall_ns.map(|it| it.best));
        "wall_high_ns" "wall clock" [] Cell::number(source.wall_ns.map(|it| it.high));
        "" "counter ±" [full right]
            Cell::words(source.counter_ppm.map(|it| {
                let [ppm, half] = it.middle();
                format!("{}{} ppm", if ppm < 0.0 { "-" } else { "+" }, rate(ppm.abs(), half))
            }));
        "counter_low_ppm" "counter" [] Cell::number(source.counter_ppm.map(|it| it.low));
        "counter_high_ppm" "counter" [] Cell::number(source.counter_ppm.map(|it| it.high));
        "round_trip_ns" "round trip" [full right more] Cell::ns(source.round_trip_ns);
        "root_distance_ns" "its own error" [full right more] Cell::ns(source.root_distance_ns);
        "stratum" "stratum" [full right more] Cell::count(source.stratum);
        "requests" "answers" [] Cell::count(source.requests);
        "answers" "answers" [full right more]
            Cell::count(source.answers)
                .shown(format!("{} of {}", count(source.answers), count(source.requests)));
        "stamped" "answers" [] Cell::count(source.stamped);
        "seconds" "answers" [] Cell::number(source.seconds);
        "contradictions" "answers" [] Cell::count(source.contradictions.len() as u64);
        "agrees" "agrees" [] Cell::some(source.agrees, Value::Flag);
    }
}

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    each(inputs, |input| {
        let Some(against) = &input.report.against else {
            return Vec::new();
        };
        let mut blocks = vec![Block::remarked("Against other clocks", verdict(against))];
        blocks.extend(bands(against).map(Block::Chart));
        blocks.extend(details(against, Detail::Everything));
        blocks
    })
}

/// What was known of the wall clock over time: a band for each source that agrees, which narrows.
fn bands(against: &Against) -> Option<Chart> {
    let agree = against.answered().filter(|source| source.agrees != Some(false));
    let (mut all, mut last, mut ends) = (Vec::new(), 0_f64, None::<[f64; 2]>);
    for (nth, source) in agree.enumerate() {
        let known = source.series.iter().filter(|it| {
            let drawn = |value: f64| is_drawn(value) && value.abs() < FURTHEST;
            is_drawn(it.at_s) && drawn(it.low_ns) && drawn(it.high_ns)
        });
        let band: Vec<Between> =
            known.map(|it| Between { x: it.at_s, low: it.low_ns, high: it.high_ns }).collect();
        let narrowest = band.iter().map(|it| it.high - it.low).fold(f64::MAX, f64::min);
        // What is much wider than what is known in the end would flatten everything else.
        const WIDER: f64 = 20.0;
        let band: Vec<Between> =
            band.into_iter().filter(|it| it.high - it.low <= WIDER * narrowest).collect();
        for it in &band {
            last = last.max(it.x);
            let [low, high] = ends.unwrap_or([it.low, it.high]);
            ends = Some([low.min(it.low), high.max(it.high)]);
        }
        if band.len() > 1 {
            // A band has no name on the page: the middle of its bounds has one, and the figures.
            let middle = |it: &Between| {
                let [low, high] = [it.low, it.high].map(short);
                let words = format!("{}: {low} to {high} after {}", source.id, short(it.x * 1e9));
                Place { x: it.x, y: f64::midpoint(it.low, it.high), hollow: false, words }
            };
            let (through, hue) = (band.iter().map(middle).collect(), Hue::Part(nth));
            all.push(Drawing { name: String::new(), hue, shape: Shape::Band(band) });
            let shape = Shape::Curve { through, sure: f64::MAX };
            all.push(Drawing { name: source.id.clone(), hue, shape });
        }
    }
    let [low, high] = ends?;
    if all.is_empty() || last <= 0.0 {
        return None;
    }
    let margin = ((high - low) * 0.05).max(1.0);
    let x = Axis::new("time", Scale::linear(Unit::Seconds, 0.0, last));
    let y = Axis::new("ahead", Scale::linear(Unit::Ns, low - margin, high + margin));
    let alt = format!(
        "The bounds of how far the wall clock is ahead, over {}, between {} and {}.",
        short(last * 1e9),
        short(low),
        short(high)
    );
    let title = "How far the wall clock is ahead, as the exchanges prove it".into();
    Some(Chart::plane(title, alt, [x, y], all, Vec::new()))
}
