//! Reports of several kernels: the page of one says of each other what a page about that one alone says.

use crate::labelled::report_of;
use crate::page;
use crate::project::{Profile, Project, csv};
use kernel_audit::analysis::{
    self, Audit, Bottleneck, Evidence, Lever, LeverOrigin, Limits, Reduction, Selection, Work,
};
use kernel_audit::evidence::{Origin, Report, SourceView, Value, Want};
use kernel_audit::render::{Templates, terminal};
use kernel_audit::snapshot::Snapshot;
use kernel_audit::source::{self, ncu_csv};
use kernel_audit::view::{self, Entry, Heading};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
}

/// A report with each kernel of each launch by instruction.
fn read(path: &Path) -> (Report, Vec<SourceView>) {
    let report = source::read_profile(path, &analysis::want()).unwrap();
    let launches = analysis::subject_launches(&report, &Selection::default()).unwrap();
    let ids: Vec<u32> = launches.iter().map(|launch| launch.id).collect();
    let want = analysis::source_want(&launches);
    let views = source::read_source_views(path, &want, |head| ids.contains(&head.id), &[]).unwrap();
    (report, views)
}

/// Kernels that were profiled one by one: tensor products, spills, transposes, dependent loads.
const KERNELS: [&str; 12] = [
    "patch_embed_gemm",
    "patch_embed_gemm_mma",
    "spilling",
    "transpose_naive",
    "strided_copy",
    "pointer_chase",
    "divergent",
    "stream_triad",
    "fp64_bound",
    "bank_conflict",
    "tiny_grid",
    "atomics",
];

/// One report of some of them.
fn program(names: &[&str]) -> (Report, Vec<SourceView>) {
    let mut whole: Option<(Report, Vec<SourceView>)> = None;
    for name in names {
        let (report, views) = read(&report_of(name));
        let (all, seen) = whole.get_or_insert_with(|| (Report { launches: Vec::new(), ..report.clone() }, Vec::new()));
        for launch in &report.launches {
            let id = all.launches.len() as u32;
            let own = views.iter().filter(|view| view.launch == launch.id).cloned();
            seen.extend(own.map(|view| SourceView { launch: id, ..view }));
            all.launches.push(kernel_audit::evidence::Launch { id, ..launch.clone() });
        }
    }
    whole.unwrap()
}

/// The audits of every kernel of a report by itself, and of the first with the others beside it.
fn audits(report: &Report, views: &[SourceView]) -> (Vec<Audit>, Evidence) {
    let (work, limits) = (Work::default(), Limits::default());
    let with = Reduction { source: views, work: &work, limits: &limits };
    let kernels = analysis::Profile::chosen(report, None, &with).unwrap();
    let first = kernels[0].clone().beside_others(report, &with);
    let one = |kernel| analysis::audit(&Evidence::of(kernel).made_public(), &limits);
    (kernels.into_iter().map(one).collect(), Evidence::of(first).made_public())
}

/// A verdict without the walk to it, whose readings know the spread of their launches.
fn concluded(bottleneck: &Bottleneck) -> Bottleneck {
    Bottleneck { steps: Vec::new(), ..bottleneck.clone() }
}

fn ours(levers: &[Lever]) -> Vec<&Lever> {
    levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit).collect()
}

/// Holds what is said of the other kernels against their own audits; how many there are.
pub(crate) fn hold(report: &Report, views: &[SourceView], what: &str) -> usize {
    let (alone, evidence) = audits(report, views);
    let audit = analysis::audit(&evidence, &Limits::default());
    for other in &audit.report.others {
        let (own, name) = (&alone[other.at], alone[other.at].now.artefact.kernel.short_name());
        assert_eq!(audit.report.kernels[other.at].kernel, own.now.artefact.kernel, "{what}");
        assert_eq!(concluded(&other.bottleneck), concluded(&own.now.bottleneck), "{what}: {name}");
        assert_eq!(ours(&other.levers), ours(&own.now.levers), "{what}: {name}");
    }
    let matter = |kernel: &&analysis::OtherKernel| !kernel.is_subject && kernel.share.is_none_or(|share| share >= 3.0);
    assert_eq!(audit.report.others.len(), audit.report.kernels.iter().filter(matter).count().min(7), "{what}");
    audit.report.others.len()
}

