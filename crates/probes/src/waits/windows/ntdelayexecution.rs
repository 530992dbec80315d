use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Facts, Kind, Language};

/// `NtDelayExecution`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/ntdelayexecution",
    call: "NtDelayExecution(FALSE, &interval)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: Facts { unit_ns: 100, ..DURATION },
    slack: true,
    home: "Windows",
    about: "The function below Sleep, in units of 100 ns. Microsoft does not document it.",
    references: &["NTAPI, NtDelayExecution, as ReactOS and Wine have it"],
    code: Code::Before(|wait| {
        format!(
            "NTSTATUS (NTAPI *NtDelayExecution)(BOOLEAN, LARGE_INTEGER *) =\n    \
             (void *)GetProcAddress(GetModuleHandleW(L\"ntdll\"),\n    \
             \"NtDelayExecution\");\n\
             LARGE_INTEGER interval = {{ .QuadPart = -{}LL }};",
            wait.ns.div_ceil(100)
        )
    }),
    opener: on!(windows, imp::open),
};

#[cfg(windows)]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};

    #[link(name = "ntdll")]
    unsafe extern "system" {
        fn NtDelayExecution(alertable: u8, interval: *const i64) -> i32;
    }

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Delay)
    }

    struct Delay;

    impl Method for Delay {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let interval = -i64::try_from(ns.div_ceil(100)).unwrap_or(i64::MAX);
            // SAFETY: the interval outlives the call, which only reads it.
            match unsafe { NtDelayExecution(0, &raw const interval) } {
                0 => Ok(()),
                status => Err(status),
            }
        }
    }
}
