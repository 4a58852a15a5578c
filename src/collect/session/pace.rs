//! What the tools of compute-sanitizer that are left will take, corrected by what those before took.

use crate::evidence::SanitizerTool;
use std::time::Duration;

/// What is expected of the tools that have not run yet.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Seconds expected of each tool that is to run, in order; those that ran are gone.
    pub(super) left: Vec<(SanitizerTool, f64)>,
    /// Seconds expected of those that ran, and what they took.
    expected: f64,
    took: f64,
    /// Whether the program has been timed, or could not be.
    pub(super) is_known: bool,
}

impl Pace {
    /// Seconds until the last tool ends, from how the first ones kept to what was expected of them.
    pub(super) fn seconds(&self) -> Option<f64> {
        let sum: f64 = self.left.iter().map(|(_, seconds)| seconds).sum();
        let correction = if self.expected > 0.0 { self.took / self.expected } else { 1.0 };
        (sum > 0.0).then_some(sum * correction)
    }

    /// Notes what a tool took.
    pub(super) fn ran(&mut self, name: &str, took: Duration) {
        if let Some(at) = self.left.iter().position(|(tool, _)| tool.name() == name) {
            self.expected += self.left.remove(at).1;
            self.took += took.as_secs_f64();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_corrected_by_what_the_first_tools_took() {
        let mut pace =
            Pace { left: vec![(SanitizerTool::Synccheck, 2.0), (SanitizerTool::Racecheck, 30.0)], ..Pace::default() };
        assert_eq!(pace.seconds(), Some(32.0));
        pace.ran("synccheck", Duration::from_secs(6));
        assert_eq!(pace.seconds(), Some(90.0));
        pace.ran("profile", Duration::from_secs(100));
        pace.ran("racecheck", Duration::from_secs(90));
        assert_eq!(pace.seconds(), None);
    }
}
