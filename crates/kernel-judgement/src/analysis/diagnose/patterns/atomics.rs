//! Atomics at one address: a slice of L2, words of shared memory, and what is tried by compare and swap in place of an atomic of its own.

use super::*;
use crate::analysis::derive::coalescing::WAVEFRONTS as SHARED;
use crate::analysis::diagnose::level::{L2_SECTORS, place};
use crate::analysis::phases::{Loop, address};

const SLICES: Need = ("the busiest slice", |m| crate::analysis::derive::units::hot_spot(m.kernel, 0.0).is_some());

pub(super) const PATTERNS: [Pattern; 3] = [
    Pattern::asks("Is one slice of L2 a roof beside other work?", slice, Stands::Beside).needs(SLICES),
    Pattern::asks("Is one L2 slice or memory channel full?", hot_spot, Stands::ByItself(Action::FewerAtomics))
        .needs(SLICES)
        .cured_by(&[fewer_atomics]),
    Pattern::asks("Do lanes add to few words of shared memory?", shared_atomics, Stands::For(Action::FewerAtomics))
        .needs(OPCODES)
        .cured_by(&[copies]),
];

/// What warps wait for that add to memory.
pub(super) const WAITS: [StallReason; 4] =
    [StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::MioThrottle, StallReason::Drain];

/// The stretches of the launch in which no memory unit is busy, and their share of the time.
fn quiet(m: &Measures<'_>) -> (Vec<usize>, f64) {
    let parts = [Part::MemoryL1tex, Part::MemoryShared, Part::MemoryL2, Part::MemoryDram];
    let is_quiet = |at: &usize| {
        let levels = parts.iter().filter_map(|part| m.unit(*part));
        let levels = levels.map(|unit| m.stretches[*at].level(unit.part, unit.share));
        100.0 * levels.fold(0.0, f64::max) < m.limits[Threshold::SolLow]
    };
    let found: Vec<usize> = (0..m.stretches.len()).filter(is_quiet).collect();
    let share = found.iter().map(|at| m.stretches[*at].share).sum();
    (found, share)
}

/// The stretches of the launch in which a hot spot is what warps wait for; `None` where there is none.
pub(super) fn at_hot_spot(m: &Measures<'_>) -> Option<Vec<usize>> {
    hot_spot(m)?;
    Some(quiet(m).0)
}

/// One slice or channel is several times as busy as the average, and full while no unit is busy. The atomic unit of a slice takes up to
/// several cycles for an operation, so that additions which follow one another at one address fill it at less than its peak.
pub(super) fn hot_spot(m: &Measures<'_>) -> Option<Held> {
    let (spot, average) = crate::analysis::derive::units::hot_spot(m.kernel, m.limits[Threshold::HotSliceFactor])?;
    let atomics = m.count(Op::is_l2_atomic);
    let (stretches, of_time) = quiet(m);
    let is_quiet = !stretches.is_empty();
    let percent = if is_quiet { (spot.percent / of_time).min(100.0) } else { spot.percent };
    let waits = m.waits(&WAITS) + m.waits(&[StallReason::ShortScoreboard]);
    let is_awaited = 100.0 * waits >= m.limits[Threshold::ChainShare];
    let least = match atomics > 0.0 && is_quiet && is_awaited {
        true => m.limits[Threshold::HotSliceAtomics],
        false => m.limits[Threshold::HotSlice],
    };
    let (code, at, what) = match atomics > 0.0 {
        true => {
            let what = words!("{} warp-level atomics hit one slice of L2", count(atomics));
            (Code::AtomicContention, At::most(m, Op::is_l2_atomic), what)
        }
        false => (Code::MemoryHotSpot, At::Nowhere, words!("The accesses hit one instance of {}", &spot.label)),
    };
    let then =
        (of_time < 1.0).then(|| format!(" in the {} of the time in which no memory unit is busy", share(of_time)));
    let sentence = words!(
        "{}, which is at {} % of peak{}, {} times the average slice.",
        what,
        fixed(percent, 1),
        words::maybe(then),
        fixed(spot.percent / average.max(0.01), 0)
    );
    let held = Held::new(code, percent, least, sentence).only_if(is_quiet).at(at);
    held.from(m.readings(&[&spot.counter])).if_large()
}

