//! Faults of time on a machine: one file each, one line each in the list below.
//!
//! A fault is told only where the report holds evidence for it; what the report does not hold
//! proves nothing, and a healthy machine gets no finding.

use chronoscope_model::{Finding, Report};

/// One fault that can be found.
pub struct Fault {
    /// A stable name, which `--allow` takes.
    pub id: &'static str,
    /// In one line.
    pub title: &'static str,
    /// What it is, how it comes about, and what it costs.
    pub about: &'static str,
    /// What to do about it.
    pub fix: &'static str,
    /// Where to read more.
    pub reference: &'static str,
    /// Looks for it.
    pub look: fn(&Report, &Fault) -> Option<Finding>,
}

impl Fault {
    /// The finding of this fault, with its own title, fix and reference.
    fn found(
        &self,
        level: chronoscope_model::Level,
        certainty: chronoscope_model::Certainty,
        evidence: Vec<String>,
    ) -> Option<Finding> {
        Some(Finding {
            id: self.id.into(),
            level,
            certainty,
            title: self.title.into(),
            evidence,
            fix: self.fix.into(),
            reference: self.reference.into(),
        })
    }
}

macro_rules! faults {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        /// Every fault, by name.
        pub const ALL: &[&Fault] = &[$(&$file::FAULT),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

faults! {
    clock_backwards,
    clock_not_in_vdso,
    emulated_cpu,
    frequency_changed,
    governor_powersave,
    no_vdso,
    noisy_machine,
    noisy_neighbour,
    on_battery,
    slow_clocksource_acpi_pm,
    slow_clocksource_hpet,
    slow_clocksource_jiffies,
    slow_clocksource_xen,
    tsc_rate_mismatch,
    tsc_variant,
}

/// What is wrong, worst first.
pub fn findings(report: &Report) -> Vec<Finding> {
    let mut found: Vec<Finding> = ALL
        .iter()
        .filter_map(|fault| (fault.look)(report, fault))
        .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_in_the_list_and_named_as_its_fault() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/faults");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder of this very file")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| name != "mod")
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|&f| f.to_owned()).collect();
        assert_eq!(files, listed);
        let ids: BTreeSet<String> = ALL.iter().map(|f| f.id.replace('-', "_")).collect();
        assert_eq!(ids, listed);
    }

    #[test]
    fn an_empty_report_proves_nothing() {
        assert_eq!(findings(&Report::default()), Vec::new());
    }
}
