//! How a screen is drawn: its width, whether it may use colour, and which signs.

use unicode_width::UnicodeWidthChar;

/// What the terminal can show, as the caller found it; nothing here looks at a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns. No line of a screen is wider.
    pub width: usize,
    /// Whether escape sequences for colour may be written.
    pub color: bool,
    /// Whether signs beyond ASCII may be written.
    pub unicode: bool,
    /// Whether to show everything that is known.
    pub verbose: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: 80,
            color: false,
            unicode: true,
            verbose: false,
        }
    }
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The title of a screen, the name of a clock that is recommended.
    Strong,
    /// What may be passed over: rules, units, reasons.
    Dim,
    /// Good.
    Good,
    /// Good within limits; a warning.
    Warn,
    /// Bad; an error.
    Bad,
    /// A name that can be typed: an id, a command.
    Name,
}

impl Tone {
    const ALL: [Self; 6] = [
        Self::Strong,
        Self::Dim,
        Self::Good,
        Self::Warn,
        Self::Bad,
        Self::Name,
    ];

    fn ansi(self) -> anstyle::Style {
        use anstyle::AnsiColor;
        let style = anstyle::Style::new();
        match self {
            Self::Strong => style.bold(),
            Self::Dim => style.dimmed(),
            Self::Good => style.fg_color(Some(AnsiColor::Green.into())),
            Self::Warn => style.fg_color(Some(AnsiColor::Yellow.into())),
            Self::Bad => style.fg_color(Some(AnsiColor::Red.into())).bold(),
            Self::Name => style.fg_color(Some(AnsiColor::Cyan.into())),
        }
    }

    /// The mark that opens this tone in text that has yet to be laid out.
    ///
    /// Escape sequences would count as columns while text is wrapped and aligned. So tones are
    /// carried through the layout as tag characters, whose width is zero (Unicode, "Tags" block,
    /// default ignorable), and turned into escape sequences at the very end. [`clean`] removes
    /// such characters from foreign text, so none can be smuggled in.
    fn mark(self) -> char {
        let offset = Self::ALL.iter().position(|&t| t == self).unwrap_or(0) as u32;
        char::from_u32(FIRST_MARK + offset).unwrap_or(END_MARK)
    }

    fn of_mark(c: char) -> Option<Self> {
        let offset = (c as u32).checked_sub(FIRST_MARK)?;
        Self::ALL.get(offset as usize).copied()
    }
}

const FIRST_MARK: u32 = 0xE_0030;
const END_MARK: char = '\u{E007F}';

