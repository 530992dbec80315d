//! The rows of all metrics, their histograms, and the encodings: two text formats and Prometheus'
//! protobuf format with native histograms.

use super::{ALL, Family, Kind};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::{iter, option};

/// The content type of [`Answers::open_metrics`].
pub const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The content type of [`Answers::text`].
pub const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The content type of [`Answers::protobuf`].
pub const PROTOBUF: &str = "application/vnd.google.protobuf; \
                            proto=io.prometheus.client.MetricFamily; encoding=delimited";

/// All metrics at one moment, in each encoding.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// OpenMetrics 1.0.
    pub open_metrics: Vec<u8>,
    /// The text format 0.0.4.
    pub text: Vec<u8>,
    /// Messages with a length before each, with native histograms.
    pub protobuf: Vec<u8>,
}

pub type Labels = Vec<(&'static str, String)>;

type Rows<'a, T> = iter::Flatten<option::IntoIter<&'a BTreeMap<Labels, T>>>;

/// The rows of each metric, by its name.
#[derive(Clone, Debug, Default)]
pub struct Table {
    numbers: BTreeMap<&'static str, BTreeMap<Labels, f64>>,
    histograms: BTreeMap<&'static str, BTreeMap<Labels, Overshoot>>,
}

impl Table {
    pub fn clear(&mut self, family: &Family) {
        self.numbers.remove(family.name);
    }

    pub fn remove(&mut self, family: &Family, labels: &Labels) {
        self.numbers.entry(family.name).or_default().remove(labels);
    }

    /// The value of a row; 0 if there was none.
    pub fn number(&mut self, family: &Family, labels: Labels) -> &mut f64 {
        self.numbers.entry(family.name).or_default().entry(labels).or_default()
    }

    /// The values of all rows.
    pub fn numbers(&mut self, family: &Family) -> impl Iterator<Item = &mut f64> {
        self.numbers.get_mut(family.name).into_iter().flat_map(BTreeMap::values_mut)
    }

    /// The histogram of a row; an empty one if there was none.
    pub fn histogram(&mut self, family: &Family, labels: Labels) -> &mut Overshoot {
        self.histograms.entry(family.name).or_default().entry(labels).or_default()
    }

    /// The metrics that have rows, which are of one sort.
    pub fn families(
        &self,
    ) -> impl Iterator<Item = (&'static Family, Rows<'_, f64>, Rows<'_, Overshoot>)> {
        ALL.iter().filter_map(|&family| {
            let numbers = self.numbers.get(family.name).into_iter().flatten();
            let histograms = self.histograms.get(family.name).into_iter().flatten();
            let any = numbers.clone().next().is_some() || histograms.clone().next().is_some();
            any.then_some((family, numbers, histograms))
        })
    }

    /// All rows, in each encoding.
    pub fn answers(&self) -> Answers {
        Answers {
            open_metrics: self.written(Text::OpenMetrics).into_bytes(),
            text: self.text().into_bytes(),
            protobuf: protobuf(self),
        }
    }

    /// The text format 0.0.4: node_exporter's textfile collector reads no other.
    pub fn text(&self) -> String {
        self.written(Text::Old)
    }

    fn written(&self, format: Text) -> String {
        let open = format == Text::OpenMetrics;
        let mut text = String::new();
        for (family, numbers, histograms) in self.families() {
            let name = family.full_name();
            let described = if open { family.name } else { &name };
            text += &format!("# HELP {described} {}.\n", family.help);
            text += &format!("# TYPE {described} {}\n", family.kind.name());
            for (labels, &value) in numbers {
                line(&mut text, &name, labels, None, &format.number(value));
            }
            for (labels, it) in histograms {
                let mut totals = String::new();
                line(&mut totals, &format!("{name}_sum"), labels, None, &format.number(it.sum));
                let count = format.count(it.count);
                line(&mut totals, &format!("{name}_count"), labels, None, &count);
                let mut buckets = String::new();
                for (end, count) in it.cumulative() {
                    let count = format.count(count);
                    line(&mut buckets, &format!("{name}_bucket"), labels, Some(end), &count);
                }
                // Their readers take either order; both are as they always were.
                text.extend(if open { [totals, buckets] } else { [buckets, totals] });
            }
        }
        if open {
            text.push_str("# EOF\n");
        }
        text
    }
}

/// The text formats (Prometheus, "Exposition formats"; OpenMetrics 1.0).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    /// The text format 0.0.4.
    Old,
    OpenMetrics,
}

