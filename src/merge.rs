//! Files that a merge of git stopped in, with the lines of both sides between marks.

/// What begins the lines of one side, and what ends those of the other.
pub(crate) const OURS: &str = "<<<<<<< ";
pub(crate) const THEIRS: &str = ">>>>>>> ";

/// Whether a file holds the lines of both sides.
pub(crate) fn is_unmerged(text: &[u8]) -> bool {
    let begins = |mark: &str| text.split(|byte| *byte == b'\n').any(|line| line.starts_with(mark.as_bytes()));
    begins(OURS) && begins(THEIRS)
}
