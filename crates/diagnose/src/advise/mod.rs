//! Which clock or wait to use for what: the purposes, one line each in the list below, and the code
//! of advice.

mod clocks;
mod language;
mod pick;
mod wait;

pub use chronoscope_model::advice::LANGUAGES;
pub(crate) use clocks::system_clock;
pub use language::NOT_MEASURED;

use crate::reading::{System, is_of};
use chronoscope_model::packed::packed;
use chronoscope_model::{Advice, Environment, Page, Report, page, snippet};
use std::sync::LazyLock;

/// What someone needs a clock or a wait for. Its page is in `purposes.md`.
pub struct Purpose {
    /// The id, as `--for` takes it.
    pub id: &'static str,
    /// The purpose in a word or three, as a summary shows it; empty if a summary leaves it out.
    short: &'static str,
    how: How,
}

/// What `purposes.md` has of a purpose.
struct Text {
    page: Page,
    /// The most common mistake.
    trap: &'static str,
    /// The candidates, of which none is suitable if none is chosen.
    clocks: Vec<&'static str>,
    /// The clocks that decide.
    decide: Vec<&'static str>,
    /// Why it is the chosen clock, as a clause after its figures.
    why: &'static str,
    /// Other clocks, and why they are not.
    not: Vec<(&'static str, &'static str)>,
}

static TEXTS: LazyLock<Vec<Text>> = LazyLock::new(|| {
    let text = |page: Page| {
        let of = |name| {
            let mut paragraphs = page.about.split("\n\n");
            paragraphs.find_map(|text| text.strip_prefix(name)).unwrap_or_default()
        };
        let about = page.about.split("\n\nTrap: ").next().unwrap_or_default();
        Text {
            page: Page { about, ..page },
            trap: of("Trap: "),
            clocks: of("Clocks: ").split_whitespace().collect(),
            decide: of("Decided by: ").split_whitespace().collect(),
            why: of("Why: "),
            not: of("Not: ").split("; ").filter_map(|row| row.split_once(": ")).collect(),
        }
    };
    page::pages(packed!("purposes.md")).map(text).collect()
});

enum How {
    /// One clock is chosen, and one for each language that has no code for it.
    Clock(fn(&Report, &'static Text) -> Option<Advice>),
    /// There is advice for each duration that was measured.
    Waits(fn(&Report) -> Vec<Advice>),
}

impl Purpose {
    /// Its page, whose title is the purpose in words. The page says what a clock or wait must have,
    /// what rules one out (`how`), and what is advised (`act`).
    pub fn page(&self) -> &'static Page {
        &self.text().page
    }

    /// The most common mistake.
    pub fn trap(&self) -> &'static str {
        self.text().trap
    }

    /// A test finds a purpose without a page.
    fn text(&self) -> &'static Text {
        static NONE: Text = Text {
            page: Page::EMPTY,
            trap: "",
            clocks: Vec::new(),
            decide: Vec::new(),
            why: "",
            not: Vec::new(),
        };
        TEXTS.iter().find(|text| text.page.name() == self.id).unwrap_or(&NONE)
    }

    /// Whether advice follows from waits, rather than from clocks.
    pub fn is_of_waits(&self) -> bool {
        matches!(self.how, How::Waits(_))
    }

    /// The clocks of any system without which there is no advice.
    pub fn needs(&self) -> impl Iterator<Item = &'static str> {
        self.text().decide.iter().copied()
    }

    /// Whether each clock of this system that decides was measured or cannot be read, so that the
    /// choice is the one that a run of all clocks would make.
    fn is_decided(&self, report: &Report) -> bool {
        self.needs().all(|id| match report.clocks.iter().find(|clock| clock.id == id) {
            Some(clock) => !clock.available || clock.read().is_some(),
            None => !is_of(id, &report.environment),
        })
    }

    /// The purpose's advice from this report; none if the report lacks the measurements. These
    /// languages have code also if they were not measured.
    fn advise(&self, report: &Report, asked: &[&str]) -> Vec<Advice> {
        match self.how {
            How::Clock(choose) => {
                let text = self.text();
                let known = !report.clocks.is_empty() && self.is_decided(report);
                let first = known.then(|| Advice {
                    purpose: self.id.into(),
                    title: self.page().title.into(),
                    short: self.short.into(),
                    summary: !self.short.is_empty(),
                    ..choose(report, text).unwrap_or_else(|| pick::none(report, &text.clocks))
                });
                language::answers(report, self.page(), first, asked)
            }
            How::Waits(advise) => advise(report),
        }
    }
}

