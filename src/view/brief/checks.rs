//! What was asked of the kernel and predicted of the change, and what came.

use crate::analysis::{Audit, CheckedLine, Judgement, PredictionMet, Pulled};
use crate::quantity::format;
use crate::view::document::{Cell, Section, Tone};
use crate::view::tables::{left, number, right, table, text};
use crate::words;

/// Rows shown; those that failed go first, and all stand in the HTML page.
const SHOWN: usize = 10;

/// Levers of the old side shown.
const PULLED: usize = 2;

/// The section; `None` where nothing was stated and no earlier audit gave a ceiling.
pub(in crate::view) fn section(audit: &Audit) -> Option<Section> {
    let mut rows: Vec<(bool, Vec<Cell>)> = Vec::new();
    for code in &audit.code {
        for check in &code.checks {
            let verdict = crate::view::code::verdict_cell(check.verdict);
            rows.push((
                verdict.tone == Tone::Good,
                vec![
                    text(check.name.as_str()),
                    text(if check.rule == check.name { "" } else { check.rule.as_str() }),
                    text(check.found.as_str()),
                    verdict,
                ],
            ));
        }
    }
    for line in &audit.checks {
        let CheckedLine { expected, found, .. } = line;
        let verdict = crate::view::checklist::outcome(line.outcome);
        rows.push((
            verdict.tone == Tone::Good,
            vec![
                text(expected.label.as_str()),
                text(format!("{} {}", expected.op, expected.value)),
                text(number(found)),
                verdict,
            ],
        ));
    }
    for tested in &audit.hypotheses {
        let tone = match tested.judgement {
            Judgement::Confirmed => Tone::Good,
            Judgement::Refuted => Tone::Bad,
            Judgement::Inconclusive | Judgement::NotMeasured => Tone::Unsure,
        };
        let said = words!("hypothesis: {}", tested.change.as_str());
        rows.push((
            false,
            vec![
                text(tested.name.as_str()),
                text(said),
                text(&tested.reason),
                text(tested.judgement.word()).toned(tone),
            ],
        ));
    }
    rows.extend(predictions(audit).into_iter().map(|cells| (false, cells)));
    if rows.is_empty() {
        return None;
    }
    rows.sort_by_key(|(passed, _)| *passed);
    rows.truncate(SHOWN);
    let columns = vec![left("Check, prediction"), right("Stated"), right("Found"), left("")];
    let rows = rows.into_iter().map(|(_, cells)| cells).collect();
    Some(Section::new("checks", "Checks and predictions", vec![table("checks", columns, rows).into()]))
}

/// The ceilings of the old side against what came: the levers that the change pulled, else the largest; and what the new
/// work left to save.
fn predictions(audit: &Audit) -> Vec<Vec<Cell>> {
    let Some((estimates, gained)) = audit.estimates.as_ref().and_then(|one| Some((one, one.gained?))) else {
        return Vec::new();
    };
    let came = |percent: f64| format!("{} %", format::fixed(-percent, 1).replace('-', "−"));
    let row = |pulled: &Pulled| {
        let met = match (pulled.met, &estimates.fell) {
            (Some(PredictionMet::Within), _) => "within".to_owned(),
            (Some(PredictionMet::Exceeded), Some((label, by))) => {
                format!("exceeded: the work of {label} fell too (−{} %)", format::fixed(*by, 1))
            }
            (Some(PredictionMet::Exceeded), None) => "exceeded: other stalls depended on this one".to_owned(),
            _ => "not this change".to_owned(),
        };
        vec![
            text(words!("lever `{}` of the old side", pulled.code.to_string())),
            text(format!("≤ {} %", format::fixed(pulled.bound, 1))),
            text(came(gained)),
            text(met),
        ]
    };
    let mut rows: Vec<Vec<Cell>> = estimates.pulled().take(PULLED).map(row).collect();
    if rows.is_empty() {
        rows.extend(estimates.largest().map(row));
    }
    rows.extend(estimates.floor.as_ref().map(|floor| {
        vec![
            text(words!("floor of the new work at the old cycles ({})", floor.label.as_str())),
            text(format!("≤ {} %", format::fixed(floor.most, 1))),
            text(came(floor.saved)),
            text(format!("{} % of it realised", format::fixed(floor.realised(), 0))),
        ]
    }));
    rows
}
