//! The warps of a cluster with their barriers, walked in one order.

use super::code::{Code, PLACE_BITS, Walked, said};
use super::step::Step;
use super::value::{LANES, Value, lanes};
use super::warp::Warp;
use crate::evidence::{Operand, OperandFrom};
use cuda_binary::op::{Act, Sync};
use std::collections::{BTreeMap, BTreeSet};

/// Phases after which a walk ends: both parities were waited for, and one of them again. An mbarrier that is used once has one when
/// others have twice as many.
const ENOUGH: u64 = 3;
/// Instructions of all warps together after which it ends: some tiles of a kernel of a thousand instructions.
const LONGEST: usize = 1_000_000;
/// Shared memory below this is the driver's, as the compiler's own handshakes use it: the first KB of a block's.
const OF_DRIVER: u32 = 0x400;
/// Arrivals that an mbarrier can be initialised for, and what an initialisation subtracts from.
const MOST_ARRIVALS: u32 = 1 << 20;

#[derive(Clone, Debug)]
struct Mbarrier {
    count: u32,
    pending: u32,
    phases: u64,
    /// Warps whose copies are part of the phase and have been issued.
    copied: BTreeSet<(usize, usize)>,
}

/// The phases that had ended when a thread passed its waits at an mbarrier, or arrived, with the instruction: by thread and mbarrier.
pub(super) type Met = BTreeMap<(Thread, u32), Vec<(u64, usize)>>;

/// The first thread of those that run together: block, warp, lane.
pub(super) type Thread = (usize, usize, usize);

#[derive(Clone, Debug, Default)]
struct Named {
    arrived: u32,
    turns: u64,
}

/// A cluster that is walked.
pub(super) struct Walk<'l> {
    code: &'l Code<'l>,
    pub(super) warps: Vec<Warp>,
    mbarriers: BTreeMap<u32, Mbarrier>,
    pub(super) passed: Met,
    pub(super) arrived: Met,
    /// Barriers of blocks by block and number, that of the cluster under no block.
    named: BTreeMap<(Option<usize>, u32), Named>,
    /// The turn of a barrier that each warp waits for.
    waits: BTreeMap<usize, ((Option<usize>, u32), u64)>,
    /// Warps by mbarrier that copy to it and never arrive: a phase does not end before their copies are there.
    copiers: Copiers,
    copies: Copiers,
    arrivers: Copiers,
    /// The mbarrier of the copies that each warp issues, until it is at a barrier again.
    batch: BTreeMap<usize, u32>,
    /// Waits that passed a phase a second time: at which mbarrier and instruction.
    again: BTreeSet<(u32, usize)>,
}

/// Warps, by block and number, of each mbarrier.
pub(super) type Copiers = BTreeMap<u32, BTreeSet<(usize, usize)>>;

