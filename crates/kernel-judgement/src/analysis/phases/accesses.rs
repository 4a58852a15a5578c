//! Global accesses by line: sectors, what the same bytes need, and whether the order is the data's.

use super::code::Code;
use super::detail::{Point, SectorAccess, is_shifted};
use super::guards::{MOST_LANES, lanes_on};
use super::{lanes::Lanes, point::point, study::Study};
use crate::evidence::SourceLine;
use crate::quantity::SECTOR_BYTES;
use std::collections::{BTreeMap, BTreeSet};

/// What accesses have in common that are told together: line and call, opcode, whether the order is the data's, the width where it
/// is known, and tenths of a sector for a request, touched and needed.
type Key<'c> = ([Option<&'c SourceLine>; 2], &'c str, bool, Option<u64>, [u64; 2]);

/// The accesses of each line and opcode with at least a hundredth of the sectors, the largest excess first.
pub(super) fn accesses(study: &Study<'_>) -> Vec<SectorAccess> {
    let Some([sectors, ideal]) = study.sectors() else { return Vec::new() };
    let executed = &study.code.executed;
    let all: u64 = sectors.iter().sum();
    let mut by: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for row in (0..executed.len()).filter(|row| sectors[*row] > 0) {
        let lines = study.view.instructions[row].lines();
        let tenths = [&sectors, &ideal].map(|counts| (10 * counts[row]).checked_div(executed[row]).unwrap_or_default());
        let is_inherent = study.code.is_inherent(row);
        let at = [lines.first(), lines.get(1)];
        let key = (at, study.code.op(row).name(), is_inherent, study.width(row), tenths);
        by.entry(key).or_default().push(row);
    }
    let mut lanes = Lanes::new(&study.code, study.block.unwrap_or_default());
    let excess = |row: &usize| sectors[*row].saturating_sub(ideal[*row]);
    // Of bytes that fill one sector the counters do not tell whether they begin between two, or lie apart in two.
    let is_off = |row: &usize| {
        let mut is_row =
            || study.width(*row).or_else(|| study.narrow(*row)).is_some_and(|bits| lanes.is_row(*row, bits));
        is_shifted(executed[*row], sectors[*row], ideal[*row]) || excess(row) <= executed[*row] && is_row()
    };
    let shifted: BTreeSet<usize> =
        by.values().flatten().copied().filter(|row| excess(row) > 0).filter(is_off).collect();
    let through = study.indirection();
    let vectors = study.as_vectors();
    let mut found: Vec<SectorAccess> = by
        .into_iter()
        .filter_map(|((.., is_inherent, width, _), rows)| {
            let merged = merged(study, &rows, &shifted, [&sectors, &ideal]);
            let sum = |of: fn(&Merged) -> u64| merged.iter().map(of).sum::<u64>();
            let (own, least) = (sum(|one| one.sectors), sum(|one| one.ideal));
            let first = *rows.iter().max_by_key(|row| (sectors[**row], std::cmp::Reverse(**row)))?;
            let at = point(study, first);
            let is_same = |other: &Point| (&other.file, other.line) == (&at.file, at.line);
            let through = through.filter(|found| is_inherent && is_same(&found.load) && !is_same(&found.index));
            let access = SectorAccess {
                index: through.map(|found| found.index.clone()),
                at,
                width_bits: width,
                requests: sum(|one| one.requests),
                sectors: own,
                ideal: least.min(own),
                again: rows.iter().map(excess).sum::<u64>() - (own - least.min(own)),
                apart: [executed, &sectors].map(|of| rows.iter().map(|row| of[*row]).sum()),
                is_shifted: own > least && rows.iter().all(|row| excess(row) == 0 || shifted.contains(row)),
                is_gappy: is_gappy(study, &rows, &sectors),
                is_inherent,
                is_walk: !is_inherent && study.code.walked(first).is_some(),
                recurs: study.code.recurs(first),
                stays: {
                    let stays = |row: &usize| vectors.get(row).unwrap_or(&1.0) * sectors[*row] as f64;
                    rows.iter().map(stays).sum::<f64>() / rows.iter().map(|row| sectors[*row]).sum::<u64>() as f64
                },
                step: None,
            };
            (100 * own >= all).then(|| {
                let step = if access.excess() > 0 { lanes.step(first, &access) } else { None };
                let is_own = access.excess() == 0 || is_picked(&study.code, &rows, &sectors);
                SectorAccess { step, is_inherent: is_inherent && is_own, ..access }
            })
        })
        .collect();
    found.sort_by_key(|access| {
        (std::cmp::Reverse(access.excess()), std::cmp::Reverse(access.sectors), access.at.offset)
    });
    found
}

/// Whether most of what some accesses touch is at places that each lane loaded for itself: what is loaded once for all lanes orders none.
fn is_picked(code: &Code<'_>, rows: &[usize], sectors: &[u64]) -> bool {
    let by_lane = |row: &usize| code.loads_behind(*row).iter().any(|load| code.differs_by_lane(*load, false));
    let sum = |rows: &mut dyn Iterator<Item = &usize>| rows.map(|row| sectors[*row]).sum::<u64>();
    2 * sum(&mut rows.iter().filter(|row| by_lane(row))) > sum(&mut rows.iter())
}

