//! What was executed: the opcodes that carry the kernel, by phase, and how the machine code changed.

use super::numbers::tenth;
use super::places;
use crate::analysis::phases::{CycleUnit, OpcodeRun, PhaseKind, Phases};
use crate::analysis::sass::SassDiff;
use crate::analysis::{Audit, OpcodeRow, Row};
use crate::catalog::Counter;
use crate::evidence::Reading;
use crate::quantity::format;
use crate::quantity::glance::amount;
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;
use crate::words::Words;
use cuda_binary::Op;
use cuda_binary::op::Told;

/// Opcodes shown beside those that a reader looks for by name.
const TOP: usize = 3;
/// The share of the instructions from which an opcode that nobody looks for is a row, in percent.
const CARRIES: f64 = 10.0;
/// Rows in all.
const SHOWN: usize = 8;
/// The share of all executions from which a phase is a row, in percent.
const LEAST: f64 = 1.0;
/// Counts that are worked out.
const COUNTED: usize = 3;
/// Arithmetic whose counts are, beside products and moves of data.
const FUSED: [Op; 2] = [Op::FFMA, Op::DFMA];

/// Opcodes told whose guard was off.
const GUARDED: usize = 2;
/// The part by which two counts of all instructions are apart.
const APART: f64 = 0.01;
/// Opcodes named of a diff.
const CHANGED: usize = 8;

/// The section; `None` where no opcodes were counted: the sum alone tells nothing.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let executed = super::numbers::row(audit, Counter::SmspInstExecutedSum);
    let opcodes = opcodes(audit, executed);
    if opcodes.len() <= usize::from(executed.is_some()) {
        return None;
    }
    let phases = audit.now.phases.as_ref().map(by_phase).unwrap_or_default();
    let (table, told) = match &audit.before {
        Some(_) => (compared(&opcodes, &phases), None),
        None => alone(opcodes, &phases),
    };
    let mut blocks: Vec<Block> = vec![table.into()];
    let total = executed.and_then(|row| row.new.value());
    let spun =
        audit.now.phases.as_ref().filter(|_| !phases.is_empty()).zip(total).and_then(|(phases, all)| spun(phases, all));
    let notes = [told, spun, audit.now.phases.as_ref().and_then(counts), audit.now.phases.as_ref().and_then(off)];
    let notes: Vec<Words> = notes.into_iter().flatten().collect();
    if !notes.is_empty() {
        blocks.push(paragraph("counts", words::join(notes, " ")));
    }
    blocks.extend(diff(audit));
    Some(Section::new("instructions", "Instruction counts", blocks))
}

/// Both sides, an opcode a row, with the phases of the new one.
fn compared(opcodes: &[Vec<Cell>], phases: &[Vec<Cell>]) -> Table {
    let width = opcodes[0].len();
    let mut columns = vec![left("Warp instructions"), right("Old"), right("New"), right("Share")];
    if !phases.is_empty() {
        columns.extend([left("By phase"), right("Count"), right("Share")]);
    }
    let side = |rows: &[Vec<Cell>], at: usize, width: usize| {
        rows.get(at).cloned().unwrap_or_else(|| vec![Cell::default(); width])
    };
    let line = |at: usize| {
        let mut cells = side(opcodes, at, width);
        if !phases.is_empty() {
            cells.extend(side(phases, at, 3));
        }
        cells
    };
    table("instructions", columns, (0..opcodes.len().max(phases.len())).map(line).collect())
}

