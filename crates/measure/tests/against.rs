//! What exchanges prove, on simulated networks whose truth is known: it must be inside of every
//! interval, whatever the network does.

use crate::exchanges::{
    MINUTE, SECOND, Truth, UTC, delay, exchange, holds, of_the_tool, read_late,
};
use chronoscope_measure::against::local::is_after;
use chronoscope_measure::against::packets::whole_second;
use chronoscope_measure::against::region::{Exchange, Region, Verdict, agreed};
use chronoscope_measure::against::sources::halving;
use chronoscope_measure::against::{Track, concluded};
use chronoscope_model::against::{Interval, Source as Found};
use proptest::prelude::*;

#[test]
fn the_truth_is_inside_of_every_interval_of_10_000_exchanges() {
    let (mut rng, mut missed, mut made) = (fastrand::Rng::with_seed(1), 0, 0);
    let (mut late, mut believed) = (0, 0);
    for run in 0..20 {
        let truth = Truth { ahead: UTC + rng.i64(0..MINUTE), ppb: rng.i64(-99_000..99_000) };
        let mut region = Region::default();
        let mut arrived: Vec<Exchange> = Vec::new();
        for nth in 1..=500_i64 {
            let error = rng.i64(0..200_000);
            let mut one = exchange(truth, nth * SECOND, &mut rng, error);
            made += 1;
            let [received, read] = read_late(&one, &mut rng);
            assert!((one.received..=read).contains(&received), "run {run}, {nth}");
            (late, believed) = (late + read - one.received, believed + received - one.received);
            one.received = received;
            // One in ten is lost, another comes twice, and another is overtaken by the next.
            match rng.u8(0..10) {
                0 => {}
                1 => arrived.extend([one, one]),
                2 if !arrived.is_empty() => {
                    let place = arrived.len() - 1;
                    arrived.insert(place, one);
                }
                _ => arrived.push(one),
            }
            if arrived.len() > 2 {
                let next = arrived.remove(0);
                assert_eq!(region.add(&next), Verdict::Agrees, "run {run}, {nth}");
                let now = next.received + rng.i64(0..SECOND);
                let bounds = region.at(now).expect("no contradiction");
                let now = now.max(region.span() + SECOND);
                let inside = holds(bounds.offset, truth.ahead_at(now))
                    || holds(region.at(now).expect("the same").offset, truth.ahead_at(now));
                let rate = truth.ppb as f64 / 1e3;
                let inside =
                    inside && bounds.rate_ppm.is_none_or(|[low, high]| low <= rate && rate <= high);
                missed += i32::from(!inside);
            }
        }
    }
    assert_eq!((missed, made), (0, 10_000));
    println!("{believed} of {late} ns late are left");
    assert!(believed < late / 2, "{believed} of {late} ns late are left");
}

/// Half of the rates, in parts per million, that some line through all exchanges has: every pair of
/// them is compared. Whatever a method does, each of these rates fits all stamps.
fn possible_ppm(all: &[Exchange]) -> f64 {
    let later = |(nth, a)| all[nth + 1..].iter().map(move |b: &Exchange| (a, b));
    let pairs = all.iter().enumerate().flat_map(later);
    let upper = |it: &Exchange| (it.sent, it.latest - it.sent);
    let lower = |it: &Exchange| (it.received, it.earliest - it.received);
    let slope = |a: (i64, i64), b: (i64, i64)| (b.1 - a.1) as f64 / (b.0 - a.0) as f64 * 1e6;
    let slopes = pairs.map(|(a, b)| [slope(upper(a), lower(b)), slope(lower(a), upper(b))]);
    let [low, high] = slopes.fold([f64::MIN, f64::MAX], |so_far, [low, high]| {
        [so_far[0].max(low), so_far[1].min(high)]
    });
    (high - low) / 2.0
}

/// What the best two exchanges prove by themselves, in parts per million: ± the mean of their round
/// trips and errors, over the time between them.
fn of_two_ppm(all: &[Exchange]) -> f64 {
    let later = |(nth, a)| all[nth + 1..].iter().map(move |b: &Exchange| (a, b));
    let middle = |it: &Exchange| (it.sent + it.received) as f64 / 2.0;
    let proved = |(a, b): (&Exchange, &Exchange)| {
        (a.width() + b.width()) as f64 / 2.0 / (middle(b) - middle(a)) * 1e6
    };
    all.iter().enumerate().flat_map(later).map(proved).fold(f64::MAX, f64::min)
}

