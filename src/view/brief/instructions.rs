//! What was executed: the opcodes that carry the kernel, by phase, and how the machine code changed; in full, every opcode.

use super::numbers::{self, tenth};
use super::{places, stores, units};
use crate::analysis::phases::{CycleUnit, OpcodeRun, PhaseKind, Phases};
use crate::analysis::{Audit, OpcodeRow, Row};
use crate::catalog::Counter;
use crate::quantity::format;
use crate::quantity::glance::amount;
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::groups::summed;
use crate::view::tables::{self, Extra, filled, fold, heading, left, paragraph, percent, right, table, text};
use crate::view::{code, source_lines};
use crate::words::{Words, words};
use cuda_binary::Op;
use cuda_binary::op::{Control, Told};

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

const UNFOLDED: usize = 12;

/// The section; `None` where no opcodes were counted: the sum alone tells nothing.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let executed = numbers::row(audit, Counter::SmspInstExecutedSum);
    // An old side whose opcodes nobody counted has no column.
    let has_old = audit.now.mix.rows.iter().any(|row| numbers::OLD(&row.row).is_some());
    let (opcodes, shown) = opcodes(audit, executed, has_old);
    if opcodes.len() <= usize::from(executed.is_some()) {
        return None;
    }
    let own = audit.now.phases.as_ref();
    let phases = own.map(by_phase).unwrap_or_default();
    let (table, told) = if has_old { (compared(&opcodes, &phases), None) } else { alone(audit, opcodes, &phases) };
    let mut blocks: Vec<Block> = vec![table.into()];
    let total = executed.and_then(|row| row.new.value()).filter(|_| !phases.is_empty());
    let spun = own.zip(total).and_then(|(phases, all)| spun(phases, all));
    let notes: Vec<Words> = [told, spun, counts(audit, &shown), own.and_then(off)].into_iter().flatten().collect();
    if !notes.is_empty() {
        blocks.push(paragraph("counts", words::join(notes, " ")));
    }
    let diff = audit.code.iter().find_map(|code| code.facts.diff.as_ref());
    blocks.extend(diff.map(|diff| paragraph("diff", words!("**SASS diff:** {}.", code::diff(diff)))));
    Some(Section::new("instructions", "Instruction counts", blocks))
}

/// Both sides, an opcode a row, with the phases of the new one.
fn compared(opcodes: &[Vec<Cell>], phases: &[Vec<Cell>]) -> Table {
    let side = |rows: &[Vec<Cell>], at: usize, width: usize| {
        rows.get(at).cloned().unwrap_or_else(|| vec![Cell::default(); width])
    };
    let phases = &phases[..phases.len().min(opcodes.len().max(TOP + 1))];
    let line = |at: usize| [side(opcodes, at, 4), side(phases, at, 3)].concat();
    filled(
        "instructions",
        "Warp instructions | Old: | New: | Share: | By phase | Count: | Share:",
        (0..opcodes.len().max(phases.len())).map(line),
    )
}

