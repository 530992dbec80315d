//! The machine: its processor, timers, kernel and power, and the ruler of the run.

mod counter;
mod facts;
mod known;

use super::{Detail, Rows, SECTION as PLAIN, Section, Spec, columns};
use crate::block::{Block, Cell, Fact, Table, Text, Tone, Value};
use crate::number::{count, percent, plural, three};
use chronoscope_model::change::CLOCK_SOURCE;
use chronoscope_model::clock::Comparison;
use chronoscope_model::environment::{Environment, Rate, RateKind, TscKind};
use chronoscope_model::packed::packed;
use chronoscope_model::{Report, Ruler, clock_source, units};
use known::{Data, Group, Known, READ, bound, exact_hz, ppm, round_hz, unknown_why};

pub const SECTION: Section = Section {
    id: "machine",
    records: &[("environment", "environment"), ("ruler", "ruler")],
    terms: packed!("terms.md"),
    view,
    glance: Some(|report, _| glance(report)),
    table: Some(machine_data),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    match detail {
        Detail::Brief => brief(report),
        _ => whole(report, detail == Detail::Everything),
    }
}

fn whole(report: &Report, everything: bool) -> Vec<Block> {
    let env = &report.environment;
    let mut blocks = Vec::new();
    for group in facts::groups(report) {
        if group.id == "ruler" && !everything {
            continue;
        }
        blocks.push(Block::heading(group.title));
        blocks.push(Block::Facts(group.known.into_iter().map(fact).collect()));
        if group.id == "counter" && (env.tsc.is_some() || env.counter.is_some()) {
            blocks.extend(counter::rate_blocks(env.counter_rates()));
        }
    }
    blocks.extend(counter::qpc_blocks(env));
    blocks.extend(counter::throughput_blocks(env));
    if let Some(tsc) = &env.tsc {
        blocks.extend(counter::rdtsc_blocks(env, tsc));
    }
    if everything && !env.kernel_log.is_empty() {
        blocks.push(Block::noted("Kernel log", "lines about time"));
        let lines = env.kernel_log.iter();
        blocks.extend(lines.map(|line| Block::item(Text::toned(Tone::Dim, line))));
    }
    blocks.push(Block::Legend(Text::toned(Tone::Dim, legend(env))));
    if !env.unknown.is_empty() {
        blocks.push(Block::heading("Unknown"));
        let unknown = env.unknown.iter().map(|unknown| match unknown.subject.as_str() {
            "" => unknown.reason.clone(),
            subject => format!("{subject}: {}", unknown.reason),
        });
        blocks.extend(unknown.map(Block::item));
    }
    blocks
}

/// What the words at the end of each line mean.
fn legend(env: &Environment) -> &'static str {
    match env.hypervisor {
        Some(_) => {
            "measured: in this run · read: from the kernel · claimed: by the hypervisor, which can \
             claim anything about the hardware"
        }
        None => "measured: in this run · read: from the kernel, the processor or the firmware",
    }
}

/// A fact and how it is known, if it is known.
fn fact(known: Known) -> Fact {
    let words = known.words.unwrap_or_default();
    let unknown = words.plain().starts_with("unknown");
    let basis = Text::toned(Tone::Dim, format!(" · {}", known.basis));
    Fact::new(known.name, if unknown { words } else { words.and(basis) })
}

/// A row for each fact that is known, and one for each reason why something is not.
fn machine_data(report: &Report) -> Table {
    let mut rows = Rows::data(columns());
    for Group { id, known, .. } in facts::groups(report) {
        for known in known {
            known.data.into_iter().for_each(|data| rows.row(&(id, data, known.basis)));
        }
    }
    let env = &report.environment;
    for data in
        counter::rate_data(env.counter_rates()).into_iter().chain(counter::throughput_data(env))
    {
        rows.row(&("counter", data, ""));
    }
    let text = |key: &str, text: &String| Data {
        key: key.into(),
        value: Value::Text(text.clone()),
        unit: "",
    };
    for line in &env.kernel_log {
        rows.row(&("kernel", text("log", line), READ));
    }
    for unknown in &env.unknown {
        rows.row(&("unknown", text(&unknown.subject, &unknown.reason), ""));
    }
    rows.table()
}

/// A group, a fact of it, and how that is known.
type Row = (&'static str, Data, &'static str);

fn columns() -> Vec<Spec<Row>> {
    columns! { (group, data, basis) in Row;
        "section" "section" [] Cell::text(*group);
        "key" "key" [] Cell::text(&data.key);
        "value" "value" [] Cell::new(data.value.clone());
        "unit" "unit" [] Cell::text(data.unit);
        "basis" "basis" [] Cell::text(*basis);
    }
}

