//! Inputs that several loops read, or the turns of a loop around one, each as a pass of its own.

use super::loads::{at_once, in_queue};
use super::sectors::sectors;
use super::work::answered;
use super::*;
use crate::analysis::phases::{Loop, PIPES, Place};
use std::collections::{BTreeMap, BTreeSet};

/// The part of the sectors of one loop that another one brings at least where it reads the same: the last turns may be apart.
const ALIKE: f64 = 0.9;

/// Loads of one loop, or of code without one, that begin side by side: an input while it is read.
struct Pass<'a> {
    place: &'a Place,
    cycle: Option<usize>,
    /// The first of its loads.
    row: usize,
    sectors: f64,
    /// Turns of a loop around it that each read the same.
    turns: f64,
    /// Whether loaded values say where.
    is_gathered: bool,
}

impl Pass<'_> {
    fn is_alike(&self, other: &Pass<'_>) -> bool {
        let [less, more] = [self.sectors.min(other.sectors), self.sectors.max(other.sectors)];
        self.place.is_at(other.place) && less >= ALIKE * more
    }
}

/// All passes over inputs.
fn all<'a>(study: &'a Study<'_>) -> Option<Vec<Pass<'a>>> {
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let mut found: Vec<Pass<'a>> = Vec::new();
    for (row, place) in code.places() {
        // What was split from one access touches what the first of it does.
        let is_part = code.split_of(*row).is_some_and(|first| first != *row);
        if !code.op(*row).loads_global() || sectors[*row] == 0 || is_part {
            continue;
        }
        let cycle = code.innermost(*row).map(|cycle| cycle.header);
        let is_gathered = code.is_inherent(*row);
        let turns = if is_gathered { 1.0 } else { code.turns_over(*row) };
        let sectors = sectors[*row] as f64 / turns;
        match found.iter_mut().find(|pass| pass.cycle == cycle && pass.place.is_beside(place)) {
            Some(pass) => pass.sectors += sectors,
            None => found.push(Pass { place, cycle, row: *row, sectors, turns, is_gathered }),
        }
    }
    Some(found)
}

/// How often an input is read.
fn times(group: &[&Pass<'_>]) -> f64 {
    group.iter().map(|pass| pass.turns).sum()
}

/// The sectors of all that.
fn sum(group: &[&Pass<'_>]) -> f64 {
    group.iter().map(|pass| pass.turns * pass.sectors).sum()
}

/// Of the sectors of all accesses the part, 0 to 1, that turns of a loop around one read again: of inputs that shared memory holds for all
/// warps of a block, and that nothing is stored to meanwhile. And the sectors of a request for them.
pub(super) fn by_turns(m: &Measures<'_>) -> Option<(f64, f64)> {
    let (study, held) = (m.study?, f64::from(m.chip()?.shared_per_block_max));
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let mut again = [0.0; 2];
    for row in (0..code.rows.len()).filter(|row| code.op(*row).loads_global() && sectors[*row] > 0) {
        let (own, turns) = (sectors[row] as f64, code.turns_over(row));
        let around = code.loops.iter().filter(|cycle| code.stands(row, cycle));
        let stores = |row: usize| code.executed[row] > 0 && code.op(row).writes_global();
        let is_stored = around.flat_map(|cycle| code.rows_of(&cycle.blocks)).any(stores);
        let entered = code.innermost(row).and_then(|own| code.entered(own)).unwrap_or(1) as f64;
        if turns >= 2.0 && !is_stored && SECTOR * own * m.block_warps? / entered <= held {
            again = [again[0] + own * (1.0 - 1.0 / turns), again[1] + code.executed[row] as f64 * (1.0 - 1.0 / turns)];
        }
    }
    (again[0] > 0.0).then(|| (again[0] / sectors.iter().sum::<u64>() as f64, again[0] / again[1]))
}

/// The part of all instructions, 0 to 1, that the loops of several passes execute alike, beside those of one of them: opcodes of which each
/// has some.
fn alike(study: &Study<'_>, group: &[&Pass<'_>]) -> f64 {
    let code = &study.code;
    let of = |pass: &&Pass<'_>| {
        let mut executed: BTreeMap<&str, u64> = BTreeMap::new();
        for row in code.innermost(pass.row).into_iter().flat_map(|cycle| code.rows_of(&cycle.blocks)) {
            *executed.entry(code.op(row).name()).or_default() += code.executed[row];
        }
        executed
    };
    let all: Vec<_> = group.iter().map(of).collect();
    let Some((first, others)) = all.split_first() else { return 0.0 };
    let least = |(op, executed): (&&str, &u64)| {
        others.iter().map(|other| other.get(op).copied().unwrap_or_default()).fold(*executed, u64::min)
    };
    let once = first.iter().map(least).sum::<u64>() as f64;
    others.len() as f64 * once / (code.executed.iter().sum::<u64>() as f64).max(1.0)
}

