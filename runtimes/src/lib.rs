//! The runtimes whose clocks are measured: what they need, and how their probe is built and run,
//! as `runtimes.txt` declares it. `runtimes.md` says how to install them, and which settings change
//! their clocks.
//!
//! To add one, write its probe in a folder named after its id ([PROTOCOL.md] says what it must
//! answer), list the file in `declared.rs`, and give it an entry in `runtimes.txt` and a page in
//! `runtimes.md`.
//!
//! [PROTOCOL.md]: https://docs.rs/crate/chronoscope-runtimes/latest/source/PROTOCOL.md

#![forbid(unsafe_code)]

mod declared;
mod finding;

use std::collections::HashMap;
use std::sync::LazyLock;

use chronoscope_model_macros::packed;
use declared::DECLARED;
pub use finding::{Found, Override, Place, is_trusted};

/// The version of the protocol that the probes speak. The tool also speaks the earlier ones.
pub const PROTOCOL: u64 = 2;

/// The library that counts the calls of the C library that read clocks, in a program that
/// `LD_PRELOAD` loads it into. Its first comment says where the counts are.
pub const COUNTER: File = File { name: "count.c", packed: packed!("../c/count.c") };

/// Every runtime, in the order in which lists show them.
pub static ALL: LazyLock<&[&Runtime]> = LazyLock::new(|| &DECLARED[0]);

/// Libraries whose waits are measured as those of runtimes are. Their clocks are those of their
/// language.
pub static LIBRARIES: LazyLock<&[&Runtime]> = LazyLock::new(|| &DECLARED[1]);

/// Every runtime and library.
fn every() -> impl Iterator<Item = &'static Runtime> {
    DECLARED.iter().flatten().copied()
}

/// The runtime with this id, in any case of letters.
pub fn find(id: &str) -> Option<&'static Runtime> {
    ALL.iter().copied().find(|runtime| runtime.id.eq_ignore_ascii_case(id))
}

/// As [`find`], also among the libraries.
pub fn find_any(id: &str) -> Option<&'static Runtime> {
    every().find(|runtime| runtime.id.eq_ignore_ascii_case(id))
}

/// What kinds of clocks are called in a probe (PROTOCOL.md).
const KINDS: [&str; 4] = ["monotonic", "wall", "cpu", "counter"];

/// The id, the call and the kind of each clock that a probe may offer, from its source, where they
/// follow each other in quotes: which of them there are is known only when it runs.
pub fn clocks_in(source: &str) -> Vec<[&str; 3]> {
    let places = KINDS.iter().flat_map(|kind| source.match_indices(kind));
    let found = places.filter_map(|(at, kind)| {
        let (before, after) = source.split_at(at);
        let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
        let (before, call) = last_quoted(before.strip_suffix(quote)?, quote)?;
        let (_, id) = last_quoted(before, quote)?;
        let is_id = id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        (is_id && after[kind.len()..].starts_with(quote)).then_some([id, call, kind])
    });
    found.collect()
}

/// The text in quotes that ends a text but for a comma or the name of a field, and what is before.
fn last_quoted(text: &str, quote: char) -> Option<(&str, &str)> {
    let (text, gap) = text.rsplit_once(quote)?;
    let is_gap = |c: char| c.is_alphanumeric() || c.is_whitespace() || ",:=".contains(c);
    let found = text.rsplit_once(quote).filter(|(_, inside)| !inside.is_empty());
    found.filter(|_| gap.chars().all(is_gap))
}

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A runtime whose clocks are measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Runtime {
    /// A stable name: lower-case letters, digits and `-`.
    pub id: &'static str,
    pub name: &'static str,
    /// The language of its users, which `advise --language` takes.
    pub language: &'static str,
    /// The probe's source.
    pub source: File,
    /// Files that are written next to the probe. Their text may have the same placeholders as
    /// arguments.
    pub files: &'static [File],
    /// How the probe can be built and run, the best first. The first way whose programs are all
    /// found is used, or every such way if [`Runtime::every_way`] is set.
    pub ways: &'static [Way],
    /// Whether each way that is found is a row of its own, such as each compiler.
    pub every_way: bool,
    /// Arguments of which each makes a row of its own, such as `-O2`: the text of `{level}`. If
    /// empty, there is one row.
    pub levels: &'static [&'static str],
    /// The operating systems that can have it, as in [`std::env::consts::OS`]; all if empty.
    pub only_on: &'static [&'static str],
    /// The oldest version that the probe runs with.
    pub oldest: Option<&'static str>,
    /// Whether the probe is compiled completely before it runs, so that its loops do not become
    /// faster while they run.
    pub compiled: bool,
    /// The environment variables that the probe is run with.
    pub env: &'static [(&'static str, &'static str)],
}

