//! What other clocks answer: each source is named, asked and read as its interface has it, and no
//! bytes of others do harm.

use crate::exchanges::{MINUTE, SECOND, Truth, UTC, exchange};
use chronoscope::wall::{self as clockbound, CLOCKBOUND};
use chronoscope_measure::against::Following;
use chronoscope_measure::against::packets::{
    self, CHRONY_BYTES, Ntp, chrony_answer, http_second, ntp_answer, ntp_reply, ntp_request,
    ntpd_answer, ntpd_request, timesyncd_answer, whole_second,
};
use chronoscope_measure::against::region::{Exchange, Region};
use chronoscope_measure::against::sources::{Failed, Source};
use chronoscope_measure::engine::Interrupt;
use chronoscope_model::against::{Interval, Source as Found};
use chronoscope_probes::machine::vmclock;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

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
