//! How a late wake-up is put into words, on every screen: what made it late, and who ran instead.

use crate::number::{count, short};
use chronoscope_model::why::{Culprit, Interrupts, Known};

/// Smaller parts of a late wake-up are not named.
pub const LEAST_SHARE: f64 = 0.02;
/// The most characters of a name: the kernel's own threads have up to 64 (Linux fs/proc/array.c,
/// `proc_task_name`).
const LONGEST: usize = 64;

/// A task's name, as it is shown. Programs choose their names, so one with anything unusual in it
/// is quoted, with escapes.
pub fn name(culprit: &Culprit) -> String {
    match (&culprit.name, culprit.other_user, culprit.tid) {
        (Some(name), ..) => safe(name),
        (None, true, _) => format!("another user's {}", culprit.pid),
        (None, false, 0) => "not visible here".into(),
        (None, false, tid) => tid.to_string(),
    }
}

/// The name of a device that interrupts, or the kernel's own for the interrupt.
pub fn interrupt(interrupts: &Interrupts) -> String {
    safe(interrupts.short_name())
}

/// A name in a list of names, in quotes if it could be taken for something else.
pub fn safe(name: &str) -> String {
    let mut shown: String = name.chars().take(LONGEST).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    let plain = |c: char| c.is_alphanumeric() || " ./:_-+@#()[]…".contains(c);
    let ends = |c: char| c.is_alphanumeric() || c == '(' || c == '[';
    let usual = shown.starts_with(ends) && !shown.ends_with(' ') && shown.chars().all(plain);
    if usual { shown } else { format!("{shown:?}") }
}

/// The names of the first of these tasks, with their times if `timed`; without them, tasks of one
/// name have it once. A list is as long as it `fits`, which gets its text and the number of its
/// names, and then says how many tasks it leaves out, if that fits, too. Empty if no name fits.
pub fn names(culprits: &[Culprit], timed: bool, fits: impl Fn(&str, usize) -> bool) -> String {
    let likely = culprits.iter().any(|it| it.known == Known::Likely);
    let mut text = if likely { "likely " } else { "" }.to_owned();
    let (mut before, mut left_out) = (Vec::new(), 0);
    for culprit in culprits {
        let mut named = name(culprit);
        if timed {
            named += &format!(" {}", short(culprit.ns as f64));
        }
        if before.contains(&named) {
            continue;
        }
        let between = if before.is_empty() { "" } else { ", " };
        let longer = format!("{text}{between}{named}");
        if left_out > 0 || !fits(&longer, before.len() + 1) {
            left_out += 1;
            continue;
        }
        text = longer;
        before.push(named);
    }
    if before.is_empty() {
        return String::new();
    }
    let more = format!("{text}, {} more", count(left_out));
    if left_out > 0 && fits(&more, before.len()) { more } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Culprit {
        Culprit {
            name: Some(name.into()),
            pid: 7,
            tid: 7,
            ns: 1_000,
            known: Known::Seen,
            ..Culprit::default()
        }
    }

    #[test]
    fn a_name_that_could_be_taken_for_something_else_is_quoted() {
        for usual in ["rustc", "kworker/1:2-events", "Web Content", "(sd-pam)", "größe", "a@b"] {
            assert_eq!(name(&named(usual)), usual);
        }
        for (odd, shown) in [
            ("a, b", "\"a, b\""),
            ("=cmd", "\"=cmd\""),
            ("", "\"\""),
            ("x\u{1b}[31m\n", "\"x\\u{1b}[31m\\n\""),
            ("a\u{202e}b", "\"a\\u{202e}b\""),
            ("<b>|`", "\"<b>|`\""),
            ("likely ", "\"likely \""),
        ] {
            assert_eq!(name(&named(odd)), shown);
        }
        let long = name(&named(&"ab".repeat(5_000)));
        assert_eq!(long.chars().count(), LONGEST + 1);
        let withheld = Culprit { name: None, other_user: true, ..named("") };
        assert_eq!(name(&withheld), "another user's 7");
        assert_eq!(name(&Culprit { other_user: false, ..withheld }), "7");
    }

    #[test]
    fn a_list_has_each_name_once_and_counts_the_tasks_that_it_leaves_out() {
        let all = ["sh", "sh", "a, b", "cc", "ld"].map(named);
        let list = |most| names(&all, false, |_, named| named <= most);
        assert_eq!(
            (list(2), list(4)),
            ("sh, \"a, b\", 2 more".into(), "sh, \"a, b\", cc, ld".into())
        );
        assert_eq!(
            (list(0), names(&all, false, |text, _| text.len() < 9)),
            ("".into(), "sh".into())
        );
        assert_eq!(names(&all[..2], true, |_, named| named <= 1), "sh 1 us");
    }
}
