//! A lever: something that could be tried, and the most that it could save.

/// Who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeverOrigin {
    /// Computed here, by the formula that stands beside it.
    Audit,
    /// NVIDIA's own estimate, as its rule stored it in the report.
    NvidiaRule,
}

/// Something that could be tried.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lever {
    /// Stable code.
    pub code: String,
    /// Who says it.
    pub origin: LeverOrigin,
    /// Largest part of the run time that it could save, in percent.
    pub bound: f64,
    /// Whether the bound rests on an assumption, which the formula names, so that it says about how much and not at most.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rough: bool,
    /// How the bound is computed, with the numbers.
    pub formula: String,
    /// What the evidence says, and what to try.
    pub sentence: String,
    /// The metric to read again after trying.
    pub remeasure: String,
}
