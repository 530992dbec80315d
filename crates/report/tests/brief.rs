//! The report in two lines.

use crate::samples;

use chronoscope_model::waits::{Kind, Load};
use chronoscope_model::{Finding, Report, Wait};
use chronoscope_report::text::{self, Style};

fn plain(report: &Report, width: usize) -> String {
    let style = Style { width, ..Style::default() };
    text::brief(report, &style)
}

fn sleep(load: Load, max_ns: i64) -> Wait {
    Wait { id: "a/sleep".into(), samples: 100, load, max_ns, ..Wait::default() }
}

#[test]
fn the_lines_have_what_a_bug_report_needs() {
    let mut report = samples::full();
    report.run.tool_version = "0.1.0".into();
    report.findings = ["noisy-machine", "no-vdso"]
        .map(|id| Finding { id: id.into(), ..Finding::default() })
        .to_vec();
    let spin = Wait { kind: Kind::Busy, ..sleep(Load::None, 9_000_000) };
    report.waits = vec![
        sleep(Load::None, 80_000),
        sleep(Load::None, 120_000),
        sleep(Load::Normal, 5_000_000),
        spin,
    ];
    insta::assert_snapshot!("brief", plain(&report, 80));
}

#[test]
fn they_are_two_whatever_the_report_and_the_width() {
    let extreme = samples::extreme("\u{1b}[2Jline\nline", f64::NAN, u64::MAX);
    for report in [Report::default(), samples::full(), samples::troubled(), extreme] {
        let text = plain(&report, 80);
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(!text.contains('\u{1b}') && text.ends_with('\n'), "{text}");
        assert_eq!(text, plain(&report, 20));
    }
}
