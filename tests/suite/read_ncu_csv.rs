//! Reading `ncu --csv`: NVIDIA's own pages of the H200 reports, and the disguises that such text comes in.

use crate::judged;
use kernel_audit::analysis::Work;
use kernel_audit::evidence::{Dim3, Launch, Origin, Report, Speedup, Value, Workload};
use kernel_audit::quantity::Unit;
use kernel_audit::source::ncu_csv::{self, CsvPage};
use kernel_audit::source::{NameSet, ReadError, Want};
use kernel_audit::view::{self, Content, Heading};
use std::collections::BTreeMap;

const NAMES: [&str; 8] =
    ["gemm_bias_v1", "gemm_bias_v2", "both_basic", "graph", "range", "app_range", "multiprocess", "badmetric_dropped"];

const LATENCY: &str = "smsp__average_warp_latency_per_inst_issued.ratio";

fn truth(name: &str, page: &str) -> String {
    crate::truth::text(&format!("{name}.{page}.csv"))
}

fn read(text: &str) -> Report {
    ncu_csv::read(text.as_bytes(), Origin::default(), &Want::everything()).unwrap()
}

fn number(launch: &Launch, name: &str) -> f64 {
    launch.value(name).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number for {name}"))
}

/// Every cell of every raw page, read a second time by the `csv` crate and Rust's own number parser.
#[test]
fn the_raw_page_loses_no_cell() {
    let mut compared = 0;
    for name in NAMES {
        let text = truth(name, "raw");
        let report = read(&text);
        let mut cells = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = cells.records().map(Result::unwrap).collect();
        assert_eq!(report.launches.len(), rows.len() - 2, "{name}");
        assert_eq!((report.damage.len(), report.unrecognised_lines.len()), (0, 0), "{name}");
        assert_eq!(report.origin.format, "ncu-raw-csv");
        let first_metric = rows[0].iter().position(|column| column == "CC").unwrap() + 1;
        for (launch, row) in report.launches.iter().zip(&rows[2..]) {
            assert_eq!(launch.name.as_str(), &row[4]);
            let filled = row.iter().skip(first_metric).filter(|cell| !cell.is_empty()).count();
            assert_eq!(launch.metrics.len(), filled, "{name}");
            for at in first_metric..row.len() {
                let (column, cell) = (&rows[0][at], &row[at]);
                let metric = launch.metric(column);
                assert_eq!(metric.is_some(), !cell.is_empty(), "{column}");
                let Some(metric) = metric else { continue };
                assert_eq!(metric.unit, Unit::new(&rows[1][at]), "{column}");
                match (&metric.value, cell) {
                    (None, "no data" | "n/a") => {}
                    (Some(Value::F64(value)), "nan" | "-nan") => assert!(value.is_nan()),
                    (Some(Value::Text(text)), cell) => assert_eq!(text.as_str(), cell),
                    (Some(value), cell) => {
                        assert_eq!(value.as_f64(), Some(cell.replace(',', "").parse().unwrap()), "{column}");
                    }
                    (None, cell) => panic!("{column}: {cell} was lost"),
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 7_000, "{compared}");
}

/// The two pages of one report agree within the two decimals that the details page prints.
#[test]
fn the_details_page_names_the_metrics_of_the_raw_page() {
    let (mut compared, mut unnamed, mut told) = (0, Vec::new(), BTreeMap::new());
    for name in NAMES {
        let raw = read(&truth(name, "raw"));
        let text = truth(name, "details");
        let details = read(&text);
        assert_eq!(details.origin.format, "ncu-details-csv");
        assert_eq!((details.launches.len(), details.damage.len()), (raw.launches.len(), 0), "{name}");
        unnamed.extend(details.unrecognised_lines);
        for (shown, whole) in details.launches.iter().zip(&raw.launches) {
            assert_eq!(
                (shown.id, &shown.name, shown.grid, shown.workload),
                (whole.id, &whole.name, whole.grid, whole.workload)
            );
            for metric in shown.metrics.iter().filter(|metric| !metric.name.contains('/')) {
                let there = whole.metric(&metric.name).unwrap_or_else(|| panic!("{} is on one page only", metric.name));
                assert_eq!(metric.unit, there.unit, "{}", metric.name);
                match (&metric.value, &there.value) {
                    (Some(Value::Text(a)), Some(Value::Text(b))) => assert_eq!(a, b),
                    (Some(a), Some(b)) => {
                        let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
                        // What a rule says of a wait it says in percent of the cycles between two instructions, with one decimal.
                        let is_told = metric.name.contains("_stalled_");
                        let off = 0.005 + 1e-9 + if is_told { 0.0005 * number(whole, LATENCY) } else { 0.0 };
                        let printed = [1.0, 1e3, 1e6, 1e9, 1e12]
                            .iter()
                            .any(|prefix| (b / prefix - a / prefix).abs() <= off && (*prefix == 1.0 || b >= *prefix));
                        assert!(printed, "{name} {}: {a} and {b}", metric.name);
                        told.insert((name, metric.name.to_string()), a);
                    }
                    (a, b) => assert_eq!(a, b, "{}", metric.name),
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "{compared}");
    let stalled = |reason| format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio");
    let of_rules = [
        ("gemm_bias_v1", stalled("lg_throttle"), None),
        ("gemm_bias_v2", stalled("mio_throttle"), None),
        ("gemm_bias_v1", "memory_l2_theoretical_sectors_global".to_owned(), Some(2_216_755_200.0)),
        ("gemm_bias_v1", "memory_l2_theoretical_sectors_global_ideal".to_owned(), Some(335_872_000.0)),
        ("gemm_bias_v2", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum".to_owned(), Some(582_841.0)),
    ];
    for (name, metric, count) in of_rules {
        let read = told.get(&(name, metric.clone())).unwrap_or_else(|| panic!("{metric} of {name} was not compared"));
        assert!(count.is_none_or(|count| *read == count), "{metric} of {name}: {read}");
    }
    unnamed.sort();
    unnamed.dedup();
    let row = |name| move |line: &&String| line.contains(&format!("Compute Workload Analysis/{name}"));
    assert!(unnamed.iter().any(|line| row("SM Busy")(&line)), "{unnamed:?}");
    let others = unnamed.iter().filter(|line| !row("SM Busy")(line) && !row("Issue Slots Busy")(line));
    let others: Vec<_> = others.filter(|line| !line.contains("L2 Compression")).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// A page of details says which of its numbers are worked out; one whose numbers are all rows does not.
#[test]
fn the_page_says_which_numbers_are_worked_out_of_sentences() {
    let says = |page| {
        let report = read(&truth("gemm_bias_v1", page));
        let audit = judged::audit(&report, &[], &Work::default());
        let document = view::document(&Heading::default(), &audit);
        let evidence = document.details.iter().find(|section| section.name == "evidence").expect("evidence");
        let paragraphs = evidence.blocks.iter().filter_map(|block| match &block.content {
            Content::Paragraph(words) => Some(words.to_plain()),
            _ => None,
        });
        paragraphs.filter(|words| words.contains("MEASURED") && words.contains("a sentence of a rule")).count()
    };
    assert_eq!((says("details"), says("raw")), (1, 0));
}

#[test]
fn a_launch_has_its_identity() {
    let report = read(&truth("both_basic", "raw"));
    let second = &report.launches[1];
    assert_eq!((second.id, second.workload, second.process.id), (1, Workload::Kernel, 622));
    assert_eq!((second.process.name.as_ref(), second.function.as_ref()), ("devset", "gemm_bias_v2"));
    assert_eq!((second.grid, second.block), (Some(Dim3([32, 64, 1])), Some(Dim3([32, 32, 1]))));
    assert_eq!((second.context, second.stream), (Some(1), Some(7)));
    let device = &second.device;
    assert_eq!(
        (device.name.as_ref(), device.compute_capability, device.sm_count),
        ("NVIDIA H200", Some((9, 0)), Some(132))
    );
    let range = &read(&truth("range", "raw")).launches[0];
    assert_eq!((range.workload, range.grid, range.stream), (Workload::Range, None, None));
    let graph = &read(&truth("graph", "details")).launches[0];
    assert_eq!((graph.workload, graph.grid, graph.block), (Workload::Graph, None, None));
}

#[test]
fn rules_are_read_with_their_speedups() {
    let launch = &read(&truth("gemm_bias_v1", "details")).launches[0];
    let rule = |id: &str| launch.rules.iter().filter(|rule| rule.id.as_str() == id).collect::<Vec<_>>();
    let [pipe] = rule("HighPipeUtilization")[..] else { panic!("one result of the rule") };
    assert_eq!(pipe.speedup, Some(Speedup { is_global: false, percent: 96.88 }));
    assert_eq!((pipe.section.as_ref(), pipe.messages[0].kind.as_ref()), ("ComputeWorkloadAnalysis", "optimization"));
    assert_eq!(rule("SOLBottleneck")[0].messages[0].kind.as_str(), "ok");
    assert_eq!(rule("CPIStall")[0].messages.len(), 2);
    assert_eq!(rule("MemoryCacheAccessPattern").len(), 2);
    let none = ncu_csv::read(truth("gemm_bias_v1", "details").as_bytes(), Origin::default(), &Want::default()).unwrap();
    assert!(none.launches[0].rules.is_empty());
}

const HEADER: &str = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"";

fn row(id: u32, cells: &str) -> String {
    format!(
        "\"{id}\",\"7\",\"app\",\"127.0.0.1\",\"k(int)\",\"1\",\"7\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"0\",\"9.0\",{cells}\n"
    )
}

fn raw_page(names: &str, units: &str, rows: &[&str]) -> String {
    let rows: String = (0..).zip(rows).map(|(id, cells)| row(id, cells)).collect();
    format!("{HEADER},{names}\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",{units}\n{rows}")
}

#[test]
fn prefixed_units_become_base_units() {
    let page = raw_page(
        "\"dram__bytes.sum\",\"gpu__time_duration.sum\",\"gpc__cycles_elapsed.avg.per_second\",\"lts__t_sectors.sum.per_second\",\"inst_executed\"",
        "\"Mbyte\",\"us\",\"Ghz\",\"sector/us\",\"inst\"",
        &[
            "\"12.345678\",\"615.010000\",\"1.980000\",\"0.250000\",\"1,024 (512; 512)\"",
            "\"0.000001\",\"2\",\"1.5\",\"3\",\"n/a\"",
        ],
    );
    let report = read(&page);
    let [first, second] = &report.launches[..] else { panic!("two launches") };
    assert_eq!(number(first, "dram__bytes.sum"), 12_345_678.0);
    assert_eq!(number(first, "gpu__time_duration.sum"), 615_010.0);
    assert_eq!(number(first, "gpc__cycles_elapsed.avg.per_second"), 1.98e9);
    assert_eq!(number(first, "lts__t_sectors.sum.per_second"), 250_000.0);
    assert_eq!(first.metric("lts__t_sectors.sum.per_second").unwrap().unit, Unit::new("sector/s"));
    let executed = first.metric("inst_executed").unwrap();
    assert_eq!((executed.value.clone(), executed.instances.len()), (Some(Value::U64(1024)), 2));
    assert_eq!((number(second, "dram__bytes.sum"), second.value("inst_executed")), (1.0, None));
    assert!(second.metric("inst_executed").is_some());
}

#[test]
fn messages_and_program_output_around_the_rows_are_told_apart() {
    let page = raw_page("\"a__x.sum\"", "\"\"", &["\"5\"", "\"6\""]);
    let (head, tail) = page.split_at(page.find("\"1\",\"7\",\"app\"").unwrap());
    let text = format!(
        "starting up\n==PROF== Connected to process 7 (/bin/app)\n==WARNING== Unable to access the following 2 metrics: b__y.sum, c__z.avg.\n\n{head}iteration 3 done\n==PROF== Profiling \"k\"\n42 items\n{tail}\"the \"\"end\"\"\nof it\"\n==PROF== Disconnected from process 7\n"
    );
    let report = read(&text);
    assert_eq!(report.launches.iter().map(|launch| number(launch, "a__x.sum")).collect::<Vec<_>>(), [5.0, 6.0]);
    assert_eq!(report.dropped, ["b__y.sum", "c__z.avg"]);
    assert_eq!(report.unrecognised_lines.len(), 4);
    assert!(report.unrecognised_lines[0].ends_with("starting up") && report.damage.is_empty());
}

#[test]
fn a_german_page_reads_like_an_english_one() {
    let english = read(&raw_page("\"a__x.sum\",\"b__y.avg\"", "\"\",\"\"", &["\"2,048\",\"1,234,567.25\""]));
    let german = read(&raw_page("\"a__x.sum\",\"b__y.avg\"", "\"\",\"\"", &["\"2.048\",\"1.234.567,25\""]));
    let french =
        read(&raw_page("\"a__x.sum\",\"b__y.avg\"", "\"\",\"\"", &["\"2\u{202f}048\",\"1\u{202f}234\u{202f}567,25\""]));
    for report in [&english, &german, &french] {
        assert_eq!(number(&report.launches[0], "a__x.sum"), 2048.0);
        assert_eq!(number(&report.launches[0], "b__y.avg"), 1_234_567.25);
    }
    let unknown = read(&raw_page("\"a__x.sum\"", "\"\"", &["\"2.048\""]));
    assert_eq!(unknown.launches[0].value("a__x.sum"), None);
    assert!(unknown.damage[0].what.contains("2.048"), "{:?}", unknown.damage);
}

#[test]
fn metrics_asked_for_on_the_command_line_keep_their_names() {
    let text = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
        \"0\",\"21\",\"cfd\",\"127.0.0.1\",\"step\",\"2020-Apr-07 17:01:05\",\"1\",\"7\",\"Command line profiler metrics\",\"gpc__cycles_elapsed.avg.per_second\",\"cycle/nsecond\",\"1.31\"\n\
        \"1\",\"21\",\"cfd\",\"127.0.0.1\",\"step\",\"2020-Apr-07 17:01:05\",\"1\",\"7\",\"Command line profiler metrics\",\"dram__bytes.sum\",\"byte\",\"1,024\"\n";
    let report = read(text);
    assert_eq!(number(&report.launches[0], "gpc__cycles_elapsed.avg.per_second"), 1.31e9);
    assert_eq!(number(&report.launches[1], "dram__bytes.sum"), 1024.0);
}

#[test]
fn a_metric_that_ncu_dropped_is_named() {
    let report = read(&truth("badmetric_dropped", "details"));
    assert_eq!(report.dropped, ["smsp__sass_warp_efficiency.avg"]);
    let names: Vec<_> = report.launches[0].metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["sm__throughput.avg.pct_of_peak_sustained_elapsed"]);
}

#[test]
fn only_what_is_wanted_is_read() {
    let want = Want { metrics: NameSet::exactly(["gpu__time_duration.sum"]), ..Want::default() };
    for page in ["raw", "details"] {
        let report = ncu_csv::read(truth("gemm_bias_v2", page).as_bytes(), Origin::default(), &want).unwrap();
        let names: Vec<_> = report.launches[0].metrics.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names, ["gpu__time_duration.sum"], "{page}");
    }
}

#[test]
fn a_second_table_is_numbered_on() {
    let page = raw_page("\"a__x.sum\"", "\"\"", &["\"5\"", "\"6\""]);
    let report = read(&(page.clone() + &page));
    assert_eq!(report.launches.iter().map(|launch| launch.id).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn pages_are_recognised_and_the_others_refused_with_a_cure() {
    for (page, kind) in [("raw", CsvPage::Raw), ("details", CsvPage::Details), ("source", CsvPage::Source)] {
        assert_eq!(ncu_csv::looks_like(truth("gemm_bias_v1", page).as_bytes()), Some(kind));
    }
    let raw = truth("gemm_bias_v1", "raw");
    assert_eq!(ncu_csv::looks_like(&raw.as_bytes()[..600]), Some(CsvPage::Raw));
    assert_eq!(ncu_csv::looks_like(b"ptxas info : x\n"), None);
    let summary = "\"Process ID\",\"Process Name\",\"Kernel Name\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n";
    assert_eq!(ncu_csv::looks_like(summary.as_bytes()), Some(CsvPage::Summary));
    let fails = |text: &str| ncu_csv::read(text.as_bytes(), Origin::default(), &Want::default()).unwrap_err();
    assert!(matches!(fails(summary), ReadError::WrongKind { .. }));
    assert!(matches!(fails(&truth("gemm_bias_v1", "source")), ReadError::WrongKind { .. }));
    let none = fails("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
    assert!(matches!(none, ReadError::Empty { .. }) && none.to_string().contains("counters"), "{none}");
    assert!(matches!(fails(&format!("{HEADER},\"a__x.sum\"\n")), ReadError::Empty { .. }));
}

#[test]
fn a_cut_page_says_so_and_no_byte_breaks_the_reader() {
    let page = raw_page("\"a__x.sum\",\"b__y\"", "\"ns\",\"%\"", &["\"5\",\"1 (2; 3)\"", "\"6\",\"7\""]);
    let cut = read(&page[..page.len() - 3]);
    assert_eq!((cut.launches.len(), cut.damage.len()), (1, 1));
    let mut bytes = page.clone().into_bytes();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x22, 0x80] {
            bytes[at] ^= flip;
            if let Ok(report) = ncu_csv::read(&bytes, Origin::default(), &Want::everything()) {
                assert!(report.launches.len() <= 2);
            }
            bytes[at] ^= flip;
        }
        let _ = ncu_csv::read(&bytes[..at], Origin::default(), &Want::everything());
    }
}
