use super::*;
use crate::text::{self, Style};
use std::cell::RefCell;
use std::collections::BTreeSet;

#[path = "../../../../diagnose/tests/machines/mod.rs"]
mod machines;
#[path = "../../../tests/samples/mod.rs"]
mod samples;

thread_local! {
    static PRINTED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Takes down the names that a screen prints; the screen under construction calls it.
pub(in crate::text) fn printed<'a>(names: impl Iterator<Item = &'a str>) {
    PRINTED.with_borrow_mut(|all| all.extend(names.map(str::to_owned)));
}

/// Every name that a screen prints, of whatever width, and whatever the report holds.
fn names() -> BTreeSet<String> {
    let waits = text::waits::tests::everything();
    PRINTED.take();
    for width in [60, 80, 120, 160] {
        for verbose in [false, true] {
            let style = Style {
                width,
                verbose,
                ..Style::default()
            };
            for report in [samples::full(), samples::troubled(), Default::default()] {
                samples::of(&report, &style);
            }
            text::waits::render(&waits, &style);
            text::glance::render(&waits, &style);
        }
    }
    let mut names = PRINTED.take();
    names.extend(text::overhead::ROWS.map(str::to_owned));
    names.retain(|name| !plain(name).is_empty());
    names
}

#[test]
fn every_name_that_a_screen_prints_has_a_page() {
    let names = names();
    assert!(names.contains("zeros") && names.contains("slack") && names.contains("a turn"));
    let without: Vec<String> = names
        .into_iter()
        .filter(|name| find(name).is_empty())
        .collect();
    assert_eq!(without, Vec::<String>::new());
}

#[test]
fn names_are_found_as_screens_print_them_and_as_users_type_them() {
    for (name, expected) in [
        ("read\nns", "read"),
        ("reso-\nlution", "resolution"),
        ("Resolution", "resolution"),
        ("wraps\nafter", "wraps after"),
        ("wraps", "wraps after"),
        ("100 ms\nms", "100 ms"),
        ("+-", "±"),
        ("CPU at\n1 ms", "CPU"),
        ("250 us", DURATION),
        ("event timer lapic-deadline", "HPET"),
    ] {
        let found: Vec<&str> = find(name).iter().map(|term| term.name()).collect();
        assert_eq!(found, [expected], "{name}");
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
        assert!(
            find(term.name()).iter().any(|t| std::ptr::eq(*t, term)) || term.name() == DURATION
        );
    }
}
