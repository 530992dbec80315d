//! Counts lines of Rust that are neither blank nor comments, outside of tests and of `research`,
//! which nobody installs.

use crate::sources;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use xshell::Shell;

/// The most lines that the project may have. A change that needs more removes others first.
const CEILING: usize = 83_000;

/// Prints the lines of each crate.
pub fn run(sh: &Shell) -> Result<()> {
    let mut crates: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let sources = sources(sh)?;
    for (path, text) in sources.iter().filter(|(path, _)| !path.starts_with("research/")) {
        let mut folders = path.split('/');
        let first = folders.next().unwrap_or_default();
        let name = if first == "crates" { folders.next().unwrap_or(first) } else { first };
        let (files, lines) = crates.entry(name.to_owned()).or_default();
        *files += 1;
        *lines += counted(text);
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
/// line that is indented as its first one is.
fn counted(text: &str) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let code = line.trim();
        if code.starts_with("#[cfg(test)]") {
            let Some(first) = lines.by_ref().find(|line| !line.trim().starts_with(['#', '/']))
            else {
                break;
            };
            if !first.trim_end().ends_with([';', '}', ',']) {
                let end = |it: &&str| {
                    indent(it) == indent(first) && it.trim().starts_with(['}', ')', ']'])
                };
                lines.by_ref().find(end);
            }
        } else {
            count += usize::from(!code.is_empty() && !code.starts_with("//"));
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_comments_nor_blanks_nor_tests_count() {
        let text = "//! Doc.\n\nuse a;\n    // Why.\nfn b() {\n}\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(counted(text), 3);
    }

    #[test]
    fn what_follows_an_item_for_tests_counts() {
        let text = "#[cfg(test)]\nmod tests;\nuse a;\n#[cfg(test)]\n#[path = \"b\"]\nmod b {\n    fn \
                    c() {\n    }\n}\nimpl D {\n    #[cfg(test)]\n    fn e() {\n        f();\n    }\n}\n";
        assert_eq!(counted(text), 3);
    }
}
