//! Shell completions, man pages and the JSON Schema, from the definitions that the tool itself
//! uses.

use crate::context::Context;
use crate::task::{Examples, Files, Run, Task};

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
    what: Files,
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Ok(Task::Generate(self.what))
    }
}
