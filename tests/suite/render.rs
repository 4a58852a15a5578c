//! Rendering: templates, escaping, the gate and the terminal.

use kernel_audit::render::{RenderError, Templates, gate, terminal};
use kernel_audit::view::{Align, Block, Cell, Column, Document, Section, Table};
use proptest::prelude::*;
use std::fs;
use std::sync::LazyLock;

fn cell(text: &str) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}

fn code(text: &str) -> Cell {
    Cell { code: true, ..cell(text) }
}

fn table(id: &str, titles: &[(&str, Align)], rows: Vec<Vec<Cell>>) -> Table {
    let columns = titles.iter().map(|(title, align)| Column { title: (*title).into(), align: *align }).collect();
    Table { id: id.into(), caption: String::new(), columns, rows }
}

fn document(blocks: Vec<Block>) -> Document {
    let section = Section { id: "stalls".into(), title: "Warp stalls".into(), blocks };
    Document { title: "Audit of transpose<float, 0>".into(), lead: vec![], sections: vec![section] }
}

fn nasty() -> Document {
    let columns = [("Kernel", Align::Left), ("Note", Align::Left), ("a|b [ns]", Align::Right)];
    let mut names = table(
        "names",
        &columns,
        vec![
            vec![code("transpose_tiled<float, 0>"), cell("a|b"), cell("1,024")],
            vec![code("k`tick`<a|b>"), cell("``x`` and \\| and \\"), cell("")],
            vec![code("a\\|b"), cell("first\nsecond"), Cell { strong: true, ..cell("<1 %") }],
            vec![code("operator||"), cell("*not* _bold_ ~5 ~6 $x$ &lt; @someone #12 https://x.y"), cell("-3")],
        ],
    );
    names.caption = "Share of `smsp__cycles_active.avg`, in percent.".into();
    Document {
        title: "Audit of transpose<float, 0> # 1_".into(),
        lead: vec!["Kernel: `gemm_bias`".into(), "Chip: NVIDIA H200".into()],
        sections: vec![
            Section {
                id: "names".into(),
                title: "Names & *signs*".into(),
                blocks: vec![
                    Block::Text { text: "1. is no list\nand one line.".into() },
                    Block::Table { table: names },
                    Block::List { ordered: true, items: vec!["one".into(), "**two**".into()] },
                    Block::Code { language: "sass".into(), text: "LDG.E R2, [R4]\n```\n\n# no heading\n".into() },
                ],
            },
            Section {
                id: "folds".into(),
                title: "Folds".into(),
                blocks: vec![Block::Fold {
                    summary: "All of a<b> & more".into(),
                    blocks: vec![
                        Block::Heading { text: "Inside".into() },
                        Block::Table { table: table("inner", &[("x", Align::Right)], vec![vec![cell("|")]]) },
                        Block::Fold {
                            summary: "Deeper".into(),
                            blocks: vec![Block::List { ordered: false, items: vec!["- x".into()] }],
                        },
                        Block::Text { text: "After.".into() },
                    ],
                }],
            },
        ],
    }
}

#[test]
fn a_page_of_nasty_names() {
    let page = Templates::load(None).unwrap().page("audit", &nasty()).unwrap();
    insta::assert_snapshot!(page);
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
fn an_override_replaces_the_template_of_its_name() {
    let page = with_templates(&[("partials/text.md.hbs", "> {{text}}\n\n")], &nasty()).unwrap();
    assert!(page.contains("\n> 1\\. is no list and one line.\n"), "{page}");
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
        ("{{#each sections}}{{#each blocks}}{{../titel}}{{/each}}{{/each}}", "titel"),
        ("{{#each sections as |s|}}{{s.titel}}{{/each}}", "titel"),
        ("{{> partials/text text=titel}}", "titel"),
        ("{{@root.titel}}", "titel"),
    ] {
        let error = fails(&[("audit.md.hbs", &format!("\n\n{tag}\n"))]);
        assert!(error.contains("template audit, line 3, column "), "{tag}: {error}");
        assert!(error.contains(&format!("unknown name {unknown:?}")), "{tag}: {error}");
        assert!(error.contains("did you mean \"title\"?"), "{tag}: {error}");
    }
}

#[test]
fn a_name_of_another_place_is_unknown_here() {
    let error = fails(&[("audit.md.hbs", "{{#if rows}}x{{/if}}")]);
    assert!(error.contains("unknown name \"rows\"") && error.contains("known here: lead, sections, title"), "{error}");
}

