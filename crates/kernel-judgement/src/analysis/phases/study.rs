//! One launch with everything that the rules read: code, samples, roles and phases as rows.

use super::cut::{Cut, cut};
use super::detail::{Chain, IndexArithmetic, Indirection, Line};
use super::mbarriers::{self, spins};
use super::model::{PhaseKind, Role};
use super::{
    code::Code,
    dispatches::{RoleCode, Split},
    frame::Frame,
    in_flight::late_rows,
    main_loop::MainLoop,
    tile_loop::Traces,
};
use crate::analysis::KernelSummary;
use crate::analysis::derive::coalescing::{IDEAL, SECTORS};
use crate::analysis::derive::residency::Residency;
use crate::analysis::lines::{Attribution, short_names};
use crate::catalog::{Counter, StallReason};
use crate::evidence::{SourceLine, SourceView, WarpSync};
use arcstr::ArcStr;
use cuda_binary::Op;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

/// Bits: 32, 64, 128 for the width of a lane's element.
const WIDTH: Counter = Counter::MemoryAccessSizeType;
/// What that says of an element of less than a word, and its bits, by listings of what was counted.
const NARROW: [(u64, u64); 2] = [(2, 8), (8, 16)];

/// One launch, cut.
pub struct Study<'v> {
    pub(in crate::analysis) view: &'v SourceView,
    pub(in crate::analysis) code: Code<'v>,
    /// Whose samples they are, barrier waits at their barrier.
    pub(in crate::analysis) samples: Attribution<'v>,
    pub(super) counters: Residency,
    /// Bits of a lane's element by row; `None` where that was not collected.
    widths: Option<Vec<u64>>,
    /// Threads of a block in x, y and z.
    pub(in crate::analysis) block: Option<[u64; 3]>,
    pub(super) split: Split,
    pub(in crate::analysis) roles: Vec<Role>,
    /// The role that holds the tensor instructions, else the most instructions.
    pub(in crate::analysis) pacing: usize,
    /// Its part of the warps of a block.
    pub(super) part_of_warps: f64,
    share_of_pacing: f64,
    pub(super) cuts: Vec<Cut>,
    pub(super) mains: Vec<MainLoop>,
    /// Whether the pacing warps take tiles in turn.
    pub(super) is_in_turn: bool,
    /// The names under which pages show files.
    names: HashMap<ArcStr, String>,
    /// Where lines are told.
    pub(super) frame: Frame,
    /// Rows that may run beside products in flight.
    pub(super) late: BTreeSet<usize>,
    /// Rows that only ask an mbarrier again.
    pub(super) spins: BTreeSet<usize>,
    pub(super) chain: OnceCell<Option<Chain>>,
    pub(super) indirection: OnceCell<Option<Indirection>>,
    pub(super) index: OnceCell<IndexArithmetic>,
}