/// The part of the busiest slice that the average one has at most where accesses meet in it, and not all slices are as full.
const MEET: f64 = 0.5;

/// One slice of L2 is at its roof while other parts of memory work as well, and atomics run: those at one address meet in it, and no other
/// work that goes makes the launch shorter than this slice takes.
fn slice(m: &Measures<'_>) -> Option<Held> {
    let (spot, average) = crate::analysis::derive::units::hot_spot(m.kernel, 1.0 / MEET)?;
    let is_l2 = catalog::subsystem_of(&spot.counter).is_some_and(|part| part.code == Part::MemoryL2);
    let stands = || m.code().is_some_and(|code| code.run().any(|row| code.op(row).is_l2_atomic()));
    let has_atomics = m.count(Op::is_l2_atomic) > 0.0 || m.kernel.opcodes().is_empty() && stands();
    if !is_l2 || !has_atomics || 100.0 * ROOF > spot.percent || hot_spot(m).is_some_and(|held| held.holds) {
        return None;
    }
    let sentence = words!(
        "One slice of L2 is at {} % of peak, the average one at {} %: atomics at one address meet there, and one a block in place of one a warp takes it off.",
        fixed(spot.percent, 1),
        fixed(average, 1)
    );
    let held = Held::new(Code::AtomicContention, spot.percent, 0.0, sentence).only_if(false).noted();
    Some(held.at(At::most(m, Op::is_l2_atomic)).from(m.readings(&[&spot.counter])))
}

/// Additions to shared memory that are tried until no other lane came in between, since the chip adds floats there by compare and swap:
/// those tries of warps, and the additions, at most (loops that lanes leave one by one). `None` where no such loop ran more than once. A
/// try reads its word before it swaps; an addition of integers, which the chip has, does not. Each loop reconverges its lanes behind it,
/// and so opens with a `BSSY`.
fn retries(m: &Measures<'_>) -> Option<(f64, f64)> {
    let tries = m.executions(|op| op.is_in(Space::Shared) && op.act() == Some(Act::Atomic))?;
    let reads = m.executions(|op| op.loads_shared() && op.is_by_lane())?;
    let additions = m.executions(|op| op == Op::BSSY).filter(|additions| *additions > 0.0)?;
    (reads >= tries && tries > additions).then_some((tries, additions))
}

/// Lanes that add to few words of shared memory, in front of a busy data stage.
pub(super) fn shared_atomics(m: &Measures<'_>) -> Option<Held> {
    let (tries, additions) = retries(m)?;
    let stage = m.unit(Part::MemoryShared).filter(|unit| unit.level > Level::Idle)?;
    let sentence = words!(
        "Lanes add to few words of shared memory and take turns: {} compare-and-swap instructions of warps for at most {} additions, {} tries each; {} is at {}.",
        count(tries),
        count(additions),
        fixed(tries / additions, 1),
        stage.named(),
        share(stage.share)
    );
    let in_vain = 100.0 * (1.0 - additions / tries);
    let held = Held::new(Code::AtomicContention, in_vain, m.limits[Threshold::CauseShare], sentence);
    held.at(At::conflicts(m)).from(m.readings(&[&stage.counter])).if_large()
}

/// What stays of the atomics with one for each of so many blocks: lanes add one after the other, and warps where lanes were not counted.
fn stays(m: &Measures<'_>, blocks: f64) -> f64 {
    let by_lanes = m.study.and_then(|study| study.lanes(Op::is_l2_atomic)).unwrap_or(0.0);
    blocks / by_lanes.max(m.count(Op::is_l2_atomic)).max(blocks)
}

