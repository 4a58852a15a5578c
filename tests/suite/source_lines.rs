//! Costs by source line: against the sentences of NVIDIA's rules, the kernel's totals, and the source itself.

use crate::judged;
use kernel_audit::analysis::{self, Accesses, Audit, Pattern, Selection, Work};
use kernel_audit::evidence::{Report, SourceView};
use kernel_audit::source;
use kernel_audit::view::{self, Block, Content, Heading};
use regex::Regex;
use std::path::PathBuf;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h200").join(name)
}

fn read(name: &str) -> (Report, Option<SourceView>) {
    let path = fixture(&format!("{name}.ncu-repz"));
    let report = source::read_profile(&path, &analysis::want()).unwrap();
    let launch = analysis::subject_launch(&report, &Selection::default()).unwrap();
    let (id, want) = (launch.id, analysis::source_want(&[launch]));
    let views = source::read_source_views(&path, &want, |head| head.id == id, &[]).unwrap();
    (report, views.into_iter().next())
}

fn analyse(report: &Report, source: Option<&SourceView>) -> Audit {
    judged::audit(report, source.map_or(&[], std::slice::from_ref), &Work::default())
}

fn audit(name: &str) -> (Report, Audit) {
    let (report, view) = read(name);
    let audit = analyse(&report, view.as_ref());
    (report, audit)
}

/// (excess, percent, total) in the sentence of a rule, and the rule's estimate; `None` where the rule said nothing.
fn rule(report: &Report, id: &str) -> Option<([u64; 3], f64)> {
    let words = Regex::new(r"total of (\d+) excessive \w+ \((\d+)% of the total (\d+) ").unwrap();
    let rule = report.launches[0].rules.iter().find(|rule| rule.id.as_str() == id)?;
    let found = rule.messages.iter().find_map(|message| words.captures(&message.text))?;
    Some(([1, 2, 3].map(|at| found[at].parse().unwrap()), rule.speedup.unwrap().percent))
}

/// Whether the accesses say what the rule says; they must say nothing where the rule does not speak.
fn agree(accesses: Option<&Accesses>, rule: Option<([u64; 3], f64)>, what: &str) -> bool {
    let Some(([excess, percent, total], estimate)) = rule else {
        assert_eq!(accesses.map_or(0, |accesses| accesses.excess), 0, "{what}");
        return false;
    };
    let accesses = accesses.unwrap_or_else(|| panic!("{what}: no accesses"));
    assert_eq!((accesses.excess, accesses.moved), (excess, total), "{what}");
    assert_eq!((100.0 * accesses.excess as f64 / accesses.moved as f64).round() as u64, percent, "{what}");
    let bounds: f64 = accesses.lines.iter().map(|line| line.bound.unwrap()).sum();
    assert!((bounds - estimate).abs() < 1e-6, "{what}: {bounds} and {estimate}");
    let of_lines: u64 = accesses.lines.iter().map(|line| line.excess).sum();
    assert_eq!(of_lines, excess, "{what}: there are few lines, so the leading ones are all");
    true
}

#[test]
fn totals_and_bounds_are_those_of_nvidias_rules() {
    let mut spoke = 0;
    for name in ["gemm_bias_v1", "gemm_bias_v2"] {
        let (report, audit) = audit(name);
        let lines = audit.source.unwrap();
        spoke += usize::from(agree(lines.global.as_ref(), rule(&report, "UncoalescedGlobalAccess"), name));
        spoke += usize::from(agree(lines.shared.as_ref(), rule(&report, "UncoalescedSharedAccess"), name));
        let total = |metric: &str| report.launches[0].value(metric).and_then(|value| value.as_u64());
        let global = lines.global.as_ref().unwrap();
        assert_eq!(Some(global.moved), total("memory_l2_theoretical_sectors_global"), "{name}");
        assert_eq!(global.ideal, total("memory_l2_theoretical_sectors_global_ideal"), "{name}");
    }
    assert!(spoke > 0, "at least one rule speaks of the fixtures");
}

/// The samples of each instruction as ncu's source page shows them.
fn samples(name: &str) -> Vec<u64> {
    let text = crate::truth::bytes(&format!("{name}.source.csv"));
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let at = rows[1].iter().position(|title| title == "Warp Stall Sampling (All Samples)").unwrap();
    rows[2..].iter().map(|row| row[at].parse().unwrap()).collect()
}

