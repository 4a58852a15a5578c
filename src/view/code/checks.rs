//! Checks on the machine code, each with what decided it.

use super::sass::offset;
use crate::analysis::code::{CheckResult, CodeAudit, Deciding};
use crate::analysis::{Judgement, Role};
use crate::view::document::{Block, Cell};
use crate::view::tables::{columns_of, judged, left, table, text};

/// Deciding instructions named in a cell.
const NAMED: usize = 4;

pub(super) fn blocks(audit: &CodeAudit) -> Vec<Block> {
    if audit.checks.is_empty() {
        return Vec::new();
    }
    let has_old = audit.checks.iter().any(|check| check.old.is_some());
    let mut columns = columns_of("Check | Verdict | Rule | Found | Decided by");
    if has_old {
        columns.insert(1, left("Old verdict"));
    }
    let mut rows: Vec<Vec<Cell>> = audit.checks.iter().map(|check| row(check, has_old)).collect();
    // A check without a name of its own is called by its rule.
    if audit.checks.iter().all(|check| check.name == check.rule) {
        let at = 2 + usize::from(has_old);
        columns.remove(at);
        for row in &mut rows {
            row.remove(at);
        }
    }
    vec![table("checks", columns, rows).into()]
}

fn row(check: &CheckResult, has_old: bool) -> Vec<Cell> {
    let shown = judged(check.verdict, Role::Check);
    let shown = if check.verdict == Judgement::Fails { shown.strong() } else { shown };
    let named = |at: &Deciding| {
        let line = at.line.map_or_else(String::new, |line| format!(" line {line}"));
        format!("{} {}{line}", offset(at.offset), at.opcode)
    };
    let mut words: Vec<String> = check.deciding.iter().take(NAMED).map(named).collect();
    if check.deciding_count > NAMED {
        words.push(format!("and {} more", check.deciding_count - NAMED));
    }
    let decided = if words.is_empty() { "no instruction".to_owned() } else { words.join("; ") };
    let mut row =
        vec![text(check.name.clone()), shown, text(check.rule.clone()), text(check.found.clone()), text(decided)];
    if has_old {
        row.insert(1, check.old.map(|old| judged(old, Role::Check)).unwrap_or_default());
    }
    row
}
