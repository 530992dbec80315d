//! Figures in what a command printed: those of the harnesses that are known, those at a path of
//! JSON, or those that a regular expression finds. A figure that is there several times counts with
//! its median.

use chronoscope_diagnose::compare::rule::median;
use chronoscope_measure::engine::children::shown;
use chronoscope_model::compare::{Key, Quantity, Section};
use regex_lite::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

/// A time or another figure, with its name.
struct Figure {
    id: String,
    value: f64,
    /// Whether the value is nanoseconds.
    time: bool,
}

/// What a harness prints or writes, by its name.
type Format = (&'static str, fn(&str) -> Vec<Figure>);

/// The harnesses that are known, with the time that stands for a benchmark: the median of its
/// samples, or the estimate that the harness makes of them.
const FORMATS: [Format; 6] = [
    ("criterion", criterion),
    ("go", go),
    ("google-benchmark", google_benchmark),
    ("hyperfine", hyperfine),
    ("jmh", jmh),
    ("pytest-benchmark", pytest_benchmark),
];

/// Where the figures of a command are.
#[derive(Clone, Debug)]
pub struct Metric {
    text: String,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    Format(fn(&str) -> Vec<Figure>),
    Path(Vec<Step>),
    Pattern(Regex),
}

/// A step of a path of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Name(String),
    Place(usize),
    Every,
}

impl Metric {
    /// Parses the name of a harness, a path of JSON such as `$.results[0].median`, or a regular
    /// expression.
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<Self, String> {
        let place = match FORMATS.iter().find(|(name, _)| *name == text) {
            Some((_, read)) => Place::Format(*read),
            None if text.is_empty() => return Err("it is empty".into()),
            None if text.starts_with("$.") || text.starts_with("$[") => {
                Place::Path(steps(&text[1..])?)
            }
            None => {
                let harnesses = FORMATS.map(|(name, _)| name).join(", ");
                let pattern = Regex::new(text).map_err(|error| {
                    let error = shown(&error.to_string(), 120);
                    format!(
                        "it is no regular expression ({error}), no path of JSON such as \
                         $.results[0].median, and none of {harnesses}"
                    )
                })?;
                Place::Pattern(pattern)
            }
        };
        Ok(Self { text: text.into(), place })
    }

    /// The figures in what a command printed.
    ///
    /// # Errors
    /// There are none, or one of them has no ratio to another.
    pub fn figures(&self, output: &[u8]) -> Result<Vec<(Key, f64)>, String> {
        let text = String::from_utf8_lossy(output);
        let all = match &self.place {
            Place::Format(read) => read(&text),
            Place::Path(steps) => self.at_path(steps, &text)?,
            Place::Pattern(pattern) => self.matching(pattern, &text),
        };
        let mut found: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
        for Figure { id, value, time } in all {
            let quantity = if time { Quantity::Time } else { Quantity::Metric };
            let id = shown(&id, 200);
            if !(value.is_finite() && value > 0.0) {
                return Err(format!("{id} is {value}, and only figures above 0 can be compared"));
            }
            let key = Key { section: Section::Commands, id, quantity, ..Key::default() };
            found.entry(key).or_default().push(value);
        }
        if found.is_empty() {
            return Err(format!("it printed no figure of `--metric {}`", self.text));
        }
        Ok(found.into_iter().map(|(key, all)| (key, median(all.into_iter()))).collect())
    }

