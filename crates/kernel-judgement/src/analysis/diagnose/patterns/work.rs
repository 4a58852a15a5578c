//! The work that stays whatever way a kernel is written: arithmetic on values, products, bytes; by what was counted, else by the code as it
//! stands. And what warps of a block exchange.

use super::order::read_again;
use super::*;
use crate::analysis::derive::{traffic::Traffic, units};
use crate::analysis::phases::Loop;
use std::collections::{BTreeMap, BTreeSet};

/// Cycles of its pipe that a wide integer multiplication takes, where other instructions take one.
pub(super) const IMAD_CYCLES: f64 = 4.0;

/// Whether an opcode computes with values: floating-point arithmetic, special functions, products.
pub(super) fn is_on_values(op: Op) -> bool {
    op.is_product() || op.is_of(&[Class::Fp32, Class::Fp64, Class::Fp16, Class::SpecialFunction])
}

/// Rows of the innermost loop with the most arithmetic on values: where a kernel spends its time, as far as its code alone can tell.
fn hottest(code: &KernelCode<'_>) -> Vec<usize> {
    let is_inner = |cycle: &&Loop| !code.loops.iter().any(|own| own != *cycle && cycle.blocks.contains(&own.header));
    let rows = |cycle: &Loop| code.rows_of(&cycle.blocks).collect::<Vec<usize>>();
    let on_values = |rows: &Vec<usize>| rows.iter().filter(|row| is_on_values(code.op(**row))).count();
    code.loops.iter().filter(is_inner).map(rows).max_by_key(on_values).unwrap_or_default()
}

/// Executions of some opcodes; where nobody counted them by opcode or by instruction, in one turn of the loop of most arithmetic.
fn executions(m: &Measures<'_>, takes: impl Fn(Op) -> bool) -> Option<f64> {
    let in_a_turn = |code: &KernelCode<'_>| hottest(code).into_iter().filter(|row| takes(code.op(*row))).count() as f64;
    m.executions(&takes).or_else(|| m.as_it_stands.as_ref().map(in_a_turn))
}

/// Executions of the opcodes that a pipe runs.
pub(super) fn executed_on(m: &Measures<'_>, part: Part) -> Option<f64> {
    m.executions(m.runs(part)?)
}

/// What of the instructions the compiler's own functions for rare values are: executions by warps, and lanes of them.
pub(super) fn asides(study: &Study<'_>) -> [f64; 2] {
    let code = &study.code;
    let lanes = |row: &usize| code.lanes.as_ref().map_or(0, |lanes| lanes[*row]);
    let asides = code.asides();
    [code.sum(&asides), asides.iter().map(lanes).sum()].map(|all| all as f64)
}

/// The part of the instructions that compute with values.
pub(super) fn arithmetic(m: &Measures<'_>) -> Option<f64> {
    Some(executions(m, is_on_values)? / executions(m, |_| true).filter(|total| *total > 0.0)?)
}

/// The pipes that compute results: they do so still, where nobody knows what ran on them.
const OF_RESULTS: [Part; 2] = [Part::ComputeFp64, Part::ComputeTensor];

/// What stays at least of a pipe that may make addresses as well: FMA, which multiplies integers, and one without a name.
const OF_BOTH: f64 = 0.5;

/// What arithmetic on values and comparisons of them leave at least of issue and of the pipes, where they read the same values from nearer
/// by.
pub(super) fn of_values(m: &Measures<'_>) -> Vec<(Part, f64)> {
    let on = |part: Part| {
        let runs = m.runs(part)?;
        let own = executions(m, |op| runs(op) && (is_on_values(op) || op.is_of(&[Class::FpCompare])))?;
        let others = executions(m, runs)? - own;
        let cycles = if part == Part::ComputeFma { IMAD_CYCLES } else { 1.0 };
        (own > 0.0).then(|| (part, own / (own + cycles * others)))
    };
    let pipes = [Part::ComputeFma, Part::ComputeAlu, Part::ComputeFp64, Part::ComputeXu].into_iter().filter_map(on);
    let others = [(Part::Issue, arithmetic(m)), (Part::ComputeTensor, m.has_tensor.then_some(1.0))];
    let known = pipes.chain(others.into_iter().filter_map(|(part, own)| Some((part, own?))));
    if executions(m, |_| true).is_some() {
        return known.collect();
    }
    // A part of the SMs without a name is a pipe where their roll-up is above the one of their memory instructions.
    let [sms, memory] = [units::SM, Counter::SmMemoryThroughputAvgPctElapsed].map(|whole| m.value(whole));
    let unnamed = sms.zip(memory).filter(|(sms, memory)| sms > memory).map(|_| Part::UnknownUnit);
    let both = [Part::ComputeFma].into_iter().chain(unnamed).map(|part| (part, OF_BOTH));
    known.chain(OF_RESULTS.map(|part| (part, 1.0))).chain(both).collect()
}

