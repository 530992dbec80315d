//! The waits: how exactly a thread can wait, one table for each load.
//!
//! The waits on a page: for each duration how late they end, as curves, against CPU time and in
//! figures; then the causes, the choices and the circumstances.

pub(super) mod best;
mod charts;
mod table;
mod why;

use super::{Detail, Rows, Section, shown};
use crate::block::{Block, Cell, Column, Table, Text, Tone};
use crate::clean::is_unseen;
use crate::number::{count, percent, plural, short};
use crate::page::Input;
use crate::scale::{Scale, Unit, decades};
use crate::section::{Spec, capitalized, columns, distinct};
use charts::Row;
use chronoscope_model::packed::packed;
use chronoscope_model::quantile::Percentile::{P50, P90, P99, P999};
use chronoscope_model::waits::{Kind, Load, Takes, Wait};
use chronoscope_model::{Report, units};
use std::collections::BTreeSet;
use table::{Traits, frames};

pub use best::ticks;

pub const SECTION: Section = Section {
    id: "waits",
    records: &[("waits_plan", "waits-plan"), ("waits", "wait")],
    measured: true,
    terms: packed!("terms.md"),
    view,
    table: Some(|report| {
        let rows = report.waits.iter().map(|wait| (wait, false));
        Rows::data(table::wait_columns(Traits::default())).of_all(rows)
    }),
    // Three methods more than there are clocks of a kind: a sleep, a spin and both together.
    glance: Some(|report, clocks| brief(report, 3 + clocks)),
    page: Some(page),
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return brief(report, usize::MAX);
    }
    let mut blocks = Vec::new();
    if !report.waits.iter().any(|w| w.samples > 0) {
        blocks.push(Block::paragraph("No wait was measured."));
    }
    let chosen = report.waits_plan.as_ref().is_some_and(|plan| plan.chosen);
    if chosen && detail == Detail::Full {
        blocks.extend(best::overview(report));
        blocks.extend(why::why(report, detail));
        return blocks;
    }
    for (load, measured) in loads(report) {
        blocks.extend(under(load, &measured, axis(report), detail));
        let many = charts::only_method(report).is_none();
        if many && (detail == Detail::Everything || charts::is_long(&measured)) {
            blocks.extend(charts::of_each(&measured));
        }
    }
    blocks.extend(table::unavailable(&report.waits, detail));
    if detail == Detail::Everything {
        blocks.extend(legend(report));
    }
    blocks.extend(why::why(report, detail));
    // The answer comes last: it is what a terminal still shows when the run has ended.
    blocks.extend(match charts::only_method(report) {
        Some(rows) => charts::view(&rows, None),
        None => best::best(report),
    });
    blocks
}

/// The tables, and the distribution of each row in bins of a microsecond, as `cyclictest -h` has
/// them.
pub fn bins(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (load, rows) in loads(report) {
        blocks.extend(under(load, &rows, axis(report), Detail::Full));
        blocks.extend(charts::view(&rows, Some(1000)));
    }
    blocks
}

/// The axis of strips, which the tables of all loads share: the decades from the least median to
/// the worst wait.
fn axis(report: &Report) -> Scale {
    let ends = waits_of(report).flat_map(|wait| {
        let worst = wait.max_ns as f64;
        [wait.percentile(P50).map_or(worst, |ns| ns as f64), worst]
    });
    Scale::log(Unit::Ns, decades(ends))
}

/// The rows that were measured under each load that has some.
fn loads(report: &Report) -> impl Iterator<Item = (Load, Vec<&Wait>)> {
    let of = |load| (load, waits_of(report).filter(|wait| wait.load == load).collect());
    Load::ALL.into_iter().map(of).filter(|(_, rows): &(Load, Vec<&Wait>)| !rows.is_empty())
}