// The machine and the ruler in a few lines.

fn brief(report: &Report) -> Vec<Block> {
    let env = &report.environment;
    let system = Text::dotted(os(env).into_iter().chain([under(env).into()]));
    let mut facts = vec![Fact::new("processor", processor(env)), Fact::new("system", system)];
    facts.extend(clock_source(report));
    facts.push(Fact::new("counter", counter_in_brief(env)));
    let across = env.across_cpus.as_ref().and_then(facts::across_words);
    facts.extend(across.map(|words| Fact::new("across CPUs", words)));
    let none = "nothing was measured";
    let [ruler, core, noise] = match &report.ruler {
        Some(found) => [ruler(found), core(env, found).into(), noise(env, found)],
        None => [format!("none ({none})").into(), none.into(), none.into()],
    };
    facts.extend([Fact::new("ruler", ruler), Fact::new("core", core), Fact::new("noise", noise)]);
    [Block::Facts(facts)].into_iter().chain(emulated(env)).collect()
}

/// The same in a line each, for the summary.
fn glance(report: &Report) -> Vec<Block> {
    let env = &report.environment;
    let mut parts = vec![counter_name(env)];
    parts.extend(counter_rate(env).map(Text::from));
    parts.extend(env.across_cpus.as_ref().and_then(facts::cpus_apart));
    let mut facts = vec![
        Fact::new("processor", Text::dotted([processor(env), under(env)].map(Text::from))),
        Fact::new("system", Text::dotted(os(env))),
    ];
    facts.extend(clock_source(report));
    facts.push(Fact::new("counter", Text::dotted(parts)));
    facts.push(Fact::new("core", core_and_noise(env, report.ruler.as_ref())));
    [Block::Facts(facts)].into_iter().chain(emulated(env)).collect()
}

fn emulated(env: &Environment) -> Option<Block> {
    let what = env.emulated.as_ref()?;
    let what = format!("emulated: {what}; the figures are the emulator's");
    Some(Block::paragraph(Text::toned(Tone::Warn, what)))
}

/// The text; if it is unknown, the reason.
fn known_or_why(text: Option<&str>, env: &Environment, subject: &str) -> String {
    let known = text.map(str::trim).filter(|text| !text.is_empty());
    known.map_or_else(|| unknown_why(env, subject), str::to_owned)
}

pub(crate) fn processor(env: &Environment) -> String {
    let model = known_or_why(env.cpu.model.as_deref(), env, "processor");
    let (one, many) = match env.hypervisor {
        Some(_) => ("virtual CPU", "virtual CPUs"),
        None => ("CPU", "CPUs"),
    };
    match env.cpu.logical {
        0 => model,
        n => format!("{model}, {}{}", plural(n as u64, one, many), core_types(env)),
    }
}

/// `: 16 performance, 4 efficiency`, if there are several types of core.
fn core_types(env: &Environment) -> String {
    let types = env.cpu.core_types.iter();
    let types = types.map(|one| format!("{} {}", one.cpus.len(), one.class.name()));
    match types.collect::<Vec<_>>().join(", ") {
        types if types.is_empty() => types,
        types => format!(": {types}"),
    }
}

fn os(env: &Environment) -> Vec<Text> {
    let mut parts = vec![Text::from(known_or_why(Some(&env.os), env, "os"))];
    parts.extend(env.kernel.iter().map(|kernel| format!("kernel {kernel}").into()));
    parts
}

pub(crate) fn under(env: &Environment) -> String {
    match &env.hypervisor {
        Some(hypervisor) => format!("under {}", hypervisor.name),
        None => "no hypervisor detected".into(),
    }
}

/// Whether it is a system with clock sources and a vDSO: Linux, or one that is not known.
pub(crate) fn has_clock_sources(env: &Environment) -> bool {
    let os = env.os.to_lowercase();
    let other = ["windows", "macos", "bsd"].iter().any(|name| os.contains(name));
    !other || env.clocksource.is_some() || env.vdso.is_some()
}

