//! Tables as lines of text. A table is fitted to the width of a screen: in one piece if there is
//! room, otherwise without the optional columns, and if that is not enough, in several pieces, one
//! below the other, whose columns give way.

use super::pictures;
use super::style::{INDENT, Style, columns, wrap, wrap_cell};
use crate::block::chart::What;
use crate::block::{Align, Cell, Column, Item, Rank, Row, Table, Tone, Value};
use crate::clean::{clean, clean_span};
use crate::number;
use crate::section::Detail;
use std::collections::BTreeSet;

/// The width to which any column may be wrapped.
const NARROWEST: usize = 8;

/// The width of the screen that a table needs with every column at its natural width.
fn natural_width(table: &Table) -> usize {
    width(table, &natural(table, &texts(table)))
}

/// The lines of a table whose cells are [`safe`] text.
pub(super) fn table_lines(table: &Table, ruled: bool, style: &Style) -> Vec<String> {
    let texts = texts(table);
    let mut most = widths(table, &texts, style);
    // On a very narrow screen, every column gives way rather than be cut off.
    for at in (0..most.len()).rev() {
        let excess = width(table, &most).saturating_sub(style.width);
        most[at] = most[at].saturating_sub(excess).max(most[at].min(NARROWEST));
    }
    // What fits is kept as it is: the spaces in the labels of an axis count.
    let wrapped = |text: &str, most: usize| match columns(text) <= most {
        true => vec![text.to_owned()],
        false => wrap_cell(text, most),
    };
    let rows = table.rows().zip(&texts).map(|(row, texts)| {
        let cells = texts.iter().zip(&most).enumerate().map(|(at, (text, most))| {
            let tone = row.cells.get(at).and_then(|cell| cell.tone);
            let paint = |line: String| tone.map_or(line.clone(), |tone| style.paint(tone, &line));
            wrapped(text, *most).into_iter().map(paint).collect()
        });
        cells.collect()
    });
    let rows: Vec<Vec<Vec<String>>> = rows.collect();
    let heads = table.columns.iter().zip(&most).map(|(column, most)| {
        let lines = column.head.lines().flat_map(|line| wrapped(line, *most));
        lines.map(|line| style.paint(Tone::Dim, &line)).collect()
    });
    let heads: Vec<Vec<String>> = heads.collect();
    // A column that wrapped may have become narrower than it had to.
    let all = |at: usize| rows.iter().chain([&heads]).flat_map(move |row| &row[at]);
    let width_of = |at| all(at).map(|line| columns(line)).max().unwrap_or(0).max(1);
    let widths: Vec<usize> = (0..table.columns.len()).map(width_of).collect();
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

/// Text of a cell without anything that a terminal would act on, in signs that it can show. The
/// spaces at the beginning of a drawing count.
pub(super) fn safe(text: &str, style: &Style) -> String {
    style.signs(clean_span(text).trim_end())
}

/// The text of each cell; numbers are padded so that their decimal points align.
fn texts(table: &Table) -> Vec<Vec<String>> {
    let text = |cell: Option<&Cell>| match cell.map(|cell| &cell.value) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let row = |row: &Row| (0..table.columns.len()).map(|at| text(row.cells.get(at))).collect();
    let mut rows: Vec<Vec<String>> = table.rows().map(row).collect();
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

// Fits a table to the width of a screen: in one piece if there is room, otherwise without the
// optional columns, and if that is not enough, in several pieces, one below the other.

/// From this width on, columns that do not fit are shown in tables of their own, even if not
/// everything was asked for.
const WIDE: usize = 118;

/// From this width on, strips that are optional are shown if there is room.
const PICTURED: usize = 106;

/// The longest and the shortest bar, in columns.
const BAR: (usize, usize) = (40, 4);

/// The largest number of pieces in a layout of newspaper columns, and the spaces between two of
/// them.
const PIECES: usize = 3;
const BETWEEN: usize = 4;

/// How much room a table takes.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    /// Figures at their decimal points, and two spaces between columns.
    Loose,
    /// Figures at their decimal points, and columns close together.
    Close,
    /// Figures on the right, columns close together, narrow headings.
    Tight,
}

/// A piece of a table that fits, with the heading above it and a remark after that.
pub(super) struct Laid {
    pub(super) title: String,
    pub(super) remark: String,
    pub(super) table: Table,
    /// What the marks of its strips stand for.
    pub(super) marks: BTreeSet<What>,
}

/// The pieces of a table; none if it has no row.
pub(super) fn laid(table: &Table, detail: Detail, style: &Style) -> Vec<Laid> {
    if table.is_empty() {
        return Vec::new();
    }
    let fitted = Fitted { table, style };
    if table.flows {
        let (title, remark, marks) = Default::default();
        return vec![Laid { title, remark, table: fitted.flowing(), marks }];
    }
    if let Some(stacked) = fitted.stacked() {
        return laid(&stacked, detail, style);
    }
    if let Some(folded) = fitted.folded() {
        return laid(&folded, detail, style);
    }
    let piece = |piece: Piece| {
        let piece = fitted.pictured(piece);
        let (title, remark) = fitted.heading(&piece);
        let strips = piece.iter().flat_map(|at| pictures::strips_of_column(table, *at));
        let marks = strips.flatten().map(|mark| mark.what).collect();
        Laid { title, remark, table: fitted.nicest(&piece), marks }
    };
    fitted.pieces(detail).into_iter().map(piece).collect()
}

/// Columns of a table, by position.
type Piece = Vec<usize>;

struct Fitted<'a> {
    table: &'a Table,
    style: &'a Style,
}

