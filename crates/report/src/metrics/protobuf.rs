//! Prometheus' protobuf format, with native histograms: the messages of metrics.proto
//! (prometheus/client_model, io.prometheus.client), as far as the table fills them.

use super::families::Kind;
use super::overshoot::{Overshoot, SCHEMA, ZERO};
use super::table::{Labels, Table};

/// Each family as a message, with its length before it.
pub fn encode(table: &Table) -> Vec<u8> {
    let mut out = Vec::new();
    for (family, numbers, histograms) in table.families() {
        let mut of_family = Message::default();
        of_family.bytes(1, family.full_name().as_bytes());
        of_family.bytes(2, format!("{}.", family.help).as_bytes());
        let (number, kind) = match family.kind {
            Kind::Counter => (3, 0),
            Kind::Gauge => (2, 1),
            Kind::Histogram => (7, 4),
        };
        of_family.integer(3, kind);
        for (labels, &value) in numbers {
            let mut metric = labelled(labels);
            let mut of_value = Message::default();
            of_value.double(1, value);
            metric.bytes(number, &of_value.0);
            of_family.bytes(4, &metric.0);
        }
        for (labels, it) in histograms {
            let mut metric = labelled(labels);
            metric.bytes(number, &histogram(it).0);
            of_family.bytes(4, &metric.0);
        }
        varint(&mut out, of_family.0.len() as u64);
        out.append(&mut of_family.0);
    }
    out
}

fn labelled(labels: &Labels) -> Message {
    let mut metric = Message::default();
    for (name, value) in labels {
        let mut pair = Message::default();
        pair.bytes(1, name.as_bytes());
        if !value.is_empty() {
            pair.bytes(2, value.as_bytes());
        }
        metric.bytes(1, &pair.0);
    }
    metric
}

fn histogram(it: &Overshoot) -> Message {
    let mut message = Message::default();
    message.integer(1, it.count);
    message.double(2, it.sum);
    // Prometheus expects the last of the classic buckets in its text formats only.
    for (end, count) in it.cumulative().filter(|(end, _)| end.is_finite()) {
        let mut bucket = Message::default();
        bucket.integer(1, count);
        bucket.double(2, end);
        message.bytes(3, &bucket.0);
    }
    message.integer(5, zigzag(SCHEMA.into()));
    message.double(6, ZERO);
    message.integer(7, it.zero);
    let (spans, deltas) = it.spans();
    for (offset, length) in spans {
        let mut span = Message::default();
        span.integer(1, zigzag(offset.into()));
        span.integer(2, length.into());
        message.bytes(12, &span.0);
    }
    let mut packed = Vec::new();
    deltas.into_iter().for_each(|delta| varint(&mut packed, zigzag(delta)));
    if !packed.is_empty() {
        message.bytes(13, &packed);
    }
    message
}

/// The fields of a message. A number that is 0 is left out, which is how proto3 writes it.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn integer(&mut self, number: u64, value: u64) {
        if value != 0 {
            varint(&mut self.0, number << 3);
            varint(&mut self.0, value);
        }
    }

    fn double(&mut self, number: u64, value: f64) {
        if value != 0.0 {
            varint(&mut self.0, number << 3 | 1);
            self.0.extend(value.to_le_bytes());
        }
    }

    /// A text, a message or packed numbers.
    fn bytes(&mut self, number: u64, value: &[u8]) {
        varint(&mut self.0, number << 3 | 2);
        varint(&mut self.0, value.len() as u64);
        self.0.extend(value);
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