/// The part of the instructions that multiply two values from memory, 0 to 1: nothing else makes their result.
pub(super) fn paired(m: &Measures<'_>) -> f64 {
    let own = match (&m.study, &m.as_it_stands) {
        (Some(_), _) => products(m, multiplies),
        (None, Some(code)) if m.kernel.opcodes().is_empty() => {
            let turn: BTreeSet<usize> = hottest(code).into_iter().collect();
            products_of(code, multiplies).filter(|own| turn.contains(&own.row)).count() as f64
        }
        _ => 0.0,
    };
    let all = executions(m, |_| true).filter(|all| *all > 0.0);
    all.map_or(0.0, |all| (own / all).min(1.0))
}

/// Whether most products of two values from memory are of a row and a column that threads or blocks share crosswise.
pub(super) fn is_of_matrix(study: &Study<'_>) -> bool {
    let code = &study.code;
    let [mut all, mut crossed] = [0; 2];
    for Product { row, factors, .. } in products_of(code, multiplies) {
        all += code.executed[row];
        crossed += if code.is_crossed(row, factors) { code.executed[row] } else { 0 };
    }
    2 * crossed > all
}

/// Bits of a lane in most loads of global memory, or of shared memory, and whether all of them are as wide as they can be.
pub(super) fn width(m: &Measures<'_>, is_global: bool) -> Option<(u64, bool)> {
    let is_load = |op: Op| if is_global { op.loads_global() } else { op.loads_shared() && op.is_by_lane() };
    let counted = m.study.filter(|study| study.has_widths());
    // Code that nobody counted has the registers that each load writes.
    let (code, rows) = match counted {
        Some(study) => (&study.code, (0..study.code.rows.len()).collect()),
        None => m.as_it_stands.as_ref().map(|code| (code, hottest(code)))?,
    };
    let bits = |row: usize| match counted {
        Some(study) => study.width(row).unwrap_or_default(),
        None => code.registers(row).writes.iter().map(|own| 32 * u64::from(own.count)).sum(),
    };
    let mut by: BTreeMap<u64, u64> = BTreeMap::new();
    let loads = rows.into_iter().filter(|row| code.executed[*row] > 0 && is_load(code.op(*row)));
    loads.for_each(|row| *by.entry(bits(row)).or_default() += code.executed[row]);
    let (most, _) = by.iter().max_by_key(|(_, executed)| **executed)?;
    Some((*most, by.keys().all(|bits| *bits == WIDEST)))
}

/// What a tile reads again from DRAM is what it does not hold: at best the bytes of the stated work stay. Where neither bytes nor instructions
/// were counted, it may be a product as well: with as many threads several outputs a thread make the tile of a block larger, and the bytes
/// that it brings for each of them fall with its edge, down to those of the largest tile that registers hold. What L2 hits hardly ever no
/// two blocks share.
pub(super) fn of_tile(m: &Measures<'_>, draft: Draft) -> Draft {
    let is_unknown = m.code().is_none() && m.kernel.opcodes().is_empty();
    let is_shared = || m.value(L2_HITS).is_none_or(|hits| hits >= HARDLY);
    // Whether blocks read rows and columns that others have read, beyond what L1 keeps of them; so they may where that was not counted.
    let bytes = m.value(RECEIVED).zip(m.dram_read());
    match paired(m) >= WORTH && bytes.is_none_or(|(got, read)| got >= AGAIN * read) {
        true => {
            let stated = Traffic::of(m.kernel, m.work).map_or(0.0, |traffic| traffic.stated / traffic.moved);
            draft.keeps(&[Part::MemoryDram], 1.0, stated.min(1.0))
        }
        false if is_unknown && m.dram_read().is_none() && is_shared() => {
            draft.keeps(&[Part::MemoryDram], 1.0, 1.0 / EDGE)
        }
        false => draft.keeps(&[Part::MemoryDram], 1.0, 1.0 - read_again(m).unwrap_or_default()),
    }
}