/// Lanes of a request from which it adds for a warp, and not what a warp has added up.
const MOST_LANES: f64 = 16.0;

/// Whether each block adds once to each word, as it does with sums that it made in shared memory: each of its warps adds no more than
/// once, with most lanes, at words of their own that no data chose.
fn are_sums_of_blocks(study: &Study<'_>, warps: f64) -> bool {
    let code = &study.code;
    let (Some(lanes), Some([sectors, _])) = (&code.lanes, study.sectors()) else { return false };
    let is_once = |row: usize| {
        let (lanes, executed) = (lanes[row] as f64, code.executed[row] as f64);
        let has_own = study.width(row).is_some_and(|bits| lanes * bits as f64 / 8.0 <= SECTOR * sectors[row] as f64);
        has_own && !code.is_inherent(row) && lanes > MOST_LANES * executed && executed <= warps
    };
    let mut added = code.run().filter(|row| code.op(*row).is_l2_atomic()).peekable();
    added.peek().is_some() && added.all(is_once)
}

/// Fewer atomics to one address. What they take of the way to L2 falls with them; how much of it is theirs is not known. At best the
/// slice takes its time for those that stay.
fn fewer_atomics(m: &Measures<'_>) -> Option<Draft> {
    // Additions to shared memory are copied, and not gathered.
    if own_retries(m).is_some() || hot_spot(m).is_none_or(|held| held.code != Code::AtomicContention) {
        return None;
    }
    let blocks = m.blocks?;
    let warps = m.block_warps.unwrap_or_default() * blocks;
    let executed = m.count(Op::is_l2_atomic);
    // Sums of blocks are fewer where those that fit at once stay and add up more.
    let fit = m.at_once().map(|fit| fit.min(blocks));
    let of_blocks = m.study.is_some_and(|study| are_sums_of_blocks(study, warps)).then_some(fit.unwrap_or(blocks));
    if of_blocks.is_some_and(|fit| fit >= blocks) {
        return Some(Draft::new(Action::FewerAtomics));
    }
    let gone = 1.0 - of_blocks.map_or_else(|| stays(m, blocks), |fit| fit / blocks);
    let touched = [Part::MemoryL2, Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu].map(|part| (part, 0.0));
    let draft = Draft::relieves(m, Action::FewerAtomics, &touched);
    // Rewritten code has at best no work for the pipes.
    let pipes = m.machine.parts().filter(|part| place(*part) == place(Part::Issue));
    let draft = pipes.fold(draft, |draft, part| draft.keeps(&[part], 1.0, 0.0));
    let waits = m.waits(&WAITS);
    let each = executed / blocks;
    let each = if each < 10.0 { plain(each, 1) } else { count(each) };
    let why = words!("{} warp-level atomics, {} per block", count(executed), each);
    let slice = at_hot_spot(m)?;
    // At best one block an SM stays, and adds once.
    let most = m.sms.filter(|sms| *sms < blocks).map_or(gone, |sms| match of_blocks {
        Some(_) => (1.0 - sms / blocks).max(gone),
        None => 1.0 - stays(m, sms),
    });
    let draft = draft.frees(gone * waits, most).at(At::most(m, Op::is_l2_atomic));
    let draft = draft.spares((0..m.stretches.len()).filter(|at| !slice.contains(at)).collect());
    // Words that data chooses are a table, and a block adds each of its words once.
    let of_l2 = |row: &usize| m.study.is_some_and(|study| study.code.op(*row).is_l2_atomic());
    let any = |is_meant: &dyn Fn(&KernelCode<'_>, usize) -> bool| {
        m.study.is_some_and(|study| study.code.run().any(|row| is_meant(&study.code, row)))
    };
    let is_table = any(&|code, row| of_l2(&row) && code.is_inherent(row));
    // What is behind the address of a store hands out places, and adds nothing up.
    let hands_out = any(&|code, row| code.op(row).stores_global() && code.loads_behind(row).iter().any(of_l2));
    let (draft, goal) = match of_blocks {
        Some(fit) => {
            let how = words!("Blocks that stay and add up several pieces each: {} fit at once", count(fit));
            (draft.says(how, why), count(executed * fit / blocks))
        }
        None if is_table => {
            let how = "A copy of the words in shared memory for each block, added up there, then one atomic per word and block";
            (draft.says(how, why), "one per 32 words and block".to_owned())
        }
        None if hands_out => {
            let how = "A scan of the block for the place of each value in it, then one atomic per block, for the first of its places";
            let draft =
                draft.says(how, why).risks("shared memory and barriers of the scan; the order of the output changes");
            (draft, count(blocks.min(executed)))
        }
        None => (draft.because(why), count(blocks.min(executed))),
    };
    Some(draft.checks(words!("atomic instructions {} → {}", count(executed), goal), Counter::LtsTSectorsMax))
}

