//! How an entry is opened on the systems it belongs to, and refused on all others. The choice
//! by `cfg` is made here and at the module that holds the method, and nowhere else.

/// An `open` function: `on!(cfg, home, path)`, where the path names a
/// `fn(&Setting) -> Result<impl Method, Unavailable>` that exists under that `cfg`.
macro_rules! on {
    ($here:meta, $home:expr, $open:path) => {{
        #[cfg($here)]
        fn opened(
            setting: &$crate::waits::Setting,
        ) -> Result<Box<dyn $crate::waits::Method>, $crate::waits::Unavailable> {
            Ok(Box::new($open(setting)?))
        }
        #[cfg(not($here))]
        fn opened(
            _: &$crate::waits::Setting,
        ) -> Result<Box<dyn $crate::waits::Method>, $crate::waits::Unavailable> {
            Err($crate::waits::Unavailable::elsewhere($home))
        }
        opened
    }};
    // A method that compiles everywhere and makes sense in places only.
    ($here:meta, $home:expr, portable $open:path) => {{
        fn opened(
            setting: &$crate::waits::Setting,
        ) -> Result<Box<dyn $crate::waits::Method>, $crate::waits::Unavailable> {
            if cfg!($here) {
                Ok(Box::new($open(setting)?))
            } else {
                Err($crate::waits::Unavailable::elsewhere($home))
            }
        }
        opened
    }};
}
