//! Finds circles of imports: files of which each takes names from the next, and the last from the
//! first. Such files can only be understood, tested and changed together.
//!
//! A name counts where it is defined: `use super::Clock` is an import from the file that defines
//! `Clock`, whichever `mod.rs` passes the name on. What a module takes from those inside of it is
//! no import, because it is made of them, and neither is what only tests use.

use anyhow::{Result, anyhow, ensure};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// The path of a module in its crate; that of the crate itself is empty.
type Module = Vec<String>;

#[derive(Default)]
struct File {
    path: String,
    defined: BTreeSet<String>,
    /// What `use` brings in: the name here, the absolute path, and whether others see the name.
    /// The name of a glob is `*`.
    uses: Vec<(String, Vec<String>, bool)>,
    /// The words in the code of the file.
    words: BTreeSet<String>,
    /// The paths in the code of the file, from the root of the crate.
    paths: BTreeSet<Vec<String>>,
}

#[derive(Default)]
struct Crate(BTreeMap<Module, File>);

/// Edges from file to file, with the names that the first takes from the second.
type Edges = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Fails if any of these files import each other. Paths are relative to the root.
pub fn check(sources: &[(String, String)]) -> Result<()> {
    let mut crates: BTreeMap<&str, Crate> = BTreeMap::new();
    for (path, text) in sources {
        let Some((name, inside)) = path.split_once("/src/") else { continue };
        let tokens = text.parse::<TokenStream>();
        let tokens = tokens.map_err(|error| anyhow!("{path}: {error}"))?;
        let module = module_of(inside);
        let mut file = File { path: path.clone(), ..File::default() };
        file.read(tokens, &module);
        crates.entry(name).or_default().0.insert(module, file);
    }
    let edges = crates.values().flat_map(Crate::edges).collect();
    let found = circles(&edges);
    ensure!(found.is_empty(), "circles of imports: {}{}", found.len(), found.concat());
    Ok(())
}

/// The module in a file, by its path below `src`.
fn module_of(inside: &str) -> Module {
    let parts = Path::new(inside).with_extension("");
    let parts = parts.components().map(Component::as_os_str);
    let mut module: Module = parts.map(|part| part.to_string_lossy().into()).collect();
    if module.last().is_some_and(|last| last == "mod") || module == ["lib"] {
        module.pop();
    }
    module
}

impl File {
    /// Reads the items of a module, which may lie in braces in the file of another.
    fn read(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut code = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let after = tokens.get(at + 1).map(ToString::to_string).unwrap_or_default();
            let end = |ends: fn(&TokenTree) -> bool| {
                at + tokens[at..].iter().position(ends).unwrap_or(tokens.len() - at)
            };
            match token.to_string().as_str() {
                "#" if after.replace(' ', "").starts_with("[cfg(test)]") => at = end(ends_item),
                "use" => {
                    let seen = match at.checked_sub(1).map(|before| &tokens[before]) {
                        Some(TokenTree::Group(group)) => {
                            group.delimiter() == Delimiter::Parenthesis
                        }
                        other => other.is_some_and(|token| token.to_string() == "pub"),
                    };
                    let end = end(|token| token.to_string() == ";");
                    for (name, path) in tree(&tokens[at + 1..end], &[]) {
                        self.uses.push((name, absolute(&path, module), seen));
                    }
                    at = end;
                }
                "mod" if matches!(tokens.get(at + 2), Some(TokenTree::Group(_))) => {
                    if let Some(TokenTree::Group(content)) = tokens.get(at + 2) {
                        self.read(content.stream(), &[module, &[after]].concat());
                    }
                    at += 2;
                }
                "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" | "union" => {
                    self.defined.insert(after);
                    code.push(token.clone());
                }
                "macro_rules" => {
                    self.defined.extend(tokens.get(at + 2).map(ToString::to_string));
                }
                _ => code.push(token.clone()),
            }
            at += 1;
        }
        self.mention(&code, module);
    }

    /// Collects the words and paths of the code.
    fn mention(&mut self, tokens: &[TokenTree], module: &[String]) {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.mention(&inside, module);
                }
                TokenTree::Ident(word) => {
                    self.words.insert(word.to_string());
                    if at < 2 || !joins(&tokens[at - 2]) {
                        let all = tree(&tokens[at..], &[]).into_iter().map(|(_, path)| path);
                        let paths = all.filter(|path| path.len() > 1);
                        self.paths.extend(paths.map(|path| absolute(&path, module)));
                    }
                }
                _ => {}
            }
        }
    }
}

fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => other.to_string() == ";",
    }
}

/// Whether this is the first half of `::`.
fn joins(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == ':' && it.spacing() == Spacing::Joint)
}

/// The paths that begin here, each with the name that it has from now on: `a::{b, c as d}` is `b`
/// for `a::b` and `d` for `a::c`.
fn tree(tokens: &[TokenTree], before: &[String]) -> Vec<(String, Vec<String>)> {
    let mut path = before.to_vec();
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let parts = inside.split(|token| token.to_string() == ",");
                return parts.flat_map(|part| tree(part, &path)).collect();
            }
            TokenTree::Punct(star) if star.as_char() == '*' => path.push("*".into()),
            TokenTree::Ident(word) => path.push(word.to_string()),
            _ => break,
        }
        // What follows a path is another of its parts, or the name that it gets.
        let Some(next) = tokens.peek() else { break };
        if next.to_string() == "as" {
            return tokens.nth(1).map(|name| (name.to_string(), path)).into_iter().collect();
        }
        if !joins(next) {
            break;
        }
        tokens.nth(1);
    }
    // `use a::{self}` names the module `a`.
    if before.len() < path.len()
        && !before.is_empty()
        && path.last().is_some_and(|part| part == "self")
    {
        path.pop();
    }
    path.last().cloned().map(|name| (name, path)).into_iter().collect()
}

/// The path from the root of the crate.
fn absolute(path: &[String], module: &[String]) -> Vec<String> {
    let mut from = module.to_vec();
    let mut rest = path;
    while let Some((first, others)) = rest.split_first() {
        match first.as_str() {
            "crate" => from.clear(),
            "super" => drop(from.pop()),
            "self" => {}
            _ => break,
        }
        rest = others;
    }
    from.extend_from_slice(rest);
    from
}

impl Crate {
    /// The file that defines what this path names, and the name; no name for a whole module.
    fn find<'a>(&'a self, path: &[String], depth: usize) -> Option<(&'a Module, String)> {
        let prefixes = (0..=path.len()).rev();
        let (module, file) =
            prefixes.filter_map(|len| self.0.get_key_value(&path[..len])).next()?;
        let rest = &path[module.len()..];
        let Some((name, further)) = rest.split_first() else {
            return Some((module, String::new()));
        };
        if file.defined.contains(name) {
            return Some((module, name.clone()));
        }
        let passed_on = file.uses.iter().filter_map(|(local, target, _)| match local.as_str() {
            "*" => Some([&target[..target.len() - 1], rest].concat()),
            _ => (local == name).then(|| [target, further].concat()),
        });
        passed_on.filter(|_| depth < 8).find_map(|path| self.find(&path, depth + 1))
    }

    /// The names that each file takes from other files.
    fn edges(&self) -> Vec<(String, BTreeMap<String, BTreeSet<String>>)> {
        self.0.iter().map(|(module, file)| (file.path.clone(), self.taken(module, file))).collect()
    }

    fn taken(&self, module: &Module, file: &File) -> BTreeMap<String, BTreeSet<String>> {
        let mut paths: Vec<Vec<String>> = Vec::new();
        for (name, target, seen) in &file.uses {
            if name == "*" {
                let scope = &target[..target.len() - 1];
                paths.extend(
                    file.words.iter().map(|word| [scope, std::slice::from_ref(word)].concat()),
                );
            } else if !seen || file.words.contains(name) {
                paths.push(target.clone());
            }
        }
        for path in &file.paths {
            // The first part may be a name that `use` brought in, here or in braces.
            let own = path.strip_prefix(&module[..]).and_then(<[String]>::split_first);
            let used = own.and_then(|(first, rest)| {
                let (_, target, _) = file.uses.iter().find(|(name, ..)| name == first)?;
                Some([target, rest].concat())
            });
            paths.push(used.unwrap_or_else(|| path.clone()));
        }
        let mut taken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in paths {
            // A module is made of those inside of it, and may pass them on or use them.
            if let Some((found, name)) = self.find(&path, 0)
                && !name.is_empty()
                && !found.starts_with(module)
            {
                taken.entry(self.0[found].path.clone()).or_default().insert(name);
            }
        }
        taken
    }
}

