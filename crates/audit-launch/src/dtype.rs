//! Types of the elements of a buffer, and the way from numbers to their bytes and back.
//!
//! Encodings: IEEE 754 for f16, f32 and f64; bf16 is the upper half of f32; tf32 is f32 whose lower 13 bits are zero; e4m3
//! and e5m2 as in the Open Compute Project's 8-bit floating-point specification (e4m3 has no infinity and one NaN pattern);
//! e2m1 and e8m0 as in its specification of microscaling formats, e2m1 two to a byte, the first in the lower half. ue4m3 is
//! e4m3 without a sign, as scales of NVFP4 are.

use strum::{Display, IntoStaticStr, VariantArray};

/// The type of an element or a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum DType {
    /// 4-bit float, 2 exponent bits, two to a byte.
    E2m1,
    /// 8-bit power of two, without sign or zero: a scale of a block.
    E8m0,
    /// 8-bit float without a sign, 4 exponent bits: a scale of a block.
    Ue4m3,
    /// 8-bit float, 4 exponent bits.
    E4m3,
    /// 8-bit float, 5 exponent bits.
    E5m2,
    /// Brain float.
    Bf16,
    /// Half.
    F16,
    /// Single, of which tensor cores read 19 bits; values are rounded to those.
    Tf32,
    /// Single.
    F32,
    /// Double.
    F64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
}

impl DType {
    /// The type of a name in audit.toml.
    pub fn named(name: &str) -> Option<DType> {
        DType::VARIANTS.iter().copied().find(|dtype| dtype.name() == name)
    }

    /// The names of all types.
    pub fn names() -> impl Iterator<Item = &'static str> {
        DType::VARIANTS.iter().map(|dtype| dtype.name())
    }

    /// Its name in audit.toml.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Elements that share a byte, the first in the lower bits; one of all other types.
    pub const fn in_a_byte(self) -> usize {
        match self {
            DType::E2m1 => 2,
            _ => 1,
        }
    }

    /// Bytes of one element, or of those that share one.
    pub const fn bytes(self) -> usize {
        match self {
            DType::E2m1 | DType::E8m0 | DType::Ue4m3 | DType::E4m3 | DType::E5m2 | DType::U8 | DType::I8 => 1,
            DType::Bf16 | DType::F16 | DType::U16 | DType::I16 => 2,
            DType::Tf32 | DType::F32 | DType::U32 | DType::I32 => 4,
            DType::F64 | DType::U64 | DType::I64 => 8,
        }
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        self.range().is_none()
    }

    /// Whether it holds negative numbers.
    pub const fn is_signed(self) -> bool {
        match self.range() {
            Some((low, _)) => low < 0,
            None => !matches!(self, DType::E8m0 | DType::Ue4m3),
        }
    }

    /// The smallest and the largest value of an integer type; `None` for floats.
    pub const fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            DType::U8 => (0, u8::MAX as i128),
            DType::U16 => (0, u16::MAX as i128),
            DType::U32 => (0, u32::MAX as i128),
            DType::U64 => (0, u64::MAX as i128),
            DType::I8 => (i8::MIN as i128, i8::MAX as i128),
            DType::I16 => (i16::MIN as i128, i16::MAX as i128),
            DType::I32 => (i32::MIN as i128, i32::MAX as i128),
            DType::I64 => (i64::MIN as i128, i64::MAX as i128),
            _ => return None,
        })
    }

    /// The bits of a float of this type nearest to `value`, ties to even; overflow becomes infinity, for types without one
    /// their largest value. What is below the range of a type without a sign becomes its least value. In the lower bits of
    /// the word.
    pub fn encode(self, value: f64) -> u64 {
        match self {
            DType::E2m1 if value.is_nan() => 0,
            DType::E2m1 => small_float(value, 2, 1),
            DType::E8m0 if value.is_nan() => 0xff,
            DType::E8m0 => power_of_two(value),
            DType::Ue4m3 if value.is_nan() => 0x7f,
            DType::Ue4m3 => small_float(value.max(0.0), 4, 3),
            DType::E4m3 => small_float(value, 4, 3),
            DType::E5m2 => small_float(value, 5, 2),
            DType::F16 => small_float(value, 5, 10),
            DType::Bf16 => small_float(value, 8, 7),
            DType::Tf32 => small_float(value, 8, 10) << 13,
            DType::F32 => u64::from((value as f32).to_bits()),
            DType::F64 => value.to_bits(),
            _ => self.encode_integer(value as i128),
        }
    }

    /// The bits of an integer of this type, in the lower bytes of the word; the upper bits of `value` are lost.
    pub fn encode_integer(self, value: i128) -> u64 {
        let bits = value as u64;
        if self.bytes() == 8 { bits } else { bits & ((1 << (8 * self.bytes())) - 1) }
    }

    /// The number that the bits in the lower bytes of a word stand for.
    pub fn decode(self, bits: u64) -> f64 {
        match self {
            DType::E2m1 => widened(bits & 0xf, 2, 1, false),
            DType::E8m0 if bits & 0xff == 0xff => f64::NAN,
            DType::E8m0 => 2f64.powi((bits & 0xff) as i32 - 127),
            DType::E4m3 | DType::Ue4m3 if bits & 0x7f == 0x7f => f64::NAN,
            DType::Ue4m3 => widened(bits & 0x7f, 4, 3, false),
            DType::E4m3 => widened(bits, 4, 3, false),
            DType::E5m2 => widened(bits, 5, 2, true),
            DType::F16 => widened(bits, 5, 10, true),
            DType::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            DType::Tf32 | DType::F32 => f64::from(f32::from_bits(bits as u32)),
            DType::F64 => f64::from_bits(bits),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => bits as f64,
            DType::I8 => f64::from(bits as u8 as i8),
            DType::I16 => f64::from(bits as u16 as i16),
            DType::I32 => f64::from(bits as u32 as i32),
            DType::I64 => bits as i64 as f64,
        }
    }

    /// The bits of the element at the start of `bytes`, which hold at least one.
    pub fn bits(self, bytes: &[u8]) -> u64 {
        let mut word = [0; 8];
        word[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        u64::from_le_bytes(word)
    }
}

