//! One version of a kernel and what is concluded of it alone.

use crate::analysis::diagnose::{Diagnosis, Kernel};
use crate::analysis::{
    Artefact, Bottleneck, BuildRow, Finding, Lever, Occupancy, Roofline, derive::coalescing::Coalescing,
    derive::mix::InstructionMix, derive::stalls::Stalls, over_time::OverTime, phases::Phases, version::Version,
};
use crate::catalog::Code;

/// A version and what is concluded of it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Examined {
    pub artefact: Artefact,
    /// The build, as the assembler printed it.
    pub build: Vec<BuildRow>,
    pub stalls: Stalls,
    /// Executions by opcode.
    pub mix: InstructionMix,
    pub coalescing: Coalescing,
    pub occupancy: Occupancy,
    pub roofline: Roofline,
    /// Where the time of one launch goes; `None` where the report does not count and sample by instruction.
    pub phases: Option<Phases>,
    /// What one launch does over its time; `None` where PM sampling was not collected.
    pub over_time: Option<OverTime>,
    pub bottleneck: Bottleneck,
    /// Everything that the checks found, the most severe first.
    pub findings: Vec<Finding>,
    /// What is left on the table.
    pub levers: Vec<Lever>,
}

impl Examined {
    pub(in crate::analysis) fn of(
        version: Version<'_, '_>,
        artefact: Artefact,
        derived: Kernel<'_>,
        diagnosis: Diagnosis,
    ) -> Examined {
        let Kernel { stalls, mix, coalescing, occupancy, roofline, .. } = derived;
        Examined {
            artefact,
            build: version.side.build.rows(version.kernel),
            stalls,
            mix,
            coalescing,
            occupancy,
            roofline,
            phases: version.studied.phases.clone(),
            over_time: version.profile.over_time.clone(),
            bottleneck: diagnosis.bottleneck,
            findings: diagnosis.findings,
            levers: diagnosis.levers,
        }
    }

    /// Codes of what the checks found.
    pub fn codes(&self) -> impl Iterator<Item = Code> {
        self.findings.iter().map(|finding| finding.code)
    }
}
