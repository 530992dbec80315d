//! The declaration of a runtime, and its page in `runtimes.md`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A runtime whose clocks are measured.
#[derive(Debug)]
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
/// Arguments may contain placeholders: `{NAME}` of a program below is its path; `{source}` the path
/// of the probe; `{dir}` the directory that holds it and what is built; `{exe}` the suffix of
/// programs, `.exe` on Windows; `{level}` one of the runtime's levels; `{version}` the version that
/// was found.
#[derive(Debug)]
pub struct Way {
    /// What distinguishes this way from the others: `gcc`.
    pub name: &'static str,
    /// The programs that this way needs. `--runtime ID=PATH` replaces the first, whose version
    /// counts.
    pub programs: &'static [Program],
    /// The command that prints the version: the first number with a dot in its output.
    pub version: &'static [&'static str],
    /// The commands that build the probe, one after the other; none if there is nothing to build.
    /// They run in `{dir}`.
    pub build: &'static [&'static [&'static str]],
    pub run: &'static [&'static str],
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

#[derive(Clone, Copy, Debug)]
pub struct File {
    /// The file's name, without directories.
    pub name: &'static str,
    pub text: &'static str,
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

/// The defaults of a declaration.
pub(crate) const PLAIN: Runtime = Runtime {
    id: "",
    name: "",
    language: "",
    source: File { name: "", text: "" },
    files: &[],
    ways: &[],
    every_way: false,
    levels: &[],
    only_on: &[],
    oldest: None,
    compiled: false,
    env: &[],
};

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
