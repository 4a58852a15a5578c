//! Occupancy: how many warps can be resident, what caps them, and how far the next step is.

use super::compare::Row;
use super::summary::KernelSummary;

/// The resources that cap the blocks on an SM, with the metric of each.
const LIMITS: [(&str, &str); 5] = [
    ("registers", "launch__occupancy_limit_registers"),
    ("shared memory", "launch__occupancy_limit_shared_mem"),
    ("warps", "launch__occupancy_limit_warps"),
    ("blocks", "launch__occupancy_limit_blocks"),
    ("barriers", "launch__occupancy_limit_barriers"),
];

/// The curves that the report holds: what varies, the metric of the curve, the metric of the point, steps in words.
const CURVES: [(&str, &str, &str); 3] = [
    ("register", "launch__occupancy_per_register_count", "launch__registers_per_thread"),
    ("byte of shared memory", "launch__occupancy_per_shared_mem_size", "launch__shared_mem_per_block"),
    ("thread per block", "launch__occupancy_per_block_size", "launch__block_size"),
];

/// One cap on the blocks of an SM.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BlockLimit {
    /// The resource.
    pub resource: String,
    /// Blocks that this resource admits.
    pub row: Row,
    /// Whether it is the smallest cap of the new side; several are when they tie.
    pub binds: bool,
}

/// Where the next higher occupancy begins on a curve.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Cliff {
    /// What would have to change: `register`, `byte of shared memory`, `thread per block`.
    pub unit: String,
    /// The value of the launch.
    pub at: u64,
    /// Warps per SM there, as the curve says.
    pub warps: f64,
    /// The nearest smaller value with more warps, and those warps.
    pub gain: Option<(u64, f64)>,
    /// The largest value up to which the warps do not drop, when the curve reaches further.
    pub room: Option<u64>,
    /// The curve where it changes: (value, warps from there on), and its last point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<(u64, f64)>,
}

/// Occupancy of a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Occupancy {
    /// Theoretical, achieved, warps, waves.
    pub rows: Vec<Row>,
    /// The caps.
    pub limits: Vec<BlockLimit>,
    /// Distance to the next step, for each curve that the report holds.
    pub cliffs: Vec<Cliff>,
    /// Blocks per SM that the smallest cap admits.
    pub blocks_per_sm: Option<f64>,
    /// Grid over (SMs × blocks per SM).
    pub waves: Option<f64>,
}

impl Occupancy {
    /// The occupancy of a kernel, old beside new.
    pub fn of(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Occupancy {
        let rows = super::panels::Panel::build("occupancy", new, old).map(|panel| panel.rows).unwrap_or_default();
        let mut limits: Vec<BlockLimit> = LIMITS
            .iter()
            .map(|(resource, metric)| BlockLimit {
                resource: (*resource).into(),
                row: Row { label: (*resource).into(), ..Row::metric(metric, new, old) },
                binds: false,
            })
            .filter(|limit| limit.row.has_number())
            .collect();
        let smallest = limits.iter().filter_map(|l| l.row.new.value()).min_by(f64::total_cmp);
        for limit in &mut limits {
            limit.binds = smallest.is_some() && limit.row.new.value() == smallest;
        }
        Occupancy {
            rows,
            limits,
            cliffs: CURVES.iter().filter_map(|curve| cliff(new, curve)).collect(),
            blocks_per_sm: smallest,
            waves: new.value("launch__waves_per_multiprocessor"),
        }
    }

    /// The resources that bind, in table order.
    pub fn binding(&self) -> Vec<&str> {
        self.limits.iter().filter(|limit| limit.binds).map(|limit| limit.resource.as_str()).collect()
    }
}

/// Reads one curve at the launch's own point.
fn cliff(side: &KernelSummary<'_>, (unit, curve, point): &(&str, &str, &str)) -> Option<Cliff> {
    let at = side.value(point)? as u64;
    let metric = side.first().metric(curve)?;
    let mut points: Vec<(u64, f64)> =
        metric.instances.iter().filter_map(|i| Some((i.id.as_u64()?, i.value.as_f64()?))).collect();
    points.sort_by_key(|(x, _)| *x);
    // The launch sits on the last point that is not above it: curves step in allocation units.
    let here = points.iter().rposition(|(x, _)| *x <= at)?;
    let warps = points[here].1;
    let gain = points[..here].iter().rev().find(|(x, w)| *w > warps && *x > 0).copied();
    let last = points[here..].iter().take_while(|(_, w)| *w >= warps).last()?;
    let room = (last.0 > at && last.0 < points.last()?.0).then_some(last.0);
    Some(Cliff { unit: (*unit).into(), at, warps, gain, room, steps: steps(&points) })
}

/// The points of a sorted curve at which its value changes, and the last one.
fn steps(points: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let changes =
        (0..points.len()).filter(|at| *at == 0 || at + 1 == points.len() || points[at - 1].1 != points[*at].1);
    changes.map(|at| points[at]).collect()
}
