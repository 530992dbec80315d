//! What the C and C++ readers of `native/` export.

use super::entry::{Around, Batch, Fill, Range, Reader, Unavailable, Unit};

/// What `CS_READER` makes for one clock: `struct cs_reader` of `native/reader.h`.
#[repr(C)]
pub(crate) struct Native {
    check: extern "C" fn() -> i32,
    hz: extern "C" fn() -> f64,
    nominal: extern "C" fn() -> f64,
    throughput: Batch,
    latency: Batch,
    fill: Fill,
    around: Around,
}

#[cfg_attr(
    not(any(native_c, native_cxx)),
    expect(dead_code, reason = "a build without C and C++ opens none of theirs")
)]
impl Native {
    /// The reader, unless the clock's own check refuses it.
    pub(crate) fn open(&self, call: &str, range: Range) -> Result<Reader, Unavailable> {
        if super::untouched::wanted() {
            return Ok(self.untouched(range));
        }
        match (self.check)() {
            0 => Ok(self.reader(range)),
            errno => Err(refused(call, errno)),
        }
    }

    /// The reader, without a call of anything that belongs to the clock.
    fn untouched(&self, range: Range) -> Reader {
        let Self {
            throughput,
            latency,
            fill,
            around,
            ..
        } = *self;
        Reader {
            throughput,
            latency,
            fill,
            around,
            kind: None,
            unit: Unit::Variable,
            nominal_ns: None,
            range,
        }
    }

    fn reader(&self, range: Range) -> Reader {
        let nominal = (self.nominal)();
        let hz = (self.hz)();
        Reader {
            unit: if hz > 0.0 {
                Unit::Hz(hz)
            } else if hz == 0.0 {
                Unit::Counter
            } else {
                Unit::Variable
            },
            nominal_ns: (nominal > 0.0).then_some(nominal),
            ..self.untouched(range)
        }
    }
}

/// Why a clock's own check refused it.
#[cfg(not(windows))]
fn refused(call: &str, errno: i32) -> Unavailable {
    Unavailable::os(call, errno)
}

/// Why a clock's own check refused it: an `errno` here too, which on Windows is not what the
/// system's own error messages go by.
#[cfg(windows)]
fn refused(call: &str, errno: i32) -> Unavailable {
    Unavailable(match errno {
        libc::ENOSYS => format!("{call}: this version of Windows (or Wine) does not offer it"),
        libc::EINVAL => format!("{call}: the C library does not know this clock"),
        libc::ENOTSUP => format!("{call}: it fails in the C library of this Windows (or Wine)"),
        other => format!("{call}: error {other} of the C library"),
    })
}

/// How far a `time_t` reaches: to 2038 where it has 32 bits.
#[cfg(unix)]
pub(crate) const TIME_T: Range = Range::seconds(size_of::<libc::time_t>() as u32 * 8 - 1);
/// How far a `time_t` reaches: it has 64 bits.
#[cfg(not(unix))]
pub(crate) const TIME_T: Range = Range::seconds(63);

/// How far the kernel's `long` of seconds reaches, in the call that user code has without a C
/// library: to 2038 where a `long` has 32 bits.
pub(crate) const KERNEL_TIME: Range = Range::seconds(usize::BITS - 1);
