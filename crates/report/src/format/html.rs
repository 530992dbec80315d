//! One page for people, with the report in it.

use super::Format;
use crate::page::{self, Input};

pub const FORMAT: Format = Format {
    id: "html",
    extension: "html",
    about: "a page with charts, which holds the report itself",
    distributions_only: false,
    write: |report, out| page::write(&[Input { name: "", report }], out),
};
