//! A whole machine that is booted with the tool in it.

use super::build::Build;
use crate::tally::Done;
use anyhow::Result;

pub fn check(_build: &Build<'_>) -> Result<Done> {
    Ok(Done::default())
}
