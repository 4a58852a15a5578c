//! Lanes that are off: branches that diverge, and predicates.

use super::balance::{ends, exits, outermost};
use super::indices::of_index;
use super::kept::pointers;
use super::work::asides;
use super::*;
use crate::analysis::phases::reached;
use cuda_binary::sass::Flow;
use std::collections::BTreeSet;

pub(super) const PATTERNS: [Pattern; 3] = [
    Pattern::asks("Are blocks whole warps?", partial, Stands::Beside)
        .needs(("the block", |m| threads(m).is_some()))
        .cured_by(&[whole_warps]),
    Pattern::asks("Do branches diverge?", divergence, Stands::For(Action::Regroup))
        .needs(("active lanes", |m| lanes(m).is_some()))
        .cured_by(&[regroup]),
    Pattern::asks("Are lanes switched off by predicates?", predicated_off, Stands::Beside)
        .needs(("active lanes", |m| m.value(LANES).and(m.value(ON)).is_some())),
];

/// Threads that take part in an instruction of a warp.
pub(super) const LANES: Counter = Counter::SmspThreadInstExecutedPerInstExecutedRatio;

/// Lanes that are active in the average instruction. Those that are off beside a rare value come back behind it: another form of the
/// division helps there, and no order of the work.
fn active(m: &Measures<'_>) -> Option<f64> {
    let lanes = m.value(LANES)?;
    let Some((study, executed)) = m.study.zip(m.executed()) else { return Some(lanes) };
    let [aside, of_aside] = asides(study);
    Some(if aside < executed { (lanes * executed - of_aside) / (executed - aside) } else { lanes })
}

/// The units whose slots lanes take: issue, the pipes, and a part of the SMs without a name, which is one of these.
fn of_lanes<'m>(m: &'m Measures<'_>) -> impl Iterator<Item = &'m Unit> {
    m.units.iter().filter(|unit| unit.part == Part::Issue || unit.part.computes() || unit.is_of_instructions())
}

/// Executions by a thread that is elected from its warp, by its number and not by data: bulk copies, barriers, the result of the warp.
/// No other lane has such work, so that none is kept from it.
fn elected(study: &Study<'_>) -> Option<u64> {
    let code = &study.code;
    let lanes = code.lanes.as_deref()?;
    let is_run = |block: usize| code.entries(block) > 0;
    let is_one =
        |block: usize| is_run(block) && lanes[code.flow.blocks[block].instructions.start] == code.entries(block);
    let guard = |block: usize| code.origin_of_guard(code.flow.blocks[block].instructions.end - 1);
    let is_by_number = |own: &BTreeSet<usize>| {
        let mut before = own.iter().flat_map(|block| &code.predecessors[*block]).filter(|before| is_run(**before));
        before.all(|before| is_one(*before) || !guard(*before).memory)
    };
    let ones = (0..code.flow.blocks.len()).filter(|block| is_one(*block)).collect();
    let own = code.components(&ones).into_iter().filter(is_by_number);
    Some(own.map(|own| code.sum(code.rows_of(&own))).sum())
}

/// Lanes of the average instruction beside those of elected threads, and the part of the instructions that these are. Where one lane has
/// most of the work each, as in a switch of as many cases, nobody is elected.
fn lanes(m: &Measures<'_>) -> Option<(f64, f64)> {
    let all = active(m)?;
    let of = |study: &Study<'_>| {
        let executed = study.code.executed.iter().sum::<u64>() as f64;
        Some(elected(study)? as f64 / executed.max(1.0)).filter(|own| *own <= FEW * all)
    };
    let own = m.study.and_then(of).unwrap_or_default();
    // Lanes without a thread are off whatever branches do.
    Some((((all - own) / (1.0 - own) / threads(m).unwrap_or(1.0)).min(WARP), own))
}

/// The part of the lanes of a block's warps that have a thread.
fn threads(m: &Measures<'_>) -> Option<f64> {
    Some(m.kernel.key().block?.count()? as f64 / (WARP * m.block_warps?))
}

/// Blocks that are no whole number of warps: lanes without a thread take their slots all the same.
fn partial(m: &Measures<'_>) -> Option<Held> {
    let (on, warps) = threads(m).filter(|on| 1.0 - on >= WORTH_A_TRY).zip(m.block_warps)?;
    let sentence = words!(
        "A block has {} in {}: {} of the lanes have none.",
        format::counted((on * WARP * warps) as u64, "thread"),
        format::counted(warps as u64, "warp"),
        share(1.0 - on)
    );
    Some(Held::remark(m, Code::PartialWarps, 100.0 * (1.0 - on), sentence))
}

