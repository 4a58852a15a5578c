//! A source file that a report embeds.

use std::sync::Arc;

/// A source file as the report embeds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The path as the line table names it.
    pub file: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}
