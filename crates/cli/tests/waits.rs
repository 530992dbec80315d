//! Long runs of waits, and what happens when they are stopped, killed and resumed.
#![cfg(target_os = "linux")]

use crate::waiting::{Group, json, path_text, read, samples, signal, start, until, waits};
use chronoscope_model::waits::{Load, Slack, StoppedBy};
use chronoscope_model::{Report, Wait};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

const EACH_MS: [&str; 5] = ["linux/nanosleep", "--period", "1ms", "--slack", "default"];

#[test]
fn a_killed_run_leaves_a_whole_report_and_is_resumed_from_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths: Vec<_> = (0..20).map(|nth| folder.path().join(format!("run {nth}.json"))).collect();
    // They mostly wait, so some take place at once.
    for some in paths.chunks(5) {
        std::thread::scope(|scope| {
            for path in some {
                scope.spawn(|| is_whole_after_a_kill(path));
            }
        });
    }
}

fn is_whole_after_a_kill(path: &Path) {
    let rest = ["--duration", "1h", "--checkpoint", path_text(path)];
    let mut child = start(&[&EACH_MS[..], &rest].concat());
    let first = until("the first checkpoint", || samples(path));
    std::thread::sleep(Duration::from_millis(fastrand::u64(0..700)));
    let before = samples(path).expect("a checkpoint is always readable");
    signal(&child, "-KILL");
    child.wait().expect("it has ended");
    let report = read(path).expect("a checkpoint is always readable");
    let row = &report.waits[0];
    assert!(row.samples >= before && before >= first, "a checkpoint lost samples");
    assert!(!report.run.complete && row.stopped_by == StoppedBy::Interrupt);
    assert_eq!(row.overshoot.decode().expect("whole").len(), row.samples);
    let grid = row.grid.as_ref().expect("periodic");
    assert_eq!(grid.corrected.count, row.samples + grid.missed);
}

#[test]
fn a_resumed_run_ends_at_the_original_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let file = path_text(&path);
    let mut child = start(&[
        "linux/nanosleep",
        "--period",
        "5ms",
        "--slack",
        "1ns",
        "--count",
        "600",
        "--checkpoint",
        file,
    ]);
    let first = until("the first checkpoint", || samples(&path));
    signal(&child, "-KILL");
    child.wait().expect("it has ended");
    let output = waits(&["--resume", file]).output().expect("the tool");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = read(&path).expect("a report");
    assert!(first < 600 && report.run.complete);
    let row = &report.waits[0];
    assert_eq!(row.samples + row.gaps.len() as u64, 600);
    assert_eq!((row.slack_ns, row.stopped_by), (Some(1), StoppedBy::Count));
}

#[test]
fn a_stop_is_a_gap_and_not_a_sample() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let file = path_text(&path);
    let rest = ["--duration", "4s", "--checkpoint", file, "--json"];
    let child = start(&[&EACH_MS[..], &rest].concat());
    until("the first checkpoint", || samples(&path));
    signal(&child, "-STOP");
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "-CONT");
    let output = child.wait_with_output().expect("it ends");
    let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
    let row = &report.waits[0];
    let gap = row.gaps.iter().find(|gap| gap.cause == "stopped" && gap.late_ns >= 600_000_000);
    let gap = gap.unwrap_or_else(|| panic!("no gap: {:?}", row.gaps));
    assert!(gap.missed >= 600);
    // The gap is in neither of the two histograms, in which a busy machine may have left others.
    assert_ne!(row.max_ns, gap.late_ns as i64);
    assert_ne!(row.grid.as_ref().expect("periodic").corrected.max_ns, gap.late_ns);
}

