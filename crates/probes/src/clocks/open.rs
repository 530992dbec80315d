//! How an entry is opened on the systems it belongs to, and refused on all others. The choice
//! by `cfg` is made here and nowhere else.

/// An `open` function for a clock that is read in Rust: `on!(cfg, home, expression)`, the
/// expression being a `Result<Reader, Unavailable>`.
macro_rules! on {
    ($here:meta, $home:expr, $open:expr) => {{
        #[cfg($here)]
        fn open() -> Result<$crate::clocks::Reader, $crate::clocks::Unavailable> {
            $open
        }
        #[cfg(not($here))]
        fn open() -> Result<$crate::clocks::Reader, $crate::clocks::Unavailable> {
            Err($crate::clocks::Unavailable::elsewhere($home))
        }
        open
    }};
}

/// An `open` function for a clock whose loops stand in `native/`:
/// `native!(native_c, cfg, home, cs_table, call, range)`; the first says which compiler made them.
/// A last argument, a `Result<(), Unavailable>`, prepares what the loops need or says why that
/// cannot be had; it must not read the clock.
macro_rules! native {
    ($compiler:ident, $here:meta, $home:expr, $table:ident, $call:expr, $range:expr) => {
        native!($compiler, $here, $home, $table, $call, $range, Ok(()))
    };
    ($compiler:ident, $here:meta, $home:expr, $table:ident, $call:expr, $range:expr, $ready:expr) => {{
        #[cfg(all($compiler, $here))]
        fn open() -> Result<$crate::clocks::Reader, $crate::clocks::Unavailable> {
            // SAFETY: the table is made by CS_READER in native/, as `Native` describes it.
            unsafe extern "C" {
                safe static $table: $crate::clocks::native::Native;
            }
            let ready: Result<(), $crate::clocks::Unavailable> = $ready;
            ready?;
            $table.open($call, $range)
        }
        #[cfg(all(not($compiler), $here))]
        fn open() -> Result<$crate::clocks::Reader, $crate::clocks::Unavailable> {
            // Named here too, so that an entry's imports are the same in every build.
            let _: $crate::clocks::Range = $range;
            Err($crate::clocks::Unavailable(
                "this build was made without a GNU-compatible compiler for C or C++: install one and build again".into(),
            ))
        }
        #[cfg(not($here))]
        fn open() -> Result<$crate::clocks::Reader, $crate::clocks::Unavailable> {
            // Named here too, so that an entry's imports are the same in every build.
            let _: $crate::clocks::Range = $range;
            Err($crate::clocks::Unavailable::elsewhere($home))
        }
        open
    }};
}
