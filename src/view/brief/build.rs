//! What the build and the launch give, the occupancy that follows, and what each role of warps does; in full, each limit of the
//! occupancy.

use super::numbers::row;
use super::places;
use crate::analysis::phases::Phases;
use crate::analysis::{Audit, BuildRow, Cliff, Row};
use crate::catalog::Counter;
use crate::evidence::Reading;
use crate::quantity::format;
use crate::quantity::glance::digits;
use crate::view::charts;
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::heading::Heading;
use crate::view::tables::{self, Extra, columns_of, list, paragraph, right, strong, table, text};
use crate::words;
use crate::words::Words;
use cuda_binary::op::Sync;

/// The share of the registers from which a kernel has no room for more, in percent.
const FULL: f64 = 95.0;

/// The share of the shared memory of an SM from which that of a block is told beside it.
const TELLS: f64 = 0.25;

/// One fact with its value on each side; `None` where a side does not tell.
struct Fact {
    label: &'static str,
    /// The metrics that it shows; none of what the build says.
    metrics: Vec<&'static str>,
    old: Option<String>,
    new: Option<String>,
}

impl Fact {
    /// `registers/thread 168`, of one that is no row; `None` of what tells nothing: no spills, and as many blocks as stay and take tiles.
    fn told(&self, audit: &Audit) -> Option<String> {
        let value = self.new.as_deref()?;
        let stay = audit.now.phases.as_ref().is_some_and(|phases| phases.is_persistent);
        let label = match self.label {
            SPILLS if value == "0" => return None,
            GRID if stay => return None,
            THEORETICAL => "theoretical occupancy".to_owned(),
            ACHIEVED => "achieved occupancy".to_owned(),
            LIMITED => "blocks/SM".to_owned(),
            label => format::uncapital(label),
        };
        Some(format!("{label} {value}"))
    }
}

const SPILLS: &str = "Spill instructions executed";
const GRID: &str = "Grid × block";
const THEORETICAL: &str = "Theoretical";
const ACHIEVED: &str = "Achieved";
const LIMITED: &str = "Blocks/SM, limited by";

/// The section; `None` where the report holds nothing of it.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let (launch, occupancy) = (launch(audit), occupancy(audit));
    if launch.is_empty() && occupancy.is_empty() {
        return None;
    }
    let stay = audit.now.phases.as_ref().is_some_and(|phases| phases.is_persistent);
    let is_moved = |fact: &Fact| match audit.before {
        Some(_) => fact.old.is_some() && fact.old != fact.new,
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
    let told = |is_known: bool, words: &str| {
        let own = kept.iter().filter(|fact| fact.old.is_some() == is_known);
        let told: Vec<String> = own.filter_map(|fact| fact.told(audit)).collect();
        (!told.is_empty()).then(|| words!("{}: {}.", words, told.join("; ")))
    };
    let (same, alone) = (told(true, "The same on both sides"), told(false, "Of the new side"));
    let notes: Vec<Words> =
        [same, alone, room(audit), audit.now.phases.as_ref().and_then(|phases| roles(audit, phases))]
            .into_iter()
            .flatten()
            .collect();
    if !notes.is_empty() {
        blocks.push(list("build-notes", notes));
    }
    Some(Section::new("build", "Build stats (ptxas), occupancy, roles", blocks))
}

