//! Checklists, the instruction line and the tile arithmetic on measured kernels.

use crate::judged;
use kernel_audit::analysis::{self, Audit, Expectation, Judgement, Limits, Role, Tiles, Work, want_for};
use kernel_audit::catalog::{self, Operator};
use kernel_audit::config::Config;
use kernel_audit::render::Templates;
use kernel_audit::source;
use kernel_audit::view::{self, Heading};
use std::path::{Path, PathBuf};

fn audit(report: &str, work: Work) -> Audit {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(report);
    let report = source::read_profile(&path, &want_for(&work)).expect("readable");
    let launch = analysis::subject_launch(&report, &analysis::Selection::default()).expect("one kernel");
    let (id, want) = (launch.id, analysis::source_want(&[launch]));
    let views = source::read_source_views(&path, &want, |head| head.id == id, &[]).unwrap_or_default();
    judged::audit(&report, &views, &work)
}

fn with_profile(report: &str, id: &str) -> Audit {
    let expected = Expectation::of_checklist(catalog::checklist(id).expect("a checklist"), &Limits::default());
    audit(report, Work { expected, ..Work::default() })
}

fn outcomes(audit: &Audit) -> Vec<(&str, Judgement)> {
    audit.checks.iter().map(|line| (line.expected.reading.as_str(), line.outcome)).collect()
}

#[test]
fn a_tensor_kernel_against_its_checklist() {
    use Judgement::{DoesNotApply, Fails, Holds};
    let audit = with_profile("collected/patch_embed_gemm/profile.ncu-repz", "tensor-gemm");
    assert_eq!(
        outcomes(&audit),
        [
            ("tensor.instructions", Holds),
            ("tensor.busy", Fails), // 40.09 % where 70 % is wanted
            ("sm__throughput.avg.pct_of_peak_sustained_elapsed", Fails),
            ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", Fails),
            ("stall-sum.memory", Fails), // 26.58 %
            ("stall.barrier", Holds),    // 23.0 %
            ("shared.conflict-share", Holds),
            ("sass__inst_executed_register_spilling", Holds),
            // One block of it takes the registers of an SM, by design.
            ("sm__warps_active.avg.pct_of_peak_sustained_active", DoesNotApply),
        ]
    );
    // Of its 55.36 % barriers, 55 % of the samples are at WARPGROUP.DEPBAR (0x840 and 0x8a0 of the listing), and 43 % are warps that
    // are done, at the last barrier: next to nothing is left of a bubble.
    let cluster = with_profile("collected/gemm_bf16_cluster/profile.ncu-repz", "tensor-gemm");
    // Where the tensor cores are busy (83.87 %), memory need not be: 54.77 %.
    let spared: Vec<&str> = outcomes(&cluster).iter().filter(|one| one.1 == DoesNotApply).map(|one| one.0).collect();
    assert_eq!(
        spared,
        [
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
            "sm__warps_active.avg.pct_of_peak_sustained_active"
        ]
    );
    assert_eq!(Judgement::DoesNotApply.word(Role::Check), "n/a");
    let barrier = cluster.checks.iter().find(|line| line.expected.reading == "stall.barrier").expect("the line");
    assert_eq!((barrier.outcome, barrier.found.value().map(|share| share < 2.0)), (Holds, Some(true)));
    let triad = with_profile("labelled/stream_triad.ncu-repz", "memory-bound");
    assert!(triad.checks.iter().all(|line| line.outcome == Holds), "{:?}", outcomes(&triad));
    let spilling = with_profile("labelled/spilling.ncu-repz", "memory-bound");
    assert!(outcomes(&spilling).contains(&("sass__inst_executed_register_spilling", Fails)));
}