impl Text {
    /// A number: `+Inf`, `-Inf`, `NaN`, or digits. OpenMetrics shows a whole number as one that
    /// need not be whole, and has an exponent for the very small and large only.
    fn number(self, value: f64) -> String {
        let whole = value.fract() == 0.0;
        let plain = value == 0.0 || (1e-6..1e21).contains(&value.abs());
        match self {
            _ if value.is_infinite() => if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
            Text::OpenMetrics if plain => format!("{value}{}", if whole { ".0" } else { "" }),
            Text::OpenMetrics if !value.is_nan() => format!("{value:e}"),
            Text::Old if !whole || value.abs() >= 1e15 => format!("{value:?}"),
            _ => format!("{value}"),
        }
    }

    fn count(self, count: u64) -> String {
        match self {
            Text::Old => self.number(count as f64),
            Text::OpenMetrics => count.to_string(),
        }
    }
}

/// Writes one row; `end` is the upper bound of a bucket.
fn line(text: &mut String, name: &str, labels: &Labels, end: Option<f64>, value: &str) {
    let escaped =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    // A bound has no exponent in either format.
    let bound = |end: f64| if end.is_finite() { format!("{end}") } else { "+Inf".to_owned() };
    let end = end.map(|end| format!("le=\"{}\"", bound(end)));
    let labels = labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value)));
    let pairs: Vec<String> = end.into_iter().chain(labels).collect();
    let pairs = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{name}{pairs} {value}");
}

// A histogram of durations with classic and native buckets.

/// The upper bounds of the classic buckets, in seconds; one more holds the rest.
pub const BOUNDS: [f64; 13] =
    [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1];

/// Native buckets grow by a factor of 2^(1/8), so a quantile is known to 9 % (Prometheus,
/// "Native histograms", Schema).
pub const SCHEMA: i32 = 3;

/// Values up to this are counted as 0, in seconds: no clock here shows less than a nanosecond.
pub const ZERO: f64 = 1e-9;

/// How often durations of each size were seen.
#[derive(Clone, Debug, Default)]
pub struct Overshoot {
    /// In seconds.
    pub sum: f64,
    pub count: u64,
    classic: [u64; BOUNDS.len() + 1],
    /// How many were 0.
    pub zero: u64,
    /// By index: bucket i ends at 2^(i / 2^SCHEMA) seconds and holds its end.
    native: BTreeMap<i32, u64>,
}

impl Overshoot {
    /// Adds a duration that was seen `count` times. No more than 2^63 - 1 are counted in all: a
    /// file can claim more, and differences between counts are sent as signed numbers.
    pub fn add(&mut self, seconds: f64, count: u64) {
        let count = count.min(i64::MAX as u64 - self.count);
        self.sum += seconds * count as f64;
        self.count += count;
        self.classic[BOUNDS.partition_point(|&end| end < seconds)] += count;
        let native = if seconds <= ZERO {
            &mut self.zero
        } else {
            let index = (seconds.log2() * f64::from(1 << SCHEMA)).ceil() as i32;
            self.native.entry(index).or_default()
        };
        *native += count;
    }

    /// The classic buckets, each with its upper bound and the count of all up to that.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let ends = BOUNDS.into_iter().chain([f64::INFINITY]);
        ends.zip(self.classic).scan(0, |sum, (end, count)| {
            *sum += count;
            Some((end, *sum))
        })
    }

    /// The native buckets as Prometheus' metrics.proto has them: runs of successive buckets, each
    /// with its distance from the end of the run before, and the difference of each count from the
    /// one before. A histogram without any has one run of length 0, which tells it from a classic
    /// one.
    pub fn spans(&self) -> (Vec<(i32, u32)>, Vec<i64>) {
        let mut spans: Vec<(i32, u32)> = Vec::new();
        let mut deltas = Vec::with_capacity(self.native.len());
        let (mut next, mut before) = (0, 0);
        for (&index, &count) in &self.native {
            match spans.last_mut().filter(|_| index == next) {
                Some((_, length)) => *length += 1,
                None => spans.push((index - next, 1)),
            }
            next = index + 1;
            deltas.push(count as i64 - before);
            before = count as i64;
        }
        if spans.is_empty() {
            spans.push((0, 0));
        }
        (spans, deltas)
    }
}

// Prometheus' protobuf format, with native histograms: the messages of metrics.proto
// (prometheus/client_model, io.prometheus.client), as far as the table fills them.

