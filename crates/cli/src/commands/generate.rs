//! Shell completions, man pages and the JSON Schema, all from the definitions that the tool itself
//! works by.

use crate::args::Cli;
use crate::output;
use clap::CommandFactory;
use std::path::PathBuf;
use std::process::ExitCode;

/// `chronoscope generate`
#[derive(clap::Args)]
pub struct Args {
    /// What to make.
    #[command(subcommand)]
    what: What,
}

/// What can be made.
#[derive(clap::Subcommand)]
enum What {
    /// Completions for a shell, to standard output.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Man pages of all commands, into a folder that exists.
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// The JSON Schema of the report, to standard output.
    Schema,
}

/// Makes it.
///
/// # Errors
/// An output that could not be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut command = Cli::command();
    match args.what {
        What::Completions { shell } => {
            let mut bytes = Vec::new();
            clap_complete::generate(shell, &mut command, "chronoscope", &mut bytes);
            output::print(&bytes)?;
        }
        What::Man { folder } => clap_mangen::generate_to(command, &folder).map_err(|error| {
            anyhow::anyhow!("cannot write man pages to {}: {error}", folder.display())
        })?,
        What::Schema => output::print(chronoscope_report::schema().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
