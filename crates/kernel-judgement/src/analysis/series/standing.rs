//! The state of a series, audit by audit: which passed, what is open and since when, what the next one is compared with.

use super::problem::{Open, Problem};
use crate::analysis::{Mark, Verdict, near};
use std::collections::{BTreeMap, BTreeSet};

/// What an audit was compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Against {
    #[default]
    Nothing,
    /// An audit of the series.
    Audit(Mark),
    /// A report or an audit of another folder that the subject states, by a name of its measurement.
    Elsewhere(String),
}

/// An audit of a series, as far as its standing depends on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    pub mark: Mark,
    /// The audits that nothing followed when it was made; `None` where it does not say, so that it follows the one before it.
    pub after: Option<Vec<Mark>>,
    /// Whether it is of the code alone, which has no time.
    pub is_code_alone: bool,
    /// Whether its results were checked and are right.
    pub is_correct: bool,
    /// Whether it has a time that another can be compared with.
    pub has_time: bool,
    /// Its verdict; WRONG for wrong results, with or without a comparison.
    pub verdict: Option<Verdict>,
    /// By how many percent it is slower than what it was compared with; `None` where that was not measured.
    pub change: Option<f64>,
    /// The largest slow-down in percent that the intervals leave possible.
    pub worst: Option<f64>,
    pub against: Against,
    /// The acceptances about its comparison, in the order in which they were made. One holds from the audit on that it was made for.
    pub accepted: Vec<usize>,
    /// The audit that was pinned as its baseline.
    pub pin: Option<Mark>,
}

/// How a series stands at an audit, or behind the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// What is open; `None` where it passes.
    pub problem: Option<Problem>,
    /// The acceptance by which it passes.
    pub accepted: Option<usize>,
    /// Whether it passes as the first, with nothing to be compared with.
    pub is_first: bool,
    /// The audit that the next one is compared with where none is pinned: the newest that passed or was accepted.
    pub baseline: Option<Mark>,
    /// The audits that nothing follows, the newest last: more than one where branches were merged.
    pub last: Vec<Mark>,
}

#[derive(Clone, Debug, Default)]
pub struct Series {
    states: BTreeMap<Mark, State>,
    /// The marks in the order in which the audits were made.
    order: Vec<Mark>,
    followed: BTreeSet<Mark>,
}

/// What is carried from an audit to those behind it.
#[derive(Clone, Debug, Default)]
struct State {
    wrong: Option<Problem>,
    open: Option<Problem>,
    accepted: Option<usize>,
    is_first: bool,
    /// The first audit with a profile up to here, which all comparisons lead back to.
    root: Option<Mark>,
    /// The audit that passed last, and where it stands.
    passed: Option<(Mark, Option<Place>)>,
    /// The best since the last acceptance.
    best: Option<(Mark, Place)>,
    /// Where the audit itself stands.
    own: Option<Place>,
    /// Acceptances that hold: with the place of the old side, and percent within which it is that again.
    held: Vec<(usize, Place, f64)>,
    /// Acceptances of which the time was back since.
    ended: BTreeSet<usize>,
    /// Acceptances that were made for this audit or one before it.
    known: BTreeSet<usize>,
}

impl Series {
    /// The standings of some audits in the order of their days. A slow-down counts from `smallest` percent on; `made_for`
    /// gives the audit that an acceptance was made for, where that is known.
    pub fn of(steps: &[Step], smallest: f64, made_for: impl Fn(usize) -> Option<Mark>) -> Series {
        let mut series = Series::default();
        let mut scales = Scales::default();
        for (at, before) in in_order(steps) {
            let step = &steps[at];
            let state = series.joined(&before).then(step, smallest, &mut scales, &series, &made_for);
            series.followed.extend(before);
            series.states.insert(step.mark.clone(), state);
            series.order.push(step.mark.clone());
        }
        series
    }

