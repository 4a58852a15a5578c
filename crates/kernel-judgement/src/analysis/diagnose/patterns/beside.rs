//! What of the instructions is not the arithmetic of the result, by what it is for, and how much of that can go.

use super::*;
use crate::analysis::phases::Beside;
use std::collections::BTreeSet;

/// What goes of each kind: three of four turns of a loop that is unrolled by four, of addresses that four neighbouring elements share, or of loads of bytes;
/// half of what else may be as the work needs it; of a difference under a square all but what the squares of both take beside the product.
const fn goes(kind: Beside) -> f64 {
    match kind {
        Beside::Addresses | Beside::Turns | Beside::Narrow => 0.75,
        Beside::Tests | Beside::Conversions | Beside::Moves => UNTOLD,
        Beside::Squares => 0.9,
    }
}

/// What such instructions are called, and how there are fewer.
const fn told(kind: Beside) -> [&'static str; 2] {
    match kind {
        Beside::Addresses => ["addresses", "step or share addresses"],
        Beside::Turns => ["loop control", "unroll"],
        Beside::Tests => ["tests and branches", "test once, in front of the loop"],
        Beside::Conversions => ["conversions", "packed conversions, or offsets in the mantissa"],
        Beside::Moves => ["copies of registers", "fewer copies"],
        Beside::Narrow => ["loads of less than a word", "load words"],
        Beside::Squares => {
            ["differences under squares", "squares of differences as products and norms, of fewer digits"]
        }
    }
}

/// Kinds that are told.
const TOLD: usize = 2;

/// What is named of the instructions.
pub(super) struct Named {
    pub(super) rows: BTreeSet<usize>,
    /// The part of all instructions that is named, 0 to 1, and that is expected to go.
    pub(super) part: f64,
    pub(super) gone: f64,
    pub(super) how: Words,
    /// What it is, each with its part.
    pub(super) told: Vec<Words>,
}

/// What is executed beside the arithmetic, the most first.
pub(super) fn named(study: &Study<'_>, all: f64) -> Named {
    let part = |rows: &BTreeSet<usize>| study.code.sum(rows) as f64 / all;
    let mut kinds = Vec::from(study.beside().map(|(kind, rows)| (kind, part(&rows), rows)));
    kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [part, gone] = [(|_| 1.0) as fn(Beside) -> f64, goes].map(|of| kinds.iter().map(|own| of(own.0) * own.1).sum());
    kinds.truncate(TOLD);
    kinds.retain(|(_, part, _)| *part >= WORTH);
    let how = words::join(kinds.iter().map(|own| told(own.0)[1].into()).collect::<Vec<Words>>(), "; ");
    let told = kinds.iter().map(|(kind, part, _)| words!("{} {}", told(*kind)[0], share(*part))).collect();
    Named { part, gone, how, told, rows: kinds.into_iter().flat_map(|(.., rows)| rows).collect() }
}
