//! What changed in the machine code: in a sentence, and by class and line.

use crate::analysis::code::CodeFacts;
use crate::analysis::sass::{ClassChange, DiffLine, SassDiff};
use crate::quantity::format;
use crate::view::document::{Block, Cell};
use crate::view::groups::summed;
use crate::view::tables::{fold, paragraph, table, text, verbatim};
use crate::words::{Words, words};

const CHANGED: usize = 8;

/// How the machine code changed, without a full stop: `601 → 589 instructions: −4 CCTL.IVALL, −2 ERRBAR`.
pub(in crate::view) fn said(diff: &SassDiff) -> Words {
    let (old, new) = (format::integer(diff.old as u64), format::integer(diff.new as u64));
    let how = match (diff.is_same, diff.rewritten()) {
        (true, _) => return words!("the same {} instructions on both sides", new),
        (false, Some(share)) => {
            format!(", a rewrite ({} % of the instructions have no counterpart)", format::fixed(share, 0))
        }
        (false, None) if diff.classes.is_empty() => {
            ": each has its counterpart, with other registers, immediates or jumps".to_owned()
        }
        (false, None) => by_opcode(diff),
    };
    words!("{} → {} instructions{}", old, new, how)
}

/// `: −4 CCTL.IVALL, −2 ERRBAR`: the opcodes that one build has more of; their classes where the listing is not whole.
fn by_opcode(diff: &SassDiff) -> String {
    let mut net: Vec<(&str, i64)> = match diff.lines_left_out {
        0 => listed(diff),
        _ => diff.classes.iter().map(|one| (one.label.as_str(), one.added as i64 - one.removed as i64)).collect(),
    };
    net.retain(|(_, sum)| *sum != 0);
    net.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.abs()));
    if net.is_empty() {
        return String::new();
    }
    let sign = |sum: i64| if sum < 0 { '−' } else { '+' };
    let told: Vec<String> =
        net.iter().take(CHANGED).map(|(opcode, sum)| format!("{}{} {opcode}", sign(*sum), sum.abs())).collect();
    let rest = if net.len() > CHANGED { format!(", and {} more", net.len() - CHANGED) } else { String::new() };
    format!(": {}{rest}", told.join(", "))
}

/// The opcodes of a listing, and how many more of each the new build has.
fn listed(diff: &SassDiff) -> Vec<(&str, i64)> {
    summed(diff.hunks.iter().flatten().filter(|line| line.sign != ' ').filter_map(|line| {
        let opcode = line.text.split_whitespace().find(|word| !word.starts_with('@'))?;
        Some((opcode.trim_end_matches(';'), if line.sign == '+' { 1 } else { -1 }))
    }))
}

/// A count with its sign; nothing has none.
fn signed(sign: char, count: usize) -> Cell {
    let shown = if count == 0 { "0".to_owned() } else { format!("{sign}{}", format::integer(count as u64)) };
    text(shown).sorted(count as f64)
}

/// The sentence, the classes, and the changed lines of what is no rewrite.
pub(super) fn blocks(audit: &CodeFacts) -> Vec<Block> {
    let Some(diff) = &audit.diff else { return Vec::new() };
    let how = "Addresses, encodings and labels are left out; jumps are compared by distance.";
    let mut blocks = vec![paragraph("size", words!("{}. {}", said(diff), how))];
    if !diff.classes.is_empty() {
        let row = |c: &ClassChange| vec![text(c.label.clone()), signed('+', c.added), signed('−', c.removed)];
        blocks.push(table("classes", "Class | Added: | Removed:", diff.classes.iter().map(row)).into());
    }
    if diff.hunks.is_empty() || diff.rewritten().is_some() {
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
