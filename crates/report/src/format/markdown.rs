//! Tables to paste into an issue or a document.

use crate::block::{Align, Block, Cell, Column, Item, Part, Table, Text, Tone, Value};
use crate::clean::{clean, clean_span};
use crate::text::{Style, pictures};
use crate::{number, section};
use chronoscope_model::Report;
use std::io::{self, Write};

/// Writes the report's sections.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let sections = section::of_document(report).into_iter();
    let blocks = sections.flat_map(|(section, detail)| (section.view)(report, detail));
    of_blocks(blocks, out)
}

/// Writes blocks as a document.
///
/// # Errors
/// Those of the writer.
pub(crate) fn of_blocks(
    blocks: impl IntoIterator<Item = Block>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut document = Document { out, begun: false, listed: false };
    blocks.into_iter().try_for_each(|block| document.block(&block))
}

struct Document<'a> {
    out: &'a mut dyn Write,
    begun: bool,
    /// Whether the last block was an item of a list.
    listed: bool,
}

impl Document<'_> {
    fn line(&mut self, line: &str) -> io::Result<()> {
        self.begun = true;
        writeln!(self.out, "{line}")
    }

    /// A line, with an empty line before it.
    fn apart(&mut self, line: &str) -> io::Result<()> {
        if self.begun {
            self.line("")?;
        }
        self.line(line)
    }

    fn block(&mut self, block: &Block) -> io::Result<()> {
        let listed = std::mem::replace(&mut self.listed, block.entry().is_some());
        if let Some((head, details)) = block.entry() {
            if !listed {
                self.line("")?;
            }
            self.line(&format!("- {}", text(head)))?;
            for detail in details {
                self.line(&format!("  - {}", text(detail)))?;
            }
        }
        match block {
            Block::Heading { title, remark } => {
                let level = if self.begun { "##" } else { "#" };
                self.apart(&format!("{level} {}", escape(title)))?;
                if !remark.is_empty() {
                    self.apart(&text(remark))?;
                }
            }
            Block::Facts(facts) => {
                self.line("")?;
                for fact in facts {
                    let value = text(&fact.value);
                    match &*fact.name {
                        // It belongs to the fact above.
                        "" => self.line(&format!("  - {value}"))?,
                        name => self.line(&format!("- {}: {value}", escape(name)))?,
                    }
                }
            }
            Block::Table(table) => self.table(table)?,
            Block::Chart(chart) => {
                let drawn = pictures::plot_lines(chart, &Style::default());
                if !drawn.is_empty() {
                    self.verbatim(&drawn.join("\n"))?;
                }
            }
            Block::Paragraph(paragraph) | Block::Legend(paragraph) => {
                self.apart(&text(paragraph))?;
            }
            Block::Line(_) | Block::Item { .. } => {}
            Block::Code(code) => {
                for (language, lines) in code {
                    self.apart(&format!("{}:", escape(language)))?;
                    self.verbatim(lines)?;
                }
            }
        }
        Ok(())
    }

    /// Lines as they are, in a block of code. Four backticks, so that none of them ends it.
    fn verbatim(&mut self, lines: &str) -> io::Result<()> {
        self.apart("````text")?;
        for line in lines.lines() {
            let line = clean_span(line).replace("````", "'```");
            self.line(line.trim_end())?;
        }
        self.line("````")
    }

    fn table(&mut self, table: &Table) -> io::Result<()> {
        if table.is_empty() {
            return Ok(());
        }
        let is_drawn = |at: &usize| table.column(*at).any(|cell| cell.value.is_picture());
        let all: Vec<usize> = (0..table.columns.len()).filter(|at| !is_drawn(at)).collect();
        let parts = table.by_part(&all);
        if parts.is_empty() {
            return self.columns(table, &all);
        }
        for (Part { title, remark }, columns) in parts {
            self.apart(&format!("### {}", escape(title)))?;
            if !remark.is_empty() {
                self.apart(&escape(remark))?;
            }
            self.columns(table, &columns)?;
        }
        Ok(())
    }

    fn columns(&mut self, table: &Table, columns: &[usize]) -> io::Result<()> {
        let of = |at: &usize| &table.columns[*at];
        self.line("")?;
        self.row(columns.iter().map(|at| head(of(at))))?;
        self.row(columns.iter().map(|at| match of(at).align {
            Align::Left => "---".to_owned(),
            Align::Right | Align::Decimal => "---:".to_owned(),
        }))?;
        for item in &table.items {
            match item {
                Item::Group { name, remark } => {
                    let name = format!("**{}** {}", escape(name), escape(remark));
                    let rest = columns.iter().skip(1).map(|_| String::new());
                    self.row(std::iter::once(name.trim_end().to_owned()).chain(rest))?;
                }
                Item::Row(row) => {
                    self.row(columns.iter().map(|at| {
                        let cell = row.cells.get(*at).map_or(String::new(), cell);
                        if row.marked && columns.first() == Some(at) {
                            format!("▸ {cell}")
                        } else {
                            cell
                        }
                    }))?;
                }
            }
        }
        Ok(())
    }

    fn row(&mut self, cells: impl Iterator<Item = String>) -> io::Result<()> {
        let cells: Vec<String> = cells.collect();
        self.line(&format!("| {} |", cells.join(" | ")))
    }
}

fn head(column: &Column) -> String {
    let head = column.head.replace('\n', " ");
    match column.unit {
        "" => escape(&head),
        unit => format!("{}, {unit}", escape(&head)),
    }
}

fn cell(cell: &Cell) -> String {
    let shown = number::of_cell(cell);
    if matches!(cell.value, Value::Code(_)) {
        return format!("`{}`", code(&shown.value));
    }
    match shown.spread.as_str() {
        "" => escape(&shown.value),
        spread => format!("{} ±{spread}", escape(&shown.value)),
    }
}

fn text(text: &Text) -> String {
    let spans = text.0.iter().map(|span| {
        let inner = span.text.trim();
        match span.tone {
            _ if inner.is_empty() => escape_span(&span.text),
            Some(Tone::Name) => format!("`{}`", code(inner)),
            Some(Tone::Strong | Tone::Good | Tone::Warn | Tone::Bad) => {
                let start = span.text.len() - span.text.trim_start().len();
                let end = span.text.trim_end().len();
                let (before, after) = (&span.text[..start], &span.text[end..]);
                format!("{}**{}**{}", escape_span(before), escape(inner), escape_span(after))
            }
            Some(Tone::Dim) | None => escape_span(&span.text),
        }
    });
    spans.collect::<String>().trim().to_owned()
}

/// Text that Markdown and HTML treat as text: CommonMark escapes any ASCII punctuation with a
/// backslash.
fn escape(text: &str) -> String {
    escape_span(text).trim().to_owned()
}

fn escape_span(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in clean_span(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&' | '!' | '~')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text within backticks. A pipe would end the cell even there (GFM, tables).
fn code(text: &str) -> String {
    clean(text).replace('`', "'").replace('|', "\\|")
}
