//! Durations and counts, as people write and read them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Why a text is not a valid duration or count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(String);

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

/// Nanoseconds in each unit that a duration may have.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("min", 60e9),
    ("h", 3600e9),
];

/// The longest duration that is accepted: a year.
const LONGEST_NS: f64 = 365.0 * 86_400e9;

/// Parses a duration such as `1us`, `2.5ms`, `10s` or `2h`.
///
/// # Errors
/// The unit is missing or unknown, the rest is not a number, or the duration is not above zero,
/// is below a nanosecond, or exceeds a year.
pub fn parse_duration(text: &str) -> Result<Duration, ParseError> {
    let fail = |why: &str| ParseError(format!("'{text}' is not a duration: {why}"));
    let split = text
        .find(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E'))
        .ok_or_else(|| fail(&without_unit(text)))?;
    let (number, unit) = text.split_at(split);
    let unit = unit.trim();
    let scale = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, ns)| *ns)
        .ok_or_else(|| fail("the unit must be ns, us, ms, s, m or h"))?;
    let number: f64 =
        number.trim().parse().map_err(|_| fail("there is no number before the unit"))?;
    let ns = number * scale;
    if ns.is_nan() || ns <= 0.0 {
        return Err(fail("it must be above zero"));
    }
    if ns < 1.0 {
        return Err(fail("it is shorter than a nanosecond"));
    }
    if ns > LONGEST_NS {
        return Err(fail("it is longer than a year"));
    }
    Ok(Duration::from_nanos(ns.round() as u64))
}

/// Parses a period: a duration, or a rate such as `144Hz`, whose period is rounded to a whole
/// nanosecond.
///
/// # Errors
/// One line that says what is wrong.
pub fn parse_period(text: &str) -> Result<Duration, ParseError> {
    let rate = text.trim().to_ascii_lowercase();
    let Some(rate) = rate.strip_suffix("hz") else {
        let number = rate.parse::<f64>();
        let of_rate = number.ok().and_then(|_| parse_period(&format!("{rate}hz")).ok());
        return parse_duration(text).map_err(|ParseError(why)| match of_rate {
            Some(of) => {
                let period = short_ns(of.as_nanos() as f64);
                ParseError(format!("{why}, or {}Hz (every {period})", text.trim()))
            }
            None => ParseError(why.replace("m or h", "m, h or Hz")),
        });
    };
    let fail = |why: &str| ParseError(format!("'{text}' is not a rate: {why}"));
    let hz: f64 =
        rate.trim().parse().map_err(|_| fail("it must be a number and Hz, as in 144Hz"))?;
    if !(1e9 / LONGEST_NS..=1e9).contains(&hz) {
        return Err(fail("its period must be from a nanosecond to a year"));
    }
    Ok(Duration::from_nanos((1e9 / hz).round() as u64))
}

/// What is wrong with a duration that lacks a unit. A number has the two readings that people mean,
/// which are a thousand apart.
fn without_unit(text: &str) -> String {
    let number = text.trim().parse::<f64>().ok().filter(|number| *number > 0.0);
    let read = |unit: &str| {
        let given = format!("{}{unit}", text.trim());
        let read = short_ns(parse_duration(&given).ok()?.as_nanos() as f64);
        Some(if read.replace(' ', "") == given { given } else { format!("{given} ({read})") })
    };
    match number.and_then(|_| Some((read("ms")?, read("s")?))) {
        Some((ms, s)) => format!("it lacks a unit: write {ms} or {s}"),
        None => "it needs a unit (ns, us, ms, s, m, h), as in 10ms".into(),
    }
}

/// What a letter after a count multiplies it by.
const MULTIPLES: [(char, u64); 5] =
    [('k', 1_000), ('K', 1_000), ('M', 1_000_000), ('G', 1_000_000_000), ('T', 1_000_000_000_000)];
/// The largest count that is accepted.
const MOST: u128 = 1_000_000_000_000;
/// The most digits, and the largest exponent, of a count: more cannot be a count that is accepted.
const DIGITS: usize = 24;

