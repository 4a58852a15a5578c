//! The phases of a kernel as a timeline: of a tile, of a block, or of the lifetime of a warp.

use super::axis;
use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade};
use crate::analysis::Audit;
use crate::analysis::phases::{CycleUnit, Phase, PhaseKind, Phases};
use crate::quantity::format;
use crate::view::brief::phase_words;

/// Samples below which shares by phase say too little.
const ENOUGH: u64 = 1_000;
/// Shares below this are no row.
const SMALL: f64 = 0.005;

/// The chart; `None` without cycles by phase, and for a kernel that has one phase.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let phases = audit.phases.as_ref().filter(|phases| phases.samples >= ENOUGH)?;
    let cycles = phases.cycles?;
    let rows = rows(phases);
    if rows.len() < 2 {
        return None;
    }
    let mut ticks = axis::from_zero(cycles, format::short);
    ticks.retain(|tick| tick.at <= cycles);
    let of = match phases.unit? {
        CycleUnit::Tile => "a tile",
        CycleUnit::Block => "a block",
        CycleUnit::Warp => "the lifetime of a warp",
    };
    let steps = phases.steps.filter(|steps| *steps >= 2.0);
    let added = steps.map(|steps| format!("; the {} steps of the main loop added up", format::fixed(steps, 0)));
    let has_tensor = phases.tensor.is_some();
    let legend = [(Shade::New, "tensor pipe busy".to_owned()), (Shade::Old, "other cycles".to_owned())];
    let told: Vec<String> =
        rows.iter().map(|(label, _, phase)| format!("{} {}", label.trim_start_matches("– "), span(phase))).collect();
    let busy = phases.tensor.map(|tensor| format!(" The tensor pipe works {} of them.", format::fixed(tensor, 0)));
    Some(Chart {
        id: "phases".into(),
        title: format!("Phases of {of}"),
        subtitle: format!("Cycles, in the order of the code{}", added.unwrap_or_default()),
        message: format!(
            "Cycles of {of}, {} in all: {}.{}",
            format::fixed(cycles, 0),
            told.join("; "),
            busy.unwrap_or_default()
        ),
        file: String::new(),
        figure: Figure::Bars(Bars {
            legend: if has_tensor { legend.into() } else { Vec::new() },
            is_stacked: true,
            until: cycles,
            ticks,
            rows: rows.into_iter().map(|(label, start, phase)| row(label, start, phase, has_tensor)).collect(),
        }),
    })
}

/// Each phase, and behind a loop its parts, with the cycle that it begins at.
fn rows(phases: &Phases) -> Vec<(&'static str, f64, &Phase)> {
    let mut rows = Vec::new();
    let mut start = 0.0;
    for phase in &phases.phases {
        let mut inside = start;
        let is_shown = |phase: &Phase| phase.share >= SMALL;
        if is_shown(phase) {
            rows.push((phase_words(phase.kind).label, start, phase));
        }
        for part in &phase.parts {
            if is_shown(part) {
                rows.push((phase_words(part.kind).label, inside, part));
            }
            inside += part.cycles.unwrap_or_default();
        }
        start += phase.cycles.unwrap_or_default();
    }
    rows
}

fn span(phase: &Phase) -> String {
    format::fixed(phase.cycles.unwrap_or_default(), 0)
}

fn row(label: &str, start: f64, phase: &Phase, has_tensor: bool) -> BarRow {
    let cycles = phase.cycles.unwrap_or_default();
    let busy = phase.tensor.filter(|_| phase.kind == PhaseKind::MainLoop).unwrap_or_default().min(cycles);
    let bar = |shade, value, text| Bar { shade, value, text };
    let mut bars = vec![bar(Shade::Gap, start, String::new())];
    if busy > 0.0 {
        bars.push(bar(Shade::New, busy, String::new()));
    }
    bars.push(bar(if has_tensor { Shade::Old } else { Shade::New }, cycles - busy, span(phase)));
    BarRow { label: label.to_owned(), bars }
}
