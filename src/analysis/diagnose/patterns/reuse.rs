//! Operands that are read again where they could stay: register tiles, shared memory.

use super::banks::wavefronts;
use super::sectors::{excess, sectors};
use super::units::shuffles;
use super::{Ask, At, Draft, Pattern, count, shapes, share};
use crate::analysis::derive::coalescing::{WAVEFRONTS as SHARED, WAVEFRONTS_IDEAL as SHARED_IDEAL};
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::diagnose::level;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::phases::SectorAccess;
use crate::catalog::{Action, Counter, Part, StallReason};
use crate::evidence::{Register, RegisterFile};
use crate::quantity::format;
use crate::words;
use cuda_binary::op::{Act, Pipe, Space};
use cuda_binary::{Class, Op};

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[register_tile, reuse])];

/// Operand wavefronts for each FMA from which L1 takes longer than the arithmetic.
const OPERANDS_PER_FMA: f64 = 0.25;

/// Instructions behind a factor that are looked at.
const BEHIND: usize = 256;

/// The product of a register tile.
const FMA: Op = Op::FFMA;

/// FFMA of two values that both come from memory, whatever was made of them; all of them without instructions. A constant factor and a
/// square are no product of a row and a column.
fn products(m: &Measures<'_, '_>) -> f64 {
    let Some(study) = m.study else { return m.count(|op| op == FMA) };
    let (code, flows) = (&study.code, &study.flows);
    let is_from_memory = |row: usize, register: Register| {
        let mut open = flows.definitions(code, row, register);
        let mut seen = open.clone();
        while let (Some(own), true) = (open.pop(), seen.len() < BEHIND) {
            if code.op(own).brings_from_memory() {
                return true;
            }
            for behind in flows.operands_of(code, own) {
                if !seen.contains(&behind) {
                    seen.push(behind);
                    open.push(behind);
                }
            }
        }
        false
    };
    let is_product = |row: &usize| {
        let reads = code.rows[*row].word.unwrap_or_default().registers.reads;
        let general = |register: &Register| register.count > 0 && register.file == RegisterFile::General;
        // The two factors come first; a constant is no register.
        let factors: Vec<Register> = reads.into_iter().filter(general).collect();
        let is_pair = factors.len() > 2 && factors[0] != factors[1];
        is_pair && factors[..2].iter().all(|factor| is_from_memory(*row, *factor))
    };
    let rows = (0..code.rows.len()).filter(|row| code.op(*row) == FMA && code.executed[*row] > 0);
    rows.filter(is_product).map(|row| code.executed[row] as f64).sum()
}

/// Several outputs a thread, so that each operand that is loaded feeds more arithmetic. Only the arithmetic stays.
fn register_tile(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let fma = m.count(|op| op.class() == Some(Class::Fp32));
    let wavefronts = m.kernel.value(SHARED_IDEAL).filter(|loads| *loads > 0.0)?;
    // Sums without products share no operands between outputs as the rows and columns of a tile do.
    let is_product = 2.0 * products(m) >= fma;
    // Operands that are read once are shared with nobody.
    let is_once =
        m.study.is_some_and(|study| !study.code.turns(|op| op.is_in(Space::Shared) && op.act() == Some(Act::Load)));
    if fma == 0.0 || !is_product || is_once || m.has_tensor || wavefronts / fma < OPERANDS_PER_FMA {
        return None;
    }
    let now = wavefronts / fma;
    let each = fma_of_word(m, fma, now);
    let next = next_tile(each);
    let (tile, reads) = next.unwrap_or(("", LARGER));
    let executed = m.executed()?;
    let issue = (fma / executed).min(1.0);
    let arithmetic = fma / m.count(|op| op.pipe() == Some(Pipe::Fma) || op == Op::HFMA2).max(1.0);
    let waits =
        [StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::Barrier, StallReason::LongScoreboard];
    let draft = Draft::of(Action::RegisterTile, Change::default())
        .rewrites()
        .keeps(Part::ComputeFma, arithmetic, arithmetic)
        .keeps(Part::Issue, issue + (1.0 - issue) * reads, issue)
        .keeps(Part::MemoryShared, reads, 0.0)
        .keeps(Part::MemoryL1tex, reads, 0.0)
        .keeps(Part::MemoryLsu, reads, 0.0)
        .frees_of(ask, &waits, 1.0 - reads);
    if next.is_none() {
        return Some(
            draft.not_here(words!("each word read feeds {} FFMA, the tile is that large", format::fixed(each, 1))),
        );
    }
    let goal = format::fixed(now * reads, 2);
    let registers = m.kernel.value(Counter::LaunchRegistersPerThread);
    let risk = registers.map(|now| words!("{} registers now; occupancy falls with more", count(now)));
    Some(
        draft
            .at(At::most(m, |op| op.is_in(Space::Shared) && op.act() == Some(Act::Load)))
            .says(
                words!("Register tile: several outputs a thread ({})", tile),
                words!(
                    "{} wavefronts of shared memory per FMA; that tile reads {} of these words",
                    format::fixed(now, 2),
                    share(reads)
                ),
            )
            .risks(risk.unwrap_or_default())
            .checks(words!("wavefronts of shared memory per FMA {} → {}", format::fixed(now, 2), goal), SHARED),
    )
}

/// FFMA for each word that a thread reads, in a tile of 4 × 4 outputs (16 for 8 words) and of 8 × 8 (64 for 16).
const OF_FOUR: f64 = 2.0;
const OF_EIGHT: f64 = 4.0;
/// A tile is there where it reads no more than this part above what it needs.
const NEARLY: f64 = 0.75;

