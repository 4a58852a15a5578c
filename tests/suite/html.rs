//! The HTML page: self-contained, complete, and safe with data that tries to be markup.

use super::project::{audit, snapshot};
use kernel_audit::render::{RenderError, Templates};
use kernel_audit::view::{
    Align, Block, Cell, CodeRow, Column, Content, CostText, Document, Line, Section, SourceFile, SourceText, Table,
    Tone,
};
use kernel_audit::words;
use kernel_audit::words::Words;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A folder with a report whose kernel name, source text and file name are markup; gives the report's path.
fn planted(folder: &Path) -> String {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/collected/patch_embed_gemm_mma/profile.ncu-repz");
    let mut bytes = zstd::decode_all(fs::File::open(fixture).unwrap()).unwrap();
    // The same lengths, so that the report stays whole.
    for (old, new) in [
        ("patch_embed_gemm_mma", "<svg onload=plant()>"),
        ("(j % 2u) * 2u], b_fragment[j / 2u]", "<script>window.planted=1</script>;"),
    ] {
        assert_eq!(old.len(), new.len());
        let mut at = 0;
        let mut count = 0;
        while let Some(found) = bytes[at..].windows(old.len()).position(|window| window == old.as_bytes()) {
            bytes[at + found..at + found + old.len()].copy_from_slice(new.as_bytes());
            at += found + old.len();
            count += 1;
        }
        assert!(count > 0, "{old} is not in the report");
    }
    let path = folder.join("<img src=x onerror=plant()>.ncu-rep");
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn generate(words: &[&str]) -> String {
    html_of("generate", words)
}

fn html_of(verb: &str, words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let fixed = [verb, "--out", folder.path().to_str().unwrap(), "--format", "html"];
    let run = audit(Path::new(env!("CARGO_MANIFEST_DIR"))).args(fixed).args(words).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let path = String::from_utf8(run.stdout).unwrap().trim().to_owned();
    assert!(path.ends_with(".html"), "one file is written: {path}");
    fs::read_to_string(path).unwrap()
}

#[test]
fn names_and_source_of_a_report_stay_text() {
    let folder = tempfile::tempdir().unwrap();
    let report = planted(folder.path());
    let html = generate(&[
        "--report",
        &report,
        "--commit",
        "c",
        "--date",
        "2026-11-20",
        "--title",
        "</title><script>plant()</script>",
    ]);
    assert_eq!(html.matches("<script").count(), 1, "only the page's own script");
    for markup in ["<svg onload", "<img", "</title><", "onerror=plant()>."] {
        assert!(!html.contains(markup), "{markup}");
    }
    for text in [
        "&lt;svg onload=plant()&gt;",
        "&lt;script&gt;window.planted=1&lt;/script&gt;",
        "&lt;img src=x onerror=plant()&gt;.ncu-rep",
        "&lt;/title&gt;&lt;script&gt;plant()&lt;/script&gt;",
    ] {
        assert!(html.contains(text), "{text} is not on the page");
    }
}

#[test]
fn the_page_needs_nothing_else_and_shows_the_source_with_its_costs() {
    let words =
        ["--report", "tests/fixtures/labelled/transpose_tiled.ncu-repz", "--commit", "c", "--date", "2026-11-20"];
    let html = generate(&words);
    for part in [
        "<section id=\"verdict\">",
        "<svg class=\"chart\"",
        "<table class=\"grid\" data-table=\"speed-of-light\">",
        "<section id=\"source-view\">",
        "transpose_tiled.cu",
        "Content-Security-Policy",
        "@media print",
        "prefers-color-scheme:dark",
    ] {
        assert!(html.contains(part), "{part}");
    }
    // Addresses of other places stand in no attribute that a browser follows.
    assert!(!html.contains("src=\"") && !html.contains("url(") && !html.contains("href=\"http"), "the page is alone");
    let line = html.lines().find(|line| line.contains("data-line=\"f0-25\"")).expect("line 25 is listed");
    assert!(line.contains(" %</td>") && line.contains("Short scoreboard") || line.contains("MIO throttle"), "{line}");
    // No disassembler is at hand: opcodes, and where branches go, are those of the report's machine code.
    let sass = |opcode: &str| html.matches(&format!("<td class=\"text\">{opcode}")).count();
    assert!(sass("LDG<") > 0 && sass("STS<") > 0 && sass("BAR<") == 1 && sass("BRA 0x") > 0, "opcodes");
    assert!(line.contains("Samples ") && line.contains(";Executed "), "{line}");
    assert_eq!(html, generate(&words), "the same input gives the same bytes");
}

#[test]
fn a_snapshot_gives_the_lines_that_it_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = snapshot(folder.path(), "strided_copy");
    let html = html_of("render", &[&snapshot]);
    assert!(html.contains("From the snapshot: opcodes without operands"), "the page says that text is missing");
    let sass = |opcode: &str| html.matches(&format!("<td class=\"text\">{opcode}")).count();
    assert!(sass("LDG<") > 0 && sass("STG<") > 0, "each instruction, by the bits that the snapshot keeps");
    assert!(html.contains("strided_copy.cu") && html.contains("data-line=\"f0-"));
}

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| Templates::load(None).unwrap());

