//! The head of the main screen: the machine and the ruler in one block.

use super::facts::{bound, exact_hz, known, ppm, round_hz, unknown};
use super::number::{count, percent, plural, three};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::{Report, units};

/// The block.
pub(super) fn render(screen: &mut Screen<'_>, report: &Report, style: &Style) {
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
        ("core".into(), core(report)),
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
        Some(vdso) if vdso.present => match source_by_vdso(env) {
            Some(true) => "read in user space by the vDSO".into(),
            Some(false) => style.paint(Tone::Warn, "beyond the vDSO: each read is a system call"),
            None => "vDSO present".into(),
        },
        Some(_) => style.paint(Tone::Warn, "no vDSO: each read is a system call"),
        None => format!("vDSO {}", unknown(env, &["vdso"])),
    });
    parts.join(style.dot())
}

/// Whether the vDSO can read the clock source: on x86 the TSC, kvm-clock and Hyper-V's page
/// (Linux, arch/x86/include/asm/vdso/clocksource.h), on Arm the generic timer.
fn source_by_vdso(env: &Environment) -> Option<bool> {
    match env.clocksource.as_ref()?.current.trim() {
        "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page" | "arch_sys_counter" => Some(true),
        "hpet" | "acpi_pm" | "jiffies" | "xen" => Some(false),
        _ => None,
    }
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
    let parts = [
        clean(&ruler.id),
        format!("rate {}{}", style.plus_minus(), bound(ruler.hz_error_ppm)),
        format!("cost {} ns", three(ruler.cost_ns)),
    ];
    parts.join(style.dot())
}

/// The processor that was measured on, and the frequency of its core.
fn core(report: &Report) -> String {
    let Some(ruler) = &report.ruler else {
        return "none was measured on".into();
    };
    let cpu = match ruler.cpu {
        Some(cpu) => format!("CPU {cpu}"),
        None => "not pinned".into(),
    };
    let ghz = |hz: f64| format!("{:.2}", hz / 1e9);
    match ruler.noise.core.filter(|core| core.hz.is_finite()) {
        Some(core) => {
            let (usual, low, high) = (ghz(core.hz), ghz(core.low_hz), ghz(core.high_hz));
            format!("{cpu} at {usual} GHz ({low} to {high}), and the figures are for {usual}")
        }
        None => format!("{cpu}, at a frequency that could not be told"),
    }
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
        Some(0.0) => parts.push("no steal".into()),
        Some(ms) if ms.is_finite() => parts.push(format!("steal {}", units::human_ns(ms * 1e6))),
        _ => parts.push("steal unknown".into()),
    }
    parts.join(style.dot())
}
