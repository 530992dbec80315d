//! Explains a clock, a wait, a runtime, a finding, a purpose, a preset, a name on a screen, or a
//! name that manuals and articles use.

use crate::context::Context;
use crate::presets;
use crate::task::{Run, Task};
use crate::texts::tidy;
use chronoscope_diagnose::{advise, causes, faults};
use chronoscope_model::clock::{BuiltOn, Kind, Orders, Period};
use chronoscope_model::{About, clock_source, kernel_log, packed, units};
use chronoscope_probes::clocks::{self, Facts, Opening};
use chronoscope_probes::waits;
use chronoscope_report::text::{self, Page};
use chronoscope_report::{json, terms};
use chronoscope_runtimes::Runtime;
use chronoscope_survey::{Error, may_measure, select};

/// Explain a clock, wait, runtime, finding, function, term or column.
#[derive(clap::Args)]
pub struct Args {
    /// The id of a clock, a wait, a runtime, a finding, a purpose, a preset or a cause of late
    /// waits; a name on a screen, such as the heading of a column; a function, a timer or a term.
    #[arg(required = true, value_name = "ID")]
    words: Vec<String>,
}

impl Run for Args {
    /// A page for each name, or several if a purpose and a column have the same name.
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        // Whether a clock is available is tried.
        may_measure()?;
        let pages = asked(&self.words)?;
        let text: Vec<String> =
            pages.iter().map(|page| text::explain(page, &context.style)).collect();
        Ok(Task::document(json::pages(&pages)?, text.join("\n")))
    }
}

/// The pages of every name among the words. Some names have two words, and users do not quote them,
/// so the longest name that begins at a word counts.
fn asked(words: &[String]) -> Result<Vec<Page>, Error> {
    let whole = tidy(&words.join(" "));
    // A whole line of a log may begin with the name of a device, which has a page, too.
    let is_line = kernel_log::recognise(&whole).is_some();
    if whole.contains(' ') && (is_line || pages(&whole).is_empty()) {
        let lines = log_lines(&whole);
        if !lines.is_empty() {
            return Ok(lines);
        }
    }
    let mut found = Vec::new();
    let mut rest = words;
    while let Some(first) = rest.first() {
        let longest = (1..=rest.len()).rev().find_map(|count| {
            let pages = pages(&rest[..count].join(" "));
            (!pages.is_empty()).then_some((count, pages))
        });
        let Some((count, pages)) = longest else {
            // A line of a log stays together, whichever names it holds.
            let any = !found.is_empty() || rest.iter().any(|word| !pages(word).is_empty());
            let name = if any { first.clone() } else { rest.join(" ") };
            return Err(if is_text(&whole) { unknown(&whole) } else { unknown(&name) });
        };
        found.extend(pages);
        rest = &rest[count..];
    }
    Ok(found)
}

/// The pages of a line of the kernel's log, or of the beginning of one.
fn log_lines(line: &str) -> Vec<Page> {
    /// Shorter beginnings are words of a question.
    const SHORTEST: usize = 10;
    let part = kernel_log::without_values(line);
    let known = kernel_log::recognise(line).map(|known| known.message);
    let known = known.or_else(|| kernel_log::cut(line));
    let holds = |message: &&kernel_log::Message| {
        part.len() >= SHORTEST && kernel_log::without_values(message.text).contains(&part)
    };
    let found = known.or_else(|| kernel_log::messages().iter().find(holds));
    found.map(log_line).into_iter().collect()
}

fn log_line(message: &kernel_log::Message) -> Page {
    let guest = match message.guest {
        "" => String::new(),
        guest => format!("\n\nIn a virtual machine: {guest}"),
    };
    let findings: Vec<&str> = message.faults.iter().chain(&message.open).copied().collect();
    let facts = [
        ("printed by", message.kernels),
        ("what to do", message.act),
        ("findings", &findings.join(", ")),
    ];
    let body = format!("{}{guest}", message.means);
    let title = message.command().map_or("line of the kernel's log", |_| "what a command prints");
    page(message.text, title, &body, &facts, &[message.file])
}

