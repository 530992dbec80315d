//! The common options: each has its effect with every command, or is refused.

use crate::common::{SHORT, run};
use chronoscope_model::advice::Goal;
use chronoscope_report::format::{self, Format};
use std::process::Output;

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All commands, including those that measure nothing.
fn commands() -> impl Iterator<Item = &'static [&'static str]> {
    SHORT.into_iter().chain([&["list"][..], &["explain", "tick"]])
}

#[test]
fn every_format_contains_something_of_every_command_or_is_refused() {
    for args in commands() {
        exported(args, format::ALL);
    }
}

/// Runs a command once, with all of these formats. If one of them is refused, nothing is measured,
/// and fewer are tried, until each that is refused was alone.
fn exported(args: &[&str], formats: &[&Format]) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |id: &str| folder.path().join(id);
    let export = |format: &&Format| format!("--export={}={}", format.id, file(format.id).display());
    let exports: Vec<String> = formats.iter().map(export).collect();
    let words: Vec<&str> = args.iter().copied().chain(exports.iter().map(String::as_str)).collect();
    let output = run(&words);
    if code(&output) == Some(2) {
        assert_eq!(told(&output).lines().count(), 1, "{words:?}: {}", told(&output));
        let (waits, others): (Vec<_>, Vec<_>) =
            formats.iter().copied().partition(|format| format.distributions_only);
        match formats {
            [_] => {}
            _ if waits.is_empty() || others.is_empty() => {
                formats.iter().for_each(|format| exported(args, &[format]));
            }
            _ => [waits, others].iter().for_each(|some| exported(args, some)),
        }
        return;
    }
    assert_eq!(code(&output), Some(0), "{words:?}: {}", told(&output));
    for format in formats {
        let text = std::fs::read_to_string(file(format.id)).unwrap_or_default();
        // More than a head; or a format that holds only waits reports that there was no time for
        // one.
        let no_wait = || told(&output).contains("and this report has none");
        let least = match format.id {
            "csv" => text.lines().count() > 1,
            "markdown" => text.contains("\n##"),
            "hdr" => text.lines().count() > 3 || no_wait(),
            "cyclictest-json" => text.contains("\"histogram\"") || no_wait(),
            _ => !text.is_empty(),
        };
        assert!(least, "{args:?} as {}: {text}{}", format.id, told(&output));
    }
}

#[test]
fn verbose_shows_more_on_every_command_or_is_refused() {
    for args in commands().chain([&["list", "formats"][..]]) {
        let output = run(&[args, &["-v"]].concat());
        if code(&output) == Some(2) {
            assert!(told(&output).contains("--verbose does not apply"), "{output:?}");
            assert!(matches!(args[0], "explain" | "list"), "{args:?}");
            continue;
        }
        assert_eq!(code(&output), Some(0), "{args:?}");
        let lines = |output: &Output| String::from_utf8_lossy(&output.stdout).lines().count();
        let more = lines(&output);
        let less = lines(&run(args));
        // What is measured also has the machine above it: a finding of the other run alone may
        // take as many lines.
        let machine = String::from_utf8_lossy(&output.stdout).contains("\n  ruler ");
        assert!(machine || more >= less + 6, "{args:?}: {more} lines, {less} without");
    }
}

#[test]
fn lists_and_pages_are_json_too() {
    let json = |args: &[&str]| -> serde_json::Value {
        let output = run(args);
        assert_eq!(code(&output), Some(0), "{args:?}");
        serde_json::from_slice(&output.stdout).expect("it is JSON")
    };
    for what in ["clocks", "waits", "faults", "purposes", "formats"] {
        let list = json(&["list", what, "--json"]);
        assert_eq!(list["schema"], "chronoscope.list/1");
        assert_eq!(list["what"], what);
        let entries = list["entries"].as_array().expect("a list");
        assert!(!entries.is_empty());
        for entry in entries {
            assert!(entry["id"].is_string() && entry["about"].is_string());
            let reason = entry["unavailable_reason"].is_string();
            assert_eq!(entry["available"], !reason, "{entry}");
        }
    }
    let page = json(&["explain", "posix/monotonic", "--export", "json=-"]);
    assert_eq!(page["schema"], "chronoscope.page/1");
    assert_eq!(page["id"], "posix/monotonic");
    assert!(page["facts"]["available here"].is_string());

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.json");
    let export = format!("json={}", path.display());
    let output = run(&["list", "purposes", "--export", &export]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("interval"));
    let written = std::fs::read(&path).expect("it was exported");
    assert_eq!(written, run(&["list", "purposes", "--json"]).stdout);
}

