//! Explains a clock, a wait, a runtime, a finding, a purpose, or a name on a screen.

use crate::context::Context;
use crate::task::{Examples, Run, Task};
use chronoscope_diagnose::{advise, causes, faults};
use chronoscope_model::clock::Orders;
use chronoscope_probes::clocks::{self, Facts, Opening};
use chronoscope_probes::waits::{self, NOMINAL_HZ, Setting};
use chronoscope_report::term::Term;
use chronoscope_report::text::{Page, explain};
use chronoscope_report::{documents, terms};
use chronoscope_survey::{Error, may_measure, select};

pub const EXAMPLES: Examples = [
    ("chronoscope explain posix/monotonic", "A clock: what it counts, and what it is good for."),
    ("chronoscope explain verdict", "A column of the screens."),
    ("chronoscope explain noisy-machine", "A finding, and what to do about it."),
];

/// Explain a clock, a wait, a runtime, a finding, a purpose or a column.
#[derive(clap::Args)]
pub struct Args {
    /// The id of a clock, a wait, a runtime, a finding, a purpose or a cause of lateness, or a name
    /// on a screen: the heading of a column or the name of a line.
    #[arg(required = true, value_name = "ID")]
    words: Vec<String>,
}

impl Run for Args {
    /// Shows the page, or several if a purpose and a column have the same name.
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        // Whether a clock is available is tried.
        may_measure()?;
        // Some headings have two words, and users do not quote them.
        let id = self.words.join(" ");
        let named = [clock(&id), wait(&id), runtime(&id), fault(&id), purpose(&id), cause(&id)];
        let known = terms::find(&id).into_iter().map(Page::from);
        let pages: Vec<Page> = named.into_iter().flatten().chain(known).collect();
        if pages.is_empty() {
            let causes: Vec<String> = causes::ALL.iter().map(cause_id).collect();
            let ids = clocks::every()
                .map(|entry| entry.id)
                .chain(waits::ALL.iter().map(|entry| entry.id))
                .chain(chronoscope_runtimes::ALL.iter().map(|runtime| runtime.id))
                .chain(faults::ALL.iter().map(|fault| fault.id))
                .chain(advise::PURPOSES.iter().map(|purpose| purpose.id))
                .chain(terms::all().flat_map(Term::whole_names));
            let mut ids: Vec<&str> = ids.collect();
            ids.extend(causes.iter().map(String::as_str));
            return Err(Error::from(select::unknown("id", ids.into_iter(), &id)).into());
        }
        let text: Vec<String> =
            pages.iter().map(|page| explain::render(page, &context.style)).collect();
        Ok(Task::Document { json: documents::pages(&pages)?, text: text.join("\n") })
    }
}

fn clock(id: &str) -> Option<Page> {
    let entry = clocks::find(id)?;
    let opened = entry.open(Opening::Checked);
    Some(Page {
        id: entry.id.into(),
        title: "clock".into(),
        call: entry.call.into(),
        body: entry.about.into(),
        facts: vec![
            ("language".into(), entry.language.name().into()),
            ("kind".into(), format!("{:?}", entry.kind).to_lowercase()),
            ("built on".into(), entry.facts.built_on.words().into()),
            ("promised order".into(), promised(entry.facts)),
            ("exists on".into(), entry.home.into()),
            ("available here".into(), here(opened)),
        ],
        references: owned(entry.references),
    })
}

/// What the manuals promise about the order of its reads, and where to see what was tested.
fn promised(facts: Facts) -> String {
    let promised = match facts.orders {
        Orders::Unknown => "not documented",
        Orders::Nothing => "none: it may be read before earlier instructions have finished",
        Orders::Memory => "after earlier loads and stores; on AMD after all earlier instructions",
        Orders::Earlier => "after all earlier instructions",
        Orders::Both => "after all earlier instructions and before all later ones",
    };
    let fence = match facts.by_lfence {
        true => "; on AMD if LFENCE serialises (CPUID 0x80000021 EAX[2], or set by the kernel)",
        false => "",
    };
    format!("{promised}{fence}; chronoscope clocks shows what was tested")
}

fn wait(id: &str) -> Option<Page> {
    let entry = waits::find(id)?;
    let opened = entry.open(&Setting { counter_hz: NOMINAL_HZ });
    Some(Page {
        id: entry.id.into(),
        title: "wait".into(),
        call: entry.call.into(),
        body: entry.about.into(),
        facts: vec![
            ("language".into(), entry.language.name().into()),
            ("kind".into(), format!("{:?}", entry.kind).to_lowercase()),
            ("exists on".into(), entry.home.into()),
            ("available here".into(), here(opened)),
        ],
        references: owned(entry.references),
    })
}

/// A runtime, by its id or as `runtime/ID`.
fn runtime(id: &str) -> Option<Page> {
    let runtime = chronoscope_runtimes::find(id.strip_prefix("runtime/").unwrap_or(id))?;
    let install = runtime.install.iter();
    let mut facts = vec![
        ("language".into(), runtime.language.into()),
        ("available here".into(), here(runtime.find_ways(None))),
    ];
    facts.extend(runtime.oldest.map(|oldest| ("oldest version".into(), oldest.into())));
    facts.extend(install.map(|one| (format!("on {}", one.on), one.command.into())));
    let settings = runtime.settings.iter();
    facts.extend(settings.map(|one| (one.name.into(), one.effect.into())));
    Some(Page {
        id: runtime.id.into(),
        title: "runtime".into(),
        call: format!("chronoscope runtimes {}", runtime.id),
        body: runtime.about.into(),
        facts,
        references: owned(runtime.references),
    })
}

/// Whether it can be used here, or why not.
fn here<T, E: std::fmt::Display>(opened: Result<T, E>) -> String {
    match opened {
        Ok(_) => "yes".into(),
        Err(reason) => format!("no: {reason}"),
    }
}

fn fault(id: &str) -> Option<Page> {
    let fault = faults::ALL.iter().find(|fault| fault.id == id)?;
    Some(Page {
        id: fault.id.into(),
        title: format!("finding: {}", fault.title),
        body: fault.about.into(),
        facts: vec![
            ("certainty".into(), fault.certainty.name().into()),
            ("looks at".into(), fault.looks_at.into()),
            ("fix".into(), fault.fix.into()),
        ],
        references: vec![fault.reference.into()],
        call: String::new(),
    })
}

fn purpose(id: &str) -> Option<Page> {
    let purpose = advise::find(id)?;
    let about = purpose.page;
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
        body: format!("{}.", purpose.title),
        facts: facts.map(|(name, text)| (name.into(), text.into())).to_vec(),
        call: String::new(),
        references: owned(about.references),
    })
}

fn cause_id(about: &causes::About) -> String {
    format!("{}{}", causes::PREFIX, about.cause.name())
}

fn cause(id: &str) -> Option<Page> {
    let about = causes::find(id)?;
    let facts = [("how", about.how), ("what to do", about.fix)];
    let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
    Some(Page {
        id: id.into(),
        title: format!("cause of late wake-ups: {}", about.cause.words()),
        body: about.about.into(),
        facts: known.map(|(name, text)| (name.into(), text.into())).collect(),
        call: String::new(),
        references: owned(about.references),
    })
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}
