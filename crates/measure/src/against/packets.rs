//! Readers of what other clocks answer: NTP's 48 bytes, the head of an answer of HTTP, and what
//! chronyd, ntpd and systemd-timesyncd believe. All of it comes from outside, so nothing here may
//! panic, whatever the bytes.
//!
//! NTP has 48 bytes of fixed layout. The crates that read them bring a client of their own, with
//! its own clock.

use super::region::Exchange;
use chronoscope_model::against::Interval;
use chronoscope_probes::machine::outside::CRYSTAL_PPM;
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const SECOND: i64 = 1_000_000_000;

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_be_bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

// NTP (RFC 5905).

pub const NTP_BYTES: usize = 48;
/// The year 1970 in seconds since 1900 (RFC 5905, figure 4).
const TO_1970: i64 = 2_208_988_800;

/// A request. Its only field is a random number in place of our time, which the answer repeats: a
/// stranger cannot guess it, and it does not reveal our clock.
pub fn ntp_request(cookie: u64) -> [u8; NTP_BYTES] {
    let mut packet = [0; NTP_BYTES];
    // Version 4, mode 3: a client.
    packet[0] = 4 << 3 | 3;
    packet[40..].copy_from_slice(&cookie.to_be_bytes());
    packet
}

/// What an NTP server answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ntp {
    Time(NtpTime),
    /// The kiss of death, with its code.
    Kiss([u8; 4]),
    /// The server says that its own clock is not synchronised.
    Unsynchronised,
    /// Not an answer to this request, such as a duplicate of an earlier one.
    Stray,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NtpTime {
    /// When the request arrived, and when the answer left, in nanoseconds since 1970.
    pub received: i64,
    pub sent: i64,
    /// How far the server can be from UTC by its own account, and the step of its clock, in
    /// nanoseconds.
    pub root_distance: i64,
    pub stratum: u8,
    /// Whether a leap second is announced for the end of the day: 1 is inserted, 2 deleted.
    pub leap: u8,
}

/// Reads the answer to the request with this cookie.
pub fn ntp_answer(bytes: &[u8], cookie: u64) -> Ntp {
    read_ntp(bytes, cookie).unwrap_or(Ntp::Stray)
}

fn read_ntp(bytes: &[u8], cookie: u64) -> Option<Ntp> {
    let first = *bytes.first()?;
    let (leap, version, mode) = (first >> 6, first >> 3 & 7, first & 7);
    let ours = array(bytes, 24).map(u64::from_be_bytes)? == cookie;
    if bytes.len() < NTP_BYTES || mode != 4 || !(3..=4).contains(&version) || !ours {
        return None;
    }
    let stratum = bytes[1];
    if stratum == 0 {
        return Some(Ntp::Kiss(array(bytes, 12)?));
    }
    let (received, sent) = (ntp_time(bytes, 32)?, ntp_time(bytes, 40)?);
    if leap == 3 || stratum >= 16 || received.is_none() || sent.is_none() {
        return Some(Ntp::Unsynchronised);
    }
    // In units of 2^-16 s; a clock is within half of its delay and all of its dispersion.
    let distance = i64::from(word(bytes, 4)?) / 2 + i64::from(word(bytes, 8)?);
    // The step of the server's clock is a power of two, below a second for any that is useful.
    let precision = (bytes[3] as i8).clamp(-30, 0);
    let step = (SECOND >> -i32::from(precision)) + 1;
    let root_distance = ((distance * SECOND) >> 16) + 1 + step;
    let (received, sent) = received.zip(sent)?;
    Some(Ntp::Time(NtpTime { received, sent, root_distance, stratum, leap }))
}

/// A time in nanoseconds since 1970; `None` inside if it is not set. Before 1968, it is one of the
/// era that begins in 2036 (RFC 4330, section 3).
fn ntp_time(bytes: &[u8], at: usize) -> Option<Option<i64>> {
    let (seconds, fraction) = (word(bytes, at)?, word(bytes, at + 4)?);
    let era = if seconds >> 31 == 0 { 1_i64 << 32 } else { 0 };
    let ns = (i64::from(fraction) * SECOND) >> 32;
    let set = seconds != 0 || fraction != 0;
    Some(set.then_some((i64::from(seconds) + era - TO_1970) * SECOND + ns))
}

