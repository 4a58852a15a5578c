//! Where values come from: definitions that reach a use, and what is behind them.

use super::code::Code;
use crate::evidence::{Register, RegisterFile};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Blocks looked at for one definition.
const FARTHEST: usize = 512;
/// Instructions behind one value that are looked at.
const LONGEST: usize = 256;
/// The special registers that hold the thread's number in its block.
const THREAD: [u8; 3] = [0x21, 0x22, 0x23];
/// The special register that holds the lane's number in its warp.
const LANE: u8 = 0x00;
/// Bytes of a register.
const REGISTER: f64 = 4.0;
/// Bytes of a sector.
const SECTOR: i32 = 32;

/// What is behind a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// The number of the thread or the lane.
    pub(super) thread: bool,
    /// A value from memory.
    pub(super) memory: bool,
    /// A lane that the warp elected.
    pub(super) elected: bool,
    /// A value that is not traced.
    pub(super) unknown: bool,
}

/// The values of a kernel: where each register is written, and the facts that rules ask for more than once.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// Rows of a block that write a register, ascending.
    writes: HashMap<(usize, RegisterFile, u8), Vec<usize>>,
    /// Global accesses whose address depends on a value loaded in the same loop, or on any where they are in none, and those that
    /// go on from such a value for no more than a sector.
    inherent: BTreeSet<usize>,
    /// Loads that were split from one access, by row: the first of them.
    splits: BTreeMap<usize, usize>,
}

impl Flows {
    /// The facts on the global accesses of a kernel.
    pub(super) fn of(code: &Code<'_>) -> Flows {
        let mut flows = Flows { splits: splits(code), ..Flows::default() };
        for (row, instruction) in code.rows.iter().enumerate() {
            for written in instruction.word.iter().flat_map(|word| registers(&word.registers.writes)) {
                for number in written.number..written.number.saturating_add(written.count) {
                    flows.writes.entry((code.block_of[row], written.file, number)).or_default().push(row);
                }
            }
        }
        let rows = (0..code.rows.len()).filter(|row| code.executed[*row] > 0);
        let accesses = rows.filter(|row| code.is_global_read(*row) || code.is_global_write(*row));
        let is_inherent = |row: &usize| flows.depends_on_load(code, *row) || flows.is_short_walk(code, *row);
        flows.inherent = accesses.filter(is_inherent).collect();
        flows
    }

    /// Whether the order of an access's addresses is the data's.
    pub(super) fn is_inherent(&self, row: usize) -> bool {
        self.inherent.contains(&row)
    }

    /// The first load of the access that a load was split from; `None` for one that stands alone.
    pub(super) fn split_of(&self, row: usize) -> Option<usize> {
        self.splits.get(&row).copied()
    }

    /// The last row of a block before `end` that writes a register for certain, and the guarded ones behind it.
    fn in_block(&self, code: &Code<'_>, block: usize, end: usize, register: &Register) -> (Vec<usize>, bool) {
        let mut found = Vec::new();
        let mut is_certain = true;
        for number in register.number..register.number.saturating_add(register.count) {
            let rows = self.writes.get(&(block, register.file, number)).map_or(&[][..], |rows| rows);
            let before = &rows[..rows.partition_point(|row| *row < end)];
            let mut stopped = false;
            for row in before.iter().rev() {
                found.push(*row);
                if code.rows[*row].word.is_none_or(|word| word.is_unconditional) {
                    stopped = true;
                    break;
                }
            }
            is_certain &= stopped;
        }
        (found, is_certain)
    }

    /// The rows that define a register for a row, along every way. A guarded one may leave the value of an earlier one.
    pub(super) fn definitions(&self, code: &Code<'_>, row: usize, register: &Register) -> BTreeSet<usize> {
        let (found, is_certain) = self.in_block(code, code.block_of[row], row, register);
        let mut found: BTreeSet<usize> = found.into_iter().collect();
        let mut seen = BTreeSet::new();
        let mut open = if is_certain { Vec::new() } else { code.predecessors[code.block_of[row]].clone() };
        while let Some(block) = open.pop() {
            if !seen.insert(block) || seen.len() > FARTHEST {
                continue;
            }
            let (rows, is_certain) = self.in_block(code, block, usize::MAX, register);
            found.extend(rows);
            if !is_certain {
                open.extend(&code.predecessors[block]);
            }
        }
        found
    }

    /// The rows behind some registers at a row, definition by definition. Values from memory end the search: their addresses are
    /// other values.
    fn behind(&self, code: &Code<'_>, row: usize, wanted: Vec<Register>) -> BTreeSet<usize> {
        self.behind_all(code, wanted.into_iter().map(|register| (row, register)).collect(), LONGEST)
    }