/// The rows of the loop around a load that make on each turn of a loop around that what the turn before made: the loads, and what is made of
/// them and of what comes from outside. And of how many turns all but one could do without. `None` where less is made than loaded.
fn made_again(code: &KernelCode<'_>, load: usize) -> Option<(BTreeSet<usize>, f64)> {
    let (own, (around, turns)) = (code.innermost(load)?, code.over(load)?);
    // What is stored on the way may be what the next turn loads.
    let mut acts = code.run_in(around).into_iter().map(|row| code.op(row));
    if acts.any(|op| op.writes_global()) || code.word(load).is_strong {
        return None;
    }
    let rows = code.run_in(own);
    let is_load = |row: &usize| code.op(*row).loads_global() && code.stands(*row, around);
    let loads: Vec<usize> = rows.iter().copied().filter(is_load).collect();
    let of_addresses: BTreeSet<usize> = loads.iter().flat_map(|row| code.address_behind(*row)).copied().collect();
    let mut made: BTreeSet<usize> = loads.iter().copied().collect();
    let is_pure = |row: &usize| {
        code.op(*row).act().is_none() && !code.op(*row).brings_from_memory() && !of_addresses.contains(row)
    };
    let is_number = |row: usize| is_pure(&row) && code.operands_of(row).next().is_none();
    let is_same = |made: &BTreeSet<usize>, row: usize| {
        let (of_made, others): (Vec<usize>, Vec<usize>) = code.operands_of(row).partition(|from| made.contains(from));
        !of_made.is_empty() && !others.into_iter().any(|from| code.is_in(from, around) && !is_number(from))
    };
    while let Some(row) = rows.iter().find(|row| !made.contains(row) && is_pure(row) && is_same(&made, **row)) {
        made.insert(*row);
    }
    (code.sum(&made) > 2 * code.sum(&loads)).then_some((made, 1.0 - 1.0 / turns))
}

/// What turns of a loop around a pass load and make again, made once: each thread, or a block in shared memory, keeps it for the others.
fn kept(m: &Measures<'_>, pass: &Pass<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let (made, again) = made_again(code, pass.row)?;
    let gone = |takes: &dyn Fn(Op) -> bool| {
        let own = code.sum(made.iter().filter(|row| takes(code.op(**row)))) as f64;
        Some(again * (own / m.executions(takes).filter(|all| *all > 0.0)?).min(1.0))
    };
    let of_pipe = |part: Part| Some((part, gone(&m.runs(part)?)?));
    let of_all = gone(&|_| true)?;
    let loads = |op: Op| op.loads_global();
    let of_l1 = gone(&loads)?;
    let of_l2 = (1.0 - answered(m)) * of_l1;
    let parts = PIPES.into_iter().filter_map(of_pipe).chain([(Part::Issue, of_all), (Part::MemoryL2, of_l2)]);
    let draft = Draft::new(Action::FewerPasses).rewrites().keeps(&L1, 1.0 - of_l1, 0.0);
    let draft = parts.fold(draft, |draft, (part, gone)| draft.keeps(&[part], 1.0 - gone, 0.0));
    let draft = draft.frees_of(m, &[&OF_EACH[..], &FOR_LOADS].concat(), of_all);
    let values = code.sum(made.iter().filter(|row| loads(code.op(**row)))) as f64 / pass.turns;
    let values = values / (code.entered(code.innermost(pass.row)?)? as f64 / pass.turns);
    let how = match values <= IN_REGISTERS {
        true => {
            "Compute once what each turn of the loop around makes again of the same values: a thread keeps it in registers"
        }
        false => {
            "Compute once what each turn of the loop around makes again of the same values: a block keeps it in shared memory"
        }
    };
    let why = words!(
        "{} turns load the same {} sectors; {} of the instructions make the same of them again",
        pass.turns.round().to_string(),
        count(pass.sectors),
        share(of_all)
    );
    let now = m.executed()?;
    let draft = draft.at(At::row(study, pass.row)).says(how, why).risks(words!("{} values a thread", count(values)));
    Some(draft.falls("executed instructions", [now, now * (1.0 - of_all)], EXECUTED))
}

