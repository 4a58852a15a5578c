//! What one artefact contributed to an audit.

use crate::analysis::{KernelKey, Profile, Row, derive::panels::Panel};
use crate::evidence::{Damage, Origin, Reading};

/// What one artefact contributed.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Artefact {
    pub origin: Origin,
    pub kernel: KernelKey,
    /// Rows of the report (ncu's IDs) that were summarised.
    pub launches: Vec<u32>,
    /// Metrics that were asked for and that no result holds.
    pub dropped: Vec<String>,
    /// Counters of the hardware for which the report holds NaN in place of a number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nan: Vec<String>,
    /// Compute capability of the device; `None` where the artefact does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<(u32, u32)>,
    /// Lines of a text that were not understood, with their number.
    pub not_understood: Vec<(String, u64)>,
    pub damage: Vec<Damage>,
    /// Metrics read under an older spelling: (asked, found).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<(String, String)>,
    /// The ncu command line, without home folders.
    pub command_line: String,
}

impl Artefact {
    /// What a profile contributed; `pick` takes its side of a row.
    pub(in crate::analysis) fn of(profile: &Profile, panels: &[Panel], pick: fn(&Row) -> Option<&Reading>) -> Artefact {
        Artefact {
            origin: profile.origin.clone(),
            kernel: profile.kernel.clone(),
            launches: profile.launches.clone(),
            dropped: profile.dropped.clone(),
            compute_capability: profile.device.compute_capability,
            nan: profile.readings.failed().map(ToString::to_string).collect(),
            not_understood: profile.not_understood.clone(),
            damage: profile.damage.clone(),
            aliases: aliases(panels, pick),
            command_line: profile.session.command_line.to_string(),
        }
    }
}

/// The metrics of one side that were found under an older spelling: (asked, found); `pick` takes the side of a row.
fn aliases(panels: &[Panel], pick: fn(&Row) -> Option<&Reading>) -> Vec<(String, String)> {
    let mut aliases: Vec<(String, String)> = Vec::new();
    for reading in panels.iter().flat_map(|panel| &panel.rows).filter_map(pick) {
        if let Reading::Measured(measured) = reading {
            let found = measured.from.metrics.first().map(ToString::to_string).unwrap_or_default();
            aliases.extend(measured.from.alias_of.as_ref().map(|asked| (asked.to_string(), found)));
        }
    }
    aliases.sort();
    aliases.dedup();
    aliases
}
