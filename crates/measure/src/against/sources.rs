//! The clocks that can be asked, and how each of them is: over a network only if it is named with
//! its host. Nothing here sets a clock.

pub use super::asking::{Ask, Failed};

use super::asking::{PATIENCE, addresses, udp};
use super::local;
use super::packets::{NTP_BYTES, Ntp, SECOND, http_second, ntp_answer, ntp_request, whole_second};
use super::region::{Exchange, Region};
use chronoscope::wall::CLOCKBOUND;
use chronoscope_probes::machine::arrival::{Moment, arrived, stamp};
use chronoscope_probes::machine::outside::{self, raw_ns};
use chronoscope_probes::time::sleep;
use std::fmt;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const RTC: &str = "/dev/rtc0";

/// A clock that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Ntp(String, u16),
    Http(String, u16),
    Rtc(String),
    Ptp(String),
    Pps(String),
    VmClock,
    /// With the path of its segment.
    ClockBound(String),
    /// With the path of its socket; empty: its port, or the usual path.
    Chrony(String),
    Ntpd,
    Timesyncd,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut host = |kind: &str, host: &str, port: u16, usual: u16| match (port == usual, host) {
            (true, host) => write!(f, "{kind}:{host}"),
            (false, host) if host.contains(':') => write!(f, "{kind}:[{host}]:{port}"),
            (false, host) => write!(f, "{kind}:{host}:{port}"),
        };
        match self {
            Self::Ntp(name, port) => host("ntp", name, *port, 123),
            Self::Http(name, port) => host("http", name, *port, 80),
            Self::Rtc(path) => write!(f, "rtc:{path}"),
            Self::Ptp(path) => write!(f, "ptp:{path}"),
            Self::Pps(path) => write!(f, "pps:{path}"),
            Self::VmClock => f.write_str("vmclock"),
            Self::ClockBound(path) => write!(f, "clockbound:{path}"),
            Self::Chrony(path) if path.is_empty() => f.write_str("chrony"),
            Self::Chrony(path) => write!(f, "chrony:{path}"),
            Self::Ntpd => f.write_str("ntpd"),
            Self::Timesyncd => f.write_str("timesyncd"),
        }
    }
}

impl Source {
    /// The source of this name.
    ///
    /// # Errors
    /// There is none; one line says what there is.
    pub fn named(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let path = |usual: &str| match rest {
            "" => Ok(usual.to_owned()),
            path if path.starts_with(if usual.starts_with("/dev/") { "/dev/" } else { "/" }) => {
                Ok(path.to_owned())
            }
            _ => Err(format!("'{}': it is named by its path, {usual}", text.escape_debug())),
        };
        match (kind, rest) {
            ("ntp", _) => place(text, rest, 123).map(|(host, port)| Self::Ntp(host, port)),
            // `serve --time` there answers NTP's exchange.
            ("chronoscope", _) => {
                place(text, rest, 10123).map(|(host, port)| Self::Ntp(host, port))
            }
            ("http", _) => {
                let rest = rest.trim_start_matches("//").trim_end_matches('/');
                place(text, rest, 80).map(|(host, port)| Self::Http(host, port))
            }
            ("rtc", _) => path(RTC).map(Self::Rtc),
            ("ptp", _) => path("/dev/ptp0").map(Self::Ptp),
            ("pps", _) => path("/dev/pps0").map(Self::Pps),
            ("chrony", _) => path("").map(Self::Chrony),
            ("vmclock", "") => Ok(Self::VmClock),
            ("clockbound", _) => path(CLOCKBOUND).map(Self::ClockBound),
            ("ntpd", "") => Ok(Self::Ntpd),
            ("timesyncd", "") => Ok(Self::Timesyncd),
            _ => Err(format!(
                "there is no source '{}': use ntp:HOST, http:HOST, chronoscope:HOST, \
                 rtc:/dev/rtc0, ptp:/dev/ptp0, pps:/dev/pps0, vmclock, clockbound, chrony, ntpd or \
                 timesyncd",
                text.escape_debug()
            )),
        }
    }

    /// The sources of this machine, which need no network, the most exact first.
    pub fn local() -> Vec<Self> {
        let ptp = outside::ptp_paths();
        let ptp = if ptp.is_empty() { vec!["/dev/ptp0".into()] } else { ptp };
        // That of a network card may show TAI, or whatever time its driver began with.
        let is_card = |path: &str| outside::name_of(path).is_some() && !is_hosts(path);
        let ptp = ptp.into_iter().filter(|path| !is_card(path)).map(Self::Ptp);
        let first = std::iter::once(Self::VmClock).chain(ptp);
        let programs = [Self::Chrony(String::new()), Self::Ntpd, Self::Timesyncd];
        first.chain(programs).chain([Self::Rtc(RTC.into())]).collect()
    }

