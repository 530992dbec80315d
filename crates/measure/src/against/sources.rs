//! The clocks that can be asked, and how each of them is: over a network only if it is named with
//! its host. Nothing here sets a clock.

use super::packets::{
    CHRONY_BYTES, NTP_BYTES, Ntp, chrony_answer, chrony_request, http_second, ntp_answer,
    ntp_request, whole_second,
};
use super::region::{Exchange, Region};
use chronoscope::counter;
use chronoscope_model::against::Source as Found;
use chronoscope_model::units::human_ns;
use chronoscope_probes::machine::outside::{self, Ptp, Rtc, raw_ns};
use chronoscope_probes::machine::vmclock;
use chronoscope_probes::time::sleep;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::path::Path;
use std::time::Duration;

const SECOND: i64 = 1_000_000_000;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// chronyd answers to this port of the machine itself (chrony.conf(5), `cmdport`).
const CHRONY_PORT: u16 = 323;
const RTC: &str = "/dev/rtc0";

/// A clock that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Ntp(String, u16),
    Http(String, u16),
    Rtc(String),
    Ptp(String),
    VmClock,
    Chrony,
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
            Self::VmClock => f.write_str("vmclock"),
            Self::Chrony => f.write_str("chrony"),
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
            path if path.starts_with("/dev/") => Ok(path.to_owned()),
            _ => Err(format!("'{}': a device is named by its path, {usual}", text.escape_debug())),
        };
        match (kind, rest) {
            ("ntp", _) => place(text, rest, 123).map(|(host, port)| Self::Ntp(host, port)),
            ("http", _) => {
                let rest = rest.trim_start_matches("//").trim_end_matches('/');
                place(text, rest, 80).map(|(host, port)| Self::Http(host, port))
            }
            ("rtc", _) => path(RTC).map(Self::Rtc),
            ("ptp", _) => path("/dev/ptp0").map(Self::Ptp),
            ("vmclock", "") => Ok(Self::VmClock),
            ("chrony", "") => Ok(Self::Chrony),
            _ => Err(format!(
                "there is no source '{}': use ntp:HOST, http:HOST, rtc:/dev/rtc0, ptp:/dev/ptp0, \
                 vmclock or chrony",
                text.escape_debug()
            )),
        }
    }

    /// The sources of this machine, which need no network, the most exact first.
    pub fn local() -> Vec<Self> {
        let ptp = outside::ptp_paths();
        let ptp = if ptp.is_empty() { vec!["/dev/ptp0".into()] } else { ptp };
        // That of a network card may show TAI, or whatever time its driver began with.
        let is_card = |path: &str| outside::name_of_ptp(path).is_some() && !is_hosts(path);
        let ptp = ptp.into_iter().filter(|path| !is_card(path)).map(Self::Ptp);
        let first = std::iter::once(Self::VmClock).chain(ptp);
        first.chain([Self::Chrony, Self::Rtc(RTC.into())]).collect()
    }

    /// Whether it is the clock of the host, if this machine is a guest.
    pub fn is_host(&self, guest: bool) -> bool {
        match self {
            Self::VmClock => true,
            Self::Ptp(path) => is_hosts(path),
            // An emulated one follows the host's clock.
            Self::Rtc(_) => guest,
            Self::Ntp(..) | Self::Http(..) | Self::Chrony => false,
        }
    }

    /// Whether the bounds of an exchange are narrow at once, without further ones.
    pub(super) fn is_quick(&self) -> bool {
        matches!(self, Self::Rtc(_) | Self::Ptp(_) | Self::VmClock | Self::Chrony)
    }

    /// Opens it.
    ///
    /// # Errors
    /// The reason why it cannot be asked.
    pub fn open(&self) -> Result<Ask, String> {
        match self {
            Self::Ntp(host, port) => ntp(host, *port),
            Self::Http(host, port) => Ok(http(host, *port)),
            Self::Rtc(path) => rtc(path),
            Self::Ptp(path) => ptp(path),
            Self::VmClock => {
                vmclock::read()?;
                Ok(Box::new(|_, _| vm()))
            }
            Self::Chrony => chrony(),
        }
    }

    /// How long to wait before the next request, after so many.
    pub(super) fn pause(&self, requests: u64, found: bool) -> Duration {
        match self {
            // A burst, as servers expect it when a client starts; then as slowly as a server may
            // ask for at least (RFC 5905, section 7.3, `MINPOLL`, and chrony's `ratelimit`).
            Self::Ntp(..) if requests < 8 => Duration::from_millis(100),
            Self::Ntp(..) => Duration::from_secs(2),
            Self::Http(..) if requests < 16 && !found => Duration::ZERO,
            Self::Http(..) => Duration::from_secs(10),
            Self::Chrony | Self::Rtc(_) => Duration::from_secs(1),
            Self::Ptp(_) | Self::VmClock => Duration::from_millis(100),
        }
    }
}

/// Whether this PTP clock is a hypervisor's.
fn is_hosts(path: &str) -> bool {
    /// What the drivers of hypervisors call their clocks (Linux, drivers/ptp and
    /// drivers/hv/hv_util.c).
    const DRIVERS: [&str; 4] = ["KVM virtual PTP", "hyperv", "ptp_vmw", "vmclock"];
    let name = outside::name_of_ptp(path).unwrap_or_default();
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

/// Why a request gave no exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The next one may succeed.
    Lost(String),
    /// The server asks for fewer requests.
    TooMany,
    /// It must not be asked again.
    Over(String),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        let late = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind());
        Self::Lost(if late { "it does not answer".into() } else { error.to_string() })
    }
}

