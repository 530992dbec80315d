//! Blocks as a screen shows them.

use super::screen::Screen;
use super::style::Style;
use super::{layout, plot};
use crate::block::{Block, Text, Tone};
use crate::clean::{clean, clean_span};
use crate::section::Detail;

/// Adds a block to a screen.
pub(super) fn draw(screen: &mut Screen, block: &Block, detail: Detail, style: &Style) {
    match block {
        Block::Heading { title, remark } => {
            screen.heading(&style.signs(&clean(title)), &paint(remark, style));
        }
        Block::Facts(facts) => {
            let facts: Vec<(String, String)> = facts
                .iter()
                .map(|fact| (style.signs(&clean(&fact.name)), paint(&fact.value, style)))
                .collect();
            screen.facts(&facts);
        }
        Block::Table(table) => layout::draw(screen, table, detail, style),
        Block::Plot(plot) => plot::draw(screen, plot, style),
        Block::Paragraph(text) => screen.paragraph(&paint(text, style)),
        Block::Legend(text) => {
            screen.gap();
            let text = style.paint(Tone::Dim, &paint(text, style));
            screen.paragraph(&text);
        }
        Block::Item { head, details } => {
            screen.indented("  ", "    ", &paint(head, style));
            for detail in details {
                screen.indented("    ", "      ", &paint(detail, style));
            }
        }
        Block::Code(code) => {
            screen.gap();
            draw_code(screen, code, style);
        }
        Block::Lines(lines) => screen.verbatim(lines),
    }
}

/// Text with its tones, and without anything that a terminal would act on.
fn paint(text: &Text, style: &Style) -> String {
    let spans = text.0.iter().map(|span| {
        let text = style.signs(&clean_span(&span.text));
        match span.tone {
            Some(tone) => style.paint(tone, &text),
            None => text,
        }
    });
    spans.collect::<String>().trim_end().to_owned()
}

/// The widest name of a language that keeps code aligned.
const NAME: usize = 12;

/// Lines of code next to the name of their language.
fn draw_code(screen: &mut Screen, code: &[(String, String)], style: &Style) {
    let widest = code.iter().map(|(language, _)| language.chars().count()).max();
    let widest = widest.unwrap_or(0).min(NAME);
    for (language, lines) in code {
        for (nth, line) in lines.lines().enumerate() {
            let name = match nth {
                0 => clean(language),
                _ => String::new(),
            };
            let name = style.paint(Tone::Dim, &format!("{name:widest$}"));
            // The indentation of code is kept; the rest of the line is made safe.
            let indent = " ".repeat(line.len() - line.trim_start().len());
            let first = format!("  {name}  {indent}");
            screen.indented(&first, &" ".repeat(widest + 6), &style.signs(&clean(line)));
        }
    }
}
