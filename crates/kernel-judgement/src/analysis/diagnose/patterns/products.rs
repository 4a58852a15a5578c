//! Tensor products: the pipe that is full, products in flight, their generation and shape.

use super::banks::wavefronts as wavefronts_of_all;
use super::epilogue::TENSOR;
use super::instructions::executed_on;
use super::tile::Tile;
use super::*;
use crate::analysis::derive::data_stage::OPERANDS;
use crate::analysis::derive::mix::unpacks_bytes;
use crate::analysis::derive::product_shape::{MOST_COLUMNS, cycles, sides, wavefronts};
use crate::analysis::derive::roofline::executed_operations;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Does each step wait for all of its products?", drained, Stands::ByItself(Action::KeepProducts))
        .cured_by(&[drain]),
    Pattern::changes(&[generation, on_tensor, wider, in_order]),
];

/// The tensor pipe is full in the steps of the main loop, or while a block is resident.
pub(super) fn full(m: &Measures<'_>, unit: &Unit) -> Held {
    let step = |phases: &Phases| {
        phases.step_efficiency?;
        Some((phases.step_cycles()?, phases.tensor? / phases.steps?))
    };
    let (sentence, least) = match m.phases.and_then(step) {
        Some((cycles, products)) => (
            words!(
                "Tensor-bound: a step of the main loop takes {} cycles, and the tensor pipe is busy for {} of them ({} %).",
                glance::cycles(cycles),
                glance::cycles(products),
                whole(unit.resident)
            ),
            m.limits[Threshold::StepEfficiency],
        ),
        None => (
            words!(
                "Tensor-bound: the tensor pipe is busy for {} of the time that an SM holds a block.",
                share(m.active.map_or(unit.resident, |active| (unit.share / active).min(1.0)))
            ),
            m.limits[Threshold::UnitSaturated],
        ),
    };
    Held::of_unit(m, unit, 100.0 * unit.resident, least, sentence).at(at_products(m))
}

/// Where the products are called.
pub(super) fn at_products(m: &Measures<'_>) -> At {
    let site = m.phases.and_then(|phases| phases.sites.first());
    site.map_or(At::Limiter, |site| At::point(&site.at))
}

/// Steps that wait for all of their products, so that the tensor pipe is idle while warps compute.
fn drained(m: &Measures<'_>) -> Option<Held> {
    let phases = m.sampled()?;
    let cost = phases.drain_in_loop?;
    let parts = &phases.phase(PhaseKind::MainLoop)?.parts;
    let computes: f64 = parts.iter().filter(|part| part.kind == PhaseKind::Compute).map(|part| part.share).sum();
    let then =
        (computes >= WORTH).then(|| format!("; {} of the samples compute between the products", share(computes)));
    let sentence = words!(
        "Each step waits for all of its products: the tensor pipe works for {} of its {} cycles{}.",
        glance::cycles(phases.tensor? / phases.steps?),
        glance::cycles(phases.step_cycles()?),
        then.unwrap_or_default()
    );
    let held = Held::new(Code::DrainedProducts, 100.0 * cost, m.limits[Threshold::EpilogueExposed], sentence);
    Some(held.at(at_products(m)).from(m.held(&[TENSOR])))
}

/// Products in flight across steps.
fn drain(m: &Measures<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let cost = phases.drain_in_loop.filter(|cost| *cost >= WORTH)?;
    let why = words!(
        "waiting for all products in the loop drains the pipe: {} cycles a step, {} of them tensor-busy",
        glance::cycles(phases.step_cycles()?),
        glance::cycles(phases.tensor? / phases.steps?)
    );
    let now = phases.step_efficiency.map(|now| format!(" {}", whole(now))).unwrap_or_default();
    let draft = Draft::overlaps(Action::KeepProducts, cost).at(at_products(m));
    // The same products in a loop that is shorter by what is saved.
    let (looped, best) = (phases.share(PhaseKind::MainLoop), m.limits[Threshold::StepEfficiency]);
    let shorter = looped / (looped - draft.saves(m)).max(0.01);
    let goal = fixed(phases.step_efficiency.map_or(best, |now| (100.0 * now * shorter).min(best)), 0);
    Some(draft.because(why).checks(words!("tensor in the main loop{} → {} %", now, goal), TENSOR))
}

/// What a tile of twice the side asks of L2 for the same products: registers that hold fragments can hold sums.
const LARGER_TILE: f64 = 0.5;

