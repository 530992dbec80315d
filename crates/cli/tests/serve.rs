//! `chronoscope serve` as its clients see it: well-behaved ones, and others.

#![cfg(feature = "serve")]

use crate::common::{run, tool};
use crate::waiting::{PATIENCE, until};
use chronoscope_measure::against::packets::ntp_reply;
use chronoscope_report::metrics::{OPEN_METRICS, PROTOBUF, TEXT};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A running exporter, which ends with its test.
struct Server {
    child: Child,
    address: SocketAddr,
    /// What it told before it listened.
    told: String,
    /// Stays open, so that the exporter can write to it.
    _errors: BufReader<ChildStderr>,
}

impl Server {
    /// Starts one on an address of this machine; port 0 is a free one.
    fn start(listen: &str, args: &[&str]) -> Self {
        let args = [&["serve", "--start-now", "--listen", listen], args].concat();
        let mut command: Command = tool(&args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the tool");
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut told = String::new();
        let address = loop {
            let mut line = String::new();
            assert_ne!(errors.read_line(&mut line).expect("text"), 0, "it ended: {told}");
            match line.strip_prefix("Listening on http://") {
                Some(rest) => break rest.trim_end().trim_end_matches("/metrics").parse(),
                None => told += &line,
            }
        };
        Self { child, address: address.expect("an address"), told, _errors: errors }
    }

    fn with(args: &[&str]) -> Self {
        Self::start("127.0.0.1:0", args)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    fn ask(&self, method: &str, path: &str, headers: &str) -> Answer {
        let mut stream = self.connect();
        ask(&mut stream, method, path, headers);
        answer(&mut BufReader::new(stream), method)
    }

    /// Waits for the first measurement.
    fn scrape(&self, headers: &str) -> Answer {
        until("metrics", || {
            let answer = self.ask("GET", "/metrics", headers);
            (answer.status != 503).then_some(answer)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    /// In lower case.
    head: Vec<String>,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }
}

fn ask(stream: &mut TcpStream, method: &str, path: &str, headers: &str) {
    let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
}

/// Reads one answer, and leaves the connection open.
fn answer(stream: &mut impl BufRead, method: &str) -> Answer {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).expect("a head"), 0, "it closed: {head:?}");
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_ascii_lowercase()),
        }
    }
    let status = head.first().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let status = status.expect("a status");
    let mut answer = Answer { status, head, body: Vec::new() };
    let length = answer.header("content-length").and_then(|length| length.parse().ok());
    if method != "HEAD" {
        answer.body = vec![0; length.expect("a length")];
        stream.read_exact(&mut answer.body).expect("a body");
    }
    answer
}

/// Whether the exporter has closed this connection; waits for that.
fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 4096]) {
        Ok(length) => length == 0,
        Err(error) => ![ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()),
    }
}

/// Checks that each line is a comment or a sample.
fn check_text(text: &str) {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_at(line.find(['{', ' ']).expect("a value"));
        assert!(name.starts_with(|first: char| first.is_ascii_alphabetic()), "{line}");
        let value = rest.rsplit_once('}').map_or(rest, |(_, value)| value);
        let value = value.split_whitespace().next().expect("a value");
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}

/// Checks that messages, each after its length, fill the bytes.
fn check_delimited(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let end = bytes.iter().position(|byte| byte & 0x80 == 0).expect("the end of a number");
        let digits = bytes[..=end].iter().rev().map(|byte| usize::from(byte & 0x7f));
        let length = digits.fold(0, |all, digit| all << 7 | digit);
        bytes = bytes.get(end + 1 + length..).expect("a whole message");
    }
}

