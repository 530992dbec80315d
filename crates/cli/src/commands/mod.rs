//! The commands: one file per command with its arguments and what they ask for, and one line in the
//! list below, under the heading that help gives it.

pub mod summary;

use crate::context::Context;
use crate::options::{COMPARED, Group, LIST, MEASURING, NAMING, NONE, PAGE, STORED};
use crate::task::{Examples, Run, Task};

macro_rules! commands {
    ($($heading:literal { $($(#[$on:meta])? $file:ident: $groups:ident),* $(,)? })*) => {
        $($($(#[$on])? pub mod $file;)*)*

        pastey::paste! {
            /// What to do.
            #[derive(clap::Subcommand)]
            pub enum Command {
                $($($(#[$on])? [<$file:camel>](Box<$file::Args>),)*)*
            }

            /// The name of each command, the groups of options that it takes, its examples, and
            /// the heading under which help lists it.
            pub const COMMANDS: &[(&str, &[Group], Examples, &str)] = &[
                $($($(#[$on])? (stringify!($file), $groups, $file::EXAMPLES, $heading),)*)*
            ];

            impl Run for Command {
                fn task(self, context: &Context) -> anyhow::Result<Task> {
                    match self {
                        $($($(#[$on])? Self::[<$file:camel>](args) => args.task(context),)*)*
                    }
                }
            }
        }
    };
}

commands! {
    "Measure" {
        clocks: MEASURING,
        waits: NAMING,
        runtimes: MEASURING,
        trust: MEASURING,
        #[cfg(feature = "watch")] watch: NONE,
    }
    "Answer" {
        advise: MEASURING,
        doctor: MEASURING,
        explain: PAGE,
        list: LIST,
    }
    "Keep and compare" {
        report: STORED,
        compare: COMPARED,
    }
    "Look closer" {
        deltas: MEASURING,
        calls: MEASURING,
        overhead: MEASURING,
        sweep: MEASURING,
        hardware: MEASURING,
        demo: PAGE,
    }
    "Operate" {
        #[cfg(feature = "serve")] serve: NONE,
        generate: NONE,
    }
}
