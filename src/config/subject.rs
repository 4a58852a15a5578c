//! A subject: one kernel whose audits form a series.

use super::amount::Amount;
use super::code::{Code, Variant};
use crate::analysis::code::{LaunchShape, SassCheck, SharedPart};
use crate::analysis::{Expectation, Hypothesis, Pick};
use crate::collect::Collecting;
use crate::source::TimeUnit;
use audit_launch::{CheckPlan, LaunchPlan, ReferencePlan};
use regex::Regex;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The name of a subject, part of its files' names: small letters, digits, `_` and `-`, which does not come first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubjectName(String);

impl SubjectName {
    /// A name from any text: `nodeCalculations` becomes `node_calculations`, umlauts two letters, other characters `-`. `None`
    /// when no letter or digit is left.
    pub fn from_text(text: &str) -> Option<SubjectName> {
        let mut name = String::new();
        let mut before = ' ';
        for c in text.chars() {
            if c.is_uppercase() && before.is_lowercase() {
                name.push('_');
            }
            before = c;
            for c in c.to_lowercase() {
                match c {
                    'ä' => name.push_str("ae"),
                    'ö' => name.push_str("oe"),
                    'ü' => name.push_str("ue"),
                    'ß' => name.push_str("ss"),
                    c if is_allowed(c) => name.push(c),
                    _ if name.ends_with('-') => {}
                    _ => name.push('-'),
                }
            }
        }
        let name = name.trim_matches('-');
        (!name.is_empty()).then(|| SubjectName(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SubjectName {
    type Err = String;

    fn from_str(text: &str) -> Result<SubjectName, String> {
        if text.starts_with(|c: char| is_allowed(c) && c != '-') && text.chars().all(is_allowed) {
            return Ok(SubjectName(text.to_owned()));
        }
        let near = SubjectName::from_text(text).map_or_else(String::new, |name| format!("; {name} would do"));
        Err(format!("expected small letters, digits, `_` and `-`, the first no `-`, found {text:?}{near}"))
    }
}

impl fmt::Display for SubjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-')
}

/// What one launch of the kernel has to do, independent of how it does it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Problem size in words, `M=2048 N=1024 K=1024`.
    pub shape: Option<String>,
    /// Types in words, `FP32`.
    pub types: Option<String>,
    pub flop: Option<Amount>,
    /// Bytes that must move to or from memory at least: each input read once, each output written once.
    pub bytes: Option<Amount>,
}

/// How the work is cut into tiles: `count` tiles, each stored by `warps` warps with `stores_per_warp` instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    pub count: Amount,
    pub stores_per_warp: Amount,
    pub warps: Amount,
}

impl FromStr for Tiles {
    type Err = String;

    /// `COUNT,STORES,WARPS`, each a number or an expression.
    fn from_str(text: &str) -> Result<Tiles, String> {
        let parts: Vec<&str> = text.split(',').collect();
        let [count, stores, warps] = parts[..] else {
            return Err(format!("expected COUNT,STORES,WARPS, found {text:?}"));
        };
        let amount = |text: &str| text.parse::<Amount>().map_err(|error| error.to_string());
        Ok(Tiles { count: amount(count)?, stores_per_warp: amount(stores)?, warps: amount(warps)? })
    }
}

impl fmt::Display for Tiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.count, self.stores_per_warp, self.warps)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Name, unique in a file.
    pub name: SubjectName,
    pub title: Option<String>,
    /// Whether an HTML page is written beside its page, where it differs from the other subjects.
    pub html: Option<bool>,
    /// Which kernels of the report: matched against the function name; all of them when absent.
    pub kernel: Option<Regex>,
    /// Which launches of the report, where its kernels do not say.
    pub pick: Pick,
    /// Which kernels of the baseline; `kernel` when absent.
    pub baseline_kernel: Option<Regex>,
    /// The report of the version under audit; a subject without one has `code`, and its page is made from that alone.
    pub report: Option<PathBuf>,
    pub baseline: Option<PathBuf>,
    /// Build logs of the version under audit.
    pub ptxas: Vec<PathBuf>,
    /// The source or cubin of the version under audit.
    pub code: Option<Code>,
    /// Where the source has several builds, all of them; `code` is the first.
    pub variants: Vec<Variant>,
    /// The source or cubin of the version before.
    pub baseline_code: Option<Code>,
    /// How the kernel is launched, for what a report does not say.
    pub launch: LaunchShape,
    /// How it is launched by `audit launch`, with its arguments.
    pub plan: Option<LaunchPlan>,
    pub outputs: Option<CheckPlan>,
    pub tests: Option<StatedTests>,
    pub reference: Option<ReferencePlan>,
    pub code_checks: Vec<SassCheck>,
    /// The parts of its dynamic shared memory.
    pub shared: Vec<SharedPart>,
    pub commit: Option<String>,
    pub change: Option<String>,
    pub work: Work,
    pub tiles: Option<Tiles>,
    /// Ids of the catalog's checklists that it is held against.
    pub checklists: Vec<String>,
    pub expect: Vec<Expectation>,
    /// What its change was expected to do.
    pub hypotheses: Vec<Hypothesis>,
    pub collect: Collecting,
    pub trials: TrialFiles,
}

