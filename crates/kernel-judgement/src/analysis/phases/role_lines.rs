//! The lines of a role whose phases are not told: what costs a producer its time.

use super::detail::{Wait, WaitGroup};
use super::model::{LONG, Phase, PhaseKind};
use super::point::{named, span};
use super::{code::Code, frame::Frame, guards::opcodes, study::Study, waits::waits};
use crate::analysis::lines::NOT_SELECTED;
use crate::evidence::WarpSync;
use std::collections::BTreeMap;

/// Samples of a role below which its lines say too little.
const ENOUGH: u64 = 500;
/// Lines with less of the samples are not told.
const LEAST: f64 = 0.03;
/// A line that waits for memory in this part of its samples, and executes no more than the other part of the instructions, only waits.
const WAITS: f64 = 0.8;
const WORKS: f64 = 0.05;
/// Lines told of a role.
const LINES: usize = 6;

/// The lines of some rows that hold the most samples, largest first.
pub(super) fn lines(study: &Study<'_>, rows: &[usize]) -> Vec<Phase> {
    let all = study.samples.at(rows);
    if all < ENOUGH {
        return Vec::new();
    }
    let frame = Frame::of(study.code.rows, &study.samples, [rows]);
    let mut by: BTreeMap<(&str, u32), Vec<usize>> = BTreeMap::new();
    for row in rows {
        if let Some(line) = frame.line(&study.code.rows[*row].places) {
            by.entry((&line.file, line.line)).or_default().push(*row);
        }
    }
    let mut found: Vec<Phase> = by.into_values().map(|rows| line(study, &frame, &rows, all)).collect();
    let executed: u64 = study.code.sum(rows);
    for line in found.iter_mut().filter(|line| line.executed as f64 <= WORKS * executed as f64) {
        line.kind = waits_for(&line.waits).unwrap_or(line.kind);
    }
    found.retain(|line| line.share >= LEAST);
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found.truncate(LINES);
    found
}

/// What is known of some rows but their kind and their shares.
pub(super) fn of_rows(study: &Study<'_>, frame: &Frame, rows: &[usize]) -> Phase {
    Phase {
        at: span(study, frame, rows),
        name: named(study, frame, rows),
        samples: study.samples.at(rows),
        executed: study.code.sum(rows),
        polls: study.code.sum(rows.iter().filter(|row| study.spins.contains(row))),
        waits: waits(study, rows),
        opcodes: opcodes(study, rows),
        ..Phase::default()
    }
}

fn line(study: &Study<'_>, frame: &Frame, rows: &[usize], all: u64) -> Phase {
    let samples = study.samples.at(rows);
    let share = |samples: u64| samples as f64 / all as f64;
    Phase {
        kind: kind(&study.code, rows),
        share: share(samples),
        cost: share(samples - study.samples.of_reason(NOT_SELECTED, rows)),
        ..of_rows(study, frame, rows)
    }
}

/// What a line waits for that does hardly anything else: registers that loads fill, or copies to shared memory.
fn waits_for(waits: &[Wait]) -> Option<PhaseKind> {
    let first = waits.first().filter(|first| first.reason == LONG && first.share >= WAITS)?;
    let of = |group: &WaitGroup| group.cause.as_ref().unwrap_or(&group.at).op();
    let is_of_copies = first.groups.iter().any(|group| of(group).is_of_copies());
    Some(if is_of_copies { PhaseKind::CopiesWait } else { PhaseKind::LoadsWait })
}

fn kind(code: &Code<'_>, rows: &[usize]) -> PhaseKind {
    let any = |is_meant: &dyn Fn(usize) -> bool| rows.iter().any(|row| is_meant(*row));
    match () {
        () if any(&|row| code.sync(row) == WarpSync::MbarrierTest) => PhaseKind::SlotWait,
        () if any(&|row| code.op(row).copies_global()) => PhaseKind::Copies,
        () if any(&|row| code.sync(row) == WarpSync::MbarrierArrive) => PhaseKind::Release,
        () if any(&|row| code.op(row).loads_global()) => PhaseKind::Load,
        () => PhaseKind::Compute,
    }
}
