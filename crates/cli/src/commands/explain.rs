//! One page on a clock, a finding, a purpose or a column.

use crate::columns::COLUMNS;
use crate::context::Context;
use crate::{finish, select};
use chronoscope_diagnose::{advise, faults, wait as waiting};
use chronoscope_probes::clocks;
use chronoscope_probes::waits::{self, NOMINAL_HZ, Setting};
use chronoscope_report::documents;
use chronoscope_report::text::{Page, explain};
use std::process::ExitCode;

/// `chronoscope explain`
#[derive(clap::Args)]
pub struct Args {
    /// The id of a clock, a finding, a purpose, or the name of a column.
    id: String,
}

/// Shows the page.
///
/// # Errors
/// An id that names nothing.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let page = clock(&args.id)
        .or_else(|| wait(&args.id))
        .or_else(|| fault(&args.id))
        .or_else(|| purpose(&args.id))
        .or_else(|| column(&args.id));
    let page = page.ok_or_else(|| {
        let ids = clocks::every()
            .map(|entry| entry.id)
            .chain(waits::ALL.iter().map(|entry| entry.id))
            .chain(faults::ALL.iter().map(|fault| fault.id))
            .chain(advise::PURPOSES.iter().map(|purpose| purpose.id))
            .chain([waiting::PURPOSE])
            .chain(COLUMNS.iter().map(|(id, _)| *id));
        select::unknown("id", ids, &args.id)
    })?;
    finish::document(
        context,
        &documents::page(&page)?,
        explain::render(&page, &context.style),
    )
}

fn clock(id: &str) -> Option<Page> {
    let entry = clocks::find(id)?;
    Some(Page {
        id: entry.id.into(),
        title: "clock".into(),
        call: entry.call.into(),
        body: entry.about.into(),
        facts: vec![
            ("language".into(), entry.language.name().into()),
            ("kind".into(), format!("{:?}", entry.kind).to_lowercase()),
            ("belongs to".into(), entry.home.into()),
            ("available here".into(), here((entry.open)().map(|_| ()))),
        ],
        references: entry.references.iter().map(ToString::to_string).collect(),
    })
}

fn wait(id: &str) -> Option<Page> {
    let entry = waits::find(id)?;
    Some(Page {
        id: entry.id.into(),
        title: "wait".into(),
        call: entry.call.into(),
        body: entry.about.into(),
        facts: vec![
            ("language".into(), entry.language.name().into()),
            ("kind".into(), format!("{:?}", entry.kind).to_lowercase()),
            (
                "available here".into(),
                here(
                    (entry.open)(&Setting {
                        counter_hz: NOMINAL_HZ,
                    })
                    .map(|_| ()),
                ),
            ),
        ],
        references: entry.references.iter().map(ToString::to_string).collect(),
    })
}

/// Whether it can be used here, or why not.
fn here<E: std::fmt::Display>(opened: Result<(), E>) -> String {
    match opened {
        Ok(()) => "yes".into(),
        Err(reason) => format!("no: {reason}"),
    }
}

fn fault(id: &str) -> Option<Page> {
    let fault = faults::ALL.iter().find(|fault| fault.id == id)?;
    Some(Page {
        id: fault.id.into(),
        title: "finding".into(),
        body: fault.about.into(),
        facts: vec![("fix".into(), fault.fix.into())],
        references: vec![fault.reference.into()],
        call: String::new(),
    })
}

fn column(id: &str) -> Option<Page> {
    let (id, body) = COLUMNS.iter().find(|(column, _)| *column == id)?;
    Some(Page {
        id: (*id).into(),
        title: "column".into(),
        call: String::new(),
        body: (*body).into(),
        facts: Vec::new(),
        references: vec!["docs/METHOD.md".into()],
    })
}

fn purpose(id: &str) -> Option<Page> {
    let purposes = advise::PURPOSES
        .iter()
        .map(|purpose| (purpose.id, purpose.title));
    let (id, title) = purposes
        .chain([(waiting::PURPOSE, waiting::TITLE)])
        .find(|(known, _)| *known == id)?;
    Some(Page {
        id: id.into(),
        title: "purpose".into(),
        body: title.into(),
        facts: vec![("advice".into(), format!("chronoscope advise --for {id}"))],
        call: String::new(),
        references: Vec::new(),
    })
}
