//! A table as lines of text: columns with headings, groups of rows, and columns that give way if
//! the screen is narrow.

use super::style::{INDENT, Style, columns};
use super::wrapping::wrap_cell;
use crate::block::{Align, Tone};
use comfy_table::{
    Cell as Comfy, CellAlignment, ContentArrangement, Table as ComfyTable, presets::NOTHING,
};

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its head, with the unit; `\n` stacks it.
    pub head: String,
    /// How its cells are aligned.
    pub align: Align,
    /// Spaces before it.
    pub gap: u16,
    /// How narrow it may become by wrapping; absent if it keeps its width.
    pub gives_way: Option<usize>,
}

impl Column {
    /// A column that keeps its width.
    pub fn new(head: &str, align: Align) -> Self {
        Self { head: head.to_owned(), align, gap: 2, gives_way: None }
    }

    /// The column, wrapping down to this width if there is no room.
    pub fn giving_way(mut self, to: usize) -> Self {
        self.gives_way = Some(to);
        self
    }

    /// The column with this many spaces before it.
    pub fn gap(mut self, gap: u16) -> Self {
        self.gap = gap;
        self
    }
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    tone: Option<Tone>,
}

impl Cell {
    /// A cell in a tone.
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone: Some(tone) }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, tone: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

enum Item {
    Group(String, String),
    Row(Vec<Cell>),
}

/// A table.
pub struct Table {
    columns: Vec<Column>,
    items: Vec<Item>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, items: Vec::new() }
    }

    /// Starts a group of rows, with a remark after its name.
    pub fn group(&mut self, name: &str, remark: &str) {
        self.items.push(Item::Group(name.to_owned(), remark.to_owned()));
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.items.push(Item::Row(cells));
    }

    /// Whether it is no wider than the screen with every column at its natural width.
    pub fn fits(&self, style: &Style) -> bool {
        self.natural_width() <= style.width
    }

    /// Whether it is no wider than the screen after columns have given way.
    pub fn fits_by_giving_way(&self, style: &Style) -> bool {
        let (_, widths) = self.texts(style);
        self.width(&widths) <= style.width
    }

    /// The width of the screen that it needs with every column at its natural width.
    pub fn natural_width(&self) -> usize {
        let unbounded = Style { width: usize::MAX, ..Style::default() };
        let (_, widths) = self.texts(&unbounded);
        self.width(&widths)
    }

    /// The width that it needs if its columns have these widths.
    fn width(&self, widths: &[usize]) -> usize {
        let gaps: usize = self.columns.iter().skip(1).map(|c| c.gap as usize).sum();
        INDENT + gaps + widths.iter().sum::<usize>()
    }

    /// Its lines, indented.
    pub fn render(&self, style: &Style) -> Vec<String> {
        let (text, _) = self.texts(style);
        let mut table = ComfyTable::new();
        table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        let head_height = self.columns.iter().map(|c| c.head.lines().count()).max();
        let head_height = head_height.unwrap_or(0);
        if head_height > 0 {
            table.set_header(self.columns.iter().map(|column| {
                let lines: Vec<&str> = column.head.lines().collect();
                let blank = std::iter::repeat_n(String::new(), head_height - lines.len());
                let lines = lines.iter().map(|l| style.paint(Tone::Dim, l));
                let stacked: Vec<String> = blank.chain(lines).collect();
                Comfy::new(stacked.join("\n"))
            }));
        }
        let mut heights = Vec::new();
        for row in &text {
            heights.push(row.iter().map(Vec::len).max().unwrap_or(1).max(1));
            table.add_row(row.iter().map(|lines| Comfy::new(lines.join("\n"))));
        }
        for (i, column) in self.columns.iter().enumerate() {
            if let Some(c) = table.column_mut(i) {
                c.set_padding((if i == 0 { 0 } else { column.gap }, 0));
                c.set_cell_alignment(match column.align {
                    Align::Left => CellAlignment::Left,
                    Align::Right | Align::Decimal => CellAlignment::Right,
                });
            }
        }
        self.interleave(style, table.lines(), head_height, &heights)
    }

    /// Puts the rule below the headings, and the groups' names between the rows.
    fn interleave(
        &self,
        style: &Style,
        mut lines: impl Iterator<Item = String>,
        head_height: usize,
        heights: &[usize],
    ) -> Vec<String> {
        let pad = " ".repeat(INDENT);
        let head: Vec<String> = lines.by_ref().take(head_height).collect();
        let rest: Vec<String> = lines.collect();
        let width = head.iter().chain(&rest).map(|l| columns(l)).max();
        let width = width.unwrap_or(0).min(style.width.saturating_sub(INDENT));
        let mut out: Vec<String> = head.iter().map(|l| format!("{pad}{l}")).collect();
        if head_height > 0 {
            out.push(format!("{pad}{}", style.rule(width)));
        }
        let (mut rest, mut heights) = (rest.into_iter(), heights.iter());
        for item in &self.items {
            match item {
                Item::Group(name, remark) => out.push(format!(
                    "{pad}{}  {}",
                    style.paint(Tone::Strong, name),
                    style.paint(Tone::Dim, remark)
                )),
                Item::Row(_) => {
                    let height = heights.next().copied().unwrap_or(1);
                    out.extend(rest.by_ref().take(height).map(|l| format!("{pad}{l}")));
                }
            }
        }
        out
    }

    /// The cells as lines of text, wrapped if necessary, and the columns' widths.
    fn texts(&self, style: &Style) -> (Vec<Vec<Vec<String>>>, Vec<usize>) {
        let empty = Cell::default();
        let rows: Vec<&Vec<Cell>> = self
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Row(cells) => Some(cells),
                Item::Group(..) => None,
            })
            .collect();
        let mut columns_of: Vec<Vec<(String, Option<Tone>)>> = Vec::new();
        for (i, column) in self.columns.iter().enumerate() {
            let cells: Vec<&Cell> = rows.iter().map(|r| r.get(i).unwrap_or(&empty)).collect();
            let tail = |text: &str| text.find('.').map_or(0, |dot| columns(&text[dot..]));
            let longest = cells.iter().map(|c| number_tail(&c.text, tail)).max();
            let longest = longest.flatten().unwrap_or(0);
            let text = cells.iter().map(|cell| {
                let mut text = cell.text.clone();
                if let (Align::Decimal, Some(own)) = (column.align, number_tail(&text, tail)) {
                    text.push_str(&" ".repeat(longest - own));
                }
                (text, cell.tone)
            });
            columns_of.push(text.collect());
        }
        let widths = self.widths(style, &columns_of);
        let texts = (0..rows.len()).map(|r| {
            let cells = columns_of.iter().enumerate().map(|(i, column)| {
                let (text, tone) = &column[r];
                let lines = if columns(text) > widths[i] {
                    wrap_cell(text, widths[i])
                } else {
                    vec![text.clone()]
                };
                let paint = |line: String| match tone {
                    Some(tone) => style.paint(*tone, &line),
                    None => line,
                };
                lines.into_iter().map(paint).collect()
            });
            cells.collect()
        });
        (texts.collect(), widths)
    }

    /// The natural widths, except for columns that give way.
    fn widths(&self, style: &Style, cells: &[Vec<(String, Option<Tone>)>]) -> Vec<usize> {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .zip(cells)
            .map(|(column, cells)| {
                let head = column.head.lines().map(columns).max().unwrap_or(0);
                let cells = cells.iter().map(|(text, _)| columns(text)).max();
                head.max(cells.unwrap_or(0)).max(1)
            })
            .collect();
        let gaps: usize = self.columns.iter().skip(1).map(|c| c.gap as usize).sum();
        let room = style.width.saturating_sub(INDENT + gaps);
        // The first column gives way last, because names are read first.
        for (i, column) in self.columns.iter().enumerate().rev() {
            let total: usize = widths.iter().sum();
            if let (Some(least), true) = (column.gives_way, total > room) {
                let others = total - widths[i];
                widths[i] = room.saturating_sub(others).clamp(least.clamp(1, widths[i]), widths[i]);
            }
        }
        widths
    }
}