/// The answer to these bytes, if they are a request: it has the same length or less. `stamps` reads
/// when the request arrived and what time it is now, in nanoseconds since 1970, and how far both
/// can be from UTC; none says that this machine's clock is not synchronised, as far as is known.
pub fn ntp_reply(
    request: &[u8],
    stamps: impl FnOnce() -> ([u64; 2], Option<u64>),
) -> Option<[u8; NTP_BYTES]> {
    /// No clock prefers this one to a server of time.
    const STRATUM: u8 = 15;
    /// A read of the clock takes 2^-25 s, which is 30 ns.
    const PRECISION: i8 = -25;
    let first = *request.first()?;
    let version = first >> 3 & 7;
    if request.len() < NTP_BYTES || first & 7 != 3 || !(3..=4).contains(&version) {
        return None;
    }
    let mut packet = [0; NTP_BYTES];
    let (times, error) = stamps();
    // In units of 2^-16 s, rounded up. More than fits is as good as unknown.
    let error = error.map(|ns| ((u128::from(ns) << 16) / SECOND as u128) + 1);
    let error = error.and_then(|it| u32::try_from(it).ok());
    let (leap, stratum) = if error.is_some() { (0, STRATUM) } else { (3, 16) };
    packet[0] = leap << 6 | version << 3 | 4;
    packet[1] = stratum;
    packet[2] = request[2];
    packet[3] = PRECISION as u8;
    packet[8..12].copy_from_slice(&error.unwrap_or(u32::MAX).to_be_bytes());
    packet[24..32].copy_from_slice(&request[40..48]);
    let [received, sent] = times.map(|ns| {
        let (seconds, ns) = (ns / SECOND as u64, ns % SECOND as u64);
        let seconds = seconds.wrapping_add(TO_1970 as u64) << 32;
        (seconds | ((ns << 32) / SECOND as u64)).to_be_bytes()
    });
    packet[16..24].copy_from_slice(&received);
    packet[32..40].copy_from_slice(&received);
    packet[40..].copy_from_slice(&sent);
    Some(packet)
}

impl NtpTime {
    /// The exchange that left and came back at these times by our counter.
    pub fn exchange(&self, sent: i64, received: i64) -> Exchange {
        Exchange {
            sent,
            received,
            latest: self.received + self.root_distance,
            earliest: self.sent - self.root_distance,
        }
    }
}

// HTTP (RFC 9110).

/// The second that the answer states, in seconds since 1970.
///
/// # Errors
/// It states none that can be used, for this reason.
pub fn http_second(head: &[u8]) -> Result<i64, &'static str> {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    if !lines.next().is_some_and(|line| line.starts_with("HTTP/1.")) {
        return Err("it does not speak HTTP");
    }
    let field = |line: &str, name: &str| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    };
    let mut date = None;
    for line in lines {
        if field(line, "age").is_some_and(|age| !age.trim_start_matches('0').is_empty()) {
            return Err("it answers from a cache (Age)");
        }
        date = date.or_else(|| field(line, "date"));
    }
    let date = date.ok_or("its answer has no Date")?;
    let time = DateTimeParser::new().parse_timestamp(&date);
    time.map(|time| time.as_second()).map_err(|_| "its Date is not a date")
}

/// The exchange with a clock that shows whole seconds.
pub fn whole_second(second: i64, sent: i64, received: i64) -> Option<Exchange> {
    let earliest = second.checked_mul(SECOND)?;
    let latest = earliest.checked_add(SECOND)?;
    Some(Exchange { sent, received, latest, earliest })
}

// chronyd's protocol of commands, version 6 (chrony, candm.h).

const TRACKING: u16 = 33;
const TRACKING_ANSWER: u16 = 5;
/// The length of the answer. A request has to be as long, so that it cannot be amplified.
pub const CHRONY_BYTES: usize = 104;

/// A request for what chronyd believes, which changes nothing.
pub fn chrony_request(cookie: u32) -> [u8; CHRONY_BYTES] {
    let mut packet = [0; CHRONY_BYTES];
    packet[..2].copy_from_slice(&[6, 1]);
    packet[4..6].copy_from_slice(&TRACKING.to_be_bytes());
    packet[8..12].copy_from_slice(&cookie.to_be_bytes());
    packet
}

/// What a program that keeps the system's clock believes of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Belief {
    pub stratum: u64,
    /// How far the system's clock is behind, in seconds: what remains to be corrected.
    pub behind_s: f64,
    /// How far the program's own idea of UTC can be off, in seconds.
    pub error_s: f64,
    /// How much faster than UTC the clock would run without its correction, with the program's own
    /// bounds, in parts per million (chronyc(1), `tracking`: positive is "fast").
    pub ppm: Option<Interval>,
}