/// What a user reads about a runtime.
#[derive(Debug, Default)]
pub struct Page {
    /// What the runtime is and what is special about its clocks, in sentences.
    pub about: String,
    /// Settings that change what the runtime's clocks cost or how fine they are.
    pub settings: Vec<Setting>,
    pub install: Vec<Install>,
    pub references: Vec<&'static str>,
}

/// The pages, by the ids of their runtimes.
static PAGES: LazyLock<HashMap<&str, Page>> = LazyLock::new(|| {
    let pages = include_str!("../runtimes.md").split("\n## ").skip(1);
    pages.filter_map(|text| text.split_once('\n')).map(|(id, text)| (id, page(text))).collect()
});

fn page(text: &'static str) -> Page {
    let mut page = Page::default();
    let mut about = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let Some((what, text)) = line.strip_prefix("- ").and_then(|line| line.split_once(": "))
        else {
            about.push(line);
            continue;
        };
        if let Some(on) = what.strip_prefix("install on ") {
            page.install.push(Install { on, command: text });
        } else if let Some(name) = what.strip_prefix("set ") {
            page.settings.push(Setting { name, effect: text });
        } else {
            page.references.push(text);
        }
    }
    page.about = about.join(" ");
    page
}

/// A way to build and run a probe.
///
/// Spaces separate the arguments of commands, which may contain placeholders: `{NAME}` of a program
/// below is its path; `{source}` the path
/// of the probe; `{dir}` the directory that holds it and what is built; `{exe}` the suffix of
/// programs, `.exe` on Windows; `{level}` one of the runtime's levels; `{version}` the version that
/// was found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    /// What distinguishes this way from the others: `gcc`.
    pub name: &'static str,
    /// The programs that this way needs. `--runtime ID=PATH` replaces the first, whose version
    /// counts.
    pub programs: &'static [Program],
    /// The command that prints the version: the first number with a dot in its output.
    pub version: &'static str,
    /// The commands that build the probe, one after the other; none if there is nothing to build.
    /// They run in `{dir}`.
    pub build: &'static [&'static str],
    pub run: &'static str,
}

/// A program that a way needs, or a header of C if its name ends with `.h` or `.hpp`.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The program's name in placeholders.
    pub name: &'static str,
    /// The names of its file, the best first, without a suffix.
    pub names: &'static [&'static str],
    /// Directories where the program usually is if it is not in the `PATH`. A component may be `*`,
    /// and a first component may be an environment variable (`$JAVA_HOME/bin`).
    pub places: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, Default)]
pub struct File {
    /// The file's name, without directories.
    pub name: &'static str,
    /// Its content, compressed.
    pub packed: &'static [u8],
}

/// A setting that changes a runtime's clocks.
#[derive(Debug)]
pub struct Setting {
    /// The setting as a user writes it: `GODEBUG=asynctimerchan=1`.
    pub name: &'static str,
    /// What the setting changes, in a sentence.
    pub effect: &'static str,
}

#[derive(Debug)]
pub struct Install {
    /// Where the command works: `Debian`, `PyPI`, `npm`, `Go`, `Windows`, `macOS`.
    pub on: &'static str,
    pub command: &'static str,
}