#[test]
fn what_is_said_of_another_kernel_is_what_its_own_page_says() {
    let (report, views) = program(&KERNELS);
    assert!(hold(&report, &views, "the program") >= 5);
    // Their series over the launch count as well.
    let (sampled, codes) = program(&["spilling", "moments_then_orbits"]);
    assert_eq!(hold(&sampled, &codes, "sampled over time"), 1);
    let evidence = audits(&report, &views).1;
    let others = &evidence.new.profile.as_ref().unwrap().others;
    assert!(others.iter().all(|other| other.instructions.is_some()), "the verdicts rest on the code as well");
    let audit = analysis::audit(&evidence, &Limits::default());
    let codes: BTreeSet<_> = audit.report.others.iter().map(|other| other.bottleneck.limiter).collect();
    assert!(codes.len() >= 4, "{codes:?}");
}

/// Every launch takes the same time, so that each of `n` kernels takes one n-th of it.
fn evened((mut report, views): (Report, Vec<SourceView>)) -> (Report, Vec<SourceView>) {
    for metric in report.launches.iter_mut().flat_map(|launch| launch.metrics.iter_mut()) {
        if &*metric.name == "gpu__time_duration.sum" {
            metric.value = Some(Value::F64(1e6));
        }
    }
    (report, views)
}

/// The page of an audit in Markdown.
fn page_of(audit: &Audit) -> String {
    let heading = Heading { subject: "step".into(), date: "2026-01-01".into(), ..Heading::default() };
    crate::project::loose(
        &Templates::load(None).unwrap().marked_page("audit", &view::document(&heading, audit)).unwrap().text,
    )
}

/// The rows of the table of actions that follows a heading.
fn actions(page: &str, heading: &str) -> Vec<String> {
    let start = page.find(heading).unwrap_or_else(|| panic!("no {heading} in {page}")) + heading.len();
    let end = page[start..].find("\n#").map_or(page.len(), |end| start + end);
    let is_action =
        |line: &&str| line.starts_with("| ") && line[2..].trim_start().starts_with(|c: char| c.is_ascii_digit());
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    page[start..end].lines().filter(is_action).map(squeezed).collect()
}

#[test]
fn a_tenth_of_the_time_is_worth_verdict_and_next_in_the_words_of_its_own_page() {
    let (report, views) = evened(program(&KERNELS[2..7]));
    let (alone, evidence) = audits(&report, &views);
    let audit = analysis::audit(&evidence, &Limits::default());
    let page = page_of(&audit);
    assert_eq!(page::faults(&page, page::SEVERAL), Vec::<String>::new(), "{page}");
    assert!(page.contains(" % of the time of the 5 kernels of the report"), "{page}");
    assert!(page.contains(", 5.000 ms in all"), "{page}");
    let heading = Heading { subject: "step".into(), ..Heading::default() };
    let entry = Entry { heading: &heading, audit: Some(&audit), page: "step.md".into(), link: String::new() };
    let templates = Templates::load(None).unwrap();
    let comment =
        crate::project::loose(&view::comment(&[entry], None, |document| templates.page("pr", document)).unwrap());
    let mut shown = Vec::new();
    terminal::print(&view::document(&heading, &audit).first_screen(), 10_000, &mut shown).unwrap();
    let shown = String::from_utf8(shown).unwrap();
    let bare = |text: &str| text.replace("**", "").replace('`', "").replace("\x1b[1m", "").replace("\x1b[0m", "");
    let (comment, shown) = (bare(&comment), bare(&shown));
    let mut said = 0;
    for other in &audit.report.others {
        let (own, name) = (&alone[other.at], audit.report.kernels[other.at].kernel.short_name());
        let heading = format!("### {name}: 20.0 % of the time");
        let block = page.split(&heading).nth(1).unwrap_or_else(|| panic!("no {heading} in {page}"));
        let block = block.split("\n#").next().unwrap();
        assert!(block.trim_end().lines().count() <= 20, "{block}");
        let verdict = block.lines().find(|line| line.starts_with("**")).unwrap();
        let first = verdict.split(" Confidence:").next().unwrap();
        assert!(comment.contains(&bare(verdict)), "{verdict} in {comment}");
        assert!(shown.contains(&bare(verdict)), "{verdict} in {shown}");
        let own = page_of(own);
        assert!(own.lines().any(|line| line.starts_with(first)), "{first} in {own}");
        let (rows, of_own) = (actions(&page, &heading), actions(&own, "## Next"));
        assert_eq!(rows, of_own[..rows.len()], "{name}");
        assert_eq!(rows.len(), of_own.len().min(3), "{name}");
        said += rows.len();
    }
    assert!(said >= 4, "{said}");
}

