//! The page as a whole: its head and its end, the answers on top, its sections, and what it holds
//! besides.

use super::draw::STYLE;
use super::text::{self, Once, prose, safe};
use super::{Input, TOGETHER, embed, table};
use crate::block::{Block, Text};
use crate::compare;
use crate::number::plural;
use crate::section::{self, Detail, Section, advice, capitalized, distinct, findings, machine};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chronoscope_model::compare::Compared;
use chronoscope_model::finding::{Check, Outcome};
use chronoscope_model::packed::{self, packed};
use chronoscope_model::{Advice, Finding, Level, Report, units};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::io;
use std::sync::LazyLock;

pub(super) static SCRIPT: LazyLock<String> = LazyLock::new(|| packed::text(packed!("script.js")));

/// The most clocks of a kind of each report, if there are so many reports that each is in brief.
const FEW: usize = 3;

/// A part of the page under its own heading.
pub(super) struct Part {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) body: Markup,
    pub(super) class: &'static str,
}

/// Writes one page of all reports: those of one machine with different sections become one page,
/// and a section that several of them hold shows all of them.
///
/// # Errors
/// Those of the writer.
pub fn write(inputs: &[Input<'_>], out: &mut dyn io::Write) -> io::Result<()> {
    let once = &mut Once::new();
    let mut parts = Vec::new();
    let id = once.id("short");
    parts.extend(in_short(inputs, &id, once).map(|body| Part {
        id,
        title: "In short".into(),
        body,
        class: "summary",
    }));
    let mut coloured = inputs.len() <= TOGETHER;
    for section in section::ALL.iter().filter(|it| it.measured) {
        let held: Vec<usize> =
            (0..inputs.len()).filter(|nth| section.is_in(inputs[*nth].report)).collect();
        if !held.is_empty() {
            // Sections number the reports that they are given.
            coloured &= held.len() == 1 || held.len() == inputs.len();
            parts.push(measured(section, inputs, &held, once));
        }
    }
    parts.extend(circumstances(inputs, once));
    let title = page_title(inputs);
    let lines = machines_and_runs(inputs, coloured && inputs.len() > 1);
    let page = document(&title, &lines, &parts, once, &embed::element(inputs), (&SCRIPT, ""));
    out.write_all(page.into_string().as_bytes())
}

/// Writes the page of a comparison, which holds the compared reports.
///
/// # Errors
/// Those of the writer.
pub fn comparison(
    compared: &Compared,
    inputs: &[Input<'_>],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let once = &mut Once::new();
    once.section = "compare";
    let blocks = compare::page(compared);
    let mut parts: Vec<Part> = Vec::new();
    for blocks in blocks.chunk_by(|_, next| !matches!(next, Block::Heading { .. })) {
        let (title, remark, rest) = titled(blocks, "Compared");
        let id = once.id(&format!("compare/{title}"));
        let body = html! { (text::deck(remark)) (table::blocks(rest, 3, &id, once)) };
        parts.push(Part { id, title, body, class: "" });
    }
    let id = once.id("run");
    parts.push(Part { id, title: "What was run".into(), body: commands(inputs), class: "" });
    let mut names: Vec<String> = match &compared.change {
        // Runs that are in no report have the names of their commands, sets or folder.
        Some(change) if inputs.len() < 2 => {
            let others = std::iter::once(change).chain(&compared.more).map(|it| it.b.file.clone());
            std::iter::once(change.a.file.clone()).chain(others).collect()
        }
        _ => (0..inputs.len()).map(|nth| name_of(inputs, nth)).collect(),
    };
    let first = if names.is_empty() { String::new() } else { names.remove(0) };
    let title = format!("{} compared with {first}", names.join(", "));
    let lines = machines_and_runs(inputs, false);
    let page = document(&title, &lines, &parts, once, &embed::element(inputs), (&SCRIPT, ""));
    out.write_all(page.into_string().as_bytes())
}

static NOTHING: Text = Text(Vec::new());

/// The heading that blocks begin with, its remark, and what follows.
fn titled<'a>(blocks: &'a [Block], otherwise: &str) -> (String, &'a Text, &'a [Block]) {
    match blocks {
        [Block::Heading { title, remark }, rest @ ..] => (title.clone(), remark, rest),
        _ => (otherwise.to_owned(), &NOTHING, blocks),
    }
}

/// A section as all the reports that hold it show it.
fn measured(section: &Section, inputs: &[Input<'_>], held: &[usize], once: &mut Once) -> Part {
    once.section = section.id;
    let id = once.id(section.id);
    let names: Vec<String> = held.iter().map(|nth| name_of(inputs, *nth)).collect();
    let reports: Vec<Input<'_>> = held.iter().map(|nth| inputs[*nth]).collect();
    // A heading in the view of a section that has no page of its own is not that of the section.
    let name = capitalized(section.id);
    let brief = |report: &Report| {
        let glance = section.glance.map(|glance| glance(report, FEW));
        let blocks = glance.unwrap_or_else(|| (section.view)(report, Detail::Brief));
        (held.len() > TOGETHER && !blocks.is_empty()).then_some(blocks)
    };
    let shown = |input: &Input<'_>| match (brief(input.report), section.page) {
        (Some(blocks), _) => blocks,
        (None, Some(page)) => page(&[*input]),
        (None, None) => {
            let blocks = (section.view)(input.report, Detail::Full);
            [Block::heading(name.clone())].into_iter().chain(blocks).collect()
        }
    };
    let together = match (section.page, &reports[..]) {
        (_, [one]) => Some(shown(one)),
        (Some(page), _) if reports.len() <= TOGETHER => Some(page(&reports)),
        _ => None,
    };
    if let Some(blocks) = together {
        let (title, remark, rest) = titled(&blocks, &name);
        let body = html! {
            (text::deck(remark))
            @match &names[..] {
                [one] => { @if inputs.len() > 1 { p.from { "From " (one) } } }
                _ => { (colour_key(&names)) }
            }
            (table::blocks(rest, 3, &id, once))
        };
        return Part { id, title, body, class: "" };
    }
    let all: Vec<Vec<Block>> = reports.iter().map(shown).collect();
    let title = all.first().map_or(name.clone(), |blocks| titled(blocks, &name).0);
    let each = all.iter().zip(&names).map(|(blocks, of)| {
        let (_, remark, rest) = titled(blocks, "");
        let own = once.id(&format!("{}/{of}", section.id));
        html! {
            div {
                (text::heading(3, &own, of)) (text::deck(remark))
                (table::blocks(rest, 4, &own, once))
            }
        }
    });
    let body = html! { div.multiples { @for one in each { (one) } } };
    Part { id, title, body, class: "" }
}

/// What was left out, the machines, and the runs.
fn circumstances(inputs: &[Input<'_>], once: &mut Once) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = |section, title: &str, of: &dyn Fn(&mut Once, &str) -> Option<Markup>| {
        once.section = section;
        let id = once.id(section);
        let body = of(once, &id);
        let class = if section == "machine" { "machine" } else { "" };
        parts.extend(body.map(|body| Part { id, title: title.into(), body, class }));
    };
    part("notes", "Notes", &|once, under| {
        let noted = inputs.iter().enumerate().filter(|(_, it)| !it.report.notes.is_empty());
        let all = noted.map(|(nth, input)| {
            let blocks = findings::listed_notes(input.report);
            html! {
                @if inputs.len() > 1 { p.from { (name_of(inputs, nth)) } }
                (table::blocks(&blocks, 3, under, once))
            }
        });
        text::joined(all)
    });
    part("machine", "The machine", &|once, under| {
        let first_of = |nth: &usize| {
            let report = inputs[*nth].report;
            !inputs[..*nth].iter().any(|it| same_machine(it.report, report))
        };
        let machines: Vec<usize> = (0..inputs.len()).filter(first_of).collect();
        let several = machines.len() > 1;
        let all = machines.iter().map(|nth| {
            let name = name_of(inputs, *nth);
            let own = several.then(|| once.id(&format!("machine/{name}")));
            let level = if several { 4 } else { 3 };
            let few = machines.len() <= TOGETHER;
            let detail = if few { Detail::Full } else { Detail::Brief };
            let blocks = (machine::SECTION.view)(inputs[*nth].report, detail);
            html! {
                @if let Some(own) = &own { (text::heading(3, own, &name)) }
                div.cards { (cards(&blocks, level, under, once)) }
            }
        });
        text::joined(all)
    });
    part("run", "What was run", &|_, _| (!inputs.is_empty()).then(|| commands(inputs)));
    parts
}

/// Blocks in groups of a heading and what follows it.
fn cards(blocks: &[Block], level: u8, under: &str, once: &mut Once) -> Markup {
    let groups =
        blocks.chunk_by(|_, next| !matches!(next, Block::Heading { .. } | Block::Legend(_)));
    html! { @for group in groups { div.card { (table::blocks(group, level, under, once)) } } }
}

fn sha256(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}

/// A page with this script, and what else that needs of the policy for scripts.
pub(super) fn document(
    title: &str,
    lines: &Markup,
    parts: &[Part],
    once: &Once,
    held: &Markup,
    (script, needs): (&str, &str),
) -> Markup {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; img-src data:; script-src 'sha256-{}'{}",
        sha256(&STYLE),
        sha256(script),
        needs
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content="chronoscope";
                title { (title) }
                style { (PreEscaped(STYLE.as_str())) }
            }
            body {
                header {
                    h1 { (title) }
                    (lines)
                    @if parts.len() > 2 {
                        nav aria-label="Sections" {
                            @for part in parts {
                                a href={ "#" (part.id) } { (safe(&part.title)) }
                            }
                        }
                    }
                    button #theme type="button" aria-label="Light or dark" { "◐" }
                }
                main {
                    @if parts.is_empty() { p { "There is no report to show." } }
                    @for part in parts {
                        section class=[(!part.class.is_empty()).then_some(part.class)]
                            aria-labelledby=(part.id) {
                            (text::heading(2, &part.id, &part.title))
                            (part.body)
                        }
                    }
                }
                footer {
                    p { "Drawn by chronoscope. The page asks nothing of any server." }
                }
                aside aria-label="Explanations" { (once.explanations()) }
                div #tip role="status" aria-live="polite" hidden {}
                (held)
                script { (PreEscaped(script)) }
            }
        }
    }
}

