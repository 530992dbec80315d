//! Which timer hardware, which kernel clock source, which hypervisor, and why.

use super::facts::{exact_hz, fact, known, round_hz, unknown};
use super::number::{plural, short};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::{counter, rdtsc_table};
use chronoscope_model::Report;
use chronoscope_model::environment::Environment;

/// All that is known of the machine.
pub fn render(report: &Report, style: &Style) -> String {
    let env = &report.environment;
    let mut screen = Screen::new(style);
    screen.heading("Machine", "");
    screen.facts(&machine(env));
    screen.heading("Kernel", "");
    screen.facts(&kernel(env, style));
    counter::render(&mut screen, env, style);
    screen.heading("Other timers", "");
    timers(&mut screen, env, style);
    screen.heading("Power", "");
    screen.facts(&power(report));
    if let Some(tsc) = &env.tsc {
        rdtsc_table::render(&mut screen, env, tsc, style);
    }
    if !env.kernel_log.is_empty() && style.verbose {
        screen.heading("Kernel log", "lines that bear on time");
        for line in &env.kernel_log {
            screen.indented("  ", "    ", &style.paint(Tone::Dim, &clean(line)));
        }
    }
    if !env.notes.is_empty() {
        screen.heading("What could not be found out", "");
        for note in &env.notes {
            screen.indented("  ", "    ", &clean(note));
        }
    }
    screen.finish()
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
            "its features",
            match env.hypervisor.as_ref().map(|h| &h.features) {
                Some(features) if !features.is_empty() => features
                    .iter()
                    .map(|f| clean(f))
                    .collect::<Vec<_>>()
                    .join(", "),
                Some(_) => "nothing that was seen to bear on time".into(),
                None => "none".into(),
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
            "boot parameters",
            match env.parameters.is_empty() {
                true if env.notes.iter().any(|n| n.starts_with("boot parameters:")) => {
                    unknown(env, &["boot parameters"])
                }
                true => "none that bears on time".into(),
                false => env
                    .parameters
                    .iter()
                    .map(|p| clean(p))
                    .collect::<Vec<_>>()
                    .join(" "),
            },
        ),
        fact(
            "kernel log",
            match env.kernel_log.len() as u64 {
                0 => unknown(env, &["kernel log"]),
                n => format!(
                    "{} that bear on time; -v shows them",
                    plural(n, "line", "lines")
                ),
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

fn power(report: &Report) -> Vec<(String, String)> {
    let env = &report.environment;
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
            "kernel's figure",
            match power.frequency_hz {
                Some([low, high]) if low == high => round_hz(low),
                Some([low, high]) => format!("{} to {}", round_hz(low), round_hz(high)),
                None => unknown(env, &["frequency", "power"]),
            },
        ),
        fact("core, gauged", gauged(report)),
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

/// The frequency that the core really had, by a chain of dependent additions.
fn gauged(report: &Report) -> String {
    let core = report.ruler.as_ref().and_then(|ruler| ruler.noise.core);
    match core.filter(|core| core.hz.is_finite()) {
        Some(core) => format!(
            "{:.2} GHz ({:.2} to {:.2} in a moment of full load)",
            core.hz / 1e9,
            core.low_hz / 1e9,
            core.high_hz / 1e9
        ),
        None => "not told: nothing was measured, or the processor is emulated".into(),
    }
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
