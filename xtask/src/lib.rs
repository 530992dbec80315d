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

/// The value of this name in /proc/cpuinfo, of the first CPU that has it.
fn of_cpu<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    lines.find_map(|(key, value)| (key.trim() == name).then_some(value.trim()))
}

/// The processor by /proc/cpuinfo: its name with these numbers, because a virtual machine often has
/// no exact name. On Arm it has neither.
pub fn processor(cpuinfo: &str, numbers: &[&str]) -> String {
    let name = of_cpu(cpuinfo, "model name").unwrap_or("an unnamed processor");
    let number = |key: &&str| {
        let number = of_cpu(cpuinfo, key)?;
        Some(format!("{} {number}", key.trim_start_matches("cpu ")))
    };
    match numbers.iter().map(number).collect::<Option<Vec<_>>>() {
        Some(numbers) => format!("{name} ({})", numbers.join(", ")),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_told_apart() {
        let text = "processor\t: 0\ncpu family\t: 23\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n";
        let numbers = ["cpu family", "model"];
        assert_eq!(processor(text, &numbers), "AMD EPYC (family 23, model 1)");
        assert_eq!(processor(text, &["cpu family", "stepping"]), "AMD EPYC");
        assert_eq!(processor("", &numbers), "an unnamed processor");
    }

    #[test]
    fn only_the_block_is_replaced() {
        let page = "# Lab\n<!-- begin a -->\nold\n<!-- end a -->\nMore\n";
        let new = replaced(page, "a", "new\n").unwrap();
        assert_eq!(new, "# Lab\n<!-- begin a -->\nnew\n<!-- end a -->\nMore\n");
        assert_eq!(replaced(page, "b", "new\n"), None);
    }
}
