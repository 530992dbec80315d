//! What a page begins and ends with: what was measured, where, when, and by which command.

use super::Input;
use super::text::safe;
use crate::section::machine;
use chronoscope_model::{Report, units};
use maud::{Markup, html};

/// The processor's name, without the number of its CPUs.
fn processor(report: &Report) -> String {
    let model = report.environment.cpu.model.as_deref().unwrap_or("").trim();
    let name = if model.is_empty() { &report.environment.arch } else { model };
    if name.trim().is_empty() { "this machine".into() } else { safe(name) }
}

/// `Time on` the processors, each once.
pub(super) fn title(inputs: &[Input<'_>]) -> String {
    /// The most processors that a title names.
    const NAMED: usize = 2;
    let mut names: Vec<String> = Vec::new();
    for name in inputs.iter().map(|it| processor(it.report)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.len() {
        0 => "Time on this machine".into(),
        1..=NAMED => format!("Time on {}", names.join(" and ")),
        n => format!("Time on {n} machines"),
    }
}

/// What a report is called on the page.
pub(super) fn name(inputs: &[Input<'_>], nth: usize) -> String {
    let name = inputs.get(nth).map_or(String::new(), |it| safe(it.name));
    if name.trim().is_empty() { format!("report {}", nth + 1) } else { name }
}

/// The machine of a report in a line: processor, system, kernel, hypervisor.
fn machine_of(report: &Report) -> Vec<String> {
    let env = &report.environment;
    let mut parts = vec![machine::processor(env)];
    parts.extend(Some(env.os.clone()).filter(|os| !os.is_empty()));
    parts.extend(env.kernel.as_ref().map(|kernel| format!("kernel {kernel}")));
    parts.extend(env.hypervisor.as_ref().map(|it| format!("under {}", it.name)));
    parts.iter().map(|part| safe(part)).collect()
}

/// When a report was measured, how long that took, and by which version.
fn made(report: &Report) -> Vec<String> {
    let run = &report.run;
    let time = run.started.get(..16).map(|time| format!("{} UTC", time.replace('T', " ")));
    let mut parts: Vec<String> = time.into_iter().collect();
    if run.seconds.is_finite() && run.seconds > 0.0 {
        parts.push(format!("measured in {}", units::human_ns(run.seconds * 1e9)));
    }
    if !run.tool_version.is_empty() {
        parts.push(format!("chronoscope {}", run.tool_version));
    }
    if !run.complete {
        parts.push("interrupted".into());
    }
    parts.iter().map(|part| safe(part)).collect()
}

/// Whether two reports are of the same machine and system, as far as their lines say.
pub(super) fn same_machine(a: &Report, b: &Report) -> bool {
    machine_of(a) == machine_of(b)
}

/// The lines below the title; several reports have one each, with its colour if `coloured`.
pub(super) fn lines(inputs: &[Input<'_>], coloured: bool) -> Markup {
    let alike = inputs.windows(2).all(|it| same_machine(it[0].report, it[1].report));
    html! {
        @if let (true, Some(first)) = (alike, inputs.first()) {
            p.sub { (machine_of(first.report).join(" · ")) }
        }
        @match inputs {
            [one] => { p.sub { (made(one.report).join(" · ")) } }
            _ => {
                ul.reports {
                    @for (nth, input) in inputs.iter().enumerate() {
                        li {
                            @if coloured { (dot(nth)) }
                            b { (name(inputs, nth)) } " "
                            @if !alike { (machine_of(input.report).join(" · ")) " · " }
                            (made(input.report).join(" · "))
                        }
                    }
                }
            }
        }
    }
}

/// The colour of a report.
fn dot(nth: usize) -> Markup {
    html! {
        svg.dot class={ "report" (nth) } width="10" height="10" aria-hidden="true" {
            circle cx="5" cy="5" r="4.5" fill="currentColor" {}
        }
    }
}

/// Which colour is which report.
pub(super) fn key(names: &[String]) -> Markup {
    html! {
        p.keys {
            @for (nth, name) in names.iter().enumerate() { span.key { (dot(nth)) (name) } }
        }
    }
}

/// The command of each run, as it can be typed again.
pub(super) fn runs(inputs: &[Input<'_>]) -> Markup {
    html! {
        @for (nth, Input { report, .. }) in inputs.iter().enumerate() {
            @if inputs.len() > 1 { p.from { (name(inputs, nth)) } }
            @if !report.run.argv.is_empty() {
                pre.command data-copy="" { code { (command(&report.run.argv)) } }
            }
            p.legend-text {
                (made(report).join(" · "))
                " · seed " (report.run.order_seed) " · run " code { (safe(&report.run.id)) }
            }
        }
        p.legend-text {
            "The page holds the report itself: " code { "chronoscope report PAGE.html" }
            " shows it on a screen, and " code { "chronoscope compare" } " takes it like a file."
        }
    }
}

/// A command line for a shell: the program by its name, and other words in quotes if they need any.
fn command(argv: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    let quoted = |word: &String| match word.chars().all(plain) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", safe(word).replace('\'', r"'\''")),
    };
    let words = argv.iter().skip(1).map(quoted);
    std::iter::once("chronoscope".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_again() {
        let argv = ["/opt/chronoscope", "waits", "*/x", "it's", "", "json=a.json"];
        let argv = argv.map(str::to_owned);
        assert_eq!(command(&argv), r"chronoscope waits '*/x' 'it'\''s' '' json=a.json");
        assert_eq!(command(&[]), "chronoscope");
    }
}
