//! The order of the blocks: those that read the same bytes, apart in time.

use super::*;

/// What is expected to stay in L2 of what is read again, where the bytes that all blocks share would fit beside it, and where they would not.
const STAYS: [f64; 2] = [0.9, 0.5];

/// A load of which threads and blocks that differ by some of their numbers read the same.
struct Shared {
    row: usize,
    sectors: f64,
    /// The blocks that read each of its bytes.
    blocks: f64,
    /// The requests for each of its sectors, from their warps.
    times: f64,
    /// Whether others come between them: blocks start by `x` first, and these do not differ by the first number that has several.
    is_apart: bool,
}

impl Shared {
    /// The sectors that are read again.
    fn again(&self) -> f64 {
        self.sectors * (1.0 - 1.0 / self.times)
    }
}

/// The blocks of a grid along x, y and z that read the same by a load.
fn alike(study: &Study<'_>, row: usize, grid: [u64; 3]) -> [u64; 3] {
    let alike = study.code.blocks_alike(row);
    std::array::from_fn(|at| alike[at].min(grid[at]))
}

/// Whether several blocks pick the same by a load, whatever loaded values choose it.
pub(super) fn is_shared(m: &Measures<'_>, access: &SectorAccess) -> bool {
    let (Some(study), Some(grid)) = (m.study, m.kernel.key().grid) else { return false };
    let row = study.code.row_at(access.at.offset);
    row.is_some_and(|row| alike(study, row, grid.0).iter().any(|blocks| *blocks > 1))
}

/// The loads of global memory whose places are no loaded values, with the blocks of a grid, and their threads, that share them.
fn shared(study: &Study<'_>, grid: [u64; 3], block: [u64; 3]) -> Option<Vec<Shared>> {
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let rows = (0..code.rows.len()).filter(|row| sectors[*row] > 0 && code.op(*row).reads_global());
    let of = |row: usize| {
        let alike = alike(study, row, grid);
        let first = (0..3).find(|at| grid[*at] > 1)?;
        let blocks = alike.iter().product::<u64>() as f64;
        let is_known = !code.is_inherent(row) && code.loads_behind(row).is_empty();
        // Where rows of a block are whole warps, those that differ by no number of its place read the same, as far as all run.
        let warps = [block[0] / 32, block[1], block[2]];
        let around = code.around(row);
        let outermost = around.max_by_key(|own| own.blocks.len());
        let runs = outermost.and_then(|own| code.entered(own)).unwrap_or(code.executed[row]);
        let is_all = block[0].is_multiple_of(32) && runs >= grid.iter().chain(&warps).product();
        let own = warps.into_iter().zip(code.numbers_of_thread(row));
        let own = own.filter(|(_, differs)| is_all && !differs).map(|(warps, _)| warps as f64);
        let times = blocks * own.product::<f64>();
        let is_apart = is_known && blocks > alike[first] as f64 && alike[first] < grid[first];
        Some(Shared { row, sectors: sectors[row] as f64, blocks, times, is_apart })
    };
    rows.map(of).collect()
}

/// The loads of a grid of several dimensions that threads and blocks share: in one of one dimension no two blocks have a number in common.
/// And the bytes of DRAM that it is read for again, at most those of some of them: beyond all that differs, since others came between.
fn again(m: &Measures<'_>, is_meant: impl Fn(&Shared) -> bool) -> Option<(Vec<Shared>, f64)> {
    let (key, read) = (m.kernel.key(), m.dram_read()?);
    let grid = key.grid?.0;
    if grid.iter().filter(|blocks| **blocks > 1).count() < 2 {
        return None;
    }
    let all = shared(m.study?, grid, key.block?.0)?;
    let once = bytes(&all, |own| own.sectors - own.again());
    let gone = (read - once).clamp(0.0, bytes(&all, |own| if is_meant(own) { own.again() } else { 0.0 }));
    Some((all, gone))
}

fn bytes(all: &[Shared], of: impl Fn(&Shared) -> f64) -> f64 {
    SECTOR * all.iter().map(of).sum::<f64>()
}

/// The part of the bytes of DRAM that are there again, 0 to 1, where that is known.
pub(super) fn read_again(m: &Measures<'_>) -> Option<f64> {
    Some(again(m, |_| true)?.1 / m.moved()?)
}

/// Blocks that read the same side by side.
pub(super) fn in_order(m: &Measures<'_>) -> Option<Draft> {
    let (study, grid) = (m.study?, m.kernel.key().grid?.0);
    let (all, gone) = again(m, |own| own.is_apart)?;
    let of_dram = gone / m.moved()?;
    let apart = all.iter().filter(|own| own.is_apart).max_by(|a, b| a.again().total_cmp(&b.again()))?;
    if of_dram < WORTH {
        return None;
    }
    // What these blocks do not share is apart then.
    let others = bytes(&all, |own| if own.is_apart { 0.0 } else { own.sectors - own.again() });
    let fits = m.value(Counter::DeviceAttributeL2CacheSize).is_none_or(|l2| others < l2 / 2.0);
    let stays = STAYS[usize::from(!fits)];
    let alike = alike(study, apart.row, grid);
    let inner = (0..3).filter(|at| alike[*at] > 1).map(|at| words!("`blockIdx.{}`", ["x", "y", "z"][at]));
    let inner = words::join(inner, ", ");
    let how = match fits {
        true => {
            words!(
                "Order the blocks so that {} changes first: those that read the same then run side by side",
                inner.clone()
            )
        }
        false => words!(
            "Order the blocks in groups, some of {} at a time: those that read the same then run side by side",
            &inner
        ),
    };
    let why = words!(
        "blocks that differ by {} read the same {} times, others between them; {}B are read from DRAM again",
        inner,
        count(apart.blocks),
        glance::short(gone)
    );
    let part = Part::MemoryDram;
    let draft = Draft::new(Action::FewerBytes).keeps(&[part], 1.0 - stays * of_dram, 1.0 - of_dram);
    let draft = draft.at(At::row(study, apart.row)).says(how, why);
    let draft = draft.risks("what neighbouring blocks share now is apart then");
    Some(draft.loses(m, "bytes read from DRAM", stays * gone, glance::bytes, DRAM_BYTES[0]))
}
