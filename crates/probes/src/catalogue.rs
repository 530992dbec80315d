//! What clocks and waits have in common: the lists of them, which are made from tables, the pages
//! about them, and why one cannot be used. An entry is a row of the table of its family, and a list
//! names every table. A test compares the lists with the tables that exist.

use chronoscope_model::Page;
use chronoscope_model::packed::packed;
use chronoscope_model::page::pages;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// Functions of a system that lacks what they ask for, each with what it returns instead.
macro_rules! lacking {
    ($($(#[$doc:meta])* $public:vis fn $name:ident($($from:ty),*) -> $to:ty = $value:expr;)*) => {
        $($(#[$doc])* $public fn $name($(_: $from),*) -> $to { $value })*
    };
}

/// Makes a table of entries of its rows. A row gives its id, its call, and the fields in which it
/// differs from the entry that it is `like`.
macro_rules! table {
    (
        $table:ident: &[Entry];
        $(
            like $plain:ident;
            $($id:literal => $call:expr $(, $field:ident: $value:expr)*;)*
        )*
    ) => {
        pub(super) const $table: &[Entry] =
            &[$($(Entry { id: $id, call: $call, $($field: $value,)* ..$plain },)*)*];
    };
}

static PAGES: LazyLock<HashMap<&str, Page>> = LazyLock::new(|| {
    let all = [packed!("clocks/clocks.md"), packed!("waits/waits.md")];
    let named = |page: Page| page.names.iter().map(move |name| (*name, page));
    all.into_iter().flat_map(pages).flat_map(named).collect()
});

/// The page about a clock or a wait; empty if its row has the text.
pub(crate) fn page(id: &str) -> Page {
    PAGES.get(id).copied().unwrap_or(Page::EMPTY)
}

/// Why a clock or a wait method cannot be used on this machine, in words a user can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl Unavailable {
    /// The reason for a clock or wait that exists only on other systems or processors.
    pub fn only_on(home: &str) -> Self {
        Self(format!("exists on {home} only"))
    }

    /// A system call failed with this errno.
    pub fn os(what: &str, errno: i32) -> Self {
        Self(format!("{what}: {}", std::io::Error::from_raw_os_error(errno)))
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

/// Why this build lacks what is compiled in C or C++, as build.rs found out, or other libraries.
/// The functions of the compilers have the names of their `cfg`s.
pub(crate) mod left_out {
    #![allow(dead_code, reason = "a build that has everything calls none of them")]
    use super::Unavailable;

    fn because(why: Option<&str>) -> Unavailable {
        let why = why.unwrap_or("its compilers failed");
        Unavailable(format!(
            "left out when the tool was built, because {why}: install a compiler that is \
             compatible with GCC, and build again"
        ))
    }

    pub(crate) fn native_c() -> Unavailable {
        because(option_env!("CHRONOSCOPE_NO_C"))
    }

    pub(crate) fn native_cxx() -> Unavailable {
        because(option_env!("CHRONOSCOPE_NO_CXX"))
    }

    pub(crate) fn peers() -> Unavailable {
        Unavailable(
            "this build does not contain other libraries: build with --features peers".into(),
        )
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// The Rust files in the families' folder and below, with their texts. Tests are left out.
    pub(crate) fn sources(folder: &str) -> Vec<(PathBuf, String)> {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for file in fs::read_dir(folder).expect("a folder of this crate") {
                let path = file.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_str().is_some_and(|name| !name.ends_with("tests.rs")) {
                    let text = fs::read_to_string(&path).expect("a source");
                    found.push((path, text));
                }
            }
        }
        found
    }

    /// The names of the tables in a source: `CLOCKS: posix in …`, `const CLOCKS: &[Entry] = …`.
    fn tables(source: &str) -> impl Iterator<Item = &str> {
        let code = source.lines().filter(|line| !line.starts_with("//"));
        code.filter_map(|line| {
            let (name, rest) = line.trim_start().split_once(": ")?;
            let listed = rest.contains(" in native_c") || rest.starts_with("&[Entry]");
            let listed = listed && !name.ends_with("$table");
            listed.then(|| name.rsplit(' ').next()).flatten()
        })
    }

    /// Panics with the name of a table that is missing from the list of the families, if there is
    /// one. A name in the list without a table does not compile.
    pub(crate) fn check(folder: &str) {
        let sources = sources(folder);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("mod.rs");
        let (_, families) = sources.iter().find(|(path, _)| *path == root).expect("the list");
        let mut named = 0;
        for (path, text) in sources.iter().filter(|(path, _)| *path != root) {
            let at = if path.ends_with("mod.rs") { path.parent().expect("a folder") } else { path };
            let name = at.file_stem().expect("a name").to_string_lossy();
            for table in tables(text) {
                let table = format!("{name}::{table}");
                assert!(families.contains(&table), "{} does not list {table}", root.display());
                named += 1;
            }
        }
        assert!(named > 5, "only {named} tables were found in {folder}");
    }

    #[test]
    fn every_page_is_that_of_an_entry_whose_row_has_no_text() {
        let clocks = crate::clocks::every().map(|entry| (entry.id, entry.about));
        let waits = crate::waits::ALL.iter().map(|entry| (entry.id, ""));
        let without: HashSet<&str> =
            clocks.chain(waits).filter(|(_, about)| about.is_empty()).map(|row| row.0).collect();
        let named: HashSet<&str> = super::PAGES.keys().copied().collect();
        assert_eq!(named, without);
    }
}