/// A clock source of Linux.
fn clock_source(id: &str) -> Option<Page> {
    let source = clock_source::by_name(id)?;
    let read = match source.vdso {
        true => "in user space, by the vDSO",
        false => "by a system call",
    };
    let file = format!("Linux {}", source.file);
    let facts = [("read", read), ("more", "chronoscope explain clocksource")];
    Some(page(source.name, "clock source of Linux", source.why, &facts, &[&file]))
}

/// The error for a name without a page. It names similar ones, each with what it is.
fn unknown(name: &str) -> Error {
    let terms = terms::topics().chain(terms::all());
    let of_runtimes: Vec<String> = select::clocks_of_runtimes().collect();
    let known: Vec<(&str, &str)> = clocks::every()
        .map(|entry| ("clock", entry.id))
        .chain(waits::ALL.iter().map(|entry| ("wait", entry.id)))
        .chain(chronoscope_runtimes::ALL.iter().map(|runtime| ("runtime", runtime.id)))
        .chain(faults::ALL.iter().map(|fault| ("finding", fault.id)))
        .chain(advise::PURPOSES.iter().map(|purpose| ("purpose", purpose.id)))
        .chain(presets::PRESETS.iter().flat_map(|one| &one.names).map(|name| ("preset", *name)))
        .chain(terms.flat_map(|page| terms::whole_names(page).map(|name| (page.title, name))))
        .chain(causes::ALL.iter().map(|page| ("cause of late waits", page.name())))
        .chain(of_runtimes.iter().map(|id| ("clock of a runtime", &**id)))
        .collect();
    let near = select::nearest(known.iter().map(|(_, name)| *name), name);
    let near = near.into_iter().filter_map(|name| known.iter().find(|(_, known)| *known == name));
    let near: Vec<String> = near.map(|(kind, name)| format!("{name} ({kind})")).collect();
    let hint = match &near[..] {
        [] => "see chronoscope list".into(),
        _ => format!("did you mean {}?", near.join(", ")),
    };
    let name = select::shown(name);
    Error::Unknown(if is_text(&name) {
        format!("not understood: '{name}' is no line that is known, and no name; {hint}")
    } else {
        format!("nothing is called '{name}'; {hint}")
    })
}

/// Whether this is a line of a log, and no name.
fn is_text(words: &str) -> bool {
    words.contains(": ")
}

/// Names that differ from others only in capitals or by where they are from, or are in no call.
const ALIASES: &[(&str, &str)] = &[
    ("Sleep", "windows/sleep"),
    ("AsyncIO", "two-reads"),
    ("FILETIME", "windows/getsystemtimeasfiletime"),
    ("GetTickCount", "windows/gettickcount64"),
    ("rdtscMS", "x86/rdtsc-ms"),
    ("__rdtscMS", "x86/rdtsc-ms"),
    ("__builtin_ia32_rdtscMS", "x86/rdtsc-ms"),
    ("QPC busy wait", "busy/qpc"),
    ("HR wait timer + busywait", "hybrid/waitable-timer-high-resolution"),
    ("MinGW usleep", "mingw/usleep"),
    ("MinGW nanosleep", "mingw/nanosleep"),
];

/// What is written before a name, or after it, without being part of it.
const AROUND: [&str; 6] =
    ["WIN32 ", "MinGW ", "std::chrono::", "std::time::", "System.Diagnostics.", "()"];

/// The pages of a name: of an id or a name on a screen if it is one, otherwise of the entries whose
/// call contains it.
fn pages(name: &str) -> Vec<Page> {
    let bare = AROUND.iter().fold(name.to_owned(), |name, part| name.replace(part, ""));
    // In a text, `time()` is the function, and `time` may be anything.
    let is_function = name.ends_with("()");
    let called = [name.trim_end_matches("()"), &bare];
    if let Some((_, id)) = ALIASES.iter().find(|(alias, _)| called.contains(alias)) {
        return named(id);
    }
    let mut found = named(name);
    for by_name in [!is_function, is_function] {
        if found.is_empty() {
            found = if by_name { named(&bare) } else { by_call(&bare) };
        }
    }
    // Some functions have a page only as what they are in a text.
    if found.is_empty() && !is_function {
        found = named(&format!("{name}()"));
    }
    if found.is_empty() { simpler(name).map_or(Vec::new(), |name| pages(&name)) } else { found }
}

