//! What is supported here, and why the rest is not.

use crate::context::{Context, Usage};
use crate::task::{Run, Task};
use crate::{options, presets};
use chronoscope_diagnose::{advise, faults};
use chronoscope_probes::clocks::{self, Opening};
use chronoscope_probes::waits;
use chronoscope_report::text::{self, ListRow};
use chronoscope_report::{format, json, terms};
use chronoscope_runtimes::Runtime;
use chronoscope_survey::may_measure;
use clap::ValueEnum;

/// List what is supported here, and why the rest is not.
#[derive(clap::Args)]
pub struct Args {
    /// What to list.
    #[arg(value_enum, default_value_t)]
    what: What,
}

/// What can be listed, and the title of its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum What {
    /// Clocks.
    #[default]
    Clocks,
    /// Wait methods.
    Waits,
    /// Language runtimes.
    Runtimes,
    /// Problems that the tool can find.
    Faults,
    /// Purposes of advise --for.
    Purposes,
    /// Known experiments of --preset.
    Presets,
    /// Formats of --export.
    Formats,
    /// Columns, rows and lines of the screens.
    Columns,
}

impl What {
    fn rows(self) -> Vec<ListRow> {
        match self {
            Self::Clocks => clocks::every().map(clock).collect(),
            Self::Waits => waits::ALL.iter().map(|entry| wait(entry)).collect(),
            Self::Runtimes => chronoscope_runtimes::ALL.iter().map(|one| runtime(one)).collect(),
            Self::Faults => faults::ALL
                .iter()
                .map(|fault| ListRow {
                    kind: fault.certainty.name().into(),
                    looks_at: fault.page().how.into(),
                    ..ListRow::plain(fault.id, fault.page().title)
                })
                .collect(),
            Self::Purposes => advise::PURPOSES
                .iter()
                .map(|purpose| ListRow::plain(purpose.id, purpose.page().title))
                .collect(),
            Self::Presets => presets::PRESETS
                .iter()
                .map(|preset| ListRow {
                    call: preset.line(),
                    ..ListRow::plain(preset.name(), preset.about)
                })
                .collect(),
            Self::Formats => {
                let formats = format::ALL.iter();
                let formats = formats.map(|format| ListRow::plain(format.id, format.about));
                formats.chain([ListRow::plain(options::SVG, options::ABOUT_SVG)]).collect()
            }
            Self::Columns => terms::all()
                .map(|page| ListRow::plain(&terms::shown(page.names), page.title))
                .collect(),
        }
    }
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        // Whether a clock is available is tried.
        may_measure()?;
        // What has a call is shown without its description otherwise.
        let more = matches!(self.what, What::Clocks | What::Waits | What::Runtimes);
        if context.options.verbose && !more {
            return Err(Usage::nothing_more().into());
        }
        let rows = self.what.rows();
        let what = self.what.to_possible_value().unwrap_or_default();
        let title = what.get_help().map(ToString::to_string).unwrap_or_default();
        let text = text::list(&title, &rows, context.detail(), &context.style);
        Ok(Task::document(json::list(what.get_name(), &rows)?, text))
    }
}

/// The first paragraph of a description; explain shows all of it.
fn first(about: &str) -> &str {
    about.split("\n\n").next().unwrap_or_default()
}

fn clock(entry: &clocks::Entry) -> ListRow {
    let opened = entry.open(Opening::Checked);
    ListRow {
        call: entry.call.into(),
        kind: entry.kind.name().into(),
        language: entry.language.name().into(),
        unavailable_reason: opened.err().map(|reason| reason.to_string()),
        is_peer: clocks::PEERS.iter().any(|peer| peer.id == entry.id),
        ..ListRow::plain(entry.id, first(entry.about()))
    }
}

/// A runtime is available if its programs are found; nothing is run.
fn runtime(runtime: &Runtime) -> ListRow {
    ListRow {
        call: runtime.name.into(),
        language: runtime.language.into(),
        unavailable_reason: runtime.find_ways(None).err(),
        ..ListRow::plain(runtime.id, &runtime.page().about)
    }
}

fn wait(entry: &waits::Entry) -> ListRow {
    ListRow {
        call: entry.call.into(),
        kind: entry.kind.name().into(),
        language: entry.language.name().into(),
        unavailable_reason: entry.is_here().err().map(|reason| reason.to_string()),
        ..ListRow::plain(entry.id, first(entry.about()))
    }
}
