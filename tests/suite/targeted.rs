//! Reports of `ncu --metrics a,b,c`: the counters that somebody asked for stand on the page, whatever they are.

use super::project::{Profile, Project};
use std::fmt::Write;

/// A counter as the details page of ncu prints it: name, unit, value.
type Row = (&'static str, &'static str, &'static str);

fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n",
    );
    for (name, unit, value) in rows {
        writeln!(
            text,
            "\"0\",\"1\",\"gemm\",\"127.0.0.1\",\"gemm\",\"1\",\"7\",\"(192, 1, 1)\",\"(148, 1, 1)\",\"0\",\"10.0\",\"Command line profiler metrics\",\"{name}\",\"{unit}\",\"{value}\""
        )
        .unwrap();
    }
    text
}

/// The page of such a report, without a template.
fn page(rows: &[Row]) -> String {
    let project = Project::new();
    std::fs::write(project.path("asked.csv"), csv(rows)).unwrap();
    let printed = project.run("generate --report asked.csv --name gemm --template audit --no-charts --date 2026-11-01");
    project.read(printed.done().lines().next().unwrap_or_default())
}

/// The cells of the row that begins with a label.
fn cells<'p>(page: &'p str, label: &str) -> Vec<&'p str> {
    let row = page.lines().find(|line| line.starts_with(&format!("| {label} ")));
    let row = row.unwrap_or_else(|| panic!("no row {label} in\n{page}"));
    row.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn counters_that_no_table_has_stand_under_their_names() {
    let page = page(&[
        ("smsp__inst_executed.sum", "inst", "105,900,000"),
        ("smsp__inst_executed_op_global_ld.sum", "inst", "2,784,768"),
        ("l1tex__m_xbar2l1tex_write_bytes.sum", "Mbyte", "104.20"),
    ]);
    assert_eq!(cells(&page, "Warp instructions executed"), ["Warp instructions executed", "105,900,000 inst"]);
    assert_eq!(cells(&page, "Global loads (LDG)")[1], "2,784,768 inst");
    assert_eq!(cells(&page, "l1tex__m_xbar2l1tex_write_bytes.sum")[1], "104.20 MB");
}

#[test]
fn lanes_that_are_on_follow_from_two_counts() {
    let page = page(&[
        ("smsp__inst_executed.sum", "inst", "100"),
        ("smsp__thread_inst_executed.sum", "inst", "3,200"),
        ("smsp__thread_inst_executed_pred_on.sum", "inst", "2,400"),
    ]);
    // 2,400 of 3,200.
    assert!(page.contains("**Lanes on:** 75.0 % of the threads that a warp instruction had."), "{page}");
}

#[test]
fn stalls_of_the_peak_are_told_on_their_own_basis() {
    const STALLS: [Row; 4] = [
        ("smsp__warps_issue_stalled_barrier.avg.pct_of_peak_sustained_active", "%", "1.14"),
        ("smsp__warps_issue_stalled_long_scoreboard.avg.pct_of_peak_sustained_active", "%", "4.69"),
        ("smsp__warps_issue_stalled_membar.avg.pct_of_peak_sustained_active", "%", "0.00"),
        ("smsp__warps_issue_stalled_not_selected.avg.pct_of_peak_sustained_active", "%", "0.02"),
    ];
    let found = page(&STALLS);
    assert_eq!(cells(&found, "Long scoreboard")[1], "4.69");
    assert_eq!(cells(&found, "Barrier")[1], "1.14");
    assert!(found.contains("Next to none: Not selected, Memory barrier."), "{found}");
    assert!(!found.contains("Counters asked for"), "a stall stands twice: {found}");
}

/// The lists of the documents that this program grew from: the command `ncu --csv --metrics …` of each.
const ASKED: [&[&str]; 12] = [
    &[
        "smsp__inst_executed.sum",
        "smsp__inst_executed_not_predicated_off.sum",
        "smsp__thread_inst_executed.sum",
        "smsp__thread_inst_executed_not_predicated_off.sum",
    ],
    &[DRAM, L2, L1],
    &["stalled_barrier", "stalled_membar"],
    &["stalled_wait", "stalled_short_scoreboard"],
    &["smsp__thread_inst_executed_not_predicated_off.avg.pct_of_peak_sustained_active"],
    &["stalled_long_scoreboard", "stalled_not_selected"],
    &[L2, "stalled_lg_throttle", "smsp__inst_executed_op_global_ld.sum"],
    &["stalled_mio_throttle", "stalled_drain", "l1tex__m_xbar2l1tex_write_bytes.sum", L2],
    &[
        "stalled_barrier",
        "stalled_membar",
        "stalled_wait",
        "stalled_long_scoreboard",
        "stalled_not_selected",
        "stalled_mio_throttle",
        "stalled_drain",
        "stalled_short_scoreboard",
        "stalled_lg_throttle",
    ],
    &[
        DRAM,
        L2,
        L1,
        "smsp__inst_executed_op_global_st.sum",
        "smsp__inst_executed_op_global_ld.sum",
        "smsp__inst_executed_op_shared_ld.sum",
        "smsp__inst_executed_op_shared_st.sum",
    ],
    &[
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        "smsp__average_warps_issue_stalled_barrier_per_issue_active.pct",
        "smsp__average_warps_issue_stalled_membar_per_issue_active.pct",
        "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.pct",
        "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.pct",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "lts__t_sectors_srcunit_tex_op_read.sum",
    ],
    &["stalled_lg_throttle"],
];
const DRAM: &str = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
const L2: &str = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
const L1: &str = "l1tex__throughput.avg.pct_of_peak_sustained_elapsed";

