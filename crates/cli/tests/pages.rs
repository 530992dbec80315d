//! Pages: written by each command, and read back wherever a report is.

use crate::checked_in;

use crate::common::run;
use chronoscope_model::Report;
use chronoscope_report::json;
use chronoscope_report::page::{self, Input, embed};
use std::fs;
use std::path::Path;
use std::process::Output;

fn stored(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    folder.join(format!("{name}.json")).display().to_string()
}

const LINUX: &str = "x86_64-unknown-linux-gnu";
const ARM: &str = "aarch64-unknown-linux-gnu";

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn complaint(code: i32, args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.stdout.is_empty() && line.lines().count() == 1, "{line}");
    line
}

fn written(report: &Report) -> Vec<u8> {
    let mut bytes = Vec::new();
    json::write(report, &mut bytes).expect("room");
    bytes
}

#[test]
fn every_report_comes_back_from_its_page() {
    for (file, bytes) in checked_in::all() {
        let report = json::read(&bytes).expect(&file);
        let mut page = Vec::new();
        page::write(&[Input { name: "one", report: &report }], &mut page).expect("room");
        let held = embed::held(&page).expect("a page").expect(&file);
        let [(name, back)] = &held[..] else { panic!("{file}: {}", held.len()) };
        assert_eq!(name, "one");
        assert!(written(back) == written(&report), "{file}");
    }
}

#[test]
fn a_page_is_written_next_to_other_exports_and_read_like_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (one, json, both) = (at("one.html"), at("one.json"), at("both.html"));
    let (linux, arm) = (stored(LINUX), stored(ARM));
    let screen = text(&run(&["report", &linux, "-o", &one, "-o", &json]));
    assert_eq!(text(&run(&["report", &one])), screen);
    assert_eq!(
        fs::read(&json).expect("a file"),
        text(&run(&["report", &one, "--json"])).as_bytes()
    );
    let page = fs::read_to_string(&one).expect("a page");
    assert_eq!(text(&run(&["report", &linux, "--as", "html"])), page);
    assert!(text(&run(&["report", &linux, &arm, "-q", "-o", &both])).is_empty());
    let shown = text(&run(&["report", &linux, &arm, "--as", "html"]));
    assert_eq!(shown, fs::read_to_string(&both).expect("a page"));
    let compared = text(&run(&["compare", &linux, &arm]));
    assert_eq!(text(&run(&["compare", &both])), compared);
    assert_eq!(text(&run(&["compare", &one, &arm])).lines().count(), compared.lines().count());
    // A comparison is a page, too, and holds what it compares.
    let page = at("compared.html");
    assert_eq!(text(&run(&["compare", &linux, &arm, "-o", &page])), compared);
    assert_eq!(text(&run(&["compare", &page])), compared);
    // Reports of one name keep their folders.
    fs::create_dir(folder.path().join("b")).expect("room");
    let same = at("b/one.json");
    fs::copy(&arm, &same).expect("room");
    assert!(run(&["report", &json, &same, &same, "-o", &both]).status.success());
    let held = embed::held(&fs::read(&both).expect("a page")).expect("a page").expect("reports");
    let names: Vec<&str> = held.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [json.clone(), same.clone(), format!("{same} (2)")]);
    // A folder of pages, of which each report is one.
    let many: serde_json::Value =
        serde_json::from_str(&text(&run(&["compare", &linux, &at(""), "--json"]))).expect("JSON");
    let others = many["others"].as_array().expect("others");
    assert!(others.iter().all(|it| it.get("error").is_none()), "{others:?}");
    assert_eq!(others.len(), 1 + 3 + 2 + 1);
}

