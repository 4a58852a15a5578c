//! Memory instructions by width, local memory by source line, and how far stores reach.

use crate::analysis::phases::{Reach, reach_of_stores};
use crate::analysis::sass::{Listed, access_width};
use crate::evidence::{CubinKernel, Instruction};
use cuda_binary::Op;
use cuda_binary::op::Space;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions of one opcode by the bits that each lane moves.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WidthRow {
    /// Base opcode, `STG`.
    pub opcode: Op,
    /// (bits per lane, instructions), the widest first.
    pub widths: Vec<(u32, usize)>,
}

/// Local-memory instructions of one opcode on one line.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LocalAccess {
    /// `LDL` or `STL`.
    pub opcode: Op,
    /// Line of the subject's source, where known.
    pub line: Option<u32>,
    pub count: usize,
    /// Those that the assembler marked as spilling or refilling a register; `None` where it marks none at all.
    pub spills: Option<usize>,
}

pub(super) fn widths<'a>(code: impl Iterator<Item = &'a Instruction>) -> Vec<WidthRow> {
    let mut found: BTreeMap<&str, BTreeMap<u32, usize>> = BTreeMap::new();
    for instruction in code.filter(|i| !matches!(i.op().space(), Some(Space::Constant | Space::Local))) {
        if let Some(width) = access_width(instruction.named()) {
            *found.entry(instruction.op().name()).or_default().entry(width).or_default() += 1;
        }
    }
    let row = |(opcode, widths): (&str, BTreeMap<u32, usize>)| WidthRow {
        opcode: Op::of(opcode),
        widths: widths.into_iter().rev().collect(),
    };
    found.into_iter().map(row).collect()
}

pub(super) fn local(listed: &Listed<'_>, kernel: &CubinKernel) -> Vec<LocalAccess> {
    let marked: Option<BTreeSet<u64>> = kernel.spill_offsets.as_ref().map(|offsets| offsets.iter().copied().collect());
    let mut found: BTreeMap<(Option<u32>, &str), (usize, usize)> = BTreeMap::new();
    for instruction in listed.code.iter().filter(|i| i.op().is_in(Space::Local)) {
        let at = (instruction.line_in(&listed.file), instruction.op().name());
        let (count, spills) = found.entry(at).or_default();
        *count += 1;
        *spills += usize::from(marked.as_ref().is_some_and(|marked| marked.contains(&instruction.offset)));
    }
    let row = |((line, opcode), (count, spills)): ((Option<u32>, &str), (usize, usize))| LocalAccess {
        opcode: Op::of(opcode),
        line,
        count,
        spills: marked.is_some().then_some(spills),
    };
    let mut rows: Vec<LocalAccess> = found.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows
}

/// Global stores of one line, width and reach.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StoreReach {
    /// Line of the subject's source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Bits of a lane.
    pub bits: u32,
    pub count: usize,
    /// What a warp touches with one of them.
    #[serde(flatten)]
    pub reach: Reach,
}

/// The stores whose addresses the code shows, by line; `block` is its threads along x and across.
pub(super) fn stores(listed: &Listed<'_>, block: [u64; 3]) -> Vec<StoreReach> {
    let code = listed.code;
    let mut found: BTreeMap<(Option<u32>, u32, Reach), usize> = BTreeMap::new();
    for (row, reach) in reach_of_stores(code, block) {
        let bits = access_width(code[row].named()).unwrap_or_default();
        *found.entry((code[row].line_in(&listed.file), bits, reach)).or_default() += 1;
    }
    found.into_iter().map(|((line, bits, reach), count)| StoreReach { line, bits, count, reach }).collect()
}