#[test]
fn each_client_gets_the_encoding_that_it_prefers() {
    const ASKED: &str = "Accept: application/vnd.google.protobuf;\
        proto=io.prometheus.client.MetricFamily;encoding=delimited;q=";
    let server = Server::with(&[]);
    for (headers, kind) in [
        ("", TEXT),
        ("Accept: */*\r\n", TEXT),
        ("Accept: text/plain;version=0.0.4\r\n", TEXT),
        ("Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n", OPEN_METRICS),
        (&format!("{ASKED}0.9,text/plain;q=0.5\r\n"), PROTOBUF),
        (&format!("{ASKED}0.4,text/plain;q=0.5\r\n"), TEXT),
    ] {
        let answer = server.scrape(headers);
        assert_eq!(answer.status, 200, "{headers}");
        assert_eq!(answer.header("content-type"), Some(&*kind.to_ascii_lowercase()), "{headers}");
        match kind {
            PROTOBUF => check_delimited(&answer.body),
            _ => check_text(answer.text()),
        }
        assert_eq!(answer.body.ends_with(b"# EOF\n"), kind == OPEN_METRICS);
    }
}

#[test]
fn other_paths_and_methods_are_answered_and_health_is_told() {
    let server = Server::with(&[]);
    server.scrape("");
    for (method, path, status) in [
        ("GET", "/", 200),
        ("GET", "/metrics?x=1", 200),
        ("GET", "/metric", 404),
        ("GET", "/report", 404),
        ("GET", "/../etc/passwd", 404),
        ("POST", "/metrics", 405),
        ("TRACE", "/healthz", 405),
    ] {
        let answer = server.ask(method, path, "");
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(answer.header("allow"), (status == 405).then_some("get, head"));
    }
    assert_eq!(server.ask("HEAD", "/metrics", "").status, 200);
    let [whole, head] = ["GET", "HEAD"].map(|method| server.ask(method, "/", ""));
    assert_eq!(head.header("content-length"), whole.header("content-length"), "{head:?}");
    let health = server.ask("GET", "/healthz", "");
    assert!(health.status == 200 && health.text().starts_with("ok\n"), "{health:?}");
}

#[test]
fn a_report_is_answered_only_if_that_was_asked_for() {
    // A report holds every round, and an emulated machine needs minutes to save for them.
    let server = Server::with(&["--report", "--cpu-budget", "100%"]);
    let answer = until("a report", || {
        let answer = server.ask("GET", "/report", "");
        (answer.status != 503).then_some(answer)
    });
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let report: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert!(report.is_object());
}

#[test]
fn many_clients_keep_their_connections() {
    let server = Server::with(&[]);
    server.scrape("");
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut stream = server.connect();
                let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
                for _ in 0..20 {
                    ask(&mut stream, "GET", "/metrics", "");
                    assert_eq!(answer(&mut reader, "GET").status, 200);
                }
            });
        }
    });
}

#[test]
fn half_requests_are_closed_and_hold_up_nobody() {
    let server = Server::with(&[]);
    let mut halves: Vec<TcpStream> = (0..64).map(|_| server.connect()).collect();
    for half in &mut halves {
        half.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-").expect("it reads");
    }
    assert_eq!(server.scrape("").status, 200);
    assert!(halves.iter_mut().all(is_closed));
    assert_eq!(server.scrape("").status, 200);
}

#[test]
fn more_clients_than_there_are_places_wait_for_one() {
    let server = Server::with(&[]);
    let mut silent: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    assert_eq!(server.scrape("").status, 200);
    assert!(silent.iter_mut().all(is_closed));
}

#[test]
fn a_client_that_takes_no_answers_is_dropped() {
    let server = Server::with(&[]);
    let mut greedy = server.connect();
    greedy.set_write_timeout(Some(Duration::from_millis(200))).expect("a limit");
    let many = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000);
    let start = Instant::now();
    while match greedy.write(many.as_bytes()) {
        Ok(_) => true,
        Err(error) => [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()),
    } {
        assert!(start.elapsed() < PATIENCE, "it is still connected");
    }
    assert_eq!(server.scrape("").status, 200);
}

