//! Files for other programs: those of a fleet, completions for a shell, man pages, schemas.

use crate::cli::{EXIT_CODES, command_line};
use crate::commands::{COMMANDS, examples};
use crate::context::Context;
use crate::options::SVG;
#[cfg(feature = "serve")]
use crate::output::{cannot_write, check_folder};
use crate::output::{print, write_whole};
use crate::presets::PRESETS;
use crate::task::Files;
use chronoscope_diagnose::advise::{LANGUAGES, PURPOSES};
use chronoscope_diagnose::{causes, faults};
#[cfg(feature = "serve")]
use chronoscope_fleet::files as fleet;
use chronoscope_model::load::Load;
use chronoscope_model::{Level, schema};
use chronoscope_probes::{clocks, waits};
use chronoscope_report::format;
use chronoscope_survey::demo::DEMOS;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::path::Path;
#[cfg(feature = "serve")]
use std::{fs, io};

/// Writes what was asked for.
///
/// # Errors
/// A file cannot be written.
#[cfg_attr(not(feature = "serve"), expect(unused_variables))]
pub fn write(files: Files, context: &Context) -> anyhow::Result<()> {
    match files {
        #[cfg(feature = "serve")]
        Files::Fleet { folder, force } => write_fleet(&folder, force, context),
        Files::Completions { shell } => print(&completions(shell)),
        Files::Man { folder } => man_pages(&folder),
        Files::Schema { document } => {
            // clap knows these names.
            let schema = schema::ALL.into_iter().find(|(name, _)| *name == document);
            print(schema.map_or("", |(_, schema)| schema).as_bytes())
        }
    }
}

/// The script that completes command lines in a shell.
fn completions(shell: Shell) -> Vec<u8> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut with_names(), "chronoscope", &mut bytes);
    if shell == Shell::Fish {
        bytes.extend(positionals_in_fish().into_bytes());
    }
    bytes
}

/// The command line, whose arguments have the names that may stand there as their values.
fn with_names() -> Command {
    let with = |command: Command| {
        let name = command.get_name().to_owned();
        command.mut_args(|arg| {
            let takes = arg.get_action().takes_values();
            match names_of(&name, arg.get_id().as_str()).filter(|_| takes) {
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
fn names_of(command: &str, arg: &str) -> Option<Vec<&'static str>> {
    let runtimes = || chronoscope_runtimes::ALL.iter().map(|one| one.id);
    let findings = || faults::ALL.iter().map(|fault| fault.id);
    let purposes = || PURPOSES.iter().map(|purpose| purpose.id);
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
            formats.chain([SVG]).map(open).collect()
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
    for command in with_names().get_subcommands() {
        let values = command.get_positionals().flat_map(Arg::get_possible_values);
        let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        if !values.is_empty() {
            let (name, values) = (command.get_name(), values.join(" "));
            lines += &format!(
                "complete -c chronoscope -n \"__fish_chronoscope_using_subcommand {name}\" -f -a \
                 \"{values}\"\n"
            );
        }
    }
    lines
}

/// Writes the pages of all commands that help shows into a folder.
///
/// # Errors
/// A page cannot be written.
fn man_pages(folder: &Path) -> anyhow::Result<()> {
    let mut whole = command_line().disable_help_subcommand(true);
    whole.build();
    man_page(&whole, "summary", folder)?;
    for (name, ..) in COMMANDS {
        let command = whole.find_subcommand(name).filter(|command| !command.is_hide_set());
        if let Some(command) = command {
            man_page(command, name, folder)?;
        }
    }
    Ok(())
}

/// Writes one page, in the usual order of sections (man-pages(7)), with the examples last.
fn man_page(command: &Command, name: &str, folder: &Path) -> anyhow::Result<()> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    let mut roff = Roff::default();
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
        roff.control("SH", ["EXIT STATUS"]).text([roman(EXIT_CODES)]);
    }
    let version = command.get_version().unwrap_or_default();
    roff.control("SH", ["VERSION"]).text([roman(version)]);
    roff.control("SH", ["EXAMPLES"]);
    for (line, about) in examples(name) {
        roff.control("TP", []).text([bold(line)]).text([roman(about)]);
    }
    roff.to_writer(&mut text)?;
    write_whole(&folder.join(man.get_filename()), &text)
}

/// Writes all files into a folder, which is made if it does not exist, and says so. If a file is
/// there that differs, none is written without `force`.
///
/// # Errors
/// Files differ (usage), or one cannot be written.
#[cfg(feature = "serve")]
fn write_fleet(folder: &Path, force: bool, context: &Context) -> anyhow::Result<()> {
    let mut changed = Vec::new();
    for (path, text) in fleet::FILES.iter() {
        let place = folder.join(path);
        if !absent_or_equal(&place, text).map_err(|error| cannot_write(&place, &error))? {
            changed.push(*path);
        }
    }
    if !force && !changed.is_empty() {
        let (folder, changed) = (folder.display(), changed.join(", "));
        let line = format!("nothing was written: {folder} has other versions of {changed}");
        refuse!("{line}; --force replaces them");
    }
    for (path, text) in fleet::FILES.iter() {
        let place = folder.join(path);
        check_folder(place.parent().unwrap_or(folder))?;
        write_whole(&place, text.as_bytes())?;
    }
    let (number, folder) = (fleet::FILES.len(), folder.display());
    context.warn(&format!("wrote {number} files to {folder}; README.md says what each is for"));
    Ok(())
}

#[cfg(feature = "serve")]
fn absent_or_equal(place: &Path, text: &str) -> io::Result<bool> {
    match fs::metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
        // Whatever else is there may be endless.
        Ok(there) if !there.is_file() || there.len() != text.len() as u64 => Ok(false),
        Ok(_) => Ok(fs::read(place)? == text.as_bytes()),
    }
}
