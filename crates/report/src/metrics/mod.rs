//! Reports as metrics for Prometheus, in three encodings.
//!
//! Names, kinds and labels are part of the tool's interface: rules and dashboards ask for them.

mod table;
#[cfg(test)]
mod tests;

pub use table::{Answers, OPEN_METRICS, PROTOBUF, TEXT};

use crate::clean::clean;
use chronoscope_model::against::Against;
use chronoscope_model::clock::{Clock, Reads, Standing};
use chronoscope_model::clock_source::in_user_space;
use chronoscope_model::finding::Outcome;
use chronoscope_model::trust::Paused;
use chronoscope_model::why::Why;
use chronoscope_model::{About, Check, Environment, Report, Wait};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use table::{Labels, Table};

/// The metrics of one machine. Gauges have the values of the last report that held them; counters
/// and histograms add up all reports.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    table: Table,
    /// The faults that the last report of each sort found, each with its level. A report judges
    /// only what it measured, so one without a fault does not end what another sort found.
    found: BTreeMap<Sort, BTreeSet<(String, &'static str)>>,
}

/// What a report measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Clocks,
    Waits,
    Machine,
}

impl Metrics {
    /// The metrics of an exporter before its first measurement. What is counted begins at 0, so
    /// that the first event is seen as an increase.
    pub fn new(environment: &Environment) -> Metrics {
        let metrics = Metrics::default();
        let mut state = metrics.state();
        state.machine(environment);
        let table = &mut state.table;
        for direction in [true, false].map(direction) {
            table.number(&STEPS, direction);
        }
        for family in [&STALL, &SUSPEND, &THROTTLED, &MEASURING] {
            table.number(family, Labels::new());
        }
        for reason in ["budget", THROTTLED_WAITS] {
            table.number(&SKIPPED, label("reason", reason));
        }
        drop(state);
        metrics
    }

    /// The metrics of one report.
    pub fn of(report: &Report) -> Metrics {
        let metrics = Metrics::default();
        metrics.report(report);
        metrics
    }

    /// Takes over what a report holds: clocks, waits, findings and checks. What it does not hold
    /// stays as it was.
    pub fn report(&self, report: &Report) {
        let mut state = self.state();
        state.machine(&report.environment);
        state.clocks(report);
        state.counter(report);
        state.watched(report);
        if let Some(against) = &report.against {
            state.against(against);
        }
        for wait in &report.waits {
            state.wait(wait);
        }
        state.faults(report);
    }

    /// Takes over what exchanges with other clocks proved.
    pub fn against(&self, against: &Against) {
        self.state().against(against);
    }

    /// A measurement will be made, and its metrics are missing until then.
    pub fn pending(&self, measurement: &str) {
        *self.state().table.number(&PENDING, label("measurement", measurement)) = 1.0;
    }

    /// A measurement was finished, at seconds since the epoch.
    pub fn last(&self, measurement: &str, unix_s: f64) {
        let (table, labels) = (&mut self.state().table, label("measurement", measurement));
        table.remove(&PENDING, &labels);
        *table.number(&LAST, labels) = unix_s;
    }

    /// A measurement was not made.
    pub fn skipped(&self, reason: &'static str) {
        *self.state().table.number(&SKIPPED, label("reason", reason)) += 1.0;
    }

    /// The wall clock was stepped.
    pub fn stepped(&self, forward: bool) {
        *self.state().table.number(&STEPS, direction(forward)) += 1.0;
    }

    /// Adds to a counter that has no labels.
    pub fn add(&self, family: &Family, more: f64) {
        *self.state().table.number(family, Labels::new()) += more;
    }

    /// Sets a metric that has no labels.
    pub fn set(&self, family: &Family, value: f64) {
        *self.state().table.number(family, Labels::new()) = value;
    }

    pub fn answers(&self) -> Answers {
        self.state().table.answers()
    }

