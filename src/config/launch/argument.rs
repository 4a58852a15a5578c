//! One of `args`: a number of a type, or a buffer with its extents, its role, what it holds before a launch and, where it is asked
//! for, its tensor map.

use crate::config::ConfigError;
use crate::config::text::Text;
use crate::nearest::did_you_mean;
use audit_launch::{Argument, Buffer, DType, Promotion, Role, Scalar, Swizzle, TensorMap, Values};
use std::ops::Range;
use toml::Spanned;

#[derive(serde::Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table such as `{ name = \"x\", dtype = \"f32\", shape = [1024], role = \"in\" }`"
)]
pub(super) struct ArgumentKeys {
    pub(super) name: Spanned<String>,
    dtype: Spanned<String>,
    value: Option<Spanned<toml::Value>>,
    shape: Option<Spanned<toml::Value>>,
    role: Option<Spanned<String>>,
    seed: Option<u64>,
    pub(super) uniform: Option<Spanned<[f64; 2]>>,
    pub(super) normal: Option<Spanned<[f64; 2]>>,
    pub(super) integers: Option<Spanned<[i64; 2]>>,
    pub(super) powers: Option<Spanned<[i32; 2]>>,
    pub(super) offsets: Option<Spanned<[i64; 2]>>,
    pub(super) fill: Option<Spanned<f64>>,
    map: Option<MapKeys>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as `{ box = [64, 128] }`")]
struct MapKeys {
    #[serde(rename = "box")]
    extent: Spanned<Vec<u32>>,
    shape: Option<Spanned<toml::Value>>,
    swizzle: Option<Spanned<u32>>,
    promotion: Option<Spanned<u32>>,
}

impl Text {
    pub(super) fn argument(&self, keys: &ArgumentKeys, at: usize) -> Result<Argument, ConfigError> {
        let dtype = keys.dtype.get_ref();
        let dtype = DType::named(dtype).ok_or_else(|| {
            let known: Vec<&str> = DType::names().collect();
            let near = did_you_mean(dtype, known.iter().copied());
            let reason = format!("expected one of {}, found {dtype:?}{near}", known.join(", "));
            self.wrong(reason, keys.dtype.span(), "", None)
        })?;
        match (&keys.value, &keys.shape) {
            (Some(value), None) => Ok(Argument::Scalar(Scalar {
                name: keys.name.get_ref().clone(),
                dtype,
                bits: self.scalar(dtype, value)?,
            })),
            (None, Some(shape)) => Ok(Argument::Buffer(self.buffer(keys, dtype, shape, at)?)),
            (Some(value), Some(_)) => {
                let help = Some("`value` makes a number, `shape` a buffer".to_owned());
                Err(self.wrong("an argument has a value or a shape, not both".into(), value.span(), "", help))
            }
            (None, None) => {
                let help = Some("`value` makes a number, `shape` a buffer".to_owned());
                let message = format!("the argument {:?} has neither value nor shape", keys.name.get_ref());
                Err(self.wrong(message, keys.name.span(), "", help))
            }
        }
    }

    fn scalar(&self, dtype: DType, value: &Spanned<toml::Value>) -> Result<u64, ConfigError> {
        let Some((low, high)) = dtype.range() else {
            let number = match value.get_ref() {
                toml::Value::Float(number) => Some(*number),
                toml::Value::Integer(number) => Some(*number as f64),
                _ => None,
            };
            let number = number.ok_or_else(|| self.wrong("expected a number".into(), value.span(), "", None))?;
            return Ok(dtype.encode(number));
        };
        let number = match value.get_ref() {
            toml::Value::Integer(number) => i128::from(*number),
            _ => i128::from(self.amount(value)?.value()),
        };
        if !(low..=high).contains(&number) {
            let message = format!("{number} does not fit {dtype}: it holds {low} to {high}");
            return Err(self.wrong(message, value.span(), "", None));
        }
        Ok(dtype.encode_integer(number))
    }

