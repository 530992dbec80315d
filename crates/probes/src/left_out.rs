//! Why this build lacks other libraries, or what is compiled in C or C++, as build.rs found out.
//! The functions of the compilers have the names of their `cfg`s.
#![allow(dead_code, reason = "a build that has everything calls none of them")]

use crate::clocks::Unavailable;

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
    Unavailable("this build does not contain other libraries: build with --features peers".into())
}
