//! What an SM reads through small caches: constants, values that all lanes read, and its code.

use super::indices::of_index;
use super::*;

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Do lanes read constants at different addresses?", divergent, Stands::For(Action::MoveConstants))
        .needs(("requests to the constant cache", |m| m.value(CONSTANTS).is_some()))
        .cured_by(&[move_constants, broadcasts]),
    Pattern::asks("Does the code leave the instruction cache?", fetch, Stands::Beside)
        .needs(STALLS)
        .cured_by(&[smaller_code]),
];

/// Requests of the constant cache that the LSU sends.
const CONSTANTS: Counter = Counter::IdcRequestCyclesActiveAvgPctElapsed;

/// Cycles of the constant cache that a load of one address for all lanes takes at most: 1.2 to 2.0 where the arguments of a kernel are all
/// that is loaded, in six kernels on an H100 and an H200; tables of which each lane reads a word of its own took 41.
const OF_ONE_ADDRESS: f64 = 2.0;

/// Whether the addresses of so many loads of constants differ from lane to lane, by the cycles that they take: twice those of one address.
fn differ(cycles: f64, loads: f64) -> bool {
    cycles >= 2.0 * OF_ONE_ADDRESS * loads
}

/// Constants at addresses that differ from lane to lane are served one address after the other.
fn divergent(m: &Measures<'_>) -> Option<Held> {
    let busy = m.value(CONSTANTS)?;
    let loads = m.executions(Op::loads_constants_by_lane);
    if loads.zip(m.sm_cycles()).is_some_and(|(loads, cycles)| !differ(busy / 100.0 * cycles, loads)) {
        return None;
    }
    let sentence = words!(
        "Lanes read different constant addresses, served one at a time: the constant cache is busy {} % of the time.",
        fixed(busy, 1)
    );
    let held = Held::new(Code::ConstantDivergence, busy, m.limits[Threshold::ConstantRequests], sentence);
    held.at(constant_at(m)).from(m.readings(&[CONSTANTS])).if_large()
}

/// The load of a constant that warps wait at or for the most, else the line that executes the most of those by an index.
fn constant_at(m: &Measures<'_>) -> At {
    let stalls = m.phases.iter().flat_map(|phases| &phases.stalls);
    let groups = stalls.flat_map(|stall| stall.groups.iter().map(|group| (group, stall.samples as f64 * group.share)));
    let points = groups.flat_map(|(group, samples)| {
        [Some(&group.at), group.cause.as_ref()].into_iter().flatten().map(move |point| (point, samples))
    });
    let most = points.filter(|(point, _)| point.op().is_in(Space::Constant)).max_by(|(_, a), (_, b)| a.total_cmp(b));
    most.map_or_else(|| At::heaviest(m, indexed), |(point, _)| At::point(point))
}

/// Executions of a load of a constant at an address that its lanes have in a register.
fn indexed(study: &Study<'_>, row: usize) -> u64 {
    let (op, registers) = (study.code.op(row), study.code.registers(row));
    let is_own = op.is_in(Space::Constant) && registers.read().any(|own| own.file == RegisterFile::General);
    if is_own { study.code.executed[row] } else { 0 }
}

/// Constants at addresses that differ from lane to lane.
fn move_constants(m: &Measures<'_>) -> Option<Draft> {
    divergent(m)?;
    // The queue in front of the cache goes with its work; what it hid does not.
    let waits = [StallReason::ImcMiss, StallReason::ShortScoreboard];
    let draft = Draft::relieves(m, Action::MoveConstants, &[(Part::ComputeControl, 0.0)]).rewrites();
    let draft = draft.frees_of(m, &waits, 0.75).at(constant_at(m)).says(
        "Keep the table in shared memory, in registers with SHFL, or in global memory",
        "lanes read different constant addresses, served one at a time",
    );
    let executed: u64 = m.study.map_or(0, |study| (0..study.code.rows.len()).map(|row| indexed(study, row)).sum());
    let draft = draft.risks("bank conflicts instead of serialised constant reads");
    Some(draft.checks(goes("LDC by lane", executed as f64), CONSTANTS))
}

/// What an inexact count of sectors may lie beside one a request.
const ONE_SECTOR: f64 = 1.05;

/// What a load through the constant cache keeps of a load through L1, in waiting.
const CONSTANT: f64 = 0.25;

