//! What lies between two successive reads of a clock.

use super::columns::{Of, Rows, column};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Fact, Text, Tone, Value};
use crate::number::{count, percent, plural, short, signed};
use crate::term::{METHOD, Term};
use chronoscope_model::deltas::{Deltas, Row};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::run::Gaps;
use chronoscope_model::{Report, units};

/// The section.
pub const SECTION: Section = Section {
    id: "deltas",
    records: &[("deltas", "deltas")],
    measured: true,
    terms: TERMS,
    view,
    table: Some(|report| {
        let all = report.deltas.iter();
        let rows = all.flat_map(|deltas| deltas.rows.iter().map(move |row| (deltas, row, 0.0)));
        Rows::data(columns()).of_all(&rows.collect::<Vec<_>>())
    }),
    ..PLAIN
};

/// Rows shown at the beginning and at the end of a long table.
const HEAD: usize = 16;
const TAIL: usize = 8;

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return Vec::new();
    }
    if report.deltas.is_empty() {
        return vec![Block::paragraph("No differences were measured.")];
    }
    let mut blocks = Vec::new();
    for deltas in &report.deltas {
        let clock = report.clocks.iter().find(|clock| clock.id == deltas.id);
        let call = clock.map_or("", |clock| clock.call.as_str());
        blocks.push(Block::remarked(&deltas.id, Text::toned(Tone::Dim, call)));
        let mut facts = facts(deltas, report.run.complete, report.environment.below_kernel());
        if let Some(share) = deltas.shared.filter(|share| *share > 0.0) {
            let text = format!("in {} of looks next to the reads", percent(share));
            facts.push(Fact::new(&SHARED, text));
        }
        facts.extend(taken(report));
        blocks.push(Block::Facts(facts));
        blocks.extend(rows(deltas, detail));
    }
    blocks
}

/// Who takes time from a thread that spins on this CPU.
fn taken(report: &Report) -> Option<Fact> {
    let taken = report.ruler.as_ref()?.noise.taken?;
    let gaps = |by: &str, gaps: Gaps| {
        let longest = match gaps.count {
            0 => String::new(),
            _ => format!(", longest {}", short(gaps.longest_ns)),
        };
        format!("{} by the {by}{longest}", percent(taken.share(gaps)))
    };
    let text = format!(
        "{}; {}; in {} of spinning",
        gaps("kernel", taken.kernel),
        gaps(report.environment.below_kernel(), taken.below),
        short(taken.watched_ns)
    );
    Some(Fact::new(&TAKEN, text))
}

/// `below` is what takes time without entering the kernel.
fn facts(deltas: &Deltas, complete: bool, below: &str) -> Vec<Fact> {
    let reads = match deltas.wanted {
        Some(wanted) => {
            let until = match complete {
                true => "before the time was up",
                false => "before the run was interrupted",
            };
            let of = format!("{} of {} {until}", count(deltas.reads), count(wanted));
            Text::toned(Tone::Warn, of)
        }
        None => count(deltas.reads).into(),
    };
    let unit = short(deltas.ns_per_tick);
    let largest = short(deltas.max_ticks as f64 * deltas.ns_per_tick);
    let mut facts = vec![
        Fact::new(&READS, reads.and(format!(", in ticks of {unit} below"))),
        Fact::new(&ZEROS, percent(deltas.zero_share)),
        Fact::new(
            &BACKWARDS,
            match deltas.negative {
                0 => format!("none in {}", plural(deltas.reads, "read", "reads")).into(),
                n => Text::toned(Tone::Bad, plural(n, "time", "times")),
            },
        ),
        Fact::new(&LARGEST, format!("{} ({largest})", ticks(deltas.max_ticks))),
    ];
    let h = &deltas.histogram;
    if h.count > 0 {
        let percentiles = Percentile::ALL.iter().filter_map(|percentile| {
            let ns = h.percentile(*percentile)?;
            Some((percentile.name(), ns))
        });
        let texts = percentiles.chain([("max", h.max_ns)]);
        let texts = texts.map(|(name, ns)| format!("{name} {}", short(ns as f64)).into());
        facts.push(Fact::new(&PERCENTILES, Text::dotted(texts)));
    }
    facts.extend(deltas.periods.iter().map(|period| {
        let every = short(period.period_ns);
        let times = plural(period.count, "time", "times");
        let of = period.periods.map(|all| format!(" in {}", plural(all, "period", "periods")));
        let of = of.unwrap_or_default();
        Fact::new(&PERIOD, format!("{} every {every}, {times}{of}", period.name))
    }));
    if let Some(nothing) = &deltas.nothing_measured {
        let text = format!(
            "up to {} ({}{}) in {}",
            ticks(nothing.max_ticks),
            short(nothing.max_ns),
            match nothing.interrupted {
                Some(true) => ", by the kernel".to_owned(),
                Some(false) => format!(", by the {below}"),
                None => String::new(),
            },
            plural(nothing.tries, "try", "tries")
        );
        facts.push(Fact::new(&EMPTY, text));
        if nothing.min_ns < 0.0 {
            let text = format!("an empty interval lasted {}", short(nothing.min_ns));
            facts.push(Fact::new(&BELOW_ZERO, Text::toned(Tone::Bad, text)));
        }
    }
    facts
}

