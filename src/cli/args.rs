//! The arguments of every verb.

use crate::catalog;
use crate::config::{Amount, Expect, SubjectName, Tiles};
use crate::nearest::did_you_mean;
use crate::render::{Override, TEMPLATES};
use chrono::NaiveDate;
use clap::{Args, Parser, Subcommand};
use regex::Regex;
use std::path::PathBuf;

/// The version with the commit that it was built from, where that is known.
const VERSION: &str = env!("AUDIT_VERSION");

const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  findings or a regression
  2  wrong usage, configuration or template; a kernel filter that matches nothing
  3  a file that cannot be read or written
  4  a tool that is missing or failed
  5  a page that was rejected before it was written
  6  inconclusive
  130  stopped by Ctrl-C";

/// Writes a dated Performance Audit of a CUDA kernel from the evidence of its build and profile.
#[derive(Debug, Parser)]
#[command(name = "audit", version = VERSION, after_help = EXIT_STATUS, max_term_width = 100)]
pub(super) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(super) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Write the audits of subjects of audit.toml, or of the report given by --report.
    Generate(Box<Generate>),
    /// Put reports and snapshots side by side, with a verdict on each reading.
    Compare(Compare),
    /// The gate: end with status 1 when a kernel became slower, 6 when that cannot be told.
    Check(Check),
    /// Print every audit of a subject as a table.
    History(History),
    /// Say which audit of a subject the next ones are compared with.
    Baseline(Baseline),
    /// Launch a subject's kernel on the GPU: plainly, checked against a reference, or timed.
    Launch(Launch),
    /// Print what a report, a page that ncu printed, or a build log says, as tables.
    Show(Show),
    /// Say which kernels take the time of a whole program, from what Nsight Systems recorded.
    Timeline(Timeline),
    /// Print a stage as JSON.
    Dump(Dump),
    /// Explain a metric, stall reason, opcode, threshold, limiter, finding or chip; `view` lists what templates may use.
    Explain(Explain),
    /// Check audit.toml, the files and metrics that it names, and every template.
    Lint(Lint),
    /// Run subjects under NVIDIA's tools and keep what they write; what is there already is kept.
    Collect(Collect),
    /// Say which tools, driver and GPU are here, and what is missing for what.
    Doctor(Doctor),
    /// Print a shell's completions.
    Completions(Completions),
    /// Write the manual: a page for each verb.
    Man(Man),
}

/// Arguments of `audit generate`.
#[derive(Debug, Args)]
pub(super) struct Generate {
    /// Subjects of the configuration file [default: those of its `default`, else all].
    #[arg(value_name = "SUBJECT")]
    pub(super) subjects: Vec<String>,
    /// Every subject of the configuration file.
    #[arg(long, conflicts_with = "subjects")]
    pub(super) all: bool,
    /// Configuration file [default: audit.toml, unless --report is given without a subject].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Output folder [default: audits].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Name of the page template [default: audit].
    #[arg(long, value_name = "NAME")]
    pub(super) template: Option<String>,
    /// Folder of templates that replace or extend the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub(super) templates: Option<PathBuf>,
    /// A file in place of one built-in template: audit, deliverable, html, pr, or a partial; may be repeated.
    #[arg(long = "template-file", value_name = "NAME=FILE", value_parser = template_file)]
    pub(super) template_files: Vec<Override>,
    /// What to write.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = PageFormat::Md)]
    pub(super) format: PageFormat,
    /// Where the repository is in a browser, for the links of --format pr: https://HOST/OWNER/NAME/blob/COMMIT.
    #[arg(long, value_name = "URL", value_parser = address)]
    pub(super) link_base: Option<String>,
    /// Date of the audit, YYYY-MM-DD [default: SOURCE_DATE_EPOCH, else today].
    #[arg(long, value_name = "DATE")]
    pub(super) date: Option<NaiveDate>,
    /// Write the page without charts.
    #[arg(long)]
    pub(super) no_charts: bool,
    /// Overwrite generated blocks that were edited by hand, and pages without any.
    #[arg(long)]
    pub(super) force: bool,
    /// Make the page of this snapshot again, without its report [--out default: beside it]; may name several.
    #[arg(long, value_name = "SNAPSHOT", num_args = 1.., conflicts_with_all = ["subjects", "config", "date", "report", "baseline",
        "ptxas", "correctness", "benchmark", "baseline_benchmark", "reference", "kernel", "baseline_kernel", "name", "title", "commit", "change", "work_shape", "work_types",
        "work_flop", "work_bytes"])]
    pub(super) from: Vec<PathBuf>,
    /// Number that judgements compare with, in place of the catalog's or the configuration's; may be repeated.
    #[arg(long = "threshold", value_name = "ID=NUMBER", value_parser = threshold)]
    pub(super) thresholds: Vec<(String, f64)>,
    /// Collect the evidence first, as `audit collect` does; needs a GPU.
    #[arg(long)]
    pub(super) collect: bool,
    /// Print what --collect would run, and write nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// With --collect, make every file again.
    #[arg(long, requires = "collect")]
    pub(super) again: bool,
    /// With --collect, say nothing while it runs.
    #[arg(long, requires = "collect")]
    pub(super) quiet: bool,
    /// With --collect, subjects collected at a time; those on the GPU of this machine still take turns.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "collect")]
    pub(super) jobs: usize,
    /// Print how long NVIDIA's tools and the rest took.
    #[arg(long)]
    pub(super) timings: bool,
    /// Read what is whole of a damaged report; the page says what is missing.
    #[arg(long)]
    pub(super) allow_damage: bool,
    /// What the subject is; each overrides the configuration of one subject.
    #[command(flatten)]
    pub(super) subject: SubjectFlags,
}

