//! Whether the project is lean: its lines of Rust have a ceiling, and every file of tests is
//! compiled.

use anyhow::{Context, Result, ensure};
use proc_macro2::TokenStream;
use std::collections::BTreeMap;
use xshell::{Shell, cmd};
use xtask::code::{Source, item};
use xtask::sh;

/// The most lines that the project may have. A change that needs more removes others first.
const CEILING: usize = 83_000;

/// Prints the lines of Rust of each crate that are neither blank nor comments, outside of tests and
/// of `research`, which nobody installs.
pub fn lines(sources: &[Source]) -> Result<()> {
    let mut crates: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.path.starts_with("research/")) {
        let (files, lines) = crates.entry(source.crate_name()).or_default();
        *files += 1;
        *lines += counted(&source.text).with_context(|| source.path.clone())?;
    }
    for (name, (files, lines)) in &crates {
        println!("{lines:>7} lines in {files:>3} files: {name}");
    }
    let all: usize = crates.values().map(|(_, lines)| lines).sum();
    println!("{all:>7} lines of {CEILING} that there may be");
    ensure!(all <= CEILING, "{all} lines of Rust; at most {CEILING} may be");
    Ok(())
}

/// The number of lines outside of items for tests. The code is formatted, so an item ends with a
/// line that is indented as its first one is. What is left out must be one item: nothing that
/// follows it is lost.
fn counted(text: &str) -> Result<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let code = line.trim();
        if !["#[cfg(test)]", "#[cfg(all(test,"].iter().any(|test| code.starts_with(test)) {
            count += usize::from(!code.is_empty() && !code.starts_with("//"));
            continue;
        }
        let mut left_out = line.to_owned();
        while !is_item(&left_out)? {
            let mut ends = |next: &&str| {
                left_out.push('\n');
                left_out.push_str(next);
                indent(next) <= indent(line) && next.trim_end().ends_with([';', '}', ','])
            };
            ensure!(lines.any(|next| ends(&next)), "an item for tests has no end:\n{left_out}");
        }
    }
    Ok(count)
}

/// Whether this is one item; an error if something follows the item.
fn is_item(text: &str) -> Result<bool> {
    let Ok(tokens) = text.parse::<TokenStream>() else { return Ok(false) };
    let tokens: Vec<_> = tokens.into_iter().collect();
    let len = item(&tokens);
    ensure!(len.is_none_or(|len| len == tokens.len()), "more than an item for tests:\n{text}");
    Ok(len.is_some())
}

/// Finds files of tests that no program contains. Cargo does not look for them, because the tests
/// of a crate are one program, `tests/main.rs`.
pub fn tests(sh: &Shell) -> Result<()> {
    let files = sh::read(cmd!(sh, "git ls-files -co --exclude-standard *.rs *Cargo.toml"))?;
    let wanted = |path: &&str| {
        (path.ends_with("Cargo.toml") || is_test(path).is_some()) && sh.path_exists(path)
    };
    let texts = files.lines().filter(wanted);
    let texts = texts.map(|path| Ok((path.to_owned(), sh.read_file(path)?)));
    let missing = missing(&texts.collect::<Result<_>>()?);
    ensure!(missing.is_empty(), "no program contains {}", missing.join(", "));
    Ok(())
}

/// The crate of a file directly in a folder of tests, and its name.
fn is_test(path: &str) -> Option<(&str, &str)> {
    let (folder, file) = path.split_once("/tests/")?;
    file.strip_suffix(".rs").filter(|name| !name.contains('/')).map(|name| (folder, name))
}

/// The files that neither the manifest nor `main.rs` names, of crates with a `main.rs`.
fn missing(files: &BTreeMap<String, String>) -> Vec<String> {
    let text = |path: String| files.get(&path);
    let lost = files.keys().filter(|path| {
        let Some((folder, name)) = is_test(path) else { return false };
        let Some(main) = text(format!("{folder}/tests/main.rs")) else { return false };
        let is = format!("mod {name};");
        let file = format!("path = \"tests/{name}.rs\"");
        let manifest = text(format!("{folder}/Cargo.toml"));
        !main.lines().any(|line| line.trim() == is)
            && !manifest.is_some_and(|text| text.contains(&file))
    });
    lost.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_comments_nor_blanks_nor_tests_count() {
        let text = "//! Doc.\n\nuse a;\n    // Why.\nfn b() {\n}\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(counted(text).unwrap(), 3);
    }

    #[test]
    fn what_follows_an_item_for_tests_counts() {
        let text = "#[cfg(test)]\nmod tests;\nuse a;\n#[cfg(test)]\n#[path = \"b\"]\n\
                    mod b {\n    fn c() {\n    }\n}\n\
                    impl D {\n    #[cfg(test)]\n    fn e(\n        g: u8,\n    ) -> u8 {\n\
                    \x20       f();\n    }\n}\n";
        assert_eq!(counted(text).unwrap(), 3);
        let text = "#[cfg(test)]\nuse a::{\n    b,\n};\n#[cfg(test)]\nimpl A for B\n\
                    where\n    C: D,\n{\n}\nuse e;\n";
        assert_eq!(counted(text).unwrap(), 1);
    }

    #[test]
    fn tests_of_one_system_are_tests() {
        let text = "#[cfg(all(test, unix))]\nmod a {\n    b!();\n}\n#[cfg(unix)]\nuse c;\n";
        assert_eq!(counted(text).unwrap(), 2);
    }

    #[test]
    fn lines_that_would_be_lost_are_an_error() {
        let error = counted("#[cfg(test)]\nfn a()\n    {\n    }\nfn b() {\n}\n").unwrap_err();
        assert!(error.to_string().contains("fn b()"), "{error}");
        assert_eq!(counted("#[cfg(test)] mod a;\nfn b() {\n}\n").unwrap(), 2);
    }

    #[test]
    fn a_file_that_nothing_compiles_is_named() {
        let files = [
            ("a/Cargo.toml", "path = \"tests/main.rs\"\npath = \"tests/alone.rs\""),
            ("a/tests/main.rs", "mod one;\n"),
            ("a/tests/one.rs", ""),
            ("a/tests/alone.rs", ""),
            ("a/tests/lost.rs", ""),
            ("b/tests/found_by_cargo.rs", ""),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(missing(&files.into()), ["a/tests/lost.rs"]);
    }
}