/// The part of the waits of warps that multiply fragment by fragment which products of warpgroups hide.
const ASYNCHRONOUS: f64 = 0.75;

/// Operations of a multiply-add.
const OPERATIONS: f64 = 2.0;

fn generation(m: &Measures<'_>) -> Option<Draft> {
    let chip = m.chip()?;
    let is_older = chip.full_rate_tensor? == Class::TensorWgmma.id()
        && m.has_tensor
        && m.mix.has_class(Class::TensorWgmma) == Some(false);
    let (conversions, source) = conversions(m);
    let executed_work = executed_operations(m.kernel);
    let of_type = source.or(executed_work.map(|(operands, _)| operands)).unwrap_or("fp16");
    let rate = f64::from(*chip.tensor.as_ref()?.dense.get(of_type)?);
    let stated = m.work.flop.map(|flop| flop as f64);
    let work = stated.or(executed_work.map(|(_, operations)| operations)).filter(|_| is_older)?;
    let tensor = m.unit(Part::ComputeTensor)?;
    let goal = (work / (rate * m.sm_cycles()?)).min(tensor.share);
    let executed = m.executed()?;
    let products = m.count(Op::is_product);
    // Products of warpgroups read their operands from shared memory themselves.
    let by_matrix = m.count(|op| op.class() == Some(Class::MatrixLoad) && op.act() == Some(Act::Load));
    let by_lane = m.study.and_then(Study::fragment_loads).map_or(0, |own| own.loads + own.joins);
    let operands = by_matrix + by_lane as f64;
    // Sums of halves that are added up in single precision beside the products go with the halves.
    let promotion = if source.is_some() { m.count(|op| op == Op::FADD) } else { 0.0 };
    let gone = (conversions + operands + products + promotion).min(executed);
    let issue = m.unit(Part::Issue).map(|unit| (Part::Issue, unit.share * (1.0 - gone / executed)));
    let after: Vec<(Part, f64)> = issue.into_iter().chain([(Part::ComputeTensor, goal)]).collect();
    // A warp waits for its fragments and for the products before; the copy of operands and the products of a warpgroup run beside it.
    // What waits for conflicts of banks waits for another layout.
    let of_operands = wavefronts_of_all(m).map_or(1.0, |own| own.ideal / own.all);
    let fed = m.waits(&[StallReason::ShortScoreboard, StallReason::MioThrottle]);
    let own = m.waits(&[StallReason::Wait, StallReason::MathPipeThrottle]);
    let draft = Draft::relieves(m, Action::TensorGeneration, &after).rewrites().moves_work();
    let draft = draft.keeps(&[Part::MemoryL2], 1.0, LARGER_TILE);
    let draft = draft.frees(ASYNCHRONOUS * (own + of_operands * fed), own + fed);
    let converted = match conversions > 0.0 {
        true => format!("; {} conversions of 8-bit operands disappear", glance::short(conversions)),
        false => String::new(),
    };
    let why = words!(
        "`mma.sync` reaches part of the chip's {} multiply-adds a cycle and SM{}",
        fixed(rate / OPERATIONS, 0),
        converted
    );
    let draft =
        draft.at(at_products(m)).says(words!("Warpgroup products (`wgmma`) in {}", of_type.to_uppercase()), why);
    let check = words!("HMMA = 0; tensor pipe {} → {}", share(tensor.share), share(goal));
    Some(draft.checks(check, tensor.counter.clone()))
}

/// Products for which a value that is loaded is used, from which on there is a tile of rows and columns: a dot product uses it for one, a
/// product of complex numbers for two.
const OF_A_TILE: f64 = 2.0;

/// Bytes of a wavefront.
const WAVEFRONT: f64 = 128.0;

/// The type whose tensor instructions give the same as a scalar multiply-add.
struct Kin {
    name: &'static str,
    /// Multiply-adds for each lane.
    each: f64,
    /// Of a factor in memory.
    bytes: f64,
    /// What makes a factor of what is in memory; `None` where they are the same.
    converts: Option<Op>,
}

/// Single precision has none, as TF32 keeps ten bits, but for factors that were halves.
fn kin(op: Op) -> Option<Kin> {
    let of = |name, each, bytes| Kin { name, each, bytes, converts: None };
    match op.pipe()? {
        Pipe::Fp64 => Some(of("fp64", 1.0, 8.0)),
        Pipe::Fp16 => Some(of("fp16", 2.0, 2.0)),
        _ if op.class() == Some(Class::Fp32) => Some(Kin { converts: Some(Op::HADD2), ..of("fp16", 1.0, 2.0) }),
        _ => (op == Op::IDP).then(|| of("int8", 4.0, 1.0)),
    }
}

