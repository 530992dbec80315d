//! When a run is in doubt as a whole: the machine was busy, or it changed.

use crate::machines;

use chronoscope_diagnose::judge;
use chronoscope_diagnose::run::{self, OFF};
use chronoscope_model::change::{self, Change};
use chronoscope_model::noise::NoiseCause;
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
    assert_eq!(found.evidence[0], "the tool waited 2.50 s of 10.0 s for the CPU");
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

/// It is late only once in each time slice of the other work, so its median is that of an idle
/// machine.
#[test]
fn a_spin_that_shares_its_cpu_shows_a_busy_machine() {
    let spin = |share, change: fn(&mut Wait)| {
        busy(|report| {
            let mut wait = Wait {
                id: "busy/tsc".into(),
                kind: Kind::Busy,
                samples: 40,
                available: true,
                cpu_share: Some(share),
                involuntary_switches: Some(43),
                ..Wait::default()
            };
            (wait.overshoot.p50_ns, wait.overshoot.count) = (Some(80), 40);
            change(&mut wait);
            report.waits.push(wait);
        })
    };
    let found = spin(0.497, |_| {}).expect("a finding");
    assert_eq!(found.evidence[0], "busy/tsc spun, and got 49.7 % of its CPU");
    assert_eq!(spin(0.97, |_| {}), None);
    assert_eq!(spin(f64::NAN, |_| {}), None);
    let others: [fn(&mut Wait); 4] = [
        |wait| wait.kind = Kind::Hybrid,
        |wait| wait.load = Load::Normal,
        |wait| wait.involuntary_switches = Some(0),
        |wait| wait.scheduling = "fifo:40".into(),
    ];
    for change in others {
        assert_eq!(spin(0.497, change), None);
    }
}

/// Medians of samples may be steady although others had the CPU for half of the time.
#[test]
fn samples_that_others_delayed_show_a_busy_machine() {
    let lost = |cause: &str, lost| {
        busy(|report| {
            let causes = vec![NoiseCause { cause: cause.into(), pieces: 0.2, lost }];
            report.noise = Some(chronoscope_model::noise::Noise {
                good_to: 0.0069,
                causes,
                ..Default::default()
            });
        })
    };
    let found = lost("preempted", 0.517).expect("a finding");
    assert_eq!(found.level, Level::Warning);
    assert_eq!(found.evidence[0], "others took 51.7 % of the time of the samples");
    assert_eq!(lost("preempted", 0.004), None);
    assert_eq!(lost("interrupted", 0.2), None);
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

/// The machine after this change, judged, and the reasons why its run is in doubt.
fn with_noise(change: impl FnOnce(&mut Noise)) -> (Report, Vec<String>) {
    let mut report = machines::tsc();
    change(noise(&mut report));
    judge(&mut report);
    let reasons = report.run.disturbed.iter().map(|it| it.id.clone()).collect();
    (report, reasons)
}

#[test]
fn a_disturbed_run_says_why_and_its_intervals_are_wider_once() {
    let (calm, reasons) = with_noise(|noise| noise.shared = Some(0.2));
    assert!(reasons.is_empty() && calm.run.disturbed.is_empty());
    let (mut shared, reasons) = with_noise(|noise| noise.shared = Some(0.99));
    assert_eq!(reasons, ["core-shared"]);
    assert!(shared.run.disturbed[0].text.contains("99.0 %"));
    let halves = |report: &Report| {
        let costs = report.clocks.iter().flat_map(|clock| {
            let cost = &clock.cost;
            [&cost.throughput, &cost.latency, &cost.cold, &cost.first]
        });
        costs.flatten().map(|cost| (cost.value_ns, cost.half_ns())).collect::<Vec<_>>()
    };
    assert!(!halves(&calm).is_empty());
    for ((ns, half), (same, wider)) in halves(&calm).into_iter().zip(halves(&shared)) {
        assert_eq!(ns, same);
        assert!((wider - half.hypot(ns * OFF)).abs() < 1e-9 * ns, "{half} to {wider} of {ns}");
    }
    // A report that is stored, read and judged again stays as it is.
    let once = halves(&shared);
    judge(&mut shared);
    assert_eq!(once, halves(&shared));
}

/// Reports of earlier versions have no such key, and what shows it all the same.
#[test]
fn old_reports_show_whether_their_runs_were_disturbed() {
    let seen = |change: fn(&mut Noise)| {
        let mut report = machines::tsc();
        change(noise(&mut report));
        run::reasons(&report).into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert!(seen(|_| ()).is_empty());
    assert_eq!(seen(|noise| noise.shared = Some(0.3)), ["core-shared"]);
    let fell = |noise: &mut Noise, by: f64| {
        let core = noise.core.as_mut().expect("gauged");
        core.low_hz = core.hz * (1.0 - by);
    };
    let [mut calm, mut slow] = [machines::tsc(), machines::tsc()];
    fell(noise(&mut calm), 0.05);
    fell(noise(&mut slow), 0.08);
    assert!(run::reasons(&calm).is_empty());
    assert_eq!(run::reasons(&slow)[0].id, "frequency-spread");
    for share in [f64::NAN, 0.25, -1.0] {
        assert!(with_noise(|noise| noise.shared = Some(share)).1.is_empty());
    }
    assert!(run::reasons(&Report::default()).is_empty());
}
