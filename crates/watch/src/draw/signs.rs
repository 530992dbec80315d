//! The signs that go to the terminal.

use ratatui_core::buffer::Cell;

/// The signs of the screen, each with what stands for it if there is only ASCII.
const SIGNS: [(char, char); 14] = [
    ('·', '.'),
    ('░', ':'),
    ('▒', '+'),
    ('▓', '*'),
    ('█', '#'),
    ('▇', '='),
    ('▸', '>'),
    ('…', '~'),
    ('↑', '^'),
    ('↓', 'v'),
    ('←', '<'),
    ('→', '>'),
    ('×', 'x'),
    ('±', '~'),
];

/// Whether this is a sign that takes one cell, whatever is next to it.
pub fn is_one_cell(sign: char) -> bool {
    matches!(sign, ' '..='~') || SIGNS.iter().any(|(known, _)| *known == sign)
}

/// What stands for a sign that takes one cell.
pub fn ascii(sign: char) -> char {
    SIGNS.iter().find(|(known, _)| *known == sign).map_or(sign, |(_, plain)| *plain)
}

/// Replaces what a terminal could take for a command, and with `ascii` all that is not ASCII.
pub fn make_safe(cell: &mut Cell, ascii: bool) {
    let symbol = cell.symbol();
    if symbol.contains(char::is_control) {
        cell.set_symbol(" ");
    } else if ascii && !symbol.is_ascii() {
        let mut signs = symbol.chars();
        let plain = signs.next().map(self::ascii).filter(char::is_ascii);
        let plain = plain.filter(|_| signs.next().is_none());
        cell.set_char(plain.unwrap_or('_'));
    }
}
