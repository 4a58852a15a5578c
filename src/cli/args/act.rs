//! Verbs that start programs or a kernel, `audit collect`, `launch` and `doctor`, and those around the others: `audit init`,
//! `lint`, `completions` and `man`.

use super::value::{metric_set, template_file};
use crate::render::Override;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct Collect {
    /// Subjects of the configuration file, each with its variants; NAME.VARIANT is one of these [default: those of its
    /// `default`, else all].
    #[arg(value_name = "SUBJECT")]
    pub(in crate::cli) subjects: Vec<String>,
    /// Every subject of the configuration file.
    #[arg(long, conflicts_with = "subjects")]
    pub(in crate::cli) all: bool,
    /// Configuration file [default: audit.toml].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Evidence folder of the subject [default: its `evidence`, else collected/SUBJECT].
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) evidence: Option<PathBuf>,
    /// Set of metrics: audit, full, detailed or basic [default: the subject's `metrics`, else audit].
    #[arg(long, value_name = "SET", value_parser = metric_set)]
    pub(in crate::cli) set: Option<String>,
    /// Metric beside the set; may be repeated.
    #[arg(long = "metric", value_name = "NAME")]
    pub(in crate::cli) metrics: Vec<String>,
    /// Make every file again, even what is up to date.
    #[arg(long)]
    pub(in crate::cli) again: bool,
    /// Subjects collected at a time; those on the GPU of this machine still take turns [default: 1; with --slurm as many
    /// as get a node].
    #[arg(long, value_name = "N")]
    pub(in crate::cli) jobs: Option<usize>,
    /// Record the whole program with Nsight Systems as well, for `audit timeline --subject`.
    #[arg(long)]
    pub(in crate::cli) timeline: bool,
    /// Submit a job array of Slurm with a task for each subject that is not whole, wait for it, and say what ran where.
    #[arg(long, conflicts_with = "lint")]
    pub(in crate::cli) slurm: bool,
    /// Be a task of such an array: leave `prefix` out, and note in DIR where it ran and how it ended.
    #[arg(long, value_name = "DIR", conflicts_with = "slurm")]
    pub(in crate::cli) task: Option<PathBuf>,
    /// Print what would run; with --slurm the script of the array.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Check the names of metrics and stop.
    #[arg(long)]
    pub(in crate::cli) lint: bool,
    /// Say nothing while it runs.
    #[arg(long)]
    pub(in crate::cli) quiet: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Launch {
    /// The subject.
    #[arg(value_name = "SUBJECT")]
    pub(in crate::cli) subject: String,
    /// One of its variants [default: the first].
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) variant: Option<String>,
    /// Compare its outputs with those of its reference; end with status 1 where they differ.
    #[arg(long, group = "what")]
    pub(in crate::cli) check: bool,
    /// Time it, in turn with its reference where it has one.
    #[arg(long, group = "what")]
    pub(in crate::cli) time: bool,
    /// Launch the reference alone.
    #[arg(long, group = "what")]
    pub(in crate::cli) reference_only: bool,
    /// Launches after the first; for a profiler [default: 1].
    #[arg(long, value_name = "N", conflicts_with_all = ["check", "time"])]
    pub(in crate::cli) times: Option<u32>,
    /// Cubin or PTX to launch [default: compiled from the subject's source].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) cubin: Option<PathBuf>,
    /// Write the outcome of --check or --time here.
    #[arg(long, value_name = "FILE", requires = "what", conflicts_with = "reference_only")]
    pub(in crate::cli) json_to: Option<PathBuf>,
    /// Times whose choice among cuBLASLt's algorithms --reference-only takes [default: benchmark.json beside --cubin,
    /// where there is one, else the library's first].
    #[arg(long, value_name = "FILE", requires = "reference_only")]
    pub(in crate::cli) benchmark: Option<PathBuf>,
    /// Seed of the inputs; --check takes those of the subject.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "check")]
    pub(in crate::cli) seed: u64,
    /// Most samples of --time.
    #[arg(long, value_name = "N", default_value_t = 400, requires = "time")]
    pub(in crate::cli) samples: usize,
    /// Device, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(in crate::cli) device: u32,
    /// Configuration file [default: audit.toml].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Doctor {
    /// Configuration file whose `tools` table is looked at [default: audit.toml, where there is one].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
}

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