/// The answers fit into what the system holds for both, so all of them are written.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_takes_nothing_of_what_was_written_is_dropped() {
    let server = Server::with(&[]);
    let size = server.scrape("").body.len().max(1);
    let mut slow = server.connect();
    let start = Instant::now();
    slow.write_all("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(110_000 / size).as_bytes())
        .expect("it reads");
    // A connection that waits for another request is closed after 150 s.
    while slow.write(b"\r").is_ok() {
        assert!(start.elapsed() < Duration::from_secs(100), "it is still connected");
        thread::sleep(Duration::from_millis(500));
    }
    assert!(start.elapsed() >= Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(server.scrape("").status, 200);
}

#[test]
fn a_body_ends_the_connection_after_the_answer() {
    let server = Server::with(&[]);
    for (headers, body) in [
        ("Content-Length: 3\r\n", "abc"),
        ("Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\n\r\n"),
    ] {
        let mut stream = server.connect();
        let request = format!("GET / HTTP/1.1\r\nHost: x\r\n{headers}\r\n{body}");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
        let answer = answer(&mut reader, "GET");
        assert_eq!((answer.status, answer.header("connection")), (200, Some("close")), "{headers}");
        assert!(is_closed(&mut stream), "{headers}");
    }
    let mut stream = server.connect();
    ask(&mut stream, "GET", "/", "Content-Length: 0\r\n");
    let answer = answer(&mut BufReader::new(stream), "GET");
    assert_eq!(answer.header("connection"), None, "a body of nothing is none");
}

#[test]
fn endless_headers_and_nonsense_are_refused() {
    let server = Server::with(&[]);
    let mut endless = server.connect();
    endless.write_all(b"GET /metrics HTTP/1.1\r\n").expect("it reads");
    let header = format!("X-Filling: {}\r\n", "x".repeat(1000)).repeat(100);
    // It stops reading long before the end.
    for _ in 0..100 {
        if endless.write_all(header.as_bytes()).is_err() {
            break;
        }
    }
    let mut told = Vec::new();
    let end = endless.read_to_end(&mut told);
    // Windows drops what was received before a reset.
    let is_reset = cfg!(windows) && end.is_err();
    assert!(is_reset || told.starts_with(b"HTTP/1.1 431 "), "{told:?}");
    for nonsense in [&b"\0\xff\r\n\r\n"[..], b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\r\n\r\n"] {
        let mut stream = server.connect();
        stream.write_all(nonsense).expect("it reads");
        let mut told = Vec::new();
        let end = stream.read_to_end(&mut told);
        assert!(end.is_err() || told.starts_with(b"HTTP/1.1 400 "), "{nonsense:?}: {told:?}");
    }
    let with_body = server.ask("GET", "/metrics", "Content-Length: 1000000000\r\n");
    assert!([200, 503].contains(&with_body.status), "{with_body:?}");
    assert_eq!(server.scrape("").status, 200);
}

#[test]
fn an_address_that_cannot_be_had_is_told_in_one_line() {
    let server = Server::with(&[]);
    let taken = server.address.to_string();
    for address in [&*taken, "192.0.2.1:10042"] {
        let output = run(&["serve", "--listen", address]);
        let line = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(line.contains(address) && line.lines().count() == 1, "{line}");
    }
    assert!(server.told.is_empty(), "{}", server.told);
    let open = Server::start("0.0.0.0:0", &[]);
    assert!(open.told.contains("no TLS") && open.told.lines().count() == 1, "{}", open.told);
}

#[test]
fn bad_options_are_refused_in_one_line() {
    for (option, value, told) in [
        ("--listen", "10042", "127.0.0.1:10042"),
        ("--listen", "localhost:10042", "127.0.0.1:10042"),
        ("--listen", "127.0.0.1:65536", "127.0.0.1:10042"),
        ("--listen", "-1", "127.0.0.1:10042"),
        ("--cpu-budget", "0", "0.01%"),
        ("--cpu-budget", "101%", "100%"),
        ("--cpu-budget", "-1%", "100%"),
        ("--cpu-budget", "much", "0.5%"),
        ("--json", "x", "does not apply"),
        ("--color", "never", "does not apply"),
    ] {
        let output = run(&["serve", option, value]);
        let line = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{option} {value}: {line}");
        assert!(line.contains(told) && line.lines().count() == 1, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_killed_exporter_starts_again_on_its_port() {
    let mut first = Server::with(&[]);
    let address = first.address.to_string();
    // Connections that are open, in the middle of a request and answered.
    let mut half = first.connect();
    half.write_all(b"GET /metrics").expect("it reads");
    first.scrape("");
    first.child.kill().expect("it runs");
    first.child.wait().expect("it ends");
    let second = Server::start(&address, &[]);
    assert_eq!(second.address, first.address);
    assert_eq!(second.scrape("").status, 200);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_without_an_error() {
    for name in ["-TERM", "-INT"] {
        let mut server = Server::with(&[]);
        let mut idle = server.connect();
        server.scrape("");
        crate::waiting::signal(&server.child, name);
        let status = until("the end", || server.child.try_wait().expect("it is ours"));
        assert_eq!(status.code(), Some(0), "{name}");
        assert!(is_closed(&mut idle));
    }
}

/// Too many open files are no reason to end.
#[cfg(target_os = "linux")]
// On other targets the C compiler may be for another machine than the tool.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn it_survives_that_the_c_library_cannot_sleep() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, library) = (folder.path().join("awake.c"), folder.path().join("awake.so"));
    let refuses = "int clock_nanosleep() { return 1; }\nint nanosleep() { return -1; }\n";
    std::fs::write(&source, refuses).expect("room");
    let mut built = Command::new("cc");
    built.args(["-shared", "-fPIC", "-o"]).args([&library, &source]);
    assert!(built.status().expect("the compiler that built the readers").success());
    let mut command = tool(&["serve", "--start-now", "--listen", "127.0.0.1:0"]);
    command.env("LD_PRELOAD", &library).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the tool");
    thread::sleep(Duration::from_secs(4));
    let ended = child.try_wait().expect("a child");
    child.kill().expect("it runs, or nobody has waited for it");
    let output = child.wait_with_output().expect("what it wrote");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(ended.is_none() && errors.contains("Listening"), "{errors}");
}

#[test]
fn it_survives_that_no_more_files_may_be_open() {
    let server = Server::with(&[]);
    let pid = server.child.id().to_string();
    let mut limit = Command::new("prlimit");
    limit.args(["--pid", &pid, "--nofile=24"]);
    if !limit.status().is_ok_and(|status| status.success()) {
        return eprintln!("left out: prlimit cannot limit it");
    }
    let mut silent: Vec<TcpStream> = (0..30).map(|_| server.connect()).collect();
    assert!(silent.iter_mut().all(is_closed));
    assert_eq!(server.scrape("").status, 200);
}

fn wall_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a date").as_nanos() as u64
}

fn udp() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(Duration::from_millis(500))).expect("a limit");
    socket
}

/// What a process has in memory, in KiB.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("its status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its memory");
    line.split_whitespace().nth(1).and_then(|it| it.parse().ok()).expect("a number")
}

