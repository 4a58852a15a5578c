//! Tiles of sums in the registers of a thread, whose rows and columns come from shared memory.

use super::work::executed_on;
use super::work::of_tile;
use super::*;
use crate::analysis::derive::coalescing::{WAVEFRONTS as SHARED, WAVEFRONTS_IDEAL as SHARED_IDEAL};
use std::collections::BTreeSet;

/// Operand wavefronts for each FMA from which L1 takes longer than the arithmetic.
const OPERANDS_PER_FMA: f64 = 0.25;

/// Products of one precision whose operands come from shared memory.
pub(super) struct Tile {
    /// Multiply-adds, executed by warps.
    fma: f64,
    /// Wavefronts for each.
    wavefronts: f64,
    /// Multiply-adds for each value that is read.
    each: f64,
    /// Registers of a value.
    registers: f64,
}

impl Tile {
    pub(super) fn of(m: &Measures<'_>) -> Option<Tile> {
        let of = |class: Class| m.count(|op| op.class() == Some(class));
        let (class, registers) =
            [(Class::Fp32, 1.0), (Class::Fp64, 2.0)].into_iter().max_by(|(a, _), (b, _)| of(*a).total_cmp(&of(*b)))?;
        let fma = of(class);
        let wavefronts = m.value(SHARED_IDEAL).filter(|loads| *loads > 0.0)?;
        // Sums without products share no operands between outputs as the rows and columns of a tile do.
        let is_product = 2.0 * products(m, |op| op.class() == Some(class)) >= fma;
        // Operands that are read once are shared with nobody: their loads do not turn, or bring each word that was stored there once.
        let stores_words = |op: Op| op.stores_shared() || op.copies_global() && !op.is_bulk();
        let is_once = m.study.is_some_and(|study| {
            !study.code.turns(Op::loads_shared) || words(study, stores_words) >= NEARLY * words(study, reads_words)
        });
        let is_tile = fma > 0.0 && is_product && !is_once && !m.has_tensor;
        let wavefronts = wavefronts / fma;
        // Without instructions the wavefronts stand for the words that are read.
        let words = m.study.map(|study| words(study, reads_words) / fma).filter(|words| *words > 0.0);
        let each = registers / words.unwrap_or(wavefronts);
        is_tile.then_some(Tile { fma, wavefronts, each, registers })
    }

    /// The next larger one, with what of the values it reads that are read now, and its sums; `None` where it is there already.
    pub(super) fn next(&self) -> Option<(&'static str, f64, f64)> {
        match self.each {
            each if each < NEARLY * OF_FOUR => Some(("4 × 4: 8 values for 16 FMA", each / OF_FOUR, 16.0)),
            each if each < NEARLY * OF_EIGHT => Some(("8 × 8: 16 values for 64 FMA", each / OF_EIGHT, LARGE)),
            _ => None,
        }
    }
}

/// Sums of the largest tile that is advised.
pub(super) const LARGE: f64 = 64.0;

/// Registers of a thread for a tile of so many sums, and for the row and the column that it reads at a time.
pub(super) fn of_sums(sums: f64) -> f64 {
    sums + 2.0 * sums.sqrt()
}

/// Sums of products of values from memory that a thread has at a time, as counted or as the code stands: registers that a product adds to
/// and none before it left. Compilers let a sum wander from register to register, so that those that products leave are more.
pub(super) fn sums(m: &Measures<'_>) -> f64 {
    let Some(code) = m.code() else { return 0.0 };
    let mut left: BTreeSet<u8> = BTreeSet::new();
    let mut sums = 0.0;
    for Product { row, addend, .. } in products_of(code, multiplies) {
        sums += f64::from(!left.contains(&addend.number));
        left.extend(code.registers(row).written().map(|own| own.number));
    }
    sums
}

