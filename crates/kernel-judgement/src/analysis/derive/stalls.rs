//! Warp stalls: every reason that the report holds, in each basis that it holds, never two bases in one table.

use crate::analysis::{KernelSummary, Limits, Row};
use crate::catalog::{self, Better, Counter, StallFamily, Threshold};
use crate::evidence::{Measured, Missing, Provenance, Reading};
use crate::quantity::{Quantity, Unit};
use arcstr::ArcStr;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a stall number is a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StallBasis {
    /// Percent of the cycles that a warp spends between two of its issued instructions.
    ShareOfWarpTime,
    /// Warps in that state in a cycle in which the scheduler issued; equals cycles per issued instruction of a warp.
    PerIssue,
    /// Percent of the cycles of resident warps, as NVIDIA stores it.
    ShareOfActive,
    /// Percent of the most warps that a scheduler can hold, over active cycles.
    PercentOfPeak,
    /// Percent of the warp samples that the sampler took.
    Samples,
}

/// The basis of a family of the catalog; `None` for families that are not shown.
fn basis_of(family: &StallFamily) -> Option<StallBasis> {
    match family.id {
        "per-issue" | "per-issue-before-2020.2" | "per-issue-percent" => Some(StallBasis::PerIssue),
        "share-of-active" => Some(StallBasis::ShareOfActive),
        "of-peak" => Some(StallBasis::PercentOfPeak),
        "samples" | "samples-before-2020.2" => Some(StallBasis::Samples),
        _ => None,
    }
}

fn families(basis: StallBasis) -> impl Iterator<Item = &'static StallFamily> {
    catalog::stall_families().iter().filter(move |family| basis_of(family) == Some(basis))
}

/// Cycles between two issued instructions of a warp: the sum over all reasons, `selected` included.
const LATENCY: Counter = Counter::SmspAverageWarpLatencyPerInstIssuedRatio;
/// Share of active cycles in which a scheduler issued.
const ISSUE_ACTIVE: Counter = Counter::SmspIssueActiveAvgPerCycleActive;

/// One reason in one basis.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StallRow {
    /// The catalog's id, or ncu's word for a reason that the catalog does not know.
    pub reason: String,
    pub row: Row,
}

impl StallRow {
    /// Whether warps wait for this reason: one that issues, or could, waits for nothing.
    pub fn is_stall(&self) -> bool {
        !matches!(self.reason.as_str(), "selected" | "not_selected")
    }
}

/// All reasons in one basis, the largest of the new side first.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StallTable {
    pub basis: StallBasis,
    pub rows: Vec<StallRow>,
}

/// Percent by which reasons that were counted in different passes differ from the whole.
const APART: f64 = 5.0;

impl StallTable {
    /// Percent of the warps' time on the new side of which the report holds no reason: a reason that is smaller may not be the largest.
    pub(in crate::analysis) fn unheld(&self) -> f64 {
        let held = self.rows.iter().filter_map(|row| row.row.new.value()).sum::<f64>();
        let unheld = 100.0 - held;
        if self.basis == StallBasis::ShareOfWarpTime && unheld > APART { unheld } else { 0.0 }
    }
}

/// What keeps the warps from issuing.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Stalls {
    /// One table for each basis that the report holds.
    pub tables: Vec<StallTable>,
    /// Cycles between two issued instructions of a warp.
    pub latency: Row,
    /// Share of active cycles in which a scheduler issued, 0 to 1.
    pub issue_active: Row,
    /// Samples of warps that are parked at the last barrier, in percent of all; `None` where there are none, or nothing tells.
    pub parked: Option<f64>,
    /// Whether the schedulers issue so often that most waits cost nothing.
    pub are_hidden: bool,
}

impl Stalls {
    /// The stalls of a kernel, old beside new.
    pub fn of(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>, limits: &Limits) -> Stalls {
        let mut tables = Vec::new();
        if let Some(per_issue) = table(StallBasis::PerIssue, new, old) {
            tables.extend(shares(&per_issue, new, old));
            tables.push(per_issue);
        }
        tables.extend(table(StallBasis::ShareOfActive, new, old));
        tables.extend(table(StallBasis::PercentOfPeak, new, old));
        tables.extend(sample_shares(new, old));
        let issue_active = Row::metric(ISSUE_ACTIVE, new, old);
        let are_hidden = issue_active.new.value().is_some_and(|active| active >= limits[Threshold::IssueHidden]);
        Stalls { tables, latency: Row::metric(LATENCY, new, old), issue_active, parked: None, are_hidden }
    }

    /// The table of a basis, where the report holds it.
    pub fn table(&self, basis: StallBasis) -> Option<&StallTable> {
        self.tables.iter().find(|table| table.basis == basis)
    }

