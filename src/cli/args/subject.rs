//! Flags that say what a subject is, where the configuration does not.

use super::value::{checklist, expectation, regex};
use crate::config::{Amount, Expect, SubjectName, Tiles};
use clap::Args;
use regex::Regex;
use std::path::PathBuf;

/// Flags that state or override a subject.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Subject")]
pub(in crate::cli) struct SubjectFlags {
    /// Report of the version under audit.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) report: Option<PathBuf>,
    /// Report or snapshot of the version before [default: the pinned audit, else the last one before the date].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) baseline: Option<PathBuf>,
    /// Build log with what `ptxas -v` printed; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) ptxas: Vec<PathBuf>,
    /// Check of the outputs, as `audit launch --check --json-to` wrote it.
    #[arg(long, alias = "correctness-file", value_name = "FILE")]
    pub(in crate::cli) correctness: Option<PathBuf>,
    /// Times outside the profiler, as `audit launch --time --json-to` wrote them.
    #[arg(long, alias = "benchmark-file", value_name = "FILE")]
    pub(in crate::cli) benchmark: Option<PathBuf>,
    /// The same of the version before [default: those that the baseline's snapshot keeps].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) baseline_benchmark: Option<PathBuf>,
    /// Report of what the kernel is timed beside.
    #[arg(long, alias = "reference-report", value_name = "FILE")]
    pub(in crate::cli) reference: Option<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) kernel: Option<Regex>,
    /// Kernels of the baseline [default: as --kernel].
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) baseline_kernel: Option<Regex>,
    /// Name of the subject, part of the file name [default: the report's file name].
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) name: Option<SubjectName>,
    /// Title of the subject.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) title: Option<String>,
    /// Commit under audit [default: that of the working tree].
    #[arg(long, value_name = "COMMIT")]
    pub(in crate::cli) commit: Option<String>,
    /// What the new version changed, in words.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) change: Option<String>,
    /// Problem size in words.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) work_shape: Option<String>,
    /// Types in words.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) work_types: Option<String>,
    /// Floating-point operations of one launch: a number or an expression such as 2*1024*1024.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) work_flop: Option<Amount>,
    /// Bytes that one launch cannot avoid to move: a number or an expression.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) work_bytes: Option<Amount>,
    /// Tiles of one launch, store instructions of a warp for each, and warps that store one: numbers or expressions.
    #[arg(long, value_name = "COUNT,STORES,WARPS")]
    pub(in crate::cli) tiles: Option<Tiles>,
    /// Checklist of the catalog to hold the kernel against; may be repeated.
    #[arg(long = "check", alias = "checks", value_name = "CHECKLIST", value_delimiter = ',', value_parser = checklist)]
    pub(in crate::cli) checks: Vec<String>,
    /// What should hold for a metric or derived reading, such as 'stall.barrier<25'; may be repeated.
    #[arg(long, value_name = "READING OP VALUE", value_parser = expectation)]
    pub(in crate::cli) expect: Vec<Expect>,
}
