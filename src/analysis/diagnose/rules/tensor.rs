//! Rules on kernels that multiply matrices: fences in the loop, the epilogue, the tensor pipe itself.

use super::{At, Held, count, share};
use crate::analysis::diagnose::level::Unit;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Place;
use crate::analysis::lines::Sits;
use crate::analysis::phases::{Phase, PhaseKind};
use crate::catalog::{Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// Fences of one lane in front of an arrival in the main loop, with everything that waits behind them.
pub(super) fn fence_chain(m: &Measures<'_, '_>) -> Option<Held> {
    let chain = m.sampled()?.fence_chain.as_ref()?;
    let sentence = words!(
        "Fences at `:{}` ({} executed with a lane on) delay the arrival of each step, and with it the refill, the full barrier and the first product: {} of a warp's lifetime.",
        chain.at.line.to_string(),
        count(chain.lanes as f64),
        share(chain.cost)
    );
    let held = Held::new(Code::FenceChain, 100.0 * chain.cost, m.limits[Threshold::FenceChain], sentence);
    Some(held.at(At::point(&chain.at)).from(m.readings(&[StallReason::Membar.samples()])))
}

/// An epilogue in which the tensor pipe is idle for certain.
pub(super) fn exposed_epilogue(m: &Measures<'_, '_>) -> Option<Held> {
    let phases = m.sampled()?;
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue)?;
    if phases.tensor.is_none() || epilogue.tensor != Some(0.0) {
        return None;
    }
    let full = if m.is_saturated() { "" } else { "; no unit is saturated" };
    let sentence = words!(
        "{} of the warp samples are in {}, entered after the last products: the tensor pipe is idle there{}.",
        share(epilogue.share),
        named(epilogue),
        full
    );
    let held = Held::new(Code::ExposedEpilogue, 100.0 * epilogue.share, m.limits[Threshold::EpilogueExposed], sentence);
    Some(held.at(at(epilogue)).from(m.held(&[Counter::SmPipeTensorCyclesActiveAvgPctElapsed])))
}

/// What a phase is called: the function that it is, and its lines.
pub(super) fn named(phase: &Phase) -> Words {
    match (&phase.name, phase.at.first) {
        (Some(name), _) if name.first == name.last => words!("`{}` (:{})", &name.name, name.first.to_string()),
        (Some(name), _) => {
            words!("`{}` (:{}–:{})", &name.name, name.first.to_string(), name.last.to_string())
        }
        (None, 0) => format!("the epilogue (SASS {:#x})", phase.at.start).into(),
        (None, first) => words!("the epilogue (:{}–:{})", first.to_string(), phase.at.last.to_string()),
    }
}

/// The call of a phase, else its first line.
fn at(phase: &Phase) -> At {
    let place = |line: u32| At::Place(Place { file: phase.at.file.clone(), line, inlined_at: Vec::new() });
    match &phase.name {
        Some(name) => place(name.call),
        None if phase.at.first > 0 => place(phase.at.first),
        None => At::Line(Sits::Nowhere),
    }
}

/// The tensor pipe is full in the steps of the main loop, or while a block is resident.
pub(super) fn full(m: &Measures<'_, '_>, unit: &Unit) -> Held {
    let phases = m.kernel_of.phases;
    let step = phases
        .and_then(|phases| Some((phases.step_cycles()?, phases.tensor? / phases.steps?, phases.step_efficiency?)));
    let (sentence, least) = match step {
        Some((cycles, products, _)) => (
            words!(
                "Tensor-bound: a step of the main loop takes {} cycles, and the tensor pipe is busy for {} of them ({} %).",
                count(cycles),
                count(products),
                format::fixed(100.0 * unit.resident, 0)
            ),
            m.limits[Threshold::StepEfficiency],
        ),
        None => (
            words!(
                "Tensor-bound: the tensor pipe is busy for {} of the time that an SM holds a block.",
                share(unit.resident)
            ),
            m.limits[Threshold::UnitSaturated],
        ),
    };
    let held = Held::new(Code::Unit(Part::ComputeTensor), 100.0 * unit.resident, least, sentence);
    held.at(products(m)).from(m.readings(&[&unit.counter]))
}

/// Where the products are called.
pub(super) fn products(m: &Measures<'_, '_>) -> At {
    let site = m.kernel_of.phases.and_then(|phases| phases.sites.first());
    site.map_or(At::Line(Sits::Limiter), |site| At::point(&site.at))
}
