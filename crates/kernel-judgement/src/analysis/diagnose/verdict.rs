//! The diagnosis: what limits one kernel (what the launch would save most without, by the name of what causes it) and how sure that
//! is, what stands beside it, and what could be done.

use super::account::{Account, ERROR, Taker};
use super::confidence::{Because, Confidence, confidence};
use super::draft::Draft;
use super::finding::{Finding, Severity};
use super::held::{At, Held, share};
use super::kernel::{Kernel, Measurement};
use super::level::{Level, Unit};
use super::lever::{Lever, nvidia};
use super::measures::Measures;
use super::next::{Levers, Named, at_the_roof, drafts, levers, ruled_out};
use super::patterns::{MOST, NOTHING, Need, Question, Stands, WORTH, grid, launch, questions, stages, units};
use super::stretches::TimeSplit;
use crate::analysis::derive::units::BusyUnit;
use crate::analysis::kernel::stated::Work;
use crate::analysis::limits::Limits;
use crate::analysis::lines::{Place, SourceLines};
use crate::catalog::{self, Action, Code};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// One question of the walk with its answer and the readings that gave it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Step {
    pub question: &'static str,
    /// Whether it is enough to limit, with a sentence that has the numbers; `None` where it is not so, or not measured.
    pub held: Option<(bool, Words)>,
    /// The evidence that is not there to answer it; `None` where it was answered.
    pub lacks: Option<&'static str>,
    /// The readings, by name.
    pub readings: Vec<(String, Reading)>,
}

/// The verdict on one kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Bottleneck {
    /// What limits: a part of the chip, a wait, the launch itself; or that it was not measured.
    pub limiter: Code,
    /// The part of the chip or the wait that it is the cause of, where that has another name; `None` where it is none.
    pub of: Option<Code>,
    /// What cannot be told from it: without that the launch would save as much.
    pub near: Vec<Code>,
    /// One sentence with its evidence.
    pub sentence: Words,
    /// The way to it.
    pub steps: Vec<Step>,
    /// The busiest counter of the limiting unit, when a unit limits.
    pub unit: Option<BusyUnit>,
    /// The busiest unit beside that one.
    pub next: Option<BusyUnit>,
    /// The units of the chip, the busiest first.
    pub units: Vec<Unit>,
    /// Where the time goes before any unit is asked; `None` where that was not measured.
    pub time: Option<TimeSplit>,
    /// How sure it is.
    pub confidence: Confidence,
    pub because: Because,
    /// What is left where a unit is full and no lever takes work off it.
    pub roof: Option<Words>,
    /// What no lever names, each with its number.
    pub ruled_out: Option<Words>,
}

impl Bottleneck {
    /// The readings of all steps.
    pub fn readings(&self) -> Vec<(String, Reading)> {
        let mut all: Vec<(String, Reading)> =
            self.steps.iter().flat_map(|step| step.readings.iter().cloned()).collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.dedup_by(|(a, _), (b, _)| a == b);
        all
    }
}

/// Percent below which what does not limit is no finding.
const TRIFLE: f64 = 2.0;
/// Independent loads that a loop unrolled by four has in flight: what is left of a wait where a warp waits once for all of them.
const SERIAL: f64 = 0.75;

type Answers = [(&'static Question, Option<Held>)];

/// What might limit: what it saves where it is away; of the account, or by itself.
struct Candidate<'a> {
    held: Held,
    saves: f64,
    taker: Option<Taker>,
    cause: Option<Cause<'a>>,
}

/// What most of a part's or a wait's time comes from, with what the launch saves without it.
#[derive(Clone, Copy)]
struct Cause<'a> {
    rule: &'a Question,
    held: &'a Held,
    saves: f64,
}

/// What a launch saves most without.
struct Judged {
    bottleneck: Bottleneck,
    /// Where the limit sits.
    at: At,
    /// What stands beside it.
    others: Vec<Held>,
    /// What takes it away.
    cure: Option<Action>,
}

