//! A subject: one kernel whose audits form a series.

use super::amount::Amount;
use super::code::Code;
use crate::analysis::code::{LaunchShape, SassCheck};
use regex::Regex;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The name of a subject, part of its files' names: small letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubjectName(String);

impl SubjectName {
    /// A name from any text: other characters become `-`. `None` when no letter or digit is left.
    pub fn from_text(text: &str) -> Option<SubjectName> {
        let name: String = text.to_lowercase().chars().map(|c| if is_allowed(c) { c } else { '-' }).collect();
        let name = name.trim_matches('-');
        (!name.is_empty()).then(|| SubjectName(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SubjectName {
    type Err = String;

    fn from_str(text: &str) -> Result<SubjectName, String> {
        if !text.is_empty() && text.chars().all(is_allowed) {
            return Ok(SubjectName(text.to_owned()));
        }
        let near = SubjectName::from_text(text).map_or_else(String::new, |name| format!("; {name} would do"));
        Err(format!("expected small letters, digits, `_` and `-`, found {text:?}{near}"))
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
    /// Floating-point operations.
    pub flop: Option<Amount>,
    /// Bytes that must move to or from memory at least: each input read once, each output written once.
    pub bytes: Option<Amount>,
}

impl Work {
    /// Whether nothing is stated.
    pub fn is_empty(&self) -> bool {
        *self == Work::default()
    }
}

/// One kernel and the evidence about it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name, unique in a file.
    pub name: SubjectName,
    /// Title of the page.
    pub title: Option<String>,
    /// Which kernels of the report: matched against the function name; all of them when absent.
    pub kernel: Option<Regex>,
    /// Which kernels of the baseline; `kernel` when absent.
    pub baseline_kernel: Option<Regex>,
    /// The report of the version under audit; a subject without one has `code`, and its page is made from that alone.
    pub report: Option<PathBuf>,
    /// The report of the version before.
    pub baseline: Option<PathBuf>,
    /// Build logs of the version under audit.
    pub ptxas: Vec<PathBuf>,
    /// The source or cubin of the version under audit.
    pub code: Option<Code>,
    /// The source or cubin of the version before.
    pub baseline_code: Option<Code>,
    /// How the kernel is launched, for what a report does not say.
    pub launch: LaunchShape,
    /// Checks on the machine code.
    pub checks: Vec<SassCheck>,
    /// Commit of the version under audit.
    pub commit: Option<String>,
    /// What the version under audit changed, in words.
    pub change: Option<String>,
    /// What one launch has to do.
    pub work: Work,
}

impl Subject {
    /// A subject with a name and a report, and nothing else stated.
    pub fn new(name: SubjectName, report: PathBuf) -> Subject {
        Subject {
            name,
            title: None,
            kernel: None,
            baseline_kernel: None,
            report: Some(report),
            baseline: None,
            ptxas: Vec::new(),
            code: None,
            baseline_code: None,
            launch: LaunchShape::default(),
            checks: Vec::new(),
            commit: None,
            change: None,
            work: Work::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_file_names() {
        assert!("gemm_bias-2".parse::<SubjectName>().is_ok());
        assert_eq!(
            "GEMM bias".parse::<SubjectName>(),
            Err("expected small letters, digits, `_` and `-`, found \"GEMM bias\"; gemm-bias would do".into())
        );
        assert!("../x".parse::<SubjectName>().is_err());
        assert!("".parse::<SubjectName>().is_err());
        assert_eq!(SubjectName::from_text("é.ncu"), Some(SubjectName("ncu".into())));
        assert_eq!(SubjectName::from_text("--"), None);
    }
}