/// Hits below which nearly all that L2 is asked for is new to it, percent.
const HARDLY: f64 = 10.0;
/// Sums of a thread along an edge of its tile: 8 × 8 of them are a quarter of its 255 registers, and the next power of two does not fit.
const EDGE: f64 = 8.0;

/// Bytes that L1 gets over those that DRAM is read for, from which L2 serves several SMs with the same values: some of these came more than
/// once.
const AGAIN: f64 = 1.5;

/// Bytes that L2 sends to the L1 caches.
pub(super) fn sent(m: &Measures<'_>) -> Option<f64> {
    let sent = m.value(SENT).map(|sectors| SECTOR * sectors).or_else(|| m.value(RECEIVED));
    sent.filter(|bytes| *bytes > 0.0)
}

/// Of what is asked of L2 the part, 0 to 1, that SMs ask for again: loads beyond the sectors that DRAM is read for, once those beside the
/// bytes are away, and additions. What is read once nobody can keep. All of it where that was not counted.
pub(super) fn asked_again(m: &Measures<'_>) -> f64 {
    let counted = || Some((level::asked(m)? / SECTOR, sent(m)? / SECTOR, m.dram_read()?));
    let Some((all, sent, read)) = counted().filter(|_| !m.accesses().is_empty()) else { return 1.0 };
    // Bulk copies are no accesses that were counted one by one.
    let is_bulk = m.executions(|op| op.is_bulk() && op.copies_global()).is_some_and(|count| count > 0.0);
    let needed = if is_bulk { sent } else { sent.min(sectors_of(reads(m)) - excess_of(reads(m))) };
    let added = sectors_of(m.accesses().iter().filter(|access| access.at.op().is_l2_atomic()));
    (((needed - read / SECTOR).max(0.0) + added) / all).min(1.0)
}

/// Of the sectors that loads bring, the part, 0 to 1, that L1 has already; 0 where that was not counted.
pub(super) fn answered(m: &Measures<'_>) -> f64 {
    let brought = reads(m).map(|access| access.sectors + access.again).sum::<u64>() as f64;
    m.value(SENT).filter(|_| brought > 0.0).map_or(0.0, |sent| (1.0 - sent / brought).max(0.0))
}

/// Of the sectors of loads the part, 0 to 1, that loads from one place bring again: once lanes lie side by side a cache may have them still.
pub(super) fn brought_again(m: &Measures<'_>) -> f64 {
    let Some((study, [sectors, _])) = m.study.and_then(|study| Some((study, study.sectors()?))) else { return 0.0 };
    let mut by: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for (row, place) in study.code.places().iter().filter(|(row, _)| study.code.op(**row).loads_global()) {
        by.entry((place.all(), place.bytes())).or_default().push(sectors[*row]);
    }
    let again = |own: &Vec<u64>| own.iter().sum::<u64>() - own.iter().max().copied().unwrap_or_default();
    let is_one = |(_, bytes): &(_, Option<u32>)| bytes.is_some();
    let of_some: u64 = by.iter().filter(|(place, _)| is_one(place)).map(|(_, own)| again(own)).sum();
    of_some as f64 / by.values().flatten().sum::<u64>().max(1) as f64
}

/// Accesses to shared memory for each barrier up to which they are an exchange between warps: two loads and a store, or a swap.
const ROUND: f64 = 4.0;

/// Barriers of the block that warps executed.
pub(super) fn barriers_executed(m: &Measures<'_>) -> Option<f64> {
    m.executions(|op| op == Op::BAR)
}

/// Whether what goes through shared memory is an exchange between warps; `None` without barriers.
pub(super) fn exchanges(m: &Measures<'_>) -> Option<bool> {
    let barriers = barriers_executed(m).filter(|count| *count > 0.0)?;
    let accesses = m.executions(|op| op.is_in(Space::Shared) && op.is_by_lane())?;
    Some(accesses <= ROUND * barriers && !m.study.is_some_and(|study| brings_tiles(&study.code)))
}

