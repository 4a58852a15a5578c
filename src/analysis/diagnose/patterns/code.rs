//! Code that does not stay in the instruction cache.

use super::*;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Does the code leave the instruction cache?", "--section WarpStateStats", fetch, Stands::Beside)
        .cured_by(&[smaller_code])];

/// Instruction requests that the SM's own cache passed on to the cache of its GPC.
const LEAVING: Counter = Counter::GccCacheRequestsTypeInstructionSum;

/// Bytes of an instruction, since cc 7.0.
const INSTRUCTION: u64 = 16;

/// Warps wait for their next instruction, and requests leave the SM: the code does not stay in its cache. Without that counter the
/// wait alone must be as large as any wait that limits.
pub(super) fn fetch(m: &Measures<'_>) -> Option<Held> {
    let reason = StallReason::NoInstruction;
    let wait = m.wait(reason).filter(|_| !m.is_hardly_sampled())?;
    let thousand = m.executed()? / 1000.0;
    let misses = m.value(LEAVING).map(|leaving| leaving / thousand);
    let least = match misses {
        Some(misses) if misses < m.limits[Threshold::FetchMisses] => return None,
        Some(_) => m.limits[Threshold::FetchShare],
        None => m.limits[Threshold::StallShare],
    };
    let leave = misses.map(|misses| {
        format!("; {} instruction requests leave the SM for each thousand instructions", fixed(misses, 1))
    });
    let sentence = words!(
        "Warps wait {} of their time for the next instruction: the code{} does not stay in the instruction cache{}.",
        share(wait),
        loop_of(m).unwrap_or_default(),
        leave.unwrap_or_default()
    );
    let held = Held::new(Code::InstructionFetch, 100.0 * wait, least, sentence);
    held.of_wait(m, reason, &[LEAVING.name(), EXECUTED.name()]).if_large()
}

/// Bytes from the first to the last instruction of the loop that holds the most samples; nothing without a loop.
fn loop_of(m: &Measures<'_>) -> Option<String> {
    let loops = m.sampled()?.phases.iter().filter(|phase| matches!(phase.kind, PhaseKind::MainLoop | PhaseKind::Loop));
    let at = &loops.max_by_key(|phase| phase.samples)?.at;
    let bytes = (at.end - at.start + INSTRUCTION) as f64;
    Some(format!(" of the loop, {} kB,", fixed(bytes / 1e3, 1)))
}

/// Code that stays in the instruction cache.
fn smaller_code(m: &Ask<'_>) -> Option<Draft> {
    let reason = StallReason::NoInstruction;
    let is_much = |wait: &f64| 100.0 * wait >= m.limits[Threshold::FetchShare] && !m.is_hardly_sampled();
    let wait = m.wait(reason).filter(is_much)?;
    let why = words!("warps wait for the next instruction {} of their time", share(wait));
    let draft = Draft::overlaps(Action::SmallerCode, wait).at(At::waits(m, reason));
    let draft = draft.says("Less unrolling, fewer inlined copies in the loop", why);
    Some(draft.risks("more instructions for loop control").checks("no instruction < 5 %", reason.per_issue()))
}
