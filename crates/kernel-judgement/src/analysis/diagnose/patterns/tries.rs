//! Words of global memory that are changed by compare and swap, over and over until nobody came between: operations that the chip has as
//! atomics of their own, and locks.

use super::*;
use crate::analysis::diagnose::level::L2_SECTORS;
use crate::analysis::phases::{Loop, address};

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[tries])];

/// What such a loop makes of a word.
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
    let inside: Vec<usize> = code.run_in(&cycle);
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
fn tries(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let is_try = |row: &usize| code.executed[*row] > 0 && code.word(*row).swaps_if_equal();
    let row = (0..code.rows.len()).filter(is_try).max_by_key(|row| code.executed[*row])?;
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
        Makes::Extreme => words!(
            "An atomic minimum or maximum in place of compare and swap: the bits of floats of one sign are in the order of integers"
        ),
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
    Some(
        draft
            .says(how, why)
            .risks(risk)
            .checks(words!("sectors asked of L2 −{}", count(sum(&own) - stays)), L2_SECTORS),
    )
}