fn ticks(ticks: i64) -> String {
    match ticks {
        1 | -1 => format!("{} tick", signed(ticks)),
        _ => format!("{} ticks", signed(ticks)),
    }
}

fn rows(deltas: &Deltas, detail: Detail) -> Vec<Block> {
    let mut sorted: Vec<&Row> = deltas.rows.iter().collect();
    sorted.sort_by_key(|row| row.ticks);
    let most = sorted.iter().map(|row| row.count).max().unwrap_or(0);
    let long = detail != Detail::Everything && sorted.len() > HEAD + TAIL + 1;
    let (head, rest) = sorted.split_at(if long { HEAD } else { sorted.len() });
    let (cut, tail) = rest.split_at(rest.len().saturating_sub(TAIL));
    let mut table = Rows::shown(columns(), detail, &[]);
    for &row in head {
        table.row(&(deltas, row, height(row.count, most)));
    }
    if !cut.is_empty() {
        let reads = cut.iter().map(|row| row.count).fold(0, u64::saturating_add);
        let remark = format!(
            "{}, {}: -v shows them",
            plural(cut.len() as u64, "row", "rows"),
            plural(reads, "difference", "differences")
        );
        table.group("…", remark);
    }
    for &row in tail {
        table.row(&(deltas, row, height(row.count, most)));
    }
    let table = table.table();
    if table.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(table)];
    if deltas.rows_left_out > 0 {
        let n = deltas.rows_left_out;
        let more = plural(n, "more distinct difference", "more distinct differences");
        let text = format!("The report leaves out {more}.");
        blocks.push(Block::Paragraph(Text::toned(Tone::Dim, text)));
    }
    blocks
}

/// The height of a bar on a logarithmic scale: one row is often a million times another, and both
/// matter.
fn height(count: u64, most: u64) -> f64 {
    match (count, most) {
        (0, _) | (_, 0) => 0.0,
        _ => (count as f64).ln_1p() / (most as f64).ln_1p(),
    }
}

/// A clock's differences, one of them, and the height of its bar.
type Height<'a> = (&'a Deltas, &'a Row, f64);

fn columns<'a>() -> Vec<Of<Height<'a>>> {
    vec![
        column("id", &TICKS, |(deltas, _, _): &Height| Cell::code(&deltas.id)),
        column("ticks", &TICKS, |(_, row, _): &Height| {
            below_zero(Cell::new(Value::Whole(row.ticks)), row)
        })
        .full(0)
        .head("Ticks")
        .right(),
        column("ns", &TIME, |(_, row, _): &Height| {
            below_zero(Cell::number(Some(row.ns)).shown(exact(row.ns)), row)
        })
        .full(0)
        .head("Time (ns)")
        .decimal(),
        column("count", &COUNT, |(_, row, _): &Height| Cell::count(Some(row.count)))
            .full(0)
            .head("Count")
            .right(),
        column("", &COUNT, |(_, row, height): &Height| match row.ticks < 0 {
            true => Cell::text("below zero"),
            false => Cell::new(Value::Bar(*height)).toned(Tone::Name),
        })
        .full(0)
        .head("log scale"),
    ]
}

fn below_zero(cell: Cell, row: &Row) -> Cell {
    match row.ticks < 0 {
        true => cell.toned(Tone::Bad),
        false => cell,
    }
}

/// A difference is an exact number of ticks: rounded to three digits, two rows could look alike.
fn exact(ns: f64) -> String {
    if !ns.is_finite() {
        "-".into()
    } else if ns.abs() < 999.95 {
        format!("{ns:.1}")
    } else {
        units::grouped(ns)
    }
}

static TERMS: &[&Term] = &[
    &READS,
    &ZEROS,
    &BACKWARDS,
    &LARGEST,
    &PERCENTILES,
    &PERIOD,
    &EMPTY,
    &SHARED,
    &TAKEN,
    &BELOW_ZERO,
    &TICKS,
    &TIME,
    &COUNT,
];

static READS: Term = Term {
    names: &["reads"],
    place: "line of deltas",
    unit: "",
    about: "The successive reads that the differences lie between, and the duration of one tick of \
            the table.",
    how: "As --reads asks.",
    act: "",
    references: &[METHOD],
};

static ZEROS: Term = Term {
    names: &["zeros"],
    place: "line of deltas",
    unit: "share of the differences",
    about: "Differences of zero: two successive reads that returned the same value.",
    how: "Their number divided by that of all differences.",
    act: "Many zeros mean that the clock's tick is longer than its read: time many iterations at \
          once, or use a finer clock. There are usually none if the tick is shorter than a read.",
    references: &[METHOD],
};

static BACKWARDS: Term = Term {
    names: &["backwards"],
    place: "line of deltas",
    unit: "",
    about: "How often a read returned less than the one before.",
    how: "Over all reads, on one thread. A counter that wraps has not gone backwards. None is no \
          proof; it is a bound given by the number of reads.",
    act: "Never time anything with a clock that goes backwards: see the finding clock-backwards.",
    references: &["chronoscope explain clock-backwards", METHOD],
};

