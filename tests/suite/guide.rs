//! The documentation: links lead somewhere, and what it shows is what is printed.

use super::project::audit;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages that people read, without audits, whose links the gate checks.
fn pages() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in [".", "docs", "docs/guide", "kernels"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

/// The anchors of a page as GitHub makes them: small letters, digits, dashes and underscores; spaces become dashes.
fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => open = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let title = open.take().unwrap().to_lowercase();
                let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
                found.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(title) = &mut open {
                    title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut checked = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) = event else {
                continue;
            };
            if dest_url.contains("://") || dest_url.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {dest_url} leads nowhere", page.display());
            if !anchor.is_empty() {
                let text = texts.entry(target.clone()).or_insert_with(|| fs::read_to_string(&target).unwrap());
                assert!(
                    anchors(text).iter().any(|one| one == anchor),
                    "{}: {dest_url} has no such heading",
                    page.display()
                );
            }
            checked += 1;
        }
    }
    assert!(checked >= 15, "only {checked} links were found");
}

/// A command and the lines that the page shows below it.
struct Shown {
    command: String,
    lines: Vec<String>,
}

/// The commands in the console blocks of a page, in order.
fn commands(page: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        match line {
            "```console" => is_console = true,
            "```" => is_console = false,
            line if is_console => match line.strip_prefix("$ ") {
                Some(command) => all.push(Shown { command: command.to_owned(), lines: Vec::new() }),
                None => all.last_mut().expect("a command comes first").lines.push(line.to_owned()),
            },
            _ => {}
        }
    }
    all
}

/// Files that the page states: a block of code under a line that names it in backticks, or audit.toml.
fn stated(page: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut lines = page.lines().peekable();
    let mut last = String::new();
    while let Some(line) = lines.next() {
        let kind = line.strip_prefix("```").unwrap_or_default();
        if matches!(kind, "toml" | "handlebars") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let named = last.split('`').nth(1).filter(|name| name.contains('/'));
            let name = if kind == "toml" { "audit.toml" } else { named.unwrap_or("unnamed") };
            files.push((name.to_owned(), format!("{}\n", body.join("\n"))));
        }
        if !line.is_empty() {
            last = line.to_owned();
        }
    }
    files
}

/// Runs the commands of a page in a folder with two reports and the files that the page states.
fn run_page(name: &str, before: &[(&str, &str)]) {
    let page = fs::read_to_string(root().join("docs/guide").join(name)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (report, fixture) in [("new.ncu-rep", "gemm_bias_v2.ncu-repz"), ("old.ncu-rep", "gemm_bias_v1.ncu-repz")] {
        fs::copy(root().join("tests/fixtures/h200").join(fixture), folder.path().join(report)).unwrap();
    }
    for (file, text) in before {
        fs::write(folder.path().join(file), text).unwrap();
    }
    for (file, text) in stated(&page) {
        let path = folder.path().join(&file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // What the page adds to a file that an earlier page stated comes behind it.
        let known = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, format!("{known}{text}")).unwrap();
    }
    let all = commands(&page);
    assert!(!all.is_empty(), "{name} shows no command");
    for Shown { command, lines } in all {
        let words = Command::new("sh").args(["-c", &format!("printf '%s\\n' {command}")]).output().unwrap();
        let words = String::from_utf8(words.stdout).unwrap();
        let mut words = words.lines();
        assert_eq!(words.next(), Some("audit"), "{name}: {command}");
        let output = audit(folder.path()).args(words).output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let printed = crate::project::loose(&String::from_utf8(printed).unwrap());
        let mut rest = printed.lines().peekable();
        let mut skips = false;
        for line in &lines {
            if line == "…" {
                skips = true;
                continue;
            }
            let found = if skips { rest.by_ref().find(|other| other == line) } else { rest.next() };
            assert_eq!(found, Some(line.as_str()), "{name}: {command} prints\n{printed}");
            skips = false;
        }
        assert!(skips || rest.next().is_none(), "{name}: {command} prints more:\n{printed}");
    }
}

#[test]
fn the_first_audit_is_as_shown() {
    run_page("first-audit.md", &[]);
}

#[test]
fn a_project_is_as_shown() {
    run_page("your-project.md", &[]);
}

#[test]
fn templates_are_as_shown() {
    let project = fs::read_to_string(root().join("docs/guide/your-project.md")).unwrap();
    let (_, config) = stated(&project).swap_remove(0);
    run_page("templates.md", &[("audit.toml", &config)]);
}

#[test]
fn the_snapshot_is_as_shown() {
    let project = fs::read_to_string(root().join("docs/guide/your-project.md")).unwrap();
    let (_, config) = stated(&project).swap_remove(0);
    run_page("snapshot.md", &[("audit.toml", &config)]);
}

#[test]
fn the_pictures_are_those_that_the_program_draws() {
    let folder = tempfile::tempdir().unwrap();
    let run = audit(root())
        .args("generate --template full --kernel ^gemm_bias --name new --date 2026-11-20 --commit c --report tests/fixtures/h200/gemm_bias_v2.ncu-repz --baseline tests/fixtures/h200/gemm_bias_v1.ncu-repz --out".split(' '))
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for chart in ["speed-of-light.svg", "stalls.svg"] {
        let drawn = fs::read_to_string(folder.path().join("2026-11-20-new").join(chart)).unwrap();
        let shown = fs::read_to_string(root().join("docs/images").join(chart)).unwrap();
        assert!(
            drawn == shown,
            "docs/images/{chart} is out of date: draw it with the first command of docs/guide/first-audit.md"
        );
    }
}

#[test]
fn the_readme_is_a_page() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
}
