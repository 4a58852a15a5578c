//! What changed in the machine code.

use crate::analysis::code::CodeAudit;
use crate::analysis::sass::DiffLine;
use crate::quantity::format;
use crate::view::document::{Block, Table};
use crate::view::tables::{left, paragraph, right, text};

/// A count with its sign; nothing has none.
fn signed(sign: char, count: usize) -> String {
    if count == 0 { "0".to_owned() } else { format!("{sign}{}", format::integer(count as u64)) }
}

pub(super) fn blocks(audit: &CodeAudit) -> Vec<Block> {
    let Some(diff) = &audit.diff else { return Vec::new() };
    if diff.is_same {
        return vec![paragraph(format!(
            "Nothing: both builds have the same {} instructions.",
            format::integer(diff.new as u64)
        ))];
    }
    let mut blocks = vec![paragraph(format!(
        "{} instructions before, {} after. Addresses, encodings and labels are left out; jumps are told by their distance.",
        format::integer(diff.old as u64),
        format::integer(diff.new as u64)
    ))];
    if diff.classes.is_empty() {
        blocks.push(paragraph("Only distances of jumps changed."));
        return blocks;
    }
    let columns = vec![left("Class"), right("Added"), right("Removed")];
    let rows = diff
        .classes
        .iter()
        .map(|c| vec![text(c.label.clone()), text(signed('+', c.added)), text(signed('−', c.removed))]);
    let rows = rows.collect();
    blocks.push(Block::Table {
        table: Table { id: format!("sass-diff-{}", audit.arch), caption: String::new(), columns, rows },
    });
    if let Some(share) = diff.rewritten() {
        blocks.push(paragraph(format!(
            "{} % of the instructions of both builds have no counterpart: a rewrite, whose listing would tell nothing.",
            format::fixed(share, 0)
        )));
        return blocks;
    }
    let line = |line: &DiffLine| format!("{}{}", line.sign, line.text);
    let hunk = |hunk: &Vec<DiffLine>| hunk.iter().map(line).collect::<Vec<_>>().join("\n");
    let mut lines = diff.hunks.iter().map(hunk).collect::<Vec<_>>().join("\n@@\n");
    if diff.lines_left_out > 0 {
        lines += &format!("\n@@ {} further lines are left out", diff.lines_left_out);
    }
    let folded = vec![Block::Code { language: "diff".into(), text: lines }];
    blocks.push(Block::Fold { summary: "The changed instructions".into(), blocks: folded });
    blocks
}
