//! The runtimes whose clocks are measured, one constant each: what they need, and how their probe
//! is built and run. `runtimes.md` says how to install them, and which settings change their
//! clocks.
//!
//! To add one, write its probe in a folder named after its id ([PROTOCOL.md] says what it must
//! answer), a `Runtime` in the file of those that are built and run in the same way, and its page
//! in `runtimes.md`, and add its name to the list below. A test names every constant that is
//! missing from the list.
//!
//! [PROTOCOL.md]: https://docs.rs/crate/chronoscope-runtimes/latest/source/PROTOCOL.md

#![forbid(unsafe_code)]

mod compiled;
mod declaration;
mod finding;
mod interpreted;

pub use declaration::{File, Install, Page, Program, Runtime, Setting, Way};
pub use finding::{Found, Override, Place, is_trusted};

/// The version of the protocol that the probes speak. The tool also speaks the earlier ones.
pub const PROTOCOL: u64 = 2;

/// The library that counts the calls of the C library that read clocks, in a program that
/// `LD_PRELOAD` loads it into. Its first comment says where the counts are.
pub const COUNTER: File = File { name: "count.c", text: include_str!("../c/count.c") };

/// Every runtime, in the order in which lists show them. A `const` would put a copy of all probes
/// into every part of a program that names it.
pub static ALL: &[&Runtime] = &[
    &compiled::C,
    &compiled::CXX,
    &compiled::RUST,
    &compiled::CORECLR,
    &compiled::MONO,
    &compiled::FRAMEWORK,
    &compiled::JAVA,
    &compiled::GO,
    &interpreted::PYTHON,
    &interpreted::PYPY,
    &interpreted::NODE,
    &interpreted::DENO,
    &interpreted::BUN,
    &interpreted::RUBY,
    &interpreted::PHP,
    &interpreted::PERL,
    &interpreted::LUAJIT,
    &compiled::ERLANG,
    &compiled::WASMTIME,
    &compiled::WAZERO,
    &compiled::NODE,
];

/// Libraries whose waits are measured as those of runtimes are. Their clocks are those of their
/// language.
pub static LIBRARIES: &[&Runtime] = &[
    &compiled::UV,
    &compiled::EVENT,
    &compiled::ASIO,
    &compiled::OWN_C,
    &compiled::OWN_CXX,
    &compiled::TOKIO,
    &compiled::ASYNC_IO,
    &compiled::SMOL,
];

/// Every runtime and library.
fn every() -> impl Iterator<Item = &'static Runtime> {
    ALL.iter().chain(LIBRARIES).copied()
}

/// The runtime with this id, in any case of letters.
pub fn find(id: &str) -> Option<&'static Runtime> {
    ALL.iter().copied().find(|runtime| runtime.id.eq_ignore_ascii_case(id))
}

/// As [`find`], also among the libraries.
pub fn find_any(id: &str) -> Option<&'static Runtime> {
    every().find(|runtime| runtime.id.eq_ignore_ascii_case(id))
}

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_declaration_is_in_the_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut declared = 0;
        for file in std::fs::read_dir(folder).expect("the folder of this very file") {
            let path = file.expect("a file").path();
            let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a source");
            for line in text.lines().filter(|line| line.ends_with(": Runtime = Runtime {")) {
                let Some(name) = line.strip_prefix("pub const ") else { continue };
                let listed = format!("&{module}::{},", name.split(':').next().expect("a name"));
                assert!(include_str!("lib.rs").contains(&listed), "lib.rs does not list {listed}");
                declared += 1;
            }
        }
        assert_eq!(declared, every().count());
        let ids: BTreeSet<&str> = every().map(|runtime| runtime.id).collect();
        assert_eq!(ids.len(), declared, "an id occurs twice");
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
            assert!(!runtime.source.text.is_empty(), "{id}");
            assert!(!page.install.is_empty() && !runtime.ways.is_empty(), "{id}");
            for way in runtime.ways {
                assert!(!way.programs.is_empty() && !way.run.is_empty(), "{id}");
                let mut commands = way.build.iter().chain([&way.version, &way.run]);
                assert!(
                    commands.all(|c| c.iter().all(|text| knows_placeholders(way, text))),
                    "{id}"
                );
            }
            for setting in &page.settings {
                assert!(setting.effect.ends_with('.'), "{id}: {}", setting.name);
            }
        }
    }

    #[test]
    fn a_runtime_is_found_by_its_id() {
        assert_eq!(find("python").map(|runtime| runtime.id), Some("python"));
        assert!(find("cobol").is_none());
    }
}
