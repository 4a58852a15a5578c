//! Products by the chip's own generation of tensor instructions.

use super::{Ask, Draft};
use crate::analysis::derive::mix::unpacks_bytes;
use crate::analysis::diagnose::rules::share;
use crate::catalog::{self, Action, Counter, Part};
use crate::quantity::format;
use crate::quantity::glance;
use crate::words;
use crate::words::Words;
use cuda_binary::op::Act;
use cuda_binary::{Class, Op};

/// Operations of a multiply-add.
const OPERATIONS: f64 = 2.0;

pub(super) fn draft(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let chip = catalog::chip(m.kernel.device().compute_capability?)?;
    let is_older = chip.full_rate_tensor? == Class::TensorWgmma.id()
        && m.has_tensor
        && m.mix.has_class(Class::TensorWgmma) == Some(false);
    let (conversions, source) = conversions(ask);
    let of_type = source.unwrap_or("fp16");
    let rate = f64::from(*chip.tensor.as_ref()?.dense.get(of_type)?);
    let work = m.work.flop.filter(|_| is_older)? as f64;
    let slots = m.cycles? * m.sms?;
    let tensor = m.unit(Part::ComputeTensor)?;
    let goal = (work / (rate * slots)).min(tensor.share);
    let executed = m.kernel.value(Counter::SmspInstExecutedSum).filter(|executed| *executed > 0.0)?;
    let count = |takes: &dyn Fn(Op) -> bool| m.mix.count(takes).unwrap_or(0.0);
    let products = count(&Op::is_product);
    // Products of warpgroups read their operands from shared memory themselves.
    let operands = count(&|op| op.class() == Some(Class::MatrixLoad) && op.act() == Some(Act::Load));
    // Sums of halves that are added up in single precision beside the products go with the halves.
    let promotion = if source.is_some() { count(&|op| op == Op::FADD) } else { 0.0 };
    let gone = (conversions + operands + products + promotion).min(executed);
    let issue = m.unit(Part::Issue).map(|unit| (Part::Issue, unit.share * (1.0 - gone / executed)));
    let after: Vec<(Part, f64)> = issue.into_iter().chain([(Part::ComputeTensor, goal)]).collect();
    Some(
        Draft::relieves(ask, Action::TensorGeneration, &after)
            .says(
                words!("Warpgroup products (`wgmma`) in {}", of_type.to_uppercase()),
                why(conversions, tensor.share, goal, rate / OPERATIONS),
            )
            .risks("operands in shared memory, swizzled; 128 threads per product".into())
            .checks(words!("HMMA = 0; tensor pipe {} → {}", share(tensor.share), share(goal)), tensor.counter.clone()),
    )
}

fn why(conversions: f64, now: f64, goal: f64, rate: f64) -> Words {
    let converted = match conversions > 0.0 {
        true => format!("; {} conversions of 8-bit operands disappear", glance::short(conversions)),
        false => String::new(),
    };
    words!(
        "warp-level products (`mma.sync`) reach only part of the chip's {} multiply-adds per cycle and SM: tensor pipe {} → {} for the same work{}",
        format::fixed(rate, 0),
        share(now),
        share(goal),
        converted
    )
}

/// Executed conversions that unpack 8-bit floats for products of halves, and the type that they come from.
fn conversions(ask: &Ask<'_, '_, '_>) -> (f64, Option<&'static str>) {
    let by = ask.m.kernel.with_modifiers().into_iter().flatten();
    let all: f64 = by.filter(|(opcode, _)| unpacks_bytes(opcode)).map(|(_, executed)| executed).sum();
    (all, (all > 0.0).then_some("fp8"))
}
