//! `audit compare`: columns of reports and snapshots.

use crate::project::{Profile, Project};

fn kernel(name: &'static str, ns: f64) -> Profile {
    Profile { kernel: name, ..Profile::steady(ns) }
}

#[test]
fn kernels_are_joined_by_name_grid_and_block_and_the_others_are_listed() {
    let project = Project::new();
    let wide = Profile { grid: "(128, 1, 1)", ..kernel("scale", 50_000.0) };
    project.report("a.csv", &[kernel("scale", 100_000.0), kernel("copy", 70_000.0), wide]);
    project.report("b.csv", &[kernel("copy", 70_000.0), kernel("scale", 90_000.0), kernel("extra", 10.0)]);
    let text = project.run("compare a.csv b.csv --width 200").done();
    assert!(text.contains("B against A: FASTER") && text.contains("B against A: SAME"), "{text}");
    let unmatched = text.split("Without a counterpart").nth(1).unwrap();
    assert!(unmatched.contains("A: scale, grid (128, 1, 1)") && unmatched.contains("B: extra"), "{unmatched}");
    let only = project.run("compare a.csv b.csv --kernel copy").done();
    assert!(only.contains("SAME") && !only.contains("FASTER") && !only.contains("Without"), "{only}");
    project.run("compare a.csv b.csv --kernel nothing").ends(2, "no file holds a kernel that matches /nothing/");
    project.run("compare a.csv").ends(2, "takes two files or more, and got one");
    project.run("compare a.csv none.csv").ends(3, "none.csv");
}

#[test]
fn three_columns_take_snapshots_and_kernels_that_were_renamed() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.report("b.csv", &[kernel("scale_v2", 90_000.0)]);
    project.report("c.csv", &[kernel("scale_v3", 120_000.0)]);
    let text = project.run("compare pages/2026-01-01-scale.json b.csv c.csv --width 200").done();
    assert!(text.contains("B against A: FASTER") && text.contains("C against A: SLOWER"), "{text}");
    let duration = text.lines().find(|line| line.trim_start().starts_with("Duration")).unwrap();
    let order = ["100.50 µs", "90.45 µs", "FASTER", "120.60 µs", "SLOWER"];
    assert!(order.windows(2).all(|pair| duration.find(pair[0]) < duration.find(pair[1])), "{duration}");
}

#[test]
fn json_says_what_each_verdict_rests_on() {
    let project = Project::new();
    project.report("a.csv", &[Profile::steady(100_000.0)]);
    project.report("b.csv", &[Profile { registers: 40, ..Profile::steady(90_000.0) }]);
    let value: serde_json::Value = serde_json::from_str(&project.run("compare a.csv b.csv --json").done()).unwrap();
    assert_eq!(value["schema"], "kernel-audit/compare/2");
    assert_eq!(value["files"], serde_json::json!(["a.csv", "b.csv"]));
    let comparison = &value["joined"][0]["against"][0]["comparison"];
    assert_eq!(comparison["whole"]["verdict"], "faster");
    assert_eq!(comparison["whole"]["cycles"]["old"]["count"], 20);
    assert_eq!(comparison["whole"]["cycles"]["basis"], "interval");
    let readings = comparison["readings"].as_array().unwrap();
    let reading = |id: &str| readings.iter().find(|reading| reading["id"] == id).unwrap();
    let time = reading("gpu__time_duration.sum");
    assert_eq!((&time["verdict"], &time["basis"]), (&"faster".into(), &"interval".into()));
    assert!((time["change"].as_f64().unwrap() + 10.0).abs() < 0.5, "{time}");
    assert_eq!(reading("launch__registers_per_thread")["basis"], "exact");
}

#[test]
fn a_long_name_of_a_file_or_a_kernel_keeps_to_its_line() {
    let project = Project::new();
    let long = "gemm_with_bias_and_vector_stores_for_the_second_stage";
    let (a, b) = (format!("a-{}.csv", "x".repeat(90)), format!("b-{}.csv", "x".repeat(90)));
    project.report(&a, &[kernel(long, 100_000.0)]);
    project.report(&b, &[kernel(long, 90_000.0)]);
    let text = project.words(&["compare", &a, &b, "--width", "80"]).done();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    assert!(lines[1].starts_with("A: a-xxx") && lines[1].contains('…') && lines[2].starts_with("B: b-xxx"), "{text}");
    // The title of the table, its head, a rule, and a line for each file.
    let summary: Vec<&str> = lines.iter().skip_while(|line| **line != "Summary").copied().collect();
    assert!(summary[3].contains("  A  ") && summary[4].contains("  B  ") && summary[4].contains("FASTER"), "{text}");
    assert!(summary[5].is_empty() && summary[6] == long, "{text}");
    let json = project.words(&["compare", &a, &b, "--json"]).done();
    assert!(json.contains(&a), "names in JSON are whole: {json}");
}
