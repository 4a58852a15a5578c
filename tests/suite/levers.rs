//! Levers and findings of single rules, on committed reports and against values worked out by hand.

use crate::committed::{self, Judged};
use crate::judged;
use crate::old_side::table;
use crate::rules::{one, with};
use kernel_audit::analysis::{
    self, Audit, Bound, Evidence, Lever, LeverOrigin, LimiterChange, Limits, PredictionMet, Work, want,
};
use kernel_audit::catalog::{Code, Part, StallReason};
use kernel_audit::evidence::{Report, SourceView};
use kernel_audit::source;
use std::fs;
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn read(name: &str) -> (Report, Vec<SourceView>) {
    let report = source::read_profile(&path(name), &want()).expect("readable");
    let launch = analysis::subject_launch(&report, &analysis::Selection::default()).expect("one kernel");
    let (id, want) = (launch.id, analysis::source_want(&[launch]));
    let views = source::read_source_views(&path(name), &want, |head| head.id == id, &[]).expect("readable");
    (report, views)
}

fn audited(name: &str, work: &Work) -> Audit {
    let (report, views) = read(name);
    judged::audit(&report, &views, work)
}

fn lever<'a>(audit: &'a Audit, action: &str) -> &'a Lever {
    let found = audit.now.levers.iter().find(|lever| lever.code.to_string() == action);
    found.unwrap_or_else(|| panic!("{action}: {:?}", audit.now.levers))
}

#[test]
fn an_estimate_of_nvidias_stands_beside_the_ceiling_here() {
    // Blocks that stay take their share of tiles, where NVIDIA counts a whole wave for the last; one block an SM is the design.
    let audit = audited("collected/gemm_bf16_cluster/profile.ncu-repz", &Work::default());
    let rows = table(&audit, "nvidia-rules").rows;
    let row = |title: &str| {
        let row = rows.iter().find(|row| row[0].words.to_plain() == title).expect(title);
        [&row[1], &row[2]].map(|cell| cell.words.to_plain())
    };
    assert_eq!(row("Tail Effect"), ["≤ 25.0 %", "none"]);
    assert_eq!(row("Theoretical Occupancy")[1], "none");
    assert_eq!(row("Issue Slot Utilization")[1], "", "no lever is about that");
}

#[test]
fn a_data_stage_full_of_operands_asks_for_wider_products() {
    let of = |name: &str| audited(&format!("collected/{name}/profile.ncu-repz"), &Work::default());
    let audit = of("narrow_products");
    // 24 wavefronts for 16 cycles, 48 for 64: the stage at 95.4 %, 94.2 of it operands, beside 62.8 % of the tensor pipe; 1.5 % of
    // the time no SM holds a block.
    let wider = lever(&audit, "wider-products");
    let sentence = wider.sentence.to_plain();
    assert!(sentence.starts_with("Products of 128 columns in place of 32"), "{sentence}");
    assert!((wider.bound.unwrap() - (100.0 - 62.79 - 1.48)).abs() < 0.1, "{wider:?}");
    let names = |audit: &Audit| audit.now.levers.iter().map(|lever| lever.code.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&audit)[0], "wider-products");
    assert!(!names(&audit).contains(&"reuse-in-sm".to_owned()), "no access of its own fills the stage");
    // 256 columns, operands in registers, and operands that are the smaller part of the stage.
    for name in ["narrow_products_wide", "mxfp4_moe_small_m_e4m3", "patch_embed_gemm_2_resident"] {
        assert!(!names(&of(name)).contains(&"wider-products".to_owned()), "{name}");
    }
}

#[test]
fn waits_of_bulk_copies_without_samples_are_no_queue_of_a_cache() {
    // cuBLASLt's kernel: the tensor pipe at 75 %, L2 at 72 %, long scoreboard 42 %, by UTMALDG and mbarriers; no samples.
    let (report, _) = read("collected/patch_embed_gemm_8_prefetch/reference.ncu-repz");
    let audit = judged::audit(&report, &[], &Work::default());
    assert_eq!(audit.now.bottleneck.limiter, Code::Unit(Part::ComputeTensor), "{:?}", audit.now.bottleneck.sentence);
}

