//! Checks on machine code that a subject states.

use super::count::Count;
use super::flow::line_of;
use super::resource_checks::Resource;
use super::resources::ResourceRow;
use crate::analysis::judgement::{self, Judgement};
use crate::analysis::sass::{ControlFlow, Dominators, NaturalLoop, access_width, body, opcode_matches, sequences};
use crate::catalog::{Resolved, resolve};
use crate::evidence::{SassFunction, SassInstruction};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Where a check looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The whole function, with what it calls in its own section.
    #[default]
    Function,
    /// The loop that most likely runs most.
    HottestLoop,
    /// Instructions of these lines of the subject's source.
    Lines(u32, u32),
}

/// Reads `function`, `hottest-loop`, `lines 10-25` and `line 10`.
impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Scope, String> {
        let wrong = || format!("expected `function`, `hottest-loop`, `line N` or `lines N-M`, found {text:?}");
        match text.trim() {
            "function" => Ok(Scope::Function),
            "hottest-loop" => Ok(Scope::HottestLoop),
            other => {
                let numbers = other.strip_prefix("lines").or(other.strip_prefix("line")).ok_or_else(wrong)?.trim();
                let (from, to) = numbers.split_once('-').unwrap_or((numbers, numbers));
                let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
                let (from, to) = (number(from)?, number(to)?);
                if from <= to { Ok(Scope::Lines(from, to)) } else { Err(wrong()) }
            }
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Function => f.write_str("the kernel"),
            Scope::HottestLoop => f.write_str("the hottest loop"),
            Scope::Lines(from, to) if from == to => write!(f, "line {from}"),
            Scope::Lines(from, to) => write!(f, "lines {from}–{to}"),
        }
    }
}

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
    /// How many matches.
    pub count: Count,
    /// Where to look.
    pub scope: Scope,
    /// Bits per lane that every match must move at least.
    pub min_width: Option<u32>,
    /// Whether only instructions count that run once in every turn of the loop.
    pub per_iteration: bool,
    /// Only for this architecture; all when empty.
    pub arch: String,
}

/// An instruction that decided.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Deciding {
    /// Offset in the code.
    pub offset: u64,
    /// Opcode.
    pub opcode: String,
    /// Line of the subject's source.
    pub line: Option<u32>,
}

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CheckResult {
    /// Its name; the rule where it has none.
    pub name: String,
    /// The statement in words.
    pub rule: String,
    /// How it ended.
    #[serde(serialize_with = "judgement::of_code")]
    pub verdict: Judgement,
    /// What was found, or why nothing can be said.
    pub found: String,
    /// The instructions that decided, at most [`DECIDING_KEPT`].
    pub deciding: Vec<Deciding>,
    /// How many there are.
    pub deciding_count: usize,
    /// How it ends on the old code; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "judgement::of_code")]
    pub old: Option<Judgement>,
}

/// Deciding instructions that are kept.
pub const DECIDING_KEPT: usize = 12;

/// The code that checks look at.
pub(super) struct Ground<'a> {
    pub(super) arch: &'a str,
    pub(super) file: &'a str,
    pub(super) function: &'a SassFunction,
    pub(super) flow: &'a ControlFlow,
    pub(super) loops: &'a [NaturalLoop],
    pub(super) hottest: Option<usize>,
    pub(super) resources: &'a [ResourceRow],
}

impl SassCheck {
    fn rule(&self) -> String {
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
        rule
    }
}

/// Judges one check; `None` where it is for another architecture.
pub(super) fn judge(check: &SassCheck, ground: &Ground<'_>) -> Option<CheckResult> {
    if !check.arch.is_empty() && check.arch != ground.arch {
        return None;
    }
    let rule = check.rule();
    let (verdict, found, deciding) = decide(check, ground);
    let code = body(ground.function);
    let shown = deciding.iter().take(DECIDING_KEPT).map(|at| Deciding {
        offset: code[*at].offset,
        opcode: code[*at].opcode.to_string(),
        line: line_of(&code[*at], ground.file),
    });
    Some(CheckResult {
        name: if check.name.is_empty() { rule.clone() } else { check.name.clone() },
        rule,
        verdict,
        found,
        deciding: shown.collect(),
        old: None,
        deciding_count: deciding.len(),
    })
}