    fn buffer(
        &self,
        keys: &ArgumentKeys,
        dtype: DType,
        shape: &Spanned<toml::Value>,
        at: usize,
    ) -> Result<Buffer, ConfigError> {
        let extents = self.amounts(shape)?;
        let shared = dtype.in_a_byte() as u64;
        if extents.last().is_some_and(|extent| extent % shared != 0) {
            let message =
                format!("{shared} elements of {dtype} share a byte: the last extent must be a multiple of {shared}");
            return Err(self.wrong(message, shape.span(), "", None));
        }
        let elements = extents.iter().try_fold(1u64, |product, extent| product.checked_mul(*extent));
        let bytes = elements.and_then(|elements| elements.checked_mul(dtype.bytes() as u64));
        if extents.is_empty() || bytes.is_none_or(|bytes| bytes == 0 || bytes > 1 << 40) {
            let message = "expected extents of at least one element and at most 2^40 bytes in all".to_owned();
            return Err(self.wrong(message, shape.span(), "", None));
        }
        let role = match keys.role.as_ref().map(|role| role.get_ref().as_str()) {
            None | Some("in") => Role::In,
            Some("out") => Role::Out,
            Some("inout") => Role::InOut,
            Some(other) => {
                let span = keys.role.as_ref().map_or(0..0, Spanned::span);
                let message = format!("expected \"in\", \"out\" or \"inout\", found {other:?}");
                return Err(self.wrong(message, span, "", None));
            }
        };
        let map = keys.map.as_ref().map(|map| self.map(map, &extents, dtype)).transpose()?;
        Ok(Buffer {
            name: keys.name.get_ref().clone(),
            role,
            dtype,
            shape: extents,
            seed: keys.seed.unwrap_or(at as u64 + 1),
            values: self.values(keys, dtype, role)?,
            map,
        })
    }

