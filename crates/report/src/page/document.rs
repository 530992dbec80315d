//! The page as a whole: its head, its sections, and what it holds besides.

use super::{Input, embed, table};
use crate::block::Block;
use crate::compare;
use crate::section::{self, Detail};
use chronoscope_model::compare::Compared;
use maud::{DOCTYPE, Markup, html};
use std::io;

/// Writes one page of all reports: those of one machine with different sections become one page,
/// and a section that several of them hold shows all of them.
///
/// # Errors
/// Those of the writer.
pub fn write(inputs: &[Input<'_>], out: &mut dyn io::Write) -> io::Result<()> {
    let sections = section::ALL.iter().filter(|it| it.measured).map(|section| {
        let held: Vec<Input<'_>> =
            inputs.iter().copied().filter(|it| section.is_in(it.report)).collect();
        match (section.page, held.is_empty()) {
            (_, true) => Vec::new(),
            (Some(page), _) => page(&held),
            (None, _) => {
                held.iter().flat_map(|it| (section.view)(it.report, Detail::Full)).collect()
            }
        }
    });
    let blocks: Vec<Block> = sections.flatten().collect();
    out.write_all(document(&blocks, &embed::element(inputs)).into_string().as_bytes())
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
    let blocks = compare::view(compared, Detail::Everything);
    out.write_all(document(&blocks, &embed::element(inputs)).into_string().as_bytes())
}

fn document(blocks: &[Block], held: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            body {
                @for block in blocks {
                    @if let Block::Table(table) = block { (table::of(table)) }
                }
                (held)
            }
        }
    }
}