    /// The standing at an audit.
    pub fn at(&self, mark: &Mark) -> Option<Standing> {
        Some(self.states.get(mark)?.standing(vec![mark.clone()]))
    }

    /// The standing behind some audits of the series; behind all of them for those that it does not have.
    pub fn behind(&self, after: &[Mark]) -> Standing {
        let known: Vec<Mark> = after.iter().filter(|mark| self.states.contains_key(mark)).cloned().collect();
        self.joined(&known).standing(known)
    }

    /// The standing behind the last audit, of each branch.
    pub fn now(&self) -> Standing {
        self.behind(&self.last())
    }

    /// The audits that nothing follows, in the order in which they were made.
    pub fn last(&self) -> Vec<Mark> {
        self.order.iter().filter(|mark| !self.followed.contains(mark)).cloned().collect()
    }

    fn joined(&self, marks: &[Mark]) -> State {
        let mut states = marks.iter().filter_map(|mark| self.states.get(mark));
        let Some(first) = states.next() else { return State::default() };
        states.fold(first.clone(), State::beside)
    }

    fn place(&self, mark: &Mark) -> Option<Place> {
        self.states.get(mark)?.own
    }
}

/// The places of the steps in the order of making, each with the marks of those that it follows.
fn in_order(steps: &[Step]) -> Vec<(usize, Vec<Mark>)> {
    let at: BTreeMap<&Mark, usize> = steps.iter().enumerate().map(|(at, step)| (&step.mark, at)).collect();
    let before = |step: usize| -> Vec<usize> {
        match &steps[step].after {
            Some(after) => {
                let known = after.iter().map(|mark| at.get(mark).copied());
                // In the place of one that is gone stands the one before.
                let known = known.map(|other| other.or(step.checked_sub(1)));
                known.flatten().filter(|other| *other != step).collect::<BTreeSet<usize>>().into_iter().collect()
            }
            None => step.checked_sub(1).into_iter().collect(),
        }
    };
    let (mut order, mut done, mut left) = (Vec::new(), BTreeSet::new(), (0..steps.len()).collect::<Vec<usize>>());
    while !left.is_empty() {
        let is_ready = |step: &usize| before(*step).iter().all(|other| done.contains(other));
        // Audits that follow each other in a circle were not made so; the first by its day goes first.
        let next = left.iter().position(is_ready).unwrap_or_default();
        let step = left.remove(next);
        let known = before(step).into_iter().filter(|other| done.contains(other));
        order.push((step, known.map(|other| steps[other].mark.clone()).collect()));
        done.insert(step);
    }
    order
}

/// A time relative to others of its scale. Audits that do not compare stand on different scales.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    scale: usize,
    level: f64,
}

impl Place {
    const fn first(scale: usize) -> Place {
        Place { scale, level: 1.0 }
    }

    /// By how many percent this is slower than another; `None` where they do not compare.
    fn beside(self, other: Place) -> Option<f64> {
        (self.scale == other.scale && other.level > 0.0).then(|| 100.0 * (self.level / other.level - 1.0))
    }
}

/// Scales that places stand on: a new one for what compares with nothing, one for each old side from elsewhere.
#[derive(Default)]
struct Scales {
    count: usize,
    elsewhere: BTreeMap<String, Place>,
}

impl Scales {
    fn fresh(&mut self) -> Place {
        self.count += 1;
        Place::first(self.count)
    }

    fn of(&mut self, name: &str) -> Place {
        if let Some(place) = self.elsewhere.get(name) {
            return *place;
        }
        let place = self.fresh();
        self.elsewhere.insert(name.to_owned(), place);
        place
    }
}

/// What a comparison comes to by itself.
enum Judged {
    Passes,
    Fails(Open),
}

