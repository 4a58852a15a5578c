//! The diagnosis against labelled truth: kernels that were written to be limited by one thing, measured on an H200.

use kernel_audit::analysis::{Audit, Inputs, Limits, Selection, Severity, Work, analyse, want};
use kernel_audit::catalog;
use kernel_audit::evidence::Report;
use kernel_audit::source;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Kernels whose measured limit differs from what their header predicts, with the reason. Every other kernel must have
/// the expected code as its first finding.
const REFUTED: [(&str, &str, &str); 1] = [(
    "misaligned_copy",
    "latency-long-scoreboard",
    "DRAM is at 51.87 % of peak while 82.10 % of the warps' time waits for loads of 4 bytes a lane: too few bytes are in flight",
)];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/labelled")
}

fn read(kernel: &str) -> Report {
    source::read_profile(&folder().join(format!("{kernel}.ncu-rep")), &want()).expect("readable")
}

fn audit_with(report: &Report, limits: Limits) -> Audit {
    let inputs = Inputs {
        new: report,
        old: None,
        source: None,
        builds: &[],
        selection: Selection::default(),
        work: Work::default(),
        limits,
    };
    analyse(&inputs).expect("one kernel")
}

/// (kernel, expected code), in file order.
fn labels() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder().join("labels.tsv")).expect("labels.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split('\t').map(str::to_owned);
        (cells.next().expect("kernel"), cells.next().expect("code"))
    })
    .collect()
}

/// Every labelled report with its audit, by kernel.
static AUDITS: LazyLock<BTreeMap<String, (Report, Audit)>> = LazyLock::new(|| {
    let audited = |(kernel, _): (String, String)| {
        let report = read(&kernel);
        let audit = audit_with(&report, Limits::default());
        (kernel, (report, audit))
    };
    labels().into_iter().map(audited).collect()
});

fn of(kernel: &str) -> &'static Audit {
    &AUDITS[kernel].1
}

/// The rule of NVIDIA's with the largest estimated speedup.
fn top_rule(report: &Report) -> String {
    let rules = report.launches[0].rules.iter();
    let speedups = rules.filter_map(|rule| Some((rule.speedup?.percent, rule)));
    let top = speedups.max_by(|(a, _), (b, _)| a.total_cmp(b));
    top.map_or_else(String::new, |(percent, rule)| format!("{} ({percent:.0} %)", rule.id))
}

#[test]
fn the_first_finding_is_what_the_kernel_was_written_to_show() {
    let (mut table, mut wrong, mut hits) = (String::new(), Vec::new(), 0);
    for (kernel, expected) in labels() {
        let (report, audit) = &AUDITS[&kernel];
        let found = &audit.findings[0].code;
        table +=
            &format!("| {kernel} | {expected} | {found} | {} | {} |\n", audit.bottleneck.limiter.0, top_rule(report));
        hits += usize::from(*found == expected);
        let wanted = REFUTED.iter().find(|(name, ..)| *name == kernel).map_or(expected.as_str(), |(_, code, _)| code);
        if found != wanted {
            wrong.push(kernel);
        }
    }
    println!("{table}{hits} of {}", labels().len());
    assert_eq!(wrong, [] as [&str; 0], "\n{table}");
    assert_eq!(hits, labels().len() - REFUTED.len());
}

#[test]
fn every_labelled_report_has_a_label_and_every_label_a_report() {
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder")
        .filter_map(|file| Some(file.ok()?.file_name().to_str()?.strip_suffix(".ncu-rep")?.to_owned()))
        .collect();
    files.sort();
    assert_eq!(files, labels().into_iter().map(|(kernel, _)| kernel).collect::<Vec<_>>());
}

#[test]
fn every_code_belongs_to_the_documented_vocabulary() {
    let mut kinds = BTreeMap::new();
    for (_, audit) in AUDITS.values() {
        for finding in &audit.findings {
            let row = catalog::limiter(&finding.code).unwrap_or_else(|| panic!("{} is not documented", finding.code));
            assert!(!finding.readings.is_empty(), "{} rests on nothing", finding.code);
            assert!(!finding.sentence.contains("NaN") && finding.sentence.ends_with('.'), "{}", finding.sentence);
            kinds.insert(finding.code.clone(), row.kind);
        }
        assert!(catalog::limiter(&audit.bottleneck.limiter.0).is_some());
    }
    assert!(kinds.len() > 15, "{kinds:?}");
}

#[test]
fn findings_are_ranked_and_the_limiter_follows_its_causes() {
    for (kernel, (_, audit)) in AUDITS.iter() {
        let severities: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
        assert!(severities.is_sorted(), "{kernel}: {severities:?}");
        let limiter = audit.findings.iter().position(|f| f.code == audit.bottleneck.limiter.0).expect("the limiter");
        assert!(audit.findings[..limiter].iter().all(|f| f.severity == Severity::Limits), "{kernel}");
        assert!(audit.findings[limiter + 1..].iter().all(|f| f.severity != Severity::Limits), "{kernel}");
    }
}

#[test]
fn a_waste_beside_the_limit_is_named_and_ranked_low() {
    let named = |kernel: &str, code: &str| of(kernel).findings.iter().find(|f| f.code == code).map(|f| f.severity);
    // 9 sectors where 8 would do, and they hit in L1.
    assert_eq!(named("misaligned_copy", "uncoalesced-global-access"), Some(Severity::Costs));
    // Seven in eight sectors are wasted, but nothing is busy: a single dependent load is in flight for each thread.
    assert_eq!(named("pointer_chase", "uncoalesced-global-access"), Some(Severity::Costs));
    assert_eq!(named("stream_triad", "uncoalesced-global-access"), None);
    assert_eq!(named("barrier_reduction", "predicated-off"), Some(Severity::Costs));
    assert_eq!(named("barrier_reduction", "divergence"), None);
    assert_eq!(named("patch_embed_gemm", "register-spilling"), None);
}

#[test]
fn a_threshold_that_the_user_sets_moves_the_verdict() {
    let report = read("misaligned_copy");
    let limits = Limits { overrides: BTreeMap::from([("sol-low".into(), 50.0)]) };
    assert_eq!(audit_with(&report, limits).findings[0].code, "memory-dram");
}

#[test]
fn the_verdict_says_how_it_was_reached() {
    let audit = of("barrier_reduction");
    let last = audit.bottleneck.steps.last().expect("steps");
    assert_eq!(last.question, "What keeps that unit from its peak?");
    assert!(last.answer.contains("Barrier with 32.54 %"), "{}", last.answer);
    assert!(audit.bottleneck.steps.iter().all(|step| !step.readings.is_empty()));
}

#[test]
fn places_come_from_outside_and_stay_with_their_code() {
    let mut audit = of("strided_copy").clone();
    let place = kernel_audit::analysis::Place { file: "strided_copy.cu".into(), line: 24 };
    audit.locate(|code| (code == "uncoalesced-global-access").then(|| place.clone()));
    assert_eq!(audit.findings[0].at, Some(place));
    assert!(audit.findings[1..].iter().all(|finding| finding.at.is_none()));
}
