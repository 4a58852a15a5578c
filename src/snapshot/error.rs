//! What is wrong with a snapshot or with a file beside it.

use std::path::PathBuf;

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file is no JSON, or lacks a field.
    #[error(
        "{path} is not a snapshot of an audit: {what}\n  help: a snapshot is the .json file that `audit generate` writes beside a page"
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column where the reader knows them.
        what: String,
    },
    /// The file says another schema.
    #[error("{path}: expected the schema {expected:?}, found {found:?}\n  help: {cure}")]
    Schema {
        /// The file.
        path: PathBuf,
        /// The schema that this program reads.
        expected: &'static str,
        /// The schema of the file.
        found: String,
        /// What to do.
        cure: &'static str,
    },
    /// The content does not have the hash that the file states.
    #[error(
        "{path} was changed after it was written: it states the SHA-256 {stated}, its content has {found}\n  help: restore it from version control, or delete it and write it again with `audit generate`"
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The hash that the file states.
        stated: String,
        /// The hash of what it holds.
        found: String,
    },
    /// A file of pins or acceptances that cannot be understood.
    #[error("{path}: {what}\n  help: correct the file, or restore it from version control")]
    Notes {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A pin whose snapshot is not the one that was pinned.
    #[error(
        "{path} pins {snapshot} of {subject} with the SHA-256 {stated}, found {found}\n  help: restore the snapshot, or pin another with `audit baseline pin {subject} --reason TEXT`"
    )]
    PinMoved {
        /// The file of pins.
        path: PathBuf,
        /// The subject.
        subject: String,
        /// The snapshot's file name.
        snapshot: String,
        /// The hash at the time of pinning.
        stated: String,
        /// The hash of the snapshot.
        found: String,
    },
}
