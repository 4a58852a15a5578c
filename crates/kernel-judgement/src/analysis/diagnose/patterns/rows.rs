//! Rows that threads read each for themselves, a sector at a time: L2 looks its tags up for each.

use super::*;
use crate::analysis::diagnose::level::L2_SECTORS;
use crate::quantity::SECTOR_BYTES;
use std::collections::BTreeMap;

/// Requests of the L1 caches to L2, each a lookup of its tags, which finds up to four sectors of a line.
const LOOKUPS: Counter = Counter::LtsTRequestsSrcunitTexSum;

/// How busy lookups keep the tags of L2, and what they find the way to the SMs.
const TAGS: Counter = Counter::LtsTTagRequestsAvgPctElapsed;
const WAY: Counter = Counter::LtsLts2xbarCyclesActiveAvgPctElapsed;

/// Sectors that L2 gives at its peak in the time of a lookup at its: 3.0 to 3.3 on H100 and H200, by ten kernels of which both and the
/// requests were counted.
const OF_A_LOOKUP: f64 = 3.1;

/// Lookups for a sector from which they fill L2, and not the sectors: its slices look up one line a cycle and give two sectors.
const ALONE: f64 = 0.5;

/// Bytes of a row from which lanes side by side ask for more than a sector of it at once.
const SHORTEST: u64 = 2 * SECTOR_BYTES as u64;

/// Loads of one place that lie behind each other, for lanes that each have a sector to themselves.
struct Row {
    first: usize,
    /// From its first byte to its last.
    bytes: u64,
    /// Sectors that all lanes touch, and that their bytes need.
    touched: f64,
    needed: f64,
}

impl Row {
    /// The row that some loads of one place make, each with the bytes of its place; `None` where they are one piece, or leave gaps.
    fn of(study: &Study<'_>, loads: &[(u32, usize)], [sectors, ideal]: [&[u64]; 2]) -> Option<Row> {
        let mut at: Vec<(i32, usize)> =
            loads.iter().map(|(bytes, row)| (bytes.wrapping_sub(loads[0].0) as i32, *row)).collect();
        at.sort_unstable();
        let width = |row: usize| study.width(row).unwrap_or(WORD_BITS) / 8;
        let ((from, first), (last, end)) = (*at.first()?, *at.last()?);
        let piece = u64::from(last.abs_diff(from)) + width(end);
        let read: u64 = at.iter().map(|(_, row)| width(*row)).sum();
        let [touched, needed] = [sectors, ideal].map(|of| at.iter().map(|(_, row)| of[*row] as f64).sum());
        // The turns of a walk take one piece after the other.
        let bytes = study.code.walked(first).map_or(piece, |walk| piece.max(walk as u64));
        (piece >= SHORTEST && 2 * read >= piece).then_some(Row { first, bytes, touched, needed })
    }

    /// Sectors that a request finds where lanes read it side by side.
    fn at_once(&self) -> f64 {
        ((self.bytes as f64).min(LINE) / SECTOR).floor()
    }
}

/// Bits of a lane's load where the report does not tell.
const WORD_BITS: u64 = 32;

/// The rows, and the sectors that all other loads touch at most.
fn rows(study: &Study<'_>) -> Option<(Vec<Row>, f64)> {
    let (code, [sectors, ideal]) = (&study.code, study.sectors()?);
    let lanes = code.lanes.as_ref()?;
    let places = code.places();
    let is_alone = |row: usize| 2 * sectors[row] >= (3 * ideal[row]).max(lanes[row]);
    let mut by: BTreeMap<_, Vec<(u32, usize)>> = BTreeMap::new();
    let mut others = 0.0;
    for row in code.run().filter(|row| code.op(*row).reads_global()) {
        let place = places.get(&row).and_then(|place| Some((place.all(), place.bytes()?)));
        match place.filter(|_| code.op(row).loads_global() && is_alone(row)) {
            Some((parts, bytes)) => {
                let cycle = code.innermost(row).map(|cycle| cycle.header);
                by.entry((parts, cycle)).or_default().push((bytes, row));
            }
            None => others += sectors[row] as f64,
        }
    }
    let mut found = Vec::new();
    for own in by.into_values() {
        match Row::of(study, &own, [&sectors, &ideal]) {
            Some(row) => found.push(row),
            None => others += own.iter().map(|(_, row)| sectors[*row] as f64).sum::<f64>(),
        }
    }
    Some((found, others))
}

