//! Fixes that contradict nothing that is known of a machine: they name no boot parameter, file,
//! clock or version of a kernel that its facts rule out.

use super::machine::{Machine, facts};
use chronoscope_model::clock::Reads;
use chronoscope_model::environment::{ClockSource, Environment, Hypervisor, Rate, RateKind};
use chronoscope_model::kernel_log::recognise;
use chronoscope_model::ordering::{AcrossCpus, Handed, Ordering, Pair};
use chronoscope_model::timekeeping::LibraryClock;
use chronoscope_model::{Level, Report};
use chronoscope_probes::clocks;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Boot parameters of Linux that fixes name.
const PARAMETERS: [&str; 17] = [
    "tsc=",
    "notsc",
    "hpet=",
    "nohpet",
    "clocksource=",
    "clock=",
    "clocksource_failover",
    "clocksource.max_cswd_read_retries=",
    "highres=",
    "vdso=",
    "vdso32=",
    "processor.max_cstate=",
    "intel_idle.max_cstate=",
    "tsc_early_khz=",
    "idle=",
    "divider=",
    "max_cstate=",
];
/// Other words with an equals sign: settings of programs, hypervisors and services.
const SETTINGS: [&str; 6] = [
    "seccomp=",
    "tsc_mode=",
    "kernel.sched_rt_runtime_us=",
    "kernel.dmesg_restrict=",
    "TimerSlackNSec=",
    "kern.timecounter.hardware=",
];

/// What a machine is known by.
struct Known<'a> {
    /// The recorded files, if there are any.
    folder: Option<&'a Path>,
    report: &'a Report,
}

