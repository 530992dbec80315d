//! The command line as a whole, and options and commands that users of other tools try.

use crate::commands::measure::SummaryArgs;
use crate::commands::{COMMANDS, Command, examples};
use crate::context::{Context, Usage};
use crate::options::{Group, MEASURING, Options};
use crate::presets::{self, Asked};
use crate::task::{Run, Task};
use chronoscope_survey::select;
use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// The exit codes, as help and the man page give them.
pub const EXIT_CODES: &str = "0 done; 1 a finding that --fail-on names, an overshoot above \
    --stop-above, or an output that could not be written; 2 usage; 3 nothing could be measured, or \
    memory ran out; 130, 143 or 129 stopped by Ctrl-C, SIGTERM or SIGHUP, after writing what was \
    measured. serve ends with 0 on a signal, and with 1 if it cannot listen.";

/// The command line.
#[derive(clap::Parser)]
#[command(
    name = "chronoscope",
    version,
    about = "Shows which clock to use on this machine, what a read costs, what its resolution is, \
             and whether it can be trusted",
    long_about = "Measures every clock of this machine and advises which one to use. Without a \
                  command it shows the machine at a glance, on one screen: its timer hardware; the \
                  clocks that programs commonly read, with their cost, resolution and verdict; \
                  problems; and advice for each common purpose.",
    styles = Styles::styled()
        .header(AnsiColor::Green.on_default().bold())
        .usage(AnsiColor::Green.on_default().bold())
        .literal(AnsiColor::Cyan.on_default())
        .placeholder(AnsiColor::Cyan.on_default()),
    propagate_version = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl Cli {
    /// The task that the command line asks for.
    ///
    /// # Errors
    /// One clear line; the type of the error decides the exit code.
    pub fn task(self, context: &Context) -> anyhow::Result<Task> {
        match self.command {
            Some(command) => command.task(context),
            None => self.summary.task(context),
        }
    }
}

/// The definition of the command line, with the groups of options that each command takes, and the
/// examples that help ends with.
pub fn command_line() -> clap::Command {
    let more = format!("Exit codes: {EXIT_CODES}\n\n{}", shown("summary"));
    let with = |command, groups: &[Group]| groups.iter().fold(command, |all, group| group(all));
    let whole = presets::option(with(Cli::command(), MEASURING)).after_help(more);
    COMMANDS.iter().fold(in_any_case(whole), |whole, (name, groups, _)| {
        whole.mut_subcommand(*name, |command| {
            in_any_case(presets::option(with(command, groups))).after_help(shown(name))
        })
    })
}

/// Lists the commands under their headings in help, where clap has a single list. Their lines are
/// clap's.
fn with_headings(whole: clap::Command) -> clap::Command {
    let listed = whole.clone().help_template("{subcommands}").render_help().ansi().to_string();
    let usage = whole.clone().render_usage().ansi().to_string();
    let (header, literal) = (whole.get_styles().get_header(), whole.get_styles().get_literal());
    let mut list = String::new();
    for line in listed.trim_end().lines() {
        let begins = |name: &str| line.starts_with(&format!("  {literal}{name}{literal:#} "));
        if let Some(at) = COMMANDS.iter().position(|(name, ..)| begins(name)) {
            let heading = COMMANDS[at].2;
            if at == 0 || COMMANDS[at - 1].2 != heading {
                list += &format!("\n{header}{heading}:{header:#}\n");
            }
        }
        list += &format!("{line}\n");
    }
    whole
        .mut_subcommands(|command| command.hide(true))
        .override_usage(usage.split_once(' ').map_or_else(String::new, |(_, usage)| usage.into()))
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\n\
             {{all-args}}{{after-help}}"
        ))
}

/// Lets users write names with capitals.
fn in_any_case(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| if arg.get_action().takes_values() { arg.ignore_case(true) } else { arg })
}

