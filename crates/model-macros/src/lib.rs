//! `#[record]`, with which `chronoscope-model` states its types, and `packed!`, with which the tool
//! holds its texts.
//!
//! They read tokens without a parser of Rust, so that the crate needs no other one.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proc_macro::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use std::io::Write;

/// The bytes of a file, compressed: `chronoscope_model::packed` has what unpacks them. The path is
/// relative to the source file, and may be in several pieces.
#[proc_macro]
pub fn packed(path: TokenStream) -> TokenStream {
    let path: String = path.to_string().split('"').skip(1).step_by(2).collect();
    let source = Span::call_site().local_file().expect("a source file");
    let file = source.with_file_name(&path);
    let bytes = std::fs::read(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&bytes).expect("memory");
    let literal = Literal::byte_string(&packed.finish().expect("memory"));
    let path = Literal::string(&path);
    // The compiler has to know which file it depends on.
    parsed(&format!(
        "{{
            const _: &[u8] = include_bytes!({path});
            const PACKED: &[u8] = {literal};
            PACKED
        }}"
    ))
}

/// Marks a type of a report, of a recording or of a comparison.
///
/// A struct derives `Clone`, `Debug`, `Default`, `PartialEq`, serde's two traits and, with the
/// feature `schema`, `JsonSchema`. A field is absent from JSON if it is an `Option` without a
/// value, an empty `Vec` or a `bool` that is false. Marks before a field change that: with
/// `#[always]` it is always there, with `#[absent]` a `String` or another value is absent, too, if
/// it is that of its type's `Default`. A field that is flattened stays as it is.
///
/// An enum derives `Copy` and `Eq` too, and `Default` if a variant is the default; its variants are
/// in kebab case, or as they are written with `Verbatim`.
///
/// Such an enum of names has a list of them, `ALL`, and a `name()`, as JSON has it, with `Names`.
///
/// What else stands in the parentheses is derived as well, or, after a `!`, not derived. `Args`
/// stands for clap's, with the feature `clap`; `#[arg(…)]` and `#[command(…)]` are for that
/// feature, too.
#[proc_macro_attribute]
pub fn record(further: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let is_enum = tokens.iter().any(|token| is(token, "enum"));
    let mut derives =
        vec!["Clone", "Debug", "PartialEq", "::serde::Serialize", "::serde::Deserialize"];
    let mut attributes =
        String::from("#[cfg_attr(feature = \"schema\", derive(::schemars::JsonSchema))]");
    let body = tokens.last().map(ToString::to_string).unwrap_or_default();
    if is_enum {
        derives.extend(["Copy", "Eq"]);
    }
    if !is_enum || body.contains("#[default]") {
        derives.push("Default");
    }
    let (mut names, mut kebab) = (false, is_enum);
    let further = further.to_string();
    for word in further.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        match word.strip_prefix('!').map(str::trim) {
            Some(without) => derives.retain(|name| *name != without),
            None if word == "Names" => names = is_enum,
            None if word == "Verbatim" => kebab = false,
            None if word == "Args" => {
                attributes.push_str("#[cfg_attr(feature = \"clap\", derive(::clap::Args))]");
            }
            None => derives.push(word),
        }
    }
    if kebab {
        attributes.push_str("#[serde(rename_all = \"kebab-case\")]");
    }
    let is_cloned = !is_enum && !derives.contains(&"Copy") && derives.contains(&"Clone");
    if is_cloned {
        derives.retain(|name| *name != "Clone");
    }
    let mut all = parsed(&format!("#[derive({})] {attributes}", derives.join(", ")));
    let Some(TokenTree::Group(body)) = tokens.pop() else { panic!("a type with named parts") };
    let head = TokenStream::from_iter(tokens);
    let own = head.to_string();
    let own = own.split_whitespace().next_back().unwrap_or_default();
    all.extend(head);
    if is_enum {
        all.extend([TokenTree::from(body.clone())]);
    } else {
        let (fields, names) = stated(body.stream());
        all.extend([TokenTree::from(Group::new(Delimiter::Brace, fields))]);
        if is_cloned {
            all.extend(cloned(own, &names));
        }
    }
    if names {
        all.extend(named(own, body.stream(), kebab));
    }
    all
}

