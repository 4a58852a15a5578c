//! One instruction's text, taken apart.

use crate::op::{Control, Op, Sync};

/// The parts of an instruction, borrowed from its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// `!P0`.
    pub(super) guard: Option<&'a str>,
    pub(super) opcode: &'a str,
    /// Without scheduling annotations and target lists.
    pub(super) operands: &'a str,
    pub(super) target: Target<'a>,
}

/// What the instruction names as target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// None, or one that only the run decides.
    None,
    /// An offset.
    Offset(u64),
    /// A label.
    Label(&'a str),
    /// The comma-separated labels of a `BRX`.
    Labels(&'a str),
}

/// Takes the text between the offset and the `;` apart; `None` where there is no opcode.
pub(super) fn parts(text: &str) -> Option<Parts<'_>> {
    let text = text.trim_start_matches(['{', ' ', '\t']);
    let (guard, text) = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ').map(|(guard, rest)| (Some(guard), rest.trim_start()))?,
        None => (None, text),
    };
    let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let first = opcode.as_bytes().first()?;
    if !first.is_ascii_uppercase() {
        return None;
    }
    let (operands, list) = match operands.split_once("(*") {
        Some((operands, list)) => (operands, list.split_once("BRANCH_TARGETS ").map(|(_, list)| list)),
        None => (operands, None),
    };
    let annotations = operands.bytes().zip(std::iter::once(b' ').chain(operands.bytes()));
    let annotations =
        annotations.enumerate().find(|(_, (byte, before))| *before == b' ' && matches!(byte, b'&' | b'?'));
    let operands = operands[..annotations.map_or(operands.len(), |(at, _)| at)].trim();
    let target = match list {
        Some(list) => Target::Labels(list.split(['"', '*']).next().unwrap_or(list).trim()),
        None => target(opcode, operands),
    };
    Some(Parts { guard, opcode, operands, target })
}

/// A return names the function that it returns into, not where it goes, and an `.ABS` operand is an address.
fn target<'a>(opcode: &str, operands: &'a str) -> Target<'a> {
    let op = Op::of(opcode);
    let names_place = matches!(op.control(), Some(Control::Branch | Control::Call | Control::MeetAt));
    if !names_place || opcode.split('.').any(|modifier| modifier == "ABS") {
        return Target::None;
    }
    let last = operands.rsplit([',', ' ']).next().unwrap_or(operands);
    if let Some(label) = last.strip_prefix("`(").and_then(|label| label.strip_suffix(')')) {
        return Target::Label(label);
    }
    let offset = last.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    // `WARPSYNC 0xffffffff` names a mask; only the collective form names a place.
    let place = op.sync() != Some(Sync::Lanes) || opcode.contains("COLLECTIVE");
    offset.filter(|_| place).map_or(Target::None, Target::Offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_come_apart() {
        for (text, guard, opcode, operands, target) in [
            ("LDG.E R2, desc[UR4][R2.64]", None, "LDG.E", "R2, desc[UR4][R2.64]", Target::None),
            ("@!P1 BRA P2, 0x140", Some("!P1"), "BRA", "P2, 0x140", Target::Offset(0x140)),
            ("@UP0 UIADD3 UR4, UR4, 0x1, URZ", Some("UP0"), "UIADD3", "UR4, UR4, 0x1, URZ", Target::None),
            ("@P0 BRA `(.L_x_1)", Some("P0"), "BRA", "`(.L_x_1)", Target::Label(".L_x_1")),
            ("BSSY.RECONVERGENT B0, `(.L_x_3)", None, "BSSY.RECONVERGENT", "B0, `(.L_x_3)", Target::Label(".L_x_3")),
            (
                "CALL.REL.NOINC `($tiny$_Z4slowPKfi)",
                None,
                "CALL.REL.NOINC",
                "`($tiny$_Z4slowPKfi)",
                Target::Label("$tiny$_Z4slowPKfi"),
            ),
            ("RET.REL.NODEC R6 `(tiny)", None, "RET.REL.NODEC", "R6 `(tiny)", Target::None),
            ("CALL.ABS.NOINC 0x10", None, "CALL.ABS.NOINC", "0x10", Target::None),
            ("WARPSYNC 0xffffffff", None, "WARPSYNC", "0xffffffff", Target::None),
            (
                "BRX R2 -0x210      (*\"BRANCH_TARGETS .L_x_59,.L_x_60\"*)",
                None,
                "BRX",
                "R2 -0x210",
                Target::Labels(".L_x_59,.L_x_60"),
            ),
            ("BRX R2 -0x210", None, "BRX", "R2 -0x210", Target::None),
            (
                "LDG.E R2, desc[UR4][R2.64] &req={1} &wr=0x2 ?trans1",
                None,
                "LDG.E",
                "R2, desc[UR4][R2.64]",
                Target::None,
            ),
            ("EXIT ?WAIT5_END_GROUP", None, "EXIT", "", Target::None),
            ("EXIT", None, "EXIT", "", Target::None),
        ] {
            let expected = Parts { guard, opcode, operands, target };
            assert_eq!(parts(text), Some(expected), "{text}");
        }
        assert_eq!((parts(""), parts("@P0"), parts("123")), (None, None, None));
    }
}
