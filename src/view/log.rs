//! A build log by itself: every kernel that the assembler reported.

use super::document::{Block, Cell, Document, Section, Table};
use super::escape;
use super::tables::{code, left, right, text};
use crate::evidence::{BuildLog, BuildRecord};
use crate::quantity::format;

/// The document of a build log.
pub fn build_log(log: &BuildLog) -> Document {
    let columns = ["Registers", "Spill stores (B)", "Spill loads (B)", "Stack (B)", "Shared (B)", "Barriers"];
    let columns = [left("Kernel"), left("Arch")].into_iter().chain(columns.map(right)).collect();
    let table =
        Table { id: "kernels".into(), caption: String::new(), columns, rows: log.records.iter().map(row).collect() };
    let mut sections =
        vec![Section { id: "kernels".into(), title: "Kernels".into(), blocks: vec![Block::Table { table }] }];
    let mut list = |id: &str, title: &str, items: Vec<String>| {
        if !items.is_empty() {
            let blocks = vec![Block::List { ordered: false, items }];
            sections.push(Section { id: id.into(), title: title.into(), blocks });
        }
    };
    let warnings = log.warnings.iter().map(|(line, text)| format!("line {line}: {}", escape::text(text)));
    list("warnings", "Warnings", warnings.collect());
    list(
        "unrecognised",
        "Lines not understood",
        log.unrecognised_lines.iter().map(|line| escape::text(line)).collect(),
    );
    Document { title: log.origin.path.clone(), lead: Vec::new(), sections }
}

fn row(record: &BuildRecord) -> Vec<Cell> {
    let numbers = [
        record.registers,
        record.spill_store_bytes,
        record.spill_load_bytes,
        record.stack_bytes,
        record.shared_bytes,
        record.barriers,
    ];
    let number = |value: Option<u64>| text(value.map_or_else(|| "not printed".to_owned(), format::integer));
    let name = if record.demangled.is_empty() { &record.mangled } else { &record.demangled };
    [code(name.clone()), text(record.arch.clone())].into_iter().chain(numbers.map(number)).collect()
}
