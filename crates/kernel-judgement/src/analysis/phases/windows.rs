//! Windows: places side by side whose values are added up, with their squares, or of which the smallest or largest is taken, for each output.

use super::code::{Code, Loop, reached};
use super::lanes::Lanes;
use super::study::Study;
use crate::evidence::{Register, RegisterFile};
use crate::quantity::SECTOR_BYTES;
use cuda_binary::Class;
use cuda_binary::op::{Computes, Pipe};
use std::collections::{BTreeMap, BTreeSet};

/// Part of the places of a window from which all of them feed each sum.
const NEARLY: f64 = 0.75;

/// A window: loads whose values sums or extremes alone take.
pub(in crate::analysis) struct Window {
    pub(in crate::analysis) loads: Vec<usize>,
    /// What combines their values, and all of the loops that go through them.
    pub(in crate::analysis) rows: BTreeSet<usize>,
    /// Places along each axis, of one array.
    pub(in crate::analysis) axes: Vec<f64>,
    pub(in crate::analysis) arrays: f64,
    /// Whether the values are added up; of others the smallest or largest is taken.
    pub(in crate::analysis) is_sum: bool,
    /// Outputs of lanes.
    pub(in crate::analysis) outputs: f64,
    /// Bytes of a value.
    pub(in crate::analysis) bytes: f64,
    /// Whether the code shows that lanes side by side read the same places: those of a thread lie as far apart as those of lanes.
    pub(in crate::analysis) overlaps: bool,
}

impl Window {
    /// Loads of an array for each output.
    pub(in crate::analysis) fn places(&self) -> f64 {
        self.axes.iter().product()
    }
}

/// Loads that nothing but sums and extremes take, and what becomes of their values.
#[derive(Default)]
struct Chain {
    loads: BTreeSet<usize>,
    /// They, and what gives on what one of them brings.
    values: BTreeSet<usize>,
    /// Sums and extremes of them.
    sums: BTreeSet<usize>,
}

impl Chain {
    fn of(code: &Code<'_>, readers: &[Vec<usize>]) -> Chain {
        let is_load = |row: &usize| {
            let op = code.op(*row);
            let is_by_number = || !code.is_inherent(*row) && !code.depends_on_load(*row);
            (op.loads_global() || op.loads_shared() && op.is_by_lane()) && is_by_number()
        };
        let gives_on = |row: &usize| gives_on(code, *row);
        let taken_by = |row: usize| readers[row].iter().copied();
        let values = |load: usize| {
            let given = reached([load], |row| taken_by(row).filter(gives_on));
            std::iter::once(load).chain(given)
        };
        let mut chain = Chain { loads: code.run().filter(is_load).collect(), ..Chain::default() };
        // A load that something else takes as well is none of a window, nor is one that only products with others take.
        loop {
            chain.values = chain.loads.iter().flat_map(|load| values(*load)).collect();
            let stays = |load: &usize| {
                let own: BTreeSet<usize> = values(*load).collect();
                let is_own = |from: usize| own.contains(&from) || !chain.values.contains(&from);
                let is_by_itself = |to: usize| !chain.multiplies(code, to) || code.operands_of(to).all(is_own);
                let is_taken = |row: &usize| {
                    !readers[*row].is_empty() && taken_by(*row).all(|to| gives_on(&to) || chain.sums(code, to))
                };
                let mut takers = own.iter().flat_map(|row| taken_by(*row)).filter(|to| !gives_on(to));
                own.iter().all(is_taken) && takers.any(is_by_itself)
            };
            let kept: BTreeSet<usize> = chain.loads.iter().copied().filter(stays).collect();
            let is_done = kept.len() == chain.loads.len();
            chain.loads = kept;
            if is_done {
                break;
            }
        }
        let first: BTreeSet<usize> =
            chain.values.iter().flat_map(|row| taken_by(*row)).filter(|to| !gives_on(to)).collect();
        let is_next = |row: &usize| code.word(*row).is_copy() || code.op(*row).folds() && chain.sums(code, *row);
        let others = reached(first.iter().copied(), |row| taken_by(row).filter(is_next));
        chain.sums = first.union(&others).copied().collect();
        chain
    }

    /// Whether a row adds to something, or takes the larger, and what: a value, its square, the product of two, or what others left.
    fn sums(&self, code: &Code<'_>, row: usize) -> bool {
        let op = code.op(row);
        op.folds() && (op.adds() || op.pipe() == Some(Pipe::Alu)) || self.multiplies(code, row)
    }

