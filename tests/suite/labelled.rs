//! The diagnosis against labelled truth: kernels that were written to be limited by one thing, measured on an H200.

use crate::judged;
use kernel_audit::analysis::{self, Audit, Limits, Selection, Severity, Work, want};
use kernel_audit::catalog::Threshold;
use kernel_audit::evidence::{Report, SourceView};
use kernel_audit::source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Kernels whose measured limit differs from what their header predicts, with the reason. The verdict on every other kernel must
/// name the expected code.
const REFUTED: [(&str, &str, &str); 1] = [(
    "instruction_cache",
    "compute-fma",
    "the FMA pipe is at 75 %: without the waits for instructions, 26 % of the warps' time, at most a quarter of the launch goes",
)];

/// Kernels whose limit sits at another line than the one marked: the line, with the reason.
const REFUTED_LINES: [(&str, u32, &str); 1] =
    [("patch_embed_gemm", 206, "the call of the epilogue, which nothing overlaps")];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/labelled")
}

/// The report of a labelled kernel: the one here, else the one that was collected with the evidence of a subject.
pub(crate) fn report_of(kernel: &str) -> PathBuf {
    let own = folder().join(format!("{kernel}.ncu-repz"));
    if own.exists() { own } else { folder().join(format!("../collected/{kernel}/profile.ncu-repz")) }
}

fn read(kernel: &str) -> Report {
    source::read_profile(&report_of(kernel), &want()).expect("readable")
}

/// The launch by instruction, without a disassembler.
fn by_instruction(path: &Path, report: &Report) -> Option<SourceView> {
    let launch = analysis::subject_launch(report, &Selection::default()).expect("one kernel");
    let (id, want) = (launch.id, analysis::source_want(&[launch]));
    source::read_source_views(path, &want, |head| head.id == id, &[]).expect("readable").into_iter().next()
}

/// A report with its audit.
pub(crate) fn audited(path: &Path) -> (Report, Audit) {
    let report = source::read_profile(path, &want()).expect("readable");
    let source = by_instruction(path, &report);
    let audit = audit_with(&report, source.as_ref(), Limits::default());
    (report, audit)
}

fn audit_with(report: &Report, source: Option<&SourceView>, limits: Limits) -> Audit {
    let evidence = judged::evidence(report, source.map_or(&[], std::slice::from_ref), &Work::default());
    analysis::audit(&evidence, &limits)
}

/// A row of labels.tsv.
struct Label {
    kernel: String,
    /// The code of the first finding.
    code: String,
    /// The line that the source marks; `None` where the launch limits.
    line: Option<u32>,
}

/// The labels in file order.
fn labels() -> Vec<Label> {
    let text = std::fs::read_to_string(folder().join("labels.tsv")).expect("labels.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split('\t').map(str::to_owned);
        let mut cell = || cells.next().expect("four cells");
        Label { kernel: cell(), code: cell(), line: cell().parse().ok() }
    })
    .collect()
}

/// Every labelled report with its audit, by kernel.
static AUDITS: LazyLock<BTreeMap<String, (Report, Audit)>> = LazyLock::new(|| {
    let of = |label: Label| {
        let read = audited(&report_of(&label.kernel));
        (label.kernel, read)
    };
    labels().into_iter().map(of).collect()
});

fn of(kernel: &str) -> &'static Audit {
    &AUDITS[kernel].1
}

/// What NVIDIA's rules mean in codes of ours: (rule, beginning of its title, codes).
const MEANS: [(&str, &str, &[&str]); 15] = [
    ("CPIStall", "Long Scoreboard", &["latency-long-scoreboard"]),
    ("MemoryCacheAccessPattern", "L2 Global", &["uncoalesced-global-access"]),
    ("MemoryCacheAccessPattern", "L1TEX Global", &["uncoalesced-global-access"]),
    ("MemoryCacheAccessPattern", "L2 Local", &["register-spilling", "local-memory"]),
    ("SOLFPRoofline", "FP64", &["compute-fp64"]),
    ("CPIStall", "Barrier", &["sync-barrier"]),
    ("CPIStall", "Math Pipe", &["compute-fma", "compute-fp64", "compute-xu"]),
    ("ThreadDivergence", "", &["divergence"]),
    ("LaunchConfiguration", "Small Grid", &["launch-small-grid"]),
    ("TheoreticalOccupancy", "", &["occupancy-limit"]),
    ("UncoalescedGlobalAccess", "", &["uncoalesced-global-access"]),
    ("AchievedOccupancy", "", &["launch-short-blocks", "launch-underfilled", "launch-tail"]),
    ("WorkloadImbalance", "L2 Slices", &["atomic-contention", "memory-hot-spot"]),
    ("UncoalescedSharedAccess", "", &["shared-bank-conflicts"]),
    ("SharedMemoryConflicts", "", &["shared-bank-conflicts"]),
];