/// What `audit generate` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum PageFormat {
    /// The page in Markdown, its snapshot and its charts.
    Md,
    /// One HTML file that needs nothing else, with the source view.
    Html,
    /// A comment on a pull request about all the subjects, printed; nothing is written.
    Pr,
}

impl Generate {
    /// What `--collect` asks of the collection.
    pub(super) fn collecting(&self) -> Collect {
        Collect {
            all: self.all,
            again: self.again,
            quiet: self.quiet,
            dry_run: self.dry_run,
            jobs: self.jobs,
            ..Collect::default()
        }
    }
}

/// Flags that state or override a subject.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Subject")]
pub(super) struct SubjectFlags {
    /// Report of the version under audit.
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Report or snapshot of the version before [default: the pinned audit, else the last one before the date].
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Build log with what `ptxas -v` printed; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(super) ptxas: Vec<PathBuf>,
    /// Check of the outputs, as `audit launch --check --json-to` wrote it.
    #[arg(long, alias = "correctness-file", value_name = "FILE")]
    pub(super) correctness: Option<PathBuf>,
    /// Times outside the profiler, as `audit launch --time --json-to` wrote them.
    #[arg(long, alias = "benchmark-file", value_name = "FILE")]
    pub(super) benchmark: Option<PathBuf>,
    /// The same of the version before [default: those that the baseline's snapshot keeps].
    #[arg(long, value_name = "FILE")]
    pub(super) baseline_benchmark: Option<PathBuf>,
    /// Report of what the kernel is timed beside.
    #[arg(long, alias = "reference-report", value_name = "FILE")]
    pub(super) reference: Option<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(super) kernel: Option<Regex>,
    /// Kernels of the baseline [default: as --kernel].
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(super) baseline_kernel: Option<Regex>,
    /// Name of the subject, part of the file name [default: the report's file name].
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<SubjectName>,
    /// Title of the subject.
    #[arg(long, value_name = "TEXT")]
    pub(super) title: Option<String>,
    /// Commit under audit [default: that of the working tree].
    #[arg(long, value_name = "COMMIT")]
    pub(super) commit: Option<String>,
    /// What the new version changed, in words.
    #[arg(long, value_name = "TEXT")]
    pub(super) change: Option<String>,
    /// Problem size in words.
    #[arg(long, value_name = "TEXT")]
    pub(super) work_shape: Option<String>,
    /// Types in words.
    #[arg(long, value_name = "TEXT")]
    pub(super) work_types: Option<String>,
    /// Floating-point operations of one launch: a number or an expression such as 2*1024*1024.
    #[arg(long, value_name = "N")]
    pub(super) work_flop: Option<Amount>,
    /// Bytes that one launch cannot avoid to move: a number or an expression.
    #[arg(long, value_name = "N")]
    pub(super) work_bytes: Option<Amount>,
    /// Tiles of one launch, store instructions of a warp for each, and warps that store one: numbers or expressions.
    #[arg(long, value_name = "COUNT,STORES,WARPS")]
    pub(super) tiles: Option<Tiles>,
    /// Checklist of the catalog to hold the kernel against; may be repeated.
    #[arg(long = "check", alias = "checks", value_name = "CHECKLIST", value_delimiter = ',', value_parser = checklist)]
    pub(super) checks: Vec<String>,
    /// What should hold for a metric or derived reading, such as 'stall.barrier<25'; may be repeated.
    #[arg(long, value_name = "READING OP VALUE")]
    pub(super) expect: Vec<Expect>,
}