    /// Whether both factors of a product are values.
    fn multiplies(&self, code: &Code<'_>, row: usize) -> bool {
        let is_own = |register: &Register| {
            let run = |from: &usize| code.executed[*from] > 0;
            let mut all = code.definitions(row, *register).into_iter().filter(run).peekable();
            all.peek().is_some() && all.all(|from| self.values.contains(&from))
        };
        let read = code.word(row).registers.reads;
        let factors = read.iter().filter(|own| own.count > 0 && own.file == RegisterFile::General).take(2);
        let is_product = code.op(row).is_of(&[Class::Fp32, Class::Fp64, Class::Fp16]) && !code.op(row).adds()
            || code.op(row).computes() == Some(Computes::MultiplyAdd);
        is_product && factors.clone().count() == 2 && factors.clone().all(is_own)
    }
}

/// Whether a row gives a value on: converted, copied, or some bytes of it.
fn gives_on(code: &Code<'_>, row: usize) -> bool {
    let op = code.op(row);
    op.class() == Some(Class::Conversion) || code.word(row).is_copy() || op.computes() == Some(Computes::Permuted)
}

impl Study<'_> {
    /// Every window of loads of global or shared memory that some output is made of.
    pub(in crate::analysis) fn windows(&self) -> Vec<Window> {
        let (code, readers) = (&self.code, self.code.readers());
        let mut chain = Chain::of(code, &readers);
        let mut found = Vec::new();
        while let Some(load) = chain.loads.pop_first() {
            let is_own = |row: &usize| chain.values.contains(row) || chain.sums.contains(row);
            let own = reached([load], |row| readers[row].iter().copied().chain(code.operands_of(row)).filter(is_own));
            chain.loads.retain(|row| !own.contains(row));
            found.extend(self.window(own, &chain, &readers));
        }
        found
    }

    fn window(&self, own: BTreeSet<usize>, chain: &Chain, readers: &[Vec<usize>]) -> Option<Window> {
        let code = &self.code;
        let loads: Vec<usize> = own.iter().copied().filter(|row| code.op(*row).act().is_some()).collect();
        let sums: Vec<usize> = own.intersection(&chain.sums).copied().collect();
        let ends = |row: usize| readers[row].iter().copied().filter(|to| !own.contains(to));
        let is_end = |row: &&usize| ends(**row).next().is_some();
        let outs: Vec<usize> = sums.iter().filter(is_end).copied().collect();
        let last = *outs.iter().max_by_key(|row| ends(**row).map(|to| code.executed[to]).max())?;
        let outputs = ends(last).map(|to| code.executed[to]).max()? as f64;
        // A pitch may be an argument beside that of the array.
        let arguments = |row: &usize| Some(code.places().get(row)?.arguments());
        let all: BTreeSet<BTreeSet<u64>> = loads.iter().filter_map(arguments).collect();
        let is_least = |own: &&BTreeSet<u64>| !all.iter().any(|other| other != *own && other.is_subset(own));
        let arrays = all.iter().filter(is_least).count().max(1) as f64;
        let places = code.sum(&loads) as f64 / outputs / arrays;
        // Each sum is one of all places: where several outputs of a thread share them it is one of a part.
        let taken = |row: &usize| {
            code.operands_of(*row).filter(|from| chain.values.contains(from)).count() as u64 * code.executed[*row]
        };
        let left: BTreeSet<u8> =
            outs.iter().flat_map(|row| code.registers(*row).written().map(|own| own.number)).collect();
        let terms = sums.iter().map(taken).sum::<u64>() as f64 / (outputs * left.len() as f64);
        // Loops that go on through one window.
        let is_around = |cycle: &&Loop| !outs.iter().flat_map(|row| ends(*row)).any(|to| code.is_in(to, cycle));
        let mut around: Vec<&Loop> = code.around(loads[0]).filter(is_around).collect();
        around.sort_by_key(|cycle| cycle.blocks.len());
        let inside: Vec<usize> = around.last().map_or(Vec::new(), |cycle| code.run_in(cycle));
        let is_alone = inside.iter().all(|row| !code.op(*row).is_lsu_access() || own.contains(row));
        let bits = |row: usize| self.width(row).or_else(|| self.narrow(row)).unwrap_or(32);
        let most = *loads.iter().max_by_key(|row| code.executed[**row])?;
        let (bytes, run) = (bits(most) as f64 / 8.0, self.side_by_side(&loads, bits(most) / 8));
        let is_row = self.are_side_by_side(&loads, bits);
        let is_of_one = loads.iter().all(|row| code.op(*row).space() == code.op(most).space());
        let is_window = is_of_one && is_row && is_alone && terms >= NEARLY * places;
        let is_sum = sums.iter().any(|row| code.op(*row).adds());
        is_window.then(|| Window {
            axes: self.axes(&around, run, places, bytes),
            arrays,
            is_sum,
            outputs: outputs * code.lanes_of(last) as f64 / code.executed[last] as f64,
            bytes,
            overlaps: run > 2.0,
            rows: own.into_iter().chain(inside).collect(),
            loads,
        })
    }

    /// Whether lanes side by side load values side by side: of shared memory as the code shows it of some and denies it of none, of global memory
    /// by the sectors.
    fn are_side_by_side(&self, loads: &[usize], bits: impl Fn(usize) -> u64) -> bool {
        let code = &self.code;
        if code.op(loads[0]).loads_shared() {
            let mut lanes = Lanes::new(code, self.block.unwrap_or_default());
            let mut are = loads.iter().filter_map(|row| lanes.row_of(*row, bits(*row))).peekable();
            return are.peek().is_some() && are.all(|is_row| is_row);
        }
        let Some([sectors, ideal]) = self.sectors() else { return false };
        loads.iter().all(|row| {
            let needed = code.lanes_of(*row) * bits(*row) / 8 / u64::from(SECTOR_BYTES);
            4 * ideal[*row] >= 3 * needed && sectors[*row] <= ideal[*row] + code.executed[*row]
        })
    }

    /// The most loads that lie one value behind the other.
    fn side_by_side(&self, loads: &[usize], bytes: u64) -> f64 {
        let places = self.code.places();
        let mut by: BTreeMap<_, BTreeSet<i32>> = BTreeMap::new();
        for place in loads.iter().filter_map(|row| places.get(row)) {
            by.entry(place.all()).or_default().extend(place.bytes().map(|bytes| bytes as i32));
        }
        let run = |own: &BTreeSet<i32>| {
            let own: Vec<i32> = own.iter().copied().collect();
            own.chunk_by(|a, b| u64::from(b.abs_diff(*a)) == bytes).map(<[i32]>::len).max()
        };
        by.values().filter_map(run).max().unwrap_or(1) as f64
    }

    /// Places along each axis: those that lie side by side in the code, then the turns of each loop, of which the outermost has the rest. A loop
    /// that goes on behind those side by side goes along the same axis.
    fn axes(&self, around: &[&Loop], run: f64, places: f64, bytes: f64) -> Vec<f64> {
        let code = &self.code;
        let goes_on = |cycle: &&Loop| {
            let step = |row: usize| code.op(row).adds().then(|| code.word(row).literal()).flatten().map(f64::from);
            let mut steps = code.run_in(cycle).into_iter().filter_map(step);
            run > 1.0 && steps.any(|step| [run, run * bytes].contains(&step))
        };
        let mut axes = vec![run];
        let mut of_first = if around.first().is_some_and(goes_on) { axes.pop().unwrap_or(1.0) } else { 1.0 };
        for cycle in around.iter().take(around.len().saturating_sub(1)) {
            axes.push(std::mem::replace(&mut of_first, 1.0) * code.turns_of(cycle).unwrap_or(1.0));
        }
        axes.push(places / axes.iter().product::<f64>());
        axes.retain(|places| *places > 1.5);
        axes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, word};
    use cuda_binary::Op;

    /// Two values side by side, what is done with them, and a store of what is left.
    fn loads(done: &[(Op, u8, &[Register])]) -> usize {
        let begin = [word(Op::LDS, &[r(4)], &[r(2)]), word(Op::LDS, &[r(5)], &[r(2)])];
        let done = done.iter().map(|(op, writes, reads)| word(*op, &[r(*writes)], reads));
        let words: Vec<_> = begin.into_iter().chain(done).chain([word(Op::STG, &[], &[r(0), r(9)])]).collect();
        let rows = ended(&words);
        let code = Code::counted(&rows, vec![1; rows.len()], None);
        Chain::of(&code, &code.readers()).loads.len()
    }

    #[test]
    fn sums_extremes_and_squares_are_of_windows_and_weights_or_other_readers_are_not() {
        let (a, b, sum) = (r(4), r(5), r(9));
        assert_eq!(loads(&[(Op::FADD, 9, &[sum, a]), (Op::FADD, 9, &[sum, b])]), 2);
        assert_eq!(loads(&[(Op::VIMNMX3, 9, &[sum, a, b])]), 2);
        let squares: &[(Op, u8, &[Register])] = &[(Op::FFMA, 9, &[a, a, sum]), (Op::FFMA, 9, &[b, b, sum])];
        assert_eq!(loads(squares), 2);
        assert_eq!(loads(&[squares, &[(Op::FFMA, 10, &[a, b, r(10)])]].concat()), 2, "and their product");
        assert_eq!(loads(&[(Op::FFMA, 9, &[a, b, sum])]), 0, "a product alone");
        assert_eq!(loads(&[(Op::FFMA, 9, &[a, r(6), sum]), (Op::FADD, 9, &[sum, b])]), 1, "a weight");
        assert_eq!(loads(&[(Op::FADD, 9, &[sum, a]), (Op::MUFU, 8, &[b])]), 1, "another reader");
    }
}
