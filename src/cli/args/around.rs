//! Verbs around the others: `audit lint`, `completions` and `man`.

use super::value::template_file;
use crate::render::Override;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `audit lint`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Lint {
    /// Configuration file [default: audit.toml, where there is one].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Folder of templates [default: that of the configuration file].
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) templates: Option<PathBuf>,
    /// A file in place of one built-in template; may be repeated.
    #[arg(long = "template-file", value_name = "NAME=FILE", value_parser = template_file)]
    pub(in crate::cli) template_files: Vec<Override>,
}

/// Arguments of `audit completions`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Completions {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    pub(in crate::cli) shell: clap_complete::Shell,
}

/// Arguments of `audit man`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Man {
    /// The folder to write to.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: PathBuf,
}
