//! `--page raw --csv --print-units base`: every cell of every fixture.

use super::{WITH_TRUTH, everything, page};
use kernel_audit::evidence::{Launch, Metric, Value, Workload};
use std::collections::BTreeSet;

/// Groups the digits of a number by commas, as the locale of the machine that printed the page does.
fn grouped(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = number.split_once('.').map_or((number, String::new()), |(w, f)| (w, format!(".{f}")));
    let mut groups: Vec<&str> = Vec::new();
    let mut end = whole.len();
    while end > 3 {
        groups.push(&whole[end - 3..end]);
        end -= 3;
    }
    groups.push(&whole[..end]);
    groups.reverse();
    format!("{sign}{}{fraction}", groups.join(","))
}

/// A value as ncu prints it in base units.
fn printed(metric: &Metric) -> String {
    match &metric.value {
        None if metric.instances.is_empty() => "no data".to_owned(),
        None => String::new(),
        Some(Value::Text(text)) => text.to_string(),
        Some(Value::U32(value)) => grouped(&value.to_string()),
        Some(Value::U64(value)) => grouped(&value.to_string()),
        Some(value) => {
            let value = value.as_f64().unwrap();
            if value.is_nan() {
                "nan".to_owned()
            } else if value.fract() == 0.0 {
                grouped(&format!("{value:.0}"))
            } else {
                grouped(&format!("{value:.2}"))
            }
        }
    }
}

/// The columns before the metrics.
fn identity(launch: &Launch, column: &str) -> Option<String> {
    let number = |number: Option<u32>| number.map_or("n/a".to_owned(), |number| number.to_string());
    Some(match column {
        "ID" => launch.id.to_string(),
        "Process ID" => launch.process.id.to_string(),
        "Process Name" => launch.process.name.to_string(),
        "Kernel Name" => launch.name.to_string(),
        "Context" => number(launch.context),
        "Stream" => number(launch.stream),
        "Block Size" => launch.block?.to_string(),
        "Grid Size" => launch.grid?.to_string(),
        "Device" => number(launch.device.index),
        "CC" => launch.device.compute_capability.map(|(major, minor)| format!("{major}.{minor}"))?,
        _ => return None,
    })
}

#[test]
fn every_cell_of_the_raw_page_is_what_nvidia_prints() {
    let mut cells = 0;
    for name in WITH_TRUTH {
        let report = everything(name);
        let rows = page(&format!("{name}.raw.csv"));
        let (columns, units, rows) = (&rows[0], &rows[1], &rows[2..]);
        let last_of_launch = columns.iter().position(|column| column == "CC").unwrap();
        assert_eq!(report.launches.len(), rows.len(), "{name}: results");
        for (launch, row) in report.launches.iter().zip(rows) {
            for (at, column) in columns.iter().enumerate() {
                let place = format!("{name}, result {}, {column}", launch.id);
                if at <= last_of_launch {
                    if let Some(ours) = identity(launch, column) {
                        assert_eq!(ours, row[at], "{place}");
                        cells += 1;
                    } else {
                        // NVIDIA's sizes of a graph are maxima over its launches, which no launch needs to have.
                        assert!(column == "Host Name" || launch.workload == Workload::Graph, "{place}");
                    }
                    continue;
                }
                let metric = launch.metric(column).unwrap_or_else(|| panic!("{place} is missing"));
                assert_eq!(metric.unit.as_str(), units[at], "unit of {place}");
                assert_eq!(printed(metric), row[at], "{place}");
                cells += 1;
            }
            let listed: BTreeSet<&str> = columns.iter().map(String::as_str).collect();
            for metric in &launch.metrics {
                let is_list = ["group:", "breakdown:", "regex:"].iter().any(|prefix| metric.name.starts_with(prefix));
                assert_eq!(listed.contains(metric.name.as_str()), !is_list, "{name}: {}", metric.name);
            }
        }
    }
    assert!(cells > 8_000, "only {cells} cells were compared");
}

#[test]
fn metrics_are_sorted_and_found_by_name() {
    let report = everything("gemm_bias_v1");
    let launch = &report.launches[0];
    assert!(launch.metrics.is_sorted_by(|a, b| a.name < b.name), "sorted, each name once");
    for metric in &launch.metrics {
        assert_eq!(launch.metric(&metric.name).map(|found| &found.name), Some(&metric.name));
    }
    assert_eq!(launch.metric("gpu__time_duration"), None);
}

#[test]
fn an_absent_aggregate_is_not_zero() {
    let report = everything("gemm_bias_v1");
    let spilling = report.launches[0].metric("sass__inst_executed_register_spilling_mem_local").unwrap();
    assert_eq!((&spilling.value, spilling.instances.len(), spilling.quantity()), (&None, 0, None));
    let ratio = report.launches[0].metric("derived_tempMetric4").unwrap();
    assert!(ratio.value.as_ref().unwrap().is_nan());
    assert_eq!(ratio.quantity(), None);
}
