//! Where the time goes, why warps stall, what memory moves, what is executed: the short page's sections on what one side did,
//! against the pages that were worked out by hand, and their budgets on every report that lies here.

use crate::judged;
use crate::rules::{self, with};
use kernel_audit::analysis::{self, Audit, Evidence, Limits, PredictionMet, Selection, StoryCause, Work};
use kernel_audit::evidence::{Report, SourceView, Want};
use kernel_audit::render::Templates;
use kernel_audit::source;
use kernel_audit::view::{self, Heading};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, OnceLock};

pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// A report with its launches by instruction.
type Read = (Report, Vec<SourceView>);

/// Such a report for the rest of the run, once somebody has asked for it.
type Once = &'static OnceLock<Option<Read>>;

/// A report with its launches by instruction, read once for all tests.
pub(crate) fn shared(path: &Path) -> Option<&'static Read> {
    static ALL: LazyLock<Mutex<HashMap<PathBuf, Once>>> = LazyLock::new(Mutex::default);
    let own = *ALL.lock().unwrap().entry(path.to_owned()).or_insert_with(|| Box::leak(Box::default()));
    own.get_or_init(|| read_once(path)).as_ref()
}

/// The same to be changed.
pub(crate) fn read(path: &Path) -> Option<Read> {
    shared(path).cloned()
}

fn read_once(path: &Path) -> Option<Read> {
    let want = Want { allow_damage: true, ..analysis::want() };
    let report = source::read_profile(path, &want).ok()?;
    let launches = analysis::subject_launches(&report, &Selection::default()).ok()?;
    let (want, ids): (_, Vec<u32>) = (analysis::source_want(&launches), launches.iter().map(|one| one.id).collect());
    let views = source::read_source_views(path, &want, |head| ids.contains(&head.id), &[]).unwrap_or_default();
    Some((report, views.into_iter().map(analysis::phases::at_their_products).collect()))
}

fn audit(new: &str, old: Option<&str>) -> Audit {
    let side = |name: &str| shared(&fixtures().join(format!("{name}.ncu-repz"))).expect("a report");
    let (report, views) = side(new);
    let mut evidence = judged::evidence(report, views, &Work::default());
    if let Some((old, views)) = old.map(side) {
        evidence = judged::since(evidence, old, views);
    }
    checked(&mut evidence, new);
    analysis::audit(&evidence, &Limits::default())
}

/// The check of the outputs beside a collected report, which tells the sizes of the arguments.
fn checked(evidence: &mut Evidence, name: &str) {
    let beside = fixtures().join(name).with_file_name("correctness.json");
    evidence.new.correctness = fs::read_to_string(beside).ok().map(|text| serde_json::from_str(&text).unwrap());
}

/// The lines of each section of the page, by its name.
pub(crate) fn sections(audit: &Audit) -> HashMap<String, Vec<String>> {
    let document = view::document(&Heading::default(), audit);
    let page = Templates::load(None).unwrap().marked_page("audit", &document).unwrap().text;
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let mut open: Option<String> = None;
    for line in crate::project::loose(&page).lines() {
        if let Some((_, rest)) = line.split_once("<!-- audit:begin ") {
            open = rest.split(' ').next().map(str::to_owned);
        } else if line.starts_with("<!-- audit:") {
            open = None;
        } else if let Some(name) = &open {
            found.entry(name.clone()).or_default().push(line.to_owned());
        }
    }
    found
}

/// A row of a table, without the space that aligns it.
pub(crate) fn row<'s>(lines: &'s [String], start: &str) -> Vec<&'s str> {
    let found = lines.iter().find(|line| line.starts_with(&format!("| {start}")));
    let cells = found.unwrap_or_else(|| panic!("no row {start}: {lines:#?}")).trim_matches('|').split('|');
    cells.map(str::trim).collect()
}

#[track_caller]
pub(crate) fn says(lines: &[String], words: &str) {
    assert!(lines.iter().any(|line| line.contains(words)), "no {words:?}: {lines:#?}");
}

