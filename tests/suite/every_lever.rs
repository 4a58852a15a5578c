//! Every lever by name, with its ceiling on a report: a formula that is turned around moves its row.

use crate::judged;
use crate::pairs::dump;
use crate::rules::{report, set, value};
use kernel_audit::analysis::{self, Audit, Lever, Limits, Work};
use kernel_audit::catalog::{self, Threshold};
use std::collections::{BTreeMap, BTreeSet};

/// Code, report, kernel, ceiling in percent of the time; `None` for a lever without one.
const CEILINGS: [(&str, &str, &str, Option<f64>); 30] = [
    ("bulk-copies", "pairs/tensor", "mma_three_stages", Some(35.89)),
    ("coalesce", "pairs/memory", "kinetic_structs", Some(62.32)),
    ("double-buffer", "pairs/memory", "products_strips", Some(26.43)),
    ("even-blocks", "pairs/work", "walk_144", Some(44.48)),
    ("fewer-atomics", "collected/kmeans_update/profile", "kmeans_update", Some(84.27)),
    ("fewer-barriers", "pairs/sharing", "smooth_single", Some(51.15)),
    ("fewer-conversions", "pairs/work", "buckets_32", Some(44.05)),
    ("fewer-instructions", "pairs/memory", "pack_words", Some(50.95)),
    ("fewer-passes", "pairs/memory", "softmax_passes", Some(58.83)),
    ("fuse", "h200/app_range", "range", None),
    ("keep-in-registers", "pairs/work", "invert_bounded", Some(27.63)),
    ("keep-products", "pairs/tensor", "wgmma_drained", Some(46.20)),
    ("larger-blocks", "pairs/blocks", "small_blocks", Some(76.13)),
    ("more-blocks", "pairs/memory", "heat_cached", Some(28.77)),
    ("more-chains", "pairs/memory", "lists_one", None),
    ("more-in-flight", "pairs/work", "probe_small", Some(42.41)),
    ("more-warps", "pairs/work", "walk_144", Some(98.31)),
    ("move-constants", "pairs/streams", "rows_aligned", Some(10.07)),
    ("narrow-fence", "pairs/sharing", "relax_fenced", Some(65.86)),
    ("overlap-epilogue", "pairs/tensor", "wgmma_kept", Some(5.96)),
    ("persistent-blocks", "collected/gemm_bf16_cluster/profile", "gemm_bf16_cluster", Some(11.56)),
    ("register-tile", "pairs/compute", "sgemm_ahead", Some(50.58)),
    ("regroup", "pairs/compute", "kinds_mixed", Some(50.49)),
    ("reuse-in-sm", "pairs/memory", "heat_tiled", Some(50.10)),
    ("smaller-code", "pairs/work", "mix_unrolled", Some(17.38)),
    ("unconflict", "pairs/work", "walk_132", Some(28.87)),
    ("whole-waves", "pairs/blocks", "lookup_third", Some(13.80)),
    ("wide-loads", "collected/patch_embed_gemm/profile", "patch_embed_gemm", Some(22.28)),
    ("wide-shared", "h200/gemm_bias_v2", "gemm_bias_v2", Some(39.47)),
    ("wider-products", "pairs/tensor", "wgmma_narrow", Some(43.78)),
];

/// Levers that need stated work, or readings set by hand: each has a test of its own, here or beside the rules.
const BY_HAND: [&str; 7] =
    ["align-base", "exit-barrier", "fewer-bytes", "other-call", "rebuild", "skip-accesses", "tensor-generation"];

/// Ceilings are written to two decimals.
const ROUNDED: f64 = 0.006;

#[test]
fn every_lever_has_a_ceiling_that_stands() {
    let named: BTreeSet<&str> = CEILINGS.iter().map(|row| row.0).chain(BY_HAND).collect();
    assert_eq!(named, catalog::levers().iter().map(|row| row.code).collect());
    let mut dumps = BTreeMap::new();
    let mut wrong = Vec::new();
    for (code, report, kernel, ceiling) in CEILINGS {
        let dumped = dumps.entry(report).or_insert_with(|| dump(&format!("{report}.ncu-repz")));
        let launch = dumped.launches.iter().find(|launch| launch.name == kernel).expect(kernel);
        let bound = launch.levers.iter().find(|row| row.code == code).map(|row| row.bound);
        let is_as_held = bound.is_some_and(|bound| match (bound, ceiling) {
            (Some(bound), Some(ceiling)) => (bound - ceiling).abs() < ROUNDED,
            (bound, ceiling) => bound == ceiling,
        });
        if !is_as_held {
            wrong.push(format!("{code} of {kernel}: {bound:.2?}, held {ceiling:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn lever<'a>(audit: &'a Audit, action: &str) -> &'a Lever {
    let found = audit.levers.iter().find(|lever| lever.code.to_string() == action);
    found.unwrap_or_else(|| panic!("{action}: {:?}", audit.levers))
}

/// DRAM, which the kernel keeps at 92.6 % of its peak, is left with the part of its work that the stated bytes are of those that moved.
#[test]
fn bytes_that_the_stated_work_does_not_need_go_from_dram() {
    let (report, views) = report("collected/stream_triad/profile");
    let moved = value(&report, "dram__bytes_read.sum") + value(&report, "dram__bytes_write.sum");
    let stated = |part: f64| {
        let bytes = Some((moved * part) as u64);
        judged::audit(&report, &views, &Work { bytes, ..Work::default() })
    };
    let [half, most] = [(0.5, "2.00"), (0.8, "1.25")].map(|(part, times)| {
        let audit = stated(part);
        let said = lever(&audit, "fewer-bytes");
        assert!(said.why.to_plain().starts_with(&format!("DRAM moved {times} times the stated bytes")), "{said:?}");
        said.bound.expect("a ceiling")
    });
    // The pipe needs between its share of the peak and all of the time; 0.3 of that lies between the two.
    assert!((0.3 * 92.6..=0.3 * 100.0).contains(&(half - most)), "{half} − {most}");
    assert!(stated(1.0).levers.iter().all(|lever| lever.code.to_string() != "fewer-bytes"));
}

/// A fence in front of the last barrier costs the exit's share of a block's life, and of the time what blocks are there for.
#[test]
fn a_release_at_the_exit_costs_its_share_of_the_resident_time() {
    let cycles = 1.0e6;
    let at = |resident: f64| {
        let (mut report, views) = report("collected/gemm_bf16_cluster/profile");
        for (name, value) in [("sm__cycles_active.avg", resident * cycles), ("sm__cycles_elapsed.avg", cycles)] {
            set(&mut report, name, value);
        }
        let limits = Limits { overrides: BTreeMap::from([(Threshold::LeverLeast, 0.0)]) };
        let audit = analysis::audit(&judged::evidence(&report, &views, &Work::default()), &limits);
        let phases = audit.phases.as_ref().expect("phases");
        let exit = phases.phases.last().expect("an exit").share;
        (lever(&audit, "exit-barrier").bound.expect("a ceiling"), 100.0 * exit)
    };
    let ((whole, exit), (part, _)) = (at(1.0), at(0.95));
    assert!((whole - exit).abs() < 0.01, "{whole} of {exit}");
    // Beside that the SMs wait for the busiest of them.
    assert!((0.9 * exit..=0.95 * exit).contains(&part), "{part} of {exit}");
}
