//! The page of one screen: its order and its budgets, on every audit that is committed.

use kernel_audit::render::Templates;
use kernel_audit::snapshot::Snapshot;
use kernel_audit::view::{self, BRIEF};
use std::fs;
use std::path::Path;

/// Lines of a page without the marks of its sections.
fn lines(page: &str) -> Vec<&str> {
    page.lines().filter(|line| !line.starts_with("<!-- audit:")).collect()
}

#[test]
fn the_answer_stands_on_the_first_screen_of_at_most_200_lines() {
    let templates = Templates::load(None).unwrap();
    let mut pages = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("audits")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let made = Snapshot::read(&path).unwrap();
        let audit = made.audit();
        if audit.is_of_code_alone() {
            continue;
        }
        let page = templates.marked_page(BRIEF, &view::brief(&made.heading, &audit)).unwrap();
        let lines = lines(&page);
        let at = |heading: &str| lines.iter().position(|line| *line == heading).map(|at| at + 1);
        let name = path.display();
        assert!(at("## Verdict").is_some_and(|at| at <= 10), "{name}: {:?}", at("## Verdict"));
        assert!(at("## Next").is_none_or(|at| at <= 24), "{name}: {:?}", at("## Next"));
        assert!(at("## What changed").is_some_and(|at| at <= 40), "{name}: {:?}", at("## What changed"));
        assert!(lines.len() <= if audit.old.is_some() { 200 } else { 150 }, "{name}: {} lines", lines.len());
        pages += 1;
    }
    assert!(pages > 20);
}
