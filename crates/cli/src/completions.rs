//! Completions for a shell. Many arguments take prefixes, globs or several names, so the parser
//! does not list what may stand there; completions do.

use crate::cli::command_line;
use crate::commands::COMMANDS;
use crate::pictures;
use crate::presets::PRESETS;
use chronoscope_diagnose::advise::{LANGUAGES, PURPOSES};
use chronoscope_diagnose::{causes, faults};
use chronoscope_model::Level;
use chronoscope_model::load::Load;
use chronoscope_probes::{clocks, waits};
use chronoscope_report::format;
use chronoscope_survey::demo::DEMOS;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use std::fmt::Write;

/// The script that completes command lines in a shell.
pub fn script(shell: Shell) -> Vec<u8> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut named(), "chronoscope", &mut bytes);
    if shell == Shell::Fish {
        bytes.extend(positionals_in_fish().into_bytes());
    }
    bytes
}

/// The command line, whose arguments have the names that may stand there as their values.
fn named() -> Command {
    let with = |command: Command| {
        let name = command.get_name().to_owned();
        command.mut_args(|arg| {
            let takes = arg.get_action().takes_values();
            match names(&name, arg.get_id().as_str()).filter(|_| takes) {
                Some(names) => completed(arg, names),
                None => arg,
            }
        })
    };
    COMMANDS.iter().fold(with(command_line()), |all, (name, ..)| all.mut_subcommand(*name, with))
}

fn completed(arg: Arg, names: Vec<&'static str>) -> Arg {
    // What ends with an equals sign is to be continued: bash adds no space then.
    let more = names.iter().all(|name| name.ends_with('='));
    let arg = if more { arg.value_hint(ValueHint::Other) } else { arg };
    arg.value_parser(PossibleValuesParser::new(names))
}

/// The names that may stand for an argument of a command, if there is a list of them.
fn names(command: &str, arg: &str) -> Option<Vec<&'static str>> {
    let runtimes = || chronoscope_runtimes::ALL.iter().map(|one| one.id);
    let findings = || faults::ALL.iter().map(|fault| fault.id());
    let purposes = || PURPOSES.iter().map(|purpose| purpose.id());
    let presets = || PRESETS.iter().map(|preset| preset.names[0]);
    let clocks = || clocks::every().map(|entry| entry.id);
    let waits = || waits::ALL.iter().map(|entry| entry.id);
    // clap takes static names only, and a script is written once.
    let open = |name: &str| &*format!("{name}=").leak();
    Some(match (command, arg) {
        ("waits" | "watch", "ids") => waits().collect(),
        ("waits", "preset") => presets().filter(|name| name.contains("waits")).collect(),
        ("runtimes", "ids") | ("sweep", "runtimes") => runtimes().collect(),
        (_, "ids" | "id" | "only" | "clock") => clocks().collect(),
        (_, "runtime") => runtimes().map(open).collect(),
        (_, "export") => {
            let formats = format::ALL.iter().map(|format| format.id);
            formats.chain([pictures::ID]).map(open).collect()
        }
        (_, "allow" | "fail_on") => {
            Level::ALL.map(Level::name).into_iter().chain(findings()).collect()
        }
        (_, "purpose") => purposes().collect(),
        (_, "language") => LANGUAGES.into_iter().chain(["all"]).collect(),
        (_, "load") => Load::ALL.map(Load::name).into(),
        ("demo", "name") => DEMOS.iter().map(|demo| demo.name).chain(["list"]).collect(),
        ("explain", "words") => {
            let causes = causes::ALL.iter().map(chronoscope_model::Page::name);
            let entries = clocks().chain(waits()).chain(runtimes()).chain(findings());
            entries.chain(purposes()).chain(presets()).chain(causes).collect()
        }
        _ => return None,
    })
}

/// clap's script for fish completes options only.
fn positionals_in_fish() -> String {
    let mut lines = String::new();
    for command in named().get_subcommands() {
        let values = command.get_positionals().flat_map(Arg::get_possible_values);
        let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        if !values.is_empty() {
            let (name, values) = (command.get_name(), values.join(" "));
            // Writing to a string does not fail.
            let _ = writeln!(
                lines,
                "complete -c chronoscope -n \"__fish_chronoscope_using_subcommand {name}\" -f -a \
                 \"{values}\""
            );
        }
    }
    lines
}