    /// The largest stall of the new side in the first basis that the report holds; `selected` and `not_selected` are
    /// not stalls. A barrier counts without the warps that are parked at the last one. `None` where a reason that the report does
    /// not hold may be larger.
    pub fn top(&self) -> Option<(&StallTable, &StallRow)> {
        let table = self.tables.first()?;
        let first = |(_, a): &(_, f64), (_, b): &(_, f64)| a.total_cmp(b).reverse();
        let mut stalls: Vec<(&StallRow, f64)> = table
            .rows
            .iter()
            .filter(|row| row.is_stall())
            .filter_map(|row| Some((row, self.counted(table, row)?)))
            .collect();
        stalls.sort_by(first);
        stalls.first().filter(|(_, value)| *value > 0.0 && *value >= table.unheld()).map(|(row, _)| (table, *row))
    }

    /// The number of a row of the new side, without parked warps where it is a share.
    pub(in crate::analysis) fn counted(&self, table: &StallTable, row: &StallRow) -> Option<f64> {
        let value = row.row.new.value()?;
        let is_share = !matches!(table.basis, StallBasis::PerIssue | StallBasis::PercentOfPeak);
        let working = if is_share && row.reason == "barrier" { self.working() } else { None };
        Some(value * working.unwrap_or(1.0))
    }

    /// The part of the waits at barriers that is not of parked warps, 0 to 1. Both numbers are shares of the samples, so
    /// that their quotient holds for a share of anything.
    fn working(&self) -> Option<f64> {
        let parked = self.parked?;
        let sampled = self.table(StallBasis::Samples)?.rows.iter().find(|row| row.reason == "barrier")?;
        let all = sampled.row.new.value().filter(|all| *all > 0.0)?;
        Some((1.0 - parked / all).max(0.0))
    }
}

/// The reason in a metric's name, for one family.
fn reason_of<'n>(name: &'n str, family: &StallFamily) -> Option<&'n str> {
    let reason = name.strip_prefix(family.prefix)?.strip_suffix(family.suffix)?;
    (!reason.ends_with("_not_issued") && !reason.contains('.')).then_some(reason)
}

/// The catalog's id of the reason whose samples a metric counts; `None` for other metrics.
pub(in crate::analysis) fn sampled_reason(metric: &str) -> Option<&str> {
    let families = catalog::stall_families().iter();
    let mut named = families.filter_map(|family| Some((family, reason_of(metric, family)?)));
    named.find(|(family, _)| basis_of(family) == Some(StallBasis::Samples)).map(|(_, reason)| reason_id(reason))
}

/// The families that tables show.
static SHOWN: LazyLock<Vec<&'static StallFamily>> =
    LazyLock::new(|| catalog::stall_families().iter().filter(|family| basis_of(family).is_some()).collect());

/// Whether a metric is a stall reason that a table shows.
pub(in crate::analysis) fn is_shown(metric: &str) -> bool {
    SHOWN.iter().any(|family| reason_of(metric, family).is_some())
}

/// The catalog's id of a reason as ncu spells it.
fn reason_id(reason: &str) -> &str {
    catalog::stall(reason).map_or(reason, |row| row.id)
}

fn table(basis: StallBasis, new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Option<StallTable> {
    let families: Vec<&StallFamily> = families(basis).collect();
    let mut reasons: BTreeSet<&str> = BTreeSet::new();
    for side in [Some(new), old].into_iter().flatten() {
        for name in side.metric_names() {
            reasons.extend(families.iter().filter_map(|f| reason_of(name, f)).map(reason_id));
        }
    }
    let row = |reason: &str| {
        let label = catalog::stall(reason).map_or(reason, |row| row.label);
        let read = |side: &KernelSummary<'_>| in_unit(basis, reading(basis, reason, side));
        let row = Row::derived(reason, label, Better::Neutral, read(new), old.map(read));
        StallRow { reason: reason.to_owned(), row }
    };
    of_rows(basis, reasons.into_iter().map(row))
}

/// The rows that have a number, the largest first.
fn of_rows(basis: StallBasis, rows: impl Iterator<Item = StallRow>) -> Option<StallTable> {
    let mut rows: Vec<StallRow> = rows.filter(|stall| stall.row.has_number()).collect();
    let key = |row: &StallRow| row.row.new.value().unwrap_or(f64::MIN);
    rows.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.reason.cmp(&b.reason)));
    (!rows.is_empty()).then_some(StallTable { basis, rows })
}

fn reading(basis: StallBasis, reason: &str, side: &KernelSummary<'_>) -> Reading {
    let names = catalog::stall(reason).map(|row| row.names.as_slice()).unwrap_or_default();
    let words = || std::iter::once(reason).chain(names.iter().copied());
    let mut spelled = families(basis).flat_map(|f| words().map(move |word| format!("{}{word}{}", f.prefix, f.suffix)));
    let asked = spelled.next().unwrap_or_default();
    let mut found = std::iter::once(asked.clone()).chain(spelled).map(|name| side.reading(&name));
    if let Some(found) = found.find(|reading| reading.quantity().is_some()) {
        return found;
    }
    Reading::not_collected(&asked)
}