/// What the system keeps time with; absent if another system than Linux does not say.
fn clock_source(report: &Report) -> Option<Fact> {
    const NAME: &str = "clock source";
    let env = &report.environment;
    if !has_clock_sources(env) {
        let mut timers = env.timers.iter();
        let timer = timers.find(|it| ["QPC", "mach_absolute_time"].contains(&it.name.as_str()))?;
        let rate = timer.hz.map_or(String::new(), |hz| format!(" at {}", round_hz(hz)));
        let evidence = timer.evidence.split("; ").next().unwrap_or_default();
        return Some(Fact::new(NAME, format!("{}{rate} · {evidence}", timer.name)));
    }
    let mut changes = report.run.changed.iter();
    let changed = changes.find(|change| change.fact == CLOCK_SOURCE);
    let name = match &env.clocksource {
        Some(cs) if let Some(change) = changed => Text::toned(Tone::Warn, &cs.current)
            .and(format!(" when the run began, {} at its end", change.after)),
        Some(cs) => {
            let others = cs.available.iter().filter(|other| **other != cs.current);
            let others: Vec<&str> = others.map(String::as_str).collect();
            let current = Text::toned(Tone::Strong, &cs.current);
            if others.is_empty() {
                current
            } else {
                current.and(format!(" (also {})", others.join(", ")))
            }
        }
        None => unknown_why(env, "clock source").into(),
    };
    let slow = |text: &str| Text::toned(Tone::Warn, text);
    let vdso = match &env.vdso {
        Some(vdso) if vdso.present => match source_by_vdso(env) {
            Some(true) => "read in user space by the vDSO".into(),
            Some(false) => slow("the vDSO cannot read it: each read is a system call"),
            None => "vDSO present".into(),
        },
        Some(_) => slow("no vDSO: each read is a system call"),
        None => format!("vDSO {}", unknown_why(env, "vdso")).into(),
    };
    Some(Fact::new(NAME, Text::dotted([name, vdso])))
}

/// Whether the vDSO can read the clock source.
fn source_by_vdso(env: &Environment) -> Option<bool> {
    Some(clock_source::by_name(&env.clocksource.as_ref()?.current)?.vdso)
}

fn counter_name(env: &Environment) -> Text {
    match (&env.tsc, &env.counter) {
        (Some(tsc), _) => match tsc.kind {
            TscKind::None => "no TSC".into(),
            TscKind::Variant => Text::toned(Tone::Warn, "variant TSC"),
            kind => format!("{} TSC", kind.name()).into(),
        },
        (None, Some(_)) => "generic timer".into(),
        (None, None) => unknown_why(env, "TSC").into(),
    }
}

fn has_counter(env: &Environment) -> bool {
    env.tsc.as_ref().map_or(env.counter.is_some(), |tsc| tsc.kind != TscKind::None)
}

/// The rate of the counter that was measured, and the first that is stated, in hertz.
fn known_rates(env: &Environment) -> [Option<(&Rate, f64)>; 2] {
    let known = || env.counter_rates().iter().filter_map(|rate| Some((rate, rate.hz?)));
    let measured = |(rate, _): &(&Rate, f64)| rate.kind == RateKind::Measured;
    [known().find(measured), known().find(|rate| !measured(rate))]
}

/// The rate of the counter, the measured one if there is one, and whether anything verified it.
fn counter_rate(env: &Environment) -> Option<String> {
    let [measured, stated] = known_rates(env);
    let (rate, hz) = measured.or(stated)?;
    has_counter(env).then(|| match rate.kind {
        RateKind::Measured => {
            let sure = rate.compared.as_ref().is_none_or(|it| it.difference_ppm.is_some());
            let unsure = if sure { "" } else { " unverified" };
            exact_hz(hz, rate.error_ppm) + unsure
        }
        _ => format!("{} ({})", round_hz(hz), rate.source),
    })
}

fn counter_in_brief(env: &Environment) -> Text {
    let name = counter_name(env);
    if !has_counter(env) {
        return name;
    }
    let mut parts = vec![name];
    match known_rates(env) {
        [Some((rate, hz)), stated] => {
            let measured = format!("{} measured", exact_hz(hz, rate.error_ppm));
            parts.push(match &rate.compared {
                Some(found) => format!("{measured}, {}", worth(found)).into(),
                None => measured.into(),
            });
            parts.extend(stated.map(|(stated, other)| {
                format!("{}: {}", stated.source, ppm((other / hz - 1.0) * 1e6)).into()
            }));
        }
        [None, Some((stated, hz))] => {
            parts.push(format!("{} ({})", round_hz(hz), stated.source).into());
        }
        [None, None] => parts.push("rate unknown (no source gives one)".into()),
    }
    Text::dotted(parts)
}

fn ruler(ruler: &Ruler) -> Text {
    let mut parts = vec![ruler.id.clone(), ruler_rate(ruler)];
    // A run without batches subtracts it from nothing, and does not measure it.
    if ruler.cost_ns != 0.0 {
        parts.push(format!("cost {} ns", three(ruler.cost_ns)));
    }
    Text::dotted(parts.into_iter().map(Text::from))
}

