//! What timing a kernel found: `benchmark.json`, with every sample.

use super::launched::{DeviceFacts, LaunchFacts};

/// The format of the file.
pub const BENCHMARK_SCHEMA: &str = "kernel-audit/benchmark/1";

/// Times of a kernel, and of a reference that was timed in turn with it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Benchmark {
    /// [`BENCHMARK_SCHEMA`].
    pub schema: String,
    /// The program that made it: `audit 0.1.0`.
    pub tool: String,
    /// The subject.
    pub subject: String,
    /// The device. A stored audit leaves it out where the check of the outputs says the same, and so the launch.
    #[serde(default, skip_serializing_if = "is_elsewhere")]
    pub device: DeviceFacts,
    /// What was launched.
    #[serde(default, skip_serializing_if = "is_elsewhere")]
    pub launch: LaunchFacts,
    /// How times were taken.
    pub method: TimingMethod,
    /// Clocks while the kernel was warmed up; absent where they could not be read.
    pub clocks_before: Option<Clocks>,
    /// Clocks while the kernel ran on after the last sample.
    pub clocks_after: Option<Clocks>,
    /// Why clocks are absent; empty where they are not.
    pub clocks_missing: String,
    /// Times of the kernel in milliseconds, in order.
    pub samples_ms: Vec<f64>,
    /// Times between two events with nothing between them, in milliseconds: what the method cannot resolve.
    pub empty_ms: Vec<f64>,
    /// The reference.
    pub reference: Option<TimedReference>,
    /// What another tool says of the times, where it took them; absent for those of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<ToldTimes>,
}

fn is_elsewhere<T: Default + PartialEq>(facts: &T) -> bool {
    *facts == T::default()
}

/// Times that another tool took, and wrote in its own format.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ToldTimes {
    /// Which of its results: `matmul_kernel size=2048`.
    pub row: String,
    /// What one time is, as a sentence part.
    pub what: String,
    /// Times that its file holds of this result.
    pub taken: u64,
    /// What a single time stands for, such as `median of 120`; absent where each is of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
}

/// How times were taken.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TimingMethod {
    /// Launches of each before the first sample.
    pub warm_up: u32,
    /// Bytes that go through L2 before each sample, so that it holds none of the kernel's data.
    pub flushed_bytes: u64,
    /// How they do.
    #[serde(default)]
    pub flushed_by: FlushedBy,
    /// Seed of the inputs.
    pub seed: u64,
    /// Seed of the inputs of every other launch; absent where all launches had the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_seed: Option<u64>,
    /// What the outputs of timed launches were held against; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldOutputs>,
    /// Why no more samples were taken: `stable`, `samples`, `time`.
    pub ended_by: String,
}

/// The look at the outputs of timed launches. Times of a kernel that failed it are refused and stand in no file.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HeldOutputs {
    /// What gave the expected outputs, in words.
    pub reference: String,
    /// Times in milliseconds of launches on inputs that the kernel had never seen, behind the last sample.
    pub unseen_ms: Vec<f64>,
}

/// What pushes the kernel's data out of L2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlushedBy {
    /// Writes, whose lines go back to memory while the kernel runs; what files that do not say it were made with.
    #[default]
    Writes,
    /// Reads, which leave nothing to be written.
    Reads,
}

impl FlushedBy {
    /// `read` or `written`, of bytes.
    pub fn participle(self) -> &'static str {
        match self {
            FlushedBy::Writes => "written",
            FlushedBy::Reads => "read",
        }
    }
}

/// Clocks and state of the device while it was busy, as nvidia-smi prints them.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Clocks {
    /// Multiprocessors, in MHz.
    pub sm_mhz: Option<f64>,
    /// Memory, in MHz.
    pub memory_mhz: Option<f64>,
    /// In degrees Celsius.
    pub temperature_c: Option<f64>,
    /// In watts.
    pub power_w: Option<f64>,
    /// What holds the clocks down, as a bit mask in hexadecimal; empty where it is not told.
    pub throttle: String,
}

/// Bit of an idle GPU among the reasons, which holds nothing down that is at work.
const IDLE: u64 = 0x1;

impl Clocks {
    /// The bits of what held the clocks down, 0 for nothing; `None` where it is not told.
    pub fn held_by(&self) -> Option<u64> {
        let bits = u64::from_str_radix(self.throttle.strip_prefix("0x")?, 16).ok()?;
        Some(bits & !IDLE)
    }
}

/// The reference's side.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TimedReference {
    /// What it is, in words: `cuBLASLt 13.0.2, E4M3 × E4M3 → BF16, bias`.
    pub name: String,
    /// In what its work differs from the kernel's; may be empty.
    pub note: String,
    /// Floating-point operations of its product, where it is one.
    pub flop: Option<u64>,
    /// Which of cuBLASLt's algorithms was timed, where it is a product.
    pub choice: Option<GemmChoice>,
    /// Times in milliseconds, each taken right after the kernel's of the same position.
    pub samples_ms: Vec<f64>,
    /// The product with the kernel that does the rest of the work, each taken right after the product's; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Completed>,
}

/// A product of a library, and a kernel behind it that does the rest of the kernel's work.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Completed {
    /// The kernel's name, else its source.
    pub by: String,
    /// Times of both together in milliseconds.
    pub samples_ms: Vec<f64>,
}

/// The choice among cuBLASLt's algorithms.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GemmChoice {
    /// Position of the chosen one in the library's own ranking, from 0.
    pub position: usize,
    /// Its configuration in words.
    pub algorithm: String,
    /// Median time of every algorithm that the library offered, in its own order, in milliseconds; absent where one does
    /// not run.
    pub tried_ms: Vec<Option<f64>>,
}