    /// The same of registers at several rows, at most so many.
    fn behind_all(&self, code: &Code<'_>, mut open: Vec<(usize, Register)>, most: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        while let Some((at, register)) = open.pop() {
            for definition in self.definitions(code, at, &register) {
                if found.len() < most && found.insert(definition) && !is_memory(code, definition) {
                    open.extend(reads(code, definition).map(|register| (definition, register)));
                }
            }
        }
        found
    }

    /// The rows behind the addresses of some accesses.
    pub(super) fn behind_addresses(&self, code: &Code<'_>, rows: &BTreeSet<usize>) -> BTreeSet<usize> {
        let wanted = rows.iter().filter_map(|row| Some((*row, address(code, *row)?))).collect();
        self.behind_all(code, wanted, usize::MAX)
    }

    /// Takes those away from some rows that bring a value from memory or depend on one of the rows that do.
    pub(super) fn remove_from_memory(&self, code: &Code<'_>, rows: &mut BTreeSet<usize>) {
        let operands: Vec<_> = rows.iter().map(|row| (*row, self.operands_of(code, *row))).collect();
        let all = rows.iter().chain(operands.iter().flat_map(|(_, own)| own));
        let mut from_memory: BTreeSet<usize> = all.copied().filter(|row| is_memory(code, *row)).collect();
        // A value is written in front of most of its uses, so that one pass finds nearly all; loops take a few more.
        let mut before = 0;
        while before != from_memory.len() {
            before = from_memory.len();
            for (row, own) in &operands {
                if own.iter().any(|operand| from_memory.contains(operand)) {
                    from_memory.insert(*row);
                }
            }
        }
        rows.retain(|row| !from_memory.contains(row));
    }

    /// What is behind the guard of a row; for a branch its condition.
    pub(super) fn origin_of_guard(&self, code: &Code<'_>, row: usize) -> Origin {
        let is_flag =
            |register: &Register| matches!(register.file, RegisterFile::Predicate | RegisterFile::UniformPredicate);
        let rows = self.behind(code, row, reads(code, row).filter(is_flag).collect());
        let mut origin = Origin { unknown: rows.is_empty(), ..Origin::default() };
        for row in rows {
            let special = code.rows[row].word.and_then(|word| word.registers.special);
            origin.thread |= special.is_some_and(|number| THREAD.contains(&number) || number == LANE);
            origin.memory |= is_memory(code, row) || code.base(row) == "SYNCS";
            origin.elected |= code.base(row) == "ELECT";
        }
        origin
    }

    /// Whether the address of an access depends on a value that was loaded in the same loop; outside of loops, on any loaded value.
    fn depends_on_load(&self, code: &Code<'_>, row: usize) -> bool {
        let block = code.block_of[row];
        let around = || code.loops.iter().filter(|cycle| cycle.blocks.contains(&block));
        let is_near = |other: &usize| {
            around().next().is_none() || around().any(|cycle| cycle.blocks.contains(&code.block_of[*other]))
        };
        self.loads_behind(code, row).iter().any(is_near)
    }

    /// Whether each lane of a load in a loop goes on from a place of its own, loaded in front of the loop, for no more bytes than a
    /// sector holds: nothing of another lane's fits into its sectors.
    fn is_short_walk(&self, code: &Code<'_>, row: usize) -> bool {
        let steps = |start: usize| {
            let lanes = code.lanes.as_ref()?;
            Some(lanes[row] as f64 / lanes[start] as f64)
        };
        let written = code.rows[row].word.iter().flat_map(|word| registers(&word.registers.writes));
        let general = written.filter(|register| register.file == RegisterFile::General);
        let bytes: f64 = general.map(|register| f64::from(register.count) * REGISTER).sum();
        let starts = self.loads_behind(code, row).into_iter().filter(|start| self.differs_by_lane(code, *start, false));
        starts.filter_map(steps).any(|steps| bytes > 0.0 && steps * bytes <= f64::from(SECTOR))
    }

    /// The rows behind the address of an access.
    pub(super) fn address_behind(&self, code: &Code<'_>, row: usize) -> BTreeSet<usize> {
        address(code, row).map(|register| self.behind(code, row, vec![register])).unwrap_or_default()
    }

    /// The rows that define what a row reads.
    pub(super) fn operands_of(&self, code: &Code<'_>, row: usize) -> BTreeSet<usize> {
        reads(code, row).flat_map(|register| self.definitions(code, row, &register)).collect()
    }

    /// The same without the address of an access.
    pub(super) fn data_of(&self, code: &Code<'_>, row: usize) -> BTreeSet<usize> {
        let address = address(code, row);
        let data = reads(code, row).filter(|register| Some(*register) != address);
        data.flat_map(|register| self.definitions(code, row, &register)).collect()
    }

    /// Whether the address of an access can differ from lane to lane: the number of a thread or a lane is behind it, a value from
    /// memory, or something that is not traced. Where each row of a block is whole warps, a row's number is the same for all lanes.
    pub(super) fn differs_by_lane(&self, code: &Code<'_>, row: usize, rows_are_warps: bool) -> bool {
        let differs = |number: u8| number == LANE || number == THREAD[0] || THREAD.contains(&number) && !rows_are_warps;
        let special = |row: &usize| code.rows[*row].word.and_then(|word| word.registers.special);
        let behind = self.address_behind(code, row);
        address(code, row).is_some()
            && (behind.is_empty()
                || behind.iter().any(|row| special(row).is_some_and(differs) || is_memory(code, *row)))
    }

    /// Whether values from memory choose the address of an access, and no number of a thread or a lane does.
    pub(super) fn is_chosen_by_data(&self, code: &Code<'_>, row: usize) -> bool {
        let behind = self.address_behind(code, row);
        let special = |row: &usize| code.rows[*row].word.and_then(|word| word.registers.special);
        let is_thread = |row: &usize| special(row).is_some_and(|number| number == LANE || THREAD.contains(&number));
        behind.iter().any(|row| is_memory(code, *row)) && !behind.iter().any(is_thread)
    }

    /// The loads whose values the address of an access is made of.
    pub(super) fn loads_behind(&self, code: &Code<'_>, row: usize) -> BTreeSet<usize> {
        let loads = |other: &usize| matches!(code.base(*other), "LDG" | "LD" | "LDS" | "ATOM" | "ATOMG" | "ATOMS");
        let Some(register) = address(code, row) else { return BTreeSet::new() };
        self.behind(code, row, vec![register]).into_iter().filter(loads).collect()
    }
}

