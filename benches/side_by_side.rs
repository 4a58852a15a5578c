//! Whole processes side by side: `audit generate` against NVIDIA's readers on the same reports, in one run.
//!
//! ```sh
//! AUDIT_BENCH_PYTHON=python3 cargo bench --profile dist --bench side_by_side
//! ```
//!
//! `AUDIT_BENCH_PYTHON` names a Python that can `import ncu_report`; `ncu` is taken from `PATH`. An alternative that is not
//! there is said to be absent. `AUDIT_BENCH_RUNS` sets the counted runs (5), after one that is not counted.

#![allow(clippy::disallowed_methods, reason = "a benchmark runs programs and measures time")]

mod support;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

const READ_VALUES: &str = "import sys, ncu_report
for report_range in ncu_report.load_report(sys.argv[1]):
    for action in report_range:
        for name in action.metric_names():
            action.metric_by_name(name).value()
";

const READ_INSTANCES: &str = "import sys, ncu_report
for report_range in ncu_report.load_report(sys.argv[1]):
    for action in report_range:
        for name in action.metric_names():
            metric = action.metric_by_name(name)
            metric.value()
            ids = metric.correlation_ids() if metric.has_correlation_ids() else None
            for at in range(metric.num_instances() if ids else 0):
                metric.value(at), ids.value(at)
";

/// One audit, into a folder that each run makes anew, as the first audit of a day does.
fn audit(report: &Path, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
    command
        .args(["generate", "--date", "2026-01-01", "--commit", "none", "--out"])
        .arg(out)
        .arg("--report")
        .arg(report);
    command
}

fn python(report: &Path, script: &str) -> Option<Command> {
    let mut command = Command::new(std::env::var_os("AUDIT_BENCH_PYTHON")?);
    command.args(["-c", script]).arg(report);
    Some(command)
}

fn ncu(report: &Path) -> Command {
    let mut command = Command::new("ncu");
    command.args(["--page", "details", "--import"]).arg(report);
    command
}

/// One measured run; `out` is emptied before.
fn run(command: &mut Command, out: &Path) -> Option<support::Run> {
    if out.exists() {
        std::fs::remove_dir_all(out).expect("the scratch folder can be emptied");
    }
    support::run(command)
}

fn main() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let out = scratch.path().join("out");
    let seed = File::open(support::fixture("both_basic.ncu-repz")).and_then(zstd::decode_all);
    let seed = seed.expect("the fixture is in the repository");
    let big = |launches: usize| -> PathBuf {
        let path = scratch.path().join(format!("{launches}-launches.ncu-rep"));
        let mut file = BufWriter::new(File::create(&path).expect("a scratch file"));
        support::write_repeated(&seed, launches, &mut file).expect("room for a large report");
        path
    };
    let runs: usize = std::env::var("AUDIT_BENCH_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    println!(
        "| report | MB | reader | wall ms: min | median | max | processor ms | peak MB | times the audit's median |"
    );
    println!("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for report in [support::fixture("gemm_bias_v1.ncu-repz"), big(560)] {
        let alternatives = [
            ("audit generate", Some(audit(&report, &out))),
            ("ncu_report, every value", python(&report, READ_VALUES)),
            // Minutes a run on the large report.
            (
                "ncu_report, every value and instance",
                python(&report, READ_INSTANCES).filter(|_| megabytes(&report) < 10.0),
            ),
            ("ncu --import --page details", Some(ncu(&report))),
        ];
        side_by_side(&report, alternatives, runs, &out);
    }
    println!(
        "\n| launches | MB | audit generate, median wall ms | processor ms | ms per 1,000 launches | peak MB | half the file + 32 MB |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for launches in [100, 380, 1_000, 3_000, 10_000] {
        growth(&big(launches), launches, runs, &out);
    }
}

/// One report through all readers, alternately.
fn side_by_side(report: &Path, alternatives: [(&str, Option<Command>); 4], runs: usize, out: &Path) {
    let mut figures: Vec<(&str, Option<Command>, Vec<support::Run>)> =
        alternatives.into_iter().map(|(name, command)| (name, command, Vec::new())).collect();
    for round in 0..=runs {
        for (_, command, done) in &mut figures {
            let measured = command.as_mut().and_then(|command| run(command, out));
            done.extend(measured.filter(|_| round > 0));
        }
    }
    let name = report.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let size = megabytes(report);
    let base = figures[0].2.iter().map(|r| r.wall_ms).collect::<Vec<_>>();
    assert!(!base.is_empty(), "audit generate failed on {name}");
    let base = support::spread(base).1;
    for (reader, _, done) in &figures {
        if done.len() < runs {
            println!("| {name} | {size:.1} | {reader} | not run | | | | | |");
            continue;
        }
        let (min, median, max) = support::spread(done.iter().map(|r| r.wall_ms).collect());
        let cpu = support::spread(done.iter().map(|r| r.cpu_ms).collect()).1;
        let peak = support::spread(done.iter().map(|r| r.peak_mb).collect()).2;
        println!(
            "| {name} | {size:.1} | {reader} | {min:.1} | {median:.1} | {max:.1} | {cpu:.1} | {peak:.0} | {:.1} |",
            median / base
        );
    }
}

fn growth(report: &Path, launches: usize, runs: usize, out: &Path) {
    let done: Vec<support::Run> = (0..=runs).filter_map(|_| run(&mut audit(report, out), out)).skip(1).collect();
    assert_eq!(done.len(), runs, "audit generate failed on {launches} launches");
    let (_, median, _) = support::spread(done.iter().map(|r| r.wall_ms).collect());
    let cpu = support::spread(done.iter().map(|r| r.cpu_ms).collect()).1;
    let peak = support::spread(done.iter().map(|r| r.peak_mb).collect()).2;
    let size = megabytes(report);
    println!(
        "| {launches} | {size:.1} | {median:.1} | {cpu:.1} | {:.2} | {peak:.0} | {:.0} |",
        1e3 * median / launches as f64,
        size / 2.0 + 32.0
    );
    std::fs::remove_file(report).expect("the scratch report can be removed");
}

fn megabytes(path: &Path) -> f64 {
    std::fs::metadata(path).map_or(0.0, |m| m.len() as f64 / 1e6)
}
