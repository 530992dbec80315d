//! Fits a table to the width of a screen: in one piece if there is room, otherwise without the
//! optional columns, and if that is not enough in several pieces below each other.

use super::screen::Screen;
use super::style::Style;
use super::table::{self, Cell, Table};
use crate::block::{self, Align, Column, Item, Rank, Tone, Value};
use crate::clean::clean;
use crate::section::Detail;
use crate::words;

/// From this width on, columns that do not fit are shown in tables of their own, even if not
/// everything was asked for.
const WIDE: usize = 118;

/// The longest and the shortest bar, in columns.
const BAR: (usize, usize) = (40, 4);

/// The most pieces in a layout of newspaper columns, and the spaces between two of them.
const PIECES: usize = 3;
const BETWEEN: u16 = 4;

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

const LOOKS: [Look; 3] = [Look::Loose, Look::Close, Look::Tight];

/// Adds a table to a screen.
pub(super) fn draw(screen: &mut Screen, table: &block::Table, detail: Detail, style: &Style) {
    if table.is_empty() {
        return;
    }
    let fitted = Fitted { table, style };
    if table.flows {
        screen.gap();
        screen.table(&fitted.flowing());
        return;
    }
    if let Some(stacked) = fitted.stacked() {
        draw(screen, &stacked, detail, style);
        return;
    }
    for piece in fitted.pieces(detail) {
        let (title, remark) = fitted.heading(&piece);
        if !title.is_empty() {
            screen.heading(&title, &style.paint(Tone::Dim, &style.signs(&remark)));
        }
        if !table.headless {
            screen.gap();
        }
        screen.table(&fitted.nicest(&piece));
    }
}

/// Columns of a table, by their place in it.
type Piece = Vec<usize>;

struct Fitted<'a> {
    table: &'a block::Table,
    style: &'a Style,
}

