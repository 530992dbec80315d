//! docs/RESULTS.md: measured performance. Each part is written by the command that it names.

use crate::sh;
use anyhow::Result;
use xshell::Shell;

/// Replaces the named part, or adds it if it does not exist.
pub fn replace(sh: &Shell, name: &str, part: &str) -> Result<()> {
    let path = sh::root().join("docs/RESULTS.md");
    let text = replaced(&sh.read_file(&path)?, name, part);
    sh.write_file(&path, text)?;
    println!("docs/RESULTS.md: {name}");
    Ok(())
}

fn replaced(text: &str, name: &str, part: &str) -> String {
    let begin = format!("<!-- begin {name} -->\n");
    let end = format!("<!-- end {name} -->\n");
    let part = format!("{begin}{}\n{end}", part.trim_end());
    let found = text
        .find(&begin)
        .and_then(|from| Some((from, from + text.get(from..)?.find(&end)? + end.len())));
    match found {
        Some((from, to)) => format!("{}{part}{}", &text[..from], &text[to..]),
        None => format!("{}\n\n{part}", text.trim_end()),
    }
}

/// The median, which is used to compare several runs. `None` if there are no values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_a_part_leaves_the_others_unchanged() {
        let one = replaced("# Results\n", "one", "1");
        let both = replaced(&one, "two", "2\n");
        let again = replaced(&both, "one", "3");
        assert!(again.starts_with("# Results\n"));
        assert!(again.contains("<!-- begin one -->\n3\n<!-- end one -->\n"));
        assert!(again.contains("<!-- begin two -->\n2\n<!-- end two -->\n"));
        assert!(!again.contains("\n1\n"));
        assert_eq!(replaced(&again, "one", "1"), both);
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
    }
}
