//! The command line as a whole.

use crate::commands::summary;
use crate::commands::{self, Command, Examples, Run};
use crate::options::Global;
use crate::uses::Uses;
use clap::CommandFactory;
use clap::builder::styling::{AnsiColor, Styles};

/// The exit codes, as help and the man page give them.
pub const EXIT_CODES: &str = "0 done; 1 a finding at or above --fail-on, an overshoot above \
    --stop-above, or an output that could not be written; 2 usage; 3 nothing could be measured; \
    130, 143 or 129 stopped by Ctrl-C, SIGTERM or SIGHUP, after writing what was measured.";

/// The command line.
#[derive(clap::Parser)]
#[command(
    name = "chronoscope",
    version,
    about = "Shows which clock to use on this machine, what a read costs, what its resolution is, \
             and whether it can be trusted",
    long_about = "Measures every clock of this machine and advises which one to use. Without a \
                  command it shows the machine at a glance: its timer hardware; every clock with \
                  its cost, resolution and verdict; problems; and advice for each common purpose.",
    styles = Styles::styled()
        .header(AnsiColor::Green.on_default().bold())
        .usage(AnsiColor::Green.on_default().bold())
        .literal(AnsiColor::Cyan.on_default())
        .placeholder(AnsiColor::Cyan.on_default()),
    propagate_version = true
)]
pub struct Cli {
    /// The command; without one, the machine at a glance.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What applies without a command.
    #[command(flatten)]
    pub summary: summary::Args,
    /// The options of all commands.
    #[command(flatten)]
    pub global: Global,
}

impl Cli {
    /// Which common options apply.
    pub fn uses(&self) -> Uses {
        match &self.command {
            Some(command) => command.uses(),
            None => self.summary.uses(),
        }
    }
}

/// The definition of the command line, with the examples that help ends with.
pub fn command_line() -> clap::Command {
    let more = format!(
        "Exit codes: {EXIT_CODES}\n\nShell completions and man pages: chronoscope generate \
         --help.\n\n{}",
        shown(&summary::EXAMPLES)
    );
    let whole = Cli::command().after_help(more);
    commands::EXAMPLES.iter().fold(whole, |whole, (name, examples)| {
        whole.mut_subcommand(*name, |command| command.after_help(shown(examples)))
    })
}

/// Examples as help shows them.
fn shown(examples: &Examples) -> String {
    let lines = examples.map(|(line, about)| format!("  {line}\n      {about}"));
    format!("Examples:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;

    /// The words of the last command of a line, as a shell splits them.
    fn words(line: &str) -> Vec<String> {
        let command = line.rsplit('|').next().unwrap_or_default();
        let command = command.split(" > ").next().unwrap_or_default();
        let words = command.split_whitespace();
        words.map(|word| word.trim_matches('\'').to_owned()).collect()
    }

    /// Each command, its examples, and its help.
    fn all() -> Vec<(&'static str, Examples, String)> {
        let mut whole = command_line();
        whole.build();
        let mut all = vec![("", summary::EXAMPLES, whole.render_long_help().to_string())];
        for (name, examples) in commands::EXAMPLES {
            let command = whole.find_subcommand_mut(name).expect("a command");
            all.push((name, *examples, command.render_long_help().to_string()));
        }
        all
    }

    #[test]
    fn help_ends_with_three_examples_each_of_which_is_accepted() {
        for (name, examples, help) in all() {
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
                let mut cli = Cli::from_arg_matches(&matches).expect(line);
                // Whether the file can be written is not what is tested.
                cli.global.export.clear();
                let refused = crate::uses::check(&cli.uses(), &cli.global);
                assert!(refused.is_ok(), "{line}: {refused:?}");
            }
        }
    }

    #[test]
    fn a_resumed_run_takes_its_output_options_and_no_others() {
        const OUTPUT: [&str; 9] =
            ["json", "export", "quiet", "verbose", "color", "allow", "fail_on", "style", "resume"];
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
}