/// A page whose every text is `text`.
fn page_of(text: &str) -> Result<String, RenderError> {
    let word = || text.to_owned();
    let plain = || Cell::new(text);
    let code = || Cell::new(words::code(text));
    let columns = vec![Column { title: word(), align: Align::Left }, Column { title: "n".into(), align: Align::Right }];
    let rows = vec![vec![code(), plain().strong()], vec![code().strong(), plain()]];
    let block = |content| Block { name: word(), content };
    let items = vec![
        words::code(text).into(),
        words::link(text, format!("javascript:{text}")).into(),
        words::link(text, "docs/a.md").into(),
    ];
    let blocks = vec![
        block(Content::Paragraph(text.into())),
        Table { name: word(), caption: text.into(), columns, rows }.into(),
        block(Content::Code { language: word(), text: word() }),
        block(Content::Heading(word())),
        block(Content::Chart(Box::new(super::charts::sample(text)))),
        block(Content::Fold { summary: word(), blocks: vec![block(Content::List { ordered: true, items })] }),
    ];
    let section = Section::new(text, text, blocks);
    let document = Document {
        title: word(),
        lead: vec![Line::new(text, text.into())],
        sections: vec![section],
        ..Document::default()
    };
    let cost = || CostText {
        samples: word(),
        heat: word(),
        old: (word(), word()),
        waits: word(),
        counts: word(),
        ..CostText::default()
    };
    let row = || CodeRow { line: word(), at: word(), text: word(), callers: word(), cost: cost() };
    let source = SourceText {
        note: text.into(),
        has_old: true,
        files: vec![SourceFile { name: word(), rows: vec![row()] }],
        code: vec![row()],
    };
    TEMPLATES.html("audit", &document, &source)
}

/// The elements of a page with the attributes that act.
fn elements(html: &str) -> Vec<String> {
    html.split('<')
        .skip(1)
        .map(|tag| tag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '/').collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_stays_text(parts in proptest::collection::vec(proptest::sample::select(vec![
        "<", ">", "\"", "'", "&", "&lt;", "<script>", "</script>", "</style>", "<!--", "-->", "]]>", "onload=", "javascript:",
        "`", "|", "\\", "\n", "\t", "\0", "{{", "}}", "a", " ", "=", "/", "é", "</title>", "</pre>", "[x](", ")",
    ]), 0..10)) {
        let text = format!("a{}", parts.concat());
        let html = page_of(&text);
        prop_assert!(html.is_ok(), "{}", html.unwrap_err());
        let html = html.unwrap();
        prop_assert_eq!(html.matches("<script").count(), 1);
        let plain = elements(&page_of("plain").unwrap());
        // Line ends, places to break and code marks of the data are the only elements that may differ in number.
        let strip = |all: Vec<String>| -> Vec<String> {
            all.into_iter().filter(|name| !matches!(name.as_str(), "br" | "wbr" | "code" | "/code" | "strong" | "/strong" | "text" | "/text" | "p" | "/p")).collect()
        };
        prop_assert_eq!(strip(elements(&html)), strip(plain));
    }
}

#[test]
fn a_part_where_a_browser_shows_none_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = snapshot(folder.path(), "strided_copy");
    let render = |text: &str| {
        let file = folder.path().join("own.hbs");
        fs::write(&file, text).unwrap();
        let words = ["render", &snapshot, "--format", "html", "--template-file"];
        let run = audit(folder.path()).args(words).arg(format!("html={}", file.display())).output().unwrap();
        (run.status.code().unwrap(), String::from_utf8(run.stderr).unwrap())
    };
    for (before, behind, open) in [
        ("<!--", "-->", "a comment"),
        ("<div title=\"", "\">", "the tag <div>"),
        ("<script>", "</script>", "the element <script>"),
        ("<p><textarea>", "</textarea>", "the element <textarea>"),
    ] {
        let (status, said) =
            render(&format!("<h1>{{{{title}}}}</h1>\n{before}{{{{block \"units.units\"}}}}{behind}\n"));
        let expected = format!("block \"units.units\": expected a place that a browser shows, found {open}\n");
        assert!(status == 5 && said.contains(&expected), "{said}");
    }
    assert!(!folder.path().join("2026-11-20-strided_copy.html").exists());
    let own = "<!-- <b> --><title>{{title}}</title><div class=\"{{#section \"units\"}}has{{/section}}\">{{block \"units.units\"}}";
    let (status, said) = render(own);
    assert_eq!(status, 0, "{said}");
}

#[test]
fn cells_carry_their_number_and_their_tone() {
    let columns = vec![Column { title: "A".into(), align: Align::Right }];
    let rows = vec![vec![Cell::new("16.8 M").sorted(16_812_345.0)], vec![Cell::new("PASS").toned(Tone::Good)]];
    let table = Table { name: "t".into(), caption: Words::default(), columns, rows };
    let section = Section::new("s", "S", vec![table.into()]);
    let document = Document { title: "T".into(), sections: vec![section], ..Document::default() };
    let html = TEMPLATES.html("audit", &document, &SourceText::default()).unwrap();
    assert!(html.contains("<td class=\"number\" data-key=\"16812345\">16.8\u{a0}M</td>"), "{html}");
    assert!(html.contains("<td class=\"number good\" data-key=\"\">PASS</td>"), "{html}");
}

#[test]
fn a_page_with_a_template_for_markdown_alone_has_html_too() {
    let words = ["--report", "tests/fixtures/h200/multiprocess.ncu-repz", "--commit", "c", "--date", "2026-11-20"];
    let html = generate(&[&words[..], &["--template", "deliverable"]].concat());
    assert!(html.contains("Kernels in one line") && html.contains("data-table=\"occupancy-lines\""));
    let document = Document { title: "T".into(), ..Document::default() };
    let error = TEMPLATES.html("audti", &document, &SourceText::default()).unwrap_err().to_string();
    assert!(error.contains("did you mean"), "{error}");
}
