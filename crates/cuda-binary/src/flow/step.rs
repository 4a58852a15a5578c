//! Where control goes behind one instruction.

use crate::op::Control;
use crate::sass::{Flow, Instruction, Operand};

/// An instruction as the control flow sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Byte offset in the code section.
    pub(super) offset: u64,
    /// Where control goes behind it.
    pub(super) flow: Flow,
    /// The places that it names: where a branch goes, what a call calls, where lanes meet.
    pub(super) targets: Vec<u64>,
}

impl Step {
    /// By its bits, else by its text, which alone has the targets of a `BRX`; an instruction without both goes on.
    pub(super) fn of(instruction: &Instruction) -> Step {
        let told = instruction.targets();
        let (flow, named) = match instruction.word.as_ref().filter(|word| word.op == instruction.op()) {
            None => (by_text(instruction), None),
            Some(word) => match word.flow {
                Flow::Unseen { conditional } if !told.is_empty() => (Flow::Jump { conditional }, None),
                Flow::Call(called) => (word.flow, Some(called)),
                flow => (flow, Some(word.target)),
            },
        };
        let targets = named.map_or_else(|| told.to_vec(), |target| target.into_iter().collect());
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

fn by_text(instruction: &Instruction) -> Flow {
    let targets = instruction.targets();
    match instruction.op().control() {
        Some(Control::Branch | Control::Indirect) => match (targets.is_empty(), is_conditional(instruction)) {
            (true, conditional) => Flow::Unseen { conditional },
            (false, conditional) => Flow::Jump { conditional },
        },
        Some(Control::Call) => Flow::Call(targets.first().copied()),
        Some(Control::Exit | Control::Return) => Flow::End { conditional: instruction.guard().is_some() },
        _ => Flow::Next,
    }
}

/// A branch depends on its guard, on a predicate among its operands (`BRA P2, ...`), or on divergence (`BRA.DIV`).
fn is_conditional(branch: &Instruction) -> bool {
    let own = branch.operands().next().filter(Operand::is_predicate);
    branch.guard().into_iter().chain(own).any(|own| !own.always_holds()) || branch.is("DIV") || branch.is("CONV")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each instruction of the listings goes the same way by its bits as by its text.
    #[test]
    fn bits_and_text_agree() {
        let mut branches = 0;
        for own in crate::sass::word::listed().iter().flat_map(|function| function.body()) {
            let (bits, text) = (Step::of(own), Step::of(&Instruction { word: None, ..own.clone() }));
            assert_eq!(bits, text, "{own:?}");
            branches += usize::from(!bits.targets.is_empty());
        }
        assert!(branches > 20, "{branches}");
    }
}