/// Whether a row leaves a factor as it is in memory, or as it was there before its conversion: in registers, or in front of shared memory
/// that holds nothing else.
fn is_factor(study: &Study<'_>, converts: Option<Op>, row: usize) -> bool {
    let (code, flows) = (&study.code, &study.flows);
    let Some(converts) = converts else { return code.op(row).brings_from_memory() };
    if code.op(row).loads_shared() {
        let fills =
            |row: &usize| code.executed[*row] > 0 && (code.op(*row).stores_shared() || code.op(*row).copies_global());
        let mut fills = (0..code.rows.len()).filter(fills).peekable();
        let halves = |row: usize| flows.data_of(code, row).all(|row| is_converted(study, converts, row));
        return fills.peek().is_some() && fills.all(|row| code.op(row).stores_shared() && halves(row));
    }
    is_converted(study, converts, row)
}

/// Whether a row converts what memory brought.
fn is_converted(study: &Study<'_>, converts: Op, row: usize) -> bool {
    let (code, flows) = (&study.code, &study.flows);
    let reads = code.rows[row].word.unwrap_or_default().registers.reads;
    let mut own = reads.into_iter().filter(|register| register.count > 0 && register.file == RegisterFile::General);
    code.op(row) == converts
        && own.any(|own| {
            let behind = flows.definitions(code, row, own);
            !behind.is_empty() && behind.iter().all(|row| code.op(*row).brings_from_memory())
        })
}

/// Scalar multiply-adds of rows and columns, where the chip has tensor instructions of their type: as many at the rate of these, and
/// fragments that lanes hold once for a warp, where each thread had read the row and the column of its own sums.
fn on_tensor(m: &Measures<'_>) -> Option<Draft> {
    let study = m.study.filter(|_| !m.has_tensor)?;
    let ops = m.kernel.opcodes().keys().map(|opcode| Op::of(opcode));
    let drafts = ops.filter_map(|op| on_tensor_of(m, study, op));
    drafts.max_by(|a, b| a.saves(m).total_cmp(&b.saves(m)))
}