fn under(load: Load, rows: &[&Wait], axis: Scale, detail: Detail) -> Vec<Block> {
    let mut blocks = heading(load, rows);
    let traits = Traits::of(rows, detail);
    let several = several_cpus(rows);
    let mut columns = table::wait_columns(traits);
    for spec in columns.iter_mut().filter(|spec| spec.column.head == "overshoot") {
        spec.column.axis = Some(axis);
    }
    let mut table = Rows::shown(columns, detail);
    for ns in durations(rows) {
        let of_it: Vec<&Wait> =
            rows.iter().copied().filter(|wait| wait.requested_ns == Some(ns)).collect();
        let (what, waits) = group(&of_it, traits.strip);
        let work = of_it.iter().find_map(|wait| wait.work_ns);
        let work = work.map_or(String::new(), |ns| format!(", work {}", short(ns as f64)));
        table.group(format!("{what} {}{work}", short(ns as f64)), waits);
        for wait in of_it {
            table.row(&(wait, several));
        }
    }
    blocks.push(Block::Table(table.table()));
    if traits.grid {
        let title = "With missed deadlines (corrected for coordinated omission):";
        blocks.push(Block::legend(title));
        let rows = rows.iter().filter(|wait| wait.grid.is_some());
        let rows = rows.map(|wait| (*wait, several));
        blocks.push(shown(table::corrected_columns(traits), detail, rows));
    }
    blocks.extend(table::remarks(rows));
    for wait in rows {
        blocks.extend(wait.moment.iter().flat_map(|m| table::moment(wait, m)));
    }
    blocks
}

fn heading(load: Load, rows: &[&Wait]) -> Vec<Block> {
    let own = rows.first().map_or("", |wait| wait.scheduling.as_str());
    let of_load = rows.iter().find_map(|wait| Some(&*wait.load_run.as_ref()?.scheduling));
    let about = match load {
        // The load keeps the priority that the tool was started with.
        Load::Normal if own.starts_with("fifo:") || own.starts_with("class:") => {
            "computation at the tool's usual priority, not that of the waits, on every CPU"
        }
        Load::High
            if own.starts_with("fifo:") && of_load.is_some_and(|it| it.starts_with("nice")) =>
        {
            "computation at a higher priority than usual, but below that of the waits"
        }
        Load::None => &format!("{} is running", charts::next_to(load)),
        Load::Low => "computation at the lowest priority on every CPU",
        Load::LowNice => "computation at a lower priority on every CPU",
        Load::Normal => "computation at the same priority on every CPU",
        Load::High => "computation at a higher priority",
        Load::Io => "synchronous writes on every CPU",
        Load::Memory => "memory traffic on every CPU",
        Load::Timers => "a storm of timer interrupts on every CPU",
        Load::Print => "lines printed to terminals on every CPU",
    };
    let title = format!("Waits, load {}", load.name());
    let mut blocks = vec![Block::noted(title, about)];
    blocks.extend(table::load_remarks(rows));
    let Some(first) = rows.first() else {
        return blocks;
    };
    let mut facts = Vec::new();
    let all: BTreeSet<&str> = rows.iter().map(|row| row.scheduling.as_str()).collect();
    let all: Vec<&str> = all.into_iter().filter(|it| !it.is_empty()).collect();
    if !matches!(all[..], [] | ["other"]) {
        facts.push(format!("Scheduling {}", all.join(", ")));
    }
    if first.kept_awake {
        facts.push("CPUs kept out of deep idle states (/dev/cpu_dma_latency)".to_owned());
    }
    let cpus: BTreeSet<usize> = rows.iter().filter_map(|w| w.cpu).collect();
    if !cpus.is_empty() {
        let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        facts.push(format!("Pinned to CPU {}", names.join(", ")));
    }
    if !facts.is_empty() {
        blocks.push(Block::paragraph(format!("{}.", facts.join(". "))));
    }
    blocks
}

