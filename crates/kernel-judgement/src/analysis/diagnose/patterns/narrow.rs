//! What could be half as wide, or several times: operands of products, loads of letters, arithmetic on halves, flags in words.

use super::indices::of_index;
use super::loads::queued;
use super::products::at_products;
use super::work::{answered, executed_on};
use super::*;
use crate::analysis::derive::roofline::executed_operations;
use cuda_binary::op::Computes;

/// Bytes of a half of those of the word that TF32 takes.
const HALF: f64 = 0.5;

/// Products of TF32 by those of FP16, which keep the same ten bits: the rate of the chip for these, half of the instructions, and half of the
/// bytes of each tile and fragment. What comes through registers is rounded on its way to shared memory; what is copied there as it is has to
/// be halves in memory.
pub(super) fn operands(m: &Measures<'_>) -> Option<Draft> {
    executed_operations(m.kernel).filter(|(of_type, _)| *of_type == "tf32")?;
    let dense = &m.chip()?.tensor.as_ref()?.dense;
    let rate = |name| dense.get(name).map(|rate| f64::from(*rate));
    let pipe = (rate("tf32")? / rate("fp16")?).min(1.0);
    let tensor = m.unit(Part::ComputeTensor)?;
    let by_matrix = m.count(|op| op.class() == Some(Class::MatrixLoad) && op.act() == Some(Act::Load));
    let loads = by_matrix + m.study.and_then(Study::fragment_loads).map_or(0, |own| own.loads) as f64;
    // Of what is stored for them as much as of what they load; products of warpgroups read their operands themselves.
    let of_loads = (loads / m.count(Op::loads_shared).max(1.0)).min(1.0);
    let stage = m.stage()?;
    let read = stage.operands.unwrap_or_default().min(stage.shared);
    let of_stage = (read + of_loads * (stage.shared - read)) / stage.whole;
    let gone = HALF * (m.count(Op::is_product) + loads) / m.executed()?;
    let is_copied = m.count(|op| op.copies_global()) > 0.0;
    let beyond = if is_copied { HALF } else { 1.0 };
    let fed = of_loads * m.waits(&FOR_SHARED);
    let own = m.waits(&[StallReason::Wait, StallReason::MathPipeThrottle]);
    let stays = 1.0 - HALF * of_stage;
    let draft = Draft::new(Action::NarrowOperands)
        .moves_work()
        .stays(&[Part::ComputeTensor], pipe)
        .stays(&DATA_STAGE, stays)
        .stays(&[Part::MemoryLsu, Part::Issue], 1.0 - gone)
        .stays(&[Part::MemoryL2, Part::MemoryDram], beyond)
        .frees(HALF * (fed + own), fed + own)
        .at(at_products(m));
    let why = words!(
        "operands of TF32 are words; {} {} → {}, operands are {} of the L1 data stage",
        &tensor.name,
        share(tensor.share),
        share(pipe * tensor.share),
        share(of_stage)
    );
    let check = words!("HMMA of TF32 = 0; {} {} → {}", &tensor.name, share(tensor.share), share(pipe * tensor.share));
    Some(draft.because(why).checks(check, tensor.counter.clone()))
}

/// Words in place of bytes: loads of less than a word that follow each other in a thread take a request each, whatever sectors the warp
/// touches. Their part of the data stage of L1 goes with them, and what L1 asks of L2 beyond the sectors that the words touch; with both what
/// is waited for. To take a word apart costs what putting bytes together did.
pub(super) fn letters(m: &Measures<'_>) -> Option<Draft> {
    let study = m.study?;
    let (code, stays) = (&study.code, study.as_words());
    let [sectors, _] = study.sectors()?;
    let gone = |of: &[u64]| {
        [0, 1].map(|wide| stays.iter().map(|(row, left)| of[*row] as f64 * (1.0 - left[wide])).sum::<f64>())
    };
    let loads = gone(&code.executed);
    let all = sectors.iter().sum::<u64>() as f64;
    let part = gone(&sectors).map(|gone| gone / all);
    let stage = m.stage()?;
    let at = *stays.keys().max_by_key(|row| code.executed[**row])?;
    let (answered, read) = (answered(m), m.dram_read().unwrap_or_default());
    // Beyond L1 no more is asked for than the words touch.
    let asked = part.map(|part| ((1.0 - part) / (1.0 - answered)).min(1.0));
    let from_dram = part.map(|part| if read > 0.0 { ((1.0 - part) * all * SECTOR / read).min(1.0) } else { 1.0 });
    let freed = [0, 1].map(|wide| part[wide] * answered + (1.0 - answered) * (1.0 - asked[wide]));
    // Loads of shared memory queue in front of the same stage.
    let queue = m.waits(&[StallReason::LgThrottle, StallReason::MioThrottle, StallReason::ShortScoreboard]);
    let waits = m.waits(&[StallReason::LongScoreboard]);
    let less = |of: f64| loads.map(|gone| 1.0 - gone / of);
    let of_stage = part.map(|part| 1.0 - part * stage.other() / stage.whole);
    let (requests, issue) = (less(m.requests()?), less(m.executed()?));
    // At best a thread has all elements of a word, makes their addresses once, and needs no time for the others.
    let index = of_index(m, Part::Issue).unwrap_or_default();
    let draft = Draft::new(Action::WideLoads)
        .keeps(&DATA_STAGE, of_stage[0], of_stage[1])
        .keeps(&[Part::MemoryLsu], requests[0], requests[1])
        .keeps(&[Part::Issue], issue[0], (issue[1] - index).max(0.0))
        .keeps(&[Part::MemoryL2], asked[0], asked[1])
        .keeps(&[Part::MemoryDram], from_dram[0], from_dram[1])
        .frees((1.0 - of_stage[0]) * queue + freed[0] * waits, queue + waits + (1.0 - queue - waits).max(0.0) * index)
        .at(At::row(study, at));
    let sum = |of: &[u64]| stays.keys().map(|row| of[*row] as f64).sum::<f64>();
    let own = count(sum(&code.executed));
    let how = "Words in place of bytes: load 4 bytes of a thread at a time, or 16, and take them apart in registers";
    let why = words!(
        "{} loads of less than a word follow each other in a thread, {} of all sectors",
        &own,
        share(sum(&sectors) / all)
    );
    let draft =
        draft.says(how, why).risks(words!("a word off its boundary takes two loads and `{}`", "__funnelshift_r"));
    Some(draft.checks(words!("loads of less than a word {} → 0", own), EXECUTED))
}

