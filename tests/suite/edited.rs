//! Pages that people edit: prose survives, damage and hand edits stop the run.

use crate::project::{Profile, Project};
use kernel_audit::render::{marked, merged};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

const PAGE: &str = "pages/2026-01-01-scale.md";

fn again(project: &Project) -> String {
    project.audit("2026-01-01", Profile::steady(100_000.0))
}

#[test]
fn prose_between_blocks_survives_and_the_blocks_follow_the_evidence() {
    let project = Project::new();
    let page = again(&project);
    for id in ["lead", "verdict", "speed-of-light", "provenance"] {
        assert!(page.contains(&format!("<!-- audit:begin {id} ")), "{id}");
        assert!(page.contains(&format!("<!-- audit:end {id} -->")), "{id}");
    }
    assert!(again(&project) == page, "twice is once");
    let notes = "\nTried `-maxrregcount=64`:  no gain.\r\n\n```md\n<!-- audit:begin verdict 0 -->\n```\n\n| a | b |\n";
    assert!(page.contains("<!-- audit:end verdict --><!-- audit:begin "), "two markers share a line: {page}");
    let edited = page.replace("<!-- audit:end verdict -->", &format!("<!-- audit:end verdict -->\n{notes}\n"));
    fs::write(project.path(PAGE), format!("Reviewed by the team.\n\n{edited}The end")).unwrap();
    let config = project.raw("audit.toml").replace("\"c1\"", "\"c2\"") + "change = \"tiles\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.run("generate scale --date 2026-01-01").done();
    let after = project.raw(PAGE);
    assert!(after.starts_with("Reviewed by the team.\n\n<!-- audit:begin lead "), "{after}");
    assert!(
        after.contains(&format!("<!-- audit:end verdict -->\n{notes}")) && after.ends_with("-->\nThe end"),
        "{after}"
    );
    assert!(after.contains("`c2`") && !after.contains("`c1`"));
    project.run("render --template full pages/2026-01-01-scale.json").done();
    assert!(project.raw(PAGE) == after);
}

#[test]
fn damage_stops_with_the_line_and_writes_nothing() {
    let project = Project::new();
    let page = again(&project);
    let line_of = |text: &str, of: &str| 1 + text[..text.find(of).unwrap()].matches('\n').count();
    let begin = "<!-- audit:begin speed-of-light ";
    let end = "<!-- audit:end verdict -->";
    let verdict = {
        let from = page.find("<!-- audit:begin verdict ").unwrap();
        &page[from..page.find(end).unwrap() + end.len()]
    };
    let damaged = [
        (page.replacen(end, "", 1), "begins inside the block \"verdict\""),
        (page.replacen(end, &format!("{end} note "), 1), "not a marker that this program writes"),
        (page.replacen("<!-- audit:end evidence -->", "", 1), "\"evidence\" has no end"),
        (format!("{page}\n{verdict}"), "\"verdict\" is there twice"),
        (page.replacen(begin, "<!-- audit:start speed-of-light ", 1), "not a marker that this program writes"),
        (page.replacen(end, "<!-- audit:end stalls -->", 1), "expected the end of the block \"verdict\""),
        (page.replacen(end, &format!("note {end}"), 1), "stand alone on its line"),
        (page.replacen("## Verdict\n", "## Verdict\nNothing. ", 1), "was edited by hand"),
        ("My own notes.\n".to_owned(), "no generated block"),
    ];
    for (text, says) in damaged {
        fs::write(project.path(PAGE), &text).unwrap();
        let data = project.raw("pages/2026-01-01-scale.json");
        let run = project.run("generate scale --date 2026-01-01");
        run.ends(5, says);
        assert!(run.err().contains("line ") && run.err().contains("nothing was written"), "{}", run.err());
        assert!(project.raw(PAGE) == text && project.raw("pages/2026-01-01-scale.json") == data);
    }
    let text = page.replacen("## Verdict\n", "## Verdict\nNothing. ", 1);
    fs::write(project.path(PAGE), &text).unwrap();
    let line = line_of(&text, "<!-- audit:begin verdict ");
    project.run("generate scale --date 2026-01-01").ends(5, &format!("line {line}: the generated block \"verdict\""));
    project.run("generate scale --date 2026-01-01 --force").done();
    assert!(project.raw(PAGE) == page);
}

#[test]
fn many_runs_at_once_leave_a_whole_page_and_no_lock() {
    let project = Project::new();
    let page = again(&project);
    let edited = format!("Notes.\n\n{page}");
    fs::write(project.path(PAGE), &edited).unwrap();
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let mut command = crate::project::audit(project.0.path());
            command
                .args(["generate", "scale", "--date", "2026-01-01"])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    assert!(project.raw(PAGE) == edited);
    // The page, its snapshot and the index.
    assert_eq!(fs::read_dir(project.path("pages")).unwrap().count(), 3);
}

