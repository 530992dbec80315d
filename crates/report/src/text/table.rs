//! A table as lines of text: columns with headings, groups of rows, and columns that give way if
//! the screen is narrow.

use super::style::{INDENT, Style, columns};
use super::wrapping::{wrap, wrap_cell};
use crate::block::{Align, Cell, Item, Table, Tone};
use crate::clean::{clean, clean_span};
use crate::number;

/// The width to which any column may be wrapped.
const NARROWEST: usize = 8;

/// The width of the screen that a table needs with every column at its natural width.
pub(super) fn natural_width(table: &Table, style: &Style) -> usize {
    width(table, &natural(table, &texts(table, style)))
}

/// Whether a table is no wider than the screen after columns have given way.
pub(super) fn fits_by_giving_way(table: &Table, style: &Style) -> bool {
    width(table, &widths(table, &texts(table, style), style)) <= style.width
}

pub(super) fn lines(table: &Table, ruled: bool, style: &Style) -> Vec<String> {
    let texts = texts(table, style);
    let mut most = widths(table, &texts, style);
    // On a very narrow screen, every column gives way rather than be cut off.
    for at in (0..most.len()).rev() {
        let excess = width(table, &most).saturating_sub(style.width);
        most[at] = most[at].saturating_sub(excess).max(most[at].min(NARROWEST));
    }
    let empty = Cell::default();
    let rows = table.rows().zip(&texts).map(|(row, texts)| {
        let cells = texts.iter().zip(&most).enumerate().map(|(at, (text, most))| {
            let wrapped = match columns(text) > *most {
                true => wrap_cell(text, *most),
                false => vec![text.clone()],
            };
            let tone = row.cells.get(at).unwrap_or(&empty).tone;
            let paint = |line: String| tone.map_or(line.clone(), |tone| style.paint(tone, &line));
            wrapped.into_iter().map(paint).collect()
        });
        cells.collect()
    });
    let rows: Vec<Vec<Vec<String>>> = rows.collect();
    let paint = |line: &str| style.paint(Tone::Dim, line);
    let heads = table.columns.iter().zip(&most).map(|(column, most)| {
        let lines = column.head.lines();
        // The spaces in the labels of an axis count.
        let whole = |line: &str| match columns(line) <= *most {
            true => vec![line.to_owned()],
            false => wrap_cell(line, *most),
        };
        lines.flat_map(whole).map(|line| paint(&line)).collect()
    });
    let heads: Vec<Vec<String>> = heads.collect();
    // A column that wrapped may have become narrower than it had to.
    let all = || rows.iter().chain([&heads]);
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|at| {
            all().flat_map(|row| &row[at]).map(|line| columns(line)).max().unwrap_or(0).max(1)
        })
        .collect();
    let mut out = Vec::new();
    let height = heads.iter().map(Vec::len).max().unwrap_or(0);
    if height > 0 {
        let bottom = heads.into_iter().map(|mut head| {
            let blank = vec![String::new(); height - head.len()];
            head.splice(0..0, blank);
            head
        });
        out.extend(aligned(table, &bottom.collect::<Vec<_>>(), &widths));
        if ruled {
            let whole = (width(table, &widths) - INDENT).min(style.width.saturating_sub(INDENT));
            let rule = ruler(table, &widths, whole);
            out.push(" ".repeat(INDENT) + &style.paint(Tone::Dim, &style.signs(&rule)));
        }
    }
    let mut rows = rows.into_iter();
    let shown = |tone, text: &str| style.paint(tone, &style.signs(&clean(text)));
    for item in &table.items {
        match item {
            Item::Group { name, remark } => {
                let (name, remark) = (shown(Tone::Strong, name), shown(Tone::Dim, remark));
                let [first, rest] = [INDENT, 2 * INDENT].map(|spaces| " ".repeat(spaces));
                out.extend(wrap(&format!("{name}  {remark}"), style.width, &first, &rest));
            }
            Item::Row(_) => {
                out.extend(rows.next().iter().flat_map(|row| aligned(table, row, &widths)))
            }
        }
    }
    out
}

/// The line below the headings, with a tick where a label of an axis begins.
fn ruler(table: &Table, widths: &[usize], whole: usize) -> String {
    let mut rule = vec!['─'; whole];
    let mut start = 0;
    for (nth, (column, width)) in table.columns.iter().zip(widths).enumerate() {
        start += if nth == 0 { 0 } else { column.gap };
        if column.axis.is_some() {
            let mut before = ' ';
            for (at, c) in column.head.chars().enumerate() {
                if let (true, Some(cell)) = (before == ' ' && c != ' ', rule.get_mut(start + at)) {
                    *cell = '┬';
                }
                before = c;
            }
        }
        start += width;
    }
    rule.into_iter().collect()
}

