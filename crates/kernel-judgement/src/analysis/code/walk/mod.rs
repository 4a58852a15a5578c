//! The mbarriers of a kernel, walked: whether each phase gets the arrivals that it is initialised for, and each wait asks for the phase
//! that comes next.
//!
//! The warps of one cluster walk the machine code, with what the launch and the instructions themselves say. Barriers open as in
//! hardware: an mbarrier's phase ends with the last of its arrivals, a wait for a parity passes once the phase of that parity has ended.
//! Bytes of copies are taken as there, and products as finished, as soon as they are issued. The walk ends when all warps do, or every
//! mbarrier that is used again went through `cluster::ENOUGH` phases. It fails where nobody can go on, where a wait passes the same phase
//! twice, and where an arrival counts for another phase, or a wait passes one, when the warps run in another order: with as many arrivals
//! as a phase takes, and a parity that turns with it, each belongs to one phase, whoever runs first. Where a way depends on memory or arguments, and the ways do not meet before the next
//! barrier, nothing is said.

mod cluster;
mod code;
mod step;
mod value;
mod warp;

pub(super) use code::Walked;

use super::block_limits::LaunchShape;
use crate::analysis::sass::Listed;
use cluster::{Copiers, Met, Walk};
use code::{Code, Launch, said};
use cuda_binary::flow::Dominators;
use std::collections::BTreeMap;
use step::Step;

/// Walks until it is known whose copies a phase takes.
const MOST_WALKS: usize = 4;

/// The orders in which a kernel is walked: whether the last warp goes first, and the instructions after which the next one comes to its
/// turn where it does not wait.
const ORDERS: [(bool, usize); 3] = [(false, 10_000), (true, 10_000), (false, 5)];

/// Walks the mbarriers of a kernel.
pub(super) fn walk(listed: &Listed<'_>, shape: &LaunchShape, cluster: u32, arch: &str) -> Walked {
    let Some(block) = shape.sides() else { return Walked::Open("how many threads a block has".into()) };
    let digits: String = arch.chars().filter(char::is_ascii_digit).collect();
    let launch = Launch { block: block.map(|side| side as u32), grid: shape.grid, cluster, is_late: digits.len() > 2 };
    let code = Code {
        listed,
        flow: &listed.flow,
        steps: listed.code.iter().map(Step::of).collect(),
        launch: &launch,
        dominators: Dominators::of(&listed.flow),
    };
    let run = |(is_reversed, turn): (bool, usize), copiers: Copiers| {
        let mut walk = Walk::new(&code, copiers);
        if is_reversed {
            walk.warps.reverse();
        }
        let walked = walk.run(turn);
        (walked, walk.others(), (walk.passed, walk.arrived))
    };
    // Whose copies a phase takes is seen on the walk before.
    let settled = |order: (bool, usize)| {
        let (mut walked, mut copiers, mut met) = run(order, BTreeMap::new());
        for _ in 0..MOST_WALKS {
            if copiers.is_empty() {
                break;
            }
            let found;
            let before = copiers.clone();
            (walked, found, met) = run(order, copiers);
            copiers = found;
            if copiers == before {
                break;
            }
        }
        (walked, met)
    };
    let mut least = u64::MAX;
    let (mut first, mut fault): (Option<(Met, Met)>, Option<String>) = (None, None);
    for order in ORDERS {
        match settled(order) {
            (Walked::Kept(phases), met) => {
                fault = fault.or_else(|| {
                    let (passed, arrived) = first.as_ref()?;
                    differ(("wait", "passes after"), passed, &met.0, &code)
                        .or_else(|| differ(("arrival", "counts behind"), arrived, &met.1, &code))
                });
                (first, least) = (first.or(Some(met)), least.min(phases));
            }
            (other, _) => return other,
        }
    }
    fault.map_or(Walked::Kept(least), Walked::Broken)
}

/// A wait or an arrival that meets another phase in another order of the warps.
fn differ((what, meets): (&str, &str), one: &Met, other: &Met, code: &Code<'_>) -> Option<String> {
    one.iter().find_map(|((thread, place), phases)| {
        let others = other.get(&(*thread, *place))?;
        let ((a, at), (b, _)) = phases.iter().zip(others).find(|(a, b)| a != b)?;
        let (block, warp, _) = thread;
        Some(format!(
            "the {what} of warp {warp} of block {block} at {} {meets} {a} or {b} phases of the mbarrier at {}, by the order in which warps run",
            code.place(*at),
            said(*place)
        ))
    })
}
