//! The main screen: this machine's clocks at a glance, and which to use for what.

use super::facts::{exact_hz, known, ppm, round_hz, unknown};
use super::groups::{best, groups};
use super::number::{count, estimate, percent, plural, short, three};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use super::verdicts;
use chronoscope_model::clock::{Clock, Limit};
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::{Report, units};

/// The main screen.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    header(&mut screen, report, style);
    clocks(&mut screen, report, style);
    findings(&mut screen, report, style);
    advice(&mut screen, report, style);
    screen.finish()
}

fn header(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    let env = &report.environment;
    let mut remark = vec![format!(
        "{} on {}",
        clean(&report.run.tool_version),
        clean(&env.arch)
    )];
    if report.run.seconds > 0.0 {
        remark.push(format!("measured in {} s", three(report.run.seconds)));
    }
    if !report.run.complete {
        remark.push("interrupted: what was measured until then".into());
    }
    screen.heading("chronoscope", &remark.join(style.dot()));
    screen.facts(&[
        ("processor".into(), processor(env)),
        ("system".into(), system(env, style)),
        ("clock source".into(), source(env, style)),
        ("counter".into(), counter(report, style)),
        ("ruler".into(), ruler(report, style)),
        ("noise".into(), noise(report, style)),
    ]);
    if let Some(what) = &env.emulated {
        let what = format!(
            "emulated: {}; these are the emulator's figures",
            clean(what)
        );
        screen.paragraph(&style.paint(Tone::Warn, &what));
    }
}

fn processor(env: &Environment) -> String {
    let model = known(env.cpu.model.as_deref(), env, &["cpu", "processor"]);
    match env.cpu.logical {
        0 => model,
        n => format!("{model}, {}", plural(n as u64, "CPU", "CPUs")),
    }
}

fn system(env: &Environment, style: &Style) -> String {
    let mut parts = vec![known(Some(env.os.as_str()), env, &["os"])];
    if let Some(kernel) = &env.kernel {
        parts.push(format!("kernel {}", clean(kernel)));
    }
    parts.push(match &env.hypervisor {
        Some(h) => format!("under {}", clean(&h.name)),
        None => "no hypervisor seen".into(),
    });
    parts.join(style.dot())
}

fn source(env: &Environment, style: &Style) -> String {
    let mut parts = vec![match &env.clocksource {
        Some(cs) => {
            let others: Vec<String> = cs.available.iter().map(|s| clean(s)).collect();
            let others: Vec<String> = others.into_iter().filter(|s| *s != cs.current).collect();
            let current = style.paint(Tone::Strong, &clean(&cs.current));
            match others.is_empty() {
                true => current,
                false => format!("{current} (also {})", others.join(", ")),
            }
        }
        None => unknown(env, &["clock source", "clocksource"]),
    }];
    parts.push(match &env.vdso {
        Some(vdso) if vdso.present => "read in user space by the vDSO".into(),
        Some(_) => style.paint(Tone::Warn, "no vDSO: each read is a system call"),
        None => format!("vDSO {}", unknown(env, &["vdso"])),
    });
    parts.join(style.dot())
}

fn counter(report: &Report, style: &Style) -> String {
    let env = &report.environment;
    let (name, rates) = match (&env.tsc, &env.counter) {
        (Some(tsc), _) => {
            let name = match tsc.kind {
                TscKind::None => return "no TSC".into(),
                TscKind::Variant => style.paint(Tone::Warn, "variant TSC"),
                TscKind::Constant => "constant TSC".into(),
                TscKind::Invariant => "invariant TSC".into(),
            };
            (name, &tsc.rates)
        }
        (None, Some(counter)) => ("generic timer".into(), &counter.rates),
        (None, None) => return unknown(env, &["tsc", "counter"]),
    };
    let measured = rates.iter().find(|r| r.source.contains("measured"));
    let told = rates
        .iter()
        .find(|r| r.hz.is_some() && !r.source.contains("measured"));
    let mut parts = vec![name];
    match (measured.and_then(|r| Some((r, r.hz?))), told) {
        (Some((rate, hz)), told) => {
            parts.push(format!("{} measured", exact_hz(hz, rate.error_ppm)));
            if let Some((told, other)) = told.and_then(|t| Some((t, t.hz?))) {
                let source = clean(&told.source);
                parts.push(format!("{source} says {}", ppm((other / hz - 1.0) * 1e6)));
            }
        }
        (None, Some(told)) => parts.push(format!(
            "{} by {}",
            told.hz.map_or("-".into(), round_hz),
            clean(&told.source)
        )),
        (None, None) => parts.push("rate unknown (no source tells it)".into()),
    }
    parts.join(style.dot())
}