/// One thousand clocks for two minutes and for ten: each planted rate is inside, and no bound is
/// wider than what the same exchanges leave possible, or than what two of them prove, by more than
/// the wander. How that compares with the quickest round trip of all over the whole time depends on
/// how soon delays are short near both ends: after ten minutes, always soon enough.
#[test]
fn the_proved_rate_is_as_narrow_as_the_exchanges_allow() {
    let mut rng = fastrand::Rng::with_seed(2);
    for (seconds, at_least) in [(120, 980), (600, 1000)] {
        let mut ratios = Vec::new();
        for _ in 0..1000 {
            let truth = Truth { ahead: UTC, ppb: rng.i64(-300_000..300_000) };
            let (mut region, all) = (Region::default(), of_the_tool(truth, seconds, &mut rng));
            assert!(all.iter().all(|one| region.add(one) == Verdict::Agrees));
            let [low, high] = region.at(0).and_then(|it| it.rate_ppm).expect("a rate");
            let rate = truth.ppb as f64 / 1e3;
            assert!(low <= rate && rate <= high, "{low} {rate} {high}");
            let (half, possible) = ((high - low) / 2.0, possible_ppm(&all));
            assert!(half <= possible + 0.11, "±{half} where ±{possible} is possible");
            let of_two = of_two_ppm(&all);
            assert!(half <= of_two + 0.11, "±{half} where two alone prove ±{of_two}");
            let quickest = all.iter().map(Exchange::width).min().unwrap_or(0);
            ratios.push(half / (quickest as f64 / region.span() as f64 * 1e6));
        }
        ratios.sort_by(f64::total_cmp);
        let near = ratios.partition_point(|ratio| *ratio <= 1.2);
        println!("{seconds} s: {:.3}, most {:.3}, {near} within 1.2", ratios[500], ratios[999]);
        assert!(near >= at_least, "{near} within 1.2");
    }
}

/// The goal for the rate: with delays that do not vary, the bound is that of the two outermost
/// exchanges.
#[test]
fn with_equal_delays_the_rate_is_the_width_over_the_time() {
    for (ppb, seconds) in [(25_000, 60_i64), (-80_000, 200), (3_000, 2_000)] {
        let truth = Truth { ahead: UTC, ppb };
        let mut region = Region::default();
        for nth in 0..=seconds {
            let sent = SECOND * (1 + nth);
            let stamp = truth.at(sent + 100_000);
            let received = sent + 200_000;
            region.add(&Exchange { sent, received, latest: stamp, earliest: stamp });
        }
        let [low, high] = region.at(0).and_then(|it| it.rate_ppm).expect("a rate");
        let allowed = 200_000.0 / region.span() as f64 * 1e6;
        assert!(low <= ppb as f64 / 1e3 && ppb as f64 / 1e3 <= high);
        assert!((high - low) / 2.0 <= 1.2 * allowed + 0.06, "{low} {high} {allowed}");
    }
}

/// Oscillators wander with the temperature, by less than is allowed for.
#[test]
fn a_rate_that_wanders_stays_inside() {
    let mut rng = fastrand::Rng::with_seed(3);
    let (mut region, mut ahead) = (Region::default(), UTC as f64);
    for nth in 1..=3600_i64 {
        let wander = 20.0 * (nth as f64 / 500.0).sin();
        ahead += 10_000.0 + wander;
        let truth = Truth { ahead: ahead as i64, ppb: 0 };
        let one = exchange(truth, nth * SECOND, &mut rng, 1_000);
        assert_eq!(region.add(&one), Verdict::Agrees, "after {nth} s");
        let bounds = region.at(one.received).expect("bounds");
        assert!(holds(bounds.offset, ahead as i64), "after {nth} s");
    }
}

#[test]
fn a_clock_that_was_set_contradicts_and_the_step_is_inside() {
    let mut rng = fastrand::Rng::with_seed(4);
    for step in [-70 * SECOND, -20_000_000, 20_000_000, 41_250 * SECOND] {
        let mut region = Region::default();
        let truth = Truth { ahead: UTC, ppb: 12_000 };
        for nth in 1..60 {
            region.add(&exchange(truth, nth * SECOND, &mut rng, 0));
        }
        let later = Truth { ahead: UTC + step, ..truth };
        let Verdict::Contradicts(by) = region.add(&exchange(later, MINUTE, &mut rng, 0)) else {
            panic!("a step of {step} ns was not noticed")
        };
        assert!(holds(by, step), "{by:?} {step}");
    }
}

