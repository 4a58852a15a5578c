//! Look-ups: in tables of shared memory, for a value for each symbol, where the values are only added up; and those of global memory whose
//! values only decide beside another test.

use super::search::fewer_loads;
use super::*;
use crate::analysis::phases::reached;
use std::collections::BTreeSet;

/// Bits of a symbol.
const BYTE: u64 = 8;

/// What stays of the look-ups with a table of two symbols, or with two values in a word of it; and at least: four values in a word, or of
/// two words, one look-up for two symbols of each.
const STAYS: [f64; 2] = [0.5, 0.125];

/// Loads of shared memory by lane whose place a loaded byte says, and whose values go into sums and nothing else, no sum an address.
fn lookups(study: &Study<'_>) -> Vec<usize> {
    let code = &study.code;
    let is_symbol = |row: &usize| study.narrow(*row) == Some(BYTE);
    let is_own = |row: &usize| {
        let op = code.op(*row);
        op.loads_shared() && op.is_by_lane() && code.loads_behind(*row).iter().any(is_symbol)
    };
    let mut found: BTreeSet<usize> = code.run().filter(is_own).collect();
    let others = code.run().filter(|row| !code.op(*row).adds()).flat_map(|row| code.operands_of(row));
    others.chain(code.behind_any_address()).for_each(|from| {
        found.remove(&from);
    });
    found.into_iter().collect()
}

/// Two symbols a look-up, by a table of what two of them add, or more values in each word of the table: half of the look-ups, and half of the
/// additions behind them.
pub(super) fn two_at_a_time(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let stage = m.stage().filter(|stage| stage.is_mostly_shared())?;
    let rows = lookups(study);
    let first = *rows.iter().max_by_key(|row| study.code.executed[**row])?;
    let part = Some(of_stage(m, &rows)?).filter(|part| *part >= MOST)?;
    let executed = study.code.sum(&rows) as f64;
    let of_issue = 2.0 * executed / m.executed()?;
    let of_lsu = executed / m.requests()?;
    let left = |part: f64| STAYS.map(|stays| (1.0 - (1.0 - stays) * part).max(0.0));
    let keeps = [(&DATA_STAGE[..], left(part)), (&[Part::MemoryLsu], left(of_lsu)), (&[Part::Issue], left(of_issue))];
    let draft = Draft::new(Action::WideShared).frees_of(m, &FOR_SHARED, (1.0 - STAYS[0]) * part);
    let draft = keeps.into_iter().fold(draft, |draft, (parts, [expected, least])| draft.keeps(parts, expected, least));
    let how = "Several values a look-up: two symbols at a time in a table of their sums, where they are few, or packed values in a word of it";
    let why = words!(
        "{} look-ups by bytes are {} of the wavefronts of shared memory, and each gives one value to add",
        count(executed),
        share((part * stage.whole / stage.shared).min(1.0))
    );
    let draft = draft
        .at(At::row(study, first))
        .says(how, why)
        .risks("the square of the table's size, or the range of packed sums");
    Some(draft.loses(m, "wavefronts of shared memory", (1.0 - STAYS[0]) * executed, count, WAVEFRONTS))
}

/// Loads at loaded places that run for every lane though their values only decide beside another test: each goes into flags of its own, and
/// these by `and` into comparisons of values that no such load of the same turn is behind, and into nothing else.
fn deciding(code: &KernelCode<'_>) -> Vec<usize> {
    let compares =
        |row: usize| code.op(row).is_of(&[Class::IntegerCompare, Class::FpCompare]) && code.word(row).is_unconditional;
    let is_gathered = |row: &usize| {
        code.op(*row).loads_global()
            && code.word(*row).is_unconditional
            && !code.word(*row).is_strong
            && code.is_inherent(*row)
    };
    let loads: BTreeSet<usize> = code.run().filter(is_gathered).collect();
    if loads.is_empty() {
        return Vec::new();
    }
    let readers = code.readers();
    let is_flag = |load: usize, row: usize| compares(row) && code.operands_of(row).all(|from| from == load);
    // The values a row takes that no turn before left; which of them a flag chose does not matter.
    let values = |row: usize| code.taken(row).flat_map(|(_, rows)| rows).copied().filter(move |from| *from < row);
    let is_beside = |flag: usize, row: usize| {
        compares(row)
            && code.word(row).joins_by_and()
            && code.operands_of(row).any(|from| from != flag)
            && reached([row], values).is_disjoint(&loads)
    };
    let decides = |flag: &usize| !readers[*flag].is_empty() && readers[*flag].iter().all(|row| is_beside(*flag, *row));
    let is_own = |load: &usize| {
        let flags = &readers[*load];
        !flags.is_empty() && flags.iter().all(|row| is_flag(*load, *row) && decides(row))
    };
    loads.iter().copied().filter(is_own).collect()
}

/// The test at hand first, and the look-up only where that passes: half of such loads, and none at best.
pub(super) fn asked_first(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let loads = deciding(code);
    let first = *loads.iter().max_by_key(|row| sectors[**row])?;
    let of_l1 = loads.iter().map(|row| sectors[*row]).sum::<u64>() as f64 / sectors.iter().sum::<u64>() as f64;
    let draft = Draft::new(Action::FewerInstructions).frees_of(m, &FOR_LOADS, UNTOLD * of_l1);
    let draft = fewer_loads(m, draft.keeps(&L1, 1.0 - UNTOLD * of_l1, 1.0 - of_l1), &loads);
    let how = "Test first what is at hand, and look up only where that passes: the look-up decides nothing alone";
    let executed = code.sum(&loads) as f64;
    let why = words!(
        "{} look-ups at loaded places, {} of the sectors of global accesses, only decide beside another test",
        count(executed),
        share(of_l1)
    );
    let draft =
        draft.at(At::row(study, first)).says(how, why).risks("waits one behind the other where the test passes often");
    Some(draft.fewer_sectors(sectors.iter().sum::<u64>() as f64, UNTOLD * of_l1, TOUCHED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use crate::evidence::MachineWord;

    #[test]
    fn a_look_up_decides_beside_a_test_where_its_flag_goes_into_that_alone() {
        let flag = Register { number: 1, ..P };
        let of = |own: MachineWord, test: MachineWord| {
            let rows = ended(&[
                word(Op::LDG, &[r(2)], &[r(8)]),
                word(Op::LDG, &[r(3)], &[r(2)]),
                word(Op::LDG, &[r(7)], &[r(2)]),
                word(Op::IADD3, &[r(6)], &[r(7), r(7)]),
                own,
                test,
                word(Op::SEL, &[r(5)], &[P, r(4), r(5)]),
                back(0),
            ]);
            deciding(&KernelCode::counted(&rows, vec![9; rows.len()], None))
        };
        let own = word(Op::ISETP, &[flag], &[r(3)]);
        let test = word(Op::ISETP, &[P], &[r(4), r(5), flag]);
        assert_eq!(of(own, test), [1]);
        assert!(of(own, word(Op::ISETP, &[P], &[r(3), r(5), flag])).is_empty(), "the value is compared as well");
        assert!(of(word(Op::ISETP, &[flag], &[r(3), r(5)]), test).is_empty(), "with what the turn before left");
        assert!(of(own, word(Op::ISETP, &[P], &[flag])).is_empty(), "nothing beside it");
        assert!(of(own, word(Op::ISETP, &[P], &[r(6), r(5), flag])).is_empty(), "beside a second look-up");
        assert!(of(own, MachineWord { bits: 1 << 74, ..test }).is_empty(), "asked where the test fails");
    }
}
