//! Shell completions, man pages and the JSON Schema, from the definitions that the tool itself
//! uses.

use super::{Examples, Run};
use crate::cli::command_line;
use crate::context::Context;
use crate::man;
use crate::output;
use crate::uses::{Makes, Uses};
use std::path::PathBuf;
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope generate man /usr/local/share/man/man1", "Man pages of all commands."),
    ("chronoscope generate completions bash > chronoscope.bash", "Completions for a shell."),
    ("chronoscope generate schema", "The JSON Schema of a report."),
];

/// Shell completions, man pages, or the JSON Schema.
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// What to generate.
    #[command(subcommand)]
    what: What,
}

/// What can be generated.
#[derive(clap::Subcommand)]
enum What {
    /// Completions for a shell, to standard output.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Man pages of all commands, into an existing folder.
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// The JSON Schema of the report, to standard output.
    Schema,
}

impl Run for Args {
    fn uses(&self) -> Uses {
        Uses { makes: Makes::Files, ..Uses::showing("generate") }
    }

    fn run(self, _: &Context) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Completions { shell } => {
                let (mut command, mut bytes) = (command_line(), Vec::new());
                clap_complete::generate(shell, &mut command, "chronoscope", &mut bytes);
                output::print(&bytes)?;
            }
            What::Man { folder } => man::pages(&folder).map_err(|error| {
                anyhow::anyhow!("cannot write man pages to {}: {error}", folder.display())
            })?,
            What::Schema => output::print(chronoscope_report::schema().as_bytes())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