impl<'l> Walk<'l> {
    pub(super) fn new(code: &'l Code<'l>, copiers: Copiers) -> Walk<'l> {
        let threads = code.launch.threads() as usize;
        let (blocks, of_block) = (code.launch.cluster as usize, threads.div_ceil(LANES));
        let all = (0..blocks).flat_map(|block| (0..of_block).map(move |number| (block, number)));
        Walk {
            code,
            warps: all.map(|(block, number)| Warp::new(block, number, threads)).collect(),
            mbarriers: BTreeMap::new(),
            passed: BTreeMap::new(),
            arrived: BTreeMap::new(),
            named: BTreeMap::new(),
            waits: BTreeMap::new(),
            copiers,
            copies: BTreeMap::new(),
            arrivers: BTreeMap::new(),
            batch: BTreeMap::new(),
            again: BTreeSet::new(),
        }
    }

    /// The warps whose copies count at an mbarrier at which they do not arrive.
    pub(super) fn others(&self) -> Copiers {
        let of = |(place, all): (&u32, &BTreeSet<(usize, usize)>)| {
            let own = self.arrivers.get(place);
            let rest: BTreeSet<(usize, usize)> =
                all.iter().filter(|warp| own.is_none_or(|own| !own.contains(warp))).copied().collect();
            (*place, rest)
        };
        let mut all: Copiers = self.copiers.clone();
        for (place, rest) in self.copies.iter().map(of).filter(|(_, rest)| !rest.is_empty()) {
            all.entry(place).or_default().extend(rest);
        }
        all
    }

    /// A copy that the engine makes: the register behind that of its place names the mbarrier.
    fn copy(&mut self, own: usize, at: usize, running: u32) -> Result<(), Walked> {
        let (code, step) = (self.code, &self.code.steps[at]);
        let open = || Walked::Open(format!("which mbarrier the copy at {} is for", code.place(at)));
        let on = self.warps[own].guarded(step, running, code.launch).ok_or_else(open)?;
        let Some(lane) = lanes(on).next() else { return Ok(()) };
        let read = |file, number| self.warps[own].register(file, number).at(lane).ok_or_else(open);
        let place = match step.sources.first().map(|own| own.from) {
            Some(OperandFrom::Memory([Some((file, number)), None], _)) => read(file, number + 1)?,
            _ => return Err(open()),
        };
        let blocks = match step.sources.get(2).map(|own| own.from) {
            Some(OperandFrom::Register(file, number)) if step.is("MULTICAST") => read(file, number)?,
            _ => 1 << (place >> PLACE_BITS),
        };
        for block in lanes(blocks & 0xffff) {
            let place = place & ((1 << PLACE_BITS) - 1) | (block as u32) << PLACE_BITS;
            if self.batch.insert(own, place) == Some(place) {
                continue;
            }
            let warp = self.warps[own].id();
            self.copies.entry(place).or_default().insert(warp);
            if let Some(mbarrier) = self.mbarriers.get_mut(&place) {
                mbarrier.copied.insert(warp);
            }
            self.end_phase(place);
        }
        Ok(())
    }

    fn end_phase(&mut self, place: u32) {
        let needed = self.copiers.get(&place);
        let Some(own) = self.mbarriers.get_mut(&place) else { return };
        if own.pending == 0 && needed.is_none_or(|needed| needed.is_subset(&own.copied)) {
            (own.pending, own.phases) = (own.count, own.phases + 1);
            own.copied.clear();
        }
    }

    pub(super) fn run(&mut self, turn: usize) -> Walked {
        let mut steps = 0;
        loop {
            let mut has_moved = false;
            for own in 0..self.warps.len() {
                // A warp goes on until it waits; others come to their turn after a while where it never does.
                for _ in 0..turn {
                    if self.warps[own].has_ended() {
                        break;
                    }
                    match self.step(own) {
                        Ok(true) => has_moved = true,
                        Ok(false) => break,
                        Err(end) => return end,
                    }
                    steps += 1;
                }
            }
            let again = || self.mbarriers.values().map(|own| own.phases).filter(|phases| *phases > 1);
            let is_enough = again().all(|phases| phases >= ENOUGH) && again().any(|phases| phases >= 2 * ENOUGH);
            let has_ended = self.warps.iter().all(Warp::has_ended);
            if !has_moved && !has_ended {
                return self.stuck();
            }
            if has_ended || is_enough || steps > LONGEST {
                let twice = self.again.iter().find(|(place, _)| self.mbarriers[place].phases > 1);
                if let Some((place, at)) = twice {
                    return Walked::Broken(format!(
                        "the wait at {} passes the same phase of the mbarrier at {} twice: its parity stays",
                        self.code.place(*at),
                        said(*place)
                    ));
                }
                return again().min().map_or(Walked::Open("an mbarrier that is used again".into()), Walked::Kept);
            }
        }
    }

    /// Why nobody goes on.
    fn stuck(&self) -> Walked {
        let asks = |warp: &Warp| {
            let (at, running) = warp.next(|_| false)?;
            let step = &self.code.steps[at];
            let place = warp.read(&step.sources[step.address()?], self.code.launch).at(lanes(running).next()?)?;
            let own = self.mbarriers.get(&place).filter(|_| step.op.sync() == Some(Sync::Mbarrier))?;
            Some(format!(
                "warp {} of block {} waits at {} for phase {} of the mbarrier at {}, which has {} of {} arrivals",
                warp.number,
                warp.block,
                self.code.place(at),
                own.phases + 1,
                said(place),
                own.count - own.pending,
                own.count
            ))
        };
        if let Some((place, _)) = self.mbarriers.iter().find(|(_, own)| own.pending == 0) {
            return Walked::Open(format!("which copies belong to a phase of the mbarrier at {}", said(*place)));
        }
        let why = self.warps.iter().filter(|warp| !warp.has_ended()).find_map(asks);
        let why = why.unwrap_or_else(|| "all wait at barriers of the block or the cluster".into());
        Walked::Broken(format!("nobody goes on: {why}"))
    }

    /// Runs the next instruction of a warp; says whether it goes on.
    fn step(&mut self, own: usize) -> Result<bool, Walked> {
        let meets = |at: usize| {
            let op = self.code.steps[at].op;
            matches!(op.sync(), Some(Sync::Lanes | Sync::Block | Sync::ClusterArrive | Sync::ClusterWait))
        };
        let (at, running) = self.warps[own].next(meets).ok_or(Walked::Open("where a warp is".into()))?;
        if at >= self.code.steps.len() {
            return Err(Walked::Open("what lies behind the code".into()));
        }
        let step = &self.code.steps[at];
        if step.op.is_bulk() && step.op.act() == Some(Act::Copy) {
            self.copy(own, at, running)?;
        }
        if !self.code.is_barrier(at) {
            self.warps[own].run(at, running, self.code).map_err(Walked::Open)?;
            return Ok(true);
        }
        self.batch.remove(&own);
        let guarded = self.warps[own].guarded(step, running, self.code.launch);
        let on = guarded
            .ok_or_else(|| Walked::Open(format!("whether {} at {} runs", step.op.name(), self.code.place(at))))?;
        let has_passed = on == 0
            || match step.op.sync() {
                Some(Sync::Block) => self.block_barrier(own, at)?,
                Some(Sync::ClusterArrive | Sync::ClusterWait) => {
                    self.cluster_barrier(own, step.op.sync() == Some(Sync::ClusterWait))
                }
                _ => self.mbarrier(own, at, on)?,
            };
        if has_passed {
            self.warps[own].pass(running);
        }
        Ok(has_passed)
    }

    /// Arrives at a barrier of threads unless it has, and says whether it has opened; a plain arrival does not wait.
    fn meet(&mut self, own: usize, key: (Option<usize>, u32), need: u32, waits: bool) -> bool {
        let named = self.named.entry(key).or_default();
        if let Some((_, turn)) = self.waits.get(&own).filter(|(waited, _)| *waited == key) {
            let is_open = named.turns > *turn;
            if is_open {
                self.waits.remove(&own);
            }
            return is_open;
        }
        let turn = named.turns;
        named.arrived += LANES as u32;
        if named.arrived >= need {
            *named = Named { arrived: 0, turns: turn + 1 };
            return true;
        }
        if waits {
            self.waits.insert(own, (key, turn));
        }
        !waits
    }

    fn block_barrier(&mut self, own: usize, at: usize) -> Result<bool, Walked> {
        let (step, warp) = (&self.code.steps[at], &self.warps[own]);
        let number = |at: usize| step.sources.get(at).map(|own| warp.read(own, self.code.launch).at(0));
        let whole = self.code.launch.threads().next_multiple_of(LANES as u32);
        let (Some(Some(id)), need) = (number(0), number(1).unwrap_or(Some(whole))) else {
            return Err(Walked::Open(format!("which barrier {} names", self.code.place(at))));
        };
        let need = need.ok_or_else(|| Walked::Open(format!("how many threads meet at {}", self.code.place(at))))?;
        Ok(self.meet(own, (Some(warp.block), id), need, !step.is("ARV")))
    }

    /// The barrier of the cluster: an arrival, and a wait for the turn that it was part of.
    fn cluster_barrier(&mut self, own: usize, waits: bool) -> bool {
        let key = (None, 0);
        let whole = self.code.launch.threads().next_multiple_of(LANES as u32) * self.code.launch.cluster;
        if waits {
            let turns = self.named.entry(key).or_default().turns;
            let is_open = self.waits.get(&own).is_none_or(|(_, turn)| turns > *turn);
            if is_open {
                self.waits.remove(&own);
            }
            return is_open;
        }
        let turn = self.named.entry(key).or_default().turns;
        self.meet(own, key, whole, false);
        self.waits.insert(own, (key, turn));
        true
    }

    fn mbarrier(&mut self, own: usize, at: usize, on: u32) -> Result<bool, Walked> {
        let (code, step) = (self.code, &self.code.steps[at]);
        let open = |what: &str| Walked::Open(format!("{what} at {}", code.place(at)));
        let Some(at_address) = step.address() else { return Err(open("which mbarrier is meant")) };
        let read = |operand: &Operand| self.warps[own].read(operand, code.launch);
        let address = read(&step.sources[at_address]);
        let value = step.sources.get(at_address + 1).map_or(Value::all(0), read);
        let mask = step.sources.get(at_address + 2).map_or(Value::all(0), read);
        let first = lanes(on).next().unwrap_or_default();
        let mut asked = BTreeSet::new();
        for lane in lanes(on) {
            let place = address.at(lane).ok_or_else(|| open("which mbarrier is meant"))?;
            if place >> PLACE_BITS >= code.launch.cluster {
                return Err(open("how many blocks a cluster has, of which another one is named"));
            }
            let is_of_driver = place & ((1 << PLACE_BITS) - 1) < OF_DRIVER;
            if step.is("EXCH") {
                let word = value.at(lane).ok_or_else(|| open("how many arrivals an mbarrier is initialised for"))?;
                let count = MOST_ARRIVALS.wrapping_sub(word >> 1);
                self.mbarriers.insert(place, Mbarrier { count, pending: count, phases: 0, copied: BTreeSet::new() });
            } else if step.is("PHASECHK") {
                if is_of_driver || !asked.insert(place) {
                    continue;
                }
                let parity = value.at(lane).ok_or_else(|| open("which parity is waited for"))? >> 31;
                if !self.asks(own, first, place, parity, at)? {
                    return Ok(false);
                }
            } else if !is_of_driver {
                let count = self.arrivals(step, value.at(lane)).ok_or_else(|| open("how many arrivals there are"))?;
                let of_multicast = step.is("MULTICAST").then(|| mask.at(lane));
                let blocks = match of_multicast {
                    Some(mask) => mask.ok_or_else(|| open("which blocks a commit arrives at"))?,
                    None => 1 << (place >> PLACE_BITS),
                };
                for block in lanes(blocks) {
                    let place = place & ((1 << PLACE_BITS) - 1) | (block as u32) << PLACE_BITS;
                    let (block, warp) = self.warps[own].id();
                    self.arrivers.entry(place).or_default().insert((block, warp));
                    self.arrive((block, warp, lane), place, count, at)?;
                }
            }
        }
        if step.is("PHASECHK") {
            let slots: Vec<usize> = step.results.iter().flatten().copied().collect();
            slots.iter().for_each(|slot| self.warps[own].write(*slot, &Value::all(1), on));
        }
        Ok(true)
    }

    /// Arrivals of one lane by an instruction; `None` where it does something else.
    fn arrivals(&self, step: &Step<'_>, counted: Option<u32>) -> Option<u32> {
        match step.op.sync() {
            Some(Sync::Commit) => Some(1),
            Some(Sync::CopyArrive) if step.is("ARVCNT") => Some(1),
            // Raises the count as it arrives.
            Some(Sync::CopyArrive) => Some(0),
            _ if !step.is("ARRIVE") || step.is("OPTOUT") => None,
            _ if ["A0TR", "A0TX", "A0T1"].iter().any(|none| step.is(none)) => Some(0),
            _ if step.is("ART0") => counted,
            _ => Some(1),
        }
    }

    fn arrive(&mut self, thread: Thread, place: u32, count: u32, at: usize) -> Result<(), Walked> {
        let Some(own) = self.mbarriers.get_mut(&place) else {
            return Err(Walked::Broken(format!(
                "{} arrives at the mbarrier at {}, which is not initialised",
                self.code.place(at),
                said(place)
            )));
        };
        if count > own.pending {
            return Err(Walked::Broken(format!(
                "{} arrives more often at the mbarrier at {} than its phase has arrivals left, of {}",
                self.code.place(at),
                said(place),
                own.count
            )));
        }
        own.pending -= count;
        if count > 0 {
            self.arrived.entry((thread, place)).or_default().push((own.phases, at));
            self.end_phase(place);
        }
        Ok(())
    }

    /// Whether a wait for a parity passes.
    fn asks(&mut self, warp: usize, lane: usize, place: u32, parity: u32, at: usize) -> Result<bool, Walked> {
        let Some(own) = self.mbarriers.get(&place) else {
            return Err(Walked::Broken(format!(
                "{} waits at the mbarrier at {}, which is not initialised",
                self.code.place(at),
                said(place)
            )));
        };
        if own.phases % 2 == u64::from(parity) {
            return Ok(false);
        }
        let (block, number) = self.warps[warp].id();
        let passed = self.passed.entry(((block, number, lane), place)).or_default();
        if passed.last() == Some(&(own.phases, at)) {
            self.again.insert((place, at));
        }
        passed.push((own.phases, at));
        Ok(true)
    }
}