/// One row, whose cells may have several lines.
fn aligned(table: &Table, cells: &[Vec<String>], widths: &[usize]) -> Vec<String> {
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    let line = |nth: usize| {
        let mut out = String::new();
        for (at, (column, lines)) in table.columns.iter().zip(cells).enumerate() {
            let text = lines.get(nth).map_or("", String::as_str);
            let before = " ".repeat(if at == 0 { INDENT } else { column.gap });
            let pad = " ".repeat(widths[at] - columns(text));
            out += &match column.align {
                Align::Left => [&before, text, &pad].concat(),
                Align::Right | Align::Decimal => [&before, &pad, text].concat(),
            };
        }
        out
    };
    (0..height).map(line).collect()
}

/// The text of each cell; numbers are padded so that their decimal points align.
fn texts(table: &Table, style: &Style) -> Vec<Vec<String>> {
    // The spaces at the beginning of a drawing count.
    let shown = |cell: &Cell| style.signs(clean_span(&number::of_cell(cell).value).trim_end());
    let cell = |row: &[Cell], at: usize| row.get(at).map_or(String::new(), shown);
    let at = 0..table.columns.len();
    let row = |cells: &[Cell]| at.clone().map(|at| cell(cells, at)).collect();
    let mut rows: Vec<Vec<String>> = table.rows().map(|it| row(&it.cells)).collect();
    let columns = table.columns.iter().enumerate();
    for (at, _) in columns.filter(|(_, column)| column.align == Align::Decimal) {
        let longest = rows.iter().filter_map(|row| tail(&row[at])).max().unwrap_or(0);
        for row in &mut rows {
            let missing = tail(&row[at]).map_or(0, |own| longest - own);
            row[at].push_str(&" ".repeat(missing));
        }
    }
    rows
}

/// The length of a number's fraction, including the point; `None` if the text is not a number.
fn tail(text: &str) -> Option<usize> {
    let starts = text.trim_start_matches(['-', '+', '<', ' ']);
    let is_number = starts.starts_with(|c: char| c.is_ascii_digit());
    is_number.then(|| text.find('.').map_or(0, |dot| columns(&text[dot..])))
}

fn natural(table: &Table, texts: &[Vec<String>]) -> Vec<usize> {
    let head = |at: usize| table.columns[at].head.lines().map(columns).max().unwrap_or(0);
    let cells = |at: usize| texts.iter().map(|row| columns(&row[at])).max().unwrap_or(0);
    (0..table.columns.len()).map(|at| head(at).max(cells(at)).max(1)).collect()
}

/// The natural widths, except for columns that give way. The first column gives way last, because
/// names are read first.
fn widths(table: &Table, texts: &[Vec<String>], style: &Style) -> Vec<usize> {
    let mut widths = natural(table, texts);
    for (at, column) in table.columns.iter().enumerate().rev() {
        let excess = width(table, &widths).saturating_sub(style.width);
        if let (Some(least), 1..) = (column.gives_way, excess) {
            let own = widths[at];
            widths[at] = own.saturating_sub(excess).clamp(least.clamp(1, own), own);
        }
    }
    widths
}

fn width(table: &Table, widths: &[usize]) -> usize {
    let gaps: usize = table.columns.iter().skip(1).map(|column| column.gap).sum();
    INDENT + gaps + widths.iter().sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Column;

    #[test]
    fn numbers_align_at_their_points_and_groups_are_between_rows() {
        let group = Item::Group { name: "Counters".into(), remark: "raw ticks".into() };
        let row = |id: &str, ns: &str| Item::from([id, ns].map(Cell::text).to_vec());
        let table = Table {
            columns: vec![Column::new("clock"), Column::new("read\nns").decimal()],
            items: vec![group, row("x86/rdtsc", "8.07"), row("posix/monotonic", "151")],
            ..Table::default()
        };
        assert_eq!(
            lines(&table, true, &Style::default()).join("\n"),
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
        let table = Table {
            columns: vec![Column::new("id"), Column::new("reason").gives_way(8)],
            items: vec![["a", "one two three four five"].map(Cell::text).to_vec().into()],
            ..Table::default()
        };
        for width in [14, 20, 40] {
            let lines = lines(&table, true, &Style { width, ..Style::default() });
            assert!(lines.iter().all(|line| columns(line) <= width), "{lines:?}");
        }
    }
}
