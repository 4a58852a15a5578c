//! Who arrives at the mbarrier that a role waits at, and which code only asks one again.

use super::code::{Code, Loop};
use crate::evidence::WarpSync;
use std::collections::BTreeSet;

/// Instructions of the longest loop that does nothing but ask an mbarrier again.
const SPIN: usize = 8;

/// An instruction on an mbarrier: the bytes added to the address, and the instructions behind it.
struct Access {
    row: usize,
    offset: i32,
    behind: BTreeSet<usize>,
}

/// The rows of short loops that ask an mbarrier: whatever their warps are sampled at, they wait there.
pub(super) fn spins(code: &Code<'_>) -> BTreeSet<usize> {
    let rows = |cycle: &Loop| code.rows_of(&cycle.blocks).collect::<Vec<_>>();
    let asks = |rows: &Vec<usize>| rows.iter().any(|row| code.sync(*row) == WarpSync::MbarrierTest);
    code.loops.iter().map(rows).filter(|rows| rows.len() <= SPIN && asks(rows)).flatten().collect()
}

/// The questions of a role to mbarriers at which its own warps arrive and no others do: they wait for their turn, and for no data.
/// Which mbarrier an address is follows from the bytes added to it; where there are none, from an instruction behind both that is
/// not behind all. None where all warps run the same code, of whom each arrives wherever it waits.
pub(super) fn turns(code: &Code<'_>, role: &BTreeSet<usize>) -> BTreeSet<usize> {
    let all = |sync: WarpSync| {
        let rows = code.run().filter(move |row| code.sync(*row) == sync);
        rows.map(|row| access(code, row)).collect::<Vec<_>>()
    };
    let (tests, arrivals) = (all(WarpSync::MbarrierTest), all(WarpSync::MbarrierArrive));
    let behind_all = tests.iter().chain(&arrivals).map(|access| access.behind.clone());
    let common = behind_all.reduce(|common, own| common.intersection(&own).copied().collect()).unwrap_or_default();
    let is_own = |access: &Access| role.contains(&code.block_of[access.row]);
    let meets = |test: &Access, arrival: &Access| {
        let is_near = || test.behind.intersection(&arrival.behind).any(|row| !common.contains(row));
        test.offset == arrival.offset && (test.offset != 0 || is_near())
    };
    let is_turn = |test: &&Access| {
        let (own, others): (Vec<&Access>, Vec<&Access>) =
            arrivals.iter().filter(|arrival| meets(test, arrival)).partition(|arrival| is_own(arrival));
        !own.is_empty() && others.is_empty()
    };
    tests.iter().filter(|test| is_own(test)).filter(is_turn).map(|test| test.row).collect()
}

fn access(code: &Code<'_>, row: usize) -> Access {
    let offset = code.rows[row].word.map_or(0, |word| word.registers.offset);
    Access { row, offset, behind: code.behind_row(row) }
}
