//! A warp that walks the code: its registers, and where its lanes are.
//!
//! Of lanes in different places those at the lowest run, so that lanes that part meet again where the code goes on. Only integers,
//! predicates and what is known of the launch are computed; what comes from memory is not known.

use super::code::{Code, Launch};
use super::step::{FILE, PREDICATE, Step, slot};
use super::value::{ALL, LANES, Value, lanes};
use crate::evidence::{Operand, OperandFrom, RegisterFile};
use cuda_binary::op::{Computes, Control};

pub(super) struct Warp {
    pub(super) block: usize,
    pub(super) number: usize,
    registers: Vec<Value>,
    /// Where each lane is; those that have ended are nowhere.
    at: [usize; LANES],
    live: u32,
}

/// Where a branch goes whose condition is not known.
enum Unknown {
    /// Both ways come to this instruction, and neither passes a barrier.
    Meets(usize),
    /// No barrier lies ahead.
    Ends,
}

impl Warp {
    pub(super) fn new(block: usize, number: usize, threads: usize) -> Warp {
        let lanes = (threads - number * LANES).min(LANES);
        let live = if lanes == LANES { ALL } else { (1 << lanes) - 1 };
        Warp { block, number, registers: vec![Value::UNKNOWN; FILE], at: [0; LANES], live }
    }

    pub(super) fn id(&self) -> (usize, usize) {
        (self.block, self.number)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.live == 0
    }

    /// The lanes that run next and their instruction; where `skips` holds at an instruction at which not all lanes are, others.
    pub(super) fn next(&self, meets: impl Fn(usize) -> bool) -> Option<(usize, u32)> {
        let mut places: Vec<usize> = lanes(self.live).map(|lane| self.at[lane]).collect();
        places.sort_unstable();
        places.dedup();
        let lanes_at =
            |at: usize| lanes(self.live).filter(|lane| self.at[*lane] == at).fold(0, |all, lane| all | 1 << lane);
        let all: Vec<(usize, u32)> = places.into_iter().map(|at| (at, lanes_at(at))).collect();
        all.iter().find(|(at, lanes)| *lanes == self.live || !meets(*at)).or(all.first()).copied()
    }

    pub(super) fn read(&self, operand: &Operand, launch: &Launch) -> Value {
        let value = match operand.from {
            OperandFrom::Register(file, number) => self.register(file, number),
            OperandFrom::Immediate(number) => Value::all(number),
            OperandFrom::Constant(byte) => launch.bank(byte.into()).map_or(Value::UNKNOWN, Value::all),
            OperandFrom::Special(number) => self.special(number, launch),
            OperandFrom::Memory(registers, offset) => {
                registers.into_iter().flatten().fold(Value::all(offset as u32), |sum, (file, number)| {
                    Value::of([sum, self.register(file, number)], |[sum, own]| sum.wrapping_add(own))
                })
            }
            OperandFrom::Tile(_) | OperandFrom::Shape(_) | OperandFrom::Other => Value::UNKNOWN,
        };
        match (operand.is_negative, operand.is_inverted) {
            (true, _) => Value::of([value], |[value]| value.wrapping_neg()),
            (_, true) if operand.is_predicate() => Value::of([value], |[value]| u32::from(value == 0)),
            (_, true) => Value::of([value], |[value]| !value),
            _ => value,
        }
    }

    pub(super) fn register(&self, file: RegisterFile, number: u8) -> Value {
        slot(file, number).map_or(Value::all(1), |slot| self.registers[slot])
    }

    fn special(&self, number: u8, launch: &Launch) -> Value {
        let thread = |lane: usize| (self.number * LANES + lane) as u32;
        let [x, y, _] = launch.block;
        match number {
            0 => Value::each(|lane| lane as u32),
            0x21 => Value::each(|lane| thread(lane) % x),
            0x22 => Value::each(|lane| thread(lane) / x % y),
            0x23 => Value::each(|lane| thread(lane) / x / y),
            0x25 | 0x88 => Value::all(self.block as u32),
            0x26 | 0x27 => Value::all(0),
            _ => Value::UNKNOWN,
        }
    }

    /// The lanes of those that run for which the guard holds; `None` where it is not known.
    pub(super) fn guarded(&self, step: &Step<'_>, running: u32, launch: &Launch) -> Option<u32> {
        step.guard.as_ref().map_or(Some(running), |guard| self.read(guard, launch).holds(running))
    }

    /// Writes a register in some lanes; one of the warp has what the first of them has.
    pub(super) fn write(&mut self, slot: usize, value: &Value, on: u32) {
        let Some(first) = lanes(on).next() else { return };
        let (value, on) = if super::step::is_of_warp(slot) {
            (value.at(first).map_or(Value::UNKNOWN, Value::all), ALL)
        } else {
            (*value, on)
        };
        self.registers[slot] = self.registers[slot].with(&value, on);
    }

    fn forget(&mut self, step: &Step<'_>, on: u32) {
        step.results.iter().flatten().for_each(|slot| self.write(*slot, &Value::UNKNOWN, on));
    }

