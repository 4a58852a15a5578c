//! Where the sections of a build stand on a page.

use super::{build, checks, diff, roles, sass, verdict};
use crate::analysis::code::{CodeAudit, StaticAudit};
use crate::view::document::{Block, Document, Section};
use crate::view::page::Heading;
use crate::view::tables::{code, left, paragraph, text};
use crate::view::{escape, history, hypotheses};

/// A section with one part for each architecture.
fn section(id: &str, title: &str, codes: &[CodeAudit], part: fn(&CodeAudit) -> Vec<Block>) -> Option<Section> {
    let mut blocks = Vec::new();
    for code in codes {
        let own = part(code);
        if codes.len() > 1 && !own.is_empty() {
            blocks.push(Block::Heading { text: code.arch.clone() });
        }
        blocks.extend(own);
    }
    (!blocks.is_empty()).then(|| Section { id: id.into(), title: title.into(), blocks })
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
    if let Some(old) = page.iter_mut().find(|section| section.id == "build") {
        // A log that was given keeps its table below; without one, that section only says so.
        let kept: Vec<Block> = old.blocks.drain(..).filter(|block| matches!(block, Block::Table { .. })).collect();
        *old = stats;
        old.blocks.extend(kept);
    }
    let at = page.iter().position(|section| section.id == "occupancy").map_or(page.len(), |at| at + 1);
    let mut own = sections(codes);
    if let Some(first) = own.first_mut() {
        first.blocks.splice(0..0, verdict::against(codes));
    }
    page.splice(at..at, own);
}

/// The page of an audit without a report.
pub fn static_document(heading: &Heading, audit: &StaticAudit) -> Document {
    let mut page = vec![verdict::section(audit)];
    page.extend(section("build", "Build stats (ptxas, cubin)", &audit.code, build::blocks));
    page.extend(section("occupancy", "Occupancy by the build", &audit.code, build::occupancy));
    page.extend(sections(&audit.code));
    page.extend(hypotheses::section(heading, &audit.hypotheses));
    let history = history::of_code(heading, audit);
    if !history.is_empty() {
        page.push(Section { id: "history".into(), title: "Earlier audits".into(), blocks: history });
    }
    page.push(not_measured());
    page.push(provenance(heading, audit));
    Document {
        title: format!("Static Performance Audit — {}", heading.date),
        lead: lead(heading, audit),
        sections: page,
    }
}

fn lead(heading: &Heading, audit: &StaticAudit) -> Vec<String> {
    let kernel = audit.code.first().map_or("", |code| code.kernel.as_str());
    let mut what = format!("**Kernel:** {}", escape::code(kernel));
    if !heading.title.is_empty() {
        what += &format!(" — {}", escape::text(&heading.title));
    }
    if !heading.commit.is_empty() {
        what += &format!(" · commit {}", escape::code(&heading.commit));
    }
    let mut lines = vec![what];
    let work: Vec<String> =
        [&audit.work.shape, &audit.work.types].into_iter().filter(|w| !w.is_empty()).map(|w| escape::text(w)).collect();
    if !work.is_empty() {
        lines.push(format!("**Work:** {}", work.join(" · ")));
    }
    let built: Vec<String> = audit.code.iter().map(|code| escape::text(&code.arch)).collect();
    let compiler = audit.code.first().map(|code| code.compiler.as_str()).filter(|word| !word.is_empty());
    let by = compiler.map_or_else(String::new, |compiler| format!(" by {}", escape::text(compiler)));
    lines.push(format!("**Built for:** {}{by}", built.join(", ")));
    if !heading.change.is_empty() {
        lines.push(format!("**Change:** {}", escape::text(&heading.change)));
    }
    lines.push("**Not run:** this page is made from the build alone. Nothing on it is a measurement of time.".into());
    lines
}

fn not_measured() -> Section {
    let blocks = vec![paragraph(
        "Time, throughput, stalls, cache behaviour, achieved occupancy and correctness were not measured: no report was given. Profile with `ncu --set full --import-source yes -o REPORT ...` and name the report in audit.toml under `report`.",
    )];
    Section { id: "not-measured".into(), title: "Not measured".into(), blocks }
}

fn provenance(heading: &Heading, audit: &StaticAudit) -> Section {
    let mut blocks = vec![paragraph(format!(
        "Made by audit {} from the build; the same command makes the same page with the same compiler:",
        escape::text(&heading.program)
    ))];
    blocks.push(Block::Code { language: "sh".into(), text: heading.command.clone() });
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
    let table = crate::view::document::Table { id: "provenance".into(), caption: String::new(), columns, rows };
    blocks.push(Block::Table { table });
    Section { id: "provenance".into(), title: "Provenance".into(), blocks }
}