#[cfg(unix)]
#[test]
fn a_page_that_cannot_be_read_is_not_replaced() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    let project = Project::new();
    again(&project);
    let page = project.path(PAGE);
    fs::set_permissions(&page, fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = crate::project::audit(project.0.path());
    command.args(["generate", "scale", "--date", "2026-01-01"]);
    if fs::read(&page).is_ok() {
        // Root reads everything: another user, who may write to the folder, runs it.
        for folder in [project.0.path(), page.parent().unwrap()] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
        }
        // A clone that only its owner may enter hides the program from everybody else.
        let program = project.path("program");
        fs::copy(command.get_program(), &program).unwrap();
        command = crate::project::audit_at(&program, project.0.path());
        command.args(["generate", "scale", "--date", "2026-01-01"]).uid(65534).gid(65534);
    }
    let before = fs::metadata(&page).unwrap().ino();
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("reading what is there"), "{said}");
    assert_eq!(fs::metadata(&page).unwrap().ino(), before);
}

/// The names of some of four sections.
fn sections(mask: u8) -> impl Iterator<Item = &'static str> {
    ["a", "b", "c", "d"].into_iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, name)| name)
}

/// A page of these sections, each with a text.
fn page(mask: u8, text: &str) -> String {
    let mut page = "# T\n\n".to_owned();
    let mut begin = Vec::new();
    for name in sections(mask) {
        begin.push((page.len(), name.to_owned()));
        page += &format!("## Section {name}\n\n{text}\n\n");
    }
    marked(&page, &begin)
}

/// Lines of prose that open nothing and close nothing: whole paragraphs, lists, fences and tables.
fn prose() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 .,;:äöü#*_`|<>!-]{0,40}\n\n".prop_map(|text| text.replace('`', "'").replace("<", "(")),
        Just("- item\n  more\n\n".to_owned()),
        Just("```\n<!-- audit:end a -->\n```\n\n".to_owned()),
        Just("| a |\n| - |\n| 1 |\n\n".to_owned()),
        Just("<!-- a comment of someone -->\n\n".to_owned()),
        Just("windows\r\nline ends\r\n\r\n".to_owned()),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

#[test]
fn blocks_take_the_new_order_and_prose_goes_on_behind_its_block() {
    let of = |names: &[&str]| {
        let mut text = "# T\n\n".to_owned();
        let mut cuts = Vec::new();
        for name in names {
            cuts.push((text.len(), (*name).to_owned()));
            text += &format!("## {name}\n\n");
        }
        marked(&text, &cuts)
    };
    let written = of(&["a", "b", "c"])
        .replace("audit:end b -->", "audit:end b -->\n\nOn b.\n\n")
        .replace("audit:end c -->", "audit:end c -->\n\nOn c.");
    let new = of(&["c", "a", "d"]);
    let expected = new
        .replace("audit:end c -->", "audit:end c -->\n\nOn c.\n\n")
        .replace("audit:end a -->", "audit:end a -->\n\nOn b.\n\n");
    assert_eq!(merged(Path::new("x.md"), &written, &new, false).unwrap(), expected);
    assert_eq!(merged(Path::new("x.md"), &of(&["a", "b"]), &new, false).unwrap(), new);
}

#[test]
fn a_fold_at_the_end_of_a_block_leaves_the_next_heading_alone() {
    let text = "# T\n\n## A\n<details><summary>more</summary>\n\nx\n\n</details>\n\n## B\ny\n";
    let page = marked(text, &[(5, "a".to_owned()), (text.find("## B").unwrap(), "b".to_owned())]);
    let is_heading = |event| matches!(event, pulldown_cmark::Event::Start(pulldown_cmark::Tag::Heading { .. }));
    assert_eq!(pulldown_cmark::Parser::new(&page).filter(|event| is_heading(event.clone())).count(), 3, "{page}");
    assert_eq!(
        merged(Path::new("x.md"), &page, &page.replace("\ny\n", "\nz\n"), true).unwrap().matches("## ").count(),
        2
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn prose_is_kept_and_twice_is_once(
        before in 0u8..16, after in 0u8..16, notes in prop::collection::vec(prose(), 6), text in "[a-z]{1,9}"
    ) {
        let first = page(before, "old");
        let mut edited = notes[0].clone();
        let mut at = 1;
        for line in first.split_inclusive('\n') {
            let end = line.find(" -->").filter(|_| line.starts_with("<!-- audit:end")).map_or(line.len(), |end| end + 4);
            edited.push_str(&line[..end]);
            if line.starts_with("<!-- audit:end") {
                edited.push('\n');
                edited.push_str(&notes[at % notes.len()]);
                at += 1;
            }
            edited.push_str(line[end..].trim_start_matches('\n'));
        }
        let path = Path::new("x.md");
        let new = page(after, &text);
        let once = merged(path, &edited, &new, false).unwrap();
        let twice = merged(path, &once, &new, false).unwrap();
        prop_assert_eq!(&once, &twice);
        // All prose is there, in order.
        let mut rest = once.as_str();
        for note in notes.iter().take(at).filter(|note| !note.trim().is_empty()) {
            let found = rest.find(note.as_str());
            prop_assert!(found.is_some(), "{:?} is lost in {:?}", note, once);
            rest = &rest[found.unwrap() + note.len()..];
        }
        for id in sections(after) {
            let begin = format!("<!-- audit:begin {id} ");
            prop_assert!(once.contains(&begin), "{} is not in {:?}", id, once);
        }
    }
}

#[test]
fn what_cannot_be_read_is_no_page_without_conclusions() {
    let project = Project::new();
    let draft = again(&project);
    let own = |text: &str| {
        let (before, rest) = draft.split_once("\n<!-- audit:human end -->").unwrap();
        format!("{before}## Conclusions\n\n{text}\n<!-- audit:human end -->{rest}")
    };
    let next = || {
        project.report("new.csv", &[Profile::steady(80_000.0)]);
        project.run("generate scale --date 2026-01-05 --html")
    };
    // Neither the page before nor the page itself is passed over, and nothing is written.
    let broken = [own("Mine.").as_bytes(), b"\xff"].concat();
    fs::write(project.path(PAGE), &broken).unwrap();
    next().ends(5, "is not UTF-8 text");
    project.run("render pages/2026-01-01-scale.json --format html").ends(5, "is not UTF-8 text");
    fs::remove_file(project.path(PAGE)).unwrap();
    fs::create_dir(project.path(PAGE)).unwrap();
    next().ends(3, "reading what is there");
    fs::remove_dir(project.path(PAGE)).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere.md", project.path(PAGE)).unwrap();
        next().ends(3, "a link to what is not there");
        project.run("render pages/2026-01-01-scale.json").ends(3, "a link to what is not there");
        assert!(project.path(PAGE).is_symlink());
        fs::remove_file(project.path(PAGE)).unwrap();
    }
    assert!(!project.path("pages/2026-01-05-scale.md").exists());
    // The audits of a day have an order, which is not that of their letters.
    for number in ["", ".9", ".11"] {
        let path = project.path(&format!("pages/2026-01-01{number}-scale.md"));
        fs::write(path, own(&format!("Number {number}."))).unwrap();
    }
    next().done();
    assert!(project.raw("pages/2026-01-05-scale.md").contains("Number .11."));
}

