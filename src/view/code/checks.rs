//! Checks on the machine code, each with what decided it.

use super::sass::offset;
use crate::analysis::code::{CheckResult, CodeAudit, Deciding, Verdict};
use crate::view::document::{Block, Cell, Table};
use crate::view::tables::{left, strong, text};

/// Deciding instructions named in a cell.
const NAMED: usize = 4;

pub(super) fn blocks(audit: &CodeAudit) -> Vec<Block> {
    if audit.checks.is_empty() {
        return Vec::new();
    }
    let columns = vec![left("Check"), left("Verdict"), left("Rule"), left("Found"), left("Decided by")];
    let rows = audit.checks.iter().map(row).collect();
    vec![Block::Table {
        table: Table { id: format!("sass-checks-{}", audit.arch), caption: String::new(), columns, rows },
    }]
}

fn row(check: &CheckResult) -> Vec<Cell> {
    let verdict = match check.verdict {
        Verdict::Pass => text("PASS"),
        Verdict::Fail => strong("FAIL"),
        Verdict::Inconclusive => text("INCONCLUSIVE"),
    };
    let named = |at: &Deciding| {
        let line = at.line.map_or_else(String::new, |line| format!(" line {line}"));
        format!("{} {}{line}", offset(at.offset), at.opcode)
    };
    let mut words: Vec<String> = check.deciding.iter().take(NAMED).map(named).collect();
    if check.deciding_count > NAMED {
        words.push(format!("and {} more", check.deciding_count - NAMED));
    }
    let decided = if words.is_empty() { "no instruction".to_owned() } else { words.join("; ") };
    vec![text(check.name.clone()), verdict, text(check.rule.clone()), text(check.found.clone()), text(decided)]
}
