//! The phases of code that nobody ran: its control flow, what each role of warps holds and its main loop, without times.

use super::sass::{lines, offset};
use crate::analysis::code::{BarrierUse, CodeFacts, LoopRow, RoleRow};
use crate::quantity::format;
use crate::view::document::{Block, Cell};
use crate::view::tables::{self, columns_of, left, paragraph, text};
use crate::words::{Words, words};
use cuda_binary::op::Sync;

/// What barriers in shared memory are called.
const MBARRIER: &str = "mbarrier";
/// Rows that the page shows.
pub(super) const SHOWN: usize = 6;
/// Loops of fewer instructions wait or count, and are no phase.
const SMALL: usize = 8;

/// At most so many roles with their main loops, or the loops of code that all warps run; nothing for code without roles and without a loop
/// that works.
pub(super) fn blocks(code: &CodeFacts, most: usize) -> Vec<Block> {
    let works = |row: &LoopRow| !row.waits && row.instructions >= SMALL;
    // Loops that only wait do not make the one around them less of a main loop.
    let is_inside =
        |one: &LoopRow, row: &LoopRow| row.depth < one.depth && row.start <= one.start && one.end <= row.end;
    let is_leaf = |row: &LoopRow| !code.loops.iter().any(|one| works(one) && is_inside(one, row));
    let loops: Vec<&LoopRow> = code.loops.iter().filter(|row| works(row) && is_leaf(row)).collect();
    let mut roles: Vec<&RoleRow> = code.dispatches.iter().flat_map(|dispatch| &dispatch.roles).collect();
    if loops.is_empty() && roles.is_empty() {
        return Vec::new();
    }
    roles.sort_by_key(|role| role.range.0);
    let mut columns = columns_of("Warps | Lines | Instructions: | Holds | Main loop");
    let has_barriers = roles.iter().any(|role| !role.barriers.is_empty());
    columns.extend(has_barriers.then(|| left("Barriers")));
    // Code out of line stretches the range of a role over others: a loop belongs to the role that begins nearest in front of it.
    let owner = |one: &LoopRow| roles.iter().rposition(|role| role.range.0 <= one.start);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (at, role) in roles.iter().enumerate() {
        let own = loops.iter().filter(|one| owner(one) == Some(at));
        let told =
            |one: &&LoopRow| format!("{}, {} instructions: {}", lines(one.lines), one.instructions, classes(one));
        let main = own.max_by_key(|one| (one.hottest, one.instructions)).map(told);
        let holds = role.telling.iter().filter(|(opcode, _)| opcode.sync() != Some(Sync::Products));
        let holds: Vec<String> = holds.map(|(opcode, count)| format!("{count} {opcode}")).collect();
        let mut row = vec![
            text(format::capital(&role.who)),
            text(lines(role.lines)),
            text(role.instructions.to_string()).sorted(role.instructions as f64),
            text(holds.join(", ")),
            text(main.unwrap_or_default()),
        ];
        row.extend(has_barriers.then(|| text(barriers(role, &roles))));
        rows.push(row);
    }
    if roles.is_empty() {
        rows.extend(loops.iter().take(most).map(|one| {
            vec![
                text("All"),
                text(lines(one.lines)),
                text(one.instructions.to_string()).sorted(one.instructions as f64),
                text(classes(one)),
                text(if one.hottest { "this one, by structure" } else { "" }),
            ]
        }));
    }
    rows.truncate(most);
    vec![tables::table("phases", columns, rows).into()]
}

/// What a role does at barriers: those that it has for itself, and those at which it meets others.
fn barriers(role: &RoleRow, roles: &[&RoleRow]) -> String {
    let counts = |own: &BarrierUse| -> String {
        let counts = [(own.waits, "wait"), (own.arrivals, "arrival")].into_iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, what)| format::counted(count as u64, what)).collect::<Vec<_>>().join(", ")
    };
    let meets = |own: &BarrierUse| {
        let has = |other: &&&RoleRow| other.barriers.iter().any(|met| met.barrier == own.barrier);
        own.barrier == MBARRIER || roles.iter().filter(has).count() > 1
    };
    let name = |own: &BarrierUse| match own.barrier.as_str() {
        MBARRIER => MBARRIER.to_owned(),
        number => format!("BAR {number}"),
    };
    let said = |is_shared: bool, what: &str| -> Option<String> {
        let own = role.barriers.iter().filter(|own| meets(own) == is_shared);
        let found: Vec<String> = own.map(|own| format!("{}: {}", name(own), counts(own))).collect();
        (!found.is_empty()).then(|| format!("{what} {}", found.join("; ")))
    };
    [said(false, "own"), said(true, "with others")].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn classes(one: &LoopRow) -> String {
    let mostly: Vec<String> =
        one.classes.iter().take(2).map(|class| format!("{} {}", class.count, class.label())).collect();
    mostly.join(", ")
}

/// What the code alone tells, where no launch `ran`: that tells roles which the code does not.
pub(super) fn roles(audit: &CodeFacts, ran: bool) -> Vec<Block> {
    let flow = &audit.flow;
    let mut words = vec![format!(
        "{}, {}, {}",
        format::counted(flow.blocks as u64, "basic block"),
        format::counted(flow.edges as u64, "edge"),
        format::counted(audit.loops.len() as u64, "loop")
    )];
    if flow.called > 0 {
        words.push(format!("{} functions called in the same section", flow.called));
    }
    if flow.irreducible > 0 {
        words.push(format!(
            "{} back edges into code with several entries, left out of the table of loops",
            flow.irreducible
        ));
    }
    if flow.unseen > 0 {
        words.push(format!("{} indirect jumps whose targets the listing does not name", flow.unseen));
    }
    let mut blocks = vec![paragraph("flow", format!("{}.", words.join("; ")))];
    if audit.dispatches.is_empty() && !ran {
        blocks.push(paragraph(
            "roles",
            "No branch on the warp index was found that splits warps into roles with loops of their own.",
        ));
    }
    for dispatch in &audit.dispatches {
        let line = dispatch.line.map_or_else(String::new, |line| format!(" (line {line})"));
        let meet = dispatch.meet.map_or_else(|| Words::from("never"), |at| words!("at `{}`", offset(at)));
        let (at, count) = (offset(dispatch.at), dispatch.roles.len());
        let words = words!("Warps split at `{}`{} into {} roles and rejoin {}.", at, line, count, meet);
        blocks.push(paragraph("roles", words));
    }
    blocks
}
