//! The project's Rust files, and what in them is code of a program rather than of its tests.

use crate::sh;
use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use xshell::{Shell, cmd};

/// A Rust file outside of tests.
pub struct Source {
    /// Relative to the root.
    pub path: String,
    pub text: String,
    /// Its code, without items for tests.
    pub code: TokenStream,
}

impl Source {
    pub fn new(path: &str, text: String) -> Result<Self> {
        let tokens = text.parse::<TokenStream>().map_err(|error| anyhow!("{path}: {error}"))?;
        Ok(Self { path: path.to_owned(), text, code: outside_tests(tokens) })
    }

    /// The crate that contains the file: `report`, `runtimes`, `ci`.
    pub fn crate_name(&self) -> &str {
        let inside = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        inside.split('/').next().unwrap_or_default()
    }
}

/// All Rust files of the project outside of tests.
pub fn sources(sh: &Shell) -> Result<Vec<Source>> {
    let files = sh::read(cmd!(sh, "git ls-files -co --exclude-standard *.rs"))?;
    let files = files.lines().filter(|path| !is_for_tests(path) && sh.path_exists(path));
    files.map(|path| Source::new(path, sh.read_file(path)?)).collect()
}

/// Whether only tests compile the file.
fn is_for_tests(path: &str) -> bool {
    let mut folders = path.split('/').rev();
    let name = folders.next().unwrap_or_default();
    ["test.rs", "tests.rs"].contains(&name)
        || ["_test.rs", "_tests.rs"].iter().any(|end| name.ends_with(end))
        || folders.any(|folder| ["tests", "benches", "examples"].contains(&folder))
}

/// The same code without the items that follow `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub fn outside_tests(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if is_attribute(&tokens[at..]) && for_tests(&tokens[at + 1]) {
            at += item(&tokens[at..]).unwrap_or(tokens.len());
            continue;
        }
        kept.push(match token {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), outside_tests(group.stream())))
            }
            other => other.clone(),
        });
        at += 1;
    }
    kept.into_iter().collect()
}

fn is_attribute(tokens: &[TokenTree]) -> bool {
    let [first, second, ..] = tokens else { return false };
    let bracket = matches!(second, TokenTree::Group(it) if it.delimiter() == Delimiter::Bracket);
    first.to_string() == "#" && bracket
}

fn for_tests(attribute: &TokenTree) -> bool {
    let text = attribute.to_string().replace(' ', "");
    text == "[cfg(test)]" || text.starts_with("[cfg(all(test,")
}

/// The number of tokens of the first item, with its attributes. A field, a row or an arm ends at a
/// comma, and everything else at a semicolon; all may end with braces. `None` if none of these is
/// there.
pub fn item(tokens: &[TokenTree]) -> Option<usize> {
    let mut start = 0;
    while is_attribute(&tokens[start..]) {
        start += 2;
    }
    let first = tokens.get(start..).unwrap_or_default().iter();
    let mut words = first.filter(|token| !matches!(token, TokenTree::Group(_)));
    let mut word = words.next().map(ToString::to_string).unwrap_or_default();
    if word == "pub" {
        word = words.next().map(ToString::to_string).unwrap_or_default();
    }
    const ITEMS: [&str; 15] = [
        "async",
        "const",
        "enum",
        "extern",
        "fn",
        "impl",
        "let",
        "macro_rules",
        "mod",
        "static",
        "struct",
        "trait",
        "type",
        "unsafe",
        "use",
    ];
    let end = if ITEMS.contains(&word.as_str()) { ";" } else { "," };
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => other.to_string() == end,
    };
    let rest = &tokens[start..];
    let last = rest.iter().position(ends)?;
    // `use a::{b};` and `A => {},` end after their braces.
    let mark = rest.get(last + 1).is_some_and(|token| [";", ","].contains(&&*token.to_string()));
    Some(start + last + 1 + usize::from(mark && rest[last].to_string() != end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_an_item_for_tests_remains() {
        let code = |text: &str| outside_tests(text.parse().unwrap()).to_string().replace(' ', "");
        assert_eq!(code("#[cfg(test)] mod tests; use a;"), "usea;");
        assert_eq!(code("#[cfg(test)] use a::{b}; use c;"), "usec;");
        assert_eq!(code("#[cfg(test)] #[path = \"b\"] mod b { fn c() {} } fn d() {}"), "fnd(){}");
        assert_eq!(code("#[cfg(all(test, unix))] mod a { } const B: u8 = 1;"), "constB:u8=1;");
        assert_eq!(
            code("impl A { #[cfg(test)] fn b(c: &[u8], d: u8) { } fn e() {} }"),
            "implA{fne(){}}"
        );
        assert_eq!(
            code("struct A { #[cfg(test)] pub b: u8, c: u8 } fn d() {}"),
            "structA{c:u8}fnd(){}"
        );
        assert_eq!(code("match a { #[cfg(test)] B => {}, C => {} }"), "matcha{C=>{}}");
        assert_eq!(code("#[cfg(not(test))] fn a() {}"), "#[cfg(not(test))]fna(){}");
    }

    #[test]
    fn names_that_only_end_like_tests_are_code() {
        for path in ["crates/a/src/format/cyclictest.rs", "crates/a/src/latest.rs"] {
            assert!(!is_for_tests(path), "{path}");
        }
        for path in ["crates/a/src/b_tests.rs", "crates/a/src/tests.rs", "a/tests/b/c.rs"] {
            assert!(is_for_tests(path), "{path}");
        }
    }
}
