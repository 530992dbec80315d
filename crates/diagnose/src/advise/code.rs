//! The code of advice, in a file for each language.
//!
//! Each sheet begins with a line such as `//: posix/monotonic for interval, micro`: the ids of the
//! clocks that it reads, as the report has them (for a language runtime, as its probe has them),
//! and the purposes. `on` names systems and `in` languages if it is not for all, or not for the one
//! of its file. Its figures are those of that clock, or none.

use crate::system::System;
use chronoscope_model::snippet;

const FILES: [(&str, &str); 8] = [
    ("C", include_str!("../../code/c.c")),
    ("C++", include_str!("../../code/cxx.cpp")),
    ("Rust", include_str!("../../code/rust.txt")),
    ("C#", include_str!("../../code/csharp.cs")),
    ("Java", include_str!("../../code/java.java")),
    ("Go", include_str!("../../code/go.go")),
    ("Python", include_str!("../../code/python.py")),
    ("JavaScript", include_str!("../../code/javascript.js")),
];

/// The code that reads some clocks in a language.
pub(crate) struct Sheet {
    pub(crate) ids: Vec<&'static str>,
    pub(crate) code: String,
}

/// The sheets of a language for a purpose on a system, the most usual first.
pub(crate) fn sheets(language: &str, purpose: &str, system: System) -> Vec<Sheet> {
    let system = format!("{system:?}");
    let entries = FILES.iter().flat_map(|(own, file)| {
        let mark = if *own == "Python" { "#: " } else { "//: " };
        file.split(mark).skip(1).map(move |entry| (*own, entry))
    });
    let fitting = entries.filter_map(|(own, entry)| {
        let (head, code) = entry.split_once('\n')?;
        let (head, languages) = head.split_once(" in ").unwrap_or((head, own));
        let (head, systems) = head.split_once(" on ").unwrap_or((head, &system));
        let (ids, purposes) = head.split_once(" for ")?;
        let has = |list: &str, one: &str| list.split(", ").any(|word| word == one);
        let fits = has(languages, language) && has(systems, &system) && has(purposes, purpose);
        fits.then(|| Sheet {
            ids: ids.split(", ").collect(),
            code: snippet::complete(language, code.trim_end()),
        })
    });
    fitting.collect()
}
