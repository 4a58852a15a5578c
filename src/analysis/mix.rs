//! What was executed: instruction totals by opcode and by class.

use super::compare::Row;
use super::summary::KernelSummary;
use crate::catalog::{self, Better};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Warp-level executions by opcode; the instances carry the opcode as text.
pub(super) const PER_OPCODE: &str = "sass__inst_executed_per_opcode";

/// One opcode.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OpcodeRow {
    /// Base opcode, `LDG`.
    pub opcode: String,
    /// Label of its class in the catalog; empty for an opcode that the catalog does not know.
    pub class: String,
    /// Executions, warp level.
    pub row: Row,
    /// Share of the new side's executions in percent.
    pub share: Option<f64>,
}

/// Executions by opcode.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct InstructionMix {
    /// Opcodes, the most executed of the new side first; empty when the report does not hold them.
    pub rows: Vec<OpcodeRow>,
    /// The same summed by class.
    pub classes: Vec<OpcodeRow>,
    /// Sum over all opcodes of the new side.
    pub total: Option<f64>,
}

impl InstructionMix {
    /// The mix of a kernel, old beside new.
    pub fn of(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> InstructionMix {
        let (new_counts, old_counts) = (new.by_text(PER_OPCODE), old.map(|old| old.by_text(PER_OPCODE)));
        if new_counts.is_empty() {
            return InstructionMix::default();
        }
        let total: f64 = new_counts.values().sum();
        let classes =
            rows(&by_class(&new_counts), old_counts.as_ref().map(by_class).as_ref(), total, |_| String::new());
        let class = |op: &str| catalog::opcode_class(op).map_or("", |class| class.label).to_string();
        InstructionMix { rows: rows(&new_counts, old_counts.as_ref(), total, class), classes, total: Some(total) }
    }

    /// Executions of one opcode on the new side; zero when the report lists opcodes and this is not among them.
    pub fn count(&self, opcode: &str) -> Option<f64> {
        self.total?;
        Some(self.rows.iter().find(|row| row.opcode == opcode).and_then(|row| row.row.new.value()).unwrap_or(0.0))
    }
}

fn by_class(counts: &BTreeMap<Arc<str>, f64>) -> BTreeMap<Arc<str>, f64> {
    let mut sums: BTreeMap<Arc<str>, f64> = BTreeMap::new();
    for (opcode, count) in counts {
        let class = catalog::opcode_class(opcode).map_or("Other", |class| class.label);
        *sums.entry(class.into()).or_default() += count;
    }
    sums
}

fn rows(
    new: &BTreeMap<Arc<str>, f64>,
    old: Option<&BTreeMap<Arc<str>, f64>>,
    total: f64,
    class: impl Fn(&str) -> String,
) -> Vec<OpcodeRow> {
    let metric: Arc<str> = PER_OPCODE.into();
    // The list is whole: an opcode that is not in it was not executed.
    let reading = |counts: &BTreeMap<Arc<str>, f64>, name: &Arc<str>| {
        let count = counts.get(name).copied().unwrap_or(0.0);
        Quantity::new(count, Unit::NONE)
            .map_or_else(|| Reading::not_collected(PER_OPCODE), |q| Reading::measured(q, &metric))
    };
    let old = old.filter(|old| !old.is_empty());
    let names: BTreeSet<&Arc<str>> = new.keys().chain(old.into_iter().flat_map(BTreeMap::keys)).collect();
    let mut rows: Vec<OpcodeRow> = names
        .into_iter()
        .map(|name| {
            let row = Row::derived(name, name, Better::Neutral, reading(new, name), old.map(|old| reading(old, name)));
            let share = row.new.value().filter(|_| total > 0.0).map(|count| 100.0 * count / total);
            OpcodeRow { opcode: name.to_string(), class: class(name), row, share }
        })
        .collect();
    let key = |row: &OpcodeRow| {
        (row.row.new.value().unwrap_or(0.0), row.row.old.as_ref().and_then(Reading::value).unwrap_or(0.0))
    };
    rows.sort_by(|a, b| {
        let ((an, ao), (bn, bo)) = (key(a), key(b));
        bn.total_cmp(&an).then(bo.total_cmp(&ao)).then_with(|| a.opcode.cmp(&b.opcode))
    });
    rows
}
