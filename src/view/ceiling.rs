//! Remaining performance ceiling: what is left on the table, ranked by its bound, and what became of the old side's bounds.

use super::brief;
use super::document::{Section, Table};
use super::tables::{self, code, fold, heading, paragraph, sentence, text};
use crate::analysis::{Along, Audit, Bound, Lever, LeverCode, LeverOrigin, Standing};
use crate::catalog::Action;
use crate::quantity::format;
use crate::quantity::glance::between;
use crate::words;

pub(super) fn section(audit: &Audit) -> Section {
    let (ours, nvidia): (Vec<&Lever>, Vec<&Lever>) =
        audit.now.levers.iter().partition(|l| l.origin == LeverOrigin::Audit);
    let mut blocks = Vec::new();
    if ours.is_empty() {
        let none = || "Nothing that this evidence supports is worth a row.".into();
        blocks.push(paragraph("levers", audit.now.bottleneck.roof.clone().unwrap_or_else(none)));
    } else {
        blocks.push(paragraph(
            "levers",
            words!("A ceiling is what is saved if the lever frees all of its cost and the busiest unit that is left runs at its peak. Ceilings are not additive, and none is a forecast."),
        ));
        blocks.push(table("levers", &ours).into());
    }
    if !nvidia.is_empty() {
        blocks.push(fold(
            "nvidia-rules",
            format!("{} by NVIDIA's own rules, as the report stores them", format::counted(nvidia.len() as u64, "estimate")),
            vec![
                paragraph("nvidia-rules", "ESTIMATE: NVIDIA's numbers, beside the ceiling of the lever above on the same matter: none where the evidence supports none. A rule speaks of the whole run time only where it says so."),
                of_nvidia(&nvidia, &ours).into(),
            ],
        ));
    }
    let outcomes = brief::checks::predictions_in_full(audit).filter(|_| audit.standing() != Standing::Wrong);
    if let Some(outcomes) = outcomes {
        blocks.push(heading("estimates", "Levers of the old side: estimate against outcome"));
        blocks.push(outcomes.into());
    }
    Section::new("ceiling", "Remaining performance ceiling", blocks)
}

/// The forecast of a lever of a list in front of its ceiling; one that ends there has one number for both: `12.4 to ≤ 30.6 %`.
pub(super) fn forecast(lever: &Lever, levers: &[&Lever]) -> String {
    let own = bound(lever, levers);
    let tenths = |percent: f64| format::fixed(percent, 1);
    let is_end = |high: f64| own.starts_with('≤') && lever.bound.is_some_and(|bound| tenths(bound) == tenths(high));
    match lever.forecast {
        Some([low, high]) if is_end(high) => format!("{} to {own}", tenths(low)),
        Some(ends) => format!("{}, {own}", between(ends, lever.bound)),
        None => own,
    }
}

/// The ceiling of a lever; others are told by their number in the list.
pub(super) fn bound(lever: &Lever, levers: &[&Lever]) -> String {
    let place = |action: Action| levers.iter().position(|lever| lever.code == LeverCode::Ours(action)).map(|at| at + 1);
    let percent = lever.bound.map(|bound| format!("≤ {} %", format::fixed(bound, 1))).unwrap_or_default();
    let own = match &lever.ceiling {
        Bound::AtMost => percent,
        Bound::Rate(factor) => {
            format!("{}× the work in the same time; this launch alone: 0", format::fixed(*factor, 1))
        }
        Bound::Open(needs) => format!("not bounded by this report (needs {needs})"),
    };
    match lever.beside {
        Some(Along::With(action)) => place(action).map(|at| format!("with {at}: {own}")),
        Some(Along::PartOf(action)) => place(action).map(|at| format!("{own}, part of {at}")),
        None => None,
    }
    .unwrap_or(own)
}

fn table(name: &str, levers: &[&Lever]) -> Table {
    let line = |lever: &&Lever| {
        vec![
            sentence(&lever.sentence),
            text(forecast(lever, levers)).sorted(lever.bound).strong(),
            text(lever.formula.clone()),
            code(lever.remeasure.clone()),
        ]
    };
    tables::table(name, "Lever | Forecast, ceiling: | Computed from | Read again", levers.iter().map(line))
}

/// The levers here that answer what a rule of NVIDIA's is about; none for a rule on which there are none.
fn answers(rule: &str) -> &'static [Action] {
    match rule {
        "SharedMemoryConflicts" | "UncoalescedSharedAccess" => &[Action::Unconflict],
        "UncoalescedGlobalAccess" => &[Action::Coalesce],
        "ThreadDivergence" => &[Action::Regroup],
        "TheoreticalOccupancy" | "AchievedOccupancy" => &[Action::MoreWarps],
        "LaunchConfiguration" => &[Action::WholeWaves, Action::MoreBlocks],
        _ => &[],
    }
}

/// NVIDIA's estimates, each beside what the levers here say of the same.
fn of_nvidia(levers: &[&Lever], ours: &[&Lever]) -> Table {
    let here = |lever: &Lever| {
        let LeverCode::Rule(rule) = &lever.code else { return String::new() };
        let actions = answers(rule);
        let is_answer = |own: &&&Lever| matches!(&own.code, LeverCode::Ours(action) if actions.contains(action));
        match ours.iter().find(is_answer) {
            Some(own) => bound(own, &[]),
            None if actions.is_empty() => String::new(),
            None => "none".to_owned(),
        }
    };
    let line = |lever: &&Lever| {
        vec![
            sentence(&lever.sentence),
            text(bound(lever, &[])).sorted(lever.bound),
            text(here(lever)).strong(),
            text(lever.formula.clone()),
            code(lever.remeasure.clone()),
        ]
    };
    tables::table("nvidia-rules", "Lever | Ceiling: | Here: | Computed from | Read again", levers.iter().map(line))
}