/// Blocks of whole warps: as many threads take fewer of them, and where blocks wait for a slot an SM holds as many warps as before.
fn whole_warps(m: &Measures<'_>) -> Option<Draft> {
    let (own, warps) = threads(m).zip(m.block_warps.zip(m.blocks).map(|(warps, blocks)| warps * blocks))?;
    // One warp that is not full is as many.
    let on = Some((own * warps).ceil() / warps).filter(|on| 1.0 - on >= WORTH_A_TRY)?;
    let parts: Vec<Part> = of_lanes(m).map(|unit| unit.part).collect();
    let waits = [StallReason::Wait, StallReason::Selected];
    let (freed, left) = if m.waves.is_some_and(|waves| waves > 1.0) { (0.0, on) } else { (1.0 - on, 1.0) };
    let draft = Draft::of(Action::LargerBlocks, Change { warps: (left, left), ..Change::default() });
    let draft = draft.stays(&parts, on).frees_of(m, &waits, freed);
    let draft = if m.units.is_empty() { draft.open("the section SpeedOfLight") } else { draft };
    let why = words!("{} of the lanes have no thread", share(1.0 - own));
    let draft = draft.takes(1.0 - on).at(At::Launch).says("Blocks of whole warps: a multiple of 32 threads", why);
    let draft = draft.risks("index arithmetic, shared tiles");
    Some(draft.checks(words!("lanes per instruction up to {} → 32", fixed(own * WARP, 1)), LANES))
}

/// Few lanes in an instruction, while issue or a pipe is busy.
fn divergence(m: &Measures<'_>) -> Option<Held> {
    let (lanes, elected) = lanes(m).filter(|(lanes, _)| *lanes < m.limits[Threshold::ThreadUtilisationLow])?;
    let unit = of_lanes(m).max_by(|a, b| a.resident.total_cmp(&b.resident))?;
    let idle = |lanes: f64| 1.0 - lanes / WARP;
    let sentence = words!(
        "Branches diverge: {} of 32 lanes are active in the average instruction{}, so {} of the lane slots of {} (at {}) are idle.",
        fixed(lanes, 1),
        if elected >= WORTH { " beside those of one elected thread" } else { "" },
        share(idle(lanes)),
        if unit.part == Part::Issue { unit.name.clone() } else { unit.named() },
        share(unit.share)
    );
    let least = 100.0 * idle(m.limits[Threshold::LanesFew]);
    let held = Held::new(Code::Divergence, 100.0 * idle(lanes), least, sentence);
    let held = held.only_if(100.0 * unit.resident >= m.limits[Threshold::SolLow]);
    Some(held.at(At::heaviest(m, idle_lanes)).from(m.readings(&[LANES])))
}

/// The part of all lanes' work up to which it is that of elected threads.
const FEW: f64 = 0.05;

/// Lanes of an average instruction from which few are idle.
const MOST_LANES: f64 = 26.0;

/// Lanes of an instruction that are off, over all its executions.
fn idle_lanes(study: &Study<'_>, row: usize) -> u64 {
    let lanes = study.code.lanes.as_ref().map_or(u64::MAX, |lanes| lanes[row]);
    (WARP as u64 * study.code.executed[row]).saturating_sub(lanes)
}

/// The part of the lanes' work that stays where only threads are started that have something to do: in front of the last test at which
/// threads end before anything was read, as many lanes are needed as go on behind it.
fn started(code: &KernelCode<'_>) -> Option<f64> {
    let lanes = code.lanes.as_deref()?;
    let is_test = |row: &usize| matches!(code.word(*row).flow, Flow::End { conditional: true });
    let last = code.run().take_while(|row| !code.op(*row).brings_from_memory()).filter(is_test).last()?;
    let behind = *lanes.get(last + 1)?;
    let needed = |row: usize| if row <= last { lanes[row].min(behind) } else { lanes[row] };
    let [needed, all] = [code.run().map(needed).sum::<u64>(), lanes.iter().sum()];
    (all > 0).then(|| needed as f64 / all as f64)
}

/// Whether lanes are off by the number of their thread alone.
fn is_by_number(code: &KernelCode<'_>, row: usize) -> bool {
    let guard = |block: usize| code.origin_of_guard(code.flow.blocks[block].instructions.end - 1);
    let own = code.block_of[row];
    // Through blocks that end without a condition, back to those that lead here by one.
    let before = |block: usize| match block == own || guard(block).unknown {
        true => code.predecessors[block].clone(),
        false => Vec::new(),
    };
    let mut tests = reached([own], before).into_iter().map(guard).filter(|behind| !behind.unknown).peekable();
    tests.peek().is_some() && tests.all(|behind| behind.thread && !behind.memory)
}

