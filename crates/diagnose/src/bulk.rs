//! How fast the calls were that were really made, by the million.

use chronoscope_model::clock::{Clock, Speed};
use chronoscope_model::clock_source::SLOW_NS;

/// From here on a call is slow: a system call of a slow kernel, or a read of a device.
const DEVICE_NS: f64 = 1000.0;

/// Judges each clock by what a call takes, whatever else was measured.
pub(crate) fn judge(clocks: &mut [Clock]) {
    for bulk in clocks.iter_mut().filter_map(|clock| clock.bulk.as_mut()) {
        bulk.speed = Some(match bulk.ns_per_call() {
            ns if ns < SLOW_NS => Speed::Fast,
            ns if ns < DEVICE_NS => Speed::Ok,
            _ => Speed::Slow,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::Bulk;

    /// The speeds of clocks whose calls take this long.
    fn speeds(ns: &[f64]) -> Vec<Option<Speed>> {
        let bulk = |ns: &f64| Bulk { calls: 1_000_000, ms: *ns, speed: None };
        let clock = |ns| Clock { bulk: Some(bulk(ns)), ..Clock::default() };
        let mut clocks: Vec<Clock> = ns.iter().map(clock).collect();
        judge(&mut clocks);
        clocks.into_iter().map(|clock| clock.bulk.and_then(|it| it.speed)).collect()
    }

    #[test]
    fn a_speed_does_not_depend_on_what_else_was_called() {
        let all = [8.0, 22.0, 350.0, 1120.0];
        assert_eq!(speeds(&all), [Speed::Fast, Speed::Fast, Speed::Ok, Speed::Slow].map(Some));
        for ns in all {
            assert_eq!(
                speeds(&[ns])[0],
                speeds(&all)[all.iter().position(|it| *it == ns).unwrap()]
            );
        }
    }
}
