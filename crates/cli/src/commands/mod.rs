//! The commands: one file per command with its arguments and what they ask for, and one line in the
//! list below.

pub mod summary;

use crate::context::Context;
use crate::options::{COMPARED, Group, LIST, MEASURING, NAMING, NONE, PAGE, STORED};
use crate::task::{Examples, Run, Task};

macro_rules! commands {
    ($($(#[$on:meta])? $file:ident: $groups:ident),* $(,)?) => {
        $($(#[$on])? pub mod $file;)*

        pastey::paste! {
            /// What to do.
            #[derive(clap::Subcommand)]
            pub enum Command {
                $($(#[$on])? [<$file:camel>](Box<$file::Args>),)*
            }

            /// The name of each command, the groups of options that it takes, and its examples.
            pub const COMMANDS: &[(&str, &[Group], Examples)] =
                &[$($(#[$on])? (stringify!($file), $groups, $file::EXAMPLES)),*];

            impl Run for Command {
                fn task(self, context: &Context) -> anyhow::Result<Task> {
                    match self {
                        $($(#[$on])? Self::[<$file:camel>](args) => args.task(context),)*
                    }
                }
            }
        }
    };
}

commands! {
    clocks: MEASURING,
    deltas: MEASURING,
    calls: MEASURING,
    overhead: MEASURING,
    waits: NAMING,
    #[cfg(feature = "watch")] watch: NONE,
    runtimes: MEASURING,
    trust: MEASURING,
    hardware: MEASURING,
    sweep: MEASURING,
    doctor: MEASURING,
    advise: MEASURING,
    report: STORED,
    compare: COMPARED,
    list: LIST,
    explain: PAGE,
    demo: PAGE,
    #[cfg(feature = "serve")] serve: NONE,
    generate: NONE,
}
