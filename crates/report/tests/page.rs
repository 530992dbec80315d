//! The page: its structure for a fixed report, and what holds for any report.

use crate::machines;
use crate::samples;

use chronoscope_model::{Clock, Report};
use chronoscope_report::page::{self, Input};
use std::collections::BTreeSet;

fn page(reports: &[(&str, &Report)]) -> String {
    let inputs = reports.iter().map(|(name, report)| Input { name, report });
    let inputs: Vec<Input<'_>> = inputs.collect();
    let mut out = Vec::new();
    page::write(&inputs, &mut out).expect("memory");
    String::from_utf8(out).expect("UTF-8")
}

/// The tags of a page without those in its style, its script and its pictures.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("every tag ends");
        let tag = &rest[..end];
        tags.push(tag);
        rest = &rest[end + 1..];
        for raw in ["style", "script"] {
            if tag.split(' ').next() == Some(raw) {
                let end = rest.find(&format!("</{raw}>")).expect("the element ends");
                rest = &rest[end..];
            }
        }
    }
    tags
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Headings, landmarks and tables in a line each, with their numbers of rows and columns.
fn structure(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("every tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name = tag.split(' ').next().unwrap_or_default();
        let text = || -> String {
            let inner = &rest[..rest.find(&format!("</{name}>")).unwrap_or(0)];
            let pieces = inner.split('<').map(|it| it.split_once('>').map_or(it, |(_, it)| it));
            pieces.collect::<String>().chars().take(72).collect()
        };
        let line = match name {
            "title" | "h1" | "h2" | "h3" | "h4" | "summary" | "dt" | "figcaption" => text(),
            "header" | "nav" | "main" | "section" | "footer" | "aside" | "dl" | "figure" => {
                attribute(tag, "class").unwrap_or_default().to_owned()
            }
            "p" if tag.contains("deck") || tag.contains("finding") => text(),
            "table" => {
                let inner = &rest[..rest.find("</table>").expect("a table ends")];
                let of = |tag: &str| inner.matches(tag).count();
                format!("{} columns, {} rows", of("scope=\"col\""), of("<tr") - 1)
            }
            "style" | "script" => {
                let close = format!("</{name}>");
                rest = &rest[rest.find(&close).expect("the element ends")..];
                continue;
            }
            _ => continue,
        };
        out.push_str(format!("{name} {line}").trim_end());
        out.push('\n');
    }
    out
}

/// What holds for every page.
fn harmless(page: &str) {
    let tags = tags(page);
    let ids: Vec<&str> = tags.iter().filter_map(|tag| attribute(tag, "id")).collect();
    let different: BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(ids.len(), different.len(), "each id once");
    for tag in &tags {
        assert!(attribute(tag, "style").is_none(), "the policy refuses {tag}");
        let name = tag.split(' ').next().unwrap_or_default();
        assert!(!["img", "iframe", "link", "object", "b/onload"].contains(&name), "{tag}");
        for target in ["aria-labelledby", "popovertarget"] {
            let missing = attribute(tag, target).filter(|id| !different.contains(id));
            assert_eq!(missing, None, "{tag}");
        }
        assert!(!tag.contains("NaN") && !tag.contains("\"inf"), "{tag}");
    }
    let levels = tags.iter().filter_map(|tag| match tag.as_bytes() {
        [b'h', level @ b'1'..=b'4', rest @ ..] if rest.first().is_none_or(|it| *it == b' ') => {
            Some(*level)
        }
        _ => None,
    });
    let levels: Vec<u8> = levels.collect();
    assert_eq!(levels.first(), Some(&b'1'));
    assert!(levels.windows(2).all(|it| it[1] <= it[0] + 1), "{levels:?}");
    let allowed = |c: char| !c.is_control() || c == '\n';
    assert!(page.chars().all(allowed), "no control character");
}

#[test]
fn the_page_has_the_structure_that_was_reviewed() {
    let page = page(&[("", &samples::full())]);
    harmless(&page);
    // What sections draw is reviewed with them.
    insta::assert_snapshot!("page", structure(&page));
}

#[test]
fn any_report_makes_a_harmless_page() {
    let evil = "</script><b/onload=x>\"'&<img src=x>\u{1b}[2J\u{202e}";
    for figure in [f64::NAN, f64::INFINITY, 1e308, -1e308, 0.0] {
        let report = samples::extreme(evil, figure, u64::MAX);
        harmless(&page(&[(evil, &report)]));
        harmless(&page(&[(evil, &report), (evil, &samples::full())]));
    }
    harmless(&page(&[]));
    harmless(&page(&[("", &Report::default())]));
    harmless(&page(&[("", &samples::troubled())]));
    harmless(&page(&[("", &samples::swept())]));
}

#[test]
fn several_reports_share_a_page() {
    let (a, b) = (samples::full(), machines::hpet());
    let two = page(&[("a.json", &a), ("b.json", &b)]);
    harmless(&two);
    assert!(two.contains("a.json") && two.contains("b.json"));
    let many: Vec<(&str, &Report)> = (0..6).map(|_| ("c.json", &a)).collect();
    harmless(&page(&many));
}

/// More reports than fit into one table are shown in brief, with one summary for all.
#[test]
fn a_page_of_twenty_reports_is_small_and_sums_up_once() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reports/x86_64-unknown-linux-gnu.json");
    let text = std::fs::read_to_string(path).expect("a report of the documents");
    let report: Report = serde_json::from_str(&text).expect("a report");
    let names: Vec<String> = (0..20).map(|nth| format!("{nth}.json")).collect();
    let many: Vec<(&str, &Report)> = names.iter().map(|name| (&**name, &report)).collect();
    let many = page(&many);
    harmless(&many);
    assert!(many.len() < 3_000_000, "{} bytes", many.len());
    assert_eq!(many.matches("Reasons, other purposes, and code").count(), 0);
    let (_, short) = many.split_once("aria-labelledby=\"short\"").expect("a summary");
    let short = &short[..short.find("<section").expect("another section")];
    assert!(names.iter().all(|name| short.contains(name)), "{short}");
}

/// 10,000 rows are more than any command makes.
#[test]
fn a_giant_report_has_a_page_of_limited_size() {
    let mut report = samples::full();
    let one = report.clocks.first().cloned().expect("a clock");
    let clock = |nth: usize| Clock { id: format!("x/{nth}"), ..one.clone() };
    report.clocks = (0..10_000).map(clock).collect();
    let page = page(&[("", &report)]);
    assert!(page.len() < 6_000_000, "{} bytes", page.len());
    harmless(&page);
}

#[test]
fn the_page_of_a_usual_report_is_small() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reports/x86_64-unknown-linux-gnu.json");
    let text = std::fs::read_to_string(path).expect("a report of the documents");
    let report: Report = serde_json::from_str(&text).expect("a report");
    let page = page(&[("", &report)]);
    harmless(&page);
    assert!(page.len() <= 500_000, "{} bytes", page.len());
}
