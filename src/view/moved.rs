//! The readings of a comment: the few that say what a change did, and everything else that moved.

use super::tables;
use crate::analysis::{Audit, Row, StallBasis, Verdict};

/// What the compiler and the launch made of the kernel, and the work that it does: no time in any of them.
const MADE: [&str; 9] = [
    "launch__registers_per_thread",
    "sass__inst_executed_register_spilling",
    "sm__maximum_warps_per_active_cycle_pct",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "smsp__inst_executed.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
];
/// Rows that a reader takes in at a glance.
const ROWS: usize = 12;
/// Stall reasons of the new side that are shown; the largest of the old side comes beside them.
const STALLS: usize = 2;

/// The readings of two sides, those that matter first.
pub(super) struct Moved {
    /// Time, cycles and the rate; the limiter's reading; the largest stalls; and what moved of registers, memory of a
    /// block and work.
    pub(super) first: Vec<Row>,
    /// Every other reading that moved.
    pub(super) rest: Vec<Row>,
}

impl Moved {
    /// `None` without an old side.
    pub(super) fn of(audit: &Audit) -> Option<Moved> {
        let comparison = audit.comparison.as_ref()?;
        let has_moved = |row: &Row| {
            let verdict = comparison.reading(&row.id).map(|reading| reading.verdict);
            matches!(
                verdict,
                Some(Verdict::Faster | Verdict::Slower | Verdict::Better | Verdict::Worse | Verdict::Moved)
            )
        };
        let all = || audit.panels.iter().flat_map(|panel| &panel.rows);
        let named = |id: &str| all().find(|row| row.id == id);
        let perf = &audit.performance;
        let rate = perf.flop_rate.as_ref().or(perf.byte_rate.as_ref());
        let mut first = List::default();
        for row in [Some(&perf.time), Some(&perf.cycles), rate].into_iter().flatten().filter(|row| row.has_number()) {
            first.take(row.clone());
        }
        let units = [Some(&audit.bottleneck), audit.old_bottleneck.as_ref()];
        for unit in units.into_iter().flatten().filter_map(|bottleneck| bottleneck.unit.as_ref()) {
            named(&unit.counter).into_iter().for_each(|row| first.take(row.clone()));
        }
        stalls(audit).into_iter().for_each(|row| first.take(row));
        for row in MADE.iter().filter_map(|id| named(id)).filter(|row| has_moved(row)) {
            first.take(row.clone());
        }
        first.0.truncate(ROWS);
        let mut rest = List::default();
        let others = [perf.byte_rate.as_ref()].into_iter().flatten().filter(|row| row.has_number());
        for row in others.chain(all().filter(|row| has_moved(row))).filter(|row| !first.has(&row.id)) {
            rest.take(row.clone());
        }
        Some(Moved { first: first.0, rest: rest.0 })
    }
}

/// The largest stalls of the new side and the largest of the old one, as shares of the time between two issued
/// instructions of a warp.
fn stalls(audit: &Audit) -> Vec<Row> {
    let Some(table) = audit.stalls.table(StallBasis::ShareOfWarpTime) else { return Vec::new() };
    let old = |row: &Row| row.old.as_ref().and_then(|old| old.value());
    let reasons = || table.rows.iter().filter(|stall| stall.is_stall());
    let largest = reasons().max_by(|a, b| {
        let (a, b) = (old(&a.row).unwrap_or(f64::MIN), old(&b.row).unwrap_or(f64::MIN));
        a.total_cmp(&b)
    });
    let shown = reasons().take(STALLS).chain(largest).map(|stall| &stall.row);
    shown
        .filter(|row| row.new.value().is_some() && old(row).is_some())
        .map(|row| Row { label: format!("Stall: {}", row.label), ..row.clone() })
        .collect()
}

/// Rows, each once.
#[derive(Default)]
struct List(Vec<Row>);

impl List {
    fn has(&self, id: &str) -> bool {
        self.0.iter().any(|row| row.id == id)
    }

    fn take(&mut self, row: Row) {
        if !self.has(&row.id) {
            self.0.push(row);
        }
    }
}

/// A table of them.
pub(super) fn table(name: &str, rows: &[Row]) -> super::document::Block {
    let rows: Vec<&Row> = rows.iter().collect();
    tables::readings(name, "Reading", &rows, Vec::new()).into()
}