#[test]
fn waits_behind_an_index_name_both_loads() {
    let asked = |name: &str, code: &str| {
        let audit = audited(&format!("collected/{name}/profile.ncu-repz"), &Work::default());
        let lever = lever(&audit, code);
        [&lever.sentence, &lever.why].map(|words| words.to_plain())
    };
    let said = |name: &str| asked(name, "more-in-flight");
    // Rows that a warp reads whole: wider loads, and the index early where it is waited for.
    let [rows, why] = said("kv_gather");
    assert!(rows.ends_with("16 bytes a lane; next indices early"), "{rows}");
    assert!(
        why.starts_with("through the index of :18: 84.4 % of the samples wait for the loads, 5.8 % for the index"),
        "{why}"
    );
    assert!(why.ends_with("2.0 sectors a request, 32 of 32 B used"), "{why}");
    // A place for each lane: 33,560,139 sectors of 3,332,801 requests, 9,722,151 when packed.
    let [scattered, why] = asked("hash_probe", "sort-by-index");
    assert!(scattered.starts_with("Sort or group the work by index, so that lanes share sectors"), "{scattered}");
    assert!(why.ends_with("10.1 sectors a request, 9 of 32 B used"), "{why}");
    // Nothing is loaded to make these addresses.
    assert!(!said("gemv_bf16")[1].contains("index"));
}

#[test]
fn four_loads_that_all_lanes_make_at_one_address_could_be_one() {
    let audit = audited("h200/gemm_bias_v2.ncu-repz", &Work::default());
    let runs = crate::phases::asked("h200/gemm_bias_v2.ncu-repz", |study| study.shared_runs()).expect("runs");
    // 2,147,483,648 multiply-adds in warps of 32, each with one word of the row that all its lanes share.
    assert_eq!(runs.loads, 2_147_483_648 / 32);
    // 2.2 % of the time goes before and behind the blocks. A quarter of their wavefronts stays; requests of the LSU, at 0.6 points less than the L1 data stage, fall as well.
    let cycles = audit.performance.cycles.new.value().expect("cycles");
    let gone = 100.0 * 0.75 * runs.loads as f64 / (132.0 * cycles);
    let most = audit.now.bottleneck.units.iter().map(|unit| 100.0 * unit.share).fold(0.0, f64::max);
    let lever = lever(&audit, "wide-shared");
    assert!((lever.bound.unwrap() - (100.0 - 2.2 - most + gone)).abs() < 1.0, "{most} − {gone}: {lever:?}");
}

#[test]
fn products_of_the_chips_own_generation_leave_the_pipe_what_the_work_needs() {
    let work = Work { flop: Some(2 * 928_256 * 768 * 768), ..Work::default() };
    let audit = audited("collected/patch_embed_gemm_mma/profile.ncu-repz", &work);
    let lever = lever(&audit, "tensor-generation");
    let (said, check) = (lever.why.to_plain(), lever.check.to_plain());
    let cycles = audit.performance.cycles.new.value().expect("cycles");
    // 1,095,015,333,888 operations at 8,192 a cycle on each of 132 SMs.
    let goal = 100.0 * 1_095_015_333_888.0 / (8_192.0 * 132.0 * cycles);
    assert!(check.ends_with(&format!("→ {goal:.1} %")), "{goal}: {check}");
    assert!(said.contains("conversions of 8-bit operands"), "{said}");
    let hopper = audited("collected/patch_embed_gemm/profile.ncu-repz", &work);
    assert!(hopper.now.levers.iter().all(|lever| lever.code.to_string() != "tensor-generation"), "it has them");
}

