//! The clocks of this machine that can be asked: devices, the host's page, and what programs that
//! keep the system's clock believe. No packet leaves the machine.

use super::asking::{Ask, Failed, PATIENCE, udp, why};
use super::packets::{
    self, Belief, CHRONY_BYTES, SECOND, chrony_answer, chrony_request, ntpd_answer, ntpd_request,
    timesyncd_answer, whole_second,
};
use super::region::Exchange;
use chronoscope::counter;
use chronoscope::wall::{self, WallState};
use chronoscope_model::against::{Interval, Source as Found};
use chronoscope_model::units::human_ns;
use chronoscope_probes::machine::outside::{self, Device, raw_ns};
use chronoscope_probes::machine::vmclock as page;
use chronoscope_probes::time::sleep;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// chronyd answers to this port of the machine itself (chrony.conf(5), `cmdport`), …
const CHRONY_PORT: u16 = 323;
/// … and at this path (`bindcmdaddress`), to root and to its own user.
const CHRONY_SOCKET: &str = "/run/chrony/chronyd.sock";
/// What systemd-timesyncd makes when it has set the clock (systemd-timesyncd.service(8)).
const SYNCHRONIZED: &str = "/run/systemd/timesync/synchronized";

fn device(path: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no {path}"),
        io::ErrorKind::PermissionDenied => format!("{path}: {error} (root may read it)"),
        _ => format!("{path}: {error}"),
    }
}

/// The battery-backed clock, which shows whole seconds: it is read until one begins.
pub(super) fn rtc(path: &str) -> Result<Ask, String> {
    let clock = Device::open(path).map_err(|error| device(path, &error))?;
    // hwclock(8): the third line says whether it keeps local time.
    let kept = std::fs::read_to_string("/etc/adjtime").unwrap_or_default();
    if kept.lines().nth(2).is_some_and(|line| line.trim() == "LOCAL") {
        return Err(format!("{path} keeps local time (/etc/adjtime)"));
    }
    let mut last = None::<Exchange>;
    let read = move || {
        let sent = raw_ns();
        let second = clock.second()?;
        let whole = whole_second(second, sent, raw_ns());
        whole.ok_or_else(|| Failed::Lost("it shows no date".into()))
    };
    Ok(Box::new(move |_, _| {
        const BETWEEN: Duration = Duration::from_millis(1);
        let mut first = read()?;
        if last.is_some_and(|last| !is_after(&last, &first)) {
            last = None;
            return Err(Failed::Jumped(first));
        }
        let began = first.sent;
        loop {
            sleep(BETWEEN);
            let next = read()?;
            if next.earliest != first.earliest {
                let edge = next.earliest;
                let found = Exchange { sent: first.sent, latest: edge, ..next };
                let expected = edge == first.earliest + SECOND;
                if last.replace(found).is_none_or(|last| expected && is_after(&last, &found)) {
                    return Ok(found);
                }
                // The machine stood still since, perhaps between the two reads, so that the second
                // began some time ago. That it is this second is certain.
                return Err(Failed::Jumped(next));
            }
            first = next;
            if next.received - began > 2 * SECOND {
                return Err(Failed::Lost("it stands still".into()));
            }
        }
    }))
}

/// Whether as much time may have passed by both clocks since the beginning of a second.
pub fn is_after(last: &Exchange, next: &Exchange) -> bool {
    /// The most that both rates may be off by: 1,000 ppm, as that of an emulator's may.
    const RATE: i64 = 1000;
    let [least, most] = [next.sent - last.received, next.received - last.sent];
    let room = most / RATE;
    let [from, to] = [next.earliest, next.latest].map(|it| it.saturating_sub(last.earliest));
    from >= 0 && from <= most + room && least - room <= to
}

pub(super) fn ptp(path: &str) -> Result<Ask, String> {
    let clock = Device::open(path).map_err(|error| device(path, &error))?;
    let name = outside::name_of(path);
    Ok(Box::new(move |_, found| {
        found.says.clone_from(&name);
        narrowest(|| {
            let [sent, ns, received] = clock.ptp_time()?;
            Ok(Exchange { sent, received, latest: ns, earliest: ns })
        })
    }))
}

