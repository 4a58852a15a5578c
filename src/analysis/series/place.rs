//! How fast audits are beside each other that were not compared with each other.

/// A time relative to others of its scale. Audits that do not compare stand on different scales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    scale: usize,
    level: f64,
}

impl Place {
    /// The first of a scale of its own.
    pub(super) const fn first(scale: usize) -> Place {
        Place { scale, level: 1.0 }
    }

    /// The place of what is slower by so many percent.
    pub(super) fn slower(self, percent: f64) -> Place {
        Place { level: self.level * (1.0 + percent / 100.0), ..self }
    }

    /// By how many percent this is slower than another; `None` where they do not compare.
    pub(super) fn beside(self, other: Place) -> Option<f64> {
        (self.scale == other.scale && other.level > 0.0).then(|| 100.0 * (self.level / other.level - 1.0))
    }
}
