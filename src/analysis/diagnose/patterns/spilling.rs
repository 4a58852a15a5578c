//! Local memory: spilled registers, or arrays that live there.

use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::lines::Sits;
use crate::catalog::{Code, StallReason};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// Instructions that spill or fill a register, as NVIDIA attributes them.
const SPILLS: &str = "sass__inst_executed_register_spilling";
/// Sectors of local accesses, loads and stores.
const LOCAL: [&str; 2] =
    ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"];
/// The same of global accesses.
const GLOBAL: [&str; 2] =
    ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"];
/// Local loads and stores that were executed, whatever they are for.
const EXECUTED: [&str; 2] = ["sass__inst_executed_local_loads", "sass__inst_executed_local_stores"];
/// Waits of warps for loads.
const WAITS: [Code; 2] = [Code::Wait(StallReason::LongScoreboard), Code::Wait(StallReason::LgThrottle)];

/// Executed local accesses, spills among them, and the share of local memory in percent.
pub(super) struct Spilling;

fn sum(kernel: &KernelSummary<'_>, names: [&str; 2]) -> Option<f64> {
    Some(kernel.value(names[0])? + kernel.value(names[1])?)
}

fn spills(kernel: &KernelSummary<'_>) -> Option<f64> {
    kernel.value(SPILLS).filter(|spills| *spills > 0.0)
}

/// Whether the kernel spills and local memory makes more than half of the sectors that loads and stores ask of L1.
pub(super) fn is_mostly_local(kernel: &KernelSummary<'_>) -> bool {
    let sectors = sum(kernel, LOCAL).zip(sum(kernel, GLOBAL));
    spills(kernel).is_some() && sectors.is_some_and(|(local, global)| local > global)
}

impl Pattern<Ground<'_, '_>> for Spilling {
    type Facts = (f64, Option<f64>, Option<f64>);
    const SITS: Sits = Sits::LocalAccesses;

    /// Local sectors over all sectors that loads and stores ask of L1: `local / (local + global)`.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let sectors = sum(g.kernel, LOCAL).zip(sum(g.kernel, GLOBAL));
        let executed = sum(g.kernel, EXECUTED).or_else(|| sum(g.kernel, LOCAL)).filter(|executed| *executed > 0.0)?;
        let spills = spills(g.kernel);
        let share = sectors.map(|(local, global)| 100.0 * local / (local + global));
        let bound = sectors.zip(share).filter(|_| spills.is_some()).map(|((local, global), share)| {
            let counts = (format::fixed(local, 0), format::fixed(local + global, 0));
            let formula =
                format!("{} local of {} sectors asked of L1, if the time goes with the sectors", counts.0, counts.1);
            Bound::new(share, formula, SPILLS).rough()
        });
        let metrics: Vec<&str> = [SPILLS].into_iter().chain(EXECUTED).chain(LOCAL).chain(GLOBAL).collect();
        let mut readings = g.readings(&metrics);
        readings.retain(|(_, reading)| reading.quantity().is_some());
        let code = if spills.is_some() { Code::RegisterSpilling } else { Code::LocalMemory };
        let (ranked, limits) = (share.unwrap_or(0.0), g.limiter().is_memory() || g.is_limited_by(&WAITS));
        let hit = Hit::new(code, (executed, spills, share));
        Some(hit.finding(g.severity(limits, ranked), ranked, readings).bound(bound))
    }

    fn say((executed, spills, share): &Self::Facts) -> Words {
        let what = match spills {
            Some(spills) => words!("{} executed instructions spill or fill registers", format::fixed(*spills, 0)),
            None => words!("{} local-memory accesses were counted", format::fixed(*executed, 0)),
        };
        let traffic = share.map(|share| {
            words!("; local memory makes {} of the sectors that loads and stores ask of L1", percent(share))
        });
        words!("{}{}.", what, traffic.unwrap_or_default())
    }

    fn advise(_: &Self::Facts) -> Words {
        words!(
            "Keep the spilled values in registers: fewer values alive at once, more registers per thread, or arrays with constant indices."
        )
    }
}