/// The lookups of a launch: as they were counted, or by how busy the tags are beside the sectors.
fn lookups(m: &Measures<'_>) -> Option<f64> {
    const BUSY: [Counter; 2] = [TAGS, Counter::LtsTSectorsAvgPctElapsed];
    let by_time = || {
        let [tags, sectors] = BUSY.map(|busy| m.value(busy));
        Some(tags? / sectors.filter(|busy| *busy > 0.0)? * m.value(Counter::LtsTSectorsSum)? / OF_A_LOOKUP)
    };
    m.value(LOOKUPS).or_else(by_time)
}

/// Neighbouring lanes side by side over each row, in place of a thread: a lookup then finds a line of it. What the rows bring from L2 today
/// is what the other loads, bulk copies and local memory do not touch, some of it again, since L1 lost a sector before its next word was read.
pub(super) fn side_by_side(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (lookups, asked) = (lookups(m)?, m.value(L2_SECTORS)?);
    let each = Some(lookups / asked).filter(|each| *each >= ALONE)?;
    let l2 = m.memory().filter(|unit| unit.part == Part::MemoryL2)?;
    let (found, others) = rows(study)?;
    let others = others + sectors::bulk(m) + local::loaded(m);
    let longest = found.iter().max_by(|a, b| a.needed.total_cmp(&b.needed))?;
    let sum = |of: fn(&Row) -> f64| found.iter().map(of).sum::<f64>();
    let (needed, packed) = (sum(|row| row.needed), sum(|row| row.needed / row.at_once()));
    let now = each * needed.max(work::sent(m)? / SECTOR - others);
    let gone = Some(((now - packed) / lookups).min(1.0)).filter(|gone| *gone >= WORTH_A_TRY)?;
    // With the lines that they hold in L1 today the others may find all there that they touch again.
    let least = (packed / lookups).min(1.0 - gone);
    // What the lanes need crosses to the SMs in any order.
    let way = m.value(WAY).map_or(0.0, |busy| busy / 100.0 / l2.share * (needed + others) / asked);
    let draft = Draft::new(Action::Coalesce).rewrites();
    let draft = draft.keeps(&[Part::MemoryL2], (1.0 - gone).max(way.min(1.0)), least);
    // L1 looks up a line at a time as well.
    let at_l1 = (packed + others) / (sum(|row| row.touched) + others);
    let draft = draft.keeps(&[Part::MemoryL1tex], at_l1, at_l1);
    let draft = draft.frees_of(m, &FOR_LOADS, gone).at(At::row(study, longest.first));
    let group = 1_u64 << (longest.bytes * 8 / WIDEST).clamp(2, 32).ilog2();
    let how = words!(
        "Coalesce: {} lanes side by side over each row of {} bytes, in place of a thread; or rows through shared memory",
        group.to_string(),
        longest.bytes.to_string()
    );
    let why = words!(
        "each thread reads rows of {} bytes by itself, {} sectors a request to L2, of at most 4",
        longest.bytes.to_string(),
        fixed(1.0 / each, 1)
    );
    let draft = draft.says(how, why);
    Some(match m.value(TAGS).filter(|_| m.value(LOOKUPS).is_none()) {
        Some(busy) => {
            let [now, then] = [busy, busy * (1.0 - gone)].map(|busy| share(busy / 100.0));
            draft.checks(words!("tags of L2 busy {} → {} of today's cycles", now, then), TAGS)
        }
        None => draft.falls("requests to L2", [lookups, lookups * (1.0 - gone)], LOOKUPS),
    })
}
