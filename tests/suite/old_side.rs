//! The old side beside the new one in checklists and rooflines, from a report and from a snapshot.

use crate::committed::{self, Judged};
use crate::judged;
use kernel_audit::analysis::{
    self, Audit, Evidence, Expectation, Judgement, LeverOrigin, LimiterChange, Limits, PredictionMet, Side, Work,
    want_for,
};
use kernel_audit::catalog::{self, Code};
use kernel_audit::evidence::Report;
use kernel_audit::source;
use kernel_audit::view::{self, Block, Content, Heading, Table};
use std::path::PathBuf;

fn work() -> Work {
    let profile = catalog::checklist("memory-bound").unwrap();
    Work { expected: Expectation::of_checklist(profile, &Limits::default()), ..Work::default() }
}

fn read(kernel: &str) -> Report {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/labelled/{kernel}.ncu-repz"));
    source::read_profile(&path, &want_for(&work())).unwrap()
}

fn alone(report: &Report) -> Audit {
    judged::audit(report, &[], &work())
}

/// The audit beside the report of the old side.
fn beside(new: &Report, old: &Report) -> Audit {
    analysis::audit(&judged::since(judged::evidence(new, &[], &work()), old, &[]), &Limits::default())
}

/// The audit beside an earlier audit, which had its own work and was written and read.
fn since(new: &Report, old: &Report) -> Audit {
    let earlier = serde_json::to_string(&judged::evidence(old, &[], &work())).unwrap();
    let earlier: Evidence = serde_json::from_str(&earlier).unwrap();
    let evidence = Evidence { old: Some(earlier.new.as_old()), ..judged::evidence(new, &[], &work()) };
    analysis::audit(&evidence, &Limits::default())
}

pub(crate) fn table(audit: &Audit, id: &str) -> Table {
    fn find(blocks: &[Block], id: &str) -> Option<Table> {
        blocks.iter().find_map(|block| match &block.content {
            Content::Table(table) if table.name == id => Some(table.clone()),
            Content::Fold { blocks, .. } => find(blocks, id),
            _ => None,
        })
    }
    let document = view::document(&Heading::default(), audit);
    document.details.iter().find_map(|section| find(&section.blocks, id)).expect(id)
}

fn titles(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|column| column.title.as_str()).collect()
}

#[test]
fn both_sides_are_held_against_the_checklist() {
    let (new, old) = (read("transpose_padded"), read("transpose_naive"));
    let with_report = beside(&new, &old);
    let line = |audit: &Audit| {
        let line = audit.checks.iter().find(|line| line.expected.reading == "global.excess-share").unwrap().clone();
        let old = line.old.unwrap();
        (line.outcome, old.outcome, old.found.value().unwrap())
    };
    let (now, before, share) = line(&with_report);
    // 75,497,472 sectors where 16,777,216 would do.
    assert_eq!((now, before), (Judgement::Holds, Judgement::Fails));
    assert!((share - 100.0 * (1.0 - 16_777_216.0 / 75_497_472.0)).abs() < 1e-9, "{share}");
    let earlier = alone(&old);
    assert_eq!(line(&since(&new, &old)), line(&with_report));
    assert_eq!(titles(&table(&with_report, "checks"))[1..4], ["Old result", "Old", "Result"]);
    assert!(!titles(&table(&earlier, "checks")).contains(&"Old"));
}

#[test]
fn what_the_old_metrics_could_not_show_is_not_new() {
    let report = read("transpose_naive");
    let asked = |metrics: &str| {
        let mut evidence = judged::evidence(&report, &[], &work());
        evidence.new.profile.as_mut().unwrap().session.command_line = format!("ncu --set {metrics} ./app").into();
        evidence
    };
    let mut basic = asked("basic").new;
    let kept = ["gpu__", "gpc__", "launch__", "lts__throughput", "sm__throughput", "l1tex__throughput"];
    let readings = &mut basic.profile.as_mut().unwrap().readings;
    readings.metrics.retain(|metric| kept.iter().any(|start| metric.name.starts_with(start)));
    (readings.breakdowns, readings.opcodes, readings.with_modifiers) = Default::default();
    let beside = |old: &Side| {
        let evidence = Evidence { old: Some(old.clone().as_old()), ..asked("full") };
        analysis::audit(&evidence, &Limits::default())
    };
    let audit = beside(&basic);
    let uncoalesced = Code::UncoalescedGlobalAccess;
    assert!(audit.now.findings.iter().any(|finding| finding.code == uncoalesced), "{:?}", audit.now.findings);
    assert!(audit.before.as_ref().unwrap().codes().all(|code| code != uncoalesced));
    assert_ne!(audit.change.as_ref().unwrap().limiter, LimiterChange::Moved);
    let page = serde_json::to_string(&view::document(&Heading::default(), &audit)).unwrap();
    assert!(!page.contains("limiter moved from") && !page.contains("clocks and settings on both sides"), "{page}");
    // With the same metrics on both sides, everything could be seen.
    let full = beside(&asked("full").new);
    assert_eq!(full.change.as_ref().unwrap().limiter, LimiterChange::Same);
}

