//! Rows that threads read each for themselves, a sector at a time: L2 looks its tags up for each.

use super::*;
use crate::analysis::diagnose::level::L2_SECTORS;
use crate::quantity::SECTOR_BYTES;
use std::collections::BTreeMap;

/// Lookups of L2's tags that the L1 caches ask for; each finds up to four sectors of a line.
const LOOKUPS: Counter = Counter::LtsTRequestsSrcunitTexSum;

/// Lookups for a sector from which they fill L2, and not the sectors: its slices look up one line a cycle and give two sectors.
const ALONE: f64 = 0.5;

/// Bytes of a row from which lanes side by side ask for more than a sector of it at once.
const SHORTEST: u64 = 2 * SECTOR_BYTES as u64;

/// Loads of one place that lie behind each other, for lanes that each have a sector to themselves.
struct Row {
    first: usize,
    /// From its first byte to its last.
    bytes: u64,
    /// Sectors that the bytes need, of all lanes.
    needed: f64,
}

impl Row {
    /// Sectors that a lookup finds where lanes read it side by side.
    fn at_once(&self) -> f64 {
        (self.bytes.min(LINE) as f64 / SECTOR).floor()
    }
}

/// Bytes of a line.
const LINE: u64 = 128;

/// The rows, and the sectors that all other loads touch at most.
fn rows(study: &Study<'_>) -> Option<(Vec<Row>, f64)> {
    let (code, [sectors, ideal]) = (&study.code, study.sectors()?);
    let lanes = code.lanes.as_ref()?;
    let places = code.places();
    let is_alone = |row: usize| sectors[row] > ideal[row] && 2 * sectors[row] >= lanes[row];
    let mut by: BTreeMap<_, Vec<(u32, usize)>> = BTreeMap::new();
    let mut others = 0.0;
    for row in code.run().filter(|row| code.op(*row).reads_global()) {
        let place = places.get(&row).and_then(|place| Some((place.all(), place.bytes()?)));
        match place.filter(|_| code.op(row).loads_global() && is_alone(row)) {
            Some((parts, bytes)) => by.entry(parts).or_default().push((bytes, row)),
            None => others += sectors[row] as f64,
        }
    }
    let mut found = Vec::new();
    for mut own in by.into_values() {
        own.sort_unstable();
        let (from, first) = own[0];
        let (last, end) = own[own.len() - 1];
        let bytes = u64::from(last - from) + study.width(end).unwrap_or(32) / 8;
        let sum = |of: &[u64]| own.iter().map(|(_, row)| of[*row] as f64).sum::<f64>();
        if bytes >= SHORTEST && SECTOR * own.len() as f64 >= bytes as f64 {
            found.push(Row { first, bytes, needed: sum(&ideal) });
        } else {
            others += sum(&sectors);
        }
    }
    Some((found, others))
}

/// Neighbouring lanes side by side over each row, in place of a thread: a lookup then finds a line of it. What the rows bring from L2 today
/// is what the other loads do not touch, some of it again, since L1 lost a sector before its next word was read.
pub(super) fn side_by_side(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (lookups, asked) = (m.value(LOOKUPS)?, m.value(L2_SECTORS)?);
    let each = Some(lookups / asked).filter(|each| *each >= ALONE)?;
    m.memory().filter(|unit| unit.part == Part::MemoryL2)?;
    let (found, others) = rows(study)?;
    let longest = found.iter().max_by(|a, b| a.needed.total_cmp(&b.needed))?;
    let sum = |of: fn(&Row) -> f64| found.iter().map(of).sum::<f64>();
    let (needed, packed) = (sum(|row| row.needed), sum(|row| row.needed / row.at_once()));
    let now = each * needed.max(work::sent(m)? / SECTOR - others);
    let gone = Some(((now - packed) / lookups).min(1.0)).filter(|gone| *gone >= WORTH_A_TRY)?;
    // With the lines that they hold in L1 today the others may find all there that they touch again.
    let least = (packed / lookups).min(1.0 - gone);
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let draft = Draft::new(Action::Coalesce).rewrites().keeps(&[Part::MemoryL2], 1.0 - gone, least);
    let draft = draft.frees_of(m, &waits, gone).at(At::point(&point(study, longest.first)));
    let group = 1_u64 << (longest.bytes * 8 / WIDEST).clamp(2, 32).ilog2();
    let how = words!(
        "Coalesce: {} lanes side by side over each row of {} bytes, in place of a thread; or rows through shared memory",
        group.to_string(),
        longest.bytes.to_string()
    );
    let why = words!(
        "each thread reads rows of {} bytes by itself, {} sectors a lookup of L2's tags, which finds 4",
        longest.bytes.to_string(),
        fixed(1.0 / each, 1)
    );
    let check = words!("requests to L2 {} → {}", count(lookups), count(lookups * (1.0 - gone)));
    Some(draft.says(how, why).checks(check, LOOKUPS))
}