impl Style {
    /// Text in a tone.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        format!("{}{text}{END_MARK}", tone.mark())
    }

    /// The sign, or what stands for it in ASCII.
    pub fn sign(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// `±`
    pub fn plus_minus(&self) -> &'static str {
        self.sign("±", "+-")
    }

    /// What stands where text was cut.
    pub fn ellipsis(&self) -> &'static str {
        self.sign("…", "..")
    }

    /// Between facts on one line.
    pub fn dot(&self) -> &'static str {
        self.sign(" · ", ", ")
    }

    /// A horizontal rule.
    pub fn rule(&self, width: usize) -> String {
        self.paint(Tone::Dim, &self.sign("─", "-").repeat(width))
    }

    /// A line as it is written: cut to the width, marks turned into colour.
    ///
    /// `open` carries the tone of a passage that was wrapped over the end of the line.
    pub(super) fn finish(&self, line: &str, open: &mut Option<Tone>) -> String {
        let line = self.cut(line, self.width);
        // Spaces are held back until something follows them: none stands at the end of a line.
        let mut spaces = 0;
        let mut out = String::with_capacity(line.len() + 16);
        let mut styled = false;
        for c in line.chars() {
            if let Some(tone) = Tone::of_mark(c) {
                *open = Some(tone);
            } else if c == END_MARK {
                if let (true, Some(tone)) = (styled, *open) {
                    out.push_str(&tone.ansi().render_reset().to_string());
                }
                styled = false;
                *open = None;
            } else if c == ' ' {
                spaces += 1;
            } else {
                out.extend(std::iter::repeat_n(' ', std::mem::take(&mut spaces)));
                // Indentation stays plain, also inside of a wrapped passage.
                if let (false, Some(tone)) = (styled, *open) {
                    out.push_str(&tone.ansi().render().to_string());
                    styled = true;
                }
                if self.unicode || c.is_ascii() {
                    out.push(c);
                } else {
                    out.extend(std::iter::repeat_n('?', c.width().unwrap_or(0)));
                }
            }
        }
        if let (true, Some(tone)) = (styled, *open) {
            out.push_str(&tone.ansi().render_reset().to_string());
        }
        out
    }

    /// Text cut to a number of columns, with a sign that it was cut.
    pub(super) fn cut(&self, text: &str, width: usize) -> String {
        if columns(text) <= width {
            return text.to_owned();
        }
        let sign = self.ellipsis();
        let sign = if columns(sign) <= width { sign } else { "" };
        let room = width - columns(sign);
        let (mut out, mut used, mut cut) = (String::new(), 0, false);
        for c in text.chars() {
            let mark = Tone::of_mark(c).is_some() || c == END_MARK;
            let wide = c.width().unwrap_or(0);
            if !mark && !cut && used + wide > room {
                cut = true;
                out.push_str(sign);
            }
            // Marks are kept beyond the cut, so that an open tone is closed.
            if mark || !cut {
                out.push(c);
                used += wide;
            }
        }
        out
    }
}

/// Columns that a text takes; marks take none.
pub(super) fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// Text from outside (a CPU's name, a file, a kernel's log) made safe to show: whatever could
/// move the cursor, change colours, reorder or hide text becomes a space or is dropped.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        // Zero-width characters: joiners, bidirectional controls (UAX #9), tags, combining
        // marks that could pile up without end.
        } else if c.width().unwrap_or(0) > 0 && !is_bidi_control(c) {
            out.push(c);
        }
    }
    out.trim().to_owned()
}

/// The explicit formatting characters of UAX #9, section 2.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_reaches_the_terminal_as_control() {
        let evil = "a\u{1b}[31mb\u{7}c\u{9b}2Jd\u{202e}e\u{E0030}f\r\ng\0";
        assert_eq!(clean(evil), "a [31mb c 2Jdef g");
        assert_eq!(clean("Intel(R) Xeon(R)"), "Intel(R) Xeon(R)");
    }

    #[test]
    fn marks_take_no_columns_and_become_colour() {
        let style = Style {
            color: true,
            ..Style::default()
        };
        let text = style.paint(Tone::Good, "good");
        assert_eq!(columns(&text), 4);
        assert_eq!(style.finish(&text, &mut None), "\u{1b}[32mgood\u{1b}[0m");
        assert_eq!(Style::default().paint(Tone::Good, "good"), "good");
    }

    #[test]
    fn a_tone_goes_on_over_the_end_of_a_line_and_stops_when_cut() {
        let style = Style {
            color: true,
            width: 6,
            ..Style::default()
        };
        let text = style.paint(Tone::Dim, "one\n  two");
        let mut open = None;
        let lines: Vec<_> = text.lines().map(|l| style.finish(l, &mut open)).collect();
        assert_eq!(lines, ["\u{1b}[2mone\u{1b}[0m", "  \u{1b}[2mtwo\u{1b}[0m"]);
        assert_eq!(open, None);
        let cut = style.finish(&style.paint(Tone::Bad, "far too long"), &mut None);
        assert_eq!(cut, "\u{1b}[1m\u{1b}[31mfar t…\u{1b}[0m");
    }

    #[test]
    fn without_unicode_all_is_ascii() {
        let style = Style {
            unicode: false,
            ..Style::default()
        };
        assert!(style.finish("µ ± ─ 漢", &mut None).is_ascii());
    }
}
