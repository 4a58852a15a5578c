//! Inputs that several loops read, each as a pass of its own.

use super::sectors::{fewer_sectors, sectors};
use super::*;
use crate::analysis::phases::{Loop, Place};

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[passes])];

/// The part of the sectors of one loop that another one brings at least where it reads the same: the last turns may be apart.
const ALIKE: f64 = 0.9;

/// The part of the sectors beside the bytes from which lanes apart are what to mend first.
const APART: f64 = 0.5;

/// Loads of one loop, or of code without one, that begin side by side: an input while it is read.
struct Pass<'a> {
    place: &'a Place,
    cycle: Option<usize>,
    /// The first of its loads.
    row: usize,
    sectors: u64,
}

impl Pass<'_> {
    fn is_alike(&self, other: &Pass<'_>) -> bool {
        let [less, more] = [self.sectors.min(other.sectors), self.sectors.max(other.sectors)];
        self.place.is_at(other.place) && less as f64 >= ALIKE * more as f64
    }
}

/// All passes over inputs whose places are no loaded values.
fn all<'a>(study: &'a Study<'_>) -> Option<Vec<Pass<'a>>> {
    let (code, flows, [sectors, _]) = (&study.code, &study.flows, study.sectors()?);
    let mut found: Vec<Pass<'a>> = Vec::new();
    for (row, place) in flows.places(code) {
        // What was split from one access touches what the first of it does.
        let is_part = flows.split_of(*row).is_some_and(|first| first != *row);
        if !code.op(*row).loads_global() || sectors[*row] == 0 || is_part || flows.is_inherent(code, *row) {
            continue;
        }
        let cycle = code.innermost(*row).map(|cycle| cycle.header);
        match found.iter_mut().find(|pass| pass.cycle == cycle && pass.place.is_beside(place)) {
            Some(pass) => pass.sectors += sectors[*row],
            None => found.push(Pass { place, cycle, row: *row, sectors: sectors[*row] }),
        }
    }
    Some(found)
}

/// Two passes or more, one of them a loop, that read one input from one place, and as much of it: those that read most.
fn repeated<'p, 'a>(all: &'p [Pass<'a>]) -> Option<Vec<&'p Pass<'a>>> {
    let group = |first: &Pass<'a>| all.iter().filter(|pass| pass.is_alike(first)).collect::<Vec<_>>();
    let is_again = |own: &Vec<&Pass<'_>>| own.len() > 1 && own.iter().any(|pass| pass.cycle.is_some());
    all.iter().map(group).filter(is_again).max_by_key(|own| own.iter().map(|pass| pass.sectors).sum::<u64>())
}

/// Bytes of an input that a block goes through, or its warps at a time, before it is read again; `None` where that is not known.
fn piece(m: &Measures<'_>, pass: &Pass<'_>) -> Option<f64> {
    let code = &m.study?.code;
    let entered = code.entered(code.innermost(pass.row)?)?;
    Some(SECTOR * pass.sectors as f64 * m.block_warps? / entered as f64)
}

/// Whether a pass stores no results, but adds something up.
fn adds_up(study: &Study<'_>, pass: &Pass<'_>) -> bool {
    let code = &study.code;
    let stores =
        |cycle: &Loop| code.rows_of(&cycle.blocks).any(|row| code.op(row).stores_global() && code.executed[row] > 0);
    code.innermost(pass.row).is_some_and(|cycle| !stores(cycle))
}

/// Each input read once, or what fits on no SM by one pass less for each that only adds up beside another one. What the later passes miss in L2 they read from device memory again: what is read there beyond all that differs.
/// What no number of a block is behind is the same for all blocks.
fn passes(m: &Measures<'_>) -> Option<Draft> {
    let (study, touched) = (m.study?, sectors_of(&m.sampled()?.accesses));
    let (read, blocks) = (m.value(DRAM_BYTES[0])?, m.blocks?);
    let all = all(study)?;
    let group = repeated(&all).filter(|_| sectors(m).is_none_or(|(all, excess)| excess < APART * all))?;
    let again: f64 = group[1..].iter().map(|pass| pass.sectors as f64).sum();
    let gone = again / touched.max(1.0);
    let differ = |pass: &Pass<'_>| if study.flows.is_of_block(&study.code, pass.row) { 1.0 } else { 1.0 / blocks };
    let gathered = m.accesses().iter().filter(|access| access.is_inherent && access.at.op().reads_global());
    let once = all.iter().map(|pass| pass.sectors as f64 * differ(pass)).sum::<f64>() - again + sectors_of(gathered);
    let of_dram = (read - SECTOR * once).clamp(0.0, SECTOR * again) / m.sum(DRAM_BYTES)?;
    let parts = [Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryL2];
    let held = f64::from(m.chip()?.shared_per_block_max);
    let large = piece(m, group[0]).filter(|bytes| *bytes > held);
    let adding = group.iter().filter(|pass| adds_up(study, pass)).count();
    let merged = large.filter(|_| adding > 1).map(|_| adding - 1);
    let less = merged.unwrap_or(group.len() - 1) as f64;
    let part = less / (group.len() - 1) as f64;
    let draft = Draft::new(Action::FewerPasses).rewrites().keeps(&parts, 1.0 - part * gone, 0.0);
    let draft = draft.keeps(&[Part::MemoryDram], 1.0 - part * of_dram, 1.0 - of_dram);
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let draft = draft.frees_of(m, &waits, less / group.len() as f64);
    let lines = words::join(group.iter().map(|pass| words!("`:{}`", point(study, pass.row).line.to_string())), ", ");
    let why = words!(
        "{} loops load the same {} sectors; {} of all sectors are loaded again",
        group.len().to_string(),
        count(group[0].sectors as f64),
        share(gone)
    );
    let bytes = |bytes: f64| format!("{}B a block", glance::short(bytes));
    let how = match (merged, large.map(bytes)) {
        (Some(_), Some(large)) => words!(
            "Merge the passes that only add up (a sum and that of squares; a maximum and a sum rescaled as it rises): {} fit in no SM, only a cluster keeps them ({})",
            large,
            lines
        ),
        (_, Some(large)) => {
            words!("Read the input once: a cluster keeps it between the passes, as {} fit in no SM ({})", large, lines)
        }
        _ => words!("Read the input once: keep it in registers or shared memory between the passes ({})", lines),
    };
    let draft = draft.at(At::point(&point(study, group[0].row))).says(how, why);
    Some(draft.checks(fewer_sectors(touched, part * gone), Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum))
}