#[test]
fn an_option_that_does_not_apply_is_refused_before_anything_is_done() {
    let report =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reports/x86_64-unknown-linux-gnu.json");
    for (args, option) in [
        (&["list"][..], &["--cpu", "0"][..]),
        (&["list"], &["--budget", "1s"]),
        (&["list"], &["--export", "csv=-"]),
        (&["list"], &["--allow", "noisy-machine"]),
        (&["explain", "tick"], &["--seed", "1"]),
        (&["explain", "tick"], &["--fail-on", "info"]),
        (&["generate", "schema"], &["--json"]),
        (&["list"], &["--fail-on", "error"]),
        (&["explain", "tick"], &["-v"]),
        (&["report", report, "--as", "brief"], &["-v"]),
        (&["report", report, "--as", "csv"], &["-v"]),
        (&["deltas", "c/time"], &["--export", "hdr=-"]),
        (&["advise", "--from", report], &["--cpu", "0"]),
        (&["advise", "--from", report], &["--budget", "1s"]),
        (&["clocks"], &["--export", "json=-", "--json"]),
        (&["clocks"], &["--export", "json=-", "--export", "markdown=-"]),
        (&["clocks"], &["--export", "json=x", "--export", "csv=x"]),
    ] {
        let output = run(&[args, option].concat());
        let line = told(&output);
        assert_eq!(code(&output), Some(2), "{args:?} {option:?}: {line}");
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(output.stdout.is_empty());
    }
    let output = run(&["clocks", "--allow", "noisy"]);
    assert_eq!(code(&output), Some(2));
    assert!(told(&output).contains("noisy-machine"), "{output:?}");
    assert!(told(&run(&["clocks", "--allow", "qqqq"])).contains("chronoscope list faults"));
}

#[test]
fn help_shows_the_options_that_apply_and_no_others() {
    const MEASURING: [&str; 3] = ["--budget", "--cpu", "--seed"];
    for (command, shown, hidden) in [
        ("clocks", &["--json", "--budget", "--cpu", "--seed", "--allow", "--fail-on"][..], &[][..]),
        ("report", &["--json", "--allow", "--fail-on", "--verbose"], &MEASURING),
        ("list", &["--json", "--export", "--verbose"], &["--budget", "--cpu", "--allow"]),
        ("explain", &["--json", "--export"], &["--seed", "--verbose", "--fail-on"]),
        ("generate", &[], &["--json", "--export", "--budget", "--quiet"]),
    ] {
        let output = run(&[command, "--help"]);
        let help = String::from_utf8_lossy(&output.stdout);
        for option in shown {
            assert!(help.contains(option), "{command} does not show {option}");
        }
        for option in hidden {
            assert!(!help.contains(option), "{command} shows {option}");
        }
    }
    let help = String::from_utf8_lossy(&run(&["report", "--help"]).stdout).into_owned();
    for screen in ["- runtimes:", "- trust:", "- sweep:", "Two lines to paste", "- hdr:"] {
        assert!(help.contains(screen), "--as does not list {screen}");
    }
}

