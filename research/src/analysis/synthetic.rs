//! A synthetic fleet: NDJSON with the keys that `load.sql` reads, made from checked-in reports,
//! with planted faults. Its machines and processors are named "synthetic", and its runs say so. The
//! same seed gives the same fleet.

use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh;
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::Path;
use xshell::{Shell, cmd};

/// A fleet of which each machine reports on two days, a week apart.
pub struct Fleet {
    pub machines: usize,
    pub seed: u64,
}

/// The names of the machines with each fault.
#[derive(Default)]
pub struct Planted {
    /// Fell back to HPET or the ACPI timer since last week.
    pub fallen: BTreeSet<String>,
    /// Have no vDSO: every read is a system call.
    pub calls: BTreeSet<String>,
    /// Twice as slow as others of their kind.
    pub slow: BTreeSet<String>,
    /// Have a new kernel since last week, whose system calls take 1.5 times as long.
    pub updated: BTreeSet<String>,
    /// Sleep 16 times as late as others.
    pub late: BTreeSet<String>,
    /// Have a wall clock that is behind.
    pub behind: BTreeSet<String>,
    /// Ask servers that disagree.
    pub doubtful: BTreeSet<String>,
}

/// The days on which the machines report, and one in between on which only some do.
const DAYS: [&str; 3] = ["2026-11-09", "2026-11-14", "2026-11-16"];
const PROCESSORS: [f64; 6] = [1.0, 0.8, 1.1, 0.9, 1.3, 1.05];
/// The hypervisors, with the clock source that is usual under each.
const HYPERVISORS: [(&str, &str); 3] =
    [("none", "tsc"), ("KVM", "kvm-clock"), ("Hyper-V", "hyperv_clocksource_tsc_page")];
const KERNELS: [&str; 3] = ["5.15.0", "6.1.0", "6.12.0"];
/// What a read of the HPET takes beyond a system call, in nanoseconds.
const DEVICE_NS: f64 = 1200.0;

/// The machines of a processor that no other has.
const RARE: Range<usize> = 40..45;

/// What a machine is made of: the records of one report, or of two that were made separately.
struct Base {
    /// Distinguishes its processors from those of other bases.
    number: usize,
    /// The runs: the screen, and whether it holds the clocks and the waits.
    runs: &'static [(&'static str, bool, bool)],
    environment: Value,
    clocks: Vec<Clock>,
    waits: Vec<Wait>,
    findings: Vec<Value>,
}

struct Clock {
    id: String,
    reads: Option<String>,
    /// The cost, and the ends of its interval.
    ns: [f64; 3],
}

struct Wait {
    /// The record without its buckets.
    record: Value,
    sleeps: bool,
    buckets: Vec<(u64, u64)>,
}

/// What is special about one run.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Fallen,
    Calls,
    Slow,
    Updated,
    Late,
    Behind,
    Doubtful,
    /// Everything takes three times as long, in a run that a later one replaces.
    Recovered,
}

