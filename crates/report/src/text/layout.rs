//! Fits a table to the width of a screen: in one piece if there is room, otherwise without the
//! optional columns, and if that is not enough, in several pieces, one below the other.

use super::style::Style;
use super::table::{fits_by_giving_way, natural_width};
use crate::block::{Align, Cell, Column, Item, Rank, Row, Table, Tone, Value};
use crate::clean::clean;
use crate::number;
use crate::section::Detail;

/// From this width on, columns that do not fit are shown in tables of their own, even if not
/// everything was asked for.
const WIDE: usize = 118;

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
}

/// The pieces of a table; none if it has no row.
pub(super) fn laid(table: &Table, detail: Detail, style: &Style) -> Vec<Laid> {
    if table.is_empty() {
        return Vec::new();
    }
    let fitted = Fitted { table, style };
    if table.flows {
        let (title, remark) = (String::new(), String::new());
        return vec![Laid { title, remark, table: fitted.flowing() }];
    }
    if let Some(stacked) = fitted.stacked() {
        return laid(&stacked, detail, style);
    }
    let piece = |piece: Piece| {
        let (title, remark) = fitted.heading(&piece);
        Laid { title, remark, table: fitted.nicest(&piece) }
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
    /// The columns of these ranks, sorted by their parts.
    fn columns(&self, ranks: &[Rank]) -> Piece {
        let columns = &self.table.columns;
        let ranked = |at: &usize| ranks.contains(&columns[*at].rank);
        let mut ranked: Piece = (0..columns.len()).filter(ranked).collect();
        ranked.sort_by_key(|at| columns[*at].part);
        ranked
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
        natural_width(&self.built(piece, Look::Tight), self.style) <= self.style.width
    }

    fn fits_by_giving_way(&self, piece: &[usize]) -> bool {
        fits_by_giving_way(&self.built(piece, Look::Tight), self.style)
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
        let fits = |table: &Table| natural_width(table, self.style) <= self.style.width;
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
            built.columns.push(if marks && built.columns.len() == 1 { head.close() } else { head });
            if self.table.columns[at].spread {
                built.columns.push(Column::new(self.style.signs("±")).close());
            }
        }
        let fill = |bar: usize| {
            let items = self.table.items.iter().map(|item| match item {
                Item::Row(row) => Item::from(self.row(row, &columns, marks, bar)),
                group @ Item::Group { .. } => group.clone(),
            });
            items.collect()
        };
        built.items = fill(0);
        if self.table.rows().any(|row| columns.iter().any(|at| is_bar(row, *at))) {
            let rest = self.style.width.saturating_sub(natural_width(&built, self.style));
            built.items = fill(rest.clamp(BAR.1, BAR.0));
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

    fn row(&self, row: &Row, columns: &[usize], marks: bool, bar: usize) -> Vec<Cell> {
        let mut cells = Vec::new();
        if marks {
            cells.push(Cell::text(if row.marked { "▸" } else { "" }).toned(Tone::Good));
        }
        for (nth, &at) in columns.iter().enumerate() {
            let cell = row.cells.get(at).cloned().unwrap_or_default();
            let shown = number::of_cell(&cell);
            let text = match cell.value {
                Value::Bar(share) if cell.words.is_none() => self.style.bar(share, bar),
                _ => shown.value,
            };
            let tone = if row.marked && nth == 0 { Some(Tone::Strong) } else { cell.tone };
            cells.push(Cell { tone, ..Cell::text(text) });
            if self.table.columns[at].spread {
                cells.push(Cell::text(shown.spread).toned(Tone::Dim));
            }
        }
        cells
    }

    /// The table with as many pieces of its rows next to each other as there is room for.
    fn flowing(&self) -> Table {
        let wider = (2..=PIECES).rev().map(|pieces| self.flown(pieces));
        let fits = |table: &Table| natural_width(table, self.style) <= self.style.width;
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

fn is_bar(row: &Row, at: usize) -> bool {
    row.cells.get(at).is_some_and(|cell| matches!(cell.value, Value::Bar(_)))
}
