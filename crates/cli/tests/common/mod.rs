//! Shared parts of the tests of the command line.

use std::process::{Command, Output};

/// The tool with these arguments, in a plain environment.
pub fn tool(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(args).env_remove("NO_COLOR").env("COLUMNS", "80").env("LANG", "C.UTF-8");
    command
}

/// The commands that several tests try, each in the shortest form that measures something.
#[allow(dead_code, reason = "not every file of tests needs them")]
pub const SHORT: [&[&str]; 8] = [
    &["--budget", "1s"],
    &["clocks", "rust", "--budget", "1s"],
    &["deltas", "rust/instant", "--reads", "100", "--budget", "300ms"],
    &["calls", "rust/instant", "--budget", "100ms"],
    &["overhead", "rust/instant", "9", "9", "9"],
    &["waits", "rust", "--wait", "1ms", "--count", "2"],
    &["hardware"],
    &["advise", "--budget", "1s"],
];

/// Runs the tool, and checks what holds for every run: nothing panics, and an error is one line.
pub fn run(args: &[&str]) -> Output {
    /// `ERROR_INTERNAL_ERROR`. Wine reports it on the rare occasions on which it does not start a
    /// program.
    const NOT_STARTED: Option<i32> = Some(1359);
    let mut output = tool(args).output();
    let again = |error: &std::io::Error| cfg!(windows) && error.raw_os_error() == NOT_STARTED;
    if output.as_ref().is_err_and(again) {
        output = tool(args).output();
    }
    let output = output.expect("the tool starts");
    check(args, &output);
    output
}

/// Checks what holds for every run.
pub fn check(args: &[&str], output: &Output) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        !errors.contains("panicked") && !errors.contains("RUST_BACKTRACE"),
        "{args:?}: {errors}"
    );
    assert!(
        output.status.code().is_some_and(|code| [0, 1, 2, 3, 130].contains(&code)),
        "{args:?}: {:?}",
        output.status
    );
}
