//! Which timer hardware, which kernel clock source, which hypervisor, and why.

use super::facts::{exact_hz, known, ppm, round_hz, unknown, yes};
use super::number::{short, three};
use super::rdtsc_table::{SOURCE, TABLE, nearest};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use chronoscope_model::Report;
use chronoscope_model::environment::{Environment, Rate, Tsc, TscKind};

/// All that is known of the machine.
pub fn render(report: &Report, style: &Style) -> String {
    let env = &report.environment;
    let mut screen = Screen::new(style);
    screen.heading("Machine", "");
    screen.facts(&machine(env));
    screen.heading("Kernel", "");
    screen.facts(&kernel(env, style));
    counter(&mut screen, env, style);
    screen.heading("Other timers", "");
    timers(&mut screen, env, style);
    screen.heading("Power", "");
    screen.facts(&power(env));
    if let Some(tsc) = &env.tsc {
        rdtsc(&mut screen, env, tsc, style);
    }
    if !env.notes.is_empty() {
        screen.heading("What could not be found out", "");
        for note in &env.notes {
            screen.indented("  ", "    ", &clean(note));
        }
    }
    screen.finish()
}

fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn machine(env: &Environment) -> Vec<(String, String)> {
    let cpu = &env.cpu;
    let number = |n: Option<usize>| match n {
        Some(n) => n.to_string(),
        None => unknown(env, &["topology", "cpu"]),
    };
    vec![
        fact(
            "processor",
            known(cpu.model.as_deref(), env, &["cpu", "processor"]),
        ),
        fact(
            "vendor",
            known(cpu.vendor.as_deref(), env, &["cpu", "processor"]),
        ),
        fact(
            "signature",
            known(cpu.signature.as_deref(), env, &["cpu", "processor"]),
        ),
        fact(
            "machine",
            known(cpu.machine.as_deref(), env, &["machine", "dmi"]),
        ),
        fact("architecture", known(Some(env.arch.as_str()), env, &[])),
        fact(
            "CPUs on line",
            match cpu.logical {
                0 => unknown(env, &["topology", "cpu"]),
                n => n.to_string(),
            },
        ),
        fact("cores", number(cpu.cores)),
        fact("sockets", number(cpu.sockets)),
        fact("NUMA nodes", number(cpu.nodes)),
        fact(
            "SMT",
            match cpu.smt {
                Some(true) => "yes, logical CPUs share cores".into(),
                Some(false) => "no".into(),
                None => unknown(env, &["topology", "smt"]),
            },
        ),
        fact(
            "may run on",
            match env.allowed_cpus.is_empty() {
                true => unknown(env, &["affinity"]),
                false => format!("CPU {}", ranges(&env.allowed_cpus)),
            },
        ),
        fact(
            "hypervisor",
            match &env.hypervisor {
                Some(h) => format!("{} ({})", clean(&h.name), clean(&h.evidence)),
                None => "none seen".into(),
            },
        ),
        fact(
            "emulated",
            match &env.emulated {
                Some(what) => format!("yes: {}", clean(what)),
                None => "no sign of it".into(),
            },
        ),
    ]
}

fn kernel(env: &Environment, style: &Style) -> Vec<(String, String)> {
    let clock = &["clock source", "clocksource"];
    let (current, available) = match &env.clocksource {
        Some(cs) => {
            let all: Vec<String> = cs.available.iter().map(|s| clean(s)).collect();
            (
                style.paint(Tone::Strong, &clean(&cs.current)),
                all.join(", "),
            )
        }
        None => (unknown(env, clock), unknown(env, clock)),
    };
    vec![
        fact("system", known(Some(env.os.as_str()), env, &["os"])),
        fact("kernel", known(env.kernel.as_deref(), env, &["kernel"])),
        fact("clock source", current),
        fact(
            "available",
            if available.is_empty() {
                "none listed".into()
            } else {
                available
            },
        ),
        fact(
            "vDSO",
            match &env.vdso {
                Some(v) if v.present && v.symbols.is_empty() => "present".into(),
                Some(v) if v.present => {
                    let names: Vec<String> = v.symbols.iter().map(|s| clean(s)).collect();
                    format!("present: {}", names.join(", "))
                }
                Some(_) => {
                    style.paint(Tone::Warn, "absent: each read of the time is a system call")
                }
                None => unknown(env, &["vdso"]),
            },
        ),
        fact(
            "timer slack",
            match env.timer_slack_ns {
                Some(ns) => short(ns as f64),
                None => unknown(env, &["timer slack"]),
            },
        ),
        fact(
            "load",
            match env.load {
                Some(load) => format!(
                    "{} over 1, 5 and 15 minutes",
                    load.map(|l| format!("{l:.2}")).join(", ")
                ),
                None => unknown(env, &["load"]),
            },
        ),
    ]
}

