//! Shell completions, man pages and the JSON Schema, from the definitions that the tool itself
//! uses.

use super::Run;
use crate::context::Context;
use crate::output;
use crate::uses::{Makes, Uses};
use std::path::PathBuf;
use std::process::ExitCode;

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
        Uses {
            makes: Makes::Files,
            ..Uses::showing("generate")
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let mut command = context.command_line.clone();
        match self.what {
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
}