/// Parses a count such as `1000000`, `1_000_000`, `1,000,000`, `1e6`, `10M` or `2.5k`.
///
/// # Errors
/// Zero, a sign, a fraction that the exponent or the letter does not make whole, or a number above
/// a trillion.
pub fn parse_count(text: &str) -> Result<u64, ParseError> {
    let fail = |why: &str| ParseError(format!("'{text}' is not a count: {why}"));
    let whole = || fail("it must be a whole number above zero, such as 5000, 1e6 or 10M");
    let too_large = || fail("it must not exceed 1,000,000,000,000");
    let plain: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    let mut multiples = MULTIPLES.iter();
    let multiple = multiples.find_map(|(letter, by)| Some((plain.strip_suffix(*letter)?, *by)));
    let (number, multiple) = multiple.unwrap_or((&plain, 1));
    let (number, exponent) = match number.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.trim_start_matches('+')),
        None => (number, "0"),
    };
    let (before, after) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let written = !before.is_empty() && (after.is_empty() != number.contains('.'));
    let exponent_written = !exponent.is_empty() && digits(exponent);
    if !written || !digits(before) || !digits(after) || !exponent_written {
        return Err(whole());
    }
    let exponent: usize = exponent.parse().map_err(|_| too_large())?;
    let after = after.trim_end_matches('0');
    if before.len() + after.len() > DIGITS || exponent > DIGITS {
        return Err(too_large());
    }
    // Scaled up by all decimal places, so that nothing is rounded.
    let power = |n: usize| 10u128.checked_pow(u32::try_from(n).unwrap_or(u32::MAX));
    let digits: u128 = format!("{before}{after}").parse().map_err(|_| whole())?;
    let scaled = power(exponent)
        .and_then(|power| power.checked_mul(u128::from(multiple)))
        .and_then(|by| digits.checked_mul(by))
        .ok_or_else(too_large)?;
    let unit = power(after.len()).ok_or_else(whole)?;
    match scaled / unit {
        _ if !scaled.is_multiple_of(unit) => Err(whole()),
        0 => Err(fail("it must be above zero")),
        n if n > MOST => Err(too_large()),
        n => u64::try_from(n).map_err(|_| too_large()),
    }
}

/// Parses a whole number, which may be zero.
///
/// # Errors
/// The text is anything else, or the number is too large.
pub fn parse_whole<T: FromStr>(text: &str) -> Result<T, ParseError> {
    text.parse().map_err(|_| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let why = if digits { "it is too large" } else { "it must be a whole number, 0 or above" };
        ParseError(why.into())
    })
}

/// The decimal place (as a power of ten) of a number's first digit.
pub fn place(value: f64) -> i32 {
    if value > 0.0 && value.is_finite() {
        value.log10().floor().clamp(-12.0, 18.0) as i32
    } else {
        -12
    }
}

/// The decimal place of the last digit that is shown of a figure: the first digit of half of its
/// 95 % interval (GUM, JCGM 100:2008, 7.2.6: one or at most two digits of the uncertainty), never
/// beyond the third of the figure, and never before its first; the third if there is no interval.
pub fn last_place(value: f64, half: f64) -> i32 {
    let magnitude = value.abs();
    let third = place(magnitude) - 2;
    // Rounding moves the third digit of 9.996 up one place.
    let up = (magnitude / 10f64.powi(third)).round() >= 1000.0;
    let third = third + i32::from(up);
    if !half.is_finite() || half < 0.0 {
        return third.max(-6);
    }
    // A value smaller than its uncertainty keeps its first digit: 0 would suggest that it costs
    // nothing.
    third.max(place(half).min(place(magnitude))).max(-3)
}

/// A number rounded to a decimal place and written with no digit beyond it.
pub fn rounded(value: f64, place: i32) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    if place >= 0 {
        let unit = 10f64.powi(place);
        grouped((value / unit).round() * unit)
    } else {
        let text = format!("{value:.*}", place.unsigned_abs() as usize);
        match text.split_once('.') {
            Some((whole, fraction)) if whole.trim_start_matches('-').len() > 3 => {
                format!("{}.{fraction}", grouped(value.trunc()))
            }
            _ => text,
        }
    }
}