    /// The numbers at a path, each with the places of the elements on its way.
    fn at_path(&self, steps: &[Step], text: &str) -> Result<Vec<Figure>, String> {
        let root: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("it printed no JSON: {error}"))?;
        let mut found = vec![(String::new(), &root)];
        for step in steps {
            found = found.into_iter().flat_map(|(name, value)| next(&name, value, step)).collect();
        }
        let every = steps.contains(&Step::Every);
        let figure = |(name, value): (String, &Value)| {
            let (value, time) = match value {
                Value::Number(number) => (number.as_f64()?, false),
                Value::String(text) => number(text)?,
                _ => return None,
            };
            let id = if every { format!("${name}") } else { self.text.clone() };
            Some(Figure { id, value, time })
        };
        Ok(found.into_iter().filter_map(figure).collect())
    }

    /// What the first group of a pattern matches, or all of it. A group `name` names the figure.
    fn matching(&self, pattern: &Regex, text: &str) -> Vec<Figure> {
        let named = pattern.capture_names().flatten().any(|name| name == "value");
        let figure = |found: regex_lite::Captures| {
            let group = |name: &str| found.name(name);
            let first = (1..found.len()).filter_map(|at| found.get(at));
            let value = if named {
                group("value")?
            } else {
                let name = group("name").map(|it| it.range());
                first.clone().find(|it| Some(it.range()) != name).or_else(|| found.get(0))?
            };
            // The unit may follow what is matched.
            let whole = [value.as_str(), text[value.end()..].lines().next().unwrap_or("")].concat();
            let (number, time) = number(&whole)?;
            let id = group("name").map_or(&*self.text, |it| it.as_str()).trim();
            Some(Figure { id: id.into(), value: number, time })
        };
        pattern.captures_iter(text).filter_map(figure).collect()
    }
}

/// The names of each unit of time, and its nanoseconds.
const UNITS: [(&str, f64); 6] = [
    ("ps", 1e-3),
    ("ns nsec nanoseconds", 1.0),
    ("us µs μs usec microseconds", 1e3),
    ("ms msec milliseconds", 1e6),
    ("s sec secs second seconds", 1e9),
    ("min minutes", 6e10),
];

fn unit(name: &str) -> Option<f64> {
    let is_of = |names: &str| names.split(' ').any(|known| known == name);
    UNITS.iter().find(|(names, _)| is_of(names)).map(|(_, ns)| *ns)
}

/// The number that a text begins with, in nanoseconds if a unit of time follows it.
fn number(text: &str) -> Option<(f64, bool)> {
    let text = text.trim_start();
    let is_part = |(at, c): &(usize, char)| {
        let before = text[..*at].chars().next_back();
        c.is_ascii_digit()
            || matches!(c, '.' | ',' | '_')
            || matches!(c, '+' | '-') && before.is_none_or(|it| matches!(it, 'e' | 'E'))
            || matches!(c, 'e' | 'E') && before.is_some_and(|it| it.is_ascii_digit() || it == '.')
    };
    let end = text.char_indices().find(|it| !is_part(it)).map_or(text.len(), |(at, _)| at);
    // The `e` may begin a word, and a comma may end a clause.
    let value = value(text[..end].trim_end_matches(['e', 'E', ',', '.']))?;
    let rest = text[end..].trim_start();
    let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let per_second = rest[length..].starts_with('/') && unit(&rest[..length]).is_none();
    match unit(&rest[..length]).filter(|_| !per_second) {
        Some(ns) => Some((value * ns, true)),
        None => Some((value, false)),
    }
}

/// The number that these digits are. Commas before each three digits group them; a single other one
/// is a decimal point, as half of the world writes it.
fn value(digits: &str) -> Option<f64> {
    let whole = digits.split(['.', 'e', 'E']).next().unwrap_or_default();
    let grouped = whole.split(',').skip(1).all(|part| part.len() == 3);
    let decimal = !grouped && digits.matches(',').count() == 1 && !digits.contains('.');
    let plain = match (grouped, decimal) {
        (true, _) => digits.replace([',', '_'], ""),
        (_, true) => digits.replace(',', ".").replace('_', ""),
        _ => return None,
    };
    plain.parse().ok()
}

/// The steps of a path after its `$`: `.name`, `['name']`, `[0]`, `[*]`, `.*`.
fn steps(mut rest: &str) -> Result<Vec<Step>, String> {
    let mut found = Vec::new();
    let wrong = |at: &str| {
        let at = shown(at, 40);
        format!("the path cannot be read from `{at}` on: it takes .name, ['name'], [0] and [*]")
    };
    while !rest.is_empty() {
        let (step, after) = if let Some(name) = rest.strip_prefix('.') {
            let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
            (if name == "*" { Step::Every } else { Step::Name(name.into()) }, after)
        } else {
            let inside = rest.strip_prefix('[').ok_or_else(|| wrong(rest))?;
            match inside.chars().next() {
                Some(quote @ ('\'' | '"')) => {
                    let close = format!("{quote}]");
                    let (name, after) =
                        inside[1..].split_once(&close).ok_or_else(|| wrong(rest))?;
                    (Step::Name(name.into()), after)
                }
                _ => {
                    let (place, after) = inside.split_once(']').ok_or_else(|| wrong(rest))?;
                    let step = match place {
                        "*" => Step::Every,
                        place => Step::Place(place.parse().map_err(|_| wrong(rest))?),
                    };
                    (step, after)
                }
            }
        };
        if step == Step::Name(String::new()) {
            return Err(wrong(rest));
        }
        found.push(step);
        rest = after;
    }
    Ok(found)
}

