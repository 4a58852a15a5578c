//! The page that people act on: its order, its budgets, and that nothing on it is said twice, on every audit that is
//! committed and on every report of a folder.

use super::project::audit;
use crate::committed::{self, Judged};
use kernel_audit::analysis::Audit;
use kernel_audit::render::Templates;
use kernel_audit::view;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// How the headings of a page begin, in their order.
const ORDER: [&str; 18] = [
    "Verdict",
    "Next",
    "What changed",
    "History",
    "Kernels of this report",
    "Builds side by side",
    "Over the launch",
    "Where the time goes",
    "Phases of the code",
    "Units",
    "Warp stalls",
    "Memory",
    "Build stats",
    "Configurations of the autotuner",
    "Instruction",
    "Checks and predictions",
    "Conclusions",
    "Provenance",
];

/// Characters of the longest line outside of folds.
const LONGEST: usize = 420;

/// What is wrong with a page, its lines counted as they stand in the file.
pub(crate) fn faults(page: &str, budget: usize) -> Vec<String> {
    let mut faults = Vec::new();
    let lines: Vec<&str> = page.lines().collect();
    let at = |start: &str| lines.iter().position(|line| line.starts_with(start)).map(|at| at + 1);
    let mut within = |what: &str, most: usize, is_needed: bool| match at(what) {
        Some(at) if at <= most => {}
        None if !is_needed => {}
        found => faults.push(format!("{what:?} stands at line {found:?}, at most {most} is allowed")),
    };
    within("## Verdict", 8, true);
    within("## Next", 20, false);
    within("## What changed", 40, false);
    within("Full tables: ", 40, true);
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("## ")) {
        if lines.get(at + 1).is_none_or(|next| next.starts_with("<!-- audit:") || next.starts_with("## ")) {
            faults.push(format!("{line:?} stands over nothing"));
        }
    }
    if lines.len() > budget {
        faults.push(format!("{} lines of at most {budget}", lines.len()));
    }
    let headings: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("## ")).collect();
    let mut order = ORDER.iter();
    faults.extend(
        headings
            .iter()
            .filter(|heading| !order.any(|known| heading.starts_with(known)))
            .map(|heading| format!("{heading:?} is not in its place")),
    );
    let mut said = BTreeSet::new();
    let (mut is_folded, mut is_code) = (false, false);
    for line in &lines {
        match *line {
            line if line.starts_with("<details>") => is_folded = true,
            "</details>" => is_folded = false,
            line if line.starts_with("```") => is_code = !is_code,
            _ => {}
        }
        if is_folded || line.starts_with("<!-- audit:") {
            continue;
        }
        if line.chars().count() > LONGEST && !is_code {
            faults.push(format!(
                "{} characters: {}…",
                line.chars().count(),
                &line.chars().take(80).collect::<String>()
            ));
        }
        if line.starts_with('|') && line.contains("Metric name") {
            faults.push("a table has a column of metric names".to_owned());
        }
        if !line.starts_with('|') && !line.starts_with('#') && !is_code {
            let sentences = line.trim_start_matches("- ").split(". ").map(|text| text.trim_end_matches(['.', '\\']));
            // Kernels of one report may have one limiter.
            let sentences =
                sentences.filter(|text| !(text.starts_with("**") && text.contains("** (`") && text.ends_with(')')));
            let twice = sentences.filter(|text| text.chars().count() > 24 && !said.insert((*text).to_owned()));
            faults.extend(twice.map(|text| format!("said twice: {text}")));
        }
    }
    faults
}

/// Lines that a page without a baseline may have.
const NO_BASELINE: usize = 100;
/// The same with verdicts on other kernels of the report.
pub(crate) const SEVERAL: usize = 125;

/// Lines that a page may have.
fn budget(audit: &Audit) -> usize {
    match (audit.before.is_some(), audit.is_of_code_alone()) {
        (_, true) => 80,
        (true, false) => 160,
        (false, false) if audit.report.others.is_empty() => NO_BASELINE,
        (false, false) => SEVERAL,
    }
}

