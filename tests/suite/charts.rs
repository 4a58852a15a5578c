//! Charts: what is drawn, the files beside the page, and that data cannot act inside them.

use super::project::{Profile, Project, audit};
use kernel_audit::render::{Templates, svg};
use kernel_audit::view::charts::{
    Axis, Bar, BarRow, Bars, CHARTS, Chart, Curve, Figure, Mark, Plot, Shade, Shape, Tick,
};
use kernel_audit::view::{Block, Content, Document, Section};
use std::fs;
use std::path::Path;

/// A chart whose every text is `text`.
pub(crate) fn sample(text: &str) -> Chart {
    let word = || text.to_owned();
    let bar = |value| Bar { shade: Shade::Old, value, text: word() };
    let bars = Bars {
        legend: vec![(Shade::Old, word()), (Shade::New, word())],
        is_stacked: false,
        until: 10.0,
        ticks: vec![Tick { at: 0.0, text: word() }],
        rows: vec![BarRow { label: word(), bars: vec![bar(3.0), bar(12.0)] }],
    };
    Chart {
        id: "stalls".into(),
        title: word(),
        subtitle: word(),
        message: word(),
        file: "2026-11-20-x/stalls.svg".into(),
        figure: Figure::Bars(bars),
    }
}

fn plotted(text: &str) -> Chart {
    let word = || text.to_owned();
    let axis = |is_log| Axis {
        title: word(),
        is_log,
        from: 1.0,
        until: 100.0,
        ticks: vec![Tick { at: 1.0, text: word() }, Tick { at: 10.0, text: word() }],
    };
    let curve = Curve { shade: Shade::Bound, label: word(), points: vec![(1.0, 1.0), (100.0, 100.0)], is_dashed: true };
    let mark = |shape| Mark { shade: Shade::New, shape, x: 10.0, y: 10.0, label: word(), legend: word() };
    let marks = [Shape::Disc, Shape::Square, Shape::Triangle, Shape::Diamond].map(mark).to_vec();
    let figure = Figure::Plot(Plot { x: axis(true), y: axis(false), curves: vec![curve], marks });
    Chart { figure, ..sample(text) }
}

/// The elements of a drawing in order of opening; fails where they do not nest or an attribute has no quotes.
fn elements(svg: &str) -> Vec<String> {
    let (mut all, mut open): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').map(|end| at + end).expect("every tag ends");
        let tag = &rest[at + 1..end];
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "{svg}"),
            None => {
                let name: String = tag.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
                assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
                if !tag.ends_with('/') {
                    open.push(name.clone());
                }
                all.push(name);
            }
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} is left open");
    all
}

#[test]
fn data_stays_text_in_a_drawing() {
    let nasty = "</text><script>alert(1)</script>\" onload=\"x&amp;\u{0}";
    for make in [sample, plotted] {
        let drawn = svg::file(&make(nasty));
        assert_eq!(elements(&drawn), elements(&svg::file(&make(&"x".repeat(nasty.len())))), "{drawn}");
        assert!(!drawn.contains("<script") && drawn.contains("&lt;script&gt;"), "{drawn}");
        assert!(!drawn.contains('\u{0}'), "a drawing is XML");
    }
}

#[test]
fn a_drawing_says_itself_in_words_and_follows_the_readers_scheme() {
    let drawn = svg::file(&plotted("some words"));
    for part in [
        "role=\"img\" aria-labelledby=\"stalls-title stalls-desc\"",
        "<title id=\"stalls-title\">some words</title>",
        "<desc id=\"stalls-desc\">some words</desc>",
        "prefers-color-scheme:dark",
        "xmlns=\"http://www.w3.org/2000/svg\"",
    ] {
        assert!(drawn.contains(part), "{part} is missing in {drawn}");
    }
    assert_eq!(drawn, svg::file(&plotted("some words")));
    assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
}