impl Base {
    fn from_reports(sh: &Shell, tool: &Path, number: usize, files: &[&str]) -> Result<Self> {
        let mut records = Vec::new();
        for file in files {
            let text = sh::read(cmd!(sh, "{tool} report {file} --export ndjson=- --quiet"))?;
            for line in text.lines() {
                records.push(serde_json::from_str::<Value>(line)?);
            }
        }
        let of_kind =
            |kind: &'static str| records.iter().filter(move |record| record["record"] == kind);
        let pick = |from: &Value, keys: &[&str]| -> Value {
            let kept = keys.iter().filter_map(|key| Some((*key, from.get(key)?.clone())));
            kept.map(|(key, value)| (key.to_owned(), value))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let environment = of_kind("environment").next().context("no machine")?;
        let clocks = of_kind("clock").filter_map(|clock| {
            let cost = clock.get("cost")?.get("throughput")?;
            let ns = ["value_ns", "low_ns", "high_ns"].map(|key| cost[key].as_f64());
            let [Some(value), Some(low), Some(high)] = ns else { return None };
            Some(Clock {
                id: clock["id"].as_str()?.to_owned(),
                reads: clock["facts"]["reads"].as_str().map(str::to_owned),
                ns: [value, low, high],
            })
        });
        let plain = |wait: &&Value| {
            let slack = wait["default_slack"] == true || wait.get("slack_ns").is_none();
            let busy = wait["load"] != "none" && wait["kind"] != "sleep";
            slack
                && !busy
                && wait.get("slice_ns").is_none()
                && wait["id"] != "chronoscope/wait-economy"
        };
        let waits = of_kind("wait").filter(plain).filter_map(|wait| {
            let buckets: Vec<(u64, u64)> = serde_json::from_value(wait["buckets"].clone()).ok()?;
            let mut record = pick(
                wait,
                &["id", "requested_ns", "load", "scheduling", "default_slack", "samples", "max_ns"],
            );
            record["overshoot"] = pick(&wait["overshoot"], &["p50_ns", "p90_ns", "p99_ns"]);
            (!buckets.is_empty()).then(|| Wait { record, sleeps: wait["kind"] == "sleep", buckets })
        });
        Ok(Self {
            number,
            runs: match files {
                [_] => &[("main", true, true)],
                _ => &[("clocks", true, false), ("waits", false, true)],
            },
            environment: pick(
                environment,
                &[
                    "os",
                    "arch",
                    "kernel",
                    "cpu",
                    "hypervisor",
                    "clocksource",
                    "tsc",
                    "vdso",
                    "power",
                    "discipline",
                    "parameters",
                ],
            ),
            clocks: clocks.collect(),
            waits: waits.collect(),
            findings: of_kind("finding")
                .map(|finding| pick(finding, &["id", "level", "certainty", "about"]))
                .collect(),
        })
    }

    /// A machine like it, of another kind. Only that of the first base, which is made of two
    /// reports, varies in more than its processor.
    fn machine(&self, rare: bool, random: &mut Rng) -> Machine<'_> {
        let mut environment = self.environment.clone();
        let processor = random.usize(..PROCESSORS.len());
        let name = if rare { "rare".into() } else { format!("{}-{processor}", self.number) };
        let model = environment["cpu"]["model"].as_str().unwrap_or("unnamed");
        environment["cpu"]["model"] = format!("{model} (synthetic {name})").into();
        if self.runs.len() > 1 {
            let (hypervisor, source) = HYPERVISORS[random.usize(..HYPERVISORS.len())];
            environment["hypervisor"] = json!({ "name": hypervisor });
            environment["clocksource"] = json!({ "current": source });
            let kernel = KERNELS[random.usize(..KERNELS.len())];
            environment["kernel"] = format!("{kernel}-synthetic").into();
        }
        let pace = PROCESSORS[processor] * (0.97 + 0.06 * random.f64());
        Machine { base: self, environment, pace }
    }

    /// The cost of a clock with this fault, relative to what it is without.
    fn factor(&self, clock: &Clock, fault: Fault) -> f64 {
        let is = |reads: &str| clock.reads.as_deref() == Some(reads);
        let coarse = clock.id.contains("coarse") || clock.id == "c/time";
        let call = self.clocks.iter().find(|clock| clock.id == "linux/monotonic-syscall");
        let call = call.map_or(0.0, |clock| clock.ns[0]);
        match fault {
            Fault::Slow => 2.0,
            Fault::Recovered => 3.0,
            Fault::Updated if is("system-call") => 1.5,
            Fault::Calls if is("vdso") => call / clock.ns[0],
            Fault::Fallen if is("vdso") && !coarse => (call + DEVICE_NS) / clock.ns[0],
            _ => 1.0,
        }
    }
}