/// A machine that stands still for 1 to 60 s with its counter, a thousand times, also while an
/// exchange is on its way: each is named with its length, and nothing else is in a day without.
#[test]
fn each_gap_is_named_with_its_length_and_nothing_else_is() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut truth = Truth { ahead: UTC, ppb: 23_000 };
    let mut track = Track::new(Found::default(), 0);
    let (mut now, mut right) = (SECOND, 0);
    for _ in 0..1000 {
        let (gap, before) = (rng.i64(SECOND..60 * SECOND), rng.usize(5..20));
        track.found.contradictions.clear();
        for nth in 0..before + 5 {
            let one = exchange(truth, now, &mut rng, 30_000);
            let mut seen = one;
            if nth == before {
                // It stands still before the request arrives, at the server, or after the answer.
                let part = rng.u8(0..3);
                truth.ahead += gap;
                seen.latest += if part == 0 { gap } else { 0 };
                seen.earliest += if part < 2 { gap } else { 0 };
            }
            track.take(&seen, [one.received; 3]);
            now = one.received + 2 * SECOND;
        }
        let [one] = &track.found.contradictions[..] else { continue };
        right += i32::from(one.low_ns <= gap as f64 && gap as f64 <= one.high_ns);
    }
    println!("{right} of 1,000 gaps");
    assert!(right >= 999, "{right}");
    let mut track = Track::new(Found::default(), 0);
    for nth in 1..=8640_i64 {
        let one = exchange(truth, nth * 10 * SECOND, &mut rng, 30_000);
        truth.ahead += (100.0 * (nth as f64 / 300.0).sin()) as i64;
        track.take(&one, [one.received; 3]);
    }
    assert_eq!(track.found.contradictions.len(), 0, "false ones in 24 h");
}

/// Two wide exchanges with a jump between them are not explained by a rate that no clock has.
#[test]
fn a_jump_between_two_whole_seconds_is_no_rate() {
    let mut region = Region::default();
    let second = |at: i64, second: i64| whole_second(second, at, at + 1000).expect("a second");
    assert_eq!(region.add(&second(SECOND, UTC / SECOND)), Verdict::Agrees);
    let Verdict::Contradicts(by) = region.add(&second(3 * SECOND, UTC / SECOND + 7)) else {
        panic!("it was taken for a rate")
    };
    assert!(holds(by, 5 * SECOND), "{by:?}");
}

#[test]
fn a_run_that_goes_on_has_the_bounds_that_it_ended_with() {
    let (mut rng, mut region) = (fastrand::Rng::with_seed(8), Region::default());
    let truth = Truth { ahead: UTC, ppb: -7_000 };
    for nth in 1..200 {
        region.add(&exchange(truth, nth * SECOND, &mut rng, 1000));
    }
    let now = 400 * SECOND;
    let mut hulls = region.hulls("ntp:a".into());
    let text = serde_json::to_string(&hulls).expect("JSON");
    let again = Region::restored(&serde_json::from_str(&text).expect("the same"), now);
    assert_eq!(again.as_ref().and_then(|it| it.at(now)), region.at(now));
    assert_eq!(again.and_then(|it| it.guess(now)), region.guess(now));
    let harm: [fn(&mut chronoscope_model::against::Hulls); 4] = [
        |it| it.uppers[0][1] = i64::MIN,
        |it| it.lowers[0][0] = -1,
        |it| it.span = Some([0, i64::MAX]),
        |it| it.lowers = vec![[5 * SECOND, UTC + MINUTE]],
    ];
    for change in harm {
        let good = hulls.clone();
        change(&mut hulls);
        assert!(Region::restored(&hulls, now).is_none(), "{hulls:?}");
        hulls = good;
    }
}

