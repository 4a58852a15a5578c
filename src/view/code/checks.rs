//! Checks on the machine code, each with what decided it.

use super::sass::offset;
use crate::analysis::code::{CheckResult, CodeAudit, Deciding};
use crate::analysis::{Judgement, Role};
use crate::view::document::{Block, Cell};
use crate::view::tables::{filled, judged, text};

/// Deciding instructions named in a cell.
const NAMED: usize = 4;

pub(super) fn blocks(audit: &CodeAudit) -> Vec<Block> {
    if audit.checks.is_empty() {
        return Vec::new();
    }
    // A check without a name of its own is called by its rule.
    let has_rules = audit.checks.iter().any(|check| check.name != check.rule);
    vec![
        filled(
            "checks",
            "Check | Old verdict | Verdict | Rule | Found | Decided by",
            audit.checks.iter().map(|check| row(check, has_rules)),
        )
        .into(),
    ]
}

fn row(check: &CheckResult, has_rules: bool) -> Vec<Cell> {
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
    vec![
        text(check.name.clone()),
        check.old.map(|old| judged(old, Role::Check)).unwrap_or_default(),
        shown,
        if has_rules { text(check.rule.clone()) } else { Cell::default() },
        text(check.found.clone()),
        text(decided),
    ]
}
