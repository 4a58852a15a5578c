//! The versions of the kernel in order, the reference as the last row.

use super::lead::called;
use super::numbers::{amount, rate, time};
use crate::analysis::Audit;
use crate::analysis::phases::{Phase, PhaseKind};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::view::document::{Cell, Section};
use crate::view::heading::Heading;
use crate::view::tables::{code, left, paragraph, right, table, text};
use crate::view::{charts, clock_steps};

/// Rows of earlier audits shown; the others stand in `audit history`.
const SHOWN: usize = 12;
/// From this many versions on a picture says more than the table.
const PICTURE: usize = 3;

/// A phase is of the size of a gap within this part.
const SIZE: f64 = 0.1;

/// The section; `None` for a first audit without a reference.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Option<Section> {
    let reference = audit
        .timing
        .as_ref()
        .and_then(|timing| Some((called(&timing.benchmark.reference.as_ref()?.name), timing.reference.as_ref()?)));
    if heading.history.is_empty() && audit.old.is_none() && reference.is_none() {
        return None;
    }
    let theirs = reference.map(|(_, timed)| timed.time.median);
    let mut columns = vec![left("Version"), left("Change"), right("Time"), right("Cycles"), right("Rate")];
    columns.extend(reference.map(|(name, _)| right(&format!("% of {name}"))));
    columns.push(left("Verdict"));
    let share = |ns: Option<f64>| {
        theirs.map(|theirs| {
            ns.map_or_else(Cell::default, |ns| text(format!("{} %", format::fixed(100.0 * theirs / ns, 0))))
        })
    };
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let skipped = heading.history.len().saturating_sub(SHOWN);
    if heading.history.is_empty()
        && let Some(old) = &audit.old
    {
        let timed = audit.timing.as_ref().and_then(|timing| Some(timing.change.as_ref()?.old.time.median));
        let ns = timed.or_else(|| audit.performance.time.old.as_ref()?.value());
        let flop = audit.work.flop.zip(ns).map(|(flop, ns)| rate(flop as f64 * 1e9 / ns, "FLOP/s"));
        let mut cells = vec![
            code(old.kernel.short_name()),
            text("baseline"),
            text(ns.map(time).unwrap_or_default()).sorted(ns),
            text(audit.performance.cycles.old.as_ref().and_then(Reading::value).map(amount).unwrap_or_default()),
            text(flop.unwrap_or_default()),
        ];
        cells.extend(share(ns));
        cells.push(Cell::default());
        rows.push(cells);
    }
    let own = heading.milestone(audit);
    let earlier = heading.history.iter().skip(skipped);
    for (milestone, is_own) in earlier.map(|milestone| (milestone, false)).chain([(&own, true)]) {
        let timed = audit.timing.as_ref().filter(|_| is_own);
        let ns = timed.map(|timing| timing.kernel.time.median).or_else(|| milestone.time.value());
        let commit: String = milestone.commit.chars().take(8).collect();
        let version = if commit.is_empty() { milestone.day() } else { format!("{} {commit}", milestone.day()) };
        let cycles = is_own.then(|| audit.performance.cycles.new.value()).flatten();
        let flop = match timed {
            Some(timing) => timing.kernel.flop_rate.as_ref().and_then(Reading::value),
            None => milestone.flop_rate.as_ref().and_then(Reading::value),
        };
        let verdict = milestone.verdict.map_or("", |verdict| verdict.word());
        let mut cells = vec![
            text(version),
            text(milestone.change.as_str()),
            text(ns.map(time).unwrap_or_default()).sorted(ns),
            text(cycles.map(amount).unwrap_or_default()),
            text(flop.map(|per_second| rate(per_second, "FLOP/s")).unwrap_or_default()),
        ];
        cells.extend(share(ns));
        cells.push(text(verdict));
        rows.push(if is_own {
            cells.into_iter().map(|cell| if cell.words.is_empty() { cell } else { cell.strong() }).collect()
        } else {
            cells
        });
    }
    if let Some((name, timed)) = reference {
        let flop = timed.flop_rate.as_ref().and_then(Reading::value).map(|per_second| rate(per_second, "FLOP/s"));
        let cycles = audit.reference.as_ref().and_then(|reference| {
            reference.rows.iter().find(|row| row.id == "gpc__cycles_elapsed.max")?.reference.value()
        });
        rows.push(vec![
            text(name),
            Cell::default(),
            text(time(timed.time.median)).sorted(timed.time.median),
            text(cycles.map(amount).unwrap_or_default()),
            text(flop.unwrap_or_default()),
            text("100 %"),
            Cell::default(),
        ]);
    }
    let mut blocks = Vec::new();
    if heading.history.len() + 1 >= PICTURE {
        blocks.extend(charts::placed(heading, charts::history(heading, audit)));
    }
    blocks.push(table("history", columns, rows).into());
    blocks.extend(gap(audit).map(|words| paragraph("gap", words)));
    let step = audit.timing.as_ref().and_then(clock_steps::sentence);
    blocks.extend(step.map(|words| paragraph("step", words)));
    Some(Section::new("history", "History", blocks))
}

/// The gap to the reference, taken apart into tensor cycles and cycles without.
fn gap(audit: &Audit) -> Option<String> {
    let name = called(&audit.timing.as_ref()?.benchmark.reference.as_ref()?.name).to_owned();
    let gap = audit.reference.as_ref()?.gap()?;
    let (idle, apart) = (gap.idle(), gap.cycles.0 - gap.cycles.1);
    let more = |cycles: f64| format!("{} {}", amount(cycles.abs()), if cycles < 0.0 { "fewer" } else { "more" });
    let parts = format!("idle tensor cycles {} and {}", amount(idle.0), amount(idle.1));
    Some(if gap.is_idle_time() {
        format!(
            "Against {name}: {} cycles with the same tensor cycles ({} and {}): the gap is idle tensor time ({parts}){}.",
            more(apart),
            amount(gap.tensor.0),
            amount(gap.tensor.1),
            phase_of(audit, apart / gap.cycles.0).map(|phase| format!(", the size of {phase}")).unwrap_or_default()
        )
    } else {
        format!(
            "Against {name}: {} cycles; {} of them tensor cycles ({} and {}), {} idle ({parts}).",
            more(apart),
            more(gap.tensor.0 - gap.tensor.1),
            amount(gap.tensor.0),
            amount(gap.tensor.1),
            more(idle.0 - idle.1)
        )
    })
}

/// The phase whose cycles are those of a gap of this part of the kernel's, within a tenth.
fn phase_of(audit: &Audit, part: f64) -> Option<&'static str> {
    let phases = audit.phases.as_ref()?;
    let gap = phases.cycles? * part;
    let is_its = |phase: &&Phase| phase.cycles.is_some_and(|cycles| (cycles / gap - 1.0).abs() <= SIZE);
    Some(match phases.phases.iter().find(is_its)?.kind {
        PhaseKind::Prologue => "the prologue",
        PhaseKind::Drain => "the drain of the last products",
        PhaseKind::Epilogue => "the epilogue",
        PhaseKind::Exit => "the exit",
        _ => return None,
    })
}
