//! The machine as a list of facts, for formats that are tables.

use chronoscope_model::environment::{ArmCounter, Environment, Power, Rate, Tsc, TscKind};
use chronoscope_model::{Report, Ruler};

/// One fact.
pub(crate) struct Fact {
    /// What it is a fact of.
    pub section: &'static str,
    /// Its name; a fact that there are several of has its own name after it.
    pub key: String,
    /// Its value, as the report has it.
    pub value: String,
    /// The unit of a figure, empty of all else.
    pub unit: &'static str,
}

/// Whether the machine is all that the report is about.
pub(crate) fn is_all(report: &Report) -> bool {
    report.clocks.is_empty()
        && report.deltas.is_empty()
        && report.calls.is_empty()
        && report.overhead.is_empty()
        && report.waits.is_empty()
}

/// All that is known of the machine; what is not known is not in it, but for the notes that say why.
pub(crate) fn facts(report: &Report) -> Vec<Fact> {
    let env = &report.environment;
    let mut facts = Facts::default();
    processor(&mut facts, env);
    kernel(&mut facts, env);
    if let Some(tsc) = &env.tsc {
        counter(&mut facts, tsc);
    }
    if let Some(arm) = &env.counter {
        generic_timer(&mut facts, arm);
    }
    facts.section = "timers";
    for timer in &env.timers {
        facts.some(&format!("{}: present", timer.name), timer.present);
        facts.figure(&format!("{}: rate", timer.name), timer.hz, "Hz");
        facts.text(&format!("{}: evidence", timer.name), &timer.evidence);
    }
    power(&mut facts, &env.power);
    if let Some(found) = &report.ruler {
        ruler(&mut facts, found);
    }
    facts.section = "not found out";
    for note in &env.notes {
        let (subject, why) = note.split_once(':').unwrap_or(("", note));
        facts.text(subject.trim(), why.trim());
    }
    facts.all
}

#[derive(Default)]
struct Facts {
    section: &'static str,
    all: Vec<Fact>,
}

