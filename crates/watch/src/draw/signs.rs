//! The last look at what goes to the terminal.

use ratatui_core::buffer::Buffer;

/// The signs of the screen, each with what stands for it if there is only ASCII.
const SIGNS: [(&str, &str); 14] = [
    ("·", "."),
    ("░", ":"),
    ("▒", "+"),
    ("▓", "*"),
    ("█", "#"),
    ("▇", "="),
    ("▸", ">"),
    ("…", "~"),
    ("↑", "^"),
    ("↓", "v"),
    ("←", "<"),
    ("→", ">"),
    ("×", "x"),
    ("±", "~"),
];

/// Replaces what a terminal could take for a command, and with `ascii` all that is not ASCII. Each
/// sign keeps its cell.
pub fn safe(buffer: &mut Buffer, ascii: bool) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if symbol.chars().any(char::is_control) {
            cell.set_symbol(" ");
        } else if ascii && !symbol.is_ascii() {
            let sign = SIGNS.iter().find(|(sign, _)| *sign == symbol);
            cell.set_symbol(sign.map_or("_", |(_, plain)| plain));
        }
    }
}
