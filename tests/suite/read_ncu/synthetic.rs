//! Reports made by hand, for what no captured report at hand has.

use crate::made_report::{
    CMDLIST, KERNEL, MadeReport, SOURCE, block, double, float, kernel, metric, nested, number, process, strings,
};
use kernel_audit::evidence::{NvtxRange, Value, Workload};
use kernel_audit::source::ncu_report::{NcuReport, SourceData};
use kernel_audit::source::{Want, ncu_report};

#[test]
fn names_may_follow_their_use_and_the_last_of_two_values_counts() {
    let result = kernel(&[
        metric(13, 1, &[nested(2, double(1.0))]),
        metric(
            13,
            2,
            &[nested(2, float(0.1)), nested(3, [nested(1, number(4, 9)), nested(2, nested(1, "x"))].concat())],
        ),
        metric(13, 0, &[nested(2, number(4, 7))]),
        metric(13, 1, &[nested(2, double(-0.0))]),
        metric(13, 3, &[]),
    ]);
    let report = MadeReport::with(&[
        block(&[strings(&["c__u32"]), process(5)], &[KERNEL], &[result]),
        block(&[strings(&["b__twice", "a__float", "d__nothing"])], &[], &[]),
    ])
    .read();
    let launch = &report.launches[0];
    assert_eq!(launch.process.name.as_str(), "app.exe");
    let names: Vec<&str> = launch.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["a__float", "b__twice", "c__u32", "d__nothing"]);
    assert_eq!(launch.value("a__float"), Some(&Value::F32(0.1)));
    assert_eq!(launch.metrics[0].instances[0].id, Value::U32(9));
    assert_eq!(launch.metrics[0].instances[0].value, Value::Text("x".into()));
    assert!(matches!(launch.value("b__twice"), Some(Value::F64(zero)) if zero.is_sign_negative() && *zero == 0.0));
    assert_eq!(launch.value("c__u32"), Some(&Value::U32(7)));
    assert_eq!(launch.value("d__nothing"), None);
}

#[test]
fn rows_go_by_process_and_then_by_the_order_of_the_file() {
    let named = |name: &str| kernel(&[nested(31, name)]);
    let report = MadeReport::with(&[
        block(&[process(90)], &[KERNEL, KERNEL], &[named("first of 90"), named("second of 90")]),
        block(&[process(7)], &[KERNEL], &[named("of 7")]),
        block(&[process(90)], &[CMDLIST], &[nested(18, "a list")]),
    ])
    .read();
    let rows: Vec<(u32, u32, &str)> =
        report.launches.iter().map(|launch| (launch.id, launch.process.id, launch.name.as_ref())).collect();
    assert_eq!(rows, [(0, 7, "of 7"), (1, 90, "first of 90"), (2, 90, "second of 90"), (3, 90, "a list")]);
    assert_eq!((report.launches[3].workload, report.launches[3].grid), (Workload::Cmdlist, None));
}

#[test]
fn pieces_of_one_source_merge_and_other_processes_keep_theirs() {
    let function =
        |name: &str, address: u64| nested(9, nested(1, [nested(1, name), number(2, address), number(3, 4)].concat()));
    let folder = MadeReport::with(&[
        block(&[process(1)], &[SOURCE], &[[number(1, 77), nested(4, b"cubin"), function("a", 16)].concat()]),
        block(&[process(2)], &[SOURCE], &[[number(1, 77), number(6, 9 << 16)].concat()]),
        block(&[process(1)], &[SOURCE], &[[number(1, 77), function("b", 32)].concat()]),
    ]);
    let sources: Vec<SourceData> = NcuReport::open(&folder.path(), false).unwrap().sources().unwrap();
    assert_eq!(sources.iter().map(|source| source.key).collect::<Vec<_>>(), [(1, 77), (2, 77)]);
    assert_eq!(sources[0].cubin.as_deref(), Some(&b"cubin"[..]));
    let functions: Vec<(&str, u64)> =
        sources[0].functions.iter().map(|function| (function.symbol.as_ref(), function.address)).collect();
    assert_eq!(functions, [("a", 16), ("b", 32)]);
    assert_eq!((sources[1].cubin.as_ref(), sources[1].compute_capability), (None, Some((9, 0))));
}

