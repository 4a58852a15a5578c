//! The phases of a kernel in full: every phase and part, what its warps execute and wait for, as a table and a timeline.

use super::brief::{called_line, file_of, phase_lines, phase_name, role_name, spent, stall_name};
use super::charts;
use super::document::{Block, Cell, Section, Table};
use super::heading::Heading;
use super::tables::{columns_of, count, left, paragraph, right, table, text};
use crate::analysis::Audit;
use crate::analysis::phases::{Phase, Phases, Role, TensorSite, Wait};
use crate::quantity::format;
use crate::quantity::glance;
use crate::words;

/// The section; `None` where the report does not count and sample by instruction, or the kernel is one stretch.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Option<Section> {
    let phases = audit.phases.as_ref().filter(|phases| !phases.phases.is_empty())?;
    let mut blocks: Vec<Block> = vec![paragraph(
        "phases-basis",
        words!(
            "{} warp samples of launch {}. A share is of the lifetime of a warp of the pacing role; issue slots are the cycles that the schedulers need to issue the phase's instructions.",
            format::integer(phases.samples),
            phases.launch.to_string()
        ),
    )];
    blocks.extend(charts::placed(heading, charts::phases(audit)));
    blocks.push(every(phases).into());
    blocks.extend(roles(phases).map(Block::from));
    if !phases.sites.is_empty() {
        blocks.push(sites(phases).into());
    }
    Some(Section::new("phases-in-full", "Phases in full", blocks))
}

fn every(phases: &Phases) -> Table {
    let columns = columns_of(
        "Phase | Lines | Samples: | Share: | Cycles: | Tensor: | Issue slots: | Executed: | Opcodes | Waits",
    );
    let file = file_of(phases);
    let mut rows = Vec::new();
    for phase in &phases.phases {
        rows.push(row(phase, String::new(), file));
        rows.extend(phase.parts.iter().map(|part| row(part, "· ".into(), file)));
    }
    table("phases", columns, rows)
}

fn row(phase: &Phase, mark: String, file: &str) -> Vec<Cell> {
    let cycles =
        |value: Option<f64>| value.map_or_else(Cell::default, |cycles| text(format::fixed(cycles, 0)).sorted(cycles));
    let opcodes: Vec<String> = phase
        .opcodes
        .iter()
        .map(|run| format!("{} {} ({})", run.count, run.opcode, glance::short(run.executed as f64)))
        .collect();
    vec![
        text(mark + &phase_name(phase)),
        text(phase_lines(phase, file)),
        count(phase.samples),
        text(format!("{} %", format::fixed(100.0 * phase.share, 2))).sorted(phase.share),
        cycles(phase.cycles),
        cycles(phase.tensor),
        cycles(phase.issue),
        count(phase.executed),
        text(opcodes.join(", ")),
        text(phase.waits.iter().map(|wait| told(wait, file)).collect::<Vec<_>>().join("; ")),
    ]
}

/// `long scoreboard 49 %: LDG (:107 from :151) 62 %`.
fn told(wait: &Wait, file: &str) -> String {
    let places: Vec<String> = wait
        .groups
        .iter()
        .map(|group| {
            let point = group.cause.as_ref().unwrap_or(&group.at);
            let base = point.opcode.split('.').next().unwrap_or_default();
            format!("{base} ({}) {} %", called_line(point, file), format::fixed(100.0 * group.share, 0))
        })
        .collect();
    let places = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
    format!("{} {} %{places}", stall_name(&wait.reason), format::fixed(100.0 * wait.share, 0))
}

/// What the warps of each role do; `None` where all run the same, or where that is not known.
fn roles(phases: &Phases) -> Option<Table> {
    let is_known = phases.roles.len() > 1 && phases.roles.iter().all(|role| role.spent.is_some());
    let mut columns = vec![left("Role"), right("Warps"), right("Samples"), right("Executed")];
    columns.extend(phases.roles.first().map(spent)?.map(|(what, _)| right(&format::capital(what))));
    let row = |(at, role): (usize, &Role)| {
        let of_role = |samples: u64| {
            let share = 100.0 * samples as f64 / role.samples.max(1) as f64;
            text(format!("{} %", format::fixed(share, 1))).sorted(share)
        };
        let mut cells = vec![
            text(format::capital(&role_name(phases, at))),
            count(role.warps),
            count(role.samples),
            count(role.executed),
        ];
        cells.extend(spent(role).map(|(_, samples)| of_role(samples)));
        cells
    };
    is_known.then(|| table("roles", columns, phases.roles.iter().enumerate().map(row).collect()))
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
            text(format!("{} %", format::fixed(100.0 * site.share, 1))).sorted(site.share),
        ]
    };
    table("tensor-sites", columns, phases.sites.iter().map(row).collect())
}
