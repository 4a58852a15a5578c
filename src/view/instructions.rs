//! Instruction counts and mix.

use super::document::{Section, Table};
use super::source_lines;
use super::tables::{self, Extra, fold, heading, paragraph, percent, text};
use crate::analysis::phases::PhaseKind;
use crate::analysis::{Audit, OpcodeRow, Row};
use crate::catalog::Counter;
use crate::quantity::format;
use crate::quantity::glance;
use crate::words;
use crate::words::Words;
use cuda_binary::Op;

const SHOWN: usize = 12;
const LANES: u32 = 32;
/// Sectors of 32 bytes in a line of L1.
const SECTORS_OF_LINE: f64 = 4.0;

/// How to get what is missing.
fn cure() -> Words {
    words!("Collect with `--section InstructionStats --section SourceCounters`.")
}

pub(super) fn section(audit: &Audit) -> Section {
    let mut blocks = Vec::new();
    if let Some(panel) = audit.panel("instructions") {
        let rows: Vec<&Row> = panel.rows.iter().collect();
        if !rows.is_empty() {
            blocks.push(tables::metrics("instructions", &rows));
        }
        blocks.extend(tables::not_collected(audit, &panel.not_collected, cure()));
    }
    if audit.now.mix.rows.is_empty() {
        let words = words!("No mix by opcode: the report holds no `sass__inst_executed_per_opcode`. {}", cure());
        blocks.push(paragraph("opcodes", words));
    } else {
        let all = &audit.now.mix;
        let [on, tensor, share] = [&all.predication, &all.tensor, &all.tensor_share].map(tables::number);
        let words = words!("Predication efficiency {}. Tensor instructions {}, {} of all.", on, tensor, share);
        blocks.push(paragraph("moves", words));
        blocks.extend(guarded(audit).map(|words| paragraph("moves", words)));
        blocks.extend(stores(audit).map(|words| paragraph("stores", words)));
        blocks.extend(stored_lines(audit).map(|words| paragraph("stores", words)));
        blocks.push(heading("opcodes", "Mix by opcode"));
        let words = words!("Warp-level executions per launch, by base opcode (`sass__inst_executed_per_opcode`).");
        blocks.push(paragraph("opcodes", words));
        let (shown, rest) = audit.now.mix.rows.split_at(audit.now.mix.rows.len().min(SHOWN));
        blocks.push(mix("opcodes", "Opcode", shown, true).into());
        let mut folded = Vec::new();
        if !rest.is_empty() {
            folded.push(mix("opcodes-rest", "Opcode", rest, true).into());
        }
        folded.push(paragraph("opcode-classes", "By class:"));
        folded.push(mix("opcode-classes", "Class", &audit.now.mix.classes, false).into());
        let summary = if rest.is_empty() {
            "By class".to_string()
        } else {
            format!("{} further opcodes, and the sums by class", rest.len())
        };
        blocks.push(fold("opcodes-rest", summary, folded));
    }
    blocks.extend(source_lines::instructions(audit));
    Section::new("instruction-mix", "Instruction mix", blocks)
}

/// Why a count by opcode is above the count of accesses: it has the executions whose guard was false for every lane.
fn guarded(audit: &Audit) -> Option<String> {
    const PAIRS: [(Op, Counter); 4] = [
        (Op::LDG, Counter::SassInstExecutedGlobalLoads),
        (Op::STG, Counter::SassInstExecutedGlobalStores),
        (Op::LDS, Counter::SassInstExecutedSharedLoads),
        (Op::STS, Counter::SassInstExecutedSharedStores),
    ];
    let rows = &audit.panel("instructions")?.rows;
    let apart = |(opcode, metric): &(Op, Counter)| {
        let executed = audit.now.mix.count(|op| op == *opcode)?;
        let accesses = rows.iter().find(|row| row.id == *metric)?.new.value()?;
        let (all, some) = (format::fixed(executed, 0), format::fixed(accesses, 0));
        (executed > accesses * 1.01).then(|| format!("{some} of {all} {opcode}"))
    };
    let found: Vec<String> = PAIRS.iter().filter_map(apart).collect();
    let words = "Counts by opcode include executions that a guard switched off for every lane; an access was made by";
    (!found.is_empty()).then(|| format!("{words} {}.", found.join(", ")))
}