/// Names what a launch saves most without.
fn judge(ask: &Measures<'_>, drafts: &[(Draft, f64)]) -> Judged {
    let answers: Vec<(&Question, Option<Held>)> = questions().map(|rule| (rule, (rule.measure)(ask))).collect();
    let limit = weighed(ask, drafts, &answers);
    let before = found(&answers).find(|(rule, _)| matches!(rule.stands, Stands::Before)).map(|(_, held)| held.clone());
    // A launch of which most SMs never had a block is that, however short it is.
    let before = before.filter(|held| held.code != Code::LaunchShort || limit.held.code != Code::LaunchSmallGrid);
    let is_before = before.is_some();
    let Limit { held, of, cure, ahead, near, nearly } = before.map_or(limit, |held| Limit::alone(held, 1.0));
    let step = |question, own: Option<&Held>, needs: Need| Step {
        question,
        lacks: (own.is_none() && !needs.1(ask)).then_some(needs.0),
        held: own.map(|own| (own.code == held.code, own.sentence.clone())),
        readings: own.map(|own| own.readings.clone()).unwrap_or_default(),
    };
    let steps = answers.iter().map(|(rule, own)| step(rule.asks, own.as_ref(), rule.needs));
    let steps = steps.chain([step("What would the launch save most without?", Some(&held), NOTHING)]).collect();
    let (confidence, because) = confidence(ask, &held, is_before, 100.0 * ahead);
    // Where nothing is gained without it, what takes time by itself is none, and a cause is worth knowing and no more.
    let gain = |action: Action| drafts.iter().find(|(draft, _)| draft.action == action).map(|(_, saves)| *saves);
    let felt = found(&answers).filter_map(|(rule, held)| match rule.stands.cure().and_then(gain) {
        Some(saves) if saves < WORTH && matches!(rule.stands, Stands::ByItself(_)) => None,
        Some(saves) if saves < WORTH => Some(held.clone().noted()),
        _ => Some(held.clone()),
    });
    let cause_of = of.as_ref().map(|of| of.code).filter(|of| *of != held.code);
    let others = felt.chain(of);
    let is_worth = |other: &Held| other.holds || other.share >= TRIFLE && !LAUNCH.contains(&other.code);
    let others = others.filter(|other| other.code != held.code && is_worth(other)).collect();
    let next = ask.units.iter().find(|unit| held.unit.as_ref().is_none_or(|own| own.part != unit.part));
    let bottleneck = Bottleneck {
        limiter: held.code,
        of: cause_of,
        near,
        sentence: words!("{}{}", held.sentence, words::maybe(nearly)),
        steps,
        unit: held.unit.as_ref().map(Unit::busy),
        next: next.map(Unit::busy),
        units: ask.units.clone(),
        time: ask.active.or(ask.over_time.map(|_| 1.0)).map(|_| ask.machine.time),
        confidence,
        because,
        roof: None,
        ruled_out: None,
    };
    Judged { bottleneck, at: held.at, others, cure }
}

/// What was found, with its question.
fn found(answers: &Answers) -> impl Iterator<Item = (&Question, &Held)> {
    answers.iter().filter_map(|(rule, held)| Some((*rule, held.as_ref()?)))
}

/// What is worth a finding only where it is large.
const LAUNCH: [Code; 4] = [Code::LaunchTail, Code::LaunchUnderfilled, Code::LaunchShortBlocks, Code::OccupancyLimit];

/// What limits, by the account.
struct Limit {
    held: Held,
    /// The part that it is the cause of.
    of: Option<Held>,
    /// What takes it away.
    cure: Option<Action>,
    /// By what share of the time it saves more than what comes next.
    ahead: f64,
    /// What saves nearly as much, the most first.
    near: Vec<Code>,
    /// The first of that, where it is not the verdict's own part.
    nearly: Option<Words>,
}

impl Limit {
    /// What nothing else comes near.
    fn alone(held: Held, ahead: f64) -> Limit {
        Limit { held, of: None, cure: None, ahead, near: Vec::new(), nearly: None }
    }
}