/// The values that a step leads to, each with its path.
fn next<'a>(path: &str, value: &'a Value, step: &Step) -> Vec<(String, &'a Value)> {
    let member = |name: &str, value: &'a Value| (format!("{path}.{name}"), value);
    let element = |at: usize, value: &'a Value| (format!("{path}[{at}]"), value);
    match step {
        Step::Name(name) => value.get(name).map(|it| member(name, it)).into_iter().collect(),
        Step::Place(at) => value.get(at).map(|it| element(*at, it)).into_iter().collect(),
        Step::Every => match value {
            Value::Object(all) => all.iter().map(|(name, it)| member(name, it)).collect(),
            Value::Array(all) => all.iter().enumerate().map(|(at, it)| element(at, it)).collect(),
            _ => Vec::new(),
        },
    }
}

/// A time of a harness that has a name and a number of a unit.
fn time(id: impl Into<String>, value: Option<f64>, unit_ns: f64) -> Option<Figure> {
    Some(Figure { id: id.into(), value: value? * unit_ns, time: true })
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + Clone {
    value[name].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// The file of `--export-json`, in seconds. One command alone has no name, because what it is
/// compared with has other words.
fn hyperfine(output: &str) -> Vec<Figure> {
    let root = json(output);
    let results = list(&root, "results");
    let alone = results.clone().count() == 1;
    let figure = |it: &Value| {
        let id = if alone { "hyperfine" } else { text(it, "command") };
        time(id, it["median"].as_f64(), 1e9)
    };
    results.filter_map(figure).collect()
}

/// The file of `--benchmark-json`, in seconds.
fn pytest_benchmark(output: &str) -> Vec<Figure> {
    let root = json(output);
    let of = |it: &Value| time(text(it, "fullname"), it["stats"]["median"].as_f64(), 1e9);
    list(&root, "benchmarks").filter_map(of).collect()
}

/// The file of `-rf json`: the score with its unit, and throughput as the time of an operation.
fn jmh(output: &str) -> Vec<Figure> {
    let root = json(output);
    let figure = |it: &Value| {
        let parameters = it["params"].as_object().into_iter().flatten();
        let parameters = parameters.map(|(name, value)| {
            format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        let names = std::iter::once(text(it, "benchmark").to_owned()).chain(parameters);
        let id = names.collect::<Vec<_>>().join(" ");
        let score = it["primaryMetric"]["score"].as_f64()?;
        let (a, b) = text(&it["primaryMetric"], "scoreUnit").split_once('/')?;
        match (unit(a), unit(b)) {
            (Some(ns), None) => time(id, Some(score), ns),
            (None, Some(ns)) => time(id, Some(score.recip()), ns),
            _ => None,
        }
    };
    root.as_array().into_iter().flatten().filter_map(figure).collect()
}

/// The JSON of `--benchmark_format=json`, or lines of the console: real time. The median that a
/// harness reports stands for its repetitions if these are not there.
fn google_benchmark(output: &str) -> Vec<Figure> {
    let root = json(output);
    let all = || list(&root, "benchmarks");
    let of = |it: &Value, name: &str| {
        time(text(it, name), it["real_time"].as_f64(), unit(text(it, "time_unit"))?)
    };
    let plain = |it: &&Value| text(it, "run_type") != "aggregate" && it["error_occurred"] != true;
    let each: Vec<Figure> = all().filter(plain).filter_map(|it| of(it, "name")).collect();
    if !each.is_empty() {
        return each;
    }
    let medians = all().filter(|it| text(it, "aggregate_name") == "median");
    let medians: Vec<Figure> = medians.filter_map(|it| of(it, "run_name")).collect();
    if !medians.is_empty() {
        return medians;
    }
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, real, real_unit, _, cpu_unit, iterations, ..] = words[..] else { return None };
        let sound = unit(cpu_unit).is_some() && iterations.parse::<u64>().is_ok();
        time(name, real.parse().ok().filter(|_| sound), unit(real_unit)?)
    };
    output.lines().filter_map(line).collect()
}

/// Lines of `go test -bench`: `BenchmarkName-8   1000   1234 ns/op`. The number of CPUs is no part
/// of the name.
fn go(output: &str) -> Vec<Figure> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().filter(|it| it.starts_with("Benchmark"))?;
        let words: Vec<&str> = words.collect();
        let at = words.iter().position(|it| *it == "ns/op")?;
        let cpus = |(_, cpus): &(&str, &str)| cpus.bytes().all(|it| it.is_ascii_digit());
        let id = name.rsplit_once('-').filter(cpus).map_or(name, |(name, _)| name);
        time(id, words.get(at.checked_sub(1)?)?.parse().ok(), 1.0)
    };
    output.lines().filter_map(line).collect()
}