/// Occupancy by every limit, and the distance to the next step.
pub(in crate::view) fn occupancy_in_full(heading: &Heading, audit: &Audit) -> Section {
    let occupancy = &audit.now.occupancy;
    let mut blocks = Vec::new();
    let rows: Vec<&Row> = occupancy.rows.iter().collect();
    if rows.is_empty() {
        let words = words!("Not collected. Collect with `--section Occupancy --section LaunchStats`.");
        blocks.push(paragraph("not-collected", words));
    } else {
        blocks.push(tables::metrics("occupancy", &rows));
    }
    if !occupancy.limits.is_empty() {
        let rows: Vec<&Row> = occupancy.limits.iter().map(|limit| &limit.row).collect();
        let binds = Extra {
            title: if audit.before.is_some() { "Caps the new side" } else { "Caps" },
            cells: occupancy.limits.iter().map(|l| if l.binds { strong("yes") } else { text("") }).collect(),
            is_number: false,
        };
        blocks.extend(charts::occupancy(audit).into_iter().filter_map(|chart| charts::placed(heading, Some(chart))));
        blocks.push(tables::readings("block-limits", "Blocks per SM allowed by", &rows, vec![binds]).into());
    }
    let cliffs: Vec<String> = occupancy.cliffs.iter().filter_map(cliff).collect();
    if !cliffs.is_empty() {
        blocks.push(paragraph("next-step", "Distance to the next step, from the curves in the report; for shared memory at the SM's largest carve-out, with the driver's share of each block:"));
        blocks.push(list("next-step", cliffs));
    }
    Section::new("occupancy", "Occupancy", blocks)
}

fn cliff(cliff: &Cliff) -> Option<String> {
    let warps = |w: f64| format!("{} warps", format::fixed(w, 0));
    let plural = |n: u64| match cliff.unit.as_str() {
        "register" => format!("{n} register{}", if n == 1 { "" } else { "s" }),
        "byte of shared memory" => format!("{} bytes of shared memory per block", format::integer(n)),
        _ => format!("{n} threads per block"),
    };
    let here = format!("At {} the SM holds {}", plural(cliff.at), warps(cliff.warps));
    let gain = cliff.gain.map(|(to, more)| format!("free {} to get {}", plural(cliff.at - to), warps(more)));
    let room = cliff.room.map(|to| format!("up to {} more change nothing", plural(to - cliff.at)));
    let parts: Vec<String> = [gain, room].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{here}: {}.", parts.join("; ")))
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
    table("build", columns_of(&columns.join(" | ")), (0..launch.len().max(occupancy.len())).map(line).collect())
}

/// One side, a fact a column.
fn alone(launch: &[Fact], occupancy: &[Fact]) -> Table {
    let facts: Vec<&Fact> = launch.iter().chain(occupancy).collect();
    let columns = facts.iter().map(|fact| right(fact.label)).collect();
    table("build", columns, vec![facts.iter().map(|fact| written(fact, fact.new.as_ref())).collect()])
}

/// Both sides of a metric.
fn metric(audit: &Audit, label: &'static str, name: Counter, write: fn(f64) -> String) -> Option<Fact> {
    let row = row(audit, name)?;
    let old = row.old.as_ref().and_then(Reading::value).map(write);
    Some(Fact { label, metrics: vec![name.name()], old, new: row.new.value().map(write) })
}

fn whole(value: f64) -> String {
    format::fixed(value, 0)
}

fn percent(value: f64) -> String {
    format!("{} %", format::fixed(value, 1))
}

