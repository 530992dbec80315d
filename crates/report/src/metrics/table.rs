//! The rows of all metrics, and the text formats of them.

use super::families::{ALL, Family};
use super::overshoot::Overshoot;
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

    /// OpenMetrics, which Prometheus asks for.
    pub fn open_metrics(&self) -> String {
        self.written(Text::OpenMetrics)
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
