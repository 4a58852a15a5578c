//! The words of a page: what a reader would stumble over.

use super::layers::sources;
use super::project::Project;
use regex::Regex;
use std::fs;
use std::path::Path;

/// The page of the second version of a product against the first.
fn page() -> String {
    let project = Project::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h200");
    for name in ["gemm_bias_v1.ncu-repz", "gemm_bias_v2.ncu-repz"] {
        fs::copy(fixtures.join(name), project.path(name)).unwrap();
    }
    let config = "[audit]\nout = \"pages\"\ntemplate = \"full\"\n[[subject]]\nname = \"gemm\"\nreport = \"gemm_bias_v2.ncu-repz\"\n\
        baseline = \"gemm_bias_v1.ncu-repz\"\nkernel = \"gemm_bias_v2\"\nbaseline_kernel = \"gemm_bias_v1\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.run("generate gemm --date 2026-11-02").done();
    project.read("pages/2026-11-02-gemm.md")
}

/// Numbers of four digits and more without separators that stand in sentences: outside code, tables, links, dates and
/// versions.
fn bare_numbers(page: &str) -> Vec<String> {
    let code = Regex::new(r"(?s)```.*?```|`[^`\n]*`|\]\([^)]*\)|\d{4}-\d{2}-\d{2}").unwrap();
    let number = Regex::new(r"(?:^|[^\w.,\[])(\d{4,})(?:[^\w.]|$)").unwrap();
    let plain = code.replace_all(page, "");
    let sentences = plain.lines().filter(|line| !line.starts_with('|') && !line.starts_with("<!--"));
    sentences.flat_map(|line| number.captures_iter(line).map(|found| found[1].to_owned()).collect::<Vec<_>>()).collect()
}

#[test]
fn sentences_separate_thousands() {
    assert_eq!(
        bare_numbers("It moved 1368 B; `2048`, 1,368 B, ncu 2025.3.1, 2026-11-02, [2048, 8].\n| 4096 |"),
        ["1368"]
    );
    assert_eq!(bare_numbers(&page()), Vec::<String>::new());
}

#[test]
fn the_tensor_pipe_of_a_kernel_without_matrix_instructions_is_no_row() {
    let page = page();
    let name = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
    let said: Vec<&str> = page.lines().filter(|line| line.contains(name) && !line.starts_with("- **")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("No tensor work: no matrix instruction was executed."), "{}", said[0]);
    assert!(said[0].contains("0.00 % on the old side and 0.04 % on the new"), "the reading stays: {}", said[0]);
}

#[test]
fn what_both_reports_lack_is_said_once() {
    let page = page();
    assert!(page.contains("Asked for and not collected in either report: 6 metrics"), "{page}");
    assert_eq!(page.matches("Asked for and not collected").count(), 1);
}

#[test]
fn a_lever_names_its_counter_as_code() {
    let page = page();
    let row = page.lines().find(|line| line.starts_with("| Register tile")).unwrap();
    assert!(row.contains("`memory_l1_wavefronts_shared`"), "{row}");
    assert!(!row.split('|').nth(1).unwrap().contains('`'), "a cell of words shows no marks: {row}");
}

/// Parts of the analysis where things are said, beside the functions `say`, and a file whose text is a formula. What a walk of
/// mbarriers cannot follow, or where it stops, is named where it does.
const SAID: [&str; 6] = [
    "diagnose/patterns/",
    "diagnose/draft.rs",
    "diagnose/next.rs",
    "code/patterns.rs",
    "code/walk/",
    "phases/unavoidable.rs",
];

/// What a file makes of four words or more with `format!` or `words!`, outside its tests and its functions `say`.
fn sentences(code: &str) -> Vec<String> {
    let made = Regex::new(r#"(?:format|words)!\(\s*"((?:[^"\\]|\\.)*)""#).unwrap();
    let word = Regex::new(r"^[A-Za-z][a-z']*[,.:;]?$").unwrap();
    let mut end = None;
    let mut kept = String::new();
    for line in code.split("\n#[cfg(test)]\n").next().unwrap().lines() {
        let text = line.trim_start();
        if end.is_none() && text.trim_start_matches("pub(super) ").trim_start_matches("pub ").starts_with("fn say(") {
            end = Some(format!("{}}}", &line[..line.len() - text.len()]));
        }
        if end.is_none() && !text.starts_with("//") {
            kept += &format!("{line}\n");
        }
        end = end.filter(|end| end != line);
    }
    let is_sentence = |text: &String| text.split_whitespace().filter(|part| word.is_match(part)).count() >= 4;
    made.captures_iter(&kept).map(|found| found[1].to_owned()).filter(is_sentence).collect()
}

#[test]
fn the_analysis_makes_facts_and_says_them_in_one_place() {
    let say = "    pub fn say(&self) -> String {\n        format!(\"It is busy for {}.\", time)\n    }\n";
    let other = say.replace("say", "read");
    assert_eq!((sentences(say), sentences(&other)), (vec![], vec!["It is busy for {}.".to_owned()]));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/kernel-judgement/src/analysis");
    let made: Vec<(String, String)> = sources(&folder)
        .into_iter()
        .map(|path| (path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/"), path))
        .filter(|(name, _)| !SAID.iter().any(|said| name.starts_with(said)))
        .flat_map(|(name, path)| {
            sentences(&fs::read_to_string(path).unwrap()).into_iter().map(move |s| (name.clone(), s))
        })
        .collect();
    assert_eq!(made, []);
}