#[test]
fn nvtx_ranges_of_the_launching_thread_come_outermost_first() {
    let stack = |domain: u64, ranges: &[&str]| {
        let ranges: Vec<u8> = ranges.iter().flat_map(|name| nested(3, nested(1, name))).collect();
        nested(2, [number(1, domain), ranges].concat())
    };
    let state = [
        nested(1, [number(1, 1), nested(2, "<default domain>")].concat()),
        nested(1, [number(1, 2), nested(2, "library")].concat()),
        nested(2, [number(1, 40), stack(1, &["of another thread"])].concat()),
        nested(2, [number(1, 41), stack(1, &["step", "forward"]), stack(2, &["gemm"])].concat()),
        nested(3, [number(1, 2), nested(3, [number(1, 3), nested(2, "epoch")].concat())].concat()),
        number(4, 1),
    ];
    let result = [number(1, 41), kernel(&[nested(21, state.concat())])].concat();
    let report = MadeReport::with(&[block(&[], &[KERNEL], &[result])]).read();
    let range = |domain: &str, name: &str| NvtxRange { domain: domain.into(), name: name.into() };
    assert_eq!(
        report.launches[0].nvtx,
        [range("", "step"), range("", "forward"), range("library", "gemm"), range("library", "epoch")]
    );
}

#[test]
fn fields_of_later_versions_change_nothing() {
    let known = kernel(&[metric(13, 0, &[nested(2, number(5, 3))])]);
    let later = kernel(&[metric(13, 0, &[nested(2, number(5, 3)), number(9, 1)]), nested(38, ""), number(77, 1)]);
    let read = |result| MadeReport::with(&[block(&[strings(&["a__b"]), number(10, 0)], &[KERNEL], &[result])]).read();
    assert_eq!(read(later).launches, read(known).launches);
}

#[test]
fn a_value_of_an_unknown_type_is_no_metric_that_was_not_collected() {
    let later = nested(2, number(6, 3));
    let empty = nested(2, "");
    let metrics = [metric(13, 0, &[nested(2, number(5, 3))]), metric(13, 1, &[empty]), metric(13, 2, &[later])];
    let names = strings(&["a__b", "c__d", "e__f"]);
    let folder = MadeReport::with(&[block(&[names], &[KERNEL], &[kernel(&metrics)])]);
    let error = ncu_report::read(&folder.path(), &Want::default()).unwrap_err().to_string();
    assert!(error.contains("expected the metric e__f, found no value of a type that this program knows"), "{error}");
    let report = ncu_report::read(&folder.path(), &Want { allow_damage: true, ..Want::default() }).unwrap();
    let read: Vec<_> = report.launches[0].metrics.iter().map(|one| (&*one.name, one.value.is_some())).collect();
    assert_eq!((read, report.damage.len()), (vec![("a__b", true), ("c__d", false)], 1));
}

#[test]
fn an_instance_without_an_id_is_damage_and_not_a_guess() {
    let whole = nested(3, [nested(1, number(5, 1)), nested(2, number(5, 2))].concat());
    let bare = nested(3, nested(2, number(5, 2)));
    let result = kernel(&[metric(13, 0, std::slice::from_ref(&whole)), metric(13, 1, &[whole, bare])]);
    let folder = MadeReport::with(&[block(&[strings(&["a__b", "c__d"])], &[KERNEL], &[result])]);
    let error = ncu_report::read(&folder.path(), &Want::default()).unwrap_err().to_string();
    assert!(error.contains("expected the metric c__d, found an instance without a correlation id"), "{error}");
    let report = ncu_report::read(&folder.path(), &Want { allow_damage: true, ..Want::default() }).unwrap();
    assert_eq!(report.launches[0].metrics.len(), 1);
    assert_eq!(report.damage.len(), 1);
}