    /// Goes on behind an instruction.
    pub(super) fn pass(&mut self, running: u32) {
        lanes(running).for_each(|lane| self.at[lane] += 1);
    }

    /// Runs an instruction that is no barrier. Errors: why the way on is not known.
    pub(super) fn run(&mut self, at: usize, running: u32, code: &Code<'_>) -> Result<(), String> {
        let step = &code.steps[at];
        let on = self.guarded(step, running, code.launch);
        match step.op.control() {
            None => {
                match on {
                    Some(on) => self.compute(step, on, code.launch),
                    None => self.forget(step, running),
                }
                self.pass(running);
            }
            Some(Control::Branch) => return self.branch(at, running, on, code),
            Some(Control::Exit) => {
                let ended = on.ok_or_else(|| format!("whether a thread ends at {}", code.place(at)))?;
                self.pass(running);
                self.live &= !ended;
            }
            Some(Control::MeetAt | Control::Meet) => self.pass(running),
            Some(control) if control == Control::Trap || !code.barrier_ahead(at) => self.live &= !running,
            Some(_) => return Err(format!("what {} at {} goes to", step.op.name(), code.place(at))),
        }
        Ok(())
    }

    fn compute(&mut self, step: &Step<'_>, on: u32, launch: &Launch) {
        let Some(first) = lanes(on).next() else { return };
        let read = |operand: &Operand| self.read(operand, launch);
        let source = |at: usize| step.sources.get(at).map_or(Value::UNKNOWN, read);
        let made = match step.computes {
            Some(Computes::CopiedToWarp) => vec![source(0)],
            Some(Computes::Elected) => vec![Value::all(on), Value::each(|lane| u32::from(lane == first))],
            Some(Computes::Exchanged) if step.is("IDX") => {
                let (from, to) = (source(0), source(1));
                vec![to.at(first).and_then(|lane| from.at(lane as usize % LANES)).map_or(Value::UNKNOWN, Value::all)]
            }
            Some(Computes::Voted) => {
                let asked = step.sources.last().map_or(Value::UNKNOWN, read).holds(on);
                let is_mask = step.results.first().is_some_and(|slot| slot.is_some_and(|slot| slot < PREDICATE));
                let all = asked.map(|asked| match (is_mask, step.is("ALL")) {
                    (true, _) => asked,
                    (false, true) => u32::from(asked == on),
                    (false, false) => u32::from(asked != 0),
                });
                vec![all.map_or(Value::UNKNOWN, Value::all)]
            }
            _ if matches!(step.sources[..], [Operand { from: OperandFrom::Special(_), .. }]) => vec![source(0)],
            _ => step.compute(&read),
        };
        for (at, slot) in step.results.iter().enumerate() {
            if let Some(slot) = slot {
                self.write(*slot, made.get(at).unwrap_or(&Value::UNKNOWN), on);
            }
        }
    }

    fn branch(&mut self, at: usize, running: u32, on: Option<u32>, code: &Code<'_>) -> Result<(), String> {
        let step = &code.steps[at];
        let conditions = step.sources.iter().filter(|own| matches!(own.from, OperandFrom::Register(..)));
        let taken =
            conditions.fold(on, |on, own| on.zip(self.read(own, code.launch).holds(running)).map(|(on, own)| on & own));
        let taken = if step.is("ANY") { taken.map(|taken| if taken == 0 { 0 } else { running }) } else { taken };
        // Lanes that part are followed, and need no way of their own.
        let taken = if step.is("DIV") { Some(0) } else { taken };
        let Some(target) = code.target(at) else { return Err(format!("where the branch at {} goes", code.place(at))) };
        if let Some(taken) = taken {
            self.pass(running & !taken);
            lanes(taken).for_each(|lane| self.at[lane] = target);
            return Ok(());
        }
        match self.without_condition(at, target, running, code) {
            Some(Unknown::Meets(to)) => lanes(running).for_each(|lane| self.at[lane] = to),
            Some(Unknown::Ends) => self.live &= !running,
            None => {
                return Err(format!(
                    "which way the branch at {} goes: its condition comes from memory or from an argument",
                    code.place(at)
                ));
            }
        }
        Ok(())
    }

    /// Where a branch leads whatever its condition is.
    fn without_condition(&mut self, at: usize, target: usize, running: u32, code: &Code<'_>) -> Option<Unknown> {
        if !code.barrier_ahead(at) {
            return Some(Unknown::Ends);
        }
        let ways = [at + 1, target].map(|to| code.flow.block_of(to));
        let [Some(next), Some(far)] = ways else { return None };
        match [next, far].map(|way| code.traps(way)) {
            [true, false] => return Some(Unknown::Meets(target)),
            [false, true] => return Some(Unknown::Meets(at + 1)),
            _ => {}
        }
        let (skipped, to) = code.passed_by(at, [next, far])?;
        let rows = skipped.iter().flat_map(|block| code.flow.blocks[*block].instructions.clone());
        let rows: Vec<usize> = rows.collect();
        if rows.iter().any(|row| code.is_barrier(*row)) {
            return None;
        }
        rows.iter().for_each(|row| self.forget(&code.steps[*row], running));
        Some(Unknown::Meets(to))
    }
}
