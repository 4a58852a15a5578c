//! One kernel as a machine at work: where its time goes, what its units and its waits need of it, and what it would take after a
//! change.
//!
//! Everything is a share of the launch's elapsed time, for the average SM. A launch that overlaps perfectly takes as long as what
//! needs most; a real one takes a little longer wherever two needs come near each other, which the norm of [`OVERLAP`] says.

use super::level::{PLACES, is_shared, place};
use super::stretches::{Stretch, TimeSplit};
use crate::catalog::Part;

/// How well needs overlap: the time is the norm of this order over what the parts and the waits need by themselves. One is no overlap,
/// infinity a perfect one. Fitted on the measured pairs of `docs/evidence/pairs.md`.
const OVERLAP: f64 = 4.0;

/// What a change leaves, as factors of what there is, for the forecast and at best.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Of the work of a part: what is expected to stay, and what stays at least.
    pub(super) keeps: Vec<(Part, f64, f64)>,
    /// Whether the code is rewritten, so that the parts inside the SM that are not in `keeps` may be left with nothing.
    pub(super) rewrites: bool,
    /// The share of the warps' time that is freed from waiting: expected, and at most.
    pub(super) frees: (f64, f64),
    /// Factor of the latency by more warps: expected, and at best.
    pub(super) warps: (f64, f64),
    /// Factor of the tail: expected, and at best.
    pub(super) tail: (f64, f64),
    /// The share of the time that goes whatever the units do: expected, and at most.
    pub(super) fixed: (f64, f64),
    /// The share of the time beyond which nothing is expected, whatever is left at best.
    pub(super) expects: f64,
    /// The share of the time beyond which nothing is expected of who makes it, whatever the launch would save without what it changes.
    pub(super) made: f64,
    /// The share of the time that what goes takes by itself: more than that no overlap of the rest saves with it.
    pub(super) takes: f64,
    /// Whether other units do the stated work then, so that its least time is another.
    pub(super) moves_work: bool,
    /// The stretches of the launch that it leaves as they are.
    pub(super) spares: Vec<usize>,
}

impl Default for Change {
    fn default() -> Change {
        Change {
            keeps: Vec::new(),
            rewrites: false,
            frees: (0.0, 0.0),
            warps: (1.0, 1.0),
            tail: (1.0, 1.0),
            fixed: (0.0, 0.0),
            expects: 1.0,
            made: 1.0,
            takes: 1.0,
            moves_work: false,
            spares: Vec::new(),
        }
    }
}

/// What a change gives, in shares of today's time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// The expected saving, before it is held against measured pairs.
    pub(super) expected: f64,
    /// The largest saving.
    pub(super) most: f64,
    /// What needs most of the time that is left at best.
    pub(super) left: Option<(Part, f64)>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    pub(super) time: TimeSplit,
    /// What each part needs at its reachable rate.
    needs: Vec<(Part, f64)>,
    /// Its phases in series, each with what the latency of the warps needs there beside the parts.
    stretches: Vec<(Stretch, f64)>,
    /// The share of the warps' time that is latency: waits that are no queue, and the issue itself.
    waiting: f64,
    /// What of the need of DRAM the next launch has the time of, at best: bytes that wait in L2 to be written, over those that were moved.
    pub(super) later: f64,
    /// What the stated work takes on the units that do it at their peak; 0 where none is stated.
    pub(super) floor: f64,
    /// How busy what the warps queue for is, 0 to 1, by how long they queue there.
    pub(super) queue: f64,
}

/// The need from which a part is at its roof.
pub(super) const ROOF: f64 = 0.85;

fn norm(needs: impl Iterator<Item = f64>) -> f64 {
    needs.map(|need| need.max(0.0).powf(OVERLAP)).sum::<f64>().powf(1.0 / OVERLAP)
}

/// What the parts do in a stretch of what they do over the launch.
fn within(stretch: &Stretch, needs: impl Iterator<Item = (Part, f64)>) -> impl Iterator<Item = (Part, f64)> {
    needs.map(|(part, need)| (part, need * stretch.does(part)))
}

fn grouped(needs: impl Iterator<Item = (Part, f64)>) -> [f64; PLACES] {
    let mut most = [0.0_f64; PLACES];
    for (part, need) in needs {
        most[place(part)] = most[place(part)].max(need);
    }
    most
}

