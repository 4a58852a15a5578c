//! Searches: those that neighbouring threads make each for itself, walks along a list, and loops that go on though their answer stands.

use super::balance::exits;
use super::bits::AND;
use super::work::answered;
use super::*;
use crate::analysis::diagnose::level::L2_SECTORS;
use crate::analysis::phases::{Loop, OR, PIPES};
use crate::evidence::Arithmetic;
use cuda_binary::op::{Computes, Sync};
use std::collections::BTreeSet;

/// Lanes that share a sector at each step from which they look for neighbouring places: of places drawn at random all lanes are apart from
/// the fifth step on.
const NEIGHBOURS: f64 = 8.0;

/// Of the steps of a search by halves the part, 0 to 1, that is the same for so many threads with neighbouring places: to tell n places
/// apart takes `log2 n` steps.
fn common(steps: f64, threads: f64) -> f64 {
    if steps > 0.0 { (1.0 - threads.log2() / steps).max(0.0) } else { 0.0 }
}

/// A search once for a block in place of each thread's: its ends first, then what lies between them from shared memory. The steps that all
/// threads of a block have in common go, with their work and their waits; what is left of the waits is for shared memory, which no search
/// through L1 and L2 is as near as. At best threads go on from place to place, and nothing is left to search.
pub(super) fn search(m: &Measures<'_>) -> Option<Draft> {
    let (chain, study) = (m.chain()?, m.sampled_code()?);
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let loads = code.executed[chain.row] as f64;
    let apart = sectors[chain.row] as f64 / loads;
    let cycle = code.innermost(chain.row).filter(|_| chain.is_search && WARP >= NEIGHBOURS * apart)?;
    let (steps, threads) = (loads / code.entered(cycle)? as f64, WARP * m.block_warps?);
    let common = common(steps, threads);
    let own: u64 = code.rows_of(&cycle.blocks).map(|row| code.executed[row]).sum();
    let stays = 1.0 - common * (own as f64 / m.executed()?).min(1.0);
    let parts = [&PIPES[..], &[Part::Issue], &L1].concat();
    let draft =
        Draft::new(Action::ReuseInSm).rewrites().keeps(&parts, stays, 0.0).frees(common * chain.share, chain.share);
    let how = "Search once for a block: where its part begins and ends, then copy that to shared memory and search, or merge, there";
    let why = words!(
        "lanes look for neighbouring places, {} sectors a request; {} of {} steps are the same for the {} threads of a block",
        fixed(apart, 1),
        fixed(common * steps, 0),
        fixed(steps, 0),
        count(threads)
    );
    let draft = draft.at(At::point(&chain.load)).says(how, why).risks("a barrier behind the first search");
    Some(draft.falls("loads of global memory", [loads, (1.0 - common) * loads], GLOBAL_LOADS))
}

/// Steps from which a search by halves is worth its own: twice as many turns as it takes.
const LONG: f64 = 2.0;

/// Steps of a search by halves over a list of which so many entries are passed on average: as many again lie behind.
fn halves(passed: f64) -> f64 {
    (2.0 * passed).max(1.0).log2() + 1.0
}

/// What a loop executes, its turns, and its loads.
type Turns = (f64, f64, Vec<usize>);

/// The loops of a kind that lie side by side, as an unrolled one around them leaves its copies: what all of them execute and load, and the
/// turns of each as it executes.
fn copies(code: &KernelCode<'_>, of_loop: impl Fn(&Loop) -> Option<Turns>) -> Option<Turns> {
    let mut found: Vec<(&Loop, Turns)> = code.loops.iter().filter_map(|cycle| Some((cycle, of_loop(cycle)?))).collect();
    found.sort_by(|(_, (a, ..)), (_, (b, ..))| b.total_cmp(a));
    let mut beside: Vec<(&Loop, Turns)> = Vec::new();
    for (cycle, own) in found {
        let is_apart = |(other, _): &(&Loop, Turns)| cycle.blocks.iter().all(|block| !other.blocks.contains(block));
        if beside.iter().all(is_apart) {
            beside.push((cycle, own));
        }
    }
    beside.into_iter().map(|(_, own)| own).reduce(|(all, turns, mut loads), (own, others_turns, others)| {
        loads.extend(others);
        (all + own, (all * turns + own * others_turns) / (all + own), loads)
    })
}

