//! Which launches of a report are meant, where the names of its kernels alone do not say.

use super::select::SelectionError;
use super::stated::Unreadable;
use crate::evidence::{Dim3, Launch, Report};
use std::fmt;
use std::str::FromStr;

/// Rows of a report, as ncu numbers launches: `3`, `0-19`, `0-4,8`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows(Vec<(u32, u32)>);

impl Rows {
    /// Those with these numbers.
    pub(super) fn of(ids: impl Iterator<Item = u32>) -> Rows {
        Rows(ids.map(|id| (id, id)).collect())
    }
}

impl FromStr for Rows {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Rows, Unreadable> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let part = |part: &str| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (from, to) = (number(from)?, number(to)?);
            (from <= to).then_some((from, to))
        };
        let parts = text.split(',').map(part).collect::<Option<Vec<_>>>();
        parts.map(Rows).ok_or_else(|| Unreadable::new("numbers of launches such as 3 or 0-4,8", text))
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
        f.write_str(&self.0.iter().map(part).collect::<Vec<_>>().join(","))
    }
}

/// What is asked of launches; everything that is stated must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pick {
    /// Their numbers.
    pub rows: Option<Rows>,
    /// Their grid in blocks.
    pub grid: Option<Dim3>,
    /// The name of an NVTX range that was open.
    pub nvtx: Option<String>,
}

impl Pick {
    fn takes(&self, launch: &Launch) -> bool {
        let is_row = |rows: &Rows| rows.0.iter().any(|(from, to)| (*from..=*to).contains(&launch.id));
        self.rows.as_ref().is_none_or(is_row)
            && self.grid.is_none_or(|grid| launch.grid == Some(grid))
            && self.nvtx.as_ref().is_none_or(|name| launch.nvtx.iter().any(|range| *range.name == **name))
    }

    /// Leaves the launches of a report that are meant. Errors: when there are none.
    pub fn leave(&self, report: &mut Report) -> Result<(), SelectionError> {
        if *self == Pick::default() || report.launches.iter().all(|launch| self.takes(launch)) {
            return Ok(());
        }
        if !report.launches.iter().any(|launch| self.takes(launch)) {
            return Err(SelectionError {
                path: report.origin.path.clone(),
                filter: self.to_string(),
                available: self.available(report),
            });
        }
        report.launches.retain(|launch| self.takes(launch));
        Ok(())
    }

    /// What the report holds of what was asked for, in words.
    fn available(&self, report: &Report) -> Vec<String> {
        let mut held = Vec::new();
        for launch in &report.launches {
            let grid = launch.grid.map(|grid| format!(", grid {grid}")).unwrap_or_default();
            let ranges: String = launch.nvtx.iter().map(|range| format!(", in {}", range.name)).collect();
            held.push(format!("{}: {}{grid}{ranges}", launch.id, launch.function));
        }
        let more = held.len().saturating_sub(20);
        held.truncate(20);
        held.extend((more > 0).then(|| format!("{more} more")));
        held
    }
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows.iter().map(|rows| format!("launches {rows}"));
        let grid = self.grid.iter().map(|grid| format!("grid {grid}"));
        let nvtx = self.nvtx.iter().map(|nvtx| format!("NVTX range {nvtx:?}"));
        f.write_str(&rows.chain(grid).chain(nvtx).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;

    #[test]
    fn rows_are_numbers_and_ranges() {
        let read = |text: &str| text.parse::<Rows>();
        assert_eq!(read("0-4, 8").unwrap().to_string(), "0-4,8");
        assert_eq!(read("3").unwrap().to_string(), "3");
        for wrong in ["", "4-1", "a", "1-", "-3", "1,,2"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