#[test]
fn where_there_is_no_room_the_smallest_kernels_are_named_with_what_prints_them() {
    let (report, views) = evened(program(&KERNELS[..8]));
    let audit = analysis::audit(&audits(&report, &views).1, &Limits::default());
    let page = page_of(&audit);
    assert_eq!(page::faults(&page, page::SEVERAL), Vec::<String>::new(), "{page}");
    let left = page.lines().find(|line| line.starts_with("Left out for room: ")).unwrap();
    assert!(
        left.contains("instruction counts, build and occupancy, memory of `patch_embed_gemm` (in the full"),
        "{left}"
    );
    assert!(!page.contains("## Instruction") && page.contains("## Warp stalls"), "{page}");
    let all: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && line.contains("12.5")).collect();
    assert!(all.len() >= 8, "every kernel has its row: {page}");
    let told = audit.report.others.iter().map(|other| audit.report.kernels[other.at].kernel.short_name());
    let (with, without): (Vec<&str>, Vec<&str>) = told.partition(|name| page.contains(&format!("### {name}: 12.5 %")));
    assert!(!with.is_empty() && !without.is_empty(), "{page}");
    assert!(without.iter().all(|name| left.contains(&format!("`{name}` (12.5 %)"))), "{left}");
    assert!(left.contains(&format!("`audit generate --kernel {}`", without[0])), "{left}");
}

#[test]
fn kernels_of_which_the_same_holds_share_their_words() {
    let kernel = |kernel, ns: f64| Profile { kernel, ..Profile::steady(ns) };
    let text = csv(&[kernel("one", 90_000.0), kernel("two", 80_000.0), kernel("tiny", 3_000.0)]);
    let report = ncu_csv::read(text.as_bytes(), Origin::default(), &Want::everything()).unwrap();
    let page = page_of(&analysis::audit(&audits(&report, &[]).1, &Limits::default()));
    assert!(page.contains("Verdict and Next of this page hold for `two` (46.2 %) as well."), "{page}");
    assert!(!page.contains("### two") && !page.contains("### tiny"), "{page}");
}

#[test]
fn launches_that_differ_are_one_kernel_by_their_medians() {
    let kernel = |kernel, ns: f64, grid| Profile { kernel, grid, ..Profile::steady(ns) };
    let text = csv(&[kernel("wide", 90_000.0, "(64, 1, 1)"), kernel("long", 50_000.0, "(640, 1, 1)")]);
    let report = ncu_csv::read(text.as_bytes(), Origin::default(), &Want::everything()).unwrap();
    assert_eq!(hold(&report, &[], "a page of text"), 1);
}

