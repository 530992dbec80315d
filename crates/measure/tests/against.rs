//! What exchanges prove, on simulated networks whose truth is known: it must be inside of every
//! interval, whatever the network does.

use chronoscope_measure::against::packets::{
    CHRONY_BYTES, Ntp, chrony_answer, http_second, ntp_answer, ntp_request, whole_second,
};
use chronoscope_measure::against::region::{Exchange, Region, Verdict, agreed};
use chronoscope_measure::against::sources::{Source, halving};
use chronoscope_measure::against::{Track, concluded};
use chronoscope_model::against::Source as Found;
use proptest::prelude::*;

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

fn holds(interval: [i64; 2], value: i64) -> bool {
    (interval[0]..=interval[1]).contains(&value)
}

#[test]
fn the_truth_is_inside_of_every_interval_of_10_000_exchanges() {
    let (mut rng, mut missed, mut made) = (fastrand::Rng::with_seed(1), 0, 0);
    for run in 0..20 {
        let truth = Truth { ahead: UTC + rng.i64(0..MINUTE), ppb: rng.i64(-99_000..99_000) };
        let mut region = Region::default();
        let mut arrived: Vec<Exchange> = Vec::new();
        for nth in 1..=500_i64 {
            let error = rng.i64(0..200_000);
            let one = exchange(truth, nth * SECOND, &mut rng, error);
            made += 1;
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
}

/// One thousand clocks: each planted rate is inside, and no bound is wider than the narrowest
/// round trip and the server's error over the time, by more than a fifth and the wander.
#[test]
fn the_proved_rate_is_as_narrow_as_the_round_trip_over_the_time() {
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..1000 {
        let truth = Truth { ahead: UTC, ppb: rng.i64(-300_000..300_000) };
        let (mut region, mut narrowest) = (Region::default(), i64::MAX);
        for nth in 0..120_i64 {
            let one = exchange(truth, SECOND + nth * SECOND, &mut rng, 50_000);
            narrowest = narrowest.min(one.width());
            assert_eq!(region.add(&one), Verdict::Agrees);
        }
        let [low, high] = region.at(0).and_then(|it| it.rate_ppm).expect("a rate");
        let rate = truth.ppb as f64 / 1e3;
        assert!(low <= rate && rate <= high, "{low} {rate} {high}");
        // The first half and the second half each have a narrow one, mostly near the ends.
        let half = (high - low) / 2.0;
        let best = narrowest as f64 / region.span() as f64 * 1e6;
        assert!(half <= 2.4 * best + 0.2, "±{half} where the narrowest allows ±{best}");
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
    for name in ["ntp:a.example", "ntp:[::1]:1234", "http:a:8080", "rtc:/dev/rtc1", "vmclock"] {
        assert_eq!(Source::named(name).expect(name).to_string(), name);
    }
    assert_eq!(Source::named("ntp:::1"), Ok(Source::Ntp("::1".into(), 123)));
    assert_eq!(Source::named("rtc").unwrap().to_string(), "rtc:/dev/rtc0");
    assert_eq!(Source::named("http://a/").unwrap().to_string(), "http:a");
    for wrong in ["", "ntp", "ntp:", "ntp:a:0", "ntp:a b", "rtc:/etc/passwd", "ntp:a:x", "gps:1"] {
        assert!(Source::named(wrong).is_err(), "{wrong}");
    }
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

#[test]
fn an_answer_of_http_says_its_second() {
    let head = |more: &str| http_second(format!("HTTP/1.1 301 Moved\r\n{more}\r\n\r\n").as_bytes());
    assert_eq!(head("date: Tue, 14 Nov 2023 22:13:20 GMT"), Ok(UTC / SECOND));
    assert!(head("Date: Tue, 14 Nov 2023 22:13:20 GMT\r\nAge: 3").is_err());
    assert!(head("Date: yesterday").is_err());
    assert!(head("Server: x").is_err());
    assert!(http_second(b"SSH-2.0-x\r\n").is_err());
}

proptest! {
    #[test]
    fn no_bytes_of_others_cause_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        cookie in any::<u32>(),
        at in 0..CHRONY_BYTES,
    ) {
        let _ = http_second(&bytes);
        let _ = ntp_answer(&bytes, cookie.into());
        let _ = chrony_answer(&bytes, cookie);
        // Those that pass the first checks, but for some bytes.
        let mut ntp = packet(cookie.into());
        let mut chrony = vec![0; CHRONY_BYTES];
        chrony[..8].copy_from_slice(&[6, 2, 0, 0, 0, 33, 0, 5]);
        chrony[16..20].copy_from_slice(&cookie.to_be_bytes());
        for (nth, byte) in bytes.iter().enumerate() {
            ntp[(at + nth) % 24] = *byte;
            chrony[20 + (at + nth) % (CHRONY_BYTES - 20)] = *byte;
        }
        let _ = chrony_answer(&chrony, cookie);
        if let Ntp::Time(time) = ntp_answer(&ntp, cookie.into()) {
            let mut region = Region::default();
            region.add(&time.exchange(5, 9));
            region.add(&time.exchange(50, 90));
            let _ = region.at(i64::MAX >> 2);
        }
    }

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
