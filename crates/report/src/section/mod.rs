//! The sections of a report: one file each, one line each in the list below. A section describes
//! itself once, as blocks and as columns with typed cells, and knows no format.
//!
//! Below the list is what sections share. Columns of a type of row: each is described once, with
//! its names for people and for programs, and how a row fills it. On a page: strips with the
//! figures of several reports, and headings that say whose figures follow. And figures under loads,
//! next to the undisturbed ones.

use crate::block::chart::{Mark, What};
use crate::block::{Block, Cell, Column, Item, Part, Row, Table, Text, Tone, Value};
use crate::number::{self, percent, plural, short};
use crate::page::Input;
use chronoscope_model::waits::{Load, LoadRun};
use chronoscope_model::{Estimate, Report};
use std::borrow::Borrow;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// The section's part of a summary.
    Brief,
    /// The section on its own.
    #[default]
    Full,
    /// Everything that is known.
    Everything,
}

/// How a section looks on a page of these reports.
pub type Page = fn(&[Input<'_>]) -> Vec<Block>;

pub struct Section {
    pub id: &'static str,
    /// The section's keys in the report, and what one record of each is called.
    pub records: &'static [(&'static str, &'static str)],
    /// Whether a run is made for this section, which is neither circumstances nor conclusions.
    pub measured: bool,
    /// The file with the pages on the names that the section shows (see [`terms`](crate::terms)).
    pub terms: &'static [u8],
    /// The section's blocks; none if the report does not hold the section.
    pub view: fn(&Report, Detail) -> Vec<Block>,
    /// The blocks for a screen that must not scroll, with this many clocks of a kind; absent if
    /// they are those in brief.
    pub glance: Option<fn(&Report, usize) -> Vec<Block>>,
    /// The section's part of a page that shows these reports, all of which hold it; absent if it is
    /// the view of each. It begins with a heading whose remark states the finding in one sentence.
    pub page: Option<Page>,
    /// The rows for programs, which use the keys of the columns; no rows if the report does not
    /// hold the section. Absent if the section is not a table.
    pub table: Option<fn(&Report) -> Table>,
}

/// The defaults of a section.
const SECTION: Section = Section {
    id: "",
    records: &[],
    measured: false,
    terms: &[],
    view: |_, _| Vec::new(),
    glance: None,
    page: None,
    table: None,
};

macro_rules! sections {
    ($($file:ident $(and $more:ident)?,)*) => {
        $(pub mod $file;)*

        /// Every section, in the order in which a summary shows them.
        pub static ALL: &[&Section] = &[$($(&$file::$more,)? &$file::SECTION),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

sections! {
    run,
    machine,
    clocks,
    waits,
    deltas,
    calls,
    overhead,
    runtimes,
    trust,
    against,
    noise,
    sweep,
    findings and NOTES,
    advice,
}

/// The sections that suit a document about this report: the section that it was made for in full,
/// or several of them in brief; its circumstances and conclusions in brief. If nothing was
/// measured, it was made for the machine.
pub(crate) fn of_document(report: &Report) -> Vec<(&'static Section, Detail)> {
    let measured = measured(report);
    let detail = |section: &Section| match (section.measured, measured.len()) {
        // A reader elsewhere cannot ask for more.
        _ if section.id == findings::SECTION.id => Detail::Everything,
        (true, 1) => Detail::Full,
        (false, 0) if section.table.is_some() => Detail::Full,
        _ => Detail::Brief,
    };
    let held = |id| measured.iter().any(|section| section.id == id);
    let sections = ALL.iter().filter(|section| !section.measured || held(section.id));
    sections.map(|section| (*section, detail(section))).collect()
}

/// The sections that the report was made for.
pub fn measured(report: &Report) -> Vec<&'static Section> {
    let held = |section: &&&Section| section.measured && section.rows(report).is_some();
    ALL.iter().filter(held).copied().collect()
}

/// The section that a screen is about, if it is one.
pub fn of_screen(screen: &str) -> Option<&'static Section> {
    let id = match screen {
        "hardware" => machine::SECTION.id,
        "advise" => advice::SECTION.id,
        "ticks" | "bins" => waits::SECTION.id,
        "traceability" => against::SECTION.id,
        "stability" => trust::SECTION.id,
        "findings" => return None,
        other => other,
    };
    ALL.iter().copied().find(|section| section.id == id)
}

/// The table of the section that the report's screen is about, with the name of that section. If
/// the screen is about several, or about none with a table, all that the report was made for, and
/// if that is nothing, the first that it holds.
pub(crate) fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    let rows = |section: &&'static Section| Some((section.id, section.rows(report)?));
    let screen = report.run.screen.as_deref().and_then(of_screen);
    // A sweep shows the runtimes that it measured under each source.
    let screen = screen.filter(|it| it.id != sweep::SECTION.id || report.runtimes.is_empty());
    if let Some(asked) = screen.as_ref().and_then(rows) {
        return vec![asked];
    }
    let measured: Vec<_> = measured(report).iter().filter_map(rows).collect();
    if measured.is_empty() { ALL.iter().find_map(rows).into_iter().collect() } else { measured }
}

/// A clock with its call, as a program writes it.
fn heading_of(id: &str, call: Option<&String>) -> Block {
    Block::noted(id, call.map_or("", String::as_str))
}

impl Section {
    /// Whether the report holds anything of the section.
    pub fn is_in(&self, report: &Report) -> bool {
        match self.table {
            Some(_) => self.rows(report).is_some(),
            None => !(self.view)(report, Detail::Brief).is_empty(),
        }
    }

    fn rows(&self, report: &Report) -> Option<Table> {
        let table = (self.table?)(report);
        (!table.is_empty()).then_some(table)
    }
}

/// A column of rows of type `R`, and its cell of a row.
pub(crate) struct Spec<R> {
    pub(crate) column: Column,
    pub(crate) cell: fn(&R) -> Cell,
}

/// Columns of one type of row, each with its key for programs (empty if it is for people only), its
/// name for people, how it is shown (methods of [`Column`]), and its cell:
///
/// ```text
/// columns! { clock in Clock;
///     "bits" "bits" [full part(TRUST) right close] Cell::count(clock.bits);
/// }
/// ```
macro_rules! columns {
    ($row:pat in $type:ty; $(
        $key:literal $name:literal [$($look:ident $(($arg:expr))?)*] $cell:expr;
    )*) => {
        vec![$($crate::section::Spec {
            column: $crate::block::Column { key: $key, ..$crate::block::Column::new($name) }
                $(.$look($($arg)?))*,
            cell: |#[allow(unused_variables)] $row: &$type| $cell,
        }),*]
    };
}
pub(crate) use columns;

/// A table of rows of one type, under construction.
pub(crate) struct Rows<R> {
    cells: Vec<fn(&R) -> Cell>,
    table: Table,
}

impl<R> Rows<R> {
    pub(crate) fn shown(specs: Vec<Spec<R>>, detail: Detail) -> Self {
        Self::of(specs, |column| if detail == Detail::Brief { column.brief } else { column.full })
    }

    pub(crate) fn data(specs: Vec<Spec<R>>) -> Self {
        Self::of(specs, |column| !column.key.is_empty())
    }

    fn of(specs: Vec<Spec<R>>, keep: impl Fn(&Column) -> bool) -> Self {
        let kept = specs.into_iter().filter(|spec| keep(&spec.column));
        let (columns, cells) = kept.map(|spec| (spec.column, spec.cell)).unzip();
        Self { cells, table: Table { columns, ..Table::default() } }
    }

    /// The table with headings for its parts.
    pub(crate) fn parts(mut self, parts: &'static [Part]) -> Self {
        self.table.parts = parts;
        self
    }

    pub(crate) fn group(&mut self, name: impl Into<String>, remark: impl Into<String>) {
        self.table.items.push(Item::Group { name: name.into(), remark: remark.into() });
    }

    pub(crate) fn row(&mut self, row: &R) {
        self.add(row, false);
    }

    /// Adds a row that is marked or not.
    pub(crate) fn add(&mut self, row: &R, marked: bool) {
        let cells = self.cells.iter().map(|cell| cell(row)).collect();
        self.table.items.push(Item::Row(Row { marked, cells }));
    }

    pub(crate) fn table(self) -> Table {
        self.table
    }

    pub(crate) fn of_all(mut self, rows: impl IntoIterator<Item: Borrow<R>>) -> Table {
        rows.into_iter().for_each(|row| self.row(row.borrow()));
        self.table
    }
}

/// A table of all these rows, as a screen shows it.
pub(crate) fn shown<R>(
    specs: Vec<Spec<R>>,
    detail: Detail,
    rows: impl IntoIterator<Item: Borrow<R>>,
) -> Block {
    Block::Table(Rows::shown(specs, detail).of_all(rows))
}

/// Values that have the same key together, in the order in which the keys first came.
pub(crate) fn by_key<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// Each value once, in the order in which they first came.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let groups = by_key(values.into_iter().map(|value| (value, ())));
    groups.into_iter().map(|(value, _)| value).collect()
}

/// What a section shows of a report that does not hold it: nothing in brief.
pub(crate) fn absent(detail: Detail, words: &str) -> Vec<Block> {
    (detail != Detail::Brief).then(|| Block::paragraph(words)).into_iter().collect()
}

// What the sections of a page share: strips with the figures of several reports, and headings that
// say whose figures follow.

/// The most reports whose figures share strips. More are shown one after the other.
const TOGETHER: usize = 4;

/// Nothing further from zero is drawn: 30 years in nanoseconds, beyond any figure of a machine.
const FURTHEST: f64 = 1e18;

fn is_drawn(value: f64) -> bool {
    value.abs() <= FURTHEST
}

/// The blocks of all reports together, or of one after the other if they are too many.
fn together(inputs: &[Input<'_>], of: fn(&[Input<'_>]) -> Vec<Block>) -> Vec<Block> {
    if inputs.len() <= TOGETHER {
        return of(inputs);
    }
    each(inputs, |input| of(&[*input]))
}

