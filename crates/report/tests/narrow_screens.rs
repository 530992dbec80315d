//! Screens of 60 columns, and of 30.

use crate::samples;

use chronoscope_report::section::{Detail, clocks, waits};
use chronoscope_report::text::{self, Style};

#[test]
fn the_ids_of_clocks_are_not_broken() {
    let style = Style { width: 60, ..Style::default() };
    let report = samples::full();
    let screen = text::section(&clocks::SECTION, &report, Detail::Full, &style);
    let measured = report.clocks.iter().filter(|clock| clock.read_ns().is_some());
    for clock in measured {
        let times = screen.matches(&clock.id).count();
        assert!(times >= 2, "{} is in {times} tables of\n{screen}", clock.id);
    }
    for family in ["posix/", "linux/", "x86/"] {
        let broken = screen.lines().find(|line| line.trim_end().ends_with(family));
        assert_eq!(broken, None, "{screen}");
    }
}

#[test]
fn a_terminal_of_30_columns_wraps_at_words() {
    let style = Style { width: 30, ..Style::default() };
    let report = samples::full();
    for screen in [
        text::summary(&report, &style),
        text::section(&clocks::SECTION, &report, Detail::Full, &style),
        text::section(&waits::SECTION, &samples::waits::report(), Detail::Full, &style),
    ] {
        let cut = |line: &&str| line.chars().count() > 30 || line.ends_with('…');
        assert_eq!(screen.lines().find(cut), None, "{screen}");
    }
}
