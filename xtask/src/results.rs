//! docs/RESULTS.md: measured performance, each part written by the command it names.

use crate::sh;
use anyhow::{Context, Result};
use std::fs;

const HEAD: &str = "\
# Results

Measured on one machine, at one time. Each part is written by the command it names, and holds nothing
that was typed by hand.
";

/// Replaces the part of that name, or adds it.
pub fn replace(name: &str, part: &str) -> Result<()> {
    let path = sh::root().join("docs/RESULTS.md");
    let old = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(error).context("cannot read docs/RESULTS.md"),
    };
    sh::write(&path, replaced(&old, name, part))?;
    println!("docs/RESULTS.md: {name}");
    Ok(())
}

fn replaced(text: &str, name: &str, part: &str) -> String {
    let (begin, end) = (
        format!("<!-- begin {name} -->\n"),
        format!("<!-- end {name} -->\n"),
    );
    let part = format!("{begin}{}\n{end}", part.trim_end());
    let found = text
        .find(&begin)
        .and_then(|from| Some((from, from + text.get(from..)?.find(&end)? + end.len())));
    match found {
        Some((from, to)) => format!("{}{part}{}", &text[..from], &text[to..]),
        None => format!("{}\n\n{part}", text.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_replaces_its_own_and_no_other() {
        let one = replaced(HEAD, "one", "1");
        let both = replaced(&one, "two", "2\n");
        let again = replaced(&both, "one", "3");
        assert!(again.starts_with(HEAD));
        assert!(again.contains("<!-- begin one -->\n3\n<!-- end one -->\n"));
        assert!(again.contains("<!-- begin two -->\n2\n<!-- end two -->\n"));
        assert!(!again.contains("\n1\n"));
        assert_eq!(replaced(&again, "one", "1"), both);
    }
}
