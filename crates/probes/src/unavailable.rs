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

/// Why this build lacks what is compiled in C or C++, as build.rs found out, or other libraries.
/// The functions of the compilers have the names of their `cfg`s.
pub(crate) mod left_out {
    #![allow(dead_code, reason = "a build that has everything calls none of them")]
    use super::Unavailable;

    fn because(why: Option<&str>) -> Unavailable {
        let why = why.unwrap_or("its compilers failed");
        Unavailable(format!(
            "left out when the tool was built, because {why}: install a compiler that is compatible \
             with GCC, and build again"
        ))
    }

    pub(crate) fn native_c() -> Unavailable {
        because(option_env!("CHRONOSCOPE_NO_C"))
    }

    pub(crate) fn native_cxx() -> Unavailable {
        because(option_env!("CHRONOSCOPE_NO_CXX"))
    }

    pub(crate) fn peers() -> Unavailable {
        Unavailable(
            "this build does not contain other libraries: build with --features peers".into(),
        )
    }
}
