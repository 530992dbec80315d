//! Whether the process ignores the loss of its terminal.

/// Whether SIGHUP is ignored, as nohup(1) arranges for the program that it starts.
#[cfg(unix)]
pub fn is_ignored() -> bool {
    // SAFETY: a null pointer asks for no change; zero is a valid content of the place that
    // sigaction(2) fills.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    }
}
