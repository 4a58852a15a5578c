//! Fences that warps wait at, and those of one lane in front of arrivals.

use super::*;
use cuda_binary::op::Sync;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Does a one-lane fence delay every step?", fence_chain, Stands::ByItself(Action::NarrowFence))
        .needs(SAMPLES)
        .cured_by(&[fence, fences])];

/// Fences of one lane in front of an arrival in the main loop, with everything that waits behind them.
fn fence_chain(m: &Measures<'_>) -> Option<Held> {
    let chain = m.sampled_code()?.fence_chain()?;
    let sentence = words!(
        "Fences at `:{}` ({} executed with a lane on) delay the arrival of each step, and with it the refill, the full barrier and the first product: {} of a warp's lifetime.",
        chain.at.line.to_string(),
        count(chain.lanes as f64),
        share(chain.cost)
    );
    let held = Held::new(Code::FenceChain, 100.0 * chain.cost, m.limits[Threshold::FenceChain], sentence);
    Some(held.at(At::point(&chain.at)).from(m.readings(&[StallReason::Membar.samples()])))
}

/// C5: the fence chain.
fn fence(m: &Measures<'_>) -> Option<Draft> {
    let chain = m.sampled_code()?.fence_chain().filter(|chain| chain.cost >= WORTH)?;
    let why = words!(
        "{} of a warp's lifetime waits on {} fences: late arrival, late refill, late first product",
        share(chain.cost),
        count(chain.lanes as f64)
    );
    let draft = Draft::overlaps(Action::NarrowFence, chain.cost).at(At::point(&chain.at)).because(why);
    Some(draft.checks(goes("MEMBAR in the loop", chain.lanes as f64), StallReason::Membar.per_issue()))
}

/// Wavefronts that a fence of one warp takes of the data stage of L1: of 74,279 on an SM (`relax_fenced` of the pairs) 36,678 stay without
/// the 7,944 fences.
const WAVEFRONTS: f64 = 4.7;

/// Fences that warps wait at: each waits until everything that its warp stored before is seen.
fn fences(m: &Measures<'_>) -> Option<Draft> {
    let reason = StallReason::Membar;
    let wait = m.wait(reason).filter(|wait| *wait >= WORTH)?;
    // A fence of the chip makes L1 forget, so that at best loads behind it hit again.
    let forgets = m.count(|op| op.sync() == Some(Sync::Cache)) > 0.0;
    let again = m.waits_for_loads().filter(|_| forgets).unwrap_or(0.0);
    let wavefronts = m.busiest_of(&DATA_STAGE).zip(m.sm_cycles()).map_or(0.0, |(stage, cycles)| stage.share * cycles);
    let fences = WAVEFRONTS * m.count(|op| op.sync() == Some(Sync::Fence));
    let stays = if wavefronts > 0.0 { (1.0 - fences / wavefronts).max(0.0) } else { 1.0 };
    let draft = Draft::new(Action::NarrowFence).frees(wait, wait + again).stays(&DATA_STAGE, stays);
    let check = stall("memory barrier stall", wait, draft.expected(m));
    let how = "Fewer and narrower fences: one after several stores, block scope where only the block reads";
    let draft = draft.at(At::waits(m, reason)).says(how, words!("warps wait at fences {} of their time", share(wait)));
    Some(draft.risks("the ordering that other blocks rely on: run racecheck").checks(check, reason.per_issue()))
}
