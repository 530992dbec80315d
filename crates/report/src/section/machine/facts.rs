//! Everything that is known of the machine, in groups.

use super::figures::{exact_hz, round_hz};
use super::known::{Basis, Data, Group, Known, known, unknown};
use super::{across, ruler, terms};
use crate::block::{Fact, Text, Tone, Value};
use crate::number::{plural, short};
use chronoscope_model::environment::{Environment, Timer, TscKind};
use chronoscope_model::{Report, units};

pub(super) fn groups(report: &Report) -> Vec<Group> {
    let env = &report.environment;
    let mut groups = vec![
        Group::new("machine", "Machine", machine(env)),
        Group::new("kernel", "Kernel", kernel(env)),
        counter(env),
        Group::new("timers", "Other timers", timers(env)),
        Group::new("power", "Power", power(report)),
    ];
    groups.extend(
        report.ruler.as_ref().map(|found| Group {
            verbose: true,
            ..Group::new("ruler", "Ruler", ruler::known(found))
        }),
    );
    for group in &mut groups {
        for known in &mut group.known {
            known.basis = basis(group.id, &known.fact.name, env);
        }
    }
    groups
}

/// How a fact is known. Of a virtual machine, everything that the processor and the firmware say is
/// the hypervisor's claim; only the kernel's own state is not.
fn basis(group: &str, name: &str, env: &Environment) -> Basis {
    match (group, name) {
        ("ruler", _) | (_, "across CPUs" | "core, measured") => Basis::Measured,
        ("kernel", _) | ("machine", "architecture" | "may run on") => Basis::Read,
        _ if env.hypervisor.is_some() => Basis::Claimed,
        _ => Basis::Read,
    }
}

fn machine(env: &Environment) -> Vec<Known> {
    let cpu = &env.cpu;
    let of_cpu = &["cpu", "processor"];
    let topology = &["topology", "cpu"];
    let about = &terms::PROCESSOR_DETAILS;
    vec![
        Known::text("processor", &terms::PROCESSOR, cpu.model.as_deref(), env, of_cpu),
        Known::text("vendor", about, cpu.vendor.as_deref(), env, of_cpu),
        Known::text("signature", about, cpu.signature.as_deref(), env, of_cpu),
        Known::text("machine", about, cpu.machine.as_deref(), env, &["machine", "dmi"]),
        Known::text("architecture", about, Some(&env.arch), env, &[]),
        Known::count(
            "CPUs online",
            &terms::TOPOLOGY,
            Some(cpu.logical).filter(|n| *n > 0),
            env,
            topology,
        ),
        core_types(env),
        Known::count("cores", &terms::TOPOLOGY, cpu.cores, env, topology),
        Known::count("sockets", &terms::TOPOLOGY, cpu.sockets, env, topology),
        Known::count("NUMA nodes", &terms::TOPOLOGY, cpu.nodes, env, topology),
        Known::new(
            "SMT",
            &terms::TOPOLOGY,
            match cpu.smt {
                Some(true) => "yes, logical CPUs share cores".into(),
                Some(false) => "no".into(),
                None => unknown(env, &["topology", "smt"]),
            },
            vec![Data::new("SMT", cpu.smt.map_or(Value::Absent, Value::Flag), "")],
        ),
        claimed(env),
        Known::new(
            "may run on",
            &terms::AFFINITY,
            match env.allowed_cpus.is_empty() {
                true => unknown(env, &["affinity"]),
                false => format!("CPU {}", units::ranges(&env.allowed_cpus)),
            },
            vec![Data::text("may run on", &units::ranges(&env.allowed_cpus))],
        ),
        hypervisor(env),
        features(env),
        Known::new(
            "emulated",
            &terms::EMULATED,
            match &env.emulated {
                Some(what) => format!("yes: {what}"),
                None => "no evidence of it".into(),
            },
            vec![Data::text("emulated", env.emulated.as_deref().unwrap_or_default())],
        ),
    ]
}

/// The types of cores, and the CPUs of each.
fn core_types(env: &Environment) -> Known {
    let types = &env.cpu.core_types;
    let words = types.iter().map(|one| {
        let capacity = one.capacity.map_or(String::new(), |n| format!(", capacity {n}"));
        let (class, cpus) = (one.class.name(), units::ranges(&one.cpus));
        format!("{class}: CPU {cpus} ({}{capacity})", one.name)
    });
    let words = match types.is_empty() {
        true => "no different types are reported".into(),
        false => words.collect::<Vec<_>>().join("; "),
    };
    let data = types.iter().flat_map(|one| {
        let key = |what: &str| format!("{} cores: {what}", one.class.name());
        let capacity = one.capacity.map_or(Value::Absent, Value::Count);
        [
            Data::text(&key("CPUs"), &units::ranges(&one.cpus)),
            Data::text(&key("name"), &one.name),
            Data::new(key("capacity"), capacity, ""),
            Data::text(&key("evidence"), &one.evidence),
        ]
    });
    Known::new("core types", &terms::CORE_TYPES, words, data.collect())
}

