//! The clocks of other libraries, to compare with: in builds with the feature `peers`, so that a
//! plain build depends on none of them.

/// The opener of a peer: `peer!(type, function that reads, nominal resolution, prepare)`; the last,
/// a `Result<(), Unavailable>`, is run when the clock is opened.
///
/// Every peer's instant is a `u64` in a struct of its own. It is given to the sink as that number,
/// in a register, so that a peer's loop holds no store that this project's own loop is spared.
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
                    // SAFETY: the compiler refuses other sizes, and every bit of a number is read.
                    sink(unsafe { std::mem::transmute::<$instant, u64>(<$instant>::$now()) });
                }

                /// Nanoseconds since a moment an hour before the first read, as the types show no
                /// value of their own.
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
                "this build is without other libraries: build with --features peers".into(),
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
