//! The measuring thread on this machine, for some seconds. This test runs alone, because it must be
//! prepared before any thread is started.

use chronoscope_fleet::exporter::{Settings, measure};
use chronoscope_fleet::rounds::Board;
use chronoscope_survey::{Interrupt, start_up};
use std::thread;
use std::time::{Duration, Instant};

/// A round of each kind is due within seconds; a loaded machine may take much longer.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() {
    start_up();
    let (board, interrupt) = (Board::default(), Interrupt::default());
    // So much that nothing is skipped on a slow machine.
    let settings =
        Settings { budget: 0.5, start_now: true, keep_report: true, against: Vec::new() };
    thread::scope(|scope| {
        let measuring = scope.spawn(|| measure(&settings, &board, &interrupt));
        let began = Instant::now();
        let judged = || board.notice().is_some_and(|notice| !notice.report.is_empty());
        while !judged() && began.elapsed() < PATIENCE && !measuring.is_finished() {
            thread::sleep(Duration::from_millis(100));
        }
        interrupt.set();
        measuring.join().expect("it does not panic");
    });
    let notice = board.notice().expect("something was put up");
    assert_eq!(notice.health.failed, None, "{:?}", notice.health.absent);
    assert!(
        notice.health.absent.iter().all(|why| why.contains(": ")),
        "{:?}",
        notice.health.absent
    );
    assert!(notice.answers.open_metrics.ends_with(b"# EOF\n"));
    let report = chronoscope_report::json::read(&notice.report).expect("a report");
    assert!(!report.clocks.is_empty() && report.clocks.len() <= 8);
    assert!(report.clocks.iter().any(|clock| clock.read_ns().is_some_and(|ns| ns > 0.0)));
    assert!(report.clocks.iter().all(|clock| clock.cost.cold.is_none()));
    assert!(report.waits.iter().any(|wait| wait.samples > 0) && report.waits.len() <= 6);
    assert!(!report.checks.is_empty());
    assert_eq!(report.run.argv, ["chronoscope", "serve"]);
    println!("absent here: {:?}", notice.health.absent);
    println!("the measuring thread ran");
}