    /// Only the text format 0.0.4.
    pub fn text(&self) -> String {
        self.state().table.text()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why waits were left out: a quota stopped the control group meanwhile.
const THROTTLED_WAITS: &str = "throttled";

/// Nanoseconds in a second. Dividing by it keeps short decimals short.
const NS: f64 = 1e9;

fn label(name: &'static str, value: &str) -> Labels {
    vec![(name, value.to_owned())]
}

fn direction(forward: bool) -> Labels {
    label("direction", if forward { "forward" } else { "backward" })
}

impl State {
    fn machine(&mut self, env: &Environment) {
        let known = |fact: Option<&String>, otherwise: &str| {
            fact.map(|text| clean(text)).unwrap_or_else(|| otherwise.to_owned())
        };
        let arch = Some(&env.arch).filter(|arch| !arch.is_empty());
        let cpu = env.cpu.model.as_ref().or(env.cpu.signature.as_ref()).or(arch);
        // The files of the fleet's SQL name kinds alike.
        let cpu = known(cpu, "unknown");
        let hypervisor = known(env.hypervisor.as_ref().map(|it| &it.name), "none");
        let kernel = known(env.kernel.as_ref(), "unknown");
        let kind = [cpu.as_str(), &hypervisor, &kernel].join(" · ");
        let libc = known(env.c_library.as_ref(), "unknown");
        self.table.clear(&MACHINE);
        let labels = vec![
            ("kind", kind),
            ("cpu", cpu),
            ("hypervisor", hypervisor),
            ("kernel", kernel),
            ("libc", libc),
        ];
        *self.table.number(&MACHINE, labels) = 1.0;
        self.table.clear(&CLOCK_SOURCE);
        if let Some(source) = &env.clocksource {
            *self.table.number(&CLOCK_SOURCE, label("source", &clean(&source.current))) = 1.0;
        }
        *self.table.number(&BUILD, label("version", env!("CARGO_PKG_VERSION"))) = 1.0;
    }

    fn clocks(&mut self, report: &Report) {
        if report.clocks.is_empty() {
            return;
        }
        for family in [&READ, &RESOLUTION, &VDSO_FALLBACK, &CORE_SHARED] {
            self.table.clear(family);
        }
        for clock in &report.clocks {
            let user_space = in_user_space(report, clock);
            let path = match clock.facts.map(|facts| facts.reads) {
                Some(Reads::Counter) => Some("instruction"),
                Some(Reads::Vdso) if user_space != Some(false) => Some("vdso"),
                Some(Reads::Vdso | Reads::SystemCall) => Some("syscall"),
                _ => None,
            };
            let of_clock = || label("clock", &clean(&clock.id));
            if let (Some(ns), Some(path)) = (clock.read_ns(), path) {
                let labels = [of_clock(), label("path", path)].concat();
                *self.table.number(&READ, labels) = ns / NS;
            }
            // Another path to a clock has the clock's resolution.
            if let Some(ns) = clock.step_ns().filter(|_| clock.alternative_to.is_none()) {
                *self.table.number(&RESOLUTION, of_clock()) = ns / NS;
            }
            if let Some(user_space) = user_space {
                *self.table.number(&VDSO_FALLBACK, of_clock()) = f64::from(u8::from(!user_space));
            }
            if let Some(backwards) = &clock.backwards {
                *self.table.number(&BACKWARDS, of_clock()) += backwards.violations as f64;
            }
        }
        let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
        if let Some(shared) = noise.and_then(|noise| noise.shared) {
            *self.table.number(&CORE_SHARED, Labels::new()) = shared;
        }
    }

    /// What is known of the processor's counter beyond its reads.
    fn counter(&mut self, report: &Report) {
        let env = &report.environment;
        if let Some(pair) = env.across_cpus.as_ref().and_then(|across| across.worst()) {
            let offset = (pair.low_ns + pair.high_ns) / 2.0;
            *self.table.number(&OFFSET, Labels::new()) = offset / NS;
            let uncertainty = (pair.high_ns - pair.low_ns) / 2.0;
            *self.table.number(&OFFSET_UNCERTAINTY, Labels::new()) = uncertainty / NS;
        }
        let compared = env.counter_rates().iter().filter_map(|rate| rate.compared.as_ref());
        let id = counter_id(report);
        let by_ruler = compared.filter(|it| it.standing == Standing::Independent);
        let by_ruler = by_ruler.filter_map(|it| Some((id, it.with.as_str(), it.difference_ppm?)));
        let rates = report.trust.iter().flat_map(|trust| &trust.rates);
        let watched = rates.filter(|rate| rate.standing == Standing::Independent);
        let watched = watched.map(|rate| (rate.id.as_str(), rate.against.as_str(), rate.ppm));
        let errors: Vec<_> = by_ruler.chain(watched).collect();
        if !errors.is_empty() {
            self.table.clear(&FREQUENCY_ERROR);
        }
        for (clock, reference, ppm) in errors {
            let labels =
                [label("clock", &clean(clock)), label("reference", &clean(reference))].concat();
            *self.table.number(&FREQUENCY_ERROR, labels) = ppm / 1e6;
        }
    }

    /// What happened to the clocks while a run watched them.
    fn watched(&mut self, report: &Report) {
        let Some(trust) = &report.trust else {
            return;
        };
        for watch in &trust.clocks {
            let clock = label("clock", &clean(&watch.id));
            *self.table.number(&BACKWARDS, clock) += watch.ordered().violations as f64;
        }
        if let Some(wall) = &trust.wall {
            for step in &wall.steps {
                *self.table.number(&STEPS, direction(step.by_ns > 0.0)) += 1.0;
            }
            *self.table.number(&SUSPEND, Labels::new()) += wall.suspended_ns.unwrap_or(0.0) / NS;
        }
        let pauses = trust.watched.pauses.iter();
        let stalls = pauses.filter(|pause| pause.paused == Paused::Machine);
        *self.table.number(&STALL, Labels::new()) += stalls.map(|pause| pause.ns / NS).sum::<f64>();
    }

    /// How far the wall clock is from others.
    fn against(&mut self, against: &Against) {
        for family in [&CLOCK_OFFSET, &CLOCK_ERROR, &REFERENCE] {
            self.table.clear(family);
        }
        if let Some(wall) = &against.wall_ns {
            let [offset, error] = wall.middle().map(|ns| ns / NS);
            *self.table.number(&CLOCK_OFFSET, Labels::new()) = offset;
            *self.table.number(&CLOCK_ERROR, Labels::new()) = error;
        }
        for source in &against.sources {
            let state = match (source.unavailable_reason.is_some(), source.agrees) {
                _ if source.wall_ns.is_none() => "silent",
                (_, Some(false)) => "contradicted",
                (true, _) => "lost",
                (_, Some(true)) => "agrees",
                (_, None) => "alone",
            };
            let labels = [label("source", &clean(&source.id)), label("state", state)].concat();
            *self.table.number(&REFERENCE, labels) = 1.0;
        }
    }

    fn wait(&mut self, wait: &Wait) {
        let Some(requested) = wait.requested_ns.filter(|_| wait.available) else {
            return;
        };
        // Their lateness is that of the quota, not of the method.
        if wait.throttled.is_some_and(|throttled| throttled.periods > 0) {
            *self.table.number(&SKIPPED, label("reason", THROTTLED_WAITS)) += wait.samples as f64;
            return;
        }
        // A report from a file may hold a histogram that is none.
        let Ok(overshoot) = wait.overshoot.decode() else {
            return;
        };
        let requested = format!("{}", requested as f64 / NS);
        let labels = [label("method", &clean(&wait.id)), label("requested", &requested)].concat();
        let histogram = self.table.histogram(&OVERSHOOT, labels);
        for step in overshoot.iter_recorded() {
            let seconds = step.value_iterated_to() as f64 / NS;
            histogram.add(seconds, step.count_since_last_iteration());
        }
        for part in wait.why.as_ref().and_then(Why::all).iter().flat_map(|all| &all.parts) {
            let seconds = part.ns as f64 / NS;
            *self.table.number(&LATE, label("cause", part.cause.name())) += seconds;
        }
    }

    fn faults(&mut self, report: &Report) {
        let sort = match report {
            _ if !report.checks.is_empty() => Sort::Machine,
            _ if !report.clocks.is_empty() => Sort::Clocks,
            _ if !report.waits.is_empty() => Sort::Waits,
            _ => Sort::Machine,
        };
        let of_machine = report.findings.iter().filter(|it| it.about == About::Machine);
        let found = of_machine.filter(|it| it.is_found());
        let found = found.map(|it| (clean(&it.id), it.level.name())).collect();
        self.found.insert(sort, found);
        self.table.numbers(&FAULT).for_each(|value| *value = 0.0);
        for (id, level) in self.found.values().flatten() {
            let labels = [label("id", id), label("level", level)].concat();
            *self.table.number(&FAULT, labels) = 1.0;
        }
        if !report.checks.is_empty() {
            for outcome in Outcome::ALL {
                let of = |check: &&Check| check.outcome == outcome;
                let count = report.checks.iter().filter(of).count();
                *self.table.number(&CHECKS, label("status", outcome.name())) = count as f64;
            }
        }
    }
}

/// The id of the processor's counter; that of the ruler if no clock reads it.
fn counter_id(report: &Report) -> &str {
    let counter = report.clocks.iter().find(|clock| clock.reads(Reads::Counter));
    let ruler = || report.ruler.as_ref().filter(|ruler| ruler.is_counter).map(|it| it.id.as_str());
    counter.map(|clock: &Clock| clock.id.as_str()).or_else(ruler).unwrap_or("counter")
}

// The metrics: names, types and help, as a scrape shows them.

/// What the rows of a metric are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        }
    }
}

