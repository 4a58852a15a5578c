//! A value of the lanes of a warp: what is the same for all of them, and unknown but for the zeros at its end, and what is known for each.

pub(super) const LANES: usize = 32;
/// Bits of a value.
pub(super) const BITS: u32 = 32;

/// `base + lane[i] + argument · times[i]` modulo 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The base is a multiple of two to the power of this; from 32 on it is zero.
    pub(super) zeros: u32,
    pub(super) lane: [u32; LANES],
    /// A word of the kernel's arguments by its byte, and its factor by lane.
    pub(super) times: Option<(u16, [u32; LANES])>,
}

impl Value {
    pub(super) const fn known(value: u32) -> Value {
        Value { zeros: BITS, lane: [value; LANES], times: None }
    }

    /// The same for all lanes and not known.
    pub(super) const fn uniform() -> Value {
        Value { zeros: 0, lane: [0; LANES], times: None }
    }

    pub(super) fn argument(byte: u16) -> Value {
        Value { times: Some((byte, [1; LANES])), ..Value::known(0) }
    }

    /// The value, if it is a known number for all lanes.
    pub(super) fn number(&self) -> Option<u32> {
        (self.zeros >= BITS && self.times.is_none() && self.is_even()).then_some(self.lane[0])
    }

    pub(super) fn is_even(&self) -> bool {
        self.lane.iter().all(|lane| *lane == self.lane[0])
    }

    /// Without a factor that is the same for all lanes, which the base takes.
    pub(super) fn folded(self) -> Value {
        match self.times {
            Some((_, times)) if times.iter().all(|own| *own == times[0]) => Value { zeros: 0, times: None, ..self },
            _ => self,
        }
    }

    pub(super) fn is_uniform(&self) -> bool {
        self.folded().times.is_none() && self.is_even()
    }

    pub(super) fn add(self, other: Value) -> Option<Value> {
        let (a, b) = (self, other);
        let (a, b) = match (a.times, b.times) {
            (Some((own, _)), Some((byte, _))) if own != byte => (a.folded(), b.folded()),
            _ => (a, b),
        };
        let sum = |a: [u32; LANES], b: [u32; LANES]| std::array::from_fn(|at| a[at].wrapping_add(b[at]));
        let times = match (a.times, b.times) {
            (Some((own, a)), Some((byte, b))) => (own == byte).then(|| Some((own, sum(a, b))))?,
            (one, other) => one.or(other),
        };
        Some(Value { zeros: a.zeros.min(b.zeros), lane: sum(a.lane, b.lane), times })
    }

    pub(super) fn scaled(self, by: u32) -> Value {
        let all = |lanes: [u32; LANES]| lanes.map(|lane| lane.wrapping_mul(by));
        let zeros = if by == 0 { BITS } else { (self.zeros + by.trailing_zeros()).min(BITS) };
        Value { zeros, lane: all(self.lane), times: self.times.map(|(byte, times)| (byte, all(times))) }
    }

    pub(super) fn multiply(self, other: Value) -> Option<Value> {
        if let Some(by) = other.number() {
            return Some(self.scaled(by));
        }
        if let Some(by) = self.number() {
            return Some(other.scaled(by));
        }
        if self.is_uniform() && other.is_uniform() {
            return Some(Value::uniform());
        }
        let (own, argument) = if self.times.is_none() { (self, other) } else { (other, self) };
        let (byte, _) = argument.times.filter(|_| own.times.is_none())?;
        let is_it = argument == Value::argument(byte);
        let zeros = if own.zeros >= BITS { BITS } else { 0 };
        is_it.then_some(Value { zeros, lane: [0; LANES], times: Some((byte, own.lane)) })
    }

    /// Bits that the base and the lanes do not share, so that each bit is of one of them alone.
    fn apart(&self) -> Option<u32> {
        let is_apart = |lane: &u32| self.zeros >= BITS || *lane >> self.zeros == 0;
        (self.times.is_none() && self.lane.iter().all(is_apart)).then_some(self.zeros)
    }

    pub(super) fn shifted_right(self, by: u32) -> Option<Value> {
        let own = self.folded();
        if own.is_uniform() && own.number().is_none() {
            return Some(Value::uniform());
        }
        let zeros = own.apart()?;
        let base = if zeros >= BITS { BITS } else { zeros.saturating_sub(by) };
        (zeros >= by || own.lane.iter().all(|lane| lane >> by == 0)).then_some(Value {
            zeros: base,
            lane: own.lane.map(|lane| lane >> by),
            times: None,
        })
    }

    /// Bits that no base reaches are known; above them a result is the same for all lanes where each operand is.
    pub(super) fn logic(table: u8, operands: [Value; 3]) -> Option<Value> {
        let operands = operands.map(Value::folded);
        if operands.iter().all(|own| own.is_uniform() && own.number().is_none()) {
            return Some(Value::uniform());
        }
        let zeros = operands.iter().map(|own| own.zeros).min().unwrap_or_default();
        let low = 1_u32.checked_shl(zeros).map_or(u32::MAX, |above| above - 1);
        let is_low = |own: &Value| own.lane.iter().all(|lane| lane & !low == 0);
        if operands.iter().any(|own| own.times.is_some() || !is_low(own) && own.number().is_none()) {
            return None;
        }
        let bits = |at: usize| {
            (0..8_u8).filter(|case| table >> case & 1 == 1).fold(0, |found, case| {
                let side =
                    |of: usize| if case & (4 >> of) != 0 { operands[of].lane[at] } else { !operands[of].lane[at] };
                found | side(0) & side(1) & side(2)
            })
        };
        // Where the operands that end below take the others' upper bits away, nothing is left of the base.
        let ends = |of: usize| operands[of].zeros >= BITS && is_low(&operands[of]);
        let is_left = |case: u8| table >> case & 1 == 1 && (0..3).all(|of| !ends(of) || case & (4 >> of) == 0);
        let zeros = if (0..8).any(is_left) { zeros } else { BITS };
        Some(Value { zeros, lane: std::array::from_fn(|at| bits(at) & low), times: None })
    }
}
