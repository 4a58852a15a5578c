//! Control flow in numbers: blocks, loops with their lines and which of them is hot, and roles of warps.

use crate::analysis::phases::{Dispatch, RoleCode, dispatches};
use crate::analysis::sass::{ClassCount, Listed, NaturalLoop, class_counts};
use crate::evidence::Instruction;
use cuda_binary::op::{Control, Sync};
use cuda_binary::{Class, Op};

/// The shape of a function's control flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FlowSummary {
    pub blocks: usize,
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

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RoleRow {
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
fn barriers(code: &[&Instruction]) -> Vec<BarrierUse> {
    let mut found: Vec<BarrierUse> = Vec::new();
    for instruction in code {
        let (barrier, waits) = match instruction.op().sync() {
            Some(Sync::Block) => (instruction.spelt(), !instruction.is("ARV")),
            Some(Sync::Mbarrier) if instruction.is("PHASECHK") => ("mbarrier", true),
            Some(Sync::Mbarrier) if instruction.is("ARRIVE") => ("mbarrier", false),
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

pub(super) fn summary(listed: &Listed<'_>) -> FlowSummary {
    let flow = &listed.flow;
    // What the compiler puts behind an instruction that may be used wrongly, such as an allocation of tensor memory: never run.
    let traps = |entry: &&usize| {
        listed.instructions([*entry]).next().is_some_and(|first| first.op().control() == Some(Control::Trap))
    };
    FlowSummary {
        blocks: flow.blocks.len(),
        edges: flow.blocks.iter().map(|block| block.successors.len()).sum(),
        called: flow.entries.iter().skip(1).filter(|entry| !traps(entry)).count(),
        irreducible: listed.irreducible,
        unseen: flow.blocks.iter().filter(|block| block.leaves_unseen).count(),
    }
}

pub(super) fn loop_rows(listed: &Listed<'_>) -> Vec<LoopRow> {
    let row = |(position, found): (usize, &NaturalLoop)| {
        let own = || listed.instructions(&found.blocks);
        let waits = listed.only_waits(found);
        let mut classes = if waits { Vec::new() } else { class_counts(own()) };
        classes.sort_by_key(|class| std::cmp::Reverse(class.count));
        classes.truncate(4);
        LoopRow {
            start: listed.flow.blocks[found.header].start,
            end: own().map(|instruction| instruction.offset).max().unwrap_or_default(),
            instructions: found.instructions,
            depth: found.depth,
            innermost: found.innermost,
            lines: listed.lines(own()),
            classes,
            waits,
            hottest: listed.hottest == Some(position),
        }
    };
    listed.loops.iter().enumerate().map(row).collect()
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

pub(super) fn dispatch_rows(listed: &Listed<'_>) -> Vec<DispatchRow> {
    let role = |role: &RoleCode| {
        let own: Vec<&Instruction> = listed.instructions(&role.blocks).collect();
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
            who: role.who.map_or_else(String::new, |who| who.to_string()),
            range: (
                own.iter().map(|i| i.offset).min().unwrap_or_default(),
                own.iter().map(|i| i.offset).max().unwrap_or_default(),
            ),
            instructions: own.len(),
            loops: listed.loops.iter().filter(|found| role.blocks.contains(&found.header)).count(),
            barriers: barriers(&own),
            lines: listed.lines(own.into_iter()),
            telling,
        }
    };
    let row = |dispatch: &Dispatch| {
        let decides = &listed.code[listed.flow.blocks[dispatch.block].instructions.end - 1];
        DispatchRow {
            at: decides.offset,
            line: decides.line_in(&listed.file),
            meet: dispatch.meet.map(|block| listed.flow.blocks[block].start),
            roles: dispatch.roles.iter().map(role).collect(),
        }
    };
    dispatches(listed).iter().map(row).collect()
}