impl State {
    /// The later of the first audits of two branches that begin by themselves, where what passed on both was never compared;
    /// the one that begins earlier is what the next is compared with.
    fn apart(&self, other: &State) -> Option<Mark> {
        let (Some((_, Some(at))), Some((_, Some(theirs)))) = (&self.passed, &other.passed) else { return None };
        let is_apart = self.root != other.root && at.beside(*theirs).is_none();
        self.root.as_ref().max(other.root.as_ref()).filter(|_| is_apart).cloned()
    }

    /// Both of two branches: what is open on either, and the faster of what passed.
    fn beside(self, other: &State) -> State {
        let apart = self.apart(other);
        if apart.as_ref().is_some_and(|since| Some(since) == self.root.as_ref()) {
            return other.clone().beside(&self);
        }
        let passed = match (self.passed, other.passed.clone()) {
            (Some((own, Some(at))), Some((_, Some(theirs)))) if at.beside(theirs).is_some_and(|by| by < 0.0) => {
                Some((own, Some(at)))
            }
            (own, _) if apart.is_some() => own,
            (own, theirs) => theirs.or(own),
        };
        let best = match (self.best, other.best.clone()) {
            (Some((own, at)), Some((_, theirs))) if at.beside(theirs).is_some_and(|by| by < 0.0) => Some((own, at)),
            (own, _) if apart.is_some() => own,
            (own, theirs) => theirs.or(own),
        };
        let never = apart.map(|since| Problem { open: Open::NotComparable, since, than: None, change: None });
        State {
            wrong: self.wrong.or(other.wrong.clone()),
            open: Problem::graver(Problem::graver(self.open, other.open.clone()), never),
            accepted: other.accepted,
            is_first: self.is_first && other.is_first,
            root: self.root.or(other.root.clone()),
            passed,
            best,
            own: None,
            held: self.held.into_iter().chain(other.held.iter().copied()).collect(),
            ended: &self.ended | &other.ended,
            known: &self.known | &other.known,
        }
    }

