//! The lists of clocks and of waits, which are made from tables: an entry is a row of the table of
//! its family, and a list names every table. A test compares the lists with the tables that exist.

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
            let listed = listed && !name.ends_with("$table");
            listed.then(|| name.rsplit(' ').next()).flatten()
        })
    }

    /// Panics with the name of a table that is missing from the list of the families, if there is
    /// one. A name in the list without a table does not compile.
    pub(crate) fn check(folder: &str) {
        let sources = sources(folder);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("mod.rs");
        let (_, families) = sources.iter().find(|(path, _)| *path == root).expect("the list");
        let mut named = 0;
        for (path, text) in sources.iter().filter(|(path, _)| *path != root) {
            let at = if path.ends_with("mod.rs") { path.parent().expect("a folder") } else { path };
            let name = at.file_stem().expect("a name").to_string_lossy();
            for table in tables(text) {
                let table = format!("{name}::{table}");
                assert!(families.contains(&table), "{} does not list {table}", root.display());
                named += 1;
            }
        }
        assert!(named > 5, "only {named} tables were found in {folder}");
    }
}
