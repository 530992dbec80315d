//! The main screen: this machine's clocks at a glance, and which to use for what.

use super::groups::{best, groups};
use super::number::{estimate, plural, short, three};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use super::{header, verdicts, waits_glance};
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Limit, Resolution};

/// From this width on, figures stand at their decimal points.
pub(super) const WIDE: usize = 100;

/// The main screen.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    header::render(&mut screen, report, style);
    clocks(&mut screen, report, style);
    waits_glance::show(&mut screen, report);
    findings(&mut screen, report, style);
    advice(&mut screen, report, style);
    screen.finish()
}

/// Resolution in a word: the tick where that is what limits, `read` where the cost of a read is.
pub(super) fn resolution(clock: &Clock) -> Cell {
    match &clock.resolution {
        Some(r) => match (r.verdict, r.step_ns()) {
            (Limit::Tick, Some(tick)) => short(tick).into(),
            (Limit::Tick, None) => "-".into(),
            (Limit::Latency, _) => Cell::toned(Tone::Dim, "a read"),
            (Limit::NotSeen, _) => unseen(r),
        },
        None => "-".into(),
    }
}

/// The tick of a clock that did not change while it was watched: it is longer than that.
pub(super) fn unseen(resolution: &Resolution) -> Cell {
    let tone = match resolution.stood_still() {
        true => Tone::Bad,
        false => Tone::Dim,
    };
    Cell::toned(tone, longer(resolution))
}

/// `>1.3 s`: longer than the clock was watched; `-` where that is not known.
pub fn longer(resolution: &Resolution) -> String {
    match resolution.watched_ns {
        Some(ns) if ns.is_finite() && ns > 0.0 => format!(">{}", short(ns)),
        _ => "-".into(),
    }
}

fn clocks(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    if report.clocks.is_empty() {
        return;
    }
    screen.heading(
        "Clocks",
        "what a read costs in ns, the cheapest of each kind first",
    );
    screen.gap();
    let mark = style.sign("▸", ">");
    // Numbers at their decimal points are easier to compare, and wider.
    let (figures, resolution_head) = match style.width {
        0..WIDE => (Align::Right, "reso-\nlution"),
        _ => (Align::Decimal, "resolution"),
    };
    // Cycles of the core stay the same when its frequency does not; nanoseconds are what one asks for.
    let cycles = style.width >= WIDE && report.clocks.iter().any(|c| core_cycles(c).is_some());
    let mut columns = vec![
        Column::new("", Align::Left),
        Column::new("clock", Align::Left).gap(1).giving_way(12),
        Column::new("read\nns", figures),
        Column::new(style.plus_minus(), Align::Left).gap(1),
        Column::new("ordered\nns", figures).gap(1),
        Column::new(resolution_head, Align::Right).gap(1),
        Column::new("verdict", Align::Left).giving_way(12),
    ];
    if cycles {
        columns.insert(4, Column::new("core\ncycles", Align::Right).gap(1));
    }
    let mut table = Table::new(columns);
    for group in groups(&report.clocks) {
        table.group(group.name, group.remark);
        let best = best(&group, &report.advice);
        for clock in &group.clocks {
            let marked = best.as_deref() == Some(clock.id.as_str());
            let figure = |e: &Option<_>| e.as_ref().map(|e| estimate(e, style));
            let read = figure(&clock.cost.throughput);
            let ordered = figure(&clock.cost.latency);
            let id = clean(&clock.id);
            let mut cells = vec![
                if marked {
                    Cell::toned(Tone::Good, mark)
                } else {
                    "".into()
                },
                if marked {
                    Cell::toned(Tone::Strong, id)
                } else {
                    id.into()
                },
                read.as_ref().map_or("-".into(), |f| f.value.clone()).into(),
                Cell::toned(
                    Tone::Dim,
                    read.map_or(String::new(), |f| f.spread.replace(style.plus_minus(), "")),
                ),
                ordered.map_or("-".into(), |f| f.value).into(),
                resolution(clock),
                verdicts::cell(clock),
            ];
            if cycles {
                let figure = core_cycles(clock).map_or("-".into(), three);
                cells.insert(4, Cell::toned(Tone::Dim, figure));
            }
            table.row(cells);
        }
    }
    if !table.is_empty() {
        screen.table(&table);
        screen.gap();
        let legend = format!(
            "{mark} cheapest trustworthy of its kind (within 5 %: the one advised){}read: back to back, {} half the 95 % \
             interval{}ordered: each after the one before{}resolution `a read`: the tick is finer \
             than a read is long",
            style.dot(),
            style.plus_minus(),
            style.dot(),
            style.dot()
        );
        screen.paragraph(&style.paint(Tone::Dim, &legend));
    }
    unavailable(screen, report, style);
    notes(screen, report, style);
}

/// What a read costs in cycles of the core, where it is known and no mere bound.
fn core_cycles(clock: &Clock) -> Option<f64> {
    let cost = clock.cost.throughput.as_ref()?;
    cost.core_cycles.filter(|_| !cost.below_resolution)
}

/// How many clocks are not here, and where to read why.
pub(super) fn unavailable(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    let n = report.clocks.iter().filter(|c| !c.available).count() as u64;
    if n > 0 {
        let command = style.paint(Tone::Name, "chronoscope list clocks");
        let are = if n == 1 { "is" } else { "are" };
        screen.paragraph(&format!(
            "{} {are} not available here; {command} says why.",
            plural(n, "clock", "clocks")
        ));
    }
}

/// What was left out of the measuring, and why.
pub(super) fn notes(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    for note in report.ruler.iter().flat_map(|ruler| &ruler.notes) {
        let note = clean(note);
        let text = format!("Note: {}.", note.trim_end_matches('.'));
        screen.paragraph(&style.paint(Tone::Dim, &text));
    }
}

fn findings(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    if report.findings.is_empty() {
        if !report.clocks.is_empty() {
            screen.heading("Findings", "");
            screen.paragraph(&format!(
                "{} nothing is wrong that was looked for.",
                style.paint(Tone::Good, "none:")
            ));
        }
        return;
    }
    screen.heading("Findings", "");
    for finding in &report.findings {
        let id = style.paint(Tone::Name, &clean(&finding.id));
        let level = verdicts::level(style, finding.level);
        screen.indented(
            "  ",
            "    ",
            &format!("{level} {id}  {}", clean(&finding.title)),
        );
        for evidence in &finding.evidence {
            screen.indented("    ", "      ", &style.paint(Tone::Dim, &clean(evidence)));
        }
        screen.indented("    ", "      ", &format!("Fix: {}", clean(&finding.fix)));
    }
}

fn advice(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    if report.advice.is_empty() {
        return;
    }
    screen.heading(
        "Use",
        "what was measured decides; code and what was rejected: chronoscope advise",
    );
    for advice in &report.advice {
        let why = clean(&advice.why);
        let sentence = why
            .split_once(". ")
            .map_or(why.as_str(), |(first, _)| first);
        let sentence = sentence.trim_end_matches('.');
        let sentence = match &advice.clock {
            Some(id) => format!("{}, {sentence}", style.paint(Tone::Good, &clean(id))),
            None => style.paint(Tone::Warn, sentence),
        };
        screen.indented(
            "  ",
            "    ",
            &format!("{}: {sentence}.", clean(&advice.title)),
        );
    }
}
