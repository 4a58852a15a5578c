//! Every lever by name, with its ceiling on a report: a formula that is turned around moves its row.

use crate::brief_sections::fixtures;
use crate::judged;
use crate::pairs::dump;
use crate::rules::{report, value};
use kernel_audit::analysis::{self, Audit, Lever, Limits, Work};
use kernel_audit::catalog::{self, Part, Threshold};
use kernel_audit::evidence::Launch;
use kernel_audit::source;
use std::collections::{BTreeMap, BTreeSet};

/// A ceiling in percent of the time.
#[derive(Clone, Copy, Debug)]
enum Ceiling {
    /// The lever has none.
    No,
    /// What the program gave.
    Gave(f64),
    /// By hand: the time without the launch itself and without what this part needs, whose work the change leaves as it is.
    Needs(&'static str),
    /// By hand: what the SM that works longest works longer than the average one.
    Tail,
    /// By hand: what the last wave leaves empty.
    LastWave,
}
use Ceiling::{Gave, LastWave, Needs, No, Tail};

/// The share of its peak that DRAM reaches where it only reads, what that falls by where it only writes, and the longest time around the
/// instructions of a launch in nanoseconds: `level.rs` and `measures.rs`.
const DRAM_REACHES: f64 = 0.95;
const DRAM_TURNS: f64 = 0.06;
const LAUNCH: f64 = 4000.0;

const DRAM: &str = "dram__cycles_active";
const STAGE: &str = "l1tex__data_pipe_lsu_wavefronts";

impl Ceiling {
    fn percent(self, launch: &Launch) -> Option<f64> {
        let value = |name: &str| launch.metric(name).and_then(|metric| metric.value.as_ref()?.as_f64()).expect(name);
        // The parts of the time in which the average SM and the one that works longest hold a block.
        let time = || {
            let active = value("sm__cycles_active.avg") / value("sm__cycles_elapsed.avg");
            (active, value("sm__cycles_active.max") / value("gpc__cycles_elapsed.max"))
        };
        Some(match self {
            No => return None,
            Gave(percent) => percent,
            Tail => {
                let (active, longest) = time();
                100.0 * (longest - active)
            }
            LastWave => {
                let waves = value("launch__waves_per_multiprocessor");
                100.0 * (1.0 - waves / waves.ceil())
            }
            Needs(part) => {
                let (active, longest) = time();
                let around = (1.0 - longest.max(active)).min(LAUNCH / value("gpu__time_duration.sum"));
                let share = value(&format!("{part}.avg.pct_of_peak_sustained_elapsed"));
                // What works for one SM works in the tail as well, as long as its part of the time.
                let tail = (longest - active).max(0.0);
                let [read, written] = ["read", "write"].map(|way| value(&format!("dram__bytes_{way}.sum")));
                let reaches = DRAM_REACHES - DRAM_TURNS * written / (read + written);
                let need = if part == DRAM { share / reaches } else { share * (1.0 + tail / active) };
                100.0 * (1.0 - around) - need
            }
        })
    }
}

/// Code, report, kernel, ceiling.
const CEILINGS: [(&str, &str, &str, Ceiling); 34] = [
    ("align-copies", "pairs/h100", "gemm_bf16_before", Gave(39.73)),
    ("bulk-copies", "pairs/h200", "wgmma_narrow", Gave(29.54)),
    ("coalesce", "pairs/h200", "kinetic_structs", Gave(63.14)),
    ("double-buffer", "pairs/h200", "products_strips", Needs(STAGE)),
    ("even-blocks", "pairs/h200", "ragged_ascending", Tail),
    ("fewer-atomics", "collected/kmeans_update/profile", "kmeans_update", Needs(DRAM)),
    ("fewer-barriers", "pairs/h200", "scan_steps", Gave(77.11)),
    ("fewer-bytes", "pairs/h100", "cloud_mask_before", Gave(59.33)),
    ("fewer-conversions", "pairs/h200", "buckets_32", Needs(DRAM)),
    ("fewer-instructions", "pairs/h200", "pack_words", Needs(DRAM)),
    ("fewer-passes", "pairs/h200", "softmax_passes", Gave(58.95)),
    ("fuse", "h200/app_range", "range", No),
    ("keep-in-registers", "pairs/h200", "invert_bounded", Gave(27.48)),
    ("keep-products", "pairs/h200", "wgmma_drained", Gave(46.20)),
    ("larger-blocks", "pairs/h200", "small_blocks", Gave(76.13)),
    ("more-blocks", "pairs/h200", "heat_cached", Gave(28.77)),
    ("more-chains", "pairs/h200", "lists_one", No),
    ("more-in-flight", "pairs/h200", "axpy_scalar", Gave(29.36)),
    ("more-warps", "pairs/h200", "walk_144", Gave(81.55)),
    ("move-constants", "collected/conv3x3_direct/profile", "conv3x3_direct", Gave(29.12)),
    ("narrow-operands", "pairs/h200", "proj_tensor_before", Gave(56.14)),
    ("narrow-fence", "pairs/h200", "relax_fenced", Gave(65.86)),
    ("overlap-epilogue", "pairs/h200", "wgmma_kept", Gave(5.96)),
    ("register-tile", "pairs/h200", "sgemm_ahead", Gave(50.58)),
    ("regroup", "pairs/h200", "kinds_mixed", Gave(48.04)),
    ("reuse-in-sm", "pairs/h200", "heat_tiled", Needs(DRAM)),
    ("smaller-code", "pairs/h200", "mix_unrolled", Gave(17.38)),
    ("sort-by-index", "pairs/h200", "probe_small", Gave(87.25)),
    ("unconflict", "pairs/h200", "hadamard_plain", Gave(26.21)),
    ("whole-waves", "pairs/h200", "lookup_third", LastWave),
    ("wide-loads", "collected/patch_embed_gemm/profile", "patch_embed_gemm", Gave(22.28)),
    ("smaller-blocks", "pairs/h100", "segment_max_before", Gave(90.55)),
    ("wide-shared", "h200/gemm_bias_v2", "gemm_bias_v2", Gave(39.47)),
    ("wider-products", "pairs/h200", "wgmma_narrow", Gave(43.78)),
];

/// Levers that need stated work, or readings set by hand, or are too little for a row: each has a test of its own, here or beside the rules.
const BY_HAND: [&str; 3] = ["other-call", "rebuild", "tensor-generation"];

/// What is expected of rows whose ceiling says nothing of their formula, in percent: a warp that covers a patch of a plane, a loop that is left
/// once its answer stands, loads that no store holds back, flags that queue for DRAM, lanes that take the next point. 0 where there must be no
/// row: lanes that are off leave gaps that no order closes, what a loaded flag lets run is at no loaded place, and a load that a warp waits
/// for once takes seven times as long as in an idle chip.
const EXPECTED: [(&str, &str, f64); 8] = [
    ("coalesce", "affine_warp_before", 34.67),
    ("fewer-instructions", "in_any_sphere_before", 48.35),
    ("keep-in-registers", "unmix_before", 28.80),
    ("fewer-bytes", "cloud_mask_before", 3.91),
    ("coalesce", "cloud_mask_before", 0.0),
    ("sort-by-index", "valid_mean_before", 0.0),
    ("regroup", "escape_before", 54.39),
    ("more-in-flight", "embed_bwd_before", 0.0),
];

#[test]
fn what_is_expected_of_a_row_follows_from_its_formula() {
    let dumped = dump("pairs/h100.ncu-repz");
    for (code, kernel, expected) in EXPECTED {
        let launch = dumped.launches.iter().find(|launch| launch.name == kernel).expect(kernel);
        let row = launch.levers.iter().find(|row| row.code == code && row.is_ours());
        if expected == 0.0 {
            assert!(row.is_none(), "{code} of {kernel}: {:?}", row.map(|row| row.expected));
            continue;
        }
        let found = row.and_then(|row| row.expected);
        assert!((found.unwrap_or_default() - expected).abs() < ROUNDED, "{code} of {kernel}: {found:?}");
    }
}

/// Ceilings are written to two decimals.
const ROUNDED: f64 = 0.006;

#[test]
fn every_lever_has_a_ceiling_that_stands() {
    let named: BTreeSet<&str> = CEILINGS.iter().map(|row| row.0).chain(BY_HAND).collect();
    assert_eq!(named, catalog::levers().iter().map(|row| row.code).collect());
    let mut dumps = BTreeMap::new();
    let mut wrong = Vec::new();
    for (code, report, kernel, ceiling) in CEILINGS {
        let file = format!("{report}.ncu-repz");
        let (dumped, read) = dumps.entry(report).or_insert_with(|| {
            let read = source::read_profile(&fixtures().join(&file), &analysis::want()).expect("readable");
            (dump(&file), read)
        });
        let own = read.launches.iter().find(|launch| &*launch.function == kernel);
        let ceiling = own.and_then(|launch| ceiling.percent(launch));
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
    let found = audit.now.levers.iter().find(|lever| lever.code.to_string() == action);
    found.unwrap_or_else(|| panic!("{action}: {:?}", audit.now.levers))
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
    let [half, most] = [(0.5, "394 MB"), (0.8, "630 MB")].map(|(part, bytes)| {
        let audit = stated(part);
        let said = lever(&audit, "fewer-bytes");
        assert!(said.why.to_plain().ends_with(&format!("; the stated work has {bytes}")), "{said:?}");
        said.bound.expect("a ceiling")
    });
    // The pipe needs between its share of the peak and all of the time; 0.3 of that lies between the two.
    assert!((0.3 * 92.6..=0.3 * 100.0).contains(&(half - most)), "{half} − {most}");
    assert!(stated(1.0).now.levers.iter().all(|lever| lever.code.to_string() != "fewer-bytes"));
}

/// Bytes that DRAM need not move are none that the SMs do not ask of L2, which is full of their stores.
#[test]
fn bytes_of_dram_leave_what_the_sms_ask_of_l2() {
    let (report, views) = report("collected/transpose_naive/profile");
    let moved = value(&report, "dram__bytes_read.sum") + value(&report, "dram__bytes_write.sum");
    let work = Work { bytes: Some((moved / 1.13) as u64), ..Work::default() };
    let limits = Limits { overrides: BTreeMap::from([(Threshold::LeverLeast, 0.0)]) };
    let audit = analysis::audit(&judged::evidence(&report, &views, &work), &limits);
    let l2 = audit.now.bottleneck.units.iter().find(|unit| unit.part == Part::MemoryL2).expect("L2");
    let said = audit.now.levers.iter().find(|lever| lever.code.to_string() == "fewer-bytes");
    assert!(l2.share > 0.8 && said.is_none_or(|said| said.bound <= Some(100.0 * (1.0 - l2.share))), "{said:?}");
}
