//! Systems without a folder of their own: what the standard library knows, and nothing else.

pub use super::lacking::*;

/// The folder under which files hold facts, if there are any.
pub const FILES: Option<&str> = Some("/");
