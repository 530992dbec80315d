//! The runtimes whose clocks are measured, one file each: what they need, how their probe is built
//! and run, how to install them, and which settings change their clocks.
//!
//! To add one, write its probe in a folder named after its id ([PROTOCOL.md] says what it must
//! answer) and a file with a `RUNTIME`, and add the name of the file to the list below. A test
//! names every file that is missing from the list.
//!
//! [PROTOCOL.md]: https://docs.rs/crate/chronoscope-runtimes/latest/source/PROTOCOL.md

#![forbid(unsafe_code)]

mod declaration;
mod finding;

pub use declaration::{File, Install, Program, Runtime, Setting, Way};
pub use finding::{Found, Override, Place};

/// The version of the protocol that the probes speak.
pub const PROTOCOL: u64 = 1;

/// The library that counts the calls of the C library that read clocks, in a program that
/// `LD_PRELOAD` loads it into. Its first comment says where the counts are.
pub const COUNTER: File = File { name: "count.c", text: include_str!("../c/count.c") };

macro_rules! runtimes {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        /// Every runtime, in the order in which lists show them.
        pub const ALL: &[&Runtime] = &[$(&$file::RUNTIME),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

runtimes! {
    c,
    cxx,
    dotnet_coreclr,
    dotnet_mono,
    dotnet_framework,
    java,
    go,
    python,
    pypy,
    node,
    deno,
    bun,
    ruby,
    php,
    perl,
    luajit,
    erlang,
}

/// The runtime with that id.
pub fn find(id: &str) -> Option<&'static Runtime> {
    ALL.iter().copied().find(|runtime| runtime.id == id)
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

    /// The files that are no runtimes.
    const OTHERS: [&str; 3] = ["lib", "declaration", "finding"];

    #[test]
    fn every_file_is_in_the_list_and_named_after_its_runtime() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder of this very file")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| !OTHERS.contains(&name.as_str()))
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|&f| f.to_owned()).collect();
        let missing: Vec<&String> = files.difference(&listed).collect();
        assert!(missing.is_empty(), "src/lib.rs does not list {missing:?}");
        let ids: BTreeSet<String> = ALL.iter().map(|r| r.id.replace('-', "_")).collect();
        assert_eq!(ids, listed);
    }

    #[test]
    fn every_declaration_is_complete() {
        for runtime in ALL {
            let id = runtime.id;
            assert!(!runtime.name.is_empty() && !runtime.language.is_empty(), "{id}");
            assert!(runtime.about.ends_with('.'), "{id}");
            assert!(!runtime.source.text.is_empty(), "{id}");
            assert!(!runtime.install.is_empty() && !runtime.ways.is_empty(), "{id}");
            for way in runtime.ways {
                assert!(!way.programs.is_empty() && !way.run.is_empty(), "{id}");
                let mut commands = way.build.iter().chain([&way.version, &way.run]);
                let known = |text: &str| runtime.knows_placeholders(way, text);
                assert!(commands.all(|c| c.iter().all(|text| known(text))), "{id}");
            }
            for setting in runtime.settings {
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