    fn map(&self, keys: &MapKeys, buffer: &[u64], dtype: DType) -> Result<TensorMap, ConfigError> {
        let shape = match &keys.shape {
            None => buffer.to_vec(),
            Some(seen) => {
                let extents = self.amounts(seen)?;
                let elements = |extents: &[u64]| extents.iter().map(|extent| u128::from(*extent)).product::<u128>();
                if elements(&extents) != elements(buffer) {
                    let message = format!("a map of {extents:?} does not have the elements of {buffer:?}");
                    return Err(self.wrong(message, seen.span(), "", None));
                }
                extents
            }
        };
        let rank = shape.len();
        let extent = keys.extent.get_ref();
        if extent.len() != rank || rank > 5 || extent.iter().any(|side| !(1..=256).contains(side)) {
            let message = format!("expected {rank} sides from 1 to 256, one for each of at most 5 extents");
            return Err(self.wrong(message, keys.extent.span(), "", None));
        }
        let shared = dtype.in_a_byte();
        let whole = |side: Option<u64>| side.is_some_and(|side| side % shared as u64 == 0);
        if !whole(shape.last().copied()) || !whole(extent.last().map(|side| u64::from(*side))) {
            let message =
                format!("{shared} elements of {dtype} share a byte: the last side must be a multiple of {shared}");
            return Err(self.wrong(message, keys.extent.span(), "", None));
        }
        let bytes = |value: &Option<Spanned<u32>>| value.as_ref().map(|value| (*value.get_ref(), value.span()));
        let swizzle = match bytes(&keys.swizzle) {
            None | Some((0, _)) => Swizzle::None,
            Some((32, _)) => Swizzle::Bytes32,
            Some((64, _)) => Swizzle::Bytes64,
            Some((128, _)) => Swizzle::Bytes128,
            Some((_, span)) => return Err(self.wrong("expected 0, 32, 64 or 128 bytes".into(), span, "", None)),
        };
        let promotion = match bytes(&keys.promotion) {
            None | Some((0, _)) => Promotion::None,
            Some((64, _)) => Promotion::Bytes64,
            Some((128, _)) => Promotion::Bytes128,
            Some((256, _)) => Promotion::Bytes256,
            Some((_, span)) => return Err(self.wrong("expected 0, 64, 128 or 256 bytes".into(), span, "", None)),
        };
        Ok(TensorMap { shape, extent: extent.clone(), swizzle, promotion })
    }
}

impl Text {
    /// The distribution that is asked for; by default the whole range of an integer type, [-1, 1) for floats, and powers of
    /// two about one for scales, which have no sign.
    pub(super) fn values(&self, keys: &ArgumentKeys, dtype: DType, role: Role) -> Result<Values, ConfigError> {
        let mut given: Vec<(Range<usize>, Values)> = Vec::new();
        given.extend(keys.uniform.as_ref().map(|v| (v.span(), Values::Uniform(v.get_ref()[0], v.get_ref()[1]))));
        given.extend(keys.normal.as_ref().map(|v| (v.span(), Values::Normal(v.get_ref()[0], v.get_ref()[1]))));
        given.extend(
            keys.integers.as_ref().map(|v| (v.span(), Values::Integers(v.get_ref()[0].into(), v.get_ref()[1].into()))),
        );
        given.extend(keys.powers.as_ref().map(|v| (v.span(), Values::Powers(v.get_ref()[0], v.get_ref()[1]))));
        given.extend(
            keys.offsets.as_ref().map(|v| (v.span(), Values::Offsets(v.get_ref()[0].into(), v.get_ref()[1].into()))),
        );
        given.extend(keys.fill.as_ref().map(|v| (v.span(), Values::Fill(*v.get_ref()))));
        if let [_, (span, _), ..] = &given[..] {
            let message = "expected one of `uniform`, `normal`, `integers`, `powers`, `offsets` and `fill`".to_owned();
            return Err(self.wrong(message, span.clone(), "the second", None));
        }
        let Some((span, values)) = given.pop() else {
            return Ok(match dtype.range() {
                Some((low, high)) => Values::Integers(low, high),
                None if dtype.is_signed() => Values::Uniform(-1.0, 1.0),
                None => Values::Powers(-4, 4),
            });
        };
        let wrong = |message: &str, help: &str| {
            Err(self.wrong(message.to_owned(), span.clone(), "", (!help.is_empty()).then(|| help.to_owned())))
        };
        match values {
            _ if role == Role::Out => {
                wrong("an output has no values before the launch", "`role = \"inout\"` for what is read as well")
            }
            Values::Fill(_) if role == Role::In => {
                wrong("an input is never one value throughout", "kernels are neither checked nor timed on such inputs")
            }
            Values::Uniform(low, high) if !(low < high && (high - low).is_finite()) => {
                wrong("expected [low, high] with low below high", "")
            }
            Values::Normal(mean, deviation) if !(mean.is_finite() && deviation > 0.0 && deviation.is_finite()) => {
                wrong("expected [mean, deviation] with a deviation above 0", "")
            }
            Values::Integers(low, high) if low >= high => wrong("expected [first, last] with first below last", ""),
            Values::Integers(low, high) if dtype.range().is_some_and(|(least, most)| low < least || high > most) => {
                wrong("these integers do not fit the type", "")
            }
            Values::Uniform(..) | Values::Normal(..) | Values::Powers(..) if !dtype.is_float() => {
                wrong("an integer type takes `integers` or `offsets`", "such as integers = [0, 255]")
            }
            Values::Uniform(low, _) if !dtype.is_signed() && low < 0.0 => {
                wrong("this type holds no negative numbers", "such as powers = [-8, 0]")
            }
            Values::Normal(..) if !dtype.is_signed() => {
                wrong("this type holds no negative numbers", "such as powers = [-8, 0]")
            }
            Values::Powers(low, high) if low >= high => {
                wrong("expected [first, last] with the first exponent below the last", "")
            }
            Values::Offsets(low, high) if !(0 <= low && low < high) => {
                wrong("expected [least, most] rows of a group, from 0 on, with the least below the most", "")
            }
            Values::Offsets(..) if !matches!(dtype, DType::U32 | DType::U64 | DType::I32 | DType::I64) => {
                wrong("offsets are integers of 32 or 64 bits", "such as dtype = \"u32\"")
            }
            values => Ok(values),
        }
    }
}
