//! Loads in loops: how soon their value is used, and how many warps would hide the wait.
//!
//! The bits of an instruction say how many cycles a warp waits at least before it issues the next one, which scoreboard its
//! result holds, and which scoreboards it waits for. One warp alone is followed through a turn of the loop with them.

use crate::analysis::sass::Listed;
use crate::catalog::LoadLatency;
use crate::evidence::{Instruction, MachineWord};
use cuda_binary::Op;
use cuda_binary::op::{Act, Space};

/// The load of a loop whose value is used soonest.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LoadUse {
    /// `LDG`, or `LDTM` from tensor memory.
    pub opcode: Op,
    /// Line of the subject's source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Cycles from its issue to the first instruction that waits for it, for a warp that waits for nothing else.
    pub cycles: u32,
    /// Cycles until the value is there: the chip's latency from L2, or of tensor memory.
    pub latency: u32,
    /// Instructions of a turn of the loop.
    pub instructions: u32,
    /// Cycles of a turn for one warp alone.
    pub turn: u32,
}

impl LoadUse {
    /// Warps of a scheduler that issue in every cycle between them: cycles of a turn over its instructions.
    pub fn warps(&self) -> u32 {
        self.turn.div_ceil(self.instructions.max(1))
    }

    /// Whether a warp waits for it at all.
    pub fn is_exposed(&self) -> bool {
        self.cycles < self.latency
    }
}

const SCOREBOARDS: usize = 6;

/// Cycles of a warp's own work between a load and the first instruction of its block that waits for it, or the block's end where
/// none does; `None` where the listing has no encodings. Loads of an opcode return in order: one without a scoreboard of its own
/// is waited for with the next that has one.
pub(super) fn under_way(block: &[Instruction], at: usize) -> Option<u32> {
    let behind = &block[at..];
    let words: Vec<MachineWord> = behind.iter().map(|own| own.word).collect::<Option<_>>()?;
    let held = |row: usize| words[row].result_scoreboard().filter(|_| behind[row].op() == behind[0].op());
    let (first, scoreboard) = (0..behind.len()).find_map(|row| Some((row, held(row)?)))?;
    let waits = |row: &usize| *row > first && words[*row].waits >> scoreboard & 1 == 1;
    let until = (0..behind.len()).find(waits).unwrap_or(behind.len());
    Some(words[..until].iter().map(MachineWord::stall).sum())
}

/// The latency of a load, where the chip's is known.
fn latency_of(op: Op, latency: &LoadLatency) -> Option<u32> {
    match op.space().filter(|_| op.act() == Some(Act::Load)) {
        Some(Space::Global) => latency.l2,
        Some(Space::TensorMemory) => latency.tensor_memory,
        _ => None,
    }
}

/// The soonest use in each innermost loop with loads of a known latency, by loop; none where the listing has no encodings.
pub(super) fn uses(listed: &Listed<'_>, latency: &LoadLatency) -> Vec<LoadUse> {
    let innermost = listed.loops.iter().filter(|found| found.innermost);
    let turns = innermost.map(|found| listed.instructions(&found.blocks).collect::<Vec<_>>());
    turns.filter_map(|turn| soonest(&turn, latency, &listed.file)).collect()
}

/// A load on its way.
#[derive(Clone, Copy)]
struct Flight {
    row: usize,
    issued: u32,
    latency: u32,
}

