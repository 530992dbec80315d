//! One table for spreadsheets.

use super::Format;
use crate::machine;
use crate::text::clean;
use chronoscope_model::clock::{Clock, Limit, Scope};
use chronoscope_model::{Estimate, Report};
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "csv",
    extension: "csv",
    about: "one table: a row for each clock, or of the deltas, calls, overhead or waits measured, or of the machine's facts",
    waits_alone: false,
    write,
};

/// Writes the report's main table, RFC 4180: the differences, calls or overhead where such were
/// measured, else a row for each clock, or each wait; the facts of the machine where there is nothing
/// else. Figures are in the units that the heads name; what is not
/// known is empty.
///
/// # Errors
/// What the writer reports.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    if machine::is_all(report) {
        facts(report, &mut table)
    } else if !report.deltas.is_empty() {
        deltas(report, &mut table)
    } else if !report.calls.is_empty() {
        calls(report, &mut table)
    } else if !report.overhead.is_empty() {
        overhead(report, &mut table)
    } else if !report.waits.is_empty() && report.clocks.is_empty() {
        waits(report, &mut table)
    } else {
        clocks(report, &mut table)
    }
    .map_err(error)?;
    table.flush()
}

type Csv<'a> = csv::Writer<&'a mut dyn Write>;

/// A row for each fact of the machine.
fn facts(report: &Report, table: &mut Csv) -> csv::Result<()> {
    table.write_record(["section", "key", "value", "unit"])?;
    for fact in machine::facts(report) {
        table.write_record([fact.section, &text(&fact.key), &text(&fact.value), fact.unit])?;
    }
    Ok(())
}

/// A row for each wait, with the percentiles of its overshoot.
fn waits(report: &Report, table: &mut Csv) -> csv::Result<()> {
    table.write_record([
        "id", "load", "requested_ns", "period_ns", "slack_ns", "timer_period_ms", "cpu", "available", "unavailable_reason", "waits",
        "early", "missed", "min_ns", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "max_ns", "cpu_ns",
        "voluntary_switches", "involuntary_switches", "notes",
    ])?;
    let whole = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
    for wait in &report.waits {
        // Where nothing was measured there are no figures, and no zeros.
        let h = Some(&wait.overshoot).filter(|_| wait.samples > 0);
        table.write_record([
            text(&wait.id),
            wait.load.name().into(),
            whole(wait.requested_ns),
            whole(wait.period_ns),
            whole(wait.slack_ns),
            whole(wait.timer_period_ms.map(u64::from)),
            wait.cpu.map_or(String::new(), |cpu| cpu.to_string()),
            wait.available.to_string(),
            text(wait.unavailable_reason.as_deref().unwrap_or("")),
            wait.samples.to_string(),
            whole(h.map(|_| wait.early)),
            whole(wait.grid.as_ref().map(|grid| grid.missed)),
            h.map_or(String::new(), |_| wait.min_ns.to_string()),
            number(h.map(|_| wait.mean_ns)),
            whole(h.map(|h| wait.percentile(h.p50_ns))),
            whole(h.map(|h| wait.percentile(h.p90_ns))),
            whole(h.map(|h| wait.percentile(h.p99_ns))),
            whole(h.map(|h| wait.percentile(h.p999_ns))),
            h.map_or(String::new(), |_| wait.max_ns.to_string()),
            number(wait.cpu_ns),
            whole(wait.voluntary_switches),
            whole(wait.involuntary_switches),
            text(&wait.notes.join("; ")),
        ])?;
    }
    Ok(())
}

fn error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Text that no spreadsheet takes for a formula: what begins like one gets an apostrophe before
/// it (OWASP, "CSV Injection").
fn text(text: &str) -> String {
    let text = clean(text);
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text
    }
}

/// A number as it is, or nothing.
fn number(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() => value.to_string(),
        _ => String::new(),
    }
}

const ESTIMATE: [&str; 6] = ["ns", "low_ns", "high_ns", "min_ns", "median_ns", "p99_ns"];

fn figures(estimate: Option<&Estimate>) -> [String; 6] {
    let of = |f: fn(&Estimate) -> f64| number(estimate.map(f));
    [
        of(|e| e.value_ns),
        of(|e| e.low_ns),
        of(|e| e.high_ns),
        of(|e| e.min_ns),
        of(|e| e.median_ns),
        of(|e| e.p99_ns),
    ]
}

