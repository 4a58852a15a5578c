//! The first screen of a page without a report: what the code shows against the kernel.

use crate::analysis::Finding;
use crate::analysis::code::{CodeAudit, StaticAudit, Verdict};
use crate::view::document::{Block, Section};
use crate::view::escape;
use crate::view::hypotheses;
use crate::view::tables::paragraph;

/// The section.
pub(super) fn section(audit: &StaticAudit) -> Section {
    let mut blocks = Vec::new();
    for code in &audit.code {
        let name = format!("**{}:** ", escape::text(&code.arch));
        match code.findings.first() {
            None => {
                blocks.push(paragraph(format!("{name}the build shows nothing against the kernel. {}", clean(code))))
            }
            Some(first) => {
                blocks.push(paragraph(format!(
                    "{name}{} (`{}`)",
                    escape::text(&first.sentence.to_plain()),
                    first.code
                )));
                let rest = code.findings.iter().skip(1);
                let items: Vec<String> = rest
                    .map(|finding| format!("{} (`{}`)", escape::text(&finding.sentence.to_plain()), finding.code))
                    .collect();
                if !items.is_empty() {
                    blocks.push(Block::List { ordered: false, items });
                }
            }
        }
        blocks.extend(tensor(code).map(paragraph));
        blocks.extend(checks(code).map(paragraph));
    }
    blocks.extend(hypotheses::summary(&audit.hypotheses).map(paragraph));
    blocks.push(paragraph("What limits the kernel when it runs, only a profile can tell."));
    Section { id: "verdict".into(), title: "Verdict".into(), blocks }
}

/// What the code shows against the kernel, for a page whose verdict is about the run.
pub(super) fn against(codes: &[CodeAudit]) -> Vec<Block> {
    let of = |code: &CodeAudit| {
        let arch = escape::text(&code.arch);
        let one = move |finding: &Finding| {
            format!("{arch}: {} (`{}`)", escape::text(&finding.sentence.to_plain()), finding.code)
        };
        code.findings.iter().map(one).collect::<Vec<_>>()
    };
    let items: Vec<String> = codes.iter().flat_map(of).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List { ordered: false, items }] }
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

fn tensor(code: &CodeAudit) -> Option<String> {
    let found: Vec<String> = code
        .opcodes
        .iter()
        .filter(|(opcode, _)| opcode.split('.').next().is_some_and(|base| base.ends_with("MMA") && base != "UIMMA"))
        .map(|(opcode, count)| format!("{count} × {}", escape::code(opcode)))
        .collect();
    (!found.is_empty()).then(|| format!("Tensor instructions in the code: {}.", found.join(", ")))
}

/// How the checks ended.
fn checks(code: &CodeAudit) -> Option<String> {
    if code.checks.is_empty() {
        return None;
    }
    let count = |verdict: Verdict| code.checks.iter().filter(|check| check.verdict == verdict).count();
    let (pass, fail, open) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Inconclusive));
    let failed: Vec<String> =
        code.checks.iter().filter(|c| c.verdict == Verdict::Fail).map(|c| escape::text(&c.name)).collect();
    let names = if failed.is_empty() { String::new() } else { format!(" Failed: {}.", failed.join("; ")) };
    Some(format!("Checks on the code: {pass} PASS, {fail} FAIL, {open} INCONCLUSIVE.{names}"))
}
