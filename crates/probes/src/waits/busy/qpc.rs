use crate::waits::entry::{Code, DEADLINE};
use crate::waits::{Entry, Kind, Language};
use chronoscope_model::snippet;

/// Spinning on `QueryPerformanceCounter`
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/qpc",
    call: "do { QueryPerformanceCounter(&now); } while (now.QuadPart < deadline);",
    language: Language::C,
    kind: Kind::Busy,
    facts: DEADLINE,
    slack: false,
    home: "Windows",
    about: "Reads Windows' own counter until the deadline. It is accurate to tens of ticks until \
            the machine is loaded, and then it fails completely.",
    references: &["Microsoft Learn, QueryPerformanceCounter"],
    code: Code::Lines(|wait| snippet::qpc_spin(wait.ns).alone()),
    opener: on!(windows, imp::open),
};

#[cfg(windows)]
mod imp {
    use crate::waits::spin::{spin, ticks};
    use crate::waits::windows_qpc as qpc;
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Qpc(qpc::hz()?))
    }

    struct Qpc(f64);

    impl Method for Qpc {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            spin(qpc::now(), ticks(ns, self.0), ns, qpc::now, || {})
        }
    }
}
