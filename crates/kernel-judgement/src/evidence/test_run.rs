//! The project's own tests, where they say whether a kernel's results are right.

use serde::{Deserialize, Serialize};

/// What a run of tests found, as its JUnit file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRun {
    /// What ran them, as the file calls itself: `pytest`.
    pub by: String,
    /// Which tests are meant, as a regular expression on their names; empty where all are.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub meant: String,
    /// The commit of what was tested; empty where neither the file nor the collection says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// When they began, as the file says it; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub begun: String,
    /// How many passed.
    pub passed: u64,
    /// How many were not run on purpose.
    pub skipped: u64,
    /// Those that failed: what they expected was not found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<TestCase>,
    /// Those that broke off before they could tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<TestCase>,
}

/// A test that did not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCase {
    /// Its name: `test_matmul.test_wide[1024]`.
    pub name: String,
    /// What it said, in one line; may be empty.
    pub why: String,
}
