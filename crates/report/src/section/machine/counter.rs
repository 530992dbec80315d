//! The processor's counter: its rate by every source that gives one, the throughput and the cost of
//! the instruction that reads it, and what QueryPerformanceCounter rests on.

use super::known::{Data, Known, bound, ppm, unknown_why};
use super::worth;
use crate::block::{Block, Cell, Column, Fact, Item, Table, Text, Tone, Value};
use crate::number::{place, rounded, three};
use crate::section::{Detail, Rows, Spec, columns};
use chronoscope_model::clock::Standing;
use chronoscope_model::environment::{
    Cpu, Environment, Rate, RateKind, Tsc, VERSIONS, Versions, expected,
};
use chronoscope_model::loops::{Throughput, ThroughputRow};
use chronoscope_model::units;
use std::sync::LazyLock;

/// A rate, and its difference from the one to compare with in words.
type Compared<'a> = (&'a Rate, String);

/// Each source's rate, and its difference from the measured one, or from the first that is known if
/// none was measured.
pub(super) fn rate_blocks(rates: &[Rate]) -> Vec<Block> {
    if rates.is_empty() {
        let fact = Fact::new("rate", "unknown (no source gives one)");
        return vec![Block::Facts(vec![fact])];
    }
    let known = || rates.iter().filter(|rate| sound_hz(rate).is_some());
    let measured = known().find(|rate| rate.kind == RateKind::Measured);
    let reference = measured.or_else(|| known().next());
    let compared: Vec<Compared> =
        rates.iter().map(|rate| (rate, rate_difference(rate, reference))).collect();
    let mut table = Rows::shown(rate_columns(), Detail::Full).of_all(&compared);
    let head = match (measured, reference) {
        (Some(_), _) => "against\nmeasured".to_owned(),
        (None, Some(rate)) => {
            // Each part of a name on a line of its own: "kernel log, detected".
            format!("against\n{}", rate.source.replace(", ", ",\n"))
        }
        (None, None) => "difference".to_owned(),
    };
    if let Some(column) = table.columns.get_mut(2) {
        column.head = head.into();
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(measured.and_then(comparison_reason).map(Block::paragraph));
    blocks
}

/// What the comparison behind a measured rate shows and why, in a sentence.
fn comparison_reason(measured: &Rate) -> Option<String> {
    let found = measured.compared.as_ref()?;
    let what = match found.standing {
        Standing::Independent => "The measured rate was compared with an independent clock",
        Standing::SameOscillator | Standing::Unverified => "The measured rate is unverified",
    };
    Some(format!("{what}: {}.", found.why))
}

fn sound_hz(rate: &Rate) -> Option<f64> {
    rate.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}

fn rate_difference(rate: &Rate, reference: Option<&Rate>) -> String {
    let words = if reference.is_some_and(|it| std::ptr::eq(it, rate)) {
        rate.error_ppm.map(|error| format!("±{}", bound(error)))
    } else {
        let rates = rate.hz.zip(reference.and_then(sound_hz));
        rates.map(|(hz, base)| ppm((hz / base - 1.0) * 1e6))
    };
    words.unwrap_or("-".into())
}

/// How the rate is known, and what a measured one is worth.
fn how_known(rate: &Rate) -> String {
    match &rate.compared {
        Some(found) => format!("{}: {}", rate.note, worth(found)),
        None => rate.note.clone(),
    }
}

fn rate_columns<'a>() -> Vec<Spec<Compared<'a>>> {
    columns! { (rate, difference) in Compared;
        "" "rate by" [full name(12)] Cell::text(&rate.source);
        "" "Hz" [full right] match rate.hz.filter(|hz| hz.is_finite()) {
            Some(hz) => Cell::number(hz).shown(supported(hz, rate.error_ppm)),
            None => Cell::default().shown("unknown").toned(Tone::Dim),
        };
        "" "Hz" [full right] Cell::text(difference);
        "" "how" [full gives_way(16)] Cell::text(how_known(rate)).toned(Tone::Dim);
    }
}

pub(super) fn rate_data(rates: &[Rate]) -> Vec<Data> {
    let all = rates.iter().fold(Known::new("", ""), |known, rate| {
        let source = &rate.source;
        let compared = rate.compared.as_ref().map_or("", |found| found.standing.name());
        known
            .number(format!("rate by {source}"), rate.hz, "Hz")
            .number(format!("its error by {source}"), rate.error_ppm, "ppm")
            .text(format!("note of {source}"), &rate.note)
            .text(format!("comparison of {source}"), compared)
    });
    all.data
}

/// A rate in hertz with no digit beyond the first of the bound on its error, if that is known.
fn supported(hz: f64, error_ppm: Option<f64>) -> String {
    match error_ppm.map(|ppm| hz * ppm * 1e-6) {
        Some(error) if error.is_finite() && error >= 1.0 => rounded(hz, place(error)),
        _ => units::grouped(hz),
    }
}

// The throughput of the instruction that reads the counter, in rows as instruction tables are
// measured.

pub(super) fn throughput_blocks(env: &Environment) -> Vec<Block> {
    let Some(found) = env.throughput.as_ref().filter(|found| !found.rows.is_empty()) else {
        return Vec::new();
    };
    let Throughput { instruction, times, .. } = found;
    let remark = format!("{times} instructions one after the other, {} times", found.rows.len());
    let mut blocks = vec![
        Block::noted(format!("Throughput of {instruction}"), remark),
        Block::Table(throughput_table(found)),
    ];
    blocks.extend(one_instruction(env, found).map(Block::paragraph));
    blocks.push(Block::Legend(Text::toned(Tone::Dim, throughput_legend(found))));
    blocks
}

/// What one instruction takes.
fn one_instruction(env: &Environment, found: &Throughput) -> Option<String> {
    let ticks = found.ticks()?;
    let ns = env.measured_hz().map(|hz| ticks / hz * 1e9).filter(|ns| *ns > 0.0);
    let time =
        ns.map_or_else(|| format!("{} ticks", three(ticks)), |ns| format!("{} ns", three(ns)));
    let Some(cycles) = found.core_cycles() else {
        return Some(format!("{time} per instruction, the median row."));
    };
    let at = ns.map_or(String::new(), |ns| format!(" at {} GHz", three(cycles / ns)));
    let cycles = three(cycles);
    Some(format!(
        "{cycles} core cycles per instruction (reciprocal throughput), {time}{at}, the median row."
    ))
}

/// How the columns are known, and what is not.
fn throughput_legend(found: &Throughput) -> String {
    let mut text = "Clock is ticks of the counter, without the cost of timing.".to_owned();
    if !found.cycles_by.is_empty() {
        text += &format!(" Core cyc comes from {}.", found.cycles_by);
    }
    if found.rows.iter().all(|row| row.instructions.is_none()) {
        text += " Instruct is what the code contains.";
    }
    if !found.lacking.is_empty() {
        text += &format!(" Not counted: {}.", found.lacking);
    }
    text
}

/// A row, and how many instructions its code contains.
type One<'a> = (&'a ThroughputRow, u32);

