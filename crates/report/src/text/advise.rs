//! Which clock to use for what, why, and the line of code.

use super::screen::Screen;
use super::style::{Style, Tone, clean};
use chronoscope_model::{Report, units};
use std::collections::BTreeMap;

/// The advice that the report holds, whole.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    if report.advice.is_empty() {
        screen.paragraph("There is no advice: nothing was measured.");
    }
    for advice in &report.advice {
        screen.heading(&clean(&advice.title), &clean(&advice.purpose));
        let clock = match &advice.clock {
            Some(id) => {
                let call = report.clocks.iter().find(|c| c.id == *id);
                let call = call.map_or(String::new(), |c| format!("  {}", clean(&c.call)));
                let cost = advice
                    .cost_ns
                    .map_or(String::new(), |ns| format!("  {}", units::human_ns(ns)));
                format!(
                    "{}{cost}{}",
                    style.paint(Tone::Good, &clean(id)),
                    style.paint(Tone::Dim, &call)
                )
            }
            None => style.paint(Tone::Warn, "no clock here"),
        };
        screen.indented("  ", "    ", &clock);
        screen.indented("  ", "  ", &clean(&advice.why));
        if !advice.code.is_empty() {
            screen.gap();
        }
        let widest = advice.code.keys().map(|k| k.chars().count()).max();
        let widest = widest.unwrap_or(0).min(12);
        for (language, code) in in_order(&advice.code) {
            for (i, line) in code.lines().enumerate() {
                let name = if i == 0 {
                    clean(language)
                } else {
                    String::new()
                };
                let first = format!("  {}  ", style.paint(Tone::Dim, &format!("{name:widest$}")));
                let rest = " ".repeat(widest + 6);
                // Indentation within the code is kept; everything else from it is made safe.
                let indent = line.len() - line.trim_start().len();
                let first = format!("{first}{}", " ".repeat(indent));
                screen.indented(&first, &rest, &clean(line));
            }
        }
    }
    let several = report
        .advice
        .iter()
        .any(|a| a.purpose != report.advice[0].purpose);
    if several && report.advice.iter().all(|a| a.purpose != WAIT) {
        screen.gap();
        let more = "How to wait is measured and advised on by chronoscope advise --for wait.";
        screen.paragraph(&style.paint(Tone::Dim, more));
    }
    screen.finish()
}

/// The purpose of waits, which are not measured beside the clocks.
const WAIT: &str = "wait";

/// The languages in the order in which the screen shows them; others follow.
const ORDER: [&str; 8] = [
    "C",
    "C++",
    "Rust",
    "C#",
    "Java",
    "Go",
    "Python",
    "JavaScript",
];

fn in_order(code: &BTreeMap<String, String>) -> Vec<(&String, &String)> {
    let mut lines: Vec<_> = code.iter().collect();
    lines.sort_by_key(|(name, _)| {
        let place = ORDER.iter().position(|o| o == name);
        place.unwrap_or(ORDER.len())
    });
    lines
}