impl<'v> Study<'v> {
    /// `None` where the report lacks the code's bits, executions or samples by instruction.
    pub fn of(view: &'v SourceView, kernel: &KernelSummary<'_>) -> Option<Study<'v>> {
        Study::attributed(view, &Attribution::of(view)?, kernel)
    }

    /// The same of samples that are attributed.
    pub(in crate::analysis) fn attributed(
        view: &'v SourceView,
        attribution: &Attribution<'v>,
        kernel: &KernelSummary<'_>,
    ) -> Option<Study<'v>> {
        let counters = Residency::of(kernel);
        let (blocks, block_warps) = counters.blocks.zip(counters.block_warps)?;
        let (code, samples) = (Code::of(view)?, attribution.at_barriers());
        let split = Split::of(&code, blocks as u64);
        let roles: Vec<Role> =
            split.roles.iter().map(|group| role(&code, &samples, group, block_warps as u64)).collect();
        let pacing = (0..roles.len()).max_by_key(|at| (roles[*at].tensor, roles[*at].executed))?;
        let region: BTreeSet<usize> = split.roles[pacing].blocks.union(&split.front).copied().collect();
        let turns = if split.is_one() { BTreeSet::new() } else { mbarriers::turns(&code, &split.roles[pacing].blocks) };
        let traces = Traces { samples: &samples, turns };
        let (mut cuts, mains) = without_calls(&code, &traces, region);
        let is_in_turn = cuts.iter().any(|cut| cut.kind == PhaseKind::TurnWait);
        let main = cuts.iter().filter(|cut| cut.kind == PhaseKind::MainLoop).map(|cut| &cut.rows[..]);
        let frame = Frame::of(code.rows, &samples, main);
        let (late, spins) = (late_rows(&code), spins(&code));
        let meeting: Vec<usize> = code.rows_of(&split.behind).collect();
        if !meeting.is_empty() {
            let stores = meeting.iter().any(|row| code.op(*row).writes_global() && code.executed[*row] > 0);
            let kind = if stores { PhaseKind::Epilogue } else { PhaseKind::Exit };
            let own = cuts.pop_if(|cut| cut.kind == PhaseKind::Exit);
            cuts.push(Cut::new(kind, meeting.into_iter().chain(own.into_iter().flat_map(|cut| cut.rows)).collect()));
        }
        let part_of_warps = roles[pacing].warps as f64 / block_warps;
        let share_of_pacing =
            if split.is_one() { 1.0 } else { share_of(&code, &samples, &split, pacing, part_of_warps) };
        Some(Study {
            view,
            code,
            samples,
            counters,
            part_of_warps,
            widths: view.counts(WIDTH),
            block: kernel.key().block.map(|block| block.0),
            split,
            roles,
            pacing,
            share_of_pacing,
            cuts,
            mains,
            is_in_turn,
            names: short_names(view),
            frame,
            late,
            spins,
            chain: OnceCell::new(),
            indirection: OnceCell::new(),
            index: OnceCell::new(),
        })
    }

    /// The name under which pages show a file.
    pub(super) fn name(&self, file: &str) -> String {
        self.names.get(file).cloned().unwrap_or_default()
    }

    pub(super) fn line(&self, line: &SourceLine) -> Line {
        Line { file: self.name(&line.file), line: line.line }
    }

    /// Whether the widths of accesses were collected.
    pub(in crate::analysis) fn has_widths(&self) -> bool {
        self.widths.is_some()
    }

    /// Bits of a lane's element of an access, where it is known and the same for all.
    pub(in crate::analysis) fn width(&self, row: usize) -> Option<u64> {
        self.widths.as_ref().map(|widths| widths[row]).filter(|bits| matches!(bits, 32 | 64 | 128))
    }

    /// The same of an access of less than a word.
    pub(in crate::analysis) fn narrow(&self, row: usize) -> Option<u64> {
        let written = self.widths.as_ref().map(|widths| widths[row])?;
        NARROW.iter().find(|(own, _)| *own == written).map(|(_, bits)| *bits)
    }

    /// Sectors that the global accesses of each row touch, and those that the same bytes need side by side.
    pub(in crate::analysis) fn sectors(&self) -> Option<[Vec<u64>; 2]> {
        Some([self.view.counts(SECTORS)?, self.view.counts(IDEAL)?])
    }

    /// The part of the samples of a reason that stands at instructions of a kind, 0 to 1.
    pub(in crate::analysis) fn part_at(&self, reason: StallReason, is_meant: impl Fn(Op) -> bool) -> f64 {
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..self.code.rows.len()).partition(|row| is_meant(self.code.op(*row)));
        let of = |rows: &[usize]| self.samples.of_reason(reason.into(), rows) as f64;
        of(&own) / (of(&own) + of(&others)).max(1.0)
    }

    /// `w`: warps of the pacing role.
    pub(in crate::analysis) fn warps(&self) -> u64 {
        self.roles[self.pacing].warps
    }

    /// The share of samples that fall to the warps of the pacing role.
    pub(in crate::analysis) fn share_of_pacing(&self) -> f64 {
        self.share_of_pacing
    }

    /// Groups of asynchronous copies that stay in flight where a loop waits for earlier ones; `None` where no loop copies and waits.
    pub(in crate::analysis) fn copies_ahead(&self) -> Option<u8> {
        let waits = |row: usize| match self.code.sync(row) {
            WarpSync::CopiesWait { pending } if self.code.executed[row] > 0 => Some(pending),
            _ => None,
        };
        let rows = self.code.loops.iter().flat_map(|cycle| self.code.rows_of(&cycle.blocks));
        rows.filter_map(waits).max().filter(|_| self.code.turns(|op| op.copies_global() && !op.is_bulk()))
    }

    pub(super) fn is_in_main_loop(&self, row: usize) -> bool {
        self.mains.iter().any(|main| self.code.is_in(row, &main.cycle))
    }

    pub(in crate::analysis) fn main_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.mains.iter().flat_map(|main| self.code.rows_of(&main.cycle.blocks))
    }
}

