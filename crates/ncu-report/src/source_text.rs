//! A source file that a report embeds.

use arcstr::ArcStr;

/// A source file as the report embeds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The path as the line table names it.
    pub file: ArcStr,
    /// The whole text.
    pub text: ArcStr,
}
