//! The command-line tool: its build, the report that it prints, and the runs that must succeed on
//! every target.

mod build;
mod report;
mod smoke;

pub use build::{Built, release};
pub use report::{follows_schema, read as read_report};
pub use smoke::smoke;