fn weighed(ask: &Measures<'_>, drafts: &[(Draft, f64)], answers: &Answers) -> Limit {
    let account = Account::of(ask);
    let takers = account.takers.iter().filter_map(|(taker, saves)| {
        let cause = cause(ask, &account, *taker, *saves, drafts, answers);
        Some(Candidate { held: named(ask, *taker)?, saves: *saves, taker: Some(*taker), cause })
    });
    let alone = found(answers).filter_map(|(rule, held)| {
        let Stands::ByItself(action) = rule.stands else { return None };
        // Without a lever it takes what it is busy for.
        let saved = drafts.iter().find(|(draft, _)| draft.action == action).map(|(_, saves)| *saves);
        let saves = saved.unwrap_or_else(|| ask.machine.without_wait(held.share / 100.0));
        Some(Candidate { held: held.clone(), saves, taker: None, cause: None })
    });
    let mut all: Vec<Candidate> = takers.chain(alone).collect();
    // SMs that have nothing left say so, whatever else was not measured.
    let is_told = all.iter().any(|own| own.taker == Some(Taker::Tail) && own.held.holds);
    all.retain(|own| !is_told || own.held.code != Code::NotMeasured);
    all.sort_by(|a, b| b.saves.total_cmp(&a.saves));
    let mut most = all.first().map_or(0.0, |own| own.saves);
    // Of what cannot be told apart, work with a known cause goes first, and what may be away before work that the result may need.
    let rank = |own: &Candidate| match own.taker {
        Some(Taker::Part(_)) if own.cause.is_some() => 0,
        Some(Taker::Part(part)) if ask.unit(part).is_none_or(|unit| unit.level == Level::Idle) => 2,
        _ => 1,
    };
    let is_near = |own: &&Candidate| own.saves >= most - ERROR && own.saves > ERROR;
    let near: Vec<i32> = all.iter().take_while(is_near).map(rank).collect();
    if let Some(at) = (0..near.len()).min_by_key(|at| near[*at]) {
        all[..=at].rotate_right(1);
    }
    // What leaves a pipe idle for most of the time limits, a wait or SMs without blocks, and not the turns in which warps that are ready
    // together take it.
    let is_idle_pipe = |own: &Candidate| match own.taker {
        Some(Taker::Part(_)) => own.held.unit.as_ref().is_some_and(Unit::is_idle_pipe),
        _ => false,
    };
    let leaves_idle = |own: &Candidate| {
        matches!(own.taker, Some(Taker::Wait(_) | Taker::Tail | Taker::Empty)) && own.saves >= MOST * most
    };
    if let Some(at) = all.iter().position(leaves_idle).filter(|_| all.first().is_some_and(is_idle_pipe)) {
        all[..=at].rotate_right(1);
    }
    // What takes of several parts and waits may save more than any of them.
    let of_cause = |own: &Candidate| {
        own.cause.filter(|cause| matches!(cause.rule.stands, Stands::For(_))).map_or(0.0, |cause| cause.saves)
    };
    // Of equal ones at the part without which it saves most.
    let causes = (0..all.len()).rev().map(|at| (at, of_cause(&all[at])));
    if let Some((at, saves)) = causes.max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, saves)| *saves > most + ERROR)
    {
        all[..=at].rotate_right(1);
        (most, all[0].saves) = (saves, saves);
    }
    let near = all.iter().skip(1).filter(|own| own.saves >= most - ERROR).map(|own| own.held.code).collect();
    let mut all = all.into_iter();
    let Some(Candidate { held, saves, cause, .. }) = all.next() else {
        return Limit::alone(units::unknown(ask), 0.0);
    };
    let second = all.next();
    let ahead = saves - second.as_ref().map_or(0.0, |second| second.saves);
    match cause {
        Some(Cause { rule, held: own, .. }) => {
            let (held, of) = match rule.stands {
                Stands::Work(_) => (held, None),
                _ => (own.clone(), Some(held)),
            };
            Limit { held, of, cure: rule.stands.cure(), ahead, near, nearly: None }
        }
        None => {
            let nearly = second.filter(|second| second.saves >= most - ERROR).map(|second| say(saves, &second));
            let nearly = nearly.or_else(|| Some(words!(" As full: {}.", units::as_full(ask, held.unit.as_ref()?)?)));
            let cure = found(answers).find(|(_, own)| own.code == held.code).and_then(|(rule, _)| rule.stands.cure());
            let cure = cure.or(match held.code {
                Code::SyncMbarrier => Some(Action::MoreInFlight),
                Code::RangeGaps => Some(Action::Fuse),
                // What the last warps of its few blocks do alone; more blocks are a row of their own.
                Code::LaunchSmallGrid => Some(Action::EvenBlocks),
                _ => None,
            });
            Limit { held, of: None, cure, ahead, near, nearly }
        }
    }
}

/// What saves nearly as much as what limits.
fn say(first: f64, second: &Candidate) -> Words {
    words!(
        " Too near to tell apart from `{}` ({}): about {} of the time goes with the first, {} with the second.",
        second.held.code.to_string(),
        format::uncapital(&catalog::limiter_label(second.held.code)),
        share(first),
        share(second.saves)
    )
}

/// What takes time, as a finding.
fn named(m: &Measures<'_>, taker: Taker) -> Option<Held> {
    match taker {
        Taker::Part(part) => units::of_part(m, part),
        Taker::Wait(reason) => units::of_wait(m, reason),
        Taker::Mbarriers => stages::mbarriers(m),
        Taker::Unheld => Some(units::unknown(m)),
        Taker::Tail if grid::is_small_grid(m) => grid::small_grid(m),
        Taker::Tail => launch::tail(m),
        Taker::Empty => launch::short(m),
    }
}

