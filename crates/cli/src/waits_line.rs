//! The live line of a run of waits.

use chronoscope_model::units;
use chronoscope_model::waits::Load;
use chronoscope_survey::WaitsProgress;

/// The state of a run behind the bar, the most important first: a narrow terminal cuts off the end.
pub fn text(progress: &WaitsProgress) -> String {
    let time = |ns: f64| units::human_ns(ns);
    let mut text = String::new();
    if progress.load != Load::None {
        text += &format!("load {}, ", progress.load.name());
    }
    text += &progress.samples.to_string();
    if let Some(wanted) = progress.wanted {
        text += &format!(" of {wanted}");
    }
    text += " waits";
    if progress.missed > 0 {
        text += &format!(", {} missed", progress.missed);
    }
    text += &format!(", max {}", time(progress.max_ns as f64));
    for (name, ns) in [("p99", progress.p99_ns), ("p50", progress.p50_ns)] {
        text += &ns.map_or(String::new(), |ns| format!(" {name} {}", time(ns as f64)));
    }
    let now = progress.now_ns.map(|ns| format!(" now {}", time(ns as f64)));
    text + &now.unwrap_or_default()
}

/// A time of seconds or longer, without more digits than a glance needs.
pub fn whole(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round();
    match seconds {
        ..120.0 => format!("{seconds} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_hours_shows_the_largest_wait_before_the_usual_ones() {
        let progress = WaitsProgress {
            samples: 7_200_000,
            missed: 12_345,
            now_ns: Some(55_300),
            p50_ns: Some(55_300),
            p99_ns: Some(123_000),
            max_ns: 12_300_000,
            ..WaitsProgress::default()
        };
        let all = "7200000 waits, 12345 missed, max 12.3 ms p99 123 us p50 55.3 us now 55.3 us";
        assert_eq!(text(&progress), all);
    }

    #[test]
    fn a_run_under_a_load_names_it_first() {
        let progress = WaitsProgress {
            load: Load::Normal,
            samples: 3,
            wanted: Some(10_000),
            ..WaitsProgress::default()
        };
        assert!(text(&progress).starts_with("load normal, 3 of 10000 waits"));
        assert_eq!([whole(119.0), whole(120.0), whole(9000.0)], ["119 s", "2 min", "2.5 h"]);
    }
}
