//! The screens. A screen is a function of blocks and of a [`Style`], so tests can check every
//! character.
//!
//! `Screen` is one under construction: blocks as lines below each other. Also lists of what is
//! available, and pages on a name.

pub(crate) mod pictures;
mod style;
mod table;

use crate::block::{Block, Cell, Column, Item, Table, Text, Tone};
use crate::clean::{clean, clean_span};
use crate::number::{count, plural, short};
use crate::section::{self, Detail, Section, advice, findings, machine, run};
use crate::terms;
use chronoscope_model as model;
use chronoscope_model::clock::{Clock, Kind, Orders, Reads};
use chronoscope_model::waits::{self, Load, Wait};
use chronoscope_model::{About, Report};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use style::{INDENT, wrap, wrap_cell};

pub use style::{Style, columns};

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
    wrap(text, width, "", "")
}

/// A message wrapped at words.
pub fn message(text: &str, width: usize) -> String {
    wrap(text, width, "", "  ").join("\n")
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
    let linux = machine::has_clock_sources(env);
    if !(env.os.is_empty() || linux && env.os.contains("Linux")) {
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
    match clock.and_then(|clock| Some((clock, clock.read()?.human()?))) {
        Some((clock, cost)) => format!("{} {cost}", clock.id),
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

/// The widest text that is comfortable to read; tables may be wider.
const MEASURE: usize = 100;

/// The widest name of a language that keeps code aligned.
const LANGUAGE: usize = 12;

struct Screen<'a> {
    style: &'a Style,
    text: String,
}

impl<'a> Screen<'a> {
    fn new(style: &'a Style) -> Self {
        Self { style, text: String::new() }
    }

    /// The width that text is wrapped to.
    fn measure(&self) -> usize {
        self.style.width.clamp(20, MEASURE)
    }

    fn block(&mut self, block: &Block, detail: Detail) {
        let style = self.style;
        match block {
            Block::Heading { title, remark } => {
                self.heading(&self.safe(title), &paint(remark, style))
            }
            Block::Facts(facts) => {
                let facts = facts.iter().map(|it| (self.safe(&it.name), paint(&it.value, style)));
                self.facts(&facts.collect::<Vec<_>>());
            }
            Block::Table(table) => {
                for laid in table::laid(table, detail, style) {
                    if !laid.title.is_empty() {
                        let remark = style.paint(Tone::Dim, &style.signs(&laid.remark));
                        self.heading(&laid.title, &remark);
                    }
                    if !table.headless && detail != Detail::Brief {
                        self.gap();
                    }
                    self.lines(table::table_lines(&laid.table, detail != Detail::Brief, style));
                    if let Some(keys) = pictures::strip_keys(&laid.marks, style) {
                        self.paragraph(&style.paint(Tone::Dim, &keys));
                    }
                }
            }
            Block::Chart(chart) => self.lines(pictures::plot_lines(chart, style)),
            Block::Paragraph(text) => self.paragraph(&paint(text, style)),
            Block::Legend(text) => {
                if detail != Detail::Brief {
                    self.gap();
                }
                self.paragraph(&style.paint(Tone::Dim, &paint(text, style)));
            }
            // The screen cuts what is too long.
            Block::Line(text) => self.lines(vec![format!("  {}", paint(text, style))]),
            Block::Item { head, details } => {
                self.indented("  ", "    ", &paint(head, style));
                for detail in details {
                    self.indented("    ", "      ", &paint(detail, style));
                }
            }
            Block::Code(code) => {
                self.gap();
                self.code(code);
            }
        }
    }

    /// Text made safe, with signs that the terminal can show.
    fn safe(&self, text: &str) -> String {
        self.style.signs(&clean(text))
    }

    fn lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// Adds an empty line, but never two in a row.
    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds a heading, with a remark after it.
    fn heading(&mut self, title: &str, remark: &str) {
        self.gap();
        let title = self.style.paint(Tone::Strong, title);
        let rest = if columns(&title) < 22 { "  " } else { "    " };
        let whole = if remark.is_empty() { title } else { format!("{title}  {remark}") };
        match remark {
            "" => self.lines(vec![whole]),
            _ => self.indented("", rest, &whole),
        }
    }

    fn paragraph(&mut self, text: &str) {
        self.indented("  ", "  ", text);
    }

    /// Adds a paragraph with one indentation for its first line and another for the rest.
    fn indented(&mut self, first: &str, rest: &str, text: &str) {
        self.lines(wrap(text, self.measure(), first, rest));
    }

    fn facts(&mut self, facts: &[(String, String)]) {
        let names = facts.iter().map(|(name, _)| columns(name)).max();
        let names = names.unwrap_or(0).min(self.measure() / 2);
        for (name, value) in facts {
            let name = self.style.cut(name, names);
            let pad = " ".repeat(names + 2 - columns(&name));
            let first = format!("  {}{pad}", self.style.paint(Tone::Dim, &name));
            self.indented(&first, &" ".repeat(INDENT + names + 2), value);
        }
    }

    /// Adds lines of code next to the name of their language.
    fn code(&mut self, code: &[(String, String)]) {
        let widest = code.iter().map(|(language, _)| language.chars().count()).max();
        let widest = widest.unwrap_or(0).min(LANGUAGE);
        for (language, lines) in code {
            for (nth, line) in lines.lines().enumerate() {
                let name = if nth == 0 { clean(language) } else { String::new() };
                let name = self.style.paint(Tone::Dim, &format!("{name:widest$}"));
                // The indentation of code is kept; the rest of the line is made safe.
                let indent = " ".repeat(line.len() - line.trim_start().len());
                let first = format!("  {name}  {indent}");
                self.indented(&first, &" ".repeat(widest + 6), &self.safe(line));
            }
        }
    }

    /// Returns the screen as it is written, with a line feed at the end of its last line.
    fn finish(self) -> String {
        let mut open = None;
        let mut out = String::with_capacity(self.text.len() * 2);
        for line in self.text.trim_end_matches('\n').lines() {
            out.push_str(&self.style.finish(line, &mut open));
            out.push('\n');
        }
        out
    }
}

/// Text with its tones, and without anything that a terminal would act on.
fn paint(text: &Text, style: &Style) -> String {
    let spans = text.0.iter().map(|span| {
        let text = style.signs(&clean_span(&span.text));
        span.tone.map_or(text.clone(), |tone| style.paint(tone, &text))
    });
    spans.collect::<String>().trim_end().to_owned()
}

// Lists of what is available, and of the rest with the reasons.

/// An item that can be listed, on a screen or for programs. A text that does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListRow {
    pub id: String,
    /// The call as a user writes it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// Why the item is not available on this machine, unless it is.
    #[serde(flatten, serialize_with = "availability")]
    pub unavailable_reason: Option<String>,
    pub about: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub looks_at: String,
    /// Whether the item belongs to another library, so that only --peers measures it.
    #[serde(skip)]
    pub is_peer: bool,
}

impl ListRow {
    /// A row that has only a description.
    pub fn plain(id: &str, about: &str) -> Self {
        Self { id: id.into(), about: about.into(), ..Self::default() }
    }
}

fn availability<S: Serializer>(reason: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Availability<'a> {
        available: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        unavailable_reason: Option<&'a String>,
    }
    let unavailable_reason = reason.as_ref();
    Availability { available: reason.is_none(), unavailable_reason }.serialize(to)
}

