//! The roofline against NVIDIA's own percentages and against sums written out.

use crate::judged;
use crate::labelled::report_of;
use crate::project::Project;
use kernel_audit::analysis::{Audit, Flag, Roofline, Work, want};
use kernel_audit::evidence::Report;
use kernel_audit::source;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn read(path: &Path) -> Report {
    source::read_profile(path, &want()).expect("readable")
}

fn audit(report: &Report, work: Work) -> Audit {
    judged::audit(report, &[], &work)
}

fn labelled(kernel: &str, work: Work) -> Roofline {
    audit(&read(&report_of(kernel)), work).now.roofline
}

fn share(roofline: &Roofline, id: &str) -> Option<f64> {
    roofline.ceilings.iter().find(|ceiling| ceiling.id == id)?.share()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

/// The percentages of FP32 and FP64 peak in the text of NVIDIA's rule.
fn nvidia(report: &Report) -> Option<(f64, f64)> {
    let rule = report.launches[0].rules.iter().find(|rule| rule.id.as_str() == "SOLFPRoofline")?;
    let text = rule.messages.iter().map(|message| message.text.as_str()).find(|text| text.contains("achieved"))?;
    let mut percents = text
        .split_once("achieved")?
        .1
        .split('%')
        .map(|part| part.rsplit(' ').next().and_then(|number| number.parse::<f64>().ok()));
    Some((percents.next()??, percents.next()??))
}

#[test]
fn shares_of_the_fp32_and_fp64_peak_are_nvidias() {
    let mut compared = 0;
    let labelled = std::fs::read_dir(fixtures().join("labelled")).expect("the folder").flatten().map(|f| f.path());
    let gemm = ["gemm_bias_v1", "gemm_bias_v2"].map(|name| fixtures().join(format!("h200/{name}.ncu-repz")));
    for path in labelled.filter(|path| path.extension().is_some_and(|e| e == "ncu-repz")).chain(gemm) {
        let report = read(&path);
        let Some((fp32, fp64)) = nvidia(&report) else { continue };
        let roofline = audit(&report, Work::default()).now.roofline;
        for (id, theirs) in [("fp32", fp32), ("fp64", fp64)] {
            let ours = share(&roofline, id).expect("measured");
            assert!((ours - theirs).abs() <= 0.5, "{path:?} {id}: {ours} here, {theirs} there");
        }
        compared += 1;
    }
    assert_eq!(compared, 20);
}

#[test]
fn the_dram_ceiling_by_hand() {
    // 1504 byte/cycle × 3,198,502,202.643172 cycle/s = 4,810,547,312,775.33 byte/s, of which 4,337,418,149,779.7354 were
    // reached: 90.1648 %, the same as dram__cycles_active says in another way.
    let roofline = labelled("stream_triad", Work::default());
    let dram = roofline.ceilings.iter().find(|ceiling| ceiling.id == "dram").expect("DRAM");
    assert!(near(dram.peak.value().expect("peak"), 1504.0 * 3_198_502_202.643_172));
    assert!((dram.share().expect("share") - 90.164_8).abs() < 1e-3);
    // 6016 byte/cycle × 1,706,594,462.109168 cycle/s, of which 8,533,845,786,963.435 byte/s: 83.12 %.
    let l2 = share(&labelled("l2_resident", Work::default()), "l2").expect("L2");
    assert!(near(l2, 100.0 * 8_533_845_786_963.435 / (6016.0 * 1_706_594_462.109_168)), "{l2}");
}

#[test]
fn tensor_work_stands_under_its_dense_peak() {
    // QGMMA, E4M3: 1,095,015,333,888 operations = 2 × 928,256 × 768 × 768; 8192 a cycle and SM dense.
    let work = Work { flop: Some(2 * 928_256 * 768 * 768), ..Work::default() };
    let fp8 = labelled("patch_embed_gemm", work.clone());
    let tensor: Vec<_> = fp8.ceilings.iter().filter(|ceiling| ceiling.id.starts_with("tensor-")).collect();
    assert_eq!(tensor.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(), ["tensor pipe, FP8"]);
    assert!(near(tensor[0].peak.value().expect("peak"), 132.0 * 8192.0 * 1_789_167_768.167_274_2));
    assert!(near(tensor[0].achieved.value().expect("rate"), 772_879_258_814_229.2));
    assert!(
        fp8.flags.iter().any(|flag| matches!(flag, Flag::Operations { stated: 1_095_015_333_888.0, .. })),
        "{:?}",
        fp8.flags
    );

    // HMMA: the total src_fp16 has the sparse peak and counts the same operations again; only the detailed row is shown.
    let fp16 = labelled("patch_embed_gemm_mma", work);
    let tensor: Vec<_> = fp16.ceilings.iter().filter(|ceiling| ceiling.id.starts_with("tensor-")).collect();
    assert_eq!(tensor.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(), ["tensor pipe, FP16 (HMMA, FP32 result)"]);
    assert!(near(tensor[0].peak.value().expect("peak"), 360_448.0 * 1_795_071_435.216_895_6));
}

#[test]
fn tensor_work_without_a_counter_is_counted_by_its_opcodes() {
    for kernel in ["patch_embed_gemm", "patch_embed_gemm_mma"] {
        let counted = labelled(kernel, Work::default());
        let mut report = read(&report_of(kernel));
        let is_rate = |name: &str| name.starts_with("sm__ops_path_tensor_") && name.ends_with(".sum.per_second");
        report.launches[0].metrics.retain(|metric| !is_rate(&metric.name));
        let by_opcode = audit(&report, Work::default()).now.roofline;
        let tensor = |roofline: &Roofline| {
            let found: Vec<_> = roofline.ceilings.iter().filter(|c| c.id.starts_with("tensor-")).cloned().collect();
            assert_eq!(found.len(), 1, "{found:?}");
            found[0].clone()
        };
        let (counted, by_opcode) = (tensor(&counted), tensor(&by_opcode));
        assert!(
            near(by_opcode.achieved.value().expect("rate"), counted.achieved.value().expect("rate")),
            "{by_opcode:?}"
        );
        assert!(near(by_opcode.peak.value().expect("peak"), counted.peak.value().expect("peak")), "{by_opcode:?}");
    }
}

#[test]
fn tensor_work_that_nothing_counts_is_not_measured_and_never_zero() {
    let mut report = read(&fixtures().join("collected/patch_embed_gemm/profile.ncu-repz"));
    let counts = |name: &str| name.starts_with("sm__ops_path_tensor_") || name.contains("_with_modifier_all");
    report.launches[0].metrics.retain(|metric| !counts(&metric.name));
    let roofline = audit(&report, Work { flop: Some(1), ..Work::default() }).now.roofline;
    assert!(!roofline.flags.iter().any(|flag| matches!(flag, Flag::Operations { .. })), "{:?}", roofline.flags);
    assert!(roofline.ceilings.iter().all(|ceiling| !ceiling.id.starts_with("tensor-")));
    assert!(roofline.uncounted.contains(&("QGMMA".into(), 4_177_152.0)), "{:?}", roofline.uncounted);
}

#[test]
fn traffic_is_held_against_the_stated_bytes() {
    let flags = |kernel, bytes| labelled(kernel, Work { bytes: Some(bytes), ..Work::default() }).flags;
    let triad = flags("stream_triad", 3 * 256 * 1024 * 1024);
    let is_less = |flag: &Flag| matches!(flag, Flag::Traffic { moved, stated } if moved < stated);
    assert!(triad.iter().any(is_less), "{triad:?}");
    let strided = flags("strided_copy", 2 * 256 * 1024 * 1024);
    assert!(
        strided.iter().any(|flag| matches!(flag, Flag::Traffic { moved, stated } if moved > stated)),
        "{strided:?}"
    );
    // Useful bytes are no footprint: only the sizes of the buffers say what fits in L2.
    let resident = flags("l2_resident", 16 * 1024 * 1024);
    assert!(!resident.iter().any(|flag| matches!(flag, Flag::FitsInL2 { .. })), "{resident:?}");
}

#[test]
fn a_report_of_the_basic_set_says_what_the_roofline_needs() {
    let report = read(&fixtures().join("h200/both_basic.ncu-repz"));
    let roofline = audit(&report, Work::default()).now.roofline;
    assert!(roofline.ceilings.is_empty() && roofline.points.is_empty());
    assert!(roofline.not_measured.iter().any(|label| label == "DRAM"));
}

#[test]
fn a_question_without_its_evidence_is_not_answered_no() {
    let lacking = |name: &str, lacks: Option<&str>| {
        let steps = audit(&read(&fixtures().join(name)), Work::default()).now.bottleneck.steps;
        let own = steps.iter().filter(|step| step.held.is_none() && step.lacks == lacks);
        own.map(|step| step.question).collect::<Vec<&str>>()
    };
    let basic = "h200/both_basic.ncu-repz";
    assert!(lacking(basic, Some("stall reasons")).contains(&"Does the code leave the instruction cache?"));
    assert!(lacking(basic, Some("samples by instruction")).contains(&"Is the tensor pipe idle in the epilogue?"));
    assert!(lacking(basic, None).contains(&"Are blocks whole warps?"));
    assert!(lacking("h200/gemm_bias_v2.ncu-repz", None).contains(&"Does the code leave the instruction cache?"));
}

#[test]
fn l1_counts_the_loads_of_shared_memory() {
    // 16,896 byte/cycle × 1,975,531,311.147 cycle/s = 33.378 TB/s, busy for 86.42745 %: 28.848 TB/s. Without the loads of
    // shared memory it would be 0.90 TB/s.
    let report = read(&fixtures().join("h200/gemm_bias_v2.ncu-repz"));
    let roofline = audit(&report, Work::default()).now.roofline;
    let l1 = roofline.ceilings.iter().find(|ceiling| ceiling.id == "l1").expect("L1");
    assert!(near(l1.peak.value().expect("peak"), 16_896.0 * 1_975_531_311.147_270_4));
    assert!((l1.share().expect("share") - 86.427_447_8).abs() < 1e-6);
    let point = roofline.points.iter().find(|p| p.compute == "fp32" && p.memory == "l1").expect("a point");
    assert!(point.is_under_slope && (point.intensity - 0.242).abs() < 1e-3, "{point:?}");
}

#[test]
fn halves_that_only_make_constants_are_no_work() {
    let copy = labelled("strided_copy", Work::default());
    assert!(copy.points.iter().all(|point| point.compute != "fp16"), "{:?}", copy.points);
    // 4.297 G operations were stated; with the constants the counters would say 4.314 G.
    let report = read(&fixtures().join("h200/gemm_bias_v2.ncu-repz"));
    let flags = audit(&report, Work { flop: Some(4_297_064_448), ..Work::default() }).now.roofline.flags;
    let is_whole =
        |flag: &Flag| matches!(flag, Flag::Operations { counted, stated } if (counted / stated - 1.0).abs() < 1e-9);
    assert!(flags.iter().any(is_whole), "{flags:?}");
}

#[test]
fn a_total_beside_its_dense_and_sparse_parts_is_counted_once() {
    let work = Work { flop: Some(2 * 928_256 * 768 * 768), ..Work::default() };
    let report = read(&fixtures().join("collected/patch_embed_gemm/profile.ncu-repz"));
    let launch = &report.launches[0];
    let both = ["sm__ops_path_tensor_src_fp8", "sm__ops_path_tensor_src_fp8_sparsity_off"]
        .map(|name| launch.metric(format!("{name}.sum.per_second")).and_then(|metric| metric.quantity()));
    assert_eq!(both[0].unwrap().value(), both[1].unwrap().value(), "the report holds both, of the same operations");
    let roofline = audit(&report, work).now.roofline;
    let tensor: Vec<&str> =
        roofline.ceilings.iter().map(|ceiling| ceiling.id.as_str()).filter(|id| id.starts_with("tensor-")).collect();
    assert_eq!(tensor, ["tensor-src-fp8-sparsity-off"]);
    let points = roofline.points.iter().filter(|point| point.compute.contains("fp8")).count();
    assert_eq!(points, 3, "one for each level of memory");
    // 2 × 928,256 × 768 × 768 = 1,095.015 G operations stated; the additions of the epilogue in FP32 come on top.
    let counted = roofline.flags.iter().find_map(|flag| match flag {
        Flag::Operations { counted, stated } => Some(counted / stated),
        _ => None,
    });
    assert!((counted.expect("it is compared") - 1.0013).abs() < 1e-4, "{counted:?}");
}

/// The products of one version are of FP8, those of the other of BF16: each counters' zero is none counted, and not a gap.
#[test]
fn a_tensor_type_of_one_side_has_a_row_of_its_own() {
    let side = |name: &str| fixtures().join(format!("collected/{name}/profile.ncu-repz")).display().to_string();
    let (new, old) = (side("mxfp4_moe_small_m"), side("mxfp4_moe_small_m_e4m3"));
    let project = Project::new();
    let words = ["generate", "--report", &new, "--baseline", &old, "--name", "x", "--template", "full", "--out", "o"];
    project.words(&[&words[..], &["--date", "2026-01-01"]].concat()).done();
    let page = project.read("o/2026-01-01-x.md");
    let rows = |begin: &str| -> Vec<String> {
        let own = page.lines().filter(|line| line.starts_with(begin));
        own.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let [ceiling, points @ ..] = &rows("| tensor pipe, FP8 ")[..] else { panic!("{page}") };
    assert!(
        ceiling.starts_with("| tensor pipe, FP8 | 1.90 PFLOP/s (old side) | 426.60 TFLOP/s | 22.45 % | none counted |")
    );
    assert_eq!(points.len(), 3, "{points:#?}");
    assert!(points.iter().all(|point| point.ends_with("| no point | | | | |")), "{points:#?}");
    let own = rows("| tensor pipe, BF16 ").remove(0);
    assert!(own.contains("| 945.51 TFLOP/s | none counted | |"), "{own}");
}
