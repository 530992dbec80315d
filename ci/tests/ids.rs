//! Ids of clocks, waits and faults are at home in their entries, and in the candidates for advice.
//! Everything else concludes from the facts that each entry states, so a new entry needs no change
//! there. Where a list must name ids all the same, it is counted here, with the reason.

use chronoscope_diagnose::faults;
use chronoscope_probes::{clocks, waits};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use xtask::code::{Source, sources};
use xtask::sh;

/// Crates outside of the homes that name ids: the most texts that may, and why.
const LISTS: [(&str, usize, &str); 7] = [
    ("ci", 10, "the clocks and waits that each target must have"),
    ("cli", 12, "presets are command lines; names of the five texts that have a page"),
    ("fleet", 19, "the few clocks and waits that the exporter measures by default"),
    (
        "measure",
        39,
        "candidates for the ruler, demonstrations, and the clocks that `trust` watches",
    ),
    ("model", 4, "defaults of commands, and a link to the page of a fault"),
    ("survey", 31, "presets of waits, and the few waits of the main command"),
    ("research", 158, "planted faults, and what they are found by"),
];

struct Ids {
    all: BTreeSet<&'static str>,
    /// What a path starts with: `posix/`.
    families: BTreeSet<&'static str>,
}

impl Ids {
    fn of_the_tool() -> Self {
        let entries = clocks::every().map(|entry| entry.id);
        let entries = entries.chain(waits::ALL.iter().map(|entry| entry.id));
        let families = entries.clone().filter_map(|id| Some(&id[..=id.find('/')?])).collect();
        let faults = faults::ALL.iter().map(|fault| fault.id);
        // One word may be anything.
        Self { all: entries.chain(faults).filter(|id| id.contains(['/', '-'])).collect(), families }
    }

    /// The texts that are one id, the start of some, or several.
    fn texts(&self, code: TokenStream) -> Vec<String> {
        let texts = code.into_iter().map(|token| match token {
            // A comment of the documentation is an attribute.
            TokenTree::Group(group) if group.stream().to_string().starts_with("doc =") => vec![],
            TokenTree::Group(group) => self.texts(group.stream()),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                let is_id = |word: &str| self.all.contains(word) || self.families.contains(word);
                let mut words = inside.unwrap_or_default().split_whitespace().peekable();
                let some = words.peek().is_some();
                if some && words.all(is_id) { vec![text] } else { vec![] }
            }
            _ => vec![],
        });
        texts.flatten().collect()
    }
}

fn is_home(path: &str) -> bool {
    ["crates/probes/", "crates/diagnose/src/advise/", "crates/diagnose/src/faults/"]
        .iter()
        .any(|home| path.starts_with(home))
}

/// The crates that name more ids than they may.
fn strangers(sources: &[Source], ids: &Ids, lists: &[(&str, usize, &str)]) -> Vec<String> {
    let outside = sources.iter().filter(|source| !is_home(&source.path));
    let found: Vec<(&Source, Vec<String>)> =
        outside.map(|source| (source, ids.texts(source.code.clone()))).collect();
    let crates: BTreeSet<&str> = found.iter().map(|(source, _)| source.crate_name()).collect();
    let mut wrong = Vec::new();
    for name in crates {
        let own: Vec<_> = found.iter().filter(|(source, _)| source.crate_name() == name).collect();
        let count: usize = own.iter().map(|(_, texts)| texts.len()).sum();
        let most = lists.iter().find(|(of, ..)| *of == name).map_or(0, |(_, most, _)| *most);
        if count > most {
            let lines = own.iter().filter(|(_, texts)| !texts.is_empty());
            let lines =
                lines.map(|(source, texts)| format!("\n  {}: {}", source.path, texts.join(" ")));
            wrong.push(format!(
                "{name} names {count} ids, not {most}:{}",
                lines.collect::<String>()
            ));
        }
    }
    wrong
}

#[test]
fn no_id_is_named_outside_of_its_home_but_in_counted_lists() {
    let ids = Ids::of_the_tool();
    assert!(ids.families.len() > 8 && ids.all.len() > 200, "{}", ids.all.len());
    let sources = sources(&sh::shell().unwrap()).unwrap();
    let wrong = strangers(&sources, &ids, &LISTS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_list_that_is_planted_is_found() {
    let ids = Ids::of_the_tool();
    let plant = |path: &str, text: &str, lists: &[_]| {
        strangers(&[Source::new(path, text.into()).unwrap()], &ids, lists)
    };
    let list =
        "const A: [&str; 3] = [\"x86/rdtsc-asm\", \"posix/monotonic c/time\", \"timer-slack\"];";
    let found = plant("crates/report/src/a.rs", list, &[]);
    assert!(found[0].contains("report names 3 ids, not 0:\n  crates/report/src/a.rs"), "{found:?}");
    assert_eq!(plant("crates/report/src/a.rs", list, &[("report", 3, "why")]), [""; 0]);
    let family = "fn a(id: &str) -> bool { id.starts_with(\"linux/\") }";
    assert_eq!(plant("crates/survey/src/a.rs", family, &[]).len(), 1);
    assert_eq!(plant("crates/probes/src/clocks/a.rs", list, &[]), [""; 0]);
    // Neither a sentence nor a test.
    for text in [
        "const A: &str = \"as posix/monotonic\";",
        "#[cfg(test)] mod tests { const A: &str = \"posix/monotonic\"; }",
        "/// posix/monotonic\nfn a() {}",
    ] {
        assert_eq!(plant("crates/report/src/a.rs", text, &[]), [""; 0]);
    }
}
