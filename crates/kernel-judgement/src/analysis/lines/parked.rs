//! Warps that stand at the kernel's last barrier with nothing left to do: the idle warps of a kernel with roles, and those
//! that are done before the rest of their block. The aggregates count them under the barrier's stall reason.

use super::attribution::Attribution;
use super::spot::{Groups, Spot};
use crate::analysis::Limits;
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
    /// `None` where the report tells no opcodes, or no warp stands there.
    pub(in crate::analysis) fn of(view: &SourceView, attribution: &Attribution<'_>, limits: &Limits) -> Option<Parked> {
        let barrier = attribution.reasons.get("barrier")?.iter().enumerate();
        let stands = |(row, count): (usize, &u64)| if is_last_barrier(view, row) { *count } else { 0 };
        let parked: Vec<u64> = barrier.map(stands).collect();
        let share = 100.0 * parked.iter().sum::<u64>() as f64 / attribution.sum as f64;
        let groups = Groups::of(view);
        let (_, most) = *groups.leading(&parked, 1).first().filter(|_| share >= limits[Threshold::ParkedLeast])?;
        Some(Parked { share, at: groups.spot(most, &|row| parked[row]) })
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
    use crate::evidence::{Instruction, MachineWord};

    fn view(code: &[&'static str]) -> SourceView {
        let row = |(at, name): (usize, &&'static str)| Instruction {
            function: "k".into(),
            offset: 16 * at as u64,
            word: Some(MachineWord { op: Op::of(name), is_unconditional: true, ..MachineWord::default() }),
            ..Instruction::default()
        };
        SourceView { instructions: code.iter().enumerate().map(row).collect(), ..SourceView::default() }
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
