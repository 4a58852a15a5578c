//! What changed in the machine code.

use crate::analysis::code::CodeFacts;
use crate::analysis::sass::{ClassChange, DiffLine};
use crate::quantity::format;
use crate::view::document::{Block, Cell};
use crate::view::tables::{columns_of, fold, paragraph, table, text, verbatim};
use crate::words;

/// A count with its sign; nothing has none.
fn signed(sign: char, count: usize) -> Cell {
    let shown = if count == 0 { "0".to_owned() } else { format!("{sign}{}", format::integer(count as u64)) };
    text(shown).sorted(count as f64)
}

pub(super) fn blocks(audit: &CodeFacts) -> Vec<Block> {
    let Some(diff) = &audit.diff else { return Vec::new() };
    if diff.is_same {
        let same = format::integer(diff.new as u64);
        return vec![paragraph("size", words!("Nothing: both builds have the same {} instructions.", same))];
    }
    let words = words!(
        "{} instructions before, {} after. Addresses, encodings and labels are left out; jumps are compared by distance.",
        format::integer(diff.old as u64),
        format::integer(diff.new as u64)
    );
    let mut blocks = vec![paragraph("size", words)];
    if diff.classes.is_empty() {
        let order = if diff.hunks.is_empty() { "order" } else { "number, in another order" };
        let words = words!(
            "Each instruction has its counterpart: the same {}, with other registers, immediates or jumps.",
            order
        );
        blocks.push(paragraph("classes", words));
    } else {
        let columns = columns_of("Class | Added: | Removed:");
        let row = |c: &ClassChange| vec![text(c.label.clone()), signed('+', c.added), signed('−', c.removed)];
        blocks.push(table("classes", columns, diff.classes.iter().map(row).collect()).into());
    }
    if diff.hunks.is_empty() && diff.rewritten().is_none() {
        return blocks;
    }
    if let Some(share) = diff.rewritten() {
        let words = words!(
            "{} % of the instructions of both builds have no counterpart: a rewrite, of which a listing would show nothing.",
            format::fixed(share, 0)
        );
        blocks.push(paragraph("rewritten", words));
        return blocks;
    }
    let line = |line: &DiffLine| format!("{}{}", line.sign, line.text);
    let hunk = |hunk: &Vec<DiffLine>| hunk.iter().map(line).collect::<Vec<_>>().join("\n");
    let mut lines = diff.hunks.iter().map(hunk).collect::<Vec<_>>().join("\n@@\n");
    if diff.lines_left_out > 0 {
        lines += &format!("\n@@ {} further lines are left out", diff.lines_left_out);
    }
    blocks.push(fold("listing", "The changed instructions", vec![verbatim("listing", "diff", lines)]));
    blocks
}