/// A figure rounded to two significant digits.
pub fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.abs().log10().floor() - 1.0);
    if unit.is_finite() && unit > 0.0 { (value / unit).round() * unit } else { value }
}

/// Formats a number with three significant digits and no exponent: `8.07`, `35.1`; above a
/// thousand, all digits of the whole number: `1,243`.
pub fn three_digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0.00".into(),
        whole if (999.5..f64::INFINITY).contains(&whole) => grouped(value.round()),
        _ => rounded(value, last_place(value, f64::NAN)),
    }
}

/// Formats a whole number with a comma between thousands.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let sign = if value < 0.0 && digits != "0" { "-" } else { "" };
    format!("{sign}{}", with_commas(&digits))
}

fn with_commas(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a duration as [`human_ns`] does, but with no digit that half of its interval does not
/// support ([`last_place`]): `628 ± 20` becomes `630 ns`. It is rounded once, and so to the digits
/// of a table in nanoseconds.
pub fn human_ns_within(ns: f64, half_ns: f64) -> String {
    let last = last_place(ns, half_ns);
    if !ns.is_finite() || ns == 0.0 {
        return human_ns(ns);
    }
    if last < 0 {
        return format!("{} ns", rounded(ns, last));
    }
    let kept = (ns / 10f64.powi(last)).round() * 10f64.powi(last);
    let (unit, length) = unit_of(kept);
    if length > 1e9 {
        return human_ns(kept);
    }
    format!("{} {unit}", rounded(kept / length, (last - place(length)).min(0)))
}

/// Formats a duration and what it can be off by, in one unit and with all digits that this leaves:
/// `64.0123 ±0.0005 s`. The bound is rounded up, by as much as the figure is rounded.
pub fn bounded_ns(ns: f64, half_ns: f64) -> String {
    if !ns.is_finite() || !half_ns.is_finite() {
        return "-".into();
    }
    /// Longer times stay in seconds: a bound is mostly far below an hour.
    const SHOWN: [(&str, f64, f64); 4] =
        [("ns", 1.0, 999.5), ("us", 1e3, 999.5e3), ("ms", 1e6, 999.5e6), ("s", 1e9, f64::INFINITY)];
    let mut shown = SHOWN.iter();
    let unit = shown.find(|(.., most)| ns.abs().max(half_ns) < *most);
    let (unit, length, _) = unit.copied().unwrap_or(SHOWN[3]);
    // Two digits of the bound; below a nanosecond nothing is known.
    let last = (half_ns.max(1.0).log10().floor() - 1.0).max(0.0);
    let digits = (f64::log10(length) - last).clamp(0.0, 9.0) as usize;
    let scale = 10f64.powi(digits as i32);
    let [ns, half] = [ns / length, half_ns / length];
    let kept = (ns * scale).round() / scale;
    let half = ((half + (ns - kept).abs()) * scale).ceil() / scale;
    format!("{kept:.digits$} ±{half:.digits$} {unit}")
}

/// Formats a duration in the unit that keeps it between 1 and 1000: `8.07 ns`, `55.3 us`, `4.00
/// ms`.
pub fn human_ns(ns: f64) -> String {
    let (unit, length) = unit_of(ns);
    format!("{} {unit}", three_digits(ns / length))
}

/// The unit that keeps a duration between 1 and 1000, and its length in nanoseconds.
fn unit_of(ns: f64) -> (&'static str, f64) {
    const YEAR: f64 = 365.25 * 86_400e9;
    /// Each unit, its length, and what is below the next one.
    const SHOWN: [(&str, f64, f64); 6] = [
        ("ns", 1.0, 999.5),
        ("us", 1e3, 999.5e3),
        ("ms", 1e6, 999.5e6),
        ("s", 1e9, 3600e9),
        ("h", 3600e9, 48.0 * 3600e9),
        ("days", 86_400e9, 2.0 * YEAR),
    ];
    let mut shown = SHOWN.iter();
    let unit = shown.find(|(.., most)| ns.abs() < *most);
    unit.map_or(("years", YEAR), |(unit, length, _)| (*unit, *length))
}

/// Formats a duration to three significant digits without trailing zeros: `1 ns`, `4 ms`, `0.385
/// ns`.
pub fn short_ns(ns: f64) -> String {
    if !ns.is_finite() {
        return "-".into();
    }
    if ns == 0.0 {
        return "0 ns".into();
    }
    let text = human_ns(ns);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number} {unit}")
        }
        _ => text,
    }
}