/// The duration that a group of rows waited for, and how often, which is short if it becomes the
/// heading of a column.
fn group(rows: &[&Wait], short: bool) -> (&'static str, String) {
    let what = if rows.iter().any(|w| w.period_ns.is_some()) { "period" } else { "wait" };
    let samples = || rows.iter().map(|w| w.samples);
    let waits = match (samples().min(), samples().max()) {
        (Some(a), Some(b)) if a == b && short => format!("{} each", count(a)),
        (Some(a), Some(b)) if a == b => format!("{} each", plural(a, "wait", "waits")),
        (Some(a), Some(b)) if short => format!("{} to {} each", count(a), count(b)),
        (Some(a), Some(b)) => format!("{} to {} waits each", count(a), count(b)),
        _ => String::new(),
    };
    let lost = |w: &&Wait| w.load_run.as_ref().is_some_and(|run| run.lost() > 0);
    if rows.iter().any(lost) { (what, format!("{waits}, load incomplete")) } else { (what, waits) }
}

/// What distinguishes one row from another, without spaces and commas.
pub(crate) fn tag(wait: &Wait) -> String {
    let default = if wait.default_slack { "default" } else { "" };
    let parts = [
        wait.slack_ns.map(|slack| format!(":{default}slack{slack}")),
        wait.timer_period_ms.map(|ms| format!(":period{ms}")),
        wait.timer_resolution_ns.map(|ns| format!(":resolution{ns}")),
        wait.slice_ns.map(|slice| format!(":slice{slice}")),
        wait.policy.map(|policy| format!(":{}", policy.name())),
        wait.cpu.map(|cpu| format!(":cpu{cpu}")),
    ];
    let duration = wait.requested_ns.unwrap_or(0);
    let mut tag = format!("{}:{duration}ns:{}", wait.id, wait.load.name());
    tag.extend(parts.into_iter().flatten());
    tag.retain(|c| !is_unseen(c) && !c.is_whitespace() && c != ',');
    tag
}

// Rows of waits: which rows there are, and their names.

/// A wait, and whether its CPU is part of its name.
pub(super) type Labelled<'a> = (&'a Wait, bool);

pub fn waits_of(report: &Report) -> impl Iterator<Item = &Wait> {
    report.waits.iter().filter(|wait| wait.samples > 0)
}

pub(super) fn durations(rows: &[&Wait]) -> BTreeSet<u64> {
    rows.iter().filter_map(|wait| wait.requested_ns).collect()
}

