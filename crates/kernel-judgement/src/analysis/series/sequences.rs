//! Random orders of measurements, acceptances, pins and merges, held against what everybody may expect of a gate.

use super::problem::Open;
use super::standing::{Against, Series, Standing, Step};
use crate::analysis::{Mark, Verdict};
use proptest::prelude::*;

/// Percent that count.
const SMALLEST: f64 = 5.0;

/// What happens to a kernel. Lanes are branches.
#[derive(Clone, Debug)]
enum Act {
    /// It is measured: its time, how much work is stated, whether the launches decide, and what is known of its results.
    Measure {
        lane: usize,
        ns: f64,
        work: u8,
        is_noisy: bool,
        results: Results,
    },
    /// Measured again as it is.
    Again {
        lane: usize,
    },
    Accept {
        lane: usize,
    },
    /// The first, second… audit is pinned from now on.
    Pin {
        back: usize,
    },
    Unpin,
    Merge,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Results {
    Right,
    Unchecked,
    Wrong,
}

fn act() -> impl Strategy<Value = Act> {
    let time = prop_oneof![Just(100.0), Just(101.0), Just(104.0), Just(108.0), Just(130.0), Just(80.0)];
    let results = prop_oneof![6 => Just(Results::Unchecked), 2 => Just(Results::Right), 1 => Just(Results::Wrong)];
    let work = prop_oneof![8 => Just(0u8), 1 => Just(1u8)];
    let measure = (0..2usize, time, work, prop::bool::weighted(0.1), results);
    let measure =
        measure.prop_map(|(lane, ns, work, is_noisy, results)| Act::Measure { lane, ns, work, is_noisy, results });
    prop_oneof![
        8 => measure,
        3 => (0..2usize).prop_map(|lane| Act::Again { lane }),
        2 => (0..2usize).prop_map(|lane| Act::Accept { lane }),
        1 => (0..4usize).prop_map(|back| Act::Pin { back }),
        1 => Just(Act::Unpin),
        2 => Just(Act::Merge),
    ]
}

/// What is true of an audit, whatever the series says of it.
#[derive(Clone, Debug)]
struct Truth {
    ns: f64,
    work: u8,
    is_noisy: bool,
    results: Results,
    /// The audits that its maker knew.
    knows: Vec<usize>,
    /// What it was compared with.
    old: Option<usize>,
    is_accepted: bool,
    is_pinned: bool,
}

#[derive(Default)]
struct World {
    steps: Vec<Step>,
    truths: Vec<Truth>,
    /// The audits at the head of each branch.
    lanes: [Vec<usize>; 2],
    pin: Option<usize>,
    /// For each acceptance the audit that it was made for.
    accepted: Vec<usize>,
}

impl World {
    fn series(&self) -> Series {
        Series::of(&self.steps, SMALLEST, |one| Some(self.steps[*self.accepted.get(one)?].mark.clone()))
    }

    fn marks(&self, lane: usize) -> Vec<Mark> {
        self.lanes[lane].iter().map(|at| self.steps[*at].mark.clone()).collect()
    }

    fn standing(&self, lane: usize) -> Standing {
        self.series().behind(&self.marks(lane))
    }

    /// An audit as the program makes one: compared with the pinned one, else with the newest that passed.
    fn measure(&mut self, lane: usize, ns: f64, work: u8, is_noisy: bool, results: Results) {
        let at = self.steps.len();
        let mark = Mark { day: format!("{at:04}"), measured: at.to_string() };
        let after = self.marks(lane);
        let baseline = self.standing(lane).baseline;
        let pin = self.pin.map(|at| self.steps[at].mark.clone());
        let with = pin.clone().or(baseline);
        let old = with.as_ref().and_then(|with| self.steps.iter().position(|step| step.mark == *with));
        let change = old.map(|old| 100.0 * (ns / self.truths[old].ns - 1.0));
        let verdict = change.zip(old).map(|(change, old)| match change {
            _ if self.truths[old].work != work => Verdict::NotComparable,
            _ if is_noisy => Verdict::Ambiguous,
            change if change > 0.5 => Verdict::Slower,
            change if change < -0.5 => Verdict::Faster,
            _ => Verdict::Same,
        });
        let mut knows: Vec<usize> = self.lanes[lane].clone();
        knows.extend(self.lanes[lane].iter().flat_map(|at| self.truths[*at].knows.clone()));
        knows.sort_unstable();
        knows.dedup();
        self.steps.push(Step {
            mark,
            after: Some(after),
            is_correct: results == Results::Right,
            has_time: true,
            verdict: if results == Results::Wrong { Some(Verdict::Wrong) } else { verdict },
            change,
            worst: change.filter(|_| !is_noisy),
            against: with.map_or(Against::Nothing, Against::Audit),
            pin,
            ..Step::default()
        });
        let is_pinned = self.pin.is_some();
        self.truths.push(Truth { ns, work, is_noisy, results, knows, old, is_accepted: false, is_pinned });
        self.cover();
        self.lanes[lane] = vec![at];
    }

