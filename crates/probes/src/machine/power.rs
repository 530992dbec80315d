//! Power and frequency (kernel, `Documentation/ABI/testing/sysfs-class-power` and
//! `Documentation/admin-guide/pm/{cpufreq,cpuidle}.rst`).
//!
//! How much energy the machine has used: the counters of its processors (kernel,
//! `Documentation/power/powercap/powercap.rst`), or what its batteries have left
//! (`Documentation/ABI/testing/sysfs-class-power`).

use super::cpu::CPUS;
use super::root::{Root, printable};
use crate::time::Instant;
use chronoscope_model::Environment;
use chronoscope_model::environment::IdleState;
use std::collections::BTreeSet;
use std::time::Duration;

/// Kernels before 5.18 may take 20 ms to report the frequency of one CPU, because they must sample
/// it first; then the first few stand for all. A recording is read without delay.
const PATIENCE: Duration = Duration::from_millis(4);

/// Fills in the power source, the frequency and the idle states.
pub fn fill(root: &Root, env: &mut Environment) {
    env.power.source = source(root);
    idle(root, env);
    frequency(root, env);
}

/// `mains` if any supply is online; `battery` if none is and a battery discharges. Batteries of
/// mice and the like (scope `Device`) do not power the machine.
pub(super) fn source(root: &Root) -> Option<String> {
    let (mut mains, mut battery) = (false, false);
    for supply in root.names(SUPPLIES).into_iter().take(64) {
        let read = |key: &str| root.text(&format!("{SUPPLIES}/{supply}/{key}")).ok();
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
    let begin = Instant::now();
    let folder = format!("{CPUS}/cpufreq");
    let policies: Vec<String> =
        root.names(&folder).into_iter().filter(|name| name.starts_with("policy")).collect();
    let (mut governors, mut drivers) = (BTreeSet::new(), BTreeSet::new());
    let mut hz = Vec::new();
    for (asked, policy) in policies.iter().enumerate() {
        let read = |key: &str| root.text(&format!("{folder}/{policy}/{key}")).ok();
        governors.extend(read("scaling_governor").map(|name| printable(&name)));
        drivers.extend(read("scaling_driver").map(|name| printable(&name)));
        let khz = root.number(&format!("{folder}/{policy}/scaling_cur_freq"));
        hz.extend(khz.filter(|khz| *khz > 0).map(|khz| khz as f64 * 1e3));
        if root.is_host() && begin.elapsed() > PATIENCE && asked + 1 < policies.len() {
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
    if hz.is_empty() {
        // Without a driver, the kernel still reports what it assumes, here in megahertz.
        let assumed = root.cpuinfo("cpu MHz").filter_map(|mhz| mhz.parse::<f64>().ok());
        hz.extend(assumed.filter(|mhz| mhz.is_finite() && *mhz > 0.0).map(|mhz| mhz * 1e6));
    }
    let ends = [f64::min, f64::max].map(|end| hz.iter().copied().reduce(end));
    env.power.frequency_hz = ends[0].zip(ends[1]).map(<[f64; 2]>::from);
}

fn joined(names: BTreeSet<String>) -> Option<String> {
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| names.join(", "))
}

const ZONES: &str = "/sys/class/powercap";
const SUPPLIES: &str = "/sys/class/power_supply";
/// The largest number of zones and supplies that are looked at.
const MOST: usize = 64;

/// Adds up the energy that the machine uses while it is read again and again.
#[derive(Clone, Debug)]
pub struct Meter {
    root: Root,
    counters: Vec<Counter>,
    total_uj: f64,
}

#[derive(Clone, Debug)]
struct Counter {
    name: String,
    path: String,
    /// Microjoules per unit; below zero for what is left, which shrinks.
    unit_uj: f64,
    /// The value after which it begins at 0 again; 0 if it does not.
    range: u64,
    last: u64,
}

impl Meter {
    /// The whole platform if it has a counter, or else all its processors, or else its batteries
    /// while they discharge.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn of(root: &Root) -> Result<Self, String> {
        let zones = zones(root);
        let mut counters = zones.clone().unwrap_or_default();
        if counters.is_empty() && source(root).as_deref() == Some("battery") {
            counters = batteries(root);
        }
        if counters.is_empty() {
            let none = || "no counter in /sys/class/powercap, and no battery discharges".into();
            return Err(zones.err().unwrap_or_else(none));
        }
        Ok(Self { root: root.clone(), counters, total_uj: 0.0 })
    }

    /// What is counted: `package-0 and package-1`.
    pub fn name(&self) -> String {
        let names: Vec<&str> = self.counters.iter().map(|it| it.name.as_str()).collect();
        names.join(" and ")
    }

    /// The energy since the meter was opened, in microjoules; `None` if it cannot be read now.
    pub fn total_uj(&mut self) -> Option<f64> {
        for counter in &mut self.counters {
            let now = self.root.number(&counter.path)?;
            let used = match now.checked_sub(counter.last) {
                Some(more) => more as f64,
                None if counter.range > 0 => {
                    (counter.range - counter.last.min(counter.range)) as f64 + now as f64
                }
                None => -((counter.last - now) as f64),
            };
            counter.last = now;
            self.total_uj += used * counter.unit_uj;
        }
        Some(self.total_uj)
    }
}

/// The zones that contain others: those of the platform, or of the processors.
fn zones(root: &Root) -> Result<Vec<Counter>, String> {
    let (mut found, mut unread) = (Vec::new(), None);
    // The same energy is counted in other folders too, by intel-rapl-mmio.
    let mut zones = root.names(ZONES);
    zones.sort_by_key(|zone| (zone.contains("mmio"), zone.clone()));
    for zone in zones.into_iter().take(MOST) {
        let read = |key: &str| root.text(&format!("{ZONES}/{zone}/{key}"));
        let Ok(name) = read("name") else { continue };
        let name = printable(&name);
        let whole = name == "psys" || name.starts_with("package-");
        if !whole || found.iter().any(|it: &Counter| it.name == name) {
            continue;
        }
        let path = format!("{ZONES}/{zone}/energy_uj");
        let text = root.text(&path).map_err(|why| format!("{path}: {why}"));
        let Ok(last) = text.as_deref().unwrap_or_default().trim().parse() else {
            unread = unread.or(text.err());
            continue;
        };
        let range = root.number(&format!("{ZONES}/{zone}/max_energy_range_uj")).unwrap_or(0);
        found.push(Counter { name, path, unit_uj: 1.0, range, last });
    }
    if found.iter().any(|it| it.name == "psys") {
        found.retain(|it| it.name == "psys");
    }
    match unread.filter(|_| found.is_empty()) {
        Some(why) => Err(why),
        None => Ok(found),
    }
}

fn batteries(root: &Root) -> Vec<Counter> {
    let mut found = Vec::new();
    for supply in root.names(SUPPLIES).into_iter().take(MOST) {
        let path = |key: &str| format!("{SUPPLIES}/{supply}/{key}");
        let is = |key: &str, word: &str| root.text(&path(key)).is_ok_and(|it| it.trim() == word);
        if !is("type", "Battery") || is("scope", "Device") {
            continue;
        }
        // In microwatt-hours.
        let Some(last) = root.number(&path("energy_now")) else { continue };
        let name = printable(&supply);
        found.push(Counter { name, path: path("energy_now"), unit_uj: -3600.0, range: 0, last });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn machine(folder: &Path, files: &[(&str, &str)]) -> Root {
        for (name, text) in files {
            let path = folder.join("root/sys/class").join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        }
        Root::recorded(folder).expect("a folder")
    }

    const TWO: [(&str, &str); 8] = [
        ("powercap/intel-rapl:0/name", "package-0\n"),
        ("powercap/intel-rapl:0/energy_uj", "900\n"),
        ("powercap/intel-rapl:0/max_energy_range_uj", "1000\n"),
        ("powercap/intel-rapl:0:0/name", "core\n"),
        ("powercap/intel-rapl:0:0/energy_uj", "7\n"),
        ("powercap/intel-rapl:1/name", "package-1\n"),
        ("powercap/intel-rapl:1/energy_uj", "10\n"),
        ("powercap/intel-rapl-mmio:0/name", "package-0\n"),
    ];

    #[test]
    fn processors_are_added_up_and_a_counter_begins_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = machine(folder.path(), &TWO);
        let mut meter = Meter::of(&root).expect("two processors");
        assert_eq!(
            (meter.name().as_str(), meter.total_uj()),
            ("package-0 and package-1", Some(0.0))
        );
        machine(
            folder.path(),
            &[("powercap/intel-rapl:0/energy_uj", "50"), ("powercap/intel-rapl:1/energy_uj", "30")],
        );
        assert_eq!(meter.total_uj(), Some(150.0 + 20.0));
    }

    #[test]
    fn the_whole_platform_comes_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let psys =
            [("powercap/intel-rapl:2/name", "psys"), ("powercap/intel-rapl:2/energy_uj", "4")];
        let root = machine(folder.path(), &[&TWO[..], &psys].concat());
        assert_eq!(Meter::of(&root).expect("a platform").name(), "psys");
    }

    #[test]
    fn a_battery_counts_while_it_discharges() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [
            ("power_supply/BAT0/type", "Battery\n"),
            ("power_supply/BAT0/energy_now", "50000\n"),
            ("power_supply/BAT0/status", "Charging\n"),
            ("power_supply/AC/type", "Mains\n"),
            ("power_supply/AC/online", "1\n"),
        ];
        let why = Meter::of(&machine(folder.path(), &files)).expect_err("it is charged");
        assert!(why.contains("no battery discharges"), "{why}");
        let unplugged =
            [("power_supply/BAT0/status", "Discharging"), ("power_supply/AC/online", "0")];
        let root = machine(folder.path(), &unplugged);
        let mut meter = Meter::of(&root).expect("a battery");
        machine(folder.path(), &[("power_supply/BAT0/energy_now", "49990")]);
        assert_eq!((meter.name().as_str(), meter.total_uj()), ("BAT0", Some(36_000.0)));
    }
}
