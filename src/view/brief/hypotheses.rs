//! Hypotheses: a row of what was stated and found, and what refuted ones taught; in full, expected, before, after and what became of each, and the ledger of those that
//! earlier audits decided.

use super::numbers::glance;
use super::places;
use crate::analysis::phases::{PhaseKind, Phases};
use crate::analysis::{
    Audit, Concluded, Condition, Examined, Expectation, Foresight, Judgement, Milestone, Role, Tested, When, decided,
    expectation,
};
use crate::catalog::{CHECK, Operator, ReadingForm, ReadingName};
use crate::evidence::{Missing, Reading};
use crate::quantity::{self, Quantity, Unit, format, glance::share};
use crate::view::document::{CONCLUSIONS, Cell, Section, Table};
use crate::view::heading::Heading;
use crate::view::tables::{self, code, heading as head, judged, list, paragraph, reading, text};
use crate::words::{Words, words};

const CONDITIONS: usize = 3;

/// Those worth a word: one that nothing measures, beside one of the same name that was decided, tells nothing.
fn told(all: &[Tested]) -> impl Iterator<Item = &Tested> {
    let is_told = |tested: &&Tested| {
        let mut twins = all.iter().filter(|other| other.name == tested.name);
        tested.judgement != Judgement::NotMeasured || !twins.any(|other| other.judgement != Judgement::NotMeasured)
    };
    all.iter().filter(is_told)
}

pub(super) fn rows(audit: &Audit) -> impl Iterator<Item = Vec<Cell>> {
    told(&audit.hypotheses).map(|tested| row(audit, tested))
}

/// What a hypothesis states of both sides, and what was found; the conditions that decided first.
fn row(audit: &Audit, tested: &Tested) -> Vec<Cell> {
    let mut conditions: Vec<&Condition> = tested.conditions.iter().collect();
    conditions.sort_by_key(|condition| weight(condition.met));
    let first = || conditions.iter().copied().take(CONDITIONS);
    let stated = |condition: &Condition| match condition.when {
        When::Before => format!("{} before", wanted(condition)),
        When::After => wanted(condition),
    };
    let found = |condition: &Condition| {
        let side = match condition.when {
            When::Before => condition.old.as_ref(),
            When::After => Some(&condition.new),
        };
        let name = condition.expected.reading.as_str();
        let is_number = |side: &Reading| side.value().is_some() && !name.starts_with(CHECK);
        side.map(|side| match side.quantity().filter(|_| is_number(side)) {
            Some(found) => expectation::amount(name, found),
            None => shown(name, side).words.to_plain(),
        })
        .unwrap_or_default()
    };
    let join = |texts: Vec<String>| texts.join("; ");
    let judged = judged(tested.judgement, Role::Hypothesis);
    if let Some(words) = tested.name.strip_prefix(expectation::EXPECTED) {
        // About so much is two conditions of one reading.
        let is_first = |(at, own): &(usize, &&Condition)| {
            conditions[..*at].iter().all(|other| other.expected.reading != own.expected.reading)
        };
        let told = conditions.iter().enumerate().filter(is_first);
        let mut found: Vec<String> = told.take(CONDITIONS).map(|(_, condition)| of_author(audit, condition)).collect();
        // What was held against a reading decides; the rest is said to be open.
        let open = if found.is_empty() { Vec::new() } else { expectation::not_read(words) };
        let open: Vec<String> = open.into_iter().map(|clause| wait(audit, &clause).unwrap_or(clause)).collect();
        found.extend((!open.is_empty()).then(|| format!("not read: {}", open.join(", "))));
        let stated = words!("the author's expectation{}", late(tested.foresight));
        return vec![text(stated), text(words), text(join(found)), judged];
    }
    vec![
        text(words!("hypothesis: {}{}", tested.name.as_str(), late(tested.foresight))),
        text(join(first().map(stated).collect())),
        // What nobody measured is said once.
        text(if first().all(|one| one.new.value().is_none() && one.old.is_none()) {
            first().next().map(found).unwrap_or_default()
        } else {
            let has_all = tested.conditions.iter().all(|one| one.new.value().is_some());
            let alone = tested.judgement == Judgement::NotMeasured && audit.before.is_none() && has_all;
            join(first().map(found).chain(alone.then(|| "no baseline to hold the change against".to_owned())).collect())
        }),
        judged,
    ]
}

