//! How a clock of C or C++ is declared and opened. The choice by `cfg` is made here and nowhere
//! else.

/// A table of clocks whose loops stand in `native/`, in the order in which lists show them. It
/// begins with the name of its constant, the family, the language's compiler, the systems that have
/// these clocks, and the entry that holds what a row leaves out:
///
/// ```text
/// clocks! {
///     CLOCKS: posix in native_c if any(unix, windows), like CLOCK_GETTIME;
///
///     "realtime" if unix after super::permission::vdso() => { call: "…", kind: Kind::Wall, … }
/// }
/// ```
///
/// The id is the family and the row's name, and so is the name of the table of loops that
/// `CS_READER` makes, with `_` for `-`. `if` narrows down the systems. What follows `after`
/// prepares what the loops need, as a `Result<State, Unavailable>` or a `Result<(), Unavailable>`;
/// it must not read the clock. The fields are those of [`Entry`](crate::clocks::Entry).
macro_rules! clocks {
    (
        $table:ident: $family:ident in $compiler:ident if $here:meta, like $plain:expr;
        $(
            $($name:literal)+ $(if $more:meta)? $(after $ready:expr)? => {
                $($field:ident: $value:expr),* $(,)?
            }
        )*
    ) => {
        pub(crate) const $table: &[$crate::clocks::Entry] = &[$(
            $crate::clocks::Entry {
                id: concat!(stringify!($family), "/", $($name),+),
                $($field: $value,)*
                opener: {
                    #[cfg(all($compiler, $here $(, $more)?))]
                    fn open(
                        entry: &$crate::clocks::Entry,
                        how: $crate::clocks::Opening,
                    ) -> Result<$crate::clocks::entry::Opened, $crate::clocks::Unavailable> {
                        use $crate::clocks::native::{Native, State};
                        $(let state = State::from($ready?);)?
                        clocks!(@none_after $($ready)? => let state = State::default(););
                        pastey::paste! {
                            // SAFETY: the table is made by CS_READER in native/, as `Native`
                            // describes it.
                            unsafe extern "C" {
                                safe static [<cs_ $family _ $($name)+>]: Native;
                            }
                            [<cs_ $family _ $($name)+>].open(entry, how, state)
                        }
                    }
                    #[cfg(all(not($compiler), $here $(, $more)?))]
                    fn open(
                        _: &$crate::clocks::Entry,
                        _: $crate::clocks::Opening,
                    ) -> Result<$crate::clocks::entry::Opened, $crate::clocks::Unavailable> {
                        Err($crate::left_out::$compiler())
                    }
                    #[cfg(all($here $(, $more)?))]
                    const OPENER: Option<$crate::clocks::entry::Opener> = Some(open);
                    #[cfg(not(all($here $(, $more)?)))]
                    const OPENER: Option<$crate::clocks::entry::Opener> = None;
                    OPENER
                },
                ..$plain
            }
        ),*];
    };
    (@none_after $ready:expr => $($otherwise:tt)*) => {};
    (@none_after => $($otherwise:tt)*) => { $($otherwise)* };
}
