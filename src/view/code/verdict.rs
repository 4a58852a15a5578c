//! The first screen of a page without a report: what the code shows against the kernel.

use crate::analysis::code::{CodeAudit, Verdict};
use crate::analysis::{Audit, Finding};
use crate::view::document::{Block, Section};
use crate::view::hypotheses;
use crate::view::tables::{list, paragraph};
use crate::words;
use crate::words::Words;

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let mut blocks = Vec::new();
    let is_side_by_side = audit.code.iter().any(|code| !code.variant.is_empty());
    if is_side_by_side {
        blocks.push(list("findings", of_variants(&audit.code)));
    }
    for code in audit.code.iter().filter(|_| !is_side_by_side) {
        match code.findings.as_slice() {
            [] => {
                let words = words!("**{}:** the build shows nothing against the kernel. {}", code.label(), clean(code));
                blocks.push(paragraph("findings", words));
            }
            [first, rest @ ..] => {
                blocks.push(paragraph("findings", words!("**{}:** {}", code.label(), said(first))));
                blocks.extend((!rest.is_empty()).then(|| list("findings", rest.iter().map(said))));
            }
        }
        blocks.extend(tensor(code).map(|words| paragraph("tensor", words)));
        blocks.extend(checks(code).map(|words| paragraph("checks", words)));
    }
    blocks.extend(hypotheses::summary(&audit.hypotheses).map(|words| paragraph("hypotheses", words)));
    Section::new("verdict", "Verdict", blocks)
}

/// Builds of one source: the largest finding of each, then once what several of them have. Their checks are in the table.
fn of_variants(codes: &[CodeAudit]) -> Vec<Words> {
    let first = |code: &CodeAudit| {
        let found = code.findings.first().map_or_else(|| clean(code).into(), said);
        words!("**{}:** {}", code.label(), found)
    };
    let mut items: Vec<Words> = codes.iter().map(first).collect();
    for other in codes.iter().flat_map(|code| code.findings.iter().skip(1).map(said).chain(tensor(code))) {
        if !items.contains(&other) {
            items.push(other);
        }
    }
    items
}

/// What the code shows against the kernel, for a page whose verdict is about the run.
pub(super) fn against(codes: &[CodeAudit]) -> Vec<Block> {
    let of = |code: &CodeAudit| -> Vec<Words> {
        code.findings.iter().map(|finding| words!("{}: {}", code.label(), said(finding))).collect()
    };
    let items: Vec<Words> = codes.iter().flat_map(of).collect();
    if items.is_empty() { Vec::new() } else { vec![list("findings", items)] }
}

fn said(finding: &Finding) -> Words {
    words!("{} (`{}`)", &finding.sentence, finding.code.to_string())
}

/// What was looked for and not found.
fn clean(code: &CodeAudit) -> String {
    let mut words = Vec::new();
    if code.local.is_empty() {
        words.push("no local memory".to_owned());
    }
    if let [one] = &code.occupancies[..] {
        words.push(format!("room for {} of {} warps on an SM", one.warps, one.max_warps));
    }
    if words.is_empty() { String::new() } else { format!("It has {}.", words.join(" and ")) }
}

fn tensor(code: &CodeAudit) -> Option<Words> {
    let found: Vec<Words> = code
        .opcodes
        .iter()
        .filter(|(opcode, _)| opcode.split('.').next().is_some_and(|base| base.ends_with("MMA") && base != "UIMMA"))
        .map(|(opcode, count)| words!("{} × `{}`", count.to_string(), opcode))
        .collect();
    (!found.is_empty()).then(|| words!("Tensor instructions in the code: {}.", words::join(found, ", ")))
}

/// How the checks ended.
fn checks(code: &CodeAudit) -> Option<String> {
    if code.checks.is_empty() {
        return None;
    }
    let count = |verdict: Verdict| code.checks.iter().filter(|check| check.verdict == verdict).count();
    let (pass, fail, open) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Inconclusive));
    let failed: Vec<&str> =
        code.checks.iter().filter(|c| c.verdict == Verdict::Fail).map(|c| c.name.as_str()).collect();
    let names = if failed.is_empty() { String::new() } else { format!(" Failed: {}.", failed.join("; ")) };
    Some(format!("Checks on the code: {pass} PASS, {fail} FAIL, {open} INCONCLUSIVE.{names}"))
}
