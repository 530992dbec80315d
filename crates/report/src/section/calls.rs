//! The mean of many calls, of a few, and one alone, in three passes.

use super::{
    Detail, Rows, SECTION as PLAIN, Section, Spec, absent, columns, each, heading_of,
    load_conditions, load_name, shown, times_undisturbed,
};
use crate::block::{Block, Cell, Fact, Tone};
use crate::number::{count, plural, short};
use crate::page::Input;
use chronoscope_model::Report;
use chronoscope_model::loops::{Calls, Pass};
use chronoscope_model::packed::packed;

pub const SECTION: Section = Section {
    id: "calls",
    records: &[("calls", "calls")],
    measured: true,
    terms: packed!("calls.md"),
    view,
    page: Some(page),
    table: Some(|report| Rows::data(columns(true)).of_all(report.calls.iter().flat_map(passes))),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief || report.calls.is_empty() {
        return absent(detail, "No calls were measured.");
    }
    let mut blocks = Vec::new();
    for calls in report.calls.iter().filter(|calls| calls.load.is_none()) {
        let same: Vec<&Calls> = report.calls.iter().filter(|other| other.id == calls.id).collect();
        blocks.push(heading_of(&calls.id, calls.call.as_ref()));
        blocks.push(Block::Facts(facts(calls)));
        let rows = same.iter().copied().flat_map(passes);
        blocks.push(shown(columns(same.len() > 1), detail, rows));
        if same.len() > 1 {
            let rows = same.iter().map(|other| (calls, *other));
            blocks.push(shown(under_loads(), detail, rows));
        }
        let remark = if same.len() > 1 { "without a load" } else { "" };
        blocks.push(Block::noted("In seconds, by the clock", remark));
        blocks.push(seconds(calls));
        if !report.run.complete {
            let passes = plural(calls.passes.len() as u64, "pass was", "passes were");
            let text = format!("{passes} finished before the run was interrupted.");
            blocks.push(Block::toned(Tone::Warn, text));
        }
    }
    let legend = "Nothing was printed between the calls, and the tool slept before the first.";
    blocks.push(Block::legend(legend));
    blocks.extend(load_conditions(report));
    blocks
}

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    each(inputs, |input| {
        let sentence = input.report.calls.first().and_then(sentence).unwrap_or_default();
        let title = "One call, a few, and many";
        let mut blocks = vec![Block::noted(title, sentence)];
        blocks.extend(view(input.report, Detail::Everything));
        blocks
    })
}

/// What one call takes alone, next to the means of several.
fn sentence(calls: &Calls) -> Option<String> {
    let [many, few, one] = lowest(calls)?.map(short);
    let [of_many, of_few, of_one] = calls.counts.map(|n| plural(n, "call", "calls"));
    Some(format!(
        "By {} itself, at best, a call takes {many} as the mean of {of_many}, {few} as the mean of \
         {of_few}, and {one} in {of_one}.",
        calls.id
    ))
}

fn facts(calls: &Calls) -> Vec<Fact> {
    let nominal = calls.nominal_ns.filter(|ns| ns.is_finite());
    let nominal = nominal.map_or("unknown (the interface claims none)".into(), short);
    let mut facts = vec![Fact::new("nominal resolution", nominal)];
    for (name, n) in ["delta1", "delta2", "delta3"].into_iter().zip(calls.counts) {
        match n {
            0 => {}
            1 => facts.push(Fact::new(name, "one call alone")),
            n => {
                let mean = format!("mean of {} calls", count(n));
                facts.push(Fact::new(name, mean));
            }
        }
    }
    facts
}

/// A name and the three figures by the clock itself, in nanoseconds.
type InSeconds = (String, [f64; 3]);

/// The figures by the clock in seconds, as the program that they come from prints them, and the
/// lowest and the spread of each.
fn seconds(calls: &Calls) -> Block {
    let rows = (1..).zip(&calls.passes).map(|(n, pass)| (format!("{n}"), figures(pass)));
    let whole = [("lowest", lowest(calls)), ("spread", spread(calls))];
    let whole = whole.into_iter().filter_map(|(name, ns)| Some((name.to_owned(), ns?)));
    let rows = rows.chain(whole);
    let columns = columns! { (name, ns) in InSeconds;
        "" "pass" [full also_name] Cell::text(name);
        "" "delta1" [full right] Cell::text(scientific(ns[0]));
        "" "delta2" [full right] Cell::text(scientific(ns[1]));
        "" "delta3" [full right] Cell::text(scientific(ns[2]));
    };
    shown(columns, Detail::Full, rows)
}

