//! Units and quantities: a number that knows what it counts.
//!
//! Owns [`Unit`] and [`Quantity`]. Receives numbers from the readers and gives arithmetic that refuses mixed units.

use std::collections::HashSet;
use std::fmt;
use std::sync::{LazyLock, Mutex};

/// Bytes of a sector, in which L1, L2 and DRAM are counted (Nsight Compute, Kernel Profiling Guide, Memory Tables).
pub const SECTOR_BYTES: u32 = 32;

/// A unit, spelled as NVIDIA's tools print base units: `ns`, `byte/s`, `%`, `inst`, `sector/cycle`, or nothing.
///
/// Compared by spelling. Cheap to copy: the spelling is a constant or lives for the whole process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Unit(&'static str);

impl Unit {
    /// A number without a unit: a count, a code, a ratio.
    pub const NONE: Unit = Unit("");
    /// Percent on the scale 0 to 100.
    pub const PERCENT: Unit = Unit("%");
    /// Nanoseconds.
    pub const NS: Unit = Unit("ns");
    /// Bytes.
    pub const BYTE: Unit = Unit("byte");
    /// Bytes per second.
    pub const BYTE_PER_SECOND: Unit = Unit("byte/s");
    /// Clock cycles.
    pub const CYCLE: Unit = Unit("cycle");
    /// Cycles per second.
    pub const HZ: Unit = Unit("hz");
    /// Warp-level instructions.
    pub const INST: Unit = Unit("inst");
    /// 32-byte sectors.
    pub const SECTOR: Unit = Unit("sector");
    /// Warps.
    pub const WARP: Unit = Unit("warp");
    /// Threads.
    pub const THREAD: Unit = Unit("thread");
    /// Floating-point operations per second.
    pub const FLOP_PER_SECOND: Unit = Unit("FLOP/s");

    /// A unit with a spelling known when the program was written.
    pub const fn fixed(spelling: &'static str) -> Unit {
        Unit(spelling)
    }

    /// A unit from a spelling met at run time. Each distinct spelling is kept once for the life of the process.
    pub fn new(spelling: &str) -> Unit {
        static SEEN: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
        let mut seen = SEEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = seen.get(spelling) {
            return Unit(known);
        }
        let kept: &'static str = Box::leak(spelling.into());
        seen.insert(kept);
        Unit(kept)
    }

    /// The spelling; empty for a number without unit.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether this is [`Unit::NONE`].
    pub const fn is_none(self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unit({:?})", self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Unit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Unit::new(&String::deserialize(deserializer)?))
    }
}

/// A number with its unit. Percent is 0 to 100, time is ns, sizes are bytes: always NVIDIA's base unit.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Quantity {
    value: f64,
    unit: Unit,
}

impl Quantity {
    /// A finite number with its unit; `None` for NaN and infinities, which are absence, not values.
    pub fn new(value: f64, unit: Unit) -> Option<Quantity> {
        value.is_finite().then_some(Quantity { value, unit })
    }

    /// The number.
    pub const fn value(self) -> f64 {
        self.value
    }

    /// The unit.
    pub const fn unit(self) -> Unit {
        self.unit
    }

    /// `self - other`, when both have one unit.
    pub fn minus(self, other: Quantity) -> Option<Quantity> {
        (self.unit == other.unit).then(|| Quantity::new(self.value - other.value, self.unit))?
    }

    /// `self / other` as a plain number, when both have one unit and `other` is not zero.
    pub fn over(self, other: Quantity) -> Option<f64> {
        if self.unit != other.unit || other.value == 0.0 {
            return None;
        }
        let ratio = self.value / other.value;
        ratio.is_finite().then_some(ratio)
    }

    /// `100 × self / other` in percent, under the conditions of [`Quantity::over`].
    pub fn percent_of(self, other: Quantity) -> Option<Quantity> {
        Quantity::new(100.0 * self.over(other)?, Unit::PERCENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_refuses_mixed_units_and_division_by_zero() {
        let a = Quantity::new(6.0, Unit::BYTE).expect("finite");
        let b = Quantity::new(4.0, Unit::BYTE).expect("finite");
        let t = Quantity::new(4.0, Unit::NS).expect("finite");
        let zero = Quantity::new(0.0, Unit::BYTE).expect("finite");
        assert_eq!(a.minus(b), Quantity::new(2.0, Unit::BYTE));
        assert_eq!(a.minus(t), None);
        assert_eq!(a.over(zero), None);
        assert_eq!(Quantity::new(f64::NAN, Unit::NONE), None);
    }

    #[test]
    fn equal_spellings_are_one_unit() {
        assert_eq!(Unit::new("byte"), Unit::BYTE);
        assert_eq!(Unit::new("odd/unit"), Unit::new("odd/unit"));
    }
}
