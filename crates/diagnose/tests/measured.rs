//! Faults that are found by figures: those of a run, and those of clocks that were watched.

use crate::machines;

use chronoscope_diagnose::{examine, faults, judge};
use chronoscope_model::against::{Against, Interval, Source};
use chronoscope_model::change::{self, Change};
use chronoscope_model::clock::{Backwards, BuiltOn, Comparison, Discipline, Kind, Reads, Standing};
use chronoscope_model::environment::{Hypervisor, Rate, RateKind, Timer};
use chronoscope_model::finding::Outcome;
use chronoscope_model::ordering::{Handed, Ordering};
use chronoscope_model::timekeeping::{Adjtimex, Distances, Moved, Timekeeping};
use chronoscope_model::trust::{
    Contended, Contention, Jump, Offset, Pair, Pause, Paused, RateAgainst, Sandwich, Series, Slew,
    Step, StepSeen, Trust, VmClock, Wall, Watch,
};
use chronoscope_model::waits::{Kind as WaitKind, Wait, WholeTicks};
use chronoscope_model::why::{Why, Worst};
use chronoscope_model::{Finding, Level, Report};

/// A healthy machine, watched for a while.
fn healthy() -> Report {
    let mut report = machines::tsc();
    report.run.seconds = 10.0;
    report.run.moved = Some(Moved { wall_ns: 40, suspended_ns: Some(-30), error_ns: 200 });
    report.environment.keeping = Some(Timekeeping {
        adjtimex: Some(Adjtimex { tick_us: 10_000, ..Adjtimex::default() }),
        ..Timekeeping::default()
    });
    let watch = |id: &str, kind, built_on| Watch {
        id: id.into(),
        kind,
        facts: Some(chronoscope_model::clock::Facts { built_on, ..Default::default() }),
        ..Watch::default()
    };
    report.trust = Some(Trust {
        clocks: vec![
            watch("counter", Kind::Counter, BuiltOn::Counter),
            watch("raw", Kind::Monotonic, BuiltOn::ClockSource),
            watch("wall", Kind::Wall, BuiltOn::ClockSource),
        ],
        contention: vec![contention(20.0, 24.0)],
        sandwiches: vec![Sandwich {
            id: "raw".into(),
            system_call: "call".into(),
            tries: 1000,
            ..Sandwich::default()
        }],
        wall: Some(Wall::default()),
        ..Trust::default()
    });
    report
}

fn contention(one: f64, two: f64) -> Contention {
    let point = |threads, ns: f64| Contended { threads, ns, low_ns: ns * 0.98, high_ns: ns * 1.02 };
    Contention { id: "raw".into(), points: vec![point(1, one), point(2, two)] }
}

fn with(change: impl FnOnce(&mut Report)) -> Report {
    let mut report = healthy();
    change(&mut report);
    examine(&mut report);
    report
}

fn watched(change: impl FnOnce(&mut Trust)) -> Report {
    with(|report| change(report.trust.as_mut().expect("set above")))
}

/// The finding with this id, with a part of its evidence.
fn found<'a>(report: &'a Report, id: &str, part: &str) -> &'a Finding {
    let finding = report.findings.iter().find(|finding| finding.id == id);
    let finding = finding.unwrap_or_else(|| panic!("no {id} in {:#?}", report.findings));
    assert!(finding.evidence.join("\n").contains(part), "{part}: {finding:?}");
    finding
}

#[test]
fn a_healthy_machine_that_was_watched_has_no_warning() {
    let report = with(|_| ());
    let grave = report.findings.iter().filter(|it| it.level > Level::Info);
    assert_eq!(grave.count(), 0, "{:#?}", report.findings);
    assert_eq!(report.checks.len(), faults::ALL.len());
}

#[test]
fn steps_slews_and_suspension_are_told_apart() {
    let moved = |wall_ns, suspended_ns| {
        with(|report| {
            report.run.moved =
                Some(Moved { wall_ns, suspended_ns: Some(suspended_ns), error_ns: 500 });
        })
    };
    let back = moved(-3_000_000_000, 0);
    found(&back, "clock-stepped", "3 s backwards");
    found(&moved(2_000_000, 0), "clock-stepped", "forwards");
    let asleep = moved(0, 7_000_000_000);
    found(&asleep, "suspended", "7 s more");
    assert!(!asleep.findings.iter().any(|it| it.id == "clock-stepped"));
    // The effect of an interrupt between two reads is not a step.
    assert!(moved(90_000, 90_000).findings.iter().all(|it| it.level == Level::Info));
    let seen = watched(|trust| {
        trust.wall.as_mut().expect("set above").steps.push(Step {
            at_s: 2.5,
            by_ns: -5e8,
            seen: StepSeen::Both,
        });
    });
    found(&seen, "clock-stepped", "after 2.5 s");
    let slewed = watched(|trust| {
        trust.wall.as_mut().expect("set above").slew =
            Some(Slew { ppm: 400.2, error_ppm: 0.5, most_ppm: 500.0 });
    });
    found(&slewed, "clock-slewed", "+400.2");
}