#[test]
fn hot_lines_are_the_inner_loops() {
    let source = std::fs::read_to_string(fixture("devset.cu")).unwrap();
    for name in ["gemm_bias_v1", "gemm_bias_v2"] {
        let (_, audit) = audit(name);
        let waits = audit.source.unwrap().waits.unwrap();
        let shares: f64 = waits.lines.iter().map(|line| line.share).sum();
        assert!((shares - 100.0).abs() < 1e-9, "{name}: every instruction is on one line, {shares}");
        assert_eq!(waits.lines.iter().map(|line| line.samples).sum::<u64>(), waits.samples, "{name}");
        for line in &waits.lines {
            assert_eq!(line.spot.place.file, "devset.cu");
            let text = source.lines().nth(line.spot.place.line as usize - 1).unwrap().trim();
            let shown = line.spot.text.trim_end_matches('…');
            assert!(text.starts_with(shown) && !shown.is_empty(), "{name}: {text} and {shown}");
        }
        assert!(waits.lines[0].spot.text.contains("for") || waits.lines[0].spot.text.contains("+="), "{name}");
        assert!(waits.lines[0].share > waits.lines[1].share, "{name}");
        let mut hot = samples(name);
        let all: u64 = hot.iter().sum();
        hot.retain(|count| count * 10 > all);
        hot.sort_by_key(|count| std::cmp::Reverse(*count));
        assert_eq!((waits.samples, waits.hotspots.iter().map(|spot| spot.samples).collect()), (all, hot), "{name}");
        assert!(waits.lines.iter().all(|line| line.reasons.iter().all(|(reason, _)| reason != "selected")), "{name}");
    }
}

#[test]
fn accesses_name_their_kind_width_and_pattern() {
    let (_, audit) = audit("gemm_bias_v1");
    let global = audit.source.unwrap().global.unwrap();
    for line in &global.instructions {
        assert!(matches!(line.kind.as_str(), "load" | "store"), "{line:?}");
        assert_eq!(line.width_bits, Some(32), "{line:?}");
        assert!(line.lanes.is_some_and(|lanes| lanes > 0.0 && lanes <= 32.0), "{line:?}");
        let is_waste = !matches!(line.pattern, Pattern::SideBySide | Pattern::Broadcast | Pattern::Unknown);
        assert_eq!(is_waste, line.excess > 0, "{line:?}");
    }
}

fn all_blocks(blocks: &[Block], into: &mut Vec<String>) {
    for block in blocks {
        match &block.content {
            Content::Table(table) => into.push(table.name.clone()),
            Content::Fold { blocks, .. } => all_blocks(blocks, into),
            _ => {}
        }
    }
}

fn tables(audit: &Audit) -> Vec<String> {
    let mut ids = Vec::new();
    for section in view::document(&Heading::default(), audit).every_section() {
        all_blocks(&section.blocks, &mut ids);
    }
    ids
}

#[test]
fn the_page_has_lines_only_where_the_report_has_counters() {
    let (_, full) = audit("gemm_bias_v2");
    let ids = tables(&full);
    for id in ["waits-lines", "waits-reasons"] {
        assert!(ids.iter().any(|found| found == id), "{id} is not among {ids:?}");
    }
    for name in ["both_basic", "range"] {
        let (_, bare) = audit(name);
        let source = bare.source.as_ref().unwrap();
        assert!(source.waits.is_none() && source.global.is_none() && source.executed.is_empty(), "{name}");
        assert_eq!(source.idle_lanes, None, "{name}");
        let ids = tables(&bare);
        assert!(ids.iter().all(|id| !id.ends_with("-lines")), "{name}: {ids:?}");
        let words = serde_json::to_string(&view::document(&Heading::default(), &bare)).unwrap();
        assert!(words.contains("counts nothing by instruction"), "{name}");
    }
    let (report, _) = read("gemm_bias_v2");
    assert!(tables(&analyse(&report, None)).iter().all(|id| !id.ends_with("-lines")));
}

#[test]
fn code_without_line_information_is_shown_by_offset() {
    let (report, view) = read("gemm_bias_v1");
    let mut view = view.unwrap();
    view.lines = kernel_audit::evidence::Lines::NoLineInfo;
    view.instructions.iter_mut().for_each(|instruction| instruction.places = Default::default());
    let audit = analyse(&report, Some(&view));
    let hot = &audit.source.as_ref().unwrap().waits.as_ref().unwrap().lines[0];
    assert_eq!((hot.spot.place.line, hot.spot.instructions.len()), (0, 1));
    assert_eq!(hot.spot.label(), format!("SASS {:#x}", hot.spot.instructions[0].0));
    let words = serde_json::to_string(&view::document(&Heading::default(), &audit)).unwrap();
    assert!(words.contains("nvcc -lineinfo"));
}

#[test]
fn findings_carry_the_line_of_their_pattern() {
    let (_, audit) = audit("gemm_bias_v1");
    let lines = audit.source.as_ref().unwrap();
    let finding =
        audit.now.findings.iter().find(|finding| finding.code.to_string() == "uncoalesced-global-access").unwrap();
    let worst = &lines.global.as_ref().unwrap().lines[0].spot;
    let at = finding.at.as_ref().unwrap();
    assert_eq!((&at.file, at.line), (&worst.place.file, worst.place.line));
    let (report, _) = read("gemm_bias_v1");
    assert!(analyse(&report, None).now.findings.iter().all(|finding| finding.at.is_none()));
}
