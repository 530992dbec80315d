//! The clocks of other libraries, to compare with: in builds with the feature `peers`, so that a
//! plain build depends on none of them.

/// An `open` function for a peer: `peer!(type, function that reads, nominal resolution, prepare)`;
/// the last, a `Result<(), Unavailable>`, is run when the clock is opened.
///
/// Every peer's instant is a `u64` in a struct of its own. It is given to the sink as that number,
/// in a register, so that a peer's loop holds no store that this project's own loop is spared.
macro_rules! peer {
    ($instant:ty, $now:ident, $nominal:expr, $prepare:expr) => {{
        #[cfg(feature = "peers")]
        fn open() -> Result<$crate::clocks::Reader, $crate::clocks::Unavailable> {
            use $crate::clocks::rust_loop::{Read, reader, sink};
            use $crate::clocks::x86::tsc;

            struct Peer;

            impl Read for Peer {
                #[inline(always)]
                fn read() {
                    // SAFETY: the compiler refuses other sizes, and every bit of a number is read.
                    sink(unsafe { std::mem::transmute::<$instant, u64>(<$instant>::$now()) });
                }

                /// Nanoseconds since a moment an hour before the first read, as the types show no
                /// value of their own.
                #[inline(always)]
                fn value() -> u64 {
                    static ORIGIN: std::sync::OnceLock<$instant> = std::sync::OnceLock::new();
                    const HEAD_START: u64 = 3_600_000_000_000;
                    let origin = *ORIGIN.get_or_init(<$instant>::$now);
                    HEAD_START + <$instant>::$now().duration_since(origin).as_nanos() as u64
                }

                #[inline(always)]
                fn around(work: impl FnOnce()) {
                    let start = <$instant>::$now();
                    work();
                    std::hint::black_box(<$instant>::$now().duration_since(start));
                }
            }

            tsc::readable()?;
            tsc::vdso_readable()?;
            let ready: Result<(), $crate::clocks::Unavailable> = $prepare;
            ready?;
            Ok(reader::<Peer>(
                $crate::clocks::Unit::Hz(1e9),
                $nominal,
                $crate::clocks::Range::bits(64),
            ))
        }
        #[cfg(not(feature = "peers"))]
        fn open() -> Result<$crate::clocks::Reader, $crate::clocks::Unavailable> {
            Err($crate::clocks::Unavailable(
                "this build is without other libraries: build with --features peers".into(),
            ))
        }
        open
    }};
}

pub(crate) mod coarsetime_instant;
pub(crate) mod coarsetime_recent;
pub(crate) mod fastant_instant;
pub(crate) mod minstant_instant;
pub(crate) mod quanta_instant;
pub(crate) mod quanta_recent;
#[cfg(feature = "peers")]
mod recent;
