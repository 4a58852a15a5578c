//! Instruction counts and mix.

use super::document::{Block, Section, Table};
use super::source_lines;
use super::tables::{self, Extra, paragraph, text};
use crate::analysis::{Audit, OpcodeRow, Row};
use crate::quantity::format;

/// Opcodes shown unfolded.
const SHOWN: usize = 12;
const CURE: &str = "Collect with `--section InstructionStats --section SourceCounters`.";

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let mut blocks = Vec::new();
    if let Some(panel) = audit.panel("instructions") {
        let rows: Vec<&Row> = panel.rows.iter().collect();
        if !rows.is_empty() {
            blocks.push(Block::Table { table: tables::metrics("instructions", "", &rows) });
        }
        blocks.extend(tables::not_collected(audit, &panel.not_collected, CURE));
    }
    if audit.mix.rows.is_empty() {
        blocks
            .push(paragraph(format!("No mix by opcode: the report holds no `sass__inst_executed_per_opcode`. {CURE}")));
    } else {
        blocks.push(paragraph(moves(audit)));
        blocks.extend(stores(audit).map(paragraph));
        blocks.push(Block::Heading { text: "Mix by opcode".into() });
        blocks.push(paragraph("Warp-level executions per launch, by base opcode (`sass__inst_executed_per_opcode`)."));
        let (shown, rest) = audit.mix.rows.split_at(audit.mix.rows.len().min(SHOWN));
        blocks.push(Block::Table { table: mix("opcodes", "Opcode", shown, true) });
        let mut folded = Vec::new();
        if !rest.is_empty() {
            folded.push(Block::Table { table: mix("opcodes-rest", "Opcode", rest, true) });
        }
        folded.push(paragraph("By class:"));
        folded.push(Block::Table { table: mix("opcode-classes", "Class", &audit.mix.classes, false) });
        let summary = if rest.is_empty() {
            "By class".to_string()
        } else {
            format!("{} further opcodes, and the sums by class", rest.len())
        };
        blocks.push(Block::Fold { summary, blocks: folded });
    }
    blocks.extend(source_lines::instructions(audit));
    Section { id: "instructions".into(), title: "Instruction counts".into(), blocks }
}

/// Predication, tensor instructions and data movement, in one line each reader looks for.
fn moves(audit: &Audit) -> String {
    let mix = &audit.mix;
    let counted: Vec<String> = mix
        .moves
        .iter()
        .filter(|(_, n)| *n > 0.0)
        .map(|(opcode, n)| format!("{opcode} {}", format::fixed(*n, 0)))
        .collect();
    let idle: Vec<&str> = mix.moves.iter().filter(|(_, n)| *n == 0.0).map(|(opcode, _)| opcode.as_str()).collect();
    let none = if idle.is_empty() { String::new() } else { format!(" (none: {})", idle.join(", ")) };
    let guarded = guarded(audit).map(|sentence| format!(" {sentence}")).unwrap_or_default();
    format!(
        "Predication efficiency {}. Tensor instructions {}, {} of all. Data movement: {}{none}.{guarded}",
        tables::number(&mix.predication),
        tables::number(&mix.tensor),
        tables::number(&mix.tensor_share),
        if counted.is_empty() { "no counted instruction".to_owned() } else { counted.join(", ") }
    )
}

/// Why a count by opcode is above the count of accesses: it has the executions whose guard was false for every lane.
fn guarded(audit: &Audit) -> Option<String> {
    const PAIRS: [(&str, &str); 4] = [
        ("LDG", "sass__inst_executed_global_loads"),
        ("STG", "sass__inst_executed_global_stores"),
        ("LDS", "sass__inst_executed_shared_loads"),
        ("STS", "sass__inst_executed_shared_stores"),
    ];
    let rows = &audit.panel("instructions")?.rows;
    let apart = |(opcode, metric): &(&str, &str)| {
        let executed = audit.mix.count(opcode)?;
        let accesses = rows.iter().find(|row| row.id == *metric)?.new.value()?;
        let (all, some) = (format::fixed(executed, 0), format::fixed(accesses, 0));
        (executed > accesses * 1.01).then(|| format!("{some} of {all} {opcode}"))
    };
    let found: Vec<String> = PAIRS.iter().filter_map(apart).collect();
    let words = "Counts by opcode include executions that a guard switched off for every lane; an access was made by";
    (!found.is_empty()).then(|| format!("{words} {}.", found.join(", ")))
}

/// The subject's tile arithmetic beside the executed stores.
fn stores(audit: &Audit) -> Option<String> {
    let stores = audit.stores.as_ref()?;
    let tiles = &stores.tiles;
    let sum = format!(
        "{} tiles × {} stores per warp × {} warps",
        format::integer(tiles.count),
        format::integer(tiles.stores_per_warp),
        format::integer(tiles.warps)
    );
    let Some(expected) = stores.expected else { return Some(format!("**Stores.** {sum} is more than 64 bits hold.")) };
    let sum = format!("{sum} = {}", format::integer(expected));
    Some(match (stores.executed.value(), stores.ratio()) {
        (Some(executed), _) if executed == expected as f64 => {
            format!("**Stores.** {sum}, as many as STG instructions were executed.")
        }
        (Some(executed), ratio) => {
            let times = ratio.map(|ratio| format!(", {} times as many", format::fixed(ratio, 3))).unwrap_or_default();
            format!("**Stores.** {sum}, but {} STG instructions were executed{times}.", format::fixed(executed, 0))
        }
        (None, _) => format!("**Stores.** {sum}; the executed stores are NOT MEASURED."),
    })
}

fn mix(id: &str, head: &str, rows: &[OpcodeRow], with_class: bool) -> Table {
    let readings: Vec<&Row> = rows.iter().map(|row| &row.row).collect();
    let share = |row: &OpcodeRow| text(row.share.map(|s| format!("{} %", format::fixed(s, 2))).unwrap_or_default());
    let mut extra = vec![Extra { title: "Share of new", cells: rows.iter().map(share).collect(), is_number: true }];
    if with_class {
        let class = |row: &OpcodeRow| text(if row.class.is_empty() { "unknown opcode" } else { row.class.as_str() });
        extra.push(Extra { title: "Class", cells: rows.iter().map(class).collect(), is_number: false });
    }
    let mut table = tables::readings(id, "", head, &readings, extra);
    if with_class {
        for cells in &mut table.rows {
            cells[0].code = true;
        }
    }
    if readings.iter().all(|row| row.old.is_none()) {
        for column in table.columns.iter_mut().filter(|c| c.title == "Share of new") {
            column.title = "Share".into();
        }
    }
    table
}