/// For 60 s with `CHRONOSCOPE_STRESS=full`, 10,000 packets in each second.
#[test]
#[cfg(target_os = "linux")]
fn the_time_is_right_while_others_send_what_is_no_request() {
    use chronoscope_measure::against::packets::{Ntp, ntp_answer, ntp_request};
    let server = Server::with(&["--time", "127.0.0.1:0"]);
    let place = server.told.split("ntp:").nth(1).expect("where it answers").trim();
    let place: SocketAddr = place.parse().expect("an address");
    let full = std::env::var("CHRONOSCOPE_STRESS").is_ok_and(|it| it == "full");
    let time = Duration::from_secs(if full { 60 } else { 3 });
    // What it needs for its first measurements is no part of this.
    until("all measurements", || {
        let body = server.ask("GET", "/metrics", "").body;
        let text = String::from_utf8(body).expect("text");
        (text.contains("last_measurement") && !text.contains("chronoscope_pending{")).then_some(())
    });
    let before = resident(server.child.id());
    let (began, socket) = (Instant::now(), udp());
    let flood = thread::spawn(move || {
        let socket = udp();
        let mut sent = 0;
        while began.elapsed() < time {
            let mut bytes = [0; 1200];
            fastrand::fill(&mut bytes);
            // All modes but a request's, and requests that are too short.
            let length = fastrand::usize(0..bytes.len());
            bytes[0] = if length < 48 { 0x23 } else { bytes[0] & !7 | fastrand::u8(4..8) };
            socket.send_to(&bytes[..length], place).expect("room");
            sent += 1;
            let due = Duration::from_micros(100 * sent);
            thread::sleep(due.saturating_sub(began.elapsed()));
        }
        sent
    });
    let (mut answers, mut requests) = (0, 0);
    while began.elapsed() < time {
        let cookie = fastrand::u64(..);
        let first = wall_ns();
        socket.send_to(&ntp_request(cookie), place).expect("room");
        requests += 1;
        let mut bytes = [0; 1024];
        let Ok(length) = socket.recv(&mut bytes) else { continue };
        let last = wall_ns();
        assert_eq!(length, 48);
        match ntp_answer(&bytes[..length], cookie) {
            Ntp::Time(it) => {
                let stamps = [first as i64, it.received, it.sent, last as i64];
                assert!(stamps.windows(2).all(|it| it[0] <= it[1] + 100_000), "{stamps:?}");
            }
            // The kernel's clock may have nobody who keeps it.
            Ntp::Unsynchronised => {}
            other => panic!("{other:?}"),
        }
        answers += 1;
        thread::sleep(Duration::from_millis(300));
    }
    let sent = flood.join().expect("a sender");
    let after = resident(server.child.id());
    println!(
        "{sent} packets in {time:?}, {answers} of {requests} answers, {before} to {after} KiB"
    );
    assert!(answers > 0 && 2 * answers >= requests, "{answers} of {requests}");
    assert!(after < before + 8192, "{before} KiB, then {after}");
    assert_eq!(server.ask("GET", "/healthz", "").status, 200);
}

