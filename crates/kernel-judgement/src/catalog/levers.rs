//! What can be done about a limit: what every code of a lever means.

use super::row::catalog;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeverRow {
    /// The code: `coalesce`.
    pub code: &'static str,
    /// What its forecast is fitted with.
    pub class: &'static str,
    /// What to change.
    pub does: &'static str,
    /// What its ceiling counts.
    pub ceiling: &'static str,
    /// What a row of *Next* says to do, where that needs nothing of the kernel.
    #[serde(default)]
    pub how: &'static str,
    /// What it costs or may break.
    #[serde(default)]
    pub risk: &'static str,
}

catalog! {
    LeverRow, "levers.toml", "lever", |row| vec![row.code],
    /// Every lever, in the order of the file.
    pub fn levers,
    /// The lever of this code.
    pub fn lever
}