/// The bound of the ruler's rate, and what that bound is worth.
fn ruler_rate(ruler: &Ruler) -> String {
    if !ruler.is_counter {
        return "rate not compared with another clock".into();
    }
    let against = format!("rate ±{} of {}", bound(ruler.hz_error_ppm), ruler.reference);
    match &ruler.compared {
        Some(found) => format!("{against} ({})", worth(found)),
        None => against,
    }
}

/// What the comparison of a measured rate shows: the difference from an independent clock, or that
/// the rate is unverified.
pub(super) fn worth(found: &Comparison) -> String {
    match found.difference_ppm {
        Some(difference) => format!("{} by {}", ppm(difference), found.with),
        None => found.standing.name().into(),
    }
}

/// The CPU that was measured on.
fn cpu_measured_on(env: &Environment, ruler: &Ruler) -> String {
    match ruler.cpu {
        Some(cpu) => match env.cpu.core_type(cpu) {
            Some(one) => format!("CPU {cpu} ({} core)", one.class.name()),
            None => format!("CPU {cpu}"),
        },
        None => "not pinned".into(),
    }
}

fn ghz(hz: f64) -> String {
    format!("{:.2}", hz / 1e9)
}

/// The CPU that was measured on, and how much its work was disturbed.
fn core_and_noise(env: &Environment, ruler: Option<&Ruler>) -> Text {
    let Some(ruler) = ruler else { return "nothing was measured".into() };
    let noise = &ruler.noise;
    let cpu = cpu_measured_on(env, ruler);
    let mut parts = vec![match noise.core.filter(|core| core.hz.is_finite()) {
        Some(core) => format!("{cpu} at {} GHz", ghz(core.hz)),
        None => cpu,
    }];
    if noise.batches > 0 {
        let share = noise.disturbed as f64 / noise.batches as f64;
        let shared = noise.shared.filter(|share| *share > 0.0);
        let shared = shared.map_or(String::new(), |share| format!(", {} shared", percent(share)));
        parts.push(format!("{} of batches disturbed{shared}", percent(share)));
    }
    let steal = noise.steal_ms.filter(|ms| *ms > 0.0 && ms.is_finite());
    parts.extend(steal.map(|ms| format!("steal {}", units::human_ns(ms * 1e6))));
    Text::dotted(parts.into_iter().map(Text::from))
}

/// The CPU that was measured on, and the frequency of its core.
fn core(env: &Environment, ruler: &Ruler) -> String {
    let cpu = cpu_measured_on(env, ruler);
    let speed = match ruler.noise.core.filter(|core| core.hz.is_finite()) {
        Some(core) => {
            let (usual, low, high) = (ghz(core.hz), ghz(core.low_hz), ghz(core.high_hz));
            let normalised =
                format!(" at {low} to {high} GHz; costs are normalised to {usual} GHz");
            format!("{normalised}; compare runs in {}", core.repeats_in())
        }
        None => ", frequency unknown".into(),
    };
    let shared = match ruler.noise.shared {
        Some(share) if share > 0.0 => format!("; shared in {} of rounds", percent(share)),
        _ => String::new(),
    };
    format!("{cpu}{speed}{shared}")
}

fn noise(env: &Environment, ruler: &Ruler) -> Text {
    let noise = &ruler.noise;
    let share = noise.disturbed as f64 / noise.batches.max(1) as f64;
    let mut parts = Vec::new();
    if noise.batches > 0 {
        parts.push(format!(
            "{} of {} disturbed ({})",
            count(noise.disturbed),
            plural(noise.batches, "batch", "batches"),
            percent(share)
        ));
    }
    let switches = noise.involuntary_switches;
    parts.extend(switches.map(|n| plural(n, "context switch", "context switches")));
    parts.push(match noise.steal_ms {
        _ if !env.steal_is_reported() => "steal not reported".into(),
        Some(0.0) => "no steal".into(),
        Some(ms) if ms.is_finite() => format!("steal {}", units::human_ns(ms * 1e6)),
        _ => "steal unknown".into(),
    });
    if let Some(taken) = noise.taken {
        let (kernel, below) = (taken.share(taken.kernel), taken.share(taken.below));
        let whom = env.below_kernel();
        parts.push(format!("time taken: kernel {}, {whom} {}", percent(kernel), percent(below)));
    }
    Text::dotted(parts.into_iter().map(Text::from))
}