/// All rows of one name. A counter's name is without the `_total` that it is shown with.
#[derive(Debug)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

impl Family {
    /// The name of its rows; OpenMetrics describes a counter without the suffix.
    pub fn full_name(&self) -> String {
        let suffix = if self.kind == Kind::Counter { "_total" } else { "" };
        format!("{}{suffix}", self.name)
    }
}

macro_rules! families {
    ($($id:ident $kind:ident $name:literal $help:literal)*) => {
        $(pub const $id: Family =
            Family { name: $name, kind: Kind::$kind, help: $help };)*

        /// In the order in which they are shown.
        pub static ALL: &[&Family] = &[$(&$id),*];
    };
}

families! {
    READ Gauge "chronoscope_read_duration_seconds"
        "Cost of a read of the clock, back to back, by the path that it takes"
    RESOLUTION Gauge "chronoscope_resolution_seconds"
        "Smallest change of the clock that was seen, or that its interface states"
    VDSO_FALLBACK Gauge "chronoscope_vdso_fallback"
        "Whether a clock that the vDSO can answer for is read by a system call"
    OVERSHOOT Histogram "chronoscope_wait_overshoot_seconds"
        "How late waits ended, without those during which the control group was throttled"
    LATE Counter "chronoscope_wait_late_seconds"
        "Overshoot of waits by its cause"
    OFFSET Gauge "chronoscope_cross_cpu_offset_seconds"
        "Difference between the counters of the two CPUs that differ most"
    OFFSET_UNCERTAINTY Gauge "chronoscope_cross_cpu_offset_uncertainty_seconds"
        "The difference may be this much smaller or larger"
    FREQUENCY_ERROR Gauge "chronoscope_frequency_error_ratio"
        "How much faster the clock runs than a reference with another oscillator"
    CLOCK_OFFSET Gauge "chronoscope_clock_offset_seconds"
        "How far the wall clock is ahead of the time that the other clocks prove"
    CLOCK_ERROR Gauge "chronoscope_clock_error_bound_seconds"
        "The offset is at most this much smaller or larger"
    REFERENCE Gauge "chronoscope_reference_state"
        "1 for each clock that is asked, with what came of it"
    BACKWARDS Counter "chronoscope_backwards"
        "Reads of the clock that were less than the read before"
    STEPS Counter "chronoscope_steps"
        "Steps of the wall clock"
    STALL Counter "chronoscope_stall_seconds"
        "Time for which the machine stood still"
    SUSPEND Counter "chronoscope_suspend_seconds"
        "Time for which the machine was suspended"
    THROTTLED Counter "chronoscope_throttled_seconds"
        "Time for which a CPU quota stopped the control group of the process"
    CORE_SHARED Gauge "chronoscope_core_shared_ratio"
        "Share of the time in which something else ran on the core that was measured on"
    FAULT Gauge "chronoscope_fault"
        "1 while the fault is found, 0 afterwards"
    CHECKS Gauge "chronoscope_checks"
        "Faults that were looked for, by what came of it"
    MACHINE Gauge "chronoscope_machine_info"
        "The machine; its kind is made of processor, hypervisor and kernel"
    CLOCK_SOURCE Gauge "chronoscope_clock_source_info"
        "The clock source that the kernel keeps time with"
    BUILD Gauge "chronoscope_build_info"
        "The version of chronoscope"
    LAST Gauge "chronoscope_last_measurement_timestamp_seconds"
        "When a measurement was last finished, since the epoch"
    PENDING Gauge "chronoscope_pending"
        "1 until a measurement was made for the first time, and no row afterwards"
    SKIPPED Counter "chronoscope_skipped"
        "Measurements that were not made, or not used, by reason"
    BUDGET Gauge "chronoscope_cpu_budget_ratio"
        "Share of one CPU that measuring may take"
    MEASURING Counter "chronoscope_measuring_cpu_seconds"
        "CPU time that measuring has taken"
    PROCESS_CPU Counter "process_cpu_seconds"
        "CPU time of the process, user and system"
    PROCESS_RESIDENT Gauge "process_resident_memory_bytes"
        "Resident memory of the process"
    PROCESS_START Gauge "process_start_time_seconds"
        "When the process started, since the epoch"
    PROCESS_FDS Gauge "process_open_fds"
        "Open file descriptors of the process"
    PROCESS_THREADS Gauge "process_threads"
        "Threads of the process"
}