#[test]
fn jumps_pauses_and_moves_of_the_machine_are_found() {
    let jump = |id: &str| {
        watched(|trust| {
            trust.watched.jumps.push(Jump {
                at_s: 1.0,
                id: id.into(),
                against: "raw".into(),
                ns: 4e9,
                tolerance_ns: 2000.0,
            });
        })
    };
    found(&jump("counter"), "tsc-jump", "moved by 4 s against raw");
    assert!(jump("wall").findings.iter().all(|it| it.id != "tsc-jump"));
    let pause = |ns, paused| {
        watched(|trust| {
            trust.watched.pauses.push(Pause { at_s: 3.0, ns, paused, ..Pause::default() });
        })
    };
    assert_eq!(found(&pause(5e9, Paused::Machine), "vm-paused", "5 s").level, Level::Warning);
    assert_eq!(found(&pause(2e8, Paused::Machine), "vm-paused", "200 ms").level, Level::Info);
    let stopped = watched(|trust| {
        trust.watched.standstills.push(Jump {
            at_s: 9.0,
            id: "rtc".into(),
            ns: 5.1e9,
            tolerance_ns: 2e9,
            ..Jump::default()
        });
    });
    let line = "until 9.0 s: rtc advanced by 5.1 s, to within 2 s, and all other clocks stood";
    assert_eq!(found(&stopped, "vm-paused", line).level, Level::Warning);
    // A busy machine is not a paused machine.
    for busy in [pause(5e9, Paused::Thread), pause(5e9, Paused::Unknown)] {
        assert!(busy.findings.iter().all(|it| it.id != "vm-paused"));
    }
    let vmclock = |marker, generation| {
        with(|report| {
            report.environment.hypervisor = Some(Hypervisor::default());
            let trust = report.trust.as_mut().expect("set above");
            trust.watched.vmclock =
                Some(VmClock { disruption_marker: marker, generation, ..VmClock::default() });
        })
    };
    found(&vmclock([4, 6], None), "vm-migrated", "disruption_marker 4, later 6");
    found(&vmclock([4, 6], Some([1, 2])), "vm-restored", "vm_generation_counter 1, later 2");
    let still = vmclock([4, 4], Some([1, 1]));
    let check = still.checks.iter().find(|check| check.id == "vm-migrated");
    assert_eq!(check.map(|check| check.outcome), Some(Outcome::Clear));
}

#[test]
fn cpus_that_disagree_and_clocks_that_go_back_while_they_are_watched_are_found() {
    let apart = |offset_ns, round_trip_ns| {
        watched(|trust| {
            trust.matrix.id = "rust".into();
            trust.matrix.pairs = vec![Pair {
                handed: Handed {
                    cpus: [0, 1],
                    turns: 2500,
                    backwards: 1294,
                    worst_ns: 20_445_523.0,
                },
                offsets: vec![Offset {
                    offset_ns,
                    uncertainty_ns: round_trip_ns / 2.0,
                    round_trip_ns,
                    ..Offset::default()
                }],
                ..Pair::default()
            }];
        })
    };
    let line = "rust: CPU 1 is ahead of CPU 0 by 20.4 ms, to within 1.3 us; 1,294 of 2,500";
    found(&apart(20_446_244.0, 2605.0), "counter-out-of-step", line);
    found(&apart(-20_446_244.0, 2605.0), "counter-out-of-step", "CPU 0 is ahead of CPU 1");
    let line = "rust: CPU 1 got ahead of CPU 0 during the run; 1,294";
    found(&apart(11e6, 0.0), "counter-out-of-step", line);
    // Reads that are not ordered step back too, and show nothing about the counters.
    let unordered = apart(-900.0, 2605.0);
    assert!(unordered.findings.iter().all(|it| it.id != "counter-out-of-step"));
    let back = watched(|trust| {
        trust.clocks[1].one_thread = Some(Backwards { tries: 9000, violations: 2, worst_ns: 1e6 });
    });
    let line = "raw: 2 of 9,000 reads returned less than the one before, by up to 1 ms";
    assert_eq!(found(&back, "clock-backwards", line).level, Level::Error);
}

