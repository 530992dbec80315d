//! Every term that has a page, and how it is found.

use crate::section;
use crate::term::{Term, plain};
use crate::text::{brief, list};

/// Every term: those of the sections in their order, then those of other screens.
pub fn all() -> impl Iterator<Item = &'static Term> {
    let sections = section::ALL.iter().flat_map(|section| section.terms);
    sections.chain(brief::TERMS).chain(list::TERMS).copied()
}

/// The terms with this name, as a user types it or as a screen prints it. A name can have several:
/// the median of clocks is not that of overhead.
pub fn find(name: &str) -> Vec<&'static Term> {
    let name = plain(name);
    // A term that several sections share is one page.
    let mut known: Vec<&Term> = Vec::new();
    for term in all() {
        if !known.iter().any(|other| std::ptr::eq(*other, term)) {
            known.push(term);
        }
    }
    let exact: Vec<&Term> = known.iter().copied().filter(|term| term.is_called(&name)).collect();
    if exact.is_empty() {
        known.retain(|term| term.may_be_called(&name));
        known
    } else {
        exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::DURATION;

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
            // Two sections may each have a page of that name.
            let mut found: Vec<&str> = find(name).iter().map(|term| term.name()).collect();
            found.dedup();
            assert_eq!(found, [expected], "{name}");
        }
        // Several columns have this head.
        for name in ["+-", "+/-"] {
            let found = find(name);
            assert!(found.len() > 1 && found[0].name() == "±", "{name}");
        }
        assert!(find("nothing of the kind").is_empty() && find("").is_empty());
        assert_eq!(find("seen").len(), 2);
    }

    #[test]
    fn every_page_says_what_it_is_and_where_it_is_shown() {
        for term in all() {
            assert!(!term.names.is_empty() && !term.place.is_empty());
            assert!(term.about.ends_with('.'), "{}", term.name());
            for text in [term.how, term.act] {
                assert!(text.is_empty() || text.ends_with('.'), "{}", term.name());
            }
            let found = find(term.name());
            assert!(found.iter().any(|t| std::ptr::eq(*t, term)) || term.name() == DURATION);
        }
    }
}