fn counter(screen: &mut Screen<'_>, env: &Environment, style: &Style) {
    if let Some(tsc) = &env.tsc {
        screen.heading("Time-stamp counter", "");
        let (tone, kind) = match tsc.kind {
            TscKind::None => (Tone::Warn, "none"),
            TscKind::Variant => (Tone::Warn, "variant: its rate follows the core's frequency"),
            TscKind::Constant => (
                Tone::Warn,
                "constant: one rate, but it may stop in deep idle",
            ),
            TscKind::Invariant => (Tone::Good, "invariant: one rate in every state of power"),
        };
        screen.facts(&[
            fact("kind", style.paint(tone, kind)),
            fact(
                "evidence",
                known(Some(tsc.evidence.as_str()), env, &["tsc"]),
            ),
            fact("RDTSCP", yes(tsc.rdtscp)),
            fact("TSC_ADJUST", yes(tsc.tsc_adjust)),
            fact("TSC deadline", yes(tsc.deadline)),
            fact(
                "may be read",
                match tsc.permitted {
                    Some(permitted) => yes(permitted),
                    None => unknown(env, &["permission", "tsc"]),
                },
            ),
        ]);
        rates(screen, &tsc.rates, style);
    }
    if let Some(counter) = &env.counter {
        screen.heading("Generic timer's counter", "");
        let errata = match counter.errata.is_empty() {
            true => "none known for this processor".into(),
            false => counter
                .errata
                .iter()
                .map(|e| clean(e))
                .collect::<Vec<_>>()
                .join("; "),
        };
        screen.facts(&[fact("errata", errata)]);
        rates(screen, &counter.rates, style);
    }
    if env.tsc.is_none() && env.counter.is_none() {
        screen.heading("Counter", "");
        screen.facts(&[fact("counter", unknown(env, &["tsc", "counter"]))]);
    }
}

/// Every source's rate, with its difference from the one that was measured; where none was
/// measured, from the first that is known.
fn rates(screen: &mut Screen<'_>, rates: &[Rate], style: &Style) {
    if rates.is_empty() {
        screen.facts(&[fact("rate", "unknown (no source tells it)")]);
        return;
    }
    let finite = |r: &&Rate| r.hz.is_some_and(|hz| hz.is_finite() && hz > 0.0);
    let measured = rates
        .iter()
        .filter(finite)
        .find(|r| r.source.contains("measured"));
    let reference = measured.or_else(|| rates.iter().find(finite));
    let base = reference.and_then(|r| r.hz);
    screen.gap();
    let head = match (measured, reference) {
        (Some(_), _) => "against\nmeasured".to_owned(),
        (None, Some(r)) => format!("against\n{}", style.cut(&clean(&r.source), 16)),
        (None, None) => "\ndifference".to_owned(),
    };
    let mut table = Table::new(vec![
        Column::new("\nrate by", Align::Left).giving_way(12),
        Column::new("\nHz", Align::Right),
        Column::new(&head, Align::Right),
        Column::new("\nhow", Align::Left).giving_way(16),
    ]);
    for rate in rates {
        let difference = match (rate.hz, base, reference) {
            (_, _, Some(r)) if std::ptr::eq(r, rate) => match rate.error_ppm {
                Some(e) => format!("{}{} ppm", style.plus_minus(), three(e)),
                None => "-".into(),
            },
            (Some(hz), Some(base), _) => ppm((hz / base - 1.0) * 1e6),
            _ => "-".into(),
        };
        let hz = match rate.hz {
            Some(hz) if hz.is_finite() => chronoscope_model::units::grouped(hz).into(),
            _ => Cell::toned(Tone::Dim, "not told"),
        };
        table.row(vec![
            clean(&rate.source).into(),
            hz,
            difference.into(),
            Cell::toned(Tone::Dim, clean(&rate.note)),
        ]);
    }
    screen.table(&table);
}

fn timers(screen: &mut Screen<'_>, env: &Environment, style: &Style) {
    let mut facts = Vec::new();
    for timer in &env.timers {
        let present = match timer.present {
            Some(true) => "present".to_owned(),
            Some(false) => "absent".to_owned(),
            None => "unknown".to_owned(),
        };
        let rate = match timer.hz {
            Some(hz) => format!(" at {}", exact_hz(hz, None)),
            None => String::new(),
        };
        let evidence = match clean(&timer.evidence) {
            e if e.is_empty() => String::new(),
            e => style.paint(Tone::Dim, &format!(" ({e})")),
        };
        facts.push((clean(&timer.name), format!("{present}{rate}{evidence}")));
    }
    if facts.is_empty() {
        facts.push(fact(
            "HPET, ACPI PM",
            unknown(env, &["timers", "hpet", "acpi pm"]),
        ));
    }
    screen.facts(&facts);
}

