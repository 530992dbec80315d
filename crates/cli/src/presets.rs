//! Known experiments under a name: a table of command lines. Help, `list presets`, `explain` and
//! docs/commands.md show the table.

use crate::context::Usage;
use chronoscope_report::text::Page;
use chronoscope_survey::select::unknown;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use std::ffi::OsString;
use std::ops::Range;

pub struct Preset {
    /// What `--preset` takes: first the name, then others that stay valid.
    pub names: &'static [&'static str],
    /// The experiment that it repeats.
    pub about: &'static str,
    /// The command that carries it out, its arguments, and its options.
    pub command: &'static str,
    arguments: &'static [&'static str],
    options: &'static [(&'static str, &'static str)],
    /// Command lines that answer the questions which the experiment leaves open.
    pub more: &'static [&'static str],
}

pub const PRESETS: &[Preset] = &[
    Preset {
        names: &["time-functions"],
        about: "The table of time functions: which of clock, std::chrono, rdtsc, clock_gettime \
                and GetSystemTimeAsFileTime is the fastest, and does it return 100 ms after \
                100 ms?",
        command: "clocks",
        arguments: &[
            "c/clock",
            "cxx",
            "x86/rdtsc-",
            "arm/cntvct",
            "posix/realtime",
            "posix/monotonic",
            "windows/getsystemtime",
        ],
        options: &[("--calls", "10M")],
        more: &["chronoscope clocks", "chronoscope trust"],
    },
    Preset {
        names: &["timetest"],
        about: "timetest: what a call of the high-resolution clock takes, as the mean of a \
                million, as the mean of ten, and alone, in three passes.",
        command: "calls",
        arguments: &[],
        options: &[],
        more: &["chronoscope deltas posix/monotonic", "chronoscope explain wall time"],
    },
    Preset {
        names: &["instant-overhead"],
        about: "The overhead of Instant::now() in Rust: what two reads add to a loop that sums \
                999 integers, in 9999 samples of 999 iterations.",
        command: "overhead",
        arguments: &["rust/instant", "9999", "999", "999"],
        options: &[],
        more: &["chronoscope explain rust/instant", "chronoscope clocks rust posix/monotonic"],
    },
    Preset {
        names: &["windows-waits", "seed003"],
        about: "The Windows wait routines: how late Sleep, waitable timers, MinGW's calls, a busy \
                wait and a timer with a busy wait end, without load and with it. On other systems, \
                the calls that they have instead.",
        command: "waits",
        arguments: &[],
        options: &[("--preset", "windows-waits")],
        more: &["chronoscope advise --for wait", "chronoscope explain mingw/nanosleep"],
    },
    Preset {
        names: &["stopwatch"],
        about: "Stopwatch under the hood: the latency and resolution of .NET's Stopwatch and \
                DateTime, and the hardware timer behind them.",
        command: "runtimes",
        arguments: &["dotnet"],
        options: &[],
        more: &[
            "chronoscope hardware",
            "chronoscope deltas dotnet-mono/stopwatch --reads 1M",
            "sudo chronoscope sweep --runtimes=dotnet",
            "chronoscope demo list",
        ],
    },
];

impl Preset {
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// The command line that it stands for, without the program.
    fn words(&self) -> impl Iterator<Item = &'static str> {
        let options = self.options.iter().flat_map(|(option, value)| [*option, *value]);
        [self.command].into_iter().chain(self.arguments.iter().copied()).chain(options)
    }

    /// The command line that it stands for.
    pub fn line(&self) -> String {
        format!("chronoscope {}", self.words().collect::<Vec<_>>().join(" "))
    }

    pub fn page(&self) -> Page {
        let more = self.more.join("; ");
        let facts = [("shorter", format!("chronoscope --preset {}", self.name())), ("next", more)];
        Page {
            id: self.name().into(),
            title: "preset".into(),
            call: self.line(),
            body: self.about.into(),
            facts: facts.map(|(name, text)| (name.into(), text)).into(),
            references: Vec::new(),
        }
    }
}

pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.names.iter().any(|one| one.eq_ignore_ascii_case(name)))
}

/// Adds `--preset` to a command that has presets and lacks the option, or to the program as a
/// whole.
pub fn option(command: Command) -> Command {
    let whole = command.get_name() == "chronoscope";
    let here = PRESETS.iter().filter(|preset| whole || preset.command == command.get_name());
    let mut here = here.peekable();
    // The option of waits belongs to its measurement.
    if here.peek().is_none() || command.get_arguments().any(|arg| arg.get_id() == "preset") {
        return command;
    }
    let values = here.map(|preset| {
        PossibleValue::new(preset.name()).help(preset.about).aliases(&preset.names[1..])
    });
    let values = PossibleValuesParser::new(values.collect::<Vec<_>>());
    let option = Arg::new("preset").long("preset").value_name("NAME").value_parser(values);
    let option = option.ignore_case(true).help_heading("Known experiments");
    command.arg(option.help(
        "Repeat a known experiment; other arguments and options change parts of it. \
         chronoscope list presets has the command lines",
    ))
}

