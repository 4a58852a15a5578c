//! What each role spends its samples on: issuing, waiting for other warps and copies, for products, for memory.

use super::code::{Code, Loop};
use super::detail::Spent;
use super::model::Role;
use super::study::Study;
use super::waits::is_wait;
use crate::analysis::lines::Trace;
use crate::catalog::{self, StallKind};
use crate::evidence::WarpSync;
use cuda_binary::op::Sync;
use std::collections::BTreeSet;

/// Instructions of the longest loop that does nothing but ask an mbarrier again.
const SPIN: usize = 8;

/// The roles of a launch, each with what it spends its samples on where there are several.
pub(super) fn roles(study: &Study<'_>) -> Vec<Role> {
    let mut roles = study.roles.clone();
    if roles.len() > 1 {
        let spins = spins(&study.code);
        for (role, group) in roles.iter_mut().zip(&study.groups) {
            role.spent = Some(spent(study, &spins, study.code.rows_of(&group.blocks).collect()));
        }
    }
    roles
}

/// The rows of short loops that ask an mbarrier: whatever their warps are sampled at, they wait there.
fn spins(code: &Code<'_>) -> BTreeSet<usize> {
    let rows = |cycle: &Loop| code.rows_of(&cycle.blocks).collect::<Vec<_>>();
    let asks = |rows: &Vec<usize>| rows.iter().any(|row| code.sync(*row) == WarpSync::MbarrierTest);
    code.loops.iter().map(rows).filter(|rows| rows.len() <= SPIN && asks(rows)).flatten().collect()
}

fn spent(study: &Study<'_>, spins: &BTreeSet<usize>, rows: Vec<usize>) -> Spent {
    let mut spent = Spent::default();
    for (reason, counts) in &study.samples.reasons {
        for row in rows.iter().copied().filter(|row| counts[*row] > 0) {
            let own = if spins.contains(&row) { Some(&mut spent.barriers) } else { of(study, reason, row, &mut spent) };
            own.into_iter().for_each(|sum| *sum += counts[row]);
        }
    }
    spent
}

/// What a sample counts for; `None` for fixed latencies and what else is left.
fn of<'s>(study: &Study<'_>, reason: &str, row: usize, spent: &'s mut Spent) -> Option<&'s mut u64> {
    let code = &study.code;
    let asks = || {
        let cause = study.causes.as_ref()?.cause(Trace::of(reason)?, row)?;
        Some(code.op(cause).sync() == Some(Sync::Mbarrier))
    };
    match reason {
        reason if !is_wait(reason) => Some(&mut spent.issuing),
        "barrier" if matches!(code.sync(row), WarpSync::ProductsWait { .. }) => Some(&mut spent.products),
        "barrier" => Some(&mut spent.barriers),
        "gmma" | "math_pipe_throttle" | "mio_throttle" if code.is_tensor(row) => Some(&mut spent.products),
        "long_scoreboard" if asks() == Some(true) => Some(&mut spent.barriers),
        _ => catalog::stall(reason).filter(|stall| stall.kind == StallKind::Memory).map(|_| &mut spent.memory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_four_counts() {
        let spent = Spent { issuing: 1, barriers: 2, products: 3, memory: 4 };
        assert_eq!(serde_json::to_string(&spent).expect("JSON"), "[1,2,3,4]");
    }
}