/// The load of a loop that is used soonest, over two turns: a value may be used in the next one, and the second is the steady one.
fn soonest(turn: &[&Instruction], latency: &LoadLatency, file: &str) -> Option<LoadUse> {
    let words: Vec<MachineWord> = turn.iter().map(|own| own.word).collect::<Option<_>>()?;
    // `work` runs without waits, `now` with them.
    let (mut work, mut now, mut start) = (0, 0, 0);
    let mut held: [Option<(Flight, u32)>; SCOREBOARDS] = [None; SCOREBOARDS];
    let mut found: Option<(u32, Flight)> = None;
    for at in 0..2 * turn.len() {
        let row = at % turn.len();
        if at == turn.len() {
            start = now;
        }
        for (scoreboard, slot) in held.iter_mut().enumerate() {
            if words[row].waits >> scoreboard & 1 == 0 {
                continue;
            }
            if let Some((flight, since)) = slot.take() {
                now = now.max(flight.issued + flight.latency);
                let cycles = work - since;
                if found.is_none_or(|(least, _)| cycles < least) {
                    found = Some((cycles, flight));
                }
            }
        }
        let cycles = latency_of(turn[row].op(), latency).filter(|_| !turn[row].never_runs());
        if let Some((latency, slot)) = cycles.zip(words[row].result_scoreboard().and_then(|own| held.get_mut(own))) {
            *slot = Some((Flight { row, issued: now, latency }, work));
        }
        work += words[row].stall();
        now += words[row].stall();
    }
    let (cycles, flight) = found?;
    Some(LoadUse {
        opcode: turn[flight.row].op(),
        line: turn[flight.row].line_in(file),
        cycles,
        latency: flight.latency,
        instructions: turn.len() as u32,
        turn: now - start,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATENCY: LoadLatency =
        LoadLatency { l2: Some(281), dram: None, tensor_memory: Some(200), is_assumed: true, cite: "" };

    /// An instruction with its stall cycles, the scoreboard that it holds, and those that it waits for.
    fn row(opcode: &str, stall: u64, sets: u64, waits: u64) -> Instruction {
        let bits = u128::from(stall) << 105 | u128::from(sets) << 110 | u128::from(waits) << 116;
        let word = Some(cuda_binary::sass::decode(bits, 0, (9, 0)));
        Instruction { word, ..Instruction::printed(opcode, "") }
    }

    fn found(rows: &[Instruction]) -> Option<LoadUse> {
        soonest(&rows.iter().collect::<Vec<_>>(), &LATENCY, "")
    }

    #[test]
    fn work_between_a_load_and_its_wait_is_counted() {
        // 2 + 4 + 4 cycles up to the row that waits for scoreboard 1; the load with none of its own returns before that.
        let block = [
            row("LDTM.x32", 1, 7, 0),
            row("LDTM.x32", 2, 1, 0),
            row("FADD", 4, 7, 0),
            row("LDTM.x32", 4, 2, 0),
            row("FADD", 5, 7, 0b10),
            row("FADD", 5, 7, 0),
        ];
        assert_eq!([0, 1].map(|at| under_way(&block, at)), [Some(11), Some(10)]);
        assert_eq!(under_way(&block, 3), Some(14), "nothing waits: to the end of the block");
        let blind = Instruction { word: None, ..row("LDTM", 1, 1, 0) };
        assert_eq!(under_way(&[blind], 0), None);
    }

    #[test]
    fn one_warp_is_followed_through_a_turn() {
        // The load issues at 0, three instructions of 2 + 4 + 4 cycles later its value is waited for: at 10 of 281 cycles.
        // A turn: 281 to the use, 5 for it, 5 for the branch = 291 cycles of 5 instructions: 58.2, so 59 warps.
        let rows = [
            row("LDG.E", 2, 3, 0),
            row("IADD3", 4, 7, 0),
            row("IADD3", 4, 7, 0),
            row("FFMA", 5, 7, 0b1000),
            row("BRA", 5, 7, 0),
        ];
        let one = found(&rows).expect("a use");
        assert_eq!((one.opcode, one.cycles, one.turn, one.warps()), (Op::LDG, 10, 291, 59));
        assert!(one.is_exposed());
    }

    #[test]
    fn a_value_that_the_next_turn_uses_is_met_there() {
        // Used at the head of the next turn: 150 cycles of arithmetic and 5 of the branch lie between.
        let mut rows = vec![row("FADD", 4, 7, 0b1), row("LDTM.x16", 2, 0, 0)];
        rows.extend((0..10).map(|_| row("FADD", 15, 7, 0)));
        rows.push(row("BRA", 5, 7, 0));
        let one = found(&rows).expect("a use");
        assert_eq!((one.opcode, one.latency, one.cycles), (Op::LDTM, 200, 157));
        // The use waits for 200 cycles behind the load, and 4 lie behind it: 204 for 13 instructions.
        assert_eq!((one.turn, one.warps()), (204, 16));
    }

    #[test]
    fn nothing_is_said_without_encodings_or_without_a_use() {
        let blind = Instruction { word: None, ..row("LDG.E", 2, 3, 0) };
        assert_eq!(found(&[blind, row("FFMA", 5, 7, 0b1000)]), None);
        assert_eq!(found(&[row("LDG.E", 2, 3, 0), row("BRA", 5, 7, 0)]), None);
        assert_eq!(found(&[row("LDS", 2, 3, 0), row("FFMA", 5, 7, 0b1000)]), None, "no latency is known");
    }
}
