//! What the catalogue knows of a clock, and what it takes to read one.

pub use chronoscope_model::clock::{Kind, Language};
use std::fmt;

/// One clock of the catalogue.
pub struct Entry {
    /// `family/variant`, lower case; a fixed name that others read.
    pub id: &'static str,
    /// The call as a user writes it.
    pub call: &'static str,
    /// The language the reader is compiled in.
    pub language: Language,
    /// What it counts.
    pub kind: Kind,
    /// The systems or processors it belongs to, in words.
    pub home: &'static str,
    /// What a user should know of it, in a few sentences.
    pub about: &'static str,
    /// Where that is written: manual and section, paper, kernel file.
    pub references: &'static [&'static str],
    /// What the timed loop must contain, each a mnemonic or the name of the function it calls;
    /// `cargo xtask disasm` checks it against the machine code.
    pub expect: &'static [&'static str],
    /// Prepares the clock for reading, or says why it cannot be read here.
    pub open: fn() -> Result<Reader, Unavailable>,
}

/// Why a clock cannot be read here, in words a user can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl Unavailable {
    /// It belongs to another system or processor.
    pub fn elsewhere(home: &str) -> Self {
        Self(format!("exists on {home} only"))
    }

    /// A system call refused it.
    pub fn os(what: &str, errno: i32) -> Self {
        Self(format!(
            "{what}: {}",
            std::io::Error::from_raw_os_error(errno)
        ))
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

/// How a raw value becomes time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// So many a second, by definition or by what the system says.
    Hz(f64),
    /// Ticks of this machine's counter, whose rate is found by calibration.
    Counter,
    /// Something that runs at a changing rate, such as core cycles.
    Variable,
}

/// How far a value reaches before it returns to zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Significant bits of the part that counts furthest.
    pub bits: u32,
    /// How many of that part make a second; absent: the unit of the value itself.
    pub per_second: Option<f64>,
}

impl Range {
    /// The value itself has so many bits.
    pub const fn bits(bits: u32) -> Self {
        Self {
            bits,
            per_second: None,
        }
    }

    /// Seconds are counted apart, in so many bits.
    pub const fn seconds(bits: u32) -> Self {
        Self {
            bits,
            per_second: Some(1.0),
        }
    }
}

/// `n` reads in one go: what is timed is the batch, so that nothing but the read itself stands
/// between two reads.
pub type Batch = extern "C" fn(n: u64);

/// Fills `n` places with successive raw values.
///
/// # Safety
/// `out` must be valid for `n` writes.
pub type Fill = unsafe extern "C" fn(out: *mut u64, n: usize);

/// Sums the `m` integers at `v` `n` times, each time between two reads whose difference is taken,
/// and returns the sum.
///
/// # Safety
/// `v` must be valid for `m` reads.
pub type Around = unsafe extern "C" fn(n: u64, v: *const u64, m: usize) -> u64;

/// An opened clock.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Independent reads, back to back.
    pub throughput: Batch,
    /// Reads that each begin only when the one before has completed.
    pub latency: Batch,
    pub(crate) fill: Fill,
    pub(crate) around: Around,
    /// What it counts here, where that is not what its entry says.
    pub kind: Option<Kind>,
    /// How a raw value becomes time.
    pub unit: Unit,
    /// What the API says of its resolution, in nanoseconds.
    pub nominal_ns: Option<f64>,
    /// How far a value reaches.
    pub range: Range,
}

impl Reader {
    /// Fills `out` with successive raw values, as fast as the clock can be read.
    pub fn fill(&self, out: &mut [u64]) {
        // SAFETY: the pointer and the length are those of a live, writable slice.
        unsafe { (self.fill)(out.as_mut_ptr(), out.len()) }
    }

    /// Sums `v` `n` times, each time between two reads whose difference is taken; returns the sum.
    /// The empty clock's is the same loop without timing.
    pub fn around(&self, n: u64, v: &[u64]) -> u64 {
        // SAFETY: the pointer and the length are those of a live slice.
        unsafe { (self.around)(n, v.as_ptr(), v.len()) }
    }

    /// One raw value.
    pub fn value(&self) -> u64 {
        let mut out = [0];
        self.fill(&mut out);
        out[0]
    }
}
