//! Everything that is known about the machine and the ruler, in groups.

use super::known::{Group, Known, READ, bound, exact_hz, round_hz, unknown_why};
use super::worth;
use crate::block::{Text, Tone, Value};
use crate::number::{count, percent, plural, short, three};
use chronoscope_model::between::Between;
use chronoscope_model::environment::{Environment, Timer, Tsc, TscKind};
use chronoscope_model::ordering::AcrossCpus;
use chronoscope_model::{Report, Ruler, units};

/// The groups, each fact with what it rests on, and with a reason if it is unknown.
pub(super) fn groups(report: &Report) -> Vec<Group> {
    let env = &report.environment;
    let mut groups = vec![
        Group { id: "machine", title: "Machine", known: machine(env) },
        Group { id: "kernel", title: "Kernel", known: kernel(report) },
        counter(env),
        Group { id: "timers", title: "Other timers", known: timers(env) },
        Group { id: "power", title: "Power", known: power(report) },
    ];
    groups.extend(report.ruler.as_ref().map(|found| {
        let known = ruler_facts(found, report.run.between.as_ref());
        Group { id: "ruler", title: "Ruler", known }
    }));
    for group in &mut groups {
        for known in &mut group.known {
            known.basis = basis(group.id, &known.name, env);
            let reason = || unknown_why(env, subject(group.id, &known.name)).into();
            known.words.get_or_insert_with(reason);
        }
    }
    groups
}

/// How a fact is known. In a virtual machine, everything that the processor and the firmware report
/// is the hypervisor's claim; only the kernel's own state is not.
fn basis(group: &str, name: &str, env: &Environment) -> &'static str {
    match (group, name) {
        ("ruler", _) | (_, "across CPUs" | "core, measured") => "measured",
        ("kernel", _) | ("machine", "architecture" | "may run on") => READ,
        _ if env.hypervisor.is_some() => "claimed",
        _ => READ,
    }
}

/// What the environment calls a fact that is unknown.
fn subject<'a>(group: &'a str, name: &'a str) -> &'a str {
    match (group, name) {
        (_, "vendor" | "signature") => "processor",
        (_, "CPUs online" | "cores" | "sockets" | "NUMA nodes" | "SMT") => "topology",
        (_, "system") => "os",
        (_, "available") => "clock source",
        (_, "vDSO") => "vdso",
        ("counter", _) => "TSC",
        ("power", _) => "power",
        _ => name,
    }
}

