//! What a page says of changes that are known: pairs of kernels of the pairs' reports, each before and after one change.

use std::process::Command;

/// The section *What changed* of a kernel against another one of the same report.
fn changed(report: &str, old: &str, new: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let report = format!("{}/tests/fixtures/pairs/{report}.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    let done = Command::new(env!("CARGO_BIN_EXE_audit"))
        .args(["generate", "--no-charts", "--date", "2026-11-27", "--name", "page", "--out"])
        .arg(folder.path())
        .args(["--report", &report, "--kernel", &format!("^{new}$")])
        .args(["--baseline", &report, "--baseline-kernel", &format!("^{old}$")])
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let page = std::fs::read_to_string(folder.path().join("2026-11-27-page.md")).unwrap();
    let section = page.split("## What changed").nth(1).expect("a baseline");
    section.split("Full tables").next().unwrap_or_default().replace('\u{a0}', " ")
}

#[track_caller]
fn tells(section: &str, words: &[&str]) {
    for word in words {
        assert!(section.contains(word), "no {word:?}: {section}");
    }
}

#[test]
fn the_count_that_the_limiter_was_made_of_is_told_before_what_follows_from_it() {
    let padded = changed("h100", "transpose_b", "transpose_c");
    tells(&padded, &["**The bank conflicts went**: 32.5 M → 0 wavefronts of shared memory beyond the least."]);
    let turned = changed("h100", "sgemm_a", "sgemm_b");
    tells(
        &turned,
        &["**The excess sectors of global accesses went**: 7.520 G → 0.", "the same opcodes, about as often."],
    );
    let private = changed("h200", "counts_global", "counts_block");
    tells(
        &private,
        &[
            "**The atomics at L2 went**: 33.6 M → 270,336 by lanes.",
            "**In the code:** `REDG.32` 1.05 M in the main loop → 8,448",
        ],
    );
    // A word of padding, and rows of weights in registers: wavefronts that went with conflicts, and with the accesses themselves.
    let padded = changed("h200", "rowscan_c", "rowscan_d");
    tells(&padded, &["**The bank conflicts went**: 16.2 M → 0 wavefronts"]);
    let tiled = changed("h200", "maps_a", "maps_b");
    tells(&tiled, &["**The accesses to shared memory came**: 0 → 84.8 M executed."]);
    let stays = changed("h200", "small_blocks", "large_loops");
    tells(&stays, &["**Fewer blocks**: 524,288 → 1,056."]);
}

/// What the author of each change did, where only busy units and all instructions were told: fewer barriers, another divisor, products of
/// 128 columns, a row that is loaded once.
#[test]
fn the_change_is_told_before_what_follows_from_it() {
    let halved = changed("h200", "rowscan_a", "rowscan_b");
    tells(&halved, &["**Fewer barriers of the block**: 11.0 M → 5.77 M executed."]);
    let shifts = changed("h100", "reduce_a", "reduce_b");
    tells(
        &shifts,
        &["**The divisions of integers went**: 8.39 M → 0 executed. Busy cycles of instruction issue ÷ 1.82."],
    );
    let wide = changed("h200", "wgmma_narrow", "wgmma_three_stages");
    tells(&wide, &["**Wider products**: 32 → 128 columns each."]);
    let once = changed("h200", "softmax_passes", "softmax_registers");
    tells(&once, &["**Fewer bytes loaded**: 403 MB → 134 MB with all lanes on."]);
}

#[test]
fn spills_are_told_where_they_take_the_time_whatever_limits() {
    let held = changed("h200", "stream_wide", "stream_bounded");
    tells(&held, &["**The spills came**: 0 → 1.25 M executed instructions", "Busy cycles of DRAM × 1.09."]);
}

#[test]
fn what_is_in_flight_is_told_where_the_same_work_overlaps_better() {
    tells(
        &changed("h200", "dot_single", "dot_eight"),
        &["**More loads in flight**: 8 → 48 B a lane before the first use."],
    );
    let wide = changed("h200", "axpy_scalar", "axpy_vector");
    tells(&wide, &["of its peak; more loads in flight: 8 → 32 B a lane", "`LDG.32` 2.10 M → `LDG.128` 524,288;"]);
    tells(&changed("h200", "lookup_all", "lookup_third"), &["**More warps in flight**: 23.8 → 62.7 %"]);
}

#[test]
fn waits_are_told_by_the_cycles_of_all_warps_and_products_before_what_feeds_them() {
    let passes = changed("h200", "softmax_passes", "softmax_registers");
    tells(&passes, &["the warps' cycles −55.9 %; of the old ones long scoreboard −48.3,"]);
    // The waits of an instruction rose, because the short ones went.
    assert!(!passes.contains("cycles per instruction"), "{passes}");
    let groups = changed("h200", "mma_three_stages", "wgmma_three_stages");
    tells(&groups, &["**In the code:** `HMMA` went, 16.8 M in the main loop; `HGMMA` came, 1.05 M in the main loop;"]);
}

#[test]
fn what_changed_nothing_has_no_explanation_and_no_trifles() {
    let same = changed("h100", "softmax_b", "softmax_c");
    tells(&same, &["**SAME: ", "`LDG.32` 3.15 M → 2.10 M"]);
    // A clock 0.5 % apart, the waits of other instructions, and a cost of nothing.
    for word in ["In the counters", "Cost:", "Conditions differ"] {
        assert!(!same.contains(word), "{word}: {same}");
    }
    let one = changed("h200", "tally_lanes", "tally_match");
    tells(&one, &["**AMBIGUOUS**"]);
    assert!(!one.contains("DRAM bytes"), "{one}");
}