#[test]
fn an_edge_of_a_second_after_a_stop_is_not_taken_for_the_next() {
    let edge = |at: i64, second: i64| Exchange {
        sent: at - 1_000_000,
        received: at,
        latest: second * SECOND,
        earliest: second * SECOND,
    };
    let last = edge(10 * SECOND, 100);
    assert!(is_after(&last, &edge(11 * SECOND + 400_000, 101)));
    assert!(is_after(&last, &edge(70 * SECOND, 160)));
    assert!(!is_after(&last, &edge(10 * SECOND + 500_000_000, 101)), "it stood still for 0.5 s");
    assert!(!is_after(&last, &edge(11 * SECOND, 105)), "it stood still for 4 s");
    assert!(!is_after(&last, &edge(11 * SECOND, 99)), "it was set back");
    let whole = |at: i64, second: i64| whole_second(second, at, at + 1000).expect("a second");
    assert!(is_after(&last, &whole(10 * SECOND + 900_000_000, 100)));
    assert!(!is_after(&last, &whole(10 * SECOND + 900_000_000, 102)), "it stood still for 2 s");
}

/// Five servers for three hours: one always lies, and another lies in the second hour.
#[test]
fn servers_that_lie_are_named_and_no_interval_misses() {
    let mut rng = fastrand::Rng::with_seed(5);
    let truth = Truth { ahead: UTC, ppb: -31_000 };
    let named = |nth: usize| Found { id: format!("ntp:{nth}"), ..Found::default() };
    let mut tracks: Vec<Track> = (0..5).map(|nth| Track::new(named(nth), 0)).collect();
    for round in 1..=1080_i64 {
        let now = round * 10 * SECOND;
        for (nth, track) in tracks.iter_mut().enumerate() {
            let lies = match nth {
                0 => 3_000_000_000,
                1 if (3600..7200).contains(&(round * 10)) => -75_000_000,
                _ => 0,
            };
            let told = Truth { ahead: truth.ahead + lies, ..truth };
            let one = exchange(told, now + nth as i64, &mut rng, 100_000);
            track.take(&one, [one.received, one.received, one.received]);
        }
        let after = now + SECOND;
        // The wall clock shows the counter, so it is behind by as much as the others are ahead.
        let found = concluded(&mut tracks.clone(), [after, after, after]);
        let wall = found.wall_ns.expect("most agree");
        let behind = -(truth.ahead_at(after) as f64);
        assert!(wall.low <= behind && behind <= wall.high, "{wall:?} {behind} in round {round}");
        assert!(wall.high - wall.low < 10e6, "{wall:?}");
        let rate = found.counter_ppm.filter(|_| round > 1);
        let planted = 31.0;
        let inside = rate.is_none_or(|it| it.low <= planted && planted <= it.high);
        assert!(inside, "{rate:?} in round {round}");
        let wrong: Vec<&str> = found.wrong().map(|source| &*source.id).collect();
        let lying = (3600..7200).contains(&(round * 10));
        assert_eq!(wrong, if lying { &["ntp:0", "ntp:1"][..] } else { &["ntp:0"] });
    }
    let found = concluded(&mut tracks, [3 * 3601 * SECOND; 3]);
    assert_eq!(found.sources[1].contradictions.len(), 2);
    assert!(found.sources[1..].iter().all(|source| source.series.len() < 512));
}

#[test]
fn servers_are_compared_with_each_other() {
    let mut rng = fastrand::Rng::with_seed(4);
    let ahead = [("ntp:a", 0), ("rtc:/dev/rtc0", 9), ("ntp:b", 5_000_000), ("http:c", -40_000_000)];
    let named = |id: &str| Track::new(Found { id: id.into(), ..Found::default() }, 0);
    let mut tracks: Vec<Track> = ahead.iter().map(|(id, _)| named(id)).collect();
    for at in 1..=30 {
        for (track, (_, ahead)) in tracks.iter_mut().zip(ahead) {
            let truth = Truth { ahead: UTC + ahead, ppb: 12_000 };
            let one = exchange(truth, at * SECOND, &mut rng, 1_000);
            track.take(&one, [one.received; 3]);
        }
    }
    let now = 40 * SECOND;
    let found = concluded(&mut tracks, [now, UTC + now, now]).apart;
    let pairs: Vec<_> = found.iter().map(|it| (&*it.id, &*it.of)).collect();
    assert_eq!(pairs, [("ntp:a", "ntp:b"), ("ntp:a", "http:c"), ("ntp:b", "http:c")]);
    for (it, truth) in found.iter().zip([-5e6, 40e6, 45e6]) {
        let Interval { low, best, high } = it.ahead_ns;
        let inside = |ns: &f64| (low..=high).contains(ns);
        assert!(inside(&best) && inside(&truth) && high - low < 20e6, "{it:?}");
    }
}