#[test]
fn an_array_whose_indexes_fill_a_pipe_is_what_limits() {
    let audit = audited("collected/stencil_z/profile.ncu-repz", &Work::default());
    assert_eq!(audit.now.bottleneck.limiter, Code::LocalMemory);
    assert!(audit.now.bottleneck.sentence.to_plain().contains("only compute their addresses"));
    // The uniform datapath is at 79 %: with the indexes its work goes as well. DRAM is left: 72 + 64 levels of 524,288 floats are
    // 285 MB of the 299 MB that take 26.8 % of its peak, of which it reaches 92 %; a hundredth goes before the first block.
    assert!(
        (lever(&audit, "keep-in-registers").bound.unwrap() - 71.2).abs() < 0.1,
        "{:?}",
        lever(&audit, "keep-in-registers")
    );
}

#[test]
fn a_loop_that_the_instruction_cache_cannot_hold_is_told_with_its_bytes() {
    let audit = audited("labelled/instruction_cache.ncu-repz", &Work::default());
    let fetch = audit.now.findings.iter().find(|finding| finding.code == Code::InstructionFetch).expect("a finding");
    let said = fetch.sentence.to_plain();
    assert!(said.contains("the code of the loop, ") && said.contains(" kB, does not stay"), "{said}");
}

#[test]
fn what_a_side_could_not_show_is_neither_new_nor_gone() {
    let (full, views) = read("labelled/bank_conflict.ncu-repz");
    let mut blind = full.clone();
    blind.launches[0].metrics.retain(|metric| !metric.name.starts_with("memory_l1_wavefronts_shared"));
    let beside = |new: &Report, old: &Report| {
        let evidence = judged::evidence(new, &views, &Work::default());
        analysis::audit(&judged::since(evidence, old, &views), &Limits::default())
    };
    let conflicts = Code::SharedBankConflicts;
    let seen = beside(&full, &full);
    assert!(
        seen.now.findings.iter().any(|finding| finding.code == conflicts)
            && seen.change.as_ref().unwrap().unseen_before.is_empty()
    );
    let blinded = beside(&blind, &full);
    assert!(blinded.now.findings.iter().all(|finding| finding.code != conflicts));
    assert!(blinded.gone_findings().all(|code| code != conflicts), "the new side could not show it");
    let unblinded = beside(&full, &blind);
    assert!(unblinded.new_findings().all(|finding| finding.code != conflicts), "the old side could not show it");
}

#[test]
fn contiguous_accesses_off_a_boundary_are_not_coalesced() {
    // 32 floats from the second of a sector: 5 sectors a request instead of 4, and as many stored as needed. L2 full of what it holds itself.
    const L2: &str = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
    let held = [(L2, 90.0), ("dram__bytes_read.sum", 1e6), ("dram__bytes_write.sum", 1e6)];
    let copy = with("collected/misaligned_copy/profile", &held);
    assert!(copy.now.levers.iter().all(|lever| lever.code.to_string() != "coalesce"));
    // Neighbours of a stencil, which L1 answers, are read from registers instead.
    let stencil = with("collected/conv3x3_direct/profile", &[]);
    let codes: Vec<String> = stencil.now.levers.iter().map(|lever| lever.code.to_string()).collect();
    assert!(codes.iter().all(|code| code != "coalesce"), "{codes:?}");
    assert_eq!(codes.first().map(String::as_str), Some("reuse-in-sm"));
    // Every second float, and structures of several, are packed by another order.
    for name in ["strided_copy", "particle_energy"] {
        lever(&with(&format!("collected/{name}/profile"), &[]), "coalesce");
    }
}

#[test]
fn a_stream_with_too_few_loads_in_flight_is_at_no_roof() {
    const DRAM: &str = "dram__cycles_active.avg.pct_of_peak_sustained_elapsed";
    let name = "collected/gemv_bf16/profile";
    // A turn of 1,047 cycles waits 827 for loads, where one takes 665 in an idle chip: 1.24 × 66 % of DRAM is 82 % of what its roof needs.
    let thin = with(name, &[]);
    assert_eq!(thin.now.bottleneck.limiter, Code::Wait(StallReason::LongScoreboard));
    assert!(thin.now.bottleneck.units.iter().all(|unit| !unit.is_saturated()), "{:?}", thin.now.bottleneck.units);
    assert!(lever(&thin, "more-in-flight").rises, "DRAM has to rise");
    // 1.24 × 81 % is all that the roof needs, and DRAM full is full.
    assert_eq!(with(name, &[(DRAM, 81.0)]).now.bottleneck.limiter, Code::Unit(Part::MemoryDram));
    let wide = with("collected/gemv_bf16_wide/profile", &[]);
    assert_eq!(wide.now.bottleneck.limiter, Code::Unit(Part::MemoryDram));
}