fn throughput_columns<'a>(uops: bool) -> Vec<Spec<One<'a>>> {
    columns! { (row, times) in One;
        "clock" "Clock" [full right] Cell::count(row.clock);
        "core_cycles" "Core cyc" [full right] Cell::number(row.core_cycles)
            .said(row.core_cycles.map(units::grouped));
        "instructions" "Instruct" [full right]
            Cell::count(row.instructions).or(&times.to_string());
        "uops" "Uops" [full_if(uops) right] Cell::count(row.uops);
    }
}

fn throughput_table(found: &Throughput) -> Table {
    let uops = found.rows.iter().any(|row| row.uops.is_some());
    let mut rows = Rows::shown(throughput_columns(uops), Detail::Full);
    found.rows.iter().for_each(|row| rows.row(&(row, found.times)));
    let mut table = rows.table();
    for (at, port) in found.ports.iter().enumerate() {
        table.columns.push(Column::new(format!("uop {port}")).right().full());
        for (item, row) in table.items.iter_mut().zip(&found.rows) {
            if let Item::Row(shown) = item {
                shown.cells.push(Cell::count(row.by_port.get(at).copied()));
            }
        }
    }
    table
}

/// The rows for programs.
pub(super) fn throughput_data(env: &Environment) -> Vec<Data> {
    let Some(found) = &env.throughput else {
        return Vec::new();
    };
    let count = |count: Option<u64>| count.map(Value::Count);
    let known = (1..).zip(&found.rows).fold(Known::new("", ""), |known, (nth, row)| {
        let key =
            |what: &str| format!("{} x {}, row {nth}: {what}", found.times, found.instruction);
        let known = known
            .value(key("clock"), Some(Value::Count(row.clock)), "ticks")
            .number(key("core cycles"), row.core_cycles, "cycles")
            .value(key("instructions"), count(row.instructions), "")
            .value(key("uops"), count(row.uops), "");
        let ports = found.ports.iter().zip(&row.by_port);
        ports.fold(known, |known, (port, uops)| {
            known.value(key(&format!("uop {port}")), count(Some(*uops)), "")
        })
    });
    known.text("not counted", &found.lacking).data
}

