//! Work that addresses cost, and loads of shared memory that could be one.

use super::detail::{IndexArithmetic, PIPES, Point};
use super::{code::Code, flows::address, point::point, study::Study};
use crate::analysis::derive::coalescing::{WAVEFRONTS, WAVEFRONTS_IDEAL};
use crate::evidence::Register;
use cuda_binary::op::{Computes, Element, Space};
use cuda_binary::{Class, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Loads of 32 bits that one of 128 would do.
const WIDE: usize = 4;
/// Bits of accesses of more than a word, the widest first.
const VECTORS: [u64; 2] = [128, 64];
/// Bytes of a word.
const WORD: i32 = 4;

/// Loads of one word from shared memory that all lanes read at the same address, four or more from one base.
pub struct SharedRuns {
    pub(in crate::analysis) at: Point,
    /// Executions by warps, those of whole groups of four.
    pub loads: u64,
    /// Whether the offset of each run is a multiple of 16 bytes.
    pub(in crate::analysis) is_aligned: bool,
    /// Whether some lie apart.
    pub(in crate::analysis) is_apart: bool,
}

/// Registers of the factors of products that lanes load from shared memory for themselves. Executions by warps.
pub(in crate::analysis) struct FragmentLoads {
    pub(in crate::analysis) at: Point,
    /// Loads of a word or less.
    pub(in crate::analysis) loads: u64,
    /// What puts two of these together.
    pub(in crate::analysis) joins: u64,
    /// Registers that they bring.
    pub(in crate::analysis) registers: u64,
}

/// Factors of products that come from shared memory by loads of less than a word. Executions by warps.
pub(in crate::analysis) struct NarrowFactors {
    pub(in crate::analysis) at: Point,
    pub(in crate::analysis) loads: u64,
    /// What puts them together to words.
    pub(in crate::analysis) joins: u64,
    /// Loads and wavefronts of words in their place, and of 16 bytes. A wavefront brings 16 bytes that all lanes read, or a word of each.
    pub(in crate::analysis) as_words: f64,
    pub(in crate::analysis) as_vectors: [f64; 2],
}

impl Code<'_> {
    /// What was executed behind the addresses of some accesses and is read for nothing else.
    pub(in crate::analysis) fn only_for(&self, accesses: &BTreeSet<usize>) -> Vec<usize> {
        let mut is_own = vec![false; self.rows.len()];
        for row in self.behind_addresses(accesses) {
            is_own[row] = self.executed[row] > 0;
        }
        let mut open = Vec::new();
        for row in self.run().filter(|row| !is_own[*row]) {
            if accesses.contains(&row) { open.extend(self.data_of(row)) } else { open.extend(self.operands_of(row)) }
        }
        while let Some(row) = open.pop() {
            if std::mem::take(&mut is_own[row]) {
                open.extend(self.operands_of(row));
            }
        }
        self.run().filter(|row| is_own[*row]).collect()
    }
}