/// The length of a number's fraction, including the point; `None` if the text is not a number.
fn number_tail(text: &str, tail: impl Fn(&str) -> usize) -> Option<usize> {
    let starts = text.trim_start_matches(['-', '+', '<', ' ']);
    starts.starts_with(|c: char| c.is_ascii_digit()).then(|| tail(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(width: usize) -> Style {
        Style { width, ..Style::default() }
    }

    #[test]
    fn numbers_align_at_their_points_and_groups_are_between_rows() {
        let mut table = Table::new(vec![
            Column::new("clock", Align::Left),
            Column::new("read\nns", Align::Decimal),
        ]);
        table.group("Counters", "raw ticks");
        table.row(vec!["x86/rdtsc".into(), "8.07".into()]);
        table.row(vec!["posix/monotonic".into(), "151".into()]);
        let lines = table.render(&style(80));
        assert_eq!(
            lines.join("\n"),
            "                     read\n  \
               clock                ns\n  \
               ───────────────────────\n  \
               Counters  raw ticks\n  \
               x86/rdtsc          8.07\n  \
               posix/monotonic  151   "
        );
    }

    #[test]
    fn one_column_gives_way() {
        let mut table = Table::new(vec![
            Column::new("id", Align::Left),
            Column::new("reason", Align::Left).giving_way(8),
        ]);
        table.row(vec!["a".into(), "one two three four five".into()]);
        for width in [14, 20, 40] {
            let lines = table.render(&style(width));
            assert!(lines.iter().all(|l| columns(l) <= width), "{lines:?}");
        }
    }
}