fn machine(env: &Environment) -> Vec<Known> {
    let cpu = &env.cpu;
    let smt = cpu.smt.map(|smt| if smt { "yes, logical CPUs share cores" } else { "no" });
    let allowed = units::ranges(&env.allowed_cpus);
    let may_run_on = (!allowed.is_empty()).then(|| format!("CPU {allowed}"));
    let emulated = env.emulated.as_ref().map(|what| format!("yes: {what}"));
    vec![
        Known::of_text("processor", cpu.model.as_deref()),
        Known::of_text("vendor", cpu.vendor.as_deref()),
        Known::of_text("signature", cpu.signature.as_deref()),
        Known::of_text("machine", cpu.machine.as_deref()),
        Known::of_text("architecture", Some(&env.arch)),
        Known::of_count("CPUs online", Some(cpu.logical).filter(|n| *n > 0)),
        core_types(env),
        Known::of_count("cores", cpu.cores),
        Known::of_count("sockets", cpu.sockets),
        Known::of_count("NUMA nodes", cpu.nodes),
        Known::maybe("SMT", smt).flag("SMT", cpu.smt),
        claimed(env),
        Known::maybe("may run on", may_run_on).text("may run on", &allowed),
        hypervisor(env),
        features(env),
        Known::new("emulated", emulated.unwrap_or("no evidence of it".into()))
            .text("emulated", env.emulated.as_deref().unwrap_or_default()),
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
    let words = match &*words.collect::<Vec<_>>().join("; ") {
        "" => "no different types are reported".to_owned(),
        words => words.to_owned(),
    };
    types.iter().fold(Known::new("core types", words), |known, one| {
        let key = |what: &str| format!("{} cores: {what}", one.class.name());
        known
            .text(key("CPUs"), &units::ranges(&one.cpus))
            .text(key("name"), &one.name)
            .value(key("capacity"), one.capacity.map(Value::Count), "")
            .text(key("evidence"), &one.evidence)
    })
}

/// The source of the facts about CPUs.
fn claimed(env: &Environment) -> Known {
    let (words, by) = match &env.hypervisor {
        Some(found) => (
            format!(
                "{}'s claim: which cores these CPUs are, and who shares them, is not visible here",
                found.name
            ),
            "hypervisor",
        ),
        None => ("the processor's and the kernel's own account".into(), "machine"),
    };
    Known::new("topology by", words).text("topology by", by)
}

fn hypervisor(env: &Environment) -> Known {
    let name = "hypervisor";
    match &env.hypervisor {
        Some(found) => Known::new(name, format!("{} ({})", found.name, found.evidence))
            .text(name, &found.name)
            .text("hypervisor: evidence", &found.evidence),
        None => Known::new(name, "none detected"),
    }
}

fn features(env: &Environment) -> Known {
    let features = env.hypervisor.as_ref().map(|found| found.features.join(", "));
    let words = match features.as_deref() {
        Some("") => "no clock features detected",
        Some(features) => features,
        None => "none",
    };
    Known::new("its features", words)
        .text("hypervisor: features", features.as_deref().unwrap_or_default())
}

fn kernel(report: &Report) -> Vec<Known> {
    let env = &report.environment;
    let compilers = report.run.compilers.join(", ");
    let parameters = env.parameters.join(" ");
    let unread = env.unknown.iter().any(|u| u.subject == "boot parameters");
    let boot = match parameters.as_str() {
        "" if unread => None,
        "" => Some("none about time"),
        some => Some(some),
    };
    let log = env.kernel_log.len() as u64;
    let log =
        (log > 0).then(|| format!("{} about time: hardware -v", plural(log, "line", "lines")));
    let slack = env.timer_slack_ns.map(|ns| ns as f64);
    let [current, available] = clock_source(env);
    let mut all = vec![
        Known::of_text("system", Some(&env.os)),
        Known::of_text("kernel", env.kernel.as_deref()),
        Known::of_text("C library", env.c_library.as_deref()),
        current,
        available,
        vdso(env),
        Known::maybe("boot parameters", boot).text("boot parameters", &parameters),
        Known::maybe("kernel log", log),
        Known::maybe("timer slack", slack.map(short)).number("timer slack", slack, "ns"),
        discipline(env),
        load(env),
    ];
    let linux = ["clock source", "available", "vDSO"];
    all.retain(|it| super::has_clock_sources(env) || !linux.contains(&it.name.as_ref()));
    if !compilers.is_empty() {
        // What built the tool is next to the libraries that it runs with.
        all.insert(3, Known::of_text("compilers", Some(&compilers)));
    }
    all
}

/// What keeps the kernel's clock synchronised.
fn discipline(env: &Environment) -> Known {
    let words = env.discipline.map(|found| match found.synchronised {
        true => format!(
            "synchronised: maxerror {}, esterror {}, {:+.3} ppm off its clock source",
            short(found.max_error_ns),
            short(found.estimated_error_ns),
            found.correction_ppm
        ),
        false => "not synchronised: nothing outside the machine corrects the clock".into(),
    });
    let found = env.discipline.filter(|found| found.synchronised);
    Known::maybe("discipline", words)
        .flag("synchronised", env.discipline.map(|found| found.synchronised))
        .number("maxerror", found.map(|it| it.max_error_ns), "ns")
        .number("esterror", found.map(|it| it.estimated_error_ns), "ns")
        .number("correction", found.map(|it| it.correction_ppm), "ppm")
}

fn clock_source(env: &Environment) -> [Known; 2] {
    let source = env.clocksource.as_ref();
    let current = source.map_or("", |source| &source.current);
    let available = source.map_or(&[][..], |source| &source.available);
    let listed = source.map(|_| match available {
        [] => "none listed".into(),
        some => some.join(", "),
    });
    let strong = source.map(|_| Text::toned(Tone::Strong, current));
    [
        Known::maybe("clock source", strong).text("clock source", current),
        Known::maybe("available", listed).text("clock sources", &available.join(" ")),
    ]
}

fn vdso(env: &Environment) -> Known {
    let Some(vdso) = &env.vdso else {
        return Known::of_text("vDSO", None);
    };
    let words = match (vdso.present, vdso.symbols.join(", ")) {
        (true, symbols) if symbols.is_empty() => "present".into(),
        (true, symbols) => format!("present: {symbols}").into(),
        (false, _) => Text::toned(Tone::Warn, "absent: each read of the time is a system call"),
    };
    let symbols = vdso.symbols.join(" ");
    Known::new("vDSO", words).flag("vDSO", Some(vdso.present)).text("vDSO: functions", &symbols)
}

fn load(env: &Environment) -> Known {
    let words = env.load.map(|load| {
        format!("{} over 1, 5 and 15 minutes", load.map(|l| format!("{l:.2}")).join(", "))
    });
    let names = ["load of 1 min", "load of 5 min", "load of 15 min"];
    let loads = names.into_iter().zip(env.load.into_iter().flatten());
    loads.fold(Known::maybe("load", words), |known, (name, load)| known.number(name, load, ""))
}

fn counter(env: &Environment) -> Group {
    let (title, mut known) = match (&env.tsc, &env.counter) {
        (Some(tsc), _) => ("Time-stamp counter", self::tsc(env, tsc)),
        (None, Some(counter)) => {
            let errata = counter.errata.join("; ");
            let none = "none known for this processor";
            let words = if errata.is_empty() { none } else { &errata };
            ("Generic timer's counter", vec![Known::new("errata", words).text("errata", &errata)])
        }
        (None, None) => {
            let known = vec![Known::of_text("counter", None)];
            return Group { id: "counter", title: "Counter", known };
        }
    };
    known.extend(env.across_cpus.as_ref().and_then(across_cpus));
    Group { id: "counter", title, known }
}

fn tsc(env: &Environment, tsc: &Tsc) -> Vec<Known> {
    let kind = tsc.kind.name();
    let (tone, words) = match tsc.kind {
        TscKind::None => (Tone::Warn, ""),
        TscKind::Variant => (Tone::Warn, ": its rate follows the core's frequency"),
        TscKind::Constant => (Tone::Warn, ": one rate, but it may stop in deep idle states"),
        TscKind::Invariant => (Tone::Good, ": one rate in every power state"),
    };
    // Whether the processor promises that LFENCE holds back later instructions.
    let lfence = Known::of_flag("LFENCE serialises", env.cpu.lfence_serialises);
    let no_leaf = || "CPUID does not say (it has no leaf 0x80000021)".into();
    vec![
        Known::new("kind", Text::toned(tone, format!("{kind}{words}"))).text("TSC", kind),
        Known { name: "evidence".into(), ..Known::of_text("TSC: evidence", Some(&tsc.evidence)) },
        Known::of_flag("RDTSCP", Some(tsc.rdtscp)),
        Known::of_flag("TSC_ADJUST", Some(tsc.tsc_adjust)),
        Known::of_flag("TSC deadline", Some(tsc.deadline)),
        Known { words: lfence.words.or_else(|| Some(no_leaf())), ..lfence },
        Known::of_flag("may be read", tsc.permitted),
    ]
}

fn timers(env: &Environment) -> Vec<Known> {
    match &env.timers[..] {
        [] => vec![Known::of_text("HPET, ACPI PM", None)],
        timers => timers.iter().map(timer).collect(),
    }
}

fn timer(timer: &Timer) -> Known {
    let present = timer.present.map_or("unknown", |it| if it { "present" } else { "absent" });
    // The ACPI PM timer states no rate: the specification does (ACPI 6.5, 4.8.3.3).
    let specified = if timer.name.starts_with("ACPI PM") { ", as specified" } else { "" };
    let rate = timer.hz.map(|hz| format!(" at {}{specified}", exact_hz(hz, None)));
    let mut words = Text::from(format!("{present}{}", rate.unwrap_or_default()));
    if !timer.evidence.trim().is_empty() {
        words = words.and(Text::toned(Tone::Dim, format!(" ({})", timer.evidence)));
    }
    let name = &timer.name;
    Known::new(name.clone(), words)
        .flag(format!("{name}: present"), timer.present)
        .number(format!("{name}: rate"), timer.hz, "Hz")
        .text(format!("{name}: evidence"), &timer.evidence)
}

fn power(report: &Report) -> Vec<Known> {
    let env = &report.environment;
    let power = &env.power;
    let frequency = power.frequency_hz.map(|[low, high]| match low == high {
        true => round_hz(low),
        false => format!("{} to {}", round_hz(low), round_hz(high)),
    });
    let class = power.priority_class.as_deref();
    let mut all = vec![
        Known::of_text("source", power.source.as_deref()),
        Known::of_text("governor", power.governor.as_deref()),
        Known::of_text("frequency driver", power.frequency_driver.as_deref()),
        Known::maybe("kernel's figure", frequency)
            .number("lowest frequency", power.frequency_hz.map(|f| f[0]), "Hz")
            .number("highest frequency", power.frequency_hz.map(|f| f[1]), "Hz"),
        Known::new("core, measured", core_frequency(report)),
        Known::of_text("idle driver", power.idle_driver.as_deref()),
        idle_states(env),
    ];
    all.extend(class.map(|class| Known::of_text("priority class", Some(class))));
    all
}

fn idle_states(env: &Environment) -> Known {
    let states = &env.power.idle_states;
    let shown = states.iter().map(|s| {
        let disabled = if s.disabled { ", disabled" } else { "" };
        format!("{} ({} us{disabled})", s.name, s.latency_us)
    });
    let words = (!states.is_empty()).then(|| shown.collect::<Vec<_>>().join(", "));
    let known = Known::maybe("idle states", words);
    states.iter().fold(known, |known, s| {
        let key = |what: &str| format!("idle state {}: {what}", s.name);
        known
            .value(key("latency"), Some(Value::Count(s.latency_us)), "us")
            .flag(key("disabled"), Some(s.disabled))
    })
}

/// The frequency that the core really had, from a chain of dependent additions.
fn core_frequency(report: &Report) -> String {
    let core = report.ruler.as_ref().and_then(|ruler| ruler.noise.core);
    match core.filter(|core| core.hz.is_finite()) {
        Some(core) => {
            let [usual, low, high] = [core.hz, core.low_hz, core.high_hz].map(|hz| hz / 1e9);
            format!("{usual:.2} GHz ({low:.2} to {high:.2}) during the measurement")
        }
        None => "unknown (nothing was measured, or the processor is emulated)".into(),
    }
}

// What is known about the ruler.

/// The system's clock was calibrated against itself, which shows nothing.
const UNCHECKED: &str = "unknown: there is no independent check of the system's clock";

fn ruler_facts(ruler: &Ruler, between: Option<&Between>) -> Vec<Known> {
    let text = |name: &'static str, text: &str| Known::new(name, text).text(name, text);
    let figure = |name: &'static str, value: f64, unit, words: String| {
        Known::new(name, words).number(name, value, unit)
    };
    let (hz, error) = (ruler.hz, ruler.hz_error_ppm);
    let mut all = vec![
        text("reads", &ruler.id),
        figure("its rate", hz, "Hz", exact_hz(hz, Some(error))),
        match ruler.is_counter {
            true => figure("error of its rate", error, "ppm", bound(error)),
            false => Known::new("error of its rate", UNCHECKED),
        },
        text("calibrated against", &ruler.reference),
        ruler_comparison(ruler),
        figure("cost", ruler.cost_ns, "ns", format!("{} ns", three(ruler.cost_ns))),
        figure("its tick", ruler.tick_ns, "ns", short(ruler.tick_ns)),
    ];
    let noise = &ruler.noise;
    all.extend(ruler.cpu.map(|cpu| {
        let value = Some(Value::Count(cpu as u64));
        Known::new("pinned to", format!("CPU {cpu}")).value("pinned to", value, "")
    }));
    let waited = |ms: f64| figure("waited for its CPU", ms, "ms", units::human_ns(ms * 1e6));
    all.extend(noise.run_queue_ms.map(waited));
    all.extend(noise.shared.map(|share| figure("core, shared", share, "", percent(share))));
    if let Some(core) = noise.core {
        let figures = [("core", core.hz), ("core, low", core.low_hz), ("core, high", core.high_hz)];
        all.extend(figures.map(|(name, hz)| figure(name, hz, "Hz", round_hz(hz))));
    }
    all.extend(between.map(|it| text("runs differ", &it.text())));
    all
}

