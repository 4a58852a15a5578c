//! Control flow in numbers: blocks, loops with their lines and which of them is hot, and roles of warps.

use crate::analysis::sass::{ClassCount, ControlFlow, Dispatch, NaturalLoop, body, count_classes};
use crate::evidence::{SassFunction, SassInstruction};
use cuda_binary::op::{Act, Control, Sync};
use cuda_binary::{Class, Op};
use std::collections::{BTreeSet, HashMap};

/// The shape of a function's control flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FlowSummary {
    /// Basic blocks.
    pub blocks: usize,
    /// Edges between them.
    pub edges: usize,
    /// Functions that are called and stand in the same section, without those that only trap.
    pub called: usize,
    /// Back jumps into code with several ways in, which no loop of the table describes.
    pub irreducible: usize,
    /// Blocks that go on to places which the listing does not name.
    pub unseen: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LoopRow {
    /// Offset of its first instruction in the code.
    pub start: u64,
    /// Offset of its last instruction.
    pub end: u64,
    /// Instructions, inner loops included.
    pub instructions: usize,
    /// How many loops hold it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub depth: usize,
    /// Whether it holds no other.
    #[serde(default, skip_serializing_if = "is_default")]
    pub innermost: bool,
    /// First and last line of the subject's source in it.
    pub lines: Option<(u32, u32)>,
    /// Its instructions by class, the most frequent first, at most four; none of a loop that only waits.
    #[serde(default, skip_serializing_if = "is_default")]
    pub classes: Vec<ClassCount>,
    /// Whether it only waits: a barrier is tried until it opens.
    #[serde(default, skip_serializing_if = "is_default")]
    pub waits: bool,
    /// Whether checks on the hottest loop look at it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hottest: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A role of warps.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RoleRow {
    /// Which warps.
    pub who: String,
    /// Offsets of its first and last instruction.
    pub range: (u64, u64),
    /// Instructions that only it runs.
    pub instructions: usize,
    pub loops: usize,
    /// First and last line of the subject's source in it.
    pub lines: Option<(u32, u32)>,
    /// What it does: telling instructions, `UTMALDG × 2`, in the catalog's order of classes.
    pub telling: Vec<(Op, usize)>,
    /// Where it waits for other warps or lets them go on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub barriers: Vec<BarrierUse>,
}

/// Barriers of one kind in the code of a role.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BarrierUse {
    /// The number of the block's barrier with the threads that it is for, as the code names them (`0x1, 0x80`), or `mbarrier`.
    pub barrier: String,
    /// Instructions that wait at it.
    pub waits: usize,
    /// Instructions that arrive without a wait.
    pub arrivals: usize,
}

/// What a role does at barriers, in the order of their first instruction.
fn barriers(code: &[&SassInstruction]) -> Vec<BarrierUse> {
    let mut found: Vec<BarrierUse> = Vec::new();
    for instruction in code {
        let modified = |by: &str| instruction.modifiers().any(|modifier| modifier == by);
        let (barrier, waits) = match instruction.op().sync() {
            Some(Sync::Block) => (&*instruction.operands, !modified("ARV")),
            Some(Sync::Mbarrier) if modified("PHASECHK") => ("mbarrier", true),
            Some(Sync::Mbarrier) if modified("ARRIVE") => ("mbarrier", false),
            Some(Sync::Commit) => ("mbarrier", false),
            _ => continue,
        };
        let at = found.iter().position(|own| own.barrier == barrier).unwrap_or_else(|| {
            found.push(BarrierUse { barrier: barrier.to_owned(), waits: 0, arrivals: 0 });
            found.len() - 1
        });
        let count = if waits { &mut found[at].waits } else { &mut found[at].arrivals };
        *count += 1;
    }
    found
}

/// A place where warps part.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DispatchRow {
    /// Offset at which they part.
    pub at: u64,
    pub line: Option<u32>,
    /// Offset at which they meet again; `None` where they do not.
    pub meet: Option<u64>,
    pub roles: Vec<RoleRow>,
}

/// The line of an instruction in `file`: the innermost place there, so that inlined library code counts for its caller.
pub(super) fn line_of(instruction: &SassInstruction, file: &str) -> Option<u32> {
    instruction.places.iter().find(|place| place.file.as_ref() == file).map(|place| place.line)
}

/// The file that most instructions come from: the outermost place of each.
pub(super) fn main_file(function: &SassFunction) -> String {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for place in function.instructions.iter().filter_map(|i| i.places.last()) {
        *counts.entry(&place.file).or_default() += 1;
    }
    counts.into_iter().max_by(|a, b| (a.1, b.0).cmp(&(b.1, a.0))).map_or_else(String::new, |(file, _)| file.to_owned())
}

pub(super) fn lines<'a>(code: impl Iterator<Item = &'a SassInstruction>, file: &str) -> Option<(u32, u32)> {
    let found: Vec<u32> = code.filter_map(|instruction| line_of(instruction, file)).collect();
    Some((*found.iter().min()?, *found.iter().max()?))
}