/// The E8M0 code of the power of two nearest to a number in their own measure, the logarithm.
fn power_of_two(value: f64) -> u64 {
    let exponent = if value > 0.0 { value.log2().round_ties_even() } else { f64::NEG_INFINITY };
    (exponent + 127.0).clamp(0.0, 254.0) as u64
}

/// A float with a sign, `exponent` and `mantissa` bits, rounded to nearest even. Two exponent bits mean e2m1, which has
/// neither infinity nor NaN, four e4m3, which has no infinity.
fn small_float(value: f64, exponent: u32, mantissa: u32) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << (exponent + mantissa);
    let highest = (1u64 << exponent) - 1;
    let (infinity, nan) = (highest << mantissa, (highest << mantissa) | ((1 << mantissa) - 1));
    let largest = match exponent {
        2 => nan,
        4 => nan - 1,
        _ => infinity,
    };
    if value.is_nan() {
        return sign | nan;
    }
    let magnitude = value.abs();
    let bias = (1i32 << (exponent - 1)) - 1;
    // The exponent of the value, not below that of the smallest normal number: smaller values share its spacing.
    let power = if magnitude == 0.0 { 1 - bias } else { exponent_of(magnitude).max(1 - bias) };
    let steps = (magnitude / 2f64.powi(power - mantissa as i32)).round_ties_even();
    if !steps.is_finite() {
        return sign | largest;
    }
    // Steps of a full mantissa carry into the exponent by themselves.
    let bits = (((power + bias - 1).max(0) as u64) << mantissa) + steps as u64;
    sign | bits.min(largest)
}

/// `floor(log2(x))` of a positive finite or infinite number.
fn exponent_of(x: f64) -> i32 {
    let field = (x.to_bits() >> 52) as i32 & 0x7ff;
    // A subnormal double is far below every smaller type's numbers.
    field - 1023
}