    /// Whether it is the clock of the host, if this machine is a guest.
    pub fn is_host(&self, guest: bool) -> bool {
        match self {
            Self::VmClock => true,
            Self::Ptp(path) => is_hosts(path),
            // An emulated one follows the host's clock.
            Self::Rtc(_) => guest,
            _ => false,
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// The reason why it cannot be asked.
    pub fn open(&self) -> Result<Ask, String> {
        match self {
            Self::Ntp(host, port) => ntp(host, *port),
            Self::Http(host, port) => Ok(http(host, *port)),
            Self::Rtc(path) => local::rtc(path),
            Self::Ptp(path) => local::ptp(path),
            Self::Pps(path) => local::pps(path),
            Self::VmClock => local::vmclock(),
            Self::ClockBound(path) => local::clockbound(path),
            Self::Chrony(path) => Ok(local::chrony(path)),
            Self::Ntpd => Ok(local::ntpd()),
            Self::Timesyncd => Ok(local::timesyncd()),
        }
    }

    /// How long to wait before the next request, after so many.
    pub fn pause(&self, requests: u64, found: bool) -> Duration {
        match self {
            // A burst, as servers expect it when a client starts; then as slowly as a server may
            // ask for at least (RFC 5905, section 7.3, `MINPOLL`, and chrony's `ratelimit`).
            Self::Ntp(..) if requests < 8 => Duration::from_millis(100),
            Self::Ntp(..) => Duration::from_secs(2),
            Self::Http(..) if requests < 16 && !found => Duration::ZERO,
            Self::Http(..) => Duration::from_secs(10),
            Self::Chrony(_) | Self::Ntpd | Self::Timesyncd => Duration::from_secs(1),
            // In time for the next second.
            Self::Rtc(_) => Duration::from_millis(850),
            // It waits for the next pulse.
            Self::Pps(_) => Duration::from_millis(500),
            Self::Ptp(_) | Self::VmClock | Self::ClockBound(_) => Duration::from_millis(100),
        }
    }
}

/// Whether this PTP clock is a hypervisor's.
fn is_hosts(path: &str) -> bool {
    /// What the drivers of hypervisors call their clocks (Linux, drivers/ptp and
    /// drivers/hv/hv_util.c).
    const DRIVERS: [&str; 4] = ["KVM virtual PTP", "hyperv", "ptp_vmw", "vmclock"];
    let name = outside::name_of(path).unwrap_or_default();
    DRIVERS.iter().any(|driver| name.starts_with(driver))
}

/// A host and a port.
fn place(text: &str, rest: &str, usual: u16) -> Result<(String, u16), String> {
    let wrong = || format!("'{}': a host is named as HOST or HOST:PORT", text.escape_debug());
    let plain = |host: &str| {
        let known = |c: char| c.is_ascii_alphanumeric() || ".-_:%".contains(c);
        (!host.is_empty() && host.len() <= 253 && host.chars().all(known)).then(|| host.to_owned())
    };
    let (host, port) = match (rest.strip_prefix('['), rest.matches(':').count()) {
        (Some(rest), _) => rest.split_once(']').ok_or_else(wrong)?,
        (None, 1) => rest.split_at(rest.find(':').unwrap_or(rest.len())),
        (None, _) => (rest, ""),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?,
        None if port.is_empty() => usual,
        None => return Err(wrong()),
    };
    Ok((plain(host).ok_or_else(wrong)?, port))
}

fn ntp(host: &str, port: u16) -> Result<Ask, String> {
    let socket = udp(host, port).map_err(|error| error.to_string())?;
    // The kernel begins to stamp what arrives.
    stamp(&socket);
    Ok(Box::new(move |_, found| {
        /// Packets that answer nothing are skipped, but not for ever.
        const STRAYS: usize = 1000;
        let cookie = fastrand::u64(..);
        socket.set_read_timeout(Some(PATIENCE))?;
        let before = Moment::now();
        let sent = raw_ns();
        socket.send(&ntp_request(cookie))?;
        for _ in 0..STRAYS {
            // Longer packets have extensions, which nothing here needs.
            let mut bytes = [0; 1024];
            let length = socket.recv(&mut bytes)?;
            let received = raw_ns();
            match ntp_answer(&bytes[..length.min(NTP_BYTES)], cookie) {
                Ntp::Time(time) => {
                    found.stratum = Some(time.stratum.into());
                    found.root_distance_ns = Some(time.root_distance as f64);
                    if let Some(what) = ["", "inserted", "deleted"].get(usize::from(time.leap))
                        && !what.is_empty()
                    {
                        found.says = Some(format!("a leap second is {what} at the end of the day"));
                    }
                    let stamp = stamp(&socket);
                    let arrival = stamp.and_then(|it| arrived(it, &before, &Moment::now()));
                    let arrival =
                        arrival.map(|it| it.raw).filter(|it| (sent..received).contains(it));
                    found.stamped += u64::from(arrival.is_some());
                    return Ok(time.exchange(sent, arrival.unwrap_or(received)));
                }
                Ntp::Kiss(code) if &code == b"RATE" => return Err(Failed::TooMany),
                Ntp::Kiss(code) => {
                    let code = code.escape_ascii();
                    return Err(Failed::Over(format!("it wants no requests ({code})")));
                }
                Ntp::Unsynchronised => {
                    return Err(Failed::Lost("it is not synchronised itself".into()));
                }
                Ntp::Stray if received - sent > PATIENCE.as_nanos() as i64 => break,
                Ntp::Stray => found.strays += 1,
            }
        }
        Err(Failed::Lost("it does not answer".into()))
    }))
}

fn http(host: &str, port: u16) -> Ask {
    let host = host.to_owned();
    let mut connection: Option<TcpStream> = None;
    let mut quickest = 0_i64;
    Box::new(move |region, _| {
        let stream = match connection.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect_timeout(&addresses(&host, port)?, 5 * PATIENCE)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(5 * PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                stream
            }
        };
        if let Some(time) = halving(region, raw_ns(), quickest) {
            sleep(Duration::from_nanos(u64::try_from(time - raw_ns()).unwrap_or(0)));
        }
        let (exchange, kept) = head(stream, &host, port)?;
        connection = kept;
        let took = exchange.received - exchange.sent;
        quickest = if quickest == 0 { took } else { quickest.min(took) };
        Ok(exchange)
    })
}

/// When to send a request so that the other clock's second changes in the middle of what is
/// possible, which halves that. `None` if whole seconds are possible, so that any time will do.
pub fn halving(region: &Region, now: i64, round_trip: i64) -> Option<i64> {
    /// To wake up in time.
    const AHEAD: i64 = 5_000_000;
    let [low, high] = region.at(now)?.offset;
    // Offsets that no calendar has are not halved.
    if high.saturating_sub(low) >= 2 * SECOND || low.saturating_abs() > i64::MAX / 4 {
        return None;
    }
    let middle = low + (high - low) / 2;
    let there = now + AHEAD + round_trip / 2 + middle;
    let second = there.div_euclid(SECOND) + 1;
    Some(second * SECOND - middle - round_trip / 2)
}

/// Asks for the head of the front page, and returns the connection if it may be used again.
fn head(
    mut stream: TcpStream,
    host: &str,
    port: u16,
) -> Result<(Exchange, Option<TcpStream>), Failed> {
    const MOST: usize = 16 << 10;
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let host = if port == 80 { host } else { format!("{host}:{port}") };
    let request = format!(
        "HEAD / HTTP/1.1\r\nHost: {host}\r\nUser-Agent: chronoscope\r\n\
         Connection: keep-alive\r\n\r\n"
    );
    let sent = raw_ns();
    stream.write_all(request.as_bytes())?;
    let (mut answer, mut part) = (Vec::new(), [0; 2048]);
    let received = loop {
        let length = stream.read(&mut part)?;
        let received = raw_ns();
        answer.extend_from_slice(&part[..length]);
        if answer.windows(4).any(|end| end == b"\r\n\r\n") {
            break received;
        }
        let slow = received - sent > 5 * SECOND;
        if length == 0 || slow || answer.len() > MOST {
            return Err(Failed::Lost("its answer has no end".into()));
        }
    };
    let second = http_second(&answer).map_err(|why| Failed::Over(why.into()))?;
    let exchange = whole_second(second, sent, received);
    let exchange = exchange.ok_or_else(|| Failed::Over("its Date is not a date".into()))?;
    let closes = answer.to_ascii_lowercase().windows(17).any(|it| it == b"connection: close");
    // Nor is one used again whose server closes it by default, or sends a body that nobody wants.
    let kept = !closes && !answer.starts_with(b"HTTP/1.0") && answer.ends_with(b"\r\n\r\n");
    Ok((exchange, kept.then_some(stream)))
}
