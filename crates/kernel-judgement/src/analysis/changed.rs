//! What became of a kernel from the version before to the one under audit.

use crate::analysis::diagnose::{Diagnosis, Kernel};
use crate::analysis::kernel::summary::CYCLES;
use crate::analysis::versus::common::{limiter_change, unseen};
use crate::analysis::{
    Comparison, Estimates, LimiterChange, Limits, OpcodeMove, Performance, Story, Work, derive::named,
    results::pair::Pair, version::Version, versus::aims::Sides, versus::rewrite,
};
use crate::catalog::Code;

/// From the version before to the one under audit.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Changed {
    pub comparison: Comparison,
    /// What made it faster or slower; `None` where the cycles did not change, or nothing tells.
    pub story: Option<Story>,
    /// Opcodes that came, went or run another number of times; `None` where a side was not counted by instruction.
    pub moves: Option<Vec<OpcodeMove>>,
    /// The same of the sectors that accesses to global memory ask for; `None` where a side did not count them by instruction.
    #[serde(skip)]
    pub sectors: Option<Vec<OpcodeMove>>,
    /// Initialisations of mbarriers in the launch, old and new; `None` where a side was not counted by instruction.
    #[serde(skip)]
    pub mbarriers: Option<(u64, u64)>,
    /// Elapsed cycles of the old side times its SMs: what a count is weighed by that they work off cycle by cycle.
    #[serde(skip)]
    pub sm_cycles: Option<f64>,
    pub limiter: LimiterChange,
    /// The bounds that levers had on the old side, and what came.
    pub estimates: Estimates,
    /// Codes of findings that the metrics of the old side could not show, so that nobody knows whether it had them.
    pub unseen_before: Vec<Code>,
    /// Codes of the old side's findings that the metrics of the new side could not show.
    pub unseen_after: Vec<Code>,
}

/// A version with what is derived of it and found.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct Found<'a> {
    pub(in crate::analysis) version: Version<'a, 'a>,
    pub(in crate::analysis) derived: &'a Kernel<'a>,
    pub(in crate::analysis) diagnosis: &'a Diagnosis,
}

impl Changed {
    /// From `old`, judged alone, to `new`.
    pub(in crate::analysis) fn of(
        new: Found<'_>,
        old: Found<'_>,
        pair: &Pair,
        performance: &Performance,
        work: &Work,
        limits: &Limits,
    ) -> Changed {
        let studies = new.version.studied.study.as_ref().zip(old.version.studied.study.as_ref());
        let moves = studies.map(|(new, old)| rewrite::moves(new, old));
        let mbarriers = studies.and_then(|(new, old)| rewrite::mbarriers(old).zip(rewrite::mbarriers(new)));
        let (is, was) = (new.derived.known(), old.derived.known());
        let sides = Sides {
            old: &|name| named::reading(&was, name),
            new: &|name| named::reading(&is, name),
            code: studies.map(|(new, old)| (old, new)),
            phases: old.version.studied.phases.as_ref().zip(new.version.studied.phases.as_ref()),
            mbarriers,
            moves: moves.as_deref(),
        };
        let estimates = Estimates::of(&old.diagnosis.levers, performance, &sides);
        let limiters = [new, old].map(|one| (one.version, &one.diagnosis.bottleneck));
        Changed {
            comparison: pair.compared(new.version, old.version, limits),
            story: Story::of(
                new.version.kernel,
                old.version.kernel,
                studies.map(|(new, old)| (old, new)),
                (old.diagnosis.bottleneck.limiter, new.diagnosis.bottleneck.limiter),
                limits,
            ),
            sm_cycles: old
                .version
                .kernel
                .value(CYCLES)
                .zip(old.version.kernel.device().sm_count)
                .map(|(cycles, sms)| cycles * f64::from(sms)),
            mbarriers,
            limiter: limiter_change(limiters[0], limiters[1], work, limits),
            unseen_before: unseen(new.diagnosis.codes(), new.version, old.version, work, limits),
            unseen_after: unseen(old.diagnosis.codes(), old.version, new.version, work, limits),
            sectors: studies.and_then(|(new, old)| rewrite::sectors(new, old)),
            estimates: estimates.beside_work(new.version.kernel, old.version.kernel),
            moves,
        }
    }
}
