//! Counters that ncu was asked for by name (`--metrics a,b,c`), in a report that holds no section of which a page would be made.

use crate::analysis::{KernelSummary, Row, derive::stalls, kernel::summary::DURATION};
use crate::catalog;
use crate::evidence::is_asked_for;
use std::collections::BTreeMap;

/// A report with more counters than this has sections: ncu's basic set brings 306 names, and each name that is asked for up to four.
pub(in crate::analysis) const FEW: usize = 128;
/// What ncu writes of a counter over its units, where it was asked for one of them; the first is told where no table has another.
const ROLLUPS: [&str; 4] = [".avg", ".sum", ".max", ".min"];

/// Whether a report holds a few counters and none of NVIDIA's breakdowns, which its sections come with.
pub(in crate::analysis) fn is_targeted(kernel: &KernelSummary<'_>) -> bool {
    kernel.readings.breakdowns.is_empty() && kernel.metric_names().filter(|name| is_asked_for(name)).count() <= FEW
}

/// The counters of such a report with a number on either side, by name; none of any other. Stalls have a table of their own.
pub(in crate::analysis) fn rows(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Vec<Row> {
    if !is_targeted(new) {
        return Vec::new();
    }
    let has_place = |name: &str| stalls::is_shown(name) || *name == DURATION;
    let mut counters: BTreeMap<String, &str> = BTreeMap::new();
    // A counter under an older name as well is one counter.
    let is_told = |name: &str| catalog::metric(name).is_none_or(|row| new.held_as(row.id) == name);
    for name in new.metric_names().filter(|name| is_asked_for(name) && is_told(name)) {
        let told = counters.entry(counter(name)).or_insert(name);
        if rank(name) < rank(told) {
            *told = name;
        }
    }
    let named = counters.into_values().filter(|name| !has_place(name));
    named.map(|name| Row::metric(name, new, old)).filter(Row::has_number).collect()
}

/// A metric's name without the roll-up.
fn counter(name: &str) -> String {
    ROLLUPS
        .iter()
        .find(|rollup| has(name, rollup))
        .map_or_else(|| name.to_owned(), |rollup| name.replacen(rollup, "", 1))
}

fn has(name: &str, rollup: &str) -> bool {
    name.split_once(rollup).is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with('.'))
}

/// Which roll-up of a counter is told: the one that a table has, else in their order.
fn rank(name: &str) -> (bool, usize) {
    let at = ROLLUPS.iter().position(|rollup| has(name, rollup));
    (catalog::metric(name).is_none(), at.unwrap_or_default())
}