fn power(env: &Environment) -> Vec<(String, String)> {
    let power = &env.power;
    let mut facts = vec![
        fact(
            "source",
            known(power.source.as_deref(), env, &["power source", "power"]),
        ),
        fact(
            "governor",
            known(power.governor.as_deref(), env, &["governor", "power"]),
        ),
        fact(
            "frequency driver",
            known(
                power.frequency_driver.as_deref(),
                env,
                &["frequency driver", "power"],
            ),
        ),
        fact(
            "frequency now",
            match power.frequency_hz {
                Some([low, high]) if low == high => round_hz(low),
                Some([low, high]) => format!("{} to {}", round_hz(low), round_hz(high)),
                None => unknown(env, &["frequency", "power"]),
            },
        ),
        fact(
            "idle driver",
            known(power.idle_driver.as_deref(), env, &["idle driver", "idle"]),
        ),
        fact(
            "idle states",
            match power.idle_states.is_empty() {
                true => unknown(env, &["idle states", "idle"]),
                false => power
                    .idle_states
                    .iter()
                    .map(|s| {
                        let disabled = if s.disabled { ", disabled" } else { "" };
                        format!("{} ({} us{disabled})", clean(&s.name), s.latency_us)
                    })
                    .collect::<Vec<_>>()
                    .join(", "),
            },
        ),
    ];
    if let Some(class) = &power.priority_class {
        facts.push(fact("priority class", clean(class)));
    }
    facts
}

/// rdtsc's own cost, and other processors' beside it.
fn rdtsc(screen: &mut Screen<'_>, env: &Environment, tsc: &Tsc, style: &Style) {
    screen.heading("Cost of rdtsc", "reciprocal throughput");
    let here = match (tsc.rdtsc_ns, tsc.rdtsc_cycles) {
        (Some(ns), Some(cycles)) => format!("{} ns, {} TSC cycles", three(ns), three(cycles)),
        (Some(ns), None) => format!("{} ns", three(ns)),
        (None, Some(cycles)) => format!("{} TSC cycles", three(cycles)),
        (None, None) => unknown(env, &["rdtsc"]),
    };
    let near = nearest(&env.cpu);
    let family = match near {
        Some(name) => format!("{name}, marked below"),
        None => "not in the table, which ends with Skylake".into(),
    };
    screen.facts(&[
        fact("here", style.paint(Tone::Strong, &here)),
        fact("nearest family", family),
    ]);
    screen.gap();
    // Down the columns, as many as fit.
    let pairs = if style.width >= 110 { 3 } else { 2 };
    let height = TABLE.len().div_ceil(pairs);
    let mut columns = Vec::new();
    for i in 0..pairs {
        columns.push(Column::new("", Align::Left).gap(if i == 0 { 0 } else { 4 }));
        columns.push(Column::new("processor", Align::Left).gap(1));
        columns.push(Column::new("cycles", Align::Right));
    }
    let mut table = Table::new(columns);
    for line in 0..height {
        let mut cells: Vec<Cell> = Vec::new();
        for pair in 0..pairs {
            let Some(known) = TABLE.get(pair * height + line) else {
                continue;
            };
            let tone = |text: String| match near == Some(known.name) {
                true => Cell::toned(Tone::Strong, text),
                false => text.into(),
            };
            let mark = if near == Some(known.name) {
                style.sign("▸", ">")
            } else {
                ""
            };
            cells.push(Cell::toned(Tone::Good, mark));
            cells.push(tone(known.name.into()));
            cells.push(tone(known.cycles.to_string()));
        }
        table.row(cells);
    }
    screen.table(&table);
    screen.gap();
    let legend = format!(
        "{SOURCE}. Those are cycles of the core; the TSC's are of its own fixed rate, so the two \
         are the same only while the core runs at that rate."
    );
    screen.paragraph(&style.paint(Tone::Dim, &legend));
}

/// `0-3, 6`
fn ranges(cpus: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &cpu in cpus {
        match parts.last_mut() {
            Some((_, end)) if Some(cpu) == end.checked_add(1) => *end = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let text = |(a, b): &(usize, usize)| match a == b {
        true => a.to_string(),
        false => format!("{a}-{b}"),
    };
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}