/// `the wait for patches goes (wait for the stage 7.9 % → 9.8 %)`: of a clause on a wait the share of both sides in the wait of that name,
/// else in that for what a producer brings.
fn wait(audit: &Audit, clause: &str) -> Option<String> {
    let sides = [audit.before.as_ref().filter(|_| clause.contains("wait"))?, &audit.now];
    let name = |kind: PhaseKind| format::uncapital(places::phase_words(kind).own);
    let all = sides.iter().filter_map(|side| side.phases.as_ref()).flat_map(Phases::leaves);
    let kind = all.map(|phase| phase.kind).find(|kind| kind.is_wait() && clause.contains(&name(*kind)));
    let kind = kind.unwrap_or(PhaseKind::StageWait);
    let share = |side: &Examined| {
        let own = side.phases.as_ref()?.leaves().filter(|phase| phase.kind == kind);
        Some(share(own.map(|phase| phase.share).sum()))
    };
    let [was, is] = sides.map(share);
    Some(format!("{clause} ({} {} → {})", name(kind), was?, is?))
}

/// What a condition asks of a reading, in the words and the unit of what was found: `memory barrier stall < 1.0 %`.
fn wanted(condition: &Condition) -> String {
    let Expectation { reading, op, value, .. } = &condition.expected;
    let found = condition.new.quantity().or(condition.old.as_ref().and_then(Reading::quantity));
    let unit = found.map_or_else(|| expectation::unit(reading), Quantity::unit);
    match Quantity::new(*value, unit).filter(|_| !reading.starts_with(CHECK)) {
        // A count that must be met is told to its last digit.
        Some(limit) if *op == Operator::Equal && unit == Unit::INST => {
            format!("{} = {}", expectation::called(reading), format::fixed(limit.value(), 0))
        }
        Some(limit) => {
            format!("{} {} {}", expectation::called(reading), op.sign(), expectation::amount(reading, limit))
        }
        None => wording(condition).trim_start_matches(CHECK).to_owned(),
    }
}

/// A reading that an author's words name, old and new: `tensor pipe 90.09 % → 87.72 %`, `time −1.9 %`; of the share of a unit that was
/// missed what the unit does, which tells its work from the time around it.
fn of_author(audit: &Audit, condition: &Condition) -> String {
    let reading = condition.expected.reading.as_str();
    let cycles = &audit.performance.cycles;
    let busy = |share: &Reading, all: &Reading| {
        let percent = share.quantity().filter(|share| share.unit() == Unit::PERCENT)?.value();
        Some(quantity::glance::short(percent / 100.0 * all.value()?))
    };
    let missed = || condition.old.as_ref().zip(cycles.old.as_ref()).filter(|_| condition.met == Judgement::Fails);
    let why = || {
        let (old, new) = missed().and_then(|(share, all)| busy(share, all)).zip(busy(&condition.new, &cycles.new))?;
        Some(format!(", busy for {old} → {new} cycles"))
    };
    match (&condition.old, condition.new.quantity()) {
        (Some(old), _) => {
            let [old, new] = [old, &condition.new].map(glance);
            format!("{} {old} → {new}{}", expectation::called(reading), why().unwrap_or_default())
        }
        (None, Some(found)) => expectation::said(reading, found),
        (None, None) => format!("{} {}", expectation::called(reading), glance(&condition.new)),
    }
}

/// What decides a judgement stands in front.
pub(super) fn weight(met: Judgement) -> u8 {
    match met {
        Judgement::Fails => 0,
        Judgement::Unclear => 1,
        Judgement::Holds => 2,
        Judgement::NotMeasured => 3,
        Judgement::DoesNotApply => 4,
    }
}

/// The section; `None` where the subject states none and none was decided before.
pub(in crate::view) fn in_full(heading: &Heading, tested: &[Tested]) -> Option<Section> {
    let decided = ledger(&heading.history);
    if tested.is_empty() && decided.rows.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for tested in tested {
        blocks.push(head("tested", &tested.name));
        let change = match tested.change.trim().trim_end_matches('.') {
            "" => String::new(),
            change => format!(" The change: {change}."),
        };
        let when = match tested.foresight {
            Foresight::Before => "",
            Foresight::After => " Stated after the measurement: the audited commit does not have it.",
            Foresight::Unknown => " When it was stated is not known.",
        };
        let words = words!("**{}**. {}{}{}", tested.judgement.word(Role::Hypothesis), tested.say(), change, when);
        blocks.push(paragraph("tested", words));
        blocks.push(conditions(tested).into());
    }
    if !decided.rows.is_empty() {
        blocks.push(head("ledger", "Decided before"));
        blocks.push(paragraph("ledger", "What earlier audits of this subject expected, and what they found."));
        blocks.push(decided.into());
    }
    Some(Section::new("hypotheses", "Hypotheses", blocks))
}