type Decision = (Judgement, String, Vec<usize>);

/// How a check of a resource ends.
fn of_resource(resource: Resource, count: Count, rows: &[ResourceRow]) -> Decision {
    let (_, label) = resource.row();
    let row = rows.iter().find(|row| row.label == label);
    let Some((row, found)) = row.and_then(|row| Some((row, row.ptxas.or(row.cubin).or(row.launch)?))) else {
        return inconclusive(format!("the build does not state: {label}"));
    };
    let holds = usize::try_from(found).is_ok_and(|found| count.holds(found));
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    (Judgement::of(holds), format!("{found}{unit}"), Vec::new())
}

fn inconclusive(why: impl Into<String>) -> Decision {
    (Judgement::Unclear, why.into(), Vec::new())
}

fn decide(check: &SassCheck, ground: &Ground<'_>) -> Decision {
    if let Some(resource) = check.resource {
        return of_resource(resource, check.count, ground.resources);
    }
    let mut patterns: Vec<String> = Vec::new();
    for step in &check.steps {
        let (name, times) = repeated(step);
        match pattern(name, ground.arch) {
            Ok(pattern) => patterns.extend(std::iter::repeat_n(pattern, times)),
            Err(why) => return inconclusive(why),
        }
    }
    let code = body(ground.function);
    let places = match scope(check.scope, ground) {
        Ok(places) => places,
        Err(why) => return inconclusive(why),
    };
    if patterns.len() > 1 {
        let steps: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let found = sequences(ground.function, ground.flow, &steps, check.gap.unwrap_or(code.len()));
        let within: Vec<_> =
            found.into_iter().filter(|s| s.instructions.iter().all(|at| places.contains(at))).collect();
        let deciding: Vec<usize> = within.iter().flat_map(|s| s.instructions.iter().copied()).collect();
        let verdict = Judgement::of(check.count.holds(within.len()));
        return (
            verdict,
            format!("{} such {}", within.len(), if within.len() == 1 { "sequence" } else { "sequences" }),
            deciding,
        );
    }
    let Some(pattern) = patterns.first() else { return inconclusive("the check names no instruction") };
    let matches: Vec<usize> = (0..code.len())
        .filter(|at| places.contains(at) && opcode_matches(&code[*at].opcode, pattern) && !code[*at].never_runs())
        .collect();
    if let Some(bits) = check.min_width
        && let Some(decision) = too_narrow(bits, code, &matches)
    {
        return decision;
    }
    if check.per_iteration {
        return per_turn(check.count, ground, &matches);
    }
    let verdict = Judgement::of(check.count.holds(matches.len()));
    (verdict, format!("{} × {pattern}", matches.len()), matches)
}

/// `FADD*16` is sixteen steps.
fn repeated(step: &str) -> (&str, usize) {
    match step.rsplit_once('*') {
        Some((name, times)) => times.trim().parse().map_or((step, 1), |times| (name.trim(), times)),
        None => (step, 1),
    }
}

/// The opcode pattern that a name stands for, or why there is none.
fn pattern(name: &str, arch: &str) -> Result<String, String> {
    match resolve(name, arch) {
        Resolved::Opcode => Ok(name.to_owned()),
        Resolved::Patterns(patterns) => patterns
            .first()
            .map(|first| (*first).to_owned())
            .ok_or_else(|| format!("{name} has no instruction on {arch}")),
        Resolved::NoInstruction(note) => Err(format!("{name} has no instruction of its own on {arch}. {note}")),
        Resolved::NotOnChip(chips) => {
            Err(format!("the SASS of {name} on {arch} is not in the catalog; it was seen on {}", chips.join(", ")))
        }
        Resolved::Unknown(near) if near.is_empty() => Err(format!("{name} is not a known SASS, PTX or CUDA name")),
        Resolved::Unknown(near) => {
            Err(format!("{name} is not a known SASS, PTX or CUDA name; near names: {}", near.join(", ")))
        }
    }
}

