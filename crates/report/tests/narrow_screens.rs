//! Screens of 60 columns.

#[path = "../../diagnose/tests/machines/mod.rs"]
mod machines;
mod samples;

use chronoscope_report::section::{Detail, clocks};
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