#[test]
fn reads_that_disagree_queue_or_trap_are_found() {
    let sandwich = watched(|trust| {
        let seen = &mut trust.sandwiches[0];
        (seen.below, seen.worst_ns) = (3, 41_000.0);
    });
    assert_eq!(found(&sandwich, "vdso-disagrees", "3 of 1,000").level, Level::Error);
    // If the system call itself went back, the clock was stepped, and nothing disagrees.
    let stepped = watched(|trust| {
        let seen = &mut trust.sandwiches[0];
        (seen.below, seen.calls_backwards) = (3, 1);
    });
    assert!(stepped.findings.iter().all(|it| it.id != "vdso-disagrees"));
    let queued = |one, two| watched(|trust| trust.contention = vec![contention(one, two)]);
    let level = |report: &Report| found(report, "contended-read", "with one thread").level;
    assert_eq!(level(&queued(600.0, 12_000.0)), Level::Warning);
    assert_eq!(level(&queued(600.0, 2400.0)), Level::Info);
    assert!(queued(20.0, 40.0).findings.iter().all(|it| it.id != "contended-read"));
    let trapped = with(|report| {
        for clock in &mut report.clocks {
            if clock.facts.as_ref().is_some_and(|facts| facts.reads == Reads::Counter) {
                clock.cost.throughput = Some(machines::estimate(1200.0, 13.0));
                clock.cost.latency = None;
            }
        }
    });
    found(&trapped, "tsc-emulated", "1.20 us per read");
    let early = with(|report| {
        let read = |clock: &&mut chronoscope_model::Clock| {
            clock.facts.as_ref().is_some_and(|facts| facts.reads == Reads::Counter)
        };
        let clock = report.clocks.iter_mut().find(read).expect("a counter");
        clock.ordering = Some(Ordering {
            promised: Some(false),
            handed: Some(Handed { cpus: [0, 1], turns: 1000, backwards: 7, worst_ns: 30.0 }),
            ..Ordering::default()
        });
    });
    assert_eq!(found(&early, "unordered-read", "7 of 1,000 hand-overs").level, Level::Info);
}

#[test]
fn calls_that_a_sandbox_refuses_are_named_with_the_error() {
    let refused = |reason: &str| {
        with(|report| {
            report.waits.push(Wait {
                id: "posix/clock-nanosleep".into(),
                call: "clock_nanosleep(CLOCK_MONOTONIC, 0, …)".into(),
                unavailable_reason: Some(format!("clock_nanosleep: {reason}")),
                ..Wait::default()
            });
        })
    };
    for error in ["Operation not permitted (os error 1)", "Function not implemented (os error 38)"]
    {
        let report = refused(error);
        assert_eq!(found(&report, "sleeps-refused", error).level, Level::Error);
    }
    let left_out = refused("left out by --for");
    assert!(left_out.findings.iter().all(|it| it.id != "sleeps-refused"));
}

#[test]
fn counters_that_moved_against_each_other_have_no_impossible_interval() {
    let report = with(|report| {
        let handed = Handed { cpus: [0, 1], turns: 1000, backwards: 5, ..Handed::default() };
        let pair = chronoscope_model::ordering::Pair {
            handed,
            exchanges: 1000,
            low_ns: 500.0,
            high_ns: -500.0,
        };
        report.environment.across_cpus = Some(chronoscope_model::ordering::AcrossCpus {
            pairs: vec![pair],
            ..Default::default()
        });
    });
    let evidence = &found(&report, "counter-out-of-step", "moved against each other").evidence;
    assert!(evidence.iter().all(|line| !line.contains("500 to -500")), "{evidence:?}");
}

#[test]
fn order_is_ruled_out_only_if_an_unordered_clock_was_tested() {
    let tested = |reads: Reads| {
        let mut report = with(|report| {
            for clock in &mut report.clocks {
                let handed = Handed { turns: 1000, ..Handed::default() };
                let tested = Ordering { handed: Some(handed), ..Ordering::default() };
                clock.ordering = clock.reads(reads).then_some(tested);
            }
        });
        examine(&mut report);
        let check = report.checks.iter().find(|check| check.id == "unordered-read");
        check.expect("it is looked for").outcome
    };
    assert_eq!(tested(Reads::SystemCall), Outcome::Unknown);
    assert_eq!(tested(Reads::Counter), Outcome::Clear);
}