// What rdtsc costs on this machine, and on other processors to compare with.

/// One row: reciprocal throughput of RDTSC in core clock cycles.
struct RdtscCost {
    name: &'static str,
    cycles: u64,
    /// Vendor, family and models, in hexadecimal; empty if they are not known.
    models: &'static str,
}

const SOURCE: &str = "Agner Fog, Instruction tables (2016-01-09), as quoted by Andrey Akinshin, \
                      Stopwatch under the hood; from Airmont, Cannon Lake and Zen on, uops.info; \
                      AMD Zen 5, docs/RESULTS.md";

/// The rows of `rdtsc.md`.
static RDTSC_COSTS: LazyLock<Vec<RdtscCost>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let (name, cycles) = (cells.next()?, cells.next()?.parse().ok()?);
        Some(RdtscCost { name, cycles, models: cells.next()? })
    };
    include_str!("rdtsc.md").lines().filter_map(row).collect()
});

impl RdtscCost {
    fn is_of(&self, vendor: &str, family: u32, model: u32) -> bool {
        let hex = |word: &str| u32::from_str_radix(word, 16).ok();
        let mut words = self.models.split(' ');
        if words.next() != Some(vendor) || words.next().and_then(hex) != Some(family) {
            return false;
        }
        let ends = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            hex(first).zip(hex(last))
        };
        let mut models = words.filter_map(ends).peekable();
        let all = models.peek().is_none();
        all || models.any(|(first, last)| (first..=last).contains(&model))
    }
}

/// The row of this processor's family, if it can be recognised and is in the table.
fn nearest(cpu: &Cpu) -> Option<&'static str> {
    let [family, model, _] = cpu.family_model_stepping()?;
    let vendor = cpu.vendor.as_deref()?;
    let row = RDTSC_COSTS.iter().find(|row| row.is_of(vendor, family, model))?;
    Some(row.name)
}

/// The cost of rdtsc, and that of other processors.
pub(super) fn rdtsc_blocks(env: &Environment, tsc: &Tsc) -> Vec<Block> {
    let figures = [tsc.rdtsc_core_cycles, tsc.rdtsc_cycles, tsc.rdtsc_ns].into_iter();
    let figures = figures.zip(["core cycles", "TSC cycles", "ns"]);
    let here = figures.filter_map(|(it, unit)| Some(format!("{} {unit}", three(it?))));
    let here: Vec<String> = here.collect();
    let here = if here.is_empty() { unknown_why(env, "rdtsc") } else { here.join(", ") };
    let near = nearest(&env.cpu);
    let family = match near {
        Some(name) => format!("{name}, marked below"),
        None => "not in the table".into(),
    };
    let mut rows = Rows::shown(rdtsc_columns(), Detail::Full);
    for known in RDTSC_COSTS.iter() {
        rows.add(known, near == Some(known.name));
    }
    vec![
        Block::noted("Cost of rdtsc", "reciprocal throughput"),
        Block::Facts(vec![
            Fact::new("here", Text::toned(Tone::Strong, here)),
            Fact::new("nearest family", family),
        ]),
        Block::Table(Table { flows: true, ..rows.table() }),
        Block::legend(format!(
            "{SOURCE}, in core cycles. The TSC counts at a fixed rate of its own, so its cycles \
             are core cycles only while the core runs at that rate."
        )),
    ]
}

fn rdtsc_columns() -> Vec<Spec<RdtscCost>> {
    columns! { known in RdtscCost;
        "" "processor" [full name(12)] Cell::text(known.name);
        "" "cycles" [full right] Cell::count(known.cycles);
    }
}

// What QueryPerformanceCounter rests on in each version of Windows, and what it should rest on
// here.

/// Nothing, unless this is Windows and its version is known.
pub(super) fn qpc_blocks(env: &Environment) -> Vec<Block> {
    let Some(expected) = expected(env) else {
        return Vec::new();
    };
    let mut rows = Rows::shown(qpc_columns(), Detail::Full);
    for versions in VERSIONS.iter() {
        rows.add(versions, versions == expected.versions);
    }
    vec![
        Block::heading("QueryPerformanceCounter"),
        Block::Facts(vec![Fact::new("QPC should use", expected.why)]),
        Block::Table(rows.table()),
        Block::legend(
            "As an administrator, `bcdedit /set useplatformclock yes` makes Windows use the HPET \
             or the ACPI PM timer instead of the TSC, and `bcdedit /set useplatformtick yes` takes \
             the clock interrupt from such a device. `bcdedit /deletevalue useplatformclock` (or \
             useplatformtick) undoes that. Either takes effect at the next start; `bcdedit /enum` \
             shows what is set. By Microsoft Learn, Acquiring high-resolution time stamps.",
        ),
    ]
}

