//! What a register holds in each lane, as far as it is known.

pub(super) const LANES: usize = 32;
/// A mask of all of them.
pub(super) const ALL: u32 = u32::MAX;

/// 32 bits of each lane; of a predicate one. A lane whose bit is not in `known` may hold anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) known: u32,
    pub(super) lane: [u32; LANES],
}

impl Value {
    pub(super) const UNKNOWN: Value = Value { known: 0, lane: [0; LANES] };

    /// The same in all lanes.
    pub(super) const fn all(value: u32) -> Value {
        Value { known: ALL, lane: [value; LANES] }
    }

    pub(super) fn each(value: impl Fn(usize) -> u32) -> Value {
        Value { known: ALL, lane: std::array::from_fn(value) }
    }

    /// What a function makes of values, where all of them are known.
    pub(super) fn of<const N: usize>(values: [Value; N], make: impl Fn([u32; N]) -> u32) -> Value {
        let known = values.iter().fold(ALL, |known, value| known & value.known);
        Value { known, lane: std::array::from_fn(|lane| make(values.map(|value| value.lane[lane]))) }
    }

    /// The value with zero where it is not known.
    pub(super) fn or_zero(&self) -> Value {
        Value::all(0).with(self, self.known)
    }

    pub(super) fn at(&self, lane: usize) -> Option<u32> {
        (self.known >> lane & 1 == 1).then_some(self.lane[lane])
    }

    /// The lanes that hold something else than zero; `None` where one of `lanes` is not known.
    pub(super) fn holds(&self, lanes: u32) -> Option<u32> {
        let on = (0..LANES).filter(|lane| self.lane[*lane] != 0).fold(0, |on, lane| on | 1 << lane);
        (self.known & lanes == lanes).then_some(on & lanes)
    }

    /// The value with that of another in some lanes.
    pub(super) fn with(&self, other: &Value, lanes: u32) -> Value {
        let from = |lane: usize| if lanes >> lane & 1 == 1 { other } else { self };
        Value {
            known: self.known & !lanes | other.known & lanes,
            lane: std::array::from_fn(|lane| from(lane).lane[lane]),
        }
    }
}

pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}
