//! What follows from the instructions of a kernel, whether they come from a report or from a snapshot.

use crate::analysis::lines::{Attribution, Parked};
use crate::analysis::phases::{Phases, Study};
use crate::analysis::{KernelSummary, Limits, SourceLines};
use crate::catalog::{Code, Part};
use crate::evidence::SourceView;

/// One launch by instruction with what is derived from it.
#[derive(Default)]
pub(in crate::analysis) struct Studied<'v> {
    pub(in crate::analysis) view: Option<&'v SourceView>,
    /// Whose samples they are; `None` where the report has none by instruction.
    attribution: Option<Attribution<'v>>,
    /// Code, samples and roles; `None` where the report lacks the code's bits, executions or samples by instruction.
    pub(in crate::analysis) study: Option<Study<'v>>,
    /// Where the time goes; `None` as above.
    pub(in crate::analysis) phases: Option<Phases>,
    /// Warps that stand at the last barrier with nothing left to do.
    pub(in crate::analysis) parked: Option<Parked>,
}

impl<'v> Studied<'v> {
    /// What follows from a launch of a kernel; nothing for an artefact without instructions.
    pub(in crate::analysis) fn of(
        view: Option<&'v SourceView>,
        kernel: &KernelSummary<'_>,
        limits: &Limits,
    ) -> Studied<'v> {
        let attribution = view.and_then(Attribution::of);
        let sampled = view.zip(attribution.as_ref());
        let study = sampled.and_then(|(view, attribution)| Study::attributed(view, attribution, kernel));
        Studied {
            view,
            phases: study.as_ref().map(Phases::of),
            study,
            parked: sampled.and_then(|(view, attribution)| Parked::of(view, attribution, limits)),
            attribution,
        }
    }

    /// Costs by source line, beside a limiter.
    pub(in crate::analysis) fn lines(
        &self,
        limiter: Code,
        kernel: &KernelSummary<'_>,
        limits: &Limits,
    ) -> Option<SourceLines> {
        let once = || self.study.as_ref().map(Study::read_once).unwrap_or_default();
        let once = if limiter == Code::Unit(Part::MemoryDram) { once() } else { Vec::new() };
        let limiter = (limiter, &once[..], self.parked.clone());
        Some(SourceLines::of(self.view?, self.attribution.as_ref(), limiter, kernel, limits))
    }
}