/// Where audits lie.
#[derive(Debug, Default, Args)]
pub(super) struct Folder {
    /// Configuration file [default: audit.toml, where there is one].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Folder of audits [default: that of the configuration file, else audits].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Level {
    /// It explains the limit.
    Limits,
    /// It costs beside the limit.
    Costs,
    /// Worth knowing.
    Notes,
}

/// Arguments of `audit baseline`.
#[derive(Debug, Args)]
pub(super) struct Baseline {
    /// What to do with baselines.
    #[command(subcommand)]
    pub(super) verb: BaselineVerb,
}

/// What to do with baselines.
#[derive(Debug, Subcommand)]
pub(super) enum BaselineVerb {
    /// Compare later audits of a subject with one of its snapshots.
    Pin(PinBaseline),
}

/// Arguments of `audit baseline pin`.
#[derive(Debug, Args)]
pub(super) struct PinBaseline {
    /// The subject.
    #[arg(value_name = "NAME")]
    pub(super) name: SubjectName,
    /// Why this audit.
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
    /// The snapshot [default: the newest of the subject].
    #[arg(long, value_name = "FILE")]
    pub(super) snapshot: Option<PathBuf>,
    /// The day of pinning, YYYY-MM-DD [default: SOURCE_DATE_EPOCH, else today].
    #[arg(long, value_name = "DATE")]
    pub(super) date: Option<NaiveDate>,
    /// Where audits lie.
    #[command(flatten)]
    pub(super) folder: Folder,
}

/// Arguments of `audit compare`.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// Reports, pages that ncu printed, snapshots; the first is the old side.
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub(super) files: Vec<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(super) kernel: Option<Regex>,
    /// Print the verdicts and what they rest on as JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Columns to print in [default: COLUMNS, else 80].
    #[arg(long, value_name = "N")]
    pub(super) width: Option<usize>,
}

/// Arguments of `audit check`.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Subjects [default: those of the configuration file, else all in the folder].
    #[arg(value_name = "SUBJECT")]
    pub(super) subjects: Vec<String>,
    /// Analyse the reports anew, as `audit generate` would, and write no page.
    #[arg(long)]
    pub(super) fresh: bool,
    /// Slow-down in percent that counts as a regression [default: the threshold `regression`, 5].
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(super) regression: Option<f64>,
    /// Fail on patterns of this severity or a graver one that the old side did not show.
    #[arg(long, value_name = "SEVERITY")]
    pub(super) findings: Option<Level>,
    /// Leave out the subject's checks: checklists, expectations, checks on the machine code, and looks at the results that
    /// cannot tell. Wrong results fail in any case.
    #[arg(long)]
    pub(super) no_checks: bool,
    /// End with 0 where the evidence does not decide.
    #[arg(long)]
    pub(super) allow_inconclusive: bool,
    /// Note the comparisons that did not pass as accepted; needs --reason.
    #[arg(long)]
    pub(super) accept: bool,
    /// Why they are accepted.
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub(super) reason: Option<String>,
    /// Write the outcomes as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Print the outcomes as annotations of GitHub Actions too.
    #[arg(long)]
    pub(super) github: bool,
    /// Today, YYYY-MM-DD [default: SOURCE_DATE_EPOCH, else today].
    #[arg(long, value_name = "DATE")]
    pub(super) date: Option<NaiveDate>,
    /// Where audits lie.
    #[command(flatten)]
    pub(super) folder: Folder,
}

/// Arguments of `audit history`.
#[derive(Debug, Args)]
pub(super) struct History {
    /// The subject.
    #[arg(value_name = "SUBJECT")]
    pub(super) subject: SubjectName,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = HistoryFormat::Md)]
    pub(super) format: HistoryFormat,
    /// Where audits lie.
    #[command(flatten)]
    pub(super) folder: Folder,
}

/// How to print a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum HistoryFormat {
    /// A Markdown table.
    Md,
    /// JSON with the readings themselves.
    Json,
    /// Comma-separated values as the table shows them.
    Csv,
    /// A chart of the times.
    Svg,
}

