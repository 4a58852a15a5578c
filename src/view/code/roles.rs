//! Control flow: its size, and the roles of warps as a table and a diagram.

use super::sass::{lines, offset};
use crate::analysis::code::{CodeFacts, DispatchRow, RoleRow};
use crate::quantity::format;
use crate::view::document::{Block, Table};
use crate::view::tables::{self, code, columns_of, paragraph, strong, text, verbatim};
use crate::words;
use crate::words::Words;

/// Roles that a diagram shows at most; more make it unreadable.
const DRAWN: usize = 8;

pub(super) fn blocks(audit: &CodeFacts) -> Vec<Block> {
    let flow = &audit.flow;
    let mut words = vec![format!(
        "{}, {}, {}",
        counted(flow.blocks, "basic block"),
        counted(flow.edges, "edge"),
        counted(audit.loops.len(), "loop")
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
    if audit.dispatches.is_empty() {
        blocks.push(paragraph(
            "roles",
            "All warps run the same code: no branch on the warp index splits them into roles with loops of their own.",
        ));
    }
    for dispatch in &audit.dispatches {
        let line = dispatch.line.map_or_else(String::new, |line| format!(" (line {line})"));
        let meet = dispatch.meet.map_or_else(|| Words::from("never"), |at| words!("at `{}`", offset(at)));
        let (at, count) = (offset(dispatch.at), dispatch.roles.len());
        let words = words!("Warps split at `{}`{} into {} roles and rejoin {}.", at, line, count, meet);
        blocks.push(paragraph("roles", words));
        blocks.push(table(dispatch).into());
        if dispatch.roles.len() <= DRAWN {
            blocks.push(verbatim("roles", "mermaid", diagram(dispatch)));
        }
    }
    blocks
}

fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", format::integer(count as u64), if count == 1 { "" } else { "s" })
}

fn telling(role: &RoleRow) -> String {
    role.telling.iter().map(|(opcode, count)| format!("{opcode} × {count}")).collect::<Vec<_>>().join(", ")
}

fn table(dispatch: &DispatchRow) -> Table {
    let columns = columns_of("Role | From | To | Instructions: | Loops: | Lines | Tells");
    let row = |role: &RoleRow| {
        vec![
            strong(role.who.clone()),
            code(offset(role.range.0)),
            code(offset(role.range.1)),
            text(role.instructions.to_string()).sorted(role.instructions as f64),
            text(role.loops.to_string()).sorted(role.loops as f64),
            text(lines(role.lines)),
            text(telling(role)),
        ]
    };
    tables::table("roles", columns, dispatch.roles.iter().map(row).collect())
}

/// A flow chart of the parting: dispatch, one box for each role, and where they meet.
fn diagram(dispatch: &DispatchRow) -> String {
    let mut lines = vec!["flowchart TD".to_owned(), format!("    part{{\"warps split at {}\"}}", offset(dispatch.at))];
    for (position, role) in dispatch.roles.iter().enumerate() {
        let first: Vec<String> =
            role.telling.iter().take(3).map(|(opcode, count)| format!("{opcode} × {count}")).collect();
        let tells = if first.is_empty() { String::new() } else { format!("<br/>{}", first.join(", ")) };
        lines.push(format!(
            "    part --> role{position}[\"{}{tells}<br/>{}, {}\"]",
            role.who,
            counted(role.instructions, "instruction"),
            counted(role.loops, "loop")
        ));
        if dispatch.meet.is_some() {
            lines.push(format!("    role{position} --> meet"));
        }
    }
    lines.extend(dispatch.meet.map(|at| format!("    meet([\"rejoin at {}\"])", offset(at))));
    lines.join("\n")
}
