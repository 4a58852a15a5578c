//! Kernels whose warps have roles: profiles of the BF16 product in `kernels/`, with fences at its barriers and without.

use crate::judged;
use kernel_audit::analysis::{self, Audit, Limits, Selection, Severity, Work};
use kernel_audit::evidence::{Report, SourceView};
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
fn idle_warps_are_no_barriers_fault_and_fences_are_found() {
    let fenced = audit(&read("gemm_bf16_cluster_fenced"), None);
    // Barrier has 25.84 % of the time by ncu's counters, the largest number of the table; three of twelve warps are idle.
    let source = fenced.source.as_ref().unwrap();
    let parked = source.parked.as_ref().unwrap();
    assert!((parked.share - 25.92).abs() < 0.01 && parked.at.line == 61, "{parked:?}");
    assert_eq!(fenced.bottleneck.limiter.to_string(), "sync-gmma");
    let fence = fenced.findings.iter().find(|finding| finding.code.to_string() == "memory-fence").unwrap();
    assert_eq!((fence.severity, fence.at.as_ref().unwrap().line), (Severity::Costs, 80));
    let said = fence.sentence.to_plain();
    assert!(said.contains("13.34 %") && said.contains("1,073,152 fences"), "{said}");
    let lever = fenced.levers.iter().find(|lever| lever.code.to_string() == "memory-fence").unwrap();
    assert!(lever.is_rough && (lever.bound - 13.34).abs() < 0.01, "{lever:?}");
}

#[test]
fn a_wait_for_the_tensor_pipe_that_limits_is_no_lever() {
    let (new, old) = (read("gemm_bf16_cluster"), read("gemm_bf16_cluster_fenced"));
    let audit = audit(&new, Some(&old));
    assert_eq!(audit.bottleneck.limiter.to_string(), "compute-tensor");
    assert_eq!(audit.old_bottleneck.as_ref().unwrap().limiter.to_string(), "sync-gmma");
    assert!(
        audit
            .levers
            .iter()
            .all(|lever| !lever.code.to_string().starts_with("stall-")
                && !lever.code.to_string().starts_with("relieve-"))
    );
    let headroom = audit.levers.iter().find(|lever| lever.code.to_string() == "unit-headroom").unwrap();
    let said = headroom.sentence.to_plain();
    assert!(said.contains("100.00 % of the operations that the work needs"), "{said}");
    // By opcode, no counter of BF16 being there: 1,048,576 HGMMA.64x256x16 of a quarter of 2·64·256·16 operations.
    let tensor = audit.roofline.ceilings.iter().find(|ceiling| ceiling.id.starts_with("tensor-")).unwrap();
    let operations = 1_048_576.0 * 2.0 * 64.0 * 256.0 * 16.0 / 4.0;
    assert_eq!(operations, 2.0 * 4096.0_f64.powi(3));
    assert!((tensor.achieved.value().unwrap() / (operations / 187_232e-9) - 1.0).abs() < 1e-9);
    // The pipe's own counter says the same share.
    assert!((tensor.share().unwrap() - 83.87).abs() < 0.01, "{:?}", tensor.share());
}

#[test]
fn what_tma_would_copy_still_crosses_l2() {
    let copies = audit(&read("patch_embed_gemm"), None);
    let lever = copies.levers.iter().find(|lever| lever.code.to_string() == "relieve-memory-l1tex").unwrap();
    let said = lever.sentence.to_plain();
    assert!(said.contains("let TMA do the copies") && said.contains("54.08 %"), "{said}");
    assert!((lever.bound - 100.0 * (1.0 - 54.08 / 66.42)).abs() < 0.05, "{}", lever.bound);
}
