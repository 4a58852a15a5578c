//! What the sectors of a request say about the addresses of its lanes.

/// Bytes of a sector.
const SECTOR: f64 = 32.0;
/// Sectors per request that averaging over executions may add or hide.
const SLACK: f64 = 0.05;

/// How the lanes of a warp address memory, as far as the counts tell. Several patterns can give the same counts; the
/// simplest is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Pattern {
    /// All lanes in one sector, although their elements side by side would need several.
    Broadcast,
    /// No sector beyond those that the bytes need.
    SideBySide,
    /// One sector more: the first byte lies inside a sector.
    Misaligned,
    /// Lanes this many bytes apart, if they are evenly apart.
    Strided {
        /// Distance of two neighbouring lanes in bytes.
        bytes: f64,
    },
    /// A sector for every lane: lanes 32 bytes apart or more, or at scattered addresses.
    SectorPerLane,
    /// Lanes or width are not known.
    #[default]
    Unknown,
}

impl Pattern {
    pub(super) fn is_unknown(&self) -> bool {
        *self == Pattern::Unknown
    }

    /// The pattern of `sectors` per request where `ideal` would do, with `lanes` active and `width` bytes each.
    ///
    /// Evenly strided lanes at `d` bytes, `width ≤ d ≤ 32`, span `lanes × d` bytes, so that `d = 32 × sectors / lanes`.
    pub(super) fn of(sectors: f64, ideal: f64, lanes: f64, width: Option<u64>) -> Pattern {
        let Some(width) = width.map(|bytes| bytes as f64).filter(|_| lanes > 0.0 && sectors > 0.0) else {
            return Pattern::Unknown;
        };
        if sectors <= 1.0 + SLACK && lanes * width > SECTOR * (1.0 + SLACK) {
            Pattern::Broadcast
        } else if sectors <= ideal + SLACK {
            Pattern::SideBySide
        } else if lanes > 1.0 && sectors >= lanes * (1.0 - SLACK) {
            Pattern::SectorPerLane
        } else if sectors <= ideal + 1.0 + SLACK && ideal >= 2.0 {
            Pattern::Misaligned
        } else {
            Pattern::Strided { bytes: SECTOR * sectors / lanes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_by_hand() {
        // 32 lanes of 4 bytes: 128 bytes are 4 sectors; 8 bytes apart they span 256 bytes, 8 sectors.
        assert_eq!(Pattern::of(4.0, 4.0, 32.0, Some(4)), Pattern::SideBySide);
        assert_eq!(Pattern::of(5.0, 4.0, 32.0, Some(4)), Pattern::Misaligned);
        assert_eq!(Pattern::of(8.0, 4.0, 32.0, Some(4)), Pattern::Strided { bytes: 8.0 });
        assert_eq!(Pattern::of(32.0, 4.0, 32.0, Some(4)), Pattern::SectorPerLane);
        assert_eq!(Pattern::of(1.0, 1.0, 32.0, Some(4)), Pattern::Broadcast);
        // One lane needs one sector, whatever it does.
        assert_eq!(Pattern::of(1.0, 1.0, 1.0, Some(4)), Pattern::SideBySide);
        // 32 lanes of 16 bytes are 16 sectors, and 17 when they begin inside one.
        assert_eq!(Pattern::of(17.0, 16.0, 32.0, Some(16)), Pattern::Misaligned);
        assert_eq!(Pattern::of(4.0, 4.0, 32.0, None), Pattern::Unknown);
    }
}