/// What a tile of twice as many outputs along one side reads of the words.
const LARGER: f64 = 0.75;

/// FFMA for each word that is read. Without instructions the wavefronts stand for the words.
fn fma_of_word(m: &Measures<'_, '_>, fma: f64, wavefronts: f64) -> f64 {
    let is_load = |op: Op| op.is_in(Space::Shared) && op.act() == Some(Act::Load) && op.is_by_lane();
    let words = m.study.map(|study| {
        let rows = (0..study.code.rows.len()).filter(|row| is_load(study.code.op(*row)));
        let of = |row: usize| {
            let word = study.code.rows[row].word.unwrap_or_default();
            study.code.executed[row] as f64 * word.registers.writes.iter().map(|own| f64::from(own.count)).sum::<f64>()
        };
        rows.map(of).sum::<f64>() / fma
    });
    1.0 / words.filter(|words| *words > 0.0).unwrap_or(wavefronts)
}

/// The next larger tile, with what of the words it reads that are read now; `None` where it is there already.
fn next_tile(each: f64) -> Option<(&'static str, f64)> {
    match each {
        each if each < NEARLY * OF_FOUR => Some(("4 × 4: 8 words for 16 FFMA", each / OF_FOUR)),
        each if each < NEARLY * OF_EIGHT => Some(("8 × 8: 16 words for 64 FFMA", each / OF_EIGHT)),
        _ => None,
    }
}

/// The part of the work of L1's data stage, or of L2, that conflicts and sectors beside the bytes make.
fn wasted(m: &Measures<'_, '_>, is_inside: bool) -> f64 {
    let sectors = sectors(m).zip(excess(m)).map_or(0.0, |(all, excess)| (excess / all).min(1.0));
    let stage = DataStage::of(m.kernel).filter(|stage| is_inside && stage.whole > 0.0);
    let Some(stage) = stage else { return if is_inside { 0.0 } else { sectors } };
    let conflicts = wavefronts(m).map_or(0.0, |found| 100.0 * found.excess);
    ((conflicts + sectors * stage.other()) / stage.whole).min(1.0)
}

/// The need from which a cache or the LSU is asked for less.
const ASKED: f64 = 0.3;

/// The part of the largest need from which a part is worth relieving of what is no waste.
const LEADING: f64 = 0.8;

/// What is expected to stay of the accesses where values are used again.
const REUSED: f64 = 0.4;

/// Whether most sectors of loads are at places that loaded values choose.
fn is_mostly_gathered(m: &Measures<'_, '_>) -> bool {
    let all = m.kernel_of.phases.map(|phases| phases.accesses.as_slice()).unwrap_or_default();
    let sectors = |is_meant: &dyn Fn(&SectorAccess) -> bool| -> u64 {
        all.iter().filter(|access| is_meant(access)).map(|access| access.sectors).sum()
    };
    2 * sectors(&|access| access.is_inherent && access.at.op().reads_global()) > sectors(&|_| true)
}

/// A cache or the LSU serves accesses without waste: reuse.
fn reuse(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let inside = [Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryShared];
    // Operands of products are read by no access that could be wider.
    let is_inside = ask.need_of(&inside) >= ask.need(Part::MemoryL2) && shapes::operands(ask).is_none();
    let unit = if is_inside { m.busiest_of(&inside)? } else { m.unit(Part::MemoryL2)? };
    // What L2 gets from DRAM once is read by nobody twice.
    let is_stream = !is_inside && level::is_of_dram(m) != Some(false);
    // What loaded values choose is used again only where they say so.
    let is_by_data = !is_inside && is_mostly_gathered(m);
    let largest = m.units.iter().map(|unit| ask.need(unit.part)).fold(0.0, f64::max);
    // A tile in registers is how words of shared memory are used again.
    let is_tile = is_inside && register_tile(ask).is_some_and(|tile| tile.refused().is_none());
    if ask.need(unit.part) < (LEADING * largest).max(ASKED) || is_stream || is_by_data || is_tile {
        return None;
    }
    let is_shuffled = is_inside && shuffles(m).is_some();
    let how = match is_inside {
        false => "Reuse data inside the SM: shared memory, registers, clusters",
        true if is_shuffled => "Fewer shuffles: combine the values of a thread first, `redux.sync` for integers",
        true => "Fewer and wider accesses: reuse values in registers, 16 bytes a lane",
    };
    let waits = match is_inside {
        true => [StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::LgThrottle],
        false => [StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::TexThrottle],
    };
    // What each access wastes it wastes still; the rest is asked for less often.
    let kept = REUSED + (1.0 - REUSED) * wasted(m, is_inside);
    let draft = Draft::of(Action::ReuseInSm, Change::default()).rewrites().frees_of(ask, &waits, 1.0 - kept);
    let draft = match is_inside {
        false => draft.keeps(Part::MemoryL2, kept, 0.0),
        true => draft.keeps_all(&inside, kept, 0.0),
    };
    // At the same rate its work falls with the time.
    let goal = unit.share * kept;
    Some(
        draft
            .at(At::most(m, |op| match unit.part {
                _ if is_shuffled => op.is_shuffle(),
                Part::MemoryShared => op.is_in(Space::Shared),
                _ => op.reads_global(),
            }))
            .says(how.into(), words!("{} at {}", &unit.name, share(unit.share)))
            .risks("registers, shared memory".into())
            .checks(
                words!("{} busy {} → {} of today's cycles", &unit.name, share(unit.share), share(goal)),
                unit.counter.clone(),
            ),
    )
}