/// Whether the reference could have shown a wrong rate.
fn ruler_comparison(ruler: &Ruler) -> Known {
    let Some(found) = &ruler.compared else {
        return Known::new("comparison", "unknown (this report was not judged)");
    };
    Known::new("comparison", format!("{}: {}", worth(found), found.why))
        .text("comparison", found.standing.name())
        .text("comparison: with", &found.with)
        .number("comparison: difference", found.difference_ppm, "ppm")
        .text("comparison: why", &found.why)
}

// Whether the processor's counter agrees on several CPUs.

/// How far apart the counters of the CPUs are, in one line; `None` if there is nothing to report.
pub(super) fn across_words(across: &AcrossCpus) -> Option<Text> {
    let Some(cpus_apart) = cpus_apart(across) else {
        let why = across.left_out.as_deref()?;
        return Some(format!("not compared ({why})").into());
    };
    let handed: u64 = across.pairs.iter().map(|pair| pair.handed.turns).sum();
    let backwards: u64 = across.pairs.iter().map(|pair| pair.handed.backwards).sum();
    let backwards = match backwards {
        0 => "none".into(),
        n => count(n),
    };
    let handed = plural(handed, "hand-over", "hand-overs");
    let handed = format!("{backwards} of {handed} backwards");
    Some(Text::dotted([cpus_apart, handed.into()]))
}

