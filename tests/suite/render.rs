//! Rendering: templates, escaping, the gate and the terminal.

use kernel_audit::render::{RenderError, Templates, terminal};
use kernel_audit::view::{Align, Block, Cell, Column, Content, Document, Line, Section, Table};
use kernel_audit::words;
use kernel_audit::words::Words;
use proptest::prelude::*;
use std::fs;
use std::sync::LazyLock;

fn cell(text: &str) -> Cell {
    Cell::new(text)
}

fn code(text: &str) -> Cell {
    Cell::new(words::code(text))
}

fn table(name: &str, titles: &[(&str, Align)], rows: Vec<Vec<Cell>>) -> Table {
    let columns = titles.iter().map(|(title, align)| Column { title: (*title).into(), align: *align }).collect();
    Table { name: name.into(), caption: Words::default(), columns, rows }
}

fn block(content: Content) -> Block {
    Block { name: "x".into(), content }
}

fn paragraph(text: &str) -> Block {
    block(Content::Paragraph(text.into()))
}

fn fold(summary: &str, blocks: Vec<Block>) -> Block {
    block(Content::Fold { summary: summary.into(), blocks })
}

fn document(blocks: Vec<Block>) -> Document {
    let sections = vec![Section::new("stalls", "Warp stalls", blocks)];
    Document { title: "Audit of transpose<float, 0>".into(), sections, ..Document::default() }
}

fn nasty() -> Document {
    let columns = [("Kernel", Align::Left), ("Note", Align::Left), ("a|b [ns]", Align::Right)];
    let mut names = table(
        "names",
        &columns,
        vec![
            vec![code("transpose_tiled<float, 0>"), cell("a|b"), cell("1,024")],
            vec![code("k`tick`<a|b>"), cell("``x`` and \\| and \\"), cell("")],
            vec![code("a\\|b"), cell("first\nsecond"), cell("<1 %").strong()],
            vec![code("operator||"), cell("*not* _bold_ ~5 ~6 $x$ &lt; @someone #12 https://x.y"), cell("-3")],
        ],
    );
    names.caption = words!("Share of `smsp__cycles_active.avg`, in percent.");
    Document {
        title: "Audit of transpose<float, 0> # 1_".into(),
        lead: vec![Line::new("kernel", words!("Kernel: `gemm_bias`")), Line::new("chip", words!("Chip: NVIDIA H200"))],
        sections: vec![
            Section::new(
                "stalls",
                "Names & *signs*",
                vec![
                    paragraph("1. is no list\nand one line."),
                    names.into(),
                    block(Content::List { ordered: true, items: vec![words!("one"), words!("**two**")] }),
                    block(Content::Code {
                        language: "sass".into(),
                        text: "LDG.E R2, [R4]\n```\n\n# no heading\n".into(),
                    }),
                ],
            ),
            Section::new(
                "sass",
                "Folds",
                vec![fold(
                    "All of a<b> & more",
                    vec![
                        block(Content::Heading("Inside".into())),
                        table("inner", &[("x", Align::Right)], vec![vec![cell("|")]]).into(),
                        fold("Deeper", vec![block(Content::List { ordered: false, items: vec!["- x".into()] })]),
                        paragraph("After."),
                    ],
                )],
            ),
        ],
        ..Document::default()
    }
}

#[test]
fn a_page_of_nasty_names() {
    let page = Templates::load(None).unwrap().page("audit", &nasty()).unwrap();
    insta::assert_snapshot!(crate::project::loose(&page));
}

#[test]
fn the_terminal_shows_the_same_strings() {
    let mut out = Vec::new();
    terminal::print(&nasty(), 80, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap().replace("\x1b[1m", "").replace("\x1b[0m", "");
    insta::assert_snapshot!(text);
}

/// Loads the built-in templates with some replaced, and prints `document`.
fn with_templates(files: &[(&str, &str)], document: &Document) -> Result<String, RenderError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Templates::load(Some(folder.path()))?.page("audit", document)
}

fn fails(files: &[(&str, &str)]) -> String {
    with_templates(files, &nasty()).unwrap_err().to_string()
}

