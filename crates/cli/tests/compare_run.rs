//! Two commands that take turns. They print stored reports, so that every result is known.

#[cfg(unix)]
use crate::waiting;

use crate::common::run;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A report that the repository holds.
fn stored() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    folder.join("x86_64-unknown-linux-gnu.json")
}

/// The command that prints a stored report: the tool itself.
fn prints(report: &Path) -> String {
    format!("report '{}'", report.display())
}

/// The same report with the costs of the clocks of Linux multiplied.
fn with_slower_clocks(folder: &Path, factor: f64) -> PathBuf {
    let text = std::fs::read_to_string(stored()).expect("a file");
    let mut report: Value = serde_json::from_str(&text).expect("JSON");
    for clock in report["clocks"].as_array_mut().expect("clocks") {
        if !clock["id"].as_str().is_some_and(|id| id.starts_with("linux/")) {
            continue;
        }
        for mode in ["throughput", "latency"] {
            let Some(estimate) = clock["cost"].get_mut(mode) else { continue };
            for figure in ["value_ns", "low_ns", "high_ns"] {
                let ns = estimate[figure].as_f64().expect("a figure");
                estimate[figure] = (ns * factor).into();
            }
        }
    }
    let path = folder.join("slower.json");
    std::fs::write(&path, report.to_string()).expect("a file");
    path
}

fn compared(a: &str, b: &str, more: &[&str]) -> (Option<i32>, Value) {
    let words = ["compare", "--run", a, "--run", b, "--pairs", "6", "--json"];
    let output = run(&[&words, more].concat());
    let json = serde_json::from_slice(&output.stdout);
    (output.status.code(), json.unwrap_or_else(|error| panic!("{error}: {output:?}")))
}

#[test]
fn a_command_is_the_same_as_itself() {
    let report = prints(&stored());
    let (code, json) = compared(&report, &format!("chronoscope {report} --json"), &["--seed", "7"]);
    assert_eq!(code, Some(0));
    assert_eq!(json["schema"], "chronoscope.comparison/1");
    assert_eq!((&json["method"], &json["pairs"]), (&"pairs".into(), &6.into()));
    assert_eq!((&json["seed"], &json["a"]["file"]), (&7.into(), &report.into()));
    let rows = json["rows"].as_array().expect("rows");
    assert!(rows.len() > 80, "{}", rows.len());
    for row in rows {
        assert_eq!((&row["verdict"], &row["p"]), (&"same".into(), &1.0.into()), "{row}");
        assert_eq!(row["ratios"].as_array().map(Vec::len), Some(6));
    }
}

#[test]
fn a_planted_change_is_found_where_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let slower = prints(&with_slower_clocks(folder.path(), 1.1));
    let (code, json) = compared(&prints(&stored()), &slower, &["--threshold", "5%"]);
    assert_eq!((code, &json["exceeded"]), (Some(1), &true.into()));
    let rows = json["rows"].as_array().expect("rows");
    let worse: Vec<&Value> = rows.iter().filter(|row| row["verdict"] == "worse").collect();
    assert_eq!(json["counts"]["worse"], worse.len());
    assert!(worse.len() >= 6, "{}", worse.len());
    for row in worse {
        assert!(row["id"].as_str().is_some_and(|id| id.starts_with("linux/")), "{row}");
        assert!(row["change"].as_f64().is_some_and(|it| (it - 0.1).abs() < 1e-3), "{row}");
        assert_eq!(row["p"], 1.0 / 32.0);
    }
    // The other way round, it is better.
    let (code, json) = compared(&slower, &prints(&stored()), &["--threshold", "5%"]);
    assert_eq!((code, &json["counts"]["worse"]), (Some(0), &0.into()));
}

