//! What was asked of the kernel and predicted of the change, and what came.

use crate::analysis::{Audit, CheckedLine, Judgement};
use crate::quantity::format;
use crate::view::document::{Cell, Section, Tone};
use crate::view::tables::{left, number, right, table, text};
use crate::words;

/// Rows shown; those that failed go first, and all stand in the HTML page.
const SHOWN: usize = 10;

/// The section; `None` where nothing was stated and no earlier audit gave a ceiling.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let mut rows: Vec<(bool, Vec<Cell>)> = Vec::new();
    for code in &audit.code {
        for check in &code.checks {
            let verdict = crate::view::code::verdict_cell(check.verdict);
            rows.push((
                verdict.tone == Tone::Good,
                vec![text(check.name.as_str()), text(check.rule.as_str()), text(check.found.as_str()), verdict],
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
    if let Some(estimates) = &audit.estimates
        && let (Some(pulled), Some(gained)) = (estimates.largest(), estimates.gained)
    {
        let met = if gained <= pulled.bound { "within" } else { "exceeded" };
        rows.push((
            false,
            vec![
                text(words!("largest ceiling of the old side (`{}`)", pulled.code.to_string())),
                text(format!("≤ {} %", format::fixed(pulled.bound, 1))),
                text(format!("{} %", format::fixed(-gained, 1).replace('-', "−"))),
                text(met),
            ],
        ));
    }
    if rows.is_empty() {
        return None;
    }
    rows.sort_by_key(|(passed, _)| *passed);
    rows.truncate(SHOWN);
    let columns = vec![left("Check, prediction"), right("Stated"), right("Found"), left("")];
    let rows = rows.into_iter().map(|(_, cells)| cells).collect();
    Some(Section::new("checks", "Checks and predictions", vec![table("checks", columns, rows).into()]))
}
