//! The configuration: what `audit.toml` or the command line asks for.
//!
//! Owns the file's keys and their meaning. Receives text, gives a [`Config`] of [`Subject`]s or an error that points at
//! the line. A new key is one field in `file.rs`, `keys.rs`, `code.rs` or `launch/`, of a collection in `collect/keys.rs`, and one in the type it fills; `docs/guide/keys.md` shows each.

mod amount;
mod code;
mod file;
mod keys;
mod launch;
mod subject;
mod text;

pub use amount::Amount;
pub(crate) use amount::AmountError;
pub use code::Code;
pub(crate) use code::{Tools, Variant};
pub use file::Config;
pub(crate) use file::{DEFAULT_OUT, DEFAULT_TEMPLATE};
pub use subject::{Subject, Tiles, Work};
pub(crate) use subject::{SubjectName, TrialFiles};
pub use text::ConfigErrorKind;
pub(crate) use text::{ConfigError, regex_reason};