#[test]
fn the_old_rates_stand_beside_the_new_ones() {
    let (new, old) = (read("l2_resident"), read("stream_triad"));
    let earlier = alone(&old);
    let with_report = beside(&new, &old);
    let was = with_report.before.as_ref().map(|old| &old.roofline).unwrap();
    assert_eq!(was, &earlier.now.roofline);
    assert_eq!(since(&new, &old).before.as_ref().map(|old| &old.roofline), Some(was));
    let ceilings = table(&with_report, "ceilings");
    assert_eq!(titles(&ceilings)[..5], ["Ceiling", "Peak", "Old reached", "Old share", "Reached"]);
    assert!(ceilings.rows.iter().all(|row| row.len() == ceilings.columns.len()));
    let points = table(&with_report, "points");
    assert_eq!(titles(&points)[2..4], ["Old intensity", "Old of the roof"]);
    assert!(points.rows.iter().all(|row| row.len() == points.columns.len()));
}

#[test]
fn the_bounds_of_the_old_side_stand_beside_the_gain() {
    let (new, old) = (read("transpose_padded"), read("transpose_naive"));
    let earlier = alone(&old);
    assert!(earlier.change.is_none());
    let with_report = beside(&new, &old);
    let estimates = &with_report.change.as_ref().unwrap().estimates;
    assert_eq!(&since(&new, &old).change.unwrap().estimates, estimates);
    // 964.70 µs became 143.49 µs.
    let gained = judged::gained(&with_report);
    assert!((gained - 100.0 * (1.0 - 143.49 / 964.70)).abs() < 0.01, "{gained}");
    let (largest, bound) = estimates.largest().unwrap();
    assert_eq!(largest.code.to_string(), "coalesce");
    assert!(bound > gained && !largest.is_rough, "{largest:?}");
    let sectors = largest;
    // Sectors fell to what the bytes need.
    assert_eq!((sectors.old.value(), sectors.new.value()), (Some(75_497_472.0), Some(16_777_216.0)));
    let rows = table(&with_report, "estimates").rows;
    assert_eq!(rows.len(), estimates.levers.len());
    let words = |audit: &Audit| serde_json::to_string(&view::document(&Heading::default(), audit)).unwrap();
    let said = words(&with_report);
    assert!(said.contains("pulled, −85.1 % time") || said.contains("pulled, together −85.1 % time"), "{said}");
    let mut beyond = with_report.clone();
    let levers = &mut beyond.change.as_mut().unwrap().estimates.levers;
    levers.truncate(1);
    (levers[0].bound, levers[0].met) = (Some(77.8), Some(PredictionMet::Exceeded));
    let said = words(&beyond);
    assert!(said.contains("exceeded, −85.1 % time: the work of "), "{said}");
}

#[test]
fn a_side_comes_to_the_same_as_old_and_as_new() {
    let mut compared = 0;
    for Judged { path: file, made, audit } in committed::audits() {
        let (evidence, limits) = (made.evidence.clone(), &made.limits);
        let old = evidence.new.clone().as_old();
        let has_old = evidence.old.is_some();
        let beside = analysis::audit(&Evidence { old: Some(old), ..evidence.clone() }, limits);
        let alone = match has_old {
            true => analysis::audit(&Evidence { old: None, ..evidence }, limits),
            false => audit.clone(),
        };
        let Some((before, change)) = beside.before.as_ref().zip(beside.change.as_ref()) else { continue };
        let old = &before.bottleneck;
        let name = file.display();
        assert_eq!((old.limiter, &old.units), (alone.now.bottleneck.limiter, &alone.now.bottleneck.units), "{name}");
        let mut found: Vec<Code> = alone.now.codes().collect();
        let mut was_found: Vec<Code> = before.codes().collect();
        found.sort();
        was_found.sort();
        assert_eq!(was_found, found, "{name}");
        assert_eq!(change.limiter, LimiterChange::Same, "{name}");
        assert_eq!(before.roofline, alone.now.roofline, "{name}");
        let own = alone.now.levers.iter().filter(|lever| lever.origin != LeverOrigin::NvidiaRule);
        let own: Vec<_> = own.map(|lever| (lever.code.clone(), lever.bound)).collect();
        let pulled: Vec<_> = change.estimates.levers.iter().map(|lever| (lever.code.clone(), lever.bound)).collect();
        // Of wrong results no lever is offered.
        if !own.is_empty() {
            assert_eq!(pulled, own, "{name}");
        }
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
}
