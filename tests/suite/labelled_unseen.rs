//! The diagnosis against kernels that no rule was written with in view: what was stated before they were measured, what the program
//! of that day said, and what it says now.

use crate::labelled::{audited, line_truth, marked, named};
use crate::written::is_as_written;
use kernel_audit::analysis::Audit;
use kernel_audit::evidence::Report;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A kernel whose verdict still does not name what was stated, or whose first finding stands at another line.
struct Miss {
    kernel: &'static str,
    found: &'static str,
    line: Option<u32>,
    /// Why.
    because: &'static str,
}

const fn miss(kernel: &'static str, found: &'static str, line: Option<u32>, because: &'static str) -> Miss {
    Miss { kernel, found, line, because }
}

const MISSED: [Miss; 6] = [
    miss(
        "permute_heads",
        "issue",
        Some(27),
        "the divisions stand on three lines, of which the first executes the most",
    ),
    miss(
        "paged_decode",
        "launch-underfilled",
        None,
        "the wait is named, and its cause, which is of the launch and has no line",
    ),
    miss(
        "jacobi_tiles",
        "memory-shared",
        Some(29),
        "the statement has two lines of two loads each, and a store in the second",
    ),
    miss(
        "wmma_gemm",
        "latency-wait",
        Some(72),
        "the tensor pipe is at 42 %: two warps a scheduler wait for fixed latencies, half of that from product to product",
    ),
    miss(
        "groupnorm_nhwc",
        "launch-small-grid",
        None,
        "the statement means the 64 blocks for 132 SMs, whose code is this one",
    ),
    miss(
        "queens_search",
        "divergence",
        Some(37),
        "the branch, where lanes part; the line of the statement is one of its two ways",
    ),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/collected")
}

/// The kernels that were measured together: the heading of their table, and the file with their labels.
const BATCHES: [(&str, &str); 3] = [
    ("The first fifteen", "unseen.tsv"),
    ("The second ten", "unseen_second.tsv"),
    ("The third ten", "unseen_third.tsv"),
];

/// A row of such a file.
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

fn labels() -> impl Iterator<Item = Label> {
    BATCHES.into_iter().flat_map(|(_, file)| labels_of(file))
}

fn labels_of(file: &str) -> Vec<Label> {
    let text = std::fs::read_to_string(folder().join(file)).expect(file);
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
    labels().map(|label| label.kernel).collect()
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
    (audit.now.findings[0].code.to_string(), audit)
}

/// Whether the verdict of today names the stated limiter.
fn is_met(label: &Label) -> bool {
    named(found(&label.kernel).1).contains(&label.limiter)
}

/// Of these kernels, how many have the stated limiter today, and how many there are.
pub(crate) fn met() -> (usize, usize) {
    (labels().filter(is_met).count(), labels().count())
}

fn marked_if(text: &str, is_right: bool) -> String {
    if is_right { text.to_owned() } else { format!("**{text}**") }
}

#[test]
fn the_tables_of_the_blind_test_are_what_came_out() {
    let tables = BATCHES.map(|(heading, file)| format!("## {heading}\n\n{}", table(&labels_of(file))));
    is_as_written(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence/unseen.md"), &tables.join("\n"));
}

fn table(labels: &[Label]) -> String {
    let count = |is: &dyn Fn(&Label) -> bool| labels.iter().filter(|label| is(label)).count();
    let mut text = format!(
        "Of {} kernels the first finding was the stated limiter in {}, it pointed where the source says in {}, and the first row of Next was what the author would do in {}. The verdict of today names the limiter in {}.\n\n| kernel | stated | first finding, blind | its line | first row of Next, blind | the verdict today |\n| --- | --- | --- | --- | --- | --- |\n",
        labels.len(),
        count(&|label: &Label| label.blind.found == label.limiter),
        count(&|label: &Label| label.blind.line == label.line),
        count(&|label: &Label| label.blind.would),
        count(&is_met),
    );
    for label in labels {
        let Label { kernel, limiter, line, blind } = label;
        let today = named(found(kernel).1).join(", ");
        let at = blind.line.map_or("none".to_owned(), |at| at.to_string());
        writeln!(
            text,
            "| {kernel} | {limiter} | {} | {} | {} | {} |",
            marked_if(&blind.found, blind.found == *limiter),
            marked_if(&at, blind.line == *line),
            marked_if(&blind.next, blind.would),
            marked_if(&today, is_met(label)),
        )
        .unwrap();
    }
    text
}

#[test]
fn what_was_stated_is_found_or_its_miss_has_a_reason() {
    let mut wrong = Vec::new();
    for Label { kernel, limiter, line, .. } in labels() {
        let (found, audit) = found(&kernel);
        let at = audit.now.findings[0].at.as_ref().map(|at| at.line);
        let miss = MISSED.iter().find(|miss| miss.kernel == kernel);
        let is_said = match miss {
            Some(miss) => found == miss.found && at == miss.line,
            None => named(audit).contains(&limiter) && line_truth(audit, line).ends_with("hit"),
        };
        if !is_said {
            wrong.push(format!("{kernel}: {found} at {at:?}; {}", miss.map_or("", |miss| miss.because)));
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

#[test]
fn no_lever_is_for_what_a_kernel_does_not_do() {
    let offers =
        |kernel: &str, code: &str| found(kernel).1.now.levers.iter().any(|lever| lever.code.to_string() == code);
    assert!(!offers("jacobi_tiles", "register-tile"), "sums of neighbours are no product");
    assert!(!offers("wave_steps", "double-buffer"), "no shared memory, no tiles");
    assert!(!offers("wmma_gemm", "unconflict"), "the data stage passed what the words need");
    assert!(offers("kmeans_update", "fewer-atomics") && offers("bitonic_tiles", "unconflict"));
}