/// One side, an opcode a column, and the phases in a sentence.
fn alone(opcodes: Vec<Vec<Cell>>, phases: &[Vec<Cell>]) -> (Table, Option<Words>) {
    let mut columns = vec![left("Warp instructions")];
    let mut rows = vec![vec![text("Count")], vec![text("Share")]];
    for opcode in opcodes {
        let mut cells = opcode.into_iter();
        columns.extend(cells.next().map(|label| right(&label.words.to_plain())));
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
    let told: Vec<String> =
        phases.iter().map(|cells| format!("{} {}", cells[0].words.to_plain(), cells[2].words.to_plain())).collect();
    let told = (!told.is_empty()).then(|| words!("**By phase:** {}.", told.join(", ")));
    (table("instructions", columns, rows), told)
}

/// Whether a reader looks for an opcode: it moves data.
fn is_named(op: Op) -> bool {
    op.told() == Told::Move || op.is_l2_atomic()
}

/// All instructions, products, the most executed opcodes, and those that move data.
fn opcodes(audit: &Audit, executed: Option<&Row>) -> Vec<Vec<Cell>> {
    let total = executed.and_then(|row| row.new.value());
    let line = |label: Words, row: &Row| {
        let mut cells = vec![text(label)];
        cells.extend(super::numbers::sides(audit, row, amount));
        let share = row.new.value().filter(|own| *own > 0.0).zip(total).filter(|(_, total)| *total > 0.0);
        cells.push(share.map_or_else(Cell::default, |(own, total)| text(format!("{} %", tenth(100.0 * own / total)))));
        cells
    };
    let is_matrix = |row: &OpcodeRow| row.op().is_product();
    let moved = |row: &&OpcodeRow| {
        let sides = [row.row.new.value(), row.row.old.as_ref().and_then(Reading::value)];
        sides.into_iter().flatten().any(|count| count > 0.0)
    };
    let all: Vec<&OpcodeRow> = audit.now.mix.rows.iter().filter(moved).collect();
    let mut picked: Vec<&OpcodeRow> = all.iter().filter(|row| is_matrix(row)).take(2).copied().collect();
    // Arithmetic of one lane for the whole warp runs beside the others, and a small share carries nothing.
    let carries = |row: &OpcodeRow| {
        let share = row.row.new.value().zip(total).map(|(own, total)| 100.0 * own / total.max(1.0));
        !row.op().is_uniform() && share.is_none_or(|share| share >= CARRIES)
    };
    let is_plain = |row: &&&OpcodeRow| !is_matrix(row) && !is_named(row.op()) && carries(row);
    picked.extend(all.iter().filter(is_plain).take(TOP));
    let least = total.unwrap_or_default() / 1000.0;
    let is_large = |row: &&&OpcodeRow| row.row.new.value().is_some_and(|count| count >= least);
    picked.extend(all.iter().filter(|row| is_named(row.op())).filter(is_large));
    picked.truncate(SHOWN - 1);
    let mut rows: Vec<Vec<Cell>> = executed.map(|row| line("Executed".into(), row)).into_iter().collect();
    rows.extend(
        picked.iter().map(|row| line(words!("`{}`{}", row.opcode.as_str(), widths(audit, &row.opcode)), &row.row)),
    );
    rows
}

/// What the instructions of all phases and roles add up to.
fn in_all(phases: &Phases) -> u64 {
    let others = phases.roles.iter().enumerate().filter(|(at, _)| *at != phases.pacing);
    phases.leaves().map(|leaf| leaf.executed).chain(others.map(|(_, role)| role.executed)).sum()
}

/// That the pass which counts by instruction saw another number than that of the sum: loops that wait spin for as long as it takes.
fn spun(phases: &Phases, executed: f64) -> Option<Words> {
    let sum = in_all(phases) as f64;
    let is_apart = (sum - executed).abs() >= APART * executed;
    is_apart.then(|| words!("Phases are of {}: in another pass waits spin.", amount(sum)))
}

/// Executions by phase of the role that sets the pace, those of one name together, and by other roles.
fn by_phase(phases: &Phases) -> Vec<Vec<Cell>> {
    let leaves = phases.leaves().map(|phase| (Words::from(places::name(phase)), phase.executed));
    let others = (0..phases.roles.len()).filter(|at| *at != phases.pacing);
    let others =
        others.map(|at| (Words::from(format::capital(&places::role_name(phases, at))), phases.roles[at].executed));
    let mut all: Vec<(Words, u64)> = Vec::new();
    for (name, count) in leaves.chain(others) {
        match all.iter_mut().find(|(other, _)| *other == name) {
            Some((_, all)) => *all += count,
            None => all.push((name, count)),
        }
    }
    let sum = in_all(phases);
    let share = |count: u64| 100.0 * count as f64 / sum.max(1) as f64;
    all.retain(|(_, count)| share(*count) >= LEAST);
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(SHOWN);
    // Stretches of code without a name of their own tell nothing.
    if all.len() < 2 {
        return Vec::new();
    }
    let line = |(label, count): (Words, u64)| {
        vec![text(label), text(amount(count as f64)).sorted(count as f64), text(format!("{} %", tenth(share(count))))]
    };
    all.into_iter().map(line).collect()
}

/// `, all 128-bit`, from the machine code.
fn widths(audit: &Audit, opcode: &str) -> String {
    let Some(code) = audit.code.first() else { return String::new() };
    let Some(row) = code.facts.widths.iter().find(|row| row.opcode == Op::of(opcode)) else { return String::new() };
    match row.widths.as_slice() {
        [] => String::new(),
        [(bits, _)] => format!(" (all {bits}-bit)"),
        many => {
            let list: Vec<String> = many.iter().map(|(bits, count)| format!("{count} × {bits}-bit")).collect();
            format!(" ({})", list.join(", "))
        }
    }
}

/// `QGMMA = 21,756 tiles × 6 steps × 4 × 8 warps`: counts that follow from tiles, steps and the code alone.
fn counts(phases: &Phases) -> Option<Words> {
    let tiles = phases.tiles?;
    let what = if phases.unit == Some(CycleUnit::Warp) { "blocks" } else { "tiles" };
    let warps = phases.roles[phases.pacing].warps;
    let mut found: Vec<(Words, &OpcodeRun)> = Vec::new();
    for phase in &phases.phases {
        let is_loop = phase.kind == PhaseKind::MainLoop;
        let steps = if is_loop { phases.steps } else { Some(1.0) };
        let runs = if phase.parts.is_empty() { std::slice::from_ref(phase) } else { &phase.parts };
        for run in runs.iter().flat_map(|part| &part.opcodes) {
            let is_alone =
                phases.leaves().flat_map(|leaf| &leaf.opcodes).filter(|other| other.opcode == run.opcode).count() == 1;
            let is_told = run.opcode.is_product() || run.opcode.told() == Told::Move || FUSED.contains(&run.opcode);
            let Some(steps) = steps.filter(|_| is_alone && is_told) else { continue };
            let each = run.executed as f64 / (tiles * steps * warps as f64);
            // Only a count that the code itself has is told: what a guard or a branch leaves out is no product.
            if (each - run.count as f64).abs() > 1e-6 * each {
                continue;
            }
            let steps =
                if is_loop && steps > 1.0 { format!(" × {} steps", places::count(steps)) } else { String::new() };
            let each = if run.count > 1 { format!(" × {}", run.count) } else { String::new() };
            let words = words!(
                "`{}` = {} {}{}{} × {}",
                run.opcode.name(),
                places::count(tiles),
                what,
                steps,
                each,
                format::counted(warps, "warp")
            );
            found.push((words, run));
        }
    }
    found.sort_by_key(|(_, run)| (!run.opcode.is_product(), std::cmp::Reverse(run.executed)));
    found.truncate(COUNTED);
    let told: Vec<Words> = found.into_iter().map(|(words, _)| words).collect();
    (!told.is_empty()).then(|| words!("{}.", words::join(told, "; ")))
}

/// Executions whose guard was off for all lanes, which the counts of ncu hold.
fn off(phases: &Phases) -> Option<Words> {
    let told = |run: &crate::analysis::phases::GuardedOpcode| {
        let on = match run.exactly() {
            Some(on) => amount(on as f64),
            None => format!("at most {}", amount(run.at_most as f64)),
        };
        format!("{} ({on} of {})", run.opcode, amount(run.executed as f64))
    };
    let is_large = |run: &&crate::analysis::phases::GuardedOpcode| 10 * run.at_most <= 9 * run.executed;
    let mut runs: Vec<_> = phases.guarded.iter().filter(is_large).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.executed));
    let told: Vec<String> = runs.into_iter().take(GUARDED).map(told).collect();
    (!told.is_empty()).then(|| words!("Executed with a lane on: {}.", told.join(", ")))
}