/// Whether rows differ in the CPU that they were measured on.
pub(super) fn several_cpus(rows: &[&Wait]) -> bool {
    rows.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

/// The method, and the CPU if that is part of the name.
pub(super) fn method_cell((wait, several): &Labelled) -> Cell {
    let name = match (several, wait.cpu) {
        (true, Some(cpu)) => format!("{} CPU {cpu}", wait.method()),
        _ => wait.method(),
    };
    Cell::code(&wait.id).shown(name)
}

/// What distinguishes one row from another, in words.
pub(crate) fn label(wait: &Wait) -> String {
    let what = if wait.period_ns.is_some() { "period" } else { "wait" };
    let default = if wait.default_slack { " (default)" } else { "" };
    let ns = |ns: Option<u64>, what: &str| ns.map(|ns| format!(" {what} {}", short(ns as f64)));
    let parts = [
        ns(wait.requested_ns, what),
        ns(wait.work_ns, "work"),
        ns(wait.slack_ns, "slack").map(|slack| slack + default),
        wait.timer_period_ms.map(|ms| format!(" timer period {ms} ms")),
        ns(wait.timer_resolution_ns, "timer resolution"),
        ns(wait.slice_ns, "slice"),
        wait.policy.map(|policy| format!(" policy {}", policy.name())),
        wait.cpu.map(|cpu| format!(" CPU {cpu}")),
    ];
    let parts: String = parts.into_iter().flatten().collect();
    format!("{} load {}{parts}", wait.id, wait.load.name())
}

/// The method with this slack and the slice that was set, and its CPU if that is part of the name.
pub(super) fn name_with(wait: &Wait, slack: Option<u64>, several: bool, between: &str) -> String {
    let ns = |what: &str, ns: Option<u64>| ns.map(|ns| format!("{what} {}", short(ns as f64)));
    let cpu = wait.cpu.filter(|_| several).map(|cpu| format!("CPU {cpu}"));
    let parts = [Some(wait.method()), ns("slack", slack), ns("slice", wait.slice_ns), cpu];
    parts.into_iter().flatten().collect::<Vec<_>>().join(between)
}

/// A cell that is empty, and not a dash, for rows to which the column does not apply.
pub(super) fn setting(ns: Option<u64>) -> Cell {
    Cell::whole_ns(ns).or("")
}

// The waits in brief: one row per method, one column per duration.

/// The waits that were measured without load, by the last `most` methods of the report; nothing if
/// there are none.
fn brief(report: &Report, most: usize) -> Vec<Block> {
    let rows: Vec<&Wait> = waits_of(report).filter(|wait| wait.load == Load::None).collect();
    let durations: Vec<u64> = durations(&rows).into_iter().collect();
    let Some(middle) = durations.get(durations.len() / 2).copied() else {
        return Vec::new();
    };
    let methods = rows.iter().map(|wait| (wait.method(), wait.slack_ns, wait.slice_ns));
    let mut methods = distinct(methods);
    methods.drain(..methods.len().saturating_sub(most));
    let mut items = Vec::new();
    for (id, slack, slice) in methods {
        let of = |ns: u64| {
            let mut rows = rows.iter().copied();
            rows.find(|wait| {
                wait.method() == id
                    && (wait.slack_ns, wait.slice_ns) == (slack, slice)
                    && wait.requested_ns == Some(ns)
            })
        };
        let slice = slice.map_or(String::new(), |ns| format!(", slice {}", short(ns as f64)));
        let mut cells = vec![Cell::code(&id).shown(format!("{id}{slice}")), setting(slack)];
        let median = |wait: &Wait| wait.percentile(P50);
        cells.extend(durations.iter().map(|at| Cell::whole_ns(of(*at).and_then(median))));
        let worst = durations.iter().filter_map(|ns| of(*ns)).map(|wait| wait.max_ns).max();
        cells.push(Cell::ns(worst.map(|ns| ns as f64)));
        cells.push(of(middle).map_or_else(Cell::default, table::cpu));
        items.push(cells.into());
    }
    let mut columns =
        vec![Column::new("wait").whole_name(), Column::new("slack").also_name().right()];
    columns.extend(durations.iter().map(|ns| Column::new(short(*ns as f64)).right()));
    columns.extend(["worst", "CPU"].map(|head| Column::new(head).right()));
    let middle = short(middle as f64);
    let remark = format!("overshoot: median for each duration, worst of all; CPU: for {middle}");
    vec![Block::noted("Waits", remark), Block::Table(Table { columns, items, ..Table::default() })]
}

// What the figures mean and how they were obtained, for those who ask for everything.

fn legend(report: &Report) -> Vec<Block> {
    let Some(first) = report.waits.iter().find(|w| w.samples > 0) else {
        return Vec::new();
    };
    let ruler = report.ruler.as_ref().map_or(String::new(), |ruler| {
        let compared = ruler.compared.as_ref();
        let compared = compared.map_or(String::new(), |it| format!(", {}", it.standing.name()));
        format!(
            ", measured with {} at {} (error at most {:.2} ppm of {}{compared})",
            ruler.id,
            units::human_hz(ruler.hz),
            ruler.hz_error_ppm,
            ruler.reference
        )
    });
    let clock = first.by_clock.as_ref().map_or(String::new(), |by| {
        format!(
            " by clock: the same waits measured with {}, on which the system's timers run. The \
             ruler favours methods that spin on it, and that clock those that sleep on it.",
            by.clock
        )
    });
    let single = if report.waits.iter().any(|w| w.period_ns.is_some()) {
        "Deadlines form a fixed grid."
    } else {
        "Single waits: each begins after the one before has ended."
    };
    let mut blocks = vec![Block::legend(format!(
        "Overshoot: the time at which the thread ran again minus the deadline{ruler}. early: waits \
         that ended before their deadline. CPU: CPU time of the waiting thread. {single}{clock}"
    ))];
    if report.waits.iter().any(|w| w.timer_period_ms.is_some() || w.timer_resolution_ns.is_some()) {
        blocks.push(Block::paragraph(
            "+period(1): after timeBeginPeriod(1); +resolution: after NtSetTimerResolution. slack: \
             the resulting period of the clock interrupt, which other programs influence too.",
        ));
    }
    blocks
}

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    let rows = charts::page_rows(inputs);
    let several = inputs.len() > 1;
    let asked: BTreeSet<u64> = rows.iter().filter_map(|row| row.wait.requested_ns).collect();
    let mut blocks = Vec::new();
    if rows.is_empty() {
        blocks.push(Block::noted("How late waits end", "No wait was measured."));
    } else if asked.len() > 1 {
        let lengths: Vec<String> = asked.iter().map(|ns| short(*ns as f64)).collect();
        let asked = format!("Waits of {}.", lengths.join(", "));
        blocks.push(Block::noted("How late waits end", asked));
    }
    for ns in asked {
        let of_it = rows.iter().filter(|row| row.wait.requested_ns == Some(ns));
        let of_it: Vec<&Row> = of_it.collect();
        let waits: Vec<_> = of_it.iter().map(|row| row.wait).collect();
        let what = format!("{} of {}", group(&waits, false).0, short(ns as f64));
        blocks.push(Block::remarked(
            format!("How late a {what} ends"),
            finding_of_duration(inputs, &of_it, ns),
        ));
        blocks.extend(charts::percentile_charts(inputs, &of_it, &what));
        blocks.extend(charts::count_charts(inputs, &of_it, &what));
        blocks.extend(charts::cost_chart(&of_it, &what, several));
        blocks.push(Block::Table(figures_table(inputs, &of_it)));
    }
    for input in inputs {
        let ours = |blocks: Vec<Block>| named(blocks, several.then_some(input.name));
        blocks.extend(ours(best::best(input.report)));
        blocks.extend(ours(why::why_drawn(input.report)));
        blocks.extend(ours(circumstances(input)));
    }
    blocks
}