impl Wait {
    /// The fields of its record with this fault. Buckets stay buckets of two digits if their bounds
    /// are multiplied by a power of two.
    fn with(&self, fault: Fault, random: &mut Rng) -> Result<String> {
        let by = match fault {
            Fault::Late if self.sleeps => 16_u32,
            _ => 1,
        };
        let mut record = self.record.clone();
        for key in ["p50_ns", "p90_ns", "p99_ns"] {
            if let Some(ns) = self.record["overshoot"][key].as_f64() {
                let noisy = ns * f64::from(by) * (0.95 + 0.1 * random.f64());
                record["overshoot"][key] = (noisy as u64).into();
            }
        }
        let mut text = record.to_string();
        text.truncate(text.len() - 1);
        text += ",\"buckets\":[";
        for (at, (upper, count)) in self.buckets.iter().enumerate() {
            let (upper, comma) = ((upper + 1) * u64::from(by) - 1, if at == 0 { "" } else { "," });
            write!(text, "{comma}[{upper},{}]", count + random.u64(..=count / 8))?;
        }
        text += "]}";
        Ok(text)
    }
}

/// One machine, with what differs from its base.
struct Machine<'a> {
    base: &'a Base,
    environment: Value,
    /// How much slower it is than its base.
    pace: f64,
}

impl Machine<'_> {
    /// The environment with a fault.
    fn environment(&self, fault: Fault, device: &str) -> Value {
        let mut it = self.environment.clone();
        match fault {
            Fault::Fallen => it["clocksource"] = json!({ "current": device }),
            Fault::Updated => it["kernel"] = json!("6.18.0-synthetic"),
            Fault::Slow => it["power"]["governor"] = json!("powersave"),
            Fault::Calls => {
                it["vdso"] = json!({ "present": false });
                it["parameters"] = json!(["vdso=0"]);
            }
            _ => {}
        }
        it
    }

    /// Appends the records of its runs of one day.
    fn report(&self, out: &mut String, day: &str, fault: Fault, random: &mut Rng) -> Result<()> {
        let device = ["hpet", "acpi_pm"][random.usize(..2)];
        let environment = self.environment(fault, device);
        for &(screen, clocks, waits) in self.base.runs {
            let id = format!("{:016x}", random.u64(..));
            let (hour, minute, second) = (random.u32(..24), random.u32(..60), random.u32(..60));
            let started =
                format!("{day}T{hour:02}:{minute:02}:{second:02}.{:06}Z", random.u32(..999_999));
            let run = json!({
                "started": started, "finished": started, "screen": screen,
                "tool_version": "synthetic", "synthetic": true,
            });
            let mut line = |kind: &str, rest: &str| {
                let rest = rest.trim_start_matches('{');
                writeln!(out, "{{\"record\":\"{kind}\",\"run_id\":\"{id}\",{rest}")
            };
            line("run", &run.to_string())?;
            line("environment", &environment.to_string())?;
            if clocks {
                line("against", &against(fault, random).to_string())?;
            }
            for clock in self.base.clocks.iter().filter(|_| clocks) {
                let by = self.pace * self.base.factor(clock, fault) * (0.98 + 0.04 * random.f64());
                let [value, low, high] = clock.ns.map(|ns| ns * by);
                let facts = match &clock.reads {
                    Some(reads) => format!("\"facts\":{{\"reads\":\"{reads}\"}},"),
                    None => String::new(),
                };
                line(
                    "clock",
                    &format!(
                        "\"id\":\"{}\",{facts}\"cost\":{{\"throughput\":{{\"value_ns\":{value:.4},\
                     \"low_ns\":{low:.4},\"high_ns\":{high:.4}}}}}}}",
                        clock.id
                    ),
                )?;
            }
            for wait in self.base.waits.iter().filter(|_| waits) {
                line("wait", &wait.with(fault, random)?)?;
            }
            let device = format!("slow-clocksource-{}", device.replace('_', "-"));
            let planted = match fault {
                Fault::Fallen => Some(device.as_str()),
                Fault::Calls => Some("no-vdso"),
                Fault::Slow => Some("governor-powersave"),
                _ => None,
            };
            let planted = planted.map(|id| {
                json!({
                    "id": id, "level": "warning", "certainty": "evidence", "about": "machine",
                })
            });
            for finding in self.base.findings.iter().chain(&planted) {
                line("finding", &finding.to_string())?;
            }
        }
        Ok(())
    }
}