impl Machine {
    /// By the time before any unit is asked, what each part needs at its reachable rate, the share of the warps' time that is latency, and
    /// the phases in series.
    pub(super) fn with(time: TimeSplit, needs: Vec<(Part, f64)>, waiting: f64, stretches: Vec<Stretch>) -> Machine {
        let latency = |stretch: Stretch| {
            let of_units = norm(grouped(within(&stretch, needs.iter().copied())).into_iter());
            let active = time.active() * stretch.share;
            // What the units do not explain is latency; with full units there is always some.
            let latency = (active.powf(OVERLAP) - of_units.powf(OVERLAP)).max(0.0).powf(1.0 / OVERLAP);
            (stretch, latency)
        };
        let stretches = stretches.into_iter().map(latency).collect();
        Machine { time, needs, stretches, waiting, ..Machine::default() }
    }

    /// The time of a stretch where the parts need that, and where this is left of its latency.
    fn takes(&self, at: usize, needs: impl Iterator<Item = (Part, f64)>, left: f64) -> f64 {
        let (stretch, latency) = &self.stretches[at];
        let of = |needs: &mut dyn Iterator<Item = (Part, f64)>, latency: f64| {
            norm(grouped(within(stretch, needs)).into_iter().chain([latency]))
        };
        let now = of(&mut self.needs.iter().copied(), *latency).max(f64::EPSILON);
        self.time.active() * stretch.share * of(&mut { needs }, latency * left) / now
    }

    /// What the units need of the time in which SMs hold blocks.
    fn units(&self) -> f64 {
        (norm(grouped(self.needs.iter().copied()).into_iter()) / self.time.active()).min(1.0)
    }

    /// What a wave takes, of the time of a whole one, where SMs hold a part of their warps: the units have as much less to do, and each
    /// warp has its latency all the same.
    pub(super) fn wave_of(&self, part: f64) -> f64 {
        let units = self.units();
        let latency = (1.0 - units.powf(OVERLAP)).powf(1.0 / OVERLAP);
        norm([units * part, latency].into_iter())
    }

    /// The factor of the latency by more warps: they hide what each waits for itself, and queue the longer for what is as busy as queues say.
    fn hidden(&self, warps: f64) -> f64 {
        let busy = [warps, self.units().max(self.queue), self.units()];
        let [warps, queue, units] = busy.map(|busy| 1.0 - busy.powf(OVERLAP));
        (1.0 - warps * queue / units.max(f64::EPSILON)).powf(1.0 / OVERLAP)
    }

    /// What SMs that hold blocks take, of their time, where they hold a part of their warps: the units have as much less to do, and each warp
    /// waits as long for itself. And at least, where nothing stays of that but this share.
    pub(super) fn spread(&self, part: f64, least: f64) -> [f64; 2] {
        let units = self.units() * part;
        [norm([units, self.waiting].into_iter()), units.max(least)].map(|left| left.min(1.0))
    }

