//! Flags that say what a subject is, where the configuration does not, and the one table that joins them with its keys.

use super::value::{checklist, expectation, regex};
use crate::analysis::{Expectation, Rows};
use crate::config::{Amount, Subject, SubjectName, Tiles};
use crate::evidence::Dim3;
use crate::shell::split;
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
    /// Benchmark of the version before [default: those that the baseline's snapshot keeps].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) baseline_benchmark: Option<PathBuf>,
    /// Report of the reference that the kernel is timed against.
    #[arg(long, alias = "reference-report", value_name = "FILE")]
    pub(in crate::cli) reference: Option<PathBuf>,
    /// Evidence folder, as `audit collect` fills it.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) evidence: Option<PathBuf>,
    /// Kernels to look at: a regular expression on the function name.
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) kernel: Option<Regex>,
    /// Launches to look at, numbered as in ncu and `audit dump evidence`: 3, or 0-4,8.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) launches: Option<Rows>,
    /// Grid of the launches to look at: 64, or 64,1,1.
    #[arg(long, value_name = "X,Y,Z")]
    pub(in crate::cli) grid: Option<Dim3>,
    /// NVTX range of the launches to look at.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) nvtx: Option<String>,
    /// Kernels of the baseline [default: as --kernel].
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub(in crate::cli) baseline_kernel: Option<Regex>,
    /// Name of the subject, part of the file name [default: the report's file name, and the filter
    /// where --kernel is given].
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
    /// Bytes that one launch has to move: a number or an expression.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) work_bytes: Option<Amount>,
    /// Tiles of one launch, store instructions of a warp for each, and warps that store one: numbers or expressions.
    #[arg(long, value_name = "COUNT,STORES,WARPS")]
    pub(in crate::cli) tiles: Option<Tiles>,
    /// Checklist of the catalog to hold the kernel against; may be repeated.
    #[arg(long = "checklist", aliases = ["check", "checks"], value_name = "CHECKLIST", value_delimiter = ',', value_parser = checklist)]
    pub(in crate::cli) checklists: Vec<String>,
    /// Expectation for a metric or derived reading, such as 'stall.barrier<25'; may be repeated.
    #[arg(long, value_name = "READING OP VALUE", value_parser = expectation)]
    pub(in crate::cli) expect: Vec<Expectation>,
}