/// Executions that a thread does without that keeps the values of several passes: loads but those of the first pass, and what of the loops is
/// made of no value from memory.
fn unrolled(study: &Study<'_>, group: &[&Pass<'_>]) -> f64 {
    let (code, sectors) = (&study.code, study.sectors().map(|[sectors, _]| sectors));
    let loops = group.iter().filter_map(|pass| code.innermost(pass.row));
    let loops: BTreeSet<usize> = loops.flat_map(|own| code.run_in(own)).collect();
    let mut indices: Vec<usize> = loops.into_iter().collect();
    code.remove_from_memory(&mut indices);
    let loads = |pass: &&Pass<'_>| {
        let own = sectors.as_ref().map_or(0, |sectors| sectors[pass.row]) as f64;
        code.executed[pass.row] as f64 * pass.turns * pass.sectors / own.max(1.0)
    };
    code.sum(&indices) as f64 + group[1..].iter().map(loads).sum::<f64>()
}

/// Whether a loop takes of what it loads what compares with a value that shared memory held before it: a pass before found that.
fn chooses(code: &KernelCode<'_>, cycle: &Loop) -> bool {
    code.run_in(cycle).into_iter().any(|row| {
        let behind = code.behind_flags(row);
        let any = |is_own: &dyn Fn(usize) -> bool| behind.iter().any(|own| is_own(*own));
        any(&|own| code.is_in(own, cycle) && code.op(own).loads_global())
            && any(&|own| !code.is_in(own, cycle) && code.op(own).loads_shared())
    })
}

