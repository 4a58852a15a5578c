//! What differs between the machine code of two builds, with everything that only position decides left out.

use super::opcodes::{class_of, in_order, label_of};
use crate::evidence::{Instruction, SassFunction};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;

/// A line of a diff.
///
/// As JSON it is one text, the sign before the instruction.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DiffLine {
    /// `' '`, `'-'` for the old build, `'+'` for the new one.
    pub sign: char,
    /// The instruction without address and encoding; a target is the distance to it.
    pub text: String,
}

impl From<DiffLine> for String {
    fn from(line: DiffLine) -> String {
        format!("{}{}", line.sign, line.text)
    }
}

impl TryFrom<String> for DiffLine {
    type Error = &'static str;

    fn try_from(line: String) -> Result<DiffLine, &'static str> {
        let mut rest = line.chars();
        let sign = rest.next().ok_or("a line of a diff begins with a space, `-` or `+`, and this one is empty")?;
        Ok(DiffLine { sign, text: rest.as_str().to_owned() })
    }
}

/// Instructions of a class that only one build has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ClassChange {
    /// The catalog's name of the class.
    pub label: String,
    /// Instructions of the new build without counterpart.
    pub added: usize,
    /// Instructions of the old build without counterpart.
    pub removed: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SassDiff {
    pub old: usize,
    pub new: usize,
    /// Whether the codes are equal, registers included.
    pub is_same: bool,
    /// Instructions of both builds that have no counterpart in the other one's order.
    #[serde(default)]
    pub unmatched: usize,
    /// Classes with a difference, in the catalog's order; what only stands elsewhere is none.
    pub classes: Vec<ClassChange>,
    /// Pieces that differ, each with three lines around it, at most [`LINES_KEPT`] lines in all; none of a rewrite.
    pub hunks: Vec<Vec<DiffLine>>,
    pub lines_left_out: usize,
}

pub(crate) const LINES_KEPT: usize = 400;
/// Changed instructions that are read in one go, rewrite or not.
const LONG: usize = 60;
/// Share of both builds' instructions without counterpart above which their listing is no help.
const REWRITTEN: f64 = 0.5;
const AROUND: usize = 3;

impl SassDiff {
    /// The percent of both builds' instructions without a counterpart, where the code is a rewrite that no listing would tell.
    pub fn rewritten(&self) -> Option<f64> {
        let share = self.unmatched as f64 / (self.old + self.new).max(1) as f64;
        (share > REWRITTEN && self.unmatched > LONG).then_some(100.0 * share)
    }
}

/// An instruction as text that does not depend on where it stands: labels and offsets become the distance in instructions.
pub(crate) fn normalised(instruction: &Instruction) -> String {
    let operands = instruction.spelt();
    let Some(target) = instruction.targets().first() else { return instruction.with_operands(operands) };
    // The target is the last operand; what stands before it stays.
    let before = operands.rsplit_once(',').map_or("", |(before, _)| before);
    let distance = (*target as i64 - instruction.offset as i64) / 16;
    let gap = if before.is_empty() { "" } else { ", " };
    instruction.with_operands(&format!("{before}{gap}{distance:+}"))
}

/// An instruction without the numbers of its registers, its immediates and its jump's distance, which another build of the same code
/// changes throughout: `LDG.E R, desc[UR][R.64+#]`.
fn shape(instruction: &Instruction) -> String {
    let guard = if instruction.guard().is_some() { "@P " } else { "" };
    let mut shape = format!("{guard}{} ", instruction.named());
    if !instruction.targets().is_empty() {
        return shape;
    }
    let operands = instruction.spelt().replace(".reuse", "").replace('-', "");
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = operands.as_str();
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let file = word.trim_end_matches(|c: char| c.is_ascii_digit());
        shape += match file {
            // What reads as zero or true stands for a register, and an immediate for another one.
            "R" | "RZ" => "R",
            "UR" | "URZ" => "UR",
            "P" | "PT" => "P",
            "UP" | "UPT" => "UP",
            _ if first.is_ascii_digit() => "#",
            _ => word,
        };
        rest = after;
    }
    shape
}

