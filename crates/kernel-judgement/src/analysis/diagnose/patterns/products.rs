//! Tensor products: the pipe that is full, products in flight, their generation and shape.

use super::banks::wavefronts as wavefronts_of_all;
use super::epilogue::TENSOR;
use super::on_tensor::{LARGER_TILE, OPERATIONS, on_tensor};
use super::*;
use crate::analysis::derive::data_stage::OPERANDS;
use crate::analysis::derive::mix::unpacks_bytes;
use crate::analysis::derive::product_shape::{MOST_COLUMNS, cycles, sides, wavefronts};
use crate::analysis::derive::roofline::executed_operations;

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Does each step wait for all of its products?", drained, Stands::ByItself(Action::KeepProducts))
        .needs(SAMPLES)
        .cured_by(&[drain]),
    Pattern::changes(&[generation, on_tensor, wider]),
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
    site.map_or_else(|| At::most(m, Op::is_product), |site| At::point(&site.at))
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
        words::maybe(then)
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

/// The part of the waits of warps that multiply fragment by fragment which products of warpgroups hide.
const ASYNCHRONOUS: f64 = 0.75;

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
    let fed = m.waits(&FOR_SHARED);
    let own = m.waits(&[StallReason::Wait, StallReason::MathPipeThrottle]);
    let draft = Draft::relieves(m, Action::TensorGeneration, &after).rewrites().moves_work();
    let draft = draft.keeps(&[Part::MemoryL2], 1.0, LARGER_TILE);
    let draft = draft.frees(ASYNCHRONOUS * (own + of_operands * fed), own + fed);
    let converted = (conversions > 0.0)
        .then(|| format!("; {} conversions of 8-bit operands disappear", glance::short(conversions)));
    let why = words!(
        "`mma.sync` reaches part of the chip's {} multiply-adds a cycle and SM{}",
        fixed(rate / OPERATIONS, 0),
        words::maybe(converted)
    );
    let draft =
        draft.at(at_products(m)).says(words!("Warpgroup products (`wgmma`) in {}", of_type.to_uppercase()), why);
    let check = words!(
        "{}; tensor pipe {} → {}",
        goes("products of mma.sync", m.count(Op::is_product)),
        share(tensor.share),
        share(goal)
    );
    Some(draft.checks(check, tensor.counter.clone()))
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
    let stage = m.stage()?;
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