/// Formats a whole number with a comma between thousands.
pub fn count(n: u64) -> String {
    with_commas(&n.to_string())
}

/// Formats a number with the singular or the plural of a noun.
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Formats a share in percent: `93.2 %`, `0.02 %`. The result is `0 %` or `100 %` only if the share
/// is exactly that; otherwise it is `<0.01 %` or `>99.9 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() {
        "-".into()
    } else if percent == 0.0 || percent == 100.0 {
        format!("{percent:.0} %")
    } else if percent > 0.0 && percent < 0.01 {
        "<0.01 %".into()
    } else if (99.95..100.0).contains(&percent) {
        ">99.9 %".into()
    } else if percent.abs() < 0.995 {
        format!("{percent:.2} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// Formats a duration as [`human_ns`] does: the standard library's own output is not ASCII.
pub fn human(time: Duration) -> String {
    human_ns(time.as_nanos() as f64)
}

/// Formats a frequency: `2.600 GHz`, `14.318180 MHz`.
pub fn human_hz(hz: f64) -> String {
    if hz >= 1e9 {
        format!("{:.6} GHz", hz / 1e9)
    } else if hz >= 1e6 {
        format!("{:.6} MHz", hz / 1e6)
    } else if hz >= 1e3 {
        format!("{:.3} kHz", hz / 1e3)
    } else {
        format!("{hz:.0} Hz")
    }
}

/// Formats the numbers of CPUs, in ascending order: `0-3, 6`.
pub fn ranges(cpus: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &cpu in cpus {
        match parts.last_mut() {
            Some((_, end)) if Some(cpu) == end.checked_add(1) => *end = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let text = |(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_has_two_digits_in_the_unit_of_its_figure() {
        for (ns, half, text) in [
            (1_840_000.0, 310_000.0, "1.84 ±0.31 ms"),
            (64.012_345_6e9, 500_000.0, "64.01235 ±0.00051 s"),
            (41_250e9, 0.5e9, "41250.00 ±0.50 s"),
            (900.0, 35_200.0, "1 ±36 us"),
            (-12.0, 0.0, "-12 ±0 ns"),
            (f64::NAN, 1.0, "-"),
        ] {
            assert_eq!(bounded_ns(ns, half), text);
        }
    }

    #[test]
    fn no_digit_is_shown_that_the_interval_does_not_support() {
        let shown = [
            (628.4, 20.0, "630 ns"),
            (22.23, 3.0, "22 ns"),
            (22.23, 0.14, "22.2 ns"),
            (9.463, 0.01, "9.46 ns"),
            (9.4651, 0.005, "9.47 ns"),
            (0.0421, 0.000_1, "0.042 ns"),
            (4083.0, 4.0, "4.08 us"),
            (999.6, 2.0, "1.00 us"),
            (9.98, 0.3, "10.0 ns"),
            (3943.0, 30.0, "3.94 us"),
            (3943.0, 300.0, "3.9 us"),
            (5.3, 40.0, "5 ns"),
            (18.0, 0.0, "18.0 ns"),
            (18.0, f64::NAN, "18.0 ns"),
        ];
        for (ns, half, text) in shown {
            assert_eq!(human_ns_within(ns, half), text, "{ns} +- {half}");
        }
    }

    #[test]
    fn durations_are_parsed_in_every_unit() {
        assert_eq!(parse_duration("1us").unwrap(), Duration::from_micros(1));
        assert_eq!(parse_duration("2.5ms").unwrap(), Duration::from_micros(2500));
        assert_eq!(parse_duration("2h").unwrap(), Duration::from_secs(7200));
        assert_eq!(parse_duration("1e3ns").unwrap(), Duration::from_micros(1));
    }

    #[test]
    fn bad_durations_say_what_is_wrong() {
        for text in [
            "",
            "10",
            "ms",
            "-1ms",
            "0s",
            "1e30h",
            "nans",
            "infs",
            "1 fortnight",
            "0.1ns",
            "1e400s",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        assert!(parse_duration("10").unwrap_err().to_string().contains("unit"));
        assert!(parse_duration("0ms").unwrap_err().to_string().contains("above zero"));
    }

    #[test]
    fn a_period_is_a_duration_or_a_rate() {
        assert_eq!(parse_period("2ms").unwrap(), Duration::from_millis(2));
        for (text, ns) in [("144Hz", 6_944_444), ("59.94 hz", 16_683_350), ("1e9HZ", 1)] {
            assert_eq!(parse_period(text).unwrap(), Duration::from_nanos(ns), "{text}");
        }
        for text in ["Hz", "0Hz", "-1Hz", "nanHz", "infHz", "1e10Hz", "1e-9Hz", "60", "1kHz", ""] {
            assert!(parse_period(text).is_err(), "{text}");
        }
        let told = |text| parse_period(text).unwrap_err().to_string();
        assert!(told("60").ends_with("write 60ms or 60s, or 60Hz (every 16.7 ms)"));
        assert!(!told("0").contains("Hz") && told("60fps").ends_with("m, h or Hz"));
    }

    #[test]
    fn bad_counts_say_what_is_wrong() {
        for text in [
            "0",
            "-1",
            "+1",
            "1.5",
            "",
            "x",
            "1e",
            "e6",
            "1e-3",
            "1e13",
            "1e99999999999999999999",
            "99999999999999999999",
            "2T",
            "k",
            "10MM",
            "1 M",
            "1.5M5",
            ".5k",
            "1.k",
            "1.0001k",
            "0e6",
            "1e6e6",
            "1m",
            "\u{665}",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
        for (text, count) in [
            ("1_000,000", 1_000_000),
            ("1e6", 1_000_000),
            ("1E+3", 1000),
            ("1.5e1", 15),
            ("10M", 10_000_000),
            ("2.50k", 2500),
            ("3K", 3000),
            ("1G", 1_000_000_000),
            ("1T", 1_000_000_000_000),
            ("0.001k", 1),
            ("007", 7),
        ] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(three_digits(8.0749), "8.07");
        assert_eq!(three_digits(9.996), "10.0");
        assert_eq!(three_digits(35.14), "35.1");
        assert_eq!(three_digits(1239.6), "1,240");
        assert_eq!(three_digits(f64::NAN), "-");
        assert_eq!(human_ns(55_300.0), "55.3 us");
        assert_eq!(human_ns(4e6), "4.00 ms");
        assert_eq!(grouped(-1_234_567.0), "-1,234,567");
    }

    #[test]
    fn durations_have_no_meaningless_zeros() {
        assert_eq!(short_ns(1.0), "1 ns");
        assert_eq!(short_ns(4e6), "4 ms");
        assert_eq!(short_ns(0.384_615), "0.385 ns");
        assert_eq!(short_ns(1000.0), "1 us");
        assert_eq!(short_ns(30.5e6), "30.5 ms");
        assert_eq!(short_ns(f64::INFINITY), "-");
        assert_eq!(short_ns(0.0), "0 ns");
    }

    #[test]
    fn a_share_is_shown_as_0_or_100_percent_only_if_it_is_exact() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_001), "<0.01 %");
        assert_eq!(percent(0.000_2), "0.02 %");
        assert_eq!(percent(0.009_97), "1.0 %");
        assert_eq!(percent(0.932), "93.2 %");
        assert_eq!(percent(999_998.0 / 999_999.0), ">99.9 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(1.02), "102.0 %");
        assert_eq!(percent(f64::NAN), "-");
    }
}
