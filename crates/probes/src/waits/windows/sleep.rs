use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Facts, Kind, Language};

/// `Sleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/sleep",
    call: "Sleep(milliseconds)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: Facts { unit_ns: 1_000_000, ..DURATION },
    slack: true,
    home: "Windows",
    about: "Sleeps for whole milliseconds and ends at a tick of the system's timer. Ticks are 15.6 \
            ms apart unless some program has asked for less. A fraction of a millisecond is \
            rounded up here, so that the wait is not early.",
    references: &["Microsoft Learn, Sleep function (synchapi.h)"],
    code: Code::Before(|wait| format!("DWORD milliseconds = {};", wait.ns.div_ceil(1_000_000))),
    opener: on!(windows, imp::open),
};

#[cfg(windows)]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};
    use windows_sys::Win32::System::Threading::Sleep;

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Milliseconds)
    }

    struct Milliseconds;

    impl Method for Milliseconds {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            // The largest number means to wait forever.
            let ms = u32::try_from(ns.div_ceil(1_000_000)).unwrap_or(u32::MAX).min(u32::MAX - 1);
            // SAFETY: Sleep takes a number.
            unsafe { Sleep(ms) };
            Ok(())
        }
    }
}
