//! The commands: one file per command with its arguments and its code, and one line in the list
//! below.

use crate::context::Context;
use crate::finish::finish;
use crate::progress::Progress;
use crate::uses::{Makes, Uses};
use chronoscope_report::text;
use chronoscope_survey::Survey;
use std::process::ExitCode;

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
    hardware,
    advise,
    list,
    explain,
    generate,
}

/// The common options that apply without a command.
pub const SUMMARY: Uses = Uses {
    makes: Makes::Distributions,
    ..Uses::measuring("chronoscope")
};

/// Without a command: measures every clock, and shows the machine at a glance.
///
/// # Errors
/// Nothing could be measured, or an output could not be written.
pub fn summary(context: &Context) -> anyhow::Result<ExitCode> {
    let progress = Progress::new(context);
    let survey = context.survey(Survey::summary());
    let report = survey.progress(|state| progress.show(state)).run()?;
    drop(progress);
    finish(context, report, |report| {
        text::summary(report, &context.style)
    })
}
