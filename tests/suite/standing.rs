//! What holds of a kernel whatever way its code is written: work that stays, lanes without a thread, code that nobody counted, and what a
//! report does not hold. On reports of our own from which counters are taken, or in which they are set.

use crate::brief_sections::{says, sections};
use crate::judged;
use crate::rules::{one, report, set, value, with};
use kernel_audit::analysis::{Audit, Confidence, Lever, Where, Work};
use kernel_audit::catalog::Code;
use kernel_audit::evidence::{Dim3, Report, SourceView};

const WAVES: &str = "launch__waves_per_multiprocessor";

fn audit(report: &Report, views: &[SourceView]) -> Audit {
    judged::audit(report, views, &Work::default())
}

fn lever<'a>(audit: &'a Audit, action: &str) -> Option<&'a Lever> {
    audit.now.levers.iter().find(|lever| lever.code.to_string() == action)
}

fn bound(audit: &Audit, action: &str) -> Option<f64> {
    lever(audit, action)?.bound
}

fn has(audit: &Audit, code: Code) -> bool {
    audit.now.findings.iter().any(|finding| finding.code == code)
}

fn without(report: &mut Report, names: &[&str]) {
    report.launches[0].metrics.retain(|metric| !names.contains(&&*metric.name));
}

/// A kernel whose instructions nobody counted, with its code, and without.
fn uncounted(name: &str, kernel: &str, change: impl Fn(&mut Report)) -> [Audit; 2] {
    let (mut report, mut views) = one(name, kernel);
    report.launches.truncate(1);
    report.launches[0].metrics.retain(|metric| !metric.name.starts_with("sass__inst_executed_per_opcode"));
    change(&mut report);
    report.launches[0].metrics.sort_by(|a, b| a.name.cmp(&b.name));
    views.iter_mut().for_each(|view| view.columns.clear());
    [audit(&report, &views), audit(&report, &[])]
}

#[test]
fn products_of_a_loop_that_nobody_counted_stay() {
    let [known, unknown] = uncounted("pairs/h200", "sgemm_tile", |_| {});
    let [with, none] = [&known, &unknown].map(|audit| bound(audit, "fewer-instructions"));
    assert!(with.zip(none).is_none_or(|(with, none)| with < none - 5.0), "{with:?} {none:?}");
    // Reuse leaves the products of the code, and without it half of what their pipe does: the rest may make addresses.
    let [with, none] = [&known, &unknown].map(|audit| bound(audit, "reuse-in-sm").expect("a bound"));
    assert!((none - (100.0 + with) / 2.0).abs() < 5.0, "{with} {none}");
    // Its registers hold the sums.
    assert!(lever(&known, "more-warps").is_none());
}

#[test]
fn lanes_that_are_regrouped_save_no_more_than_idle_ones() {
    let (report, views) = report("collected/divergent/profile");
    let row = audit(&report, &views);
    let why = lever(&row, "regroup").unwrap().why.to_plain();
    let lanes: f64 = why.split(' ').next().unwrap().parse().unwrap();
    let most = bound(&row, "regroup").unwrap();
    assert!((most - 100.0 * (1.0 - lanes / 32.0)).abs() < 0.5, "{most} of {lanes}");
}

#[test]
fn code_without_a_way_back_is_no_loop_to_split() {
    let small = |report: &mut Report| {
        report.launches[0].grid = Some(Dim3([8, 1, 1]));
        set(report, WAVES, 0.06);
    };
    for (kernel, splits) in [("transpose_naive", false), ("tiny_grid", true)] {
        let [known, unknown] = uncounted(&format!("collected/{kernel}/profile"), kernel, small);
        let is_row = |audit: &Audit| lever(audit, "more-blocks").is_some();
        assert_eq!((is_row(&known), is_row(&unknown)), (splits, true), "{kernel}");
    }
    // The SMs count what their schedulers do.
    let of = |instructions: f64| {
        let [_, unknown] = uncounted("collected/transpose_naive/profile", "transpose_naive", |report| {
            small(report);
            without(report, &["smsp__inst_executed.sum"]);
            set(report, "sm__inst_executed.sum", 8.0 * 8.0 * instructions);
        });
        lever(&unknown, "more-blocks").is_some()
    };
    assert_eq!([20.0, 2000.0].map(of), [false, true]);
}

