//! The page that measures the browser which opens it. It holds no report: its script measures, and
//! draws what it found as other pages are drawn.

use super::document::{Part, SCRIPT, document};
use super::text::{Once, prose};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chronoscope_model::Page;
use chronoscope_model::packed::{self, packed};
use chronoscope_model::page::pages;
use maud::html;
use std::sync::LazyLock;

/// The engine's estimators, from `crates/web`.
const ESTIMATORS: &[u8] = packed!("browser/estimators.wasm");

/// What measures, and what draws.
static PARTS: LazyLock<[String; 4]> = LazyLock::new(|| {
    let parts = [
        packed!("browser/clocks.js"),
        packed!("browser/waits.js"),
        packed!("browser/report.js"),
        packed!("browser/page.js"),
    ];
    parts.map(packed::text)
});

/// The page. `version` is that of the tool, which the report states.
pub fn page(version: &str) -> String {
    let once = &mut Once::new();
    let part = |page: Page| Part {
        id: once.id(page.name()),
        title: page.names[1].into(),
        body: html! {
            @if !page.about.is_empty() { p.deck { (prose(page.about)) } }
            div id={ (page.name()) "-body" } {}
        },
        class: if page.name() == "short" { "summary" } else { "" },
    };
    let parts: Vec<Part> = pages(packed!("browser/sections.md")).map(part).collect();
    let lines = html! {
        p.sub #status role="status" {
            "This page needs JavaScript: it measures where it is opened."
        }
        progress #progress max="1" value="0" aria-label="Measured so far" {}
        button #save type="button" hidden { "Save report" }
    };
    let estimators = STANDARD.encode(packed::bytes(ESTIMATORS));
    let held = html! {
        script #estimators type="text/plain" data-version=(version) { (estimators) }
    };
    // Other pages are whole when their script runs; this one is, once it has measured.
    let ([clocks, waits, report, page], shared) = (&*PARTS, &*SCRIPT);
    let text = format!(
        "'use strict';\nconst behave = () => {{\n{shared}}};\n{clocks}{waits}{report}{page}"
    );
    let script = (&*text, " 'wasm-unsafe-eval'; worker-src blob:");
    document("Time in this browser", &lines, &parts, once, &held, script).into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_one_file_below_half_a_megabyte() {
        let page = page("1.2.3");
        assert!(page.len() < 500_000, "{}", page.len());
        assert!(page.contains("data-version=\"1.2.3\""));
        for outside in ["src=\"http", "href=\"http", "import(", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    /// Each id of a clock, a wait or a finding.
    #[test]
    fn every_id_of_the_page_is_explained() {
        let ids = |before: &'static str| {
            let rest = PARTS.iter().flat_map(move |part| part.split(before).skip(1));
            rest.filter_map(|text| text.split_once('\'')).map(|(id, _)| id)
        };
        let (rows, findings) = (ids("id: '"), ids(" add('"));
        let ids: Vec<&str> = rows.filter(|id| id.starts_with("web/")).chain(findings).collect();
        assert!(ids.len() > 20, "{ids:?}");
        for id in ids {
            assert!(crate::terms::find(id).iter().any(|page| page.names == [id]), "{id}");
        }
    }

    #[test]
    fn no_script_ends_its_own_element() {
        assert!(PARTS.iter().all(|part| !part.to_ascii_lowercase().contains("</script")));
    }
}
