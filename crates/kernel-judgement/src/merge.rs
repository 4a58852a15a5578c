//! Files that a merge of git stopped in, with the lines of both sides between marks.

/// What begins the lines of one side, and what ends those of the other.
pub const OURS: &str = "<<<<<<< ";
pub const THEIRS: &str = ">>>>>>> ";

/// Whether a file holds the lines of both sides.
pub fn is_unmerged(text: &[u8]) -> bool {
    let begins = |mark: &str| text.split(|byte| *byte == b'\n').any(|line| line.starts_with(mark.as_bytes()));
    begins(OURS) && begins(THEIRS)
}