/// The blocks with the report's name in their first heading, if there are several reports.
fn named(mut blocks: Vec<Block>, name: Option<&str>) -> Vec<Block> {
    if let (Some(Block::Heading { title, .. }), Some(name)) = (blocks.first_mut(), name) {
        *title = format!("{title}, {name}");
    }
    blocks
}

/// Under what conditions the waits were measured, what happened to them, and which methods are
/// missing.
fn circumstances(input: &Input<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (load, rows) in loads(input.report) {
        let conditions = table::conditions(input.report, &rows);
        let cpus: BTreeSet<usize> = rows.iter().filter_map(|wait| wait.cpu).collect();
        let cpus = cpus.iter().map(|cpu| format!("CPU {cpu}"));
        let conditions: Vec<String> = cpus.chain(conditions).collect();
        let load_words = Text::toned(Tone::Strong, charts::next_to(load));
        blocks.push(Block::paragraph(load_words.and(format!(": {}", conditions.join(", ")))));
        blocks.extend(table::load_remarks(&rows));
        blocks.extend(table::remarks(&rows));
        let moments = rows.iter().flat_map(|wait| wait.moment.iter().map(move |m| (wait, m)));
        blocks.extend(moments.flat_map(|(wait, moment)| table::moment(wait, moment)));
    }
    blocks.extend(table::unavailable(&input.report.waits, Detail::Full));
    if !blocks.is_empty() {
        blocks.insert(0, Block::heading("How the waits were made"));
    }
    blocks
}