/// On a narrower screen, the call of an entry, or the reason why it is not available, has a line of
/// its own.
const NARROW: usize = 76;

pub fn list(title: &str, rows: &[ListRow], detail: Detail, style: &Style) -> String {
    let mut screen = Screen::new(style);
    let (peers, own): (Vec<&ListRow>, Vec<&ListRow>) = rows.iter().partition(|row| row.is_peer);
    let (here, absent) = by_availability(own);
    let mut remark = match absent.len() {
        0 => here.len().to_string(),
        n => format!("{} available, {n} not", here.len()),
    };
    if !peers.is_empty() {
        remark.push_str(&format!(", and {} of other libraries", peers.len()));
    }
    let title = screen.safe(title);
    screen.heading(&title, &style.paint(Tone::Dim, &remark));
    screen.gap();
    if rows.is_empty() {
        screen.paragraph("None.");
    }
    entries(&mut screen, &here, detail, style);
    if !absent.is_empty() {
        screen.heading("Not available on this machine", "");
        screen.gap();
        entries(&mut screen, &absent, detail, style);
    }
    if !peers.is_empty() {
        let n = plural(peers.len() as u64, "entry", "entries");
        let remark = style.paint(Tone::Dim, "measured only with --peers");
        screen.heading(&format!("Other libraries: {n}"), &remark);
        screen.gap();
        let (here, absent) = by_availability(peers);
        entries(&mut screen, &here, detail, style);
        entries(&mut screen, &absent, detail, style);
    }
    screen.finish()
}

/// The rows that are available, and the rows that are not.
fn by_availability(rows: Vec<&ListRow>) -> (Vec<&ListRow>, Vec<&ListRow>) {
    rows.into_iter().partition(|row| row.unavailable_reason.is_none())
}

/// How narrow a column of sentences may become; columns of short words keep their width.
const NARROWEST: usize = 24;

