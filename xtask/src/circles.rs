//! Finds circles of imports: files or folders of which each takes names from the next, and the last
//! from the first. Such files can only be understood, tested and changed together.
//!
//! A name counts where it is defined: `use super::Clock` is an import from the file that defines
//! `Clock`, whichever `mod.rs` passes the name on. What a module takes from those inside of it is
//! no import, because it is made of them, and neither is what only tests use.

use anyhow::{Result, ensure};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};
use xtask::code::Source;

/// An arrow between folders that closes a circle, and cannot be removed yet.
struct Back {
    /// The crate, and the two modules; each may be a file or a folder.
    arrow: (&'static str, &'static str, &'static str),
    /// The most names that may be taken along it.
    names: usize,
}

const fn back(name: &'static str, from: &'static str, to: &'static str, names: usize) -> Back {
    Back { arrow: (name, from, to), names }
}

/// All of them. Without these, no folder imports another in a circle.
const BACK: [Back; 5] = [
    back("chronoscope", "sys", "machine", 3),
    back("cli", "commands", "cli", 2),
    back("measure", "run", "waits", 1),
    back("report", "format", "page", 2),
    back("report", "section", "page", 1),
];

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

/// Fails if any of these files import each other, or folders do along arrows that `BACK` lacks.
pub fn check(sources: &[Source]) -> Result<()> {
    among(sources, &BACK)
}

fn among(sources: &[Source], known: &[Back]) -> Result<()> {
    let mut crates: BTreeMap<&str, Crate> = BTreeMap::new();
    for source in sources {
        let Some((_, inside)) = source.path.split_once("/src/") else { continue };
        let module = module_of(inside);
        let mut file = File { path: source.path.clone(), ..File::default() };
        file.read(source.code.clone(), &module);
        crates.entry(source.crate_name()).or_default().0.insert(module, file);
    }
    let mut found = Vec::new();
    let mut unused: Vec<&Back> = known.iter().collect();
    for (name, modules) in &crates {
        let of_files = modules.edges();
        let files = circles(&of_files, "files");
        if !files.is_empty() {
            found.extend(files);
            continue;
        }
        let mut of_folders = modules.folders(&of_files);
        let all = circles(&of_folders, "folders").concat();
        unused.retain(|back| {
            let (of, from, to) = back.arrow;
            let Some(names) = of_folders.get_mut(from).filter(|_| of == *name) else { return true };
            match names.remove(to) {
                Some(names) if names.len() > back.names => {
                    let more = format!("\n{of}: {} names lead from {from} to {to}: ", names.len());
                    found.push(more + &names.into_iter().collect::<Vec<_>>().join(", "));
                    false
                }
                Some(names) => {
                    names.len() < back.names || !all.contains(&format!("\n  {from} -> {to}: "))
                }
                None => true,
            }
        });
        let left = circles(&of_folders, "folders");
        found.extend(left.into_iter().map(|circle| format!("\n{name}: {}", circle.trim())));
    }
    // The list shrinks with what it lists.
    let fewer = |back: &&Back| {
        let ((of, from, to), names) = (back.arrow, back.names);
        format!("\n{of}: from {from} to {to}, {names} names are no longer needed in `BACK`")
    };
    found.extend(unused.iter().map(fewer));
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
    fn edges(&self) -> Edges {
        self.0.iter().map(|(module, file)| (file.path.clone(), self.taken(module, file))).collect()
    }

    /// The names that each file or folder takes from others of the folder that contains both.
    fn folders(&self, of_files: &Edges) -> Edges {
        let modules: BTreeMap<&str, &Module> =
            self.0.iter().map(|(module, file)| (&*file.path, module)).collect();
        let mut edges = Edges::new();
        for (from, to, names) in of_files
            .iter()
            .flat_map(|(from, all)| all.iter().map(move |(to, names)| (from, to, names)))
        {
            let (from, to) = (modules[&**from], modules[&**to]);
            let same = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            // A folder is made of what is inside of it.
            if same < from.len() && same < to.len() {
                let part = |module: &[String]| module[..=same].join("::");
                let arrows = edges.entry(part(from)).or_default();
                arrows.entry(part(to)).or_default().extend(names.iter().cloned());
            }
        }
        edges
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
fn circles(edges: &Edges, what: &str) -> Vec<String> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        edges.keys().map(|file| (file, reached(edges, file))).collect();
    let mut found = BTreeSet::new();
    for (file, to) in &reached {
        let back = |other: &&&String| reached.get(**other).is_some_and(|to| to.contains(file));
        let circle: BTreeSet<&String> = to.iter().filter(back).copied().collect();
        found.extend((!circle.is_empty()).then_some(circle));
    }
    let lines = |files: &BTreeSet<&String>| {
        let mut text = format!("\ncircle of {} {what}:", files.len());
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

    fn found_but(files: &[(&str, &str)], known: &[Back]) -> String {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| {
                Source::new(&format!("crates/it/src/{path}"), (*text).into()).unwrap()
            })
            .collect();
        among(&files, known).err().map(|error| error.to_string()).unwrap_or_default()
    }

    fn found(files: &[(&str, &str)]) -> String {
        found_but(files, &[])
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

    /// The files are in no circle, because neither `a/one.rs` nor `b/one.rs` imports anything.
    const FOLDERS: [(&str, &str); 6] = [
        ("a/mod.rs", "mod one; mod two; pub use one::One;"),
        ("a/one.rs", "pub struct One;"),
        ("a/two.rs", "pub struct Two(crate::b::Other);"),
        ("b/mod.rs", "mod one; mod two; pub use one::Other;"),
        ("b/one.rs", "pub struct Other;"),
        ("b/two.rs", "use crate::a::One; pub struct Four(One);"),
    ];

    #[test]
    fn folders_that_import_each_other_are_a_circle_without_one_of_files() {
        let found = found(&FOLDERS);
        assert!(found.contains("circle of 2 folders:"), "{found}");
        assert!(found.contains("\n  a -> b: Other\n  b -> a: One"), "{found}");
    }

    #[test]
    fn the_list_of_arrows_allows_neither_more_nor_less_than_there_is() {
        assert_eq!(found_but(&FOLDERS, &[back("it", "b", "a", 1)]), "");
        let found = found_but(&FOLDERS, &[back("it", "b", "a", 2)]);
        assert!(found.contains("no longer needed"), "{found}");
        let found = found_but(&FOLDERS, &[back("it", "b", "a", 1), back("it", "a", "b", 1)]);
        assert_eq!(found, "");
        let one_way = &FOLDERS[..5];
        let found = found_but(one_way, &[back("it", "a", "b", 1)]);
        assert!(found.contains("no longer needed"), "{found}");
        let mut more = FOLDERS;
        more[5].1 = "use crate::a::{One, two::Two}; pub struct Four(One, Two);";
        let found = found_but(&more, &[back("it", "b", "a", 1)]);
        assert!(found.contains("2 names lead from b to a: One, Two"), "{found}");
    }
}