#[test]
fn a_file_tells_the_format_by_its_extension() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let report =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reports/x86_64-unknown-linux-gnu.json");
    for format in format::by_extension() {
        let (short, long) = (at(&format!("a.{}", format.extension)), at("b"));
        let same = format!("{}={long}", format.id.to_uppercase());
        let waits = ["report", report, "--as", "waits", "-o", &short, "--export", &same];
        assert_eq!(code(&run(&waits)), Some(0), "{waits:?}");
        let read = |path: &str| std::fs::read(path).expect("it was written");
        assert!(!read(&short).is_empty() && read(&short) == read(&long), "{}", format.id);
    }
    let output = run(&["list", "Formats", "-o", &at("list.JSON")]);
    assert_eq!(code(&output), Some(0));
    let list = std::fs::read(at("list.JSON")).expect("it was written");
    assert_eq!(list, run(&["list", "formats", "--json"]).stdout);
}

/// In bash itself, where there is one: what a user gets who presses the key for completion.
#[test]
#[cfg(unix)]
fn ids_purposes_findings_and_formats_are_completed() {
    use std::process::Command;
    let script = run(&["generate", "completions", "bash"]).stdout;
    let script = String::from_utf8(script).expect("text");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chronoscope.bash");
    std::fs::write(&path, &script).expect("room");
    let bash = Command::new("bash").args(["-c", "((BASH_VERSINFO[0] >= 5))"]).status();
    let has_bash = bash.is_ok_and(|status| status.success());
    for (typed, offered) in [
        ("clocks posix/mono", "posix/monotonic"),
        ("clocks c/time posix/mono", "posix/monotonic"),
        ("deltas x86/rdtsc-a", "x86/rdtsc-asm"),
        ("waits busy/mono", "busy/monotonic"),
        ("runtimes pyp", "pypy"),
        ("advise --for inter", "interval"),
        ("advise --language Py", "Python"),
        ("doctor --allow noisy-m", "noisy-machine"),
        ("hardware --export mark", "markdown="),
        ("hardware -o cs", "csv="),
        ("report --as over", "overhead"),
        ("explain cause/run", "cause/run-queue"),
        ("demo two", "two-reads"),
        ("--only rust/inst", "rust/instant"),
        ("list form", "formats"),
    ] {
        assert!(script.contains(offered), "{offered}");
        if has_bash {
            let line = format!(
                "source '{}'; COMP_WORDS=(chronoscope {typed}); \
                 COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); compopt() {{ :; }}; \
                 _chronoscope chronoscope \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; \
                 printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                path.display()
            );
            let output = Command::new("bash").args(["-c", &line]).output().expect("bash");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.lines().any(|line| line == offered), "{typed}: {text} {output:?}");
        }
    }
    let fish = run(&["generate", "completions", "fish"]).stdout;
    let fish = String::from_utf8(fish).expect("text");
    let line = fish.lines().find(|line| line.contains("using_subcommand waits\" -f -a"));
    assert!(line.is_some_and(|line| line.contains("busy/monotonic")), "{fish}");
}

#[test]
fn options_may_stand_before_the_command_that_takes_them() {
    let (before, after) =
        (run(&["--json", "list", "formats"]), run(&["list", "formats", "--json"]));
    assert_eq!((code(&before), before.stdout), (Some(0), after.stdout));
    for (args, option) in [
        (&["--cpu", "0", "list"][..], "--cpu does not apply to `list`"),
        (&["-v", "explain", "tick"], "--verbose does not apply to `explain`"),
        (&["--only", "rust", "clocks"], "--only does not apply to `clocks`"),
    ] {
        assert!(told(&run(args)).contains(option), "{args:?}");
    }
}

#[test]
fn a_budget_is_kept_and_the_screen_shows_what_it_left_out() {
    let output = run(&["deltas", "rust/instant", "--reads", "1000000000000", "--budget", "300ms"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("of 1,000,000,000,000 before the time was up"), "{text}");
    let output = run(&["calls", "rust/instant", "--budget", "20ms", "--json"]);
    let report: chronoscope_model::Report =
        serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report.calls[0].passes.len(), 3);
    assert!(report.calls[0].counts[0] < 1_000_000);
    // If nothing could be measured, that is not a success.
    let output = run(&["advise", "--for", "wait", "--budget", "1ms"]);
    assert_eq!(code(&output), Some(3));
    assert!(told(&output).contains("--budget"), "{output:?}");
}