#[test]
fn every_committed_audit_has_a_page_within_its_budget() {
    let templates = Templates::load(None).unwrap();
    let mut pages = 0;
    let mut all = Vec::new();
    for Judged { made, audit, .. } in committed::audits() {
        let page = templates.marked_page("audit", &view::document(&made.heading, audit)).unwrap();
        let found = faults(&page.text, budget(audit));
        all.extend(found.into_iter().map(|fault| format!("{}: {fault}", made.heading.stem())));
        pages += 1;
    }
    assert!(all.is_empty(), "{all:#?}");
    assert!(pages > 20);
}

#[test]
fn the_page_of_every_report_of_a_folder_is_within_its_budget() {
    let Some(folder) = std::env::var_os("AUDIT_TEST_REPORTS").map(PathBuf::from) else { return };
    let mut all = Vec::new();
    let mut pages = 0;
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if !name.contains(".ncu-rep") && !name.ends_with("cuprof-report") {
                continue;
            }
            let out = tempfile::tempdir().unwrap();
            let mut command = audit(out.path());
            command.args(["generate", "--allow-damage", "--name", "x", "--date", "2026-01-02", "--commit", "c"]);
            let run = command.arg("--report").arg(fs::canonicalize(&path).unwrap()).output().unwrap();
            // A report without a kernel has no page.
            let Ok(page) = fs::read_to_string(out.path().join("audits/2026-01-02-x.md")) else {
                eprintln!("{name}: {}", String::from_utf8_lossy(&run.stderr));
                continue;
            };
            all.extend(faults(&page, SEVERAL).into_iter().map(|fault| format!("{name}: {fault}")));
            pages += 1;
        }
    }
    assert!(all.is_empty(), "{pages} pages: {all:#?}");
    assert!(pages > 0);
}

#[test]
fn a_page_out_of_order_or_with_a_sentence_twice_is_found() {
    let good =
        "# T\n\nlead\n\n## Verdict\n\nIt is limited by the memory of the chip.\n\n## What changed\n\nFull tables: x\n";
    assert_eq!(faults(good, 80), Vec::<String>::new());
    let twice = good.replace("Full", "It is limited by the memory of the chip.\n\nFull");
    assert_eq!(faults(&twice, 80), ["said twice: It is limited by the memory of the chip"]);
    let order = good.replace("Verdict", "History").replace("What changed", "Verdict");
    assert!(faults(&order, 80).iter().any(|fault| fault.contains("\"Verdict\" is not in its place")));
    let empty = format!("{good}\n## Conclusions\n<!-- audit:human end -->\n");
    assert_eq!(faults(&empty, 80), ["\"## Conclusions\" stands over nothing"]);
    assert!(faults(good, 5).iter().any(|fault| fault.contains("11 lines of at most 5")));
}

/// `−1.9 %`, as a page writes a change.
fn signed(percent: f64) -> String {
    format!("{}{:.1} %", if percent < 0.0 { "−" } else { "+" }, percent.abs())
}

/// What a page says of a change, its index, the comment on a pull request and `compare` are of one time; its source stands beside it once.
#[test]
fn the_change_of_the_time_is_one_number_with_one_source() {
    let templates = Templates::load(None).unwrap();
    let mut sources = BTreeSet::new();
    for Judged { made, audit, .. } in committed::audits() {
        let Some(time) = audit.time_of_change() else { continue };
        let page =
            crate::project::loose(&templates.marked_page("audit", &view::document(&made.heading, audit)).unwrap().text);
        let Some(told) = page.lines().find(|line| line.starts_with("**FASTER") || line.starts_with("**SLOWER")) else {
            continue;
        };
        let stem = made.heading.stem();
        let change = format!("{} time** ({}) against", signed(time.percent()), time.source());
        assert!(told.contains(&change), "{stem}: {change}: {told}");
        assert_eq!(page.matches(" in time").count(), 0, "{stem}: another change of the time");
        let entry = |name: &str| view::Entry {
            heading: &made.heading,
            audit: Some(audit),
            page: name.to_owned(),
            link: String::new(),
        };
        let print = |document: &view::Document| Ok::<_, ()>(format!("{document:?}"));
        let comment = view::comment(&[entry("a"), entry("b")], None, print).unwrap();
        assert!(comment.contains(&format!("\"{}\"", signed(time.percent()))), "{stem}: the comment");
        sources.insert(time.source());
    }
    assert_eq!(sources, BTreeSet::from(["benchmark", "ncu"]));
}