#[test]
fn a_template_leaves_out_reorders_renames_and_adds() {
    let template = "# {{title}}\n\n{{section \"sass\" title=\"Mine\"}}\n\n{{section \"occupancy\"}}\n\nOf my own.\n\n\
        {{#section \"stalls\"}}\n## Other\n\n{{block \"stalls.basis\"}}\n{{/section}}\n\
        {{#section \"build\"}}\nnever\n{{/section}}\n";
    let mut of = nasty();
    of.sections[0].blocks.push(Block { name: "basis".into(), ..paragraph("Placed alone.") });
    let page = with_templates(&[("audit.md.hbs", template)], &of).unwrap();
    let (mine, own, other) =
        (page.find("## Mine\n<details>"), page.find("\nOf my own.\n"), page.find("## Other\n\nPlaced alone."));
    assert!(mine.is_some() && mine < own && own < other, "{page}");
    assert!(!page.contains("never") && !page.contains("transpose_tiled") && !page.contains("\n\n\n"), "{page}");
    let error = fails(&[("audit.md.hbs", "{{section \"sass\"}}\n\n{{section \"sass\"}}")]);
    assert!(error.contains("section \"sass\": expected one place"), "{error}");
}

#[test]
fn unknown_names_fail_in_every_kind_of_tag() {
    for (tag, unknown) in [
        ("{{titel}}", "titel"),
        ("{{#if titel}}x{{/if}}", "titel"),
        ("{{#unless titel}}x{{/unless}}", "titel"),
        ("{{#each titel}}x{{else}}y{{/each}}", "titel"),
        ("{{#with titel}}x{{else}}y{{/with}}", "titel"),
        ("{{#if title}}x{{else if (eq titel \"a\")}}y{{/if}}", "titel"),
        ("{{#if (not (eq title titel))}}y{{/if}}", "titel"),
        ("{{#each sections}}{{../titel}}{{/each}}", "titel"),
        ("{{#each sections as |s|}}{{s.titel}}{{/each}}", "titel"),
        ("{{@root.titel}}", "titel"),
    ] {
        let error = fails(&[("audit.md.hbs", &format!("\n\n{tag}\n"))]);
        assert!(error.contains("template audit, line 3, column "), "{tag}: {error}");
        assert!(error.contains(&format!("unknown name {unknown:?}")), "{tag}: {error}");
        assert!(error.contains("did you mean \"title\"?"), "{tag}: {error}");
    }
}

