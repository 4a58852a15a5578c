//! Atomics at many addresses: what they ask of L2, and values that threads scatter near places of their own, which each output can gather.

use super::atomics::{WAITS, hot_spot};
use super::*;
use crate::analysis::diagnose::level::{ATOMICS, L2_SECTORS, added_to, is_mostly_atomics};
use crate::analysis::phases::address;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Do lanes of a warp add to one word?", taking_turns, Stands::For(Action::FewerAtomics))
        .cured_by(&[spread, read_first])];

/// Parts that a sum has at least: what is added up by the block that keeps the sum is stored once, in whole sectors.
const PARTS: f64 = 2.0;

/// Sectors that atomics touch, and those that L1 sends for them; `None` where lanes were not counted.
fn sent(m: &Measures<'_>) -> Option<(f64, f64)> {
    let [touched, sent] = added_to(m);
    (touched > 0.0).then_some((touched, sent))
}

/// Of the sectors that L2 is asked for the part, 0 to 1, that lanes add to, where they are most of what it does; `None` where all of them
/// add to one address, which is another matter.
pub(super) fn added(m: &Measures<'_>) -> Option<f64> {
    let of_all = sent(m)?.1 / m.value(L2_SECTORS).filter(|all| *all > 0.0)?;
    let is_hot = || hot_spot(m).is_some_and(|held| held.code == Code::AtomicContention);
    (is_mostly_atomics(m) && !is_hot()).then_some(of_all.min(1.0))
}

/// Lanes of a request that add to one word, at many places: each takes a turn on the way to L2 and in it.
fn taking_turns(m: &Measures<'_>) -> Option<Held> {
    let (added, (touched, sent)) = (added(m)?, sent(m)?);
    let sentence = words!(
        "Lanes of a warp add to one word and take turns: L1 sends {} sectors to L2 where the addresses of the warps touch {}, {} turns each; additions are {} of the sectors that L2 is asked for.",
        count(sent),
        count(touched),
        fixed(sent / touched, 1),
        share(added)
    );
    let in_turns = 100.0 * added * (1.0 - touched / sent);
    let held = Held::new(Code::AtomicContention, in_turns, m.limits[Threshold::CauseShare], sentence);
    held.at(At::most(m, Op::is_l2_atomic)).from(m.held(&ATOMICS)).if_large()
}

/// Sectors of atomics that L2 has to bring first. A launch that finds it empty misses each sector once.
const MISSED: [Counter; 3] = [
    Counter::LtsTSectorsSrcunitTexOpRedLookupMissSum,
    Counter::LtsTSectorsSrcunitTexOpAtomDotAluLookupMissSum,
    Counter::LtsTSectorsSrcunitTexOpAtomDotCasLookupMissSum,
];

/// Sectors that are added to for the first time; `None` where that was not counted.
fn missed(m: &Measures<'_>) -> Option<f64> {
    m.sum(MISSED).filter(|missed| *missed > 0.0)
}

/// Additions to each sector, where each warp adds to a row of words that data choose. Places of single lanes that recur would meet in the
/// requests of a warp; of rows no counter shows whether those that follow each other are the same.
fn of_each_row(m: &Measures<'_>) -> Option<f64> {
    let mut own = m.accesses().iter().filter(|access| access.at.op().is_l2_atomic());
    let are_rows = own.all(|access| access.is_inherent && access.excess() == 0 && access.sectors > access.requests);
    let times = sent(m)?.1 / missed(m)?;
    (are_rows && times >= PARTS).then_some(times)
}

/// What stays of so many additions to each word in a row, where those that follow each other are added up first.
fn after_runs(times: f64) -> f64 {
    1.0 - UNTOLD * (1.0 - 1.0 / times)
}

