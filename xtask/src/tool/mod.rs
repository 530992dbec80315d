//! The command-line tool: its build, its report, and the commands that must work on every target.

mod build;
mod report;
mod smoke;

pub use build::{Built, release};
pub use report::{follows_schema, read as read_report};
pub use smoke::smoke;
