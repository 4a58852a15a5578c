//! The first screen of a page without a report: what the code shows against the kernel.

use super::build_name;
use crate::analysis::code::{CodeAudit, StoreReach};
use crate::analysis::{Audit, Finding, Judgement, Role};
use crate::quantity::format;
use crate::view::brief;
use crate::view::document::{Block, Section};
use crate::view::groups::grouped;
use crate::view::tables::{list, paragraph};
use crate::words::{Words, words};

/// Lanes of a warp, and bytes of a line of L1 and L2.
const LANES: u32 = 32;
const LINE: u64 = 128;

/// The section: each finding once, with the builds that have it.
pub(super) fn section(audit: &Audit) -> Section {
    let codes = &audit.code;
    let found = |code: &CodeAudit| -> Vec<Words> {
        match code.findings.as_slice() {
            [] => vec![clean(code).into()],
            findings => findings.iter().map(said).collect(),
        }
    };
    let beside = |code: &CodeAudit| -> Vec<Words> {
        // Of several builds they are a row of the table.
        let products = products(code).filter(|_| codes.len() == 1);
        let tensor = products.map(|products| words!("Tensor instructions in the code: {}.", products));
        tensor.into_iter().chain(code.facts.stores.iter().filter_map(|store| scattered(store, audit))).collect()
    };
    let all = codes.iter().map(|code| (code, found(code))).chain(codes.iter().map(|code| (code, beside(code))));
    let mut told = grouped(
        all.flat_map(|(code, all)| all.into_iter().map(|words| (words, build_name(codes, code))).collect::<Vec<_>>()),
    );
    let lead = |builds: &[String]| match builds.len() {
        2 if codes.len() == 2 => "Both builds".to_owned(),
        one if one == codes.len() && one > 1 => format!("All {one} builds"),
        _ => builds.join("; "),
    };
    told.sort_by_key(|(_, builds)| builds.len() < codes.len());
    let mut items: Vec<Words> = told.iter().map(|(words, builds)| words!("**{}:** {}", lead(builds), words)).collect();
    if let [_] = codes.as_slice() {
        // One build is named once.
        items.iter_mut().zip(&told).skip(1).for_each(|(item, (words, _))| *item = words.clone());
    }
    items.extend(checks(codes).map(Words::from));
    items.extend(brief::hypotheses::summary(&audit.hypotheses));
    let mut items = items.into_iter();
    let mut blocks: Vec<Block> = items.next().map(|first| paragraph("findings", first)).into_iter().collect();
    let rest: Vec<Words> = items.collect();
    blocks.extend((!rest.is_empty()).then(|| list("findings", rest)));
    Section::new("verdict", "Verdict", blocks)
}

/// What the code shows against the kernel, for a page whose verdict is about the run.
pub(super) fn against(codes: &[CodeAudit]) -> Vec<Block> {
    let of = |code: &CodeAudit| -> Vec<Words> {
        code.findings.iter().map(|finding| words!("{}: {}", code.facts.label(), said(finding))).collect()
    };
    let items: Vec<Words> = codes.iter().flat_map(of).collect();
    if items.is_empty() { Vec::new() } else { vec![list("findings", items)] }
}

fn said(finding: &Finding) -> Words {
    words!("{} (`{}`)", &finding.sentence, finding.code.to_string())
}

/// What was looked for and not found.
fn clean(code: &CodeAudit) -> String {
    let mut words = vec!["No pattern that is known to limit".to_owned()];
    words.extend(code.facts.local.is_empty().then(|| "no local memory".to_owned()));
    if let [one] = &code.facts.occupancies[..] {
        words.push(format!("room for {} of {} warps on an SM", one.warps, one.max_warps));
    }
    format!("{}.", words.join("; "))
}

/// Products in the code; the shape of those of tcgen05 is not in their opcode.
pub(super) fn products(code: &CodeAudit) -> Option<Words> {
    let is_product = |opcode: &str| {
        let base = opcode.split('.').next().unwrap_or_default();
        base.ends_with("MMA") && base != "UIMMA" && !base.starts_with("UTC")
    };
    let by_warps = code.facts.opcodes.iter().filter(|(opcode, _)| is_product(opcode));
    let by_warps = by_warps.map(|(opcode, count)| words!("{} × `{}`", count.to_string(), opcode));
    let of_tcgen05 = code.facts.products.iter().filter(|product| !is_product(&product.opcode)).map(|product| {
        let shape = product.shape.map(|[rows, columns]| format!(" of {rows} × {columns}"));
        words!("{} × `{}`{}", product.count.to_string(), &product.opcode, words::maybe(shape))
    });
    let found: Vec<Words> = by_warps.chain(of_tcgen05).collect();
    (!found.is_empty()).then(|| words::join(found, ", "))
}

/// What a warp touches with a store whose lanes do not lie side by side.
fn scattered(store: &StoreReach, audit: &Audit) -> Option<Words> {
    let bytes = u64::from(LANES * store.bits / 8);
    let least = bytes.div_ceil(LINE);
    let at = store.line.map(|line| format!(" at line {line}"));
    // Another build may take another tile.
    let tiles = audit.stores.as_ref().map(|stores| &stores.tiles);
    let tile = tiles.filter(|tiles| tiles.stores_per_warp == store.count as u64).map(|tiles| {
        let lines = tiles.stores_per_warp * tiles.warps * store.reach.lines;
        let (stores, warps) = (format::integer(tiles.stores_per_warp), format::integer(tiles.warps));
        format!("; a tile takes {stores} by each of {warps} warps, {} lines", format::integer(lines))
    });
    let apart = store.reach.apart.map(|bytes| format!("lanes {} B apart, ", format::integer(bytes.unsigned_abs())));
    (store.reach.lines > least).then(|| {
        words!(
            "A warp stores {} B with `STG` of {} bits{}: {}{} sectors in {} lines of 128 B, where {} hold as much{}.",
            format::integer(bytes),
            store.bits.to_string(),
            words::maybe(at),
            words::maybe(apart),
            store.reach.sectors.to_string(),
            store.reach.lines.to_string(),
            least.to_string(),
            words::maybe(tile)
        )
    })
}

/// How the checks ended in all builds.
fn checks(codes: &[CodeAudit]) -> Option<String> {
    let all: Vec<_> = codes.iter().flat_map(|code| code.checks.iter().map(move |check| (check, code))).collect();
    if all.is_empty() {
        return None;
    }
    let name = |check: &str, code: &CodeAudit| match codes.len() {
        1 => check.to_owned(),
        _ => format!("{check} ({})", build_name(codes, code)),
    };
    let failed = all.iter().filter(|(check, _)| check.verdict == Judgement::Fails);
    let failed: Vec<String> = failed.map(|(check, code)| name(&check.name, code)).collect();
    let names = if failed.is_empty() { String::new() } else { format!(" Failed: {}.", failed.join("; ")) };
    let counted = |verdict: Judgement| {
        let count = all.iter().filter(|(check, _)| check.verdict == verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.word(Role::Check)))
    };
    let counts = [Judgement::Holds, Judgement::Fails, Judgement::Unclear].into_iter().filter_map(counted);
    let counts: Vec<String> = counts.collect();
    let each = if codes.len() > 1 { ", build by build" } else { "" };
    Some(format!("Checks on the code{each}: {}.{names}", counts.join(", ")))
}
