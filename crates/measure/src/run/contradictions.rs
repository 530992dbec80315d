//! Results that contradict each other. They are shown as measured, with a note that names the
//! cause.

use crate::engine::notes;
use chronoscope_model::clock::Clock;
use chronoscope_model::{Estimate, Note};

/// The median of the batches may lie outside the interval by this share of the cost, because
/// delays are one-sided.
const ONE_SIDED: f64 = 0.02;

pub(crate) fn notes(clocks: &[Clock]) -> Vec<Note> {
    let named = |is: fn(&Clock) -> bool| -> Vec<&str> {
        let found = clocks.iter().filter(|clock| is(clock));
        found.map(|clock| clock.id.as_str()).collect()
    };
    let mut found = Vec::new();
    let above = named(is_above_ordered);
    if !above.is_empty() {
        found.push(notes::above_ordered(&above));
    }
    let outside = named(has_median_outside);
    if !outside.is_empty() {
        found.push(notes::median_outside(&outside));
    }
    found
}

/// Back-to-back reads may overlap and ordered ones may not, so they should not cost more.
fn is_above_ordered(clock: &Clock) -> bool {
    let costs = clock.cost.throughput.as_ref().zip(clock.cost.latency.as_ref());
    costs.is_some_and(|(back_to_back, ordered)| back_to_back.low_ns > ordered.high_ns)
}

/// If most batches took longer than the interval allows, the estimate is not what a read usually
/// costs.
fn has_median_outside(clock: &Clock) -> bool {
    let outside = |cost: &Estimate| {
        let median = cost.median_ns - cost.empty_ns;
        let slack = ONE_SIDED * cost.value_ns;
        median > cost.high_ns + slack || median < cost.low_ns - slack
    };
    clock.cost.throughput.as_ref().is_some_and(outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::Cost;

    fn clock(back_to_back: f64, ordered: f64, median: f64) -> Clock {
        let estimate = |value: f64| Estimate {
            value_ns: value,
            low_ns: value * 0.99,
            high_ns: value * 1.01,
            median_ns: median,
            ..Estimate::default()
        };
        Clock {
            id: "fake/clock".into(),
            cost: Cost {
                throughput: Some(estimate(back_to_back)),
                latency: Some(estimate(ordered)),
                ..Cost::default()
            },
            ..Clock::default()
        }
    }

    #[test]
    fn only_what_cannot_be_is_noted() {
        let ids = |clock: Clock| -> Vec<String> {
            notes(&[clock]).into_iter().map(|note| note.id).collect()
        };
        assert!(ids(clock(20.0, 25.0, 20.1)).is_empty());
        assert!(ids(clock(20.0, 19.9, 20.0)).is_empty());
        assert_eq!(ids(clock(240.0, 201.0, 240.0)), ["above-ordered"]);
        assert_eq!(ids(clock(20.0, 25.0, 24.0)), ["median-outside"]);
        assert!(notes(&[Clock::default()]).is_empty());
    }
}
