//! The commands: their arguments, what they ask for, and one line for each in the list below, under
//! the heading that help gives it.

mod advise;
pub mod compare;
mod doctor;
mod explain;
mod list;
pub mod measure;
mod report;
#[cfg(feature = "serve")]
mod serve;
mod waits;
#[cfg(feature = "watch")]
mod watch;

use crate::context::Context;
use crate::options::{COMPARED, Group, LIST, MEASURING, NAMING, NONE, PAGE, STORED};
use crate::task::{Files, Run, Task};
use chronoscope_survey::spec::{CallSpec, ClockSpec, DeltaSpec, OverheadSpec, SweepSpec};

macro_rules! commands {
    ($($heading:literal { $($(#[$on:meta])? $name:ident: $groups:ident, $args:ty;)* })*) => {
        pastey::paste! {
            /// What to do.
            #[derive(clap::Subcommand)]
            pub enum Command {
                $($($(#[$on])? [<$name:camel>](Box<$args>),)*)*
            }

            /// The name of each command, the groups of options that it takes, and the heading under
            /// which help lists it.
            pub const COMMANDS: &[(&str, &[Group], &str)] = &[
                $($($(#[$on])? (stringify!($name), $groups, $heading),)*)*
            ];

            impl Command {
                /// The task that the arguments ask for.
                ///
                /// # Errors
                /// See [`Run::task`].
                pub fn task(self, context: &Context) -> anyhow::Result<Task> {
                    match self {
                        $($($(#[$on])? Self::[<$name:camel>](args) => args.task(context),)*)*
                    }
                }
            }
        }
    };
}

commands! {
    "Measure" {
        clocks: MEASURING, ClockSpec;
        waits: NAMING, waits::Args;
        runtimes: MEASURING, measure::RuntimesArgs;
        trust: MEASURING, measure::TrustArgs;
        noise: MEASURING, measure::NoiseArgs;
        browser: NONE, measure::BrowserArgs;
        #[cfg(feature = "watch")] watch: NONE, watch::Args;
    }
    "Answer" {
        advise: MEASURING, advise::Args;
        doctor: MEASURING, doctor::Args;
        explain: PAGE, explain::Args;
        list: LIST, list::Args;
    }
    "Keep and compare" {
        report: STORED, report::Args;
        compare: COMPARED, compare::Args;
    }
    "Look closer" {
        deltas: MEASURING, DeltaSpec;
        calls: MEASURING, CallSpec;
        overhead: MEASURING, OverheadSpec;
        sweep: MEASURING, SweepSpec;
        hardware: MEASURING, measure::HardwareArgs;
        demo: PAGE, measure::DemoArgs;
    }
    "Operate" {
        #[cfg(feature = "serve")] serve: NONE, serve::Args;
        generate: NONE, Generate;
    }
}

/// Write files for a fleet, completions, man pages or the JSON Schema.
#[derive(clap::Args)]
pub struct Generate {
    /// What to generate.
    #[command(subcommand)]
    what: Files,
}

impl Run for Generate {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Ok(Task::Generate(self.what))
    }
}

/// Command lines worth copying, each with what it is for. Help and the man page of a command end
/// with them; `summary` is the tool without a command.
pub fn examples(command: &str) -> Vec<(&'static str, &'static str)> {
    let pages = include_str!("examples.md").split("\n## ").skip(1);
    let own = pages.filter_map(|page| page.split_once('\n')).filter(|(name, _)| *name == command);
    let lines = own.flat_map(|(_, lines)| lines.lines());
    lines.filter_map(|line| line.strip_prefix("- `")?.split_once("`: ")).collect()
}
