//! The formats: one file each, one line each in the list below. A format writes what the sections
//! give it, and knows none of them.

use chronoscope_model::Report;
use std::io;

/// A format that a report can be written in.
pub struct Format {
    /// The format's name, as `--export` takes it.
    pub id: &'static str,
    /// The usual extension of a file's name, without the dot.
    pub extension: &'static str,
    pub about: &'static str,
    /// Whether the format holds the distributions of a report and nothing else.
    pub distributions_only: bool,
    pub write: fn(&Report, &mut dyn io::Write) -> io::Result<()>,
}

macro_rules! formats {
    ($($file:ident),* $(,)?) => {
        $(pub mod $file;)*

        pub const ALL: &[&Format] = &[$(&$file::FORMAT),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

formats! {
    json,
    ndjson,
    csv,
    markdown,
    html,
    hdr,
    prometheus,
    cyclictest,
    cyclictest_json,
}

pub fn find(id: &str) -> Option<&'static Format> {
    ALL.iter().find(|format| format.id.eq_ignore_ascii_case(id)).copied()
}

/// The formats that a file's name tells apart: `.txt` may be anything.
pub fn by_extension() -> impl Iterator<Item = &'static Format> {
    let first = |format: &&Format| {
        let same = ALL.iter().find(|other| other.extension == format.extension);
        same.is_some_and(|same| same.id == format.id) && format.extension != "txt"
    };
    ALL.iter().copied().filter(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_in_the_list_and_named_after_its_format() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/format");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder of this very file")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| name != "mod")
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|&f| f.to_owned()).collect();
        let missing: Vec<&String> = files.difference(&listed).collect();
        assert!(missing.is_empty(), "src/format/mod.rs does not list {missing:?}");
        let ids: BTreeSet<String> = ALL.iter().map(|f| f.id.replace('-', "_")).collect();
        assert_eq!(ids, listed);
        assert!(find("JSON").is_some() && find("yaml").is_none());
        let extensions: Vec<&str> = by_extension().map(|format| format.extension).collect();
        assert_eq!(extensions, ["json", "ndjson", "csv", "md", "html", "hlog", "prom"]);
    }
}
