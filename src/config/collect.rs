//! The keys of audit.toml about collecting evidence on a GPU.
//!
//! ```toml
//! [[subject]]
//! name = "gemm"
//! kernel = "^gemm$"
//! run = ["./bench", "--size", "4096"]   # the program that launches the kernel, started in the folder of this file
//! evidence = "collected/gemm"           # where evidence is collected into and read from; this is the default
//! prefix = ["srun", "-N1", "--gpus=1"]  # goes before every command that needs a GPU
//!
//! [subject.collect]
//! metrics = "audit"                     # our own set; or "full", "detailed", "basic": NVIDIA's sets
//! extra = ["dram__bytes.sum"]           # metrics beside it
//! sections = ["PmSampling"]             # sections beside it
//! skip = 0                              # launches of the kernel that are passed over first
//! count = 1                             # launches that are profiled
//! launches = 20                         # launches that ncu times beside that, for the verdict; 0 for none
//! clock = "none"                        # or "base": the GPU's clocks are locked to the base clock
//! cache = "all"                         # or "none": caches are not flushed before each pass
//! replay = "kernel"                     # or "application", "range", "app-range"
//! nvtx = ["step/"]                      # NVTX ranges in which kernels are profiled
//! sanitizers = ["synccheck", "racecheck", "memcheck", "initcheck"]   # these by default, in this order
//! timeout = 600                         # seconds after which ncu is stopped
//! sanitizer_timeout = 300               # seconds after which each tool of compute-sanitizer is stopped
//! order = "checks"                      # compute-sanitizer before ncu, or "profile": ncu before it
//! check_run = ["./bench", "--size", "512"]   # a smaller program for compute-sanitizer
//! deadline = 1800                       # seconds for all steps of the subject; no limit by default
//! inputs = ["build/libgemm.so"]         # files beside `run` that decide what the program does
//! ```

use super::ConfigError;
use super::text::Text;
use crate::evidence::SanitizerTool;
use std::path::{Path, PathBuf};
use strum::VariantArray;
use toml::Spanned;

/// How the evidence of a subject is collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collecting {
    /// The program that launches the kernel, with its arguments; empty for the launcher of this program.
    pub run: Vec<String>,
    /// What goes before every command that needs a GPU.
    pub prefix: Vec<String>,
    /// The evidence folder, where the file names one.
    pub evidence: Option<PathBuf>,
    /// `audit`, `full`, `detailed` or `basic`.
    pub metrics: String,
    /// Metrics beside the set.
    pub extra: Vec<String>,
    /// Sections beside the set.
    pub sections: Vec<String>,
    /// Launches of the kernel that are passed over.
    pub skip: u64,
    /// Launches that are profiled.
    pub count: u64,
    /// Launches that are timed in a run of their own; 0 for none.
    pub launches: u64,
    /// `none` or `base`.
    pub clock: String,
    /// `all` or `none`.
    pub cache: String,
    /// `kernel`, `application`, `range` or `app-range`.
    pub replay: String,
    /// NVTX ranges.
    pub nvtx: Vec<String>,
    /// Tools of compute-sanitizer.
    pub sanitizers: Vec<SanitizerTool>,
    /// Seconds for ncu.
    pub timeout: u64,
    /// Seconds for each tool of compute-sanitizer.
    pub sanitizer_timeout: u64,
    /// The program that compute-sanitizer watches, with its arguments; empty for the one that is measured.
    pub check_run: Vec<String>,
    /// `checks` or `profile`: what comes first.
    pub order: String,
    /// Seconds for all steps.
    pub deadline: Option<u64>,
    /// Files that decide what the program does, relative to the folder of the file.
    pub inputs: Vec<PathBuf>,
    /// Whether reports stay as ncu writes them, not packed.
    pub plain: bool,
}

/// The sets of metrics by name, our own first.
pub(crate) const METRIC_SETS: [&str; 4] = ["audit", "full", "detailed", "basic"];
const CLOCKS: [&str; 2] = ["none", "base"];
const CACHES: [&str; 2] = ["all", "none"];
/// What comes first, compute-sanitizer or ncu.
pub(crate) const ORDERS: [&str; 2] = ["checks", "profile"];
const REPLAYS: [&str; 4] = ["kernel", "application", "range", "app-range"];

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
            clock: CLOCKS[0].to_owned(),
            cache: CACHES[0].to_owned(),
            replay: REPLAYS[0].to_owned(),
            nvtx: Vec::new(),
            sanitizers: SanitizerTool::VARIANTS.to_vec(),
            timeout: 600,
            sanitizer_timeout: 300,
            check_run: Vec::new(),
            order: ORDERS[0].to_owned(),
            deadline: None,
            inputs: Vec::new(),
            plain: false,
        }
    }
}

