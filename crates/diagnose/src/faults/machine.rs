//! The machine around the clocks: power and frequency, and the core's other hardware thread; what a
//! hypervisor does to a virtual machine; and what was different while a run measured: other work,
//! and changed settings.

use super::fault::{Clear, Evidence, Found, Looked, clear_if, found, ran, ruler, trust, why};
use super::kernel_log::{also_logged, logged};
use crate::reading::short;
use crate::run;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::run::Noise;
use chronoscope_model::trust::{Pause, Paused};
use chronoscope_model::units::{count, human_ns, percent, plural};
use chronoscope_model::waits::{Kind, Load, Wait};
use chronoscope_model::{Certainty, Level, Report, change};

pub(super) fn frequency_changed(report: &Report) -> Looked {
    let Some(core) = ruler(report)?.noise.core else {
        return Ok(Clear);
    };
    if !run::frequency_changed(&core) {
        return Ok(Clear);
    }
    let [usual, low, high] = [core.hz, core.low_hz, core.high_hz].map(|hz| hz / 1e9);
    let text = format!("usually {usual:.2} GHz, {low:.2} to {high:.2} GHz in 98 % of the rounds");
    Ok(found(Level::Info, [text]))
}

pub(super) fn governor_powersave(report: &Report) -> Looked {
    /// Drivers whose `powersave` follows the load.
    const ACTIVE: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];
    let power = &report.environment.power;
    let otherwise = "the system names no frequency governor";
    let governor = power.governor.as_deref().ok_or_else(|| why(report, "power", otherwise))?;
    let driver = power.frequency_driver.as_deref().unwrap_or("unknown");
    if governor != "powersave" || ACTIVE.contains(&driver) {
        return Ok(Clear);
    }
    let evidence = [format!("scaling_governor: {governor}"), format!("scaling_driver: {driver}")];
    Ok(found(Level::Warning, evidence))
}

pub(super) fn on_battery(report: &Report) -> Looked {
    let otherwise = "the system does not name its power source";
    let source = report.environment.power.source.as_deref();
    let source = source.ok_or_else(|| why(report, "power", otherwise))?;
    Ok(found(Level::Info, (source == "battery").then(|| format!("power source: {source}"))))
}

pub(super) fn smt_sibling_busy(report: &Report) -> Looked {
    /// Below this share of rounds, a neighbour costs no more than an interrupt does.
    const SHARE: f64 = 0.05;
    let ruler = ruler(report)?;
    let share = ruler.noise.shared.filter(|share| share.is_finite() && *share >= SHARE);
    let Some(share) = share else {
        return Ok(Clear);
    };
    let whose = match (&report.environment.hypervisor, ruler.siblings.as_slice()) {
        (Some(_), _) => "this is a virtual machine: it is another tenant on this core, or another \
                         CPU of this machine"
            .into(),
        (None, []) => "the system names no other CPU of this core".into(),
        (None, siblings) => {
            let names: Vec<String> = siblings.iter().map(ToString::to_string).collect();
            format!("the same core is also CPU {}", names.join(", "))
        }
    };
    let seen = format!(
        "independent additions took at least 6 % longer than on an unshared core in {} of the \
         rounds, and dependent ones did not",
        percent(share)
    );
    let counted = report.clocks.iter().any(|clock| {
        let costs = [&clock.cost.throughput, &clock.cost.latency];
        costs.into_iter().flatten().any(|cost| cost.only_shared)
    });
    let evidence = [seen].into_iter().chain(most_affected(report)).chain([whose]);
    Ok(found(if counted { Level::Warning } else { Level::Info }, evidence))
}

/// The clock whose cost differs most between a core that is shared and one that is not.
fn most_affected(report: &Report) -> Option<String> {
    let costs = report.clocks.iter().filter_map(|clock| {
        let cost = clock.cost.throughput.as_ref()?;
        let shared_ns = cost.shared_ns?;
        let ratio = shared_ns / cost.value_ns;
        // If every round was shared, the cost on an unshared core is not known.
        let known = ratio.is_finite() && !cost.below_resolution && !cost.only_shared;
        Some((clock, cost.human()?, shared_ns, ratio)).filter(|_| known)
    });
    let (clock, alone, shared, _) = costs.max_by(|a, b| a.3.total_cmp(&b.3))?;
    Some(format!("{}: {alone} alone, {} while it was busy", clock.id, human_ns(shared)))
}

pub(super) fn noisy_neighbour(report: &Report) -> Looked {
    /// Steal above this share of the CPUs' time disturbs a run: at one in a hundred, the 99th
    /// percentile of anything that lasts longer than a time slice is the hypervisor's.
    const SHARE: f64 = 0.01;
    let env = &report.environment;
    let cpus = env.cpu.logical;
    let seconds = report.run.seconds;
    let stolen = ruler(report)?.noise.steal_ms.and_then(|ms| {
        let share = ms / (seconds * 1e3 * cpus.max(1) as f64);
        let much = share.is_finite() && share > SHARE;
        much.then(|| {
            let (cpus, share) = (plural(cpus as u64, "CPU", "CPUs"), percent(share));
            format!(
                "/proc/stat: {ms:.0} ms of steal in a run of {seconds:.1} s on {cpus} ({share})"
            )
        })
    });
    let unknown = "the hypervisor does not report steal (CPUID 0x40000001 EAX[5]=0)";
    clear_if(env.steal_is_reported().then_some(()).ok_or(unknown), found(Level::Warning, stolen))
}

