//! A table that each block copies into shared memory before it works.

use super::stages::shared_of_block;
use super::*;

/// What brings a table: the same bytes for every block, held in shared memory as a whole.
struct Table {
    loads: Vec<usize>,
    /// Loads and stores with the turns of their loops, and the barrier behind them.
    rows: Vec<usize>,
    /// Bytes of a block.
    bytes: f64,
}

/// Loads at places that neither the number of a block nor a value chooses, and what stores them as they are. Tiles that follow each other in
/// the same place are more than a block has room for.
fn table(m: &Measures<'_>) -> Option<Table> {
    let (study, blocks) = (m.sampled_code()?, m.blocks?);
    let code = &study.code;
    let is_same =
        |row: usize| code.op(row).reads_global() && !code.is_of_block(row) && code.loads_behind(row).is_empty();
    let brings = |row: usize| -> Option<Vec<usize>> {
        let op = code.op(row);
        if op.copies_global() && op.is_by_lane() {
            return is_same(row).then(|| vec![row]);
        }
        let own: Vec<usize> = code.data_of(row).collect();
        (op.stores_shared() && !own.is_empty() && own.iter().all(|row| is_same(*row))).then_some(own)
    };
    let (mut loads, mut rows, mut bits) = (Vec::new(), Vec::new(), 0.0);
    for row in code.run() {
        let Some(own) = brings(row) else { continue };
        bits += study.width(row)? as f64 * code.lanes.as_ref()?[row] as f64;
        rows.push(row);
        loads.extend(own);
    }
    let last = *rows.last()?;
    let bytes = bits / 8.0 / blocks;
    if bytes > shared_of_block(m)? {
        return None;
    }
    let turns: Vec<usize> = rows
        .iter()
        .chain(&loads)
        .filter_map(|row| code.innermost(*row))
        .flat_map(|cycle| code.rows_of(&cycle.blocks))
        .collect();
    let barrier = (last..code.rows.len()).find(|row| code.is_block_barrier(*row));
    rows.extend(turns.into_iter().chain(loads.iter().copied()).chain(barrier));
    rows.sort_unstable();
    rows.dedup();
    Some(Table { loads, rows, bytes })
}

/// As many blocks as fit at once, each with a loop over what several did: a table is copied once for each of them.
pub(super) fn copied_less(m: &Measures<'_>) -> Option<Draft> {
    let (blocks, resident) = (m.blocks?, m.at_once()?);
    let goes = Some(1.0 - resident / blocks).filter(|goes| *goes > 0.0)?;
    let (table, study) = (table(m)?, m.study?);
    let code = &study.code;
    let sum = |of: &[u64], rows: &[usize]| rows.iter().map(|row| of[*row]).sum::<u64>() as f64;
    let [sectors, _] = study.sectors()?;
    let (own, all) = (sum(&sectors, &table.loads), sectors_of(m.accesses()));
    // What the other accesses ask for L1 has not.
    let asked = level::asked(m).map_or(all, |bytes| bytes / SECTOR);
    let of_l2 = ((asked - (all - own)).clamp(0.0, own) / asked).min(1.0);
    let of_issue = sum(&code.executed, &table.rows) / code.executed.iter().sum::<u64>() as f64;
    let waits = study.samples.at(&table.rows) as f64 / study.samples.sum.max(1) as f64;
    let stays = |part: f64| 1.0 - goes * part;
    let of_l1 = stays(of_stage(m, &table.rows)?);
    let draft = Draft::new(Action::LargerBlocks)
        .stays(&L1, of_l1)
        .stays(&[Part::MemoryL2], stays(of_l2))
        .stays(&[Part::Issue], stays(of_issue))
        .frees(goes * waits, goes * waits);
    let how = words!(
        "Copy the table less often: {} blocks that fit at once, each over a loop, in place of {}",
        count(resident),
        count(blocks)
    );
    let why = words!(
        "each block copies the same {}B to shared memory, {} of the warps' time",
        glance::short(table.bytes),
        share(waits)
    );
    let heaviest = table.loads.iter().copied().max_by_key(|row| sectors[*row])?;
    let draft = draft.at(At::row(study, heaviest)).says(how, why).risks("indices of a loop; a tail of long blocks");
    Some(draft.falls("sectors of loads and stores", [all, all - goes * own], TOUCHED))
}