#[test]
fn several_reports_need_a_page_or_a_table() {
    let (a, b) = (stored(LINUX), stored(ARM));
    for (options, why) in [
        (&[][..], "-o page.html"),
        (&["--as", "clocks"], "-o page.html"),
        (&["--json"], "json holds one report"),
        (&["--as", "markdown"], "markdown holds one report"),
        (&["--export", "markdown=-"], "markdown holds one report"),
        (&["--export", "html=-", "--with", &a], "--with"),
        (&["--export", "html=-", "-v"], "--verbose"),
    ] {
        let line = complaint(2, &[&["report", &a, &b], options].concat());
        assert!(line.contains(why), "{line}");
    }
    assert!(complaint(2, &["report", "-", "-"]).contains("once"));
    let failed = ["report", &a, &b, "--export", "html=-", "--fail-on", "info"];
    assert!([Some(0), Some(1)].contains(&run(&failed).status.code()));
}

#[test]
fn a_page_that_cannot_be_read_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    let path = file.display().to_string();
    let (a, b) = (stored(LINUX), stored(ARM));
    let page = text(&run(&["report", &a, &b, "--as", "html"]));
    for (bytes, why) in [
        ("<!DOCTYPE html><html></html>", "holds no report"),
        (&page[..page.floor_char_boundary(page.len() / 2)], "page"),
        (&page[..page.len() - 8], "cut off"),
        (&page, "it holds 2 reports"),
    ] {
        fs::write(&file, bytes).expect("room");
        let line = complaint(2, &["advise", "--from", &path]);
        assert!(line.contains(why) && line.contains(&path), "{line}");
    }
}

#[test]
fn pictures_go_to_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("room");
    let (a, taken) = (stored(LINUX), format!("svg={}", file.display()));
    assert!(complaint(1, &["report", &a, "--export", &taken]).contains("not a directory"));
    for (export, why) in [("svg=-", "are files"), ("x.svg", "svg=DIR"), ("svg=", "missing")] {
        assert!(complaint(2, &["report", &a, "--export", export]).contains(why));
    }
    for export in ["png=x", "PNG=-", "x.png"] {
        let line = complaint(2, &["report", &a, "--export", export]);
        assert!(line.contains("svg=DIR") && line.contains("rsvg-convert"), "{line}");
    }
    // A machine's facts have no chart.
    let none = folder.path().join("none.json");
    fs::write(&none, run(&["hardware", "--json"]).stdout).expect("room");
    let pictures = format!("svg={}", folder.path().join("new/pictures").display());
    let output = run(&["report", &none.display().to_string(), "--export", &pictures]);
    let line = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && line.contains("has a chart"), "{line}");
}

/// The values of this attribute in an SVG.
fn values<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    let before = format!(" {name}=\"");
    let parts = svg.split(&before).skip(1);
    parts.map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

/// Every element is closed in its order.
fn is_well_formed(svg: &str) -> bool {
    let mut open = Vec::new();
    for part in svg.split('<').skip(1) {
        let Some((tag, text)) = part.split_once('>') else { return false };
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) if open.pop() != Some(name) => return false,
            (false, false) => open.push(name),
            _ => {}
        }
        let entities = ["&amp;", "&lt;", "&gt;", "&quot;"];
        let sound = |at: usize| entities.iter().any(|it| text[at..].starts_with(it));
        if tag.matches('"').count() % 2 != 0 || !text.match_indices('&').all(|it| sound(it.0)) {
            return false;
        }
    }
    open.is_empty()
}