/// Parses the words of a command line. If they name a preset, the command line that it stands for
/// is returned too.
///
/// # Errors
/// They ask for help or the version, or are wrong.
pub fn parsed(mut words: Vec<OsString>) -> anyhow::Result<(Cli, Options, Option<Asked>)> {
    let mut whole = with_headings(command_line());
    let preset = presets::expand(&mut words, &whole)?;
    let matches = whole.try_get_matches_from_mut(&words);
    let mut matches = matches.map_err(|error| refused(error, &whole, &words))?;
    let given = |arg: &clap::Arg| {
        matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    if let Some(name) = matches.subcommand_name()
        && whole.get_arguments().any(given)
        && let Some(at) = words.iter().position(|word| word == name)
    {
        // The options of a command may also stand before its name.
        words[1..=at].rotate_right(1);
        let again = whole.try_get_matches_from_mut(&words);
        matches = again.map_err(|error| refused(error, &whole, &words))?;
    }
    let command = matches.subcommand().and_then(|(name, taken)| {
        let command = whole.find_subcommand(name)?;
        Some((command, taken))
    });
    let (command, taken) = command.unwrap_or((&whole, &matches));
    let options = Options::of(command, taken)?;
    let cli = Cli::from_arg_matches(&matches).map_err(in_one_line)?;
    Ok((cli, options, preset))
}

/// The error for a command line that clap refuses: one line where clap writes a paragraph.
fn refused(error: clap::Error, whole: &clap::Command, words: &[OsString]) -> anyhow::Error {
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(one)) => one.clone(),
        Some(ContextValue::Strings(several)) => several.join(", "),
        _ => String::new(),
    };
    let option = named(ContextKind::InvalidArg);
    let other = named(ContextKind::PriorArg);
    let alike = named(ContextKind::SuggestedArg);
    let known = whole.get_arguments().find_map(|arg| {
        let (long, short) = (arg.get_long()?, arg.get_short());
        let is_short = short.is_some_and(|short| option == format!("-{short}"));
        (is_short || option == format!("--{long}")).then_some(long)
    });
    let command = words.iter().find_map(|word| whole.find_subcommand(word));
    let line = match (error.kind(), known, command) {
        (ErrorKind::InvalidSubcommand, ..) => {
            let given = named(ContextKind::InvalidSubcommand);
            let holds = command.filter(|it| !parts(it).is_empty()); // `help` does not
            match holds.filter(|it| words.get(1).is_some_and(|first| first == it.get_name())) {
                Some(it) => {
                    let (name, shown) = (it.get_name(), select::shown(&given));
                    format!("`{name}` has no '{shown}': use one of {}", parts(it))
                }
                None => return no_command(&given, COMMANDS.iter().map(|(name, ..)| *name)),
            }
        }
        (ErrorKind::UnknownArgument, Some(option), Some(command)) => {
            format!("--{option} does not apply to `{}`", command.get_name())
        }
        (ErrorKind::UnknownArgument, ..) if option.starts_with('-') => {
            let command = command.unwrap_or(whole);
            instead(&option, command, whole).unwrap_or_else(|| {
                let alike =
                    if alike.is_empty() { alike } else { format!("did you mean {alike}? ") };
                let name = command.get_name();
                let of = if name == whole.get_name() { "" } else { &format!(" {name}") };
                format!("there is no {option}; {alike}`{}{of} --help` has all", whole.get_name())
            })
        }
        (ErrorKind::UnknownArgument, ..) => {
            let name = command.unwrap_or(whole).get_name();
            format!("`{name}` takes no argument '{}'", select::shown(&option))
        }
        (ErrorKind::ValueValidation | ErrorKind::InvalidValue, ..) => {
            let valid = named(ContextKind::ValidValue);
            let valid = if valid.is_empty() { valid } else { format!(": use one of {valid}") };
            format!("{}{valid}", first_line(&error))
        }
        (ErrorKind::ArgumentConflict, ..) if option == other => {
            format!("{option} is given more than once")
        }
        (ErrorKind::ArgumentConflict, ..) if !other.is_empty() => {
            format!("{option} cannot be used with {other}")
        }
        (ErrorKind::MissingRequiredArgument, ..) => {
            let usage = error.get(ContextKind::Usage).map_or(String::new(), ToString::to_string);
            let usage = usage.trim().trim_start_matches("Usage: ");
            format!("{option} is missing: `{usage}`")
        }
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, _, Some(command)) => {
            format!("`{}` needs one of {}", command.get_name(), parts(command))
        }
        _ => return in_one_line(error),
    };
    Usage(line).into()
}

/// The commands that a command has.
fn parts(command: &clap::Command) -> String {
    command.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>().join(", ")
}

/// An error that clap words itself, in one line. Help and the version are no errors.
fn in_one_line(error: clap::Error) -> anyhow::Error {
    if !error.use_stderr() {
        return error.into();
    }
    Usage(first_line(&error)).into()
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").into()
}

fn shown(command: &str) -> String {
    let lines = examples(command).into_iter();
    let lines = lines.map(|(line, about)| format!("\n  {line}\n      {about}"));
    format!("Examples:{}", lines.collect::<String>())
}

/// The rows of a table of habits: what other tools say (if that is empty, the same as in the row
/// above), what this one does, and words on that.
fn habits(table: &str) -> impl Iterator<Item = [&'static str; 3]> + Clone {
    let tables = include_str!("habits.md").split("\n## ");
    let rows = tables.filter(move |it| it.starts_with(table)).flat_map(str::lines);
    let mut above = "";
    let cells = rows.filter_map(move |row| {
        let mut cells = row.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        above = cells.next().filter(|own| !own.is_empty()).unwrap_or(above);
        Some([above, cells.next()?, cells.next().unwrap_or_default()])
    });
    // The head and the line below it.
    cells.skip(2)
}

