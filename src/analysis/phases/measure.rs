//! What each phase costs: samples, shares, cycles, tensor cycles (rules R3 to R5).

use super::code::Code;
use super::counters::Counters;
use super::cut::{Cut, cut};
use super::main_loop::MainLoop;
use super::model::{CycleUnit, Phase, PhaseKind, Phases, Role, Span};
use super::roles::{RoleBlocks, Split};
use super::samples::Samples;
use crate::analysis::kernel::summary::KernelSummary;
use crate::evidence::{SourceView, WarpSync};
use std::collections::{BTreeSet, HashMap};

/// A ready warp that another one was picked before.
const NOT_SELECTED: &str = "not_selected";
/// Resident time and occupancy from which shares of samples are shares of time.
const NEARLY_ALL: f64 = 0.9;

impl Phases {
    /// The phases of a launch; `None` where the report lacks the code's bits, executions or samples by instruction, and for a
    /// kernel of one stretch without a loop.
    pub fn of(view: &SourceView, kernel: &KernelSummary<'_>) -> Option<Phases> {
        let launch = kernel.launches().iter().find(|launch| launch.id == view.launch).unwrap_or(&kernel.launches()[0]);
        let counters = Counters::of(launch, kernel)?;
        let (code, samples) = (Code::of(view)?, Samples::of(view)?);
        let split = Split::of(&code, counters.blocks as u64);
        let everything: BTreeSet<usize> = (0..code.flow.blocks.len()).collect();
        let whole = [RoleBlocks { blocks: everything, warps: counters.warps as u64 }];
        let groups: &[RoleBlocks] = if split.roles.is_empty() { &whole } else { &split.roles };
        let roles: Vec<Role> = groups.iter().map(|group| role(&code, &samples, group)).collect();
        let pacing = (0..roles.len()).max_by_key(|at| (roles[*at].tensor, roles[*at].executed))?;
        let region: BTreeSet<usize> = groups[pacing].blocks.union(&split.front).copied().collect();
        let (mut cuts, mains) = without_calls(&code, &samples, region);
        if cuts.is_empty() {
            return None;
        }
        let meeting: Vec<usize> = code.rows_of(&split.behind).collect();
        if !meeting.is_empty() {
            let stores = meeting.iter().any(|row| code.is_global_write(*row) && code.executed[*row] > 0);
            let kind = if stores { PhaseKind::Epilogue } else { PhaseKind::Exit };
            let own = cuts.pop_if(|cut| cut.kind == PhaseKind::Exit);
            cuts.push(Cut::new(kind, meeting.into_iter().chain(own.into_iter().flat_map(|cut| cut.rows)).collect()));
        }
        let lives =
            Lives { code: &code, samples: &samples, split: &split, warps: counters.warps, own: roles[pacing].warps };
        let mut phases: Vec<Phase> = cuts.iter().map(|cut| lives.phase(cut)).collect();
        let elsewhere: u64 = samples.all[code.rows.len()..].iter().sum();
        if elsewhere > 0 {
            phases.push(lives.elsewhere(elsewhere, &view.instructions[code.rows.len()..]));
        }
        lives.settle(&mut phases, &cuts);
        let work = Work::of(&code, &counters, &cuts, &mains, roles[pacing].warps);
        let tensor = tensor(&counters, &work, &mains);
        let mut found = Phases {
            launch: view.launch,
            samples: samples.sum,
            warps: counters.warps as u64,
            roles,
            pacing,
            phases,
            is_time: is_time(&counters),
            unit: work.unit,
            cycles: work.cycles,
            tiles: work.tiles,
            is_persistent: work.is_persistent,
            steps: work.steps,
            tensor,
            step_efficiency: None,
        };
        found.spread(&counters, &code, &cuts, &mains);
        Some(found)
    }

