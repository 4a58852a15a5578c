//! Steps that the field's tutorials climb, and pairs of an author who did not know the rules: what each page says of them, and what it
//! does not, because it was measured to give nothing or is there.

use crate::brief_sections::{fixtures, sections, shared};
use crate::judged;
use crate::project::Project;
use crate::rules::with;
use kernel_audit::analysis::{Along, Audit, LeverOrigin, Work};
use kernel_audit::catalog::{Action, Code};
use kernel_audit::evidence::{Report, SourceView};
use std::path::Path;

/// Kernel, the report that has it, code of a row, and how the row begins; no such row where that is `None`.
const ROWS: [(&str, usize, &str, Option<&str>); 90] = [
    // B is asked for as often as A and takes one pass in 33: through a tile of its own it gave 0.1 %.
    ("sgemm_a", 0, "move-constants", None),
    ("sgemm_b", 0, "move-constants", None),
    ("sgemm_b", 0, "reuse-in-sm", Some("Tiles in shared memory: a block loads each value once")),
    ("sgemm_e", 0, "more-warps", Some("Raise occupancy: 128 registers a thread in place of 130 by __launch_bounds__")),
    // All loads are 16 bytes wide, and the tile is 8 × 8.
    ("sgemm_f", 0, "reuse-in-sm", None),
    // The chip has no tensor instructions that give single precision.
    ("sgemm_f", 0, "tensor-generation", None),
    // Loads go out ahead of half of a turn's products.
    ("sgemm_g", 0, "double-buffer", None),
    // A wave that is 97 % full has no slots for a split sum.
    ("sgemm_before", 0, "more-blocks", None),
    ("reduce_c", 0, "fewer-barriers", Some("Fewer rounds: several elements a thread in front of them, shuffles")),
    ("reduce_d", 0, "fewer-barriers", Some("Fewer rounds: several elements a thread in front of them, shuffles")),
    ("softmax_a", 0, "coalesce", Some("Coalesce: a warp or a block walks over each row")),
    // L2 is full: smaller blocks lost 2.5 %.
    ("transpose_a", 0, "even-blocks", None),
    ("histo_a", 0, "fewer-atomics", Some("A copy of the words in shared memory for each block")),
    ("hgemm_a", 0, "reuse-in-sm", Some("Tiles in shared memory: a block loads each value once")),
    ("hgemm_b", 0, "double-buffer", Some("Copy the next tile (cp.async")),
    ("dgemm_before", 0, "tensor-generation", Some("Multiply on the tensor pipe, by mma.sync in FP64")),
    ("dgemm_before", 0, "register-tile", Some("Register tile: several outputs a thread (8 × 8")),
    // Distances of a pair are no rows and columns.
    ("nbody_before", 0, "tensor-generation", None),
    ("layernorm_bwd_before", 0, "fewer-atomics", Some("Blocks that stay and add up several pieces each")),
    ("radix_pass_before", 0, "coalesce", Some("Put the values of a block in order in shared memory")),
    ("keccak_before", 0, "fewer-instructions", None),
    ("row_norms_before", 0, "fewer-barriers", None),
    // Two stages of 8 kB, and a thread of each warp that hands them on.
    ("tma_norms_before", 0, "more-in-flight", Some("More copies in flight: more stages")),
    ("tma_norms_before", 0, "regroup", None),
    // Each step reads the scores that the step before left.
    ("viterbi_before", 0, "more-blocks", None),
    // One barrier a turn: the tile has its second buffer.
    (
        "fp32_two_stages",
        1,
        "double-buffer",
        Some("Load the next tile before this one is computed on: its buffer is there"),
    ),
    // The last wave holds 12 % of the slots less, and its blocks share the units among fewer.
    ("sgemm_ahead", 1, "whole-waves", None),
    // Halves that are converted for each product.
    ("lora_down_before", 0, "tensor-generation", Some("Multiply on the tensor pipe, by mma.sync in FP16")),
    // A lane walks over a list of 31 words in the mean, four steps a turn; the look-ups beside are the data's.
    ("bfs_expand_before", 0, "coalesce", Some("Coalesce: a warp, or a part of one, walks over each list")),
    // A probe of a table goes on for a step or two.
    ("hash_probe_before", 0, "coalesce", None),
    // The second loop reads a gain beside the row; a warp's row comes from L2 in part.
    ("cluster_norm_before", 0, "fewer-passes", Some("Read the input once")),
    ("xent_before", 0, "fewer-passes", Some("Read the input once")),
    // The lengths of the pieces are loaded.
    ("ragged_queue_before", 0, "even-blocks", Some("Let the blocks take their pieces from a queue, the longest first")),
    // Blocks take pieces of equal length.
    ("adamw_before", 0, "even-blocks", None),
    // Few lanes divide zero, in a function of the compiler.
    ("fft1024_before", 0, "regroup", None),
    ("fft1024_before", 0, "fewer-instructions", Some("Divide by the fast intrinsic")),
    // Running sums: those of parts can be had first.
    ("column_scan_before", 0, "more-blocks", Some("A scan: parts of the loop side by side")),
    // Four words of one lane, at an address that the data chooses; two words, in a row that several blocks add to.
    ("voxelize_before", 0, "fewer-atomics", Some("Add vectors: one red.global.add.v4.f32")),
    ("voxelize_before", 0, "reuse-in-sm", None),
    ("moe_combine_before", 0, "fewer-atomics", Some("Add nothing in L2: the block that keeps a sum")),
    ("moe_combine_before", 0, "coalesce", None),
    ("compact_before", 0, "fewer-atomics", Some("A scan of the block for the place of each value")),
    ("quant_rows_before", 0, "more-warps", Some("Raise occupancy: blocks of 512 threads over the same shared memory")),
    // 262 kB of a row fit in no SM; an index of an element that divisions take apart.
    ("cluster_norm_before", 0, "fewer-passes", Some("Read the input once: a cluster keeps it")),
    ("permute5_before", 0, "fewer-conversions", Some("Take places from the grid")),
    ("mc_option_before", 0, "fewer-conversions", Some("Compute in single precision")),
    ("tally_lanes", 1, "reuse-in-sm", Some("Add up inside the SM first")),
    // Shared memory that no barrier orders is each thread's own.
    ("rc4_before", 0, "more-warps", Some("Raise occupancy: half of the shared memory a thread")),
    ("flat_search_before", 0, "more-in-flight", Some("More copies in flight: twice the stages")),
    // A block's part of the input fits in no SM.
    ("instance_norm_before", 0, "fewer-passes", Some("Merge the passes that only add up")),
    // 1,024 blocks lie between two that read the same.
    ("template_scores_before", 0, "fewer-bytes", Some("Order the blocks so that blockIdx.y changes first")),
    ("azimuth_bins_before", 1, "fewer-atomics", Some("Add up the lanes of a warp")),
    ("graph_attention_before", 1, "fewer-passes", Some("Gather the rows once")),
    ("mix_tokens_before", 1, "wide-shared", Some("Fragments of products by ldmatrix")),
    ("rowscan_e", 1, "fewer-barriers", Some("Fewer rounds: several elements a thread")),
    // Its lines come once, in whatever order lanes ask for them.
    ("triangle_normals_before", 1, "coalesce", None),
    ("top_p_before", 0, "fewer-passes", Some("Fewer passes: one for several turns of the loop around it")),
    ("crc32_before", 0, "fewer-instructions", Some("Several bits at a time: a table")),
    ("hilbert_keys_before", 1, "fewer-instructions", Some("Several bits at a time: a table")),
    ("dropout_mask_before", 0, "fewer-instructions", None),
    // Halves are widened on their way to shared memory.
    ("dot_interact_before", 0, "tensor-generation", Some("Multiply on the tensor pipe, by mma.sync in FP16")),
    // Tables of which no second copy fits beside those of seven other blocks, or of which one is all that a block has.
    ("degamma12_before", 1, "unconflict", None),
    ("code_distances_before", 0, "unconflict", None),
    // Each thread picks by data from a row of its own: no order of the lanes brings two together.
    ("forest_before", 0, "coalesce", None),
    ("forest_before", 0, "sort-by-index", None),
    ("forest_before", 0, "reuse-in-sm", Some("Rows of the threads in shared memory")),
    ("proj_tensor_before", 1, "narrow-operands", Some("Products of FP16, summed in FP32")),
    ("pool_bwd_before", 0, "fewer-atomics", Some("Gather in place of adding")),
    // Words that all of the data chooses, and rows behind an index, have no thread that could gather them.
    ("hough_before", 0, "fewer-atomics", None),
    // A hash of letters goes from one to the next: no other lane can take a part of them.
    ("string_hash_before", 0, "coalesce", Some("Coalesce: a warp copies the lists of its threads")),
    ("string_hash_before", 0, "wide-loads", Some("Words in place of bytes")),
    ("dfa_match_before", 0, "wide-loads", Some("Words in place of bytes")),
    // Bytes of a tile that feed products; those of a kernel that issue limits are the packed forms' row.
    ("bytemul_a", 1, "wide-shared", Some("Words in place of bytes of shared memory")),
    ("block_match_before", 1, "wide-shared", None),
    ("bytemul_d", 1, "unconflict", Some("Pad or swizzle the shared-memory layout")),
    // Neighbouring threads search a list by halves; a flag that two comparisons choose is no bit of a value.
    ("merge_lists_before", 1, "reuse-in-sm", Some("Search once for a block")),
    ("merge_lists_before", 1, "fewer-instructions", Some("Less integer work")),
    // Sums of a block that pass through shared memory are no tile; halves that are made floats on the way are one.
    ("nucleus_before", 2, "double-buffer", None),
    ("ann_scores_before", 0, "double-buffer", Some("")),
    // L1 serves what hits, and a tile in shared memory goes through the same stage: it lost 6.8 %.
    ("maps_a", 1, "reuse-in-sm", Some("Several outputs a thread, from a tile")),
    // Warps without an element wait at the barriers for those that have one; where all warps load, none does.
    ("segment_max_before", 0, "smaller-blocks", Some("Blocks of 64 threads")),
    ("reduce_a", 0, "smaller-blocks", None),
    // Rows of words that follow each other are added up in registers; sums of which data choose no place have a block that keeps them.
    ("octree_pool_before", 0, "fewer-atomics", Some("Add up in registers")),
    ("cloth_springs_before", 0, "fewer-atomics", Some("Add nothing in L2")),
    // The way of the compiler for values that do not fit in 32 bits is never taken.
    ("window_shift_before", 0, "fewer-conversions", Some("Indexes of 32 bits")),
    // Arguments that are read anew in each turn are one address for all lanes.
    ("up_conv_before", 1, "move-constants", None),
    // All that L1 serves are values for all lanes.
    ("plane_waves_before", 1, "reuse-in-sm", None),
    // A counter, the quotient of a sine and a cell become floats or integers, and a reciprocal of floats stands between: none is divided.
    ("fan_backproject_before", 2, "fewer-conversions", None),
    // In the order of their places minima met at one word and lost 31 %; in that of the loads they gained 29.6 %.
    (
        "relax_edges_before",
        2,
        "sort-by-index",
        Some("Sort or group the work by the index of the loads, not by that of the atomics"),
    ),
    // Whoever waits for a lock has nothing else to issue.
    ("best_in_cell_before", 0, "more-in-flight", None),
];

