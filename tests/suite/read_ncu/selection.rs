//! Only what is wanted is read.

use super::{everything, report_path};
use kernel_audit::source::ncu_report::NcuReport;
use kernel_audit::source::{NameSet, Want};
use std::collections::HashSet;

fn names(names: &[&str]) -> NameSet {
    NameSet::exactly(names.iter().copied())
}

#[test]
fn wanted_metrics_and_instances_are_read_and_no_others() {
    let want = Want {
        metrics: names(&["inst_executed", "gpu__time_duration.sum", "smsp__pcsamp_sample_count", "no__such.metric"]),
        instances: names(&["inst_executed"]),
        ..Want::default()
    };
    let report = NcuReport::open(&report_path("gemm_bias_v1"), false).unwrap().read(&want).unwrap();
    let launch = &report.launches[0];
    let read: Vec<(&str, bool)> =
        launch.metrics.iter().map(|metric| (metric.name.as_ref(), metric.instances.is_empty())).collect();
    assert_eq!(read, [("gpu__time_duration.sum", true), ("inst_executed", false), ("smsp__pcsamp_sample_count", true)]);
    let whole = everything("gemm_bias_v1");
    assert_eq!(launch.metric("inst_executed"), whole.launches[0].metric("inst_executed"));
    assert_eq!((&launch.device, launch.grid), (&whole.launches[0].device, whole.launches[0].grid));
    assert_eq!((launch.rules.len(), report.origin.blake3.as_str()), (0, ""));
}

#[test]
fn chosen_rows_keep_their_numbers() {
    let report = NcuReport::open(&report_path("multiprocess"), false).unwrap();
    let all = report.read(&Want::default()).unwrap();
    assert_eq!((all.launches.len(), all.dropped.len()), (2, 0));
    let (second, damage) = report.read_rows(&Want::default(), &HashSet::from([1])).unwrap();
    assert_eq!((second[0].id, second[0].process.id, second[0].function.as_ref()), (1, 954, "gemm_bias_v2"));
    assert_eq!((&second[..], damage.len()), (&all.launches[1..], 0));
}

#[test]
fn what_is_chosen_is_read_whole_in_one_pass_and_the_rest_in_brief() {
    let whole = everything("both_basic");
    let (want, time) = (Want::everything(), names(&["gpu__time_duration.sum"]));
    let ids: Vec<u32> = whole.launches.iter().map(|launch| launch.id).collect();
    let last = *ids.last().unwrap();
    // All, one that is not the first of its kernel, and none.
    for chosen in [ids.iter().copied().collect(), HashSet::from([last]), HashSet::new()] {
        let report = NcuReport::open(&report_path("both_basic"), false).unwrap();
        let read = report.read_chosen(&want, &time, |brief| {
            assert!(brief.launches.iter().all(|launch| launch.metric("gpu__time_duration.sum").is_some()));
            chosen.clone()
        });
        let read = read.unwrap();
        let again = report.read_rows(&want, &chosen).unwrap().0;
        assert_eq!((read.launches.len(), again.len()), (ids.len(), chosen.len()));
        for launch in &read.launches {
            match again.iter().find(|other| other.id == launch.id) {
                Some(other) => assert_eq!(launch, other),
                None => assert_eq!((launch.metrics.len(), launch.rules.len()), (1, 0)),
            }
        }
        assert_eq!((&read.dropped, read.origin.blake3.len()), (&whole.dropped, 64));
    }
}