fn widened(bits: u64, exponent: u32, mantissa: u32, has_infinity: bool) -> f64 {
    let fraction = (bits & ((1 << mantissa) - 1)) as f64 / f64::from(1u32 << mantissa);
    let highest = (1u64 << exponent) - 1;
    let field = bits >> mantissa & highest;
    let bias = (1i32 << (exponent - 1)) - 1;
    let magnitude = match field {
        0 => fraction * 2f64.powi(1 - bias),
        field if has_infinity && field == highest => {
            if fraction == 0.0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        field => (1.0 + fraction) * 2f64.powi(field as i32 - bias),
    };
    if bits >> (exponent + mantissa) & 1 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bit_patterns() {
        // e4m3: 1.0 is 0x38, its largest 448 is 0x7e, its smallest 2^-9 is 0x01.
        for (value, bits) in [(1.0, 0x38), (448.0, 0x7e), (0.001_953_125, 0x01), (-2.0, 0xc0), (1e9, 0x7e), (0.0, 0)] {
            assert_eq!(DType::E4m3.encode(value), bits, "{value}");
        }
        assert_eq!(DType::E4m3.encode(f64::NAN), 0x7f);
        assert_eq!(DType::E5m2.encode(57344.0), 0x7b);
        assert_eq!(DType::E5m2.encode(1e9), 0x7c);
        assert_eq!(
            (DType::F16.encode(1.0), DType::F16.encode(65504.0), DType::F16.encode(1e6)),
            (0x3c00, 0x7bff, 0x7c00)
        );
        assert_eq!((DType::Bf16.encode(1.0), DType::Bf16.encode(-3.140_625)), (0x3f80, 0xc049));
        assert_eq!(DType::Tf32.encode(1.0), 0x3f80_0000);
        // e2m1: 0, 1/2, 1, 3/2, 2, 3, 4, 6 in order, the sign above; 2.5 lies between two codes and takes the even one.
        let magnitudes = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
        assert_eq!(magnitudes.map(|value| DType::E2m1.encode(value)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!([-6.0, 100.0, 2.5, 0.2, -0.5].map(|value| DType::E2m1.encode(value)), [0xf, 7, 4, 0, 9]);
        assert_eq!([1.0, 0.25, 0.0, -1.0, 1e300].map(|value| DType::E8m0.encode(value)), [127, 125, 0, 0, 254]);
        assert_eq!([1.0, 448.0, 1e9, -2.0].map(|value| DType::Ue4m3.encode(value)), [0x38, 0x7e, 0x7e, 0]);
        assert!(DType::E8m0.decode(0xff).is_nan() && DType::Ue4m3.decode(0xff).is_nan());
        assert_eq!(DType::U8.encode_integer(-1), 0xff);
        assert_eq!(DType::I32.decode(DType::I32.encode_integer(-5)), -5.0);
    }

    #[test]
    fn ties_go_to_even() {
        // Between 1 (0x3f80) and 1 + 2^-7 (0x3f81) in bf16, then between that and 1 + 2^-6.
        assert_eq!(DType::Bf16.encode(1.0 + 2f64.powi(-8)), 0x3f80);
        assert_eq!(DType::Bf16.encode(1.0 + 3.0 * 2f64.powi(-8)), 0x3f82);
    }

    #[test]
    fn every_small_float_survives_the_way_there_and_back() {
        for (dtype, all) in [
            (DType::E2m1, 1u64 << 4),
            (DType::E8m0, 1 << 8),
            (DType::Ue4m3, 1 << 7),
            (DType::E4m3, 1 << 8),
            (DType::E5m2, 1 << 8),
            (DType::F16, 1 << 16),
            (DType::Bf16, 1 << 16),
        ] {
            for bits in 0..all {
                let value = dtype.decode(bits);
                if value.is_nan() {
                    assert!(dtype.decode(dtype.encode(value)).is_nan(), "{dtype} {bits:#x}");
                } else {
                    assert_eq!(dtype.encode(value), bits, "{dtype} {bits:#x} {value}");
                }
            }
        }
    }
}