/// How the machine code changed, in one sentence.
fn diff(audit: &Audit) -> Option<Block> {
    let diff = audit.code.iter().find_map(|code| code.facts.diff.as_ref())?;
    let (old, new) = (format::integer(diff.old as u64), format::integer(diff.new as u64));
    let words = match (diff.is_same, diff.rewritten()) {
        (true, _) => words!("**SASS diff:** none; both builds have the same {} instructions.", new),
        (false, Some(share)) => words!(
            "**SASS diff:** {} → {} instructions, a rewrite ({} % of the instructions have no counterpart).",
            old,
            new,
            format::fixed(share, 0)
        ),
        (false, None) if diff.classes.is_empty() => words!(
            "**SASS diff:** {} → {} instructions: each has its counterpart, with other registers, immediates or jumps.",
            old,
            new
        ),
        (false, None) => words!("**SASS diff:** {} → {} instructions{}.", old, new, by_opcode(diff)),
    };
    Some(paragraph("diff", words))
}

/// `: −4 CCTL.IVALL, −2 ERRBAR`: the opcodes that one build has more of; their classes where the listing is not whole.
fn by_opcode(diff: &SassDiff) -> String {
    let mut net: Vec<(&str, i64)> = match diff.lines_left_out {
        0 => listed(diff),
        _ => diff.classes.iter().map(|one| (one.label.as_str(), one.added as i64 - one.removed as i64)).collect(),
    };
    net.retain(|(_, sum)| *sum != 0);
    net.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.abs()));
    if net.is_empty() {
        return String::new();
    }
    let sign = |sum: i64| if sum < 0 { '−' } else { '+' };
    let told: Vec<String> =
        net.iter().take(CHANGED).map(|(opcode, sum)| format!("{}{} {opcode}", sign(*sum), sum.abs())).collect();
    let rest = if net.len() > CHANGED { format!(", and {} more", net.len() - CHANGED) } else { String::new() };
    format!(": {}{rest}", told.join(", "))
}

/// The opcodes of a listing, and how many more of each the new build has.
fn listed(diff: &SassDiff) -> Vec<(&str, i64)> {
    let mut net: Vec<(&str, i64)> = Vec::new();
    for line in diff.hunks.iter().flatten().filter(|line| line.sign != ' ') {
        let step = if line.sign == '+' { 1 } else { -1 };
        let Some(opcode) = line.text.split_whitespace().find(|word| !word.starts_with('@')) else { continue };
        let opcode = opcode.trim_end_matches(';');
        match net.iter_mut().find(|(known, _)| *known == opcode) {
            Some((_, sum)) => *sum += step,
            None => net.push((opcode, step)),
        }
    }
    net
}
