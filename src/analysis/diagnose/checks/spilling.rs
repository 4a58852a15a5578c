//! Local memory: spilled registers, or arrays that live there.

use super::{Finding, Ground};
use crate::analysis::diagnose::bottleneck::percent;
use crate::quantity::format;

/// Instructions that spill or fill a register, as NVIDIA attributes them.
pub(in crate::analysis) const SPILLS: &str = "sass__inst_executed_register_spilling";
/// Sectors of local accesses, loads and stores.
pub(in crate::analysis) const LOCAL: [&str; 2] =
    ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"];
/// The same of global accesses.
pub(in crate::analysis) const GLOBAL: [&str; 2] =
    ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"];
/// Local loads and stores that were executed, whatever they are for.
const EXECUTED: [&str; 2] = ["sass__inst_executed_local_loads", "sass__inst_executed_local_stores"];

/// Local sectors over all sectors that loads and stores ask of L1: `local / (local + global)`.
pub(super) fn spilling(g: &Ground<'_, '_>) -> Option<Finding> {
    let sum = |names: [&str; 2]| Some(g.kernel.value(names[0])? + g.kernel.value(names[1])?);
    let executed = sum(EXECUTED).or_else(|| sum(LOCAL)).filter(|executed| *executed > 0.0)?;
    let spills = g.kernel.value(SPILLS).filter(|spills| *spills > 0.0);
    let share = sum(LOCAL).zip(sum(GLOBAL)).map(|(local, global)| 100.0 * local / (local + global));
    let of_traffic = share
        .map(|share| format!("; local memory makes {} of the sectors that loads and stores ask of L1", percent(share)));
    let (code, what) = match spills {
        Some(spills) => {
            ("register-spilling", format!("{} executed instructions spill or fill registers", format::fixed(spills, 0)))
        }
        None => ("local-memory", format!("{} local-memory accesses were counted", format::fixed(executed, 0))),
    };
    let sentence = format!("{what}{}.", of_traffic.unwrap_or_default());
    let waits = ["memory", "memory-", "latency-long-scoreboard", "latency-lg-throttle"];
    let share = share.unwrap_or(0.0);
    let severity = g.severity(g.is_limited_by(&waits), share);
    let metrics: Vec<&str> = [SPILLS].into_iter().chain(EXECUTED).chain(LOCAL).chain(GLOBAL).collect();
    let mut finding = Finding::new(code, severity, share, sentence, g.kernel, &metrics);
    finding.readings.retain(|(_, reading)| reading.quantity().is_some());
    Some(finding)
}