#[test]
fn the_chain_of_the_last_warp_is_no_work_for_more_blocks() {
    let of = |warps: f64| {
        let (mut report, views) = report("collected/tiny_grid/profile");
        set(&mut report, "sm__warps_active.avg.per_cycle_active", warps);
        audit(&report, &views)
    };
    let (lone, all) = (of(0.9), of(8.0));
    assert!(lever(&lone, "more-blocks").is_none() && lever(&all, "more-blocks").is_some());
    let row = lever(&lone, "even-blocks").expect("a row");
    assert!(row.why.to_plain().ends_with("0.9 are there on average: one chain is the time"), "{}", row.why.to_plain());
    assert!(row.bound.is_none() && lever(&all, "even-blocks").is_none());
}

#[test]
fn what_waits_for_local_memory_waits_for_no_load_in_flight() {
    for (name, kernel) in [("pairs/h200", "smallest_local"), ("pairs/h100", "rotated_iou_before")] {
        let (mut report, views) = one(name, kernel);
        let has_row = |report: &Report| lever(&audit(report, &views), "more-in-flight").is_some();
        assert!(!has_row(&report), "{kernel}");
        set(&mut report, "memory_l2_theoretical_sectors_local", 0.0);
        assert!(has_row(&report), "{kernel} where none touched local memory");
    }
}

#[test]
fn lines_that_cross_l2_take_their_sectors_and_not_what_its_fabric_reads() {
    let of = |others: &[(&str, f64)]| {
        let fabric = ("lts__throughput.avg.pct_of_peak_sustained_elapsed", 80.0);
        bound(&with("collected/layernorm/profile", &[&[fabric], others].concat()), "more-in-flight").expect("a bound")
    };
    assert!(of(&[]) > 80.0, "{}", of(&[]));
    assert!(of(&[("lts__t_sectors.sum", 1e12)]) <= 20.0, "{}", of(&[("lts__t_sectors.sum", 1e12)]));
}

#[test]
fn blocks_that_are_no_whole_warps_leave_lanes_without_a_thread() {
    let of = |threads: u64| {
        let (mut report, views) = report("collected/divergent/profile");
        report.launches[0].block = Some(Dim3([threads, 1, 1]));
        audit(&report, &views)
    };
    let (part, whole) = (of(10), of(32));
    let finding = part.now.findings.iter().find(|finding| finding.code == Code::PartialWarps).expect("a finding");
    assert_eq!(finding.sentence.to_plain(), "A block has 10 threads in 1 warp: 68.8 % of the lanes have none.");
    assert!(bound(&part, "larger-blocks").is_some_and(|most| most <= 68.8), "{:?}", bound(&part, "larger-blocks"));
    assert!(!has(&whole, Code::PartialWarps) && lever(&whole, "larger-blocks").is_none());
    // 9.4 lanes of 10 are no branches.
    assert!(!has(&part, Code::Divergence) && has(&whole, Code::Divergence));
}

#[test]
fn a_slice_of_l2_at_its_roof_is_told_beside_a_busy_unit() {
    let of = |most: f64| {
        let slices = [("lts__t_sectors.avg", 39.0), ("lts__t_sectors.max", most)];
        let named: Vec<(String, f64)> =
            slices.iter().map(|(name, share)| (format!("{name}.pct_of_peak_sustained_elapsed"), *share)).collect();
        let set: Vec<(&str, f64)> = named.iter().map(|(name, share)| (name.as_str(), *share)).collect();
        has(&with("collected/histogram_keys/profile", &set), Code::AtomicContention)
    };
    assert_eq!([87.0, 80.0].map(of), [true, false]);
}

