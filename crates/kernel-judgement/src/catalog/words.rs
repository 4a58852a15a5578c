//! Words of a page that are neither metrics nor findings: verdicts, columns and rows of its tables.

use super::row::catalog;
use serde::Deserialize;

/// A word of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordRow {
    /// As pages print it.
    pub word: &'static str,
    /// Other words for the same.
    #[serde(default)]
    pub also: Vec<&'static str>,
    pub help: &'static str,
}

catalog! {
    WordRow, "words.toml", "word", WordRow::names,
    pub fn words
}

impl WordRow {
    fn names(&self) -> Vec<&str> {
        std::iter::once(self.word).chain(self.also.iter().copied()).collect()
    }
}

/// The row of a word, in whatever letters it is written.
pub fn word(name: &str) -> Option<&'static WordRow> {
    words().iter().find(|row| row.names().iter().any(|known| known.eq_ignore_ascii_case(name)))
}
