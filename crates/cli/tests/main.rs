//! The integration tests of this crate, as one program: linking takes longer than compiling one.

#[path = "common/checked_in.rs"]
mod checked_in;
mod common;
#[path = "common/mutate.rs"]
mod mutate;
// An emulated program cannot be started by a shell.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../../watch/tests/common/tmux.rs"]
mod tmux;
#[path = "common/waiting.rs"]
mod waiting;

mod baseline;
mod cases;
mod compare;
mod compare_history;
mod compare_many;
mod compare_run;
mod comparisons;
mod doctor;
mod fail_on;
mod fleet;
mod glance;
mod hostile;
mod names;
#[cfg(unix)]
mod noise;
mod options;
mod own_clock;
mod pages;
mod presets;
mod reports;
mod reproduce;
mod runs;
mod runtimes;
mod serve;
mod stored;
mod sweep;
mod texts;
mod trust;
mod under_load;
mod usage;
mod waits;
mod waits_ends;
mod waits_planted;
mod waits_troubles;
mod watch_terminal;