/// Every purpose, the most common first.
pub const PURPOSES: &[&Purpose] = &[
    &clocks::INTERVAL,
    &clocks::MICRO,
    &clocks::TIMESTAMP,
    &clocks::COARSE,
    &clocks::CPU,
    &clocks::CROSS_PROCESS,
    &clocks::BOOT,
    &clocks::TRACE,
    &wait::WAIT,
];

pub fn find(id: &str) -> Option<&'static Purpose> {
    PURPOSES.iter().find(|purpose| purpose.id.eq_ignore_ascii_case(id)).copied()
}

/// Advice for every purpose that this report has measurements for.
///
/// It reads the clocks' verdicts, so those must have been given before.
pub fn advise(report: &Report) -> Vec<Advice> {
    advise_in(report, &[])
}

/// The same, with code without figures in these languages if they were not measured.
pub fn advise_in(report: &Report, languages: &[&str]) -> Vec<Advice> {
    PURPOSES.iter().flat_map(|purpose| purpose.advise(report, languages)).collect()
}

/// The code of every purpose of clocks in these languages for a machine like this one, without
/// figures, for this reason.
pub fn unmeasured(env: &Environment, languages: &[&str], why: &str) -> Vec<Advice> {
    let all = PURPOSES.iter().flat_map(|purpose| languages.iter().map(move |it| (purpose, *it)));
    let of = |(purpose, language): (&&Purpose, &str)| {
        let known = sheets(language, purpose.id, System::of(env));
        let first = known.iter().find(|sheet| sheet.is_of(env));
        let found = language::without_figures(language, first, why)?;
        Some(language::named(purpose.page(), language, found))
    };
    all.filter_map(of).collect()
}

/// The code of every sheet of a language for a machine like this one, whatever is chosen there.
pub fn every_sheet(language: &str, env: &Environment) -> Vec<String> {
    let purposes = PURPOSES.iter().map(|purpose| purpose.id);
    let all = purposes.flat_map(|purpose| sheets(language, purpose, System::of(env)));
    all.filter(|sheet| sheet.is_of(env)).map(|sheet| sheet.code).collect()
}

/// The code of advice, in a file for each language. C++ has its own clocks before those of C: what
/// was not measured has the first sheet, which in each language is the system's clock, and not a
/// counter that the choice may rule out.
///
/// Each sheet begins with a line such as `//: posix/monotonic for interval, micro`: the ids of the
/// clocks that it reads, as the report has them (for a language runtime, as its probe has them),
/// and the purposes. `on` names systems and `in` languages if it is not for all, or not for the one
/// of its file. Its figures are those of that clock, or none, so it converts what it reads only as
/// the clock's row does.
const FILES: [(&str, &str); 8] = [
    ("C++", include_str!("../../code/cxx.cpp")),
    ("C", include_str!("../../code/c.c")),
    ("Rust", include_str!("../../code/rust.txt")),
    ("C#", include_str!("../../code/csharp.cs")),
    ("Java", include_str!("../../code/java.java")),
    ("Go", include_str!("../../code/go.go")),
    ("Python", include_str!("../../code/python.py")),
    ("JavaScript", include_str!("../../code/javascript.js")),
];

/// The code that reads some clocks in a language.
struct Sheet {
    ids: Vec<&'static str>,
    code: String,
}

impl Sheet {
    /// Whether a machine like this has one of its clocks.
    fn is_of(&self, env: &Environment) -> bool {
        self.ids.iter().any(|id| is_of(id, env))
    }
}