/// A column: its head, its text of a row, its tone, and how narrow it may become.
type Field = (&'static str, fn(&ListRow) -> &str, Option<Tone>, Option<usize>);

const AVAILABLE: [Field; 6] = [
    ("id", |row| &row.id, Some(Tone::Name), Some(NARROWEST)),
    ("kind", |row| &row.kind, None, None),
    ("language", |row| &row.language, None, None),
    ("call", |row| &row.call, None, Some(NARROWEST)),
    ("about", |row| &row.about, Some(Tone::Dim), Some(NARROWEST)),
    ("looks at", |row| &row.looks_at, Some(Tone::Dim), Some(NARROWEST)),
];

const ABSENT: [Field; 2] = [
    ("id", |row| &row.id, None, Some(NARROWEST)),
    ("reason", reason, Some(Tone::Dim), Some(NARROWEST)),
];

/// Why an item is not available; empty if it is.
fn reason(row: &ListRow) -> &str {
    row.unavailable_reason.as_deref().unwrap_or_default()
}

/// Entries that are all available, with what they are, or all not, with the reasons. Empty columns
/// are left out. The description is shown for entries without a call in a language, and for all if
/// everything is asked for.
fn entries(screen: &mut Screen<'_>, rows: &[&ListRow], detail: Detail, style: &Style) {
    let Some(first) = rows.first() else {
        return;
    };
    let here = first.unavailable_reason.is_none();
    let calls = rows.iter().any(|row| !row.call.is_empty());
    let languages = calls && rows.iter().any(|row| !row.language.is_empty());
    if style.width < NARROW && (calls || !here) {
        rows.iter().for_each(|row| narrow(screen, row, detail, style));
        return;
    }
    let fields = if here { &AVAILABLE[..] } else { &ABSENT[..] };
    let shown = |(name, text, ..): &&Field| {
        let told_by_call = *name == "about" && languages && detail != Detail::Everything;
        rows.iter().any(|row| !text(row).is_empty()) && !told_by_call
    };
    let fields: Vec<&Field> = fields.iter().filter(shown).collect();
    let column =
        |(name, _, _, gives_way): &&Field| Column { gives_way: *gives_way, ..Column::new(*name) };
    let row = |row: &&ListRow| {
        let cells = fields.iter().map(|(_, text, tone, _)| {
            let text = table::safe(text(row), style);
            Cell { tone: *tone, ..Cell::text(text) }
        });
        Item::from(cells.collect::<Vec<_>>())
    };
    let table = Table {
        columns: fields.iter().map(column).collect(),
        items: rows.iter().map(row).collect(),
        ..Table::default()
    };
    screen.lines(table::table_lines(&table, true, style));
}

/// An entry with its call, or the reason why it is not available, on a line of its own.
fn narrow(screen: &mut Screen<'_>, row: &ListRow, detail: Detail, style: &Style) {
    let dim = |text: &str| style.paint(Tone::Dim, &Screen::new(style).safe(text));
    let id = screen.safe(&row.id);
    if row.unavailable_reason.is_some() {
        screen.indented("  ", "    ", &id);
        screen.indented("      ", "      ", &dim(reason(row)));
        return;
    }
    let (id, of) = (style.paint(Tone::Name, &id), dim(&format!("{} {}", row.kind, row.language)));
    screen.indented("  ", "    ", &format!("{id}  {of}"));
    // Broken as in a cell.
    let call = wrap_cell(&screen.safe(&row.call), screen.measure().saturating_sub(6).max(1));
    screen.lines(call.into_iter().map(|line| format!("      {line}")).collect());
    if detail == Detail::Everything || row.language.is_empty() {
        screen.indented("      ", "      ", &dim(&row.about));
    }
}

// One page on a clock, a wait, a finding, a purpose, or a name on a screen.

/// A page as it is drawn, and written for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Page {
    pub id: String,
    /// What is explained: a clock, a wait, a finding, a purpose, a column.
    #[serde(rename = "what")]
    pub title: String,
    /// The call as a user writes it; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The text; an empty line separates paragraphs.
    #[serde(rename = "about")]
    pub body: String,
    #[serde(serialize_with = "by_name")]
    pub facts: Vec<(String, String)>,
    pub references: Vec<String>,
}

fn by_name<S: Serializer>(facts: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    let facts: BTreeMap<&str, &str> = facts.iter().map(|(name, it)| (&**name, &**it)).collect();
    facts.serialize(to)
}

/// A page on a name that screens print.
impl From<&model::Page> for Page {
    fn from(page: &model::Page) -> Self {
        let others = terms::shown(page.names.get(1..).unwrap_or_default());
        let facts =
            [("unit", page.unit), ("how", page.how), ("what to do", page.act), ("also", &others)];
        let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
        Self {
            id: page.names.first().copied().unwrap_or_default().into(),
            title: page.title.into(),
            call: String::new(),
            body: page.about.into(),
            facts: known.map(|(name, text)| (name.into(), text.into())).collect(),
            references: page.references.iter().map(ToString::to_string).collect(),
        }
    }
}

pub fn explain(page: &Page, style: &Style) -> String {
    let mut screen = Screen::new(style);
    let safe = |text: &str| Screen::new(style).safe(text);
    screen.heading(&safe(&page.id), &style.paint(Tone::Dim, &safe(&page.title)));
    if !page.call.is_empty() {
        screen.gap();
        screen.indented("    ", "      ", &style.paint(Tone::Name, &safe(&page.call)));
    }
    for paragraph in page.body.split("\n\n").filter(|p| !p.trim().is_empty()) {
        screen.gap();
        screen.paragraph(&safe(paragraph));
    }
    if !page.facts.is_empty() {
        screen.gap();
        let facts = page.facts.iter().map(|(name, value)| (safe(name), safe(value)));
        screen.facts(&facts.collect::<Vec<_>>());
    }
    if !page.references.is_empty() {
        screen.heading("References", "");
        for reference in &page.references {
            screen.indented("  ", "    ", &safe(reference));
        }
    }
    screen.finish()
}
