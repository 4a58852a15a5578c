//! Levers of memory accesses that cost more than they need to: atomics on one address, spills, sectors that carry nothing,
//! bank conflicts.

use super::lever::{Lever, LeverOrigin};
use super::relief::waste;
use crate::analysis::derive::coalescing::SECTORS;
use crate::analysis::diagnose::bottleneck::percent;
use crate::analysis::diagnose::checks::atomic_contention::{AVERAGE, BUSIEST};
use crate::analysis::diagnose::checks::spilling;
use crate::analysis::diagnose::ground::Ground;
use crate::catalog::Threshold;
use crate::quantity::format;

/// Atomics spread evenly over the slices of L2: `1 − average slice / busiest slice`.
pub(super) fn atomics(g: &Ground<'_, '_>) -> Option<Lever> {
    let (busiest, average) = (g.kernel.value(BUSIEST)?, g.kernel.value(AVERAGE)?);
    (g.is_limited_by(&["memory-hot-spot"]) && busiest >= g.limits[Threshold::SolLow]).then(|| Lever {
        code: "atomic-contention".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * (1.0 - average / busiest),
        is_rough: false,
        formula: format!("1 − {} (average slice) / {} (busiest slice)", percent(average), percent(busiest)),
        sentence: "Send fewer atomics to one address: add up within the warp or in shared memory first, or give each block a copy of its own.".into(),
        remeasure: BUSIEST.into(),
    })
}

/// Local sectors over all sectors that loads and stores ask of L1, where the compiler spills.
pub(super) fn spills(g: &Ground<'_, '_>) -> Option<Lever> {
    let sum = |names: [&str; 2]| Some(g.kernel.value(names[0])? + g.kernel.value(names[1])?);
    let (local, global) = (sum(spilling::LOCAL)?, sum(spilling::GLOBAL)?);
    g.kernel.value(spilling::SPILLS).filter(|spills| *spills > 0.0)?;
    Some(Lever {
        code: "register-spilling".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * local / (local + global),
        is_rough: true,
        formula: format!(
            "{} local of {} sectors asked of L1, if the time goes with the sectors",
            format::fixed(local, 0),
            format::fixed(local + global, 0)
        ),
        sentence: "Keep the spilled values in registers: fewer values alive at once, more registers per thread, or arrays with constant indices.".into(),
        remeasure: spilling::SPILLS.into(),
    })
}

/// Where DRAM limits and the work is stated, the bytes that it need not move; else excess sectors over all sectors, if
/// the time goes with them.
pub(super) fn uncoalesced(g: &Ground<'_, '_>) -> Option<Lever> {
    let share = g.coalescing.total("excess-share")?;
    let (excess, all) = (g.coalescing.total("excess")?, g.coalescing.total("sectors")?);
    if share <= 0.0 {
        return None;
    }
    let dram = g.floor().filter(|floor| g.is_limited_by(&["memory-dram"]) && !floor.is_reached(g.limits));
    let (bound, is_rough, formula) = match dram {
        Some(floor) => (floor.waste(), false, waste(&floor)),
        None => {
            let counts = (format::fixed(excess, 0), format::fixed(all, 0));
            (share, true, format!("{} excess of {} sectors, if the time goes with the sectors", counts.0, counts.1))
        }
    };
    Some(Lever {
        code: "uncoalesced-global-access".into(),
        origin: LeverOrigin::Audit,
        bound,
        is_rough,
        formula,
        sentence: format!(
            "Coalesce the global accesses: {} of the sectors that the warps ask for carry no needed byte.",
            percent(share)
        ),
        remeasure: SECTORS.into(),
    })
}

/// Wavefronts beyond the ideal, by the addresses of each shared access, over all LSU wavefronts of the data stage.
pub(super) fn shared_conflicts(g: &Ground<'_, '_>) -> Option<Lever> {
    let excess = match g.kernel.value("derived__memory_l1_wavefronts_shared_excessive") {
        Some(excess) => excess,
        None => g.kernel.value("memory_l1_wavefronts_shared")? - g.kernel.value("memory_l1_wavefronts_shared_ideal")?,
    };
    let all = g.kernel.value("memory_l1_wavefronts_shared")?;
    if all <= 0.0 {
        return None;
    }
    let share = 100.0 * excess / all;
    Some(Lever {
        code: "shared-bank-conflicts".into(),
        origin: LeverOrigin::Audit,
        bound: share,
        is_rough: false,
        formula: format!("{} excess of {} shared-memory wavefronts", format::fixed(excess, 0), format::fixed(all, 0)),
        sentence: format!(
            "Change the shared-memory layout (padding or a swizzle): bank conflicts make {} of its wavefronts.",
            percent(share)
        ),
        remeasure: "memory_l1_wavefronts_shared".into(),
    })
}
