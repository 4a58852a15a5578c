//! The verbs, and what stands below `audit --help`.

use super::{
    Baseline, Check, Collect, Compare, Completions, Doctor, Dump, Explain, Generate, History, Init, Launch, Lint, Man,
    Render, Resolve, Show, Timeline,
};
use clap::{Parser, Subcommand};

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

const GATE: &str = "\
Exit status:
  0  nothing is open, or it was accepted, and every check passes
  1  slower, wrong, a check that fails, an edited page; with --current a STALE audit
  2  wrong usage
  3  a snapshot that cannot be read, or was changed
  6  what is not known (--allow-inconclusive), or a first audit (--allow-new)";

const HYPOTHESIS: &str = "\
What a change should do is stated in audit.toml and committed before it is measured:
  [[subject.hypothesis]]
  name = \"tiles in shared memory\"
  before = [\"stall-rank.lg_throttle == 1\"]
  after = [\"stall.lg_throttle < 1\", \"change.cycles < 0\"]
`audit explain readings` lists what can be named.";

/// Writes a dated Performance Audit of a CUDA kernel from the evidence of its build and profile.
#[derive(Debug, Parser)]
#[command(name = "audit", version = VERSION, after_help = EXIT_STATUS, max_term_width = 100)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    pub(in crate::cli) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Verb {
    /// Write an audit.toml from the reports, sources and build logs that lie here.
    Init(Init),
    /// Write the audits of subjects of audit.toml, or of the report given by --report.
    #[command(after_help = HYPOTHESIS)]
    Generate(Box<Generate>),
    /// Make the pages of snapshots again, without their reports.
    Render(Render),
    /// Put reports and snapshots side by side, with a verdict on each reading.
    Compare(Compare),
    /// The gate: end with status 1 when a kernel became slower, 6 when that cannot be told.
    #[command(after_help = GATE)]
    Check(Check),
    /// Print every audit of a subject as a table.
    History(History),
    /// After a merge that stopped in the folder of audits: keep the audits of both sides.
    Resolve(Resolve),
    /// Pin the baseline that later audits of a subject are compared with.
    Baseline(Baseline),
    /// Launch a subject's kernel on the GPU: plainly, checked against a reference, or timed.
    Launch(Launch),
    /// Print what a report, a page that ncu printed, or a build log says, as tables.
    Show(Show),
    /// Say which kernels take the time of a whole program, from what Nsight Systems recorded.
    Timeline(Timeline),
    /// Print evidence, source counters or analysis as JSON.
    Dump(Dump),
    /// Explain a metric, stall reason, opcode, threshold, limiter, finding, lever, chip, or another word of a page; `readings`,
    /// `thresholds`, `findings`, `levers`, `words` and `view` (what templates may use) are lists.
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
