//! The reports in a page: compressed, in an element that no browser executes, so that the page can
//! be read back like the file that it was made of.

use super::Input;
use crate::clean::clean;
use crate::format::json::{self, LARGEST, ReadError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chronoscope_model::Report;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};
use memchr::memmem;
use std::io::{self, Read};

/// The type of the elements. Browsers execute only types of JavaScript and know none like this one
/// (HTML, "The script element").
const TYPE: &str = "application/vnd.chronoscope.report+json+gzip";
/// The most reports in a page that is read.
const MOST: usize = 64;
/// The most characters of a report's name that are read.
const LONGEST: usize = 200;

/// The elements that hold these reports with their names: each report as JSON, compressed with gzip
/// (RFC 1952) and in base64 (RFC 4648, section 4). The same reports give the same bytes. A report
/// that JSON cannot represent is left out.
pub fn element(inputs: &[Input<'_>]) -> Markup {
    html! {
        @for input in inputs {
            @if let Ok(text) = packed(input.report) {
                script type=(TYPE) data-name=(clean(input.name)) { (PreEscaped(text)) }
            }
        }
    }
}

fn packed(report: &Report) -> io::Result<String> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut packed, &json::finite_value(report)?)?;
    Ok(STANDARD.encode(packed.finish()?))
}

/// The reports in a page, with their names; absent if these bytes are not a page. They are not
/// trusted: see [`json::read`]. What the reports of a page decompress to has one limit in all.
///
/// # Errors
/// The page holds no report, or one that cannot be read.
pub fn held(page: &[u8]) -> Option<Result<Vec<(String, Report)>, ReadError>> {
    let page = page.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(page);
    page.trim_ascii_start().starts_with(b"<").then(|| read(page, LARGEST))
}

/// Reads the reports, which may decompress to so many bytes in all.
fn read(page: &[u8], most: usize) -> Result<Vec<(String, Report)>, ReadError> {
    if page.len() > LARGEST {
        return Err(ReadError::TooLarge { bytes: page.len() });
    }
    // Text on the page is escaped, so this stands nowhere else.
    let start = format!("<script type=\"{TYPE}\" data-name=\"");
    let (mut reports, mut left, mut rest) = (Vec::new(), most, page);
    while let Some((_, element)) = split(rest, start.as_bytes()) {
        if reports.len() == MOST {
            return Err(damaged(&format!("there are more than {MOST}")));
        }
        let parts = split(element, b"\">")
            .and_then(|(name, after)| Some((name, split(after, b"</script>")?)));
        let (name, (text, after)) = parts.ok_or_else(|| damaged("the page is cut off"))?;
        let bytes = unpacked(text, left)?;
        left -= bytes.len();
        reports.push((name_of(name), json::read(&bytes)?));
        rest = after;
    }
    match reports.is_empty() {
        true => Err(ReadError::NoneInPage),
        false if split(rest, b"</html>").is_none() => Err(damaged("the page is cut off")),
        false => Ok(reports),
    }
}

/// Decodes and decompresses a report of at most so many bytes.
fn unpacked(text: &[u8], most: usize) -> Result<Vec<u8>, ReadError> {
    let packed = STANDARD.decode(text).map_err(|error| damaged(&error.to_string()))?;
    let (mut packed, mut bytes) = (GzDecoder::new(&packed[..]), Vec::new());
    let limited = packed.by_ref().take(most as u64 + 1).read_to_end(&mut bytes);
    if bytes.len() > most {
        let line = format!("what it holds decompresses to more than {} MiB", LARGEST >> 20);
        return Err(damaged(&line));
    }
    limited.map_err(|error| damaged(&error.to_string()))?;
    match packed.into_inner() {
        [] => Ok(bytes),
        [..] => Err(damaged("something follows its end")),
    }
}

fn damaged(why: &str) -> ReadError {
    ReadError::Damaged { why: clean(why).chars().take(LONGEST).collect() }
}

/// The name as it was before [`element`] or a browser escaped it.
fn name_of(escaped: &[u8]) -> String {
    let escaped: String = String::from_utf8_lossy(escaped).chars().take(5 * LONGEST).collect();
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    let name = signs.iter().fold(escaped, |name, (from, to)| name.replace(from, to));
    clean(&name).chars().take(LONGEST).collect()
}

