//! Names of counters stand in tables: code says `Counter::SmspInstExecutedSum`, and a name that only a report or a user brings is
//! no literal.

use super::layers::all_sources;
use regex::Regex;
use std::fs;

/// Literals that are left: what the reader takes the device and the grid from, and beginnings that tell one thing in one place.
const METRICS: usize = 24;

/// Files that are tables themselves.
const TABLES: [&str; 4] = [
    "src/catalog/",
    "crates/ncu-report/src/ncu_units.rs",
    "crates/ncu-report/src/unasked.rs",
    "src/analysis/over_time/sampled.rs",
];

#[test]
fn names_of_metrics_stand_in_tables() {
    let metric = Regex::new(
        r#""([a-z0-9]+__[a-z0-9_.{}*]*|(launch__|device__|memory_(l[12]_|type|access)|derived__|inst_executed|thread_inst)\w*)""#,
    )
    .unwrap();
    let mut found = Vec::new();
    for path in all_sources() {
        if TABLES.iter().any(|table| path.to_string_lossy().contains(table)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            found.extend(metric.captures_iter(line).map(|name| format!("{}: {}", path.display(), &name[1])));
        }
    }
    assert!(found.len() <= METRICS, "{} literals, expected {METRICS} at most:\n{}", found.len(), found.join("\n"));
}