/// The difference from `old` to `new`: the shortest edit script between the shapes of their instructions.
pub fn diff(old: &SassFunction, new: &SassFunction) -> SassDiff {
    let text = |function: &SassFunction| function.body().iter().map(normalised).collect::<Vec<_>>();
    let shapes = |function: &SassFunction| function.body().iter().map(shape).collect::<Vec<_>>();
    let (old_text, new_text) = (text(old), text(new));
    let (old_shapes, new_shapes) = (shapes(old), shapes(new));
    let script = script(&old_shapes, &new_shapes);
    let (old_code, new_code) = (old.body(), new.body());
    // By shape: instructions of the new build beyond those of the old one.
    let mut more: HashMap<&str, i64> = HashMap::new();
    new_shapes.iter().for_each(|shape| *more.entry(shape).or_default() += 1);
    old_shapes.iter().for_each(|shape| *more.entry(shape).or_default() -= 1);
    let mut counts: HashMap<&'static str, (usize, usize)> = HashMap::new();
    for (shapes, code, step) in [(&new_shapes, new_code, 1), (&old_shapes, old_code, -1)] {
        for (shape, instruction) in shapes.iter().zip(code) {
            let left = more.entry(shape).or_default();
            if *left * step > 0 {
                *left -= step;
                let (added, removed) = counts.entry(class_of(instruction)).or_default();
                *if step > 0 { added } else { removed } += 1;
            }
        }
    }
    let mut lines = Vec::with_capacity(script.len());
    let (mut at_old, mut at_new) = (0, 0);
    for sign in script {
        let text = if sign == '-' { &old_text[at_old] } else { &new_text[at_new] };
        lines.push(DiffLine { sign, text: text.clone() });
        at_old += usize::from(sign != '+');
        at_new += usize::from(sign != '-');
    }
    let change =
        |(class, (added, removed)): (&str, _)| ClassChange { label: label_of(class).to_owned(), added, removed };
    let found = SassDiff {
        old: old_code.len(),
        new: new_code.len(),
        is_same: old_text == new_text,
        unmatched: lines.iter().filter(|line| line.sign != ' ').count(),
        classes: in_order(&counts).map(change).collect(),
        ..SassDiff::default()
    };
    let (hunks, lines_left_out) = hunks(&lines, if found.rewritten().is_some() { 0 } else { LINES_KEPT });
    SassDiff { hunks, lines_left_out, ..found }
}

/// The edit script: `' '` for a common line, `'-'` and `'+'` for one of one side only.
fn script(old: &[String], new: &[String]) -> Vec<char> {
    let changes = capture_diff_slices(Algorithm::Myers, old, new);
    let signs = |change: &DiffOp| {
        let one = |sign, count| std::iter::repeat_n(sign, count);
        let (_, old, new) = change.as_tag_tuple();
        match change {
            DiffOp::Equal { len, .. } => one(' ', *len).chain(one('+', 0)),
            _ => one('-', old.len()).chain(one('+', new.len())),
        }
    };
    changes.iter().flat_map(signs).collect()
}

