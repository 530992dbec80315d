//! Tables to paste into an issue or a document.

use super::Format;
use crate::machine;
use crate::text::glance::longer;
use crate::text::number::{estimate, percent, short, three};
use crate::text::{Style, clean};
use chronoscope_model::clock::{Clock, Limit};
use chronoscope_model::{Estimate, Report, Wait};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "markdown",
    extension: "md",
    about: "tables for an issue or a document",
    waits_alone: false,
    write,
};

/// Writes the report's tables.
///
/// # Errors
/// What the writer reports.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    machine(report, out)?;
    facts(report, out)?;
    clocks(report, out)?;
    waits(report, out)?;
    measurements(report, out)?;
    if !report.findings.is_empty() {
        writeln!(out, "\n## Findings\n")?;
        for f in &report.findings {
            let level = format!("{:?}", f.level).to_lowercase();
            writeln!(out, "- **{level}** `{}`: {}", code(&f.id), escape(&f.title))?;
            for evidence in &f.evidence {
                writeln!(out, "  - {}", escape(evidence))?;
            }
            writeln!(out, "  - Fix: {}", escape(&f.fix))?;
        }
    }
    if !report.advice.is_empty() {
        writeln!(out, "\n## Use\n")?;
        row(out, &["purpose", "clock", "ns", "why"].map(String::from))?;
        row(out, &["---", "---", "---:", "---"].map(String::from))?;
        for a in &report.advice {
            row(
                out,
                &[
                    escape(&a.title),
                    a.clock.as_ref().map_or("none".into(), |c| format!("`{}`", code(c))),
                    a.cost_ns.map_or("-".into(), three),
                    escape(&a.why),
                ],
            )?;
        }
    }
    Ok(())
}

/// Text that Markdown and HTML take as text: CommonMark escapes any ASCII punctuation by a
/// backslash.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in clean(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&' | '!' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text within backticks. A pipe would end the cell even there (GFM, tables).
fn code(text: &str) -> String {
    clean(text).replace('`', "'").replace('|', "\\|")
}

fn row(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))
}

fn machine(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let env = &report.environment;
    writeln!(out, "# chronoscope {}\n", escape(&report.run.tool_version))?;
    let mut line = |name: &str, value: Option<String>| match value {
        Some(value) => writeln!(out, "- {name}: {}", escape(&value)),
        None => writeln!(out, "- {name}: unknown"),
    };
    line("date", Some(report.run.started.clone()))?;
    line("processor", env.cpu.model.clone())?;
    line("system", Some(env.os.clone()))?;
    line("kernel", env.kernel.clone())?;
    line(
        "hypervisor",
        Some(env.hypervisor.as_ref().map_or("none seen".into(), |h| h.name.clone())),
    )?;
    line(
        "clock source",
        env.clocksource
            .as_ref()
            .map(|cs| format!("{} of {}", cs.current, cs.available.join(", "))),
    )?;
    if let Some(ruler) = &report.ruler {
        line(
            "ruler",
            Some(format!(
                "{}, {:.0} Hz ±{} ppm against {}",
                ruler.id,
                ruler.hz,
                three(ruler.hz_error_ppm),
                ruler.reference
            )),
        )?;
        for note in &ruler.notes {
            line("note", Some(note.clone()))?;
        }
    }
    if !report.run.complete {
        writeln!(out, "\nThe run was interrupted: this is what was measured until then.")?;
    }
    Ok(())
}

/// The machine in tables, where it is what was asked for.
fn facts(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if !machine::is_all(report) {
        return Ok(());
    }
    let mut section = "";
    for fact in machine::facts(report) {
        if fact.section != section {
            section = fact.section;
            writeln!(out, "\n## {}{}\n", section[..1].to_uppercase(), &section[1..])?;
            row(out, &["fact", "value", "unit"].map(String::from))?;
            row(out, &["---", "---", "---"].map(String::from))?;
        }
        row(out, &[escape(&fact.key), escape(&fact.value), fact.unit.into()])?;
    }
    Ok(())
}

fn clocks(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if report.clocks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Clocks\n")?;
    let head = ["clock", "call", "read, ns", "ordered, ns", "cold, ns", "resolution", "verdict"];
    row(out, &head.map(String::from))?;
    let rule = ["---", "---", "---:", "---:", "---:", "---:", "---"];
    row(out, &rule.map(String::from))?;
    let (here, absent): (Vec<&Clock>, Vec<&Clock>) = report.clocks.iter().partition(|c| c.available);
    for clock in here {
        row(
            out,
            &[
                format!("`{}`", code(&clock.id)),
                format!("`{}`", code(&clock.call)),
                figure(clock.cost.throughput.as_ref()),
                figure(clock.cost.latency.as_ref()),
                figure(clock.cost.cold.as_ref()),
                resolution(clock),
                escape(clock.verdict.as_ref().map_or("-", |v| &v.text)),
            ],
        )?;
    }
    if !absent.is_empty() {
        writeln!(out, "\nNot available there:\n")?;
        for clock in absent {
            let reason = clock.unavailable_reason.as_deref().unwrap_or("no reason was given");
            writeln!(out, "- `{}`: {}", code(&clock.id), escape(reason))?;
        }
    }
    Ok(())
}

