//! What limits the kernel, how sure that is, and what stands beside it.

use super::numbers::{digits, value};
use crate::analysis::{Audit, Finding, Severity, Standing};
use crate::view::document::{Block, Section};
use crate::view::hypotheses;
use crate::view::tables::{list, paragraph};
use crate::words;
use crate::words::Words;

/// Findings beside the limiter.
const SHOWN: usize = 3;

/// Units in the line of shares of peak: what a reader calls them, and the counter.
const UNITS: [(&str, &str); 5] = [
    ("L1", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"),
    ("L2", "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
    ("DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
    ("tensor", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
    ("issue", "sm__issue_active.avg.pct_of_peak_sustained_elapsed"),
];

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let blocks = if audit.standing() == Standing::Wrong { wrong(audit) } else { limits(audit) };
    Section::new("verdict", "Verdict", blocks)
}

/// What stands in the place of a verdict on the performance of a kernel that computes something else.
fn wrong(audit: &Audit) -> Vec<Block> {
    vec![
        paragraph(
            "wrong",
            words!(
                "**WRONG.** The results are wrong, so nothing is said of the kernel's performance: not what limits it, not what changed, not what to do next."
            ),
        ),
        list("faults", audit.faults()),
    ]
}

fn limits(audit: &Audit) -> Vec<Block> {
    let bottleneck = &audit.bottleneck;
    let at = audit.findings.iter().find(|finding| finding.code == bottleneck.limiter).and_then(place);
    let at = at.map_or_else(Words::default, |place| words!(" Largest single contributor: {}.", place));
    let mut blocks = vec![paragraph(
        "limiter",
        words!(
            "**{}** (`{}`). {}{}",
            label(&bottleneck.limiter.to_string()),
            bottleneck.limiter.to_string(),
            &bottleneck.sentence,
            at
        ),
    )];
    let mut items: Vec<Words> = audit
        .findings
        .iter()
        .filter(|finding| finding.code != bottleneck.limiter && finding.severity != Severity::Notes)
        .take(SHOWN)
        .map(finding)
        .collect();
    items.extend(units(audit));
    items.extend(hypotheses::summary(&audit.hypotheses));
    if !items.is_empty() {
        blocks.push(list("beside", items));
    }
    blocks
}

fn finding(finding: &Finding) -> Words {
    let at = place(finding).map_or_else(Words::default, |place| words!(" At {}.", place));
    words!("{} (`{}`){}", &finding.sentence, finding.code.to_string(), at)
}

/// `gemm.cu:12`.
fn place(finding: &Finding) -> Option<Words> {
    let at = finding.at.as_ref()?;
    Some(words!("`{}:{}`", at.file.as_str(), at.line.to_string()))
}

/// The shares of peak in one line, the largest first.
fn units(audit: &Audit) -> Option<Words> {
    let mut held: Vec<(&str, f64)> =
        UNITS.iter().filter_map(|(label, metric)| Some((*label, value(audit, metric)?))).collect();
    held.retain(|(_, share)| *share >= 0.05);
    held.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let listed: Vec<String> = held.iter().map(|(label, share)| format!("{label} {}", digits(*share))).collect();
    (!listed.is_empty()).then(|| words!("Units, % of peak: {}.", listed.join(", ")))
}

/// What a reader calls a limiter.
fn label(code: &str) -> String {
    crate::catalog::limiter(code).map_or_else(|| code.to_owned(), |row| row.label.to_string())
}
