use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};

/// `spin_sleep::sleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "spin_sleep",
    call: "spin_sleep::sleep(duration)",
    language: Language::Rust,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "builds with the feature `peers`",
    about: "The best-known library of this kind. It sleeps until a fixed margin before the \
            deadline (125 us on Unix), then calls sched_yield until the deadline.",
    references: &["docs.rs/spin_sleep"],
    code: Code::Before(|wait| {
        format!("let duration = std::time::Duration::from_nanos({});", wait.ns)
    }),
    opener: Some(imp::open),
};

#[cfg(not(feature = "peers"))]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<Box<dyn Method>, Unavailable> {
        Err(Unavailable(
            "this build does not contain other libraries: build with --features peers".into(),
        ))
    }
}

#[cfg(feature = "peers")]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};
    use std::time::Duration;

    pub(super) fn open(_: &Setting) -> Result<Box<dyn Method>, Unavailable> {
        Ok(Box::new(SpinSleep))
    }

    struct SpinSleep;

    impl Method for SpinSleep {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            spin_sleep::sleep(Duration::from_nanos(ns));
            Ok(())
        }
    }
}