pub(super) fn summary(function: &SassFunction, flow: &ControlFlow, irreducible: usize) -> FlowSummary {
    let code = body(function);
    // What the compiler puts behind an instruction that may be used wrongly, such as an allocation of tensor memory: never run.
    let traps = |entry: &&usize| {
        code[flow.blocks[**entry].instructions.clone()]
            .first()
            .is_some_and(|first| first.op().control() == Some(Control::Trap))
    };
    FlowSummary {
        blocks: flow.blocks.len(),
        edges: flow.blocks.iter().map(|block| block.successors.len()).sum(),
        called: flow.entries.iter().skip(1).filter(|entry| !traps(entry)).count(),
        irreducible,
        unseen: flow.blocks.iter().filter(|block| block.leaves_unseen).count(),
    }
}

pub(super) fn loop_rows(
    function: &SassFunction,
    flow: &ControlFlow,
    found: &[NaturalLoop],
    hottest: Option<usize>,
    file: &str,
) -> Vec<LoopRow> {
    let code = body(function);
    let row = |(position, found): (usize, &NaturalLoop)| {
        let own = || found.blocks.iter().flat_map(|block| &code[flow.blocks[*block].instructions.clone()]);
        let waits = super::flow::only_waits(own());
        let mut classes = if waits { Vec::new() } else { count_classes(own()) };
        classes.sort_by_key(|class| std::cmp::Reverse(class.count));
        classes.truncate(4);
        LoopRow {
            start: flow.blocks[found.header].start,
            end: own().map(|instruction| instruction.offset).max().unwrap_or_default(),
            instructions: found.instructions,
            depth: found.depth,
            innermost: found.innermost,
            lines: lines(own(), file),
            classes,
            waits,
            hottest: hottest == Some(position),
        }
    };
    found.iter().enumerate().map(row).collect()
}

/// Opcodes that tell what a role is for.
const TELLING: [Class; 13] = [
    Class::AsyncCopy,
    Class::Tma,
    Class::MatrixLoad,
    Class::TensorMma,
    Class::TensorWgmma,
    Class::TensorTcgen05,
    Class::TensorMemory,
    Class::GlobalLoad,
    Class::GlobalStore,
    Class::SharedLoad,
    Class::SharedStore,
    Class::Atomic,
    Class::LocalMemory,
];

pub(super) fn dispatch_rows(
    function: &SassFunction,
    flow: &ControlFlow,
    loops: &[NaturalLoop],
    found: &[Dispatch],
    file: &str,
) -> Vec<DispatchRow> {
    let code = body(function);
    let role = |role: &crate::analysis::sass::RoleCode| {
        let blocks: BTreeSet<usize> = role.blocks.iter().copied().collect();
        let own: Vec<&SassInstruction> =
            role.blocks.iter().flat_map(|block| &code[flow.blocks[*block].instructions.clone()]).collect();
        let mut telling: Vec<(Op, usize)> = Vec::new();
        for class in &TELLING {
            let of_class = own.iter().filter(|i| i.op().class() == Some(*class));
            for instruction in of_class {
                match telling.iter_mut().find(|(op, _)| *op == instruction.op()) {
                    Some((_, count)) => *count += 1,
                    None => telling.push((instruction.op(), 1)),
                }
            }
        }
        RoleRow {
            who: role.who.clone(),
            range: (
                own.iter().map(|i| i.offset).min().unwrap_or_default(),
                own.iter().map(|i| i.offset).max().unwrap_or_default(),
            ),
            instructions: own.len(),
            loops: loops.iter().filter(|found| blocks.contains(&found.header)).count(),
            barriers: barriers(&own),
            lines: lines(own.into_iter(), file),
            telling,
        }
    };
    let row = |dispatch: &Dispatch| {
        let decides = &code[flow.blocks[dispatch.block].instructions.end - 1];
        DispatchRow {
            at: decides.offset,
            line: line_of(decides, file),
            meet: dispatch.meet.map(|block| flow.blocks[block].start),
            roles: dispatch.roles.iter().map(role).collect(),
        }
    };
    found.iter().map(row).collect()
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

/// Whether a loop only waits: it tries a barrier and neither moves data nor computes with floats.
pub(super) fn only_waits<'a>(code: impl Iterator<Item = &'a SassInstruction>) -> bool {
    let (mut count, mut tries, mut works) = (0, false, false);
    for instruction in code {
        count += 1;
        let op = instruction.op();
        tries |= matches!(op.sync(), Some(Sync::Mbarrier | Sync::Sleep))
            || op.is_l2_atomic() && op.act() == Some(Act::Atomic);
        works |= op.is_of(&WORKING);
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
        let has_tensor = code.iter().any(|i| i.op().is_product());
        (has_tensor, found.depth, found.instructions)
    };
    let working: Vec<usize> = (0..found.len()).filter(|at| !only_waits(own(&found[*at]).into_iter())).collect();
    let holds_another =
        |at: usize| working.iter().any(|other| *other != at && found[at].blocks.contains(&found[*other].header));
    let candidates = working.iter().map(|at| (*at, &found[*at]));
    candidates.filter(|(at, _)| !holds_another(*at)).max_by_key(|(_, found)| rank(found)).map(|(position, _)| position)
}