#[test]
fn the_place_of_a_stall_is_known_from_any_family() {
    let families = [
        ("smsp__average_warps_issue_stalled_", "_per_issue_active.pct"),
        ("smsp__warps_issue_stalled_", ".avg.pct_of_peak_sustained_active"),
    ];
    for (prefix, suffix) in families {
        let line = |reason: &str, value: &str| {
            format!(
                "\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(128, 1, 1)\",\"(132, 1, 1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"{prefix}{reason}{suffix}\",\"%\",\"{value}\"\n"
            )
        };
        let head = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("raw.csv");
        std::fs::write(&path, format!("{head}{}{}", line("barrier", "150"), line("wait", "50"))).unwrap();
        let expected = vec![Expectation::own("stall-rank.barrier", Operator::Equal, 1.0, None)];
        let audit = audit(path.to_str().unwrap(), Work { expected, ..Work::default() });
        assert_eq!(outcomes(&audit), [("stall-rank.barrier", Judgement::Holds)], "{suffix}");
    }
}

#[test]
fn the_place_of_a_stall_that_was_not_collected_is_not_known() {
    let metric = |reason: &str| format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio");
    let ranks = |gone: &str, reason: &str| {
        let path = format!("{}/tests/fixtures/h200/gemm_bias_v1.ncu-repz", env!("CARGO_MANIFEST_DIR"));
        let mut report = source::read_profile(Path::new(&path), &analysis::want()).unwrap();
        report.launches.iter_mut().for_each(|launch| launch.metrics.retain(|own| *own.name != *metric(gone)));
        let expected = vec![Expectation::own(&format!("stall-rank.{reason}"), Operator::AtMost, 20.0, None)];
        judged::audit(&report, &[], &Work { expected, ..Work::default() }).checks[0].outcome
    };
    assert_eq!(ranks("none", "barrier"), Judgement::Holds);
    assert_eq!(ranks("barrier", "barrier"), Judgement::NotMeasured);
    // Nine tenths of the time have no reason: which one is second is anyone's guess.
    assert_eq!(ranks("lg_throttle", "barrier"), Judgement::NotMeasured);
}

#[test]
fn rows_that_find_no_room_are_counted_and_predictions_stay() {
    let own = |reading: &str, least| Expectation::own(reading, Operator::AtLeast, least, None);
    let mut expected: Vec<Expectation> = (0..12).map(|at| own("stall.barrier", 200.0 + f64::from(at))).collect();
    expected.insert(3, own("no__such.sum", 1.0));
    let audit = audit("labelled/stream_triad.ncu-repz", Work { expected, ..Work::default() });
    let page = Templates::load(None).unwrap().page("audit", &view::document(&Heading::default(), &audit)).unwrap();
    let rows = page.lines().filter(|line| line.ends_with("| FAIL |") && line.starts_with("| stall.barrier")).count();
    assert_eq!(rows, 10, "what fails goes first\n{page}");
    assert!(page.contains("And 3 more: 2 FAIL, 1 NOT MEASURED."), "{page}");
}

#[test]
fn what_was_not_collected_is_not_measured() {
    let audit = with_profile("h200/both_basic.ncu-repz", "moe-decode");
    for (reading, outcome) in outcomes(&audit) {
        let is_basic = reading == "launch__waves_per_multiprocessor";
        assert_eq!(outcome == Judgement::NotMeasured, !is_basic, "{reading}: {outcome:?}");
    }
    let triad = with_profile("labelled/stream_triad.ncu-repz", "moe-decode");
    let conflicts = outcomes(&triad).into_iter().find(|(reading, _)| *reading == "shared.conflict-share");
    assert_eq!(conflicts, Some(("shared.conflict-share", Judgement::NotMeasured)), "a kernel without shared memory");
}

#[test]
fn own_checks_reach_any_metric_of_the_report() {
    let rare = "lts__average_t_sector_op_write_hit_rate.pct";
    let own = |reading, op, value| Expectation::own(reading, op, value, None);
    let expected = vec![
        own("dram__cycles_elapsed.max.per_second", Operator::Above, 3e9),
        own("stall.long_scoreboard", Operator::Below, 25.0),
        own(rare, Operator::Above, 0.0),
    ];
    let audit = audit("labelled/stream_triad.ncu-repz", Work { expected, ..Work::default() });
    assert_eq!(
        audit.checks.iter().map(|line| line.outcome).collect::<Vec<_>>(),
        [Judgement::Holds, Judgement::Fails, Judgement::NotMeasured]
    );
    assert_eq!(audit.checks[1].expected.label, "stall.long_scoreboard < 25");
}