/// How many of each, for the first screen; `None` without any.
pub(in crate::view) fn summary(tested: &[Tested]) -> Option<Words> {
    const ALL: [Judgement; 4] = [Judgement::Fails, Judgement::Holds, Judgement::Unclear, Judgement::NotMeasured];
    let named = |judgement: Judgement| {
        // What the author of a change expected has a row of its own, and of one that was stated again, knowing better, the first counts.
        let is_again = |one: &Tested| {
            let is_first = |other: &Tested| other.name == one.name && other.foresight != Foresight::After;
            one.foresight == Foresight::After && tested.iter().any(is_first)
        };
        let stated = told(tested).filter(|one| !one.name.starts_with(expectation::EXPECTED) && !is_again(one));
        let of = stated.filter(|one| one.judgement == judgement);
        let names: Vec<String> = of.map(|one| format!("{}{}", one.name, late(one.foresight))).collect();
        (!names.is_empty()).then(|| format!("{}: {}", judgement.word(Role::Hypothesis), names.join(", ")))
    };
    let found: Vec<String> = ALL.into_iter().filter_map(named).collect();
    (!found.is_empty()).then(|| words!("**Hypotheses:** {}.", found.join("; ")))
}

pub fn ledger(milestones: &[Milestone]) -> Table {
    let row = |(at, one): (usize, &Concluded)| {
        let milestone = &milestones[at];
        let commit = if milestone.commit.is_empty() { text("") } else { code(milestone.commit.clone()) };
        let change = if one.change.is_empty() { &milestone.change } else { &one.change };
        vec![
            text(milestone.day()),
            commit,
            text(format!("{}{}", one.name, late(one.foresight))),
            text(expectation::done(change)),
            judged(one.judgement, Role::Hypothesis),
            text(one.reason.clone()),
        ]
    };
    tables::table(
        "ledger",
        "Date | Commit | Hypothesis | Change | Result | Why",
        decided(milestones).into_iter().map(row),
    )
}

/// What stands behind the name of a hypothesis that was stated too late, with a space in front.
fn late(foresight: Foresight) -> &'static str {
    match foresight {
        Foresight::After => " (stated after the measurement)",
        Foresight::Before | Foresight::Unknown => "",
    }
}

fn conditions(tested: &Tested) -> Table {
    let row = |condition: &Condition| {
        let when = match condition.when {
            When::Before => "must hold before",
            When::After => "expected after",
        };
        let met = judged(condition.met, Role::Condition);
        let met = if condition.met == Judgement::Holds { met } else { met.strong() };
        let name = condition.expected.reading.as_str();
        let before = condition.old.as_ref().map(|old| shown(name, old)).unwrap_or_default();
        vec![text(when), code(wording(condition)), before, shown(name, &condition.new), met]
    };
    tables::table("tested", "When | Expected | Before: | After: | Result", tested.conditions.iter().map(row))
}

fn wording(condition: &Condition) -> String {
    let expected = &condition.expected;
    match expected.reading.strip_prefix(CHECK) {
        Some(_) if expected.op.holds(1.0, expected.value) => format!("{} passes", expected.reading),
        Some(_) => format!("{} fails", expected.reading),
        None => expected.text(),
    }
}

fn shown(name: &str, found: &Reading) -> Cell {
    if matches!(ReadingName::of(name).form, ReadingForm::Change | ReadingForm::Points)
        && matches!(found, Reading::Missing(Missing::NotCollected { .. }))
    {
        return Cell::default();
    }
    match found.value() {
        Some(1.0) if name.starts_with(CHECK) => judged(Judgement::Holds, Role::Check),
        Some(_) if name.starts_with(CHECK) => judged(Judgement::Fails, Role::Check),
        _ => reading(found),
    }
}

/// Lessons told, the newest.
const SHOWN: usize = 5;

/// The section: a line for each expectation that was not met, with its day and what was found. Empty is for the author.
pub(super) fn conclusions(heading: &Heading, audit: &Audit) -> Section {
    let mut all = heading.history.clone();
    all.push(heading.milestone(audit));
    let missed: Vec<(usize, &Concluded)> =
        decided(&all).into_iter().filter(|(_, one)| one.judgement == Judgement::Fails).collect();
    let lesson = |(at, one): &(usize, &Concluded)| -> Words {
        let stated = one.name.strip_prefix(expectation::EXPECTED).unwrap_or(&one.name);
        let found = one.reason.rsplit_once("Found: ").map_or(one.reason.as_str(), |(_, found)| found);
        words!("{}, missed: {}. Found: {}.", all[*at].day(), stated, found.trim_end_matches('.'))
    };
    let told: Vec<Words> = missed.iter().skip(missed.len().saturating_sub(SHOWN)).map(lesson).collect();
    let lessons = (!told.is_empty()).then(|| list("lessons", told));
    Section::new(CONCLUSIONS, "Conclusions", lessons.into_iter().collect())
}
