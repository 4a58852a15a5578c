//! A part of a timeline that is known or missing, and shares of times.

/// A part of the timeline: what is known, or why it is not.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part<T> {
    /// What the files say.
    Found(T),
    /// Which table is missing.
    Missing(String),
}

impl<T> Part<T> {
    /// What is known.
    pub fn found(&self) -> Option<&T> {
        match self {
            Part::Found(found) => Some(found),
            Part::Missing(_) => None,
        }
    }
}

/// `100 × part / whole`; 0 for a whole of 0, which has no parts.
pub(in crate::analysis) fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}
