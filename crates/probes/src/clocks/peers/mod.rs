//! The clocks of other libraries, for comparison. Only builds with the feature `peers` have them,
//! so that a plain build depends on none of them.

/// The opener of a peer: `peer!(type, function that reads, nominal resolution, prepare)`; the last
/// one, a `Result<(), Unavailable>`, is evaluated when the clock is opened.
///
/// Every peer's instant is a struct around a `u64`. The sink takes that number in a register, so
/// that a peer's loop contains no store that the loop of this project's own clock does not need.
macro_rules! peer {
    ($instant:ty, $now:ident, $nominal:expr, $prepare:expr) => {{
        #[cfg(feature = "peers")]
        fn open(
            _: $crate::clocks::Opening,
        ) -> Result<$crate::clocks::entry::Opened, $crate::clocks::Unavailable> {
            use $crate::clocks::rust_loop::{Read, opened, sink};
            use $crate::clocks::{Range, Unit, permission};

            struct Peer;

            impl Read for Peer {
                #[inline(always)]
                fn read(&mut self) {
                    // SAFETY: the compiler rejects types of other sizes, and every bit pattern is a
                    // valid `u64`.
                    sink(unsafe { std::mem::transmute::<$instant, u64>(<$instant>::$now()) });
                }

                /// Nanoseconds since one hour before the first read, because the types do not
                /// expose a value of their own.
                #[inline(always)]
                fn value(&mut self) -> u64 {
                    static ORIGIN: std::sync::OnceLock<$instant> = std::sync::OnceLock::new();
                    const HEAD_START: u64 = 3_600_000_000_000;
                    let origin = *ORIGIN.get_or_init(<$instant>::$now);
                    HEAD_START + <$instant>::$now().duration_since(origin).as_nanos() as u64
                }

                #[inline(always)]
                fn around(&mut self, work: impl FnOnce()) {
                    let start = <$instant>::$now();
                    work();
                    std::hint::black_box(<$instant>::$now().duration_since(start));
                }
            }

            permission::counter()?;
            permission::vdso()?;
            let ready: Result<(), $crate::clocks::Unavailable> = $prepare;
            ready?;
            Ok(opened(Peer, Unit::Hz(1e9), $nominal, Range::bits(64)))
        }
        #[cfg(not(feature = "peers"))]
        fn open(
            _: $crate::clocks::Opening,
        ) -> Result<$crate::clocks::entry::Opened, $crate::clocks::Unavailable> {
            Err($crate::clocks::Unavailable(
                "this build does not contain other libraries: build with --features peers".into(),
            ))
        }
        Some(open)
    }};
}

clocks! {
    quanta_instant,
    quanta_recent,
    minstant_instant,
    fastant_instant,
    coarsetime_instant,
    coarsetime_recent,
}
#[cfg(feature = "peers")]
mod recent;
