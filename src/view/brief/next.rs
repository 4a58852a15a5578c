//! What to do next: up to five actions, each with its ceiling, why, and the reading to look at afterwards.

use crate::analysis::{Audit, Lever, LeverOrigin};
use crate::quantity::format;
use crate::view::document::Section;
use crate::view::tables::{code, left, paragraph, right, table, text};

/// Actions shown.
const SHOWN: usize = 5;
/// Ceilings below this many percent are not worth a line.
const LEAST: f64 = 2.0;

/// The section; `None` where nothing was found to do.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let levers: Vec<&Lever> = audit
        .levers
        .iter()
        .filter(|lever| lever.origin == LeverOrigin::Audit && lever.bound >= LEAST)
        .take(SHOWN)
        .collect();
    if levers.is_empty() {
        return None;
    }
    let columns = vec![right("#"), left("Do"), right("Ceiling"), left("Why"), left("Check")];
    let row = |(at, lever): (usize, &&Lever)| {
        let sign = if lever.is_rough { "about" } else { "≤" };
        vec![
            text((at + 1).to_string()),
            text(&lever.sentence),
            text(format!("{sign} {} %", format::fixed(lever.bound, 1))).sorted(lever.bound),
            text(lever.formula.as_str()),
            code(lever.remeasure.as_str()),
        ]
    };
    let rows = levers.iter().enumerate().map(row).collect();
    let blocks = vec![
        table("next", columns, rows).into(),
        paragraph("ceilings", "Ceiling: the most that the launch's time falls by. Ceilings are not additive."),
    ];
    Some(Section::new("next", "Next", blocks))
}
