//! What cannot be done is no row: where it would be a first one the page says why. What whoever launches a library's kernel, or built it
//! for a debugger, can do instead; what is true of several kernels in one result.

use crate::judged;
use crate::rules::{report, set, with};
use kernel_audit::analysis::{Audit, Work};
use kernel_audit::catalog::Code;

fn said(audit: &Audit) -> String {
    audit.now.bottleneck.ruled_out.as_ref().map(|words| words.to_plain()).unwrap_or_default()
}

fn rows(audit: &Audit) -> Vec<String> {
    audit.now.levers.iter().map(|lever| lever.code.to_string()).collect()
}

fn has(audit: &Audit, code: Code) -> bool {
    audit.now.findings.iter().any(|finding| finding.code == code)
}

#[test]
fn loads_of_a_chain_are_not_put_side_by_side() {
    let chase = with("collected/pointer_chase/profile", &[]);
    assert!(!rows(&chase).contains(&"more-in-flight".to_owned()));
    assert!(said(&chase).contains("Not here: more-in-flight, worth about "), "{}", said(&chase));
    assert!(said(&chase).ends_with("the value of the load at :16 is its next address."), "{}", said(&chase));
}

#[test]
fn room_for_warps_needs_blocks_that_fill_it() {
    const ROOM: &str = "collected/low_occupancy_smem/profile";
    let all = with(ROOM, &[]);
    assert!(rows(&all).contains(&"more-warps".to_owned()) && !said(&all).contains("Not here"), "{}", said(&all));
    // Half of what fits at once: a block more on each SM finds none.
    let few = with(ROOM, &[("launch__waves_per_multiprocessor", 0.5)]);
    assert!(!rows(&few).contains(&"more-warps".to_owned()));
    assert!(said(&few).contains("in the grid: 50.0 % of the room that there is"), "{}", said(&few));
}

#[test]
fn copies_of_gathered_rows_are_no_box_of_a_tensor_map() {
    let experts = with("collected/mxfp4_moe_w1_swiglu/profile", &[]);
    assert!(!rows(&experts).contains(&"bulk-copies".to_owned()));
    assert!(said(&experts).contains("gather rows whose addresses are loaded"), "{}", said(&experts));
}

#[test]
fn a_kernel_of_a_library_has_the_rows_of_its_caller() {
    let (mut report, views) = report("collected/bank_conflict/profile");
    let own = judged::audit(&report, &views, &Work::default());
    assert!(rows(&own).contains(&"unconflict".to_owned()) && !has(&own, Code::LibraryKernel));
    report.launches[0].name = "ampere_sgemm_128x64_nn".into();
    let called = judged::audit(&report, &views, &Work::default());
    // What limits stays; the code is nobody's to change.
    assert_eq!(called.now.bottleneck.limiter, own.now.bottleneck.limiter);
    assert!(has(&called, Code::LibraryKernel));
    let ours: Vec<String> = rows(&called).into_iter().filter(|code| !code.contains(char::is_uppercase)).collect();
    assert_eq!(ours, ["other-call"]);
    assert!(called.now.levers[0].bound.is_none(), "another call is another kernel");
}

#[test]
fn of_several_kernels_the_time_between_them_is_no_launch() {
    let range = with("h200/app_range", &[]);
    // The busiest SM holds a block for less than half of the time: more than any unit needs.
    assert_eq!(range.now.bottleneck.limiter, Code::RangeGaps);
    let gaps = range.now.levers.iter().find(|lever| lever.code.to_string() == "fuse").expect("a lever");
    assert!(gaps.sentence.to_plain().starts_with("Close the gaps between its kernels"), "{gaps:?}");
    let (mut report, views) = report("h200/app_range");
    set(&mut report, "gpu__time_duration.sum", 4000.0);
    let brief = judged::audit(&report, &views, &Work::default());
    assert!(!has(&brief, Code::LaunchShort), "several kernels are no short launch");
}
