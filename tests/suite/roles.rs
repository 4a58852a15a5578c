//! Kernels whose warps have roles: profiles of the BF16 product in `kernels/`, with fences at its barriers and without.

use crate::brief_sections::{says, sections};
use crate::judged;
use kernel_audit::analysis::{self, Audit, Expectation, LeverOrigin, Limits, Selection, Severity, Work};
use kernel_audit::catalog::Operator;
use kernel_audit::evidence::{Report, SourceView, Value};
use kernel_audit::source;
use std::path::PathBuf;

fn read(kernel: &str) -> (Report, SourceView) {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/collected/{kernel}/profile.ncu-repz"));
    let report = source::read_profile(&path, &analysis::want()).unwrap();
    let launch = analysis::subject_launch(&report, &Selection::default()).unwrap();
    let (id, want) = (launch.id, analysis::source_want(&[launch]));
    let mut views = source::read_source_views(&path, &want, |head| head.id == id, &[]).unwrap();
    (report, views.swap_remove(0))
}

fn audit(new: &(Report, SourceView), old: Option<&(Report, SourceView)>) -> Audit {
    let work = Work { flop: Some(2 * 4096 * 4096 * 4096), ..Work::default() };
    let mut evidence = judged::evidence(&new.0, std::slice::from_ref(&new.1), &work);
    if let Some((report, view)) = old {
        evidence = judged::since(evidence, report, std::slice::from_ref(view));
    }
    analysis::audit(&evidence, &Limits::default())
}

#[test]
fn an_expectation_of_barriers_leaves_parked_warps_out() {
    let (report, view) = read("gemm_bf16_cluster");
    let expected = vec![Expectation::own("stall.barrier", Operator::Below, 40.0, None)];
    let work = Work { expected, ..Work::default() };
    let audit = analysis::audit(&judged::evidence(&report, &[view], &work), &Limits::default());
    // 55.36 % by ncu's counters; of 55.1 % of the samples 23.6 are warps that are done, and 30.2 wait for products.
    let found = audit.checks[0].found.value().unwrap();
    assert!((found - 1.34).abs() < 0.01, "{found}");
}

#[test]
fn idle_warps_are_no_barriers_fault_and_fences_are_found() {
    let fenced = audit(&read("gemm_bf16_cluster_fenced"), None);
    // Barrier has 25.84 % of the time by ncu's counters, the largest number of the table; three of twelve warps are idle.
    let source = fenced.source.as_ref().unwrap();
    let parked = source.parked.as_ref().unwrap();
    assert!((parked.share - 25.92).abs() < 0.01 && parked.at.place.line == 61, "{parked:?}");
    assert_eq!(fenced.now.bottleneck.limiter.to_string(), "fence-chain");
    let fence = &fenced.now.findings[0];
    assert_eq!((fence.severity, fence.at.as_ref().unwrap().line), (Severity::Limits, 80));
    let said = fence.sentence.to_plain();
    assert!(said.contains("258,048") && said.contains("84.1 %"), "{said}");
    // Taking the fences out saved 44.0 % of the cycles; the fabric of L2 at 54.5 % allows no more than 45.5 %, of which the launch
    // takes 1.2.
    let lever = &fenced.now.levers[0];
    assert_eq!(lever.code.to_string(), "narrow-fence");
    assert!((44.0..45.5).contains(&lever.bound.unwrap()) && !lever.is_rough(), "{lever:?}");
}

#[test]
fn a_wait_for_the_tensor_pipe_that_limits_is_no_lever() {
    let (new, old) = (read("gemm_bf16_cluster"), read("gemm_bf16_cluster_fenced"));
    let audit = audit(&new, Some(&old));
    assert_eq!(audit.now.bottleneck.limiter.to_string(), "compute-tensor");
    assert_eq!(audit.before.as_ref().unwrap().bottleneck.limiter.to_string(), "fence-chain");
    assert!(audit.now.levers.iter().all(|lever| lever.origin != LeverOrigin::Audit));
    let verdict = &sections(&audit)["verdict"];
    says(verdict, "back-pressure of the tensor pipe: healthy");
    says(verdict, "main loop and drain 67,9");
    // By opcode, no counter of BF16 being there: 1,048,576 HGMMA.64x256x16 of a quarter of 2·64·256·16 operations.
    let tensor = audit.now.roofline.ceilings.iter().find(|ceiling| ceiling.id.starts_with("tensor-")).unwrap();
    let operations = 1_048_576.0 * 2.0 * 64.0 * 256.0 * 16.0 / 4.0;
    assert_eq!(operations, 2.0 * 4096.0_f64.powi(3));
    assert!((tensor.achieved.value().unwrap() / (operations / 187_232e-9) - 1.0).abs() < 1e-9);
    // The pipe's own counter says the same share.
    assert!((tensor.share().unwrap() - 83.87).abs() < 0.01, "{:?}", tensor.share());
}

/// Where some blocks leave in front of the split, no count is a whole number of warps for each block; the code says who goes where.
#[test]
fn roles_are_found_where_blocks_leave_early() {
    let (report, mut view) = read("gemm_bf16_cluster");
    let executed = view.columns.iter_mut().find(|column| &*column.metric == "inst_executed").unwrap();
    for (_, value) in &mut executed.values {
        *value = Value::U64(value.as_u64().unwrap() * 6 / 7);
    }
    let phases = audit(&(report, view), None).now.phases.unwrap();
    let warps: Vec<(u64, bool)> = phases.roles.iter().map(|role| (role.warps, role.tensor > 0)).collect();
    assert_eq!(warps, [(8, true), (4, false)]);
}

#[test]
fn what_tma_would_copy_still_crosses_l2() {
    let copies = audit(&read("patch_embed_gemm"), None);
    let lever = copies.now.levers.iter().find(|lever| lever.code.to_string() == "bulk-copies").unwrap();
    let why = lever.why.to_plain();
    assert!(why.contains("L1 data stage 66 → 40 %, then L2 (54.1 %) is next"), "{why}");
    // With the epilogue overlapped: its 45.5 % of the samples without those of ready warps, less than what L2 allows.
    assert!((lever.bound.unwrap() - 42.6).abs() < 0.6, "{lever:?}");
    assert_eq!(copies.now.levers[0].code.to_string(), "overlap-epilogue");
    assert!((copies.now.levers[0].bound.unwrap() - 33.6).abs() < 0.6, "{:?}", copies.now.levers[0]);
}