/// A name without what debuggers, programs and sentences write around it, if that is less.
fn simpler(name: &str) -> Option<String> {
    if is_text(name) {
        return None;
    }
    // Articles have a page together.
    if name.strip_prefix("KB").is_some_and(|number| number.parse::<u32>().is_ok()) {
        return Some("KB".into());
    }
    let plain = name.rsplit('!').next()?;
    let plain = plain.split(['+', '(', '=']).next()?.trim().trim_end_matches([':', '.', '!', ',']);
    let plain = if plain.len() > 3 && plain == name {
        plain.strip_suffix('s').filter(|one| one.ends_with(char::is_alphanumeric))?
    } else {
        plain
    };
    (plain.len() > 1 && plain.len() < name.len()).then(|| plain.to_owned())
}

/// The pages of an id, or of a name on a screen.
fn named(name: &str) -> Vec<Page> {
    let id = name.to_lowercase();
    let clock = clock(&id).or_else(|| runtime_clock(&id));
    let entries = [clock, wait(&id), runtime(&id), fault(&id), purpose(&id)];
    let preset = presets::find(name).map(presets::Preset::page);
    let mut known = terms::find(name);
    // "clock" is a column, and so is "Clock".
    known.sort_by_key(|page| !terms::whole_names(page).any(|whole| whole == name));
    let known = known.into_iter().map(Page::from);
    let mut found: Vec<Page> =
        entries.into_iter().flatten().chain(preset).chain(known).chain(cause(&id)).collect();
    if found.is_empty() {
        found.extend(clock_source(&id));
    }
    found
}

/// The page of the first entry whose call contains the name as a word, with the ids of the others.
fn by_call(name: &str) -> Vec<Page> {
    // Each call has spaces and signs, and single letters and digits.
    if name.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
        return Vec::new();
    }
    let all = clocks::every().map(|entry| (entry.id, entry.call));
    let all: Vec<_> = all.chain(waits::ALL.iter().map(|entry| (entry.id, entry.call))).collect();
    let whole = |text: &str, name: &str| {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        text.match_indices(name).any(|(at, _)| {
            !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part)
        })
    };
    // Sleep and sleep are two functions.
    let exact: Vec<&str> =
        all.iter().filter(|(_, call)| whole(call, name)).map(|(id, _)| *id).collect();
    let loose = |(_, call): &&(_, &str)| whole(&call.to_lowercase(), &name.to_lowercase());
    let ids = match exact[..] {
        [] => all.iter().filter(loose).map(|(id, _)| *id).collect(),
        _ => exact,
    };
    let [first, others @ ..] = &ids[..] else { return Vec::new() };
    let mut found = clock(first).or_else(|| wait(first));
    if let Some(page) = found.as_mut().filter(|_| !others.is_empty()) {
        page.facts.push(("also in".into(), others.join(", ")));
    }
    found.into_iter().collect()
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
        ("kind", entry.kind.name()),
        ("built on", entry.facts.built_on.words()),
        ("promised order", &promised(entry.facts)),
        ("period", &entry.period.and_then(|period| period()).map(period).unwrap_or_default()),
        ("exists on", entry.home),
        ("available here", &here(entry.open(Opening::Checked))),
    ];
    let page = page(entry.id, "clock", entry.about(), &facts, entry.references());
    // What is true of all wall clocks that the kernel keeps is stated once.
    let set = entry.kind == Kind::Wall && entry.facts.built_on != BuiltOn::Device;
    let shared = terms::find("wall time").into_iter().filter(|_| set).map(|page| page.about);
    let body: Vec<&str> = [entry.about()].into_iter().chain(shared).collect();
    Some(Page { call: entry.call.into(), body: body.join("\n\n"), ..page })
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
        ("kind", entry.kind.name()),
        ("exists on", entry.home),
        ("available here", &here(entry.is_here())),
    ];
    let page = page(entry.id, "wait", entry.about(), &facts, entry.references());
    Some(Page { call: entry.call.into(), ..page })
}