#[test]
fn hardware_that_pipes_share_is_told_apart_without_opcodes() {
    let parts = |name: &str| -> Vec<Part> {
        let (mut report, _) = read(name);
        report.launches[0].metrics.retain(|metric| !metric.name.starts_with("sass__inst_executed_per_opcode"));
        let audit = judged::audit(&report, &[], &Work::default());
        audit.now.bottleneck.units.iter().filter(|unit| unit.share > 0.05).map(|unit| unit.part).collect()
    };
    let has = |name: &str| [Part::ComputeTensor, Part::ComputeFp64].map(|part| parts(name).contains(&part));
    assert_eq!(has("collected/gemm_bf16_cluster/profile.ncu-repz"), [true, false]);
    assert_eq!(has("collected/fp64_bound/profile.ncu-repz"), [false, true]);
}

#[test]
fn a_roll_up_is_no_unit_beside_the_part_that_it_is_the_same_as() {
    // The raw page tells no breakdowns: the SMs at 89.08 % are the requests of the LSU.
    let (mut report, _) = read("h200/gemm_bias_v2.ncu-repz");
    report.launches[0].metrics.retain(|metric| !metric.name.starts_with("breakdown:"));
    let audit = judged::audit(&report, &[], &Work::default());
    let parts: Vec<Part> = audit.now.bottleneck.units.iter().map(|unit| unit.part).collect();
    assert!(parts.contains(&Part::MemoryLsu) && !parts.contains(&Part::UnknownUnit), "{parts:?}");
}

/// The numbers of a text, without their thousands separators.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.replace(',', "");
    words.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn a_check_has_a_value_to_reach_that_is_not_that_of_today() {
    let (mut changes, mut loads) = (0, 0);
    for Judged { path, audit, .. } in committed::audits() {
        for lever in audit.now.levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit) {
            let check = lever.check.to_plain();
            assert!(!check.contains(" −"), "{}: a count of today was collected: {check:?}", path.display());
            let Some((now, goal)) = check.split_once(" → ") else {
                assert!(check.chars().any(|c| c.is_ascii_digit()), "{}: {check:?}", path.display());
                continue;
            };
            let (now, goal) = (*numbers(now).last().unwrap(), numbers(goal)[0]);
            assert!(now != goal, "{}: {check}", path.display());
            changes += 1;
            if check.starts_with("long scoreboard") {
                // Four loads share one latency at most.
                assert!((0.24..1.0).contains(&(goal / now)), "{}: {check}", path.display());
                loads += 1;
            }
        }
    }
    assert!(changes > 20 && loads > 2, "{changes} {loads}");
}

#[test]
fn a_row_of_a_page_names_its_file_and_line_or_the_launch() {
    let (mut lines, mut launches) = (0, 0);
    for snapshot in committed::snapshots() {
        let page = fs::read_to_string(snapshot.with_extension("md")).unwrap();
        let next =
            page.split("\n## Next").nth(1).and_then(|next| next.split("<!-- audit:end").next()).unwrap_or_default();
        for row in next.lines().filter(|line| line.starts_with("|   ")).skip(1) {
            assert!(!row.contains("\\`"), "code is no text: {}: {row}", snapshot.display());
            let place = row.split('|').nth(2).unwrap().trim().trim_matches('`');
            let line = place.rsplit_once(':').filter(|(file, _)| !file.is_empty());
            let is_line = line.is_some_and(|(_, line)| line.parse::<u32>().is_ok_and(|line| line > 0));
            assert!(is_line || place == "launch", "{}: {row}", snapshot.display());
            *(if is_line { &mut lines } else { &mut launches }) += 1;
        }
    }
    assert!(lines > 140 && lines >= 9 * launches, "{lines} of {}", lines + launches);
}

