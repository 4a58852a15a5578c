//! Loads whose address another load brings: their own value one turn back (a chain), or an index that names a row.

use super::detail::{Chain, Indirection};
use super::{code::reached, point::point, study::Study};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

impl Study<'_> {
    /// The chain of dependent loads that warps wait for the most; `None` where no load's address is its own value.
    pub(in crate::analysis) fn chain(&self) -> Option<&Chain> {
        self.chain.get_or_init(|| chain(self)).as_ref()
    }

    /// The loads through an index, and those that warps wait for the most among them; `None` without any, and without sectors.
    pub fn indirection(&self) -> Option<&Indirection> {
        self.indirection.get_or_init(|| indirection(self)).as_ref()
    }
}

fn chain(study: &Study<'_>) -> Option<Chain> {
    let code = &study.code;
    let waits = study.samples.at_causes("long_scoreboard");
    let is_awaited = |row: &usize| waits[*row] > 0 && code.op(*row).loads_global();
    let circular: Vec<usize> = code.run().filter(is_awaited).filter(|row| is_circular(study, *row)).collect();
    let load = circular.iter().copied().max_by_key(|row| waits[*row])?;
    let all: u64 = circular.iter().map(|row| waits[*row]).sum();
    let is_search = !code.is_next_of_itself(load);
    Some(Chain { row: load, is_search, load: point(study, load), share: all as f64 / study.samples.sum as f64 })
}

/// Whether the address of a load depends on its own value, by itself or through other loads.
fn is_circular(study: &Study<'_>, load: usize) -> bool {
    reached([load], |row| study.code.loads_behind(row).iter().copied()).contains(&load)
}

fn indirection(study: &Study<'_>) -> Option<Indirection> {
    let (code, waits) = (&study.code, study.samples.at_causes("long_scoreboard"));
    let [sectors, ideal] = study.sectors()?;
    let has_excess = |row: usize| sectors[row] > ideal[row];
    let loads = code.run().filter(|row| code.op(*row).loads_global());
    let through: BTreeMap<usize, BTreeSet<usize>> = loads
        .map(|row| (row, indices(study, row, has_excess(row))))
        .filter(|(row, indices)| !indices.is_empty() && !is_circular(study, *row))
        .collect();
    if through.is_empty() {
        return None;
    }
    let count = |row: &usize| waits[*row];
    let most = |row: &&usize| (count(row), Reverse(**row));
    let lead = *through.keys().max_by_key(most)?;
    let index = *through[&lead].iter().max_by_key(most)?;
    let share =
        |rows: &mut dyn Iterator<Item = &usize>| rows.map(count).sum::<u64>() as f64 / study.samples.sum.max(1) as f64;
    let all: BTreeSet<usize> = through.values().flatten().copied().collect();
    let line = |row: usize| study.view.instructions[row].line();
    // What no lane runs asks for nothing.
    let is_on = |row: &usize| code.lanes.as_ref().is_none_or(|lanes| lanes[*row] > 0);
    let beside = || through.keys().copied().filter(|row| line(*row) == line(lead)).filter(is_on);
    Some(Indirection {
        index: point(study, index),
        for_loads: share(&mut through.keys()),
        for_indices: share(&mut all.iter().filter(|row| !through.contains_key(row))),
        requests: beside().map(|row| code.executed[row]).sum(),
        sectors: beside().map(|row| sectors[row]).sum(),
        ideal: beside().map(|row| ideal[row]).sum(),
        width_bits: study.width(lead),
        load: point(study, lead),
    })
}

/// The loads that bring the index of a load: one for each lane that is loaded again for each access, or one for a whole row that is
/// read without excess and is looked up by the number of a block or a thread, or by another value. Everything else is arithmetic on
/// a base or a distance that happens to come from memory.
fn indices(study: &Study<'_>, row: usize, has_excess: bool) -> BTreeSet<usize> {
    let code = &study.code;
    let is_own = code.is_inherent(row);
    let is_looked_up = |index: &usize| {
        let is_special = |row: &usize| code.registers(*row).special.is_some();
        code.address_behind(*index).iter().any(is_special) || !code.loads_behind(*index).is_empty()
    };
    let brings = |index: &usize| {
        code.executed[*index] > 0
            && code.op(*index).loads_global()
            && (is_own && code.differs_by_lane(*index, false) || !has_excess && is_looked_up(index))
    };
    code.loads_behind(row).iter().copied().filter(brings).collect()
}
