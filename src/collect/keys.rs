//! The keys of audit.toml about collecting evidence on a GPU.

use crate::evidence::SanitizerTool;
use serde::de::{Deserialize, Deserializer, Error};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use strum::VariantArray;

/// How the evidence of a subject is collected: `[subject.collect]`, and three keys of the subject itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Collecting {
    /// The program that launches the kernel, with its arguments; empty for the launcher of this program.
    #[serde(skip)]
    pub run: Vec<String>,
    /// What goes before every command that needs a GPU.
    #[serde(skip)]
    pub prefix: Vec<String>,
    /// The evidence folder, where the file names one.
    #[serde(skip)]
    pub evidence: Option<PathBuf>,
    /// `audit`, `full`, `detailed` or `basic`.
    #[serde(deserialize_with = "set")]
    pub metrics: String,
    /// Metrics beside the set.
    pub extra: Vec<String>,
    /// Sections beside the set.
    pub sections: Vec<String>,
    /// Launches of the kernel that are passed over.
    pub skip: u64,
    /// Launches that are profiled.
    #[serde(deserialize_with = "above_0")]
    pub count: u64,
    /// Launches that are timed in a run of their own; 0 for none.
    pub launches: u64,
    /// `none` or `base`.
    #[serde(deserialize_with = "clock")]
    pub clock: String,
    /// `all` or `none`.
    #[serde(deserialize_with = "cache")]
    pub cache: String,
    /// `kernel`, `application`, `range` or `app-range`.
    #[serde(deserialize_with = "replay")]
    pub replay: String,
    pub nvtx: Vec<String>,
    pub sanitizers: Vec<SanitizerTool>,
    /// After which ncu is stopped.
    #[serde(deserialize_with = "seconds")]
    pub timeout: Duration,
    /// After which each tool of compute-sanitizer is stopped.
    #[serde(deserialize_with = "seconds")]
    pub sanitizer_timeout: Duration,
    /// The program that compute-sanitizer watches, with its arguments; empty for the one that is measured.
    pub check_run: Vec<String>,
    /// `checks` or `profile`: what comes first.
    #[serde(deserialize_with = "order")]
    pub order: String,
    /// After which the subject's steps are stopped.
    #[serde(deserialize_with = "seconds")]
    pub deadline: Option<Duration>,
    /// Files that decide what the program does, relative to the folder of the file.
    pub inputs: Vec<PathBuf>,
    /// Whether reports stay as ncu writes them, not packed.
    pub plain: bool,
    /// Whether the program calls `kernel_audit.bench`.
    pub bench: bool,
    /// The subjects that this one is collected with, in one run of their program; `None` for a subject of its own.
    #[serde(skip)]
    pub together: Option<Arc<Together>>,
}

/// Subjects of one program, which are collected in one run of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    /// Their names in file order; the evidence is the first one's.
    pub names: Vec<String>,
    /// What their kernels are called, as one regular expression; `None` where one of them takes every kernel.
    pub kernel: Option<String>,
}

/// The sets of metrics by name, our own first.
pub(crate) const METRIC_SETS: [&str; 4] = ["audit", "full", "detailed", "basic"];
pub(crate) const ORDERS: [&str; 2] = ["checks", "profile"];

impl Default for Collecting {
    fn default() -> Collecting {
        Collecting {
            run: Vec::new(),
            prefix: Vec::new(),
            evidence: None,
            metrics: METRIC_SETS[0].to_owned(),
            extra: Vec::new(),
            sections: Vec::new(),
            skip: 0,
            count: 1,
            launches: 20,
            clock: "none".to_owned(),
            cache: "all".to_owned(),
            replay: "kernel".to_owned(),
            nvtx: Vec::new(),
            sanitizers: SanitizerTool::VARIANTS.to_vec(),
            timeout: Duration::from_secs(600),
            sanitizer_timeout: Duration::from_secs(300),
            check_run: Vec::new(),
            order: ORDERS[0].to_owned(),
            deadline: None,
            inputs: Vec::new(),
            plain: false,
            bench: false,
            together: None,
        }
    }
}

/// A word of a closed list.
fn word<'de, D: Deserializer<'de>>(known: &'static [&'static str], from: D) -> Result<String, D::Error> {
    let word = String::deserialize(from)?;
    if known.contains(&word.as_str()) { Ok(word) } else { Err(D::Error::unknown_variant(&word, known)) }
}

fn set<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    word(&METRIC_SETS, from)
}

fn clock<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    word(&["none", "base"], from)
}

fn cache<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    word(&["all", "none"], from)
}

fn replay<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    word(&["kernel", "application", "range", "app-range"], from)
}

fn order<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    word(&ORDERS, from)
}

fn above_0<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    match u64::deserialize(from)? {
        0 => Err(D::Error::custom("expected a number above 0, found 0")),
        number => Ok(number),
    }
}

fn seconds<'de, D: Deserializer<'de>, T: From<Duration>>(from: D) -> Result<T, D::Error> {
    above_0(from).map(|seconds| Duration::from_secs(seconds).into())
}