/// A walk along a list that is the same for all lanes, up to the entry that ends it, and for nothing but its place: by halves where the list
/// is in order. What a turn does stays of as many steps, and each lane looks at an entry of its own.
pub(super) fn walk(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let is_load = |row: usize| code.op(row).loads_global() || code.op(row).loads_shared();
    // Places of several lanes that go on by a word and lie in one sector at each turn are one place.
    let is_one = |row: usize| {
        let lanes = code.lanes.as_ref().map_or(0, |lanes| lanes[row]) as f64;
        let is_of_several = lanes >= NEIGHBOURS * code.executed[row] as f64;
        is_of_several && study.sectors().is_some_and(|[sectors, _]| (1..=code.executed[row]).contains(&sectors[row]))
    };
    let of_loop = |cycle: &Loop| {
        let rows: Vec<usize> = code.run_in(cycle);
        let loads: Vec<usize> = rows.iter().copied().filter(|row| is_load(*row)).collect();
        let is_walk = |load: &usize| {
            let mut readers = rows.iter().filter(|row| code.operands_of(**row).any(|from| from == *load)).peekable();
            let compares = [Class::IntegerCompare, Class::FpCompare];
            readers.peek().is_some()
                && readers.all(|row| code.op(*row).is_of(&compares))
                && (!code.differs_by_lane(*load, true) || is_one(*load))
                // A flag that is asked until another thread sets it is no list.
                && !code.stands(*load, cycle)
                && !code.word(*load).is_strong
        };
        let leaves = |row: &usize| {
            let block = &code.flow.blocks[code.block_of[*row]];
            *row + 1 == block.instructions.end && block.successors.iter().any(|next| !cycle.blocks.contains(next))
        };
        let ends = rows.iter().filter(|row| leaves(row)).any(|row| {
            let behind = code.behind_row(*row);
            loads.iter().any(|load| behind.contains(load))
        });
        let writes = rows.iter().any(|row| code.op(*row).act().is_some() && !is_load(*row));
        let executed: u64 = code.sum(&loads);
        let passed = executed as f64 / code.entered(cycle)? as f64;
        let found =
            ends && !writes && !loads.is_empty() && loads.iter().all(is_walk) && passed >= LONG * halves(passed);
        found.then(|| (code.sum(&rows) as f64, passed, loads))
    };
    let (own, passed, loads) = copies(code, of_loop)?;
    let left = halves(passed) / passed;
    let how = "Search by halves, or from a table of where to begin: the list is walked from its front";
    let why = words!(
        "{} entries are passed on average, where {} steps find the place",
        count(passed),
        fixed(halves(passed), 0)
    );
    let draft = fewer_turns(m, own, &loads, [left, (left * WARP / 2.0).min(1.0)])?;
    Some(draft.says(how, why).risks("a list that is in no order must be sorted first"))
}

/// Fewer turns of a loop of so many executions: what is left of its instructions, and of what its loads are for L1, where that is another
/// part. At best nothing of it is.
fn fewer_turns(m: &Measures<'_>, own: f64, loads: &[usize], [left, of_l1]: [f64; 2]) -> Option<Draft> {
    let study = m.sampled_code()?;
    let part = (own / m.executed()?).min(1.0);
    let stays = |left: f64| 1.0 - part * (1.0 - left);
    let for_loads = traced(study, loads).unwrap_or_default() * m.waits_for_loads().unwrap_or_default();
    let freed = (1.0 - left) * (for_loads + part * m.waits(&OF_EACH));
    let draft = Draft::new(Action::FewerInstructions)
        .rewrites()
        .keeps(&[&PIPES[..], &[Part::Issue]].concat(), stays(left), 1.0 - part)
        .keeps(&L1, stays(of_l1), 1.0 - part)
        .frees(freed, for_loads + m.waits(&OF_EACH))
        .at(At::row(study, *loads.first()?));
    let now = m.executed()?;
    Some(draft.falls("executed instructions", [now, now * stays(left)], EXECUTED))
}