/// A key of a subject that has a flag: the flag; what puts it over the subject and says whether it was given; and the
/// subject's own values as words, one for each time that the flag stands.
type Key = (&'static str, fn(&SubjectFlags, &mut Subject) -> bool, fn(&Subject) -> Vec<String>);

/// Puts the value of a flag into its place.
fn over<T: Clone>(flag: &Option<T>, into: &mut Option<T>) -> bool {
    if flag.is_some() {
        into.clone_from(flag);
    }
    flag.is_some()
}

/// The same of a flag that may be repeated.
fn all_over<T: Clone>(flags: &[T], into: &mut Vec<T>) -> bool {
    if !flags.is_empty() {
        *into = flags.to_vec();
    }
    !flags.is_empty()
}

fn paths<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<String> {
    paths.into_iter().map(|path| path.display().to_string()).collect()
}

fn words<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

/// Every key that has a flag, in the order in which a command names them. The commit is not among them: it is the audit's.
const KEYS: [Key; 23] = [
    ("--name", |f, s| f.name.iter().map(|name| s.name.clone_from(name)).count() > 0, |s| words([&s.name])),
    ("--report", |f, s| over(&f.report, &mut s.report), |s| paths(&s.report)),
    ("--baseline", |f, s| over(&f.baseline, &mut s.baseline), |s| paths(&s.baseline)),
    ("--ptxas", |f, s| all_over(&f.ptxas, &mut s.ptxas), |s| paths(&s.ptxas)),
    ("--correctness", |f, s| over(&f.correctness, &mut s.trials.correctness), |s| paths(&s.trials.correctness)),
    ("--benchmark", |f, s| over(&f.benchmark, &mut s.trials.benchmark), |s| paths(&s.trials.benchmark)),
    (
        "--baseline-benchmark",
        |f, s| over(&f.baseline_benchmark, &mut s.trials.baseline_benchmark),
        |s| paths(&s.trials.baseline_benchmark),
    ),
    ("--reference", |f, s| over(&f.reference, &mut s.trials.reference), |s| paths(&s.trials.reference)),
    ("--evidence", |f, s| over(&f.evidence, &mut s.collect.evidence), |s| paths(&s.collect.evidence)),
    ("--kernel", |f, s| over(&f.kernel, &mut s.kernel), |s| words(&s.kernel)),
    ("--launches", |f, s| over(&f.launches, &mut s.pick.rows), |s| words(&s.pick.rows)),
    (
        "--grid",
        |f, s| over(&f.grid, &mut s.pick.grid),
        |s| words(s.pick.grid.map(|grid| grid.0.map(|n| n.to_string()).join(","))),
    ),
    ("--nvtx", |f, s| over(&f.nvtx, &mut s.pick.nvtx), |s| words(&s.pick.nvtx)),
    ("--baseline-kernel", |f, s| over(&f.baseline_kernel, &mut s.baseline_kernel), |s| words(&s.baseline_kernel)),
    ("--title", |f, s| over(&f.title, &mut s.title), |s| words(&s.title)),
    ("--change", |f, s| over(&f.change, &mut s.change), |s| words(&s.change)),
    ("--work-shape", |f, s| over(&f.work_shape, &mut s.work.shape), |s| words(&s.work.shape)),
    ("--work-types", |f, s| over(&f.work_types, &mut s.work.types), |s| words(&s.work.types)),
    ("--work-flop", |f, s| over(&f.work_flop, &mut s.work.flop), |s| words(&s.work.flop)),
    ("--work-bytes", |f, s| over(&f.work_bytes, &mut s.work.bytes), |s| words(&s.work.bytes)),
    ("--tiles", |f, s| over(&f.tiles, &mut s.tiles), |s| words(&s.tiles)),
    ("--checklist", |f, s| all_over(&f.checklists, &mut s.checklists), |s| words(&s.checklists)),
    ("--expect", |f, s| all_over(&f.expect, &mut s.expect), |s| words(&s.expect)),
];

/// The keys of what is measured, what it is compared with and what it is held to, which an audit of a project has from its
/// configuration.
const CHOICES: [&str; 11] = [
    "--baseline",
    "--kernel",
    "--launches",
    "--grid",
    "--nvtx",
    "--baseline-kernel",
    "--work-flop",
    "--work-bytes",
    "--tiles",
    "--checklist",
    "--expect",
];

/// What the flags of a command chose otherwise than the subject states.
pub(in crate::cli) fn chosen(command: &str, stated: &Subject) -> Vec<String> {
    let words = split(command);
    let given = |flag: &str| -> Vec<String> {
        words.windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1].clone()).collect()
    };
    let choices = KEYS.iter().filter(|(flag, ..)| CHOICES.contains(flag));
    let other = choices.map(|(flag, _, say)| (flag, given(flag), say(stated)));
    let other = other.filter(|(_, given, stated)| !given.is_empty() && given != stated);
    other.map(|(flag, given, _)| format!("{flag} {}", given.join(" "))).collect()
}

impl SubjectFlags {
    /// Every path, as the user wrote it.
    pub(in crate::cli) fn paths(&mut self) -> Vec<&mut PathBuf> {
        let one = [
            &mut self.report,
            &mut self.baseline,
            &mut self.correctness,
            &mut self.benchmark,
            &mut self.baseline_benchmark,
            &mut self.reference,
            &mut self.evidence,
        ];
        one.into_iter().flatten().chain(&mut self.ptxas).collect()
    }

    /// Puts the flags over what a subject says; gives those that were given, with their values.
    pub(in crate::cli) fn apply(&self, subject: &mut Subject) -> Vec<(&'static str, String)> {
        let mut given = Vec::new();
        for (flag, put, say) in KEYS {
            if put(self, subject) {
                given.extend(say(subject).into_iter().map(|value| (flag, value)));
            }
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn every_flag_of_a_subject_is_a_key_of_the_table() {
        let command = SubjectFlags::augment_args(Command::new("flags"));
        let flags: Vec<String> =
            command.get_arguments().filter_map(|flag| flag.get_long()).map(|l| format!("--{l}")).collect();
        let keys: Vec<&str> = KEYS.iter().map(|(flag, ..)| *flag).chain(["--commit"]).collect();
        assert!(flags.iter().all(|flag| keys.contains(&flag.as_str())), "{flags:?}");
        assert_eq!(flags.len(), keys.len());
    }
}
