//! Executions with a lane on, by opcode: an instruction whose guard is off for all lanes is executed and does nothing.

use super::code::Code;
use super::detail::{GuardedOpcode, OpcodeRun};
use super::study::Study;
use super::values::Origin;
use cuda_binary::Op;
use cuda_binary::op::{Sync, Told};
use std::collections::{BTreeMap, BTreeSet};

/// What orders memory, and what goes with it.
const FENCES: [Sync; 4] = [Sync::Fence, Sync::FenceEnd, Sync::ProxyFence, Sync::Cache];

/// The opcodes of which some execution had its guard off, by name: fences, cache control, arrivals, and accesses to memory, which take their
/// slot in the load and store unit even where the guard is off.
pub(super) fn guarded(study: &Study<'_>) -> Vec<GuardedOpcode> {
    let code = &study.code;
    let mut by: BTreeMap<&str, GuardedOpcode> = BTreeMap::new();
    let orders = |sync: Sync| sync == Sync::Mbarrier || FENCES.contains(&sync);
    let is_told = |op: Op| op.is_lsu_access() || op.sync().is_some_and(orders);
    for row in code.run().filter(|row| is_told(code.op(*row))) {
        let Some((least, most)) = lanes_on(study, row) else { return Vec::new() };
        let new = || GuardedOpcode { opcode: code.op(row), ..GuardedOpcode::default() };
        let opcode = by.entry(code.op(row).name()).or_insert_with(new);
        opcode.executed += code.executed[row];
        opcode.at_least += least;
        opcode.at_most += most;
    }
    by.into_values().filter(|opcode| opcode.at_most < opcode.executed).collect()
}

/// Lanes of a warp that are on from which few are off.
pub(super) const MOST_LANES: f64 = 31.0;

/// The executions of an instruction with a lane on, at least and at most: between `T/32` and `min(E, T)`. They are `T` for one lane
/// of the warp, `T/32` where the guard is the same for all lanes of a whole warp, and all of them without a guard.
pub(super) fn lanes_on(study: &Study<'_>, row: usize) -> Option<(u64, u64)> {
    let code = &study.code;
    let (executed, lanes) = (code.executed[row], code.lanes.as_ref()?[row]);
    let (least, most) = (lanes.div_ceil(32), executed.min(lanes));
    if code.word(row).is_unconditional {
        return Some((executed, executed));
    }
    if least == most {
        return Some((most, most));
    }
    let origin = code.origin_of_guard(row);
    if origin.elected || origin.thread && lanes <= executed {
        return Some((most, most));
    }
    let is_uniform = !origin.thread && !origin.memory && !origin.unknown;
    Some(if is_uniform && reaching(code, row) == 32.0 { (least, least) } else { (least, most) })
}

/// Lanes of a warp that reach an instruction: those of one of its block without a guard; 0 where that is not known.
fn reaching(code: &Code<'_>, row: usize) -> f64 {
    let Some(lanes) = &code.lanes else { return 0.0 };
    let block = code.flow.blocks[code.block_of[row]].instructions.clone();
    let is_free = |own: &usize| code.executed[*own] > 0 && code.word(*own).is_unconditional;
    block.filter(is_free).map(|own| lanes[own] as f64 / code.executed[own] as f64).fold(0.0, f64::max)
}

/// Executions of a row; of a fence those with a lane on, as it does nothing where its guard is off.
pub(super) fn executions(study: &Study<'_>, row: usize) -> u64 {
    let does = study.code.op(row).sync().is_some_and(|sync| FENCES.contains(&sync));
    let on = || lanes_on(study, row).map(|(_, most)| most);
    does.then(on).flatten().unwrap_or(study.code.executed[row])
}

impl Code<'_> {
    /// What lets a row run: itself by its guard, or the branch in front of its block.
    pub(super) fn lets_run(&self, row: usize) -> Option<usize> {
        let by_guard = (!self.word(row).is_unconditional).then_some(row);
        let before = match self.predecessors[self.block_of[row]][..] {
            [before] => {
                Some(self.flow.blocks[before].instructions.end - 1).filter(|row| self.op(*row).control().is_some())
            }
            _ => None,
        };
        by_guard.or(before)
    }
}

impl Study<'_> {
    /// Whether the number of a thread alone says which lanes run a row, of all that were on before it was asked.
    pub(super) fn is_by_number(&self, row: usize) -> bool {
        self.code.lets_run(row).is_some_and(|test| {
            let Origin { thread, memory, unknown, elected, .. } = self.code.origin_of_guard(test);
            thread && !memory && !unknown && !elected && reaching(&self.code, test) > MOST_LANES
        })
    }

    /// Loads of global memory that a value of each lane, loaded in the same turn, lets run, by their guard or by the branch in front of their
    /// block, though no loaded value is behind their address; and the loads of those values.
    pub(in crate::analysis) fn tested_loads(&self) -> Vec<usize> {
        let code = &self.code;
        let is_load = |row: &usize| code.op(*row).loads_global();
        let mut found = BTreeSet::new();
        for row in code.run().filter(is_load) {
            if let Some(test) = self.code.lets_run(row) {
                let is_near = |own: &usize| {
                    is_load(own) && code.innermost(*own) == code.innermost(row) && code.differs_by_lane(*own, false)
                };
                let tests: Vec<usize> = code.behind_flags(test).into_iter().filter(is_near).collect();
                // A test that most lanes do not pass saves the bytes of those.
                let passes = |test: &usize| code.lanes.as_ref().is_some_and(|lanes| 2 * lanes[row] >= lanes[*test]);
                if !tests.is_empty() && tests.iter().all(passes) && code.loads_behind(row).is_empty() {
                    found.insert(row);
                    found.extend(tests);
                }
            }
        }
        found.into_iter().collect()
    }
}

/// Opcodes told of a phase.
const TOLD: usize = 4;

/// The opcodes of some rows that execute the most, largest first.
pub(super) fn opcodes(study: &Study<'_>, rows: &[usize]) -> Vec<OpcodeRun> {
    let code = &study.code;
    let mut by: BTreeMap<&str, OpcodeRun> = BTreeMap::new();
    for row in rows.iter().copied().filter(|row| code.executed[*row] > 0) {
        let op = code.op(row);
        if !op.is_product() && op.told() == Told::No || code.rows[row].makes_constant() {
            continue;
        }
        let most = lanes_on(study, row).map_or(code.executed[row], |(_, most)| most);
        if most > 0 {
            let run = by.entry(op.name()).or_insert_with(|| OpcodeRun { opcode: op, ..OpcodeRun::default() });
            run.count += 1;
            run.executed += most;
        }
    }
    let mut found: Vec<OpcodeRun> = by.into_values().collect();
    found.sort_by(|a, b| b.executed.cmp(&a.executed).then_with(|| a.opcode.name().cmp(b.opcode.name())));
    found.truncate(TOLD);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, ended, r, word};
    use crate::evidence::MachineWord;

    #[test]
    fn a_guarded_load_in_front_says_nothing_of_the_lanes_that_reach_a_test() {
        let load = MachineWord { is_unconditional: false, ..word(Op::LDG, &[r(4)], &[P, r(2)]) };
        let rows = ended(&[load, word(Op::ISETP, &[P], &[r(3)])]);
        let code = Code::counted(&rows, vec![10; 3], Some(vec![40, 320, 320]));
        assert_eq!(reaching(&code, 1), 32.0);
    }
}