#[test]
fn a_persistent_product_with_an_exposed_epilogue() {
    let sections = sections(&audit("collected/patch_embed_gemm/profile", None));
    let phases = &sections["phases"];
    // 2,535,977 cycles of 132 SMs for 21,756 tiles are 15,386.51.
    says(phases, "Persistent blocks: 21,756 tiles, 164.8 a block, each 15,400 cycles, 6 steps.");
    assert_eq!(row(phases, "Epilogue")[1..5], [":137–:156", "45.5 %", "7,000", "0"]);
    assert_eq!(row(phases, "**Main loop**, 6 steps")[2..5], ["54.2 %", "8,330", "6,150"]);
    assert_eq!(row(phases, "· wait for the products")[5], "products in flight 100 %");
    says(
        phases,
        "A step takes 1,380 cycles; the tensor pipe is busy for 1,020 of them (74 %) and drains on every step.",
    );
    says(phases, "Issue floor in the epilogue: 2,650 of 7,000 cycles");
    let stalls = &sections["stalls"];
    assert_eq!(row(stalls, "Long scoreboard")[2], "85 % in the epilogue, for `LDG` (:107, called at :151)");
    assert_eq!(row(stalls, "Barrier")[2], "83 % products in flight (:76, called at :204); 17 % block barrier (:192)");
    let memory = &sections["memory"];
    assert_eq!(row(memory, "DRAM read")[1..4], ["714 MB", "714 MB (patches, weights, bias, pos_embed)", "1.00"]);
    assert_eq!(row(memory, "DRAM write")[3], "0.98, rest dirty in L2");
    // Three digits of 10,790,976 requests, as of every other count.
    assert_eq!(row(memory, "`LDG.32`")[1..5], ["10.8 M", "8.00", "4.00", "43.2 M"]);
    let instructions = &sections["instructions"];
    says(instructions, "`QGMMA` = 21,756 tiles × 6 steps × 4 × 8 warps");
    says(instructions, "`LDG` = 21,756 tiles × 96 × 8 warps");
    // Padding: the hardware counts 7.3 million shared loads, and none of them has a lane on.
    says(instructions, "Executed with a lane on: LDS (0 of 7.31 M).");
    assert!(!instructions.iter().any(|line| line.contains("| LDS")), "{instructions:#?}");
    says(&sections["build"], "1 block/SM by design");
    // A table of one row has its facts in the columns.
    says(&sections["provenance"], "Registers/thread `launch__registers_per_thread`");
    says(&sections["provenance"], "Theoretical `sm__maximum_warps_per_active_cycle_pct`");
    // Blocks that stay are told by their tiles.
    assert!(!sections["build"].iter().any(|line| line.contains("Grid × block")));
}

#[test]
fn a_step_has_one_share_of_tensor_work() {
    let sections = sections(&audit("collected/mxfp4_moe_w1_swiglu/profile", None));
    says(&sections["verdict"], "the tensor pipe works for 84.5 % of a step");
    says(&sections["verdict"], "main loop and drain 40,800 (tensor 33,100), epilogue");
    says(
        &sections["phases"],
        "A step takes 4,900 cycles, its share of the drain included; the tensor pipe is busy for 4,140 of them (84 %).",
    );
    says(&sections["units"], "tensor pipe (84 % in the main loop)");
    // As the load balance below the table calls it, and not by ncu's reason.
    assert_eq!(row(&sections["phases"], "· wait for the stage")[5], "mbarrier 97 %");
}

#[test]
fn two_numbers_of_one_part_have_two_names() {
    let sections = sections(&audit("labelled/transpose_tiled", Some("labelled/transpose_naive")));
    let changed = &sections["changed"];
    says(
        changed,
        "**The excess sectors of global accesses went**: 58.7 M → 0. Busy cycles of the port of L2 from the SMs ÷ 13.0.",
    );
    says(changed, "The limiter was uncoalesced global accesses, and is ");
    let port: f64 = row(changed, "Port of L2 from the SMs: % of peak")[2].trim_matches('*').parse().unwrap();
    let all: f64 = row(&sections["units"], "L2 ")[2].trim_matches('*').parse().unwrap();
    assert!(all > port + 5.0, "{all} {port}");
}

