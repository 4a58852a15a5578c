//! What the turns of a loop hang on: the number of the block, and what the turn before left.

use super::code::{Code, Loop, reached};
use super::flows::{BLOCK, LONGEST, THREAD, address};
use crate::evidence::{MachineWord, Register, RegisterFile};
use cuda_binary::Class;
use cuda_binary::op::Computes;
use std::collections::BTreeSet;

impl Code<'_> {
    /// Whether one of these special registers is behind the address of an access.
    fn is_of(&self, row: usize, numbers: &[u8]) -> bool {
        let is_own = |row: usize| self.registers(row).special.is_some_and(|number| numbers.contains(&number));
        self.address_behind(row).iter().copied().any(is_own)
    }

    /// Whether the address of an access depends on the number of the block.
    pub(in crate::analysis) fn is_of_block(&self, row: usize) -> bool {
        self.is_of(row, &BLOCK)
    }

    /// Whether it depends on that of the thread as well.
    pub(in crate::analysis) fn is_of_thread_and_block(&self, row: usize) -> bool {
        self.is_of_block(row) && self.is_of(row, &THREAD)
    }

    /// Whether data choose only how far from a place of its own a thread adds a value: each number of a thread or block that chooses the
    /// value chooses the place as well, with no load between them.
    pub(in crate::analysis) fn is_near_own(&self, row: usize) -> bool {
        let of_place = self.numbers(row);
        let data: Vec<usize> = self.data_of(row).collect();
        let values = self.behind(vec![&data], LONGEST).into_iter().filter(|row| self.op(*row).loads_global());
        let mut of_values = values.map(|row| self.numbers(row)).peekable();
        of_values.peek().is_some()
            && !self.loads_behind(row).is_empty()
            && of_values.all(|own| !own.is_empty() && own.is_subset(&of_place))
    }

    /// Whether a turn of the loop around a load makes of its value, and of what the turn before made of the one before, something else than a
    /// sum, a largest or a least: then no other lane can take a part of the turns.
    pub(in crate::analysis) fn recurs(&self, load: usize) -> bool {
        let Some(cycle) = self.innermost(load) else { return false };
        let mut rest: Vec<usize> = self.rows_of(&cycle.blocks).filter(|row| *row != load).collect();
        let (mut is_made, mut made) = (vec![false; self.rows.len()], Vec::new());
        is_made[load] = true;
        let mut is_done = false;
        while !is_done {
            let before = made.len();
            rest.retain(|row| {
                let takes = self.operands_of(*row).any(|from| is_made[from]);
                if takes {
                    is_made[*row] = true;
                    made.push(*row);
                }
                !takes
            });
            is_done = made.len() == before;
        }
        let from = |row: usize| self.operands_of(row).filter(|from| is_made[*from] && *from != load);
        let comes_back = |row: usize| reached([row], from).contains(&row);
        let is_sum = |row: usize| {
            let sums = [Class::Fp32, Class::Fp64, Class::Fp16, Class::Integer, Class::FpCompare, Class::IntegerCompare];
            self.op(row).is_of(&sums)
        };
        made.into_iter().any(|row| !is_sum(row) && comes_back(row))
    }

    /// Whether each turn of the loop around an access makes an integer for its address of a float that each lane has loaded: where
    /// the next one lies data says, as with a value of the turn's own.
    pub(super) fn is_made_anew(&self, row: usize) -> bool {
        let Some(cycle) = self.innermost(row) else { return false };
        let is_own = |load: &usize| self.op(*load).loads_global() && self.differs_by_lane(*load, false);
        let is_made = |from: &usize| {
            cycle.blocks.contains(&self.block_of[*from])
                && self.op(*from).computes() == Some(Computes::ToInteger)
                && self.behind_row(*from).iter().any(is_own)
        };
        self.address_behind(row).iter().any(is_made)
    }

    /// Whether the number of the block sets how many turns a loop takes, by the guard of a branch that leaves it: it is behind the bound of
    /// a counter, or where one starts that goes on by a number of the code, smaller than that of the blocks which start apart. Blocks that
    /// share turns out start one apart, and go on by as many as there are: in a grid of so many along x, y and z, along what the start asks for.
    pub(in crate::analysis) fn turns_by_block(&self, cycle: &Loop, branch: usize, grid: [u64; 3]) -> bool {
        let turns = |row: &usize| self.is_in(*row, cycle);
        // The blocks that differ by the numbers that some rows ask for; `None` where these ask for none.
        let apart = |rows: &[usize]| {
            let asked = |number: &u8| rows.iter().any(|row| self.registers(*row).special == Some(*number));
            let along = BLOCK.into_iter().zip(grid).filter(|(number, _)| asked(number));
            along.map(|(_, blocks)| blocks).reduce(|all, blocks| all * blocks)
        };
        // What a turn adds to a counter: a number of the code where no register from outside and no constant is in it.
        let is_literal = |row: &usize, blocks: u64| {
            let from_outside = |(own, rows): &(Register, Vec<usize>)| own.is_value() && !rows.iter().any(turns);
            let is_far =
                |word: MachineWord| word.has_constant() || word.literal().is_some_and(|step| u64::from(step) >= blocks);
            !self.rows[*row].word.is_some_and(is_far) && !self.operands(*row).iter().any(from_outside)
        };
        // A quotient or a comparison may share the turns out evenly.
        let is_linear = |row: &usize| {
            let bends = [Class::IntegerCompare, Class::Conversion, Class::SpecialFunction, Class::Predicate];
            !self.op(*row).is_of(&bends)
        };
        // Of the two values that are compared one alone: a piece that begins and ends by the block's number may be as long as all others.
        let sets = |row: usize| {
            let values = self.operands(row).iter().filter(|(own, _)| own.is_value());
            let of_block = values.filter_map(|(_, rows)| {
                let behind = self.behind(vec![rows], LONGEST);
                let goes_on = |blocks| behind.iter().filter(|row| turns(row)).all(|row| is_literal(row, blocks));
                apart(&behind)
                    .map(|blocks| behind.iter().all(is_linear) && (!rows.iter().any(turns) || goes_on(blocks)))
            });
            of_block.collect::<Vec<bool>>() == [true]
        };
        // Flags are made of flags, down to what compares values.
        let flags = |row: usize| {
            let flags = self.operands(row).iter().filter(|(own, _)| !own.is_value());
            flags.flat_map(|(_, rows)| rows).copied().filter(turns)
        };
        reached([branch], flags).into_iter().any(|row| row != branch && sets(row))
    }

    /// Whether a row of a loop takes what it left itself, by rows that do the same, or a value from outside of the loop, one for all of them.
    pub(in crate::analysis) fn chooses_itself(&self, row: usize, cycle: &Loop) -> bool {
        let turns = |row: &usize| self.is_in(*row, cycle);
        let inside = |at: usize| {
            let values = self.operands(at).iter().filter(|(own, _)| own.file == RegisterFile::General);
            values.flat_map(|(_, rows)| rows).copied().filter(turns)
        };
        let seen = reached([row], inside);
        let brings = |row: &usize| {
            let values = self.operands(*row).iter().filter(|(own, _)| own.file == RegisterFile::General);
            let outside = values.filter(|(_, rows)| !rows.iter().any(turns)).map(|(own, _)| *own);
            (self.rows[*row].word.and_then(|word| word.literal()), outside.collect::<Vec<Register>>())
        };
        seen.contains(&row) && seen.iter().all(|own| self.op(*own) == self.op(row) && brings(own) == brings(&row))
    }

    /// What a row of a loop takes that the loop hands on from turn to turn and makes of what it loads: what it left is needed for what comes
    /// next. `None` where it takes nothing of the kind.
    pub(in crate::analysis) fn carried(&self, row: usize) -> Option<Carried> {
        let own = self.innermost(row)?;
        let turns = |row: &usize| self.is_in(*row, own);
        let is_loaded = |row: &usize| turns(row) && (self.op(*row).reads_global() || self.op(*row).loads_shared());
        // A value that is stored once it is whole is none that is handed on.
        let is_carried = |value: &usize| {
            let behind = self.behind_row(*value);
            2 * self.lanes_of(row) > self.lanes_of(*value) && behind.contains(value) && behind.iter().any(is_loaded)
        };
        let values: BTreeSet<usize> =
            self.behind_row(row).into_iter().filter(|row| turns(row) && is_carried(row)).collect();
        let is_copy = |row: &usize| self.word(*row).is_copy();
        let folds: Vec<_> = values.iter().filter(|row| !is_copy(row)).map(|row| self.op(*row)).collect();
        let first = *folds.first()?;
        // What a turn reads, or whether it does, may hang on the carried value.
        let is_of_it = |behind: BTreeSet<usize>| !behind.is_disjoint(&values);
        let hangs = |row: usize| {
            self.op(row).space().is_some() && is_of_it(self.address_behind(row).iter().copied().collect())
                || self.op(row).control().is_some() && is_of_it(self.behind_row(row))
        };
        // One operation in any grouping, of the carried value and of what has no part in it; or products and sums of both, where two steps
        // `a h + b` are one of the kind.
        let is_one = first.folds() && folds.iter().all(|op| *op == first)
            || folds.iter().all(|op| op.is_of(&[Class::Fp32, Class::Fp64])) && !self.run_in(own).into_iter().any(hangs);
        let of_carried = |row: &usize| {
            let operands = self.operands(*row).iter().filter(|(own, _)| own.file == RegisterFile::General);
            operands.filter(|(_, rows)| self.behind(vec![rows], LONGEST).iter().any(|row| values.contains(row)))
        };
        Some(match is_one && values.iter().all(|row| of_carried(row).count() == 1) {
            true => Carried::Scan,
            false => Carried::Recurrence,
        })
    }
}

