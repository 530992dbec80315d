//! The answer of a run whose selection the tool made: on one screen, the accuracy of each method
//! against its CPU time, and the best for each duration.

use super::rows::{durations, method, waits_of};
use super::{best, remarks};
use crate::block::Block;
use crate::block::chart::{Axis, Chart, Drawn, Hue, Place, Plane, Series, Shape};
use crate::number::{plural, short};
use crate::scale::{Scale, Unit};
use crate::section::Detail;
use chronoscope_model::Report;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, LoadRun, Wait};
use std::collections::BTreeSet;

/// No share of a CPU is plotted as less than this: such a wait costs nothing.
const LEAST_SHARE: f64 = 1e-4;

pub(super) fn view(report: &Report) -> Vec<Block> {
    let measured: Vec<&Wait> = waits_of(report).collect();
    let mut blocks = vec![Block::noted("Waits", remark(report))];
    blocks.extend(plot(&measured));
    blocks.extend(remarks::unavailable(&report.waits, Detail::Full));
    for load in Load::ALL {
        let rows = measured.iter().copied().filter(|wait| wait.load == load);
        blocks.extend(remarks::view(&rows.collect::<Vec<_>>()));
    }
    blocks.push(Block::legend(rest(report)));
    blocks.extend(best::table(report, &best::GOALS).map(Block::Table));
    blocks
}

/// How the best were chosen, what was left out, and how to measure that.
fn rest(report: &Report) -> String {
    let others = match report.waits_plan.as_ref().map_or(0, |plan| plan.left_out) {
        0 => String::new(),
        n => format!(" {}: --all;", plural(n, "other method", "other methods")),
    };
    let few = if best::lacks_waits(report) { " Too few waits: raise --budget." } else { "" };
    format!(
        "The rule: explain 'best for'; code: advise --for wait.{others} one method: its id; other \
         durations: --wait; other loads: --load.{few}"
    )
}

fn remark(report: &Report) -> String {
    let ids: BTreeSet<&String> = waits_of(report).map(|wait| &wait.id).collect();
    let plan = report.waits_plan.as_ref();
    let seconds = plan.map_or(0.0, |plan| {
        plan.spec.load.len() as f64 * plan.spec.duration.unwrap_or_default().as_secs_f64()
    });
    let loads: Vec<String> = Load::ALL.into_iter().filter_map(|load| under(report, load)).collect();
    format!(
        "{} in {}, {}",
        plural(ids.len() as u64, "method", "methods"),
        short(seconds * 1e9),
        loads.join(" and "),
    )
}

/// The load under which waits were measured, and what that load used.
fn under(report: &Report, load: Load) -> Option<String> {
    let row = waits_of(report).find(|wait| wait.load == load)?;
    let got = |run: &LoadRun| format!(" (which got {:.2} CPUs)", run.cpus());
    Some(match load {
        Load::None => "idle".to_owned(),
        load => format!(
            "next to {} load{}",
            load.name(),
            row.load_run.as_ref().map_or(String::new(), got)
        ),
    })
}

/// Overshoot against CPU time, for the duration in the middle.
fn plot(measured: &[&Wait]) -> Vec<Block> {
    let idle: Vec<&Wait> = measured.iter().copied().filter(|w| w.load == Load::None).collect();
    let all: Vec<u64> = durations(&idle).into_iter().collect();
    let Some(middle) = all.get(all.len() / 2).copied() else {
        return Vec::new();
    };
    let rows: Vec<&Wait> =
        idle.into_iter().filter(|wait| wait.requested_ns == Some(middle)).collect();
    // The highest that every row supports.
    let supported = |p: &Percentile| rows.iter().all(|wait| wait.percentile(*p).is_some());
    let Some(shown) = [Percentile::P90, Percentile::P50].into_iter().find(supported) else {
        return Vec::new();
    };
    let point = |wait: &Wait| {
        let slack = wait.slack_ns.filter(|_| wait.timer_period_ms.is_none());
        let slack = slack.map_or(String::new(), |ns| format!(", slack {}", short(ns as f64)));
        let slice = wait.slice_ns.map(|ns| format!(", slice {}", short(ns as f64)));
        Some(Series {
            name: format!("{}{slack}{}", method(wait), slice.unwrap_or_default()),
            hue: Hue::Accent,
            shape: Shape::Points {
                at: vec![Place {
                    x: wait.cpu_share?.max(LEAST_SHARE),
                    y: wait.percentile(shown)?.max(1) as f64,
                    hollow: false,
                    words: String::new(),
                }],
                joined: false,
            },
        })
    };
    let series: Vec<Series> = rows.iter().filter_map(|wait| point(wait)).collect();
    if series.is_empty() {
        return Vec::new();
    }
    let title =
        format!("{} of overshoot by CPU time, {}, idle", shown.name(), short(middle as f64));
    let axis = |name: &'static str, unit| Axis { name: name.into(), scale: Scale::log(unit, []) };
    let (x, y) = (axis("CPU time", Unit::Share), axis("overshoot", Unit::Ns));
    let plane = Plane { x, y, series, notes: Vec::new() };
    vec![Block::Chart(Chart { title, alt: String::new(), drawn: Drawn::Plane(plane) })]
}