/// The waits that were measured, and those that were not.
fn waits(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (here, absent): (Vec<&Wait>, Vec<&Wait>) =
        report.waits.iter().partition(|w| w.samples > 0);
    if !here.is_empty() {
        writeln!(out, "\n## Waits\n\nBy how much they overshot.\n")?;
        let head = ["wait", "slack", "load", "duration", "waits", "median", "99 %", "worst", "CPU"];
        row(out, &head.map(String::from))?;
        let rule = ["---", "---:", "---", "---:", "---:", "---:", "---:", "---:", "---:"];
        row(out, &rule.map(String::from))?;
    }
    for wait in &here {
        let slack = match (wait.timer_period_ms, wait.slack_ns) {
            (Some(ms), _) => format!("period({ms})"),
            (None, Some(ns)) => short(ns as f64),
            (None, None) => "-".into(),
        };
        row(
            out,
            &[
                format!("`{}`", code(&wait.id)),
                slack,
                wait.load.name().into(),
                wait.requested_ns.or(wait.period_ns).map_or("-".into(), |ns| short(ns as f64)),
                wait.samples.to_string(),
                short(wait.percentile(wait.overshoot.p50_ns) as f64),
                short(wait.percentile(wait.overshoot.p99_ns) as f64),
                short(wait.max_ns as f64),
                wait.cpu_share.map_or("-".into(), percent),
            ],
        )?;
    }
    let notes: BTreeSet<&String> = here.iter().flat_map(|wait| &wait.notes).collect();
    for (nth, note) in notes.iter().enumerate() {
        let gap = if nth == 0 { "\n" } else { "" };
        writeln!(out, "{gap}- {}", escape(note))?;
    }
    let mut told = BTreeSet::new();
    for wait in absent {
        let reason = wait.unavailable_reason.as_deref().unwrap_or("there was no time for one");
        if told.insert((&wait.id, reason)) {
            if told.len() == 1 {
                writeln!(out, "\nWaits that were not measured:\n")?;
            }
            writeln!(out, "- `{}`: {}", code(&wait.id), escape(reason))?;
        }
    }
    Ok(())
}

fn figure(e: Option<&Estimate>) -> String {
    let Some(e) = e else { return "-".into() };
    let figure = estimate(e, &Style::default());
    format!("{} {}", escape(&figure.value), figure.spread).trim_end().to_owned()
}

fn resolution(clock: &Clock) -> String {
    match &clock.resolution {
        Some(r) => match (r.verdict, r.step_ns()) {
            (Limit::Tick, Some(tick)) => short(tick),
            (Limit::Latency, _) => "a read".into(),
            (Limit::NotSeen, _) => longer(r),
            (Limit::Tick, None) => "-".into(),
        },
        None => "-".into(),
    }
}

fn measurements(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for deltas in &report.deltas {
        writeln!(out, "\n## Differences of `{}`\n", code(&deltas.id))?;
        row(out, &["Ticks", "Time (ns)", "Count"].map(String::from))?;
        row(out, &["---:", "---:", "---:"].map(String::from))?;
        for r in &deltas.rows {
            row(out, &[r.ticks.to_string(), three(r.ns), r.count.to_string()])?;
        }
    }
    for calls in &report.calls {
        writeln!(out, "\n## Calls of `{}`\n", code(&calls.id))?;
        row(out, &["pass", "delta1, ns", "delta2, ns", "delta3, ns"].map(String::from))?;
        row(out, &["---:", "---:", "---:", "---:"].map(String::from))?;
        for (i, pass) in calls.passes.iter().enumerate() {
            let own = [pass.delta1_ns, pass.delta2_ns, pass.delta3_ns].map(three);
            row(out, &[vec![(i + 1).to_string()], own.to_vec()].concat())?;
        }
    }
    for overhead in &report.overhead {
        writeln!(out, "\n## Overhead of `{}`\n", code(&overhead.id))?;
        row(out, &["", "average, ns", "median, ns"].map(String::from))?;
        row(out, &["---", "---:", "---:"].map(String::from))?;
        for (name, centre) in [
            ("baseline", &overhead.baseline),
            ("wall\\_clock", &overhead.timed),
            ("overhead", &overhead.overhead),
        ] {
            row(out, &[name.into(), three(centre.average_ns), three(centre.median_ns)])?;
        }
    }
    Ok(())
}