/// The sheets of a language for a purpose on a system, the most usual first.
fn sheets(language: &str, purpose: &str, system: System) -> Vec<Sheet> {
    let system = format!("{system:?}");
    let entries = FILES.iter().flat_map(|(own, file)| {
        let mark = if *own == "Python" { "#: " } else { "//: " };
        file.split(mark).skip(1).map(move |entry| (*own, entry))
    });
    let fitting = entries.filter_map(|(own, entry)| {
        let (head, code) = entry.split_once('\n')?;
        let (head, languages) = head.split_once(" in ").unwrap_or((head, own));
        let (head, systems) = head.split_once(" on ").unwrap_or((head, &system));
        let (ids, purposes) = head.split_once(" for ")?;
        let has = |list: &str, one: &str| list.split(", ").any(|word| word == one);
        let fits = has(languages, language) && has(systems, &system) && has(purposes, purpose);
        fits.then(|| Sheet {
            ids: ids.split(", ").collect(),
            code: snippet::complete(language, code.trim_end()),
        })
    });
    fitting.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::{Cost, Kind};
    use chronoscope_model::{Clock, Estimate};
    use chronoscope_probes::clocks as registry;
    use std::collections::BTreeSet;

    #[test]
    fn every_purpose_that_is_defined_is_in_the_list_and_named_after_it() {
        let mut ids = BTreeSet::new();
        for (file, text) in
            [("clocks", include_str!("clocks.rs")), ("wait", include_str!("wait/mod.rs"))]
        {
            let consts = text.lines().filter_map(|line| line.strip_prefix("pub(super) const "));
            for name in consts.filter_map(|it| Some(it.split_once(": Purpose =")?.0)) {
                let row = format!("    &{file}::{name},\n");
                assert!(include_str!("mod.rs").contains(&row), "advise/mod.rs lacks {name}");
                ids.insert(name.to_lowercase().replace('_', "-"));
            }
        }
        assert_eq!(ids, PURPOSES.iter().map(|purpose| purpose.id.to_owned()).collect());
        for purpose in PURPOSES {
            let page = purpose.page();
            for text in [page.about, page.how, page.act, purpose.trap()] {
                assert!(text.ends_with('.'), "{}: {text}", purpose.id);
            }
        }
        assert_eq!(TEXTS.len(), PURPOSES.len());
    }

    #[test]
    fn what_was_not_measured_gets_no_advice() {
        assert!(advise(&Report::default()).is_empty());
    }

    /// A report of these clocks, each of which was read in this time, in nanoseconds, or cannot be
    /// read.
    fn of<'a>(clocks: impl IntoIterator<Item = (&'a str, Option<f64>)>) -> Report {
        let clock = |(id, ns): (&str, Option<f64>)| {
            let read = ns.map(|value_ns| Estimate { value_ns, ..Estimate::default() });
            Clock {
                id: id.into(),
                kind: registry::find(id).map_or(Kind::Counter, |row| row.kind),
                available: ns.is_some(),
                cost: Cost { throughput: read, ..Cost::default() },
                ..Clock::default()
            }
        };
        let clocks = clocks.into_iter().map(clock).collect();
        let mut report = Report { clocks, ..Report::default() };
        report.environment.arch = "x86_64".into();
        report.environment.os = "Linux".into();
        report
    }

    /// The purposes that are decided by the system's clock and the bare counter.
    #[test]
    fn there_is_no_advice_from_what_was_not_measured() {
        let measured = [("posix/monotonic", Some(20.0)), ("x86/rdtsc-intrinsic", Some(9.0))];
        let advised = |report: &Report| {
            let all = advise(report).into_iter().filter(|it| it.languages.is_empty());
            all.map(|it| it.purpose).collect::<Vec<_>>()
        };
        assert_eq!(advised(&of(measured)), ["interval", "cross-process", "trace"]);
        // A clock that the run did not reach decides nothing, one that cannot be read does.
        let mut two = of(measured.into_iter().chain([("posix/realtime", None)]));
        assert!(advised(&two).contains(&"timestamp".into()));
        two.clocks[2].available = true;
        assert!(!advised(&two).contains(&"timestamp".into()));
    }

    /// Of each purpose's candidates, the ones before a clock cannot be read, and all others can.
    #[test]
    fn what_is_chosen_is_not_rejected() {
        for purpose in PURPOSES {
            let candidates = &purpose.text().clocks;
            for first in 0..candidates.len() {
                let ns = |id: &str| (!candidates[..first].contains(&id)).then_some(20.0);
                let report = of(registry::ALL.iter().map(|row| (row.id, ns(row.id))));
                for advice in advise(&report).iter().filter(|it| it.purpose == purpose.id) {
                    let own = format!("ot {} (", advice.clock.as_deref().unwrap_or_default());
                    assert!(!advice.why.contains(&own), "{}: {}", purpose.id, advice.why);
                }
            }
        }
    }

    #[test]
    fn code_without_figures_reads_a_clock_of_the_kind_that_was_chosen() {
        let kind = |advice: &Advice| Some(registry::find(advice.clock.as_deref()?)?.kind);
        let mut own = BTreeSet::new();
        for purpose in PURPOSES {
            for measured in purpose.needs() {
                let one = |id| (id, (id == measured).then_some(20.0));
                let report = of(purpose.needs().map(one));
                let all = advise(&report).into_iter().filter(|it| it.purpose == purpose.id);
                let all: Vec<Advice> = all.collect();
                let chosen = all.first().and_then(kind);
                for advice in all.iter().filter(|it| it.figure == NOT_MEASURED) {
                    let clock = advice.clock.as_deref().expect("an id");
                    assert!(is_of(clock, &report.environment), "{} {clock}", purpose.id);
                    assert_eq!(kind(advice), chosen, "{} {clock}", purpose.id);
                    own.extend(advice.languages.iter().map(|it| (purpose.id, it.clone())));
                }
            }
        }
        let has = |purpose, language: &str| own.contains(&(purpose, language.to_owned()));
        assert!(has("trace", "C++") && has("micro", "C++") && has("trace", "Rust"), "{own:?}");
    }

    #[test]
    fn without_a_suitable_clock_none_is_recommended_but_there_is_code() {
        let all = PURPOSES.iter().flat_map(|purpose| purpose.needs());
        let report = of(all.map(|id| (id, None)));
        let all = advise(&report);
        let purposes: BTreeSet<&str> = all.iter().map(|advice| advice.purpose.as_str()).collect();
        assert_eq!(purposes.len(), PURPOSES.len() - 1);
        for advice in all {
            let first = advice.languages.is_empty();
            assert_eq!(advice.clock.is_none(), first, "{}", advice.purpose);
            assert_eq!(advice.cost_ns, None);
            assert!(!advice.why.is_empty() && !advice.code.is_empty(), "{}", advice.purpose);
            let native = ["C", "C++", "Rust"].map(|language| advice.code.contains_key(language));
            assert_eq!(native, [first; 3], "{}", advice.purpose);
        }
    }

    /// A row with a cast has the tick of the cast and its cost.
    #[test]
    fn code_converts_what_it_reads_only_as_the_row_of_its_figures_does() {
        const CONVERSIONS: [&str; 5] = ["_cast<", " / ", "() // ", ".Format(", "toISOString("];
        let converts = |code: &str| CONVERSIONS.iter().any(|it| code.contains(it));
        let systems = [System::Linux, System::Windows, System::Mac, System::Other];
        let all = LANGUAGES.into_iter().flat_map(|l| PURPOSES.iter().map(move |p| (l, p.id)));
        for (language, purpose) in all {
            // Such code also computes a difference, which no row does.
            let is_difference = ["interval", "micro"].contains(&purpose);
            for sheet in systems.into_iter().flat_map(|it| sheets(language, purpose, it)) {
                for id in &sheet.ids {
                    let row = registry::find(id);
                    assert!(row.is_some() || !id.contains('/'), "no clock is {id}");
                    let of_row = row.is_some_and(|row| converts(row.call));
                    let of_code = converts(&sheet.code);
                    let fits = of_code == of_row || of_code && is_difference;
                    assert!(fits, "{language} {purpose} {id}: {}", sheet.code);
                }
            }
        }
    }

    #[test]
    fn each_clock_that_may_be_chosen_has_code_that_fits_on_a_screen() {
        let candidates = [
            ("interval", &clocks::INTERVAL.text().clocks),
            ("timestamp", &clocks::TIMESTAMP.text().clocks),
            ("coarse", &clocks::COARSE.text().clocks),
            ("cpu", &clocks::CPU.text().clocks),
            ("cross-process", &clocks::CROSS_PROCESS.text().decide),
            ("boot", &clocks::BOOT.text().clocks),
            ("trace", &clocks::INTERVAL.text().clocks),
            ("trace", &clocks::TRACE.text().clocks),
            ("micro", &clocks::INTERVAL.text().clocks),
            ("micro", &clocks::MICRO.text().clocks),
        ];
        let systems = [System::Linux, System::Windows, System::Mac, System::Other];
        for system in systems {
            for (purpose, ids) in candidates {
                for id in ids {
                    let own = match id.split_once('/').expect("a family").0 {
                        "rust" => "Rust",
                        "cxx" => "C++",
                        _ => "C",
                    };
                    // Not of Windows' old C library.
                    let other = ["c/timespec_get", "c/getrusage", "c/times"].contains(id);
                    if other && system == System::Windows {
                        continue;
                    }
                    let known = sheets(own, purpose, system);
                    assert!(
                        known.iter().any(|it| it.ids.contains(id)),
                        "{purpose} {id} {system:?}"
                    );
                }
            }
            for (language, purpose) in
                LANGUAGES.into_iter().flat_map(|l| PURPOSES.iter().map(move |p| (l, p)))
            {
                for sheet in sheets(language, purpose.id, system) {
                    let long = sheet.code.lines().find(|line| line.len() > 66);
                    assert!(long.is_none(), "{language} {}: {long:?}", purpose.id);
                }
            }
        }
    }
}
