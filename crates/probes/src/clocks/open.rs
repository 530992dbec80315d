//! How an entry is opened on the systems that have it. The choice by `cfg` is made here and nowhere
//! else.

/// The opener of a clock that is read in Rust: `on!(cfg, |how| …)`, a function from an
/// [`Opening`](crate::clocks::Opening) to a `Result<Opened, Unavailable>`. Systems that do not
/// match `cfg` do not have the clock.
macro_rules! on {
    ($here:meta, |$how:pat_param| $open:expr) => {{
        #[cfg($here)]
        fn open(
            $how: $crate::clocks::Opening,
        ) -> Result<$crate::clocks::entry::Opened, $crate::clocks::Unavailable> {
            $open
        }
        #[cfg($here)]
        const OPENER: Option<$crate::clocks::entry::Opener> = Some(open);
        #[cfg(not($here))]
        const OPENER: Option<$crate::clocks::entry::Opener> = None;
        OPENER
    }};
}

/// The entry of a clock whose loops stand in `native/`. It reads as an [`Entry`] does, with two
/// differences: the id is written `family / "variant"`, as the name of the table that `CS_READER`
/// makes is derived from it (`-` becomes `_`); and it is opened by `here(cfg, range)`.
///
/// Two more arguments may follow `range`. The first prepares what the loops need, as a
/// `Result<State, Unavailable>` or a `Result<(), Unavailable>`; it must not read the clock. The
/// second names the clock in the reason why it cannot be read; the call names it otherwise.
///
/// [`Entry`]: crate::clocks::Entry
macro_rules! native {
    (Entry {
        id: $family:ident / $name:literal,
        call: $call:expr,
        language: Language::C,
        $($rest:tt)*
    }) => {
        native!(@entry native_c, C, $family, $name, $call, $($rest)*)
    };
    (Entry {
        id: $family:ident / $name:literal,
        call: $call:expr,
        language: Language::Cxx,
        $($rest:tt)*
    }) => {
        native!(@entry native_cxx, Cxx, $family, $name, $call, $($rest)*)
    };
    (
        @entry $compiler:ident, $language:ident, $family:ident, $name:literal, $call:expr,
        kind: $kind:expr,
        facts: $facts:expr,
        alternative_to: $alternative_to:expr,
        home: $home:expr,
        about: $about:expr,
        references: $references:expr,
        expect: $expect:expr,
        open: here($here:meta, $range:expr $(, $ready:expr $(, $what:expr)?)? $(,)?) $(,)?
    ) => {
        $crate::clocks::Entry {
            id: concat!(stringify!($family), "/", $name),
            call: $call,
            language: $crate::clocks::Language::$language,
            kind: $kind,
            facts: $facts,
            alternative_to: $alternative_to,
            home: $home,
            about: $about,
            references: $references,
            expect: $expect,
            opener: native!(
                @opener $compiler, $family, $name, $here, $range,
                [$($ready)? , Ok(())], [$($($what)?)? , $call]
            ),
        }
    };
    (
        @opener $compiler:ident, $family:ident, $name:literal, $here:meta, $range:expr,
        [$($ready:expr)? , $not_needed:expr], [$($what:expr)? , $call:expr]
    ) => {{
        #[cfg(all($compiler, $here))]
        fn open(
            how: $crate::clocks::Opening,
        ) -> Result<$crate::clocks::entry::Opened, $crate::clocks::Unavailable> {
            native!(
                @first state: Result<_, $crate::clocks::Unavailable>,
                [$($ready)? , $not_needed]
            );
            native!(@first what: &str, [$($what)? , $call]);
            let state = $crate::clocks::native::State::from(state?);
            pastey::paste! {
                // SAFETY: the table is made by CS_READER in native/, as `Native` describes it.
                unsafe extern "C" {
                    safe static [<cs_ $family _ $name>]: $crate::clocks::native::Native;
                }
                [<cs_ $family _ $name>].open(how, what, $range, state)
            }
        }
        #[cfg(all(not($compiler), $here))]
        fn open(
            _: $crate::clocks::Opening,
        ) -> Result<$crate::clocks::entry::Opened, $crate::clocks::Unavailable> {
            Err($crate::left_out::$compiler())
        }
        // Named in every build, so that an entry's imports are the same in all of them.
        const _: $crate::clocks::Range = $range;
        #[cfg($here)]
        const OPENER: Option<$crate::clocks::entry::Opener> = Some(open);
        #[cfg(not($here))]
        const OPENER: Option<$crate::clocks::entry::Opener> = None;
        OPENER
    }};
    (@first $name:ident: $type:ty, [$given:expr, $otherwise:expr]) => {
        let $name: $type = $given;
    };
    (@first $name:ident: $type:ty, [, $otherwise:expr]) => {
        let $name: $type = $otherwise;
    };
}
