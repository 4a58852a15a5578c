//! Counters that ncu was asked for by name (`--metrics a,b,c`), in a report that holds no section of which a page would be made.

use crate::analysis::derive::stalls;
use crate::analysis::kernel::row::Row;
use crate::analysis::kernel::summary::{DURATION, KernelSummary};
use crate::evidence::is_asked_for;

/// A report with more counters than this has sections: ncu's basic set brings 306 names, and each name that is asked for up to four.
pub(in crate::analysis) const FEW: usize = 128;
/// The average of a counter over its units; ncu writes the others beside it unasked.
const AVERAGE: &str = ".avg.";
const BESIDE: [&str; 3] = [".max.", ".min.", ".sum."];

/// Whether a report holds a few counters and none of NVIDIA's breakdowns, which its sections come with.
pub(in crate::analysis) fn is_targeted(kernel: &KernelSummary<'_>) -> bool {
    kernel.readings.breakdowns.is_empty() && kernel.metric_names().filter(|name| is_asked_for(name)).count() <= FEW
}

/// The counters of such a report with a number on either side, in the order of their names; none of any other. Stalls have a table and
/// the time stands in the lead.
pub(in crate::analysis) fn rows(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Vec<Row> {
    if !is_targeted(new) {
        return Vec::new();
    }
    let is_beside = |name: &str| {
        let averages = BESIDE.iter().filter(|word| name.contains(*word)).map(|word| name.replacen(word, AVERAGE, 1));
        averages.into_iter().any(|average| new.value(average).is_some())
    };
    let has_place = |name: &str| stalls::is_shown(name) || *name == DURATION;
    let named = new.metric_names().filter(|name| is_asked_for(name) && !has_place(name) && !is_beside(name));
    named.map(|name| Row::metric(name, new, old)).filter(Row::has_number).collect()
}
