//! Levers on how accesses are issued: wider loads of shared memory, accesses whose guard is off.

use super::{Ask, Draft, WORTH};
use crate::analysis::diagnose::lever::Along;
use crate::analysis::diagnose::rules::memory::SHARED;
use crate::analysis::diagnose::rules::{count, share};
use crate::analysis::phases::GuardedOpcode;
use crate::catalog::{Action, Counter, Part};
use crate::quantity::format;
use crate::words;
use cuda_binary::Op;
use cuda_binary::op::Act;

/// What is left of the instructions and wavefronts of four loads that one of 16 bytes replaces.
const QUARTER: f64 = 0.25;
/// The part of the accesses whose guard is off from which they are worth a branch.
const OFF: f64 = 0.25;
/// Requests that the LSU takes.
const REQUESTS: Counter = Counter::L1texLsuinRequestsAvgPctElapsed;

pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<Draft> {
    [wide_shared(ask), skipped(ask)].into_iter().flatten().collect()
}

/// One load of 16 bytes in place of four of 4 that all lanes read at one address. A wavefront brings either.
fn wide_shared(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let runs = m.kernel_of.phases?.shared_runs.as_ref()?;
    let gone = (1.0 - QUARTER) * runs.loads as f64;
    let cycles = m.cycles? * m.sms?;
    let l1 = m.busiest_of(&[Part::MemoryShared, Part::MemoryL1tex])?;
    if gone / cycles < WORTH {
        return None;
    }
    let goal = (l1.share - gone / cycles).max(0.0);
    let executed = m.kernel.value(Counter::SmspInstExecutedSum).filter(|executed| *executed > gone);
    let issue = m.unit(Part::Issue).zip(executed).map(|(unit, all)| (Part::Issue, unit.share * (1.0 - gone / all)));
    let unknown = if issue.is_none() { vec![Part::Issue] } else { Vec::new() };
    let mut after = vec![(Part::MemoryShared, goal), (Part::MemoryL1tex, goal)];
    let requests = m.unit(Part::MemoryLsu).map(|unit| (Part::MemoryLsu, (unit.share - gone / cycles).max(0.0)));
    after.extend(requests);
    after.extend(issue);
    let alignment = match runs.is_aligned {
        true => words!("rows of a multiple of 16 bytes"),
        false => words!("offsets are not multiples of 16 bytes: change the row pitch first"),
    };
    Some(
        Draft::relieves(ask, Action::WideShared, &after)
            .unknown(ask, &unknown)
            .says(
                words!("LDS.128 in place of four LDS at `:{}`", runs.at.line.to_string()),
                words!(
                    "{} broadcast loads of 4 bytes (one address for all lanes); {} {} → {} %",
                    count(runs.loads as f64),
                    &l1.name,
                    format::fixed(100.0 * l1.share, 0),
                    format::fixed(100.0 * goal, 0)
                ),
            )
            .risks(alignment)
            .checks(words!("LDS of 32 bits: {} fewer", count(runs.loads as f64)), SHARED)
            .beside(Some(Along::PartOf(Action::ReuseInSm))),
    )
}

/// Whether an opcode is an access that takes a request of the LSU.
fn is_access(op: Op) -> bool {
    op.is_lsu_access() && matches!(op.act(), Some(Act::Load | Act::Store))
}

/// Executions that have no lane on, at least and at most, where they are worth a branch; `all` are those of all accesses.
fn off(guarded: &[GuardedOpcode], all: f64) -> Option<(f64, f64)> {
    let own = || guarded.iter().filter(|run| is_access(run.opcode));
    let least: u64 = own().map(|run| run.executed - run.at_most).sum();
    let most: u64 = own().map(|run| run.executed - run.at_least).sum();
    (all > 0.0 && least as f64 >= OFF * all).then_some((least as f64, most as f64))
}

/// A branch around accesses whose guard is off for all lanes: they take their request all the same.
fn skipped(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let unit = m.unit(Part::MemoryLsu)?;
    let executed = m.kernel.opcodes();
    let all: f64 = executed.iter().filter(|(opcode, _)| is_access(Op::of(opcode))).map(|(_, executed)| executed).sum();
    let (least, most) = off(&m.kernel_of.phases?.guarded, all)?;
    let goal = unit.share * (1.0 - most / all).max(0.0);
    Some(
        Draft::relieves(ask, Action::SkipAccesses, &[(Part::MemoryLsu, goal)])
            .says(
                "Branch around the accesses whose guard is off for the whole warp".into(),
                words!("{} of {} accesses have no lane on, yet each takes an LSU request", count(least), count(all)),
            )
            .risks("divergent branches where some lanes are on".into())
            .checks(words!("LSU requests {} → {}", share(unit.share), share(goal)), REQUESTS),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_without_a_lane_are_counted_between_their_bounds() {
        let run = |opcode: &str, executed, at_least, at_most| GuardedOpcode {
            opcode: Op::of(opcode),
            executed,
            at_least,
            at_most,
        };
        // Of 100 loads 60 to 70 have a lane on, of 50 stores none; the fence is no access. Off are 30 + 50 at least, 40 + 50 at most.
        let guarded = [run("LDS", 100, 60, 70), run("STG", 50, 0, 0), run("MEMBAR", 10, 1, 1)];
        assert_eq!(off(&guarded, 200.0), Some((80.0, 90.0)));
        assert_eq!(off(&guarded, 320.0), Some((80.0, 90.0)), "a quarter of all is worth a branch");
        assert_eq!(off(&guarded, 321.0), None);
        assert_eq!(off(&[], 0.0), None);
    }
}