/// What is expected to stay of a round in which all threads take part: a shuffle in place of the accesses, and the arithmetic. Of two such
/// kernels shuffles saved 24 and 31 % of the time (`exchange`, `scan`), of trees over a block 69 and 82 % (`alibi_rows`, `rows_reduce`).
const OF_ALL: f64 = 0.8;

/// What shuffles leave of rounds through shared memory, 0 to 1: what the threads do that read behind a barrier, on average. Of a tree these
/// are few, and the others wait for them.
pub(super) fn by_shuffles(m: &Measures<'_>) -> Option<f64> {
    let lanes = m.study?.lanes(|op| op.loads_shared() && op.is_by_lane()).filter(|lanes| *lanes > 0.0)?;
    Some((lanes / WARP / barriers_executed(m)?).min(OF_ALL))
}

/// Whether most of what is stored in shared memory is as it was in global or constant memory, and no value of another warp.
fn brings_tiles(code: &KernelCode<'_>) -> bool {
    let is_value = |row: &usize| code.registers(*row).written().any(|own| own.file == RegisterFile::General);
    let is_tile = |row: &usize| {
        let mut values = code.data_of(*row).filter(is_value);
        code.op(*row).copies_global()
            || values.all(|row| code.op(row).loads_global() || code.op(row).is_in(Space::Constant))
    };
    let stores = || (0..code.rows.len()).filter(|row| code.op(*row).stores_shared() || code.op(*row).copies_global());
    2 * code.sum(stores().filter(is_tile)) > code.sum(stores())
}

/// Whether no load of global memory turns: a thread brings what it brings once.
pub(super) fn is_once(m: &Measures<'_>) -> bool {
    m.study.is_some_and(|study| !study.code.turns(Op::loads_global))
}

/// What warps wait for in the rounds of a block that loads each element once: it goes as loads become wider, with the warps of a block.
pub(super) fn rounds_of_once(m: &Measures<'_>) -> f64 {
    let is_own = exchanges(m) == Some(true) && is_once(m) && !m.has_tensor;
    if is_own { m.waits(&[StallReason::Barrier, StallReason::ShortScoreboard, StallReason::MioThrottle]) } else { 0.0 }
}

/// What a pipe runs: executions of each opcode, the most first, and of all.
pub(in crate::analysis::diagnose) fn runs_on(m: &Measures<'_>, part: Part) -> Option<(Vec<(Op, f64)>, f64)> {
    let runs = m.runs(part)?;
    let mut own: BTreeMap<Op, f64> = BTreeMap::new();
    for (opcode, executed) in m.kernel.opcodes() {
        *own.entry(Op::of(opcode)).or_default() += executed;
    }
    let mut most: Vec<(Op, f64)> = own.into_iter().filter(|(op, _)| runs(*op)).collect();
    most.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = most.iter().map(|(_, executed)| executed).sum();
    (all > 0.0).then_some((most, all))
}

/// The part of a pipe's instructions from which an opcode beside the first is worth a word.
const TOLD: f64 = 0.01;

/// ``of its instructions `POPC` 61.5 %, `MUFU` 20.0 %``
pub(in crate::analysis::diagnose) fn leading(most: &[(Op, f64)], all: f64) -> Words {
    let told = most.iter().take(2).filter(|(_, executed)| executed / all >= TOLD);
    let named = told.map(|(op, executed)| words!("`{}` {}", op.name(), share(executed / all)));
    words!("of its instructions {}", words::join(named.collect::<Vec<Words>>(), ", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, word};

    #[test]
    fn constants_that_go_through_shared_memory_are_no_exchange() {
        let brings = |from: Op| {
            let rows = ended(&[word(from, &[r(1)], &[r(0)]), word(Op::STS, &[], &[r(9), r(1)])]);
            brings_tiles(&KernelCode::counted(&rows, vec![1; rows.len()], None))
        };
        assert!(brings(Op::LDC) && brings(Op::LDG) && !brings(Op::FADD));
    }

    #[test]
    fn an_opcode_that_a_pipe_hardly_runs_is_not_told() {
        let said = |adds: f64| leading(&[(Op::FFMA, 1000.0 - adds), (Op::FADD, adds)], 1000.0).to_plain();
        assert_eq!(said(1.0), "of its instructions FFMA 99.9 %");
        assert_eq!(said(200.0), "of its instructions FFMA 80.0 %, FADD 20.0 %");
    }
}
