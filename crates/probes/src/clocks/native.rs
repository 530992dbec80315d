//! The C and C++ readers of `native/`.

use super::entry::{COPIES, Entry, Loops, Opened, Opening, Range, Unavailable, Unit};
use crate::order::{Handed, Lapse, Line, Turns, Work};
use std::any::Any;

/// A table of clocks whose loops stand in `native/`, in the order in which lists show them. It
/// begins with the name of its constant, the family, the language's compiler, the systems that have
/// these clocks, and the entry that holds what a row leaves out:
///
/// ```text
/// clocks! {
///     CLOCKS: posix in native_c if any(unix, windows), like CLOCK_GETTIME;
///
///     "realtime" if unix after super::entry::vdso() => "…", Kind::Wall, VDSO, common: true;
/// }
/// ```
///
/// The id is the family and the row's name, and so is the name of the table of loops that
/// `CS_READER` makes, with `_` for `-`. `if` narrows down the systems. What follows `after`
/// prepares what the loops need, as a `Result<State, Unavailable>` or a `Result<(), Unavailable>`;
/// it must not read the clock. The call, the kind and the facts of each row come first; what else
/// is not as in the plain entry follows, as fields of [`Entry`](crate::clocks::Entry).
macro_rules! clocks {
    (
        $table:ident: $family:ident in $compiler:ident if $here:meta, like $plain:expr;
        $(
            $($name:literal)+ $(if $more:meta)? $(after $ready:expr)? =>
                $call:expr, $kind:expr, $facts:expr $(, $field:ident: $value:expr)*;
        )*
    ) => {
        pub(crate) const $table: &[$crate::clocks::Entry] = &[$(
            $crate::clocks::Entry {
                id: concat!(stringify!($family), "/", $($name),+),
                call: $call,
                kind: $kind,
                facts: $facts,
                $($field: $value,)*
                opener: {
                    #[cfg(all($compiler, $here $(, $more)?))]
                    const OPENER: Option<$crate::clocks::entry::Opener> = Some(|entry, how| {
                        let state = clocks!(@state $($ready)?);
                        pastey::paste! {
                            // SAFETY: the table is made by CS_READER in native/, as `Native`
                            // describes it.
                            unsafe extern "C" {
                                safe static [<cs_ $family _ $($name)+>]:
                                    $crate::clocks::native::Native;
                            }
                            [<cs_ $family _ $($name)+>].open(entry, how, state)
                        }
                    });
                    #[cfg(all(not($compiler), $here $(, $more)?))]
                    const OPENER: Option<$crate::clocks::entry::Opener> =
                        Some(|_, _| Err($crate::catalogue::left_out::$compiler()));
                    #[cfg(not(all($here $(, $more)?)))]
                    const OPENER: Option<$crate::clocks::entry::Opener> = None;
                    OPENER
                },
                ..$plain
            }
        ),*];
    };
    (@state $ready:expr) => { $crate::clocks::native::State::from($ready?) };
    (@state) => { $crate::clocks::native::State::default() };
}

/// The loops and properties that `CS_READER` makes for one clock: `struct cs_reader` of
/// `native/reader.h`. Each function is given the word of the clock's [`State`].
#[repr(C)]
pub(crate) struct Native {
    check: extern "C" fn(usize) -> i32,
    hz: extern "C" fn(usize) -> f64,
    nominal: extern "C" fn(usize) -> f64,
    throughput: [extern "C" fn(usize, u64); COPIES],
    latency: [extern "C" fn(usize, u64); COPIES],
    /// `out` must be valid for `n` writes.
    fill: unsafe extern "C" fn(usize, out: *mut u64, n: usize),
    span: extern "C" fn(usize, u64) -> u64,
    /// `v` must be valid for `m` reads.
    around: [unsafe extern "C" fn(usize, n: u64, v: *const u64, m: usize) -> u64; COPIES],
    /// `line` must be valid for a read, `out` for `n` writes.
    after: unsafe extern "C" fn(usize, u32, u32, *const Line, out: *mut Lapse, n: usize),
    /// `turns` must be valid for atomic access, `handed` for a write.
    hand: unsafe extern "C" fn(usize, *const Turns, u32, n: u64, handed: *mut Handed),
}

/// What the loops of a native clock need besides their code: one word (a file descriptor, an
/// address), and whatever must stay open while it is in use. Most need nothing.
#[derive(Default)]
pub(crate) struct State {
    word: usize,
    _held: Option<Box<dyn Any + Send>>,
}

