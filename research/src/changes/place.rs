//! Where runs are made and kept.

use std::cell::OnceCell;
use std::path::PathBuf;
use xshell::Shell;

/// Where runs are made and kept.
pub struct Place<'a> {
    pub sh: &'a Shell,
    pub tool: PathBuf,
    pub folder: PathBuf,
    /// The time of each run; that of its command if there is none.
    pub budget: Option<&'a str>,
    /// What a number of additions adds to a read, once that was measured.
    pub slower: OnceCell<Vec<(f64, f64)>>,
}