/// The runtime of a row of `runtimes`, which may be one of its builds: `c:gcc-O2`.
fn of_row(row: &str) -> Option<&'static Runtime> {
    let (id, build) = row.split_once(':').unwrap_or((row, ""));
    let runtime = chronoscope_runtimes::find_any(id)?;
    let known = |one: &String| one.eq_ignore_ascii_case(row);
    let built = ["", BUILT_IN].contains(&build) || runtime.builds().iter().any(known);
    built.then_some(runtime)
}

/// The build whose clocks are those of this tool.
const BUILT_IN: &str = "built-in";

/// A clock of a runtime as `runtimes` shows it: `dotnet-mono/stopwatch`.
fn runtime_clock(id: &str) -> Option<Page> {
    let (row, name) = id.split_once('/')?;
    if row.ends_with(BUILT_IN) {
        return clock(&name.replacen('-', "/", 1));
    }
    let runtime = of_row(row)?;
    let source = packed::text(runtime.source.packed);
    let [_, call, kind] =
        chronoscope_runtimes::clocks_in(&source).into_iter().find(|it| it[0] == name)?;
    let about = runtime.page();
    let facts = [
        ("language", runtime.language),
        ("kind", kind),
        ("available here", &here(runtime.find_ways(None))),
        ("measured by", &format!("chronoscope runtimes {row}; chronoscope deltas {id}")),
    ];
    let body = format!("A clock of {}. {}", runtime.name, about.about);
    let page = page(id, "clock of a runtime", &body, &facts, &about.references);
    Some(Page { call: call.into(), ..page })
}

/// A runtime, by its id, as `runtime/ID`, or by the id of a build.
fn runtime(id: &str) -> Option<Page> {
    let runtime = of_row(id.strip_prefix("runtime/").unwrap_or(id))?;
    let about = runtime.page();
    let here = here(runtime.find_ways(None));
    let systems: Vec<String> = about.install.iter().map(|one| format!("on {}", one.on)).collect();
    let mut facts = vec![
        ("language", runtime.language),
        ("available here", &*here),
        ("oldest version", runtime.oldest.unwrap_or_default()),
    ];
    let install = about.install.iter().map(|one| one.command);
    facts.extend(systems.iter().map(String::as_str).zip(install));
    facts.extend(about.settings.iter().map(|one| (one.name, one.effect)));
    let page = page(runtime.id, "runtime", &about.about, &facts, &about.references);
    let clocks = chronoscope_runtimes::find(runtime.id).is_some();
    let (command, title) = if clocks { ("runtimes", "runtime") } else { ("waits", "library") };
    Some(Page {
        call: format!("chronoscope {command} {}", runtime.id),
        title: title.into(),
        ..page
    })
}

/// Whether an entry can be used here, or why not.
fn here<T, E: std::fmt::Display>(opened: Result<T, E>) -> String {
    opened.map_or_else(|reason| format!("no: {reason}"), |_| "yes".into())
}

fn fault(id: &str) -> Option<Page> {
    let fault = faults::ALL.iter().find(|fault| fault.id == id)?;
    let about = fault.page();
    let facts =
        [("certainty", fault.certainty.name()), ("looks at", about.how), ("fix", about.act)];
    let kind = match fault.about {
        About::Machine => "finding",
        About::Run => "finding about the run",
    };
    let title = format!("{kind}: {}", about.title);
    Some(page(id, &title, about.about, &facts, &[&about.references.join("; ")]))
}

fn purpose(id: &str) -> Option<Page> {
    let purpose = advise::find(id)?;
    let about = purpose.page();
    let facts = [
        ("needs", about.about),
        ("rules out", about.how),
        ("advised", about.act),
        ("the trap", purpose.trap()),
        ("here", &format!("chronoscope advise --for {id}")),
    ];
    Some(page(id, "purpose", &format!("{}.", about.title), &facts, about.references))
}

