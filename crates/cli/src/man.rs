//! Man pages, from the definition of the command line.

use crate::cli::{EXIT_CODES, command_line};
use crate::commands::{COMMANDS, summary};
use crate::task::Examples;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs;
use std::io;
use std::path::Path;

/// Writes the pages of all commands that help shows into a folder.
///
/// # Errors
/// A page cannot be written.
pub fn pages(folder: &Path) -> io::Result<()> {
    let mut whole = command_line().disable_help_subcommand(true);
    whole.build();
    page(&whole, &summary::EXAMPLES, folder)?;
    for (name, _, examples, _) in COMMANDS {
        let command = whole.find_subcommand(name).filter(|command| !command.is_hide_set());
        if let Some(command) = command {
            page(command, examples, folder)?;
        }
    }
    Ok(())
}

/// Writes one page, in the usual order of sections (man-pages(7)), with the examples last.
fn page(command: &Command, examples: &Examples, folder: &Path) -> io::Result<()> {
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
    for (line, about) in examples {
        roff.control("TP", []).text([bold(*line)]).text([roman(*about)]);
    }
    roff.to_writer(&mut text)?;
    fs::write(folder.join(man.get_filename()), text)
}
