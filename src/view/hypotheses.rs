//! Hypotheses: expected, before, after and what became of each; and the ledger of those that were refuted.

use super::document::{Block, Cell, Section, Table};
use super::escape;
use super::page::Heading;
use super::tables::{code, left, number, paragraph, right, strong, text};
use crate::analysis::{Condition, Judgement, Met, Milestone, Tested, When};
use crate::evidence::{Missing, Reading};

/// The section; `None` where the subject states none and none was refuted before.
pub(super) fn section(heading: &Heading, tested: &[Tested]) -> Option<Section> {
    let refuted = ledger(&heading.history);
    if tested.is_empty() && refuted.rows.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for (at, tested) in tested.iter().enumerate() {
        blocks.push(Block::Heading { text: tested.name.clone() });
        let change = match stem(&tested.change) {
            "" => String::new(),
            change => format!(" The change: {}.", escape::text(change)),
        };
        let words = format!("**{}**. {}{change}", tested.judgement.word(), escape::text(&tested.reason));
        blocks.push(paragraph(words));
        blocks.push(Block::Table { table: conditions(&format!("hypothesis-{}", at + 1), tested) });
    }
    if !refuted.rows.is_empty() {
        blocks.push(Block::Heading { text: "Refuted before".into() });
        blocks.push(paragraph("What earlier audits of this subject expected and did not find."));
        blocks.push(Block::Table { table: refuted });
    }
    Some(Section { id: "hypotheses".into(), title: "Hypotheses".into(), blocks })
}

/// How many of each, for the first screen; `None` without any.
pub(super) fn summary(tested: &[Tested]) -> Option<String> {
    const ALL: [Judgement; 4] =
        [Judgement::Refuted, Judgement::Confirmed, Judgement::Inconclusive, Judgement::NotMeasured];
    let named = |judgement: Judgement| {
        let of = tested.iter().filter(|one| one.judgement == judgement);
        let names: Vec<String> = of.map(|one| escape::text(&one.name)).collect();
        (!names.is_empty()).then(|| format!("{} {}", judgement.word(), names.join(", ")))
    };
    let found: Vec<String> = ALL.into_iter().filter_map(named).collect();
    (!found.is_empty()).then(|| format!("**Hypotheses:** {}.", found.join("; ")))
}

/// The refuted hypotheses of some audits, in their order.
pub fn ledger(milestones: &[Milestone]) -> Table {
    let columns = vec![left("Date"), left("Commit"), left("Hypothesis"), left("Change"), left("Why it is refuted")];
    let of = |milestone: &Milestone| -> Vec<Vec<Cell>> {
        let refuted = milestone.hypotheses.iter().filter(|one| one.judgement == Judgement::Refuted);
        let commit = if milestone.commit.is_empty() { text("") } else { code(milestone.commit.clone()) };
        let change = |own: &str| if own.is_empty() { milestone.change.clone() } else { own.to_owned() };
        refuted
            .map(|one| {
                let (name, why) = (text(one.name.clone()), text(one.reason.clone()));
                vec![text(milestone.date.clone()), commit.clone(), name, text(change(&one.change)), why]
            })
            .collect()
    };
    Table { id: "refuted".into(), caption: String::new(), columns, rows: milestones.iter().flat_map(of).collect() }
}

/// A sentence without its full stop.
fn stem(sentence: &str) -> &str {
    sentence.trim().trim_end_matches('.')
}

fn conditions(id: &str, tested: &Tested) -> Table {
    let columns = vec![left("When"), left("Expected"), right("Before"), right("After"), left("Result")];
    let row = |condition: &Condition| {
        let when = match condition.when {
            When::Before => "must hold before",
            When::After => "expected after",
        };
        let met = match condition.met {
            Met::Holds => text("holds"),
            Met::Fails => strong("does not hold"),
            Met::Unclear => strong("launches disagree"),
            Met::NotMeasured => strong("not measured"),
        };
        let name = condition.expected.reading.as_str();
        let before = condition.old.as_ref().map_or_else(String::new, |old| shown(name, old));
        vec![text(when), code(wording(condition)), text(before), text(shown(name, &condition.new)), met]
    };
    Table { id: id.into(), caption: String::new(), columns, rows: tested.conditions.iter().map(row).collect() }
}

/// What begins the name of a check on the machine code, which passes or fails and has no number.
const CHECK: &str = "check.";

fn wording(condition: &Condition) -> String {
    let expected = &condition.expected;
    match expected.reading.strip_prefix(CHECK) {
        Some(_) if expected.op.holds(1.0, expected.value) => format!("{} passes", expected.reading),
        Some(_) => format!("{} fails", expected.reading),
        None => expected.text(),
    }
}

fn shown(name: &str, reading: &Reading) -> String {
    if name.starts_with("change.") && matches!(reading, Reading::Missing(Missing::NotCollected { .. })) {
        return String::new();
    }
    match reading.value() {
        Some(value) if name.starts_with(CHECK) => if value == 1.0 { "PASS" } else { "FAIL" }.to_owned(),
        _ => number(reading),
    }
}