pub(super) fn pps(path: &str) -> Result<Ask, String> {
    let clock = Device::open(path).map_err(|error| device(path, &error))?;
    let name = outside::name_of(path).unwrap_or_default();
    if name.starts_with("ktimer") {
        return Err(format!("{path} has the pulses of the kernel's own timer (pps-ktimer)"));
    }
    Ok(Box::new(move |_, found| {
        let pulse = clock.pulse()?;
        let second = "the wall clock must say which second begins with a pulse";
        found.says = Some(format!("{name}; {second}").trim_start_matches("; ").into());
        let exchange = packets::pulse(pulse, outside::wall());
        exchange.ok_or_else(|| Failed::Lost("the clock was set during a pulse".into()))
    }))
}

pub(super) fn vmclock() -> Result<Ask, String> {
    page::read()?;
    Ok(Box::new(|_, _| {
        let page = page::read().map_err(Failed::Lost)?;
        let time = page.time.ok_or_else(|| Failed::Over("its page is too short".into()))?;
        narrowest(|| {
            let sent = raw_ns();
            let found = time.utc_ns(counter::now_ordered());
            let [earliest, latest] = found.map_err(|why| Failed::Lost(why.into()))?;
            Ok(Exchange { sent, received: raw_ns(), latest, earliest })
        })
    }))
}

/// The words of ClockBound's segment. It is read as a file: whoever cuts that short ends a process
/// that maps it.
fn segment(path: &str) -> Result<[u64; 14], String> {
    const TRIES: usize = 10;
    let failed = |error| device(path, &error);
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{path} is not a file"));
    }
    let read = || {
        let mut bytes = Vec::new();
        let length = File::open(path)?.take(112).read_to_end(&mut bytes);
        length.map(|_| bytes)
    };
    // What is the same twice, with its number, was not written in between.
    let mut last = read().map_err(failed)?;
    for _ in 0..TRIES {
        let next = read().map_err(failed)?;
        if next == last {
            let what = "is not a segment of ClockBound 3, or only half written";
            return wall::segment(&next).ok_or_else(|| format!("{path} {what}"));
        }
        last = next;
    }
    Err(format!("{path} changes all the time"))
}

pub(super) fn clockbound(path: &str) -> Result<Ask, String> {
    segment(path)?;
    let path = path.to_owned();
    Ok(Box::new(move |_, found| {
        let words = segment(&path).map_err(Failed::Lost)?;
        let marker = page::read().ok().map(|page| page.disruption_marker);
        narrowest(|| {
            let sent = raw_ns();
            let stated = wall::clockbound(&words, counter::now_ordered(), || marker);
            let received = raw_ns();
            let stated = stated.ok_or_else(|| Failed::Lost("its time is impossible".into()))?;
            found.says = Some(format!("it is {}", stated.state.name()));
            if !matches!(stated.state, WallState::Synchronised | WallState::FreeRunning) {
                return Err(Failed::Lost(format!("the clock is {}", stated.state.name())));
            }
            found.root_distance_ns = Some(stated.error as f64);
            // Two roundings to whole nanoseconds.
            let error = stated.error.saturating_add(2);
            let ends = [stated.now.saturating_add(error), stated.now.saturating_sub(error)];
            let [latest, earliest] = ends.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX));
            Ok(Exchange { sent, received, latest, earliest })
        })
    }))
}

/// The narrowest of several reads of a clock of this machine, since an interrupt can widen any.
fn narrowest(mut read: impl FnMut() -> Result<Exchange, Failed>) -> Result<Exchange, Failed> {
    const TRIES: usize = 10;
    let mut found: Exchange = read()?;
    for _ in 1..TRIES {
        let next = read()?;
        if next.width() < found.width() {
            found = next;
        }
    }
    Ok(found)
}

/// Fills in what a program believes, and makes an exchange of it.
fn believed(belief: &Belief, found: &mut Found) -> Result<Exchange, Failed> {
    found.stratum = Some(belief.stratum);
    found.root_distance_ns = Some(belief.error_s * 1e9);
    found.believed_ppm = belief.ppm;
    found.says = belief.ppm.map(|Interval { low, best, high }| {
        let remain = human_ns(belief.behind_s.abs() * 1e9);
        let (by, error) = (0.0 - best, (high - best).max(best - low));
        format!(
            "it corrects the clock by {by:+.3} ppm, known to ±{error:.3} ppm, and {remain} remain"
        )
    });
    let exchange = belief.exchange(outside::wall());
    exchange.ok_or_else(|| Failed::Lost("its figures are impossible".into()))
}