#[test]
fn what_the_author_concludes_stays_and_goes_to_the_next_page() {
    let project = Project::new();
    let page = again(&project);
    let from = page.find("<!-- audit:human ").unwrap();
    let until = page.find("<!-- audit:human end -->").unwrap();
    let draft = page[from..until].split_once("-->\n").unwrap().1.to_owned();
    // Where the program has nothing to say, it drafts nothing, and no heading stands over nothing.
    assert_eq!(draft, "\n");
    assert!(!page.contains("## Conclusions"), "{page}");
    project.run("generate scale --date 2026-01-01 --html").done();
    assert!(!project.raw("pages/2026-01-01-scale.html").contains("A draft by the program that nobody has edited."));
    let own = "## Conclusions\n\nUse `__ldg` **next** (A. B., 2026-01-02).\n\n- not <b>tiles</b>\n";
    let written = project.raw(PAGE).replace("\n<!-- audit:human end -->", &format!("{own}<!-- audit:human end -->"));
    fs::write(project.path(PAGE), written).unwrap();
    for words in ["", " --force", " --html"] {
        project.run(&format!("generate scale --date 2026-01-01{words}")).done();
        assert!(project.raw(PAGE).contains(own), "{words}");
    }
    // The gate holds what the program wrote, and nothing else.
    project.run("check scale --allow-new").done();
    let page = project.raw(PAGE);
    fs::write(project.path(PAGE), page.replacen("scale", "scaled", 1)).unwrap();
    project.run("check scale --allow-new").ends(1, "was edited by hand");
    fs::write(project.path(PAGE), page).unwrap();
    let html = project.raw("pages/2026-01-01-scale.html");
    assert!(html.contains("Use <code>__ldg</code> <strong>next</strong> (A. B., 2026-01-02)."), "{html}");
    assert!(!html.contains("nobody has edited") && !html.contains("<b>"));
    let next = project.audit("2026-01-05", Profile::steady(80_000.0));
    // Words of an earlier page say so, once.
    let dated = own.replace("## Conclusions\n", "## Conclusions\n*From 2026-01-01.*\n\n");
    assert!(next.contains(&dated), "{next}");
    project.run("check scale").done();
    let later = project.audit("2026-01-06", Profile::steady(70_000.0));
    assert!(later.contains(&dated), "{later}");
    fs::remove_file(project.path("pages/2026-01-06-scale.json")).unwrap();
    fs::remove_file(project.path("pages/2026-01-06-scale.md")).unwrap();
    // An empty section is an answer too, and a mark without a hash is the author's.
    let empty = next.replace(&dated, "");
    fs::write(project.path("pages/2026-01-05-scale.md"), &empty).unwrap();
    assert_eq!(project.audit("2026-01-05", Profile::steady(80_000.0)), empty);
    // A page that has no place for it keeps it as prose.
    let page = marked("# T\n\n## A\n\nx\n", &[(5, "a".to_owned())]);
    let kept = merged(Path::new("x.md"), &next, &page, false).unwrap();
    assert!(kept.contains(&dated) && kept.contains("## A") && !kept.contains("## Verdict"), "{kept}");
    assert_eq!(merged(Path::new("x.md"), &kept, &page, false).unwrap(), kept);
}
