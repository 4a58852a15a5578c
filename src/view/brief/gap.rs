//! The gap to the reference: cycles in which the tensor pipe works on both sides, and cycles in which it does not.

use super::lead::called;
use crate::analysis::Audit;
use crate::analysis::phases::{Phase, PhaseKind};
use crate::quantity::glance::short;

/// A phase is of the size of a gap within this part.
const SIZE: f64 = 0.1;

/// The gap to the reference, taken apart into tensor cycles and cycles without.
pub(super) fn sentence(audit: &Audit) -> Option<String> {
    let name = called(&audit.trials.timing.as_ref()?.benchmark.reference.as_ref()?.name).into_owned();
    let gap = audit.trials.reference.as_ref()?.gap()?;
    let (idle, apart) = (gap.idle(), gap.cycles.0 - gap.cycles.1);
    let more = |cycles: f64| format!("{} {}", short(cycles.abs()), if cycles < 0.0 { "fewer" } else { "more" });
    let both = |(own, theirs): (f64, f64)| match (short(own), short(theirs)) {
        (own, theirs) if own == theirs => own,
        (own, theirs) => format!("{own} and {theirs}"),
    };
    Some(if gap.is_idle_time() {
        format!(
            "Against {name}: {} cycles with about the same tensor cycles ({}): the gap is idle tensor time ({}){}.",
            more(apart),
            both(gap.tensor),
            both(idle),
            phase_of(audit, apart / gap.cycles.0).map(|phase| format!(", the size of {phase}")).unwrap_or_default()
        )
    } else {
        format!(
            "Against {name}: {} cycles; {} of them tensor cycles ({}), {} idle ({}).",
            more(apart),
            more(gap.tensor.0 - gap.tensor.1),
            both(gap.tensor),
            more(idle.0 - idle.1),
            both(idle)
        )
    })
}

/// The phase whose cycles are those of a gap of this part of the kernel's, within a tenth.
fn phase_of(audit: &Audit, part: f64) -> Option<&'static str> {
    let phases = audit.now.phases.as_ref()?;
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
