//! Some of the warps of a block.

use std::fmt;

/// Warps of a block by their number, a bit for each of the 32 that a block may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warps(u32);

impl Warps {
    /// Bits of a thread's number that tell the lanes of a warp apart.
    pub(super) const BITS_OF_LANES: u32 = 5;
    const LANES: u32 = 1 << Warps::BITS_OF_LANES;

    /// The warps for whose threads something holds; `None` where it holds for some threads of a warp only, for all or for none.
    pub(super) fn where_threads(holds: impl Fn(u32) -> bool) -> Option<Warps> {
        let mut found = Warps(0);
        for warp in 0..u32::BITS {
            let first = warp * Warps::LANES;
            match (first..first + Warps::LANES).filter(|thread| holds(*thread)).count() as u32 {
                Warps::LANES => found.0 |= 1 << warp,
                0 => {}
                _ => return None,
            }
        }
        (!found.is_empty() && !found.others().is_empty()).then_some(found)
    }

    /// The warps that are not among these.
    pub(super) fn others(self) -> Warps {
        Warps(!self.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn and(self, other: Warps) -> Warps {
        Warps(self.0 & other.0)
    }

    /// How many there are in a block of so many warps.
    pub(in crate::analysis) fn of_block(self, warps: u64) -> u64 {
        (0..warps.min(u32::BITS.into())).filter(|warp| self.0 >> warp & 1 == 1).count() as u64
    }
}

/// `warp 5`, `warps 0–3, 6`; where the last that a block may have is among them, `warp other than 4, 5`.
impl fmt::Display for Warps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_open = self.0.leading_zeros() == 0;
        let mut rest = if is_open { !self.0 } else { self.0 };
        f.write_str(match (is_open, rest.count_ones()) {
            (true, _) => "warp other than ",
            (false, 1) => "warp ",
            (false, _) => "warps ",
        })?;
        let mut joint = "";
        while rest != 0 {
            let first = rest.trailing_zeros();
            let last = first + (rest >> first).trailing_ones() - 1;
            match last - first {
                0 => write!(f, "{joint}{first}")?,
                1 => write!(f, "{joint}{first}, {last}")?,
                _ => write!(f, "{joint}{first}–{last}")?,
            }
            rest &= !(u32::MAX >> (31 - last));
            joint = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_warps_are_told_by_number() {
        let said = |holds: fn(u32) -> bool| Warps::where_threads(holds).map(|warps| warps.to_string());
        assert_eq!(said(|thread| thread / 32 == 5).as_deref(), Some("warp 5"));
        assert_eq!(said(|thread| thread < 128).as_deref(), Some("warps 0–3"));
        assert_eq!(said(|thread| !matches!(thread / 32, 4 | 5)).as_deref(), Some("warp other than 4, 5"));
        assert_eq!(said(|thread| thread >= 128).as_deref(), Some("warp other than 0–3"));
        assert_eq!(said(|thread| matches!(thread / 32, 0 | 2 | 8..=11)).as_deref(), Some("warps 0, 2, 8–11"));
        // One thread of a warp, all and none part no warps.
        assert_eq!([said(|thread| thread == 0), said(|_| true), said(|_| false)], [None, None, None]);
        let first = Warps::where_threads(|thread| thread < 128).unwrap();
        assert_eq!((first.of_block(6), first.others().of_block(6), first.of_block(2)), (4, 2, 2));
    }
}
