//! Hypotheses: expected, before, after and what became of each; and the ledger of those that earlier audits decided.

use super::document::{Cell, Section, Table};
use super::heading::Heading;
use super::tables::{self, code, columns_of, heading as head, judged, paragraph, reading, text};
use crate::analysis::{
    Concluded, Condition, Foresight, Judgement, Milestone, Role, Tested, When, decided, expectation,
};
use crate::catalog::CHECK;
use crate::evidence::{Missing, Reading};
use crate::words;
use crate::words::Words;

/// The section; `None` where the subject states none and none was decided before.
pub(super) fn section(heading: &Heading, tested: &[Tested]) -> Option<Section> {
    let decided = ledger(&heading.history);
    if tested.is_empty() && decided.rows.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for tested in tested {
        blocks.push(head("tested", &tested.name));
        let change = match stem(&tested.change) {
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
pub(super) fn summary(tested: &[Tested]) -> Option<Words> {
    const ALL: [Judgement; 4] = [Judgement::Fails, Judgement::Holds, Judgement::Unclear, Judgement::NotMeasured];
    let named = |judgement: Judgement| {
        // What the author of a change expected has a row of its own.
        let stated = tested.iter().filter(|one| !one.name.starts_with(expectation::EXPECTED));
        let of = stated.filter(|one| one.judgement == judgement);
        let names: Vec<String> = of.map(|one| format!("{}{}", one.name, late(one.foresight))).collect();
        (!names.is_empty()).then(|| format!("{} {}", judgement.word(Role::Hypothesis), names.join(", ")))
    };
    let found: Vec<String> = ALL.into_iter().filter_map(named).collect();
    (!found.is_empty()).then(|| words!("**Hypotheses:** {}.", found.join("; ")))
}

/// The table of what earlier audits decided.
pub fn ledger(milestones: &[Milestone]) -> Table {
    let columns = columns_of("Date | Commit | Hypothesis | Change | Result | Why");
    let row = |(at, one): (usize, &Concluded)| {
        let milestone = &milestones[at];
        let commit = if milestone.commit.is_empty() { text("") } else { code(milestone.commit.clone()) };
        let change = if one.change.is_empty() { &milestone.change } else { &one.change };
        vec![
            text(milestone.day()),
            commit,
            text(format!("{}{}", one.name, late(one.foresight))),
            text(change.clone()),
            judged(one.judgement, Role::Hypothesis),
            text(one.reason.clone()),
        ]
    };
    tables::table("ledger", columns, decided(milestones).into_iter().map(row).collect())
}

/// What stands behind the name of a hypothesis that was stated too late, with a space in front.
pub(super) fn late(foresight: Foresight) -> &'static str {
    match foresight {
        Foresight::After => " (stated after the measurement)",
        Foresight::Before | Foresight::Unknown => "",
    }
}

/// A sentence without its full stop.
fn stem(sentence: &str) -> &str {
    sentence.trim().trim_end_matches('.')
}

fn conditions(tested: &Tested) -> Table {
    let columns = columns_of("When | Expected | Before: | After: | Result");
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
    tables::table("tested", columns, tested.conditions.iter().map(row).collect())
}

pub(super) fn wording(condition: &Condition) -> String {
    let expected = &condition.expected;
    match expected.reading.strip_prefix(CHECK) {
        Some(_) if expected.op.holds(1.0, expected.value) => format!("{} passes", expected.reading),
        Some(_) => format!("{} fails", expected.reading),
        None => expected.text(),
    }
}

pub(super) fn shown(name: &str, found: &Reading) -> Cell {
    if name.starts_with("change.") && matches!(found, Reading::Missing(Missing::NotCollected { .. })) {
        return Cell::default();
    }
    match found.value() {
        Some(1.0) if name.starts_with(CHECK) => judged(Judgement::Holds, Role::Check),
        Some(_) if name.starts_with(CHECK) => judged(Judgement::Fails, Role::Check),
        _ => reading(found),
    }
}
