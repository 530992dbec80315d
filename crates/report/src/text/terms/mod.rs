//! What every name on a screen means: the heads of columns, and the names of rows and facts.
//!
//! A test holds every name that a screen prints against this list.

mod advice;
mod cost;
mod loops;
mod machine;
mod run;
mod values;
mod waits;

use super::explain::Page;
use chronoscope_model::units;

/// One thing that screens show, by one name or by several.
#[derive(Debug)]
pub struct Term {
    /// Its names, as screens print them; the first is the one that it is listed by. `*` at the end
    /// stands for any end, and `<a duration>` for any duration.
    pub names: &'static [&'static str],
    /// What it is, and where it is shown.
    pub place: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
    /// How it was obtained.
    pub how: &'static str,
    /// What to do about it.
    pub act: &'static str,
    /// Where to read more: the project's own documents, manuals, papers, kernel files.
    pub references: &'static [&'static str],
}

/// Any duration as the head of a column: `1 ms`.
const DURATION: &str = "<a duration>";

/// Where most of it is told.
const METHOD: &str = "docs/METHOD.md";
/// The same for waits.
const WAITS: &str = "docs/waits.md";

/// Every term, in the order of the screens.
pub fn all() -> impl Iterator<Item = &'static Term> {
    let parts = [
        run::TERMS,
        cost::TERMS,
        values::TERMS,
        loops::TERMS,
        waits::TERMS,
        machine::TERMS,
        advice::TERMS,
    ];
    parts.into_iter().flatten()
}

/// The terms of a name, as a user types it or as a screen prints it. One name can have several:
/// the median of clocks is not that of overhead.
pub fn find(name: &str) -> Vec<&'static Term> {
    let name = plain(name);
    let exact: Vec<&Term> = all().filter(|term| term.is_called(&name)).collect();
    match exact.is_empty() {
        false => exact,
        true => all().filter(|term| term.may_be_called(&name)).collect(),
    }
}

impl Term {
    /// The name that it is listed by.
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

    fn is_called(&self, plain_name: &str) -> bool {
        self.names.iter().any(|name| plain(name) == plain_name)
    }

    fn may_be_called(&self, plain_name: &str) -> bool {
        self.names.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => plain_name.starts_with(start.to_lowercase().as_str()),
            None => *name == DURATION && units::parse_duration(plain_name).is_ok(),
        })
    }

    /// Its page.
    pub fn page(&self) -> Page {
        let facts = [
            ("unit", self.unit),
            ("how", self.how),
            ("what to do", self.act),
        ];
        let held = facts.into_iter().filter(|(_, text)| !text.is_empty());
        let others = shown(&self.names[1..]);
        Page {
            id: self.name().into(),
            title: self.place.into(),
            call: String::new(),
            body: self.about.into(),
            facts: held
                .chain((!others.is_empty()).then_some(("also", others.as_str())))
                .map(|(name, text)| (name.into(), text.into()))
                .collect(),
            references: self.references.iter().map(ToString::to_string).collect(),
        }
    }
}

fn shown(names: &[&str]) -> String {
    names.join(", ").replace('*', " …")
}

/// A name as it is compared: a head in one line, without the unit below it, and in lower case.
fn plain(name: &str) -> String {
    let mut lines: Vec<&str> = name.lines().map(str::trim).collect();
    if let [_, .., "ns" | "ms"] = lines[..] {
        lines.pop();
    }
    let mut out = String::new();
    for line in lines.into_iter().filter(|line| !line.is_empty()) {
        match out.strip_suffix('-') {
            // A word that a narrow head breaks.
            Some(start) => out = start.to_owned(),
            None if out.is_empty() => {}
            None => out.push(' '),
        }
        out.push_str(line);
    }
    out.replace("+-", "±").to_lowercase()
}

#[cfg(test)]
pub(super) use tests::printed;

#[cfg(test)]
mod tests;