impl Subject {
    /// The same with the build and the launch of one of its variants.
    #[must_use]
    pub fn of_variant(&self, variant: &Variant) -> Subject {
        let mut subject = self.clone();
        if let Some(Code::Source { flags, .. }) = &mut subject.code {
            flags.clone_from(&variant.flags);
        }
        if let Some(bytes) = variant.dynamic_shared {
            subject.launch.dynamic_shared = Some(bytes);
            if let Some(plan) = &mut subject.plan {
                plan.dynamic_shared = u32::try_from(bytes).unwrap_or(u32::MAX);
            }
        }
        subject
    }

    pub fn new(name: SubjectName, report: PathBuf) -> Subject {
        Subject { name, report: Some(report), ..Subject::default() }
    }
}

#[derive(Clone, Debug, Default)]
pub struct StatedTests {
    /// The JUnit file, where something else writes it.
    pub junit: Option<PathBuf>,
    /// The command that writes one, with `--junit-xml=FILE`; empty without one.
    pub pytest: Vec<String>,
    /// Which of the tests, by their names; all by default.
    pub meant: Option<Regex>,
}

#[derive(Clone, Debug, Default)]
pub struct TrialFiles {
    pub correctness: Option<PathBuf>,
    pub benchmark: Option<PathBuf>,
    /// Which row of them, where another tool wrote several.
    pub row: Option<Regex>,
    /// The unit of its times, where the file says none.
    pub unit: Option<TimeUnit>,
    pub baseline_benchmark: Option<PathBuf>,
    /// The profile of what it is timed beside.
    pub reference: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_file_names() {
        assert!("gemm_bias-2".parse::<SubjectName>().is_ok());
        assert_eq!(
            "GEMM bias".parse::<SubjectName>(),
            Err("expected small letters, digits, `_` and `-`, the first no `-`, found \"GEMM bias\"; gemm-bias would do".into())
        );
        assert!("../x".parse::<SubjectName>().is_err());
        assert!("".parse::<SubjectName>().is_err());
        assert_eq!(SubjectName::from_text("é.ncu"), Some(SubjectName("ncu".into())));
        assert_eq!(SubjectName::from_text("--"), None);
    }

    #[test]
    fn names_are_proposed_that_a_reader_knows_again() {
        let of = |text: &str| SubjectName::from_text(text).map(|name| name.to_string());
        assert_eq!(of("größe k").as_deref(), Some("groesse-k"));
        assert_eq!(of("nodeCalculationsKernel").as_deref(), Some("node_calculations_kernel"));
        assert_eq!(of("GEMM_v2: FP32 / TF32").as_deref(), Some("gemm_v2-fp32-tf32"));
        assert_eq!(of("日本").as_deref(), None);
    }
}
