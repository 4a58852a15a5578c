//! The closed vocabulary as types: thresholds, parts of the chip, stall reasons, and the codes of limits, findings and levers.
//!
//! The enums are made of the ids in the TOML files by the build script. A test holds every threshold and code to be used somewhere.

use super::{LimiterRow, StallRow, ThresholdRow, limiter, stall, threshold_row};
use crate::quantity::Unit;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

include!(concat!(env!("OUT_DIR"), "/vocabulary.rs"));

static THRESHOLDS: LazyLock<Vec<&'static ThresholdRow>> =
    LazyLock::new(|| Threshold::VARIANTS.iter().filter_map(|threshold| threshold_row(threshold.into())).collect());

impl Threshold {
    pub fn row(self) -> &'static ThresholdRow {
        THRESHOLDS[self as usize]
    }

    /// Whether a configuration may set it to a number. Errors: what is expected, for a number below zero or beyond all sense.
    pub fn accepts(self, value: f64) -> Result<(), String> {
        let (most, unit) = if self.row().unit == Unit::PERCENT { (1e3, " %") } else { (1e12, "") };
        let (fits, to) = match self.row().below {
            Some(below) => ((0.0..below).contains(&value), format!("below {below}")),
            None => ((0.0..=most).contains(&value), most.to_string()),
        };
        fits.then_some(()).ok_or_else(|| format!("expected a number from 0 to {to}{unit}, found {value}"))
    }

    /// The threshold of this id. Errors: what to say to whoever wrote it: that there is none, with the nearest.
    pub fn named(id: &str) -> Result<Threshold, UnknownName> {
        let known = || Threshold::VARIANTS.iter().map(|threshold| threshold.into());
        id.parse().map_err(|_| UnknownName::new("threshold", id, known()))
    }
}

/// A name that a list does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} is called {name:?}{}", near.as_ref().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default())]
pub struct UnknownName {
    /// What was looked for: `threshold`.
    pub what: &'static str,
    pub name: String,
    /// The nearest name of the list, where one is near.
    pub near: Option<String>,
}

impl UnknownName {
    pub(super) fn new<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> UnknownName {
        let near = crate::nearest::nearest(name, known).map(str::to_owned);
        UnknownName { what, name: name.to_owned(), near }
    }
}

impl StallReason {
    /// The reason of this id or of another spelling of it.
    pub fn of(name: &str) -> Option<StallReason> {
        stall(name)?.id.parse().ok()
    }

    pub fn row(self) -> Option<&'static StallRow> {
        stall(self.into())
    }

    /// ncu's counter of it for each issued instruction.
    pub fn per_issue(self) -> String {
        super::stalls::per_issue(self.into())
    }

    /// ncu's counter of the samples of it.
    pub fn samples(self) -> String {
        super::stalls::samples(self.into())
    }

    /// How the code of a limit by this wait begins.
    fn prefix(self) -> &'static str {
        self.row().map_or("latency", |row| super::prefix_of(row.kind))
    }
}

impl Code {
    /// Its row of the vocabulary.
    pub fn row(self) -> Option<LimiterRow> {
        limiter(&self.to_string())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Unit(part) => part.fmt(f),
            Code::Wait(reason) => write!(f, "{}-{}", reason.prefix(), reason.to_string().replace('_', "-")),
            own => f.write_str(Code::NAMED.iter().find(|(code, _)| code == own).map_or("", |(_, name)| name)),
        }
    }
}

