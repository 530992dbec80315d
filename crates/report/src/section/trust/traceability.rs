//! What a stored run of `trust --against` shows to those who must prove how far their clocks are
//! from UTC.

use crate::block::{Block, Fact, Text, Tone};
use crate::clean::clean;
use crate::number::{plural, short};
use chronoscope_model::Report;
use chronoscope_model::against::{Against, Interval, Source};
use chronoscope_model::units::bounded_ns;

/// The rows of `limits.md`: a limit in nanoseconds, for whom it is, and where it stands.
fn limits() -> impl Iterator<Item = (f64, &'static str, &'static str)> {
    include_str!("limits.md").lines().filter_map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        Some((cells.next()?.parse().ok()?, cells.next()?, cells.next()?))
    })
}

/// The measured bound next to each limit, the path to the source, and the date.
pub fn page(report: &Report) -> Vec<Block> {
    let Some(against) = &report.against else {
        let why = "No other clock was asked: run `chronoscope trust --against ntp:HOST --json`.";
        return vec![Block::paragraph(why)];
    };
    // Of the others, nothing says how far they are from UTC.
    let (known, others): (Vec<&Source>, Vec<&Source>) =
        against.answered().partition(|it| it.knows_utc());
    let bound = bound(against, &known);
    let measured = match bound {
        Some(wall) => {
            let [middle, half] = wall.middle();
            let way = if middle < 0.0 { "behind" } else { "ahead of" };
            let off = bounded_ns(middle.abs(), half);
            format!("{off} {way} UTC, so within {}", short(furthest(&wall)))
        }
        None => {
            "not known: no source that says how far it is from UTC agrees with the others".into()
        }
    };
    let mut blocks = vec![Block::remarked("Traceability to UTC", measured.clone())];
    let run = &report.run;
    let mut facts = vec![
        Fact::new("measured bound", measured),
        Fact::new("date", format!("{}, asked since {}", clean(&run.finished), clean(&run.started))),
        Fact::new(
            "method",
            "exchanges timed by a clock that nothing sets or slews; no delay can \
                             falsify the bound",
        ),
        Fact::new("tool", format!("chronoscope {}", clean(&run.tool_version))),
    ];
    if !against.set.is_empty() {
        let times = plural(against.set.len() as u64, "time", "times");
        facts.push(Fact::new("meanwhile", format!("the wall clock was set {times}")));
    }
    facts.extend(known.iter().map(|source| Fact::new("path", path(source))));
    for source in others {
        facts.push(Fact::new(
            "not used",
            format!("{}: it does not say how far it is from UTC", source.id),
        ));
    }
    blocks.push(Block::Facts(facts));
    for (ns, of, law) in limits() {
        let (tone, verdict) = match &bound {
            Some(wall) if furthest(wall) <= ns => (Tone::Good, "met"),
            Some(wall) if wall.at_least() > ns => (Tone::Bad, "not met"),
            _ => (Tone::Warn, "not shown"),
        };
        let of = format!(": {} of {of} ({law})", short(ns));
        blocks.push(Block::Paragraph(Text::toned(tone, verdict).and(of)));
    }
    let legend = "It holds at that date, for the clock of this machine, and if what the source \
                  says of its own error is true. Whether the source itself is traceable to UTC, \
                  its operator says. How finely events are stamped, and where in the system, \
                  is not shown. In the EU, Regulation 2025/1155 has repealed RTS 25: compare \
                  the limits of its annex IV.";
    blocks.push(Block::legend(legend));
    blocks
}

/// How far the wall clock can be off.
fn furthest(wall: &Interval) -> f64 {
    wall.low.abs().max(wall.high.abs())
}

/// What all of these prove that agree with most: each of their intervals holds.
fn bound(against: &Against, known: &[&Source]) -> Option<Interval> {
    // One that most contradict, or sources that contradict each other, prove nothing.
    against.wall_ns.as_ref()?;
    let right = known.iter().filter(|it| it.agrees != Some(false)).filter_map(|it| it.wall_ns);
    right.min_by(|a, b| (a.high - a.low).total_cmp(&(b.high - b.low)))
}

/// How the time came here.
fn path(source: &Source) -> String {
    let stratum = source.stratum.map(|it| format!("stratum {it}"));
    let own =
        source.root_distance_ns.map(|ns| format!("{} from UTC by its own account", short(ns)));
    let trip = source.round_trip_ns.map(|ns| format!("round trip {}", short(ns)));
    let answers = format!("{} answers in {}", source.answers, short(source.seconds * 1e9));
    let wrong = (source.agrees == Some(false)).then(|| "contradicted by most".to_owned());
    let parts: Vec<String> =
        [stratum, own, trip, Some(answers), wrong].into_iter().flatten().collect();
    format!("{}: {}", clean(&source.id), parts.join(", "))
}
