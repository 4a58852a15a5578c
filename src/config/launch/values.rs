//! What a buffer holds before a launch: one distribution, which fits its type and its role.

use super::argument::ArgumentKeys;
use crate::config::ConfigError;
use crate::config::text::Text;
use audit_launch::{DType, Role, Values};
use std::ops::Range;

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
