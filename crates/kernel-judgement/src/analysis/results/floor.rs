//! The time that no kernel beats: the stated work over the peaks of the chip. And stated work that cannot be.

use crate::analysis::derive::least::{self, Part};
use crate::analysis::derive::units;
use crate::analysis::{CeilingKind, KernelSummary, Limits, Roofline, Timing, Work};
use crate::catalog::Threshold;
use cuda_binary::Op;
use cuda_binary::op::Pipe;

/// Threads of a warp.
const LANES: f64 = 32.0;
/// Bytes that take no more than this part of the time are not the work of a kernel that computes.
const OF_THE_WORK: f64 = 0.1;

/// What the stated work comes to on this chip.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Stated {
    /// The least time; `None` where no amount is stated, where the peaks were not collected, where the amount cannot be, and where it is
    /// that of bytes beside operations that nobody stated or counted.
    pub floor: Option<Floor>,
    /// Why it cannot be.
    pub impossible: Vec<Impossible>,
    /// Executed operations over the stated ones, where both are known.
    pub executed: Option<f64>,
    /// Whether bytes alone are stated, and are not what takes the time.
    #[serde(skip)]
    pub is_beside: bool,
    /// The highest clock of the SMs in Hz; `None` where the report does not say it.
    #[serde(skip)]
    pub highest_clock: Option<f64>,
}

/// The least time in which the chip does some work.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Floor {
    /// The ceiling that sets it.
    pub by: String,
    /// At the clocks of the profile, in ns.
    pub profiled: f64,
    /// At the highest clock of the SMs, in ns; `None` where the report does not say it.
    pub top: Option<f64>,
    /// The highest clock of the SMs in Hz, where the ceiling goes by it.
    pub clock: Option<f64>,
}

impl Floor {
    /// The one that all kernels of the chip have, whatever held their clocks down.
    pub fn ns(&self) -> f64 {
        self.top.unwrap_or(self.profiled)
    }
}

/// Why an amount cannot be what a launch does.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Impossible {
    /// It takes longer at the peak than the launch took.
    UnderFloor {
        /// `flop` or `bytes`, as in `work`.
        amount: &'static str,
        /// The least time in ns.
        floor: f64,
        measured: f64,
        /// The ceiling whose peak it is.
        by: String,
    },
    /// The launch executed fewer operations than are stated.
    FewerExecuted { stated: f64, executed: f64 },
}

impl Stated {
    pub(in crate::analysis) fn of(
        kernel: &KernelSummary<'_>,
        roofline: &Roofline,
        work: &Work,
        timing: Option<&Timing>,
        limits: &Limits,
    ) -> Stated {
        let parts: Vec<Part<'_>> = least::parts(kernel, roofline, work).collect();
        let profiled = kernel.seconds().map(|seconds| 1e9 * seconds);
        let timed = timing.map(|timing| timing.kernel.time.median);
        let slack = limits[Threshold::PeakExceeded] / 100.0;
        let mut impossible: Vec<Impossible> = parts
            .iter()
            .filter_map(|part| {
                let certain_at_top = part.top.map_or(part.certain, |top| part.certain * top / part.ns);
                let pairs = [(part.certain, profiled), (certain_at_top, timed)];
                let under = pairs.into_iter().filter_map(|(floor, time)| Some((floor, time?)));
                let (floor, measured) = under.into_iter().find(|(floor, time)| *floor > slack * time)?;
                let by = part.ceiling.label.clone();
                Some(Impossible::UnderFloor { amount: part.amount, floor, measured, by })
            })
            .collect();
        let executed = roofline.operations.filter(|executed| *executed > 0.0);
        let is_open = !impossible.iter().any(|one| matches!(one, Impossible::UnderFloor { amount: "flop", .. }));
        if let Some((stated, executed)) = work.flop.map(|flop| flop as f64).zip(executed).filter(|_| is_open) {
            let others: f64 =
                kernel.opcodes().iter().map(|(opcode, count)| LANES * count * stated_as(Op::of(opcode))).sum();
            if executed + others < limits[Threshold::WorkExecuted] / 100.0 * stated {
                impossible.push(Impossible::FewerExecuted { stated, executed });
            }
        }
        let highest_clock = least::highest_clock(kernel);
        let at_top = |part: &Part<'_>| part.top.unwrap_or(part.ns);
        let longest = parts.iter().max_by(|a, b| at_top(a).total_cmp(&at_top(b))).filter(|_| impossible.is_empty());
        let is_of_bytes = parts.iter().all(|part| part.ceiling.kind != CeilingKind::Compute);
        let is_small = |part: &Part<'_>| profiled.is_some_and(|all| part.ns < OF_THE_WORK * all);
        let computes = is_of_bytes && kernel.value(units::SM) > kernel.value(units::MEMORY);
        let is_beside = computes && longest.is_some_and(is_small);
        let longest = longest.filter(|_| !is_beside);
        let floor = longest.map(|part| Floor {
            by: part.ceiling.label.clone(),
            profiled: parts.iter().map(|part| part.ns).fold(0.0, f64::max),
            top: part.top,
            clock: highest_clock.filter(|_| part.ceiling.kind == CeilingKind::Compute),
        });
        let executed = executed.zip(work.flop).map(|(all, stated)| all / stated as f64);
        Stated { floor, impossible, executed, is_beside, highest_clock }
    }
}

