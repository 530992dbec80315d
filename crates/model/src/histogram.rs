//! Histograms in the format of HdrHistogram's own tools.

use crate::quantile::Percentile;
use base64::Engine;
use hdrhistogram::Histogram as Hdr;
use std::io::Read;

/// A histogram of nanoseconds, with its percentiles for readers without the library.
#[record]
pub struct Histogram {
    /// How many values were recorded.
    pub count: u64,
    /// The smallest value, in nanoseconds.
    pub min_ns: u64,
    /// The mean, in nanoseconds.
    pub mean_ns: f64,
    /// The median, in nanoseconds; absent if there are too few values.
    pub p50_ns: Option<u64>,
    /// The 90th percentile, in nanoseconds; absent if there are too few values.
    pub p90_ns: Option<u64>,
    /// The 99th percentile, in nanoseconds; absent if there are too few values.
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile, in nanoseconds; absent if there are too few values.
    pub p999_ns: Option<u64>,
    /// The largest value, in nanoseconds.
    pub max_ns: u64,
    /// The whole histogram: HdrHistogram V2, compressed, in base64.
    pub hdr: String,
}

/// A decoded histogram.
pub type Decoded = Hdr<u64>;

/// The longest time that a histogram holds, 1 h, in nanoseconds.
pub const LONGEST: u64 = 3_600_000_000_000;

/// Calls `add` with the lateness for each deadline of a grid that passed while a thread was late
/// for another one by `late`: `late - period`, `late - 2 period`, and so on down to zero; values of
/// one bucket together, with how many there are. `lowest` is the lowest value of the bucket of
/// another. Returns the number of these deadlines.
///
/// The loop runs over the buckets rather than the deadlines, because a long stall can have
/// billions of deadlines.
pub fn missed(
    late: u64,
    period: u64,
    lowest: impl Fn(u64) -> u64,
    mut add: impl FnMut(u64, u64),
) -> u64 {
    let missed = late.checked_div(period).unwrap_or(0);
    let mut left = missed;
    let mut next = late;
    while left > 0 {
        next -= period;
        let capped = next.min(LONGEST);
        let n = ((next - lowest(capped)) / period + 1).min(left);
        add(capped, n);
        next -= (n - 1) * period;
        left -= n;
    }
    missed
}

/// An empty histogram with the range and precision of all of them: 1 ns to 1 h with three
/// significant digits.
pub fn empty() -> Hdr<u64> {
    Hdr::new_with_bounds(1, LONGEST, 3).expect("1 ns to 1 h at 3 digits is a valid range")
}

/// The longest text that [`Histogram::decode`] accepts. The fullest histogram of that range has
/// 33,792 counts of at most nine bytes each, which is 400 KiB in base64 even if deflate gains
/// nothing.
const LONGEST_TEXT: usize = 512 << 10;

/// Returns the plain V2 encoding from a compressed one: a cookie and a length of four bytes each,
/// then a zlib stream (HdrHistogram, EncodableHistogram.java).
fn inflate(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let stream = bytes.get(8..).ok_or("its histogram is truncated")?;
    let mut plain = Vec::new();
    flate2::read::ZlibDecoder::new(stream)
        .take(LONGEST_TEXT as u64)
        .read_to_end(&mut plain)
        .map_err(|error| format!("its histogram cannot be decompressed: {error}"))?;
    Ok(plain)
}

