//! What stands on a terminal: it fits, it is coloured for people alone, and machines get JSON.

use super::project::{Project, audit, snapshot};
use std::fs;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

fn printed(words: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = audit(Path::new(env!("CARGO_MANIFEST_DIR")));
    let run = command.args(words).envs(environment.iter().copied()).output().unwrap();
    assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

const FILES: [&str; 3] = [
    "tests/fixtures/labelled/transpose_naive.ncu-repz",
    "tests/fixtures/labelled/transpose_tiled.ncu-repz",
    "tests/fixtures/labelled/transpose_padded.ncu-repz",
];

#[test]
fn tables_fit_the_screen() {
    let kernels = ["gemm_bias_v2.ncu-repz", "multiprocess.ncu-repz", "devset.ptxas.txt"]
        .map(|f| format!("tests/fixtures/h200/{f}"));
    let mut runs: Vec<Vec<&str>> = FILES
        .iter()
        .chain([&kernels[0].as_str(), &kernels[1].as_str(), &kernels[2].as_str()])
        .flat_map(|file| [vec!["show", *file], vec!["show", "--all", *file]])
        .collect();
    runs.push([&["compare", "--kernel", "transpose"], &FILES[..]].concat());
    for words in runs {
        for width in [80, 120] {
            let columns = width.to_string();
            let text = printed(&[&words[..], &["--width", &columns]].concat(), &[]);
            // Verbatim lines, such as commands, are not broken.
            let wide: Vec<&str> =
                text.lines().filter(|line| line.width() > width && !line.starts_with("    ")).collect();
            assert!(wide.is_empty(), "{words:?} at {width}: {wide:#?}");
        }
        assert_eq!(
            printed(&[&words[..], &["--width", "80"]].concat(), &[]),
            printed(&words, &[]),
            "80 columns are the default"
        );
    }
}

#[test]
fn a_table_in_parts_repeats_its_first_column_and_loses_nothing() {
    let text = printed(&[&["compare", "--kernel", "transpose"], &FILES[..]].concat(), &[]);
    for number in ["964.70 µs", "329.18 µs", "143.49 µs", "−85.1 %, better"] {
        assert!(text.contains(number), "{number} is whole: {text}");
    }
    let heads = text.lines().filter(|line| line.starts_with("Metric ")).count();
    let titles = text.lines().filter(|line| line.starts_with("Metric ") && line.contains(" A ")).count();
    assert!(heads > titles, "the parts after the first begin with the first column too");
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let words = [&["compare", "--kernel", "transpose"], &FILES[..]].concat();
    assert!(!printed(&words, &[]).contains('\x1b'), "a pipe is no terminal");
    let run = |environment: &[(&str, &str)]| {
        let mut command = audit(Path::new(env!("CARGO_MANIFEST_DIR")));
        let run = command.env_remove("NO_COLOR").envs(environment.iter().copied()).args(&words).output().unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let forced = run(&[("CLICOLOR_FORCE", "1")]);
    assert!(forced.contains("\x1b[32mFASTER\x1b[0m") && forced.contains("\x1b[33mAMBIGUOUS\x1b[0m"), "{forced}");
    assert!(!run(&[("NO_COLOR", "1")]).contains('\x1b'));
}

#[test]
fn json_holds_every_file_with_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = snapshot(folder.path(), "transpose_padded");
    let text = printed(&["show", "--json", FILES[2], &snapshot, "tests/fixtures/h200/devset.ptxas.txt"], &[]);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], "kernel-audit/show/9");
    let kinds: Vec<&str> =
        value["files"].as_array().unwrap().iter().map(|file| file["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["audit", "audit", "build-log"]);
    // NVIDIA's reader gives 143,488 ns for this report; a snapshot of it says the same.
    for file in 0..2 {
        let time = &value["files"][file]["audit"]["performance"]["time"]["new"];
        assert!(time.to_string().contains("143488"), "{time}");
    }
}

#[test]
fn a_snapshot_can_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = snapshot(folder.path(), "transpose_padded");
    let first = printed(&["show", &file], &[]);
    assert!(first.contains("143.5 µs under ncu") && first.contains("\nVerdict\n"), "{first}");
    assert!(!first.contains("Speed of Light") && !first.contains("Full tables"), "the first screen alone: {first}");
    let all = printed(&["show", "--all", &file], &[]);
    assert!(all.contains("GPU Speed of Light") && all.contains("143.49 µs"), "{all}");
}

#[test]
fn the_first_screen_can_be_a_file() {
    let project = Project::new();
    project.audit("2026-01-01", crate::project::Profile::default());
    let made = project.run("render --format text pages/2026-01-01-scale.json").done();
    assert_eq!(made, "pages/2026-01-01-scale.txt\n");
    let (text, shown) =
        (project.read("pages/2026-01-01-scale.txt"), project.run("show pages/2026-01-01-scale.json").done());
    assert!(!text.contains('\u{1b}') && text.lines().all(|line| line.width() <= 80), "{text}");
    // The screen has the file for a title, and says how to see more.
    let shown: Vec<&str> = shown.lines().skip(1).collect();
    let text: Vec<&str> = text.lines().skip(1).collect();
    assert!(text.len() > 5 && shown.starts_with(&text), "{text:?}");
}

#[test]
fn shells_and_man_get_every_verb() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = project.run(&format!("completions {shell}")).done();
        assert!(text.contains("generate") && text.contains("completions"), "{shell}");
        let asks = text.contains("audit completions --subjects");
        assert_eq!(asks, ["bash", "zsh", "fish"].contains(&shell), "{shell}");
    }
    assert_eq!(project.run("completions --subjects").done(), "scale\n");
    let bash = format!(
        "{}\nCOMP_WORDS=(audit check s); COMP_CWORD=2; _audit_with_subjects audit s check; echo ${{COMPREPLY[*]}}",
        project.run("completions bash").done()
    );
    let tools = Path::new(env!("CARGO_BIN_EXE_audit")).parent().unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let asked = std::process::Command::new("bash")
        .args(["-c", &bash])
        .env("PATH", path)
        .current_dir(project.0.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&asked.stdout).split_whitespace().any(|word| word == "scale"), "{asked:?}");
    let pages = project.run("man --out man").done();
    for page in ["man/audit.1", "man/audit-generate.1", "man/audit-baseline-pin.1", "man/audit-dump-source.1"] {
        assert!(pages.lines().any(|line| line == page), "{page} is missing in {pages}");
        let text = fs::read_to_string(project.path(page)).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(project.read("man/audit-generate.1").contains("link\\-base"), "flags stand on the page of their verb");
}

#[test]
fn the_version_may_carry_its_commit_and_pages_do_not() {
    let text = printed(&["--version"], &[]);
    let rest = text.trim().strip_prefix(&format!("audit {}", env!("CARGO_PKG_VERSION"))).expect("name and version");
    let commit =
        rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')).map(|rest| rest.trim_end_matches("-dirty"));
    let is_commit = commit.is_some_and(|commit| commit.len() == 12 && commit.bytes().all(|b| b.is_ascii_hexdigit()));
    assert!(rest.is_empty() || is_commit, "{text}");
    let folder = tempfile::tempdir().unwrap();
    let data = fs::read_to_string(snapshot(folder.path(), "transpose_padded")).unwrap();
    assert!(
        data.contains(&format!("\"program\":\"{}\"", env!("CARGO_PKG_VERSION"))),
        "a page is the same from every build"
    );
}