#[test]
fn other_mistakes_in_templates_name_their_place() {
    for (file, text, says) in [
        (
            "audit.md.hbs",
            "# {{title}}\n{{> partials/tabel}}",
            "line 2, column 1: unknown partial \"partials/tabel\"; did you mean \"partials/table\"?",
        ),
        (
            "partials/table.md.hbs",
            "\n{{lnes}}",
            "template partials/table, line 2, column 1: unknown name \"lnes\"; did you mean \"lines\"?",
        ),
        ("audit.md.hbs", "{{sections}}", "\"sections\" is a list and cannot be printed"),
        ("audit.md.hbs", "{{#each title}}x{{/each}}", "{{#each}} needs a list, not a text"),
        ("audit.md.hbs", "{{#if (gt title 80)}}x{{/if}}", "unknown helper \"gt\""),
        ("audit.md.hbs", "{{#iff title}}x{{/iff}}", "unknown helper \"iff\"; did you mean \"if\"?"),
        ("audit.md.hbs", "{{../title}}", "goes above"),
        ("audit.md.hbs", "{{#each lead}}", "template audit, line 1"),
        ("audit.hbs", "x", "rename it to end in .md.hbs"),
    ] {
        let error = fails(&[(file, text)]);
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn an_unknown_template_lists_the_known_ones() {
    let error = Templates::load(None).unwrap().page("audti", &nasty()).unwrap_err().to_string();
    assert!(error.contains("\"audti\"; did you mean \"audit\"?") && error.contains("known: audit"), "{error}");
}

#[test]
fn templates_that_lose_something_are_rejected() {
    for (file, text, place) in [
        ("partials/table.md.hbs", "x\n\n", "table \"names\": expected a table"),
        ("partials/table.md.hbs", "> {{lines}}\n\n", "table \"names\""),
        ("partials/heading.md.hbs", "**{{text}}**\n\n", "heading 4: expected \"Inside\""),
        ("partials/code.md.hbs", "```\n{{text}}\n```\n\n", "heading 3: expected \"Folds\", found \"no heading\""),
        ("partials/text.md.hbs", "<script>{{text}}</script>\n\n", "<script>"),
        ("partials/text.md.hbs", "[x](javascript:alert)\n\n", "javascript"),
        ("partials/text.md.hbs", "| a |\n| - |\n| b |\n\n", "table \"names\", header"),
        ("partials/fold.md.hbs", "<details>\n{{> partials/blocks}}\n</details>\n\n", "\"Inside\""),
    ] {
        let error = with_templates(&[(file, text)], &nasty()).unwrap_err();
        assert!(error.is_rejection(), "{text}: {error}");
        assert!(error.to_string().contains(place), "{text}: {error}");
    }
}

#[test]
fn the_gate_names_table_row_and_column() {
    let good = table("t", &[("A", Align::Left), ("B", Align::Right)], vec![vec![cell("1"), cell("2")]]);
    let page = |body: &str| format!("# Audit of transpose\\<float, 0>\n\n## Warp stalls\n\n{body}\n");
    let check = |body: &str, table: &Table| {
        let document = document(vec![Block::Table { table: table.clone() }]);
        gate::check(&page(body), &document).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(check("| A | B |\n|---|--:|\n| 1 | 2 |", &good), Ok(()));
    let says = |body: &str, what: &str| {
        let error = check(body, &good).unwrap_err();
        assert!(error.contains(what), "{error}");
    };
    says("| A | B |\n|---|--:|\n| 1 | 3 |", "table \"t\", row 1, column \"B\": expected \"2\", found \"3\"");
    says("| A | B |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |", "expected 1 rows, found one more");
    says("| A | B |\n|---|--:|", "row 1: expected [\"1\", \"2\"], found no such row");
    says("| A | B |\n|---|---|\n| 1 | 2 |", "column \"B\": expected right-aligned, found left-aligned");
    says("| A | C |\n|---|--:|\n| 1 | 2 |", "header: expected [\"A\", \"B\"], found [\"A\", \"C\"]");
    says("| A | B |\n|--:|\n| 1 | 2 |", "expected a table, found none");
    says("| A | B |\n|---|--:|\n| 1 | 2 |\n\n| A |\n|---|", "expected no further table");
    let short = table("t", &[("A", Align::Left), ("B", Align::Right)], vec![vec![cell("1")]]);
    let error = check("| A | B |\n|---|--:|\n| 1 | |", &short).unwrap_err();
    assert!(error.contains("row 1: expected 2 cells"), "{error}");
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
        let cells: Vec<Cell> =
            texts.iter().map(|(text, strong, code)| Cell { text: text.clone(), strong: *strong, code: *code }).collect();
        let rows = cells.chunks(2).map(<[Cell]>::to_vec).collect();
        let mut blocks = vec![Block::Table { table: table("t", &[(&title, Align::Left), ("n", Align::Right)], rows) }];
        if fold {
            blocks = vec![Block::Fold { summary: title.clone(), blocks }];
        }
        let page = TEMPLATES.page("audit", &document(blocks));
        prop_assert!(page.is_ok(), "{}", page.unwrap_err());
    }

    #[test]
    fn any_plain_text_survives_as_paragraph_heading_and_code(text in any_text()) {
        use kernel_audit::view::escape;
        use pulldown_cmark::Options;
        let mut found = String::new();
        let github = Options::ENABLE_TABLES
            | Options::ENABLE_GFM
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_MATH;
        for event in pulldown_cmark::Parser::new_ext(&escape::paragraph(&text), github) {
            match event {
                pulldown_cmark::Event::Text(part) => found.push_str(&part),
                pulldown_cmark::Event::InlineHtml(html) => prop_assert_eq!(html.as_ref(), "<!-- -->"),
                pulldown_cmark::Event::Start(tag) => prop_assert_eq!(tag, pulldown_cmark::Tag::Paragraph),
                pulldown_cmark::Event::End(_) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert_eq!(found, escape::normal(&text, true));
        let blocks = vec![
            Block::Heading { text: text.clone() },
            Block::Code { language: text.clone(), text: text.clone() },
            Block::List { ordered: false, items: vec![escape::text(&text)] },
            Block::Chart { chart: Box::new(super::charts::sample(&text)) },
        ];
        let page = TEMPLATES.page("audit", &document(blocks));
        prop_assert!(page.is_ok(), "{}", page.unwrap_err());
    }
}
