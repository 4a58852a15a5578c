//! What warps wait for: in a phase, and over the whole kernel by phase, role and cause.

use super::cut::MOST_STRETCHES;
use super::detail::{StallPlace, Wait, WaitGroup};
use super::{model::LONG, point::point, study::Study};
use crate::evidence::WarpSync;
use cuda_binary::Op;
use cuda_binary::op::{Act, Space};

/// Spaces whose loads are waited for as long scoreboards.
const FAR: [Space; 3] = [Space::Global, Space::Local, Space::Texture];
/// The part of the waits that makes them those for loads.
const MOST: f64 = 0.9;
/// Waits below this share of a phase are not told.
const LEAST_OF_PHASE: f64 = 0.10;
/// Waits told of a phase.
const WAITS: usize = 3;
/// Groups below this share of a wait are not told.
const LEAST_OF_WAIT: f64 = 0.25;
/// Groups told of a wait.
const GROUPS: usize = 2;
/// Reasons below this share of all samples are not told of the kernel.
const LEAST: f64 = 0.03;
/// Places below this share of a reason are not told.
const LEAST_OF_REASON: f64 = 0.05;

impl Study<'_> {
    /// [`Study::copies_ahead`] where most of the wait for long scoreboards is for such copies.
    pub(in crate::analysis) fn copies_waited_for(&self) -> Option<u8> {
        self.copies_ahead().filter(|_| self.part_at_causes(|op| op.copies_global() && !op.is_bulk()) >= 0.5)
    }

    /// The part of the waits for long scoreboards, 0 to 1, that is for rows of a kind.
    pub(in crate::analysis) fn part_at_causes(&self, is_meant: impl Fn(Op) -> bool) -> f64 {
        let causes = self.samples.at_causes(LONG);
        let own = (0..causes.len()).filter(|row| is_meant(self.code.op(*row))).map(|row| causes[row]).sum::<u64>();
        own as f64 / causes.iter().sum::<u64>().max(1) as f64
    }

    /// The part of a turn's waits for loads that is the longest single one, 0 to 1: those behind each other are apart where a load is
    /// waited for that was issued behind the last wait, as scoreboards tell. A warp whose loads do not turn has one turn. `None` with several
    /// main loops, or where it waits for none.
    pub(in crate::analysis) fn longest_wait(&self) -> Option<f64> {
        let code = &self.code;
        let is_far = |op: Op| op.act() == Some(Act::Load) && op.space().is_some_and(|space| FAR.contains(&space));
        let (rows, turns) = match &self.mains[..] {
            [main] => (code.run_in(&main.cycle), main.turns),
            [] if !code.turns(is_far) && self.part_at_causes(is_far) >= MOST => {
                (code.run().collect(), *code.executed.first().filter(|warps| **warps > 0)?)
            }
            _ => return None,
        };
        // Executions and samples of each. What is issued at the end of a turn is waited for in the next.
        let (mut issued, mut trips): (u8, Vec<(u64, u64)>) = (0, Vec::new());
        for is_counted in [false, true] {
            for row in rows.iter().copied() {
                let Some(word) = &code.rows[row].word else { continue };
                if word.waits & issued != 0 {
                    issued = 0;
                    trips.extend(is_counted.then_some((code.executed[row], 0)));
                }
                issued |= if is_far(code.op(row)) { word.sets } else { 0 };
                if let Some((_, samples)) = trips.last_mut() {
                    *samples += self.samples.of_reason(LONG, &[row]);
                }
            }
        }
        let all: u64 = trips.iter().map(|(_, samples)| samples).sum();
        let one = |(executed, samples): &(u64, u64)| {
            *samples as f64 / all as f64 * turns as f64 / (*executed).max(turns) as f64
        };
        trips.iter().map(one).max_by(f64::total_cmp).filter(|_| all > 0)
    }
}

/// The waits of some rows, largest first, each by what it waits for.
pub(super) fn waits(study: &Study<'_>, rows: &[usize]) -> Vec<Wait> {
    let all = study.samples.at(rows).max(1) as f64;
    let own = study.samples.waits(rows).into_iter().map(|(reason, samples)| (reason, samples, samples as f64 / all));
    let told = own.filter(|(_, _, share)| *share >= LEAST_OF_PHASE).take(WAITS);
    told.map(|(reason, samples, share)| wait(study, reason, samples, share, (None, rows))).collect()
}

/// The reasons with at least 3 % of the samples, largest first, each by the phases or roles that it is met in.
pub(super) fn stalls(study: &Study<'_>) -> Vec<Wait> {
    let (places, mut found) = (places(study), Vec::new());
    let everywhere: Vec<usize> = (0..study.samples.all.len()).collect();
    for (reason, sum) in study.samples.waits(&everywhere) {
        if (sum as f64 / study.samples.sum as f64) < LEAST {
            continue;
        }
        let of_place = |(place, rows): &(StallPlace, Vec<usize>)| {
            let samples = study.samples.of_reason(reason, rows);
            let share = samples as f64 / sum as f64;
            (share >= LEAST_OF_REASON).then(|| wait(study, reason, samples, share, (Some(*place), rows)))
        };
        let mut met: Vec<Wait> = places.iter().filter_map(of_place).collect();
        met.sort_by(|a, b| b.share.total_cmp(&a.share));
        found.extend(met.into_iter().take(MOST_STRETCHES));
    }
    found
}

/// The samples of one reason at some rows by the opcode that waits and its line, or by the opcode that is waited for.
fn wait(
    study: &Study<'_>,
    reason: &str,
    samples: u64,
    share: f64,
    (place, rows): (Option<StallPlace>, &[usize]),
) -> Wait {
    let key = |row: usize, cause: Option<usize>| match cause {
        Some(cause) => (what(study, cause), None, true),
        None => (what(study, row), study.view.instructions[row].line(), false),
    };
    // The samples of barriers stand at them.
    let cause = |row: usize| study.samples.cause(reason, row).filter(|_| reason != "barrier");
    let groups = study.samples.by(reason, rows, key, cause).into_iter();
    let share_of = |group: u64| group as f64 / samples.max(1) as f64;
    let large = groups.filter(|group| share_of(group.samples) >= LEAST_OF_WAIT).take(GROUPS);
    let told = large.filter_map(|group| {
        let (at, cause) = (point(study, group.at()?), group.cause().map(|row| point(study, row)));
        Some(WaitGroup { share: share_of(group.samples), at, cause })
    });
    Wait { reason: reason.to_owned(), place, samples, share, groups: told.collect() }
}

/// What a row does, the wait for products told from their start.
fn what(study: &Study<'_>, row: usize) -> (cuda_binary::Op, bool) {
    (study.view.instructions[row].op(), matches!(study.code.sync(row), WarpSync::ProductsWait { .. }))
}

/// The rows of each phase or part of the pacing role, and of each other role.
fn places(study: &Study<'_>) -> Vec<(StallPlace, Vec<usize>)> {
    let mut found = Vec::new();
    for (phase, cut) in study.cuts.iter().enumerate() {
        let place = |part: Option<usize>| StallPlace::Phase { phase, part };
        if cut.parts.is_empty() {
            found.push((place(None), cut.rows.clone()));
        }
        for (part, (_, rows)) in cut.parts.iter().enumerate() {
            found.push((place(Some(part)), rows.clone()));
        }
    }
    for (role, group) in study.split.roles.iter().enumerate().filter(|(role, _)| *role != study.pacing) {
        found.push((StallPlace::Role { role }, study.code.rows_of(&group.blocks).collect()));
    }
    found
}
