//! What was looked for on a machine, and what came of it.

use crate::finding::Certainty;

/// One fault that was looked for.
#[record(Eq)]
pub struct Check {
    /// The fault's id; a finding of the same id has the evidence.
    pub id: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How the fault is known if it is found.
    pub certainty: Certainty,
    /// The evidence that was looked at.
    pub looks_at: String,
    /// Why it is not known, or does not apply.
    pub why: Option<String>,
}

/// What came of looking for a fault.
#[record]
pub enum Outcome {
    /// There is evidence of it.
    Found,
    /// What would show it was looked at, and did not.
    Clear,
    /// What would show it could not be looked at.
    #[default]
    Unknown,
    /// It exists only on other systems or processors.
    Elsewhere,
}