/// Who says all this about CPUs.
fn claimed(env: &Environment) -> Known {
    let words = match &env.hypervisor {
        Some(found) => format!(
            "{}'s claim: which cores these CPUs are, and who shares them, is not visible here",
            found.name
        ),
        None => "the processor's and the kernel's own account".into(),
    };
    let by = env.hypervisor.as_ref().map_or("machine", |_| "hypervisor");
    let data = vec![Data::text("topology by", by)];
    Known::new("topology by", &terms::TOPOLOGY, words, data)
}

fn hypervisor(env: &Environment) -> Known {
    let name = "hypervisor";
    match &env.hypervisor {
        Some(found) => Known::new(
            name,
            &terms::HYPERVISOR,
            format!("{} ({})", found.name, found.evidence),
            vec![
                Data::text(name, &found.name),
                Data::text("hypervisor: evidence", &found.evidence),
            ],
        ),
        None => Known::new(name, &terms::HYPERVISOR, "none detected", Vec::new()),
    }
}

fn features(env: &Environment) -> Known {
    let features = env.hypervisor.as_ref().map(|found| found.features.join(", "));
    let words = match features.as_deref() {
        Some("") => "no clock features detected",
        Some(features) => features,
        None => "none",
    };
    Known::new(
        "its features",
        &terms::HYPERVISOR,
        words,
        vec![Data::text("hypervisor: features", features.as_deref().unwrap_or_default())],
    )
}

fn kernel(env: &Environment) -> Vec<Known> {
    let about = &terms::KERNEL;
    let mut all = vec![
        Known::text("system", &terms::SYSTEM, Some(&env.os), env, &["os"]),
        Known::text("kernel", about, env.kernel.as_deref(), env, &["kernel"]),
    ];
    all.extend(clock_source(env));
    all.extend([
        vdso(env),
        Known::new(
            "boot parameters",
            about,
            match env.parameters.is_empty() {
                true if env.unknown.iter().any(|u| u.subject == "boot parameters") => {
                    unknown(env, &["boot parameters"])
                }
                true => "none about time".into(),
                false => env.parameters.join(" "),
            },
            vec![Data::text("boot parameters", &env.parameters.join(" "))],
        ),
        Known::new(
            "kernel log",
            about,
            match env.kernel_log.len() as u64 {
                0 => unknown(env, &["kernel log"]),
                n => format!("{} about time: hardware -v", plural(n, "line", "lines")),
            },
            Vec::new(),
        ),
        Known::new(
            "timer slack",
            &terms::TIMER_SLACK,
            match env.timer_slack_ns {
                Some(ns) => short(ns as f64),
                None => unknown(env, &["timer slack"]),
            },
            vec![Data::number("timer slack", env.timer_slack_ns.map(|ns| ns as f64), "ns")],
        ),
        discipline(env),
        load(env),
    ]);
    all
}

/// What keeps the kernel's clock synchronised.
fn discipline(env: &Environment) -> Known {
    let words = match &env.discipline {
        Some(found) if found.synchronised => format!(
            "synchronised: maxerror {}, esterror {}, {:+.3} ppm off its clock source",
            short(found.max_error_ns),
            short(found.estimated_error_ns),
            found.correction_ppm
        ),
        Some(_) => "not synchronised: nothing outside the machine corrects the clock".into(),
        None => unknown(env, &["discipline"]),
    };
    let found = env.discipline.filter(|found| found.synchronised);
    let figure = |key: &str, value: Option<f64>, unit| Data::number(key, value, unit);
    let data = vec![
        Data::new(
            "synchronised",
            env.discipline.map_or(Value::Absent, |found| Value::Flag(found.synchronised)),
            "",
        ),
        figure("maxerror", found.map(|it| it.max_error_ns), "ns"),
        figure("esterror", found.map(|it| it.estimated_error_ns), "ns"),
        figure("correction", found.map(|it| it.correction_ppm), "ppm"),
    ];
    Known::new("discipline", &terms::DISCIPLINE, words, data)
}