impl Runtime {
    /// What `runtimes.md` says about it; a test finds runtimes that are missing there.
    pub fn page(&self) -> &'static Page {
        &PAGES[self.id]
    }

    pub fn is_for_this_system(&self) -> bool {
        self.only_on.is_empty() || self.only_on.contains(&std::env::consts::OS)
    }

    /// The id of what is built in one way at one level: `c:gcc-O2`.
    pub fn row(&self, way: &Way, level: &str) -> String {
        match (if self.every_way { way.name } else { "" }, level) {
            ("", "") => self.id.to_owned(),
            (way, level) => format!("{}:{way}{level}", self.id),
        }
    }

    /// The ids of all builds, whether or not they can be made here. A runtime that is not built in
    /// several ways has one, with its own id.
    pub fn builds(&self) -> Vec<String> {
        let levels = if self.levels.is_empty() { &[""] } else { self.levels };
        let rows = |way| levels.iter().map(move |level| self.row(way, level));
        let mut all: Vec<String> = self.ways.iter().flat_map(rows).collect();
        all.dedup();
        all
    }

    /// The command that installs the runtime on this system, followed by the system or the package
    /// manager that it is for if that is not native here.
    pub fn install_here(&self) -> String {
        let native = match std::env::consts::OS {
            "windows" => "Windows",
            "macos" => "macOS",
            "freebsd" => "FreeBSD",
            _ => "Debian",
        };
        let install = &self.page().install;
        let mut all = install.iter();
        let best = all.clone().find(|install| install.on == native);
        let any = || all.find(|install| ["PyPI", "npm", "Go"].contains(&install.on));
        match best.or_else(any).or(install.first()) {
            Some(install) if install.on == native => install.command.into(),
            Some(install) => format!("{} ({})", install.command, install.on),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_id_is_of_one_runtime_or_library() {
        let ids: BTreeSet<&str> = every().map(|runtime| runtime.id).collect();
        assert_eq!(ids.len(), every().count(), "an id occurs twice");
        assert!(ALL.len() > 20 && LIBRARIES.len() > 7);
    }

    /// The placeholders that stand for no program.
    const PLACEHOLDERS: [&str; 5] = ["source", "dir", "exe", "level", "version"];

    /// Whether each placeholder of a text stands for something.
    fn knows_placeholders(way: &Way, text: &str) -> bool {
        text.split('{').skip(1).all(|rest| {
            let name = rest.split_once('}').map_or("", |(name, _)| name);
            PLACEHOLDERS.contains(&name) || way.programs.iter().any(|p| p.name == name)
        })
    }

    #[test]
    fn every_declaration_is_complete() {
        for runtime in every() {
            let (id, page) = (runtime.id, runtime.page());
            assert!(!runtime.name.is_empty() && !runtime.language.is_empty(), "{id}");
            assert!(page.about.ends_with('.'), "{id}");
            assert!(!runtime.source.packed.is_empty(), "{id}");
            assert!(!page.install.is_empty() && !runtime.ways.is_empty(), "{id}");
            for way in runtime.ways {
                assert!(!way.programs.is_empty() && !way.run.is_empty(), "{id}");
                let mut commands = way.build.iter().chain([&way.version, &way.run]);
                assert!(commands.all(|command| knows_placeholders(way, command)), "{id}");
            }
            for setting in &page.settings {
                assert!(setting.effect.ends_with('.'), "{id}: {}", setting.name);
            }
        }
    }

    #[test]
    fn the_clocks_of_every_probe_are_found_in_its_source() {
        for runtime in *ALL {
            let source = chronoscope_model::packed::text(runtime.source.packed);
            let found = clocks_in(&source);
            let stopwatch = found.iter().any(|[_, _, kind]| *kind == "monotonic");
            assert!(found.len() > 1 && stopwatch, "{}: {found:?}", runtime.id);
        }
    }

    #[test]
    fn a_runtime_is_found_by_its_id() {
        assert_eq!(find("python").map(|runtime| runtime.id), Some("python"));
        assert!(find("cobol").is_none());
    }
}