/// Comparisons and square roots are no products: nothing that limits but the FMA pipe is sent to tensor instructions.
#[test]
fn tensor_instructions_are_told_to_multiply_adds_alone() {
    let mut roofs = 0;
    for Judged { path, audit, .. } in committed::audits() {
        let bottleneck = &audit.now.bottleneck;
        let Some(roof) = bottleneck.roof.as_ref().map(|roof| roof.to_plain()) else { continue };
        let is_told = roof.contains("tensor instructions for products");
        assert!(!is_told || bottleneck.limiter == Code::Unit(Part::ComputeFma), "{}: {roof}", path.display());
        roofs += 1;
    }
    assert!(roofs > 5, "{roofs}");
}

#[test]
fn what_was_not_collected_makes_no_bound_smaller() {
    const INPUTS: [&str; 8] = [
        "gpc__cycles_elapsed.max",
        "dram__bytes_read.sum",
        "dram__bytes_write.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum.pct_of_peak_sustained_elapsed",
        "smsp__inst_executed.sum",
        "sass__inst_executed_per_opcode",
        "launch__occupancy_limit_shared_mem",
    ];
    let without = |report: &mut Report, input: &str| {
        report.launches.iter_mut().for_each(|launch| launch.metrics.retain(|metric| &*metric.name != input));
    };
    let holds = |report: &Report, input: &str| report.launches.iter().any(|launch| launch.metric(input).is_some());
    // A series knows what no SM takes without the counter of the cycles.
    let has_series = |report: &Report| judged::audit(report, &[], &Work::default()).now.over_time.is_some();
    let bounds = |report: &Report| -> Vec<(String, f64, bool)> {
        let audit = judged::audit(report, &[], &Work::default());
        let ours = audit.now.levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit);
        // Of one code for another unit it is another change.
        let is_left =
            |lever: &Lever| ["FMA pipe needs", "FP64 pipe needs"].iter().any(|pipe| lever.formula.contains(pipe));
        let told =
            |lever: &Lever| Some((format!("{} by {}", lever.code, lever.remeasure), lever.bound?, is_left(lever)));
        ours.filter_map(told).collect()
    };
    let (mut held, mut smaller) = (0, Vec::new());
    for path in judged::reports(&path("collected")) {
        let report = source::read_profile(&path, &want()).expect("readable");
        let whole = bounds(&report);
        let is_told = |input: &&&str| holds(&report, input) && (**input != INPUTS[0] || !has_series(&report));
        for input in INPUTS.iter().filter(is_told) {
            let mut report = report.clone();
            without(&mut report, input);
            for (code, bound, is_of_results) in bounds(&report) {
                let Some((_, known, _)) = whole.iter().find(|(other, ..)| *other == code) else { continue };
                held += 1;
                // Where nobody counted opcodes all work of the pipes of results is the result's, which reuse leaves.
                if *input == "sass__inst_executed_per_opcode" && code.starts_with("reuse-in-sm") && is_of_results {
                    continue;
                }
                // Where cycles of another unit stand in for these, what no SM takes of them moves.
                let moves = if *input == INPUTS[0] { 4.0 } else { 0.5 };
                if bound < known - moves {
                    smaller.push(format!("{}: {code} without {input}: {known} → {bound}", path.display()));
                }
            }
        }
    }
    let strided = {
        let (report, views) = read("collected/strided_copy/profile.ncu-repz");
        lever(&judged::audit(&report, &views, &Work::default()), "coalesce").ceiling.clone()
    };
    assert_eq!(strided, Bound::AtMost);
    assert!(held > 200 && smaller.is_empty(), "{held}: {smaller:#?}");
    // By instruction the index arithmetic is known that goes with wider accesses, and what local memory takes of issue.
    for (name, code) in [("gemv_bf16", "fewer-instructions"), ("stencil_z", "keep-in-registers")] {
        let (mut report, views) = read(&format!("collected/{name}/profile.ncu-repz"));
        let bound = |report: &Report| lever(&judged::audit(report, &views, &Work::default()), code).bound;
        let known = bound(&report).unwrap();
        without(&mut report, "sass__inst_executed_per_opcode");
        assert!(bound(&report).is_none_or(|bound| bound > known - 0.5), "{name}");
    }
    // What the LSU takes is told by instruction as well.
    for (kernel, code) in [
        ("motif_scan_before", "wide-shared"),
        ("mix_tokens_before", "wide-shared"),
        ("halfpel_centre_before", "wide-loads"),
        ("colour_first_before", "keep-in-registers"),
    ] {
        let (mut report, views) = one("pairs/h200", kernel);
        let expected = |report: &Report| lever(&judged::audit(report, &views, &Work::default()), code).expected;
        let known = expected(&report);
        without(&mut report, "sass__inst_executed_per_opcode");
        assert_eq!(expected(&report), known, "{kernel}");
    }
}