impl FromStr for Code {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Code, UnknownName> {
        if let Some((code, _)) = Code::NAMED.iter().find(|(_, name)| *name == text) {
            return Ok(*code);
        }
        // Snapshots of earlier versions tell spills that the compiler reports from those that were counted.
        if text == "register-spills" {
            return Ok(Code::RegisterSpilling);
        }
        let wait = || {
            let (prefix, reason) = text.split_once('-')?;
            let reason: StallReason = reason.replace('-', "_").parse().ok()?;
            let is_stall = reason.row().is_some_and(StallRow::is_stall);
            (is_stall && prefix == reason.prefix()).then_some(Code::Wait(reason))
        };
        let unit = || text.parse().ok().map(Code::Unit);
        let known = Code::NAMED.iter().map(|(_, name)| *name).chain(Part::VARIANTS.iter().map(|part| part.into()));
        unit().or_else(wait).ok_or_else(|| UnknownName::new("code", text, known))
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What a reader calls what limits a kernel.
pub fn limiter_label(code: Code) -> String {
    super::limiter(&code.to_string()).map_or_else(|| code.to_string(), |row| row.label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{checklists, levers, limiters, thresholds};

    #[test]
    fn a_name_leads_to_its_row() {
        assert!(Threshold::VARIANTS.iter().all(|threshold| <&str>::from(threshold) == threshold.row().id));
        assert_eq!(Threshold::VARIANTS.len(), thresholds().len());
        assert!(
            StallReason::VARIANTS.iter().all(|reason| reason.row().is_some_and(|row| row.id == <&str>::from(reason)))
        );
        let parts = Part::VARIANTS.iter().filter(|part| part.row().is_some_and(|row| row.code == **part));
        assert_eq!(parts.count(), Part::VARIANTS.len() - 1);
        let units = Part::VARIANTS.iter().map(|part| Code::Unit(*part));
        let rows = Code::NAMED.iter().map(|(code, _)| *code).chain(units).filter(|code| code.row().is_some());
        assert_eq!(rows.count(), limiters().len());
        assert!(Action::VARIANTS.iter().map(<&str>::from).eq(levers().iter().map(|row| row.code)));
    }

    #[test]
    fn a_code_is_read_as_it_is_written() {
        let waits = StallReason::VARIANTS.iter().map(|reason| Code::Wait(*reason));
        let parts = Part::VARIANTS.iter().map(|part| Code::Unit(*part));
        for code in Code::NAMED.iter().map(|(code, _)| *code).chain(waits).chain(parts) {
            let is_wait = matches!(code, Code::Wait(reason) if !reason.row().is_some_and(StallRow::is_stall));
            assert_eq!(code.to_string().parse().ok(), (!is_wait).then_some(code), "{code}");
        }
        assert_eq!(Code::Wait(StallReason::LongScoreboard).to_string(), "latency-long-scoreboard");
        assert_eq!("sync-barrier".parse(), Ok(Code::Wait(StallReason::Barrier)));
        assert!("latency-barrier".parse::<Code>().is_err());
        assert!("memory-drum".parse::<Code>().is_err_and(|met| met.near.as_deref() == Some("memory-dram")));
    }

    #[test]
    fn every_threshold_and_every_code_is_used() {
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
        let mut code_text = String::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                match entry.path() {
                    path if path.is_dir() => folders.push(path),
                    path if path.ends_with("vocabulary.rs") => {}
                    path => code_text += &std::fs::read_to_string(path).unwrap_or_default(),
                }
            }
        }
        let listed: Vec<Threshold> =
            checklists().iter().flat_map(|row| &row.check).filter_map(|check| check.threshold).collect();
        let is_read = |threshold: &&Threshold| {
            listed.contains(threshold) || code_text.contains(&format!("Threshold::{threshold:?}]"))
        };
        let unread: Vec<&Threshold> = Threshold::VARIANTS.iter().filter(|threshold| !is_read(threshold)).collect();
        assert!(unread.is_empty(), "nobody reads {unread:?}");
        let is_found = |code: &&Code| code_text.contains(&format!("Code::{code:?}"));
        let unfound: Vec<&Code> = Code::NAMED.iter().map(|(code, _)| code).filter(|code| !is_found(code)).collect();
        assert!(unfound.is_empty(), "nobody finds {unfound:?}");
    }
}