/// What lanes that are chosen by their number do.
const SHARED: &str = "Share the work of the lanes that are chosen by their number: each lane takes a part of it, or one of several results";

/// Instructions that ask in each turn which lanes are done and lead around what these take next: 14 of a game of `ruin_walks` became 18.
const ELECTION: f64 = 4.0;

/// What is left of the instructions where lanes that leave a loop by what its turns make, so that nobody can sort them by their number, take
/// new work: the sums of so many pieces that are dealt out to each lane differ by the root of their number less than a piece does (those that
/// a warp shares less than that), and each turn that ends one runs what stands around the loop. All of it is left where that takes what is
/// gained; `None` of a loop whose length is known before.
fn refilled(m: &Measures<'_>, (study, row): (&Study<'_>, usize)) -> Option<f64> {
    let code = &study.code;
    let cycle = code.innermost(row)?;
    let counts = [Class::Integer, Class::IntegerCompare, Class::Predicate, Class::Move, Class::Control, Class::Uniform];
    // A value that each turn loads anew from one place, where none stores, is known before.
    let is_stored = |load: usize| {
        let own = pointers(study, load);
        let meets = |store: usize| match code.op(load).loads_global() {
            true => {
                code.op(store).writes_global() && {
                    let others = pointers(study, store);
                    own.is_empty() || others.is_empty() || !own.is_disjoint(&others)
                }
            }
            false => code.op(store).stores_shared(),
        };
        code.run_in(cycle).into_iter().any(meets)
    };
    let is_known = |row: usize| {
        let is_load = code.op(row).loads_global() || code.op(row).loads_shared();
        let stays = || !code.address_behind(row).iter().any(|from| code.is_in(*from, cycle));
        is_load && !code.word(row).is_strong && stays() && !is_stored(row)
    };
    let is_made = |row: usize| code.is_in(row, cycle) && !code.op(row).is_of(&counts) && !is_known(row);
    let first = code.flow.blocks[cycle.header].instructions.start;
    let [turns, on, entered] =
        [code.executed[first], code.lanes.as_deref()?[first], code.entered(cycle)?].map(|own| own as f64);
    let leave_apart = on <= MOST_LANES * turns;
    if !leave_apart || !exits(study, cycle).flat_map(|exit| code.behind_row(exit)).any(is_made) {
        return None;
    }
    let pieces = m.waves? * entered / (m.blocks? * m.block_warps?);
    let lanes = WARP / (1.0 + (turns * WARP / on - 1.0) / pieces.max(1.0).sqrt());
    let then = on / lanes;
    let ends = then * (1.0 - (1.0 - (WARP * entered / on).min(1.0)).powf(lanes));
    let rows = code.run_in(cycle);
    // What stands in front of a loop on its own lines is a turn of it.
    let lines: Vec<_> = rows.iter().filter_map(|row| code.rows[*row].line()).collect();
    let is_own = |row: usize| code.is_in(row, cycle) || code.rows[row].line().is_some_and(|line| lines.contains(&line));
    // Arguments and numbers of threads are asked for once, and what a block makes in front of a barrier is there.
    let is_once =
        |row: usize| code.op(row).is_of(&[Class::Constant, Class::Uniform]) || code.registers(row).special.is_some();
    let barrier = code.run().take_while(|row| *row < first).filter(|row| code.is_block_barrier(*row)).last();
    let is_again = |row: &usize| Some(*row) > barrier && !is_own(*row) && !is_once(*row);
    let around = code.run().filter(is_again).map(|row| (code.executed[row] as f64 / entered).min(1.0));
    let [own, all] = [code.sum(rows), code.executed.iter().sum()].map(|own| own as f64);
    Some(((then * (own / turns + ELECTION) + ends * around.sum::<f64>()) / all).min(1.0))
}

