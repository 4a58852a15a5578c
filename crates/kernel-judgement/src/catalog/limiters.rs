//! The vocabulary of verdicts and findings: what every code means.

use super::{StallKind, row::catalog, stall};
use serde::Deserialize;

/// What a code can stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimiterKind {
    /// What limits a kernel.
    Limiter,
    /// A pattern that can explain a limit, or costs beside it.
    Cause,
    /// Worth knowing; limits nothing by itself.
    Note,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimiterRow {
    /// The code: `memory-dram`, `register-spilling`.
    pub code: String,
    /// What it stands for.
    pub kind: LimiterKind,
    pub label: String,
    /// What it means and on which evidence it rests.
    pub help: String,
    /// What usually helps.
    #[serde(rename = "try")]
    pub advice: String,
    /// Where it can be checked.
    pub cite: String,
}

catalog! {
    LimiterRow, "limiters.toml", "limiter", |row| vec![row.code.as_str()],
    /// The codes of the file, without those made of stall reasons.
    pub fn limiters
}

/// What a code means: a row of the file, or the words of the stall reason of `latency-REASON` and `sync-REASON`.
pub fn limiter(code: &str) -> Option<LimiterRow> {
    if let Some(row) = ROWS.get(code) {
        return Some(row.clone());
    }
    let (prefix, reason) = code.split_once('-')?;
    let row = stall(&reason.replace('-', "_")).filter(|row| row.is_stall() && prefix == prefix_of(row.kind))?;
    let what = if prefix == "sync" { "Synchronisation" } else { "Latency" };
    Some(LimiterRow {
        code: format!("{prefix}-{}", row.id.replace('_', "-")),
        kind: LimiterKind::Limiter,
        label: format!("{what}: {}", row.label),
        help: format!("This stall is the largest, and no unit that it queues for is near its peak. {}", row.means),
        advice: row.advice.to_owned(),
        cite: row.cite.to_owned(),
    })
}

/// How the code of a limit by waiting begins, by the kind of the stall reason.
pub(crate) fn prefix_of(kind: StallKind) -> &'static str {
    if kind == StallKind::Sync { "sync" } else { "latency" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Part;
    use strum::VariantArray;

    #[test]
    fn stall_reasons_have_codes_under_their_own_prefix() {
        assert_eq!(limiter("latency-long-scoreboard").map(|row| row.label), Some("Latency: Long scoreboard".into()));
        assert_eq!(limiter("sync-barrier").map(|row| row.kind), Some(LimiterKind::Limiter));
        assert!(limiter("latency-barrier").is_none());
        assert!(limiter("latency-selected").is_none());
        assert!(limiter("memory-nowhere").is_none());
    }

    #[test]
    fn every_part_of_the_chip_has_a_code() {
        for part in Part::VARIANTS.iter().filter_map(|part| part.row()) {
            assert_eq!(limiter(part.code.into()).map(|row| row.kind), Some(LimiterKind::Limiter), "{}", part.code);
        }
    }
}