fn launch(audit: &Audit) -> Vec<Fact> {
    let spills = |rows: &[BuildRow]| {
        let first = rows.first()?;
        Some([first.spill_stores()? + first.spill_loads()?, first.record.stack_bytes?, first.record.barriers?])
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
    let executed = metric(audit, SPILLS, Counter::SassInstExecutedRegisterSpilling, whole);
    let shares = [NEW, OLD].into_iter().filter_map(|side| shared_bytes(audit, side)).any(|(bytes, _)| bytes > 0.0);
    let code = audit.code.first().map(|code| Fact {
        label: "Code, instructions",
        metrics: Vec::new(),
        old: code.facts.diff.as_ref().map(|diff| format::integer(diff.old as u64)),
        new: Some(format::integer(code.facts.instructions as u64)),
    });
    [
        metric(audit, "Registers/thread", Counter::LaunchRegistersPerThread, whole),
        built,
        executed.filter(|_| !is_told),
        sides(
            audit,
            "Shared memory/block",
            &[Counter::LaunchSharedMemPerBlockStatic.name(), Counter::LaunchSharedMemPerBlockDynamic.name()],
            shared,
        )
        .filter(|_| shares),
        sides(audit, GRID, &[Counter::LaunchGridSize.name(), Counter::LaunchBlockSize.name()], grid),
        code,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What ptxas prints of a build: spilled bytes, bytes of stack, and named barriers.
pub(in crate::view) const PTXAS: &str = "Spills, stack, barriers";

pub(in crate::view) fn ptxas([spilled, stack, barriers]: [u64; 3]) -> String {
    format!("{} B, {} B, {}", format::integer(spilled), format::integer(stack), format::integer(barriers))
}

/// Bytes of shared memory as a share of an SM's.
pub(in crate::view) fn of_shared(bytes: f64, room: f64) -> String {
    format!("{} % of {} KB", whole(100.0 * bytes / room), whole(room / 1024.0))
}

type Side = fn(&Row) -> Option<f64>;
const OLD: Side = |row| row.old.as_ref()?.value();
const NEW: Side = |row| row.new.value();

/// Both sides of a fact made of several metrics.
fn sides(
    audit: &Audit,
    label: &'static str,
    metrics: &[&'static str],
    make: fn(&Audit, Side) -> Option<String>,
) -> Option<Fact> {
    let new = Some(make(audit, NEW)?);
    Some(Fact { label, metrics: metrics.to_vec(), old: audit.before.as_ref().and_then(|_| make(audit, OLD)), new })
}

/// Static and dynamic: what the kernel asks for, without what the system adds to each block; and whether dynamic is in it.
fn shared_bytes(audit: &Audit, side: Side) -> Option<(f64, bool)> {
    let of = |name: Counter| row(audit, name).and_then(side);
    let asked = of(Counter::LaunchSharedMemPerBlockDynamic);
    Some((of(Counter::LaunchSharedMemPerBlockStatic)? + asked.unwrap_or_default(), asked.is_some()))
}

fn shared(audit: &Audit, side: Side) -> Option<String> {
    let (all, is_whole) = shared_bytes(audit, side)?;
    // Beside the shared memory of an SM, where a block takes enough of it to matter.
    let room = audit.now.occupancy.shared_per_sm.map(f64::from).filter(|room| all >= TELLS * room);
    let share = room.map(|room| format!(" ({})", of_shared(all, room)));
    let what = if is_whole { "" } else { " static" };
    Some(format!("{} B{what}{}", whole(all), share.unwrap_or_default()))
}

fn grid(audit: &Audit, side: Side) -> Option<String> {
    let of = |name: Counter| row(audit, name).and_then(side);
    let cluster = of(Counter::LaunchClusterSize).filter(|size| *size > 1.0);
    let cluster = cluster.map(|size| format!(", clusters of {}", whole(size))).unwrap_or_default();
    Some(format!("{} × {}{cluster}", whole(of(Counter::LaunchGridSize)?), whole(of(Counter::LaunchBlockSize)?)))
}

/// The grid and the blocks of a launch, old and new.
pub(super) fn launched(audit: &Audit) -> (Option<String>, Option<String>) {
    (grid(audit, OLD), grid(audit, NEW))
}

fn occupancy(audit: &Audit) -> Vec<Fact> {
    [
        metric(audit, THEORETICAL, Counter::SmMaximumWarpsPerActiveCyclePct, percent),
        metric(audit, ACHIEVED, Counter::SmWarpsActiveAvgPctActive, percent),
        sides(audit, LIMITED, &["launch__occupancy_limit_*"], limits),
        sides(audit, "Waves", &[Counter::LaunchWavesPerMultiprocessor.name()], waves),
        metric(audit, "Eligible warps/scheduler", Counter::SmspWarpsEligibleAvgPerCycleActive, digits),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How often the grid fills the chip; blocks that stay and take tile after tile do once, which says nothing.
fn waves(audit: &Audit, side: Side) -> Option<String> {
    if audit.now.phases.as_ref().is_some_and(|phases| phases.is_persistent) {
        return None;
    }
    Some(digits(side(row(audit, Counter::LaunchWavesPerMultiprocessor)?)?))
}

/// Blocks that an SM holds by its scarcest resource, and which that is.
fn limits(audit: &Audit, side: Side) -> Option<String> {
    let limits = &audit.now.occupancy.limits;
    let least = limits.iter().filter_map(|limit| side(&limit.row)).min_by(f64::total_cmp)?;
    let binds = limits.iter().filter(|limit| {
        // The launch's carve-out of shared memory follows what binds beside it.
        let is_carve_out = !limit.binds && limit.row.new.value() == audit.now.occupancy.blocks_per_sm;
        side(&limit.row) == Some(least) && !is_carve_out
    });
    let names: Vec<&str> = binds.map(|limit| limit.resource.as_str()).collect();
    Some(format!("{} ({})", whole(least), names.join(", ")))
}

/// Why one block is no finding, or what is free before the occupancy drops.
fn room(audit: &Audit) -> Option<Words> {
    let registers = audit.now.occupancy.registers?;
    let held = registers.of_block();
    let full = 100.0 * held / registers.all >= FULL;
    let file = format!(
        "{} × {} = {} of {} registers",
        whole(registers.per_thread),
        whole(registers.block_threads),
        whole(held),
        whole(registers.all)
    );
    let has_products = audit.now.phases.as_ref().is_some_and(|phases| phases.tensor.is_some());
    if audit.now.occupancy.is_by_design(has_products) == Some(true) {
        let binding = audit.now.occupancy.binding().join(" and ");
        return Some(words!(
            "1 block/SM by design: a tensor kernel at its limit of {} ({}); few eligible warps are normal there.",
            binding,
            file
        ));
    }
    let rooms: Vec<String> = audit
        .now
        .occupancy
        .cliffs
        .iter()
        .filter_map(|cliff| {
            let room = cliff.room?.checked_sub(cliff.at).filter(|room| *room > 0)?;
            match cliff.unit.as_str() {
                "register" => Some(format::counted(room, "register")),
                "byte of shared memory" if cliff.at > 0 => {
                    Some(format!("{} B of shared memory", format::integer(room)))
                }
                _ => None,
            }
        })
        .collect();
    match rooms.as_slice() {
        [] if full => Some(words!("Registers: {}, no room for more.", file)),
        [] => None,
        _ => Some(words!("Headroom before occupancy drops: {}.", rooms.join(", "))),
    }
}

/// What each role of warps does, by its telling instructions.
fn roles(audit: &Audit, phases: &Phases) -> Option<Words> {
    let known = audit.code.iter().flat_map(|code| &code.facts.dispatches).flat_map(|dispatch| &dispatch.roles);
    let known: Vec<_> = known.collect();
    if phases.roles.len() < 2 || known.is_empty() {
        return None;
    }
    let told: Vec<String> = (0..phases.roles.len())
        .map(|at| {
            let role = &phases.roles[at];
            let telling: Vec<String> = known
                .iter()
                .filter(|row| row.range.0 == role.start)
                .flat_map(|row| row.telling.iter().filter(|(opcode, _)| opcode.sync() != Some(Sync::Products)).take(3))
                .map(|(opcode, count)| format!("{count} {opcode}"))
                .collect();
            let telling = if telling.is_empty() { String::new() } else { format!(": {}", telling.join(", ")) };
            let (name, offset) = (places::role_name(phases, at), format!("{:#x}", role.start));
            let at = if name.contains(&offset) { String::new() } else { format!(", at {offset}") };
            format!("{name} ({}{at}){telling}", format::counted(role.warps, "warp"))
        })
        .collect();
    Some(words!("Roles: {}.", told.join("; ")))
}
