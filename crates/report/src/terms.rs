//! What the names on screens mean: columns, rows and facts. Each name has a page in the Markdown
//! file next to the section that shows it, and is found there by that name.

use crate::section;
use chronoscope_model::packed::packed;
pub use chronoscope_model::page::pages;
use chronoscope_model::{Page, units};
use std::collections::HashMap;
use std::ptr;
use std::sync::LazyLock;

/// Any duration in the heading of a column: `1 ms`, `at 1 ms`.
const DURATION: &str = "<a duration>";

/// The pages of screens that are not sections.
const OTHERS: &[u8] = packed!("text/terms.md");

/// The pages of what no screen shows by that name: timers, interfaces, terms, and demonstrations.
const TOPICS: [&[u8]; 4] = [
    packed!("topics.md"),
    packed!("words.md"),
    packed!("demos.md"),
    packed!("page/browser/browser.md"),
];

static ALL: LazyLock<Vec<Page>> = LazyLock::new(|| files().flat_map(pages).collect());

static TOPIC_PAGES: LazyLock<Vec<Page>> =
    LazyLock::new(|| TOPICS.into_iter().flat_map(pages).collect());

/// The pages with each name, in the form in which names are equal. Topics are first. A page that is
/// drawn looks up hundreds of names.
static CALLED: LazyLock<HashMap<String, Vec<&Page>>> = LazyLock::new(|| {
    let mut called: HashMap<String, Vec<&Page>> = HashMap::new();
    for page in topics().chain(all()) {
        for name in page.names {
            let pages = called.entry(spaced(&plain(name))).or_default();
            if !pages.last().is_some_and(|last| ptr::eq(*last, page)) {
                pages.push(page);
            }
        }
    }
    called
});

fn files() -> impl Iterator<Item = &'static [u8]> {
    section::ALL.iter().map(|section| section.terms).chain([OTHERS])
}

/// Every page: those of the sections in their order, then those of other screens.
pub fn all() -> impl Iterator<Item = &'static Page> {
    ALL.iter()
}

/// The pages of what no screen shows by that name.
pub fn topics() -> impl Iterator<Item = &'static Page> {
    TOPIC_PAGES.iter()
}

/// The pages with this name, as a user types it or as a screen prints it. A name can have several:
/// the median of clocks is not that of overhead. Topics are first.
pub fn find(name: &str) -> Vec<&'static Page> {
    let name = plain(name);
    match CALLED.get(&spaced(&name)) {
        Some(exact) => exact.clone(),
        None => all().filter(|page| may_be_called(page, &name)).collect(),
    }
}

/// The names of a page that are not patterns.
pub fn whole_names(page: &Page) -> impl Iterator<Item = &'static str> {
    let names = page.names.iter().copied();
    names.filter(|name| beginning(name).is_none())
}

/// Names of a page as a list shows them.
pub fn shown(names: &[&str]) -> String {
    names.join(", ").replace(" *", " …")
}

/// Whether a screen may print this name for the page.
pub fn has(page: &Page, name: &str) -> bool {
    let name = plain(name);
    let equal = |it: &&str| spaced(&plain(it)) == spaced(&name);
    page.names.iter().any(equal) || may_be_called(page, &name)
}

/// A plain name as an id or a key may spell it.
fn spaced(plain_name: &str) -> String {
    plain_name.replace(['_', '-'], " ")
}

/// Whether one of its patterns matches the name. What ` *` stands for is one word: longer texts are
/// about something else.
fn may_be_called(page: &Page, plain_name: &str) -> bool {
    page.names.iter().any(|name| {
        let start = beginning(name).map(str::to_lowercase);
        let end = start.and_then(|start| plain_name.strip_prefix(&*start));
        end.is_some_and(|end| match name.ends_with(DURATION) {
            true => units::parse_duration(end).is_ok(),
            false => !end.is_empty() && !end.contains([' ', ':']),
        })
    })
}

/// What names begin with that a pattern matches. The sign `*` by itself is a name.
fn beginning(name: &str) -> Option<&str> {
    let word = name.strip_suffix('*').filter(|start| start.ends_with(' '));
    name.strip_suffix(DURATION).or(word)
}

/// A name in the form that is compared: one line, without the unit below it, in lower case.
fn plain(name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::packed::text;

    #[test]
    fn names_are_found_as_screens_print_them_and_as_users_type_them() {
        for (name, expected) in [
            ("read\nns", "read"),
            ("reso-\nlution", "resolution"),
            ("Resolution", "resolution"),
            ("wraps\nafter", "wraps after"),
            ("wraps", "wraps after"),
            ("100 ms\nms", "100 ms"),
            ("CPU at\n1 ms", "CPU"),
            ("250 us", DURATION),
            ("event timer lapic-deadline", "HPET"),
        ] {
            // Two sections may each have a page with the same name.
            let mut found: Vec<&str> = find(name).iter().map(|page| page.names[0]).collect();
            found.dedup();
            assert_eq!(found, [expected], "{name}");
        }
        // Several columns have this head.
        for name in ["+-", "+/-"] {
            let found = find(name);
            assert!(found.len() > 1 && found[0].names[0] == "±", "{name}");
        }
        assert!(find("nothing of the kind").is_empty() && find("").is_empty());
        assert_eq!(find("seen").len(), 2);
    }

    #[test]
    fn every_page_says_what_it_is_and_where_it_is_shown() {
        for page in all().chain(topics()) {
            let name = page.names[0];
            assert!(page.names.iter().all(|name| name.trim() == *name && !name.is_empty()));
            assert!(!page.title.is_empty() && page.about.ends_with('.'), "{name}");
            for text in [page.how, page.act] {
                assert!(text.is_empty() || text.ends_with('.'), "{name}");
            }
            let found = find(name);
            assert!(found.iter().any(|p| ptr::eq(*p, page)) || name == DURATION, "{name}");
        }
    }

    #[test]
    fn a_pattern_matches_no_other_word_and_no_text() {
        let names = all().chain(topics()).flat_map(|page| page.names);
        let patterns = names.filter(|name| name.len() > 1 && name.contains(['*', '<']));
        let mut tried = 0;
        for start in patterns.filter_map(|name| Some(name.split(['*', '<']).next()?.trim_end())) {
            for other in ["4l[123.4]: some text", " is broken since", " the wind: no", " of a log"]
            {
                let found = find(&format!("{start}{other}"));
                assert!(found.is_empty(), "{start}{other}: {:?}", found[0].names);
            }
            tried += 1;
        }
        assert!(tried > 8, "{tried}");
    }

    /// A heading, a field or a label with a spelling of its own would be lost or become text.
    #[test]
    fn every_line_of_the_files_is_understood() {
        let texts: Vec<String> =
            files().chain(TOPICS).filter(|file| !file.is_empty()).map(text).collect();
        let lines = || texts.iter().flat_map(|text| text.lines());
        for line in lines() {
            let fields = ["- where: ", "- also: ", "- unit: ", "- see: "];
            let field = !line.starts_with("- ") || fields.iter().any(|it| line.starts_with(it));
            let heading = !line.starts_with('#') || line.starts_with("## ");
            let title = line.starts_with("# ");
            let label = ["how:", "what to do:", "where:", "also:", "unit:", "see:"];
            let lower = line.to_lowercase();
            let label = !label.iter().any(|it| lower.starts_with(it))
                || ["How: ", "What to do: "].iter().any(|it| line.starts_with(it));
            assert!(field && (heading || title) && label, "{line}");
        }
        let headings = lines().filter(|line| line.starts_with("## "));
        assert_eq!(headings.count(), all().chain(topics()).count());
    }
}
