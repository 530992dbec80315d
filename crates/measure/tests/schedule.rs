//! The table of times in the description of the method matches the schedule.

use chronoscope_measure::engine::schedule::{ALL, Phase, Schedule};
use chronoscope_model::units::short_ns;
use std::fmt::Write;
use std::time::Duration;

const METHOD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/METHOD.md");
/// The text before and after the table.
const MARKS: [&str; 2] = ["<!-- schedule: generated -->\n", "<!-- schedule: end -->\n"];

fn table() -> String {
    let mut text = "| command | time | share | limits | for |\n\
                    | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for schedule in ALL {
        let time = time(schedule);
        let mut lead = format!("| {} | {time} |", schedule.command);
        if schedule.phases.is_empty() {
            let _ = writeln!(text, "{lead} | | |");
        }
        for phase in schedule.phases {
            let (share, limits) = (share(phase.share), limits(phase));
            let row = format!("{lead} {share} | {limits} | {} |", phase.about);
            let _ = writeln!(text, "{}", row.replace("|  |", "| |"));
            lead = "| | |".into();
        }
    }
    text
}

fn human(time: Duration) -> String {
    short_ns(time.as_nanos() as f64)
}

fn time(schedule: &Schedule) -> String {
    match (schedule.time, schedule.per) {
        (Duration::ZERO, _) => "as long as it takes".into(),
        (time, "") => human(time),
        (time, per) => format!("{} for {per}", human(time)),
    }
}

fn share(share: f64) -> String {
    match share * 100.0 {
        0.0 => String::new(),
        percent if percent.fract() < 1e-9 => format!("{percent:.0} %"),
        percent => format!("{percent:.1} %"),
    }
}

fn limits(phase: &Phase) -> String {
    let each = if phase.each { " for each clock" } else { "" };
    let limits = match phase.limits {
        [Duration::ZERO, Duration::MAX] => String::new(),
        [Duration::ZERO, most] => format!("at most {}{each}", human(most)),
        [least, most] if least == most => human(most),
        [least, most] => format!("{} to {}{each}", human(least), human(most)),
    };
    let from = (!phase.from.is_zero()).then(|| format!("if there are {}", human(phase.from)));
    let both = [Some(limits).filter(|text| !text.is_empty()), from];
    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[test]
fn the_table_of_times_in_the_method_is_that_of_the_schedule() {
    let method = std::fs::read_to_string(METHOD).expect("the method").replace("\r\n", "\n");
    let (before, rest) = method.split_once(MARKS[0]).expect("the beginning of the table");
    let (_, after) = rest.split_once(MARKS[1]).expect("the end of the table");
    let wanted = [before, MARKS[0], &table(), MARKS[1], after].concat();
    if std::env::var_os("UPDATE_METHOD").is_some() {
        std::fs::write(METHOD, &wanted).expect("the method can be written");
    } else {
        assert!(
            method == wanted,
            "the table of times is stale: run UPDATE_METHOD=1 cargo test -p chronoscope-measure \
             --test all schedule"
        );
    }
}
