//! Memory accesses by line: what they moved, what they needed, and what that says about the addresses.

use super::KEPT;
use super::spot::{Groups, Spot};
use crate::analysis::derive::coalescing::{IDEAL, SECTORS, WAVEFRONTS, WAVEFRONTS_IDEAL};
use crate::catalog::Counter;
use crate::evidence::SourceView;
use crate::quantity::SECTOR;
use std::collections::BTreeMap;

/// A space that a counter tells by instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Global memory; counted in sectors of L2.
    Global,
    /// Shared memory; counted in wavefronts of L1.
    Shared,
    /// Local memory: spilled registers and arrays of a thread; counted in sectors of L2.
    Local,
}

/// The counters of a space: what was moved, and what was needed where a counter tells.
fn counters(space: Space) -> (Counter, Option<Counter>) {
    match space {
        Space::Global => (SECTORS, Some(IDEAL)),
        Space::Shared => (WAVEFRONTS, Some(WAVEFRONTS_IDEAL)),
        Space::Local => (Counter::MemoryL2TheoreticalSectorsLocal, None),
    }
}

/// Warp executions of an instruction, which are its requests.
pub(super) const EXECUTED: Counter = Counter::InstExecuted;
/// Executions by lanes that were active and not predicated off.
pub(super) const LANES: Counter = Counter::ThreadInstExecutedTrue;
/// Bits: 2 load, 4 store, 8 atomic.
pub(super) const ACCESS: Counter = Counter::MemoryAccessType;
/// Bits: 32, 64, 128 for the width of a lane's element in bits.
pub(super) const WIDTH: Counter = Counter::MemoryAccessSizeType;

/// The accesses of one kind at one line, or one instruction; without those that have no excess, where a need is known.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct AccessLine {
    pub spot: Spot,
    /// `load`, `store`, `atomic`, `load and store`; empty where the report does not say.
    pub kind: String,
    /// Bits of a lane's element, where all instructions agree; those below 32 count as 32.
    pub width_bits: Option<u64>,
    /// Warp-level executions.
    pub requests: u64,
    /// Sectors or wavefronts.
    pub moved: u64,
    /// What the same bytes need side by side; `None` where no counter tells.
    pub ideal: Option<u64>,
    /// Σ |moved − ideal| over its instructions; 0 where no need is known.
    pub excess: u64,
    /// Over all excess of the space, in percent; over all that was moved where no ideal is known.
    pub share: f64,
    /// Moved over requests.
    pub per_request: f64,
    /// Active lanes of an execution, on average; `None` where the counter was not collected.
    pub lanes: Option<f64>,
    /// The addresses' pattern; global memory alone.
    pub pattern: Pattern,
    /// Upper bound of the time that the excess costs, in percent; `None` where the unit's activity was not collected.
    pub bound: Option<f64>,
}

