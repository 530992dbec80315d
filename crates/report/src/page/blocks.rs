//! Blocks as HTML: each kind of block, and what stands next to each other.

use super::text::{Once, deck, heading, safe, text, verbatim};
use super::{chart, table};
use crate::block::chart::Chart;
use crate::block::{Block, Fact};
use maud::{Markup, html};

/// Blocks of one section, whose headings have this level; `under` is the id of the heading above
/// them.
pub(super) fn blocks(blocks: &[Block], level: u8, under: &str, once: &mut Once) -> Markup {
    let mut under = under.to_owned();
    let mut rest = blocks;
    let mut written = Vec::new();
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|it| alike(first, it)).count().max(1);
        let (now, later) = rest.split_at(same);
        written.push(match first {
            Block::Heading { title, remark } => {
                under = once.id(&format!("{}/{title}", once.section));
                html! { (heading(level, &under, title)) (deck(remark)) }
            }
            Block::Facts(facts) => self::facts(facts, once),
            Block::Table(table) => table::table(table, level, &under, once),
            Block::Chart(_) => charts(now, once),
            Block::Paragraph(words) => html! { p { (text(words)) } },
            Block::Legend(words) => html! { p.legend-text { (text(words)) } },
            Block::Line(_) | Block::Item { .. } => list(now),
            Block::Code(code) => self::code(code, once),
        });
        rest = later;
    }
    html! { @for one in written { (one) } }
}

/// Whether two blocks that follow each other are one list or one row of charts.
fn alike(a: &Block, b: &Block) -> bool {
    let listed = |it: &Block| matches!(it, Block::Line(_) | Block::Item { .. });
    let chart = |it: &Block| matches!(it, Block::Chart(_));
    (listed(a) && listed(b)) || (chart(a) && chart(b))
}

fn charts(blocks: &[Block], once: &mut Once) -> Markup {
    let drawn = |block: &Block| -> Option<Chart> {
        if let Block::Chart(chart) = block { Some(chart.clone()) } else { None }
    };
    let charts: Vec<Chart> = blocks.iter().filter_map(drawn).collect();
    html! {
        div.pair[charts.len() > 1] {
            @for chart in &charts {
                @let id = once.id(&format!("{}/chart", once.section));
                (chart::figure(chart, &id))
            }
        }
    }
}

fn facts(facts: &[Fact], once: &mut Once) -> Markup {
    // A fact without a name belongs to the one above.
    let groups = facts.chunk_by(|_, next| next.name.is_empty());
    html! {
        dl.facts {
            @for group in groups {
                div {
                    @for fact in group.iter().take(1) {
                        dt { @if fact.name.is_empty() { "·" } @else { (once.term(&fact.name)) } }
                    }
                    @for fact in group { dd { (text(&fact.value)) } }
                }
            }
        }
    }
}

fn list(blocks: &[Block]) -> Markup {
    html! {
        ul {
            @for block in blocks {
                @match block {
                    Block::Item { head, details } => {
                        li {
                            (text(head))
                            @if !details.is_empty() {
                                ul { @for detail in details { li { (text(detail)) } } }
                            }
                        }
                    }
                    Block::Line(head) => { li { (text(head)) } }
                    _ => {}
                }
            }
        }
    }
}

/// Code by language: one language is open at a time.
fn code(code: &[(String, String)], once: &mut Once) -> Markup {
    let group = once.id("code");
    html! {
        div.code {
            @for (nth, (language, lines)) in code.iter().enumerate() {
                details name=(group) open[nth == 0] {
                    summary { (safe(language)) }
                    (verbatim(lines))
                }
            }
        }
    }
}
