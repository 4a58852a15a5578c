//! What a reader says of an input that it cannot read.

use std::path::PathBuf;

/// Why an artefact could not be read: where, what was expected, what was found, and the cure where there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ReadError {
    /// The operating system refused.
    #[error("cannot read {path}: {source}{}", system_cure(.source))]
    Io { path: PathBuf, source: std::io::Error },
    /// The bytes are not what the format asks for.
    #[error("cannot read {path}: at {position}: expected {expected}, found {found}{}", cure_suffix(.cure))]
    Malformed {
        path: PathBuf,
        /// `byte 1234` or `line 12`.
        position: String,
        expected: String,
        found: String,
        /// What to do about it; may be empty.
        cure: String,
    },
    /// The file is of a kind that no reader takes.
    #[error("cannot read {path}: {found}{}", cure_suffix(.cure))]
    WrongKind {
        path: PathBuf,
        found: String,
        /// What to do about it; may be empty.
        cure: String,
    },
    /// The file is sound and holds nothing to report on.
    #[error("{path} holds no {what}{}", cure_suffix(.cure))]
    Empty {
        path: PathBuf,
        /// What is missing: `results`, `kernels`.
        what: String,
        /// What to do about it; may be empty.
        cure: String,
    },
}

impl ReadError {
    /// [`ReadError::Malformed`]; the cure may be empty.
    pub fn malformed(
        path: impl Into<PathBuf>,
        position: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
        cure: impl Into<String>,
    ) -> ReadError {
        let (path, position, cure) = (path.into(), position.into(), cure.into());
        ReadError::Malformed { path, position, expected: expected.into(), found: found.into(), cure }
    }

    /// [`ReadError::WrongKind`]; the cure may be empty.
    pub fn wrong(path: impl Into<PathBuf>, found: impl Into<String>, cure: impl Into<String>) -> ReadError {
        ReadError::WrongKind { path: path.into(), found: found.into(), cure: cure.into() }
    }

    /// [`ReadError::Empty`]; the cure may be empty.
    pub fn empty(path: impl Into<PathBuf>, what: impl Into<String>, cure: impl Into<String>) -> ReadError {
        ReadError::Empty { path: path.into(), what: what.into(), cure: cure.into() }
    }
}

/// What to do about what the operating system says.
fn system_cure(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "\n  help: give the path of a file that exists, seen from the working folder",
        std::io::ErrorKind::PermissionDenied => "\n  help: make the file readable for you",
        _ => "",
    }
}

fn cure_suffix(cure: &str) -> String {
    if cure.is_empty() { String::new() } else { format!("\n  help: {cure}") }
}
