//! Columns of a type of row: each is described once, with its names for people and for programs,
//! and how a row fills it.

use super::Detail;
use crate::block::{Cell, Column, Item, Part, Row, Table};

/// A column of rows of type `R`, and its cell of a row.
pub(crate) struct Spec<R> {
    pub(crate) column: Column,
    pub(crate) cell: fn(&R) -> Cell,
}

/// Columns of one type of row, each with its key for programs (empty if it is for people only), its
/// name for people, how it is shown (methods of [`Column`]), and its cell:
///
/// ```text
/// columns! { clock in Clock;
///     "bits" "bits" [full part(TRUST) right close] Cell::count(clock.bits);
/// }
/// ```
macro_rules! columns {
    ($row:pat in $type:ty; $(
        $key:literal $name:literal [$($look:ident $(($arg:expr))?)*] $cell:expr;
    )*) => {
        vec![$($crate::section::columns::Spec {
            column: $crate::block::Column { key: $key, ..$crate::block::Column::new($name) }
                $(.$look($($arg)?))*,
            cell: |#[allow(unused_variables)] $row: &$type| $cell,
        }),*]
    };
}
pub(crate) use columns;

/// A table of rows of one type, under construction.
pub(crate) struct Rows<R> {
    cells: Vec<fn(&R) -> Cell>,
    table: Table,
}

impl<R> Rows<R> {
    pub(crate) fn shown(specs: Vec<Spec<R>>, detail: Detail) -> Self {
        Self::of(specs, |column| if detail == Detail::Brief { column.brief } else { column.full })
    }

    pub(crate) fn data(specs: Vec<Spec<R>>) -> Self {
        Self::of(specs, |column| !column.key.is_empty())
    }

    fn of(specs: Vec<Spec<R>>, keep: impl Fn(&Column) -> bool) -> Self {
        let kept = specs.into_iter().filter(|spec| keep(&spec.column));
        let (columns, cells) = kept.map(|spec| (spec.column, spec.cell)).unzip();
        Self { cells, table: Table { columns, ..Table::default() } }
    }

    /// The table with headings for its parts.
    pub(crate) fn parts(mut self, parts: &'static [Part]) -> Self {
        self.table.parts = parts;
        self
    }

    pub(crate) fn group(&mut self, name: impl Into<String>, remark: impl Into<String>) {
        self.table.items.push(Item::Group { name: name.into(), remark: remark.into() });
    }

    pub(crate) fn row(&mut self, row: &R) {
        self.add(row, false);
    }

    /// Adds a row that is marked or not.
    pub(crate) fn add(&mut self, row: &R, marked: bool) {
        let cells = self.cells.iter().map(|cell| cell(row)).collect();
        self.table.items.push(Item::Row(Row { marked, cells }));
    }

    pub(crate) fn table(self) -> Table {
        self.table
    }

    pub(crate) fn of_all<'a>(mut self, rows: impl IntoIterator<Item = &'a R>) -> Table
    where
        R: 'a,
    {
        rows.into_iter().for_each(|row| self.row(row));
        self.table
    }
}