#[test]
fn pictures_are_files_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let pictures = folder.path().join("new/pictures");
    let export = format!("svg={}", pictures.display());
    let output = run(&["report", &stored(LINUX), "--export", &export]);
    assert!(output.status.success(), "{output:?}");
    let files: Vec<_> = fs::read_dir(&pictures).expect("a folder").flatten().collect();
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_name().into_string().expect("a name");
        assert!(name.ends_with(".svg"), "{name}");
        let svg = fs::read_to_string(file.path()).expect("text");
        assert!(svg.starts_with("<svg xmlns=") && is_well_formed(&svg), "{name}: {svg}");
        assert!(svg.matches("<text").count() > 3, "{name} has no words");
        for bad in ["var(", "currentColor", "class=", "NaN", "inf\"", "href", "<script"] {
            assert!(!svg.contains(bad), "{name}: {bad}");
        }
        // Places are figures, not percentages, and within the picture.
        let number = |text: &&str| text.parse::<f64>().unwrap_or_else(|_| panic!("{name}: {text}"));
        let [wide, high] = ["width", "height"].map(|of| number(&values(&svg, of)[0]));
        for (names, end) in [(["x", "x1", "x2", "cx"], wide), (["y", "y1", "y2", "cy"], high)] {
            for at in names.iter().flat_map(|of| values(&svg, of)) {
                assert!((0.0..=end).contains(&number(&at)), "{name}: {at}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let a = stored(LINUX);
    for command in [&["report", &a, &a][..], &["report", &a], &["compare", &a, &a]] {
        let output = run(&[command, &["--export", "html=/dev/full"]].concat());
        let line = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && line.contains("/dev/full"), "{line}");
    }
}

#[test]
fn pictures_replace_files_as_other_exports_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let (a, export) = (stored(LINUX), format!("svg={}", folder.path().display()));
    let files = || {
        assert!(run(&["report", &a, "--export", &export]).status.success());
        let files = fs::read_dir(folder.path()).expect("a folder").flatten();
        let mut files: Vec<_> =
            files.map(|it| (it.path(), fs::read(it.path()).expect("a file"))).collect();
        files.sort();
        files
    };
    let first = files();
    fs::write(&first[0].0, "old").expect("room");
    assert!(files() == first);
}

#[test]
fn the_list_of_formats_has_pictures() {
    let list: serde_json::Value =
        serde_json::from_str(&text(&run(&["list", "formats", "--json"]))).expect("JSON");
    let list = list.to_string();
    for format in ["html", "svg"] {
        assert!(list.contains(&format!("\"id\":\"{format}\"")), "{list}");
    }
}

#[test]
fn a_history_of_pages_leaves_out_what_is_no_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let report = fs::read_to_string(stored(LINUX)).expect("a report");
    let mut value: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let json = tempfile::NamedTempFile::new().expect("a file");
    for day in 10..18 {
        value["run"]["id"] = format!("{day:016x}").into();
        value["run"]["started"] = format!("2026-10-{day}T08:00:00Z").into();
        value["run"]["finished"] = format!("2026-10-{day}T08:01:00Z").into();
        fs::write(json.path(), value.to_string()).expect("room");
        let stored = json.path().display().to_string();
        text(&run(&["report", &stored, "-q", "-o", &at(&format!("{day}.html"))]));
    }
    let history = ["compare", "--history", &at("")];
    let alone = text(&run(&history));
    fs::write(at("other.html"), "<html>hello</html>").expect("room");
    let output = run(&history);
    let line = String::from_utf8_lossy(&output.stderr);
    assert!(line.contains("left out: other.html: the page holds no report"), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    let told = "  left out  1 file that cannot be read\n";
    assert_eq!(text(&output).replacen(told, "", 1), alone);
}

#[test]
fn the_page_that_measures_is_written_to_a_file_or_to_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("b.html").display().to_string();
    assert!(text(&run(&["browser", "-o", &file])).contains(&file));
    let page = text(&run(&["browser", "-o", "-"]));
    assert_eq!(fs::read_to_string(&file).expect("a page"), page);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("performance.now()"));
    complaint(1, &["browser", "-o", "/no/such/folder/b.html"]);
    complaint(2, &["browser", "--port", "1"]);
}

/// What the page saved in Chromium.
#[test]
fn the_report_of_a_browser_is_shown_and_compared() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/browser.json");
    let file = file.display().to_string();
    let screen = text(&run(&["report", &file]));
    assert!(screen.contains("web/performance-now") && screen.contains("100 us steps"), "{screen}");
    let doctor = text(&run(&["doctor", &file]));
    assert!(doctor.contains("browser-clamp"), "{doctor}");
    text(&run(&["compare", &file, &file]));
    let bytes = fs::read(&file).expect("a report");
    let report = json::read(&bytes).expect("a report");
    assert!(report.waits.iter().filter(|it| it.available).all(|it| it.overshoot.decode().is_ok()));
}
