//! Old against new, one reading at a time.

use crate::analysis::kernel::summary::KernelSummary;
use crate::catalog::{self, Better};
use crate::evidence::Reading;

/// Which way a reading went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Toward less time or less waste.
    Better,
    /// Toward more time or more waste.
    Worse,
    /// Moved, and neither way is good by itself.
    Moved,
    /// The same number on both sides.
    Same,
}

/// The difference between two measured readings in one unit.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Change {
    /// The old number.
    pub old: f64,
    /// The new number.
    pub new: f64,
    /// Which way.
    pub direction: Direction,
}

impl Change {
    /// The change, when both sides are measured in one unit.
    pub fn between(old: &Reading, new: &Reading, better: Better) -> Option<Change> {
        let (old, new) = (old.quantity()?, new.quantity()?);
        let by = new.minus(old)?.value();
        let direction = match better {
            _ if by == 0.0 => Direction::Same,
            Better::LowerOnceUsed if old.value() == 0.0 => Direction::Moved,
            Better::Lower | Better::LowerOnceUsed if by < 0.0 => Direction::Better,
            Better::Higher if by > 0.0 => Direction::Better,
            Better::Neutral => Direction::Moved,
            _ => Direction::Worse,
        };
        Some(Change { old: old.value(), new: new.value(), direction })
    }
}

/// One line of a table: a reading of the new side, and of the old where there is one.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Row {
    /// Stable id: the metric's name, or the row's own word for derived readings.
    pub id: String,
    /// What an engineer calls it.
    pub label: String,
    /// The new side.
    pub new: Reading,
    /// The old side; `None` when there is no old report.
    pub old: Option<Reading>,
    /// Which way is good.
    pub better: Better,
}

impl Row {
    /// A row of readings that were derived elsewhere.
    pub fn derived(id: &str, label: &str, better: Better, new: Reading, old: Option<Reading>) -> Row {
        Row { id: id.into(), label: label.into(), new, old, better }
    }

    /// A row of one metric, with label and direction from the catalog.
    pub fn metric(id: &str, new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Row {
        let row = catalog::metric(id);
        let label = row.map_or(id, |row| row.label);
        let better = row.map_or(Better::Neutral, |row| row.better);
        Row::derived(id, label, better, new.reading(id), old.map(|old| old.reading(id)))
    }

    /// The difference, where both sides have a number in one unit.
    pub fn change(&self) -> Option<Change> {
        Change::between(self.old.as_ref()?, &self.new, self.better)
    }

    /// Whether either side has a number.
    pub fn has_number(&self) -> bool {
        self.new.quantity().is_some() || self.old.as_ref().is_some_and(|old| old.quantity().is_some())
    }
}