/// Steps that double the digits of a value: 24 bits from a first guess of one or two. Each takes a derivative beside the value.
const STEPS: f64 = 5.0;
const OF_A_STEP: f64 = 1.5;

/// A root by halves of an interval, one bit of the result a turn: by steps that double the digits. Sums over data are no smooth function.
pub(super) fn by_halves(m: &Measures<'_>) -> Option<Draft> {
    let code = &m.sampled_code()?.code;
    let middles = code.middles();
    let middle = *middles.first()?;
    let cycle = code.innermost(middle)?;
    if code.run_in(cycle).iter().any(|row| code.op(*row).brings_from_memory()) {
        return None;
    }
    let turns = code.turns_of(cycle)? * middles.iter().filter(|row| code.is_in(**row, cycle)).count() as f64;
    let left = Some(STEPS * OF_A_STEP / turns).filter(|left| *left < UNTOLD)?;
    let how = words!(
        "Newton's or Halley's steps in place of halves of the interval: some {} in place of {}",
        fixed(STEPS, 0),
        fixed(turns, 0)
    );
    let why = words!("each of {} turns halves an interval: one bit of the result a turn", fixed(turns, 0));
    let draft = fewer_turns(m, code.sum(code.run_in(cycle)) as f64, &[middle], [left; 2])?;
    Some(draft.says(how, why).risks("a derivative, a first guess, and steps that leave the interval"))
}

/// Whether a row is the union, or what is common, of itself and of words that a loop loads: no turn changes it once all bits are set, or none
/// is left.
fn is_of_sets(code: &KernelCode<'_>, row: usize, cycle: &Loop) -> bool {
    let is_union = |row: usize| match code.word(row).arithmetic {
        Arithmetic::Logic(table, _) if OR.contains(&table) => Some(true),
        Arithmetic::Logic(table, _) if AND.contains(&table) => Some(false),
        _ => None,
    };
    let (own, mut seen, mut open) = (is_union(row), BTreeSet::new(), vec![row]);
    while let Some(at) = open.pop() {
        for from in code.operands_of(at).filter(|from| code.is_in(*from, cycle)) {
            if !code.op(from).brings_from_memory() && seen.insert(from) {
                open.push(from);
            }
        }
    }
    own.is_some() && seen.contains(&row) && seen.iter().all(|row| is_union(*row) == own)
}

/// Classes of what leaves a result.
const RESULTS: [Class; 10] = [
    Class::Fp32,
    Class::Fp16,
    Class::Fp64,
    Class::FpCompare,
    Class::SpecialFunction,
    Class::Conversion,
    Class::Integer,
    Class::IntegerCompare,
    Class::Logic,
    Class::Move,
];