/// The subject's tile arithmetic beside the executed stores.
fn stores(audit: &Audit) -> Option<Words> {
    let stores = audit.stores.as_ref()?;
    let tiles = &stores.tiles;
    let sum = format!(
        "{} tiles × {} stores per warp × {} warps",
        format::integer(tiles.count),
        format::integer(tiles.stores_per_warp),
        format::integer(tiles.warps)
    );
    let Some(expected) = stores.expected else { return Some(words!("**Stores.** {} is more than 64 bits hold.", sum)) };
    let sum = format!("{sum} = {}", format::integer(expected));
    Some(match (stores.executed.value(), stores.ratio()) {
        (Some(executed), _) if executed == expected as f64 => {
            words!("**Stores.** {}, as many as STG instructions were executed{}.", sum, written(audit, expected))
        }
        (Some(executed), ratio) => {
            let times = ratio.map(|ratio| format!(", {} times as many", format::fixed(ratio, 3))).unwrap_or_default();
            let executed = format::fixed(executed, 0);
            words!("**Stores.** {}, but {} STG instructions were executed{}.", sum, executed, times)
        }
        (None, _) => words!("**Stores.** {}; the executed stores are NOT MEASURED.", sum),
    })
}

/// What so many stores write where all have one width, beside the bytes of the outputs.
fn written(audit: &Audit, executed: u64) -> String {
    let widths = audit.code.first().and_then(|code| code.facts.widths.iter().find(|row| row.opcode.stores_global()));
    let Some([(bits, _)]) = widths.map(|row| row.widths.as_slice()) else { return String::new() };
    let bytes = executed as f64 * f64::from(LANES * bits / 8);
    let outputs = audit.unavoidable.write.as_ref().map(|out| match bytes == out.bytes {
        true => format!(", all of {}", out.what),
        false => format!(", where {} has {}", out.what, glance::bytes(out.bytes)),
    });
    format!("; at {bits} bits a lane {}{}", glance::bytes(bytes), outputs.unwrap_or_default())
}

/// The lines of L1 that the global stores of one warp touch for one tile, in a kernel of products that has an epilogue for each:
/// between four sectors a line and one.
fn stored_lines(audit: &Audit) -> Option<Words> {
    let phases = audit.now.phases.as_ref()?;
    let has_epilogue = phases.phases.iter().any(|phase| phase.kind == PhaseKind::Epilogue);
    let tiles = phases.tiles.filter(|_| has_epilogue && phases.tensor.is_some())?;
    let counted = |metric: Counter| audit.now.coalescing.requests.iter().find(|row| row.id == metric)?.new.value();
    let each = tiles * phases.roles[phases.pacing].warps as f64;
    let requests = counted(Counter::L1texTRequestsPipeLsuMemGlobalOpStSum)? / each;
    let sectors = counted(Counter::L1texTSectorsPipeLsuMemGlobalOpStSum)? / each;
    let least = (sectors / SECTORS_OF_LINE).max(requests);
    (requests >= 1.0).then(|| {
        words!(
            "A warp stores a tile with {} requests of {} sectors: {} to {} lines of 128 B.",
            glance::short(requests),
            glance::short(sectors / requests),
            glance::short(least.ceil()),
            glance::short(sectors.ceil())
        )
    })
}

fn mix(name: &str, head: &str, rows: &[OpcodeRow], with_class: bool) -> Table {
    let readings: Vec<&Row> = rows.iter().map(|row| &row.row).collect();
    let share = |row: &OpcodeRow| row.share.map(|share| percent(share, 2)).unwrap_or_default();
    let mut extra = vec![Extra { title: "Share of new", cells: rows.iter().map(share).collect(), is_number: true }];
    if with_class {
        let class = |row: &OpcodeRow| text(if row.class.is_empty() { "unknown opcode" } else { row.class.as_str() });
        extra.push(Extra { title: "Class", cells: rows.iter().map(class).collect(), is_number: false });
    }
    let mut table = tables::readings(name, head, &readings, extra);
    if with_class {
        for (cells, row) in table.rows.iter_mut().zip(&readings) {
            cells[0] = tables::code(&row.label);
        }
    }
    if readings.iter().all(|row| row.old.is_none()) {
        for column in table.columns.iter_mut().filter(|c| c.title == "Share of new") {
            column.title = "Share".into();
        }
    }
    table
}
