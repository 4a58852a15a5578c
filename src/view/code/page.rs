//! Where the sections of a build stand on a page.

use super::resources::{self, in_parts};
use super::{build_name, checks, diff, phases, sass, variants, verdict};
use crate::analysis::Audit;
use crate::analysis::code::CodeAudit;
use crate::view::document::{Block, Document, Line, Section};
use crate::view::heading::Heading;
use crate::view::tables::{list, paragraph, verbatim};
use crate::view::{brief, page};
use crate::words::{Words, words};
use std::collections::BTreeSet;

/// The sections between build stats and checks, in reading order, with what `flow` says of the control flow.
fn sections(codes: &[CodeAudit], flow: impl Fn(&CodeAudit) -> Vec<Block>) -> Vec<Section> {
    [
        in_parts("sass", "SASS evidence", codes, |code| sass::blocks(&code.facts)),
        in_parts("control-flow", "Control flow and warp roles", codes, flow),
        in_parts("sass-checks", "Checks on the machine code", codes, checks::blocks),
        in_parts("sass-diff", "What changed in the machine code", codes, |code| diff::blocks(&code.facts)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Puts the sections of the builds into a page with a report, behind occupancy.
pub(in crate::view) fn join(page: &mut Vec<Section>, audit: &Audit) {
    let codes = audit.code.as_slice();
    let at = page.iter().position(|section| section.name == "occupancy").map_or(page.len(), |at| at + 1);
    let ran = audit.now.phases.is_some();
    let flow = |code: &CodeAudit| {
        let phases =
            if ran && code.facts.dispatches.is_empty() { Vec::new() } else { phases::blocks(&code.facts, usize::MAX) };
        [phases::roles(&code.facts, ran), phases].concat()
    };
    let mut own: Vec<Section> = sections(codes, flow);
    if let Some(first) = own.first_mut() {
        first.blocks.splice(0..0, verdict::against(codes));
    }
    page.splice(at..at, own);
}

/// The page of an audit without a report: what the build shows, and behind it the code in full.
pub(in crate::view) fn static_document(heading: &Heading, audit: &Audit) -> Document {
    let mut page = vec![verdict::section(audit), next(heading)];
    match brief::changed::changed_code(heading, audit) {
        Some(changed) => page.push(changed),
        None => page.iter_mut().rev().take(1).for_each(|next| next.blocks.extend(brief::changed::links(heading))),
    }
    let of_build = |code: &CodeAudit| [resources::blocks(&code.facts), resources::occupancy(&code.facts)].concat();
    let of_each = [
        in_parts("phases", "Phases of the code", &audit.code, |code| phases::blocks(&code.facts, phases::SHOWN)),
        in_parts("build", "Build stats (ptxas, cubin), occupancy", &audit.code, of_build),
    ];
    let of_each = of_each.into_iter().flatten();
    let mut details = Vec::new();
    match variants::section(&audit.code, &audit.trials.variants) {
        // One table has them all; each by itself is a detail.
        Some(table) => {
            page.push(table);
            details.extend(of_each);
        }
        None => page.extend(of_each),
    }
    page.extend(brief::checks::section(audit));
    page.push(provenance(heading, audit));
    // The phases of the code stand on the page.
    details.extend(sections(&audit.code, |code| phases::roles(&code.facts, false)));
    details.extend(brief::hypotheses::in_full(heading, &audit.hypotheses));
    details.extend(brief::versions::section(heading, audit));
    Document {
        title: page::title("Static Performance Audit", heading),
        lead: lead_lines(heading, audit),
        sections: page,
        details,
    }
}

fn lead_lines(heading: &Heading, audit: &Audit) -> Vec<Line> {
    let kernel = audit.code.first().map_or("", |code| code.facts.kernel.as_str());
    let mut words = words!("**Kernel:** `{}`", kernel);
    if !heading.title.is_empty() {
        words.push(format!(" — {}", heading.title));
    }
    if !heading.commit.is_empty() {
        words.push(words!(" · commit `{}`", &heading.commit));
    }
    let mut lines = vec![Line::new("kernel", words)];
    let stated = [audit.work.shape.as_str(), &audit.work.types].into_iter().filter(|words| !words.is_empty());
    let stated: Vec<&str> = stated.collect();
    lines.extend((!stated.is_empty()).then(|| Line::new("work", words!("**Work:** {}", stated.join(" · ")))));
    let archs: BTreeSet<&str> = audit.code.iter().map(|code| code.facts.arch.as_str()).collect();
    let archs = archs.into_iter().collect::<Vec<_>>().join(", ");
    let builds: Vec<&str> =
        audit.code.iter().map(|code| code.facts.variant.as_str()).filter(|name| !name.is_empty()).collect();
    let builds = if builds.is_empty() { String::new() } else { format!(": {}", builds.join("; ")) };
    let compiler = audit.code.first().map(|code| code.facts.compiler.as_str()).filter(|word| !word.is_empty());
    let by = compiler.map_or_else(String::new, |compiler| format!(" by {compiler}"));
    lines.push(Line::new("built-for", words!("**Built for:** {}{}{}", archs, by, builds)));
    let words = words!("**Not run:** this page is made from the build alone. Nothing on it is a measurement of time.");
    lines.push(Line::new("not-run", words));
    lines
}

/// What only a run can tell, and how to get it.
fn next(heading: &Heading) -> Section {
    let words = words!(
        "Only a run can tell what limits the kernel: time, stalls, cache behaviour, achieved occupancy and correctness were not measured. On such a GPU `audit collect {}` checks the outputs, times and profiles, where audit.toml states the arguments; or name under `report` what `ncu --set full --import-source yes -o REPORT …` wrote.",
        &*heading.subject
    );
    Section::new("next", "Next", vec![paragraph("cure", words)])
}

fn provenance(heading: &Heading, audit: &Audit) -> Section {
    let words = words!(
        "Made by audit {} from the build; the same command makes the same page with the same compiler:",
        &heading.program
    );
    let inputs: BTreeSet<&str> = audit.code.iter().map(|build| build.facts.input.as_str()).collect();
    let hash = |build: &CodeAudit| match audit.code.len() {
        1 => words!("`{}`", short(&build.facts.code_sha256)),
        _ => words!("{}: `{}`", build_name(&audit.code, build), short(&build.facts.code_sha256)),
    };
    let inputs = words::join(inputs.into_iter().map(words::code), ", ");
    let mut items = vec![words!("Built from {}", inputs)];
    let cubins = audit.code.iter().filter_map(|build| build.facts.cubin.as_ref());
    let cubins: Vec<Words> = cubins.map(|cubin| words!("`{}`", short(&cubin.blake3))).collect();
    items.extend((!cubins.is_empty()).then(|| words!("Cubin (BLAKE3): {}", words::join(cubins, ", "))));
    items.push(words!("SHA-256 of the kernel's code: {}", words::join(audit.code.iter().map(hash), "; ")));
    let blocks = vec![paragraph("again", words), verbatim("again", "sh", &heading.command), list("facts", items)];
    Section::new("provenance", "Provenance", blocks)
}

/// The digits of a hash that tell files apart; the snapshot has all.
fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}
