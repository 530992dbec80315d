//! What is there, and why what is not there is not.

use crate::context::Context;
use crate::finish;
use chronoscope_diagnose::wait;
use chronoscope_probes::clocks;
use chronoscope_probes::waits::{self, NOMINAL_HZ, Setting};
use chronoscope_report::text::{ListRow, list, terms};
use chronoscope_report::{documents, format};
use std::process::ExitCode;

/// `chronoscope list`
#[derive(clap::Args)]
pub struct Args {
    /// What to list.
    #[arg(value_enum, default_value_t)]
    what: What,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum What {
    /// The clocks.
    #[default]
    Clocks,
    /// The ways to wait.
    Waits,
    /// The findings that the tool knows.
    Faults,
    /// The purposes of advise --for.
    Purposes,
    /// The formats of --export.
    Formats,
    /// The columns, rows and lines of the screens.
    Columns,
}

impl What {
    /// As it is written on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Clocks => "clocks",
            Self::Waits => "waits",
            Self::Faults => "faults",
            Self::Purposes => "purposes",
            Self::Formats => "formats",
            Self::Columns => "columns",
        }
    }
}

/// Lists.
///
/// # Errors
/// An output that could not be written.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let plain = |id: &str, about: &str| ListRow {
        id: id.into(),
        call: String::new(),
        kind: String::new(),
        language: String::new(),
        available: Ok(()),
        about: about.into(),
        beside: false,
    };
    let (title, rows): (&str, Vec<ListRow>) = match args.what {
        What::Clocks => (
            "Clocks",
            clocks::every()
                .map(|entry| ListRow {
                    id: entry.id.into(),
                    call: entry.call.into(),
                    kind: format!("{:?}", entry.kind).to_lowercase(),
                    language: entry.language.name().into(),
                    available: (entry.open)()
                        .map(|_| ())
                        .map_err(|reason| reason.to_string()),
                    about: entry.about.into(),
                    beside: clocks::PEERS.iter().any(|peer| peer.id == entry.id),
                })
                .collect(),
        ),
        What::Waits => (
            "Waits",
            waits::ALL
                .iter()
                .map(|entry| ListRow {
                    id: entry.id.into(),
                    call: entry.call.into(),
                    kind: format!("{:?}", entry.kind).to_lowercase(),
                    language: entry.language.name().into(),
                    available: (entry.open)(&Setting {
                        counter_hz: NOMINAL_HZ,
                    })
                    .map(|_| ())
                    .map_err(|reason| reason.to_string()),
                    about: entry.about.into(),
                    beside: false,
                })
                .collect(),
        ),
        What::Faults => (
            "Findings that the tool knows",
            chronoscope_diagnose::faults::ALL
                .iter()
                .map(|fault| plain(fault.id, fault.title))
                .collect(),
        ),
        What::Purposes => (
            "Purposes of advice",
            chronoscope_diagnose::advise::PURPOSES
                .iter()
                .map(|purpose| plain(purpose.id, purpose.title))
                .chain([plain(wait::PURPOSE, wait::TITLE)])
                .collect(),
        ),
        What::Formats => (
            "Formats of --export",
            format::ALL
                .iter()
                .map(|format| plain(format.id, format.about))
                .collect(),
        ),
        What::Columns => (
            "What screens show",
            terms::all()
                .map(|term| plain(&term.all_names(), term.place))
                .collect(),
        ),
    };
    finish::document(
        context,
        &documents::list(args.what.name(), &rows)?,
        list::render(title, &rows, &context.style),
    )
}
