//! Old against new, one reading at a time; time and rates.

use crate::analysis::kernel::summary::{CYCLES, DURATION};
use crate::analysis::{KernelSummary, Work};
use crate::catalog::{self, Better};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};

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
    pub old: f64,
    pub new: f64,
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
    pub new: Reading,
    /// The old side; `None` when there is no old report.
    pub old: Option<Reading>,
    pub better: Better,
}

impl Row {
    /// A row of readings that were derived elsewhere.
    pub fn derived(id: &str, label: &str, better: Better, new: Reading, old: Option<Reading>) -> Row {
        Row { id: id.into(), label: label.into(), new, old, better }
    }

    /// A row of one metric, with label and direction from the catalog.
    pub fn metric(id: impl AsRef<str>, new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Row {
        let id = id.as_ref();
        let row = catalog::metric(id);
        let label = row.map_or(id, |row| row.label);
        let better = row.map_or(Better::Neutral, |row| row.better);
        Row::derived(id, label, better, new.reading(id), old.map(|old| old.reading(id)))
    }

    /// The difference, where both sides have a number in one unit.
    pub fn change(&self) -> Option<Change> {
        Change::between(self.old.as_ref()?, &self.new, self.better)
    }

    pub fn has_number(&self) -> bool {
        self.new.quantity().is_some() || self.old.as_ref().is_some_and(|old| old.quantity().is_some())
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Performance {
    /// Device time of one launch.
    pub time: Row,
    /// SM clock cycles of one launch.
    pub cycles: Row,
    /// `work.flop / time`.
    pub flop_rate: Option<Row>,
    /// `work.bytes / time`.
    pub byte_rate: Option<Row>,
    /// `old time / new time`; above 1 is faster.
    pub speedup: Option<f64>,
}

impl Performance {
    /// The performance of a kernel, old beside new.
    pub fn of(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>, work: &Work) -> Performance {
        let time = Row::metric(DURATION, new, old);
        let rate = |amount: Option<u64>, id: &str, label: &str, unit: Unit| {
            let amount = amount?;
            let read = |time: &Reading| rate_of(amount, time, unit, id);
            Some(Row::derived(id, label, Better::Higher, read(&time.new), time.old.as_ref().map(read)))
        };
        Performance {
            flop_rate: rate(work.flop, "work.flop", "Arithmetic rate (stated work)", Unit::FLOP_PER_SECOND),
            byte_rate: rate(work.bytes, "work.bytes", "Data rate (stated bytes)", Unit::BYTE_PER_SECOND),
            speedup: time.change().filter(|c| c.new > 0.0).map(|c| c.old / c.new),
            cycles: Row::metric(CYCLES, new, old),
            time,
        }
    }
}

impl Performance {
    /// The same with nothing said of the stated work.
    pub(in crate::analysis) fn without_rates(self) -> Performance {
        Performance { flop_rate: None, byte_rate: None, ..self }
    }
}

/// `amount / time` per second, for a time in ns.
fn rate_of(amount: u64, time: &Reading, unit: Unit, id: &str) -> Reading {
    let Reading::Measured(measured) = time else { return time.clone() };
    let metrics = vec![id.into(), measured.from.metrics[0].clone()];
    Quantity::new(amount as f64 * 1e9 / measured.quantity.value(), unit).map_or_else(
        || Reading::not_applicable("the time is zero"),
        |quantity| Reading::derived(quantity, metrics, "stated amount / time"),
    )
}
