//! What is kept of a launch over time.

use serde::{Deserialize, Serialize};

/// A launch as PM sampling saw it. Times are ns since the launch began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverTime {
    /// How long the sampled launch took.
    pub ns: f64,
    /// Between two samples.
    pub step: f64,
    /// Samples within the launch.
    pub samples: usize,
    /// Passes that the series come from: each is a replay of its own.
    pub passes: usize,
    /// Samples that ncu says it dropped or merged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// What the samples come to; `None` where they are too few for a shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// What is drawn, the busiest unit first; none without a shape.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A unit over the launch, in few points of equal length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its row in `series.toml`.
    pub unit: String,
    /// The metric as the report names it.
    pub metric: String,
    /// Mean over the launch, in percent of its peak.
    pub mean: f64,
    /// Percent of its peak, the mean of the samples of each point.
    pub points: Vec<u8>,
}

/// What the samples come to. The level of a sample is that of the unit that is busiest in it, in percent of the unit's peak.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The level of the steady state: the highest that lasts.
    pub steady: f64,
    /// The unit that is busiest in it on average, a row of `series.toml`.
    pub unit: String,
    /// Its mean there, in percent of its peak: less than the level where units take turns.
    pub mean: f64,
    /// Until the first level that lasts is nearly reached.
    pub ramp: Part,
    /// Between ramp and tail.
    pub middle: Part,
    /// The end at a lower level, while blocks still run.
    pub tail: Part,
    /// From the last block to the end of the launch.
    pub drain: Part,
    /// Levels that last, where there are several; empty for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regimes: Vec<Regime>,
    /// What repeats in the middle; `None` where nothing stands out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// Multiprocessors without a block; `None` where the series cannot tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
    /// Blocks that were seen to begin; `None` where nobody counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Blocks>,
    /// The clock of the multiprocessors; `None` where the series cannot tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
}

impl Shape {
    /// The same where the busiest unit is none of those that were followed: what the others do less of costs nothing.
    pub fn as_of_others(&self) -> Shape {
        let free = |part: Part| Part { cost: 0.0, ..part };
        Shape { ramp: free(self.ramp), middle: free(self.middle), regimes: Vec::new(), ..self.clone() }
    }
}

/// A part of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// How long it is, in ns.
    pub ns: f64,
    /// Its mean level, in percent.
    pub level: f64,
    /// Time that it would be shorter by if its work were done at the steady state's level: its area below that level, in ns.
    pub cost: f64,
}

/// A level that lasts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regime {
    pub from: f64,
    pub until: f64,
    /// Means of the units that are busy in it, in percent of their peaks, the busiest first.
    pub units: Vec<(String, f64)>,
}

/// Something that repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// Its unit, a row of `series.toml`.
    pub unit: String,
    /// Length of one turn, in ns.
    pub ns: f64,
    /// Turns in the middle of the launch.
    pub turns: f64,
    /// From the mean of the lowest tenth of the samples to that of the highest, in points of percent.
    pub swing: f64,
}

/// Multiprocessors without a block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Idle {
    /// Multiprocessors of the device; `None` where the report does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    /// Mean share of them over the launch.
    pub share: f64,
    /// The same over the tail.
    pub in_tail: f64,
    /// When the first had none for good.
    pub from: f64,
}

/// Blocks that were seen to begin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blocks {
    /// How many.
    pub seen: u64,
    /// Blocks of the grid; `None` where the report does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// When the last of them began.
    pub last: f64,
}

/// The clock of the multiprocessors, in GHz.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    pub mean: f64,
    /// The lowest that lasts.
    pub low: f64,
    /// The highest that lasts.
    pub high: f64,
    /// Steps between clocks that last.
    pub steps: usize,
}

impl OverTime {
    /// A time as a share of the launch.
    pub fn share(&self, ns: f64) -> f64 {
        if self.ns > 0.0 { ns / self.ns } else { 0.0 }
    }
}

impl Shape {
    /// The tail's mean level as a share of the steady state's.
    pub fn tail_of_steady(&self) -> f64 {
        if self.steady > 0.0 { self.tail.level / self.steady } else { 0.0 }
    }
}
