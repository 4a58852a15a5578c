//! What each phase costs: samples, shares, cycles, tensor cycles.

use super::code::{Code, Loop};
use super::detail::{Point, TensorSite};
use super::main_loop::{MainLoop, are_alternatives};
use super::model::{CycleUnit, Phase, PhaseKind, Phases, Span};
use super::point::{calling, point, product_line, span};
use super::role_lines::of_rows;
use super::{
    accesses, cut::Cut, frame::Frame, guards, in_flight::in_flight, pace, study::Study, tensor, tile_loop::WARPGROUP,
    waits,
};
use crate::analysis::derive::residency::Residency;
use crate::analysis::lines::NOT_SELECTED;
use crate::evidence::{Instruction, WarpSync};
use std::collections::BTreeMap;

/// Resident time, occupancy and life of a warp from which shares of samples are shares of time.
const NEARLY_ALL: f64 = 0.9;

impl Phases {
    /// The phases of a launch that is cut.
    pub fn of(study: &Study<'_>) -> Phases {
        let view = study.view;
        let lives = Lives { study, own: study.samples.sum as f64 * study.share_of_pacing() };
        let mut phases: Vec<Phase> = study.cuts.iter().map(|cut| lives.phase(cut)).collect();
        let elsewhere: u64 = study.samples.all[study.code.rows.len()..].iter().sum();
        if elsewhere > 0 {
            phases.push(lives.elsewhere(elsewhere, &view.instructions[study.code.rows.len()..]));
        }
        lives.settle(&mut phases);
        let work = Work::of(study);
        let mut found = Phases {
            samples: study.samples.sum,
            warps: study.counters.block_warps.unwrap_or_default() as u64,
            roles: pace::roles(study),
            pacing: study.pacing,
            pace: None,
            phases,
            is_time: is_time(&study.counters),
            unit: work.unit,
            cycles: work.cycles,
            tiles: work.tiles,
            is_persistent: work.is_persistent,
            in_turn: work.in_turn,
            steps: work.steps,
            tensor: tensor_cycles(study, &work),
            step_efficiency: None,
            time: tensor::time_split(study, work.tiles, work.is_persistent),
            pressure: None,
            drain_in_loop: None,
            stalls: waits::stalls(study),
            sites: sites(study),
            guarded: guards::guarded(study),
            accesses: accesses::accesses(study),
            calls_out: study.code.calls_out(),
        };
        found.pace = pace::pace(&found);
        found.spread(study);
        found
    }

    /// Cycles, issue slots and tensor cycles by phase, and what follows from them.
    fn spread(&mut self, study: &Study<'_>) {
        let (cycles, slots) = (self.cycles, slots(study, self));
        for phase in &mut self.phases {
            phase.cycles = cycles.map(|cycles| phase.share * cycles);
            phase.issue = slots.map(|slots| phase.executed as f64 / slots);
            for part in &mut phase.parts {
                part.cycles = cycles.map(|cycles| part.share * cycles);
                part.issue = slots.map(|slots| part.executed as f64 / slots);
            }
        }
        let Some(tensor) = self.tensor else { return };
        let counters = &study.counters;
        let is_one = counters.is_one_block() == Some(true);
        let in_step = !study.is_in_turn && study.mains.iter().all(|main| is_in_step(&study.code, main));
        // Products of the last steps run on in the drain. Where warps take tiles in turn, those of others fill the rest of the loop.
        let drained = self.share(PhaseKind::MainLoop) + self.share(PhaseKind::Drain);
        let is_inside = |cut: &Cut| cut.rows.first().is_some_and(|row| study.is_in_main_loop(*row));
        let inside = self.phases.iter().zip(&study.cuts).filter(|(_, cut)| is_inside(cut));
        let main = if in_step { drained } else { inside.map(|(phase, _)| phase.share).sum::<f64>().max(drained) };
        // Samples scatter; products never take longer than the loop that they are in.
        let busy = counters.tensor[0].zip(counters.active).map(|(tensor, active)| (tensor / (active * main)).min(1.0));
        self.step_efficiency = busy.filter(|_| is_one && main > 0.0);
        self.pressure = tensor::pressure(study, self.step_efficiency);
        let mut given = false;
        for (phase, cut) in self.phases.iter_mut().zip(&study.cuts) {
            phase.tensor = match cut.kind {
                // Products of other warps that run beside other phases are those of no phase.
                PhaseKind::MainLoop if !given && self.in_turn.is_none() => {
                    given = true;
                    Some(tensor)
                }
                PhaseKind::MainLoop | PhaseKind::Drain => None,
                _ => {
                    let is_empty = cut.rows.iter().all(|row| !study.code.is_tensor(*row) && !study.late.contains(row));
                    (is_one && in_step && is_empty).then_some(0.0)
                }
            };
        }
        self.drain_in_loop = tensor::drain_in_loop(study, self, in_step);
        if let Some(most) = self.drain_in_loop {
            let copies = self.phases.iter_mut().flat_map(|phase| &mut phase.parts);
            copies.filter(|part| part.kind == PhaseKind::Copies).for_each(|part| part.cost = part.cost.min(most));
        }
    }
}

