use crate::clocks::entry::{Facts, STORED, VDSO};
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `time`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "time",
    call: "time(NULL)",
    language: Language::C,
    kind: Kind::Wall,
    facts: FACTS,
    alternative_to: None,
    home: "every system",
    about: "Whole seconds since 1970. With glibc it loads a value that the kernel updates at each \
            timer tick, without reading a counter, so it can lag behind the other wall clocks by a \
            tick: clock_gettime may show a new second before time() does. Right for dates, useless \
            for intervals.",
    references: &["ISO C11 7.27.2.4", "time(2)", "Linux lib/vdso/gettimeofday.c, __cvdso_time()",],
    expect: &["time()"],
    open: here(all(), TIME_T, permitted()),
});

/// musl implements it with clock_gettime; other libraries load a stored time.
const FACTS: Facts = if cfg!(target_env = "musl") { VDSO } else { STORED };

/// musl implements it with clock_gettime, which reads the counter.
#[cfg(all(native_c, target_env = "musl"))]
fn permitted() -> Result<(), crate::clocks::Unavailable> {
    crate::clocks::permission::vdso()
}

/// It reads no counter.
#[cfg(all(native_c, not(target_env = "musl")))]
fn permitted() -> Result<(), crate::clocks::Unavailable> {
    Ok(())
}
