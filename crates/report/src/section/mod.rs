//! The sections of a report: one file each, one line each in the list below. A section describes
//! itself once, as blocks and as columns with typed cells, and knows no format.

pub(crate) mod shared;

use crate::block::{Block, Table};
use crate::page::Input;
use chronoscope_model::{Report, Wait};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// The section's part of a summary.
    Brief,
    /// The section on its own.
    #[default]
    Full,
    /// Everything that is known.
    Everything,
}

/// How a section looks on a page of these reports.
pub type Page = fn(&[Input<'_>]) -> Vec<Block>;

pub struct Section {
    pub id: &'static str,
    /// The section's keys in the report, and what one record of each is called.
    pub records: &'static [(&'static str, &'static str)],
    /// Whether a run is made for this section, which is neither circumstances nor conclusions.
    pub measured: bool,
    /// The file with the pages on the names that the section shows (see [`terms`](crate::terms)).
    pub terms: &'static str,
    /// The section's blocks; none if the report does not hold the section.
    pub view: fn(&Report, Detail) -> Vec<Block>,
    /// The blocks for a screen that must not scroll, with this many clocks of a kind; absent if
    /// they are those in brief.
    pub glance: Option<fn(&Report, usize) -> Vec<Block>>,
    /// The section's part of a page that shows these reports, all of which hold it; absent if it is
    /// the view of each. It begins with a heading whose remark states the finding in one sentence.
    pub page: Option<Page>,
    /// The rows for programs, which use the keys of the columns; no rows if the report does not
    /// hold the section. Absent if the section is not a table.
    pub table: Option<fn(&Report) -> Table>,
    pub distributions: Option<fn(&Report) -> Vec<Distribution<'_>>>,
}

/// The defaults of a section.
const SECTION: Section = Section {
    id: "",
    records: &[],
    measured: false,
    terms: "",
    view: |_, _| Vec::new(),
    glance: None,
    page: None,
    table: None,
    distributions: None,
};

/// The durations behind one row of a section.
#[derive(Clone, Debug)]
pub struct Distribution<'a> {
    pub wait: &'a Wait,
    /// What distinguishes this row from others, without spaces and commas.
    pub tag: String,
    /// The tag in words.
    pub label: String,
}

macro_rules! sections {
    ($($file:ident $(and $more:ident)?,)*) => {
        $(pub mod $file;)*

        /// Every section, in the order in which a summary shows them.
        pub static ALL: &[&Section] = &[$($(&$file::$more,)? &$file::SECTION),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

sections! {
    run,
    machine,
    clocks,
    waits,
    deltas,
    calls,
    overhead,
    runtimes,
    trust,
    against,
    noise,
    sweep,
    findings and NOTES,
    advice,
}

/// The sections that suit a document about this report: the section that it was made for in full,
/// or several of them in brief; its circumstances and conclusions in brief. If nothing was
/// measured, it was made for the machine.
pub(crate) fn of_document(report: &Report) -> Vec<(&'static Section, Detail)> {
    let held = |section: &Section| section.measured && section.rows(report).is_some();
    let measured = measured(report).len();
    let detail = |section: &Section| match (section.measured, measured) {
        // A reader elsewhere cannot ask for more.
        _ if section.id == findings::SECTION.id => Detail::Everything,
        (true, 1) => Detail::Full,
        (false, 0) if section.table.is_some() => Detail::Full,
        _ => Detail::Brief,
    };
    let sections = ALL.iter().copied();
    sections
        .filter(|section| !section.measured || held(section))
        .map(|section| (section, detail(section)))
        .collect()
}

/// The sections that the report was made for.
pub fn measured(report: &Report) -> Vec<&'static Section> {
    let held = |section: &&&Section| section.measured && section.rows(report).is_some();
    ALL.iter().filter(held).copied().collect()
}

/// The section that a screen is about, if it is one.
pub fn of_screen(screen: &str) -> Option<&'static Section> {
    let id = match screen {
        "hardware" => machine::SECTION.id,
        "advise" => advice::SECTION.id,
        "ticks" | "bins" => waits::SECTION.id,
        "traceability" => against::SECTION.id,
        "stability" => trust::SECTION.id,
        "findings" => return None,
        other => other,
    };
    ALL.iter().copied().find(|section| section.id == id)
}

/// The table of the section that the report's screen is about, with the name of that section. If
/// the screen is about several, or about none with a table, all that the report was made for, and
/// if that is nothing, the first that it holds.
pub(crate) fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    let rows = |section: &&'static Section| Some((section.id, section.rows(report)?));
    let screen = report.run.screen.as_deref().and_then(of_screen);
    // A sweep shows the runtimes that it measured under each source.
    let screen = screen.filter(|it| it.id != sweep::SECTION.id || report.runtimes.is_empty());
    if let Some(asked) = screen.as_ref().and_then(rows) {
        return vec![asked];
    }
    let measured: Vec<_> = measured(report).iter().filter_map(rows).collect();
    if measured.is_empty() { ALL.iter().find_map(rows).into_iter().collect() } else { measured }
}

pub fn distributions(report: &Report) -> Vec<Distribution<'_>> {
    let all = ALL.iter().filter_map(|section| section.distributions);
    all.flat_map(|of| of(report)).collect()
}

fn heading_of(report: &Report, id: &str) -> Block {
    let clock = report.clocks.iter().find(|clock| clock.id == id);
    Block::noted(id, clock.map_or("", |clock| &clock.call))
}

impl Section {
    /// Whether the report holds anything of the section.
    pub fn is_in(&self, report: &Report) -> bool {
        match self.table {
            Some(_) => self.rows(report).is_some(),
            None => !(self.view)(report, Detail::Brief).is_empty(),
        }
    }

    fn rows(&self, report: &Report) -> Option<Table> {
        let table = (self.table?)(report);
        (!table.is_empty()).then_some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_file_is_in_the_list_and_named_after_its_section() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/section");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder of this very file")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| !["mod", "shared"].contains(&&**name))
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|&f| f.to_owned()).collect();
        let missing: Vec<&String> = files.difference(&listed).collect();
        assert!(missing.is_empty(), "src/section/mod.rs does not list {missing:?}");
        let ids: BTreeSet<String> = ALL.iter().map(|section| section.id.to_owned()).collect();
        assert!(listed.is_subset(&ids), "{ids:?}");
    }

    /// NDJSON contains only what a section names.
    #[test]
    fn every_key_of_a_report_belongs_to_one_section() {
        let schema: serde_json::Value =
            serde_json::from_str(&chronoscope_model::schema::REPORT).expect("it is JSON");
        let properties = schema["properties"].as_object().into_iter().flatten();
        let mut keys: Vec<String> = properties.map(|(key, _)| key.clone()).collect();
        keys.retain(|key| key != "schema");
        keys.sort();
        let records = ALL.iter().flat_map(|section| section.records);
        let mut named: Vec<String> = records.map(|(key, _)| (*key).to_owned()).collect();
        named.sort();
        assert_eq!(named, keys);
    }
}
