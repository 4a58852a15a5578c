//! Values that one index picks from several arrays.

use super::kept::pointers;
use super::*;
use crate::analysis::phases::Place;
use std::collections::BTreeMap;

/// Arrays from which one index picks a value each, for lanes that each have a sector to themselves: side by side they are in one sector, or
/// in as few as hold them, and one load of up to 16 bytes brings them.
pub(super) fn side_by_side(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, ideal]) = (&study.code, study.sectors()?);
    // Loads of one turn that one value, whatever was made of it, tells where; those of one array lie side by side, or take another value.
    let places = code.places();
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let lanes = code.lanes.as_ref()?;
    let is_scattered = |row: &usize| sectors[*row] > ideal[*row] && 2 * sectors[*row] >= lanes[*row];
    for row in (0..code.rows.len()).filter(|row| code.op(*row).loads_global() && is_scattered(row)) {
        let Some((place, bits)) = places.get(&row).zip(study.width(row)) else { continue };
        let (index, cycle) = (place.index(), code.innermost(row).map(|own| own.header));
        let own: &mut Vec<usize> = groups.entry((index, cycle, bits)).or_default();
        if own.iter().all(|other| !places[other].is_beside(place)) {
            own.push(row);
        }
    }
    let are_arrays = |rows: &Vec<usize>| {
        let others: Vec<&Place> = rows[1..].iter().map(|row| &places[row]).collect();
        let mut of_row = rows.iter().map(|row| pointers(study, *row));
        let first = of_row.next();
        rows.len() > 1
            && (of_row.all(|own| Some(own) != first) || rows.len() > 2 && places[&rows[0]].is_row_with(&others))
    };
    let sum = |rows: &[usize], of: &[u64]| rows.iter().map(|row| of[*row] as f64).sum::<f64>();
    // What is left of the sectors and of the loads of each group.
    let left = |(bits, rows): (u64, &Vec<usize>)| {
        let (arrays, bytes) = (rows.len() as f64, bits as f64 / 8.0);
        [SECTOR, WIDEST_BYTES].map(|piece| ((arrays * bytes / piece).ceil() / arrays).min(1.0))
    };
    let groups = groups.into_iter().filter(|((index, ..), rows)| !index.is_empty() && are_arrays(rows));
    let groups: Vec<(Vec<usize>, [f64; 2])> =
        groups.map(|((.., bits), rows)| (left((bits, &rows)), rows)).map(|(left, rows)| (rows, left)).collect();
    let (most, _) = groups.iter().max_by(|(a, _), (b, _)| sum(a, &sectors).total_cmp(&sum(b, &sectors)))?;
    let gone = |of: &[u64], which: usize| -> f64 {
        groups.iter().map(|(rows, left)| sum(rows, of) * (1.0 - left[which])).sum()
    };
    let all = sectors.iter().sum::<u64>() as f64;
    let of_sectors = gone(&sectors, 0) / all;
    let loads: Vec<usize> = groups.iter().flat_map(|(rows, _)| rows).copied().collect();
    let fewer = gone(&code.executed, 1);
    let of_requests = fewer / m.requests()?;
    // They are under way together: what is waited for is the queue that they make, of as many sectors a shorter one.
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let most_waits = traced(study, &loads)? * m.waits(&waits);
    let gone_of_own = gone(&sectors, 0) / sum(&loads, &sectors);
    let draft = Draft::new(Action::Coalesce)
        .stays(&[Part::MemoryL2, Part::MemoryDram, Part::MemoryL1tex], 1.0 - of_sectors)
        .stays(&[Part::MemoryLsu], 1.0 - of_requests)
        .stays(&[Part::Issue], 1.0 - fewer / m.executed()?)
        .frees(gone_of_own * most_waits, most_waits)
        .at(At::row(study, most[0]));
    let how = words!(
        "Put side by side what one index picks: an array of records of {} bytes in place of {} arrays, 16 bytes a load",
        (most.len() as u64 * study.width(most[0]).unwrap_or(32) / 8).to_string(),
        most.len().to_string()
    );
    let why = words!(
        "one index picks from {} arrays, {} sectors for a warp: {} of all sectors would go",
        most.len().to_string(),
        fixed(sum(most, &sectors) / sum(&most[..1], &code.executed), 1),
        share(of_sectors)
    );
    let draft = draft.says(how, why).risks("layout of the data: passes that read one of them alone read all");
    Some(draft.fewer_sectors(all, of_sectors, TOUCHED))
}
