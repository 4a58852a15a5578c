//! A launch over time: the series against NVIDIA's own reading, and what is made of them.

use crate::judged;
use crate::rules::report;
use kernel_audit::analysis::over_time::{Blocks, OverTime, Sampled};
use kernel_audit::analysis::{self, LeverCode, Limits, Profile, Reduction, Work, want};
use kernel_audit::catalog::Action;
use kernel_audit::source::ncu_report;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/h200/{name}"))
}

fn over_time(name: &str) -> OverTime {
    let report = ncu_report::read(&fixture(&format!("{name}.ncu-repz")), &want()).expect("a report");
    let (work, limits) = (Default::default(), Limits::default());
    let with = Reduction { source: &[], work: &work, limits: &limits };
    Profile::subject(&report, None, &with).expect("a kernel").over_time.expect("series")
}

#[test]
fn series_are_those_of_nvidias_reader() {
    let truth = std::fs::read_to_string(fixture("truth/over_time.tsv")).expect("the truth");
    let rows: Vec<Vec<&str>> =
        truth.lines().filter(|line| line.starts_with("gemm")).map(|line| line.split('\t').collect()).collect();
    for name in ["gemm_bias_v1", "gemm_bias_v2"] {
        let report = ncu_report::read(&fixture(&format!("{name}.ncu-repz")), &want()).expect("a report");
        let sampled = Sampled::of(&report.launches[0]).expect("series");
        let expected = rows.iter().filter(|row| row[0] == name);
        assert_eq!(sampled.series.len(), expected.clone().count());
        for row in expected {
            let series = sampled.series.iter().find(|series| series.metric == row[1]).expect(row[1]);
            let numbers: Vec<f64> = row[2..].iter().map(|text| text.parse().expect("a number")).collect();
            let [count, sum, marks @ ..] = numbers.as_slice() else { panic!("{row:?}") };
            let last = series.samples.len() - 1;
            assert_eq!(series.samples.len() as f64, *count, "{row:?}");
            assert_eq!(series.samples.iter().sum::<f64>() + 0.0, *sum, "{row:?}");
            let at = |quarter: usize| series.samples[quarter * last / 4];
            assert_eq!([0, 1, 2, 3, 4].map(at).as_slice(), marks, "{row:?}");
        }
    }
}

/// The blocks of the last wave: 2048 over 4 × 132 leave 464, which at 8 blocks a multiprocessor would be 58; 68 multiprocessors
/// are left with some when the others end. NVIDIA's `sm__cycles_active.avg` of a sample falls from 5,938 to 3,060 there.
#[test]
fn a_tail_has_its_level_its_area_and_its_multiprocessors() {
    let found = over_time("gemm_bias_v1");
    assert_eq!((found.samples, found.passes, found.lost), (2946, 1, 0));
    let shape = found.shape.expect("a shape");
    assert_eq!(shape.unit, "l1");
    assert!((shape.steady - 99.0).abs() < 0.1, "{}", shape.steady);
    let idle = shape.idle.expect("cycles and rates are there");
    assert!((idle.in_tail - 64.0 / 132.0).abs() < 0.01, "{idle:?}");
    // A level of 51.2 of 99.0 over 551 µs: 266 µs of 8,837.
    assert!((shape.tail.ns / 1e3 - 551.0).abs() < 5.0, "{:?}", shape.tail);
    assert!((shape.tail.cost - shape.tail.ns * (1.0 - shape.tail.level / shape.steady)).abs() < 100.0);
    assert_eq!(shape.blocks, Some(Blocks { seen: 2048, of: Some(2048), last: 7_745_926.0 }));
    // 5,938 cycles in 3,000 ns.
    assert!((shape.clock.expect("a clock").mean - 1.979).abs() < 0.002);
    assert!(shape.regimes.is_empty());
}

#[test]
fn parts_add_up_to_the_launch_and_stay_small() {
    for name in ["gemm_bias_v1", "gemm_bias_v2"] {
        let found = over_time(name);
        let shape = found.shape.as_ref().expect("a shape");
        let parts = [shape.ramp, shape.middle, shape.tail, shape.drain];
        assert!((parts.iter().map(|part| part.ns).sum::<f64>() - found.ns).abs() < 3.0, "{name}");
        let text = serde_json::to_string(&found).expect("JSON");
        assert!(text.len() < 3_000, "{name}: {} bytes", text.len());
        let again: OverTime = serde_json::from_str(&text).expect("JSON");
        assert_eq!(again, found, "{name}");
    }
}

/// A launch of 100 µs at 80 % until it falls to a fifth of that for its last `tail` µs.
fn falls(tail: f64) -> OverTime {
    let part = |ns: f64, cost: f64| serde_json::json!({ "ns": 1e3 * ns, "level": 0.0, "cost": 1e3 * cost });
    let shape = serde_json::json!({
        "steady": 80.0, "unit": "issue", "mean": 80.0,
        "ramp": part(0.0, 0.0), "middle": part(100.0 - tail, 0.0), "tail": part(tail, 0.8 * tail), "drain": part(0.0, 0.0),
    });
    serde_json::from_value(serde_json::json!({ "ns": 1e5, "step": 1e3, "samples": 100, "passes": 1, "shape": shape }))
        .unwrap()
}

/// What samples of the launch show of its end is the most that a better end saves, and a step of them; the last wave alone would be half of the
/// time. Blocks by data that last longer than others have a row though their SMs still hold some.
#[test]
fn rows_of_the_end_save_what_the_samples_show_of_it() {
    let at = |kernel: &str, action: Action, tail: f64| {
        let (report, views) = report(&format!("collected/{kernel}/profile"));
        let mut evidence = judged::evidence(&report, &views, &Work::default());
        evidence.new.profile.as_mut().expect("a kernel").over_time = Some(falls(tail));
        let audit = analysis::audit(&evidence, &Limits::default());
        audit.now.levers.into_iter().find(|lever| lever.code == LeverCode::Ours(action)).and_then(|lever| lever.bound)
    };
    let of = [("sgemm_async", Action::WholeWaves, 50.0, 41.0), ("sgemm_async", Action::WholeWaves, 10.0, 9.0)];
    for (kernel, action, tail, most) in of.into_iter().chain([("pair_potential", Action::EvenBlocks, 5.0, 5.0)]) {
        let bound = at(kernel, action, tail).expect("a row");
        assert!((bound - most).abs() < 1e-6, "{kernel}: {bound}");
    }
    let of_data = [5.0, 50.0].map(|tail| at("hash_probe", Action::EvenBlocks, tail).is_some());
    assert_eq!(of_data, [false, true]);
}