/// Arguments of `audit launch`.
#[derive(Debug, Args)]
pub(super) struct Launch {
    /// The subject.
    #[arg(value_name = "SUBJECT")]
    pub(super) subject: String,
    /// Compare its outputs with those of its reference; end with status 1 where they differ.
    #[arg(long, group = "what")]
    pub(super) check: bool,
    /// Time it, in turn with its reference where it has one.
    #[arg(long, group = "what")]
    pub(super) time: bool,
    /// Launch the reference alone.
    #[arg(long, group = "what")]
    pub(super) reference_only: bool,
    /// Launches after the first; for a profiler [default: 1].
    #[arg(long, value_name = "N", conflicts_with_all = ["check", "time"])]
    pub(super) times: Option<u32>,
    /// Cubin or PTX to launch [default: compiled from the subject's source].
    #[arg(long, value_name = "FILE")]
    pub(super) cubin: Option<PathBuf>,
    /// Write the outcome of --check or --time here.
    #[arg(long, value_name = "FILE", requires = "what", conflicts_with = "reference_only")]
    pub(super) json_to: Option<PathBuf>,
    /// Times whose choice among cuBLASLt's algorithms --reference-only takes [default: benchmark.json beside --cubin,
    /// where there is one, else the library's first].
    #[arg(long, value_name = "FILE", requires = "reference_only")]
    pub(super) benchmark: Option<PathBuf>,
    /// Seed of the inputs; --check takes those of the subject.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "check")]
    pub(super) seed: u64,
    /// Most samples of --time.
    #[arg(long, value_name = "N", default_value_t = 400, requires = "time")]
    pub(super) samples: usize,
    /// Device, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) device: u32,
    /// Configuration file [default: audit.toml].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

/// Arguments of `audit timeline`.
#[derive(Debug, Args)]
pub(super) struct Timeline {
    /// What `nsys stats --format csv` printed, or an SQLite database of `nsys export`; all of one run.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Print it as JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Number that judgements compare with, in place of the catalog's: timeline-idle, timeline-kernel; may be repeated.
    #[arg(long = "threshold", value_name = "ID=NUMBER", value_parser = threshold)]
    pub(super) thresholds: Vec<(String, f64)>,
    /// Columns to print in [default: COLUMNS, else 80].
    #[arg(long, value_name = "N")]
    pub(super) width: Option<usize>,
}

/// Arguments of `audit show`.
#[derive(Debug, Args)]
pub(super) struct Show {
    /// Reports, pages that ncu printed, snapshots, build logs.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(super) kernel: Option<Regex>,
    /// Read what is whole of a damaged report; the page says what is missing.
    #[arg(long)]
    pub(super) allow_damage: bool,
    /// Print what is measured and concluded as JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Columns to print in [default: COLUMNS, else 80].
    #[arg(long, value_name = "N")]
    pub(super) width: Option<usize>,
}

/// Arguments of `audit dump`.
#[derive(Debug, Args)]
pub(super) struct Dump {
    /// The stage.
    #[command(subcommand)]
    pub(super) stage: Stage,
}

/// A stage that can be printed.
#[derive(Debug, Subcommand)]
pub(super) enum Stage {
    /// Everything that a report holds, as it was read.
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
    /// What is concluded about every kernel of a report: verdict, findings and levers with their readings.
    Analysis(DumpAnalysis),
}

/// Arguments of `audit dump analysis`.
#[derive(Debug, Args)]
pub(super) struct DumpAnalysis {
    /// The report, or a page that ncu printed [default: that of the subject].
    #[arg(value_name = "FILE", required_unless_present = "subject")]
    pub(super) file: Option<PathBuf>,
    /// Subject of the configuration file whose kernel, work, checklists, expectations and thresholds hold.
    #[arg(long, value_name = "NAME")]
    pub(super) subject: Option<String>,
    /// Configuration file [default: audit.toml].
    #[arg(long, value_name = "FILE", requires = "subject")]
    pub(super) config: Option<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(super) kernel: Option<Regex>,
    /// Number that judgements compare with, in place of the catalog's; may be repeated.
    #[arg(long = "threshold", value_name = "ID=NUMBER", value_parser = threshold)]
    pub(super) thresholds: Vec<(String, f64)>,
    /// Checklist of the catalog to hold the kernels against, in place of the subject's; may be repeated, or a list with
    /// commas.
    #[arg(long = "check", alias = "checks", value_name = "CHECKLIST", value_delimiter = ',', value_parser = checklist)]
    pub(super) checks: Vec<String>,
    /// What should hold for a metric or derived reading, in place of the subject's; may be repeated.
    #[arg(long, value_name = "READING OP VALUE")]
    pub(super) expect: Vec<Expect>,
}

/// Arguments of `audit collect`.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Collect {
    /// Subjects of the configuration file [default: those of its `default`, else all].
    #[arg(value_name = "SUBJECT")]
    pub(super) subjects: Vec<String>,
    /// Every subject of the configuration file.
    #[arg(long, conflicts_with = "subjects")]
    pub(super) all: bool,
    /// Configuration file [default: audit.toml].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Evidence folder of the subject [default: its `evidence`, else collected/SUBJECT].
    #[arg(long, value_name = "DIR")]
    pub(super) evidence: Option<PathBuf>,
    /// Set of metrics: audit, full, detailed or basic [default: the subject's `metrics`, else audit].
    #[arg(long, value_name = "SET", value_parser = super::collect::metric_set)]
    pub(super) set: Option<String>,
    /// Metric beside the set; may be repeated.
    #[arg(long = "metric", value_name = "NAME")]
    pub(super) metrics: Vec<String>,
    /// Make every file again, also what is there from the same.
    #[arg(long)]
    pub(super) again: bool,
    /// Subjects collected at a time; those on the GPU of this machine still take turns.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) jobs: usize,
    /// Print what would run.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Check the names of metrics and stop.
    #[arg(long)]
    pub(super) lint: bool,
    /// Say nothing while it runs.
    #[arg(long)]
    pub(super) quiet: bool,
}

