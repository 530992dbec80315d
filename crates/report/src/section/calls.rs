//! The mean of many calls, of a few, and one alone, in three passes.

use super::columns::{Of, Rows, column};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Fact, Table, Text, Tone};
use crate::number::{count, plural, short};
use crate::term::{METHOD, Term};
use chronoscope_model::Report;
use chronoscope_model::calls::{Calls, Pass};

/// The section.
pub const SECTION: Section = Section {
    id: "calls",
    records: &[("calls", "calls")],
    measured: true,
    terms: TERMS,
    view,
    table: Some(|report| {
        let rows = report.calls.iter().flat_map(passes);
        Rows::data(columns()).of_all(&rows.collect::<Vec<_>>())
    }),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return Vec::new();
    }
    if report.calls.is_empty() {
        return vec![Block::paragraph("No calls were measured.")];
    }
    let mut blocks = Vec::new();
    for calls in &report.calls {
        let clock = report.clocks.iter().find(|clock| clock.id == calls.id);
        let call = clock.map_or("", |clock| clock.call.as_str());
        blocks.push(Block::remarked(&calls.id, Text::toned(Tone::Dim, call)));
        blocks.push(Block::Facts(facts(calls)));
        let rows: Vec<Numbered> = passes(calls).collect();
        let table = Rows::shown(columns(), detail, &[]);
        blocks.push(Block::Table(table.of_all(&rows)));
        blocks.push(Block::Table(seconds(calls)));
        if !report.run.complete {
            let passes = plural(calls.passes.len() as u64, "pass was", "passes were");
            let text = format!("{passes} finished before the run was interrupted.");
            blocks.push(Block::Paragraph(Text::toned(Tone::Warn, text)));
        }
    }
    let legend = "Nothing was printed between the calls, and the machine was left alone before \
                  the first.";
    blocks.push(Block::Legend(legend.into()));
    blocks
}

fn facts(calls: &Calls) -> Vec<Fact> {
    let nominal = calls.nominal_ns.filter(|ns| ns.is_finite());
    let nominal = nominal.map_or("unknown (the interface claims none)".into(), short);
    let mut facts = vec![Fact::new(&NOMINAL, nominal)];
    for (name, n) in ["delta1", "delta2", "delta3"].into_iter().zip(calls.counts) {
        match n {
            0 => {}
            1 => facts.push(Fact::named(name, &DELTAS, "one call alone")),
            n => {
                let mean = format!("mean of {} calls", count(n));
                facts.push(Fact::named(name, &DELTAS, mean));
            }
        }
    }
    facts
}

/// A name and the three figures by the clock itself, in nanoseconds.
type InSeconds = (String, [f64; 3]);

/// The figures by the clock in seconds, as the program that they come from prints them, and the
/// lowest of each.
fn seconds(calls: &Calls) -> Table {
    let figures = |pass: &Pass| [pass.delta1_ns, pass.delta2_ns, pass.delta3_ns];
    let mut rows: Vec<InSeconds> =
        (1..).zip(&calls.passes).map(|(n, pass)| (format!("{n}"), figures(pass))).collect();
    let lowest = calls.passes.iter().map(figures).reduce(|a, b| {
        let [a1, a2, a3] = a;
        let [b1, b2, b3] = b;
        [a1.min(b1), a2.min(b2), a3.min(b3)]
    });
    rows.extend(lowest.map(|lowest| ("lowest".to_owned(), lowest)));
    let figure = |head, cell| column("", &DELTAS, cell).full(0).head(head).right();
    let columns: Vec<Of<InSeconds>> = vec![
        column("", &PASS, |(name, _): &InSeconds| Cell::text(name)).full(0).also_name(),
        figure("by clock\ndelta1", |(_, ns): &InSeconds| Cell::text(scientific(ns[0]))),
        figure("delta2", |(_, ns): &InSeconds| Cell::text(scientific(ns[1]))),
        figure("delta3", |(_, ns): &InSeconds| Cell::text(scientific(ns[2]))),
    ];
    Rows::shown(columns, Detail::Full, &[]).of_all(&rows)
}

/// Nanoseconds as `1.015612e-06 s`, which C's `%e` writes.
fn scientific(ns: f64) -> String {
    if !ns.is_finite() {
        return "-".into();
    }
    let text = format!("{:.6e}", ns / 1e9);
    match text.split_once('e') {
        Some((digits, power)) => {
            let power: i32 = power.parse().unwrap_or(0);
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02} s", power.abs())
        }
        None => format!("{text} s"),
    }
}

