//! What can go wrong with a tool.

use std::path::PathBuf;

/// Why a tool gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// The tool is nowhere.
    #[error("{tool} was not found\n  looked in: {}\n  help: {cure}", .looked_in.join(", "))]
    ToolMissing {
        /// Its name.
        tool: &'static str,
        /// The places, in order.
        looked_in: Vec<String>,
        /// How to get it.
        cure: String,
    },
    /// The place that audit.toml names does not hold the tool.
    #[error("{tool} is not at {path}, which audit.toml names\n  help: correct or remove the key under [tools]")]
    NotThere {
        /// Its name.
        tool: &'static str,
        /// The place.
        path: PathBuf,
    },
    /// The tool cannot be started.
    #[error("cannot start {program}: {source}\n  help: check that it is executable and made for this machine")]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The tool ended with a failure.
    #[error("{doing} failed: {tool} ended with {status}\n{said}")]
    Failed {
        /// What it was to do.
        doing: String,
        /// The tool.
        tool: &'static str,
        /// `exit status 1`, `signal 9`.
        status: String,
        /// What it said, indented by nothing.
        said: String,
    },
    /// The tool did not end in time and was ended with all its children.
    #[error(
        "{program} did not end within {seconds} s and was stopped\n  help: run it by hand to see what it waits for"
    )]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// The limit.
        seconds: u64,
    },
    /// The user wished to stop; the child was ended with all its children.
    #[error("stopped; what was collected is kept, and the next run continues from there")]
    Interrupted,
    /// The compiler does not know the architecture.
    #[error("nvcc {version} does not know the architecture {arch}\n  it knows: {}\n  help: correct `arch`, or use a compiler that knows it", .known.join(", "))]
    NoSuchArch {
        /// What was asked for.
        arch: String,
        /// The compiler's version.
        version: String,
        /// What it knows.
        known: Vec<String>,
    },
    /// Another run works in an evidence folder.
    #[error("another run collects into {folder}\n  help: wait for it, or give another folder with --evidence")]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The manifest of an evidence folder cannot be read.
    #[error(
        "cannot read {path}: {found}\n  help: remove it to collect everything again, or give another folder with --evidence"
    )]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// A file of an evidence folder is not the one that was collected.
    #[error(
        "{file} is not what was collected: its BLAKE3 is {found}, collected.json says {stated}\n  help: put the file back as it was, or run `audit collect {subject}` again"
    )]
    NotAsMade {
        /// The file.
        file: PathBuf,
        /// The hash in the manifest.
        stated: String,
        /// That of the file.
        found: String,
        /// The subject.
        subject: String,
    },
    /// The system refused something in an evidence folder.
    #[error("cannot {doing} {folder}: {source}{cure}")]
    Folder {
        /// What was tried, up to the folder's name.
        doing: &'static str,
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        source: std::io::Error,
        /// A help line, with its line end before it; may be empty.
        cure: &'static str,
    },
    /// Nothing can be run on a GPU, or a step cannot be stated.
    #[error("{0}")]
    Setback(Setback),
    /// The system refused a file or folder.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Why a step of a collection made nothing that can be used, and what to do about it. The other steps go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setback {
    /// What happened.
    pub what: String,
    /// The cure.
    pub cure: String,
}

impl Setback {
    /// A setback with its cure.
    pub fn new(what: impl Into<String>, cure: impl Into<String>) -> Setback {
        Setback { what: what.into(), cure: cure.into() }
    }
}

impl std::fmt::Display for Setback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n  help: {}", self.what, self.cure)
    }
}