#[test]
fn a_busy_tensor_pipe_is_healthy() {
    let fenced = "collected/gemm_bf16_cluster_fenced/profile";
    let sections = sections(&audit("collected/gemm_bf16_cluster/profile", Some(fenced)));
    let phases = &sections["phases"];
    assert_eq!(
        row(phases, "**Main loop**, 64 steps")[2..6],
        ["95.2 %", "**90.1 %**", "66,700", "65,500 with the drain"]
    );
    let verdict = &sections["verdict"];
    says(verdict, "83.9 % tensor busy, 10.8 % block resident and tensor idle, 5.3 % no block on the SM");
    says(verdict, "71.1 % of the samples of the tensor warps are back-pressure");
    // What the verdict tells of a step is not said again.
    says(verdict, "a step of the main loop takes 1,060 cycles, and the tensor pipe is busy for 1,020 of them (96 %)");
    assert!(!phases.iter().any(|line| line.contains("A step takes")), "{phases:#?}");
    says(phases, "producer (4 warps, 5.8 % of all samples)");
    let stalls = &sections["stalls"];
    assert!(row(stalls, "MIO throttle")[3].ends_with("`HGMMA` (:245) = back-pressure of the tensor pipe"));
    assert!(row(stalls, "Memory barrier")[3].starts_with("old: 90 % at the release of the stage"));
    says(&sections["instructions"], "`HGMMA` = 512 tiles × 64 steps × 4 × 8 warps");
    says(&sections["memory"], "**Multicast:** L2 sent 1.05 GB for the");
}

#[test]
fn what_changed_is_a_chain_from_the_code_to_the_cost() {
    let of = |step: &str| format!("collected/patch_embed_gemm_{step}/profile");
    let changed = |new: &str, old: &str| sections(&audit(&of(new), Some(&of(old))));
    let prefetched = changed("8_prefetch", "7_runs");
    let told = &prefetched["changed"];
    says(told, "**In the code:** `UTMAPF` came, 348,096 in the producer.");
    // A part of the main loop moved, and not the loop.
    says(told, "of the consumers' old time wait for the stage 9.8 → 4.1 %");
    says(told, "wait for the turn 13.7 → 9.3 %");
    says(told, "**Cost:** L2 sectors +68.8 % (`UTMAPF`).");
    // Three of ten stages went, and a barrier for the stores came.
    says(&changed("5_staged", "4_position")["changed"], "**Cost:** mbarriers of a block 28 → 23");
    let sectors = row(told, "L2 sectors");
    assert_eq!(sectors[3..], ["+68.8 %", "`UTMAPF` came, 348,096 in the producer"]);
    // One block to a cluster shares nothing, whatever L2 sent.
    assert!(!prefetched["memory"].iter().any(|line| line.to_lowercase().contains("multicast")));
    // What issues waits for nothing, and blocks that stay fill the chip once.
    assert!(!prefetched["stalls"].iter().any(|line| line.starts_with("| Selected")));
    assert!(!prefetched["build"].iter().any(|line| line.contains("Waves")));
    assert!(!prefetched["instructions"].iter().any(|line| line.contains("`ULOP3`")));
    let rotated = changed("2_resident", "1_tma");
    // The loads that should become wide are the same, whatever became of the wait for them.
    assert!(!rotated.get("checks").into_iter().flatten().any(|line| line.contains("`wide-loads`")));
    let bulk = changed("1_tma", "2_resident");
    says(&bulk["changed"], "shared memory 229,632 → 197,632 B");
    let clusters = changed("4_position", "3_multicast");
    says(&clusters["changed"], "grid × block 132 × 384, clusters of 2 → 132 × 384");
}