#[test]
fn other_mistakes_in_templates_name_their_place() {
    for (file, text, says) in [
        ("audit.md.hbs", "# {{title}}\n{{> partials/mine}}", "line 2, column 1: unknown partial \"partials/mine\""),
        (
            "audit.md.hbs",
            "x\n{{section \"stals\"}}",
            "line 2, column 1: unknown section \"stals\"; did you mean \"stalls\"?",
        ),
        ("audit.md.hbs", "{{#if lead}}{{#section \"stals\"}}{{/section}}{{/if}}", "unknown section \"stals\""),
        (
            "audit.md.hbs",
            "{{block \"stalls.stals\"}}",
            "unknown block \"stalls.stals\"; did you mean \"stalls.stalls\"?",
        ),
        ("audit.md.hbs", "x\n{{style}}", "line 2, column 1: unknown name \"style\""),
        ("audit.md.hbs", "{{#if (gt title 80)}}x{{/if}}", "unknown helper \"gt\""),
        ("audit.md.hbs", "{{#iff title}}x{{/iff}}", "unknown helper \"iff\"; did you mean \"if\"?"),
        ("audit.md.hbs", "{{#each lead}}", "template audit, line 1"),
        (
            "audit.md.hbs",
            "x\n{{section \"verdict\" titel=\"x\"}}",
            "line 2, column 1: unknown parameter \"titel\"; did you mean \"title\"?",
        ),
        ("audit.md.hbs", "{{section \"verdict\" level=\"x\"}}", "level=x: expected the level of a heading, 1 to 6"),
        ("audit.md.hbs", "{{section \"verdict\" level=7}}", "level=7: expected the level of a heading, 1 to 6"),
        ("audit.md.hbs", "x\n{{section title}}", "line 2, column 1: unknown section \"Audit of"),
        ("audit.md.hbs", "{{section title=\"x\"}}", "unknown section \"\""),
        ("audit.md.hbs", "{{section verdit}}", "unknown name \"verdit\""),
        ("audit.md.hbs", "{{#each sections}}{{block id}}{{/each}}", "unknown block \""),
        ("audit.hbs", "x", "rename it to end in .md.hbs"),
    ] {
        let error = fails(&[(file, text)]);
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn what_stands_behind_a_table_on_its_line_comes_out_below_it() {
    let mut of = nasty();
    of.sections[0].blocks.push(table("stalls", &[("a", Align::Left)], vec![vec![cell("last")]]).into());
    let page = |text: &str| with_templates(&[("audit.md.hbs", text)], &of);
    for (text, below) in [
        ("{{block \"stalls.stalls\"}} and more\n", "| last |\n\nand more\n"),
        ("{{block \"stalls.stalls\"}}{{block \"stalls.stalls\"}}", "| last |\n\n| a "),
        ("{{block \"stalls.stalls\"}} {{title}}", "| last |\n\nAudit of"),
        ("{{block \"stalls.stalls\"}} \n\nown", "| last | \n\nown"),
    ] {
        let page = page(text).unwrap();
        assert!(page.contains(below), "{text}: {page}");
    }
}

#[test]
fn an_unknown_template_lists_the_known_ones() {
    let error = Templates::load(None).unwrap().page("audti", &nasty()).unwrap_err().to_string();
    assert!(error.contains("\"audti\"; did you mean \"audit\"?") && error.contains("known: audit"), "{error}");
}

#[test]
fn templates_that_spoil_a_part_are_rejected() {
    let all = "{{#each sections}}\n{{section id}}\n\n{{/each}}\n";
    for (text, place) in [
        (all.replace("{{section", "x {{section"), "heading 1: expected \"Names & *signs*\""),
        (all.replace("{{section", "| x |\n| - |\n{{section"), "table \"names\", header"),
        (format!("```\n{all}```\n"), "heading 1: expected \"Names & *signs*\""),
        (format!("<script>x</script>\n\n{all}"), "<script>"),
        (format!("[x](javascript:alert)\n\n{all}"), "javascript"),
        (format!("| a |\n| - |\n| b |\n\n{all}"), "table \"names\", header"),
        (format!("{all}\n| a |\n| - |\n| b |\n"), "expected no further table"),
    ] {
        let error = with_templates(&[("audit.md.hbs", &text)], &nasty()).unwrap_err();
        assert!(matches!(error, RenderError::Rejected { .. }), "{text}: {error}");
        assert!(error.to_string().contains(place), "{text}: {error}");
    }
}

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| Templates::load(None).unwrap());

fn any_text() -> impl Strategy<Value = String> {
    let nasty = proptest::sample::select(vec![
        "|", "\\", "`", "``", "<", ">", "*", "**", "_", "__", "[", "]", "(", ")", "~", "~~", "&", "&lt;", "&#35;", "#",
        "@a", "$", "$$", "!", "\n", "\r\n", " ", "  ", "\t", "a", "b1", "www.", "http://", "<!--", "-->", "<br>",
        "<b>", "</td>", "- ", "1. ", "---", "=", "+ ", "é", "\u{a0}", "漢", "\u{200b}", "\0", "\u{7f}", "[^1]", ":",
        "\u{2028}", "^",
    ]);
    prop_oneof![proptest::collection::vec(nasty, 0..12).prop_map(|parts| parts.concat()), "\\PC{0,12}", any::<String>(),]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cell_text_survives(
        title in any_text(),
        texts in proptest::collection::vec((any_text(), any::<bool>(), any::<bool>()), 4),
        fold in any::<bool>(),
    ) {
        let word = |text: &str, code: bool| if code { words::code(text).into() } else { Words::from(text) };
        let cell = |(text, strong, code): &(String, bool, bool)| {
            let cell = Cell::new(word(text, *code));
            if *strong { cell.strong() } else { cell }
        };
        let cells: Vec<Cell> = texts.iter().map(cell).collect();
        let rows = cells.chunks(2).map(<[Cell]>::to_vec).collect();
        let mut blocks = vec![table("t", &[(&title, Align::Left), ("n", Align::Right)], rows).into()];
        if fold {
            blocks = vec![self::fold(&title, blocks)];
        }
        let page = TEMPLATES.page("audit", &document(blocks));
        prop_assert!(page.is_ok(), "{}", page.unwrap_err());
    }

    #[test]
    fn any_text_survives_in_every_block(text in any_text(), name in any_text()) {
        let words = || words!("{}**{}** `{}`{}", &text, &name, &name, &text);
        let blocks = vec![
            block(Content::Paragraph(words())),
            block(Content::Heading(text.clone())),
            block(Content::Code { language: text.clone(), text: text.clone() }),
            block(Content::List { ordered: false, items: vec![words()] }),
            block(Content::Chart(Box::new(super::charts::sample(&text)))),
        ];
        let page = TEMPLATES.page("audit", &document(blocks));
        prop_assert!(page.is_ok(), "{}", page.unwrap_err());
    }
}
