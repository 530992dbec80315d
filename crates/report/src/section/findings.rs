//! The findings, with their evidence and what to do: those about the machine, and those about the
//! run; and what the run left out or did differently.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Text, Tone};
use crate::number::plural;
use crate::section::by_key;
use chronoscope_model::finding::{Check, Outcome};
use chronoscope_model::{About, Certainty, Finding, Level, Note, Report, kernel_log};

pub const SECTION: Section = Section {
    id: "findings",
    records: &[("findings", "finding"), ("checks", "check")],
    view,
    ..PLAIN
};

/// What was found; empty if there are no findings. The end of a summary says that there are none.
fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let (machine, run) = (of(report, About::Machine), of(report, About::Run));
    if detail == Detail::Brief {
        return brief(&machine, &run);
    }
    let groups = [("Findings", machine), ("This run", run), ("Unknown", unknown(report))];
    let listed = groups.map(|(title, found)| {
        under(title, found.iter().map(|it| item(it, detail, false)).collect())
    });
    listed.concat()
}

/// What was found, worst first, about the machine or about the run.
fn of(report: &Report, about: About) -> Vec<&Finding> {
    let all = report.findings.iter();
    let mut of: Vec<_> = all.filter(|it| it.is_found() && it.about == about).collect();
    of.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    of
}

/// What says of itself that it could not be examined.
fn unknown(report: &Report) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| !finding.is_found()).collect()
}

/// A line each, as many as fit into a summary, of which one is for all that are about the run.
fn brief(machine: &[&Finding], run: &[&Finding]) -> Vec<Block> {
    const LINES: usize = 5;
    /// The largest number of findings that the line about the run names.
    const NAMED: usize = 2;
    let shown = &machine[..machine.len().min(LINES - usize::from(!run.is_empty()))];
    let mut lines: Vec<Block> = shown.iter().map(|finding| Block::Line(head(finding))).collect();
    if !run.is_empty() {
        let named = run.iter().take(NAMED).map(|finding| name(finding));
        let line = Text::from("This run: ").and(Text::joined(named, ", "));
        let more = run.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(Block::Line(line.and(more)));
    }
    if lines.is_empty() {
        return lines;
    }
    let remark = match machine.len() - shown.len() {
        0 => "evidence and fixes: ".to_owned(),
        more => format!("{more} more: "),
    };
    let remark = Text::toned(Tone::Dim, remark).and(Text::toned(Tone::Name, "chronoscope doctor"));
    lines.insert(0, Block::remarked("Findings", remark));
    lines
}

/// What was found, or that nothing was, as a screen of its own.
pub fn page(report: &Report) -> Vec<Block> {
    let blocks = view(report, Detail::Everything);
    if blocks.is_empty() { vec![none()] } else { blocks }
}

pub(crate) fn none() -> Block {
    Block::toned(Tone::Good, "No problems found.")
}