/// Positions of the instructions that a check looks at.
fn scope(scope: Scope, ground: &Ground<'_>) -> Result<BTreeSet<usize>, String> {
    let code = body(ground.function);
    match scope {
        Scope::Function => Ok((0..code.len()).collect()),
        Scope::HottestLoop => match ground.hottest {
            Some(at) => {
                Ok(ground.loops[at].blocks.iter().flat_map(|b| ground.flow.blocks[*b].instructions.clone()).collect())
            }
            None => Err("the kernel has no loop that does work".into()),
        },
        Scope::Lines(from, to) => {
            let found: BTreeSet<usize> = (0..code.len())
                .filter(|at| line_of(&code[*at], ground.file).is_some_and(|line| (from..=to).contains(&line)))
                .collect();
            if found.is_empty() { Err(format!("no instruction comes from lines {from} to {to}")) } else { Ok(found) }
        }
    }
}

fn too_narrow(bits: u32, code: &[SassInstruction], matches: &[usize]) -> Option<Decision> {
    if matches.is_empty() {
        return Some(inconclusive("no such instruction has a width"));
    }
    let width = |at: &usize| access_width(&code[*at].opcode);
    if matches.iter().any(|at| width(at).is_none()) {
        return Some(inconclusive("the opcode of such an instruction does not give its width"));
    }
    let narrow: Vec<usize> = matches.iter().filter(|at| width(at).is_some_and(|w| w < bits)).copied().collect();
    let found = format!("{} of {} are narrower", narrow.len(), matches.len());
    (!narrow.is_empty()).then_some((Judgement::Fails, found, narrow))
}

/// Counts what runs in every turn of the hottest loop. Instructions in blocks that some turns pass by, or in a loop
/// inside, make the count a range; the check is decided where both ends agree.
fn per_turn(count: Count, ground: &Ground<'_>, matches: &[usize]) -> Decision {
    let Some(found) = ground.hottest.map(|at| &ground.loops[at]) else {
        return inconclusive("the kernel has no loop that does work");
    };
    let dominators = Dominators::of(ground.flow);
    let inner: BTreeSet<usize> = ground
        .loops
        .iter()
        .filter(|other| other.header != found.header && found.blocks.contains(&other.header))
        .flat_map(|other| other.blocks.iter().copied())
        .collect();
    let block = |at: &usize| ground.flow.block_of(*at).unwrap_or_default();
    let within: Vec<usize> = matches.iter().filter(|at| found.blocks.contains(&block(at))).copied().collect();
    let is_always = |at: &&usize| {
        let block = block(at);
        !inner.contains(&block) && found.latches.iter().all(|latch| dominators.dominates(block, *latch))
    };
    let least = within.iter().filter(is_always).count();
    let is_open = within.iter().any(|at| inner.contains(&block(at)));
    let most = within.len();
    let text = match (least == most, is_open) {
        (true, _) => format!("{least} in every iteration"),
        (false, true) => format!("at least {least} in every iteration, more with inner loops"),
        (false, false) => format!("{least} to {most} per iteration, depending on the path"),
    };
    let never = count.most.is_some_and(|limit| least > limit) || (!is_open && most < count.least);
    let always = least >= count.least && count.most.is_none_or(|limit| !is_open && most <= limit);
    let verdict = match (always, never) {
        (true, _) => Judgement::Holds,
        (false, true) => Judgement::Fails,
        (false, false) => Judgement::Unclear,
    };
    (verdict, text, within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_as_written() {
        assert_eq!("lines 3-9".parse(), Ok(Scope::Lines(3, 9)));
        assert_eq!("line 3".parse(), Ok(Scope::Lines(3, 3)));
        assert!("lines 9-3".parse::<Scope>().is_err() && "loop".parse::<Scope>().is_err());
    }

    #[test]
    fn steps_may_be_repeated() {
        assert_eq!(repeated("FADD*16"), ("FADD", 16));
        assert_eq!(repeated("STG"), ("STG", 1));
    }
}
