//! The comparison, as Markdown.

use super::chronoscope::{Cost, Ours};
use super::{IDS, Interval, Run};
use crate::sh;
use serde_json::Value;
use std::fmt::Write;

/// The part of docs/RESULTS.md.
pub fn part(ours: &[Ours], google: &[Run<f64>], criterion: Option<&Run<Interval>>) -> String {
    let mut text = String::from("## Cost of a read, against Google Benchmark and criterion\n\n");
    head(&mut text, &ours[0]);
    text += "\nNanoseconds per read. Google Benchmark: the cheapest repetition of all rounds, which is one at the \
             highest frequency of the core, and nothing is taken off for its loop. So it is held against \
             chronoscope's *raw* figure, brought to the highest frequency that it saw, in the cheapest round. \
             Beside it: medians over the rounds, at the usual frequency.\n\n\
             | clock | Google Benchmark | chronoscope, fastest | ratio | usual | less the empty loop |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |\n";
    let mut worst: f64 = 1.0;
    for id in IDS {
        let least = google.iter().filter_map(|run| run.of.get(id)).copied();
        let Some(least) = least.reduce(f64::min) else {
            continue;
        };
        let costs: Vec<_> = ours
            .iter()
            .filter_map(|run| run.run.of.get(id).copied())
            .collect();
        let fastest = costs.iter().map(|cost| cost.fastest_ns).reduce(f64::min);
        let middle = |part: fn(&Cost) -> f64| median(costs.iter().map(part).collect());
        let (Some(fastest), Some(raw), Some(value)) =
            (fastest, middle(|c| c.raw_ns), middle(|c| c.value_ns))
        else {
            let _ = writeln!(text, "| `{id}` | {least:.2} | not measured | | | |");
            continue;
        };
        let ratio = fastest / least;
        worst = worst.max(ratio).max(1.0 / ratio);
        let _ = writeln!(
            text,
            "| `{id}` | {least:.2} | {fastest:.2} | {ratio:.3} | {raw:.2} | {value:.2} |"
        );
    }
    let _ = writeln!(
        text,
        "\nAll are within {:.1} % of Google Benchmark's.",
        (worst - 1.0) * 100.0
    );
    if let Some(criterion) = criterion {
        width(&mut text, ours, criterion);
    }
    text
}

/// The time each tool took, and how sure it was then.
fn width(text: &mut String, ours: &[Ours], criterion: &Run<Interval>) {
    let time = median(ours.iter().map(|run| run.run.time.as_secs_f64()).collect()).unwrap_or(0.0);
    let theirs = criterion.time.as_secs_f64();
    let _ = write!(
        text,
        "\nTime for the whole list, and half the 95 % interval then: chronoscope {time:.1} s, criterion at its \
         defaults {theirs:.1} s, {:.1} times as long.\n\n\
         | clock | chronoscope | criterion |\n| --- | ---: | ---: |\n",
        theirs / time
    );
    for id in IDS {
        let ours = median(
            ours.iter()
                .filter_map(|run| run.run.of.get(id))
                .map(|cost| cost.interval().percent())
                .collect(),
        );
        if let (Some(ours), Some(theirs)) = (ours, criterion.of.get(id)) {
            let _ = writeln!(
                text,
                "| `{id}` | ±{ours:.2} % | ±{:.2} % |",
                theirs.percent()
            );
        }
    }
}

/// Machine, date and command.
fn head(text: &mut String, ours: &Ours) {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let environment = &ours.environment;
    let machine: Vec<_> = [
        word(&environment["cpu"]["model"]),
        word(&environment["hypervisor"]["name"]).map(|name| format!("under {name}")),
        word(&environment["os"]),
        word(&environment["kernel"]).map(|release| format!("kernel {release}")),
        word(&environment["clocksource"]["current"]).map(|name| format!("clock source {name}")),
        word(&ours.ruler["id"]).map(|id| format!("ruler {id}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let date =
        sh::capture(sh::program("date").args(["--utc", "+%F %H:%M UTC"])).unwrap_or_default();
    let _ = writeln!(
        text,
        "`cargo xtask crosscheck`, {}. {}.",
        date.trim(),
        machine.join(", ")
    );
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
    }
}
