//! A short text that needs no memory of its own.

use std::fmt;
use std::ops::Deref;

/// A name of at most 31 bytes, such as that of a clock source; a longer one is truncated.
///
/// ```
/// use chronoscope::machine::Name;
/// let name = Name::from("tsc");
/// assert_eq!((&*name, name.len()), ("tsc", 3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name {
    bytes: [u8; Self::MOST],
    len: u8,
}

impl Name {
    const MOST: usize = 31;

    pub(crate) const EMPTY: Self = Self { bytes: [0; Self::MOST], len: 0 };

    /// For state that is published as words.
    pub(crate) fn to_words(self) -> [u64; 4] {
        std::array::from_fn(|word| {
            let byte = |i| u64::from(self.bytes.get(word * 8 + i).copied().unwrap_or(self.len));
            (0..8).fold(0, |all, i| all | byte(i) << (8 * i))
        })
    }

    pub(crate) fn from_words(words: [u64; 4]) -> Self {
        let byte = |i: usize| (words[i / 8] >> (8 * (i % 8))) as u8;
        Self { bytes: std::array::from_fn(byte), len: byte(Self::MOST).min(Self::MOST as u8) }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let mut fits = Self::MOST.min(text.len());
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        let mut name = Self::EMPTY;
        for (place, byte) in name.bytes.iter_mut().zip(text[..fits].bytes()) {
            *place = byte;
        }
        name.len = fits as u8;
        name
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        let used = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        std::str::from_utf8(used).unwrap_or_default()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Stored as text.
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl serde::Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_name_survives_as_words(text in ".{0,40}") {
            let name = Name::from(&*text);
            prop_assert!(text.starts_with(&*name) && (name.len() == text.len() || name.len() > 27));
            prop_assert_eq!(Name::from_words(name.to_words()), name);
        }
    }
}
