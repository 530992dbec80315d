//! Options and commands that users of other tools try, and what they are called here.

use crate::error::Usage;
use chronoscope_survey::select;
use clap::Command;

/// A habit: how other tools write it, the option here, and what the message says of it.
type Habit = (&'static [&'static str], &'static str, &'static str);

/// Of several rows for a habit, the first whose option the command takes counts, or else the last.
const HABITS: &[Habit] = &[
    (&["--output", "--out", "--output-file"], "export", "write -o FILE, such as -o run.json"),
    (
        &["--export-json", "--export-csv", "--export-markdown", "--csv", "--markdown"],
        "export",
        "write -o run.json, -o run.csv or -o run.md",
    ),
    (&["--format", "-f"], "as", "the format is chosen by --as FORMAT"),
    (
        &["--format", "-f"],
        "export",
        "the format is that of the file's extension, as in -o run.csv, or --export csv=-",
    ),
    (REPEAT, "count", "the number of waits is --count 500"),
    (REPEAT, "reads", "the number of reads is --reads 10M"),
    (REPEAT, "calls", "the number of calls is --calls 10M"),
    (REPEAT, "budget", "the runs last for --budget 10s, and their number follows from that"),
    (&["--loops", "-l"], "count", "the number of waits is --count 10000"),
    (&["--interval", "-i"], "wait", "the interval is --wait 1ms, with its unit"),
    (&["--interval", "-i"], "period", "the interval is --period 1ms, with its unit"),
    (
        &["--prio", "-p"],
        "priority",
        "the real-time priority is --priority 40, or with --allow-high-priority up to 99",
    ),
    (
        &["--histogram", "--histofall", "--histfile", "-H"],
        "wait",
        "--style bins shows bins of 1 us; -o waits.hlog writes whole histograms",
    ),
    (&["--threads", "--smp", "-t", "-S"], "all-cpus", "a thread on each CPU is --all-cpus"),
    (&["--affinity", "-a", "-C"], "cpu", "the CPU is --cpu 1"),
    (
        &["--tracemark", "--trace-mark"],
        "trace-marker",
        "a mark at the breach of --stop-above is --trace-marker",
    ),
    (&["--time", "--seconds", "-D"], "duration", "the time is --duration 60s, with its unit"),
    (&["--time", "--seconds", "--measurement-time", "-D"], "budget", "the time is --budget 10s"),
];

const REPEAT: &[&str] = &[
    "--runs",
    "--min-runs",
    "--max-runs",
    "--repeat",
    "--repetitions",
    "--iterations",
    "--samples",
    "--sample-size",
    "-r",
    "-n",
];

/// What to write instead of an option of another tool, in a sentence.
pub fn instead(option: &str, command: &Command, whole: &Command) -> Option<String> {
    let takes = |command: &&Command, long: &str| {
        command.get_arguments().any(|arg| arg.get_long() == Some(long))
    };
    let mut rows = HABITS.iter().filter(|(habits, ..)| habits.contains(&option));
    if let Some((.., line)) = rows.clone().find(|(_, ours, _)| takes(&command, ours)) {
        return Some(format!("there is no {option}: {line}"));
    }
    let (_, ours, line) = rows.next()?;
    let waits = whole.find_subcommand("waits").filter(|waits| takes(waits, ours));
    let other = waits.or_else(|| whole.get_subcommands().find(|command| takes(command, ours)))?;
    Some(format!("there is no {option}: {line}, in `{} {}`", whole.get_name(), other.get_name()))
}

/// What other tools call a command, and what to write here.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["history", "trend", "log"], "compare --history DIR"),
    (&["diff"], "compare A B"),
    (&["wait", "sleep", "jitter", "latency", "cyclictest"], "waits"),
    (&["monitor", "top", "live"], "watch"),
    (&["bench", "benchmark", "measure", "time"], "clocks"),
    (&["languages", "python", "java", "node"], "runtimes"),
    (&["check", "diagnose", "health", "verify"], "doctor"),
    (&["recommend", "choose", "which"], "advise"),
    (&["describe", "info", "man", "term"], "explain NAME"),
    (&["show", "view", "export", "page"], "report FILE"),
    (&["presets", "formats", "faults", "purposes", "columns"], "list"),
    (&["exporter", "prometheus", "metrics", "daemon"], "serve"),
    (&["completions", "completion", "fleet", "schema"], "generate"),
    (&["timers", "tsc", "machine", "cpu"], "hardware"),
    (&["monotonicity", "drift", "skew"], "trust"),
];

/// The error for a command that does not exist, with the one to use.
pub fn command<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> anyhow::Error {
    let low = given.to_lowercase();
    match COMMANDS.iter().find(|(habits, _)| habits.contains(&&*low)) {
        Some((_, line)) => {
            let shown = select::shown(given);
            Usage(format!("there is no command '{shown}': use `chronoscope {line}`")).into()
        }
        None => select::unknown("command", names, given).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line;

    #[test]
    fn each_habit_leads_to_an_option_that_exists_and_is_none_itself() {
        let whole = command_line();
        for (habits, ours, line) in HABITS {
            for habit in *habits {
                let told = instead(habit, &whole, &whole).expect(habit);
                assert!(told.starts_with(&format!("there is no {habit}: ")), "{told}");
            }
            let takers = whole
                .get_subcommands()
                .filter(|command| command.get_arguments().any(|arg| arg.get_long() == Some(ours)));
            for taker in takers {
                let name = taker.get_name();
                for habit in *habits {
                    let told = instead(habit, taker, &whole).expect(habit);
                    assert!(!told.contains(", in `"), "{told}");
                    let error = whole.clone().try_get_matches_from(["x", name, habit, "1"]);
                    let kind = error.expect_err(habit).kind();
                    assert_eq!(kind, clap::error::ErrorKind::UnknownArgument, "{name} {habit}");
                }
            }
            assert!(!line.ends_with('.'), "{line}");
        }
        let waits = instead("-i", &whole, &whole).expect("a habit");
        assert!(waits.ends_with("in `chronoscope waits`"), "{waits}");
        assert_eq!(instead("--frobnicate", &whole, &whole), None);
    }
}