impl Known<'_> {
    fn env(&self) -> &Environment {
        &self.report.environment
    }

    fn is_set(&self, word: &str) -> bool {
        self.env().parameters.iter().any(|set| set == word)
    }

    fn offers(&self, source: &str) -> bool {
        let all = self.env().clocksource.as_ref();
        all.is_none_or(|it| {
            it.available.is_empty() || it.available.iter().any(|name| name == source)
        })
    }

    fn version(&self) -> Option<(u32, u32)> {
        let mut numbers = self.env().kernel.as_deref()?.split(['.', '-']).map(str::parse);
        numbers.next()?.ok().zip(numbers.next()?.ok())
    }

    fn has_file(&self, path: &str) -> bool {
        let denied = |folder: &Path| {
            let list = fs::read_to_string(folder.join("denied")).unwrap_or_default();
            list.lines().any(|line| line == path)
        };
        match (path, self.folder) {
            ("/etc/ld.so.preload", _) => {
                let clock = self.env().keeping.as_ref().and_then(|it| it.library_clock.as_ref());
                clock.is_some_and(|clock| !clock.preloaded.is_empty())
            }
            ("/dev/vmclock0", _) => {
                let trust = self.report.trust.as_ref();
                trust.is_some_and(|trust| trust.watched.vmclock.is_some())
            }
            ("/dev/cpu_dma_latency", _) => !self.env().power.idle_states.is_empty(),
            (path, Some(folder)) => folder.join(format!("root{path}")).exists() || denied(folder),
            (path, None) => !path.contains("clocksource") || self.env().clocksource.is_some(),
        }
    }

    /// What in this fix the facts contradict.
    fn contradictions(&self, fix: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        let others = ["macOS", "Windows"];
        let system = |name: &str| match name {
            "Linux" => !others.iter().any(|other| self.env().os.starts_with(other)),
            name => self.env().os.starts_with(name),
        };
        let words = fix.split_whitespace().scan(0, |at, word| {
            let start = *at + fix[*at..].find(word)?;
            *at = start + word.len();
            Some((&fix[..start], word, &fix[*at..]))
        });
        let around = |c: char| "`().,:;".contains(c);
        for (before, word, after) in words {
            let rest = word.trim_start_matches(around);
            let word = rest.trim_end_matches(around);
            self.parameter(before, word, after, &mut wrong);
            // An option of Windows has one slash.
            let is_path = word.starts_with('/') && word.matches('/').count() > 1;
            if is_path && !self.has_file(word) {
                wrong.push(format!("there is no {word}"));
            }
            if clocks::find(word).is_some() {
                let here = self.report.clocks.iter().find(|clock| clock.id == word);
                if !here.is_some_and(|clock| clock.available) {
                    wrong.push(format!("the clock {word} is not there"));
                }
            }
            let (env, counter) = (self.env(), self.env().counter.is_some());
            let there = match word {
                "rdtscp" => env.tsc.as_ref().is_none_or(|tsc| tsc.rdtscp) && !counter,
                "rdtsc" | "lfence" | "IA32_TSC_ADJUST" => !counter,
                "isb" | "CNTVCT_EL0" | "CNTVCT" => env.tsc.is_none(),
                "CLOCK_UPTIME_RAW" | "mach_absolute_time" => system("macOS"),
                "CLOCK_TAI" | "CLOCK_MONOTONIC_RAW" | "dmesg" | "chronyc" => system("Linux"),
                "bcdedit" | "boot.ini" => system("Windows"),
                _ => true,
            };
            if !there {
                wrong.push(format!("there is no {word} here"));
            }
        }
        if fix.contains("dmesg") && !self.env().kernel_log.is_empty() {
            wrong.push("the log was read".into());
        }
        if let Some(version) = self.version() {
            for part in fix.split("Use Linux ").skip(1) {
                let mut numbers = part.split(|c: char| !c.is_ascii_digit()).map(str::parse);
                let asked = numbers.next().and_then(Result::ok).zip(numbers.next());
                let asked = asked.and_then(|(first, second)| Some((first, second.ok()?)));
                if asked.is_some_and(|asked: (u32, u32)| asked <= version) {
                    wrong.push(format!("this is Linux {version:?} already"));
                }
            }
            if fix.contains("tsc=nowatchdog") && version < (5, 10) {
                wrong.push("this kernel has no tsc=nowatchdog".into());
            }
        }
        wrong
    }

    /// A parameter that is set is one of this machine; one that is proposed is not, and can work.
    fn parameter(&self, before: &str, word: &str, after: &str, wrong: &mut Vec<String>) {
        let Some((name, value)) = word.split_once('=').or(match PARAMETERS.contains(&word) {
            true => Some((word, "")),
            false => None,
        }) else {
            return;
        };
        let is = |known: &&str| word == known.trim_end_matches('=') || word.starts_with(*known);
        if SETTINGS.iter().any(&is) || name.is_empty() {
            return;
        }
        if !PARAMETERS.iter().any(is) {
            wrong.push(format!("{word} is neither a known parameter nor a known setting"));
            return;
        }
        let ends = |words: &[&str]| {
            words.iter().any(|it| before.trim_end_matches(['`', ' ']).ends_with(it))
        };
        let begins = |words: &[&str]| {
            let after = after.trim_start_matches(['`', ' ', ',']);
            words.iter().any(|it| after.starts_with(it))
        };
        let set = ends(&["emove", "and remove"])
            || begins(&["which is set", "is set", "on the command line has no effect"]);
        // What is said about a parameter, without asking for it.
        let told = begins(&["only warns", "only prints", "on its command line has no effect"])
            || ends(&["without"])
            || begins(&["on Xen's command line"]);
        match (set, told) {
            (true, _) if !self.is_set(word) => wrong.push(format!("{word} is not set")),
            (false, false) if self.is_set(word) => wrong.push(format!("{word} is set already")),
            (false, false) if name == "clocksource" && !value.is_empty() && !self.offers(value) => {
                wrong.push(format!("the clock source {value} is not there"));
            }
            _ => {}
        }
        if !set && !told && before.ends_with("echo ") && !self.offers(value) {
            wrong.push(format!("the clock source {value} is not there"));
        }
    }
}

/// Machines with facts: those that were recorded, and our own with each message and parameter.
fn machines() -> Vec<(String, Option<PathBuf>, Report, Option<Machine>)> {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../probes/tests/machines", "../cli/tests/cases"].map(|it| recorded.join(it));
    let folders = folders.iter().flat_map(|it| fs::read_dir(it).expect("recorded machines"));
    let mut all: Vec<_> = folders
        .map(|entry| entry.expect("a folder").path())
        .filter(|path| path.join("process").is_file())
        .map(|path| (path.display().to_string(), Some(path.clone()), facts(&path), None))
        .collect();
    assert!(all.len() > 60, "{}", all.len());
    let mut own = |name: String, machine: Machine| {
        let report = machine.report();
        all.push((name, Some(machine.path()), report, Some(machine)));
    };
    for (current, available) in [
        ("tsc", "tsc hpet acpi_pm"),
        ("hpet", "hpet"),
        ("acpi_pm", "acpi_pm"),
        ("refined-jiffies", "refined-jiffies"),
        ("xen", "xen"),
    ] {
        for line in include_str!("../../../model/tests/kernel_log.txt").lines().skip(1) {
            let line = line.split(" | ").next().unwrap_or_default();
            let proves = recognise(line).is_some_and(|known| !known.message.faults.is_empty());
            if proves && matches!(current, "tsc" | "hpet") {
                let sets: &[&str] = match current {
                    "hpet" => &["quiet", "clocksource=tsc tsc=reliable"],
                    _ => &["quiet"],
                };
                for set in sets {
                    let machine = Machine::bare().source(current, available).log(line);
                    let machine = machine.file("/proc/cmdline", set);
                    own(format!("{current}: {set}: {line}"), machine);
                }
            }
        }
        for set in [
            "notsc",
            "tsc=reliable",
            "tsc=nowatchdog",
            "tsc=unstable hpet=disable",
            "clocksource=acpi_pm",
            "highres=off",
            "vdso=0",
            "tsc=recalibrate",
        ] {
            let machine = Machine::bare().source(current, available).process("vdso", "false");
            let machine = machine.process("timer_resolution_ns", "4000000");
            own(format!("{current}: {set}"), machine.file("/proc/cmdline", set));
        }
    }
    all
}

