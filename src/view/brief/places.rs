//! How the page names a phase, a role, an instruction and its line, and which role of a kernel the others wait for.

use crate::analysis::phases::{
    Line, OpcodeRun, Pace, Phase, PhaseKind, Phases, Point, Role, Span, StallPlace, Wait, WaitGroup,
};
use crate::catalog;
use crate::quantity::format;
use crate::quantity::glance::share;
use crate::view::groups::summed;
use crate::words::{Words, words};
use cuda_binary::op::{Act, Sync, Told};

/// Opcodes named beside a part of a loop.
const OPCODES: usize = 2;

/// The label of a row: what the phase is, with what a reader of the source looks for.
pub(super) fn row(phase: &Phase, steps: Option<f64>) -> Words {
    let named = |kind: &str| match &phase.name {
        Some(name) => words!("{} (`{}`)", kind, name.name.as_str()),
        None => kind.into(),
    };
    let with = |kind: &str, wanted: fn(&OpcodeRun) -> bool| {
        let told = phase.opcodes.iter().filter(|run| wanted(run)).take(OPCODES);
        let told: Vec<String> = told.map(|run| format!("{} {}", run.count, run.opcode)).collect();
        if told.is_empty() { named(kind) } else { words!("{} ({})", kind, told.join(", ")) }
    };
    let PhaseWords { own, .. } = phase_words(phase.kind);
    match phase.kind {
        PhaseKind::MainLoop => match steps.filter(|steps| *steps > 1.0) {
            Some(steps) => words!("{}, {} steps", words::strong(own), count(steps)),
            // Loops that a kernel takes by turns are told apart by what they call.
            None => words!("{}{}", words::strong(own), calls(phase)),
        },
        PhaseKind::Prologue | PhaseKind::Copies => with(own, |OpcodeRun { opcode, .. }| {
            opcode.told() == Told::Move && (opcode.is_by_lane() || opcode.is_bulk())
        }),
        PhaseKind::Conditional | PhaseKind::Epilogue | PhaseKind::NextTile | PhaseKind::Exit => named(own),
        PhaseKind::Issue => match phase.opcodes.iter().find(|run| run.opcode.is_product()) {
            Some(run) => words!("issue {} {}", run.count.to_string(), run.opcode.name()),
            None => own.into(),
        },
        PhaseKind::Compute if phase.name.is_some() => named(own),
        PhaseKind::Loop | PhaseKind::Stretch | PhaseKind::Load | PhaseKind::Compute | PhaseKind::InnerLoop => {
            with(own, |_| true)
        }
        _ => own.into(),
    }
}

/// ` (:421)`: the one line that calls all of a loop; empty where it has lines of its own.
fn calls(phase: &Phase) -> String {
    let Span { first, last, .. } = phase.at;
    let is_call = phase.name.is_none() && first == last && first > 0 && !phase.parts.is_empty();
    if is_call { format!(" (:{first})") } else { String::new() }
}

pub(in crate::view) struct PhaseWords {
    /// As a row.
    pub(in crate::view) own: &'static str,
    /// Inside a sentence, with where it is.
    pub(super) noun: &'static str,
}

pub(in crate::view) fn phase_words(kind: PhaseKind) -> PhaseWords {
    let (own, noun) = match kind {
        PhaseKind::Prologue => ("Prologue", "in the prologue"),
        PhaseKind::MainLoop => ("Main loop", "in the main loop"),
        PhaseKind::Conditional => ("Conditional code", "in conditional code"),
        PhaseKind::Drain => ("Drain", "in the drain"),
        PhaseKind::Epilogue => ("Epilogue", "in the epilogue"),
        PhaseKind::NextTile => ("Between tiles", "between tiles"),
        PhaseKind::Exit => ("Exit", "at the exit"),
        PhaseKind::Loop => ("Loop", "in a loop"),
        PhaseKind::Stretch => ("Code", "in straight-line code"),
        PhaseKind::Elsewhere => ("Called functions", "in called functions"),
        PhaseKind::TurnWait => ("Wait for the turn", "in the wait for the turn"),
        PhaseKind::SlotWait => ("wait for a free stage", "in the wait for a free stage"),
        PhaseKind::LoadsWait => ("wait for its loads", "in the wait for its loads"),
        PhaseKind::CopiesWait => ("wait for its copies", "in the wait for its copies"),
        PhaseKind::Stores => ("sums to results, stores", "at the stores of the epilogue"),
        PhaseKind::StoreWait => ("wait for the stores", "in the wait for the stores"),
        PhaseKind::StageWait => ("wait for the stage", "in the wait for the stage"),
        PhaseKind::Issue => ("issue of products", "at the issue of products"),
        PhaseKind::Copies => ("copies", "in the copies"),
        PhaseKind::ProductsWait => ("wait for the products", "in the wait for the products"),
        PhaseKind::Release => ("release the stage", "at the release of the stage"),
        PhaseKind::Control => ("addresses, loop control", "in addresses and loop control"),
        PhaseKind::Load => ("load", "in the load"),
        PhaseKind::Compute => ("compute", "in the compute part"),
        PhaseKind::Barrier => ("barrier", "at the block barrier"),
        PhaseKind::InnerLoop => ("inner loop", "in the inner loop"),
    };
    PhaseWords { own, noun }
}

