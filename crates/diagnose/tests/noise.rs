//! When a run is in doubt as a whole: the machine was busy, or it changed.

mod machines;

use chronoscope_diagnose::judge;
use chronoscope_model::change::{self, Change};
use chronoscope_model::run::Noise;
use chronoscope_model::waits::{Kind, Load, Wait};
use chronoscope_model::{Finding, Level, Report};

/// The only finding of a healthy machine with this change.
fn busy(change: impl FnOnce(&mut Report)) -> Option<Finding> {
    let mut report = machines::tsc();
    report.run.seconds = 10.0;
    change(&mut report);
    judge(&mut report);
    assert!(report.findings.iter().all(|finding| finding.id == "noisy-machine"));
    report.findings.pop()
}

fn noise(report: &mut Report) -> &mut Noise {
    &mut report.ruler.as_mut().expect("a ruler").noise
}

#[test]
fn a_thread_that_waits_for_its_cpu_shows_a_busy_machine() {
    let found = busy(|report| noise(report).run_queue_ms = Some(2_500.0)).expect("a finding");
    assert_eq!(found.level, Level::Warning);
    assert!(found.affects_all);
    assert_eq!(found.evidence[0], "its thread waited 2.50 s of 10.0 s for the CPU");
    assert_eq!(busy(|report| noise(report).run_queue_ms = Some(90.0)), None);
    assert_eq!(busy(|report| noise(report).run_queue_ms = Some(f64::NAN)), None);
}

#[test]
fn one_disturbed_batch_in_twenty_shows_a_busy_machine() {
    let of_a_thousand = |disturbed| {
        busy(|report| (noise(report).batches, noise(report).disturbed) = (1_000, disturbed))
    };
    assert!(of_a_thousand(89).is_some_and(|it| it.evidence[0].contains("8.9 %")));
    assert_eq!(of_a_thousand(20), None);
}

#[test]
fn a_late_spin_shows_a_busy_machine() {
    let late = |kind, load, samples| {
        busy(|report| {
            let mut wait = Wait {
                id: "busy/tsc".into(),
                kind,
                load,
                samples,
                available: true,
                max_ns: 16_000_000,
                ..Wait::default()
            };
            wait.overshoot.p50_ns = Some(12_300_000);
            wait.overshoot.count = samples;
            report.waits.push(wait);
        })
    };
    let found = late(Kind::Busy, Load::None, 40).expect("a finding");
    assert_eq!(found.evidence[0], "half of the waits by busy/tsc ended 12.3 ms late or more");
    // A sleep may end late on a quiet machine, our own load may delay it, and few prove nothing.
    for (kind, load, samples) in
        [(Kind::Sleep, Load::None, 40), (Kind::Busy, Load::Normal, 40), (Kind::Busy, Load::None, 4)]
    {
        assert_eq!(late(kind, load, samples), None);
    }
}

#[test]
fn the_load_counts_if_nothing_shows_what_it_did() {
    let loaded = |change: fn(&mut Noise)| {
        busy(|report| {
            report.environment.load = Some([900.0, 1.0, 1.0]);
            change(noise(report));
        })
    };
    // It may have been on other CPUs, or before the run.
    assert_eq!(loaded(|noise| noise.run_queue_ms = Some(50.0)), None);
    assert_eq!(loaded(|noise| noise.run_queue_ms = None), None);
    let unseen = loaded(|noise| (noise.run_queue_ms, noise.involuntary_switches) = (None, None));
    let unseen = unseen.expect("a finding");
    assert_eq!(unseen.level, Level::Info);
    assert!(unseen.evidence[0].contains("900"), "{unseen:?}");
}

#[test]
fn a_machine_that_changed_is_a_finding_with_both_values() {
    let mut report = machines::tsc();
    report.run.changed = vec![Change {
        fact: change::CLOCK_SOURCE.into(),
        before: "tsc".into(),
        after: "kvm-clock".into(),
    }];
    judge(&mut report);
    let [found] = report.findings.as_slice() else {
        panic!("{:?}", report.findings);
    };
    assert!(found.id == "clocksource-changed" && found.affects_all);
    assert_eq!(found.evidence, ["current_clocksource: tsc, later kvm-clock"]);
}