/// Operations that an instruction of a thread may be stated as that no counter of floating-point operations sees: products of
/// integers, and a root, an exponential or a sine.
fn stated_as(op: Op) -> f64 {
    match op {
        Op::IMAD => 2.0,
        Op::IDP => 8.0,
        _ if op.pipe() == Some(Pipe::Xu) => 20.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{derive::mix::InstructionMix, groups};
    use crate::source::ncu_csv::made;

    /// One launch of 1,000 ns at 1 GHz that executed 8,448 FFMA a cycle of 16,896: 2 × 8,448 × 1,000 = 16,896,000 operations.
    /// The chip goes up to 2 GHz.
    fn stated(flop: u64) -> Stated {
        let columns = [
            ("gpu__time_duration.sum", "nsecond", "1000"),
            ("sm__cycles_elapsed.avg.per_second", "hz", "1000000000"),
            ("smsp__cycles_elapsed.avg.per_second", "hz", "1000000000"),
            ("sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", "", "16896"),
            ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", "", "0"),
            ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", "", "0"),
            ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed", "", "8448"),
            ("device__attribute_clock_rate", "", "2000000"),
        ];
        let report = made::report(&columns);
        let kernel = KernelSummary::new(groups(&report).remove(0));
        let work = Work { flop: Some(flop), ..Work::default() };
        let roofline = Roofline::of(&kernel, (&InstructionMix::of(&kernel, None, [None; 2]), None), &work, None);
        Stated::of(&kernel, &roofline, &work, None, &Limits::default())
    }

    #[test]
    fn the_floor_at_both_clocks_by_hand() {
        // 16,896,000 operations at 2 × 16,896 × 1 GHz take 500 ns, at 2 GHz 250 ns.
        let floor = stated(16_896_000).floor.unwrap();
        assert!((floor.profiled - 500.0).abs() < 1e-6 && (floor.ns() - 250.0).abs() < 1e-6, "{floor:?}");
    }

    #[test]
    fn work_that_takes_longer_at_the_peak_than_the_launch_took_cannot_be() {
        let found = stated(4 * 16_896_000);
        let [Impossible::UnderFloor { floor, measured, .. }] = found.impossible[..] else { panic!("{found:?}") };
        assert!((floor - 2000.0).abs() < 1e-6 && (measured - 1000.0).abs() < 1e-6 && found.floor.is_none());
    }

    #[test]
    fn a_fifth_fewer_executed_operations_is_the_last_that_passes() {
        assert!(stated(21_000_000).impossible.is_empty());
        assert!(matches!(stated(21_200_000).impossible[..], [Impossible::FewerExecuted { .. }]));
        // Padding executes more, and is no error.
        assert!(stated(1_000_000).impossible.is_empty());
    }
}
