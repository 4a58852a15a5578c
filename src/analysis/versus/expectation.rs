//! What the author of a change expected of it, in the words of the change: `…. Expected: 5 % less time`.

/// What stands in front of an expectation.
const WORD: &str = "expected:";

/// Where the word stands.
fn place(change: &str) -> Option<usize> {
    // Of the same length, so that the place holds in the text itself.
    change.to_ascii_lowercase().find(WORD)
}

/// What a change did, without what was expected of it.
pub(crate) fn done(change: &str) -> &str {
    let end = place(change).unwrap_or(change.len());
    change[..end].trim().trim_end_matches(['.', ';', ','])
}