#[test]
fn what_cannot_be_a_command_is_refused_in_one_line() {
    let good = prints(&stored());
    for (words, told) in [
        (&["--run", &good][..], "give it twice"),
        (&["--run", &good, "--run", &good, "--run", &good], "give it twice"),
        (&["--run", &good, "--run", &good, "--pairs", "5"], "from 6 to 100"),
        (&["--run", "", "--run", &good], "names no command"),
        (&["--run", "NAME=value", "--run", &good], "names no command"),
        (&["--run", "'open", "--run", &good], "quote"),
        (&["--run", "--bogus", "--run", &good], "there is no --bogus"),
        (&["--run", "--slack soon", "--run", &good], "'soon'"),
        (&["--run", "clocks --help", "--run", &good], "prints no report"),
        (&["--run", &good, "--run", "/no/such/program x"], "`/no/such/program x`: cannot start it"),
        (&["--run", &good, "--run", "report /no/such/file"], "/no/such/file"),
        (&["--run", &good, "--run", "waits rust --wait 1ms --count 9"], "no figure in common"),
        (&["--run", &good, "--run", "list clocks"], "printed no report: not a chronoscope report"),
    ] {
        let output = run(&[&["compare"], words].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {errors}");
        assert!(errors.contains(told) && errors.lines().count() == 1, "{words:?}: {errors}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_commands_are_really_measured() {
    let own = "clocks rust/instant --budget 100ms";
    let (code, json) = compared(own, "--budget 100ms rust/instant", &[]);
    assert_eq!(code, Some(0));
    let ids: Vec<&Value> =
        json["rows"].as_array().expect("rows").iter().map(|it| &it["id"]).collect();
    assert!(ids.iter().all(|id| *id == "rust/instant") && !ids.is_empty(), "{ids:?}");
    let waits = "waits rust/thread-sleep --wait 100us --count 50 --load none";
    let (code, json) = compared(waits, waits, &[]);
    assert_eq!((code, &json["rows"][0]["section"]), (Some(0), &"waits".into()));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::common::tool;
    use std::process::{Child, Command, Stdio};
    use waiting::{signal, until};

    /// A shell script as a command of `--run`.
    fn script(text: &str) -> String {
        format!("FILE='{}' sh -c '{text}'", stored().display())
    }

    /// What the file holds as soon as it holds a line.
    fn line(path: &Path) -> String {
        until("a line", || {
            let text = std::fs::read_to_string(path).ok()?;
            text.ends_with('\n').then(|| text.trim().to_owned())
        })
    }

    #[test]
    fn words_set_the_environment_and_a_failure_is_told_in_one_line() {
        let good = script("cat \"$FILE\"");
        let (code, json) = compared(&good, &good, &[]);
        assert_eq!((code, &json["counts"]["worse"]), (Some(0), &0.into()));
        for (bad, told) in [
            ("echo first >&2; echo second >&2; exit 3", "it ended with code 3: first"),
            ("kill -9 $$", "it was ended by signal 9"),
            ("exec true", "it printed nothing"),
            ("echo {}", "it printed no report: not a chronoscope report"),
            ("exec sleep 1000", "it did not end within 2.00 s"),
            // What it leaves behind does not make it last.
            ("sleep 1000 &", "it printed nothing"),
        ] {
            let bad = script(bad);
            let words = ["compare", "--run", &good, "--run", &bad, "--timeout", "2s"];
            let output = run(&words);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(errors.contains(told), "{bad}: {errors}");
            assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
        }
    }

    /// Whether a process runs: one that has ended and that nobody waited for does not.
    fn runs(process: &str) -> bool {
        let state = Command::new("ps").args(["-o", "stat=", "-p", process]).output().expect("ps");
        let state = String::from_utf8_lossy(&state.stdout);
        !state.trim().is_empty() && !state.trim_start().starts_with('Z')
    }

    fn started(hangs: &str, pairs: &str) -> Child {
        let words = ["compare", "--run", hangs, "--run", hangs, "--pairs", pairs, "--json"];
        let mut command = tool(&words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool starts")
    }

    /// The rows of a comparison of two scripts, with more words.
    fn rows(a: &str, b: &str, more: &[&str]) -> (Option<i32>, Vec<Value>) {
        let [a, b] = [a, b].map(|text| format!("sh -c '{text}'"));
        let words = ["compare", "--run", &a, "--run", &b, "--pairs", "8", "--json"];
        let output = run(&[&words, more].concat());
        let json: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        // What was taken is known where the system counts it.
        if cfg!(target_os = "linux") {
            assert_eq!(json["taken"].as_array().map(Vec::len), Some(8), "{json}");
        }
        (output.status.code(), json["rows"].as_array().expect("rows").clone())
    }

    #[test]
    fn commands_that_print_no_report_are_compared_by_their_time() {
        // A busy machine may make a short sleep longer than a long one.
        let tries = (0..5).map(|_| rows("sleep 0.02", "sleep 0.3", &["--threshold", "50%"]));
        let found = tries.into_iter().find(|(code, _)| *code == Some(1)).expect("it is longer").1;
        let [row] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&row["id"], &row["verdict"]), (&"wall-time".into(), &"worse".into()));
        assert_eq!((&row["section"], &row["quantity"]), (&"commands".into(), &"time".into()));
        assert!(row["p"].as_f64().is_some_and(|p| p < 0.02), "{row}");
        assert!(row["b"]["value_ns"].as_f64().is_some_and(|ns| ns > 3e8), "{row}");
        let bounds = &row["bounds"];
        assert!(bounds["shift_low_ns"].as_f64().is_some_and(|ns| ns > 0.0), "{row}");
        assert!(bounds["misrate"].as_f64().is_some_and(|it| it > 0.0 && it < 0.05), "{row}");
    }

    #[test]
    fn figures_that_commands_print_are_compared() {
        let (code, found) = rows("echo took 5 ms", "echo took 6 ms", &["--metric", "took (.*)"]);
        assert_eq!((code, &found[0]["a"]["value_ns"]), (Some(0), &5e6.into()));
        assert_eq!((&found[0]["verdict"], &found[0]["id"]), (&"worse".into(), &"took (.*)".into()));
        // More of a figure without a unit may be better, so it does not exceed a threshold.
        let (a, b) = (r#"echo "{\"n\":[10]}""#, r#"echo "{\"n\":[12]}""#);
        let (code, found) = rows(a, b, &["--metric", "$.n[*]", "--threshold", "1%"]);
        assert_eq!((code, &found[0]["verdict"]), (Some(0), &"higher".into()));
        assert_eq!((&found[0]["id"], &found[0]["quantity"]), (&"$.n[0]".into(), &"metric".into()));
        let line = "echo BenchmarkSum-8 100 12.5 ns/op";
        let (_, found) = rows(line, line, &["--metric", "go"]);
        assert_eq!(
            (&found[0]["verdict"], &found[0]["id"]),
            (&"same".into(), &"BenchmarkSum".into())
        );
        // A file that both write.
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("figures.json").display().to_string();
        let script = |ns: &str| format!("echo {ns} ns > {file}");
        let more = ["--metric", "(.*)", "--metric-file", &file];
        let (_, found) = rows(&script("100"), &script("90"), &more);
        assert_eq!(found[0]["verdict"], "better");
        for (words, told) in [
            (&["--metric", "took (.*)"][..], "it printed no figure of `--metric took (.*)`"),
            (&["--metric", "("], "no regular expression"),
            (&["--metric", "$.a"], "it printed no JSON"),
            (&["--metric", "(.*)", "--metric-file", &file], "it did not write"),
        ] {
            let output = run(&[&["compare", "--run", "echo a", "--run", "echo a"], words].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{words:?}: {errors}");
            assert!(errors.contains(told) && errors.lines().count() == 1, "{words:?}: {errors}");
        }
    }

    #[test]
    fn a_file_that_never_ends_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pipe").display().to_string();
        let words = format!("sh -c 'rm -f {file}; mkfifo {file}'");
        let more = ["--metric", "(.*)", "--metric-file", &file];
        let output = run(&[&["compare", "--run", &words, "--run", &words][..], &more].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("it is not a regular file"), "{errors}");
    }

    #[test]
    fn a_command_ends_with_the_tool() {
        // Only Linux ends a child whose parent was killed.
        let signals: &[&str] =
            if cfg!(target_os = "linux") { &["-INT", "-KILL"] } else { &["-INT"] };
        for name in signals {
            let folder = tempfile::tempdir().expect("a folder");
            let id = folder.path().join("id");
            let child =
                started(&format!("sh -c 'echo $$ > {}; exec sleep 1000'", id.display()), "6");
            let command = line(&id);
            assert!(runs(&command));
            signal(&child, name);
            let output = child.wait_with_output().expect("it ends");
            let expected = if *name == "-INT" { Some(130) } else { None };
            assert_eq!(output.status.code(), expected, "{output:?}");
            until(name, || (!runs(&command)).then_some(()));
        }
    }

    /// What the tool writes if it is interrupted after so many of eight pairs.
    fn interrupted_after(pairs: u32) -> std::process::Output {
        let folder = tempfile::tempdir().expect("a folder");
        let (count, hangs) = (folder.path().join("count"), folder.path().join("hangs"));
        // Both are tried first.
        let last = 2 + 2 * pairs;
        let (count, there) = (count.display(), hangs.display());
        let child = started(
            &script(&format!(
                "echo >> {count}; if [ $(wc -l < {count}) -gt {last} ]; then echo > {there}; \
             exec sleep 1000; fi; cat \"$FILE\""
            )),
            "8",
        );
        line(&hangs);
        signal(&child, "-INT");
        child.wait_with_output().expect("it ends")
    }

    #[test]
    fn an_interrupted_comparison_keeps_enough_pairs_and_says_so_if_they_are_too_few() {
        let output = interrupted_after(5);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{errors}");
        assert!(
            errors.contains("interrupted; 5 of 8 pairs are complete, and 6 are needed"),
            "{errors}"
        );
        assert!(output.stdout.is_empty());
        let output = interrupted_after(7);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{errors}");
        assert!(errors.contains("interrupted; 7 of 8 pairs are complete"), "{errors}");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["pairs"], 7);
    }
}