#[test]
fn a_snapshot_says_again_what_the_page_said_of_every_kernel_and_stays_small() {
    let (report, views) = program(&KERNELS);
    let evidence = audits(&report, &views).1;
    let audit = analysis::audit(&evidence, &Limits::default());
    let heading = Heading { subject: "step".into(), date: "2026-01-01".into(), ..Heading::default() };
    let bytes = Snapshot::new(heading.clone(), evidence.clone(), &audit).to_json().unwrap();
    assert!(bytes.len() < 128 * 1024, "{}", bytes.len());
    let read = Snapshot::parse(Path::new("x.json"), &bytes).unwrap();
    assert!(read.evidence == evidence.clone().kept(&audit));
    assert!(read.audit() == audit);
    let page = crate::project::loose(
        &Templates::load(None).unwrap().marked_page("audit", &view::document(&heading, &audit)).unwrap().text,
    );
    assert_eq!(page::faults(&page, page::SEVERAL), Vec::<String>::new(), "{page}");
    // A place that the list of kernels does not have says nothing.
    let mut spoilt = evidence;
    spoilt.new.profile.as_mut().unwrap().others[0].at = 99;
    assert_eq!(analysis::audit(&spoilt, &Limits::default()).report.others.len(), audit.report.others.len() - 1);
}

/// The cells of the row of a table that names something.
fn row(page: &str, name: &str) -> Vec<String> {
    let line = page.lines().find(|line| line.starts_with("| ") && line.contains(name));
    let line = line.unwrap_or_else(|| panic!("no row of {name} in {page}"));
    let cells = line.trim_start_matches("| ").trim_end_matches('|');
    cells.split(" | ").map(|cell| cell.trim().replace("**", "")).collect()
}

#[test]
fn the_flags_of_a_row_write_the_page_that_the_row_sums_up() {
    let project = Project::new();
    for name in ["both_basic", "multiprocess"] {
        let report = fixtures().join(format!("h200/{name}.ncu-repz"));
        let report = report.to_str().unwrap();
        let go = |words: &[&str]| {
            let printed = project.words(&[&["generate", "--report", report, "--date", "2026-01-01"], words].concat());
            project.read(printed.done().lines().next().unwrap())
        };
        let page = go(&["--name", name]);
        let kernels = |page: &str| page[page.find("## Kernels of").unwrap()..].to_owned();
        let other = row(&kernels(&page), "`gemm_bias_v2`");
        assert!(page.contains("`audit generate --kernel FUNCTION` writes a kernel's own page."), "{page}");
        let own = go(&["--name", "own", "--kernel", "gemm_bias_v2"]);
        assert!(own.contains("`gemm_bias_v2` · H200"), "{own}");
        let verdict = own.lines().skip_while(|line| *line != "## Verdict").nth(1).unwrap().replace("**", "");
        assert!(verdict.starts_with(&other[4]), "{} against {verdict}", other[4]);
        let (unit, share) = other[5].rsplit_once(' ').unwrap();
        let told = own.split_once(&format!("The {unit} is at ")).and_then(|(_, rest)| rest.split_once(" % of peak"));
        let told: f64 = told.expect("the busiest unit").0.parse().unwrap();
        assert!((told - share.parse::<f64>().unwrap()).abs() <= 0.5, "{} in {own}", other[5]);
        let next = row(&own[own.find("## Next").unwrap()..], " 1 ");
        assert!(other[6] == next[2] && next[3].ends_with(other[7].as_str()), "{other:?} {next:?}");
        // The page of the other is of the same program, and says the same of this one.
        assert_eq!(row(&kernels(&page), "`gemm_bias_v1`")[..9], row(&kernels(&own), "`gemm_bias_v1`")[..9]);
        // Without samples by instruction the function is the place.
        assert_eq!(next[1], "`gemm_bias_v2`");
    }
}

