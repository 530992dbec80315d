//! A page of prose: what `explain` shows of a name on a screen, a fault, a cause of late waits or a
//! purpose.

/// One page. A text that does not apply is empty.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Its names as screens print them; lists use the first. `*` at the end stands for any ending,
    /// and `<a duration>` for any duration.
    pub names: &'static [&'static str],
    /// Its heading: what a fault is, or where a name is shown.
    pub title: &'static str,
    /// The unit of a figure.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
    /// How it is obtained, or what a fault is found by.
    pub how: &'static str,
    /// What to do about it.
    pub act: &'static str,
    /// Where to read more: the project's own documents, manuals, papers, kernel files.
    pub references: &'static [&'static str],
}

impl Page {
    /// A page without a text, for `..Page::EMPTY`.
    pub const EMPTY: Self =
        Self { names: &[], title: "", unit: "", about: "", how: "", act: "", references: &[] };

    /// The name that lists show it by.
    pub const fn name(&self) -> &'static str {
        match self.names {
            [first, ..] => first,
            [] => "",
        }
    }
}
