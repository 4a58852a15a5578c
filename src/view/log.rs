//! A build log by itself: every kernel that the assembler reported.

use super::document::{Cell, Document, Section};
use super::tables::{self, code, left, right, text};
use crate::evidence::{BuildLog, BuildRecord};

pub(crate) fn build_log(log: &BuildLog) -> Document {
    let columns = ["Registers", "Spill stores (B)", "Spill loads (B)", "Stack (B)", "Shared (B)", "Barriers"];
    let columns = [left("Kernel"), left("Arch")].into_iter().chain(columns.map(right)).collect();
    let table = tables::table("kernels", columns, log.records.iter().map(row).collect());
    let mut sections = vec![Section::new("kernels", "Kernels", vec![table.into()])];
    let mut list = |name: &str, title: &str, items: Vec<String>| {
        if !items.is_empty() {
            sections.push(Section::new(name, title, vec![tables::list("lines", items)]));
        }
    };
    let warnings = log.warnings.iter().map(|(line, text)| format!("line {line}: {text}"));
    list("warnings", "Warnings", warnings.collect());
    list("unrecognised", "Lines not understood", log.unrecognised_lines.clone());
    Document { title: log.origin.path.clone(), sections, ..Document::default() }
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
    let number = |value: Option<u64>| value.map_or_else(|| text("not printed"), tables::count);
    let name = if record.demangled.is_empty() { &record.mangled } else { &record.demangled };
    [code(name.clone()), text(record.arch.clone())].into_iter().chain(numbers.map(number)).collect()
}