fn cause(id: &str) -> Option<Page> {
    let about = causes::find(id)?;
    let facts = [("how", about.how), ("what to do", about.act)];
    let title = format!("cause of late wake-ups: {}", about.title);
    Some(page(about.name(), &title, about.about, &facts, about.references))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::Report;

    /// What the texts that the tool grew from call their functions, timers and terms.
    const NAMES: &str = include_str!("../../tests/data/names.md");

    fn ids(name: &str) -> Vec<String> {
        pages(name).into_iter().map(|page| page.id).collect()
    }

    #[test]
    fn every_name_of_the_texts_has_a_page_about_it() {
        let names = NAMES.lines().filter_map(|line| line.strip_prefix("- "));
        assert!(names.clone().count() > 150 && NAMES.matches("\n## ").count() == 6);
        let plain = |text: &str| text.to_lowercase().replace(['_', '-'], " ");
        let mut wrong = Vec::new();
        for name in names {
            let (name, id) = name.split_once(": ").unwrap_or((name, ""));
            let found = pages(name);
            let first = found.first().map_or("", |page| &page.id);
            if first.is_empty() || !["", first].contains(&id) {
                wrong.push(format!("'{name}' is explained by '{first}'"));
            }
            let bare = AROUND.iter().fold(name.to_owned(), |name, part| name.replace(part, ""));
            if id.is_empty() && !plain(&format!("{found:?}")).contains(&plain(&bare)) {
                wrong.push(format!("the page {first} does not name '{name}'"));
            }
            assert!(found.iter().all(|page| !page.body.is_empty()), "{name}");
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn names_are_found_by_id_by_call_and_by_topic() {
        for (name, id) in [
            ("CLOCK_MONOTONIC", "posix/monotonic"),
            ("clock", "clock"),
            ("clock()", "c/clock"),
            ("Posix/Realtime", "posix/realtime"),
            ("Sleep", "windows/sleep"),
            ("sleep()", "sleep()"),
            ("WIN32 Sleep()", "windows/sleep"),
            ("acpi-pm", "ACPI PM"),
            ("std::time::Instant::now()", "rust/instant"),
            ("time-functions", "time-functions"),
            ("two-reads", "two-reads"),
            ("NTP", "NTP"),
            ("drift", "NTP"),
            ("jitter", "jitter"),
            ("cyclictest", "cyclictest"),
            ("perf_counter", "perf_counter"),
            ("▸", "▸"),
            ("~", "~"),
            ("*", "*"),
            ("run queue", "cause/run-queue"),
            ("cause/idle exit", "cause/idle-exit"),
        ] {
            assert_eq!(ids(name).first().map(String::as_str), Some(id), "{name}");
        }
        assert!(ids("frobnicate()").is_empty() && ids("").is_empty() && ids("()").is_empty());
    }

    #[test]
    fn every_id_and_every_name_on_a_screen_is_explained() {
        let runtimes = chronoscope_runtimes::ALL.iter().map(|runtime| runtime.id);
        let names = (clocks::ALL.iter().map(|entry| entry.id))
            .chain(faults::ALL.iter().map(|fault| fault.id))
            .chain(advise::PURPOSES.iter().map(|purpose| purpose.id))
            .chain(waits::ALL.iter().map(|entry| entry.id))
            .chain(terms::all().flat_map(terms::whole_names))
            .chain(runtimes.clone())
            .map(str::to_owned);
        for name in names.chain(runtimes.map(|id| format!("runtime/{id}"))) {
            let pages = asked(std::slice::from_ref(&name)).unwrap_or_default();
            let text = pages.iter().map(|page| text::explain(page, &text::Style::default()));
            assert!(text.map(|text| text.len()).sum::<usize>() > 80, "{name}");
        }
    }

    #[test]
    fn every_id_that_runtimes_can_show_is_explained() {
        let sweep = include_str!("../../../../docs/reports/sweep-runtimes-vm.json");
        let stored: Report = serde_json::from_str(sweep).expect("a report");
        let stored = stored.runtimes.iter().flat_map(|runtime| {
            let clocks = runtime.clocks.iter().map(|clock| format!("{}/{}", runtime.id, clock.id));
            clocks.chain([runtime.id.clone()])
        });
        let rows = chronoscope_runtimes::ALL.iter().flat_map(|runtime| runtime.builds());
        let known = rows.chain(select::clocks_of_runtimes());
        let all: Vec<String> = stored.chain(known).collect();
        assert!(all.len() > 150, "{}", all.len());
        for id in all {
            let found = asked(std::slice::from_ref(&id)).unwrap_or_default();
            assert!(!found.is_empty() && found[0].body.len() > 80, "{id}");
        }
        assert!(asked(&["c:gcc-O9".into()]).is_err() && asked(&["python/empty".into()]).is_err());
    }

    /// Reports of Linux and of Windows, which differ most.
    #[test]
    fn what_exists_on_every_system_is_the_same_on_all_of_them() {
        let stored = [
            include_str!("../../../../docs/reports/x86_64-unknown-linux-gnu.json"),
            include_str!("../../../../docs/reports/x86_64-pc-windows-gnu.json"),
        ];
        let [linux, windows] = stored.map(|text| {
            let report: Report = serde_json::from_str(text).expect("a report");
            report.clocks
        });
        let mut compared = 0;
        for clock in linux {
            let everywhere = clocks::find(&clock.id).is_some_and(|it| it.home == "every system");
            let other = windows.iter().find(|it| it.id == clock.id && everywhere);
            compared += usize::from(other.is_some());
            let same = other.is_none_or(|it| (it.kind, it.scope) == (clock.kind, clock.scope));
            assert!(same, "{}", clock.id);
        }
        assert!(compared > 3, "{compared}");
        // Their period is the library's choice.
        let counts = clocks::every().filter(|entry| entry.id.ends_with("-nocast"));
        assert!(counts.clone().all(|entry| entry.home.ends_with("unit of its own")));
        assert_eq!(counts.count(), 2);
    }

    #[test]
    fn each_of_several_names_has_its_page() {
        let asked = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let pages = asked(&words).map_err(|error| error.to_string())?;
            Ok::<_, String>(pages.into_iter().map(|page| page.id).collect::<Vec<_>>())
        };
        let found = |line: &str| asked(line).expect(line);
        assert_eq!(found("posix/monotonic c/time"), ["posix/monotonic", "c/time"]);
        assert_eq!(
            found("run queue Idle exit jitter"),
            ["cause/run-queue", "cause/idle-exit", "jitter"]
        );
        for (line, told) in [
            ("c/time frobnicate", "'frobnicate'"),
            ("frobnicate c/time", "'frobnicate'"),
            ("qqq zzz", "'qqq zzz'"),
            ("ptp4l[123.4]: some unknown text", "not understood: 'ptp4l[123.4]: some"),
            ("PTP (IEEE 1588): no sync", "not understood: 'PTP (IEEE 1588): no sync'"),
            ("clocksource: the phase of the tsc", "not understood: 'clocksource: the phase"),
        ] {
            let error = asked(line).expect_err(line);
            assert!(error.contains(told), "{line}: {error}");
        }
        let error = asked("sequential").expect_err("half of a name");
        assert!(error.contains("did you mean sequential reads ("), "{error}");
        assert_eq!(error.matches("seen").count(), 0, "{error}");
        let error = asked("python/perf_conter").expect_err("a mistyped clock of a runtime");
        assert!(error.contains("did you mean python/perf-counter (clock of a runtime)"), "{error}");
        let error = asked("stopwach").expect_err("mistyped, and no id");
        assert!(error.contains("did you mean stopwatch (preset)"), "{error}");
    }

    #[test]
    fn every_wall_clock_of_the_kernel_says_what_sets_it() {
        for entry in clocks::every().filter(|entry| entry.kind == Kind::Wall) {
            let page = clock(entry.id).expect("a clock");
            let told = page.body.contains("leap second") && page.body.contains("daylight saving");
            assert_eq!(told, entry.facts.built_on != BuiltOn::Device, "{}", entry.id);
        }
    }
}
