//! The code of advice, from sheets in the languages' own shape.
//!
//! An entry of a sheet begins with a line such as `=== C, C++ on Windows`: the languages, then the
//! system and the beginning of the advised clock's id if the entry is for these only; `|` separates
//! alternatives. A later entry replaces an earlier one.

use crate::system::System;
use std::collections::BTreeMap;

/// Lines of code, by language.
pub(crate) type Code = BTreeMap<String, String>;

/// The code of these sheets, for a system and the advised clock.
pub(super) fn code(sheets: &[&str], system: System, clock: &str) -> Code {
    let mut code = Code::new();
    let system = format!("{system:?}");
    for entry in sheets.iter().flat_map(|sheet| sheet.split("=== ").skip(1)) {
        let (head, text) = entry.split_once('\n').unwrap_or_default();
        let (languages, only) = head.split_once(" on ").unwrap_or((head, ""));
        let fits = |one: &str| one == system || one.contains('/') && clock.starts_with(one);
        if only.split_whitespace().all(|word| word.split('|').any(fits)) {
            code.extend(languages.split(", ").map(|it| (it.into(), text.trim_end().into())));
        }
    }
    code
}
