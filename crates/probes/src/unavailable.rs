//! Why a clock or a wait method cannot be used.

use std::fmt;

/// Why a clock or a wait method cannot be used on this machine, in words a user can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl Unavailable {
    /// The reason for a clock or wait that exists only on other systems or processors.
    pub fn only_on(home: &str) -> Self {
        Self(format!("exists on {home} only"))
    }

    /// A system call failed with this errno.
    pub fn os(what: &str, errno: i32) -> Self {
        Self(format!("{what}: {}", std::io::Error::from_raw_os_error(errno)))
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}
