//! Checks on machine code that a subject states, and the search for what they ask.

use super::checked::{Checked, DECIDING_KEPT, Deciding, Matched, Seen};
use super::shared_layout::{self, SharedPart};
use super::walk::{Walked, walk};
use super::{
    CodeFacts, block_limits::LaunchShape, count::Count, latency::under_way, resource_checks::Resource,
    resources::ResourceRow, scope::Scope,
};
use crate::analysis::phases::past_of_stores;
use crate::analysis::sass::{Dominators, Listed, NaturalLoop, access_width, opcode_matches, sequences};
use crate::catalog::{Resolved, resolve};
use crate::evidence::{Instruction, Operand, OperandFrom};
use cuda_binary::{Class, Op};
use std::collections::{BTreeMap, BTreeSet};

/// A statement about a kernel's machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SassCheck {
    /// What the table calls it; may be empty.
    pub name: String,
    /// Opcodes, as SASS, PTX or CUDA names them; several must follow each other in one block, none is a check of a resource.
    pub steps: Vec<String>,
    /// What of the chip is counted in place of instructions.
    pub resource: Option<Resource>,
    /// Other instructions that may stand between two steps; any number in the block when absent.
    pub gap: Option<usize>,
    pub count: Count,
    pub scope: Scope,
    /// Bits per lane that every match must move at least.
    pub min_width: Option<u32>,
    /// Cycles of the warp's own work that must lie between a load and the first wait for it; others do not count.
    pub under_way: Option<u32>,
    /// Whether addresses are multiples of what a lane moves, as far as the code shows them, in buffers that begin at one; others do not
    /// count.
    pub aligned: bool,
    /// Whether only instructions count that run once in every turn of the loop.
    pub per_iteration: bool,
    /// Only for this architecture; all when empty.
    pub arch: String,
    /// Only for this variant of the subject; all when empty.
    pub variant: String,
}

/// The code that checks look at.
pub(super) struct Ground<'a> {
    pub(super) arch: &'a str,
    pub(super) listed: &'a Listed<'a>,
    pub(super) resources: &'a [ResourceRow],
    pub(super) shape: LaunchShape,
    /// Blocks of a cluster.
    pub(super) cluster: u32,
}

impl SassCheck {
    fn say(&self) -> String {
        let count = if self.count.most == Some(0) { "no".to_owned() } else { self.count.to_string() };
        let mut rule = match self.resource {
            Some(resource) => return format!("{} of {resource}", self.count),
            None => format!("{} {} in {}", count, self.steps.join(", then "), self.scope),
        };
        if self.per_iteration {
            rule += " per iteration";
        }
        if let Some(bits) = self.min_width {
            rule += &format!(", each at least {bits} bits wide");
        }
        if let Some(cycles) = self.under_way {
            rule += &format!(", under way while the warp works for {cycles} cycles or more");
        }
        if self.aligned {
            rule += ", addresses aligned to what a lane moves as far as the code shows them";
        }
        rule
    }
}

/// The checks that none of the builds was asked for, since no build is for their architecture or there is none at all.
pub fn unchecked(checks: &[SassCheck], shared: &[SharedPart], builds: &[CodeFacts], why: &str) -> Vec<Checked> {
    let is_for = |check: &SassCheck, build: &CodeFacts| check.arch.is_empty() || check.arch == build.arch;
    let layout = (builds.is_empty() && !shared.is_empty())
        .then(|| Checked::without_code(shared_layout::NAME, shared_layout::RULE, why));
    let of = |check: &SassCheck| {
        let other = Open::NoBuild(check.arch.clone()).to_string();
        let rule = check.say();
        let name = if check.name.is_empty() { &rule } else { &check.name };
        Checked::without_code(name, &rule, if builds.is_empty() { why } else { &other })
    };
    let left = checks.iter().filter(|check| !builds.iter().any(|build| is_for(check, build)));
    left.map(of).chain(layout).collect()
}

/// What the code has of a check; `None` where it is for another architecture.
pub(super) fn checked(check: &SassCheck, ground: &Ground<'_>) -> Option<Checked> {
    if !check.arch.is_empty() && check.arch != ground.arch {
        return None;
    }
    let rule = check.say();
    let (seen, deciding) = searched(check, ground).unwrap_or_else(|open| (Seen::Open(open.to_string()), Vec::new()));
    let code = ground.listed.code;
    let shown = deciding.iter().take(DECIDING_KEPT).map(|at| Deciding {
        offset: code[*at].offset,
        opcode: code[*at].named().to_owned(),
        line: code[*at].line_in(&ground.listed.file),
    });
    Some(Checked {
        name: if check.name.is_empty() { rule.clone() } else { check.name.clone() },
        rule,
        seen,
        deciding: shown.collect(),
        deciding_count: deciding.len(),
    })
}