#[test]
fn rates_are_judged_by_what_they_were_compared_with() {
    let against = |ppm: f64, standing| {
        watched(|trust| {
            trust.rates.push(RateAgainst {
                id: "raw".into(),
                against: "chrony".into(),
                ppm,
                low_ppm: ppm - 1.0,
                high_ppm: ppm + 1.0,
                standing,
                ..RateAgainst::default()
            });
        })
    };
    found(&against(-450.0, Standing::Independent), "watchdog-off", "-450.0 ±1.0 ppm");
    for fine in [
        against(-80.0, Standing::Independent),
        against(-450.0, Standing::SameOscillator),
        against(f64::NAN, Standing::Independent),
    ] {
        assert!(fine.findings.iter().all(|it| it.id != "watchdog-off"));
    }
    let same = with(|report| {
        let tsc = report.environment.tsc.as_mut().expect("a TSC");
        tsc.rates.push(Rate {
            source: "measured".into(),
            kind: RateKind::Measured,
            hz: Some(2.6e9),
            compared: Some(Comparison {
                with: "raw".into(),
                standing: Standing::SameOscillator,
                ..Comparison::default()
            }),
            ..Rate::default()
        });
    });
    found(&same, "rate-off-everywhere", "same oscillator");
    let wild = with(|report| {
        let ruler = report.ruler.as_mut().expect("a ruler");
        ruler.is_counter = true;
        ruler.hz_error_ppm = f64::INFINITY;
    });
    found(&wild, "bad-calibration", "inf ppm");
}

#[test]
fn a_changed_clock_source_is_named_with_what_the_kernel_says() {
    let report = with(|report| {
        report.run.changed = vec![Change {
            fact: change::CLOCK_SOURCE.into(),
            before: "tsc".into(),
            after: "hpet".into(),
        }];
        let line = "tsc: Marking TSC unstable due to clocksource watchdog";
        report.environment.kernel_log.push(line.into());
    });
    found(&report, "clocksource-changed", "tsc, later hpet");
    found(&report, "clocksource-changed", "Marking TSC unstable");
    assert!(report.findings.iter().all(|it| it.id != "changed-during-run"));
}

#[test]
fn sleeps_that_end_at_a_tick_are_told_from_late_ones() {
    let slept = |min_ns, samples| {
        with(|report| {
            report.waits = vec![Wait {
                id: "sleep".into(),
                available: true,
                kind: WaitKind::Sleep,
                requested_ns: Some(500_000),
                slack_ns: Some(50_000),
                min_ns,
                samples,
                ..Wait::default()
            }];
        })
    };
    found(&slept(3_400_000, 60), "coarse-tick", "3.4 ms late");
    assert!(slept(80_000, 60).findings.iter().all(|it| it.id != "coarse-tick"));
    // A few can all be late by chance.
    assert!(slept(3_400_000, 3).findings.iter().all(|it| it.id != "coarse-tick"));
    // Where the kernel's timers are finer than a tick, something else made them late.
    let mut fine = slept(3_400_000, 60);
    let keeping = fine.environment.keeping.get_or_insert_default();
    keeping.timer_resolution_ns = Some(1);
    fine.findings.clear();
    judge(&mut fine);
    assert!(fine.findings.iter().all(|it| it.id != "coarse-tick"));
    // Sleeps that took whole ticks, if most of them did.
    let ticked = |whole| {
        let mut report = slept(80_000, 60);
        let it = WholeTicks { tick_ns: 15_625_000, late: 60, whole, usual: 7 };
        report.waits[0].whole_ticks = Some(it);
        report.findings.clear();
        judge(&mut report);
        report
    };
    found(&ticked(58), "coarse-tick", "58 of 60 waits took whole ticks of 15.625 ms");
    assert!(ticked(20).findings.iter().all(|it| it.id != "coarse-tick"));
}

#[test]
fn interrupts_of_the_firmware_are_told_from_none_and_from_no_count() {
    let outcome = |smis: Option<u64>| {
        let report = with(|report| {
            report.environment.hypervisor = None;
            report.environment.cpu.vendor = Some("GenuineIntel".into());
            report.waits = vec![Wait {
                id: "sleep".into(),
                why: Some(Why {
                    smis,
                    worst: vec![Worst {
                        at_s: 1.5,
                        late_ns: 220_000,
                        smis: smis.unwrap_or(0),
                        ..Worst::default()
                    }],
                    ..Why::default()
                }),
                ..Wait::default()
            }];
        });
        let check = report.checks.iter().find(|check| check.id == "smi");
        (check.expect("it is looked for").outcome, report)
    };
    assert_eq!(outcome(None).0, Outcome::Unknown);
    assert_eq!(outcome(Some(0)).0, Outcome::Clear);
    let (found_it, report) = outcome(Some(2));
    assert_eq!(found_it, Outcome::Found);
    let late = "at 1.50 s: 220 us late, with 2 interrupts";
    assert_eq!(found(&report, "smi", late).level, Level::Warning);
}

