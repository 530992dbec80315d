//! Sets of stored runs next to each other.

use super::{Args, each, shown};
use crate::context::Context;
use crate::error::Usage;
use crate::task::Task;
use chronoscope_diagnose::compare::{COLUMNS, Set, sets};
use std::path::PathBuf;

/// What changed from the first set to each of the others, by the spread of the runs of each.
pub fn task(files: &[PathBuf], args: &Args, context: &Context) -> anyhow::Result<Task> {
    if files.len() > COLUMNS {
        return Err(Usage(format!("{} sets: name at most {COLUMNS}", files.len())).into());
    }
    let mut all = Vec::new();
    for path in files {
        let mut set = Set::new(&path.display().to_string());
        each::each(path, &mut |file, report| match report {
            Ok(report) => set.add(&report),
            Err(why) => context.warn(&format!("left out: {file}: {why}")),
        })?;
        all.push(set);
    }
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    shown(sets(all, seed).map_err(Usage)?, Vec::new(), args, context)
}