/// Warps whose lanes go one way.
fn regroup(m: &Measures<'_>) -> Option<Draft> {
    let (lanes, elected) = lanes(m).filter(|(lanes, _)| *lanes <= MOST_LANES)?;
    let started = m.study.and_then(|study| started(&study.code)).unwrap_or(1.0);
    let on = (elected + (1.0 - elected) * lanes / WARP) * started;
    let idle =
        m.study.and_then(|study| Some((study, (0..study.code.rows.len()).max_by_key(|row| idle_lanes(study, *row))?)));
    let by_number = idle.is_some_and(|(study, row)| is_by_number(&study.code, row));
    // Another thread can have their elements beside its own: what makes its addresses makes theirs as well.
    let shared = of_index(m, Part::Issue).filter(|_| by_number && 1.0 - started < WORTH).unwrap_or_default();
    let least = on - (1.0 - on) * shared;
    // Lanes that leave a loop by their own data wait for the last one of their warp.
    let leave_apart = outermost(m).is_some_and(|(study, cycle)| ends(study, cycle).iter().any(|end| end.memory));
    let parts: Vec<Part> = of_lanes(m).map(|unit| unit.part).collect();
    let waits = [StallReason::Wait, StallReason::Selected, StallReason::BranchResolving];
    let draft = Draft::relieves(m, Action::Regroup, &[]).rewrites();
    // As many lanes take that part of the instructions, which wait as long each.
    let of = |left: f64| draft.clone().keeps(&parts, left, least).frees_of(m, &waits, 1.0 - left).takes(1.0 - least);
    let refilled = idle.and_then(|idle| refilled(m, idle)).map(|left| of(left.max(on)).expected(m));
    let draft = of(on).made(refilled.unwrap_or(1.0));
    let now = fixed(lanes, 1);
    let why = words!("{} of 32 lanes are active in the average instruction", &now);
    let draft = draft.at(At::heaviest(m, idle_lanes));
    let how = words!(
        "Keep the lanes busy: every few turns those that are done take the next work of their warp (places by `{}`){}",
        "__ballot_sync",
        if refilled.is_some() { "" } else { ", or sort it by length" }
    );
    let risk = "without the ballot a compiler may close that loop into two, where all lanes meet behind each piece";
    // What few lanes do in a turn of a loop can wait until a warp of it has come together.
    let queue = words!(
        "Queue the work by its path in shared memory (places by `__ballot_sync`) and take 32 at a time; or sort it, so that a warp takes one path"
    );
    let draft = match idle {
        _ if leave_apart || refilled.is_some() => draft.says(how, why).risks(risk),
        Some(_) if by_number => draft.says(SHARED, why).risks("registers, shuffles"),
        Some((study, row)) if study.code.innermost(row).is_some() => {
            draft.says(queue, why).risks("shared memory, ballots; order of the output")
        }
        _ => draft.because(why),
    };
    Some(draft.checks(words!("lanes per instruction {} → 32", now), LANES))
}

/// Lanes that no predicate switches off.
const ON: Counter = Counter::SmspThreadInstExecutedPredOnPerInstExecutedRatio;

/// Lanes take part but are predicated off: `(active − on) / 32`, where together they leave a quarter of the warp idle.
fn predicated_off(m: &Measures<'_>) -> Option<Held> {
    let (active, on) = (m.value(LANES)?, m.value(ON)?);
    let off = 100.0 * (active - on) / WARP;
    if on >= m.limits[Threshold::ThreadUtilisationLow] || off < m.limits[Threshold::CostShare] {
        return None;
    }
    // Of slots that mostly stay empty, lanes cost little.
    let cost = off * m.stalls.issue_active.new.value().unwrap_or(1.0);
    let sentence = words!(
        "Predicates switch off {} of 32 lanes in the average instruction: {} are active, {} do the work.",
        fixed(active - on, 1),
        fixed(active, 1),
        fixed(on, 1)
    );
    let held = Held::remark(m, Code::PredicatedOff, cost, sentence);
    Some(held.at(At::heaviest(m, idle_lanes)).from(m.readings(&[LANES, ON])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, special, word};
    use crate::evidence::MachineWord;

    #[test]
    fn lanes_that_their_number_chooses_are_not_sorted() {
        let by = |chosen: MachineWord| {
            let over = MachineWord { target: Some(64), ..back(4) };
            let test = word(Op::ISETP, &[P], &[r(0)]);
            let rows = ended(&[chosen, test, over, word(Op::FADD, &[r(1)], &[r(1)]), word(Op::FADD, &[r(2)], &[r(2)])]);
            is_by_number(&KernelCode::counted(&rows, vec![1; rows.len()], None), 3)
        };
        assert!(by(special(0, 0x21)), "the thread's own");
        assert!(!by(word(Op::LDG, &[r(0)], &[r(9)])), "a value");
    }

    #[test]
    fn in_front_of_a_test_as_many_lanes_are_needed_as_go_on_behind_it() {
        let test = MachineWord { flow: Flow::End { conditional: true }, ..word(Op::EXIT, &[], &[P]) };
        let of = |words: &[MachineWord], lanes: [u64; 4]| {
            let rows = ended(words);
            started(&KernelCode::counted(&rows, vec![1; rows.len()], Some(lanes.into())))
        };
        let (sum, load) = (word(Op::IADD3, &[r(1)], &[r(0)]), word(Op::LDG, &[r(1)], &[r(0)]));
        assert_eq!(of(&[sum, test, sum], [32, 32, 16, 16]), Some(64.0 / 96.0));
        assert_eq!(of(&[load, test, sum], [32, 32, 16, 16]), None, "what was read may tell which end");
    }
}
