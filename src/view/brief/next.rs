//! What to do next: up to five actions, each with its ceiling, why, what it costs, and what must move; or that nothing is left.

use crate::analysis::{Action, Audit, Bound, Lever, LeverCode, LeverOrigin};
use crate::view::document::{Block, Section};
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;

/// Actions shown.
const SHOWN: usize = 5;
/// Ceilings below this many percent are not worth a line.
const LEAST: f64 = 2.0;

/// The section; `None` where nothing was found to do, and nothing to rule out.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let roof = audit.bottleneck.roof.clone();
    let levers: Vec<&Lever> = match roof {
        Some(_) => Vec::new(),
        None => worth(&audit.levers).take(SHOWN).collect(),
    };
    let mut blocks: Vec<Block> = roof.into_iter().map(|roof| paragraph("roof", roof)).collect();
    if !levers.is_empty() {
        let columns = vec![right("#"), left("Do"), right("Ceiling"), left("Why"), left("Risk, cost"), left("Check")];
        let place =
            |action: Action| levers.iter().position(|lever| lever.code == LeverCode::Ours(action)).map(|at| at + 1);
        let row = |(at, lever): (usize, &&Lever)| {
            vec![
                text((at + 1).to_string()),
                text(&lever.sentence),
                text(lever.said(place)).sorted(lever.bound),
                text(&lever.why),
                text(&lever.risk),
                text(&lever.check),
            ]
        };
        blocks.push(table("next", columns, levers.iter().enumerate().map(row).collect()).into());
    }
    let additive = if levers.len() > 1 { " Ceilings are not additive." } else { "" };
    let said = audit.bottleneck.ruled_out.clone().map(|ruled| words!("{}{}", ruled, additive));
    let said = said.or_else(|| (!additive.is_empty()).then(|| additive.trim_start().into()));
    blocks.extend(said.map(|words| paragraph("ruled-out", words)));
    (!blocks.is_empty()).then(|| Section::new("next", "Next", blocks))
}

/// Our own levers that are worth a line, by ceiling.
pub(super) fn worth(levers: &[Lever]) -> impl Iterator<Item = &Lever> {
    let ours = levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit);
    ours.filter(|lever| lever.bound >= LEAST || matches!(lever.ceiling, Bound::Rate(_) | Bound::Open(_)))
}
