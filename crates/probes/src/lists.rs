//! The lists of clocks and of waits: a folder for each family, a file for each entry, and a line in
//! a list for each of them. A test compares the lists with the files that exist.

/// The entries of one family, in the order in which lists show them. Declares their modules,
/// `ENTRIES`, and for the tests `FILES`.
macro_rules! entries {
    ($entry:ty; $($file:ident),* $(,)?) => {
        $(mod $file;)*

        pub(super) const ENTRIES: &[&$entry] = &[$(&$file::ENTRY),*];

        #[cfg(test)]
        pub(super) const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

/// The families, in the order in which lists show them. Declares their modules, `ALL`, and for the
/// tests `FILES`.
macro_rules! families {
    ($what:literal, $entry:ty; $($family:ident),* $(,)?) => {
        $(mod $family;)*

        #[doc = $what]
        pub const ALL: &[&$entry] =
            &$crate::lists::all::<{ 0 $(+ $family::ENTRIES.len())* }, $entry>(
                &[$($family::ENTRIES),*],
            );

        /// The files in the list of each family.
        #[cfg(test)]
        const FILES: &[(&str, &[&str])] = &[$((stringify!($family), $family::FILES)),*];
    };
}

/// The entries of all families, in one array.
pub(crate) const fn all<const N: usize, T>(families: &[&[&'static T]]) -> [&'static T; N] {
    let mut all = [families[0][0]; N];
    let (mut at, mut family) = (0, 0);
    while family < families.len() {
        let mut entry = 0;
        while entry < families[family].len() {
            all[at] = families[family][entry];
            at += 1;
            entry += 1;
        }
        family += 1;
    }
    all
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The names, without `.rs`, of the files in a folder of this crate that contain an entry.
    fn entries(folder: &Path) -> BTreeSet<String> {
        let files = fs::read_dir(folder).expect("a folder of this crate");
        files
            .map(|file| file.expect("a file").path())
            .filter(|path| {
                fs::read_to_string(path).is_ok_and(|text| text.contains("const ENTRY: Entry"))
            })
            .map(|path| {
                let stem = path.file_stem().expect("a name");
                stem.to_string_lossy().into_owned()
            })
            .collect()
    }

    /// Panics with the names of entry files that are missing from a list, if there are any. A name
    /// in a list without a file does not compile.
    pub(crate) fn check(folder: &str, listed: &[&str]) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let listed: BTreeSet<String> = listed.iter().map(ToString::to_string).collect();
        let missing: Vec<String> = entries(&folder).difference(&listed).cloned().collect();
        assert!(
            missing.is_empty(),
            "{}/mod.rs does not list {}",
            folder.display(),
            missing.join(", ")
        );
        assert!(!listed.is_empty(), "the list for {} is empty", folder.display());
    }

    /// Panics with the name of a family folder that is missing from a list, except for the `other`
    /// one.
    pub(crate) fn check_families<'a>(
        folder: &str,
        listed: impl Iterator<Item = &'a str>,
        other: &'a str,
    ) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let listed: BTreeSet<&str> = listed.chain([other]).collect();
        for family in fs::read_dir(&folder).expect("a folder of this crate") {
            let path = family.expect("a folder").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            assert!(
                !path.is_dir() || entries(&path).is_empty() || listed.contains(&*name),
                "{}/mod.rs does not list {name}",
                folder.display()
            );
        }
    }
}