fn ruler(report: &Report, style: &Style) -> String {
    let Some(ruler) = &report.ruler else {
        return "none (nothing was measured)".into();
    };
    let mut parts = vec![
        clean(&ruler.id),
        format!(
            "rate {}{} ppm",
            style.plus_minus(),
            three(ruler.hz_error_ppm)
        ),
        format!("cost {} ns, taken off", three(ruler.cost_ns)),
    ];
    parts.push(match ruler.cpu {
        Some(cpu) => format!("CPU {cpu}"),
        None => "not pinned".into(),
    });
    parts.join(style.dot())
}

fn noise(report: &Report, style: &Style) -> String {
    let Some(ruler) = &report.ruler else {
        return "not measured".into();
    };
    let noise = &ruler.noise;
    let share = noise.disturbed as f64 / noise.batches.max(1) as f64;
    let mut parts = vec![format!(
        "{} of {} disturbed ({})",
        count(noise.disturbed),
        plural(noise.batches, "batch", "batches"),
        percent(share)
    )];
    if let Some(n) = noise.involuntary_switches {
        parts.push(plural(n, "switch", "switches"));
    }
    match noise.steal_ms {
        Some(ms) if ms.is_finite() => parts.push(format!("steal {}", units::human_ns(ms * 1e6))),
        _ => parts.push("steal unknown".into()),
    }
    parts.join(style.dot())
}

/// Resolution in a word: the tick where that is what limits, `read` where the cost of a read is.
pub(super) fn resolution(clock: &Clock) -> Cell {
    match &clock.resolution {
        Some(r) => match (r.verdict, r.tick_ns) {
            (Limit::Tick, Some(tick)) => short(tick).into(),
            (Limit::Tick, None) => "-".into(),
            (Limit::Latency, _) => Cell::toned(Tone::Dim, "a read"),
            (Limit::NotSeen, _) => Cell::toned(Tone::Bad, "stood still"),
        },
        None => "-".into(),
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
    let mut table = Table::new(vec![
        Column::new("", Align::Left),
        Column::new("clock", Align::Left).gap(1).giving_way(12),
        Column::new("read\nns", Align::Decimal),
        Column::new(style.plus_minus(), Align::Left).gap(1),
        Column::new("ordered\nns", Align::Decimal).gap(1),
        Column::new("resolution", Align::Right).gap(1),
        Column::new("verdict", Align::Left).giving_way(12),
    ]);
    for group in groups(&report.clocks) {
        table.group(group.name, group.remark);
        let best = best(&group);
        for clock in &group.clocks {
            let marked = best.as_deref() == Some(clock.id.as_str());
            let figure = |e: &Option<_>| e.as_ref().map(|e| estimate(e, style));
            let read = figure(&clock.cost.throughput);
            let ordered = figure(&clock.cost.latency);
            let id = clean(&clock.id);
            table.row(vec![
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
            ]);
        }
    }
    if !table.is_empty() {
        screen.table(&table);
        screen.gap();
        let legend = format!(
            "{mark} cheapest trustworthy of its kind{}read: back to back, {} half the 95 % \
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
        let clock = match &advice.clock {
            Some(id) => style.paint(Tone::Good, &clean(id)),
            None => style.paint(Tone::Warn, "no clock"),
        };
        let why = clean(&advice.why);
        let sentence = why
            .split_once(". ")
            .map_or(why.as_str(), |(first, _)| first);
        let sentence = sentence.trim_end_matches('.');
        screen.indented(
            "  ",
            "    ",
            &format!("{}: {clock}, {sentence}.", clean(&advice.title)),
        );
    }
}