/// What the turns of a loop hand on to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Carried {
    /// The sum of what came before, a linear recurrence, or another combination in any grouping: that of parts can be had first.
    Scan,
    /// A value that nobody has before all turns in front are done.
    Recurrence,
}

impl Code<'_> {
    /// Whether what a load of a loop brings, or another load there, is a part of its own next address, and does not only decide between
    /// two, as in a search.
    pub(super) fn is_next_of_itself(&self, row: usize) -> bool {
        let is_inside = |other: usize| self.innermost(row).is_some_and(|own| self.is_in(other, own));
        let (mut open, mut seen) = (Vec::from_iter(address(self, row).map(|own| (row, own))), BTreeSet::new());
        while let Some((reads, register)) = open.pop() {
            for behind in self.definitions(reads, register).into_iter().filter(|row| is_inside(*row)) {
                if self.op(behind).brings_from_memory() {
                    return true;
                }
                if seen.insert(behind) {
                    open.extend(self.registers(behind).read().filter(|own| own.is_value()).map(|own| (behind, own)));
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, rows, special, word};
    use cuda_binary::Op;

    /// A loop with a counter in R4 from `start` that grows by `step`, up to R9, which is made of `bound`; R5 is the block's number.
    fn is_by_block(start: &[Register], step: &[Register], bound: &[Register]) -> bool {
        up_to(word(Op::IADD3, &[r(9)], bound), start, step)
    }

    /// The same with what makes R9.
    fn up_to(bound: MachineWord, start: &[Register], step: &[Register]) -> bool {
        goes_on(bound, start, word(Op::IADD3, &[r(4)], &[&[r(4)], step].concat()))
    }

    /// From the block's number by so many.
    fn from_block(step: u64) -> bool {
        let bits = u128::from(step << 32 | 4 << 9);
        goes_on(word(Op::IADD3, &[r(9)], &[]), &[r(5)], MachineWord { bits, ..word(Op::IADD3, &[r(4)], &[r(4)]) })
    }

    /// The same with what makes R9, and what each turn makes of the counter.
    fn goes_on(bound: MachineWord, start: &[Register], step: MachineWord) -> bool {
        let rows = ended(&[
            special(5, BLOCK[1]),
            bound,
            word(Op::IADD3, &[r(4)], start),
            step,
            word(Op::ISETP, &[P], &[r(4), r(9)]),
            back(3),
        ]);
        let code = Code::counted(&rows, vec![1; rows.len()], None);
        code.turns_by_block(&code.loops[0], 5, [8, 64, 4])
    }

    #[test]
    fn blocks_differ_by_a_bound_or_a_start_and_not_by_turns_that_they_share_out() {
        assert!(is_by_block(&[], &[], &[r(5)]), "up to (by + 1) * 64");
        assert!(is_by_block(&[r(5)], &[], &[]), "from by * 64");
        assert!(!is_by_block(&[r(5)], &[], &[r(5)]), "from by * 64 to (by + 1) * 64");
        assert!(!is_by_block(&[], &[], &[]), "all the same");
        assert!(!is_by_block(&[r(5)], &[r(7)], &[]), "from the block's number by the size of the grid");
        assert!(from_block(63) && !from_block(64), "by a number of the code, of 64 blocks along that axis");
        let quotient = |bound| word(Op::I2F, &[r(9)], &[bound]);
        assert!(!up_to(quotient(r(5)), &[], &[]), "a share of all pieces");
    }

    #[test]
    fn a_search_goes_on_by_what_it_compares_and_a_list_by_what_it_loads() {
        let goes_on = |next: &[MachineWord]| {
            let rows = ended(&[&[word(Op::LDG, &[r(4)], &[r(2)])][..], next, &[back(0)]].concat());
            let code = Code::counted(&rows, vec![1; rows.len()], None);
            code.is_next_of_itself(0)
        };
        assert!(goes_on(&[word(Op::IADD3, &[r(2)], &[r(4)]), word(Op::ISETP, &[P], &[r(4)])]), "next = table[next]");
        let between = [word(Op::ISETP, &[P], &[r(4)]), word(Op::SEL, &[r(2)], &[r(2), r(3), P])];
        assert!(!goes_on(&between), "next = loaded < key ? next : other");
    }

    #[test]
    fn a_guard_that_chooses_for_one_use_is_behind_both_in_either_order() {
        // @p b = c; @p d = b; e = b: for `d` it is the only one, for `e` it may be `a`.
        let guarded = |word: MachineWord| MachineWord { is_unconditional: false, ..word };
        let has_flag = |reads: [Register; 2]| {
            let rows = rows(&[
                word(Op::ISETP, &[P], &[r(3)]),
                word(Op::MOV, &[r(4)], &[]),
                guarded(word(Op::MOV, &[r(4)], &[P, r(6)])),
                guarded(word(Op::IADD3, &[r(7)], &[P, r(4)])),
                word(Op::IADD3, &[r(8)], &[r(4)]),
                word(Op::IADD3, &[r(9)], &reads),
            ]);
            let code = Code::counted(&rows, vec![1; rows.len()], None);
            code.behind_row(5).contains(&0)
        };
        assert!(has_flag([r(7), r(8)]) && has_flag([r(8), r(7)]));
        assert!(!has_flag([r(7), r(6)]), "no use of which it chooses the value");
    }

    /// What the store of `h = op(..)` takes that is carried, where it is stored by so many lanes.
    fn carried(op: Op, reads: &[Register], lanes: u64) -> Option<Carried> {
        let rows = ended(&[
            word(Op::MOV, &[r(11)], &[]),
            word(Op::LDG, &[r(4)], &[r(2)]),
            word(op, &[r(11)], reads),
            word(Op::STG, &[], &[r(6), r(11)]),
            word(Op::ISETP, &[P], &[r(6)]),
            back(1),
        ]);
        let all = vec![32; rows.len()];
        let lanes = all.iter().enumerate().map(|(row, all)| if row == 3 { lanes } else { *all }).collect();
        let code = Code::counted(&rows, all, Some(lanes));
        code.carried(3)
    }

    #[test]
    fn a_running_value_that_is_stored_each_turn_is_carried() {
        let of = |op: Op, reads: &[Register]| carried(op, reads, 32);
        assert_eq!(of(Op::FFMA, &[r(4), r(11)]), Some(Carried::Scan), "h = x h + c");
        assert_eq!(of(Op::FFMA, &[r(11), r(11), r(4)]), Some(Carried::Recurrence), "h = h h + x");
        assert_eq!(of(Op::FFMA, &[r(2), r(11), r(4)]), Some(Carried::Scan), "h = a h + x");
        assert_eq!(of(Op::FADD, &[r(4), r(11)]), Some(Carried::Scan), "h += x");
        assert_eq!(of(Op::FMNMX, &[r(11), r(4)]), Some(Carried::Scan), "h = max(h, x)");
        assert_eq!(of(Op::IADD3, &[r(4), r(11), r(11)]), Some(Carried::Recurrence), "h = 2 h + x");
        assert_eq!(of(Op::FADD, &[r(4)]), None, "made anew each turn");
        assert_eq!(carried(Op::FADD, &[r(4), r(11)], 2), None, "stored once it is whole");
    }

    /// Whether each lane's walk from a loaded place, in turns of so many words of four bytes, is the data's own order.
    fn is_inherent(turns: u64, words: usize) -> bool {
        let mut all = vec![special(2, THREAD[0]), word(Op::LDG, &[r(4)], &[r(2)])];
        all.extend((0..words).map(|at| {
            let mut load = word(Op::LDG, &[r(10 + at as u8)], &[r(4)]);
            load.registers.offset = 4 * at as i32;
            load
        }));
        all.extend([word(Op::IADD3, &[r(4)], &[r(4)]), word(Op::ISETP, &[P], &[r(4)]), back(2)]);
        let rows = ended(&all);
        let executed: Vec<u64> = (0..rows.len()).map(|row| if row < 2 { 1 } else { turns }).collect();
        let lanes = executed.iter().map(|own| 32 * own).collect();
        let code = Code::counted(&rows, executed, Some(lanes));
        code.is_inherent(2)
    }

    #[test]
    fn a_walk_is_as_long_as_all_words_of_its_turns() {
        assert!(is_inherent(8, 1), "32 bytes, a sector");
        assert!(!is_inherent(9, 1), "36 bytes");
        assert!(!is_inherent(8, 4), "128 bytes: eight turns of four words");
    }

    #[test]
    fn a_list_that_each_turn_around_walks_again_brings_the_same_and_so_does_what_it_picks() {
        // for i { for (j = start; ..) { values[list[j]] } }
        let walk = |start: u8| {
            let rows = ended(&[
                word(Op::MOV, &[r(3)], &[]),
                word(Op::MOV, &[r(7)], &[]),
                word(Op::MOV, &[r(4)], &[r(start)]),
                word(Op::LDG, &[r(5)], &[r(4)]),
                word(Op::LDG, &[r(6)], &[r(5)]),
                word(Op::IADD3, &[r(4)], &[r(4)]),
                word(Op::ISETP, &[P], &[r(4)]),
                back(3),
                word(Op::IADD3, &[r(7)], &[r(7)]),
                word(Op::ISETP, &[P], &[r(7)]),
                back(2),
            ]);
            let code = Code::counted(&rows, vec![1, 1, 4, 32, 32, 32, 32, 32, 4, 4, 4, 1], None);
            [3, 4].map(|row| code.turns_over(row))
        };
        assert_eq!(walk(3), [4.0; 2], "from the start");
        assert_eq!(walk(7), [1.0; 2], "from where the turn around is");
    }
}