impl Belief {
    /// The exchange that it amounts to, with the wall clock as it is now ([`wall`]).
    ///
    /// [`wall`]: chronoscope_probes::machine::outside::wall
    pub fn exchange(&self, [sent, wall, received]: [i64; 3]) -> Option<Exchange> {
        let ns = |seconds: f64| (seconds.is_finite()).then_some((seconds * 1e9).ceil() as i64);
        let utc = wall.saturating_add(ns(self.behind_s)?);
        // What remains is corrected while it is asked about.
        let error = ns(self.error_s + self.behind_s.abs()).filter(|_| self.error_s >= 0.0)?;
        let (latest, earliest) = (utc.saturating_add(error), utc.saturating_sub(error));
        Some(Exchange { sent, received, latest, earliest })
    }
}

/// Reads the answer to the request with this cookie.
///
/// # Errors
/// It is no answer, or chronyd is not synchronised.
pub fn chrony_answer(bytes: &[u8], cookie: u32) -> Result<Belief, &'static str> {
    let answer = read_chrony(bytes, cookie).ok_or("it gives no answer that is known here")?;
    let leap = short(bytes, 54).unwrap_or(3);
    // What it follows, as an address: 127.127.1.1 is the system's own clock (`local`).
    if word(bytes, 28) == Some(0x7f7f_0101) {
        return Err("chronyd follows no clock but this machine's own (local)");
    }
    if leap == 3 || answer.stratum == 0 {
        return Err("chronyd runs, but is not synchronised");
    }
    Ok(answer)
}

fn read_chrony(bytes: &[u8], cookie: u32) -> Option<Belief> {
    let head = bytes.get(..2)? == [6, 2] && short(bytes, 4)? == TRACKING;
    if !head || short(bytes, 6)? != TRACKING_ANSWER || word(bytes, 16)? != cookie {
        return None;
    }
    if short(bytes, 8)? != 0 {
        return None;
    }
    let float = |at: usize| word(bytes, at).map(chrony_float);
    // What corrects the clock, what is yet to be added to that, and the bound of the error.
    let (ppm, rest, skew) = (float(80)?, float(84)?, float(88)?.abs());
    let high = ppm + rest.max(0.0) + skew;
    Some(Belief {
        stratum: short(bytes, 52)?.into(),
        behind_s: -float(68)?,
        error_s: float(92)? / 2.0 + float(96)?,
        ppm: Some(Interval { low: ppm + rest.min(0.0) - skew, best: ppm, high }),
    })
}

/// chrony's own format: a signed exponent of seven bits, and a signed coefficient of 25.
fn chrony_float(word: u32) -> f64 {
    let exponent = (word as i32) >> 25;
    let coefficient = ((word << 7) as i32) >> 7;
    f64::from(coefficient) * 2f64.powi(exponent - 25)
}

// ntpd's control messages (RFC 9327, the variables of `ntpq -c rv`).

/// Without these, the answer has more variables than fit into a packet.
const VARIABLES: &[u8] =
    b"leap,stratum,rootdelay,rootdisp,refid,reftime,clock,offset,frequency,clk_wander";
const CONTROL_HEAD: usize = 12;
const READ_VARIABLES: u8 = 2;

/// A request for what ntpd believes, which changes nothing.
pub fn ntpd_request(cookie: u16) -> Vec<u8> {
    // Version 2, mode 6: what every ntpd answers.
    let mut packet = vec![2 << 3 | 6, READ_VARIABLES];
    packet.extend(cookie.to_be_bytes());
    packet.extend([0; 6]);
    packet.extend((VARIABLES.len() as u16).to_be_bytes());
    packet.extend(VARIABLES);
    packet.resize(packet.len().next_multiple_of(4), 0);
    packet
}