#[test]
fn a_lever_and_a_story_are_told_by_the_count_that_moved() {
    let pair =
        |new: &str, old: &str| audit(&format!("collected/{new}/profile"), Some(&format!("collected/{old}/profile")));
    let met = |audit: &Audit, code: &str| {
        let estimates = &audit.change.as_ref().expect("a change").estimates;
        estimates.levers.iter().find(|lever| lever.code.to_string() == code).and_then(|lever| lever.met)
    };
    // A pipe that is nearly full has 1.5 % more to do in 6.5 % less time.
    let prefetched = pair("patch_embed_gemm_8_prefetch", "patch_embed_gemm_7_runs");
    let story = prefetched.change.as_ref().and_then(|change| change.story.as_ref()).expect("a change");
    assert_eq!((story.cause, story.unit.is_tensor), (StoryCause::Overlap, true), "{story:?}");
    // Sectors took a smaller share of another launch: as many of them.
    let multicast = pair("patch_embed_gemm_3_multicast", "patch_embed_gemm_2_resident");
    assert_eq!(met(&multicast, "coalesce"), Some(PredictionMet::NotThisChange));
    // The copies left for the copy engine, and the share of L1 rose.
    let bulk = pair("patch_embed_gemm_1_tma", "patch_embed_gemm");
    assert_eq!(met(&bulk, "bulk-copies"), Some(PredictionMet::Within));
    assert_eq!(met(&bulk, "overlap-epilogue"), Some(PredictionMet::NotThisChange));
    // A column of padding keeps nothing in the SM that was loaded twice.
    let padded = pair("transpose_padded", "transpose_tiled");
    assert_eq!(met(&padded, "unconflict"), Some(PredictionMet::Within));
    assert_ne!(met(&padded, "reuse-in-sm"), Some(PredictionMet::Within));
    says(&sections(&padded)["changed"], "bank conflicts 65.0 M → 0");
    let decoded = pair("mxfp4_moe_small_m_e4m3", "mxfp4_moe_small_m");
    assert_ne!(met(&decoded, "even-blocks"), Some(PredictionMet::Exceeded));
    says(
        &sections(&decoded)["changed"],
        "**Less work for instruction issue** (busy cycles ÷ 1.12; instructions −10.6 %",
    );
    let even = pair("pair_potential_longest_first", "pair_potential");
    assert_eq!(met(&even, "even-blocks"), Some(PredictionMet::Within));
    let story = even.change.as_ref().and_then(|change| change.story.as_ref()).expect("a change");
    let (was, is) = story.tail.expect("both sides count the cycles of their SMs");
    assert_eq!((format!("{:?}", story.cause).as_str(), was > 20.0, is < 1.0), ("Tail", true, true), "{story:?}");
}

/// Kernels that have nothing to do with each other are compared like versions of one: what moved between them is read off their counters.
#[test]
fn a_story_is_of_what_set_the_time() {
    let told = |new: &str, old: &str, words: &str| {
        let of = |name: &str| format!("collected/{name}/profile");
        says(&sections(&audit(&of(new), Some(&of(old))))["changed"], words);
    };
    told("live_values", "live_values/32-registers", "**The spills went**: 76.6 M → 101,376 executed instructions");
    told("live_values/32-registers", "live_values", "**The spills came**: 101,376 → 76.6 M executed instructions");
    let slice = "**The atomics at L2 went**: 8.39 M → 67,584 by lanes. Busy cycles of the slice of L2 that the atomics meet in ÷ 107.";
    told("kmeans_update", "atomics", slice);
    // Less for the slice, and twelve times the instructions.
    let traded = "**More instructions**, ×12.4";
    told("gradient_norm", "atomics", traded);
    told(
        "stream_triad",
        "tiny_grid",
        "**SMs that had no block have one**: the average SM is without a block for 94.0 → 0.7 %",
    );
}

#[test]
fn what_is_left_at_a_roof_names_the_phases_without_products() {
    let next = |step: &str| {
        let name = format!("collected/patch_embed_gemm_{step}/profile");
        sections(&audit(&name, None)).remove("next").expect("what to do next")
    };
    let left = next("4_position");
    says(
        &left,
        "The consumers have no products in flight in 45.1 % of their samples: sums to results, stores (`store_tile`, `patch_embed_gemm.cu:182–:186`) 31.9 %",
    );
    assert!(!left.iter().any(|line| line.contains("Only less work helps")), "{left:#?}");
    let busiest = next("8_prefetch");
    says(&busiest, "wait for the stores and wait for the turn (`patch_embed_gemm.cu:276`) 28.2 %");
}

#[test]
fn shared_loads_and_chains() {
    let tiles = sections(&audit("h200/gemm_bias_v2", Some("h200/gemm_bias_v1")));
    assert_eq!(row(&tiles["phases"], "· compute (64 LDS, 32 FFMA)")[2..4], ["70.5 %", "2,480"]);
    // A full L1 data stage is no latency.
    assert!(!tiles["phases"].iter().any(|line| line.contains("Issue floor")));
    says(&tiles["instructions"], "`LDS` = 2,048 blocks × 32 steps × 64 × 32 warps");
    assert_eq!(row(&tiles["stalls"], "Barrier")[3], "100 % block barrier (67 % :18; 33 % :21)");
    let chase = sections(&audit("collected/pointer_chase/profile", None));
    assert_eq!(row(&chase["stalls"], "Long scoreboard")[2], "99 % in the main loop, for `LDG` (:16)");
    let spills = sections(&audit("collected/spilling/profile", None));
    let waits = &row(&spills["stalls"], "Long scoreboard")[2];
    assert!(waits.contains("until `STL` has read its registers (:18)"), "a store delivers nothing: {waits}");
    assert_eq!(row(&chase["memory"], "DRAM read")[3], "0.94");
    assert!(row(&chase["memory"], "`LDG.32`")[4].ends_with("inherent"));
    // A sentence that names the line needs no place behind it.
    says(&chase["verdict"], "wait for the load at `:16`");
    assert!(!chase["verdict"].iter().any(|line| line.contains("pointer_chase.cu")));
}

