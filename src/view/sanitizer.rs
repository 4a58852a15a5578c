//! What compute-sanitizer found: a line for each tool, then each finding with its place in the source.

use super::document::{Block, Table};
use super::tables::{code, left, paragraph, right, strong, text};
use crate::evidence::{SanitizerFinding, SanitizerLevel, SanitizerRun, SanitizerSite};
use crate::quantity::format;

/// The blocks about the runs; none where there are none.
pub(super) fn blocks(runs: &[SanitizerRun]) -> Vec<Block> {
    if runs.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table { table: tools(runs) }];
    let found: Vec<_> = runs.iter().flat_map(|run| run.findings.iter().map(move |found| (run, found))).collect();
    if !found.is_empty() {
        blocks.push(paragraph("Where:"));
        blocks.push(Block::Table { table: places(&found) });
    }
    blocks
}

fn tools(runs: &[SanitizerRun]) -> Table {
    let row = |run: &SanitizerRun| {
        vec![
            code(run.tool.name()),
            text(run.tool.looks_for()),
            if run.is_clean() { text(result(run)) } else { strong(result(run)) },
        ]
    };
    let columns = vec![left("compute-sanitizer"), left("Looks for"), left("Result")];
    let caption = "Each tool ran over the same program before anything was measured.";
    Table { id: "sanitizer".into(), caption: caption.into(), columns, rows: runs.iter().map(row).collect() }
}

fn result(run: &SanitizerRun) -> String {
    if !run.not_measured.is_empty() {
        return format!("NOT MEASURED: {}", run.not_measured);
    }
    let of = |level| run.findings.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings) = (of(SanitizerLevel::Error), of(SanitizerLevel::Warning));
    let counted = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, 0) if run.findings.is_empty() => "clean".into(),
        (0, 0) => counted(run.findings.len(), "remark"),
        (0, n) => counted(n, "warning"),
        (n, 0) => format!("WRONG: {}", counted(n, "error")),
        (n, m) => format!("WRONG: {} and {}", counted(n, "error"), counted(m, "warning")),
    }
}

fn places(found: &[(&SanitizerRun, &SanitizerFinding)]) -> Table {
    let columns = vec![left("Tool"), left("Place"), left("What"), right("Threads"), right("Hazards")];
    let row = |&(run, finding): &(&SanitizerRun, &SanitizerFinding)| {
        let sites: Vec<String> = finding.sites.iter().map(site).collect();
        let hazards = if finding.hazards == 0 { String::new() } else { format::integer(finding.hazards) };
        vec![
            code(run.tool.name()),
            text(if sites.is_empty() { "outside kernels".into() } else { sites.join("; ") }),
            text(finding.text.clone()),
            text(format::integer(finding.records)),
            text(hazards),
        ]
    };
    Table { id: "sanitizer-findings".into(), caption: String::new(), columns, rows: found.iter().map(row).collect() }
}

/// `Write gemm.cu:27 (gemm+0xc0)`.
fn site(site: &SanitizerSite) -> String {
    let function = format!("{}+{}", site.function, site.pc);
    let place = match site.line {
        0 => function,
        line => format!("{}:{line} ({function})", site.file),
    };
    if site.access.is_empty() { place } else { format!("{} at {place}", site.access) }
}