#[test]
fn every_counter_that_is_asked_for_stands_on_the_page() {
    for asked in ASKED {
        let full = |name: &&'static str| match name.strip_prefix("stalled_") {
            Some(reason) => format!("smsp__warps_issue_stalled_{reason}.avg.pct_of_peak_sustained_active").leak(),
            None => *name,
        };
        let names: Vec<&'static str> = asked.iter().map(full).collect();
        let unit = |name: &str| if name.contains("pct") { "%" } else { "inst" };
        let rows: Vec<Row> = names.iter().map(|name| (*name, unit(name), "41.5")).collect();
        let page = page(&rows);
        for name in &names {
            assert!(page.contains(&format!("`{name}`")), "{name} is not on\n{page}");
        }
        let has_stalls = names.iter().any(|name| name.contains("stalled"));
        assert!(!has_stalls || !page.contains("neither unit utilisation nor stall reasons"), "{page}");
        assert!(!has_stalls || !page.contains("holds no stall reasons"), "{page}");
    }
}

#[test]
fn roll_ups_are_units_where_their_parts_are_absent() {
    let found = page(&[(DRAM, "%", "93.0"), (L2, "%", "55.4"), (L1, "%", "84.0")]);
    assert!(
        found.contains("(`memory-dram`, saturated)") && found.contains("| This kernel | 93.0 |     84.0 | 55.4 |"),
        "{found}"
    );
    // Under the name that was asked for, and once.
    assert!(found.contains(&format!("DRAM `{DRAM}`")) && !found.contains("Counters asked for"), "{found}");
}

#[test]
fn one_part_of_the_chip_is_no_verdict() {
    for name in [L2, DRAM, "sm__throughput.avg.pct_of_peak_sustained_elapsed"] {
        let found = page(&[(name, "%", "55.4")]);
        assert!(found.contains("**Not measured** (`not-measured`)"), "{found}");
        assert!(found.contains("Below 60 % of peak, and not all of the chip was measured."), "{found}");
        assert!(!found.contains("**Idle**") && !found.contains("Duration"), "{found}");
    }
    let both = page(&[(L2, "%", "55.4"), ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "33.2")]);
    assert!(both.contains("**Latency, reason unknown**") && both.contains("**Idle**"), "{both}");
}

#[test]
fn stalls_without_their_sum_are_asked_for() {
    let found =
        page(&[("smsp__warps_issue_stalled_barrier.avg.pct_of_peak_sustained_active", "%", "1.14"), (L2, "%", "55.4")]);
    assert!(found.contains("--section WarpStateStats") && found.contains("all stall reasons"), "{found}");
}

#[test]
fn waits_and_turns_are_read_together() {
    let said = |waits: &'static str, turns: &'static str| {
        page(&[
            ("smsp__warps_issue_stalled_long_scoreboard.avg.pct_of_peak_sustained_active", "%", waits),
            ("smsp__warps_issue_stalled_not_selected.avg.pct_of_peak_sustained_active", "%", turns),
            ("smsp__warps_issue_stalled_barrier.avg.pct_of_peak_sustained_active", "%", "4.00"),
        ])
    };
    assert!(said("5.00", "3.00").contains("both large: warps take turns"));
    assert!(said("5.00", "0.02").contains("nobody is ready in the meantime"));
    assert!(said("0.02", "0.01").contains("both small: what warps wait for is elsewhere"));
    assert!(!said("0.02", "3.00").contains("Long scoreboard and not selected"));
    // The two alone: six warps of a block have 9.4 % of the slots, and 0.2 % of them are next to nothing.
    let alone = page(&[
        ("smsp__warps_issue_stalled_long_scoreboard.avg.pct_of_peak_sustained_active", "%", "0.20"),
        ("smsp__warps_issue_stalled_not_selected.avg.pct_of_peak_sustained_active", "%", "0.10"),
    ]);
    assert!(alone.contains("both small: what warps wait for is elsewhere"), "{alone}");
}

