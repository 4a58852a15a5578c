//! Tables whose rows are places of a kernel: a line of source with its text, or an instruction.

use super::document::{Block, Cell};
use super::tables::{Head, code, columns_of, filled, text};
use crate::analysis::{Place, Spot};

/// A table whose first columns name the place: the line and its text, or the instruction and, with `by_instruction`,
/// its line.
pub(super) fn table<'s>(
    name: &str,
    head: impl Head,
    rows: impl IntoIterator<Item = (&'s Spot, Vec<Cell>)>,
    by_instruction: bool,
) -> Block {
    let rows: Vec<(&Spot, Vec<Cell>)> = rows.into_iter().collect();
    let has_lines = rows.iter().any(|(spot, _)| spot.place.line > 0);
    let row = |(spot, cells): (&Spot, Vec<Cell>)| {
        let when = |is_there: bool, cell: Cell| if is_there { cell } else { Cell::default() };
        let place = [
            when(by_instruction || !has_lines, code(instruction(spot))),
            when(has_lines, text(place(spot))),
            when(!by_instruction && !spot.text.is_empty(), code(spot.text.as_str())),
        ];
        place.into_iter().chain(cells).collect()
    };
    let columns = [columns_of("Instruction | Line | Source"), head.columns()].concat();
    filled(name, columns, rows.into_iter().map(row)).into()
}

pub(super) fn place(spot: &Spot) -> String {
    let calls = if spot.place.line > 0 { inlined(&spot.place) } else { String::new() };
    format!("{}{calls}", spot.label())
}

/// `, called at :124, :130`, or nothing; calls in another file than the line's carry its name.
pub(super) fn inlined(place: &Place) -> String {
    let short = |call: &String| match call.rsplit_once(':') {
        Some((of, line)) if of == place.file => format!(":{line}"),
        _ => call.clone(),
    };
    let calls: Vec<String> = place.inlined_at.iter().map(short).collect();
    if calls.is_empty() { String::new() } else { format!(", called at {}", calls.join(", ")) }
}

/// `0x1f0 LDG.E`.
pub(super) fn instruction(spot: &Spot) -> String {
    let Some((offset, opcode)) = spot.instructions.first() else { return String::new() };
    if opcode.is_empty() { format!("{offset:#x}") } else { format!("{offset:#x} {opcode}") }
}