/// The multiply-adds of one opcode.
fn on_tensor_of(m: &Measures<'_>, study: &Study<'_>, op: Op) -> Option<Draft> {
    let (code, flows) = (&study.code, &study.flows);
    let Kin { name: of_type, each, bytes, converts } = kin(op)?;
    let rate = f64::from(*m.chip()?.tensor.as_ref()?.dense.get(of_type)?);
    let capability = m.kernel.device().compute_capability;
    let unit = m.units.iter().find(|unit| unit.part.row().is_some_and(|row| row.runs(op, capability)))?;
    // What is made of values is no element of a matrix: a distance belongs to one pair alone.
    let (mut executed, mut loaded, mut sums) = (0.0, BTreeMap::new(), BTreeSet::new());
    for own in products_of((code, flows), |other| other == op) {
        let behind = own.factors.map(|factor| (factor.number, flows.definitions(code, own.row, factor)));
        if behind.iter().all(|(_, rows)| rows.iter().all(|row| is_factor(study, converts, *row))) {
            executed += code.executed[own.row] as f64;
            sums.extend(code.registers(own.row).written().next().map(|sum| sum.number));
            let values = behind.iter().flat_map(|(number, rows)| rows.iter().map(|row| (*number, *row)));
            loaded.extend(values.map(|(number, row)| ((number, row), code.executed[row] as f64)));
        }
    }
    let all = m.count(|other| other == op);
    // A tile is one of registers, or of shared memory that the threads of a block share.
    let is_tile = 2.0 * executed > OF_A_TILE * loaded.values().sum::<f64>() || Tile::of(m).is_some();
    // Halves are converted on the pipe that multiplies.
    let is_conversion = |row: &usize| converts.is_some_and(|converts| code.op(*row) == converts);
    let converted: f64 = loaded.iter().filter(|((_, row), _)| is_conversion(row)).map(|(_, executed)| executed).sum();
    let multiplied = executed * WARP * each;
    let goal = OPERATIONS * multiplied / (rate * m.sm_cycles()?);
    let now = unit.share * (executed + converted) / executed_on(m, unit.part)?;
    if 2.0 * executed <= all || !is_tile || goal >= now {
        return None;
    }
    let pipe = (unit.share - now + goal) / unit.share;
    // A warp reads the rows and the columns of its sums, each value once.
    let wavefronts = 2.0 * multiplied * bytes / (WARP * each * sums.len() as f64).sqrt() / WAVEFRONT;
    let reads = wavefronts_of_all(m).map_or(1.0, |own| (wavefronts / own.all).min(1.0));
    let stage = DataStage::of(m.kernel).filter(|stage| stage.whole > 0.0);
    let kept = |reads: f64| stage.as_ref().map_or(1.0, |stage| 1.0 - (1.0 - reads) * stage.shared / stage.whole);
    let loads = m.count(Op::loads_shared);
    // Fragments take as many requests less as they take wavefronts less.
    let requests = |reads: f64| 1.0 - (1.0 - reads) * (loads / m.count(|op| op.is_lsu_access()).max(1.0)).min(1.0);
    let gone = executed + converted + (1.0 - reads) * loads;
    let issue = (1.0 - gone / m.executed()?).max(0.0);
    let fed = m.waits(&[StallReason::ShortScoreboard, StallReason::MioThrottle]);
    let own = m.waits(&[StallReason::Wait, StallReason::MathPipeThrottle]);
    let draft = Draft::new(Action::TensorGeneration)
        .rewrites()
        .moves_work()
        .keeps(&[unit.part], pipe, goal / unit.share)
        .keeps(&DATA_STAGE, kept(reads), kept(0.0))
        .keeps(&[Part::MemoryLsu], requests(reads), requests(0.0))
        .keeps(&[Part::Issue], issue, 0.0)
        .keeps(&[Part::MemoryL2], 1.0, LARGER_TILE)
        .frees((1.0 - reads) * fed + (1.0 - pipe) * own, fed + own);
    let (name, kind) = (op.name(), of_type.to_uppercase());
    let why = words!(
        "{} `{}` on loaded {}; {} {} → {} at {} multiply-adds a cycle and SM; fragments read {} of the wavefronts",
        count(executed),
        name,
        if converts.is_some() { "halves" } else { "values" },
        &unit.name,
        share(unit.share),
        share(pipe * unit.share),
        fixed(rate / OPERATIONS, 0),
        share(reads)
    );
    let how = words!("Multiply on the tensor pipe, by `mma.sync` in {}", kind);
    let draft = draft.at(At::most(m, |other| other == op)).says(how, why);
    let draft = draft.risks("fragments laid out over the lanes of a warp; another order of the sums");
    Some(draft.checks(words!("{} {} → 0", name, count(all)), format!("opcode.{name}")))
}

/// Executed conversions that unpack 8-bit floats for products of halves, and the type that they come from.
fn conversions(m: &Measures<'_>) -> (f64, Option<&'static str>) {
    let by = m.kernel.with_modifiers().into_iter().flatten();
    let all: f64 = by.filter(|(opcode, _)| unpacks_bytes(opcode)).map(|(_, executed)| executed).sum();
    (all, (all > 0.0).then_some("fp8"))
}

/// How far the counters may lie from what the shape says: an operand in registers is twice as far, or further.
const TOLERANCE: f64 = 0.1;

/// A stage that is as full as the tensor pipe is no gain yet.
const BELOW: f64 = 0.9;

/// The part of the data stage that operands take, where they take most of it; 0 to 1.
pub(super) fn operands(m: &Measures<'_>) -> Option<f64> {
    let stage = DataStage::of(m.kernel)?;
    stage.operands.filter(|operands| 2.0 * operands >= stage.whole).map(|operands| operands / 100.0)
}

