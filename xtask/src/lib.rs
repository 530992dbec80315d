//! What all chores share: other programs, the packages that they need, and counts of checks.

pub mod code;
pub mod packages;
pub mod sh;
pub mod tally;

use anyhow::Result;
use std::process::ExitCode;

/// All packages except those that run only on the development machine, and the page's estimators,
/// which are compiled from files of another.
pub const PUBLISHED: [&str; 7] = [
    "--workspace",
    "--exclude",
    "xtask",
    "--exclude",
    "chronoscope-ci",
    "--exclude",
    "chronoscope-web",
];

/// Prints why a command failed, if it did, and returns the exit code.
pub fn ended(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The page with this content between `<!-- begin NAME -->` and `<!-- end NAME -->`; `None` if it
/// lacks these marks.
pub fn replaced(page: &str, name: &str, content: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->\n"));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{content}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_block_is_replaced() {
        let page = "# Lab\n<!-- begin a -->\nold\n<!-- end a -->\nMore\n";
        let new = replaced(page, "a", "new\n").unwrap();
        assert_eq!(new, "# Lab\n<!-- begin a -->\nnew\n<!-- end a -->\nMore\n");
        assert_eq!(replaced(page, "b", "new\n"), None);
    }
}