/// Each family as a message, with its length before it.
fn protobuf(table: &Table) -> Vec<u8> {
    let mut out = Vec::new();
    for (family, numbers, histograms) in table.families() {
        let (number, kind) = match family.kind {
            Kind::Counter => (3, 0),
            Kind::Gauge => (2, 1),
            Kind::Histogram => (7, 4),
        };
        let (name, help) = (family.full_name(), format!("{}.", family.help));
        let head = Message::default().bytes(1, name).bytes(2, help).integer(3, kind);
        let numbers = numbers.map(|(of, value)| (of, Message::default().double(1, *value)));
        let histograms = histograms.map(|(of, it)| (of, histogram(it)));
        let of_family = numbers.chain(histograms).fold(head, |all, (labels, value)| {
            all.bytes(4, labelled(labels).bytes(number, value.0).0)
        });
        varint(&mut out, of_family.0.len() as u64);
        out.extend(of_family.0);
    }
    out
}
fn labelled(labels: &Labels) -> Message {
    labels.iter().fold(Message::default(), |metric, (name, value)| {
        let pair = Message::default().bytes(1, name);
        metric.bytes(1, if value.is_empty() { pair } else { pair.bytes(2, value) }.0)
    })
}
fn histogram(it: &Overshoot) -> Message {
    let message = Message::default().integer(1, it.count).double(2, it.sum);
    // Prometheus expects the last of the classic buckets in its text formats only.
    let classic = it.cumulative().filter(|(end, _)| end.is_finite());
    let message = classic.fold(message, |all, (end, count)| {
        all.bytes(3, Message::default().integer(1, count).double(2, end).0)
    });
    let message = message.integer(5, zigzag(SCHEMA.into())).double(6, ZERO).integer(7, it.zero);
    let (spans, deltas) = it.spans();
    let message = spans.into_iter().fold(message, |all, (offset, length)| {
        let span = Message::default().integer(1, zigzag(offset.into()));
        all.bytes(12, span.integer(2, length.into()).0)
    });
    let mut packed = Vec::new();
    deltas.into_iter().for_each(|delta| varint(&mut packed, zigzag(delta)));
    if packed.is_empty() { message } else { message.bytes(13, packed) }
}
/// The fields of a message. A number that is 0 is left out, which is how proto3 writes it.
#[derive(Default)]
struct Message(Vec<u8>);
impl Message {
    fn integer(mut self, number: u64, value: u64) -> Self {
        if value != 0 {
            varint(&mut self.0, number << 3);
            varint(&mut self.0, value);
        }
        self
    }
    fn double(mut self, number: u64, value: f64) -> Self {
        if value != 0.0 {
            varint(&mut self.0, number << 3 | 1);
            self.0.extend(value.to_le_bytes());
        }
        self
    }
    /// A text, a message or packed numbers.
    fn bytes(mut self, number: u64, value: impl AsRef<[u8]>) -> Self {
        varint(&mut self.0, number << 3 | 2);
        varint(&mut self.0, value.as_ref().len() as u64);
        self.0.extend(value.as_ref());
        self
    }
}

/// Seven bits in a byte, the lowest first; the eighth says that more follow.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Signed numbers near 0 as small ones: 0, -1, 1, -2, …
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_at_a_bound_is_in_the_bucket_that_ends_there() {
        let mut it = Overshoot::default();
        it.add(1e-3, 2);
        it.add(0.2, 1);
        it.add(0.0, 4);
        let up_to = |bound| it.cumulative().find(|&(end, _)| end == bound).map(|(_, n)| n);
        assert_eq!(up_to(5e-4), Some(4));
        assert_eq!(up_to(1e-3), Some(6));
        assert_eq!(up_to(f64::INFINITY), Some(7));
        assert_eq!((it.count, it.zero), (7, 4));
    }

    #[test]
    fn native_buckets_hold_their_value_and_add_up() {
        let mut it = Overshoot::default();
        let values = [1e-6, 1.01e-6, 5e-5, 5e-5, 0.03125, 0.5, 1.0, 3600.0];
        for value in values {
            it.add(value, 1);
            let index = *it.native.keys().max().expect("a value was added");
            let end = |index: i32| (f64::from(index) / 8.0).exp2();
            assert!(end(index - 1) < value && value <= end(index) * (1.0 + 1e-12), "{value}");
        }
        let (spans, deltas) = it.spans();
        assert_eq!(spans.iter().map(|&(_, length)| length as usize).sum::<usize>(), deltas.len());
        let counts = deltas.iter().scan(0, |count, delta| {
            *count += delta;
            Some(*count)
        });
        assert_eq!(counts.sum::<i64>(), values.len() as i64);
    }

    #[test]
    fn counts_without_measure_saturate() {
        let mut it = Overshoot::default();
        it.add(1e-3, u64::MAX);
        it.add(1e-3, u64::MAX);
        it.add(1e-6, 1);
        assert_eq!(it.cumulative().last(), Some((f64::INFINITY, i64::MAX as u64)));
        assert_eq!((it.count, it.spans().1), (i64::MAX as u64, vec![0, i64::MAX]));
    }
}