#[test]
fn two_servers_that_differ_prove_nothing() {
    assert_eq!(agreed(&[[0, 1], [2, 3]]), None);
    assert_eq!(agreed(&[]), None);
    let three = agreed(&[[0, 10], [0, 10], [8, 20]]).expect("most agree");
    // Any of them may be the one that is wrong.
    assert_eq!((three.offset, three.right), ([0, 10], vec![true; 3]));
    let found = agreed(&[[0, 10], [5, 12], [90, 91]]).expect("most agree");
    assert_eq!((found.offset, found.right), ([5, 10], vec![true, true, false]));
}

/// A clock that shows whole seconds only, at 5 ms of round trip: ±4 ms after at most 13 requests.
#[test]
fn whole_seconds_are_halved_to_the_round_trip() {
    let mut rng = fastrand::Rng::with_seed(6);
    for run in 0..200 {
        let truth = Truth { ahead: UTC + rng.i64(0..SECOND), ppb: rng.i64(-80_000..80_000) };
        let (mut region, mut now, mut quickest) = (Region::default(), SECOND, 0);
        let mut reached = None;
        for request in 1..=13 {
            // A sleep ends late.
            let sent =
                halving(&region, now, quickest).unwrap_or(now) + delay(&mut rng, 20_000, 50_000.0);
            let arrives = sent + rng.i64(500_000..4_500_000);
            let received = sent + 5_000_000;
            let second = truth.at(arrives).div_euclid(SECOND);
            let one = whole_second(second, sent, received).expect("a second");
            assert_eq!(region.add(&one), Verdict::Agrees, "run {run}, request {request}");
            let [low, high] = region.at(received).expect("bounds").offset;
            assert!(holds([low, high], truth.ahead_at(received)), "run {run}");
            if high - low <= 8_000_000 {
                reached.get_or_insert(request);
            }
            (now, quickest) = (received, received - sent);
        }
        assert!(reached.is_some(), "run {run}");
    }
}

/// Two exchanges within a millisecond with a clock that shows whole seconds: it may stand still.
#[test]
fn a_rate_without_bounds_is_not_given() {
    let mut track = Track::new(Found::default(), 0);
    for sent in [SECOND, SECOND + 1_000_000] {
        let one = Exchange { sent, received: sent + 1000, latest: UTC + SECOND, earliest: UTC };
        track.take(&one, [one.received; 3]);
    }
    let found = concluded(&mut [track], [2 * SECOND; 3]);
    assert!(found.wall_ns.is_some(), "{found:?}");
    assert_eq!((found.counter_ppm, found.sources[0].counter_ppm), (None, None));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut region = Region::default();
    let one = Exchange { sent: 5, received: 9, latest: UTC, earliest: UTC };
    for (change, why) in [
        (Exchange { received: 4, ..one }, "it came before it left"),
        (Exchange { earliest: UTC + 5, ..one }, "the answer took longer than the exchange"),
        (Exchange { latest: i64::MAX, ..one }, "the year 2262"),
        (Exchange { sent: -1, ..one }, "the counter begins at 0"),
    ] {
        assert_eq!(region.add(&change), Verdict::Impossible, "{why}");
    }
    assert_eq!(region.add(&one), Verdict::Agrees);
}

proptest! {
    #[test]
    fn no_exchanges_cause_a_panic_or_an_empty_interval(
        all in prop::collection::vec(
            (0..1_i64 << 62, 0..1_i64 << 40, 0..1_i64 << 62, 0..1_i64 << 40),
            1..40,
        ),
    ) {
        let mut region = Region::default();
        for (sent, took, stamp, error) in all {
            let received = sent.saturating_add(took).min((1 << 62) - 1);
            let latest = stamp.saturating_add(error).min((1 << 62) - 1);
            let exchange = Exchange { sent, received, latest, earliest: stamp };
            if region.add(&exchange) == Verdict::Agrees {
                let bounds = region.at(received).expect("it agrees");
                prop_assert!(bounds.offset[0] <= bounds.offset[1]);
            }
        }
    }
}
