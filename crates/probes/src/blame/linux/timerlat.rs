//! The kernel's own measurement of wake-ups, which the tool does not use: its tracer runs a thread
//! of its own with a real-time priority on each CPU, and reports nothing about the waits of other
//! threads (Linux Documentation/trace/timerlat-tracer.rst).

use super::super::{Missing, trace};
use std::fs;
use std::io::ErrorKind;

/// Why an idle exit stays together with the interrupt and the switch after it.
pub(super) fn missing() -> Missing {
    let folders = trace::folders().into_iter();
    let tracers = folders.map(|folder| fs::read_to_string(folder.join("available_tracers")));
    let tracers: Vec<_> = tracers.map(|it| it.map_err(|error| error.kind())).collect();
    Missing {
        id: "timerlat",
        loses: "the timer's interrupt and the start of the thread",
        reason: reason(&tracers).to_owned(),
    }
}

fn reason(tracers: &[Result<String, ErrorKind>]) -> &'static str {
    let named = |list: &String| list.split_whitespace().any(|name| name == "timerlat");
    if tracers.iter().flatten().any(named) {
        return "only the kernel's timerlat tracer times both, in threads of its own; as root, \
                compare with `rtla timerlat top`";
    }
    if tracers.iter().any(Result::is_ok) {
        return "this kernel has no timerlat tracer (CONFIG_TIMERLAT_TRACER, Linux 5.14)";
    }
    if tracers.contains(&Err(ErrorKind::PermissionDenied)) {
        "that needs the kernel's timerlat tracer, which only root may use"
    } else {
        "that needs the kernel's timerlat tracer, and no tracefs is mounted"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kernel_has_its_reason() {
        let list = |text: &str| Ok(text.to_owned());
        let none = || Err(ErrorKind::NotFound);
        for (tracers, says) in [
            ([list("timerlat osnoise nop\n"), none()], "rtla"),
            ([none(), list("timerlat nop\n")], "rtla"),
            ([list("function nop\n"), none()], "CONFIG_TIMERLAT_TRACER"),
            ([list(""), none()], "CONFIG_TIMERLAT_TRACER"),
            ([Err(ErrorKind::PermissionDenied), none()], "only root"),
            ([none(), none()], "no tracefs"),
        ] {
            assert!(reason(&tracers).contains(says), "{tracers:?}");
        }
        assert!(!missing().reason.is_empty());
    }
}