impl Study<'_> {
    /// Executions of what makes nothing but addresses of local memory, on the uniform datapath and elsewhere: the price of indexed arrays.
    pub(in crate::analysis) fn local_index(&self) -> [u64; 2] {
        let code = &self.code;
        let own = code.only_for(&code.run().filter(|row| code.op(*row).is_in(Space::Local)).collect());
        [true, false].map(|uniform| {
            own.iter().filter(|row| code.op(**row).is_uniform() == uniform).map(|row| code.executed[*row]).sum()
        })
    }

    /// The part of the wavefronts of bank conflicts of some accesses.
    fn conflicts_of(&self, keep: impl Fn(usize) -> bool) -> Option<f64> {
        let (all, ideal) = (self.view.counts(WAVEFRONTS)?, self.view.counts(WAVEFRONTS_IDEAL)?);
        let excess = |row: usize| all[row].saturating_sub(ideal[row]);
        let sum: u64 = self.code.run().map(excess).sum();
        let own: u64 = self.code.run().filter(|row| excess(*row) > 0 && keep(*row)).map(excess).sum();
        (sum > 0).then(|| own as f64 / sum as f64)
    }

    /// The part of the wavefronts of bank conflicts of accesses whose addresses values from memory choose, and no thread's number.
    pub fn conflicts_by_data(&self) -> Option<f64> {
        self.conflicts_of(|row| self.code.is_chosen_by_data(row))
    }

    /// Bytes of a lane's element, where half of the wavefronts of bank conflicts or more are of accesses as wide: 16 or 8.
    pub fn conflicts_of_vectors(&self) -> Option<u64> {
        let is_most = |bits: &u64| {
            let is_as_wide = |row: usize| self.width(row).is_some_and(|own| own >= *bits);
            self.conflicts_of(is_as_wide).is_some_and(|part| 2.0 * part >= 1.0)
        };
        VECTORS.into_iter().find(is_most).map(|bits| bits / 8)
    }

    /// The part, 0 to 1, of the wavefronts of shared memory of accesses at places that loaded values choose, beside a thread's number.
    pub(in crate::analysis) fn gathers_shared(&self) -> Option<f64> {
        let all = self.view.counts(WAVEFRONTS)?;
        let of_data = |row: &usize| all[*row] > 0 && self.code.depends_on_load(*row);
        let by_data: u64 = self.code.run().filter(of_data).map(|row| all[row]).sum();
        let sum: u64 = self.code.run().map(|row| all[row]).sum();
        (sum > 0).then(|| by_data as f64 / sum as f64)
    }

    /// What is executed only to make addresses, and not from values of memory.
    pub fn index_arithmetic(&self) -> &IndexArithmetic {
        self.index.get_or_init(|| {
            let code = &self.code;
            let mut own = code.only_for(
                &code
                    .run()
                    .filter(|row| code.op(*row).is_lsu_access() || code.op(*row).is_in(Space::Texture))
                    .collect(),
            );
            self.code.remove_from_memory(&mut own);
            let sum = |keep: &dyn Fn(Op) -> bool| {
                own.iter().filter(|row| keep(code.op(**row))).map(|row| code.executed[*row]).sum()
            };
            let on = PIPES.map(|part| part.row().map_or(0, |row| sum(&|op| row.runs(op, self.view.capability))));
            IndexArithmetic { executed: sum(&|_| true), on, rows: own }
        })
    }

    /// Of additions of a float to global memory, by row, what is left of them where each lane adds those to words side by side as vectors
    /// (`red.global.add.v4.f32`, since sm_90): they go out in one block, from one address that is not written between them.
    pub(in crate::analysis) fn as_vectors(&self) -> BTreeMap<usize, f64> {
        let code = &self.code;
        let base = |row: usize| {
            let adds = code.word(row).adds_float();
            (adds && code.executed[row] > 0).then(|| address(code, row).into_iter().collect())
        };
        let mut found = BTreeMap::new();
        for mut additions in code.flow.blocks.iter().flat_map(|own| by_base(code, own.instructions.clone(), base)) {
            additions.sort_unstable();
            for run in additions.chunk_by(|a, b| b.0 - a.0 == WORD) {
                found.extend(run.iter().map(|(_, row)| (*row, of_vectors(run.len()))));
            }
        }
        found
    }

    /// Of loads of global memory of less than a word, by row, what is left of them where each thread loads whole words in their place, and
    /// where it loads 16 bytes: they bring a word or more that lies side by side, in one block, from one address that is not written
    /// between them.
    pub(in crate::analysis) fn as_words(&self) -> BTreeMap<usize, [f64; 2]> {
        let code = &self.code;
        let base = |row: usize| {
            let is_own = code.op(row).loads_global() && code.executed[row] > 0;
            is_own.then(|| address(code, row).into_iter().collect())
        };
        let mut found = BTreeMap::new();
        for mut loads in code.flow.blocks.iter().flat_map(|own| by_base(code, own.instructions.clone(), base)) {
            loads.sort_unstable();
            // Offsets less than a word apart are of loads of less than a word.
            for run in loads.chunk_by(|a, b| (1..WORD).contains(&(b.0 - a.0))) {
                found.extend(of_letters(run).into_iter().flat_map(|left| run.iter().map(move |(_, row)| (*row, left))));
            }
        }
        found
    }

    /// Loads of one word each from shared memory that all lanes read at the same addresses, four or more from one base that is not written
    /// between them: side by side, or where words that lie apart could be laid side by side.
    pub fn shared_runs(&self) -> Option<SharedRuns> {
        let code = &self.code;
        // Whether each row of a block, as long as it is in x, is whole warps.
        let rows_are_warps = self.block.is_some_and(|block| block[0].is_multiple_of(32));
        let mut found: Option<SharedRuns> = None;
        for block in &code.flow.blocks {
            for run in runs(code, block.instructions.clone()) {
                let whole = run.len() / WIDE * WIDE;
                let executed = code.executed[run[0]];
                if whole == 0 || executed == 0 || self.code.differs_by_lane(run[0], rows_are_warps) {
                    continue;
                }
                let at = |row: usize| code.registers(row).offset;
                let offset = at(run[0]);
                let runs = found.get_or_insert_with(|| SharedRuns {
                    at: point(self, run[0]),
                    loads: 0,
                    is_aligned: true,
                    is_apart: false,
                });
                runs.loads += executed * whole as u64;
                runs.is_aligned &= offset % (WORD * WIDE as i32) == 0;
                runs.is_apart |= run.windows(2).any(|two| at(two[1]) - at(two[0]) != WORD);
            }
        }
        found
    }

    /// Factors of products of lanes that come from shared memory byte by byte, or half by half: as they are, converted or put together.
    /// What loaded values choose lies side by side with nothing.
    pub(in crate::analysis) fn narrow_factors(&self, is_meant: impl Fn(Op) -> bool) -> Option<NarrowFactors> {
        let code = &self.code;
        let rows_are_warps = self.block.is_some_and(|block| block[0].is_multiple_of(32));
        let is_load =
            |row: &usize| code.op(*row).loads_shared() && self.narrow(*row).is_some() && !code.depends_on_load(*row);
        self.code.run().find(is_load)?;
        let is_join = |row: &usize| code.op(*row).computes() == Some(Computes::Permuted);
        let (mut loads, mut joins) = (BTreeSet::new(), BTreeSet::new());
        for row in self.code.run().filter(|row| is_meant(code.op(*row))) {
            let behind = code.behind_row(row);
            joins.extend(behind.iter().copied().filter(is_join));
            loads.extend(behind.into_iter().filter(is_load));
        }
        let first = *loads.iter().max_by_key(|row| code.executed[**row])?;
        let mut found = NarrowFactors {
            at: point(self, first),
            loads: 0,
            joins: code.sum(&joins),
            as_words: 0.0,
            as_vectors: [0.0; 2],
        };
        for row in loads {
            let bytes = code.executed[row] * self.narrow(row).unwrap_or_default() / 8;
            let [words, vectors, wavefronts] = of_bytes(bytes as f64, !code.differs_by_lane(row, rows_are_warps));
            found.loads += code.executed[row];
            found.as_words += words;
            found.as_vectors = [found.as_vectors[0] + vectors, found.as_vectors[1] + wavefronts];
        }
        Some(found)
    }

    /// Factors of products of warps that come from shared memory by loads of one register or less, as they are or, of halves, put together
    /// by one permutation. What is converted on its way no load brings as it is.
    pub(in crate::analysis) fn fragment_loads(&self) -> Option<FragmentLoads> {
        let code = &self.code;
        let is_load = |row: &usize| {
            let is_word = code.registers(*row).written().map(|own| own.count).sum::<u8>() == 1;
            code.op(*row).loads_shared() && code.op(*row).class() != Some(Class::MatrixLoad) && is_word
        };
        let (mut loads, mut joins, mut registers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for product in self.code.run() {
            let factors = code.rows[product].word.and_then(|word| word.factors()).into_iter().flatten();
            for row in factors.flat_map(|own| code.definitions(product, own)) {
                let halves: Vec<usize> = code.operands_of(row).collect();
                let is_joined = code.op(row).computes() == Some(Computes::Permuted)
                    && code.op(product).element() == Some(Element::Half)
                    && !halves.is_empty()
                    && halves.iter().all(is_load);
                if is_joined {
                    joins.insert(row);
                    loads.extend(halves);
                } else if is_load(&row) {
                    loads.insert(row);
                } else {
                    continue;
                }
                registers.insert(row);
            }
        }
        let sum = |rows: &BTreeSet<usize>| code.sum(rows);
        let first = *loads.iter().max_by_key(|row| code.executed[**row])?;
        let [loads, joins, registers] = [&loads, &joins, &registers].map(sum);
        Some(FragmentLoads { at: point(self, first), loads, joins, registers })
    }
}