/// Arguments of `audit doctor`.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Configuration file whose `tools` table is looked at [default: audit.toml, where there is one].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

/// Arguments of `audit lint`.
#[derive(Debug, Args)]
pub(super) struct Lint {
    /// Configuration file [default: audit.toml, where there is one].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Folder of templates [default: that of the configuration file].
    #[arg(long, value_name = "DIR")]
    pub(super) templates: Option<PathBuf>,
    /// A file in place of one built-in template; may be repeated.
    #[arg(long = "template-file", value_name = "NAME=FILE", value_parser = template_file)]
    pub(super) template_files: Vec<Override>,
}

/// Arguments of `audit completions`.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    pub(super) shell: clap_complete::Shell,
}

/// Arguments of `audit man`.
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The folder to write to.
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
}

/// Arguments of `audit explain`.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The name.
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// Say whether ncu has this metric on a chip: GA100, AD102, GH100, GB100, GB202, or an architecture such as sm_90.
    #[arg(long, value_name = "CHIP", value_parser = counters)]
    pub(super) chip: Option<&'static str>,
}

fn template_file(text: &str) -> Result<Override, String> {
    let (name, file) = text.split_once('=').ok_or("expected NAME=FILE, such as pr=my/pr.md.hbs")?;
    if !TEMPLATES.contains(&name) {
        return Err(format!("no template is called {name:?}{}", did_you_mean(name, TEMPLATES.iter().copied())));
    }
    Ok(Override { name: name.to_owned(), file: file.into() })
}

/// An address of the web.
fn address(text: &str) -> Result<String, String> {
    match text.starts_with("https://") || text.starts_with("http://") {
        true => Ok(text.trim_end_matches('/').to_owned()),
        false => Err(format!("expected an address that begins with https://, found {text:?}")),
    }
}

/// A positive share in percent.
fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err(format!("expected a number above 0, found {text:?}")),
    }
}

fn threshold(text: &str) -> Result<(String, f64), String> {
    let (id, number) = text.split_once('=').ok_or("expected ID=NUMBER, such as sol-high=75")?;
    if catalog::threshold_row(id).is_none() {
        let known = catalog::thresholds().iter().map(|row| row.id);
        return Err(format!("no threshold is called {id:?}{}", did_you_mean(id, known)));
    }
    let value: f64 = number.parse().map_err(|_| format!("expected a number, found {number:?}"))?;
    if value.is_finite() { Ok((id.to_owned(), value)) } else { Err(format!("expected a number, found {number:?}")) }
}

fn checklist(id: &str) -> Result<String, String> {
    let known = || catalog::profiles().iter().map(|profile| profile.id.as_str());
    match catalog::profile(id) {
        Some(_) => Ok(id.to_owned()),
        None => Err(format!("no checklist is called {id:?}{}", did_you_mean(id, known()))),
    }
}

fn counters(word: &str) -> Result<&'static str, String> {
    let known = || crate::quantity::metric_table::CHIPS.map(str::to_uppercase).join(", ");
    catalog::counters_named(word)
        .ok_or_else(|| format!("no counters are listed for {word:?}; they are for {}", known()))
}

fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| crate::config::regex_reason(&error))
}