/// The blocks of one report after the other. If there are several, those of each begin with a
/// heading that names the report.
fn each(inputs: &[Input<'_>], of: impl Fn(&Input<'_>) -> Vec<Block>) -> Vec<Block> {
    let several = inputs.len() > 1;
    let blocks = inputs.iter().flat_map(|input| {
        let mut blocks = of(input);
        match blocks.first_mut() {
            Some(Block::Heading { title, .. }) if several => *title = titled(title, input),
            Some(_) if several => blocks.insert(0, Block::heading(input.name)),
            _ => {}
        }
        blocks
    });
    blocks.collect()
}

/// Words as the beginning of a sentence.
pub(crate) fn capitalized(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A title, and the report that it is about, if that has a name.
fn titled(title: &str, input: &Input<'_>) -> String {
    match input.name {
        "" => title.to_owned(),
        name => format!("{title}: {name}"),
    }
}

/// The mark of a cost on a logarithmic axis; absent if it has no place there. A cost that is too
/// small to be resolved stands at its upper bound.
fn cost_mark(what: What, estimate: Option<&Estimate>, of: usize, whose: &str) -> Option<Mark> {
    let estimate = estimate?;
    let value = estimate.known_ns().filter(|ns| *ns > 0.0 && is_drawn(*ns))?;
    let end = |ns: f64| if ns > 0.0 && is_drawn(ns) { ns } else { value };
    let number::Figure { value: figure, spread } = number::estimate(estimate);
    let spread = if spread.is_empty() { spread } else { format!(" ±{spread}") };
    let ends = [end(estimate.low_ns).min(value), value, end(estimate.high_ns).max(value)];
    Some(Mark::new(what, ends, of, format!("{whose}: {figure}{spread} ns")))
}

/// The figures of several reports in one row: what it is about, the marks next to them, and the
/// figure of each report. The group is a title with a remark.
#[derive(Default)]
struct Line {
    pub(crate) group: (String, String),
    /// What tells the line from others of its group.
    pub(crate) key: String,
    pub(crate) names: Vec<Cell>,
    /// Whether the line is the one to notice.
    pub(crate) best: bool,
    pub(crate) marks: Vec<Mark>,
    pub(crate) figures: Vec<Option<Estimate>>,
    /// What is known besides; shown if there is one report.
    pub(crate) rest: Vec<Cell>,
}

/// The lines of reports (by number) joined: what has the same group and key is one line.
fn joined_lines(reports: usize, lines: impl IntoIterator<Item = (usize, Line)>) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for (of, mut line) in lines {
        let figure = line.figures.pop().flatten();
        let same = |known: &&mut Line| known.group.0 == line.group.0 && known.key == line.key;
        let known = match all.iter_mut().find(same) {
            Some(known) => {
                known.marks.append(&mut line.marks);
                known
            }
            None => {
                // A group that has begun is continued.
                let last = all.iter().rposition(|known| known.group.0 == line.group.0);
                let at = last.map_or(all.len(), |last| last + 1);
                line.figures = vec![None; reports];
                all.insert(at, line);
                &mut all[at]
            }
        };
        if let Some(place) = known.figures.get_mut(of) {
            *place = figure;
        }
    }
    all
}