/// What happened before and after is dated from the same start, and the stop is an entry of its
/// own.
#[test]
fn times_of_a_resumed_run_go_on_from_its_first_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let file = path_text(&path);
    let halt = |child: &std::process::Child| {
        signal(child, "-STOP");
        std::thread::sleep(Duration::from_millis(700));
        signal(child, "-CONT");
    };
    let rest = ["--count", "8000", "--checkpoint", file];
    let mut child = start(&[&EACH_MS[..], &rest].concat());
    until("the first checkpoint", || samples(&path));
    halt(&child);
    let gaps = || read(&path).map_or(0, |report| report.waits[0].gaps.len());
    until("a checkpoint with the gap", || (gaps() > 0).then_some(()));
    signal(&child, "-KILL");
    child.wait().expect("it has ended");
    let (ended, earlier) = (std::time::Instant::now(), read(&path).expect("a checkpoint"));
    std::thread::sleep(Duration::from_millis(1500));
    let child = start(&["--resume", file]);
    let more = |count: &u64| *count > earlier.waits[0].samples;
    until("a checkpoint", || samples(&path).filter(more));
    let stopped_s = ended.elapsed().as_secs_f64();
    halt(&child);
    child.wait_with_output().expect("it ends");
    let row = &read(&path).expect("a report").waits[0];
    let [then, now] = [&earlier.waits[0], row].map(|row| row.course.as_ref().expect("a course"));
    assert_eq!(now.started, then.started);
    let [stop] = now.stops[..] else { panic!("{now:?}") };
    assert!(stop.seconds >= 1.5 && (stop.at_s - stop.seconds - then.seconds).abs() < 1e-3);
    let halts: Vec<_> = row.gaps.iter().filter(|gap| gap.cause == "stopped").collect();
    let [first, second] = halts[..] else { panic!("{:?}", row.gaps) };
    assert!(first.at_s < stop.at_s - stop.seconds, "{:?} {now:?}", row.gaps);
    assert!(second.at_s > stop.at_s && second.at_s > then.seconds + stopped_s, "{now:?}");
    assert!(now.seconds > second.at_s, "{now:?}");
}

/// All clocks go on for a process whose control group is frozen, as for one that a hypervisor does
/// not run.
#[test]
fn a_frozen_group_is_a_gap_and_not_a_sample() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let file = path_text(&path);
    let Some(group) = Group::new() else { return };
    let wait = ["waits", "linux/nanosleep", "--period", "1ms", "--slack", "default"];
    let time = ["--duration", "4s", "--checkpoint", file, "--json"];
    let child = group.start(&[&wait[..], &time].concat());
    until("the first checkpoint", || samples(&path));
    group.freeze(true);
    std::thread::sleep(Duration::from_millis(700));
    group.freeze(false);
    let output = child.wait_with_output().expect("it ends");
    let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
    let row = &report.waits[0];
    let gap = row.gaps.iter().find(|gap| gap.cause == "frozen" && gap.late_ns >= 600_000_000);
    let gap = gap.unwrap_or_else(|| panic!("no gap: {:?}", row.gaps));
    assert!(gap.missed >= 600);
    assert_ne!(row.max_ns, gap.late_ns as i64);
}

#[test]
fn a_loop_works_in_each_period_and_its_frames_are_its_waits_over_time() {
    let args = ["linux/clock_nanosleep-abs", "--slack", "default", "--period", "200Hz"];
    let (report, _) = json(&[&args[..], &["--work", "2ms", "--count", "100"]].concat());
    let row = &report.waits[0];
    assert_eq!((row.period_ns, row.work_ns), (Some(5_000_000), Some(2_000_000)));
    let grid = row.grid.as_ref().expect("periodic");
    let periods = (row.samples + grid.missed) as f64;
    let frames = grid.frames_per_s.expect("it waited");
    assert!((frames - 200.0 * row.samples as f64 / periods).abs() < 1e-9, "{frames}");
    let stopped: u64 = row.gaps.iter().map(|gap| gap.missed + 1).sum();
    let by_time = row.samples as f64 / (row.seconds - 0.005 * stopped as f64);
    assert!((0.9..1.1).contains(&(frames / by_time)), "{frames} and {by_time}");
    let file = serde_json::to_value(&report).expect("plain data");
    assert_eq!(file["waits_plan"]["work_ns"], 2_000_000);
}

#[test]
fn an_interrupt_ends_even_a_wait_of_an_hour() {
    let mut child = start(&["rust/thread-sleep", "--wait", "1h", "--count", "1"]);
    // The tool is waiting once its waiting thread exists.
    until("the waiting thread", || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
        let mut names =
            tasks.flatten().filter_map(|t| std::fs::read_to_string(t.path().join("comm")).ok());
        names.any(|name| name.starts_with("wait-")).then_some(())
    });
    signal(&child, "-INT");
    let status = until("the end", || child.try_wait().expect("it is ours"));
    assert_eq!(status.code(), Some(130));
}

