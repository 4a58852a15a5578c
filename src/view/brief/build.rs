//! What the build and the launch give, the occupancy that follows, and what each role of warps does; in full, what the assembler
//! printed and the machine code has.

use super::numbers::{Fact, NEW, OLD, Side, fact, fact_of, row, whole};
use super::occupancy::{self, ACHIEVED, LIMITED, THEORETICAL};
use super::places;
use crate::analysis::phases::Phases;
use crate::analysis::{Audit, BuildRow};
use crate::catalog::Counter;
use crate::evidence::{BuildLog, BuildRecord};
use crate::quantity::format;
use crate::quantity::glance::amount;
use crate::view::code::{PTXAS, blocks, in_parts, of_shared, ptxas, warnings};
use crate::view::document::{Block, Cell, Column, Document, Section, Table};
use crate::view::tables::{self, list, paragraph, right, table, text};
use crate::words::{Words, words};
use cuda_binary::{Op, op::Sync};

/// The share of the shared memory of an SM from which that of a block is told beside it.
const TELLS: f64 = 0.25;

/// `registers/thread 168`, of one that is no row; `None` of what tells nothing: no spills, and as many blocks as stay and take tiles.
fn told(fact: &Fact, audit: &Audit) -> Option<String> {
    let value = fact.new.as_deref()?;
    let stay = audit.now.phases.as_ref().is_some_and(|phases| phases.is_persistent);
    let label = match fact.label {
        SPILLS if value == "0" => return None,
        GRID if stay => return None,
        THEORETICAL => "theoretical occupancy".to_owned(),
        ACHIEVED => "achieved occupancy".to_owned(),
        LIMITED => "blocks/SM".to_owned(),
        label => format::uncapital(label),
    };
    Some(format!("{label} {value}"))
}

const SPILLS: &str = "Spill instructions executed";
const GRID: &str = "Grid × block";

/// The section; `None` where the report holds nothing of it.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let (launch, occupancy) = (launch(audit), occupancy::facts(audit));
    if launch.is_empty() && occupancy.is_empty() {
        return None;
    }
    let stay = audit.now.phases.as_ref().is_some_and(|phases| phases.is_persistent);
    let is_moved = |fact: &Fact| match audit.before {
        Some(_) => fact.old.is_some() && fact.new.is_some() && fact.old != fact.new,
        None => !(stay && fact.label == GRID),
    };
    let (launch, mut kept): (Vec<Fact>, Vec<Fact>) = launch.into_iter().partition(is_moved);
    let (occupancy, still): (Vec<Fact>, Vec<Fact>) = occupancy.into_iter().partition(is_moved);
    kept.extend(still);
    let mut blocks: Vec<Block> = match (audit.before.is_some(), launch.is_empty() && occupancy.is_empty()) {
        (_, true) => Vec::new(),
        (true, _) => vec![compared(&launch, &occupancy).into()],
        (false, _) => vec![alone(&launch, &occupancy).into()],
    };
    let of_kept = |is_known: bool, words: &str| {
        let own = kept.iter().filter(|fact| fact.old.is_some() == is_known);
        let told: Vec<String> = own.filter_map(|fact| told(fact, audit)).collect();
        (!told.is_empty()).then(|| words!("{}: {}.", words, told.join("; ")))
    };
    let (same, alone) =
        (of_kept(true, "The same on both sides"), of_kept(false, "Of the new side (old not collected)"));
    let roles = audit.now.phases.as_ref().and_then(|phases| roles(audit, phases));
    let notes: Vec<Words> = [same, alone, occupancy::room(audit), roles].into_iter().flatten().collect();
    if !notes.is_empty() {
        blocks.push(list("build-notes", notes));
    }
    Some(Section::new("build", "Build stats (ptxas), occupancy, roles", blocks))
}

/// One side of a fact, with the metrics that it shows.
fn written(fact: &Fact, side: Option<&String>) -> Cell {
    let metrics = fact.metrics.iter().map(|name| (*name).to_owned()).collect();
    side.map_or_else(Cell::default, |side| Cell { metrics, ..text(side.as_str()) })
}

/// Both sides, a fact of the launch and one of the occupancy a row.
fn compared(launch: &[Fact], occupancy: &[Fact]) -> Table {
    let halves = [("Build, launch | Old: | New:", launch), ("Occupancy | Old: | New:", occupancy)];
    let halves = || halves.iter().filter(|(_, facts)| !facts.is_empty());
    let columns: Vec<&str> = halves().map(|(columns, _)| *columns).collect();
    let half = |fact: Option<&Fact>| match fact {
        Some(fact) => {
            vec![text(fact.label), written(fact, fact.old.as_ref()), written(fact, fact.new.as_ref()).strong()]
        }
        None => vec![Cell::default(); 3],
    };
    let line = |at: usize| halves().flat_map(|(_, facts)| half(facts.get(at))).collect();
    table("build", columns.join(" | "), (0..launch.len().max(occupancy.len())).map(line))
}

