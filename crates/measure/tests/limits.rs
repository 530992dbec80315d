//! The results of a measurement that has little time, or that is interrupted.

use chronoscope_measure::deltas;
use chronoscope_measure::engine::Time;
use chronoscope_measure::engine::fake::{Disturbance, Fake, FakeClock};
use chronoscope_measure::loops::measure_calls;
use std::time::Duration;

#[test]
fn reads_and_calls_keep_within_the_available_time() {
    for cost_ns in [20.0, 300.0, 50_000.0] {
        let clock = FakeClock { cost_ns, ..FakeClock::default() };
        let mut host = Fake::new(vec![clock], Disturbance::default(), 1);
        let longest = Duration::from_millis(200);
        let mut spent = |what: &mut dyn FnMut(&mut Fake)| {
            let start = host.elapsed();
            what(&mut host);
            (host.elapsed() - start).as_secs_f64()
        };
        let mut found = None;
        let took = spent(&mut |host| {
            found = deltas::measure(host, 0, 1 << 40, 1 << 40, Some(longest), |_| ());
        });
        let found = found.expect("there was time");
        assert_eq!(found.wanted, Some(1 << 40));
        assert!(
            (0.12..0.24).contains(&took) && found.nothing_measured.is_some(),
            "{took} s of {} reads at {cost_ns} ns",
            found.reads
        );
        let counted: u64 = found.rows.iter().map(|row| row.count).sum();
        assert!(counted < found.reads && found.reads as f64 * cost_ns < 2e8);

        let mut found = None;
        let took = spent(&mut |host| found = measure_calls(host, 0, Some(longest), |_| ()));
        let found = found.expect("there was time");
        assert_eq!(found.passes.len(), 3);
        assert!(took < 0.24, "{took} s of {:?} at {cost_ns} ns", found.counts);
        assert!(found.counts[0] as f64 * cost_ns * 6.0 < 2e8);
    }
}

#[test]
fn an_interrupt_leaves_the_passes_that_are_complete() {
    // An empty batch is timed 64 times first, and a pass takes six batches.
    for (batches, passes) in [(64, None), (68, None), (69, Some(1)), (75, Some(2)), (90, Some(3))] {
        let mut host = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1);
        host.interrupt_after = Some(batches);
        let found = measure_calls(&mut host, 0, None, |_| ());
        assert_eq!(found.map(|found| found.passes.len()), passes, "{batches}");
    }
    let mut host = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1);
    host.interrupt_after = Some(0);
    assert!(deltas::measure(&mut host, 0, 1000, 1000, None, |_| ()).is_none());
}