/// A server whose clock is five seconds ahead.
#[test]
fn the_wall_clock_is_compared_with_those_that_are_named() {
    let ahead = udp();
    let place = ahead.local_addr().expect("an address");
    let server = Server::with(&["--against", &format!("ntp:{place},rtc:/dev/none")]);
    let metrics = until("an offset", || {
        let mut bytes = [0; 128];
        while let Ok((length, from)) = ahead.recv_from(&mut bytes) {
            let now = wall_ns() + 5_000_000_000;
            if let Some(answer) = ntp_reply(&bytes[..length], || ([now, now], Some(1_000))) {
                ahead.send_to(&answer, from).expect("room");
            }
        }
        let answer = server.ask("GET", "/metrics", "");
        let text = String::from_utf8(answer.body).expect("text");
        text.contains("chronoscope_clock_offset_seconds ").then_some(text)
    });
    let value = |name: &str| -> f64 {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)).expect(name);
        line.trim().parse().expect("a number")
    };
    let (offset, bound) = (
        value("chronoscope_clock_offset_seconds "),
        value("chronoscope_clock_error_bound_seconds "),
    );
    assert!((offset + 5.0).abs() <= bound + 1e-3 && bound < 1.0, "{offset} {bound}");
    assert!(metrics.contains(r#"{source="rtc:/dev/none",state="silent"} 1"#), "{metrics}");
    assert!(metrics.contains(&format!(r#"{{source="ntp:{place}",state="alone"}} 1"#)), "{metrics}");
}