fn clock_source(env: &Environment) -> [Known; 2] {
    let subjects = &["clock source", "clocksource"];
    let (current, available, data) = match &env.clocksource {
        Some(cs) => (
            Text::toned(Tone::Strong, &cs.current),
            match cs.available.is_empty() {
                true => "none listed".into(),
                false => cs.available.join(", "),
            },
            [
                Data::text("clock source", &cs.current),
                Data::text("clock sources", &cs.available.join(" ")),
            ],
        ),
        None => (
            unknown(env, subjects).into(),
            unknown(env, subjects),
            ["clock source", "clock sources"].map(|key| Data::text(key, "")),
        ),
    };
    let [one, all] = data;
    [
        Known::new("clock source", &terms::CLOCK_SOURCE, current, vec![one]),
        Known::new("available", &terms::KERNEL, available, vec![all]),
    ]
}

fn vdso(env: &Environment) -> Known {
    let (words, data) = match &env.vdso {
        Some(vdso) => {
            let symbols = vdso.symbols.join(", ");
            let words = match (vdso.present, symbols.is_empty()) {
                (true, true) => "present".into(),
                (true, false) => format!("present: {symbols}").into(),
                (false, _) => {
                    Text::toned(Tone::Warn, "absent: each read of the time is a system call")
                }
            };
            let data = vec![
                Data::new("vDSO", Value::Flag(vdso.present), ""),
                Data::text("vDSO: functions", &vdso.symbols.join(" ")),
            ];
            (words, data)
        }
        None => (unknown(env, &["vdso"]).into(), Vec::new()),
    };
    Known::new("vDSO", &terms::VDSO, words, data)
}

fn load(env: &Environment) -> Known {
    let words = match env.load {
        Some(load) => {
            format!("{} over 1, 5 and 15 minutes", load.map(|l| format!("{l:.2}")).join(", "))
        }
        None => unknown(env, &["load"]),
    };
    let names = ["load of 1 min", "load of 5 min", "load of 15 min"];
    let loads = env.load.into_iter().flatten();
    let data = names.iter().zip(loads);
    let data = data.map(|(name, load)| Data::number(*name, Some(load), ""));
    Known::new("load", &terms::LOAD, words, data.collect())
}

fn counter(env: &Environment) -> Group {
    let (title, known) = match (&env.tsc, &env.counter) {
        (Some(tsc), _) => ("Time-stamp counter", self::tsc(env, tsc)),
        (None, Some(counter)) => {
            let errata = counter.errata.join("; ");
            let words = match errata.as_str() {
                "" => "none known for this processor",
                errata => errata,
            };
            let data = vec![Data::text("errata", &errata)];
            let known = Known::new("errata", &terms::ERRATA, words, data);
            ("Generic timer's counter", vec![known])
        }
        (None, None) => {
            let words = unknown(env, &["tsc", "counter"]);
            let known = Known::new("counter", &terms::COUNTER, words, Vec::new());
            return Group::new("counter", "Counter", vec![known]);
        }
    };
    let mut known = known;
    known.extend(env.across_cpus.as_ref().and_then(across::known));
    Group { counter: true, ..Group::new("counter", title, known) }
}

fn tsc(env: &Environment, tsc: &chronoscope_model::environment::Tsc) -> Vec<Known> {
    let (tone, kind, words) = match tsc.kind {
        TscKind::None => (Tone::Warn, "none", "none"),
        TscKind::Variant => {
            (Tone::Warn, "variant", "variant: its rate follows the core's frequency")
        }
        TscKind::Constant => {
            (Tone::Warn, "constant", "constant: one rate, but it may stop in deep idle states")
        }
        TscKind::Invariant => (Tone::Good, "invariant", "invariant: one rate in every power state"),
    };
    let about = &terms::TSC_FEATURES;
    vec![
        Known::new(
            "kind",
            &terms::TSC_KIND,
            Text::toned(tone, words),
            vec![Data::text("TSC", kind)],
        ),
        Known::new(
            "evidence",
            &terms::TSC_KIND,
            known(Some(&tsc.evidence), env, &["tsc"]),
            vec![Data::text("TSC: evidence", &tsc.evidence)],
        ),
        Known::flag("RDTSCP", about, tsc.rdtscp),
        Known::flag("TSC_ADJUST", about, tsc.tsc_adjust),
        Known::flag("TSC deadline", about, tsc.deadline),
        lfence(env),
        match tsc.permitted {
            Some(permitted) => Known::flag("may be read", about, permitted),
            None => {
                let words = unknown(env, &["permission", "tsc"]);
                Known::new("may be read", about, words, Vec::new())
            }
        },
    ]
}

