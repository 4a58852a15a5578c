//! Verbs that put versions side by side: `audit compare`, `check`, `history` and `baseline`.

use super::value::{date, percent, regex, severity, subject};
use crate::analysis::Severity;
use crate::config::SubjectName;
use chrono::NaiveDate;
use clap::{Args, Subcommand};
use regex::Regex;
use std::path::PathBuf;

#[derive(Debug, Default, Args)]
pub(in crate::cli) struct Folder {
    /// Configuration file [default: audit.toml, where there is one].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Folder of audits [default: that of the configuration file, else audits].
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Compare {
    /// Reports, pages that ncu printed, snapshots; the first is the old side.
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) kernel: Option<Regex>,
    /// Kernels of the first file [default: as --kernel]; of each file the one with the most device time is compared.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) baseline_kernel: Option<Regex>,
    /// Read what is whole of damaged reports.
    #[arg(long)]
    pub(in crate::cli) allow_damage: bool,
    /// End with 1 where a kernel became slower or its results are wrong, with 6 where a comparison does not decide.
    #[arg(long)]
    pub(in crate::cli) exit_code: bool,
    /// Print the verdicts and what they rest on as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Columns to print in [default: COLUMNS, else 80].
    #[arg(long, value_name = "N", conflicts_with = "json")]
    pub(in crate::cli) width: Option<usize>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    /// Subjects [default: every one of the configuration file, else all in the folder].
    #[arg(value_name = "SUBJECT", value_parser = subject)]
    pub(in crate::cli) subjects: Vec<String>,
    /// Analyse the reports anew, as `audit generate` would, and write no page.
    #[arg(long)]
    pub(in crate::cli) fresh: bool,
    /// Slow-down in percent that counts as a regression [default: the threshold `regression`, 5].
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    pub(in crate::cli) regression: Option<f64>,
    /// Fail on patterns of at least this severity that the old side did not show: limits, costs or notes.
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub(in crate::cli) findings: Option<Severity>,
    /// Leave out the subject's checks: checklists, expectations, checks on the machine code, and checks of the outputs
    /// that cannot tell. Wrong results fail in any case.
    #[arg(long)]
    pub(in crate::cli) no_checks: bool,
    /// End with 0 where a subject has no audit yet, or none to be compared with.
    #[arg(long)]
    pub(in crate::cli) allow_new: bool,
    /// End with 0 where the evidence does not decide.
    #[arg(long)]
    pub(in crate::cli) allow_inconclusive: bool,
    /// Fail where the kernel's source changed since its last audit; 6 where git cannot tell. Without it such an audit is
    /// called STALE, and the status stays.
    #[arg(long)]
    pub(in crate::cli) current: bool,
    /// Hold against another version of the project, such as origin/main: its audits must still be here, and its thresholds,
    /// pins and baselines decide. What differs is told by name and passes only where the newest audit is accepted.
    #[arg(long, value_name = "REF")]
    pub(in crate::cli) base: Option<String>,
    /// Note the comparisons that did not pass as accepted; needs --reason.
    #[arg(long)]
    pub(in crate::cli) accept: bool,
    /// Why they are accepted.
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub(in crate::cli) reason: Option<String>,
    /// Write the outcomes as JUnit XML; its folder is made where it is missing.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) junit: Option<PathBuf>,
    /// Print the outcomes as annotations of GitHub Actions too.
    #[arg(long)]
    pub(in crate::cli) github: bool,
    /// Today, YYYY-MM-DD [default: SOURCE_DATE_EPOCH, else today].
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(in crate::cli) date: Option<NaiveDate>,
    #[command(flatten)]
    pub(in crate::cli) folder: Folder,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct History {
    /// The subject.
    #[arg(value_name = "SUBJECT")]
    pub(in crate::cli) subject: SubjectName,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = HistoryFormat::Md)]
    pub(in crate::cli) format: HistoryFormat,
    #[command(flatten)]
    pub(in crate::cli) folder: Folder,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Resolve {
    #[command(flatten)]
    pub(in crate::cli) folder: Folder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum HistoryFormat {
    /// A Markdown table.
    Md,
    /// JSON with the readings themselves.
    Json,
    /// Comma-separated values as the table shows them.
    Csv,
    /// A chart of the times.
    Svg,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Baseline {
    #[command(subcommand)]
    pub(in crate::cli) verb: BaselineVerb,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum BaselineVerb {
    /// Compare later audits of a subject with one of its snapshots.
    Pin(PinBaseline),
    /// Compare later audits of a subject with the one before again.
    Unpin(Note),
    /// Print what audits are compared with.
    List(Folder),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PinBaseline {
    /// The snapshot [default: the newest of the subject].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) snapshot: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) note: Note,
}

/// Arguments of `audit baseline unpin`, and what a pin has too.
#[derive(Debug, Args)]
pub(in crate::cli) struct Note {
    /// The subject.
    #[arg(value_name = "NAME")]
    pub(in crate::cli) name: SubjectName,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: String,
    /// The day from which on it holds, YYYY-MM-DD [default: SOURCE_DATE_EPOCH, else today].
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(in crate::cli) date: Option<NaiveDate>,
    #[command(flatten)]
    pub(in crate::cli) folder: Folder,
}
