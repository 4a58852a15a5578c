//! Templates of the user's own, by name, and `audit lint`.

use super::project::{Profile, Project};
use crate::committed::{self, Judged};
use kernel_audit::render::Templates;
use kernel_audit::view::{self, Block, Content, Document, names};
use std::fs;
use std::path::Path;

fn project(templates: &[(&str, &str)], keys: &str) -> Project {
    let project = Project::new();
    project.report("new.csv", &[Profile::steady(100_000.0)]);
    let config = project.read("audit.toml");
    fs::write(project.path("audit.toml"), format!("{config}{keys}")).unwrap();
    for (file, text) in templates {
        let path = project.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    project
}

const PR: &str = "## {{title}}\n\nOurs.\n\n{{#each sections}}\n> Part\n\n{{section id level=3}}\n\n{{/each}}\n";

#[test]
fn a_template_of_ones_own_takes_the_place_of_the_one_it_is_named_for() {
    let project = project(&[("my/pr.hbs", PR)], "[templates]\npr = \"my/pr.hbs\"\n");
    let text = project.run("generate scale --format pr --date 2026-11-02").done();
    assert!(
        text.starts_with("<!-- audit:pull-request -->\n## Performance audit") && text.contains("\nOurs.\n"),
        "the marker is not the template's: {text}"
    );
    assert!(text.contains("\n> Part\n\n### "), "{text}");
    let lint = project.run("lint").done();
    assert!(lint.contains("pr: my/pr.hbs"), "{lint}");
    assert!(lint.contains("audit.toml: 1 subject,"), "{lint}");
}

#[test]
fn the_html_page_has_a_name_too_and_a_flag_does_the_same() {
    let html = "<!doctype html>\n<title>{{title}}</title>\n<h1>{{title}}</h1>\n{{#each sections}}\n{{section id}}\n{{/each}}\n";
    let project = project(&[("my/page.hbs", html)], "");
    project.run("generate scale --format html --date 2026-11-02 --template-file html=my/page.hbs").done();
    let page = project.read("pages/2026-11-02-scale.html");
    assert!(page.starts_with("<!doctype html>\n<title>Performance Audit") && !page.contains("<script"), "{page}");
    project
        .run("generate scale --template-file htm=x")
        .ends(2, "no template is called \"htm\"; did you mean \"html\"?");
}

#[test]
fn lint_names_file_line_and_the_nearest_name_of_every_mistake() {
    let project = project(
        &[
            ("my/audit.hbs", "# {{title}}\n\n{{#if titel}}x{{/if}}\n"),
            ("my/html.hbs", "{{title}}\n{{#each sections}}{{#section \"stals\"}}x{{/section}}{{/each}}\n"),
        ],
        "[templates]\naudit = \"my/audit.hbs\"\nhtml = \"my/html.hbs\"\n",
    );
    let run = project.run("lint");
    for part in [
        "template audit, line 3, column 1: unknown name \"titel\"; did you mean \"title\"?",
        "in my/audit.hbs",
        "template audit.html, line 2, column 19: unknown section \"stals\"; did you mean \"stalls\"?",
        "in my/html.hbs",
    ] {
        run.ends(2, part);
    }
    project.run("generate scale").ends(2, "in my/audit.hbs");
}

#[test]
fn lint_finds_partials_that_nothing_includes() {
    let project = project(&[("t/partials/mine.md.hbs", "{{title}}")], "");
    project.run("lint --templates t").ends(1, "no page includes the partial \"partials/mine\"");
}

#[test]
fn the_configuration_is_checked_at_its_line() {
    let known = project(&[("my/pr.hbs", PR)], "[templates]\nprr = \"my/pr.hbs\"\n");
    known.run("lint").ends(2, "did you mean \"pr\"?");
    let absent = project(&[], "[templates]\npr = \"my/pr.hbs\"\n");
    absent.run("lint").ends(3, "audit.toml:9");
    let report = project(&[], "[[subject]]\nname = \"b\"\nreport = \"absent.csv\"\n");
    report.run("lint").ends(3, "absent.csv does not exist");
}

#[test]
fn instructions_that_no_chip_has_are_found_before_anything_runs() {
    for (check, says) in [
        ("sass = \"BARR\"", "near names: BAR,"),
        ("sequence = [\"LDG\", \"FFMAA*4\"]", "FFMAA is not a known"),
        ("sass = \"zzzzzz\"", "audit.toml:9"),
    ] {
        let project = project(&[], &format!("[[subject.check]]\n{check}\n"));
        project.run("lint").ends(2, says);
    }
    for known in ["BAR.SYNC", "__syncthreads", "tcgen05.ld", "conversion"] {
        let project = project(&[], &format!("[[subject.check]]\nsass = \"{known}\"\n"));
        project.run("lint").done();
    }
}

/// Every section of a page in front of every other, each on a line of its own.
#[test]
fn sections_may_stand_in_any_order() {
    let made = committed::snapshot("2026-11-20-gemm_bias");
    let document = view::document(&made.heading, &made.audit());
    let names: Vec<&str> = document.sections.iter().map(|section| section.name.as_str()).collect();
    assert!(names.contains(&"provenance") && names.len() > 8, "{names:?}");
    let folder = tempfile::tempdir().unwrap();
    for one in &names {
        for other in names.iter().filter(|other| *other != one) {
            let template = format!("# {{{{title}}}}\n\n{{{{section {one:?}}}}}\n{{{{section {other:?}}}}}\n");
            fs::write(folder.path().join("audit.md.hbs"), template).unwrap();
            let page = Templates::load(Some(folder.path())).unwrap().page("audit", &document);
            assert!(page.is_ok(), "{one}, {other}: {}", page.unwrap_err());
        }
    }
}

#[test]
fn the_names_that_templates_may_use_are_listed() {
    let project = Project::new();
    let text = project.run("explain view").done();
    for name in ["  sections ", "{{section \"NAME\"}}", "  stalls\n", "waits-lines", "speed-of-light"] {
        assert!(text.contains(name), "{name} is missing in {text}");
    }
}

/// The sections and blocks of a document, as templates call them.
fn names_of(document: &Document) -> Vec<String> {
    fn add(section: &str, blocks: &[Block], into: &mut Vec<String>) {
        for block in blocks {
            into.push(format!("{section}.{}", block.name));
            if let Content::Fold { blocks, .. } = &block.content {
                add(section, blocks, into);
            }
        }
    }
    let mut all = Vec::new();
    document.every_section().for_each(|section| add(&section.name, &section.blocks, &mut all));
    all
}

#[test]
fn every_block_of_a_page_is_in_the_list_of_names_and_every_name_is_of_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known: Vec<String> = names::blocks().collect();
    for Judged { path, made, audit } in committed::audits() {
        for name in names_of(&view::document(&made.heading, audit)) {
            assert!(known.contains(&name), "{name} of {}", path.display());
        }
    }
    let mut said = fs::read_to_string(root.join("crates/kernel-judgement/src/catalog/tables.toml")).unwrap();
    for folder in ["src/view", "src/view/brief", "src/view/code", "src/view/charts", "src/render/html"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && !path.ends_with("names.rs") {
                said += &fs::read_to_string(path).unwrap();
            }
        }
    }
    for (section, blocks) in names::NAMES {
        for name in blocks.iter().chain([section]) {
            assert!(said.contains(&format!("{name:?}")), "nothing is called {name}");
        }
    }
}

#[test]
fn metrics_that_no_chip_has_are_found_before_anything_runs() {
    let keys = "[subject.collect]\nextra = [\"dram__bytes.summ\"]\n";
    project(&[], keys).run("lint").ends(2, "dram__bytes.summ");
    let expect =
        "[[subject.expect]]\nmetric = \"sm__throughputt.avg.pct_of_peak_sustained_elapsed\"\nop = \"<\"\nvalue = 5.0\n";
    project(&[], expect).run("lint").ends(2, "sm__throughputt");
}
