//! The best method for each duration and goal, as it was advised; the overview of a run whose
//! selection the tool made; and the waits as the program showed them that this measurement grew out
//! of.

use super::{
    Labelled, charts, durations, loads, name_with, setting, several_cpus, table, waits_of,
};
use crate::block::chart::{Axis, Chart, Hue, Place, Series, Shape};
use crate::block::{Block, Cell, Rank, Table, Text, Tone};
use crate::number::{plural, short};
use crate::scale::{Scale, Unit};
use crate::section::{Detail, Rows, Spec, capitalized, columns, machine, shown};
use chronoscope_model::Report;
use chronoscope_model::advice::{Advice, Goal, WaitChoice};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, Wait};
use std::collections::BTreeSet;

/// The choices under a heading; nothing if there was nothing to choose from.
pub(super) fn best(report: &Report) -> Vec<Block> {
    let Some(table) = best_table(report, &GOALS) else {
        return Vec::new();
    };
    let remark = Text::toned(Tone::Dim, "only clear differences count; code: ")
        .and(Text::toned(Tone::Name, "advise --for wait"));
    vec![Block::remarked("Best", remark), Block::Table(table)]
}

/// The goals that a table of measured waits answers.
const GOALS: [Goal; 3] = [Goal::Accuracy, Goal::Cpu, Goal::Load];

/// The choices with what each was made for. Of those for several languages only the first.
fn chosen<'a>(
    report: &'a Report,
    goals: &[Goal],
) -> impl Iterator<Item = (&'a Advice, &'a WaitChoice)> {
    let advised = report.advice.iter();
    let advised = advised.filter_map(|advice| Some((advice, advice.wait.as_ref()?)));
    let mut above = None;
    advised.filter(move |(_, of)| {
        goals.contains(&of.goal)
            && above.replace((of.requested_ns, of.goal)) != Some((of.requested_ns, of.goal))
    })
}

/// Whether there is no choice for something because there were too few waits.
fn lacks_waits(report: &Report) -> bool {
    chosen(report, &GOALS).any(|(advice, of)| advice.clock.is_none() && of.compared == 0)
}

/// What there is instead of a choice.
pub(crate) fn missing_choice(of: &WaitChoice) -> &'static str {
    match (of.compared, &of.paced) {
        (0, Some(_)) => "no choice",
        (0, None) => "too few waits",
        _ => "none sleeps",
    }
}

/// The choices for these goals; absent if there was nothing to choose from.
pub(crate) fn best_table(report: &Report, goals: &[Goal]) -> Option<Table> {
    let mut above = None;
    let rows = chosen(report, goals).map(|(advice, choice)| {
        let again = above.replace(choice.requested_ns) == Some(choice.requested_ns);
        let is_it = |wait: &&Wait| Some(&wait.id) == advice.clock.as_ref() && choice.is(wait);
        (choice, waits_of(report).find(is_it), again)
    });
    let rows: Vec<Choice> = rows.collect();
    let sliced = rows.iter().any(|(choice, ..)| choice.slice_ns.is_some());
    let paced = rows.iter().any(|(choice, ..)| choice.paced.is_some());
    let table = Rows::shown(best_columns(sliced, paced), Detail::Full).of_all(rows);
    (!table.is_empty()).then_some(table)
}

/// A choice, what was measured of it, and whether the row above is about the same duration.
type Choice<'a> = (&'a WaitChoice, Option<&'a Wait>, bool);

fn best_columns<'a>(sliced: bool, paced: bool) -> Vec<Spec<Choice<'a>>> {
    columns! { (choice, wait, again) in Choice;
        "" "wait" [full whole_name close] {
            let duration = Cell::whole_ns(choice.requested_ns);
            if *again { duration.shown("") } else { duration }
        };
        "" "best for" [full also_name close] Cell::text(match choice.goal {
            Goal::Usual => "most uses",
            Goal::Accuracy => "accuracy",
            Goal::Cpu => "CPU time",
            Goal::Load => "load",
        });
        "" "method" [full also_name close] match wait {
            Some(wait) => Cell::code(&wait.id).shown(wait.method()).toned(Tone::Good),
            None => Cell::text(missing_choice(choice)).toned(Tone::Warn),
        };
        "" "slack" [full also_name right close] setting(wait.and_then(|wait| wait.slack_ns));
        "" "slice" [full_if(sliced) also_name right close] setting(choice.slice_ns);
        "" "frames/s" [full_if(paced) also_name right close]
            wait.map_or_else(|| Cell::text(""), table::frames);
        "" "p50" [full spare right close]
            Cell::whole_ns(wait.and_then(|wait| wait.percentile(Percentile::P50)));
        "" "p90" [full right close]
            Cell::whole_ns(wait.and_then(|wait| wait.percentile(Percentile::P90)));
        "" "CPU" [full right close] wait.map_or_else(Cell::default, table::cpu);
    }
}