/// How far apart the counters of the CPUs that differ most are; `None` if none were compared.
pub(super) fn cpus_apart(across: &AcrossCpus) -> Option<Text> {
    let worst = across.worst()?;
    let [a, b] = worst.handed.cpus;
    let which = match across.pairs.len() {
        1 => format!("CPUs {a} and {b}"),
        n => format!("CPU {a} and {}", plural(n as u64, "other", "others")),
    };
    let bound = short(worst.bound_ns().round());
    Some(if worst.in_step() {
        format!("{which} within {bound}").into()
    } else {
        Text::toned(Tone::Bad, format!("CPUs {a} and {b} up to {bound} apart"))
    })
}

/// The comparison as a fact, with a row for each figure.
fn across_cpus(across: &AcrossCpus) -> Option<Known> {
    let mut known = Known::new("across CPUs", across_words(across)?);
    for pair in &across.pairs {
        let [a, b] = pair.handed.cpus;
        let key = |what: &str| format!("CPUs {a} and {b}: {what}");
        known = known
            .number(key("ahead by at least"), pair.low_ns, "ns")
            .number(key("ahead by at most"), pair.high_ns, "ns")
            .value(key("exchanges"), Some(Value::Count(pair.exchanges)), "")
            .value(key("hand-overs"), Some(Value::Count(pair.handed.turns)), "")
            .value(key("backwards"), Some(Value::Count(pair.handed.backwards)), "");
    }
    Some(known.text("CPUs not compared", across.left_out.as_deref().unwrap_or_default()))
}
