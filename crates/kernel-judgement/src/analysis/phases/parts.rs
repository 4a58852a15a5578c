//! Parts of a main loop: what a step waits for, issues, computes, copies and hands back.

use super::{code::Code, main_loop::MainLoop, model::PhaseKind};
use crate::evidence::WarpSync;
use cuda_binary::op::Sync;
use std::collections::BTreeMap;

/// Parts of a loop, at most.
const MOST: usize = 8;
/// Instructions of lanes between two marks that are work of their own, and no addresses of what follows.
const WORK: usize = 16;

/// What a row marks in a step with tensor instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Wait,
    Arrive,
    Tensor,
    Copy,
    Products,
    Release,
}

/// The rows of each part of those that every turn runs, in the order of the code. Empty where there is one part alone.
pub(super) fn parts(code: &Code<'_>, main: &MainLoop, rows: Vec<usize>) -> Vec<(PhaseKind, Vec<usize>)> {
    let is_inner = |row: usize| main.inner.as_ref().is_some_and(|inner| code.is_in(row, inner));
    let runs = match (&main.inner, main.has_tensor) {
        (None, true) => with_tensor(code, &rows),
        _ => between_barriers(code, &rows, is_inner),
    };
    let mut found: Vec<(PhaseKind, Vec<usize>)> = Vec::new();
    for (kind, rows) in runs {
        let line = line(code, &rows);
        // Copies of one line in an unrolled loop are one part; so are all of a kind where products tell the parts.
        let is_same = |(other, own): &&mut (PhaseKind, Vec<usize>)| {
            let is_on_line = || line.is_some() && self::line(code, own) == line;
            *other == kind && (main.has_tensor && main.inner.is_none() || is_on_line())
        };
        match found.iter_mut().find(is_same) {
            Some((_, all)) => all.extend(rows),
            None => found.push((kind, rows)),
        }
    }
    // What is left is told last.
    found.sort_by_key(|(kind, _)| main.has_tensor && *kind == PhaseKind::Control);
    while found.len() > MOST {
        let rows = |at: usize| found[at].1.len();
        let Some(at) = (1..found.len()).min_by_key(|at| rows(at - 1) + rows(*at)) else { break };
        let (kind, rows) = found.remove(at);
        let before = &mut found[at - 1];
        if rows.len() > before.1.len() {
            before.0 = kind;
        }
        before.1.extend(rows);
    }
    if found.len() > 1 { found } else { Vec::new() }
}

/// The line that most of some rows stand at, by the outermost call.
fn line<'c>(code: &Code<'c>, rows: &[usize]) -> Option<(u32, &'c str)> {
    let mut counts: BTreeMap<(u32, &str), usize> = BTreeMap::new();
    let lines = rows.iter().filter_map(|row| code.rows[*row].places.last());
    lines.for_each(|place| *counts.entry((place.line, &place.file)).or_default() += 1);
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(line, _)| line)
}

/// What each row marks. What takes the answer of an mbarrier as its guard waits with the question. A copy between two products of a step,
/// and a fence in front of an arrival, belong to those.
fn marks(code: &Code<'_>, rows: &[usize]) -> Vec<Option<Mark>> {
    let mark = |row: &usize| match code.sync(*row) {
        WarpSync::MbarrierTest | WarpSync::BlockBarrier { .. } | WarpSync::Fence { .. } => Some(Mark::Wait),
        WarpSync::WarpgroupArrive => Some(Mark::Arrive),
        WarpSync::ProductsWait { .. } => Some(Mark::Products),
        WarpSync::MbarrierArrive => Some(Mark::Release),
        _ if code.is_tensor(*row) => Some(Mark::Tensor),
        _ if code.op(*row).is_of_copies() => Some(Mark::Copy),
        _ if code.question_of(*row).is_some() => Some(Mark::Wait),
        _ => matches!(code.op(*row).sync(), Some(Sync::Outstanding | Sync::ProxyFence | Sync::FenceEnd))
            .then_some(Mark::Wait),
    };
    let mut marks: Vec<Option<Mark>> = rows.iter().map(mark).collect();
    let is_fence = |at: usize| code.op(rows[at]).is_fence() || code.op(rows[at]).sync() == Some(Sync::ProxyFence);
    let mut next = None;
    for at in (0..marks.len()).rev() {
        if is_fence(at) && next == Some(Mark::Release) {
            marks[at] = Some(Mark::Release);
        }
        next = marks[at].or(next);
    }
    let mut is_issuing = false;
    for at in 0..marks.len() {
        match marks[at] {
            Some(Mark::Tensor) => is_issuing = true,
            Some(Mark::Copy) if is_issuing => {
                let ahead = marks[at..].iter().flatten().find(|mark| **mark != Mark::Copy);
                if ahead == Some(&Mark::Tensor) {
                    marks[at] = None;
                }
            }
            Some(Mark::Wait | Mark::Products | Mark::Release) => is_issuing = false,
            _ => {}
        }
    }
    marks
}

