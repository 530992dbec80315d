//! The finding of one duration in a sentence: how late an ordinary sleep ends, and how late the
//! most accurate method.

use super::row::{self, Row};
use crate::block::{Text, Tone};
use crate::number::{count, percent, plural, short};
use crate::page::Input;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Kind, Takes};

/// So many reports have a sentence each.
const REPORTS: usize = 4;

/// What the rows of one duration show, report by report, and how far their curves can be trusted.
pub(super) fn sentence(inputs: &[Input<'_>], rows: &[&Row<'_>], ns: u64) -> Text {
    let mut text = Text::default();
    for (of, input) in inputs.iter().enumerate().take(REPORTS) {
        let ours: Vec<&Row> = rows.iter().copied().filter(|row| row.of == of).collect();
        let Some(found) = found(input, &ours, ns) else { continue };
        if inputs.len() > 1 {
            text = text.and(Text::toned(Tone::Strong, input.name)).and(": ");
        }
        text = text.and(found).and(". ");
    }
    let counts = || rows.iter().map(|row| row.count()).filter(|n| *n > 0);
    match (counts().min(), counts().max()) {
        (Some(a), Some(b)) => {
            let waits = if a == b {
                plural(a, "wait says", "waits say")
            } else {
                format!("{} to {} waits say", count(a), count(b))
            };
            text.and(format!("A curve is faint where {waits} little."))
        }
        _ => text,
    }
}

/// `ID is 83.2 us late in the median, ID 329 ns for 3.9 % of a CPU`,
/// from the rows of the lightest load; absent if no median is known.
fn found(input: &Input<'_>, rows: &[&Row<'_>], ns: u64) -> Option<Text> {
    let load = row::loads(rows).into_iter().next()?;
    let median = |row: &Row| row.wait.percentile(Percentile::P50);
    let of_load = rows.iter().copied().filter(|row| row.wait.load == load);
    let known: Vec<&Row> = of_load.filter(|row| median(row).is_some()).collect();
    // Without a choice, the least late one is shown as what it is.
    let best = known.iter().copied().find(|row| row.advised);
    let best = best.or_else(|| {
        let undecided = row::choice(input, ns).is_none();
        known.iter().copied().filter(|_| undecided).min_by_key(|row| median(row))
    });
    let sleep = ordinary(&known).filter(|it| best.is_none_or(|best| best.name != it.name));
    let late = |row: &Row| Text::toned(Tone::Strong, short(median(row).unwrap_or(0) as f64));
    let name = |row: &Row| Text::toned(Tone::Name, row.name.clone());
    let share = |row: &Row| {
        let share = row.wait.cpu_share.filter(|share| share.is_finite());
        share.map_or(String::new(), |share| format!(" for {} of a CPU", percent(share)))
    };
    let whole = |row: &Row| name(row).and(" is ").and(late(row)).and(" late in the median");
    match (sleep, best) {
        (Some(sleep), Some(best)) => {
            Some(whole(sleep).and(", ").and(name(best)).and(" ").and(late(best)).and(share(best)))
        }
        (Some(one), None) | (None, Some(one)) => Some(whole(one).and(share(one))),
        (None, None) => None,
    }
}

/// An ordinary sleep: of those that take a duration (of all, if none does), with the slack that a
/// thread has by default, the middle one.
fn ordinary<'a, 'b>(rows: &[&'b Row<'a>]) -> Option<&'b Row<'a>> {
    let sleeps = |takes: bool| {
        let plain = rows.iter().copied().filter(move |row| {
            let wait = row.wait;
            let duration = wait.facts.is_some_and(|facts| facts.takes == Takes::Duration);
            wait.kind == Kind::Sleep
                && (wait.default_slack || wait.slack_ns.is_none())
                && wait.slice_ns.is_none()
                && (duration || !takes)
        });
        plain.collect::<Vec<&Row>>()
    };
    let mut plain = sleeps(true);
    if plain.is_empty() {
        plain = sleeps(false);
    }
    plain.sort_by_key(|row| row.wait.percentile(Percentile::P50));
    plain.get(plain.len() / 2).copied()
}
