//! Memory: what each level moved, and the accesses that touch more sectors than their bytes fill.

use super::numbers::{amount, digits, row, sides, tenth};
use crate::analysis::{AccessLine, Audit};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;
use crate::words::Words;

const LEVELS: [(&str, &str, Option<&str>); 4] = [
    ("DRAM read", "dram__bytes_read.sum", None),
    ("DRAM write", "dram__bytes_write.sum", None),
    ("L2 → L1", "l1tex__m_xbar2l1tex_read_bytes.sum", Some("lts__t_sector_hit_rate.pct")),
    ("L1 → L2", "l1tex__m_l1tex2xbar_write_bytes.sum", None),
];

/// Accesses shown, and the share of all sectors in percent below which one is left out.
const SHOWN: usize = 6;
const LEAST: f64 = 1.0;

/// The section; `None` where nothing of it was collected.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let mut blocks: Vec<Block> = Vec::new();
    blocks.extend(levels(audit).map(Block::from));
    let accesses = audit.source.as_ref().and_then(|source| source.global.as_ref());
    if let Some(accesses) = accesses {
        let lines: Vec<&AccessLine> =
            accesses.lines.iter().filter(|line| share(line, accesses.moved) >= LEAST).take(SHOWN).collect();
        if !lines.is_empty() {
            blocks.push(by_line(&lines).into());
        }
    }
    let said: Vec<Words> = [coalescing(audit), shared(audit)].into_iter().flatten().collect();
    if !said.is_empty() {
        blocks.push(paragraph("sectors", words::join(said, " ")));
    }
    (!blocks.is_empty()).then(|| Section::new("memory", "Memory and uncoalesced accesses", blocks))
}

fn share(line: &AccessLine, all: u64) -> f64 {
    100.0 * line.moved as f64 / all.max(1) as f64
}

fn levels(audit: &Audit) -> Option<Table> {
    let mut columns = vec![left("Bytes")];
    columns.extend(audit.old.is_some().then(|| right("Old")));
    columns.push(right(if audit.old.is_some() { "New" } else { "Moved" }));
    columns.push(right("Hit rate"));
    let bytes = |value: f64| format!("{}B", amount(value)).replace(" ", "\u{a0}");
    let bytes: fn(f64) -> String = bytes;
    let line = |(label, metric, hit): &(&str, &str, Option<&str>)| {
        let own = row(audit, metric).filter(|row| row.new.value() > Some(0.0))?;
        let mut cells: Vec<Cell> = vec![text(*label)];
        cells.extend(sides(audit, own, bytes));
        let rate = hit.and_then(|hit| row(audit, hit)?.new.value());
        cells.push(rate.map_or_else(Cell::default, |rate| text(format!("L2 {} %", tenth(rate)))));
        Some(cells)
    };
    let rows: Vec<Vec<Cell>> = LEVELS.iter().filter_map(line).collect();
    (!rows.is_empty()).then(|| table("bytes", columns, rows))
}

fn by_line(lines: &[&AccessLine]) -> Table {
    let columns =
        vec![left("Access"), right("Requests"), right("Sectors/request"), right("Ideal"), right("Excess sectors")];
    let row = |line: &&AccessLine| {
        let width = line.width_bits.map(|bits| format!(".{bits}")).unwrap_or_default();
        let ideal = line.ideal.map(|ideal| digits(ideal as f64 / line.requests.max(1) as f64));
        vec![
            text(format!("{}{width}, {}", line.kind, line.spot.label())),
            text(format::integer(line.requests)).sorted(line.requests as f64),
            text(digits(line.per_request)).sorted(line.per_request),
            text(ideal.unwrap_or_default()),
            text(format::integer(line.excess)).sorted(line.excess as f64),
        ]
    };
    table("accesses", columns, lines.iter().map(row).collect())
}

fn coalescing(audit: &Audit) -> Option<Words> {
    let of = |id: &str| audit.coalescing.total(id);
    let (share, excess, all) = (of("excess-share")?, of("excess")?, of("sectors")?);
    if excess <= 0.0 {
        return Some(words!("**Uncoalesced:** none, {} sectors.", amount(all)));
    }
    Some(words!(
        "**Uncoalesced:** {} of {} sectors ({} %) would go if the bytes were packed.",
        amount(excess),
        amount(all),
        tenth(share)
    ))
}

fn shared(audit: &Audit) -> Option<Words> {
    let of = |metric: &str| row(audit, metric)?.new.value();
    let (all, ideal) = (of("memory_l1_wavefronts_shared")?, of("memory_l1_wavefronts_shared_ideal")?);
    if all <= 0.0 {
        return None;
    }
    let excess = all - ideal;
    Some(if excess <= 0.0 {
        words!("**Bank conflicts:** none, {} wavefronts.", amount(all))
    } else {
        words!(
            "**Bank conflicts:** {} of {} shared-memory wavefronts ({} %).",
            amount(excess),
            amount(all),
            tenth(100.0 * excess / all)
        )
    })
}