#[test]
fn other_systems_have_their_own_faults() {
    let on = |os: &str, change: fn(&mut Report)| {
        with(|report| {
            let env = &mut report.environment;
            env.os = os.into();
            (env.clocksource, env.vdso, env.keeping) = (None, None, None);
            change(report);
        })
    };
    let mac = on("macOS 15.1", |report| {
        for clock in &mut report.clocks {
            if let Some(seen) = &mut clock.resolution {
                seen.tick_ns = Some(1000.0);
            }
        }
    });
    found(&mac, "macos-monotonic-us", "1 us");
    let qpc = |hz: f64, evidence: &str| Timer {
        name: "QPC".into(),
        present: Some(true),
        hz: Some(hz),
        evidence: evidence.into(),
    };
    let mut report = healthy();
    report.environment.os = "Windows 10".into();
    report.environment.timers = vec![qpc(14_318_180.0, "the rate of an HPET: read through")];
    examine(&mut report);
    assert_eq!(found(&report, "qpc-on-hpet", "14318180 Hz").level, Level::Warning);
    report.environment.timers = vec![
        qpc(2_531_250.0, "the TSC shifted right by 10: 1024 TSC ticks per tick"),
        Timer { name: "clock interrupt".into(), hz: Some(64.0), ..Timer::default() },
    ];
    examine(&mut report);
    found(&report, "qpc-shifted", "1024");
    found(&report, "timer-resolution-15ms", "64.0 Hz");
    let requests = |present| Timer {
        name: "timer requests".into(),
        present: Some(present),
        evidence: "ProcessPowerThrottling: requests ignored yes".into(),
        ..Timer::default()
    };
    report.environment.timers.push(requests(false));
    examine(&mut report);
    found(&report, "timer-requests-ignored", "requests ignored yes");
    // Wine does not say it.
    report.environment.timers.last_mut().expect("it was found").present = None;
    examine(&mut report);
    let check = report.checks.iter().find(|check| check.id == "timer-requests-ignored");
    assert_eq!(check.map(|check| check.outcome), Some(Outcome::Unknown));
}

