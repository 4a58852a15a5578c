//! What cannot be done is no row: where it would be a first one the page says why. What whoever launches a library's kernel, or built it
//! for a debugger, can do instead; what is true of several kernels in one result.

use crate::brief_sections::sections;
use crate::judged;
use crate::rules::{one, report, set, value, with};
use kernel_audit::analysis::{Audit, Where, Work};
use kernel_audit::catalog::Code;
use kernel_audit::evidence::{Report, SourceView};

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
    assert!(
        said(&chase).contains("Not here: more independent loads in front of the first use (about "),
        "{}",
        said(&chase)
    );
    assert!(said(&chase).ends_with("the value of the load at :16 is its next address."), "{}", said(&chase));
}

#[test]
fn products_that_fill_the_loop_leave_the_epilogue_to_be_overlapped() {
    // A step of 1,090 cycles has 1,040 with products, so that 6,660 of the 13,400 cycles of a tile have none.
    let tma = with("collected/patch_embed_gemm_1_tma/profile", &[]);
    assert!(
        has(&tma, Code::ExposedEpilogue) && rows(&tma).contains(&"overlap-epilogue".to_owned()),
        "{:?}",
        rows(&tma)
    );
    // Warpgroups that take tiles in turn multiply beside the epilogue of the other one.
    let in_turn = with("collected/patch_embed_gemm_2_resident/profile", &[]);
    assert!(!has(&in_turn, Code::ExposedEpilogue), "{:?}", rows(&in_turn));
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

/// Half of the registers of `live_values` took 2.8 times as long.
#[test]
fn registers_that_do_not_suffice_are_not_cut_for_more_warps() {
    const SPILLED: &str = "sass__inst_executed_register_spilling";
    let capped = with("collected/live_values/profile", &[]);
    assert!(!rows(&capped).contains(&"more-warps".to_owned()), "{:?}", rows(&capped));
    let why = "101,376 executed instructions spill or refill registers as it is";
    assert!(said(&capped).contains(why), "{}", said(&capped));
    let without = with("collected/live_values/profile", &[(SPILLED, 0.0)]);
    assert!(rows(&without).contains(&"more-warps".to_owned()), "{:?}", rows(&without));
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
    // What closes them stands first, though nothing here bounds it.
    let gaps = range.now.levers.first().expect("a lever");
    assert!(gaps.sentence.to_plain().starts_with("Close the gaps between its kernels"), "{gaps:?}");
    let (mut report, views) = report("h200/app_range");
    set(&mut report, "gpu__time_duration.sum", 4000.0);
    let brief = judged::audit(&report, &views, &Work::default());
    assert!(!has(&brief, Code::LaunchShort), "several kernels are no short launch");
}

#[test]
fn a_tail_limits_where_neither_units_nor_waits_were_counted() {
    let (mut report, _) = report("collected/sgemm_async/profile");
    let of_launch =
        |name: &str| ["launch__", "sm__cycles_", "gpc__cycles_elapsed"].iter().any(|own| name.starts_with(own));
    report.launches[0].metrics.retain(|metric| of_launch(&metric.name));
    let tail = judged::audit(&report, &[], &Work::default());
    assert_eq!(tail.now.bottleneck.limiter, Code::LaunchTail);
    assert_eq!(rows(&tail)[0], "whole-waves");
}

fn sentence(audit: &Audit, code: &str) -> Option<String> {
    audit.now.levers.iter().find(|lever| lever.code.to_string() == code).map(|lever| lever.sentence.to_plain())
}

fn line(audit: &Audit, code: &str) -> Option<u32> {
    let lever = audit.now.levers.iter().find(|lever| lever.code.to_string() == code)?;
    if let Where::Line(place) = &lever.at { Some(place.line) } else { None }
}

#[test]
fn work_without_a_loop_is_not_split_and_not_uneven() {
    // A value to a thread, 1,024 blocks in 0.97 waves: what the launch saves is the launch.
    let values = with("collected/bias_relu/profile", &[]);
    assert_eq!(rows(&values)[0], "fuse");
    assert!(!rows(&values).iter().any(|code| code == "more-blocks" || code == "even-blocks"), "{:?}", rows(&values));
    // Threads of a block share the loop over a row: more of them need no other block.
    let norms = with("collected/layernorm/profile", &[]);
    let more = sentence(&norms, "more-blocks").expect("a row");
    assert!(more.starts_with("Blocks of up to 1,024 threads for the same loop"), "{more}");
    // The loop over rows that the block's number ends takes as many turns as there are rows behind it.
    let pairs = with("collected/pair_potential/profile", &[]);
    assert_eq!(line(&pairs, "even-blocks"), Some(30));
    // The same with 128 blocks of 16 tiles each.
    let experts = with("collected/mxfp4_moe_small_m_h100/profile", &[]);
    assert_eq!(sentence(&experts, "even-blocks"), None);
    // Blocks that stay have equal work as well, and SMs idle for a tenth of the time behind the last of them.
    const STAYS: &str = "collected/mxfp4_moe_small_m/profile";
    let longest = value(&report(STAYS).0, "sm__cycles_active.max");
    let stays = with(STAYS, &[("sm__cycles_active.avg", 0.88 * longest)]);
    let stays = sentence(&stays, "even-blocks").expect("a row");
    assert!(stays.starts_with("Let the blocks take their work from a queue"), "{stays}");
    // What is there is not advised.
    let queue = sentence(&with("collected/mxfp4_grouped_matmul_h100/profile", &[]), "even-blocks").expect("a row");
    assert!(queue.starts_with("Balance the blocks: the longest pieces of their queue first"), "{queue}");
    let grouped = sentence(&with("collected/mxfp4_grouped_matmul/profile", &[]), "even-blocks").expect("a row");
    assert!(grouped.ends_with("or use a work queue"), "{grouped}");
}

#[test]
fn a_second_tile_that_is_in_flight_is_no_row() {
    // `wait_group 1` in the loop leaves the copies of the next tile in flight.
    assert_eq!(sentence(&with("collected/sgemm_async/profile", &[]), "double-buffer"), None);
    assert!(sentence(&with("collected/pair_potential/profile", &[]), "double-buffer").is_some());
    // Tiles that go through registers are waited for at their loads, and at no barrier.
    let (report, views) = one("pairs/h100", "hgemm_before");
    let through = sentence(&judged::audit(&report, &views, &Work::default()), "double-buffer").expect("a row");
    assert!(through.starts_with("Copy the next tile (cp.async"), "{through}");
}

#[test]
fn vectors_that_conflict_are_padded_by_their_width() {
    let row = |name: &str| {
        let (report, views) = one("pairs/h100", name);
        sentence(&judged::audit(&report, &views, &Work::default()), "unconflict").expect("a row")
    };
    // Three quarters of the excess are of LDS.128 and STS.128, of which a word of padding after 16 made words: 0.5 % came.
    let vectors = row("ring_product_before");
    assert_eq!(vectors, "Swizzle the shared-memory layout in units of 16 bytes, or pad its rows by as many");
    assert_eq!(row("transpose_b"), "Pad or swizzle the shared-memory layout");
}

#[test]
fn more_chains_are_blocks_only_while_blocks_fit() {
    let chase = sentence(&with("collected/pointer_chase/profile", &[]), "more-chains").expect("a row");
    assert!(chase.contains("up to 2,112 blocks"), "{chase}");
    // 32,768 blocks take turns already.
    let search = sentence(&with("collected/bucketize/profile", &[]), "more-chains").expect("a row");
    assert_eq!(search, "More chains in flight: several chains per thread");
}

#[test]
fn sectors_have_one_book() {
    // Fields of one row, each load a request of its own: what it has in excess its neighbours use.
    let options = with("collected/black_scholes/profile", &[]);
    let accesses = &options.now.phases.as_ref().expect("phases").accesses;
    let again: u64 = accesses.iter().map(|access| access.again).sum();
    assert_eq!(Some(again as f64), options.now.coalescing.total("excess"));
    assert!(accesses.iter().all(|access| access.excess() == 0));
    assert!(
        said(&options).contains("coalescing (21.0 M excess sectors, all of which the load beside it reads again)"),
        "{}",
        said(&options)
    );
    // One base for all lanes, which are 32 bytes apart: the tile is loaded, their order is not.
    let scan = with("collected/scan_chained/profile", &[]);
    let accesses = &scan.now.phases.as_ref().expect("phases").accesses;
    assert!(accesses.iter().filter(|access| access.excess() > 0).all(|access| !access.is_inherent), "{accesses:?}");
    // Loads of the scan wait for the blocks before, and its stores nobody waits for: they cost too little for a row, and are no order of data.
    assert!(said(&scan).contains("coalescing (about 0.5 % of the time)"), "{}", said(&scan));
}

#[test]
fn copies_that_bring_sectors_twice_are_swizzled_and_not_coalesced() {
    // Rows of 80 and 272 bytes in shared memory: of every second one the halves of a sector go to two 32-byte pieces, 24 sectors for 16.
    let (report, views) = one("pairs/h100", "gemm_bf16_before");
    let padded = judged::audit(&report, &views, &Work::default());
    assert_eq!(padded.now.bottleneck.limiter, Code::SplitCopies);
    assert!(!rows(&padded).contains(&"coalesce".to_owned()));
    let lever = padded.now.levers.iter().find(|lever| lever.code.to_string() == "align-copies").expect("a row");
    // 33.6 M of 102.8 M sectors are brought a second time; the swizzle saved 15.9 % on an H100.
    assert!(lever.check.to_plain().contains("103 M → 69.2 M"), "{}", lever.check.to_plain());
    assert!(lever.expected.is_some_and(|saves| (saves - 23.6).abs() < 0.1), "{:?}", lever.expected);
    // Copies of rows of 128 bytes that are in their place bring each sector once.
    assert!(!rows(&with("collected/sgemm_async/profile", &[])).contains(&"align-copies".to_owned()));
}

/// The row of an action, with its ceiling, of one kernel of the pairs on an H100 or an H200.
fn row_of(card: &str, kernel: &str, code: &str) -> Option<(String, f64)> {
    let (report, views) = one(&format!("pairs/{card}"), kernel);
    let audit = judged::audit(&report, &views, &Work::default());
    let lever = audit.now.levers.into_iter().find(|lever| lever.code.to_string() == code)?;
    Some((lever.sentence.to_plain(), lever.bound?))
}

fn bound(audit: &Audit, code: &str) -> Option<f64> {
    audit.now.levers.iter().find(|lever| lever.code.to_string() == code)?.bound
}

#[test]
fn what_all_threads_make_alike_is_made_once_and_integer_divisions_are_none_of_it() {
    let alike = |card: &str, kernel: &str| {
        let row = row_of(card, kernel, "fewer-instructions");
        row.filter(|(sentence, _)| sentence.starts_with("Make what is the same for all threads once"))
    };
    // A table of the sines and cosines of each view gave 49.7 %.
    let (_, bound) = alike("tenth", "fan_backproject_before").expect("a row");
    assert!((49.7..80.0).contains(&bound), "{bound}");
    for (card, kernel) in [("h100", "minhash_before"), ("h100", "hh_neurons_before"), ("h200", "wgmma_kept")] {
        assert!(alike(card, kernel).is_none(), "{kernel}");
    }
}

#[test]
fn a_tile_that_is_there_is_no_row() {
    // Each word feeds four FFMA, by loads of 16 bytes a lane.
    assert_eq!(row_of("h100", "sgemm_before", "reuse-in-sm"), None);
}

#[test]
fn a_later_pass_reads_device_memory_for_what_l2_lost() {
    // 3.5 % were measured.
    let (_, most) = row_of("h100", "xent_before", "fewer-passes").expect("a row");
    assert!(most > 3.5, "{most}");
}

#[test]
fn without_conflicts_the_queue_of_the_stage_goes_as_well() {
    // The stage is full, and half of its wavefronts are conflicts: 46.6 % were measured.
    let most = bound(&with("collected/dp4a_gemm/profile", &[]), "unconflict").expect("a row");
    assert!(most > 50.0, "{most}");
}

#[test]
fn asynchronous_copies_take_no_stores_of_the_tile() {
    // 9.2 % were measured; the waits alone are 13.2 % of the time.
    let (_, most) = row_of("h100", "hgemm_before", "double-buffer").expect("a row");
    assert!(most > 15.0, "{most}");
}

#[test]
fn bytes_side_by_side_that_begin_between_two_sectors_are_not_packed_by_another_order() {
    // A byte a lane, 0 to 15 places on: one sector more for each request that begins in the middle of one.
    let (report, views) = one("pairs/h200", "motif_scan_before");
    let scan = judged::audit(&report, &views, &Work::default());
    assert!(!rows(&scan).contains(&"coalesce".to_owned()), "{:?}", rows(&scan));
    assert!(said(&scan).contains("coalescing (contiguous, off the boundary of a sector)"), "{}", said(&scan));
}

#[test]
fn rows_that_threads_read_alone_bring_nothing_of_what_bulk_copies_and_spills_bring() {
    let (mut report, views) = one("pairs/h200", "ell_apply_before");
    let saves = |report: &Report| {
        let audit = judged::audit(report, &views, &Work::default());
        audit.now.levers.into_iter().find(|lever| lever.code.to_string() == "coalesce").and_then(|own| own.expected)
    };
    let all = saves(&report).expect("a row");
    // 100 MB are 3.1 M of the 23.0 M sectors that L2 sends.
    for (name, count) in [
        ("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", 1e8),
        ("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 1e8 / 32.0),
    ] {
        let before = value(&report, name);
        set(&mut report, name, count);
        assert!(saves(&report).is_some_and(|saves| saves < all - 2.0), "{name}: {:?} of {all}", saves(&report));
        set(&mut report, name, before);
    }
}

#[test]
fn rounds_that_only_exchange_values_are_no_reuse() {
    let audit = with("collected/bitonic_tiles/profile", &[]);
    assert!(!rows(&audit).contains(&"reuse-in-sm".to_owned()), "{:?}", rows(&audit));
    let rounds = sentence(&audit, "fewer-barriers").expect("a row");
    assert!(rounds.starts_with("Fewer rounds: several elements a thread"), "{rounds}");
}

#[test]
fn blocks_that_differ_by_more_than_a_turn_wait_for_something_else() {
    let (mut report, views) = report("pairs/h200");
    let has_code = |id| views.iter().any(|view: &SourceView| view.launch == id);
    report.launches.retain(|launch| &*launch.function == "counts_block" && has_code(launch.id));
    let audit = judged::audit(&report, &views, &Work::default());
    assert_eq!(sentence(&audit, "even-blocks"), None);
    assert!(said(&audit).contains("blocks have as much work each"), "{}", said(&audit));
}

#[test]
fn words_that_data_chooses_are_copied_as_a_table() {
    let (how, _) = row_of("h200", "counts_global", "fewer-atomics").expect("a row");
    assert!(how.starts_with("A copy of the words in shared memory for each block"), "{how}");
}

#[test]
fn what_a_loaded_flag_lets_run_is_loaded_with_it() {
    // The test of cloud_mask lets fewer than half of the lanes through, whose bytes it saves.
    for (kernel, is_tested) in [("valid_mean_before", true), ("cloud_mask_before", false)] {
        let (how, _) = row_of("h100", kernel, "more-in-flight").expect("a row");
        assert_eq!(how.starts_with("Load before the test"), is_tested, "{kernel}: {how}");
    }
}

#[test]
fn a_check_asks_for_what_the_change_takes_away() {
    // Fewer rounds leave a fifth of the waits at their barriers, however much of the time goes with the rounds.
    let rounds = with("collected/cholesky_damped/profile", &[]);
    let row = rounds.now.levers.iter().find(|lever| lever.code.to_string() == "fewer-barriers").expect("a row");
    assert_eq!(row.check.to_plain(), "barrier stall 50.6 % → 17.0 %");
    assert!(row.why.to_plain().starts_with("97 barriers in the life of a warp"), "{}", row.why.to_plain());
}

#[test]
fn a_queue_is_not_for_want_of_warps() {
    // The top stall is the throttle of the FP64 pipe, at 18.8 % of the warps that would fit.
    let queue = with("collected/expm_batched/profile", &[]);
    assert!(!has(&queue, Code::OccupancyLimit));
}

#[test]
fn no_change_leaves_no_time_at_all() {
    let cache = with("labelled/instruction_cache", &[]);
    let bounds: Vec<f64> = cache.now.levers.iter().filter_map(|lever| lever.bound).collect();
    assert!(bounds.iter().any(|bound| *bound > 99.0) && bounds.iter().all(|bound| *bound <= 99.9), "{bounds:?}");
}

#[test]
fn at_the_roof_only_what_moves_is_told() {
    let roof = |read: f64| {
        let audit = with("collected/stream_triad/profile", &[("dram__bytes_read.sum", read)]);
        audit.now.bottleneck.roof.expect("at the roof").to_plain()
    };
    assert!(roof(5e8).contains("(saves its read or write: 500 MB read, 251 MB written here)"), "{}", roof(5e8));
    assert!(roof(1e4).contains("(saves its read or write: 251 MB written here)"), "{}", roof(1e4));
}

#[test]
fn a_fabric_that_carries_the_stream_is_named_beside_its_level() {
    let units = &sections(&with("collected/fft_radix4/profile", &[]))["units"];
    let told = "**High, not saturated**: L2 (its fabric, with what DRAM moves), DRAM";
    assert!(units.iter().any(|line| line.starts_with(told)), "{units:?}");
}

#[test]
fn of_a_search_its_first_steps_are_what_threads_share() {
    let search = with("collected/bucketize/profile", &[]);
    let row = search.now.levers.iter().find(|lever| lever.code.to_string() == "reuse-in-sm").expect("a row");
    assert!(row.sentence.to_plain().starts_with("The first steps of the search from shared memory"), "{row:?}");
}

#[test]
fn without_cycles_an_instruction_the_share_of_a_wait_is_what_falls() {
    let (mut layernorm, views) = report("collected/layernorm/profile");
    layernorm.launches[0].metrics.retain(|metric| !metric.name.contains("_per_issue_active"));
    let audit = judged::audit(&layernorm, &views, &Work::default());
    let row = audit.now.levers.iter().find(|lever| lever.code.to_string() == "more-in-flight").expect("a row");
    let check = row.check.to_plain();
    assert!(check.starts_with("long scoreboard 8") && check.contains(" % → "), "{check}");
}
