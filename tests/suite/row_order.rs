//! Which row of *Next* stands first, and what rows expect, on measured pairs.

use crate::pairs::{Launch, Row, launch};

fn rows(kernel: &Launch) -> Vec<&Row> {
    kernel.levers.iter().filter(|row| row.is_ours()).collect()
}

fn row(kernel: &str, code: &str) -> Option<&'static Row> {
    rows(launch(kernel)).into_iter().find(|row| row.code == code)
}

fn codes(kernel: &str) -> Vec<&'static str> {
    rows(launch(kernel)).into_iter().map(|row| row.code.as_str()).collect()
}

#[test]
fn a_row_that_takes_work_off_what_the_verdict_names_goes_first() {
    // Issue limits; loads ahead are expected to save more and leave nine of ten instructions.
    assert_eq!(codes("euler_sweep_before"), ["fewer-instructions", "more-in-flight"]);
    let [work, waits] = ["fewer-instructions", "more-in-flight"].map(|code| row("euler_sweep_before", code)?.expected);
    assert!(work.is_some() && work < waits, "{work:?} {waits:?}");
    // Products on the tensor pipe leave fewer instructions than a tile of sums does.
    assert_eq!(codes("lora_down_before")[..2], ["tensor-generation", "register-tile"]);
}

#[test]
fn what_fills_empty_slots_or_is_written_anew_stays_first() {
    // Slots that blocks of unequal length leave empty are in front of any part.
    assert_eq!(codes("ragged_queue_before")[..2], ["even-blocks", "fewer-instructions"]);
    // `wgmma` reads operands from shared memory by itself: what it leaves of that work is not counted.
    assert_eq!(codes("mma_three_stages")[..2], ["tensor-generation", "reuse-in-sm"]);
}

#[test]
fn where_warps_are_missing_what_brings_them_goes_first() {
    // Loads ahead are expected to save more, and the verdict says that there is room for few warps.
    assert_eq!(codes("sage_mean_before")[..2], ["more-warps", "more-in-flight"]);
    let [room, waits] = ["more-warps", "more-in-flight"].map(|code| row("sage_mean_before", code)?.expected);
    assert!(room.is_some() && room < waits, "{room:?} {waits:?}");
}

#[test]
fn what_is_to_be_found_counts_like_waste_that_was_measured() {
    assert_eq!(codes("attn_b")[..2], ["register-tile", "unconflict"]);
    assert_eq!(codes("knn_before")[..2], ["fewer-instructions", "more-blocks"]);
}

#[test]
fn blocks_of_one_warp_leave_slots_to_the_next_start_however_long_they_live() {
    let csr = launch("csr_rows_before");
    assert_eq!(csr.verdict.limiter, "launch-short-blocks");
    assert!(row("csr_rows_before", "even-blocks").is_none(), "no warp of such a block waits for another one");
    // 15 of 64 warps are there, and the chip has room for 32 such blocks: larger ones fill those slots and the others.
    let larger = row("csr_rows_before", "larger-blocks").expect("a row").expected;
    assert!(larger.is_some_and(|saves| saves > 60.0), "{larger:?}");
}

#[test]
fn minima_that_change_nothing_are_read_first_where_nobody_reads_them_yet() {
    // Minima are 42 % of the sectors that L2 is asked for; a load in place of one saves its way to the other half, where it stays half
    // of the times: 0.5 · 0.5 · 0.42 of the lookups. At best L1 answers all of them.
    let own = row("relax_edges_before", "fewer-atomics").expect("a row");
    let [expected, bound] = [own.expected, own.bound].map(|saves| saves.expect("bounded"));
    assert!((5.0..15.0).contains(&expected) && (30.0..50.0).contains(&bound), "{expected} {bound}");
    assert!(row("relax_edges_after", "fewer-atomics").is_none(), "the word is read in front of the minimum");
}

#[test]
fn what_is_asked_for_beside_them_stays_when_loads_are_sorted() {
    // Minima are two in five of the sectors on the way to L2.
    let own = row("relax_edges_before", "sort-by-index").expect("a row").bound.expect("bounded");
    assert!((35.0..50.0).contains(&own), "{own}");
}

#[test]
fn stores_keep_loads_waiting_as_far_as_their_way_is_busy() {
    // L2 is at 41 %: packed stores alone lost 14 %, and half of what they are asked for keeps nobody waiting.
    let own = row("nv12_rgb_before", "coalesce").expect("a row").expected.expect("bounded");
    assert!((8.0..18.0).contains(&own), "{own}");
}

#[test]
fn a_sum_that_a_block_keeps_is_stored_once_for_all_that_was_added() {
    // Each sector is added to 13 times, by what L2 has first touched: half of them alone would save 53 %.
    let own = row("moe_combine_before", "fewer-atomics").expect("a row").expected.expect("bounded");
    assert!((57.0..70.0).contains(&own), "{own}");
}

#[test]
fn with_a_load_its_address_may_go_and_is_not_expected_to() {
    // The waits for the table are 30 % of the time; a warp spends as much again half on the loads and their addresses.
    let own = row("horner_global", "move-constants").expect("a row");
    let [expected, bound] = [own.expected, own.bound].map(|saves| saves.expect("bounded"));
    assert!(expected < 31.0 && bound > 40.0, "{expected} {bound}");
}

#[test]
fn what_a_launch_leaves_in_l2_to_be_written_counts_for_device_memory() {
    // 41 of 67 MB that it stores are written meanwhile: the rest is what copies of a table in fewer blocks have no time of (0.0 % came).
    let expected = row("degamma12_before", "larger-blocks").and_then(|row| row.expected).expect("a row");
    assert!((5.0..10.0).contains(&expected), "{expected}");
    // A copy that reads 101 and stores 50 MB of which 33 are written has nothing left.
    assert_eq!(codes("alpha_over_before"), Vec::<&str>::new());
}

#[test]
fn a_table_of_each_block_is_copied_less_and_rows_of_a_problem_are_kept_by_a_warp() {
    assert_eq!(codes("codebook_expand_before")[0], "larger-blocks");
    // A turn for each diagonal, four warps to a problem: the rows of a warp hold them all. 16 warps are too many for that.
    let [few, many] = ["pair_hmm_before", "binomial_tree_before"].map(|kernel| row(kernel, "fewer-barriers"));
    let [few, many] = [few, many].map(|row| row.and_then(|row| row.expected).expect("expected"));
    assert!(few > 60.0 && many < 60.0, "{few} {many}");
}