static LARGEST: Term = Term {
    names: &["largest"],
    place: "line of deltas",
    unit: "ticks, and a duration",
    about: "The longest time between two successive reads: an interrupt, another thread, the \
            hypervisor.",
    how: "Over all differences; none is left out.",
    act: "The clock is not the cause. It shows how far off a single measurement can be.",
    references: &[METHOD],
};

static PERCENTILES: Term = Term {
    names: &["percentiles"],
    place: "line of deltas",
    unit: "a duration",
    about: "That percentage of the differences was no longer than this.",
    how: "From an HDR histogram of all non-negative differences, with three significant digits.",
    act: "n differences say nothing about percentiles above 1 - 1/n, which then equal the maximum.",
    references: &["hdrhistogram.org", METHOD],
};

static PERIOD: Term = Term {
    names: &["period"],
    place: "line of deltas",
    unit: "a duration",
    about: "Long differences that follow each other at the period of a known timer, such as the \
            kernel's tick.",
    how: "The phases of the differences above 1 us are compared with random ones by Rayleigh's \
          test, for 1024, 1000, 300, 250, 100 and 64 Hz. At least half of the periods must have \
          such a difference. The least accidental one is named, if chance would name any in fewer \
          than 1 of 1000 runs.",
    act: "Such interrupts occur in every long measurement. nohz_full and isolcpus keep them away \
          from a CPU.",
    references: &[
        "Linux kernel/Kconfig.hz",
        "Mardia and Jupp, Directional Statistics, 6.3.1",
        METHOD,
    ],
};

static EMPTY: Term = Term {
    names: &["empty interval", "nothing measured"],
    place: "line of deltas",
    unit: "ticks, and a duration",
    about: "The longest empty interval: what a single measurement can show although nothing was \
            done. If it is known, whether the kernel took the time (interrupts, and other threads) \
            or the host of a virtual machine or the firmware.",
    how: "The second read of a pair minus the first, ten million times, or as often as four \
          seconds allow. A null selector in ES, which an interrupt clears, is set before each \
          256 pairs (x86-64 under Linux).",
    act: "A single measurement below this proves nothing. Repeat it, and use the median or the \
          minimum.",
    references: &[METHOD],
};

static SHARED: Term = Term {
    names: &["core shared"],
    place: "line of deltas",
    unit: "a share",
    about: "How often something else used this core's other hardware thread: differences are then \
            longer, and no count of context switches shows it.",
    how: "16 looks before the reads and after each million: independent additions take longer next \
          to a neighbour, and dependent ones do not.",
    act: "Measure again, or on another CPU with --cpu N; see the finding smt-sibling-busy.",
    references: &[METHOD],
};

static TAKEN: Term = Term {
    names: &["time taken"],
    place: "line of deltas",
    unit: "shares of time, and durations",
    about: "What causes the large differences: the share of time that was taken from a spinning \
            thread in gaps of more than a microsecond, by the kernel (interrupts, and other \
            threads) or by the host of a virtual machine or the firmware, which the kernel does \
            not notice.",
    how: "After the reads, for 50 ms. A null selector in ES, which a return from the kernel \
          clears, tells the two apart; that needs x86-64 and Linux, and is tested in each run.",
    act: "If the kernel takes more than 1 %, something else runs on this CPU. What the host takes \
          can only be changed there.",
    references: &[METHOD],
};

static BELOW_ZERO: Term = Term {
    names: &["below zero"],
    place: "line of deltas",
    unit: "a duration",
    about: "An empty interval that ended before it began: the clock went backwards.",
    how: "The smallest of the empty intervals.",
    act: "Do not time with this clock: see the finding clock-backwards.",
    references: &["chronoscope explain clock-backwards"],
};

static TICKS: Term = Term {
    names: &["ticks"],
    place: "column of deltas",
    unit: "ticks",
    about: "A difference as the clock counts it, in the unit that the line reads gives. It need \
            not be the clock's own tick: a clock that returns nanoseconds may change by 52 at a \
            time.",
    how: "Every difference is counted exactly; a report holds at most 4096 of them, the most \
          frequent and the outermost.",
    act: "The gaps between the rows show the tick; a row far from the others shows a disturbance.",
    references: &[METHOD],
};

static TIME: Term = Term {
    names: &["time (ns)"],
    place: "column of deltas",
    unit: "ns",
    about: "The same difference in nanoseconds.",
    how: "Its ticks times the unit; for a counter, by the measured rate.",
    act: "",
    references: &[METHOD],
};

static COUNT: Term = Term {
    names: &["count", "log scale"],
    place: "column of deltas",
    unit: "differences",
    about: "How often this difference was seen. The bar is logarithmic: one row is often a million \
            times another, and both matter.",
    how: "Exactly, for up to 65,536 distinct differences.",
    act: "Two alternating heights mean that the clock's tick does not divide the time of a read; \
          that is not noise.",
    references: &[METHOD],
};