pub(super) fn vm_migrated(report: &Report) -> Looked {
    let clock = report.trust.as_ref().and_then(|trust| trust.watched.vmclock.as_ref());
    let clock = clock.ok_or("there is no /dev/vmclock0 to read")?;
    let [before, after] = clock.disruption_marker;
    let moved = before != after && !clock.restored();
    let text = || format!("/dev/vmclock0: disruption_marker {before}, later {after}");
    Ok(found(Level::Warning, moved.then(text)))
}

pub(super) fn vm_paused(report: &Report) -> Looked {
    /// The shortest pause that can be distinguished from a busy host, in nanoseconds.
    const LEAST_NS: f64 = 100e6;
    /// A pause that timeouts notice, in nanoseconds.
    const GRAVE_NS: f64 = 1e9;
    /// The most pauses that are named; the longest come first.
    const NAMED: usize = 4;
    if report.environment.hypervisor.is_some()
        && let Some(look) = also_logged(report, Level::Info, "vm-paused")
    {
        return Ok(look);
    }
    let watched = &trust(report)?.watched;
    let paused = |pause: &&Pause| pause.paused == Paused::Machine && pause.ns > LEAST_NS;
    let pauses = watched.pauses.iter().filter(paused);
    let all = pauses.clone().map(|pause| pause.ns);
    let longest = all.chain(watched.standstills.iter().map(|one| one.ns)).reduce(f64::max);
    let standstills = watched.standstills.iter().take(NAMED).map(|one| {
        let (at_s, id) = (one.at_s, &one.id);
        let [by, within] = [one.ns.round(), one.tolerance_ns].map(short);
        format!(
            "until {at_s:.1} s: {id} advanced by {by}, to within {within}, and all other clocks \
             stood still"
        )
    });
    let pauses = pauses.take(NAMED).map(|pause| {
        let stolen = pause.steal_ns.filter(|ns| *ns > 0.0);
        let stolen = stolen.map_or(String::new(), |ns| format!(", steal {}", short(ns)));
        format!("until {:.1} s: {}{stolen}", pause.at_s, short(pause.ns.round()))
    });
    let grave = longest.is_some_and(|ns| ns > GRAVE_NS);
    Ok(found(if grave { Level::Warning } else { Level::Info }, standstills.chain(pauses)))
}

pub(super) fn vm_restored(report: &Report) -> Looked {
    let clock = report.trust.as_ref().and_then(|trust| trust.watched.vmclock.as_ref());
    let restored = clock.filter(|clock| clock.restored()).and_then(|clock| clock.generation);
    let Some([before, after]) = restored else {
        let look = logged(report, Level::Info, "vm-restored")?;
        let there = clock.is_some();
        return Ok(look.act(if there { "vm-restored" } else { "vm-restored/only-logged" }));
    };
    let evidence = format!("/dev/vmclock0: vm_generation_counter {before}, later {after}");
    Ok(found(Level::Warning, [evidence]).certain(Some(Certainty::Measured)))
}

/// Fewer batches than this prove nothing.
const ENOUGH: u64 = 50;

pub(super) fn changed_during_run(report: &Report) -> Looked {
    // A change of the clock source is a fault of its own.
    let changes = report.run.changed.iter().filter(|it| it.fact != change::CLOCK_SOURCE);
    let text = |it: &change::Change| format!("{}: {}, later {}", it.fact, it.before, it.after);
    clear_if(ran(report), found(Level::Warning, changes.map(text)))
}

pub(super) fn noisy_machine(report: &Report) -> Looked {
    let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
    let watched = noise.is_some_and(|it| {
        it.run_queue_ms.is_some() || (it.batches >= ENOUGH && it.involuntary_switches.is_some())
    });
    // The tool's own load is not noise.
    let loaded: f64 = report.load_runs.iter().map(|run| run.seconds).sum();
    let queued = noise.and_then(|noise| queued(noise, report.run.seconds - loaded));
    let disturbed = noise.and_then(disturbed);
    let spins = [late(report), starved(report)];
    let measured = [queued, disturbed, varied(report), taken(report)].into_iter().chain(spins);
    let seen = match found(Level::Warning, measured.flatten()) {
        Clear if !watched && overloaded(report) => Found(Evidence {
            level: Level::Info,
            certainty: Some(Certainty::Evidence),
            lines: Vec::new(),
            fix: None,
        }),
        looked => looked,
    };
    let own = report.noise.is_some() || report.watched.is_some();
    let judged = if own { Ok(()) } else { ruler(report).map(|_| ()) };
    let look = clear_if(judged, seen)?;
    let switches = noise.and_then(|noise| noise.involuntary_switches);
    let (one, many) = ("involuntary context switch", "involuntary context switches");
    Ok(look.and(load(report)).and(switches.map(|n| plural(n, one, many))))
}

