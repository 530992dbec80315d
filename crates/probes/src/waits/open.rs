//! How an entry is opened on the systems that have it. The choice by `cfg` is made here and at the
//! module that holds the method, and nowhere else.

/// The opener of a method: `on!(cfg, path)`, where the path names a
/// `fn(&Setting) -> Result<impl Method, Unavailable>` that exists under that `cfg`. With `portable`
/// before it, the function exists everywhere and is used under that `cfg` only. Systems that do not
/// match `cfg` do not have the method. `on!(compiled native_c, path)` is for a method that is
/// compiled in C or C++ ([`left_out`](crate::left_out)): every system has it, but not every build.
macro_rules! on {
    (@opener $open:path) => {{
        fn opened(
            setting: &$crate::waits::Setting,
        ) -> Result<Box<dyn $crate::waits::Method>, $crate::waits::Unavailable> {
            Ok(Box::new($open(setting)?))
        }
        opened
    }};
    (compiled $compiler:ident, $open:path) => {{
        #[cfg($compiler)]
        const OPENER: Option<$crate::waits::entry::Opener> = Some(on!(@opener $open));
        #[cfg(not($compiler))]
        const OPENER: Option<$crate::waits::entry::Opener> =
            Some(|_| Err($crate::left_out::$compiler()));
        OPENER
    }};
    ($here:meta, portable $open:path) => {
        if cfg!($here) {
            Some(on!(@opener $open))
        } else {
            None
        }
    };
    ($here:meta, $open:path) => {{
        #[cfg($here)]
        const OPENER: Option<$crate::waits::entry::Opener> = Some(on!(@opener $open));
        #[cfg(not($here))]
        const OPENER: Option<$crate::waits::entry::Opener> = None;
        OPENER
    }};
}
