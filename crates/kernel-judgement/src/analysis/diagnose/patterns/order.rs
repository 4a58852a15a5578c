//! The order of the blocks: those that read the same bytes, apart in time.

use super::*;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[in_order])];

/// What is expected to stay in L2 of what is read again, where the bytes that all blocks share would fit beside it, and where they would not.
const STAYS: [f64; 2] = [0.9, 0.5];

/// A load of which blocks that differ by some of their three numbers read the same.
struct Shared {
    row: usize,
    sectors: f64,
    /// The blocks that read each of its bytes.
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

/// The loads of global memory whose places are no loaded values, with the blocks of a grid that share them.
fn shared(study: &Study<'_>, grid: [u64; 3]) -> Option<Vec<Shared>> {
    let (code, flows, [sectors, _]) = (&study.code, &study.flows, study.sectors()?);
    let rows = (0..code.rows.len()).filter(|row| sectors[*row] > 0 && code.op(*row).reads_global());
    let of = |row: usize| {
        let differ = flows.numbers_of_block(code, row);
        let same = |at: &usize| grid[*at] > 1 && !differ[*at];
        let first = (0..3).find(|at| grid[*at] > 1)?;
        let times = (0..3).filter(same).map(|at| grid[at] as f64).product::<f64>();
        let is_known = !flows.is_inherent(code, row) && flows.loads_behind(code, row).is_empty();
        Some(Shared { row, sectors: sectors[row] as f64, times, is_apart: is_known && times > 1.0 && differ[first] })
    };
    rows.map(of).collect()
}

/// Blocks that read the same side by side. What DRAM is read for beyond all that differs it is read for again, since others came between.
fn in_order(m: &Measures<'_>) -> Option<Draft> {
    let (study, read) = (m.study?, m.value(DRAM_BYTES[0])?);
    // In a grid of one dimension no two blocks have a number in common.
    let grid = m.kernel.key().grid?.0;
    if grid.iter().filter(|blocks| **blocks > 1).count() < 2 {
        return None;
    }
    let all = shared(study, grid)?;
    let bytes = |of: &dyn Fn(&Shared) -> f64| SECTOR * all.iter().map(of).sum::<f64>();
    let once = bytes(&|own| own.sectors - own.again());
    let again = bytes(&|own| if own.is_apart { own.again() } else { 0.0 });
    let gone = (read - once).clamp(0.0, again);
    let of_dram = gone / m.sum(DRAM_BYTES)?;
    let apart = all.iter().filter(|own| own.is_apart).max_by(|a, b| a.again().total_cmp(&b.again()))?;
    if of_dram < WORTH {
        return None;
    }
    // What these blocks do not share is apart then.
    let others = bytes(&|own| if own.is_apart { 0.0 } else { own.sectors - own.again() });
    let fits = m.value(Counter::DeviceAttributeL2CacheSize).is_none_or(|l2| others < l2 / 2.0);
    let stays = STAYS[usize::from(!fits)];
    let differ = study.flows.numbers_of_block(&study.code, apart.row);
    let inner =
        (0..3).filter(|at| grid[*at] > 1 && !differ[*at]).map(|at| words!("`blockIdx.{}`", ["x", "y", "z"][at]));
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
        count(apart.times),
        glance::short(gone)
    );
    let part = Part::MemoryDram;
    let draft = Draft::new(Action::FewerBytes).keeps(&[part], 1.0 - stays * of_dram, 1.0 - of_dram);
    let draft = draft.at(At::point(&point(study, apart.row))).says(how, why);
    let draft = draft.risks("what neighbouring blocks share now is apart then");
    Some(draft.checks(words!("bytes of DRAM −{}B", glance::short(stays * gone)), DRAM_BYTES[0]))
}