    /// Notes at each audit which acceptances are about its comparison.
    fn cover(&mut self) {
        let pair = |at: usize| {
            let truth = &self.truths[at];
            let verdict = self.steps[at].verdict;
            truth.old.map(|old| (truth.ns, truth.work, self.truths[old].ns, self.truths[old].work, verdict))
        };
        let about = |at: usize| -> Vec<usize> {
            let is_about = |made_for: usize| pair(made_for).is_some() && pair(made_for) == pair(at);
            (0..self.accepted.len()).filter(|one| is_about(self.accepted[*one])).collect()
        };
        let all: Vec<Vec<usize>> = (0..self.steps.len()).map(about).collect();
        self.steps.iter_mut().zip(all).for_each(|(step, about)| step.accepted = about);
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Measure { lane, ns, work, is_noisy, results } => self.measure(lane, ns, work, is_noisy, results),
            Act::Again { lane } => {
                let Some(last) = self.lanes[lane].last().map(|at| self.truths[*at].clone()) else { return };
                self.measure(lane, last.ns, last.work, last.is_noisy, last.results);
            }
            Act::Accept { lane } => {
                let Some(at) = self.lanes[lane].last().copied().filter(|_| self.lanes[lane].len() == 1) else { return };
                let problem = self.standing(lane).problem;
                if problem.is_some_and(|problem| problem.open != Open::Wrong) && self.truths[at].old.is_some() {
                    self.accepted.push(at);
                    self.truths[at].is_accepted = true;
                    self.cover();
                }
            }
            Act::Pin { back } => self.pin = self.steps.len().checked_sub(1 + back).or(self.pin),
            Act::Unpin => self.pin = None,
            Act::Merge => {
                let mut both = [self.lanes[0].clone(), self.lanes[1].clone()].concat();
                both.sort_unstable();
                both.dedup();
                self.lanes = [both.clone(), both];
            }
        }
    }

    /// The audit that all comparisons behind one lead back to.
    fn first(&self, at: usize) -> usize {
        self.truths[at].old.map_or(at, |old| self.first(old))
    }