/// Whether lanes of some accesses are off, and the others touch no more than all of them side by side: as many bytes as lanes have, and a
/// sector more where these begin between two. Lanes that a number keeps off another number brings together, as far as they lie apart.
fn is_gappy(study: &Study<'_>, rows: &[usize], sectors: &[u64]) -> bool {
    let sum = |of: &[u64]| rows.iter().map(|row| of[*row]).sum::<u64>();
    let on = |row: &usize| lanes_on(study, *row).map_or(study.code.executed[*row], |(_, most)| most);
    let width = study.width(rows[0]).or_else(|| study.narrow(rows[0]));
    study.code.lanes.as_ref().zip(width).is_some_and(|(lanes, bits)| {
        let of = [rows.iter().map(on).sum::<u64>(), sum(lanes), sum(sectors)];
        has_gaps(of, bits, rows.iter().all(|row| study.is_by_number(*row)))
    })
}

/// The same by their requests, lanes and sectors, and the bits of a lane. Bytes side by side begin at the last place of a sector at worst.
fn has_gaps([requests, lanes, sectors]: [u64; 3], bits: u64, is_by_number: bool) -> bool {
    let (requests, width, sector) = (requests.max(1), bits / 8, u64::from(SECTOR_BYTES));
    let most = |lanes: u64| ((lanes * width).div_ceil(requests) + sector - 1).saturating_sub(width) / sector + 1;
    let fits = |lanes: u64| sectors <= requests * most(lanes);
    lanes as f64 <= MOST_LANES * requests as f64 && fits(32 * requests) && (!is_by_number || fits(lanes))
}

/// One access: a load, a store, or loads that were split from one.
#[derive(Clone, Copy, Default)]
struct Merged {
    requests: u64,
    sectors: u64,
    ideal: u64,
}

/// Each access of some rows. Loads of one block with one address register, not written between them, whose offsets lie in the same
/// 32 bytes, are one access that was split: it touches what the largest of them touches and needs what they need together. Loads
/// that are contiguous by themselves are neighbours that read the same bytes again, each a request of its own.
fn merged(study: &Study<'_>, rows: &[usize], shifted: &BTreeSet<usize>, [sectors, ideal]: [&[u64]; 2]) -> Vec<Merged> {
    let mut by: BTreeMap<(usize, usize), Merged> = BTreeMap::new();
    for row in rows {
        let key = match study.code.split_of(*row).filter(|_| !shifted.contains(row)) {
            Some(first) => (first, 0),
            None => (*row, 1),
        };
        let one = by.entry(key).or_default();
        one.requests = one.requests.max(study.code.executed[*row]);
        one.sectors = one.sectors.max(sectors[*row]);
        one.ideal += ideal[*row];
    }
    by.into_values().collect()
}

/// Bytes that `LDGSTS` brings to shared memory: 32 lanes of the element's width an execution, and no more than the sectors that they need,
/// where these were counted: a lane that is on and reads nothing fills its place with zeros. `None` without any, or widths.
pub(super) fn copied_bytes(study: &Study<'_>) -> Option<u64> {
    let (code, sectors) = (&study.code, study.sectors());
    let rows = (0..code.rows.len()).filter(|row| code.op(*row).copies_global() && !code.op(*row).is_bulk());
    let needed = |row: usize| sectors.as_ref().map_or(u64::MAX, |[_, ideal]| 32 * ideal[row]);
    let bytes: Option<u64> =
        rows.map(|row| Some((code.executed[row] * 32 * study.width(row)? / 8).min(needed(row)))).sum();
    bytes.filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, special, word};
    use cuda_binary::Op;

    #[test]
    fn what_is_loaded_once_for_all_lanes_orders_none() {
        let picked = |from: u8| {
            let [step, place] = [word(Op::LDG, &[r(2)], &[r(from)]), word(Op::IMAD, &[r(4)], &[r(0), r(2)])];
            let block = special(1, 0x25);
            let rows = ended(&[special(0, 0x00), block, step, place, word(Op::LDG, &[r(5)], &[r(4)])]);
            is_picked(&Code::counted(&rows, vec![1; rows.len()], None), &[4], &[0, 0, 0, 0, 8])
        };
        assert!(picked(0), "a load of each lane");
        assert!(!picked(1), "one for all of them");
    }

    #[test]
    fn lanes_that_data_keeps_off_leave_gaps_and_every_second_one_is_packed_by_another_number() {
        // Ten requests of 16 lanes with 4 bytes each: 64 bytes of each 128, which lie in all four sectors.
        assert!(has_gaps([10, 160, 40], 32, false) && !has_gaps([10, 160, 40], 32, true));
        // 14 lanes side by side: 56 bytes, which may lie in three sectors.
        assert!(has_gaps([10, 140, 30], 32, true) && !has_gaps([10, 140, 31], 32, true));
        // No lane is off; or each touches a sector of its own.
        assert!(!has_gaps([10, 320, 40], 32, false) && !has_gaps([10, 160, 160], 32, false));
    }
}
