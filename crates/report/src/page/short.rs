//! The answers on top of a page: what affects every figure, which clock to use for what, what else
//! was found, and the code.

use super::once::Once;
use super::text::{self, prose, safe};
use super::{Input, TOGETHER, blocks, head};
use crate::block::Block;
use crate::number::plural;
use crate::section::{Detail, advice, findings};
use chronoscope_model::check::{Check, Outcome};
use chronoscope_model::{Advice, Finding, Level, Report, units};
use maud::{Markup, html};

/// The answers of each report that has any; absent if there are none.
pub(super) fn of(inputs: &[Input<'_>], under: &str, once: &mut Once) -> Option<Markup> {
    let says = |report: &Report| {
        !(report.findings.is_empty() && report.advice.is_empty() && report.checks.is_empty())
    };
    let held: Vec<usize> = (0..inputs.len()).filter(|nth| says(inputs[*nth].report)).collect();
    if held.len() > TOGETHER {
        let line = |nth: &usize| (head::name(inputs, *nth), in_a_line(inputs[*nth].report));
        let lines: Vec<(String, Vec<String>)> = held.iter().map(line).collect();
        return Some(html! {
            dl.facts {
                @for (name, said) in lines { div { dt { (name) } dd { (said.join(" · ")) } } }
            }
        });
    }
    let mut written = Vec::new();
    for nth in &held {
        let title = (inputs.len() > 1).then(|| {
            let name = head::name(inputs, *nth);
            (once.id(&format!("short/{name}")), name)
        });
        let level = if title.is_some() { 4 } else { 3 };
        written.push(html! {
            @if let Some((id, title)) = &title { (text::heading(3, id, title)) }
            (answers(inputs[*nth].report, level, under, once))
        });
    }
    (!held.is_empty()).then(|| html! { @for one in written { (one) } })
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
        @for finding in found().filter(|it| it.affects_all) { (doubt(finding)) }
        @if !summary.is_empty() {
            dl.advice { @for advice in summary { (choice(advice)) } }
        }
        @if found().next().is_none() {
            (blocks::of(&[findings::none()], level, under, once))
        }
        div.findings {
            @for finding in others { (self::finding(finding)) }
            @if !unknown.is_empty() {
                details {
                    summary { (plural(unknown.len() as u64, "fault", "faults")) " not examined" }
                    @for finding in unknown { (self::finding(finding)) }
                }
            }
            (checks(&report.checks))
            @if !report.advice.is_empty() { (reasons(report, level, under, once)) }
        }
    }
}

/// A finding that affects every figure.
fn doubt(finding: &Finding) -> Markup {
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
fn choice(advice: &Advice) -> Markup {
    let figure = match advice.figure.as_str() {
        "" => advice.cost_ns.map_or(String::new(), units::human_ns),
        figure => figure.to_owned(),
    };
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
fn finding(finding: &Finding) -> Markup {
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
fn checks(checks: &[Check]) -> Markup {
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
    let written = blocks::of(&all, level, under, once);
    once.section = outer;
    html! {
        details.reasons {
            summary { "Reasons, other purposes, and code" }
            (written)
        }
    }
}
