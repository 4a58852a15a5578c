//! Sums and extremes: over lanes by shuffles that could be made once or in one instruction, and of rows that fill a part of a warp.

use super::work::executed_on;
use super::*;
use crate::analysis::phases::Loop;
use cuda_binary::op::Computes;
use std::collections::BTreeSet;

/// Turns from which a sum that each of them makes is worth making once behind them.
const TURNS: f64 = 2.0;

/// Shuffles of a loop, with the arithmetic on what they bring, where all of it adds up to one value that the loop hands on: nothing else takes
/// it.
fn sums_up(study: &Study<'_>, cycle: &Loop) -> Option<Vec<usize>> {
    let code = &study.code;
    let inside: Vec<usize> = code.run_in(cycle);
    let shuffles: Vec<usize> = inside.iter().copied().filter(|row| code.op(*row).is_shuffle()).collect();
    shuffles.first()?;
    let takes = |row: &usize| code.operands_of(*row).any(|from| shuffles.contains(&from));
    let made: Vec<usize> = inside.iter().copied().filter(|row| takes(row) && !shuffles.contains(row)).collect();
    let op = code.op(*made.first()?);
    let is_one = op.folds() && made.iter().all(|row| code.op(*row) == op);
    let is_handed_on = |row: &usize| {
        let behind = code.behind_row(*row);
        code.op(*row) == op && behind.contains(row) && shuffles.iter().any(|own| behind.contains(own))
    };
    let sums: Vec<usize> = inside.iter().copied().filter(is_handed_on).collect();
    let rows = [&shuffles[..], &made[..]].concat();
    // What the turn before left is no part of what lanes exchange, and nothing but the sum takes that.
    let is_apart = shuffles.iter().all(|row| !sums.iter().any(|sum| code.behind_row(*row).contains(sum)));
    let takes_any = |row: &usize| code.operands_of(*row).any(|from| rows.contains(&from) || sums.contains(&from));
    let is_own = |row: &usize| rows.contains(row) || sums.contains(row);
    let is_alone = inside.iter().filter(|row| takes_any(row)).all(is_own);
    (is_one && is_apart && is_alone && !sums.is_empty()).then_some(rows)
}

/// A sum over the lanes behind the loop in place of one on every turn of it.
pub(super) fn once(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let found = code.loops.iter().filter_map(|cycle| Some((sums_up(study, cycle)?, cycle)));
    let (rows, cycle) = found.min_by_key(|(_, cycle)| cycle.blocks.len())?;
    let turns = code.turns_of(cycle)?;
    let gone = |is_meant: &dyn Fn(usize) -> bool| {
        let own = rows.iter().filter(|row| is_meant(**row)).map(|row| code.executed[*row]).sum::<u64>();
        own as f64 * (1.0 - 1.0 / turns)
    };
    let shuffles = Some(gone(&|row| code.op(row).is_shuffle())).filter(|_| turns > TURNS)?;
    // A shuffle takes the stage for a cycle, as a request does.
    let of_stage = DATA_STAGE.map(|part| m.without(part, shuffles)).into_iter().fold(1.0, f64::min);
    let of_issue = gone(&|_| true) / m.executed()?;
    // What is waited for shuffles, of all that answers in short.
    let waits = study.samples.at_causes(StallReason::ShortScoreboard.into());
    let own: u64 = rows.iter().map(|row| waits[*row]).sum();
    let part = own as f64 / waits.iter().sum::<u64>().max(1) as f64;
    let reasons = [StallReason::ShortScoreboard, StallReason::MioThrottle];
    // Lanes that meet on every turn load for the next one behind that: without it the loads of two turns are under way together.
    let inside: Vec<usize> = code.rows_of(&cycle.blocks).filter(|row| code.op(*row).loads_global()).collect();
    let for_loads = traced(study, &inside).unwrap_or_default() * m.waits(&[StallReason::LongScoreboard]) / TURNS;
    let freed = (1.0 - 1.0 / turns) * part * m.waits(&reasons) + of_issue * m.waits(&OF_EACH) + for_loads;
    let draft = Draft::new(Action::ReuseInSm)
        .stays(&DATA_STAGE, of_stage)
        .stays(&[Part::MemoryLsu], m.without(Part::MemoryLsu, shuffles))
        .stays(&[Part::Issue], 1.0 - of_issue)
        .frees(freed, freed + m.waits(&[StallReason::LongScoreboard]))
        .at(At::most(m, Op::is_shuffle));
    let how = "Add up in each lane first, and over the lanes once behind the loop: the shuffles leave it";
    let why = words!("{} shuffles, {} turns of the loop for each sum", count(shuffles), fixed(turns, 0));
    let all = m.count(Op::is_shuffle);
    Some(draft.says(how, why).risks("another order of additions").falls("shuffles", [all, all - shuffles], EXECUTED))
}

/// Steps by which the lanes of a warp come to one value, by halves.
const STEPS: f64 = 5.0;

