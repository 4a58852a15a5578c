//! An operand of an instruction: by its bits (`arithmetic`), or as a listing prints it.

use super::machine_word::RegisterFile;

/// An operand of 32 bits, or a predicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operand {
    /// Where the value is.
    pub from: OperandFrom,
    /// Whether it counts negative.
    pub is_negative: bool,
    /// Whether each of its bits is turned over.
    pub is_inverted: bool,
}

/// Where the value of an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperandFrom {
    /// In the instruction; a register that reads as zero is one.
    Immediate(u32),
    /// In a register or a predicate; predicate 7 always holds.
    Register(RegisterFile, u8),
    /// In the constant bank of the arguments, at this byte.
    Constant(u16),
    /// In a special register, by its number: 0 is the lane's, 0x21 to 0x23 the thread's, 0x25 to 0x27 the block's, 0x88 its place in the
    /// cluster.
    Special(u8),
    /// In memory, at the sum of registers and a number.
    Memory([Option<(RegisterFile, u8)>; 2], i32),
    /// In shared memory, as registers of the warp from this one on describe it (`gdesc[UR12]`).
    Tile(u8),
    /// In a register of the warp, as the shape of a product (`idesc[UR5]`).
    Shape(u8),
    /// Elsewhere: in another constant bank, or nothing that is read here.
    Other,
}

impl Default for OperandFrom {
    fn default() -> OperandFrom {
        OperandFrom::Immediate(0)
    }
}

impl From<OperandFrom> for Operand {
    fn from(from: OperandFrom) -> Operand {
        Operand { from, ..Operand::default() }
    }
}

impl Operand {
    /// As a listing prints it: `-R2.reuse`, `!P0`, `0x10`, `c[0x0][0x210]`, `desc[UR4][R2.64+-0x8]`.
    pub(super) fn read(text: &str) -> Operand {
        let text = text.trim().trim_end_matches(".reuse");
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (is_inverted, text) = text.strip_prefix(['~', '!']).map_or((false, text), |rest| (true, rest));
        match from(text).unwrap_or(OperandFrom::Other) {
            OperandFrom::Immediate(value) if is_negative => OperandFrom::Immediate(value.wrapping_neg()).into(),
            OperandFrom::Immediate(value) if is_inverted => OperandFrom::Immediate(!value).into(),
            from => Operand { from, is_negative, is_inverted },
        }
    }

    /// A predicate, of a lane or of the warp.
    pub fn is_predicate(&self) -> bool {
        matches!(self.from, OperandFrom::Register(RegisterFile::Predicate | RegisterFile::UniformPredicate, _))
    }

    /// Whether it is the predicate that always holds.
    pub fn always_holds(&self) -> bool {
        self.is_predicate() && !self.is_inverted && matches!(self.from, OperandFrom::Register(_, 7))
    }
}

fn number(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn from(text: &str) -> Option<OperandFrom> {
    use OperandFrom::{Constant, Immediate, Register, Shape, Special, Tile};
    use RegisterFile::{General, Predicate, Uniform, UniformPredicate};
    if let Some((kind, inner)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        return match (kind, from(inner)) {
            ("c[0x0]", Some(Immediate(byte))) => Some(Constant(byte.try_into().ok()?)),
            ("gdesc", Some(Register(Uniform, number))) => Some(Tile(number)),
            ("idesc", Some(Register(Uniform, number))) => Some(Shape(number)),
            _ if kind.is_empty() || kind.starts_with("desc[") => memory(inner),
            _ => None,
        };
    }
    Some(match text {
        "RZ" | "URZ" | "SRZ" => Immediate(0),
        "PT" => Register(Predicate, 7),
        "UPT" => Register(UniformPredicate, 7),
        "SR_LANEID" => Special(0),
        "SR_TID.X" => Special(0x21),
        "SR_TID.Y" => Special(0x22),
        "SR_TID.Z" => Special(0x23),
        "SR_CTAID.X" => Special(0x25),
        "SR_CTAID.Y" => Special(0x26),
        "SR_CTAID.Z" => Special(0x27),
        "SR_CgaCtaId" => Special(0x88),
        _ => {
            let files = [("UP", UniformPredicate), ("UR", Uniform), ("P", Predicate), ("R", General)];
            let of = |(name, file)| Some(Register(file, text.strip_prefix(name)?.parse().ok()?));
            return files.into_iter().find_map(of).or_else(|| number(text).map(Immediate));
        }
    })
}

/// `R2.64+UR4+-0x8`.
fn memory(inner: &str) -> Option<OperandFrom> {
    let (mut registers, mut offset) = ([None; 2], 0_i32);
    for part in inner.split('+').filter(|part| !part.is_empty()) {
        match Operand::read(part.split('.').next()?).from {
            OperandFrom::Register(..) if registers[1].is_some() => return None,
            OperandFrom::Register(file, number) => {
                registers[usize::from(registers[0].is_some())] = Some((file, number))
            }
            OperandFrom::Immediate(number) => offset = offset.wrapping_add(number as i32),
            _ => return None,
        }
    }
    Some(OperandFrom::Memory(registers, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_read() {
        use RegisterFile::{General, Predicate, Uniform, UniformPredicate};
        for (text, from) in [
            ("R2.reuse", OperandFrom::Register(General, 2)),
            ("UR14", OperandFrom::Register(Uniform, 14)),
            ("UPT", OperandFrom::Register(UniformPredicate, 7)),
            ("URZ", OperandFrom::Immediate(0)),
            ("-0x2", OperandFrom::Immediate(u32::MAX - 1)),
            ("~RZ", OperandFrom::Immediate(u32::MAX)),
            ("c[0x0][0x210]", OperandFrom::Constant(0x210)),
            ("c[0x3][R2+0x8]", OperandFrom::Other),
            ("SR_TID.Y", OperandFrom::Special(0x22)),
            ("desc[UR14][R2.64+0x1e0]", OperandFrom::Memory([Some((General, 2)), None], 0x1e0)),
            ("[R2+UR4+-0x20]", OperandFrom::Memory([Some((General, 2)), Some((Uniform, 4))], -0x20)),
            ("desc[UR6]", OperandFrom::Other),
            ("gdesc[UR12]", OperandFrom::Tile(12)),
            ("idesc[UR5]", OperandFrom::Shape(5)),
            ("`(.L_x_1)", OperandFrom::Other),
            ("1.5", OperandFrom::Other),
        ] {
            assert_eq!(Operand::read(text), from.into(), "{text}");
        }
        let guard = Operand { is_inverted: true, ..OperandFrom::Register(Predicate, 0).into() };
        assert_eq!((Operand::read("!P0"), Operand::read("PT").always_holds()), (guard, true));
    }
}