/// Replaces `--preset NAME` by what it stands for, and returns the whole command line. What the
/// user gives besides takes the place of the preset's arguments, or of its option of that name.
///
/// # Errors
/// There is no such preset, or it belongs to another command.
pub fn expand(words: &mut Vec<OsString>, whole: &Command) -> anyhow::Result<Option<String>> {
    let command = words.iter().find_map(|word| whole.find_subcommand(word)).map(Command::get_name);
    // The measurement of waits knows its presets itself. What lacks a name is refused by clap.
    let Some((at, name)) = asked(words).filter(|_| command != Some("waits")) else {
        return Ok(None);
    };
    let Some(preset) = find(&name) else {
        return Err(unknown("preset", PRESETS.iter().map(Preset::name), &name).into());
    };
    if let Some(other) = command.filter(|name| *name != preset.command) {
        let line =
            format!("{} is a preset of `{}`, not of `{other}`", preset.name(), preset.command);
        return Err(Usage(line).into());
    }
    words.drain(at);
    if command.is_none() {
        words.insert(1, preset.command.into());
    }
    // Whoever parses the words next refuses them if they are wrong without the preset.
    let Ok(matches) = whole.clone().try_get_matches_from(&*words) else {
        return Ok(None);
    };
    let given = |arg: &Arg| {
        let taken = matches.subcommand().map_or(&matches, |(_, taken)| taken);
        taken.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let command = whole.find_subcommand(preset.command).unwrap_or(whole);
    if !command.get_positionals().any(given) {
        words.extend(preset.arguments.iter().map(OsString::from));
    }
    for (option, value) in preset.options {
        let mut known = command.get_arguments();
        let arg = known.find(|arg| arg.get_long() == Some(option.trim_start_matches('-')));
        if !arg.is_some_and(given) {
            words.extend([option, value].map(OsString::from));
        }
    }
    let line = words[1..].iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    Ok(Some(format!("preset {}: chronoscope {line}", preset.name())))
}

/// Where the words ask for a preset, and its name.
fn asked(words: &[OsString]) -> Option<(Range<usize>, String)> {
    words.iter().enumerate().find_map(|(at, word)| {
        let value = word.to_str()?.strip_prefix("--preset")?;
        match value.strip_prefix('=') {
            Some(name) => Some((at..at + 1, name.to_owned())),
            None if value.is_empty() => Some((at..at + 2, words.get(at + 1)?.to_str()?.to_owned())),
            None => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line;

    fn words(line: &str) -> Vec<OsString> {
        let line = line.strip_prefix("sudo ").unwrap_or(line);
        line.split_whitespace().map(OsString::from).collect()
    }

    /// What a line becomes.
    fn expanded(line: &str) -> String {
        let mut words = words(line);
        expand(&mut words, &command_line()).unwrap_or_else(|error| panic!("{line}: {error}"));
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_line_of_the_table_is_accepted() {
        for preset in PRESETS {
            let line = preset.line();
            for line in preset.more.iter().copied().chain([&*line]) {
                let matches = command_line().try_get_matches_from(words(line));
                assert!(matches.is_ok(), "{line}: {:?}", matches.err());
            }
            for name in preset.names {
                assert_eq!(expanded(&format!("chronoscope --preset {name}")), line, "{name}");
            }
        }
    }

    #[test]
    fn what_is_given_changes_the_preset() {
        for (given, made) in [
            ("--preset=timetest --budget 1s", "calls --budget 1s"),
            ("--budget 1s calls --preset TimeTest c/time", "--budget 1s calls c/time"),
            ("clocks --preset time-functions c/time --calls=9", "clocks c/time --calls=9"),
            ("clocks --preset time-functions c/time", "clocks c/time --calls 10M"),
            // Known to the measurement of waits.
            ("waits --preset seed003", "waits --preset seed003"),
            // Refused by clap, in words about what was given.
            ("--preset timetest --calls 9", "calls --calls 9"),
            ("calls --preset", "calls --preset"),
        ] {
            assert_eq!(expanded(&format!("chronoscope {given}")), format!("chronoscope {made}"));
        }
        for (given, told) in [
            ("clocks --preset timetest", "timetest is a preset of `calls`, not of `clocks`"),
            ("--preset stopwach", "did you mean stopwatch?"),
        ] {
            let error = expand(&mut words(&format!("chronoscope {given}")), &command_line());
            let error = error.expect_err(given).to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn the_page_of_commands_has_every_preset_and_its_command_line() {
        let page = include_str!("../../../docs/commands.md");
        for preset in PRESETS {
            let row = page.lines().find(|line| line.contains(&format!("| `{}` |", preset.name())));
            assert!(row.is_some_and(|row| row.contains(&preset.line())), "{}", preset.line());
        }
    }
}
