//! Recorded machines: the facts that are expected of each are found, and no content of a file
//! causes a panic.

use std::fs;
use std::path::{Path, PathBuf};

use chronoscope_model::change;
use chronoscope_probes::machine::{Missing, Root, environment, state};
use proptest::prelude::*;
use serde_json::Value;

fn machines() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines")
}

/// Collects what `found` lacks of `expected`: `null` must be absent, objects may contain more, and
/// each element of a list must match one of the other list.
fn lacks(expected: &Value, found: Option<&Value>, at: &str, missing: &mut Vec<String>) {
    match (expected, found) {
        (Value::Null, None | Some(Value::Null)) => {}
        (Value::Object(fields), Some(Value::Object(other))) => {
            for (key, value) in fields {
                lacks(value, other.get(key), &format!("{at}.{key}"), missing);
            }
        }
        (Value::Array(items), Some(Value::Array(others))) => {
            for item in items {
                let matched = others.iter().any(|other| {
                    let mut lacking = Vec::new();
                    lacks(item, Some(other), "", &mut lacking);
                    lacking.is_empty()
                });
                if !matched {
                    missing.push(format!("{at}: no match for {item} in {others:?}"));
                }
            }
        }
        (expected, Some(found)) if expected == found => {}
        (expected, found) => missing.push(format!("{at}: {found:?} instead of {expected}")),
    }
}

#[test]
fn every_recorded_machine_has_the_expected_facts() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for entry in fs::read_dir(machines()).expect("the recordings") {
        let folder = entry.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        seen += 1;
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(folder.join("expect.json")).expect("an expectation");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let root = Root::recorded(&folder).expect("a recording");
        let found = serde_json::to_value(environment(&root)).expect("JSON");
        lacks(&expected, Some(&found), &name, &mut wrong);
    }
    assert!(seen > 30, "only {seen} recordings");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_folder_that_does_not_exist_is_an_error() {
    let root = Root::recorded(&machines().join("no-such-machine"));
    assert_eq!(root.err(), Some(Missing::Absent));
}

#[test]
fn this_machine_gives_the_same_facts_twice() {
    let first = environment(&Root::host());
    let second = environment(&Root::host());
    assert!(first.cpu.logical > 0);
    assert!(!first.os.is_empty());
    assert_eq!(first.arch, std::env::consts::ARCH);
    // Apart from what changes all the time, it is the same machine.
    assert_eq!(first.cpu, second.cpu);
    assert_eq!(first.hypervisor, second.hypervisor);
    assert_eq!(first.tsc, second.tsc);
    assert_eq!(first.timers, second.timers);
    assert_eq!(first.vdso, second.vdso);
}

#[test]
fn the_state_of_a_recorded_machine_is_that_of_its_facts() {
    for entry in fs::read_dir(machines()).expect("the recordings") {
        let folder = entry.expect("an entry").path();
        if let Ok(root) = Root::recorded(&folder) {
            let changes = change::between(&environment(&root), &state(&root));
            assert_eq!(changes, [], "{}", folder.display());
        }
    }
}

#[test]
fn a_clock_source_that_is_switched_is_noticed() {
    const SOURCE: &str = "root/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let scratch = Scratch::new();
    scratch.put("process", b"arch=x86_64\nsysname=Linux\n");
    scratch.put("root/sys/devices/system/cpu/online", b"0-3\n");
    let seen = |source: &[u8]| {
        scratch.put(SOURCE, source);
        state(&Root::recorded(scratch.0.path()).expect("a recording"))
    };
    let [before, after] = [&b"tsc\n"[..], b"hpet\n"].map(seen);
    let changes = change::between(&before, &after);
    let texts: Vec<_> = changes.iter().map(|it| [&*it.fact, &*it.before, &*it.after]).collect();
    assert_eq!(texts, [[change::CLOCK_SOURCE, "tsc", "hpet"]]);
    // Facts that are empty or garbled are unknown, so they are not a change.
    assert_eq!(change::between(&before, &seen(b"")), []);
}

