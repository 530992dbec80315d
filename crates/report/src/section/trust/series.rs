//! How the clocks ran over the watch: for programs, one row for each clock and point.

use super::super::columns::{Rows, Spec, columns};
use crate::block::{Cell, Item, Table};
use chronoscope_model::trust::{Course, Series, Trust};

/// A clock at one point.
struct Point<'a> {
    series: &'a Series,
    course: &'a Course,
    nth: usize,
}

/// Adds the points to the table of clocks, whose columns are empty for them.
pub(super) fn add(table: &mut Table, trust: &Trust) {
    let Some(series) = &trust.series else { return };
    let points = series.clocks.iter().flat_map(|course| {
        (course.first..series.at_s.len()).map(move |nth| Point { series, course, nth })
    });
    let points: Vec<Point> = points.collect();
    let mut points = Rows::data(columns()).of_all(&points);
    // Both tables begin with the name of the clock.
    let (before, after) = (table.columns.len(), points.columns.len() - 1);
    for item in &mut table.items {
        if let Item::Row(row) = item {
            row.cells.resize_with(before + after, Cell::default);
        }
    }
    for item in &mut points.items {
        if let Item::Row(row) = item {
            let absent = std::iter::repeat_with(Cell::default).take(before - 1);
            row.cells.splice(1..1, absent);
        }
    }
    table.columns.extend(points.columns.drain(1..));
    table.items.append(&mut points.items);
}

fn columns<'a>() -> Vec<Spec<Point<'a>>> {
    columns! { point in Point;
        "id" "watched clock" [] Cell::code(&point.course.id);
        "started" "watched clock" [] Cell::text(&point.series.started);
        "at_s" "watched clock" [] Cell::number(point.series.at_s.get(point.nth).copied());
        "against" "against" [] Cell::code(&point.series.against);
        "offset_ns" "offset" [] Cell::number(point.course.at(point.nth).map(|it| it[0]));
        "stepped_ns" "offset" [] Cell::number(point.course.at(point.nth).map(|it| it[1]));
        "rate_ppm" "rate" [] Cell::number(point.course.rate_at(point.nth));
    }
}
