//! What flows through a part of the chip, beside the row that says how busy it is.

use super::tables::{Extra, text};
use crate::analysis::{Audit, Row};
use crate::catalog::{Counter, Part};
use crate::quantity::format;
use crate::quantity::glance::{self, bytes};
use cuda_binary::Op;
use cuda_binary::op::Space;

/// Parts of the SM's arithmetic that are told.
const PARTS: usize = 2;

/// The notes of a table; `None` for another one than that of the parts of the chip, and where none of its rows has one.
pub(super) fn notes<'a>(audit: &Audit, table: &str, rows: &[&Row]) -> Option<Extra<'a>> {
    if table != "throughput" {
        return None;
    }
    let notes: Vec<Option<String>> = rows.iter().map(|row| note(audit, &row.id)).collect();
    let has_some = notes.iter().any(Option::is_some);
    let cells = notes.into_iter().map(|note| text(note.unwrap_or_default())).collect();
    let title = if audit.old.is_some() { "What flows there (new)" } else { "What flows there" };
    has_some.then_some(Extra { title, cells, is_number: false })
}

fn note(audit: &Audit, id: &str) -> Option<String> {
    let moved = |metric: Counter, what: &str| {
        let amount = value(audit, metric).filter(|amount| *amount > 0.0)?;
        Some(format!("{} {what}", bytes(amount)))
    };
    let counted = |amount: Option<f64>, what: &str| {
        Some(format!("{} {what}", glance::short(amount.filter(|amount| *amount > 0.0)?)))
    };
    let told: Vec<Option<String>> = match id.split('.').next()? {
        "l1tex__throughput" => vec![
            counted(audit.coalescing.total("sectors"), "sectors of global accesses"),
            counted(value(audit, Counter::MemoryL1WavefrontsShared), "wavefronts of shared memory"),
        ],
        "lts__throughput" => vec![
            moved(
                Counter::L1texMXbar2l1texReadBytesSum,
                &format!("read{}", by(audit, |op| op.reads_global() || op.is_in(Space::Texture))),
            ),
            moved(Counter::L1texML1tex2xbarWriteBytesSum, &format!("written{}", by(audit, Op::writes_global))),
        ],
        "gpu__dram_throughput" => {
            vec![moved(Counter::DramBytesReadSum, "read"), moved(Counter::DramBytesWriteSum, "written")]
        }
        "sm__throughput" => arithmetic(audit),
        _ => Vec::new(),
    };
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join(", "))
}

fn value(audit: &Audit, metric: Counter) -> Option<f64> {
    audit.panels.iter().find_map(|panel| panel.row(metric))?.new.value()
}

/// ` by LDG and LDGSTS`: the opcodes of a kind that were executed.
fn by(audit: &Audit, takes: impl Fn(Op) -> bool) -> String {
    let ran =
        |row: &&crate::analysis::OpcodeRow| takes(row.op()) && row.row.new.value().is_some_and(|count| count > 0.0);
    let names: Vec<&str> = audit.mix.rows.iter().filter(ran).map(|row| row.opcode.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" by {}", names.join(", ")) }
}

/// The busiest pipes and issue.
fn arithmetic(audit: &Audit) -> Vec<Option<String>> {
    let is_own = |part: Part| part == Part::Issue || part.computes();
    let units = audit.bottleneck.units.iter().filter(|unit| is_own(unit.part)).take(PARTS);
    units.map(|unit| Some(format!("{} {} %", unit.name, format::fixed(100.0 * unit.share, 1)))).collect()
}