#[test]
fn what_was_not_collected_is_not_told() {
    const OPCODES: &str = "sass__inst_executed_per_opcode";
    const STALL: &str = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
    let without = |name: &str, inputs: &[&str]| {
        let (mut report, views) = read(&format!("collected/{name}/profile.ncu-repz"));
        let is_kept = |metric: &str| !inputs.contains(&metric);
        report.launches.iter_mut().for_each(|launch| launch.metrics.retain(|metric| is_kept(&metric.name)));
        judged::audit(&report, &views, &Work::default())
    };
    let said = |audit: &Audit| audit.now.bottleneck.sentence.to_plain();
    // A cap that is not known may be the smallest.
    let low = without("low_occupancy_smem", &["launch__occupancy_limit_shared_mem"]);
    assert!(
        low.now.occupancy.binding().is_empty() && said(&low).contains("room for 6.2 % of its warps, too few"),
        "{}",
        said(&low)
    );
    assert_eq!(lever(&low, "more-warps").check.to_plain(), "theoretical occupancy 6.2 % → more");
    assert!(said(&without("low_occupancy_smem", &[])).contains("limited by shared memory"));
    // A reason that is not known may be the largest.
    let unheld = without("block_spmm", &[STALL]);
    assert_eq!((unheld.now.bottleneck.limiter, unheld.now.stalls.top().is_some()), (Code::Latency, false));
    assert!(said(&unheld).contains("the report holds no reason for 82.7 % of the warps' time"), "{}", said(&unheld));
    // Spills and arrays both go through local memory, and the counted instructions tell which.
    let local = without("spilling", &["sass__inst_executed_register_spilling"]);
    assert_eq!(local.now.bottleneck.limiter, Code::LocalMemory);
    assert!(said(&local).starts_with("Local memory, of spills or of arrays,"), "{}", said(&local));
    assert_eq!(without("spilling", &[]).now.bottleneck.limiter, Code::RegisterSpilling);
    // What ncu counts as conflicts of `cp.async` is none of the data stage's, whose wavefronts tell.
    let stage = ["l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"];
    let copied = without("wmma_gemm", &stage);
    assert!(
        copied.now.findings.iter().all(|finding| finding.code != Code::SharedBankConflicts),
        "{:?}",
        copied.now.findings
    );
    let stored = without("bank_conflict", &stage);
    assert_eq!(stored.now.bottleneck.limiter, Code::SharedBankConflicts, "no `cp.async` ran");
    let unlisted = without("bank_conflict", &[stage[0], OPCODES]);
    assert_ne!(unlisted.now.bottleneck.limiter, Code::SharedBankConflicts);
    // Without the traffic of L2 nobody knows that its fabric carries the stream of DRAM.
    let moved = ["lts__t_sectors_srcunit_tex.sum", "l1tex__m_xbar2l1tex_read_bytes.sum"];
    let (whole, part) = (said(&without("stream_triad", &moved[..1])), said(&without("stream_triad", &moved)));
    assert!(whole.contains("because its fabric") && !part.contains("because"), "{whole} {part}");
    // Products of warps and of warpgroups are told apart by their opcodes.
    let work = Work { flop: Some(1 << 40), ..Work::default() };
    let (mut report, views) = read("collected/patch_embed_gemm/profile.ncu-repz");
    report.launches.iter_mut().for_each(|launch| launch.metrics.retain(|metric| &*metric.name != OPCODES));
    let unlisted = judged::audit(&report, &views, &work);
    assert!(
        unlisted.now.levers.iter().all(|lever| lever.code.to_string() != "tensor-generation"),
        "{:?}",
        unlisted.now.levers
    );
}