// The finding of one duration in a sentence: how late an ordinary sleep ends, and how late the
// most accurate method.

/// So many reports have a sentence each.
const REPORTS: usize = 4;

/// What the rows of one duration show, report by report, and how far their curves can be trusted.
fn finding_of_duration(inputs: &[Input<'_>], rows: &[&Row<'_>], ns: u64) -> Text {
    let mut text = Text::default();
    for (of, input) in inputs.iter().enumerate().take(REPORTS) {
        let ours: Vec<&Row> = rows.iter().copied().filter(|row| row.of == of).collect();
        let Some(found) = finding_of_report(input, &ours, ns) else { continue };
        if inputs.len() > 1 {
            text = text.and(Text::toned(Tone::Strong, input.name)).and(": ");
        }
        text = text.and(found).and(". ");
    }
    let counts = || rows.iter().map(|row| row.count()).filter(|n| *n > 0);
    match (counts().min(), counts().max()) {
        (Some(a), Some(b)) => {
            let waits = if a == b {
                plural(a, "wait says", "waits say")
            } else {
                format!("{} to {} waits say", count(a), count(b))
            };
            text.and(format!("A curve is faint where {waits} little."))
        }
        _ => text,
    }
}

/// `ID is 83.2 us late in the median, ID 329 ns for 3.9 % of a CPU`,
/// from the rows of the lightest load; absent if no median is known.
fn finding_of_report(input: &Input<'_>, rows: &[&Row<'_>], ns: u64) -> Option<Text> {
    let load = charts::loads_of_rows(rows).into_iter().next()?;
    let median = |row: &Row| row.wait.percentile(P50);
    let of_load = rows.iter().copied().filter(|row| row.wait.load == load);
    let known: Vec<&Row> = of_load.filter(|row| median(row).is_some()).collect();
    // Without a choice, the least late one is shown as what it is.
    let best = known.iter().copied().find(|row| row.advised);
    let best = best.or_else(|| {
        let undecided = charts::most_accurate(input, ns).is_none();
        known.iter().copied().filter(|_| undecided).min_by_key(|row| median(row))
    });
    let sleep = ordinary_sleep(&known).filter(|it| best.is_none_or(|best| best.name != it.name));
    let late = |row: &Row| Text::toned(Tone::Strong, short(median(row).unwrap_or(0) as f64));
    let name = |row: &Row| Text::toned(Tone::Name, row.name.clone());
    let share = |row: &Row| {
        let share = row.wait.cpu_share.filter(|share| share.is_finite());
        share.map_or(String::new(), |share| format!(" for {} of a CPU", percent(share)))
    };
    let whole = |row: &Row| name(row).and(" is ").and(late(row)).and(" late in the median");
    match (sleep, best) {
        (Some(sleep), Some(best)) => {
            Some(whole(sleep).and(", ").and(name(best)).and(" ").and(late(best)).and(share(best)))
        }
        (Some(one), None) | (None, Some(one)) => Some(whole(one).and(share(one))),
        (None, None) => None,
    }
}

/// An ordinary sleep: of those that take a duration (of all, if none does), with the slack that a
/// thread has by default, the middle one.
fn ordinary_sleep<'a, 'b>(rows: &[&'b Row<'a>]) -> Option<&'b Row<'a>> {
    let sleeps = |takes: bool| {
        let plain = rows.iter().copied().filter(move |row| {
            let wait = row.wait;
            let duration = wait.facts.is_some_and(|facts| facts.takes == Takes::Duration);
            wait.kind == Kind::Sleep
                && (wait.default_slack || wait.slack_ns.is_none())
                && wait.slice_ns.is_none()
                && (duration || !takes)
        });
        plain.collect::<Vec<&Row>>()
    };
    let mut plain = sleeps(true);
    if plain.is_empty() {
        plain = sleeps(false);
    }
    plain.sort_by_key(|row| row.wait.percentile(P50));
    plain.get(plain.len() / 2).copied()
}

