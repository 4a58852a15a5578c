//! Where control goes behind one instruction, whether a disassembler or its bits tell.

use crate::op::Control;
use crate::sass::{Flow, Instruction};

/// An instruction as the control flow sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Byte offset in the code section.
    pub offset: u64,
    /// Where control goes behind it.
    pub flow: Flow,
    /// The places that it names: where a branch goes, what a call calls, where lanes meet.
    pub targets: Vec<u64>,
}

impl Step {
    /// By its bits; an instruction without bits goes on.
    pub fn by_bits(instruction: &Instruction) -> Step {
        let word = instruction.word.as_ref();
        let flow = word.map_or(Flow::Next, |word| word.flow);
        let target = match flow {
            Flow::Call(called) => called,
            _ => word.and_then(|word| word.target),
        };
        Step { offset: instruction.offset, flow, targets: target.into_iter().collect() }
    }

    /// By its text, which alone has the targets of a `BRX`.
    pub fn by_text(instruction: &Instruction) -> Step {
        let targets = instruction.targets().to_vec();
        let flow = match instruction.op().control() {
            Some(Control::Branch | Control::Indirect) => match (targets.is_empty(), is_conditional(instruction)) {
                (true, conditional) => Flow::Unseen { conditional },
                (false, conditional) => Flow::Jump { conditional },
            },
            Some(Control::Call) => Flow::Call(targets.first().copied()),
            Some(Control::Exit | Control::Return) => Flow::End { conditional: instruction.predicate().is_some() },
            _ => Flow::Next,
        };
        Step { offset: instruction.offset, flow, targets }
    }

    /// Whether it goes where it says, or where nothing says.
    pub(super) fn jumps(&self) -> bool {
        matches!(self.flow, Flow::Jump { .. } | Flow::Unseen { .. })
    }

    /// Whether it may go on with the next instruction.
    pub(super) fn goes_on(&self) -> bool {
        match self.flow {
            Flow::Next | Flow::Call(_) => true,
            Flow::Jump { conditional } | Flow::Unseen { conditional } | Flow::End { conditional } => conditional,
        }
    }
}

/// A branch depends on its guard, on a predicate among its operands (`BRA P2, ...`), or on divergence (`BRA.DIV`).
fn is_conditional(branch: &Instruction) -> bool {
    let operand = branch.operands().split(',').next().unwrap_or_default().trim().trim_start_matches('!');
    let is_predicate = operand.strip_prefix("UP").or(operand.strip_prefix('P'));
    branch.predicate().is_some_and(|guard| !matches!(guard.register.as_ref(), "PT" | "UPT") || guard.negated)
        || is_predicate.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty())
        || branch.modifiers().any(|modifier| matches!(modifier, "DIV" | "CONV"))
}