#[test]
fn the_first_overshoot_above_the_limit_ends_the_run_with_its_evidence() {
    let (report, output) = json(&[
        "rust/thread-sleep",
        "--wait",
        "1ms",
        "--count",
        "100000",
        "--slack",
        "default",
        "--stop-above",
        "1ns",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let row = &report.waits[0];
    assert_eq!(row.stopped_by, StoppedBy::Limit);
    let moment = row.moment.as_ref().expect("the moment");
    assert!(moment.overshoot_ns > moment.limit_ns && moment.cpu.is_some());
    assert_eq!(moment.last_ns.last().copied(), i64::try_from(moment.overshoot_ns).ok());
    assert!(row.samples < 100_000);
}

#[test]
fn every_available_method_is_measured_and_the_others_give_a_reason() {
    let (report, output) = json(&["--wait", "100us", "--count", "3"]);
    assert!(output.status.success());
    assert!(report.ruler.is_some());
    for row in &report.waits {
        if row.available {
            assert_eq!(row.samples + row.gaps.len() as u64 + row.gaps_left_out, 3, "{}", row.id);
            assert_eq!(row.overshoot.decode().expect("whole").len(), row.samples);
            assert!(row.min_ns <= row.max_ns && row.by_clock.is_some());
        } else {
            assert!(
                row.unavailable_reason.as_ref().is_some_and(|why| !why.is_empty()),
                "{}",
                row.id
            );
        }
    }
    let slacks = report.waits.iter().filter(|row| row.id == "linux/nanosleep");
    assert_eq!(slacks.map(|row| row.default_slack).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn bad_input_gets_one_clear_line_and_exit_code_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{\"schema\": 7}").expect("room");
    let bad = path_text(&bad).to_owned();
    let cases: &[&[&str]] = &[
        &["--wait", "0ms"],
        &["--wait", "-1ms"],
        &["--wait", "1e30h"],
        &["--wait", "2h"],
        &["--count", "0"],
        &["--period", "10ns"],
        &["--period", "0Hz"],
        &["--period", "10GHz"],
        &["--work", "1ms"],
        &["--period", "1000Hz", "--work", "1ms"],
        &["--period", "1ms", "--work", "0.5"],
        &["--load", "none,heavy"],
        &["--load", "low", "--load-processes", "100000"],
        &["--cpu", "123456"],
        &["--priority", "99"],
        &["--load", "high", "--load-priority", "99"],
        &["--load-priority", "10"],
        &["--stop-above", "0us"],
        &["--slack", "none"],
        &["--slice", "none"],
        &["--slice", "default,99us"],
        &["--slice", "1s"],
        &["--policy", "round-robin"],
        &["--policy", "batch", "--slice", "1ms"],
        &["--policy", "deadline", "--wait", "10us"],
        &["--preset", "seed004"],
        &["--preset", "seed003", "rust/thread-sleep"],
        &["no/such-wait"],
        &["--resume", &bad],
        &["--resume", "/nonexistent"],
        &["--wait", "1s", "--duration", "1ms"],
    ];
    for case in cases {
        let output = waits(case).output().expect("the tool");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{case:?}: {told}");
        assert!(!told.is_empty() && !told.contains("panicked"), "{case:?}: {told}");
    }
}

#[test]
fn a_load_that_was_complete_stays_unchanged_when_the_run_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let run = ["rust/thread-sleep", "--wait", "1ms", "--duration", "1s"];
    let rest = ["--load", "low", "--checkpoint", path_text(&path)];
    let (first, _) = json(&[&run[..], &rest].concat());
    for _ in 0..2 {
        let again = waits(&["--resume", path_text(&path)]).output();
        assert!(again.expect("the tool").status.success());
    }
    let last = read(&path).expect("a report");
    assert_eq!((first.waits.len(), last.waits.len()), (2, 2));
    for (before, after) in first.waits.iter().zip(&last.waits) {
        assert!(before.slack_ns.is_some() && after.slack_ns == before.slack_ns);
        assert!(before.samples > 0 && after.samples >= before.samples);
        let seconds = |row: &Wait| row.load_run.as_ref().map(|run| run.seconds);
        assert!(seconds(after) > seconds(before), "{after:?}");
    }
}

#[test]
fn without_a_request_a_selection_is_measured_and_the_rest_is_named() {
    let (report, output) = json(&["--budget", "1500ms"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let plan = report.waits_plan.as_ref().expect("a plan");
    assert!(plan.chosen && plan.left_out > 0);
    // The budget is for both loads.
    assert_eq!(plan.spec.duration, Some(Duration::from_millis(750)));
    let loads = |load| report.waits.iter().any(|row| row.load == load && row.samples > 0);
    assert!(loads(Load::None) && loads(Load::Normal));
    for row in report.waits.iter().filter(|row| row.samples > 0) {
        let overshoot = &row.overshoot;
        assert_eq!(overshoot.p90_ns.is_some(), row.samples >= 29, "{} {}", row.id, row.samples);
        assert_eq!(overshoot.p99_ns.is_some(), row.samples >= 299, "{} {}", row.id, row.samples);
    }
    let choices = report.advice.iter().filter_map(|advice| advice.wait.as_ref());
    let asked: BTreeSet<String> =
        choices.map(|choice| format!("{} {:?}", choice.requested_ns, choice.goal)).collect();
    assert_eq!(asked.len(), 12, "{asked:?}");
}

#[test]
fn all_methods_and_named_ones_exclude_each_other() {
    let output = waits(&["--all", "rust/thread-sleep"]).output().expect("the tool");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_slice_is_measured_or_gives_the_reason_and_a_resumed_run_knows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let file = path_text(&path);
    let run = ["rust/thread-sleep", "--wait", "1ms", "--count", "20", "--slack", "1ns"];
    let rest = ["--slice", "default,100us", "--checkpoint", file];
    let (report, output) = json(&[&run[..], &rest].concat());
    assert!(output.status.success());
    let [plain, sliced] = report.waits.as_slice() else { panic!("{} rows", report.waits.len()) };
    assert_eq!((plain.samples + plain.gaps.len() as u64, plain.slice_ns), (20, None));
    match &sliced.unavailable_reason {
        Some(why) => assert!(why.contains("6.12") || why.contains("SCHED_OTHER"), "{why}"),
        None => assert_eq!((sliced.samples > 0, sliced.slice_ns), (true, Some(100_000))),
    }
    let plan = report.waits_plan.as_ref().expect("a plan");
    assert_eq!(plan.spec.slice, [Slack::Default, Slack::Ns(100_000)]);
    let again = waits(&["--resume", file]).output().expect("the tool");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let resumed = read(&path).expect("a report");
    let rows = |report: &Report| {
        let rows = report.waits.iter().map(|row| (row.slice_ns, row.samples));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(rows(&resumed), rows(&report));
}

#[test]
fn each_policy_has_rows_of_its_own_or_is_refused_in_one_line() {
    let run = ["rust/thread-sleep", "--wait", "1ms", "--count", "20", "--slack", "1ns"];
    if cfg!(not(target_os = "linux")) {
        let output =
            waits(&[&run[..], &["--policy", "batch"]].concat()).output().expect("the tool");
        return assert_eq!(output.status.code(), Some(2));
    }
    let (report, _) = json(&[&run[..], &["--policy", "other,batch,idle"]].concat());
    let rows: Vec<_> = report.waits.iter().map(|row| (row.method(), &*row.scheduling)).collect();
    let expected = ["other", "batch", "idle"];
    let expected = expected.map(|name| (format!("rust/thread-sleep+{name}"), name));
    assert_eq!(rows, expected);
    assert!(report.waits.iter().all(|row| row.samples > 0));
    for policy in ["rr", "deadline", "ext"] {
        let output = waits(&[&run[..], &["--policy", policy, "--json"]].concat()).output();
        let output = output.expect("the tool");
        let told = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {
                let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
                let row = &report.waits[0];
                assert!(row.scheduling.starts_with(&format!("{policy}:")), "{row:?}");
                // It may be used up by what the machine does to a thread.
                let used = row.cpu_ns.is_some_and(|ns| ns > 50_000.0);
                assert!(used || !row.notes.iter().any(|it| it.contains("throttles")), "{row:?}");
                assert!(policy != "deadline" || row.cpu.is_none());
            }
            code => {
                assert_eq!((code, told.lines().count()), (Some(2), 1), "{policy}: {told}");
                assert!(told.contains(policy) || told.contains("SCHED_FIFO"), "{told}");
            }
        }
    }
}

#[test]
fn the_seeds_table_comes_from_one_command_with_reasons_for_what_is_refused() {
    let preset = ["--preset", "seed003"];
    let (report, output) = json(&[&preset[..], &["--wait", "1ms", "--count", "2"]].concat());
    assert!(output.status.success());
    let plan = report.waits_plan.as_ref().expect("a plan");
    assert_eq!(plan.spec.load, [Load::None, Load::Low, Load::Normal, Load::High]);
    for id in ["linux/nanosleep", "busy/monotonic", "hybrid/nanosleep", "hybrid/timerfd"] {
        for load in [Load::None, Load::Low, Load::Normal] {
            let mut rows = report.waits.iter().filter(|row| row.id == id && row.load == load);
            let row = rows.next().unwrap_or_else(|| panic!("{id} {load:?}"));
            assert_eq!((row.samples + row.gaps.len() as u64, row.early), (2, 0), "{id}");
            let about = row.load_run.as_ref().map(|run| run.about.as_str());
            assert_eq!(about.is_some_and(|text| text.contains("sleeps for")), load != Load::None);
        }
    }
    let high = report.waits.iter().find(|row| row.load == Load::High).expect("a row");
    if high.samples == 0 {
        let why = high.unavailable_reason.as_deref().unwrap_or_default();
        assert!(why.contains("CAP_SYS_NICE") || why.contains("one CPU free"), "{why}");
    }
    // It is drawn as its own table.
    let one = ["--load", "low-nice", "--wait", "1ms", "--count", "2"];
    let output = waits(&[&preset[..], &one].concat()).output().expect("the tool");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("### TEST OF 2 x 1 ms") && text.contains("load low-nice"), "{text}");
    assert!(text.contains("MAX OVER") && !text.contains("p50"), "{text}");
}

#[test]
fn plain_numbers_are_milliseconds_and_a_count_in_every_style() {
    let methods = ["linux/nanosleep", "busy/monotonic"];
    let (report, _) = json(&[&methods[..], &["2", "5"]].concat());
    let asked = report.waits.iter().map(|row| (row.requested_ns, row.samples));
    assert!(asked.clone().count() >= 2);
    for (ns, samples) in asked {
        assert!(ns == Some(2_000_000) && samples <= 5, "{ns:?} {samples}");
    }
    assert!(report.notes.iter().any(|note| note.text == "2 is read as 2 ms; 5 waits"));
    for row in report.waits.iter().filter(|row| row.samples > 1) {
        let (std_dev, range) = (row.std_dev_ns.expect("measured"), row.range_ns().expect("waits"));
        assert!((0.0..=range as f64).contains(&std_dev), "{std_dev} {range}");
    }
    for name in ["windows-waits", "seed003"] {
        let args = ["--preset", name, "1", "3", "--load", "none", "-v"];
        let output = waits(&args).env("COLUMNS", "80").output().expect("the tool");
        let text = String::from_utf8_lossy(&output.stdout);
        for part in ["### TEST OF", "slack ", "power source", "STD DEV", "MAX VAR", "by clock"] {
            let power = part == "power source" && text.contains(", on ");
            assert!(power || text.contains(part), "no '{part}' in {text}");
        }
        assert_eq!(text.matches("Distribution of overshoot").count(), 1, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    for bad in [
        &["1", "2", "3"][..],
        &["0"],
        &["--all", "rust"],
        &["5", "--wait", "1ms"],
        &["--wait", "1"],
    ] {
        assert_eq!(waits(bad).output().expect("the tool").status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn a_wait_of_an_hour_that_is_interrupted_is_censored() {
    let mut child = start(&["rust/thread-sleep", "--wait", "1h", "--count", "1", "--json"]);
    // The method's own thread sleeps in the wait, and not in the turn that it waits for.
    until("the wait", || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
        let waits = tasks.flatten().any(|task| {
            let read = |name: &str| std::fs::read_to_string(task.path().join(name));
            let name = read("comm").unwrap_or_default();
            let place = read("wchan").unwrap_or_default();
            name.starts_with("wait-") && (place.contains("nanosleep") || place.len() < 2)
        });
        waits.then_some(())
    });
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "-INT");
    let status = until("the end", || child.try_wait().expect("it is ours"));
    assert_eq!(status.code(), Some(130));
    let mut told = String::new();
    let stderr = child.stderr.as_mut().expect("piped");
    std::io::Read::read_to_string(stderr, &mut told).expect("text");
    assert!(told.contains("this will take about ") && told.contains("Ctrl-C"), "{told}");
    let mut text = String::new();
    let stdout = child.stdout.as_mut().expect("piped");
    std::io::Read::read_to_string(stdout, &mut text).expect("text");
    let report: Report = serde_json::from_str(&text).expect("a report");
    for row in report.waits.iter().filter(|row| row.censored.is_some()) {
        let censored = row.censored.as_ref().expect("it is");
        assert_eq!((row.samples, censored.count, censored.late_ns), (0, 1, 0));
    }
}

#[test]
fn what_powered_the_machine_is_named_when_waits_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["mains", "battery"].map(|power| {
        let (mut report, _) = json(&["rust/thread-sleep", "--wait", "1ms", "--count", "50"]);
        report.waits.iter_mut().for_each(|row| row.power = Some(power.into()));
        let path = folder.path().join(format!("{power}.json"));
        std::fs::write(&path, serde_json::to_vec(&report).expect("plain data")).expect("room");
        path_text(&path).to_owned()
    });
    let compare = |args: &[&str]| {
        let mut tool = std::process::Command::new(env!("CARGO_BIN_EXE_chronoscope"));
        tool.arg("compare").args(args).output().expect("the tool")
    };
    let output = compare(&[&files[0], &files[1]]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in ["rust/thread-sleep", "mains", "battery", "p90", "change", "Undecided"] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
}
