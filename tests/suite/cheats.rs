//! The kernels of `tests/fixtures/cheats`, which a check or a time must not believe: what `audit launch` gave of them on an H100.

use crate::project::{Profile, Project};
use kernel_audit::evidence::{Benchmark, Collected};
use std::fs;
use std::path::PathBuf;

fn captured(kernel: &str, file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cheats/collected").join(kernel).join(file)
}

/// The page of a kernel of 20 µs with the check of its outputs.
fn page(kernel: &'static str) -> String {
    let project = Project::new();
    let subject = format!("[audit]\nout = \"pages\"\n[[subject]]\nname = \"{kernel}\"\nreport = \"new.csv\"\n");
    fs::write(project.path("audit.toml"), subject).unwrap();
    let grid = "(4096, 1, 1)";
    project.report("new.csv", &[Profile { kernel, grid, launches: vec![(20_000.0, 36_000.0)], ..Profile::default() }]);
    let check = captured(kernel, "correctness.json");
    let words = ["generate", kernel, "--date", "2026-01-01", "--correctness", check.to_str().unwrap()];
    project.words(&words).done();
    project.read(&format!("pages/2026-01-01-{kernel}.md"))
}

#[test]
fn what_works_only_on_a_first_look_is_wrong() {
    // One remembers its inputs, the other works only where an output holds a NaN.
    for kernel in ["memo", "where_nan"] {
        let page = page(kernel);
        assert!(page.contains("**WRONG:** out on seed 1"), "{page}");
        assert!(!page.contains("## Next"), "{page}");
    }
    for kernel in ["scaled", "evict_last"] {
        let page = page(kernel);
        assert!(!page.contains("WRONG") && page.contains("## Next"), "{page}");
    }
}

#[test]
fn times_of_less_than_the_stated_work_are_refused() {
    let refused = |kernel: &str| {
        let text = fs::read(captured(kernel, "collected.json")).unwrap();
        let step = Collected::from_json(&text).unwrap().steps.remove(0);
        assert_eq!((step.step.as_str(), format!("{:?}", step.outcome).as_str()), ("benchmark", "Failed"));
        step.why
    };
    // A memo of two inputs, which the benchmark takes in turn, is met by inputs that it never saw.
    let memo = refused("memo_of_two");
    assert!(memo.contains("a launch takes 584.10 µs on inputs that the kernel has not seen before"), "{memo}");
    let much = refused("too_much_work");
    assert!(much.contains("below the 495.46 µs that this device needs at its peak for the stated work"), "{much}");
}

#[test]
fn lines_that_l2_is_asked_to_keep_are_gone_before_each_launch() {
    let median = |kernel: &str| {
        let times: Benchmark = serde_json::from_slice(&fs::read(captured(kernel, "benchmark.json")).unwrap()).unwrap();
        let mut samples = times.samples_ms;
        samples.sort_by(f64::total_cmp);
        samples[samples.len() / 2]
    };
    let (plain, kept) = (median("scaled"), median("evict_last"));
    assert!(kept > 0.95 * plain, "{kept} against {plain} ms");
}