    /// Cycles and tensor cycles by phase, and the efficiency of a step.
    fn spread(&mut self, counters: &Counters, code: &Code<'_>, cuts: &[Cut], mains: &[MainLoop]) {
        let cycles = self.cycles;
        for phase in &mut self.phases {
            phase.cycles = cycles.map(|cycles| phase.share * cycles);
            for part in &mut phase.parts {
                part.cycles = cycles.map(|cycles| part.share * cycles);
            }
        }
        let Some(tensor) = self.tensor else { return };
        let main = self.share(PhaseKind::MainLoop);
        let is_one = counters.is_one_block() == Some(true);
        let busy = counters.tensor.zip(counters.active).map(|(tensor, active)| tensor / (active * main));
        self.step_efficiency = busy.filter(|_| is_one && main > 0.0);
        let is_drained = is_one && mains.iter().all(|main| is_in_step(code, main));
        let late = late_rows(code);
        let mut given = false;
        for (phase, cut) in self.phases.iter_mut().zip(cuts) {
            phase.tensor = match cut.kind {
                PhaseKind::MainLoop if !given => {
                    given = true;
                    Some(tensor)
                }
                PhaseKind::MainLoop | PhaseKind::Drain => None,
                _ => {
                    let is_empty = cut.rows.iter().all(|row| !code.is_tensor(*row) && !late.contains(row));
                    (is_drained && is_empty).then_some(0.0)
                }
            };
        }
    }
}

/// What a role runs.
fn role(code: &Code<'_>, samples: &Samples, group: &RoleBlocks) -> Role {
    let rows: Vec<usize> = code.rows_of(&group.blocks).collect();
    let executed =
        |keep: &dyn Fn(usize) -> bool| rows.iter().filter(|row| keep(**row)).map(|row| code.executed[*row]).sum();
    Role {
        warps: group.warps,
        start: rows.first().map_or(0, |row| code.rows[*row].offset),
        samples: samples.at(&rows),
        executed: executed(&|_| true),
        tensor: executed(&|row| code.is_tensor(row)),
    }
}

