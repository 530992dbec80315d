//! Whether everything that the library offers has an example in its documentation, which the tests
//! of the documentation compile and run.

use super::{hidden, is_public, keep, modules, of_known};
use anyhow::Result;
use std::collections::BTreeSet;
use syn::{Attribute, Expr, ExprLit, ImplItem, Item, Lit, Meta, TraitItem};

/// What stands behind the fence of a block that is compiled and run.
const RUN: [&str; 3] = ["", "rust", "should_panic"];

/// The names of what has none.
fn without() -> Result<Vec<String>> {
    let modules = modules()?;
    let exported: BTreeSet<_> = modules.iter().flat_map(|module| module.exports()).collect();
    let mut known = BTreeSet::new();
    let mut offered = Vec::new();
    for module in &modules {
        for item in &module.items {
            if keep(&mut item.clone(), module.public, &exported, &mut known) {
                offered.push((&module.path, item));
            }
        }
    }
    let mut names = Vec::new();
    for (path, item) in offered {
        let of_known = of_known(item.clone(), &known).is_some();
        let lacking = parts(item)
            .into_iter()
            .filter(|(_, docs)| !has_example(docs));
        names.extend(
            lacking
                .filter(|_| of_known)
                .map(|(name, _)| format!("{path}: {name}")),
        );
    }
    Ok(names)
}

/// An item and what it consists of, as far as each is to have an example of its own.
fn parts(item: &Item) -> Vec<(String, &[Attribute])> {
    let own = |name: &syn::Ident, docs| (name.to_string(), docs);
    match item {
        Item::Struct(it) => vec![own(&it.ident, &it.attrs[..])],
        Item::Enum(it) => vec![own(&it.ident, &it.attrs)],
        Item::Fn(it) => vec![own(&it.sig.ident, &it.attrs)],
        Item::Const(it) => vec![own(&it.ident, &it.attrs)],
        Item::Static(it) => vec![own(&it.ident, &it.attrs)],
        Item::Type(it) => vec![own(&it.ident, &it.attrs)],
        Item::Trait(it) => {
            let methods = it.items.iter().filter_map(|item| match item {
                TraitItem::Fn(of) => {
                    Some((format!("{}::{}", it.ident, of.sig.ident), &of.attrs[..]))
                }
                _ => None,
            });
            [own(&it.ident, &it.attrs)]
                .into_iter()
                .chain(methods)
                .collect()
        }
        Item::Impl(it) if it.trait_.is_none() => {
            let syn::Type::Path(of) = &*it.self_ty else {
                return Vec::new();
            };
            let Some(of) = of.path.segments.last().map(|last| &last.ident) else {
                return Vec::new();
            };
            let members = it.items.iter().filter_map(|item| match item {
                ImplItem::Fn(it) => Some((&it.sig.ident, &it.vis, &it.attrs)),
                ImplItem::Const(it) => Some((&it.ident, &it.vis, &it.attrs)),
                _ => None,
            });
            members
                .filter(|(_, visibility, attributes)| is_public(visibility) && !hidden(attributes))
                .map(|(name, _, attributes)| (format!("{of}::{name}"), &attributes[..]))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether one of the blocks of code among the lines is run.
fn has_example(attributes: &[Attribute]) -> bool {
    let mut inside = false;
    attributes.iter().filter_map(line).any(|line| {
        let Some(kind) = line.trim().strip_prefix("```") else {
            return false;
        };
        inside = !inside;
        inside && RUN.contains(&kind)
    })
}

/// A line of documentation.
fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) if pair.path.is_ident("doc") => Some(text.value()),
        _ => None,
    }
}

#[test]
fn everything_offered_has_an_example() {
    let without = without().unwrap();
    assert!(without.is_empty(), "no example:\n{}", without.join("\n"));
}

#[test]
fn an_example_is_a_block_that_is_run() {
    let documented = |text: &str| {
        let item: Item = syn::parse_str(&format!("{text}\npub fn it() {{}}")).unwrap();
        has_example(parts(&item)[0].1)
    };
    assert!(documented("/// It.\n///\n/// ```\n/// it();\n/// ```"));
    assert!(documented(
        "/// ```text\n/// it\n/// ```\n/// ```rust\n/// it();\n/// ```"
    ));
    assert!(!documented("/// It."));
    assert!(!documented("/// ```text\n/// it\n/// ```"));
    assert!(!documented("/// ```ignore\n/// it();\n/// ```\n/// More."));
}