#[cfg_attr(
    not(all(native_c, target_os = "linux")),
    expect(dead_code, reason = "only clocks of Linux have a state")
)]
impl State {
    /// A word that is valid for as long as the process lives.
    pub(crate) fn of(word: usize) -> Self {
        Self { word, _held: None }
    }

    /// A word that is valid for as long as `held` lives.
    pub(crate) fn holding(word: usize, held: impl Any + Send) -> Self {
        Self { word, _held: Some(Box::new(held)) }
    }
}

/// The state of a clock that needs none.
impl From<()> for State {
    fn from((): ()) -> Self {
        Self::default()
    }
}

#[cfg_attr(
    not(any(native_c, native_cxx)),
    expect(dead_code, reason = "a build without C and C++ opens none of theirs")
)]
impl Native {
    /// Opens the clock, unless its own check refuses it.
    pub(crate) fn open(
        &'static self,
        entry: &Entry,
        how: Opening,
        state: State,
    ) -> Result<Opened, Unavailable> {
        let (mut unit, mut nominal_ns) = (Unit::Variable, None);
        if how == Opening::Checked {
            match (self.check)(state.word) {
                0 => {}
                errno => return Err(refused(entry.asked_for.unwrap_or(entry.call), errno)),
            }
            unit = match (self.hz)(state.word) {
                hz if hz > 0.0 => Unit::Hz(hz),
                0.0 => Unit::Counter,
                _ => Unit::Variable,
            };
            nominal_ns = Some((self.nominal)(state.word)).filter(|ns| *ns > 0.0);
        }
        let loops = Box::new(NativeLoops { table: self, state });
        Ok(Opened { loops, unit, nominal_ns, instead: None })
    }
}

struct NativeLoops {
    table: &'static Native,
    state: State,
}

impl Loops for NativeLoops {
    fn throughput(&mut self, copy: usize, n: u64) {
        (self.table.throughput[copy])(self.state.word, n);
    }

    fn latency(&mut self, copy: usize, n: u64) {
        (self.table.latency[copy])(self.state.word, n);
    }

    fn fill(&mut self, out: &mut [u64]) {
        // SAFETY: the pointer and the length are those of a live, writable slice.
        unsafe { (self.table.fill)(self.state.word, out.as_mut_ptr(), out.len()) }
    }

    fn span(&mut self, n: u64) -> u64 {
        (self.table.span)(self.state.word, n)
    }

    fn around(&mut self, copy: usize, n: u64, v: &[u64]) -> u64 {
        // SAFETY: the pointer and the length are those of a live slice.
        unsafe { (self.table.around[copy])(self.state.word, n, v.as_ptr(), v.len()) }
    }

    fn after_work(&mut self, work: Work, how: u32, line: &Line, out: &mut [Lapse]) {
        // SAFETY: the line and the slice are live, and `Lapse` has the layout of `cs_lapse`.
        unsafe {
            let (to, n) = (out.as_mut_ptr(), out.len());
            (self.table.after)(self.state.word, work as u32, how, line, to, n);
        }
    }

    fn hand(&mut self, turns: &Turns, me: u32, n: u64) -> Handed {
        let mut handed = Handed::default();
        // SAFETY: both outlive the call and have the layouts of `cs_turns` and `cs_handed`; what
        // the two threads share consists of atomics, and C accesses it atomically too.
        unsafe { (self.table.hand)(self.state.word, turns, me, n, &raw mut handed) };
        handed
    }

    fn loop_address(&self) -> usize {
        self.table.throughput[0] as usize
    }

    fn around_address(&self) -> usize {
        self.table.around[0] as usize
    }
}

/// Why a clock's own check refused it. The number is an `errno` on Windows too, which the system's
/// own error messages do not use.
fn refused(what: &str, errno: i32) -> Unavailable {
    if cfg!(not(windows)) {
        return Unavailable::os(what, errno);
    }
    Unavailable(match errno {
        libc::ENOSYS => format!("{what}: this version of Windows (or Wine) does not have it"),
        libc::EINVAL => format!("{what}: the C library does not know this clock"),
        libc::ENOTSUP => format!("{what}: it fails in the C library of this Windows (or Wine)"),
        other => format!("{what}: error {other} of the C library"),
    })
}

/// The range of a `time_t`: to 2038 if it has 32 bits.
#[cfg_attr(target_env = "musl", allow(deprecated, reason = "libc means its 32-bit targets"))]
pub(crate) const TIME_T: Range = Range::seconds(size_of::<libc::time_t>() as u32 * 8 - 1);

/// The range of the kernel's `long` of seconds, in the call that programs without a C library make:
/// to 2038 if a `long` has 32 bits.
pub(crate) const KERNEL_TIME: Range = Range::seconds(usize::BITS - 1);
