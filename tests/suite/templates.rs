//! Templates of the user's own, by name, and `audit lint`.

use super::project::{Profile, Project};
use std::fs;

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

const PR: &str = "## {{title}}\n\nOurs.\n\n{{#each sections}}\n### {{title}}\n\n{{> partials/blocks}}\n{{/each}}\n";

#[test]
fn a_template_of_ones_own_takes_the_place_of_the_one_it_is_named_for() {
    let project = project(
        &[("my/pr.hbs", PR), ("my/text.hbs", "> {{text}}\n\n")],
        "[templates]\npr = \"my/pr.hbs\"\n\"partials/text\" = \"my/text.hbs\"\n",
    );
    let text = project.run("generate scale --format pr --date 2026-11-02").done();
    assert!(
        text.starts_with("<!-- audit:pull-request -->\n## Performance audit") && text.contains("\nOurs.\n"),
        "the marker is not the template's: {text}"
    );
    assert!(text.contains("\n> **What limits it**"), "{text}");
    let lint = project.run("lint").done();
    assert!(lint.contains("pr: my/pr.hbs") && lint.contains("partials/text: my/text.hbs"), "{lint}");
    assert!(lint.contains("audit.toml: 1 subjects"), "{lint}");
}

#[test]
fn the_html_page_has_a_name_too_and_a_flag_does_the_same() {
    let html = "<!doctype html>\n<title>{{title}}</title>\n<h1>{{title}}</h1>\n{{#each sections}}\n<h2>{{title}}</h2>\n{{> partials/blocks.html}}\n{{/each}}\n";
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
            ("my/html.hbs", "{{title}}\n{{#each sections}}{{#if blocs}}x{{/if}}{{/each}}\n"),
        ],
        "[templates]\naudit = \"my/audit.hbs\"\nhtml = \"my/html.hbs\"\n",
    );
    let run = project.run("lint");
    for part in [
        "template audit, line 3, column 1: unknown name \"titel\"; did you mean \"title\"?",
        "in my/audit.hbs",
        "template audit.html, line 2, column 19: unknown name \"blocs\"; did you mean \"blocks\"?",
        "in my/html.hbs",
    ] {
        run.ends(2, part);
    }
    project.run("generate scale").ends(2, "in my/audit.hbs");
}

#[test]
fn names_of_markdown_are_not_those_of_html() {
    let project =
        project(&[("t/audit.html.hbs", "{{title}}{{#each sections}}{{#each blocks}}{{lines}}{{/each}}{{/each}}")], "");
    project.run("lint --templates t").ends(2, "unknown name \"lines\"");
}

#[test]
fn lint_finds_partials_that_nothing_includes() {
    let project = project(&[("t/partials/mine.md.hbs", "{{anything}}")], "");
    project.run("lint --templates t").ends(1, "no page includes the partial \"partials/mine\"");
}

#[test]
fn the_configuration_is_checked_at_its_line() {
    let known = project(&[("my/pr.hbs", PR)], "[templates]\nprr = \"my/pr.hbs\"\n");
    known.run("lint").ends(2, "did you mean `pr`?");
    let absent = project(&[], "[templates]\npr = \"my/pr.hbs\"\n");
    absent.run("lint").ends(3, "audit.toml:8");
    let report = project(&[], "[[subject]]\nname = \"b\"\nreport = \"absent.csv\"\n");
    report.run("lint").ends(3, "absent.csv does not exist");
}

#[test]
fn the_names_that_templates_may_use_are_listed() {
    let project = Project::new();
    let text = project.run("explain view").done();
    for name in
        ["sections[].title", "table: lines", "table: rows[].cells[].html", "source.files[].lines[]", "chart: svg"]
    {
        assert!(text.contains(name), "{name} is missing in {text}");
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
