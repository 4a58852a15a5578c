//! The phases of a kernel in full: every phase and part, what its warps execute and wait for, as a table and a timeline.

use super::brief::{called_line, file_of, phases_in_full, role_name};
use super::charts;
use super::document::{Block, Section, Table};
use super::heading::Heading;
use super::tables::{columns_of, count, paragraph, percent, table, text};
use crate::analysis::Audit;
use crate::analysis::phases::{Phases, Role, TensorSite};
use crate::quantity::format;
use crate::words;

/// The section; `None` where the report does not count and sample by instruction, or the kernel is one stretch.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Option<Section> {
    let phases = audit.now.phases.as_ref().filter(|phases| !phases.phases.is_empty())?;
    let launch = audit.source.as_ref().map_or_else(String::new, |source| format!(" of launch {}", source.launch));
    let mut blocks: Vec<Block> = vec![paragraph(
        "phases-basis",
        words!(
            "{} warp samples{}. A share is of the lifetime of a warp of the pacing role; issue slots are the cycles that the schedulers need to issue the phase's instructions.",
            format::integer(phases.samples),
            launch
        ),
    )];
    blocks.extend(charts::placed(heading, charts::phases(audit)));
    blocks.push(phases_in_full(audit, phases).into());
    blocks.extend(roles(phases).map(Block::from));
    if !phases.sites.is_empty() {
        blocks.push(sites(phases).into());
    }
    Some(Section::new("phases-in-full", "Phases in full", blocks))
}

/// How long the warps of each role wait for others; `None` where all run the same, or where that is not known.
fn roles(phases: &Phases) -> Option<Table> {
    let row = |(at, role): (usize, &Role)| {
        let name = text(format::capital(&role_name(phases, at)));
        let waits = percent(100.0 * role.waiting()?, 1);
        Some(vec![name, count(role.warps), count(role.samples), count(role.executed), waits])
    };
    let rows = phases.roles.iter().enumerate().map(row).collect::<Option<Vec<_>>>()?;
    let columns = columns_of("Role | Warps: | Samples: | Executed: | At mbarriers and barriers:");
    (rows.len() > 1).then(|| table("roles", columns, rows))
}

fn sites(phases: &Phases) -> Table {
    let file = file_of(phases);
    let columns = columns_of("Tensor instructions | Line | In the code: | Executed: | Of all samples:");
    let row = |site: &TensorSite| {
        vec![
            text(words!("`{}`", site.at.opcode.as_str())),
            text(called_line(&site.at, file)),
            count(site.count),
            count(site.executed),
            percent(100.0 * site.share, 1),
        ]
    };
    table("tensor-sites", columns, phases.sites.iter().map(row).collect())
}
