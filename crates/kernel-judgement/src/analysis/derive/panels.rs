//! Tables made of metrics: which rows, in which order, is the catalog's business.

use crate::analysis::{KernelSummary, Row};
use crate::catalog::{self, Counter};
use crate::evidence::{Missing, Reading};

/// A table of metric rows.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Panel {
    /// The catalog's table id.
    pub id: String,
    pub title: String,
    /// Rows with a number on at least one side.
    pub rows: Vec<Row>,
    /// Metric ids of the rows without any number, of those that the chips of these kernels have and that apply to the new one.
    pub not_collected: Vec<String>,
}

impl Panel {
    /// The catalog's table `id` for these kernels.
    pub fn build(id: &str, new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Option<Panel> {
        let table = catalog::table(id)?;
        let all = table.rows.iter().map(|metric| row(metric, new, old));
        let (rows, absent): (Vec<Row>, Vec<Row>) = all.partition(Row::has_number);
        let applies = |row: &Row| !matches!(row.new, Reading::Missing(Missing::NotApplicable { .. }));
        let not_collected = absent.into_iter().filter(applies).map(|row| row.id).filter(|id| {
            let sides = [Some(new), old];
            sides.into_iter().flatten().any(|side| exists(id, side))
        });
        let not_collected = not_collected.collect();
        Some(Panel { id: id.into(), title: table.title.into(), rows, not_collected })
    }

    /// All tables of the catalog, in its order.
    pub fn all(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Vec<Panel> {
        catalog::tables().iter().filter_map(|table| Panel::build(table.id, new, old)).collect()
    }

    pub fn row(&self, id: impl AsRef<str>) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id.as_ref())
    }
}

/// Whether the chip of a kernel has a metric; a chip that the metric table does not cover has them all.
fn exists(id: &str, side: &KernelSummary<'_>) -> bool {
    let capability = side.device().compute_capability;
    let chip = capability.and_then(|(major, minor)| catalog::counters_of_arch(&format!("sm_{major}{minor}")));
    chip.is_none_or(|chip| catalog::is_on_chip(id, chip))
}

/// Share of branch decisions that are uniform; ncu writes 0 where there was no decision at all.
const UNIFORM: Counter = Counter::SmspSassAverageBranchTargetsThreadsUniformPct;
/// Branch decisions that are not.
const DIVERGENT: Counter = Counter::SmspSassBranchTargetsThreadsDivergentAvg;

fn row(metric: &str, new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Row {
    let row = Row::metric(metric, new, old);
    if *metric != UNIFORM {
        return row;
    }
    let decided = |side: &KernelSummary<'_>, reading: Reading| {
        let has_none = reading.value() == Some(0.0) && side.value(DIVERGENT) == Some(0.0);
        if has_none { Reading::not_applicable("no branch decision was counted") } else { reading }
    };
    let was = old.zip(row.old.clone()).map(|(side, reading)| decided(side, reading));
    Row { new: decided(new, row.new.clone()), old: was, ..row }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kernel::summary::fixtures::of_fixture;

    fn panels(kernel: &str) -> Vec<Panel> {
        let all = catalog::tables().iter();
        of_fixture(&format!("labelled/{kernel}"), |side| {
            all.map(|table| Panel::build(table.id, side, None).unwrap()).collect()
        })
    }

    #[test]
    fn what_the_chip_does_not_have_is_not_asked_for() {
        for panel in panels("stream_triad") {
            assert!(panel.not_collected.iter().all(|id| !id.starts_with("sm__pipe_tc_")), "{:?}", panel.not_collected);
        }
    }

    #[test]
    fn no_branch_decision_is_no_bad_efficiency() {
        let efficiency = |panel: &Panel| panel.row(UNIFORM).and_then(|row| row.new.value());
        for panel in panels("stream_triad") {
            assert_eq!(efficiency(&panel), None);
            assert!(!panel.not_collected.iter().any(|id| *id == UNIFORM), "it was collected and says nothing");
        }
        assert!(panels("divergent").iter().any(|panel| efficiency(panel).is_some()));
    }
}