/// Products of more columns.
fn wider(m: &Measures<'_>) -> Option<Draft> {
    let (operands, tensor) = (operands(m)?, m.unit(Part::ComputeTensor)?.share);
    let l1 = m.busiest_of(&DATA_STAGE)?;
    let executed = m.kernel.with_modifiers()?;
    let products = executed.iter().filter_map(|(opcode, count)| Some((sides(opcode)?[1], *count)));
    let (columns, _) = products.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let reads = |columns: u32| tensor * wavefronts(columns) / cycles(columns);
    if (operands / reads(columns) - 1.0).abs() > TOLERANCE {
        return None;
    }
    let left = |columns: u32| l1.share - operands + reads(columns);
    let wider = [64, 128, MOST_COLUMNS].into_iter().filter(|wider| *wider > columns);
    let wider = wider.reduce(|less, more| if left(less) <= BELOW * tensor { less } else { more })?;
    let after = DATA_STAGE.map(|part| (part, left(wider)));
    let (next, busy) = busiest(m, &after);
    let takes = |columns: u32| [wavefronts(columns), cycles(columns)].map(|count| fixed(count, 0));
    let ([reads_now, cycles_now], [reads_then, cycles_then]) = (takes(columns), takes(wider));
    let why = words!(
        "operands take {} wavefronts for {} tensor cycles, {} for {} then; {} {} → {}, and {} ({}) is next",
        reads_now,
        cycles_now,
        reads_then,
        cycles_then,
        &l1.name,
        share(l1.share),
        share(left(wider)),
        next,
        share(busy)
    );
    let (from, to) = (columns.to_string(), wider.to_string());
    let how = words!("Products of {} columns in place of {}, or the left operand in registers", to, from);
    let draft = Draft::relieves(m, Action::WiderProducts, &after).at(at_products(m)).says(how, why);
    let draft = draft.risks(words!("{} accumulators a thread for each product", (wider / 2).to_string()));
    Some(draft.checks(words!("operands of wgmma {} → {}", share(operands), share(reads(wider))), OPERANDS))
}

/// Rows that copy a register for the product behind them, and these products: a product takes a factor from registers side by side, and
/// a fragment that was loaded in another order is copied there first.
fn copied(study: &Study<'_>) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let code = &study.code;
    let (mut copies, mut fed) = (BTreeSet::new(), BTreeSet::new());
    for block in &code.flow.blocks {
        let mut open: BTreeMap<u8, usize> = BTreeMap::new();
        for row in block.instructions.clone().filter(|row| code.executed[*row] > 0) {
            let word = code.rows[row].word.unwrap_or_default();
            if let Some([_, factor]) = word.factors() {
                let own = open.range(factor.number..factor.number.saturating_add(factor.count)).map(|(_, row)| *row);
                copies.extend(own.clone());
                fed.extend(own.take(1).map(|_| row));
            }
            for own in word.registers.writes.iter().filter(|own| own.file == RegisterFile::General) {
                for number in own.number..own.number.saturating_add(own.count) {
                    if word.is_copy() {
                        open.insert(number, row)
                    } else {
                        open.remove(&number)
                    };
                }
            }
        }
    }
    (copies, fed)
}

/// Fragments loaded in the order in which products take them.
fn in_order(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (copies, fed) = copied(study);
    let (code, capability) = (&study.code, m.kernel.device().compute_capability);
    let executed = |is_meant: &dyn Fn(Op) -> bool| -> f64 {
        copies.iter().filter(|row| is_meant(code.op(**row))).map(|row| code.executed[*row] as f64).sum()
    };
    let all = executed(&|_| true);
    let gone = Some(all / m.executed()?).filter(|gone| *gone >= WORTH)?;
    let kept = [Part::ComputeFma, Part::ComputeAlu].into_iter().filter_map(|part| {
        let runs = |op: Op| part.row().is_some_and(|row| row.runs(op, capability));
        Some((part, 1.0 - executed(&runs) / m.mix.count(runs).filter(|count| *count > 0.0)?))
    });
    let draft = Draft::new(Action::FewerInstructions).keeps(&[Part::Issue], 1.0 - gone, 1.0 - gone);
    let draft = kept.fold(draft, |draft, (part, kept)| draft.keeps(&[part], kept, kept));
    // With a copy goes the time of a warp at it; a product behind it then waits its own fixed time, for the product before.
    let [at_copies, at_fed]: [Vec<usize>; 2] = [copies, fed].map(|rows| rows.into_iter().collect());
    let of_all = |samples: u64| samples as f64 / (study.samples.sum as f64).max(1.0);
    let freed = of_all(study.samples.at(&at_copies));
    let draft = draft.frees(freed, freed + of_all(study.samples.of_reason(StallReason::Wait.into(), &at_fed)));
    let why = words!(
        "{} copies of registers in front of {} products, {} of the instructions",
        count(all),
        count(m.count(Op::is_product)),
        share(gone)
    );
    let how = "Load fragments in the order in which products take them, by the addresses that lanes give `ldmatrix`: a factor that lies apart is copied register by register";
    let draft = draft.at(at_products(m)).says(how, why).risks("another layout of fragments");
    Some(draft.checks(words!("copies in front of products {} → 0", count(all)), EXECUTED))
}
