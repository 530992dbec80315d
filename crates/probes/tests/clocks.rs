//! What must hold for every clock that can be read here.

use chronoscope_model::clock::Counts;
use chronoscope_probes::clocks::{Entry, Kind, Opening, Reader, Unit, every};
use std::time::{Duration, Instant};

fn readable() -> impl Iterator<Item = (&'static Entry, Reader)> {
    every().filter_map(|entry| Some((entry, entry.open(Opening::Checked).ok()?)))
}

#[test]
fn what_does_not_step_never_decreases() {
    // The coarsest ticks are not waited for: a clock that stands still decreases neither.
    for (entry, mut reader) in readable() {
        if entry.kind == Kind::Wall || entry.facts.counts == Counts::Cycles {
            continue;
        }
        let mut values = vec![0; 2_000];
        reader.fill(&mut values);
        let back = values.windows(2).filter(|w| w[1] < w[0]).count();
        assert_eq!(back, 0, "{} went back", entry.id);
    }
}

#[test]
fn a_sleep_lasts_as_long_by_every_clock() {
    for (entry, mut reader) in readable() {
        let Unit::Hz(hz) = reader.unit else { continue };
        // Of the peers' instants only coarsetime's is coarse, and it does not say so.
        let unsaid = if entry.id == "coarsetime/instant" {
            10e6
        } else {
            0.0
        };
        // A slow tick makes the test long and shows nothing but itself.
        let tick = reader.nominal_ns.unwrap_or(unsaid);
        if entry.kind == Kind::Cpu || tick > 100e6 {
            continue;
        }
        // A coarse clock is advanced by an interrupt, which on a loaded machine may itself be late
        // now and then: a clock that is wrong is so each time.
        let mut tries = (0..5).map(|_| asleep(&mut reader, hz, tick));
        let first = tries.next();
        if let Some(Err(why)) = first
            && !tries.any(|told| told.is_ok())
        {
            panic!("{}: {why}", entry.id);
        }
    }
}

/// Whether the clock's interval lies within the outer one and around the inner, but for its tick
/// before and after and for a wall clock's slew.
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
    Err(format!("{ns} ns, between {inner} and {outer} by Instant"))
}

#[test]
fn processor_time_grows_with_work() {
    for (entry, mut reader) in readable() {
        let Unit::Hz(hz) = reader.unit else { continue };
        if entry.kind != Kind::Cpu {
            continue;
        }
        let before = reader.value();
        let tick = (reader.nominal_ns.unwrap_or(0.0) * 1e-9 * hz) as u64;
        // Bounded by turns too, so that a clock that stands still fails and does not hang.
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
fn a_nominal_resolution_is_a_duration_and_a_range_is_one() {
    for (entry, reader) in readable() {
        if let Some(ns) = reader.nominal_ns {
            assert!(ns > 0.0 && ns <= 1e9, "{}: {ns} ns", entry.id);
        }
        assert!((24..=64).contains(&reader.range.bits), "{}", entry.id);
    }
}

/// A thread that has forbidden the TSC to itself: no clock may read it, or the test dies.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_forbidden_counter_is_a_reason_and_no_signal() {
    let banned = std::thread::spawn(|| {
        // SAFETY: PR_SET_TSC changes a flag of this thread only.
        let set = unsafe { libc::prctl(libc::PR_SET_TSC, 2) };
        if set != 0 {
            return None;
        }
        let mut names = Vec::new();
        for (entry, mut reader) in readable() {
            reader.throughput(9);
            reader.value();
            names.push(entry.id);
        }
        Some(names)
    });
    // An emulator may not know the ban; then there is nothing to see.
    let Some(names) = banned.join().unwrap() else {
        return;
    };
    assert!(names.contains(&"linux/monotonic-syscall"), "{names:?}");
    assert!(names.iter().all(|id| !id.contains("rdtsc")), "{names:?}");
}