#[derive(Debug, thiserror::Error)]
enum Open {
    #[error("the build does not state: {0}")]
    NotStated(&'static str),
    #[error("no build is for {0}")]
    NoBuild(String),
    #[error("the check names no instruction")]
    Empty,
    #[error("{0} has no instruction on {1}")]
    NoInstruction(String, String),
    #[error("{0} has no instruction of its own on {1}. {2}")]
    NotOfItsOwn(String, String, &'static str),
    #[error("the SASS of {0} on {1} is not in the catalog; it was seen on {chips}", chips = .2.join(", "))]
    NotSeen(String, String, Vec<&'static str>),
    #[error("{0} is not a known SASS, PTX or CUDA name")]
    Unknown(String),
    #[error("{0} is not a known SASS, PTX or CUDA name; near names: {near}", near = .1.join(", "))]
    UnknownNear(String, Vec<&'static str>),
    #[error("the kernel has no loop that does work")]
    NoLoop,
    #[error("no loop holds an instruction of line {0}")]
    NoLoopAt(u32),
    #[error("no instruction comes from lines {0} to {1}")]
    NoLines(u32, u32),
    #[error("the mbarriers cannot be walked without {0}")]
    NotWalked(String),
    #[error("the opcode of such an instruction does not give its width")]
    UnknownWidth,
    #[error("the listing has no encodings, which say what waits for a load")]
    NoSchedule,
}

/// What was seen, and the positions of the instructions that decide.
type Searched = Result<(Seen, Vec<usize>), Open>;

fn of_resource(resource: Resource, asked: Count, rows: &[ResourceRow]) -> Searched {
    let (_, label) = resource.row();
    let row = rows.iter().find(|row| row.label == label);
    let found = row.and_then(|row| Some((row.ptxas.or(row.cubin).or(row.launch)?, row.unit.clone())));
    let (found, unit) = found.ok_or(Open::NotStated(label))?;
    Ok((Seen::Number { asked, found, of: Matched::Resource(unit) }, Vec::new()))
}

/// What a walk of the mbarriers comes to.
fn walked(asked: Count, ground: &Ground<'_>) -> Searched {
    match walk(ground.listed, &ground.shape, ground.cluster, ground.arch) {
        Walked::Kept(found) => Ok((Seen::Number { asked, found, of: Matched::Resource("or more".into()) }, Vec::new())),
        Walked::Broken(why) => Ok((Seen::Broken(why), Vec::new())),
        Walked::Open(why) => Err(Open::NotWalked(why)),
    }
}

fn searched(check: &SassCheck, ground: &Ground<'_>) -> Searched {
    if let Some(resource) = check.resource {
        return match resource {
            Resource::Phases => walked(check.count, ground),
            _ => of_resource(resource, check.count, ground.resources),
        };
    }
    let number = |found: usize, of| Seen::Number { asked: check.count, found: found as u64, of };
    let mut patterns: Vec<String> = Vec::new();
    for step in &check.steps {
        let (name, times) = repeated(step);
        patterns.extend(std::iter::repeat_n(pattern(name, ground.arch)?, times));
    }
    let (listed, code) = (ground.listed, ground.listed.code);
    let places = scope(check.scope, ground)?;
    if patterns.len() > 1 {
        let steps: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let found = sequences(listed, &steps, check.gap.unwrap_or(code.len()));
        let within: Vec<_> =
            found.into_iter().filter(|s| s.instructions.iter().all(|at| places.contains(at))).collect();
        let deciding = within.iter().flat_map(|s| s.instructions.iter().copied()).collect();
        return Ok((number(within.len(), Matched::Sequences), deciding));
    }
    let pattern = patterns.pop().ok_or(Open::Empty)?;
    let mut matches: Vec<usize> = (0..code.len())
        .filter(|at| places.contains(at) && is_of(code[*at].named(), &pattern) && !code[*at].never_runs())
        .collect();
    if let Some(least) = check.under_way {
        let hidden = matches.iter().map(|at| {
            let block = &listed.flow.blocks[listed.flow.block_of(*at).unwrap_or_default()].instructions;
            under_way(&code[block.clone()], at - block.start)
        });
        let hidden: Vec<u32> = hidden.collect::<Option<_>>().ok_or(Open::NoSchedule)?;
        matches = matches.into_iter().zip(hidden).filter(|(_, cycles)| *cycles >= least).map(|(at, _)| at).collect();
    }
    if let Some(bits) = check.min_width {
        let widths = widths(code, &matches)?;
        let narrow: Vec<usize> =
            matches.iter().zip(widths).filter(|(_, width)| *width < bits).map(|(at, _)| *at).collect();
        if !narrow.is_empty() {
            return Ok((Seen::Narrow(narrow.len(), matches.len()), narrow));
        }
    }
    if check.aligned {
        let widths = widths(code, &matches)?;
        let block = ground.shape.sides();
        let past: BTreeMap<usize, (u32, bool)> =
            block.map(|block| past_of_stores(code, block)).into_iter().flatten().collect();
        let is_aligned = |(at, bits): &(usize, u32)| {
            let (past, differs) = past.get(at).copied().unwrap_or_default();
            let place = i64::from(past) + i64::from(constant(&code[*at]));
            !differs && place.rem_euclid(i64::from(bits / 8).max(1)) == 0
        };
        matches = matches.into_iter().zip(widths).filter(is_aligned).map(|(at, _)| at).collect();
    }
    if check.per_iteration {
        return per_turn(check.count, ground, &matches);
    }
    Ok((number(matches.len(), Matched::Pattern(pattern)), matches))
}

/// Whether a step of a check names what some chip has. Errors: that nothing is called so, with what is.
pub fn known_step(step: &str) -> Result<(), String> {
    match pattern(repeated(step).0, "") {
        Err(open @ (Open::Unknown(_) | Open::UnknownNear(..))) => Err(open.to_string()),
        _ => Ok(()),
    }
}

/// `FADD*16` is sixteen steps.
fn repeated(step: &str) -> (&str, usize) {
    match step.rsplit_once('*') {
        Some((name, times)) => times.trim().parse().map_or((step, 1), |times| (name.trim(), times)),
        None => (step, 1),
    }
}

/// Whether an opcode is of a pattern, or of a class of the catalog.
fn is_of(opcode: &str, pattern: &str) -> bool {
    opcode_matches(opcode, pattern) || Op::of(opcode).class().is_some_and(|class| class.id() == pattern)
}

/// The opcode pattern that a name stands for; the id of a class stands for itself.
fn pattern(name: &str, arch: &str) -> Result<String, Open> {
    let (own, on) = (name.to_owned(), arch.to_owned());
    if Class::of(name).is_some() {
        return Ok(own);
    }
    Err(match resolve(name, arch) {
        Resolved::Opcode => return Ok(own),
        Resolved::Patterns(patterns) => match patterns.first() {
            Some(first) => return Ok((*first).to_owned()),
            None => Open::NoInstruction(own, on),
        },
        Resolved::NoInstruction(note) => Open::NotOfItsOwn(own, on, note),
        Resolved::NotOnChip(chips) => Open::NotSeen(own, on, chips),
        Resolved::Unknown(near) if near.is_empty() => Open::Unknown(own),
        Resolved::Unknown(near) => Open::UnknownNear(own, near),
    })
}

/// Positions of the instructions that a check looks at.
fn scope(scope: Scope, ground: &Ground<'_>) -> Result<BTreeSet<usize>, Open> {
    let Listed { code, flow, loops, hottest, file, .. } = ground.listed;
    let of_loop = |own: &NaturalLoop| own.blocks.iter().flat_map(|b| flow.blocks[*b].instructions.clone()).collect();
    match scope {
        Scope::Function => Ok((0..code.len()).collect()),
        Scope::HottestLoop => Ok(of_loop(&loops[hottest.ok_or(Open::NoLoop)?])),
        Scope::LoopAt(line) => {
            let is_there = |at: &usize| code[*at].places.iter().any(|place| &*place.file == file && place.line == line);
            let holding = loops.iter().map(of_loop).filter(|own| own.iter().any(is_there));
            holding.min_by_key(BTreeSet::len).ok_or(Open::NoLoopAt(line))
        }
        Scope::Lines(from, to) => {
            let is_within = |line: u32| (from..=to).contains(&line);
            let found: BTreeSet<usize> =
                (0..code.len()).filter(|at| code[*at].line_in(file).is_some_and(is_within)).collect();
            if found.is_empty() { Err(Open::NoLines(from, to)) } else { Ok(found) }
        }
    }
}

/// The bits that each of some instructions moves a lane.
fn widths(code: &[Instruction], matches: &[usize]) -> Result<Vec<u32>, Open> {
    let widths = matches.iter().map(|at| access_width(code[*at].named()));
    widths.collect::<Option<_>>().ok_or(Open::UnknownWidth)
}

/// The constant of an address.
fn constant(access: &Instruction) -> i32 {
    let of = |own: Operand| if let OperandFrom::Memory(_, offset) = own.from { offset } else { 0 };
    access.operands().map(of).find(|offset| *offset != 0).unwrap_or_default()
}

/// Counts what runs in every turn of the hottest loop. What some turns pass by, or a loop inside, makes the count a range.
fn per_turn(asked: Count, ground: &Ground<'_>, matches: &[usize]) -> Searched {
    let Listed { flow, loops, hottest, .. } = ground.listed;
    let found = &loops[hottest.ok_or(Open::NoLoop)?];
    let dominators = Dominators::of(flow);
    let inner: BTreeSet<usize> = loops
        .iter()
        .filter(|other| other.header != found.header && found.blocks.contains(&other.header))
        .flat_map(|other| other.blocks.iter().copied())
        .collect();
    let block = |at: &usize| flow.block_of(*at).unwrap_or_default();
    let within: Vec<usize> = matches.iter().filter(|at| found.blocks.contains(&block(at))).copied().collect();
    let is_always = |at: &&usize| {
        let block = block(at);
        !inner.contains(&block) && found.latches.iter().all(|latch| dominators.dominates(block, *latch))
    };
    let least = within.iter().filter(is_always).count();
    let is_open = within.iter().any(|at| inner.contains(&block(at)));
    Ok((Seen::Turns { asked, least, most: within.len(), is_open }, within))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_may_be_repeated() {
        assert_eq!(repeated("FADD*16"), ("FADD", 16));
        assert_eq!(repeated("STG"), ("STG", 1));
    }
}