/// A guest whose host, or whose servers, show another time.
#[test]
fn clocks_outside_of_the_machine_show_what_it_cannot_see() {
    let source = |id: &str, host, [low, high]: [f64; 2]| Source {
        id: id.into(),
        host,
        wall_ns: Some(Interval { low, best: (low + high) / 2.0, high }),
        ..Source::default()
    };
    let asked = |sources: Vec<Source>| {
        let mut report = healthy();
        report.environment.hypervisor = Some(Hypervisor::default());
        let pause = Pause { at_s: 3.0, ns: 64e9, paused: Paused::Machine, ..Pause::default() };
        report.trust.as_mut().expect("watched").watched.pauses = vec![pause];
        report.against = Some(Against { sources, ..Against::default() });
        report
    };
    let examined = |mut report: Report| {
        examine(&mut report);
        report
    };
    let of = |id: &str, ends| examined(asked(vec![source(id, id != "ntp:a", ends)]));
    let behind = of("rtc:/dev/rtc0", [-64.0005e9, -63.9995e9]);
    let lines = found(&behind, "guest-behind", "64.00000 ±0.00050 s behind rtc:/dev/rtc0");
    assert!(lines.evidence[1].contains("the machine was paused for 64 s"), "{lines:?}");
    let mut dated = asked(vec![source("vmclock", true, [-64e9, -64e9])]);
    dated.trust.as_mut().expect("watched").series =
        Some(Series { started: "2026-03-01T11:59:58Z".into(), ..Series::default() });
    dated.environment.kernel_log =
        vec!["rtc_cmos 00:02: setting system clock to 2026-03-01T10:00:00 UTC (1772359200)".into()];
    for (wall_s, words) in [(1_772_359_195, "nothing has set it"), (1_772_362_800, "by about 1 h")]
    {
        let distances =
            Distances { wall_ns: wall_s * 1_000_000_000, boot_ns: Some(0), error_ns: 1 };
        dated.environment.keeping.get_or_insert_default().distances = Some(distances);
        let report = examined(dated.clone());
        let lines = found(&report, "guest-behind", "since 2026-03-01 12:00:01 UTC: the machine");
        assert!(lines.evidence.iter().any(|it| it.contains(words)), "{lines:?}");
    }
    found(&of("vmclock", [2e9, 2.1e9]), "guest-ahead", "ahead of vmclock");
    let outcome = |report: &Report, id: &str| {
        let mut checks = report.checks.iter();
        checks.find(|check| check.id == id).expect("it is looked for").outcome
    };
    assert_eq!(outcome(&of("vmclock", [-4e9, 4e9]), "guest-behind"), Outcome::Clear);
    // A boot leaves as much.
    assert_eq!(outcome(&of("rtc:/dev/rtc0", [-9e8, -8.9e8]), "guest-behind"), Outcome::Clear);
    // A time zone, and a server, which is not the host.
    assert_eq!(outcome(&of("rtc:/dev/rtc0", [-3.6e12, -3.6e12]), "guest-behind"), Outcome::Unknown);
    assert_eq!(outcome(&of("ntp:a", [-64e9, -63e9]), "guest-behind"), Outcome::Unknown);

    let two = [source("ntp:a", false, [0.0, 1e6]), source("ntp:b", false, [5e6, 6e6])];
    found(&examined(asked(two.into())), "sources-disagree", "ntp:b");
    let mut off = asked(vec![source("ntp:a", false, [5e6, 6e6])]);
    off.environment.discipline =
        Some(Discipline { synchronised: true, max_error_ns: 1e6, ..Discipline::default() });
    // Only a source that states how far it is from UTC shows that.
    assert_eq!(outcome(&examined(off.clone()), "error-understated"), Outcome::Unknown);
    off.against.as_mut().expect("asked").sources[0].root_distance_ns = Some(2e6);
    found(&examined(off), "error-understated", "off by 5 ms at least, by ntp:a");
}

/// What chronyd believes counts if the kernel corrects by it; else, what the kernel allows for.
#[test]
fn a_rate_beyond_the_error_that_is_claimed_for_it_is_found() {
    let judged = |proved: [f64; 2], correction_ppm| {
        let interval = |[low, high]: [f64; 2]| Some(Interval { low, best: low, high });
        let source = |id: &str, counter_ppm, believed_ppm| Source {
            id: id.into(),
            wall_ns: interval([0.0, 1e6]),
            root_distance_ns: Some(1e6),
            counter_ppm,
            believed_ppm,
            ..Source::default()
        };
        let chrony = Some(Interval { low: 11.9, best: 12.0, high: 12.1 });
        let sources = vec![
            source("ntp:a", interval(proved), None),
            source("chrony", interval([700.0, 701.0]), chrony),
        ];
        let discipline = Discipline { synchronised: true, correction_ppm, ..Discipline::default() };
        with(|report| {
            report.against = Some(Against { sources, ..Against::default() });
            report.environment.discipline = Some(discipline);
        })
    };
    let outcome = |report: &Report| {
        let mut checks = report.checks.iter();
        checks.find(|check| check.id == "rate-misjudged").expect("it is looked for").outcome
    };
    let both = "ntp:a proves that the counter is +19.400 to +30.600 ppm fast; chrony allows for \
                +11.900 to +12.100 ppm";
    found(&judged([19.4, 30.6], -12.0), "rate-misjudged", both);
    found(&judged([-30.6, 11.8], -12.0), "rate-misjudged", "-30.600 to +11.800 ppm");
    assert_eq!(outcome(&judged([12.0, 30.6], -12.0)), Outcome::Clear);
    // chronyd's belief is not in effect, so that it is one of the clocks that prove something.
    let kernel = "chrony proves that the counter is +700.000 to +701.000 ppm fast; the kernel \
                  allows for -500.000 to +500.000 ppm";
    found(&judged([19.4, 30.6], 0.0), "rate-misjudged", kernel);
    // An offset is being slewed away.
    assert_eq!(outcome(&judged([19.4, 30.6], -9000.0)), Outcome::Unknown);
}

/// Facts that matter only to someone who looks for faults are not in every report.
#[test]
fn minor_facts_are_left_to_doctor() {
    let mut report = healthy();
    judge(&mut report);
    assert_eq!(report.findings, Vec::new());
    assert!(report.checks.is_empty());
    examine(&mut report);
    found(&report, "tai-unset", "tai 0 s");
}