/// The result of looking for each fault, after the `verdict` on all: what was found, and what is
/// not known. If everything is asked for, also what was ruled out, by which evidence.
pub fn diagnosis(report: &Report, verdict: &str, detail: Detail) -> Vec<Block> {
    let outcome = |outcome| report.checks.iter().filter(move |it| it.outcome == outcome);
    let (machine, run) = (of(report, About::Machine), of(report, About::Run));
    let own = unknown(report);
    let lacking = outcome(Outcome::Unknown).filter(|check| check.why.is_some());
    let lacking: Vec<Because> = lacking.map(because).collect();
    // A check that found something, or that has no reason why it did not, belongs to a finding.
    let silent = |check: &&Check| match check.outcome {
        Outcome::Found => true,
        Outcome::Unknown => check.why.is_none(),
        Outcome::Clear | Outcome::Elsewhere => false,
    };
    let listed = |check: &&Check| report.findings.iter().any(|finding| finding.id == check.id);
    let allowed = report.checks.iter().filter(silent).filter(|check| !listed(check));
    let counts = [
        (machine.len() + run.len(), "found"),
        (allowed.count(), "allowed"),
        (outcome(Outcome::Clear).count(), "ruled out"),
        (own.len() + lacking.len(), "unknown"),
        (outcome(Outcome::Elsewhere).count(), "of other machines"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
    let title = plural(report.checks.len() as u64, "fault", "faults");
    let more = if detail == Detail::Everything { "" } else { "; more: -v" };
    let counts = format!("{title}: {}{more}", counts.join(", "));
    let mut blocks = vec![Block::remarked("Doctor", verdict), Block::toned(Tone::Dim, counts)];
    if report.run.screen.as_deref().is_some_and(|screen| screen != "doctor") {
        let other = "This report was not made by doctor: what only doctor measures is unknown.";
        blocks.push(Block::paragraph(other));
    }
    // Who asks about a log or another process wants to know what its lines mean.
    let text = report.clocks.is_empty() && report.environment.vdso.is_none();
    let printed = report.notes.iter().any(|note| note.id == "read");
    let asked = |line: &String| {
        text && (printed || line.starts_with("kernel log")) || line.starts_with("/proc/PID/")
    };
    let logged = |it: &Finding| it.evidence.iter().any(asked);
    let items = |found: &[&Finding]| -> Vec<Block> {
        let whole = |it: &Finding| if logged(it) { Detail::Everything } else { detail };
        found.iter().map(|it| item(it, whole(it), true)).collect()
    };
    blocks.extend(under("Findings", items(&machine)));
    blocks.extend(under("This run", items(&run)));
    blocks.extend(under("Also in the log", also_logged(report)));
    blocks.extend(under("Unknown", [items(&own), grouped(lacking)].concat()));
    if detail == Detail::Everything {
        let elsewhere = outcome(Outcome::Elsewhere).map(because).collect();
        blocks.extend(under("Of other machines", grouped(elsewhere)));
        let looked_at = |check: &Check| Block::Item {
            head: Text::toned(Tone::Name, &check.id),
            details: vec![Text::toned(Tone::Dim, &check.looks_at)],
        };
        blocks.extend(under("Ruled out", outcome(Outcome::Clear).map(looked_at).collect()));
    }
    blocks
}

/// Lines of the kernel's log about which there is something to do, and which no finding shows.
fn also_logged(report: &Report) -> Vec<Block> {
    /// The most messages that are shown.
    const SHOWN: usize = 6;
    let guest = report.environment.hypervisor.is_some();
    let found =
        |id: &str| report.checks.iter().any(|it| it.id == id && it.outcome == Outcome::Found);
    // What an emulator's counter shows is no fault of the machine.
    let emulated = report.environment.emulated.is_some();
    let silent = |known: &kernel_log::Known| {
        let message = known.message;
        let ids: Vec<&str> = message.faults.iter().chain(&message.open).copied().collect();
        let any = ids.iter().any(|id| known.proves(id, guest) || known.leaves_open(id, guest));
        known.is_beyond()
            && (message.is_harmless(guest) || (any && !emulated && !ids.iter().any(|id| found(id))))
    };
    let lines = report.environment.kernel_log.iter();
    let known = lines.filter_map(|line| Some((line, kernel_log::recognise(line)?)));
    let known = known.filter(|(_, known)| silent(known)).map(|(line, it)| (line, it.message));
    let mut shown: Vec<(&String, &kernel_log::Message)> = Vec::new();
    for (line, message) in known.filter(|(_, it)| !it.act.is_empty()) {
        let again = shown.iter().any(|(_, it)| it.means == message.means);
        if !again && (!guest || message.guest.is_empty()) && shown.len() < SHOWN {
            shown.push((line, message));
        }
    }
    let items = shown.into_iter().map(|(line, message)| Block::Item {
        head: Text::toned(Tone::Name, line.trim()),
        details: vec![message.means.into(), format!("What to do: {}", message.act).into()],
    });
    items.collect()
}

/// A fault and why nothing is said about it.
type Because<'a> = (&'a str, &'a str);

fn because(check: &Check) -> Because<'_> {
    (&check.id, check.why.as_deref().unwrap_or_default())
}

/// A line for each reason, with the faults that have it.
fn grouped(faults: Vec<Because>) -> Vec<Block> {
    let groups = by_key(faults.into_iter().map(|(id, why)| (why, id)));
    let lines = groups.into_iter().map(|(why, ids)| {
        Block::item(Text::toned(Tone::Name, ids.join(", ")).and(format!("  {why}")))
    });
    lines.collect()
}

/// Blocks under a heading; nothing if there are none.
fn under(title: &str, mut blocks: Vec<Block>) -> Vec<Block> {
    if !blocks.is_empty() {
        blocks.insert(0, Block::heading(title));
    }
    blocks
}

/// `warning no-vdso`; what could not be examined has no level.
fn name(finding: &Finding) -> Text {
    let tone = match finding.level {
        Level::Info => Tone::Name,
        Level::Warning => Tone::Warn,
        Level::Error => Tone::Bad,
    };
    let id = Text::toned(Tone::Name, &finding.id);
    if finding.is_found() { Text::toned(tone, finding.level.name()).and(" ").and(id) } else { id }
}

fn head(finding: &Finding) -> Text {
    name(finding).and(format!("  {}", finding.title))
}

/// How a finding is known, in a clause.
fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Measured => "measured: it was seen to happen",
        Certainty::Evidence => "evidence: a flag, a file or the kernel says so",
        Certainty::Unknown => "unknown: it could not be examined",
    }
}