    /// The parts that were measured.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> {
        self.needs.iter().map(|(part, _)| *part)
    }

    /// Those of them inside the SM.
    pub(super) fn inside(&self) -> Vec<Part> {
        self.parts().filter(|part| !is_shared(*part)).collect()
    }

    /// The part of a kind that needs most.
    pub(super) fn busiest(&self, is_meant: impl Fn(Part) -> bool) -> Option<(Part, f64)> {
        let own = self.needs.iter().copied().filter(|(part, _)| is_meant(*part));
        own.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// The part of some that sets their pace. Issue is the front end of every pipe, and requests of the LSU that of the data stage:
    /// the stage behind goes first where it is at its roof.
    pub(super) fn leading(&self, is_own: impl Fn(Part) -> bool) -> Option<Part> {
        let (most, _) = self.busiest(&is_own)?;
        let is_front = matches!(most, Part::Issue | Part::MemoryLsu);
        let behind = self.busiest(|part| is_own(part) && part != most).filter(|(_, need)| is_front && *need >= ROOF);
        Some(behind.map_or(most, |(part, _)| part))
    }

    /// What a launch saves without some parts and the queues in front of them, no more than the warps spend there.
    pub(super) fn without(&self, is_own: impl Fn(Part) -> bool, queues: f64, most: f64) -> f64 {
        let others = || self.needs.iter().copied().filter(|(part, _)| !is_own(*part));
        let own = self.leading(&is_own);
        // Warps queue where the part works.
        let queued = |stretch: &Stretch| own.map_or(1.0, |part| stretch.level(part, 1.0));
        self.saved(others, |stretch| queues * queued(stretch)).min(self.time.active() * most)
    }

    /// What a launch saves without a wait that takes this share of the warps' time.
    pub(super) fn without_wait(&self, share: f64) -> f64 {
        self.saved(|| self.needs.iter().copied(), |_| share).min(self.time.active() * share)
    }

    fn saved<I: Iterator<Item = (Part, f64)>>(&self, needs: impl Fn() -> I, freed: impl Fn(&Stretch) -> f64) -> f64 {
        let left = |at: usize| self.takes(at, needs(), (1.0 - freed(&self.stretches[at].0)).max(0.0));
        self.time.active() - (0..self.stretches.len()).map(left).sum::<f64>()
    }

    pub(super) fn need(&self, part: Part) -> Option<f64> {
        self.needs.iter().find(|(other, _)| *other == part).map(|(_, need)| *need)
    }

    /// What the launch takes after a change.
    pub(super) fn after(&self, change: &Change) -> Outcome {
        let TimeSplit { ramp, tail, .. } = self.time;
        let active = self.time.active();
        let kept = |part: Part| change.keeps.iter().find(|(other, ..)| *other == part);
        let touched = |at: &usize| !change.spares.contains(at);
        let all = 0..self.stretches.len();
        let share_of = |at: usize| self.stretches[at].0.share;
        let own: f64 = all.clone().filter(touched).map(share_of).sum();
        let spared = active * (1.0 - own).max(0.0);
        let stays = |(part, need): &(Part, f64)| (*part, need * kept(*part).map_or(1.0, |(_, keeps, _)| *keeps));
        let left = (1.0 - (change.frees.0 / self.waiting).min(1.0)) * self.hidden(change.warps.0);
        let left_of = |at: usize| self.takes(at, self.needs.iter().map(stays), left);
        let busy = (spared + all.clone().filter(touched).map(left_of).sum::<f64>()) / active;
        // Blocks that take a part of their time leave a tail of a part of its length.
        let expected = 1.0 - (ramp + (active + tail * change.tail.0) * busy) + change.fixed.0;
        // Of what is left each part needs its time, whatever overlaps with it.
        let now = |part: Part| if part == Part::MemoryDram { 1.0 + self.later } else { 1.0 };
        let needed = self.needs.iter().map(stays).map(|(part, need)| need / now(part)).fold(0.0, f64::max);
        let expected = expected.min(1.0 - needed).min(change.expects).min(change.made);

        let least = |(part, need): &(Part, f64)| {
            let factor = match kept(*part) {
                Some((.., least)) => *least,
                None if change.rewrites && !is_shared(*part) => 0.0,
                None => 1.0,
            };
            (*part, need * factor / now(*part))
        };
        let left = self.needs.iter().map(least).max_by(|(_, a), (_, b)| a.total_cmp(b));
        // Work that goes takes the waits in front of it along, where nothing is said of them.
        let goes = change.keeps.iter().any(|(.., least)| *least < 1.0);
        let takes_along = change.rewrites || goes && change.frees.1 == 0.0;
        let waits = if takes_along { 0.0 } else { active * (own - change.frees.1).max(0.0) * change.warps.1 };
        // What serves all SMs works in the tail as well; what works for one leaves it, as long as its part of the time: at best that
        // of one block, since whoever is done takes the next, where the change does not count the last wave itself.
        let block = if change.fixed.1 > 0.0 { f64::INFINITY } else { self.time.block };
        let uneven = if change.rewrites { 1.0 } else { 1.0 + (tail * change.tail.1 / active).min(block) };
        let of = |at: usize, inside: bool| {
            let needs = within(&self.stretches[at].0, self.needs.iter().map(least));
            needs.filter(|(part, _)| is_shared(*part) != inside).map(|(_, need)| need).fold(0.0, f64::max)
        };
        // One stretch begins where the other ends.
        let needed = all.filter(touched).map(|at| of(at, false).max(uneven * of(at, true).min(active * share_of(at))));
        let at_best = spared + needed.sum::<f64>().max(uneven * waits.min(active));
        // Whatever goes beside, no launch is shorter than what its busiest part needs, and none takes no time.
        let most = (1.0 - (ramp + at_best) + change.fixed.1).min(1.0 - left.map_or(0.0, |(_, need)| need));
        let left = left.filter(|(_, need)| *need >= waits);
        let most = most.min(1.0 - f64::from(!change.moves_work) * self.floor).min(change.takes).clamp(0.0, 0.999);
        Outcome { expected: expected.clamp(0.0, most), most, left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(time: TimeSplit, needs: Vec<(Part, f64)>) -> Machine {
        Machine::with(time, needs, 1.0, vec![Stretch::whole()])
    }

    fn machine(dram: f64, issue: f64) -> Machine {
        with(TimeSplit::default(), vec![(Part::MemoryDram, dram), (Part::Issue, issue)])
    }

    #[test]
    fn no_change_saves_nothing() {
        let found = machine(0.5, 0.5).after(&Change::default());
        assert!(found.expected.abs() < 1e-9 && found.most.abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn waits_that_go_leave_what_the_units_need() {
        // λ⁴ = 1 − 0.5⁴ − 0.5⁴ = 0.875. Without half of it: (0.0625 + 0.0625 + 0.875 / 16)^¼ = 0.6508.
        let change = Change { frees: (0.5, 0.75), ..Change::default() };
        let found = machine(0.5, 0.5).after(&change);
        assert!((found.expected - 0.3492).abs() < 1e-3, "{found:?}");
        // At best three quarters of the waiting goes, and half of the time is what the units need.
        assert!((found.most - 0.5).abs() < 1e-9, "{found:?}");
        assert_eq!(found.left.map(|(part, _)| part), Some(Part::Issue));
    }

    #[test]
    fn a_wave_of_few_blocks_is_short_where_units_are_full_and_as_long_where_warps_wait() {
        let lasts = |need| machine(need, 0.0).wave_of(0.25);
        assert!((lasts(1.0) - 0.25).abs() < 1e-9 && (lasts(0.0) - 1.0).abs() < 1e-9);
        // (0.9 · 0.25)⁴ = 0.0026 and 1 − 0.9⁴ = 0.3439 of latency.
        assert!((lasts(0.9) - 0.767).abs() < 1e-3, "{}", lasts(0.9));
    }

    #[test]
    fn warps_on_more_multiprocessors_wait_for_themselves_and_not_for_each_other() {
        let time = TimeSplit { tail: 0.75, ..TimeSplit::default() };
        let machine = Machine::with(time, vec![(Part::Issue, 0.225)], 0.5, vec![Stretch::whole()]);
        // Issue at 90 % of an SM that holds blocks, of which a quarter is left: (0.225⁴ + 0.5⁴)^¼.
        let [left, least] = machine.spread(0.25, 0.3);
        assert!((left - 0.505).abs() < 1e-3 && (least - 0.3).abs() < 1e-9, "{left} {least}");
    }

    #[test]
    fn more_warps_hide_what_each_waits_for_itself_and_not_what_they_queue_for() {
        let change = Change { warps: (0.5, 0.5), ..Change::default() };
        let saves = |queue: f64| Machine { queue, ..machine(0.0, 0.6) }.after(&change).expected;
        // (0.6⁴ + 0.8704 / 16)^¼ = 0.6549 where nothing queues, else (0.844⁴ + 0.4926 / 16)^¼ = 0.8565.
        assert!((saves(0.0) - 0.345).abs() < 1e-3 && (saves(0.844) - 0.1435).abs() < 1e-3, "{}", saves(0.844));
    }

    #[test]
    fn one_block_is_the_launch_however_many_multiprocessors_stay_idle() {
        let time = TimeSplit { tail: 0.95, block: 20.0, ..TimeSplit::default() };
        let found = with(time, vec![(Part::Issue, 0.01)]).after(&Change { frees: (0.3, 0.6), ..Change::default() });
        assert!((found.most - 0.6).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_tail_and_a_ramp_stay_where_a_change_does_not_touch_them() {
        let time = TimeSplit { ramp: 0.1, tail: 0.3, empty: 0.1, block: 1.0, ..TimeSplit::default() };
        let machine = with(time, vec![(Part::Issue, 0.2)]);
        let all = machine.after(&Change { rewrites: true, keeps: vec![(Part::Issue, 0.0, 0.0)], ..Change::default() });
        assert!((all.most - 0.9).abs() < 1e-9, "{all:?}");
        let even = machine.after(&Change { tail: (0.0, 0.0), ..Change::default() });
        assert!((even.expected - 0.3).abs() < 1e-9 && (even.most - 0.3).abs() < 1e-9, "{even:?}");
    }

    #[test]
    fn nothing_saves_more_than_the_stated_work_leaves() {
        let machine = Machine { floor: 0.7, ..machine(0.2, 0.8) };
        let all = Change { rewrites: true, keeps: vec![(Part::Issue, 0.0, 0.0)], ..Change::default() };
        assert!((machine.after(&all).most - 0.3).abs() < 1e-9);
        let moved = machine.after(&Change { moves_work: true, ..all });
        assert!((moved.most - 0.8).abs() < 1e-9, "{moved:?}");
    }

    #[test]
    fn whole_waves_save_no_more_than_the_busiest_part_leaves() {
        let found = machine(0.2, 0.92).after(&Change { fixed: (0.05, 0.12), ..Change::default() });
        assert!((found.expected - 0.05).abs() < 1e-9 && (found.most - 0.08).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn at_best_the_tail_of_a_full_part_is_one_block() {
        // Of ten blocks an SM one may be left over: 0.4 of the time and a tenth of that, where waits had left a fifth.
        let time = TimeSplit { tail: 0.2, block: 0.1, ..TimeSplit::default() };
        let found = with(time, vec![(Part::Issue, 0.4)]);
        let found = found.after(&Change { frees: (0.5, 1.0), ..Change::default() });
        assert!((found.most - 0.56).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_change_of_one_phase_leaves_the_others() {
        // DRAM is full for half of the launch; the other half waits.
        let half = |does| Stretch::of(0.5, vec![(Part::MemoryDram, does)]);
        let machine =
            Machine::with(TimeSplit::default(), vec![(Part::MemoryDram, 0.5)], 1.0, vec![half(1.0), half(0.0)]);
        let waits = |spares: Vec<usize>| Change { frees: (1.0, 1.0), spares, ..Change::default() };
        let found = machine.after(&waits(vec![0]));
        assert!((found.expected - 0.5).abs() < 1e-9 && (found.most - 0.5).abs() < 1e-9, "{found:?}");
        let found = machine.after(&waits(vec![1]));
        assert!(found.expected.abs() < 1e-9 && found.most.abs() < 1e-9, "{found:?}");
        // Without the waits the time of DRAM is left, and without DRAM that of the waits.
        assert!((machine.after(&waits(Vec::new())).most - 0.5).abs() < 1e-9);
        assert!((machine.without(|part| part == Part::MemoryDram, 0.5, 0.5) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn what_the_next_launch_may_write_is_no_bound() {
        // Of 0.75 of DRAM's time a third is for bytes that wait in L2.
        let machine = Machine { later: 0.5, ..machine(0.75, 0.1) };
        let found = machine.after(&Change { frees: (1.0, 1.0), ..Change::default() });
        assert!((found.most - 0.5).abs() < 1e-9 && (found.expected - 0.25).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn what_is_expected_leaves_each_part_its_time() {
        // L1 at 96 % beside issue at 80 %: more than overlaps. Whatever goes of L1, issue needs 80 %.
        let machine = with(TimeSplit::default(), vec![(Part::MemoryL1tex, 0.96), (Part::Issue, 0.8)]);
        let change = Change {
            rewrites: true,
            keeps: vec![(Part::MemoryL1tex, 0.4, 0.0), (Part::Issue, 1.0, 0.1)],
            ..Change::default()
        };
        let found = machine.after(&change);
        assert!((found.expected - 0.2).abs() < 1e-9 && (found.most - 0.9).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn what_needs_most_bounds_a_rewrite() {
        let change = Change { rewrites: true, keeps: vec![(Part::MemoryDram, 0.5, 0.5)], ..Change::default() };
        let found = machine(0.8, 0.9).after(&change);
        assert!((found.most - 0.6).abs() < 1e-9, "{found:?}");
        assert_eq!(found.left.map(|(part, _)| part), Some(Part::MemoryDram));
    }
}
