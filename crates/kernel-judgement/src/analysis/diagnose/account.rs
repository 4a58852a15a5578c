//! What the time of a launch is spent on: parts of the chip, waits, launch and tail, each with what the launch would save without it.
//!
//! A warp's time is its waits. A wait in front of a part is that part's as far as it is a queue, and latency for the rest: by the
//! time of a load over that in an idle chip where it is known, else by how busy the part is. Without a part its work goes and its
//! queues; without a wait its share of the latency.

use super::level::{PIPES, PLACES, place};
use super::machine::Machine;
use super::measures::Measures;
use crate::analysis::phases::{Pace, PhaseKind, Phases, Study};
use crate::catalog::StallReason::MathPipeThrottle;
use crate::catalog::{Part, StallReason};
use cuda_binary::Op;
use strum::VariantArray;

/// What the model may be off by, in shares of the time: what saves within this of the most is not told from it.
pub(super) const ERROR: f64 = 0.05;
/// A share of the time below which nothing is told.
const LEAST: f64 = 0.01;

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Taker {
    /// A part of the chip, with those that a warp passes on the same way.
    Part(Part),
    /// Latency that warps wait for, and not a queue.
    Wait(StallReason),
    /// Answers of mbarriers.
    Mbarriers,
    /// Waits of which the report holds no reason.
    Unheld,
    /// SMs that have nothing left, or never had a block.
    Tail,
    /// No SM holds a block.
    Empty,
}

/// What takes time, with what a launch without it would save, 0 to 1, the most first.
pub(super) struct Account {
    pub(super) takers: Vec<(Taker, f64)>,
    /// The share of the warps' time of each.
    shares: Vec<(Taker, f64)>,
}

/// What a unit takes for one request, of what the request takes in all on an idle chip.
const SERVICE: f64 = 0.05;

/// Shares of the warps' time while they are gathered.
struct Shares<'a> {
    machine: &'a Machine,
    all: Vec<(Taker, f64)>,
}

impl Shares<'_> {
    fn add(&mut self, taker: Taker, share: f64) {
        match self.all.iter_mut().find(|(own, _)| *own == taker) {
            Some((_, own)) => *own += share,
            None => self.all.push((taker, share)),
        }
    }

    /// A wait in front of the busiest of some parts: a queue as far as `queue` says, and no less than what one so busy has; by default
    /// as that is busy.
    fn wait(&mut self, share: f64, parts: &[Part], queue: Option<f64>, rest: Taker) {
        let busiest = self.machine.busiest(|part| parts.contains(&part));
        let need = busiest.map_or(0.0, |(_, need)| need);
        // In the queue of a unit that is so busy, whoever asks: `ρ / (1 − ρ)` times what it takes for one request (M/M/1), beside the time
        // of a request on an idle chip.
        let least = SERVICE * need / (SERVICE * need + (1.0 - need).max(0.0)).max(f64::EPSILON);
        let queue = queue.map_or(need, |queue| queue.max(least).min(need));
        if let Some((part, _)) = busiest {
            self.add(Taker::Part(part), queue * share);
        }
        self.add(rest, (1.0 - queue) * share);
    }
}

/// The way of products: the tensor pipe works beside issue and the other pipes.
const PRODUCTS: usize = PLACES;

/// The way that a warp takes to a part.
fn way(part: Part) -> usize {
    if part == Part::ComputeTensor { PRODUCTS } else { place(part) }
}

/// Of the samples of a reason the part that stands at products; without samples by instruction all of them where the tensor pipe is the
/// busiest.
pub(super) fn at_products(m: &Measures<'_>, reason: StallReason) -> f64 {
    let Some(study) = m.sampled_code() else {
        let busiest = m.machine.busiest(|part| way(part) >= PIPES);
        return busiest.map_or(0.0, |(part, _)| if way(part) == PRODUCTS { 1.0 } else { 0.0 });
    };
    study.part_at(reason, Op::is_product)
}