/// Additions at many addresses that make most of L2's work: each asks for its sectors by itself, so that one of a vector asks for a half
/// or a quarter of them. Lanes that meet at one word ask for one sector where the warp adds them up before, and those that follow each
/// other at one place where a thread does. Where no data chooses the addresses, each sum has a block that can read its parts, add them up
/// in registers and store it once. What is added to in DRAM is read and written there; at best neither is, since no counter tells what else
/// is written.
pub(super) fn spread(m: &Measures<'_>) -> Option<Draft> {
    let added = added(m)?;
    let own: Vec<&SectorAccess> = m.accesses().iter().filter(|access| access.at.op().is_l2_atomic()).collect();
    let as_vectors =
        own.iter().map(|access| access.stays * access.sectors as f64).sum::<f64>() / sectors_of(own.iter().copied());
    let has_owner = own.iter().all(|access| !access.is_inherent);
    let (touched, sent) = sent(m)?;
    let turns = taking_turns(m).map(|_| sent / touched);
    let times = of_each_row(m).filter(|_| turns.is_none() && as_vectors >= 1.0);
    let how = match (as_vectors < 1.0, has_owner) {
        _ if times.is_some() => {
            "Add up in registers what follows each other at one place: a warp takes several elements in a row, and adds where the place changes; elements sorted by place first".into()
        }
        _ if turns.is_some() => {
            words!(
                "Add up the lanes of a warp that meet at one word first (`__match_any_sync`, then shuffles or `__reduce_add_sync`), or all of the block in shared memory; then one atomic for each word"
            )
        }
        (true, false) => {
            words!(
                "Add vectors: one `red.global.add.v4.f32` (or `.v2`) a lane for the words that it adds to side by side"
            )
        }
        (true, true) => {
            words!(
                "Add nothing in L2: the block that keeps a sum reads its parts and stores it once; or add vectors, one `red.global.add.v2.f32` (or `.v4`) a lane"
            )
        }
        (false, true) => words!("Add nothing in L2: the block that keeps a sum reads its parts and stores it once"),
        (false, false) => return None,
    };
    let stays = match (turns, times) {
        (Some(turns), _) => 1.0 / turns,
        (None, Some(times)) => after_runs(times),
        (None, None) if has_owner => missed(m).map_or(1.0, |missed| missed / sent).min(as_vectors / PARTS),
        (None, None) => as_vectors,
    };
    let of_dram = DRAM_BYTES.map(|counter| m.value(counter).unwrap_or_default());
    let least = if of_dram[1] > 0.0 { (of_dram[0] - of_dram[1]).max(0.0) / (of_dram[0] + of_dram[1]) } else { 1.0 };
    let gone = added * (1.0 - stays);
    let (asked, moved) = (m.value(L2_SECTORS)?, of_dram[0] + of_dram[1]);
    // The block that keeps a sum stores it whole, and at best each value comes to it by the largest of the loads alone: the
    // others bring it again.
    let own_sums = has_owner && turns.is_none();
    let loads = m.accesses().iter().filter(|access| access.at.op().loads_global());
    let once = loads.map(|access| access.sectors as f64).fold(0.0, f64::max);
    let [of_l2, of_dram] = match own_sums && moved > 0.0 {
        true => [(1.0 - added).min(once / asked), least.min(SECTOR * once / moved)],
        false => [1.0 - added, least],
    };
    let unread = missed(m).filter(|_| own_sums && moved > 0.0).map_or(0.0, |missed| SECTOR * missed / moved);
    let draft = Draft::relieves(m, Action::FewerAtomics, &[]).rewrites();
    let draft = draft.keeps(&[Part::MemoryL2], 1.0 - gone, of_l2);
    let draft = draft.keeps(&[Part::MemoryDram], (1.0 - unread).max(of_dram), of_dram);
    let draft = draft.frees_of(m, &WAITS, gone).at(At::most(m, Op::is_l2_atomic));
    let in_turns = turns.map(|turns| words!("; lanes at one word take {} turns", fixed(turns, 1)));
    let in_turns = times.map(|times| words!("; each sector is added to {} times", count(times))).or(in_turns);
    let beside =
        in_turns.or_else(|| (as_vectors < 1.0).then(|| words!("; as vectors they are {} of that", share(as_vectors))));
    let why = words!("additions are {} of the sectors that L2 is asked for{}", share(added), words::maybe(beside));
    let risk = match (turns, has_owner) {
        (Some(_), _) => {
            "instructions of the sums in the warp, for nothing where lanes seldom meet; another order of additions"
        }
        _ if times.is_some() => "nothing where the places follow no order; another order of additions",
        (None, true) => "the parts of each sum must be found; another order of additions",
        (None, false) => "sm_90 and later; words at multiples of the vector's bytes",
    };
    let draft = draft.says(how, why).risks(risk);
    Some(draft.falls("sectors asked of L2", [asked, asked * (1.0 - gone)], L2_SECTORS))
}

