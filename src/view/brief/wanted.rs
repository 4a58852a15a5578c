//! What this report lacks for an answer, and the sections of ncu that bring it.

use super::actions;
use super::numbers::row;
use crate::analysis::{Audit, StallBasis};
use crate::catalog::{Code, Counter};
use crate::words;
use crate::words::Words;

/// A section of ncu, what it answers, and whether the report has it.
struct Asked {
    section: &'static str,
    answers: &'static str,
    is_there: fn(&Audit) -> bool,
}

/// What the verdict and the levers rest on.
const ASKED: [Asked; 4] = [
    Asked {
        section: "SpeedOfLight",
        answers: "unit utilisation",
        is_there: |audit| !audit.bottleneck.units.is_empty(),
    },
    Asked {
        section: WAITS,
        answers: "stall reasons",
        is_there: |audit| audit.stalls.tables.iter().any(|table| table.basis != StallBasis::PerIssue),
    },
    Asked {
        section: BY_LINE,
        answers: "samples and wasted sectors by line",
        is_there: |audit| audit.phases.is_some() || audit.stalls.table(StallBasis::Samples).is_some(),
    },
    Asked {
        section: "MemoryWorkloadAnalysis",
        answers: "traffic and hit rate of each cache",
        is_there: |audit| row(audit, Counter::LtsTSectorHitRatePct).is_some(),
    },
];
/// The section of stall reasons.
const WAITS: &str = "WarpStateStats";
/// The section of samples by instruction, which the source goes with.
const BY_LINE: &str = "SourceCounters";

/// The sections that are not there; none where the others answer without them.
fn lacking(audit: &Audit) -> Vec<&'static Asked> {
    let lacking: Vec<&Asked> = ASKED.iter().filter(|asked| !(asked.is_there)(audit)).collect();
    // Bytes by level alone decide nothing.
    let is_enough = lacking.iter().all(|asked| asked.section == "MemoryWorkloadAnalysis");
    if is_enough || audit.bottleneck.limiter == Code::LaunchFailed { Vec::new() } else { lacking }
}

/// Whether collecting is the first step: without waits and lines no lever is more than a guess, but one that follows from the launch
/// alone; and where there is no other step.
pub(super) fn is_first(audit: &Audit) -> bool {
    let has_step = audit.bottleneck.roof.is_some() || !actions::shown(audit).is_empty();
    let is_of_launch = matches!(
        audit.bottleneck.limiter,
        Code::LaunchSmallGrid
            | Code::LaunchShort
            | Code::LaunchUnderfilled
            | Code::LaunchShortBlocks
            | Code::LaunchTail
    );
    let lacking = lacking(audit);
    let lacks_waits = lacking.iter().any(|asked| asked.section == WAITS);
    !lacking.is_empty() && (!has_step || lacks_waits && !is_of_launch)
}

/// The command that collects what is not there, and what it answers.
pub(super) fn command(audit: &Audit) -> Option<Words> {
    let lacking = lacking(audit);
    if lacking.is_empty() {
        return None;
    }
    let is_first = is_first(audit);
    let has_lines = lacking.iter().any(|asked| asked.section == BY_LINE);
    let flags = lacking.iter().map(|asked| format!("--section {}", asked.section));
    let flags: Vec<String> = flags.chain(has_lines.then(|| "--import-source yes".to_owned())).collect();
    let answers: Vec<&str> = lacking.iter().map(|asked| asked.answers).collect();
    Some(words!(
        "**{}**, with the sections of this report: `ncu {}`. It adds {}.",
        if is_first { "Collect first" } else { "Also collect" },
        flags.join(" "),
        answers.join("; ")
    ))
}

/// `SourceCounters and WarpStateStats`; `None` where nothing is lacking.
pub(super) fn named(audit: &Audit) -> Option<String> {
    let sections: Vec<&str> = lacking(audit).iter().map(|asked| asked.section).collect();
    let (last, rest) = sections.split_last()?;
    Some(if rest.is_empty() { (*last).to_owned() } else { format!("{} and {last}", rest.join(", ")) })
}