/// The rule of NVIDIA's with the largest estimate for the whole kernel: its name with the estimate, and whether it means
/// the code.
fn top_rule(report: &Report, code: &str) -> (String, bool) {
    let rules = report.launches[0].rules.iter();
    let estimates = rules.filter_map(|rule| Some((rule.speedup.filter(|speedup| speedup.is_global)?.percent, rule)));
    let Some((percent, rule)) = estimates.max_by(|(a, _), (b, _)| a.total_cmp(b)) else {
        return ("none".into(), false);
    };
    let title = rule.messages.iter().map(|message| message.title.as_str()).find(|title| !title.is_empty());
    let title = title.unwrap_or_default();
    let means = |(id, start, codes): &(&str, &str, &[&str])| {
        rule.id.as_str() == *id && title.starts_with(start) && codes.contains(&code)
    };
    let name = if title.is_empty() { rule.id.to_string() } else { format!("{}: {title}", rule.id) };
    (format!("{name}, {percent:.0} %"), MEANS.iter().any(means))
}

/// Where the first finding points, beside the label: `hit`, `next to` or `miss`. A call site of inlined code is its line.
pub(crate) fn line_truth(audit: &Audit, line: Option<u32>) -> &'static str {
    let Some((at, line)) = audit.now.findings[0].at.as_ref().zip(line) else {
        return if audit.now.findings[0].at.is_none() && line.is_none() { "none, hit" } else { "miss" };
    };
    let calls = at.inlined_at.iter().filter_map(|call| call.rsplit_once(':')?.1.parse().ok());
    let distance = calls.chain([at.line]).map(|own: u32| own.abs_diff(line)).min();
    match distance {
        Some(0) => "hit",
        Some(1) => "next to",
        _ => "miss",
    }
}

/// The codes that a verdict names: what limits, what that is the cause of, and what cannot be told from it.
pub(crate) fn named(audit: &Audit) -> Vec<String> {
    let bottleneck = &audit.now.bottleneck;
    let said = bottleneck.sentence.to_plain();
    let near = said.split_once("Too near to tell apart from ").and_then(|(_, rest)| rest.split(' ').next());
    let own = std::iter::once(bottleneck.limiter).chain(bottleneck.of).map(|code| code.to_string());
    own.chain(near.map(str::to_owned)).collect()
}

/// A kernel whose limiter was stated, with what the diagnosis and NVIDIA's rules make of it.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) kernel: String,
    /// The stated code.
    pub(crate) stated: String,
    /// The codes that the verdict names, what limits first.
    pub(crate) named: Vec<String>,
    /// Where that points, and what the label says of it.
    pub(crate) line: String,
    /// NVIDIA's rule with the largest estimate, and whether it means the stated code.
    pub(crate) rule: (String, bool),
}

/// What is made of a report whose label is known.
pub(crate) fn row(kernel: String, stated: String, line: Option<u32>, (report, audit): &(Report, Audit)) -> Row {
    let first = &audit.now.findings[0];
    let at = first.at.as_ref().map(|at| format!("{}, ", at.line)).unwrap_or_default();
    let line = format!("{at}{}", line_truth(audit, line));
    Row { rule: top_rule(report, &stated), named: named(audit), line, kernel, stated }
}

/// A row for each labelled kernel.
pub(crate) fn rows() -> Vec<Row> {
    labels()
        .into_iter()
        .map(|label| row(label.kernel.clone(), label.code, label.line, &AUDITS[&label.kernel]))
        .collect()
}

#[test]
fn the_verdict_names_what_the_kernel_was_written_to_show() {
    let rows = rows();
    for Row { kernel, stated, named, .. } in &rows {
        match REFUTED.iter().find(|(name, ..)| name == kernel) {
            Some((_, code, _)) => assert_eq!(named[0], *code, "{kernel}"),
            None => assert!(named.contains(stated), "{kernel}: {named:?}"),
        }
    }
}

#[test]
fn the_first_finding_sits_at_the_line_that_the_kernel_marks() {
    for Label { kernel, line, .. } in labels() {
        let (_, audit) = &AUDITS[&kernel];
        let refuted = REFUTED_LINES.iter().find(|(name, ..)| *name == kernel);
        let line = refuted.map_or(line, |(_, line, _)| Some(*line));
        assert!(line_truth(audit, line).ends_with("hit"), "{kernel}: {:?} and {line:?}", audit.now.findings[0].at);
    }
}

#[test]
fn labels_are_what_the_sources_mark() {
    for Label { kernel, line, .. } in labels() {
        assert_eq!(marked(&kernel), Vec::from_iter(line), "{kernel}");
    }
}