#[test]
fn waits_for_loads_and_ready_warps_are_read_together() {
    const READY: &str = "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio";
    const LOADS: &str = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
    // Of 35.6 cycles per instruction 13.8 are long scoreboard and 4.7 not selected.
    let stalls =
        |readings: &[(&str, f64)]| sections(&with("collected/embedding_bag/profile", readings))["stalls"].clone();
    let said = |readings: &[(&str, f64)]| stalls(readings)[1].clone();
    // Both high: the schedulers have work enough. Ready warps alone: nothing is said of loads.
    let both = said(&[(READY, 12.0)]);
    assert!(
        both.contains("%: ready warps wait for their turn (2.24 eligible per scheduler), which costs no time."),
        "{both}"
    );
    assert!(
        !stalls(&[(READY, 12.0)]).iter().any(|line| line.starts_with("| Not selected")),
        "no row: they do not wait"
    );
    let ready = said(&[(READY, 12.0), (LOADS, 1.0)]);
    assert!(ready.contains("which costs no time."), "{ready}");
    // Loads alone: a wait that more warps could hide.
    assert!(!said(&[]).contains("Not selected"), "few that are ready are no wait");
    // Neither: none of the two has a row.
    let neither = stalls(&[(READY, 0.1), (LOADS, 0.1)]);
    assert!(
        !neither.iter().any(|line| line.contains("Not selected") || line.contains("Long scoreboard")),
        "{neither:?}"
    );
}

/// Most lines of a section, its heading and the empty lines counted.
const BUDGETS: [(&str, usize); 5] =
    [("phases", 27), ("stalls", 18), ("memory", 18), ("build", 13), ("instructions", 17)];

#[test]
fn a_report_of_the_basic_set_says_what_to_collect() {
    let basic = sections(&audit("h200/both_basic", None));
    let next = &basic["next"];
    // Its lever is a guess until lines and waits are there.
    assert!(next[1].starts_with("**Collect first:**"), "{next:#?}");
    let sections_of_ncu =
        ["WarpStateStats", "SourceCounters", "MemoryWorkloadAnalysis"].map(|one| format!("--section {one}"));
    let command = format!(
        "`ncu --clock-control none --set basic {} --import-source yes --kernel-name gemm_bias_v1 --launch-count 1 -o new ./devset …`",
        sections_of_ncu.join(" ")
    );
    says(next, &command);
    says(next, "stall reasons; samples and wasted sectors by line");
    assert!(!basic["verdict"].iter().any(|line| line.contains("--section")), "said once");
    // A whole report lacks nothing.
    let whole = sections(&audit("collected/patch_embed_gemm/profile", None));
    assert!(!whole["next"].iter().any(|line| line.contains("--section")));
}

#[test]
fn a_side_that_was_not_collected_is_named_and_judges_nothing() {
    let old_basic = sections(&audit("h200/gemm_bias_v2", Some("h200/both_basic")));
    for (section, column) in [("stalls", 1), ("memory", 1), ("instructions", 0)] {
        let line = old_basic[section].iter().find(|line| line.contains("New (old not collected)"));
        let cells = line.unwrap_or_else(|| panic!("{section}: {:#?}", old_basic[section])).trim_matches('|').split('|');
        assert_eq!(cells.map(str::trim).nth(column), Some("New (old not collected)"));
    }
    let new_basic = sections(&audit("h200/both_basic", Some("h200/gemm_bias_v2")));
    assert_eq!(row(&new_basic["stalls"], "Stall")[1], "Old (new not collected)");
    assert_eq!(row(&new_basic["checks"], "row of the old page: Register tile")[3], "not measured");
    assert!(!new_basic["build"].iter().any(|line| line.contains("Spill instructions executed")), "no row of one side");
}