fn qpc_columns() -> Vec<Spec<Versions>> {
    columns! { versions in Versions;
        "" "Windows" [full name(12)] Cell::text(versions.name);
        "" "QPC rests on" [full gives_way(20)] Cell::text(versions.rests_on);
        "" "QPC's rate" [full gives_way(12)] Cell::text(versions.rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_shows_the_digits_that_its_error_supports() {
        assert_eq!(supported(2_599_998_137.0, Some(0.0062)), "2,599,998,140");
        assert_eq!(supported(2_599_998_137.0, Some(30.0)), "2,600,000,000");
        assert_eq!(supported(2_599_998_137.0, None), "2,599,998,137");
        assert_eq!(supported(24e6, Some(f64::NAN)), "24,000,000");
    }

    #[test]
    fn columns_are_those_that_were_counted() {
        let row = ThroughputRow { clock: 1686, core_cycles: Some(2384.0), ..Default::default() };
        let mut found = Throughput {
            instruction: "rdtsc".into(),
            times: 100,
            rows: vec![row; 10],
            ..Throughput::default()
        };
        assert_eq!(throughput_table(&found).columns.len(), 3);
        for row in &mut found.rows {
            (row.instructions, row.uops, row.by_port) = (Some(100), Some(1500), vec![255, 399]);
        }
        found.ports = vec!["p0".into(), "p1".into()];
        let table = throughput_table(&found);
        assert_eq!(table.columns.len(), 6);
        let whole = |item: &Item| matches!(item, Item::Row(row) if row.cells.len() == 6);
        assert!(table.items.iter().all(whole));
    }

    #[test]
    fn one_instruction_is_in_cycles_and_ns() {
        let row = ThroughputRow { clock: 1000, core_cycles: Some(2000.0), ..Default::default() };
        let found = Throughput { times: 100, rows: vec![row], ..Throughput::default() };
        let text = one_instruction(&Environment::default(), &found).expect("a row");
        assert!(text.starts_with("20.0 core cycles per instruction"), "{text}");
        assert!(text.contains("10.0 ticks"), "{text}");
    }

    #[test]
    fn a_family_is_recognised_only_if_it_is_in_the_table() {
        let cpu = |vendor: &str, signature: &str| Cpu {
            vendor: Some(vendor.into()),
            signature: Some(signature.into()),
            ..Cpu::default()
        };
        let intel = |s| nearest(&cpu("GenuineIntel", s));
        assert_eq!(intel("family 6 model 85 stepping 7"), Some("Intel Skylake"));
        assert_eq!(intel("family 6 model 60 stepping 3"), Some("Intel Haswell"));
        assert_eq!(intel("family 6 model 143 stepping 8"), None);
        assert_eq!(intel("MIDR 0x410fd083"), None);
        let amd = |s| nearest(&cpu("AuthenticAMD", s));
        assert_eq!(amd("family 23 model 49 stepping 0"), Some("AMD Zen 2"));
        assert_eq!(amd("family 25 model 17 stepping 1"), Some("AMD Zen 4"));
        assert_eq!(amd("family 18 model 1 stepping 0"), None);
        assert_eq!(nearest(&Cpu::default()), None);
        assert_eq!(amd("family 23 model 95 stepping 0"), Some("AMD Zen"));
        assert_eq!(intel("family 15 model 6 stepping 0"), Some("Intel Pentium 4 (Prescott)"));
        // Each row that states models has some of them.
        let found = |row: &RdtscCost| {
            let vendor = row.models.split(' ').next().unwrap_or_default();
            let mut models = (0..32).flat_map(|family| (0..256).map(move |model| (family, model)));
            models.any(|(family, model)| {
                let text = format!("family {family} model {model} stepping 0");
                nearest(&cpu(vendor, &text)) == Some(row.name)
            })
        };
        let (named, others): (Vec<_>, Vec<_>) = RDTSC_COSTS.iter().partition(|row| found(row));
        assert_eq!((named.len(), others.len()), (30, 3));
        assert!(others.iter().all(|row| row.models.is_empty()));
    }
}