impl AccessLine {
    /// How many times the need was moved: the n of an n-way bank conflict.
    pub fn ways(&self) -> Option<f64> {
        self.ideal.filter(|ideal| *ideal > 0).map(|ideal| self.moved as f64 / ideal as f64)
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Accesses {
    pub space: Space,
    /// Sectors or wavefronts of all instructions.
    pub moved: u64,
    /// What they need; `None` where no counter tells.
    pub ideal: Option<u64>,
    /// Σ |moved − ideal| over the instructions, as NVIDIA's rules count it.
    pub excess: u64,
    /// The lines with the most excess, loads and stores apart; without an ideal the lines that move the most.
    pub lines: Vec<AccessLine>,
    /// The same by instruction.
    pub instructions: Vec<AccessLine>,
}

struct Counts<'a> {
    moved: Vec<u64>,
    ideal: Option<Vec<u64>>,
    executed: Vec<u64>,
    lanes: Option<Vec<u64>>,
    kinds: Vec<u64>,
    widths: Vec<u64>,
    groups: &'a Groups<'a>,
    space: Space,
    activity: Option<f64>,
}

impl Accesses {
    /// `None` where the report does not count the space by instruction, or the kernel does not use it. `activity` is
    /// the share of time in which the unit that serves the space worked, 0 to 1.
    pub(super) fn of(space: Space, view: &SourceView, groups: &Groups<'_>, activity: Option<f64>) -> Option<Accesses> {
        let (moved, ideal) = counters(space);
        let none = || vec![0; view.instructions.len()];
        let counts = Counts {
            moved: view.counts(moved)?,
            ideal: ideal.map(|ideal| view.counts(ideal).ok_or(())).transpose().ok()?,
            executed: view.counts(EXECUTED)?,
            lanes: view.counts(LANES),
            kinds: view.counts(ACCESS).unwrap_or_else(none),
            widths: view.counts(WIDTH).unwrap_or_else(none),
            groups,
            space,
            activity,
        };
        let all: u64 = counts.moved.iter().sum();
        if all == 0 {
            return None;
        }
        let excess: u64 = (0..counts.moved.len()).map(|row| counts.excess(row)).sum();
        let mut lines = Vec::new();
        for group in &groups.all {
            let mut kinds: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for row in group.iter().filter(|row| counts.weight(**row) > 0) {
                kinds.entry(counts.kinds[*row]).or_default().push(*row);
            }
            lines.extend(kinds.into_values());
        }
        let single = (0..counts.moved.len()).filter(|row| counts.weight(*row) > 0).map(|row| vec![row]).collect();
        Some(Accesses {
            space,
            moved: all,
            ideal: counts.ideal.as_ref().map(|ideal| ideal.iter().sum()),
            excess,
            lines: counts.leading(lines, all, excess),
            instructions: counts.leading(single, all, excess),
        })
    }
}

impl Counts<'_> {
    fn excess(&self, row: usize) -> u64 {
        self.ideal.as_ref().map_or(0, |ideal| self.moved[row].abs_diff(ideal[row]))
    }

    /// What a row is ranked by: excess, or all it moved where no need is known.
    fn weight(&self, row: usize) -> u64 {
        if self.ideal.is_some() { self.excess(row) } else { self.moved[row] }
    }

    fn leading(&self, mut rows: Vec<Vec<usize>>, all: u64, excess: u64) -> Vec<AccessLine> {
        let weight = |rows: &[usize]| -> u64 { rows.iter().map(|row| self.weight(*row)).sum() };
        rows.sort_by_key(|rows| (std::cmp::Reverse(weight(rows)), rows[0]));
        rows.truncate(KEPT);
        let whole = if self.ideal.is_some() { excess } else { all };
        rows.iter().map(|rows| self.line(rows, weight(rows), whole, all)).collect()
    }

    fn line(&self, rows: &[usize], weight: u64, whole: u64, all: u64) -> AccessLine {
        let sum = |counts: &[u64]| -> u64 { rows.iter().map(|row| counts[*row]).sum() };
        let (requests, moved) = (sum(&self.executed), sum(&self.moved));
        let ideal = self.ideal.as_ref().map(|ideal| sum(ideal));
        let width = self.widths[rows[0]];
        let agreed = matches!(width, 32 | 64 | 128) && rows.iter().all(|row| self.widths[*row] == width);
        let per = |count: u64| count as f64 / requests.max(1) as f64;
        let lanes = self.lanes.as_ref().map(|lanes| per(sum(lanes)));
        let width_bits = agreed.then_some(width);
        let pattern = match (self.space, lanes, ideal) {
            (Space::Global, Some(lanes), Some(ideal)) => {
                Pattern::of(per(moved), per(ideal), lanes, width_bits.map(|bits| bits / 8))
            }
            _ => Pattern::Unknown,
        };
        let bound = self.ideal.as_ref().and(self.activity).map(|active| 100.0 * active * weight as f64 / all as f64);
        AccessLine {
            spot: self.groups.spot(rows, &|row| self.weight(row)),
            kind: kind(self.kinds[rows[0]]).to_owned(),
            width_bits,
            requests,
            moved,
            ideal,
            excess: rows.iter().map(|row| self.excess(*row)).sum(),
            share: 100.0 * weight as f64 / whole.max(1) as f64,
            per_request: per(moved),
            lanes,
            pattern,
            bound,
        }
    }
}

fn kind(code: u64) -> &'static str {
    match code {
        2 => "load",
        4 => "store",
        6 => "load and store",
        code if code & 8 != 0 => "atomic",
        _ => "",
    }
}

/// Sectors per request that averaging over executions may add or hide.
const SLACK: f64 = 0.05;

/// How the lanes of a warp address memory: of the patterns that give such counts the simplest.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
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
