//! Text of firmware and of the kernel as a screen may show it.

/// The text without control characters, which firmware may contain, and cut to a sensible length.
pub(super) fn printable(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(160).collect();
    text.trim().to_owned()
}