/// Accesses with one base: the offset and the row of each.
type Accesses = Vec<(i32, usize)>;

/// Accesses of some rows that have a base, by the registers of it, as long as none of these is written.
fn by_base(
    code: &Code<'_>,
    rows: std::ops::Range<usize>,
    base: impl Fn(usize) -> Option<Vec<Register>>,
) -> Vec<Accesses> {
    let mut done: Vec<Accesses> = Vec::new();
    let mut open: Vec<(Vec<Register>, Accesses)> = Vec::new();
    for row in rows {
        let registers = code.registers(row);
        if let Some(base) = base(row).filter(|base| !base.is_empty()) {
            let access = (registers.offset, row);
            match open.iter_mut().find(|(own, _)| *own == base) {
                Some((_, accesses)) => accesses.push(access),
                None => open.push((base, vec![access])),
            }
        }
        let is_written = |own: &Register| registers.written().any(|write| write.meets(own));
        let (ended, kept): (Vec<_>, Vec<_>) = open.into_iter().partition(|(own, _)| own.iter().any(is_written));
        done.extend(ended.into_iter().map(|(_, accesses)| accesses));
        open = kept;
    }
    done.extend(open.into_iter().map(|(_, accesses)| accesses));
    done
}

/// Loads of one word with one base: those whose offsets follow each other, else all.
fn runs(code: &Code<'_>, rows: std::ops::Range<usize>) -> Vec<Vec<usize>> {
    let base = |row: usize| {
        let registers = code.registers(row);
        let is_word = code.op(row).loads_shared() && registers.written().map(|own| own.count).sum::<u8>() == 1;
        is_word.then(|| registers.read().filter(Register::is_value).collect())
    };
    by_base(code, rows, base).into_iter().flat_map(together).collect()
}