/// The cuts of a region, a called function with the phase that calls it.
fn without_calls(code: &Code<'_>, samples: &Samples, region: BTreeSet<usize>) -> (Vec<Cut>, Vec<MainLoop>) {
    let straight = code.reach(0, |_, _| true);
    let called: BTreeSet<usize> = code
        .calls
        .iter()
        .flat_map(|(_, to)| code.reach(*to, |_, _| true))
        .filter(|block| !straight.contains(block))
        .collect();
    let own: BTreeSet<usize> = region.difference(&called).copied().collect();
    let (mut cuts, mains) = cut(code, samples, &own);
    if mains.is_empty() {
        let (all, mains) = cut(code, samples, &region);
        if !mains.is_empty() || cuts.is_empty() {
            return (all, mains);
        }
    }
    let mut placed: BTreeSet<usize> = cuts.iter().flat_map(|cut| cut.rows.iter().copied()).collect();
    let mut calls: Vec<(usize, usize)> = code.calls.iter().filter(|(from, _)| region.contains(from)).copied().collect();
    calls.sort_by_key(|(from, _)| std::cmp::Reverse(code.entries(*from)));
    // A function that another called function calls is placed once that one is.
    for _ in 0..calls.len() {
        let mut is_done = true;
        for (from, to) in &calls {
            let last = code.flow.blocks[*from].instructions.end - 1;
            let Some(cut) = cuts.iter_mut().find(|cut| cut.rows.contains(&last)) else { continue };
            let body = code.reach(*to, |_, _| true);
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

/// Whether nearly all warps that fit are there from start to end, so that a share of samples is a share of the elapsed time.
fn is_time(counters: &Counters) -> bool {
    let is_filled = counters.filled.is_some_and(|filled| filled >= NEARLY_ALL);
    let is_one_wave = counters.waves.is_some_and(|waves| waves <= 1.0);
    (is_filled || is_one_wave) && counters.active.is_some_and(|active| active >= NEARLY_ALL)
}

/// The lives of the warps of the pacing role.
struct Lives<'a> {
    code: &'a Code<'a>,
    samples: &'a Samples,
    split: &'a Split,
    /// `W`.
    warps: f64,
    /// `w`.
    own: u64,
}

impl Lives<'_> {
    /// The weight of a sample at a row: over all samples where all warps run it, over those that fall to the warps of the role
    /// where only these do.
    fn weight(&self, row: usize) -> f64 {
        let all = self.samples.sum as f64;
        let is_shared = self.split.roles.is_empty() || self.split.front.contains(&self.code.block_of[row]);
        if is_shared { 1.0 / all } else { self.warps / (all * self.own as f64) }
    }

    fn share(&self, rows: &[usize], counts: &[u64]) -> f64 {
        rows.iter().map(|row| counts[*row] as f64 * self.weight(*row)).sum()
    }

    fn phase(&self, cut: &Cut) -> Phase {
        let parts = cut.parts.iter().map(|(kind, rows)| self.part(*kind, rows)).collect();
        Phase { parts, ..self.part(cut.kind, &cut.rows) }
    }

    fn part(&self, kind: PhaseKind, rows: &[usize]) -> Phase {
        let share = self.share(rows, &self.samples.all);
        let ready = self.samples.reasons.get(NOT_SELECTED).map_or(0.0, |counts| self.share(rows, counts));
        Phase {
            kind,
            at: span(self.code, self.samples, rows),
            samples: self.samples.at(rows),
            share,
            cost: share - ready,
            cycles: None,
            tensor: None,
            executed: rows.iter().map(|row| self.code.executed[*row]).sum(),
            parts: Vec::new(),
        }
    }

    /// Samples in functions that were loaded apart.
    fn elsewhere(&self, samples: u64, rows: &[crate::evidence::CodeInstruction]) -> Phase {
        let share = samples as f64 / self.samples.sum as f64;
        let at = Span { end: rows.last().map_or(0, |row| row.offset), ..Span::default() };
        Phase {
            kind: PhaseKind::Elsewhere,
            at,
            samples,
            share,
            cost: share,
            cycles: None,
            tensor: None,
            executed: 0,
            parts: Vec::new(),
        }
    }

    /// The code behind the meeting of the roles gets what is left of the life of a warp of the pacing role.
    fn settle(&self, phases: &mut [Phase], cuts: &[Cut]) {
        let is_meeting =
            |cut: &Cut| cut.rows.first().is_some_and(|row| self.split.behind.contains(&self.code.block_of[*row]));
        let Some(at) = cuts.iter().position(|cut| !self.split.roles.is_empty() && is_meeting(cut)) else { return };
        let others: f64 =
            phases.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, phase)| phase.share).sum();
        let phase = &mut phases[at];
        let left = (1.0 - others).max(0.0);
        let working = if phase.share > 0.0 { phase.cost / phase.share } else { 1.0 };
        (phase.share, phase.cost) = (left, left * working);
    }
}

/// The lines of some rows: from the first to the last that holds more than a hundredth of their samples, by the line that the
/// instructions were inlined into.
fn span(code: &Code<'_>, samples: &Samples, rows: &[usize]) -> Span {
    let offsets = || rows.iter().map(|row| code.rows[*row].offset);
    let (start, end) = (offsets().min().unwrap_or_default(), offsets().max().unwrap_or_default());
    let mut lines: HashMap<(&str, u32), u64> = HashMap::new();
    for row in rows {
        if let Some(place) = code.rows[*row].places.last() {
            *lines.entry((&place.file, place.line)).or_default() += samples.all[*row];
        }
    }
    let all: u64 = lines.values().sum();
    let mut files: HashMap<&str, u64> = HashMap::new();
    lines.iter().for_each(|((file, _), count)| *files.entry(file).or_default() += count + 1);
    let Some((file, _)) = files.into_iter().max_by_key(|(file, count)| (*count, *file)) else {
        return Span { start, end, ..Span::default() };
    };
    let counts = lines.iter().filter(|((other, line), _)| *other == file && *line > 0);
    let large: Vec<u32> = counts.filter(|(_, count)| 100 * **count >= all).map(|((_, line), _)| *line).collect();
    Span {
        file: file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned(),
        first: large.iter().min().copied().unwrap_or_default(),
        last: large.iter().max().copied().unwrap_or_default(),
        start,
        end,
    }
}

