//! What QueryPerformanceCounter rests on in each version of Windows, and what it should rest on
//! here.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell, Fact};
use chronoscope_model::Environment;
use chronoscope_model::performance_counter::{VERSIONS, Versions, expected};

/// Nothing, unless this is Windows and its version is known.
pub(super) fn view(env: &Environment) -> Vec<Block> {
    let Some(expected) = expected(env) else {
        return Vec::new();
    };
    let mut rows = Rows::shown(columns(), Detail::Full);
    for versions in &VERSIONS {
        rows.add(versions, versions == expected.versions);
    }
    vec![
        Block::heading("QueryPerformanceCounter"),
        Block::Facts(vec![Fact::new("QPC should use", expected.why)]),
        Block::Table(rows.table()),
        Block::legend(
            "As an administrator, `bcdedit /set useplatformclock yes` makes Windows use the HPET \
             or the ACPI PM timer instead of the TSC, and `bcdedit /set useplatformtick yes` takes \
             the clock interrupt from such a device. `bcdedit /deletevalue useplatformclock` (or \
             useplatformtick) undoes that. Either takes effect at the next start; `bcdedit /enum` \
             shows what is set. By Microsoft Learn, Acquiring high-resolution time stamps.",
        ),
    ]
}

fn columns() -> Vec<Spec<Versions>> {
    columns! { versions in Versions;
        "" "Windows" [full name(12)] Cell::text(versions.name);
        "" "QPC rests on" [full gives_way(20)] Cell::text(versions.rests_on);
        "" "QPC's rate" [full gives_way(12)] Cell::text(versions.rate);
    }
}
