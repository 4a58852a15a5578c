//! Sums of products over several indices at once, of which those over one index are the same for many threads.

use super::code::Code;
use cuda_binary::{Class, Op};
use std::collections::BTreeSet;

/// Such a sum.
#[derive(Default)]
pub(in crate::analysis) struct Factors {
    /// The products, the sums of them, the loads of what they are summed over, and what a turn does beside them.
    pub(in crate::analysis) rows: BTreeSet<usize>,
    /// The sums alone.
    pub(in crate::analysis) sums: BTreeSet<usize>,
    /// Indices that it goes over.
    pub(in crate::analysis) indices: f64,
}

fn is_arithmetic(op: Op) -> bool {
    op.is_of(&[Class::Fp32, Class::Fp64, Class::Fp16])
}

impl Code<'_> {
    /// Terms that are an element which all lanes read, by a factor of one index and by that of the others, which several terms share. Both
    /// factors are read at places of the thread's own, of which one is not the other: threads that differ in the second have the same sums over the
    /// first index.
    pub(in crate::analysis) fn factors(&self) -> Factors {
        let readers = self.readers();
        let is_product = |row: &usize| {
            let op = self.op(*row);
            is_arithmetic(op) && op.folds() && !op.adds()
        };
        let is_load = |row: &usize| self.op(*row).loads_global() || self.op(*row).loads_shared();
        let is_element = |row: &usize| is_load(row) && !self.differs_by_lane(*row, false);
        let place = |row: usize| Some(self.places().get(&row)?.element()).filter(|_| self.differs_by_lane(row, false));
        let mut found = Factors::default();
        for row in self.run().filter(is_product) {
            let [sum] = readers[row][..] else { continue };
            let of_sum: Vec<usize> = self.operands_of(sum).filter(is_element).collect();
            let is_shared = |from: &usize| readers[*from].iter().filter(|row| is_product(row)).count() > 1;
            let shared = self.operands_of(row).filter(is_shared).max_by_key(is_product);
            let own = shared.and_then(|shared| self.operands_of(row).find(|from| *from != shared && is_load(from)));
            let (Some(shared), Some(own)) = (shared, own) else { continue };
            let loads: Vec<usize> =
                if is_load(&shared) { vec![shared] } else { self.operands_of(shared).filter(is_load).collect() };
            let places: Vec<_> = loads.iter().filter_map(|load| place(*load)).collect();
            let is_apart = !places.is_empty() && place(own).is_some_and(|own| !places.contains(&own));
            if is_arithmetic(self.op(sum)) && !is_product(&sum) && !of_sum.is_empty() && is_apart {
                let turn = self.innermost(sum).map(|cycle| self.run_in(cycle)).unwrap_or_default();
                found.rows.extend(of_sum.into_iter().chain([row, sum]).chain(turn));
                found.sums.insert(sum);
                found.indices = found.indices.max(1.0 + loads.len() as f64);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{self, ended, r, special};
    use crate::analysis::phases::flows::{BLOCK, THREAD};
    use crate::evidence::MachineWord;

    fn word(op: Op, writes: u8, reads: &[u8]) -> MachineWord {
        by_hand::word(op, &[r(writes)], &reads.iter().map(|number| r(*number)).collect::<Vec<_>>())
    }

    /// Two terms of one sum by two factors of their own and by one of both, which the code reads at the place in a register.
    fn indices(shared: u8) -> f64 {
        let rows = ended(&[
            special(1, BLOCK[0]),
            special(2, THREAD[0]),
            special(3, THREAD[1]),
            word(Op::LDG, 4, &[shared]),
            word(Op::LDG, 5, &[2]),
            word(Op::LDG, 6, &[1]),
            word(Op::FMUL, 7, &[4, 5]),
            word(Op::FFMA, 8, &[7, 6, 8]),
            word(Op::FMUL, 9, &[4, 5]),
            word(Op::FFMA, 8, &[9, 6, 8]),
        ]);
        Code::counted(&rows, vec![1; rows.len()], None).factors().indices
    }

    #[test]
    fn threads_with_one_factor_and_not_the_other_have_the_same_sums_over_the_first_index() {
        assert_eq!(indices(3), 2.0, "a[x] · b[y] · u");
        assert_eq!(indices(2), 0.0, "a[x] · b[x] · u");
        assert_eq!(indices(1), 0.0, "a[x] · c · u");
    }
}
