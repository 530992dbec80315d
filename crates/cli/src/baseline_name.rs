//! The names of baselines.

/// The longest name, so that a file can have it on every system.
const LONGEST: usize = 100;

/// Checks a name: the same ones are valid on every system.
///
/// # Errors
/// It could be a path, a hidden file, or a device of Windows ("Naming Files, Paths, and
/// Namespaces", reserved names; they are so with any extension).
pub fn checked(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if text.is_empty() || !text.chars().all(fits) || text.starts_with('.') {
        return Err(
            "a name has letters, digits and . _ - only, and does not begin with a dot".into()
        );
    }
    if text.len() > LONGEST {
        return Err(format!("a name has at most {LONGEST} characters"));
    }
    let stem = text.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let device = numbered.is_some_and(|end| end.len() == 1 && end.as_bytes()[0].is_ascii_digit());
    if device || ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str()) {
        return Err(format!("{stem} is a device on Windows: choose another name"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_file_on_every_system_and_no_path() {
        for good in ["before", "v1.2-rc_3", "COMMON", "com10", "-", "a."] {
            assert_eq!(checked(good).as_deref(), Ok(good));
        }
        let long = "x".repeat(300);
        for bad in [
            "", ".", "..", ".hidden", "../x", "a/b", "a\\b", "C:", "CON", "con", "nul.txt", "Lpt1",
            "com0.a", "a b", "ä", "a\n", "a\0", &long,
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }
}