fn figures(pass: &Pass) -> [f64; 3] {
    [pass.delta1_ns, pass.delta2_ns, pass.delta3_ns]
}

/// The lowest of each figure by the clock.
fn lowest(calls: &Calls) -> Option<[f64; 3]> {
    of_passes(calls, f64::min)
}

/// The largest of each figure less the lowest.
fn spread(calls: &Calls) -> Option<[f64; 3]> {
    let (highest, lowest) = (of_passes(calls, f64::max)?, lowest(calls)?);
    (calls.passes.len() > 1).then(|| std::array::from_fn(|at| highest[at] - lowest[at]))
}

fn of_passes(calls: &Calls, choose: fn(f64, f64) -> f64) -> Option<[f64; 3]> {
    let passes = calls.passes.iter().map(figures);
    passes.reduce(|a, b| std::array::from_fn(|at| choose(a[at], b[at])))
}

/// The calls without a load, and those without or with one.
type Pair<'a> = (&'a Calls, &'a Calls);

/// The lowest figures under each load.
fn under_loads<'a>() -> Vec<Spec<Pair<'a>>> {
    fn figure((_, calls): &Pair, at: usize) -> Cell {
        Cell::number(lowest(calls).map(|ns| ns[at]))
    }
    fn against((none, calls): &Pair, at: usize) -> Cell {
        times_undisturbed(lowest(calls).map(|ns| ns[at]), lowest(none).map(|ns| ns[at]))
    }
    columns! { pair in Pair;
        "" "load" [full also_name] Cell::text(load_name(pair.1.load));
        "" "lowest\ndelta1" [full unit("ns") decimal] figure(pair, 0);
        "" "× none" [full decimal close] against(pair, 0);
        "" "delta2" [full unit("ns") decimal] figure(pair, 1);
        "" "× none" [full decimal close] against(pair, 1);
        "" "delta3" [full unit("ns") decimal] figure(pair, 2);
        "" "× none" [full decimal close] against(pair, 2);
    }
}

/// Nanoseconds as `1.015612e-06 s`, which C's `%e` writes.
fn scientific(ns: f64) -> String {
    if !ns.is_finite() {
        return "-".into();
    }
    let text = format!("{:.6e}", ns / 1e9);
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{digits}e{:+03} s", power.parse::<i32>().unwrap_or(0))
}

/// A pass with its clock and its number.
type Numbered<'a> = (&'a Calls, u64, &'a Pass);

fn passes(calls: &Calls) -> impl Iterator<Item = Numbered<'_>> {
    (1..).zip(&calls.passes).map(move |(n, pass)| (calls, n, pass))
}

fn columns<'a>(loads: bool) -> Vec<Spec<Numbered<'a>>> {
    columns! { (calls, n, pass) in Numbered;
        "id" "pass" [] Cell::code(&calls.id);
        "load" "load" [full_if(loads) also_name] Cell::text(load_name(calls.load));
        "pass" "pass" [full also_name right] Cell::count(*n);
        "delta1_ns" "by clock\ndelta1" [full unit("ns") decimal] Cell::number(pass.delta1_ns);
        "delta2_ns" "delta2" [full unit("ns") decimal] Cell::number(pass.delta2_ns);
        "delta3_ns" "delta3" [full unit("ns") decimal] Cell::number(pass.delta3_ns);
        "ruler1_ns" "by ruler\ndelta1" [full part(1) unit("ns") decimal]
            Cell::number(pass.ruler_ns[0]);
        "ruler2_ns" "delta2" [full part(1) unit("ns") decimal] Cell::number(pass.ruler_ns[1]);
        "ruler3_ns" "delta3" [full part(1) unit("ns") decimal] Cell::number(pass.ruler_ns[2]);
    }
}

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