/// Whether one of the habits, which commas part, is this word.
fn is_among(habits: &str, word: &str) -> bool {
    habits.split(", ").any(|habit| habit == word)
}

/// What to write instead of an option of another tool, in a sentence.
fn instead(option: &str, command: &clap::Command, whole: &clap::Command) -> Option<String> {
    let takes = |command: &&clap::Command, long: &str| {
        command.get_arguments().any(|arg| arg.get_long() == Some(long))
    };
    let mut rows = habits("Options").filter(|[elsewhere, ..]| is_among(elsewhere, option));
    if let Some([.., line]) = rows.clone().find(|[_, ours, _]| takes(&command, ours)) {
        return Some(format!("there is no {option}: {line}"));
    }
    let [_, ours, line] = rows.next()?;
    let waits = whole.find_subcommand("waits").filter(|waits| takes(waits, ours));
    let other = waits.or_else(|| whole.get_subcommands().find(|command| takes(command, ours)))?;
    Some(format!("there is no {option}: {line}, in `{} {}`", whole.get_name(), other.get_name()))
}

/// The error for a command that does not exist, with the one to use.
fn no_command<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> anyhow::Error {
    let low = given.to_lowercase();
    match habits("Commands").find(|[elsewhere, ..]| is_among(elsewhere, &low)) {
        Some([_, line, _]) => {
            let shown = select::shown(given);
            Usage(format!("there is no command '{shown}': use `chronoscope {line}`")).into()
        }
        None => select::unknown("command", names, given).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the last command of a line, as a shell splits them.
    fn words(line: &str) -> Vec<String> {
        let command = line.rsplit('|').next().unwrap_or_default();
        let command = command.split(" > ").next().unwrap_or_default();
        shell_words::split(command).expect("quotes are closed")
    }

    /// Each command, its examples, and its help.
    fn all() -> Vec<(&'static str, String)> {
        let mut whole = with_headings(command_line());
        whole.build();
        let mut all = vec![("", whole.render_long_help().to_string())];
        for (name, ..) in COMMANDS {
            let command = whole.find_subcommand_mut(name).expect("a command");
            all.push((name, command.render_long_help().to_string()));
        }
        all
    }

    #[test]
    fn help_ends_with_three_examples_each_of_which_is_accepted() {
        for (name, help) in all() {
            let examples = examples(if name.is_empty() { "summary" } else { name });
            assert_eq!(examples.len(), 3, "{name}");
            let (_, end) = help.split_once("Examples:").expect(name);
            assert_eq!(end.lines().count(), 1 + 2 * examples.len(), "{help}");
            for (line, about) in examples {
                assert!(end.contains(line) && end.contains(about), "{line}");
                // So that neither is broken on a screen of 60 columns.
                assert!(line.len() <= 57 && about.len() <= 53, "{line}");
                assert!(about.ends_with('.') && line.is_ascii(), "{line}: {about}");
                // What only root may do is shown with it.
                let words = words(line.strip_prefix("sudo ").unwrap_or(line));
                assert_eq!(words[0], "chronoscope");
                let matches = command_line().try_get_matches_from(&words);
                let matches = matches.unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(matches.subcommand_name().unwrap_or_default(), name, "{line}");
            }
        }
    }

    #[test]
    fn the_page_of_commands_has_every_command_and_the_exit_codes() {
        let page = include_str!("../../../docs/commands.md");
        for (name, ..) in COMMANDS {
            assert!(page.contains(&format!("\n| `chronoscope {name}")), "{name}");
        }
        assert!(page.replace('`', "").contains(EXIT_CODES), "{EXIT_CODES}");
    }

    #[test]
    fn help_lists_every_command_under_its_heading() {
        let (.., help) = all().swap_remove(0);
        let lines: Vec<&str> = help.lines().collect();
        let mut headings = Vec::new();
        for (name, _, heading) in COMMANDS {
            let at = lines.iter().position(|line| line.starts_with(&format!("  {name} ")));
            let above = &lines[..at.unwrap_or_else(|| panic!("{name} is not in {help}"))];
            let above = above.iter().rfind(|line| !line.starts_with(' ')).unwrap();
            assert_eq!(*above, format!("{heading}:"), "{name}");
            headings.push(*above);
        }
        headings.dedup();
        assert_eq!(headings.len(), 5, "{help}");
        assert!(help.contains("Usage: chronoscope [OPTIONS] [COMMAND]\n"), "{help}");
        assert!(help.contains("\nOutput options:\n") && !help.contains("\nCommands:"), "{help}");
    }

    #[test]
    fn each_command_accepts_every_option_that_its_help_shows() {
        /// Values, one of which each option takes; and options that another may need.
        const VALUES: [&str; 13] = [
            "1ms",
            "5",
            "5%",
            "csv=x",
            "JSON",
            "Noisy-Machine",
            "INFO",
            "None",
            "c=x",
            "windows-waits",
            "127.0.0.1:0",
            "batch",
            "ntp:x",
        ];
        const OTHERS: [&[&str]; 13] = [
            &[],
            &["--load", "low"],
            &["--priority", "5"],
            &["--language", "c"],
            &["--run", "x"],
            &["--run", "x", "--metric", "go"],
            &["--save-baseline", "x"],
            &["--stop-above", "1ms"],
            &["--replay", "x"],
            &["--why"],
            &["--serve"],
            &["--period", "60Hz"],
            &["--every", "60Hz"],
        ];
        let parser = command_line();
        for name in COMMANDS.iter().map(|(name, ..)| *name).filter(|name| *name != "generate") {
            let command = parser.find_subcommand(name).expect("a command");
            let needed = command.get_positionals().filter(|arg| arg.is_required_set());
            let needed: Vec<&str> = needed.map(|_| "x").collect();
            let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
            for arg in shown.filter(|arg| !arg.is_positional() && arg.get_id() != "help") {
                let long = format!("--{}", arg.get_long().expect("options have long names"));
                let values = arg.get_possible_values();
                let values = values.iter().map(clap::builder::PossibleValue::get_name);
                let takes = arg.get_action().takes_values();
                let values: Vec<&str> = values.chain(VALUES).filter(|_| takes).collect();
                let given = values.iter().map(|value| format!("{long}={value}"));
                let accepted = given.chain((!takes).then(|| long.clone())).any(|option| {
                    OTHERS.iter().any(|others| {
                        let words = [&["chronoscope", name, &option], &needed[..], others].concat();
                        parser.clone().try_get_matches_from(words).is_ok()
                    })
                });
                assert!(accepted, "{name} {long}");
            }
        }
    }

    #[test]
    fn the_time_that_trust_takes_is_the_one_that_its_help_names() {
        let help = all().into_iter().find(|(name, ..)| *name == "trust").map(|(.., help)| help);
        let time =
            format!("Default: {}s", chronoscope_measure::engine::schedule::TRUST.time.as_secs());
        assert!(help.expect("a command").contains(&time));
    }

    #[test]
    fn a_resumed_run_takes_its_output_options_and_no_others() {
        const OUTPUT: [&str; 14] = [
            "ascii",
            "json",
            "export",
            "quiet",
            "verbose",
            "color",
            "allow",
            "fail_on",
            "style",
            "resume",
            "baseline",
            "save_baseline",
            "force",
            "names",
        ];
        let mut whole = command_line();
        whole.build();
        let waits = whole.find_subcommand("waits").expect("a command");
        let resume = waits.get_arguments().find(|arg| arg.get_id() == "resume");
        let conflicts = waits.get_arg_conflicts_with(resume.expect("an option"));
        for arg in waits.get_arguments() {
            let id = arg.get_id().as_str();
            let refused = conflicts.iter().any(|other| other.get_id() == id);
            let neither = ["help", "version"].contains(&id);
            assert!(neither || refused != OUTPUT.contains(&id), "--{id} next to --resume");
        }
    }

    #[test]
    fn each_habit_leads_to_an_option_that_exists_and_is_none_itself() {
        let whole = command_line();
        let rows = habits("Options");
        assert!(rows.clone().count() > 10 && habits("Commands").count() > 10);
        for [elsewhere, ours, line] in rows {
            let habits: Vec<&str> = elsewhere.split(", ").collect();
            for habit in &habits {
                let told = instead(habit, &whole, &whole).expect(habit);
                assert!(told.starts_with(&format!("there is no {habit}: ")), "{told}");
            }
            let takers = whole
                .get_subcommands()
                .filter(|command| command.get_arguments().any(|arg| arg.get_long() == Some(ours)));
            for taker in takers {
                let name = taker.get_name();
                for habit in &habits {
                    let told = instead(habit, taker, &whole).expect(habit);
                    assert!(!told.contains(", in `"), "{told}");
                    let error = whole.clone().try_get_matches_from(["x", name, habit, "1"]);
                    let kind = error.expect_err(habit).kind();
                    assert_eq!(kind, ErrorKind::UnknownArgument, "{name} {habit}");
                }
            }
            assert!(!line.ends_with('.'), "{line}");
        }
        let waits = instead("-i", &whole, &whole).expect("a habit");
        assert!(waits.ends_with("in `chronoscope waits`"), "{waits}");
        assert_eq!(instead("--frobnicate", &whole, &whole), None);
    }
}