/// What a phase is where it stands apart from the others: `Epilogue (store_tile)`, `Copies of another stage`.
pub(in crate::view) fn name(phase: &Phase) -> String {
    format::capital(&row(phase, None).to_plain())
}

/// Where in prose: `in the epilogue`, `in the producer`.
pub(super) fn place(phases: &Phases, place: StallPlace) -> String {
    match place {
        StallPlace::Role { role } => format!("in the {}", role_name(phases, role)),
        StallPlace::Phase { phase, part } => {
            let own = phases.phases.get(phase);
            let own = part.map_or(own, |part| own.and_then(|own| own.parts.get(part)));
            match own {
                Some(own) if own.kind == PhaseKind::Stretch => format!("at {}", lines(own, file(phases))),
                own => own.map(|own| phase_words(own.kind).noun.to_owned()).unwrap_or_default(),
            }
        }
    }
}

/// What a role does: the one with products, the one without that copies for it, the one that stores.
pub(in crate::view) fn role_name(phases: &Phases, at: usize) -> String {
    let Some(role) = phases.roles.get(at) else { return "other warps".into() };
    let is_only =
        |is_meant: fn(&Role) -> bool| is_meant(role) && phases.roles.iter().filter(|own| is_meant(own)).count() == 1;
    let feeds = |role: &Role| role.copies > 0 && role.tensor == 0;
    match role {
        _ if role.tensor > 0 && role.copies == 0 && phases.roles.iter().any(feeds) => "consumers".into(),
        _ if is_only(|role| role.tensor > 0) => "tensor warps".into(),
        _ if is_only(feeds) => "producer".into(),
        _ if is_only(|role| role.stores > 0) => "storing warps".into(),
        role => format!("warps at {:#x}", role.start),
    }
}

/// Whose phases they are: `consumers`, `warps` where all run the same.
pub(super) fn whose(phases: &Phases) -> String {
    if phases.roles.len() < 2 { "warps".into() } else { role_name(phases, phases.pacing) }
}

/// `:199`; `gemm.cuh:12` in another file than the page's; `0x1f0` where no line is known.
pub(super) fn line(at: &Point, file: &str) -> String {
    match at.line {
        0 => format!("{:#x}", at.offset),
        line => Line { file: at.file.clone(), line }.beside(file),
    }
}

/// The same with the line of the call that it was inlined at: `:107, called at :151`.
pub(in crate::view) fn called_line(at: &Point, file: &str) -> String {
    let call = at.call.as_ref().filter(|call| at.line > 0 && (call.line != at.line || call.file != at.file));
    let call = call.map(|call| format!(", called at {}", call.beside(file)));
    format!("{}{}", line(at, file), call.unwrap_or_default())
}

/// The line of a role: that of the call where it is one, with the lines of what is called.
pub(super) fn call_line(line: &Phase, file: &str) -> String {
    let called = line.name.as_ref().filter(|name| name.first < name.last);
    format!("{}{}", called.map(|name| format!("{}, ", name.call.beside(file))).unwrap_or_default(), lines(line, file))
}

/// `:137–:156`.
pub(in crate::view) fn lines(phase: &Phase, file: &str) -> String {
    let Span { file: own, first, last, start, end } = &phase.at;
    let (own, first, last) = match &phase.name {
        // A function of one line is told by its call.
        Some(name) if name.first == name.last => (&name.call.file, name.call.line, name.call.line),
        Some(name) => (&name.file, name.first, name.last),
        None => (own, *first, *last),
    };
    let prefix = if own == file { "" } else { own.as_str() };
    match (first, last) {
        (0, _) if phase.kind == PhaseKind::Elsewhere => String::new(),
        (0, _) => format!("{start:#x}–{end:#x}"),
        (first, last) if first == last => format!("{prefix}:{first}"),
        (first, last) => format!("{prefix}:{first}–:{last}"),
    }
}

/// The file that most of the samples stand in, or the first access where no phase has a name; empty where no line is known.
pub(in crate::view) fn file(phases: &Phases) -> &str {
    let files = summed(phases.leaves().map(|phase| (phase.at.file.as_str(), phase.samples)));
    let most = files.into_iter().max_by_key(|(_, sum)| *sum).map(|(file, _)| file);
    most.or_else(|| Some(phases.accesses.first()?.at.file.as_str())).unwrap_or_default()
}

/// A stall reason inside a sentence: `long scoreboard`, `MIO throttle`.
pub(in crate::view) fn reason(id: &str) -> String {
    catalog::stall(id).map_or_else(|| id.to_owned(), |row| format::uncapital(row.label))
}