/// However short the time, the costs are measured, and notes name what is left out.
#[test]
fn the_shortest_budget_gives_costs_and_notes_what_is_missing() {
    for command in [&[][..], &["clocks"], &["advise"]] {
        let output = run(&[command, &["--budget", "1ms", "--json"]].concat());
        let report: chronoscope_model::Report =
            serde_json::from_slice(&output.stdout).expect("a report");
        let measured = report.clocks.iter().filter(|c| c.cost.throughput.is_some());
        assert!(measured.count() > 0, "{command:?}: {}", told(&output));
        assert!(!report.advice.is_empty());
        let notes = report.notes;
        let missing = notes.iter().filter(|note| note.fix.contains("--budget"));
        assert!(missing.count() >= 2, "{notes:?}");
        let waits = notes.iter().any(|note| note.id == "waits-left-out");
        assert_eq!(waits, command.is_empty(), "{notes:?}");
        // They are on standard error, because nobody sees a screen.
        assert_eq!(told(&output).lines().count(), notes.len());
    }
}

#[test]
fn advice_from_a_report_is_based_on_its_contents_and_changes_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("waits.json");
    let export = format!("json={}", path.display());
    run(&["waits", "rust", "--wait", "1ms", "--count", "3", "--export", &export]);
    let from = ["advise", "--from", path.to_str().expect("a plain path")];
    let output = run(&[&from[..], &["--json"]].concat());
    let read = |bytes: &[u8]| chronoscope_report::json::read(bytes).expect("a report");
    let (before, after) =
        (read(&std::fs::read(&path).expect("it was exported")), read(&output.stdout));
    assert_eq!((before.run, before.waits), (after.run, after.waits));
    assert!(!after.advice.is_empty());
    assert!(after.advice.iter().all(|advice| advice.purpose == "wait"));
    let output = run(&[&from[..], &["--for", "interval"]].concat());
    assert_eq!(code(&output), Some(2));
    assert!(told(&output).contains("no clocks"), "{output:?}");
}

/// The durations and goals that a stored report has choose its advice; others are refused in a
/// line.
#[test]
fn advice_on_one_wait_fits_one_screen_and_what_is_not_there_is_refused() {
    let report =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reports/x86_64-unknown-linux-gnu.json");
    let from = ["advise", "--from", report];
    for args in [&["--for", "wait"][..], &["--wait", "1ms"], &["--goal", "cpu", "--wait", "100us"]]
    {
        let output = run(&[&from[..], args, &["--language", "c"]].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.lines().count() <= 48, "{text}");
        assert_eq!(text.matches("Chosen by").count(), 1, "{text}");
        assert!(text.contains("nanosleep"), "{text}");
    }
    let output = run(&[&from[..], &["--wait", "1ms", "--goal", "cpu", "--json"]].concat());
    let read = chronoscope_report::json::read(&output.stdout).expect("a report");
    let mut choices = read.advice.iter().filter_map(|advice| advice.wait.as_ref());
    assert!(choices.all(|of| (of.requested_ns, of.goal) == (1_000_000, Goal::Cpu)));
    assert!(!read.advice.is_empty());
    for (args, why) in [
        (&["--wait", "3ms"][..], "the nearest are of 1 ms and 10 ms"),
        (&["--wait", "1s"], "the nearest are of 10 ms"),
        (&["--goal", "load"], "--load none,normal"),
        (&["--wait", "0ms"], "above zero"),
        (&["--wait", "-1ms"], "above zero"),
        (&["--wait", "soon"], "not a duration"),
        (&["--wait", "1ms", "--for", "interval"], "interval"),
    ] {
        let output = run(&[&from[..], args].concat());
        let line = told(&output);
        assert_eq!(code(&output), Some(2), "{args:?}: {line}");
        assert!(line.contains(why) && line.lines().count() == 1, "{args:?}: {line}");
    }
    // Half a minute of waits is not measured without a word.
    let output = run(&["advise", "--wait", "1s"]);
    assert_eq!(code(&output), Some(2));
    assert!(told(&output).contains("--budget"), "{output:?}");
}