/// Every file of a machine that is read.
const FILES: &[&str] = &[
    "proc/cpuinfo",
    "proc/loadavg",
    "proc/cmdline",
    "proc/iomem",
    "proc/ioports",
    "proc/sys/kernel/arch",
    "proc/sys/kernel/osrelease",
    "proc/device-tree/model",
    "proc/device-tree/hypervisor/compatible",
    "etc/os-release",
    "dev/kmsg",
    "sys/hypervisor/type",
    "sys/class/dmi/id/sys_vendor",
    "sys/class/power_supply/AC/type",
    "sys/class/power_supply/AC/online",
    "sys/class/rtc/rtc0/name",
    "sys/firmware/acpi/tables/FACP",
    "sys/firmware/acpi/tables/HPET",
    "sys/devices/system/node/online",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
    "sys/devices/system/clocksource/clocksource0/available_clocksource",
    "sys/devices/system/clockevents/clockevent0/current_device",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
    "sys/devices/system/cpu/cpu0/topology/package_cpus_list",
    "sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
    "sys/devices/system/cpu/cpu0/cpu_capacity",
    "sys/devices/system/cpu/cpu1/cpu_capacity",
    "sys/devices/system/cpu/cpu1/regs/identification/midr_el1",
    "sys/devices/cpu_core/cpus",
    "sys/devices/cpu_atom/cpus",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/name",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/latency",
    "sys/devices/system/cpu/cpuidle/current_driver",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
];

/// A separate folder for each case, removed when dropped.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir().expect("a scratch folder"))
    }

    fn put(&self, file: &str, bytes: &[u8]) {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
}

/// Bytes that look like one of the kernel's files, so that they pass the first check of a reader.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        "[ -~\n\t]{0,80}".prop_map(String::into_bytes),
        proptest::collection::vec(any::<u8>(), 0..80),
        Just(b"FACP".to_vec()),
        Just(b"flags\t: tsc constant_tsc hypervisor\n".to_vec()),
        Just(b"vendor_id : GenuineIntel\nCPU implementer : 0xffffffffffffffff\n".to_vec()),
        Just(b"6,1,1,-;tsc: Detected 1e999 MHz\n6,2,2,-;hpet0: 3 comparators, 64-bit \n".to_vec()),
        Just(b"0-4294967295,18446744073709551616\n".to_vec()),
        Just("é".repeat(300).into_bytes()),
    ];
    proptest::collection::vec(word, 0..6).prop_map(|words| words.concat())
}

proptest! {
    // A failing case is printed in full, so no file of seeds is written.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(96),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_content_of_files_causes_a_panic(
        contents in proptest::collection::vec(content(), FILES.len()),
        leaves in proptest::collection::vec(any::<[u32; 6]>(), 0..12),
        arch in prop_oneof![Just("x86_64"), Just("aarch64"), Just("arm"), Just("")],
    ) {
        let scratch = Scratch::new();
        for (file, bytes) in FILES.iter().zip(&contents) {
            scratch.put(&format!("root/{file}"), bytes);
        }
        // The leaves that are read, with any result.
        let asked: [u32; 12] = [
            0, 1, 7, 0x15, 0x16, 0x4000_0000, 0x4000_0001, 0x4000_0003, 0x8000_0000,
            0x8000_0002, 0x8000_0007, 0x4000_0010,
        ];
        let mut cpuid = String::new();
        for ([_, ecx, a, b, c, d], leaf) in leaves.iter().zip(asked) {
            let sub = ecx & 1;
            cpuid += &format!("{leaf:#x} {sub:#x}: eax={a:#x} ebx={b:#x} ecx={c:#x} edx={d:#x}\n");
        }
        scratch.put("cpuid", cpuid.as_bytes());
        scratch.put("process", format!("arch={arch}\nsysname=Linux\n").as_bytes());
        let root = Root::recorded(scratch.0.path()).expect("a recording");
        let found = environment(&root);
        // Nothing in the facts garbles a terminal or a JSON document.
        let json = serde_json::to_string(&found).expect("JSON");
        prop_assert!(!json.contains("\\u001b"), "{json}");
    }
}

#[test]
fn huge_files_are_cut() {
    let scratch = Scratch::new();
    for file in FILES {
        scratch.put(&format!("root/{file}"), &vec![b'7'; 3 << 20]);
    }
    scratch.put("process", b"arch=x86_64\nsysname=Linux\n");
    let root = Root::recorded(scratch.0.path()).expect("a recording");
    let json = serde_json::to_string(&environment(&root)).expect("JSON");
    assert!(json.len() < 256 << 10, "{} bytes", json.len());
}
