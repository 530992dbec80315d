//! What happens to runs of waits if the machine, the user or the disk is in the way.
#![cfg(target_os = "linux")]

use crate::waiting::{children, json, path_text, read, runs, samples, signal, start, until, waits};
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, StoppedBy};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

#[test]
fn no_load_outlives_the_tool_however_it_ends() {
    let loads = Load::ALL.into_iter().filter(|load| *load != Load::None);
    let ends = ["-KILL", "-INT", "-TERM", "-ABRT"];
    for (nth, (load, end)) in loads.flat_map(|l| ends.map(|end| (l, end))).enumerate() {
        let load = match load {
            // A higher priority may not be permitted here, and then there is nothing to outlive.
            Load::High if !may_be_higher() => continue,
            load => load.name(),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = waits(&["rust/thread-sleep", "--wait", "1ms", "--duration", "1h"])
            .args(["--load", load, "--seed", &nth.to_string()])
            .env("TMPDIR", folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the tool");
        let load = until("a load", || Some(children(child.id())).filter(|pids| !pids.is_empty()));
        signal(&child, end);
        child.wait().expect("it ends");
        until("the load's end", || (!load.iter().any(|&pid| runs(pid))).then_some(()));
        // None of the files that were written is left either.
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0, "{load:?} {end}");
    }
    // And none is left if a run ends by itself.
    let mut child = start(&[
        "rust/thread-sleep",
        "--wait",
        "1ms",
        "--count",
        "300",
        "--load",
        "low,normal,timers",
    ]);
    let mut seen = Vec::new();
    until("the end", || {
        seen.extend(children(child.id()));
        child.try_wait().expect("it is ours")
    });
    assert!(!seen.is_empty() && !seen.iter().any(|&pid| runs(pid)));
}

/// Whether a process of this user may have a higher priority than others.
fn may_be_higher() -> bool {
    let tried = Command::new("nice").args(["-n", "-20", "true"]).output();
    tried.is_ok_and(|output| output.status.success() && output.stderr.is_empty())
}

/// Runs the tool as a user who may not raise the priority above normal.
fn without_privilege(args: &[&str]) -> Output {
    let root = std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    let mut command = Command::new("prlimit");
    command.args(["--nice=0:0", "--rtprio=0:0"]);
    if root {
        command.args(["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]);
    }
    command.arg(env!("CARGO_BIN_EXE_chronoscope")).arg("waits");
    command.args(args).output().expect("prlimit of util-linux")
}

fn report(output: &Output) -> Report {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_load_that_needs_privilege_is_named_and_the_rest_continues() {
    let measured = ["rust/thread-sleep", "--wait", "1ms", "--count", "5"];
    let args = [&measured[..], &["--load", "high,none", "--json"]].concat();
    let output = without_privilege(&args);
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("CAP_SYS_NICE") && told.lines().count() == 1, "{told}");
    for row in report(&output).waits {
        let why = row.unavailable_reason.unwrap_or_default();
        assert_eq!(row.load == Load::High, why.contains("CAP_SYS_NICE"), "{why}");
        assert_eq!(row.samples, if row.load == Load::High { 0 } else { 5 });
    }
    // If nothing is left to measure, the exit code says so.
    let output = without_privilege(&[&measured[..], &["--load", "high"]].concat());
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_priority_that_is_not_permitted_is_one_usage_error_before_anything_runs() {
    let cpus = chronoscope_probes::machine::affinity::allowed();
    let cpu = cpus[0].to_string();
    // The run would take an hour.
    let args = ["rust/thread-sleep", "--wait", "1ms", "--duration", "1h"];
    for refused in
        [&["--priority", "10", "--cpu", &cpu][..], &["--load", "high", "--load-priority", "10"]]
    {
        let output = without_privilege(&[&args[..], refused].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(refused[refused.len() - 2]) || told.contains(refused[0]), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        // A machine with one CPU, or without throttling, refuses before it tries.
        let elsewhere = cpus.len() < 2 || told.contains("throttling");
        assert!(elsewhere || told.contains("CAP_SYS_NICE"), "{told}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn more_load_processes_than_cpus_share_them() {
    let cpus = chronoscope_probes::machine::affinity::allowed().len();
    let wanted = (2 * cpus + 1).to_string();
    let args = ["rust/thread-sleep", "--wait", "1ms", "--count", "20"];
    let (report, output) =
        json(&[&args[..], &["--load", "low,normal", "--load-processes", &wanted]].concat());
    assert!(output.status.success());
    for row in &report.waits {
        let load = row.load_run.as_ref().expect("what the load got");
        assert_eq!(load.processes.len(), 2 * cpus + 1);
        assert!(load.notes.iter().any(|note| note.contains("share")));
        // The loads cannot have used more CPU time than is available, apart from the clocks' ticks.
        assert!(load.cpus() <= cpus as f64 * 1.2 + 0.2, "{load:?}");
    }
}

#[test]
fn a_checkpoint_without_room_stays_unchanged_and_the_run_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let args = ["linux/nanosleep", "--period", "1ms", "--slack", "default"];
    let rest = ["--duration", "4s", "--checkpoint", path_text(&path)];
    // No file may grow beyond the size of a first report; to the tool this looks like a full disk.
    let mut child = Command::new("prlimit")
        .arg("--fsize=4096")
        .arg(env!("CARGO_BIN_EXE_chronoscope"))
        .arg("waits")
        .args([&args[..], &rest[..], &["--json"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("prlimit of util-linux");
    let mut out = child.stdout.take().expect("a pipe");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut out, &mut text).expect("its report");
    let output = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot write") && told.contains("the run continues"), "{told}");
    assert!(told.lines().count() <= 3, "{told}");
    let whole: Report = serde_json::from_str(&text).expect("the run itself is whole");
    assert_eq!(whole.waits[0].stopped_by, StoppedBy::Time);
    assert!(whole.notes.iter().any(|note| note.id == "checkpoint-failed"), "{:?}", whole.notes);
    let course = whole.waits[0].course.as_ref().expect("a course");
    assert!(matches!(course.unkept[..], [gap] if gap.seconds > 0.0), "{course:?}");
    // Nothing half-written is left behind, under its own name or another.
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// As when its CPU goes offline, a thread is let run elsewhere.
#[test]
fn a_row_ends_when_its_cpu_is_taken_away_and_keeps_what_was_before() {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let mut cpus = list.expect("a list").trim().split([',', '-']);
    let (Some(one), Some(other)) = (cpus.next(), cpus.next()) else { return };
    let mut child = waits(&["linux/nanosleep", "--wait", "1ms", "--duration", "1h", "--json"])
        .args(["--slack", "default", "--quiet", "--cpu", one])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tool");
    let thread = until("a waiting thread", || {
        let all = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
        let mut all = all.filter_map(|it| Some(it.ok()?.path()));
        let name = |it: &PathBuf| std::fs::read(it.join("comm"));
        all.find(|it| name(it).is_ok_and(|it| it == b"wait-0-0\n"))?
            .file_name()?
            .to_str()
            .map(str::to_owned)
    });
    std::thread::sleep(Duration::from_millis(500));
    let moved = Command::new("taskset").args(["-p", "-c", other, &thread]).output();
    let moved = moved.expect("taskset of util-linux");
    let told = String::from_utf8_lossy(&moved.stderr);
    // Before taskset shows what it has set, the thread may have noticed and ended.
    assert!(moved.status.success() || told.contains("No such process"), "{told}");
    let mut text = String::new();
    let out = child.stdout.as_mut().expect("a pipe");
    std::io::Read::read_to_string(out, &mut text).expect("its report");
    child.wait().expect("it ends");
    let report: Report = serde_json::from_str(&text).expect("a report");
    let [row] = &report.waits[..] else { panic!("{text}") };
    let why = row.unavailable_reason.as_deref().unwrap_or_default();
    assert!(why.contains(&format!("CPU {one} was taken away")), "{why}");
    assert!(row.samples > 0 && row.stopped_by == StoppedBy::Failure, "{row:?}");
}

/// Simulates a clock that is set while waits run: a library loaded before the C library moves
/// CLOCK_REALTIME by an hour, two seconds after the start, and back.
#[cfg(target_arch = "x86_64")]
const STEPPED: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    static time_t start;
    struct timespec running;
    int result;
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    real(CLOCK_MONOTONIC, &running);
    if (!start)
        start = running.tv_sec;
    result = real(id, now);
    if (id == CLOCK_REALTIME && running.tv_sec - start >= 2 && running.tv_sec - start < 4)
        now->tv_sec += 3600;
    return result;
}
"#;

// On other targets the C compiler may be for another machine than the tool.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_step_of_the_wall_clock_is_reported_and_affects_no_wait() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, library) = (folder.path().join("step.c"), folder.path().join("step.so"));
    std::fs::write(&source, STEPPED).expect("room");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .output()
        .expect("the compiler that built the readers");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let args = ["linux/clock_nanosleep-abs", "rust/thread-sleep", "posix/cond_timedwait"];
    let output = waits(&args)
        .args(["--wait", "2ms", "--duration", "6s", "--slack", "default", "--json"])
        .env("LD_PRELOAD", &library)
        .output()
        .expect("the tool");
    assert!(output.status.success());
    let report = report(&output);
    assert_eq!(report.waits.len(), 3);
    for row in &report.waits {
        let steps: Vec<&String> = row.notes.iter().filter(|n| n.contains("stepped")).collect();
        assert_eq!(steps.len(), 2, "{:?}", row.notes);
        assert!(steps[0].contains("+3600.0") && steps[1].contains("-3600.0"), "{steps:?}");
        // No wait was an hour long, or shorter than asked for, and none is missing as a gap.
        assert!(row.max_ns < 1_000_000_000_000 && row.early == 0 && row.gaps.is_empty());
        assert!(row.samples > 0);
    }
    // The duration of the run is not measured with the wall clock either.
    assert!(report.run.seconds < 1000.0);
}

#[test]
fn a_real_time_spin_is_not_ended_by_its_own_limit() {
    let cpus = chronoscope_probes::machine::affinity::allowed();
    let cpu = cpus[0].to_string();
    let args = ["busy/instant", "--wait", "1ms", "--duration", "5s", "--priority", "5", "--json"];
    let output = waits(&args).args(["--cpu", &cpu]).output().expect("the tool");
    // Without permission, or without a second CPU, there is nothing to end.
    let expected = if cpus.len() > 1 { Some(0) } else { Some(2) };
    assert_eq!(output.status.code(), expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_interrupt_is_handled_within_a_long_sample_of_overhead() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chronoscope"))
        .args(["overhead", "rust/instant", "10", "999999999", "99999", "--budget", "10h"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tool");
    // The tool receives signals once the thread for them exists.
    until("the thread that receives signals", || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
        (tasks.count() > 1).then_some(())
    });
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "-INT");
    let status = until("the end", || child.try_wait().expect("it is ours"));
    assert_eq!(status.code(), Some(130));
}

#[test]
fn checkpoints_continue_to_be_written_under_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let mut child = start(&[
        "rust/thread-sleep",
        "--period",
        "1ms",
        "--slack",
        "default",
        "--load",
        "normal",
        "--duration",
        "1h",
        "--checkpoint",
        path_text(&path),
    ]);
    let first = until("the first checkpoint", || samples(&path));
    until("a later one", || samples(&path).filter(|&n| n > first));
    signal(&child, "-KILL");
    child.wait().expect("it has ended");
    let report = read(&path).expect("a checkpoint is always readable");
    let load = report.waits[0].load_run.as_ref().expect("what the load got");
    assert!(load.cpus() > 0.0 && !report.run.complete);
}

#[test]
fn the_rows_of_a_load_that_lost_a_process_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let child = start(&[
        "rust/thread-sleep",
        "--wait",
        "1ms",
        "--duration",
        "6s",
        "--load",
        "normal",
        "--checkpoint",
        path_text(&path),
        "--export",
        "json=-",
    ]);
    // A load that ends before the measurement begins is another matter: then there are no rows.
    until("the first checkpoint", || samples(&path));
    let load = until("a load", || children(child.id()).first().copied());
    let killed = Command::new("kill").args(["-KILL", &load.to_string()]).status();
    assert!(killed.expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let rows = report(&output).waits;
    assert!(!rows.is_empty());
    for row in rows {
        let run = row.load_run.as_ref().expect("what the load got");
        assert_eq!(run.lost(), 1, "{run:?}");
        let note = run.loss().expect("one was killed");
        assert!(row.notes.contains(&note), "{:?}", row.notes);
    }
}
