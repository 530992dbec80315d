//! What the names on screens mean: columns, rows, and the names of facts. Each has a page, which
//! stands in the file of the section that shows it.

use chronoscope_model::units;

/// The page of one thing that screens show, under one name or several.
#[derive(Debug)]
pub struct Term {
    /// Its names as screens print them; lists use the first. `*` at the end stands for any ending,
    /// and `DURATION` for any duration.
    pub names: &'static [&'static str],
    /// What kind of thing it is, and where it is shown.
    pub place: &'static str,
    /// Its unit; empty if it has none.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
    /// How it is obtained.
    pub how: &'static str,
    /// What to do about it.
    pub act: &'static str,
    /// Where to read more: the project's own documents, manuals, papers, kernel files.
    pub references: &'static [&'static str],
}

/// Any duration as the heading of a column: `1 ms`.
pub(crate) const DURATION: &str = "<a duration>";

/// The project's own documents that most pages refer to.
pub(crate) const METHOD: &str = "docs/METHOD.md";
pub(crate) const STATISTICS: &str = "docs/method-statistics.md";
pub(crate) const WAITS: &str = "docs/waits.md";

impl Term {
    /// The name that lists show it by.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    /// Its names that stand for themselves alone.
    pub fn whole_names(&self) -> impl Iterator<Item = &'static str> {
        let names = self.names.iter().copied();
        names.filter(|name| !name.ends_with('*') && *name != DURATION)
    }

    /// All its names, as a list shows them.
    pub fn all_names(&self) -> String {
        shown(self.names)
    }

    /// All its names but the first; empty if it has no other.
    pub fn other_names(&self) -> String {
        shown(self.names.get(1..).unwrap_or_default())
    }

    /// Whether a screen may print this name for it.
    pub fn has(&self, name: &str) -> bool {
        let name = plain(name);
        self.is_called(&name) || self.may_be_called(&name)
    }

    /// Whether one of its names is this one; see [`plain`].
    pub(crate) fn is_called(&self, plain_name: &str) -> bool {
        self.names.iter().any(|name| plain(name) == plain_name)
    }

    /// Whether one of its patterns matches this name; see [`plain`].
    pub(crate) fn may_be_called(&self, plain_name: &str) -> bool {
        self.names.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => plain_name.starts_with(start.to_lowercase().as_str()),
            None => *name == DURATION && units::parse_duration(plain_name).is_ok(),
        })
    }
}

fn shown(names: &[&str]) -> String {
    names.join(", ").replace('*', " …")
}

/// A name as it is compared: in one line, without the unit below it, and in lower case.
pub(crate) fn plain(name: &str) -> String {
    let mut lines: Vec<&str> = name.lines().map(str::trim).collect();
    if let [_, .., "ns" | "ms"] = lines[..] {
        lines.pop();
    }
    let mut out = String::new();
    for line in lines.into_iter().filter(|line| !line.is_empty()) {
        match out.strip_suffix('-') {
            // A word that a narrow heading breaks.
            Some(start) => out = start.to_owned(),
            None if out.is_empty() => {}
            None => out.push(' '),
        }
        out.push_str(line);
    }
    out.replace("+/-", "±").replace("+-", "±").to_lowercase()
}