// The answer of a run whose selection the tool made: on one screen, the accuracy of each method
// against its CPU time, and the best for each duration.

/// No share of a CPU is plotted as less than this: such a wait costs nothing.
const LEAST_SHARE: f64 = 1e-4;

pub(super) fn overview(report: &Report) -> Vec<Block> {
    let mut blocks = vec![Block::noted("Waits", overview_remark(report))];
    blocks.extend(plot(report));
    blocks.extend(table::unavailable(&report.waits, Detail::Full));
    for (load, rows) in loads(report) {
        // No table of its own says which waits these are about.
        let remarks = table::remarks(&rows);
        let of = format!("{}:", capitalized(&load_words(load, &[])));
        blocks.extend((!remarks.is_empty()).then(|| Block::paragraph(of)));
        blocks.extend(remarks);
    }
    blocks.push(Block::legend(how_to_go_on(report)));
    blocks.extend(best_table(report, &GOALS).map(Block::Table));
    blocks
}

/// How the best were chosen, what was left out, and how to measure that.
fn how_to_go_on(report: &Report) -> String {
    let others = match report.waits_plan.as_ref().map_or(0, |plan| plan.left_out) {
        0 => String::new(),
        n => format!(" {}: --all;", plural(n, "other method", "other methods")),
    };
    let few = if lacks_waits(report) { " Too few waits: raise --budget." } else { "" };
    format!(
        "The rule: explain 'best for'; code: advise --for wait.{others} one method: its id; other \
         durations: --wait; other loads: --load.{few}"
    )
}

fn overview_remark(report: &Report) -> String {
    let ids: BTreeSet<&String> = waits_of(report).map(|wait| &wait.id).collect();
    let plan = report.waits_plan.as_ref();
    let seconds = plan.map_or(0.0, |plan| {
        plan.spec.load.len() as f64 * plan.spec.duration.unwrap_or_default().as_secs_f64()
    });
    // It may have been interrupted.
    let seconds = if report.run.complete { seconds } else { seconds.min(report.run.seconds) };
    let loads: Vec<String> = loads(report).map(|(load, rows)| load_words(load, &rows)).collect();
    format!(
        "{} in {}, {}",
        plural(ids.len() as u64, "method", "methods"),
        short(seconds * 1e9),
        loads.join(" and "),
    )
}

/// The load under which these rows were measured, and what that load used.
fn load_words(load: Load, rows: &[&Wait]) -> String {
    let run = rows.first().and_then(|wait| wait.load_run.as_ref());
    let got = run.map_or(String::new(), |run| format!(" (which got {:.2} CPUs)", run.cpus()));
    match load {
        Load::None => "idle".to_owned(),
        load => format!("next to {} load{got}", load.name()),
    }
}

/// Overshoot against CPU time, for the duration in the middle.
fn plot(report: &Report) -> Option<Block> {
    let idle: Vec<&Wait> = waits_of(report).filter(|wait| wait.load == Load::None).collect();
    let all: Vec<u64> = durations(&idle).into_iter().collect();
    let middle = *all.get(all.len() / 2)?;
    let rows: Vec<&Wait> =
        idle.into_iter().filter(|wait| wait.requested_ns == Some(middle)).collect();
    // The highest that every row supports.
    let supported = |p: &Percentile| rows.iter().all(|wait| wait.percentile(*p).is_some());
    let shown = [Percentile::P90, Percentile::P50].into_iter().find(supported)?;
    let point = |wait: &&Wait| {
        let slack = wait.slack_ns.filter(|_| wait.timer_period_ms.is_none());
        let (x, y) = (wait.cpu_share?.max(LEAST_SHARE), wait.percentile(shown)?.max(1) as f64);
        let at = vec![Place { x, y, hollow: false, words: String::new() }];
        let name = name_with(wait, slack, false, ", ");
        Some(Series { name, hue: Hue::Accent, shape: Shape::Points { at, joined: false } })
    };
    let series: Vec<Series> = rows.iter().filter_map(point).collect();
    if series.is_empty() {
        return None;
    }
    let title =
        format!("{} of overshoot by CPU time, {}, idle", shown.name(), short(middle as f64));
    let axes = [("CPU time", Unit::Share), ("overshoot", Unit::Ns)];
    let axes = axes.map(|(name, unit)| Axis::new(name, Scale::log(unit, [])));
    Some(Block::Chart(Chart::plane(title, String::new(), axes, series, Vec::new())))
}

// The waits as shown by the program that this measurement grew out of: smallest, mean and largest
// wait, and the largest overshoot, in ticks of 100 ns. Those are QueryPerformanceCounter's since
// Windows 10 1809, so the figures can be held against that program's.

/// A tick of QPC, in nanoseconds.
const TICK_NS: f64 = 100.0;