    /// What must hold of an audit at the head of a branch.
    fn hold(&self, at: usize, series: &Series) -> Result<(), TestCaseError> {
        let truth = &self.truths[at];
        let standing = series.at(&self.steps[at].mark).unwrap();
        let passes = standing.problem.is_none();
        // Wrong results are followed by right ones before anything passes.
        let chain = |until: usize| truth.knows.iter().copied().filter(move |other| *other < until);
        let is_right = |other: usize| self.truths[other].results == Results::Right;
        let open_wrong = chain(at).filter(|other| self.truths[*other].results == Results::Wrong).any(|wrong| {
            let cured = |other: usize| is_right(other) && self.truths[other].knows.contains(&wrong);
            !cured(at) && !chain(at).any(cured)
        });
        prop_assert!(!(passes && (open_wrong || truth.results == Results::Wrong)), "wrong passes at {at}");
        if let Some(problem) = &standing.problem {
            prop_assert!(self.steps.iter().any(|step| step.mark == problem.since), "since nothing at {at}");
            return Ok(());
        }
        if standing.is_first || truth.is_pinned || standing.accepted.is_some() {
            return Ok(());
        }
        // Slower than nothing that passed since the last decision of somebody.
        let decided = |other: usize| {
            let other = &self.truths[other];
            other.is_pinned || self.steps.iter().any(|step| step.pin.is_some()) || other.is_accepted
        };
        let is_decided = chain(at).any(decided) || !self.accepted.is_empty();
        let passed = |other: &usize| {
            let behind = series.at(&self.steps[*other].mark).unwrap();
            // Two first audits of branches that met were never compared.
            let is_beside = self.first(*other) == self.first(at);
            behind.problem.is_none() && self.truths[*other].work == truth.work && is_beside
        };
        let all_one_work = chain(at).all(|other| self.truths[other].work == truth.work);
        if !is_decided && all_one_work && !truth.is_noisy {
            for other in chain(at).filter(passed) {
                let by = 100.0 * (truth.ns / self.truths[other].ns - 1.0);
                prop_assert!(by < SMALLEST, "{at} passes, {by} % slower than {other}");
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_heals_by_being_looked_at_again(acts in prop::collection::vec(act(), 1..14)) {
        let mut world = World::default();
        for act in &acts {
            let series = world.series();
            let before = [0, 1].map(|lane| series.behind(&world.marks(lane)).problem);
            let is_one = |lane: usize| world.lanes[lane].len() == 1;
            let alone = [0, 1].map(is_one);
            let heads = [0, 1].map(|lane: usize| world.lanes[lane].last().copied().unwrap_or_default());
            let known = |at: &usize| world.truths[*at].knows.iter().copied().chain([*at]).min();
            let firsts = [0, 1].map(|lane: usize| world.lanes[lane].iter().filter_map(known).min());
            world.act(act);
            match *act {
                // The same once more: what is open stays open, since the same audit. Only right results answer wrong ones.
                Act::Again { lane } if alone[lane] && world.steps.iter().all(|step| step.pin.is_none()) => {
                    let is_answer = world.truths.last().is_some_and(|last| last.results == Results::Right);
                    // Somebody may have accepted an earlier audit since, which is then what the same is compared with.
                    let old = |at: usize| world.truths[at].old;
                    let is_asked_anew = !world.accepted.is_empty() && old(heads[lane]) != old(world.truths.len() - 1);
                    if let Some(problem) = before[lane].as_ref().filter(|_| !is_answer && !is_asked_anew) {
                        let now = world.standing(lane).problem;
                        prop_assert_eq!(now.map(|now| now.since), Some(problem.since.clone()));
                    }
                }
                // Nobody accepts, pins or merges what is wrong into passing.
                Act::Accept { lane } if before[lane].as_ref().is_some_and(|problem| problem.open == Open::Wrong) => {
                    prop_assert!(world.standing(lane).problem.is_some());
                }
                // Nobody heals a branch by merging it, and branches that begin by themselves have to be measured together.
                Act::Merge => {
                    let merged = world.standing(0).problem.is_some();
                    let is_open = before.iter().any(Option::is_some);
                    prop_assert!(merged || !is_open);
                    let one = firsts[0].zip(firsts[1]).is_none_or(|(one, other)| one == other);
                    let has_pin = world.steps.iter().any(|step| step.pin.is_some());
                    prop_assert!(is_open || merged != one || has_pin, "{merged} with {firsts:?}");
                }
                _ => {}
            }
            let series = world.series();
            for lane in [0, 1] {
                if let [head] = world.lanes[lane].as_slice() {
                    world.hold(*head, &series)?;
                }
            }
        }
    }
}

/// A linear series: each audit by its time, compared with what the series stands on.
fn stands(acts: &[Act]) -> World {
    let mut world = World::default();
    acts.iter().for_each(|act| world.act(act));
    world
}

fn timed(ns: f64) -> Act {
    Act::Measure { lane: 0, ns, work: 0, is_noisy: false, results: Results::Unchecked }
}

fn open(acts: &[Act]) -> Option<(Open, String)> {
    stands(acts).standing(0).problem.map(|problem| (problem.open, problem.since.day))
}

fn is_open(acts: &[Act], what: Open, since: &str) {
    assert_eq!(open(acts), Some((what, since.to_owned())), "{acts:?}");
}

#[test]
fn each_way_in_which_a_gate_heals_itself_is_shut() {
    let [fast, slow] = [100.0, 130.0].map(timed);
    let again = Act::Again { lane: 0 };
    let accept = Act::Accept { lane: 0 };
    let of = |results, ns| Act::Measure { lane: 0, ns, work: 0, is_noisy: false, results };
    let other_work = |ns| Act::Measure { lane: 0, ns, work: 1, is_noisy: false, results: Results::Unchecked };
    let noisy = Act::Measure { lane: 0, ns: 110.0, work: 0, is_noisy: true, results: Results::Unchecked };
    // Measured twice, and until the time is back or somebody accepts.
    is_open(&[fast.clone(), slow.clone(), again.clone(), again.clone()], Open::Slower, "0001");
    assert_eq!(open(&[fast.clone(), slow.clone(), again.clone(), fast.clone()]), None);
    assert_eq!(open(&[fast.clone(), slow.clone(), accept.clone(), again.clone()]), None);
    // Wrong, then unchecked; then right, and slow.
    is_open(&[of(Results::Right, 100.0), of(Results::Wrong, 80.0), fast.clone(), again.clone()], Open::Wrong, "0001");
    assert_eq!(open(&[fast.clone(), of(Results::Wrong, 80.0), of(Results::Right, 100.0)]), None);
    is_open(&[fast.clone(), of(Results::Wrong, 80.0), of(Results::Right, 130.0)], Open::Slower, "0002");
    // Other work, and launches that do not decide.
    is_open(&[fast.clone(), other_work(130.0), again.clone(), again.clone()], Open::NotComparable, "0001");
    is_open(&[fast.clone(), noisy.clone(), noisy.clone()], Open::Ambiguous, "0001");
    is_open(&[fast.clone(), slow.clone(), noisy], Open::Slower, "0001");
    // There and back.
    is_open(&[fast.clone(), timed(250.0), slow.clone()], Open::Slower, "0001");
    // Held by a pin, and let go.
    is_open(
        &[fast.clone(), Act::Pin { back: 0 }, slow.clone(), again.clone(), Act::Unpin, again.clone()],
        Open::Slower,
        "0001",
    );
    // Small steps.
    is_open(&[fast.clone(), timed(104.0), timed(108.0)], Open::Crept, "0002");
    is_open(&[fast.clone(), timed(104.0), timed(108.0), again.clone()], Open::Crept, "0002");
    assert_eq!(open(&[fast.clone(), timed(104.0), timed(108.0), timed(104.0)]), None);
    // An acceptance ends when the time was back.
    let back = [fast.clone(), slow.clone(), accept, fast.clone(), slow.clone()];
    is_open(&back, Open::Slower, "0003");
}

#[test]
fn branches_that_meet_keep_what_is_open_on_either() {
    let on = |lane, ns| Act::Measure { lane, ns, work: 0, is_noisy: false, results: Results::Unchecked };
    let meet = [on(0, 100.0), Act::Merge, on(0, 130.0), on(1, 100.0), Act::Merge];
    is_open(&meet, Open::Slower, "0001");
    assert_eq!(stands(&meet).standing(0).last.len(), 2);
    // What is measured behind both decides.
    assert_eq!(open(&[&meet[..], &[on(0, 100.0)]].concat()), None);
    is_open(&[&meet[..], &[on(0, 130.0)]].concat(), Open::Slower, "0001");
    // The faster of two that pass is what the next is held to.
    let both = [on(0, 100.0), Act::Merge, on(0, 80.0), on(1, 100.0), Act::Merge, on(0, 100.0)];
    is_open(&both, Open::Slower, "0003");
}

#[test]
fn a_series_that_begins_a_second_time_is_not_passed_beside_the_first() {
    let measure =
        |lane: usize, ns: f64| Act::Measure { lane, ns, work: 0, is_noisy: false, results: Results::Unchecked };
    // The slow one again and again on a branch that knows of nothing, then both branches.
    let mut acts = vec![measure(0, 100.0), measure(1, 130.0), measure(1, 130.0), Act::Merge];
    assert_eq!(open(&acts), Some((Open::NotComparable, "0001".to_owned())));
    acts.push(measure(0, 130.0));
    assert_eq!(open(&acts), Some((Open::Slower, "0003".to_owned())));
    acts.pop();
    acts.push(measure(0, 100.0));
    assert_eq!(open(&acts), None);
}
