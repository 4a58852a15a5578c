//! Warps that stand at the kernel's last barrier with nothing left to do: the idle warps of a kernel with roles, and those
//! that are done before the rest of their block. The aggregates count them under the barrier's stall reason.

use super::spot::{Groups, Spot};
use crate::analysis::derive::stalls::sampled_reason;
use crate::analysis::limits::Limits;
use crate::catalog::Threshold;
use crate::evidence::SourceView;
use cuda_binary::Op;
use cuda_binary::op::{Control, Sync};

/// Samples of such warps.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Parked {
    /// Over all samples of the kernel, in percent.
    pub share: f64,
    /// The line with the most of them.
    pub at: Spot,
}

/// Instructions looked at between a barrier and the exit.
const NEAR: usize = 16;

impl Parked {
    /// `None` where the report has no samples by instruction, tells no opcodes, or no warp stands there.
    pub(in crate::analysis) fn of(view: &SourceView, limits: &Limits) -> Option<Parked> {
        let sampled =
            || view.columns.iter().filter_map(|column| Some((sampled_reason(&column.metric)?, &column.metric)));
        let (_, barrier) = sampled().find(|(reason, _)| *reason == "barrier")?;
        let mut parked = view.counts(barrier)?;
        parked
            .iter_mut()
            .enumerate()
            .filter(|(row, count)| **count > 0 && !is_last_barrier(view, *row))
            .for_each(|(_, count)| *count = 0);
        let sum: u64 = parked.iter().sum();
        if sum == 0 {
            return None;
        }
        let all: Option<u64> = sampled().map(|(_, metric)| Some(view.counts(metric)?.iter().sum::<u64>())).sum();
        let share = 100.0 * sum as f64 / all? as f64;
        if share < limits[Threshold::ParkedLeast] {
            return None;
        }
        let groups = Groups::of(view);
        let own = |rows: &[usize]| rows.iter().map(|row| parked[*row]).sum::<u64>();
        let most = groups.all.iter().max_by_key(|rows| (own(rows), std::cmp::Reverse(rows[0])))?;
        Some(Parked { share, at: groups.spot(most, |row| parked[row]) })
    }
}

/// Whether a wait is at the last barrier: straight on, without a branch, control comes to the exit over nothing that reads
/// or writes memory. The wait for a barrier that defers its blocking is sampled at the instruction behind it.
fn is_last_barrier(view: &SourceView, row: usize) -> bool {
    let first = &view.instructions[row];
    let ahead = view.instructions[row..].iter().take(NEAR).take_while(|next| next.function == first.function);
    let mut ahead = ahead.skip_while(|next| {
        let meets = [Sync::Block, Sync::ClusterWait, Sync::ClusterArrive, Sync::Cache, Sync::Lanes];
        next.op() == Op::NOP || next.op().sync().is_some_and(|sync| meets.contains(&sync))
    });
    ahead.next().is_some_and(|next| {
        next.op().control() == Some(Control::Exit) && next.word.is_none_or(|word| word.is_unconditional)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{CodeInstruction, Lines, MachineWord};

    fn view(code: &[&'static str]) -> SourceView {
        let row = |(at, name): (usize, &&'static str)| CodeInstruction {
            function: "k".into(),
            offset: 16 * at as u64,
            sass: None,
            opcode: None,
            word: Some(MachineWord { op: Op::of(name), is_unconditional: true, ..MachineWord::default() }),
            places: Vec::new().into(),
        };
        SourceView {
            launch: 0,
            name: "k".into(),
            lines: Lines::NoLineInfo,
            capability: None,
            instructions: code.iter().enumerate().map(row).collect(),
            columns: Vec::new(),
            texts: Vec::new(),
            shown: Vec::new(),
            products: Vec::new(),
        }
    }

    #[test]
    fn the_last_barrier_is_the_one_before_the_exit_alone() {
        let code = ["BAR", "STG", "UCGABAR_WAIT", "CCTL", "EXIT", "BAR", "LDS", "EXIT", "BAR", "BRA", "EXIT"];
        let view = view(&code);
        let last: Vec<usize> = (0..code.len()).filter(|row| is_last_barrier(&view, *row)).collect();
        // Rows 3, 4, 7 and 10 hold no barrier's samples, or those of a barrier in front.
        assert_eq!(last, [2, 3, 4, 7, 10]);
    }
}