#[test]
fn a_limiter_that_one_side_could_not_show_did_not_move() {
    let evidence = |name: &str, gone: &str| {
        let (mut report, mut views) = read(&format!("collected/{name}/profile.ncu-repz"));
        report.launches.iter_mut().for_each(|launch| launch.metrics.retain(|metric| &*metric.name != gone));
        views.retain(|_| gone.is_empty());
        judged::evidence(&report, &views, &Work::default())
    };
    let moved = |gone: &str| {
        let old = Some(evidence("atomics", gone).new.as_old());
        let audit = analysis::audit(&Evidence { old, ..evidence("spilling", "") }, &Limits::default());
        (audit.before.unwrap().bottleneck.limiter, audit.change.unwrap().limiter)
    };
    assert_eq!(moved(""), (Code::AtomicContention, LimiterChange::Moved));
    // Both profilers were asked for the same, and one side holds less.
    assert_eq!(moved("sass__inst_executed_per_opcode"), (Code::MemoryHotSpot, LimiterChange::Unknown));
}

#[test]
fn a_lever_without_a_bound_promised_nothing() {
    let evidence = |name: &str| {
        let (report, views) = read(&format!("collected/{name}/profile.ncu-repz"));
        judged::evidence(&report, &views, &Work::default())
    };
    let old = Some(evidence("pointer_chase").new.as_old());
    let audit = analysis::audit(&Evidence { old, ..evidence("stream_triad") }, &Limits::default());
    let estimates = audit.change.unwrap().estimates;
    let chains = estimates.levers.iter().find(|lever| lever.code.to_string() == "more-chains").unwrap();
    assert_eq!((chains.bound, chains.met), (None, Some(PredictionMet::Pulled)), "{chains:?}");
    assert!(estimates.largest().is_none_or(|(largest, bound)| largest.code != chains.code && bound > 0.0));
}

#[test]
fn a_value_that_others_write_or_that_is_read_once_is_no_table() {
    let is_table = |name: &str| {
        let audit = audited(&format!("collected/{name}/profile.ncu-repz"), &Work::default());
        audit.now.levers.iter().any(|lever| lever.code.to_string() == "move-constants")
    };
    // A volatile flag that a thread polls until another block sets it; an index of the warp's own.
    assert!(!is_table("scan_chained") && !is_table("embedding_bag"));
    // Factors chosen by the block's y, in a loop of all blocks in x and z.
    assert!(is_table("conv3x3_direct"));
}

#[test]
fn a_turn_of_many_refills_waits_for_each_of_them_for_a_while() {
    // 16 turns of 58,200 cycles, of which 57 % wait for refills, one batch after the other: each takes a few times what one takes in an
    // idle chip, and not fifty times.
    let audit = crate::rules::with("collected/spilling/profile", &[("memory_l2_theoretical_sectors_local", 0.0)]);
    let said = format!("{audit:?}");
    let (_, times) = said.split_once("loads wait ").expect("a lever that is not here");
    let digits: String = times
        .chars()
        .skip_while(|own| !own.is_ascii_digit())
        .take_while(|own| own.is_ascii_digit() || *own == '.')
        .collect();
    let times: f64 = digits.parse().unwrap_or_else(|_| panic!("{digits}"));
    assert!((2.0..10.0).contains(&times), "{times}");
}