/// The lines of reports (by number) on a page: a heading with a sentence, and a table with the
/// names of each line, its strip, its figure in each report by the report's name, and the rest.
fn lines_blocks(
    inputs: &[Input<'_>],
    title: &str,
    sentence: Option<String>,
    lines: impl IntoIterator<Item = (usize, Line)>,
    names: Vec<Column>,
    [strip, figure]: [Column; 2],
    rest: Vec<Column>,
) -> Vec<Block> {
    let figure = figure.unit("ns").decimal().spread().full();
    let alone = inputs.len() == 1;
    let figures = inputs.iter().map(|input| match alone {
        true => figure.clone(),
        false => Column { head: input.name.to_owned().into(), ..figure.clone() },
    });
    let rest_columns = rest.into_iter().filter(|_| alone);
    let columns = names.into_iter().chain([strip.full()]).chain(figures).chain(rest_columns);
    let mut table = Table { columns: columns.collect(), ..Table::default() };
    let mut group = String::new();
    for line in joined_lines(inputs.len(), lines) {
        if line.group.0 != group {
            group.clone_from(&line.group.0);
            let (name, remark) = line.group;
            table.items.push(Item::Group { name, remark });
        }
        let mut cells = line.names;
        cells.push(Cell::new(Value::Strip(line.marks)));
        cells.extend(line.figures.iter().map(|figure| Cell::estimate(figure.as_ref())));
        cells.extend(line.rest.into_iter().filter(|_| alone));
        table.items.push(Item::Row(Row { marked: line.best, cells }));
    }
    vec![Block::noted(title, sentence.unwrap_or_default()), Block::Table(table)]
}

/// What a section's own screen says, without its first heading: the page has one of its own.
fn after_heading(blocks: Vec<Block>) -> impl Iterator<Item = Block> {
    let mut blocks = blocks.into_iter().peekable();
    blocks.next_if(|block| matches!(block, Block::Heading { .. }));
    blocks
}

/// The name of a report in the words of a mark: nothing if it is the only one.
fn whose(inputs: &[Input<'_>], nth: usize, what: &str) -> String {
    match inputs.get(nth).map(|input| input.name) {
        Some(name) if inputs.len() > 1 && !name.is_empty() => format!("{what} ({name})"),
        _ => what.to_owned(),
    }
}

// What sections show of figures under loads, next to the undisturbed ones.

fn load_name(load: Option<Load>) -> &'static str {
    load.unwrap_or_default().name()
}

/// A figure as a multiple of the undisturbed one.
fn times_undisturbed(figure: Option<f64>, undisturbed: Option<f64>) -> Cell {
    let times = figure.zip(undisturbed).map(|(figure, undisturbed)| figure / undisturbed);
    let times = times.filter(|times| times.is_finite());
    Cell::number(times).said(times.map(|times| format!("{times:.2}")))
}

/// What each load of the report was and got, and how the measuring thread ran; nothing if it was
/// neither disturbed nor given a priority.
fn load_conditions(report: &Report) -> Vec<Block> {
    let ruler = report.ruler.as_ref();
    let mut text = Vec::new();
    if !report.load_runs.is_empty() {
        let cpu = ruler.and_then(|ruler| ruler.cpu);
        let cpu = cpu.map_or(String::new(), |cpu| format!(", on CPU {cpu}"));
        text.push(format!(
            "Measured one after the other, without a load first{cpu}. × none: as a multiple of the \
             figure without a load."
        ));
    }
    text.extend(ruler.and_then(|ruler| ruler.fifo).map(|priority| {
        format!(
            "The measuring thread ran with SCHED_FIFO {priority}, and slept now and then, as such \
             a thread must."
        )
    }));
    if text.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::legend(text.join(" "))];
    for run in &report.load_runs {
        blocks.extend(load_got(&format!("Load {}", run.load.name()), run));
    }
    blocks
}