/// Asks once, and fills in what the source says of itself. The region is what is known already.
pub type Ask = Box<dyn FnMut(&Region, &mut Found) -> Result<Exchange, Failed> + Send>;

fn addresses(host: &str, port: u16) -> io::Result<SocketAddr> {
    let mut all = (host, port).to_socket_addrs()?;
    all.next().ok_or_else(|| io::Error::other("the name has no address"))
}

fn udp(host: &str, port: u16) -> io::Result<UdpSocket> {
    let to = addresses(host, port)?;
    let from = match to {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let socket = UdpSocket::bind(from)?;
    // Only the server's own packets arrive.
    socket.connect(to)?;
    Ok(socket)
}

fn ntp(host: &str, port: u16) -> Result<Ask, String> {
    let socket = udp(host, port).map_err(|error| error.to_string())?;
    Ok(Box::new(move |_, found| {
        /// Packets that answer nothing are skipped, but not for ever.
        const STRAYS: usize = 1000;
        let cookie = fastrand::u64(..);
        socket.set_read_timeout(Some(PATIENCE))?;
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
                    return Ok(time.exchange(sent, received));
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
    Ok((exchange, (!closes).then_some(stream)))
}

fn device(path: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no {path}"),
        io::ErrorKind::PermissionDenied => format!("{path}: {error} (root may read it)"),
        _ => format!("{path}: {error}"),
    }
}

/// The battery-backed clock, which shows whole seconds: it is read until one begins.
fn rtc(path: &str) -> Result<Ask, String> {
    let clock = Rtc::open(Path::new(path)).map_err(|error| device(path, &error))?;
    // hwclock(8): the third line says whether it keeps local time.
    let kept = std::fs::read_to_string("/etc/adjtime").unwrap_or_default();
    if kept.lines().nth(2).is_some_and(|line| line.trim() == "LOCAL") {
        return Err(format!("{path} keeps local time (/etc/adjtime)"));
    }
    Ok(Box::new(move |_, _| {
        const BETWEEN: Duration = Duration::from_millis(1);
        let began = raw_ns();
        let (mut before, first) = (began, clock.second()?);
        loop {
            sleep(BETWEEN);
            let sent = raw_ns();
            let second = clock.second()?;
            let received = raw_ns();
            if second != first {
                let edge = second.saturating_mul(SECOND);
                return Ok(Exchange { sent: before, received, latest: edge, earliest: edge });
            }
            before = sent;
            if received - began > 2 * SECOND {
                return Err(Failed::Lost("it stands still".into()));
            }
        }
    }))
}

fn ptp(path: &str) -> Result<Ask, String> {
    let clock = Ptp::open(Path::new(path)).map_err(|error| device(path, &error))?;
    let name = outside::name_of_ptp(path);
    Ok(Box::new(move |_, found| {
        found.says.clone_from(&name);
        narrowest(|| Ok(clock.ns().map(|ns| [ns, ns])?))
    }))
}

fn vm() -> Result<Exchange, Failed> {
    let page = vmclock::read().map_err(Failed::Lost)?;
    let time = page.time.ok_or_else(|| Failed::Over("its page is too short".into()))?;
    narrowest(|| time.utc_ns(counter::now_ordered()).map_err(|why| Failed::Lost(why.into())))
}

/// Reads a clock of this machine between two reads of the counter: the narrowest of several, since
/// an interrupt can widen any.
fn narrowest(mut read: impl FnMut() -> Result<[i64; 2], Failed>) -> Result<Exchange, Failed> {
    const TRIES: usize = 10;
    let mut once = || -> Result<Exchange, Failed> {
        let sent = raw_ns();
        let [earliest, latest] = read()?;
        Ok(Exchange { sent, received: raw_ns(), latest, earliest })
    };
    let mut found: Exchange = once()?;
    for _ in 1..TRIES {
        let next = once()?;
        if next.width() < found.width() {
            found = next;
        }
    }
    Ok(found)
}

fn chrony() -> Result<Ask, String> {
    let socket = udp("127.0.0.1", CHRONY_PORT).map_err(|error| error.to_string())?;
    Ok(Box::new(move |_, found| {
        let none = || Failed::Lost("no chronyd answers on 127.0.0.1:323".into());
        let cookie = fastrand::u32(..);
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.send(&chrony_request(cookie)).map_err(|_| none())?;
        let mut bytes = [0; 2 * CHRONY_BYTES];
        let length = socket.recv(&mut bytes).map_err(|_| none())?;
        let answer = chrony_answer(&bytes[..length], cookie);
        let answer = answer.map_err(|why| Failed::Lost(why.into()))?;
        let root_distance = answer.root_distance_s * 1e9;
        found.stratum = Some(answer.stratum.into());
        found.root_distance_ns = Some(root_distance);
        found.says = Some(format!(
            "it corrects the clock by {:+.3} ppm, known to ±{:.3} ppm, and {} remain",
            answer.frequency_ppm,
            answer.skew_ppm,
            human_ns(answer.behind_s.abs() * 1e9)
        ));
        let behind = (answer.behind_s * 1e9) as i64;
        // What remains is corrected while it is asked about.
        let error = (root_distance + answer.behind_s.abs() * 1e9).ceil() as i64;
        let [sent, wall, received] = outside::wall();
        let utc = wall.saturating_add(behind);
        let latest = utc.saturating_add(error);
        Ok(Exchange { sent, received, latest, earliest: utc.saturating_sub(error) })
    }))
}