/// Asks a program of this machine at its port of UDP.
fn by_port(port: u16, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 1024];
    let socket = udp("127.0.0.1", port)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send(request)?;
    let length = socket.recv(&mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// Asks a program of this machine at the path of its socket. It answers to a path next to that,
/// which it must be allowed to write to, as chronyc's is.
#[cfg(unix)]
fn by_path(path: &str, request: &[u8]) -> io::Result<Vec<u8>> {
    use std::fs::{Permissions, remove_file, set_permissions};
    use std::os::unix::{fs::PermissionsExt, net::UnixDatagram};
    let name = format!("chronoscope.{}.{}.sock", std::process::id(), fastrand::u32(..));
    let own = Path::new(path).with_file_name(name);
    let socket = UnixDatagram::bind(&own)?;
    let ask = || {
        let mut bytes = vec![0; 1024];
        set_permissions(&own, Permissions::from_mode(0o666))?;
        socket.connect(path)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.send(request)?;
        let length = socket.recv(&mut bytes)?;
        bytes.truncate(length);
        Ok(bytes)
    };
    let answer = ask();
    let _ = remove_file(&own);
    answer
}

#[cfg(not(unix))]
fn by_path(_: &str, _: &[u8]) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no such sockets"))
}

pub(super) fn chrony(path: &str) -> Ask {
    let path = path.to_owned();
    Box::new(move |_, found| {
        let cookie = fastrand::u32(..);
        let request: [u8; CHRONY_BYTES] = chrony_request(cookie);
        let answer = match &*path {
            "" => by_port(CHRONY_PORT, &request).or_else(|_| by_path(CHRONY_SOCKET, &request)),
            path => by_path(path, &request),
        };
        let answer = answer.map_err(|error| {
            let place = if path.is_empty() { CHRONY_SOCKET } else { &path };
            let port = if path.is_empty() { " 127.0.0.1:323 or" } else { "" };
            Failed::Lost(format!("no chronyd answers at{port} {place}: {}", why(&error)))
        })?;
        let belief = chrony_answer(&answer, cookie).map_err(|why| Failed::Lost(why.into()))?;
        believed(&belief, found)
    })
}

pub(super) fn ntpd() -> Ask {
    Box::new(|_, found| {
        const PORT: u16 = 123;
        let cookie = fastrand::u16(..);
        let answer = by_port(PORT, &ntpd_request(cookie));
        let none = |error| format!("no ntpd answers at 127.0.0.1:{PORT}: {}", why(&error));
        let belief = ntpd_answer(&answer.map_err(|error| Failed::Lost(none(error)))?, cookie);
        believed(&belief.map_err(|why| Failed::Lost(why.into()))?, found)
    })
}

/// systemd-timesyncd answers by D-Bus only, which systemd's own program speaks. It is started only
/// if there is an answer, and starts nothing itself.
pub(super) fn timesyncd() -> Ask {
    Box::new(|_, found| {
        const PROGRAM: &str = "/usr/bin/busctl";
        const NAME: &str = "org.freedesktop.timesync1";
        const OPTIONS: [&str; 4] = ["--system", "--auto-start=no", "--timeout=1", "--json=short"];
        if !Path::new(SYNCHRONIZED).exists() {
            let why = format!("systemd-timesyncd has not set the clock (no {SYNCHRONIZED})");
            return Err(Failed::Lost(why));
        }
        let mut command = Command::new(PROGRAM);
        command.args(OPTIONS).args(["get-property", NAME, "/org/freedesktop/timesync1"]);
        let answer = command.args([&format!("{NAME}.Manager"), "NTPMessage"]).output();
        let answer = answer.map_err(|error| Failed::Lost(device(PROGRAM, &error)))?;
        if !answer.status.success() {
            return Err(Failed::Lost("systemd-timesyncd does not answer by D-Bus".into()));
        }
        let [_, wall, _] = outside::wall();
        let belief = timesyncd_answer(&answer.stdout, wall);
        believed(&belief.map_err(|why| Failed::Lost(why.into()))?, found)
    })
}