/// Loads through L1 of one address for all lanes. Each may read a copy in place of the value, and reads it more than once: other threads do
/// not write it meanwhile, and it is not one block's alone, nor a row of an operand that threads of some blocks have.
pub(super) fn broadcasts(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, ideal]) = (&study.code, study.sectors()?);
    let is_one = |row: &usize| {
        code.op(*row).loads_global()
            && sectors[*row] as f64 <= ONE_SECTOR * code.executed[*row] as f64
            && study.width(*row).is_some()
            && !code.is_inherent(*row)
            && !code.word(*row).is_strong
            && !m.kernel.key().grid.is_some_and(|grid| code.is_read_once(*row, grid.0))
            && !code.is_of_thread_and_block(*row)
    };
    let accesses = || code.run().filter(|row| sectors[*row] > 0);
    // Who waits in a queue does not fill it: a request takes the stage once for each line that its lanes touch.
    let passes = |row: usize| {
        let packed = ideal[row].min(sectors[row]);
        (packed as f64 / (LINE / SECTOR)).max(code.executed[row] as f64) + (sectors[row] - packed) as f64
    };
    let loads: Vec<usize> = accesses().filter(is_one).collect();
    let own: u64 = code.sum(&loads);
    let requests: u64 = accesses().map(|row| code.executed[row]).sum();
    let part = loads.iter().map(|row| passes(*row)).sum::<f64>() / accesses().map(passes).sum::<f64>().max(1.0);
    // Of the stage, global accesses take what shared memory does not.
    let stage = m.stage()?;
    let stays = 1.0 - part * stage.other() / stage.whole;
    let (for_loads, queued) = (m.waits_for_loads()?, m.waits(&[StallReason::LgThrottle]));
    let first = loads.iter().max_by_key(|row| code.executed[**row])?;
    // What is waited for the values of these loads is expected to go; at best the queue that they lengthen for all.
    let own_waits = traced(study, &loads).map_or(part, |traced| traced.min(part));
    // At best what only makes their addresses goes with the loads, and what a warp spends for each of these instructions.
    let of_loads = own as f64 / m.executed()?;
    let gone = of_loads + of_index(m, Part::Issue).unwrap_or_default() * own as f64 / requests as f64;
    let awaited = part * (for_loads + queued);
    let draft = Draft::new(Action::MoveConstants)
        .stays(&L1, stays)
        .keeps(&[Part::Issue], 1.0 - 0.5 * of_loads, 0.0)
        .frees((1.0 - CONSTANT) * (own_waits * for_loads + part * queued), awaited + gone.min(1.0) * m.waits(&OF_EACH))
        .expects(awaited)
        .at(At::row(study, *first));
    let of_requests = share(own as f64 / requests.max(1) as f64);
    // Constant memory serves one address at a time.
    let rows_are_warps = m.kernel.key().block.is_some_and(|block| block.0[0].is_multiple_of(32));
    let draft = match loads.iter().any(|row| code.differs_by_lane(*row, rows_are_warps)) {
        true => draft.says(
            "Keep the table in shared memory or registers",
            words!("{} of the requests bring values of one sector through L1", of_requests),
        ),
        false => draft.because(words!("{} of the requests bring one value to all lanes through L1", of_requests)),
    };
    Some(draft.loses(m, "requests of global loads", own as f64, count, GLOBAL_LOADS))
}

/// Instruction requests that the SM's own cache passed on to the cache of its GPC.
const LEAVING: Counter = Counter::GccCacheRequestsTypeInstructionSum;

/// Bytes of an instruction, since cc 7.0.
const INSTRUCTION: u64 = 16;

/// Instruction requests that leave the SM for each thousand instructions.
fn leaving(m: &Measures<'_>) -> Option<f64> {
    Some(1000.0 * m.value(LEAVING)? / m.executed()?)
}

/// Warps wait for their next instruction, and requests leave the SM: the code does not stay in its cache. Without that counter the
/// wait alone must be as large as any wait that limits.
pub(super) fn fetch(m: &Measures<'_>) -> Option<Held> {
    let reason = StallReason::NoInstruction;
    let wait = m.wait(reason).filter(|_| !m.is_hardly_sampled())?;
    let misses = leaving(m);
    let least = match misses {
        Some(misses) if misses < m.limits[Threshold::FetchMisses] => return None,
        Some(_) => m.limits[Threshold::FetchShare],
        None => m.limits[Threshold::StallShare],
    };
    let is_loop = |phase: &&Phase| matches!(phase.kind, PhaseKind::MainLoop | PhaseKind::Loop);
    let loops = m.sampled().into_iter().flat_map(|phases| &phases.phases).filter(is_loop);
    let bytes = loops.max_by_key(|phase| phase.samples).map(|own| (own.at.end - own.at.start + INSTRUCTION) as f64);
    let of_loop = bytes.map(|bytes| format!(" of the loop, {} kB,", fixed(bytes / 1e3, 1)));
    let leave = misses.map(|misses| {
        format!("; {} instruction requests leave the SM for each thousand instructions", fixed(misses, 1))
    });
    let sentence = words!(
        "Warps wait {} of their time for the next instruction: the code{} does not stay in the instruction cache{}.",
        share(wait),
        words::maybe(of_loop),
        words::maybe(leave)
    );
    let held = Held::new(Code::InstructionFetch, 100.0 * wait, least, sentence);
    held.of_wait(m, reason, &[LEAVING.name(), EXECUTED.name()]).if_large()
}

/// Code that stays in the instruction cache.
fn smaller_code(m: &Measures<'_>) -> Option<Draft> {
    let reason = StallReason::NoInstruction;
    // Where no request leaves the SM, it is jumps that warps wait behind, and not code that is too long.
    let leaves = leaving(m).is_none_or(|misses| misses >= m.limits[Threshold::FetchMisses]);
    let is_much = |wait: &f64| leaves && 100.0 * wait >= m.limits[Threshold::FetchShare] && !m.is_hardly_sampled();
    let wait = m.wait(reason).filter(is_much)?;
    let why = words!("warps wait for the next instruction {} of their time", share(wait));
    let draft = Draft::overlaps(Action::SmallerCode, wait).at(At::waits(m, reason)).because(why);
    Some(draft.checks("no instruction < 5 %", reason.per_issue()))
}

#[cfg(test)]
mod tests {
    use super::differ;

    #[test]
    fn many_loads_of_one_address_fill_the_constant_cache_as_well() {
        // Arguments that are read anew in each turn: 210 M cycles of 105 M loads. A table of which lanes read words of their own.
        assert!(!differ(209.4e6, 105.1e6));
        assert!(differ(214.2e6, 5.24e6));
    }
}