/// What most of a part's or a wait's time comes from: of the causes that take of it, the one without which the launch saves most, if
/// that is [`MOST`] of what it would save without all of it. Missing warps are the cause of a wait where filling the slots saves more
/// than loads of each warp side by side.
fn cause<'a>(
    ask: &Measures<'_>,
    account: &Account,
    taker: Taker,
    saves: f64,
    drafts: &[(Draft, f64)],
    answers: &'a Answers,
) -> Option<Cause<'a>> {
    let side_by_side = ask.machine.without_wait(SERIAL * account.share(taker));
    let causes = found(answers).filter_map(|(rule, held)| match rule.stands {
        Stands::For(action) | Stands::Work(action) => {
            let (draft, _) = drafts.iter().find(|(draft, _)| draft.action == action)?;
            let gain = draft.whole(ask);
            let touches = match taker {
                Taker::Part(part) => draft.relieves_place(part),
                Taker::Wait(reason) => draft.frees_from(reason),
                _ => false,
            };
            (touches && gain >= MOST * saves).then_some(Cause { rule, held, saves: gain })
        }
        Stands::Warps(filled, _) if matches!(taker, Taker::Wait(_)) => {
            let gain = ask.machine.without_wait(1.0 - filled(ask)?);
            (gain > side_by_side).then_some(Cause { rule, held, saves: gain })
        }
        _ => None,
    });
    causes.max_by(|a, b| a.saves.total_cmp(&b.saves))
}

/// What is concluded of one kernel.
pub(in crate::analysis) struct Diagnosis {
    pub(in crate::analysis) bottleneck: Bottleneck,
    /// What was found, the most severe first.
    pub(in crate::analysis) findings: Vec<Finding>,
    /// What could be tried, ours by ceiling, then NVIDIA's.
    pub(in crate::analysis) levers: Vec<Lever>,
    /// Costs by source line; `None` without counts by instruction.
    pub(in crate::analysis) lines: Option<SourceLines>,
}

impl Diagnosis {
    /// Codes of what was found.
    pub(in crate::analysis) fn codes(&self) -> impl Iterator<Item = Code> {
        self.findings.iter().map(|finding| finding.code)
    }
}

/// Diagnoses a kernel by itself, without its lines.
pub(in crate::analysis) fn alone(measured: Measurement<'_>, work: &Work, limits: &Limits) -> Diagnosis {
    diagnose(&Kernel::of(measured, None, work, limits), |_| None)
}

/// Diagnoses a kernel. `lines` gives its costs by source line, where the report counts by instruction, once it is known
/// what limits.
pub(in crate::analysis) fn diagnose(kernel: &Kernel<'_>, lines: impl FnOnce(Code) -> Option<SourceLines>) -> Diagnosis {
    let ask = Measures::of(kernel);
    let (drafts, refused) = drafts(&ask);
    let Judged { mut bottleneck, at, others, cure } = judge(&ask, &drafts);
    let limiter = bottleneck.limiter;
    let lines = lines(limiter);
    let found = match limiter {
        Code::LaunchFailed | Code::NotMeasured => Levers::default(),
        _ => {
            let unit = |code: Code| if let Code::Unit(part) = code { Some(part) } else { None };
            let part = unit(limiter).or_else(|| bottleneck.of.and_then(unit));
            levers(&ask, Named { cure, part }, drafts, refused)
        }
    };
    bottleneck.roof = at_the_roof(&ask, limiter, &found);
    let is_found = |code: Code| limiter == code || others.iter().any(|held| held.code == code);
    bottleneck.ruled_out = ruled_out(&ask, &found, is_found);
    let all = found.rows.into_iter().chain(nvidia(kernel.kernel, kernel.limits)).collect();
    let place = |at: At| match at {
        At::Place(place) => Some(place),
        At::Limiter => lines.as_ref()?.limiting.as_ref()?.first(),
        At::Offset(_) | At::Build | At::Launch | At::Nowhere => None,
    };
    let findings = ranked(&bottleneck, at, others, place);
    Diagnosis { bottleneck, findings, levers: all, lines }
}

/// Each finding with its place: the limit, then the rest, the most severe first and within that the largest share.
fn ranked(bottleneck: &Bottleneck, at: At, others: Vec<Held>, place: impl Fn(At) -> Option<Place>) -> Vec<Finding> {
    let limiter = Finding {
        code: bottleneck.limiter,
        severity: Severity::Limits,
        sentence: bottleneck.sentence.clone(),
        at: place(at),
        readings: bottleneck.readings(),
        share: 100.0,
    };
    let finding = |held: Held| {
        let Held { code, beside, sentence, readings, share, at, .. } = held;
        Finding { code, severity: beside.max(Severity::Costs), sentence, at: place(at), readings, share }
    };
    let mut rest: Vec<Finding> = others.into_iter().map(finding).collect();
    rest.sort_by(|a, b| a.severity.cmp(&b.severity).then(b.share.total_cmp(&a.share)));
    std::iter::once(limiter).chain(rest).collect()
}