/// One side, a fact a column.
fn alone(launch: &[Fact], occupancy: &[Fact]) -> Table {
    let facts: Vec<&Fact> = launch.iter().chain(occupancy).collect();
    let columns: Vec<Column> = facts.iter().map(|fact| right(fact.label)).collect();
    table("build", columns, vec![facts.iter().map(|fact| written(fact, fact.new.as_ref())).collect()])
}

fn launch(audit: &Audit) -> Vec<Fact> {
    let spills = |rows: &[BuildRow]| {
        let first = rows.first()?;
        let [stores, loads] = first.record.spills();
        Some([stores? + loads?, first.record.stack_bytes?, first.record.barriers?])
    };
    // A build of our own has its log in the facts of its code.
    let printed = || audit.code.first()?.facts.printed();
    let built = Fact {
        label: PTXAS,
        metrics: Vec::new(),
        old: audit.before.as_ref().and_then(|old| spills(&old.build)).map(ptxas),
        new: spills(&audit.now.build).or_else(printed).map(ptxas),
    };
    let built = Some(built).filter(|built| built.new.is_some());
    // What was executed stands for the side of which nobody has the log.
    let is_told = built.as_ref().is_some_and(|built| audit.before.is_none() || built.old.is_some());
    let executed = fact(audit, SPILLS, Counter::SassInstExecutedRegisterSpilling, amount);
    let shares = [NEW, OLD].into_iter().any(|side| occupancy::takes_shared(audit, side));
    let code = audit.code.first().map(|code| Fact {
        label: "Code, instructions",
        metrics: Vec::new(),
        old: code.facts.diff.as_ref().map(|diff| format::integer(diff.old as u64)),
        new: Some(format::integer(code.facts.instructions as u64)),
    });
    [
        fact(audit, "Registers/thread", Counter::LaunchRegistersPerThread, whole),
        built,
        executed.filter(|_| !is_told),
        fact_of(
            audit,
            "Shared memory/block",
            &[Counter::LaunchSharedMemPerBlockStatic.name(), Counter::LaunchSharedMemPerBlockDynamic.name()],
            shared,
        )
        .filter(|_| shares),
        fact_of(audit, GRID, &[Counter::LaunchGridSize.name(), Counter::LaunchBlockSize.name()], grid),
        code,
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn shared(audit: &Audit, side: Side) -> Option<String> {
    let (all, is_whole) = occupancy::shared_bytes(audit, side)?;
    // Beside the shared memory of an SM, where a block takes enough of it to matter.
    let room = audit.now.occupancy.shared_per_sm.map(f64::from).filter(|room| all >= TELLS * room);
    let share = room.map(|room| format!(" ({})", of_shared(all, room)));
    let what = if is_whole { "" } else { " static" };
    Some(format!("{} B{what}{}", whole(all), share.unwrap_or_default()))
}

pub(super) fn grid(audit: &Audit, side: Side) -> Option<String> {
    let of = |name: Counter| row(audit, name).and_then(side);
    let cluster = of(Counter::LaunchClusterSize).filter(|size| *size > 1.0);
    let cluster = cluster.map(|size| format!(", clusters of {}", whole(size))).unwrap_or_default();
    Some(format!("{} × {}{cluster}", whole(of(Counter::LaunchGridSize)?), whole(of(Counter::LaunchBlockSize)?)))
}

/// What each role of warps does, by its telling instructions.
fn roles(audit: &Audit, phases: &Phases) -> Option<Words> {
    let known = audit.code.iter().flat_map(|code| &code.facts.dispatches).flat_map(|dispatch| &dispatch.roles);
    let known: Vec<_> = known.collect();
    if phases.roles.len() < 2 || known.is_empty() {
        return None;
    }
    let is_other = |(opcode, _): &&(Op, usize)| opcode.sync() != Some(Sync::Products);
    let told = (0..phases.roles.len()).map(|at| {
        let role = &phases.roles[at];
        let own = known.iter().filter(|row| row.range.0 == role.start);
        let telling = own.flat_map(|row| row.telling.iter().filter(is_other).take(3));
        let telling: Vec<String> = telling.map(|(opcode, count)| format!("{count} {opcode}")).collect();
        let telling = if telling.is_empty() { String::new() } else { format!(": {}", telling.join(", ")) };
        let (name, offset) = (places::role_name(phases, at), format!("{:#x}", role.start));
        let at = if name.contains(&offset) { String::new() } else { format!(", at {offset}") };
        format!("{name} ({}{at}){telling}", format::counted(role.warps, "warp"))
    });
    let told: Vec<String> = told.collect();
    Some(words!("Roles: {}.", told.join("; ")))
}

/// Of the machine code where it is at hand, else of the assembler's log alone.
pub(in crate::view) fn in_full(audit: &Audit) -> Section {
    let old = audit.before.as_ref().map(|old| old.build.as_slice()).unwrap_or_default();
    let sides = [("old: ", old), ("", audit.now.build.as_slice())];
    let records = sides.into_iter().flat_map(|(side, rows)| rows.iter().map(move |row| (side, &row.record)));
    let is_printed = !audit.now.build.is_empty() || !old.is_empty();
    let printed = is_printed.then(|| printed_table("build", records));
    let title = "Resources (ptxas, cubin, launch)";
    if let Some(mut section) = in_parts("resources", title, &audit.code, |code| blocks(&code.facts)) {
        // A log of its own says more than the build beside the code.
        section.blocks.extend(printed.filter(|_| !audit.trials.build_logs.is_empty()).into_iter().flatten());
        return section;
    }
    let mut blocks: Vec<Block> = Vec::new();
    let missed = audit.trials.missed.iter().find(|(step, _)| step == "code");
    blocks.extend(missed.map(|(_, why)| {
        paragraph("not-collected", words!("The machine code is **NOT MEASURED**: {}.", why.trim_end_matches('.')))
    }));
    if !audit.unchecked.is_empty() {
        let checks = audit.unchecked.iter().map(|check| words!("{}: {}", check.name.as_str(), check.found.as_str()));
        blocks.push(paragraph("unchecked", words!("Checks of the machine code that are **NOT MEASURED**:")));
        blocks.push(list("unchecked", checks));
    }
    if let Some(printed) = printed {
        blocks.extend(printed);
        blocks.extend(audit.now.build.iter().filter_map(remark).map(|words| paragraph("remarks", words)));
    } else {
        let logs = words::join(audit.trials.build_logs.iter().map(|log| words::code(&log.path)), ", ");
        let words = match audit.trials.build_logs.is_empty() {
            true => words!(
                "Not collected: no build log was given. Build with `nvcc -Xptxas -v 2> build.log` and pass `--ptxas build.log`."
            ),
            false => words!("{} holds no entry for `{}`.", logs, audit.now.artefact.kernel.short_name()),
        };
        blocks.push(paragraph("not-collected", words));
    }
    let warned = audit.trials.build_warnings.iter();
    blocks.extend(warnings(warned.map(|(log, line, text)| words!("`{}`:{}: {}", log, line.to_string(), text))));
    Section::new("resources", "Resources (ptxas)", blocks)
}

/// What the assembler printed of kernels, each with what stands in front of its name.
fn printed_table<'r>(name: &str, records: impl IntoIterator<Item = (&'static str, &'r BuildRecord)>) -> [Block; 2] {
    let head =
        "Kernel | Arch | Registers: | Spill stores (B): | Spill loads (B): | Stack (B): | Shared (B): | Barriers:";
    let row = |(side, record): (&str, &BuildRecord)| {
        let [stores, loads] = record.spills();
        let numbers = [record.registers, stores, loads, record.stack_bytes, record.shared_bytes, record.barriers];
        let kernel = if record.demangled.is_empty() { &record.mangled } else { &record.demangled };
        let named = [text(words!("{}`{}`", side, kernel)), text(record.arch.clone())];
        named.into_iter().chain(numbers.map(|n| n.map_or_else(|| text("not printed"), tables::count))).collect()
    };
    let caption = paragraph(name, "Spills include those of the functions that a kernel calls.");
    [caption, table(name, head, records.into_iter().map(row)).into()]
}

/// The page of a build log by itself: every kernel that the assembler reported.
pub(crate) fn build_log(log: &BuildLog) -> Document {
    let rows = printed_table("kernels", log.records.iter().map(|record| ("", record)));
    let mut sections = vec![Section::new("kernels", "Kernels", rows.into())];
    let mut told = |name: &str, title: &str, items: Vec<String>| {
        if !items.is_empty() {
            sections.push(Section::new(name, title, vec![list("lines", items)]));
        }
    };
    let warnings = log.warnings.iter().map(|(line, text)| format!("line {line}: {text}"));
    told("warnings", "Warnings", warnings.collect());
    told("unrecognised", "Lines not understood", log.unrecognised_lines.clone());
    Document { title: log.origin.path.clone(), sections, ..Document::default() }
}

/// What the build and the launch say about registers when they differ.
fn remark(row: &BuildRow) -> Option<Words> {
    let (built, launched) = (row.record.registers? as f64, row.launch_registers.value()?);
    if launched > built {
        return Some(words!(
            "ptxas counted {} registers and the launch reports {}: the hardware allocates in steps, so occupancy follows the larger number.",
            built.to_string(),
            launched.to_string()
        ));
    }
    (launched < built).then(|| {
        words!(
            "**The launch reports {} registers and this log {}: the log is not of the profiled binary.**",
            launched.to_string(),
            built.to_string()
        )
    })
}