/// The first compute capability that reduces integers over a warp in one instruction (CUDA C++ Programming Guide, "Warp Reduce Functions").
const REDUCES: (u32, u32) = (8, 0);

/// What finds the smallest or largest value of a warp by halves, with its place or without: the shuffles, and what compares with what they
/// bring and chooses. Nothing else takes that, and nothing else chooses: a sort asks for the lane as well.
fn chosen(code: &KernelCode<'_>) -> [BTreeSet<usize>; 2] {
    let readers = code.readers();
    let chooses = |row: &usize| {
        let op = code.op(*row);
        let is_choice = matches!(op.computes(), Some(Computes::Selected | Computes::Bounded));
        op.pipe() == Some(Pipe::Alu) && (is_choice || op.is_of(&[Class::FpCompare, Class::IntegerCompare]))
    };
    let is_number = |row: usize| code.operands_of(row).next().is_none();
    let mut shuffles: BTreeSet<usize> = code.run().filter(|row| code.op(*row).is_shuffle()).collect();
    loop {
        let given: BTreeSet<usize> = shuffles.iter().flat_map(|row| code.operands_of(*row)).collect();
        let own: BTreeSet<usize> = shuffles.iter().flat_map(|row| readers[*row].iter().copied()).collect();
        // Who keeps what was found in the end is no part of the choice.
        let keeps = |row: usize, from: usize| {
            let guard = code.registers(row).read().next().filter(|_| !code.word(row).is_unconditional);
            !given.contains(&row) && guard.is_some_and(|guard| code.definitions(row, guard).contains(&from))
        };
        let takes = |row: &usize| {
            let is_own = |from: &usize| [&shuffles, &given, &own].iter().any(|rows| rows.contains(from));
            let mut from = code.operands_of(*row);
            chooses(row) && from.all(|from| is_own(&from) || is_number(from) || keeps(*row, from))
        };
        let is_chosen = |row: &usize| !readers[*row].is_empty() && readers[*row].iter().all(takes);
        let stay: BTreeSet<usize> = shuffles.iter().copied().filter(is_chosen).collect();
        if stay.len() == shuffles.len() {
            // What they begin with goes with them.
            let starts = code.run().filter(|row| code.op(*row).is_of(&[Class::Predicate]) && is_number(*row));
            let starts = starts.filter(|row| readers[*row].iter().all(|reader| own.contains(reader)));
            let choices = own.iter().copied().chain(starts).collect();
            return [shuffles, choices];
        }
        shuffles = stay;
    }
}

/// The smallest or largest value of a warp by one instruction in place of shuffles by halves, and its place by a second one.
pub(super) fn largest(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code().filter(|_| m.chip().is_some_and(|chip| chip.cc >= REDUCES))?;
    let code = &study.code;
    let [shuffles, choices] = chosen(code);
    let is_first = |row: &&usize| !code.operands_of(**row).any(|from| choices.contains(&from));
    let (exchanged, first) = (code.sum(&shuffles) as f64, code.sum(shuffles.iter().filter(is_first)) as f64);
    if exchanged < STEPS * first || first == 0.0 {
        return None;
    }
    // What is left of it is about a step: integers that order as the values, and who has the one that was found.
    let gone = 1.0 - 1.0 / STEPS;
    let chosen = code.sum(&choices) as f64;
    let of = |own: f64, all: f64| if all > 0.0 { (own / all).min(1.0) } else { 0.0 };
    let of_issue = of(exchanged + chosen, m.executed()?);
    let of_alu = of(chosen, executed_on(m, Part::ComputeAlu)?);
    let waits = study.samples.at_causes(StallReason::ShortScoreboard.into());
    let own: u64 = shuffles.iter().map(|row| waits[*row]).sum();
    let for_shuffles = of(own as f64, waits.iter().sum::<u64>() as f64) * m.waits(&[StallReason::ShortScoreboard]);
    let freed = felt(m) * (for_shuffles + of_issue * m.waits(&OF_EACH));
    let draft = [(Part::Issue, of_issue), (Part::ComputeAlu, of_alu)]
        .into_iter()
        .fold(Draft::new(Action::FewerInstructions), |draft, (part, of)| {
            draft.keeps(&[part], 1.0 - gone * of, 1.0 - of)
        });
    let draft = L1
        .into_iter()
        .fold(draft, |draft, part| draft.keeps(&[part], m.without(part, gone * exchanged), m.without(part, exchanged)));
    let has_place = choices.iter().any(|row| code.op(*row).computes() == Some(Computes::Selected));
    let place = if has_place { "; its place by a second one, over the lanes that hold it" } else { "" };
    let how = words!(
        "Smallest or largest of a warp by one `__reduce_max_sync`, on integers that order as the values do{}",
        place
    );
    let why = words!(
        "{} shuffles by halves, with {} comparisons and choices: {} of the instructions",
        count(exchanged),
        count(chosen),
        share(of_issue)
    );
    // At best nothing queues behind it.
    let queued = m.waits(&[StallReason::NotSelected, StallReason::MathPipeThrottle, StallReason::DispatchStall]);
    let draft = draft.frees(gone * freed, freed + queued).at(At::most(m, Op::is_shuffle)).says(how, why);
    let all = m.count(Op::is_shuffle);
    Some(draft.falls("shuffles", [all, all - gone * exchanged], EXECUTED))
}