/// A count that may be an average: whole where it is, else with one decimal.
pub(super) fn count(value: f64) -> String {
    let is_whole = (value - value.round()).abs() < 0.005 * value.max(1.0);
    format::fixed(value, if is_whole { 0 } else { 1 })
}

/// All waits of a phase with their places: `long scoreboard 49 %: LDG (:107, called at :151) 62 %`.
pub(super) fn waits(phase: &Phase, file: &str) -> String {
    let percent = |share: f64| format::fixed(100.0 * share, 0);
    let place = |group: &WaitGroup| {
        let point = group.cause.as_ref().unwrap_or(&group.at);
        let base = point.opcode.split('.').next().unwrap_or_default();
        format!("{base} ({}) {} %", called_line(point, file), percent(group.share))
    };
    let told = |wait: &Wait| {
        let all: Vec<String> = wait.groups.iter().map(place).collect();
        let all = if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) };
        format!("{} {} %{all}", reason(&wait.reason), percent(wait.share))
    };
    phase.waits.iter().map(told).collect::<Vec<_>>().join("; ")
}

/// What a scoreboard is held for, where most of the wait is for the same and that is no load.
pub(super) fn waited_for(wait: &Wait) -> Option<&'static str> {
    let most = wait.groups.iter().find(|group| group.share > 0.5)?;
    let op = most.cause.as_ref()?.op();
    match (op.sync(), op.act()) {
        (Some(Sync::Mbarrier), _) => Some("mbarrier"),
        (_, Some(Act::Store | Act::Reduction)) if op.is_lsu_access() => Some("stores"),
        _ => None,
    }
}

/// The part of all samples from which a role has its lines told, the part of its own samples of such a line, and how many are.
const LARGE: f64 = 0.1;
const LINE: f64 = 0.1;
const LINES: usize = 3;

/// How long each role waits for the others, which of them these wait for, and which warps no share of the phases counts; `None` where all
/// warps run the same.
pub(super) fn note(phases: &Phases, parked: Option<f64>) -> Option<Words> {
    if phases.roles.len() < 2 {
        return None;
    }
    let parked = parked
        .map(|share| format!("; warps parked at the last barrier, {} %, idle by design", format::fixed(share, 1)))
        .unwrap_or_default();
    let all = 0..phases.roles.len();
    if let Some(roles) = all.clone().map(|at| waits_of(phases, at)).collect::<Option<Vec<String>>>() {
        return Some(words!(
            "Load balance: {}{}.{}{}",
            roles.join("; "),
            parked,
            words::maybe(balance(phases)),
            all.filter_map(|at| lines_of(phases, at)).collect::<String>()
        ));
    }
    let others: Vec<String> = all.filter(|at| *at != phases.pacing).map(|at| called(phases, at)).collect();
    Some(words!("Left out of every share: {}{}.", others.join(", "), parked))
}

/// `producer (4 warps, 33.0 % of all samples)`.
fn called(phases: &Phases, at: usize) -> String {
    let role = &phases.roles[at];
    let (name, warps) = (role_name(phases, at), format::counted(role.warps, "warp"));
    format!("{name} ({warps}, {} of all samples)", share(role.samples as f64 / phases.samples as f64))
}

/// The same with its share of the role's samples at barriers, where the first says what it is.
fn waits_of(phases: &Phases, at: usize) -> Option<String> {
    let share = format::fixed(100.0 * phases.roles[at].waiting()?, 0);
    let (what, of) = if at == 0 { (" at mbarriers and barriers", " of their samples") } else { ("", "") };
    Some(format!("{}{what} for {share} %{of}", called(phases, at)))
}

/// ` Of the producer's samples :345 45.7 %, :337 30.3 %.`: of a large role that has no table of its own.
fn lines_of(phases: &Phases, at: usize) -> Option<String> {
    let role = &phases.roles[at];
    let has_table = phases.pace == Some(Pace::Role(at)) || at == phases.pacing;
    let is_large = role.samples as f64 >= LARGE * phases.samples as f64 && !has_table;
    let file = file(phases);
    let own = role.lines.iter().filter(|line| line.share >= LINE).take(LINES);
    let own: Vec<String> = own.map(|line| format!("{} {}", call_line(line, file), share(line.share))).collect();
    let name = role_name(phases, at);
    (is_large && !own.is_empty()).then(|| format!(" Of the samples of the {name}: {}.", own.join("; ")))
}

/// What follows from whom the roles wait for.
fn balance(phases: &Phases) -> Option<String> {
    Some(match phases.pace? {
        Pace::Role(at) if phases.roles[at].tensor == 0 => {
            format!(" The others wait for the {}.", role_name(phases, at))
        }
        Pace::Role(at) => format!(" The copies are ahead: the others wait for the {}.", role_name(phases, at)),
        Pace::Copies => " All roles wait at barriers: the copies in flight are too few or too late.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn every_phase_is_explained_by_its_name() {
        let unknown = PhaseKind::VARIANTS.iter().map(|kind| phase_words(*kind).own);
        let unknown: Vec<&str> = unknown.filter(|own| catalog::explain(own).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
