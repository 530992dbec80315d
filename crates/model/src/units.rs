//! Durations and counts, as people write and read them.

use std::fmt;
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
        .ok_or_else(|| fail("it needs a unit (ns, us, ms, s, m, h), as in 10ms"))?;
    let (number, unit) = text.split_at(split);
    let unit = unit.trim();
    let scale = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, ns)| *ns)
        .ok_or_else(|| fail("the unit must be ns, us, ms, s, m or h"))?;
    let number: f64 = number
        .trim()
        .parse()
        .map_err(|_| fail("there is no number before the unit"))?;
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

/// Parses a count such as `1000000`, `1_000_000` or `1,000,000`.
///
/// # Errors
/// Zero, a sign, a fraction, an exponent, or a number above a trillion.
pub fn parse_count(text: &str) -> Result<u64, ParseError> {
    let fail = |why: &str| ParseError(format!("'{text}' is not a count: {why}"));
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(fail("it must be a whole number above zero"));
    }
    match digits.parse::<u64>() {
        Ok(0) => Err(fail("it must be above zero")),
        Ok(n) if n <= 1_000_000_000_000 => Ok(n),
        _ => Err(fail("it must not exceed 1,000,000,000,000")),
    }
}

/// Formats a number with three significant digits and no exponent: `8.07`, `35.1`, `1,240`.
pub fn three_digits(value: f64) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    let magnitude = value.abs();
    if magnitude < 9.995 {
        if magnitude < 0.0995 && magnitude != 0.0 {
            format!("{value:.3}")
        } else {
            format!("{value:.2}")
        }
    } else if magnitude < 99.95 {
        format!("{value:.1}")
    } else {
        grouped(value.round())
    }
}

/// Formats a whole number with a comma between thousands.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0.0 && digits != "0" {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a duration in the unit that keeps it between 1 and 1000: `8.07 ns`, `55.3 us`, `4.00
/// ms`.
pub fn human_ns(ns: f64) -> String {
    let magnitude = ns.abs();
    let (value, unit) = if magnitude < 999.5 {
        (ns, "ns")
    } else if magnitude < 999.5e3 {
        (ns / 1e3, "us")
    } else if magnitude < 999.5e6 {
        (ns / 1e6, "ms")
    } else if magnitude < 3600e9 {
        (ns / 1e9, "s")
    } else if magnitude < 48.0 * 3600e9 {
        (ns / 3600e9, "h")
    } else if magnitude < 2.0 * 365.25 * 86_400e9 {
        (ns / 86_400e9, "days")
    } else {
        (ns / (365.25 * 86_400e9), "years")
    };
    format!("{} {unit}", three_digits(value))
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
    let text = if ns.abs() < 1.0 {
        let places = (2.0 - ns.abs().log10().floor()).clamp(0.0, 6.0) as usize;
        format!("{ns:.places$} ns")
    } else {
        human_ns(ns)
    };
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
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_parsed_in_every_unit() {
        assert_eq!(parse_duration("1us").unwrap(), Duration::from_micros(1));
        assert_eq!(
            parse_duration("2.5ms").unwrap(),
            Duration::from_micros(2500)
        );
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
        assert!(
            parse_duration("10")
                .unwrap_err()
                .to_string()
                .contains("unit")
        );
        assert!(
            parse_duration("0ms")
                .unwrap_err()
                .to_string()
                .contains("above zero")
        );
    }

    #[test]
    fn bad_counts_say_what_is_wrong() {
        for text in [
            "",
            "0",
            "-1",
            "1.5",
            "1e30",
            "99999999999999999999",
            "2000000000000",
            "x",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert_eq!(parse_count("1_000,000").unwrap(), 1_000_000);
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
