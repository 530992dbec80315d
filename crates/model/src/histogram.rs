//! Histograms that HdrHistogram's own tools read.

use base64::Engine;
use hdrhistogram::Histogram as Hdr;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A histogram of nanoseconds, with its percentiles beside it for readers without the library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// Values recorded.
    pub count: u64,
    /// The smallest, in nanoseconds.
    pub min_ns: u64,
    /// The mean, in nanoseconds.
    pub mean_ns: f64,
    /// The median, in nanoseconds.
    pub p50_ns: u64,
    /// The 90th percentile, in nanoseconds.
    pub p90_ns: u64,
    /// The 99th percentile, in nanoseconds.
    pub p99_ns: u64,
    /// The 99.9th percentile, in nanoseconds.
    pub p999_ns: u64,
    /// The largest, in nanoseconds.
    pub max_ns: u64,
    /// The whole, as HdrHistogram V2 compressed, in base64.
    pub hdr: String,
}

/// The range and precision of every histogram: 1 ns to 1 h with three significant digits.
pub fn empty() -> Hdr<u64> {
    Hdr::new_with_bounds(1, 3_600_000_000_000, 3).expect("1 ns to 1 h at 3 digits is a valid range")
}

impl Histogram {
    /// The histogram, encoded.
    pub fn of(hdr: &Hdr<u64>) -> Self {
        use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
        let mut bytes = Vec::new();
        // Writing to a vector fails only where the counts overflow the format; the percentiles
        // stand without the blob then.
        let hdr_text = match V2DeflateSerializer::new().serialize(hdr, &mut bytes) {
            Ok(_) => base64::engine::general_purpose::STANDARD.encode(&bytes),
            Err(_) => String::new(),
        };
        Self {
            count: hdr.len(),
            min_ns: hdr.min(),
            mean_ns: hdr.mean(),
            p50_ns: hdr.value_at_quantile(0.5),
            p90_ns: hdr.value_at_quantile(0.9),
            p99_ns: hdr.value_at_quantile(0.99),
            p999_ns: hdr.value_at_quantile(0.999),
            max_ns: hdr.max(),
            hdr: hdr_text,
        }
    }
}