/// Copies of the words that lanes add to, so that each addition is tried once.
fn copies(m: &Measures<'_>) -> Option<Draft> {
    let (tries, additions) = own_retries(m)?;
    let stays = additions / tries;
    let parts = [Part::MemoryShared, Part::MemoryLsu, Part::Issue, Part::ComputeAlu, Part::ComputeControl];
    let draft = Draft::relieves(m, Action::FewerAtomics, &[]).rewrites().stays(&parts, stays);
    let draft = draft.frees_of(m, &FOR_SHARED, 1.0 - stays);
    let draft = draft.at(At::most(m, |op| op.is_in(Space::Shared) && op.act() == Some(Act::Atomic)));
    let how = "A copy of the words for each lane of a warp, in banks side by side, added up at the end; or reduce by shuffles first";
    let draft = draft.says(how, words!("{} tries for each addition to shared memory", fixed(tries / additions, 1)));
    let draft = draft.risks("shared memory for the copies; another order of additions");
    Some(draft.falls("ATOMS", [tries, additions], SHARED))
}

/// Tries of additions to shared memory and these, where they are more than the atomics on L2.
pub(super) fn own_retries(m: &Measures<'_>) -> Option<(f64, f64)> {
    shared_atomics(m)?;
    retries(m).filter(|(_, additions)| m.count(Op::is_l2_atomic) < *additions)
}

/// What a loop makes of a word of global memory that it changes by compare and swap, over and over until nobody came between.
enum Makes {
    /// A sum.
    Sum,
    /// The smaller or the larger one.
    Extreme,
    /// A lock: what stands between it and the atomic or store that frees it has one thread at a time.
    Lock,
}

/// `None` for what no single atomic does: a value that is made of the one before in another way, or a place that moves, as in a table.
fn makes(study: &Study<'_>, cycle: &Loop, row: usize) -> Option<Makes> {
    let code = &study.code;
    let inside: Vec<usize> = code.run_in(cycle);
    let register = address(code, row)?;
    let moves = code.definitions(row, register).iter().any(|row| inside.contains(row));
    if moves || inside.iter().any(|row| code.op(*row).stores_global()) {
        return None;
    }
    let data: Vec<usize> = code.data_of(row).collect();
    let is_number = |row: &usize| {
        code.registers(*row).special.is_none() && code.op(*row).act().is_none() && code.behind_row(*row).is_empty()
    };
    if data.iter().all(is_number) {
        return Some(Makes::Lock);
    }
    let of_values = [Class::Fp32, Class::Fp64, Class::Fp16, Class::Integer, Class::SpecialFunction];
    let behind = code.behind_row(row);
    let made = inside.iter().copied().filter(|row| behind.contains(row) && code.op(*row).is_of(&of_values));
    let is_copy = |row: &usize| code.word(*row).is_copy();
    let compares = |row: &usize| code.op(*row).is_of(&[Class::FpCompare, Class::IntegerCompare]);
    let own: Vec<usize> = made.filter(|row| !is_copy(row)).collect();
    // Asked for more than whether it is as it was, the word decides what becomes of it.
    let is_asked = inside.iter().filter(|row| compares(row)).count() > 1;
    match own.is_empty() {
        true => (is_asked || inside.iter().any(|row| behind.contains(row) && compares(row))).then_some(Makes::Extreme),
        false => (own.iter().all(|row| code.op(*row).adds()) && !is_asked).then_some(Makes::Sum),
    }
}