/// Whether the processor promises that LFENCE holds back later instructions.
fn lfence(env: &Environment) -> Known {
    let about = &terms::LFENCE;
    match env.cpu.lfence_serialises {
        Some(promised) => Known::flag("LFENCE serialises", about, promised),
        None => {
            let words = "CPUID does not say (it has no leaf 0x80000021)";
            Known::new("LFENCE serialises", about, words, Vec::new())
        }
    }
}

fn timers(env: &Environment) -> Vec<Known> {
    if env.timers.is_empty() {
        let words = unknown(env, &["timers", "hpet", "acpi pm"]);
        return vec![Known::new("HPET, ACPI PM", &terms::TIMERS, words, Vec::new())];
    }
    env.timers.iter().map(timer).collect()
}

fn timer(timer: &Timer) -> Known {
    let present = match timer.present {
        Some(true) => "present",
        Some(false) => "absent",
        None => "unknown",
    };
    // The ACPI PM timer states no rate: the specification does (ACPI 6.5, 4.8.3.3).
    let specified = match timer.name.starts_with("ACPI PM") {
        true => ", as specified",
        false => "",
    };
    let rate =
        timer.hz.map_or(String::new(), |hz| format!(" at {}{specified}", exact_hz(hz, None)));
    let mut words = Text::from(format!("{present}{rate}"));
    if !timer.evidence.trim().is_empty() {
        words = words.and(Text::toned(Tone::Dim, format!(" ({})", timer.evidence)));
    }
    let name = &timer.name;
    let present = timer.present.map_or(Value::Absent, Value::Flag);
    Known {
        fact: Fact::named(name.clone(), &terms::TIMERS, words),
        data: vec![
            Data::new(format!("{name}: present"), present, ""),
            Data::number(format!("{name}: rate"), timer.hz, "Hz"),
            Data::text(&format!("{name}: evidence"), &timer.evidence),
        ],
        basis: Basis::Read,
    }
}

fn power(report: &Report) -> Vec<Known> {
    let env = &report.environment;
    let power = &env.power;
    let about = &terms::POWER;
    let mut all = vec![
        Known::text("source", about, power.source.as_deref(), env, &["power source", "power"]),
        Known::text("governor", about, power.governor.as_deref(), env, &["governor", "power"]),
        Known::text(
            "frequency driver",
            about,
            power.frequency_driver.as_deref(),
            env,
            &["frequency driver", "power"],
        ),
        Known::new(
            "kernel's figure",
            about,
            match power.frequency_hz {
                Some([low, high]) if low == high => round_hz(low),
                Some([low, high]) => format!("{} to {}", round_hz(low), round_hz(high)),
                None => unknown(env, &["frequency", "power"]),
            },
            vec![
                Data::number("lowest frequency", power.frequency_hz.map(|f| f[0]), "Hz"),
                Data::number("highest frequency", power.frequency_hz.map(|f| f[1]), "Hz"),
            ],
        ),
        Known::new("core, measured", &terms::CORE_MEASURED, core(report), Vec::new()),
        Known::text(
            "idle driver",
            &terms::IDLE,
            power.idle_driver.as_deref(),
            env,
            &["idle driver", "idle"],
        ),
        idle_states(env),
    ];
    if let Some(class) = &power.priority_class {
        let data = vec![Data::text("priority class", class)];
        all.push(Known::new("priority class", about, class.clone(), data));
    }
    all
}

fn idle_states(env: &Environment) -> Known {
    let states = &env.power.idle_states;
    let words = match states.is_empty() {
        true => unknown(env, &["idle states", "idle"]),
        false => {
            let states = states.iter().map(|s| {
                let disabled = if s.disabled { ", disabled" } else { "" };
                format!("{} ({} us{disabled})", s.name, s.latency_us)
            });
            states.collect::<Vec<_>>().join(", ")
        }
    };
    let data = states.iter().flat_map(|s| {
        let key = |what: &str| format!("idle state {}: {what}", s.name);
        [
            Data::new(key("latency"), Value::Count(s.latency_us), "us"),
            Data::new(key("disabled"), Value::Flag(s.disabled), ""),
        ]
    });
    Known::new("idle states", &terms::IDLE, words, data.collect())
}

/// The frequency that the core really had, from a chain of dependent additions.
fn core(report: &Report) -> String {
    let core = report.ruler.as_ref().and_then(|ruler| ruler.noise.core);
    match core.filter(|core| core.hz.is_finite()) {
        Some(core) => format!(
            "{:.2} GHz ({:.2} to {:.2}) during the measurement",
            core.hz / 1e9,
            core.low_hz / 1e9,
            core.high_hz / 1e9
        ),
        None => "unknown (nothing was measured, or the processor is emulated)".into(),
    }
}
