//! The manifest of an evidence folder: which step made which file, with what, when, and how it ended.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The format of the manifest.
pub(crate) const COLLECTED_SCHEMA: &str = "kernel-audit/collected/1";

/// How a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// Its file is whole.
    Made,
    /// It failed, and left no file.
    #[default]
    Failed,
    /// It did not end in time, and left no file.
    TimedOut,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CollectedStep {
    /// Its name: `build`, `synccheck`, `profile`.
    pub step: String,
    /// The file that it makes, relative to the folder.
    pub file: String,
    pub outcome: StepOutcome,
    /// Why it made no file, in one line; empty when it did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The command, with paths relative to the project's folder.
    pub command: String,
    /// The tool that made it with its version: `ncu 2025.3.1.0`.
    pub tool: String,
    /// The exit status of the tool, as the system says it.
    pub status: String,
    /// Wall time of the tool in seconds.
    pub seconds: f64,
    /// Passes in which ncu replayed each kernel; absent for other tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// Metrics that were asked for and that the report does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_metrics: Vec<String>,
    /// What the tool remarked, line by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// BLAKE3 over command, inputs, tool and device, which decide what the step makes: for the next collection, not for an audit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// BLAKE3 of the file; empty without one.
    pub blake3: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The commit that was checked out; empty where git did not say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// When it ended: `2026-11-20T14:03:11Z`.
    pub ended: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collected {
    /// [`COLLECTED_SCHEMA`].
    pub schema: String,
    pub subject: String,
    /// Version of this program.
    pub program: String,
    /// Steps in the order in which they run; the last attempt of each.
    pub steps: Vec<CollectedStep>,
}

/// How the remark of a step begins whose environment had variables set under which a program runs otherwise than by itself: their
/// names stand behind it, up to a semicolon.
pub const VARIABLES_SET: &str = "set in the environment of this run: ";

impl Collected {
    /// Variables that were set in the environment of a step and under which a program runs otherwise.
    pub fn variables(&self) -> BTreeSet<&str> {
        let remarks = self.steps.iter().flat_map(|step| &step.remarks);
        let names = remarks.filter_map(|remark| remark.strip_prefix(VARIABLES_SET)?.split(';').next());
        names.flat_map(|names| names.split(", ")).collect()
    }

    /// A manifest without steps.
    pub fn new(subject: &str, program: &str) -> Collected {
        let (schema, subject, program) = (COLLECTED_SCHEMA.into(), subject.into(), program.into());
        Collected { schema, subject, program, steps: Vec::new() }
    }

    /// Reads a manifest. Errors: what is wrong with the bytes, in words.
    pub fn from_json(bytes: &[u8]) -> Result<Collected, String> {
        let read: Collected = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if read.schema != COLLECTED_SCHEMA {
            return Err(format!("expected the schema {COLLECTED_SCHEMA}, found {:?}", read.schema));
        }
        let is_name = |file: &str| std::path::Path::new(file).file_name().is_some_and(|name| name == file);
        match read.steps.iter().find(|step| !is_name(&step.file)) {
            Some(step) => Err(format!("expected the name of a file for {}, found {:?}", step.step, step.file)),
            None => Ok(read),
        }
    }

    /// The manifest without keys.
    #[must_use]
    pub fn without_keys(mut self) -> Collected {
        self.steps.iter_mut().for_each(|step| step.key.clear());
        self
    }

    pub fn step(&self, name: &str) -> Option<&CollectedStep> {
        self.steps.iter().find(|step| step.step == name)
    }

    /// Puts a step in the place of its last attempt, or at the end.
    pub fn put(&mut self, step: CollectedStep) {
        match self.steps.iter_mut().find(|other| other.step == step.step) {
            Some(place) => *place = step,
            None => self.steps.push(step),
        }
    }
}
