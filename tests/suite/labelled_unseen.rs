//! The diagnosis against kernels that no rule was written with in view: what was stated before they were measured, what the program
//! of that day said, and what it says now.

use crate::labelled::{audited, line_truth, marked};
use crate::written::is_as_written;
use kernel_audit::analysis::Audit;
use kernel_audit::evidence::Report;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Kernels whose first finding is still not what was stated: the finding, and why.
const MISSED: [(&str, &str, &str); 3] = [
    (
        "hash_probe",
        "latency-long-scoreboard",
        "DRAM is at 51 %, the fabric of L2 at 78 %: single sectors anywhere reach no more, and no counter collected says why",
    ),
    (
        "philox_pi",
        "issue",
        "refuted: a wide multiplication takes four cycles of the heavy FMA pipe, which is at 63 %, issue at 60 % and the ALU at 59 %",
    ),
    (
        "gemv_bf16",
        "memory-dram",
        "DRAM is at 66 %, the fabric of L2 at 80.4 %; more bytes in flight are the first lever, as stated",
    ),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/collected")
}

/// A row of unseen.tsv.
struct Label {
    kernel: String,
    limiter: String,
    line: Option<u32>,
    blind: Blind,
}

/// What the program said that had not seen the kernel.
struct Blind {
    found: String,
    line: Option<u32>,
    next: String,
    /// Whether the kernel's author would do that.
    would: bool,
}

fn labels() -> Vec<Label> {
    let text = std::fs::read_to_string(folder().join("unseen.tsv")).expect("unseen.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [kernel, limiter, line, _lever, found, at, next, would] = cells[..] else { panic!("eight cells: {row}") };
        assert!(matches!(would, "yes" | "no"), "{row}");
        let blind =
            Blind { found: found.to_owned(), line: at.parse().ok(), next: next.to_owned(), would: would == "yes" };
        Label { kernel: kernel.to_owned(), limiter: limiter.to_owned(), line: line.parse().ok(), blind }
    })
    .collect()
}

/// The kernels, in file order.
pub(crate) fn kernels() -> Vec<String> {
    labels().into_iter().map(|label| label.kernel).collect()
}

/// Every kernel's report with its audit.
static AUDITS: LazyLock<BTreeMap<String, (Report, Audit)>> = LazyLock::new(|| {
    let of = |kernel: String| {
        let path = folder().join(&kernel).join("profile.ncu-repz");
        (kernel, audited(&path))
    };
    kernels().into_iter().map(of).collect()
});

fn found(kernel: &str) -> (String, &'static Audit) {
    let audit = &AUDITS[kernel].1;
    (audit.findings[0].code.to_string(), audit)
}

fn marked_if(text: &str, is_right: bool) -> String {
    if is_right { text.to_owned() } else { format!("**{text}**") }
}

#[test]
fn the_table_of_the_blind_test_is_what_came_out() {
    let labels = labels();
    let count = |is: &dyn Fn(&Label) -> bool| labels.iter().filter(|label| is(label)).count();
    let mut text = format!(
        "Of {} kernels the first finding was the stated limiter in {}, it pointed where the source says in {}, and the first row of Next was what the author would do in {}. With today's rules the limiter is found in {}.\n\n| kernel | stated | first finding, blind | its line | first row of Next, blind | first finding today |\n| --- | --- | --- | --- | --- | --- |\n",
        labels.len(),
        count(&|label: &Label| label.blind.found == label.limiter),
        count(&|label: &Label| label.blind.line == label.line),
        count(&|label: &Label| label.blind.would),
        count(&|label: &Label| found(&label.kernel).0 == label.limiter),
    );
    for Label { kernel, limiter, line, blind } in &labels {
        let (today, _) = found(kernel);
        let at = blind.line.map_or("none".to_owned(), |at| at.to_string());
        writeln!(
            text,
            "| {kernel} | {limiter} | {} | {} | {} | {} |",
            marked_if(&blind.found, blind.found == *limiter),
            marked_if(&at, blind.line == *line),
            marked_if(&blind.next, blind.would),
            marked_if(&today, today == *limiter),
        )
        .unwrap();
    }
    is_as_written(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence/unseen.md"), &text);
}

#[test]
fn what_was_stated_is_found_or_its_miss_has_a_reason() {
    let missed = |kernel: &str| MISSED.iter().find(|(name, ..)| *name == kernel).map(|(_, code, _)| *code);
    let mut wrong = Vec::new();
    for Label { kernel, limiter, line, .. } in labels() {
        let (found, audit) = found(&kernel);
        let wanted = missed(&kernel).filter(|code| *code != limiter).unwrap_or(&limiter);
        if found != wanted || !line_truth(audit, line).ends_with("hit") {
            wrong.push(format!("{kernel}: {found} at {:?}", audit.findings[0].at));
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn statements_are_what_the_sources_mark() {
    for Label { kernel, line, .. } in labels() {
        assert_eq!(marked(&kernel), Vec::from_iter(line), "{kernel}");
    }
}
