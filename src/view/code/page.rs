//! Where the sections of a build stand on a page.

use super::{build, checks, diff, roles, sass, verdict};
use crate::analysis::Audit;
use crate::analysis::code::CodeAudit;
use crate::view::document::{Block, Content, Document, Line, Section};
use crate::view::page::Heading;
use crate::view::tables::{self, code, left, paragraph, text, verbatim};
use crate::view::{history, hypotheses, lead};
use crate::words;

/// A section with one part for each architecture.
fn section(name: &str, title: &str, codes: &[CodeAudit], part: fn(&CodeAudit) -> Vec<Block>) -> Option<Section> {
    let mut blocks = Vec::new();
    for code in codes {
        let own = part(code);
        if codes.len() > 1 && !own.is_empty() {
            blocks.push(tables::heading("arch", &code.arch));
        }
        blocks.extend(own);
    }
    (!blocks.is_empty()).then(|| Section::new(name, title, blocks))
}

/// The sections between build stats and checks, in reading order.
fn sections(codes: &[CodeAudit]) -> Vec<Section> {
    [
        section("sass", "SASS evidence", codes, sass::blocks),
        section("control-flow", "Control flow and warp roles", codes, roles::blocks),
        section("sass-checks", "Checks on the machine code", codes, checks::blocks),
        section("sass-diff", "What changed in the machine code", codes, diff::blocks),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Puts the sections of the builds into a page with a report: resources into the build stats, the rest behind occupancy.
pub(in crate::view) fn join(page: &mut Vec<Section>, codes: &[CodeAudit]) {
    let Some(stats) = section("build", "Build stats (ptxas, cubin, launch)", codes, build::blocks) else { return };
    if let Some(old) = page.iter_mut().find(|section| section.name == "build") {
        // A log that was given keeps its table below; without one, that section only says so.
        let kept: Vec<Block> =
            old.blocks.drain(..).filter(|block| matches!(block.content, Content::Table(_))).collect();
        *old = stats;
        old.blocks.extend(kept);
    }
    let at = page.iter().position(|section| section.name == "occupancy").map_or(page.len(), |at| at + 1);
    let mut own = sections(codes);
    if let Some(first) = own.first_mut() {
        first.blocks.splice(0..0, verdict::against(codes));
    }
    page.splice(at..at, own);
}

/// The page of an audit without a report.
pub(in crate::view) fn static_document(heading: &Heading, audit: &Audit) -> Document {
    let mut page = vec![verdict::section(audit)];
    page.extend(section("build", "Build stats (ptxas, cubin)", &audit.code, build::blocks));
    page.extend(section("occupancy", "Occupancy by the build", &audit.code, build::occupancy));
    page.extend(sections(&audit.code));
    page.extend(hypotheses::section(heading, &audit.hypotheses));
    let history = history::blocks(heading, audit);
    if !history.is_empty() {
        page.push(Section::new("history", "Earlier audits", history));
    }
    page.push(not_measured());
    page.push(provenance(heading, audit));
    Document {
        title: format!("Static Performance Audit — {}", heading.date),
        lead: lead_lines(heading, audit),
        sections: page,
    }
}

fn lead_lines(heading: &Heading, audit: &Audit) -> Vec<Line> {
    let kernel = audit.code.first().map_or("", |code| code.kernel.as_str());
    let mut lines = vec![lead::kernel_line(heading, "Kernel", kernel)];
    lines.extend(lead::work(&audit.work));
    let built: Vec<&str> = audit.code.iter().map(|code| code.arch.as_str()).collect();
    let compiler = audit.code.first().map(|code| code.compiler.as_str()).filter(|word| !word.is_empty());
    let by = compiler.map_or_else(String::new, |compiler| format!(" by {compiler}"));
    lines.push(Line::new("built-for", words!("**Built for:** {}{}", built.join(", "), by)));
    if !heading.change.is_empty() {
        lines.push(Line::new("change", words!("**Change:** {}", &heading.change)));
    }
    let words = words!("**Not run:** this page is made from the build alone. Nothing on it is a measurement of time.");
    lines.push(Line::new("not-run", words));
    lines
}

fn not_measured() -> Section {
    let words = words!(
        "Time, throughput, stalls, cache behaviour, achieved occupancy and correctness were not measured: no report was given. Profile with `ncu --set full --import-source yes -o REPORT ...` and name the report in audit.toml under `report`."
    );
    Section::new("not-measured", "Not measured", vec![paragraph("cure", words)])
}

fn provenance(heading: &Heading, audit: &Audit) -> Section {
    let words = words!(
        "Made by audit {} from the build; the same command makes the same page with the same compiler:",
        &heading.program
    );
    let mut blocks = vec![paragraph("again", words), verbatim("again", "sh", &heading.command)];
    let columns = vec![left("Architecture"), left("Fact"), left("Value")];
    let mut rows = Vec::new();
    for build in &audit.code {
        let mut fact = |label: &str, value: &str| {
            if !value.is_empty() {
                rows.push(vec![text(build.arch.clone()), text(label), code(value)]);
            }
        };
        fact("input", &build.input);
        fact("command", &build.command);
        fact("compiler", &build.compiler);
        fact("disassembler", &build.disassembler);
        fact("mangled name", &build.mangled);
        fact("BLAKE3 of the cubin", build.cubin.as_ref().map_or("", |cubin| &cubin.blake3));
        fact("SHA-256 of the kernel's code", &build.code_sha256);
    }
    blocks.push(tables::table("facts", columns, rows).into());
    Section::new("provenance", "Provenance", blocks)
}
