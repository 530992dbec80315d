//! Columns of a type of row: each is described once, with what people and programs call it, and how
//! a row fills it.

use super::Detail;
use crate::block::{Align, Cell, Column, Item, Part, Rank, Row, Table};
use crate::term::Term;

/// Who sees a column.
#[derive(Clone, Copy, Default)]
struct Shown {
    brief: bool,
    full: bool,
}

/// A column of rows of type `R`.
pub(super) struct Of<R> {
    column: Column,
    shown: Shown,
    cell: fn(&R) -> Cell,
}

/// A column that is called as its term is. It is for programs only, unless [`Of::brief`] or
/// [`Of::full`] shows it to people.
pub(super) fn column<R>(key: &'static str, term: &'static Term, cell: fn(&R) -> Cell) -> Of<R> {
    let column = Column { key, ..Column::new(term) };
    Of { column, shown: Shown::default(), cell }
}

impl<R> Of<R> {
    /// Whether this page explains it.
    pub(super) fn is_about(&self, term: &'static Term) -> bool {
        std::ptr::eq(self.column.term, term)
    }

    fn with(mut self, change: impl FnOnce(&mut Column)) -> Self {
        change(&mut self.column);
        self
    }

    /// Shown in a summary.
    pub(super) fn brief(mut self) -> Self {
        self.shown.brief = true;
        self
    }

    /// Shown by the section on its own, in this part of its table.
    pub(super) fn full(mut self, part: usize) -> Self {
        self.shown.full = true;
        self.with(|column| column.part = part)
    }

    /// Names the row.
    pub(super) fn name(self, narrowest: usize) -> Self {
        self.with(|column| {
            column.rank = Rank::Name;
            column.gives_way = Some(narrowest);
        })
    }

    /// Names the row, and is never broken: it becomes a line of its own instead.
    pub(super) fn whole_name(self) -> Self {
        self.with(|column| {
            column.rank = Rank::Name;
            column.stacks = true;
        })
    }

    /// Part of the row's name, at its full width.
    pub(super) fn also_name(self) -> Self {
        self.with(|column| column.rank = Rank::Name)
    }

    /// May move to a table of its own.
    pub(super) fn more(self) -> Self {
        self.with(|column| column.rank = Rank::More)
    }

    /// Gives up its place next to the primary columns if there is no room.
    pub(super) fn spare(self) -> Self {
        self.with(|column| column.rank = Rank::Spare)
    }

    /// May be left out.
    pub(super) fn optional(self) -> Self {
        self.with(|column| column.rank = Rank::Optional)
    }

    /// With another heading.
    pub(super) fn head(self, head: &'static str) -> Self {
        self.with(|column| column.head = head.into())
    }

    /// With another heading for narrow screens.
    pub(super) fn narrow(self, head: &'static str) -> Self {
        self.with(|column| column.narrow = Some(head))
    }

    /// With a unit.
    pub(super) fn unit(self, unit: &'static str) -> Self {
        self.with(|column| column.unit = unit)
    }

    /// Aligned on the right.
    pub(super) fn right(self) -> Self {
        self.with(|column| column.align = Align::Right)
    }

    /// Aligned at the decimal point.
    pub(super) fn decimal(self) -> Self {
        self.with(|column| column.align = Align::Decimal)
    }

    /// Close to the column before it if there is little room.
    pub(super) fn close(self) -> Self {
        self.with(|column| column.gap = 1)
    }

    /// Wraps if there is no room, down to this width.
    pub(super) fn gives_way(self, to: usize) -> Self {
        self.with(|column| column.gives_way = Some(to))
    }

    /// Shows the uncertainty of its estimates.
    pub(super) fn spread(self) -> Self {
        self.with(|column| column.spread = true)
    }

    /// Gives programs all statistics of its estimates.
    pub(super) fn statistics(self) -> Self {
        self.with(|column| column.statistics = true)
    }
}

/// A table of rows of one type, under construction.
pub(super) struct Rows<R> {
    cells: Vec<fn(&R) -> Cell>,
    table: Table,
}

impl<R> Rows<R> {
    /// A table for people, with the columns of this detail; `parts` are its headings.
    pub(super) fn shown(columns: Vec<Of<R>>, detail: Detail, parts: &'static [Part]) -> Self {
        let shown = |of: &Of<R>| match detail {
            Detail::Brief => of.shown.brief,
            Detail::Full | Detail::Everything => of.shown.full,
        };
        Self::of(columns, shown, parts)
    }

    /// A table for programs.
    pub(super) fn data(columns: Vec<Of<R>>) -> Self {
        Self::of(columns, |of| !of.column.key.is_empty(), &[])
    }

    fn of(columns: Vec<Of<R>>, keep: impl Fn(&Of<R>) -> bool, parts: &'static [Part]) -> Self {
        let (columns, cells) =
            columns.into_iter().filter(keep).map(|of| (of.column, of.cell)).unzip();
        Self { cells, table: Table { parts, columns, ..Table::default() } }
    }

    /// Starts a group of rows.
    pub(super) fn group(&mut self, name: impl Into<String>, remark: impl Into<String>) {
        self.table.items.push(Item::Group { name: name.into(), remark: remark.into() });
    }

    /// Adds a row.
    pub(super) fn row(&mut self, row: &R) {
        self.add(row, false);
    }

    /// Adds a row that is marked or not.
    pub(super) fn add(&mut self, row: &R, marked: bool) {
        let cells = self.cells.iter().map(|cell| cell(row)).collect();
        self.table.items.push(Item::Row(Row { marked, cells }));
    }

    /// The table.
    pub(super) fn table(self) -> Table {
        self.table
    }

    /// The table of all these rows.
    pub(super) fn of_all<'a>(mut self, rows: impl IntoIterator<Item = &'a R>) -> Table
    where
        R: 'a,
    {
        for row in rows {
            self.row(row);
        }
        self.table
    }
}