/// A pass with its clock and its number.
type Numbered<'a> = (&'a Calls, u64, &'a Pass);

fn passes(calls: &Calls) -> impl Iterator<Item = Numbered<'_>> {
    (1..).zip(&calls.passes).map(move |(n, pass)| (calls, n, pass))
}

fn columns<'a>() -> Vec<Of<Numbered<'a>>> {
    let figure = |key, part, head, cell| {
        let figure = column(key, &DELTAS, cell).full(part).head(head);
        figure.unit("ns").decimal()
    };
    vec![
        column("id", &PASS, |(calls, _, _): &Numbered| Cell::code(&calls.id)),
        column("pass", &PASS, |(_, n, _): &Numbered| Cell::count(Some(*n)))
            .full(0)
            .also_name()
            .right(),
        figure("delta1_ns", 0, "by clock\ndelta1", |(_, _, p): &Numbered| {
            Cell::number(Some(p.delta1_ns))
        }),
        figure("delta2_ns", 0, "delta2", |(_, _, p): &Numbered| Cell::number(Some(p.delta2_ns))),
        figure("delta3_ns", 0, "delta3", |(_, _, p): &Numbered| Cell::number(Some(p.delta3_ns))),
        figure("ruler1_ns", 1, "by ruler\ndelta1", |(_, _, p): &Numbered| {
            Cell::number(Some(p.ruler_ns[0]))
        }),
        figure("ruler2_ns", 1, "delta2", |(_, _, p): &Numbered| Cell::number(Some(p.ruler_ns[1]))),
        figure("ruler3_ns", 1, "delta3", |(_, _, p): &Numbered| Cell::number(Some(p.ruler_ns[2]))),
    ]
}

static TERMS: &[&Term] = &[&NOMINAL, &PASS, &DELTAS];

static NOMINAL: Term = Term {
    names: &["nominal resolution"],
    place: "line of calls",
    unit: "a duration",
    about: "The resolution that the interface claims.",
    how: "clock_getres, QueryPerformanceFrequency, CLOCKS_PER_SEC and the like.",
    act: "Do not rely on it; chronoscope clocks measures the tick.",
    references: &["clock_getres(2)", METHOD],
};

static PASS: Term = Term {
    names: &["pass", "lowest"],
    place: "column of calls",
    unit: "",
    about: "The same three measurements, made three times. lowest: the smallest of each figure, \
            each on its own, because whatever interrupts a pass makes it longer. The second table \
            has the figures by the clock in seconds.",
    how: "A quiet second comes before the first; nothing is printed until all are done.",
    act: "If the passes differ much, the machine is not quiet, or its frequency changes.",
    references: &[METHOD],
};

static DELTAS: Term = Term {
    names: &[
        "delta1",
        "delta2",
        "delta3",
        "by clock",
        "by ruler",
        "by clock delta1",
        "by ruler delta1",
    ],
    place: "column of calls",
    unit: "ns per call",
    about: "delta1 is the mean of a million calls, delta2 that of ten, delta3 one call alone. If a \
            million calls would take more than four seconds, fewer are made, as the lines above \
            the table say.\n\nBy the clock itself: from the clock's own values, as a program sees \
            it that times the clock with itself; a coarse clock can only show multiples of its \
            tick. By the ruler: the same number of calls again, with the loop still included.",
    how: "By the clock: the last value minus the first, divided by the calls after the first; the \
          values in between are not stored. By the ruler: its own cost is subtracted.",
    act: "delta3 minus delta1 is what a lone call costs more: caches, prediction, the clock's \
          tick. A delta3 of zero means that the tick is longer than a call. If clock and ruler \
          disagree by more than the clock's tick, trust the ruler.",
    references: &[METHOD],
};

#[cfg(test)]
mod tests {
    use super::scientific;

    #[test]
    fn seconds_are_written_as_c_writes_them() {
        assert_eq!(scientific(1015.612), "1.015612e-06 s");
        assert_eq!(scientific(0.0), "0.000000e+00 s");
        assert_eq!(scientific(-2.5e9), "-2.500000e+00 s");
        assert_eq!(scientific(1e129), "1.000000e+120 s");
        assert_eq!(scientific(f64::NAN), "-");
    }
}
