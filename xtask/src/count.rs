//! Counts lines of Rust that are neither blank nor comments, outside of tests.

use crate::sources;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use xshell::Shell;

/// The most lines that the project may have. A change that needs more removes others first.
const CEILING: usize = 85_400;

/// Prints the lines of each crate.
pub fn run(sh: &Shell) -> Result<()> {
    let mut crates: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (path, text) in sources(sh)? {
        let mut folders = path.split('/');
        let first = folders.next().unwrap_or_default();
        let name = if first == "crates" { folders.next().unwrap_or(first) } else { first };
        let (files, lines) = crates.entry(name.to_owned()).or_default();
        *files += 1;
        *lines += counted(&text);
    }
    for (name, (files, lines)) in &crates {
        println!("{lines:>7} lines in {files:>3} files: {name}");
    }
    let all: usize = crates.values().map(|(_, lines)| lines).sum();
    println!("{all:>7} lines of {CEILING} that there may be");
    ensure!(all <= CEILING, "{all} lines of Rust; at most {CEILING} may be");
    Ok(())
}

/// The number of lines before the first `#[cfg(test)]`.
fn counted(text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    let lines = lines.take_while(|line| !line.starts_with("#[cfg(test)]"));
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_comments_nor_blanks_nor_tests_count() {
        let text = "//! Doc.\n\nuse a;\n    // Why.\nfn b() {\n}\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(counted(text), 3);
    }
}