fn shares(m: &Measures<'_>) -> Vec<(Taker, f64)> {
    use StallReason::{Barrier, BranchResolving, DispatchStall, Gmma, LongScoreboard, NotSelected, Selected, Wait};
    let machine = &m.machine;
    let mut found = Shares { machine, all: Vec::new() };
    let own: Vec<Part> = machine.parts().filter(|part| way(*part) == PIPES).collect();
    let products = machine.leading(|part| way(part) == PRODUCTS);
    let behind = |reason: StallReason| -> Vec<Part> {
        machine.parts().filter(|part| part.row().is_some_and(|row| row.queues.contains(&reason))).collect()
    };
    let loads = behind(LongScoreboard);
    // Where the steps keep the tensor pipe full, stages that are not free are its queue; where no warps of another role fill them,
    // they wait for memory.
    let is_healthy = m.phases.and_then(|phases| phases.pressure).is_some_and(|own| own.is_healthy == Some(true));
    let is_copied = m.phases.is_some_and(|phases| phases.roles.len() == 1 || phases.pace == Some(Pace::Copies));
    let has_producer = m.phases.and_then(Phases::producer).is_some();
    let behind_mbarriers: &[Part] = match (is_healthy && !has_producer, is_copied) {
        (true, _) => &[Part::ComputeTensor],
        (false, true) => &loads,
        (false, false) => &[],
    };
    let mut told = 0.0;
    for reason in StallReason::VARIANTS.iter().copied() {
        let Some(share) = m.wait(reason) else { continue };
        told += share;
        let rest = Taker::Wait(reason);
        match reason {
            LongScoreboard => {
                let mbarriers = share * m.at_mbarriers();
                found.wait(mbarriers, behind_mbarriers, None, Taker::Mbarriers);
                // The part of the wait for a load that is spent in a queue, by the time that it takes.
                let queued = m.times_idle().map(|times| 1.0 - 1.0 / times.max(1.0));
                found.wait(share - mbarriers, &loads, queued, rest);
            }
            // Warps that are ready, or issue.
            NotSelected | MathPipeThrottle | Selected | DispatchStall | Gmma => {
                let of_products = share * at_products(m, reason);
                for (share, part) in
                    [(of_products, products), (share - of_products, machine.leading(|part| way(part) == PIPES))]
                {
                    found.add(part.map_or(rest, Taker::Part), share);
                }
            }
            // A product waits its fixed time for the one before, however busy the pipe is.
            Wait | BranchResolving => {
                let of_products = share * at_products(m, reason);
                found.add(rest, of_products);
                found.wait(share - of_products, &own, None, rest);
            }
            Barrier => {
                let products = m.phases.map_or(0.0, |phases| phases.at_products());
                found.wait(share * products, &[Part::ComputeTensor], None, rest);
                found.wait(share * (1.0 - products), &[], None, rest);
            }
            _ => found.wait(share, &behind(reason), None, rest),
        }
    }
    let all: Vec<Part> = machine.parts().collect();
    // Nobody knows what they wait for: it is the busiest part's the less, the more often that finds nothing to do.
    let most = machine.busiest(|_| true).map_or(0.0, |(_, need)| need);
    found.wait((1.0 - told).max(0.0), &all, Some(most * most), Taker::Unheld);
    found.all
}

/// Whether the largest wait stands in front of a part, or warps are ready and wait for nothing. At products they wait for the tensor pipe.
pub(super) fn queues_agree(m: &Measures<'_>, part: Part) -> bool {
    let Some((top, wait)) = m.top_wait() else { return false };
    let is_queue = || part.row().is_some_and(|row| row.queues.contains(&top));
    let of_products = || if top == MathPipeThrottle { at_products(m, top) } else { 0.0 };
    let back_pressure = || m.phases.and_then(|phases| phases.pressure).is_some_and(|own| own.share >= 0.5);
    let agrees = match part {
        Part::ComputeTensor => is_queue() || back_pressure(),
        _ => is_queue() && of_products() <= 0.5,
    };
    agrees || m.waits(&[StallReason::NotSelected]) >= wait
}