/// A finding with its evidence and fix; at the level of information in one line, unless everything
/// is asked for.
fn item(finding: &Finding, detail: Detail, at_length: bool) -> Block {
    if finding.level == Level::Info && detail != Detail::Everything {
        return Block::item(head(finding));
    }
    let evidence = finding.evidence.iter();
    let mut details: Vec<Text> = evidence.map(|text| Text::toned(Tone::Dim, text)).collect();
    if at_length {
        details.push(format!("Certainty: {}", certainty(finding.certainty)).into());
    }
    details.push(format!("Fix: {}", finding.fix).into());
    if at_length && !finding.reference.is_empty() {
        details.push(format!("Reference: {}", finding.reference).into());
    }
    Block::Item { head: head(finding), details }
}

// What the run left out or did differently.

pub const NOTES: Section = Section {
    id: "notes",
    records: &[("notes", "note")],
    view: |report: &Report, _: Detail| {
        let noted = report.notes.iter().map(|note| format!("Note: {}", note_words(note)));
        noted.map(|note| Block::toned(Tone::Dim, note)).collect()
    },
    glance: Some(first_note),
    ..PLAIN
};

/// One line: the first note, and how many more there are.
fn first_note(report: &Report, _: usize) -> Vec<Block> {
    /// What fits into a line of 80 columns.
    const WIDTH: usize = 55;
    let Some((first, rest)) = report.notes.split_first() else {
        return Vec::new();
    };
    let mut text = first.text.clone();
    if let Some((end, _)) = text.char_indices().nth(WIDTH) {
        let words = text[..end].rfind(' ').unwrap_or(end);
        text.replace_range(words.., " …");
    }
    if !rest.is_empty() {
        text += &format!(" · {} more: -v", rest.len());
    }
    vec![Block::toned(Tone::Dim, format!("Note: {text}"))]
}

/// The notes under a heading that says what they are.
pub(crate) fn listed_notes(report: &Report) -> Vec<Block> {
    report.notes.iter().map(|note| Block::paragraph(note_words(note))).collect()
}

fn note_words(note: &Note) -> String {
    let fix = match note.fix.as_str() {
        "" => String::new(),
        fix => format!(" To change that: {}.", fix.trim_end_matches('.')),
    };
    format!("{}.{fix}", note.text.trim_end_matches('.'))
}
