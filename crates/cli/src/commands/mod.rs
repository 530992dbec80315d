//! The commands: one file per command with its arguments and its code, and one line in the list
//! below.

pub mod summary;

use crate::context::Context;
use crate::uses::Uses;
use std::process::ExitCode;

/// Command lines worth copying, each with what it is for. Help and man pages end with them.
pub type Examples = [(&'static str, &'static str); 3];

/// What a command does. Its arguments implement this; their description is that of the command.
pub trait Run {
    /// Which common options apply.
    fn uses(&self) -> Uses;

    /// Runs it.
    ///
    /// # Errors
    /// One clear line; the type of the error decides the exit code.
    fn run(self, context: &Context) -> anyhow::Result<ExitCode>;
}

macro_rules! commands {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        pastey::paste! {
            /// What to do.
            #[derive(clap::Subcommand)]
            pub enum Command {
                $([<$file:camel>](Box<$file::Args>),)*
            }

            /// The examples of each command.
            pub const EXAMPLES: &[(&str, Examples)] =
                &[$((stringify!($file), $file::EXAMPLES)),*];

            impl Command {
                /// Which common options apply.
                pub fn uses(&self) -> Uses {
                    match self {
                        $(Self::[<$file:camel>](args) => args.uses(),)*
                    }
                }

                /// Runs it.
                ///
                /// # Errors
                /// One clear line; the type of the error decides the exit code.
                pub fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
                    match self {
                        $(Self::[<$file:camel>](args) => args.run(context),)*
                    }
                }
            }
        }
    };
}

commands! {
    clocks,
    deltas,
    calls,
    overhead,
    waits,
    runtimes,
    trust,
    hardware,
    sweep,
    doctor,
    advise,
    report,
    list,
    explain,
    generate,
}