/// The share of the time in which steps of the main loop have no products because a stage is not ready, for its producer or for copies
/// that come late: however busy parts of the chip are meanwhile, products would fill it.
fn starved(m: &Measures<'_>) -> Option<f64> {
    let phases = m.sampled()?;
    let is_late = phases.producer().is_some() || phases.pace == Some(Pace::Copies);
    let main = phases.phase(PhaseKind::MainLoop).filter(|_| is_late)?;
    // What a fence delays is the fence's.
    let fenced = m.study.and_then(Study::fence_chain).map_or(0.0, |chain| chain.cost);
    Some((m.machine.time.active() * main.share * (1.0 - phases.step_efficiency?) - fenced).max(0.0))
}

/// The need from which a pipe may hold the launch back: what has less to do waits for what is made elsewhere.
const BUSY: f64 = 0.5;

/// What a warp spends at an instruction itself, and not for its operands.
const AT_ITSELF: [StallReason; 6] = [
    StallReason::Selected,
    StallReason::NotSelected,
    StallReason::DispatchStall,
    StallReason::Wait,
    MathPipeThrottle,
    StallReason::MioThrottle,
];

/// Of the math pipes, where the busiest part is one, that without whose instructions the launch saves most: what warps spend there goes, and
/// the other pipes stay. One that is a little less busy may be the one with the queue. Of a pipe that no instruction is known to run on nobody
/// can tell.
fn pacing(m: &Measures<'_>, busiest: Part) -> Part {
    let is_math = |part: &Part| part.row().is_some_and(|row| row.queues.contains(&MathPipeThrottle));
    let Some(study) = m.sampled_code().filter(|_| is_math(&busiest)) else { return busiest };
    let saves = |part: Part| {
        let runs = m.runs(part)?;
        let at = |reason: StallReason| m.wait(reason).unwrap_or_default() * study.part_at(reason, runs);
        let spent: f64 = AT_ITSELF.into_iter().map(at).sum();
        (spent > 0.0).then(|| m.machine.without(|own| own == part, spent, spent))
    };
    let Some(own) = saves(busiest) else { return busiest };
    let is_busy = |part: &Part| m.machine.need(*part).is_some_and(|need| need >= BUSY);
    let pipes = m.machine.parts().filter(|part| way(*part) == way(busiest)).filter(is_math).filter(is_busy);
    let others = pipes.filter_map(|part| Some((part, saves(part)?)));
    // The busiest of equal ones.
    others.chain([(busiest, own)]).max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(busiest, |(part, _)| part)
}

impl Account {
    pub(super) fn of(m: &Measures<'_>) -> Account {
        let (machine, shares) = (&m.machine, shares(m));
        let unheld = shares.iter().find(|(taker, _)| *taker == Taker::Unheld).map_or(0.0, |(_, share)| *share);
        let mut takers: Vec<(Taker, f64)> = Vec::new();
        for at in 0..=PRODUCTS {
            let is_own = |part: Part| way(part) == at;
            let Some(part) = machine.leading(is_own).map(|part| pacing(m, part)) else { continue };
            let is_queue = |taker: &Taker| matches!(taker, Taker::Part(part) if is_own(*part));
            let queues: f64 = shares.iter().filter(|(taker, _)| is_queue(taker)).map(|(_, share)| share).sum();
            takers.push((Taker::Part(part), machine.without(is_own, queues, queues + unheld)));
        }
        let waits = shares.iter().filter(|(taker, _)| !matches!(taker, Taker::Part(_)));
        takers.extend(waits.map(|(taker, share)| (*taker, machine.without_wait(*share))));
        if let (Some(starved), Some((_, saves))) =
            (starved(m), takers.iter_mut().find(|(taker, _)| *taker == Taker::Mbarriers))
        {
            *saves = saves.max(starved);
        }
        takers.push((Taker::Tail, machine.time.tail));
        takers.push((Taker::Empty, machine.time.empty));
        takers.retain(|(_, saved)| *saved >= LEAST);
        takers.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Account { takers, shares }
    }

    /// The share of the warps' time that is this taker's.
    pub(super) fn share(&self, of: Taker) -> f64 {
        self.shares.iter().find(|(taker, _)| *taker == of).map_or(0.0, |(_, share)| *share)
    }
}
