//! The power source of the machine while waits are measured.

use crate::engine::notes;
use chronoscope_model::Note;

pub(super) struct Power {
    /// The power source when the run began; absent if the system does not report it.
    pub(super) source: Option<String>,
    now: Option<String>,
    pub(super) notes: Vec<Note>,
}

/// The most changes that a run notes.
const MOST: usize = 20;

impl Power {
    /// Starts with the current source.
    pub(super) fn new(source: Option<String>) -> Self {
        Self { now: source.clone(), source, notes: Vec::new() }
    }

    /// Whether the source can change: a machine that reports no source shows no changes.
    pub(super) fn is_known(&self) -> bool {
        self.source.is_some()
    }

    /// Checks the source again, `at_s` seconds into the run.
    pub(super) fn look(&mut self, source: Option<String>, at_s: f64) {
        let Some(source) = source else { return };
        if let Some(before) = self.now.as_ref().filter(|before| **before != source)
            && self.notes.len() < MOST
        {
            self.notes.push(notes::power_changed(before, &source, at_s));
        }
        self.now = Some(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_noted_once_and_the_source_at_the_start_stays() {
        let some = |source: &str| Some(source.to_owned());
        let mut power = Power::new(some("mains"));
        power.look(some("mains"), 1.0);
        // For once, the source could not be read.
        power.look(None, 2.0);
        power.look(some("battery"), 3.2);
        power.look(some("battery"), 4.0);
        let [note] = power.notes.as_slice() else { panic!("{:?}", power.notes) };
        assert!(note.text.contains("mains until about second 3"), "{}", note.text);
        assert!(note.text.contains("battery after"), "{}", note.text);
        assert_eq!(power.source.as_deref(), Some("mains"));
        let mut none = Power::new(None);
        none.look(some("mains"), 1.0);
        assert!(none.notes.is_empty() && !none.is_known());
    }
}
