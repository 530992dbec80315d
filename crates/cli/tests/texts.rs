//! Texts that people have of a machine, and archives of them, through `doctor` as a user runs it.

use crate::common::run;
use chronoscope_model::finding::Outcome;
use chronoscope_model::{About, Level, Report};
use std::fs;
use std::path::Path;

fn doctor(args: &[&str]) -> Result<Report, String> {
    let output = run(&[&["doctor", "--json"], args].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
        return Err(errors);
    }
    Ok(serde_json::from_slice(&output.stdout).expect("a report"))
}

fn found(report: &Report) -> Vec<&str> {
    report.findings.iter().filter(|it| it.is_found()).map(|it| &*it.id).collect()
}

/// The texts of a file, each with the line that names it.
fn sections(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.split("\n==== ").skip(1).filter_map(|section| section.split_once('\n'))
}

fn diagnosed(text: &str) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    fs::write(&path, text).expect("a file");
    doctor(&[&path.display().to_string()]).unwrap_or_else(|why| panic!("{why}: {text}"))
}

#[test]
fn no_text_of_a_healthy_machine_gives_a_warning() {
    let all = sections(include_str!("data/healthy.txt"));
    let wrong = all.flat_map(|(name, text)| {
        let report = diagnosed(text);
        let grave = report.findings.iter().filter(|it| it.level > Level::Info);
        let grave = grave.filter(|it| it.about == About::Machine);
        let mut wrong: Vec<String> = grave.map(|it| format!("{name}: {}", it.id)).collect();
        let unclear = report.checks.iter().filter_map(|check| check.why.as_ref());
        let unclear = unclear.filter(|why| why.contains("not understood"));
        wrong.extend(unclear.map(|why| format!("{name}: {why}")));
        wrong
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_fault_of_a_text_is_found_and_what_is_not_understood_rules_out_nothing() {
    let mut wrong = Vec::new();
    for (head, text) in sections(include_str!("data/faulty.txt")) {
        let (name, faults) = head.split_once(':').expect("faults");
        let (faults, says) = faults.split_once(" | ").unwrap_or((faults, ""));
        let report = diagnosed(text);
        let first = report.findings.iter().find(|it| faults.trim().starts_with(&it.id));
        let said = first.map(|it| format!("{} {}", it.evidence.join(" "), it.fix));
        if !said.as_ref().is_none_or(|said| said.contains(says)) {
            wrong.push(format!("{name}: no '{says}' in {said:?}"));
        }
        let lacking = faults.split_whitespace().filter(|id| !found(&report).contains(id));
        wrong.extend(lacking.map(|id| format!("{name}: no {id}, but {:?}", found(&report))));
        // What one program says of itself outweighs a list that someone cut.
        if text.contains(": Normal") && found(&report).contains(&"unsynchronised") {
            wrong.push(format!("{name}: unsynchronised, though a source is followed"));
        }
        if faults.trim().is_empty() {
            let of_tsc = report.checks.iter().filter(|check| check.outcome == Outcome::Clear);
            let ruled =
                of_tsc.filter(|it| ["tsc-skew", "tsc-warp", "tsc-given-up"].contains(&&*it.id));
            wrong.extend(ruled.map(|it| format!("{name}: {} is ruled out", it.id)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What commands print says what was read, and rules out no more than it shows.
#[test]
fn what_commands_print_is_read_and_rules_out_only_what_it_shows() {
    let mut wrong = Vec::new();
    let all = sections(include_str!("data/healthy.txt"));
    for (name, text) in all.filter(|(name, _)| name.starts_with("output: ")) {
        let report = diagnosed(text);
        let read = report.notes.iter().any(|note| note.id == "read" && note.text.contains('('));
        let shown = match name {
            _ if name.contains("adjtimex") => {
                "adjtimex-denied clock-slewed leap-pending unsynchronised"
            }
            _ if name.contains("ntptime") => "adjtimex-denied leap-pending unsynchronised",
            _ if name.contains("cpu.stat") => "cgroup-throttled",
            _ => "",
        };
        let clear = report.checks.iter().filter(|check| check.outcome == Outcome::Clear);
        let clear: Vec<&str> = clear.map(|check| &*check.id).collect();
        if !read || clear.join(" ") != shown {
            wrong.push(format!("{name}: {read}, {clear:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn lscpu_is_understood_in_other_languages_and_as_json() {
    let mut seen = 0;
    for (name, text) in sections(include_str!("data/healthy.txt")) {
        if !name.starts_with("lscpu") {
            continue;
        }
        let cpu = diagnosed(text).environment.cpu;
        let counted = cpu.logical > 0 || !text.contains("n-line CPU(s)");
        assert!(cpu.model.is_some() && counted, "{name}: {cpu:?}");
        let known = ["arm", "first lines"].iter().any(|part| name.ends_with(part));
        assert!(cpu.signature.is_some() || known, "{name}: {cpu:?}");
        seen += 1;
    }
    assert!(seen >= 12);
}

const SKEW: &str = "clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as \
                    unstable because the skew is too large:";

#[test]
fn a_log_is_understood_however_it_was_copied() {
    let (first, rest) = SKEW.split_once(" as ").expect("two parts");
    let bytes: Vec<String> = SKEW.bytes().map(|byte| byte.to_string()).collect();
    let wide: Vec<u8> =
        format!("\u{feff}[    0.1] {SKEW}\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let forms = [
        format!("> [    0.149339] {SKEW}\n"),
        format!("> > [    0.149339] {first} as\n> > {rest}\n> > [    0.2] usb\n"),
        format!("[    0.149339] {SKEW}\r\n"),
        format!("[    0.149339][  C3] {SKEW}\n"),
        format!("[Jan 5 10:11] {SKEW}\n[  +0.000012] usb\n"),
        format!("kern  :warn  : [Mo Jan  5 10:11:12 2026] {SKEW}\n"),
        format!("2026-01-05T10:11:12,123456+01:00 {SKEW}\n"),
        format!("\x1b[32m[    0.149339] \x1b[0m\x1b[33m{SKEW}\x1b[0m\n"),
        format!("<4>1 2026-01-05T10:11:12.003Z host kernel - - - {SKEW}\n"),
        format!("<pre>[    0.149339] {}</pre>\n", SKEW.replace('\'', "&#39;")),
        format!("[    0.149339] {}\n", SKEW.replace('\'', "\u{2019}")),
        format!("<td>[    0.149339] {}</td>\n", SKEW.replace('\'', "&#x27;")),
        format!("{{\"_TRANSPORT\":\"kernel\",\"MESSAGE\":[{}]}}\n", bytes.join(",")),
        format!("{{\n \"dmesg\": [ {{ \"pri\": 4, \"time\": 0.1, \"msg\": \"{SKEW}\" }} ]\n}}\n"),
        format!("[{{\"_TRANSPORT\":\"kernel\",\"MESSAGE\":\"{SKEW}\"}}]\n"),
        format!("Hello,\nsince the update I see\n[    0.149339] {SKEW}\nWhat is that?\n"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let swapped: Vec<u8> = wide.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    for bytes in forms.iter().map(|form| form.as_bytes()).chain([&*wide, &*swapped]) {
        fs::write(&path, bytes).expect("a file");
        let report = doctor(&[&path.display().to_string()]);
        let report =
            report.unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(bytes)));
        assert!(found(&report).contains(&"tsc-skew"), "{}", String::from_utf8_lossy(bytes));
    }
}

/// A line is also explained as pages, word processors, mails and pagers leave it.
#[test]
fn a_line_is_explained_however_it_was_copied() {
    let cut = &SKEW[..SKEW.len() - 30];
    for line in [
        format!("[    0.149339] {SKEW}"),
        format!("> [    0.149339] {SKEW}"),
        format!("Jan  5 10:11:12 host kernel: {}", SKEW.replace('\'', "\u{2019}")),
        format!("[    0.149339] {}", SKEW.replace('\'', "&#x27;")),
        format!("[    0.149339] {cut}"),
        format!("[    0.149339] {cut}\u{2026}"),
    ] {
        let output = run(&["explain", &line]);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(shown.contains("tsc-skew"), "{line}: {shown}");
    }
}

/// Programs that steer clocks count by what is known of their messages, in each form of a journal,
/// and next to a part of the kernel's log.
#[test]
fn a_journal_says_what_programs_did_to_the_clock() {
    const STEP: &str = "System clock was stepped by 31939.769192 seconds";
    let json = |program: &str, text: &str| {
        let line = serde_json::json!({ "SYSLOG_IDENTIFIER": program, "MESSAGE": text,
            "_TRANSPORT": "syslog" });
        format!("{line}\n")
    };
    for (text, wanted) in [
        (format!("Jan  5 10:11:12 host chronyd[77]: {STEP}\n"), true),
        (format!("[   12.500000] host chronyd[77]: {STEP}\n"), true),
        (format!("[   12.500000] host sshd[77]: {STEP}\n[    1.0] host kernel: usb\n"), false),
        (format!("ntp_1 | 2026-01-05T10:11:12Z {STEP}\n"), true),
        (json("chronyd", STEP), true),
        (json("sshd", STEP) + &json("chronyd", "tsc is unstable, says chronyd"), false),
    ] {
        let report = diagnosed(&text);
        assert_eq!(found(&report).contains(&"clock-stepped"), wanted, "{text}");
        assert!(!report.environment.kernel_log.iter().any(|line| line.contains("tsc")), "{text}");
    }
    let both = format!("Jan  5 10:11:12 host chronyd[77]: {STEP}\n[    0.149339] {SKEW}\n");
    let report = diagnosed(&both);
    assert!(
        ["clock-stepped", "tsc-skew"].iter().all(|id| found(&report).contains(id)),
        "{report:?}"
    );
}

#[test]
fn lines_that_ask_for_something_are_shown_though_they_prove_no_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    for (line, also) in [
        ("rcu: INFO: rcu_preempt self-detected stall on CPU", true),
        ("INFO: rcu_sched_state detected stall on CPU 2 (t=15000 jiffies)", true),
        // Whether this is a virtual machine is not known.
        ("watchdog: BUG: soft lockup - CPU#1 stuck for 45s! [a:1]", true),
        ("tsc: Marking TSC unstable due to clocksource watchdog", true),
        ("clocksource: Marking clocksource tsc unstable due to frequency skew", false),
        ("chronyd[7]: Can't synchronise: no majority", true),
        ("rtc-pcf85063 10-0051: Power loss detected, invalid time", true),
    ] {
        fs::write(&path, format!("[    1.0] {line}\n[    2.0] {line}\n[    3.0] usb\n"))
            .expect("room");
        let output = run(&["doctor", &path.display().to_string(), "--color", "never"]);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let below = shown.split_once("Also in the log").map_or("", |(_, below)| below);
        let below = below.split("\nUnknown").next().unwrap_or_default();
        let once = below.matches(line).count() == 1 && below.contains("What to do:");
        assert_eq!(once, also, "{line}: {shown}");
        let gave_up = shown.contains("the kernel gave up the TSC");
        assert_eq!(gave_up, line.contains("clocksource watchdog"), "{shown}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn archives_are_read_and_hostile_ones_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let put = |name: &str, text: &str| {
        fs::create_dir_all(at(name).parent().expect("a parent")).expect("a folder");
        fs::write(at(name), text).expect("a file");
    };
    put("sos-x/sos_commands/kernel/dmesg", &format!("[    0.1] {SKEW}\n"));
    put("sos-x/proc/cmdline", "ro quiet tsc=reliable\n");
    put("sos-x/etc/shadow", "secret\n");
    put("b/process", "arch=x86_64\nsysname=Linux\n");
    put("b/root/dev/kmsg", &format!("4,1,1,-;{SKEW}\n"));
    put("none/readme", "nothing\n");
    let tar = |flags: &str, name: &str, what: &str| {
        let mut tar = std::process::Command::new("tar");
        tar.args([flags, name, what]).current_dir(folder.path());
        assert!(tar.status().is_ok_and(|status| status.success()), "tar {flags}");
        at(name).display().to_string()
    };
    let shown = |path: &str| doctor(&[path]);
    for path in [
        tar("-cJf", "sos.tar.xz", "sos-x"),
        tar("-czf", "sos.tar.gz", "sos-x"),
        tar("-cf", "sos.tar", "sos-x"),
        tar("-czf", "b.tgz", "b"),
        tar("-cf", "b.tar", "./b"),
        at("sos-x").display().to_string(),
    ] {
        let report = shown(&path).unwrap_or_else(|why| panic!("{why}"));
        assert!(found(&report).contains(&"tsc-skew"), "{path}");
    }
    let empty = tar("-cf", "none.tar", "none");
    assert!(shown(&empty).is_err_and(|why| why.contains("no fact")));
    // A cut archive, a bomb of zeros, and a header whose sum is wrong.
    let whole = fs::read(at("sos.tar.xz")).expect("an archive");
    fs::write(at("cut.tar.xz"), &whole[..whole.len() / 2]).expect("a file");
    let mut broken = fs::read(at("none.tar")).expect("an archive");
    broken[100] ^= 1;
    fs::write(at("broken.tar"), broken).expect("a file");
    fs::write(at("text.gz"), b"\x1f\x8b garbage").expect("a file");
    for name in ["cut.tar.xz", "broken.tar", "text.gz"] {
        assert!(shown(&at(name).display().to_string()).is_err(), "{name}");
    }
}

#[test]
fn texts_complete_a_bundle_and_two_machines_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(folder.path().join("b")).expect("a folder");
    fs::write(Path::new(&path("b/process")), "arch=x86_64\nsysname=Linux\n").expect("a file");
    fs::write(Path::new(&path("log")), format!("[    0.1] {SKEW}\n")).expect("a file");
    let (bundle, log) = (path("b"), path("log"));
    let both = doctor(&[&bundle, &log]).unwrap_or_else(|why| panic!("{why}"));
    assert!(found(&both).contains(&"tsc-skew"));
    assert_eq!(both.environment.arch, "x86_64");
    assert!(doctor(&[&bundle, &bundle]).is_err());
}

/// Another process is looked at by its own files.
#[cfg(target_os = "linux")]
#[test]
fn another_process_shows_its_own_slack_and_libraries() {
    let library = fs::read_to_string("/proc/self/maps").expect("maps");
    let library = library.lines().filter_map(|line| line.split_whitespace().nth(5));
    let mut library = library.into_iter().filter(|path| path.contains("/libc"));
    let library = library.next().map(ToOwned::to_owned);
    let folder = tempfile::tempdir().expect("a folder");
    let mut sleeper = std::process::Command::new("sleep");
    sleeper.arg("60");
    // Any library will do under the first name: it is known by that. The other one is known by
    // its functions.
    let names = ["libfaketime.so.1", "libother.so"].map(|name| folder.path().join(name));
    let copied =
        library.is_some_and(|library| names.iter().all(|name| fs::copy(&library, name).is_ok()));
    if copied {
        sleeper.env("LD_PRELOAD", names.map(|name| name.display().to_string()).join(":"));
    }
    let mut sleeper = sleeper.spawn().expect("it starts");
    let slack = format!("/proc/{}/timerslack_ns", sleeper.id());
    // The program has begun once its own libraries are mapped.
    for _ in 0..1000 {
        let maps = fs::read_to_string(format!("/proc/{}/maps", sleeper.id())).unwrap_or_default();
        if maps.contains("/sleep") && maps.contains("[vdso]") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let set = fs::write(&slack, "5000000").is_ok();
    let pid = sleeper.id().to_string();
    let report = doctor(&["--pid", &pid]);
    sleeper.kill().expect("it runs");
    sleeper.wait().expect("it ends");
    let report = report.unwrap_or_else(|why| panic!("{why}"));
    assert!(!set || found(&report).contains(&"timer-slack"), "{:?}", report.environment);
    let keeping = report.environment.keeping.unwrap_or_default();
    assert!(keeping.sleep_refused.is_none() && report.clocks.is_empty());
    if copied && cfg!(target_env = "gnu") {
        let loaded = keeping.library_clock.unwrap_or_default().preloaded;
        assert_eq!(loaded.first().map(String::as_str), Some("libfaketime.so.1"));
        assert!(loaded.iter().any(|it| it.starts_with("libother.so (clock_gettime")), "{loaded:?}");
        assert!(!loaded.iter().any(|it| it.starts_with("libc.so")), "{loaded:?}");
    }
    assert!(doctor(&["--pid", "4194305"]).is_err());
}
