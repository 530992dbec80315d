//! Finds files of tests that no program contains. Cargo does not look for them, because the tests
//! of a crate are one program, `tests/main.rs`.

use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use xshell::{Shell, cmd};
use xtask::sh;

pub fn check(sh: &Shell) -> Result<()> {
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
