//! Time, and the rates that follow from the work that the subject states.

use crate::analysis::kernel::row::Row;
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::{CYCLES, DURATION, KernelSummary};
use crate::catalog::Better;
use crate::evidence::{Measured, Provenance, Reading};
use crate::quantity::{Quantity, Unit};

/// The performance summary.
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

/// `amount / time` per second, for a time in ns.
fn rate_of(amount: u64, time: &Reading, unit: Unit, id: &str) -> Reading {
    let Reading::Measured(measured) = time else { return time.clone() };
    match Quantity::new(amount as f64 * 1e9 / measured.quantity.value(), unit) {
        Some(quantity) => {
            let metrics = vec![id.into(), measured.from.metrics[0].clone()];
            let from = Provenance { metrics, formula: "stated amount / time".into(), alias_of: None };
            Reading::Measured(Measured { quantity, spread: None, from })
        }
        None => Reading::not_applicable("the time is zero"),
    }
}