/// A reading of any name as the stall tables show it: in cycles where it is a stall reason per issued instruction.
pub(in crate::analysis) fn as_shown(name: &str, reading: Reading) -> Reading {
    let is_per_issue = families(StallBasis::PerIssue).any(|family| reason_of(name, family).is_some());
    if is_per_issue { in_unit(StallBasis::PerIssue, reading) } else { reading }
}

/// Warps per issued instruction are cycles between two issues of one warp (Little's law), and are shown as such.
fn in_unit(basis: StallBasis, reading: Reading) -> Reading {
    match (basis, reading) {
        (StallBasis::PerIssue, Reading::Measured(mut measured)) => {
            let hundredths = if measured.quantity.unit() == Unit::PERCENT { 100.0 } else { 1.0 };
            if let Some(cycles) = Quantity::new(measured.quantity.value() / hundredths, Unit::CYCLE) {
                measured.quantity = cycles;
            }
            Reading::Measured(measured)
        }
        (_, reading) => reading,
    }
}

/// Share of the warp's time: a reason's cycles per issue over the sum that NVIDIA stores, [`LATENCY`], unless the reasons are more than
/// that, counted in another pass: then over their sum, as where it is absent and `selected` is among them.
fn shares(per_issue: &StallTable, new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Option<StallTable> {
    let whole = |side: &KernelSummary<'_>, pick: fn(&Row) -> Option<&Reading>| -> Option<(f64, ArcStr)> {
        let has_selected = per_issue.rows.iter().any(|r| r.reason == "selected");
        let sum: f64 = per_issue.rows.iter().filter_map(|r| pick(&r.row)?.value()).sum();
        let stored = match side.reading(LATENCY) {
            Reading::Measured(m) => Some((m.quantity.value(), m.from.metrics[0].clone())),
            Reading::Missing(_) => None,
        };
        match stored {
            Some((value, name)) if sum <= value * (1.0 + APART / 100.0) => Some((value, name)),
            None if !has_selected => None,
            _ => Some((sum, "sum of all reasons".into())),
        }
    };
    let (new_whole, old_whole) =
        (whole(new, |row| Some(&row.new)), old.and_then(|old| whole(old, |row| row.old.as_ref())));
    of_whole(StallBasis::ShareOfWarpTime, per_issue, LATENCY.name(), (new_whole, old_whole))
}

fn sample_shares(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Option<StallTable> {
    let counts = table(StallBasis::Samples, new, old)?;
    let sum = |pick: fn(&Row) -> Option<&Reading>| -> Option<(f64, ArcStr)> {
        let total: f64 = counts.rows.iter().filter_map(|r| pick(&r.row)?.value()).sum();
        (total > 0.0).then(|| (total, "sum of all reasons".into()))
    };
    let (new_whole, old_whole) = (sum(|row| Some(&row.new)), sum(|row| row.old.as_ref()));
    of_whole(StallBasis::Samples, &counts, "warp samples", (new_whole, old_whole))
}

/// What the reasons are summed up to, with its name.
type Whole = Option<(f64, ArcStr)>;

/// Each row of a table as a share of its side's whole.
fn of_whole(basis: StallBasis, parts: &StallTable, asked: &str, (new, old): (Whole, Whole)) -> Option<StallTable> {
    let share = |stall: &StallRow| {
        let own = ratio(&stall.row.new, new.as_ref(), asked);
        let was = stall.row.old.as_ref().map(|part| ratio(part, old.as_ref(), asked));
        let row = Row::derived(&stall.row.id, &stall.row.label, Better::Neutral, own, was);
        StallRow { reason: stall.reason.clone(), row }
    };
    of_rows(basis, parts.rows.iter().map(share))
}

/// `100 × part / whole` in percent, missing where either is.
fn ratio(part: &Reading, whole: Option<&(f64, ArcStr)>, asked: &str) -> Reading {
    let Reading::Measured(measured) = part else { return part.clone() };
    let percent = whole.filter(|(sum, _)| *sum > 0.0).map(|(sum, _)| 100.0 * measured.quantity.value() / sum);
    match (percent.and_then(|p| Quantity::new(p, Unit::PERCENT)), whole) {
        (Some(quantity), Some((_, name))) => {
            let formula = format!("100 × value / {name}").into();
            let from = Provenance { formula, ..measured.from.clone() };
            Reading::Measured(Measured { quantity, spread: None, from })
        }
        _ => Reading::Missing(Missing::NotCollected { what: vec![asked.into()], why: "".into() }),
    }
}