/// Whether a loop leaves nothing behind but what stays as it is once a turn has set it: a flag that is made of itself, a set of bits, or a
/// choice between what it was and a value from outside of the loop. What each lane makes of no loaded value on each turn, as counters, may
/// leave it as well.
fn is_only_set(code: &KernelCode<'_>, cycle: &Loop) -> bool {
    let is_inside = |row: &usize| code.is_in(*row, cycle);
    let is_loaded = |row: &usize| is_inside(row) && code.op(*row).brings_from_memory();
    let each = code.lanes_of(code.flow.blocks[cycle.header].instructions.start);
    let is_of_data =
        |row: &usize| is_loaded(row) || code.lanes_of(*row) != each || code.behind_row(*row).iter().any(is_loaded);
    let readers = code.run().filter(|row| !is_inside(row));
    let left: BTreeSet<usize> = readers.flat_map(|row| code.operands_of(row).collect::<Vec<_>>()).collect();
    let left: Vec<usize> = left.into_iter().filter(is_inside).filter(is_of_data).collect();
    // A result that is not decoded may be left as well.
    let is_open = |row: &usize| {
        let is_result = code.op(*row).is_of(&RESULTS);
        is_result && code.registers(*row).written().next().is_none()
    };
    let is_kept = |row: &usize| {
        // A flag that is turned over is no answer that stands, nor is one that a table makes of others.
        let is_joined = code.op(*row) != Op::PLOP3 && !code.word(*row).turns_over();
        let is_flag = code.registers(*row).written().all(|own| own.file == RegisterFile::Predicate);
        is_flag && is_joined && code.behind_row(*row).contains(row)
    };
    // Steps of an unrolled loop hand a flag on as one of two numbers.
    let is_of_flag = |row: &usize| {
        let has_no_value = code.registers(*row).read().all(|own| !own.is_value());
        let is_choice = code.op(*row).computes() == Some(Computes::Selected) && has_no_value;
        let mut flags = code.operands_of(*row).peekable();
        is_choice && flags.peek().is_some() && flags.all(|flag| is_kept(&flag))
    };
    let is_set = |row: &usize| {
        let is_chosen = code.op(*row).computes() == Some(Computes::Selected) && code.chooses_itself(*row, cycle);
        let is_set = is_chosen || is_kept(row) || is_of_flag(row) || is_of_sets(code, *row, cycle);
        is_set || code.is_chosen_once(*row, cycle) || code.is_only_bounded(*row, cycle)
    };
    !left.is_empty() && left.iter().all(is_set) && !code.run_in(cycle).iter().any(is_open)
}

/// Half of some loads, and none at best: what L2 is asked for falls with them, and what DRAM is read for where none of those that are left
/// brings it.
pub(super) fn fewer_loads(m: &Measures<'_>, draft: Draft, loads: &[usize]) -> Draft {
    let counted = || {
        let [sectors, _] = m.study?.sectors()?;
        let own = loads.iter().map(|row| sectors[*row] as f64).sum::<f64>();
        let of_l2 = (1.0 - answered(m)) * own / m.value(L2_SECTORS)?;
        let (read, moved) = (m.dram_read()?, m.moved()?);
        let times = (SECTOR * own / read).max(1.0);
        Some((of_l2.min(1.0), read.min(SECTOR * own) / moved, UNTOLD.powf(times)))
    };
    let Some((of_l2, of_dram, goes)) = counted() else { return draft };
    let draft = draft.keeps(&[Part::MemoryL2], 1.0 - UNTOLD * of_l2, 1.0 - of_l2);
    draft.keeps(&[Part::MemoryDram], 1.0 - goes * of_dram, 1.0 - of_dram)
}

