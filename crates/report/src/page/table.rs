//! A table as HTML; its rows may contain their own picture.

use super::strip;
use crate::block::{Table, Value};
use crate::number;
use maud::{Markup, html};

pub(super) fn of(table: &Table) -> Markup {
    html! {
        table {
            @for row in table.rows() {
                tr {
                    @for cell in &row.cells {
                        td {
                            @if let Value::Strip(marks) = &cell.value {
                                (strip::cell(marks, &strip::axis(&[])))
                            } @else { (number::of_cell(cell).value) }
                        }
                    }
                }
            }
        }
    }
}