/// Each input read once, or what fits on no SM by one pass less for each that only adds up beside another one, and by half of the passes
/// where turns of a loop around read the same. What the later passes miss in L2 they read from device memory again: what is read there
/// beyond all that differs. What no number of a block is behind is the same for all blocks. Passes that gather the same and only add up become one, and what they
/// compute of it alike is computed once.
pub(super) fn passes(m: &Measures<'_>) -> Option<Draft> {
    let (study, touched) = (m.study?, sectors_of(&m.sampled()?.accesses));
    let (read, blocks) = (m.dram_read()?, m.blocks?);
    let (code, all) = (&study.code, all(study)?);
    // Two passes or more, one of them a loop, that read one input from one place, and as much of it: those that read most.
    let alike_with = |first: &Pass<'_>| all.iter().filter(|pass| pass.is_alike(first)).collect::<Vec<_>>();
    let is_again = |own: &Vec<&Pass<'_>>| times(own) >= 2.0 && own.iter().any(|pass| pass.cycle.is_some());
    let groups = all.iter().map(alike_with).filter(is_again);
    let group = groups
        .max_by(|a, b| sum(a).total_cmp(&sum(b)))
        .filter(|_| sectors(m).is_none_or(|(all, excess)| excess < MOST * all))?;
    // Loops that become one read all that they share once.
    let is_later = |pass: &Pass<'_>| group[1..].iter().any(|own| own.cycle == pass.cycle && pass.cycle.is_some());
    let is_shared = |pass: &Pass<'_>| all.iter().any(|other| other.cycle == group[0].cycle && other.is_alike(pass));
    let beside = all.iter().filter(|pass| is_later(pass) && is_shared(pass)).map(|pass| pass.sectors).sum();
    let (times, again) = (times(&group), (sum(&group) - group[0].sectors).max(beside));
    let gone = again / touched.max(1.0);
    let is_own = |pass: &Pass<'_>| pass.is_gathered || code.is_of_block(pass.row);
    let differ = |pass: &Pass<'_>| if is_own(pass) { 1.0 } else { 1.0 / blocks };
    let once = all.iter().map(|pass| pass.turns * pass.sectors * differ(pass)).sum::<f64>() - again;
    let of_dram = (read - SECTOR * once).clamp(0.0, SECTOR * again) / m.sum(DRAM_BYTES)?;
    let held = f64::from(m.chip()?.shared_per_block_max);
    // What a block goes through, or its warps at a time, before it is read again.
    let entered = code.innermost(group[0].row).and_then(|cycle| code.entered(cycle)).zip(m.block_warps);
    let piece = entered.map(|(entered, warps)| SECTOR * group[0].turns * group[0].sectors * warps / entered as f64);
    let large = piece.filter(|bytes| *bytes > held);
    // Those that store no results, but add something up, and choose by nothing that was found before them.
    let stores = |cycle: &Loop| code.run_in(cycle).into_iter().any(|row| code.op(row).stores_global());
    let is_adding = |cycle: &Loop| !stores(cycle) && !chooses(code, cycle);
    let adding = group.iter().filter(|pass| code.innermost(pass.row).is_some_and(is_adding)).count();
    let around = group.iter().find(|pass| pass.turns >= 2.0);
    let less = match (around, large) {
        (Some(pass), None) => return kept(m, pass),
        (Some(_), Some(_)) => times / 2.0,
        (None, Some(_)) if adding > 1 => adding as f64 - 1.0,
        (None, _) => times - 1.0,
    };
    let part = less / (times - 1.0);
    let draft = Draft::new(Action::FewerPasses).rewrites();
    let becomes_one = group[0].is_gathered && adding == group.len();
    let draft = match becomes_one {
        true => draft.keeps(&m.machine.inside(), 1.0 - alike(study, &group), 0.0),
        false => draft.keeps(&[Part::MemoryL1tex, Part::MemoryLsu], 1.0 - part * gone, 0.0),
    };
    let draft = draft.keeps(&[Part::MemoryL2], 1.0 - part * gone, 0.0);
    let draft = draft.keeps(&[Part::MemoryDram], 1.0 - part * of_dram, 1.0 - of_dram);
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let values = piece.zip(m.block_warps).map(|(bytes, warps)| bytes / (warps * LINE));
    let values = values.filter(|values| large.is_none() && !group[0].is_gathered && *values <= IN_REGISTERS);
    let draft = match values {
        Some(values) => {
            // A thread that keeps its values asks for them one behind the other and waits once, and offsets take the place of indices.
            let [now, then] = at_once(m);
            let is_queue = m.waits_for_loads().is_none_or(|wait| in_queue(m, wait).is_some());
            let alone = if is_queue { 1.0 } else { (now / then.min(values)).min(1.0) };
            let of_loops = unrolled(study, &group) / m.executed()?;
            let draft = draft.keeps(&[Part::Issue], 1.0 - of_loops, 0.0);
            let freed = (1.0 - alone / times) * m.waits(&waits) + of_loops * m.waits(&OF_EACH);
            draft.frees(freed, m.waits(&waits) + m.waits(&OF_EACH))
        }
        None => draft.frees_of(m, &waits, less / times),
    };
    let lines: BTreeSet<u32> = group.iter().map(|pass| point(study, pass.row).line).collect();
    let lines = words::join(lines.into_iter().map(|line| words!("`:{}`", line.to_string())), ", ");
    let why = words!(
        "{} passes load the same {} sectors; {} of all sectors are loaded again",
        times.round().to_string(),
        count(group[0].sectors),
        share(gone)
    );
    let place = if values.is_some() { "registers" } else { "shared memory" };
    let bytes = |bytes: f64| format!("{}B a block", glance::short(bytes));
    let how = match (large.map(bytes), around) {
        _ if becomes_one => words!(
            "Gather the rows once: merge the passes, which all add up (a maximum, and sums rescaled as it rises), into one ({})",
            lines
        ),
        (Some(large), Some(_)) => words!(
            "Fewer passes: one for several turns of the loop around it, as a search over several candidates at a time; {} fit in no SM, only a cluster keeps them ({})",
            large,
            lines
        ),
        (Some(large), None) if adding > 1 => words!(
            "Merge the passes that only add up (a sum and that of squares; a maximum and a sum rescaled as it rises): {} fit in no SM, only a cluster keeps them ({})",
            large,
            lines
        ),
        (Some(large), None) => {
            words!("Read the input once: a cluster keeps it between the passes, as {} fit in no SM ({})", large, lines)
        }
        (None, _) => words!("Read the input once: keep it in {} between the passes ({})", place, lines),
    };
    let draft = draft.at(At::row(study, group[0].row)).says(how, why).risks(words!("{} for a row", place));
    Some(draft.fewer_sectors(touched, part * gone, TOUCHED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use crate::evidence::MachineWord;

    /// A load of an inner loop from an address that goes on there and begins anew on each turn of the loop around, and what is made of it:
    /// the rows that make the same again.
    fn made(of_load: &[MachineWord]) -> Option<usize> {
        let begins = word(Op::MOV, &[r(8)], &[r(20)]);
        let load = word(Op::LDG, &[r(2)], &[r(8)]);
        let goes_on = word(Op::IADD3, &[r(8)], &[r(8)]);
        let inner = [&[load][..], of_load, &[goes_on, back(2)]].concat();
        let rows = ended(&[&[word(Op::MOV, &[r(20)], &[]), begins][..], &inner, &[back(1)]].concat());
        let turns = |row| match row {
            0 => 1,
            _ if (2..2 + inner.len()).contains(&row) => 32,
            _ if row + 1 == rows.len() => 1,
            _ => 4,
        };
        let code = KernelCode::counted(&rows, (0..rows.len()).map(turns).collect(), None);
        let (made, again) = made_again(&code, 2)?;
        assert_eq!(again, 0.75);
        Some(made.len())
    }

    #[test]
    fn a_pass_that_compares_with_what_one_before_it_found_is_not_merged() {
        let chooses = |found: Op| {
            let [found, load] = [word(found, &[r(1)], &[r(9)]), word(Op::LDG, &[r(2)], &[r(8)])];
            let add = MachineWord { is_unconditional: false, ..word(Op::FADD, &[r(5)], &[P, r(5), r(2)]) };
            let rows = ended(&[found, load, word(Op::ISETP, &[P], &[r(1), r(2)]), add, back(1)]);
            let code = KernelCode::counted(&rows, vec![1; rows.len()], None);
            super::chooses(&code, &code.loops[0])
        };
        assert!(chooses(Op::LDS) && !chooses(Op::MOV));
    }

    #[test]
    fn what_is_made_of_the_same_values_is_made_again_and_what_the_turn_around_has_part_in_is_not() {
        let number = word(Op::MOV, &[r(21)], &[]);
        let [scaled, power] = [word(Op::FMUL, &[r(3)], &[r(2), r(21)]), word(Op::MUFU, &[r(4)], &[r(3)])];
        let sum = word(Op::FADD, &[r(5)], &[r(5), r(4)]);
        assert_eq!(made(&[number, scaled, power, sum]), Some(3), "the load, the product and the power, not the sum");
        assert_eq!(
            made(&[word(Op::FMUL, &[r(3)], &[r(2), r(5)]), power, word(Op::FADD, &[r(5)], &[r(5), r(4)])]),
            None
        );
        assert_eq!(made(&[scaled, sum]), None, "as much is loaded as made");
    }
}
