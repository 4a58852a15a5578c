//! Tables in shared memory that are asked for a value for each symbol, where the values are only added up.

use super::*;
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
    Some(draft.checks(words!("wavefronts of shared memory −{}", count((1.0 - STAYS[0]) * executed)), WAVEFRONTS))
}
