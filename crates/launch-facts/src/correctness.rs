//! What a check of a kernel's outputs found: `correctness.json`.

use super::launched::{DeviceFacts, LaunchFacts};

/// The format of the file.
pub const CORRECTNESS_SCHEMA: &str = "kernel-audit/correctness/1";

/// A check of a kernel against a reference.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Correctness {
    /// [`CORRECTNESS_SCHEMA`].
    pub schema: String,
    /// The program that made it: `audit 0.1.0`.
    pub tool: String,
    /// The subject.
    pub subject: String,
    /// The device.
    pub device: DeviceFacts,
    /// What was launched.
    pub launch: LaunchFacts,
    /// What gave the expected outputs, in words.
    pub reference: String,
    /// Largest relative Frobenius norm; zero asks for the same bits.
    pub tolerance: f64,
    /// Largest error of one element, relative to the larger of its own and the root mean square expected magnitude.
    pub worst_tolerance: f64,
    /// One for each seed.
    pub runs: Vec<CheckRun>,
    /// Whether every output of every run passed.
    pub passed: bool,
}

/// A run on the inputs of one seed.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CheckRun {
    /// The seed.
    pub seed: u64,
    /// Every output.
    pub outputs: Vec<OutputCheck>,
}

/// One output beside what was expected.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OutputCheck {
    /// The argument.
    pub name: String,
    /// Type of its elements.
    pub dtype: String,
    /// Extents, the slowest first.
    pub shape: Vec<u64>,
    /// Elements that were compared: all of them.
    pub elements: u64,
    /// Elements that still held what they were filled with before the launch.
    pub unwritten: u64,
    /// Elements that are no finite number where another was expected.
    pub not_finite: u64,
    /// Elements of the reference that are no finite number.
    pub expected_not_finite: u64,
    /// Elements with other bits than expected.
    pub different: u64,
    /// `‖got − expected‖ / ‖expected‖` (Frobenius); absent where it is no finite number.
    pub relative_norm: Option<f64>,
    /// The element that is farthest off; absent where all have the same bits.
    pub worst: Option<WorstElement>,
    /// Root mean square of the expected elements; absent where it is no finite number.
    pub expected_rms: Option<f64>,
    /// Elements that a second launch on the same inputs left with other bits; absent where there was none.
    pub changed_between_runs: Option<u64>,
    /// Whether it is within the tolerances.
    pub passed: bool,
}

/// The element of an output that is farthest off.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WorstElement {
    /// Its position.
    pub index: u64,
    /// What the kernel left.
    pub got: String,
    /// What was expected.
    pub expected: String,
    /// Its error; absent where it is no finite number.
    pub error: Option<f64>,
}