#[test]
fn every_reading_of_the_catalogs_checklists_is_measured_on_a_full_report() {
    for profile in catalog::checklists() {
        let audit = with_profile("h200/gemm_bias_v2.ncu-repz", &profile.id);
        for line in &audit.checks {
            // This kernel has no tensor instructions, but its report says so.
            assert_ne!(line.outcome, Judgement::NotMeasured, "{}: {}", profile.id, line.expected.reading);
        }
    }
}

#[test]
fn instructions_and_predication_by_hand() {
    // 11,782,880,768 of 12,056,024,064 threads are predicated on: 97.734 %. QGMMA 4,177,152 of 376,750,752: 1.1087 %.
    let mix = audit("collected/patch_embed_gemm/profile.ncu-repz", Work::default()).now.mix;
    let near = |found: Option<f64>, expected: f64| (found.expect("measured") - expected).abs() < 1e-9 * expected;
    assert!(near(mix.predication.value(), 100.0 * 11_782_880_768.0 / 12_056_024_064.0));
    assert_eq!(mix.tensor.value(), Some(4_177_152.0));
    assert!(near(mix.tensor_share.value(), 100.0 * 4_177_152.0 / 376_750_752.0));
    // A report of the basic set says nothing about opcodes, and nothing is not zero.
    let basic = audit("h200/both_basic.ncu-repz", Work::default()).now.mix;
    assert!(basic.tensor.value().is_none() && basic.rows.is_empty());
}

#[test]
fn stores_follow_the_tile_arithmetic() {
    // 928256 / 128 rows of tiles × 768 / 256 columns, 8 warps with 16 stores each: 2,784,768.
    let tiles = Tiles { count: 7252 * 3, stores_per_warp: 16, warps: 8 };
    let of = |tiles| {
        audit("collected/patch_embed_gemm/profile.ncu-repz", Work { tiles: Some(tiles), ..Work::default() }).stores
    };
    let stores = of(tiles).expect("stated");
    assert_eq!(
        (stores.expected, stores.executed.value(), stores.ratio()),
        (Some(2_784_768), Some(2_784_768.0), Some(1.0))
    );
    assert_eq!(of(Tiles { warps: 4, ..tiles }).expect("stated").ratio(), Some(2.0));
    assert_eq!(of(Tiles { count: u64::MAX, ..tiles }).expect("stated").ratio(), None);
}

#[test]
fn the_configuration_states_checklists_expectations_and_tiles() {
    let parse = |text: &str| Config::parse(Path::new("audit.toml"), text.into());
    let subject = r#"
[[subject]]
name = "gemm"
report = "gemm.ncu-rep"
checklists = ["tensor-gemm", "memory-bound"]
[subject.tiles]
count = "928256/128*(768/256)"
stores_per_warp = 16
warps = 8
[[subject.expect]]
metric = "stall.barrier"
op = "<"
value = 25
label = "Few bubbles"
"#;
    let config = parse(subject).expect("valid");
    let gemm = &config.subjects[0];
    assert_eq!(gemm.checklists, ["tensor-gemm", "memory-bound"]);
    assert_eq!(gemm.tiles.as_ref().map(|tiles| tiles.count.value()), Some(21_756));
    assert_eq!(gemm.expect[0].to_string().parse::<Expectation>().expect("as written"), gemm.expect[0]);
    let met = parse(&subject.replace("memory-bound", "memory-bond")).expect_err("unknown").to_string();
    assert!(met.contains("did you mean \"memory-bound\"?"), "{met}");
    let met = parse(&subject.replace("op = \"<\"", "op = \"less\"")).expect_err("no comparison").to_string();
    assert!(met.contains("expected one of <, <=, >, >=, ==, !=, found \"less\""), "{met}");
    assert!("stall.barrier 25".parse::<Expectation>().is_err() && "<25".parse::<Expectation>().is_err());
}
