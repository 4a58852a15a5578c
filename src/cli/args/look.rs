//! Verbs that print what is there: `audit show`, `timeline`, `dump` and `explain`.

use super::value::{checklist, counters, date, expectation, regex, threshold, timeline_threshold};
use crate::analysis::Expectation;
use clap::{Args, Subcommand};
use regex::Regex;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct Show {
    /// Reports, pages that ncu printed, snapshots, build logs.
    #[arg(value_name = "FILE", required = true)]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) kernel: Option<Regex>,
    /// Read what is whole of a damaged report; the page says what is missing.
    #[arg(long)]
    pub(in crate::cli) allow_damage: bool,
    /// Print every table, not the first screen alone.
    #[arg(long, conflicts_with = "json")]
    pub(in crate::cli) all: bool,
    /// Print what is measured and concluded as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Columns to print in [default: COLUMNS, else 80].
    #[arg(long, value_name = "N", conflicts_with = "json")]
    pub(in crate::cli) width: Option<usize>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Timeline {
    /// What `nsys stats --format csv` printed, or an SQLite database of `nsys export`; all of one run.
    #[arg(value_name = "FILE", required_unless_present = "subject")]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// Write the page of a subject's program, DATE-NAME/timeline.md among the audits; without a FILE from what `audit
    /// collect --timeline` kept.
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub(in crate::cli) subject: Option<String>,
    /// Date of the page, YYYY-MM-DD [default: SOURCE_DATE_EPOCH, else today].
    #[arg(long, value_name = "DATE", value_parser = date, requires = "subject")]
    pub(in crate::cli) date: Option<chrono::NaiveDate>,
    /// Configuration file [default: audit.toml].
    #[arg(long, value_name = "FILE", requires = "subject")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Output folder [default: that of the configuration file].
    #[arg(long, value_name = "DIR", requires = "subject")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// Overwrite generated blocks that were edited by hand.
    #[arg(long, requires = "subject")]
    pub(in crate::cli) force: bool,
    /// Print it as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Number that judgements compare with, in place of the catalog's: timeline-idle, timeline-kernel; may be repeated.
    #[arg(long = "threshold", value_name = "ID=NUMBER", value_parser = timeline_threshold)]
    pub(in crate::cli) thresholds: Vec<(crate::catalog::Threshold, f64)>,
    /// Columns to print in [default: COLUMNS, else 80].
    #[arg(long, value_name = "N", conflicts_with = "json")]
    pub(in crate::cli) width: Option<usize>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Dump {
    #[command(subcommand)]
    pub(in crate::cli) stage: Stage,
}

/// A stage that can be printed.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Stage {
    /// Everything that a report holds, as it was read: also the command with its arguments, host, user and folders, which
    /// pages leave out.
    Evidence {
        /// The report, or a page that ncu printed.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// With the instances of metrics.
        #[arg(long)]
        instances: bool,
        /// Read what is whole of a damaged report.
        #[arg(long)]
        allow_damage: bool,
    },
    /// The counters of each launch by instruction and by source line.
    Source {
        /// The report.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Kernels to print, by function name or by name with template arguments [default: all].
        #[arg(long, value_name = "REGEX", value_parser = regex)]
        kernel: Option<Regex>,
        /// Read what is whole of a damaged report.
        #[arg(long)]
        allow_damage: bool,
    },
    /// The control flow of each function, for `dot` of Graphviz: basic blocks with their addresses, loops and lines, a frame for
    /// each role of warps. One graph after the other.
    Cfg {
        /// A cubin, a report that holds one (both need nvdisasm), or what nvdisasm or cuobjdump printed.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Functions to print, by mangled name [default: all].
        #[arg(long, value_name = "REGEX", value_parser = regex)]
        kernel: Option<Regex>,
    },
    /// What is concluded about every kernel of a report: verdict, findings and levers with their readings.
    Analysis(DumpAnalysis),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DumpAnalysis {
    /// The report, or a page that ncu printed [default: that of the subject].
    #[arg(value_name = "FILE", required_unless_present = "subject")]
    pub(in crate::cli) file: Option<PathBuf>,
    /// Subject of the configuration file whose kernel, work, checklists, expectations and thresholds hold.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) subject: Option<String>,
    /// Configuration file [default: audit.toml].
    #[arg(long, value_name = "FILE", requires = "subject")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) kernel: Option<Regex>,
    /// Number that judgements compare with, in place of the catalog's; may be repeated.
    #[arg(long = "threshold", value_name = "ID=NUMBER", value_parser = threshold)]
    pub(in crate::cli) thresholds: Vec<(crate::catalog::Threshold, f64)>,
    /// Checklist of the catalog to hold the kernels against, in place of the subject's; may be repeated, or a list with
    /// commas.
    #[arg(long = "checklist", aliases = ["check", "checks"], value_name = "CHECKLIST", value_delimiter = ',', value_parser = checklist)]
    pub(in crate::cli) checklists: Vec<String>,
    /// Expectation for a metric or derived reading, in place of the subject's; may be repeated.
    #[arg(long, value_name = "READING OP VALUE", value_parser = expectation)]
    pub(in crate::cli) expect: Vec<Expectation>,
    /// At most 2 kB for each kernel: standing, limiter, the first three changes, what was refuted before.
    #[arg(long)]
    pub(in crate::cli) brief: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Explain {
    /// The name, of one or several words.
    #[arg(value_name = "NAME", required = true)]
    pub(in crate::cli) name: Vec<String>,
    /// Say whether ncu has this metric on a chip: GA100, AD102, GH100, GB100, GB202, or an architecture such as sm_90.
    #[arg(long, value_name = "CHIP", value_parser = counters)]
    pub(in crate::cli) chip: Option<&'static str>,
}
