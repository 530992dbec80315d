//! Power and frequency (kernel, `Documentation/ABI/testing/sysfs-class-power` and
//! `Documentation/admin-guide/pm/{cpufreq,cpuidle}.rst`).

use std::collections::BTreeSet;

use chronoscope_model::Environment;
use chronoscope_model::environment::IdleState;

use super::os;
use super::root::Root;
use super::root::printable;

const CPUS: &str = "/sys/devices/system/cpu";
/// Kernels before 5.18 may take 20 ms to report the frequency of one CPU, because they must sample
/// it first; then the first few stand for all. A recording is read without delay.
const PATIENCE_NS: u64 = 4_000_000;

/// Fills in the power source, the frequency and the idle states.
pub fn fill(root: &Root, env: &mut Environment) {
    env.power.source = source(root);
    idle(root, env);
    frequency(root, env);
}

/// `mains` if any supply is online; `battery` if none is and a battery discharges. Batteries of
/// mice and the like (scope `Device`) do not power the machine.
pub(super) fn source(root: &Root) -> Option<String> {
    const FOLDER: &str = "/sys/class/power_supply";
    let (mut mains, mut battery) = (false, false);
    for supply in root.names(FOLDER).into_iter().take(64) {
        let read = |key: &str| root.text(&format!("{FOLDER}/{supply}/{key}")).ok();
        if read("scope").as_deref() == Some("Device") {
            continue;
        }
        match read("type").as_deref() {
            Some("Mains" | "USB" | "Wireless") => {
                mains |= read("online").is_some_and(|on| on != "0")
            }
            Some("Battery") => battery |= read("status").as_deref() == Some("Discharging"),
            _ => {}
        }
    }
    match (mains, battery) {
        (true, _) => Some("mains".to_owned()),
        (false, true) => Some("battery".to_owned()),
        (false, false) => None,
    }
}

fn idle(root: &Root, env: &mut Environment) {
    let driver = root.text(&format!("{CPUS}/cpuidle/current_driver")).ok();
    env.power.idle_driver = driver.map(|name| printable(&name));
    let folder = format!("{CPUS}/cpu0/cpuidle");
    for state in root.names(&folder).into_iter().filter(|name| name.starts_with("state")).take(32) {
        let Ok(name) = root.text(&format!("{folder}/{state}/name")) else {
            continue;
        };
        env.power.idle_states.push(IdleState {
            name: printable(&name),
            latency_us: root.number(&format!("{folder}/{state}/latency")).unwrap_or(0),
            disabled: root.number(&format!("{folder}/{state}/disable")).is_some_and(|v| v != 0),
        });
    }
}

fn frequency(root: &Root, env: &mut Environment) {
    let begin = os::monotonic_ns();
    let folder = format!("{CPUS}/cpufreq");
    let policies: Vec<String> =
        root.names(&folder).into_iter().filter(|name| name.starts_with("policy")).collect();
    let (mut governors, mut drivers) = (BTreeSet::new(), BTreeSet::new());
    let mut range = None;
    for (asked, policy) in policies.iter().enumerate() {
        let read = |key: &str| root.text(&format!("{folder}/{policy}/{key}")).ok();
        governors.extend(read("scaling_governor").map(|name| printable(&name)));
        drivers.extend(read("scaling_driver").map(|name| printable(&name)));
        let khz = root.number(&format!("{folder}/{policy}/scaling_cur_freq"));
        if let Some(khz) = khz.filter(|khz| *khz > 0) {
            widen(&mut range, khz as f64 * 1e3);
        }
        if root.is_host()
            && os::monotonic_ns().wrapping_sub(begin) > PATIENCE_NS
            && asked + 1 < policies.len()
        {
            env.not_known(
                "power",
                format!(
                    "only {} of {} frequency policies were read, because the kernel is slow to \
                     answer",
                    asked + 1,
                    policies.len()
                ),
            );
            break;
        }
    }
    env.power.governor = joined(governors);
    env.power.frequency_driver = joined(drivers);
    if range.is_none() {
        // Without a driver, the kernel still reports what it assumes, here in megahertz.
        let info = root.cpuinfo();
        for line in info.lines() {
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            if key.trim() == "cpu MHz"
                && let Ok(mhz) = value.trim().parse::<f64>()
                && mhz.is_finite()
                && mhz > 0.0
            {
                widen(&mut range, mhz * 1e6);
            }
        }
    }
    env.power.frequency_hz = range;
}

fn widen(range: &mut Option<[f64; 2]>, hz: f64) {
    let [low, high] = range.unwrap_or([hz, hz]);
    *range = Some([low.min(hz), high.max(hz)]);
}

fn joined(names: BTreeSet<String>) -> Option<String> {
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| names.join(", "))
}
