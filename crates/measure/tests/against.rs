//! What exchanges prove, on simulated networks whose truth is known: it must be inside of every
//! interval, whatever the network does.

use chronoscope::wall::{self as clockbound, CLOCKBOUND};
use chronoscope_measure::against::local::is_after;
use chronoscope_measure::against::packets::{
    self, CHRONY_BYTES, Ntp, chrony_answer, http_second, ntp_answer, ntp_reply, ntp_request,
    ntpd_answer, ntpd_request, timesyncd_answer, whole_second,
};
use chronoscope_measure::against::region::{Exchange, Region, Verdict, agreed};
use chronoscope_measure::against::sources::{Failed, Source, halving};
use chronoscope_measure::against::{Following, Track, concluded};
use chronoscope_measure::engine::Interrupt;
use chronoscope_model::against::{Interval, Source as Found};
use chronoscope_probes::machine::arrival::{Moment, arrived};
use chronoscope_probes::machine::vmclock;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
/// 2023, in nanoseconds since 1970.
const UTC: i64 = 1_700_000_000 * SECOND;

/// A clock that runs by so many parts per billion fast against the counter.
#[derive(Clone, Copy)]
struct Truth {
    ahead: i64,
    ppb: i64,
}

impl Truth {
    fn ahead_at(self, counter: i64) -> i64 {
        self.ahead + (i128::from(counter) * i128::from(self.ppb)).div_euclid(1_000_000_000) as i64
    }

    fn at(self, counter: i64) -> i64 {
        counter + self.ahead_at(counter)
    }
}

/// A delay with a floor and an exponential tail.
fn delay(rng: &mut fastrand::Rng, least: i64, mean: f64) -> i64 {
    least + (-(1.0 - rng.f64()).ln() * mean) as i64
}

/// An exchange at this time through a network that is slower one way than the other.
fn exchange(truth: Truth, sent: i64, rng: &mut fastrand::Rng, error: i64) -> Exchange {
    let arrives = sent + delay(rng, 100_000, 300_000.0);
    let answers = arrives + delay(rng, 5_000, 20_000.0);
    let received = answers + delay(rng, 2_000_000, 1_200_000.0);
    Exchange {
        sent,
        received,
        latest: truth.at(arrives) + error,
        earliest: truth.at(answers) - error,
    }
}

/// When the program believes that an answer arrived which it read late, by the kernel's stamp, and
/// when it had read it. The wall clock is slewed by up to a tenth, and in one of four exchanges it
/// is set meanwhile, sometimes by less than a read shows.
fn read_late(one: &Exchange, rng: &mut fastrand::Rng) -> [i64; 2] {
    let read = one.received + delay(rng, 5_000, 500_000.0);
    let (slew, set) = (rng.i64(-100_000..100_000), rng.i64(one.sent - 20_000..read + 20_000));
    let by = [rng.i64(-300..300), rng.i64(-SECOND..SECOND), rng.i64(-50_000..50_000), 0];
    let by = *by.get(rng.usize(0..12)).unwrap_or(&0);
    let timers = |at: i64| at + at / 1_000_000 * slew + at % 1_000_000 * slew / 1_000_000;
    let wall = |at: i64| UTC + timers(at) + if at >= set { by } else { 0 };
    let mut moment = |at: i64| {
        let end = at + delay(rng, 60, 200.0);
        let timers = [timers(at), timers(end)];
        Moment { timers, wall: wall(rng.i64(at..=end)), raw: end + rng.i64(0..100) }
    };
    let (before, after) = (moment(one.sent - 10_000), moment(read + 300));
    let stamp = wall(one.received + delay(rng, 0, 2_000.0));
    let arrival = arrived(stamp, &before, &after).map(|it| it.raw);
    [arrival.filter(|it| (one.sent..read).contains(it)).unwrap_or(read), read]
}

fn holds(interval: [i64; 2], value: i64) -> bool {
    (interval[0]..=interval[1]).contains(&value)
}

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

