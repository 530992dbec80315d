//! One page on a clock, a wait, a finding, a purpose, or a name that a screen prints.

use crate::context::Context;
use crate::{finish, select};
use chronoscope_diagnose::{advise, faults, wait as waiting};
use chronoscope_probes::clocks;
use chronoscope_probes::waits::{self, NOMINAL_HZ, Setting};
use chronoscope_report::documents;
use chronoscope_report::text::{Page, explain, terms};
use std::process::ExitCode;

/// `chronoscope explain`
#[derive(clap::Args)]
pub struct Args {
    /// The id of a clock, a wait, a finding or a purpose, or what a screen prints: the head of a
    /// column, the name of a line.
    #[arg(required = true, value_name = "ID")]
    words: Vec<String>,
}

/// Shows the page, or the pages: a purpose and a column can have the same name.
///
/// # Errors
/// An id that names nothing.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    // Some heads have two words, and nobody quotes them.
    let id = args.words.join(" ");
    let named = [clock(&id), wait(&id), fault(&id), purpose(&id)];
    let known = terms::find(&id).into_iter().map(terms::Term::page);
    let pages: Vec<Page> = named.into_iter().flatten().chain(known).collect();
    if pages.is_empty() {
        let ids = clocks::every()
            .map(|entry| entry.id)
            .chain(waits::ALL.iter().map(|entry| entry.id))
            .chain(faults::ALL.iter().map(|fault| fault.id))
            .chain(advise::PURPOSES.iter().map(|purpose| purpose.id))
            .chain([waiting::PURPOSE])
            .chain(terms::all().flat_map(terms::Term::whole_names));
        return Err(select::unknown("id", ids, &id).into());
    }
    let text: Vec<String> = pages
        .iter()
        .map(|page| explain::render(page, &context.style))
        .collect();
    finish::document(context, &documents::pages(&pages)?, text.join("\n"))
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

fn purpose(id: &str) -> Option<Page> {
    let purposes = advise::PURPOSES
        .iter()
        .map(|purpose| (purpose.id, purpose.title, purpose.page));
    let (id, title, about) = purposes
        .chain([(waiting::PURPOSE, waiting::TITLE, waiting::PAGE)])
        .find(|(known, ..)| *known == id)?;
    let command = format!("chronoscope advise --for {id}");
    let facts = [
        ("needs", about.needs),
        ("rules out", about.rules_out),
        ("advised", about.advised),
        ("the trap", about.trap),
        ("here", &command),
    ];
    Some(Page {
        id: id.into(),
        title: "purpose".into(),
        body: format!("{title}."),
        facts: facts
            .map(|(name, text)| (name.into(), text.into()))
            .to_vec(),
        call: String::new(),
        references: about.references.iter().map(ToString::to_string).collect(),
    })
}
