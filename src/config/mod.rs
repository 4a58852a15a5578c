//! The configuration: what `audit.toml` or the command line asks for.
//!
//! Owns the file's keys and their meaning. Receives text, gives a [`Config`] of [`Subject`]s or an error that points at
//! the line. A new key is one field in `file.rs`, `keys.rs`, `code.rs` or `launch/`, of a collection in `collect/keys.rs`, and one in the type it fills.

mod amount;
mod code;
mod error;
mod file;
mod hypothesis;
mod keys;
mod launch;
mod shared;
mod subject;
mod text;

pub use amount::{Amount, AmountError};
pub use code::{Code, Tools, Variant};
pub use error::{ConfigError, ConfigErrorKind};
pub use file::{Config, Slurm};
pub(crate) use file::{DEFAULT_OUT, DEFAULT_TEMPLATE};
pub use subject::{Expect, Stated, Subject, SubjectName, Tiles, TrialFiles, Work};
pub(crate) use text::regex_reason;
