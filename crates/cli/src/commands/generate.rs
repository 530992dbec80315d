//! Files for other programs.

use crate::context::Context;
use crate::task::{Examples, Files, Run, Task};

pub const EXAMPLES: Examples = [
    ("chronoscope generate fleet fleet", "Units, manifest, alerts, dashboard and SQL."),
    ("chronoscope generate man /usr/local/share/man/man1", "Man pages of all commands."),
    ("chronoscope generate completions bash > chronoscope.bash", "Completions for a shell."),
];

/// Write files for a fleet, completions, man pages or the JSON Schema.
#[derive(clap::Args)]
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