/// Returns the length of the payload, and the digits, lowest and highest value, from the head of a
/// V2 encoding: cookie, length, offset and digits in four bytes each, then the range in eight each,
/// all big endian (HdrHistogram, AbstractHistogram.java, V2EncodingHeader).
fn head(plain: &[u8]) -> Option<(usize, (u32, u64, u64))> {
    let word = |at: usize| Some(u32::from_be_bytes(plain.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_be_bytes(plain.get(at..at + 8)?.try_into().ok()?));
    let payload = usize::try_from(word(4)?).ok()?;
    Some((payload, (word(12)?, long(16)?, long(24)?)))
}

impl Histogram {
    /// Decodes the histogram.
    ///
    /// # Errors
    /// The text is too long, is not base64, is not an HdrHistogram, or has another range or
    /// precision. Reports are untrusted, and the head of a histogram decides how much memory it
    /// takes.
    pub fn decode(&self) -> Result<Hdr<u64>, String> {
        use hdrhistogram::serialization::Deserializer;
        if self.hdr.len() > LONGEST_TEXT {
            return Err(format!("its histogram is longer than {LONGEST_TEXT} characters"));
        }
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(&self.hdr)
            .map_err(|error| format!("its histogram is not valid base64: {error}"))?;
        let plain = inflate(&bytes)?;
        // The library allocates what the head states before it reads on, so check the head first.
        let own = empty();
        let expected = (own.sigfig().into(), own.low(), own.high());
        if head(&plain).is_none_or(|(payload, rest)| payload > plain.len() || rest != expected) {
            return Err("the range of its histogram is not 1 ns to 1 h at 3 digits".into());
        }
        let hdr: Hdr<u64> = Deserializer::new()
            .deserialize(&mut plain.as_slice())
            .map_err(|error| format!("its histogram cannot be read: {error}"))?;
        if hdr.len() != self.count {
            return Err(format!(
                "its histogram holds {} values, but its count is {}",
                hdr.len(),
                self.count
            ));
        }
        Ok(hdr)
    }

    /// The histogram at two significant digits, for tools that cannot decode HdrHistogram: for each
    /// bucket that holds values, the largest value that belongs to it, in nanoseconds, and how many
    /// it holds. A bucket of two digits is an exact union of buckets of three, so histograms that
    /// are merged by these bounds lose resolution and nothing else.
    ///
    /// # Errors
    /// Those of [`decode`](Self::decode).
    pub fn buckets(&self) -> Result<Vec<(u64, u64)>, String> {
        let own = self.decode()?;
        let coarse =
            Hdr::<u64>::new_with_bounds(own.low(), own.high(), 2).map_err(|e| e.to_string())?;
        let mut buckets: Vec<(u64, u64)> = Vec::new();
        for step in own.iter_recorded() {
            let upper = coarse.highest_equivalent(step.value_iterated_to());
            let count = step.count_since_last_iteration();
            match buckets.last_mut().filter(|last| last.0 == upper) {
                Some(last) => last.1 += count,
                None => buckets.push((upper, count)),
            }
        }
        Ok(buckets)
    }

    /// A percentile, in nanoseconds; absent if there are too few values for it. Reports of earlier
    /// versions hold every percentile, so the count decides.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        let all = [self.p50_ns, self.p90_ns, self.p99_ns, self.p999_ns];
        all[percentile as usize].filter(|_| percentile.is_supported_by(self.count))
    }

    /// The same histogram with no figure above the largest value itself, if that is known exactly:
    /// a percentile is the top of its bucket, which may lie above it.
    #[must_use]
    pub fn capped(mut self, largest_ns: u64) -> Self {
        let all = [&mut self.p50_ns, &mut self.p90_ns, &mut self.p99_ns, &mut self.p999_ns];
        for ns in all.into_iter().flatten() {
            *ns = largest_ns.min(*ns);
        }
        self.max_ns = self.max_ns.min(largest_ns);
        self
    }

    /// Encodes a histogram.
    pub fn of(hdr: &Hdr<u64>) -> Self {
        use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
        let mut bytes = Vec::new();
        // Writing to a vector fails only if the counts overflow the format. The percentiles are
        // still valid without the encoded histogram.
        let hdr_text = match V2DeflateSerializer::new().serialize(hdr, &mut bytes) {
            Ok(_) => base64::engine::general_purpose::STANDARD.encode(&bytes),
            Err(_) => String::new(),
        };
        let at = |percentile: Percentile| {
            let supported = percentile.is_supported_by(hdr.len());
            supported.then(|| hdr.value_at_quantile(percentile.share()))
        };
        Self {
            count: hdr.len(),
            min_ns: hdr.min(),
            mean_ns: hdr.mean(),
            p50_ns: at(Percentile::P50),
            p90_ns: at(Percentile::P90),
            p99_ns: at(Percentile::P99),
            p999_ns: at(Percentile::P999),
            max_ns: hdr.max(),
            hdr: hdr_text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_returns_what_was_encoded() {
        let mut hdr = empty();
        for value in [0, 1, 999, 50_000, 3_600_000_000_000] {
            hdr.record_n(value, value % 7 + 1).expect("in range");
        }
        let decoded = Histogram::of(&hdr).decode().expect("its own");
        assert_eq!(decoded, hdr);
    }

    #[test]
    fn no_percentile_is_above_the_largest_value() {
        let mut hdr = empty();
        hdr.record_n(10, 20).expect("in range");
        hdr.record_n(1_468_898, 3000).expect("in range");
        let plain = Histogram::of(&hdr);
        assert!(plain.p99_ns > Some(1_468_898) && plain.max_ns > 1_468_898);
        let capped = plain.clone().capped(1_468_898);
        for percentile in Percentile::ALL {
            assert_eq!(capped.percentile(percentile), Some(1_468_898));
        }
        assert_eq!(capped.max_ns, 1_468_898);
        assert_eq!((capped.hdr, capped.count), (plain.hdr, plain.count));
    }

    #[test]
    fn ten_values_have_no_p99_and_a_report_does_not_contain_one() {
        let mut hdr = empty();
        (1..=10).for_each(|ns| hdr.record(ns).expect("in range"));
        let ten = Histogram::of(&hdr);
        assert_eq!((ten.p50_ns, ten.p90_ns, ten.p99_ns), (Some(5), None, None));
        let text = serde_json::to_string(&ten).expect("plain data");
        assert!(text.contains("p50_ns") && !text.contains("p99"), "{text}");
        let foreign = Histogram { p99_ns: Some(10), ..ten };
        assert_eq!(foreign.percentile(Percentile::P99), None);
    }

    #[test]
    fn invalid_text_is_rejected_with_a_reason() {
        let of = |hdr: &str| Histogram { hdr: hdr.into(), ..Histogram::default() };
        for text in ["", "?", "AAAA", "HISTFAAAAA", &"A".repeat(LONGEST_TEXT + 1)] {
            assert!(of(text).decode().is_err(), "{text}");
        }
        let mut wide = Histogram::of(&Hdr::new(5).expect("5 digits"));
        assert!(wide.decode().expect_err("another range").contains("1 h"));
        wide = Histogram::of(&empty());
        wide.count = 1;
        assert!(wide.decode().is_err());
    }

    #[test]
    fn a_head_with_an_oversized_length_allocates_no_memory() {
        use hdrhistogram::serialization::{Serializer, V2Serializer};
        let mut plain = Vec::new();
        V2Serializer::new().serialize(&empty(), &mut plain).expect("a vector");
        plain[4..8].copy_from_slice(&u32::MAX.to_be_bytes());
        let mut bytes = vec![0; 8];
        let mut encoder =
            flate2::read::ZlibEncoder::new(plain.as_slice(), flate2::Compression::fast());
        encoder.read_to_end(&mut bytes).expect("a vector");
        let evil = Histogram {
            hdr: base64::engine::general_purpose::STANDARD.encode(&bytes),
            ..Histogram::default()
        };
        assert!(evil.decode().expect_err("rejected").contains("1 h"));
    }
}
