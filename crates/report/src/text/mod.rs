//! The screens. A screen is a function of blocks and of a [`Style`], so tests can check every
//! character.

pub(crate) mod pictures;
mod screen;
mod style;
mod table;

pub use screen::{ListRow, Page, explain, list};
pub use style::{Style, columns};

use crate::block::Block;
use crate::clean::clean;
use crate::number::{count, short, three};
use crate::section::{self, Detail, Section, advice, findings, machine, run};
use chronoscope_model::clock::{Clock, Kind, Orders, Reads};
use chronoscope_model::waits::{self, Load, Wait};
use chronoscope_model::{About, Report};
use screen::Screen;

/// The most lines of a summary, so that it is seen at once.
const LINES: usize = 48;

/// The clocks of a kind in a summary: always as many, so that the rows are the same from run to
/// run, unless so much was found that they do not fit.
const CLOCKS: usize = 3;

/// The summary: the sections of the report at a glance, with a few clocks of each kind.
pub fn summary(report: &Report, style: &Style) -> String {
    let with = |clocks| {
        let views = section::ALL.iter().map(|section| match section.glance {
            Some(glance) => glance(report, clocks),
            None => (section.view)(report, Detail::Brief),
        });
        render(views, Detail::Brief, style)
    };
    let fits = |screen: &String| screen.lines().count() <= LINES;
    (1..=CLOCKS).rev().map(with).find(fits).unwrap_or_else(|| with(1))
}

/// Every section of the report, with everything that it holds, between the heading of the summary
/// and the answer at its end.
pub fn everything(report: &Report, style: &Style) -> String {
    let (run, advice) = (&run::SECTION, &advice::SECTION);
    let sections = section::ALL.iter().filter(|section| section.id != run.id);
    let whole = sections.map(|section| (section.view)(report, Detail::Everything));
    let brief = |section: &Section| (section.view)(report, Detail::Brief);
    let views = std::iter::once(brief(run)).chain(whole);
    render(views.chain([brief(advice)]), Detail::Everything, style)
}

/// One section on its own, with what belongs on every screen: whether the run was interrupted,
/// notes, and findings, which are brief next to advice, as that is an answer. If everything is
/// asked for, the machine and the ruler come first.
pub fn section(section: &Section, report: &Report, detail: Detail, style: &Style) -> String {
    let machine = &machine::SECTION;
    let circumstances = match detail {
        Detail::Everything if section.id != machine.id => (machine.view)(report, Detail::Brief),
        _ => Vec::new(),
    };
    let view = |section: &Section| (section.view)(report, detail);
    let unless_shown =
        |other: &Section| if other.id == section.id { Vec::new() } else { view(other) };
    let findings = &findings::SECTION;
    let views = [
        unless_shown(&run::SECTION),
        circumstances,
        view(section),
        unless_shown(&findings::NOTES),
        match detail {
            Detail::Full if section.id == advice::SECTION.id => {
                (findings.view)(report, Detail::Brief)
            }
            _ => unless_shown(findings),
        },
    ];
    render(views, detail, style)
}

/// Blocks about the findings, with what else belongs on every screen: whether the run was
/// interrupted, and notes.
pub fn around(blocks: Vec<Block>, report: &Report, style: &Style) -> String {
    let of = |section: &Section| (section.view)(report, Detail::Full);
    let views = [of(&run::SECTION), blocks, of(&findings::NOTES)];
    render(views, Detail::Full, style)
}

/// Tables, and below them what belongs on every screen. Of a run that goes on, the screen begins
/// like that of its end.
pub fn above(blocks: Vec<Block>, report: &Report, detail: Detail, style: &Style) -> String {
    let below = [&run::SECTION, &findings::NOTES, &findings::SECTION];
    let below = below.map(|section| (section.view)(report, detail));
    render(std::iter::once(blocks).chain(below), detail, style)
}

/// Blocks that are not a section of their own.
pub fn blocks(blocks: Vec<Block>, style: &Style) -> String {
    detailed(blocks, Detail::Full, style)
}

/// The same, with as much of them as is asked for.
pub fn detailed(blocks: Vec<Block>, detail: Detail, style: &Style) -> String {
    render([blocks], detail, style)
}

/// Lines of text, wrapped at words.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    style::wrap(text, width, "", "")
}

/// A message wrapped at words.
pub fn message(text: &str, width: usize) -> String {
    style::wrap(text, width, "", "  ").join("\n")
}

fn render(views: impl IntoIterator<Item = Vec<Block>>, detail: Detail, style: &Style) -> String {
    let mut screen = Screen::new(style);
    for view in views {
        // Add space before a view that does not begin with a heading.
        if let Some(Block::Paragraph(_) | Block::Item { .. }) = view.first() {
            screen.gap();
        }
        for block in &view {
            screen.block(block, detail);
        }
    }
    screen.finish()
}

