//! A report next to each of many, in a line each: nothing else is kept of them.

use super::portable::source;
use super::stored;
use chronoscope_model::Report;
use chronoscope_model::compare::{Compared, Other, Row, SCHEMA, Side, Verdict};
use std::cmp::Reverse;

/// What there is to say of one report next to `a`, or why it could not be read.
pub fn brief(a: (&str, &Report), file: &str, other: Result<&Report, String>) -> Other {
    let unread = |error| Other {
        side: Side { file: file.into(), ..Side::default() },
        error: Some(error),
        ..Other::default()
    };
    let other = match other {
        Ok(report) => report,
        Err(why) => return unread(why),
    };
    let change = stored(a, (file, other));
    let side = change.b;
    if change.rows.is_empty() {
        return Other { side, ..unread("it has no figure in common".into()) };
    }
    let size = |row: &Row| row.change.ln_1p().abs();
    let mut changed: Vec<Row> = change.rows;
    changed.retain(|row| row.verdict.changed());
    let most = changed.into_iter().max_by(|a, b| {
        let worse = |row: &Row| matches!(row.verdict, Verdict::Worse | Verdict::Higher);
        worse(a).cmp(&worse(b)).then(size(a).total_cmp(&size(b)))
    });
    let mut differs = change.environment;
    differs.retain(|it| it.matters);
    Other { side, differs, counts: change.counts, most, error: None }
}

/// All of them: the one with most worse rows first, and those that could not be read last.
pub fn many((file, a): (&str, &Report), mut others: Vec<Other>) -> Compared {
    others.sort_by(|a, b| {
        let by = |it: &Other| it.most.as_ref().map_or(0.0, |row| row.change);
        let key = |it: &Other| (it.error.is_some(), Reverse(it.counts.worse));
        key(a)
            .cmp(&key(b))
            .then(by(b).total_cmp(&by(a)))
            .then(b.counts.better.cmp(&a.counts.better))
    });
    Compared {
        schema: SCHEMA.into(),
        reports: vec![source(file, a)],
        others,
        ..Compared::default()
    }
}