/// Tiles, steps and the cycles of a tile (rule R4).
#[derive(Default)]
struct Work {
    unit: Option<CycleUnit>,
    cycles: Option<f64>,
    tiles: Option<f64>,
    steps: Option<f64>,
    is_persistent: bool,
}

impl Work {
    fn of(code: &Code<'_>, counters: &Counters, cuts: &[Cut], mains: &[MainLoop], warps: u64) -> Work {
        let epilogue = cuts.iter().find(|cut| cut.kind == PhaseKind::Epilogue).and_then(|cut| cut.rows.first());
        let inside = |row: &usize| mains.iter().any(|main| main.cycle.blocks.contains(&code.block_of[*row]));
        let around = |row: &usize| {
            let block = code.block_of[*row];
            let holds = |cycle: &&super::code::Loop| {
                cycle.blocks.contains(&block) && mains.iter().all(|main| cycle.blocks.is_superset(&main.cycle.blocks))
            };
            code.loops.iter().any(|cycle| holds(&cycle))
        };
        let turns = epilogue.filter(|row| !mains.is_empty() && (inside(row) || around(row)));
        let turns = turns.filter(|_| counters.is_resident_grid() == Some(true));
        let done = turns.map(|row| code.executed[*row] as f64 / warps.max(1) as f64).filter(|tiles| *tiles > 0.0);
        let tiles = done.or(Some(counters.blocks).filter(|blocks| *blocks > 0.0));
        let is_persistent = done.is_some();
        let has_tensor = mains.iter().any(|main| main.has_tensor);
        let per_block = |cycles: Option<f64>| Some(cycles? * counters.sms? / tiles?);
        let (unit, cycles) = if is_persistent {
            (CycleUnit::Tile, per_block(counters.elapsed))
        } else if has_tensor && counters.is_one_block() == Some(true) {
            (CycleUnit::Block, per_block(counters.resident))
        } else {
            (CycleUnit::Warp, counters.warp_life())
        };
        let in_loop = turns.is_some_and(inside);
        let steps = mains.first().filter(|_| mains.len() == 1).and_then(|main| {
            let turns = code.entries(main.cycle.header) as f64;
            let entered = if in_loop { tiles? * warps as f64 } else { code.entered(&main.cycle)? as f64 };
            Some(turns / entered)
        });
        Work { unit: cycles.map(|_| unit), cycles, tiles, steps, is_persistent }
    }
}

/// Tensor cycles of a tile: the share of the elapsed cycles of all SMs over all tiles, or of the resident cycles of a block.
fn tensor(counters: &Counters, work: &Work, mains: &[MainLoop]) -> Option<f64> {
    if !mains.iter().any(|main| main.has_tensor) {
        return None;
    }
    let elapsed = || Some(counters.tensor? * counters.elapsed? * counters.sms? / work.tiles?);
    match work.unit {
        Some(CycleUnit::Block) => {
            counters.tensor_resident.zip(work.cycles).map(|(share, cycles)| share * cycles).or_else(elapsed)
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

/// The rows that may run while asynchronous products are in flight: those that a walk from a tensor instruction reaches before
/// a wait for all of them. Products of `mma.sync` are done when their registers are read, and reach nowhere.
fn late_rows(code: &Code<'_>) -> BTreeSet<usize> {
    let is_synchronous = |row: usize| matches!(code.base(row), "HMMA" | "IMMA" | "DMMA" | "BMMA" | "QMMA" | "OMMA");
    let mut late = BTreeSet::new();
    let mut open: Vec<usize> =
        (0..code.rows.len()).filter(|row| code.is_tensor(*row) && !is_synchronous(*row)).collect();
    let mut seen: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(row) = open.pop() {
        let block = code.block_of[row];
        let range = &code.flow.blocks[block].instructions;
        let next: Vec<usize> = if row + 1 < range.end {
            vec![row + 1]
        } else {
            code.flow.blocks[block].successors.iter().map(|to| code.flow.blocks[*to].instructions.start).collect()
        };
        for next in next {
            if code.sync(next) != (WarpSync::ProductsWait { pending: 0 }) && seen.insert(next) {
                late.insert(next);
                open.push(next);
            }
        }
    }
    late
}