/// One atomic in place of the tries: each lane asks L2 once for its word, and waits for no answer. What is read of the word before, what is
/// tried in vain and what a lock guards goes.
pub(super) fn tries(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let is_try = |row: &usize| code.word(*row).swaps_if_equal();
    let row = code.run().filter(is_try).max_by_key(|row| code.executed[*row])?;
    let cycle = code.innermost(row)?;
    let kind = makes(study, cycle, row)?;
    let made = |row: usize| address(code, row).map(|register| code.definitions(row, register));
    let is_global =
        |row: &usize| code.executed[*row] > 0 && (code.op(*row).reads_global() || code.op(*row).writes_global());
    let of_word = |other: &usize| made(*other) == made(row);
    let mut own: Vec<usize> = (0..code.rows.len()).filter(is_global).filter(of_word).collect();
    let last = *own.last()?;
    let is_lock = matches!(kind, Makes::Lock);
    if is_lock {
        // What frees it comes behind it.
        if last <= row {
            return None;
        }
        own = (row..=last).filter(is_global).collect();
    }
    let sum = |rows: &[usize]| rows.iter().map(|row| sectors[*row] as f64).sum::<f64>();
    // Each lane that comes asks once: where it reads the word first, or frees the lock, so often; else as often as the loop is entered.
    let once = own
        .iter()
        .copied()
        .filter(|other| *other != row && (!is_lock || *other == last))
        .map(|row| sectors[row] as f64);
    let entered = || sectors[row] as f64 * code.entered(cycle).unwrap_or_default() as f64 / code.executed[row] as f64;
    let stays = once.fold(0.0, f64::max).max(entered()).min(sum(&own));
    // At best one that asks for no answer takes half of what a load takes, since the way back is not taken; what a lock guards a block can
    // look through by itself, and ask once.
    let asked = m.value(L2_SECTORS)?;
    let [of_l2, most] =
        [stays, if is_lock { 0.0 } else { 0.5 * stays }].map(|stays| ((sum(&own) - stays) / asked).clamp(0.0, 1.0));
    let for_loads = traced(study, &own)? * m.waits(&[StallReason::LongScoreboard]);
    let guarded = if is_lock { m.waits(&[StallReason::Membar]) } else { 0.0 };
    let queued = m.waits(&[StallReason::LgThrottle, StallReason::Drain]);
    let draft = Draft::new(Action::FewerAtomics)
        .rewrites()
        .keeps(&[Part::MemoryL2], 1.0 - of_l2, 1.0 - most)
        .frees(for_loads + guarded, for_loads + guarded + queued)
        .at(At::row(study, row));
    let how = match kind {
        Makes::Sum => {
            words!("An atomic that adds (`atomicAdd`, of doubles and halves as well) in place of compare and swap")
        }
        Makes::Extreme => "An atomic minimum or maximum in place of compare and swap: the bits of floats of one sign are in the order of integers".into(),
        Makes::Lock => words!(
            "One atomic in place of the lock: what it guards in a word of 64 bits (key above, value below, `atomicMax`), or sums by `atomicAdd`"
        ),
    };
    let why = words!(
        "{} compare-and-swap instructions of warps, each waited for: {} of the samples wait for the word",
        count(code.executed[row] as f64),
        share(for_loads)
    );
    let risk = if is_lock { "what does not fit into 64 bits" } else { "another order where values are equal" };
    Some(draft.says(how, why).risks(risk).loses(m, "sectors asked of L2", sum(&own) - stays, count, L2_SECTORS))
}
