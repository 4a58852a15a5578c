//! Values that threads scatter near places of their own: each output can gather them.

use super::*;
use crate::analysis::diagnose::level::L2_SECTORS;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[gather])];

/// What warps wait for behind additions to memory.
const WAITS: [StallReason; 3] = [StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::Drain];

/// Additions whose place is the thread's own but for a few words that data choose: the thread of an output reads the values that may be
/// added to it, adds those up in registers that are, and stores it once. What is added to is then read from nowhere, and a sector of it is
/// written once; the values are read by several threads, which L1 answers. Neighbours meet in the same sectors where the places are near;
/// a table that each lane adds to has one for each, and rows behind an index no more than their bytes fill.
fn gather(m: &Measures<'_>) -> Option<Draft> {
    let code = &m.study?.code;
    let mut rows = code.run().filter(|row| code.op(*row).is_l2_atomic()).peekable();
    rows.peek()?;
    if !rows.all(|row| code.op(row).act() == Some(Act::Reduction) && code.is_near_own(row)) {
        return None;
    }
    let (added, others): (Vec<_>, Vec<_>) = m.accesses().iter().partition(|access| access.at.op().is_l2_atomic());
    let requests: u64 = added.iter().map(|access| access.requests).sum();
    let touched = sectors_of(added.iter().copied());
    let needed: u64 = added.iter().map(|access| access.ideal).sum();
    if touched <= needed as f64 || touched >= WARP * requests as f64 {
        return None;
    }
    let [read, written] = [m.dram_read()?, m.dram_written()?];
    let loaded = others.iter().filter(|access| access.at.op().reads_global()).map(|access| access.ideal as f64);
    let again = (read - SECTOR * loaded.sum::<f64>()).clamp(0.0, SECTOR * touched);
    let of_dram = again / (read + written).max(1.0);
    let of_l2 = (touched - written / SECTOR).max(0.0) / m.value(L2_SECTORS)?;
    let draft = Draft::new(Action::FewerAtomics)
        .stays(&[Part::MemoryDram], 1.0 - of_dram)
        .stays(&[Part::MemoryL2], (1.0 - of_l2).max(0.0))
        .frees_of(m, &WAITS, of_dram.max(of_l2.min(1.0)))
        .at(At::most(m, Op::is_l2_atomic));
    let how = "Gather in place of adding: the thread of an output reads the values that may belong to it, adds up those that do and stores it once";
    let why = words!(
        "each lane adds near a place of its own ({} sectors for 32 lanes); {} of the bytes of DRAM are what is added to",
        fixed(touched / requests as f64, 1),
        share(of_dram)
    );
    let draft = draft.says(how, why).risks("each value is read by several threads; another order of additions");
    Some(draft.checks(words!("warp-level atomics {} → 0", count(requests as f64)), Counter::DramBytesReadSum))
}