/// What is left of so many additions to words side by side where they are vectors of four and two.
fn of_vectors(words: usize) -> f64 {
    (words / WIDE + (words % WIDE).count_ones() as usize) as f64 / words as f64
}

/// What is left of loads of letters that follow each other, by words and by 16 bytes; `None` where they are no word together.
fn of_letters(run: &[(i32, usize)]) -> Option<[f64; 2]> {
    let [.., last, end] = run else { return None };
    let bytes = end.0 - run[0].0 + (end.0 - last.0);
    let left = |wide: i32| f64::from(bytes) / f64::from(wide) / run.len() as f64;
    (bytes >= WORD).then(|| [left(WORD), left(WORD * WIDE as i32)])
}

/// Loads of words and of 16 bytes that bring so many bytes of a lane, and wavefronts of the latter: one each where all lanes read one address.
fn of_bytes(bytes: f64, is_one_address: bool) -> [f64; 3] {
    let words = bytes / f64::from(WORD);
    let vectors = words / WIDE as f64;
    [words, vectors, if is_one_address { vectors } else { words }]
}

/// Whole fours of loads at addresses one word apart, by their offsets; all loads where there are none.
fn together(mut loads: Accesses) -> Vec<Vec<usize>> {
    loads.sort_unstable();
    let rows = |run: &[(i32, usize)]| run.iter().map(|(_, row)| *row).collect::<Vec<usize>>();
    let side_by_side = loads.chunk_by(|a, b| b.0 - a.0 == WORD).filter(|run| run.len() >= WIDE);
    let found: Vec<Vec<usize>> = side_by_side.map(rows).collect();
    if found.is_empty() { vec![rows(&loads)] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_side_by_side_make_a_run() {
        assert_eq!(together(vec![(8, 3), (0, 1), (4, 2), (20, 9), (12, 4)]), [vec![1, 2, 3, 4]]);
        // Four arrays, one behind the other.
        assert_eq!(together(vec![(1024, 2), (0, 1), (2048, 3), (3072, 4)]), [vec![1, 2, 3, 4]]);
    }

    #[test]
    fn letters_side_by_side_are_words() {
        let run = |offsets: &[i32]| of_letters(&offsets.iter().map(|at| (*at, 0)).collect::<Vec<_>>());
        // Four letters are a word, four halves of a word two; a pixel of three colours is none.
        assert_eq!(run(&[8, 9, 10, 11]), Some([0.25, 1.0 / 16.0]));
        assert_eq!(run(&[0, 2, 4, 6]), Some([0.5, 0.125]));
        assert_eq!((run(&[0, 1, 2]), run(&[5])), (None, None));
    }

    #[test]
    fn bytes_side_by_side_are_words_and_a_wavefront_brings_one_for_each_lane() {
        assert_eq!((of_bytes(32.0, true), of_bytes(32.0, false)), ([8.0, 2.0, 2.0], [8.0, 2.0, 8.0]));
    }

    #[test]
    fn words_side_by_side_are_vectors_of_four_and_two() {
        assert_eq!([1, 2, 4, 8].map(of_vectors), [1.0, 0.5, 0.25, 0.25]);
        assert!((of_vectors(3) - 2.0 / 3.0).abs() < 1e-9 && (of_vectors(7) - 3.0 / 7.0).abs() < 1e-9);
    }
}