/// Two halves an instruction where a register holds one: half of the arithmetic on halves. A thread has two neighbouring elements then, so
/// that at best everything else it does is half as much as well.
pub(super) fn packed(m: &Measures<'_>) -> Option<Draft> {
    let study = m.study?;
    let code = &study.code;
    let is_half = |row: &usize| code.rows[*row].class() == Some(Class::Fp16);
    let is_single = |row: &usize| is_half(row) && code.word(*row).takes_one_half();
    let [halves, single] = [code.run().filter(is_half).collect(), code.run().filter(is_single).collect()]
        .map(|rows: Vec<usize>| code.sum(rows) as f64);
    if halves == 0.0 || single <= MOST * halves {
        return None;
    }
    let gone = HALF * halves;
    let left = |part: Part| {
        let all = executed_on(m, part).filter(|all| *all > 0.0);
        all.map_or(1.0, |all| (1.0 - gone / all).max(HALF))
    };
    let of_issue = gone / m.executed()?;
    // Everything inside the SM is there for half as many threads at best.
    let draft = Draft::new(Action::FewerInstructions).rewrites().keeps(&m.machine.inside(), 1.0, HALF);
    let pipes = [Part::ComputeFma, Part::ComputeFp16].into_iter();
    let draft = pipes.fold(draft, |draft, part| draft.keeps(&[part], left(part), HALF));
    let waits = m.waits(&OF_EACH) + m.waits(&[StallReason::MathPipeThrottle]);
    let draft = draft
        .keeps(&[Part::Issue], 1.0 - of_issue, HALF)
        .frees(of_issue * waits, HALF * m.waits(&OF_EACH).max(waits))
        .at(At::heaviest(m, |_, row| if is_single(&row) { code.executed[row] } else { 0 }));
    let how =
        words!("Two halves an instruction (`{}`, `{}`): two neighbouring elements a thread", "__half2", "__hfma2");
    let why = words!("{} instructions on halves, most of them on one of the two that a register holds", count(halves));
    let draft = draft.says(how, why).risks("an odd element, and branches that differ between the two");
    Some(draft.falls("arithmetic on halves", [halves, halves - gone], EXECUTED))
}

/// Of a word the part that a byte has, and a bit.
const FLAG: [f64; 2] = [1.0 / 4.0, 1.0 / 32.0];

/// Flags of a byte in place of a word, at best of a bit: words of global memory, apart for each lane, that are read for nothing but whether
/// they are 0. Their bytes go from DRAM and from L2, and of the waits for them what they queue there.
pub(super) fn flags(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let readers = code.readers();
    // One value of a register, and nothing beside it: 0 is none.
    let is_test = |row: &usize| {
        let values = code.registers(*row).read().filter(Register::is_value).count();
        let is_alone = code.rows[*row].word.is_some_and(|word| word.literal().is_none() && !word.has_constant());
        code.op(*row).computes() == Some(Computes::Compared) && values == 1 && is_alone
    };
    let is_flag = |row: &usize| {
        let is_word = code.op(*row).loads_global() && study.width(*row) == Some(32);
        let is_own = !code.word(*row).is_strong && code.differs_by_lane(*row, false);
        // What data scatter takes a sector of each lane, however narrow.
        is_word && is_own && !code.is_inherent(*row) && !readers[*row].is_empty() && readers[*row].iter().all(is_test)
    };
    let own: Vec<usize> = (0..code.rows.len()).filter(|row| sectors[*row] > 0).filter(is_flag).collect();
    let first = *own.iter().max_by_key(|row| sectors[**row])?;
    let touched = own.iter().map(|row| sectors[*row] as f64).sum::<f64>();
    // Of what DRAM is read for as much is theirs as of all that is loaded, and L1 answers as much of it.
    let loaded = sectors_of(reads(m)).max(touched);
    let part = m.dram_read()? * touched / loaded / m.moved()?;
    let of_l2 = ((1.0 - answered(m)) * touched / m.value(level::L2_SECTORS)?).min(1.0);
    let [dram, l2] = [part, of_l2].map(|part| FLAG.map(|left| 1.0 - part * (1.0 - left)));
    let waits = traced(study, &own)? * m.waits(&[StallReason::LongScoreboard]);
    let draft = Draft::new(Action::FewerBytes)
        .keeps(&[Part::MemoryDram], dram[0], dram[1])
        .keeps(&[Part::MemoryL2], l2[0], l2[1])
        .frees((1.0 - FLAG[0]) * queued(m) * waits, waits)
        .at(At::row(study, first));
    let how = words!("Flags of a byte, or of a bit (`{}` packs 32), in place of a word", "__ballot_sync");
    let why = words!("words that are only compared with 0 are {} of what DRAM moves", share(part));
    let draft = draft.says(how, why).risks("what writes them changes as well; a bit takes a shift");
    let gone = (1.0 - FLAG[0]) * part * m.sum(DRAM_BYTES)?;
    Some(draft.loses(m, "bytes read from DRAM", gone, glance::bytes, DRAM_BYTES[0]))
}
