//! The commands: one file per command with its arguments and what they ask for, and one line in the
//! list below.

pub mod summary;

use crate::context::Context;
use crate::options::{COMPARED, Group, LIST, MEASURING, NONE, PAGE, STORED};
use crate::task::{Examples, Run, Task};

macro_rules! commands {
    ($($file:ident: $groups:ident),* $(,)?) => {
        $(pub mod $file;)*

        pastey::paste! {
            /// What to do.
            #[derive(clap::Subcommand)]
            pub enum Command {
                $([<$file:camel>](Box<$file::Args>),)*
            }

            /// The name of each command, the groups of options that it takes, and its examples.
            pub const COMMANDS: &[(&str, &[Group], Examples)] =
                &[$((stringify!($file), $groups, $file::EXAMPLES)),*];

            impl Run for Command {
                fn task(self, context: &Context) -> anyhow::Result<Task> {
                    match self {
                        $(Self::[<$file:camel>](args) => args.task(context),)*
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
    waits: MEASURING,
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
    serve: NONE,
    generate: NONE,
}