#[test]
fn what_is_equal_on_both_sides_is_no_row_of_the_build() {
    let templates = Templates::load(None).unwrap();
    let (mut rows, mut same) = (0, 0);
    for Judged { made, audit, .. } in committed::audits() {
        let page =
            crate::project::loose(&templates.marked_page("audit", &view::document(&made.heading, audit)).unwrap().text);
        let Some((_, build)) = page.split_once("## Build stats") else { continue };
        let build = build.split("\n## ").next().unwrap();
        let Some((head, _)) = build.split_once("| -").filter(|(head, _)| head.contains(" Old |")) else { continue };
        same += usize::from(build.contains("- The same on both sides: "));
        let table = build[head.len()..].lines().skip(1).take_while(|line| line.starts_with('|'));
        for line in table {
            let cells: Vec<&str> =
                line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('*')).collect();
            for fact in cells.chunks(3).filter(|fact| !fact[0].is_empty()) {
                assert_ne!(fact[1], fact[2], "{}: {}", made.heading.stem(), fact[0]);
                rows += 1;
            }
        }
    }
    assert!(rows > 20 && same > 5, "{rows} rows, {same} lines");
}

#[test]
fn a_stream_beside_a_table_is_read_once_and_draws_are_where_an_index_is_loaded() {
    let templates = Templates::load(None).unwrap();
    let read = |name: &str| {
        let is_own = |judged: &&Judged| judged.path.to_string_lossy().ends_with(&format!("-{name}.json"));
        let Judged { made, audit, .. } = committed::audits().iter().find(is_own).unwrap();
        let page =
            crate::project::loose(&templates.marked_page("audit", &view::document(&made.heading, audit)).unwrap().text);
        page.lines().find(|line| line.starts_with("| DRAM read")).unwrap().to_owned()
    };
    // 16,777,216 pairs of floats are read once; the draws are of a table of sines.
    for (name, once) in [("fft_radix4", " 134 MB (in) |"), ("scan_chained", " 67.1 MB (in, state, ticket) |")] {
        assert!(read(name).contains(once) && read(name).contains(" 1.00 |"), "{name}: {}", read(name));
    }
    for name in ["hash_probe", "pointer_chase"] {
        assert!(read(name).contains("uniform draws"), "{name}: {}", read(name));
    }
}

/// The fold of metric names of a committed page.
fn metric_names(page: &str) -> String {
    let all = committed::snapshots();
    let of = all.iter().find(|path| path.file_stem().is_some_and(|stem| stem == page)).unwrap();
    let text = crate::project::loose(&fs::read_to_string(of.with_extension("md")).unwrap());
    text.lines().find(|line| line.contains("**Units (GPU Speed of Light):**")).unwrap().to_owned()
}

#[test]
fn the_fold_names_the_metric_behind_every_number() {
    // L2's busiest counter is another on each side.
    let names = metric_names("2026-11-20-gemm_bias");
    assert!(names.contains(" · L2 (old) `lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed`"), "{names}");
    assert!(names.contains(" · L2 (new) `lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed`"), "{names}");
    // Without an old side units are columns.
    let names = metric_names("2026-11-21-stream_triad");
    assert!(names.contains(" · DRAM `dram__cycles_active.avg.pct_of_peak_sustained_elapsed`"), "{names}");
}