#[test]
fn a_page_that_loses_a_chart_is_rejected() {
    let block = Block { name: "chart".into(), content: Content::Chart(Box::new(sample("a [b](c)"))) };
    let document =
        Document { title: "T".into(), sections: vec![Section::new("stalls", "S", vec![block])], ..Document::default() };
    let page = Templates::load(None).unwrap().page("audit", &document).unwrap();
    assert!(page.contains("![a \\[b\\](c)](2026-11-20-x/stalls.svg)"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("audit.md.hbs"), "<details>\n{{section \"stalls\"}}\n</details>\n").unwrap();
    let error = Templates::load(Some(folder.path())).unwrap().page("audit", &document).unwrap_err().to_string();
    assert!(error.contains("heading 1: expected \"S\""), "{error}");
}

/// Files of a folder by name.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The charts of a fixture's audit: (file name, text).
fn charts_of(words: &[&str]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let all: Vec<&str> = ["generate", "--template", "full", "--out", out, "--date", "2026-11-20", "--name", "x"]
        .into_iter()
        .chain(words.iter().copied())
        .collect();
    let run = audit(Path::new(env!("CARGO_MANIFEST_DIR"))).args(&all).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let printed = String::from_utf8(run.stdout).unwrap();
    let page = fs::read_to_string(folder.path().join("2026-11-20-x.md")).unwrap();
    let folder = folder.path().join("2026-11-20-x");
    names(&folder)
        .into_iter()
        .map(|name| {
            assert!(page.contains(&format!("](2026-11-20-x/{name})")), "the page does not show {name}");
            assert!(printed.contains(&name), "{name} was not printed");
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            (name, text)
        })
        .collect()
}

#[test]
fn charts_of_a_comparison() {
    let words = [
        "--report",
        "tests/fixtures/h200/gemm_bias_v2.ncu-repz",
        "--baseline",
        "tests/fixtures/h200/gemm_bias_v1.ncu-repz",
        "--kernel",
        "^gemm_bias",
    ];
    let charts = charts_of(&words);
    let found: Vec<&str> = charts.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "memory.svg",
        "occupancy-registers.svg",
        "occupancy-shared-memory.svg",
        "over-time.svg",
        "phases.svg",
        "roofline.svg",
        "speed-of-light.svg",
        "stalls.svg",
    ];
    assert_eq!(found, expected);
    for (name, text) in &charts {
        assert!(CHARTS.contains(&name.trim_end_matches(".svg")), "{name}");
        assert!(text.len() < 40_000, "{name} has {} bytes", text.len());
        elements(text);
    }
    // The numbers are those of the units: ncu shows 89.67 and 96.02 for the memory number of the two reports.
    let of = |chart: &str| charts.iter().find(|(name, _)| name == chart).map(|(_, text)| text.as_str()).unwrap();
    let sol = of("speed-of-light.svg");
    assert!(sol.contains(">89.7 %<") && sol.contains(">96.0 %<"), "{sol}");
    assert!(of("occupancy-registers.svg").contains("above 32 only 32"));
    // What L2 sent, with its hit rate on both sides.
    let memory = of("memory.svg");
    assert!(memory.contains(">533 MB, ") && memory.contains(">534 MB, 94.0 % hit in L2<"), "{memory}");
    assert_eq!(charts, charts_of(&words), "the same input gives the same bytes");
}

#[test]
fn history_is_drawn_from_the_third_audit_on() {
    let project = Project::new();
    project.audit("2026-11-01", Profile::steady(100_000.0));
    project.audit("2026-11-02", Profile::steady(80_000.0));
    assert!(!project.path("pages/2026-11-02-scale/history.svg").exists());
    project.audit("2026-11-03", Profile::steady(60_000.0));
    let drawn = project.read("pages/2026-11-03-scale/history.svg");
    assert!(drawn.contains(">2026-11-01<") && drawn.contains(">2026-11-03<"), "{drawn}");
    let page = project.read("pages/2026-11-03-scale.md");
    assert!(page.contains("](2026-11-03-scale/history.svg)"), "{page}");
    assert_eq!(project.run("history scale --format svg --out pages").done(), drawn);
    project.run("history scale --format svg --out again").ends(2, "no snapshot");
    // The page of a snapshot has the same charts.
    project.run("render --template full pages/2026-11-03-scale.json --out again").done();
    assert_eq!(project.read("again/2026-11-03-scale/history.svg"), drawn);
    assert_eq!(project.read("again/2026-11-03-scale.md"), page);
}

#[test]
fn charts_can_be_left_out_and_stale_ones_go() {
    let project = Project::new();
    for day in 1..=3 {
        project.audit(&format!("2026-11-0{day}"), Profile::steady(100_000.0 + f64::from(day)));
    }
    assert_eq!(names(&project.path("pages/2026-11-03-scale")), ["history.svg"]);
    project.run("generate scale --date 2026-11-03 --no-charts").done();
    assert!(!project.path("pages/2026-11-03-scale").exists(), "a chart that no page shows is removed");
    let page = project.read("pages/2026-11-03-scale.md");
    assert!(!page.contains("!["), "{page}");
    assert!(page.contains(" --no-charts"), "the command that makes it again says so");
    // The snapshot knows it too.
    project.run("render --template full pages/2026-11-03-scale.json --out again").done();
    assert_eq!(project.read("again/2026-11-03-scale.md"), page);
    let config = project.read("audit.toml").replace("[audit]\n", "[audit]\ncharts = false\n");
    fs::write(project.path("audit.toml"), config).unwrap();
    project.audit("2026-11-04", Profile::steady(100_009.0));
    assert!(!project.read("pages/2026-11-04-scale.md").contains("!["));
}