/// Registers of a row by what it does with them.
fn registers(list: &[Register]) -> impl Iterator<Item = Register> + '_ {
    list.iter().copied().filter(|register| register.count > 0)
}

fn reads<'c>(code: &'c Code<'_>, row: usize) -> impl Iterator<Item = Register> + 'c {
    code.rows[row].word.iter().flat_map(|word| registers(&word.registers.reads))
}

/// The register that a memory access takes its address from: that of the lanes, else a uniform one.
fn address(code: &Code<'_>, row: usize) -> Option<Register> {
    let of = |file: RegisterFile| reads(code, row).find(|register| register.file == file);
    let is_store = matches!(code.base(row), "STL" | "STS");
    // The data of a store are registers of the lanes as well, and stand behind its address.
    let uniform = of(RegisterFile::Uniform);
    let general = reads(code, row).filter(|register| register.file == RegisterFile::General).count();
    if is_store && uniform.is_some() && general < 2 { uniform } else { of(RegisterFile::General).or(uniform) }
}

/// Whether a row brings a value from memory that others may write.
fn is_memory(code: &Code<'_>, row: usize) -> bool {
    matches!(
        code.base(row),
        "LDG" | "LD" | "LDS" | "LDL" | "LDSM" | "ATOM" | "ATOMG" | "ATOMS" | "LDGSTS" | "TEX" | "TLD"
    )
}

/// Loads of one block with one address register that is not written between them, whose offsets lie in the same 32 bytes: by row
/// the first of them.
fn splits(code: &Code<'_>) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for block in &code.flow.blocks {
        // (address register, offset) of the first load of each access.
        let mut open: Vec<(Register, i32, usize)> = Vec::new();
        for row in block.instructions.clone() {
            let word = code.rows[row].word.unwrap_or_default();
            if let (true, Some(register)) = (matches!(code.base(row), "LDG" | "LD"), address(code, row)) {
                let offset = word.registers.offset;
                let same =
                    open.iter().find(|(other, first, _)| *other == register && offset.abs_diff(*first) < SECTOR as u32);
                match same {
                    Some((_, _, first)) => {
                        found.insert(row, *first);
                        found.insert(*first, *first);
                    }
                    None => open.push((register, offset, row)),
                }
            }
            open.retain(|(register, ..)| !registers(&word.registers.writes).any(|own| own.meets(register)));
        }
    }
    found
}