/// The circles, each with the names that its files import from each other.
fn circles(edges: &Edges) -> Vec<String> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        edges.keys().map(|file| (file, reached(edges, file))).collect();
    let mut found = BTreeSet::new();
    for (file, to) in &reached {
        let back = |other: &&&String| reached.get(**other).is_some_and(|to| to.contains(file));
        let circle: BTreeSet<&String> = to.iter().filter(back).copied().collect();
        found.extend((!circle.is_empty()).then_some(circle));
    }
    let lines = |files: &BTreeSet<&String>| {
        let mut text = format!("\ncircle of {} files:", files.len());
        for from in files {
            for (to, names) in edges[*from].iter().filter(|(to, _)| files.contains(to)) {
                let names = names.iter().cloned().collect::<Vec<_>>().join(", ");
                text += &format!("\n  {from} -> {to}: {names}");
            }
        }
        text
    };
    found.iter().map(lines).collect()
}

/// The files that imports lead to, at once or by way of others.
fn reached<'a>(edges: &'a Edges, from: &'a String) -> BTreeSet<&'a String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        let next = edges.get(file).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.filter(|file| seen.insert(*file)));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> String {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (format!("crates/it/src/{path}"), (*text).to_owned()))
            .collect();
        check(&files).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_circle_of_three_files_is_named_with_what_ties_them() {
        let found = found(&[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "pub struct B; pub fn make() { crate::c::make() }"),
            ("c.rs", "use super::{a::A, d}; pub fn make() { d::only(A) }"),
            ("d.rs", "pub fn only() {}"),
        ]);
        assert!(found.contains("circles of imports: 1\ncircle of 3 files:"), "{found}");
        assert!(found.contains("crates/it/src/b.rs -> crates/it/src/c.rs: make"), "{found}");
        assert!(found.contains("crates/it/src/c.rs -> crates/it/src/a.rs: A"), "{found}");
        assert!(!found.contains("d.rs"), "{found}");
    }

    #[test]
    fn a_module_that_only_passes_names_on_is_in_no_circle() {
        let files = [
            ("lib.rs", "mod tool; pub use tool::{Built, read as read_report};"),
            ("tool/mod.rs", "mod build; mod report; pub use build::Built; pub use report::*;"),
            ("tool/build.rs", "use super::read; pub struct Built; fn built() { read() }"),
            ("tool/report.rs", "pub fn read() {}"),
        ];
        assert_eq!(found(&files), "");
        let back =
            [files[0], files[1], files[2], ("tool/report.rs", "pub fn read(_: crate::Built) {}")];
        let found = found(&back);
        assert!(
            found.contains("crates/it/src/tool/report.rs -> crates/it/src/tool/build.rs: Built"),
            "{found}"
        );
        assert!(
            found.contains("crates/it/src/tool/build.rs -> crates/it/src/tool/report.rs: read"),
            "{found}"
        );
    }

    #[test]
    fn a_module_is_made_of_those_inside_of_it() {
        let parent = "mod child; use child::Child; pub struct Parent(Child);";
        let child = "use super::Parent; pub struct Child;";
        let files = [("lib.rs", "mod p; mod q;"), ("p/mod.rs", parent), ("p/child.rs", child)];
        assert_eq!(found(&files), "");
        let other = ("q.rs", "pub struct Other(super::p::Parent);");
        let parent = ("p/mod.rs", "pub struct Parent(crate::q::Other);");
        let found = found(&[files[0], parent, files[2], other]);
        assert!(found.contains("circle of 2 files"), "{found}");
    }

    #[test]
    fn tests_and_comments_tie_nothing() {
        let found = found(&[
            (
                "a.rs",
                "// use crate::b::B;\npub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
            ),
            ("b.rs", "pub struct B(crate::a::A);"),
        ]);
        assert_eq!(found, "");
    }
}