/// The exchanges of a server that is asked as the tool asks, for so many seconds.
fn of_the_tool(truth: Truth, seconds: i64, rng: &mut fastrand::Rng) -> Vec<Exchange> {
    let (source, mut sent, mut all) = (Source::Ntp("a".into(), 123), SECOND, Vec::new());
    while sent < seconds * SECOND {
        all.push(exchange(truth, sent, rng, 50_000));
        sent += source.pause(all.len() as u64, true).as_nanos() as i64;
    }
    all
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

#[test]
fn sources_are_named_as_they_are_typed() {
    for name in [
        "ntp:a.example",
        "ntp:[::1]:1234",
        "http:a:8080",
        "rtc:/dev/rtc1",
        "vmclock",
        "clockbound:/tmp/a b",
    ] {
        assert_eq!(Source::named(name).expect(name).to_string(), name);
    }
    assert_eq!(Source::named("ntp:::1"), Ok(Source::Ntp("::1".into(), 123)));
    assert_eq!(Source::named("chronoscope:a").unwrap().to_string(), "ntp:a:10123");
    assert_eq!(Source::named("rtc").unwrap().to_string(), "rtc:/dev/rtc0");
    assert_eq!(Source::named("http://a/").unwrap().to_string(), "http:a");
    assert_eq!(Source::named("clockbound"), Ok(Source::ClockBound(CLOCKBOUND.into())));
    let mut wrong = vec!["", "ntp", "ntp:", "ntp:a:0", "ntp:a b", "rtc:/etc/passwd", "ntp:a:x"];
    wrong.extend(["gps:1", "clockbound:shm1"]);
    for wrong in wrong {
        assert!(Source::named(wrong).is_err(), "{wrong}");
    }
}

/// A server sees a burst of eight requests, and then one in 2 s, as SECURITY has it.
#[test]
fn a_server_of_time_is_asked_slowly() {
    let source = Source::named("ntp:a").expect("a source");
    let pauses = (1..1000).map(|requests| source.pause(requests, false));
    let quick: Vec<Duration> = pauses.filter(|pause| *pause < Duration::from_secs(2)).collect();
    assert_eq!(quick.len(), 7, "{quick:?}");
}

/// A segment of ClockBound of a counter that does not count, with an error of a minute.
fn segment(status: u64) -> Vec<u8> {
    let mut words = [0_u64; 13];
    words[0] = 0x4342_0200 << 32 | 0x414d_5a4e;
    words[1] = 0x0002_0303 << 32 | 104;
    words[3] = (UTC / SECOND) as u64;
    words[5] = words[3] + 3600;
    words[9] = MINUTE as u64;
    words[11] = status << 32;
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a_segment_of_clockbound_gives_its_bound_and_any_other_file_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("segment");
    let source = Source::ClockBound(path.to_str().expect("a plain path").into());
    let write = |bytes: &[u8]| std::fs::write(&path, bytes).expect("a folder for temporary files");
    let mut half = segment(1);
    half[14] |= 1;
    for other in [&[][..], &segment(1)[..103], &half, b"[Service]\n", &[0; 4096]] {
        write(other);
        let why = source.open().err().expect("not a segment");
        assert!(why.ends_with("or only half written") && !why.contains('\n'), "{why}");
    }
    let file = std::fs::File::create(&path).expect("a file");
    file.set_len(1 << 40).expect("a file with a hole");
    assert!(source.open().is_err());
    for none in ["/nonexistent", "/dev/zero", "/"] {
        assert!(Source::ClockBound(none.into()).open().is_err(), "{none}");
    }
    // Its numbers are those of a machine with 64 bits.
    let known = cfg!(all(target_pointer_width = "64", target_endian = "little"));
    write(&segment(1));
    assert_eq!(source.open().is_ok(), known);
    let Ok(mut ask) = source.open() else { return };
    let mut found = Found::default();
    let exchange = ask(&Region::default(), &mut found).expect("a time");
    assert_eq!([exchange.earliest, exchange.latest], [UTC - MINUTE - 2, UTC + MINUTE + 2]);
    assert_eq!(found.root_distance_ns, Some(MINUTE as f64));
    for (status, says) in [(3, "disrupted"), (0, "unknown")] {
        write(&segment(status));
        let lost = ask(&Region::default(), &mut found).expect_err(says);
        assert_eq!(lost, Failed::Lost(format!("the clock is {says}")));
    }
    std::fs::remove_file(&path).expect("the file");
    assert!(matches!(ask(&Region::default(), &mut found), Err(Failed::Lost(_))));
}

fn packet(cookie: u64) -> Vec<u8> {
    let mut bytes = vec![0; 48];
    bytes[0] = 4 << 3 | 4;
    bytes[1] = 2;
    bytes[3] = (-20_i8) as u8;
    bytes[24..32].copy_from_slice(&cookie.to_be_bytes());
    // 2023-11-14 22:13:20 and a quarter, and half a second.
    bytes[32..36].copy_from_slice(&3_908_988_800_u32.to_be_bytes());
    bytes[36] = 0x40;
    bytes[40..44].copy_from_slice(&3_908_988_800_u32.to_be_bytes());
    bytes[44] = 0x80;
    bytes[6..8].copy_from_slice(&[0x80, 0]);
    bytes
}

#[test]
fn an_answer_of_ntp_is_read_as_the_standard_has_it() {
    let Ntp::Time(time) = ntp_answer(&packet(7), 7) else { panic!("an answer") };
    assert_eq!((time.received, time.sent), (UTC + SECOND / 4, UTC + SECOND / 2));
    // Half of a delay of half a second, and a microsecond.
    assert!((250_000_000..250_002_000).contains(&time.root_distance), "{time:?}");
    assert_eq!(ntp_answer(&packet(7), 8), Ntp::Stray);
    assert_eq!(ntp_answer(&packet(7)[..47], 7), Ntp::Stray);
    assert_eq!(ntp_answer(&ntp_request(7), 7), Ntp::Stray);
    let change = |at: usize, to: u8| {
        let mut bytes = packet(7);
        bytes[at] = to;
        ntp_answer(&bytes, 7)
    };
    assert_eq!(change(0, 3 << 6 | 4 << 3 | 4), Ntp::Unsynchronised);
    assert_eq!(change(1, 16), Ntp::Unsynchronised);
    let mut kiss = packet(7);
    kiss[1] = 0;
    kiss[12..16].copy_from_slice(b"RATE");
    assert_eq!(ntp_answer(&kiss, 7), Ntp::Kiss(*b"RATE"));
}

/// Asks so often, and returns what came of it; each time within the limits of a request.
fn asked<const N: usize>(source: &Source) -> [Result<Exchange, Failed>; N] {
    let mut ask = source.open().expect("an address");
    let mut found = Found::default();
    std::array::from_fn(|_| {
        let began = Instant::now();
        let answer = ask(&Region::default(), &mut found);
        // 5 s to connect, 5 s to read, and as much for a machine that is busy.
        assert!(began.elapsed() < Duration::from_secs(20), "{source} took {:?}", began.elapsed());
        answer
    })
}

/// The line of a failure, and whether it is worth another request.
fn failed(answer: &Result<Exchange, Failed>) -> (&str, bool) {
    match answer {
        Err(Failed::Lost(why)) => (why, true),
        Err(Failed::Over(why)) => (why, false),
        Err(Failed::TooMany) => ("RATE", true),
        other => panic!("{other:?}"),
    }
}

/// A server of NTP that answers each request with these packets, so far apart.
fn ntp_server(answers: fn(&[u8]) -> Vec<Vec<u8>>, apart: Duration) -> Source {
    let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("its port").port();
    thread::spawn(move || {
        let mut bytes = [0; 512];
        while let Ok((length, from)) = server.recv_from(&mut bytes) {
            for packet in answers(&bytes[..length]) {
                let _ = server.send_to(&packet, from);
                sleep(apart);
            }
        }
    });
    Source::Ntp("127.0.0.1".into(), port)
}

/// The answer to this request, with one byte changed.
fn answer_with(request: &[u8], at: usize, to: u8) -> Vec<u8> {
    let cookie = request[40..48].try_into().map_or(0, u64::from_be_bytes);
    let mut bytes = packet(cookie);
    bytes[at] = to;
    bytes
}

#[test]
fn a_hostile_server_of_ntp_gets_a_line_in_time() {
    let none = ("it does not answer", true);
    type Answers = fn(&[u8]) -> Vec<Vec<u8>>;
    let kiss: Answers = |request| vec![answer_with(request, 1, 0)];
    let cases: [(Answers, u64, (&str, bool)); 8] = [
        (|_| vec![Vec::new(), vec![0; 47], vec![0xff; 1024]], 0, none),
        (|request| vec![answer_with(request, 0, 7 << 3 | 4)], 0, none),
        (|request| vec![answer_with(request, 0, 4 << 3 | 3)], 0, none),
        (|request| vec![answer_with(request, 24, !request[40]); 3], 0, none),
        (|request| vec![request.to_vec(); 3000], 0, none),
        // Each comes in time, and answers nothing.
        (|request| vec![request.to_vec(); 9], 600, none),
        (kiss, 0, ("it wants no requests (\\x00\\x00\\x00\\x00)", false)),
        (|request| vec![answer_with(request, 1, 16)], 0, ("it is not synchronised itself", true)),
    ];
    thread::scope(|scope| {
        for (nth, (answers, ms, expected)) in cases.into_iter().enumerate() {
            scope.spawn(move || {
                let source = ntp_server(answers, Duration::from_millis(ms));
                let [answer] = asked(&source);
                assert_eq!(failed(&answer), expected, "{nth}");
            });
        }
    });
    // Extensions after the answer, which is the last of several packets.
    let late = ntp_server(
        |request| {
            let mut long = answer_with(request, 0, 4 << 3 | 4);
            long.resize(1024, 0xff);
            vec![vec![9; 3], long]
        },
        Duration::ZERO,
    );
    let [answer] = asked(&late);
    let expected = UTC + SECOND / 4;
    assert!(answer.as_ref().is_ok_and(|it| it.latest > expected), "{answer:?}");
}

/// Two servers, 40 ms ahead and 5 s behind: each against this machine, and one against the other.
#[test]
fn hosts_are_compared_with_this_one_and_with_each_other() {
    fn shifted(request: &[u8], by: i64) -> Vec<Vec<u8>> {
        let now = std::time::UNIX_EPOCH.elapsed().expect("a time").as_nanos() as u64;
        let answer = ntp_reply(request, || ([now.saturating_add_signed(by); 2], Some(0)));
        answer.map(|it| it.to_vec()).into_iter().collect()
    }
    let sources = [
        ntp_server(|request| shifted(request, 40_000_000), Duration::ZERO),
        ntp_server(|request| shifted(request, -5 * SECOND), Duration::ZERO),
    ];
    let (began, interrupt) = (Instant::now(), Interrupt::default());
    let mut following = Following::start(&sources, false, Duration::from_secs(60), &interrupt);
    let found = loop {
        sleep(Duration::from_millis(100));
        following.look();
        let found = following.known();
        if found.sources.iter().all(|it| it.answers >= 4) {
            break found;
        }
        assert!(began.elapsed() < Duration::from_secs(50), "{found:?}");
    };
    interrupt.set();
    let inside = |it: &Interval, truth: f64| it.low <= truth && truth <= it.high;
    for (source, truth) in found.sources.iter().zip([-40e6, 5e9]) {
        assert!(source.wall_ns.is_some_and(|it| inside(&it, truth)), "{source:?}");
        assert!(source.stamped <= source.answers, "{source:?}");
    }
    let [pair] = &found.apart[..] else { panic!("{:?}", found.apart) };
    assert_eq!([&pair.id, &pair.of], [&found.sources[0].id, &found.sources[1].id]);
    assert!(inside(&pair.ahead_ns, 5.04e9), "{pair:?}");
    println!("{:?}", found.sources);
}

/// A server of HTTP that writes these parts of an answer to each request, so far apart; it keeps
/// the connection open.
fn http_server(parts: Vec<Vec<u8>>, apart: Duration) -> Source {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("its port").port();
    thread::spawn(move || {
        for stream in server.incoming().flatten() {
            let parts = parts.clone();
            thread::spawn(move || {
                let mut stream = stream;
                let mut request = [0; 1024];
                while stream.read(&mut request).is_ok_and(|length| length > 0) {
                    for part in &parts {
                        if stream.write_all(part).is_err() {
                            return;
                        }
                        sleep(apart);
                    }
                    if parts.is_empty() {
                        return;
                    }
                }
            });
        }
    });
    Source::Http("127.0.0.1".into(), port)
}

#[test]
fn a_hostile_server_of_http_gets_a_line_in_time() {
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\n{more}\r\n\r\n").into_bytes();
    let date = "Date: Tue, 14 Nov 2023 22:13:20 GMT";
    let slowly = |bytes: &[u8]| bytes.iter().map(|byte| vec![*byte]).collect::<Vec<_>>();
    let endless = vec![b"HTTP/1.1 200 OK\r\n".to_vec(), b"X: y\r\n".repeat(1 << 16)];
    let no_end = ("its answer has no end", true);
    let cases = [
        (Vec::new(), 0, no_end),
        (endless, 0, no_end),
        (slowly(&head(date)), 400, no_end),
        (vec![vec![b' ']], 9_000, ("it does not answer", true)),
        (vec![b"SSH-2.0-x\r\n\r\n".to_vec()], 0, ("it does not speak HTTP", false)),
        (vec![head("Location: /")], 0, ("its answer has no Date", false)),
        (vec![head("Date: -1")], 0, ("its Date is not a date", false)),
        (vec![head("Date: Fri, 31 Dec 9999 23:59:59 GMT")], 0, ("its Date is not a date", false)),
        (vec![head(&format!("{date}\r\nAge: 7"))], 0, ("it answers from a cache (Age)", false)),
        (vec![vec![0xff; 64], b"\r\n\r\n".to_vec()], 0, ("it does not speak HTTP", false)),
    ];
    // A redirect states the time as well, and a body that nobody asked for is not read.
    let moved = format!("HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1/\r\n{date}\r\n\r\n");
    let huge = [head(date), vec![b'x'; 1 << 20]].concat();
    let old = format!("HTTP/1.0 200 OK\r\n{date}\r\n\r\n");
    thread::scope(|scope| {
        for (nth, (parts, ms, expected)) in cases.into_iter().enumerate() {
            scope.spawn(move || {
                let source = http_server(parts, Duration::from_millis(ms));
                let [answer] = asked(&source);
                assert_eq!(failed(&answer), expected, "{nth}");
            });
        }
        for answer in [moved.into_bytes(), huge, old.into_bytes()] {
            scope.spawn(move || {
                let source = http_server(vec![answer], Duration::ZERO);
                for answer in asked::<3>(&source) {
                    assert_eq!(answer.map(|it| it.earliest), Ok(UTC), "{source}");
                }
            });
        }
    });
}

/// What takes the place of chronyd's socket, and of ClockBound's segment while it is written.
#[cfg(unix)]
#[test]
fn a_hostile_program_of_this_machine_gets_a_line_in_time() {
    use std::os::unix::net::UnixDatagram;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("socket");
    let text = path.to_str().expect("a plain path");
    let source = Source::Chrony(text.into());
    let [absent] = asked(&source);
    assert!(failed(&absent).0.starts_with("no chronyd answers at"), "{absent:?}");
    let server = UnixDatagram::bind(&path).expect("a socket");
    let [silent] = asked(&source);
    let line = format!("no chronyd answers at {text}: it does not answer");
    assert_eq!(failed(&silent), (&*line, true));
    let mut request = [0; 1024];
    let _ = server.recv_from(&mut request);
    let answers = [Vec::new(), vec![6; 103], vec![0xff; 1024], vec![6, 2, 0, 0, 0, 33, 0, 5]];
    thread::scope(|scope| {
        scope.spawn(|| {
            for answer in &answers {
                let (_, from) = server.recv_from(&mut request).expect("a request");
                server.send_to_addr(answer, &from).expect("its socket");
            }
        });
        for answer in asked::<4>(&source) {
            assert_eq!(failed(&answer), ("it gives no answer that is known here", true));
        }
    });
    // Its own socket is gone.
    assert_eq!(folder.path().read_dir().expect("the folder").count(), 1);
    let segments = folder.path().join("segment");
    let source = Source::ClockBound(segments.to_str().expect("a plain path").into());
    for (at, to) in [(0, 0), (5, 0), (12, 2), (13, 2), (13, 4), (14, 0), (14, 3)] {
        let mut bytes = segment(1);
        bytes[at] = to;
        std::fs::write(&segments, &bytes).expect("room");
        let why = source.open().err().expect("no segment that is known");
        assert!(why.ends_with("or only half written") && !why.contains('\n'), "{at}: {why}");
    }
}

#[test]
fn an_answer_of_http_says_its_second() {
    let head = |more: &str| http_second(format!("HTTP/1.1 301 Moved\r\n{more}\r\n\r\n").as_bytes());
    assert_eq!(head("date: Tue, 14 Nov 2023 22:13:20 GMT"), Ok(UTC / SECOND));
    assert!(head("Date: Tue, 14 Nov 2023 22:13:20 GMT\r\nAge: 3").is_err());
    // A proxy refuses, and says when.
    let refused = b"HTTP/1.0 400 Bad Request\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n\r\n";
    assert_eq!(http_second(refused), Ok(UTC / SECOND));
    assert!(head("Date: yesterday").is_err());
    assert!(head("Server: x").is_err());
    assert!(http_second(b"SSH-2.0-x\r\n").is_err());
}

/// An answer of ntpd to a request with this cookie.
fn control(cookie: u16, text: &str) -> Vec<u8> {
    let mut bytes = vec![2 << 3 | 6, 0x82];
    bytes.extend(cookie.to_be_bytes());
    bytes.extend([6, 0x15, 0, 0, 0, 0]);
    bytes.extend((text.len() as u16).to_be_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

const VARIABLES: &str = "leap=0, stratum=3, rootdelay=12.500, rootdisp=20.250, refid=192.0.2.1,\r\n\
                         reftime=0xecd3f000.80000000, clock=0xecd3f064.80000000, offset=-1.250,\r\n\
                         frequency=-12.500, clk_wander=0.020";

#[test]
fn what_ntpd_believes_is_read_with_its_age() {
    let belief = ntpd_answer(&control(5, VARIABLES), 5).expect("an answer");
    assert_eq!((belief.stratum, belief.behind_s), (3, -0.00125));
    // Half of the delay, the dispersion, and 100 s at 100 ppm.
    assert!((belief.error_s - 0.0365).abs() < 1e-9, "{belief:?}");
    let exchange = belief.exchange([5, UTC, 9]).expect("an exchange");
    assert_eq!(exchange.latest + exchange.earliest, 2 * (UTC - 1_250_000));
    assert_eq!(exchange.latest - exchange.earliest, 2 * 37_750_000);
    // A clock that is slowed down would be fast.
    let Interval { low, best, high } = belief.ppm.expect("a rate");
    assert!(best == 12.5 && (low - 12.479).abs() < 1e-9 && (high - 12.521).abs() < 1e-9);
    for (from, to) in [
        ("leap=0", "leap=3"),
        ("stratum=3", "stratum=16"),
        ("192.0.2.1", "LOCAL(0)"),
        ("-1.250", "nan"),
        ("clock", "cl"),
    ] {
        assert!(ntpd_answer(&control(5, &VARIABLES.replace(from, to)), 5).is_err(), "{to}");
    }
    assert!(ntpd_answer(&control(5, VARIABLES), 6).is_err());
    assert!(ntpd_answer(&ntpd_request(5), 5).is_err(), "a request is no answer");
}

#[test]
fn what_chronyd_believes_of_the_rate_is_read_with_what_it_has_yet_to_correct() {
    // A signed exponent of seven bits, here 7, and a signed coefficient of 25.
    let float = |value: f64| {
        let coefficient = ((value * 2f64.powi(18)) as i32).cast_unsigned();
        7 << 25 | (coefficient & 0x1ff_ffff)
    };
    let mut bytes = vec![0; CHRONY_BYTES];
    bytes[..8].copy_from_slice(&[6, 2, 0, 0, 0, 33, 0, 5]);
    bytes[53] = 3;
    for (at, ppm) in [(80, 12.5), (84, -0.25), (88, 0.5)] {
        bytes[at..at + 4].copy_from_slice(&float(ppm).to_be_bytes());
    }
    let belief = chrony_answer(&bytes, 0).expect("an answer");
    assert_eq!(belief.ppm, Some(Interval { low: 11.75, best: 12.5, high: 13.0 }));
}

/// Asked 100 s before: the clock was 4 ms behind after 10 ms, of which the server took 2 ms.
const TIMESYNC: &str = r#"{"type":"(uuuuittayttttbtt)","data":[0,4,4,2,-24,6000,1500,
    [192,0,2,1],1699999900000000,1699999900008000,1699999900010000,1699999900010000,false,3,0]}"#;

#[test]
fn what_timesyncd_believes_is_what_its_exchange_proved() {
    let belief = timesyncd_answer(TIMESYNC.as_bytes(), UTC).expect("an answer");
    // The middle of the two bounds is 4 ms, which has been corrected in part since.
    assert_eq!(belief.stratum, 2);
    assert!((belief.behind_s - 0.002).abs() < 1e-6, "{belief:?}");
    // Half of 8 ms, half of the delay, the dispersion, and 100 s at 100 ppm.
    assert!((belief.error_s - 0.0185).abs() < 2e-5, "{belief:?}");
    for (from, to) in [("[0,4", "[3,4"), ("false", "true"), ("16999999000", "0"), ("4,2,", "4,0,")]
    {
        assert!(timesyncd_answer(TIMESYNC.replace(from, to).as_bytes(), UTC).is_err(), "{to}");
    }
}

#[test]
fn a_pulse_begins_the_nearest_second() {
    let at = UTC - 300_000;
    let found = packets::pulse(at, [5 * SECOND, at + 40_000, 5 * SECOND + 100]).expect("a pulse");
    assert_eq!((found.latest, found.earliest), (UTC, UTC));
    assert!(found.sent <= 5 * SECOND - 40_000 && 5 * SECOND - 40_000 <= found.received);
    assert!(packets::pulse(at, [5, at - 1, 9]).is_none(), "it came before it left");
}

/// What each reader of bytes from elsewhere reads, and the reader.
type Reader = (Vec<u8>, fn(&[u8]));

fn readers() -> Vec<Reader> {
    let mut chrony = vec![0; CHRONY_BYTES];
    chrony[..8].copy_from_slice(&[6, 2, 0, 0, 0, 33, 0, 5]);
    let (mut page, mut region) = (vec![0; 112], Region::default());
    page[..12].copy_from_slice(b"VCLK\0\0\0\0\x01\0\x01\0");
    (page[24], page[34]) = (0x50, 2);
    for nth in 1..30 {
        let truth = Truth { ahead: UTC, ppb: 9_000 };
        region.add(&exchange(truth, nth * SECOND, &mut fastrand::Rng::with_seed(9), 5));
    }
    let hulls = serde_json::to_vec(&region.hulls("ntp:a".into())).expect("JSON");
    let head = b"HTTP/1.1 200 OK\r\nAge: 0\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n\r\n".to_vec();
    vec![
        (packet(0), |bytes| {
            if let Ntp::Time(time) = ntp_answer(bytes, 0) {
                let mut region = Region::default();
                region.add(&time.exchange(5, 9));
                region.add(&time.exchange(50, 90));
                let _ = region.at(i64::MAX >> 2);
            }
        }),
        (ntp_request(0).into(), |bytes| {
            let answer = ntp_reply(bytes, || ([UTC.cast_unsigned(); 2], Some(9)));
            assert!(answer.is_none_or(|it| it.len() <= bytes.len()), "more than was asked with");
        }),
        (head, |bytes| {
            let found = http_second(bytes).ok().and_then(|it| whole_second(it, 5, 9));
            found.map(|it| Region::default().add(&it));
        }),
        (chrony, |bytes| {
            let _ = chrony_answer(bytes, 0).map(|it| it.exchange([5, UTC, 9]));
        }),
        (control(0, VARIABLES), |bytes| {
            let _ = ntpd_answer(bytes, 0).map(|it| it.exchange([5, UTC, 9]));
        }),
        (TIMESYNC.into(), |bytes| {
            let _ = timesyncd_answer(bytes, UTC).map(|it| it.exchange([5, UTC, 9]));
        }),
        (UTC.to_be_bytes().to_vec(), |bytes| {
            let at = bytes.try_into().map_or(0, i64::from_be_bytes);
            let _ = packets::pulse(at, [5, UTC, 9]);
        }),
        (page, |bytes| {
            let time = vmclock::parse(bytes).and_then(|page| page.time);
            let _ = time.map(|time| time.utc_ns(u64::MAX / 3));
        }),
        (segment(1), |bytes| {
            let words = clockbound::segment(bytes);
            let _ = words.map(|it| clockbound::clockbound(&it, u64::MAX / 3, || Some(7)));
        }),
        (hulls, |bytes| {
            if let Ok(hulls) = serde_json::from_slice(bytes)
                && let Some(mut region) = Region::restored(&hulls, i64::MAX)
            {
                region.add(&Exchange { sent: 5, received: 9, latest: UTC, earliest: UTC });
                let _ = (region.at(1 << 40), region.guess(1 << 61));
            }
        }),
    ]
}

/// `CHRONOSCOPE_FUZZ=600` goes on for that many seconds.
#[test]
fn no_bytes_of_others_cause_a_panic() {
    let seconds = std::env::var("CHRONOSCOPE_FUZZ").ok().and_then(|it| it.parse().ok());
    let (time, began) =
        (seconds.map_or(Duration::from_secs(1), Duration::from_secs), Instant::now());
    let (mut rng, readers, mut tries) = (fastrand::Rng::new(), readers(), 0_u64);
    println!("seed {}", rng.get_seed());
    while began.elapsed() < time {
        for (sample, read) in &readers {
            let mut bytes = sample.clone();
            for _ in 0..rng.usize(0..8) {
                let at = rng.usize(0..bytes.len().max(1));
                match rng.u8(0..5) {
                    _ if bytes.is_empty() => bytes.push(rng.u8(..)),
                    0 => bytes[at] = rng.u8(..),
                    1 => bytes[at] ^= 1 << rng.u8(0..8),
                    // Digits, which texts have most of.
                    2 => bytes[at] = b'0' + rng.u8(0..10),
                    3 => bytes.truncate(at),
                    _ => bytes.insert(at, rng.u8(..)),
                }
            }
            read(&bytes);
            tries += 1;
        }
    }
    println!("{tries} tries");
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