/// What clones a struct, compiled only in its own crate: a derived `clone` is inlined, and each
/// crate that copies reports would hold it once more.
fn cloned(own: &str, fields: &[String]) -> TokenStream {
    let of = |name: &String| format!("{name}: ::std::clone::Clone::clone(&self.{name}),");
    let fields: String = fields.iter().map(of).collect();
    parsed(&format!(
        "impl ::std::clone::Clone for {own} {{
            fn clone(&self) -> Self {{ Self {{ {fields} }} }}
        }}"
    ))
}

/// The list of an enum's variants, and their names.
fn named(own: &str, variants: TokenStream, kebab: bool) -> TokenStream {
    let mut tokens = variants.into_iter();
    let (mut list, mut arms, mut count) = (String::new(), String::new(), 0);
    let mut renamed = None;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                let attribute = tokens.next().map_or(String::new(), |it| it.to_string());
                if attribute.contains("rename =") {
                    renamed = attribute.split('"').nth(1).map(str::to_owned);
                }
            }
            TokenTree::Ident(variant) => {
                let variant = variant.to_string();
                let in_case = if kebab { in_kebab_case(&variant) } else { variant.clone() };
                let name = renamed.take().unwrap_or(in_case);
                list.push_str(&format!("Self::{variant},"));
                arms.push_str(&format!("Self::{variant} => \"{name}\","));
                count += 1;
            }
            _ => {}
        }
    }
    parsed(&format!(
        "impl {own} {{
            /// All of them, in this order.
            pub const ALL: [Self; {count}] = [{list}];

            /// Its name, as JSON and screens have it.
            pub const fn name(self) -> &'static str {{
                match self {{ {arms} }}
            }}
        }}"
    ))
}

fn in_kebab_case(name: &str) -> String {
    name.chars().fold(String::new(), |mut kebab, letter| {
        if letter.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
        kebab
    })
}

/// The fields, each with what its type and its marks mean, and their names.
fn stated(fields: TokenStream) -> (TokenStream, Vec<String>) {
    let (mut all, mut names) = (TokenStream::new(), Vec::new());
    let mut tokens = fields.into_iter().peekable();
    while tokens.peek().is_some() {
        let (mut flattened, mut always, mut absent) = (false, false, false);
        while let Some(hash) = tokens.next_if(|token| is(token, "#")) {
            let Some(TokenTree::Group(attribute)) = tokens.next() else { break };
            let text = attribute.stream().to_string();
            match text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default() {
                "always" => always = true,
                "absent" => absent = true,
                "arg" | "command" | "schemars" => {
                    let feature = if text.starts_with("schemars") { "schema" } else { "clap" };
                    all.extend(parsed(&format!("#[cfg_attr(feature = \"{feature}\", {text})]")));
                }
                name => {
                    flattened |= name == "serde" && text.contains("flatten");
                    all.extend([hash, attribute.into()]);
                }
            }
        }
        // The name, and the type to the comma behind it.
        let until_colon = std::iter::from_fn(|| tokens.next_if(|token| !is(token, ":")));
        let name: Vec<TokenTree> = until_colon.collect();
        let mut kind = Vec::new();
        let mut depth = 0;
        for token in tokens.by_ref() {
            depth += i32::from(is(&token, "<")) - i32::from(is(&token, ">"));
            let ends = depth == 0 && is(&token, ",");
            kind.push(token);
            if ends {
                break;
            }
        }
        let empty = match kind.get(1).map(ToString::to_string).as_deref() {
            _ if flattened || always => None,
            Some("Option") => Some("Option::is_none"),
            Some("Vec") => Some("Vec::is_empty"),
            Some("bool") => Some("::std::ops::Not::not"),
            Some("String") if absent => Some("String::is_empty"),
            _ => absent.then_some("crate::is_default"),
        };
        if let Some(empty) = empty {
            all.extend(parsed(&format!("#[serde(default, skip_serializing_if = \"{empty}\")]")));
        }
        names.extend(name.last().map(ToString::to_string));
        all.extend(name);
        all.extend(kind);
    }
    (all, names)
}

fn is(token: &TokenTree, text: &str) -> bool {
    match token {
        TokenTree::Punct(punct) => text.len() == 1 && text.starts_with(punct.as_char()),
        TokenTree::Ident(ident) => ident.to_string() == text,
        _ => false,
    }
}

/// Tokens of a text that is written here, or was made of tokens.
fn parsed(text: &str) -> TokenStream {
    text.parse().expect("attributes")
}