/// Issue slots of one unit of cycles: four schedulers for each tile. Where the unit is the life of a warp, other blocks on
/// the SM issue in the same cycles, and their instructions count.
fn slots(study: &Study<'_>, phases: &Phases) -> Option<f64> {
    let counters = &study.counters;
    match phases.unit? {
        CycleUnit::Tile | CycleUnit::Block => Some(4.0 * phases.tiles?),
        CycleUnit::Warp => Some(4.0 * counters.blocks? * counters.block_warps? / counters.warps?),
    }
}

/// The tensor instructions of each main loop, one site for each opcode.
fn sites(study: &Study<'_>) -> Vec<TensorSite> {
    let code = &study.code;
    let mut found = Vec::new();
    for main in &study.mains {
        let mut by: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let tensor = code.rows_of(&main.cycle.blocks).filter(|row| code.is_tensor(*row) && code.executed[*row] > 0);
        tensor.for_each(|row| by.entry(code.op(row).name()).or_default().push(row));
        for rows in by.into_values() {
            let Some(first) = rows.first() else { continue };
            let line = product_line(study, &rows);
            let at = point(study, *first);
            found.push(TensorSite {
                at: line.map_or(at.clone(), |line| Point {
                    file: study.name(&line.file),
                    line: line.line,
                    call: calling(study.view, &rows, line).map(|call| study.line(call)),
                    ..at
                }),
                count: rows.len() as u64,
                executed: code.sum(&rows),
                share: study.samples.at(&rows) as f64 / study.samples.sum as f64,
            });
        }
    }
    found
}

/// Whether as many warps are there from start to end, so that a share of samples is a share of the elapsed time: nearly all that fit, or
/// each of them for nearly as long as the launch takes.
fn is_time(counters: &Residency) -> bool {
    let is_full = |part: Option<f64>| part.is_some_and(|part| part >= NEARLY_ALL);
    let lives = || Some(counters.life? / counters.cycles?);
    is_full(counters.filled()) && is_full(counters.active) || is_full(lives())
}

/// The lives of the warps of the pacing role.
struct Lives<'a> {
    study: &'a Study<'a>,
    /// Samples that fall to them.
    own: f64,
}

impl Lives<'_> {
    /// The weight of a sample at a row: over those that fall to the warps of the role; where all warps run the row, a sample is of
    /// one of these for their part of the warps.
    fn weight(&self, row: usize) -> f64 {
        let study = self.study;
        let is_shared = study.split.is_one() || study.split.front.contains(&study.code.block_of[row]);
        if is_shared { study.part_of_warps / self.own } else { 1.0 / self.own }
    }

    fn share(&self, rows: &[usize], counts: &[u64]) -> f64 {
        rows.iter().map(|row| counts[*row] as f64 * self.weight(*row)).sum()
    }

    fn phase(&self, cut: &Cut) -> Phase {
        let parts = cut.parts.iter().map(|(kind, rows)| self.part(*kind, rows)).collect();
        let mut phase = Phase { parts, ..self.part(cut.kind, &cut.rows) };
        if let Some(stores) = phase.parts.iter().find(|part| part.kind == PhaseKind::Stores) {
            (phase.at, phase.name) = (stores.at.clone(), stores.name.clone());
        }
        // Where there are several main loops, the call tells them apart.
        if cut.kind == PhaseKind::MainLoop && self.study.mains.len() > 1 {
            phase.at = span(self.study, &Frame::default(), &cut.rows);
        }
        if !phase.parts.is_empty() {
            phase.opcodes.clear();
        }
        phase
    }

    fn part(&self, kind: PhaseKind, rows: &[usize]) -> Phase {
        let (code, samples) = (&self.study.code, &self.study.samples);
        let share = self.share(rows, &samples.all);
        let ready = samples.reasons.get(NOT_SELECTED).map_or(0.0, |counts| self.share(rows, counts));
        Phase {
            kind,
            in_flight: in_flight(code, samples, &self.study.late, rows),
            share,
            cost: share - ready,
            ..of_rows(self.study, &self.study.frame, rows)
        }
    }

    /// Samples in functions that were loaded apart.
    fn elsewhere(&self, samples: u64, rows: &[Instruction]) -> Phase {
        let share = samples as f64 / self.study.samples.sum as f64;
        let at = Span { end: rows.last().map_or(0, |row| row.offset), ..Span::default() };
        Phase { kind: PhaseKind::Elsewhere, at, samples, share, cost: share, ..Phase::default() }
    }

    /// The code behind the meeting of the roles gets what is left of the life of a warp of the pacing role.
    fn settle(&self, phases: &mut [Phase]) {
        let Study { code, split, cuts, .. } = self.study;
        let is_meeting = |cut: &Cut| cut.rows.first().is_some_and(|row| split.behind.contains(&code.block_of[*row]));
        let Some(at) = cuts.iter().position(|cut| !split.is_one() && is_meeting(cut)) else { return };
        let others: f64 =
            phases.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, phase)| phase.share).sum();
        let phase = &mut phases[at];
        let left = (1.0 - others).max(0.0);
        let working = if phase.share > 0.0 { phase.cost / phase.share } else { 1.0 };
        (phase.share, phase.cost) = (left, left * working);
    }
}