/// The share of samples that fall to the warps of a role: `w / W` where all warps of a block live as long, more where others end
/// early. Where roles end apart, it is what its own code and its part of the code in front have.
fn share_of(code: &Code<'_>, samples: &Attribution<'_>, split: &Split, role: usize, of_warps: f64) -> f64 {
    let at = |blocks: &BTreeSet<usize>| code.rows_of(blocks).map(|row| samples.all[row]).sum::<u64>() as f64;
    let own = (at(&split.roles[role].blocks) + at(&split.front) * of_warps) / samples.sum as f64;
    if split.behind.is_empty() { own } else { of_warps.max(own) }
}

/// What a role of a block of so many warps runs.
fn role(code: &Code<'_>, samples: &Attribution<'_>, group: &RoleCode, warps: u64) -> Role {
    let rows: Vec<usize> = code.rows_of(&group.blocks).collect();
    let executed =
        |keep: &dyn Fn(usize) -> bool| rows.iter().filter(|row| keep(**row)).map(|row| code.executed[*row]).sum();
    Role {
        warps: group.counted.or(group.who.map(|who| who.of_block(warps))).unwrap_or(warps),
        start: rows.first().map_or(0, |row| code.rows[*row].offset),
        samples: samples.at(&rows),
        executed: executed(&|_| true),
        tensor: executed(&|row| code.is_tensor(row)),
        copies: executed(&|row| code.op(row).copies_global()),
        stores: executed(&|row| code.op(row).writes_global()),
        at_barriers: None,
        lines: Vec::new(),
    }
}

/// The cuts of a region, a called function with the phase that calls it.
fn without_calls(code: &Code<'_>, traces: &Traces<'_, '_>, region: BTreeSet<usize>) -> (Vec<Cut>, Vec<MainLoop>) {
    let straight = code.flow.reach(0, |_, _| true);
    let called: BTreeSet<usize> = code
        .flow
        .calls
        .iter()
        .flat_map(|(_, to)| code.flow.reach(*to, |_, _| true))
        .filter(|block| !straight.contains(block))
        .collect();
    let own: BTreeSet<usize> = region.difference(&called).copied().collect();
    let (mut cuts, mains) = cut(code, traces, &own);
    if mains.is_empty() {
        let (all, mains) = cut(code, traces, &region);
        if !mains.is_empty() || cuts.is_empty() {
            return (all, mains);
        }
    }
    let mut placed: BTreeSet<usize> = cuts.iter().flat_map(|cut| cut.rows.iter().copied()).collect();
    let mut calls: Vec<(usize, usize)> =
        code.flow.calls.iter().filter(|(from, _)| region.contains(from)).copied().collect();
    calls.sort_by_key(|(from, _)| std::cmp::Reverse(code.entries(*from)));
    // A function that another called function calls is placed once that one is.
    for _ in 0..calls.len() {
        let mut is_done = true;
        for (from, to) in &calls {
            let last = code.flow.blocks[*from].instructions.end - 1;
            let Some(cut) = cuts.iter_mut().find(|cut| cut.rows.contains(&last)) else { continue };
            let body = code.flow.reach(*to, |_, _| true);
            let free: Vec<usize> = code.rows_of(&body).filter(|row| placed.insert(*row)).collect();
            is_done &= free.is_empty();
            if let Some((_, part)) = cut.parts.iter_mut().find(|(_, part)| part.contains(&last)) {
                part.extend(&free);
            }
            cut.rows.extend(free);
        }
        if is_done {
            break;
        }
    }
    let rest: Vec<usize> = code.rows_of(&region).filter(|row| !placed.contains(row)).collect();
    if let (Some(last), false) = (cuts.last_mut(), rest.is_empty()) {
        last.rows.extend(rest);
    }
    (cuts, mains)
}
