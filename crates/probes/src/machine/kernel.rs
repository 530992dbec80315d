//! The system, its kernel, and the boot parameters that concern time.

use chronoscope_model::Environment;

use super::printable::printable;
use super::root::Root;

/// Boot parameters that change how time is kept or how a CPU wakes up (kernel,
/// `Documentation/admin-guide/kernel-parameters.txt`). No others are shown, because a command line
/// can contain private data.
const PARAMETERS: &[&str] = &[
    "clock",
    "clocksource",
    "tsc",
    "notsc",
    "hpet",
    "nohpet",
    "acpi_pm_good",
    "pmtmr",
    "vdso",
    "vdso32",
    "highres",
    "nohz",
    "nohz_full",
    "isolcpus",
    "rcu_nocbs",
    "idle",
    "cpuidle.off",
    "cpuidle.governor",
    "cpuidle_haltpoll.force",
    "haltpoll.guest_halt_poll_ns",
    "intel_idle.max_cstate",
    "processor.max_cstate",
    "intel_pstate",
    "amd_pstate",
    "cpufreq.default_governor",
    "cpufreq.off",
    "lapic",
    "nolapic",
    "nolapic_timer",
    "apic",
    "noapic",
    "acpi",
    "no-kvmclock",
    "no-kvmclock-vsyscall",
    "no-steal-acc",
    "no_timer_check",
    "skew_tick",
    "lapic_timer_c2_ok",
    "preempt",
    "threadirqs",
    "clocksource.arm_arch_timer.evtstrm",
    "clocksource-wdtest.holdoff",
    "clocksource.verify_n_cpus",
    "clocksource.max_cswd_read_retries",
    "mitigations",
    "nosmt",
];

/// Fills in the system, its kernel, and the boot parameters.
pub fn fill(root: &Root, env: &mut Environment) {
    let process = root.process();
    env.os = distribution(root)
        .or_else(|| process.sysname.clone())
        // The facts of another machine never come from this one.
        .or_else(|| root.is_host().then(|| std::env::consts::OS.to_owned()))
        .unwrap_or_default();
    env.kernel = process
        .release
        .clone()
        .or_else(|| root.text("/proc/sys/kernel/osrelease").ok().map(|text| printable(&text)));
    match root.text("/proc/cmdline") {
        Ok(line) => env.parameters = parameters(&line),
        Err(why) => env.not_known("boot parameters", format!("/proc/cmdline: {why}")),
    }
}

/// The distribution's own name (freedesktop.org, os-release(5)).
fn distribution(root: &Root) -> Option<String> {
    let text = root.text("/etc/os-release").or_else(|_| root.text("/usr/lib/os-release")).ok()?;
    let value = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        let value = printable(value.trim().trim_matches(['"', '\'']));
        (!value.is_empty()).then_some(value)
    };
    value("PRETTY_NAME").or_else(|| value("NAME"))
}

/// The words of a kernel command line that concern time. Those after `--` are for init.
pub(super) fn parameters(line: &str) -> Vec<String> {
    line.split_whitespace()
        .take_while(|word| *word != "--")
        .filter(|word| {
            let name = word.split('=').next().unwrap_or(word);
            PARAMETERS.contains(&name)
        })
        .map(|word| word.chars().filter(|c| !c.is_control()).take(120).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parameters_that_concern_time_are_shown() {
        let line = "root=/dev/sda1 tsc=reliable password=x clocksource=hpet -- tsc=init";
        assert_eq!(parameters(line), ["tsc=reliable", "clocksource=hpet"]);
    }
}
