//! A launch over time: the series against NVIDIA's own reading, and what is made of them.

use kernel_audit::analysis::over_time::{Blocks, OverTime, Sampled};
use kernel_audit::analysis::{Limits, Profile, Reduction, want};
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
