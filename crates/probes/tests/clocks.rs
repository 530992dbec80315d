//! What must hold for every clock that can be read here.

use chronoscope_model::clock::Counts;
use chronoscope_probes::clocks::{Entry, Kind, Opening, Reader, Unit, every};
use std::time::{Duration, Instant};

fn readable() -> impl Iterator<Item = (&'static Entry, Reader)> {
    every().filter_map(|entry| Some((entry, entry.open(Opening::Checked).ok()?)))
}

#[test]
fn clocks_that_are_not_stepped_never_decrease() {
    // This does not wait for the coarsest ticks: a clock that stands still does not decrease
    // either.
    for (entry, mut reader) in readable() {
        if entry.kind == Kind::Wall || entry.facts.counts == Counts::Cycles {
            continue;
        }
        let mut values = vec![0; 2_000];
        reader.fill(&mut values);
        let back = values.windows(2).filter(|w| w[1] < w[0]).count();
        assert_eq!(back, 0, "{} went backwards", entry.id);
    }
}

#[test]
fn every_clock_shows_the_same_duration_of_a_sleep() {
    for (entry, mut reader) in readable() {
        let Unit::Hz(hz) = reader.unit else { continue };
        // Of the peers' instants, only that of coarsetime is coarse, and it does not report that.
        let unsaid = if entry.id == "coarsetime/instant" { 10e6 } else { 0.0 };
        // A slow tick would make the test long and show nothing else.
        let tick = reader.nominal_ns.unwrap_or(unsaid);
        if entry.kind == Kind::Cpu || tick > 100e6 {
            continue;
        }
        // An interrupt advances a coarse clock, and on a loaded machine it may be late now and
        // then. A clock that is wrong is wrong every time.
        let mut tries = (0..5).map(|_| asleep(&mut reader, hz, tick));
        let first = tries.next();
        if let Some(Err(why)) = first
            && !tries.any(|tried| tried.is_ok())
        {
            panic!("{}: {why}", entry.id);
        }
    }
}

/// Checks that the clock's interval lies within the outer one and contains the inner one, except
/// for its tick at both ends and for the slew of a wall clock.
fn asleep(reader: &mut Reader, hz: f64, tick: f64) -> Result<(), String> {
    let outer = Instant::now();
    let before = reader.value();
    let inner = Instant::now();
    std::thread::sleep(Duration::from_millis(20));
    let inner = inner.elapsed().as_nanos() as f64;
    let after = reader.value();
    let outer = outer.elapsed().as_nanos() as f64;
    let ns = after.wrapping_sub(before) as f64 / hz * 1e9;
    let slack = tick + 0.02 * outer;
    if ns > inner - slack && ns < outer + slack {
        return Ok(());
    }
    Err(format!("{ns} ns instead of {inner} to {outer} ns by Instant"))
}

#[test]
fn cpu_time_grows_with_work() {
    for (entry, mut reader) in readable() {
        let Unit::Hz(hz) = reader.unit else { continue };
        if entry.kind != Kind::Cpu {
            continue;
        }
        let before = reader.value();
        let tick = (reader.nominal_ns.unwrap_or(0.0) * 1e-9 * hz) as u64;
        // The number of iterations is bounded, so that a clock that stands still fails the test and
        // does not hang it.
        let moved = (0..100_000).any(|_| {
            (0..10_000u64).for_each(|i| {
                std::hint::black_box(i);
            });
            reader.value() > before + 3 * tick
        });
        assert!(moved, "{} stands still", entry.id);
    }
}

#[test]
fn nominal_resolutions_and_ranges_are_plausible() {
    for (entry, reader) in readable() {
        if let Some(ns) = reader.nominal_ns {
            assert!(ns > 0.0 && ns <= 1e9, "{}: {ns} ns", entry.id);
        }
        assert!((24..=64).contains(&reader.range.bits), "{}", entry.id);
    }
}

/// A thread forbids itself to read the TSC: no clock may read it then, or the test is killed.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_forbidden_counter_gives_a_reason_and_raises_no_signal() {
    let banned = std::thread::spawn(|| {
        // SAFETY: PR_SET_TSC changes a flag of this thread only.
        let set = unsafe { libc::prctl(libc::PR_SET_TSC, 2) };
        if set != 0 {
            return None;
        }
        let mut names = Vec::new();
        for (entry, mut reader) in readable() {
            reader.throughput(0, 9);
            reader.value();
            names.push(entry.id);
        }
        Some(names)
    });
    // An emulator may not support the ban; then there is nothing to check.
    let Some(names) = banned.join().unwrap() else {
        return;
    };
    assert!(names.contains(&"linux/monotonic-syscall"), "{names:?}");
    assert!(names.iter().all(|id| !id.contains("rdtsc")), "{names:?}");
}