/// Reports of pairs, read once.
struct Reports([&'static (Report, Vec<SourceView>); 3]);

impl Reports {
    fn read() -> Reports {
        let read = |name: &str| shared(&fixtures().join(format!("{name}.ncu-repz"))).expect("a report");
        Reports(["pairs/h100", "pairs/h200", "pairs/tenth"].map(read))
    }

    fn audit(&self, kernel: &str, from: usize) -> Audit {
        let (report, views) = self.0[from];
        let id = report.launches.iter().find(|launch| &*launch.function == kernel).expect(kernel).id;
        let own = judged::some_of(report, |launch| launch.id == id);
        let view = views.iter().find(|view| view.launch == id).expect(kernel);
        judged::audit(&own, std::slice::from_ref(view), &Work::default())
    }
}

#[test]
fn each_step_is_named_and_none_that_is_there_or_gives_nothing() {
    let (reports, mut wrong) = (Reports::read(), Vec::new());
    for (kernel, report, code, begins) in ROWS {
        let audit = reports.audit(kernel, report);
        let row = audit.now.levers.iter().find(|lever| lever.code.to_string() == code);
        let found = row.map(|lever| lever.sentence.to_plain());
        let is_held = match (&found, begins) {
            (Some(found), Some(begins)) => found.starts_with(begins),
            (found, begins) => found.is_none() && begins.is_none(),
        };
        if !is_held {
            wrong.push(format!("{code} of {kernel}: {found:?}, held {begins:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Kernel, code of a row, what a version of the kernel gained with it, in percent, and the most that its units leave.
const CEILINGS: [(&str, &str, f64, f64); 4] = [
    // sgemm_g takes 85.6 % less, and FFMA a tenth of the slots of issue.
    ("sgemm_b", "reuse-in-sm", 85.6, 92.0),
    ("dgemm_before", "tensor-generation", 65.0, 77.0),
    // Loads of 16 bytes a lane pass the data stage in fewer requests.
    ("histo_b", "more-in-flight", 66.2, 70.0),
    // Comparisons and sums of scores stay.
    ("viterbi_before", "reuse-in-sm", 0.6, 60.0),
];

/// Kernel, its report, code of a row, and between what the machine expects it to save, in percent; what came lies there or beside.
const EXPECTED: [(&str, usize, &str, [f64; 2]); 7] = [
    // Half of the wavefronts of fragments, twice the rate of the pipe: 35.0 % came.
    ("proj_tensor_before", 1, "narrow-operands", [35.0, 50.0]),
    // What is added to is read from DRAM no more: 44.6 %.
    ("pool_bwd_before", 0, "fewer-atomics", [35.0, 50.0]),
    // A quarter of the requests: 28.3 %, and by 16 bytes at a time 80.8 %.
    ("string_hash_before", 0, "wide-loads", [25.0, 40.0]),
    ("dfa_match_before", 0, "wide-loads", [55.0, 81.0]),
    // Fragments take a thirtieth of the wavefronts, and of the requests: 71.0 %.
    ("dot_interact_before", 0, "tensor-generation", [60.0, 76.0]),
    // A block brings its tile side by side, where threads touched sectors beside: 70.8 %.
    ("hgemm_a", 0, "reuse-in-sm", [40.0, 71.0]),
    // What L1 serves of rows is served from shared memory: 79.1 %.
    ("forest_before", 0, "reuse-in-sm", [40.0, 80.0]),
];

#[test]
fn what_is_expected_is_what_the_counters_leave() {
    let reports = Reports::read();
    for (kernel, report, code, [least, most]) in EXPECTED {
        let audit = reports.audit(kernel, report);
        let row = audit.now.levers.iter().find(|lever| lever.code.to_string() == code).expect(kernel);
        let expected = row.expected.expect(kernel);
        assert!((least..most).contains(&expected), "{code} of {kernel}: {expected}");
    }
}

#[test]
fn ceilings_hold_what_was_reached_and_the_work_that_stays() {
    let reports = Reports::read();
    for (kernel, code, gained, most) in CEILINGS {
        let audit = reports.audit(kernel, 0);
        let row = audit.now.levers.iter().find(|lever| lever.code.to_string() == code).expect(kernel);
        let bound = row.bound.expect(kernel);
        assert!((gained..most).contains(&bound), "{code} of {kernel}: {bound}");
    }
}

#[test]
fn pages_name_what_is_as_full_and_no_tiles_of_blocks_that_stay_where_lanes_walk() {
    let reports = Reports::read();
    let verdict = |kernel: &str| reports.audit(kernel, 0).now.bottleneck.sentence.to_plain();
    assert!(verdict("viterbi_before").ends_with(" As full: the L1 data stage (71.9 %)."));
    let ruled_out = reports.audit("viterbi_before", 0).now.bottleneck.ruled_out.expect("a word").to_plain();
    assert!(
        ruled_out.contains(
            "more blocks with a shorter loop each (about 14.0 % otherwise): each turn of the loop makes what it leaves in"
        ),
        "{ruled_out}"
    );
    // A thread walks the edges of its vertex; blocks of a queue take tiles together.
    let stays = |kernel: &str| reports.audit(kernel, 0).now.phases.expect("phases").is_persistent;
    assert_eq!(["bfs_expand_before", "ragged_queue_before"].map(stays), [false, true]);
    // What is left of philox is the work of two pipes.
    let roof = with("collected/philox_pi/profile", &[]).now.bottleneck.roof.expect("a roof").to_plain();
    assert!(
        roof.contains("(of its instructions LOP3 52.9 %, I2FP 11.7 %), with the FMA pipe (62.9 %) as full."),
        "{roof}"
    );
}

#[test]
fn memory_is_told_once_and_by_the_arguments() {
    let reports = Reports::read();
    let memory = |kernel: &str| sections(&reports.audit(kernel, 0))["memory"].join("\n");
    // The addresses of cp.async count a third of the wavefronts more than the data stage passes.
    assert!(memory("hgemm_c").contains("**Bank conflicts:** none in"), "{}", memory("hgemm_c"));
    assert!(memory("softmax_a").contains("lanes 4 B × the argument at byte 20 apart"), "{}", memory("softmax_a"));
}

/// 33.6 M FFMA by warps are 2.15 G operations; 67.1 M HADD2.F32 beside them widen what they multiply, which the counters take for 4.29 G.
#[test]
fn widened_halves_are_no_operations() {
    let found = Reports::read().audit("mel_project_before", 0).now;
    let operations = found.roofline.operations.expect("counted");
    assert!((operations / (33_554_432.0 * 32.0 * 2.0) - 1.0).abs() < 0.01, "{operations}");
    let of = |opcode: &str| found.mix.rows.iter().find(|row| row.opcode == opcode).map(|row| row.class.as_str());
    assert_eq!(of("HADD2"), Some("Conversions"));
}

#[test]
fn a_table_that_is_cut_tells_the_other_reasons() {
    let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pairs/h100.ncu-repz");
    let project = Project::new();
    let words =
        ["generate", "--report", report.to_str().unwrap(), "--kernel", "^hgemm_c$", "--name", "c", "--out", "out"];
    project.words(&[&words[..], &["--date", "2026-01-01"]].concat()).done();
    let page = project.read("out/2026-01-01-c.md").replace('\u{a0}', " ");
    assert!(page.contains(" Not in the table: Dispatch stall 3.6."), "{page}");
}

#[test]
fn what_is_too_little_for_a_row_is_told_where_no_row_stands() {
    let now = Reports::read().audit("to_channels_last_before", 0).now;
    assert!(now.levers.iter().all(|lever| lever.origin != LeverOrigin::Audit));
    let ruled_out = now.bottleneck.ruled_out.expect("ruled out").to_plain();
    let told = "Too little for a row: more bytes in flight (about 0.6 %; DRAM stays at 80.6 %), ";
    assert!(ruled_out.starts_with(told), "{ruled_out}");
}

#[test]
fn a_check_of_waits_that_nobody_counted_for_the_launch_goes_by_the_samples() {
    let now = Reports::read().audit("weight_grad_before", 0).now;
    let row = now.levers.iter().find(|lever| lever.code.to_string() == "double-buffer").expect("a row");
    let check = row.check.to_plain();
    assert_eq!(check, "barrier + long scoreboard 62.0 % → 44.0 %");
    // The loads of that tile in flight are the same wait.
    let loads = now.levers.iter().find(|lever| lever.code.to_string() == "more-in-flight").expect("a row");
    assert_eq!(loads.beside, Some(Along::PartOf(Action::DoubleBuffer)));
}

#[test]
fn additions_are_named_where_they_fill_l2() {
    let reports = Reports::read();
    for kernel in ["voxelize_before", "moe_combine_before"] {
        let sentence = reports.audit(kernel, 0).now.findings[0].sentence.to_plain();
        assert!(sentence.contains(" of peak: additions are "), "{sentence}");
    }
}

#[test]
fn conversions_without_a_reciprocal_between_them_divide_nothing() {
    let reports = Reports::read();
    let divides = |kernel: &str| {
        reports.audit(kernel, 0).now.findings.iter().any(|finding| finding.code == Code::IntegerDivision)
    };
    assert_eq!(["mc_option_before", "im2col_before"].map(divides), [false, true]);
}