/// The lines of a kernel's source that are marked as its limiter.
pub(crate) fn marked(kernel: &str) -> Vec<u32> {
    let path = format!("{}/kernels/{kernel}.cu", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the kernel");
    (1..).zip(text.lines()).filter(|(_, l)| l.ends_with("// limiter")).map(|(n, _)| n).collect()
}

#[test]
fn every_labelled_report_has_a_label_and_every_label_a_report() {
    let files = std::fs::read_dir(folder()).expect("the folder").flatten().map(|file| file.path());
    let reports: BTreeSet<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|own| own == "ncu-repz")).collect();
    let labelled: BTreeSet<PathBuf> = labels().into_iter().map(|label| report_of(&label.kernel)).collect();
    assert_eq!(reports.difference(&labelled).collect::<Vec<_>>(), [] as [&PathBuf; 0]);
    assert_eq!(labelled.iter().filter(|path| !path.exists()).collect::<Vec<_>>(), [] as [&PathBuf; 0]);
}

#[test]
fn every_code_belongs_to_the_documented_vocabulary() {
    let mut kinds = BTreeMap::new();
    for (_, audit) in AUDITS.values() {
        for finding in &audit.now.findings {
            let row = finding.code.row().unwrap_or_else(|| panic!("{} is not documented", finding.code));
            assert!(!finding.readings.is_empty(), "{} rests on nothing", finding.code);
            let said = finding.sentence.to_plain();
            assert!(!said.contains("NaN") && said.ends_with('.'), "{said}");
            kinds.insert(finding.code, row.kind);
        }
        assert!(audit.now.bottleneck.limiter.row().is_some());
    }
    assert!(kinds.len() > 15, "{kinds:?}");
}

#[test]
fn findings_are_ranked_and_the_limiter_follows_its_causes() {
    for (kernel, (_, audit)) in AUDITS.iter() {
        let severities: Vec<Severity> = audit.now.findings.iter().map(|finding| finding.severity).collect();
        assert!(severities.is_sorted(), "{kernel}: {severities:?}");
        let limiter =
            audit.now.findings.iter().position(|f| f.code == audit.now.bottleneck.limiter).expect("the limiter");
        assert!(audit.now.findings[..limiter].iter().all(|f| f.severity == Severity::Limits), "{kernel}");
        assert!(audit.now.findings[limiter + 1..].iter().all(|f| f.severity != Severity::Limits), "{kernel}");
    }
}

#[test]
fn a_waste_beside_the_limit_is_named_and_ranked_low() {
    let named = |kernel: &str, code: &str| {
        of(kernel).now.findings.iter().find(|f| f.code.to_string() == code).map(|f| f.severity)
    };
    // 9 sectors where 8 would do, and they hit in L1: contiguous, so that no order of the lanes packs them.
    assert_eq!(named("misaligned_copy", "uncoalesced-global-access"), None);
    assert_eq!(named("misaligned_copy", "misaligned-global-access"), Some(Severity::Notes));
    // Seven in eight sectors are wasted by addresses that are loaded values: nothing that could be ordered otherwise.
    assert_eq!(named("pointer_chase", "uncoalesced-global-access"), None);
    assert_eq!(named("stream_triad", "uncoalesced-global-access"), None);
    assert_eq!(named("barrier_reduction", "predicated-off"), Some(Severity::Costs));
    assert_eq!(named("barrier_reduction", "divergence"), None);
    assert_eq!(named("patch_embed_gemm", "register-spilling"), None);
    // L2 has 73 % of the sectors, all at one slice; it misses in the chase, and is busy in the other.
    assert_eq!(named("atomics", "serialised-accesses"), Some(Severity::Costs));
    assert_eq!(named("pointer_chase", "serialised-accesses"), None);
    assert_eq!(named("l2_resident", "serialised-accesses"), None);
}

#[test]
fn a_threshold_that_the_user_sets_moves_the_verdict() {
    let report = read("misaligned_copy");
    let limits = Limits { overrides: BTreeMap::from([(Threshold::ShortKernel, 1e9)]) };
    assert_eq!(audit_with(&report, None, limits).now.findings[0].code.to_string(), "launch-short");
}

#[test]
fn the_verdict_says_how_it_was_reached() {
    let audit = of("barrier_reduction");
    let last = audit.now.bottleneck.steps.last().expect("steps");
    assert_eq!(last.question, "What would the launch save most without?");
    let (_, sentence) = last.held.as_ref().unwrap();
    assert!(sentence.to_plain().contains("Barrier takes 32.5 %"), "{sentence:?}");
    assert!(audit.now.bottleneck.steps.len() > 15, "{:?}", audit.now.bottleneck.steps);
}