/// The measuring thread had to wait for its CPU.
fn queued(noise: &Noise, seconds: f64) -> Option<String> {
    /// A thread that waits for its CPU for this share of a run shares it: kernel threads and
    /// interrupts of an idle machine take less than 1 %.
    const QUEUED: f64 = 0.03;
    let (queued_ms, whole_ms) = (noise.run_queue_ms?, seconds * 1e3);
    let much = queued_ms.is_finite() && whole_ms > 0.0 && queued_ms / whole_ms > QUEUED;
    let [queued, whole] = [queued_ms, whole_ms].map(|ms| human_ns(ms * 1e6));
    much.then(|| format!("the tool waited {queued} of {whole} for the CPU"))
}

fn disturbed(noise: &Noise) -> Option<String> {
    /// Above this share of disturbed batches, the others are disturbed too: what evicts a thread
    /// also evicts its caches, which no counter of context switches shows.
    const SHARE: f64 = 0.05;
    let share = noise.disturbed as f64 / noise.batches.max(1) as f64;
    (noise.batches >= ENOUGH && share > SHARE).then(|| {
        let batches = plural(noise.batches, "batch", "batches");
        format!("{} of {batches} disturbed ({})", count(noise.disturbed), percent(share))
    })
}

/// The same work took a different time again and again.
fn varied(report: &Report) -> Option<String> {
    /// A benchmark whose medians vary by more cannot show a change of 5 %.
    const VARIED: f64 = 0.02;
    let noise = report.noise.as_ref()?;
    let (count, share) = (noise.median_of, percent(noise.good_to));
    (noise.good_to > VARIED)
        .then(|| format!("medians of {count} samples of the same work vary by ±{share}"))
}

/// Other work had the CPUs of a command that was watched, or of samples of the same work.
fn taken(report: &Report) -> Option<String> {
    /// As for the tool's own thread.
    const TAKEN: f64 = 0.03;
    let command = report.watched.as_ref().and_then(|watched| watched.taken);
    let causes = report.noise.iter().flat_map(|noise| &noise.causes);
    let samples = causes.filter(|it| it.cause == "preempted").map(|it| it.lost);
    let all = command.map(|share| (share, "command")).into_iter();
    let mut all = all.chain(samples.map(|share| (share, "samples")));
    let (share, what) = all.find(|(share, _)| *share > TAKEN)?;
    Some(format!("others took {} of the time of the {what}", percent(share)))
}

/// A thread that never gave up its CPU was late, although the tool ran no load.
fn late(report: &Report) -> Option<String> {
    /// A thread that spins does not give up its CPU. If half of its waits end later than this, in
    /// nanoseconds, something else had the CPU.
    const LATE_NS: u64 = 100_000;
    // Too few waits give no median.
    let medians = spins(report).filter_map(|wait| Some((wait, wait.percentile(Percentile::P50)?)));
    let (worst, ns) = medians.max_by_key(|(_, ns)| *ns)?;
    let text =
        || format!("half of the waits by {} ended {} late or more", worst.id, short(ns as f64));
    (ns > LATE_NS).then(text)
}

/// A thread that never gave up its CPU got only a part of it, although the tool ran no load. Its
/// median shows nothing of that if it is late only once in each of its time slices.
fn starved(report: &Report) -> Option<String> {
    /// A spin on an idle machine gets more than 95 %, and the rest is the tool's own.
    const GOT: f64 = 0.9;
    // A quota stops a thread, too; one of real time rests, and a policy may make it yield.
    let free = |wait: &&Wait| {
        let ordinary = wait.policy.is_none() && !wait.scheduling.starts_with("fifo");
        ordinary && wait.throttled.is_none_or(|it| it.periods == 0)
    };
    let shares = spins(report).filter(free).filter_map(|wait| Some((wait, wait.cpu_share?)));
    let preempted = shares.filter(|(wait, _)| wait.involuntary_switches.is_some_and(|n| n > 0));
    let (worst, share) = preempted.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let text = || format!("{} spun, and got {} of its CPU", worst.id, percent(share));
    (share < GOT).then(text)
}

/// The waits of threads that never give up their CPU, without a load by the tool.
fn spins(report: &Report) -> impl Iterator<Item = &Wait> {
    let idle = report.waits.iter().filter(|wait| wait.available && wait.load == Load::None);
    idle.filter(|wait| wait.kind == Kind::Busy)
}

/// Whether more threads were ready to run than there are CPUs, on average over a minute.
fn overloaded(report: &Report) -> bool {
    let env = &report.environment;
    let cpus = env.cpu.logical;
    cpus > 0 && env.load.is_some_and(|[one, ..]| one > cpus as f64)
}

fn load(report: &Report) -> Option<String> {
    let [one, ..] = report.environment.load?;
    let on = match report.environment.cpu.logical as u64 {
        0 => String::new(),
        cpus => format!(" on {}", plural(cpus, "CPU", "CPUs")),
    };
    Some(format!("load average over one minute: {one:.2}{on}"))
}
