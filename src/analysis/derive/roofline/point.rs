//! One point of the roofline.

/// A point of the roofline.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Point {
    /// Id of the pipe's ceiling.
    pub compute: String,
    /// Id of the memory level's ceiling.
    pub memory: String,
    /// Operations per byte of that level: rate over rate.
    pub intensity: f64,
    /// Operations per second.
    pub rate: f64,
    /// The roof at that intensity, operations per second: the lesser of the pipe's peak and intensity × the level's peak.
    pub roof: f64,
    /// Whether the level's slope is the roof there, and not the pipe's flat line.
    pub is_under_slope: bool,
}

impl Point {
    /// The rate in percent of the roof.
    pub fn share(&self) -> f64 {
        100.0 * self.rate / self.roof
    }
}
