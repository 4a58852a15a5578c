//! What compute-sanitizer found: a line for each tool, then each finding with its place in the source.

use super::document::{Block, Cell, Table, Tone};
use super::tables::{self, code, columns_of, count, paragraph, text};
use crate::evidence::{SanitizerFinding, SanitizerLevel, SanitizerRun, SanitizerSite};

/// The blocks about the runs; none where there are none.
pub(super) fn blocks(runs: &[SanitizerRun]) -> Vec<Block> {
    if runs.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![tools(runs).into()];
    let found: Vec<_> = runs.iter().flat_map(|run| run.findings.iter().map(move |found| (run, found))).collect();
    if !found.is_empty() {
        blocks.push(paragraph("sanitizer-findings", "Where:"));
        blocks.push(places(&found).into());
    }
    blocks
}

fn tools(runs: &[SanitizerRun]) -> Table {
    let row = |run: &SanitizerRun| {
        vec![
            code(run.tool.name()),
            text(run.tool.looks_for()),
            if run.is_clean() { result(run) } else { result(run).strong() },
        ]
    };
    let columns = columns_of("compute-sanitizer | Looks for | Result");
    let caption = "Each tool ran the same program before anything was measured.";
    Table { caption: caption.into(), ..tables::table("sanitizer", columns, runs.iter().map(row).collect()) }
}

fn result(run: &SanitizerRun) -> Cell {
    if !run.not_measured.is_empty() {
        return text(format!("NOT MEASURED: {}", run.not_measured)).toned(Tone::Unsure);
    }
    let of = |level| run.findings.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings) = (of(SanitizerLevel::Error), of(SanitizerLevel::Warning));
    let counted = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, 0) if run.findings.is_empty() => text("clean").toned(Tone::Good),
        (0, 0) => text(counted(run.findings.len(), "remark")),
        (0, n) => text(counted(n, "warning")),
        (n, 0) => text(format!("WRONG: {}", counted(n, "error"))).toned(Tone::Bad),
        (n, m) => text(format!("WRONG: {} and {}", counted(n, "error"), counted(m, "warning"))).toned(Tone::Bad),
    }
}

fn places(found: &[(&SanitizerRun, &SanitizerFinding)]) -> Table {
    let columns = columns_of("Tool | Place | What | Threads: | Hazards:");
    let row = |&(run, finding): &(&SanitizerRun, &SanitizerFinding)| {
        let sites: Vec<String> = finding.sites.iter().map(site).collect();
        let hazards = if finding.hazards == 0 { Cell::default() } else { count(finding.hazards) };
        vec![
            code(run.tool.name()),
            text(if sites.is_empty() { "outside kernels".into() } else { sites.join("; ") }),
            text(finding.text.clone()),
            count(finding.records),
            hazards,
        ]
    };
    tables::table("sanitizer-findings", columns, found.iter().map(row).collect())
}

fn site(site: &SanitizerSite) -> String {
    let function = format!("{}+{}", site.function, site.pc);
    let place = match site.line {
        0 => function,
        line => format!("{}:{line} ({function})", site.file),
    };
    if site.access.is_empty() { place } else { format!("{} at {place}", site.access) }
}
