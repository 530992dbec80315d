//! The list of what the library offers to others, made from its source and checked in: a change that
//! breaks them cannot be made without a line of that list changing in the same commit.
//!
//! It is a list and no judge. Tools that judge need a nightly compiler (`rustdoc --output-format
//! json`) or an earlier release to compare with; where those are, CONTRIBUTING says what to run.

#[cfg(test)]
mod examples;

use crate::sh;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, File, ImplItem, Item, ItemImpl, UseTree, Visibility};

/// Where the list lies, from the root.
pub const PATH: &str = "crates/chronoscope/api.txt";

/// What a user can tell apart; all other attributes are our own affair.
const TELLING: [&str; 5] = ["cfg", "derive", "must_use", "non_exhaustive", "repr"];

/// The list as the source would make it.
pub fn list() -> Result<String> {
    let mut modules = modules()?;
    let exported: BTreeSet<_> = modules.iter().flat_map(Module::exports).collect();
    let mut known = BTreeSet::new();
    for module in &mut modules {
        module
            .items
            .retain_mut(|item| keep(item, module.public, &exported, &mut known));
    }
    let mut text = String::from(
        "What the library offers, by `cargo xtask generate`. A line that changes here or goes is \
         a change that\nmay break those who depend on it: see CONTRIBUTING.\n",
    );
    for module in modules {
        let items: Vec<_> = module
            .items
            .into_iter()
            .filter_map(|item| of_known(item, &known))
            .collect();
        if items.is_empty() {
            continue;
        }
        let file = File {
            shebang: None,
            attrs: Vec::new(),
            items,
        };
        text += &format!("\n# {}\n\n{}", module.path, prettyplease::unparse(&file));
    }
    Ok(text)
}

/// All files of the source.
fn modules() -> Result<Vec<Module>> {
    let source = sh::root().join("crates/chronoscope/src");
    let mut modules = Vec::new();
    let root = source.join("lib.rs");
    read(&root, &source, "chronoscope", true, &mut modules)?;
    Ok(modules)
}

/// A file of the source.
struct Module {
    path: String,
    /// Whether its own path can be named from outside; else only what is exported from it counts.
    public: bool,
    items: Vec<Item>,
}

impl Module {
    /// The names that `pub use` carries out of other modules.
    fn exports(&self) -> Vec<String> {
        let mut names = Vec::new();
        for item in &self.items {
            if let Item::Use(item) = item
                && is_public(&item.vis)
            {
                leaves(&item.tree, &mut names);
            }
        }
        names
    }
}

fn leaves(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, names),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, names)),
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Rename(rename) => names.push(rename.ident.to_string()),
        UseTree::Glob(_) => {}
    }
}

/// Reads a file and those of its modules.
fn read(
    file: &Path,
    folder: &Path,
    path: &str,
    public: bool,
    modules: &mut Vec<Module>,
) -> Result<()> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let parsed = syn::parse_file(&text).with_context(|| format!("{}", file.display()))?;
    let mut inner = Vec::new();
    for item in &parsed.items {
        if let Item::Mod(module) = item
            && module.content.is_none()
            // What the platforms need is chosen by attributes there, and none of it is exported.
            && module.ident != "sys"
        {
            let name = module.ident.to_string();
            inner.push((name, public && is_public(&module.vis)));
        }
    }
    modules.push(Module {
        path: path.to_owned(),
        public,
        items: parsed.items,
    });
    for (name, public) in inner {
        let below = folder.join(&name);
        let file: PathBuf = match below.join("mod.rs") {
            file if file.exists() => file,
            _ => folder.join(format!("{name}.rs")),
        };
        read(&file, &below, &format!("{path}::{name}"), public, modules)?;
    }
    Ok(())
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("doc")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|word| word == "hidden")
    })
}

fn trim(attributes: &mut Vec<Attribute>) {
    attributes.retain(|a| TELLING.iter().any(|name| a.path().is_ident(name)));
}