#[test]
fn stalls_per_issue_are_cycles() {
    let page = page(&[
        ("smsp__average_warps_issue_stalled_barrier_per_issue_active.pct", "%", "114.00"),
        ("smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.pct", "%", "2.00"),
    ]);
    // A hundred percent is one warp in this state for each issued instruction, which is one cycle of a warp.
    assert_eq!(cells(&page, "Barrier")[1], "1.14");
    assert!(page.contains("Cycles between two instructions of a warp"), "{page}");
}

#[test]
fn a_reason_alone_is_no_share() {
    let project = Project::new();
    let stall = "smsp__warps_issue_stalled_barrier.avg.pct_of_peak_sustained_active";
    std::fs::write(project.path("asked.csv"), csv(&[(stall, "%", "12.14")])).unwrap();
    let checks = ["--expect", "stall.barrier < 5"];
    let mut words =
        "generate --report asked.csv --name gemm --no-charts --date 2026-11-01".split(' ').collect::<Vec<_>>();
    words.extend(checks);
    let page = project.read(project.words(&words).done().lines().next().unwrap_or_default());
    assert!(page.contains("the report has the reason, and not what all reasons sum up to"), "{page}");
}

#[test]
fn sections_that_ncu_does_not_have_are_told_with_those_that_are_meant() {
    let project = Project::new();
    let config = project.read("audit.toml")
        + "[subject.collect]\nsections = [\"SharedMemory\", \"WarpStateStatistics\", \"Ocupancy\", \"PmSampling\"]\n";
    std::fs::write(project.path("audit.toml"), config).unwrap();
    project.report("new.csv", &[Profile::steady(1e5)]);
    let run = project.run("lint");
    assert_eq!(run.status(), 2, "{}", run.err());
    let said = run.out() + &run.err();
    for (asked, meant) in [
        ("SharedMemory", "MemoryWorkloadAnalysis_Tables"),
        ("WarpStateStatistics", "WarpStateStats"),
        ("Ocupancy", "Occupancy"),
    ] {
        assert!(said.contains(&format!("scale: ncu has no section {asked:?}; it has: {meant}")), "{said}");
    }
    assert!(!said.contains("\"PmSampling\""), "{said}");
}

#[test]
fn a_counter_is_told_once_and_series_are_no_counters() {
    let page = page(&[
        ("gpc__cycles_elapsed.avg", "cycle", "1,000"),
        ("gpc__cycles_elapsed.max", "cycle", "1,010"),
        ("gpc__cycles_elapsed.min", "cycle", "990"),
        ("l1tex__m_xbar2l1tex_write_bytes.avg", "byte", "32"),
        ("l1tex__m_xbar2l1tex_write_bytes.sum", "byte", "64"),
        ("gpu__time_duration.max", "nsecond", "500"),
        ("gpu__time_duration.sum", "nsecond", "500"),
        ("pmsampling:smsp__warps_issue_stalled_barrier.avg", "warp", "9"),
        ("TPC.TriageCompute.sm__cycles_active.avg", "cycle", "7"),
    ]);
    // Of the cycles the roll-up that tables show; of a counter without a row the average; the time stands in the lead.
    assert_eq!(cells(&page, "Elapsed cycles")[1], "1,010 cycles");
    assert_eq!(cells(&page, "l1tex__m_xbar2l1tex_write_bytes.avg")[1], "32 B");
    let section = page.split("## Counters asked for").nth(1).unwrap().split("<!--").next().unwrap();
    // A head, a line under it, and the two.
    assert_eq!(section.lines().filter(|line| line.starts_with('|')).count(), 4, "{section}");
}

#[test]
fn a_roll_up_above_the_parts_that_were_asked_for_is_a_part_of_its_own() {
    const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
    let found = page(&[
        (MEMORY, "%", "82.2"),
        (DRAM, "%", "35.4"),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "33.2"),
    ]);
    assert!(found.contains("| This kernel |          82.2 | 35.4 | 33.2 |"), "{found}");
    assert!(found.contains("`unknown-unit`"), "{found}");
    // The busiest part is there.
    let whole = page(&[(MEMORY, "%", "82.2"), (L1, "%", "82.0")]);
    assert!(!whole.contains("memory system"), "{whole}");
}

#[test]
fn counters_that_failed_are_told_with_what_is_known_of_the_tool() {
    let nan = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    let time = ("gpu__time_duration.sum", "nsecond", "770,000");
    let found = page(&[time, (nan, "%", "nan"), ("lts__t_sector_hit_rate.pct", "%", "nan"), (DRAM, "%", "35.4")]);
    // A hit rate without lookups is a quotient of nothing, and no failure.
    assert!(found.contains(&format!("The report holds NaN for 1 counter, `{nan}` among them. ncu 2026.2")), "{found}");
    assert!(found.contains("kernelbot/pull/530"), "{found}");
    assert!(!page(&[(DRAM, "%", "35.4")]).contains("NaN"));
}
