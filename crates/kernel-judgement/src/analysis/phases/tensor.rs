//! What a tensor kernel's time says: its split, healthy back-pressure, fences and drains in the loop.

use super::detail::{Point, Pressure, TimeSplit};
use super::model::{PhaseKind, Phases};
use super::{point::point, study::Study};
use crate::evidence::WarpSync;
use cuda_binary::op::Sync;

/// The efficiency of a step from which the tensor pipe sets the pace.
const HEALTHY: f64 = 0.9;

/// The elapsed time: `u` the tensor pipe works, `A − u` a block is resident and the pipe idle, `1 − A` no block is there.
pub(super) fn time_split(study: &Study<'_>, tiles: Option<f64>, is_persistent: bool) -> TimeSplit {
    let counters = &study.counters;
    let has_tensor = study.mains.iter().any(|main| main.has_tensor);
    let tensor = counters.tensor[0].filter(|_| has_tensor);
    TimeSplit {
        tensor,
        idle: tensor.zip(counters.active).map(|(tensor, active)| (active - tensor).max(0.0)),
        empty: counters.active.map(|active| (1.0 - active).max(0.0)),
        last_wave: last_wave(study, tiles, is_persistent),
    }
}

/// The largest share of time that an unequal last wave can cost: blocks of one wave all start at once, so that they count by SM;
/// more waves leave at most the rest of the last one, and at most the slots that stood idle.
fn last_wave(study: &Study<'_>, tiles: Option<f64>, is_persistent: bool) -> Option<f64> {
    let counters = &study.counters;
    let rest = |waves: f64| 1.0 - waves / waves.ceil().max(1.0);
    let waves = counters.waves?;
    if waves <= 1.0 {
        let pieces = if is_persistent { tiles? } else { counters.blocks? };
        return Some(rest(pieces / counters.sms?));
    }
    let slots = counters.resident.zip(counters.resident_most).zip(counters.filled());
    let idle = slots.map(|((average, most), filled)| 1.0 - average / most * filled);
    Some(idle.map_or(rest(waves), |idle| rest(waves).min(idle)).max(0.0))
}

/// Samples behind a full tensor pipe: queues at tensor instructions, and waits for products; over the pacing role.
pub(super) fn pressure(study: &Study<'_>, efficiency: Option<f64>) -> Option<Pressure> {
    let code = &study.code;
    let mut sum = 0;
    let mut rows = study.cuts.iter().flat_map(|cut| cut.rows.iter().copied()).peekable();
    rows.peek()?;
    let has_tensor = study.mains.iter().any(|main| main.has_tensor);
    for row in rows.filter(|_| has_tensor) {
        let reasons: &[&str] = match code.sync(row) {
            WarpSync::ProductsWait { .. } => &["barrier"],
            _ if code.is_tensor(row) => &["mio_throttle", "math_pipe_throttle", "gmma"],
            _ => &[],
        };
        sum += reasons.iter().map(|reason| study.samples.of_reason(reason, &[row])).sum::<u64>();
    }
    let share = sum as f64 / (study.samples.sum as f64 * study.share_of_pacing());
    has_tensor.then_some(Pressure { share, is_healthy: efficiency.map(|efficiency| efficiency >= HEALTHY) })
}

/// Fences in front of an arrival in the main loop, and everything that waits behind them.
#[derive(Debug, PartialEq)]
pub struct FenceChain {
    /// The first fence.
    pub at: Point,
    /// Share of the life of a warp of the pacing role, 0 to 1.
    pub cost: f64,
    /// Executions of the fences by lanes.
    pub(in crate::analysis) lanes: u64,
}

impl Study<'_> {
    /// Fences in front of an arrival in the main loop, guarded for one lane. Everybody else waits behind them: their samples, the
    /// arrival's, those of the first product of the next turn, and those at the use of the question to the mbarrier.
    pub fn fence_chain(&self) -> Option<FenceChain> {
        let code = &self.code;
        let lanes = code.lanes.as_ref()?;
        let mut chain: Vec<usize> = Vec::new();
        let mut group: Vec<usize> = Vec::new();
        let rows: Vec<usize> = self.main_rows().collect();
        for row in &rows {
            let is_fence = code.op(*row).is_fence();
            let one_lane = lanes[*row] <= code.executed[*row];
            match code.sync(*row) {
                WarpSync::MbarrierArrive if group.iter().any(|row| code.op(*row).sync() == Some(Sync::Fence)) => {
                    chain.append(&mut group);
                    chain.push(*row);
                }
                WarpSync::MbarrierArrive => group.clear(),
                _ if is_fence && one_lane && code.executed[*row] > 0 => group.push(*row),
                _ if is_fence || code.is_tensor(*row) => group.clear(),
                _ => {}
            }
        }
        let first = chain.iter().copied().find(|row| code.op(*row).sync() == Some(Sync::Fence))?;
        let product = rows.iter().copied().filter(|row| code.is_tensor(*row)).min();
        let asks = |row: &usize| {
            self.samples.cause("long_scoreboard", *row).is_some_and(|cause| code.sync(cause) == WarpSync::MbarrierTest)
        };
        let uses: Vec<usize> = rows.iter().copied().filter(asks).collect();
        let sum = self.samples.at(&chain)
            + product.map_or(0, |row| self.samples.of_reason("gmma", &[row]))
            + self.samples.of_reason("long_scoreboard", &uses);
        Some(FenceChain {
            at: point(self, first),
            cost: sum as f64 / (self.samples.sum as f64 * self.share_of_pacing()),
            lanes: chain.iter().filter(|row| code.op(**row).sync() == Some(Sync::Fence)).map(|row| lanes[*row]).sum(),
        })
    }
}

/// The cost of draining the tensor pipe every turn: what a step takes beyond its products, warps in step and the pipe not full.
pub(super) fn drain_in_loop(study: &Study<'_>, phases: &Phases, in_step: bool) -> Option<f64> {
    let drains = study.mains.iter().any(|main| {
        study.code.rows_of(&main.cycle.blocks).any(|row| {
            study.code.sync(row) == WarpSync::ProductsWait { pending: 0 } && 2 * study.code.executed[row] >= main.turns
        })
    });
    let is_empty = phases.step_efficiency.is_some_and(|efficiency| efficiency < HEALTHY);
    let main: f64 =
        phases.phases.iter().filter(|phase| phase.kind == PhaseKind::MainLoop).filter_map(|phase| phase.cycles).sum();
    let cost = (main - phases.tensor?) / phases.cycles?;
    (drains && in_step && is_empty && cost > 0.0).then_some(cost)
}