/// Reads the answer to the request with this cookie.
///
/// # Errors
/// It is no answer, or ntpd is not synchronised.
pub fn ntpd_answer(bytes: &[u8], cookie: u16) -> Result<Belief, &'static str> {
    const UNKNOWN: &str = "it gives no answer that is known here";
    let head = bytes.get(..CONTROL_HEAD).ok_or(UNKNOWN)?;
    // An answer, neither an error nor one of several parts.
    if head[0] & 7 != 6 || head[1] != 0x80 | READ_VARIABLES || short(head, 2) != Some(cookie) {
        return Err(UNKNOWN);
    }
    let length = usize::from(short(head, 10).unwrap_or(0));
    let text = bytes.get(CONTROL_HEAD..CONTROL_HEAD + length).ok_or(UNKNOWN)?;
    let text = String::from_utf8_lossy(text);
    let all = text.split(',').filter_map(|one| one.split_once('='));
    let all: BTreeMap<&str, &str> = all.map(|(key, value)| (key.trim(), value.trim())).collect();
    let number = |key: &str| {
        let value = all.get(key)?.parse::<f64>().ok();
        value.filter(|value| value.is_finite())
    };
    // Seconds and their fraction, in hexadecimal: only the distance of the two is needed.
    let time = |key: &str| {
        let (seconds, parts) = all.get(key)?.strip_prefix("0x")?.split_once('.')?;
        let seconds = u32::from_str_radix(seconds, 16).ok()?;
        let parts = u32::from_str_radix(parts, 16).ok()?;
        Some(f64::from(seconds) + f64::from(parts) / 2f64.powi(32))
    };
    // By how much it corrects, which it rounds to thousandths, as it does the error.
    let ppm = number("frequency").zip(number("clk_wander")).map(|(correction, wander)| {
        let (best, error) = (-correction, wander.abs() + 0.001);
        Interval { low: best - error, best, high: best + error }
    });
    let read = || {
        let [delay, dispersion, offset] = ["rootdelay", "rootdisp", "offset"].map(number);
        // The dispersion is as it was at the last update.
        let age = time("clock")? - time("reftime")?;
        let grown = age.max(0.0) * CRYSTAL_PPM as f64 / 1e6;
        let stratum = number("stratum").filter(|it| (0.0..256.0).contains(it))? as u64;
        let error_s = (delay?.abs() / 2.0 + dispersion?.abs()) / 1e3 + grown;
        Some(Belief { stratum, behind_s: offset? / 1e3, error_s, ppm })
    };
    let found = read().ok_or(UNKNOWN)?;
    let own =
        all.get("refid").is_some_and(|id| id.starts_with("LOC") || id.starts_with("127.127.1."));
    match all.get("leap") {
        _ if own => Err("ntpd follows no clock but this machine's own (LOCAL)"),
        Some(&("3" | "11")) => Err("ntpd runs, but is not synchronised"),
        _ if !(1..16).contains(&found.stratum) => Err("ntpd runs, but is not synchronised"),
        _ => Ok(found),
    }
}

// systemd-timesyncd's property `NTPMessage`, as `busctl --json=short` writes it: leap, version,
// mode, stratum, precision, root delay and dispersion, reference, the four times of the last
// exchange, whether that was ignored, how many there were, and jitter. Times are in microseconds.

/// What it believes at this time by the wall clock, in nanoseconds since 1970.
///
/// # Errors
/// It is no answer, or timesyncd is not synchronised.
pub fn timesyncd_answer(json: &[u8], wall: i64) -> Result<Belief, &'static str> {
    let json: Value = serde_json::from_slice(json).map_err(|_| "it gives no JSON")?;
    let field = |nth: usize| json.get("data")?.get(nth);
    let number = |nth: usize| field(nth).and_then(Value::as_f64).map(|value| value / 1e6);
    let all = || {
        let times = [number(8)?, number(9)?, number(10)?, number(11)?];
        let age = wall as f64 / 1e9 - times[3];
        Some((times, number(5)?.abs() / 2.0 + number(6)?.abs(), age, field(3)?.as_u64()?))
    };
    let all = all().ok_or("its answer is not one of timesyncd's")?;
    let ([sent, arrived, left, received], root, age, stratum) = all;
    if field(0).and_then(Value::as_u64) == Some(3) || !(1..16).contains(&stratum) || sent <= 0.0 {
        return Err("systemd-timesyncd runs, but is not synchronised");
    }
    if field(12).and_then(Value::as_bool) == Some(true) || age < 0.0 {
        return Err("systemd-timesyncd ignored its last answer, or the clock was set since");
    }
    // The clock was off by so much, which has been corrected in part since.
    let offset = f64::midpoint(arrived - sent, left - received);
    let half = ((received - sent) - (left - arrived)).abs() / 2.0 + 1e-6;
    // What is uncertain about half of the correction is added where the belief is used.
    let error_s = half + root + age * CRYSTAL_PPM as f64 / 1e6;
    Ok(Belief { stratum, behind_s: offset / 2.0, error_s, ppm: None })
}

// Pulses at the start of each second.

/// The exchange with a pulse that came at this time by the wall clock, which must know the second
/// to within half of it; and the wall clock as it is now.
pub fn pulse(at: i64, [sent, wall, received]: [i64; 3]) -> Option<Exchange> {
    /// The wall clock may have been slewed since (adjtimex(2): 500 ppm).
    const SLEWED: i64 = 2000;
    let since = wall.checked_sub(at).filter(|since| (0..2 * SECOND).contains(since))?;
    let second = (at.checked_add(SECOND / 2)?).div_euclid(SECOND) * SECOND;
    let [sent, received] = [sent - since - since / SLEWED, received - since + since / SLEWED];
    Some(Exchange { sent, received, latest: second, earliest: second })
}