/// Several outputs a thread, so that each operand that is loaded feeds more arithmetic. Only the arithmetic stays.
pub(super) fn register_tile(m: &Measures<'_>) -> Option<Draft> {
    let own = Tile::of(m).filter(|own| own.wavefronts >= OPERANDS_PER_FMA * own.registers)?;
    let (tile, reads, sums) = own.next().unwrap_or(("", LARGER, 0.0));
    let executed = m.executed()?;
    let issue = (own.fma / executed).min(1.0);
    let of_doubles = own.registers > 1.0;
    let arithmetic = executed_on(m, Part::ComputeFma).map_or(1.0, |all| (own.fma / all).min(1.0));
    let waits =
        [StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::Barrier, StallReason::LongScoreboard];
    let draft = of_tile(m, Draft::new(Action::RegisterTile).rewrites());
    let draft = match of_doubles {
        true => draft.stays(&[Part::ComputeFp64], 1.0),
        false => draft.keeps(&[Part::ComputeFma], arithmetic + (1.0 - arithmetic) * reads, arithmetic),
    };
    let draft = draft.keeps(&[Part::Issue], issue + (1.0 - issue) * reads, issue).keeps(&L1, reads, 0.0).frees_of(
        m,
        &waits,
        1.0 - reads,
    );
    if own.next().is_none() {
        let feeds = fixed(own.each, 1);
        return Some(draft.not_here(words!("each value read feeds {} FMA, the tile is that large", feeds)));
    }
    let registers = m.value(Counter::LaunchRegistersPerThread);
    // The warps that an SM has registers for then, where these are fewer than it has room for now, are a cost to be told and no longer wait:
    // each warp has more products that hang on none of the others (`raster`, to 8 × 8 sums, gained 44 %).
    let fewer = || {
        let chip = m.study.and(m.chip())?;
        let then = registers? + (own.registers * (of_sums(sums) - of_sums(self::sums(m)))).max(0.0);
        // Whole blocks, and registers eight a thread at a time; where no block of this size fits, smaller ones.
        let each = WARP * (then / 8.0).ceil() * 8.0;
        let held = |warps: f64| (f64::from(chip.registers_per_sm) / (each * warps)).floor() * warps;
        let warps = m.block_warps.map(held).filter(|warps| *warps > 0.0).unwrap_or_else(|| held(1.0));
        let is_fewer = warps < m.theoretical? * f64::from(chip.max_warps_per_sm);
        is_fewer.then(|| words!("about {} registers a thread: an SM then holds {} warps", count(then), count(warps)))
    };
    let today = || Some(words!("{} registers now; occupancy falls with more", count(registers?)));
    let risk = fewer().or_else(today).unwrap_or_default();
    let (goal, now) = (fixed(own.wavefronts * reads, 2), fixed(own.wavefronts, 2));
    let why = words!("{} wavefronts of shared memory per FMA; that tile reads {} of these values", &now, share(reads));
    let draft = draft.at(At::most(m, Op::loads_shared)).risks(risk);
    let draft = draft.says(words!("Register tile: several outputs a thread ({})", tile), why);
    Some(draft.checks(words!("wavefronts of shared memory per FMA {} → {}", now, goal), SHARED))
}

/// FMA for each value that a thread reads, in a tile of 4 × 4 outputs (16 for 8 values) and of 8 × 8 (64 for 16).
const OF_FOUR: f64 = 2.0;
const OF_EIGHT: f64 = 4.0;
/// A tile is there where it reads no more than this part above what it needs.
const NEARLY: f64 = 0.75;

/// What a tile of twice as many outputs along one side reads of the words.
pub(super) const LARGER: f64 = 0.75;

/// Words that the lanes of some rows read or store, for a warp; a row that no lane runs moves none.
fn words(study: &Study<'_>, is_meant: impl Fn(Op) -> bool) -> f64 {
    let code = &study.code;
    let runs = |row: usize| code.lanes.as_ref().is_none_or(|lanes| lanes[row] > 0);
    let loaded = |row: usize| code.registers(row).written().map(|own| f64::from(own.count)).sum::<f64>();
    let width = |row: usize| study.width(row).map_or(1.0, |bits| bits as f64 / 32.0);
    let of = |row: usize| code.executed[row] as f64 * loaded(row).max(width(row));
    (0..code.rows.len()).filter(|row| is_meant(code.op(*row)) && runs(*row)).map(of).sum()
}

/// Whether it reads words of shared memory for lanes.
fn reads_words(op: Op) -> bool {
    op.loads_shared() && op.is_by_lane()
}