#[test]
fn a_build_for_a_debugger_is_built_again_before_it_is_profiled_again() {
    let copy = cuda_binary::sass::decode(0x003f_de00_0000_0f00_0000_0007_0007_7202, 0, (9, 0));
    let of = |is_meant: &dyn Fn(u64) -> bool| {
        let (mut report, mut views) = report("collected/bank_conflict/profile");
        let counts = views[0].counts("inst_executed").unwrap();
        for (row, executed) in views[0].instructions.iter_mut().zip(&counts).filter(|(_, own)| is_meant(**own)) {
            assert!(*executed < u64::MAX);
            (row.word, row.text, row.opcode) = (Some(copy), None, None);
        }
        report.launches[0].metrics.retain(|metric| !metric.name.contains("issue_stalled"));
        audit(&report, &views)
    };
    let debug = of(&|executed| executed > 0);
    assert!(has(&debug, Code::UnoptimisedBuild) && debug.now.levers[0].at == Where::Build);
    let page = sections(&debug);
    assert!(page["next"].iter().all(|line| !line.contains("ollect")), "{:#?}", page["next"]);
    says(&page["next"], "| build ");
    // Copies that no warp runs are none.
    assert!(!has(&of(&|executed| executed == 0), Code::UnoptimisedBuild));
}

#[test]
fn a_tile_leaves_of_dram_what_the_work_states() {
    let (report, views) = one("pairs/h100", "conv3x3_before");
    let dram = value(&report, "dram__bytes_read.sum") + value(&report, "dram__bytes_write.sum");
    let of = |bytes: Option<u64>| {
        let audit = judged::audit(&report, &views, &Work { bytes, ..Work::default() });
        bound(&audit, "reuse-in-sm").unwrap()
    };
    let [none, half, all] = [None, Some(0.5 * dram), Some(dram)].map(|bytes| of(bytes.map(|bytes| bytes as u64)));
    assert!(none > all + 1.0 && (none..=all).is_empty() && half >= all, "{none} {half} {all}");
}

#[test]
fn the_name_of_a_librarys_kernel_tells_alignment_and_age() {
    let (mut report, views) = report("collected/bank_conflict/profile");
    report.launches[0].name = "cutlass::Kernel2<cutlass_80_wmma_tensorop_i161616gemm_s8_32x32_64x1_nn_align4>".into();
    let why = audit(&report, &views).now.levers[0].why.to_plain();
    assert!(
        why.contains(
            "aligned to 4 bytes: pad the leading dimensions to 16 bytes; it is written for 8.0, and this chip is 9.0"
        ),
        "{why}"
    );
}

#[test]
fn a_unit_at_its_roof_is_told_by_its_counter() {
    let [known, _] = uncounted("collected/stream_triad/profile", "stream_triad", |_| {});
    assert_eq!(known.now.bottleneck.confidence, Confidence::Medium);
}

#[test]
fn instructions_of_functions_that_are_not_held_do_not_spin() {
    let (mut report, mut views) = report("collected/jacobi_tiles/profile");
    let own = value(&report, "smsp__inst_executed.sum");
    set(&mut report, "smsp__inst_executed.sum", 2.0 * own);
    says(&sections(&audit(&report, &views))["instructions"], "waits turn more often in another pass");
    // `CALL.ABS.NOINC R2`, as of `malloc`: to a place that is none of the section.
    let call = cuda_binary::sass::decode(0x002f_ea00_03c0_0000_0000_0000_0200_7343, 0, (9, 0));
    let row = &mut views[0].instructions[0];
    (row.word, row.text, row.opcode) = (Some(call), None, None);
    says(&sections(&audit(&report, &views))["instructions"], "lie in functions whose code the report does not hold");
}

#[test]
fn sectors_that_lanes_ask_for_one_by_one_are_no_stream() {
    const LONG: &str = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
    let probe = with("collected/hash_probe/profile", &[]);
    let why = probe.now.bottleneck.sentence.to_plain();
    assert!(why.contains("whose fabric brings each lane a sector of its own"), "{why}");
    // Where nobody waits for them there is no order to put them in, and no neighbour to fuse with.
    let roof = with("collected/hash_probe/profile", &[(LONG, 10.0)]).now.bottleneck.roof.expect("a roof").to_plain();
    assert!(roof.contains("beside the work of DRAM for sectors that lanes ask for one by one"), "{roof}");
    assert!(roof.contains("fewer look-ups, a smaller table") && !roof.contains("fuse"), "{roof}");
}