// The figures of one duration, with a strip in each row: the rows of all loads and reports on one
// axis.

/// A row, and the name of its report.
type Line<'a> = (&'a Row<'a>, Option<&'a str>);

fn figures_table(inputs: &[Input<'_>], rows: &[&Row<'_>]) -> Table {
    let mut table = Rows::shown(figure_columns(rows, inputs.len() > 1), Detail::Full);
    for load in charts::loads_of_rows(rows) {
        let mut of_it: Vec<&Row> =
            rows.iter().copied().filter(|row| row.wait.load == load).collect();
        let waits: Vec<&Wait> = of_it.iter().map(|row| row.wait).collect();
        table.group(capitalized(&charts::next_to(load)), group(&waits, false).1);
        // The rows of a method follow each other, that of the first report first.
        let first = of_it.clone();
        let place = |row: &Row| first.iter().position(|it| it.name == row.name);
        of_it.sort_by_key(|row| place(row));
        for row in of_it {
            table.add(&(row, inputs.get(row.of).map(|it| it.name)), row.advised);
        }
    }
    table.table()
}

fn figure_columns<'a>(rows: &[&Row<'_>], several: bool) -> Vec<Spec<Line<'a>>> {
    let has = |it: fn(&Wait) -> bool| rows.iter().any(|row| it(row.wait));
    let (slack, slice) = (has(|it| it.slack_ns.is_some()), has(|it| it.slice_ns.is_some()));
    let grid = has(|it| it.grid.is_some());
    let work = has(|it| it.work_ns.is_some());
    let rare = has(|it| it.percentile(P999).is_some());
    columns! { (row, report) in Line;
        "" "method" [full whole_name] {
            let cell = method_cell(&(row.wait, row.several_cpus));
            cell.toned_if(row.advised, Tone::Good)
        };
        "" "report" [full_if(several) also_name] Cell::words(*report);
        "" "slack" [full_if(slack) also_name right close] setting(row.wait.slack_ns);
        "" "slice" [full_if(slice) also_name right close] setting(row.wait.slice_ns);
        "" "overshoot" [full] table::strip_cell(row.wait, row.of, &row.name);
        "" "p50" [full right] Cell::whole_ns(row.wait.percentile(P50));
        "" "p50 95 %" [full right more] table::interval_cell(row.wait, P50);
        "" "p90" [full right] Cell::whole_ns(row.wait.percentile(P90));
        "" "p90 95 %" [full right more] table::interval_cell(row.wait, P90);
        "" "p99" [full right] Cell::whole_ns(row.wait.percentile(P99));
        "" "p99 95 %" [full right more] table::interval_cell(row.wait, P99);
        "" "p99.9" [full_if(rare) right] Cell::whole_ns(row.wait.percentile(P999));
        "" "max" [full right] Cell::ns(row.wait.max_ns as f64);
        "" "early" [full right] {
            let early = row.wait.early;
            Cell::count(early).toned(if early > 0 { Tone::Bad } else { Tone::Dim })
        };
        "" "CPU" [full right] table::cpu(row.wait).or("");
        "" "waits" [full right] Cell::count(row.wait.samples);
        "" "missed" [full_if(grid) right] Cell::count(row.wait.grid.as_ref().map(|it| it.missed));
        "" "frames/s" [full_if(work) right] frames(row.wait);
        "" "deadlines" [full_if(grid) right more]
            Cell::count(row.wait.grid.as_ref().map(|it| it.corrected.count));
        "" "p50, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P50));
        "" "p99, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P99));
        "" "p99.9, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P999));
    }
}