#[test]
fn small_kernels_share_a_row_and_nobody_reads_them() {
    let names: [&'static str; 12] = ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11"];
    let kernel = |(at, kernel): (usize, &'static str)| {
        let ns = if at < 2 { 400_000.0 } else { 20_000.0 };
        Profile { kernel, launches: vec![(ns, 2.0 * ns)], ..Profile::default() }
    };
    let profiles: Vec<Profile> = names.into_iter().enumerate().map(kernel).collect();
    let text = csv(&profiles);
    let report = ncu_csv::read(text.as_bytes(), Origin::default(), &Want::everything()).unwrap();
    let mut rows: Vec<u32> = analysis::page_rows(&report, &Selection::default()).into_iter().collect();
    rows.sort_unstable();
    assert_eq!(rows, [0, 1], "two kernels of 40 %, ten of 2 %");
    let small = Selection { kernel: Some(regex::Regex::new("k7").unwrap()), ..Selection::default() };
    assert_eq!(analysis::page_rows(&report, &small).len(), 3);

    let project = Project::new();
    project.report("new.csv", &profiles);
    let words = ["generate", "--report", "new.csv", "--name", "x", "--date", "2026-01-01"];
    let page = project.read(project.words(&words).done().lines().next().unwrap());
    assert!(
        page.contains(" · 40.0 % of the time of the 12 kernels of the report, 1.000 ms in all (7 take 90.0 %)\\\n"),
        "{page}"
    );
    assert_eq!(row(&page, "10 more")[..4], ["10 more", "10", "", "20.0"]);
    assert!(!page.contains("`k2`"), "{page}");
    // One more has a name.
    project.report("new.csv", &profiles[..3]);
    let page = project.read(project.words(&words).done().lines().next().unwrap());
    assert_eq!(row(&page, "`k2`")[..4], ["`k2`", "1", "20.0 µs", "2.44"]);
}

#[test]
fn the_part_of_all_is_the_share_times_the_ceiling() {
    let (report, views) = program(&KERNELS[..4]);
    let audit = analysis::audit(&audits(&report, &views).1, &Limits::default());
    let heading = Heading { subject: "step".into(), date: "2026-01-01".into(), ..Heading::default() };
    let page = crate::project::loose(
        &Templates::load(None).unwrap().page("audit", &view::document(&heading, &audit)).unwrap(),
    );
    let number = |text: &str| -> Option<f64> { text.rsplit("≤ ").next()?.split(' ').next()?.parse().ok() };
    let table = &page[page.find("## Kernels of").unwrap()..];
    let mut parts = Vec::new();
    for kernel in &audit.report.kernels {
        let name = format!("`{}`", kernel.kernel.short_name());
        let (cells, share) = (row(table, &name), kernel.share.unwrap());
        assert!((number(&cells[3]).unwrap() - share).abs() < 0.06, "{cells:?}");
        let (ceiling, part) = (number(&cells[7]).unwrap(), number(&cells[8]).unwrap());
        assert!((share * ceiling / 100.0 - part).abs() < 0.11, "{cells:?}");
        parts.push((part, name));
    }
    let (part, name) = parts.iter().max_by(|(a, _), (b, _)| a.total_cmp(b)).unwrap();
    assert!(table.contains(&format!("**Most to gain:** ≤ {part:.1} % of the total, in {name}.")), "{table}");
}

#[test]
fn shapes_of_one_kernel_are_told_apart_by_their_grid() {
    let shape = |grid, ns| Profile { kernel: "map", grid, launches: vec![(ns, 2.0 * ns)], ..Profile::default() };
    let project = Project::new();
    project.report("new.csv", &[shape("(64, 1, 1)", 50_000.0), shape("(640, 1, 1)", 40_000.0)]);
    let go = |words: &[&str]| {
        let first = ["generate", "--report", "new.csv", "--name", "x", "--date", "2026-01-01"];
        project.read(project.words(&[&first, words].concat()).done().lines().next().unwrap())
    };
    let page = go(&[]);
    let (first, other) = (row(&page, "(64, 1, 1)"), row(&page, "(640, 1, 1)"));
    assert_eq!((first[1].as_str(), first.last().unwrap().as_str()), ("(64, 1, 1)", ""));
    let flags = other.last().unwrap().trim_matches('`');
    assert_eq!(flags, "--kernel map --grid 640,1,1");
    let own = go(&flags.split(' ').collect::<Vec<_>>());
    assert!(own.contains("**40.0 µs under ncu**"), "{own}");
}

#[test]
fn of_shapes_of_one_kernel_the_stated_launch_is_the_subject() {
    let project = Project::new();
    let small = || Profile { grid: "(8, 1, 1)", ..Profile::steady(10_000.0) };
    let other = || Profile { kernel: "other", ..Profile::steady(40_000.0) };
    project.report("new.csv", &[other(), Profile::steady(100_000.0), small()]);
    let config = project.read("audit.toml") + "kernel = \"^scale$\"\n";
    let launch = |grid: u32| {
        format!(
            "[subject.launch]\ngrid = {grid}\nblock = 128\nargs = [{{ name = \"n\", dtype = \"u32\", value = 8 }}]\n"
        )
    };
    let page = |stated: &str| {
        fs::write(project.path("audit.toml"), format!("{config}{stated}")).unwrap();
        let _ = fs::remove_dir_all(project.path("pages"));
        let made = project.run("generate scale --date 2026-01-01");
        let files = fs::read_dir(project.path("pages")).unwrap().count();
        (made.done(), files, made.err())
    };
    let time = |said: &str| said.split(&[':', ','][..]).nth(1).unwrap_or_default().trim().to_owned();
    // The most device time, the stated shape, and one that the report does not hold.
    for (stated, expected) in [(String::new(), "100.50 µs"), (launch(8), "10.05 µs"), (launch(9), "100.50 µs")] {
        let (_, files, said) = page(&stated);
        assert_eq!((time(&said).as_str(), files), (expected, 3), "{said}");
    }
    // Other kernels of the report stay on the page.
    page(&launch(8));
    assert!(project.read("pages/2026-01-01-scale.md").contains("`other`"));
}

#[test]
fn what_every_reader_gets_is_the_same() {
    let project = Project::new();
    let report = fixtures().join("h200/both_basic.ncu-repz");
    fs::copy(&report, project.path("new.ncu-repz")).unwrap();
    fs::write(project.path("audit.toml"), "[[subject]]\nname = \"x\"\nreport = \"new.ncu-repz\"\n").unwrap();
    let path = project.run("generate x --date 2026-01-01").done();
    let page = project.read(path.lines().next().unwrap());
    let cells = row(&page, "`gemm_bias_v2`");
    let shown = project.run("show new.ncu-repz --width 400").done();
    let comment = project.run("generate x --format pr --date 2026-01-01").done();
    let html = project.run("render audits/2026-01-01-x.json --format html --out h").done();
    let html = project.read(html.lines().next().unwrap()).replace('\u{a0}', " ");
    // The other kernel takes less than a tenth of the time, and has a row alone.
    assert!(!page.contains("### gemm_bias_v2"), "{page}");
    for text in [&shown, &comment, &html] {
        assert!(text.contains("gemm_bias_v2") && text.contains(&cells[6]) && text.contains(&cells[8]), "{text}");
    }
    let dump: serde_json::Value = serde_json::from_str(&project.run("dump analysis --subject x").done()).unwrap();
    let kernel = &dump["launches"][0];
    assert!((kernel["share"].as_f64().unwrap() - 93.5).abs() < 0.05, "{kernel}");
    let other = &kernel["others"][0];
    assert_eq!(other["name"], "gemm_bias_v2");
    assert!(cells[4].contains(other["limiter"].as_str().unwrap()), "{other}");
    let of_file: serde_json::Value = serde_json::from_str(&project.run("dump analysis new.ncu-repz").done()).unwrap();
    let own = &of_file["launches"][1];
    assert_eq!((&own["name"], &own["levers"]), (&other["name"], &other["levers"]));
    assert_eq!(own["verdict"]["sentence"], other["sentence"]);
}
