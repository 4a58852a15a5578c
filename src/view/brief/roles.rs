//! Which role of a kernel the others wait for.

use super::numbers::share;
use super::places;
use crate::analysis::phases::{Pace, Phases};
use crate::quantity::format;
use crate::words::{Words, words};

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
    if let Some(roles) = all.clone().map(|at| waits(phases, at)).collect::<Option<Vec<String>>>() {
        return Some(words!(
            "Load balance: {}{}.{}{}",
            roles.join("; "),
            parked,
            balance(phases).unwrap_or_default(),
            all.filter_map(|at| lines(phases, at)).collect::<String>()
        ));
    }
    let others: Vec<String> = all.filter(|at| *at != phases.pacing).map(|at| called(phases, at)).collect();
    Some(words!("Left out of every share: {}{}.", others.join(", "), parked))
}

/// `producer (4 warps, 33.0 % of all samples)`.
fn called(phases: &Phases, at: usize) -> String {
    let role = &phases.roles[at];
    let (name, warps) = (places::role_name(phases, at), format::counted(role.warps, "warp"));
    format!("{name} ({warps}, {} of all samples)", share(role.samples as f64 / phases.samples as f64))
}

/// The same with its share of the role's samples at barriers, where the first says what it is.
fn waits(phases: &Phases, at: usize) -> Option<String> {
    let share = format::fixed(100.0 * phases.roles[at].waiting()?, 0);
    let (what, of) = if at == 0 { (" at mbarriers and barriers", " of their samples") } else { ("", "") };
    Some(format!("{}{what} for {share} %{of}", called(phases, at)))
}

/// ` Of the producer's samples :345 45.7 %, :337 30.3 %.`: of a large role that has no table of its own.
fn lines(phases: &Phases, at: usize) -> Option<String> {
    let role = &phases.roles[at];
    let has_table = phases.pace == Some(Pace::Role(at)) || at == phases.pacing;
    let is_large = role.samples as f64 >= LARGE * phases.samples as f64 && !has_table;
    let file = places::file(phases);
    let own = role.lines.iter().filter(|line| line.share >= LINE).take(LINES);
    let own: Vec<String> = own.map(|line| format!("{} {}", places::call_line(line, file), share(line.share))).collect();
    let name = places::role_name(phases, at);
    (is_large && !own.is_empty()).then(|| format!(" Of the samples of the {name}: {}.", own.join("; ")))
}

/// What follows from whom the roles wait for.
fn balance(phases: &Phases) -> Option<String> {
    Some(match phases.pace? {
        Pace::Role(at) if phases.roles[at].tensor == 0 => {
            format!(" The others wait for the {}.", places::role_name(phases, at))
        }
        Pace::Role(at) => format!(" The copies are ahead: the others wait for the {}.", places::role_name(phases, at)),
        Pace::Copies => " All roles wait at barriers: the copies in flight are too few or too late.".to_owned(),
    })
}