impl Fitted<'_> {
    fn column(&self, at: usize) -> &Column {
        &self.table.columns[at]
    }

    /// The columns of these ranks, sorted by their parts, without those that name the row.
    fn columns(&self, ranks: &[Rank]) -> Piece {
        let columns = 0..self.table.columns.len();
        let mut columns: Piece =
            columns.filter(|at| ranks.contains(&self.column(*at).rank)).collect();
        columns.sort_by_key(|at| self.column(*at).part);
        columns
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
        let first = self.columns(&[Rank::Primary, Rank::Spare]);
        let (mut pieces, rest) = match self.fits(&first) {
            true => (vec![first], self.columns(&[Rank::More])),
            false => (
                self.packed(&self.columns(&[Rank::Primary])),
                self.columns(&[Rank::Spare, Rank::More]),
            ),
        };
        if detail == Detail::Everything || self.style.width >= WIDE {
            pieces.extend(self.packed(&rest));
        }
        pieces
    }

    /// The table with a name on a line of its own above its rows, if a column allows that and the
    /// most important columns do not fit next to it.
    fn stacked(&self) -> Option<block::Table> {
        let at = self.table.columns.iter().position(|column| column.stacks)?;
        if self.fits(&self.columns(&[Rank::Primary])) {
            return None;
        }
        let mut stacked = self.table.clone();
        stacked.columns.remove(at);
        stacked.items.clear();
        let mut above = None;
        for item in &self.table.items {
            let Item::Row(row) = item else {
                above = None;
                stacked.items.push(item.clone());
                continue;
            };
            let mut row = row.clone();
            let name = match at < row.cells.len() {
                true => words::of(&row.cells.remove(at)).value,
                false => String::new(),
            };
            // A name that is not repeated is that of the row above.
            if !name.is_empty() && above.as_ref() != Some(&name) {
                above = Some(name.clone());
                let remark = String::new();
                stacked.items.push(Item::Group { name, remark });
            }
            stacked.items.push(Item::Row(row));
        }
        Some(stacked)
    }

    fn fits(&self, piece: &[usize]) -> bool {
        LOOKS.iter().any(|look| self.built(piece, *look).fits(self.style))
    }

    /// Packs the columns into as few pieces as there is room for. Columns of one part stay together
    /// if possible.
    fn packed(&self, columns: &[usize]) -> Vec<Piece> {
        if columns.is_empty() {
            return Vec::new();
        }
        let whole = self.built(columns, Look::Tight);
        if self.table.parts.is_empty() && whole.fits_by_giving_way(self.style) {
            return vec![columns.to_vec()];
        }
        let parts = columns.chunk_by(|a, b| self.column(*a).part == self.column(*b).part);
        let mut pieces: Vec<Piece> = Vec::new();
        for part in parts {
            let last = pieces.last().cloned().unwrap_or_default();
            let together = [&last, part].concat();
            if !last.is_empty() && self.fits(&together) {
                pieces.pop();
                pieces.push(together);
            } else if self.built(part, Look::Tight).fits_by_giving_way(self.style) {
                pieces.push(part.to_vec());
            } else {
                pieces.extend(self.broken(part));
            }
        }
        pieces
    }

    /// Breaks up columns that do not fit into one piece in the tightest look.
    fn broken(&self, columns: &[usize]) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for &at in columns {
            let last = pieces.last().cloned().unwrap_or_default();
            let together = [last.as_slice(), &[at]].concat();
            let fits = self.built(&together, Look::Tight).fits_by_giving_way(self.style);
            if fits && !last.is_empty() {
                pieces.pop();
                pieces.push(together);
            } else {
                pieces.push(vec![at]);
            }
        }
        pieces
    }

    /// The headings of the parts in a piece, and the remarks after them.
    fn heading(&self, piece: &[usize]) -> (String, String) {
        let mut held: Vec<usize> = piece.iter().map(|at| self.column(*at).part).collect();
        held.dedup();
        let parts = held.iter().filter_map(|part| self.table.parts.get(*part));
        let (titles, remarks): (Vec<&str>, Vec<&str>) =
            parts.map(|part| (part.title, part.remark)).unzip();
        let remarks: Vec<&str> = remarks.into_iter().filter(|r| !r.is_empty()).collect();
        (titles.join(", "), remarks.join("; "))
    }

    /// The piece in the most generous look that fits.
    fn nicest(&self, piece: &[usize]) -> Table {
        let mut looks = LOOKS.iter().map(|look| self.built(piece, *look));
        looks.find(|table| table.fits(self.style)).unwrap_or_else(|| self.built(piece, Look::Tight))
    }

    fn built(&self, piece: &[usize], look: Look) -> Table {
        let names = (0..self.table.columns.len()).filter(|at| self.column(*at).rank == Rank::Name);
        let columns: Piece = names.chain(piece.iter().copied()).collect();
        let marks = self.table.rows().any(|row| row.marked);
        let mut heads = Vec::new();
        if marks {
            heads.push(table::Column::new("", Align::Left));
        }
        for &at in &columns {
            let head = self.head(at, look);
            heads.push(match marks && heads.len() == 1 {
                true => head.gap(1),
                false => head,
            });
            if self.column(at).spread {
                let sign = self.style.signs("±");
                heads.push(table::Column::new(&sign, Align::Left).gap(1));
            }
        }
        let bar = columns.iter().copied().find(|at| self.is_bar(*at));
        let mut built = Table::new(heads.clone());
        self.fill(&mut built, &columns, marks, 0);
        if bar.is_some() {
            let rest = self.style.width.saturating_sub(built.natural_width());
            built = Table::new(heads);
            self.fill(&mut built, &columns, marks, rest.clamp(BAR.1, BAR.0));
        }
        built
    }

    fn is_bar(&self, at: usize) -> bool {
        let mut cells = self.table.rows().filter_map(|row| row.cells.get(at));
        cells.any(|cell| matches!(cell.value, Value::Bar(_)))
    }

    fn head(&self, at: usize, look: Look) -> table::Column {
        let column = self.column(at);
        let name = match (look, column.narrow) {
            _ if self.table.headless => "",
            (Look::Tight | Look::Close, Some(narrow)) => narrow,
            _ => &column.head,
        };
        let head = match column.unit {
            "" => clean_lines(name),
            unit => format!("{}\n{unit}", clean_lines(name)),
        };
        let align = match (column.align, look) {
            (Align::Decimal, Look::Tight) => Align::Right,
            (align, _) => align,
        };
        let gap = match look {
            Look::Loose => column.gap.max(2),
            Look::Close | Look::Tight => column.gap,
        };
        let head = table::Column::new(&self.style.signs(&head), align).gap(gap);
        match column.gives_way {
            Some(to) => head.giving_way(to),
            None => head,
        }
    }

    fn fill(&self, built: &mut Table, columns: &[usize], marks: bool, bar: usize) {
        for item in &self.table.items {
            match item {
                Item::Group { name, remark } => {
                    let shown = |text: &str| self.style.signs(&clean(text));
                    built.group(&shown(name), &shown(remark));
                }
                Item::Row(row) => built.row(self.row(row, columns, marks, bar)),
            }
        }
    }

    fn row(&self, row: &block::Row, columns: &[usize], marks: bool, bar: usize) -> Vec<Cell> {
        let mut cells = Vec::new();
        if marks {
            let mark = if row.marked { self.style.signs("▸") } else { String::new() };
            cells.push(Cell::toned(Tone::Good, mark));
        }
        for (nth, &at) in columns.iter().enumerate() {
            let empty = block::Cell::default();
            let cell = row.cells.get(at).unwrap_or(&empty);
            let shown = words::of(cell);
            let text = match cell.value {
                Value::Bar(share) if cell.words.is_none() => self.style.bar(share, bar),
                _ => self.style.signs(&clean(&shown.value)),
            };
            let tone = match row.marked && nth == 0 {
                true => Some(Tone::Strong),
                false => cell.tone,
            };
            cells.push(match tone {
                Some(tone) => Cell::toned(tone, text),
                None => text.into(),
            });
            if self.column(at).spread {
                cells.push(Cell::toned(Tone::Dim, shown.spread));
            }
        }
        cells
    }

    /// The table with as many pieces of its rows side by side as there is room for.
    fn flowing(&self) -> Table {
        let columns: Piece = (0..self.table.columns.len()).collect();
        let mut flowing = self.flown(&columns, 1);
        for pieces in 2..=PIECES {
            let wider = self.flown(&columns, pieces);
            if wider.fits(self.style) {
                flowing = wider;
            }
        }
        flowing
    }

    fn flown(&self, columns: &[usize], pieces: usize) -> Table {
        let rows: Vec<&block::Row> = self.table.rows().collect();
        let height = rows.len().div_ceil(pieces).max(1);
        let mut heads = Vec::new();
        for piece in 0..pieces {
            let first = if piece == 0 { 0 } else { BETWEEN };
            heads.push(table::Column::new("", Align::Left).gap(first));
            for (nth, &at) in columns.iter().enumerate() {
                let head = self.head(at, Look::Loose);
                heads.push(if nth == 0 { head.gap(1) } else { head });
            }
        }
        let mut built = Table::new(heads);
        for line in 0..height {
            let of_line = (0..pieces).filter_map(|piece| rows.get(piece * height + line));
            built.row(of_line.flat_map(|row| self.row(row, columns, true, 0)).collect());
        }
        built
    }
}

/// A heading made safe, line by line.
fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}
