//! Explains a clock, a wait, a runtime, a finding, a purpose, or a name on a screen.

use crate::context::Context;
use crate::task::{Examples, Run, Task};
use chronoscope_diagnose::{advise, causes, faults};
use chronoscope_model::clock::{Orders, Period};
use chronoscope_model::units;
use chronoscope_probes::clocks::{self, Facts, Opening};
use chronoscope_probes::waits::{self, NOMINAL_HZ, Setting};
use chronoscope_report::text::{Page, explain};
use chronoscope_report::{documents, terms};
use chronoscope_survey::{may_measure, select};

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
    /// One page, or several if a purpose and a column have the same name.
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        // Whether a clock is available is tried.
        may_measure()?;
        // Some headings have two words, and users do not quote them.
        let id = self.words.join(" ");
        let named = [clock(&id), wait(&id), runtime(&id), fault(&id), purpose(&id), cause(&id)];
        let known = terms::find(&id).into_iter().map(Page::from);
        let pages: Vec<Page> = named.into_iter().flatten().chain(known).collect();
        if pages.is_empty() {
            let ids = clocks::every()
                .map(|entry| entry.id)
                .chain(waits::ALL.iter().map(|entry| entry.id))
                .chain(chronoscope_runtimes::ALL.iter().map(|runtime| runtime.id))
                .chain(faults::ALL.iter().map(|fault| fault.id()))
                .chain(advise::PURPOSES.iter().map(|purpose| purpose.id()))
                .chain(terms::all().flat_map(terms::whole_names))
                .chain(causes::ALL.iter().map(chronoscope_model::Page::name));
            return Err(select::unknown("id", ids, &id).into());
        }
        let text: Vec<String> =
            pages.iter().map(|page| explain::render(page, &context.style)).collect();
        Ok(Task::document(documents::pages(&pages)?, text.join("\n")))
    }
}

/// A page without a call, and without the facts that are empty.
fn page(id: &str, title: &str, body: &str, facts: &[(&str, &str)], references: &[&str]) -> Page {
    let facts = facts.iter().filter(|(_, text)| !text.is_empty());
    Page {
        id: id.into(),
        title: title.into(),
        call: String::new(),
        body: body.into(),
        facts: facts.map(|(name, text)| ((*name).into(), (*text).into())).collect(),
        references: references.iter().map(ToString::to_string).collect(),
    }
}

fn clock(id: &str) -> Option<Page> {
    let entry = clocks::find(id)?;
    let facts = [
        ("language", entry.language.name()),
        ("kind", &format!("{:?}", entry.kind).to_lowercase()),
        ("built on", entry.facts.built_on.words()),
        ("promised order", &promised(entry.facts)),
        ("period", &entry.period.and_then(|period| period()).map(period).unwrap_or_default()),
        ("exists on", entry.home),
        ("available here", &here(entry.open(Opening::Checked))),
    ];
    let page = page(entry.id, "clock", entry.about, &facts, entry.references);
    Some(Page { call: entry.call.into(), ..page })
}

/// The unit of a clock of C++ in this build.
fn period(period: Period) -> String {
    let Period { num, den } = period;
    let ns = units::short_ns(period.ns());
    format!("std::ratio<{num}, {den}>, {ns}, in this build; the library chooses it")
}

/// What the manuals promise about the order of a clock's reads, and where to see what was tested.
fn promised(facts: Facts) -> String {
    let promised = match facts.orders {
        Orders::Unknown => "not documented",
        Orders::Nothing => "none: it may be read before earlier instructions have finished",
        Orders::Memory => "after earlier loads and stores; on AMD after all earlier instructions",
        Orders::Earlier => "after all earlier instructions",
        Orders::Both => "after all earlier instructions and before all later ones",
    };
    let fence = if facts.by_lfence {
        "; on AMD if LFENCE serialises (CPUID 0x80000021 EAX[2], or set by the kernel)"
    } else {
        ""
    };
    format!("{promised}{fence}; chronoscope clocks shows what was tested")
}

fn wait(id: &str) -> Option<Page> {
    let entry = waits::find(id)?;
    let facts = [
        ("language", entry.language.name()),
        ("kind", &format!("{:?}", entry.kind).to_lowercase()),
        ("exists on", entry.home),
        ("available here", &here(entry.open(&Setting { counter_hz: NOMINAL_HZ }))),
    ];
    let page = page(entry.id, "wait", entry.about, &facts, entry.references);
    Some(Page { call: entry.call.into(), ..page })
}

/// A runtime, by its id or as `runtime/ID`.
fn runtime(id: &str) -> Option<Page> {
    let runtime = chronoscope_runtimes::find(id.strip_prefix("runtime/").unwrap_or(id))?;
    let here = here(runtime.find_ways(None));
    let systems: Vec<String> = runtime.install.iter().map(|one| format!("on {}", one.on)).collect();
    let mut facts = vec![
        ("language", runtime.language),
        ("available here", &*here),
        ("oldest version", runtime.oldest.unwrap_or_default()),
    ];
    let install = runtime.install.iter().map(|one| one.command);
    facts.extend(systems.iter().map(String::as_str).zip(install));
    facts.extend(runtime.settings.iter().map(|one| (one.name, one.effect)));
    let page = page(runtime.id, "runtime", runtime.about, &facts, runtime.references);
    Some(Page { call: format!("chronoscope runtimes {}", runtime.id), ..page })
}

/// Whether an entry can be used here, or why not.
fn here<T, E: std::fmt::Display>(opened: Result<T, E>) -> String {
    opened.map_or_else(|reason| format!("no: {reason}"), |_| "yes".into())
}

fn fault(id: &str) -> Option<Page> {
    let fault = faults::ALL.iter().find(|fault| fault.id() == id)?;
    let about = fault.page;
    let facts =
        [("certainty", fault.certainty.name()), ("looks at", about.how), ("fix", about.act)];
    let title = format!("finding: {}", about.title);
    Some(page(id, &title, about.about, &facts, &[&about.references.join("; ")]))
}

fn purpose(id: &str) -> Option<Page> {
    let purpose = advise::find(id)?;
    let about = purpose.page;
    let facts = [
        ("needs", about.about),
        ("rules out", about.how),
        ("advised", about.act),
        ("the trap", purpose.trap),
        ("here", &format!("chronoscope advise --for {id}")),
    ];
    Some(page(id, "purpose", &format!("{}.", about.title), &facts, about.references))
}

fn cause(id: &str) -> Option<Page> {
    let about = causes::find(id)?;
    let facts = [("how", about.how), ("what to do", about.act)];
    let title = format!("cause of late wake-ups: {}", about.title);
    Some(page(id, &title, about.about, &facts, about.references))
}