// The report in two lines, to paste into a bug report: plain, and never wrapped. They hold what a
// reader of a bug report needs first, and the ids of findings.

/// Draws the lines: the machine, and what was measured and found.
pub fn brief(report: &Report, style: &Style) -> String {
    let lines = [brief_machine(report), brief_findings(report)];
    let lines = lines.map(|parts| style.signs(&clean(&parts.join(", "))));
    lines.map(|line| line + "\n").concat()
}

fn brief_machine(report: &Report) -> Vec<String> {
    let env = &report.environment;
    let tool = format!("chronoscope {}: ", report.run.tool_version);
    let mut parts = vec![tool + &machine::processor(env), machine::under(env)];
    let linux = env.os.is_empty() || env.os.contains("Linux");
    if !linux {
        parts.push(env.os.clone());
    }
    let kernel = env.kernel.iter();
    parts.extend(kernel.map(|kernel| format!("kernel {kernel}")));
    parts.push(env.arch.clone());
    match &env.clocksource {
        Some(source) => parts.push(format!("clock source {}", source.current)),
        None if linux => parts.push("clock source unknown".into()),
        // Other systems do not name theirs.
        None => {}
    }
    parts
}

/// What was measured, and the conclusions.
fn brief_findings(report: &Report) -> Vec<String> {
    let mut parts = vec![
        brief_cost(counter(report), "counter"),
        brief_cost(monotonic(report), "monotonic clock"),
    ];
    let tick = monotonic(report).and_then(|clock| clock.resolution.as_ref()?.tick_ns);
    parts.extend(tick.map(|ns| format!("tick {}", short(ns))));
    parts.push(worst_wake_up(&report.waits));
    let ids = |about| {
        let found = report.findings.iter().filter(|it| it.is_found() && it.about == about);
        found.map(|finding| finding.id.as_str()).collect::<Vec<_>>().join(" ")
    };
    parts.push(match (ids(About::Machine), ids(About::Run)) {
        (machine, run) if machine.is_empty() && run.is_empty() => "no findings".into(),
        (machine, run) if run.is_empty() => format!("findings: {machine}"),
        (machine, run) if machine.is_empty() => format!("findings about this run: {run}"),
        (machine, run) => format!("findings: {machine}, about this run: {run}"),
    });
    if !report.run.complete {
        parts.push("interrupted".into());
    }
    parts
}

fn brief_cost(clock: Option<&Clock>, what: &str) -> String {
    match clock.and_then(|clock| Some((clock, clock.read_ns()?))) {
        Some((clock, ns)) => format!("{} {} ns", clock.id, three(ns)),
        None => format!("no {what} measured"),
    }
}

/// The plain counter: the cheapest read of the processor's counter that waits for nothing.
fn counter(report: &Report) -> Option<&Clock> {
    let plain = |clock: &&Clock| {
        let facts = clock.facts.as_ref();
        facts.is_none_or(|it| it.reads == Reads::Counter && it.orders == Orders::Nothing)
    };
    cheapest(report.clocks.iter().filter(plain), Kind::Counter)
}

/// The system's clock for intervals: the one that is marked as the best, or else the cheapest that
/// is fine enough, or else the cheapest.
fn monotonic(report: &Report) -> Option<&Clock> {
    let tick = |clock: &Clock| clock.resolution.as_ref().and_then(|found| found.tick_ns);
    let fine = |clock: &&Clock| tick(clock).is_some_and(|ns| ns <= FINE_NS);
    let of = |is_it: &dyn Fn(&&Clock) -> bool| {
        cheapest(report.clocks.iter().filter(is_it), Kind::Monotonic)
    };
    of(&|clock| clock.best).or_else(|| of(&fine)).or_else(|| of(&|_| true))
}

/// The longest tick of a clock that is fine enough to time intervals, in nanoseconds.
const FINE_NS: f64 = 1000.0;

fn cheapest<'a>(clocks: impl Iterator<Item = &'a Clock>, kind: Kind) -> Option<&'a Clock> {
    let measured = clocks.filter(|clock| clock.kind == kind && clock.read_ns().is_some());
    let cost = |clock: &Clock| clock.read_ns().unwrap_or(f64::INFINITY);
    measured.min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

/// The sleep that ended latest, without load.
fn worst_wake_up(waits: &[Wait]) -> String {
    let slept = |wait: &&Wait| {
        wait.samples > 0 && wait.load == Load::None && wait.kind == waits::Kind::Sleep
    };
    let all = waits.iter().filter(slept);
    let samples: u64 = all.clone().map(|wait| wait.samples).sum();
    match all.max_by_key(|wait| wait.max_ns) {
        Some(wait) => {
            let late = short(wait.max_ns as f64);
            format!("worst wake-up {late} late (of {}, {})", count(samples), wait.id)
        }
        None => "no wake-up measured".into(),
    }
}
