//! Verbs around the others: `audit init`, `lint`, `completions` and `man`.

use super::value::template_file;
use crate::render::Override;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct Init {
    /// Reports, CUDA sources and build logs [default: those that lie here and below].
    #[arg(value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// Print the file instead of writing audit.toml.
    #[arg(long)]
    pub(in crate::cli) print: bool,
}

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

#[derive(Debug, Args)]
pub(in crate::cli) struct Completions {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum, required_unless_present = "subjects")]
    pub(in crate::cli) shell: Option<clap_complete::Shell>,
    /// Print the names of subjects instead: what the completions of bash, zsh and fish ask for.
    #[arg(long)]
    pub(in crate::cli) subjects: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Man {
    /// The folder to write to.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: PathBuf,
}
