//! The page as a whole: its head, its sections, and what it holds besides.

use super::once::Once;
use super::{Input, TOGETHER, blocks, embed, head, short, text};
use crate::block::{Block, Text};
use crate::compare;
use crate::section::{self, Detail, Section, machine, notes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chronoscope_model::Report;
use chronoscope_model::compare::Compared;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::io;

const STYLE: &str = concat!(include_str!("style.css"), include_str!("chart.css"));
const SCRIPT: &str = include_str!("script.js");

/// The most clocks of a kind of each report, if there are so many reports that each is in brief.
const FEW: usize = 3;

/// A part of the page under its own heading.
struct Part {
    id: String,
    title: String,
    body: Markup,
    class: &'static str,
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
    parts.extend(short::of(inputs, &id, once).map(|body| Part {
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
    let title = head::title(inputs);
    let lines = head::lines(inputs, coloured && inputs.len() > 1);
    let page = document(&title, &lines, &parts, once, &embed::element(inputs));
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
        let body = html! { (text::deck(remark)) (blocks::of(rest, 3, &id, once)) };
        parts.push(Part { id, title, body, class: "" });
    }
    let id = once.id("run");
    parts.push(Part { id, title: "What was run".into(), body: head::runs(inputs), class: "" });
    let mut names: Vec<String> = (0..inputs.len()).map(|nth| head::name(inputs, nth)).collect();
    let first = if names.is_empty() { String::new() } else { names.remove(0) };
    let title = format!("{} compared with {first}", names.join(", "));
    let lines = head::lines(inputs, false);
    let page = document(&title, &lines, &parts, once, &embed::element(inputs));
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
    let names: Vec<String> = held.iter().map(|nth| head::name(inputs, *nth)).collect();
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
                _ => { (head::key(&names)) }
            }
            (blocks::of(rest, 3, &id, once))
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
                (blocks::of(rest, 4, &own, once))
            }
        }
    });
    let each: Vec<Markup> = each.collect();
    let body = html! { div.multiples { @for one in each { (one) } } };
    Part { id, title, body, class: "" }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
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
            let blocks = notes::listed(input.report);
            html! {
                @if inputs.len() > 1 { p.from { (head::name(inputs, nth)) } }
                (blocks::of(&blocks, 3, under, once))
            }
        });
        let all: Vec<Markup> = all.collect();
        (!all.is_empty()).then(|| html! { @for one in all { (one) } })
    });
    part("machine", "The machine", &|once, under| {
        let first_of = |nth: &usize| {
            let report = inputs[*nth].report;
            !inputs[..*nth].iter().any(|it| head::same_machine(it.report, report))
        };
        let machines: Vec<usize> = (0..inputs.len()).filter(first_of).collect();
        let several = machines.len() > 1;
        let all = machines.iter().map(|nth| {
            let name = head::name(inputs, *nth);
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
        let all: Vec<Markup> = all.collect();
        (!all.is_empty()).then(|| html! { @for one in all { (one) } })
    });
    part("run", "What was run", &|_, _| (!inputs.is_empty()).then(|| head::runs(inputs)));
    parts
}

/// Blocks in groups of a heading and what follows it.
fn cards(blocks: &[Block], level: u8, under: &str, once: &mut Once) -> Markup {
    let groups =
        blocks.chunk_by(|_, next| !matches!(next, Block::Heading { .. } | Block::Legend(_)));
    let groups: Vec<Markup> = groups.map(|group| blocks::of(group, level, under, once)).collect();
    html! { @for group in groups { div.card { (group) } } }
}

fn sha256(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}

fn document(title: &str, lines: &Markup, parts: &[Part], once: &Once, held: &Markup) -> Markup {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:",
        sha256(STYLE),
        sha256(SCRIPT)
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
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    (lines)
                    @if parts.len() > 2 {
                        nav aria-label="Sections" {
                            @for part in parts {
                                a href={ "#" (part.id) } { (text::safe(&part.title)) }
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
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}