impl Fitted<'_> {
    /// The columns of these ranks that are not optional strips, sorted by their parts. Stacks are
    /// not drawn in characters.
    fn columns(&self, ranks: &[Rank]) -> Piece {
        let columns = &self.table.columns;
        let ranked = |at: &usize| {
            ranks.contains(&columns[*at].rank)
                && !(columns[*at].rank == Rank::Optional && self.is_strip(*at))
                && !self.table.column(*at).any(|cell| matches!(cell.value, Value::Stack(_)))
        };
        let mut ranked: Piece = (0..columns.len()).filter(ranked).collect();
        ranked.sort_by_key(|at| columns[*at].part);
        ranked
    }

    fn is_strip(&self, at: usize) -> bool {
        pictures::strips_of_column(self.table, at).next().is_some()
    }

    /// The piece with the optional strips of its parts, if there is room on a wide screen. Nothing
    /// gives way to them.
    fn pictured(&self, mut piece: Piece) -> Piece {
        let columns = &self.table.columns;
        let optional = |at: &usize| columns[*at].rank == Rank::Optional && self.is_strip(*at);
        for at in (0..columns.len()).filter(optional) {
            if self.style.width < PICTURED
                || !piece.iter().any(|other| columns[*other].part == columns[at].part)
            {
                continue;
            }
            let mut with = piece.clone();
            with.push(at);
            with.sort_unstable_by_key(|at| (columns[*at].part, *at));
            if natural_width(&self.built(&with, Look::Close)) <= self.style.width {
                piece = with;
            }
        }
        piece
    }

    /// A table with strips whose only group becomes the heading of its names, if there is room.
    fn folded(&self) -> Option<Table> {
        let groups = |table: &Table| {
            table.items.iter().filter(|item| matches!(item, Item::Group { .. })).count()
        };
        let name = self.table.columns.first()?;
        let strip = self.columns(&[Rank::Primary]).into_iter().any(|at| self.is_strip(at));
        let Some(Item::Group { name: group, remark }) = self.table.items.first() else {
            return None;
        };
        if !strip || groups(self.table) != 1 || name.rank != Rank::Name {
            return None;
        }
        let mut folded = self.table.clone();
        let parts = [group.as_str(), remark.as_str()].into_iter().filter(|it| !it.is_empty());
        folded.columns[0].head = parts.collect::<Vec<_>>().join(", ").into();
        folded.columns[0].narrow = None;
        folded.items.remove(0);
        let fitted = Fitted { table: &folded, style: self.style };
        let primary = self.columns(&[Rank::Primary]);
        (fitted.fits(&primary)).then_some(folded)
    }

    /// How the columns are distributed: all in one piece if there is room.
    fn pieces(&self, detail: Detail) -> Vec<Piece> {
        let all = self.columns(&[Rank::Primary, Rank::Spare, Rank::More, Rank::Optional]);
        let needed = self.columns(&[Rank::Primary, Rank::Spare, Rank::More]);
        for whole in [all, needed] {
            if self.fits(&whole) {
                return vec![whole];
            }
        }
        let mut first = self.columns(&[Rank::Primary, Rank::Spare]);
        let spare = |at: &usize| self.table.columns[*at].rank == Rank::Spare;
        while !self.fits(&first)
            && let Some(at) = first.iter().position(spare)
        {
            first.remove(at);
        }
        let mut rest = self.columns(&[Rank::Spare, Rank::More]);
        rest.retain(|at| !first.contains(at));
        let mut pieces = self.packed(&first);
        if detail == Detail::Everything || self.style.width >= WIDE {
            pieces.extend(self.packed(&rest));
        }
        pieces
    }

    /// The table with a name on a line of its own above its rows, if a column allows that and the
    /// most important columns do not fit next to it.
    fn stacked(&self) -> Option<Table> {
        let at = self.table.columns.iter().position(|column| column.stacks)?;
        if self.fits(&self.columns(&[Rank::Primary])) {
            return None;
        }
        let mut stacked = self.table.clone();
        stacked.columns.remove(at);
        stacked.items.clear();
        let mut above = None;
        for mut item in self.table.items.iter().cloned() {
            match &mut item {
                Item::Group { .. } => above = None,
                Item::Row(row) if at < row.cells.len() => {
                    let name = number::of_cell(&row.cells.remove(at)).value;
                    // A name that is not repeated is that of the row above.
                    if !name.is_empty() && above.as_ref() != Some(&name) {
                        above = Some(name.clone());
                        stacked.items.push(Item::Group { name, remark: String::new() });
                    }
                }
                Item::Row(_) => {}
            }
            stacked.items.push(item);
        }
        Some(stacked)
    }

    fn fits(&self, piece: &[usize]) -> bool {
        natural_width(&self.built(piece, Look::Tight)) <= self.style.width
    }

    fn fits_by_giving_way(&self, piece: &[usize]) -> bool {
        let table = self.built(piece, Look::Tight);
        width(&table, &widths(&table, &texts(&table), self.style)) <= self.style.width
    }

    /// Packs the columns into as few pieces as there is room for. Columns of one part stay together
    /// if possible.
    fn packed(&self, columns: &[usize]) -> Vec<Piece> {
        if !columns.is_empty() && self.table.parts.is_empty() && self.fits_by_giving_way(columns) {
            return vec![columns.to_vec()];
        }
        let part = |at: &usize| self.table.columns[*at].part;
        let mut pieces: Vec<Piece> = Vec::new();
        for part in columns.chunk_by(|a, b| part(a) == part(b)) {
            match pieces.last_mut() {
                Some(last) if self.fits(&[last, part].concat()) => last.extend(part),
                _ if self.fits_by_giving_way(part) => pieces.push(part.to_vec()),
                _ => pieces.extend(self.broken(part)),
            }
        }
        pieces
    }

    /// Breaks up columns that do not fit into one piece in the tightest look.
    fn broken(&self, columns: &[usize]) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for &at in columns {
            match pieces.last_mut() {
                Some(last) if self.fits_by_giving_way(&[last, &[at][..]].concat()) => last.push(at),
                _ => pieces.push(vec![at]),
            }
        }
        pieces
    }

    /// The headings of the parts in a piece, and the remarks after them.
    fn heading(&self, piece: &[usize]) -> (String, String) {
        let mut held: Vec<usize> = piece.iter().map(|at| self.table.columns[*at].part).collect();
        held.dedup();
        let parts = held.iter().filter_map(|part| self.table.parts.get(*part));
        let (titles, mut remarks): (Vec<&str>, Vec<&str>) =
            parts.map(|part| (part.title, part.remark)).unzip();
        remarks.retain(|remark| !remark.is_empty());
        (titles.join(", "), remarks.join("; "))
    }

    /// The piece in the most generous look that fits.
    fn nicest(&self, piece: &[usize]) -> Table {
        let mut looks = [Look::Loose, Look::Close].map(|look| self.built(piece, look)).into_iter();
        let fits = |table: &Table| natural_width(table) <= self.style.width;
        looks.find(fits).unwrap_or_else(|| self.built(piece, Look::Tight))
    }

    /// The columns that name the row and those of the piece, as they are drawn: with a mark in
    /// front, and each uncertainty in a column of its own.
    fn built(&self, piece: &[usize], look: Look) -> Table {
        let mut columns = self.columns(&[Rank::Name]);
        columns.sort_unstable();
        columns.extend(piece);
        let marks = self.table.rows().any(|row| row.marked);
        let mut built = Table::default();
        if marks {
            built.columns.push(Column::new(""));
        }
        for &at in &columns {
            let head = self.head(&self.table.columns[at], look);
            let axis = pictures::strip_axis(self.table, at);
            let head = axis.map_or(head.clone(), |axis| Column {
                head: pictures::strip_labels(&axis, 0).into(),
                axis: Some(axis),
                ..head
            });
            built.columns.push(if marks && built.columns.len() == 1 { head.close() } else { head });
            if self.table.columns[at].spread {
                built.columns.push(Column::new(self.style.signs("±")).close());
            }
        }
        let fill = |room: usize| {
            let items = self.table.items.iter().map(|item| match item {
                Item::Row(row) => Item::from(self.row(row, &columns, marks, room)),
                group @ Item::Group { .. } => group.clone(),
            });
            items.collect()
        };
        built.items = fill(0);
        let rest = || self.style.width.saturating_sub(natural_width(&built));
        let has_bar = |at| self.table.column(at).any(|cell| matches!(cell.value, Value::Bar(_)));
        let strips = columns.iter().filter(|at| self.is_strip(**at)).count();
        if let Some(more) = rest().checked_div(strips) {
            // Each is at its narrowest, and its labels may be longer than that.
            let room = more + pictures::NARROWEST;
            for column in &mut built.columns {
                if let Some(axis) = &column.axis {
                    column.head = pictures::strip_labels(axis, room).into();
                }
            }
            built.items = fill(room);
        } else if columns.iter().any(|at| has_bar(*at)) {
            built.items = fill(rest().clamp(BAR.1, BAR.0));
        }
        built
    }

    fn head(&self, column: &Column, look: Look) -> Column {
        let name = match (look, column.narrow) {
            _ if self.table.headless => "",
            (Look::Tight | Look::Close, Some(narrow)) => narrow,
            _ => &column.head,
        };
        let lines = name.lines().chain([column.unit].into_iter().filter(|unit| !unit.is_empty()));
        let head = lines.map(clean).collect::<Vec<_>>().join("\n");
        let align = match (column.align, look) {
            (Align::Decimal, Look::Tight) => Align::Right,
            (align, _) => align,
        };
        let gap = if look == Look::Loose { column.gap.max(2) } else { column.gap };
        Column { head: self.style.signs(&head).into(), align, gap, ..column.clone() }
    }

    /// The cells of a row; its bars and strips, of which a table has one kind, have so much room.
    fn row(&self, row: &Row, columns: &[usize], marks: bool, room: usize) -> Vec<Cell> {
        let mut cells = Vec::new();
        if marks {
            cells.push(self.cell(if row.marked { "▸" } else { "" }).toned(Tone::Good));
        }
        for (nth, &at) in columns.iter().enumerate() {
            let cell = row.cells.get(at).cloned().unwrap_or_default();
            let shown = number::of_cell(&cell);
            let text = match &cell.value {
                Value::Bar(share) if cell.words.is_none() => self.style.bar(*share, room),
                Value::Strip(marks) => pictures::strip_axis(self.table, at)
                    .map_or(String::new(), |axis| pictures::strip_line(marks, &axis, room)),
                _ => shown.value,
            };
            let tone = if row.marked && nth == 0 { Some(Tone::Strong) } else { cell.tone };
            cells.push(Cell { tone, ..self.cell(&text) });
            if self.table.columns[at].spread {
                cells.push(self.cell(&shown.spread).toned(Tone::Dim));
            }
        }
        cells
    }

    fn cell(&self, text: &str) -> Cell {
        Cell::text(safe(text, self.style))
    }

    /// The table with as many pieces of its rows next to each other as there is room for.
    fn flowing(&self) -> Table {
        let wider = (2..=PIECES).rev().map(|pieces| self.flown(pieces));
        let fits = |table: &Table| natural_width(table) <= self.style.width;
        wider.into_iter().find(fits).unwrap_or_else(|| self.flown(1))
    }

    fn flown(&self, pieces: usize) -> Table {
        let columns: Piece = (0..self.table.columns.len()).collect();
        let rows: Vec<&Row> = self.table.rows().collect();
        let height = rows.len().div_ceil(pieces).max(1);
        let mut flown = Table::default();
        for piece in 0..pieces {
            let first = if piece == 0 { 0 } else { BETWEEN };
            flown.columns.push(Column { gap: first, ..Column::new("") });
            for (nth, column) in self.table.columns.iter().enumerate() {
                let head = self.head(column, Look::Loose);
                flown.columns.push(if nth == 0 { head.close() } else { head });
            }
        }
        for line in 0..height {
            let of_line = (0..pieces).filter_map(|piece| rows.get(piece * height + line));
            let cells = of_line.flat_map(|row| self.row(row, &columns, true, 0));
            flown.items.push(cells.collect::<Vec<_>>().into());
        }
        flown
    }
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
            table_lines(&table, true, &Style::default()).join("\n"),
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
            let lines = table_lines(&table, true, &Style { width, ..Style::default() });
            assert!(lines.iter().all(|line| columns(line) <= width), "{lines:?}");
        }
    }
}
