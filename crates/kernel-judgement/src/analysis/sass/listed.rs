//! A function of a listing, cut into blocks and loops: what all that is read off a listing begins with.

use crate::evidence::{Instruction, SassFunction};
use cuda_binary::Class;
use cuda_binary::flow::{ControlFlow, NaturalLoop, loops};
use cuda_binary::op::{Act, Sync};
use std::collections::HashMap;

/// The code of a function.
pub struct Listed<'f> {
    /// Its instructions, without the padding behind its end.
    pub code: &'f [Instruction],
    pub flow: ControlFlow,
    /// Its natural loops, by their header's offset.
    pub loops: Vec<NaturalLoop>,
    /// Back jumps into code with several ways in, which no loop describes.
    pub(in crate::analysis) irreducible: usize,
    /// The position of the loop that most likely runs most: among loops that hold no other, loops that only wait not counted, those
    /// with tensor instructions before others, then the deepest, then the longest. A guess from structure, not a measurement.
    pub(in crate::analysis) hottest: Option<usize>,
    /// The file that most instructions come from: the outermost place of each.
    pub(in crate::analysis) file: String,
}

impl<'f> Listed<'f> {
    pub fn of(function: &'f SassFunction) -> Listed<'f> {
        let code = function.body();
        let flow = ControlFlow::of(code);
        let (loops, irreducible) = loops(&flow);
        let (irreducible, file) = (irreducible.len(), main_file(function));
        let mut listed = Listed { code, flow, loops, irreducible, hottest: None, file };
        listed.hottest = listed.find_hottest();
        listed
    }

    pub(crate) fn instructions<'b>(
        &'b self,
        blocks: impl IntoIterator<Item = &'b usize>,
    ) -> impl Iterator<Item = &'f Instruction> {
        let code = self.code;
        blocks.into_iter().flat_map(move |block| &code[self.flow.blocks[*block].instructions.clone()])
    }

    /// What stands in the block of an instruction in front of it.
    pub(in crate::analysis) fn in_front(&self, at: usize) -> Option<&'f [Instruction]> {
        Some(&self.code[self.flow.blocks[self.flow.block_of(at)?].instructions.start..at])
    }

    pub(in crate::analysis) fn loops_around(&self, at: usize) -> impl Iterator<Item = &NaturalLoop> {
        let block = self.flow.block_of(at);
        self.loops.iter().filter(move |own| block.is_some_and(|block| own.blocks.contains(&block)))
    }

    /// The first and the last line of its file that some instructions come from.
    pub(in crate::analysis) fn lines<'i>(&self, code: impl Iterator<Item = &'i Instruction>) -> Option<(u32, u32)> {
        let found: Vec<u32> = code.filter_map(|instruction| instruction.line_in(&self.file)).collect();
        Some((*found.iter().min()?, *found.iter().max()?))
    }

    /// Whether a loop only waits: it tries a barrier and neither moves data nor computes with floats.
    pub(in crate::analysis) fn only_waits(&self, own: &NaturalLoop) -> bool {
        let (mut tries, mut works) = (false, false);
        for op in self.instructions(&own.blocks).map(Instruction::op) {
            tries |= matches!(op.sync(), Some(Sync::Mbarrier | Sync::Sleep))
                || op.is_l2_atomic() && op.act() == Some(Act::Atomic);
            works |= op.is_of(&WORKING);
        }
        tries && !works && own.instructions <= LONGEST_WAIT
    }

    fn find_hottest(&self) -> Option<usize> {
        let rank = |found: &NaturalLoop| {
            let has_tensor = self.instructions(&found.blocks).any(|i| i.op().is_product());
            (has_tensor, found.depth, found.instructions)
        };
        let found = &self.loops;
        let working: Vec<usize> = (0..found.len()).filter(|at| !self.only_waits(&found[*at])).collect();
        let holds_another =
            |at: usize| working.iter().any(|other| *other != at && found[at].blocks.contains(&found[*other].header));
        let candidates = working.iter().copied().filter(|at| !holds_another(*at));
        candidates.max_by_key(|at| rank(&found[*at]))
    }
}

/// Instructions of a loop that does nothing but try a barrier.
const LONGEST_WAIT: usize = 16;

/// Classes that move data, or compute with floats.
const WORKING: [Class; 14] = [
    Class::GlobalLoad,
    Class::GlobalStore,
    Class::SharedLoad,
    Class::SharedStore,
    Class::Tma,
    Class::AsyncCopy,
    Class::MatrixLoad,
    Class::TensorMma,
    Class::TensorWgmma,
    Class::TensorTcgen05,
    Class::TensorMemory,
    Class::Fp32,
    Class::Fp16,
    Class::Fp64,
];

fn main_file(function: &SassFunction) -> String {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for place in function.instructions.iter().filter_map(|i| i.places.last()) {
        *counts.entry(&place.file).or_default() += 1;
    }
    counts.into_iter().max_by(|a, b| (a.1, b.0).cmp(&(b.1, a.0))).map_or_else(String::new, |(file, _)| file.to_owned())
}
