//! Bundles are untrusted: whatever a file holds, or is, there is a result in bounded time, and
//! nothing of this machine gets into it.

use crate::machine::{Machine, facts};
use chronoscope_probes::machine::Root;
use proptest::prelude::*;
use std::fs;
use std::time::{Duration, Instant};

/// The files of a bundle, with the contents that a healthy bundle has.
const FILES: &[(&str, &str)] = &[
    ("cpuid", "0x00000001 0x00: eax=0x000906ea ebx=0x00100800 ecx=0x81000000 edx=0x10\n"),
    ("process", "arch=x86_64\nsysname=Linux\nadjtimex=state=0 status=0x1 maxerror=1\n"),
    ("denied", "/dev/kmsg\n"),
    ("root/dev/kmsg", "6,1,1,-;tsc: Detected 2600.000 MHz processor\n"),
    ("root/proc/cmdline", "tsc=reliable highres=off\n"),
    ("root/proc/cpuinfo", "processor : 0\nflags : tsc constant_tsc nonstop_tsc\n"),
    ("root/proc/timer_list", "  .hres_active    : 1\n"),
    ("root/proc/self/timens_offsets", "monotonic 0 0\nboottime 0 0\n"),
    ("root/proc/sys/kernel/sched_rt_runtime_us", "950000\n"),
    ("root/proc/sys/kernel/sched_rt_period_us", "1000000\n"),
    ("root/proc/1/comm", "chronyd\n"),
    ("root/proc/device-tree/timer/clock-frequency", "\u{3}abc"),
    ("root/sys/devices/system/cpu/online", "0-7\n"),
    ("root/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    ("root/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet\n"),
    ("root/sys/firmware/acpi/tables/FACP", "FACP"),
    ("root/sys/class/power_supply/AC/type", "Mains\n"),
];

/// Contents that have broken parsers: this corpus is tried with every file.
const CORPUS: &[&[u8]] = &[
    b"",
    b"\0",
    b"\n\n\n",
    b"=",
    b"=\n==\narch\n",
    b"arch=\nsysname=\nallowed=0-4294967295\n",
    b"arch=a\x1b[0m\nsysname=L\x1b]3\x16\nrelease=\x1b\nmachine=\x1b\nemulator=\x1bq\n",
    b"adjtimex=state=99999999999999999999 status=0x maxerror=- tick=1e9\n",
    b"adjtimex=state=5 status=0x40 maxerror=9223372036854775807 esterror=-9223372036854775808 \
      freq=-9223372036854775808 tick=-9223372036854775808 tai=2147483647\n",
    b"0xffffffff 0xffffffff: eax=0xffffffff ebx=0xffffffff ecx=0xffffffff edx=0xffffffff\n",
    b"0x80000000 0x00: eax=0xffffffff ebx=0 ecx=0 edx=0\n0x00000000 0x00: eax=0xffffffff ebx=0x\n",
    b"0-4294967295,18446744073709551616\n",
    b"-1\n",
    b"99999999999999999999999999\n",
    b"6,1,1,-;tsc: Detected 1e999 MHz\n6,2,2,-;TSC ADJUST compensate\n;;;\n,,,;tsc\n",
    b"6,1,1,-;\x1b[31mtsc \xff\xfe unstable\x07\n",
    b"monotonic 9223372036854775807 -9223372036854775808\nboottime\n\nx y z\n",
    b"../../../../etc/passwd\n/\n\n.\n",
    "\u{202e}tsc\u{200b}\u{feff} é\u{1f600}\n".as_bytes(),
];

fn write(folder: &std::path::Path, contents: &[&[u8]]) {
    for ((file, _), bytes) in FILES.iter().zip(contents) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
}

fn judged(contents: &[&[u8]]) {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), contents);
    let began = Instant::now();
    let report = facts(folder.path());
    // This takes some milliseconds, on a machine that may be busy.
    assert!(began.elapsed() < Duration::from_secs(20));
    let json = serde_json::to_string(&report.environment).expect("JSON");
    assert!(!json.contains("\\u001b") && json.len() < 1 << 20, "{json}");
    assert_eq!(report.checks.len(), chronoscope_diagnose::faults::ALL.len());
}

#[test]
fn each_file_may_hold_anything_of_the_corpus() {
    let healthy: Vec<&[u8]> = FILES.iter().map(|(_, text)| text.as_bytes()).collect();
    judged(&healthy);
    for bytes in CORPUS {
        judged(&vec![*bytes; FILES.len()]);
        for file in 0..FILES.len() {
            let mut contents = healthy.clone();
            contents[file] = bytes;
            judged(&contents);
        }
    }
}

/// Text of the corpus and of healthy files, cut and joined at random.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let corpus = CORPUS.iter().map(|bytes| bytes.to_vec());
    let healthy = FILES.iter().map(|(_, text)| text.as_bytes().to_vec());
    let known = prop::sample::select(corpus.chain(healthy).collect::<Vec<_>>());
    let part = prop_oneof![
        (known, any::<prop::sample::Index>()).prop_map(|(bytes, at)| {
            let end = at.index(bytes.len() + 1);
            bytes[..end].to_vec()
        }),
        proptest::collection::vec(any::<u8>(), 0..60),
        "[ -~\n\t]{0,60}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(part, 0..5).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(64),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_bundle_causes_a_panic(
        contents in proptest::collection::vec(content(), FILES.len()),
    ) {
        let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        judged(&contents);
    }
}

#[test]
fn files_may_be_missing_huge_or_folders() {
    // The folder is empty.
    judged(&[]);
    let huge = vec![b'7'; 3 << 20];
    judged(&vec![huge.as_slice(); FILES.len()]);
    let folder = tempfile::tempdir().expect("a folder");
    for (file, _) in FILES.iter().filter(|(file, _)| file.starts_with("root/")) {
        fs::create_dir_all(folder.path().join(file)).expect("a folder");
    }
    assert!(facts(folder.path()).environment.clocksource.is_none());
    // Anything that is not a folder is not a bundle.
    assert!(Root::recorded(&folder.path().join("nowhere")).is_err());
}

/// A link in a bundle must not show the reader's own files.
#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_a_bundle() {
    use std::os::unix::fs::symlink;
    let secret = tempfile::tempdir().expect("a folder");
    fs::write(secret.path().join("current_clocksource"), "secret\n").expect("a file");
    fs::write(secret.path().join("process"), "arch=secret\n").expect("a file");
    let machine = Machine::bare();
    let folder = machine.path();
    let source = folder.join("root/sys/devices/system/clocksource/clocksource0");
    fs::remove_dir_all(&source).expect("a folder");
    symlink(secret.path(), &source).expect("a link");
    let report = facts(&folder);
    let json = serde_json::to_string(&report).expect("JSON");
    assert!(!json.contains("secret"), "{json}");
    let unknown = report.environment.unknown.iter();
    let why: Vec<&str> = unknown.map(|it| it.reason.as_str()).collect();
    assert!(why.iter().any(|why| why.contains("leads out")), "{why:?}");
    fs::remove_file(folder.join("process")).expect("a file");
    symlink(secret.path().join("process"), folder.join("process")).expect("a link");
    assert!(Root::recorded(&folder).is_err());
}
