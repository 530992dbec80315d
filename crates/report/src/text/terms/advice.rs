//! The columns of `list`.

use super::Term;

pub(super) const TERMS: &[Term] = &[
    Term {
        names: &["language"],
        place: "column of list",
        unit: "",
        about: "The language of the call. It is measured as the compiler of that language makes it.",
        how: "",
        act: "",
        references: &["docs/DESIGN.md"],
    },
    Term {
        names: &["call"],
        place: "column of list",
        unit: "",
        about: "The call as a user writes it.",
        how: "",
        act: "chronoscope advise gives lines that compile.",
        references: &[],
    },
    Term {
        names: &["about"],
        place: "column of list",
        unit: "",
        about: "What the thing is, in a line, and on which screen it is shown.",
        how: "",
        act: "chronoscope explain tells more.",
        references: &[],
    },
    Term {
        names: &["reason"],
        place: "column of list",
        unit: "",
        about: "Why a clock or a wait cannot be used here, and with what it could.",
        how: "It was tried just now.",
        act: "",
        references: &[],
    },
];