/// Lines of criterion, `name   time:   [1.1 ns 1.2 ns 1.3 ns]`, whose name may be on the line
/// before; or of its output for bencher, which is that of `cargo bench`.
fn criterion(output: &str) -> Vec<Figure> {
    let mut before = "";
    let mut found = Vec::new();
    for line in output.lines().map(str::trim) {
        let estimate = line.split_once("time:").and_then(|(name, rest)| {
            let rest = rest.trim().strip_prefix('[')?.strip_suffix(']')?;
            let words: Vec<&str> = rest.split_whitespace().collect();
            let [_, _, value, of, _, _] = words[..] else { return None };
            let name = if name.trim().is_empty() { before } else { name.trim() };
            time(name, value.parse().ok(), unit(of)?)
        });
        let plain = || {
            let (name, rest) = line.strip_prefix("test ")?.split_once(" ... bench:")?;
            let (value, _) = rest.split_once("ns/iter")?;
            time(name.trim(), value.trim().replace(',', "").parse().ok(), 1.0)
        };
        found.extend(estimate.or_else(plain));
        before = line;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(metric: &str, output: &str) -> Vec<(String, Quantity, f64)> {
        let metric = Metric::parse(metric).expect("a metric");
        let all = metric.figures(output.as_bytes()).expect("figures");
        all.into_iter().map(|(key, value)| (key.id, key.quantity, value)).collect()
    }

    fn times(metric: &str, output: &str) -> Vec<(String, f64)> {
        let all = found(metric, output).into_iter();
        all.inspect(|it| assert_eq!(it.1, Quantity::Time)).map(|(id, _, ns)| (id, ns)).collect()
    }

    fn one(id: &str, ns: f64) -> Vec<(String, f64)> {
        vec![(id.to_owned(), ns)]
    }

    #[test]
    fn each_harness_is_read() {
        let output = "goos: linux\nBenchmarkSum-8   \t 1000\t  1200 ns/op\t 16 B/op\n\
                      BenchmarkSum-8   \t 1000\t  1300.5 ns/op\nBenchmarkA/b-c 2 7 ns/op\nPASS";
        let expected = [("BenchmarkA/b-c".to_owned(), 7.0), ("BenchmarkSum".to_owned(), 1250.25)];
        assert_eq!(times("go", output), expected);
        let output = "fib/20   time:   [1.10 us 1.25 µs 1.30 µs]\n   change: [-1% +0% +1%]\n\
                      a long name\n   time:   [1 ns 2 ns 3 ns]\n\
                      test old ... bench:       1,234 ns/iter (+/- 5)";
        let expected = [("a long name", 2.0), ("fib/20", 1250.0), ("old", 1234.0)];
        assert_eq!(times("criterion", output), expected.map(|(id, ns)| (id.to_owned(), ns)));
        let output = r#"{"results":[{"command":"ls","median":0.002,"mean":9}]}"#;
        assert_eq!(times("hyperfine", output), one("hyperfine", 2e6));
        let output = r#"{"benchmarks":[{"fullname":"t.py::a","stats":{"median":0.5}}]}"#;
        assert_eq!(times("pytest-benchmark", output), one("t.py::a", 5e8));
        let output = r#"[{"benchmark":"B.m","params":{"n":"10"},
            "primaryMetric":{"score":2e6,"scoreUnit":"ops/s"}},
            {"benchmark":"B.t","primaryMetric":{"score":3,"scoreUnit":"us/op"}}]"#;
        let expected = [("B.m n=10".to_owned(), 500.0), ("B.t".to_owned(), 3000.0)];
        assert_eq!(times("jmh", output), expected);
        let output = r#"{"benchmarks":[
            {"name":"a","run_type":"iteration","real_time":2,"time_unit":"us"},
            {"name":"a","run_type":"iteration","real_time":4,"time_unit":"us"},
            {"name":"a_mean","run_type":"aggregate","real_time":9,"time_unit":"us"}]}"#;
        assert_eq!(times("google-benchmark", output), one("a", 3000.0));
        let output = "Benchmark    Time    CPU Iterations\nBM_a/8    1.5 us   1.4 us   1000 x=1";
        assert_eq!(times("google-benchmark", output), one("BM_a/8", 1500.0));
    }

    #[test]
    fn a_path_finds_numbers_and_times() {
        let output = r#"{"a":{"b c":[1,2.5]},"t":"1.5 ms","runs":[{"x":3},{"x":4},{"y":5}]}"#;
        assert_eq!(
            found("$.a['b c'][1]", output),
            [("$.a['b c'][1]".into(), Quantity::Metric, 2.5)]
        );
        assert_eq!(times("$.t", output), one("$.t", 1.5e6));
        let each = found("$.runs[*].x", output);
        let each: Vec<_> = each.iter().map(|(id, _, value)| (&**id, *value)).collect();
        assert_eq!(each, [("$.runs[0].x", 3.0), ("$.runs[1].x", 4.0)]);
        for bad in ["$.a..b", "$.a[", "$[x]", "$.['a"] {
            assert!(Metric::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pattern_finds_figures_with_and_without_a_unit() {
        let output = "parse: 1,234.5 us, then 12 MB/s\nparse: 1,235.5 us\nscore=3e2 points";
        assert_eq!(times(r"parse: ([\d.,]+)", output), one(r"parse: ([\d.,]+)", 1.235e6));
        let named = found(r"(?<name>\w+)=(?<value>\S+)", output);
        assert_eq!(named, [("score".to_owned(), Quantity::Metric, 300.0)]);
        assert_eq!(found(r"(\d+) MB", output), [(r"(\d+) MB".into(), Quantity::Metric, 12.0)]);
        assert_eq!(times(r"\d+\.5 us,", output), one(r"\d+\.5 us,", 234_500.0));
    }

    #[test]
    fn what_has_no_figures_says_so() {
        for (metric, output, why) in [
            ("go", "PASS", "it printed no figure of `--metric go`"),
            ("jmh", "{", "no figure"),
            ("$.a", "no JSON", "it printed no JSON"),
            ("$.a", r#"{"a":0}"#, "$.a is 0, and only figures above 0"),
            ("x(.)", "", "no figure"),
        ] {
            let error = Metric::parse(metric).unwrap().figures(output.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{metric}: {error}");
        }
        assert!(Metric::parse("(").unwrap_err().contains("no regular expression"));
        assert!(Metric::parse("").is_err());
    }

    #[test]
    fn commas_group_digits_or_are_a_decimal_point() {
        for (text, expected) in [
            ("1,234,567 ns", Some((1_234_567.0, true))),
            ("1,234.5 us", Some((1_234_500.0, true))),
            ("1,5 ms", Some((1.5e6, true))),
            ("12,34,5", None),
            ("1_000 ns,", Some((1000.0, true))),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn hostile_output_is_harmless() {
        let long = "9".repeat(1000);
        let deep = "[".repeat(100_000);
        for text in ["", "\u{0}", "-", "e", "1e", "1e999 ns", "µ", "[", "time: [", &long, &deep] {
            assert!(number(text).is_none_or(|(value, _)| !value.is_nan()));
            for (name, _) in FORMATS {
                let _ = Metric::parse(name).unwrap().figures(text.as_bytes());
            }
            let _ = Metric::parse("$.a").unwrap().figures(text.as_bytes());
        }
    }
}