    /// The state behind another audit.
    fn then(
        mut self,
        step: &Step,
        smallest: f64,
        scales: &mut Scales,
        series: &Series,
        made_for: &impl Fn(usize) -> Option<Mark>,
    ) -> State {
        (self.accepted, self.own) = (None, None);
        let is_known = |one: &usize| made_for(*one).is_none_or(|mark| mark == step.mark);
        self.known.extend(step.accepted.iter().copied().filter(is_known));
        if step.is_code_alone {
            return self;
        }
        let is_cut = self.root.is_none() && step.after.as_ref().is_some_and(|after| !after.is_empty());
        let is_first = self.passed.is_none() && !is_cut;
        self.root.get_or_insert_with(|| step.mark.clone());
        self.is_first = false;
        let problem = |open, than, change| Problem { open, since: step.mark.clone(), than, change };
        if step.verdict == Some(Verdict::Wrong) {
            self.wrong = Some(problem(Open::Wrong, None, None).after(self.wrong));
            return self;
        }
        if self.wrong.is_some() && !step.is_correct {
            return self;
        }
        self.wrong = None;

        let old = match &step.against {
            Against::Nothing => None,
            Against::Audit(mark) => series.place(mark),
            Against::Elsewhere(name) => Some(scales.of(name)),
        };
        let compares = !matches!(step.verdict, None | Some(Verdict::NotComparable | Verdict::NotMeasured));
        let measured = old
            .zip(step.change)
            .filter(|_| compares)
            .map(|(old, change)| Place { level: old.level * (1.0 + change / 100.0), ..old });
        let expected = step.pin.as_ref().or(self.passed.as_ref().map(|(mark, _)| mark));
        let is_expected = match &step.against {
            Against::Nothing => false,
            Against::Audit(mark) => expected.is_none_or(|expected| expected == mark),
            Against::Elsewhere(_) => true,
        };
        let (judged, than, change) = if step.against == Against::Nothing {
            let judged = if is_first { Judged::Passes } else { Judged::Fails(Open::NotMeasured) };
            self.is_first = is_first;
            (judged, None, None)
        } else if is_expected {
            let than = match &step.against {
                Against::Audit(mark) => Some(mark.clone()),
                Against::Elsewhere(_) | Against::Nothing => None,
            };
            (by_itself(step, smallest), than, step.change)
        } else {
            // It was compared with another audit; both stand on one scale or they do not compare.
            let place = expected.and_then(|mark| series.place(mark));
            let change = measured.zip(place).and_then(|(own, place)| own.beside(place));
            let judged = match (change, step.verdict) {
                (None, _) if !compares => by_itself(step, smallest),
                (None, _) => Judged::Fails(Open::NotComparable),
                (Some(change), _) if change >= smallest => Judged::Fails(Open::Slower),
                (Some(_), Some(Verdict::Ambiguous)) => by_itself(step, smallest),
                (Some(_), _) => Judged::Passes,
            };
            (judged, expected.cloned(), change)
        };
        let is_held = step.pin.is_some() || matches!(step.against, Against::Elsewhere(_));
        let crept = self.best.as_ref().zip(measured).filter(|_| !is_held);
        let crept = crept.and_then(|((best, place), own)| Some((best.clone(), own.beside(*place)?)));
        let failed = match (judged, crept.filter(|(_, by)| *by >= smallest)) {
            (Judged::Passes, None) => None,
            (Judged::Passes, Some((best, by))) => Some(problem(Open::Crept, Some(best), Some(by))),
            (Judged::Fails(open), _) if open.is_slower() => Some(problem(open, than, change)),
            (Judged::Fails(open), _) => Some(problem(open, None, None)),
        };
        let holds = |one: &&usize| self.known.contains(one) && !self.ended.contains(one);
        let accepted = failed.as_ref().and_then(|_| step.accepted.iter().find(holds)).copied();
        let passes = failed.is_none() || accepted.is_some();
        let own = measured.or_else(|| (passes && step.has_time).then(|| scales.fresh()));
        self.own = own;
        if !passes {
            self.open = failed.map(|failed| failed.after(self.open.take()));
            return self;
        }
        self.open = None;
        self.accepted = accepted;
        if let Some(own) = own {
            let back = |(_, old, within): &&(usize, Place, f64)| own.beside(*old).is_some_and(|by| by <= *within);
            self.ended.extend(self.held.iter().filter(back).map(|(one, ..)| *one));
            self.held.retain(|held| !back(&held));
            let is_better = |place: Place| own.beside(place).is_none_or(|by| by <= 0.0);
            if accepted.is_some() || is_held || self.best.as_ref().is_none_or(|(_, place)| is_better(*place)) {
                self.best = Some((step.mark.clone(), own));
            }
        }
        self.held.extend(accepted.zip(old).map(|(one, old)| (one, old, near(step.change.unwrap_or_default()))));
        if step.has_time {
            self.passed = Some((step.mark.clone(), own));
        }
        self
    }

    fn standing(&self, last: Vec<Mark>) -> Standing {
        Standing {
            problem: self.wrong.clone().or(self.open.clone()),
            accepted: self.accepted,
            is_first: self.is_first,
            baseline: self.passed.as_ref().map(|(mark, _)| mark.clone()),
            last,
        }
    }
}

/// What a comparison comes to by its own verdict.
fn by_itself(step: &Step, smallest: f64) -> Judged {
    match step.verdict {
        Some(Verdict::Faster | Verdict::Same) => Judged::Passes,
        Some(Verdict::Slower) if step.change.is_some_and(|change| change < smallest) => Judged::Passes,
        Some(Verdict::Slower) => Judged::Fails(Open::Slower),
        Some(Verdict::Ambiguous) if step.worst.is_some_and(|worst| worst < smallest) => Judged::Passes,
        Some(Verdict::Ambiguous) => Judged::Fails(Open::Ambiguous),
        Some(Verdict::NotComparable) => Judged::Fails(Open::NotComparable),
        _ => Judged::Fails(Open::NotMeasured),
    }
}