/// Reports of runs, and the same with what other machines would have shown.
fn measured() -> Vec<(String, Report)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../../docs/reports", "../cli/tests/data/reports"].map(|it| crates.join(it));
    let files = folders.iter().flat_map(|it| fs::read_dir(it).expect("reports"));
    let files = files.map(|entry| entry.expect("a file").path());
    let mut all = Vec::new();
    for path in files.filter(|path| path.extension().is_some_and(|it| it == "json")) {
        let text = fs::read_to_string(&path).expect("a report");
        let report: Report = serde_json::from_str(&text).expect("a report");
        let name = path.display().to_string();
        for (what, change) in CHANGES {
            let mut report = report.clone();
            change(&mut report);
            chronoscope_diagnose::examine(&mut report);
            all.push((format!("{name}: {what}"), report));
        }
    }
    assert!(all.len() > 100, "{}", all.len());
    all
}

/// What is altered, and how.
type Change = (&'static str, fn(&mut Report));

/// What a machine could have shown.
const CHANGES: &[Change] = &[
    ("as it is", |_| {}),
    ("not ordered", unordered),
    ("not ordered, without rdtscp", |report| {
        unordered(report);
        if let Some(tsc) = &mut report.environment.tsc {
            tsc.rdtscp = false;
        }
    }),
    ("out of step", out_of_step),
    ("out of step in a guest", |report| {
        out_of_step(report);
        guest(report, "KVM");
    }),
    ("slow counter on Xen", |report| {
        guest(report, "Xen");
        slow_counter(report);
    }),
    ("slow counter on KVM", |report| {
        guest(report, "KVM");
        slow_counter(report);
    }),
    ("another library", |report| library(report, &["libfaketime.so.1"])),
    ("another clock without a library", |report| library(report, &[])),
    ("HPET", |report| {
        let source = ClockSource { current: "hpet".into(), available: vec!["hpet".into()] };
        // Other systems have no such choice.
        if let Some(known) = &mut report.environment.clocksource {
            *known = source;
        }
        slow_clocks(report);
    }),
    ("another rate", |report| {
        let rate =
            |kind, hz| Rate { source: "a source".into(), kind, hz: Some(hz), ..Rate::default() };
        if let Some(rates) = report.environment.counter_rates_mut() {
            *rates = vec![rate(RateKind::Stated, 2e9), rate(RateKind::Measured, 3e9)];
        }
    }),
    ("late sleeps", |report| {
        for wait in &mut report.waits {
            (wait.min_ns, wait.samples) = (4_000_000, wait.samples.max(100));
        }
        if let Some(keeping) = &mut report.environment.keeping {
            keeping.timer_resolution_ns = Some(4_000_000);
        }
    }),
    ("told not to check", |report| {
        report.environment.parameters.push("tsc=reliable".into());
    }),
    ("kept by a sandbox", |report| {
        if let Some(keeping) = &mut report.environment.keeping {
            keeping.sleep_refused = Some("Operation not permitted".into());
            keeping.adjtimex = None;
            keeping.adjtimex_refused = Some("EPERM".into());
        }
    }),
];

fn unordered(report: &mut Report) {
    for clock in report.clocks.iter_mut().filter(|clock| clock.reads(Reads::Counter)) {
        let handed = Handed { cpus: [0, 1], turns: 1000, backwards: 3, worst_ns: 20.0 };
        let handed = Some(handed);
        clock.ordering =
            Some(Ordering { tries: 1, promised: Some(false), handed, ..Ordering::default() });
    }
}

fn out_of_step(report: &mut Report) {
    let handed = Handed { cpus: [0, 1], turns: 1000, backwards: 9, worst_ns: 900.0 };
    let pair = Pair { handed, exchanges: 9, low_ns: 800.0, high_ns: 1000.0 };
    report.environment.across_cpus = Some(AcrossCpus { pairs: vec![pair], left_out: None });
}

fn guest(report: &mut Report, name: &str) {
    let (name, evidence) = (name.to_owned(), "a test".to_owned());
    let features = vec!["xen-tsc-emulated".to_owned()];
    report.environment.hypervisor = Some(Hypervisor { name, evidence, features });
}

fn slow_counter(report: &mut Report) {
    for clock in report.clocks.iter_mut().filter(|clock| clock.reads(Reads::Counter)) {
        let costs = [&mut clock.cost.throughput, &mut clock.cost.latency];
        costs.into_iter().flatten().for_each(|cost| cost.value_ns = 1500.0);
    }
}

fn slow_clocks(report: &mut Report) {
    for clock in report.clocks.iter_mut().filter(|clock| !clock.reads(Reads::Counter)) {
        let costs = [&mut clock.cost.throughput, &mut clock.cost.latency];
        costs.into_iter().flatten().for_each(|cost| cost.value_ns += 700.0);
    }
}

fn library(report: &mut Report, preloaded: &[&str]) {
    let preloaded = preloaded.iter().map(ToString::to_string).collect();
    let (ahead_ns, stands_still, pace_percent) = (864_000_000_000_000, true, None);
    let clock = LibraryClock { ahead_ns, stands_still, pace_percent, preloaded };
    let keeping = report.environment.keeping.get_or_insert_default();
    keeping.library_clock = Some(clock);
}

#[test]
fn no_fix_contradicts_the_facts_of_its_machine() {
    let (mut seen, mut wrong) = (BTreeSet::new(), BTreeMap::new());
    let mut judge = |name: &str, folder: Option<&Path>, report: &Report| {
        for found in report.findings.iter().filter(|it| it.level >= Level::Info) {
            seen.insert(found.id.clone());
            let known = Known { folder, report };
            for why in known.contradictions(&found.fix) {
                let what = || format!("{} ({name})", found.fix);
                wrong.entry((found.id.clone(), why)).or_insert_with(what);
            }
        }
    };
    let machines = machines();
    for (name, folder, report, _) in &machines {
        judge(name, folder.as_deref(), report);
    }
    for (name, report) in measured() {
        judge(&name, None, &report);
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
    assert!(seen.len() >= 50, "{} faults: {seen:?}", seen.len());
}

/// The test above finds a wrong fix of each kind.
#[test]
fn a_planted_fix_that_the_facts_contradict_is_found() {
    let machine =
        Machine::bare().source("hpet", "hpet").file("/proc/cmdline", "quiet tsc=reliable");
    let machine =
        machine.process("release", "5.4.0").log("tsc: Refined TSC clocksource calibration");
    let (report, folder) = (machine.report(), machine.path());
    let known = Known { folder: Some(&folder), report: &report };
    for (fix, why) in [
        ("Remove `notsc` from the kernel's command line.", "notsc is not set"),
        ("`tsc=unstable`, which is set, gives it up.", "tsc=unstable is not set"),
        ("Set `tsc=reliable`.", "tsc=reliable is set already"),
        ("Set `frobnicate=1`.", "frobnicate=1 is neither"),
        ("Use `clocksource=tsc`.", "the clock source tsc is not there"),
        ("Look at /proc/frobnicate.", "there is no /proc/frobnicate"),
        ("Programs can watch /dev/vmclock0.", "there is no /dev/vmclock0"),
        ("Use posix/monotonic instead.", "the clock posix/monotonic is not there"),
        ("Use mach_absolute_time.", "there is no mach_absolute_time here"),
        ("Read CNTVCT_EL0.", "there is no CNTVCT_EL0 here"),
        ("`bcdedit /deletevalue`", "there is no bcdedit here"),
        ("Look at `dmesg`.", "the log was read"),
        ("Use Linux 5.3, which mends it.", "this is Linux (5, 4) already"),
        ("Set `tsc=nowatchdog`.", "this kernel has no tsc=nowatchdog"),
    ] {
        let found = known.contradictions(fix);
        assert!(found.iter().any(|it| it.contains(why)), "{fix}: {found:?}");
    }
    for fix in [
        "Remove `tsc=reliable` from the kernel's command line.",
        "`tsc=reliable`, which is set, has no effect.",
        "Look at /proc/timer_list. Use Linux 5.15, or `clocksource=hpet`.",
        "Use `lfence; rdtsc` or `rdtscp`.",
    ] {
        assert_eq!(known.contradictions(fix), Vec::<String>::new(), "{fix}");
    }
}