/// What of the lookups of L2 one of an atomic costs beside that of a load: its word has its place in one half of L2, and half of the
/// multiprocessors are at the other, which has copies of what is read and none of what is changed. Minima at random words of an H200 asked
/// for 0.40.
const ACROSS: f64 = 0.5;

/// Minima, maxima and bits whose words are read first: what would change nothing is left out. A load asks L2 as the atomic did, so that at
/// the pace of L2 only the way across goes; at best L1 answers it. A word only moves one way, so that an old value of it costs an atomic
/// and no more.
fn read_first(m: &Measures<'_>) -> Option<Draft> {
    let study = m.study?;
    let code = &study.code;
    let made = |row: usize| address(code, row).map(|register| code.definitions(row, register));
    let loads = || (0..code.rows.len()).filter(|row| code.op(*row).loads_global());
    let is_blind = |row: &usize| {
        let may_stay = code.word(*row).may_change_nothing();
        may_stay && !loads().any(|load| made(load) == made(*row))
    };
    let [sectors, _] = study.sectors()?;
    let own = (0..code.rows.len()).filter(is_blind).map(|row| sectors[row]).sum::<u64>() as f64;
    let (touched, sent) = sent(m).filter(|_| own > 0.0 && m.need_of(&[Part::MemoryL2]) >= ROOF)?;
    let part = (own / touched * sent / m.value(L2_SECTORS).filter(|all| *all > 0.0)?).min(1.0);
    let draft = Draft::of(Action::FewerAtomics, Change::default());
    let draft =
        draft.keeps(&[Part::MemoryL2], 1.0 - UNTOLD * ACROSS * part, 1.0 - part).at(At::most(m, Op::is_l2_atomic));
    let why = words!("minima, maxima and bits are {} of the sectors that L2 is asked for", share(part));
    let draft = draft.says("Read the word first, and leave the atomic out where it would change nothing", why);
    let draft = draft.risks("a load that the warp waits for; nothing gained where most of them change their word");
    Some(draft.checks(words!("atomic instructions {} → fewer", count(m.count(Op::is_l2_atomic))), ATOMICS[0]))
}

/// What warps wait for behind additions to memory.
const BEHIND: [StallReason; 3] = [StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::Drain];

/// Additions whose place is the thread's own but for a few words that data choose: the thread of an output reads the values that may be
/// added to it, adds those up in registers that are, and stores it once. What is added to is then read from nowhere, and a sector of it is
/// written once; the values are read by several threads, which L1 answers. Neighbours meet in the same sectors where the places are near;
/// a table that each lane adds to has one for each, and rows behind an index no more than their bytes fill.
pub(super) fn gather(m: &Measures<'_>) -> Option<Draft> {
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
        .frees_of(m, &BEHIND, of_dram.max(of_l2.min(1.0)))
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

#[cfg(test)]
mod tests {
    use super::after_runs;

    #[test]
    fn half_of_what_recurs_at_a_place_is_added_up_before() {
        // Of four additions to a word three are not its first: half of those go.
        assert!((after_runs(4.0) - 0.625).abs() < 1e-9 && (after_runs(1.0) - 1.0).abs() < 1e-9);
    }
}