/// What stands before and after the first place of `what`.
fn split<'a>(bytes: &'a [u8], what: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memmem::find(bytes, what)?;
    Some((&bytes[..at], &bytes[at + what.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::SCHEMA;
    use std::io::Write;

    fn report(about: &str) -> Report {
        let mut report = Report { schema: SCHEMA.into(), ..Report::default() };
        report.run.argv = vec![about.into()];
        report
    }

    fn page(inputs: &[Input<'_>]) -> String {
        html! { (maud::DOCTYPE) html { body { (element(inputs)) } } }.into_string()
    }

    fn refused(page: &str) -> String {
        let line = held(page.as_bytes()).expect("a page").expect_err("it is refused").to_string();
        assert!(line.lines().count() == 1 && line.chars().count() < 400, "{line}");
        line
    }

    /// A page with this in the place of a report.
    fn around(text: &str) -> String {
        format!("<html><script type=\"{TYPE}\" data-name=\"x\">{text}</script></html>")
    }

    fn gzip(write: impl FnOnce(&mut GzEncoder<Vec<u8>>)) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        write(&mut packed);
        packed.finish().expect("room")
    }

    #[test]
    fn reports_and_names_come_back_as_they_were() {
        let hostile = "</script><!--<script>&amp;&quot;\"'>]]>&lt;\u{2028}\u{0}";
        let reports = [report(hostile), report("b")];
        let inputs = [hostile, "b.json"];
        let inputs: Vec<Input> =
            inputs.iter().zip(&reports).map(|(name, report)| Input { name, report }).collect();
        let text = page(&inputs);
        assert_eq!(text, page(&inputs));
        assert_eq!(text.matches("<script").count(), 2);
        assert_eq!(text.matches("</script>").count(), 2);
        assert!(!text.contains("<!--"), "{text}");
        let back = held(text.as_bytes()).expect("a page").expect("reports");
        assert_eq!(back[0].0, clean(hostile));
        assert_eq!(back[1].0, "b.json");
        for ((_, back), report) in back.iter().zip(&reports) {
            assert_eq!(back.run.argv, report.run.argv);
        }
        // A browser that saves the page escapes fewer signs.
        let saved = text.replace("&lt;", "<").replace("&gt;", ">");
        let name = name_of(saved.split("data-name=\"").nth(1).expect("one").as_bytes());
        assert!(name.starts_with("</script>"), "{name}");
    }

    #[test]
    fn what_is_no_page_is_left_to_others_and_damage_is_one_line() {
        assert!(held(b"{}").is_none() && held(b"").is_none());
        assert!(held(b"\xEF\xBB\xBF\n<!DOCTYPE html>").is_some());
        assert!(refused("<html></html>").contains("holds no report"));
        let own = report("x");
        let text = page(&[Input { name: "x", report: &own }]);
        for end in 0..text.len() - "</html>".len() {
            if let Some(read) = held(&text.as_bytes()[..end]) {
                read.expect_err("it is cut off");
            }
        }
        let good = gzip(|it| it.write_all(b"{}").expect("room"));
        let bad = [good.clone(), b"x".to_vec()].concat();
        for (text, why) in [
            (String::new(), "damaged"),
            ("####".into(), "damaged"),
            ("QUJD\nQUJD".into(), "damaged"),
            (STANDARD.encode("no gzip"), "damaged"),
            (STANDARD.encode(&good[..good.len() - 3]), "damaged"),
            (STANDARD.encode(bad), "something follows"),
            (STANDARD.encode(good), "not a chronoscope report"),
        ] {
            assert!(refused(&around(&text)).contains(why), "{text}");
        }
        let many = page(&vec![Input { name: "", report: &own }; MOST + 1]);
        assert!(refused(&many).contains("more than 64"));
    }

    #[test]
    fn a_bomb_is_refused() {
        const MOST: usize = 4 << 20;
        let bomb = gzip(|it| it.write_all(&vec![b' '; MOST + 1]).expect("room"));
        assert!(bomb.len() < MOST / 100);
        let error = read(around(&STANDARD.encode(bomb)).as_bytes(), MOST).expect_err("a bomb");
        assert!(error.to_string().contains("decompresses to more than"), "{error}");
    }
}
