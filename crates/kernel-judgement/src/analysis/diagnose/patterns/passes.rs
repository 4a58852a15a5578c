//! Inputs that several loops read, or the turns of a loop around one, each as a pass of its own.

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
    sectors: f64,
    /// Turns of a loop around it that each read the same.
    turns: f64,
}

impl Pass<'_> {
    fn is_alike(&self, other: &Pass<'_>) -> bool {
        let [less, more] = [self.sectors.min(other.sectors), self.sectors.max(other.sectors)];
        self.place.is_at(other.place) && less >= ALIKE * more
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
        let turns = flows.turns_over(code, *row);
        let sectors = sectors[*row] as f64 / turns;
        match found.iter_mut().find(|pass| pass.cycle == cycle && pass.place.is_beside(place)) {
            Some(pass) => pass.sectors += sectors,
            None => found.push(Pass { place, cycle, row: *row, sectors, turns }),
        }
    }
    Some(found)
}

/// Two passes or more, one of them a loop, that read one input from one place, and as much of it: those that read most.
fn repeated<'p, 'a>(all: &'p [Pass<'a>]) -> Option<Vec<&'p Pass<'a>>> {
    let group = |first: &Pass<'a>| all.iter().filter(|pass| pass.is_alike(first)).collect::<Vec<_>>();
    let is_again = |own: &Vec<&Pass<'_>>| times(own) >= 2.0 && own.iter().any(|pass| pass.cycle.is_some());
    all.iter().map(group).filter(is_again).max_by(|a, b| sum(a).total_cmp(&sum(b)))
}

/// How often an input is read.
fn times(group: &[&Pass<'_>]) -> f64 {
    group.iter().map(|pass| pass.turns).sum()
}

/// The sectors of all that.
fn sum(group: &[&Pass<'_>]) -> f64 {
    group.iter().map(|pass| pass.turns * pass.sectors).sum()
}

/// Bytes of an input that a block goes through, or its warps at a time, before it is read again; `None` where that is not known.
fn piece(m: &Measures<'_>, pass: &Pass<'_>) -> Option<f64> {
    let code = &m.study?.code;
    let entered = code.entered(code.innermost(pass.row)?)?;
    Some(SECTOR * pass.turns * pass.sectors * m.block_warps? / entered as f64)
}

/// Whether a pass stores no results, but adds something up.
fn adds_up(study: &Study<'_>, pass: &Pass<'_>) -> bool {
    let code = &study.code;
    let stores =
        |cycle: &Loop| code.rows_of(&cycle.blocks).any(|row| code.op(row).stores_global() && code.executed[row] > 0);
    code.innermost(pass.row).is_some_and(|cycle| !stores(cycle))
}

/// Each input read once, or what fits on no SM by one pass less for each that only adds up beside another one, and by half of the passes
/// where turns of a loop around read the same. What the later passes miss in L2 they read from device memory again: what is read there
/// beyond all that differs. What no number of a block is behind is the same for all blocks.
fn passes(m: &Measures<'_>) -> Option<Draft> {
    let (study, touched) = (m.study?, sectors_of(&m.sampled()?.accesses));
    let (read, blocks) = (m.value(DRAM_BYTES[0])?, m.blocks?);
    let all = all(study)?;
    let group = repeated(&all).filter(|_| sectors(m).is_none_or(|(all, excess)| excess < APART * all))?;
    let (times, again) = (times(&group), sum(&group) - group[0].sectors);
    let gone = again / touched.max(1.0);
    let differ = |pass: &Pass<'_>| if study.flows.is_of_block(&study.code, pass.row) { 1.0 } else { 1.0 / blocks };
    let gathered = m.accesses().iter().filter(|access| access.is_inherent && access.at.op().reads_global());
    let once =
        all.iter().map(|pass| pass.turns * pass.sectors * differ(pass)).sum::<f64>() - again + sectors_of(gathered);
    let of_dram = (read - SECTOR * once).clamp(0.0, SECTOR * again) / m.sum(DRAM_BYTES)?;
    let parts = [Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryL2];
    let held = f64::from(m.chip()?.shared_per_block_max);
    let large = piece(m, group[0]).filter(|bytes| *bytes > held);
    let around = group.iter().find(|pass| pass.turns >= 2.0);
    let adding = group.iter().filter(|pass| adds_up(study, pass)).count();
    let less = match (around, large) {
        // What fits is kept; rows on that name the part of the chip that reads it again.
        (Some(_), None) => return None,
        (Some(_), Some(_)) => times / 2.0,
        (None, Some(_)) if adding > 1 => adding as f64 - 1.0,
        (None, _) => times - 1.0,
    };
    let part = less / (times - 1.0);
    let draft = Draft::new(Action::FewerPasses).rewrites().keeps(&parts, 1.0 - part * gone, 0.0);
    let draft = draft.keeps(&[Part::MemoryDram], 1.0 - part * of_dram, 1.0 - of_dram);
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let draft = draft.frees_of(m, &waits, less / times);
    let lines = words::join(group.iter().map(|pass| words!("`:{}`", point(study, pass.row).line.to_string())), ", ");
    let why = words!(
        "{} passes load the same {} sectors; {} of all sectors are loaded again",
        times.round().to_string(),
        count(group[0].sectors),
        share(gone)
    );
    let bytes = |bytes: f64| format!("{}B a block", glance::short(bytes));
    let how = match (large.map(bytes), around) {
        (Some(large), Some(_)) => words!(
            "Fewer passes: one for several turns of the loop around it, as a search over several candidates at a time; {} fit in no SM, only a cluster keeps them ({})",
            large,
            lines
        ),
        (Some(large), None) if adding > 1 => words!(
            "Merge the passes that only add up (a sum and that of squares; a maximum and a sum rescaled as it rises): {} fit in no SM, only a cluster keeps them ({})",
            large,
            lines
        ),
        (Some(large), None) => {
            words!("Read the input once: a cluster keeps it between the passes, as {} fit in no SM ({})", large, lines)
        }
        (None, _) => {
            words!("Read the input once: keep it in registers or shared memory between the passes ({})", lines)
        }
    };
    let draft = draft.at(At::point(&point(study, group[0].row))).says(how, why);
    Some(draft.checks(fewer_sectors(touched, part * gone), Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum))
}