/// What the processes of a load did, and the time that they used.
fn load_got(what: &str, run: &LoadRun) -> Vec<Block> {
    let share = |cpu_s: f64| percent(cpu_s / run.seconds.max(1e-9));
    let each = run.processes.iter().map(|it| format!("CPU {} {}", it.cpu, share(it.cpu_s)));
    let about = Some(&run.about).filter(|about| !about.is_empty());
    let mut blocks = vec![Block::paragraph(format!(
        "{what}, {} (scheduling: {}), used {:.2} CPUs for {}: {}.{}",
        plural(run.processes.len() as u64, "process", "processes"),
        run.scheduling,
        run.cpus(),
        short(run.seconds * 1e9),
        each.collect::<Vec<_>>().join(", "),
        about.map_or(String::new(), |about| format!(" Each process {about}."))
    ))];
    let loss = run.loss().map(|loss| Text::toned(Tone::Bad, format!("{loss}.")));
    blocks.extend(loss.map(Block::Paragraph));
    let notes = run.notes.iter();
    blocks.extend(notes.map(|note| Block::paragraph(format!("{note}."))));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_file_is_in_the_list_and_named_after_its_section() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/section");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder of this very file")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| !["mod", "shared"].contains(&&**name))
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|&f| f.to_owned()).collect();
        let missing: Vec<&String> = files.difference(&listed).collect();
        assert!(missing.is_empty(), "src/section/mod.rs does not list {missing:?}");
        let ids: BTreeSet<String> = ALL.iter().map(|section| section.id.to_owned()).collect();
        assert!(listed.is_subset(&ids), "{ids:?}");
    }

    /// NDJSON contains only what a section names.
    #[test]
    fn every_key_of_a_report_belongs_to_one_section() {
        let schema: serde_json::Value =
            serde_json::from_str(&chronoscope_model::schema::REPORT).expect("it is JSON");
        let properties = schema["properties"].as_object().into_iter().flatten();
        let mut keys: Vec<String> = properties.map(|(key, _)| key.clone()).collect();
        keys.retain(|key| key != "schema");
        keys.sort();
        let records = ALL.iter().flat_map(|section| section.records);
        let mut named: Vec<String> = records.map(|(key, _)| (*key).to_owned()).collect();
        named.sort();
        assert_eq!(named, keys);
    }
}