// What a page begins and ends with: what was measured, where, when, and by which command.

/// The processor's name, without the number of its CPUs.
fn processor(report: &Report) -> String {
    let model = report.environment.cpu.model.as_deref().unwrap_or("").trim();
    let name = if model.is_empty() { &report.environment.arch } else { model };
    if name.trim().is_empty() { "this machine".into() } else { safe(name) }
}

/// `Time on` the processors, each once.
fn page_title(inputs: &[Input<'_>]) -> String {
    /// The most processors that a title names.
    const NAMED: usize = 2;
    let names = distinct(inputs.iter().map(|it| processor(it.report)));
    match names.len() {
        0 => "Time on this machine".into(),
        1..=NAMED => format!("Time on {}", names.join(" and ")),
        n => format!("Time on {n} machines"),
    }
}

/// What a report is called on the page.
fn name_of(inputs: &[Input<'_>], nth: usize) -> String {
    let name = inputs.get(nth).map_or(String::new(), |it| safe(it.name));
    if name.trim().is_empty() { format!("report {}", nth + 1) } else { name }
}

/// The machine of a report in a line: processor, system, kernel, hypervisor.
fn machine_of(report: &Report) -> Vec<String> {
    let env = &report.environment;
    let mut parts = vec![machine::processor(env)];
    parts.extend(Some(env.os.clone()).filter(|os| !os.is_empty()));
    parts.extend(env.kernel.as_ref().map(|kernel| format!("kernel {kernel}")));
    parts.extend(env.hypervisor.as_ref().map(|it| format!("under {}", it.name)));
    parts.iter().map(|part| safe(part)).collect()
}

/// When a report was measured, how long that took, and by which version.
fn made(report: &Report) -> Vec<String> {
    let run = &report.run;
    let time = run.started.get(..16).map(|time| format!("{} UTC", time.replace('T', " ")));
    let mut parts: Vec<String> = time.into_iter().collect();
    if run.seconds.is_finite() && run.seconds > 0.0 {
        parts.push(format!("measured in {}", units::human_ns(run.seconds * 1e9)));
    }
    if !run.tool_version.is_empty() {
        parts.push(format!("chronoscope {}", run.tool_version));
    }
    if !run.complete {
        parts.push("interrupted".into());
    }
    parts.iter().map(|part| safe(part)).collect()
}

/// Whether two reports are of the same machine and system, as far as their lines say.
fn same_machine(a: &Report, b: &Report) -> bool {
    machine_of(a) == machine_of(b)
}

/// The lines below the title; several reports have one each, with its colour if `coloured`.
fn machines_and_runs(inputs: &[Input<'_>], coloured: bool) -> Markup {
    let alike = inputs.windows(2).all(|it| same_machine(it[0].report, it[1].report));
    html! {
        @if let (true, Some(first)) = (alike, inputs.first()) {
            p.sub { (machine_of(first.report).join(" · ")) }
        }
        @match inputs {
            [one] => { p.sub { (made(one.report).join(" · ")) } }
            _ => {
                ul.reports {
                    @for (nth, input) in inputs.iter().enumerate() {
                        li {
                            @if coloured { (dot(nth)) }
                            b { (name_of(inputs, nth)) } " "
                            @if !alike { (machine_of(input.report).join(" · ")) " · " }
                            (made(input.report).join(" · "))
                        }
                    }
                }
            }
        }
    }
}

/// The colour of a report.
fn dot(nth: usize) -> Markup {
    html! {
        svg.dot class={ "report" (nth) } width="10" height="10" aria-hidden="true" {
            circle cx="5" cy="5" r="4.5" fill="currentColor" {}
        }
    }
}

/// Which colour is which report.
fn colour_key(names: &[String]) -> Markup {
    html! {
        p.keys {
            @for (nth, name) in names.iter().enumerate() { span.key { (dot(nth)) (name) } }
        }
    }
}

/// The command of each run, as it can be typed again.
fn commands(inputs: &[Input<'_>]) -> Markup {
    html! {
        @for (nth, Input { report, .. }) in inputs.iter().enumerate() {
            @if inputs.len() > 1 { p.from { (name_of(inputs, nth)) } }
            @if !report.run.argv.is_empty() {
                pre.command data-copy="" { code { (command(&report.run.argv)) } }
            }
            p.legend-text {
                (made(report).join(" · "))
                " · seed " (report.run.order_seed) " · run " code { (safe(&report.run.id)) }
            }
        }
        p.legend-text {
            "The page holds the report itself: " code { "chronoscope report PAGE.html" }
            " shows it on a screen, and " code { "chronoscope compare" } " takes it like a file."
        }
    }
}

/// A command line for a shell: the program by its name, and other words in quotes if they need any.
fn command(argv: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    let quoted = |word: &String| match word.chars().all(plain) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", safe(word).replace('\'', r"'\''")),
    };
    let words = argv.iter().skip(1).map(quoted);
    std::iter::once("chronoscope".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

// The answers on top of a page: what affects every figure, which clock to use for what, what else
// was found, and the code.

/// The answers of each report that has any; absent if there are none.
fn in_short(inputs: &[Input<'_>], under: &str, once: &mut Once) -> Option<Markup> {
    let says = |report: &Report| {
        !(report.findings.is_empty() && report.advice.is_empty() && report.checks.is_empty())
    };
    let held: Vec<usize> = (0..inputs.len()).filter(|nth| says(inputs[*nth].report)).collect();
    if held.len() > TOGETHER {
        let line = |nth: &usize| (name_of(inputs, *nth), in_a_line(inputs[*nth].report));
        let lines: Vec<(String, Vec<String>)> = held.iter().map(line).collect();
        return Some(html! {
            dl.facts {
                @for (name, said) in lines { div { dt { (name) } dd { (said.join(" · ")) } } }
            }
        });
    }
    let written = held.iter().map(|nth| {
        let title = (inputs.len() > 1).then(|| {
            let name = name_of(inputs, *nth);
            (once.id(&format!("short/{name}")), name)
        });
        let level = if title.is_some() { 4 } else { 3 };
        html! {
            @if let Some((id, title)) = &title { (text::heading(3, id, title)) }
            (answers(inputs[*nth].report, level, under, once))
        }
    });
    text::joined(written)
}

/// The clock or wait for each common purpose, and what was found.
fn in_a_line(report: &Report) -> Vec<String> {
    let summary = report.advice.iter().filter(|it| it.summary);
    let chosen = summary.filter_map(|it| Some(format!("{}: {}", it.short, it.clock.as_ref()?)));
    let found = report.findings.iter().filter(|it| it.is_found() && it.level > Level::Info);
    chosen.chain(found.map(|it| it.title.clone())).map(|text| safe(&text)).collect()
}

fn answers(report: &Report, level: u8, under: &str, once: &mut Once) -> Markup {
    let found = || report.findings.iter().filter(|it| it.is_found());
    let mut others: Vec<&Finding> = found().filter(|it| !it.affects_all).collect();
    others.sort_by_key(|it| std::cmp::Reverse(it.level));
    let unknown: Vec<&Finding> = report.findings.iter().filter(|it| !it.is_found()).collect();
    let summary: Vec<&Advice> = report.advice.iter().filter(|it| it.summary).collect();
    html! {
        @for finding in found().filter(|it| it.affects_all) { (doubt_of_all(finding)) }
        @if !summary.is_empty() {
            dl.advice { @for advice in summary { (advised_choice(advice)) } }
        }
        @if found().next().is_none() {
            (table::blocks(&[findings::none()], level, under, once))
        }
        div.findings {
            @for finding in others { (finding_details(finding)) }
            @if !unknown.is_empty() {
                details {
                    summary { (plural(unknown.len() as u64, "fault", "faults")) " not examined" }
                    @for finding in unknown { (finding_details(finding)) }
                }
            }
            (checks_without_finding(&report.checks))
            @if !report.advice.is_empty() { (reasons(report, level, under, once)) }
        }
    }
}

/// A finding that affects every figure.
fn doubt_of_all(finding: &Finding) -> Markup {
    html! {
        p.finding {
            b { (safe(finding.title.trim_end_matches('.'))) }
            @for evidence in finding.evidence.iter().take(1) {
                ": " (prose(evidence.trim_end_matches('.')))
            }
            ". "
            span.dim { (prose(&finding.fix)) }
        }
    }
}

/// What to use for a purpose, and its figure.
fn advised_choice(advice: &Advice) -> Markup {
    let figure = advice.figure();
    html! {
        div {
            dt { (safe(&advice.short)) }
            dd {
                @let (large, rest) = figure.split_once(", ").unwrap_or((figure.as_str(), ""));
                @if !large.is_empty() { b { (safe(large)) } " " }
                @if !rest.is_empty() { span.dim { (safe(rest)) } " " }
                @match &advice.clock {
                    Some(id) => { code { (safe(id)) } }
                    None => { span.warn { "nothing suitable" } }
                }
            }
        }
    }
}

/// A finding in a line, with its evidence and what to do behind it.
fn finding_details(finding: &Finding) -> Markup {
    let tone = match finding.level {
        Level::Info => "dim",
        Level::Warning => "warn",
        Level::Error => "bad",
    };
    html! {
        details {
            summary {
                span class=(tone) { (finding.level.name()) } " "
                (safe(&finding.title)) " " code.dim { (safe(&finding.id)) }
            }
            ul { @for evidence in &finding.evidence { li { (prose(evidence)) } } }
            @if !finding.fix.is_empty() { p { b { "Fix: " } (prose(&finding.fix)) } }
            @if !finding.reference.is_empty() { p.dim { "See " (prose(&finding.reference)) } }
        }
    }
}

/// What was looked for and not found, if the report says that.
fn checks_without_finding(checks: &[Check]) -> Markup {
    let groups = [
        (Outcome::Clear, "ruled out"),
        (Outcome::Unknown, "unknown"),
        (Outcome::Elsewhere, "of other machines"),
    ];
    html! {
        @for (outcome, title) in groups {
            @let of: Vec<&Check> = checks.iter().filter(|it| it.outcome == outcome).collect();
            @if !of.is_empty() {
                details {
                    summary { (plural(of.len() as u64, "fault", "faults")) " " (title) }
                    dl.facts {
                        @for check in of {
                            div {
                                dt { code { (safe(&check.id)) } }
                                dd { (prose(check.why.as_deref().unwrap_or(&check.looks_at))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn reasons(report: &Report, level: u8, under: &str, once: &mut Once) -> Markup {
    let all: Vec<Block> = (advice::SECTION.view)(report, Detail::Everything);
    let outer = std::mem::replace(&mut once.section, advice::SECTION.id);
    let written = table::blocks(&all, level, under, once);
    once.section = outer;
    html! {
        details.reasons {
            summary { "Reasons, other purposes, and code" }
            (written)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_again() {
        let argv = ["/opt/chronoscope", "waits", "*/x", "it's", "", "json=a.json"];
        let argv = argv.map(str::to_owned);
        assert_eq!(command(&argv), r"chronoscope waits '*/x' 'it'\''s' '' json=a.json");
        assert_eq!(command(&[]), "chronoscope");
    }
}