/// `[subject.collect]`.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CollectKeys {
    metrics: Option<Spanned<String>>,
    #[serde(default)]
    extra: Vec<String>,
    #[serde(default)]
    sections: Vec<String>,
    skip: Option<u64>,
    count: Option<Spanned<u64>>,
    launches: Option<u64>,
    clock: Option<Spanned<String>>,
    cache: Option<Spanned<String>>,
    replay: Option<Spanned<String>>,
    #[serde(default)]
    nvtx: Vec<String>,
    sanitizers: Option<Vec<Spanned<String>>>,
    timeout: Option<Spanned<u64>>,
    sanitizer_timeout: Option<Spanned<u64>>,
    #[serde(default)]
    check_run: Vec<String>,
    order: Option<Spanned<String>>,
    deadline: Option<Spanned<u64>>,
    #[serde(default)]
    inputs: Vec<PathBuf>,
    #[serde(default)]
    plain: bool,
}

impl Text {
    /// How a subject's evidence is collected.
    pub(super) fn collecting(
        &self,
        keys: CollectKeys,
        run: Option<Spanned<Vec<String>>>,
        prefix: Vec<String>,
        evidence: Option<&Path>,
        folder: &Path,
    ) -> Result<Collecting, ConfigError> {
        let usual = Collecting::default();
        if let Some(run) = run.as_ref().filter(|run| run.get_ref().iter().all(String::is_empty)) {
            let help = Some("name the program and its arguments: run = [\"./bench\", \"--size\", \"4096\"]".to_owned());
            return Err(self.wrong("expected a program to run".into(), run.span(), "it is empty", help));
        }
        let at_least_one = |value: Option<Spanned<u64>>, usual: u64| match value {
            Some(value) if *value.get_ref() == 0 => {
                Err(self.wrong("expected a number above 0, found 0".into(), value.span(), "", None))
            }
            value => Ok(value.map_or(usual, Spanned::into_inner)),
        };
        let tool = |name: &Spanned<String>| {
            let known: Vec<&str> = SanitizerTool::VARIANTS.iter().map(Into::into).collect();
            let found = SanitizerTool::VARIANTS.iter().copied().find(|tool| tool.name() == name.get_ref());
            found.ok_or_else(|| self.no_such("tool of compute-sanitizer", name, &known))
        };
        Ok(Collecting {
            run: run.map(Spanned::into_inner).unwrap_or_default(),
            prefix,
            evidence: evidence.map(|path| folder.join(path)),
            metrics: self.one_of("set of metrics", keys.metrics, &METRIC_SETS)?,
            extra: keys.extra,
            sections: keys.sections,
            skip: keys.skip.unwrap_or(usual.skip),
            count: at_least_one(keys.count, usual.count)?,
            launches: keys.launches.unwrap_or(usual.launches),
            clock: self.one_of("clock control", keys.clock, &CLOCKS)?,
            cache: self.one_of("cache control", keys.cache, &CACHES)?,
            replay: self.one_of("replay mode", keys.replay, &REPLAYS)?,
            nvtx: keys.nvtx,
            sanitizers: match keys.sanitizers {
                Some(names) => names.iter().map(tool).collect::<Result<_, _>>()?,
                None => usual.sanitizers,
            },
            timeout: at_least_one(keys.timeout, usual.timeout)?,
            sanitizer_timeout: at_least_one(keys.sanitizer_timeout, usual.sanitizer_timeout)?,
            check_run: keys.check_run,
            order: self.one_of("order", keys.order, &ORDERS)?,
            deadline: keys.deadline.map(|seconds| at_least_one(Some(seconds), 1)).transpose()?,
            inputs: keys.inputs,
            plain: keys.plain,
        })
    }

    /// A word of a closed list; its first one where none is given.
    fn one_of(&self, what: &str, word: Option<Spanned<String>>, known: &[&str]) -> Result<String, ConfigError> {
        match word {
            None => Ok(known[0].to_owned()),
            Some(word) if known.contains(&word.get_ref().as_str()) => Ok(word.into_inner()),
            Some(word) => Err(self.no_such(what, &word, known)),
        }
    }
}