/// The hunks, `room` lines of them, and how many more there are.
fn hunks(lines: &[DiffLine], mut room: usize) -> (Vec<Vec<DiffLine>>, usize) {
    let changed: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].sign != ' ').collect();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for at in changed {
        let (from, to) = (at.saturating_sub(AROUND), (at + AROUND + 1).min(lines.len()));
        match ranges.last_mut() {
            Some((_, end)) if *end >= from => *end = to,
            _ => ranges.push((from, to)),
        }
    }
    let mut kept = Vec::new();
    let mut left_out = 0;
    for (from, to) in ranges {
        let take = (to - from).min(room);
        room -= take;
        left_out += to - from - take;
        if take > 0 {
            kept.push(lines[from..from + take].to_vec());
        }
    }
    (kept, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(opcodes: &[&str]) -> SassFunction {
        let at = |(position, opcode): (usize, &&str)| {
            let operands = if *opcode == "BRA" { "0x0".to_owned() } else { format!("R{position}") };
            let mut own = Instruction { offset: 16 * position as u64, ..Instruction::printed(opcode, &operands) };
            own.text.as_mut().unwrap().targets.extend((*opcode == "BRA").then_some(0));
            own
        };
        SassFunction { instructions: opcodes.iter().enumerate().map(at).collect(), ..SassFunction::default() }
    }

    #[test]
    fn only_what_was_put_in_or_taken_out_differs() {
        let old = function(&["LDG.E", "FADD", "STG.E", "BRA", "EXIT"]);
        let new = function(&["LDG.E.128", "FADD", "FADD", "STG.E", "BRA", "EXIT"]);
        let found = diff(&old, &new);
        let changes: Vec<_> = found.classes.iter().map(|c| (c.label.as_str(), c.added, c.removed)).collect();
        assert_eq!(changes, [("Global loads", 1, 1), ("FP32 arithmetic", 1, 0)]);
        assert_eq!(found.hunks.len(), 1);
        let signs: String = found.hunks[0].iter().map(|line| line.sign).collect();
        assert_eq!(signs.matches(['-', '+']).count(), 3);
        assert!(!found.is_same && diff(&old, &old).is_same && diff(&old, &old).hunks.is_empty());
    }

    #[test]
    fn a_rewrite_is_counted_and_not_listed() {
        let (old, new) = (function(&["FADD"; 40]), function(&["FMUL"; 40]));
        let found = diff(&old, &new);
        assert_eq!((found.rewritten(), found.hunks.len(), found.lines_left_out), (Some(100.0), 0, 80));
        let some = diff(&function(&["FADD"; 20]), &function(&["FMUL"; 20]));
        assert_eq!((some.rewritten(), some.hunks.len()), (None, 1));
        let text = serde_json::to_string(&some).expect("JSON");
        assert!(text.contains(r#"["-FADD R0","#), "{text}");
        assert_eq!(serde_json::from_str::<SassDiff>(&text).expect("a diff"), some);
    }

    #[test]
    fn other_registers_immediates_and_an_order_are_the_same_code() {
        let of = |lines: &[(&str, &str)]| {
            let one = |(opcode, operands): &(&str, &str)| Instruction::printed(opcode, operands);
            SassFunction { instructions: lines.iter().map(one).collect(), ..SassFunction::default() }
        };
        let old = of(&[("LEA", "R4, R7.reuse, UR5, 0x2"), ("STS", "[R4+0x400], R9"), ("IMAD", "R0, R1, R2, RZ")]);
        let padded = of(&[("LEA", "R11, R3, UR4, 0x7"), ("STS", "[R11+0x420], R6"), ("IMAD", "R2, R8, R2, R5")]);
        let found = diff(&old, &padded);
        assert!(!found.is_same && found.classes.is_empty() && found.hunks.is_empty(), "{found:?}");
        let moved = of(&[("IMAD", "R2, R8, R2, R5"), ("LEA", "R11, R3, UR4, 0x7"), ("STS", "[R11], R6")]);
        let found = diff(&old, &moved);
        let classes: Vec<_> = found.classes.iter().map(|class| (class.added, class.removed)).collect();
        // The product stands elsewhere; the store has another address.
        assert_eq!((classes, found.hunks.len()), (vec![(1, 1)], 1));
    }

    #[test]
    fn a_jump_is_told_by_its_distance() {
        let code = function(&["FADD", "BRA"]);
        assert_eq!(normalised(&code.instructions[1]), "BRA -1");
    }
}
