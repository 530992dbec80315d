//! The rows of all metrics, and the three encodings of them.

use super::families::{ALL, Family};
use super::overshoot::Overshoot;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, MetricEncoder, NoLabelSet, prometheus_protobuf, text,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::Arc;
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
    fn families(
        &self,
    ) -> impl Iterator<Item = (&'static Family, Rows<'_, f64>, Rows<'_, Overshoot>)> {
        ALL.iter().filter_map(|&family| {
            let numbers = self.numbers.get(family.name).into_iter().flatten();
            let histograms = self.histograms.get(family.name).into_iter().flatten();
            let any = numbers.clone().next().is_some() || histograms.clone().next().is_some();
            any.then_some((family, numbers, histograms))
        })
    }

    pub fn answers(&self) -> Answers {
        let table = Arc::new(self.clone());
        let registry = |in_text| {
            let mut registry = Registry::default();
            let table = Arc::clone(&table);
            registry.register_collector(Box::new(Encoded { table, in_text }));
            registry
        };
        // Neither encoder fails: a text takes all that is written to it.
        let mut open_metrics = String::new();
        let _ = text::encode(&mut open_metrics, &registry(true));
        let protobuf = prometheus_protobuf::encode_to_vec(&registry(false));
        Answers {
            open_metrics: open_metrics.into_bytes(),
            text: self.text().into_bytes(),
            protobuf: protobuf.unwrap_or_default(),
        }
    }

    /// The text format 0.0.4, which the library does not write (Prometheus, "Exposition formats",
    /// Text-based format). node_exporter's textfile collector reads no other.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (family, numbers, histograms) in self.families() {
            let suffix = if matches!(family.kind, MetricType::Counter) { "_total" } else { "" };
            let name = format!("{}{suffix}", family.name);
            // Writing to a text cannot fail.
            let _ = writeln!(text, "# HELP {name} {}.", family.help);
            let _ = writeln!(text, "# TYPE {name} {}", family.kind.as_str());
            for (labels, &value) in numbers {
                line(&mut text, &name, labels, None, value);
            }
            for (labels, it) in histograms {
                for (end, count) in it.cumulative() {
                    line(&mut text, &format!("{name}_bucket"), labels, Some(end), count as f64);
                }
                line(&mut text, &format!("{name}_sum"), labels, None, it.sum);
                line(&mut text, &format!("{name}_count"), labels, None, it.count as f64);
            }
        }
        text
    }
}

/// Writes one row; `end` is the upper bound of a bucket.
fn line(text: &mut String, name: &str, labels: &Labels, end: Option<f64>, value: f64) {
    let escaped =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    // The library writes bounds without an exponent.
    let bound = |end: f64| if end.is_finite() { format!("{end}") } else { number(end) };
    let end = end.map(|end| format!("le=\"{}\"", bound(end)));
    let labels = labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value)));
    let pairs: Vec<String> = end.into_iter().chain(labels).collect();
    let pairs = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{name}{pairs} {}", number(value));
}

/// A number as both text formats have it: `+Inf`, `-Inf`, `NaN`, or digits.
fn number(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let whole = value.fract() == 0.0 && value.abs() < 1e15;
    if whole { format!("{value}") } else { format!("{value:?}") }
}

/// The table as the library's encoders ask for it.
#[derive(Debug)]
struct Encoded {
    table: Arc<Table>,
    in_text: bool,
}

impl Collector for Encoded {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for (family, numbers, histograms) in self.table.families() {
            let help = format!("{}.", family.help);
            let mut family_encoder =
                encoder.encode_descriptor(family.name, &help, None, family.kind)?;
            for (labels, value) in numbers {
                // An empty set of labels is shown as "{}".
                match labels.as_slice() {
                    [] => number_of(&mut family_encoder, family, value)?,
                    _ => number_of(&mut family_encoder.encode_family(labels)?, family, value)?,
                }
            }
            for (labels, histogram) in histograms {
                histogram.encode(family_encoder.encode_family(labels)?, self.in_text)?;
            }
        }
        Ok(())
    }
}

fn number_of(encoder: &mut MetricEncoder<'_>, family: &Family, value: &f64) -> fmt::Result {
    match family.kind {
        MetricType::Counter => encoder.encode_counter::<NoLabelSet, _, f64>(value, None),
        _ => encoder.encode_gauge(value),
    }
}