fn clocks(report: &Report, table: &mut Csv<'_>) -> csv::Result<()> {
    type Part = fn(&Clock) -> Option<&Estimate>;
    let parts: [(&str, Part); 4] = [
        ("throughput", |c| c.cost.throughput.as_ref()),
        ("latency", |c| c.cost.latency.as_ref()),
        ("cold", |c| c.cost.cold.as_ref()),
        ("first", |c| c.cost.first.as_ref()),
    ];
    let mut head: Vec<String> = ["id", "call", "language", "kind", "scope", "available", "reason"]
        .map(String::from)
        .to_vec();
    for (name, _) in &parts {
        head.extend(ESTIMATE.iter().map(|figure| format!("{name}_{figure}")));
    }
    head.extend(
        [
            "nominal_ns",
            "tick_ns",
            "observed_min_ns",
            "observed_median_ns",
            "limited_by",
            "difference_100ms_ms",
            "difference_100ms_agrees",
            "backwards",
            "bits",
            "wraps_after_s",
            "example",
            "bulk_calls",
            "bulk_ms",
            "grade",
            "verdict",
            "throughput_core_cycles",
        ]
        .map(String::from),
    );
    table.write_record(&head)?;
    for clock in &report.clocks {
        let mut row = vec![
            text(&clock.id),
            text(&clock.call),
            text(clock.language.name()),
            format!("{:?}", clock.kind).to_lowercase(),
            match clock.scope {
                Scope::Local => "local".into(),
                Scope::Universal => "universal".into(),
                Scope::Cpu => "cpu".into(),
            },
            clock.available.to_string(),
            text(clock.unavailable_reason.as_deref().unwrap_or("")),
        ];
        for (_, part) in &parts {
            row.extend(figures(part(clock)));
        }
        row.extend(rest(clock));
        let throughput = clock.cost.throughput.as_ref();
        row.push(number(throughput.and_then(|e| e.core_cycles)));
        table.write_record(&row)?;
    }
    Ok(())
}

fn rest(clock: &Clock) -> [String; 15] {
    let resolution = clock.resolution.as_ref();
    let of = |f: fn(&chronoscope_model::clock::Resolution) -> Option<f64>| {
        number(resolution.and_then(f))
    };
    let difference = clock.difference_100ms.as_ref();
    let or_empty = |text: Option<String>| text.unwrap_or_default();
    [
        of(|r| r.nominal_ns),
        of(|r| r.tick_ns),
        of(|r| r.observed_min_ns),
        of(|r| r.observed_median_ns),
        or_empty(resolution.map(|r| match r.verdict {
            Limit::Tick => "tick".into(),
            Limit::Latency => "latency".into(),
            Limit::NotSeen => "not-seen".into(),
        })),
        number(difference.map(|d| d.clock_ms)),
        or_empty(difference.map(|d| d.agrees.to_string())),
        or_empty(clock.backwards.as_ref().map(|b| b.violations.to_string())),
        or_empty(clock.bits.map(|b| b.to_string())),
        number(clock.wraps_after_s),
        text(clock.example.as_deref().unwrap_or("")),
        or_empty(clock.bulk.as_ref().map(|b| b.calls.to_string())),
        number(clock.bulk.as_ref().map(|b| b.ms)),
        or_empty(clock.verdict.as_ref().map(|v| format!("{:?}", v.grade).to_lowercase())),
        text(clock.verdict.as_ref().map_or("", |v| &v.text)),
    ]
}

fn deltas(report: &Report, table: &mut Csv<'_>) -> csv::Result<()> {
    table.write_record(["id", "ticks", "ns", "count"])?;
    for deltas in &report.deltas {
        for row in &deltas.rows {
            table.write_record([
                text(&deltas.id),
                row.ticks.to_string(),
                number(Some(row.ns)),
                row.count.to_string(),
            ])?;
        }
    }
    Ok(())
}

fn calls(report: &Report, table: &mut Csv<'_>) -> csv::Result<()> {
    table.write_record([
        "id",
        "pass",
        "delta1_ns",
        "delta2_ns",
        "delta3_ns",
        "ruler1_ns",
        "ruler2_ns",
        "ruler3_ns",
    ])?;
    for calls in &report.calls {
        for (i, pass) in calls.passes.iter().enumerate() {
            let mut row = vec![text(&calls.id), (i + 1).to_string()];
            let own = [pass.delta1_ns, pass.delta2_ns, pass.delta3_ns];
            row.extend(own.iter().chain(&pass.ruler_ns).map(|&ns| number(Some(ns))));
            table.write_record(&row)?;
        }
    }
    Ok(())
}

fn overhead(report: &Report, table: &mut Csv<'_>) -> csv::Result<()> {
    table.write_record(["id", "samples", "n", "m", "taken", "part", "average_ns", "median_ns", "low_ns", "high_ns"])?;
    for overhead in &report.overhead {
        for (part, centre) in [
            ("baseline", &overhead.baseline),
            ("timed", &overhead.timed),
            ("overhead", &overhead.overhead),
        ] {
            table.write_record([
                text(&overhead.id),
                overhead.samples.to_string(),
                overhead.n.to_string(),
                overhead.m.to_string(),
                overhead.taken.to_string(),
                part.to_owned(),
                number(Some(centre.average_ns)),
                number(Some(centre.median_ns)),
                number(Some(centre.low_ns)),
                number(Some(centre.high_ns)),
            ])?;
        }
    }
    Ok(())
}
