//! Which loop runs most, as far as code alone can tell.

use crate::analysis::sass::{ControlFlow, NaturalLoop, body, class_of};
use crate::evidence::{SassFunction, SassInstruction};

/// Instructions of a loop that does nothing but try a barrier.
const LONGEST_WAIT: usize = 16;

/// Whether a loop only waits: it tries a barrier and neither moves data nor computes with floats.
pub(super) fn only_waits<'a>(code: impl Iterator<Item = &'a SassInstruction>) -> bool {
    let (mut count, mut tries, mut works) = (0, false, false);
    for instruction in code {
        count += 1;
        tries |= matches!(instruction.base(), "SYNCS" | "NANOSLEEP" | "ATOMG" | "ATOM");
        works |= matches!(
            class_of(&instruction.opcode),
            "global-load"
                | "global-store"
                | "shared-load"
                | "shared-store"
                | "tma"
                | "async-copy"
                | "matrix-load"
                | "tensor-mma"
                | "tensor-wgmma"
                | "tensor-tcgen05"
                | "tensor-memory"
                | "fp32"
                | "fp16"
                | "fp64"
        );
    }
    tries && !works && count <= LONGEST_WAIT
}

/// The position of the loop that most likely runs most: among loops that hold no other, loops that only wait not counted,
/// those with tensor instructions before others, then the deepest, then the longest. A guess from structure, not a
/// measurement.
pub(super) fn hottest(function: &SassFunction, flow: &ControlFlow, found: &[NaturalLoop]) -> Option<usize> {
    let code = body(function);
    let own = |found: &NaturalLoop| {
        found.blocks.iter().flat_map(|block| &code[flow.blocks[*block].instructions.clone()]).collect::<Vec<_>>()
    };
    let rank = |found: &NaturalLoop| {
        let code = own(found);
        let has_tensor = code.iter().any(|i| {
            matches!(
                i.base(),
                "HMMA" | "IMMA" | "DMMA" | "QMMA" | "OMMA" | "BMMA" | "HGMMA" | "QGMMA" | "IGMMA" | "BGMMA"
            ) || (i.base().starts_with("UTC") && i.base().ends_with("MMA"))
        });
        (has_tensor, found.depth, found.instructions)
    };
    let working: Vec<usize> = (0..found.len()).filter(|at| !only_waits(own(&found[*at]).into_iter())).collect();
    let holds_another =
        |at: usize| working.iter().any(|other| *other != at && found[at].blocks.contains(&found[*other].header));
    let candidates = working.iter().map(|at| (*at, &found[*at]));
    candidates.filter(|(at, _)| !holds_another(*at)).max_by_key(|(_, found)| rank(found)).map(|(position, _)| position)
}
