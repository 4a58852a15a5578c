//! The shape of warpgroup products: where reading their operands fills the data stage.

use super::products::at_products;
use super::*;
use crate::analysis::derive::data_stage::OPERANDS;
use crate::analysis::derive::product_shape::{MOST_COLUMNS, cycles, sides, wavefronts};

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[wider])];

/// How far the counters may lie from what the shape says: an operand in registers is twice as far, or further.
const TOLERANCE: f64 = 0.1;

/// A stage that is as full as the tensor pipe is no gain yet.
const BELOW: f64 = 0.9;

/// The part of the data stage that operands take, where they take most of it; 0 to 1.
pub(super) fn operands(m: &Ask<'_>) -> Option<f64> {
    let stage = DataStage::of(m.kernel)?;
    stage.operands.filter(|operands| 2.0 * operands >= stage.whole).map(|operands| operands / 100.0)
}

/// Products of more columns.
fn wider(m: &Ask<'_>) -> Option<Draft> {
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