/// A loop that goes on though its answer stands: nothing ends it but its count, it writes nothing, and it leaves only what one turn sets for
/// good.
pub(super) fn early(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let of_loop = |cycle: &Loop| {
        let rows: Vec<usize> = code.run_in(cycle);
        let loads: Vec<usize> = rows.iter().copied().filter(|row| code.op(*row).brings_from_memory()).collect();
        // What warps exchange within a turn is nothing that it leaves.
        let stays = code.run().all(|row| code.is_in(row, cycle) || !code.op(row).loads_shared());
        let is_pure = |row: &usize| {
            let op = code.op(*row);
            let is_within = op.sync().is_none_or(|sync| matches!(sync, Sync::Lanes | Sync::Block));
            is_within && op.act().is_none_or(|act| act == Act::Load || stays && op.stores_shared())
        };
        let is_loaded = |row: &usize| code.is_in(*row, cycle) && code.op(*row).brings_from_memory();
        let is_answer = |row: usize| code.origin_of_guard(row).unknown || code.behind_row(row).iter().any(is_loaded);
        let is_counted = !exits(study, cycle).any(is_answer);
        let own = code.sum(&rows) as f64;
        let turns = code.turns_of(cycle)?;
        // A loop that the compiler unrolled takes several steps a turn.
        let is_long = turns > 1.0 && turns * loads.len() as f64 >= LONG;
        let found = is_counted && is_long && rows.iter().all(is_pure);
        (found && is_only_set(code, cycle)).then_some((own, turns, loads))
    };
    let (own, _, loads) = copies(code, of_loop)?;
    let how = "Leave the loop once its answer stands, the likeliest turns first: later ones cannot change it";
    let why = words!(
        "{} of the instructions are in a loop of which all turns run; it leaves only an answer that stands once it is there",
        share((own / m.executed()?).min(1.0))
    );
    let draft = fewer_loads(m, fewer_turns(m, own, &loads, [UNTOLD; 2])?, &loads);
    let meets =
        |load: &usize| code.around(*load).any(|cycle| code.run_in(cycle).iter().any(|row| code.is_block_barrier(*row)));
    let risk = match loads.iter().any(meets) {
        true => {
            "all warps leave together, by `__syncthreads_or` or a flag in shared memory; nothing where few find one"
        }
        false => "lanes that are done wait for the last one of their warp; nothing where few find one",
    };
    Some(draft.says(how, why).risks(risk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use crate::evidence::{MachineWord, Operand};

    #[test]
    fn threads_of_a_block_are_told_apart_by_the_last_steps() {
        // 22 steps over 4 M words; 256 threads differ in 8 of them.
        assert!((common(22.0, 256.0) - 14.0 / 22.0).abs() < 1e-9);
        assert_eq!((common(6.0, 256.0), common(0.0, 256.0)), (0.0, 0.0));
    }

    #[test]
    fn a_list_that_is_walked_to_its_middle_is_halved_as_often_as_it_is_long() {
        // 128 entries are passed of 256, which 8 halvings and a last look part.
        assert!((halves(128.0) - 9.0).abs() < 1e-9 && (halves(0.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn steps_of_a_turn_may_hand_a_flag_on_as_a_number() {
        let is_set = |from: u8| {
            let rows = ended(&[
                word(Op::LDG, &[r(2)], &[r(8)]),
                word(Op::LOP3, &[P], &[r(from), r(2)]),
                word(Op::ISETP, &[P], &[r(2), P]),
                word(Op::SEL, &[r(3)], &[P]),
                back(0),
                word(Op::IADD3, &[r(5)], &[r(3)]),
            ]);
            let code = KernelCode::counted(&rows, vec![9; rows.len()], None);
            is_only_set(&code, code.innermost(0).unwrap())
        };
        assert!(is_set(3));
        assert!(!is_set(4), "anew on each turn");
    }

    #[test]
    fn sets_of_bits_that_a_loop_unites_are_full_for_good_and_bits_that_it_packs_are_not() {
        let of = |table, made: Option<MachineWord>| {
            let join = Arithmetic::Logic(table, [Operand::default(); 3]);
            let join = MachineWord { arithmetic: join, ..word(Op::LOP3, &[r(3)], &[r(3), r(2)]) };
            let load = word(Op::LDG, &[r(2)], &[r(8)]);
            let rows = ended(&[&[load][..], made.as_slice(), &[join, back(0)]].concat());
            let code = KernelCode::counted(&rows, vec![9; rows.len()], None);
            let row = rows.len() - 3;
            is_of_sets(&code, row, code.innermost(row).unwrap())
        };
        assert!(of(OR[0], None) && of(AND[0], None));
        assert!(!of(0x3C, None), "turned over");
        assert!(!of(OR[0], Some(word(Op::SHF, &[r(2)], &[r(2)]))), "packed");
    }
}
