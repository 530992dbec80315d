//! Parts of documents that commands write, between two marks.

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
