//! The lists of clocks and of waits, which are made from tables. An entry is a row of a table, or a
//! constant of a file of its own that a table names; a list names every table. A test compares the
//! lists with the files that exist.

/// The number of entries in all tables.
pub(crate) const fn count<T>(tables: &[&[T]]) -> usize {
    let (mut sum, mut table) = (0, 0);
    while table < tables.len() {
        sum += tables[table].len();
        table += 1;
    }
    sum
}

/// The entries of all tables, in one array.
pub(crate) const fn all<T, const N: usize>(tables: &[&'static [T]]) -> [&'static T; N] {
    let mut all = [&tables[0][0]; N];
    let (mut at, mut table) = (0, 0);
    while table < tables.len() {
        let mut entry = 0;
        while entry < tables[table].len() {
            all[at] = &tables[table][entry];
            at += 1;
            entry += 1;
        }
        table += 1;
    }
    all
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// The Rust files in the families' folder and below, with their texts. Tests are left out.
    pub(crate) fn sources(folder: &str) -> Vec<(PathBuf, String)> {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for file in fs::read_dir(folder).expect("a folder of this crate") {
                let path = file.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_str().is_some_and(|name| !name.ends_with("tests.rs")) {
                    let text = fs::read_to_string(&path).expect("a source");
                    found.push((path, text));
                }
            }
        }
        found
    }

    /// The names of the tables in a source: `CLOCKS: posix in …`, `const CLOCKS: &[Entry] = …`.
    fn tables(source: &str) -> impl Iterator<Item = &str> {
        let code = source.lines().filter(|line| !line.starts_with("//"));
        code.filter_map(|line| {
            let (name, rest) = line.trim_start().split_once(": ")?;
            let listed = rest.contains(" in native_c") || rest.starts_with("&[Entry]");
            listed.then(|| name.rsplit(' ').next()).flatten()
        })
    }

    /// Panics with the names of files whose entry or table is missing from a list, if there are
    /// any. A name in a list without a file does not compile.
    pub(crate) fn check(folder: &str) {
        let sources = sources(folder);
        let read = |path: &Path| sources.iter().find(|(other, _)| other == path);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let (_, families) = read(&root.join("mod.rs")).expect("the list of the families");
        let mut named = 0;
        for (path, text) in &sources {
            let place = path.parent().expect("a folder");
            let at = if path.ends_with("mod.rs") { place } else { path };
            let name = at.file_stem().expect("a name").to_string_lossy();
            let mut check = |list: &str, constant: &str, whose: &Path| {
                let entry = format!("{name}::{constant}");
                assert!(list.contains(&entry), "{} does not list {entry}", whose.display());
                named += 1;
            };
            if text.contains("const ENTRY: Entry") {
                let list = place.join("mod.rs");
                check(read(&list).map_or("", |(_, text)| text), "ENTRY", &list);
            }
            for table in tables(text).filter(|_| at != root && *place != root.join("mod.rs")) {
                check(families, table, &root.join("mod.rs"));
            }
        }
        assert!(named > 10, "only {named} entries and tables were found in {folder}");
    }
}