/// Lanes of a warp up to which a half of it would do.
const HALF: f64 = 16.0;

/// A warp to a row whose elements fill half of it or less: as many lanes as a row has elements, and several rows to a warp. What a warp does
/// for each row it does for several, and as many fewer of them wait; longer rows than the mean take another turn.
pub(super) fn part_of_a_warp(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let lanes = code.lanes.as_ref()?;
    let shuffles: Vec<usize> = code.run().filter(|row| code.op(*row).is_shuffle()).collect();
    let trees = shuffles.iter().map(|row| code.executed[*row]).min()? as f64;
    // Loads of the elements: where they begin is loaded, and each lane goes on from its own.
    let is_own = |row: &usize| {
        let goes_on = code.address_behind(*row).iter().any(|row| code.registers(*row).special.is_some());
        let is_inside = |own: &Loop| shuffles.iter().any(|row| code.is_in(*row, own));
        code.op(*row).loads_global()
            && lanes[*row] > 0
            && goes_on
            && !code.loads_behind(*row).is_empty()
            && !code.innermost(*row).is_some_and(is_inside)
    };
    let row = (0..code.rows.len()).filter(is_own).max_by_key(|row| lanes[*row])?;
    let each = lanes[row] as f64 / code.executed[row] as f64;
    let is_full = shuffles.iter().all(|row| lanes[*row] as f64 > HALF * code.executed[*row] as f64);
    // One turn for most rows.
    if !is_full || each > HALF || (code.executed[row] as f64) < 0.5 * trees || code.executed[row] as f64 > TURNS * trees
    {
        return None;
    }
    let group = (each.ceil().max(2.0) as u64).next_power_of_two() as f64;
    let least = group / WARP;
    let stays = (2.0 * least).min(1.0);
    let waits = m.waits_for_loads()? + m.waits(&OF_EACH) + m.waits(&FOR_SHARED);
    // Rows of one warp lie side by side with what is read and stored once for each: sectors come for several of them, but for what the
    // elements lead to.
    let of_l2 = study.sectors().map_or(0.0, |[sectors, _]| {
        let (led_to, others): (Vec<usize>, Vec<usize>) =
            code.run().filter(|of| code.op(*of).act().is_some()).partition(|of| code.loads_behind(*of).contains(&row));
        let [stay, own] = [led_to, others].map(|rows| rows.iter().map(|row| sectors[*row] as f64).sum::<f64>());
        own / (own + stay).max(1.0)
    });
    let draft = Draft::new(Action::Regroup)
        .rewrites()
        .keeps(&m.machine.inside(), stays, least)
        .keeps(&[Part::MemoryL2], 1.0 - (1.0 - stays) * of_l2, 1.0 - (1.0 - least) * of_l2)
        .frees((1.0 - stays) * waits, (1.0 - least) * waits)
        .at(At::row(study, row));
    let how = words!(
        "{} lanes to a row in place of a warp, {} rows to a warp: shuffles of that width add up",
        count(group),
        count(WARP / group)
    );
    let why = words!("a row fills {} of 32 lanes, and the warp waits for its loads all the same", fixed(each, 1));
    let draft = draft.says(how, why).risks("rows of several lengths in one warp");
    Some(
        draft
            .checks(
                words!("lanes on at this line {} → {}", fixed(each, 1), fixed(each * WARP / group, 1)),
                super::lanes::LANES,
            )
            .rises(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, ended, r, word};

    /// Two steps: by a comparison and a choice, then by what chooses itself, or by the flag that a sort makes of the lane.
    #[test]
    fn what_is_chosen_by_the_values_alone_is_the_largest_of_a_warp() {
        let steps = |by_lane: bool| {
            let choice = if by_lane { vec![r(3), r(4), P] } else { vec![r(3), r(4)] };
            let rows = ended(&[
                word(Op::MOV, &[r(1)], &[]),
                word(Op::MOV, &[r(9)], &[]),
                word(Op::SHFL, &[r(2)], &[r(1)]),
                word(Op::FSETP, &[P], &[r(1), r(2)]),
                word(Op::FSEL, &[r(3)], &[r(1), r(2), P]),
                word(Op::SHFL, &[r(4)], &[r(3)]),
                word(Op::ISETP, &[P], &[r(9)]),
                word(Op::FMNMX, &[r(5)], &choice),
            ]);
            chosen(&KernelCode::counted(&rows, vec![1; rows.len()], None))
        };
        assert_eq!(steps(false), [BTreeSet::from([2, 5]), BTreeSet::from([3, 4, 7])]);
        assert_eq!(steps(true), [BTreeSet::from([2]), BTreeSet::from([3, 4])]);
    }
}
