//! A report next to each report of folders and streams, in one line each.

use super::{Args, each, shown};
use crate::context::Context;
use crate::task::Task;
use chronoscope_diagnose::compare::{brief, many};
use chronoscope_model::Report;
use std::path::PathBuf;

pub fn task(
    (name, first): &(String, Report),
    files: &[PathBuf],
    args: &Args,
    context: &Context,
) -> anyhow::Result<Task> {
    let mut others = Vec::new();
    for path in files {
        each::each(path, &mut |file, report| {
            others.push(brief((name, first), &file, report.as_ref().map_err(Clone::clone)));
        })?;
    }
    // Of the others there is only one in memory at a time.
    let reports = vec![(name.clone(), first.clone())];
    shown(many((name, first), others), reports, args, context)
}