/// Lanes of a warp that turn a loop together, at least.
const TOGETHER: f64 = 28.0;

/// Tiles, steps and the cycles of a tile.
#[derive(Default)]
struct Work {
    unit: Option<CycleUnit>,
    cycles: Option<f64>,
    tiles: Option<f64>,
    steps: Option<f64>,
    in_turn: Option<u64>,
    is_persistent: bool,
}

impl Work {
    fn of(study: &Study<'_>) -> Work {
        let Study { code, counters, cuts, mains, .. } = study;
        let warps = study.warps();
        let epilogue = cuts.iter().find(|cut| cut.kind == PhaseKind::Epilogue).and_then(|cut| cut.rows.first());
        let inside = |row: &usize| study.is_in_main_loop(*row);
        let around = |row: &usize| {
            let block = code.block_of[*row];
            let holds = |cycle: &&Loop| {
                cycle.blocks.contains(&block) && mains.iter().all(|main| cycle.blocks.is_superset(&main.cycle.blocks))
            };
            code.loops.iter().any(|cycle| holds(&cycle))
        };
        let turns = epilogue.filter(|row| !mains.is_empty() && (inside(row) || around(row)));
        // A tile is of all lanes; a loop whose lanes leave it one by one is a walk of each of them.
        let is_together = |row: &usize| {
            let lanes = code.lanes.as_deref();
            let heads = code.around(*row);
            let mut heads = heads.map(|cycle| code.flow.blocks[cycle.header].instructions.start);
            heads.all(|head| lanes.is_none_or(|lanes| lanes[head] as f64 >= TOGETHER * code.executed[head] as f64))
        };
        let turns = turns.filter(|row| {
            counters.blocks.zip(counters.at_once()).is_some_and(|(all, fit)| all <= fit) && is_together(row)
        });
        let in_turn = Some(warps / WARPGROUP).filter(|groups| study.is_in_turn && turns.is_some() && *groups > 1);
        let groups = in_turn.unwrap_or(1) as f64;
        let cycles: Vec<&Loop> = mains.iter().map(|main| &main.cycle).collect();
        let each = |row: &usize| match mains.len() > 1 && are_alternatives(code, &cycles) {
            true => cycles.iter().filter_map(|cycle| code.entered(cycle)).sum(),
            false => code.executed[*row],
        };
        let done = turns.map(|row| each(row) as f64 * groups / warps.max(1) as f64);
        let done = done.filter(|tiles| *tiles > 0.0);
        let tiles = done.or(counters.blocks);
        let is_persistent = done.is_some();
        let has_tensor = mains.iter().any(|main| main.has_tensor);
        let per_block = |cycles: Option<f64>| Some(cycles? * counters.sms? / tiles?);
        let (unit, cycles) = if is_persistent {
            (CycleUnit::Tile, per_block(counters.cycles).map(|cycles| cycles * groups))
        } else if has_tensor && counters.is_one_block() == Some(true) {
            (CycleUnit::Block, per_block(counters.resident))
        } else {
            (CycleUnit::Warp, counters.life)
        };
        let in_loop = turns.is_some_and(inside);
        let steps = mains.first().filter(|_| mains.len() == 1).and_then(|main| {
            let turns = code.entries(main.cycle.header) as f64;
            // Of a life, which may enter it several times, or of a tile.
            let entered = match is_persistent && !in_loop {
                true => code.entered(&main.cycle)? as f64,
                false => tiles? * warps as f64 / groups,
            };
            Some(turns / entered)
        });
        Work { unit: cycles.map(|_| unit), cycles, tiles, steps, in_turn, is_persistent }
    }
}

/// Tensor cycles of a tile: the share of the elapsed cycles of all SMs over all tiles, or of the resident cycles of a block.
fn tensor_cycles(study: &Study<'_>, work: &Work) -> Option<f64> {
    let counters = &study.counters;
    if !study.mains.iter().any(|main| main.has_tensor) {
        return None;
    }
    let groups = work.in_turn.unwrap_or(1) as f64;
    let elapsed = || Some(groups * study.counters.tensor[0]? * counters.cycles? * counters.sms? / work.tiles?);
    match work.unit {
        Some(CycleUnit::Block) => {
            study.counters.tensor[1].zip(work.cycles).map(|(share, cycles)| share * cycles).or_else(elapsed)
        }
        _ => elapsed(),
    }
}

/// Whether all warps meet at a barrier on every turn of a main loop, so that none multiplies while another one stores.
fn is_in_step(code: &Code<'_>, main: &MainLoop) -> bool {
    let meets =
        |row: usize| code.sync(row) == WarpSync::BlockBarrier { all: true } && 2 * code.executed[row] >= main.turns;
    code.rows_of(&main.cycle.blocks).any(meets)
}