#[test]
fn an_excess_says_how_much_of_it_follows_from_the_data() {
    let page = sections(&audit("collected/spmv_rows/profile", None));
    says(&page["verdict"], "58.2 M of 99.7 M sectors that L2 is asked for");
    says(
        &page["memory"],
        "58.7 M of 100.8 M sectors at L1 (58.3 %) would go if the bytes were packed, 29.4 M lie at loaded addresses",
    );
    // One line may hold accesses of each kind, and neighbours that read a row together.
    let (report, views) = rules::one("pairs/h200", "ell_apply_before");
    let ell = sections(&judged::audit(&report, &views, &Work::default()));
    let excess = |access: &str| ell["memory"].iter().filter(|line| line.contains(access)).count();
    assert_eq!(
        [
            excess("`LDG.32` (:15) |  393,216 |            32.0 |  4.00 | 11.0 M, read again by the load beside it"),
            excess("`LDG.64` (:15) |  393,216 |            32.0 |  8.00 | 9.44 M, read again by the load beside it"),
            excess("`LDG.64` (:15) |  393,216 |            32.0 |  8.00 |                         9.44 M, inherent"),
        ],
        [1, 1, 1],
        "{:?}",
        ell["memory"]
    );
    says(
        &ell["memory"],
        "**Uncoalesced:** none that packing a request takes; 20.4 M of 37.9 M sectors at L1 (54.0 %) are read again by the load beside it, 9.44 M lie at loaded addresses.",
    );
    // It takes no shared memory.
    says(&page["build"], "Headroom before occupancy drops: 14 registers.");
}

#[test]
fn a_stall_without_a_place_is_told_as_one() {
    let page = sections(&audit("collected/black_scholes/profile", None));
    says(&page["stalls"], "Not in the table: Wait 6.5.");
}

#[test]
fn accesses_that_read_alike_are_one_row_before_any_is_left_out() {
    let page = sections(&audit("collected/mxfp4_moe_small_m_h100/profile", None));
    // The four largest of its instructions make a part of these requests.
    says(&page["memory"], " 32,768 |");
    // Warps of a kernel without products stand in the queue of a full unit.
    says(&sections(&audit("collected/sfu_bound/profile", None))["phases"], "queue: MIO throttle");
}

#[test]
fn lanes_that_left_their_warp_are_no_guard_that_is_off() {
    // A stack in shared memory that 4.5 of 32 lanes pop: 24.5 M wavefronts are no 0.8 M loads beside 12.1 M stores.
    let page = sections(&audit("collected/queens_search/profile", None));
    says(&page["instructions"], "LDS");
    assert!(!page["instructions"].iter().any(|line| line.contains("with a lane on")), "{:?}", page["instructions"]);
}

#[test]
fn idle_sms_of_a_small_grid_are_said_once() {
    let page = sections(&audit("collected/tiny_grid/profile", None));
    says(&page["verdict"], "8 blocks leave 124 of 132 SMs idle");
    assert!(!page["verdict"].iter().any(|line| line.contains("`launch-short`") || line.contains("`launch-tail`")));
    // The lever that fills the chip stands in front of one for the blocks that are there.
    assert!(row(&page["next"], "  1")[2].starts_with("Split the loop: its turns"));
}

#[test]
fn blocks_too_short_for_phases_have_no_table_of_them() {
    let page = sections(&audit("collected/softmax_rows/profile", None));
    assert!(!page.contains_key("phases"));
    says(&page["stalls"], "100 % at :18, for what :14 issues");
}

/// Holds the sections of an audit to their budgets; how many it has of them.
pub(crate) fn keep_to_budgets(audit: &Audit, name: &str) -> usize {
    let (found, mut seen) = (sections(audit), 0);
    for (section, most) in BUDGETS {
        let Some(lines) = found.get(section) else { continue };
        assert!(lines.len() <= most, "{name}: {section} has {} lines", lines.len());
        for line in lines {
            assert!(line.chars().count() <= 420, "{name}: {line}");
            assert!(!line.contains("| Metric name"), "{name}: {line}");
            let values: Vec<&str> =
                line.trim_matches('|').split('|').skip(1).map(|cell| cell.trim().trim_matches('*')).collect();
            let is_nothing = |value: &&str| matches!(*value, "" | "0" | "0.0" | "0.00" | "=");
            let is_row = line.starts_with("| ") && !line.contains("---") && section != "build";
            assert!(!is_row || !values.iter().all(is_nothing), "{name}: {line}");
        }
        seen += 1;
    }
    seen
}
