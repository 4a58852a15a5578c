//! What can go wrong with a tool.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    #[error("{tool} was not found\n  looked in: {}\n  help: {cure}", .looked_in.join(", "))]
    ToolMissing { tool: &'static str, looked_in: Vec<String>, cure: String },
    #[error("{tool} is not at {path}, which audit.toml names\n  help: correct or remove the key under [tools]")]
    NotThere { tool: &'static str, path: PathBuf },
    #[error("cannot start {program}: {source}\n  help: check that it is executable and made for this machine")]
    NotStarted { program: PathBuf, source: std::io::Error },
    #[error("{doing} failed: {tool} ended with {status}\n{said}")]
    Failed {
        doing: String,
        tool: &'static str,
        /// `exit status 1`, `signal 9`.
        status: String,
        said: String,
    },
    #[error(
        "{program} did not end within {seconds} s and was stopped\n  help: run it by hand to see what it waits for"
    )]
    TimedOut { program: PathBuf, seconds: u64 },
    #[error("stopped; what was collected is kept, and the next run continues from there")]
    Interrupted,
    #[error("nvcc {version} does not know the architecture {arch}\n  it knows: {}\n  help: correct `arch`, or use a compiler that knows it", .known.join(", "))]
    NoSuchArch { arch: String, version: String, known: Vec<String> },
    #[error("another run collects into {folder}\n  help: wait for it, or give another folder with --evidence")]
    InUse { folder: PathBuf },
    #[error(
        "cannot read {path}: {found}\n  help: remove it to collect everything again, or give another folder with --evidence"
    )]
    Manifest { path: PathBuf, found: String },
    #[error(
        "{file} is not what was collected: its BLAKE3 is {found}, collected.json says {stated}\n  help: put the file back as it was, or run `audit collect {subject}` again"
    )]
    NotAsMade { file: PathBuf, stated: String, found: String, subject: String },
    #[error("cannot {doing} {folder}: {source}{cure}")]
    Folder {
        doing: &'static str,
        folder: PathBuf,
        source: std::io::Error,
        /// A help line, with its line end before it; may be empty.
        cure: &'static str,
    },
    #[error("{0}")]
    Setback(Setback),
    #[error("cannot {doing}: {source}")]
    Io { doing: String, source: std::io::Error },
}

/// Why a step of a collection made nothing that can be used, and what to do about it. The other steps go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setback {
    pub what: String,
    pub cure: String,
}

impl Setback {
    pub fn new(what: impl Into<String>, cure: impl Into<String>) -> Setback {
        Setback { what: what.into(), cure: cure.into() }
    }
}

impl std::fmt::Display for Setback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n  help: {}", self.what, self.cure)
    }
}