/// A step with tensor instructions. A wait is the instructions that wait and no others: what stands between two marks is addresses
/// of the products or the copies behind it, work of its own where there is much of it, and else counting.
fn with_tensor(code: &Code<'_>, rows: &[usize]) -> Vec<(PhaseKind, Vec<usize>)> {
    let mut runs: Vec<(PhaseKind, Vec<usize>)> = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    let between = |next: PhaseKind, pending: &[usize]| match next {
        PhaseKind::Copies => next,
        _ if is_work(code, pending) => PhaseKind::Compute,
        PhaseKind::Issue => next,
        _ => PhaseKind::Control,
    };
    for (row, mark) in rows.iter().zip(marks(code, rows)) {
        let Some(mark) = mark else {
            pending.push(*row);
            continue;
        };
        let kind = match mark {
            Mark::Wait => PhaseKind::StageWait,
            Mark::Arrive | Mark::Tensor => PhaseKind::Issue,
            Mark::Copy => PhaseKind::Copies,
            Mark::Products => PhaseKind::ProductsWait,
            Mark::Release => PhaseKind::Release,
        };
        push(&mut runs, between(kind, &pending), std::mem::take(&mut pending));
        push(&mut runs, kind, vec![*row]);
    }
    push(&mut runs, between(PhaseKind::Control, &pending), pending);
    runs
}

/// Whether most of some rows compute by lane.
fn is_work(code: &Code<'_>, rows: &[usize]) -> bool {
    let by_lane = |row: &&usize| {
        let op = code.op(**row);
        !op.is_uniform() && op.control().is_none() && op.sync().is_none()
    };
    let count = rows.iter().filter(by_lane).count();
    count >= WORK && 2 * count >= rows.len()
}

/// A step without tensor instructions, or around an inner loop: cut behind each barrier of the block.
fn between_barriers(code: &Code<'_>, rows: &[usize], is_inner: impl Fn(usize) -> bool) -> Vec<(PhaseKind, Vec<usize>)> {
    let mut runs: Vec<(PhaseKind, Vec<usize>)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let close = |runs: &mut Vec<(PhaseKind, Vec<usize>)>, open: &mut Vec<usize>| {
        let rows = std::mem::take(open);
        let works = |row: &usize| {
            let flow = code.rows[*row].word.map(|word| word.flow);
            !matches!(flow, Some(crate::evidence::Flow::Jump { .. }))
        };
        let kind = if rows.iter().any(|row| code.op(*row).reads_global()) {
            PhaseKind::Load
        } else if rows.iter().any(works) {
            PhaseKind::Compute
        } else {
            runs.last().map_or(PhaseKind::Control, |(kind, _)| *kind)
        };
        push(runs, kind, rows);
    };
    for row in rows {
        if is_inner(*row) {
            close(&mut runs, &mut open);
            push(&mut runs, PhaseKind::InnerLoop, vec![*row]);
        } else if code.is_block_barrier(*row) {
            close(&mut runs, &mut open);
            runs.push((PhaseKind::Barrier, vec![*row]));
        } else {
            open.push(*row);
        }
    }
    close(&mut runs, &mut open);
    runs
}

/// Appends rows to the last run if it is of the same kind, else as a run of their own.
fn push(runs: &mut Vec<(PhaseKind, Vec<usize>)>, kind: PhaseKind, rows: Vec<usize>) {
    if rows.is_empty() {
        return;
    }
    match runs.last_mut().filter(|(last, _)| *last == kind) {
        Some((_, all)) => all.extend(rows),
        None => runs.push((kind, rows)),
    }
}
