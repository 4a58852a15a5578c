//! What is wrong with a snapshot or with a file beside it.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("cannot read {path}: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error(
        "{path} is not a snapshot of an audit: {what}\n  help: a snapshot is the .json file that `audit generate` writes beside a page"
    )]
    Malformed {
        path: PathBuf,
        /// What is wrong, with line and column where the reader knows them.
        what: String,
    },
    #[error("{path}: expected the schema {expected:?}, found {found:?}\n  help: {cure}")]
    Schema { path: PathBuf, expected: String, found: String, cure: &'static str },
    #[error(
        "{path} was changed after it was written: it states the SHA-256 {stated}, its content has {found}\n  help: restore it from version control, or delete it and write it again with `audit generate`"
    )]
    Changed { path: PathBuf, stated: String, found: String },
    #[error("{path}: a merge stopped in it and left both sides\n  help: `audit resolve` keeps the audits of both")]
    Unmerged { path: PathBuf },
    #[error("{path}: {what}\n  help: correct the file, or restore it from version control")]
    Notes { path: PathBuf, what: String },
    #[error(
        "{path} pins {snapshot} of {subject} with the SHA-256 {stated}, found {found}\n  help: restore the snapshot, or pin another with `audit baseline pin {subject} --reason TEXT`"
    )]
    PinMoved { path: PathBuf, subject: String, snapshot: String, stated: String, found: String },
}

impl SnapshotError {
    /// Whether somebody changed what was written.
    pub fn is_changed(&self) -> bool {
        matches!(self, SnapshotError::Changed { .. })
    }
}

/// Whether a failure to open says that there is no such file: where a part of the path is a file, writing will say so.
pub(super) fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
