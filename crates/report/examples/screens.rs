//! Prints every screen from a fixed report: `cargo run -p chronoscope-report --example screens --
//! [WIDTH] [SCREEN] [plain|ascii|verbose]…`

#[path = "../../diagnose/tests/machines/mod.rs"]
mod machines;
#[path = "../tests/samples/mod.rs"]
mod samples;

use chronoscope_report::section::Detail;
use chronoscope_report::text::Style;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| args.iter().any(|a| a == word);
    let style = Style {
        width: args.iter().find_map(|a| a.parse().ok()).unwrap_or(80),
        color: !has("plain"),
        unicode: !has("ascii"),
    };
    let detail = match has("verbose") {
        true => Detail::Everything,
        false => Detail::Full,
    };
    let words = ["plain", "ascii", "verbose"];
    let wanted = args.iter().find(|a| a.parse::<usize>().is_err() && !words.contains(&a.as_str()));
    for (name, text) in samples::screens(detail, &style) {
        if wanted.is_none_or(|w| *w == name) {
            println!("==== {name} ====\n{text}");
        }
    }
}