impl Facts {
    fn push(&mut self, key: &str, value: String, unit: &'static str) {
        let section = self.section;
        if !value.is_empty() {
            self.all.push(Fact {
                section,
                key: key.to_owned(),
                value,
                unit,
            });
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        self.push(key, value.to_owned(), "");
    }

    fn some<T: ToString>(&mut self, key: &str, value: Option<T>) {
        self.push(key, value.map_or(String::new(), |v| v.to_string()), "");
    }

    fn figure(&mut self, key: &str, value: Option<f64>, unit: &'static str) {
        let value = value.filter(|v| v.is_finite());
        self.push(key, value.map_or(String::new(), |v| v.to_string()), unit);
    }

    fn rates(&mut self, rates: &[Rate]) {
        for rate in rates {
            let source = &rate.source;
            self.figure(&format!("rate by {source}"), rate.hz, "Hz");
            self.figure(&format!("its error by {source}"), rate.error_ppm, "ppm");
            self.text(&format!("note of {source}"), &rate.note);
        }
    }
}

fn processor(facts: &mut Facts, env: &Environment) {
    facts.section = "processor";
    let cpu = &env.cpu;
    facts.some("model", cpu.model.as_ref());
    facts.some("vendor", cpu.vendor.as_ref());
    facts.some("signature", cpu.signature.as_ref());
    facts.some("machine", cpu.machine.as_ref());
    facts.text("architecture", &env.arch);
    facts.some("CPUs on line", Some(cpu.logical).filter(|n| *n > 0));
    facts.some("cores", cpu.cores);
    facts.some("sockets", cpu.sockets);
    facts.some("NUMA nodes", cpu.nodes);
    facts.some("SMT", cpu.smt);
    facts.text("may run on", &joined(&env.allowed_cpus));
    if let Some(hypervisor) = &env.hypervisor {
        facts.text("hypervisor", &hypervisor.name);
        facts.text("hypervisor: evidence", &hypervisor.evidence);
        facts.text("hypervisor: features", &joined(&hypervisor.features));
    }
    facts.some("emulated", env.emulated.as_ref());
}

fn kernel(facts: &mut Facts, env: &Environment) {
    facts.section = "kernel";
    facts.text("system", &env.os);
    facts.some("kernel", env.kernel.as_ref());
    if let Some(source) = &env.clocksource {
        facts.text("clock source", &source.current);
        facts.text("clock sources", &joined(&source.available));
    }
    if let Some(vdso) = &env.vdso {
        facts.some("vDSO", Some(vdso.present));
        facts.text("vDSO: functions", &joined(&vdso.symbols));
    }
    facts.text("boot parameters", &joined(&env.parameters));
    let slack = env.timer_slack_ns.map(|ns| ns as f64);
    facts.figure("timer slack", slack, "ns");
    for (name, load) in ["load of 1 min", "load of 5 min", "load of 15 min"]
        .iter()
        .zip(env.load.into_iter().flatten())
    {
        facts.figure(name, Some(load), "");
    }
    for line in &env.kernel_log {
        facts.text("log", line);
    }
}

fn counter(facts: &mut Facts, tsc: &Tsc) {
    facts.section = "counter";
    let kind = match tsc.kind {
        TscKind::None => "none",
        TscKind::Variant => "variant",
        TscKind::Constant => "constant",
        TscKind::Invariant => "invariant",
    };
    facts.text("TSC", kind);
    facts.text("TSC: evidence", &tsc.evidence);
    facts.rates(&tsc.rates);
    facts.some("RDTSCP", Some(tsc.rdtscp));
    facts.some("IA32_TSC_ADJUST", Some(tsc.tsc_adjust));
    facts.some("TSC-deadline timer", Some(tsc.deadline));
    facts.some("permitted", tsc.permitted);
    facts.figure("rdtsc", tsc.rdtsc_ns, "ns");
    facts.figure("rdtsc in ticks", tsc.rdtsc_cycles, "ticks");
    let cycles = tsc.rdtsc_core_cycles;
    facts.figure("rdtsc in core cycles", cycles, "cycles");
}

fn generic_timer(facts: &mut Facts, arm: &ArmCounter) {
    facts.section = "counter";
    facts.rates(&arm.rates);
    facts.text("errata", &joined(&arm.errata));
}

fn power(facts: &mut Facts, power: &Power) {
    facts.section = "power";
    facts.some("source", power.source.as_ref());
    facts.some("governor", power.governor.as_ref());
    facts.some("frequency driver", power.frequency_driver.as_ref());
    let frequency = power.frequency_hz;
    facts.figure("lowest frequency", frequency.map(|f| f[0]), "Hz");
    facts.figure("highest frequency", frequency.map(|f| f[1]), "Hz");
    facts.some("idle driver", power.idle_driver.as_ref());
    for state in &power.idle_states {
        let latency = Some(state.latency_us as f64);
        facts.figure(
            &format!("idle state {}: latency", state.name),
            latency,
            "us",
        );
        let disabled = Some(state.disabled);
        facts.some(&format!("idle state {}: disabled", state.name), disabled);
    }
    facts.some("priority class", power.priority_class.as_ref());
}

fn ruler(facts: &mut Facts, ruler: &Ruler) {
    facts.section = "ruler";
    facts.text("reads", &ruler.id);
    facts.figure("rate", Some(ruler.hz), "Hz");
    facts.figure("error of its rate", Some(ruler.hz_error_ppm), "ppm");
    facts.text("calibrated against", &ruler.reference);
    facts.figure("cost", Some(ruler.cost_ns), "ns");
    facts.figure("tick", Some(ruler.tick_ns), "ns");
    facts.some("CPU", ruler.cpu);
    if let Some(core) = ruler.noise.core {
        facts.figure("core", Some(core.hz), "Hz");
        facts.figure("core, low", Some(core.low_hz), "Hz");
        facts.figure("core, high", Some(core.high_hz), "Hz");
    }
    for note in &ruler.notes {
        facts.text("note", note);
    }
}

fn joined<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(" ")
}
