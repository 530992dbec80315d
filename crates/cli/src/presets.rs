//! Known experiments under a name: the command lines of `presets.md`. Help, `list presets`,
//! `explain` and docs/commands.md show them.

use chronoscope_model::packed::{self, packed};
use chronoscope_report::text::Page;
use chronoscope_survey::select::unknown;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use std::ffi::OsString;
use std::ops::Range;
use std::sync::LazyLock;

#[derive(Debug)]
pub struct Preset {
    /// What `--preset` takes: first the name, then others that stay valid.
    pub names: Vec<&'static str>,
    /// The experiment that it repeats.
    pub about: &'static str,
    /// The command line that carries it out, without the program.
    line: &'static str,
    /// Command lines that answer the questions which the experiment leaves open.
    pub more: Vec<&'static str>,
    /// The figures of the text that describes it: of what, and which.
    figures: Vec<(&'static str, &'static str)>,
}

pub static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let text: &str = packed::text(packed!("presets.md")).leak();
    let pages = text.split("\n## ").skip(1);
    let preset = |page: &'static str| {
        let (names, page) = page.split_once("\n\n")?;
        let (about, lines) = page.split_once("\n\n")?;
        let lines = || lines.lines().filter_map(|line| line.strip_prefix("- "));
        let mut commands = lines().filter_map(|line| line.strip_prefix('`')?.strip_suffix('`'));
        let line = commands.next()?;
        let figures = lines().filter(|line| !line.starts_with('`'));
        Some(Preset {
            names: names.split(", ").collect(),
            about,
            line,
            more: commands.collect(),
            figures: figures.filter_map(|line| line.split_once(": ")).collect(),
        })
    };
    pages.filter_map(preset).collect()
});

impl Preset {
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// The command line that it stands for.
    pub fn line(&self) -> String {
        format!("chronoscope {}", self.line)
    }

    fn command(&self) -> &'static str {
        self.line.split(' ').next().unwrap_or_default()
    }

    /// What to do after it, in one line.
    pub fn next(&self) -> String {
        let more = self.more.join("; ");
        format!("next: {more}; chronoscope explain {}: what the text measured", self.name())
    }

    pub fn page(&self) -> Page {
        let more = self.more.join("; ");
        let facts = [("shorter", format!("chronoscope --preset {}", self.name())), ("next", more)];
        let figures = self.figures.iter().map(|(of, figures)| (*of, (*figures).to_owned()));
        Page {
            id: self.name().into(),
            title: "preset".into(),
            call: self.line(),
            body: self.about.into(),
            facts: facts.into_iter().chain(figures).map(|(of, text)| (of.into(), text)).collect(),
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
    let here = PRESETS.iter().filter(|preset| whole || preset.command() == command.get_name());
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

/// A preset that was asked for, and a line with the command line that it became, unless the
/// command knows its presets itself.
pub type Asked = (&'static Preset, Option<String>);

/// Replaces `--preset NAME` by what it stands for. What the user gives besides takes the place of
/// the preset's arguments, or of its option of that name.
///
/// # Errors
/// There is no such preset, or it belongs to another command.
pub fn expand(words: &mut Vec<OsString>, whole: &Command) -> anyhow::Result<Option<Asked>> {
    let command = words.iter().find_map(|word| whole.find_subcommand(word)).map(Command::get_name);
    // What lacks a name is refused by clap.
    let Some((at, name)) = asked(words) else {
        return Ok(None);
    };
    // The measurement of waits knows its presets itself.
    if command == Some("waits") {
        return Ok(find(&name).map(|preset| (preset, None)));
    }
    let Some(preset) = find(&name) else {
        return Err(unknown("preset", PRESETS.iter().map(Preset::name), &name).into());
    };
    if let Some(other) = command.filter(|name| *name != preset.command()) {
        refuse!("{} is a preset of `{}`, not of `{other}`", preset.name(), preset.command());
    }
    words.drain(at);
    if command.is_none() {
        words.insert(1, preset.command().into());
    }
    // Whoever parses the words next refuses them if they are wrong without the preset.
    let Ok(matches) = whole.clone().try_get_matches_from(&*words) else {
        return Ok(None);
    };
    let given = |arg: &Arg| {
        let taken = matches.subcommand().map_or(&matches, |(_, taken)| taken);
        taken.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let command = whole.find_subcommand(preset.command()).unwrap_or(whole);
    let own: Vec<&str> = preset.line.split(' ').skip(1).collect();
    let options = own.iter().position(|word| word.starts_with('-')).unwrap_or(own.len());
    let (arguments, options) = own.split_at(options);
    if !command.get_positionals().any(given) {
        words.extend(arguments.iter().map(OsString::from));
    }
    for option in options.chunks(2) {
        let mut known = command.get_arguments();
        let arg = known.find(|arg| arg.get_long() == Some(option[0].trim_start_matches('-')));
        if !arg.is_some_and(given) {
            words.extend(option.iter().map(OsString::from));
        }
    }
    let line = words[1..].iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    Ok(Some((preset, Some(format!("preset {}: chronoscope {line}", preset.name())))))
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
        assert!(PRESETS.len() > 4);
        for preset in PRESETS.iter() {
            let line = preset.line();
            for line in preset.more.iter().copied().chain([&*line]) {
                let matches = command_line().try_get_matches_from(words(line));
                assert!(matches.is_ok(), "{line}: {:?}", matches.err());
            }
            let page = preset.page();
            let figures =
                page.facts.iter().filter(|(of, _)| of.contains(',') || of == "in the text");
            assert!(preset.figures.len() > 3 && figures.count() > 0, "{page:?}");
            for name in &preset.names {
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
        for preset in PRESETS.iter() {
            let row = page.lines().find(|line| line.contains(&format!("| `{}` |", preset.name())));
            assert!(row.is_some_and(|row| row.contains(&preset.line())), "{}", preset.line());
        }
    }
}