/// The tables, the longest wait of each load first. The reference is the ruler, whatever method is
/// measured.
pub fn ticks(report: &Report, detail: Detail) -> Vec<Block> {
    let ruler = report.ruler.as_ref();
    let hz = ruler.map_or(1e9, |ruler| ruler.hz);
    let name = ruler.map_or("ns", |ruler| &ruler.id);
    let everything = detail == Detail::Everything;
    // A counter may advance by several of its counts at a time.
    let tick_ns = ruler.map_or(0.0, |ruler| ruler.tick_ns).max(1e9 / hz);
    let heading = format!("{name} is {hz:.0} Hz, {tick_ns:.3} ns tick");
    let remark = "in QPC ticks of 100 ns";
    let mut blocks = vec![Block::noted(heading, remark)];
    if everything {
        blocks.extend((machine::SECTION.view)(report, Detail::Brief));
    }
    let several = several_cpus(&waits_of(report).collect::<Vec<_>>());
    for (load, of_load) in loads(report) {
        let mut about_load = table::load_remarks(&of_load);
        for ns in durations(&of_load).into_iter().rev() {
            let rows = of_load.iter().copied().filter(|row| row.requested_ns == Some(ns));
            let rows: Vec<&Wait> = rows.collect();
            blocks.push(Block::heading(ticks_title(&rows, load, ns)));
            blocks.push(Block::legend(table::conditions(report, &rows).join(", ")));
            blocks.append(&mut about_load);
            let rows = rows.into_iter().map(|wait| (wait, several));
            blocks.push(shown(ticks_columns(everything), detail, rows));
        }
        if everything || charts::is_long(&of_load) {
            blocks.extend(charts::of_each(&of_load));
        }
        blocks.extend(table::whole_ticks(&of_load));
    }
    blocks.extend(Load::ALL.into_iter().filter_map(|load| {
        let title = format!("### NOT TESTED at load {}", load.name());
        Some(Block::noted(title, refused_load(report, load)?))
    }));
    blocks
}

/// What a table shows.
fn ticks_title(rows: &[&Wait], load: Load, ns: u64) -> String {
    let samples = || rows.iter().map(|row| row.samples);
    let (least, most) = (samples().min().unwrap_or(0), samples().max().unwrap_or(0));
    let runs = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let (wait, load) = (short(ns as f64), load.name());
    format!("### TEST OF {runs} x {wait} wait routine runs, load {load}, QPC ticks")
}

fn ticks_columns<'a>(everything: bool) -> Vec<Spec<Labelled<'a>>> {
    // To a tenth, half of one away from zero: the sum of two is then that of what is shown.
    fn ticks(ns: f64) -> f64 {
        (ns / TICK_NS * 10.0).round() / 10.0
    }
    // The whole wait, of which the overshoot is a part.
    fn whole(wait: &Wait, over: f64) -> Cell {
        let requested = wait.requested_ns.unwrap_or(0) as f64;
        Cell::text(format!("{:.1}", ticks(requested) + ticks(over)))
    }
    fn span(ns: Option<f64>) -> Cell {
        ns.map_or(Cell::default(), |ns| Cell::text(format!("{:.1}", ticks(ns))))
    }
    let rank = if everything { Rank::More } else { Rank::Optional };
    columns! { (wait, several) in Labelled;
        "" "method" [full whole_name] Cell::code(&wait.id).shown(ticks_label(wait, *several));
        "" "MIN" [full right close] whole(wait, wait.min_ns as f64);
        "" "AVG" [full right close] whole(wait, wait.mean_ns);
        "" "MAX" [full right close] whole(wait, wait.max_ns as f64);
        "" "MAX OVER" [full right close] span(Some(wait.max_ns as f64));
        "" "STD DEV" [full right close] span(wait.std_dev_ns());
        "" "MAX VAR" [full right close] span(wait.range_ns().map(|ns| ns as f64));
        "" "AVG\nby clock" [full right rank(rank)] {
            let clock = wait.by_clock.as_ref();
            clock.map_or(Cell::default(), |clock| whole(wait, clock.mean_ns))
        };
        "" "clock\n- ruler" [full right rank(rank)] span(wait.clock_difference_ns());
    }
}

/// Why nothing was measured under a load that was asked for.
fn refused_load(report: &Report, load: Load) -> Option<&str> {
    let mut rows = report.waits.iter().filter(|wait| wait.load == load);
    let any = report.waits.iter().any(|wait| wait.load == load && wait.samples > 0);
    let reason = rows.find_map(|wait| wait.unavailable_reason.as_deref())?;
    let why = reason.strip_prefix(&format!("load {}: ", load.name()));
    why.filter(|_| !any)
}

/// The name of a row: its method, what was set for it, and its CPU if rows differ in that.
fn ticks_label(wait: &Wait, several: bool) -> String {
    let is_set = !wait.default_slack && wait.timer_period_ms.is_none();
    name_with(wait, wait.slack_ns.filter(|_| is_set), several, " ")
}
