//! Why this build lacks what is compiled in C or C++, as build.rs found out. Each function has the
//! name of the `cfg` of that compiler.
#![allow(dead_code, reason = "a build that has both compilers calls neither")]

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
