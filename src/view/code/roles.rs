//! Control flow: its size, and where warps split into roles.

use super::sass::offset;
use crate::analysis::code::CodeFacts;
use crate::quantity::format;
use crate::view::document::Block;
use crate::view::tables::paragraph;
use crate::words::{Words, words};

pub(super) fn blocks(audit: &CodeFacts) -> Vec<Block> {
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
    }
    blocks
}