/// One side, an opcode a column, and the phases in a sentence.
fn alone(audit: &Audit, opcodes: Vec<Vec<Cell>>, phases: &[Vec<Cell>]) -> (Table, Option<Words>) {
    let mut columns = vec![left("Warp instructions")];
    let count = if audit.before.is_some() { "New (old not collected)" } else { "Count" };
    let mut rows = vec![vec![text(count)], vec![text("Share")]];
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

/// All instructions, products, the most executed opcodes, and those that move data: as rows, and which they are.
fn opcodes(audit: &Audit, executed: Option<&Row>, has_old: bool) -> (Vec<Vec<Cell>>, Vec<Op>) {
    let total = executed.and_then(|row| row.new.value());
    let line = |label: Words, row: &Row| {
        let [old, new] = numbers::sides(audit, row, amount);
        let mut cells = vec![text(label)];
        cells.extend(has_old.then_some(old));
        cells.push(new);
        let share = row.new.value().filter(|own| *own > 0.0).zip(total).filter(|(_, total)| *total > 0.0);
        cells.push(share.map_or_else(Cell::default, |(own, total)| text(format!("{} %", tenth(100.0 * own / total)))));
        cells
    };
    let is_matrix = |row: &OpcodeRow| row.op().is_product();
    let moved = |row: &&OpcodeRow| {
        [numbers::NEW(&row.row), numbers::OLD(&row.row)].into_iter().flatten().any(|count| count > 0.0)
    };
    let all: Vec<&OpcodeRow> = audit.now.mix.rows.iter().filter(moved).collect();
    let mut picked: Vec<&OpcodeRow> = all.iter().filter(|row| is_matrix(row)).take(2).copied().collect();
    // Beside an old side that ran as many, only the products tell something: that the work is the same.
    let is_moved = |row: &&&OpcodeRow| numbers::OLD(&row.row).map(amount) != numbers::NEW(&row.row).map(amount);
    // Arithmetic of one lane for the whole warp runs beside the others, a small share carries nothing, and every warp ends.
    let carries = |row: &OpcodeRow| {
        let share = row.row.new.value().zip(total).map(|(own, total)| 100.0 * own / total.max(1.0));
        let is_work = !row.op().is_uniform() && row.op().control() != Some(Control::Exit);
        is_work && share.is_none_or(|share| share >= CARRIES)
    };
    let is_plain = |row: &&&OpcodeRow| !is_matrix(row) && !is_named(row.op()) && carries(row);
    picked.extend(all.iter().filter(is_plain).filter(is_moved).take(TOP));
    let least = total.unwrap_or_default() / 1000.0;
    let is_large = |row: &&&OpcodeRow| row.row.new.value().is_some_and(|count| count >= least);
    picked.extend(all.iter().filter(|row| is_named(row.op())).filter(is_large).filter(is_moved));
    picked.truncate(SHOWN - 1);
    let mut rows: Vec<Vec<Cell>> = executed.map(|row| line("Executed".into(), row)).into_iter().collect();
    rows.extend(
        picked.iter().map(|row| line(words!("`{}`{}", row.opcode.as_str(), widths(audit, &row.opcode)), &row.row)),
    );
    (rows, picked.iter().map(|row| row.op()).collect())
}

/// What the instructions of all phases and roles add up to.
fn in_all(phases: &Phases) -> u64 {
    let others = phases.roles.iter().enumerate().filter(|(at, _)| *at != phases.pacing);
    phases.leaves().map(|leaf| leaf.executed).chain(others.map(|(_, role)| role.executed)).sum()
}

/// That the pass by instruction counts another number: no functions that the report does not hold, and loops that wait as long as it takes.
fn spun(phases: &Phases, executed: f64) -> Option<Words> {
    let sum = in_all(phases) as f64;
    let own = Some(executed - sum).filter(|own| phases.calls_out && *own > 0.0);
    let why = own.map(|own| words!("{} lie in functions whose code the report does not hold", amount(own)));
    ((sum - executed).abs() >= APART * executed).then(|| {
        words!("Phases are of {}: {}.", amount(sum), why.unwrap_or("waits turn more often in another pass".into()))
    })
}

/// Executions by phase of the role that sets the pace, those of one name together, and by other roles.
fn by_phase(phases: &Phases) -> Vec<Vec<Cell>> {
    let leaves = phases.leaves().map(|phase| (Words::from(places::name(phase)), phase.executed));
    let others = (0..phases.roles.len()).filter(|at| *at != phases.pacing);
    let others =
        others.map(|at| (Words::from(format::capital(&places::role_name(phases, at))), phases.roles[at].executed));
    let mut all = summed(leaves.chain(others));
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

/// ` (all 128-bit)`, from the machine code; empty where the old side has others, which the chain of the change tells.
fn widths(audit: &Audit, opcode: &str) -> String {
    let moves = || audit.change.iter().filter_map(|change| change.moves.as_ref()).flatten();
    let of = |is_meant: fn((u64, u64)) -> bool| {
        moves().any(|one| one.op == Op::of(opcode) && one.width.is_some() && is_meant(one.executed))
    };
    if of(|(_, is)| is == 0) && of(|(was, _)| was == 0) {
        return String::new();
    }
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

/// `QGMMA = 21,756 tiles × 6 steps × 4 × 8 warps`: counts of opcodes of the table that follow from tiles, steps and the code alone.
fn counts(audit: &Audit, shown: &[Op]) -> Option<Words> {
    let (phases, mix) = (audit.now.phases.as_ref()?, &audit.now.mix);
    let tiles = phases.tiles?;
    let what = if phases.unit == Some(CycleUnit::Warp) { "blocks" } else { "tiles" };
    let warps = phases.roles[phases.pacing].warps;
    let mut found: Vec<(Words, &OpcodeRun)> = Vec::new();
    for phase in &phases.phases {
        let is_loop = phase.kind == PhaseKind::MainLoop;
        let steps = if is_loop { phases.steps } else { Some(1.0) };
        let runs = if phase.parts.is_empty() { std::slice::from_ref(phase) } else { &phase.parts };
        for run in runs.iter().flat_map(|part| &part.opcodes) {
            // A count of the launch: what other phases run of an opcode would be missing.
            let is_alone = mix.count(|op| op == run.opcode) == Some(run.executed as f64);
            let is_told = run.opcode.is_product() || run.opcode.told() == Told::Move || FUSED.contains(&run.opcode);
            let Some(steps) = steps.filter(|_| is_alone && is_told && shown.contains(&run.opcode)) else { continue };
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

fn cure() -> Words {
    words!("Collect with `--section InstructionStats --section SourceCounters`.")
}

/// Every opcode and class, the arithmetic of the stores, and the lines that execute most.
pub(in crate::view) fn in_full(audit: &Audit) -> Section {
    let mut blocks = units::panels(audit, &[&["instructions"]], Vec::new(), &[], cure());
    if audit.now.mix.rows.is_empty() {
        let words = words!("No mix by opcode: the report holds no `sass__inst_executed_per_opcode`. {}", cure());
        blocks.push(paragraph("opcodes", words));
    } else {
        let all = &audit.now.mix;
        let [on, tensor, share] = [&all.predication, &all.tensor, &all.tensor_share].map(tables::number);
        let words = words!("Predication efficiency {}. Tensor instructions {}, {} of all.", on, tensor, share);
        blocks.push(paragraph("moves", words));
        blocks.extend(stores::of_tiles(audit).map(|words| paragraph("stores", words)));
        blocks.extend(stores::lines(audit).map(|words| paragraph("stores", words)));
        blocks.push(heading("opcodes", "Mix by opcode"));
        let words = words!("Warp-level executions per launch, by base opcode (`sass__inst_executed_per_opcode`).");
        blocks.push(paragraph("opcodes", words));
        let (shown, rest) = audit.now.mix.rows.split_at(audit.now.mix.rows.len().min(UNFOLDED));
        blocks.push(mix("opcodes", "Opcode", shown, true).into());
        let mut folded = Vec::new();
        folded.extend((!rest.is_empty()).then(|| mix("opcodes-rest", "Opcode", rest, true).into()));
        folded.push(paragraph("opcode-classes", "By class:"));
        folded.push(mix("opcode-classes", "Class", &audit.now.mix.classes, false).into());
        let summary = match rest.len() {
            0 => "By class".to_owned(),
            further => format!("{further} further opcodes, and the sums by class"),
        };
        blocks.push(fold("opcodes-rest", summary, folded));
    }
    blocks.extend(source_lines::instructions(audit));
    Section::new("instruction-mix", "Instruction mix", blocks)
}

fn mix(name: &str, head: &str, rows: &[OpcodeRow], with_class: bool) -> Table {
    let readings: Vec<&Row> = rows.iter().map(|row| &row.row).collect();
    let share = |row: &OpcodeRow| row.share.map(|share| percent(share, 2)).unwrap_or_default();
    let title = if readings.iter().all(|row| row.old.is_none()) { "Share" } else { "Share of new" };
    let mut extra = vec![Extra { title, cells: rows.iter().map(share).collect(), is_number: true }];
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
    table
}