/// What two servers proved, one of which may be silent: a clock that is right within 5 ms, by an
/// interval of up to a second.
fn against(fault: Fault, random: &mut Rng) -> Value {
    let truth = (random.f64() - 0.5) * 1e7 - if fault == Fault::Behind { 2e9 } else { 0.0 };
    let wall = json!({ "low": truth - 5e8 * random.f64(), "high": truth + 5e8 * random.f64() });
    let agrees = fault != Fault::Doubtful;
    let source = |id: &str, agrees: bool| json!({ "id": id, "agrees": agrees, "wall_ns": wall });
    let mut sources = vec![source("ntp:a", agrees), source("ntp:b", agrees)];
    if agrees && random.bool() {
        sources[1] = json!({ "id": "ntp:b", "unavailable_reason": "it does not answer" });
    }
    match agrees {
        true => json!({ "wall_ns": wall, "sources": sources }),
        false => json!({ "sources": sources }),
    }
}

impl Fleet {
    /// Writes one file for each machine into a new folder, and returns the planted faults.
    ///
    /// # Errors
    /// The folder exists, a file cannot be written, or the tool cannot read a checked-in report.
    pub fn write(&self, sh: &Shell, tool: &Path, folder: &Path) -> Result<Planted> {
        let bases = [
            &["docs/pages/clocks.html", "docs/pages/waits.html"][..],
            &["docs/reports/x86_64-unknown-linux-gnu.json"],
            &["docs/reports/x86_64-pc-windows-gnu.json"],
            &["docs/reports/aarch64-unknown-linux-gnu.json"],
        ];
        let bases =
            bases.iter().enumerate().map(|(at, files)| Base::from_reports(sh, tool, at, files));
        let bases = bases.collect::<Result<Vec<_>>>()?;
        ensure!(!folder.exists(), "{} exists", folder.display());
        fs::create_dir_all(folder.join(DAYS[2]))?;
        let mut planted = Planted::default();
        for at in 0..self.machines {
            let mut random = Rng::with_seed(self.seed ^ ((at as u64) << 20));
            let name = format!("synthetic-{at:06}");
            // One in fifty machines each is made of another report.
            let base = bases.get(at % 50).unwrap_or(&bases[0]);
            let (fault, names) = match at % 200 {
                10 => (Fault::Fallen, Some(&mut planted.fallen)),
                30 => (Fault::Calls, Some(&mut planted.calls)),
                60 => (Fault::Slow, Some(&mut planted.slow)),
                90 => (Fault::Updated, Some(&mut planted.updated)),
                120 => (Fault::Late, Some(&mut planted.late)),
                150 => (Fault::Behind, Some(&mut planted.behind)),
                180 => (Fault::Doubtful, Some(&mut planted.doubtful)),
                // There are too few of its kind for a comparison.
                _ if at == RARE.start => (Fault::Slow, None),
                _ => (Fault::None, None),
            };
            if let Some(names) = names {
                names.insert(name.clone());
            }
            let machine = base.machine(RARE.contains(&at), &mut random);
            let since = matches!(fault, Fault::Fallen | Fault::Updated);
            let before = if since { Fault::None } else { fault };
            let mut text = String::new();
            machine.report(&mut text, DAYS[0], before, &mut random)?;
            if at % 50 == 7 {
                machine.report(&mut text, DAYS[1], Fault::Recovered, &mut random)?;
            }
            machine.report(&mut text, DAYS[2], fault, &mut random)?;
            // Some runs arrive twice: in the same file, or in another.
            if at % 50 == 8 {
                text += &text.clone();
            }
            if at % 50 == 9 {
                fs::write(folder.join(DAYS[2]).join(format!("{name}_again.ndjson")), &text)?;
            }
            fs::write(folder.join(format!("{name}.ndjson")), &text)?;
        }
        Ok(planted)
    }
}