/// Whether an item is offered, cut down to what a user sees of it. Types enter `known`; whether an
/// `impl` is one of theirs turns out when all are.
fn keep(
    item: &mut Item,
    public: bool,
    exported: &BTreeSet<String>,
    known: &mut BTreeSet<String>,
) -> bool {
    let (attributes, visibility, name) = match item {
        Item::Struct(it) => {
            fields(&mut it.fields);
            (&mut it.attrs, &it.vis, &it.ident)
        }
        Item::Enum(it) => {
            for variant in &mut it.variants {
                trim(&mut variant.attrs);
                variant.fields.iter_mut().for_each(|f| trim(&mut f.attrs));
            }
            (&mut it.attrs, &it.vis, &it.ident)
        }
        Item::Trait(it) => {
            for item in &mut it.items {
                match item {
                    syn::TraitItem::Fn(function) => {
                        trim(&mut function.attrs);
                        // That there is a default can be relied upon, what it does cannot.
                        if let Some(body) = &mut function.default {
                            body.stmts.clear();
                        }
                    }
                    syn::TraitItem::Type(of) => trim(&mut of.attrs),
                    syn::TraitItem::Const(of) => trim(&mut of.attrs),
                    _ => {}
                }
            }
            (&mut it.attrs, &it.vis, &it.ident)
        }
        Item::Fn(it) => {
            it.block.stmts.clear();
            (&mut it.attrs, &it.vis, &it.sig.ident)
        }
        Item::Const(it) => (&mut it.attrs, &it.vis, &it.ident),
        Item::Static(it) => (&mut it.attrs, &it.vis, &it.ident),
        Item::Type(it) => (&mut it.attrs, &it.vis, &it.ident),
        Item::Mod(it) if it.content.is_none() => (&mut it.attrs, &it.vis, &it.ident),
        Item::Use(it) => {
            trim(&mut it.attrs);
            return public && is_public(&it.vis);
        }
        Item::Impl(it) => {
            trim(&mut it.attrs);
            members(it);
            return it.trait_.is_some() || !it.items.is_empty();
        }
        _ => return false,
    };
    let name = name.to_string();
    let offered =
        is_public(visibility) && !hidden(attributes) && (public || exported.contains(&name));
    trim(attributes);
    if offered {
        known.insert(name);
    }
    offered
}

fn fields(fields: &mut Fields) {
    let public = |list: &mut Punctuated<syn::Field, _>| {
        let all = std::mem::take(list);
        list.extend(all.into_iter().filter(|field| is_public(&field.vis)));
        list.iter_mut().for_each(|field| trim(&mut field.attrs));
    };
    match fields {
        Fields::Named(named) => public(&mut named.named),
        Fields::Unnamed(unnamed) => public(&mut unnamed.unnamed),
        Fields::Unit => {}
    }
}

/// Leaves of an `impl` its public functions without their bodies, and of a trait's its types.
fn members(it: &mut ItemImpl) {
    let of_a_trait = it.trait_.is_some();
    it.items.retain_mut(|item| match item {
        ImplItem::Fn(function) => {
            let offered = is_public(&function.vis) && !hidden(&function.attrs);
            trim(&mut function.attrs);
            function.block.stmts.clear();
            offered
        }
        ImplItem::Const(constant) => {
            let offered = is_public(&constant.vis) && !hidden(&constant.attrs);
            trim(&mut constant.attrs);
            offered
        }
        ImplItem::Type(of) => {
            trim(&mut of.attrs);
            of_a_trait
        }
        _ => false,
    });
}

/// Leaves out what is done for types that nobody outside knows.
fn of_known(item: Item, known: &BTreeSet<String>) -> Option<Item> {
    let Item::Impl(it) = &item else {
        return Some(item);
    };
    let syn::Type::Path(of) = &*it.self_ty else {
        return None;
    };
    let name = of.path.segments.last()?.ident.to_string();
    known.contains(&name).then_some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_listed_and_nothing_else() {
        let list = list().unwrap();
        for offered in [
            "pub struct Instant();",
            "pub fn now() -> Self {}",
            "pub fn sleep(time: Duration) -> Waited {}",
            "impl Sub for Instant {\n    type Output = Duration;\n}",
            "pub const SHIFT: u32 = 54;",
        ] {
            assert!(list.contains(offered), "{offered} is not in\n{list}");
        }
        for own in ["SeqLock", "mode_byte", "Estimator", "mod sys"] {
            assert!(!list.contains(own), "{own} is in\n{list}");
        }
    }
}
